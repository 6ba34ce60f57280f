"""A relation in full, as text and as Markdown, and the file by which anybody can ask a solver the same question."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from blueprint.outcome import ObligationRow, Status
from blueprint.report import table
from blueprint.report.explanation import ClaimExplained, Explanation, FactRow, LawExplained, QuestionRow
from blueprint.report.markdown import code
from blueprint.report.text import short
from blueprint.words import plain

FACTS: Final = 60
"""Most fields of one claim that are shown; the rest is counted."""

LINES: Final = 120
"""Most lines of one question that are shown; the rest is counted, and stands in the file."""

WIDE: Final = 2000


def text(explanations: Sequence[Explanation]) -> str:
    """Plain lines, a blank one between relations."""
    return "\n".join("".join(f"{line}\n" for line in _text(each)) for each in explanations)


def markdown(explanations: Sequence[Explanation]) -> str:
    """The same with the laws as mathematics; whatever a bundle names stands in code."""
    return "\n".join("".join(f"{line}\n" for line in _markdown(each)) for each in explanations)


def question_file(row: ObligationRow, question: QuestionRow) -> bytes:
    """A question as an SMT-LIB2 file: what it is about as comments, an empty line, and the text that was solved."""
    lines = [
        f"Blueprint asked this of its deciders: {plain(row.statement, WIDE)}",
        f"They said: {plain(row.solver)}; {plain(row.second)}.",
        "What is claimed follows exactly if a solver answers unsat; sat means that it does not, and unknown nothing.",
        f"Below the empty line stand the bytes with the SHA-256 {plain(row.digest)}.",
        *(f"{plain(variable)} is {plain(name)}" for variable, name in question.symbols.items()),
    ]
    return "".join(f"; {line}\n" for line in lines).encode("ascii") + b"\n" + question.text.encode("ascii")


# Text ---------------------------------------------------------------------------------------------------------------


def _text(each: Explanation) -> Iterator[str]:
    """What the relation is, the laws of its rule, its claims, and how to ask again."""
    relation = each.relation
    yield f"statement: this relation is part of what {_follows(each)} from"
    yield from (f"  {plain(section)}: {_pairs(values)}" for section, values in each.bindings.items())
    yield f"verdict on the bundle: {each.verdict.value.replace('_', ' ')}, sha256 {plain(each.bundle_sha256)}"
    yield f"{plain(relation.id)}"
    yield f"  rule: {plain(relation.transform)}, {plain(relation.cardinality)}, {_boundary(each)}"
    if each.rewrite:
        yield f"  rewrite: {plain(each.rewrite, WIDE)}"
    yield f"  from: {_list(each.sources)}"
    yield f"  to: {_list(relation.names)}"
    for law in each.laws:
        yield from _law_text(law)
    for claim in _failing_first(each):
        yield from _claim_text(claim)
    yield from _by_hand(each)


def _failing_first(each: Explanation) -> list[ClaimExplained]:
    """The claims, those that are not established before the others."""
    return sorted(each.claims, key=lambda claim: claim.status in {Status.PROVED, Status.CHECKED})


def _follows(each: Explanation) -> str:
    return "follows" if each.verdict.value == "verified" else "should follow"


def _pairs(values: Mapping[str, str]) -> str:
    ordered = sorted(values, key=lambda key: (key != "name", key))
    return ", ".join(f"{plain(key)} = {plain(values[key])}" for key in ordered)


def _boundary(each: Explanation) -> str:
    branch = f" ({plain(each.branch)})" if each.branch else ""
    return f"{plain(each.source)} -> {plain(each.target)}{branch} by {plain(each.derivation_pass)}"


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(plain(name) for name in names[:FACTS])
    return f"{shown} and {len(names) - FACTS} more" if len(names) > FACTS else shown or "nothing"


def _law_text(law: LawExplained) -> Iterator[str]:
    yield f"law {plain(law.id)} ({plain(law.form)}): {law.status.value}"
    yield f"  {plain(law.statement, WIDE)}"
    yield f"  source: {plain(law.source, WIDE)}"
    yield from (f"  in full: {equation}" for equation in law.equations)
    yield f"  over: {plain(law.group, WIDE)}"
    if law.question is None:
        return
    which = f", the first of {law.instances} that differ" if law.instances != "1" else ""
    yield from (f"  with numbers{which}: {line}" for line in law.instance)
    yield f"  where {plain(_values(law.values), WIDE)}"
    yield f"  decided by {_answers(law.question.answer)}"


def _values(values: Mapping[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items()) or "nothing is given"


def _claim_text(claim: ClaimExplained) -> Iterator[str]:
    yield f"claim {plain(claim.kind)}: {claim.status.value}"
    head = ("field", "found", "expected", "", "because")
    rows = [(fact.field, fact.found, fact.expected, _mark(fact), _because(fact)) for fact in claim.facts[:FACTS]]
    if rows:
        yield from table.lines(head, rows)
    if len(claim.facts) > FACTS:
        yield f"  and {len(claim.facts) - FACTS} more fields, which hold if those above do"
    question = claim.question
    yield "  hypotheses:" if question.hypotheses else "  hypotheses: none"
    yield from (f"    {plain(line, WIDE)}" for line in question.hypotheses[:LINES])
    if len(question.hypotheses) > LINES:
        yield f"    and {len(question.hypotheses) - LINES} more"
    yield f"  decided by {_answers(question.answer)}"
    yield f"  question {plain(question.answer.digest)}, in SMT-LIB2:"
    lines = question.text.splitlines() or ["too large to be stated"]
    yield from (f"    {plain(line, WIDE)}" for line in lines[:LINES])
    if len(lines) > LINES:
        yield f"    and {len(lines) - LINES} more lines, which --smt2 writes"


def _mark(fact: FactRow) -> str:
    return "" if fact.holds else "FALSE"


def _because(fact: FactRow) -> str:
    return f"{fact.expression} = {fact.numbers}" if fact.expression else ""


def _answers(row: ObligationRow) -> str:
    """What each decider said, within which budget."""
    cross = f"; cross-check: {plain(row.cross)}" if row.cross else ""
    reason = f"; not decided: {plain(row.reason)}" if row.reason else ""
    shared = f"; {plain(row.shared)} claims and law instances ask this" if row.shared != "1" else ""
    return f"{plain(row.solver)} within {plain(row.budget)} steps; {plain(row.second)}{cross}{reason}{shared}"


def _by_hand(each: Explanation) -> Iterator[str]:
    first = next(iter(_failing_first(each)), None)
    if first is None:
        return
    yield "to ask any other solver, without Blueprint:"
    yield f"  blueprint report BUNDLE --smt2 {short(first.question.answer.digest)} -o question.smt2"
    yield "  z3 question.smt2    # or: cvc5 question.smt2; unsat: it follows, sat: it does not"


# Markdown -----------------------------------------------------------------------------------------------------------


def _markdown(each: Explanation) -> Iterator[str]:
    relation = each.relation
    yield f"# Relation {code(short(relation.id))}"
    yield ""
    yield f"Part of what {_follows(each)} from:"
    yield ""
    yield from ("| binding | values |", "| --- | --- |")
    yield from (f"| {code(section)} | {code(_pairs(values), WIDE)} |" for section, values in each.bindings.items())
    yield ""
    yield f"Verdict on the bundle: {each.verdict.value.replace('_', ' ')}, sha256 {code(each.bundle_sha256)}."
    yield ""
    yield f"Rule {code(relation.transform)}, {code(relation.cardinality)}, {code(_boundary(each), WIDE)}."
    if each.rewrite:
        yield f"Rewrite: {code(each.rewrite, WIDE)}."
    yield f"From {code(_list(each.sources), WIDE)} to {code(_list(relation.names), WIDE)}."
    for law in each.laws:
        yield from _law_markdown(law)
    for claim in _failing_first(each):
        yield from _claim_markdown(claim)
    yield from ("", "To ask any other solver, without Blueprint:", "")
    yield from (f"    {line.strip()}" for line in list(_by_hand(each))[1:])


def _law_markdown(law: LawExplained) -> Iterator[str]:
    yield from ("", f"## Law {code(law.id)} ({code(law.form)}): {law.status.value}", "")
    yield f"{code(law.statement, WIDE)}. Source: {code(law.source, WIDE)}. Over: {code(law.group, WIDE)}."
    for formula in law.latex:
        yield from ("", f"$${formula}$$")
    if law.question is None:
        return
    yield from ("", "With the numbers of this plan:", "")
    yield from (f"- {code(line, WIDE)}" for line in law.instance)
    yield from ("", f"where {code(_values(law.values), WIDE)}. Decided by {code(_answers(law.question.answer), WIDE)}.")


def _claim_markdown(claim: ClaimExplained) -> Iterator[str]:
    yield from ("", f"## Claim {code(claim.kind)}: {claim.status.value}", "")
    yield from ("| field | found | expected | holds | because |", "| --- | --- | --- | --- | --- |")
    for fact in claim.facts[:FACTS]:
        cells = (code(fact.field), code(fact.found), code(fact.expected), "yes" if fact.holds else "**no**")
        yield f"| {' | '.join(cells)} | {code(_because(fact), WIDE)} |"
    if len(claim.facts) > FACTS:
        yield from ("", f"and {len(claim.facts) - FACTS} more fields, which hold if those above do.")
    question = claim.question
    yield from ("", "Hypotheses:", "")
    yield from (f"- {code(line, WIDE)}" for line in question.hypotheses[:LINES])
    if len(question.hypotheses) > LINES:
        yield f"- and {len(question.hypotheses) - LINES} more"
    yield from ("", f"Decided by {code(_answers(question.answer), WIDE)}.", "")
    yield f"Question {code(question.answer.digest)} in SMT-LIB2:"
    lines = question.text.splitlines() or ["too large to be stated"]
    shown = [plain(line, WIDE) for line in lines[:LINES]]
    if len(lines) > LINES:
        shown.append(f"; and {len(lines) - LINES} more lines, which --smt2 writes")
    yield ""
    # Indented: nothing inside can end it, as it could end a fence.
    yield textwrap.indent("\n".join(shown), "    ")
