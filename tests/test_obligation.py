"""Laws become obligations that say the same: definitions that can hold, instances that fix every symbol."""

from __future__ import annotations

import itertools

import pytest
import sympy

from blueprint import exact, normalform, symbols
from blueprint.case import Case, Workload, all_cases
from blueprint.errors import RulebookError
from blueprint.law import Equation, Quantity
from blueprint.obligation import bound, definitions, law_instance, law_sides, replace, replace_in, stream, theorem
from blueprint.symbols import to_term
from blueprint.term import Const, Product, Sum, Term, Var, at_most, comparison_variables, equal, holds, less
from blueprint.verdict import Verdict

A, B, C = Var("a"), Var("b"), Var("c")
CLASSICAL = ((symbols.H, symbols.h * symbols.d), (symbols.k, symbols.h), (symbols.F, 4 * symbols.H))


def test_a_variable_is_replaced_wherever_it_stands() -> None:
    term = Sum((A, Product((B, A, Const(2))), C))
    assert replace(term, "a", B) == Sum((B, Product((B, B, Const(2))), C))
    assert replace(term, "z", B) == term
    assert replace_in(less(A, Product((C, A))), "a", Const(1)) == less(Const(1), Product((C, Const(1))))
    assert replace_in(at_most(A, B), "b", A) == at_most(A, A)


def test_the_sides_of_a_law_have_the_amount_in_the_quantity_s_place() -> None:
    case = all_cases(Workload.TRAINING)[0]
    equation = Equation("each", Quantity.OPERATIONS, symbols.t * symbols.W, lambda _: 2 * symbols.B)
    amount = Sum((Const(3), Const(4)))
    asked = law_sides(equation, case, amount)
    assert asked == equal(replace(to_term(symbols.t * symbols.W), "W", amount), to_term(2 * symbols.B))
    assert "W" not in set(comparison_variables(asked))


def test_an_instance_fixes_what_it_speaks_of_and_nothing_else() -> None:
    goal, where, premise = equal(A, Const(6)), equal(B, Product((C, Const(2)))), at_most(C, B)
    asked = law_instance(goal, [where], {"a": 6, "b": 4, "c": 2, "z": 9}, [premise])
    fixed = tuple(equal(Var(name), Const(value)) for name, value in (("a", 6), ("b", 4), ("c", 2)))
    assert asked.hypotheses == (*fixed, where, premise)
    assert (asked.goal, asked.ground) == ((goal,), True)
    assert asked.witness == {"a": 6, "b": 4, "c": 2}
    assert exact.decide(asked).verdict is Verdict.PROVED
    assert exact.decide(law_instance(goal, [where], {"a": 7, "b": 4, "c": 2}, [premise])).verdict is Verdict.REFUTED
    assert exact.decide(law_instance(goal, [where], {"a": 6, "b": 5, "c": 2}, [premise])).verdict is Verdict.VACUOUS


@pytest.mark.parametrize(("goal", "where", "premises"), [
    (equal(C, Const(1)), [], []), (equal(A, A), [equal(A, C)], []), (equal(A, A), [], [less(C, A)]),
])  # fmt: skip
def test_a_symbol_without_a_value_is_no_instance(goal: object, where: list[object], premises: list[object]) -> None:
    with pytest.raises(RulebookError, match="speaks of c, which has no value"):
        law_instance(goal, where, {"a": 1}, premises)  # type: ignore[arg-type]


def whole(case: Case) -> Term:
    """Everything that a definition defines, so that none is left out of a theorem about it."""
    stream = symbols.S if case.sequence_parallel else symbols.R
    return Sum(tuple(map(to_term, (symbols.h, symbols.F, symbols.k, symbols.H, symbols.t, stream))))


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.text)
@pytest.mark.parametrize("where", [(), CLASSICAL[:1], CLASSICAL[:2], CLASSICAL, CLASSICAL[1:2]])
def test_the_definitions_of_every_case_hold_at_their_witness(
    case: Case, where: tuple[tuple[sympy.Symbol, sympy.Expr], ...]
) -> None:
    asked = theorem([equal(whole(case), whole(case))], definitions(case, where))
    assert exact.premises_hold(asked)
    # What is defined is the whole of what one rank has, and the classical block's own where it is asked for.
    ranks = asked.witness.get("t", 1)
    assert ranks > 1 if case.tensor_parallel else ranks == 1
    for total, share in (("h", "h_t"), ("k", "k_t"), ("F", "F_t")):
        if share in asked.witness:
            assert asked.witness[total] == ranks * asked.witness[share]
    defined = dict(where)
    if symbols.H in defined:
        assert asked.witness["H"] == asked.witness["h"] * asked.witness["d"]
    if symbols.k in defined:
        assert asked.witness["k"] == asked.witness["h"]
    if symbols.F in defined:
        assert asked.witness["F"] == 4 * asked.witness["H"]
    tokens = ("b", "q") if case.inference else ("B", "S")
    if case.sequence_parallel:
        assert asked.witness["S"] == ranks * asked.witness["S_t"]
    else:
        elements = asked.witness[tokens[0]] * asked.witness[tokens[1]] * asked.witness["H"]
        assert ranks * asked.witness["R"] == elements


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.text)
@pytest.mark.parametrize("where", [(), CLASSICAL[:1], CLASSICAL[:2], CLASSICAL, CLASSICAL[1:2]])
def test_the_definitions_of_every_case_are_triangular(
    case: Case, where: tuple[tuple[sympy.Symbol, sympy.Expr], ...]
) -> None:
    """Each defines one thing once, of what nothing after it defines; the share of a stream comes last."""
    defined = definitions(case, where)
    single = [each.left.name for each in defined if isinstance(each.left, Var)]
    assert len(set(single)) == len(single) >= len(defined) - 1
    assert all(isinstance(each.left, Var) for each in defined[:-1])
    # The whole of what one rank has a share of; in the classical block one rank's share of k is that of h.
    assert {"h", "F", "k"} | ({"k_t"} if symbols.k in dict(where) else set()) <= set(single)
    for place, each in enumerate(defined):
        assert not set(comparison_variables(equal(each.right, Const(0)))) & set(single[place:])


@pytest.mark.parametrize("case", [all_cases(Workload.TRAINING)[0], all_cases(Workload.INFERENCE)[0]])
def test_the_stream_has_a_row_for_every_token(case: Case) -> None:
    tokens = symbols.b * symbols.q if case.inference else symbols.B * symbols.S
    assert stream(case) == tokens * symbols.H


def test_what_does_not_reach_the_goal_is_no_hypothesis() -> None:
    defined = (equal(Var("h"), Product((Var("t"), Var("h_t")))), equal(Var("F"), Product((Var("t"), Var("F_t")))))
    asked = theorem([equal(Var("h"), Var("h"))], defined)
    assert asked.hypotheses == (
        defined[0],
        *(at_most(Const(1), Var(name)) for name in ("h", "t", "h_t")),
    )
    assert (asked.witness, asked.ground) == ({"t": 2, "h_t": 2, "h": 4}, False)


def test_a_definition_is_kept_for_what_another_one_needs() -> None:
    defined = (equal(Var("h"), Product((Var("t"), Var("h_t")))), equal(Var("H"), Product((Var("h"), Var("d")))))
    for order in itertools.permutations(range(2)):
        goal = [equal(Var("H"), Product((Var("t"), Var("h_t"), Var("d"))))]
        asked = theorem(goal, defined)
        assert order
        assert asked.hypotheses[:2] == defined
        assert normalform.decide(asked).verdict is Verdict.PROVED


def test_a_bound_holds_at_its_witness_for_all_values_that_its_premises_allow() -> None:
    premise, reason = at_most(Var("B"), Var("H")), ((Var("W"), Var("B")),)
    asked = bound(less(Var("W"), Sum((Var("W"), Var("B")))), [premise], reason, {"H": 3})
    assert asked.hypotheses == (
        premise,
        at_most(Const(1), Var("B")),
        at_most(Const(1), Var("H")),
        at_most(Const(0), Var("W")),
    )
    assert asked.goal == (less(Var("W"), Sum((Var("W"), Var("B")))),)
    assert (asked.witness, asked.ground, asked.because) == ({"B": 1, "H": 3, "W": 1}, False, reason)
    assert all(holds(each, asked.witness) for each in asked.hypotheses)
    alone = bound(at_most(Var("B"), Var("B")), [])
    assert (alone.witness, alone.because) == ({"B": 1}, ())
