"""The two projections of the MLP: column-parallel up, row-parallel down.

    W_MLP = 4 b q H F / t

Source: Vaswani et al.; Shoeybi et al., Megatron-LM.
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
    held,
    version,
)
from blueprint.symbols import F, H, W, b, q, t

KINDS = (OperationKind.UP_PROJECTION, OperationKind.DOWN_PROJECTION)
X, WEIGHT, BIAS, RESULT = Slot.FIRST, Slot.SECOND, Slot.THIRD, Slot.RESULT
SIZES = Contraction(X, WEIGHT, batched=False)

MLP = Law(
    id="inference-mlp",
    statement="W_MLP = 4 b q H F / t",
    source="Vaswani et al.; Shoeybi et al., Megatron-LM",
    group=Group(phases=(Phase.FORWARD,), kinds=KINDS, primitives=(Primitive.LINEAR,), members=count(2)),
    equations=(Equation("general", Quantity.OPERATIONS, t * W, lambda case: 4 * b * q * H * F),),
    wrong=(
        Equation("gated", Quantity.OPERATIONS, t * W, lambda case: 6 * b * q * H * F),
        Equation("F = 4H assumed", Quantity.OPERATIONS, t * W, lambda case: 16 * b * q * H**2),
        Equation("not divided by t", Quantity.OPERATIONS, W, lambda case: 4 * b * q * H * F),
    ),
)

RULE = PassRule(
    id="inference.mlp",
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
    rewrite="up or down projection -> one task",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    laws=(MLP,),
    workload=Workload.INFERENCE,
)
