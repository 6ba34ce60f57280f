"""Attention's output projection: one row-parallel linear, whose result is an addend on every rank.

    W_out = 2 b q H^2 / t        classical block: H = h d
    W_out = 2 b q H h d / t      any block

Source: Vaswani et al.; Shoeybi et al., Megatron-LM.
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
    held,
    version,
)
from blueprint.symbols import H, W, b, d, h, q, t

KINDS = (OperationKind.OUTPUT_PROJECTION,)
X, WEIGHT, BIAS, RESULT = Slot.FIRST, Slot.SECOND, Slot.THIRD, Slot.RESULT
SIZES = Contraction(X, WEIGHT, batched=False)

OUT = Law(
    id="inference-output-projection",
    statement="W_out = 2 b q H^2 / t",
    source="Vaswani et al.; Shoeybi et al., Megatron-LM",
    group=Group(phases=(Phase.FORWARD,), kinds=KINDS, primitives=(Primitive.LINEAR,), members=count(1)),
    equations=(
        Equation("classical", Quantity.OPERATIONS, t * W, lambda case: 2 * b * q * H**2, where=CLASSICAL),
        Equation(
            "general",
            Quantity.OPERATIONS,
            t * W,
            lambda case: 2 * b * q * H * h * d,
            statement="W_out = 2 b q H h d / t",
        ),
    ),
    wrong=(
        Equation("multiply-add counted once", Quantity.OPERATIONS, t * W, lambda case: b * q * H * h * d),
        Equation("not divided by t", Quantity.OPERATIONS, W, lambda case: 2 * b * q * H * h * d),
    ),
)

RULE = PassRule(
    id="inference.output_projection",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.LOWERED,
    signature=OperationSource(KINDS),
    targets=(
        compute(
            Phase.FORWARD,
            Primitive.LINEAR,
            SIZES,
            reads=(held(X), held(WEIGHT), held(BIAS)),
            writes=(version(RESULT, Version.FORWARD),),
        ),
    ),
    rewrite="output projection -> one task",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    laws=(OUT,),
    workload=Workload.INFERENCE,
)
