"""A prompt that is run at once is the forward pass of training: the same matrix products, without dropout.

    q = c:    t W = 4 b c H (h + k) d + 4 b c H F + 4 b c^2 h d      at B = b and S = c the forward law of training

Source: Vaswani et al.; Narayanan et al.
"""

from blueprint.case import Workload
from blueprint.ir.common import Phase, Primitive
from blueprint.law import Bound, BoundLaw, Equation, Group, Law, Quantity, count
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, MODEL_TO_DISTRIBUTED, BoundaryRule
from blueprint.symbols import F, H, W, W_p, W_t, b, c, d, h, k, q, t
from blueprint.term import Relation

PREFILL = Law(
    id="prefill-is-forward",
    statement="with q = c the matrix products do the forward work of training at B = b, S = c",
    source="Vaswani et al.; Narayanan et al.",
    group=Group(phases=(Phase.FORWARD,), primitives=(Primitive.LINEAR, Primitive.BATCHED_MATMUL), members=count(8)),
    equations=(
        Equation(
            "general",
            Quantity.OPERATIONS,
            t * W,
            lambda case: 4 * b * c * H * (h + k) * d + 4 * b * c * H * F + 4 * b * c**2 * h * d,
            where=((q, c),),
        ),
    ),
    wrong=(
        Equation(
            "with any q",
            Quantity.OPERATIONS,
            t * W,
            lambda case: 4 * b * c * H * (h + k) * d + 4 * b * c * H * F + 4 * b * c**2 * h * d,
        ),
    ),
)

DERIVATIONS = BoundLaw(
    id="prefill-derivation",
    statement="W_p of a prompt's step is W_t of the training forward pass at B = b, S = c = q, as both are derived",
    source="Vaswani et al.; Narayanan et al.",
    bounds=(Bound("matrix products", W_p, Relation.EQUAL, W_t, premises=((q, Relation.EQUAL, c),)),),
    wrong=(Bound("with any q", W_p, Relation.EQUAL, W_t),),
)

RULE = BoundaryRule(
    id="inference.prefill",
    boundaries=(MODEL_TO_DISTRIBUTED, DISTRIBUTED_TO_PORTABLE),
    claims=(),
    laws=(PREFILL, DERIVATIONS),
    workload=Workload.INFERENCE,
)
