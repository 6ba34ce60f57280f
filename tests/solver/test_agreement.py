"""Z3, the normal form, exact evaluation and cvc5 on random claims: none proves what another refutes, or a point does.

The same claims come in every run; `make soak-deciders` draws others, and many more.
"""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given, settings

from blueprint import crosscheck, exact, normalform, smtlib, solver
from blueprint.term import evaluate, holds
from blueprint.verdict import Answer, Obligation, Verdict
from tests.solver.claims import DEFINED, FREE, ground, universal

BUDGET = 500_000
POINTS = 20

DECIDED = {Verdict.PROVED, Verdict.REFUTED}


def of_z3(obligation: Obligation) -> Answer:
    """What Z3 says of the text, with its values in the obligation's names."""
    text = smtlib.render(obligation)
    answer = solver.decide(text.text, len(text.names), BUDGET, ground=obligation.ground)
    model = {name: answer.model[f"v{place}"] for place, name in enumerate(text.names) if answer.model}
    return Answer(answer.verdict, answer.decider, answer.reason, model)


def points(obligation: Obligation, seed: int) -> list[dict[str, int]]:
    """Points at which the hypotheses of a universal claim hold."""
    draw = random.Random(seed)  # noqa: S311 -- the same in every run
    definitions = {each.left.name: each.right for each in obligation.hypotheses if hasattr(each.left, "name")}
    found = []
    for _ in range(POINTS):
        values = {name: draw.choice((1, 2, 3, 7, 10**6, 2**40)) for name in FREE}
        values |= {name: evaluate(definitions[name], values) for name in DEFINED}
        found.append(values)
    return found


def check_universal(obligation: Obligation) -> Counter[str]:
    """Compare what all deciders say of a universal claim; returns who said what."""
    assert exact.premises_hold(obligation)
    z3, ours = of_z3(obligation), normalform.decide(obligation)
    third = crosscheck.decide(smtlib.render(obligation).text)
    said = {z3.verdict, ours.verdict, third}
    assert not said >= DECIDED
    at = [values for values in points(obligation, 6) if not all(holds(each, values) for each in obligation.goal)]
    for values in at:
        assert exact.refutes(obligation, values)
    if Verdict.PROVED in said:
        assert not at
    if ours.verdict is Verdict.REFUTED:
        assert exact.refutes(obligation, ours.model)
    if z3.verdict is Verdict.REFUTED:
        assert exact.refutes(obligation, {**obligation.witness, **z3.model}) or ours.verdict is not Verdict.PROVED
    return Counter({f"z3 {z3.verdict.value}": 1, f"normal form {ours.verdict.value}": 1, f"cvc5 {third.value}": 1})


def check_ground(obligation: Obligation) -> Counter[str]:
    """Compare what all deciders say of a ground claim: each of them answers, and the same."""
    ours, z3 = exact.decide(obligation), of_z3(obligation)
    third = crosscheck.decide(smtlib.render(obligation).text)
    assert ours.verdict in DECIDED
    assert z3.verdict is ours.verdict
    assert third in {ours.verdict, Verdict.UNKNOWN}
    return Counter({ours.verdict.value: 1, f"cvc5 {third.value}": 1})


universals: Counter[str] = Counter()
grounds: Counter[str] = Counter()


@settings(max_examples=150)
@given(obligation=universal())
def check_universals(obligation: Obligation) -> None:
    universals.update(check_universal(obligation))


@settings(max_examples=150)
@given(obligation=ground())
def check_grounds(obligation: Obligation) -> None:
    grounds.update(check_ground(obligation))


def test_universal_claims_are_decided_alike() -> None:
    universals.clear()
    check_universals()
    for decider in ("z3", "normal form", "cvc5"):
        assert min(universals[f"{decider} {verdict.value}"] for verdict in DECIDED) >= 10, universals


def test_ground_claims_are_decided_alike() -> None:
    grounds.clear()
    check_grounds()
    assert min(grounds[verdict.value] for verdict in DECIDED) >= 30
    assert grounds["cvc5 unknown"] == 0
