"""What the rules demand of a concrete plan and of a machine's program, from the source and the bindings alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
from blueprint.ir.common import Primitive
from blueprint.ir.concrete import CommandKind, ConcretePlanIR, Queue, QueueCategory, QueueExtension
from blueprint.ir.distributed import TaskKind
from blueprint.ir.portable import Buffer, PlanTask, PortablePlanIR
from blueprint.ir.request import Attention, Request, Target, TargetKind, neighbours_of
from blueprint.rule import AttentionCore, Bound, Each, Entity, PassRule, Whole

REGION: Final = "memory"
SLOTS: Final = "slots"
FUSED: Final = "attention"
CORE_TASKS: Final = 3
"""Scores, softmax and context."""
ENTRY: Final = "main"

COMMANDS: Final = {
    TaskKind.COMPUTE: CommandKind.LAUNCH,
    TaskKind.COLLECTIVE: CommandKind.COLLECTIVE,
    TaskKind.POINT_TO_POINT: CommandKind.TRANSFER,
}
"""What a task becomes."""

CATEGORIES: Final = {
    CommandKind.LAUNCH: QueueCategory.COMPUTE,
    CommandKind.COLLECTIVE: QueueCategory.COLLECTIVE,
    CommandKind.TRANSFER: QueueCategory.TRANSFER,
    CommandKind.BARRIER: QueueCategory.HOST,
    CommandKind.HOST_CALL: QueueCategory.HOST,
}
"""Where a command is issued."""


@dataclass(frozen=True)
class Unit:
    """The tasks that one command carries out, and the buffers between them that it never writes."""

    tasks: tuple[PlanTask, ...]
    inner: tuple[str, ...] = ()


def units_of(request: Request, ir: PortablePlanIR) -> tuple[Unit, ...]:
    """A unit a task, in their order; an attention core that the target fuses is one, in the place of its last task."""
    fused: dict[str, Unit] = {}
    for core in _cores(ir) if fuses(request) else ():
        fused |= dict.fromkeys((task.id for task in core.tasks), core)
    alone = {task.id: Unit((task,)) for task in ir.tasks if task.id not in fused}
    ends = {unit.tasks[-1].id: unit for unit in fused.values()}
    return tuple(unit for task in ir.tasks for unit in (alone.get(task.id) or ends.get(task.id),) if unit)


def fuses(request: Request) -> bool:
    """Whether the request's target runs the attention core as one."""
    return isinstance(request.target, Target) and request.target.attention is not Attention.UNFUSED


def attention_of(request: Request) -> str:
    """The implementation of the attention core that the request's target names."""
    return request.target.attention.value if isinstance(request.target, Target) else ""


def _cores(ir: PortablePlanIR) -> Iterator[Unit]:
    """Each softmax with the product before it, which makes its scores, and the one after, which reads its result."""
    makers = {each: task for task in ir.tasks for each in task.outputs}
    readers = {each: task for task in ir.tasks for each in task.inputs}
    for task in ir.tasks:
        # A plan is untrusted: a softmax between anything else than one task before and one after is no core.
        if task.primitive != Primitive.SOFTMAX or (len(task.inputs), len(task.outputs)) != (1, 1):
            continue
        before, after = makers.get(task.inputs[0]), readers.get(task.outputs[0])
        if before is not None and after is not None and len({before.id, task.id, after.id}) == CORE_TASKS:
            yield Unit((before, task, after), (task.inputs[0], task.outputs[0]))


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
        self.units = units_of(request, ir)

    def lowered(self, source: Entity, target: Entity) -> Iterator[tuple[str, Expected]]:
        """Source id and demanded target of each relation."""
        match source, target:
            case Entity.TASK, Entity.COMMAND:
                for unit in self.units:
                    if not unit.inner:
                        yield unit.tasks[0].id, ExpectedCommand(unit.tasks[0].name, unit.tasks)
            case Entity.BUFFER, Entity.BINDING:
                for index, buffer in enumerate(bound_buffers(self.ir, self.units)):
                    yield buffer.id, ExpectedBinding(buffer.name, buffer, index)
            case _:
                return

    def fused(self) -> Iterator[tuple[tuple[str, ...], Expected]]:
        """Source ids and demanded command of each attention core that is run as one."""
        for unit in self.units:
            if unit.inner:
                sources = (*(task.id for task in unit.tasks), *unit.inner)
                block = unit.tasks[-1].name.rpartition("context")[0]
                yield sources, ExpectedCommand(f"{block}{FUSED}", unit.tasks)

    def generated(self, target: Entity) -> Iterator[Expected]:
        """The targets of the one relation without a source."""
        match target:
            case Entity.DEVICE:
                strategy = self.request.strategy
                for rank in range(strategy.tensor + len(neighbours_of(strategy))):
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


def bound_buffers(ir: PortablePlanIR, units: Sequence[Unit]) -> list[Buffer]:
    """The buffers that have a place: all but those that a fused command never writes."""
    inner = {each for unit in units for each in unit.inner}
    return [buffer for buffer in ir.buffers if buffer.id not in inner]


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
            case AttentionCore() if isinstance(demand, _ConcreteDemand):
                for sources, expected in demand.fused():
                    yield ExpectedRelation(rule, sources, (expected,))
            case Whole():
                if targets := tuple(demand.generated(target.entity)):
                    yield ExpectedRelation(rule, (), targets)
            case _:
                pass
