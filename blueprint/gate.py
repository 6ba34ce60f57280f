"""The commit gate: the only way from a candidate snapshot to a committed one.

A pass proposes; the gate runs it, checks it in numbered steps and commits, or refuses and publishes nothing. There is
no successful unverified transition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from blueprint.bundle import RecordedLaw, RecordedReport, Snapshot, snapshot_digest
from blueprint.case import workload_of
from blueprint.codec import decode, digest, encode
from blueprint.concrete_transition import plan_concrete
from blueprint.contract import contract_of
from blueprint.diagnostic import Diagnostic
from blueprint.errors import (
    BlueprintError,
    CodecError,
    DomainError,
    GateError,
    LimitError,
    NotEstablishedError,
    PassFailedError,
)
from blueprint.frontend.block import model_ir
from blueprint.ir.common import Stage
from blueprint.ir.concrete import ConcretePlanIR
from blueprint.ir.concrete_checks import check_concrete
from blueprint.ir.contract import PassContract
from blueprint.ir.distributed import DistributedTaskIR
from blueprint.ir.distributed_checks import check_distributed
from blueprint.ir.machine import MachineIR
from blueprint.ir.machine_checks import check_machine
from blueprint.ir.model import ModelIR
from blueprint.ir.model_checks import check_model
from blueprint.ir.portable import PortablePlanIR
from blueprint.ir.portable_checks import check_portable
from blueprint.machine_transition import plan_machine
from blueprint.outcome import ObligationRow, Status, TransitionReport
from blueprint.passes.protocol import DerivationPass, PassContext
from blueprint.plan import TransitionPlan
from blueprint.rulebook import Rulebook
from blueprint.transition import plan_distributed, plan_portable
from blueprint.verifier import Step, TransitionVerifier


class _Seal:
    """Made by this module alone, for one committed value: without it nothing counts as committed."""

    def __init__(self, of: str) -> None:
        self.of = of


Observer = Callable[["Candidate"], None]
"""Sees a candidate before the commit, and rejects it by raising; it changes nothing."""

_SCHEMAS: Final[Mapping[Stage, type[Snapshot]]] = {
    Stage.MODEL: ModelIR,
    Stage.DISTRIBUTED: DistributedTaskIR,
    Stage.PORTABLE: PortablePlanIR,
    Stage.CONCRETE: ConcretePlanIR,
    Stage.MACHINE: MachineIR,
}


@dataclass(frozen=True)
class Committed:
    """A snapshot that passed the gate, with the chain of snapshots that it came from. Made by the gate alone."""

    snapshot: Snapshot
    digest: str
    ancestors: tuple[Snapshot, ...]
    derivation_pass: str
    contract: PassContract | None
    report: TransitionReport | None
    recorded: RecordedReport | None
    session: str
    seal: _Seal

    def __post_init__(self) -> None:
        """Refuse what did not come through the gate, and anything else under its seal."""
        if type(self.seal) is not _Seal or self.seal.of != _sealed(self):
            raise GateError("only the gate commits a snapshot")


def _sealed(committed: Committed) -> str:
    """The digest of everything that a committed value says."""
    parts = [committed.snapshot, committed.ancestors, committed.contract, committed.report, committed.recorded]
    words = [committed.digest, committed.derivation_pass, committed.session]
    return digest("committed", 1, [*parts, *words])


def _commit(
    snapshot: Snapshot,
    ancestors: tuple[Snapshot, ...],
    session: str,
    derivation_pass: str = "",
    contract: PassContract | None = None,
    report: TransitionReport | None = None,
    recorded: RecordedReport | None = None,
) -> Committed:
    seal = _Seal("")
    fields = (snapshot, snapshot_digest(snapshot), ancestors, derivation_pass, contract, report, recorded, session)
    draft = object.__new__(Committed)
    for name, value in zip(Committed.__dataclass_fields__, fields, strict=False):
        object.__setattr__(draft, name, value)
    seal.of = _sealed(draft)
    return Committed(*fields, seal)


@dataclass(frozen=True)
class Candidate:
    """What an observer sees: the proposed snapshot and the report on it."""

    snapshot: Snapshot
    digest: str
    report: TransitionReport


def structural_faults(snapshot: Snapshot) -> list[Diagnostic]:
    """Every structural fault of a snapshot of any stage."""
    match snapshot:
        case ModelIR():
            return list(check_model(snapshot))
        case DistributedTaskIR():
            return list(check_distributed(snapshot))
        case PortablePlanIR():
            return list(check_portable(snapshot))
        case ConcretePlanIR():
            return list(check_concrete(snapshot))
        case MachineIR():
            return list(check_machine(snapshot))


def plan_transition(
    rulebook: Rulebook, context: PassContext, ancestors: tuple[Snapshot, ...], target: Snapshot
) -> TransitionPlan:
    """What must hold between the last ancestor and a target; laws are resolved through all ancestors."""
    match (*ancestors, target):
        case (ModelIR() as model, DistributedTaskIR() as distributed):
            return plan_distributed(rulebook, context.request, context.branch, model, distributed)
        case (ModelIR() as model, DistributedTaskIR() as distributed, PortablePlanIR() as plan):
            return plan_portable(rulebook, context.request, context.branch, model, distributed, plan)
        case (*_, PortablePlanIR() as plan, ConcretePlanIR() as concrete):
            return plan_concrete(rulebook, context.request, plan, concrete)
        case (*_, ConcretePlanIR() as concrete, MachineIR() as machine):
            return plan_machine(rulebook, context.request, concrete, machine)
        case _:
            raise GateError("these stages are not adjacent", code="gate.stages")


def recorded_report(transition: TransitionReport, obligations: tuple[ObligationRow, ...]) -> RecordedReport:
    """The part of a report that a bundle carries: nothing in it depends on a solver's version."""
    claims: dict[str, int] = {}
    used: set[int] = set()
    for relation in transition.relations:
        for claim in relation.claims:
            claims[claim.kind] = claims.get(claim.kind, 0) + 1
            used.add(claim.obligation)
    for law in transition.laws:
        used.update(law.obligations)
    coverage = transition.coverage
    return RecordedReport(
        coverage={name: int(getattr(coverage, name)) for name in coverage.__struct_fields__ if name != "exact"},
        cardinality={kind: int(count) for kind, count in transition.cardinality.items()},
        claims=claims,
        obligations=tuple(sorted(obligations[position].digest for position in used)),
        laws=tuple(
            RecordedLaw(id=law.id, form=law.form, members=int(law.members), status=law.status.value)
            for law in transition.laws
        ),
        relation_verified=transition.relation_verified,
        canonical_conformant=bool(transition.canonical_conformant),
    )


def with_verdicts_of(report: RecordedReport, other: RecordedReport) -> RecordedReport:
    """A record with another's verdicts, so that only what no solver decides is left to differ."""
    statuses = {(law.id, law.form): law.status for law in other.laws}
    laws = tuple(
        msgspec.structs.replace(law, status=statuses.get((law.id, law.form), law.status)) for law in report.laws
    )
    return msgspec.structs.replace(report, laws=laws, relation_verified=other.relation_verified)


class CommitGate:
    """Runs passes and commits what they derive, under one rulebook and one session."""

    def __init__(self, verifier: TransitionVerifier, context: PassContext, observers: Iterable[Observer] = ()) -> None:
        self.verifier = verifier
        self.rulebook = verifier.rulebook
        self.context = context
        self.observers = tuple(observers)

    def admit(self, model: ModelIR) -> Committed:
        """Admit the request's own model as the root of a derivation."""
        self._structure(model, "front end")
        if encode(model) != encode(model_ir(self.context.request)):
            raise GateError("front end, this is not the model that the request describes")
        return _commit(model, (), self.context.fingerprint)

    def commit(self, derivation_pass: DerivationPass[Any, Any], source: Committed) -> Committed:
        """Run a pass on a committed snapshot and commit its result. Raises GateError naming the step and the pass."""
        facts = derivation_pass.facts
        name = facts.name
        # 1 type and schema
        if not isinstance(source, Committed):
            raise GateError(f"{name}: step 1, the input did not come through the gate")
        if source.seal.of != _sealed(source):
            raise GateError(f"{name}: step 1, the input was changed since it was committed")
        if source.session != self.context.fingerprint:
            raise GateError(f"{name}: step 1, the input belongs to another session")
        if source.snapshot.header.stage is not facts.boundary[0]:
            raise GateError(f"{name}: step 1, the input is no committed {facts.boundary[0].value} snapshot")
        contract = contract_of(facts, self.rulebook, workload_of(self.context.request))
        # 2 bindings
        request = self.context.request
        missing = [each for each in facts.bindings if getattr(request, each, msgspec.UNSET) is msgspec.UNSET]
        if missing:
            raise GateError(f"{name}: step 2, the request has no binding {missing[0]}")
        # 3 analyses present
        if facts.requires:
            raise GateError(f"{name}: step 3, the analysis {facts.requires[0]} is not present")
        # 4 input structure
        self._structure(source.snapshot, f"{name}: step 4")
        before = encode([source.snapshot, self.context.request])
        # 5 run
        given = self._run(derivation_pass, source)
        # 6 input unchanged, by this run and by the one that step 13 needs
        data, again = self._encoded(given, name), self._encoded(self._run(derivation_pass, source), name)
        if encode([source.snapshot, self.context.request]) != before:
            raise GateError(f"{name}: step 6, the pass changed its input")
        # 7 output structure; from here on the gate holds its own copy, which the pass cannot reach
        target = self._own(given, data, facts.boundary[1], name)
        self._structure(target, f"{name}: step 7")
        # 8 parent digest
        if target.header.parent != source.digest:
            raise GateError(f"{name}: step 8, the parent digest is not the source's")
        # 9 lineage, 10 coverage, 11 claims, 12 laws
        ancestors = (*source.ancestors, source.snapshot)
        plan = plan_transition(self.rulebook, self.context, ancestors, target)
        # 13 normal form: a second run of the canonical construction gives exactly these bytes
        conformant = again == data
        settled = self.verifier.settle([Step(plan, self.context.branch, name, conformant)])
        (report,) = settled.transitions
        if not report.relation_verified:
            first = settled.findings[0].message if settled.findings else "nothing was established"
            refused = any(row.verdict is Status.REFUTED for row in settled.obligations) or bool(plan.diagnostics)
            if not refused:
                raise NotEstablishedError(f"{name}: steps 9 to 12, {first}")
            raise GateError(f"{name}: steps 9 to 12, {first}", code="gate.refuted")
        if not conformant:
            raise GateError(f"{name}: step 13, a second run gives another snapshot")
        # 14 report
        recorded = recorded_report(report, settled.obligations)
        # 15 observers
        self._observe(Candidate(target, snapshot_digest(target), report), source, name)
        # 16 publish
        return _commit(target, ancestors, self.context.fingerprint, name, contract, report, recorded)

    def _run(self, derivation_pass: DerivationPass[Any, Any], source: Committed) -> object:
        try:
            return derivation_pass.run(source.snapshot, self.context)
        except BlueprintError:
            raise
        except Exception as error:
            name = derivation_pass.facts.name
            raise PassFailedError(f"{name}: step 5, the pass failed with {type(error).__name__}") from error

    def _encoded(self, given: object, name: str) -> bytes:
        try:
            return encode(given)
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise GateError(f"{name}: step 7, the output cannot be encoded") from error

    def _own(self, given: object, data: bytes, stage: Stage, name: str) -> Snapshot:
        schema = _SCHEMAS[stage]
        if not isinstance(given, schema):
            raise GateError(f"{name}: step 7, the output is no {stage.value} snapshot")
        try:
            return decode(data, schema)
        except LimitError as error:
            raise DomainError(f"the {stage.value} snapshot is too large: {error.message}") from error
        except CodecError as error:
            raise GateError(f"{name}: step 7, {error.diagnostics()}") from error

    def _structure(self, snapshot: Snapshot, where: str) -> None:
        faults = structural_faults(snapshot)
        if faults:
            raise GateError(f"{where}, {faults[0].message}", path=faults[0].path, code=faults[0].code)

    def _observe(self, candidate: Candidate, source: Committed, name: str) -> None:
        seen = [candidate.snapshot, candidate.report, source.snapshot, self.context.request]
        before = encode(seen)
        for observer in self.observers:
            try:
                observer(candidate)
            except Exception as error:
                raise GateError(f"{name}: step 15, an observer rejected the snapshot") from error
        if encode(seen) != before:
            raise GateError(f"{name}: step 15, an observer changed the snapshot")
