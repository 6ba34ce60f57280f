"""GitHub annotations: workflow commands, one a line, as a runner reads them from a step's output.

A runner shows ten errors and ten warnings of a step and drops the rest silently, so the totals come first and what is
left out is counted. https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from blueprint.outcome import Outcome
from blueprint.report.subjects import Examined, final_line, together, words_of
from blueprint.words import plain

SHOWN: Final = 9
"""Errors, and warnings, that are written besides the totals: a runner shows ten of each."""

_SENTENCE: Final = 1000
"""Most characters of a message."""

_LEVELS: Final[Mapping[Outcome, str]] = {Outcome.VERIFIED: "notice", Outcome.NOT_ESTABLISHED: "warning"}
"""Of the totals; everything else is an error."""


def render(subjects: Sequence[Examined]) -> str:
    """The totals, then the findings, most specific first."""
    return "".join(f"{line}\n" for line in _lines(subjects))


def _lines(subjects: Sequence[Examined]) -> Iterator[str]:
    reports = [each.report for each in subjects]
    verdict = together(reports)
    found = [(each, finding) for each in subjects for finding in each.report.diagnostics]
    errors = [pair for pair in found if pair[1].refutes]
    warnings = [pair for pair in found if not pair[1].refutes]
    shown = [*errors[:SHOWN], *warnings[:SHOWN]]
    cut = f"; {len(found) - len(shown)} of {len(found)} findings are not shown here" if len(shown) < len(found) else ""
    level = _LEVELS.get(verdict, "error")
    yield _command(level, {"title": f"Blueprint: {words_of(verdict)}"}, final_line(reports) + cut)
    for each, finding in shown:
        level = "error" if finding.refutes else "warning"
        # A bundle is one line of JSON: a place inside it stands in the message.
        # A runner looks for the file under this very name, so one that is not shown as it is would name none.
        where = {"file": each.place, "line": "1"} if each.place and plain(each.place, 480) == each.place else {}
        message = f"{plain(finding.path)}: {plain(finding.message, _SENTENCE)}" if finding.path else finding.message
        yield _command(level, {**where, "title": f"Blueprint {plain(finding.code)}"}, message)


def _command(level: str, properties: Mapping[str, str], message: str) -> str:
    """One workflow command. What a runner would take for its end, or for another property, is escaped."""
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{level} {listed}::{_data(plain(message, _SENTENCE))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(plain(text, 480)).replace(":", "%3A").replace(",", "%2C")
