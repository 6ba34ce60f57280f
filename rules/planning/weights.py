"""What one rank holds of the model, whatever it is run for: its parameters, and their bytes.

With N parameters on the rank and n the largest share of them over D ranks, D n >= N > D (n - 1):

    C_w = e N      training at ZeRO stage 3 keeps e n_D

Source: Shoeybi et al., Megatron-LM, for what is split; Rajbhandari et al. (ZeRO).
"""

import sympy

from blueprint.case import Case
from blueprint.law import Capacity, Equation, MemoryLaw
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, BoundaryRule, Claim
from blueprint.symbols import C_w, F, H, N, d, e, g, h, k, n_D, t


def parameters(case: Case) -> sympy.Expr:
    """t times the parameters of one rank: split matrices and biases, whole norms and biases of row-parallel linears."""
    matrices = 2 * H * h * d + 2 * H * k * d + 2 * H * F
    biases = h * d + 2 * k * d + F + 2 * t * H if case.biases else 0
    return matrices + 4 * t * H + biases


PARAMETERS = MemoryLaw(
    id="parameters",
    statement="N = (2H(h + k)d + 2HF)/t + 4H, and (hd + 2kd + F)/t + 2H with biases",
    source="Shoeybi et al., Megatron-LM: what is split and what every rank holds",
    equations=(Equation("general", Capacity.PARAMETERS, t * N, parameters),),
    wrong=(
        Equation("norms split", Capacity.PARAMETERS, t * N, lambda case: parameters(case) - 4 * t * H + 4 * H),
        Equation("nothing split", Capacity.PARAMETERS, N, parameters),
    ),
)

WEIGHTS = MemoryLaw(
    id="weight-memory",
    statement="C_w = e N, at ZeRO stage 3 e n_D",
    source="Rajbhandari et al., ZeRO",
    equations=(Equation("by stage", Capacity.WEIGHTS, C_w, lambda case: e * (n_D if case.sharded_parameters else N)),),
    wrong=(
        Equation("another width", Capacity.WEIGHTS, C_w, lambda case: g * (n_D if case.sharded_parameters else N)),
        Equation("another stage", Capacity.WEIGHTS, C_w, lambda case: e * (N if case.sharded_parameters else n_D)),
    ),
)

RULE = BoundaryRule(
    id="planning.weights",
    boundaries=(DISTRIBUTED_TO_PORTABLE,),
    claims=(Claim.MEMORY,),
    laws=(PARAMETERS, WEIGHTS),
)
