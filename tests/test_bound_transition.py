"""What the transitions to a concrete plan and to a program are made of."""

from __future__ import annotations

import pytest

from blueprint.claims.matched import Matched
from blueprint.concrete_transition import asked_of, images_of, snapshot_relation
from blueprint.errors import RulebookError
from blueprint.expected import ExpectedRelation
from blueprint.expected_bound import ExpectedEntry
from blueprint.facts import Question
from blueprint.rule import Claim, PassRule
from blueprint.session import open_rulebook

RULE = next(each for each in open_rulebook(None).rules if isinstance(each, PassRule))


def matched(sources: tuple[str, ...], *found: str | None) -> Matched:
    targets = tuple(ExpectedEntry(f"entry {number}") for number, _ in enumerate(found))
    return Matched(ExpectedRelation(RULE, sources, targets), found)


def test_an_image_is_the_one_entity_that_was_found_for_each_of_its_sources() -> None:
    found = [
        matched(("a", "b"), "x"), matched(("c",), "y"), matched((), "generated"), matched(("missing",), None),
        matched(("several",), "p", "q"),
    ]  # fmt: skip
    assert images_of(found) == {"a": "x", "b": "x", "c": "y"}


def test_a_relation_asks_of_the_targets_that_are_there() -> None:
    question = Question()
    asked = asked_of(matched(("s",), "x", None, "z"), [(Claim.ROLE, question)])
    assert (asked.rule, asked.names) == (RULE.id, ("entry 0", "entry 1", "entry 2"))
    assert (asked.sources, asked.targets) == (("s",), ("x", "z"))
    assert asked.questions == ((Claim.ROLE, question),)


def test_of_a_boundary_as_a_whole_only_what_it_knows_is_asked() -> None:
    question, other = Question(), Question()
    known = {Claim.INTERFACE: question, Claim.ROUTES: other}
    asked = snapshot_relation("a.rule", (Claim.ROUTES, Claim.INTERFACE), known)
    assert asked.questions == ((Claim.ROUTES, other), (Claim.INTERFACE, question))
    assert (asked.rule, asked.sources, asked.targets) == ("a.rule", (), ())
    with pytest.raises(RulebookError, match=r"a\.rule: .* cannot be asked of this boundary"):
        snapshot_relation("a.rule", (Claim.ROUTES, Claim.MEMORY), known)
