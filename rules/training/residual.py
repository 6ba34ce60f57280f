"""Residual sum; its gradient is written once for each of its two arguments."""

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

X, Y, RESULT = Slot.FIRST, Slot.SECOND, Slot.RESULT
SIZES = Elements(version(RESULT, Version.FORWARD))

RULE = PassRule(
    id="training.residual",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.LOWERED,
    signature=OperationSource((OperationKind.ATTENTION_RESIDUAL, OperationKind.MLP_RESIDUAL)),
    targets=(
        compute(
            Phase.FORWARD,
            Primitive.RESIDUAL,
            SIZES,
            reads=(used(X), used(Y)),
            writes=(version(RESULT, Version.FORWARD),),
        ),
        compute(
            Phase.RECOMPUTE,
            Primitive.RESIDUAL,
            SIZES,
            reads=(saved(X), saved(Y)),
            writes=(version(RESULT, Version.RECOMPUTED),),
            when=recomputed,
        ),
        compute(
            Phase.ACTIVATION_GRADIENT,
            Primitive.RESIDUAL,
            SIZES,
            reads=(gradient(),),
            writes=(contribution(X), contribution(Y)),
        ),
    ),
    rewrite="residual -> forward, [recompute,] gradients of both arguments",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    workload=Workload.TRAINING,
)
