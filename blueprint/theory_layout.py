"""What bindings and emissions compute, over symbols: offsets, positions, cycles and addresses.

The functions of the workload are run as a pass runs them, with symbolic numbers. The functions with cases, rounding up
and the greater of two alignments, give opaque symbols; that they keep their contracts is a premise here, and asserted
where they run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from blueprint import symbols
from blueprint.law import Arrangement
from blueprint.obligation import replace
from blueprint.symbols import to_term
from blueprint.term import Comparison, Const, Product, Sum, Term, at_most, comparison_variables, equal, less
from blueprint.workload.layout import LEAST_ALIGNMENT, Layout
from blueprint.workload.order import Counts, next_base, next_index, no_counts, slot_of
from blueprint.workload.symbolic import Symbolic

Number = Symbolic | int


def number_term(number: Number) -> Term:
    """The term of an integer or a symbolic number."""
    return Const(number) if type(number) is int else to_term(number.expression)  # type: ignore[union-attr]


@dataclass(frozen=True)
class Arranged:
    """What an arrangement makes of its symbols: terms in their place, contracts behind them, values that keep those."""

    values: Mapping[str, Term]
    contract: tuple[Comparison, ...]
    witness: Mapping[str, int]

    def term(self, term: Term) -> Term:
        """A term in which what the arrangement computes stands for its symbols."""
        for name, value in self.values.items():
            term = replace(term, name, value)
        return term

    def comparison(self, comparison: Comparison) -> Comparison:
        """Both sides of a comparison in the same way."""
        return Comparison(comparison.relation, self.term(comparison.left), self.term(comparison.right))

    def behind(self, stated: Sequence[Comparison]) -> tuple[Comparison, ...]:
        """The contracts that share symbols with what is stated, directly or through others."""
        reached = {name for each in stated for name in comparison_variables(each)}
        kept: list[Comparison] = []
        waiting = list(self.contract)
        while joined := [each for each in waiting if reached & set(comparison_variables(each))]:
            kept += joined
            waiting = [each for each in waiting if each not in joined]
            reached |= {name for each in joined for name in comparison_variables(each)}
        return tuple(each for each in self.contract if each in kept)


@cache
def arranged(arrangement: Arrangement) -> Arranged:
    """Run the functions of an arrangement over the alphabet."""
    match arrangement:
        case Arrangement.LAYOUT:
            return _layout()
        case Arrangement.QUEUES:
            return _queues()
        case Arrangement.SLOTS:
            return _slots()
        case Arrangement.SECTIONS:
            return _sections()


def _layout() -> Arranged:
    """Buffer i behind the buffer p, and a buffer in an empty region."""
    a, c, q = (to_term(each) for each in (symbols.a_i, symbols.c_i, symbols.q_i))
    required, least, times = (to_term(each) for each in (symbols.r_i, symbols.u_i, symbols.v_i))
    beyond_least = Sum((a, Const(-LEAST_ALIGNMENT)))
    contract = [
        equal(a, Product((Const(LEAST_ALIGNMENT), least))),
        equal(Product((required, times)), a),
        # It is one of the two, and so the greater of them.
        equal(Product((beyond_least, Sum((a, Product((Const(-1), required)))))), Const(0)),
    ]

    def aligned(end: Symbolic, alignment: Symbolic) -> Symbolic:
        before, step = number_term(end), number_term(alignment)
        contract.extend((equal(c, Product((step, q))), at_most(before, c), less(c, Sum((before, step)))))
        return Symbolic(symbols.c_i)

    layout: Layout[Symbolic] = Layout(aligned, Symbolic(symbols.o_p), Symbolic(symbols.s_p))
    offset = layout.place(Symbolic(symbols.s_i), Symbolic(symbols.a_i))
    capacity = layout.capacity()
    empty: Layout[Symbolic] = Layout(aligned)
    first = empty.place(Symbolic(symbols.s_i), Symbolic(symbols.a_i))
    values = {
        symbols.o_i.name: number_term(offset),
        symbols.C_buf.name: number_term(capacity),
        symbols.o_0.name: number_term(first),
    }
    # 20 bytes at 32, so the next buffer lies at 64, which is twice 32.
    witness = {"r_i": 32, "a_i": 32, "u_i": 2, "v_i": 1, "o_p": 32, "s_p": 20, "c_i": 64, "q_i": 2, "s_i": 5}
    return Arranged(values, tuple(contract), {**witness, "o_j": 0, "s_j": 20, "m_i": 1})


def _queues() -> Arranged:
    """Task i, behind counts of four queues."""
    before = (symbols.n_1, symbols.n_2, symbols.n_3, symbols.n_4)
    indicators = tuple(Symbolic(each) for each in (symbols.b_1, symbols.b_2, symbols.b_3, symbols.b_4))
    counts: Counts[Symbolic] = Counts(tuple(map(Symbolic, before)))
    after = (symbols.m_1, symbols.m_2, symbols.m_3, symbols.m_4)
    held = counts.after(indicators).held
    empty: Counts[Symbolic] = no_counts(len(before))
    values = {symbol.name: number_term(count) for symbol, count in zip(after, held, strict=True)}
    values[symbols.p_i.name] = number_term(counts.position(indicators))
    values[symbols.n_0.name] = Sum(tuple(map(number_term, empty.held)))
    return Arranged(values, (), {})


def _slots() -> Arranged:
    """The cycles and slots of tasks i and j, and of the task after i."""
    index = Symbolic(symbols.T_i)
    issued, after = slot_of(index), slot_of(next_index(index))
    values = {
        symbols.y_i.name: number_term(issued.cycle),
        symbols.x_i.name: number_term(issued.slot),
        symbols.y_n.name: number_term(after.cycle),
        symbols.y_j.name: number_term(slot_of(Symbolic(symbols.T_j)).cycle),
    }
    return Arranged(values, (), {})


def _sections() -> Arranged:
    """Where the section after section k begins."""
    following = next_base(Symbolic(symbols.B_k), Symbolic(symbols.L_k))
    return Arranged({symbols.B_n.name: number_term(following)}, (), {})
