"""The findings of a report by what a reader does with them: what to mend first, and what may only follow from it.

Every stage is held against the one before it, right or wrong. So a slip in one stage is found again in the next ones,
there often with found and expected exchanged; the first stage that is wrong tells what is to be mended.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from blueprint.outcome import FailedFact, Finding, Report, Status

BYTES: Final = frozenset({"replay", "replay.off", "report.mismatch", "digest.parent", "digest.transition"})
"""Codes of findings that follow from any other change."""


class Weight(enum.Enum):
    """What a finding is to the reader."""

    FIRST = "to mend first"
    LATER = "of later stages, which are held against what is wrong before them"
    BYTES = "of digests, replay and records, which differ wherever anything does"


class Place(NamedTuple):
    """A stage of a branch, by its position among the five; the branch is empty for what all branches share."""

    branch: str
    stage: int


@dataclass(frozen=True)
class Causes:
    """The findings by weight, each in the report's order.

    `fact` is the field that the very first one is about, where it is about one.
    """

    findings: Mapping[Weight, Sequence[Finding]]
    fact: FailedFact | None

    @property
    def first(self) -> Finding | None:
        """What to read first."""
        return next((each for weight in Weight for each in self.findings[weight]), None)


def causes(report: Report) -> Causes:
    """The findings of a report by weight."""
    places = {id(each): _place(each, report) for each in report.diagnostics}
    wrong: dict[str, int] = {}
    for finding in report.diagnostics:
        place = places[id(finding)]
        if place is not None and finding.code not in BYTES:
            wrong[place.branch] = min(place.stage, wrong.get(place.branch, place.stage))
    found: dict[Weight, list[Finding]] = {weight: [] for weight in Weight}
    for finding in report.diagnostics:
        found[_weight(finding, places[id(finding)], wrong)].append(finding)
    return Causes(found, _fact(report, next(iter(found[Weight.FIRST]), None)))


def _place(finding: Finding, report: Report) -> Place | None:
    """Where a finding lies: its path begins with a branch, if there are several, and a stage."""
    stages = list(dict.fromkeys(row.stage for row in report.subject.stages))
    branches = {row.branch for row in report.subject.stages} - {""}
    parts = finding.path.split("/")
    branch, rest = (parts[0], parts[1:]) if parts[0] in branches else ("", parts)
    return Place(branch, stages.index(rest[0])) if rest and rest[0] in stages else None


def _weight(finding: Finding, place: Place | None, wrong: Mapping[str, int]) -> Weight:
    if finding.code in BYTES:
        return Weight.BYTES
    if place is None:
        return Weight.FIRST
    shared = place.branch and "" in wrong
    return Weight.LATER if shared or place.stage > wrong[place.branch] else Weight.FIRST


def _fact(report: Report, finding: Finding | None) -> FailedFact | None:
    if finding is None or not finding.relation:
        return None
    claims = (
        claim
        for transition in report.transitions
        for relation in transition.relations
        if relation.id == finding.relation and finding.path.startswith(transition.branch)
        for claim in relation.claims
        if claim.status is Status.REFUTED and finding.code == f"claim.{claim.kind}"
    )
    return next((fact for claim in claims for fact in claim.failed), None)
