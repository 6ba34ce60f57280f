"""A parameter with heads or feed-forward columns: divided over the tensor-parallel group, gradient and all."""

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
)

RULE = PassRule(
    id="training.split_parameter",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.DERIVED,
    signature=ValueSource(roles=(Role.PARAMETER,), producers=(None,), split=True),
    targets=(
        TensorTarget(Version.FORWARD, Role.PARAMETER, Layout.STREAM, always),
        TensorTarget(Version.GRADIENT, Role.PARAMETER_GRADIENT, Layout.STREAM, always),
        TensorTarget(Version.UPDATED, Role.UPDATED_PARAMETER, Layout.STREAM, always),
    ),
    rewrite="one parameter -> its shard, its gradient's shard, the updated shard",
    preserves=TENSOR_CLAIMS,
    introduces=(),
    workload=Workload.TRAINING,
)
