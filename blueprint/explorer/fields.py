"""All canonical fields of a structure by path, as text: what an inspector and the detailed text show."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from blueprint.explorer.payload import Fact
from blueprint.explorer.stages import Shown
from blueprint.words import plain

LISTED: Final = 200
"""The most entries of one list that are shown; of the rest it is said how many there are."""

DIGITS: Final = 12
"""Hexadecimal digits of an id that stand beside an alias; the whole id stands with the entity that it names."""


def fields_of(structure: msgspec.Struct, shown: Shown, skipped: Sequence[str] = ()) -> tuple[Fact, ...]:
    """Every field but those in `skipped`; ids of entities of the snapshot as alias, name and beginning of the id."""
    return tuple(
        fact
        for name in structure.__struct_fields__
        if name not in skipped
        for fact in _facts(name, getattr(structure, name), shown)
    )


def named(identifier: str, shown: Shown) -> str:
    """How an id is shown: as the entity that it names in the snapshot, or in full where it names none."""
    position = shown.positions.get(identifier)
    if position is None:
        return identifier
    alias, name = shown.aliases[position], shown.entities[position].name
    kind, _, digest = identifier.partition(":")
    return f"{alias}{'' if name == alias else f' {name}'} ({kind}:{digest[:DIGITS]}...)"


def _facts(path: str, value: object, shown: Shown) -> Iterator[Fact]:
    match value:
        case msgspec.UnsetType():
            return
        case msgspec.Struct():
            tag = value.__struct_config__.tag
            if isinstance(tag, str):
                yield Fact(name=f"{path}.{value.__struct_config__.tag_field}", value=tag)
            for name in value.__struct_fields__:
                yield from _facts(f"{path}.{name}", getattr(value, name), shown)
        case tuple():
            yield from _entries(path, value, shown)
        case _:
            yield Fact(name=path, value=_word(value, shown))


def _entries(path: str, values: tuple[object, ...], shown: Shown) -> Iterator[Fact]:
    """A list: its simple entries in one line, its structures entry by entry."""
    if not values:
        yield Fact(name=path, value="none")
        return
    if (isinstance(values[0], str) and shown.positions.get(values[0]) is not None) or isinstance(
        values[0], msgspec.Struct
    ):
        for number, value in enumerate(values[:LISTED]):
            yield from _facts(f"{path}[{number}]", value, shown)
        if len(values) > LISTED:
            yield Fact(name=f"{path}[{LISTED}...]", value=f"{len(values) - LISTED} more, which the bundle holds")
        return
    yield Fact(name=path, value=_line(values, shown))


def _line(values: Sequence[object], shown: Shown) -> str:
    """Simple entries one behind the other; numbers that count up by one as a range."""
    if len(values) > 2 and all(type(each) is int for each in values):
        first = values[0]
        if isinstance(first, int) and list(values) == list(range(first, first + len(values))):
            return f"{first} to {values[-1]}"
    words = ", ".join(_word(each, shown) for each in values[:LISTED])
    return words + (f", {len(values) - LISTED} more" if len(values) > LISTED else "")


def _word(value: object, shown: Shown) -> str:
    match value:
        case str():
            return plain(named(value, shown), 300)
        case bool():
            return "yes" if value else "no"
        case int():
            return str(value)
        case enum.Enum():
            return plain(value.value)
        case _:
            return plain(value)
