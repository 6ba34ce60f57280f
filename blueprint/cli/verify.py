"""`blueprint verify`: bundles -> reports. Nothing that a bundle says of itself is believed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from blueprint.cli.command import MAX_JOBS, chosen, command, maybe_rules, maybe_whole, voice_of
from blueprint.cli.voice import Voice, internal_words
from blueprint.errors import BlueprintError, DecidersDisagreeError, UsageError
from blueprint.exit import ExitCode, exit_of, worst
from blueprint.files import STREAM, require_place
from blueprint.settings import DEFAULT_BUDGET, MAX_BUDGET
from blueprint.words import plain

if TYPE_CHECKING:
    from blueprint.outcome import Report

FORMATS = ("text", "json")
LATER_FORMATS = ("markdown", "sarif", "junit", "github")


@dataclass(frozen=True)
class _Effort:
    """How a bundle is verified."""

    rules: str | None
    jobs: int | None
    budget: int | None
    cross_check: bool
    expect: Mapping[str, str]


HELP = """Verify bundles and report what was established.

\b
Examples:
  blueprint verify bundle.json
  blueprint verify bundle.json --expect model=gpt3-175b --expect tensor=8 --report json=report.json
"""


@command
def verify(
    context: typer.Context,
    *,
    bundles: Annotated[list[str], typer.Argument(metavar="BUNDLE...", help="Bundles; `-` is standard input.")],
    expect: Annotated[
        list[str] | None,
        typer.Option("--expect", metavar="KEY=VALUE", help="A binding that the bundle must have. Repeatable."),
    ] = None,
    form: Annotated[str, typer.Option("--format", metavar="|".join(FORMATS), help="Format of the report.")] = "text",
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="Where the report goes; `-` is standard output.")
    ] = STREAM,
    report: Annotated[
        list[str] | None,
        typer.Option("--report", metavar="FORMAT=FILE", help="A further report in a file. Repeatable."),
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option(
            "--rules", metavar="DIR|NAME", help="Another rulebook: a folder, or one of a package. It is run as code."
        ),
    ] = None,
    jobs: Annotated[
        str | None, typer.Option("--jobs", metavar="N", help="Solver processes; as many as cores if absent.")
    ] = None,
    budget: Annotated[
        str | None, typer.Option("--budget", metavar="RLIMIT", help="Solver steps for one obligation.")
    ] = None,
    cross_check: Annotated[
        str | None, typer.Option("--cross-check", metavar="cvc5", help="Ask a further solver as well.")
    ] = None,
) -> ExitCode:
    """Verify bundles and report what was established."""
    documents = [(chosen("--format", form, FORMATS, LATER_FORMATS), output), *map(_report_option, report or ())]
    _refuse_clashes(bundles, [path for _, path in documents])
    effort = _Effort(
        rules=maybe_rules(rules),
        jobs=maybe_whole("--jobs", jobs, 1, MAX_JOBS),
        budget=maybe_whole("--budget", budget, 1, MAX_BUDGET),
        cross_check=cross_check is not None and chosen("--cross-check", cross_check, ("cvc5",)) == "cvc5",
        expect=_expectations(expect or ()),
    )
    voice = voice_of(context)
    reports = [_verified(bundle, effort, voice) for bundle in bundles]
    code = worst(exit_of(each.verdict) for each in reports)
    shown = (form, output) == ("text", STREAM)
    if not shown:
        _tell(bundles, reports, voice)
    code = worst(voice.document(_rendered(kind, path, bundles, reports, voice), path, code) for kind, path in documents)
    if not shown:
        _tell_of_rulebook(reports, voice)
    return code


def _report_option(text: str) -> tuple[str, str]:
    """`FORMAT=FILE` of --report."""
    form, equals, path = text.partition("=")
    if not equals or not path:
        raise UsageError(f'"{plain(text, 60)}" is not FORMAT=FILE', path="--report")
    return chosen("--report", form, FORMATS, LATER_FORMATS), path


def _refuse_clashes(bundles: Sequence[str], outputs: Sequence[str]) -> None:
    """Refuse before any work what could only end badly."""
    if bundles.count(STREAM) > 1:
        raise UsageError("standard input can be read only once", path=STREAM)
    places = [path if path == STREAM else os.path.realpath(path) for path in outputs]
    if len(set(places)) != len(places):
        raise UsageError("two reports would go to the same place")
    inputs = {os.path.realpath(path) for path in bundles if path != STREAM}
    for path, place in zip(outputs, places, strict=True):
        if place in inputs:
            raise UsageError("a report would replace the bundle", path=plain(path))
        require_place(path)


def _expectations(texts: Sequence[str]) -> dict[str, str]:
    """`KEY=VALUE` of every --expect."""
    found: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key or not value:
            raise UsageError(f'"{plain(text, 60)}" is not KEY=VALUE', path="--expect")
        if found.setdefault(key, value) != value:
            raise UsageError(f"{plain(key, 40)} is expected to be two things", path="--expect")
    return found


def _verified(bundle: str, effort: _Effort, voice: Voice) -> Report:
    """The report on one bundle. What breaks down in Blueprint itself becomes a report too: verdict `error`."""
    from blueprint.verification import verify as examine  # noqa: PLC0415

    voice.detail(f"verifying {plain(bundle)}")
    try:
        with voice.progress(f"verifying {plain(bundle)}"):
            return examine(
                bundle,
                rules=effort.rules,
                jobs=effort.jobs,
                budget=DEFAULT_BUDGET if effort.budget is None else effort.budget,
                cross_check=effort.cross_check,
                expect=effort.expect or None,
            )
    except DecidersDisagreeError as error:
        voice.error(f"{plain(bundle)}: {error.diagnostics()}")
        return _broken(error.code, error.message, bundle, effort)
    except BlueprintError:
        raise
    except Exception as error:  # noqa: BLE001  (a reader of JSON gets a document in every case)
        voice.internal(error)
        return _broken("internal", internal_words(error), bundle, effort)


def _broken(code: str, message: str, bundle: str, effort: _Effort) -> Report:
    """A report that says only what went wrong: nothing is established."""
    import msgspec  # noqa: PLC0415

    from blueprint.outcome import Finding, Outcome, malformed  # noqa: PLC0415

    report = malformed("", Finding(code=code, message=plain(message, 480), path=plain(bundle)))
    tool = msgspec.structs.replace(report.tool, shipped=effort.rules is None)
    return msgspec.structs.replace(report, verdict=Outcome.ERROR, tool=tool)


def _tell(bundles: Sequence[str], reports: Sequence[Report], voice: Voice) -> None:
    """Where no text report goes to standard output, people get the verdict and the first finding in one line."""
    for bundle, report in zip(bundles, reports, strict=True):
        first = "".join(f": {plain(each.message, 240)}" for each in report.diagnostics[:1])
        voice.say(f"{plain(bundle)}: {report.verdict.value.replace('_', ' ')}{first}")


def _tell_of_rulebook(reports: Sequence[Report], voice: Voice) -> None:
    """The last line: verdicts under another rulebook must not pass for those of the shipped one."""
    from blueprint.report.text import foreign_rulebook  # noqa: PLC0415

    for digest in {report.tool.rules_digest: None for report in reports if not report.tool.shipped}:
        voice.say(foreign_rulebook(digest))


def _rendered(form: str, path: str, bundles: Sequence[str], reports: Sequence[Report], voice: Voice) -> bytes:
    """One document about all bundles."""
    from blueprint.report import json, text  # noqa: PLC0415

    if form == "json":
        return json.render(reports[0]) if len(reports) == 1 else json.render_all(reports)
    paint = voice.paint if path == STREAM else text.unpainted
    return "\n".join(
        text.render(report, name=bundle, paint=paint) for bundle, report in zip(bundles, reports, strict=True)
    ).encode("ascii")
