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
    data_parallel,
    divided_parameters,
    divided_update,
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
        TensorTarget(Version.GRADIENT_REDUCED, Role.PARAMETER_GRADIENT, Layout.STREAM, data_parallel),
        TensorTarget(Version.GATHERED, Role.PARAMETER, Layout.STREAM, divided_parameters),
        TensorTarget(Version.REGATHERED, Role.PARAMETER, Layout.STREAM, divided_parameters),
        TensorTarget(Version.UPDATED_GATHERED, Role.UPDATED_PARAMETER, Layout.STREAM, divided_update),
    ),
    rewrite="one parameter -> its shard, its gradient's shard, the updated shard",
    preserves=TENSOR_CLAIMS,
    introduces=(),
    workload=Workload.TRAINING,
)
