"""A parameter that every rank holds whole: norms, and biases of row-parallel projections."""

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
    id="inference.whole_parameter",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.DERIVED,
    signature=ValueSource(roles=(Role.PARAMETER,), producers=(None,), split=False),
    targets=(TensorTarget(Version.FORWARD, Role.PARAMETER, Layout.STREAM, always),),
    rewrite="one parameter -> a copy on every rank",
    preserves=TENSOR_CLAIMS,
    introduces=(),
    workload=Workload.INFERENCE,
)
