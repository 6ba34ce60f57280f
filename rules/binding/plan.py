"""The concrete plan as a whole: its target, its inputs and its outputs."""

from blueprint.rule import PORTABLE_TO_CONCRETE, BoundaryRule, Claim

RULE = BoundaryRule(
    id="binding.plan",
    boundaries=(PORTABLE_TO_CONCRETE,),
    claims=(Claim.INTERFACE,),
    laws=(),
)
