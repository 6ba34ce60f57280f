"""The decider that is plain arithmetic: it knows no solver, only `term.evaluate`.

Laws kept here: a ground obligation is decided at the values that its own hypotheses fix, never at values a caller
suggests; and nothing counts as a counterexample unless every hypothesis is true and the goal false there.
"""

from __future__ import annotations

from collections.abc import Mapping

from blueprint.term import Const, Relation, Var, comparison_variables, holds
from blueprint.verdict import Answer, Obligation, Verdict

DECIDER = "exact"


def decide(obligation: Obligation) -> Answer:
    """The verdict at the one point where the hypotheses `variable = constant` put the obligation."""
    values: dict[str, int] = {}
    for hypothesis in obligation.hypotheses:
        match hypothesis.relation, hypothesis.left, hypothesis.right:
            case Relation.EQUAL, Var(name), Const(value):
                if values.setdefault(name, value) != value:
                    return Answer(Verdict.VACUOUS, DECIDER, "two values for one variable")
    if not obligation.goal:
        return Answer(Verdict.UNKNOWN, DECIDER, "empty goal")
    if not _covered(obligation, values):
        return Answer(Verdict.UNKNOWN, DECIDER, "free variable")
    if not all(holds(hypothesis, values) for hypothesis in obligation.hypotheses):
        return Answer(Verdict.VACUOUS, DECIDER, "false hypothesis")
    if all(holds(comparison, values) for comparison in obligation.goal):
        return Answer(Verdict.PROVED, DECIDER)
    return Answer(Verdict.REFUTED, DECIDER, model=values)


def premises_hold(obligation: Obligation) -> bool:
    """Whether the witness gives every variable a value and makes every hypothesis true."""
    witness = obligation.witness
    return _covered(obligation, witness) and all(holds(hypothesis, witness) for hypothesis in obligation.hypotheses)


def refutes(obligation: Obligation, model: Mapping[str, int]) -> bool:
    """Whether every hypothesis is true and the goal false at `model`. A missing variable refutes nothing."""
    return (
        _covered(obligation, model)
        and all(holds(hypothesis, model) for hypothesis in obligation.hypotheses)
        and not all(holds(comparison, model) for comparison in obligation.goal)
    )


def _covered(obligation: Obligation, values: Mapping[str, int]) -> bool:
    # `type is int` and no isinstance: True == 1 and 1.0 == 1, and neither is a whole number here.
    return all(
        type(values.get(name)) is int
        for comparison in (*obligation.hypotheses, *obligation.goal)
        for name in comparison_variables(comparison)
    )
