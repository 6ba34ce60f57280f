"""Matrix product of activations [m,n] with a learned matrix [n,k] (law `gemm`).

    W_gemm = 2 m n k

in the forward pass and in each of the two gradients: one multiply-add is two operations. Every operand is read once
and every result written once; a bias and its gradient count nothing.
"""

from blueprint.ir.common import Phase, Primitive
from blueprint.rule import Formula, PrimitiveRule
from blueprint.symbols import e, kk, m, n

RULE = PrimitiveRule(
    id="primitives.linear",
    primitive=Primitive.LINEAR,
    operands={"m": m, "n": n, "k": kk},
    formulas={
        Phase.FORWARD: Formula(2 * m * n * kk, (m * n + n * kk) * e, m * kk * e, reads=(1, 1, 0)),
        Phase.ACTIVATION_GRADIENT: Formula(2 * m * n * kk, (m * kk + n * kk) * e, m * n * e),
        Phase.WEIGHT_GRADIENT: Formula(2 * m * n * kk, (m * n + m * kk) * e, n * kk * e, writes=(1, 0)),
    },
    law="gemm",
    statement="W_gemm = 2 m n k for every matrix product",
    source="definition of the matrix product; operand traffic as every operand once",
)
