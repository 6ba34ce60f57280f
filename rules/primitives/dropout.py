"""Dropout of E elements with a mask of one byte an element: E operations each way; the mask is written, then read."""

from blueprint.ir.common import Phase, Primitive
from blueprint.rule import Formula, PrimitiveRule
from blueprint.symbols import E, e

RULE = PrimitiveRule(
    id="primitives.dropout",
    primitive=Primitive.DROPOUT,
    operands={"elements": E},
    formulas={
        Phase.FORWARD: Formula(E, E * e, E * e + E),
        Phase.ACTIVATION_GRADIENT: Formula(E, E * e + E, E * e),
    },
    source="Isaev et al. 2023 (Calculon)",
    definition="1 operation and 1 mask byte an element",
)
