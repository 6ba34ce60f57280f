"""Many relations whose numbers all differ: their questions are asked in shared obligations.

An offset is another number for every buffer, so a question each would be as many obligations as buffers. Neighbours
share one, whose goal is the conjunction of their facts. What a claim asserts does not change: the hypotheses are those
of every question by itself, under names of their own. Where exact arithmetic finds a false fact in a chunk, its
questions are asked one by one, so that only those that are false are refuted; deciding is left to the deciders.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from blueprint.facts import Question
from blueprint.plan import ClaimCheck, TransitionPlan
from blueprint.rule import Claim
from blueprint.term import Comparison, Const, Product, Sum, Term, Var, evaluate, holds
from blueprint.verdict import Obligation

CHUNK: Final = 128
"""Questions in one obligation: enough to make starting a decider cheap, few enough for its budget."""


@dataclass(frozen=True)
class Asked:
    """A relation with what its claims ask, not yet put to a decider."""

    rule: str
    names: tuple[str, ...]
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    questions: tuple[tuple[Claim, Question], ...]


def relate_all(plan: TransitionPlan, relations: Sequence[Asked]) -> None:
    """Add relations to a plan, claim by claim in chunks of neighbours of one rule."""
    places: dict[tuple[str, Claim], list[int]] = {}
    for number, relation in enumerate(relations):
        for claim, _ in relation.questions:
            places.setdefault((relation.rule, claim), []).append(number)
    obligations: dict[tuple[int, Claim], int] = {}
    for (_, claim), numbers in places.items():
        for start in range(0, len(numbers), CHUNK):
            chunk = numbers[start : start + CHUNK]
            questions = [dict(relations[number].questions)[claim] for number in chunk]
            asked = ask_together(plan, questions)
            obligations |= {(number, claim): place for number, place in zip(chunk, asked, strict=True)}
    for number, relation in enumerate(relations):
        claims = tuple(
            ClaimCheck(claim, tuple(question.facts), obligations[number, claim])
            for claim, question in relation.questions
        )
        plan.record(relation.rule, relation.names, relation.sources, relation.targets, claims)


def ask_together(plan: TransitionPlan, questions: Sequence[Question]) -> list[int]:
    """The position of each question's obligation: of one for all, unless one of them has a false fact.

    Equal questions, whatever their entities are called, stand in it once.
    """
    if len(questions) > 1 and all(map(_true, questions)):
        distinct = {_form(question): question for question in questions}
        return [plan.ask(conjunction(list(distinct.values())))] * len(questions)
    return [plan.ask(question.obligation()) for question in questions]


def conjunction(questions: Sequence[Question]) -> Obligation:
    """One ground obligation for several questions; the variables of each have names of their own."""
    hypotheses: list[Comparison] = []
    goal: list[Comparison] = []
    witness: dict[str, int] = {}
    for number, question in enumerate(questions):
        alone = question.obligation()
        names = {name: Var(f"{name} ({number})") for name in question.values}
        hypotheses += (_renamed(each, names) for each in alone.hypotheses)
        goal += (_renamed(each, names) for each in alone.goal)
        witness |= {names[name].name: value for name, value in question.values.items()}
    return Obligation(hypotheses=tuple(hypotheses), goal=tuple(goal), witness=witness, ground=True)


def chunks_of(goal: Sequence[Comparison]) -> Iterator[Obligation]:
    """Facts about numbers alone, in as few obligations as they fit; a false one stands in an obligation of its own."""
    true = [each for each in goal if holds(each, {})]
    for start in range(0, len(true), CHUNK):
        yield Obligation(hypotheses=(), goal=tuple(true[start : start + CHUNK]), witness={}, ground=True)
    for each in goal:
        if not holds(each, {}):
            yield Obligation(hypotheses=(), goal=(each,), witness={}, ground=True)


def _true(question: Question) -> bool:
    """Whether a question has facts and all of them hold; one without would be lost among others."""
    values = question.values
    facts = all(evaluate(fact.actual, values) == evaluate(fact.expected, values) for fact in question.facts)
    return bool(question.facts) and facts and all(holds(each, values) for each in question.premises)


def _form(question: Question) -> tuple[object, ...]:
    """A question without the labels of its facts."""
    facts = tuple((fact.actual, fact.expected) for fact in question.facts)
    return tuple(question.values.items()), tuple(question.premises), facts


def _renamed(comparison: Comparison, names: Mapping[str, Var]) -> Comparison:
    left, right = _with_names(comparison.left, names), _with_names(comparison.right, names)
    return Comparison(comparison.relation, left, right)


def _with_names(term: Term, names: Mapping[str, Var]) -> Term:
    match term:
        case Const():
            return term
        case Var(name):
            return names[name]
        case Sum(terms):
            return Sum(tuple(_with_names(each, names) for each in terms))
        case Product(factors):
            return Product(tuple(_with_names(each, names) for each in factors))
