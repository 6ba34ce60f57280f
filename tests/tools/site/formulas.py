"""Formulae in Markdown as MathML, made when the site is built: a page needs no script and no network to show them."""

from __future__ import annotations

import re
from typing import Final

from latex2mathml.converter import convert
from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor

_FORMULA: Final = r"\$\$([^$]+)\$\$|\$([^$]+)\$"

_PRIORITY: Final = 175
"""After code, which shows its signs as they are, and after escaped signs; before links and emphasis."""

_WORDS: Final = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,}(?: [A-Za-z]{2,})*")
"""Names of more than one letter: letters side by side would be a product."""


def mathml(latex: str, display: str) -> str:
    """A formula of a law as MathML, `inline` or as a `block`."""
    return convert(_WORDS.sub(lambda words: rf"\text{{{words[0]}}}", latex), display=display)


class _Formula(InlineProcessor):
    def handleMatch(self, m: re.Match[str], data: str) -> tuple[str, int, int]:  # type: ignore[override]  # noqa: N802
        """Keep the MathML aside, so that nothing in it is read as Markdown."""
        del data
        made = mathml(m[1], "block") if m[1] else mathml(m[2], "inline")
        return self.md.htmlStash.store(made), m.start(), m.end()


class Formulas(Extension):
    """`$...$` in a line, `$$...$$` by itself."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Register the pattern; an escaped sign begins no formula."""
        md.ESCAPED_CHARS.append("$")
        md.inlinePatterns.register(_Formula(_FORMULA, md), "formula", _PRIORITY)
