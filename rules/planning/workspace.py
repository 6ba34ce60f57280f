"""The room that one step of inference needs on a rank while nothing is fused.

    C_ws = C_bd + e max(3 b q H / t, b (h/t) q c, b q F / t)      C_bd = b q H e, the boundary

It is an upper bound of each intermediate beside the boundary, one of them attains it, and it never falls where b, q, c
or F grows. An implementation that never writes the scores may need less; it is chosen when a target is bound.
Source: Vaswani et al. for the intermediates; a conservative bound until Dao et al. or another implementation applies.
"""

import sympy

from blueprint.case import Workload
from blueprint.law import CLASSICAL, Bound, BoundLaw, Capacity, Equation, Maximum, MaximumLaw, MemoryLaw
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, BoundaryRule, Claim
from blueprint.symbols import (
    X_1,
    X_2,
    X_3,
    Y_1,
    Y_2,
    Y_3,
    C_bd,
    C_ws,
    F,
    H,
    X_max,
    Y_max,
    b,
    c,
    d,
    e,
    h,
    k,
    m,
    q,
    t,
)
from blueprint.term import Relation

D = t * b * q * H * e
"""t times the boundary, in bytes."""

PROJECTED, SCORES, WIDE = "q, k and v", "scores", "feed-forward rows"
"""The arms, in the order of the derivation."""

GENERAL = Maximum(
    "general",
    {PROJECTED: D + b * q * (h + 2 * k) * d * e, SCORES: D + b * h * q * c * e, WIDE: D + b * q * F * e},
)

WORKSPACE = MaximumLaw(
    id="workspace",
    statement="C_ws = C_bd + e max(3 b q H/t, b (h/t) q c, b q F/t)",
    source="Vaswani et al.; conservative, nothing is fused",
    capacity=Capacity.WORKSPACE,
    left=t * C_ws,
    implementation="attention.unfused",
    capability="batched_matmul",
    of_plan=True,
    forms=(
        Maximum(
            "classical",
            {PROJECTED: D + 3 * b * q * H * e, SCORES: D + b * h * q * c * e, WIDE: D + b * q * F * e},
            where=CLASSICAL,
        ),
        GENERAL,
    ),
    wrong=(
        Maximum("two projections", {PROJECTED: D + b * q * (h + k) * d * e}),
        Maximum("context dropped", {SCORES: D + b * h * q**2 * e}),
        Maximum("without the new token", {SCORES: D + b * h * q * (c - 1) * e}),
        Maximum("no boundary", {WIDE: b * q * F * e}),
        Maximum("not divided by t", {WIDE: D + t * b * q * F * e}),
    ),
)

BOUNDARY = MemoryLaw(
    id="boundary",
    statement="C_bd = b q H e",
    source="Vaswani et al.: the residual stream of the step's own tokens",
    equations=(Equation("general", Capacity.BOUNDARY, C_bd, lambda case: b * q * H * e),),
    wrong=(
        Equation("all visible tokens", Capacity.BOUNDARY, C_bd, lambda case: b * c * H * e),
        Equation("divided by t", Capacity.BOUNDARY, t * C_bd, lambda case: b * q * H * e),
    ),
)

_ABOVE = tuple((arm, Relation.AT_MOST, X_max) for arm in (X_1, X_2, X_3))
"""The largest arm is at least every arm; that it is one of them stands in the bounds which need it."""

_RISING = ((X_1, Y_1), (X_2, Y_2), (X_3, Y_3))


LARGEST = BoundLaw(
    id="workspace-bound",
    statement="the workspace is above every arm, one arm attains it, and it never falls where an arm grows",
    source="definition of the maximum",
    bounds=(
        *(
            Bound(
                f"above arm {number}",
                C_bd + arm,
                Relation.AT_MOST,
                C_ws,
                premises=((arm, Relation.AT_MOST, X_max),),
                because=((X_max - arm,),),
            )
            for number, arm in enumerate((X_1, X_2, X_3), start=1)
        ),
        *(
            Bound(
                f"attained by arm {number}",
                C_ws,
                Relation.EQUAL,
                C_bd + arm,
                premises=((X_max, Relation.EQUAL, arm),),
            )
            for number, arm in enumerate((X_1, X_2, X_3), start=1)
        ),
        *(
            Bound(
                f"never falls, attained by arm {number}",
                C_ws,
                Relation.AT_MOST,
                C_bd + Y_max,
                premises=(
                    (X_max, Relation.EQUAL, small),
                    (small, Relation.AT_MOST, large),
                    (large, Relation.AT_MOST, Y_max),
                ),
                because=((large - small,), (Y_max - large,)),
            )
            for number, (small, large) in enumerate(_RISING, start=1)
        ),
    ),
    wrong=(
        Bound("the sum of the arms", C_bd + X_1 + X_2 + X_3, Relation.AT_MOST, C_ws, premises=_ABOVE),
        Bound("the first arm alone", C_ws, Relation.EQUAL, C_bd + X_1, premises=_ABOVE),
        Bound("no boundary", C_ws, Relation.EQUAL, X_max, premises=_ABOVE),
    ),
)


def _growth() -> tuple[Bound, ...]:
    """Each arm, boundary included, where one of b, q, c and F is larger by m: never smaller."""
    return tuple(
        Bound(
            f"{name} in {size}",
            arm,
            Relation.AT_MOST,
            arm.subs(size, size + m),
            because=((m, sympy.diff(arm, size)),),
        )
        for name, arm in GENERAL.arms.items()
        for size in (b, q, c, F)
        if arm.has(size)
    )


GROWS = BoundLaw(
    id="workspace-grows",
    statement="no arm falls where b, q, c or F grows",
    source="every arm is a product of them",
    bounds=_growth(),
    wrong=(
        Bound(
            "scores fall in c",
            b * h * q * (c + m) * e,
            Relation.AT_MOST,
            b * h * q * c * e,
        ),
    ),
)

RULE = BoundaryRule(
    id="planning.workspace",
    boundaries=(DISTRIBUTED_TO_PORTABLE,),
    claims=(Claim.ALTERNATIVES,),
    laws=(WORKSPACE, BOUNDARY, LARGEST, GROWS),
    workload=Workload.INFERENCE,
)
