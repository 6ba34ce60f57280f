"""One region of memory on every device of the class: its capacity is the device's, or what the buffers take up.

extent = o_{n-1} + s_{n-1} <= capacity,  base aligned to the largest a_i
"""

from blueprint.ir.common import LineageKind
from blueprint.rule import PORTABLE_TO_CONCRETE, Bound, Claim, Entity, PassRule, Whole

RULE = PassRule(
    id="binding.region",
    boundary=PORTABLE_TO_CONCRETE,
    lineage=LineageKind.GENERATED,
    signature=Whole(),
    targets=(Bound(Entity.REGION),),
    rewrite="the memory of one device -> a region with the capacity that the deployment names",
    preserves=(),
    introduces=(Claim.REGION_CAPACITY, Claim.PLACEMENT),
)
