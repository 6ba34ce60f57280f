"""The alphabet of the laws: every symbol with its meaning, unit and domain. The only place where symbols are made."""

from __future__ import annotations

import functools
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

b = _symbol("b", "sequences of an inference batch", "sequences")
q = _symbol("q", "new tokens of each sequence in a step of inference", "tokens")
c = _symbol("c", "visible tokens of each sequence, the step's new ones included", "tokens")

S_t = _symbol("S_t", "sequence length of one rank, S = t S_t", "tokens")
h_t = _symbol("h_t", "query heads of one rank, h = t h_t", "heads")
k_t = _symbol("k_t", "key/value heads of one rank, k = t k_t", "heads")
F_t = _symbol("F_t", "feed-forward width of one rank, F = t F_t", "elements")
R = _symbol("R", "elements of one rank's shard of a B S H tensor, B S H = t R", "elements")
N = _symbol("N", "parameters of one rank", "parameters")
n_w = _symbol("n_w", "largest share of a block's undivided parameters over the tensor group", "parameters")
n_D = _symbol("n_D", "largest share of a rank's parameters over the data-parallel group", "parameters")

W = _symbol("W", "arithmetic operations of a law's group of tasks", "operations", least=0)
Q_r = _symbol("Q_r", "bytes read by a law's group of tasks", "bytes", least=0)
Q_w = _symbol("Q_w", "bytes written by a law's group of tasks", "bytes", least=0)
M = _symbol("M", "message bytes of a law's group of tasks", "bytes", least=0)
W_0 = _symbol("W_0", "arithmetic operations of what a law compares its group with", "operations", least=0)

K_r = _symbol("K_r", "bytes of caches read by a law's group of tasks, among Q_r", "bytes", least=0)
K_w = _symbol("K_w", "bytes appended to caches by a law's group of tasks, among Q_w", "bytes", least=0)
W_p = _symbol("W_p", "operations of the matrix products of a step, as it is derived", "operations", least=0)
W_t = _symbol("W_t", "the same of the training forward pass at B = b, S = c, as it is derived", "operations", least=0)

C_w = _symbol("C_w", "weights of the block on one rank", "bytes", least=0)
C_g = _symbol("C_g", "gradients of the weights on one rank", "bytes", least=0)
C_o = _symbol("C_o", "optimizer state on one rank", "bytes", least=0)
C_act = _symbol("C_act", "activations that one rank stores from the forward to the backward pass", "bytes", least=0)
C_work = _symbol("C_work", "activations made again that the gradients of one block read", "bytes", least=0)
C_ckpt = _symbol("C_ckpt", "the block's input, stored where everything is computed again", "bytes", least=0)
C_kv = _symbol("C_kv", "key/value caches of the block on one rank", "bytes", least=0)
K_0 = _symbol("K_0", "key/value caches of the block on one rank at c visible tokens, as derived", "bytes", least=0)
K_1 = _symbol("K_1", "the same at c + 1 visible tokens", "bytes", least=0)
C_bd = _symbol("C_bd", "rows of the residual stream of one step on one rank", "bytes", least=0)
C_ws = _symbol("C_ws", "workspace of one step: the boundary and the largest intermediate", "bytes", least=0)
X_1 = _symbol("X_1", "first arm of a maximum", "elements", least=0)
X_2 = _symbol("X_2", "second arm of a maximum", "elements", least=0)
X_3 = _symbol("X_3", "third arm of a maximum", "elements", least=0)
X_max = _symbol("X_max", "the largest of X_1, X_2, X_3", "elements", least=0)
Y_1 = _symbol("Y_1", "first arm of another maximum", "elements", least=0)
Y_2 = _symbol("Y_2", "second arm of another maximum", "elements", least=0)
Y_3 = _symbol("Y_3", "third arm of another maximum", "elements", least=0)
Y_max = _symbol("Y_max", "the largest of Y_1, Y_2, Y_3", "elements", least=0)

C_dev = _symbol("C_dev", "memory of one device", "bytes")
C_0 = _symbol("C_0", "weights, gradients and optimizer state on one rank at ZeRO stage 0", "bytes", least=0)
C_1 = _symbol("C_1", "weights, gradients and optimizer state on one rank at ZeRO stage 1", "bytes", least=0)
C_2 = _symbol("C_2", "weights, gradients and optimizer state on one rank at ZeRO stage 2", "bytes", least=0)
C_3 = _symbol("C_3", "weights, gradients and optimizer state on one rank at ZeRO stage 3", "bytes", least=0)

z = _symbol("z", "matrices in a batch", "matrices")
m = _symbol("m", "rows of the left matrix; elements of a parameter shard", "elements")
n = _symbol("n", "columns of the left matrix, summed over; branches of a fork", "elements")
kk = _symbol("kk", "columns of the right matrix", "elements")
E = _symbol("E", "elements of an elementwise operand or of a full tensor in a collective", "elements")
E_t = _symbol("E_t", "elements of one rank's shard of a full tensor, E = t E_t", "elements")
w = _symbol("w", "width of a normalised row", "elements")

ALPHABET: Final[dict[str, Meaning]] = dict(_MEANINGS)
"""Every symbol by name."""


@functools.lru_cache(maxsize=None, typed=True)  # a derivation asks for the same formulas hundreds of times
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
    if isinstance(expression, sympy.Pow) and expression.exp.is_negative:
        raise ObligationError(f"divides by {expression.base}: multiply both sides by it, as in t * W = ...")
    raise ObligationError(f"not a sum of products of known symbols: {type(expression).__name__}")


def _known(symbol: sympy.Symbol) -> str:
    if symbol.name not in ALPHABET:
        raise ObligationError(f"symbol {symbol.name!r} is not in the alphabet")
    return str(symbol.name)


def _ordered(expression: sympy.Expr) -> list[sympy.Expr]:
    """The arguments in an order that does not depend on the process's hash seed."""
    return sorted(expression.args, key=sympy.default_sort_key)
