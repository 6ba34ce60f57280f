"""The gradient of a pipeline stage's result comes from the stage after it."""

from blueprint.case import Workload
from blueprint.ir.common import LineageKind, Phase, Primitive, Role
from blueprint.ir.distributed import TaskKind
from blueprint.ir.model import OperationKind
from blueprint.rule import (
    MODEL_TO_DISTRIBUTED,
    TRAFFIC_CLAIMS,
    Elements,
    PassRule,
    Slot,
    TaskTarget,
    ValueSource,
    Version,
    sends,
    version,
)

EDGE = version(Slot.SOURCE, Version.GRADIENT)

RULE = PassRule(
    id="stage.exit_gradient",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.GENERATED,
    signature=ValueSource(roles=(Role.ACTIVATION,), producers=(OperationKind.MLP_RESIDUAL,), output=True),
    targets=(
        TaskTarget(
            suffix="receive_gradient",
            kind=TaskKind.POINT_TO_POINT,
            phase=Phase.STAGE_BOUNDARY,
            primitive=Primitive.RECEIVE,
            operands=Elements(EDGE),
            reads=(),
            writes=(EDGE,),
            when=sends,
        ),
    ),
    rewrite="the gradient of the result -> received from the stage after",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    workload=Workload.TRAINING,
    stage=True,
)
