"""What both target bindings share: devices, the region with its buffers, and the commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from blueprint.codec import digest, entity_id
from blueprint.errors import DomainError
from blueprint.ir.common import INT64_MAX, SCHEMA_VERSIONS, Header, Lineage, LineageKind, Primitive, Role, Stage
from blueprint.ir.concrete import (
    AccessMode,
    BufferBinding,
    BufferUse,
    Command,
    CommandKind,
    ConcretePlanIR,
    Device,
    QueueExtension,
    Region,
    SlotExtension,
)
from blueprint.ir.distributed import TaskKind
from blueprint.ir.portable import Buffer, InferenceMemory, PlanTask, PortablePlanIR
from blueprint.ir.request import Attention, Deployment, Neighbour, Request, Target, places_of
from blueprint.workload.attention import fused_operations
from blueprint.workload.layout import alignment_of, base_alignment, integer_layout

VERSION: Final = SCHEMA_VERSIONS[Stage.CONCRETE]

REGION: Final = "memory"
"""The one region of a device."""

COMMANDS: Final = {
    TaskKind.COMPUTE: CommandKind.LAUNCH,
    TaskKind.COLLECTIVE: CommandKind.COLLECTIVE,
    TaskKind.POINT_TO_POINT: CommandKind.TRANSFER,
}
"""The command that carries out a task."""


def generated(transform: str) -> Lineage:
    """The lineage of what has no source in the plan."""
    return Lineage(kind=LineageKind.GENERATED, transform=transform, sources=())


def lowered(transform: str, source: str) -> Lineage:
    """The lineage of what carries one entity of the plan over."""
    return Lineage(kind=LineageKind.LOWERED, transform=transform, sources=(source,))


@dataclass(frozen=True)
class Core:
    """An attention core that is run as one: its tasks in order, and the buffers between them."""

    tasks: tuple[PlanTask, ...]
    inner: tuple[str, ...]


def fused_cores(ir: PortablePlanIR) -> dict[str, Core]:
    """The attention core of every task that belongs to one, by the task's id."""
    tasks = {task.id: task for task in ir.tasks}
    buffers = {buffer.id: buffer for buffer in ir.buffers}
    cores: dict[str, Core] = {}
    for softmax in ir.tasks:
        if softmax.primitive != Primitive.SOFTMAX:
            continue
        scores, weights = buffers[softmax.inputs[0]], buffers[softmax.outputs[0]]
        if not isinstance(scores.producer, str):
            raise DomainError(f"the scores of {softmax.name} have no producer")
        core = Core((tasks[scores.producer], softmax, tasks[weights.consumers[0]]), (scores.id, weights.id))
        cores.update(dict.fromkeys((each.id for each in core.tasks), core))
    return cores


class Binding:
    """Carries a portable plan onto the devices and into the memory of a target."""

    def __init__(self, ir: PortablePlanIR, request: Request) -> None:
        self.ir = ir
        self.request = request
        self.parent = digest(Stage.PORTABLE.value, ir.header.version, ir)
        self.devices = tuple(map(self.device, range(places_of(request.strategy))))
        self.attention = request.target.attention if isinstance(request.target, Target) else Attention.UNFUSED
        self.fused = fused_cores(ir) if self.attention is not Attention.UNFUSED else {}
        inner = {each for core in self.fused.values() for each in core.inner}
        self.roles = {buffer.id: buffer.role for buffer in ir.buffers}
        self.bound = [buffer for buffer in ir.buffers if buffer.id not in inner]
        self.region_id = self.identify("region", REGION, generated("binding.region"))
        self.buffer_ids = {
            buffer.id: self.identify("buffer", buffer.name, lowered("binding.buffer", buffer.id))
            for buffer in self.bound
        }
        self.command_ids = {task.id: self.identify("command", self.name(task), self.lineage(task)) for task in ir.tasks}
        last = {core.tasks[-1].id for core in self.fused.values()}
        issued = [task for task in ir.tasks if task.id not in self.fused or task.id in last]
        self.commands = tuple(map(self.command, issued))

    def snapshot(self, extension: QueueExtension | SlotExtension) -> ConcretePlanIR:
        """The concrete plan with what its kind of target is told beside the commands."""
        buffers, extent = self.laid_out()
        return ConcretePlanIR(
            header=Header(stage=Stage.CONCRETE, version=VERSION, parent=self.parent),
            target=target_name(self.request),
            inputs=tuple(self.buffer_ids[each] for each in self.ir.inputs),
            outputs=tuple(self.buffer_ids[each] for each in self.ir.outputs),
            devices=self.devices,
            regions=(self.region(extent),),
            buffers=buffers,
            commands=self.commands,
            workspace=self.workspace(),
            extension=extension,
        )

    def identify(self, kind: str, name: str, lineage: Lineage) -> str:
        """The id of a new entity."""
        return entity_id(kind, VERSION, self.parent, lineage.transform, lineage.sources, name)

    def device(self, ordinal: int) -> Device:
        """The device that runs a rank."""
        lineage, name = generated("binding.device"), f"device.{ordinal}"
        return Device(id=self.identify("device", name, lineage), name=name, lineage=lineage, ordinal=ordinal)

    def laid_out(self) -> tuple[tuple[BufferBinding, ...], int]:
        """Every buffer in canonical order with its place, and the end of the last one."""
        layout = integer_layout()
        bound = tuple(
            self.buffer(buffer, layout.place(buffer.size, alignment_of(buffer.alignment))) for buffer in self.bound
        )
        return bound, bounded("the buffers of one device take up", layout.capacity())

    def buffer(self, buffer: Buffer, offset: int) -> BufferBinding:
        """One buffer at its place."""
        return BufferBinding(
            id=self.buffer_ids[buffer.id],
            name=buffer.name,
            lineage=lowered("binding.buffer", buffer.id),
            source_buffer=buffer.id,
            region=self.region_id,
            offset=bounded(f"offset of buffer {buffer.name}", offset),
            size=buffer.size,
            alignment=alignment_of(buffer.alignment),
        )

    def region(self, extent: int) -> Region:
        """The memory of one device; where nobody named its size, as much as the buffers take up."""
        deployment = self.request.deployment
        named = deployment.device_memory if isinstance(deployment, Deployment) else msgspec.UNSET
        return Region(
            id=self.region_id,
            name=REGION,
            lineage=generated("binding.region"),
            devices=tuple(device.id for device in self.devices[: self.request.strategy.tensor]),
            capacity=named if isinstance(named, int) else extent,
            extent=extent,
            alignment=base_alignment([alignment_of(buffer.alignment) for buffer in self.bound]),
        )

    def lineage(self, task: PlanTask) -> Lineage:
        """The lineage of the command that carries out a task, alone or with the others of its attention core."""
        core = self.fused.get(task.id)
        if core is None:
            return lowered("binding.command", task.id)
        sources = (*(each.id for each in core.tasks), *core.inner)
        return Lineage(kind=LineageKind.LOWERED, transform="binding.fused_attention", sources=sources)

    def name(self, task: PlanTask) -> str:
        """The local name of that command."""
        core = self.fused.get(task.id)
        return task.name if core is None else f"{core.tasks[-1].name.rpartition('context')[0]}attention"

    def workspace(self) -> int:
        """The workspace of the chosen attention. Raises DomainError where the plan has less."""
        memory = self.ir.memory
        if not isinstance(memory, InferenceMemory):
            return 0
        (needed,) = (each.workspace for each in self.ir.alternatives if each.name == self.attention.value)
        if needed > memory.workspace:
            raise DomainError(
                f"{self.attention.value} needs a workspace of {needed} bytes, more than the plan's {memory.workspace}",
                path="target.attention",
            )
        return needed

    def implementation(self, task: PlanTask) -> str:
        """The chosen one of a task of the attention core, and the first of any other."""
        alternatives = task.implementation.alternatives
        return self.attention.value if self.attention.value in alternatives else alternatives[0]

    def command(self, task: PlanTask) -> Command:
        """The command that carries out one task, or the attention core that ends with it."""
        core = self.fused.get(task.id)
        tasks = (task,) if core is None else core.tasks
        needed = dict.fromkeys(self.command_ids[each] for one in tasks for each in one.dependencies)
        return Command(
            id=self.command_ids[task.id],
            name=self.name(task),
            lineage=self.lineage(task),
            kind=COMMANDS[task.kind],
            implementation=self.implementation(task),
            operations=fused_operations([each.work.operations for each in tasks]),
            uses=self.uses(tasks, () if core is None else core.inner),
            dependencies=tuple(each for each in needed if each != self.command_ids[task.id]),
            devices=tuple(self.devices[rank].id for rank in task.ranks if rank < len(self.devices)),
            collective=task.collective,
            peer=self.peer(task),
        )

    def peer(self, task: PlanTask) -> Neighbour | msgspec.UnsetType:
        """The stage that a transfer exchanges with: activations come from the one before and go to the one after."""
        if task.kind is not TaskKind.POINT_TO_POINT:
            return msgspec.UNSET
        (moved,) = (*task.inputs, *task.outputs)
        gradient, sent = self.roles[moved] is Role.GRADIENT, task.primitive == Primitive.SEND
        # A gradient is sent to where activations come from.
        return Neighbour.BEFORE if gradient is sent else Neighbour.AFTER

    def uses(self, tasks: Sequence[PlanTask], inner: Sequence[str]) -> tuple[BufferUse, ...]:
        """What tasks read, then what they only write, without what they leave for each other."""
        modes = {each: AccessMode.READ for task in tasks for each in task.inputs if each not in inner}
        for each in [output for task in tasks for output in task.outputs if output not in inner]:
            modes[each] = AccessMode.READ_WRITE if each in modes else AccessMode.WRITE
        return tuple(BufferUse(buffer=self.buffer_ids[each], mode=mode) for each, mode in modes.items())


def target_name(request: Request) -> str:
    """The name of the request's target. Raises DomainError where it names none."""
    if not isinstance(request.target, Target):
        raise DomainError("a plan is bound to a target, and the request names none", path="target")
    return request.target.name


def bounded(what: str, count: int) -> int:
    """A count that the IR can hold. Raises DomainError for a greater one."""
    if count > INT64_MAX:
        raise DomainError(f"{what} = {count} exceeds the limit of 2^63 - 1")
    return count
