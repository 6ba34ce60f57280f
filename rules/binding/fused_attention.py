"""An attention core that a target runs as one: three tasks become one command, and the scores are never written.

    W_fused = W_scores + W_softmax + W_context      4 b q c h_t d + 5 b h_t q c on one rank
    C_ws of the implementation <= C_ws of the plan

Fusing saves traffic and room, and no operation. Which implementation is run, the target says.
Source: Dao et al., FlashAttention; Kwon et al., PagedAttention.
"""

from blueprint.case import Workload
from blueprint.ir.common import LineageKind
from blueprint.law import Bound, BoundLaw
from blueprint.rule import PORTABLE_TO_CONCRETE, AttentionCore, Claim, Entity, PassRule
from blueprint.rule import Bound as Target
from blueprint.symbols import W_f, b, c, d, h_t, q
from blueprint.term import Relation

PRODUCTS = 4 * b * q * c * h_t * d
"""Scores and context on one rank."""

SOFTMAX = 5 * b * h_t * q * c

OPERATIONS = BoundLaw(
    id="fused-operations",
    statement="W_fused = W_scores + W_softmax + W_context",
    source="Dao et al., FlashAttention: tiling is exact",
    bounds=(Bound("one rank", W_f, Relation.EQUAL, PRODUCTS + SOFTMAX),),
    wrong=(
        Bound("no softmax", W_f, Relation.EQUAL, PRODUCTS),
        Bound("causal half", 2 * W_f, Relation.EQUAL, PRODUCTS + 2 * SOFTMAX),
        Bound("scores computed twice", 2 * W_f, Relation.EQUAL, 3 * PRODUCTS + 2 * SOFTMAX),
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
