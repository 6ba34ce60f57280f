"""One device for each rank of the tensor-parallel group; its ordinal is the rank that it runs."""

from blueprint.ir.common import LineageKind
from blueprint.rule import PORTABLE_TO_CONCRETE, Bound, Claim, Entity, PassRule, Whole

RULE = PassRule(
    id="binding.device",
    boundary=PORTABLE_TO_CONCRETE,
    lineage=LineageKind.GENERATED,
    signature=Whole(),
    targets=(Bound(Entity.DEVICE),),
    rewrite="the tensor degree t -> devices 0 .. t - 1",
    preserves=(Claim.LOGICAL_RANKS,),
    introduces=(),
)
