"""The key/value caches of one block on one rank.

    C_kv = 2 b c (H / t) e        classical block: k = h, H = h d
    C_kv = 2 b c k d e / t        any block

The caches of all t ranks together are those of the whole block, 2 b c H e, and a step adds 2 b (H / t) e for each new
token of a sequence.
Source: definition of the key/value cache; heads are split as Shoeybi et al. split them.
"""

from blueprint.case import Workload
from blueprint.law import CLASSICAL, Bound, BoundLaw, Capacity, Equation, MemoryLaw
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, BoundaryRule
from blueprint.symbols import K_0, K_1, C_kv, H, b, c, d, e, h, k, k_t, q, t
from blueprint.term import Relation

CACHE = MemoryLaw(
    id="kv-cache",
    statement="C_KV = 2 b c (H/t) e",
    source="definition of the key/value cache",
    equations=(
        Equation("classical", Capacity.KV, t * C_kv, lambda case: 2 * b * c * H * e, where=CLASSICAL),
        Equation(
            "general", Capacity.KV, t * C_kv, lambda case: 2 * b * c * k * d * e, statement="C_KV = 2 b c k d e / t"
        ),
    ),
    wrong=(
        Equation("without its 2", Capacity.KV, t * C_kv, lambda case: b * c * k * d * e),
        Equation("not divided by t", Capacity.KV, C_kv, lambda case: 2 * b * c * k * d * e),
        Equation("one head", Capacity.KV, t * C_kv, lambda case: 2 * b * c * d * e),
        Equation("context dropped", Capacity.KV, t * C_kv, lambda case: 2 * b * q * k * d * e),
        Equation("without the new token", Capacity.KV, t * C_kv, lambda case: 2 * b * (c - 1) * k * d * e),
    ),
)

GROWTH = BoundLaw(
    id="kv-growth",
    statement="one more visible token adds 2 b (H/t) e to the caches of a rank, and 2 b H e to those of all",
    source="definition of the key/value cache",
    bounds=(
        Bound("one rank", K_1, Relation.EQUAL, K_0 + 2 * b * k_t * d * e),
        Bound(
            "all ranks",
            t * K_1,
            Relation.EQUAL,
            t * K_0 + 2 * b * H * e,
            premises=((k, Relation.EQUAL, t * k_t), (h, Relation.EQUAL, k), (H, Relation.EQUAL, h * d)),
            witness=((t, 2), (k, 2), (h, 2), (H, 2)),
        ),
    ),
    wrong=(
        Bound("keys alone", K_1, Relation.EQUAL, K_0 + b * k_t * d * e),
        Bound("the whole cache again", K_1, Relation.EQUAL, 2 * K_0),
    ),
)

RULE = BoundaryRule(
    id="planning.cache",
    boundaries=(DISTRIBUTED_TO_PORTABLE,),
    claims=(),
    laws=(CACHE, GROWTH),
    workload=Workload.INFERENCE,
)
