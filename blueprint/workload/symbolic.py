"""A symbolic number: the thin carrier with which a derivation is run to prove it.

It supports +, - and * only. Everything through which a derivation could take another path for symbols than for
integers raises TypeError: comparison, truth, int(), //, %, /, hashing, and isinstance dispatch.
"""

from __future__ import annotations

from typing import NoReturn

import sympy


def _refuse(operation: str) -> NoReturn:
    raise TypeError(f"a symbolic number has no {operation}: a derivation must not depend on its value")


class Symbolic:
    """A sympy expression that only adds, subtracts and multiplies."""

    __slots__ = ("expression",)

    def __init__(self, expression: sympy.Expr) -> None:
        self.expression = expression

    def __add__(self, other: Symbolic | int) -> Symbolic:
        return Symbolic(self.expression + _expression(other))

    def __mul__(self, other: Symbolic | int) -> Symbolic:
        return Symbolic(self.expression * _expression(other))

    def __sub__(self, other: Symbolic | int) -> Symbolic:
        return Symbolic(self.expression - _expression(other))

    def __rsub__(self, other: int) -> Symbolic:
        return Symbolic(_expression(other) - self.expression)

    __radd__ = __add__
    __rmul__ = __mul__

    def __eq__(self, other: object) -> NoReturn:
        _refuse("==")

    def __ne__(self, other: object) -> NoReturn:
        _refuse("!=")

    def __lt__(self, other: object) -> NoReturn:
        _refuse("<")

    def __le__(self, other: object) -> NoReturn:
        _refuse("<=")

    def __gt__(self, other: object) -> NoReturn:
        _refuse(">")

    def __ge__(self, other: object) -> NoReturn:
        _refuse(">=")

    def __bool__(self) -> NoReturn:
        _refuse("truth value")

    def __int__(self) -> NoReturn:
        _refuse("int()")

    def __index__(self) -> NoReturn:
        _refuse("index")

    def __float__(self) -> NoReturn:
        _refuse("float()")

    def __floordiv__(self, other: object) -> NoReturn:
        _refuse("//")

    def __rfloordiv__(self, other: object) -> NoReturn:
        _refuse("//")

    def __truediv__(self, other: object) -> NoReturn:
        _refuse("/")

    def __rtruediv__(self, other: object) -> NoReturn:
        _refuse("/")

    def __mod__(self, other: object) -> NoReturn:
        _refuse("%")

    def __rmod__(self, other: object) -> NoReturn:
        _refuse("%")

    def __pow__(self, other: object) -> NoReturn:
        _refuse("**")

    def __hash__(self) -> NoReturn:
        _refuse("hash")

    def __repr__(self) -> NoReturn:
        _refuse("text")

    def __str__(self) -> NoReturn:
        _refuse("text")

    def __format__(self, spec: str) -> NoReturn:
        _refuse("text")

    @property  # type: ignore[misc]
    def __class__(self) -> NoReturn:  # type: ignore[override]
        # isinstance() asks here for every type but Symbolic itself, so code cannot ask "is it an int?".
        _refuse("isinstance dispatch")


def _expression(number: Symbolic | int) -> sympy.Expr:
    """The sympy expression of either kind of number."""
    if type(number) is Symbolic:
        return number.expression
    if type(number) is int:
        return sympy.Integer(number)
    raise TypeError("a symbolic number combines with int and Symbolic only")
