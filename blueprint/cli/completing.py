"""What a shell offers at a place of a command line. No solver and no rulebook is loaded for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

EXPECTED: Final = (
    *("model", "purpose", "tensor", "pipeline", "data", "microbatch", "batch", "sequence", "microbatches"),
    *("prompt", "context", "dtype", "recompute", "communication", "zero", "gradient_bytes", "shard_checkpoint"),
    *("scope", "stage", "blocks", "hidden", "feedforward", "heads", "key_value_heads", "head_width", "layers"),
    *("vocabulary", "positions", "biases", "activation", "target", "emit", "attention", "architecture", "abi"),
    *("revision", "devices", "device_memory", "topology"),
)
"""The keys of --expect, those of the command line's own options first."""


def offering(*words: str) -> Callable[[str], list[str]]:
    """Offer those of the words that begin with what stands there already."""

    def complete(incomplete: str) -> list[str]:
        return _begun(words, incomplete)

    return complete


def complete_model(incomplete: str) -> list[str]:
    """The built-in models; a shell offers files where none begins so."""
    from blueprint.frontend.models import BUILTIN  # noqa: PLC0415  (only a shell pays for it)

    return _begun(BUILTIN, incomplete)


def complete_rule(incomplete: str) -> list[str]:
    """The rules that are shipped."""
    return _begun(rule_ids(), incomplete)


def complete_name(incomplete: str) -> list[str]:
    """What `explain` knows without a rulebook, and the rules that are shipped."""
    from blueprint.explanations.claims import CLAIMS  # noqa: PLC0415  (only a shell pays for it)
    from blueprint.explanations.codes import CODES  # noqa: PLC0415

    return _begun((*rule_ids(), *(f"claim.{kind}" for kind in CLAIMS), *CODES), incomplete)


def rule_ids() -> list[str]:
    """The ids of the shipped rules, which are the names of their files."""
    package = Path(__file__).resolve().parents[1]
    folder = next((each for each in (package / "rules", package.parent / "rules") if each.is_dir()), package)
    return sorted(f"{each.parent.name}.{each.stem}" for each in folder.glob("*/*.py") if each.stem != "__init__")


def _begun(words: Iterable[str], incomplete: str) -> list[str]:
    return [each for each in dict.fromkeys(words) if each.startswith(incomplete)]
