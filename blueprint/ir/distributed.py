"""DistributedTaskIR: logical tasks of one tensor-parallel group. No device, no queue, no kernel, no time.

One task stands for a class of ranks that do the same work; every fact is per rank.
"""

from __future__ import annotations

import enum
from typing import Annotated

import msgspec

from blueprint.ir.common import (
    Axis,
    Count,
    DType,
    EntityId,
    Header,
    Lineage,
    Name,
    Phase,
    Positive,
    Rank,
    Role,
)
from blueprint.ir.model import Axes, Ids, Shape
from blueprint.ir.request import Degree

Ranks = Annotated[tuple[Rank, ...], msgspec.Meta(min_length=1, max_length=65536)]


class TaskKind(enum.Enum):
    """What sort of step a task is."""

    COMPUTE = "compute"
    COLLECTIVE = "collective"
    POINT_TO_POINT = "point_to_point"


class MeshAxis(enum.Enum):
    """The axis of the mesh along which a collective's participants are numbered."""

    TENSOR = "tensor"
    DATA = "data"


class CollectiveKind(enum.Enum):
    """The logical collectives; none of them names an algorithm."""

    ALL_REDUCE = "all_reduce"
    ALL_GATHER = "all_gather"
    REDUCE_SCATTER = "reduce_scatter"


class Reduction(enum.Enum):
    """How a collective combines contributions."""

    NONE = "none"
    SUM = "sum"


class Mesh(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The logical mesh and the ranks of the group that this snapshot describes."""

    tensor: Degree
    pipeline: Degree
    data: Degree
    ranks: Ranks


class DistributedValue(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A tensor as the group holds it.

    `split` lists the axes divided over the tensor-parallel group, `local_shape` the sizes on one rank, in elements.
    `partial` marks per-rank addends of the logical value, still to be summed.
    """

    id: EntityId
    name: Name
    lineage: Lineage
    source_value: EntityId
    role: Role
    dtype: DType
    axes: Axes
    shape: Shape
    split: Annotated[tuple[Axis, ...], msgspec.Meta(max_length=8)]
    local_shape: Shape
    partial: bool
    ranks: Ranks


class Work(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Work of one rank: arithmetic operations, bytes read, bytes written, bytes of message."""

    operations: Count
    read_bytes: Count
    write_bytes: Count
    message_bytes: Count


class Operand(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One dimension of a primitive, by the letter that its formula uses, in elements."""

    name: Name
    size: Positive


class Collective(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is exchanged, among whom. `message_bytes` is the full-tensor side, without a ring factor.

    `participants` are numbered along `axis`, from 0, in the group that a rank is in.
    """

    kind: CollectiveKind
    axis: MeshAxis
    participants: Ranks
    reduction: Reduction
    message_bytes: Count


class EffectKind(enum.Enum):
    """What a task does to state that outlives its step."""

    KV_READ = "kv_read"
    KV_WRITE = "kv_write"


class Effect(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The bytes of a cache that a task reads or appends on one rank; they are among the bytes of its work."""

    kind: EffectKind
    value: EntityId
    size: Positive


class Task(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One task of a rank class, with its primitive, its local operand sizes, its data flow and its work."""

    id: EntityId
    name: Name
    lineage: Lineage
    kind: TaskKind
    phase: Phase
    primitive: Name
    operands: Annotated[tuple[Operand, ...], msgspec.Meta(max_length=8)]
    inputs: Ids
    outputs: Ids
    ranks: Ranks
    work: Work
    effects: Annotated[tuple[Effect, ...], msgspec.Meta(max_length=8)]
    collective: Collective | msgspec.UnsetType = msgspec.UNSET


class DistributedTaskIR(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    kw_only=True,
    tag_field="schema",
    tag="blueprint.distributed",
):
    """The tasks and values of one tensor-parallel group, in canonical order."""

    header: Header
    mesh: Mesh
    inputs: Ids
    outputs: Ids
    values: Annotated[tuple[DistributedValue, ...], msgspec.Meta(max_length=1_000_000)]
    tasks: Annotated[tuple[Task, ...], msgspec.Meta(max_length=1_000_000)]
