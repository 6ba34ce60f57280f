"""Mutate the source of the trusted core, and see whether the tests notice: `make mutate-core`.

Each mutant is planted in a copy of the checkout, and the tests that are responsible for its module (RESPONSIBLE) run
until one fails, in a fork of a process that has loaded the libraries and nothing of Blueprint. What became of it:

- killed: a test failed;
- timed out: the tests did not end within their limits, which are some times what they take on the unmutated sources;
- stillborn: the module, or one of Blueprint that imports it, does not load. Nobody could run such a mutant, so it is no
  evidence for the tests, and does not count;
- equivalent: listed with a proof in EQUIVALENT; one that is listed and dies makes the run fail;
- survived: the tests pass. What that changes, and why nothing false becomes true by it, stands in EXPLAINED; a survivor
  of all tests without an explanation makes the run fail, and so does an explanation of a mutant that dies.

All are put to the quick tests first, and then the survivors to the slower ones: as many of them as there is time for.

The score is those killed or timed out among all that are neither stillborn nor equivalent; of the survivors that were
put to quick tests alone as large a share is taken to be noticed as of those that were put to all. In a sum over
modules, each weighs as much as it has mutants, so that a run over a part of them estimates the whole.

Each module's mutants are taken in an order that is random and always the same, and each module has its share of the
time: a run that is stopped, or limited, still gives an estimate for each. What it found stays in
build/mutation-core.json, by the mutated text, and a later run goes on from there; where a module's tests have changed,
its survivors are asked again.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import gc
import hashlib
import importlib
import json
import math
import os
import random
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import pytest

from tests.mutation.core_equivalent import EQUIVALENT
from tests.mutation.core_explained import EXPLAINED
from tests.mutation.responsible import RESPONSIBLE, Tests
from tests.mutation.source import LEFT_OUT, Mutant, mutants
from tests.tools.trusted_lines import CORE

ROOT: Final = Path(__file__).resolve().parents[2]
TABLE: Final = Path("build", "mutation-core.json")
CONTROL: Final = Path("build", "mutation-core.control.json")
TARGET: Final = 0.95

COPIED: Final = ("blueprint", "rules", "proofs", "tests", "docs", "pyproject.toml", "README.md", "Makefile")
LIBRARIES: Final = ("sympy", "z3", "typer", "rich.console", "hypothesis", "jsonschema", "_pytest.pytester")
"""What tests load besides Blueprint: loaded once."""

PATIENCE: Final = 4
"""Tests may take so many times what they take on the unmutated sources, and a little more."""
START_SECONDS: Final = 20
IDLE: Final = 4
"""How many times as long a run may take by the clock as its processor may: others may be at work beside it."""
LIKELY: Final = 6
"""How many tests are asked before all others."""
SAVE_SECONDS: Final = 20
"""A run that is stopped loses no more than what it found in so much time."""
MEMORY_BYTES: Final = 6 * 2**30

CRITICAL: Final = tuple(
    "obligation normalform exact smtlib solver worker discharge verdict facts instances matching transition chunks "
    "examine gate codec bundle".split()
)
"""Modules in which a slip makes a false thing true at once; they come first."""


class Row(msgspec.Struct, frozen=True):
    """What became of one mutant, and by which test; `tests` is the digest of the tests that were asked.

    `whole` is whether the slower tests were asked, too, now or before.
    """

    id: str
    module: str
    place: str
    operator: str
    before: str
    after: str
    fate: str
    by: str
    seconds: float
    tests: str
    proof: str = ""
    whole: bool = False

    @property
    def key(self) -> tuple[str, str, str]:
        """What names the mutant in the list of equivalent ones."""
        return self.place.partition(":")[0], self.before, self.after


class Outcome(NamedTuple):
    """How a run of tests ended: passed, failed, stillborn or late; the test that failed; all seconds, and each's."""

    fate: str
    by: str
    seconds: float
    taken: dict[str, float]


# Which mutants --------------------------------------------------------------------------------------------------------


def files_of(root: Path, module: str) -> list[Path]:
    """The files of a module of the trusted core, or of all modules below it."""
    single, folder = root / "blueprint" / f"{module}.py", root / "blueprint" / module
    return [single] if single.is_file() else sorted(folder.rglob("*.py"))


def all_mutants(
    root: Path, modules: Iterable[str], changed: Mapping[str, set[int]] | None = None
) -> dict[str, list[Mutant]]:
    """The mutants of each module, or those of changed lines alone."""
    found: dict[str, list[Mutant]] = {}
    for module in modules:
        found[module] = []
        for file in files_of(root, module):
            path = file.relative_to(root).as_posix()
            if changed is None or path in changed:
                made = mutants(path, file.read_text(encoding="utf-8"))
                found[module] += [each for each in made if changed is None or each.line in changed[path]]
    return found


def shuffled(found: Mapping[str, list[Mutant]]) -> dict[str, list[Mutant]]:
    """Each module's mutants in a random order that is always the same; critical modules first."""
    order = {module: list(found[module]) for module in sorted(found, key=lambda name: (name not in CRITICAL, name))}
    for module, made in order.items():
        random.Random(f"{module} 20261130").shuffle(made)  # noqa: S311 -- a sample, no secret
    return order


def changed_lines(root: Path, since: str) -> dict[str, set[int]]:
    """The lines of each file of the package that are new or changed since a commit, as git says."""
    command = ("git", "diff", "--unified=0", "--no-color", since, "--", "blueprint")
    text = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    lines: dict[str, set[int]] = {}
    path = ""
    for line in text.splitlines():
        if line.startswith("+++ "):
            path = line.removeprefix("+++ ").removeprefix("b/")
        elif line.startswith("@@ "):
            start, _, count = line.split()[2].removeprefix("+").partition(",")
            lines.setdefault(path, set()).update(range(int(start), int(start) + int(count or 1)))
    return lines


def test_files(base: Path, selection: str) -> list[Path]:
    """The files in which a selection of tests stands."""
    path = base / selection.partition("::")[0]
    return sorted(path.rglob("test_*.py")) if path.is_dir() else [path]


def tests_digest(base: Path, tests: Sequence[str]) -> str:
    """One digest of the responsible tests."""
    files = dict.fromkeys(file for each in tests for file in test_files(base, each))
    return digest_of(files, "\n".join(tests))


def digest_of(files: Iterable[Path], words: str = "") -> str:
    """One digest of words and of files."""
    found = hashlib.sha256(words.encode())
    for file in files:
        found.update(_content(file, file.stat().st_mtime_ns))
    return found.hexdigest()[:16]


@functools.cache
def _content(file: Path, _: int) -> bytes:
    return hashlib.sha256(file.read_bytes()).digest()


# One mutant -----------------------------------------------------------------------------------------------------------


class _First:
    """Runs the quick tests of each file first; remembers the first that fails, and what could not be collected."""

    def __init__(self, pace: dict[str, float]) -> None:
        self.pace = pace
        self.taken: dict[str, float] = {}
        self.failed = ""
        self.uncollected = ""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        files = {path: place for place, path in enumerate(dict.fromkeys(item.path for item in items))}
        items.sort(key=lambda item: (files[item.path], self._step(self.pace.get(item.nodeid, 0.0))))

    def _step(self, seconds: float) -> int:
        """Coarse, so that tests which share a fixture stay together."""
        return sum(seconds > bound for bound in (0.03, 0.3, 1.0))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.taken[report.nodeid] = self.taken.get(report.nodeid, 0.0) + report.duration
        if report.failed:
            self.failed = self.failed or report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.uncollected = self.uncollected or report.nodeid


def _is_of(name: str, selection: str) -> bool:
    """Whether a test is of a selection: a folder, a file, or a function."""
    return name.startswith(selection) and name[len(selection) :][:1] in {"", "/", ":", "["}


class Bench:
    """A copy of the checkout in which mutants are planted, and the process whose forks run the tests."""

    def __init__(self, folder: Path, root: Path = ROOT, copied: Sequence[str] = COPIED) -> None:
        self.base = folder
        self.store = root / CONTROL
        self.passed: dict[str, str] = {}
        self.pace: dict[str, float] = {}
        if self.store.is_file():
            self.passed, self.pace = json.loads(self.store.read_text(encoding="utf-8"))
        for name in copied:
            whole = root / name
            if whole.is_dir():
                shutil.copytree(whole, folder / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
            else:
                shutil.copy2(whole, folder / name)
        every = {*folder.rglob("*.py"), *folder.rglob("*.json")} - {*(folder / "tests" / "mutation").rglob("*.py")}
        self.sources = sorted(file for file in every if not file.name.startswith("test_"))
        for name in LIBRARIES:
            importlib.import_module(name)
        gc.freeze()

    def control(self, tests: Sequence[str]) -> float:
        """The seconds that the tests take on the unmutated sources; those are run that have not been run before.

        Raises SystemExit where they fail: no kill would mean anything.
        """
        new = [each for each in tests if self.passed.get(each) != self.state(each)]
        if new:
            outcome = self.run("", new, math.inf, keep=True)
            if outcome.fate != "passed":
                raise SystemExit(f"the unmutated sources: {outcome.fate} by {outcome.by} of {' '.join(new)}")
            # A test that is no longer there must not be asked for.
            kept = {name: taken for name, taken in self.pace.items() if not any(_is_of(name, each) for each in new)}
            self.pace = kept | outcome.taken
            self.passed |= {each: self.state(each) for each in new}
            self.store.parent.mkdir(exist_ok=True)
            self.store.write_text(json.dumps([self.passed, self.pace]), encoding="utf-8")
        return sum(taken for name, taken in self.pace.items() if any(_is_of(name, each) for each in tests))

    def state(self, selection: str) -> str:
        """One digest of everything that the outcome of a selection of tests depends on."""
        return digest_of((*self.sources, *test_files(self.base, selection)))

    def attempt(self, mutant: Mutant, tests: Sequence[str], limit: float) -> Outcome:
        """Plant a mutant, run the tests on it, and mend the source."""
        module = mutant.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        path = self.base / mutant.path
        sound, status = path.read_bytes(), path.stat()
        path.write_text(mutant.text, encoding="utf-8")
        # A compiled form is told from an old one by time and size; the sound one fits again afterwards.
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 10**10))
        try:
            return self.run(module, tests, limit)
        finally:
            path.write_bytes(sound)
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    def run(self, module: str, tests: Sequence[str], limit: float, *, keep: bool = False) -> Outcome:
        """Run tests in a fork, which is killed after so many seconds of the processor, or after some times as many."""
        start = time.monotonic()
        reader, writer = os.pipe()
        process = os.fork()
        if process == 0:
            try:
                os.setsid()
                os.close(reader)
                answer = self._inside(module, tests, limit, keep=keep)
                with os.fdopen(writer, "wb") as outgoing:
                    outgoing.write(json.dumps(answer).encode())
            finally:
                os._exit(0)
        os.close(writer)
        data = b""
        with os.fdopen(reader, "rb") as incoming:
            wait = None if limit == math.inf else IDLE * limit
            if select.select([incoming], [], [], wait)[0]:
                data = incoming.read()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process, signal.SIGKILL)
        os.waitpid(process, 0)
        fate, by, taken = json.loads(data) if data else ("late", f"more than {limit:.0f} s", {})
        return Outcome(fate, by, time.monotonic() - start, taken)

    def _inside(
        self, module: str, tests: Sequence[str], limit: float, *, keep: bool
    ) -> tuple[str, str, dict[str, float]]:
        """In the fork: load the module, run the tests, and say how it went."""
        if limit != math.inf:
            # Soft ones: a worker process that lowers its own would else stay below them, which a test would see.
            seconds = int(time.process_time() + limit) + 1
            for kind, most in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, MEMORY_BYTES)):
                resource.setrlimit(kind, (most, resource.getrlimit(kind)[1]))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silence, stream)
        os.chdir(self.base)
        for name in [each for each in sys.modules if each.partition(".")[0] in {"blueprint", "tests", "rules"}]:
            del sys.modules[name]
        sys.path[:] = [str(self.base), *(each for each in sys.path if each and Path(each) != ROOT)]
        sys.dont_write_bytecode = not keep
        os.environ["PYTHONPATH"] = str(self.base)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        if not keep:
            os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        if module:
            try:
                importlib.import_module(module)
            except BaseException as error:  # noqa: BLE001 -- whatever it is, the module does not load
                return "stillborn", type(error).__name__, {}
        first = _First(self.pace)
        # That libraries are loaded already is the point.
        options = ("-x", "-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")
        status = pytest.main([*options, "--rootdir", str(self.base), *tests], plugins=[first])
        if status == pytest.ExitCode.OK:
            return "passed", "", first.taken if keep else {}
        if first.failed:
            return "failed", first.failed, {}
        try:
            importlib.import_module("blueprint.cli")
        except BaseException as error:  # noqa: BLE001 -- whatever it is, something that uses the module does not load
            return "stillborn", type(error).__name__, {}
        return "failed", f"collection: {first.uncollected or int(status)}", {}


# The run --------------------------------------------------------------------------------------------------------------


def judged(module: str, mutant: Mutant, outcome: Outcome, tests: str) -> Row:
    """The row of one mutant; a listed equivalence must not be killed."""
    proof = EQUIVALENT.get(mutant.key, "")
    fate = {"passed": "survived", "failed": "killed", "late": "timed out"}.get(outcome.fate, outcome.fate)
    if proof:
        fate = {"survived": "equivalent", "stillborn": "stillborn"}.get(fate, "wrongly listed")
    place = f"{mutant.path}:{mutant.line}"
    return Row(
        mutant.id, module, place, mutant.operator, mutant.before, mutant.after, fate, outcome.by,
        round(outcome.seconds, 2), tests, proof,
    )  # fmt: skip


def relisted(row: Row) -> Row:
    """A recorded survivor under the list as it stands now."""
    if row.fate not in {"survived", "equivalent"}:
        return row
    proof = EQUIVALENT.get(row.key, "")
    return msgspec.structs.replace(row, fate="equivalent" if proof else "survived", proof=proof)


class Run:
    """One run over chosen mutants, which keeps what was found."""

    def __init__(self, bench: Bench, table: Path, responsible: Mapping[str, Tests]) -> None:
        self.bench, self.table, self.responsible = bench, table, responsible
        self.known: dict[str, Row] = {}
        if table.is_file():
            self.known = {row.id: row for row in msgspec.json.decode(table.read_bytes(), type=list[Row])}
        self.digests = {
            module: (tests_digest(bench.base, tests.quick), tests_digest(bench.base, (*tests.quick, *tests.more)))
            for module, tests in responsible.items()
        }

    def is_known(self, module: str, mutant: Mutant, *, thorough: bool) -> bool:
        """Whether a mutant has been asked about and nothing has changed since that could change its row."""
        row = self.known.get(mutant.id)
        if row is None or row.fate in {"killed", "stillborn"}:
            return row is not None
        return row.tests in self.digests[module][thorough:]

    def row(self, module: str, mutant: Mutant, *, thorough: bool) -> Row:
        """The row of one mutant, asked for where it is not known."""
        if not self.is_known(module, mutant, thorough=thorough):
            tests = self.responsible[module].more if thorough else self.responsible[module].quick
            self.bench.control(tests)
            outcome = Outcome("passed", "", 0.0, {})
            for selection in (self.likely(mutant, tests), tests):
                if selection and outcome.fate == "passed":
                    limit = PATIENCE * self.bench.control(selection) + START_SECONDS
                    outcome = self.bench.attempt(mutant, selection, limit)
            made = judged(module, mutant, outcome, self.digests[module][thorough])
            # One that has survived all and now survives the quick ones again is no new one: else the share would rise.
            again = mutant.id in self.known and self.known[mutant.id].whole and made.fate == "survived"
            self.known[mutant.id] = msgspec.structs.replace(made, whole=thorough or again)
        return relisted(self.known[mutant.id])

    def likely(self, mutant: Mutant, tests: Sequence[str]) -> tuple[str, ...]:
        """Those of the tests that killed the nearest mutants of the same file: asked first, they save most runs."""
        distance: dict[str, int] = {}
        for row in self.known.values():
            path, _, line = row.place.partition(":")
            if path == mutant.path and row.by in self.bench.pace and any(_is_of(row.by, each) for each in tests):
                distance[row.by] = min(abs(int(line) - mutant.line), distance.get(row.by, mutant.line + int(line)))
        return tuple(sorted(distance, key=distance.__getitem__)[:LIKELY])

    def forget(self, existing: set[str]) -> None:
        """Drop what is known of mutants that no longer exist."""
        self.known = {key: row for key, row in self.known.items() if key in existing}

    def save(self) -> None:
        """Write what is known."""
        self.table.parent.mkdir(exist_ok=True)
        unfinished = self.table.with_suffix(".new")
        unfinished.write_bytes(msgspec.json.format(msgspec.json.encode(list(self.known.values())), indent=1) + b"\n")
        unfinished.replace(self.table)

    def examine(
        self, chosen: Mapping[str, Sequence[Mutant]], most: float, seconds: float, say: Callable[[str], None]
    ) -> list[Row]:
        """The rows of the chosen mutants: of those that are known, and of as many others as number and time allow.

        All are put to the quick tests first, and then the survivors to the others. The next is of the module on which
        least time has gone, so that each has its share.
        """
        start = saved = time.monotonic()
        rows: dict[str, Row] = {}
        for thorough in (False, True):
            waiting: dict[str, list[Mutant]] = {}
            for module, made in chosen.items():
                asked = [each for each in made if not thorough or rows.get(each.id, _NONE).fate == "survived"]
                known = [each for each in asked if self.is_known(module, each, thorough=thorough)]
                # Where the time does not suffice to ask again, what was found before stands.
                rows |= {each.id: relisted(self.known[each.id]) for each in asked if each.id in self.known}
                # Taken from the end: those first of which something is known, but not under these tests.
                rest = [each for each in reversed(asked) if each not in known]
                waiting[module] = sorted(rest, key=lambda each: each.id in self.known)
            spent = dict.fromkeys((module for module, made in waiting.items() if made), 0.0)
            while spent and time.monotonic() - start < seconds:
                module = min(spent, key=spent.__getitem__)
                mutant, before = waiting[module].pop(), time.monotonic()
                if not thorough and mutant.id not in self.known and len(rows) >= most:
                    del spent[module]
                    continue
                row = rows[mutant.id] = self.row(module, mutant, thorough=thorough)
                spent[module] += time.monotonic() - before
                if not waiting[module]:
                    del spent[module]
                say(f"{len(rows)} {row.seconds:.1f} s {row.fate}: {row.place} {row.operator} {row.by}")
                if time.monotonic() - saved > SAVE_SECONDS:
                    self.save()
                    saved = time.monotonic()
        self.save()
        return list(rows.values())


_NONE: Final = Row("", "", "", "", "", "", "", "", 0.0, "")


def score(rows: Iterable[Row]) -> float:
    """Those that the tests notice among those that they could notice; 1 where there are none.

    Survivors of the quick tests that were put to no others count by the share of those that were.
    """
    fates = Counter((row.fate, row.whole) for row in rows)
    late = fates["killed", True] + fates["timed out", True]
    missed = fates["survived", True] + fates["wrongly listed", True] + fates["wrongly listed", False]
    quick = fates["killed", False] + fates["timed out", False]
    waiting = fates["survived", False]
    noticed = quick + late + (waiting * late / (late + missed) if late + missed else 0)
    counted = quick + late + missed + waiting
    return noticed / counted if counted else 1.0


def estimate(rows: Sequence[Row], sizes: Mapping[str, int]) -> float:
    """The score over several modules, each weighing as much as it has mutants, however many of them were asked."""
    asked = {module: [row for row in rows if row.module == module] for module in sizes}
    weights = {module: sizes[module] for module in sizes if asked[module]}
    return sum(weights[module] * score(asked[module]) for module in weights) / max(sum(weights.values()), 1)


def table(rows: Sequence[Row], sizes: dict[str, int]) -> Iterator[str]:
    """Every survivor, then a line for each module and for the two sums; `sizes` is how many mutants each module has."""
    for fate in ("equivalent", "survived", "wrongly listed"):
        found = sorted((row for row in rows if row.fate == fate), key=lambda row: (row.module, row.place))
        if found:
            yield f"\n{fate}: {len(found)}\n"
        for row in found:
            yield f"{row.place} ({row.operator})\n    {row.before}\n -> {row.after}"
            if row.proof:
                yield f"    proof: {row.proof}"
            elif row.key in EXPLAINED:
                yield f"    {EXPLAINED[row.key]}"
    heads = ("mutants", "asked", "killed", "timed out", "stillborn", "equivalent", "survivors", "of all", "score")
    yield ""
    yield f"{'module':<22}{''.join(f'{head:>11}' for head in heads)}"
    for module, size in sizes.items():
        yield _count_line(module, rows, {module: size})
    yield _count_line("core", rows, {module: count for module, count in sizes.items() if module in CORE})
    yield _count_line("core with structures", rows, sizes)
    yield ""
    yield from (f"left out: {each}" for each in LEFT_OUT)


def _count_line(name: str, every: Sequence[Row], sizes: Mapping[str, int]) -> str:
    rows = [row for row in every if row.module in sizes]
    fates = Counter(row.fate for row in rows)
    survivors = fates["survived"] + fates["wrongly listed"]
    final = survivors - sum(row.fate == "survived" and not row.whole for row in rows)
    told = (fates["killed"], fates["timed out"], fates["stillborn"], fates["equivalent"], survivors, final)
    counts = (sum(sizes.values()), len(rows), *told)
    # Of a module of which nothing has been asked nothing is known.
    share = f"{100 * estimate(rows, sizes):.1f}%" if rows else "-"
    return f"{name:<22}{''.join(f'{count:>11}' for count in counts)}{share:>11}"


def problems(rows: Sequence[Row], sizes: Mapping[str, int], stale: Iterable[tuple[str, str, str]] = ()) -> list[str]:
    """Why the run fails, if it does."""
    found = [
        f"listed as equivalent, but killed by {row.by}: {row.place}" for row in rows if row.fate == "wrongly listed"
    ]
    found += [f"listed as equivalent or explained, but no mutant: {' '.join(key)}" for key in stale]
    surviving = {row.key for row in rows if row.fate == "survived"}
    dead = {row.key: row for row in rows if row.fate in {"killed", "timed out"} and row.key in EXPLAINED}
    found += [f"explained, but killed by {dead[key].by}: {dead[key].place}" for key in dead.keys() - surviving]
    unexplained = [row for row in rows if row.fate == "survived" and row.whole and row.key not in EXPLAINED]
    found += [f"survived all tests, and is not explained: {row.place} {row.after}" for row in unexplained]
    noticed = estimate(rows, sizes) if rows else 1.0
    if noticed < TARGET:
        found.append(f"{100 * noticed:.1f} % of the mutants are noticed; at least {100 * TARGET:.0f} % should be")
    return found


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="mutate-core", description="Mutate the source of the trusted core.")
    parser.add_argument("modules", nargs="*", help="names of modules; all without one")
    parser.add_argument("--changed", metavar="COMMIT", help="only lines that have changed since this commit")
    parser.add_argument("--most", type=float, default=math.inf, metavar="N", help="at most so many mutants")
    parser.add_argument("--minutes", type=float, default=math.inf, help="ask for nothing new after so many minutes")
    return parser.parse_args(words)


def main(
    words: Sequence[str],
    root: Path = ROOT,
    responsible: Mapping[str, Tests] = RESPONSIBLE,
    copied: Sequence[str] = COPIED,
) -> int:
    """Run the mutants that are asked for, and print the table."""
    arguments = _arguments(words)
    whole = not (arguments.modules or arguments.changed)
    modules = tuple(each for each in responsible if not arguments.modules or each in arguments.modules)
    with tempfile.TemporaryDirectory(prefix="mutation-core-") as folder:
        bench = Bench(Path(folder), root, copied)
        changed = changed_lines(root, arguments.changed) if arguments.changed else None
        found = all_mutants(bench.base, modules, changed)
        run = Run(bench, root / TABLE, responsible)
        if whole:
            run.forget({each.id for made in found.values() for each in made})
        rows = run.examine(shuffled(found), arguments.most, arguments.minutes * 60, _say)
    stale = (
        {*EQUIVALENT, *EXPLAINED} - {each.key for made in found.values() for each in made}
        if whole and root == ROOT
        else set()
    )
    sizes = {module: len(made) for module, made in found.items()}
    bad = problems(rows, sizes, sorted(stale))
    for line in (*table(rows, sizes), *bad):
        sys.stdout.write(f"{line}\n")
    return 1 if bad else 0


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
