"""A bundle and its report -> everything that the page shows: an index and chunks. Nothing is decided here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from blueprint.bundle import Bundle, TransitionRecord
from blueprint.explanations.claims import CLAIMS
from blueprint.explorer import chunks
from blueprint.explorer.boundaries import Place, boundary_index, promise_of
from blueprint.explorer.brief import brief
from blueprint.explorer.chunks import Chunks
from blueprint.explorer.entities import Links, entity_rows, kind_counts, name_rows
from blueprint.explorer.expressions import Expressions
from blueprint.explorer.facets import Facets, facets_of
from blueprint.explorer.findings import Places, finding_rows, finding_totals, placed
from blueprint.explorer.lawbook import Lawbook
from blueprint.explorer.matrix import Frame, frames_of, groups_of
from blueprint.explorer.obligations import obligation_row
from blueprint.explorer.overlays import AddressedOverlay, overlay_index
from blueprint.explorer.overview import (
    about,
    binding_sections,
    definition_facts,
    status_counts,
    tool_facts,
    total_sections,
)
from blueprint.explorer.payload import (
    SCHEMA,
    BoundaryIndex,
    ChunkList,
    Fact,
    Index,
    Link,
    StageIndex,
)
from blueprint.explorer.relations import ESTABLISHED, WEAKEST_FIRST, Found, Lowering, Side, relation_rows
from blueprint.explorer.results import results_of
from blueprint.explorer.stages import WORDS, Chain, Slot, chains_of, slots_of
from blueprint.explorer.texts import detailed
from blueprint.outcome import Report, TransitionReport
from blueprint.report.subjects import final_line, words_of
from blueprint.rulebook import Rulebook
from blueprint.words import plain

NO_ROWS: Final = ChunkList(count=0, chunks=())


@dataclass(frozen=True)
class Projection:
    """What a page is made of."""

    index: Index
    chunks: Chunks


def project(bundle: Bundle, report: Report, rulebook: Rulebook, overlays: Sequence[AddressedOverlay]) -> Projection:
    """Everything that the page shows of a bundle and the report on it."""
    return _Projecting(bundle, report, rulebook).run(overlays)


@dataclass
class _Noted:
    """The relations that made and used the entities of one stage."""

    made: dict[int, list[Link]] = field(default_factory=dict)
    used: dict[int, list[Link]] = field(default_factory=dict)


class _Projecting:
    """One bundle on its way to a page."""

    def __init__(self, bundle: Bundle, report: Report, rulebook: Rulebook) -> None:
        self.bundle = bundle
        self.report = report
        self.lawbook = Lawbook(rulebook)
        self.open_at = frozenset(
            at for at, row in enumerate(report.obligations) if row.verdict.value not in ESTABLISHED
        )
        self.chains = chains_of(bundle)
        self.slots = tuple(slots_of(self.chains))
        self.chunks = Chunks()
        self.facets: dict[int, Facets] = {}
        self.frames: dict[int, Frame] = {}
        for chain in self.chains:
            facets = facets_of(chain)
            for slot, own, frame in zip(chain.slots, facets, frames_of(facets), strict=True):
                self.facets[slot.position] = own
                self.frames[slot.position] = frame
        self.expressions = {slot.position: Expressions(slot.shown) for slot in self.slots if slot.shown is not None}
        self.noted = {slot.position: _Noted() for slot in self.slots}
        self.found: list[Found] = []

    def run(self, overlays: Sequence[AddressedOverlay]) -> Projection:
        boundaries = list(self.boundaries())
        reached = {boundary.target: at for at, boundary in reversed(list(enumerate(boundaries)))}
        stages = tuple(
            self.stage(slot, boundaries[reached[slot.position]] if slot.position in reached else None)
            for slot in self.slots
        )
        report = self.report
        findings = placed(report, self.places(reached, boundaries))
        obligations = self.chunks.listed(map(obligation_row, report.obligations), chunks.ENTITIES)
        # Overlays come last: without them, everything else is the same byte for byte.
        index = Index(
            schema=SCHEMA,
            verdict=words_of(report.verdict),
            summary=final_line([report]),
            bundle_sha256=report.subject.bundle_sha256,
            derivation_digest=report.subject.derivation_digest,
            branches=tuple(chain.branch.value for chain in self.chains),
            slots=tuple(tuple(slot.position for slot in chain.slots) for chain in self.chains),
            bindings=binding_sections(self.bundle),
            tool=tool_facts(report),
            totals=total_sections(report),
            covered=about(self.bundle, report),
            counts=status_counts(report),
            weakest=weakest_boundary(boundaries),
            stages=stages,
            boundaries=tuple(boundaries),
            findings=tuple(finding_rows(findings)),
            findings_total=len(report.diagnostics),
            totals_of_findings=finding_totals(findings, len(boundaries), len(stages)),
            obligations=obligations,
            overlays=tuple(overlay_index(each, self.slots, self.chunks) for each in overlays),
            definitions=definition_facts(report),
            meanings=tuple(Fact(name=kind, value=entry.what) for kind, entry in CLAIMS.items()),
        )
        return Projection(index, self.chunks)

    def boundaries(self) -> Iterator[BoundaryIndex]:
        """The boundary from the request to the model, then those of each branch, where there is something behind."""
        for number, (chain, slot) in enumerate(self.reached()):
            yield self.boundary(number, chain, slot)

    def reached(self) -> Iterator[tuple[Chain, Slot]]:
        first = self.chains[0]
        if first.slots[0].shown is not None:
            yield first, first.slots[0]
        for chain in self.chains:
            yield from ((chain, slot) for slot in chain.slots[1:] if slot.shown is not None)

    def boundary(self, number: int, chain: Chain, slot: Slot) -> BoundaryIndex:
        before = chain.before(slot)
        shown = slot.shown
        if shown is None:
            raise ValueError("a boundary leads to a snapshot")
        report = self.examined(slot)
        record = self.recorded(slot)
        promise = promise_of(record.contract if record else None, frontend=before is None)
        name = shown.record.derivation_pass
        found = Found()
        lowering = Lowering(
            derivation_pass=name,
            kinds=promise.kinds,
            places=promise.places,
            whole=promise.wholes,
            source=self.side(before),
            target=Side(self.expressions[slot.position], self.facets[slot.position]),
            examined=() if report is None else report.relations,
        )
        rows = self.chunks.listed(relation_rows(lowering, found), chunks.RELATIONS)
        self.found.append(found)
        self.note(number, slot, before, found)
        place = Place(
            branch="" if before is None else slot.branch.value,
            source=-1 if before is None else before.position,
            target=slot.position,
            name=name,
            digests=("" if before is None or before.shown is None else before.shown.digest, shown.digest),
            unexamined="" if report is not None else self.unexamined(chain, slot),
        )
        laws = () if report is None else tuple(self.lawbook.row(law, self.open_at) for law in report.laws)
        return boundary_index(place, promise, report, laws, rows, found)

    def side(self, slot: Slot | None) -> Side | None:
        if slot is None or slot.shown is None:
            return None
        return Side(self.expressions[slot.position], self.facets[slot.position])

    def note(self, number: int, slot: Slot, before: Slot | None, found: Found) -> None:
        """Let the entities of both sides know their relations."""
        for entity, relations in found.made.items():
            self.noted[slot.position].made.setdefault(entity, []).extend(Link(number, each) for each in relations)
        if before is None:
            return
        for entity, relations in found.used.items():
            self.noted[before.position].used.setdefault(entity, []).extend(Link(number, each) for each in relations)

    def examined(self, slot: Slot) -> TransitionReport | None:
        """The report on the transition that leads to a slot."""
        key = (slot.stage.value, slot.branch.value)
        return next((each for each in self.report.transitions if (each.target, each.branch) == key), None)

    def recorded(self, slot: Slot) -> TransitionRecord | None:
        """The bundle's record of the transition that leads to a slot."""
        key = (slot.stage, slot.branch)
        return next((each for each in self.bundle.transitions if (each.stage, each.branch) == key), None)

    def unexamined(self, chain: Chain, slot: Slot) -> str:
        """Why a transition was not examined: the first finding about a stage of its chain."""
        place = chain.slots.index(slot)
        for each in chain.slots[: place + 1]:
            head = "/".join(filter(None, (each.branch.value, each.stage.value)))
            for finding in self.report.diagnostics:
                if finding.path == head or finding.path.startswith(f"{head}/"):
                    return plain(f"{finding.code} at {finding.path}: {finding.message}", 500)
        first = self.report.diagnostics[:1]
        return plain(f"{first[0].code}: {first[0].message}" if first else "nothing was run", 500)

    def stage(self, slot: Slot, boundary: BoundaryIndex | None) -> StageIndex:
        words, shown = WORDS[slot.stage], slot.shown
        frame, facets = self.frames[slot.position], self.facets[slot.position]
        branch = slot.branch.value
        if shown is None:
            return StageIndex(
                stage=slot.stage.value,
                branch=branch,
                title=words.title,
                digest="",
                label="",
                unavailable=slot.unavailable,
                question=words.question,
                result=(),
                beyond=words.beyond,
                columns=(),
                lanes=(),
                groups=(),
                kinds=(),
                status="",
                names=NO_ROWS,
                entities=NO_ROWS,
                short=NO_ROWS,
                detail=NO_ROWS,
            )
        grouping = groups_of(shown, facets, frame)
        expressions = self.expressions[slot.position]
        noted = self.noted[slot.position]
        rows = entity_rows(shown, expressions, grouping.of_entity, Links(noted.made, noted.used))
        return StageIndex(
            stage=slot.stage.value,
            branch=branch,
            title=words.title,
            digest=shown.digest,
            label=plain(shown.record.label, 300),
            unavailable="",
            question=words.question,
            result=tuple(results_of(shown)),
            beyond=words.beyond,
            columns=frame.column_names(slot.stage),
            lanes=frame.lane_rows(),
            groups=grouping.rows,
            kinds=kind_counts(shown),
            status="" if boundary is None else boundary.weakest,
            names=self.chunks.listed(name_rows(shown, grouping.of_entity), chunks.NAMES),
            entities=self.chunks.listed(rows, chunks.ENTITIES),
            short=self.chunks.listed(brief(shown, expressions), chunks.LINES),
            detail=self.chunks.listed(detailed(shown), chunks.LINES),
        )

    def places(self, reached: dict[int, int], boundaries: Sequence[BoundaryIndex]) -> Places:
        return Places(
            slots={(slot.stage.value, slot.branch.value): slot for slot in self.slots},
            stages=[(record.stage.value, record.branch.value) for record in self.bundle.stages],
            transitions=[(record.stage.value, record.branch.value) for record in self.bundle.transitions],
            boundaries=reached,
            found=self.found,
            laws=[[f"{law.id} ({law.form})" for law in each.laws] for each in boundaries],
            speakers=[speakers_of(each) for each in boundaries],
        )


def speakers_of(boundary: BoundaryIndex) -> list[frozenset[int]]:
    """For each law of a boundary the positions of the rules that state it."""
    return [
        frozenset(at for at, rule in enumerate(boundary.rules) if law in rule.laws) for law in range(len(boundary.laws))
    ]


def weakest_boundary(boundaries: Sequence[BoundaryIndex]) -> int:
    """Position of the first boundary with the word that weighs most; -1 where every boundary is verified."""
    words = [status.value for status in WEAKEST_FIRST]
    bad = [
        at for at, each in enumerate(boundaries) if not (each.relation_verified and each.canonical_conformant == "yes")
    ]
    return min(bad, key=lambda at: (words.index(boundaries[at].weakest), at), default=-1)
