"""One Adam step over the block's parameters on one rank, or over the rank's share of them at ZeRO stage 1 and above."""

from blueprint.case import Workload
from blueprint.ir.common import LineageKind, Phase, Primitive
from blueprint.ir.distributed import TaskKind
from blueprint.rule import (
    MODEL_TO_DISTRIBUTED,
    TASK_CLAIMS,
    AllParameters,
    Parameters,
    PassRule,
    Slot,
    TaskTarget,
    Version,
    always,
    version,
)

RULE = PassRule(
    id="training.optimizer",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.LOWERED,
    signature=AllParameters(),
    targets=(
        TaskTarget(
            suffix="optimizer",
            kind=TaskKind.COMPUTE,
            phase=Phase.OPTIMIZER,
            primitive=Primitive.OPTIMIZER,
            operands=Parameters(),
            reads=(
                version(Slot.SOURCE, Version.FORWARD),
                version(Slot.SOURCE, Version.GRADIENT_REDUCED, Version.GRADIENT_SUMMED, Version.GRADIENT),
            ),
            writes=(version(Slot.SOURCE, Version.UPDATED),),
            when=always,
        ),
    ),
    rewrite="all parameters -> one optimizer step",
    preserves=TASK_CLAIMS,
    introduces=(),
    workload=Workload.TRAINING,
)
