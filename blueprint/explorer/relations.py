"""The relations of one boundary as rows of the lowering table: source, pass, and targets group by group.

Grouping is for the eye alone: nothing of it has an id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from blueprint.explorer.expressions import Expressions, Parameter, applied
from blueprint.explorer.facets import Facets
from blueprint.explorer.items import kind_of, lineage_of
from blueprint.explorer.payload import Claim, Colour, FailedRow, Relation, Span, TargetGroup
from blueprint.outcome import ClaimRow, RelationRow, Status
from blueprint.words import plain

WEAKEST_FIRST: Final = (
    Status.REFUTED,
    Status.UNKNOWN,
    Status.VACUOUS,
    Status.NOT_RUN,
    Status.DEFINITION,
    Status.CHECKED,
    Status.PROVED,
    Status.NOT_APPLICABLE,
)
"""Verdict words from what weighs most to what weighs least."""

ESTABLISHED: Final = frozenset({Status.PROVED.value, Status.CHECKED.value})
"""The words that establish something."""


def weakest(statuses: Sequence[Status]) -> str:
    """The word that weighs most; empty where there is none."""
    found = set(statuses)
    return next((status.value for status in WEAKEST_FIRST if status in found), "")


@dataclass(frozen=True)
class Side:
    """A snapshot beside a boundary: its expressions, and the facets by which its entities are grouped."""

    expressions: Expressions
    facets: Facets


@dataclass(frozen=True)
class Lowering:
    """What the rows of one boundary are made from; `source` is None for the request, or where nothing is shown.

    `whole` are the rules that speak of the boundary as a whole: they make no targets, and none is missing.
    """

    derivation_pass: str
    kinds: Mapping[str, str]
    places: Mapping[str, int]
    whole: frozenset[str]
    source: Side | None
    target: Side
    examined: Sequence[RelationRow]


@dataclass
class Found:
    """The rows that were made: their rules, statuses and entities, for those who link to them."""

    rules: list[int] = field(default_factory=list)
    failing: list[int] = field(default_factory=list)
    ids: dict[str, list[int]] = field(default_factory=dict)
    made: dict[int, list[int]] = field(default_factory=dict)
    used: dict[int, list[int]] = field(default_factory=dict)
    undeclared: int = 0


def relation_rows(lowering: Lowering, found: Found) -> Iterator[Relation]:
    """Every relation, in the order of the declared rules; then what only lineage tells of. Noted in `found`."""
    names = (*lowering.places, *(row.transform for row in lowering.examined))
    order = {rule: at for at, rule in enumerate(dict.fromkeys(names))}
    number = 0
    covered: set[int] = set()
    for row in sorted(lowering.examined, key=lambda each: order[each.transform]):
        relation = _row(lowering, row)
        _note(found, number, relation)
        covered.update(each for group in relation.targets for each in group.entities)
        yield relation
        number += 1
    for relation in _by_lineage(lowering, covered):
        _note(found, number, relation)
        yield relation
        number += 1


def _note(found: Found, number: int, relation: Relation) -> None:
    found.rules.append(relation.rule)
    if relation.status not in ESTABLISHED:
        found.failing.append(number)
    if relation.rule < 0:
        found.undeclared += 1
    if relation.id:
        found.ids.setdefault(relation.id, []).append(number)
    for group in relation.targets:
        for each in group.entities:
            found.made.setdefault(each, []).append(number)
    for each in relation.sources:
        found.used.setdefault(each, []).append(number)


def _row(lowering: Lowering, row: RelationRow) -> Relation:
    """One relation as the report has it."""
    targets = [_position(lowering.target, each) for each in row.targets]
    there = [each for each in targets if each is not None]
    sources = [] if lowering.source is None else [_position(lowering.source, each) for each in row.sources]
    present = tuple(each for each in sources if each is not None)
    lost = [each for each in row.sources if lowering.source is not None and _position(lowering.source, each) is None]
    lost += [each for each, position in zip(row.targets, targets, strict=True) if position is None]
    whole = row.transform in lowering.whole and not row.targets
    if not whole:
        names = [lowering.target.expressions.shown.entities[each].name for each in there]
        lost += _without(row.names, names)
    return Relation(
        id=row.id,
        rule=lowering.places.get(row.transform, -1),
        transform=plain(row.transform),
        cardinality=row.cardinality,
        status=weakest([claim.status for claim in row.claims]),
        source=_source(lowering, present, row.sources),
        sources=present,
        passed=_passed(lowering, row.transform, len(row.sources), 0 if whole else len(row.names)),
        targets=_groups(lowering.target, there),
        missing=tuple(plain(each) for each in lost),
        claims=tuple(map(_claim, row.claims)),
    )


def _by_lineage(lowering: Lowering, covered: set[int]) -> Iterator[Relation]:
    """Targets of no relation: lineage that no rule declares, or that was not examined, is evidence of itself alone."""
    left: dict[tuple[str, str, tuple[str, ...]], list[int]] = {}
    for position, entity in enumerate(lowering.target.expressions.shown.entities):
        lineage = lineage_of(entity)
        if lineage is not None and position not in covered:
            left.setdefault((lineage.transform, lineage.kind.value, lineage.sources), []).append(position)
    for (transform, kind, sources), targets in left.items():
        places = [] if lowering.source is None else [_position(lowering.source, each) for each in sources]
        present = tuple(each for each in places if each is not None)
        lost = (
            sources
            if lowering.source is None
            else [each for each in sources if _position(lowering.source, each) is None]
        )
        yield Relation(
            id="",
            rule=-1,
            transform=plain(transform),
            cardinality=f"{_many(len(sources))}:{_many(len(targets))}",
            status="",
            source=_source(lowering, present, sources),
            sources=present,
            passed=_passed(lowering, transform, len(sources), len(targets), kind),
            targets=_groups(lowering.target, targets),
            missing=tuple(plain(each) for each in lost),
            claims=(),
        )


def _position(side: Side, identifier: str) -> int | None:
    return side.expressions.shown.positions.get(identifier)


def _without(names: Sequence[str], found: Sequence[str]) -> list[str]:
    """The demanded names for which nothing was found, each as often as it is demanded."""
    left = list(found)
    lost = []
    for name in names:
        if name in left:
            left.remove(name)
        else:
            lost.append(name)
    return lost


def _many(count: int) -> str:
    return str(count) if count < 2 else "N"


def _source(lowering: Lowering, present: Sequence[int], sources: Sequence[str]) -> Span:
    if lowering.source is None:
        return Span(colour=Colour.STRUCTURE, parts=("request",))
    if present:
        return lowering.source.expressions.of(present)
    words = f"{len(sources)} that are not there" if sources else "the snapshot as a whole"
    return Span(colour=Colour.STRUCTURE, parts=(words,))


def _passed(lowering: Lowering, transform: str, sources: int, targets: int, recorded: str = "undeclared") -> Span:
    """`<pass>.<rule>(relation=..., cardinality=N -> M)`; of an undeclared rule, the recorded kind of lineage."""
    kind = "boundary" if transform in lowering.whole else lowering.kinds.get(transform, recorded)
    parameters = [
        Parameter(Colour.MAPPING, f"relation={kind}"),
        Parameter(Colour.MAPPING, f"cardinality={sources} \u2192 {targets}"),
    ]
    name = Span(colour=Colour.NAME, parts=(f"{plain(lowering.derivation_pass)}.{plain(transform)}",))
    return Span(colour=Colour.MAPPING, parts=(name, *applied(parameters)))


def _groups(side: Side, targets: Sequence[int]) -> tuple[TargetGroup, ...]:
    """Targets of one phase and kind together that their stage says the same of, in order of the first."""
    groups: dict[tuple[object, ...], list[int]] = {}
    entities = side.expressions.shown.entities
    for each in targets:
        facet = side.facets[each]
        alike = (facet.phase, facet.kind, kind_of(entities[each]), side.expressions.owned(each))
        groups.setdefault(alike, []).append(each)
    return tuple(
        TargetGroup(expression=side.expressions.of(members), entities=tuple(members)) for members in groups.values()
    )


def _claim(row: ClaimRow) -> Claim:
    failed = tuple(
        FailedRow(field=each.field, found=each.found, expected=each.expected, expression=each.expression)
        for each in row.failed
    )
    return Claim(kind=row.kind, status=row.status.value, obligation=row.obligation, failed=failed)
