"""The law book for people and machines: every law with its source and its equations, case by case."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import sympy

from blueprint import codec
from blueprint.case import Case
from blueprint.errors import RulebookError
from blueprint.law import (
    VECTOR,
    AnyLaw,
    Bound,
    BoundLaw,
    Law,
    Maximum,
    MaximumLaw,
    MemoryLaw,
    Portion,
    ProjectionLaw,
    Requirement,
)
from blueprint.rule import Formula, PrimitiveRule, Rule, cases_of
from blueprint.rulebook import Rulebook
from blueprint.term import Relation
from blueprint.words import plain

SCHEMA: Final = "blueprint.laws/1"

WIDE: Final = 4000
"""Most characters of one equation: a closed total is long, and must not be cut."""

_PORTIONS: Final = {
    Portion.ALL: "all tasks together",
    Portion.OPERATION: "the tasks of each operation",
    Portion.EACH: "each task",
}

_IN_LATEX: Final = {"<=": r"\le"}

Show = Callable[["sympy.Expr | int"], str]
"""An expression in the notation of the output."""


@dataclasses.dataclass(frozen=True)
class _Formulae:
    """The formulae of one primitive, in the form of a law."""

    id: str
    statement: str
    source: str
    formulas: tuple[tuple[str, Formula], ...]


class _Line(NamedTuple):
    """One equation or bound as text: `where` its definitions or premises hold and `when` the strategy is such."""

    form: str
    where: str
    when: str
    left: str
    relation: str
    right: str


_Stated = AnyLaw | _Formulae

_SIGNS: Final = {Relation.EQUAL: "=", Relation.AT_MOST: "<=", Relation.LESS: "<"}


def _entries(rulebook: Rulebook) -> list[tuple[Rule, _Stated]]:
    """Every law with its rule; the primitives first, because the laws rest on them."""
    formulae = [(rule, _formulae(rule)) for rule in rulebook.rules if isinstance(rule, PrimitiveRule)]
    return [*formulae, *rulebook.laws()]


def _formulae(rule: PrimitiveRule) -> _Formulae:
    name = rule.primitive
    chosen = f"; by definition {rule.definition}" if rule.definition else ""
    statement = (rule.statement or f"operations and bytes of {name}") + chosen
    phases = tuple((phase.value, formula) for phase, formula in rule.formulas.items())
    return _Formulae(f"{rule.law}: {name}" if rule.law else name, statement, rule.source, phases)


def _typed(expression: sympy.Expr | int) -> str:
    return _printed(sympy.sstr, expression).replace("**", "^")


def _latex(expression: sympy.Expr | int) -> str:
    return _printed(sympy.latex, expression)


def _printed(printer: Show, expression: sympy.Expr | int) -> str:
    """Raises RulebookError for a number of more digits than Python prints: no theorem about one can be proved."""
    try:
        return plain(printer(expression), WIDE)
    except ValueError as error:
        raise RulebookError(f"an equation has too large a number: {plain(error)}") from error


def text(rulebook: Rulebook) -> str:
    """Plain lines, a blank one between laws."""
    return "\n".join("".join(f"{line}\n" for line in _text_lines(*entry)) for entry in _entries(rulebook))


def markdown(rulebook: Rulebook) -> str:
    """A section for each law, its equations as mathematics."""
    sections = ("".join(f"{line}\n" for line in _markdown_lines(*entry)) for entry in _entries(rulebook))
    return "# Laws\n\n" + "\n".join(sections)


def latex(rulebook: Rulebook) -> str:
    """An `align*` block for each law, to be used inside a document that loads amsmath."""
    return "\n".join("".join(f"{line}\n" for line in _latex_lines(*entry)) for entry in _entries(rulebook))


def json(rulebook: Rulebook) -> bytes:
    """One document, `blueprint.laws/1`: every equation as text and as LaTeX."""
    document = {
        "schema": SCHEMA,
        "rulebook": {"revision": rulebook.revision, "digest": rulebook.digest},
        "laws": [data(*entry) for entry in _entries(rulebook)],
    }
    return codec.encode(document) + b"\n"


def _text_lines(rule: Rule, law: _Stated) -> Iterator[str]:
    yield f"{plain(law.id)} (rule {plain(rule.id)})"
    yield f"  {plain(law.statement, WIDE)}"
    yield f"  source: {plain(law.source, WIDE)}"
    if isinstance(law, Law):
        yield f"  over: {_group(law)}"
    for each in _equations(rule, law, _typed):
        where = f" with {each.where}" if each.where else ""
        when = f"  if {each.when}" if each.when else ""
        yield f"  {each.form}{where}: {each.left} {each.relation} {each.right}{when}"


def _in_full(line: _Line) -> str:
    where = f" with {line.where}" if line.where else ""
    when = f" if {line.when}" if line.when else ""
    return f"{line.left} {line.relation} {line.right}{where}{when}"


def _markdown_lines(rule: Rule, law: _Stated) -> Iterator[str]:
    yield f"## {plain(law.id)}"
    yield ""
    yield f"`{plain(law.statement, WIDE)}`"
    yield ""
    yield f"Rule `{plain(rule.id)}`. Source: {plain(law.source, WIDE)}."
    if isinstance(law, Law):
        yield f"Over: {_group(law).replace('_', ' ')}."
    for each in _equations(rule, law, _latex):
        where, when = f", with ${each.where}$" if each.where else "", f", if `{each.when}`" if each.when else ""
        relation = _IN_LATEX.get(each.relation, each.relation)
        yield from ("", f"*{each.form}*{where}{when}:", "", f"$${each.left} {relation} {each.right}$$")


def _latex_lines(rule: Rule, law: _Stated) -> Iterator[str]:
    yield f"% {plain(law.id)} (rule {plain(rule.id)}): {plain(law.statement, WIDE)}"
    yield f"% source: {plain(law.source, WIDE)}"
    rows = []
    for each in _equations(rule, law, _latex):
        where, when = f" with {each.where}" if each.where else "", f" if {each.when}" if each.when else ""
        yield f"% {each.form}{where}{when}"
        rows.append(f"  {each.left} &{_IN_LATEX.get(each.relation, each.relation)} {each.right}")
    yield from (r"\begin{align*}", " \\\\\n".join(rows), r"\end{align*}")


def typed_equations(rule: Rule, law: AnyLaw) -> tuple[tuple[str, str], ...]:
    """Form and text of every equation or bound of a law, with what it holds with and when."""
    return tuple((each.form, _in_full(each)) for each in _equations(rule, law, _typed))


def formula_equations(rule: PrimitiveRule) -> tuple[tuple[str, str], ...]:
    """Phase and text of every formula of a primitive."""
    return tuple((each.form, _in_full(each)) for each in _equations(rule, _formulae(rule), _typed))


def data(rule: Rule, law: _Stated) -> dict[str, Any]:
    """One law as the document has it."""
    typed, in_latex = _equations(rule, law, _typed), _equations(rule, law, _latex)
    return {
        "id": law.id,
        "rule": rule.id,
        "statement": law.statement,
        "source": law.source,
        "over": _group(law) if isinstance(law, Law) else "",
        "equations": [
            {
                "form": each.form,
                "where": each.where,
                "if": each.when,
                "text": f"{each.left} {each.relation} {each.right}",
                "latex": f"{other.left} {_IN_LATEX.get(other.relation, other.relation)} {other.right}",
            }
            for each, other in zip(typed, in_latex, strict=True)
        ],
    }


def _group(law: Law) -> str:
    """The tasks that a law sums over, or speaks of one by one."""
    group = law.group
    parts = [" or ".join(phase.value for phase in group.phases)]
    if group.primitives:
        parts.append(" or ".join(group.primitives))
    if group.kinds:
        parts.append("of " + " or ".join(group.kinds))
    compared = f"; W_0 is that of {law.reference.value}" if law.reference else ""
    return f"{_PORTIONS[group.portion]}: {', '.join(parts)}{compared}"


def _equations(rule: Rule, law: _Stated, show: Show) -> list[_Line]:
    """Every equation or bound of a law; one that is not the same in all cases of the strategy has a line for each."""
    show = functools.cache(show)  # most cases have one right side, and printing it takes longer than anything else
    match law:
        case _Formulae():
            return [
                _Line(phase, "", "", show(quantity.symbol), "=", show(getattr(formula, quantity.name.lower())))
                for phase, formula in law.formulas
                for quantity in VECTOR
            ]
        case ProjectionLaw():
            return [
                _Line(plain(name), "", "", plain(name).replace("_", " "), "=", show(value))
                for name, value in law.outputs.items()
            ]
        case BoundLaw():
            return [
                _Line(
                    plain(each.form),
                    _premises(each, show),
                    "",
                    show(each.left),
                    _SIGNS[each.relation],
                    show(each.right),
                )
                for each in law.bounds
            ]
        case MaximumLaw():
            return [
                _Line(plain(each.form), _where(each.where, show), "", show(law.left), "=", _largest(each, show))
                for each in law.forms
            ]
        case Requirement():
            return [_Line("this plan", "", "", show(law.left), "<=", show(law.right))]
        case _:
            return [
                _Line(plain(equation.form), _where(equation.where, show), when, show(equation.left), "=", right)
                for equation in law.equations
                for right, when in _variants(_cases(rule, law), lambda case, each=equation: show(each.right(case)))  # type: ignore[misc]
            ]


def _cases(rule: Rule, law: Law | MemoryLaw) -> list[Case]:
    """The cases that a law speaks of; one for all workloads says the same of inference as of training."""
    if isinstance(rule, PrimitiveRule):
        return []
    return [case for case in cases_of(rule) if law.when(case) and case.workload is (rule.workload or case.workload)]


def _largest(maximum: Maximum, show: Show) -> str:
    """A maximum; a false variant of one arm alone is that arm."""
    arms = [show(arm) for arm in maximum.arms.values()]
    return f"max({', '.join(arms)})" if len(arms) > 1 else arms[0]


def _premises(bound: Bound, show: Show) -> str:
    return ", ".join(f"{show(left)} {_SIGNS[relation]} {show(right)}" for left, relation, right in bound.premises)


def _where(definitions: tuple[tuple[sympy.Symbol, sympy.Expr], ...], show: Show) -> str:
    return ", ".join(f"{show(symbol)} = {show(value)}" for symbol, value in definitions)


def _variants(cases: list[Case], right: Callable[[Case], str]) -> list[tuple[str, str]]:
    """Each distinct right side, and the conditions on the strategy under which it holds; none if it always does."""
    sides: dict[str, list[Case]] = {}
    for case in cases:
        sides.setdefault(right(case), []).append(case)
    return [(side, "" if len(sides) == 1 else _condition(holding, cases)) for side, holding in sides.items()]


def _condition(holding: list[Case], cases: list[Case]) -> str:
    """The cases in words, without the fields that may have any value."""
    workloads = dict.fromkeys(case.workload for case in cases)
    found = {workload: _words([case for case in holding if case.workload is workload], cases) for workload in workloads}
    first, *others = found.values()
    if all(each == first for each in others):
        return " or ".join(first)
    # What holds in one workload alone, or in each under other conditions, names it.
    return " or ".join(
        ", ".join(each for each in (workload.value, words) if each)
        for workload, conditions in found.items()
        for words in conditions
    )


def _words(holding: list[Case], cases: list[Case]) -> list[str]:
    """The cases of one workload in words, each once; empty words where every case of it holds."""
    if not holding:
        return []
    names = [name for name in _named(holding[0]) if _decides(name, holding, cases)]
    return list(dict.fromkeys(", ".join(_named(case)[name] for name in names) for case in holding))


def _named(case: Case) -> dict[str, str]:
    """The words of a case by field; a stage may have data-parallel neighbours."""
    return {**case.words, "data_parallel": "D>1" if case.data_parallel else "D=1"} if case.stack else case.words


def _decides(name: str, holding: list[Case], cases: list[Case]) -> bool:
    """Whether a change of this field alone can lead from the cases that hold to one that does not."""
    values = {getattr(case, name) for case in cases}
    neighbours = {dataclasses.replace(case, **{name: value}) for case in holding for value in values}
    return not (neighbours & set(cases)) <= set(holding)
