"""A symbolic number adds, subtracts and multiplies; everything through which code could look at it raises TypeError."""

from __future__ import annotations

import bisect
import copy
import functools
import math
import numbers
import operator

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from blueprint.workload.symbolic import Symbolic

A, B = sympy.symbols("a b", integer=True, positive=True)


def matched_class(number: object) -> str:
    match number:
        case int():
            return "int"
        case _:
            return "another"


def matched_value(number: object) -> str:
    match number:
        case 7:
            return "seven"
        case _:
            return "another"


@functools.singledispatch
def dispatched(number: object) -> str:
    del number
    return "another"


@dispatched.register
def _(number: int) -> str:
    return f"int {number}"


def evaluated(expression: str, x: object, y: object) -> object:
    """The value of an expression of this file in x and y."""
    names = {"x": x, "y": y, "bisect": bisect, "math": math, "numbers": numbers, "operator": operator}
    functions = {"matched_class": matched_class, "matched_value": matched_value, "dispatched": dispatched}
    return eval(expression, names | functions)  # noqa: S307 - the expressions are the ones below


# What an integer can do and a symbolic number must not.
REFUSED = (
    # comparison
    "x == y",
    "x == 7",
    "7 == x",
    "x == x",
    "x == None",
    "x != y",
    "x != 7",
    "x < y",
    "x < 7",
    "7 < x",
    "x <= y",
    "x <= 7",
    "7 <= x",
    "x > y",
    "x > 7",
    "7 > x",
    "x >= y",
    "x >= 7",
    "7 >= x",
    "1 <= x <= 9",
    "(x, 1) == (y, 1)",
    "min(x, y)",
    "max(x, 1)",
    "sorted([x, y])",
    "sorted([x, 3])",
    "bisect.bisect([1, 2], x)",
    # truth
    "bool(x)",
    "not x",
    "x and y",
    "x or y",
    "1 if x else 2",
    "any([x])",
    "list(filter(None, [x]))",
    # conversion
    "int(x)",
    "operator.index(x)",
    "[0, 1, 2, 3, 4, 5, 6, 7][x]",
    "'abcdefgh'[:x]",
    "range(x)",
    "[0] * x",
    "'a' * x",
    "float(x)",
    "complex(x)",
    "math.floor(x)",
    "math.ceil(x)",
    "math.trunc(x)",
    "math.gcd(x, 6)",
    "math.isqrt(x)",
    "hex(x)",
    "chr(x)",
    # arithmetic that divides, raises to a power, or works on bits
    "x // y",
    "x // 2",
    "2 // x",
    "x / y",
    "x / 2",
    "2 / x",
    "x % y",
    "x % 2",
    "2 % x",
    "x ** y",
    "x ** 2",
    "2 ** x",
    "pow(x, 2)",
    "pow(x, 2, 5)",
    "divmod(x, y)",
    "divmod(x, 2)",
    "divmod(2, x)",
    "round(x)",
    "abs(x)",
    "-x",
    "+x",
    "~x",
    "x << 1",
    "x >> 1",
    "x & 1",
    "x | 1",
    "x ^ 1",
    # arithmetic with anything but int and Symbolic
    "x + 1.5",
    "1.5 + x",
    "x - 1.5",
    "1.5 - x",
    "x * 0.5",
    "0.5 * x",
    "x * True",
    "True + x",
    # hashing and membership
    "hash(x)",
    "{x: 1}",
    "{x}",
    "{1: 2}.get(x)",
    "x in [y, 3]",
    "x in (1, 2)",
    "3 in [x]",
    "x in {1: 2}",
    "[y, x].count(3)",
    # text
    "str(x)",
    "format(x)",
    "format(x, '>4')",
    "f'{x}'",
    "f'{x:d}'",
    "'%d' % x",
    "'%s' % x",
    "'{}'.format(x)",
    # dispatch on the type
    "isinstance(x, int)",
    "isinstance(x, (str, int))",
    "isinstance(x, str | int)",
    "isinstance(x, numbers.Number)",
    "x.__class__",
    "matched_class(x)",
    "matched_value(x)",
    "dispatched(x)",
)


@pytest.mark.parametrize("expression", REFUSED)
def test_a_symbolic_number_refuses(expression: str) -> None:
    with pytest.raises(TypeError):
        evaluated(expression, Symbolic(A), Symbolic(B))


@pytest.mark.parametrize("expression", REFUSED)
def test_an_integer_does_not(expression: str) -> None:
    """So that no expression raises TypeError for another reason than the symbolic number."""
    evaluated(expression, 7, 5)


# Expression -> what it must be.
ARITHMETIC = {
    "x + y": A + B,
    "y + x": A + B,
    "x - y": A - B,
    "x * y": A * B,
    "y * x": A * B,
    "x + 3": A + 3,
    "3 + x": A + 3,
    "x - 3": A - 3,
    "3 - x": 3 - A,
    "x * 3": 3 * A,
    "3 * x": 3 * A,
    "x * -1": -A,
    "0 * x": sympy.Integer(0),
    "0 - x": -A,
    "x * x - x": A**2 - A,
    "(x - y) - (y - x)": 2 * A - 2 * B,
    "2 * (x * y * 5) + 3 * (y - 1)": 10 * A * B + 3 * B - 3,
    "sum([x, y, 4])": A + B + 4,
    "math.prod([x, y, 4])": 4 * A * B,
}


@pytest.mark.parametrize("expression", ARITHMETIC)
def test_arithmetic_gives_the_expression(expression: str) -> None:
    result = evaluated(expression, Symbolic(A), Symbolic(B))
    assert type(result) is Symbolic
    assert sympy.expand(result.expression - ARITHMETIC[expression]) == 0


@pytest.mark.parametrize("expression", ARITHMETIC)
@given(x=st.integers(1, 10**12), y=st.integers(1, 10**12))
@settings(max_examples=10)
def test_arithmetic_gives_what_integers_give(expression: str, x: int, y: int) -> None:
    result = evaluated(expression, Symbolic(A), Symbolic(B))
    assert type(result) is Symbolic
    assert int(result.expression.subs({A: x, B: y})) == evaluated(expression, x, y)


def test_augmented_assignment_leaves_the_operand_as_it_was() -> None:
    number = kept = Symbolic(A)
    number += 1
    number *= 2
    number -= Symbolic(B)
    assert kept.expression == A
    assert sympy.expand(number.expression - (2 * A + 2 - B)) == 0


def test_a_copy_is_the_same_expression() -> None:
    number = Symbolic(A)
    assert copy.copy(number).expression == A
    assert copy.deepcopy(number).expression == A
