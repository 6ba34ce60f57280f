"""Integer terms and comparisons: the language in which every obligation is written.

A term is a constant, a variable, a sum or a product. There is no division, no power and no remainder, so a term has
one meaning in every solver and in Python. `evaluate` is exact and is the reference for that meaning.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterator, Mapping

import msgspec


class Const(msgspec.Struct, frozen=True, gc=False):
    """A whole number."""

    value: int


class Var(msgspec.Struct, frozen=True, gc=False):
    """A named whole-number variable. The name never reaches a solver: smtlib numbers the variables."""

    name: str


class Sum(msgspec.Struct, frozen=True, gc=False):
    """The sum of its terms; the empty sum is 0."""

    terms: tuple[Term, ...]


class Product(msgspec.Struct, frozen=True, gc=False):
    """The product of its factors; the empty product is 1."""

    factors: tuple[Term, ...]


Term = Const | Var | Sum | Product


class Relation(enum.Enum):
    """How the two sides of a comparison relate."""

    EQUAL = "="
    AT_MOST = "<="
    LESS = "<"


class Comparison(msgspec.Struct, frozen=True, gc=False):
    """`left relation right` over the whole numbers."""

    relation: Relation
    left: Term
    right: Term


def equal(left: Term, right: Term) -> Comparison:
    """The equation `left = right`."""
    return Comparison(Relation.EQUAL, left, right)


def at_most(left: Term, right: Term) -> Comparison:
    """The inequality `left <= right`."""
    return Comparison(Relation.AT_MOST, left, right)


def less(left: Term, right: Term) -> Comparison:
    """The strict inequality `left < right`."""
    return Comparison(Relation.LESS, left, right)


def total(terms: tuple[Term, ...] | list[Term]) -> Term:
    """The sum of `terms`, without a wrapper around a single one."""
    return terms[0] if len(terms) == 1 else Sum(tuple(terms))


def product(*factors: Term) -> Term:
    """The product of `factors`, without a wrapper around a single one."""
    return factors[0] if len(factors) == 1 else Product(factors)


def evaluate(term: Term, values: Mapping[str, int]) -> int:
    """The exact value of `term`. Raises KeyError where `values` lacks a variable."""
    match term:
        case Const(value):
            return value
        case Var(name):
            return values[name]
        case Sum(terms):
            return sum(evaluate(part, values) for part in terms)
        case Product(factors):
            return math.prod(evaluate(part, values) for part in factors)


def holds(comparison: Comparison, values: Mapping[str, int]) -> bool:
    """Whether `comparison` is true at `values`, in exact arithmetic."""
    left, right = evaluate(comparison.left, values), evaluate(comparison.right, values)
    match comparison.relation:
        case Relation.EQUAL:
            return left == right
        case Relation.AT_MOST:
            return left <= right
        case Relation.LESS:
            return left < right


def variables(term: Term) -> Iterator[str]:
    """The variables of `term`, left to right, with repetitions."""
    match term:
        case Var(name):
            yield name
        case Sum(terms):
            for part in terms:
                yield from variables(part)
        case Product(factors):
            for part in factors:
                yield from variables(part)


def comparison_variables(comparison: Comparison) -> Iterator[str]:
    """The variables of both sides, left to right, with repetitions."""
    yield from variables(comparison.left)
    yield from variables(comparison.right)


def show(term: Term) -> str:
    """`term` for people, in the variables' own names."""
    match term:
        case Const(value):
            return str(value)
        case Var(name):
            return name
        case Sum(terms):
            return " + ".join(show(part) for part in terms).replace("+ -", "- ") or "0"
        case Product(factors):
            return "*".join(f"({show(part)})" if isinstance(part, Sum) else show(part) for part in factors) or "1"
