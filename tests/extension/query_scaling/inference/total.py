"""The world is closed, with queries scaled: all tasks of a step together do exactly the closed total.

Every total is given for one rank of the tensor-parallel group and one block, multiplied by t. Let a = bqH, x = bhqc,
f = bqF, P = bqhd and K = bqkd, and V = bckd the rows of one cache. The matrices are 2Hhd + 2Hkd + 2HF.
Source: the operations of the block, Vaswani et al.; what is split, Shoeybi et al.
"""

import sympy

from blueprint.case import Case, Workload
from blueprint.ir.common import Phase
from blueprint.law import Equation, Group, Law, Quantity
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, MODEL_TO_DISTRIBUTED, BoundaryRule, Claim
from blueprint.symbols import F, H, M, Q_r, Q_w, W, b, c, d, e, h, k, q, t

A = b * q * H
X = b * h * q * c
WIDE = b * q * F
P = b * q * h * d
K = b * q * k * d
V = b * c * k * d
HEADS_V = b * c * h * d
"""The cache's rows once for every query head, which is how the products of the attention core read them."""
MATRICES = 2 * H * h * d + 2 * H * k * d + 2 * H * F


def operations(case: Case) -> "sympy.Expr | int":
    """Six linears, two products, softmax, GELU, scaled queries, two norms, two residual sums, and the collectives."""
    products = 4 * A * (h + k) * d + 4 * A * F + 4 * b * q * c * h * d
    return products + 5 * X + 8 * WIDE + P + 20 * t * A + (2 * A * (t - 1) if case.tensor_parallel else 0)


def read(case: Case) -> "sympy.Expr | int":
    """Every operand once."""
    linears = 4 * t * A + P + WIDE + MATRICES
    core = P + P + HEADS_V + X + X + HEADS_V
    rest = WIDE + 2 * t * A + 4 * t * H + 4 * t * A
    return (linears + core + rest + (2 * t * A if case.tensor_parallel else 0)) * e


def written(case: Case) -> "sympy.Expr | int":
    """Every result once; of the caches the rows of the step's own tokens."""
    linears = P + 2 * K + WIDE + 2 * t * A
    core = P + X + X + P
    rest = WIDE + 2 * t * A + 2 * t * A
    return (linears + core + rest + (2 * t * A if case.tensor_parallel else 0)) * e


def messages(case: Case) -> "sympy.Expr | int":
    """Two sums of the whole stream."""
    return 2 * A * e if case.tensor_parallel else 0


TOTAL = Law(
    id="inference-total",
    statement="all tasks of a step together do the closed total",
    source="sum of the block's operations, Vaswani et al.; Shoeybi et al.",
    group=Group(phases=(Phase.FORWARD,), members=lambda case: 17 if case.tensor_parallel else 15),
    equations=(
        Equation("operations", Quantity.OPERATIONS, t * W, operations),
        Equation("bytes read", Quantity.READ_BYTES, t * Q_r, read),
        Equation("bytes written", Quantity.WRITE_BYTES, t * Q_w, written),
        Equation("message bytes", Quantity.MESSAGE_BYTES, M, messages),
    ),
    wrong=(
        Equation("one operation more", Quantity.OPERATIONS, t * W, lambda case: operations(case) + 1),
        Equation("one element less read", Quantity.READ_BYTES, t * Q_r, lambda case: read(case) - e),
        Equation(
            "the whole cache written", Quantity.WRITE_BYTES, t * Q_w, lambda case: written(case) + 2 * (V - K) * e
        ),
        Equation("queries not scaled", Quantity.OPERATIONS, t * W, lambda case: operations(case) - P),
        Equation("one message more", Quantity.MESSAGE_BYTES, M, lambda case: messages(case) + A * e),
    ),
)

RULE = BoundaryRule(
    id="inference.total",
    boundaries=(MODEL_TO_DISTRIBUTED, DISTRIBUTED_TO_PORTABLE),
    claims=(Claim.INTERFACE,),
    laws=(TOTAL,),
    workload=Workload.INFERENCE,
)
