"""What the tensor-parallel group exchanges: all-reduce, or all-gather and reduce-scatter under sequence parallelism.

    M_TP = B S H e                   each collective: the full tensor, no ring factor
    t W_reduce = B S H (t - 1)       each reducing collective, whichever its phase

Forward, a sum stands where the parallel region ends and a gather where it begins; backward the two change places;
recompute repeats the forward ones, and without it a kept shard is gathered again.
Source: Shoeybi et al., Megatron-LM; Narayanan et al.; Korthikanti et al.
"""

from blueprint.case import Case, Workload
from blueprint.ir.common import LineageKind, Phase, Primitive, Role
from blueprint.ir.distributed import CollectiveKind, Reduction
from blueprint.ir.request import Recompute
from blueprint.law import Equation, Group, Law, Portion, Quantity
from blueprint.rule import (
    MODEL_TO_DISTRIBUTED,
    PARALLEL_ENTRY,
    PARALLEL_EXIT,
    TRAFFIC_CLAIMS,
    Claim,
    PassRule,
    Slot,
    ValueSource,
    Version,
    all_reducing,
    at_entry,
    at_exit,
    collective,
    fully_recomputed,
    sequence_parallel,
    version,
)
from blueprint.symbols import B, H, M, S, W, e, t

VALUE = Slot.SOURCE

FORWARD = version(VALUE, Version.FORWARD)
COMMUNICATED = version(VALUE, Version.COMMUNICATED)
KEPT = version(VALUE, Version.RECOMPUTED, Version.FORWARD)
RECOMMUNICATED = version(VALUE, Version.RECOMMUNICATED)
GRADIENT = version(VALUE, Version.GRADIENT)
GRADIENT_COMMUNICATED = version(VALUE, Version.GRADIENT_COMMUNICATED)


def _collectives(case: Case) -> int:
    """Collectives of one block and microbatch, in all phases."""
    if not case.tensor_parallel:
        return 0
    repeated = case.recompute is Recompute.FULL
    if case.sequence_parallel:
        return 4 + 4 + (4 if repeated else 2)
    return 2 + 2 + (2 if repeated else 0)


def _reducing(case: Case) -> int:
    """Reducing collectives of one block and microbatch, in all phases."""
    if not case.tensor_parallel:
        return 0
    return 6 if case.recompute is Recompute.FULL else 4


COMMUNICATION_PHASES = (Phase.FORWARD, Phase.RECOMMUNICATION, Phase.ACTIVATION_GRADIENT)

PAYLOAD = Law(
    id="tp-payload",
    statement="M_TP = B S H e",
    source="Shoeybi et al., Megatron-LM; Narayanan et al.",
    group=Group(
        phases=COMMUNICATION_PHASES,
        primitives=(Primitive.ALL_REDUCE, Primitive.ALL_GATHER, Primitive.REDUCE_SCATTER),
        members=_collectives,
        portion=Portion.EACH,
    ),
    equations=(Equation("each", Quantity.MESSAGE_BYTES, M, lambda case: B * S * H * e),),
    wrong=(
        Equation("half", Quantity.MESSAGE_BYTES, 2 * M, lambda case: B * S * H * e),
        Equation("ring factor", Quantity.MESSAGE_BYTES, t * M, lambda case: 2 * B * S * H * e * (t - 1)),
        Equation("shard", Quantity.MESSAGE_BYTES, t * M, lambda case: B * S * H * e),
    ),
)

REDUCE = Law(
    id="tp-reduce",
    statement="W_reduce = B S H (t - 1) / t",
    source="definition: each rank adds its share of t addends (t - 1 times)",
    group=Group(
        phases=COMMUNICATION_PHASES,
        primitives=(Primitive.ALL_REDUCE, Primitive.REDUCE_SCATTER),
        members=_reducing,
        portion=Portion.EACH,
    ),
    equations=(Equation("each", Quantity.OPERATIONS, t * W, lambda case: B * S * H * (t - 1)),),
    wrong=(
        Equation("without the minus one", Quantity.OPERATIONS, t * W, lambda case: B * S * H * t),
        Equation("not divided by t", Quantity.OPERATIONS, W, lambda case: B * S * H * (t - 1)),
    ),
)

RULE = PassRule(
    id="training.tensor_collective",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.GENERATED,
    signature=ValueSource(roles=(Role.ACTIVATION,), producers=(*PARALLEL_ENTRY, *PARALLEL_EXIT)),
    targets=(
        collective(
            Phase.FORWARD,
            CollectiveKind.ALL_GATHER,
            Reduction.NONE,
            FORWARD,
            COMMUNICATED,
            when=at_entry(sequence_parallel),
        ),
        collective(
            Phase.FORWARD,
            CollectiveKind.REDUCE_SCATTER,
            Reduction.SUM,
            FORWARD,
            COMMUNICATED,
            when=at_exit(sequence_parallel),
        ),
        collective(
            Phase.FORWARD,
            CollectiveKind.ALL_REDUCE,
            Reduction.SUM,
            FORWARD,
            COMMUNICATED,
            when=at_exit(all_reducing),
        ),
        collective(
            Phase.RECOMMUNICATION,
            CollectiveKind.ALL_GATHER,
            Reduction.NONE,
            KEPT,
            RECOMMUNICATED,
            when=at_entry(sequence_parallel),
        ),
        collective(
            Phase.RECOMMUNICATION,
            CollectiveKind.REDUCE_SCATTER,
            Reduction.SUM,
            KEPT,
            RECOMMUNICATED,
            when=at_exit(fully_recomputed(sequence_parallel)),
        ),
        collective(
            Phase.RECOMMUNICATION,
            CollectiveKind.ALL_REDUCE,
            Reduction.SUM,
            KEPT,
            RECOMMUNICATED,
            when=at_exit(fully_recomputed(all_reducing)),
        ),
        collective(
            Phase.ACTIVATION_GRADIENT,
            CollectiveKind.REDUCE_SCATTER,
            Reduction.SUM,
            GRADIENT,
            GRADIENT_COMMUNICATED,
            when=at_entry(sequence_parallel),
        ),
        collective(
            Phase.ACTIVATION_GRADIENT,
            CollectiveKind.ALL_REDUCE,
            Reduction.SUM,
            GRADIENT,
            GRADIENT_COMMUNICATED,
            when=at_entry(all_reducing),
        ),
        collective(
            Phase.ACTIVATION_GRADIENT,
            CollectiveKind.ALL_GATHER,
            Reduction.NONE,
            GRADIENT,
            GRADIENT_COMMUNICATED,
            when=at_exit(sequence_parallel),
        ),
    ),
    rewrite="a value at the edge of the parallel region -> its collectives, forward, repeated and backward",
    preserves=TRAFFIC_CLAIMS,
    introduces=(Claim.COLLECTIVE_VOLUME,),
    laws=(PAYLOAD, REDUCE),
    workload=Workload.TRAINING,
)
