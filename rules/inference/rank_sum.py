"""What the group divides it divides evenly: t shards of an operation do the work of the whole operation.

    t W = W_0, where W_0 is the work of the same task with t = 1

Norms and residual sums, which every rank repeats, are outside.
Source: conservation of work.
"""

from blueprint.case import Workload
from blueprint.ir.common import Phase, Primitive
from blueprint.ir.model import OperationKind
from blueprint.law import Equation, Group, Law, Portion, Quantity, Reference, count
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, MODEL_TO_DISTRIBUTED, BoundaryRule
from blueprint.symbols import W_0, W, t

SPLIT = (
    OperationKind.QUERY_PROJECTION,
    OperationKind.KEY_PROJECTION,
    OperationKind.VALUE_PROJECTION,
    OperationKind.SCORES,
    OperationKind.SOFTMAX,
    OperationKind.CONTEXT,
    OperationKind.OUTPUT_PROJECTION,
    OperationKind.UP_PROJECTION,
    OperationKind.ACTIVATION,
    OperationKind.DOWN_PROJECTION,
)
LOCAL = (Primitive.LINEAR, Primitive.BATCHED_MATMUL, Primitive.SOFTMAX, Primitive.GELU)

RANK_SUM = Law(
    id="inference-rank-sum",
    statement="t equal shards of a divided operation do the work of the whole",
    source="conservation of work",
    group=Group(phases=(Phase.FORWARD,), kinds=SPLIT, primitives=LOCAL, members=count(10), portion=Portion.EACH),
    equations=(Equation("heads and columns", Quantity.OPERATIONS, t * W, lambda case: W_0),),
    wrong=(
        Equation("repeated on every rank", Quantity.OPERATIONS, W, lambda case: W_0),
        Equation("one rank too many", Quantity.OPERATIONS, t * W + W, lambda case: W_0),
    ),
    reference=Reference.UNSHARDED,
)

RULE = BoundaryRule(
    id="inference.rank_sum",
    boundaries=(MODEL_TO_DISTRIBUTED, DISTRIBUTED_TO_PORTABLE),
    claims=(),
    laws=(RANK_SUM,),
    workload=Workload.INFERENCE,
)
