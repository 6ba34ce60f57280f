"""Findings with the places that they are about: boundary, relation, stage and entity, as positions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from blueprint.causes import Weight, causes
from blueprint.explanations.claims import CLAIMS
from blueprint.explanations.codes import CODES
from blueprint.explorer.payload import BoundaryFindings, FindingRow, FindingTotals
from blueprint.explorer.relations import Found
from blueprint.explorer.stages import Slot
from blueprint.outcome import Finding, Report, Status
from blueprint.words import plain

SHOWN: Final = 200
"""The most findings that the index has."""

DIFFERS: Final = "differs"
"""The word of a boundary whose claims and laws are established, and whose digests, replay or record are not."""

_LISTED: Final = re.compile(r"\A(?P<list>stages|transitions)\[(?P<at>[0-9]{1,4})\]")


@dataclass(frozen=True)
class Places:
    """Where things stand in the index: the slots by stage and branch, and the boundary that leads to each."""

    slots: Mapping[tuple[str, str], Slot]
    stages: Sequence[tuple[str, str]]
    """Stage and branch of each record of a stage, and of each record of a transition by what it leads to."""
    transitions: Sequence[tuple[str, str]]
    boundaries: Mapping[int, int]
    found: Sequence[Found]
    laws: Sequence[Sequence[str]]
    """The laws of each boundary, with their forms, as findings name them."""
    speakers: Sequence[Sequence[frozenset[int]]]
    """For each of those laws the rules that state it."""


class Place(NamedTuple):
    """The positions that a finding is about; -1 where there is no such place."""

    boundary: int
    relation: int
    law: int
    stage: int
    entity: int


class Placed(NamedTuple):
    """A finding with its weight and its place."""

    finding: Finding
    weight: Weight
    place: Place


def placed(report: Report, places: Places) -> tuple[Placed, ...]:
    """All findings: by weight, and then in the report's order."""
    # Findings about entities that share one name share their place, too; each would be looked for among all of them.
    known: dict[tuple[str, str, str], Place] = {}
    found = []
    for weight, findings in causes(report).findings.items():
        for each in findings:
            key = (each.path, each.relation, each.law)
            if key not in known:
                known[key] = _place(each, places)
            found.append(Placed(each, weight, known[key]))
    return tuple(found)


def _place(finding: Finding, places: Places) -> Place:
    slot, rest = _slot(finding.path, places)
    boundary = -1 if slot is None else places.boundaries.get(slot.position, -1)
    law = _law(finding, boundary, places)
    relation = _relation(finding, boundary, slot, rest, law, places)
    entity = _entity(slot, rest, relation, boundary, places)
    return Place(boundary, relation, law, -1 if slot is None else slot.position, entity)


def finding_rows(findings: Sequence[Placed]) -> Iterator[FindingRow]:
    """The first findings."""
    for each in findings[:SHOWN]:
        yield FindingRow(
            code=plain(each.finding.code),
            message=plain(each.finding.message, 2000),
            meaning=meaning_of(each.finding),
            path=plain(each.finding.path, 500),
            weight=each.weight.name.lower(),
            refutes=each.finding.refutes,
            boundary=each.place.boundary,
            relation=each.place.relation,
            law=each.place.law,
            stage=each.place.stage,
            entity=each.place.entity,
        )


def finding_totals(findings: Sequence[Placed], boundaries: int, stages: int) -> FindingTotals:
    """What all findings come to, at each of so many boundaries and in each of so many stages."""
    weights = Counter(each.weight for each in findings)
    at: list[list[Placed]] = [[] for _ in range(boundaries)]
    refuted: list[set[int]] = [set() for _ in range(stages)]
    for each in findings:
        if each.place.boundary >= 0:
            at[each.place.boundary].append(each)
        if each.finding.refutes and each.place.entity >= 0:
            refuted[each.place.stage].add(each.place.entity)
    return FindingTotals(
        first=weights[Weight.FIRST],
        later=weights[Weight.LATER],
        bytes=weights[Weight.BYTES],
        boundaries=tuple(BoundaryFindings(count=len(some), word=_word(some)) for some in at),
        refuted=tuple(tuple(sorted(some)) for some in refuted),
    )


def _word(findings: Sequence[Placed]) -> str:
    """What findings make of a boundary whose claims and laws are established."""
    refuting = [each.weight for each in findings if each.finding.refutes]
    if not refuting:
        return "not established" if findings else ""
    return DIFFERS if set(refuting) == {Weight.BYTES} else Status.REFUTED.value


def meaning_of(finding: Finding) -> str:
    """What a finding of this code means, in one sentence."""
    if finding.code in CODES:
        return CODES[finding.code].what
    claim = finding.code.removeprefix("claim.")
    if claim in CLAIMS:
        return CLAIMS[claim].what
    return "A law does not hold at the numbers of this plan." if finding.law else ""


def _slot(path: str, places: Places) -> tuple[Slot | None, str]:
    """The stage that a path begins with, and what is left of the path."""
    listed = _LISTED.match(path)
    if listed:
        # A record says itself what it is of: in a false bundle the two lists need not run side by side.
        at = int(listed["at"])
        records = places.stages if listed["list"] == "stages" else places.transitions
        return (places.slots.get(records[at]) if at < len(records) else None), ""
    first, _, rest = path.partition("/")
    if (first, "") in places.slots:
        return places.slots[first, ""], rest
    second, _, rest = rest.partition("/")
    return places.slots.get((second, first)), rest


def _names(rest: str) -> Iterator[str]:
    """An entity's field, then the same without its last parts: one of them is the entity's name."""
    name = rest.partition(" ")[0].partition("[")[0]
    while name:
        yield name
        name = name.rpartition(".")[0]


def _called(slot: Slot, rest: str) -> list[int]:
    """Positions of the entities with the longest name that the rest of a path begins with."""
    if slot.shown is None:
        return []
    named = slot.shown.named
    return next((named[name] for name in _names(rest) if name in named), [])


def _relation(finding: Finding, boundary: int, slot: Slot | None, rest: str, law: int, places: Places) -> int:
    """The relation of a claim: of several with one id, the one that made the entity.

    A law names an entity alone: of several with one name, the one that a rule of the law made.
    """
    if boundary < 0 or slot is None:
        return -1
    found = places.found[boundary]
    candidates = found.ids.get(finding.relation, [])
    made = [number for entity in _called(slot, rest) for number in found.made.get(entity, [])]
    if law >= 0:
        stated = places.speakers[boundary][law]
        made = [number for number in made if found.rules[number] in stated]
    if not finding.relation:
        return made[0] if made else -1
    return next((number for number in candidates if number in made), candidates[0] if candidates else -1)


def _law(finding: Finding, boundary: int, places: Places) -> int:
    """The form of a law that a finding is about."""
    laws = places.laws[boundary] if boundary >= 0 else ()
    return laws.index(finding.law) if finding.law in laws else -1


def _entity(slot: Slot | None, rest: str, relation: int, boundary: int, places: Places) -> int:
    """The entity that a path names: of several with one name, the one that the relation made."""
    if slot is None:
        return -1
    named = _called(slot, rest)
    if relation >= 0:
        made = places.found[boundary].made
        return next((each for each in named if relation in made.get(each, [])), named[0] if named else -1)
    return named[0] if named else -1
