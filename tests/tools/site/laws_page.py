"""The page of all laws, by rule."""

from __future__ import annotations

from typing import Final

from blueprint.explanations.book import rule_names
from blueprint.rule import PrimitiveRule
from tests.tools.site.equations import Book, law_section, primitive_section
from tests.tools.site.markup import NOTE, escaped, heading, sentence

INTRODUCTION: Final = f"""{NOTE}
# Laws

Rulebook {{revision}}. Each equation stands with its source, the cases that it is for, and the proofs that are recorded
for it. [How to add a rule](rules.md) says how one is written and proved, and lists the symbols.

## Primitives {{{{#primitives}}}}
"""


def laws_page(book: Book) -> str:
    """Every rule that states equations, in the order of the rulebook; primitives first, for the laws rest on them."""
    names = rule_names(book.rulebook)
    parts = [
        INTRODUCTION.format(revision=book.rulebook.revision),
        *(primitive_section(book, rule, 3) for rule in book.rulebook.primitives.values()),
    ]
    for rule in book.rulebook.rules:
        if not isinstance(rule, PrimitiveRule) and rule.laws:
            parts.append(f"{heading(2, rule.id, f'rule-{rule.id}')}\n{escaped(sentence(names[rule.id]))}\n")
            parts += [law_section(book, rule, law, 3) for law in rule.laws]
    return "".join(parts)
