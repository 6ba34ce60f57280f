"""What one block's share of a step synchronizes: gradients and parameters, by ZeRO stage. There is no other exchange.

With N parameters of a block on the rank, n the largest share of them over D ranks, and v = 4 H elements of undivided
parameters (6 H with biases) of which n_w is the largest share over t ranks:

    M = g N + {0, e N, e N, 2 e N} at ZeRO stages 0 to 3, + g v where the sequence is divided

Source: Rajbhandari et al., ZeRO; Korthikanti et al.
"""

import sympy

from blueprint.case import Case, Workload
from blueprint.ir.common import Phase
from blueprint.law import Equation, Group, Law, Quantity
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, MODEL_TO_DISTRIBUTED, BoundaryRule
from blueprint.symbols import D, H, M, N, Q_r, Q_w, W, e, g, n_D, n_w, t


def gathers(case: Case) -> int:
    """All-gathers of one block's parameters in a step."""
    if not case.sharded_optimizer:
        return 0
    return 2 if case.sharded_parameters else 1


def undivided(case: Case) -> sympy.Expr:
    """Elements of the parameters that every rank holds whole."""
    return (6 if case.biases else 4) * H


def tasks(case: Case) -> int:
    """Collectives of one block in a step."""
    return case.data_parallel + gathers(case) + case.sums_whole_gradients


def operations(case: Case) -> "sympy.Expr | int":
    """Additions of the reducing collectives, on the rank with the largest share."""
    data = n_D * (D - 1) if case.data_parallel else 0
    return data + (n_w * (t - 1) if case.sums_whole_gradients else 0)


def read(case: Case) -> "sympy.Expr | int":
    """Gradients in full, and the shares that are gathered."""
    data = g * N + gathers(case) * e * n_D if case.data_parallel else 0
    return data + (g * undivided(case) if case.sums_whole_gradients else 0)


def written(case: Case) -> "sympy.Expr | int":
    """Gradients as they lie, and gathered parameters in full."""
    data = g * (n_D if case.sharded_optimizer else N) + gathers(case) * e * N if case.data_parallel else 0
    return data + (g * undivided(case) if case.sums_whole_gradients else 0)


def messages(case: Case) -> "sympy.Expr | int":
    """The full side of every exchange."""
    data = g * N + gathers(case) * e * N if case.data_parallel else 0
    return data + (g * undivided(case) if case.sums_whole_gradients else 0)


TOTAL = Law(
    id="stage-synchronization",
    statement="M = g N + {0, e N, e N, 2 e N} at ZeRO stages 0 to 3, and g v if the sequence is divided",
    source="Rajbhandari et al., ZeRO; Korthikanti et al.",
    group=Group(phases=(Phase.SYNCHRONIZATION,), members=tasks),
    equations=(
        Equation("operations", Quantity.OPERATIONS, W, operations),
        Equation("bytes read", Quantity.READ_BYTES, Q_r, read),
        Equation("bytes written", Quantity.WRITE_BYTES, Q_w, written),
        Equation("message bytes", Quantity.MESSAGE_BYTES, M, messages),
    ),
    wrong=(
        Equation("gradients of e bytes", Quantity.MESSAGE_BYTES, M, lambda case: messages(case) + (e - g) * N),
        Equation("one gather more", Quantity.MESSAGE_BYTES, M, lambda case: messages(case) + e * N),
        Equation("a ring's factor", Quantity.MESSAGE_BYTES, M, lambda case: 2 * messages(case)),
        Equation("sums on every rank", Quantity.OPERATIONS, W, lambda case: operations(case) + (N - n_D) * (D - 1)),
    ),
)

RULE = BoundaryRule(
    id="stage.total",
    boundaries=(MODEL_TO_DISTRIBUTED, DISTRIBUTED_TO_PORTABLE),
    claims=(),
    laws=(TOTAL,),
    workload=Workload.TRAINING,
    stage=True,
)
