"""All shards of a full tensor of E elements on every rank: the message is the full tensor, nothing is computed."""

from dataclasses import replace

from blueprint.ir.common import Phase, Primitive
from blueprint.rule import Formula, PrimitiveRule
from blueprint.symbols import E, E_t, e, t

_FORMULA = Formula(0, E_t * e, E * e, E * e)

RULE = PrimitiveRule(
    id="primitives.all_gather",
    primitive=Primitive.ALL_GATHER,
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
