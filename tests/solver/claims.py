"""Random claims for all deciders: comparisons of random terms under hypotheses that can hold, with a witness.

About half are true by construction: a side is rewritten, or a defined variable is replaced by its definition.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hypothesis import strategies as st

from blueprint.term import Comparison, Const, Product, Relation, Sum, Term, Var, evaluate
from blueprint.verdict import Obligation

FREE: Final = ("a", "b", "c")
"""Variables that a hypothesis makes positive."""

DEFINED: Final = ("x", "y")
"""Variables that a hypothesis defines in the free ones."""

NAMES: Final = (*FREE, *DEFINED)

Values = Mapping[str, int]

constants = st.one_of(st.integers(-4, 4), st.sampled_from((2**31, -(2**63), 10**20 + 1)))


def terms(names: tuple[str, ...]) -> st.SearchStrategy[Term]:
    """Terms over variables, of few factors so that deciders answer at once."""
    leaf = st.one_of(constants.map(Const), st.sampled_from(names).map(Var))
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(lambda parts: Sum(tuple(parts))),
            st.lists(inner, max_size=2).map(lambda parts: Product(tuple(parts))),
        ),
        max_leaves=6,
    )


def turned(term: Term) -> Term:
    """An equal term: everything in the other order, and something added and taken away again."""
    match term:
        case Sum(parts):
            return Sum((Var("a"), *(turned(each) for each in reversed(parts)), Product((Const(-1), Var("a")))))
        case Product(factors):
            return Product(tuple(turned(each) for each in reversed(factors)))
        case _:
            return term


def unfolded(term: Term, definitions: Mapping[str, Term]) -> Term:
    """The term with every defined variable replaced by what it stands for."""
    match term:
        case Var(name):
            return definitions.get(name, term)
        case Sum(parts):
            return Sum(tuple(unfolded(each, definitions) for each in parts))
        case Product(factors):
            return Product(tuple(unfolded(each, definitions) for each in factors))
        case _:
            return term


@st.composite
def universal(draw: st.DrawFn) -> Obligation:
    """A claim for all positive a, b, c, with x and y defined in them."""
    definitions = {name: draw(terms(FREE)) for name in DEFINED}
    left, right = draw(terms(NAMES)), draw(terms(NAMES))
    relation = draw(st.sampled_from(Relation))
    if draw(st.booleans()):
        right = turned(unfolded(left, definitions))
    values = {name: draw(st.integers(1, 5)) for name in FREE}
    values |= {name: evaluate(body, values) for name, body in definitions.items()}
    positive = tuple(Comparison(Relation.AT_MOST, Const(1), Var(name)) for name in FREE)
    defined = tuple(Comparison(Relation.EQUAL, Var(name), body) for name, body in definitions.items())
    return Obligation((*positive, *defined), (Comparison(relation, left, right),), values, ground=False)


@st.composite
def ground(draw: st.DrawFn) -> Obligation:
    """A claim at one point, of one comparison or of several, true or false."""
    values = {name: draw(constants) for name in NAMES}
    fixed = tuple(Comparison(Relation.EQUAL, Var(name), Const(value)) for name, value in values.items())
    goal = []
    for _ in range(draw(st.integers(1, 3))):
        left = draw(terms(NAMES))
        right = (
            turned(left)
            if draw(st.booleans())
            else Sum((Const(evaluate(left, values)), Const(draw(st.integers(-1, 1)))))
        )
        goal.append(Comparison(draw(st.sampled_from(Relation)), left, right))
    return Obligation(fixed, tuple(goal), {}, ground=True)
