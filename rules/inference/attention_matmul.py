"""The two products of the attention core, over all visible tokens: scores = q k^T and context = p v."""

from blueprint.case import Workload
from blueprint.ir.common import LineageKind, Phase, Primitive
from blueprint.ir.distributed import EffectKind
from blueprint.ir.model import OperationKind
from blueprint.rule import (
    MODEL_TO_DISTRIBUTED,
    TRAFFIC_CLAIMS,
    Contraction,
    EffectTarget,
    OperationSource,
    PassRule,
    Slot,
    Version,
    compute,
    held,
    version,
)

KINDS = (OperationKind.SCORES, OperationKind.CONTEXT)
LEFT, RIGHT, RESULT = Slot.FIRST, Slot.SECOND, Slot.RESULT
SIZES = Contraction(LEFT, RIGHT, batched=True)

RULE = PassRule(
    id="inference.attention_matmul",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.LOWERED,
    signature=OperationSource(KINDS),
    targets=(
        compute(
            Phase.FORWARD,
            Primitive.BATCHED_MATMUL,
            SIZES,
            reads=(held(LEFT), held(RIGHT)),
            writes=(version(RESULT, Version.FORWARD),),
            effects=(EffectTarget(EffectKind.KV_READ, version(RIGHT, Version.CACHE)),),
        ),
    ),
    rewrite="scores or context -> one task that reads a cache",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    workload=Workload.INFERENCE,
)
