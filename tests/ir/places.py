"""Where a structural fault may lie."""

from __future__ import annotations

import msgspec

from blueprint.diagnostic import Diagnostic

OF_ALL = frozenset({"structure.cycle", "structure.value_order"})
"""Faults of the order as a whole."""


def places(value: object) -> set[str]:
    """Every field, name and id within a snapshot."""
    match value:
        case tuple():
            return set().union(*map(places, value))
        case msgspec.Struct():
            fields = value.__struct_fields__
            named = {getattr(value, field) for field in ("name", "id") if field in fields}
            return {*fields, *named}.union(*(places(getattr(value, field)) for field in fields))
    return set()


def homeless(snapshot: object, faults: list[Diagnostic]) -> list[Diagnostic]:
    """Faults that lie nowhere in the snapshot, although they are not faults of the whole."""
    known = places(snapshot)
    return [each for each in faults if each.path not in (known if each.code not in OF_ALL else {""})]
