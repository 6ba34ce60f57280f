"""`blueprint explain`: what a rule, a law, a claim or a code in a report means, and what to do about it."""

from __future__ import annotations

from typing import Annotated

import typer

from blueprint.cli.command import command, maybe_rules, voice_of
from blueprint.cli.completing import complete_name
from blueprint.exit import ExitCode
from blueprint.files import STREAM

HELP = """Explain a rule, a law, a claim or a code that a report names; without a name, list them all.

\b
Examples:
  blueprint explain digest.parent
  blueprint explain qkv-projection
  blueprint explain training.mlp
"""


@command
def explain(
    context: typer.Context,
    *,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="As a report writes it, such as claim.exact_work.", autocompletion=complete_name
        ),
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option(
            "--rules", metavar="DIR|NAME", help="Another rulebook: a folder, or one of a package. It is run as code."
        ),
    ] = None,
) -> ExitCode:
    """Explain a rule, a law, a claim or a code that a report names; without a name, list them all."""
    folder = maybe_rules(rules)
    from blueprint.explanations.pages import listing, page  # noqa: PLC0415  (lazy: --help needs none of it)

    text = listing(folder) if name is None else page(name, folder)
    return voice_of(context).document(text.encode("ascii"), STREAM, ExitCode.VERIFIED)
