"""One section for each queue, one after another; an instruction's position in it is its command's in the queue.

    base_0 = 0, base_{k+1} = base_k + length_k

Counted through all sections, base + position is another number for every instruction, so the sections together hold
every command once. Source: deterministic
contract, no paper.
"""

from blueprint.ir.common import LineageKind
from blueprint.law import Arrangement, Bound, InductiveLaw
from blueprint.rule import CONCRETE_TO_MACHINE, Claim, Each, Entity, PassRule
from blueprint.rule import Bound as Target
from blueprint.symbols import B_k, B_n, L_k, p_k, p_n
from blueprint.term import Relation

WITHIN = (p_k, Relation.LESS, L_k)
"""A position in the section."""

AT = ((L_k, 3), (p_k, 2), (p_n, 0), (B_k, 4))

EMISSION = InductiveLaw(
    id="emission",
    statement="base_0 = 0, base_{k+1} = base_k + length_k",
    source="deterministic contract of the reference emitter",
    arrangement=Arrangement.SECTIONS,
    bounds=(
        Bound("sections hold all before the next", B_n, Relation.EQUAL, B_k + L_k),
        Bound(
            "an instruction lies in its section",
            B_k + p_k,
            Relation.LESS,
            B_n,
            premises=(WITHIN,),
            because=((L_k - p_k - 1,),),
            witness=AT,
        ),
        Bound(
            "no two sections share an address",
            B_k + p_k,
            Relation.LESS,
            B_n + p_n,
            premises=(WITHIN,),
            because=((L_k - p_k - 1,), (p_n,)),
            witness=AT,
        ),
    ),
    wrong=(
        Bound("missing: a section loses one", B_n + 1, Relation.EQUAL, B_k + L_k),
        Bound("overlapping sections", B_n + p_n, Relation.AT_MOST, B_k + p_k, premises=(WITHIN,), witness=AT),
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
