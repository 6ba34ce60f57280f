"""Residual sums after attention and after the MLP."""

from blueprint.case import Workload
from blueprint.ir.common import LineageKind, Phase, Primitive
from blueprint.ir.model import OperationKind
from blueprint.rule import (
    MODEL_TO_DISTRIBUTED,
    TRAFFIC_CLAIMS,
    Elements,
    OperationSource,
    PassRule,
    Slot,
    Version,
    compute,
    held,
    version,
)

KINDS = (OperationKind.ATTENTION_RESIDUAL, OperationKind.MLP_RESIDUAL)
X, Y, RESULT = Slot.FIRST, Slot.SECOND, Slot.RESULT
SIZES = Elements(version(RESULT, Version.FORWARD))

RULE = PassRule(
    id="inference.residual",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.LOWERED,
    signature=OperationSource(KINDS),
    targets=(
        compute(
            Phase.FORWARD,
            Primitive.RESIDUAL,
            SIZES,
            reads=(held(X), held(Y)),
            writes=(version(RESULT, Version.FORWARD),),
        ),
    ),
    rewrite="residual sum -> one task",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    workload=Workload.INFERENCE,
)
