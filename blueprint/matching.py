"""Match a target snapshot with the relations that the rules demand of it, by lineage alone.

Coverage is exact: every target entity belongs to exactly one demanded relation, and every demanded target is there.
Names, positions and order are never evidence; a local name only tells the targets of one relation apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from blueprint.claims.matched import Matched
from blueprint.diagnostic import Diagnostic
from blueprint.expected import (
    Expected,
    ExpectedBuffer,
    ExpectedPlanTask,
    ExpectedRelation,
    ExpectedTask,
    ExpectedTensor,
)
from blueprint.expected_bound import (
    ExpectedBinding,
    ExpectedCommand,
    ExpectedDevice,
    ExpectedEntry,
    ExpectedInstruction,
    ExpectedQueue,
    ExpectedRegion,
    ExpectedSection,
)
from blueprint.ir.common import Lineage, LineageKind
from blueprint.ir.concrete import BufferBinding, Command, Device, Queue, Region
from blueprint.ir.distributed import DistributedValue, Task
from blueprint.ir.machine import EntryPoint, Instruction, Section
from blueprint.ir.portable import Buffer, PlanTask
from blueprint.plan import Coverage
from blueprint.rule import PassRule

BoundEntity = Device | Region | BufferBinding | Command | Queue | Instruction | Section | EntryPoint
Entity = DistributedValue | Task | Buffer | PlanTask | BoundEntity


@dataclass(frozen=True)
class Matching:
    """The demanded relations with the entities found for them, and how all entities are accounted for."""

    matched: list[Matched]
    coverage: Coverage
    diagnostics: list[Diagnostic]

    @property
    def pairs(self) -> list[tuple[Expected, str]]:
        """Every demanded target that was found, with the id of the entity."""
        return [pair for matched in self.matched for pair in matched.pairs]


def match_relations(
    relations: Sequence[ExpectedRelation],
    entities: Sequence[Entity],
    known: set[str],
    pass_rules: Sequence[PassRule],
) -> Matching:
    """Compare the targets' lineage with the relations that the rules demand."""
    faults: list[Diagnostic] = []
    rules = {rule.id: rule for rule in pass_rules}
    demanded = {(relation.rule.id, relation.sources) for relation in relations}
    groups: dict[tuple[str, tuple[str, ...]], dict[tuple[type, str], Entity]] = {}
    dangling = undeclared = covered = 0
    mismatched: set[str] = set()
    for entity in entities:
        lineage = entity.lineage
        key = (lineage.transform, lineage.sources)
        lost = [source for source in lineage.sources if source not in known]
        if lost:
            dangling += 1
            faults.append(_fault("lineage.dangling", f"source {lost[0]} is not in the parent snapshot", entity))
        elif lineage.transform not in rules:
            undeclared += 1
            faults.append(_fault("lineage.undeclared", f"no rule {lineage.transform} at this boundary", entity))
        elif key not in demanded:
            mismatched.add(entity.id)
            faults.append(
                _fault("coverage.unexpected", f"rule {lineage.transform} demands no target of these sources", entity)
            )
        else:
            if wrong := list(_lineage_faults(rules[lineage.transform], entity)):
                mismatched.add(entity.id)
                faults.extend(wrong)
            groups.setdefault(key, {})[type(entity), entity.name] = entity

    matched: list[Matched] = []
    missing = 0
    for relation in relations:
        group = groups.get((relation.rule.id, relation.sources), {})
        found: list[str | None] = []
        for expected in relation.targets:
            entity_found = group.pop((_TYPES[type(expected)], expected.name), None)
            if entity_found is not None:
                found.append(entity_found.id)
                covered += 1
            else:
                found.append(None)
                missing += 1
                faults.append(
                    Diagnostic(
                        code="coverage.missing",
                        message=f"rule {relation.rule.id} demands this target",
                        path=expected.name,
                    )
                )
        for entity in group.values():
            mismatched.add(entity.id)
            faults.append(
                _fault("coverage.unexpected", f"rule {relation.rule.id} demands no target of this name", entity)
            )
        matched.append(Matched(relation, tuple(found)))

    used = {source for each in matched if each.complete for source in each.relation.sources}
    made = [each.found for each in matched if each.relation.rule.lineage is LineageKind.GENERATED]
    coverage = Coverage(
        source=len(used),
        source_total=len(known),
        target=covered,
        target_total=len(entities),
        generated=sum(one is not None for found in made for one in found),
        missing=missing,
        dangling=dangling,
        undeclared=undeclared,
        mismatched=len(mismatched),
    )
    return Matching(matched, coverage, faults)


_TYPES: dict[type, type] = {
    ExpectedTensor: DistributedValue,
    ExpectedTask: Task,
    ExpectedPlanTask: PlanTask,
    ExpectedBuffer: Buffer,
    ExpectedDevice: Device,
    ExpectedRegion: Region,
    ExpectedBinding: BufferBinding,
    ExpectedCommand: Command,
    ExpectedQueue: Queue,
    ExpectedInstruction: Instruction,
    ExpectedSection: Section,
    ExpectedEntry: EntryPoint,
}


def _lineage_faults(rule: PassRule, entity: Entity) -> Iterator[Diagnostic]:
    lineage: Lineage = entity.lineage
    if lineage.kind is not rule.lineage:
        yield _fault("lineage.kind", f"kind is {lineage.kind.value}, the rule says {rule.lineage.value}", entity)
    for field in ("source_value", "source_buffer", "source_command"):
        if (getattr(entity, field, None),) not in {(None,), lineage.sources}:
            yield _fault("lineage.source_value", f"{field} differs from the lineage's source", entity)


def _fault(code: str, message: str, entity: Entity) -> Diagnostic:
    return Diagnostic(code=code, message=message, path=entity.name)
