"""Query, key and value projections: three column-parallel linears.

    W_QKV = 6 B S H^2 / t              classical block: k = h, H = h d
    W_QKV = 2 B S H (h + 2k) d / t     any block

Each rank computes the columns of its own heads. The same work stands in each of the two gradients.
Source: Shoeybi et al., Megatron-LM.
"""

from blueprint.case import Workload
from blueprint.ir.common import LineageKind, Phase, Primitive
from blueprint.ir.model import OperationKind
from blueprint.law import CLASSICAL, Equation, Group, Law, Quantity, count
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
from blueprint.symbols import B, H, S, W, d, h, k, t

KINDS = (OperationKind.QUERY_PROJECTION, OperationKind.KEY_PROJECTION, OperationKind.VALUE_PROJECTION)
X, WEIGHT, BIAS, RESULT = Slot.FIRST, Slot.SECOND, Slot.THIRD, Slot.RESULT
SIZES = Contraction(X, WEIGHT, batched=False)

QKV = Law(
    id="qkv-projection",
    statement="W_QKV = 6 B S H^2 / t",
    source="Shoeybi et al., Megatron-LM",
    group=Group(phases=(Phase.FORWARD,), kinds=KINDS, primitives=(Primitive.LINEAR,), members=count(3)),
    equations=(
        Equation("classical", Quantity.OPERATIONS, t * W, lambda case: 6 * B * S * H**2, where=CLASSICAL),
        Equation(
            "general",
            Quantity.OPERATIONS,
            t * W,
            lambda case: 2 * B * S * H * (h + 2 * k) * d,
            statement="W_QKV = 2 B S H (h + 2k) d / t",
        ),
    ),
    wrong=(
        Equation("two projections", Quantity.OPERATIONS, t * W, lambda case: 4 * B * S * H**2, where=CLASSICAL),
        Equation("not divided by t", Quantity.OPERATIONS, W, lambda case: 6 * B * S * H**2, where=CLASSICAL),
        Equation("hidden width for heads", Quantity.OPERATIONS, t * W, lambda case: 6 * B * S * H**2),
    ),
)

RULE = PassRule(
    id="training.qkv_projection",
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
    rewrite="q, k, v projection -> forward, [recompute,] activation gradient, weight gradient",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    laws=(QKV,),
    workload=Workload.TRAINING,
)
