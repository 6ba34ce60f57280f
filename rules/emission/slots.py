"""One section for all commands of a target with issue slots, in the order of cycle and slot."""

from blueprint.ir.common import LineageKind
from blueprint.rule import CONCRETE_TO_MACHINE, Bound, Claim, Entity, PassRule, Whole

RULE = PassRule(
    id="emission.slots",
    boundary=CONCRETE_TO_MACHINE,
    lineage=LineageKind.GENERATED,
    signature=Whole(),
    targets=(Bound(Entity.SECTION),),
    rewrite="cycles and slots -> one section in the order of issue, if the target has slots",
    preserves=(Claim.ISSUE_ORDER,),
    introduces=(),
)
