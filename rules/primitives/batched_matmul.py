"""z matrix products [m,n] x [n,k] of two activations (law `gemm`).

    W_gemm = 2 z m n k

The gradient is two such products, 4 z m n k, and reads the result's gradient in each of them.
"""

from blueprint.ir.common import Phase, Primitive
from blueprint.rule import Formula, PrimitiveRule
from blueprint.symbols import e, kk, m, n, z

RULE = PrimitiveRule(
    id="primitives.batched_matmul",
    primitive=Primitive.BATCHED_MATMUL,
    operands={"z": z, "m": m, "n": n, "k": kk},
    formulas={
        Phase.FORWARD: Formula(2 * z * m * n * kk, z * (m * n + n * kk) * e, z * m * kk * e),
        Phase.ACTIVATION_GRADIENT: Formula(
            4 * z * m * n * kk, z * (2 * m * kk + n * kk + m * n) * e, z * (m * n + n * kk) * e, reads=(2, 1, 1)
        ),
    },
    law="gemm",
    statement="W_gemm = 2 m n k for every matrix product",
    source="definition of the matrix product; operand traffic as every operand once a product",
)
