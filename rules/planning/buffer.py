"""One portable buffer for each distributed value: exactly its local elements times the width of one element.

    C = (product of local sizes) * width      proved for one to four axes, which is what values have

Parameters, their gradients and their updates persist over the step; every other buffer lives within it.
"""

from blueprint.ir.common import LineageKind
from blueprint.law import Projection, ProjectionLaw
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, Claim, CopiedBuffer, EachValue, PassRule
from blueprint.symbols import B, S, d, e, h

SIZE = ProjectionLaw(
    id="buffer-size",
    statement="C = elements * width",
    source="definition",
    projection=Projection.BUFFER_SIZE,
    outputs={"rank 1": B * e, "rank 2": B * S * e, "rank 3": B * S * h * e, "rank 4": B * S * h * d * e},
    wrong={"rank 1": B * e + e, "rank 4": B * e},
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
