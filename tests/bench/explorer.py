"""A bundle near the limit of 50 MiB, and what its page costs: time and memory of `explore` beside those of `verify`."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]

LARGE: Final = (
    "derive training --model gpt3-175b --tensor 8 --data 8 --microbatch 1 --sequence 2048 --scope stack"
    " --recompute selective --communication sequence-parallel --target queue --emit"
).split()
"""All 96 blocks of GPT-3 175B in one pipeline stage, bound to queues and emitted: 49.9 MiB."""

_PEAK: Final = """
import resource, runpy, sys
sys.argv[:] = ["blueprint", *sys.argv[1:]]
try:
    runpy.run_module("blueprint", run_name="__main__")
finally:
    print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


class Cost(NamedTuple):
    """Of one command: seconds of processor time with its workers, seconds on the clock, MiB of its own peak."""

    processor: float
    clock: float
    peak: float


class Explored(NamedTuple):
    """What the large bundle and its page cost."""

    bundle: int
    page: int
    verify: Cost
    explore: Cost


def make_bundle(path: Path) -> None:
    """Derive the large bundle, unless it is there already. Raises CalledProcessError where that fails."""
    if not path.exists():
        subprocess.run([sys.executable, "-m", "blueprint", "--quiet", *LARGE, "-o", str(path)], cwd=ROOT, check=True)


def measured(bundle: Path, page: Path) -> Explored:
    """Verify the bundle and write its page, each in a process of its own."""
    make_bundle(bundle)
    verify = _cost("verify", str(bundle), "-o", str(page.with_suffix(".txt")))
    explore = _cost("explore", str(bundle), "-o", str(page))
    return Explored(bundle.stat().st_size, page.stat().st_size, verify, explore)


def _cost(*arguments: str) -> Cost:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    )
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    peak = next(line for line in reversed(done.stderr.splitlines()) if line.startswith("peak "))
    return Cost(processor, clock, int(peak.split()[1]) / 1024)
