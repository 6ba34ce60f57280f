"""The laws of a boundary: what was established here, in mathematics, and what stands behind it for all parameters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

from blueprint.explorer.payload import LawRow
from blueprint.outcome import LawRow as Established
from blueprint.report import laws
from blueprint.rulebook import Rulebook

TRAFFIC_SOURCE: Final = "the formula of each primitive"


class Lawbook:
    """The equations of a rulebook's laws, each written once."""

    def __init__(self, rulebook: Rulebook) -> None:
        self.rulebook = rulebook
        self._written: dict[tuple[str, str], Mapping[str, Any]] = {}

    @cached_property
    def _stated(self) -> Mapping[tuple[str, str], tuple[Any, Any]]:
        return {(rule.id, law.id): (rule, law) for rule, law in self.rulebook.laws()}

    def row(self, law: Established) -> LawRow:
        """One form of a law at a boundary, with the equations of that form."""
        data = self._data(law.rule, law.id)
        return LawRow(
            id=law.id,
            form=law.form,
            rule=law.rule,
            statement=law.statement,
            equations=tuple(
                _equation(each) for each in data["equations"] if each["form"] == law.form or not _forms(data, law.form)
            ),
            source=data["source"],
            group=law.group,
            members=f"{law.members} of {law.expected_members}",
            status=law.status.value,
            theorem=law.theorem.value,
            theorems=law.theorem_digests,
            obligations=law.obligations,
        )

    def _data(self, rule: str, law: str) -> Mapping[str, Any]:
        key = (rule, law)
        if key not in self._written:
            stated = self._stated.get(key)
            empty: dict[str, Any] = {"equations": [], "source": ""}
            self._written[key] = empty if stated is None else laws.data(*stated)
        return self._written[key]


def _forms(data: Mapping[str, Any], form: str) -> bool:
    """Whether some equation is of this very form; some laws have one form for several equations."""
    return any(each["form"] == form for each in data["equations"])


def _equation(each: Mapping[str, str]) -> str:
    where = f" with {each['where']}" if each["where"] else ""
    when = f"  if {each['if']}" if each["if"] else ""
    return f"{each['text']}{where}{when}"
