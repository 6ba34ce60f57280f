"""The two projections of the MLP: column-parallel up, row-parallel down.

    W_MLP = 4 B S H F / t

Source: Shoeybi et al., Megatron-LM.
"""

from blueprint.case import Workload
from blueprint.ir.common import LineageKind, Phase, Primitive
from blueprint.ir.model import OperationKind
from blueprint.law import Equation, Group, Law, Quantity, count
from blueprint.rule import (
    MODEL_TO_DISTRIBUTED,
    TRAFFIC_CLAIMS,
    Contraction,
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
from blueprint.symbols import B, F, H, S, W, t

KINDS = (OperationKind.UP_PROJECTION, OperationKind.DOWN_PROJECTION)
X, WEIGHT, BIAS, RESULT = Slot.FIRST, Slot.SECOND, Slot.THIRD, Slot.RESULT
SIZES = Contraction(X, WEIGHT, batched=False)

MLP = Law(
    id="mlp",
    statement="W_MLP = 4 B S H F / t",
    source="Shoeybi et al., Megatron-LM",
    group=Group(phases=(Phase.FORWARD,), kinds=KINDS, primitives=(Primitive.LINEAR,), members=count(2)),
    equations=(Equation("general", Quantity.OPERATIONS, t * W, lambda case: 4 * B * S * H * F),),
    wrong=(
        Equation("gated", Quantity.OPERATIONS, t * W, lambda case: 6 * B * S * H * F),
        Equation("F = 4H assumed", Quantity.OPERATIONS, t * W, lambda case: 16 * B * S * H**2),
    ),
)

RULE = PassRule(
    id="training.mlp",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.LOWERED,
    signature=OperationSource(KINDS),
    targets=(
        compute(
            Phase.FORWARD,
            Primitive.LINEAR,
            SIZES,
            reads=(used(X), used(WEIGHT), used(BIAS)),
            writes=(version(RESULT, Version.FORWARD),),
        ),
        compute(
            Phase.RECOMPUTE,
            Primitive.LINEAR,
            SIZES,
            reads=(saved(X), used_again(WEIGHT), used_again(BIAS)),
            writes=(version(RESULT, Version.RECOMPUTED),),
            when=recomputed,
        ),
        compute(
            Phase.ACTIVATION_GRADIENT,
            Primitive.LINEAR,
            SIZES,
            reads=(gradient(), used_again(WEIGHT)),
            writes=(contribution(X),),
        ),
        compute(
            Phase.WEIGHT_GRADIENT,
            Primitive.LINEAR,
            SIZES,
            reads=(gradient(), saved(X)),
            writes=(version(WEIGHT, Version.GRADIENT), version(BIAS, Version.GRADIENT)),
        ),
    ),
    rewrite="up or down projection -> forward, [recompute,] activation gradient, weight gradient",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    laws=(MLP,),
    workload=Workload.TRAINING,
)
