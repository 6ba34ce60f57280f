"""The gate refuses bindings and programs that are not what the rules make of the plan, and names what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import msgspec
import pytest

from blueprint.bundle import fingerprint
from blueprint.discharge import SolverPool
from blueprint.errors import DomainError, GateError, PassFailedError
from blueprint.frontend.block import model_ir, request_digest
from blueprint.frontend.models import builtin
from blueprint.frontend.request import check_domain, training_request
from blueprint.gate import CommitGate, Committed
from blueprint.ir.common import Stage
from blueprint.ir.concrete import ConcretePlanIR, QueueExtension
from blueprint.ir.portable import PortablePlanIR
from blueprint.ir.request import Request, Scope, TargetKind
from blueprint.passes.bind_queue import BindReferenceQueueTargetPass
from blueprint.passes.bind_slot import BindReferenceSlotTargetPass
from blueprint.passes.binding import bounded
from blueprint.passes.emit_machine import EmitReferenceMachinePass
from blueprint.passes.protocol import PassContext, PassFacts
from blueprint.pipeline import PassManager, passes_for, required_stages, unasked
from blueprint.session import open_rulebook, open_theorems
from blueprint.verifier import TransitionVerifier
from blueprint.workload import layout

change = msgspec.structs.replace


def request_of(
    kind: TargetKind | None, *, emit: bool = False, memory: int | None = None, tensor: int = 2, sequence: int = 64
) -> Request:
    return training_request(
        builtin("gpt2"), sequence=sequence, tensor=tensor, target=kind, emit=emit, device_memory=memory
    )


def stack_of(kind: TargetKind, stage: int) -> Request:
    """One of two stages of two blocks each, on one rank."""
    model = change(builtin("gpt2"), layers=4)
    return training_request(model, sequence=16, pipeline=2, scope=Scope.STACK, stage=stage, target=kind)


@pytest.fixture(scope="module")
def verifier() -> Iterator[TransitionVerifier]:
    with SolverPool(2) as pool:
        rulebook = open_rulebook(None)
        yield TransitionVerifier(rulebook, open_theorems(rulebook), pool)


def gate_of(verifier: TransitionVerifier, request: Request) -> CommitGate:
    return CommitGate(verifier, PassContext(request, fingerprint(request_digest(request), verifier.rulebook.digest)))


def committed(verifier: TransitionVerifier, request: Request, stages: int) -> tuple[CommitGate, Committed]:
    """The gate of a request, and the last of so many committed snapshots."""
    gate = gate_of(verifier, request)
    trace = PassManager(gate, passes_for(request)[: stages - 1]).run(model_ir(request))
    return gate, trace.committed[-1]


class Binding(BindReferenceQueueTargetPass):
    """The real pass, whose result is changed."""

    def __init__(self, act: Callable[[ConcretePlanIR], ConcretePlanIR]) -> None:
        self.act = act

    def run(self, ir: PortablePlanIR, context: PassContext) -> ConcretePlanIR:
        return self.act(super().run(ir, context))


def moved(ir: ConcretePlanIR) -> ConcretePlanIR:
    last = ir.buffers[-1]
    later = change(last, offset=last.offset + last.alignment)
    region = change(ir.regions[0], extent=ir.regions[0].extent + 16, capacity=ir.regions[0].capacity + 16)
    return change(ir, buffers=(*ir.buffers[:-1], later), regions=(region,))


def swapped(ir: ConcretePlanIR) -> ConcretePlanIR:
    extension = cast("QueueExtension", ir.extension)
    first = extension.queues[0]
    order = (first.order[1], first.order[0], *first.order[2:])
    queues = (change(first, order=order), *extension.queues[1:])
    return change(ir, extension=change(extension, queues=queues))


def lost(ir: ConcretePlanIR) -> ConcretePlanIR:
    extension = cast("QueueExtension", ir.extension)
    return change(ir, extension=change(extension, waits=extension.waits[1:]))


@pytest.mark.parametrize("kind", TargetKind)
def test_the_honest_passes_are_committed(verifier: TransitionVerifier, kind: TargetKind) -> None:
    request = request_of(kind, emit=True)
    _, last = committed(verifier, request, 5)
    assert last.snapshot.header.stage is Stage.MACHINE
    assert [each.header.stage for each in last.ancestors] == list(Stage)[:4]
    assert last.report is not None
    assert last.report.relation_verified


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (moved, "claim buffer_binding of rule binding.buffer is refuted"),
        (swapped, "claim issue_order of rule binding.command is refuted"),
        (lost, "claim waits of rule binding.command is refuted"),
        (lambda ir: change(ir, target="other"), "claim interface of rule binding.plan is refuted"),
    ],
)
def test_a_false_binding_is_refused(
    verifier: TransitionVerifier, act: Callable[[ConcretePlanIR], ConcretePlanIR], words: str
) -> None:
    gate, plan = committed(verifier, request_of(TargetKind.QUEUE), 3)
    with pytest.raises(GateError) as caught:
        gate.commit(Binding(act), plan)
    assert caught.value.code == "gate.refuted"
    assert caught.value.message.startswith(f"BindReferenceQueueTargetPass: steps 9 to 12, {words}")


def test_a_binding_of_the_other_kind_is_refused(verifier: TransitionVerifier) -> None:
    gate, plan = committed(verifier, request_of(TargetKind.QUEUE), 3)
    with pytest.raises(GateError) as caught:
        gate.commit(BindReferenceSlotTargetPass(), plan)
    assert caught.value.code == "gate.refuted"


def test_a_binding_without_a_target_is_refused(verifier: TransitionVerifier) -> None:
    gate, plan = committed(verifier, request_of(None), 3)
    with pytest.raises(GateError, match="step 2, the request has no binding target"):
        gate.commit(BindReferenceQueueTargetPass(), plan)
    with pytest.raises(DomainError, match="the request names none"):
        BindReferenceQueueTargetPass().run(cast("PortablePlanIR", plan.snapshot), gate.context)


def test_a_program_of_another_stage_is_refused(verifier: TransitionVerifier) -> None:
    gate, plan = committed(verifier, request_of(TargetKind.QUEUE), 3)
    with pytest.raises(GateError, match="step 1, the input is no committed concrete snapshot"):
        gate.commit(EmitReferenceMachinePass(), plan)


def test_a_device_that_is_too_small_is_refused_with_both_numbers(verifier: TransitionVerifier) -> None:
    """What a rank keeps fits, but not what the plan lays out, which reuses no memory."""
    _, bound = committed(verifier, request_of(TargetKind.QUEUE, sequence=1024), 4)
    extent = cast("ConcretePlanIR", bound.snapshot).regions[0].extent
    for memory, fits in ((extent, True), (extent - 1, False)):
        request = request_of(TargetKind.QUEUE, memory=memory, sequence=1024)
        gate, plan = committed(verifier, request, 3)
        if fits:
            found = gate.commit(BindReferenceQueueTargetPass(), plan).snapshot
            assert cast("ConcretePlanIR", found).regions[0].capacity == extent
            continue
        with pytest.raises(GateError) as caught:
            gate.commit(BindReferenceQueueTargetPass(), plan)
        assert "law aligned-buffers (every buffer fits its region)" in caught.value.message
        assert str(extent) in caught.value.message
        assert f"may be at most {extent - 1}" in caught.value.message


def test_rounding_that_breaks_its_contract_is_an_error_of_the_pass(
    verifier: TransitionVerifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, plan = committed(verifier, request_of(TargetKind.QUEUE), 3)
    monkeypatch.setattr(layout, "LEAST_ALIGNMENT", 3)
    with pytest.raises(PassFailedError, match="step 5, the pass failed with ArithmeticError"):
        gate.commit(BindReferenceQueueTargetPass(), plan)


def _stage_of(stage: int) -> tuple[Any, Any]:
    """A stage of a stack of two stages on one rank, bound to slots: the request and the concrete plan."""
    request = stack_of(TargetKind.SLOT, stage)
    context = PassContext(request, "0" * 64)
    snapshot: Any = model_ir(request)
    for derivation_pass in passes_for(request):
        snapshot = derivation_pass.run(snapshot, context)
    return request, snapshot


@pytest.mark.parametrize("stage", [0, 1])
def test_transfers_are_routed_to_the_stage_beside(stage: int) -> None:
    """The first stage sends activations and receives gradients, the last the other way round."""
    _, plan = _stage_of(stage)
    names = {command.id: command.name for command in plan.commands}
    here, there = (device.id for device in plan.devices)
    found = {names[each.command]: (each.source, each.destination) for each in plan.extension.routes}
    first = {"b1.mlp_residual.send": (here, there), "b1.mlp_residual.receive_gradient": (there, here)}
    last = {"x.receive": (there, here), "x.send_gradient": (here, there)}
    assert found == (last if stage else first)


def test_transfers_need_two_devices() -> None:
    request, _ = _stage_of(0)
    alone = change(request, deployment=change(request.deployment, devices=1))
    with pytest.raises(DomainError, match="devices = 1 are fewer than the ranks of the group") as caught:
        check_domain(alone)
    assert caught.value.path == "deployment.devices"


def test_a_place_beyond_the_limit_is_refused() -> None:
    with pytest.raises(DomainError, match=r"offset of buffer x = 9223372036854775808 exceeds the limit"):
        bounded("offset of buffer x", 2**63)


def test_what_a_request_must_show() -> None:
    assert required_stages(request_of(None)) == tuple(Stage)[:3]
    assert required_stages(request_of(TargetKind.SLOT)) == tuple(Stage)[:4]
    assert required_stages(request_of(TargetKind.QUEUE, emit=True)) == tuple(Stage)
    assert unasked(request_of(None), Stage.MACHINE) == "the request names no target"
    assert unasked(request_of(TargetKind.SLOT), Stage.MACHINE) == "the request does not ask for instructions"
    assert unasked(request_of(TargetKind.SLOT), Stage.CONCRETE) == ""


@pytest.mark.parametrize(
    "facts",
    [BindReferenceQueueTargetPass.facts, BindReferenceSlotTargetPass.facts, EmitReferenceMachinePass.facts],
)
def test_a_reference_pass_claims_no_paper(facts: PassFacts) -> None:
    assert all("no paper claim" in each for each in facts.provenance)
