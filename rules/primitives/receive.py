"""Receive a tensor of E elements from a neighbour: its bytes are the message, and it is written."""

from blueprint.ir.common import Phase, Primitive
from blueprint.rule import Formula, PrimitiveRule
from blueprint.symbols import E, e

RULE = PrimitiveRule(
    id="primitives.receive",
    primitive=Primitive.RECEIVE,
    operands={"elements": E},
    formulas={Phase.STAGE_BOUNDARY: Formula(0, 0, E * e, E * e)},
    source="Narayanan et al.",
)
