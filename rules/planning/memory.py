"""What one rank holds for one block in training: model state by ZeRO stage, and that all of it fits the device.

With N parameters on the rank and n_D the largest share of them over D ranks, D n_D >= N > D (n_D - 1):

    C_w = e N, C_g = g N, C_o = o N      stage 1 keeps o n_D, stage 2 g n_D and o n_D, stage 3 all by n_D

Source: Shoeybi et al., Megatron-LM, for what is split; Rajbhandari et al. (ZeRO).
"""

import sympy

from blueprint.case import Workload
from blueprint.law import Bound, BoundLaw, Capacity, Equation, MemoryLaw, Requirement
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, BoundaryRule, Claim
from blueprint.symbols import (
    C_0,
    C_1,
    C_2,
    C_3,
    C_act,
    C_ckpt,
    C_dev,
    C_g,
    C_o,
    C_w,
    C_work,
    D,
    N,
    e,
    g,
    n_D,
    o,
)
from blueprint.term import Relation

GRADIENTS = MemoryLaw(
    id="gradient-memory",
    statement="C_g = g N, from ZeRO stage 2 g n_D",
    source="Rajbhandari et al., ZeRO",
    equations=(Equation("by stage", Capacity.GRADIENTS, C_g, lambda case: g * (n_D if case.sharded_gradients else N)),),
    wrong=(
        Equation("another width", Capacity.GRADIENTS, C_g, lambda case: e * (n_D if case.sharded_gradients else N)),
        Equation("another stage", Capacity.GRADIENTS, C_g, lambda case: g * (N if case.sharded_gradients else n_D)),
    ),
)

OPTIMIZER = MemoryLaw(
    id="optimizer-memory",
    statement="C_o = o N, from ZeRO stage 1 o n_D",
    source="Rajbhandari et al., ZeRO",
    equations=(Equation("by stage", Capacity.OPTIMIZER, C_o, lambda case: o * (n_D if case.sharded_optimizer else N)),),
    wrong=(
        Equation("another width", Capacity.OPTIMIZER, C_o, lambda case: g * (n_D if case.sharded_optimizer else N)),
        Equation("another stage", Capacity.OPTIMIZER, C_o, lambda case: o * (N if case.sharded_optimizer else n_D)),
    ),
)

SHORT = N - D * (n_D - 1) - 1
"""How far D shares less one each fall short of all parameters; not negative, because n is the least share."""

ORDER = BoundLaw(
    id="model-state",
    statement="a higher ZeRO stage never needs more, all agree at D = 1, and the shares are the whole",
    source="Rajbhandari et al., ZeRO",
    bounds=(
        Bound("stage 0", C_0, Relation.EQUAL, (e + g + o) * N),
        Bound("stage 3", C_3, Relation.EQUAL, (e + g + o) * n_D),
        Bound("stage 1 <= stage 0", C_1, Relation.AT_MOST, C_0, because=((o, SHORT), (o, D - 1, n_D - 1))),
        Bound("stage 2 <= stage 1", C_2, Relation.AT_MOST, C_1, because=((g, SHORT), (g, D - 1, n_D - 1))),
        Bound("stage 3 <= stage 2", C_3, Relation.AT_MOST, C_2, because=((e, SHORT), (e, D - 1, n_D - 1))),
        Bound(
            "stage 0 <= stage 3 at D = 1",
            C_0,
            Relation.AT_MOST,
            C_3,
            premises=((D, Relation.EQUAL, sympy.Integer(1)),),
            because=((e + g + o, D * n_D - N),),
        ),
        Bound(
            "D shares are the whole where D divides N",
            D * C_3,
            Relation.EQUAL,
            C_0,
            premises=((D * n_D, Relation.EQUAL, N),),
        ),
        Bound(
            "D shares exceed the whole by less than D parameters",
            D * C_3,
            Relation.LESS,
            C_0 + D * (e + g + o),
            because=((e + g + o, SHORT), (e + g + o - 1,)),
        ),
    ),
    wrong=(
        Bound("stage 0 <= stage 1", C_0, Relation.AT_MOST, C_1),
        Bound("stage 1 <= stage 2", C_1, Relation.AT_MOST, C_2),
        Bound("stage 2 <= stage 3", C_2, Relation.AT_MOST, C_3),
        Bound("D shares are always the whole", D * C_3, Relation.EQUAL, C_0),
    ),
)

FITS = Requirement(
    id="capacity",
    statement="weights, gradients, optimizer state and activations fit the device",
    source="definition",
    left=C_w + C_g + C_o + C_act + C_work + C_ckpt,
    right=C_dev,
)

RULE = BoundaryRule(
    id="planning.memory",
    boundaries=(DISTRIBUTED_TO_PORTABLE,),
    # Implementations of the attention core are inference's: a plan of training offers none.
    claims=(Claim.ALTERNATIVES,),
    laws=(GRADIENTS, OPTIMIZER, ORDER, FITS),
    workload=Workload.TRAINING,
)
