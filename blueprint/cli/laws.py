"""`blueprint laws`: the published equations of the rulebook, with their sources."""

from __future__ import annotations

from typing import Annotated

import typer

from blueprint.cli.command import chosen, command, voice_of
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
    form: Annotated[str, typer.Option("--format", metavar="|".join(FORMATS), help="Format of the list.")] = "text",
) -> ExitCode:
    """List the laws: every published equation with its source and the cases in which it holds."""
    chosen("--format", form, FORMATS)
    from blueprint.report import laws as rendering  # noqa: PLC0415  (lazy: sympy is not needed to refuse a format)
    from blueprint.rulebook import load, shipped  # noqa: PLC0415

    rulebook = load(shipped("rules"))
    if form == "json":
        data = rendering.json(rulebook)
    else:
        render = {"text": rendering.text, "markdown": rendering.markdown, "latex": rendering.latex}[form]
        data = render(rulebook).encode("ascii")
    return voice_of(context).document(data, STREAM, ExitCode.VERIFIED)
