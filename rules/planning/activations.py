"""What one rank keeps of one block for the backward pass of one microbatch, by policy.

Let a = BSH, r the residual stream's share of it (a, or a/t under sequence parallelism), P = BShd, K = BSkd, x = BhS^2
and f = BSF. What waits for the backward pass:

    t C_act = (4e + 2) t r + 2e (P + K) + 2e f + (2e + 1) x          selective recompute drops the last term
    t C_act = 10 t BSH + 24 BSH + 5 B h S^2     e = 2, F = 4H, all-reduce (= t BSH (10 + 24/t + 5hS/(Ht)))
    t C_act = 34 BSH + 5 B h S^2                e = 2, F = 4H, sequence parallelism
    C_act = 0, C_ckpt = e r                     full recompute

Norms keep their input, so do linears (q, k and v one copy, the shard where the sequence is split), scores keep q and k,
softmax its result, context the dropped-out probabilities and v, GELU its input, each dropout a mask of one byte an
element. The fp32 statistics of norms are not counted. Source: Korthikanti et al.
"""

import sympy

from blueprint.case import Case, Workload
from blueprint.ir.request import Recompute
from blueprint.law import CLASSICAL, HALF_PRECISION, Capacity, Equation, MemoryLaw
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, BoundaryRule
from blueprint.symbols import B, C_act, C_ckpt, C_work, F, H, S, d, e, h, k, t

A = B * S * H
X = B * h * S**2
WIDE = B * S * F
HEADS = B * S * h * d + B * S * k * d
CORE = 2 * e * X + X


def stream(case: Case) -> sympy.Expr:
    """t times the elements of the residual stream on one rank."""
    return A if case.sequence_parallel else t * A


def kept(case: Case) -> sympy.Expr:
    """t times the bytes that a block without recompute stores, less those of the attention core."""
    return 4 * e * stream(case) + 2 * stream(case) + 2 * e * HEADS + 2 * e * WIDE


def stored(case: Case) -> sympy.Expr | int:
    """t times the bytes that wait for the backward pass."""
    if case.full_recompute:
        return 0
    return kept(case) if case.selective_recompute else kept(case) + CORE


def classical(case: Case) -> sympy.Expr:
    """The printed form for any element and feed-forward width."""
    form = 4 * e * stream(case) + 2 * stream(case) + 4 * e * A + 2 * e * WIDE
    return form if case.selective_recompute else form + CORE


def printed(case: Case) -> sympy.Expr:
    """The printed form at e = 2 and F = 4H."""
    form = 34 * A if case.sequence_parallel else 10 * t * A + 24 * A
    return form if case.selective_recompute else form + 5 * X


def working(case: Case) -> sympy.Expr | int:
    """t times the bytes made again that gradients read: the core, all but the input, and gathered shards."""
    gathered = 2 * e * t * A if case.tensor_parallel and case.sequence_parallel else 0
    if case.recompute is Recompute.NONE:
        return gathered
    if case.selective_recompute:
        return CORE + gathered
    norms = gathered if case.tensor_parallel and case.sequence_parallel else 2 * e * stream(case)
    return e * stream(case) + 2 * stream(case) + norms + 2 * e * HEADS + 2 * e * WIDE + CORE


ACTIVATIONS = MemoryLaw(
    id="activation-memory",
    statement="C_act = sum over layers of (A - O [output not stored] - A [activation not stored])",
    source="Korthikanti et al.",
    equations=(
        Equation(
            "general",
            Capacity.STORED,
            t * C_act,
            stored,
            statement="t C_act = (4e + 2) t r + 2e BS(h + k)d + 2e BSF + (2e + 1) B h S^2",
        ),
        Equation(
            "classical",
            Capacity.STORED,
            t * C_act,
            lambda case: 0 if case.full_recompute else classical(case),
            where=CLASSICAL,
            statement="t C_act = (4e + 2) t r + 4e BSH + 2e BSF + (2e + 1) B h S^2",
        ),
        Equation(
            "e = 2, F = 4H",
            Capacity.STORED,
            t * C_act,
            lambda case: 0 if case.full_recompute else printed(case),
            where=HALF_PRECISION,
            statement="C_act = BSH (10 + 24/t + 5hS/(Ht)), 34 BSH/t + 5 B h S^2/t under sequence parallelism",
        ),
    ),
    wrong=(
        Equation("a mask dropped", Capacity.STORED, t * C_act, lambda case: stored(case) - stream(case)),
        Equation("x counted twice", Capacity.STORED, t * C_act, lambda case: stored(case) + e * stream(case)),
        Equation("heads not divided", Capacity.STORED, t * C_act, lambda case: stored(case) + 2 * e * (t - 1) * HEADS),
        Equation("masks of e bytes", Capacity.STORED, t * C_act, lambda case: stored(case) + (e - 1) * X),
    ),
)

WORKING = MemoryLaw(
    id="working-memory",
    statement="C_work = the bytes made again that gradients read: gathered shards, and what recompute makes",
    source="Korthikanti et al.: the policy's memory in one block's backward pass",
    equations=(Equation("general", Capacity.WORKING, t * C_work, working),),
    wrong=(
        Equation(
            "without masks",
            Capacity.WORKING,
            t * C_work,
            lambda case: working(case) if case.recompute is Recompute.NONE else working(case) - X,
        ),
        # One rank's shards where each rank has gathered the whole.
        Equation(
            "shards for what is gathered",
            Capacity.WORKING,
            t * C_work,
            lambda case: working(case) - (2 * e * (t - 1) * A if case.sequence_parallel else 0),
        ),
    ),
)

CHECKPOINT = MemoryLaw(
    id="checkpoint",
    statement="C_ckpt = e r under full recompute: the block's input alone is stored",
    source="Korthikanti et al.",
    equations=(
        Equation(
            "general", Capacity.CHECKPOINT, t * C_ckpt, lambda case: e * stream(case) if case.full_recompute else 0
        ),
    ),
    wrong=(
        Equation(
            "whole sequence", Capacity.CHECKPOINT, t * C_ckpt, lambda case: e * t * A if case.full_recompute else 0
        ),
        Equation("under every policy", Capacity.CHECKPOINT, t * C_ckpt, lambda case: e * stream(case)),
    ),
)

RULE = BoundaryRule(
    id="planning.activations",
    boundaries=(DISTRIBUTED_TO_PORTABLE,),
    claims=(),
    laws=(ACTIVATIONS, WORKING, CHECKPOINT),
    workload=Workload.TRAINING,
)
