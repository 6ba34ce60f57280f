"""The alphabet of the laws: every symbol with its meaning, unit and domain. The only place where symbols are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import sympy

from blueprint.errors import ObligationError
from blueprint.term import Const, Product, Sum, Term, Var


@dataclass(frozen=True)
class Meaning:
    """What a symbol stands for. Every symbol is a whole number of at least `least`."""

    name: str
    meaning: str
    unit: str
    least: int = 1


_MEANINGS: Final[dict[str, Meaning]] = {}


def _symbol(name: str, meaning: str, unit: str, least: int = 1) -> sympy.Symbol:
    _MEANINGS[name] = Meaning(name, meaning, unit, least)
    return sympy.Symbol(name, integer=True, positive=least > 0, nonnegative=True)


B = _symbol("B", "sequences in a microbatch", "sequences")
S = _symbol("S", "sequence length", "tokens")
H = _symbol("H", "hidden width", "elements")
F = _symbol("F", "feed-forward width", "elements")
h = _symbol("h", "query heads", "heads")
k = _symbol("k", "key/value heads", "heads")
d = _symbol("d", "head width", "elements")
t = _symbol("t", "tensor-parallel degree", "ranks")
D = _symbol("D", "data-parallel degree", "ranks")
e = _symbol("e", "width of one element", "bytes")
g = _symbol("g", "width of one gradient element", "bytes")
o = _symbol("o", "optimizer state of one parameter: fp32 master copy and two moments", "bytes")

S_t = _symbol("S_t", "sequence length of one rank, S = t S_t", "tokens")
h_t = _symbol("h_t", "query heads of one rank, h = t h_t", "heads")
k_t = _symbol("k_t", "key/value heads of one rank, k = t k_t", "heads")
F_t = _symbol("F_t", "feed-forward width of one rank, F = t F_t", "elements")
R = _symbol("R", "elements of one rank's shard of a B S H tensor, B S H = t R", "elements")
N = _symbol("N", "parameters of one rank", "parameters")
n_D = _symbol("n_D", "largest share of a rank's parameters over the data-parallel group", "parameters")

W = _symbol("W", "arithmetic operations of a law's group of tasks", "operations", least=0)
Q_r = _symbol("Q_r", "bytes read by a law's group of tasks", "bytes", least=0)
Q_w = _symbol("Q_w", "bytes written by a law's group of tasks", "bytes", least=0)
M = _symbol("M", "message bytes of a law's group of tasks", "bytes", least=0)

z = _symbol("z", "matrices in a batch", "matrices")
m = _symbol("m", "rows of the left matrix; elements of a parameter shard", "elements")
n = _symbol("n", "columns of the left matrix, summed over; branches of a fork", "elements")
kk = _symbol("kk", "columns of the right matrix", "elements")
E = _symbol("E", "elements of an elementwise operand or of a full tensor in a collective", "elements")
E_t = _symbol("E_t", "elements of one rank's shard of a full tensor, E = t E_t", "elements")
w = _symbol("w", "width of a normalised row", "elements")

ALPHABET: Final[dict[str, Meaning]] = dict(_MEANINGS)
"""Every symbol by name."""


def to_term(expression: sympy.Expr | int) -> Term:
    """Translate a sympy expression of sums, products and small powers of alphabet symbols.

    Raises ObligationError for anything else: fractions, negative powers, functions, infinities, foreign symbols.
    """
    if type(expression) is int:
        return Const(expression)
    if isinstance(expression, sympy.Integer):
        return Const(int(expression))
    if isinstance(expression, sympy.Symbol):
        return Var(_known(expression))
    if isinstance(expression, sympy.Add):
        return Sum(tuple(to_term(part) for part in _ordered(expression)))
    if isinstance(expression, sympy.Mul):
        return Product(tuple(to_term(part) for part in _ordered(expression)))
    if isinstance(expression, sympy.Pow) and isinstance(expression.exp, sympy.Integer) and 2 <= expression.exp <= 8:
        return Product((to_term(expression.base),) * int(expression.exp))
    raise ObligationError(f"not a sum of products of known symbols: {type(expression).__name__}")


def _known(symbol: sympy.Symbol) -> str:
    if symbol.name not in ALPHABET:
        raise ObligationError(f"symbol {symbol.name!r} is not in the alphabet")
    return str(symbol.name)


def _ordered(expression: sympy.Expr) -> list[sympy.Expr]:
    """The arguments in an order that does not depend on the process's hash seed."""
    return sorted(expression.args, key=sympy.default_sort_key)
