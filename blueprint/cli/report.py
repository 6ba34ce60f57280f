"""`blueprint report`: verify one bundle, and show the evidence for each relation, or for one in full."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from blueprint.cli.command import NoProgressOption, alike, chosen, command, voice_of
from blueprint.cli.completing import complete_rule, offering
from blueprint.cli.examining import (
    BudgetOption,
    CrossCheckOption,
    ExpectOption,
    JobsOption,
    OutputOption,
    RulesOption,
    effort_of,
    examined,
    refuse_clashes,
    tell,
    tell_of_rulebook,
    unpainted,
    unreadable,
)
from blueprint.cli.formats import FORMATS, complete_format, rendered
from blueprint.errors import InputError, UsageError
from blueprint.exit import ExitCode, exit_of
from blueprint.files import STREAM
from blueprint.words import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from blueprint.outcome import Outcome, Report
    from blueprint.report.selection import Selection
    from blueprint.report.subjects import Examined
    from blueprint.restatement import Restatement

IN_FULL = ("text", "markdown", "json")
"""The formats of one relation in full."""

STAGES = ("model", "distributed", "portable", "concrete", "machine")

STATUSES = ("proved", "checked", "definition", "refuted", "unknown", "vacuous", "not-run", "not-applicable")

HELP = """Verify a bundle and show the evidence for each relation.

\b
Examples:
  blueprint report bundle.json --only refuted
  blueprint report bundle.json --rule training.mlp --format markdown -o evidence.md
  blueprint report bundle.json --explain 3e6fad65c4b7da8d
  blueprint report bundle.json --smt2 b0a7d1c3e5f79b1d -o question.smt2

A relation is named by its id, by the beginning of it, or by an entity that it made. --explain shows one in full: the
law in mathematics with the plan's numbers in it, hypotheses, the solver's question, and what both deciders answered.
The exit status is that of `blueprint verify`, whatever is shown; 2 where nothing of that name is in the bundle.
"""


@command
def report(
    context: typer.Context,
    *,
    bundle: Annotated[str, typer.Argument(metavar="BUNDLE", help="A bundle; `-` is standard input.")],
    form: Annotated[
        str,
        typer.Option(
            "--format", metavar="|".join(FORMATS), help="Format of the report.", autocompletion=complete_format
        ),
    ] = "text",
    output: OutputOption = STREAM,
    relation: Annotated[
        list[str] | None, typer.Option("--relation", metavar="ID|NAME", help="Only this relation. Repeatable.")
    ] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            "--rule",
            metavar="RULE",
            help="Only relations and laws of this rule. Repeatable.",
            autocompletion=complete_rule,
        ),
    ] = None,
    stage: Annotated[
        list[str] | None,
        typer.Option(
            "--stage",
            metavar="|".join(STAGES),
            help="Only the transition to this stage. Repeatable.",
            autocompletion=offering(*STAGES),
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="|".join(STATUSES),
            help="Only claims and laws that fared so. Repeatable.",
            autocompletion=offering(*STATUSES),
        ),
    ] = None,
    explain: Annotated[
        str | None, typer.Option("--explain", metavar="ID|NAME", help="Show one relation in full instead.")
    ] = None,
    smt2: Annotated[
        str | None,
        typer.Option("--smt2", metavar="DIGEST", help="Write the question of one obligation in SMT-LIB2 instead."),
    ] = None,
    expect: ExpectOption = None,
    rules: RulesOption = None,
    jobs: JobsOption = None,
    budget: BudgetOption = None,
    cross_check: CrossCheckOption = None,
    _no_progress: NoProgressOption = False,
) -> ExitCode:
    """Verify a bundle and show the evidence for each relation."""
    selected = (tuple(relation or ()), tuple(rule or ()), tuple(stage or ()), tuple(only or ()))
    _refuse_mixtures(form, explain, smt2, any(selected))
    for option, texts, words in (("--stage", selected[2], STAGES), ("--only", selected[3], STATUSES)):
        for each in texts:
            chosen(option, each, words)
    refuse_clashes([bundle], [output])
    from blueprint.cli.config import load  # noqa: PLC0415  (lazy: --help needs none of it)

    effort = effort_of(rules=rules, jobs=jobs, budget=budget, cross_check=cross_check, expect=expect, config=load())
    voice = voice_of(context)
    data: bytes | None = None
    with voice.progress(f"verifying {plain(bundle)}"):
        try:
            data = _bytes(bundle)
            subject = examined(bundle, data, effort, voice)
        except InputError as error:
            # What is left of a stream must not be read as if it were the whole.
            subject = unreadable(bundle, error)
    code = exit_of(subject.report.verdict)
    shown = (form, output, explain, smt2) == ("text", STREAM, None, None)
    if not shown:
        tell([subject], voice)
    try:
        if explain is not None:
            document = _in_full(subject.report, data, explain, form, effort.rules)
        elif smt2 is not None:
            document = _question(subject.report, data, smt2, effort.rules)
        else:
            paint = voice.paint if output == STREAM else unpainted
            document = _evidence(subject, _selection(*selected), form, paint)
    except UsageError as error:
        # Nothing of that name: what was asked for cannot be shown, whatever the verdict.
        voice.error(error.diagnostics())
        return ExitCode.INTERNAL if code is ExitCode.INTERNAL else ExitCode.INPUT
    code = voice.document(document, output, code)
    if not shown:
        tell_of_rulebook([subject], voice)
    return code


def _refuse_mixtures(form: str, explain: str | None, smt2: str | None, selected: bool) -> None:  # noqa: FBT001
    """Options of which one would be ignored."""
    if explain is not None and smt2 is not None:
        raise UsageError("cannot be combined with --smt2", path="--explain")
    for option, given in (("--explain", explain), ("--smt2", smt2)):
        if given is None:
            continue
        if not given:
            raise UsageError("names nothing", path=option)
        if selected:
            raise UsageError("cannot be combined with --relation, --rule, --stage or --only", path=option)
    if smt2 is not None and form != "text":
        raise UsageError("has no formats", path="--smt2")
    chosen("--format", form, FORMATS if explain is None else IN_FULL)


def _bytes(bundle: str) -> bytes:
    """The bytes, read once. Raises InputError where they cannot be read."""
    from blueprint.codec import BUNDLE_LIMIT  # noqa: PLC0415
    from blueprint.files import read_bounded  # noqa: PLC0415

    return read_bounded(bundle, BUNDLE_LIMIT)


def _selection(
    relations: tuple[str, ...], rules: tuple[str, ...], stages: tuple[str, ...], only: tuple[str, ...]
) -> Selection:
    from blueprint.outcome import Status  # noqa: PLC0415
    from blueprint.report.selection import Selection  # noqa: PLC0415

    return Selection(relations, rules, stages, tuple(Status(each) for each in only))


def _evidence(subject: Examined, selection: Selection, form: str, paint: Callable[[str, Outcome], str]) -> bytes:
    """The report with every relation that is selected. Raises UsageError for a name that nothing has."""
    import dataclasses  # noqa: PLC0415

    from blueprint.report.selection import select  # noqa: PLC0415

    # Of bytes that do not decode there is nothing to select, and their finding says so.
    if subject.report.transitions:
        _require_found(subject.report, selection)
    shown = dataclasses.replace(subject, report=select(subject.report, selection))
    return rendered(form, [shown], paint, several=False, evidence=True)


def _require_found(report: Report, selection: Selection) -> None:
    """Raise UsageError for a stage that the bundle does not reach, and for a name that nothing in it has."""
    from blueprint.report.selection import unmatched  # noqa: PLC0415

    stages = dict.fromkeys(each.target for each in report.transitions)
    for stage in selection.stages:
        if stage not in stages:
            raise UsageError(f"is no stage of this bundle; there are {', '.join(stages)}", path=f"--stage={stage}")
    for lost in unmatched(report, selection):
        option, _, asked = lost.partition("=")
        names = _rules(report) if option == "--rule" else _names(report)
        raise UsageError(f"nothing in this bundle is called so{alike(asked, names)}", path=plain(lost))


def _names(report: Report) -> Iterator[str]:
    """The names by which relations can be asked for."""
    return (name for each in report.transitions for relation in each.relations for name in relation.names)


def _rules(report: Report) -> Iterator[str]:
    """The rules that relations and laws are of."""
    for each in report.transitions:
        yield from (relation.transform for relation in each.relations)
        yield from (law.rule for law in each.laws)


def _restated(data: bytes | None, rules: str | None) -> Restatement:
    from blueprint.bundle import read_bundle  # noqa: PLC0415
    from blueprint.restatement import Restatement  # noqa: PLC0415

    return Restatement(read_bundle(data or b""), rules)


def _in_full(report: Report, data: bytes | None, asked: str, form: str, rules: str | None) -> bytes:
    """Every relation of that name in full. Raises UsageError where there is none, or where the name is no one's own."""
    from blueprint.report import explained, json  # noqa: PLC0415
    from blueprint.report.explaining import explain  # noqa: PLC0415
    from blueprint.report.explanation import SCHEMA, Explanations  # noqa: PLC0415
    from blueprint.report.selection import matches  # noqa: PLC0415

    found = [
        (transition, relation)
        for transition in report.transitions
        for relation in transition.relations
        if matches(relation, asked)
    ]
    if not found:
        raise UsageError(f'no relation is called "{plain(asked, 80)}"{alike(asked, _names(report))}', path="--explain")
    _require_one("--explain", asked, [relation.id for _, relation in found])
    again = _restated(data, rules)
    explanations = tuple(explain(report, transition, relation, again) for transition, relation in found)
    if form == "json":
        return json.render_explanations(Explanations(schema=SCHEMA, explanations=explanations))
    return (explained.markdown if form == "markdown" else explained.text)(explanations).encode("ascii")


def _question(report: Report, data: bytes | None, asked: str, rules: str | None) -> bytes:
    """The file of one obligation. Raises UsageError where there is none of that digest, or several."""
    from blueprint.report.explained import question_file  # noqa: PLC0415
    from blueprint.report.explaining import question  # noqa: PLC0415

    found = [(position, row) for position, row in enumerate(report.obligations) if row.digest.startswith(asked)]
    if not found:
        raise UsageError(f'no obligation has the digest "{plain(asked, 80)}"; the report lists them', path="--smt2")
    _require_one("--smt2", asked, [row.digest for _, row in found])
    position, row = found[0]
    again = _restated(data, rules)
    for transition in report.transitions:
        obligation = again.obligations(transition).get(position)
        if obligation is not None:
            stated = question(row, obligation, None, again)
            if not stated.text:
                raise UsageError("the question is too large to be stated, and was not asked", path="--smt2")
            return question_file(row, stated)
    raise ValueError("an obligation that no claim and no law asks")


def _require_one(option: str, asked: str, identities: Sequence[str]) -> None:
    """One id, which may stand for a relation in each branch, and not the beginning of several."""
    from blueprint.report.text import short  # noqa: PLC0415

    begun = dict.fromkeys(
        each for each in identities if each.startswith(asked) or each.partition(":")[2].startswith(asked)
    )
    if len(begun) > 1:
        listed = ", ".join(short(each) for each in list(begun)[:4])
        raise UsageError(f'"{plain(asked, 40)}" begins {len(begun)} of them, such as {listed}', path=option)
