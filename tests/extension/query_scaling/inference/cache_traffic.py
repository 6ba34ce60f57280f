"""What a step appends to the caches and reads of them; both are bytes that its tasks move anyway.

    K_w = 2 b q (H / t) e      appended, and all that the key and value projections write
    K_r = b c (H / t) e        read by the scores, and again by the context

Source: Vaswani et al.; the caches of all ranks together are those of the whole block.
"""

from blueprint.case import Workload
from blueprint.ir.common import Phase
from blueprint.ir.model import OperationKind
from blueprint.law import CLASSICAL, Equation, Group, Law, Portion, Quantity, count
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, MODEL_TO_DISTRIBUTED, BoundaryRule
from blueprint.symbols import H, K_r, K_w, Q_w, b, c, d, e, k, q, t

APPEND = Law(
    id="kv-append",
    statement="K_w = 2 b q (H/t) e, which is what the key and value projections write",
    source="definition of the key/value cache",
    group=Group(
        phases=(Phase.FORWARD,), kinds=(OperationKind.KEY_PROJECTION, OperationKind.VALUE_PROJECTION), members=count(2)
    ),
    equations=(
        Equation("classical", Quantity.KV_WRITE_BYTES, t * K_w, lambda case: 2 * b * q * H * e, where=CLASSICAL),
        Equation(
            "general",
            Quantity.KV_WRITE_BYTES,
            t * K_w,
            lambda case: 2 * b * q * k * d * e,
            statement="K_w = 2 b q k d e / t",
        ),
        Equation(
            "is the projections' write",
            Quantity.WRITE_BYTES,
            t * Q_w,
            lambda case: 2 * b * q * k * d * e,
            statement="the key and value projections write 2 b q k d e / t bytes",
        ),
    ),
    wrong=(
        Equation("keys alone", Quantity.KV_WRITE_BYTES, t * K_w, lambda case: b * q * k * d * e),
        Equation("not divided by t", Quantity.KV_WRITE_BYTES, K_w, lambda case: 2 * b * q * k * d * e),
        Equation("the whole cache", Quantity.KV_WRITE_BYTES, t * K_w, lambda case: 2 * b * c * k * d * e),
    ),
)

READ = Law(
    id="kv-read",
    statement="K_r = b c (H/t) e, once for the scores and once for the context",
    source="definition of the key/value cache",
    group=Group(
        phases=(Phase.FORWARD,),
        kinds=(OperationKind.SCORES, OperationKind.CONTEXT),
        members=count(2),
        portion=Portion.EACH,
    ),
    equations=(
        Equation("classical", Quantity.KV_READ_BYTES, t * K_r, lambda case: b * c * H * e, where=CLASSICAL),
        Equation(
            "general",
            Quantity.KV_READ_BYTES,
            t * K_r,
            lambda case: b * c * k * d * e,
            statement="K_r = b c k d e / t",
        ),
    ),
    wrong=(
        Equation("the step's own rows", Quantity.KV_READ_BYTES, t * K_r, lambda case: b * q * k * d * e),
        Equation("both caches", Quantity.KV_READ_BYTES, t * K_r, lambda case: 2 * b * c * k * d * e),
        Equation("not divided by t", Quantity.KV_READ_BYTES, K_r, lambda case: b * c * k * d * e),
        Equation("without the new token", Quantity.KV_READ_BYTES, t * K_r, lambda case: b * (c - 1) * k * d * e),
    ),
)

ELSEWHERE = Law(
    id="kv-elsewhere",
    statement="no other task reads or appends a cache",
    source="definition of the key/value cache",
    group=Group(phases=(Phase.FORWARD,), members=lambda case: 17 if case.tensor_parallel else 15),
    equations=(
        Equation("read", Quantity.KV_READ_BYTES, t * K_r, lambda case: 2 * b * c * k * d * e),
        Equation("appended", Quantity.KV_WRITE_BYTES, t * K_w, lambda case: 2 * b * q * k * d * e),
    ),
    wrong=(
        Equation("one element more", Quantity.KV_READ_BYTES, t * K_r, lambda case: 2 * b * c * k * d * e + e),
        Equation("one element less appended", Quantity.KV_WRITE_BYTES, t * K_w, lambda case: 2 * b * q * k * d * e - e),
    ),
)

RULE = BoundaryRule(
    id="inference.cache_traffic",
    boundaries=(MODEL_TO_DISTRIBUTED, DISTRIBUTED_TO_PORTABLE),
    claims=(),
    laws=(APPEND, READ, ELSEWHERE),
    workload=Workload.INFERENCE,
)
