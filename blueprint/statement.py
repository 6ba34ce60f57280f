"""The statement of a report: which bytes, which bindings, which stages, which tool; and the report put together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata

import msgspec

from blueprint.bindings import Bindings, entities_of
from blueprint.bundle import Bundle, derivation_digest
from blueprint.causes import in_order
from blueprint.ir.common import Branch, Phase, Stage
from blueprint.ir.concrete import ConcretePlanIR
from blueprint.ir.distributed import DistributedTaskIR
from blueprint.ir.machine import MachineIR
from blueprint.ir.portable import PortablePlanIR
from blueprint.ir.request import branches_of
from blueprint.outcome import (
    SCHEMA,
    BoundRow,
    DefinitionRow,
    Finding,
    MemoryRow,
    Outcome,
    Report,
    StageRow,
    Status,
    SubjectRow,
    SummaryRow,
    ToolRow,
    TotalRow,
)
from blueprint.rule import PrimitiveRule
from blueprint.rulebook import Rulebook
from blueprint.verifier import Settled


def tool_row(rulebook: Rulebook, settled: Settled, *, shipped: bool) -> ToolRow:
    """What decided."""
    return ToolRow(
        version=metadata.version("blueprint-verifier"),
        rulebook_revision=rulebook.revision,
        rules_digest=rulebook.digest,
        shipped=shipped,
        solvers=tuple(
            sorted({said.partition(":")[0] for row in settled.obligations for said in (row.solver, row.second)})
        ),
        replaced=rulebook.replaced,
    )


def subject_row(
    bundle: Bundle, bundle_sha256: str, bindings: Bindings, digests: Sequence[str], unasked: Mapping[Stage, str]
) -> SubjectRow:
    """What was examined, stage by stage. `unasked` says why a stage need not be there."""
    return SubjectRow(
        bundle_sha256=bundle_sha256,
        derivation_digest=derivation_digest(bundle.fingerprint, list(digests)),
        bindings=bindings,
        stages=tuple(_stages(bundle, digests, unasked)),
        totals=tuple(row for branch in branches_of(bundle.request.workload) for row in _totals(bundle, branch)),
        memory=tuple(row for branch in branches_of(bundle.request.workload) for row in _memory(bundle, branch)),
        bound=tuple(row for branch in branches_of(bundle.request.workload) for row in _bound(bundle, branch)),
    )


def _stages(bundle: Bundle, digests: Sequence[str], unasked: Mapping[Stage, str]) -> Iterator[StageRow]:
    """What the bundle shows, then the stages that it does not, with the reason."""
    for record, found in zip(bundle.stages, digests, strict=True):
        yield StageRow(
            stage=record.stage.value,
            branch=record.branch.value,
            digest=found,
            entities=str(len(entities_of(record.snapshot))),
            unavailable="",
        )
    shown = {(record.stage, record.branch) for record in bundle.stages}
    wanted = [(Stage.MODEL, Branch.MAIN)]
    wanted += [(stage, branch) for branch in branches_of(bundle.request.workload) for stage in list(Stage)[1:]]
    for stage, branch in wanted:
        if (stage, branch) not in shown:
            reason = unasked.get(stage) or "missing from the bundle"
            yield StageRow(stage=stage.value, branch=branch.value, digest="", entities="0", unavailable=reason)


def _totals(bundle: Bundle, branch: Branch) -> Iterator[TotalRow]:
    """The sums of the last snapshot that has work, phase by phase: the numbers that the totals' laws are about."""
    snapshots = [record.snapshot for record in bundle.stages if record.branch is branch]
    planned = [each for each in snapshots if isinstance(each, DistributedTaskIR | PortablePlanIR)]
    for phase in Phase:
        tasks = [task for task in planned[-1].tasks if task.phase is phase] if planned else []
        if tasks:
            yield TotalRow(
                branch=branch.value,
                phase=phase.value,
                tasks=str(len(tasks)),
                operations=str(sum(task.work.operations for task in tasks)),
                read_bytes=str(sum(task.work.read_bytes for task in tasks)),
                write_bytes=str(sum(task.work.write_bytes for task in tasks)),
                message_bytes=str(sum(task.work.message_bytes for task in tasks)),
            )


def _memory(bundle: Bundle, branch: Branch) -> Iterator[MemoryRow]:
    """The memory facts of the plan, and the sum that the capacity law is about."""
    for record in bundle.stages:
        if record.branch is branch and isinstance(record.snapshot, PortablePlanIR):
            facts = msgspec.structs.asdict(record.snapshot.memory)
            # The boundary is a part of the workspace, and parameters are counted in elements.
            total = sum(size for name, size in facts.items() if name not in {"parameters", "boundary"})
            held = {name: str(size) for name, size in facts.items()}
            yield MemoryRow(branch=branch.value, facts=held, total=str(total))


def _bound(bundle: Bundle, branch: Branch) -> Iterator[BoundRow]:
    """The concrete plan, and the instructions if they were emitted."""
    snapshots = [record.snapshot for record in bundle.stages if record.branch is branch]
    emitted = sum(len(each.instructions) for each in snapshots if isinstance(each, MachineIR))
    for plan in snapshots:
        if isinstance(plan, ConcretePlanIR):
            yield BoundRow(
                branch=branch.value,
                target=plan.target,
                devices=str(len(plan.devices)),
                commands=str(len(plan.commands)),
                instructions=str(emitted),
                buffers=str(len(plan.buffers)),
                workspace=str(plan.workspace),
                extent=str(sum(region.extent for region in plan.regions)),
                capacity=str(sum(region.capacity for region in plan.regions)),
            )


def assemble(
    tool: ToolRow,
    subject: SubjectRow,
    verdict: Outcome,
    settled: Settled,
    findings: Sequence[Finding],
    rulebook: Rulebook,
) -> Report:
    """The whole report, with its counts."""
    claims = [claim for each in settled.transitions for relation in each.relations for claim in relation.claims]
    laws = [law for each in settled.transitions for law in each.laws]
    statuses = [claim.status for claim in claims] + [law.status for law in laws]
    relations = sum(len(each.relations) for each in settled.transitions)
    return Report(
        schema=SCHEMA,
        tool=tool,
        subject=subject,
        verdict=verdict,
        summary=SummaryRow(
            relations=str(relations),
            claims=str(len(claims)),
            laws=str(len(laws)),
            obligations=str(len(settled.obligations)),
            by_status={status.value: str(statuses.count(status)) for status in Status},
        ),
        definitions=tuple(
            DefinitionRow(rule=rule.id, text=rule.definition, source=rule.source)
            for rule in rulebook.rules
            if isinstance(rule, PrimitiveRule) and rule.definition
        ),
        transitions=settled.transitions,
        obligations=settled.obligations,
        diagnostics=in_order(findings, subject.stages),
    )
