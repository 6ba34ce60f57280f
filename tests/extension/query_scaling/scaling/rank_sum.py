"""The group divides the heads evenly: t shards of the scaled queries do the work of the whole, in every phase.

    t W = W_0, where W_0 is the work of the same task with t = 1

Source: conservation of work.
"""

from blueprint.case import Workload
from blueprint.ir.common import Phase
from blueprint.law import Equation, Group, Law, Portion, Quantity, Reference
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, MODEL_TO_DISTRIBUTED, BoundaryRule
from blueprint.symbols import W_0, W, t

KIND = "query_scale"

RANK_SUM = Law(
    id="query-scale-rank-sum",
    statement="t equal shards of the scaled queries do the work of the whole",
    source="conservation of work",
    group=Group(
        phases=(Phase.FORWARD, Phase.RECOMPUTE, Phase.ACTIVATION_GRADIENT),
        kinds=(KIND,),
        primitives=(KIND,),
        members=lambda case: 3 if case.full_recompute else 2,
        portion=Portion.EACH,
    ),
    equations=(Equation("heads", Quantity.OPERATIONS, t * W, lambda case: W_0),),
    wrong=(Equation("repeated on every rank", Quantity.OPERATIONS, W, lambda case: W_0),),
    reference=Reference.UNSHARDED,
)

RULE = BoundaryRule(
    id="scaling.rank_sum",
    boundaries=(MODEL_TO_DISTRIBUTED, DISTRIBUTED_TO_PORTABLE),
    claims=(),
    laws=(RANK_SUM,),
    workload=Workload.TRAINING,
)
