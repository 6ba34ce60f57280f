"""Time and memory of hostile input against their targets: `make hostile`.

Malformed bytes are refused within five seconds and a gibibyte. A false bundle costs no more than a good one of its
size: the largest good bundle is measured in the same run, and a smaller false one may cost as much. The exit status is
1 where a target is missed. Seconds are those of the processor, workers included; memory is the largest process's.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from blueprint.bundle import read_bundle
from blueprint.derivation import derive
from blueprint.errors import InputError
from blueprint.exit import ExitCode
from blueprint.frontend.models import builtin
from blueprint.frontend.request import training_request
from blueprint.ir.request import Communication, Recompute, Scope, TargetKind
from tests.hostile import good, malformed, wellformed
from tests.hostile.running import GIBIBYTE, Run, blueprint

SECONDS: Final = 5.0
PEAK: Final = 1024.0
COUNT: Final = 40_000
"""Of what a kind multiplies: most bundles then have tens of mebibytes."""

MEBIBYTE: Final = 2**20


class Row(NamedTuple):
    """One input and what it cost."""

    name: str
    size: float
    run: Run
    met: bool

    def line(self) -> str:
        cost = f"{self.size:8.1f} MiB  exit {self.run.code}  {self.run.seconds:7.1f} s {self.run.peak:8.0f} MiB"
        return f"{self.name:<50}{cost}  {'met' if self.met else 'NOT MET'}"


def large_good() -> bytes:
    """Half of GPT-3 175B: 48 blocks with all five stages."""
    request = training_request(
        builtin("gpt3-175b"),
        sequence=2048,
        tensor=8,
        pipeline=2,
        data=8,
        recompute=Recompute.SELECTIVE,
        communication=Communication.SEQUENCE_PARALLEL,
        scope=Scope.STACK,
        target=TargetKind.QUEUE,
        emit=True,
    )
    return derive(request)


def measured(path: Path, data: bytes, memory: int = 0) -> Run:
    """Verify bytes with one worker."""
    path.write_bytes(data)
    return blueprint("-q", "verify", path, "--jobs", "1", memory=memory)


def malformed_rows(path: Path) -> Iterator[Row]:
    for name, make in malformed.LARGE.items():
        data = make(good.bundle())
        run = measured(path, data, GIBIBYTE)
        met = run.code == ExitCode.INPUT and run.seconds <= SECONDS and run.peak <= PEAK
        yield Row(name, len(data) / MEBIBYTE, run, met)


def wellformed_rows(path: Path) -> Iterator[Row]:
    data = large_good()
    base = measured(path, data)
    size = len(data) / MEBIBYTE
    yield Row("a good bundle", size, base, base.code == ExitCode.VERIFIED)
    for name in wellformed.KINDS:
        data = wellformed.built(name, good.bundle(), COUNT)
        run = measured(path, data)
        times = max(1.0, len(data) / MEBIBYTE / size)
        cheap = run.seconds <= times * base.seconds and run.peak <= times * base.peak
        yield Row(name, len(data) / MEBIBYTE, run, cheap and run.code == ExitCode.REFUTED)


def refused(data: bytes) -> bool:
    """Whether bytes are refused as they should be."""
    try:
        read_bundle(data)
    except InputError:
        return True
    return False


def main() -> int:
    """Print the table."""
    base = malformed.thin(good.bundle())
    missed = 0
    for name, generator in malformed.KINDS.items():
        samples = list(generator(base))
        wrong = [each.name for each in samples if not refused(each.data)]
        missed += len(wrong)
        print(f"{name:<50}{len(samples):8} samples, {len(wrong)} not refused {wrong[:3] or ''}".rstrip(), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for rows in (malformed_rows, wellformed_rows):
            for row in rows(Path(folder) / "bundle.json"):
                missed += not row.met
                print(row.line(), flush=True)
    print(f"{missed} targets missed")
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main())
