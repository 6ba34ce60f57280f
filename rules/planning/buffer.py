"""One portable buffer for each distributed value: exactly its local elements times the width of one element.

    C = (product of local sizes) * width

Parameters, their gradients and their updates persist over the step; every other buffer lives within it.
"""

from blueprint.ir.common import LineageKind
from blueprint.law import Projection, ProjectionLaw
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, Claim, CopiedBuffer, EachValue, PassRule
from blueprint.symbols import E, e

SIZE = ProjectionLaw(
    id="buffer-size",
    statement="C = elements * width",
    source="definition",
    projection=Projection.BUFFER_SIZE,
    outputs={"size": E * e},
    wrong={"size": E * e + e},
)

RULE = PassRule(
    id="planning.buffer",
    boundary=DISTRIBUTED_TO_PORTABLE,
    lineage=LineageKind.LOWERED,
    signature=EachValue(),
    targets=(CopiedBuffer(),),
    rewrite="distributed value -> one buffer of exact size, with its producer and consumers",
    preserves=(Claim.ROLE, Claim.TENSOR_TYPE, Claim.DATA_FLOW),
    introduces=(Claim.BUFFER_SIZE, Claim.STORAGE),
    laws=(SIZE,),
)
