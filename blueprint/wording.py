"""What went wrong, in words: one finding for each claim or law that is not established. Nothing is decided here."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from blueprint.discharge import Evidence
from blueprint.facts import Fact, Word
from blueprint.outcome import FailedFact, Finding, Status
from blueprint.plan import ClaimCheck, LawCheck, RelationCheck, TransitionPlan
from blueprint.term import Const, Relation, Term, evaluate, holds, show
from blueprint.verdict import Obligation
from blueprint.words import plain

EXPRESSION: Final = 400
"""Most characters of an expression: in a sum over tensors that is cut, the term that is missing is not seen."""


def entity_names(plan: TransitionPlan) -> dict[str, str]:
    """Id -> name of every target that a plan relates: an id is a digest, and tells a reader nothing."""
    return {
        target: name
        for relation in plan.relations
        for target, name in zip(relation.targets, relation.names, strict=False)
        # A relation that lacks a target names it all the same.
        if len(relation.targets) == len(relation.names)
    }


def failed_facts(check: ClaimCheck, values: Mapping[str, int], names: Mapping[str, str]) -> Iterator[FailedFact]:
    """The facts of a claim that are false, in exact arithmetic; `names` are those of entities by id."""
    for fact in check.facts:
        found, expected = evaluate(fact.actual, values), evaluate(fact.expected, values)
        if found != expected:
            found_shown, expected_shown = shown_sides(fact, values, names)
            yield FailedFact(
                field=plain(fact.label),
                found=found_shown,
                expected=expected_shown,
                expression=expression_of(fact) or expected_shown,
            )


def shown_sides(fact: Fact, values: Mapping[str, int], names: Mapping[str, str]) -> tuple[str, str]:
    """What is found and what is expected, in the model's own words where the numbers only stand for them."""
    if fact.words is None:
        return str(evaluate(fact.actual, values)), str(evaluate(fact.expected, values))
    found, expected = (_spelled(word, names) for word in fact.words)
    if found == expected and fact.words[0] != fact.words[1]:
        # Two entities of one name, or names that differ where they are cut: only the ids tell them apart.
        found, expected = (_spelled(word, {}) for word in fact.words)
    return found, expected


def expression_of(fact: Fact) -> str:
    """The expected value's term; empty for a word or a number that is only given, of which it tells nothing."""
    expression = plain(show(fact.expected), EXPRESSION)
    return "" if fact.words is not None or expression == plain(fact.label) else expression


def _spelled(word: Word, names: Mapping[str, str]) -> str:
    """A word as the model spells it; of an id the entity's name, if it is known."""
    match word:
        case bool():
            return "yes" if word else "no"
        case enum.Enum():
            return plain(word.value)
        case _:
            # What was looked for and not found is marked by this word before its id.
            sought = word.removeprefix("missing ")
            return plain(word.removesuffix(sought) + names.get(sought, sought)) or '""'


def claim_finding(
    relation: RelationCheck,
    check: ClaimCheck,
    status: Status,
    evidence: Evidence,
    failed: Sequence[FailedFact],
    place: Callable[[str], str],
) -> Finding:
    """Field, found value, expected value, and the source's own dimensions."""
    name = f"claim {check.claim.value} of rule {relation.rule}"
    if not failed:
        message = f"{name} is {status.value}: {evidence.reason or 'no decision'}"
        refutes = status is Status.REFUTED
        path = place(relation.names[0])
        return Finding(code=f"claim.{status.value}", message=message, path=path, refutes=refutes, relation=relation.id)
    first, values = failed[0], evidence.counterexample
    more = f" (and {len(failed) - 1} more fields)" if len(failed) > 1 else ""
    where = ", ".join(f"{symbol} = {values[symbol]}" for symbol in _symbols(first.expression, values))
    computed = f" = {first.expression}" if first.expression != first.expected else ""
    message = f"{name} is refuted: {plain(first.field)} is {first.found}, should be {first.expected}{computed}"
    message += f" with {where}" if where else ""
    message += "".join(f"; {each}" for each in _membership(failed))
    path = place(first.field)
    return Finding(code=f"claim.{check.claim.value}", message=message + more, path=path, relation=relation.id)


def _membership(failed: Sequence[FailedFact]) -> Iterator[str]:
    """What lists of names lack or have too much: one that is missing shifts all that are compared by position."""
    lists: dict[str, list[FailedFact]] = {}
    for fact in failed:
        if fact.field.endswith("]"):
            lists.setdefault(fact.field.rpartition("[")[0], []).append(fact)
    counts = {fact.field.removesuffix(" count"): fact for fact in failed if fact.field.endswith(" count")}
    for field in [each for each in lists if each in counts]:
        found = Counter(each.found for each in lists[field])
        expected = Counter(each.expected for each in lists[field])
        # Of a list that is too long the end is compared with nothing: what seems to be lacking may stand there.
        longer = int(counts[field].found) > int(counts[field].expected)
        lacks = () if longer else expected - found
        has = [each for each in found - expected if each != "nothing"]
        yield from (f"{plain(field)} lacks {name}" for name in lacks)
        yield from (f"{plain(field)} should not have {name}" for name in has)


def law_finding(check: LawCheck, status: Status, decided: tuple[Evidence, Obligation] | None, path: str) -> Finding:
    """Both sides of the law at this derivation's bindings."""
    law = f"{check.id} ({check.form})"
    name = f"law {law}, {check.statement},"
    if decided is None:
        message = f"{name} has no member in its group, where {check.expected_members} are expected"
        return Finding(code="law.vacuous", message=message, path=path, refutes=False, law=law)
    evidence, obligation = decided
    if status is not Status.REFUTED:
        message = f"{name} is {status.value}: {evidence.reason or 'no decision'}"
        return Finding(code=f"law.{status.value}", message=message, path=path, refutes=False, law=law)
    code = f"law.{check.id}"
    if check.members != check.expected_members:
        message = f"{name} is refuted: its group has {check.members} tasks, should have {check.expected_members}"
        return Finding(code=code, message=message, path=path, law=law)
    values = evidence.counterexample
    goal = next((each for each in obligation.goal if not holds(each, values)), obligation.goal[0])
    left, right = (evaluate(side, values) for side in (goal.left, goal.right))
    should = "should be" if goal.relation is Relation.EQUAL else "may be at most"
    shown = {plain(show(goal.left)), plain(show(goal.right))}
    where = ", ".join(f"{symbol} = {value}" for symbol, value in values.items() if symbol not in shown)
    message = f"{name} is refuted: {_valued(goal.left, left)}, {should} {_valued(goal.right, right)}"
    return Finding(code=code, message=f"{message} with {plain(where)}" if where else message, path=path, law=law)


def _valued(side: Term, value: int) -> str:
    """A side of a comparison and its value, once where it is a number."""
    return str(value) if isinstance(side, Const) else f"{plain(show(side))} = {value}"


def _symbols(expression: str, values: Mapping[str, int]) -> list[str]:
    """The given values that an expression mentions, in order of first use."""
    parts = expression.replace("(", " ").replace(")", " ").replace("*", " ").replace("+", " ").split()
    return [name for name in dict.fromkeys(parts) if name in values]
