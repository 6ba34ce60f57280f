"""Sum of two tensors of E elements: E operations forward; its gradient is written twice, 2E operations."""

from blueprint.ir.common import Phase, Primitive
from blueprint.rule import Formula, PrimitiveRule
from blueprint.symbols import E, e

RULE = PrimitiveRule(
    id="primitives.residual",
    primitive=Primitive.RESIDUAL,
    operands={"elements": E},
    formulas={
        Phase.FORWARD: Formula(E, 2 * E * e, E * e),
        Phase.ACTIVATION_GRADIENT: Formula(2 * E, E * e, 2 * E * e),
    },
    source="Isaev et al. 2023 (Calculon)",
    definition="1 and 2 operations an element",
)
