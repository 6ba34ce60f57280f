"""Request -> bundle, through the same gate that every reader applies again."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from blueprint.bundle import (
    BUNDLE_SCHEMA,
    Bundle,
    RulebookRecord,
    StageRecord,
    TransitionRecord,
    fingerprint,
)
from blueprint.codec import encode, over_limit
from blueprint.discharge import SolverPool
from blueprint.errors import DomainError, GateError
from blueprint.extension import load_extension
from blueprint.frontend.block import model_ir, request_digest
from blueprint.frontend.request import check_domain
from blueprint.gate import CommitGate, Committed, Observer
from blueprint.ir.common import Branch
from blueprint.ir.request import Request, branches_of
from blueprint.passes.protocol import PassContext
from blueprint.pipeline import PassManager, passes_for, stage_label
from blueprint.session import collecting_later, open_rulebook, open_theorems, worker_count
from blueprint.settings import DEFAULT_BUDGET
from blueprint.verifier import TransitionVerifier


def derive(
    request: Request,
    *,
    rules: str | Path | None = None,
    jobs: int | None = None,
    budget: int = DEFAULT_BUDGET,
    observers: Sequence[Observer] = (),
) -> bytes:
    """Derive a bundle's canonical bytes, under the shipped rulebook or the one in a folder of rules.

    Every observer sees every candidate before it is committed. Raises DomainError or NotCoveredError for a request
    outside the laws, RulebookError for rules that do not fit, and GateError where something is not established.
    """
    check_domain(request)
    with collecting_later(), SolverPool(worker_count(jobs)) as pool:
        rulebook = open_rulebook(rules)
        extension = load_extension(rulebook)
        digest = request_digest(request)
        session = fingerprint(digest, rulebook.digest)
        verifier = TransitionVerifier(rulebook, open_theorems(rulebook, rules), pool, budget)
        model = model_ir(request, extension.operations)
        traces = []
        for branch in branches_of(request.workload):
            gate = CommitGate(verifier, PassContext(request, session, branch, extension.operations), observers)
            traces.append(PassManager(gate, passes_for(request, extension)).run(model))
    bundle = Bundle(
        schema=BUNDLE_SCHEMA,
        request=request,
        request_digest=digest,
        fingerprint=session,
        rulebook=RulebookRecord(revision=rulebook.revision, digest=rulebook.digest),
        # The model stands once, before all branches that start at it.
        stages=(
            _stage(request, Branch.MAIN, traces[0].committed[0]),
            *(_stage(request, trace.branch, each) for trace in traces for each in trace.stages[1:]),
        ),
        transitions=tuple(
            _transition(trace.branch, before, after) for trace in traces for before, after in pairwise(trace.stages)
        ),
        overlays=(),
    )
    data = encode(bundle)
    if excess := over_limit(data):
        raise DomainError(f"the bundle would have {excess}, which no reader accepts")
    return data


def _stage(request: Request, branch: Branch, committed: Committed) -> StageRecord:
    stage = committed.snapshot.header.stage
    return StageRecord(
        stage=stage,
        branch=branch,
        label=stage_label(request, stage),
        derivation_pass=committed.derivation_pass or "frontend",
        snapshot=committed.snapshot,
    )


def _transition(branch: Branch, before: Committed, after: Committed) -> TransitionRecord:
    if after.contract is None or after.recorded is None:
        raise GateError("a committed snapshot has no report")
    return TransitionRecord(
        branch=branch,
        stage=after.snapshot.header.stage,
        source=before.digest,
        target=after.digest,
        contract=after.contract,
        report=after.recorded,
    )
