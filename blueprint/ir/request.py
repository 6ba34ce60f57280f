"""The bindings of a derivation: model facts, workload, strategy, target, deployment. Its digest roots every id."""

from __future__ import annotations

import enum
from typing import Annotated, NamedTuple

import msgspec

from blueprint.ir.common import Branch, DType, Positive, Text

Degree = Annotated[int, msgspec.Meta(ge=1, le=65536)]
"""A parallel degree."""


class Activation(enum.Enum):
    """The feed-forward activation functions that laws exist for."""

    GELU = "gelu"


class Recompute(enum.Enum):
    """What is computed again in the backward pass instead of being stored."""

    NONE = "none"
    SELECTIVE = "selective"
    FULL = "full"


class Communication(enum.Enum):
    """How the tensor-parallel group exchanges activations."""

    ALL_REDUCE = "all-reduce"
    SEQUENCE_PARALLEL = "sequence-parallel"


class Scope(enum.Enum):
    """How much of the model a derivation covers."""

    BLOCK = "block"
    STACK = "stack"


class _Binding(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of the binding structures: immutable, closed, built by keyword."""


class ModelFacts(_Binding, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Facts of a classical transformer: widths and counts, each an element count, never rounded.

    `key_value_heads` equals `heads` until the grouped-query laws exist; `biases` says whether the linears have them.
    """

    name: Text
    hidden: Positive
    feedforward: Positive
    heads: Positive
    key_value_heads: Positive
    head_width: Positive
    layers: Positive
    vocabulary: Positive
    positions: Positive
    biases: bool
    activation: Activation


class Training(_Binding, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="purpose", tag="training"):
    """One training step: `batch` sequences of `sequence` tokens in each of `microbatches` microbatches."""

    batch: Positive
    sequence: Positive
    microbatches: Positive
    dtype: DType


class Inference(_Binding, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="purpose", tag="inference"):
    """Generation for `batch` sequences: a prompt of `prompt` tokens, and a last step that sees `context` tokens.

    The step's own new token counts in the context.
    """

    batch: Positive
    prompt: Positive
    context: Positive
    dtype: DType


class Point(NamedTuple):
    """One step of inference: `batch` sequences, `queries` new tokens of each, `context` visible ones with the new."""

    batch: int
    queries: int
    context: int


def point_of(workload: Inference, branch: Branch) -> Point:
    """The step that a branch stands for: all of the prompt at once, or the last single token."""
    if branch is Branch.PREFILL:
        return Point(workload.batch, workload.prompt, workload.prompt)
    return Point(workload.batch, 1, workload.context)


def branches_of(workload: Training | Inference) -> tuple[Branch, ...]:
    """The branches that a workload's derivation has, in order."""
    return (Branch.MAIN,) if isinstance(workload, Training) else (Branch.PREFILL, Branch.FINAL_DECODE)


class Strategy(_Binding, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the work is divided. `gradient_bytes` is the width of one gradient element; `zero` the ZeRO stage.

    `stage` is the pipeline stage that a stack is of, from 0.
    """

    tensor: Degree
    pipeline: Degree
    data: Degree
    recompute: Recompute
    communication: Communication
    zero: Annotated[int, msgspec.Meta(ge=0, le=3)]
    gradient_bytes: Annotated[int, msgspec.Meta(ge=2, le=4)]
    shard_checkpoint: bool
    scope: Scope
    stage: Annotated[int, msgspec.Meta(ge=0, le=65535)]


def blocks_of(model: ModelFacts, strategy: Strategy) -> int:
    """How many blocks a derivation covers: one, or all of a pipeline stage. The layers divide evenly in the domain."""
    return model.layers // strategy.pipeline if strategy.scope is Scope.STACK else 1


class TargetKind(enum.Enum):
    """How a target is told what to do: by queues that issue in order, or by cycles and slots."""

    QUEUE = "queue"
    SLOT = "slot"


class Attention(enum.Enum):
    """Which implementation of an inference step's attention core a target runs, by its name in the plan."""

    UNFUSED = "attention.unfused"
    TILED = "attention.tiled"
    PAGED = "attention.paged"


class Topology(enum.Enum):
    """Which devices reach each other without a third."""

    ALL_TO_ALL = "all-to-all"


class Target(_Binding, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the plan is bound to: a named profile in a revision. `emit` asks for the machine's instructions too.

    A target may fuse the attention core of inference; a training step keeps its scores for the backward pass.
    """

    kind: TargetKind
    name: Text
    architecture: Text
    abi: Text
    revision: Positive
    attention: Attention
    emit: bool


class Neighbour(enum.Enum):
    """The pipeline stages beside a stage."""

    BEFORE = "before"
    AFTER = "after"


def neighbours_of(strategy: Strategy) -> tuple[Neighbour, ...]:
    """The stages that a stack exchanges activations with; a block has none."""
    if strategy.scope is not Scope.STACK:
        return ()
    before = (Neighbour.BEFORE,) if strategy.stage > 0 else ()
    return (*before, Neighbour.AFTER) if strategy.stage < strategy.pipeline - 1 else before


def places_of(strategy: Strategy) -> int:
    """How many devices a bound plan names: one for each rank of the group, and one of each stage beside it."""
    return strategy.tensor + len(neighbours_of(strategy))


class Deployment(_Binding, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the plan is to run: how many devices there are, and, where it is named, the memory of each in bytes."""

    devices: Positive
    topology: Topology
    device_memory: Positive | msgspec.UnsetType = msgspec.UNSET


class Request(_Binding, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Everything that a derivation depends on, apart from the rulebook; target and deployment only where named."""

    model: ModelFacts
    workload: Training | Inference
    strategy: Strategy
    target: Target | msgspec.UnsetType = msgspec.UNSET
    deployment: Deployment | msgspec.UnsetType = msgspec.UNSET
