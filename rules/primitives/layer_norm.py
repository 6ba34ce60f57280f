"""Layer normalisation of E elements in rows of width w.

Forward 9E operations, activation gradient 14E, parameter gradient 7E in the same kernel, which reads nothing more.
Gain and bias are 2w elements, and the activation gradient counts both. The fp32 statistics are not counted.
"""

from blueprint.ir.common import Phase, Primitive
from blueprint.rule import Formula, PrimitiveRule
from blueprint.symbols import E, e, w

RULE = PrimitiveRule(
    id="primitives.layer_norm",
    primitive=Primitive.LAYER_NORM,
    operands={"elements": E, "width": w},
    formulas={
        Phase.FORWARD: Formula(9 * E, E * e + 2 * w * e, E * e),
        Phase.ACTIVATION_GRADIENT: Formula(14 * E, 2 * E * e + 2 * w * e, E * e, reads=(1, 1, 2)),
        Phase.WEIGHT_GRADIENT: Formula(7 * E, 0, 2 * w * e, reads=(0, 0)),
    },
    source="Isaev et al. 2023 (Calculon)",
    definition="9, 14 and 7 operations an element",
)
