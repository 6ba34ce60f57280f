"""One section for each queue, one after another; an instruction's position in it is its command's in the queue.

    address = base + position, base_0 = 0, base_{k+1} = base_k + length_k

So no two instructions have one address, and the sections together hold every command once. Source: deterministic
contract, no paper.
"""

from blueprint.ir.common import LineageKind
from blueprint.law import Arrangement, Bound, InductiveLaw
from blueprint.rule import CONCRETE_TO_MACHINE, Claim, Each, Entity, PassRule
from blueprint.rule import Bound as Target
from blueprint.symbols import A_j, A_k, A_n, B_k, B_n, L_k, p_j, p_k, p_n
from blueprint.term import Relation

WITHIN = (p_k, Relation.LESS, L_k)
"""A position in the section."""

EARLIER = (p_j, Relation.LESS, p_k)
"""Issued before it in the queue."""

AT = ((L_k, 3), (p_k, 2), (p_j, 1), (p_n, 0), (B_k, 4))

EMISSION = InductiveLaw(
    id="emission",
    statement="address = base + position, base_0 = 0, base_{k+1} = base_k + length_k",
    source="deterministic contract of the reference emitter",
    arrangement=Arrangement.SECTIONS,
    bounds=(
        Bound("position in the section is position in the queue", A_k, Relation.EQUAL, B_k + p_k),
        Bound("sections hold all before the next", B_n, Relation.EQUAL, B_k + L_k),
        Bound(
            "an instruction lies in its section",
            A_k,
            Relation.LESS,
            B_n,
            premises=(WITHIN,),
            because=((L_k - p_k - 1,),),
            witness=AT,
        ),
        Bound(
            "issue order is address order",
            A_j,
            Relation.LESS,
            A_k,
            premises=(EARLIER,),
            because=((p_k - p_j - 1,),),
            witness=AT,
        ),
        Bound(
            "no two sections share an address",
            A_k,
            Relation.LESS,
            A_n,
            premises=(WITHIN,),
            because=((L_k - p_k - 1,), (p_n,)),
            witness=AT,
        ),
    ),
    wrong=(
        Bound("missing: a section loses one", B_n + 1, Relation.EQUAL, B_k + L_k),
        Bound("reordered", A_k, Relation.LESS, A_j, premises=(EARLIER,), witness=AT),
        Bound("overlapping sections", A_n, Relation.AT_MOST, A_k, premises=(WITHIN,), witness=AT),
    ),
)

RULE = PassRule(
    id="emission.section",
    boundary=CONCRETE_TO_MACHINE,
    lineage=LineageKind.LOWERED,
    signature=Each(Entity.QUEUE),
    targets=(Target(Entity.SECTION),),
    rewrite="queue -> a section with the queue's instructions in issue order",
    preserves=(Claim.ISSUE_ORDER,),
    introduces=(),
    laws=(EMISSION,),
)
