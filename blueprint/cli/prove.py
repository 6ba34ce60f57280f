"""`blueprint prove`: decide the laws for all parameter values, and record the proofs or compare them."""

from __future__ import annotations

from typing import Annotated

import typer

from blueprint.cli.command import (
    MAX_JOBS,
    NoProgressOption,
    chosen,
    command,
    maybe_folder,
    maybe_rules,
    maybe_whole,
    voice_of,
)
from blueprint.cli.completing import complete_rule, offering
from blueprint.exit import ExitCode, exit_of
from blueprint.files import STREAM
from blueprint.settings import DEFAULT_BUDGET, MAX_BUDGET

HELP = """Prove the laws of the rulebook for all parameter values, and record the proofs.

\b
Examples:
  blueprint prove --check
  blueprint prove training.mlp

A rule whose file, derivation and solver are those of its recorded proofs is not decided again, unless it is named.
"""


@command
def prove(
    context: typer.Context,
    *,
    only: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RULE]...",
            help="Rules to prove, such as training.mlp; all if absent.",
            autocompletion=complete_rule,
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing: decide again and compare with what is recorded.")
    ] = False,
    cross_check: Annotated[
        str | None,
        typer.Option(
            "--cross-check", metavar="cvc5", help="Ask a further solver as well.", autocompletion=offering("cvc5")
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Decide rules again whose recorded proofs are still current.")
    ] = False,
    proofs: Annotated[
        str | None, typer.Option("--proofs", metavar="DIR", help="Where proofs lie; beside the rules if absent.")
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
        str | None,
        typer.Option(
            "--budget", metavar="RLIMIT", help=f"Solver steps for one obligation; {DEFAULT_BUDGET} if absent."
        ),
    ] = None,
    _no_progress: NoProgressOption = False,
) -> ExitCode:
    """Prove the laws of the rulebook for all parameter values, and record the proofs."""
    crossed = cross_check is not None and chosen("--cross-check", cross_check, ("cvc5",)) == "cvc5"
    workers = maybe_whole("--jobs", jobs, 1, MAX_JOBS)
    steps = maybe_whole("--budget", budget, 1, MAX_BUDGET)
    folder, recorded = maybe_rules(rules), maybe_folder("--proofs", proofs)
    from blueprint.proving import prove as decide  # noqa: PLC0415  (lazy: refusals above need no solver)
    from blueprint.report import proofs as rendering  # noqa: PLC0415

    voice = voice_of(context)
    with voice.progress("proving"):
        report = decide(
            recorded,
            rules=folder,
            only=tuple(only or ()),
            check=check,
            jobs=workers,
            budget=DEFAULT_BUDGET if steps is None else steps,
            cross_check=crossed,
            everything=everything,
        )
    text = rendering.render(report, check=check, paint=voice.paint)
    return voice.document(text.encode("ascii"), STREAM, exit_of(report.outcome))
