"""The alphabet assumes of a symbol only what holds of every plan, and its translation into terms is exact."""

from __future__ import annotations

import pytest
import sympy

from blueprint.errors import ObligationError
from blueprint.obligation import bound, theorem
from blueprint.symbols import ALPHABET, B, H, S, T_i, e, h, o_i, t, to_term
from blueprint.term import Const, Product, Sum, Term, Var, at_most, equal, evaluate

SIZES = frozenset(
    "B S H F h k d t D e g o b q c S_t h_t k_t F_t R N n_w n_D C_dev z m n kk E E_t w "
    "s_i r_i a_i u_i v_i s_p s_j".split()
)
"""Sizes, widths and degrees of what is there. Everything else is a count, a sum or a place, which may be 0."""


def test_only_a_size_is_assumed_to_be_positive() -> None:
    assert {name for name, meaning in ALPHABET.items() if meaning.least == 1} == SIZES
    assert {meaning.least for meaning in ALPHABET.values()} == {0, 1}


@pytest.mark.parametrize("name", ALPHABET)
def test_a_theorem_assumes_the_least_value_of_each_symbol_and_no_more(name: str) -> None:
    goal = equal(Var(name), Var(name))
    least = at_most(Const(1 if name in SIZES else 0), Var(name))
    assert bound(goal, ()).hypotheses == (least,)


def test_a_theorem_assumes_it_of_every_symbol() -> None:
    goal = equal(Product((Var("B"), Var("W"))), Sum((Var("H"), Var("Q_r"))))
    positive = tuple(at_most(Const(least), Var(name)) for name, least in (("B", 1), ("W", 0), ("H", 1), ("Q_r", 0)))
    assert theorem([goal], ()).hypotheses == positive


def test_a_symbol_is_known_by_its_own_name() -> None:
    assert all(name == meaning.name for name, meaning in ALPHABET.items())
    assert all(meaning.meaning and meaning.unit for meaning in ALPHABET.values())


@pytest.mark.parametrize("symbol", [B, S, H, h, t, e, T_i, o_i])
def test_sympy_may_assume_what_the_alphabet_says(symbol: sympy.Symbol) -> None:
    assert symbol.is_integer
    assert symbol.is_nonnegative
    assert symbol.is_positive is (True if symbol.name in SIZES else None)
    assert symbol.is_zero is (False if symbol.name in SIZES else None)


@pytest.mark.parametrize(
    ("expression", "term"),
    [
        (3, Const(3)),
        (sympy.Integer(-2), Const(-2)),
        (B, Var("B")),
        (B**2, Product((Var("B"), Var("B")))),
        (B**8, Product((Var("B"),) * 8)),
        ((B + 1) ** 2, Product((Sum((Const(1), Var("B"))),) * 2)),
    ],
)
def test_an_expression_is_its_term(expression: sympy.Expr | int, term: Term) -> None:
    assert to_term(expression) == term


@pytest.mark.parametrize(
    "expression", [B + 2 * S, B * S * H - 3, (B + S) * (H - 1), 2 * B * (S + h * (t - e)), B**3 * S**2 - B]
)
def test_a_term_has_the_value_of_its_expression(expression: sympy.Expr) -> None:
    for point in ((2, 3, 5, 7, 11, 13), (1, 1, 1, 1, 1, 1), (4, 9, 2, 6, 8, 3)):
        values = dict(zip((B, S, H, h, t, e), point, strict=True))
        assert evaluate(to_term(expression), {symbol.name: value for symbol, value in values.items()}) == (
            expression.subs(values)
        )


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (B / S, "divides by S"),
        (1 / (B + S), "divides by"),
        (B / 2, "Rational|Half"),
        (B**9, "Pow"),
        (B**S, "Pow"),
        (sympy.sqrt(B), "Pow"),
        (sympy.Max(B, S), "Max"),
        (sympy.oo, "Infinity"),
        (sympy.Symbol("B_unknown"), "symbol 'B_unknown' is not in the alphabet"),
        (True, "bool"),
        (1.0, "float"),
    ],
)
def test_anything_else_has_no_term(expression: sympy.Expr, words: str) -> None:
    with pytest.raises(ObligationError, match=words):
        to_term(expression)


@pytest.mark.parametrize("number", [2**4096, -(2**4096)])
def test_a_constant_has_at_most_4096_bits(number: int) -> None:
    """So that it can be printed, and a solver reads it."""
    for form in (number, sympy.Integer(number), number * B, B + number):
        with pytest.raises(ObligationError, match="a constant has more than 4096 bits"):
            to_term(form)
    assert to_term(2**4096 - 1) == to_term(sympy.Integer(2**4096 - 1)) == Const(2**4096 - 1)
