"""What all matrix products of a block do together where the backward pass computes some of them again.

    t W_full      = 96 B S H^2 + 16 B S^2 H      at F = 4H (= 96 B S H^2 (1 + S/6H))
    t W_selective = 72 B S H^2 + 16 B S^2 H      at F = 4H (= 72 B S H^2 (1 + 2S/9H))

The paper prints 72 B S H^2 (1 + S/3H) for the second; an author corrected it, and it stands among the false variants.
Source: Narayanan et al., the block's term; Korthikanti et al. as corrected.
"""

from blueprint.case import Workload
from blueprint.ir.common import Phase, Primitive
from blueprint.law import FOUR_WIDE, Equation, Group, Law, Quantity, count
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, MODEL_TO_DISTRIBUTED, BoundaryRule
from blueprint.symbols import B, F, H, S, W, d, h, k, t

PRODUCTS = (Primitive.LINEAR, Primitive.BATCHED_MATMUL)
WORKING = (Phase.FORWARD, Phase.RECOMPUTE, Phase.ACTIVATION_GRADIENT, Phase.WEIGHT_GRADIENT)

PROJECTIONS = 4 * B * S * H * (h + k) * d + 4 * B * S * H * F
CORE = 4 * B * S**2 * h * d


FULL_RECOMPUTE = Law(
    id="full-recompute",
    statement="t W = 96 B S H^2 (1 + S/6H) over all matrix products under full recompute",
    source="Narayanan et al., block term",
    group=Group(phases=WORKING, primitives=PRODUCTS, members=count(30)),
    equations=(
        Equation(
            "F = 4H",
            Quantity.OPERATIONS,
            t * W,
            lambda case: 96 * B * S * H**2 + 16 * B * S**2 * H,
            where=FOUR_WIDE,
        ),
        Equation(
            "general",
            Quantity.OPERATIONS,
            t * W,
            lambda case: 4 * PROJECTIONS + 4 * CORE,
            statement="t W = 4 times the forward work under full recompute",
        ),
    ),
    wrong=(
        Equation(
            "nothing recomputed",
            Quantity.OPERATIONS,
            t * W,
            lambda case: 72 * B * S * H**2 + 12 * B * S**2 * H,
            where=FOUR_WIDE,
        ),
    ),
    when=lambda case: case.full_recompute,
)

SELECTIVE_RECOMPUTE = Law(
    id="selective-recompute",
    statement="t W = 72 B S H^2 (1 + 2S/9H) over all matrix products under selective recompute",
    source="Korthikanti et al., as corrected by an author",
    group=Group(phases=WORKING, primitives=PRODUCTS, members=count(24)),
    equations=(
        Equation(
            "F = 4H",
            Quantity.OPERATIONS,
            t * W,
            lambda case: 72 * B * S * H**2 + 16 * B * S**2 * H,
            where=FOUR_WIDE,
        ),
        Equation(
            "general",
            Quantity.OPERATIONS,
            t * W,
            lambda case: 3 * PROJECTIONS + 4 * CORE,
            statement="t W = 3 times the projections and 4 times the attention core under selective recompute",
        ),
    ),
    wrong=(
        Equation(
            "as printed, 72 B S H^2 (1 + S/3H)",
            Quantity.OPERATIONS,
            t * W,
            lambda case: 72 * B * S * H**2 + 24 * B * S**2 * H,
            where=FOUR_WIDE,
        ),
        Equation(
            "one product recomputed",
            Quantity.OPERATIONS,
            t * W,
            lambda case: 3 * PROJECTIONS + 14 * B * S**2 * h * d,
        ),
    ),
    when=lambda case: case.selective_recompute,
)

RULE = BoundaryRule(
    id="training.recompute",
    boundaries=(MODEL_TO_DISTRIBUTED, DISTRIBUTED_TO_PORTABLE),
    claims=(),
    laws=(FULL_RECOMPUTE, SELECTIVE_RECOMPUTE),
    workload=Workload.TRAINING,
)
