"""One portable task for each distributed task: the work vector is copied exactly, then projected without loss.

    (F, R, W, M) portable = (F, R, W, M) distributed
    Q_compute = F,  Q_memory = R + W,  Q_network = M

Source: conservation of the derived work vector; no performance model is added.
"""

from blueprint.ir.common import LineageKind
from blueprint.law import Projection, ProjectionLaw
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, Claim, CopiedTask, EachTask, PassRule
from blueprint.symbols import M, Q_r, Q_w, W

COPY = ProjectionLaw(
    id="work-conservation",
    statement="(F, R, W, M) of a portable task = (F, R, W, M) of its distributed task",
    source="conservation of the derived Transformer work vector",
    projection=Projection.WORK,
    outputs={"operations": W, "read_bytes": Q_r, "write_bytes": Q_w, "message_bytes": M},
    wrong={"operations": 2 * W, "read_bytes": Q_w, "write_bytes": Q_r + Q_w, "message_bytes": M + 1},
)

RESOURCES = ProjectionLaw(
    id="resource-projection",
    statement="Q_compute = F, Q_memory = R + W, Q_network = M",
    source="conservation of the derived Transformer work vector",
    projection=Projection.RESOURCES,
    outputs={"compute": W, "memory": Q_r + Q_w, "network": M},
    wrong={"compute": W + 1, "memory": Q_r, "network": 2 * M},
)

RULE = PassRule(
    id="planning.task",
    boundary=DISTRIBUTED_TO_PORTABLE,
    lineage=LineageKind.LOWERED,
    signature=EachTask(),
    targets=(CopiedTask(),),
    rewrite="distributed task -> portable task with exact work, resources, capability and dependencies",
    preserves=(
        Claim.OPERATION_IDENTITY,
        Claim.EXACT_WORK,
        Claim.DATA_FLOW,
        Claim.LOGICAL_RANKS,
        Claim.COLLECTIVE_VOLUME,
        Claim.EFFECTS,
    ),
    introduces=(Claim.RESOURCES, Claim.DEPENDENCY_TOPOLOGY, Claim.IMPLEMENTATION),
    laws=(COPY, RESOURCES),
)
