"""The commit gate: the only way from a candidate snapshot to a committed one.

A pass proposes; the gate runs it, checks it in numbered steps and commits, or refuses and publishes nothing. There is
no successful unverified transition.

 1 type and schema       2 bindings               3 analyses present       4 input structure
 5 run                   6 input unchanged        7 output structure       8 parent digest
 9 lineage, 10 coverage, 11 claims, 12 laws       13 normal form          14 report
15 observers            16 publish checkpoint, snapshot and analyses together
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import msgspec

from blueprint.analyses import Address, joined
from blueprint.boundaries import SCHEMAS, plan_transition, recorded_report, structural_faults
from blueprint.bundle import RecordedReport, Snapshot, snapshot_digest
from blueprint.case import workload_of
from blueprint.codec import decode, digest, encode
from blueprint.contract import contract_of
from blueprint.errors import (
    BlueprintError,
    CodecError,
    DomainError,
    GateError,
    GateFailedError,
    LimitError,
    NotEstablishedError,
    PassFailedError,
)
from blueprint.frontend.block import model_ir
from blueprint.ir.contract import PassContract
from blueprint.ir.model import ModelIR
from blueprint.outcome import Status, TransitionReport, unchanged_report
from blueprint.passes.protocol import DerivationPass, Mutation, PassContext, PassFacts
from blueprint.passes.running import Run, run_pass
from blueprint.verifier import Step, TransitionVerifier
from blueprint.words import plain


class _Seal:
    """Made by this module alone, for one committed value: without it nothing counts as committed."""

    def __init__(self, of: str) -> None:
        self.of = of


Observer = Callable[["Candidate"], None]
"""Sees a candidate before the commit, and rejects it by raising; it changes nothing."""


@dataclass(frozen=True)
class Committed:
    """A snapshot that passed the gate, with the chain of snapshots that it came from. Made by the gate alone.

    What a pass within a stage left unchanged has its contract and a report that is `structural_only`, and no record:
    a bundle has nothing to say of it.
    """

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


@dataclass(frozen=True)
class Published:
    """Everything that a gate has committed: checkpoints in order, and analyses. Replaced as a whole, never changed."""

    checkpoints: tuple[Committed, ...] = ()
    analyses: Mapping[Address, bytes] = field(default_factory=lambda: MappingProxyType({}))


class CommitGate:
    """Runs passes and commits what they derive, under one rulebook and one session."""

    def __init__(self, verifier: TransitionVerifier, context: PassContext, observers: Iterable[Observer] = ()) -> None:
        self.verifier = verifier
        self.rulebook = verifier.rulebook
        self.context = context
        self.observers = tuple(observers)
        self.published = Published()

    def admit(self, model: ModelIR) -> Committed:
        """Admit the request's own model as the root of a derivation."""
        faults = structural_faults(model)
        if faults:
            raise GateError(f"front end, {faults[0].message}", path=faults[0].path, code=faults[0].code)
        if encode(model) != encode(model_ir(self.context.request, self.context.added)):
            raise GateError("front end, this is not the model that the request describes")
        return _commit(model, (), self.context.fingerprint)

    def commit(self, derivation_pass: DerivationPass[Any, Any], source: Committed) -> Committed:
        """Run a pass on a committed snapshot and commit its result.

        Raises GateError, or what the pass raised on purpose, with the step and the pass in `origin`. Nothing at all is
        published then, and nothing where the run is interrupted.
        """
        store = self.published
        try:
            transaction = _Transaction(self, derivation_pass, source)
            with transaction.blamed():
                published = transaction.steps()
            # 16 publish: one assignment, so that there is no moment at which a part is published
            self.published = published
        except BaseException:
            # A pass or an observer may have published something by itself.
            self.published = store
            raise
        return published.checkpoints[-1]


class _Transaction:
    """One pass on its way through the gate. `step` is where it stands; nothing of it reaches the gate's store."""

    def __init__(self, gate: CommitGate, derivation_pass: DerivationPass[Any, Any], source: Committed) -> None:
        self.gate = gate
        self.context = gate.context
        self.told = _told(gate.context)
        self.store = gate.published
        self.derivation_pass = derivation_pass
        self.facts = _facts(derivation_pass)
        self.source = source
        self.step = "step 1"

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Whatever is raised says in which step of which pass; only an interruption goes through as it is."""
        try:
            yield
        except KeyboardInterrupt:
            raise
        except BlueprintError as error:
            error.origin = error.origin or f"{self.facts.name}, {self.step}"
            raise
        except BaseException as error:
            raise self.refusal(f"failed with {_said(error)}", GateFailedError) from error

    def disturbed(self) -> bool:
        """Whether the input, the bindings or the store are no longer what they were, by whatever way."""
        chain = self.source.seal.of != _sealed(self.source)
        return chain or _told(self.gate.context) != self.told or self.gate.published is not self.store

    def refusal(
        self, words: str, kind: type[GateError] = GateError, *, path: str = "", code: str | None = None
    ) -> GateError:
        """The error that names pass and step."""
        error = kind(f"{self.facts.name}: {self.step}, {words}", path=path, code=code)
        error.origin = f"{self.facts.name}, {self.step}"
        return error

    def steps(self) -> Published:
        """Everything up to publication: the store as it is to be, with the committed value as its last checkpoint."""
        contract = self.entry()
        self.bindings()
        given = self.analyses()
        self.step = "step 4"
        self.structure(self.source.snapshot)
        runs = self.runs(given)
        self.step = "step 7"
        target = self.own(runs[0])
        recorded = None
        ancestors = self.source.ancestors
        if self.facts.within_stage:
            report = self.unchanged(runs, target)
        else:
            report, recorded = self.verified(runs, target)
            ancestors = (*ancestors, self.source.snapshot)
        self.observe(Candidate(target, snapshot_digest(target), report))
        session, name = self.context.fingerprint, self.facts.name
        committed = _commit(target, ancestors, session, name, contract, report, recorded)
        return self.after(committed, runs[0].analyses)

    # 1 type and schema
    def entry(self) -> PassContract:
        self.step = "step 1"
        source, facts = self.source, self.facts
        if not isinstance(source, Committed):
            raise self.refusal("the input did not come through the gate")
        if source.seal.of != _sealed(source):
            raise self.refusal("the input was changed since it was committed")
        if source.session != self.context.fingerprint:
            raise self.refusal("the input belongs to another session")
        header = source.snapshot.header
        if header.stage is not facts.boundary[0]:
            raise self.refusal(f"the input is no committed {facts.boundary[0].value} snapshot")
        if not facts.reads[0] <= header.version <= facts.reads[1]:
            raise self.refusal(f"the input is of version {header.version}, which the pass does not read")
        return contract_of(facts, self.gate.rulebook, workload_of(self.context.request))

    # 2 bindings
    def bindings(self) -> None:
        self.step = "step 2"
        request = self.context.request
        missing = [each for each in self.facts.bindings if getattr(request, each, msgspec.UNSET) is msgspec.UNSET]
        if missing:
            raise self.refusal(f"the request has no binding {missing[0]}")

    # 3 analyses present
    def analyses(self) -> Mapping[str, bytes]:
        """The required analyses of the input."""
        self.step = "step 3"
        found = {}
        for key in self.facts.requires:
            address = (self.source.digest, key.text, self.context.fingerprint)
            if address not in self.store.analyses:
                raise self.refusal(f"the analysis {key.text} is not present")
            found[key.text] = self.store.analyses[address]
        return MappingProxyType(found)

    # 4 input structure, and a part of step 7
    def structure(self, snapshot: Snapshot) -> None:
        faults = structural_faults(snapshot)
        if faults:
            raise self.refusal(faults[0].message, path=faults[0].path, code=faults[0].code)

    # 5 run, and again where the pass is deterministic, as step 13 needs; 6 input unchanged by either
    def runs(self, given: Mapping[str, bytes]) -> tuple[Run, Run | None]:
        self.step = "step 5"
        first = self.run(given)
        second = self.run(given) if self.facts.deterministic else None
        self.step = "step 6"
        forbidden = self.facts.mutation is Mutation.IMMUTABLE
        if forbidden and any(each.changed for each in (first, second) if each is not None):
            raise self.refusal("the pass changed its input")
        if self.disturbed():
            raise self.refusal("the pass changed what was committed, or the bindings")
        return first, second

    def run(self, given: Mapping[str, bytes]) -> Run:
        try:
            return run_pass(self.derivation_pass, self.facts, self.source.snapshot, self.context, given)
        except (BlueprintError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise self.refusal(f"the pass failed with {_said(error)}", PassFailedError) from error

    # 7 output structure; from here on the gate holds its own copy, which the pass cannot reach
    def own(self, run: Run) -> Snapshot:
        """A copy of a run's output, if it is a sound snapshot of the stage that the pass gives."""
        stage = self.facts.boundary[1]
        if not isinstance(run.output, SCHEMAS[stage]):
            raise self.refusal(f"the output is no {stage.value} snapshot")
        try:
            target = decode(self.encoded(run), SCHEMAS[stage])
        except LimitError as error:
            raise DomainError(f"the {stage.value} snapshot is too large: {error.message}") from error
        except CodecError as error:
            raise self.refusal(error.diagnostics()) from error
        if target.header.version != self.facts.writes:
            raise self.refusal(f"the output is of version {target.header.version}, not of that which the pass writes")
        self.structure(target)
        if odd := sorted({key.text for key in self.facts.produces} ^ run.analyses.keys()):
            raise self.refusal(f"the analysis {odd[0]} is declared and not left, or left and not declared")
        return target

    def encoded(self, run: Run) -> bytes:
        try:
            return encode(run.output)
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise self.refusal("the output cannot be encoded") from error

    # 9 to 13 within a stage, where nothing may change: there are no rules that could justify it
    def unchanged(self, runs: tuple[Run, Run | None], target: Snapshot) -> TransitionReport:
        self.step = "step 9"
        if encode(target) != encode(self.source.snapshot):
            raise self.refusal("the pass changed a snapshot within its stage, which no rule justifies")
        self.step = "step 13"
        conformant = self.conformant(runs)
        if conformant is False:
            raise self.refusal("a second run gives another snapshot or other analyses")
        return unchanged_report(self.facts.boundary[0].value, self.context.branch.value, self.facts.name, conformant)

    # 8 parent digest, 9 lineage, 10 coverage, 11 claims, 12 laws, 13 normal form, 14 report
    def verified(self, runs: tuple[Run, Run | None], target: Snapshot) -> tuple[TransitionReport, RecordedReport]:
        self.step = "step 8"
        if target.header.parent != self.source.digest:
            raise self.refusal("the parent digest is not the source's")
        # Step 13 is asked first, since its answer stands in the report.
        self.step = "step 13"
        conformant = self.conformant(runs)
        self.step = "steps 9 to 12"
        ancestors = (*self.source.ancestors, self.source.snapshot)
        plan = plan_transition(self.gate.rulebook, self.context, ancestors, target)
        settled = self.gate.verifier.settle([Step(plan, self.context.branch, self.facts.name, conformant)])
        (report,) = settled.transitions
        if not report.relation_verified:
            first = "nothing was established"
            if settled.findings:
                first = f"{settled.findings[0].message} ({settled.findings[0].path})"
            refuted = any(row.verdict is Status.REFUTED for row in settled.obligations) or bool(plan.diagnostics)
            raise self.refusal(first, code="gate.refuted") if refuted else self.refusal(first, NotEstablishedError)
        self.step = "step 13"
        if not conformant:
            raise self.refusal("a second run gives another snapshot or other analyses")
        self.step = "step 14"
        return report, recorded_report(report, settled.obligations)

    def conformant(self, runs: tuple[Run, Run | None]) -> bool | None:
        """Whether a second run gives the same bytes; None where the pass does not promise that."""
        first, second = runs
        if second is None:
            return None
        return self.encoded(first) == self.encoded(second) and first.analyses == second.analyses

    # 15 observers
    def observe(self, candidate: Candidate) -> None:
        self.step = "step 15"
        seen = [candidate.snapshot, candidate.report]
        before = encode(seen)
        for observer in self.gate.observers:
            try:
                observer(candidate)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise self.refusal(f"an observer rejected the snapshot with {_said(error)}") from error
        if encode(seen) != before or self.disturbed():
            raise self.refusal("an observer changed the snapshot, or what it came from")

    # 16 publish: what the store is to be
    def after(self, committed: Committed, produced: Mapping[str, bytes]) -> Published:
        """The store with a further checkpoint, and with the analyses that hold of its snapshot."""
        self.step = "step 16"
        store, session = self.store, self.context.fingerprint
        of_source = {
            key: value
            for (snapshot, key, owner), value in store.analyses.items()
            if (snapshot, owner) == (self.source.digest, session)
        }
        kept = self.facts.kept(set(of_source))
        # Within a stage the snapshot is the same: what is invalidated goes.
        lost = {(committed.digest, key, session) for key in of_source if self.facts.within_stage and key not in kept}
        known = {address: value for address, value in store.analyses.items() if address not in lost}
        found = {**{key: of_source[key] for key in kept}, **produced}
        analyses = joined(known, {(committed.digest, key, session): value for key, value in found.items()})
        return Published((*store.checkpoints, committed), MappingProxyType(analyses))


def _facts(derivation_pass: DerivationPass[Any, Any]) -> PassFacts:
    """The gate's own copy of what a pass declares: the contract is made of it, and nothing that happens later is."""
    facts = getattr(derivation_pass, "facts", None)
    if not isinstance(facts, PassFacts):
        raise GateError("step 1, this is no pass: it declares nothing of itself")
    return copy.deepcopy(facts)


def _said(error: BaseException) -> str:
    """The kind of an error, and its words if it has any."""
    words = plain(error, 160)
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def _told(context: PassContext) -> tuple[bytes, list[object]]:
    """Everything that a session tells a pass, as it is now. An extension's operations hold code, which has no bytes."""
    words = encode([context.request, context.fingerprint, context.branch, context.seed])
    return words, [copy.copy(each) for each in context.added]
