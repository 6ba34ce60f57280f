"""What the reference emitter does for every kind of target: instructions, sections one after another, an entry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from blueprint.codec import digest, entity_id
from blueprint.ir.common import SCHEMA_VERSIONS, Header, Lineage, LineageKind, Stage
from blueprint.ir.concrete import Command, ConcretePlanIR, QueueExtension, SlotExtension
from blueprint.ir.distributed import Collective
from blueprint.ir.machine import (
    CollectiveOperand,
    EntryPoint,
    Instruction,
    MachineIR,
    MemoryOperand,
    Opcode,
    Operand,
    PeerOperand,
    Section,
)
from blueprint.ir.request import Neighbour
from blueprint.workload.order import next_base

_VERSION: Final = SCHEMA_VERSIONS[Stage.MACHINE]

SLOTS: Final = "slots"
"""The one section of a target with issue slots."""

ENTRY: Final = "main"
"""The one entry point."""


class Emission:
    """Carries a concrete plan into instructions."""

    def __init__(self, ir: ConcretePlanIR) -> None:
        self.ir = ir
        self.parent = digest(Stage.CONCRETE.value, ir.header.version, ir)
        self.buffers = {buffer.id: buffer for buffer in ir.buffers}
        self.regions = {region.id: region.name for region in ir.regions}
        self.instruction_ids = {
            command.id: self.identify("instruction", command.name, _of_command(command)) for command in ir.commands
        }

    def snapshot(self) -> MachineIR:
        """The machine's instructions, sections and entry point."""
        sections = self.sections()
        return MachineIR(
            header=Header(stage=Stage.MACHINE, version=_VERSION, parent=self.parent),
            target=self.ir.target,
            instructions=tuple(map(self.instruction, self.ir.commands)),
            sections=sections,
            entries=(self.entry(sections),),
        )

    def identify(self, kind: str, name: str, lineage: Lineage) -> str:
        """The id of a new entity."""
        return entity_id(kind, _VERSION, self.parent, lineage.transform, lineage.sources, name)

    def instruction(self, command: Command) -> Instruction:
        """The instruction that issues one command."""
        return Instruction(
            id=self.instruction_ids[command.id],
            name=command.name,
            lineage=_of_command(command),
            source_command=command.id,
            opcode=Opcode(command.kind.value),
            implementation=command.implementation,
            operands=self.operands(command),
            dependencies=tuple(self.instruction_ids[each] for each in command.dependencies),
        )

    def operands(self, command: Command) -> tuple[Operand, ...]:
        """The memory that a command uses, in its order, then what it exchanges."""
        operands: list[Operand] = []
        for use in command.uses:
            bound = self.buffers[use.buffer]
            region = self.regions[bound.region]
            operands.append(MemoryOperand(region=region, offset=bound.offset, size=bound.size, mode=use.mode))
        if isinstance(command.peer, Neighbour):
            operands.append(PeerOperand(stage=command.peer))
        if isinstance(command.collective, Collective):
            operands.append(_exchanged(command.collective))
        return tuple(operands)

    def sections(self) -> tuple[Section, ...]:
        """One section a queue, or one for the slots, one after another."""
        base, sections = 0, []
        for name, lineage, order in self.orders():
            sections.append(self.section(name, lineage, base, order))
            base = next_base(base, len(order))
        return tuple(sections)

    def orders(self) -> Sequence[tuple[str, Lineage, Sequence[str]]]:
        """Name, lineage and commands in issue order of every section."""
        match self.ir.extension:
            case QueueExtension(queues=queues):
                return [(queue.name, _lineage("emission.section", queue.id), queue.order) for queue in queues]
            case SlotExtension(issues=issues):
                ordered = sorted(issues, key=lambda issue: (issue.cycle, issue.slot))
                return [(SLOTS, _generated("emission.slots"), [issue.command for issue in ordered])]

    def section(self, name: str, lineage: Lineage, base: int, order: Sequence[str]) -> Section:
        """One section that begins at `base`."""
        return Section(
            id=self.identify("section", name, lineage),
            name=name,
            lineage=lineage,
            base=base,
            order=tuple(self.instruction_ids[each] for each in order),
        )

    def entry(self, sections: Sequence[Section]) -> EntryPoint:
        """The entry point that lists every section."""
        lineage = _generated("emission.entry")
        return EntryPoint(
            id=self.identify("entry", ENTRY, lineage),
            name=ENTRY,
            lineage=lineage,
            sections=tuple(section.id for section in sections),
        )


def _exchanged(collective: Collective) -> CollectiveOperand:
    return CollectiveOperand(
        collective=collective.kind,
        axis=collective.axis,
        reduction=collective.reduction,
        participants=collective.participants,
        message_bytes=collective.message_bytes,
    )


def _of_command(command: Command) -> Lineage:
    return _lineage("emission.instruction", command.id)


def _lineage(transform: str, source: str) -> Lineage:
    return Lineage(kind=LineageKind.LOWERED, transform=transform, sources=(source,))


def _generated(transform: str) -> Lineage:
    return Lineage(kind=LineageKind.GENERATED, transform=transform, sources=())
