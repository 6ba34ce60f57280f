"""A parameter that every rank holds whole: norms, and biases of row-parallel projections.

Under sequence parallelism a rank sees only its tokens, so its gradient is an addend.
"""

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
    sums_whole_gradients,
)

RULE = PassRule(
    id="training.whole_parameter",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.DERIVED,
    signature=ValueSource(roles=(Role.PARAMETER,), producers=(None,), split=False),
    targets=(
        TensorTarget(Version.FORWARD, Role.PARAMETER, Layout.STREAM, always),
        TensorTarget(Version.GRADIENT, Role.PARAMETER_GRADIENT, Layout.SEQUENCE_ADDENDS, always),
        TensorTarget(Version.UPDATED, Role.UPDATED_PARAMETER, Layout.STREAM, always),
        TensorTarget(Version.GRADIENT_SUMMED, Role.PARAMETER_GRADIENT, Layout.STREAM, sums_whole_gradients),
        TensorTarget(Version.GRADIENT_REDUCED, Role.PARAMETER_GRADIENT, Layout.STREAM, data_parallel),
        TensorTarget(Version.GATHERED, Role.PARAMETER, Layout.STREAM, divided_parameters),
        TensorTarget(Version.REGATHERED, Role.PARAMETER, Layout.STREAM, divided_parameters),
        TensorTarget(Version.UPDATED_GATHERED, Role.UPDATED_PARAMETER, Layout.STREAM, divided_update),
    ),
    rewrite="one parameter -> a copy on every rank, its gradient (an addend if the sequence is split), the update",
    preserves=TENSOR_CLAIMS,
    introduces=(),
    workload=Workload.TRAINING,
)
