"""Measure Blueprint against its floors: `make bench`.

Every figure is a ratio or a count whose two sides come from this one run. The two commands of a ratio take turns, so
that a busy moment hits both. The exit status is always 0: a measurement informs, the tests judge.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from blueprint.discharge import SolverPool, discharge
from blueprint.term import Const, Term, Var, at_most, equal, product
from blueprint.verdict import Obligation, Verdict

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.bench import explorer_page, large
from tests.bench.layouts import measured
from tests.browser.chromium import NoChromiumError

RUNS = 7
VERIFY_RATIO = 3.0
HELP_RATIO = 2.0
MEMORY_MIB = 400.0
LARGE_MIB = 1500.0
LARGE_RATIO = 10.0
SLOPE = 1.1
READY_SECONDS = 1.5
TASK_SECONDS = 0.2
ELEMENTS = 8000
GROUND_RATE = 500.0
UNIVERSAL_RATE = 100.0
GROUND_COUNT = 2000
UNIVERSAL_COUNT = 400
BUDGET = 10_000_000
LAYOUTS = (1_000, 10_000, 100_000)
LAYOUT_SECONDS = 1.0
GROWTH = 12.6
"""Ten to the power 1.1: linear, as far as a measurement can tell."""

ROOT = Path(__file__).resolve().parents[2]
BLUEPRINT = (sys.executable, "-m", "blueprint")
DEMO = (
    "derive training --model gpt3-175b --tensor 8 --pipeline 8 --data 8 --microbatch 1 --sequence 2048 "
    "--dtype bfloat16 --recompute selective --communication sequence-parallel"
).split()
IMPORTS = (sys.executable, "-c", "import z3, sympy, msgspec, typer")
IMPORT_TYPER = (sys.executable, "-c", "import typer")


class Row(NamedTuple):
    """One line of the table; `met` is None where there is no target or no measurement."""

    measure: str
    value: str
    target: str = ""
    met: bool | None = None


class NotMeasuredError(Exception):
    """A measurement could not be made; the text says why."""


def _check(command: Sequence[str]) -> None:
    """Run `command` once and refuse to time something that fails."""
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
        raise NotMeasuredError(f"{' '.join(command[1:4])} ... exits with {done.returncode}: {last}")


def _seconds(command: Sequence[str]) -> float:
    """The wall time of one run of `command`."""
    start = time.perf_counter()
    subprocess.run(
        command, cwd=ROOT, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    return time.perf_counter() - start


def _medians(one: Sequence[str], other: Sequence[str]) -> tuple[float, float]:
    """The median wall times of two commands that take turns, after one unmeasured run of each."""
    _check(one)
    _check(other)
    pairs = [(_seconds(one), _seconds(other)) for _ in range(RUNS)]
    return statistics.median(pair[0] for pair in pairs), statistics.median(pair[1] for pair in pairs)


def _tree(root: int) -> set[int]:
    """The process `root` and all its descendants, read from /proc."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            # The name in parentheses may hold anything; the parent's id is the second field after it.
            parent = int((entry / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            continue  # it ended meanwhile
        children.setdefault(parent, []).append(int(entry.name))
    found, open_ids = set[int](), [root]
    while open_ids:
        current = open_ids.pop()
        found.add(current)
        open_ids.extend(children.get(current, []))
    return found


def _kib(process: int, file: str, field: str) -> int:
    """A memory field of a process in KiB, 0 once it has ended."""
    try:
        for line in Path(f"/proc/{process}/{file}").read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def _peaks(command: Sequence[str]) -> tuple[float, float]:
    """Peak memory in MiB of `command` with its workers: shared pages counted once (PSS), then in each process (RSS)."""
    if not Path("/proc/self/smaps_rollup").exists():
        raise NotMeasuredError("this system has no /proc with smaps_rollup")
    shared, resident = 0, 0
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while process.poll() is None:
        tree = _tree(process.pid)
        shared = max(shared, sum(_kib(one, "smaps_rollup", "Pss") for one in tree))
        resident = max(resident, sum(_kib(one, "status", "VmRSS") for one in tree))
        time.sleep(0.005)
    return shared / 1024, resident / 1024


def _verify_rows(bundle: Path) -> list[Row]:
    """Whole-process `verify` against the imports alone, and its memory."""
    _check([*BLUEPRINT, *DEMO, "-o", str(bundle)])
    verify = [*BLUEPRINT, "verify", str(bundle)]
    ours, floor = _medians(verify, IMPORTS)
    shared, resident = _peaks(verify)
    return [
        Row("verify, whole process", f"{ours:.3f} s"),
        Row("import z3, sympy, msgspec, typer", f"{floor:.3f} s"),
        Row("  ratio", f"{ours / floor:.2f}", f"<= {VERIFY_RATIO:g}", ours <= VERIFY_RATIO * floor),
        Row("verify with workers, peak memory", f"{shared:.0f} MiB", f"< {MEMORY_MIB:g} MiB", shared < MEMORY_MIB),
        Row("  shared pages counted in each process", f"{resident:.0f} MiB"),
    ]


def _help_rows() -> list[Row]:
    """`--help` against importing typer alone."""
    ours, floor = _medians([*BLUEPRINT, "--help"], IMPORT_TYPER)
    return [
        Row("--help, whole process", f"{ours:.3f} s"),
        Row("import typer", f"{floor:.3f} s"),
        Row("  ratio", f"{ours / floor:.2f}", f"< {HELP_RATIO:g}", ours < HELP_RATIO * floor),
    ]


def _ground(number: int) -> Obligation:
    """One instance of a work law, every variable fixed."""
    values = {"B": 1, "S": 2048, "H": 12288, "t": 8, "W": 6 * (number + 1) * 2048 * 12288**2 // 8}
    fixed = tuple(equal(Var(name), Const(value)) for name, value in values.items())
    law = equal(product(Var("W"), Var("t")), _work(number))
    return Obligation(hypotheses=fixed, goal=(law,), witness=values, ground=True)


def _universal(number: int) -> Obligation:
    """The same law for all values: per-rank work times the degree is the whole work, whatever its coefficient."""
    names = ("B", "S", "H", "t")
    hypotheses = (*(at_most(Const(1), Var(name)) for name in names), equal(product(Var("W"), Var("t")), _work(number)))
    goal = equal(product(Const(2), Var("t"), Var("W")), product(Const(2), _work(number)))
    witness = dict.fromkeys(names, 1) | {"W": 6 * (number + 1)}
    return Obligation(hypotheses=hypotheses, goal=(goal,), witness=witness, ground=False)


def _work(number: int) -> Term:
    """6 n B S H^2; the numbered coefficient keeps two questions from being one."""
    return product(Const(6 * (number + 1)), Var("B"), Var("S"), Var("H"), Var("H"))


def _rate_row(label: str, make: Callable[[int], Obligation], count: int, target: float) -> Row:
    """Distinct obligations decided per second and core by both deciders, the workers warm."""
    cores = os.cpu_count() or 1
    obligations = [make(number) for number in range(count)]
    with SolverPool(cores) as pool:
        # Universal questions go out one by one, so that each worker gets its share and has loaded Z3 before the clock.
        discharge([_universal(count + number) for number in range(4 * cores)], pool, BUDGET)
        start = time.perf_counter()
        evidence = discharge(obligations, pool, BUDGET)
        seconds = time.perf_counter() - start
    if wrong := sum(one.verdict is not Verdict.PROVED for one in evidence):
        raise NotMeasuredError(f"{wrong} of {count} are not proved")
    rate = count / seconds / cores
    return Row(f"{label} obligations per second and core", f"{rate:.0f}", f">= {target:g}", rate >= target)


def _layout_rows() -> list[Row]:
    """Verifying a layout against its number of buffers; ten times as many may take a little more than ten times."""
    rows, last = [], 0.0
    for count in LAYOUTS:
        found = measured(count, os.cpu_count() or 1)
        if not found.proved:
            raise NotMeasuredError(f"a layout of {count} buffers is not verified")
        label = f"verify a layout of {count:,} buffers"
        if not last:
            rows.append(
                Row(label, f"{found.verifying:.2f} s", f"< {LAYOUT_SECONDS:g} s", found.verifying < LAYOUT_SECONDS)
            )
        else:
            growth = found.verifying / last
            rows.append(Row(label, f"{found.verifying:.2f} s"))
            rows.append(Row("  times that of a tenth", f"{growth:.1f}", f"<= {GROWTH:g}", growth <= GROWTH))
        last = found.verifying
    return rows


def _large_rows(folder: Path) -> list[Row]:
    """The largest bundle: its verification, how that grows, and its page, of which the verification is a part."""
    try:
        found = large.measured(folder / "large.bundle.json", folder / "large.html")
    except subprocess.CalledProcessError as error:
        raise NotMeasuredError(f"a command exits with {error.returncode}") from error
    slopes = large.growth(folder, folder / "large.bundle.json", found.verify)
    page = found.explore.processor - found.verify.processor
    ratio = found.verify.processor / found.floor
    return [
        Row("a large bundle, size", f"{found.bundle / 2**20:.1f} MiB"),
        Row("  decode, encode and SHA-256 alone", f"{found.floor:.2f} s"),
        Row("  verify, all processors", f"{found.verify.processor:.1f} s"),
        Row("  ratio", f"{ratio:.1f}", f"<= {LARGE_RATIO:g}", ratio <= LARGE_RATIO),
        _peak_row("  verify, peak memory", found.verify.peak),
        Row("  slope of time from 1 MiB on", f"{slopes.seconds:.2f}", f"<= {SLOPE:g}", slopes.seconds <= SLOPE),
        Row("  slope of memory from 1 MiB on", f"{slopes.peak:.2f}", f"<= {SLOPE:g}", slopes.peak <= SLOPE),
        Row("its page, size", f"{found.page / 2**20:.1f} MiB"),
        Row("  explore, all processors", f"{found.explore.processor:.1f} s"),
        Row("  the page's part of it", f"{page:.1f} s"),
        _peak_row("  explore, peak memory", found.explore.peak),
        *_measure("open the page", lambda: _page_rows(folder / "large.html")),
    ]


def _peak_row(label: str, peak: float) -> Row:
    return Row(label, f"{peak:.0f} MiB", f"< {LARGE_MIB:g} MiB", peak < LARGE_MIB)


def _page_rows(page: Path) -> list[Row]:
    """The page in a browser, view by view."""
    try:
        found = explorer_page.measured(page)
    except NoChromiumError as error:
        raise NotMeasuredError(str(error)) from error
    return [row for opened in found for row in _opened_rows(opened)]


def _opened_rows(opened: explorer_page.Opened) -> list[Row]:
    """One view of the page in a browser."""
    return [
        Row(
            f"open the page, {opened.view}",
            f"{opened.ready:.2f} s",
            f"< {READY_SECONDS:g} s",
            opened.ready < READY_SECONDS,
        ),
        Row("  longest task", f"{opened.task:.2f} s", f"< {TASK_SECONDS:g} s", opened.task < TASK_SECONDS),
        Row("  heap", f"{opened.heap:.0f} MiB"),
        Row("  elements", f"{opened.elements:,}", f"< {ELEMENTS:,}", opened.elements < ELEMENTS),
    ]


def _measure(label: str, rows: Callable[[], list[Row]]) -> list[Row]:
    """The rows of one measurement, or one row that says why there are none."""
    try:
        return rows()
    except NotMeasuredError as error:
        return [Row(label, f"not measured: {error}")]


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder) / "demo.bundle.json"
        table = [
            *_measure("verify", lambda: _verify_rows(bundle)),
            *_measure("--help", _help_rows),
            *_measure("ground", lambda: [_rate_row("ground", _ground, GROUND_COUNT, GROUND_RATE)]),
            *_measure("layout", _layout_rows),
            *_measure("a large bundle", lambda: _large_rows(Path(folder))),
            *_measure("universal", lambda: [_rate_row("universal", _universal, UNIVERSAL_COUNT, UNIVERSAL_RATE)]),
        ]
    print(f"medians of {RUNS} runs, {os.cpu_count()} cores, Python {sys.version.split()[0]}\n")
    for row in table:
        verdict = "" if row.met is None else "met" if row.met else "NOT MET"
        print(f"{row.measure:<42}{row.value:>12}  {row.target:<10}{verdict}".rstrip())


if __name__ == "__main__":
    main()
