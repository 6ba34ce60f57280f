"""Sum of a full tensor of E elements over t ranks, with one shard of the result on each rank.

The message is the full tensor, E e bytes; each rank reduces its share E/t of t addends.
"""

from dataclasses import replace

from blueprint.ir.common import Phase, Primitive
from blueprint.rule import Formula, PrimitiveRule
from blueprint.symbols import E, E_t, e, t

_FORMULA = Formula(E_t * (t - 1), E * e, E_t * e, E * e)

RULE = PrimitiveRule(
    id="primitives.reduce_scatter",
    primitive=Primitive.REDUCE_SCATTER,
    operands={"elements": E, "shard": E_t, "ranks": t},
    formulas={
        Phase.FORWARD: _FORMULA,
        Phase.RECOMMUNICATION: _FORMULA,
        Phase.ACTIVATION_GRADIENT: _FORMULA,
        # Of parameters, which shares do not split where tensors begin and end.
        Phase.SYNCHRONIZATION: replace(_FORMULA, reads=None),
    },
    source="Korthikanti et al.",
)
