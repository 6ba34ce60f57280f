"""Layer norm before attention and before the MLP; its parameters' gradients come from the same kernel."""

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
    used_again,
    version,
)

X, GAIN, BIAS, RESULT = Slot.FIRST, Slot.SECOND, Slot.THIRD, Slot.RESULT
PARAMETERS = (used(GAIN), used(BIAS))
SIZES = Elements(version(RESULT, Version.FORWARD), width=True)

RULE = PassRule(
    id="training.normalization",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.LOWERED,
    signature=OperationSource((OperationKind.ATTENTION_NORM, OperationKind.MLP_NORM)),
    targets=(
        compute(
            Phase.FORWARD,
            Primitive.LAYER_NORM,
            SIZES,
            reads=(used(X), *PARAMETERS),
            writes=(version(RESULT, Version.FORWARD),),
        ),
        compute(
            Phase.RECOMPUTE,
            Primitive.LAYER_NORM,
            SIZES,
            reads=(saved(X), used_again(GAIN), used_again(BIAS)),
            writes=(version(RESULT, Version.RECOMPUTED),),
            when=recomputed,
        ),
        compute(
            Phase.ACTIVATION_GRADIENT,
            Primitive.LAYER_NORM,
            SIZES,
            reads=(gradient(), saved(X), used_again(GAIN)),
            writes=(contribution(X),),
        ),
        compute(
            Phase.WEIGHT_GRADIENT,
            Primitive.LAYER_NORM,
            SIZES,
            reads=(gradient(), saved(X)),
            writes=(version(GAIN, Version.GRADIENT), version(BIAS, Version.GRADIENT)),
        ),
    ),
    rewrite="norm(x) -> forward, [recompute,] activation gradient, parameter gradient",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    workload=Workload.TRAINING,
)
