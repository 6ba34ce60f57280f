"""Query, key and value projections: three column-parallel linears; keys and values go into their caches.

    W_QKV = 6 b q H^2 / t              classical block: k = h, H = h d
    W_QKV = 2 b q H (h + 2k) d / t     any block

What the key and value projections write *is* what is appended to the caches.
Source: Vaswani et al.; Shoeybi et al., Megatron-LM.
"""

from blueprint.case import Workload
from blueprint.ir.common import LineageKind, Phase, Primitive
from blueprint.ir.distributed import EffectKind
from blueprint.ir.model import OperationKind
from blueprint.law import CLASSICAL, Equation, Group, Law, Quantity, count
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
from blueprint.symbols import H, W, b, d, h, k, q, t

KINDS = (OperationKind.QUERY_PROJECTION, OperationKind.KEY_PROJECTION, OperationKind.VALUE_PROJECTION)
X, WEIGHT, BIAS, RESULT = Slot.FIRST, Slot.SECOND, Slot.THIRD, Slot.RESULT
SIZES = Contraction(X, WEIGHT, batched=False)

QKV = Law(
    id="inference-qkv-projection",
    statement="W_QKV = 6 b q H^2 / t",
    source="Vaswani et al.; Shoeybi et al., Megatron-LM",
    group=Group(phases=(Phase.FORWARD,), kinds=KINDS, primitives=(Primitive.LINEAR,), members=count(3)),
    equations=(
        Equation("classical", Quantity.OPERATIONS, t * W, lambda case: 6 * b * q * H**2, where=CLASSICAL),
        Equation(
            "general",
            Quantity.OPERATIONS,
            t * W,
            lambda case: 2 * b * q * H * (h + 2 * k) * d,
            statement="W_QKV = 2 b q H (h + 2k) d / t",
        ),
    ),
    wrong=(
        Equation("two projections", Quantity.OPERATIONS, t * W, lambda case: 4 * b * q * H**2, where=CLASSICAL),
        Equation("not divided by t", Quantity.OPERATIONS, W, lambda case: 6 * b * q * H**2, where=CLASSICAL),
    ),
)

RULE = PassRule(
    id="inference.qkv_projection",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.LOWERED,
    signature=OperationSource(KINDS),
    targets=(
        compute(
            Phase.FORWARD,
            Primitive.LINEAR,
            SIZES,
            reads=(held(X), held(WEIGHT), held(BIAS)),
            writes=(version(RESULT, Version.CACHE, Version.FORWARD),),
            effects=(EffectTarget(EffectKind.KV_WRITE, version(RESULT, Version.CACHE)),),
        ),
    ),
    rewrite="q, k, v projection -> one task; k and v append to a cache",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    laws=(QKV,),
    workload=Workload.INFERENCE,
)
