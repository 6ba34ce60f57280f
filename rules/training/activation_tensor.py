"""An activation as the group holds it: forward, recomputed, its gradient, and each consumer's part of that."""

from blueprint.case import Workload
from blueprint.ir.common import LineageKind, Role
from blueprint.ir.model import OperationKind
from blueprint.rule import (
    MODEL_TO_DISTRIBUTED,
    TENSOR_CLAIMS,
    Layout,
    PassRule,
    TensorTarget,
    ValueSource,
    Version,
    always,
    discarded,
    made_again,
)

RULE = PassRule(
    id="training.activation_tensor",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.DERIVED,
    signature=ValueSource(
        roles=(Role.INPUT, Role.ACTIVATION),
        producers=(
            None,
            OperationKind.QUERY_PROJECTION,
            OperationKind.KEY_PROJECTION,
            OperationKind.VALUE_PROJECTION,
            OperationKind.SCORES,
            OperationKind.SOFTMAX,
            OperationKind.ATTENTION_DROPOUT,
            OperationKind.CONTEXT,
            OperationKind.OUTPUT_DROPOUT,
            OperationKind.ATTENTION_RESIDUAL,
            OperationKind.UP_PROJECTION,
            OperationKind.ACTIVATION,
            OperationKind.MLP_DROPOUT,
            OperationKind.MLP_RESIDUAL,
        ),
    ),
    targets=(
        TensorTarget(Version.FORWARD, Role.ACTIVATION, Layout.STREAM, always),
        TensorTarget(Version.RECOMPUTED, Role.ACTIVATION, Layout.STREAM, made_again),
        TensorTarget(Version.DISCARDED, Role.ACTIVATION, Layout.STREAM, discarded),
        TensorTarget(Version.CONTRIBUTION, Role.GRADIENT, Layout.STREAM, always),
        TensorTarget(Version.GRADIENT, Role.GRADIENT, Layout.STREAM, always),
    ),
    rewrite="one logical tensor -> its shard on every rank, and its gradient's",
    preserves=TENSOR_CLAIMS,
    introduces=(),
    workload=Workload.TRAINING,
)
