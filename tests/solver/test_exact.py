"""Ground obligations by arithmetic alone, and the judge of witnesses and counterexamples."""

from __future__ import annotations

import pytest

from blueprint import exact
from blueprint.term import Comparison, Const, Var, at_most, equal, less, product
from blueprint.verdict import Obligation, Verdict

A, B = Var("a"), Var("b")
FIXED = (equal(A, Const(6)), equal(B, Const(7)))


def ground(goal: Comparison, *hypotheses: Comparison, **witness: int) -> Obligation:
    return Obligation(hypotheses, (goal,), witness, ground=True)


def test_proved_and_refuted_at_the_fixed_values() -> None:
    proved = exact.decide(ground(equal(product(A, B), Const(42)), *FIXED))
    assert (proved.verdict, proved.model) == (Verdict.PROVED, {})
    refuted = exact.decide(ground(less(product(A, B), Const(42)), *FIXED))
    assert (refuted.verdict, refuted.model) == (Verdict.REFUTED, {"a": 6, "b": 7})
    assert proved.decider == refuted.decider == "exact"


def test_one_false_comparison_of_a_goal_refutes() -> None:
    goal = (equal(A, Const(6)), equal(A, Const(5)))
    assert exact.decide(Obligation(FIXED, goal, {}, ground=True)).verdict is Verdict.REFUTED


@pytest.mark.parametrize("extra", [equal(A, Const(5)), less(B, A), equal(Const(0), Const(1))])
def test_contradictory_hypotheses_are_vacuous(extra: Comparison) -> None:
    assert exact.decide(ground(equal(A, A), *FIXED, extra)).verdict is Verdict.VACUOUS


@pytest.mark.parametrize(
    "free", [equal(B, product(A, A)), equal(Const(7), B), at_most(B, Const(7)), equal(B, Const(True))]  # noqa: FBT003
)  # fmt: skip
def test_a_variable_not_fixed_by_a_constant_is_unknown_whatever_the_witness(free: Comparison) -> None:
    answer = exact.decide(ground(equal(B, B), FIXED[0], free, a=6, b=7))
    assert (answer.verdict, answer.reason) == (Verdict.UNKNOWN, "free variable")


def test_every_answer_names_its_decider_and_why_it_is_none() -> None:
    goal = equal(A, A)
    answers = {
        "": exact.decide(ground(goal, *FIXED)),
        "two values for one variable": exact.decide(ground(goal, *FIXED, equal(A, Const(5)))),
        "false hypothesis": exact.decide(ground(goal, *FIXED, less(B, A))),
        "free variable": exact.decide(ground(equal(B, B), FIXED[0])),
        "empty goal": exact.decide(Obligation(FIXED, (), {}, ground=True)),
    }
    assert {answer.decider for answer in answers.values()} == {"exact"}
    # No hypotheses are named and no steps counted: those are a solver's.
    assert {(answer.core, answer.resource) for answer in answers.values()} == {((), 0)}
    assert {reason: answer.reason for reason, answer in answers.items()} == {reason: reason for reason in answers}


def test_a_variable_of_a_hypothesis_alone_needs_a_value_too() -> None:
    free = at_most(Var("c"), Var("c"))
    assert exact.decide(ground(equal(A, Const(6)), *FIXED, free)).reason == "free variable"
    asked = ground(equal(A, Const(5)), free, a=6)
    assert not exact.premises_hold(asked)
    assert not exact.refutes(asked, {"a": 6})
    assert exact.refutes(asked, {"a": 6, "c": 1})


def test_an_empty_goal_is_never_proved() -> None:
    empty = Obligation(FIXED, (), {"a": 6, "b": 7}, ground=True)
    assert exact.decide(empty).verdict is Verdict.UNKNOWN
    assert not exact.refutes(empty, {"a": 6, "b": 7})


def test_premises_hold_needs_all_values_and_all_hypotheses() -> None:
    goal = at_most(A, B)
    assert exact.premises_hold(ground(goal, less(A, Const(5)), a=4, b=0))
    assert not exact.premises_hold(ground(goal, less(A, Const(5)), a=5, b=0))
    assert not exact.premises_hold(ground(goal, less(A, Const(5)), a=4))
    assert not exact.premises_hold(ground(goal, less(A, Const(5)), a=True, b=1))
    for one_false in ((less(A, Const(5)), less(B, A)), (less(B, A), less(A, Const(5)))):
        assert not exact.premises_hold(ground(goal, *one_false, a=4, b=4))
    assert exact.premises_hold(ground(goal, a=4, b=4))


def test_refutes_needs_true_hypotheses_a_false_goal_and_every_variable() -> None:
    question = ground(at_most(A, B), less(Const(0), A))
    assert exact.refutes(question, {"a": 2, "b": 1})
    assert not exact.refutes(question, {"a": 1, "b": 1})
    assert not exact.refutes(question, {"a": 0, "b": -1})
    assert not exact.refutes(question, {"a": 2})
    both = ground(at_most(A, B), less(Const(0), A), less(A, Const(2)))
    assert not exact.refutes(both, {"a": 2, "b": 1})
    assert not exact.refutes(question, {"a": 2, "b": 1.0})  # type: ignore[dict-item]
