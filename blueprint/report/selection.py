"""A part of a report: some relations and laws. Verdict, findings and counts stay those of the whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from blueprint.outcome import ClaimRow, LawRow, RelationRow, Report, Status, TransitionReport


@dataclass(frozen=True)
class Selection:
    """What is asked for; of each kind any one suffices, and an empty kind asks for nothing.

    `relations` are ids, beginnings of ids, or names of entities; `stages` are those that a transition leads to.
    """

    relations: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    statuses: tuple[Status, ...] = ()

    def options(self) -> tuple[str, ...]:
        """The selection as options of the command line."""
        kinds = (
            ("--relation", self.relations),
            ("--rule", self.rules),
            ("--stage", self.stages),
            ("--only", tuple(status.value for status in self.statuses)),
        )
        return tuple(f"{option}={value}" for option, values in kinds for value in values)


def select(report: Report, selection: Selection) -> Report:
    """The report with the selected relations and laws, and the obligations behind them."""
    if not selection.options():
        return report
    transitions = [
        _selected(each, selection)
        for each in report.transitions
        if not selection.stages or each.target in selection.stages
    ]
    used = sorted({position for each in transitions for position in _used(each)})
    places = {position: place for place, position in enumerate(used)}
    return msgspec.structs.replace(
        report,
        transitions=tuple(_renumbered(each, places) for each in transitions),
        obligations=tuple(report.obligations[position] for position in used),
        selection=selection.options(),
    )


def matches(relation: RelationRow, asked: str) -> bool:
    """Whether a relation is meant by an id, the beginning of one, or the name of an entity that it made."""
    return bool(asked) and (
        relation.id.startswith(asked) or relation.id.partition(":")[2].startswith(asked) or asked in relation.names
    )


def unmatched(report: Report, selection: Selection) -> list[str]:
    """The options that nothing in the report can meet, such as the id of no relation."""
    relations = [relation for each in report.transitions for relation in each.relations]
    rules = {relation.transform for relation in relations} | {
        law.rule for each in report.transitions for law in each.laws
    }
    lost = [
        f"--relation={asked}" for asked in selection.relations if not any(matches(each, asked) for each in relations)
    ]
    return lost + [f"--rule={asked}" for asked in selection.rules if asked not in rules]


def _selected(transition: TransitionReport, selection: Selection) -> TransitionReport:
    relations = tuple(_relations(transition.relations, selection))
    rules = {relation.transform for relation in relations}
    laws = tuple(law for law in transition.laws if _asked(law, selection, rules))
    return msgspec.structs.replace(transition, relations=relations, laws=laws)


def _relations(relations: Sequence[RelationRow], selection: Selection) -> Iterator[RelationRow]:
    for relation in relations:
        if selection.relations and not any(matches(relation, asked) for asked in selection.relations):
            continue
        if selection.rules and relation.transform not in selection.rules:
            continue
        claims = tuple(claim for claim in relation.claims if _has_status(claim, selection))
        if claims or not selection.statuses:
            yield msgspec.structs.replace(relation, claims=claims)


def _asked(law: LawRow, selection: Selection, rules: set[str]) -> bool:
    """A law is selected by its status and its rule, which may be that of a selected relation."""
    if selection.statuses and law.status not in selection.statuses:
        return False
    if selection.relations:
        return law.rule in rules
    return not selection.rules or law.rule in selection.rules


def _has_status(claim: ClaimRow, selection: Selection) -> bool:
    return not selection.statuses or claim.status in selection.statuses


def _used(transition: TransitionReport) -> Iterator[int]:
    for relation in transition.relations:
        yield from (claim.obligation for claim in relation.claims)
    for law in transition.laws:
        yield from law.obligations


def _renumbered(transition: TransitionReport, places: dict[int, int]) -> TransitionReport:
    replace = msgspec.structs.replace
    relations = tuple(
        replace(each, claims=tuple(replace(claim, obligation=places[claim.obligation]) for claim in each.claims))
        for each in transition.relations
    )
    laws = tuple(replace(law, obligations=tuple(places[each] for each in law.obligations)) for law in transition.laws)
    return replace(transition, relations=relations, laws=laws)
