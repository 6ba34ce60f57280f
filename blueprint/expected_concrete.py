"""What the rules demand of a concrete plan and of a machine's program, from the source and the bindings alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from blueprint.expected import Expected, ExpectedRelation
from blueprint.expected_bound import (
    ExpectedBinding,
    ExpectedCommand,
    ExpectedDevice,
    ExpectedEntry,
    ExpectedInstruction,
    ExpectedQueue,
    ExpectedRegion,
    ExpectedSection,
)
from blueprint.ir.concrete import CommandKind, ConcretePlanIR, Queue, QueueCategory, QueueExtension
from blueprint.ir.distributed import TaskKind
from blueprint.ir.portable import PortablePlanIR
from blueprint.ir.request import Request, Target, TargetKind
from blueprint.rule import Bound, Each, Entity, PassRule, Whole

REGION: Final = "memory"
SLOTS: Final = "slots"
ENTRY: Final = "main"

COMMANDS: Final = {TaskKind.COMPUTE: CommandKind.LAUNCH, TaskKind.COLLECTIVE: CommandKind.COLLECTIVE}
"""What a task becomes."""

CATEGORIES: Final = {
    CommandKind.LAUNCH: QueueCategory.COMPUTE,
    CommandKind.COLLECTIVE: QueueCategory.COLLECTIVE,
    CommandKind.TRANSFER: QueueCategory.TRANSFER,
    CommandKind.BARRIER: QueueCategory.HOST,
    CommandKind.HOST_CALL: QueueCategory.HOST,
}
"""Where a command is issued."""


def has_queues(request: Request) -> bool:
    """Whether the request's target is told what to do by queues."""
    return isinstance(request.target, Target) and request.target.kind is TargetKind.QUEUE


def concrete_relations(request: Request, ir: PortablePlanIR, rules: Sequence[PassRule]) -> tuple[ExpectedRelation, ...]:
    """One command a task, one place a buffer; devices, a region, and queues that have no source."""
    return tuple(each for rule in rules for each in _relations(rule, _ConcreteDemand(request, ir)))


def machine_relations(ir: ConcretePlanIR, rules: Sequence[PassRule]) -> tuple[ExpectedRelation, ...]:
    """One instruction a command, one section a queue or one for all slots, one entry point."""
    return tuple(each for rule in rules for each in _relations(rule, _MachineDemand(ir)))


class _ConcreteDemand:
    """What stands in a concrete plan, by entity."""

    def __init__(self, request: Request, ir: PortablePlanIR) -> None:
        self.request = request
        self.ir = ir

    def lowered(self, source: Entity, target: Entity) -> Iterator[tuple[str, Expected]]:
        """Source id and demanded target of each relation."""
        match source, target:
            case Entity.TASK, Entity.COMMAND:
                for task in self.ir.tasks:
                    yield task.id, ExpectedCommand(task.name, (task,))
            case Entity.BUFFER, Entity.BINDING:
                for index, buffer in enumerate(self.ir.buffers):
                    yield buffer.id, ExpectedBinding(buffer.name, buffer, index)
            case _:
                return

    def generated(self, target: Entity) -> Iterator[Expected]:
        """The targets of the one relation without a source."""
        match target:
            case Entity.DEVICE:
                for rank in range(self.request.strategy.tensor):
                    yield ExpectedDevice(f"device.{rank}", rank)
            case Entity.REGION:
                yield ExpectedRegion(REGION)
            case Entity.QUEUE if has_queues(self.request):
                present = {CATEGORIES[COMMANDS[task.kind]] for task in self.ir.tasks}
                for category in QueueCategory:
                    if category in present:
                        yield ExpectedQueue(category.value, category)
            case _:
                return


class _MachineDemand:
    """What stands in a machine's program, by entity."""

    def __init__(self, ir: ConcretePlanIR) -> None:
        self.ir = ir

    def lowered(self, source: Entity, target: Entity) -> Iterator[tuple[str, Expected]]:
        """Source id and demanded target of each relation."""
        match source, target:
            case Entity.COMMAND, Entity.INSTRUCTION:
                for command in self.ir.commands:
                    yield command.id, ExpectedInstruction(command.name, command)
            case Entity.QUEUE, Entity.SECTION:
                for queue in queues_of(self.ir):
                    yield queue.id, ExpectedSection(queue.name, queue)
            case _:
                return

    def generated(self, target: Entity) -> Iterator[Expected]:
        """The targets of the one relation without a source."""
        match target:
            case Entity.SECTION if not isinstance(self.ir.extension, QueueExtension):
                yield ExpectedSection(SLOTS, None)
            case Entity.ENTRY:
                yield ExpectedEntry(ENTRY)
            case _:
                return


def queues_of(ir: ConcretePlanIR) -> tuple[Queue, ...]:
    """The queues of a concrete plan; none of one with slots."""
    return ir.extension.queues if isinstance(ir.extension, QueueExtension) else ()


def _relations(rule: PassRule, demand: _ConcreteDemand | _MachineDemand) -> Iterator[ExpectedRelation]:
    for target in rule.targets:
        if not isinstance(target, Bound):
            continue
        match rule.signature:
            case Each(entity=source):
                for identifier, expected in demand.lowered(source, target.entity):
                    yield ExpectedRelation(rule, (identifier,), (expected,))
            case Whole():
                if targets := tuple(demand.generated(target.entity)):
                    yield ExpectedRelation(rule, (), targets)
            case _:
                continue
