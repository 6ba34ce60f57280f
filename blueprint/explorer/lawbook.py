"""The laws of a boundary: what was established here, in mathematics, and what stands behind it for all parameters."""

from __future__ import annotations

from typing import Final

from blueprint.explorer.payload import LawRow
from blueprint.outcome import LawRow as Established
from blueprint.report.laws import formula_equations, typed_equations
from blueprint.rulebook import Rulebook
from blueprint.words import plain

PRIMITIVES: Final = "the formulae of the primitives; `blueprint laws` lists them"
"""Where a law stands that no rule of this boundary states by itself."""


class Lawbook:
    """The equations of a rulebook's laws, each written once."""

    def __init__(self, rulebook: Rulebook) -> None:
        self._stated = {(rule.id, law.id): (rule, law) for rule, law in rulebook.laws()}
        self._named = {(rule.id, rule.law): rule for rule in rulebook.primitives.values() if rule.law}
        self._written: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {}

    def row(self, law: Established, open_at: frozenset[int]) -> LawRow:
        """One form of a law at a boundary, with the equations of that form; its instances at `open_at` come first."""
        return LawRow(
            id=plain(law.id),
            form=plain(law.form),
            rule=plain(law.rule),
            statement=plain(law.statement, 1000),
            equations=self._equations(law),
            source=self._source((law.rule, law.id)),
            group=plain(law.group, 1000),
            members=f"{law.members} of {law.expected_members}",
            status=law.status.value,
            theorem=law.theorem.value,
            theorems=law.theorem_digests,
            obligations=tuple(sorted(law.obligations, key=lambda at: at not in open_at)),
        )

    def _source(self, key: tuple[str, str]) -> str:
        if key in self._stated:
            return plain(self._stated[key][1].source, 1000)
        return plain(self._named[key].source, 1000) if key in self._named else PRIMITIVES

    def _equations(self, law: Established) -> tuple[str, ...]:
        """Those of the form; all, where the form is of several equations."""
        key = (law.rule, law.id)
        if key not in self._written:
            self._written[key] = self._write(key)
        written = self._written[key]
        return tuple(text for form, text in written if form == law.form) or tuple(text for _, text in written)

    def _write(self, key: tuple[str, str]) -> tuple[tuple[str, str], ...]:
        if key in self._stated:
            return typed_equations(*self._stated[key])
        return formula_equations(self._named[key]) if key in self._named else ()
