"""GELU between the MLP's projections; its gradient reads its input."""

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
    id="training.mlp_activation",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.LOWERED,
    signature=OperationSource((OperationKind.ACTIVATION,)),
    targets=(
        compute(
            Phase.FORWARD,
            Primitive.GELU,
            SIZES,
            reads=(used(X),),
            writes=(version(RESULT, Version.FORWARD),),
        ),
        compute(
            Phase.RECOMPUTE,
            Primitive.GELU,
            SIZES,
            reads=(saved(X),),
            writes=(version(RESULT, Version.RECOMPUTED),),
            when=recomputed,
        ),
        compute(
            Phase.ACTIVATION_GRADIENT,
            Primitive.GELU,
            SIZES,
            reads=(gradient(), saved(X)),
            writes=(contribution(X),),
        ),
    ),
    rewrite="GELU -> forward, [recompute,] activation gradient",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    workload=Workload.TRAINING,
)
