"""The world is closed, with queries scaled: all tasks of a phase together do exactly the closed total.

Every total is given for one rank of the tensor-parallel group, one block and one microbatch, multiplied by t. Let
a = BSH, r the residual stream's share of it (a, or a/t under sequence parallelism), x = BhS^2, f = BSF, P = BShd and
K = BSkd. The matrices are 2Hhd + 2Hkd + 2HF. Scaling the queries adds P operations, reads and writes each way.
"""

from collections.abc import Callable

import sympy

from blueprint.case import Case, Workload
from blueprint.ir.common import Phase
from blueprint.ir.request import Recompute
from blueprint.law import Equation, Group, Law, Quantity, count
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, MODEL_TO_DISTRIBUTED, BoundaryRule, Claim
from blueprint.symbols import B, F, H, M, Q_r, Q_w, S, W, d, e, g, h, k, n_D, o, t

A = B * S * H
X = B * h * S**2
WIDE = B * S * F
P = B * S * h * d
K = B * S * k * d
MATRICES = 2 * H * h * d + 2 * H * k * d + 2 * H * F
PROJECTIONS = 4 * A * h * d + 4 * A * k * d + 4 * A * F

Total = tuple["sympy.Expr | int", "sympy.Expr | int", "sympy.Expr | int", "sympy.Expr | int"]
"""t times operations, t times bytes read, t times bytes written, and message bytes."""

NOTHING: Total = (0, 0, 0, 0)


def stream(case: Case) -> sympy.Expr:
    """t times the elements of the residual stream on one rank."""
    return A if case.sequence_parallel else t * A


def exchange(case: Case) -> Total:
    """The collectives of one forward or backward pass: two sums, and two gathers if the sequence is split."""
    if not case.tensor_parallel:
        return NOTHING
    moved = 2 * t * A + 2 * A if case.sequence_parallel else 2 * t * A
    messages = 4 if case.sequence_parallel else 2
    return (2 * A * (t - 1), moved * e, moved * e, messages * A * e)


def forward_compute(case: Case) -> Total:
    """Eighteen operations of the block, one of which scales P elements of queries."""
    r = stream(case)
    operations = PROJECTIONS + 4 * B * S**2 * h * d + 22 * r + 6 * X + 8 * WIDE + P
    read = 4 * t * A + MATRICES + 5 * P + 3 * X + 2 * WIDE + 8 * r + 4 * t * H
    written = 2 * t * A + 3 * P + 2 * K + 3 * X + 2 * WIDE + 6 * r
    return (operations, read * e, written * e + X + 2 * r, 0)


def forward(case: Case) -> Total:
    """Operations and their collectives."""
    return _sum(forward_compute(case), exchange(case))


def recompute(case: Case) -> Total:
    """Nothing; scores, softmax, dropout and context; or every operation once more."""
    if case.recompute is Recompute.FULL:
        return forward_compute(case)
    if case.recompute is Recompute.NONE:
        return NOTHING
    return (4 * B * S**2 * h * d + 6 * X, (3 * P + 3 * X) * e, (P + 3 * X) * e + X, 0)


def recommunication(case: Case) -> Total:
    """The forward collectives once more, or the two gathers of a kept shard."""
    if case.recompute is Recompute.FULL:
        return exchange(case)
    if not (case.tensor_parallel and case.sequence_parallel):
        return NOTHING
    return (0, 2 * A * e, 2 * t * A * e, 2 * A * e)


def activation_gradient(case: Case) -> Total:
    """Eighteen gradients of operations' inputs, three joined forks, and the conjugate collectives."""
    r = stream(case)
    operations = PROJECTIONS + 8 * B * S**2 * h * d + 38 * r + 9 * X + 13 * WIDE + 3 * t * A + P
    read = 5 * t * A + MATRICES + 7 * P + 2 * K + 3 * WIDE + 6 * X + 12 * r + 4 * t * H
    written = 5 * t * A + 5 * P + 2 * WIDE + 3 * X + 10 * r
    return _sum((operations, read * e + X + 2 * r, written * e, 0), exchange(case))


def weight_gradient(case: Case) -> Total:
    """Six linears' and two norms' parameters."""
    operations = PROJECTIONS + 14 * stream(case)
    read = 6 * t * A + 2 * P + 2 * K + 2 * WIDE
    written = MATRICES + 4 * t * H
    return (operations, read * e, written * e, 0)


def optimizer(case: Case) -> Total:
    """One step over the rank's parameters, or over its share of them."""
    held = MATRICES + 4 * t * H + (h * d + 2 * k * d + F + 2 * t * H if case.biases else 0)
    updated = t * n_D if case.sharded_optimizer else held
    return (11 * updated, (g + o) * updated, (o + e) * updated, 0)


def _sum(left: Total, right: Total) -> Total:
    return (left[0] + right[0], left[1] + right[1], left[2] + right[2], left[3] + right[3])


def _collectives(case: Case) -> int:
    """Collectives of one forward or backward pass."""
    if not case.tensor_parallel:
        return 0
    return 4 if case.sequence_parallel else 2


def _recomputed(case: Case) -> int:
    return {Recompute.NONE: 0, Recompute.SELECTIVE: 4, Recompute.FULL: 18}[case.recompute]


def _recommunicated(case: Case) -> int:
    if case.recompute is Recompute.FULL:
        return _collectives(case)
    return 2 if case.tensor_parallel and case.sequence_parallel else 0


def law(phase: Phase, members: Callable[[Case], int], total: Callable[[Case], Total]) -> Law:
    """The closed total of one phase, one equation for each component of the work vector."""
    return Law(
        id=f"total-{phase.value.replace('_', '-')}",
        statement=f"all {phase.value.replace('_', ' ')} tasks together do the closed total",
        source="sum of the block's operations, Shoeybi et al.; Narayanan et al.; Korthikanti et al.",
        group=Group(phases=(phase,), members=members),
        equations=(
            Equation("operations", Quantity.OPERATIONS, t * W, lambda case: total(case)[0]),
            Equation("bytes read", Quantity.READ_BYTES, t * Q_r, lambda case: total(case)[1]),
            Equation("bytes written", Quantity.WRITE_BYTES, t * Q_w, lambda case: total(case)[2]),
            Equation("message bytes", Quantity.MESSAGE_BYTES, M, lambda case: total(case)[3]),
        ),
        wrong=(
            Equation("one operation more", Quantity.OPERATIONS, t * W, lambda case: total(case)[0] + 1),
            Equation("one element less read", Quantity.READ_BYTES, t * Q_r, lambda case: total(case)[1] - e),
            Equation("one element more written", Quantity.WRITE_BYTES, t * Q_w, lambda case: total(case)[2] + e),
            Equation("one message more", Quantity.MESSAGE_BYTES, M, lambda case: total(case)[3] + A * e),
            Equation("queries scaled once more", Quantity.OPERATIONS, t * W, lambda case: total(case)[0] + P),
        ),
    )


RULE = BoundaryRule(
    id="training.total",
    boundaries=(MODEL_TO_DISTRIBUTED, DISTRIBUTED_TO_PORTABLE),
    claims=(Claim.INTERFACE,),
    laws=(
        law(Phase.FORWARD, lambda case: 18 + _collectives(case), forward),
        law(Phase.RECOMPUTE, _recomputed, recompute),
        law(Phase.RECOMMUNICATION, _recommunicated, recommunication),
        law(Phase.ACTIVATION_GRADIENT, lambda case: 21 + _collectives(case), activation_gradient),
        law(Phase.WEIGHT_GRADIENT, count(8), weight_gradient),
        law(Phase.OPTIMIZER, count(1), optimizer),
    ),
    workload=Workload.TRAINING,
)
