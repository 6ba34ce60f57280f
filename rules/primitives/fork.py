"""The gradient of a value of E elements that n operations read: the sum of n gradients, nE operations.

The forward pass only reads the value n times: no work.
"""

from blueprint.ir.common import Phase, Primitive
from blueprint.rule import Formula, PrimitiveRule
from blueprint.symbols import E, e, n

RULE = PrimitiveRule(
    id="primitives.fork",
    primitive=Primitive.FORK,
    operands={"elements": E, "branches": n},
    formulas={Phase.ACTIVATION_GRADIENT: Formula(n * E, n * E * e, E * e)},
    source="Isaev et al. 2023 (Calculon)",
    definition="1 operation an element and branch",
)
