"""Implementations of the attention core that never write its scores: what they need, and that it is never more.

    tiled:  C_ws = C_bd + max(3 b q H e / t, b (h/t) q (d e + 4), b q F e / t)
    paged:  C_ws = C_bd + max(those of tiled, 4 b c)

Where d e >= 2 the rows of tiled attention are at most the queries, keys and values; where (h/t) q e >= 4 a page table
is at most the scores. A binding may choose an alternative only where its workspace is at most that of the plan; the
operations of the core are the same with each.
Source: Dao et al., FlashAttention; Kwon et al., PagedAttention.
"""

import sympy

from blueprint.case import Workload
from blueprint.law import Bound, BoundLaw, Capacity, Maximum, MaximumLaw
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, BoundaryRule
from blueprint.symbols import X_1, Y_1, C_bd, C_ws, F, H, X_max, Y_max, b, c, d, e, h, h_t, k, k_t, q, t
from blueprint.term import Relation

D = t * b * q * H * e
"""t times the boundary, in bytes."""

PROJECTED, ROWS, WIDE, TABLE = "q, k and v", "rows and statistics", "feed-forward rows", "page table"
"""The arms, in the order of the derivation."""

ARMS = {
    PROJECTED: D + b * q * (h + 2 * k) * d * e,
    ROWS: D + b * h * q * (d * e + 4),
    WIDE: D + b * q * F * e,
}

TILED = MaximumLaw(
    id="tiled-workspace",
    statement="C_ws = C_bd + max(3 b q H e/t, b (h/t) q (d e + 4), b q F e/t)",
    source="Dao et al., FlashAttention",
    capacity=Capacity.WORKSPACE,
    left=t * C_ws,
    implementation="attention.tiled",
    capability="tiled_attention",
    forms=(Maximum("general", ARMS),),
    wrong=(
        Maximum("no statistics", {ROWS: D + b * h * q * d * e}),
        Maximum("scores written", {ROWS: D + b * h * q * c * e}),
        Maximum("statistics of one head", {ROWS: D + b * h * q * d * e + 4 * b * q}),
        Maximum("two projections", {PROJECTED: D + b * q * (h + k) * d * e}),
        Maximum("not divided by t", {WIDE: D + t * b * q * F * e}),
    ),
)

PAGED = MaximumLaw(
    id="paged-workspace",
    statement="C_ws = C_bd + max(3 b q H e/t, b (h/t) q (d e + 4), b q F e/t, 4 b c)",
    source="Kwon et al., PagedAttention, with pages of one token",
    capacity=Capacity.WORKSPACE,
    left=t * C_ws,
    implementation="attention.paged",
    capability="paged_attention",
    forms=(Maximum("general", {**ARMS, TABLE: D + 4 * t * b * c}),),
    wrong=(
        Maximum("entries for the step's own tokens", {TABLE: D + 4 * t * b * q}),
        Maximum("table divided by t", {TABLE: D + 4 * b * c}),
        Maximum("keys and values alone", {PROJECTED: D + 2 * b * q * k * d * e}),
        Maximum("statistics of two bytes", {ROWS: D + b * h * q * (d * e + 2)}),
        Maximum("no boundary", {WIDE: b * q * F * e}),
    ),
)

FUSED = BoundLaw(
    id="fused-implementation",
    statement="an implementation that writes no scores needs at most the workspace of the plan",
    source="Dao et al., FlashAttention; Kwon et al., PagedAttention",
    bounds=(
        Bound(
            "tiled rows are at most q, k and v",
            b * h_t * q * (d * e + 4),
            Relation.AT_MOST,
            b * q * (h_t + 2 * k_t) * d * e,
            premises=((h_t, Relation.EQUAL, k_t), (sympy.Integer(2), Relation.AT_MOST, d * e)),
            because=((2 * b * q * k_t, d * e - 2),),
            witness=((e, 2),),
        ),
        Bound(
            "a page table is at most the scores",
            4 * b * c,
            Relation.AT_MOST,
            b * h_t * q * c * e,
            premises=((sympy.Integer(4), Relation.AT_MOST, h_t * q * e),),
            because=((b * c, h_t * q * e - 4),),
            witness=((e, 4),),
        ),
        Bound(
            "so is the largest arm, and the workspace",
            C_bd + Y_max,
            Relation.AT_MOST,
            C_ws,
            premises=((Y_max, Relation.EQUAL, Y_1), (Y_1, Relation.AT_MOST, X_1), (X_1, Relation.AT_MOST, X_max)),
            because=((X_1 - Y_1,), (X_max - X_1,)),
        ),
    ),
    wrong=(
        Bound(
            "heads of one byte",
            b * h_t * q * (d * e + 4),
            Relation.AT_MOST,
            b * q * (h_t + 2 * k_t) * d * e,
            premises=((h_t, Relation.EQUAL, k_t),),
        ),
        Bound("any page table", 4 * b * c, Relation.AT_MOST, b * h_t * q * c * e),
        Bound(
            "statistics beside the largest arm",
            C_bd + X_1 + Y_1,
            Relation.AT_MOST,
            C_ws,
            premises=((X_1, Relation.AT_MOST, X_max),),
        ),
    ),
)

RULE = BoundaryRule(
    id="planning.fused_attention",
    boundaries=(DISTRIBUTED_TO_PORTABLE,),
    claims=(),
    laws=(TILED, PAGED, FUSED),
    workload=Workload.INFERENCE,
)
