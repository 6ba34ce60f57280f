"""Laws as obligations: an instance over numbers of a snapshot, a theorem over all parameters of a domain.

In a theorem both sides are terms over the alphabet, and the definitions h = t h_t, k = t k_t, F = t F_t, S = t S_t
(or B S H = t R), and H = h d where a form asks for it, are its hypotheses. Nothing is divided.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import sympy

from blueprint import symbols
from blueprint.case import Case
from blueprint.errors import RulebookError
from blueprint.law import Capacity, Equation, Quantity
from blueprint.symbols import ALPHABET, to_term
from blueprint.term import (
    Comparison,
    Const,
    Product,
    Sum,
    Term,
    Var,
    at_most,
    comparison_variables,
    equal,
    evaluate,
    variables,
)
from blueprint.verdict import Obligation


def replace(term: Term, name: str, by: Term) -> Term:
    """`term` with a variable replaced by another term."""
    match term:
        case Var(found):
            return by if found == name else term
        case Sum(terms):
            return Sum(tuple(replace(part, name, by) for part in terms))
        case Product(factors):
            return Product(tuple(replace(part, name, by) for part in factors))
        case _:
            return term


def replace_in(comparison: Comparison, name: str, by: Term) -> Comparison:
    """Both sides of a comparison with a variable replaced by a term."""
    return Comparison(comparison.relation, replace(comparison.left, name, by), replace(comparison.right, name, by))


def law_sides(equation: Equation[Quantity] | Equation[Capacity], case: Case, amount: Term) -> Comparison:
    """The equation with the group's amount in the place of its quantity's symbol."""
    left = replace(to_term(equation.left), equation.quantity.value, amount)
    return equal(left, _right(equation, case))


@functools.cache
def _right(equation: Equation[Quantity] | Equation[Capacity], case: Case) -> Term:
    """The right side in one case, worked out once: both boundaries ask for every equation."""
    return to_term(equation.right(case))


def law_instance(
    goal: Comparison, where: Sequence[Comparison], bindings: Mapping[str, int], premises: Sequence[Comparison]
) -> Obligation:
    """A law over the numbers of one plan; the bindings fix every symbol.

    `where` holds the definitions under which its form holds, `premises` further facts about the bindings, such as
    those of a witness.
    """
    needed = dict.fromkeys(name for each in (goal, *where, *premises) for name in comparison_variables(each))
    if unknown := [name for name in needed if name not in bindings]:
        raise RulebookError(f"a law speaks of {unknown[0]}, which has no value in this plan")
    fixed = tuple(equal(Var(name), Const(bindings[name])) for name in needed)
    return Obligation(
        hypotheses=(*fixed, *where, *premises),
        goal=(goal,),
        witness={name: bindings[name] for name in needed},
        ground=True,
    )


def definitions(case: Case, where: Sequence[tuple[sympy.Symbol, sympy.Expr]]) -> tuple[Comparison, ...]:
    """What the whole dimensions are in terms of one rank's, in triangular order."""
    t = symbols.t if case.tensor_parallel else sympy.Integer(1)
    triangular: list[tuple[sympy.Symbol, sympy.Expr]] = []
    if not case.tensor_parallel:
        triangular.append((symbols.t, t))
    classical = dict(where)
    if symbols.F in classical:
        # F = 4H for one rank; that the two are the same is a lemma of its own.
        triangular.append((symbols.F_t, classical.pop(symbols.F).subs(symbols.H, symbols.h_t * symbols.d)))
    shares = [(symbols.h, symbols.h_t), (symbols.F, symbols.F_t)]
    triangular += [(whole, t * share) for whole, share in shares]
    # In the classical block k is h, and one rank's share of it one rank's share of h.
    triangular.append((symbols.k_t, symbols.h_t) if symbols.k in classical else (symbols.k, t * symbols.k_t))
    triangular += classical.items()
    if case.sequence_parallel:
        triangular.append((symbols.S, t * symbols.S_t))
    equations = [equal(to_term(symbol), to_term(value)) for symbol, value in triangular]
    if not case.sequence_parallel:
        equations.append(equal(to_term(t * symbols.R), to_term(stream(case))))
    return tuple(equations)


def stream(case: Case) -> sympy.Expr:
    """Elements of the residual stream: all tokens of a training sequence, the new ones of a step of inference."""
    tokens = symbols.b * symbols.q if case.inference else symbols.B * symbols.S
    return tokens * symbols.H


def theorem(goal: Sequence[Comparison], defined: Sequence[Comparison]) -> Obligation:
    """The goal for all values of its variables at least 1 under the definitions, with an integer witness.

    Definitions are kept only if they reach the goal; every variable is at least its least value in the alphabet.
    """
    kept = _reaching(goal, defined)
    names = dict.fromkeys(name for each in (*kept, *goal) for name in comparison_variables(each))
    positive = tuple(at_most(Const(ALPHABET[name].least), Var(name)) for name in names)
    return Obligation(hypotheses=(*kept, *positive), goal=tuple(goal), witness=_witness(kept, names), ground=False)


def bound(
    goal: Comparison,
    premises: Sequence[Comparison],
    because: tuple[tuple[Term, ...], ...] = (),
    witness: Mapping[str, int] = MappingProxyType({}),
) -> Obligation:
    """The goal for all values of its variables, each at least its least value, at which the premises hold.

    At the witness they do; it is 1 where nothing else is given.
    """
    names = dict.fromkeys(name for each in (*premises, goal) for name in comparison_variables(each))
    positive = tuple(at_most(Const(ALPHABET[name].least), Var(name)) for name in names)
    values = {**dict.fromkeys(names, 1), **witness}
    return Obligation(hypotheses=(*premises, *positive), goal=(goal,), witness=values, ground=False, because=because)


def _reaching(goal: Sequence[Comparison], defined: Sequence[Comparison]) -> tuple[Comparison, ...]:
    reached = {name for each in goal for name in comparison_variables(each)}
    kept: list[Comparison] = []
    # Definitions are triangular, so going backwards meets every use before its definition.
    for each in reversed(defined):
        left = set(variables(each.left))
        if left <= reached:
            kept.append(each)
            reached |= set(comparison_variables(each))
    return tuple(reversed(kept))


def _witness(defined: Sequence[Comparison], names: Mapping[str, None]) -> dict[str, int]:
    """Values at which every definition holds: free symbols are 2, the others computed in order.

    The share R of a B S H tensor is the last definition; B and b are even and t is 2, so it is whole.
    """
    values = dict.fromkeys(names, 2)
    for each in defined:
        if isinstance(each.left, Var):
            values[each.left.name] = evaluate(each.right, values)
        else:
            degree = values["t"] if "t" in set(variables(each.left)) else 1
            values["R"] = evaluate(each.right, values) // degree
    return {name: values[name] for name in names}
