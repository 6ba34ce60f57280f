"""What all matrix products of a block do together in the forward pass, and that the gradients of each do it twice.

    t W_forward = 8 B S H^2 + 4 B S^2 H + 4 B S H F      classical block
    t W_forward = 24 B S H^2 + 4 B S^2 H                 at F = 4H (= 24 B S H^2 (1 + S/6H))

Source: Narayanan et al.
"""

from blueprint.case import Workload
from blueprint.ir.common import Phase, Primitive
from blueprint.law import (
    CLASSICAL,
    FOUR_WIDE,
    Bound,
    BoundLaw,
    Equation,
    Group,
    Law,
    Portion,
    Quantity,
    Reference,
    count,
)
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, MODEL_TO_DISTRIBUTED, BoundaryRule
from blueprint.symbols import W_0, B, F, F_t, H, S, W, d, h, h_t, k, t
from blueprint.term import Relation

PRODUCTS = (Primitive.LINEAR, Primitive.BATCHED_MATMUL)
FORWARD = (Phase.FORWARD,)
BACKWARD = (Phase.ACTIVATION_GRADIENT, Phase.WEIGHT_GRADIENT)

PROJECTIONS = 4 * B * S * H * (h + k) * d + 4 * B * S * H * F
CORE = 4 * B * S**2 * h * d


WHOLE = ((h, Relation.EQUAL, t * h_t), (F, Relation.EQUAL, t * F_t), (H, Relation.EQUAL, h * d))
"""The whole dimensions of a classical block in terms of one rank's."""

WITNESS = ((F, 4), (F_t, 4))

BLOCK_FORWARD = Law(
    id="block-forward",
    statement="t W = 8 B S H^2 + 4 B S^2 H + 4 B S H F over the forward matrix products",
    source="Narayanan et al.",
    group=Group(phases=FORWARD, primitives=PRODUCTS, members=count(8)),
    equations=(
        Equation(
            "classical",
            Quantity.OPERATIONS,
            t * W,
            lambda case: 8 * B * S * H**2 + 4 * B * S**2 * H + 4 * B * S * H * F,
            where=CLASSICAL,
        ),
        Equation(
            "F = 4H",
            Quantity.OPERATIONS,
            t * W,
            lambda case: 24 * B * S * H**2 + 4 * B * S**2 * H,
            where=FOUR_WIDE,
            statement="t W = 24 B S H^2 (1 + S/6H) over the forward matrix products",
        ),
        Equation(
            "general",
            Quantity.OPERATIONS,
            t * W,
            lambda case: PROJECTIONS + CORE,
            statement="t W = 4 B S H (h + k) d + 4 B S H F + 4 B S^2 h d over the forward matrix products",
        ),
    ),
    wrong=(
        Equation(
            "causal half",
            Quantity.OPERATIONS,
            t * W,
            lambda case: 24 * B * S * H**2 + 2 * B * S**2 * H,
            where=FOUR_WIDE,
        ),
        Equation(
            "no output projection",
            Quantity.OPERATIONS,
            t * W,
            lambda case: 22 * B * S * H**2 + 4 * B * S**2 * H,
            where=FOUR_WIDE,
        ),
    ),
)

BACKWARD_DOUBLES = Law(
    id="backward-doubles",
    statement="the two gradients of every matrix product do twice its forward work",
    source="Narayanan et al.",
    group=Group(phases=BACKWARD, primitives=PRODUCTS, members=count(14), portion=Portion.OPERATION),
    equations=(Equation("each operation", Quantity.OPERATIONS, W, lambda case: 2 * W_0),),
    wrong=(
        Equation("once", Quantity.OPERATIONS, W, lambda case: W_0),
        Equation("three times", Quantity.OPERATIONS, W, lambda case: 3 * W_0),
    ),
    reference=Reference.FORWARD,
)

FOUR_WIDE_SHARE = BoundLaw(
    id="four-wide",
    statement="F = 4H on the whole is F_t = 4 h_t d on every rank of a classical block",
    source="definition",
    bounds=(
        Bound(
            "share",
            F_t,
            Relation.EQUAL,
            4 * h_t * d,
            premises=(*WHOLE, (F, Relation.EQUAL, 4 * H)),
            because=((t,),),
            witness=WITNESS,
        ),
        Bound(
            "whole", F, Relation.EQUAL, 4 * H, premises=((F_t, Relation.EQUAL, 4 * h_t * d), *WHOLE), witness=WITNESS
        ),
    ),
    wrong=(
        Bound(
            "share of all heads",
            F_t,
            Relation.EQUAL,
            4 * h * d,
            premises=(*WHOLE, (F, Relation.EQUAL, 4 * H)),
            witness=WITNESS,
        ),
    ),
)

RULE = BoundaryRule(
    id="training.block",
    boundaries=(MODEL_TO_DISTRIBUTED, DISTRIBUTED_TO_PORTABLE),
    claims=(),
    laws=(
        BLOCK_FORWARD,
        BACKWARD_DOUBLES,
        FOUR_WIDE_SHARE,
    ),
    workload=Workload.TRAINING,
)
