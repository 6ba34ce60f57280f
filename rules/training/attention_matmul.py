"""The two products of the attention core: scores = q k^T and context = p v, one batch entry a head.

    W_attention_matmul = 4 B S^2 H / t      classical block: H = h d
    W_attention_matmul = 4 B S^2 h d / t    any block

No causal halving: both products are counted in full.
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
    version,
)
from blueprint.symbols import B, H, S, W, d, h, t

KINDS = (OperationKind.SCORES, OperationKind.CONTEXT)
LEFT, RIGHT, RESULT = Slot.FIRST, Slot.SECOND, Slot.RESULT
SIZES = Contraction(LEFT, RIGHT, batched=True)

ATTENTION = Law(
    id="attention-matmul",
    statement="W_attention_matmul = 4 B S^2 H / t",
    source="Shoeybi et al., Megatron-LM",
    group=Group(phases=(Phase.FORWARD,), kinds=KINDS, primitives=(Primitive.BATCHED_MATMUL,), members=count(2)),
    equations=(
        Equation("classical", Quantity.OPERATIONS, t * W, lambda case: 4 * B * S**2 * H, where=CLASSICAL),
        Equation(
            "general",
            Quantity.OPERATIONS,
            t * W,
            lambda case: 4 * B * S**2 * h * d,
            statement="W_attention_matmul = 4 B S^2 h d / t",
        ),
    ),
    wrong=(
        Equation("causal half", Quantity.OPERATIONS, t * W, lambda case: 2 * B * S**2 * h * d),
        Equation("linear in S", Quantity.OPERATIONS, t * W, lambda case: 4 * B * S * h * d),
        Equation("one product", Quantity.OPERATIONS, t * W, lambda case: 2 * B * S**2 * H, where=CLASSICAL),
    ),
)

RULE = PassRule(
    id="training.attention_matmul",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.LOWERED,
    signature=OperationSource(KINDS),
    targets=(
        compute(
            Phase.FORWARD,
            Primitive.BATCHED_MATMUL,
            SIZES,
            reads=(used(LEFT), used(RIGHT)),
            writes=(version(RESULT, Version.FORWARD),),
        ),
        compute(
            Phase.RECOMPUTE,
            Primitive.BATCHED_MATMUL,
            SIZES,
            reads=(saved(LEFT), saved(RIGHT)),
            writes=(version(RESULT, Version.RECOMPUTED, Version.DISCARDED),),
            when=recomputed,
        ),
        compute(
            Phase.ACTIVATION_GRADIENT,
            Primitive.BATCHED_MATMUL,
            SIZES,
            reads=(gradient(), saved(LEFT), saved(RIGHT)),
            writes=(contribution(LEFT), contribution(RIGHT)),
        ),
    ),
    rewrite="scores or context -> forward, [recompute,] gradients of both operands in one task",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    laws=(ATTENTION,),
    workload=Workload.TRAINING,
)
