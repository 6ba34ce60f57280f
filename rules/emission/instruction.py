"""One instruction for each command, with the bound places of its buffers as operands."""

from blueprint.ir.common import LineageKind
from blueprint.rule import CONCRETE_TO_MACHINE, Bound, Claim, Each, Entity, PassRule

RULE = PassRule(
    id="emission.instruction",
    boundary=CONCRETE_TO_MACHINE,
    lineage=LineageKind.LOWERED,
    signature=Each(Entity.COMMAND),
    targets=(Bound(Entity.INSTRUCTION),),
    rewrite="command -> its instruction, with bound offsets and sizes as operands, at its place in a section",
    preserves=(
        Claim.TASK_CATEGORY,
        Claim.IMPLEMENTATION,
        Claim.OPERANDS,
        Claim.COLLECTIVE_VOLUME,
        Claim.DEPENDENCY_TOPOLOGY,
        Claim.ISSUE_ORDER,
    ),
    introduces=(),
)
