"""The scaled queries of one step, their heads divided over the group."""

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
    id="scaling.inference_tensor",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.DERIVED,
    signature=ValueSource(roles=(Role.ACTIVATION,), producers=("query_scale",)),
    targets=(TensorTarget(Version.FORWARD, Role.ACTIVATION, Layout.STREAM, always),),
    rewrite="scaled queries -> one rank's shard of this step's rows",
    preserves=TENSOR_CLAIMS,
    introduces=(),
    workload=Workload.INFERENCE,
)
