"""Where two snapshots differ, in words: for people, who cannot see it in their digests. Nothing is decided here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final, TypeGuard

import msgspec

from blueprint.words import plain

SHOWN: Final = 3
"""Differences that are named; the others are counted."""

COUNTED: Final = 1000
"""Differences after which no more are looked for."""


def difference(found: object, wanted: object) -> str:
    """The first fields in which `found` is not `wanted`, entities by name.

    Ids and digests follow from everything before them, so an entity is compared under its name.
    """
    places = list(islice(_differences("", _named(found), _named(wanted)), COUNTED))
    if not places:
        return "only ids and digests differ, which follow from what stands before"
    least = "at least " if len(places) == COUNTED else ""
    more = f"; and {least}{len(places) - SHOWN} more places" if len(places) > SHOWN else ""
    return "; ".join(places[:SHOWN]) + more


def _named(snapshot: object) -> object:
    """A snapshot as plain data, with names in the place of its ids and without those of other snapshots."""
    data = msgspec.to_builtins(snapshot)
    names = {each["id"]: each["name"] for each in _entities(data)}
    return _renamed(data, names)


def _entities(value: object) -> Iterator[Mapping[str, str]]:
    if isinstance(value, dict):
        if "id" in value and "name" in value:
            yield value
        value = [*value.values()]
    if isinstance(value, list | tuple):
        for each in value:
            yield from _entities(each)


def _renamed(value: object, names: Mapping[str, str]) -> object:
    match value:
        case str():
            return names.get(value, "another snapshot" if _foreign(value) else value)
        case list() | tuple():
            return [_renamed(each, names) for each in value]
        case dict():
            return {key: _renamed(each, names) for key, each in value.items()}
        case _:
            return value


def _foreign(word: str) -> bool:
    """Whether a word is an id or a digest: it ends in 64 hexadecimal digits."""
    digits = word.rpartition(":")[2]
    return len(digits) == 64 and not set(digits) - set("0123456789abcdef")


def _differences(path: str, found: object, wanted: object) -> Iterator[str]:
    if isinstance(found, dict) and isinstance(wanted, dict):
        for key in wanted | found:
            yield from _differences(f"{path}.{key}" if path else key, found.get(key), wanted.get(key))
    elif isinstance(found, list) and isinstance(wanted, list):
        yield from _in_lists(path, found, wanted)
    elif found != wanted:
        yield f"{plain(path)} is {_shown(found)}, would be {_shown(wanted)}"


def _in_lists(path: str, found: list[object], wanted: list[object]) -> Iterator[str]:
    """Entities by their names, whatever their order; other members by their places."""
    ours, theirs = ({each["name"]: each for each in members if _is_entity(each)} for members in (found, wanted))
    if len(ours) != len(found) or len(theirs) != len(wanted):
        if len(found) != len(wanted):
            yield f"{plain(path)} has {len(found)} members, would have {len(wanted)}"
        for place, pair in enumerate(zip(found, wanted, strict=False)):
            yield from _differences(f"{path}[{place}]", *pair)
        return
    # In the order of the snapshots: a set's own order differs from run to run.
    yield from (f"{plain(path)} lacks {plain(name)}" for name in theirs if name not in ours)
    yield from (f"{plain(path)} has {plain(name)} too much" for name in ours if name not in theirs)
    for name in (each for each in ours if each in theirs):
        yield from _differences(name, ours[name], theirs[name])
    if ours.keys() == theirs.keys() and list(ours) != list(theirs):
        yield f"{plain(path)} stand in another order"


def _is_entity(value: object) -> TypeGuard[dict[str, str]]:
    return isinstance(value, dict) and "id" in value and "name" in value


def _shown(value: object) -> str:
    return "not there" if value is None else plain(value)
