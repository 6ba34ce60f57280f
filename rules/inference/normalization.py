"""Layer norm before attention and before the MLP."""

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

KINDS = (OperationKind.ATTENTION_NORM, OperationKind.MLP_NORM)
X, GAIN, BIAS, RESULT = Slot.FIRST, Slot.SECOND, Slot.THIRD, Slot.RESULT
SIZES = Elements(version(RESULT, Version.FORWARD), width=True)

RULE = PassRule(
    id="inference.normalization",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.LOWERED,
    signature=OperationSource(KINDS),
    targets=(
        compute(
            Phase.FORWARD,
            Primitive.LAYER_NORM,
            SIZES,
            reads=(held(X), held(GAIN), held(BIAS)),
            writes=(version(RESULT, Version.FORWARD),),
        ),
    ),
    rewrite="norm(x) -> one task",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    workload=Workload.INFERENCE,
)
