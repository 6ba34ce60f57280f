"""Mutants of the trusted core that change nothing, each with a proof."""

from __future__ import annotations

from typing import Final

EQUIVALENT: Final[dict[tuple[str, str, str], str]] = {}
"""File, line before and line after -> why no test could tell the two apart."""
