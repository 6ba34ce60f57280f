"""One Adam step over m parameters: 11m operations; reads gradient and state, writes state and parameter.

The state is no tensor of the plan, so its bytes are not those of the tensors that the task reads and writes.
State is o = 12 bytes a parameter (fp32 master copy and two moments), 8 where the parameter itself is fp32.
"""

from blueprint.ir.common import Phase, Primitive
from blueprint.rule import Formula, PrimitiveRule
from blueprint.symbols import e, g, m, o

RULE = PrimitiveRule(
    id="primitives.optimizer",
    primitive=Primitive.OPTIMIZER,
    operands={"parameters": m},
    formulas={Phase.OPTIMIZER: Formula(11 * m, (g + o) * m, (o + e) * m, reads=None)},
    source="Isaev et al. 2023 (Calculon); Rajbhandari et al. (ZeRO)",
    definition="11 operations a parameter; 12 or 8 bytes of state",
)
