"""The result of a row-parallel projection, where the tensor-parallel region ends: addends, then their sum."""

from blueprint.case import Workload
from blueprint.ir.common import LineageKind, Role
from blueprint.rule import (
    MODEL_TO_DISTRIBUTED,
    PARALLEL_EXIT,
    TENSOR_CLAIMS,
    Layout,
    PassRule,
    TensorTarget,
    ValueSource,
    Version,
    always,
    tensor_parallel,
)

RULE = PassRule(
    id="inference.parallel_exit_tensor",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.DERIVED,
    signature=ValueSource(roles=(Role.ACTIVATION,), producers=PARALLEL_EXIT),
    targets=(
        TensorTarget(Version.FORWARD, Role.ACTIVATION, Layout.ADDENDS, always),
        TensorTarget(Version.COMMUNICATED, Role.ACTIVATION, Layout.STREAM, tensor_parallel),
    ),
    rewrite="one logical tensor -> addends of this step's rows, and their sum",
    preserves=TENSOR_CLAIMS,
    introduces=(),
    workload=Workload.INFERENCE,
)
