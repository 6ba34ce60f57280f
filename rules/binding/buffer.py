"""One place in the region for each portable buffer, in canonical order.

With sizes s_i and required alignments r_i, powers of two:

    a_i = max(16, r_i), o_0 = 0, o_i = ceil((o_{i-1} + s_{i-1}) / a_i) a_i
    capacity = o_{n-1} + s_{n-1}

By induction over any number of buffers: o_i is a multiple of a_i, so of r_i and of 16; no two buffers share a byte;
no smaller multiple fits; every buffer ends at or before the capacity. Source: deterministic contract, no paper.
"""

import sympy

from blueprint.ir.common import LineageKind
from blueprint.law import Arrangement, Bound, InductiveLaw
from blueprint.rule import PORTABLE_TO_CONCRETE, Claim, Each, Entity, PassRule
from blueprint.rule import Bound as Target
from blueprint.symbols import C_buf, a_i, m_i, o_0, o_i, o_j, o_p, q_i, r_i, s_i, s_j, s_p, u_i, v_i
from blueprint.term import Relation

END = o_p + s_p
"""The first byte behind the buffer before."""

GAP = ((END + a_i - o_i - 1,),)
"""Why the gap is less than an alignment: rounding up goes no further."""

FURTHER = ((o_p - o_j - s_j,), (s_p,), (o_i - END,))
"""Why what ends before the buffer before ends before this one: the gap to that one, its size, the gap behind it."""

ALIGNED = InductiveLaw(
    id="aligned-buffers",
    statement="a_i = max(16, r_i), o_0 = 0, o_i = ceil((o_{i-1} + s_{i-1}) / a_i) a_i",
    source="deterministic contract of the reference targets",
    arrangement=Arrangement.LAYOUT,
    bounds=(
        Bound("the first at the base", o_0, Relation.EQUAL, sympy.Integer(0)),
        Bound("a multiple of a_i", o_i, Relation.EQUAL, a_i * q_i),
        Bound("a multiple of 16", o_i, Relation.EQUAL, 16 * u_i * q_i),
        Bound("a multiple of r_i", o_i, Relation.EQUAL, r_i * v_i * q_i),
        Bound("behind the buffer before", END, Relation.AT_MOST, o_i, because=((o_i - END,),)),
        Bound("gap less than a_i", o_i, Relation.LESS, END + a_i, because=GAP),
        Bound("the next smaller multiple does not fit", a_i * q_i - a_i, Relation.LESS, END, because=GAP),
        Bound(
            "no smaller multiple fits, being at most the next smaller one",
            a_i * m_i,
            Relation.AT_MOST,
            a_i * q_i - a_i,
            premises=((m_i, Relation.LESS, q_i),),
            because=((a_i, q_i - m_i - 1),),
        ),
        Bound(
            "no shared byte: what ends before the buffer before ends before this one",
            o_j + s_j,
            Relation.AT_MOST,
            o_i,
            premises=((o_j + s_j, Relation.AT_MOST, o_p),),
            because=FURTHER,
        ),
        Bound("the capacity is the end of the last", C_buf, Relation.EQUAL, o_i + s_i),
        Bound(
            "every buffer ends within the capacity",
            o_j + s_j,
            Relation.AT_MOST,
            C_buf,
            premises=((o_j + s_j, Relation.AT_MOST, o_p),),
            because=(*FURTHER, (s_i,)),
        ),
    ),
    wrong=(
        Bound("the first behind the base", o_0, Relation.EQUAL, a_i),
        Bound("misaligned: at the very end of the buffer before", o_i, Relation.EQUAL, END),
        Bound("overlapping: before the end of the buffer before", o_i, Relation.LESS, END),
        Bound("not least: a whole alignment further", END + a_i, Relation.AT_MOST, o_i),
        Bound("reordered: before the buffer before", o_i + s_i, Relation.AT_MOST, o_p),
        Bound("the last buffer is missing from the capacity", C_buf, Relation.EQUAL, o_i),
    ),
)

RULE = PassRule(
    id="binding.buffer",
    boundary=PORTABLE_TO_CONCRETE,
    lineage=LineageKind.LOWERED,
    signature=Each(Entity.BUFFER),
    targets=(Target(Entity.BINDING),),
    rewrite="portable buffer -> its bytes in the region, at the least aligned offset behind the buffer before it",
    preserves=(Claim.BUFFER_SIZE,),
    introduces=(Claim.ALIGNMENT, Claim.BUFFER_BINDING),
    laws=(ALIGNED,),
)
