"""What `blueprint prove` established, as text for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from blueprint.outcome import Outcome, Status
from blueprint.report import table
from blueprint.report.text import SENTENCE, Paint, first, foreign_rulebook, unpainted
from blueprint.words import plain

if TYPE_CHECKING:
    from blueprint.proving import ProofReport, ProofRow


def render(report: ProofReport, *, check: bool, paint: Paint = unpainted) -> str:
    """The verdict, every law with its verdict for all parameters, findings, and what was decided in numbers."""
    parts = ([_verdict(report, paint)], _laws(report), _negatives(report), _findings(report), [_counts(report, check)])
    return "".join(f"{line}\n" for part in parts for line in part)


def _verdict(report: ProofReport, paint: Paint) -> str:
    solvers = ", ".join(plain(solver) for solver in report.solvers) or "as recorded"
    foreign = f"; {foreign_rulebook(report.foreign_rules)}" if report.foreign_rules else ""
    return f"verdict: {paint(report.outcome.value.replace('_', ' '), report.outcome)} ({solvers}){foreign}"


def _laws(report: ProofReport) -> Iterator[str]:
    """The laws, each with the number of strategy cases that its theorem covers."""
    rows = [row for row in report.rows if not row.negative]
    if rows:
        yield "laws, for all parameter values"
        yield from table.lines(("rule", "law", "form", "cases", "obligations", "verdict"), [_row(row) for row in rows])


def _negatives(report: ProofReport) -> Iterator[str]:
    """The false variants, of which only those that were not refuted are named."""
    rows = [row for row in report.rows if row.negative]
    if rows:
        caught = sum(row.verdict is Status.REFUTED for row in rows)
        yield f"false variants of the laws: {caught} of {len(rows)} refuted, as they must be"
        missed = [_row(row) for row in rows if row.verdict is not Status.REFUTED]
        if missed:
            yield from table.lines(("rule", "law", "variant", "cases", "obligations", "verdict"), missed)


def _row(row: ProofRow) -> tuple[object, ...]:
    reason = f" ({row.reason})" if row.reason else ""
    return row.rule, row.law, row.form, row.cases, row.obligations, f"{row.verdict.value}{reason}"


def _findings(report: ProofReport) -> Iterator[str]:
    if report.findings:
        yield f"findings: {len(report.findings)}"
        yield from first(
            f"  {plain(each.code)}: {plain(each.path)}{': ' if each.path else ''}{plain(each.message, SENTENCE)}"
            for each in report.findings
        )


def _counts(report: ProofReport, check: bool) -> str:  # noqa: FBT001  (a fact, not a switch)
    """What was decided, in numbers; the word `proved` stands only where everything is."""
    laws = Counter(row.verdict for row in report.rows if not row.negative)
    word = "proved" if report.outcome is Outcome.VERIFIED else "examined"
    done = "compared with the recorded proofs" if check else "recorded"
    tail = f", {done}" if report.outcome is Outcome.VERIFIED else ""
    if report.unchanged and not laws:
        return f"nothing to decide: {_unchanged(report)}"
    if report.unchanged:
        tail += f"; {_unchanged(report)}"
    return (
        f"{word} {laws.total()} laws by {report.obligations} obligations{tail};"
        f" {laws[Status.REFUTED]} refuted, {laws[Status.UNKNOWN]} unknown"
    )


def _unchanged(report: ProofReport) -> str:
    return f"{len(report.unchanged)} rules are unchanged since their proofs were recorded (--all decides them again)"
