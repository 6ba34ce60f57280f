"""One entry point, which lists every section and so reaches every instruction."""

from blueprint.ir.common import LineageKind
from blueprint.rule import CONCRETE_TO_MACHINE, Bound, Claim, Entity, PassRule, Whole

RULE = PassRule(
    id="emission.entry",
    boundary=CONCRETE_TO_MACHINE,
    lineage=LineageKind.GENERATED,
    signature=Whole(),
    targets=(Bound(Entity.ENTRY),),
    rewrite="the sections -> one entry point that lists them in order",
    preserves=(),
    introduces=(Claim.ENTRY,),
)
