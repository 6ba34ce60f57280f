"""Where two snapshots differ, in words: for people, who cannot see it in their digests. Nothing is decided here."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

import msgspec

from blueprint.words import plain

SHOWN: Final = 3
"""Differences that are named; the others are counted."""

COUNTED: Final = 1000
"""Differences after which no more are looked for."""


def difference(found: object, wanted: object, before: object = ()) -> str:
    """The first fields in which `found` is not `wanted`, entities by name, and those that they come from by `before`.

    Ids and digests follow from everything before them, so an entity is compared under its name. Both are read
    where they stand: a snapshot may be large, and its plain data is larger.
    """
    places = list(islice(_differences("", found, wanted, _Names(found, wanted, before)), COUNTED))
    if not places:
        return "only ids and digests differ, which follow from what stands before"
    least = "at least " if len(places) == COUNTED else ""
    more = f"; and {least}{len(places) - SHOWN} more places" if len(places) > SHOWN else ""
    return "; ".join(places[:SHOWN]) + more


class _Names:
    """What the ids of either side are called, and those of what stands before both."""

    def __init__(self, found: object, wanted: object, before: object) -> None:
        self.ours = dict(_ids(found))
        self.theirs = dict(_ids(wanted))
        self.one_origin = _parent(found) == _parent(wanted)
        self.before = before
        self.forth: dict[str, str] = {}
        self.back: dict[str, str] = {}

    @functools.cached_property
    def earlier(self) -> Mapping[str, str]:
        """Looked through only where a reference differs: it may be much."""
        return dict(_ids(self.before))

    def stand_for(self, first: object, second: object) -> bool:
        """Whether two unequal words are ids or digests of the same, of which the one follows from another origin."""
        if self.one_origin or not (isinstance(first, str) and isinstance(second, str)):
            return False
        if first in self.ours or second in self.theirs or not (_foreign(first) and _foreign(second)):
            return False
        called = [self.earlier[each] for each in (first, second) if each in self.earlier]
        if len(set(called)) == len((first, second)):
            return False
        return self.forth.setdefault(first, second) == second and self.back.setdefault(second, first) == first

    def of(self, word: str, own: Mapping[str, str]) -> str:
        """What an id is called, on one side or before both; other words are what they are."""
        if word in own or not _foreign(word):
            return own.get(word, word)
        return self.earlier.get(word, "no entity of the bundle")


def _parent(value: object) -> object:
    """The digest of what a snapshot is made from; none of what is no snapshot."""
    header = (_fields(value) or {}).get("header")
    return (_fields(header) or {}).get("parent")


def _ids(value: object) -> Iterator[tuple[str, str]]:
    fields = _fields(value)
    if fields is not None and "id" in fields and "name" in fields:
        yield str(fields["id"]), str(fields["name"])
    for each in fields.values() if fields is not None else value if isinstance(value, list | tuple) else ():
        # Most of what stands in lists are numbers.
        if not isinstance(each, int | str):
            yield from _ids(each)


def _fields(value: object) -> Mapping[str, object] | None:
    """The fields of a structure as they are encoded; None of what is none."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, msgspec.Struct):
        return None
    config = value.__struct_config__
    tag = {config.tag_field: config.tag} if config.tag_field else {}
    found = ((encoded, getattr(value, name)) for name, encoded in _names_of(type(value)))
    return tag | {name: part for name, part in found if part is not msgspec.UNSET}


@functools.cache
def _names_of(kind: type[msgspec.Struct]) -> tuple[tuple[str, str], ...]:
    return tuple((each.name, each.encode_name) for each in msgspec.structs.fields(kind))


def _readable(value: object, names: _Names, own: Mapping[str, str]) -> object:
    """Plain data with names in the place of ids, and without the digests of other snapshots."""
    match msgspec.to_builtins(value):
        case str(word):
            return names.of(word, own)
        case list() | tuple() as members:
            return [_readable(each, names, own) for each in members]
        case dict() as fields:
            return {key: _readable(each, names, own) for key, each in fields.items()}
        case other:
            return other


def _foreign(word: str) -> bool:
    """Whether a word is an id or a digest: it ends in 64 hexadecimal digits."""
    digits = word.rpartition(":")[2]
    return len(digits) == 64 and not set(digits) - set("0123456789abcdef")


def _differences(path: str, found: object, wanted: object, names: _Names) -> Iterator[str]:
    ours, theirs = _fields(found), _fields(wanted)
    if ours is not None and theirs is not None:
        for key in {**theirs, **ours}:
            yield from _differences(f"{path}.{key}" if path else key, ours.get(key), theirs.get(key), names)
    elif isinstance(found, list | tuple) and isinstance(wanted, list | tuple):
        yield from _in_lists(path, found, wanted, names)
    elif found != wanted and not names.stand_for(found, wanted):
        yield from _in_values(path, found, wanted, names)


def _in_values(path: str, found: object, wanted: object, names: _Names) -> Iterator[str]:
    """Unequal values; ids of one's own are equal where their names are."""
    first, second = _readable(found, names, names.ours), _readable(wanted, names, names.theirs)
    if first != second:
        yield f"{plain(path)} is {_shown(first)}, would be {_shown(second)}"
    elif isinstance(found, str) and found not in names.ours:
        yield f"{plain(path)} is another id or digest than it would be; both are of {_shown(first)}"


def _in_lists(path: str, found: Sequence[object], wanted: Sequence[object], names: _Names) -> Iterator[str]:
    """Entities by their names, whatever their order; other members by their places."""
    ours, theirs = ({name: each for each in members if (name := _name(each))} for members in (found, wanted))
    if len(ours) != len(found) or len(theirs) != len(wanted):
        if len(found) != len(wanted):
            yield f"{plain(path)} has {len(found)} members, would have {len(wanted)}"
        for place, pair in enumerate(zip(found, wanted, strict=False)):
            yield from _differences(f"{path}[{place}]", *pair, names)
        return
    # In the order of the snapshots: a set's own order differs from run to run.
    yield from (f"{plain(path)} lacks {plain(name)}" for name in theirs if name not in ours)
    yield from (f"{plain(path)} has {plain(name)} too much" for name in ours if name not in theirs)
    for name in (each for each in ours if each in theirs):
        yield from _differences(name, ours[name], theirs[name], names)
    if ours.keys() == theirs.keys() and list(ours) != list(theirs):
        yield f"{plain(path)} stand in another order"


def _name(value: object) -> str:
    """The name of an entity; none of what has no id and no name."""
    fields = _fields(value)
    return str(fields["name"]) if fields is not None and "id" in fields and "name" in fields else ""


def _shown(value: object) -> str:
    return "not there" if value is None else plain(value)
