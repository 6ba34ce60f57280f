"""What `verify` and `report` share: how bundles are examined, and what people are told beside a document."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from blueprint.cli.command import MAX_JOBS, chosen, maybe_rules, maybe_whole
from blueprint.cli.completing import EXPECTED, offering
from blueprint.cli.mistaken import told
from blueprint.cli.voice import Voice, internal_words
from blueprint.errors import BlueprintError, DecidersDisagreeError, InputError, UsageError
from blueprint.exit import ExitCode, exit_of
from blueprint.files import STREAM, require_place
from blueprint.settings import DEFAULT_BUDGET, MAX_BUDGET
from blueprint.words import plain

if TYPE_CHECKING:
    from blueprint.cli.config import Config
    from blueprint.outcome import Outcome, Report
    from blueprint.report.subjects import Examined

ExpectOption = Annotated[
    list[str] | None,
    typer.Option(
        "--expect",
        metavar="KEY=VALUE",
        help=f"A binding that the bundle must have. Repeatable. Keys: {', '.join(EXPECTED)}.",
        autocompletion=offering(*(f"{key}=" for key in EXPECTED)),
    ),
]
OutputOption = Annotated[
    str, typer.Option("-o", "--output", metavar="FILE", help="Where the report goes; `-` is standard output.")
]
RulesOption = Annotated[
    str | None,
    typer.Option(
        "--rules", metavar="DIR|NAME", help="Another rulebook: a folder, or one of a package. It is run as code."
    ),
]
JobsOption = Annotated[
    str | None, typer.Option("--jobs", metavar="N", help="Solver processes; as many as cores if absent.")
]
BudgetOption = Annotated[
    str | None,
    typer.Option("--budget", metavar="RLIMIT", help=f"Solver steps for one obligation; {DEFAULT_BUDGET} if absent."),
]
CrossCheckOption = Annotated[
    str | None,
    typer.Option(
        "--cross-check", metavar="cvc5", help="Ask a further solver as well.", autocompletion=offering("cvc5")
    ),
]


@dataclass(frozen=True)
class Effort:
    """How a bundle is examined."""

    rules: str | None
    jobs: int | None
    budget: int | None
    cross_check: bool
    expect: Mapping[str, str]


def effort_of(
    *,
    rules: str | None,
    jobs: str | None,
    budget: str | None,
    cross_check: str | None,
    expect: Sequence[str] | None,
    config: Config,
) -> Effort:
    """The options, read strictly, and what the project demands besides."""
    named = maybe_rules(rules)
    if named is not None and config.shipped_rules:
        raise UsageError(f"is refused by shipped-rules of {plain(config.path, 480)}", path="--rules")
    return Effort(
        rules=named,
        jobs=maybe_whole("--jobs", jobs, 1, MAX_JOBS),
        budget=maybe_whole("--budget", budget, 1, MAX_BUDGET),
        cross_check=config.cross_check
        or (cross_check is not None and chosen("--cross-check", cross_check, ("cvc5",)) == "cvc5"),
        expect=_expectations(expect or (), config),
    )


def _expectations(texts: Sequence[str], config: Config) -> dict[str, str]:
    """`KEY=VALUE` of every --expect, with those of the project; neither replaces the other."""
    found = dict(config.expect)
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key or not value:
            raise UsageError(f'"{plain(text, 60)}" is not KEY=VALUE', path="--expect")
        if found.setdefault(key, value) != value:
            also = f" (see {plain(config.path, 480)})" if key in config.expect else ""
            raise UsageError(f"{plain(key, 40)} is expected to be two things{also}", path="--expect")
    return found


def refuse_clashes(bundles: Sequence[str], outputs: Sequence[str], read: Sequence[str] = ()) -> None:
    """Refuse before any work what could only end badly; `read` are other files that are read."""
    if "" in bundles or "" in outputs:
        raise UsageError("a name is empty", path="BUNDLE" if "" in bundles else "-o or --report")
    if [*bundles, *read].count(STREAM) > 1:
        raise UsageError("standard input can be read only once", path=STREAM)
    places = [path if path == STREAM else os.path.realpath(path) for path in outputs]
    if len(set(places)) != len(places):
        raise UsageError("two reports would go to the same place")
    inputs = {os.path.realpath(path): "a file that is read" for path in read if path != STREAM}
    inputs |= {os.path.realpath(path): "the bundle" for path in bundles if path != STREAM}
    for path, place in zip(outputs, places, strict=True):
        if place in inputs:
            raise UsageError(f"a report would replace {inputs[place]}", path=plain(path))
        require_place(path)


def examined(name: str, source: str | bytes, effort: Effort, voice: Voice) -> Examined:
    """The report on one bundle. What breaks down in Blueprint itself becomes a report too: verdict `error`."""
    from blueprint.cli.bundles import place_of  # noqa: PLC0415
    from blueprint.report.subjects import Examined  # noqa: PLC0415
    from blueprint.verification import verify as examine  # noqa: PLC0415

    voice.detail(f"verifying {plain(name)}")
    try:
        report = examine(
            source,
            rules=effort.rules,
            jobs=effort.jobs,
            budget=DEFAULT_BUDGET if effort.budget is None else effort.budget,
            cross_check=effort.cross_check,
            expect=effort.expect or None,
        )
    except DecidersDisagreeError as error:
        voice.error(f"{plain(name)}: {error.diagnostics()}")
        report = _bare(error.code, error.message, name, effort)
    except BlueprintError:
        raise
    except Exception as error:  # noqa: BLE001  (a reader of JSON gets a document in every case)
        voice.internal(error)
        report = _bare("internal", internal_words(error), name, effort)
    if exit_of(report.verdict) is ExitCode.INPUT:
        report = told(report, source)
    return Examined(name, place_of(name), report)


def unreadable(name: str, error: InputError) -> Examined:
    """The report on bytes that cannot be had."""
    from blueprint.cli.bundles import place_of  # noqa: PLC0415
    from blueprint.outcome import Finding, malformed  # noqa: PLC0415
    from blueprint.report.subjects import Examined  # noqa: PLC0415

    finding = Finding(code=error.code, message=plain(error.message, 400), path=plain(error.path))
    return Examined(name, place_of(name), malformed("", finding))


def nothing_in(name: str, effort: Effort) -> Examined:
    """The report on a folder or a pattern without any bundle: nothing to verify is never success."""
    from blueprint.report.subjects import Examined  # noqa: PLC0415

    message = "names no bundle, so there is nothing to verify"
    return Examined(name, "", _bare("nothing.found", message, name, effort, broken=False))


def _bare(code: str, message: str, name: str, effort: Effort, *, broken: bool = True) -> Report:
    """A report that says only why there is nothing to say: Blueprint broke down, or there is no bundle."""
    import msgspec  # noqa: PLC0415

    from blueprint.outcome import Finding, Outcome, malformed  # noqa: PLC0415

    report = malformed("", Finding(code=code, message=plain(message, 480), path=plain(name), refutes=broken))
    tool = msgspec.structs.replace(report.tool, shipped=effort.rules is None)
    return msgspec.structs.replace(report, verdict=Outcome.ERROR if broken else Outcome.NOT_ESTABLISHED, tool=tool)


def tell(subjects: Sequence[Examined], voice: Voice) -> None:
    """Where no text report goes to standard output, people get each verdict with its first finding, and the counts."""
    from blueprint.report.subjects import final_line, words_of  # noqa: PLC0415

    for each in subjects:
        first = "".join(f": {plain(finding.message, 240)}" for finding in each.report.diagnostics[:1])
        voice.say(f"{plain(each.name)}: {words_of(each.report.verdict)}{first}")
    voice.say(final_line([each.report for each in subjects]))


def tell_of_rulebook(subjects: Sequence[Examined], voice: Voice) -> None:
    """The last line: verdicts under another rulebook must not pass for those of the shipped one."""
    from blueprint.report.text import foreign_rulebook  # noqa: PLC0415

    foreign = {each.report.tool.rules_digest: None for each in subjects if not each.report.tool.shipped}
    for digest in foreign:
        voice.say(foreign_rulebook(digest))


def unpainted(word: str, outcome: Outcome) -> str:  # noqa: ARG001  (a Paint)
    """A word without colour, for files."""
    return word
