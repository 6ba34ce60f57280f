"""Keep the tables of symbols and words in rules/README.md equal to the code, or write them.

python -m tests.tools.symbol_table          # fails and shows the difference
python -m tests.tools.symbol_table --write  # puts the tables into rules/README.md
"""

from __future__ import annotations

import enum
import inspect
import sys
from dataclasses import fields
from pathlib import Path

from blueprint.case import Case
from blueprint.ir.common import Phase, Primitive
from blueprint.ir.model import OperationKind
from blueprint.law import Capacity, Quantity
from blueprint.symbols import ALPHABET, Meaning
from tests.tools.generated import Part

README = Path(__file__).parents[2] / "rules" / "README.md"
PART = Part(README, "<!-- symbols:begin -->\n", "<!-- symbols:end -->\n")
HEAD = "| symbol | meaning | unit | least |\n|---|---|---|---|\n"
WORDS_HEAD = "| word | its members |\n|---|---|\n"

VOCABULARIES: tuple[type[enum.Enum], ...] = (OperationKind, Phase, Primitive)
MEASURES: tuple[type[enum.Enum], ...] = (Quantity, Capacity)
"""Vocabularies whose members stand for a symbol, which is their value."""


def row(meaning: Meaning) -> str:
    """One symbol."""
    return f"| `{meaning.name}` | {meaning.meaning} | {meaning.unit} | {meaning.least} |\n"


def table() -> str:
    """The whole alphabet, in its own order."""
    return HEAD + "".join(map(row, ALPHABET.values()))


def words() -> str:
    """What a rule file may name: closed vocabularies, and what a case says of itself."""
    rows = [(each.__name__, [f"`{member.name}`" for member in each]) for each in VOCABULARIES]
    rows += [(each.__name__, [f"`{member.name}` is {member.value}" for member in each]) for each in MEASURES]
    # `text` and `words` are for people.
    asked = [
        name
        for name, value in inspect.getmembers(Case)
        if isinstance(value, property) and name not in {"text", "words"}
    ]
    rows.append(("Case", [f"`{name}`" for name in (*(each.name for each in fields(Case)), *asked)]))
    return WORDS_HEAD + "".join(f"| `{name}` | {', '.join(members)} |\n" for name, members in rows)


def tables() -> str:
    """Both tables."""
    return f"{table()}\n{words()}"


if __name__ == "__main__":
    sys.exit(PART.settle(tables(), sys.argv[1:]))
