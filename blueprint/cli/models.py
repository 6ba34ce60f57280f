"""`blueprint models`: the built-in models with their facts, and the known ones that no law covers yet."""

from __future__ import annotations

import typer

from blueprint.cli.command import command, voice_of
from blueprint.exit import ExitCode
from blueprint.files import STREAM

HELP = """List the built-in models, and the known ones that no law covers yet.

\b
Example:
  blueprint models
"""


@command
def models(context: typer.Context) -> ExitCode:
    """List the built-in models, and the known ones that no law covers yet."""
    return voice_of(context).document(_text().encode("ascii"), STREAM, ExitCode.VERIFIED)


def _text() -> str:
    from blueprint.frontend.models import BUILTIN, NOT_COVERED  # noqa: PLC0415  (lazy: --help needs none of it)
    from blueprint.report import table  # noqa: PLC0415

    head = ("model", "H", "F", "h", "k", "d", "L", "vocabulary", "positions", "biases", "activation")
    rows = [
        (
            facts.name,
            facts.hidden,
            facts.feedforward,
            facts.heads,
            facts.key_value_heads,
            facts.head_width,
            facts.layers,
            facts.vocabulary,
            facts.positions,
            "yes" if facts.biases else "no",
            facts.activation.value,
        )
        for facts in BUILTIN.values()
    ]
    refused = [(name, reason) for name, reason in NOT_COVERED.items()]
    lines = (
        "built-in models (H hidden width, F feed-forward width, h heads, k key/value heads, d head width, L layers)",
        *table.lines(head, rows),
        "known models that are refused, because no law exists yet for",
        *table.lines(("model", "feature"), refused),
        "A GPT-2-style config.json or a file of facts is accepted in the place of a name.",
    )
    return "".join(f"{line}\n" for line in lines)
