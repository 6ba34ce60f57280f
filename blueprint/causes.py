"""The order of findings, by what a reader does with them: what to mend first, and what may only follow from it.

Every stage is held against the one before it, right or wrong. So a slip in one stage is found again in the next ones,
there often with found and expected exchanged; the first stage that is wrong tells what is to be mended.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from blueprint.outcome import FailedFact, Finding, Report, StageRow, Status

_SPECIFIC: Final = ("digest.request", "expect", "model", "lineage", "coverage", "claim", "law", "structure", "stage")
"""Codes and families of codes in the order in which they tell what is wrong: a request that was edited is the cause of
all that does not follow from it, and where an entity is missing every list that names it is wrong as well."""

_BYTES: Final = frozenset({"replay", "replay.off", "report.mismatch", "digest.transition", "nothing.established"})
"""Codes of findings that follow from any other change."""


class Weight(enum.Enum):
    """What a finding is to the reader."""

    FIRST = "to mend first"
    LATER = "that may follow from these: each stage is held against what stands before it"
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
    found: dict[Weight, list[Finding]] = {weight: [] for weight in Weight}
    for finding, weight in weighed(report.diagnostics, report.subject.stages):
        found[weight].append(finding)
    return Causes(found, _fact(report, next(iter(found[Weight.FIRST]), None)))


def in_order(findings: Sequence[Finding], stages: Sequence[StageRow]) -> tuple[Finding, ...]:
    """The findings as a report has them: what to mend first, and the most specific first of what weighs the same."""
    order = list(Weight)
    pairs = sorted(weighed(findings, stages), key=lambda pair: (order.index(pair[1]), _specificity(pair[0].code)))
    return tuple(finding for finding, _ in pairs)


def weighed(findings: Sequence[Finding], stages: Sequence[StageRow]) -> Iterator[tuple[Finding, Weight]]:
    """Every finding with its weight, in the order given. `stages` are the slots of all branches."""
    places = [_place(each, stages) for each in findings]
    wrong: dict[str, int] = {}
    for finding, place in zip(findings, places, strict=True):
        if place is not None and finding.code not in {*_BYTES, "digest.parent"}:
            wrong[place.branch] = min(place.stage, wrong.get(place.branch, place.stage))
    lost = {
        place
        for finding, place in zip(findings, places, strict=True)
        if finding.code == "digest.parent" and place is not None and not _after(place, wrong)
    }
    for finding, place in zip(findings, places, strict=True):
        yield finding, _weight(finding, place, wrong, lost)


def _specificity(code: str) -> int:
    family = code.partition(".")[0]
    return next((at for at, name in enumerate(_SPECIFIC) if name in {code, family}), len(_SPECIFIC))


def _place(finding: Finding, stages: Sequence[StageRow]) -> Place | None:
    """Where a finding lies: its path begins with a branch, if there are several, and a stage."""
    names = list(dict.fromkeys(row.stage for row in stages))
    branches = {row.branch for row in stages} - {""}
    parts = finding.path.split("/")
    branch, rest = (parts[0], parts[1:]) if parts[0] in branches else ("", parts)
    return Place(branch, names.index(rest[0])) if rest and rest[0] in names else None


def _after(place: Place, wrong: Mapping[str, int]) -> bool:
    """Whether a stage before this one is wrong: one of its branch, or the model that all branches share."""
    shared = place.branch and "" in wrong
    return bool(shared) or wrong.get(place.branch, place.stage) < place.stage


def _weight(finding: Finding, place: Place | None, wrong: Mapping[str, int], lost: set[Place]) -> Weight:
    if finding.code in _BYTES:
        return Weight.BYTES
    if finding.code == "digest.parent":
        # Of a stage after a wrong one it follows; where nothing before is wrong it was itself put wrong.
        return Weight.FIRST if place in lost else Weight.BYTES
    if place is None:
        return Weight.FIRST
    if finding.code == "structure.id" and place in lost:
        # Ids are made from the parent's digest.
        return Weight.LATER
    return Weight.LATER if _after(place, wrong) else Weight.FIRST


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
