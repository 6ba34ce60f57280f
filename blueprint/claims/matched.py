"""A relation with the target entities that were found for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from blueprint.expected import Expected, ExpectedRelation
from blueprint.facts import Question
from blueprint.plan import TransitionPlan
from blueprint.rule import Claim

E = TypeVar("E", bound=Expected)
A = TypeVar("A")


@dataclass(frozen=True)
class Pair(Generic[E, A]):
    """An expected target and the entity found for it."""

    expected: E
    actual: A


@dataclass(frozen=True)
class Matched:
    """An expected relation and the entity id found for each of its targets, in the rule's order; None if missing."""

    relation: ExpectedRelation
    found: tuple[str | None, ...]

    @property
    def complete(self) -> bool:
        """Whether every expected target was found."""
        return None not in self.found

    @property
    def pairs(self) -> list[tuple[Expected, str]]:
        """The targets that were found, with the ids of their entities."""
        both = zip(self.relation.targets, self.found, strict=True)
        return [(expected, found) for expected, found in both if found is not None]

    def relate(self, plan: TransitionPlan, questions: Iterable[tuple[Claim, Question]]) -> None:
        """Add this relation with its claims to a plan."""
        names = [expected.name for expected in self.relation.targets]
        targets = [found for found in self.found if found is not None]
        plan.relate(self.relation.rule.id, names, self.relation.sources, targets, questions)
