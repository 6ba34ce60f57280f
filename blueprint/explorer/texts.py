"""The detailed text of a snapshot: every canonical field of every entity. It is for reading, and no wire format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from blueprint.explorer.entities import OWN, issued_facts, lineage_facts
from blueprint.explorer.fields import fields_of
from blueprint.explorer.items import kind_of
from blueprint.explorer.payload import Colour, Line, Span
from blueprint.explorer.stages import WORDS, Shown
from blueprint.words import plain

HELD: Final = ("values", "operations", "tasks", "buffers", "devices", "regions", "commands", "extension")
"""Lists of a snapshot whose entries are shown entity by entity."""

EMITTED: Final = ("instructions", "sections", "entries")
"""The same of a machine's program."""


def heading(shown: Shown) -> Line:
    """Type, schema and label of a snapshot."""
    header = shown.snapshot.header
    title = Span(colour=Colour.TYPE, parts=(WORDS[header.stage].title,))
    label = plain(shown.record.label)
    return Line(0, (title, f" blueprint.{header.stage.value}/{header.version} {label} {{"))


def detailed(shown: Shown) -> Iterator[Line]:
    """Schema and interface, then the entities in canonical order."""
    yield heading(shown)
    yield Line(1, (f"digest = {shown.digest}",))
    interface = fields_of(shown.snapshot, shown, (*HELD, *EMITTED))
    yield from (Line(1, (f"{each.name} = {each.value}",)) for each in interface)
    issued = issued_facts(shown)
    for position, entity in enumerate(shown.entities):
        alias = Span(colour=Colour.NAME, parts=(shown.aliases[position],), entity=position)
        name = "" if shown.aliases[position] == entity.name else f" {entity.name}"
        yield Line(1, (f"{kind_of(entity)} ", alias, f"{name} {entity.id}"))
        facts = (*fields_of(entity, shown, OWN), *issued.get(entity.id, ()))
        yield from (Line(2, (f"{each.name} = {each.value}",)) for each in facts)
        yield from (Line(2, (f"lineage.{each.name} = {each.value}",)) for each in lineage_facts(shown, position))
    yield Line(0, ("}",))
