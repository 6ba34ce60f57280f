"""What data-parallel ranks exchange of one block once a step, by ZeRO stage.

    stage 0: all-reduce of the gradients           g N
    1 and 2: reduce-scatter of the gradients        g N    and an all-gather of the updated parameters     e N
    stage 3: reduce-scatter of the gradients        g N    and two all-gathers of the parameters, before the forward
                                                           and before the backward pass                  2 e N

Every message is the full side, without a ring factor.
Source: Rajbhandari et al., ZeRO.
"""

from blueprint.case import Workload
from blueprint.ir.common import LineageKind, Phase, Primitive
from blueprint.ir.distributed import CollectiveKind, MeshAxis, Reduction, TaskKind
from blueprint.rule import (
    MODEL_TO_DISTRIBUTED,
    TASK_CLAIMS,
    AllParameters,
    Claim,
    CollectiveTarget,
    ParameterExchange,
    PassRule,
    Ref,
    Slot,
    TaskTarget,
    Version,
    When,
    divided_gradients,
    divided_parameters,
    divided_update,
    version,
    whole_parameters,
)

GRADIENTS = version(Slot.SOURCE, Version.GRADIENT_SUMMED, Version.GRADIENT)
REDUCED = version(Slot.SOURCE, Version.GRADIENT_REDUCED)
PARAMETERS = version(Slot.SOURCE, Version.FORWARD)
UPDATED = version(Slot.SOURCE, Version.UPDATED)


def _reduction(kind: CollectiveKind, when: When) -> TaskTarget:
    return TaskTarget(
        suffix="gradient_reduction",
        kind=TaskKind.COLLECTIVE,
        phase=Phase.SYNCHRONIZATION,
        primitive=Primitive(kind.value),
        operands=ParameterExchange(MeshAxis.DATA, gradients=True),
        reads=(GRADIENTS,),
        writes=(REDUCED,),
        when=when,
        collective=CollectiveTarget(kind, Reduction.SUM, MeshAxis.DATA),
    )


def _gather(suffix: str, read: Ref, write: Version, when: When) -> TaskTarget:
    return TaskTarget(
        suffix=suffix,
        kind=TaskKind.COLLECTIVE,
        phase=Phase.SYNCHRONIZATION,
        primitive=Primitive.ALL_GATHER,
        operands=ParameterExchange(MeshAxis.DATA, gradients=False),
        reads=(read,),
        writes=(version(Slot.SOURCE, write),),
        when=when,
        collective=CollectiveTarget(CollectiveKind.ALL_GATHER, Reduction.NONE, MeshAxis.DATA),
    )


RULE = PassRule(
    id="stage.parameter_exchange",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.GENERATED,
    signature=AllParameters(),
    targets=(
        _reduction(CollectiveKind.ALL_REDUCE, whole_parameters),
        _reduction(CollectiveKind.REDUCE_SCATTER, divided_gradients),
        _gather("update_gather", UPDATED, Version.UPDATED_GATHERED, divided_update),
        _gather("forward_gather", PARAMETERS, Version.GATHERED, divided_parameters),
        _gather("backward_gather", PARAMETERS, Version.REGATHERED, divided_parameters),
    ),
    rewrite="the parameters of a block -> their gradients reduced, and what lies divided gathered",
    preserves=TASK_CLAIMS,
    introduces=(Claim.COLLECTIVE_VOLUME,),
    workload=Workload.TRAINING,
    stage=True,
)
