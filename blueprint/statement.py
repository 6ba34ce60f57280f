"""The statement of a report: which bytes, which bindings, which stages, which tool; and the report put together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata

import msgspec

from blueprint.bindings import Bindings, entities_of
from blueprint.bundle import Bundle, Snapshot, derivation_digest
from blueprint.ir.common import Phase, Stage
from blueprint.ir.distributed import DistributedTaskIR
from blueprint.ir.portable import PortablePlanIR
from blueprint.outcome import (
    SCHEMA,
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
    )


def subject_row(
    bundle: Bundle, bundle_sha256: str, bindings: Bindings, digests: Sequence[str], unasked: Mapping[Stage, str]
) -> SubjectRow:
    """What was examined, stage by stage. `unasked` says why a stage need not be there."""
    rows = []
    for position, stage in enumerate(Stage):
        if position < len(bundle.stages):
            count = len(entities_of(bundle.stages[position].snapshot))
            row = StageRow(stage=stage.value, branch="", digest=digests[position], entities=str(count), unavailable="")
        else:
            reason = unasked.get(stage) or "missing from the bundle"
            row = StageRow(stage=stage.value, branch="", digest="", entities="0", unavailable=reason)
        rows.append(row)
    return SubjectRow(
        bundle_sha256=bundle_sha256,
        derivation_digest=derivation_digest(bundle.fingerprint, list(digests)),
        bindings=bindings,
        stages=tuple(rows),
        totals=tuple(_totals([record.snapshot for record in bundle.stages])),
        memory=_memory([record.snapshot for record in bundle.stages]),
    )


def _totals(snapshots: Sequence[Snapshot]) -> Iterator[TotalRow]:
    """The sums of the last snapshot that has work, phase by phase: the numbers that the totals' laws are about."""
    planned = [each for each in snapshots if isinstance(each, DistributedTaskIR | PortablePlanIR)]
    for phase in Phase:
        tasks = [task for task in planned[-1].tasks if task.phase is phase] if planned else []
        if tasks:
            yield TotalRow(
                phase=phase.value,
                tasks=str(len(tasks)),
                operations=str(sum(task.work.operations for task in tasks)),
                read_bytes=str(sum(task.work.read_bytes for task in tasks)),
                write_bytes=str(sum(task.work.write_bytes for task in tasks)),
                message_bytes=str(sum(task.work.message_bytes for task in tasks)),
            )


def _memory(snapshots: Sequence[Snapshot]) -> MemoryRow | None:
    """The memory facts of the plan, and their sum without the parameters' count: what the capacity law is about."""
    plan = next((each for each in snapshots if isinstance(each, PortablePlanIR)), None)
    if plan is None:
        return None
    facts = msgspec.structs.asdict(plan.memory)
    total = sum(size for name, size in facts.items() if name != "parameters")
    return MemoryRow(**{name: str(size) for name, size in facts.items()}, total=str(total))


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
        diagnostics=tuple(findings),
    )
