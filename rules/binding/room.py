"""A plan has room for the workspace of the implementation that its target runs.

Source: Dao et al., FlashAttention, for an implementation that needs less; a binding may choose no other.
"""

from blueprint.case import Workload
from blueprint.law import Requirement
from blueprint.rule import PORTABLE_TO_CONCRETE, BoundaryRule
from blueprint.symbols import C_plan, C_ws

ROOM = Requirement(
    id="bound-workspace",
    statement="the workspace of the implementation is at most that of the plan",
    source="definition: a binding keeps the plan's bound",
    left=C_ws,
    right=C_plan,
)

RULE = BoundaryRule(
    id="binding.room",
    boundaries=(PORTABLE_TO_CONCRETE,),
    claims=(),
    laws=(ROOM,),
    workload=Workload.INFERENCE,
)
