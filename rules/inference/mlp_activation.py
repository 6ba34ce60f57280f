"""GELU between the MLP's projections."""

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

KINDS = (OperationKind.ACTIVATION,)
X, RESULT = Slot.FIRST, Slot.RESULT
SIZES = Elements(version(RESULT, Version.FORWARD))

RULE = PassRule(
    id="inference.mlp_activation",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.LOWERED,
    signature=OperationSource(KINDS),
    targets=(
        compute(
            Phase.FORWARD,
            Primitive.GELU,
            SIZES,
            reads=(held(X),),
            writes=(version(RESULT, Version.FORWARD),),
        ),
    ),
    rewrite="GELU -> one task",
    preserves=TRAFFIC_CLAIMS,
    introduces=(),
    workload=Workload.INFERENCE,
)
