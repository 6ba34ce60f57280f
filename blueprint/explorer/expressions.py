"""How the lowering table writes an entity: its alias with the parameters that its own stage owns, and no others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from blueprint.explorer.items import Entity, kind_of
from blueprint.explorer.payload import Colour, Span
from blueprint.explorer.stages import Shown
from blueprint.ir.concrete import (
    BufferBinding,
    Command,
    ConcretePlanIR,
    Device,
    Queue,
    QueueExtension,
    Region,
    SlotExtension,
)
from blueprint.ir.distributed import Collective, DistributedValue, Task
from blueprint.ir.machine import EntryPoint, Instruction, MemoryOperand, Operand, PeerOperand, Section
from blueprint.ir.model import ModelIR, ModelValue, Operation
from blueprint.ir.portable import Buffer, PlanTask
from blueprint.ir.request import Neighbour

LISTED: Final = 4
"""The most entities, operands or devices that an expression lists; of the rest it says how many there are."""

_OUTER: Final = {
    "value": Colour.TYPE,
    "buffer": Colour.TYPE,
    "device": Colour.TOPOLOGY,
    "region": Colour.TOPOLOGY,
    "queue": Colour.TOPOLOGY,
}
"""The colour of a whole expression by the kind of its entity; all steps have that of structure."""


class Parameter(NamedTuple):
    """One parameter: what it means, and its text."""

    colour: Colour
    text: str


@dataclass(frozen=True)
class Expressions:
    """The expressions of one snapshot's entities."""

    shown: Shown

    @cached_property
    def _issued(self) -> dict[str, str]:
        """Where a command is issued, by its id: its queue, or its cycle and slot."""
        match self.shown.snapshot:
            case ConcretePlanIR(extension=QueueExtension(queues=queues)):
                return {command: f"queue={queue.name}" for queue in reversed(queues) for command in queue.order}
            case ConcretePlanIR(extension=SlotExtension(issues=issues)):
                return {issue.command: f"cycle={issue.cycle} slot={issue.slot}" for issue in reversed(issues)}
            case _:
                return {}

    @cached_property
    def _types(self) -> dict[str, str]:
        """Type of every value of a model, by its id."""
        model = self.shown.snapshot
        return {value.id: _type(value) for value in model.values} if isinstance(model, ModelIR) else {}

    def queue_of(self, command: Command) -> str:
        """Where a command is issued."""
        return self._issued.get(command.id, "not issued")

    def of(self, positions: Sequence[int]) -> Span:
        """Entities of one kind as one expression: who they are, and the parameters that all of them have."""
        first = self.shown.entities[positions[0]]
        shared = [each for each in self.owned(positions[0]) if all(each in self.owned(at) for at in positions[1:])]
        if len(positions) == 1 and self.shown.aliases[positions[0]] != first.name:
            shared = [Parameter(Colour.NAME, first.name), *shared]
        heads: list[str | Span] = []
        for position in positions[:LISTED]:
            heads += [", "] if heads else []
            heads.append(self._reference(position))
        if len(positions) > LISTED:
            heads.append(f", {len(positions) - LISTED} more")
        return Span(colour=_OUTER.get(kind_of(first), Colour.STRUCTURE), parts=(*heads, *applied(shared)))

    def _reference(self, position: int) -> Span:
        """The alias of an entity, which leads to it."""
        return Span(colour=Colour.NAME, parts=(self.shown.aliases[position],), entity=position)

    def owned(self, position: int) -> tuple[Parameter, ...]:
        """The parameters of one entity, without its name."""
        return tuple(self._owned(self.shown.entities[position]))

    def _owned(self, entity: Entity) -> Iterator[Parameter]:
        """The parameters that the entity's own stage owns."""
        match entity:
            case ModelValue():
                yield Parameter(Colour.STRUCTURE, entity.role.value)
                yield Parameter(Colour.TYPE, _type(entity))
            case Operation():
                if entity.kind != entity.name:
                    yield Parameter(Colour.STRUCTURE, entity.kind)
                yield Parameter(Colour.TYPE, self._types.get(entity.result, "a result that is not there"))
            case DistributedValue():
                yield Parameter(Colour.TOPOLOGY, f"ranks={len(entity.ranks)}")
                yield Parameter(Colour.TOPOLOGY, f"split={' '.join(axis.value for axis in entity.split) or 'none'}")
                yield Parameter(Colour.TOPOLOGY, f"local={_sizes(entity.local_shape)}")
                if entity.partial:
                    yield Parameter(Colour.TOPOLOGY, "partial")
            case Task():
                yield Parameter(Colour.TOPOLOGY, f"ranks={len(entity.ranks)}")
                yield from _exchange(entity.collective)
            case Buffer():
                yield Parameter(Colour.WORK, f"bytes={entity.size}")
            case PlanTask():
                work = entity.work
                yield Parameter(Colour.WORK, f"ops={work.operations}")
                yield Parameter(Colour.WORK, f"read={work.read_bytes}")
                yield Parameter(Colour.WORK, f"write={work.write_bytes}")
                yield Parameter(Colour.WORK, f"message={work.message_bytes}")
            case _:
                yield from self._placed(entity)

    def _placed(self, entity: Entity) -> Iterator[Parameter]:
        """The parameters of what is bound to a target or emitted for it."""
        match entity:
            case Device():
                yield Parameter(Colour.TOPOLOGY, f"ordinal={entity.ordinal}")
            case Region():
                yield Parameter(Colour.TOPOLOGY, f"devices={len(entity.devices)}")
                yield Parameter(Colour.WORK, f"capacity={entity.capacity}")
            case BufferBinding():
                yield Parameter(Colour.MAPPING, f"region={self._name(entity.region)}")
                yield Parameter(Colour.MAPPING, f"offset={entity.offset}")
            case Command():
                yield Parameter(Colour.MAPPING, f"devices={self._listed(entity.devices)}")
                yield Parameter(Colour.MAPPING, self.queue_of(entity))
                yield Parameter(Colour.STRUCTURE, f"implementation={entity.implementation}")
            case Queue():
                yield Parameter(Colour.TOPOLOGY, entity.category.value)
                yield Parameter(Colour.MAPPING, f"commands={len(entity.order)}")
            case Instruction():
                yield Parameter(Colour.STRUCTURE, f"opcode={entity.opcode.value}")
                yield from (Parameter(Colour.MAPPING, _operand(each)) for each in entity.operands[:LISTED])
                if len(entity.operands) > LISTED:
                    yield Parameter(Colour.MAPPING, f"{len(entity.operands) - LISTED} more operands")
            case Section():
                yield Parameter(Colour.MAPPING, f"base={entity.base}")
                yield Parameter(Colour.MAPPING, f"instructions={len(entity.order)}")
            case EntryPoint():
                yield Parameter(Colour.MAPPING, f"sections={self._listed(entity.sections)}")

    def _name(self, identifier: str) -> str:
        """The alias of an entity of this snapshot, by its id."""
        position = self.shown.positions.get(identifier)
        return "one that is not there" if position is None else self.shown.aliases[position]

    def _listed(self, identifiers: Sequence[str]) -> str:
        names = " ".join(self._name(each) for each in identifiers[:LISTED])
        return names + (f" {len(identifiers) - LISTED} more" if len(identifiers) > LISTED else "")


def applied(parameters: Sequence[Parameter]) -> tuple[str | Span, ...]:
    """Parameters in parentheses; the comma behind one belongs to it, and the blank between two to neither."""
    if not parameters:
        return ()
    *before, last = parameters
    found: list[str | Span] = ["("]
    for each in before:
        found += [Span(colour=each.colour, parts=(f"{each.text},",)), " "]
    return (*found, Span(colour=last.colour, parts=(last.text,)), ")")


def _type(value: ModelValue) -> str:
    """Element type and sizes by axis."""
    # Of a snapshot that is wrong, axes and sizes may differ in number.
    sizes = ", ".join(f"{axis.value}={size}" for axis, size in zip(value.axes, value.shape, strict=False))
    return f"{value.dtype.value}[{sizes}]"


def _sizes(shape: Sequence[int]) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _exchange(collective: object) -> Iterator[Parameter]:
    if isinstance(collective, Collective):
        yield Parameter(Colour.TOPOLOGY, f"collective={collective.kind.value}")
        yield Parameter(Colour.TOPOLOGY, f"axis={collective.axis.value}")
        yield Parameter(Colour.TOPOLOGY, f"reduction={collective.reduction.value}")


def _operand(operand: Operand) -> str:
    match operand:
        case MemoryOperand():
            return f"{operand.mode.value} {operand.region}+{operand.offset}:{operand.size}"
        case PeerOperand(stage=Neighbour() as stage):
            return f"peer={stage.value}"
        case _:
            return f"{operand.collective.value} along {operand.axis.value}"
