"""Send a tensor of E elements to a neighbour: it is read, and its bytes are the message."""

from blueprint.ir.common import Phase, Primitive
from blueprint.rule import Formula, PrimitiveRule
from blueprint.symbols import E, e

RULE = PrimitiveRule(
    id="primitives.send",
    primitive=Primitive.SEND,
    operands={"elements": E},
    formulas={Phase.STAGE_BOUNDARY: Formula(0, E * e, 0, E * e)},
    source="Narayanan et al.",
)
