"""What a document is about: reports with the names that the user gave, and their counts together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from blueprint.ir.request import Scope
from blueprint.outcome import Outcome, Report, Status
from blueprint.words import plain


@dataclass(frozen=True)
class Examined:
    """One bundle that was examined.

    `name` is what the user called it. `place` is where it lies, from the working folder if it lies inside, with
    slashes; empty for standard input.
    """

    name: str
    place: str
    report: Report


ORDER = (Outcome.ERROR, Outcome.REFUTED, Outcome.MALFORMED, Outcome.NOT_ESTABLISHED, Outcome.VERIFIED)
"""From what weighs most to what weighs least, as exit statuses do."""


def together(reports: Sequence[Report]) -> Outcome:
    """The verdict on several subjects: the worst; of none, nothing is established."""
    found = {report.verdict for report in reports}
    return next((outcome for outcome in ORDER if outcome in found), Outcome.NOT_ESTABLISHED)


def covered(report: Report) -> str:
    """How much of the model the numbers of a report are about."""
    bindings = report.subject.bindings
    scope, stage = bindings.get("scope", {}), bindings.get("strategy", {}).get("stage", "")
    if scope.get("name") != Scope.STACK.value:
        return "one block"
    blocks = plain(scope.get("blocks", ""))
    return f"{'the 1 block' if blocks == '1' else f'all {blocks} blocks'} of pipeline stage {plain(stage)}"


def unsummed(facts: Mapping[str, str]) -> str:
    """What a reader has to know of memory facts that are not in their sum; nothing where all are."""
    known = {"parameters": "parameters are counted", "boundary": "the boundary is a part of the workspace"}
    found = [words for name, words in known.items() if name in facts]
    return f" ({'; '.join(found)})" if found else ""


def words_of(outcome: Outcome) -> str:
    """A verdict as people write it."""
    return outcome.value.replace("_", " ")


def final_line(reports: Sequence[Report]) -> str:
    """What was looked at, in numbers; it begins with `verified` only if everything is."""
    word = "verified" if together(reports) is Outcome.VERIFIED else "examined"
    if len(reports) == 1:
        return f"{word} {_looked_at(reports)}"
    verdicts = Counter(report.verdict for report in reports)
    listed = ", ".join(f"{verdicts[outcome]} {words_of(outcome)}" for outcome in reversed(ORDER) if verdicts[outcome])
    return f"{word} {len(reports)} bundles: {listed or 'none'}; {_looked_at(reports)}"


def count(reports: Sequence[Report], field: str) -> int:
    """The sum of one count of the summaries. What a report has there that is no number counts as 0."""
    return sum(_number(getattr(report.summary, field)) for report in reports)


def count_of(reports: Sequence[Report], status: Status) -> int:
    """How many claims and forms of laws fared so."""
    return sum(_number(report.summary.by_status.get(status.value, "0")) for report in reports)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else 0


def _looked_at(reports: Sequence[Report]) -> str:
    seldom = [status for status in (Status.VACUOUS, Status.NOT_RUN) if count_of(reports, status)]
    rest = ", ".join(
        f"{count_of(reports, status)} {status.value}" for status in (Status.REFUTED, Status.UNKNOWN, *seldom)
    )
    counted = f"{count(reports, 'relations')} relations, {count(reports, 'claims')} claims"
    laws = count(reports, "laws") - count_of(reports, Status.NOT_APPLICABLE)
    counted += f", {laws} law instances by {count(reports, 'obligations')} obligations"
    return plain(f"{counted}; {rest}", 240)
