"""Run passes one after another through the gate, and keep the trace of what was committed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from blueprint.case import Workload, workload_of
from blueprint.contract import contract_of
from blueprint.errors import ContractError
from blueprint.extension import PLAIN, Extension
from blueprint.gate import CommitGate, Committed
from blueprint.ir.common import Branch, Stage
from blueprint.ir.model import ModelIR
from blueprint.ir.request import Request, Target, TargetKind, blocks_of
from blueprint.passes.bind_queue import BindReferenceQueueTargetPass
from blueprint.passes.bind_slot import BindReferenceSlotTargetPass
from blueprint.passes.distribute_inference import DistributeTransformerInferencePass
from blueprint.passes.distribute_training import DistributeTransformerTrainingPass
from blueprint.passes.emit_machine import EmitReferenceMachinePass
from blueprint.passes.plan_inference import PlanTransformerInferencePass
from blueprint.passes.plan_training import PlanTransformerTrainingPass
from blueprint.passes.protocol import DerivationPass, PassFacts


@dataclass(frozen=True)
class DerivationTrace:
    """The committed snapshots of one branch, model first."""

    branch: Branch
    committed: tuple[Committed, ...]

    @property
    def stages(self) -> tuple[Committed, ...]:
        """One committed snapshot of each stage: what a pass within a stage left is what it was given."""
        return tuple({each.snapshot.header.stage: each for each in reversed(self.committed)}.values())[::-1]


class PassManager:
    """Runs a chain of passes, checked when it is built: every contract, and that each takes what the last one gives.

    Raises ContractError where they do not fit.
    """

    def __init__(self, gate: CommitGate, passes: Sequence[DerivationPass[Any, Any]]) -> None:
        workload = workload_of(gate.context.request)
        for each in passes:
            contract_of(each.facts, gate.rulebook, workload)
        check_links([each.facts for each in passes])
        self.gate = gate
        self.passes = tuple(passes)

    def run(self, model: ModelIR) -> DerivationTrace:
        """Derive from a model to the last pass's stage. Raises what the gate raises; then nothing is published."""
        before = self.gate.published
        try:
            committed = [self.gate.admit(model)]
            for derivation_pass in self.passes:
                committed.append(self.gate.commit(derivation_pass, committed[-1]))
        except BaseException:
            # A chain is published as a whole: an interrupt leaves nothing of it either.
            self.gate.published = before
            raise
        return DerivationTrace(self.gate.context.branch, tuple(committed))


def check_links(chain: Sequence[PassFacts]) -> None:
    """Refuse passes of which one does not take what the one before it gives. Raises ContractError naming both."""
    for before, after in pairwise(chain):
        if before.boundary[1] is not after.boundary[0]:
            raise ContractError(f"{after.name} does not take what {before.name} gives")
        if not after.reads[0] <= before.writes <= after.reads[1]:
            raise ContractError(f"{after.name} does not read version {before.writes}, which {before.name} writes")
    known: set[str] = set()
    for facts in chain:
        if missing := [key.text for key in facts.requires if key.text not in known]:
            raise ContractError(f"{facts.name} requires the analysis {missing[0]}, which no pass before it leaves")
        known = facts.kept(known) | {key.text for key in facts.produces}
    if len({facts.name for facts in chain}) != len(chain):
        raise ContractError("two passes of one pipeline have the same name")


def passes_for(request: Request, extension: Extension = PLAIN) -> tuple[DerivationPass[Any, Any], ...]:
    """The passes that a request asks for, in every one of its branches: without a target, the first three stages.

    Those of an extension stand in the place of shipped ones, or behind the pass that reaches their stage.
    """
    workload = workload_of(request)
    chain: tuple[DerivationPass[Any, Any], ...] = (DistributeTransformerInferencePass(), PlanTransformerInferencePass())
    if workload is Workload.TRAINING:
        chain = (DistributeTransformerTrainingPass(), PlanTransformerTrainingPass())
    chain = (*chain, *target_passes(request))
    given = [each.derivation_pass for each in extension.passes if each.workload in {None, workload}]
    across = {each.facts.boundary: each for each in given}
    return (
        *(each for each in given if each.facts.boundary == (Stage.MODEL, Stage.MODEL)),
        *(each for shipped in chain for each in _in_place(shipped, across, given)),
    )


def _in_place(
    shipped: DerivationPass[Any, Any],
    across: Mapping[tuple[Stage, Stage], DerivationPass[Any, Any]],
    given: Sequence[DerivationPass[Any, Any]],
) -> Iterator[DerivationPass[Any, Any]]:
    """The pass of one boundary, and then those that run within the stage that it reaches."""
    reached = shipped.facts.boundary[1]
    yield across.get(shipped.facts.boundary, shipped)
    yield from (each for each in given if each.facts.boundary == (reached, reached))


def target_passes(request: Request) -> tuple[DerivationPass[Any, Any], ...]:
    """The binding to the request's target, if it names one, and the emission, if it asks for the instructions."""
    if not isinstance(request.target, Target):
        return ()
    queued = request.target.kind is TargetKind.QUEUE
    binding = BindReferenceQueueTargetPass() if queued else BindReferenceSlotTargetPass()
    return (binding, EmitReferenceMachinePass()) if request.target.emit else (binding,)


def required_stages(request: Request) -> tuple[Stage, ...]:
    """The stages that every branch of a request must show, model first."""
    return (Stage.MODEL, *dict.fromkeys(each.facts.boundary[1] for each in passes_for(request)))


def stage_label(request: Request, stage: Stage) -> str:
    """What a snapshot shows, for people."""
    blocks = blocks_of(request.model, request.strategy)
    return f"{stage.value} of {'one block' if blocks == 1 else f'{blocks} blocks'}"


def unasked(request: Request, stage: Stage) -> str:
    """Why a derivation of the request has no such stage; empty where it must have it."""
    if stage in required_stages(request):
        return ""
    if isinstance(request.target, Target):
        return "the request does not ask for instructions"
    return "the request names no target"
