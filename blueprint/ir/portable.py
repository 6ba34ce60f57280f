"""PortablePlanIR: exact work and buffers of every task, for any target. No address, no kernel, no time."""

from __future__ import annotations

import enum
from typing import Annotated, Final

import msgspec

from blueprint.ir.common import Count, DType, EntityId, Header, Lineage, Name, Phase, Positive, Primitive, Role
from blueprint.ir.distributed import Collective, EffectKind, Ranks, TaskKind
from blueprint.ir.model import Ids

ATTENTION_PRIMITIVES: Final = (Primitive.BATCHED_MATMUL, Primitive.SOFTMAX)
"""What the attention core is made of, and nothing else in a block."""


class StorageClass(enum.Enum):
    """How long a buffer lives: over the step, from forward to backward (alone, or to start again from), within one."""

    PERSISTENT = "persistent"
    SAVED = "saved"
    CHECKPOINT = "checkpoint"
    STEP = "step"


class ConcurrencyGroup(enum.Enum):
    """Which logical resource a task occupies; tasks of different groups may overlap."""

    COMPUTE = "compute"
    COLLECTIVE = "collective"
    TRANSFER = "transfer"


class WorkloadFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The exact work vector of one rank, copied component by component: operations and bytes."""

    operations: Count
    read_bytes: Count
    write_bytes: Count
    message_bytes: Count


class Resources(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Non-lossy projections of the work vector: operations, memory bytes, network bytes."""

    compute: Count
    memory: Count
    network: Count


class Implementation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a target must be able to do, and which alternatives may do it."""

    capability: Name
    alternatives: Annotated[tuple[Name, ...], msgspec.Meta(min_length=1, max_length=16)]


class PlanEffect(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The bytes of a cache's buffer that a task reads or appends; they are among the bytes of its work."""

    kind: EffectKind
    buffer: EntityId
    size: Positive


class PlanTask(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One portable task: exact work, its projections, its buffers and the tasks that must end before it."""

    id: EntityId
    name: Name
    lineage: Lineage
    kind: TaskKind
    phase: Phase
    primitive: Name
    inputs: Ids
    outputs: Ids
    dependencies: Ids
    ranks: Ranks
    work: WorkloadFacts
    resources: Resources
    implementation: Implementation
    group: ConcurrencyGroup
    effects: Annotated[tuple[PlanEffect, ...], msgspec.Meta(max_length=8)]
    collective: Collective | msgspec.UnsetType = msgspec.UNSET


class Buffer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The storage of one distributed value on one rank, in bytes, with its producer and consumers."""

    id: EntityId
    name: Name
    lineage: Lineage
    source_value: EntityId
    role: Role
    dtype: DType
    size: Positive
    alignment: Positive
    storage: StorageClass
    consumers: Ids
    producer: EntityId | msgspec.UnsetType = msgspec.UNSET


class Objective(enum.Enum):
    """What a binding of the plan may minimise."""

    STEP_TIME = "step_time"
    PEAK_MEMORY = "peak_memory"


class TrainingMemory(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="training"
):
    """What one rank holds for the block: parameters in elements, all else in bytes.

    `stored` are activations of one microbatch that wait for its backward pass, `working` those that the backward pass
    makes again and reads beside them, `checkpoint` the block's input where everything is made again.
    """

    parameters: Count
    weights: Count
    gradients: Count
    optimizer: Count
    stored: Count
    working: Count
    checkpoint: Count


class InferenceMemory(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="inference"
):
    """What one rank holds for the block in one step: parameters in elements, all else in bytes.

    `kv` are the caches of all visible tokens; `boundary` the rows of the residual stream; `workspace` these and the
    largest intermediate, while nothing is fused.
    """

    parameters: Count
    weights: Count
    kv: Count
    boundary: Count
    workspace: Count


class Alternative(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One implementation of the attention core that a binding may choose, and the workspace that a step needs with it.

    The operations of the core are the same with each; the workspace, in bytes, is that of its own intermediates.
    """

    name: Name
    capability: Name
    workspace: Positive


MemoryFacts = TrainingMemory | InferenceMemory


class PortablePlanIR(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="schema", tag="blueprint.portable"
):
    """The portable tasks and buffers of one rank group, in canonical order, and what one rank holds.

    `alternatives` are the implementations of an inference step's attention core.
    """

    header: Header
    inputs: Ids
    outputs: Ids
    buffers: Annotated[tuple[Buffer, ...], msgspec.Meta(max_length=1_000_000)]
    tasks: Annotated[tuple[PlanTask, ...], msgspec.Meta(max_length=1_000_000)]
    memory: MemoryFacts
    alternatives: Annotated[tuple[Alternative, ...], msgspec.Meta(max_length=16)]
    objectives: Annotated[tuple[Objective, ...], msgspec.Meta(min_length=1, max_length=8)]
