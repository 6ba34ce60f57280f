"""Short names within one snapshot. They never enter an IR, a lineage or a digest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from blueprint.explorer.items import Entity

NUMBERED: Final = frozenset({"value", "node", "buffer"})
"""Kinds of id whose entities are numbered in canonical order: an expression has no room for their names."""


def aliases_of(entities: Sequence[Entity]) -> tuple[str, ...]:
    """One alias for each entity, different from all others: `value#1`, or its own name if no other has it."""
    taken: set[str] = set()
    numbers: Counter[str] = Counter()
    found = []
    for entity in entities:
        kind = entity.id.partition(":")[0]
        numbers[kind] += 1
        named = kind not in NUMBERED and entity.name not in taken
        alias = entity.name if named else f"{kind}#{numbers[kind]}"
        taken.add(alias)
        found.append(alias)
    return tuple(found)
