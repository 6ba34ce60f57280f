"""`blueprint verify`: bundles -> reports. Nothing that a bundle says of itself is believed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from blueprint.cli.command import NoProgressOption, chosen, command, voice_of
from blueprint.cli.examining import (
    BudgetOption,
    CrossCheckOption,
    Effort,
    ExpectOption,
    JobsOption,
    OutputOption,
    RulesOption,
    effort_of,
    examined,
    nothing_in,
    refuse_clashes,
    tell,
    tell_of_rulebook,
    unpainted,
)
from blueprint.cli.formats import FORMATS, complete_format, complete_report, rendered
from blueprint.cli.voice import Voice
from blueprint.errors import UsageError
from blueprint.exit import ExitCode, exit_of, worst
from blueprint.files import STREAM
from blueprint.words import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blueprint.cli.bundles import Named
    from blueprint.report.subjects import Examined

HELP = """Verify bundles and report what was established.

\b
Examples:
  blueprint verify bundle.json
  blueprint verify bundle.json --expect model=gpt3-175b --expect tensor=8
  blueprint verify plans/ 'more/**/*.json' --format markdown -o summary.md --report sarif=blueprint.sarif
  blueprint derive training --model gpt2 --tensor 2 --microbatch 1 --sequence 1024 -o - | blueprint verify -

Of a folder every *.json in it and below it is verified. The last line says what was checked; of several bundles the
worst counts. `[tool.blueprint]` in pyproject.toml may demand more of every run.
"""


@command
def verify(
    context: typer.Context,
    *,
    bundles: Annotated[
        list[str],
        typer.Argument(metavar="BUNDLE...", help="Files, folders or patterns; `-` is standard input."),
    ],
    expect: ExpectOption = None,
    form: Annotated[
        str,
        typer.Option(
            "--format", metavar="|".join(FORMATS), help="Format of the report.", autocompletion=complete_format
        ),
    ] = "text",
    output: OutputOption = STREAM,
    report: Annotated[
        list[str] | None,
        typer.Option(
            "--report",
            metavar="FORMAT=FILE",
            help="A further report in a file. Repeatable.",
            autocompletion=complete_report,
        ),
    ] = None,
    rules: RulesOption = None,
    jobs: JobsOption = None,
    budget: BudgetOption = None,
    cross_check: CrossCheckOption = None,
    _no_progress: NoProgressOption = False,
) -> ExitCode:
    """Verify bundles and report what was established."""
    documents = [(chosen("--format", form, FORMATS), output), *map(_report_option, report or ())]
    from blueprint.cli.bundles import named  # noqa: PLC0415  (lazy: --help needs none of it)
    from blueprint.cli.config import load  # noqa: PLC0415

    asked = named(bundles)
    given = [bundle for each in asked for bundle in (each.bundles or (each.argument,))]
    refuse_clashes(given, [path for _, path in documents])
    effort = effort_of(rules=rules, jobs=jobs, budget=budget, cross_check=cross_check, expect=expect, config=load())
    voice = voice_of(context)
    subjects = _examined(asked, effort, voice)
    several = len(asked) > 1 or asked[0].several
    code = worst(exit_of(each.report.verdict) for each in subjects)
    shown = (form, output) == ("text", STREAM)
    if not shown:
        tell(subjects, voice)
    code = worst(
        voice.document(
            rendered(kind, subjects, voice.paint if path == STREAM else unpainted, several=several), path, code
        )
        for kind, path in documents
    )
    if not shown:
        tell_of_rulebook(subjects, voice)
    return code


def _report_option(text: str) -> tuple[str, str]:
    """`FORMAT=FILE` of --report."""
    form, equals, path = text.partition("=")
    if not equals or not path:
        raise UsageError(f'"{plain(text, 60)}" is not FORMAT=FILE', path="--report")
    return chosen("--report", form, FORMATS), path


def _examined(asked: Sequence[Named], effort: Effort, voice: Voice) -> list[Examined]:
    """Every bundle, one after the other."""
    total = sum(len(each.bundles) for each in asked)
    found: list[Examined] = []
    with voice.progress("verifying", total) as step:
        for each in asked:
            if each.empty:
                found.append(nothing_in(each.argument, effort))
            for bundle in each.bundles:
                step(f"verifying {plain(bundle)}")
                found.append(examined(bundle, bundle, effort, voice))
    return found
