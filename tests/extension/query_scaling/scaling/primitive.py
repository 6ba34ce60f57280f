"""Scaling of E elements by a constant: E operations each way; the gradient reads the result's gradient alone."""

from blueprint.ir.common import Phase
from blueprint.rule import Formula, PrimitiveRule
from blueprint.symbols import E, e

RULE = PrimitiveRule(
    id="scaling.primitive",
    primitive="query_scale",
    operands={"elements": E},
    formulas={
        Phase.FORWARD: Formula(E, E * e, E * e),
        Phase.ACTIVATION_GRADIENT: Formula(E, E * e, E * e),
    },
    source="Yang et al., Tensor Programs V: the attention multiplier of muP",
    definition="1 operation an element, forward and backward",
)
