"""Hold the rules of a rulebook against what the passes derive, in every case, before anybody derives a plan with them.

Theorems are about laws. That a rule's targets are those which a pass makes is asked of every plan; a rulebook of
another's is asked it of a small model in each case of the strategy, so that a target which only some strategies have is
not found missing by its first user.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from blueprint.boundaries import plan_transition, structural_faults
from blueprint.bundle import Snapshot, fingerprint
from blueprint.case import Case, Workload, all_cases, workload_of
from blueprint.diagnostic import Diagnostic
from blueprint.errors import BlueprintError
from blueprint.extension import Extension
from blueprint.frontend.block import model_ir, request_digest
from blueprint.frontend.request import inference_request, training_request
from blueprint.ir.request import Activation, ModelFacts, Request, branches_of
from blueprint.outcome import Finding
from blueprint.passes.protocol import PassContext
from blueprint.passes.running import Replay
from blueprint.pipeline import passes_for
from blueprint.plan import TransitionPlan
from blueprint.rulebook import Rulebook
from blueprint.wording import entity_names, failed_facts
from blueprint.words import plain

_TWO: Final = 2
"""The least degree that divides anything."""


def rehearse(rulebook: Rulebook, extension: Extension) -> Iterator[Finding]:
    """What does not fit, each kind of misfit once: in the first case in which it shows, and in how many others."""
    found: dict[tuple[str, str], list[str]] = {}
    # The stage of ZeRO decides sizes of a block, and which of its tasks there are it does not.
    for case in (each for each in all_cases() if not each.zero):
        for fault in _faults(rulebook, extension, _request(case)):
            found.setdefault((fault.message, fault.path), []).append(case.text)
    for (message, path), cases in found.items():
        more = f" and in {len(cases) - 1} others" if len(cases) > 1 else ""
        yield Finding(code="rule.targets", message=f"{message}, in the case {cases[0]}{more}", path=path)


def _false_claims(plan: TransitionPlan) -> Iterator[Diagnostic]:
    """Claims that do not hold of what a pass made. Every number is known, so no solver is needed."""
    names = entity_names(plan)
    for relation in plan.relations:
        for check in relation.claims:
            failed = next(failed_facts(check, plan.obligations[check.obligation].witness, names), None)
            if failed is not None:
                said = f"claim {check.claim.value} of rule {relation.rule} does not hold"
                words = f"{said}: {failed.field} is {failed.found}, should be {failed.expected}"
                yield Diagnostic(code="rule.targets", message=words, path=relation.names[0])


def _request(case: Case) -> Request:
    """The smallest model in a case."""
    model = ModelFacts(
        name="rehearsal",
        hidden=8,
        feedforward=16,
        heads=4,
        key_value_heads=4,
        head_width=2,
        layers=1,
        vocabulary=2,
        positions=8,
        biases=case.biases,
        activation=Activation.GELU,
    )
    degree = _TWO if case.tensor_parallel else 1
    if case.workload is Workload.INFERENCE:
        return inference_request(model, batch=2, prompt=4, context=6, tensor=degree)
    return training_request(
        model,
        sequence=4,
        batch=2,
        tensor=degree,
        data=_TWO,
        recompute=case.recompute,
        communication=case.communication,
    )


def _faults(rulebook: Rulebook, extension: Extension, request: Request) -> Iterator[Diagnostic]:
    """What the rules demand and no pass makes, and the reverse, up to the plan."""
    session, where = fingerprint(request_digest(request), rulebook.digest), workload_of(request).value
    for branch in branches_of(request.workload):
        context = PassContext(request, session, branch, extension.operations)
        replay = Replay(context)
        chain: tuple[Snapshot, ...] = (model_ir(request, extension.operations),)
        for derivation_pass in passes_for(request, extension):
            name = derivation_pass.facts.name
            try:
                made = replay.run(derivation_pass, chain[-1])
            except BlueprintError as error:
                yield Diagnostic(
                    code="rule.targets", message=f"{name}: {error.message}", path=workload_of(request).value
                )
                return
            except Exception as error:  # noqa: BLE001 -- a pass of another's may raise anything
                said = f"{name} failed with {type(error).__name__}: {plain(error, 120)}"
                yield Diagnostic(code="rule.targets", message=said, path=where)
                return
            if derivation_pass.facts.within_stage:
                continue
            if not isinstance(made, Snapshot) or any(True for _ in structural_faults(made)):
                yield Diagnostic(
                    code="rule.targets", message=f"{name} makes no sound snapshot", path=workload_of(request).value
                )
                return
            plan = plan_transition(rulebook, context, chain, made)
            yield from plan.diagnostics
            yield from _false_claims(plan)
            chain = (*chain, made)
