"""One relation of a report -> all that can be said of it, from the questions stated again and the rulebook.

The numbers are put into the very terms that were asked, and both sides evaluated in exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from blueprint.chunks import CHUNK
from blueprint.facts import Fact
from blueprint.instances import MEMBERS
from blueprint.outcome import ObligationRow, RelationRow, Report, Status, TransitionReport
from blueprint.plan import ClaimCheck, LawCheck
from blueprint.report import laws as book
from blueprint.report.explanation import ClaimExplained, Explanation, FactRow, LawExplained, QuestionRow
from blueprint.restatement import Restatement, same_question
from blueprint.term import Comparison, Const, Product, Sum, Term, Var, evaluate, holds, show, variables
from blueprint.verdict import Obligation
from blueprint.wording import expression_of, shown_sides
from blueprint.words import plain

WIDE: Final = 2000
"""Most characters of one expression."""


def explain(report: Report, transition: TransitionReport, relation: RelationRow, again: Restatement) -> Explanation:
    """One relation of a report in full."""
    check = again.relation(transition, relation)
    plan = again.plan(transition)
    claims = tuple(
        ClaimExplained(
            kind=row.kind,
            status=row.status,
            facts=tuple(sorted(_facts(asked, plan.obligations[asked.obligation], again), key=lambda each: each.holds)),
            question=question(report.obligations[row.obligation], plan.obligations[asked.obligation], asked, again),
        )
        for row, asked in zip(relation.claims, check.claims, strict=True)
    )
    rule = next((each for each in again.rulebook.rules if each.id == relation.transform), None)
    return Explanation(
        bundle_sha256=report.subject.bundle_sha256,
        verdict=report.verdict,
        bindings=report.subject.bindings,
        source=transition.source,
        target=transition.target,
        branch=transition.branch,
        derivation_pass=transition.derivation_pass,
        relation=relation,
        sources=tuple(plain(again.names.get(source, source)) for source in relation.sources),
        rewrite=plain(getattr(rule, "rewrite", ""), WIDE),
        laws=tuple(_laws(report, transition, relation, again)),
        claims=claims,
    )


def _facts(check: ClaimCheck, obligation: Obligation, again: Restatement) -> Iterator[FactRow]:
    every = _own_values(check, obligation)
    values = every[0]
    for fact in check.facts:
        found, expected = shown_sides(fact, values, again.names)
        expression = expression_of(fact)
        numbers = {_put_in(fact.expected, each) for each in every} if expression else set()
        yield FactRow(
            field=plain(fact.label),
            found=found,
            expected=expected,
            expression=expression,
            numbers=numbers.pop() if len(numbers) == 1 else "",
            holds=_holds(fact, values),
        )


def _own_values(check: ClaimCheck, obligation: Obligation) -> list[Mapping[str, int]]:
    """The values of the claim's own question: those of the obligation, if it was asked alone.

    In an obligation of several questions, which are all true, each name has a number behind it. Which of them is the
    claim's own is not recorded, so these are all that its facts fit.
    """
    names = {name for fact in check.facts for side in (fact.actual, fact.expected) for name in variables(side)}
    if names <= obligation.witness.keys():
        return [obligation.witness]
    numbered = ({name: f"{name} ({number})" for name in names} for number in range(CHUNK))
    every = (
        {name: obligation.witness[own] for name, own in each.items()}
        for each in numbered
        if set(each.values()) <= obligation.witness.keys()
    )
    return [values for values in every if all(_holds(fact, values) for fact in check.facts)]


def _holds(fact: Fact, values: Mapping[str, int]) -> bool:
    return evaluate(fact.actual, values) == evaluate(fact.expected, values)


def question(row: ObligationRow, obligation: Obligation, check: ClaimCheck | None, again: Restatement) -> QuestionRow:
    """The question in words and as text. A value that stands for a word is followed by it."""
    words = {}
    for fact in check.facts if check is not None else ():
        if fact.words is not None:
            # Both sides are words, which no value is needed for.
            words[plain(fact.label)] = shown_sides(fact, {}, again.names)[1]
    text = same_question(row, obligation)
    return QuestionRow(
        hypotheses=tuple(_spelled(each, words) for each in obligation.hypotheses),
        goal=tuple(_spelled(each, {}) for each in obligation.goal),
        symbols={f"v{number}": plain(name) for number, name in enumerate(text.names)},
        text=text.text,
        answer=row,
    )


def _spelled(comparison: Comparison, words: Mapping[str, str]) -> str:
    left = plain(show(comparison.left), WIDE)
    word = f" ({words[left]})" if left in words else ""
    return f"{left} {comparison.relation.value} {plain(show(comparison.right), WIDE)}{word}"


def _laws(
    report: Report, transition: TransitionReport, relation: RelationRow, again: Restatement
) -> Iterator[LawExplained]:
    """The laws of the relation's rule, as rule and rulebook have them and as this transition met them."""
    plan = again.plan(transition)
    rules = {law.id: (rule, law) for rule, law in again.rulebook.laws()}
    checks = {(each.id, each.form, each.rule): each for each in plan.laws}
    for row in transition.laws:
        if row.rule != relation.transform or row.id not in rules:
            continue
        stated = book.data(*rules[row.id])
        equations = [each for each in stated["equations"] if each["form"] == row.form] or stated["equations"]
        check = checks[row.id, row.form, row.rule]
        chosen = _chosen(report, check, row.obligations, again, transition)
        yield LawExplained(
            id=row.id,
            form=row.form,
            status=row.status,
            statement=plain(row.statement, WIDE),
            source=plain(stated["source"], WIDE),
            equations=tuple(_equation(each, "text") for each in equations),
            latex=tuple(plain(each["latex"], book.WIDE) for each in equations),
            group=plain(row.group, WIDE),
            instance=() if chosen is None else tuple(_sides(chosen[1])),
            values={} if chosen is None else _given(chosen[1]),
            instances=str(len(row.obligations)),
            question=None if chosen is None else question(*chosen, None, again),
        )


def _equation(equation: Mapping[str, str], field: str) -> str:
    where = f", with {equation['where']}" if equation["where"] else ""
    when = f", if {equation['if']}" if equation["if"] else ""
    return plain(f"{equation[field]}{where}{when}", book.WIDE)


def _chosen(
    report: Report,
    check: LawCheck,
    positions: tuple[int, ...],
    again: Restatement,
    transition: TransitionReport,
) -> tuple[ObligationRow, Obligation] | None:
    """The first instance that is not proved, or else the first that is not about the size of the group alone."""
    asked = again.obligations(transition)
    rows = [(report.obligations[position], asked[position]) for position in positions]
    failing = [pair for pair in rows if pair[0].verdict is not Status.PROVED]
    telling = [pair for pair in rows if pair[1].witness.keys() != {MEMBERS}]
    return next(iter((*failing, *telling, *rows)), None) if check.applicable else None


def _sides(obligation: Obligation) -> Iterator[str]:
    """Each comparison of the goal with the numbers in it, both values, and whether it holds."""
    values = obligation.witness
    for goal in obligation.goal:
        sides = [_valued(side, values) for side in (goal.left, goal.right)]
        verdict = "" if holds(goal, values) else ", which is false"
        yield f"{sides[0]} {goal.relation.value} {sides[1]}{verdict}"


def _valued(side: Term, values: Mapping[str, int]) -> str:
    """A side with the numbers in it, and its value behind it where that is something else."""
    shown, value = _put_in(side, values), str(evaluate(side, values))
    return value if shown == value else f"[{shown} = {value}]"


def _given(obligation: Obligation) -> dict[str, str]:
    return {plain(name): str(value) for name, value in obligation.witness.items()}


def _put_in(term: Term, values: Mapping[str, int]) -> str:
    """A term with numbers in the place of names."""
    return plain(show(_numbered(term, values)), WIDE)


def _numbered(term: Term, values: Mapping[str, int]) -> Term:
    match term:
        case Const():
            return term
        case Var(name):
            return Const(values[name])
        case Sum(terms):
            return Sum(tuple(_numbered(each, values) for each in terms))
        case Product(factors):
            return Product(tuple(_numbered(each, values) for each in factors))
