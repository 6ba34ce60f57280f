"""No false alarms: whatever is drawn from the laws' domain derives and verifies. `make soak`.

Every request goes the way of `derive` and then of `verify`. What runs in one process shares solver workers, evidence of
equal obligations, and the rules, read once; nothing but the clock can tell the difference. What is put outside the
domain must be refused with its own status and in its own words, and nothing may end in an error of Blueprint's own.

    python -m tests.soak.validity            # until 10,000 different requests are verified
    python -m tests.soak.validity 500 3      # until 500 are, from the third round of draws on

WORKERS=n runs n rounds beside each other. A round draws the same requests wherever and whenever it runs.
"""

from __future__ import annotations

import functools
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import count, islice
from multiprocessing import get_context
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

import blueprint
from blueprint.case import Case, Workload, all_cases, stage_cases
from blueprint.errors import BlueprintError
from blueprint.exit import ExitCode, exit_of, exit_of_error
from blueprint.frontend.block import request_digest
from blueprint.ir.common import INT64_MAX
from blueprint.outcome import Report, Status
from blueprint.session import open_rulebook
from tests.bundles.conftest import Memory, lasting_pool, shared
from tests.soak.asks import BREACHES, EDGE, INSIDE, ROOMY, TIGHT, Ask, asks
from tests.soak.axes import Value, starved, table, values_of

WANTED = 10_000
"""Different requests to be verified."""

CELLS, EACH = 40, 6
"""A round takes so many cases, and of each so many requests; they share what was answered."""

TIGHTER, OUTSIDE, EDGES = 0.04, 0.15, 4
"""How often memory is tight, and how often requests outside are drawn too; this many of them stand at the edge."""

TRAINING, INFERENCE = Workload.TRAINING, Workload.INFERENCE


def _shuffled(cases: Sequence[Case]) -> list[Case]:
    return random.Random(len(cases)).sample(cases, len(cases))  # noqa: S311 -- no secret


BLOCKS, STAGES = _shuffled(all_cases(TRAINING)), _shuffled(stage_cases(TRAINING))

CASES: Final = (
    BLOCKS,
    STAGES,
    _shuffled(all_cases(INFERENCE)),
    BLOCKS[::-1],
    _shuffled(stage_cases(INFERENCE)),
)
"""Kinds of cases, in turns: blocks in training twice, which are cheap and many."""


# One request ----------------------------------------------------------------------------------------------------------


class Verified(NamedTuple):
    """A request that was derived: its digest, and the report on its bundle."""

    request: str
    report: Report


class Refused(NamedTuple):
    """The status and the words with which a request was refused."""

    status: ExitCode
    words: str


class Judged(NamedTuple):
    """The digest of a request that was verified, else empty; and what is wrong, if anything is."""

    verified: str = ""
    fault: str = ""


def judged(ask: Ask, folder: Path) -> Judged:
    """Ask, and judge what comes. The folder holds the model's file meanwhile."""
    memory = BREACHES[ask.breach].memory if ask.breach else None
    found = attempted(ask, folder, INT64_MAX if ask.memory == ROOMY else memory)
    fault = _refusal(ask, found) if isinstance(found, Refused) else _report(ask, found.report)
    if fault or isinstance(found, Refused):
        return Judged(fault=fault)
    if ask.memory == TIGHT:
        fault = _tight(ask, folder, found.report)
    return Judged(found.request, fault)


def attempted(ask: Ask, folder: Path, memory: int | None) -> Verified | Refused:
    """Derive and verify, as the two commands do."""
    try:
        request = ask.request(folder, memory)
        return Verified(request_digest(request), blueprint.verify(blueprint.derive(request)))
    except BlueprintError as error:
        return Refused(exit_of_error(error), error.diagnostics())
    except Exception as error:  # noqa: BLE001 -- that there is none is what is asked
        return Refused(ExitCode.INTERNAL, f"{type(error).__name__}: {error}")


def _refusal(ask: Ask, refused: Refused) -> str:
    if refused.status not in ask.wanted:
        return f"refused with status {int(refused.status)}: {refused.words}"
    return "" if ask.says in refused.words else f"refused in other words: {refused.words}"


def _report(ask: Ask, report: Report) -> str:
    if ExitCode.VERIFIED not in ask.wanted:
        return "not refused"
    return unestablished(report)


def unestablished(report: Report) -> str:
    """What of a report is not established; empty where all of it is."""
    if exit_of(report.verdict) is not ExitCode.VERIFIED:
        first = "".join(f": {each.code}, {each.message} ({each.path})" for each in report.diagnostics[:1])
        return f"{report.verdict.value}{first}"
    for transition in report.transitions:
        where = f"{transition.branch} {transition.target}"
        relations, laws = transition.relations, transition.laws
        if not relations or not all(each.claims for each in relations):
            return f"nothing is claimed of {where}"
        odd = [(claim.kind, claim.status) for each in relations for claim in each.claims]
        odd += [(law.id, law.status) for law in laws if law.status is not Status.NOT_APPLICABLE]
        for name, status in odd:
            if status is not Status.PROVED:
                return f"{name} is {status.value} at {where}"
    return ""


def needed(report: Report) -> int:
    """The bytes that every device must have: for what a rank holds, and for the buffers where they are laid out."""
    subject = report.subject
    return max(int(each) for each in (*(row.total for row in subject.memory), *(row.extent for row in subject.bound)))


def _tight(ask: Ask, folder: Path, report: Report) -> str:
    """The same in as much memory as it needs, and with one byte less."""
    least = needed(report)
    enough = attempted(ask, folder, least)
    fault = enough.words if isinstance(enough, Refused) else unestablished(enough.report)
    if fault:
        return f"in {least} bytes: {fault}"
    less = attempted(ask, folder, least - 1) if least > 1 else Refused(ExitCode.REFUTED, "")
    refuted = isinstance(less, Refused) and less.status is ExitCode.REFUTED
    return "" if refuted else f"not refuted in {least - 1} bytes, one less than it needs"


# Rounds ---------------------------------------------------------------------------------------------------------------


class Tally(msgspec.Struct):
    """What became of many requests: digests of those verified, how many were refused as they must be, and faults."""

    verified: set[str] = msgspec.field(default_factory=set)
    refused: int = 0
    drawn: Counter[Value] = msgspec.field(default_factory=Counter)
    faults: list[str] = msgspec.field(default_factory=list)

    def take(self, ask: Ask, found: Judged) -> None:
        """Count one more."""
        if found.fault:
            self.faults.append(f"{found.fault}\n  {ask}")
        elif found.verified:
            self.verified.add(found.verified)
            self.drawn.update(values_of(ask))
        else:
            self.refused += 1
            self.drawn.update(values_of(ask) if ask.breach else ())

    def add(self, other: Tally) -> None:
        """Count those of another too."""
        self.verified |= other.verified
        self.refused += other.refused
        self.drawn.update(other.drawn)
        self.faults += other.faults


class Cell(NamedTuple):
    """A case and what is drawn of it, and whether that comes for the first time."""

    case: Case
    what: str
    first: bool


def cells(number: int, size: int) -> Iterator[Cell]:
    """What one round draws from: so many cases in the domain, of each kind as many, and some once more outside it.

    Hypothesis likes to draw again what it has drawn, so that what must not be starved is given to it.
    """
    chance = random.Random(number)  # noqa: S311 -- no secret
    for position in range(number * size, (number + 1) * size):
        turn, place = divmod(position, len(CASES))
        case = CASES[place][turn % len(CASES[place])]
        yield Cell(case, TIGHT if chance.random() < TIGHTER else INSIDE, turn < len(CASES[place]))
        if chance.random() < OUTSIDE:
            yield Cell(case, chance.choice(outside(case)), first=False)


def outside(case: Case) -> list[str]:
    """What puts a request of a case outside the domain or to its edge, as often as it is to be drawn."""
    return [EDGE] * EDGES + [name for name, each in BREACHES.items() if each.workload in {None, case.workload}]


def tallied(number: int, size: int = CELLS) -> Tally:
    """One round: its requests, judged."""
    found = Tally()
    with effort(), tempfile.TemporaryDirectory() as folder:
        for position, cell in enumerate(cells(number, size)):
            for ask in drawn(cell, 1000 * number + position):
                found.take(ask, judged(ask, Path(folder)))
    return found


def drawn(cell: Cell, start: int) -> list[Ask]:
    """Requests of one cell. Hypothesis draws the simplest first, which would be the same again another time."""
    asked: list[Ask] = []
    simplest = 0 if cell.first else 1

    @seed(start)
    @settings(
        max_examples=simplest + EACH,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(asks(cell.case, cell.what))
    def take(ask: Ask) -> None:
        asked.append(ask)

    take()
    return asked[simplest:]


@contextmanager
def effort() -> Iterator[None]:
    """One solver worker for all that runs here, what it has answered, and the rules, read once."""
    rulebook = functools.cache(open_rulebook)
    with lasting_pool(1) as pool, shared(pool, Memory()), pytest.MonkeyPatch.context() as patch:
        patch.setattr("blueprint.derivation.SolverPool", lambda _: pool)
        for module in ("derivation", "examine"):
            patch.setattr(f"blueprint.{module}.open_rulebook", rulebook)
        yield


def soaked(wanted: int, first: int, workers: int, say: Callable[[str], None]) -> Tally:
    """Rounds from the first on, until so many requests are verified."""
    found, started, numbers = Tally(), time.monotonic(), count(first)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as lanes:
        while len(found.verified) < wanted:
            for tally in lanes.map(tallied, islice(numbers, workers)):
                found.add(tally)
            say(progress(found, time.monotonic() - started))
    return found


def progress(found: Tally, seconds: float) -> str:
    """How far a soak is."""
    rate = len(found.verified) / seconds
    counts = f"{len(found.verified)} verified, {found.refused} refused, {len(found.faults)} faults"
    return f"{counts}; {seconds:.0f} s, {rate:.2f} verified a second"


def problems(found: Tally) -> list[str]:
    """Why a soak is not passed."""
    missing = [f"never drawn: {axis}, {value}" for axis, value in starved(found.drawn)]
    return [*found.faults, *missing]


def main(arguments: Sequence[str]) -> int:
    """Soak, and print the table. The arguments are how many are wanted, and the number of the first round."""
    wanted, first = (int(each) for each in (*arguments, *(str(WANTED), "0")[len(arguments) :]))
    found = soaked(wanted, first, int(os.environ.get("WORKERS", "1")), _say)
    for line in (*table(found.drawn), *problems(found)):
        _say(line)
    return 1 if problems(found) else 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
