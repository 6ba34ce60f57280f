"""Sum of a full tensor of E elements over t ranks, with the result on every rank.

The message is the full tensor, E e bytes, without a ring factor; each rank reduces its share E/t of t addends.
"""

from dataclasses import replace

from blueprint.ir.common import Phase, Primitive
from blueprint.rule import Formula, PrimitiveRule
from blueprint.symbols import E, E_t, e, t

_FORMULA = Formula(E_t * (t - 1), E * e, E * e, E * e)

RULE = PrimitiveRule(
    id="primitives.all_reduce",
    primitive=Primitive.ALL_REDUCE,
    operands={"elements": E, "shard": E_t, "ranks": t},
    formulas={
        Phase.FORWARD: _FORMULA,
        Phase.RECOMMUNICATION: _FORMULA,
        Phase.ACTIVATION_GRADIENT: _FORMULA,
        # Of parameters, which shares do not split where tensors begin and end.
        Phase.SYNCHRONIZATION: replace(_FORMULA, reads=None),
    },
    source="Shoeybi et al.; Narayanan et al.",
)
