"""The statement of a report: which bytes, which bindings, which stages, which tool; and the report put together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata

import msgspec

from blueprint.bundle import Bundle, Snapshot, derivation_digest
from blueprint.errors import UsageError
from blueprint.frontend.models import BUILTIN
from blueprint.ir.common import Phase, Stage
from blueprint.ir.distributed import DistributedTaskIR
from blueprint.ir.model import ModelIR
from blueprint.ir.request import ModelFacts
from blueprint.outcome import (
    SCHEMA,
    DefinitionRow,
    Finding,
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
from blueprint.words import plain

NAMED_BY_THE_BUNDLE = " (named by the bundle)"
"""Stands behind a model name that the facts do not bear out."""

Bindings = Mapping[str, Mapping[str, str]]


def binding_words(bundle: Bundle) -> dict[str, dict[str, str]]:
    """The bindings in words: what the statement that is proved is about."""
    request = bundle.request
    groups: dict[str, dict[str, str]] = {}
    for name, part in (("model", request.model), ("workload", request.workload), ("strategy", request.strategy)):
        fields = msgspec.to_builtins(part)
        groups[name] = {key: _word(value) for key, value in fields.items()}
    groups["model"]["name"] = _model_name(request.model)
    groups["target"] = {"name": "none"}
    return groups


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return plain(value)


def _model_name(facts: ModelFacts) -> str:
    """A built-in model's name only if the facts are its own; any other name is the bundle's word alone."""
    if BUILTIN.get(facts.name) == facts:
        return facts.name
    return f"{plain(facts.name, 60)}{NAMED_BY_THE_BUNDLE}"


def flat_bindings(bindings: Bindings) -> dict[str, str]:
    """Every binding by one key, as `--expect` names it; `model` is the model's name."""
    flat = {key: value for group in bindings.values() for key, value in group.items() if key != "name"}
    return {**flat, "model": bindings["model"]["name"]}


def meets(key: str, found: str, wanted: str) -> bool:
    """Whether a binding is what the caller expects. A name that no built-in model has may be given without its note."""
    if key == "model" and wanted not in BUILTIN:
        return wanted in {found, found.removesuffix(NAMED_BY_THE_BUNDLE)}
    return found == wanted


def known_expectations(expect: Mapping[str, str], bindings: Bindings) -> None:
    """Raise UsageError for an expectation about a binding that does not exist."""
    known = flat_bindings(bindings)
    for key in expect:
        if key not in known:
            raise UsageError(f"--expect: no binding {plain(key)!r}; known are {', '.join(sorted(known))}")


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
    bundle: Bundle, bundle_sha256: str, bindings: Bindings, digests: Sequence[str], required: Sequence[Stage]
) -> SubjectRow:
    """What was examined, stage by stage."""
    rows = []
    for position, stage in enumerate(Stage):
        if position < len(bundle.stages):
            count = len(entities_of(bundle.stages[position].snapshot))
            row = StageRow(stage=stage.value, branch="", digest=digests[position], entities=str(count), unavailable="")
        else:
            reason = "missing from the bundle" if stage in required else "the request names no target"
            row = StageRow(stage=stage.value, branch="", digest="", entities="0", unavailable=reason)
        rows.append(row)
    return SubjectRow(
        bundle_sha256=bundle_sha256,
        derivation_digest=derivation_digest(bundle.fingerprint, list(digests)),
        bindings=bindings,
        stages=tuple(rows),
        totals=tuple(_totals([record.snapshot for record in bundle.stages])),
    )


def _totals(snapshots: Sequence[Snapshot]) -> Iterator[TotalRow]:
    """The sums of the last snapshot that has work, phase by phase: the numbers that the totals' laws are about."""
    planned = [each for each in snapshots if not isinstance(each, ModelIR)]
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


def entities_of(snapshot: Snapshot) -> set[str]:
    """Ids of everything in a snapshot."""
    if isinstance(snapshot, ModelIR):
        return {each.id for each in snapshot.values} | {each.id for each in snapshot.operations}
    if isinstance(snapshot, DistributedTaskIR):
        return {each.id for each in snapshot.values} | {each.id for each in snapshot.tasks}
    return {each.id for each in snapshot.buffers} | {each.id for each in snapshot.tasks}
