"""A parameter with heads or feed-forward columns: divided over the tensor-parallel group."""

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
    id="inference.split_parameter",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.DERIVED,
    signature=ValueSource(roles=(Role.PARAMETER,), producers=(None,), split=True),
    targets=(TensorTarget(Version.FORWARD, Role.PARAMETER, Layout.STREAM, always),),
    rewrite="one parameter -> its shard on every rank",
    preserves=TENSOR_CLAIMS,
    introduces=(),
    workload=Workload.INFERENCE,
)
