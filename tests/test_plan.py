"""What a transition must establish, as data: coverage that is exact, relations with ids of their own, obligations."""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import replace

import pytest

from blueprint.case import all_cases
from blueprint.facts import Question
from blueprint.plan import Coverage, LawCheck, RelationCheck, TransitionPlan
from blueprint.rule import Claim

EXACT = Coverage(
    source=2, source_total=2, target=3, target_total=3, generated=1, missing=0, dangling=0, undeclared=0, mismatched=0
)


def plan() -> TransitionPlan:
    return TransitionPlan(("model", "distributed"), EXACT, all_cases()[0])


def question(label: str) -> Question:
    asked = Question()
    asked.number(label, 3, asked.given(label, 3))
    return asked


def test_coverage_is_exact_where_all_is_there_and_nothing_else() -> None:
    assert EXACT.exact
    assert replace(EXACT, generated=7).exact
    for name in ("missing", "dangling", "undeclared", "mismatched"):
        assert not replace(EXACT, **{name: 1}).exact
    # None makes up for another.
    for one, two in itertools.permutations(("missing", "dangling", "undeclared", "mismatched"), 2):
        assert not replace(EXACT, **{one: 1, two: 1}).exact
    for name in ("source", "source_total", "target", "target_total"):
        for other in (1, 4):
            assert not replace(EXACT, **{name: other}).exact


@pytest.mark.parametrize(
    ("sources", "targets", "cardinality"),
    [(1, 1, "1:1"), (1, 2, "1:N"), (2, 1, "N:1"), (2, 3, "N:M"), (0, 0, "0:0"), (0, 1, "0:1"), (3, 0, "N:0")],
)
def test_a_relation_has_its_cardinality(sources: int, targets: int, cardinality: str) -> None:
    relation = RelationCheck("id", "r", tuple("abc"[:sources]), tuple("abc"[:targets]), (), ())
    assert relation.cardinality == cardinality


def test_a_law_is_one_of_a_block_unless_it_says_so() -> None:
    law = LawCheck("id", "r", "form", "x", "group", 1, 1, (), applicable=True, vacuous=False, theorems=())
    assert law.stage is False
    assert (plan().relations, plan().laws, plan().obligations, plan().diagnostics) == ([], [], [], [])


def test_an_obligation_has_its_place() -> None:
    made = plan()
    first, second = question("x").obligation(), question("y").obligation()
    assert [made.ask(first), made.ask(second), made.ask(first)] == [0, 1, 2]
    assert made.obligations == [first, second, first]


def test_a_relation_is_recorded_with_its_claims_in_order() -> None:
    made = plan()
    made.ask(question("earlier").obligation())
    asked = [(Claim.ROLE, question("x")), (Claim.STORAGE, question("y"))]
    made.relate("r.r", ["n", "m"], ["s", "r"], ["t"], asked)
    (relation,) = made.relations
    identity = '{"body":["model","distributed","r.r",["s","r"]],"kind":"relation","version":1}'
    assert relation.id == f"relation:{hashlib.sha256(identity.encode()).hexdigest()}"
    assert (relation.rule, relation.names, relation.sources, relation.targets) == (
        "r.r", ("n", "m"), ("s", "r"), ("t",),
    )  # fmt: skip
    assert [(each.claim, each.facts, each.obligation) for each in relation.claims] == [
        (Claim.ROLE, tuple(asked[0][1].facts), 1),
        (Claim.STORAGE, tuple(asked[1][1].facts), 2),
    ]
    assert made.obligations[1:] == [each.obligation() for _, each in asked]


def test_relations_of_the_same_sources_are_told_apart_by_their_key() -> None:
    made = plan()
    for key in (None, ["k"], ["s"], []):
        made.relate("r.r", [], ["s"], ["t"], [], key)
    ids = [relation.id for relation in made.relations]
    assert ids[0] == ids[2]
    assert len(set(ids)) == 3
    identity = '{"body":["model","distributed","r.r",["k"]],"kind":"relation","version":1}'
    assert ids[1] == f"relation:{hashlib.sha256(identity.encode()).hexdigest()}"
