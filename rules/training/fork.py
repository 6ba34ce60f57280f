"""A value that several operations read: in the backward pass their gradients of it are summed.

The block's input, the first residual sum and both norms' results may be read more than once; the forward pass does
nothing for it.
"""

from blueprint.case import Workload
from blueprint.ir.common import LineageKind, Phase, Primitive, Role
from blueprint.ir.distributed import TaskKind
from blueprint.rule import (
    MODEL_TO_DISTRIBUTED,
    TRAFFIC_CLAIMS,
    Branches,
    PassRule,
    Slot,
    TaskTarget,
    ValueSource,
    Version,
    always,
    contributions,
    version,
)

RULE = PassRule(
    id="training.fork",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.GENERATED,
    signature=ValueSource(roles=(Role.INPUT, Role.ACTIVATION), producers=None, consumers=2),
    targets=(
        TaskTarget(
            suffix="fork_gradient",
            kind=TaskKind.COMPUTE,
            phase=Phase.ACTIVATION_GRADIENT,
            primitive=Primitive.FORK,
            operands=Branches(version(Slot.SOURCE, Version.GRADIENT)),
            reads=(contributions(Slot.SOURCE),),
            writes=(version(Slot.SOURCE, Version.GRADIENT),),
            when=always,
        ),
    ),
    rewrite="a value read n times -> the sum of its n gradients",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    workload=Workload.TRAINING,
)
