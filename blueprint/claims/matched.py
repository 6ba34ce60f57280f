"""A relation with the target entities that were found for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from blueprint.expected import Expected, ExpectedRelation

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
