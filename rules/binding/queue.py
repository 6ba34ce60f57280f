"""One queue for each category that has a command: compute, collective, transfer, host.

Commands are partitioned, and each queue issues its own in the topological order of their tasks: a command's position
is the number of earlier commands in its queue. With b_k = 1 for the queue of task i and 0 for the others:

    position = sum of b_k n_k,  m_k = n_k + b_k

Queue edges and dependency edges both lead to a greater topological index, so together they have no cycle.
Source: deterministic contract, no paper.
"""

import sympy

from blueprint.ir.common import LineageKind
from blueprint.law import Arrangement, Bound, InductiveLaw
from blueprint.rule import PORTABLE_TO_CONCRETE, Claim, Entity, PassRule, Whole
from blueprint.rule import Bound as Target
from blueprint.symbols import (
    T_i,
    T_j,
    T_k,
    b_1,
    b_2,
    b_3,
    b_4,
    m_1,
    m_2,
    m_3,
    m_4,
    n_0,
    n_1,
    n_2,
    n_3,
    n_4,
    n_t,
    p_i,
    p_j,
)
from blueprint.term import Relation

ZERO = sympy.Integer(0)
INDICATORS = (b_1, b_2, b_3, b_4)
BEFORE = (n_1, n_2, n_3, n_4)
AFTER = (m_1, m_2, m_3, m_4)

ONE_QUEUE = (b_4, Relation.EQUAL, 1 - b_1 - b_2 - b_3)
"""A task belongs to one queue."""

ALL_COUNTED = (n_t, Relation.EQUAL, n_1 + n_2 + n_3 + n_4)
"""The invariant: every task before is in one queue."""


Premise = tuple[sympy.Expr, Relation, sympy.Expr]


def of_queue(number: int) -> tuple[Premise, ...]:
    """The task belongs to this queue and to no other."""
    return tuple((each, Relation.EQUAL, sympy.Integer(at == number)) for at, each in enumerate(INDICATORS))


def placed(number: int = 0) -> tuple[tuple[sympy.Symbol, int], ...]:
    """Values at which the premises hold: each queue has one task, and the next belongs to this queue."""
    indicators = tuple((each, int(at == number)) for at, each in enumerate(INDICATORS))
    return (*((each, 1) for each in BEFORE), (n_t, 4), (p_j, 0), *indicators)


def in_queue(number: int) -> tuple[Bound, ...]:
    """What holds of a task of one queue: it is counted, and every earlier one of the queue has a smaller position."""
    earlier = (p_j, Relation.LESS, BEFORE[number])
    return (
        Bound(
            f"counted in queue {number + 1}",
            AFTER[number],
            Relation.EQUAL,
            p_i + 1,
            premises=of_queue(number),
            witness=placed(number),
        ),
        Bound(
            f"stable in queue {number + 1}: earlier tasks keep smaller positions than the count",
            p_j,
            Relation.LESS,
            AFTER[number],
            premises=(ONE_QUEUE, earlier),
            because=((BEFORE[number] - p_j - 1,), (INDICATORS[number],)),
            witness=placed(number),
        ),
        Bound(
            f"stable in queue {number + 1}: an earlier task is issued earlier",
            p_j,
            Relation.LESS,
            p_i,
            premises=(*of_queue(number), earlier),
            because=((BEFORE[number] - p_j - 1,),),
            witness=placed(number),
        ),
    )


QUEUES = InductiveLaw(
    id="queue-order",
    statement="position of t_i in its queue = number of its tasks among t_0, ..., t_{i-1}",
    source="deterministic contract of the reference queue target",
    arrangement=Arrangement.QUEUES,
    bounds=(
        Bound("partition: nothing is counted before the first", n_0, Relation.EQUAL, ZERO),
        Bound(
            "partition: each task is counted once",
            sum(AFTER),
            Relation.EQUAL,
            n_t + 1,
            premises=(ONE_QUEUE, ALL_COUNTED),
            witness=placed(),
        ),
        *in_queue(0),
        *in_queue(1),
        *in_queue(2),
        *in_queue(3),
        Bound(
            "no cycle: two edges lead to a greater index",
            T_i,
            Relation.LESS,
            T_k,
            premises=((T_i, Relation.LESS, T_j), (T_j, Relation.LESS, T_k)),
            because=((T_j - T_i - 1,), (T_k - T_j - 1,), (sympy.Integer(1),)),
            witness=((T_i, 0), (T_j, 1), (T_k, 2)),
        ),
    ),
    wrong=(
        Bound(
            "missing: a task in no queue",
            sum(AFTER),
            Relation.EQUAL,
            n_t,
            premises=(ONE_QUEUE, ALL_COUNTED),
            witness=placed(),
        ),
        Bound(
            "reordered: issued before an earlier task",
            p_i,
            Relation.LESS,
            p_j,
            premises=(*of_queue(0), (p_j, Relation.LESS, n_1)),
            witness=placed(),
        ),
        Bound(
            "two tasks in one position",
            p_i,
            Relation.EQUAL,
            p_j,
            premises=(*of_queue(0), (p_j, Relation.LESS, n_1)),
            witness=placed(),
        ),
    ),
)

RULE = PassRule(
    id="binding.queue",
    boundary=PORTABLE_TO_CONCRETE,
    lineage=LineageKind.GENERATED,
    signature=Whole(),
    targets=(Target(Entity.QUEUE),),
    rewrite="the categories of the tasks -> one queue each, if the target has queues",
    preserves=(),
    introduces=(Claim.TASK_CATEGORY,),
    laws=(QUEUES,),
)
