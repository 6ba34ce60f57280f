"""The entities of a snapshot of any stage, in canonical order, and what each reads or waits for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from blueprint.bundle import Snapshot
from blueprint.ir.common import Lineage
from blueprint.ir.concrete import (
    AccessMode,
    BufferBinding,
    Command,
    ConcretePlanIR,
    Device,
    Queue,
    QueueExtension,
    Region,
)
from blueprint.ir.distributed import DistributedTaskIR, DistributedValue, Task
from blueprint.ir.machine import EntryPoint, Instruction, MachineIR, Section
from blueprint.ir.model import ModelIR, ModelValue, Operation
from blueprint.ir.portable import Buffer, PlanTask, PortablePlanIR

Entity = (
    ModelValue
    | Operation
    | DistributedValue
    | Task
    | Buffer
    | PlanTask
    | Device
    | Region
    | BufferBinding
    | Command
    | Queue
    | Instruction
    | Section
    | EntryPoint
)

Edge = tuple[str, str]
"""Ids of two entities: the second reads the first, is written by it, or waits for it."""


@dataclass(frozen=True)
class Neighbours:
    """Positions of what an entity reads or waits for, and of what reads it or waits for it."""

    before: tuple[int, ...]
    after: tuple[int, ...]


def entities_of(snapshot: Snapshot) -> tuple[Entity, ...]:
    """All entities, list after list, as the snapshot has them."""
    match snapshot:
        case ModelIR():
            return (*snapshot.values, *snapshot.operations)
        case DistributedTaskIR():
            return (*snapshot.values, *snapshot.tasks)
        case PortablePlanIR():
            return (*snapshot.buffers, *snapshot.tasks)
        case ConcretePlanIR(extension=extension):
            queues = extension.queues if isinstance(extension, QueueExtension) else ()
            return (*snapshot.devices, *snapshot.regions, *snapshot.buffers, *snapshot.commands, *queues)
        case MachineIR():
            return (*snapshot.instructions, *snapshot.sections, *snapshot.entries)


def kind_of(entity: Entity) -> str:
    """What sort of thing an entity is, in the words of its stage."""
    return _KINDS[type(entity)]


_KINDS: dict[type[Entity], str] = {
    ModelValue: "value",
    Operation: "operation",
    DistributedValue: "value",
    Task: "task",
    Buffer: "buffer",
    PlanTask: "task",
    Device: "device",
    Region: "region",
    BufferBinding: "buffer",
    Command: "command",
    Queue: "queue",
    Instruction: "instruction",
    Section: "section",
    EntryPoint: "entry point",
}


def lineage_of(entity: Entity) -> Lineage | None:
    """The recorded lineage; the model's entities have none."""
    return None if isinstance(entity, ModelValue | Operation) else entity.lineage


def positions_of(entities: Sequence[Entity]) -> dict[str, int]:
    """Id -> position; of an id that occurs twice, the first."""
    found: dict[str, int] = {}
    for position, entity in enumerate(entities):
        found.setdefault(entity.id, position)
    return found


def neighbours_of(snapshot: Snapshot, count: int, positions: dict[str, int]) -> tuple[Neighbours, ...]:
    """Before and after of each of `count` entities, each neighbour once; what is not there is left out."""
    before: list[dict[int, None]] = [{} for _ in range(count)]
    after: list[dict[int, None]] = [{} for _ in range(count)]
    for first, second in _edges(snapshot):
        source, target = positions.get(first), positions.get(second)
        if source is not None and target is not None:
            before[target][source] = None
            after[source][target] = None
    return tuple(Neighbours(tuple(left), tuple(right)) for left, right in zip(before, after, strict=True))


def _edges(snapshot: Snapshot) -> Iterator[Edge]:
    match snapshot:
        case ModelIR():
            for operation in snapshot.operations:
                yield from _flow(operation.id, operation.inputs, (operation.result,))
        case DistributedTaskIR():
            for task in snapshot.tasks:
                yield from _flow(task.id, task.inputs, task.outputs)
        case PortablePlanIR():
            for planned in snapshot.tasks:
                yield from _flow(planned.id, planned.inputs, planned.outputs)
                yield from ((each, planned.id) for each in planned.dependencies)
        case ConcretePlanIR(extension=extension):
            for command in snapshot.commands:
                reads = [use.buffer for use in command.uses if use.mode is not AccessMode.WRITE]
                writes = [use.buffer for use in command.uses if use.mode is not AccessMode.READ]
                yield from _flow(command.id, reads, writes)
                yield from ((each, command.id) for each in command.dependencies)
            if isinstance(extension, QueueExtension):
                yield from ((wait.on, wait.command) for wait in extension.waits)
        case MachineIR():
            for instruction in snapshot.instructions:
                yield from ((each, instruction.id) for each in instruction.dependencies)
            for entry in snapshot.entries:
                yield from ((entry.id, each) for each in entry.sections)


def _flow(step: str, reads: Iterable[str], writes: Iterable[str]) -> Iterator[Edge]:
    yield from ((each, step) for each in reads)
    yield from ((step, each) for each in writes)
