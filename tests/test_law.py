"""The forms in which laws are printed, and what a law says where nothing is said."""

from __future__ import annotations

import pytest

from blueprint import law, symbols
from blueprint.case import all_cases
from blueprint.law import Bound, Group, Law, MaximumLaw, Portion, portions_of
from blueprint.term import Relation

h, H, d = symbols.h, symbols.H, symbols.d


# Narayanan et al. and Korthikanti et al. print their laws for k = h, H = h d, F = 4 H, and memory for e = 2.
@pytest.mark.parametrize(
    ("form", "meaning"),
    [
        (law.CLASSICAL, {symbols.k: h, H: h * d}),
        (law.FOUR_WIDE, {symbols.k: h, H: h * d, symbols.F: 4 * H}),
        (law.HALF_PRECISION, {symbols.k: h, H: h * d, symbols.F: 4 * H, symbols.e: 2}),
    ],
)
def test_a_printed_form_defines_what_its_source_does(form: tuple[tuple[object, object], ...], meaning: object) -> None:
    assert len(form) == len(dict(form))
    assert dict(form) == meaning


def test_a_law_speaks_of_every_case_and_compares_with_nothing_unless_it_says_so() -> None:
    plain = Law("an-id", "", "", Group((), lambda _: 0), (), ())
    assert all(plain.when(case) for case in all_cases())
    assert plain.reference is None
    assert MaximumLaw("an-id", "", "", law.Capacity.WORKSPACE, H, "", "", (), ()).of_plan is False
    bound = Bound("", H, Relation.AT_MOST, H)
    assert (bound.premises, bound.because, bound.witness) == ((), (), ())


def test_a_group_is_one_portion_or_one_a_member_or_one_an_operation() -> None:
    assert portions_of(Portion.ALL, "abac", ord) == [["a", "b", "a", "c"]]
    assert portions_of(Portion.EACH, "abac", ord) == [["a"], ["b"], ["a"], ["c"]]
    assert portions_of(Portion.OPERATION, "abac", ord) == [["a", "a"], ["b"], ["c"]]


def test_a_stack_holds_for_one_block_at_a_time_what_no_later_block_needs() -> None:
    """All blocks keep what the backward pass, the caches and the parameters need; the rest is used again."""
    assert {each.symbol.name for each in law.Capacity if each.once} == {"C_work", "C_bd", "C_ws"}
