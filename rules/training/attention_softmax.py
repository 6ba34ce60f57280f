"""Row-wise softmax of the attention scores; its gradient reads its own result."""

from blueprint.case import Workload
from blueprint.ir.common import LineageKind, Phase, Primitive
from blueprint.ir.model import OperationKind
from blueprint.rule import (
    MODEL_TO_DISTRIBUTED,
    TRAFFIC_CLAIMS,
    Elements,
    OperationSource,
    PassRule,
    Slot,
    Version,
    compute,
    contribution,
    gradient,
    recomputed,
    saved,
    used,
    version,
)

X, RESULT = Slot.FIRST, Slot.RESULT
SIZES = Elements(version(RESULT, Version.FORWARD))

RULE = PassRule(
    id="training.attention_softmax",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.LOWERED,
    signature=OperationSource((OperationKind.SOFTMAX,)),
    targets=(
        compute(
            Phase.FORWARD,
            Primitive.SOFTMAX,
            SIZES,
            reads=(used(X),),
            writes=(version(RESULT, Version.FORWARD),),
        ),
        compute(
            Phase.RECOMPUTE,
            Primitive.SOFTMAX,
            SIZES,
            reads=(saved(X),),
            writes=(version(RESULT, Version.RECOMPUTED),),
            when=recomputed,
        ),
        compute(
            Phase.ACTIVATION_GRADIENT,
            Primitive.SOFTMAX,
            SIZES,
            reads=(gradient(), saved(RESULT)),
            writes=(contribution(X),),
        ),
    ),
    rewrite="softmax -> forward, [recompute,] activation gradient",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    workload=Workload.TRAINING,
)
