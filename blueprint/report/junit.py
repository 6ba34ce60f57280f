"""JUnit XML: a suite for each bundle and each boundary, a case for each claim kind and each form of a law.

The schema is that of Jenkins' xUnit plugin, which allows to leave out host names, time stamps and durations: two runs
on the same bytes give the same document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from blueprint.outcome import Finding, LawRow, Outcome, Report, Status, TransitionReport
from blueprint.report.subjects import Examined, final_line, words_of
from blueprint.words import plain

SHOWN: Final = 20
"""Most findings in the body of one case; the rest is counted."""

_SENTENCE: Final = 1000

_FAILED: Final = {Status.REFUTED: "failure", Status.UNKNOWN: "error", Status.VACUOUS: "error"}
_SKIPPED: Final = frozenset({Status.NOT_RUN, Status.NOT_APPLICABLE, Status.DEFINITION})
_WORST: Final = (Status.REFUTED, Status.UNKNOWN, Status.VACUOUS, Status.NOT_RUN, Status.PROVED, Status.CHECKED)


@dataclass(frozen=True)
class _Case:
    """One test case; `element` is failure, error or skipped, or empty where it passed."""

    group: str
    name: str
    element: str = ""
    message: str = ""
    body: str = ""


def render(subjects: Sequence[Examined]) -> str:
    """The whole document."""
    suites = [suite for each in subjects for suite in _suites(each)]
    cases = [case for _, held in suites for case in held]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="blueprint"{_counts(cases, skipped=False)}>']
    for name, held in suites:
        lines.append(f"  <testsuite name={_quoted(name)}{_counts(held, skipped=True)}>")
        lines += [line for case in held for line in _lines(case)]
        lines.append("  </testsuite>")
    return "".join(f"{line}\n" for line in [*lines, "</testsuites>"])


def _suites(subject: Examined) -> Iterator[tuple[str, list[_Case]]]:
    """The bundle as a whole, then its boundaries."""
    name, report = plain(subject.name), subject.report
    yield name, [_whole(report)]
    for each in report.transitions:
        branch = f" ({plain(each.branch)})" if each.branch else ""
        yield f"{name}: {plain(each.source)} -> {plain(each.target)}{branch}", list(_cases(each, report))


def _whole(report: Report) -> _Case:
    """The verdict, which fails for whatever reason the bundle is not verified."""
    if report.verdict is Outcome.VERIFIED:
        return _Case("blueprint", "verdict")
    element = "failure" if report.verdict is Outcome.REFUTED else "error"
    found = [f"{plain(each.code)}: {_placed(each)}" for each in report.diagnostics]
    return _Case(
        "blueprint", "verdict", element, words_of(report.verdict), _body([*_first(found), final_line([report])])
    )


def _cases(transition: TransitionReport, report: Report) -> Iterator[_Case]:
    group = plain(transition.derivation_pass)
    if transition.structural_only:
        yield _Case(group, "unchanged")
        return
    yield _coverage(group, transition)
    yield from _claims(group, transition, report)
    for law in transition.laws:
        yield _law(group, law, transition, report)
    conformant = transition.canonical_conformant
    element = {None: "skipped", False: "failure", True: ""}[conformant]
    message = "running the pass again was switched off" if conformant is None else "running it gives another snapshot"
    yield _Case(group, "replay", element, message if element else "")


def _coverage(group: str, transition: TransitionReport) -> _Case:
    coverage = transition.coverage
    if coverage.exact:
        return _Case(group, "coverage")
    counts = ("missing", "dangling", "undeclared", "mismatched")
    message = ", ".join(f"{plain(getattr(coverage, each))} {each}" for each in counts)
    return _Case(group, "coverage", "failure", message)


def _claims(group: str, transition: TransitionReport, report: Report) -> Iterator[_Case]:
    """One case for each kind of claim, as bad as its worst."""
    kinds = dict.fromkeys(claim.kind for relation in transition.relations for claim in relation.claims)
    for kind in kinds:
        asked = [
            (relation, claim) for relation in transition.relations for claim in relation.claims if claim.kind == kind
        ]
        counts = Counter(claim.status for _, claim in asked)
        worst = next((status for status in _WORST if counts[status]), Status.NOT_RUN)
        ids = {relation.id for relation, claim in asked if claim.status is worst}
        codes = {f"claim.{kind}", f"claim.{worst.value}"}
        found = [_placed(each) for each in _findings(transition, report) if each.relation in ids and each.code in codes]
        yield _judged(group, plain(kind), worst, ", ".join(f"{counts[each]} {each.value}" for each in counts), found)


def _law(group: str, law: LawRow, transition: TransitionReport, report: Report) -> _Case:
    name = f"{law.id} ({law.form})"
    found = [_placed(each) for each in _findings(transition, report) if each.law == name]
    message = f"{law.status.value}: {plain(law.statement, _SENTENCE)}"
    return _judged(group, f"law {plain(name)}", law.status, message, found)


def _placed(finding: Finding) -> str:
    where = f"{plain(finding.path)}: " if finding.path else ""
    return f"{where}{plain(finding.message, _SENTENCE)}"


def _findings(transition: TransitionReport, report: Report) -> Iterator[Finding]:
    """The findings of one boundary: branches of inference have relations and laws of the same names."""
    place = "/".join(each for each in (transition.branch, transition.target) if each) + "/"
    return (each for each in report.diagnostics if each.path.startswith(place))


def _judged(group: str, name: str, status: Status, message: str, found: list[str]) -> _Case:
    """A case by its verdict word; only what is established passes."""
    if status in {Status.PROVED, Status.CHECKED}:
        return _Case(group, name)
    if status in _SKIPPED:
        return _Case(group, name, "skipped", message)
    return _Case(group, name, _FAILED[status], message, _body(_first(found)))


def _first(found: list[str]) -> list[str]:
    rest = len(found) - SHOWN
    return [*found[:SHOWN], *([f"and {rest} more"] if rest > 0 else [])]


def _body(lines: list[str]) -> str:
    return "\n".join(lines)


def _lines(case: _Case) -> Iterator[str]:
    head = f"    <testcase classname={_quoted(case.group)} name={_quoted(case.name)}"
    if not case.element:
        yield f"{head}/>"
        return
    inside = f"<{case.element} message={_quoted(case.message)}"
    yield f"{head}>"
    yield f"      {inside}>{_escaped(case.body)}</{case.element}>" if case.body else f"      {inside}/>"
    yield "    </testcase>"


def _counts(cases: Sequence[_Case], *, skipped: bool) -> str:
    """The attributes that count; the outermost element has none for what is skipped."""
    found = Counter(case.element for case in cases)
    counts = {"tests": len(cases), "failures": found["failure"], "errors": found["error"]}
    if skipped:
        counts["skipped"] = found["skipped"]
    return "".join(f' {name}="{number}"' for name, number in counts.items())


def _escaped(text: str) -> str:
    """Text that was made printable before, as XML; what XML cannot hold is gone already."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _quoted(text: str) -> str:
    return '"' + _escaped(text).replace('"', "&quot;") + '"'
