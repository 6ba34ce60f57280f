"""The gradient of a pipeline stage's input goes to the stage before it."""

from blueprint.case import Workload
from blueprint.ir.common import LineageKind, Phase, Primitive, Role
from blueprint.ir.distributed import TaskKind
from blueprint.rule import (
    MODEL_TO_DISTRIBUTED,
    TRAFFIC_CLAIMS,
    Elements,
    PassRule,
    Slot,
    TaskTarget,
    ValueSource,
    Version,
    receives,
    version,
)

EDGE = version(Slot.SOURCE, Version.GRADIENT)

RULE = PassRule(
    id="stage.entry_gradient",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.GENERATED,
    signature=ValueSource(roles=(Role.INPUT,), producers=(None,)),
    targets=(
        TaskTarget(
            suffix="send_gradient",
            kind=TaskKind.POINT_TO_POINT,
            phase=Phase.STAGE_BOUNDARY,
            primitive=Primitive.SEND,
            operands=Elements(EDGE),
            reads=(EDGE,),
            writes=(),
            when=receives,
        ),
    ),
    rewrite="the gradient of the input -> sent to the stage before",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    workload=Workload.TRAINING,
    stage=True,
)
