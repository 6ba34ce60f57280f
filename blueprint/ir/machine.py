"""MachineIR: sections of instructions with typed operands, and where to begin. No cost."""

from __future__ import annotations

import enum
from typing import Annotated

import msgspec

from blueprint.ir.common import Count, EntityId, Header, Lineage, Name, Positive, Text
from blueprint.ir.concrete import AccessMode, Order
from blueprint.ir.distributed import CollectiveKind, MeshAxis, Ranks, Reduction
from blueprint.ir.model import Ids
from blueprint.ir.request import Neighbour


class Opcode(enum.Enum):
    """What an instruction does."""

    LAUNCH = "launch"
    COLLECTIVE = "collective"
    TRANSFER = "transfer"
    BARRIER = "barrier"
    HOST_CALL = "host_call"


class _Struct(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of this stage's structures."""


class MemoryOperand(_Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="memory"):
    """Bytes of a region: its name, where they begin, how many there are, and what is done with them."""

    region: Name
    offset: Count
    size: Positive
    mode: AccessMode


class CollectiveOperand(
    _Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="collective"
):
    """What a collective exchanges among which devices, by ordinal; the message in bytes."""

    collective: CollectiveKind
    axis: MeshAxis
    reduction: Reduction
    participants: Ranks
    message_bytes: Count


class PeerOperand(_Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="peer"):
    """The pipeline stage that a transfer exchanges with."""

    stage: Neighbour


Operand = MemoryOperand | CollectiveOperand | PeerOperand


class Instruction(_Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One instruction, and the instructions that must have ended before it."""

    id: EntityId
    name: Name
    lineage: Lineage
    source_command: EntityId
    opcode: Opcode
    implementation: Name
    operands: Annotated[tuple[Operand, ...], msgspec.Meta(max_length=4096)]
    dependencies: Ids


class Section(_Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Instructions in issue order. `base` counts those of the sections before it."""

    id: EntityId
    name: Name
    lineage: Lineage
    base: Count
    order: Order


class EntryPoint(_Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where a device begins: sections that run side by side."""

    id: EntityId
    name: Name
    lineage: Lineage
    sections: Annotated[tuple[EntityId, ...], msgspec.Meta(max_length=64)]


class MachineIR(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="schema", tag="blueprint.machine"
):
    """The instructions of one device of the class, in canonical order, and the sections that issue them."""

    header: Header
    target: Text
    instructions: Annotated[tuple[Instruction, ...], msgspec.Meta(max_length=1_000_000)]
    sections: Annotated[tuple[Section, ...], msgspec.Meta(max_length=64)]
    entries: Annotated[tuple[EntryPoint, ...], msgspec.Meta(min_length=1, max_length=64)]
