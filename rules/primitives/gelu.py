"""GELU of E elements: 8E operations forward, 13E backward."""

from blueprint.ir.common import Phase, Primitive
from blueprint.rule import Formula, PrimitiveRule
from blueprint.symbols import E, e

RULE = PrimitiveRule(
    id="primitives.gelu",
    primitive=Primitive.GELU,
    operands={"elements": E},
    formulas={
        Phase.FORWARD: Formula(8 * E, E * e, E * e),
        Phase.ACTIVATION_GRADIENT: Formula(13 * E, 2 * E * e, E * e),
    },
    source="Isaev et al. 2023 (Calculon)",
    definition="8 and 13 operations an element",
)
