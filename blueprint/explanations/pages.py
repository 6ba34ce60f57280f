"""A name -> its page, or all names in groups. The rulebook is loaded only where a name needs it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from blueprint.errors import UsageError
from blueprint.explanations.claims import CLAIMS
from blueprint.explanations.codes import CODES, GROUPS
from blueprint.explanations.entry import Entry
from blueprint.report import table
from blueprint.words import plain

if TYPE_CHECKING:
    from blueprint.rulebook import Rulebook

CLAIM: Final = "claim."
LAW: Final = "law."

NEAREST: Final = 5
"""The most names that are offered in the place of an unknown one."""

_LINE: Final = 4000
"""Most characters of one line: a closed total is long, and must not be cut."""


def page(name: str, rules: str | Path | None = None) -> str:
    """The explanation of a rule, a law, a claim or a code. Raises UsageError with the nearest names for any other."""
    if name in CODES:
        entry = CODES[name]
        return _shown(_entry(f"{name}: a code of a finding or an error (exit status {entry.status})", entry))
    kind = name.removeprefix(CLAIM)
    if kind in CLAIMS:
        head = f"{kind}: a claim; where it is refuted, the finding is {CLAIM}{kind} (exit status 1)"
        return _shown(_entry(head, CLAIMS[kind]))
    return _of_rulebook(name, _rulebook(rules))


def listing(rules: str | Path | None = None) -> str:
    """Every name with one line about it."""
    from blueprint.explanations.book import law_names, rule_names  # noqa: PLC0415  (see the module's docstring)

    rulebook = _rulebook(rules)
    claims = {kind: entry.what for kind, entry in CLAIMS.items()}
    lines = [
        "`blueprint explain NAME` says more about each of these.",
        *_section("rules", rule_names(rulebook)),
        *_section("laws (a refuted one has the code law.ID)", law_names(rulebook)),
        *_section("claims (a refuted one has the code claim.KIND)", claims),
    ]
    for group in GROUPS:
        lines += _section(f"codes: {group.title}", {code: entry.what for code, entry in group.entries.items()})
    return "".join(f"{line}\n" for line in lines)


def _of_rulebook(name: str, rulebook: Rulebook) -> str:
    from blueprint.explanations import book  # noqa: PLC0415  (see the module's docstring)

    known = {rule.id: rule for rule in rulebook.rules}
    laws = book.law_names(rulebook)
    law = name.removeprefix(LAW)
    if name in known:
        return _shown(book.rule_page(rulebook, known[name]))
    if law in laws:
        return _shown(book.law_page(rulebook, law))
    near = nearest(name, (*known, *laws, *CLAIMS, *CODES))
    hint = f"near it are {', '.join(near)}" if near else "`blueprint explain` lists them all"
    raise UsageError(f'no rule, law, claim or code is called "{plain(name, 60)}"; {hint}')


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Names that contain the given one, and names that are spelled like it."""
    names = list(dict.fromkeys(known))
    asked = name.lower().replace("-", "_")
    parts = [each for each in names if len(asked) > 2 and asked in each.replace("-", "_")]
    alike = difflib.get_close_matches(name.lower(), names, n=NEAREST, cutoff=0.6)
    return list(dict.fromkeys((*alike, *parts)))[:NEAREST]


def _rulebook(rules: str | Path | None) -> Rulebook:
    from blueprint.session import open_rulebook  # noqa: PLC0415  (see the module's docstring)

    return open_rulebook(rules)


def _entry(head: str, entry: Entry) -> Iterator[str]:
    yield from (head, "", entry.what, "")
    yield f"why: {entry.why}"
    yield f"an example that fails: {entry.example}"
    yield f"what to do: {entry.remedy}"


def _section(title: str, names: dict[str, str]) -> list[str]:
    return ["", title, *table.lines(("name", "meaning"), list(names.items()))[1:]]


def _shown(lines: Iterable[str]) -> str:
    return "".join(f"{plain(line, _LINE)}\n" for line in lines)
