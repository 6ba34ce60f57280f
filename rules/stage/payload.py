"""What crosses the edges of a pipeline stage: the residual stream of one microbatch or step, each time.

    M = B S H e          M = B S H e / t where the sequence is divided          M = b q H e in inference

Source: Narayanan et al.
"""

import sympy

from blueprint.case import Case
from blueprint.ir.common import Phase
from blueprint.law import Equation, Group, Law, Portion, Quantity
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, MODEL_TO_DISTRIBUTED, BoundaryRule
from blueprint.symbols import B, H, M, S, b, e, q, t


def crossings(case: Case) -> int:
    """Sends and receives of one stage: forward at each inner edge, and in training backward too."""
    return (case.receives + case.sends) * (1 if case.inference else 2)


def payload(case: Case) -> sympy.Expr:
    """t times the bytes of the stream on one rank."""
    if case.inference:
        return t * b * q * H * e
    return B * S * H * e if case.sequence_parallel else t * B * S * H * e


PAYLOAD = Law(
    id="stage-payload",
    statement="M = B S H e at every edge of a stage, divided by t with the sequence; in inference b q H e",
    source="Narayanan et al.",
    group=Group(phases=(Phase.STAGE_BOUNDARY,), members=crossings, portion=Portion.EACH),
    equations=(Equation("each", Quantity.MESSAGE_BYTES, t * M, payload),),
    wrong=(
        Equation("twice", Quantity.MESSAGE_BYTES, t * M, lambda case: 2 * payload(case)),
        Equation("not by t, or not by all", Quantity.MESSAGE_BYTES, M, payload),
    ),
)

RULE = BoundaryRule(
    id="stage.payload",
    boundaries=(MODEL_TO_DISTRIBUTED, DISTRIBUTED_TO_PORTABLE),
    claims=(),
    laws=(PAYLOAD,),
    stage=True,
)
