"""Queries times a constant, between their projection and the scores; the gradient is scaled by the same constant.

    W = B S H / t        classical block: H = h d
    W = B S h d / t      any block

The gradient does the same work, and reads nothing but the gradient of the result.
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
    contribution,
    gradient,
    recomputed,
    saved,
    used,
    version,
)
from blueprint.symbols import B, H, Q_r, Q_w, S, W, d, e, h, k, t

KIND = "query_scale"
X, RESULT = Slot.FIRST, Slot.RESULT
SIZES = Elements(version(RESULT, Version.FORWARD))
SOURCE = "Yang et al., Tensor Programs V"

FORWARD = Law(
    id="query-scale",
    statement="W = B S h d / t",
    source=SOURCE,
    group=Group(phases=(Phase.FORWARD,), kinds=(KIND,), primitives=(KIND,), members=count(1)),
    equations=(
        Equation("general", Quantity.OPERATIONS, t * W, lambda case: B * S * h * d),
        Equation(
            "classical",
            Quantity.OPERATIONS,
            t * W,
            lambda case: B * S * H,
            where=CLASSICAL,
            statement="W = B S H / t",
        ),
        Equation(
            "bytes read",
            Quantity.READ_BYTES,
            t * Q_r,
            lambda case: B * S * h * d * e,
            statement="Q_r = B S h d e / t",
        ),
        Equation(
            "bytes written",
            Quantity.WRITE_BYTES,
            t * Q_w,
            lambda case: B * S * h * d * e,
            statement="Q_w = B S h d e / t",
        ),
    ),
    wrong=(
        Equation("not divided by t", Quantity.OPERATIONS, W, lambda case: B * S * h * d),
        Equation("two operations an element", Quantity.OPERATIONS, t * W, lambda case: 2 * B * S * h * d),
        Equation("keys as well", Quantity.OPERATIONS, t * W, lambda case: B * S * (h + k) * d),
        Equation("scores scaled", Quantity.OPERATIONS, t * W, lambda case: B * S**2 * h),
        Equation("hidden width for heads", Quantity.OPERATIONS, t * W, lambda case: B * S * H),
        Equation("classical, not divided", Quantity.OPERATIONS, W, lambda case: B * S * H, where=CLASSICAL),
    ),
)

GRADIENT = Law(
    id="query-scale-gradient",
    statement="W = B S h d / t in the gradient",
    source=SOURCE,
    group=Group(phases=(Phase.ACTIVATION_GRADIENT,), kinds=(KIND,), primitives=(KIND,), members=count(1)),
    equations=(
        Equation("general", Quantity.OPERATIONS, t * W, lambda case: B * S * h * d),
        Equation(
            "classical",
            Quantity.OPERATIONS,
            t * W,
            lambda case: B * S * H,
            where=CLASSICAL,
            statement="W = B S H / t in the gradient",
        ),
        Equation(
            "bytes read",
            Quantity.READ_BYTES,
            t * Q_r,
            lambda case: B * S * h * d * e,
            statement="Q_r = B S h d e / t: the gradient reads the result's gradient alone",
        ),
    ),
    wrong=(
        Equation("not divided by t", Quantity.OPERATIONS, W, lambda case: B * S * h * d),
        Equation("counted twice", Quantity.OPERATIONS, t * W, lambda case: 2 * B * S * h * d),
        Equation("input read too", Quantity.READ_BYTES, t * Q_r, lambda case: 2 * B * S * h * d * e),
    ),
)

RULE = PassRule(
    id="scaling.training_tasks",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.LOWERED,
    signature=OperationSource((KIND,)),
    targets=(
        compute(
            Phase.FORWARD,
            KIND,
            SIZES,
            reads=(used(X),),
            writes=(version(RESULT, Version.FORWARD),),
        ),
        compute(
            Phase.RECOMPUTE,
            KIND,
            SIZES,
            reads=(saved(X),),
            writes=(version(RESULT, Version.RECOMPUTED),),
            when=recomputed,
        ),
        compute(
            Phase.ACTIVATION_GRADIENT,
            KIND,
            SIZES,
            reads=(gradient(),),
            writes=(contribution(X),),
        ),
    ),
    rewrite="query scale -> forward, [recompute,] activation gradient",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    laws=(FORWARD, GRADIENT),
    workload=Workload.TRAINING,
)
