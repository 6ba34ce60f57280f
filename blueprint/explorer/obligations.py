"""Discharged obligations as rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from blueprint.explorer.payload import Fact, Obligation
from blueprint.outcome import ObligationRow
from blueprint.words import plain

VALUES: Final = 200
"""The most values of a witness or a counterexample that are shown."""


def obligation_row(row: ObligationRow) -> Obligation:
    """One obligation with what its deciders answered."""
    steps = f", {row.resource} of {row.budget} steps" if row.resource != "0" else f", at most {row.budget} steps"
    return Obligation(
        digest=row.digest,
        statement=plain(row.statement, 1000),
        verdict=row.verdict.value,
        solver=f"{row.solver}{steps}",
        second=row.second,
        cross=row.cross,
        premises=row.core,
        shared=row.shared,
        reason=plain(row.reason, 500),
        counterexample=_values({} if row.counterexample is None else row.counterexample.values),
        witness=_values(row.witness),
    )


def _values(values: Mapping[str, str]) -> tuple[Fact, ...]:
    """Values by name; of very many only the first, with how many more there are."""
    listed = [Fact(name=plain(name), value=value) for name, value in list(values.items())[:VALUES]]
    if len(values) > VALUES:
        listed.append(Fact(name="...", value=f"{len(values) - VALUES} more"))
    return tuple(listed)
