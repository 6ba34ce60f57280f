"""Issue slots: the task of topological index i is issued in cycle i, slot 0, if the target has slots.

    issue(t_i) = (cycle i, slot 0),  t_j -> t_i implies cycle(t_j) < cycle(t_i)

Source: deterministic contract, no paper.
"""

import sympy

from blueprint.law import Arrangement, Bound, InductiveLaw
from blueprint.rule import PORTABLE_TO_CONCRETE, BoundaryRule, Claim
from blueprint.symbols import T_i, T_j, x_i, y_i, y_j, y_n
from blueprint.term import Relation

EARLIER = (T_j, Relation.LESS, T_i)
"""What the plan's topological order gives of a dependency of task i on task j."""

AT = ((T_j, 0), (T_i, 1))

SLOTS = InductiveLaw(
    id="slot-order",
    statement="issue(t_i) = (cycle i, slot 0)",
    source="deterministic contract of the reference slot target",
    arrangement=Arrangement.SLOTS,
    bounds=(
        Bound("cycle", y_i, Relation.EQUAL, T_i),
        Bound("slot", x_i, Relation.EQUAL, sympy.Integer(0)),
        Bound(
            "a dependency is issued earlier",
            y_j,
            Relation.LESS,
            y_i,
            premises=(EARLIER,),
            because=((T_i - T_j - 1,),),
            witness=AT,
        ),
        Bound("no two in one cycle", y_i + 1, Relation.EQUAL, y_n),
    ),
    wrong=(
        Bound("swapped: a dependency is issued later", y_i, Relation.LESS, y_j, premises=(EARLIER,), witness=AT),
        Bound("two in one cycle", y_i, Relation.EQUAL, y_n),
        Bound("a slot for each", x_i, Relation.EQUAL, T_i),
    ),
)

RULE = BoundaryRule(
    id="binding.slot",
    boundaries=(PORTABLE_TO_CONCRETE,),
    claims=(Claim.ROUTES,),
    laws=(SLOTS,),
)
