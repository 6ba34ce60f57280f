"""Every entity of a stage as a row: names, all its fields, neighbours, and lineage in both directions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from blueprint.explorer.expressions import Expressions
from blueprint.explorer.fields import fields_of, named
from blueprint.explorer.items import kind_of, lineage_of
from blueprint.explorer.payload import Entity, Fact, KindCount, Link, NameRow
from blueprint.explorer.stages import Shown
from blueprint.ir.concrete import ConcretePlanIR, QueueExtension, SlotExtension

NEIGHBOURS: Final = 1_000
"""The most neighbours on one side, and the most relations, that a row names."""

OWN: Final = ("id", "name", "lineage")
"""Fields that a row has apart from the others."""


@dataclass(frozen=True)
class Links:
    """The relations that made each entity of a stage, and those that used it, by position."""

    made: Mapping[int, Sequence[Link]]
    used: Mapping[int, Sequence[Link]]


def name_rows(shown: Shown, groups: Sequence[int]) -> Iterator[NameRow]:
    """What each entity is found by."""
    for entity, alias, group in zip(shown.entities, shown.aliases, groups, strict=True):
        yield NameRow(alias=alias, name=entity.name, id=entity.id, group=group)


def entity_rows(shown: Shown, expressions: Expressions, groups: Sequence[int], links: Links) -> Iterator[Entity]:
    """Every entity in canonical order."""
    issued = issued_facts(shown)
    for position, entity in enumerate(shown.entities):
        neighbours = shown.neighbours[position]
        made, used = links.made.get(position, ()), links.used.get(position, ())
        yield Entity(
            alias=shown.aliases[position],
            name=entity.name,
            id=entity.id,
            kind=kind_of(entity),
            group=groups[position],
            expression=expressions.of((position,)),
            fields=(*fields_of(entity, shown, OWN), *issued.get(entity.id, ())),
            before=neighbours.before[:NEIGHBOURS],
            after=neighbours.after[:NEIGHBOURS],
            lineage=tuple(lineage_facts(shown, position)),
            made_by=tuple(made[:NEIGHBOURS]),
            used_by=tuple(used[:NEIGHBOURS]),
            counts=(len(neighbours.before), len(neighbours.after), len(made), len(used)),
        )


def kind_counts(shown: Shown) -> tuple[KindCount, ...]:
    """How many entities of each kind there are."""
    counts: dict[str, int] = {}
    for entity in shown.entities:
        kind = kind_of(entity)
        counts[kind] = counts.get(kind, 0) + 1
    return tuple(KindCount(kind=kind, count=count) for kind, count in counts.items())


def lineage_facts(shown: Shown, position: int) -> Iterator[Fact]:
    """Where the snapshot says that an entity comes from; ids in full, as they are of another snapshot."""
    lineage = lineage_of(shown.entities[position])
    if lineage is None:
        yield Fact(name="lineage", value="none: the model is made from the request")
        return
    yield Fact(name="kind", value=lineage.kind.value)
    yield Fact(name="transform", value=lineage.transform)
    for number, source in enumerate(lineage.sources[:NEIGHBOURS]):
        yield Fact(name=f"sources[{number}]", value=source)
    if len(lineage.sources) > NEIGHBOURS:
        yield Fact(name="sources", value=f"{len(lineage.sources) - NEIGHBOURS} more, which the bundle holds")


def issued_facts(shown: Shown) -> dict[str, list[Fact]]:
    """What a concrete plan says of its commands outside of them: queue and waits, or cycle, slot and route."""
    found: dict[str, list[Fact]] = {}

    def note(command: str, name: str, value: str) -> None:
        found.setdefault(command, []).append(Fact(name=name, value=value))

    match shown.snapshot:
        case ConcretePlanIR(extension=QueueExtension(queues=queues, waits=waits)):
            for queue in queues:
                for place, command in enumerate(queue.order):
                    note(command, "queue", f"{queue.name}, at {place}")
            for wait in waits:
                note(wait.command, "wait", named(wait.on, shown))
        case ConcretePlanIR(extension=SlotExtension(issues=issues, routes=routes)):
            for issue in issues:
                note(issue.command, "issue", f"cycle {issue.cycle}, slot {issue.slot}")
            for route in routes:
                note(route.command, "route", f"{named(route.source, shown)} to {named(route.destination, shown)}")
        case _:
            pass
    return found
