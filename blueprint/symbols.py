"""The alphabet of the laws: every symbol with its meaning, unit and domain. The only place where symbols are made."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Final

import sympy

from blueprint.errors import ObligationError
from blueprint.settings import MAX_BITS
from blueprint.term import Const, Product, Sum, Term, Var


@dataclass(frozen=True)
class Meaning:
    """What a symbol stands for. Every symbol is a whole number of at least `least`."""

    name: str
    meaning: str
    unit: str
    least: int


_MEANINGS: Final[dict[str, Meaning]] = {}


def _symbol(name: str, meaning: str, unit: str, least: int = 1) -> sympy.Symbol:
    _MEANINGS[name] = Meaning(name, meaning, unit, least)
    # None leaves open what False would deny: a symbol that is not negative and not positive is 0.
    return sympy.Symbol(name, integer=True, positive=True if least else None, nonnegative=True)


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

W_f = _symbol("W_f", "operations of scores, softmax and context run as one, as derived", "operations", least=0)
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
C_plan = _symbol("C_plan", "workspace of a plan that is bound to a target", "bytes", least=0)
X_1 = _symbol("X_1", "first arm of a maximum", "bytes", least=0)
X_2 = _symbol("X_2", "second arm of a maximum", "bytes", least=0)
X_3 = _symbol("X_3", "third arm of a maximum", "bytes", least=0)
X_max = _symbol("X_max", "the largest of X_1, X_2, X_3", "bytes", least=0)
Y_1 = _symbol("Y_1", "first arm of another maximum", "bytes", least=0)
Y_2 = _symbol("Y_2", "second arm of another maximum", "bytes", least=0)
Y_3 = _symbol("Y_3", "third arm of another maximum", "bytes", least=0)
Y_max = _symbol("Y_max", "the largest of Y_1, Y_2, Y_3", "bytes", least=0)

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

# Bound plans: the buffers of one region. The buffer i follows p, and j is any buffer before p or i.
s_i = _symbol("s_i", "size of buffer i", "bytes")
r_i = _symbol("r_i", "alignment that buffer i asks for, a power of two", "bytes")
a_i = _symbol("a_i", "alignment of buffer i, max(16, r_i)", "bytes")
u_i = _symbol("u_i", "alignment of buffer i in least alignments, a_i = 16 u_i", "alignments")
v_i = _symbol("v_i", "alignment of buffer i in alignments that it asks for, a_i = r_i v_i", "alignments")
o_i = _symbol("o_i", "offset of buffer i", "bytes", least=0)
q_i = _symbol("q_i", "offset of buffer i in its alignments, o_i = a_i q_i", "alignments", least=0)
m_i = _symbol("m_i", "any smaller number of alignments", "alignments", least=0)
c_i = _symbol("c_i", "what rounding up to a multiple of a_i gives", "bytes", least=0)
o_0 = _symbol("o_0", "offset of the first buffer", "bytes", least=0)
s_p = _symbol("s_p", "size of the buffer before i", "bytes")
o_p = _symbol("o_p", "offset of the buffer before i", "bytes", least=0)
s_j = _symbol("s_j", "size of any earlier buffer", "bytes")
o_j = _symbol("o_j", "offset of any earlier buffer", "bytes", least=0)
C_buf = _symbol("C_buf", "bytes from the region's base to the end of buffer i, if it is the last", "bytes", least=0)

# Issue orders. Counts are those before task i; the queue k is one of four.
n_t = _symbol("n_t", "tasks before task i", "tasks", least=0)
n_0 = _symbol("n_0", "tasks in all queues before the first one", "tasks", least=0)
n_1 = _symbol("n_1", "tasks in the compute queue before task i", "tasks", least=0)
n_2 = _symbol("n_2", "tasks in the collective queue before task i", "tasks", least=0)
n_3 = _symbol("n_3", "tasks in the transfer queue before task i", "tasks", least=0)
n_4 = _symbol("n_4", "tasks in the host queue before task i", "tasks", least=0)
b_1 = _symbol("b_1", "1 if task i belongs to the compute queue, else 0", "tasks", least=0)
b_2 = _symbol("b_2", "1 if task i belongs to the collective queue, else 0", "tasks", least=0)
b_3 = _symbol("b_3", "1 if task i belongs to the transfer queue, else 0", "tasks", least=0)
b_4 = _symbol("b_4", "1 if task i belongs to the host queue, else 0", "tasks", least=0)
m_1 = _symbol("m_1", "tasks in the compute queue after task i", "tasks", least=0)
m_2 = _symbol("m_2", "tasks in the collective queue after task i", "tasks", least=0)
m_3 = _symbol("m_3", "tasks in the transfer queue after task i", "tasks", least=0)
m_4 = _symbol("m_4", "tasks in the host queue after task i", "tasks", least=0)
p_i = _symbol("p_i", "position of task i in its queue", "tasks", least=0)
p_j = _symbol("p_j", "position of an earlier task of that queue", "tasks", least=0)
T_i = _symbol("T_i", "topological index of task i", "tasks", least=0)
T_j = _symbol("T_j", "topological index of task j", "tasks", least=0)
T_k = _symbol("T_k", "topological index of task k", "tasks", least=0)
y_i = _symbol("y_i", "cycle of task i", "cycles", least=0)
y_j = _symbol("y_j", "cycle of task j", "cycles", least=0)
y_n = _symbol("y_n", "cycle of the task after i", "cycles", least=0)
x_i = _symbol("x_i", "slot of task i", "slots", least=0)

# Sections of instructions, one after another.
L_k = _symbol("L_k", "instructions of section k", "instructions", least=0)
B_k = _symbol("B_k", "instructions before section k", "instructions", least=0)
B_n = _symbol("B_n", "instructions before the section after k", "instructions", least=0)
p_k = _symbol("p_k", "position of an instruction in section k", "instructions", least=0)
p_n = _symbol("p_n", "position of an instruction in the section after k", "instructions", least=0)

ALPHABET: Final[dict[str, Meaning]] = dict(_MEANINGS)
"""Every symbol by name."""


@functools.lru_cache(maxsize=None, typed=True)  # a derivation asks for the same formulas hundreds of times
def to_term(expression: sympy.Expr | int) -> Term:
    """Translate a sympy expression of sums, products and small powers of alphabet symbols.

    Raises ObligationError for anything else: fractions, negative powers, functions, infinities, foreign symbols.
    """
    if type(expression) is int or isinstance(expression, sympy.Integer):
        if (value := int(expression)).bit_length() > MAX_BITS:
            raise ObligationError(f"a constant has more than {MAX_BITS} bits")
        return Const(value)
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
