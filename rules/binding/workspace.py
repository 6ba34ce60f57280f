"""The workspace of the implementation that runs the attention core is its own, and at most that of the plan.

Source: Dao et al., FlashAttention, for an implementation that needs less; a binding may choose no other.
"""

from blueprint.case import Workload
from blueprint.law import Requirement
from blueprint.rule import PORTABLE_TO_CONCRETE, BoundaryRule, Claim
from blueprint.symbols import C_plan, C_ws

ROOM = Requirement(
    id="bound-workspace",
    statement="the workspace of the implementation is at most that of the plan",
    source="definition: a binding keeps the plan's bound",
    left=C_ws,
    right=C_plan,
)

RULE = BoundaryRule(
    id="binding.workspace",
    boundaries=(PORTABLE_TO_CONCRETE,),
    claims=(Claim.CHOSEN_WORKSPACE,),
    laws=(ROOM,),
    workload=Workload.INFERENCE,
)
