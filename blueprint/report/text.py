"""The report as text for people: plain ASCII lines, never wrapped, and nothing that a terminal would obey.

The statement comes first and the counts last, so that neither end of a long report can be misread.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from blueprint.causes import Weight, causes
from blueprint.outcome import (
    ClaimRow,
    CoverageRow,
    FailedFact,
    Finding,
    LawRow,
    ObligationRow,
    Outcome,
    RelationRow,
    Report,
    Status,
    TheoremStatus,
    TransitionReport,
)
from blueprint.report import table
from blueprint.report.subjects import Examined, count, count_of, covered, final_line, unsummed, words_of
from blueprint.words import plain

SHOWN: Final = 20
"""The most findings, and the most refuted claims, that are shown; the rest is counted."""

SENTENCE: Final = 480
"""Most characters of a sentence or an expression."""

SHORT: Final = 16
"""Characters of an id or a digest that stand for the whole."""

_OPERATORS: Final = re.compile(r"[\s()*+-]+")
"""What stands between the names of an expression."""

_WORD: Final = re.compile(r"\A[A-Za-z0-9_./+-]+\Z")

Paint = Callable[[str, Outcome], str]
"""Colours the verdict word. Nothing else is ever coloured."""

_SECTIONS: Final = ("model", "workload", "strategy", "target", "deployment", "scope")


def unpainted(word: str, outcome: Outcome) -> str:  # noqa: ARG001  (a Paint)
    """The word as it is: for files, pipes and people who asked for no colour."""
    return word


def render_all(subjects: Sequence[Examined], *, evidence: bool = False, paint: Paint = unpainted) -> str:
    """One report after the other; of several, a table and their counts together at the end."""
    texts = [render(each.report, name=each.name, evidence=evidence, paint=paint) for each in subjects]
    if len(subjects) != 1:
        texts.append("".join(f"{line}\n" for line in _together(subjects)))
    return "\n".join(texts)


def render(report: Report, *, name: str = "", evidence: bool = False, paint: Paint = unpainted) -> str:
    """The whole report, with the evidence for each relation if asked. `name` is what the user called the subject."""
    parts = (
        _statement(report, name),
        _verdict(report, paint),
        _stages(report),
        _totals(report),
        _memory(report),
        _bound(report),
        *(_transition(each, report, evidence=evidence) for each in report.transitions),
        _definitions(report),
        _findings(report),
        _counterexamples(report),
        _selected(report),
        [final_line([report])],
    )
    return "".join(f"{line}\n" for part in parts for line in part)


def _statement(report: Report, name: str) -> Iterator[str]:
    """The bindings: what the verdict is about."""
    about = f" ({plain(name)})" if name else ""
    bindings = report.subject.bindings
    if not bindings:
        yield f"statement{about}: none, because the bindings could not be read"
        return
    yield f"statement{about}: " + (
        "this derivation follows from" if report.ok else "this derivation should follow from"
    )
    for section in sorted(bindings, key=_section_order):
        yield f"  {plain(section)}: {_pairs(bindings[section])}"


def _section_order(section: str) -> tuple[int, str]:
    known = _SECTIONS.index(section) if section in _SECTIONS else len(_SECTIONS)
    return known, section


def _pairs(values: Mapping[str, str]) -> str:
    """Names and values, the subject's own name first."""
    ordered = sorted(values, key=lambda key: (key != "name", key))
    return " ".join(f"{_quoted(key)}={_quoted(values[key])}" for key in ordered)


def _quoted(word: str) -> str:
    """A plain word as it is; any other in quotes, so that it cannot pass for two bindings."""
    shown = plain(word)
    return shown if _WORD.match(shown) else '"' + shown.replace('"', "'") + '"'


def foreign_rulebook(digest: str) -> str:
    """The warning that stands beside a verdict under another rulebook than the shipped one."""
    return f"rulebook: NOT SHIPPED {plain(digest)}".rstrip()


def _unproved(report: Report) -> str:
    """How many laws hold in this plan and are not known to hold for all: no recorded proof speaks of them."""
    absent = {
        law.id for transition in report.transitions for law in transition.laws if law.theorem is TheoremStatus.ABSENT
    }
    return f"; {len(absent)} {'law' if len(absent) == 1 else 'laws'} NOT PROVED: run blueprint prove" if absent else ""


def _verdict(report: Report, paint: Paint) -> Iterator[str]:
    """The verdict line, then what decided and which bytes were read."""
    tool, subject = report.tool, report.subject
    foreign = "" if tool.shipped else f"; {foreign_rulebook(tool.rules_digest)}"
    yield f"verdict: {paint(words_of(report.verdict), report.verdict)}{foreign}{_unproved(report)}"
    yield from _first_wrong(report)
    solvers = "".join(f", {plain(solver)}" for solver in tool.solvers)
    revision = f"rulebook {plain(tool.rulebook_revision or 'unknown')}"
    yield f"tool: blueprint {plain(tool.version)}, {revision} {plain(tool.rules_digest)}".rstrip() + solvers
    if tool.replaced:
        yield f"replaced rules: {', '.join(map(plain, tool.replaced))}"
    if subject.bundle_sha256:
        yield f"bundle: sha256 {plain(subject.bundle_sha256)}"
    if subject.derivation_digest:
        yield f"derivation: {plain(subject.derivation_digest)}"


def _first_wrong(report: Report) -> Iterator[str]:
    """What to mend first, and how much else was found."""
    found = causes(report)
    if found.first is None:
        return
    yield f"first: {first_line(found.first, found.fact)}"
    if len(report.diagnostics) == 1:
        return
    numbers = {weight: len(found.findings[weight]) for weight in Weight}
    rest = [f"{numbers[weight]} {weight.value}" for weight in Weight if numbers[weight]]
    yield f"  of {len(report.diagnostics)} findings: {'; '.join(rest)}"


def first_line(finding: Finding, fact: FailedFact | None) -> str:
    """The place of a finding and what is wrong there, without the number's derivation."""
    place = plain(finding.path, SENTENCE)
    if fact is None:
        return f"{place + ': ' if place else ''}{plain(finding.message, SENTENCE)}"
    return f"{place}: found {plain(fact.found)}, expected {plain(fact.expected)}"


def _stages(report: Report) -> Iterator[str]:
    """Every stage: its digest, or why there is none."""
    for stage in report.subject.stages:
        branch = f" ({plain(stage.branch)})" if stage.branch else ""
        held = f"{plain(stage.digest)}, {plain(stage.entities)} entities"
        yield f"stage {plain(stage.stage)}{branch}: " + (
            f"unavailable: {plain(stage.unavailable, SENTENCE)}" if stage.unavailable else held
        )


def _totals(report: Report) -> Iterator[str]:
    """The numbers that the verdict is about."""
    for branch, rows in groupby(report.subject.totals, lambda row: row.branch):
        established = "" if report.ok else ", as the bundle has them"
        yield f"work of one rank, for {covered(report)} and {_unit(branch)}{established}:"
        head = ("phase", "tasks", "operations", "bytes read", "bytes written", "message bytes")
        cells = [
            (row.phase, row.tasks, row.operations, row.read_bytes, row.write_bytes, row.message_bytes) for row in rows
        ]
        yield from table.lines(head, cells)


def _memory(report: Report) -> Iterator[str]:
    """What one rank holds."""
    for row in report.subject.memory:
        established = "" if report.ok else ", as the bundle has it"
        heading = f"memory of one rank, for {covered(report)} and {_unit(row.branch)}{established}"
        yield f"{heading}, in bytes{unsummed(row.facts)}:"
        yield from table.lines((*row.facts, "in all"), [(*row.facts.values(), row.total)])


def _bound(report: Report) -> Iterator[str]:
    """What each plan became on the target."""
    for row in report.subject.bound:
        established = "" if report.ok else ", as the bundle has it"
        yield f"bound to {plain(row.target)}, for {covered(report)} and {_unit(row.branch)}{established}, in bytes:"
        head = ("devices", "commands", "instructions", "buffers", "workspace", "end of the last buffer", "capacity")
        held = (row.devices, row.commands, row.instructions, row.buffers, row.workspace, row.extent, row.capacity)
        yield from table.lines(head, [held])


def _unit(branch: str) -> str:
    """What the numbers of a branch are for."""
    return f"one step of {plain(branch)}" if branch else "one microbatch"


def _transition(transition: TransitionReport, report: Report, *, evidence: bool) -> Iterator[str]:
    """One line of facts, then the laws, then the evidence for each relation if it is asked for."""
    branch = f" ({plain(transition.branch)})" if transition.branch else ""
    claims = Counter(claim.status for relation in transition.relations for claim in relation.claims)
    laws = Counter(law.status for law in transition.laws)
    yield (
        f"transition {plain(transition.source)} -> {plain(transition.target)}{branch}"
        f" by {plain(transition.derivation_pass)}: "
        f"relation_verified={_yes_or_no(transition.relation_verified)}"
        f" canonical_conformant={_yes_or_no(transition.canonical_conformant)}"
        f" coverage={_coverage(transition.coverage)}"
        f" relations={len(transition.relations)} claims: {_by_word(claims)}"
        f"{f' laws: {_by_word(laws)}' if laws else ''}{' (selected)' if report.selection else ''}"
    )
    if transition.laws:
        head = ("law", "form", "members", "status", "theorem", "statement")
        yield from table.lines(head, _laws(transition.laws, report.obligations))
        behind = Counter(law.theorem for law in transition.laws if law.status is not Status.NOT_APPLICABLE)
        listed = ", ".join(
            f"{behind[status]} {status.value}" for status in TheoremStatus if status is not TheoremStatus.NONE
        )
        yield f"  theorems behind these laws, not counted as proved by this run: {listed}"
    if evidence:
        for each in transition.relations:
            yield from _evidence(each, report.obligations)


def _evidence(relation: RelationRow, obligations: tuple[ObligationRow, ...]) -> Iterator[str]:
    """One relation: its claims, each with the obligation that decides it and what both deciders say."""
    rule = f"{plain(relation.transform)}, {plain(relation.cardinality)}"
    yield f"  relation {short(relation.id)} by {rule}: {_names(relation)}"
    head = ("claim", "status", "obligation", "shared", "solver", "second decider")
    rows = [
        (claim.kind, claim.status.value, short(row.digest), row.shared, row.solver, row.second)
        for claim in relation.claims
        for row in (obligations[claim.obligation],)
    ]
    if rows:
        yield from table.lines(head, rows, indent="    ")
    else:
        yield "    no claim"


def _yes_or_no(fact: bool | None) -> str:  # noqa: FBT001  (a fact, not a switch)
    return "not-run" if fact is None else ("yes" if fact else "NO")


def _coverage(coverage: CoverageRow) -> str:
    if coverage.exact:
        return "exact"
    counts = ("missing", "dangling", "undeclared", "mismatched")
    return f"NOT-EXACT ({', '.join(f'{plain(getattr(coverage, count))} {count}' for count in counts)})"


def _by_word(statuses: Mapping[Status, int]) -> str:
    """Counts by verdict word, in the order of the words; the words are never merged."""
    return ", ".join(f"{statuses[status]} {status.value}" for status in Status if statuses.get(status)) or "none"


def _laws(laws: Iterable[LawRow], obligations: Sequence[ObligationRow]) -> list[tuple[str, ...]]:
    """One row for neighbouring forms of a law that fared alike."""
    rows = []
    for (name, *facts), forms in groupby(laws, lambda law: _law(law, obligations)):
        rows.append((name, ", ".join(law.form for law in forms), *facts))
    return rows


def _law(law: LawRow, obligations: Sequence[ObligationRow]) -> tuple[str, ...]:
    members = f"{law.members} of {law.expected_members}"
    theorem = "-" if law.theorem is TheoremStatus.NONE else law.theorem.value
    return law.id, members, law_status(law, obligations), theorem, law.statement


def law_status(law: LawRow, obligations: Sequence[ObligationRow]) -> str:
    """The verdict word; of a law that is asked of several members apart, how many questions it is the answer to."""
    asked = [obligations[position].verdict for position in law.obligations]
    if law.status is not Status.REFUTED or len(asked) < 2:
        return law.status.value
    return f"{law.status.value}, {asked.count(law.status)} of {len(asked)} questions"


def _definitions(report: Report) -> Iterator[str]:
    if report.definitions:
        yield f"definitions: {len(report.definitions)} (coefficients that are chosen, not derived; listed in the json)"


def _findings(report: Report) -> Iterator[str]:
    """The diagnostics, those to mend first before what may follow from them; most specific first in each."""
    if not report.diagnostics:
        return
    yield f"findings: {len(report.diagnostics)}"
    found = {weight: findings for weight, findings in causes(report).findings.items() if findings}
    for weight, findings in found.items():
        indent = "  "
        if len(found) > 1:
            yield f"  {len(findings)} {weight.value}:"
            indent = "    "
        yield from first(f"{indent}{_finding(each)}" for each in findings)


def _finding(finding: Finding) -> str:
    place = plain(finding.path, SENTENCE) + ": " if finding.path else ""
    return f"{plain(finding.code)}: {place}{plain(finding.message, SENTENCE)}"


def _counterexamples(report: Report) -> Iterator[str]:
    """Every refuted claim with what was found, what its rule asks for, and the numbers behind it."""
    refuted = [
        (relation, claim, transition.laws)
        for transition in report.transitions
        for relation in transition.relations
        for claim in relation.claims
        if claim.status is Status.REFUTED
    ]
    if refuted:
        yield f"refuted claims: {len(refuted)}"
        yield from first("\n".join(_refuted(*each, report.obligations)) for each in refuted)
        yield "  `blueprint report BUNDLE --explain RELATION` shows the law, its numbers and the solver's question"


def _refuted(
    relation: RelationRow, claim: ClaimRow, laws: tuple[LawRow, ...], obligations: tuple[ObligationRow, ...]
) -> Iterator[str]:
    """One refuted claim in several lines: the relation, the laws of its rule, and each false field."""
    yield f"  {plain(claim.kind)} of {plain(relation.transform)}: {_names(relation)} (relation {short(relation.id)})"
    for law, statement in refuted_laws(relation, laws):
        yield f"    law {plain(law)}, refuted with it: {plain(statement, SENTENCE)}"
    example = obligations[claim.obligation].counterexample
    if example is None:
        return
    for fact in claim.failed:
        expression = f" = {plain(fact.expression, SENTENCE)}" if fact.expression != fact.expected else ""
        yield f"    {plain(fact.field)}: found {plain(fact.found)}, expected {plain(fact.expected)}{expression}"
    values = relevant(example.values, claim.failed)
    if values:
        yield f"    with {', '.join(f'{plain(key)} = {plain(value)}' for key, value in values.items())}"


def refuted_laws(relation: RelationRow, laws: Iterable[LawRow]) -> Iterator[tuple[str, str]]:
    """The laws of a relation's rule that fail as well, once for forms that say the same."""
    mine = [law for law in laws if law.rule == relation.transform and law.status is Status.REFUTED]
    return iter(dict.fromkeys((law.id, law.statement) for law in mine))


def _names(relation: RelationRow) -> str:
    """The entities that a relation made, as many as a line holds."""
    return ", ".join(plain(each) for each in relation.names[:4]) + (", ..." if len(relation.names) > 4 else "")


def short(identity: str) -> str:
    """The beginning of an id or a digest, which commands take in its place."""
    return plain(identity.rpartition(":")[2][:SHORT])


def _selected(report: Report) -> Iterator[str]:
    """That a report does not show everything, and how much it shows."""
    if report.selection:
        shown = sum(len(each.relations) for each in report.transitions)
        laws = sum(len(each.laws) for each in report.transitions)
        asked = " ".join(plain(option) for option in report.selection)
        summary = report.summary
        yield (
            f"selected by {plain(asked, SENTENCE)}: {shown} of {plain(summary.relations)} relations,"
            f" {laws} of {plain(summary.laws)} law instances; all findings and counts are shown"
        )


def _together(subjects: Sequence[Examined]) -> Iterator[str]:
    """Every bundle with its verdict, and the counts of all."""
    reports = [each.report for each in subjects]
    if subjects:
        yield f"bundles: {len(subjects)}"
        head = ("verdict", "relations", "claims", "laws", "obligations", "refuted", "unknown", "bundle")
        rows = [
            (
                words_of(report.verdict),
                *(count([report], field) for field in ("relations", "claims", "laws", "obligations")),
                *(count_of([report], status) for status in (Status.REFUTED, Status.UNKNOWN)),
                each.name,
            )
            for each in subjects
            for report in (each.report,)
        ]
        yield from table.lines(head, rows)
    yield final_line(reports)


def relevant(values: Mapping[str, str], failed: Iterable[FailedFact]) -> Mapping[str, str]:
    """The values that the expected expressions speak of: the model's own dimensions, not the plan's fields."""
    named = {name for fact in failed for name in _OPERATORS.split(fact.expression)}
    return {name: value for name, value in sorted(values.items()) if name in named}


def first(entries: Iterable[str]) -> Iterator[str]:
    """The first entries, and how many more there are."""
    rest = 0
    for number, entry in enumerate(entries):
        if number < SHOWN:
            yield entry
        else:
            rest += 1
    if rest:
        yield f"  and {rest} more"
