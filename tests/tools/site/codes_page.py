"""The page of every claim and every code that a report or an error can name."""

from __future__ import annotations

from typing import Final

from blueprint.explanations.claims import CLAIMS
from blueprint.explanations.codes import GROUPS
from blueprint.explanations.entry import Entry
from tests.tools.site.markup import NOTE, escaped, heading

INTRODUCTION: Final = f"""{NOTE}
# Claims and codes

`blueprint explain NAME` prints the same; rules and laws stand with the [laws](laws.md) and the [passes](passes.md).

## Claims {{#claims}}

A refuted claim is reported as `claim.KIND`, a refuted law as `law.ID`, both with exit status 1.
"""


def codes_page() -> str:
    """Claims first, then the codes in the order in which a run can meet them."""
    parts = [INTRODUCTION, *(_entry(f"claim.{kind}", f"claim-{kind}", entry) for kind, entry in CLAIMS.items())]
    for group in GROUPS:
        anchor = group.title.replace(" ", "-").replace(",", "")
        parts.append(heading(2, f"{group.title[:1].upper()}{group.title[1:]}", anchor))
        parts += [_entry(code, f"code-{code}", entry) for code, entry in group.entries.items()]
    return "".join(parts)


def _entry(name: str, anchor: str, entry: Entry) -> str:
    return (
        f"{heading(3, name, anchor)}\n{escaped(entry.what)}\n\n"
        f"- Why: {escaped(entry.why)}\n"
        f"- An example that fails: {escaped(entry.example)}\n"
        f"- What to do: {escaped(entry.remedy)}\n"
        f"- Exit status: {entry.status}\n"
    )
