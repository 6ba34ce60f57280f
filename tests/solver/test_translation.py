"""The text says what the obligation says: cvc5 reads it, and at random points it is as true as the terms are.

And every way to write one operator, comparison, number or name wrongly is noticed by that comparison.
"""

from __future__ import annotations

import inspect
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

import cvc5
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from blueprint import smtlib, symbols
from blueprint.case import all_cases
from blueprint.errors import ObligationError
from blueprint.instances import vector
from blueprint.ir.common import Phase
from blueprint.ir.distributed import Effect, EffectKind, Task, TaskKind, Work
from blueprint.law import Law, MemoryLaw, Quantity
from blueprint.rulebook import load, shipped
from blueprint.smtlib import Rendered
from blueprint.term import (
    Comparison,
    Const,
    Product,
    Relation,
    Sum,
    Term,
    Var,
    comparison_variables,
    evaluate,
    holds,
    variables,
)
from blueprint.verdict import Obligation
from tests.solver.claims import FREE, NAMES, ground, universal

Render = Callable[[Obligation], Rendered]
Translate = Callable[[sympy.Expr], Term]


# Obligation -> text ---------------------------------------------------------------------------------------------------


class Reading:
    """A text as cvc5 understands it: its assertions by name, or without one in order, and its variables."""

    def __init__(self, text: str) -> None:
        self.solver = cvc5.Solver()
        parser = cvc5.InputParser(self.solver)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
        manager = parser.getSymbolManager()
        while not (command := parser.nextCommand()).isNull():
            if command.getCommandName() != "check-sat":
                command.invoke(self.solver, manager)
        self.variables = {str(each): each for each in manager.getDeclaredTerms()}
        named = {str(term): name for term, name in manager.getNamedTerms().items()}
        self.assertions = [(named.get(str(each), ""), each) for each in self.solver.getAssertions()]

    def at(self, values: Mapping[str, int]) -> list[tuple[str, bool]]:
        """Every assertion with its name and whether it is true at these values."""
        old = [self.variables[name] for name in values]
        new = [self.solver.mkInteger(str(value)) for value in values.values()]
        return [(name, self._true(each.substitute(old, new))) for name, each in self.assertions]

    def _true(self, closed: cvc5.Term) -> bool:
        simple = self.solver.simplify(closed)
        assert simple.isBooleanValue()
        found: bool = simple.getBooleanValue()
        return found


def agrees(obligation: Obligation, render: Render, values: Sequence[Mapping[str, int]]) -> bool:
    """Whether a text states the obligation: only integers, its hypotheses by number, and its goal denied."""
    rendered = render(obligation)
    reading = Reading(rendered.text)
    if not all(each.getSort().isInteger() for each in reading.variables.values()):
        return False
    if sorted(reading.variables) != sorted(f"v{place}" for place in range(len(rendered.names))):
        return False
    return all(_agrees_at(obligation, reading, rendered.names, point) for point in values)


def _agrees_at(obligation: Obligation, reading: Reading, names: Sequence[str], point: Mapping[str, int]) -> bool:
    *asserted, goal = reading.at({f"v{place}": point[name] for place, name in enumerate(names)})
    denied = not all(holds(each, point) for each in obligation.goal)
    if goal != ("", denied):
        return False
    if obligation.ground:
        # What stands apart from the goal is left out.
        reaching = [each for each in obligation.hypotheses if set(comparison_variables(each)) <= set(names)]
        return [true for _, true in asserted] == [holds(each, point) for each in reaching]
    return all(true is holds(obligation.hypotheses[int(name[1:])], point) for name, true in asserted)


values = st.fixed_dictionaries({name: st.integers(-9, 9) for name in NAMES})


@settings(max_examples=150)
@given(obligation=st.one_of(universal(), ground()), points=st.lists(values, min_size=1, max_size=3))
def test_a_text_is_as_true_as_its_terms(obligation: Obligation, points: list[dict[str, int]]) -> None:
    fixed = [{**obligation.witness}] if not obligation.ground else []
    assert agrees(obligation, smtlib.render, [*points, *fixed])


@settings(max_examples=60)
@given(obligation=universal(), name=st.sampled_from(NAMES))
def test_names_do_not_matter(obligation: Obligation, name: str) -> None:
    """Equal questions are one text, whatever their variables are called; so steps and verdicts are the same."""
    other = _renamed(obligation, {each: f"{each}{name} (1)" for each in NAMES})
    first, second = smtlib.render(obligation), smtlib.render(other)
    assert first.text == second.text
    assert tuple(f"{each}{name} (1)" for each in first.names) == second.names


def _renamed(obligation: Obligation, names: Mapping[str, str]) -> Obligation:
    def term(each: Term) -> Term:
        match each:
            case Var(name):
                return Var(names[name])
            case Sum(parts):
                return Sum(tuple(map(term, parts)))
            case Product(factors):
                return Product(tuple(map(term, factors)))
            case _:
                return each

    def lines(comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
        return tuple(Comparison(each.relation, term(each.left), term(each.right)) for each in comparisons)

    witness = {names[name]: value for name, value in obligation.witness.items()}
    return Obligation(lines(obligation.hypotheses), lines(obligation.goal), witness, obligation.ground)


COMPARED = "{line.relation.value}"
BOTH = "{self._side(line.left)} {self._side(line.right)}"
SUM, PRODUCT = "(+ {' '.join(parts)})", "(* {' '.join(factors)})"
SIGNED = "if coefficient != 1 or not factors"
NUMBER = 'f"v{len(self.numbers)}"'
MULTIPLIED = "(a * b, left + right)"
PAIRS = "for a, left in found for b, right in parts"

MISTRANSLATIONS: dict[str, tuple[str, str]] = {
    "sides exchanged": (BOTH, "{self._side(line.right)} {self._side(line.left)}"),
    "one side twice": (BOTH, "{self._side(line.left)} {self._side(line.left)}"),
    "every comparison an equation": (COMPARED, "="),
    "every comparison at most": (COMPARED, "<="),
    "every comparison less": (COMPARED, "<"),
    "at most is at least": (COMPARED, "{'>=' if line.relation is Relation.AT_MOST else line.relation.value}"),
    "less is greater": (COMPARED, "{'>' if line.relation is Relation.LESS else line.relation.value}"),
    "sums are products": (SUM, "(* {' '.join(parts)})"),
    "sums are differences": (SUM, "(- {' '.join(parts)})"),
    "the last term is lost": (SUM, "(+ 0 {' '.join(parts[:-1])})"),
    "the empty sum is one": ('if parts else "0"', 'if parts else "1"'),
    "products are sums": (PRODUCT, "(+ {' '.join(factors)})"),
    "a square is no square": (PRODUCT, "(* 1 {' '.join(dict.fromkeys(factors))})"),
    "the last factor is lost": (PRODUCT, "(* 1 {' '.join(factors[:-1])})"),
    "a coefficient is lost": (SIGNED, "if not factors"),
    "minus one is one": (SIGNED, "if abs(coefficient) != 1 or not factors"),
    "the sign is lost": ('f"(- {-coefficient})"', 'f"{-coefficient}"'),
    "everything is negative": ("str(coefficient) if coefficient >= 0", 'f"(- {coefficient})" if coefficient >= 0'),
    "one variable for all": (NUMBER, '"v0"'),
    "variables share a number": (NUMBER, 'f"v{len(self.numbers) // 2}"'),
    "names in another order": ("Rendered(text, tuple(writer.numbers)", "Rendered(text, tuple(writer.numbers)[::-1]"),
    "coefficients are added": (MULTIPLIED, "(a + b, left + right)"),
    "one factor's variables are lost": (MULTIPLIED, "(a * b, left)"),
    "one coefficient is lost": (MULTIPLIED, "(b, left + right)"),
    "a sum is its last term": ("found += self.expand(part, depth + 1)", "found = self.expand(part, depth + 1)"),
    "a product is its last factor": (PAIRS, "for a, left in [(1, ())] for b, right in parts"),
    "the empty product is nothing": ("found = [(1, ())]", "found = [(1, ())] if factors else []"),
    "a variable counts twice": ("return [(1, (name,))]", "return [(2, (name,))]"),
    "a constant is turned": ("_bounded([(value, ())])", "_bounded([(-value, ())])"),
    "the goal is not denied": ("(assert (not {", "(assert (and {"),
    "one of several claims is enough": ("'(and '", "'(or '"),
    "only the first claim": ("if len(claims) == 1 else", "if claims else"),
    "hypotheses under the next number": (":named h{position}", ":named h{position + 1}"),
    "another hypothesis": ("((i, hypotheses[i]) for i", "((i, hypotheses[i - 1]) for i"),
    "hypotheses are denied": ("{written} :named", "(not {written}) :named"),
    "ground hypotheses are denied": ('f"(assert {written})"', 'f"(assert (not {written}))"'),
    "real numbers": ("(declare-const {number} Int)", "(declare-const {number} Real)"),
}
"""What is written, and what would be written wrongly."""


def module_with(old: str, new: str) -> ModuleType:
    """The emitter with one place of its source changed."""
    source = inspect.getsource(smtlib)
    assert old in source, old
    module = ModuleType("mistranslating")
    sys.modules[module.__name__] = module  # msgspec looks up the annotations of a structure there
    try:
        exec(compile(source.replace(old, new), "mistranslating", "exec"), module.__dict__)  # noqa: S102
    finally:
        del sys.modules[module.__name__]
    return module


A, B, C = (Var(name) for name in FREE)


def batch() -> list[Obligation]:
    """Claims in which all that can be written occurs: each relation, signs, squares, empty sums, several goals."""
    two, minus = Const(2), Const(-1)
    sides: list[tuple[Term, Term]] = [
        (Sum((product_of(two, A), B, Const(-3))), product_of(A, A, C)),
        (Product((minus, Sum((A, B)), Sum((B, product_of(minus, C), two)))), Sum(())),
        (product_of(Const(-7), B, B), Sum((C, Product(())))),
        (Sum((product_of(two, A), product_of(Const(3), A))), product_of(Const(5), A, B)),
        (Product(()), A),
    ]
    goals = [Comparison(relation, left, right) for left, right in sides for relation in Relation]
    hypotheses = tuple(Comparison(relation, B, Sum((A, C, C))) for relation in Relation)
    single = [Obligation(hypotheses, (goal,), {}, ground=False) for goal in goals]
    several = Obligation(hypotheses, tuple(goals[2::3]), {}, ground=False)
    fixed = tuple(Comparison(Relation.EQUAL, each, Const(value)) for each, value in ((A, 2), (B, -1), (C, 5)))
    return [*single, several, *(Obligation(fixed, each.goal, {}, ground=True) for each in single)]


def product_of(*factors: Term) -> Term:
    return Product(factors)


def some_points() -> list[dict[str, int]]:
    draw = random.Random(6)  # noqa: S311 -- the same in every run
    drawn = [{name: draw.randint(-6, 6) for name in FREE} for _ in range(12)]
    return [*drawn, {"a": 2, "b": -1, "c": 5}, {"a": 1, "b": 3, "c": 1}]


def noticed(render: Render) -> bool:
    """Whether a batch of claims shows that a text says something else, or is no text."""
    try:
        return not all(agrees(each, render, some_points()) for each in batch())
    except (RuntimeError, ObligationError, LookupError, ValueError):
        return True


def test_the_batch_is_stated_rightly() -> None:
    assert not noticed(smtlib.render)
    assert not noticed(module_with("", "").render)


@pytest.mark.parametrize("name", MISTRANSLATIONS)
def test_a_mistranslation_is_noticed(name: str) -> None:
    assert noticed(module_with(*MISTRANSLATIONS[name]).render)


# Equation -> obligation -----------------------------------------------------------------------------------------------


def sides() -> list[sympy.Expr]:
    """Both sides of every equation of the shipped rules, in every case."""
    found: list[sympy.Expr] = []
    for _, law in load(shipped("rules")).laws():
        if isinstance(law, Law | MemoryLaw):
            for equation in law.equations:
                found += [equation.left, *(equation.right(case) for case in all_cases() if law.when(case))]
    return list(dict.fromkeys(sympy.sympify(each, strict=True) for each in found))


def value_of(expression: sympy.Expr, point: Mapping[str, int]) -> int:
    """The value of an expression by sympy's own arithmetic."""
    return int(expression.subs({symbol: point[symbol.name] for symbol in expression.free_symbols}))


def translated_rightly(expressions: Sequence[sympy.Expr], translate: Translate) -> bool:
    draw = random.Random(6)  # noqa: S311 -- the same in every run
    for expression in expressions:
        names = sorted(symbol.name for symbol in expression.free_symbols)
        term = translate(expression)
        for _ in range(3):
            point = {name: draw.randint(2, 50) for name in names}
            if set(variables(term)) - set(names) or evaluate(term, point) != value_of(expression, point):
                return False
    return True


def test_every_side_of_every_law_is_translated_rightly() -> None:
    expressions = sides()
    assert len(expressions) > 100
    assert translated_rightly(expressions, symbols.to_term)


PARTS = "(tuple(to_term(part) for part in _ordered(expression)))"
ALL_BUT_ONE = "(tuple(to_term(part) for part in _ordered(expression)[1:]))"

WRONG_TERMS: dict[str, tuple[str, str]] = {
    "a sum is a product": (f"return Sum{PARTS}", f"return Product{PARTS}"),
    "a product is a sum": (f"return Product{PARTS}", f"return Sum{PARTS}"),
    "the first term is lost": (f"Sum{PARTS}", f"Sum{ALL_BUT_ONE}"),
    "the first factor is lost": (f"Product{PARTS}", f"Product{ALL_BUT_ONE}"),
    "a power is its base": ("(to_term(expression.base),) * int(expression.exp)", "(to_term(expression.base),)"),
    "one power more": ("* int(expression.exp)", "* (int(expression.exp) + 1)"),
    "a number without its sign": ("Const(value)", "Const(abs(value))"),
    "one number for all": ("Const(value)", "Const(2)"),
    "another symbol": ("Var(_known(expression))", "Var(_known(expression).swapcase())"),
    "one symbol for all": ("Var(_known(expression))", 'Var("H")'),
}


@pytest.mark.parametrize("name", WRONG_TERMS)
def test_a_wrong_term_is_noticed(name: str) -> None:
    old, new = WRONG_TERMS[name]
    source = inspect.getsource(symbols.to_term.__wrapped__)
    assert old in source
    scope: dict[str, Any] = dict(vars(symbols))
    exec(compile(source.replace(old, new), "mistranslating", "exec"), scope)  # noqa: S102
    h, d = symbols.h, symbols.d
    samples = [*sides()[:60], 3 * h**2 - 5 * d + 7, sympy.Integer(-4) + h * d, h**3 * d]
    assert not translated_rightly(samples, scope["to_term"])


# Task -> quantities ---------------------------------------------------------------------------------------------------


def test_every_quantity_is_the_field_of_its_name() -> None:
    effects = (
        Effect(kind=EffectKind.KV_READ, value="value:" + "0" * 64, size=16),
        Effect(kind=EffectKind.KV_WRITE, value="value:" + "1" * 64, size=32),
        Effect(kind=EffectKind.KV_READ, value="value:" + "2" * 64, size=64),
    )
    task = Task(
        id="task:" + "0" * 64,
        name="t",
        lineage=None,  # type: ignore[arg-type]
        kind=TaskKind.COMPUTE,
        phase=Phase.FORWARD,
        primitive="linear",
        operands=(),
        inputs=(),
        outputs=(),
        ranks=(0,),
        work=Work(operations=1, read_bytes=2, write_bytes=4, message_bytes=8),
        effects=effects,
    )
    assert {quantity.name: count for quantity, count in vector(task).items()} == {
        "OPERATIONS": 1,
        "READ_BYTES": 2,
        "WRITE_BYTES": 4,
        "MESSAGE_BYTES": 8,
        "KV_READ_BYTES": 80,
        "KV_WRITE_BYTES": 32,
    }
    assert set(vector(task)) == set(Quantity)
