"""One command for each portable task: one of its implementations, the same operations, the same data flow.

A dependency on a command of another queue is an explicit wait; within a queue the issue order is enough.
"""

from blueprint.ir.common import LineageKind
from blueprint.rule import PORTABLE_TO_CONCRETE, Bound, Claim, Each, Entity, PassRule

RULE = PassRule(
    id="binding.command",
    boundary=PORTABLE_TO_CONCRETE,
    lineage=LineageKind.LOWERED,
    signature=Each(Entity.TASK),
    targets=(Bound(Entity.COMMAND),),
    rewrite="portable task -> the command of its category with one of its implementations, in its place of the order",
    preserves=(
        Claim.TASK_CATEGORY,
        Claim.EXACT_WORK,
        Claim.DEPENDENCY_TOPOLOGY,
        Claim.BUFFER_USES,
        Claim.COLLECTIVE_VOLUME,
    ),
    introduces=(Claim.IMPLEMENTATION, Claim.PLACEMENT, Claim.ISSUE_ORDER, Claim.WAITS),
)
