"""Keep the table of symbols in rules/README.md equal to the alphabet, or write it.

python tests/tools/symbol_table.py          # fails and shows the difference
python tests/tools/symbol_table.py --write  # puts the table into rules/README.md
"""

from __future__ import annotations

import difflib
import sys
from pathlib import Path

from blueprint.symbols import ALPHABET, Meaning

README = Path(__file__).parents[2] / "rules" / "README.md"
BEGIN, END = "<!-- symbols:begin -->\n", "<!-- symbols:end -->\n"
HEAD = "| symbol | meaning | unit | least |\n|---|---|---|---|\n"


def row(meaning: Meaning) -> str:
    """One symbol."""
    return f"| `{meaning.name}` | {meaning.meaning} | {meaning.unit} | {meaning.least} |\n"


def table() -> str:
    """The whole alphabet, in its own order."""
    return HEAD + "".join(map(row, ALPHABET.values()))


def sections(text: str) -> tuple[str, str, str]:
    """A text before, inside and after the table."""
    before, rest = text.split(BEGIN)
    inside, after = rest.split(END)
    return before + BEGIN, inside, END + after


def main() -> int:
    """Compare, or write with --write."""
    before, inside, after = sections(README.read_text(encoding="utf-8"))
    real = table()
    if "--write" in sys.argv[1:]:
        README.write_text(before + real + after, encoding="utf-8")
        return 0
    sys.stdout.writelines(
        difflib.unified_diff(inside.splitlines(keepends=True), real.splitlines(keepends=True), "README.md", "real")
    )
    return int(inside != real)


if __name__ == "__main__":
    sys.exit(main())
