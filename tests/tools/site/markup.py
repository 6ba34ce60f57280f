"""The small part of Markdown that generated pages are written in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

NOTE = "<!-- Written by `python -m tests.tools.site --write`: change what it is made from, not this page. -->\n"

_CODE = re.compile(r"(`[^`]*`)")
_SIGN = re.compile(r"[*\[\]|$\\]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")


def escaped(words: str) -> str:
    """Words as they stand: only what is between backticks means more than itself."""
    parts = _CODE.split(words)
    return "".join(part if part.startswith("`") else _without_signs(part) for part in parts)


def _without_signs(words: str) -> str:
    """An underscore inside a word is no sign."""
    return _SIGN.sub(r"\\\g<0>", words.replace("&", "&amp;").replace("<", "&lt;"))


def heading(level: int, words: str, anchor: str) -> str:
    """A heading with an address that does not depend on how it is written."""
    return f"\n{'#' * level} {escaped(words)} {{#{anchor}}}\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; its cells are Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n" + "".join(f"| {' | '.join(each)} |\n" for each in lines)


def sentence(words: str) -> str:
    """Words that end with a stop, and with no second one."""
    return f"{words.rstrip('.')}."


def counted(number: int, thing: str) -> str:
    """A number of things."""
    return f"{number} {thing}{'' if number == 1 else 's'}"
