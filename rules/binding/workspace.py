"""The workspace of a bound plan is that of the implementation that runs the attention core; training has none."""

from blueprint.rule import PORTABLE_TO_CONCRETE, BoundaryRule, Claim

RULE = BoundaryRule(
    id="binding.workspace", boundaries=(PORTABLE_TO_CONCRETE,), claims=(Claim.CHOSEN_WORKSPACE,), laws=()
)
