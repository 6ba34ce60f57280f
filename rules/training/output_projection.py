"""Attention's output projection: one row-parallel linear, whose result is an addend on every rank.

    W_out = 2 B S H^2 / t        classical block: H = h d
    W_out = 2 B S H h d / t      any block

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
from blueprint.symbols import B, H, S, W, d, h, t

KINDS = (OperationKind.OUTPUT_PROJECTION,)
X, WEIGHT, BIAS, RESULT = Slot.FIRST, Slot.SECOND, Slot.THIRD, Slot.RESULT
SIZES = Contraction(X, WEIGHT, batched=False)

OUT = Law(
    id="output-projection",
    statement="W_out = 2 B S H^2 / t",
    source="Shoeybi et al., Megatron-LM",
    group=Group(phases=(Phase.FORWARD,), kinds=KINDS, primitives=(Primitive.LINEAR,), members=count(1)),
    equations=(
        Equation("classical", Quantity.OPERATIONS, t * W, lambda case: 2 * B * S * H**2, where=CLASSICAL),
        Equation(
            "general",
            Quantity.OPERATIONS,
            t * W,
            lambda case: 2 * B * S * H * h * d,
            statement="W_out = 2 B S H h d / t",
        ),
    ),
    wrong=(
        Equation("multiply-add counted once", Quantity.OPERATIONS, t * W, lambda case: B * S * H * h * d),
        Equation("not divided by t", Quantity.OPERATIONS, W, lambda case: 2 * B * S * H * h * d),
    ),
)

RULE = PassRule(
    id="training.output_projection",
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
    rewrite="output projection -> forward, [recompute,] activation gradient, weight gradient",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    laws=(OUT,),
    workload=Workload.TRAINING,
)
