"""The matrix of a stage: phases from left to right, subsystem and kind from top to bottom, chips where they meet.

Nothing here depends on how many blocks a stack has: the entities of a cell that have one name apart from their block
and their phase are one chip, and a cell has at most so many.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from blueprint.explorer.facets import Facet, Facets, Subsystem
from blueprint.explorer.payload import GroupRow, LaneRow
from blueprint.explorer.stages import Shown
from blueprint.ir.common import Phase, Stage

CHIPS: Final = 24
"""The most chips of a cell; the last one stands for the rest where there are more names."""

MODEL_COLUMN: Final = "model"

WHOLE_STEP: Final = "whole step"
"""The column of what belongs to no phase."""

_TENSORS: Final = ("parameter", "tensor")
_TASKS: Final = ("compute", "collective", "point to point")
_COMMANDS: Final = ("launch", "collective", "transfer", "barrier", "host call")
_TARGET: Final = ("device", "region", "queue", "section", "entry point")

_KINDS: Final[tuple[str, ...]] = tuple(
    dict.fromkeys(("operation", *_TASKS, *_COMMANDS, *_TENSORS, *_TARGET)),
)
"""All kinds in the order of their lanes."""

_FIXED: Final = {
    Stage.MODEL: ("operation", *_TENSORS),
    Stage.DISTRIBUTED: ("compute", "collective", *_TENSORS),
    Stage.PORTABLE: ("compute", "collective", *_TENSORS),
    Stage.CONCRETE: ("launch", "collective", *_TENSORS),
    Stage.MACHINE: ("launch", "collective"),
}
"""Lanes that each part of a block has, whether or not anything stands in them."""

_PARTS: Final = (Subsystem.NORM, Subsystem.ATTENTION, Subsystem.MLP)
"""The parts of a block; the residual stream between them has the lanes in which something stands."""

_BLOCK: Final = re.compile(r"(?:(?<=\.)|\A)b[0-9]+\.")
_PHASE: Final = re.compile(rf"\.(?:{'|'.join(phase.value for phase in Phase)})\Z")

Lane = tuple[Subsystem, str]


@dataclass(frozen=True)
class Frame:
    """Columns and lanes of one stage."""

    columns: tuple[Phase | None, ...]
    lanes: tuple[Lane, ...]

    def column_names(self, stage: Stage) -> tuple[str, ...]:
        """The columns as they are headed."""
        if stage is Stage.MODEL:
            return (MODEL_COLUMN,)
        return tuple(WHOLE_STEP if phase is None else phase.value.replace("_", " ") for phase in self.columns)

    def lane_rows(self) -> tuple[LaneRow, ...]:
        """The lanes as they are headed."""
        return tuple(LaneRow(subsystem=subsystem.value, kind=kind) for subsystem, kind in self.lanes)


def short_name(name: str) -> str:
    """A local name without its blocks and its phase."""
    return _PHASE.sub("", without_blocks(name))


def without_blocks(name: str) -> str:
    """A local name without the blocks that it is of."""
    return _BLOCK.sub("", name)


def frames_of(facets: Sequence[Facets]) -> tuple[Frame, ...]:
    """The frame of each of a branch's five slots; Distributed and Portable have one and the same."""
    model, distributed, portable, concrete, machine = facets
    tasks = (*distributed, *portable)
    shared = _frame(Stage.DISTRIBUTED, tasks, tasks)
    return (
        _frame(Stage.MODEL, model, model),
        shared,
        shared,
        _frame(Stage.CONCRETE, concrete, (*tasks, *concrete)),
        _frame(Stage.MACHINE, machine, (*tasks, *machine)),
    )


def _frame(stage: Stage, own: Iterable[Facet], phased: Iterable[Facet]) -> Frame:
    occupied = {(facet.subsystem, facet.kind) for facet in own}
    wanted = occupied | {(part, kind) for part in _PARTS for kind in _FIXED[stage]}
    lanes = sorted(wanted, key=lambda lane: (list(Subsystem).index(lane[0]), _KINDS.index(lane[1])))
    found = {facet.phase for facet in phased}
    columns: tuple[Phase | None, ...] = tuple(phase for phase in Phase if phase in found)
    if None in {facet.phase for facet in own} or not columns:
        columns = (*columns, None)
    return Frame(columns, tuple(lanes))


@dataclass(frozen=True)
class Grouping:
    """The chips of a stage, and the chip of each entity."""

    rows: tuple[GroupRow, ...]
    of_entity: tuple[int, ...]


def groups_of(shown: Shown, facets: Facets, frame: Frame) -> Grouping:
    """Every entity in exactly one chip."""
    columns = {phase: at for at, phase in enumerate(frame.columns)}
    lanes = {lane: at for at, lane in enumerate(frame.lanes)}
    cells: dict[tuple[int, int], dict[str, list[int]]] = {}
    for position, (entity, facet) in enumerate(zip(shown.entities, facets, strict=True)):
        cell = (lanes[facet.subsystem, facet.kind], columns[facet.phase])
        cells.setdefault(cell, {}).setdefault(short_name(entity.name), []).append(position)
    chips = [
        (lane, column, name, members)
        for (lane, column), names in sorted(cells.items())
        for name, members in _bounded(names)
    ]
    of_entity = [0] * len(shown.entities)
    for number, (*_, members) in enumerate(chips):
        for member in members:
            of_entity[member] = number
    rows = tuple(
        GroupRow(
            column=column,
            lane=lane,
            name=name,
            count=len(members),
            entity=members[0] if len(members) == 1 else -1,
            neighbours=_neighbours(shown, number, members, of_entity),
        )
        for number, (lane, column, name, members) in enumerate(chips)
    )
    return Grouping(rows, tuple(of_entity))


def _bounded(names: dict[str, list[int]]) -> list[tuple[str, list[int]]]:
    """The chips of one cell: of more names than it may have, the last chip holds all that are left."""
    listed = list(names.items())
    if len(listed) <= CHIPS:
        return listed
    rest = listed[CHIPS - 1 :]
    return [*listed[: CHIPS - 1], (f"{len(rest)} more", [member for _, members in rest for member in members])]


def _neighbours(shown: Shown, own: int, members: Sequence[int], of_entity: Sequence[int]) -> tuple[int, ...]:
    found = {
        of_entity[each]
        for member in members
        for each in (*shown.neighbours[member].before, *shown.neighbours[member].after)
    }
    return tuple(sorted(found - {own}))
