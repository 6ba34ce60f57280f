"""The numbered steps of verification, after decoding. All failures are reported, not only the first.

 3 request and session digests, rulebook   4 stage order, schemas, adjacency   5 structure and ids
 6 parent digests   7 contracts            8 the model from the request        9 relations and claims, 10 laws
11 deterministic replay                   12 recorded reports                 13 overlays
14 completeness                           15 expectations of the caller
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Final

import msgspec

from blueprint.bindings import binding_words, entities_of, flat_bindings, known_expectations, meets
from blueprint.boundaries import SCHEMAS, plan_transition, recorded_report, structural_faults, with_verdicts_of
from blueprint.bundle import (
    Bundle,
    Snapshot,
    fingerprint,
    snapshot_digest,
)
from blueprint.case import workload_of
from blueprint.codec import encode
from blueprint.contract import contract_of
from blueprint.difference import difference
from blueprint.discharge import SolverPool
from blueprint.errors import BlueprintError, GateFailedError
from blueprint.extension import Extension, load_extension
from blueprint.frontend.block import model_ir, request_digest
from blueprint.frontend.request import check_domain
from blueprint.ir.common import Branch, Stage
from blueprint.ir.model import ModelIR
from blueprint.ir.request import branches_of
from blueprint.outcome import (
    Finding,
    Outcome,
    Report,
    Status,
    TransitionReport,
)
from blueprint.passes.protocol import PassContext
from blueprint.passes.running import Replay
from blueprint.pipeline import passes_for, required_stages, stage_label, unasked
from blueprint.session import collecting_later, cross_checker, open_rulebook, open_theorems, worker_count
from blueprint.statement import assemble, subject_row, tool_row
from blueprint.transition import plan_model
from blueprint.verifier import Settled, Step, TransitionVerifier
from blueprint.words import plain

STAGE_ORDER: Final = tuple(Stage)

_NOT_ESTABLISHED: Final = frozenset({"rulebook.revision", "stage.missing", "replay.off", "nothing.established"})
"""Codes that leave a bundle undecided instead of refuting it; claims and laws carry their own status."""

_CONSTRUCTED: Final = "the canonical construction gives another snapshot"


def examine(
    bundle: Bundle,
    bundle_sha256: str,
    *,
    rules: str | Path | None,
    jobs: int | None,
    budget: int,
    cross_check: bool,
    expect: Mapping[str, str],
    replay: bool,
) -> Report:
    """Run every step on a decoded bundle and report what was established."""
    bindings = binding_words(bundle)
    known_expectations(expect, bindings)
    with collecting_later(), SolverPool(worker_count(jobs)) as pool:
        rulebook = open_rulebook(rules)
        theorems = open_theorems(rulebook, rules)
        extension = load_extension(rulebook)
        verifier = TransitionVerifier(rulebook, theorems, pool, budget, cross_checker(asked=cross_check))
        run = _Examination(bundle, bundle_sha256, verifier, extension, bindings, replay=replay, shipped=rules is None)
        return run.run(expect)


@dataclass(frozen=True)
class Chain:
    """The snapshots of one branch as far as they are in order, model first, with their positions in the bundle."""

    branch: Branch
    positions: tuple[int, ...]
    snapshots: tuple[Snapshot, ...]

    def cut(self, length: int) -> Chain:
        """The first snapshots alone."""
        return Chain(self.branch, self.positions[:length], self.snapshots[:length])


class _Examination:
    """One run over one bundle; each method is one step or a few that belong together."""

    def __init__(
        self,
        bundle: Bundle,
        bundle_sha256: str,
        verifier: TransitionVerifier,
        extension: Extension,
        bindings: Mapping[str, Mapping[str, str]],
        *,
        replay: bool,
        shipped: bool,
    ) -> None:
        self.bundle = bundle
        self.bundle_sha256 = bundle_sha256
        self.verifier = verifier
        self.rulebook = verifier.rulebook
        self.extension = extension
        self.passes = passes_for(bundle.request, extension)
        self.bindings = bindings
        self.replay = replay
        self.shipped = shipped
        self.findings: list[Finding] = []
        self.broken: list[Exception] = []
        self.digests = [snapshot_digest(record.snapshot) for record in bundle.stages]
        self.branches = branches_of(bundle.request.workload)
        self.required = required_stages(bundle.request)

    def run(self, expect: Mapping[str, str]) -> Report:
        self.session()
        chains = self.chains()
        sound = self.structure(chains)
        self.parents(chains)
        self.contracts()
        settled = self.verifier.settle(self.steps(sound) if self.domain() else ())
        self.findings.extend(settled.findings)
        self.recorded(settled)
        self.overlays()
        self.completeness(chains, settled)
        self.expectations(expect)
        reasons = {stage: unasked(self.bundle.request, stage) for stage in STAGE_ORDER}
        subject = subject_row(self.bundle, self.bundle_sha256, self.bindings, self.digests, reasons)
        tool = tool_row(self.rulebook, settled, shipped=self.shipped)
        return assemble(tool, subject, self.verdict(settled), settled, self.findings, self.rulebook)

    def find(self, code: str, message: str, path: str = "") -> None:
        refutes = code not in _NOT_ESTABLISHED
        self.findings.append(Finding(code=code, message=message, path=plain(path), refutes=refutes))

    # 3 request and session digests, rulebook
    def session(self) -> None:
        bundle, ours = self.bundle, self.rulebook
        if bundle.request_digest != request_digest(bundle.request):
            self.find("digest.request", "the request's digest is not that of the request", "request_digest")
        if bundle.rulebook.revision != ours.revision:
            self.find(
                "rulebook.revision",
                f"derived under rulebook revision {plain(bundle.rulebook.revision)}, this is {ours.revision}",
                "rulebook.revision",
            )
        elif bundle.rulebook.digest != ours.digest:
            self.find("rulebook.digest", "same revision, but other rules than the installed ones", "rulebook.digest")
        if bundle.fingerprint != fingerprint(request_digest(bundle.request), bundle.rulebook.digest):
            self.find("digest.session", "the session fingerprint is not that of request and rulebook", "fingerprint")

    # 4 stage order, schemas, adjacency
    def chains(self) -> list[Chain]:
        """The branches, each from the model on, as far as their stages are in order."""
        good = self.ordered()
        model = good.pop(0) if good else None
        found = []
        for branch in self.branches:
            positions = [position for position in good if self.bundle.stages[position].branch is branch]
            held = tuple(positions if model is None else [model, *positions])
            found.append(Chain(branch, held, tuple(self.bundle.stages[position].snapshot for position in held)))
        shown = [(record.stage, record.branch) for record in self.bundle.stages[1:]]
        if [(record.stage, record.branch) for record in self.bundle.transitions] != shown:
            self.find("stage.adjacency", "each adjacent pair of stages needs exactly one transition", "transitions")
        return found

    def ordered(self) -> list[int]:
        """Positions of the stages up to the first that is out of order: the model, then one branch after the other."""
        good: list[int] = []
        wanted: list[tuple[Stage, Branch]] = [(Stage.MODEL, Branch.MAIN)]
        for position, record in enumerate(self.bundle.stages):
            path = f"stages[{position}]"
            if record.snapshot.header.stage is not record.stage or not isinstance(
                record.snapshot, SCHEMAS[record.stage]
            ):
                self.find("stage.schema", f"the snapshot is not of stage {record.stage.value}", path)
                return good
            if (record.stage, record.branch) not in wanted:
                named = " or ".join(f"{stage.value} {branch.value}".strip() for stage, branch in wanted)
                self.find("stage.order", f"expected {f'stage {named}' if named else 'no further stage'} here", path)
                return good
            good.append(position)
            wanted = self.successors(record.stage, record.branch)
        return good

    def successors(self, stage: Stage, branch: Branch) -> list[tuple[Stage, Branch]]:
        """What may stand after a stage: the next one of its branch that is asked for, or the first of a later one."""
        if stage is Stage.MODEL:
            return [(Stage.DISTRIBUTED, each) for each in self.branches]
        rest = self.required[self.required.index(stage) + 1 :]
        later = self.branches[self.branches.index(branch) + 1 :]
        return [*((each, branch) for each in rest[:1]), *((Stage.DISTRIBUTED, each) for each in later)]

    # 5 structure and ids
    def structure(self, chains: list[Chain]) -> list[Chain]:
        """The chains before the first snapshot with a structural fault: about those, claims can be asked."""
        faulty: set[int] = set()
        for position in sorted({position for chain in chains for position in chain.positions}):
            record = self.bundle.stages[position]
            for fault in structural_faults(record.snapshot):
                faulty.add(position)
                self.find(fault.code, fault.message, _path(record.branch, record.stage, plain(fault.path)))
        return [chain.cut(next(_first(chain.positions, faulty), len(chain.positions))) for chain in chains]

    def domain(self) -> bool:
        try:
            check_domain(self.bundle.request)
        except BlueprintError as error:
            self.find("model.domain", plain(error.message, 400), "request")
            return False
        return True

    # 6 parent digests
    def parents(self, chains: list[Chain]) -> None:
        root = request_digest(self.bundle.request)
        lost: dict[int, str] = {}
        linked: list[tuple[int, int]] = []
        for chain in chains:
            parents = [root, *(self.digests[position] for position in chain.positions)]
            lost |= {
                position: parent
                for position, snapshot, parent in zip(chain.positions, chain.snapshots, parents, strict=False)
                if snapshot.header.parent != parent
            }
            linked += pairwise(chain.positions)
        for position in sorted(lost):
            record = self.bundle.stages[position]
            digests = f"it is {record.snapshot.header.parent}, should be {lost[position]}"
            message = f"the parent digest is not that of the snapshot before it: {digests}"
            self.find("digest.parent", message, _path(record.branch, record.stage))
        pairs = [[self.digests[source], self.digests[target]] for source, target in linked]
        for position, (transition, pair) in enumerate(zip(self.bundle.transitions, pairs, strict=False)):
            if [transition.source, transition.target] != pair:
                path = f"transitions[{position}]"
                self.find("digest.transition", "source and target digests are not those of the snapshots", path)

    # 7 contracts
    def contracts(self) -> None:
        if self.bundle.rulebook.revision != self.rulebook.revision:
            # A contract names the files of its rules: those of another rulebook cannot be compared with these.
            return
        passes = {each.facts.boundary[1]: each.facts for each in self.passes if not each.facts.within_stage}
        workload = workload_of(self.bundle.request)
        for position, record in enumerate(self.bundle.transitions):
            facts = passes.get(record.stage)
            ours = contract_of(facts, self.rulebook, workload) if facts is not None else record.contract
            if record.contract != ours:
                message = f"the contract is not that of {ours.name} under this rulebook"
                where = difference(record.contract, ours)
                self.find("contract", f"{message}: {where}", f"transitions[{position}].contract")
        for position, stage in enumerate(self.bundle.stages):
            facts = passes.get(stage.stage)
            name = "frontend" if stage.stage is Stage.MODEL else facts.name if facts else "none"
            if stage.derivation_pass != name:
                self.find("stage.pass", f"the pass of this stage is {name}", f"stages[{position}].pass")
            label = stage_label(self.bundle.request, stage.stage)
            if stage.label != label:
                self.find("stage.label", f"the label of this stage is {label}", f"stages[{position}].label")

    # 8 the model from the request, 9 relations and claims, 10 laws, 11 replay
    def steps(self, chains: list[Chain]) -> Iterator[Step]:
        """One after the other, because plans take room: whoever settles them need not hold them all."""
        model = chains[0].snapshots[0] if chains[0].snapshots else None
        if not isinstance(model, ModelIR):
            return
        demanded = model_ir(self.bundle.request, self.extension.operations)
        conformant = self.same(lambda: demanded, model, Stage.MODEL.value)
        yield Step(plan_model(self.bundle.request, model, demanded), Branch.MAIN, "frontend", conformant)
        # The rules read the model's graph: on another model than the request's they would prove nothing of it.
        for chain in chains if model == demanded else ():
            yield from self.steps_of(chain)

    def steps_of(self, chain: Chain) -> Iterator[Step]:
        """The transitions of one branch, from the model on."""
        context = PassContext(self.bundle.request, self.bundle.fingerprint, chain.branch, self.extension.operations)
        replay = Replay(context)
        position = 0
        for derivation_pass in self.passes:
            facts = derivation_pass.facts
            if facts.within_stage:
                # What it leaves, a later pass may require; that it changes nothing was its promise when deriving.
                again = partial(replay.run, derivation_pass, chain.snapshots[position])
                message = f"{facts.name} does not leave the snapshot as it is when it is run again"
                self.same(again, chain.snapshots[position], _path(chain.branch, facts.boundary[0]), message)
                continue
            if position + 1 == len(chain.snapshots):
                return
            ancestors, target = chain.snapshots[: position + 1], chain.snapshots[position + 1]
            position += 1
            again = partial(replay.run, derivation_pass, ancestors[-1])
            conformant = self.same(again, target, _path(chain.branch, facts.boundary[1]))
            # No name here holds the plan while the next is made.
            yield Step(plan_transition(self.rulebook, context, ancestors, target), chain.branch, facts.name, conformant)

    def same(
        self, construct: Callable[[], object], target: Snapshot, path: str, message: str = _CONSTRUCTED
    ) -> bool | None:
        """Whether the canonical construction gives exactly the target's bytes; None where replay is off."""
        if not self.replay:
            self.find("replay.off", "deterministic replay was switched off", path)
            return None
        why = "it cannot be made from what stands before"
        try:
            again = construct()
            if encode(again) == encode(target):
                return True
            why = difference(target, again, self.bundle.stages)
        except (BlueprintError, LookupError, ValueError):
            # The source of this step is itself wrong, and has its own finding.
            pass
        except Exception as error:  # noqa: BLE001 -- a pass may meet anything in a source that is wrong
            self.broken.append(error)
        self.find("replay", f"{message}: {why}", path)
        return False

    # 12 recorded reports
    def recorded(self, settled: Settled) -> None:
        # The model's own transition has no record.
        reports = {(each.branch, each.target): each for each in settled.transitions[1:]}
        for position, record in enumerate(self.bundle.transitions):
            report = reports.get((record.branch.value, record.stage.value))
            if report is None:
                continue
            found = recorded_report(report, settled.obligations)
            if not self.replay:
                found = msgspec.structs.replace(found, canonical_conformant=record.report.canonical_conformant)
            if _undecided(report):
                # What a solver left open this time refutes nothing that was recorded.
                found = with_verdicts_of(found, record.report)
            if record.report != found:
                fields = [
                    each for each in found.__struct_fields__ if getattr(found, each) != getattr(record.report, each)
                ]
                about = _path(record.branch, record.stage)
                message = f"the recorded report on {about} is not what this run establishes: {', '.join(fields)}"
                self.find("report.mismatch", message, f"transitions[{position}].report")

    # 13 overlays
    def overlays(self) -> None:
        for position, overlay in enumerate(self.bundle.overlays):
            path = f"overlays[{position}]"
            if overlay.snapshot not in self.digests:
                self.find("overlay.digest", "the overlay addresses a snapshot that is not in the bundle", path)
                continue
            snapshot = self.bundle.stages[self.digests.index(overlay.snapshot)].snapshot
            known = entities_of(snapshot)
            if len({entry.entity for entry in overlay.entries}) != len(overlay.entries):
                self.find("overlay.repeated", "the overlay addresses an entity twice", path)
            if any(entry.entity not in known for entry in overlay.entries):
                self.find("overlay.entity", "the overlay addresses an entity that is not in its snapshot", path)

    # 14 completeness
    def completeness(self, chains: list[Chain], settled: Settled) -> None:
        message = "the request asks for this stage, and the bundle does not show it"
        for chain in chains:
            for stage in self.required[len(chain.snapshots) :]:
                self.find("stage.missing", message, _path(chain.branch, stage))
        if len(settled.transitions) < self.transitions:
            self.find("nothing.established", "not every transition could be examined")

    @property
    def transitions(self) -> int:
        """How many transitions must be established: the model's own, and those of every branch."""
        return 1 + len(self.branches) * (len(self.required) - 1)

    # 15 expectations of the caller
    def expectations(self, expect: Mapping[str, str]) -> None:
        flat = flat_bindings(self.bindings)
        for key, wanted in expect.items():
            if not meets(key, flat[key], wanted):
                self.find("expect", f"{key} is {flat[key]}, expected {plain(wanted)}", key)

    def verdict(self, settled: Settled) -> Outcome:
        """Verified only if nothing at all speaks against it and every transition established something.

        Raises GateFailedError where a pass broke down on sources with which nothing is wrong.
        """
        if self.broken and all(finding.code == "replay" for finding in self.findings):
            raise GateFailedError(f"a pass failed with {type(self.broken[0]).__name__}") from self.broken[0]
        if any(finding.refutes for finding in self.findings):
            return Outcome.REFUTED
        verified = all(each.relation_verified and each.canonical_conformant for each in settled.transitions)
        if self.findings or not verified or len(settled.transitions) < self.transitions:
            return Outcome.NOT_ESTABLISHED
        return Outcome.VERIFIED


def _path(branch: Branch, stage: Stage, entity: str = "") -> str:
    """Where a finding lies: branch, stage and entity."""
    return "/".join(filter(None, (branch.value, stage.value, entity)))


def _first(positions: Sequence[int], faulty: set[int]) -> Iterator[int]:
    """The places of a chain at which a faulty snapshot stands."""
    return (place for place, position in enumerate(positions) if position in faulty)


def _undecided(report: TransitionReport) -> bool:
    claims = [claim.status for relation in report.relations for claim in relation.claims]
    return bool({Status.UNKNOWN, Status.VACUOUS} & {*claims, *(law.status for law in report.laws)})
