"""Claims about a plan that is bound to a target and about its program: a changed field refutes the one that tells."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from blueprint import exact
from blueprint.claims import concrete, machine
from blueprint.claims.matched import Pair
from blueprint.concrete_transition import plan_concrete
from blueprint.expected_bound import ExpectedInstruction, ExpectedRegion
from blueprint.facts import Question
from blueprint.frontend.block import model_ir
from blueprint.frontend.models import builtin
from blueprint.frontend.request import training_request
from blueprint.ir.common import Primitive, Role, Stage
from blueprint.ir.concrete import CommandKind, QueueExtension, SlotExtension
from blueprint.ir.distributed import TaskKind
from blueprint.ir.machine import CollectiveOperand
from blueprint.ir.request import ModelFacts, Neighbour, Request, Scope, TargetKind
from blueprint.machine_transition import plan_machine
from blueprint.passes.protocol import PassContext
from blueprint.pipeline import passes_for
from blueprint.rule import Claim
from blueprint.session import open_rulebook
from blueprint.verdict import Verdict

BOOK = open_rulebook(None)
QUEUE, SLOT = TargetKind.QUEUE, TargetKind.SLOT
SMALL: ModelFacts = msgspec.structs.replace(
    builtin("gpt2"), hidden=12, feedforward=20, heads=4, key_value_heads=4, head_width=3, layers=3
)
NAMED = 2**30
NOWHERE = "command:nowhere"

change = msgspec.structs.replace


def asked(kind: TargetKind, memory: int | None = NAMED) -> Request:
    """One block on two ranks, in the middle of a pipeline of three stages."""
    return training_request(
        SMALL,
        tensor=2,
        pipeline=3,
        sequence=8,
        scope=Scope.STACK,
        stage=1,
        target=kind,
        device_memory=memory,
        emit=True,
    )


@functools.cache
def emitted(kind: TargetKind, memory: int | None = NAMED) -> tuple[Any, Any, Any]:
    """The portable plan, the bound one and the program that the passes make."""
    request = asked(kind, memory)
    snapshots: list[Any] = [model_ir(request)]
    for each in passes_for(request):
        snapshots.append(each.run(snapshots[-1], PassContext(request, "0" * 64)))
    _, _, plan, bound, program = snapshots
    return plan, bound, program


def view_of(kind: TargetKind, target: Any = None, memory: int | None = NAMED) -> concrete.ConcreteView:
    """A bound plan, the derived one unless another is given, with the entities found for its tasks and buffers."""
    plan, bound, _ = emitted(kind, memory)
    found = {source: each.id for each in (*bound.buffers, *bound.commands) for source in each.lineage.sources}
    devices = {each.ordinal: each.id for each in bound.devices}
    return concrete.ConcreteView(asked(kind, memory), plan, target or bound, found, devices)


def program_view_of(kind: TargetKind, program: Any = None) -> machine.MachineView:
    """The same for a program."""
    _, bound, emitted_ = emitted(kind)
    found = {each.source_command: each.id for each in emitted_.instructions}
    return machine.MachineView(bound, program or emitted_, found, {each.name: each.id for each in emitted_.sections})


def swapped(entities: Sequence[Any], place: int, **fields: object) -> tuple[Any, ...]:
    return (*entities[:place], change(entities[place], **fields), *entities[place + 1 :])


def false_facts(question: Question) -> set[str]:
    """The labels of what does not hold, all numbers being known."""
    found = set()
    for fact in question.facts:
        alone = Question(facts=[fact], values=question.values, premises=question.premises)
        if exact.decide(alone.obligation()).verdict is Verdict.REFUTED:
            found.add(fact.label)
    return found


@pytest.mark.parametrize("kind", TargetKind)
def test_what_the_passes_make_is_right(kind: TargetKind) -> None:
    plan, bound, program = emitted(kind)
    for found in (
        plan_concrete(BOOK, asked(kind), plan, bound),
        plan_machine(BOOK, asked(kind), bound, program),
    ):
        assert {exact.decide(each).verdict for each in found.obligations} == {Verdict.PROVED}


# Memory -------------------------------------------------------------------------------------------------------------


def of_region(region: Any, memory: int | None) -> set[str]:
    pair = Pair(ExpectedRegion("memory"), region)
    return false_facts(concrete.region_question(Claim.REGION_CAPACITY, pair, view_of(QUEUE, memory=memory)))


@pytest.mark.parametrize("field", ["capacity", "extent", "alignment"])
@pytest.mark.parametrize("memory", [NAMED, None])
def test_a_region_is_as_large_as_its_buffers_and_the_named_memory_ask(field: str, memory: int | None) -> None:
    (region,) = emitted(QUEUE, memory)[1].regions
    assert of_region(region, memory) == set()
    for more in (1, -1):
        wrong = change(region, **{field: getattr(region, field) + more})
        assert of_region(wrong, memory) == {f"memory.{field}"}


def test_a_region_is_as_large_as_the_memory_that_is_named_and_not_as_its_buffers() -> None:
    (region,) = emitted(QUEUE)[1].regions
    assert region.capacity == NAMED > region.extent
    assert of_region(change(region, capacity=region.extent), NAMED) == {"memory.capacity"}


def test_a_region_without_buffers_is_empty_and_aligned_to_the_least() -> None:
    region = change(emitted(QUEUE, None)[1].regions[0], extent=0, capacity=0, alignment=16)
    view: Any = SimpleNamespace(request=asked(QUEUE, None), places=(), bound=[])
    for actual, wrong in ((region, set()), (change(region, alignment=32), {"memory.alignment"})):
        question = concrete.region_question(Claim.REGION_CAPACITY, Pair(ExpectedRegion("memory"), actual), view)
        assert false_facts(question) == wrong


# Issue order --------------------------------------------------------------------------------------------------------


def test_a_command_that_is_in_a_queue_where_the_target_has_slots_is_said_to_be() -> None:
    task: Any = SimpleNamespace(id="task")
    view: Any = SimpleNamespace(request=asked(SLOT), index={"task": 3})
    for issued, wrong in (
        (("", 3, 0), set()),
        (("compute", 3, 0), {"x.queue[0]"}),
        (("", 4, 0), {"x.cycle"}),
        (("", 3, 1), {"x.slot"}),
    ):
        question = Question()
        concrete._issue(question, "x", task, issued, view)
        assert false_facts(question) == wrong


def test_slots_are_read_by_cycle_and_then_by_slot() -> None:
    bound = emitted(SLOT)[1]
    first, second, third, *rest = bound.extension.issues
    late = max(issue.cycle for issue in rest) + 1
    issues = (change(first, cycle=late, slot=0), change(second, cycle=0, slot=2), change(third, cycle=0, slot=1), *rest)
    turned = change(bound, extension=SlotExtension(issues=issues, routes=()))
    ((_, order),) = machine.orders(turned)
    assert list(order) == [third.command, second.command, *(issue.command for issue in rest), first.command]


# The plan as a whole ------------------------------------------------------------------------------------------------


def of_plan(target: Any, kind: TargetKind) -> set[str]:
    return false_facts(concrete.concrete_interface_question(view_of(kind), target))


def of_program(target: Any, kind: TargetKind) -> set[str]:
    return false_facts(machine.machine_interface_question(program_view_of(kind), target))


@pytest.mark.parametrize("kind", TargetKind)
def test_a_plan_has_queues_where_its_target_has(kind: TargetKind) -> None:
    bound = emitted(kind)[1]
    other: Any = QueueExtension(queues=(), waits=()) if kind is SLOT else SlotExtension(issues=(), routes=())
    assert of_plan(bound, kind) == set()
    assert of_plan(change(bound, extension=other), kind) == {"extension.queues"}


@pytest.mark.parametrize("kind", TargetKind)
def test_a_plan_and_a_program_are_of_their_stage_and_target(kind: TargetKind) -> None:
    _, bound, program = emitted(kind)
    for snapshot, asks in ((bound, of_plan), (program, of_program)):
        lost = change(snapshot, header=change(snapshot.header, stage=Stage.MODEL))
        assert asks(snapshot, kind) == set()
        assert asks(lost, kind) == {"header.stage[0]"}
        assert asks(change(snapshot, target="another"), kind) == {"target[0]"}


# Transfers ----------------------------------------------------------------------------------------------------------


def test_every_transfer_has_a_route_between_the_first_device_and_that_of_the_stage_beside() -> None:
    bound = emitted(SLOT)[1]
    devices, routes = [each.id for each in bound.devices], bound.extension.routes
    transfers = {each.id: each.peer for each in bound.commands if each.kind is CommandKind.TRANSFER}
    assert set(transfers.values()) == set(Neighbour)
    assert len(devices) == 4
    beside = {Neighbour.BEFORE: devices[2], Neighbour.AFTER: devices[3]}
    assert {each.command: {each.source, each.destination} for each in routes} == {
        command: {devices[0], beside[peer]} for command, peer in transfers.items()
    }
    assert of_routes(routes) == set()
    for place, route in enumerate(routes):
        for fields in ({"command": NOWHERE}, {"source": devices[1]}, {"destination": devices[1]}):
            ((field, _),) = fields.items()
            assert of_routes(swapped(routes, place, **fields)) == {f"routes.{field}[{place}]"}
        turned = swapped(routes, place, source=route.destination, destination=route.source)
        assert of_routes(turned) == {f"routes.source[{place}]", f"routes.destination[{place}]"}
    assert "routes.command count" in of_routes(routes[1:])


def of_routes(routes: Sequence[Any]) -> set[str]:
    bound = emitted(SLOT)[1]
    wrong = change(bound, extension=SlotExtension(issues=bound.extension.issues, routes=tuple(routes)))
    return false_facts(concrete.routes_question(view_of(SLOT), wrong))


def test_a_transfer_to_no_neighbour_ends_at_no_device() -> None:
    """The activation of the last stage goes nowhere, and that of the first comes from nowhere."""
    sent: Any = SimpleNamespace(kind=TaskKind.POINT_TO_POINT, primitive=Primitive.SEND, inputs=("x",), outputs=())
    taken: Any = SimpleNamespace(kind=TaskKind.POINT_TO_POINT, primitive=Primitive.RECEIVE, inputs=(), outputs=("x",))
    plan, bound, _ = emitted(SLOT)
    view = concrete.ConcreteView(asked(SLOT), plan, bound, {}, dict(enumerate("abcdefgh")))
    view.roles = {"x": Role.ACTIVATION}
    assert [concrete._ends_of(each, view) for each in (sent, taken)] == [("a", "d"), ("c", "a")]
    view.case = SimpleNamespace(receives=False, sends=True)  # type: ignore[assignment]
    assert [concrete._ends_of(each, view) for each in (sent, taken)] == [("a", "c"), ("missing -1", "a")]
    view.case = SimpleNamespace(receives=True, sends=False)  # type: ignore[assignment]
    assert [concrete._ends_of(each, view) for each in (sent, taken)] == [("a", "missing -1"), ("c", "a")]


@pytest.mark.parametrize(
    ("primitive", "role", "peer"),
    [
        (Primitive.SEND, Role.ACTIVATION, Neighbour.AFTER),
        (Primitive.SEND, Role.GRADIENT, Neighbour.BEFORE),
        (Primitive.RECEIVE, Role.ACTIVATION, Neighbour.BEFORE),
        (Primitive.RECEIVE, Role.GRADIENT, Neighbour.AFTER),
    ],
)
def test_activations_go_on_and_gradients_go_back(primitive: Primitive, role: Role, peer: Neighbour) -> None:
    view: Any = SimpleNamespace(roles={"x": role, "y": role})
    for inputs, outputs in ((("x",), ()), ((), ("x",))):
        task: Any = SimpleNamespace(kind=TaskKind.POINT_TO_POINT, primitive=primitive, inputs=inputs, outputs=outputs)
        assert concrete.peer_of(task, view) is peer
        task.kind = TaskKind.COMPUTE
        assert concrete.peer_of(task, view) is None


@pytest.mark.parametrize(("inputs", "outputs"), [((), ()), (("x",), ("y",)), (("x", "y"), ()), (("unknown",), ())])
def test_a_transfer_of_no_single_tensor_exchanges_with_no_stage(
    inputs: tuple[str, ...], outputs: tuple[str, ...]
) -> None:
    """A plan is untrusted."""
    view: Any = SimpleNamespace(roles={"x": Role.ACTIVATION, "y": Role.ACTIVATION})
    task: Any = SimpleNamespace(kind=TaskKind.POINT_TO_POINT, primitive=Primitive.SEND, inputs=inputs, outputs=outputs)
    assert concrete.peer_of(task, view) is None


# The program --------------------------------------------------------------------------------------------------------


def of_instruction(claim: Claim, instruction: Any, view: machine.MachineView) -> set[str]:
    command = next(each for each in view.source.commands if each.id == instruction.source_command)
    pair: Any = Pair(ExpectedInstruction("x", command), instruction)
    return false_facts(machine.instruction_question(claim, pair, view))


@pytest.mark.parametrize("kind", TargetKind)
def test_an_instruction_that_no_section_holds_is_found(kind: TargetKind) -> None:
    program = emitted(kind)[2]
    first = program.sections[0].order[0]
    lost = next(each for each in program.instructions if each.id == first)
    assert of_instruction(Claim.ISSUE_ORDER, lost, program_view_of(kind)) == set()
    without = change(program, sections=swapped(program.sections, 0, order=program.sections[0].order[1:]))
    view = program_view_of(kind, without)
    assert of_instruction(Claim.ISSUE_ORDER, lost, view) == {"x.section[0]", "x.position"}


def wrong_of(found: Any) -> Any:
    match found:
        case int():
            return found + 1
        case tuple():
            return (*found[:-1], found[-1] + 1)
    return next(each for each in type(found) if each is not found)


@pytest.mark.parametrize(
    ("field", "label"),
    [
        ("collective", "kind"), ("axis", "axis"), ("reduction", "reduction"), ("participants", "participants in order"),
        ("message_bytes", "message_bytes"),
    ],
)  # fmt: skip
def test_every_field_of_an_emitted_collective_is_compared(field: str, label: str) -> None:
    view, program = program_view_of(QUEUE), emitted(QUEUE)[2]
    found = [
        (each, at)
        for each in program.instructions
        for at, operand in enumerate(each.operands)
        if isinstance(operand, CollectiveOperand)
    ]
    assert found
    for each, at in found:
        wrong = swapped(each.operands, at, **{field: wrong_of(getattr(each.operands[at], field))})
        assert of_instruction(Claim.COLLECTIVE_VOLUME, each, view) == set()
        assert of_instruction(Claim.COLLECTIVE_VOLUME, change(each, operands=wrong), view) == {f"x.collective.{label}"}
        without = change(each, operands=each.operands[:at])
        refuted = {"x.collective", "x.collectives count"}
        assert of_instruction(Claim.COLLECTIVE_VOLUME, without, view) == refuted
