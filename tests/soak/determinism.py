"""The same bytes whatever surrounds a run: `make soak-determinism`.

Bundles are derived and verified in processes that differ in one thing at a time, and in everything at once: solver
workers, one that is killed, cold and warm caches, seeds of hashes, locales, folder, umask, time zone, terminal, and
optimized Python. What each leaves behind, the status and the documents in all formats, must be the same to the bit.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from blueprint.cli.formats import FORMATS
from blueprint.exit import ExitCode
from blueprint.ir.common import Stage
from tests.reseal import Draft

ROOT = Path(__file__).resolve().parents[2]

DRIVER: Final = """
import contextlib, json, locale, os, signal, sys, time
from blueprint import discharge
from blueprint.cli import main

seen = {"workers": 0, "batches": 0}

class Worker(discharge._Worker):
    def __init__(self):
        super().__init__()
        seen["workers"] += 1

    def give(self, *arguments):
        super().give(*arguments)
        seen["batches"] += 1
        if seen["batches"] == int(os.environ.get("KILL", "0")):
            os.kill(self.process.pid, signal.SIGKILL)
            seen["killed"] = True

discharge._Worker = Worker
os.cpu_count = lambda: int(os.environ["CORES"])
with contextlib.suppress(locale.Error):
    locale.setlocale(locale.LC_ALL, "")
try:
    main()
finally:
    os.umask(umask := os.umask(0))
    seen |= {"decimal": locale.localeconv()["decimal_point"], "encoding": locale.getencoding(), "hash": hash("seed")}
    seen |= {"folder": os.getcwd(), "umask": umask, "zone": time.tzname[0], "optimized": sys.flags.optimize}
    print(json.dumps(seen), file=sys.stderr)
"""
"""The command, in a program that follows the user's locale, on as many cores as CORES says.

KILL=n kills the worker that is given the n-th batch of questions. The last line on standard error says what was seen of
the surroundings: one that does not come through would prove nothing.
"""

DERIVATIONS: Final[Mapping[str, Sequence[str]]] = {
    "training": (
        "training --model gpt2 --tensor 2 --data 3 --zero 2 --microbatch 1 --sequence 64 --recompute selective "
        "--communication sequence-parallel --target queue --emit"
    ).split(),
    "inference": (
        "inference --model gpt2 --tensor 2 --pipeline 6 --scope stack --pipeline-stage 1 --batch 2 --prompt 32 "
        "--context 40 --target slot --emit --attention tiled"
    ).split(),
}
"""All five stages, on both targets."""


# Surroundings ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Surroundings:
    """What surrounds a run, and must not be seen in what it leaves behind."""

    name: str
    cores: int = 2
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""
    umask: int = 0o022
    options: Sequence[str] = ()


PLAIN = Surroundings("plain")

LOCALES: Final[Mapping[str, tuple[str, str]]] = {
    "de_DE.UTF-8": ("de_DE", "UTF-8"),
    "de_DE.ISO-8859-1": ("de_DE", "ISO-8859-1"),
    "tr_TR.UTF-8": ("tr_TR", "UTF-8"),
}
"""A decimal comma, another encoding, another order and other small letters: the locale's source and its encoding."""


def compiled_locales(folder: Path) -> None:
    """Make the locales in a folder for LOCPATH, where the system has the tool; without it, names that it lacks."""
    for name, (source, encoding) in LOCALES.items():
        if shutil.which("localedef"):
            command = ["localedef", "-i", source, "-f", encoding, str(folder / name)]
            subprocess.run(command, check=False, capture_output=True)


def everything_at_once(folder: Path, *, other: bool = False) -> Surroundings:
    """Surroundings that differ from the plain ones in all respects but what Python compiles, one way or the other."""
    locale, zone = ("tr_TR.UTF-8", "Pacific/Kiritimati") if other else ("de_DE.ISO-8859-1", "America/St_Johns")
    return Surroundings(
        f"everything at once, {locale}",
        cores=4 if other else 1,
        environment={
            "LOCPATH": str(folder),
            "LC_ALL": locale,
            "LANG": locale,
            "TZ": zone,
            "PYTHONHASHSEED": "1" if other else "4294967295",
            "HOME": "/nonexistent",
            "TERM": "dumb",
            "COLUMNS": "20",
            **({"PYTHONUTF8": "1", "FORCE_COLOR": "1", "KILL": "3"} if other else {"PYTHONUTF8": "0", "NO_COLOR": "1"}),
        },
        folder="/" if other else str(folder),
        umask=0o077 if other else 0,
    )


def one_thing_at_a_time(folder: Path) -> Iterator[Surroundings]:
    """Surroundings that differ from the plain ones in one respect; workers and caches in every pair, three times."""
    for cores in (1, 2, 4):
        for run in range(3):
            cache = {"PYTHONPYCACHEPREFIX": str(folder / f"cache {cores} {run}")}
            yield Surroundings(f"{cores} workers, cold cache, run {run}", cores, cache)
            yield Surroundings(f"{cores} workers, warm cache, run {run}", cores, cache)
    for nth in (1, 2, 7):
        yield Surroundings(f"worker killed at batch {nth}", environment={"KILL": str(nth)})
    for seed in ("0", "1", "4294967295"):
        yield Surroundings(f"hash seed {seed}", environment={"PYTHONHASHSEED": seed})
    for name in ("C", "POSIX", "C.UTF-8", *LOCALES, "xx_XX.UTF-8"):
        yield Surroundings(f"locale {name}", environment={"LC_ALL": name, "LOCPATH": str(folder)})
    for switch in ("0", "1"):
        yield Surroundings(f"PYTHONUTF8={switch}", environment={"PYTHONUTF8": switch, "LC_ALL": "C"})
    for place in ("/", str(folder)):
        yield Surroundings(f"folder {'of its own' if place != '/' else place}", folder=place)
    for umask in (0, 0o077):
        yield Surroundings(f"umask {umask:03o}", umask=umask)
    for zone in ("America/St_Johns", "Pacific/Kiritimati", ":/nonexistent"):
        yield Surroundings(f"time zone {zone}", environment={"TZ": zone})
    for options in (["-O"], ["-OO"], ["-X", "dev"], ["-X", "importtime"]):
        yield Surroundings(f"python {' '.join(options)}", options=options)
    yield Surroundings("narrow terminal", environment={"COLUMNS": "20", "TERM": "dumb", "NO_COLOR": "1"})
    yield Surroundings(
        "forced colour", environment={"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1", "TERM": "xterm-256color"}
    )
    for other in (False, True):
        yield everything_at_once(folder, other=other)


# What is left behind --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Left:
    """What a command left behind: its status, and the SHA-256 of each document by name; and what it saw."""

    status: int
    documents: Mapping[str, str]
    seen: Mapping[str, object] = field(compare=False)


def left(around: Surroundings, arguments: Sequence[str], documents: Sequence[str], data: bytes = b"") -> Left:
    """Run a command in these surroundings, with `data` as its input, and see what it writes to these files."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CORES": str(around.cores), **around.environment}
    with tempfile.TemporaryDirectory() as folder:
        places = {name: Path(folder, name) for name in documents}
        done = subprocess.run(
            [sys.executable, *around.options, "-c", DRIVER, *(each.format_map(places) for each in arguments)],
            cwd=around.folder or ROOT,
            env=environment,
            umask=around.umask,
            input=data,
            check=False,
            capture_output=True,
        )
        found = {name: place.read_bytes() for name, place in places.items() if place.exists()}
    seen = json.loads(done.stderr.splitlines()[-1])
    return Left(done.returncode, {name: hashlib.sha256(each).hexdigest() for name, each in found.items()}, seen)


REPORTS: Final = [part for form in FORMATS for part in ("--report", f"{form}={{{form}}}")]


@dataclass(frozen=True)
class Job:
    """One command, and the status that it must end with."""

    arguments: Sequence[str]
    documents: Sequence[str]
    data: bytes = b""
    status: ExitCode = ExitCode.VERIFIED


def jobs(names: Sequence[str]) -> dict[str, Job]:
    """Derivations, and verifications of what they give: good, put wrong, undecided, and cut in the middle."""
    found = {}
    for name in names:
        bundle = _derived(name)
        found[f"derive {name}"] = Job(["derive", *DERIVATIONS[name], "-o", "{bundle}"], ["bundle"])
        found[f"verify {name}"] = _verification(bundle)
    bundle = _derived(names[0])
    found["verify what is refuted"] = _verification(_wrong(bundle), ExitCode.REFUTED)
    found["verify what is undecided"] = _verification(bundle, ExitCode.NOT_ESTABLISHED, "--budget", "1")
    found["verify what is malformed"] = _verification(bundle[: len(bundle) // 2], ExitCode.INPUT)
    return found


def _verification(data: bytes, status: ExitCode = ExitCode.VERIFIED, *options: str) -> Job:
    return Job(["verify", "-", "-o", "{stdout}", *REPORTS, *options], ["stdout", *FORMATS], data, status)


def _derived(name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "bundle")
        command = [sys.executable, "-m", "blueprint", "derive", *DERIVATIONS[name], "-o", str(place)]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        return place.read_bytes()


def _wrong(bundle: bytes) -> bytes:
    """One operation more in one task, and all digests made again."""
    draft = Draft(bundle)
    draft.entities(Stage.DISTRIBUTED, "tasks")[0]["work"]["operations"] += 1
    return draft.sealed()


def differences(plain: Mapping[str, Left], other: Mapping[str, Left]) -> Iterator[str]:
    """What is not the same, by the name of the command."""
    for name, ours in plain.items():
        theirs = other[name]
        if theirs.status != ours.status:
            yield f"{name}: status {theirs.status} and not {ours.status}"
        for document in sorted({*ours.documents, *theirs.documents}):
            if theirs.documents.get(document) != ours.documents.get(document):
                yield f"{name}: another {document}"


def main() -> int:
    """Run everything everywhere, and say what differs."""
    asked = jobs(tuple(DERIVATIONS))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        compiled_locales(folder)
        plain = everything_left(PLAIN, asked)
        wrong = [f"{name}: status {plain[name].status}" for name in asked if plain[name].status != asked[name].status]
        for around in one_thing_at_a_time(folder):
            found = everything_left(around, asked)
            odd = list(differences(plain, found))
            seen = next(iter(found.values())).seen
            _say(f"{'differs' if odd else 'same':<8} {around.name:<40} {json.dumps(seen)}")
            wrong += [f"{around.name}: {each}" for each in odd]
    for each in wrong:
        _say(each)
    return 1 if wrong else 0


def everything_left(around: Surroundings, asked: Mapping[str, Job]) -> dict[str, Left]:
    """What every command leaves behind in these surroundings."""
    return {name: left(around, job.arguments, job.documents, job.data) for name, job in asked.items()}


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
