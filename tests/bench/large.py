"""Large bundles: what it costs to verify them, how that grows, and what a page of the largest costs beside it."""

from __future__ import annotations

import math
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]

DERIVE: Final = (
    "derive training --model gpt3-175b --tensor 8 --data 8 --microbatch 1 --sequence 2048 --scope stack"
    " --recompute selective --communication sequence-parallel --target queue --emit"
).split()
"""Blocks of GPT-3 175B, bound to queues and emitted."""

PIPELINES: Final = (48, 24, 12, 4)
"""Stages of the model of which smaller bundles hold one: 2, 4, 8 and 24 blocks. The large one has all 96: 49.9 MiB."""

_FLOOR: Final = """
import hashlib, sys, time
from blueprint.bundle import Bundle
from blueprint.codec import encode
import msgspec
with open(sys.argv[1], "rb") as file:
    data = file.read()
decoder, start = msgspec.json.Decoder(Bundle), time.process_time()
hashlib.sha256(encode(decoder.decode(data))).hexdigest()
print(time.process_time() - start)
"""

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
    floor: float
    verify: Cost
    explore: Cost


class Growth(NamedTuple):
    """Slopes of processor seconds and of memory against bytes, both logarithmic: 1 is linear."""

    seconds: float
    peak: float


def make_bundle(path: Path, pipeline: int = 1) -> None:
    """Derive a bundle of one of so many stages, unless it is there. Raises CalledProcessError where that fails."""
    if not path.exists():
        command = [sys.executable, "-m", "blueprint", "--quiet", *DERIVE, "--pipeline", str(pipeline), "-o", str(path)]
        subprocess.run(command, cwd=ROOT, check=True)


def growth(folder: Path, largest: Path, cost: Cost) -> Growth:
    """How the cost of verifying grows from some mebibyte to the largest bundle, whose cost is known."""
    found = [(largest.stat().st_size, cost)]
    for pipeline in PIPELINES:
        bundle = folder / f"{pipeline}.bundle.json"
        make_bundle(bundle, pipeline)
        found.append((bundle.stat().st_size, _cost("verify", str(bundle), "-o", str(folder / "report.txt"))))
    sizes = [math.log(size) for size, _ in found]
    seconds = [math.log(each.processor) for _, each in found]
    peaks = [math.log(each.peak) for _, each in found]
    return Growth(*(statistics.linear_regression(sizes, each).slope for each in (seconds, peaks)))


def measured(bundle: Path, page: Path) -> Explored:
    """Verify the bundle and write its page, each in a process of its own."""
    make_bundle(bundle)
    floor = subprocess.run(
        [sys.executable, "-c", _FLOOR, str(bundle)], cwd=ROOT, check=True, capture_output=True, text=True
    )
    verify = _cost("verify", str(bundle), "-o", str(page.with_suffix(".txt")))
    explore = _cost("explore", str(bundle), "-o", str(page))
    return Explored(bundle.stat().st_size, page.stat().st_size, float(floor.stdout), verify, explore)


def _cost(*arguments: str) -> Cost:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    )
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    peak = next(line for line in reversed(done.stderr.splitlines()) if line.startswith("peak "))
    return Cost(processor, clock, int(peak.split()[1]) / 1024)
