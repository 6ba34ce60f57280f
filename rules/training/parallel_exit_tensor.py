"""The result of a row-parallel projection, where the tensor-parallel region ends: addends, then their sum."""

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
    fully_recomputed,
    recomputed,
    sequence_parallel,
    tensor_parallel,
)

RULE = PassRule(
    id="training.parallel_exit_tensor",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.DERIVED,
    signature=ValueSource(
        roles=(Role.ACTIVATION,),
        producers=(OperationKind.OUTPUT_PROJECTION, OperationKind.DOWN_PROJECTION),
    ),
    targets=(
        TensorTarget(Version.FORWARD, Role.ACTIVATION, Layout.ADDENDS, always),
        TensorTarget(Version.COMMUNICATED, Role.ACTIVATION, Layout.STREAM, tensor_parallel),
        TensorTarget(Version.RECOMPUTED, Role.ACTIVATION, Layout.ADDENDS, recomputed),
        TensorTarget(Version.RECOMMUNICATED, Role.ACTIVATION, Layout.STREAM, fully_recomputed(tensor_parallel)),
        TensorTarget(Version.GRADIENT, Role.GRADIENT, Layout.STREAM, always),
        TensorTarget(Version.GRADIENT_COMMUNICATED, Role.GRADIENT, Layout.GATHERED, sequence_parallel),
    ),
    rewrite="one logical tensor -> addends, their sum, gradient, gathered gradient",
    preserves=TENSOR_CLAIMS,
    introduces=(),
    workload=Workload.TRAINING,
)
