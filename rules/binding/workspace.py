"""The workspace of the implementation that runs the attention core is its own, and at most that of the plan.

Source: Dao et al., FlashAttention, for an implementation that needs less; a binding may choose no other.
"""

from blueprint.case import Workload
from blueprint.rule import PORTABLE_TO_CONCRETE, BoundaryRule, Claim

RULE = BoundaryRule(
    id="binding.workspace",
    boundaries=(PORTABLE_TO_CONCRETE,),
    claims=(Claim.WORKSPACE,),
    laws=(),
    workload=Workload.INFERENCE,
)
