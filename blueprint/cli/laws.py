"""`blueprint laws`: the published equations of the rulebook, with their sources."""

from __future__ import annotations

from typing import Annotated

import typer

from blueprint.cli.command import chosen, command, maybe_rules, voice_of
from blueprint.cli.completing import offering
from blueprint.exit import ExitCode
from blueprint.files import STREAM

FORMATS = ("text", "markdown", "latex", "json")

HELP = """List the laws: every published equation with its source and the cases in which it holds.

\b
Example:
  blueprint laws --format markdown
"""


@command
def laws(
    context: typer.Context,
    *,
    form: Annotated[
        str,
        typer.Option(
            "--format", metavar="|".join(FORMATS), help="Format of the list.", autocompletion=offering(*FORMATS)
        ),
    ] = "text",
    rules: Annotated[
        str | None,
        typer.Option(
            "--rules", metavar="DIR|NAME", help="Another rulebook: a folder, or one of a package. It is run as code."
        ),
    ] = None,
) -> ExitCode:
    """List the laws: every published equation with its source and the cases in which it holds."""
    chosen("--format", form, FORMATS)
    named = maybe_rules(rules)
    from blueprint.report import laws as rendering  # noqa: PLC0415  (lazy: sympy is not needed to refuse a format)
    from blueprint.session import open_rulebook  # noqa: PLC0415

    rulebook = open_rulebook(named)
    if form == "json":
        data = rendering.json(rulebook)
    else:
        render = {"text": rendering.text, "markdown": rendering.markdown, "latex": rendering.latex}[form]
        data = render(rulebook).encode("ascii")
    return voice_of(context).document(data, STREAM, ExitCode.VERIFIED)
