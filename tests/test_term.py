"""Terms mean what arithmetic says, and are shown so that a reader reads the same."""

from __future__ import annotations

import pytest

from blueprint.term import (
    Comparison,
    Const,
    Product,
    Relation,
    Sum,
    Term,
    Var,
    at_most,
    comparison_variables,
    equal,
    evaluate,
    holds,
    less,
    product,
    show,
    total,
    variables,
)

A, B, C = Var("a"), Var("b"), Var("c")
VALUES = {"a": 2, "b": 3, "c": -5}


@pytest.mark.parametrize(
    ("term", "value"),
    [
        (Const(7), 7), (A, 2), (Sum(()), 0), (Product(()), 1), (Sum((A, B)), 5), (Product((A, B)), 6),
        (Sum((A, Product((B, C)))), -13), (Product((A, Sum((B, C)), Const(-3))), 12),
    ],
)  # fmt: skip
def test_a_term_has_its_value(term: Term, value: int) -> None:
    assert evaluate(term, VALUES) == value


def test_a_variable_without_a_value_is_an_error() -> None:
    with pytest.raises(KeyError):
        evaluate(Sum((A, Var("z"))), VALUES)


@pytest.mark.parametrize("difference", [-1, 0, 1])
def test_a_comparison_holds_where_its_sides_compare(difference: int) -> None:
    left, right = Product((A, B)), Const(6 + difference)
    assert holds(equal(left, right), VALUES) is (difference == 0)
    assert holds(at_most(left, right), VALUES) is (difference >= 0)
    assert holds(less(left, right), VALUES) is (difference > 0)


def test_a_comparison_is_of_its_own_relation() -> None:
    made = {equal: Relation.EQUAL, at_most: Relation.AT_MOST, less: Relation.LESS}
    for make, relation in made.items():
        assert make(A, B) == Comparison(relation, A, B)
    assert [relation.value for relation in Relation] == ["=", "<=", "<"]


def test_variables_come_from_left_to_right_with_repetitions() -> None:
    term = Sum((B, Product((A, Const(1), B)), Sum((C,))))
    assert list(variables(term)) == ["b", "a", "b", "c"]
    assert list(comparison_variables(less(term, A))) == ["b", "a", "b", "c", "a"]
    assert list(comparison_variables(less(Const(1), Product((C, A))))) == ["c", "a"]


def test_one_alone_is_not_wrapped() -> None:
    assert (total([A]), total((A,)), product(A)) == (A, A, A)
    assert total([A, B]) == Sum((A, B))
    assert product(A, B) == Product((A, B))
    assert (total([]), product()) == (Sum(()), Product(()))


@pytest.mark.parametrize(
    ("term", "shown"),
    [
        (Const(-7), "-7"), (A, "a"), (Sum(()), "0"), (Product(()), "1"), (Sum((A, B, Const(1))), "a + b + 1"),
        (Sum((A, Product((Const(-1), B)))), "a - 1*b"), (Product((Const(2), A, B)), "2*a*b"),
        (Product((A, Sum((B, C)))), "a*(b + c)"), (Sum((A, Product((B, C)))), "a + b*c"), (Product((A,)), "a"),
    ],
)  # fmt: skip
def test_a_term_is_shown_as_it_is_written(term: Term, shown: str) -> None:
    assert show(term) == shown
