"""What both target bindings share: devices, the region with its buffers, and the commands."""

from __future__ import annotations

from typing import Final

import msgspec

from blueprint.codec import digest, entity_id
from blueprint.errors import DomainError
from blueprint.ir.common import INT64_MAX, SCHEMA_VERSIONS, Header, Lineage, LineageKind, Stage
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
from blueprint.ir.portable import Buffer, PlanTask, PortablePlanIR
from blueprint.ir.request import Deployment, Request, Target
from blueprint.workload.layout import alignment_of, base_alignment, integer_layout

VERSION: Final = SCHEMA_VERSIONS[Stage.CONCRETE]

REGION: Final = "memory"
"""The one region of a device."""

COMMANDS: Final = {TaskKind.COMPUTE: CommandKind.LAUNCH, TaskKind.COLLECTIVE: CommandKind.COLLECTIVE}
"""The command that carries out a task."""


def generated(transform: str) -> Lineage:
    """The lineage of what has no source in the plan."""
    return Lineage(kind=LineageKind.GENERATED, transform=transform, sources=())


def lowered(transform: str, source: str) -> Lineage:
    """The lineage of what carries one entity of the plan over."""
    return Lineage(kind=LineageKind.LOWERED, transform=transform, sources=(source,))


class Binding:
    """Carries a portable plan onto the devices and into the memory of a target."""

    def __init__(self, ir: PortablePlanIR, request: Request) -> None:
        self.ir = ir
        self.request = request
        self.parent = digest(Stage.PORTABLE.value, ir.header.version, ir)
        self.devices = tuple(map(self.device, range(request.strategy.tensor)))
        self.region_id = self.identify("region", REGION, generated("binding.region"))
        self.buffer_ids = {
            buffer.id: self.identify("buffer", buffer.name, lowered("binding.buffer", buffer.id))
            for buffer in ir.buffers
        }
        self.command_ids = {
            task.id: self.identify("command", task.name, lowered("binding.command", task.id)) for task in ir.tasks
        }
        self.commands = tuple(map(self.command, ir.tasks))

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
            self.buffer(buffer, layout.place(buffer.size, alignment_of(buffer.alignment))) for buffer in self.ir.buffers
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
            devices=tuple(device.id for device in self.devices),
            capacity=named if isinstance(named, int) else extent,
            extent=extent,
            alignment=base_alignment([alignment_of(buffer.alignment) for buffer in self.ir.buffers]),
        )

    def command(self, task: PlanTask) -> Command:
        """The command that carries out one task, by the first of its implementations."""
        ordinals = dict.fromkeys(task.ranks)
        return Command(
            id=self.command_ids[task.id],
            name=task.name,
            lineage=lowered("binding.command", task.id),
            kind=COMMANDS[task.kind],
            implementation=task.implementation.alternatives[0],
            operations=task.work.operations,
            uses=self.uses(task),
            dependencies=tuple(self.command_ids[each] for each in task.dependencies),
            devices=tuple(device.id for device in self.devices if device.ordinal in ordinals),
            collective=task.collective,
        )

    def uses(self, task: PlanTask) -> tuple[BufferUse, ...]:
        """What a task reads, then what it only writes."""
        modes = dict.fromkeys(task.inputs, AccessMode.READ)
        for each in task.outputs:
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
