"""The result of a pipeline stage goes to the stage after it."""

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

EDGE = version(Slot.SOURCE, Version.FORWARD)

RULE = PassRule(
    id="stage.exit",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.GENERATED,
    signature=ValueSource(roles=(Role.ACTIVATION,), producers=(OperationKind.MLP_RESIDUAL,), output=True),
    targets=(
        TaskTarget(
            suffix="send",
            kind=TaskKind.POINT_TO_POINT,
            phase=Phase.STAGE_BOUNDARY,
            primitive=Primitive.SEND,
            operands=Elements(EDGE),
            reads=(EDGE,),
            writes=(),
            when=sends,
        ),
    ),
    rewrite="the result of the last block -> sent to the stage after",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    stage=True,
)
