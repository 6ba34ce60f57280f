"""What the group divides it divides evenly: t shards of an operation do the work of the whole operation.

    t W = W_0, where W_0 is the work of the same task with t = 1

Operations that every rank repeats (norms, block dropouts and residual sums where the sequence is whole) are outside.
Source: conservation of work.
"""

from blueprint.case import Case, Workload
from blueprint.ir.common import Phase, Primitive
from blueprint.ir.model import OperationKind
from blueprint.ir.request import Recompute
from blueprint.law import Equation, Group, Law, Portion, Quantity, Reference
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, MODEL_TO_DISTRIBUTED, BoundaryRule
from blueprint.symbols import W_0, W, t

PHASES = (Phase.FORWARD, Phase.RECOMPUTE, Phase.ACTIVATION_GRADIENT, Phase.WEIGHT_GRADIENT)

SPLIT = (
    OperationKind.QUERY_PROJECTION,
    OperationKind.KEY_PROJECTION,
    OperationKind.VALUE_PROJECTION,
    OperationKind.SCORES,
    OperationKind.SOFTMAX,
    OperationKind.ATTENTION_DROPOUT,
    OperationKind.CONTEXT,
    OperationKind.OUTPUT_PROJECTION,
    OperationKind.UP_PROJECTION,
    OperationKind.ACTIVATION,
    OperationKind.DOWN_PROJECTION,
)
"""Operations whose heads or columns the group divides in every strategy."""

STREAM = (
    OperationKind.ATTENTION_NORM,
    OperationKind.OUTPUT_DROPOUT,
    OperationKind.ATTENTION_RESIDUAL,
    OperationKind.MLP_NORM,
    OperationKind.MLP_DROPOUT,
    OperationKind.MLP_RESIDUAL,
)
"""Operations on the residual stream, which is divided under sequence parallelism."""

LOCAL = (
    Primitive.LINEAR,
    Primitive.BATCHED_MATMUL,
    Primitive.LAYER_NORM,
    Primitive.SOFTMAX,
    Primitive.GELU,
    Primitive.DROPOUT,
    Primitive.RESIDUAL,
)
"""What an operation of the model does on its rank; the collectives and forks of its result are not its work."""


def split_sequence(case: Case) -> bool:
    """The residual stream is divided over more than one rank."""
    return case.tensor_parallel and case.sequence_parallel


def _split_tasks(case: Case) -> int:
    return 11 + 11 + 6 + {Recompute.NONE: 0, Recompute.SELECTIVE: 4, Recompute.FULL: 11}[case.recompute]


def _stream_tasks(case: Case) -> int:
    return 6 + 6 + 2 + (6 if case.full_recompute else 0)


RANK_SUM = Law(
    id="rank-sum",
    statement="t equal shards of a divided operation do the work of the whole",
    source="conservation of work",
    group=Group(phases=PHASES, kinds=SPLIT, primitives=LOCAL, members=_split_tasks, portion=Portion.EACH),
    equations=(Equation("heads and columns", Quantity.OPERATIONS, t * W, lambda case: W_0),),
    wrong=(
        Equation("repeated on every rank", Quantity.OPERATIONS, W, lambda case: W_0),
        Equation("one rank too many", Quantity.OPERATIONS, t * W + W, lambda case: W_0),
    ),
    reference=Reference.UNSHARDED,
)

RANK_SUM_SEQUENCE = Law(
    id="rank-sum-sequence",
    statement="t equal shards of the residual stream do the work of the whole stream",
    source="conservation of work",
    group=Group(phases=PHASES, kinds=STREAM, primitives=LOCAL, members=_stream_tasks, portion=Portion.EACH),
    equations=(Equation("sequence", Quantity.OPERATIONS, t * W, lambda case: W_0),),
    wrong=(Equation("repeated on every rank", Quantity.OPERATIONS, W, lambda case: W_0),),
    when=split_sequence,
    reference=Reference.UNSHARDED,
)

RULE = BoundaryRule(
    id="training.rank_sum",
    boundaries=(MODEL_TO_DISTRIBUTED, DISTRIBUTED_TO_PORTABLE),
    claims=(),
    laws=(RANK_SUM, RANK_SUM_SEQUENCE),
    workload=Workload.TRAINING,
)
