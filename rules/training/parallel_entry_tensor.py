"""A norm's result, where the tensor-parallel region begins.

Under sequence parallelism only the shard is kept, and the whole is gathered forward and again in the backward pass.
Every rank's gradient of it is an addend, summed by a collective.
"""

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
    recomputed,
    sequence_parallel,
    tensor_parallel,
)

RULE = PassRule(
    id="training.parallel_entry_tensor",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.DERIVED,
    signature=ValueSource(roles=(Role.ACTIVATION,), producers=(OperationKind.ATTENTION_NORM, OperationKind.MLP_NORM)),
    targets=(
        TensorTarget(Version.FORWARD, Role.ACTIVATION, Layout.STREAM, always),
        TensorTarget(Version.COMMUNICATED, Role.ACTIVATION, Layout.GATHERED, sequence_parallel),
        TensorTarget(Version.RECOMPUTED, Role.ACTIVATION, Layout.STREAM, recomputed),
        TensorTarget(Version.RECOMMUNICATED, Role.ACTIVATION, Layout.GATHERED, sequence_parallel),
        TensorTarget(Version.CONTRIBUTION, Role.GRADIENT, Layout.ADDENDS, always),
        TensorTarget(Version.GRADIENT, Role.GRADIENT, Layout.ADDENDS, always),
        TensorTarget(Version.GRADIENT_COMMUNICATED, Role.GRADIENT, Layout.STREAM, tensor_parallel),
    ),
    rewrite="one logical tensor -> shard, gathered copy, gradient addends, gradient",
    preserves=TENSOR_CLAIMS,
    introduces=(),
    workload=Workload.TRAINING,
)
