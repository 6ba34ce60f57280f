"""Markdown for a pull request or a step's summary: the verdict first, then what is wrong, then everything else.

Whatever a bundle names stands in a code span, where no renderer finds markup, a mention or a link. What a span cannot
hold, and what would end a table's cell, is written as an escape. A document stays below a limit, and says how much of
what it left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from blueprint.causes import Causes, causes
from blueprint.outcome import (
    ClaimRow,
    FailedFact,
    LawRow,
    RelationRow,
    Report,
    Status,
    TheoremStatus,
    TransitionReport,
)
from blueprint.report.subjects import Examined, count, count_of, final_line, together, unsummed, words_of
from blueprint.report.text import first_line, foreign_rulebook, law_status, refuted_laws, relevant, short
from blueprint.words import plain

ROWS: Final = 200
"""Most rows on what is wrong with one bundle: one in which everything is wrong must leave room for the others."""

LIMIT: Final = 1_000_000
"""Most bytes of a document, all ASCII: GitHub takes no step summary above 1 MiB."""

_CLOSING: Final = 2_000
"""Bytes that are kept free for the last lines."""

_SENTENCE: Final = 600


class _Page:
    """Lines up to a limit. What does not fit is counted by what it is, and nothing is cut in its middle."""

    def __init__(self, limit: int) -> None:
        self.room = limit
        self.lines: list[str] = []
        self.cut: Counter[str] = Counter()

    def add(self, *lines: str) -> bool:
        """Add lines together, if they fit."""
        size = sum(len(line) + 1 for line in lines)
        if size > self.room:
            return False
        self.room -= size
        self.lines += lines
        return True

    def table(self, what: str, head: Sequence[str], rows: Iterable[Sequence[str]], most: int | None = None) -> None:
        """A table with as many rows as fit, or at most so many; the others are counted as `what`."""
        every = list(rows)
        rest = every[:most]
        if len(every) > len(rest):
            self.cut[what] += len(every) - len(rest)
        if not rest:
            return
        opening = ("", _row(head), _row(["---"] * len(head)))
        first = _row(rest[0])
        if not self.add(*opening, first):
            self.cut[what] += len(rest)
            return
        for number, row in enumerate(rest[1:], 1):
            if not self.add(_row(row)):
                self.cut[what] += len(rest) - number
                return


def render(subjects: Sequence[Examined], *, evidence: bool = False, limit: int = LIMIT) -> str:
    """One document about all subjects, with the evidence for each relation if it is asked for."""
    page = _Page(limit - _CLOSING)
    reports = [each.report for each in subjects]
    page.add(f"# Blueprint: {words_of(together(reports))}", "", _plain_line(final_line(reports)))
    if len(subjects) != 1:
        head = ("bundle", "verdict", "relations", "claims", "laws", "obligations", "refuted", "unknown")
        page.table("bundles", head, map(_overview, subjects))
        wrong = [(each, causes(each.report)) for each in subjects if each.report.diagnostics]
        rows = [(code(each.name), _first(found)) for each, found in wrong]
        page.table("bundles", ("bundle", "to mend first"), rows)
    # What is wrong with any bundle comes before the details of the first.
    for each in subjects:
        _verdict(page, each, several=len(subjects) > 1)
    for each in subjects:
        _details(page, each, evidence=evidence, several=len(subjects) > 1)
    closing = [
        f"{number} {what} are left out: the document stays below {limit} bytes, with room for every bundle."
        for what, number in page.cut.items()
    ]
    page.room += _CLOSING
    for line in closing:
        page.add("", line)
    return "".join(f"{line}\n" for line in page.lines)


def code(text: object, limit: int = 120) -> str:
    r"""Foreign text as a code span: printable ASCII, a back quote as \x60 and a bar as \x7c."""
    shown = plain(text, limit).replace("`", r"\x60").replace("|", r"\x7c").strip()
    return f"`{shown}`" if shown else "-"


def _overview(subject: Examined) -> list[str]:
    report = subject.report
    counts = [str(count([report], field)) for field in ("relations", "claims", "laws", "obligations")]
    statuses = [str(count_of([report], status)) for status in (Status.REFUTED, Status.UNKNOWN)]
    return [code(subject.name), words_of(report.verdict), *counts, *statuses]


def _verdict(page: _Page, subject: Examined, *, several: bool) -> None:
    """The statement, the verdict on it, and everything that speaks against it."""
    report = subject.report
    if several and report.ok:
        return
    if not page.add("", f"## {code(subject.name)}: {words_of(report.verdict)}"):
        # Without its heading, what follows would stand under the bundle before it.
        page.cut["sections on bundles"] += 1
        return
    _statement(page, report)
    _wrong(page, report)


def _statement(page: _Page, report: Report) -> None:
    tool = report.tool
    if not tool.shipped:
        page.add("", f"**{_plain_line(foreign_rulebook(tool.rules_digest))}**")
    absent = {law.id for each in report.transitions for law in each.laws if law.theorem is TheoremStatus.ABSENT}
    if absent:
        page.add("", f"**{len(absent)} laws are not proved: run `blueprint prove`**")
    bindings = report.subject.bindings
    if bindings:
        follows = "follows" if report.ok else "should follow"
        page.add("", f"This derivation {follows} from:")
        rows = [(code(section), ", ".join(_pairs(values.items()))) for section, values in bindings.items()]
        page.table("bindings", ("binding", "values"), rows)
    else:
        page.add("", "The bindings could not be read.")


def _pairs(values: Iterable[tuple[str, str]]) -> Iterator[str]:
    for key, value in sorted(values, key=lambda pair: (pair[0] != "name", pair[0])):
        yield code(f"{plain(key)}={plain(value)}", 260)


def _wrong(page: _Page, report: Report) -> None:
    """Every refuted claim with its fields, then every finding."""
    refuted = [
        (relation, claim, transition)
        for transition in report.transitions
        for relation in transition.relations
        for claim in relation.claims
        if claim.status is Status.REFUTED
    ]
    found = causes(report)
    if found.first is not None:
        page.add("", f"**First: {_first(found)}**")
    fields = [row for each in refuted for row in _false_fields(*each, report)]
    if fields:
        page.add("", "### Refuted claims")
        head = ("field", "found", "expected", "because", "at", "claim", "rule", "law", "relation")
        page.table("false fields", head, fields, ROWS)
    if report.diagnostics:
        page.add("", f"### Findings: {len(report.diagnostics)}")
    for weight, findings in found.findings.items():
        rows = [(code(each.code), code(each.path, 240), code(each.message, _SENTENCE)) for each in findings]
        if rows:
            page.add("", f"{len(rows)} {weight.value}:")
            page.table("findings", ("code", "place", "finding"), rows, ROWS)


def _first(found: Causes) -> str:
    """What to mend first, as code."""
    return code(first_line(found.first, found.fact), _SENTENCE) if found.first is not None else "-"


def _false_fields(
    relation: RelationRow, claim: ClaimRow, transition: TransitionReport, report: Report
) -> Iterator[list[str]]:
    """One row for each false field: both values, the term, the values in it, and where they come from."""
    example = report.obligations[claim.obligation].counterexample
    values = example.values if example is not None else {}
    laws = [f"{law}: {statement}" for law, statement in refuted_laws(relation, transition.laws)]
    stated = "; ".join(code(law, 240) for law in laws) or "-"
    ending = [code(claim.kind), code(relation.transform), stated, code(short(relation.id))]
    for fact in claim.failed or (FailedFact(field=relation.names[0], found="", expected="", expression=""),):
        named = ", ".join(f"{key} = {value}" for key, value in relevant(values, [fact]).items())
        because = code(fact.expression, _SENTENCE) if fact.expression != fact.expected else "-"
        yield [code(fact.field), code(fact.found), code(fact.expected), because, code(named, _SENTENCE), *ending]


def _details(page: _Page, subject: Examined, *, evidence: bool, several: bool) -> None:
    """What was established: stages, numbers, transitions and laws; with evidence, every relation."""
    report = subject.report
    if not report.transitions:
        return
    if several and report.ok:
        if not page.add("", f"## {code(subject.name)}: {words_of(report.verdict)}"):
            page.cut["sections on bundles"] += 1
            return
        _statement(page, report)
    if not page.add("", f"### What was examined in {code(subject.name)}"):
        page.cut["sections on bundles"] += 1
        return
    _numbers(page, report)
    head = ("transition", "pass", "relation verified", "canonical conformant", "coverage", "relations", "claims")
    page.table("transitions", head, map(_transition, report.transitions))
    for each in report.transitions:
        _laws(page, each, report)
    if evidence:
        for each in report.transitions:
            _relations(page, each, report)
    if report.selection:
        asked = " ".join(plain(option) for option in report.selection)
        page.add("", f"Relations and laws are those of {code(asked, _SENTENCE)}; findings and counts are all.")


def _numbers(page: _Page, report: Report) -> None:
    established = "" if report.ok else ", as the bundle has it"
    head = ("branch", "phase", "tasks", "operations", "bytes read", "bytes written", "message bytes")
    if report.subject.totals:
        page.add("", f"Work of one rank{established}:")
    rows = [
        [code(each) for each in (row.branch, row.phase, row.tasks, row.operations, row.read_bytes, row.write_bytes)]
        + [code(row.message_bytes)]
        for row in report.subject.totals
    ]
    page.table("totals", head, rows)
    if report.subject.memory:
        notes = unsummed({name: "" for row in report.subject.memory for name in row.facts})
        page.add("", f"Memory of one rank in bytes{established}{notes}:")
    held = [
        [code(row.branch), ", ".join(code(f"{name}={size}") for name, size in row.facts.items()), code(row.total)]
        for row in report.subject.memory
    ]
    page.table("memory facts", ("branch", "facts", "in all"), held)


def _transition(transition: TransitionReport) -> list[str]:
    claims = Counter(claim.status for relation in transition.relations for claim in relation.claims)
    conformant = {None: "not-run", True: "yes", False: "**no**"}[transition.canonical_conformant]
    return [
        _boundary(transition),
        code(transition.derivation_pass),
        "yes" if transition.relation_verified else "**no**",
        conformant,
        "exact" if transition.coverage.exact else "**not exact**",
        str(len(transition.relations)),
        ", ".join(f"{claims[status]} {status.value}" for status in Status if claims[status]) or "none",
    ]


def _boundary(transition: TransitionReport) -> str:
    branch = f" ({plain(transition.branch)})" if transition.branch else ""
    return code(f"{plain(transition.source)} -> {plain(transition.target)}{branch}", 240)


def _laws(page: _Page, transition: TransitionReport, report: Report) -> None:
    if not transition.laws:
        return
    page.add("", f"Laws of {_boundary(transition)}:")
    head = ("law", "form", "members", "status", "theorem", "statement")
    page.table("laws", head, [_law(law, report) for law in transition.laws])


def _law(law: LawRow, report: Report) -> list[str]:
    theorem = "-" if law.theorem is TheoremStatus.NONE else law.theorem.value
    members = code(f"{law.members} of {law.expected_members}")
    status = law_status(law, report.obligations)
    return [code(law.id), code(law.form), members, status, theorem, code(law.statement, 240)]


def _relations(page: _Page, transition: TransitionReport, report: Report) -> None:
    """The evidence: every relation with its claims, each with the obligation behind it."""
    if not transition.relations:
        return
    page.add("", f"Relations of {_boundary(transition)}:")
    head = ("relation", "rule", "cardinality", "entities", "claims and their obligations")
    rows = ([*_relation(relation), _evidence(relation, report)] for relation in transition.relations)
    page.table("relations", head, rows)


def _relation(relation: RelationRow) -> list[str]:
    names = ", ".join(code(name) for name in relation.names[:4]) + (", ..." if len(relation.names) > 4 else "")
    return [code(short(relation.id)), code(relation.transform), code(relation.cardinality), names or "-"]


def _evidence(relation: RelationRow, report: Report) -> str:
    claims = (
        f"{code(claim.kind)} {claim.status.value} {code(short(report.obligations[claim.obligation].digest))}"
        for claim in relation.claims
    )
    return ", ".join(claims) or "-"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain_line(text: str) -> str:
    """Words of our own with numbers in them; nothing foreign but digests reaches this."""
    return plain(text, _SENTENCE)
