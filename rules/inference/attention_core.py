"""The attention core of one step: both products over all visible tokens, and the softmax between them.

    W_attention = 4 b q c H / t + 5 b (h / t) q c        classical block: H = h d
    W_attention = 4 b q c h d / t + 5 b (h / t) q c      any block

In a decode step q is 1, and c counts the new token. No causal halving.
Source: Vaswani et al.; Shoeybi et al., Megatron-LM.
"""

from blueprint.case import Workload
from blueprint.ir.common import Phase
from blueprint.ir.model import OperationKind
from blueprint.law import CLASSICAL, Equation, Group, Law, Quantity, count
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, MODEL_TO_DISTRIBUTED, BoundaryRule
from blueprint.symbols import H, W, b, c, d, h, q, t

CORE = Law(
    id="attention-core",
    statement="W_attention = 4 b q c H / t + 5 b (h/t) q c",
    source="Vaswani et al.; Shoeybi et al., Megatron-LM",
    group=Group(
        phases=(Phase.FORWARD,),
        kinds=(OperationKind.SCORES, OperationKind.SOFTMAX, OperationKind.CONTEXT),
        members=count(3),
    ),
    equations=(
        Equation(
            "classical",
            Quantity.OPERATIONS,
            t * W,
            lambda case: 4 * b * q * c * H + 5 * b * h * q * c,
            where=CLASSICAL,
        ),
        Equation(
            "general",
            Quantity.OPERATIONS,
            t * W,
            lambda case: 4 * b * q * c * h * d + 5 * b * h * q * c,
            statement="W_attention = 4 b q c h d / t + 5 b (h/t) q c",
        ),
        Equation(
            "decode",
            Quantity.OPERATIONS,
            t * W,
            lambda case: 4 * b * c * h * d + 5 * b * h * c,
            where=((q, 1),),
            statement="W_attention = 4 b c h d / t + 5 b (h/t) c for one new token, which c counts",
        ),
    ),
    wrong=(
        Equation("causal half", Quantity.OPERATIONS, t * W, lambda case: 2 * b * q * c * h * d + 5 * b * h * q * c),
        Equation("no softmax", Quantity.OPERATIONS, t * W, lambda case: 4 * b * q * c * h * d),
        Equation("context dropped", Quantity.OPERATIONS, t * W, lambda case: 4 * b * q**2 * h * d + 5 * b * h * q**2),
        Equation("not divided by t", Quantity.OPERATIONS, W, lambda case: 4 * b * q * c * h * d + 5 * b * h * q * c),
        Equation(
            "decode without the new token",
            Quantity.OPERATIONS,
            t * W,
            lambda case: (c - 1) * (4 * b * h * d + 5 * b * h),
            where=((q, 1),),
        ),
    ),
)

RULE = BoundaryRule(
    id="inference.attention_core",
    boundaries=(MODEL_TO_DISTRIBUTED, DISTRIBUTED_TO_PORTABLE),
    claims=(),
    laws=(CORE,),
    workload=Workload.INFERENCE,
)
