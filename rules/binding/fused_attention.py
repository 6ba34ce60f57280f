"""An attention core that a target runs as one: three tasks become one command, and the scores are never written.

    W_fused = W_scores + W_softmax + W_context
    C_ws of the implementation <= C_ws of the plan

Fusing saves traffic and room, and no operation. Which implementation is run, the target says.
Source: Dao et al., FlashAttention; Kwon et al., PagedAttention.
"""

from blueprint.case import Workload
from blueprint.ir.common import LineageKind
from blueprint.law import Bound, BoundLaw
from blueprint.rule import PORTABLE_TO_CONCRETE, AttentionCore, Claim, Entity, PassRule
from blueprint.rule import Bound as Target
from blueprint.symbols import W_1, W_2, W_3, W_f
from blueprint.term import Relation

OPERATIONS = BoundLaw(
    id="fused-operations",
    statement="a fused attention core does the operations of its three tasks",
    source="Dao et al., FlashAttention: tiling is exact",
    bounds=(Bound("the sum", W_f, Relation.EQUAL, W_1 + W_2 + W_3),),
    wrong=(
        Bound("no softmax", W_f, Relation.EQUAL, W_1 + W_3),
        Bound("causal half", 2 * W_f, Relation.EQUAL, W_1 + 2 * W_2 + W_3),
        Bound("scores computed twice", W_f, Relation.EQUAL, 2 * W_1 + W_2 + W_3),
    ),
)

RULE = PassRule(
    id="binding.fused_attention",
    boundary=PORTABLE_TO_CONCRETE,
    lineage=LineageKind.LOWERED,
    signature=AttentionCore(),
    targets=(Target(Entity.COMMAND),),
    rewrite="scores, softmax and context -> one command, without the buffers between them, where the target fuses them",
    preserves=(
        Claim.TASK_CATEGORY,
        Claim.EXACT_WORK,
        Claim.DEPENDENCY_TOPOLOGY,
        Claim.BUFFER_USES,
        Claim.COLLECTIVE_VOLUME,
    ),
    introduces=(Claim.IMPLEMENTATION, Claim.PLACEMENT, Claim.ISSUE_ORDER, Claim.WAITS),
    laws=(OPERATIONS,),
    workload=Workload.INFERENCE,
)
