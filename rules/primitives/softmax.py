"""Row-wise softmax of E elements: 5E operations forward, 8E backward."""

from blueprint.ir.common import Phase, Primitive
from blueprint.rule import Formula, PrimitiveRule
from blueprint.symbols import E, e

RULE = PrimitiveRule(
    id="primitives.softmax",
    primitive=Primitive.SOFTMAX,
    operands={"elements": E},
    formulas={
        Phase.FORWARD: Formula(5 * E, E * e, E * e),
        Phase.ACTIVATION_GRADIENT: Formula(8 * E, 2 * E * e, E * e),
    },
    source="Isaev et al. 2023 (Calculon)",
    definition="5 and 8 operations an element",
)
