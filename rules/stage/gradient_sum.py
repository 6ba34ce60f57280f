"""Gradients of parameters that every rank holds whole, summed over the tensor group where each saw only its own tokens.

These are the two norms' gains and biases, 4 H elements, and where linears have biases the 2 H of the two row-parallel
ones, which are added to rows of the divided stream. One all-reduce a block and step.
Source: Korthikanti et al.; Megatron-LM sums what it marks as sequence parallel.
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
    Slot,
    TaskTarget,
    Version,
    sums_whole_gradients,
    version,
)

RULE = PassRule(
    id="stage.gradient_sum",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.GENERATED,
    signature=AllParameters(whole=True),
    targets=(
        TaskTarget(
            suffix="gradient_sum",
            kind=TaskKind.COLLECTIVE,
            phase=Phase.SYNCHRONIZATION,
            primitive=Primitive.ALL_REDUCE,
            operands=ParameterExchange(MeshAxis.TENSOR, gradients=True),
            reads=(version(Slot.SOURCE, Version.GRADIENT),),
            writes=(version(Slot.SOURCE, Version.GRADIENT_SUMMED),),
            when=sums_whole_gradients,
            collective=CollectiveTarget(CollectiveKind.ALL_REDUCE, Reduction.SUM),
        ),
    ),
    rewrite="gradients of undivided parameters -> their sum over the tensor group",
    preserves=TASK_CLAIMS,
    introduces=(Claim.COLLECTIVE_VOLUME,),
    workload=Workload.TRAINING,
    stage=True,
)
