"""The queries of one step times a constant, between their projection and the scores.

    W = b q H / t        classical block: H = h d
    W = b q h d / t      any block

Source: Yang et al., Tensor Programs V.
"""

from blueprint.case import Workload
from blueprint.ir.common import LineageKind, Phase
from blueprint.law import CLASSICAL, Equation, Group, Law, Quantity, count
from blueprint.rule import (
    MODEL_TO_DISTRIBUTED,
    TRAFFIC_CLAIMS,
    Elements,
    OperationSource,
    PassRule,
    Slot,
    Version,
    compute,
    held,
    version,
)
from blueprint.symbols import H, Q_r, W, b, c, d, e, h, q, t

KIND = "query_scale"
X, RESULT = Slot.FIRST, Slot.RESULT
SIZES = Elements(version(RESULT, Version.FORWARD))

SCALE = Law(
    id="inference-query-scale",
    statement="W = b q h d / t",
    source="Yang et al., Tensor Programs V",
    group=Group(phases=(Phase.FORWARD,), kinds=(KIND,), primitives=(KIND,), members=count(1)),
    equations=(
        Equation("general", Quantity.OPERATIONS, t * W, lambda case: b * q * h * d),
        Equation(
            "classical",
            Quantity.OPERATIONS,
            t * W,
            lambda case: b * q * H,
            where=CLASSICAL,
            statement="W = b q H / t",
        ),
        Equation(
            "bytes read",
            Quantity.READ_BYTES,
            t * Q_r,
            lambda case: b * q * h * d * e,
            statement="Q_r = b q h d e / t",
        ),
    ),
    wrong=(
        Equation("not divided by t", Quantity.OPERATIONS, W, lambda case: b * q * h * d),
        Equation("all visible tokens", Quantity.OPERATIONS, t * W, lambda case: b * c * h * d),
        Equation("hidden width for heads", Quantity.OPERATIONS, t * W, lambda case: b * q * H),
        Equation("classical, not divided", Quantity.OPERATIONS, W, lambda case: b * q * H, where=CLASSICAL),
    ),
)

RULE = PassRule(
    id="scaling.inference_tasks",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.LOWERED,
    signature=OperationSource((KIND,)),
    targets=(
        compute(
            Phase.FORWARD,
            KIND,
            SIZES,
            reads=(held(X),),
            writes=(version(RESULT, Version.FORWARD),),
        ),
    ),
    rewrite="query scale -> one task",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    laws=(SCALE,),
    workload=Workload.INFERENCE,
)
