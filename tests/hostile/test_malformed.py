"""Malformed bytes of every kind: refused with one clear line, quickly, within a gibibyte, and nothing is run."""

from __future__ import annotations

import os
import string
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from blueprint import cli
from blueprint.bundle import read_bundle
from blueprint.exit import ExitCode
from blueprint.outcome import Outcome
from blueprint.verification import verify
from tests.hostile import good, malformed
from tests.hostile.malformed import KINDS, LARGE, Sample
from tests.hostile.running import GIBIBYTE, blueprint

PRINTABLE = set(string.printable) - set("\t\n\r\x0b\x0c")

DRAWN = 250
"""Samples of a kind that are tried here; `make hostile` tries them all."""

SECONDS = 60
"""Processor time after which a run is killed; the target is five, and `make hostile` measures it."""

RUNNING = ("z3", "sympy", "blueprint.discharge", "blueprint.worker", "blueprint.examine", "blueprint.passes")
"""Modules without which nothing of a bundle can be run."""


@pytest.fixture(scope="module")
def base() -> bytes:
    """What is put wrong here: it decodes, with a structure of every kind."""
    thin = malformed.thin(good.bundle())
    read_bundle(thin)
    return thin


def drawn(samples: Iterator[Sample]) -> list[Sample]:
    """Evenly out of all of a kind."""
    every = list(samples)
    return list(islice(every, 0, None, -(-len(every) // DRAWN)))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_refused_in_one_clear_line(kind: str, base: bytes) -> None:
    tried = 0
    for sample in drawn(KINDS[kind](base)):
        assert sample.data != base, sample.name
        report = verify(sample.data, jobs=1)
        assert report.verdict is Outcome.MALFORMED, sample.name
        (finding,) = report.diagnostics
        assert finding.code.startswith("codec."), sample.name
        assert finding.message, sample.name
        for text in (finding.code, finding.message, finding.path):
            assert set(text) <= PRINTABLE, sample.name
            assert len(text) <= 400, sample.name
        tried += 1
    assert tried


def test_the_kinds_are_many(base: bytes) -> None:
    assert len(KINDS) >= 20
    assert sum(1 for generator in KINDS.values() for _ in generator(base)) > 20_000


def test_the_place_of_a_fault_is_named(base: bytes) -> None:
    for path, written, shown in (
        (
            ("stages", 1, "snapshot", "tasks", 0, "work", "operations"),
            b"1.0",
            "$.stages[1].snapshot.tasks[0].work.operations",
        ),
        (("request", "strategy", "tensor"), b"65537", "$.request.strategy.tensor"),
        (("overlays", 0, "entries", 0, "entity"), '"t\u0430sk"'.encode(), "$.overlays[0].entries[0].entity"),
    ):
        (finding,) = verify(malformed.with_value(base, path, written), jobs=1).diagnostics
        assert finding.path == shown


@pytest.fixture(scope="module")
def samples(base: bytes, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """One file of every kind."""
    folder = tmp_path_factory.mktemp("malformed")
    found = []
    for number, generator in enumerate(KINDS.values()):
        path = folder / f"{number:02d}.json"
        path.write_bytes(drawn(generator(base))[-1].data)
        found.append(path)
    return found


@pytest.mark.parametrize("python", [(), ("-O",), ("-O", "-b")], ids=" ".join)
def test_nothing_is_run_for_bytes_that_do_not_decode(samples: list[Path], python: tuple[str, ...]) -> None:
    run = blueprint("verify", *samples, memory=GIBIBYTE, seconds=SECONDS, python=("-X", "importtime", *python))
    assert run.code == ExitCode.INPUT
    assert run.out.count("codec.") >= len(samples)
    imported = {line.rpartition("|")[2].strip() for line in run.said.splitlines() if line.startswith("import time:")}
    assert "msgspec" in imported
    assert not [name for name in imported for running in RUNNING if name == running or name.startswith(f"{running}.")]


def test_what_is_imported_for_a_good_bundle_would_be_noticed(tmp_path: Path) -> None:
    path = tmp_path / "good.json"
    path.write_bytes(good.bundle())
    run = blueprint("verify", path, python=("-X", "importtime"))
    assert run.code == ExitCode.VERIFIED
    imported = {line.rpartition("|")[2].strip() for line in run.said.splitlines() if line.startswith("import time:")}
    assert {"sympy", "blueprint.discharge", "blueprint.examine"} <= imported


@pytest.mark.parametrize("name", LARGE)
def test_large_inputs_are_refused_within_a_gibibyte(name: str, tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    path.write_bytes(LARGE[name](good.bundle()))
    run = blueprint("-q", "verify", path, memory=GIBIBYTE, seconds=SECONDS)
    assert (run.code, run.said) == (ExitCode.INPUT, "")
    assert "codec." in run.out
    assert max(map(len, run.out.splitlines())) <= 600


@pytest.mark.parametrize("name", ["more than is read", "one number", "opening brackets alone"])
def test_standard_input_has_the_same_limits(name: str) -> None:
    run = blueprint("-q", "verify", "-", stdin=LARGE[name](good.bundle()), memory=GIBIBYTE, seconds=SECONDS)
    assert (run.code, run.said) == (ExitCode.INPUT, "")
    assert "codec." in run.out


def test_standard_input_without_an_end_is_read_up_to_the_limit() -> None:
    with Path("/dev/zero").open("rb") as endless:
        run = blueprint("-q", "verify", "-", stdin=endless.fileno(), memory=GIBIBYTE, seconds=SECONDS)
    assert (run.code, run.said) == (ExitCode.INPUT, "")
    assert "codec.limit" in run.out


def test_files_that_are_none_are_refused_at_once(tmp_path: Path) -> None:
    fifo, loop, itself, nowhere = (
        tmp_path / name for name in ("fifo.json", "loop.json", "itself.json", "nowhere.json")
    )
    os.mkfifo(fifo)
    loop.symlink_to(itself)
    itself.symlink_to(loop)
    nowhere.symlink_to(tmp_path / "missing")
    sparse = tmp_path / "sparse.json"
    with sparse.open("wb") as stream:
        stream.truncate(2**40)
    names: list[str | Path] = [
        fifo,
        loop,
        nowhere,
        sparse,
        "/dev/zero",
        "/dev/full",
        "/proc/self/mem",
        tmp_path / ("x" * 300),
        tmp_path / "\x1bc\u202e",
    ]
    for name in names:
        run = blueprint("-q", "verify", name, memory=GIBIBYTE, seconds=SECONDS)
        assert run.code == ExitCode.INPUT, name
        assert "input" in run.out or "codec.limit" in run.out, name
        assert set(run.out + run.said) <= PRINTABLE | {"\n"}, name


def test_a_refused_bundle_leaves_nothing_behind(base: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = malformed.with_value(base, ("request", "model", "name"), b"\"__import__('os').mkdir('x')\" ")
    (tmp_path / "bundle.json").write_bytes(code)
    assert cli.run(("-q", "verify", "bundle.json", "-o", "report.txt")) == ExitCode.INPUT
    assert sorted(each.name for each in tmp_path.iterdir()) == ["bundle.json", "report.txt"]
