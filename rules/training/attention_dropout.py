"""Dropout of the attention probabilities; its gradient reads the mask."""

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
    id="training.attention_dropout",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.LOWERED,
    signature=OperationSource((OperationKind.ATTENTION_DROPOUT,)),
    targets=(
        compute(
            Phase.FORWARD,
            Primitive.DROPOUT,
            SIZES,
            reads=(used(X),),
            writes=(version(RESULT, Version.FORWARD), version(RESULT, Version.MASK)),
        ),
        compute(
            Phase.RECOMPUTE,
            Primitive.DROPOUT,
            SIZES,
            reads=(saved(X),),
            writes=(version(RESULT, Version.RECOMPUTED), version(RESULT, Version.MASK_RECOMPUTED)),
            when=recomputed,
        ),
        compute(
            Phase.ACTIVATION_GRADIENT,
            Primitive.DROPOUT,
            SIZES,
            reads=(gradient(), version(RESULT, Version.MASK_RECOMPUTED, Version.MASK)),
            writes=(contribution(X),),
        ),
    ),
    rewrite="dropout -> forward with mask, [recompute with a new mask,] activation gradient",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    workload=Workload.TRAINING,
)
