"""A sample of the soak, and that the soak can fail: each fault that it looks for is put before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import Phase, given, settings

import blueprint
from blueprint.case import Case, Workload, all_cases, case_of, stage_cases
from blueprint.errors import GateError
from blueprint.exit import ExitCode
from blueprint.outcome import Outcome, Report, Status
from tests.soak import validity
from tests.soak.asks import BREACHES, EDGE, INSIDE, TIGHT, Ask, asks
from tests.soak.axes import AXES, starved, table, values_of
from tests.soak.validity import (
    CELLS,
    Cell,
    Judged,
    Refused,
    Tally,
    cells,
    effort,
    judged,
    outside,
    problems,
    tallied,
    unestablished,
)

SAMPLE, ROUND = 20, 8
"""Cases of the sample, with six requests each, and a round in which some are tight, some at the edge, some outside."""

DRAW = settings(max_examples=3, phases=[Phase.generate])

TRAINED, STEPPED = all_cases(Workload.TRAINING)[-1], stage_cases(Workload.INFERENCE)[-1]
"""Full recompute, sequence parallelism, t > 1, ZeRO 3 and biases; and a stage with t > 1, biases and two edges."""


@pytest.fixture(scope="module", autouse=True)
def sharing() -> Iterator[None]:
    """One worker and what it has answered."""
    with effort():
        yield


def drawn(case: Case, what: str = INSIDE) -> Ask:
    """One request of a case."""
    found: list[Ask] = []

    @DRAW
    @given(asks(case, what))
    def take(ask: Ask) -> None:
        found.append(ask)

    take()
    return found[-1]


def test_a_sample_of_the_domain_derives_and_verifies() -> None:
    found = tallied(ROUND, SAMPLE)
    assert found.faults == []
    assert len(found.verified) >= 110
    missing = {axis for axis, _ in starved(found.drawn)}
    assert missing <= {"model", "what", "case", "outside", "tensor degree", "pipeline degree", "data degree"}


@pytest.mark.parametrize("name", BREACHES)
def test_what_is_outside_is_refused_in_its_own_words(name: str, tmp_path: Path) -> None:
    for case in (TRAINED, STEPPED):
        if BREACHES[name].workload in {None, case.workload}:

            @DRAW
            @given(asks(case, name))
            def judge(ask: Ask) -> None:
                assert judged(ask, tmp_path) == Judged()

            judge()


def test_what_is_outside_and_not_refused_is_a_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A sharded checkpoint would change nothing in a derivation, so that nothing else refuses it."""
    monkeypatch.setattr("blueprint.frontend.request.check_domain", lambda _: None)
    monkeypatch.setattr("blueprint.derivation.check_domain", lambda _: None)
    monkeypatch.setattr("blueprint.examine.check_domain", lambda _: None)
    assert judged(drawn(TRAINED, "sharded checkpoint"), tmp_path) == Judged(fault="not refused")


def test_a_refusal_in_other_words_is_a_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(validity, "attempted", lambda *_: Refused(ExitCode.INPUT, "no"))
    assert judged(drawn(TRAINED, "layers"), tmp_path).fault == "refused in other words: no"


@pytest.mark.parametrize("status", [each for each in ExitCode if each is not ExitCode.VERIFIED])
def test_a_good_request_that_is_refused_is_a_fault(
    status: ExitCode, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(validity, "attempted", lambda *_: Refused(status, "so it is"))
    assert judged(drawn(TRAINED), tmp_path).fault == f"refused with status {int(status)}: so it is"


def _raises(error: Exception) -> Any:
    def run(*_: object, **_options: object) -> None:
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (GateError("no"), "refused with status 1: no"),
        (KeyError("no"), "refused with status 4: KeyError: 'no'"),
        (RecursionError("no"), "refused with status 4: RecursionError: no"),
    ],
)
@pytest.mark.parametrize("job", ["derive", "verify"])
def test_what_is_raised_is_a_fault(
    job: str, error: Exception, fault: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(blueprint, job, _raises(error))
    assert judged(drawn(STEPPED), tmp_path).fault == fault


def test_numbers_that_are_too_large_may_be_refused_and_in_no_other_way(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ask = drawn(TRAINED, EDGE)
    assert ask.wanted == {ExitCode.VERIFIED, ExitCode.INPUT}
    assert judged(ask, tmp_path).fault == ""
    huge = ask.changed(sequence=ask.options["tensor"] * 2**58)
    assert judged(huge, tmp_path) == Judged()
    monkeypatch.setattr(validity, "attempted", lambda *_: Refused(ExitCode.INTERNAL, "overflow"))
    assert judged(huge, tmp_path).fault == "refused with status 4: overflow"


@pytest.mark.parametrize("case", [TRAINED, STEPPED], ids=["training", "inference"])
def test_memory_is_tight_where_one_byte_less_is_refuted(
    case: Case, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ask = drawn(case, TIGHT).changed(target=None, emit=False, devices=None)
    assert judged(ask, tmp_path).fault == ""
    needed = validity.needed
    monkeypatch.setattr(validity, "needed", lambda report: needed(report) + 1)
    assert judged(ask, tmp_path).fault.startswith("not refuted in ")
    monkeypatch.setattr(validity, "needed", lambda report: needed(report) - 1)
    assert ", may be at most " in judged(ask, tmp_path).fault


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The report on a good bundle of all five stages."""
    folder = tmp_path_factory.mktemp("model")
    request = drawn(TRAINED).changed(target=None, emit=False, devices=None).request(folder)
    return blueprint.verify(blueprint.derive(request))


def test_a_good_report_is_established(report: Report) -> None:
    assert unestablished(report) == ""


@pytest.mark.parametrize("outcome", [each for each in Outcome if each is not Outcome.VERIFIED])
def test_another_verdict_is_not(outcome: Outcome, report: Report) -> None:
    assert unestablished(msgspec.structs.replace(report, verdict=outcome)).startswith(outcome.value)


def _last(report: Report, **fields: Any) -> Report:
    """The report with other fields of its last transition."""
    *first, last = report.transitions
    return msgspec.structs.replace(report, transitions=(*first, msgspec.structs.replace(last, **fields)))


@pytest.mark.parametrize("status", [each for each in Status if each is not Status.PROVED])
def test_a_claim_that_is_anything_but_proved_is_not(status: Status, report: Report) -> None:
    *first, relation = report.transitions[-1].relations
    *others, claim = relation.claims
    odd = msgspec.structs.replace(claim, status=status)
    relations = (*first, msgspec.structs.replace(relation, claims=(*others, odd)))
    assert unestablished(_last(report, relations=relations)) == f"{claim.kind} is {status.value} at  portable"


@pytest.mark.parametrize("status", [each for each in Status if each not in {Status.PROVED, Status.NOT_APPLICABLE}])
def test_nor_is_a_law(status: Status, report: Report) -> None:
    first, *others = report.transitions[-1].laws
    laws = (msgspec.structs.replace(first, status=status), *others)
    assert unestablished(_last(report, laws=laws)) == f"{first.id} is {status.value} at  portable"


def test_nothing_claimed_is_nothing_established(report: Report) -> None:
    relation = report.transitions[-1].relations[0]
    assert unestablished(_last(report, relations=())) == "nothing is claimed of  portable"
    without = msgspec.structs.replace(relation, claims=())
    assert unestablished(_last(report, relations=(without,))) == "nothing is claimed of  portable"


def test_every_case_and_every_breach_comes_up_in_a_whole_soak() -> None:
    rounds = validity.WANTED // (CELLS * validity.EACH)
    found = [cell for number in range(rounds) for cell in cells(number, CELLS)]
    assert {each.case for each in found if each.first} == {*all_cases(), *stage_cases()}
    assert {each.what for each in found} == {INSIDE, TIGHT, EDGE, *BREACHES}
    assert all(each.what in {INSIDE, TIGHT} if each.first else True for each in found)
    assert all(each.what in {INSIDE, TIGHT, *outside(each.case)} for each in found)
    assert Counter(each.what for each in found)[INSIDE] > 0.8 * len(found)


def test_the_simplest_request_of_a_case_is_drawn_once() -> None:
    new, old = Cell(TRAINED, INSIDE, first=True), Cell(TRAINED, INSIDE, first=False)
    first, again = validity.drawn(new, 1), validity.drawn(old, 2)
    assert len(first) == len(again) == validity.EACH
    assert first[0] == validity.drawn(new, 3)[0]
    assert first[0] not in again
    assert validity.drawn(old, 2) == again != validity.drawn(old, 3)


def test_a_request_falls_into_the_case_that_it_is_drawn_for(tmp_path: Path) -> None:
    """But for the edges of a stage: at the ends of a pipeline it has one, and is counted with those that have two."""
    for case in (TRAINED, STEPPED, *stage_cases()[::29], *all_cases()[::13]):
        found = case_of(drawn(case).request(tmp_path))
        text = case.stage_text if case.stack else case.text
        assert (found.stage_text if case.stack else found.text) == text


def test_where_a_request_lies_is_a_value_that_counts_or_one_more_degree() -> None:
    for case in (TRAINED, STEPPED, *all_cases()[::13]):
        others = {axis for axis, value in values_of(drawn(case)) if value not in AXES[axis]}
        assert others <= {"tensor degree", "pipeline degree"}


def test_a_soak_that_starves_a_value_or_finds_a_fault_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    every = Counter({(axis, value): 1 for axis, values in AXES.items() for value in values})
    assert problems(Tally(drawn=every)) == []
    for tally, line in (
        (Tally(drawn=every - Counter({("target", "slot"): 1})), "never drawn: target, slot"),
        (Tally(drawn=every, faults=["refuted"]), "refuted"),
    ):
        monkeypatch.setattr(validity, "soaked", lambda *_, found=tally: found)
        assert validity.main([]) == 1
        assert capsys.readouterr().out.splitlines() == [*table(tally.drawn), line]
    monkeypatch.setattr(validity, "soaked", lambda *_: Tally(drawn=every))
    assert validity.main([]) == 0


@pytest.mark.parametrize("workers", [1, 3])
def test_a_soak_goes_on_until_as_many_are_verified(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every round finds two requests, of which the next finds one again."""

    def round_of(number: int) -> Tally:
        return Tally(verified={str(number), str(number + 1)}, refused=1, faults=[f"in {number}"])

    monkeypatch.setattr(validity, "ProcessPoolExecutor", lambda count, **_: ThreadPoolExecutor(count))
    monkeypatch.setattr(validity, "tallied", round_of)
    said: list[str] = []
    found = validity.soaked(6, 5, workers, said.append)
    rounds = range(5, 5 + (5 if workers == 1 else 6))
    assert found.verified == {str(number) for number in range(5, rounds[-1] + 2)}
    assert (found.refused, found.faults) == (len(rounds), [f"in {number}" for number in rounds])
    assert len(said) == len(rounds) // workers
    assert said[-1].startswith(f"{len(found.verified)} verified, {len(rounds)} refused, {len(rounds)} faults; ")
