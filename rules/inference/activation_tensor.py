"""An activation of one step: heads and feed-forward columns divided over the group, the stream whole."""

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
)

RULE = PassRule(
    id="inference.activation_tensor",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.DERIVED,
    signature=ValueSource(
        roles=(Role.INPUT, Role.ACTIVATION),
        producers=(
            None,
            OperationKind.ATTENTION_NORM,
            OperationKind.QUERY_PROJECTION,
            OperationKind.SCORES,
            OperationKind.SOFTMAX,
            OperationKind.CONTEXT,
            OperationKind.ATTENTION_RESIDUAL,
            OperationKind.MLP_NORM,
            OperationKind.UP_PROJECTION,
            OperationKind.ACTIVATION,
            OperationKind.MLP_RESIDUAL,
        ),
    ),
    targets=(TensorTarget(Version.FORWARD, Role.ACTIVATION, Layout.STREAM, always),),
    rewrite="one logical tensor -> the rows of this step, or one rank's shard of them",
    preserves=TENSOR_CLAIMS,
    introduces=(),
    workload=Workload.INFERENCE,
)
