"""What is concluded from what deciders say, and how questions are put to a pool, without a solver."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable

import msgspec
import pytest

from blueprint import discharge, exact, normalform, smtlib
from blueprint.discharge import BRIEF_BUDGET, GROUND_BATCH, Evidence, SolverPool
from blueprint.errors import DecidersDisagreeError, UsageError
from blueprint.settings import MAX_BUDGET
from blueprint.term import Comparison, Const, Product, Sum, Var, at_most, equal, less
from blueprint.verdict import Answer, Obligation, Verdict
from blueprint.worker import PROCESSOR_SECONDS, Batch

PROVED, REFUTED, UNKNOWN, VACUOUS = Verdict.PROVED, Verdict.REFUTED, Verdict.UNKNOWN, Verdict.VACUOUS
A, B = Var("a"), Var("b")
BUDGET = 1_000_000


class Said(SolverPool):
    """A pool that says what it is told of each question, and remembers what it is asked."""

    def __init__(self, *answers: Answer) -> None:
        super().__init__(1)
        self.told = itertools.cycle(answers)
        self.batches: list[Batch] = []

    def solve(self, batches: Iterable[Batch]) -> list[Answer]:
        self.batches += (asked := list(batches))
        return [next(self.told) for batch in asked for _ in batch.questions]


def universal(goal: Comparison, *hypotheses: Comparison, **witness: int) -> Obligation:
    return Obligation(hypotheses, (goal,), witness, ground=False)


def ground(value: int, name: str = "a") -> Obligation:
    """True for 3."""
    variable = Var(name)
    return Obligation((equal(variable, Const(3)),), (equal(variable, Const(value)),), {name: 3}, ground=True)


TRUE = universal(equal(Sum((A, B)), Sum((B, A))), a=1, b=1)
FALSE = universal(equal(A, B), a=1, b=1)
BOUND = universal(at_most(A, Sum((A, B))), at_most(Const(1), B), a=1, b=1)
FREE = Obligation((), (equal(A, A),), {"a": 1}, ground=True)
UNBOUND = universal(less(A, Const(10**6)), a=1)


def answer(verdict: Verdict, **model: int) -> Answer:
    return Answer(verdict, "stub", "why not" if verdict is UNKNOWN else "", model=model, core=(4,), resource=5)


def one(obligation: Obligation, said: Answer, cross: Verdict | None = None) -> Evidence:
    check = None if cross is None else lambda _: cross
    (found,) = discharge.discharge([obligation], Said(said), BUDGET, check)
    return found


@pytest.mark.parametrize(
    ("obligation", "said", "cross", "verdict", "reason"),
    [
        (TRUE, answer(PROVED), None, PROVED, ""),
        (TRUE, answer(UNKNOWN), None, UNKNOWN, "why not"),
        (TRUE, answer(UNKNOWN), PROVED, UNKNOWN, "why not"),
        (TRUE, answer(PROVED), UNKNOWN, PROVED, ""),
        (TRUE, answer(VACUOUS), None, UNKNOWN, ""),
        (FALSE, answer(REFUTED, v0=1, v1=2), None, REFUTED, ""),
        (FALSE, answer(UNKNOWN), None, REFUTED, ""),
        (BOUND, answer(PROVED), None, UNKNOWN, "no second decider"),
        (BOUND, answer(PROVED), UNKNOWN, UNKNOWN, "no second decider"),
        (BOUND, answer(PROVED), PROVED, PROVED, ""),
        (BOUND, answer(UNKNOWN), PROVED, UNKNOWN, "why not"),
        (UNBOUND, answer(REFUTED, v0=10**6), None, REFUTED, ""),
        (UNBOUND, answer(REFUTED, v0=10**6 - 1), None, UNKNOWN, "counterexample does not re-evaluate"),
        (UNBOUND, answer(REFUTED), None, UNKNOWN, "counterexample does not re-evaluate"),
        (ground(3), answer(PROVED), None, PROVED, ""),
        (ground(4), answer(REFUTED, v0=3), None, REFUTED, ""),
        (ground(4), answer(UNKNOWN), None, REFUTED, ""),
        (ground(3), answer(UNKNOWN), PROVED, UNKNOWN, "why not"),
        (FREE, answer(PROVED), PROVED, UNKNOWN, "no second decider"),
    ],
)
def test_only_two_that_both_say_so_prove_and_only_a_point_refutes(
    obligation: Obligation, said: Answer, cross: Verdict | None, verdict: Verdict, reason: str
) -> None:
    found = one(obligation, said, cross)
    assert (found.verdict, found.reason) == (verdict, reason)
    assert (found.decider, found.said, found.cross, found.resource) == ("stub", said.verdict, cross, 5)
    assert found.core == (4,)
    assert exact.refutes(obligation, found.counterexample) is (verdict is REFUTED)
    assert found.second == (exact.decide(obligation) if obligation.ground else normalform.decide(obligation))


@pytest.mark.parametrize(
    ("obligation", "said", "cross"),
    [
        (TRUE, REFUTED, None), (FALSE, PROVED, None), (ground(3), REFUTED, None), (ground(4), PROVED, None),
        (BOUND, PROVED, REFUTED), (UNBOUND, REFUTED, PROVED), (TRUE, PROVED, REFUTED), (TRUE, UNKNOWN, REFUTED),
        (FALSE, UNKNOWN, PROVED),
    ],
)  # fmt: skip
def test_two_that_contradict_each_other_stop_everything(
    obligation: Obligation, said: Verdict, cross: Verdict | None
) -> None:
    (form, _) = smtlib.numbered(obligation) if obligation.ground else (obligation, ())
    with pytest.raises(DecidersDisagreeError, match=smtlib.render(form).digest):
        one(obligation, answer(said, v0=1), cross)


def test_contradictory_hypotheses_are_vacuous_whatever_is_said() -> None:
    never = Obligation((equal(A, Const(1)), equal(A, Const(2))), (equal(A, Const(1)),), {}, ground=True)
    for said in (PROVED, UNKNOWN):
        found = one(never, answer(said))
        assert (found.verdict, found.reason, found.counterexample) == (VACUOUS, "two values for one variable", {})


@pytest.mark.parametrize(
    ("said", "verdict", "reason"),
    [
        (PROVED, VACUOUS, "contradictory hypotheses"),
        (REFUTED, UNKNOWN, "no witness"),
        (UNKNOWN, UNKNOWN, "no witness"),
    ],
)
def test_without_a_witness_only_the_hypotheses_are_asked_about(said: Verdict, verdict: Verdict, reason: str) -> None:
    alone = universal(equal(A, A), less(A, Const(0)), less(B, A), a=1, b=1)
    pool = Said(answer(said, v0=-1))
    crossed: list[str] = []

    def cross(text: str) -> Verdict:
        crossed.append(text)
        return PROVED

    (found,) = discharge.discharge([alone], pool, BUDGET, cross)
    assert (found.verdict, found.reason, found.counterexample, found.cross) == (verdict, reason, {}, None)
    assert crossed == []
    assert pool.batches[0].questions[0].text == smtlib.render_premises(alone).text
    # The digest is that of the question itself.
    assert found.digest == smtlib.render(alone).digest


def test_the_point_of_z3_is_read_in_the_question_s_names_and_completed_by_the_witness() -> None:
    apart = universal(less(A, Const(10**6)), equal(Var("c"), Const(7)), a=1, c=7)
    found = one(apart, answer(REFUTED, v0=10**7))
    assert (found.verdict, found.counterexample) == (REFUTED, {"a": 10**7, "c": 7})
    # What the answer names and the question does not is nothing.
    assert one(apart, answer(REFUTED, v0=10**7, v1=5)).counterexample == {"a": 10**7, "c": 7}


def test_the_small_point_of_the_second_decider_comes_first() -> None:
    found = one(FALSE, answer(REFUTED, v0=100, v1=200))
    assert found.counterexample == found.second.model
    assert found.counterexample != {"a": 100, "b": 200}


def test_a_universal_question_is_asked_alone_and_ground_ones_together_longest_first() -> None:
    longer = universal(equal(Product((A, Sum((A, B)))), Product((Sum((B, A)), A))), a=1, b=1)
    numbers = [
        Obligation((equal(A, Const(n)),), (equal(A, Const(n)),), {}, ground=True) for n in range(GROUND_BATCH + 1)
    ]
    pool = Said(answer(PROVED))
    discharge.discharge([*numbers[::-1], TRUE, longer], pool, BUDGET)
    sizes = [(batch.ground, len(batch.questions)) for batch in pool.batches]
    assert sizes == [(False, 1), (False, 1), (True, GROUND_BATCH), (True, 1)]
    texts = [[question.text for question in batch.questions] for batch in pool.batches]
    assert texts[0] == [smtlib.render(longer).text]
    assert texts[1] == [smtlib.render(TRUE).text]
    rest = [*texts[2], *texts[3]]
    assert rest == sorted(rest, key=lambda text: (-len(text), text))
    assert {question.variables for batch in pool.batches for question in batch.questions} == {1, 2}
    assert {batch.budget for batch in pool.batches} == {BUDGET}


def test_what_a_point_has_settled_is_asked_briefly() -> None:
    pool = Said(answer(UNKNOWN))
    found = discharge.discharge([FALSE, TRUE, ground(4)], pool, BUDGET)
    budgets = {batch.questions[0].text: batch.budget for batch in pool.batches}
    assert budgets[smtlib.render(FALSE).text] == BRIEF_BUDGET
    assert budgets[smtlib.render(TRUE).text] == BUDGET
    assert [each.budget for each in found] == [BRIEF_BUDGET, BUDGET, BUDGET]
    few = Said(answer(UNKNOWN))
    assert discharge.discharge([FALSE], few, 7)[0].budget == 7
    assert few.batches[0].budget == 7


def test_one_text_has_the_larger_of_two_budgets() -> None:
    """Two obligations may have one text: their reasons and witnesses stand in none."""
    reasoned = msgspec.structs.replace(FALSE, witness={"a": 2, "b": 1})
    assert smtlib.render(reasoned).text == smtlib.render(FALSE).text
    lower, higher = Said(answer(UNKNOWN)), Said(answer(UNKNOWN))
    true = msgspec.structs.replace(UNBOUND, witness={"a": 2})
    discharge.discharge([FALSE, reasoned], lower, BUDGET)
    discharge.discharge([UNBOUND, true], higher, BUDGET)
    assert [[batch.budget for batch in pool.batches] for pool in (lower, higher)] == [[BRIEF_BUDGET], [BUDGET]]
    # At this witness the bound is false, so that alone it would be asked briefly.
    far = msgspec.structs.replace(UNBOUND, witness={"a": 10**6})
    for asked in ([far, UNBOUND], [UNBOUND, far]):
        pool = Said(answer(UNKNOWN))
        found = {each.budget for each in discharge.discharge(asked, pool, BUDGET)}
        assert ([batch.budget for batch in pool.batches], found) == ([BUDGET], {BRIEF_BUDGET, BUDGET})


def test_what_cannot_be_stated_is_unknown_and_asked_of_nobody() -> None:
    deep = A
    for _ in range(200):
        deep = Sum((deep,))  # type: ignore[assignment]
    for large in (universal(equal(deep, A), a=1), Obligation((), (equal(deep, A),), {}, ground=True)):
        pool = Said(answer(PROVED))
        (found,) = discharge.discharge([large], pool, BUDGET)
        assert (found.verdict, found.decider, found.said) == (UNKNOWN, "none", UNKNOWN)
        assert (found.second, found.cross, found.core) == (Answer(UNKNOWN, "none", "not stated"), None, ())
        assert (found.budget, found.resource, found.counterexample) == (BUDGET, 0, {})
        assert "nested too deeply" in found.reason
        assert pool.batches == []
    whole = universal(equal(deep, A), a=1)
    (found,) = discharge.discharge([whole], Said(answer(PROVED)), BUDGET)
    assert found.digest == hashlib.sha256(msgspec.json.encode(whole)).hexdigest()


def test_a_question_has_as_much_time_as_its_worker_has_processor_time() -> None:
    assert SolverPool(1).deadline == PROCESSOR_SECONDS == 120


def test_a_cross_check_is_asked_once_a_text() -> None:
    asked: list[str] = []

    def cross(text: str) -> Verdict:
        asked.append(text)
        return PROVED

    found = discharge.discharge([BOUND, BOUND, TRUE], Said(answer(PROVED)), BUDGET, cross)
    assert asked == [smtlib.render(BOUND).text, smtlib.render(TRUE).text]
    assert [each.cross for each in found] == [PROVED] * 3


@pytest.mark.parametrize("budget", [1, MAX_BUDGET])
def test_a_budget_is_a_whole_number_within_its_bounds(budget: int) -> None:
    pool = Said(answer(PROVED))
    assert discharge.discharge([TRUE], pool, budget)[0].budget == budget
    for wrong in (0, MAX_BUDGET + 1, True, float(budget)):
        with pytest.raises(UsageError):
            discharge.discharge([TRUE], pool, wrong)  # type: ignore[arg-type]


def test_a_ground_answer_comes_back_in_the_names_of_each_who_asked() -> None:
    pool = Said(answer(REFUTED, v0=3))
    found = discharge.discharge([ground(4, "x"), ground(4, "y"), ground(4, "x")], pool, BUDGET)
    assert [each.counterexample for each in found] == [{"x": 3}, {"y": 3}, {"x": 3}]
    assert [each.second.model for each in found] == [{"x": 3}, {"y": 3}, {"x": 3}]
    assert sum(len(batch.questions) for batch in pool.batches) == 1
    assert len({each.digest for each in found}) == 1
