"""The input of a pipeline stage comes from the stage before it."""

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

EDGE = version(Slot.SOURCE, Version.FORWARD)

RULE = PassRule(
    id="stage.entry",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.GENERATED,
    signature=ValueSource(roles=(Role.INPUT,), producers=(None,)),
    targets=(
        TaskTarget(
            suffix="receive",
            kind=TaskKind.POINT_TO_POINT,
            phase=Phase.STAGE_BOUNDARY,
            primitive=Primitive.RECEIVE,
            operands=Elements(EDGE),
            reads=(),
            writes=(EDGE,),
            when=receives,
        ),
    ),
    rewrite="the input of the first block -> received from the stage before",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    stage=True,
)
