"""The scaled queries as the group holds them: forward, recomputed, and their gradient."""

from blueprint.case import Workload
from blueprint.ir.common import LineageKind, Role
from blueprint.rule import (
    MODEL_TO_DISTRIBUTED,
    TENSOR_CLAIMS,
    Layout,
    PassRule,
    TensorTarget,
    ValueSource,
    Version,
    always,
    made_again,
)

RULE = PassRule(
    id="scaling.training_tensor",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.DERIVED,
    signature=ValueSource(roles=(Role.ACTIVATION,), producers=("query_scale",)),
    targets=(
        TensorTarget(Version.FORWARD, Role.ACTIVATION, Layout.STREAM, always),
        TensorTarget(Version.RECOMPUTED, Role.ACTIVATION, Layout.STREAM, made_again),
        TensorTarget(Version.GRADIENT, Role.GRADIENT, Layout.STREAM, always),
    ),
    rewrite="scaled queries -> their shard on every rank, and its gradient's",
    preserves=TENSOR_CLAIMS,
    introduces=(),
    workload=Workload.TRAINING,
)
