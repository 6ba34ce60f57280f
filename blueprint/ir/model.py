"""ModelIR: a block, or a stack, as an SSA graph over logical tensors. No ranks, no devices, no bytes, no time."""

from __future__ import annotations

import enum
from typing import Annotated

import msgspec

from blueprint.ir.common import Axis, Count, DType, EntityId, Header, Name, Positive, Role
from blueprint.ir.request import ModelFacts

Axes = Annotated[tuple[Axis, ...], msgspec.Meta(min_length=1, max_length=4)]
Shape = Annotated[tuple[Positive, ...], msgspec.Meta(min_length=1, max_length=4)]
"""A value of a block has at most four axes; the law of buffer sizes is proved for one to four."""

Ids = Annotated[tuple[EntityId, ...], msgspec.Meta(max_length=65536)]


class OperationKind(enum.StrEnum):
    """The operations of a classical transformer block, by their place in it. An extension may name more of them."""

    ATTENTION_NORM = "attention_norm"
    QUERY_PROJECTION = "query_projection"
    KEY_PROJECTION = "key_projection"
    VALUE_PROJECTION = "value_projection"
    SCORES = "scores"
    SOFTMAX = "softmax"
    ATTENTION_DROPOUT = "attention_dropout"
    CONTEXT = "context"
    OUTPUT_PROJECTION = "output_projection"
    OUTPUT_DROPOUT = "output_dropout"
    ATTENTION_RESIDUAL = "attention_residual"
    MLP_NORM = "mlp_norm"
    UP_PROJECTION = "up_projection"
    ACTIVATION = "activation"
    DOWN_PROJECTION = "down_projection"
    MLP_DROPOUT = "mlp_dropout"
    MLP_RESIDUAL = "mlp_residual"


class ModelValue(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A logical tensor: one size for each named axis, in elements."""

    id: EntityId
    name: Name
    role: Role
    dtype: DType
    axes: Axes
    shape: Shape


class Operation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One operation: its kind, its ordered inputs (activations, then parameters), its single result.

    `block` counts the blocks of a stack from 0.
    """

    id: EntityId
    name: Name
    kind: Name
    block: Count
    inputs: Ids
    result: EntityId


class ModelIR(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="schema", tag="blueprint.model"
):
    """The block or stack that a request describes: equal, byte for byte, to the front end's result for that request."""

    header: Header
    facts: ModelFacts
    inputs: Ids
    outputs: Ids
    values: Annotated[tuple[ModelValue, ...], msgspec.Meta(max_length=1_000_000)]
    operations: Annotated[tuple[Operation, ...], msgspec.Meta(max_length=1_000_000)]
