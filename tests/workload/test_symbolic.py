"""A symbolic number adds, subtracts and multiplies; everything through which code could look at it raises TypeError."""

from __future__ import annotations

import bisect
import copy
import functools
import math
import numbers
import operator
from collections.abc import Callable
from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from blueprint.workload.symbolic import Symbolic

A, B = sympy.symbols("a b", integer=True, positive=True)
OTHER = Symbolic(B)


def _matched(number: Any) -> str:
    match number:
        case int():
            return "int"
        case _:
            return "another"


def _matched_value(number: Any) -> str:
    match number:
        case 7:
            return "seven"
        case _:
            return "another"


@functools.singledispatch
def _dispatched(number: Any) -> str:
    return "another"


@_dispatched.register
def _(number: int) -> str:
    return "int"


# What an integer can do and a symbolic number must not: each entry runs on either.
REFUSED: dict[str, Callable[[Any, Any], object]] = {
    "==": lambda x, y: x == y,
    "== int": lambda x, y: x == 7,
    "int ==": lambda x, y: x == 7 if type(x) is int else 7 == x,  # noqa: SIM300 - the integer stands on the left
    "== itself": lambda x, y: x == x,  # noqa: PLR0124
    "!=": lambda x, y: x != y,
    "!= int": lambda x, y: x != 7,
    "<": lambda x, y: x < y,
    "< int": lambda x, y: x < 7,
    "int <": lambda x, y: 7 < x,  # noqa: SIM300
    "<=": lambda x, y: x <= y,
    "<= int": lambda x, y: x <= 7,
    ">": lambda x, y: x > y,
    "> int": lambda x, y: x > 7,
    ">=": lambda x, y: x >= y,
    ">= int": lambda x, y: x >= 7,
    "== None": lambda x, y: x == None,  # noqa: E711
    "bool": lambda x, y: bool(x),
    "not": lambda x, y: not x,
    "and": lambda x, y: x and y,
    "if": lambda x, y: 1 if x else 2,
    "any": lambda x, y: any([x]),
    "int": lambda x, y: int(x),
    "operator.index": lambda x, y: operator.index(x),
    "index of a list": lambda x, y: list(range(20))[x],
    "slice": lambda x, y: list(range(20))[:x],
    "range": lambda x, y: range(x),
    "list repetition": lambda x, y: ([0] * x if type(x) is int else [0] * x),
    "float": lambda x, y: float(x),
    "complex": lambda x, y: complex(x),
    "math.floor": lambda x, y: math.floor(x),
    "math.ceil": lambda x, y: math.ceil(x),
    "math.gcd": lambda x, y: math.gcd(x, 6),
    "math.isqrt": lambda x, y: math.isqrt(x),
    "//": lambda x, y: x // y,
    "// int": lambda x, y: x // 2,
    "int //": lambda x, y: 2 // x,
    "/": lambda x, y: x / y,
    "/ int": lambda x, y: x / 2,
    "int /": lambda x, y: 2 / x,
    "%": lambda x, y: x % y,
    "% int": lambda x, y: x % 2,
    "int %": lambda x, y: 2 % x,
    "**": lambda x, y: x**y,
    "** int": lambda x, y: x**2,
    "int **": lambda x, y: 2**x,
    "pow with modulus": lambda x, y: pow(x, 2, 5),
    "<<": lambda x, y: x << 1,
    ">>": lambda x, y: x >> 1,
    "&": lambda x, y: x & 1,
    "|": lambda x, y: x | 1,
    "^": lambda x, y: x ^ 1,
    "~": lambda x, y: ~x,
    "negation": lambda x, y: -x,
    "divmod": lambda x, y: divmod(x, y),
    "divmod int": lambda x, y: divmod(x, 2),
    "int divmod": lambda x, y: divmod(2, x),
    "round": lambda x, y: round(x),
    "abs": lambda x, y: abs(x),
    "min": lambda x, y: min(x, y),
    "max": lambda x, y: max(x, 1),
    "sorted": lambda x, y: sorted([x, y]),
    "sorted with int": lambda x, y: sorted([x, 3]),
    "bisect": lambda x, y: bisect.bisect([1, 2], x),
    "hash": lambda x, y: hash(x),
    "key of a dict": lambda x, y: {x: 1},
    "member of a set": lambda x, y: {x},
    "lookup in a dict": lambda x, y: {}.get(x),  # type: ignore[var-annotated]
    "in a list": lambda x, y: x in [y, 3],
    "in integers": lambda x, y: x in (1, 2),
    "int in": lambda x, y: 3 in [x],
    "in a dict": lambda x, y: x in {1: 2},
    "index in a list": lambda x, y: [7, 3, x].index(3),
    "equal tuples": lambda x, y: (x, 1) == (y, 1),
    "str": lambda x, y: str(x),
    "format": lambda x, y: format(x, ">4"),
    "f-string": lambda x, y: f"{x}",
    "%d": lambda x, y: "%d" % x,  # noqa: UP031
    "%s": lambda x, y: "%s" % x,  # noqa: UP031
    "str.format": lambda x, y: "{}".format(x),  # noqa: UP032
    "isinstance int": lambda x, y: isinstance(x, int),
    "isinstance tuple": lambda x, y: isinstance(x, (str, int)),
    "isinstance union": lambda x, y: isinstance(x, str | int),
    "isinstance abc": lambda x, y: isinstance(x, numbers.Number),
    "__class__": lambda x, y: x.__class__,
    "match class": lambda x, y: _matched(x),
    "match value": lambda x, y: _matched_value(x),
    "singledispatch": lambda x, y: _dispatched(x),
    "+ float": lambda x, y: x + 1.5,
    "* float": lambda x, y: x * 0.5,
    "* bool": lambda x, y: x * True,
    "bool +": lambda x, y: True + x,
    "- float": lambda x, y: x - 1.5,
    "float -": lambda x, y: 1.5 - x,
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_symbolic_number_refuses(name: str) -> None:
    with pytest.raises(TypeError):
        REFUSED[name](Symbolic(A), OTHER)


@pytest.mark.parametrize("name", REFUSED)
def test_an_integer_does_not(name: str) -> None:
    """So that no entry of the table raises TypeError for another reason."""
    REFUSED[name](7, 5)


SAME: dict[str, Callable[[Any, Any], Any]] = {
    "x + y": lambda x, y: x + y,
    "x - y": lambda x, y: x - y,
    "x * y": lambda x, y: x * y,
    "x + 3": lambda x, y: x + 3,
    "3 + x": lambda x, y: 3 + x,
    "x - 3": lambda x, y: x - 3,
    "3 - x": lambda x, y: 3 - x,
    "x * 3": lambda x, y: x * 3,
    "3 * x": lambda x, y: 3 * x,
    "x * -1": lambda x, y: x * -1,
    "0 * x": lambda x, y: 0 * x,
    "x * x - x": lambda x, y: x * x - x,
    "(x - y) - (y - x)": lambda x, y: (x - y) - (y - x),
    "sum": lambda x, y: sum([x, y, 4]),
    "math.prod": lambda x, y: math.prod([x, y, 4]),
}
EXPECTED: dict[str, sympy.Expr] = {
    "x + y": A + B,
    "x - y": A - B,
    "x * y": A * B,
    "x + 3": A + 3,
    "3 + x": A + 3,
    "x - 3": A - 3,
    "3 - x": 3 - A,
    "x * 3": 3 * A,
    "3 * x": 3 * A,
    "x * -1": -A,
    "0 * x": sympy.Integer(0),
    "x * x - x": A**2 - A,
    "(x - y) - (y - x)": 2 * A - 2 * B,
    "sum": A + B + 4,
    "math.prod": 4 * A * B,
}


@pytest.mark.parametrize("name", SAME)
def test_arithmetic_gives_the_expression(name: str) -> None:
    result = SAME[name](Symbolic(A), Symbolic(B))
    assert type(result) is Symbolic
    assert sympy.expand(result.expression - EXPECTED[name]) == 0


@pytest.mark.parametrize("name", SAME)
@given(x=st.integers(1, 10**6), y=st.integers(1, 10**6))
def test_arithmetic_gives_what_integers_give(name: str, x: int, y: int) -> None:
    result = SAME[name](Symbolic(A), Symbolic(B)).expression.subs({A: x, B: y})
    assert int(result) == SAME[name](x, y)


def test_augmented_assignment_leaves_the_operand_as_it_was() -> None:
    number = kept = Symbolic(A)
    number += 1
    number *= 2
    number -= OTHER
    assert kept.expression == A
    assert sympy.expand(number.expression - (2 * A + 2 - B)) == 0


def test_identity_and_copies_show_no_value() -> None:
    number = Symbolic(A)
    assert type(copy.copy(number)) is Symbolic
    assert copy.deepcopy(number).expression == A
    assert not hasattr(number, "__dict__")
