"""What the tensor-parallel group sums in one step: the addends of the two row-parallel projections.

    M = b q H e                      each all-reduce: the full tensor, no ring factor
    t W_reduce = b q H (t - 1)       each all-reduce

Source: Shoeybi et al., Megatron-LM.
"""

from blueprint.case import Case, Workload
from blueprint.ir.common import LineageKind, Phase, Primitive, Role
from blueprint.ir.distributed import CollectiveKind, Reduction
from blueprint.law import Equation, Group, Law, Portion, Quantity
from blueprint.rule import (
    MODEL_TO_DISTRIBUTED,
    PARALLEL_EXIT,
    TRAFFIC_CLAIMS,
    Claim,
    PassRule,
    Slot,
    ValueSource,
    Version,
    collective,
    tensor_parallel,
    version,
)
from blueprint.symbols import H, M, W, b, e, q, t


def _collectives(case: Case) -> int:
    """All-reduces of one block and step."""
    return 2 if case.tensor_parallel else 0


SUMS = Group(phases=(Phase.FORWARD,), primitives=(Primitive.ALL_REDUCE,), members=_collectives, portion=Portion.EACH)

PAYLOAD = Law(
    id="inference-payload",
    statement="M = b q H e",
    source="Shoeybi et al., Megatron-LM",
    group=SUMS,
    equations=(Equation("each", Quantity.MESSAGE_BYTES, M, lambda case: b * q * H * e),),
    wrong=(
        Equation("half", Quantity.MESSAGE_BYTES, 2 * M, lambda case: b * q * H * e),
        Equation("shard", Quantity.MESSAGE_BYTES, t * M, lambda case: b * q * H * e),
        Equation("ring factor", Quantity.MESSAGE_BYTES, t * M, lambda case: 2 * (t - 1) * b * q * H * e),
    ),
)

REDUCE = Law(
    id="inference-reduce",
    statement="W_reduce = b q H (t - 1) / t",
    source="definition: each rank adds its share of t addends (t - 1 times)",
    group=SUMS,
    equations=(Equation("each", Quantity.OPERATIONS, t * W, lambda case: b * q * H * (t - 1)),),
    wrong=(
        Equation("without the minus one", Quantity.OPERATIONS, t * W, lambda case: b * q * H * t),
        Equation("not divided by t", Quantity.OPERATIONS, W, lambda case: b * q * H * (t - 1)),
    ),
)

RULE = PassRule(
    id="inference.tensor_collective",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.GENERATED,
    signature=ValueSource(roles=(Role.ACTIVATION,), producers=PARALLEL_EXIT),
    targets=(
        collective(
            Phase.FORWARD,
            CollectiveKind.ALL_REDUCE,
            Reduction.SUM,
            version(Slot.SOURCE, Version.FORWARD),
            version(Slot.SOURCE, Version.COMMUNICATED),
            when=tensor_parallel,
        ),
    ),
    rewrite="addends at the end of the parallel region -> their sum on every rank",
    preserves=TRAFFIC_CLAIMS,
    introduces=(Claim.COLLECTIVE_VOLUME,),
    laws=(PAYLOAD, REDUCE),
    workload=Workload.INFERENCE,
)
