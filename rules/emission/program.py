"""The machine's program as a whole: it is for the plan's target."""

from blueprint.rule import CONCRETE_TO_MACHINE, BoundaryRule, Claim

RULE = BoundaryRule(
    id="emission.program",
    boundaries=(CONCRETE_TO_MACHINE,),
    claims=(Claim.INTERFACE,),
    laws=(),
)
