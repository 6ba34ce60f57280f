"""ConcretePlanIR: a plan bound to a target's devices, memory and issue order. No time and no cost."""

from __future__ import annotations

import enum
from typing import Annotated

import msgspec

from blueprint.ir.common import Count, EntityId, Header, Lineage, Name, Positive, Rank, Text
from blueprint.ir.distributed import Collective
from blueprint.ir.model import Ids
from blueprint.ir.request import Neighbour


class CommandKind(enum.Enum):
    """What a device is told to do."""

    LAUNCH = "launch"
    COLLECTIVE = "collective"
    TRANSFER = "transfer"
    BARRIER = "barrier"
    HOST_CALL = "host_call"


class QueueCategory(enum.Enum):
    """The queues of a target, in canonical order."""

    COMPUTE = "compute"
    COLLECTIVE = "collective"
    TRANSFER = "transfer"
    HOST = "host"


class AccessMode(enum.Enum):
    """What a command does with a buffer."""

    READ = "read"
    WRITE = "write"
    READ_WRITE = "read_write"


class _Struct(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of this stage's structures."""


Devices = Annotated[tuple[EntityId, ...], msgspec.Meta(min_length=1, max_length=65536)]
"""Ids of devices, in the order of their ordinals."""

Order = Annotated[tuple[EntityId, ...], msgspec.Meta(max_length=1_000_000)]
"""Ids in issue order."""


class Device(_Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One device of the group; its ordinal is the rank that it runs."""

    id: EntityId
    name: Name
    lineage: Lineage
    ordinal: Rank


class Region(_Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Memory that every one of its devices has, in bytes.

    `capacity` is what is there, `extent` what the buffers in it take up from offset 0 to the end of the last one,
    `alignment` that of its base.
    """

    id: EntityId
    name: Name
    lineage: Lineage
    devices: Devices
    capacity: Count
    extent: Count
    alignment: Positive


class BufferBinding(_Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where one portable buffer lies: bytes from the region's base, and how many."""

    id: EntityId
    name: Name
    lineage: Lineage
    source_buffer: EntityId
    region: EntityId
    offset: Count
    size: Positive
    alignment: Positive


class BufferUse(_Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One buffer that a command touches."""

    buffer: EntityId
    mode: AccessMode


class Command(_Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One command with its implementation; `operations` is the canonical count of the tasks that it carries out.

    `peer` is the pipeline stage that a transfer exchanges with.
    """

    id: EntityId
    name: Name
    lineage: Lineage
    kind: CommandKind
    implementation: Name
    operations: Count
    uses: Annotated[tuple[BufferUse, ...], msgspec.Meta(max_length=4096)]
    dependencies: Ids
    devices: Devices
    collective: Collective | msgspec.UnsetType = msgspec.UNSET
    peer: Neighbour | msgspec.UnsetType = msgspec.UNSET


class Queue(_Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One queue with its issue order."""

    id: EntityId
    name: Name
    lineage: Lineage
    category: QueueCategory
    order: Order


class Wait(_Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A command that is not issued before a command of another queue has ended."""

    command: EntityId
    on: EntityId


class QueueExtension(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="queues"
):
    """What a target with queues is told beside the commands."""

    queues: Annotated[tuple[Queue, ...], msgspec.Meta(max_length=8)]
    waits: Annotated[tuple[Wait, ...], msgspec.Meta(max_length=1_000_000)]


class Issue(_Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The cycle and the slot in which a command is issued."""

    command: EntityId
    cycle: Count
    slot: Count


class Route(_Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """From which device to which a transfer goes."""

    command: EntityId
    source: EntityId
    destination: EntityId


class SlotExtension(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="slots"
):
    """What a target with issue slots is told beside the commands."""

    issues: Annotated[tuple[Issue, ...], msgspec.Meta(max_length=1_000_000)]
    routes: Annotated[tuple[Route, ...], msgspec.Meta(max_length=1_000_000)]


class ConcretePlanIR(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="schema", tag="blueprint.concrete"
):
    """The commands and buffers of one rank group on a target, in canonical order.

    `workspace` is that of the implementation that runs the attention core, in bytes; 0 in training, which has none.
    """

    header: Header
    target: Text
    inputs: Ids
    outputs: Ids
    devices: Annotated[tuple[Device, ...], msgspec.Meta(min_length=1, max_length=65536)]
    regions: Annotated[tuple[Region, ...], msgspec.Meta(min_length=1, max_length=64)]
    buffers: Annotated[tuple[BufferBinding, ...], msgspec.Meta(max_length=1_000_000)]
    commands: Annotated[tuple[Command, ...], msgspec.Meta(max_length=1_000_000)]
    workspace: Count
    extension: QueueExtension | SlotExtension
