"""Claims about a plan that is bound to a target and about its program: a changed field refutes the one that tells."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from blueprint import exact
from blueprint.claims import concrete, machine
from blueprint.claims.matched import Pair
from blueprint.concrete_transition import plan_concrete
from blueprint.expected_bound import (
    ExpectedBinding,
    ExpectedCommand,
    ExpectedDevice,
    ExpectedEntry,
    ExpectedInstruction,
    ExpectedRegion,
    ExpectedSection,
)
from blueprint.facts import Question
from blueprint.frontend.block import model_ir
from blueprint.frontend.models import builtin
from blueprint.frontend.request import training_request
from blueprint.ir.common import Primitive, Role, Stage
from blueprint.ir.concrete import AccessMode, BufferUse, CommandKind, QueueExtension, SlotExtension
from blueprint.ir.distributed import Collective, CollectiveKind, MeshAxis, Reduction, TaskKind
from blueprint.ir.machine import CollectiveOperand, MemoryOperand, Opcode, PeerOperand
from blueprint.ir.request import ModelFacts, Neighbour, Request, Scope, TargetKind
from blueprint.machine_transition import plan_machine
from blueprint.passes.protocol import PassContext
from blueprint.pipeline import passes_for
from blueprint.rule import Claim
from blueprint.session import open_rulebook
from blueprint.term import evaluate, holds
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
    """The labels of what does not hold, all numbers being known; the premises do."""
    values = question.values
    assert all(holds(each, values) for each in question.premises)
    return {each.label for each in question.facts if evaluate(each.actual, values) != evaluate(each.expected, values)}


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


# Every field ----------------------------------------------------------------------------------------------------------


def of_binding(claim: Claim, place: int, actual: Any) -> set[str]:
    view = view_of(QUEUE)
    pair = Pair(ExpectedBinding("x", view.bound[place], place), actual)
    return false_facts(concrete.binding_question(claim, pair, view))


@pytest.mark.parametrize(
    ("claim", "field"),
    [
        (Claim.BUFFER_SIZE, "size"),
        (Claim.ALIGNMENT, "alignment"),
        (Claim.BUFFER_BINDING, "offset"),
        (Claim.BUFFER_BINDING, "region"),
    ],
)
def test_every_field_of_a_place_is_compared(claim: Claim, field: str) -> None:
    buffers = emitted(QUEUE)[1].buffers
    for place in (0, 1, len(buffers) - 1):
        buffer = buffers[place]
        assert of_binding(claim, place, buffer) == set()
        found = getattr(buffer, field)
        for wrong in ("region:another",) if field == "region" else (found + 1, found - 1):
            assert of_binding(claim, place, change(buffer, **{field: wrong})) == {f"x.{field}"}


def of_command(claim: Claim, command: Any, view: concrete.ConcreteView) -> set[str]:
    tasks = {each.id: each for each in view.source.tasks}
    expected = ExpectedCommand("x", tuple(tasks[each] for each in command.lineage.sources))
    return false_facts(concrete.command_question(claim, Pair(expected, command), view))


def wrong_commands(command: Any) -> Iterator[tuple[Claim, Any, str]]:
    """A command with one false field, the claim that speaks of it, and the label of the fact."""
    yield Claim.TASK_CATEGORY, change(command, kind=CommandKind.BARRIER), "x.kind"
    peer = Neighbour.BEFORE if command.peer is not Neighbour.BEFORE else Neighbour.AFTER
    label = "x.peer[0]" if command.kind is CommandKind.TRANSFER else "x.peer count"
    yield Claim.TASK_CATEGORY, change(command, peer=peer), label
    yield Claim.EXACT_WORK, change(command, operations=command.operations + 1), "x.operations"
    yield Claim.IMPLEMENTATION, change(command, implementation="another"), "x.implementation[0]"
    yield Claim.PLACEMENT, change(command, devices=command.devices[::-1]), "x.devices in order"
    for place, use in enumerate(command.uses):
        buffer = swapped(command.uses, place, buffer="buffer:another")
        yield Claim.BUFFER_USES, change(command, uses=buffer), f"x.uses[{place}]"
        mode = swapped(command.uses, place, mode=wrong_of(use.mode))
        yield Claim.BUFFER_USES, change(command, uses=mode), f"x.uses[{place}].mode"
    for place in range(len(command.dependencies)):
        needs = (*command.dependencies[:place], NOWHERE, *command.dependencies[place + 1 :])
        yield Claim.DEPENDENCY_TOPOLOGY, change(command, dependencies=needs), f"x.dependencies[{place}]"
    if isinstance(command.collective, Collective):
        for field in command.collective.__struct_fields__:
            wrong = change(command.collective, **{field: wrong_of(getattr(command.collective, field))})
            label = f"x.collective.{field}{' in order' if field == 'participants' else ''}"
            yield Claim.COLLECTIVE_VOLUME, change(command, collective=wrong), label
    invented = msgspec.UNSET if isinstance(command.collective, Collective) else COLLECTIVE
    yield Claim.COLLECTIVE_VOLUME, change(command, collective=invented), "x.collective"


COLLECTIVE = Collective(
    kind=CollectiveKind.ALL_REDUCE, axis=MeshAxis.TENSOR, participants=(0, 1), reduction=Reduction.SUM, message_bytes=2
)


def samples(entities: Sequence[Any], kind: Callable[[Any], object]) -> list[Any]:
    """The last entity of each kind."""
    return list({kind(each): each for each in entities}.values())


@pytest.mark.parametrize("kind", TargetKind)
def test_every_field_of_a_command_is_compared(kind: TargetKind) -> None:
    view = view_of(kind)
    commands = samples(emitted(kind)[1].commands, lambda each: (each.kind, len(each.uses)))
    assert {each.kind for each in commands} == {CommandKind.LAUNCH, CommandKind.COLLECTIVE, CommandKind.TRANSFER}
    for command in commands:
        for claim, wrong, label in wrong_commands(command):
            assert of_command(claim, command, view) == set()
            assert of_command(claim, wrong, view) == {label}, command.name


@pytest.mark.parametrize("kind", TargetKind)
def test_a_command_that_is_issued_nowhere_is_found_and_so_is_one_too_early_or_too_late(kind: TargetKind) -> None:
    bound = emitted(kind)[1]
    where = {"x.queue[0]", "x.position"} if kind is QUEUE else {"x.cycle", "x.slot"}
    for command in bound.commands[:: len(bound.commands) // 3]:
        view = view_of(kind)
        assert of_command(Claim.ISSUE_ORDER, command, view) == set()
        queue, at, slot = view.issued.pop(command.id)
        assert of_command(Claim.ISSUE_ORDER, command, view) == where
        for other in (at - 1, at + 1):
            view.issued[command.id] = (queue, other, slot)
            assert of_command(Claim.ISSUE_ORDER, command, view) == {"x.position" if kind is QUEUE else "x.cycle"}


def test_a_command_waits_for_what_it_needs_of_other_queues_and_for_nothing_else() -> None:
    bound, slots = emitted(QUEUE)[1], view_of(SLOT)
    queue_of = {each: queue.id for queue in bound.extension.queues for each in queue.order}
    waiting = 0
    for command in bound.commands:
        view = view_of(QUEUE)
        needed = [each for each in command.dependencies if queue_of[each] != queue_of[command.id]]
        assert view.waits.get(command.id, []) == needed
        assert of_command(Claim.WAITS, command, view) == set()
        view.waits[command.id] = [*needed, NOWHERE]
        assert of_command(Claim.WAITS, command, view) == {"x.waits count"}
        if needed:
            waiting += 1
            view.waits[command.id] = [NOWHERE, *needed[1:]]
            assert of_command(Claim.WAITS, command, view) == {"x.waits[0]"}
    assert waiting
    for command in emitted(SLOT)[1].commands:
        assert of_command(Claim.WAITS, command, slots) == set()


def wrong_instructions(instruction: Any) -> Iterator[tuple[Claim, Any, set[str]]]:
    """An instruction with one false field, the claim that speaks of it, and the labels of the facts."""
    yield Claim.TASK_CATEGORY, change(instruction, opcode=Opcode.BARRIER), {"x.opcode"}
    yield Claim.IMPLEMENTATION, change(instruction, implementation="another"), {"x.implementation[0]"}
    for place in range(len(instruction.dependencies)):
        needs = (*instruction.dependencies[:place], NOWHERE, *instruction.dependencies[place + 1 :])
        wrong = change(instruction, dependencies=needs)
        yield Claim.DEPENDENCY_TOPOLOGY, wrong, {f"x.dependencies[{place}]"}
    operands = instruction.operands
    for place, operand in enumerate(operands):
        if isinstance(operand, MemoryOperand) and place in {0, 1, len(operands) - 1}:
            for fields, label in (
                ({"region": "another"}, "region[0]"), ({"offset": operand.offset + 1}, "offset"),
                ({"size": operand.size + 1}, "size"), ({"mode": wrong_of(operand.mode)}, "mode"),
            ):  # fmt: skip
                wrong = change(instruction, operands=swapped(operands, place, **fields))
                yield Claim.OPERANDS, wrong, {f"x.operands[{place}].{label}"}
        if isinstance(operand, PeerOperand):
            wrong = change(instruction, operands=swapped(operands, place, stage=wrong_of(operand.stage)))
            yield Claim.OPERANDS, wrong, {"x.peer[0]"}
            yield Claim.OPERANDS, change(instruction, operands=operands[:place]), {"x.peer count", "x.peer[0]"}
    if not isinstance(operands[-1], MemoryOperand):
        turned = change(instruction, operands=(operands[-1], *operands[:-1]))
        yield Claim.OPERANDS, turned, {"x.operands.memory_first"}
    else:
        yield Claim.OPERANDS, change(instruction, operands=operands[:-1]), {"x.operands count"}
        stray = change(instruction, operands=(*operands, PeerOperand(stage=Neighbour.AFTER)))
        yield Claim.OPERANDS, stray, {"x.peer count"}


@pytest.mark.parametrize("kind", TargetKind)
def test_every_field_of_an_instruction_is_compared(kind: TargetKind) -> None:
    view = program_view_of(kind)
    for instruction in samples(emitted(kind)[2].instructions, lambda each: (each.opcode, len(each.operands))):
        for claim, wrong, labels in wrong_instructions(instruction):
            assert of_instruction(claim, instruction, view) == set()
            assert of_instruction(claim, wrong, view) == labels, instruction.name


@pytest.mark.parametrize("kind", TargetKind)
def test_a_section_begins_behind_the_one_before_and_an_entry_point_lists_them_all(kind: TargetKind) -> None:
    view, program = program_view_of(kind), emitted(kind)[2]
    assert len(program.sections) == (3 if kind is QUEUE else 1)
    for section in program.sections:
        for fields, label in (
            ({}, None), ({"base": section.base + 1}, "base"), ({"order": section.order[1:]}, "length"),
        ):  # fmt: skip
            pair = Pair(ExpectedSection(section.name, None), change(section, **fields))
            question = machine.section_question(Claim.ISSUE_ORDER, [pair], view)
            assert false_facts(question) == ({f"{section.name}.{label}"} if label else set())
    (entry,) = program.entries
    for sections, right in ((entry.sections, True), (entry.sections[1:], False), ((NOWHERE,), False)):
        entered = Pair(ExpectedEntry("main"), change(entry, sections=tuple(sections)))
        assert (false_facts(machine.entry_question(Claim.ENTRY, [entered], view)) == set()) is right


def test_the_base_of_a_region_is_aligned_as_its_most_aligned_buffer_is() -> None:
    view: Any = SimpleNamespace(request=asked(QUEUE, None), bound=[SimpleNamespace(size=8)] * 2)
    view.places = (concrete.Place(0, 0, 64, 0), concrete.Place(0, 8, 16, 1))
    region = change(emitted(QUEUE, None)[1].regions[0], extent=24, capacity=24)
    for alignment, wrong in ((64, set()), (16, {"memory.alignment"}), (32, {"memory.alignment"})):
        pair = Pair(ExpectedRegion("memory"), change(region, alignment=alignment))
        assert false_facts(concrete.region_question(Claim.REGION_CAPACITY, pair, view)) == wrong


def test_without_a_deployment_no_memory_is_named() -> None:
    assert concrete._memory_of(asked(QUEUE)) == NAMED
    assert concrete._memory_of(asked(QUEUE, None)) is None
    assert concrete._memory_of(change(asked(QUEUE), deployment=msgspec.UNSET)) is None


@pytest.mark.parametrize(
    ("ordinals", "wrong"),
    [
        ((0, 1, 2, 3), set()),
        ((0, 1, 2), {"devices.ordinal count", "devices.ordinal last"}),
        ((0, 2, 1, 3), {"device.1.ordinal", "device.2.ordinal"}),
        ((1, 1, 2, 3), {"devices.ordinal first", "device.0.ordinal"}),
        ((0, 1, 2, 4), {"devices.ordinal last", "device.3.ordinal"}),
    ],
)
def test_devices_run_the_ranks_of_the_group_and_one_of_each_stage_beside_it(
    ordinals: tuple[int, ...], wrong: set[str]
) -> None:
    devices = emitted(QUEUE)[1].devices
    pairs = [
        Pair(ExpectedDevice(f"device.{rank}", rank), change(devices[rank], ordinal=ordinal))
        for rank, ordinal in enumerate(ordinals)
    ]
    assert false_facts(concrete.device_question(Claim.LOGICAL_RANKS, pairs, view_of(QUEUE))) == wrong


def test_nowhere_is_no_place_in_a_queue_or_section() -> None:
    """Whatever place a command must have, one that is issued nowhere does not have it."""
    bound, program = emitted(QUEUE)[1:]
    for command in bound.commands:
        view = view_of(QUEUE)
        del view.issued[command.id]
        assert of_command(Claim.ISSUE_ORDER, command, view) == {"x.queue[0]", "x.position"}
    without = program_view_of(QUEUE, change(program, sections=()))
    for instruction in program.instructions:
        assert of_instruction(Claim.ISSUE_ORDER, instruction, without) == {"x.section[0]", "x.position"}


def test_a_section_that_nobody_demands_is_named_by_its_id_where_it_holds_an_instruction() -> None:
    _, bound, program = emitted(QUEUE)
    view = machine.MachineView(bound, program, {}, {})
    first = next(each for each in program.instructions if each.id == program.sections[0].order[0])
    command = next(each for each in bound.commands if each.id == first.source_command)
    pair = Pair(ExpectedInstruction("x", command), first)
    question = machine.instruction_question(Claim.ISSUE_ORDER, pair, view)
    assert false_facts(question) == {"x.section[0]"}
    said = {each.label: each.words for each in question.facts}
    assert said["x.section[0]"] == (program.sections[0].id, program.sections[0].name)


@pytest.mark.parametrize(
    ("tasks", "uses"),
    [
        ([("ab", "c")], "a:read b:read c:write"),
        ([("ab", "b")], "a:read b:read_write"),
        # What one leaves for the other is not touched.
        ([("ab", "c"), ("ca", "d")], "a:read b:read d:write"),
    ],
)
def test_a_buffer_is_used_as_the_tasks_of_a_command_use_it(tasks: list[tuple[str, str]], uses: str) -> None:
    carried: list[Any] = [SimpleNamespace(inputs=tuple(reads), outputs=tuple(writes)) for reads, writes in tasks]
    view: Any = SimpleNamespace(images=list)
    named = [tuple(each.split(":")) for each in uses.split()]
    right = [BufferUse(buffer=buffer, mode=AccessMode(mode)) for buffer, mode in named]
    for place in range(-1, len(right)):
        found = list(right)
        if place >= 0:
            found[place] = change(right[place], mode=wrong_of(right[place].mode))
        command: Any = SimpleNamespace(uses=found)
        question = Question()
        concrete._uses(question, "x", carried, command, view)
        assert false_facts(question) == ({f"x.uses[{place}].mode"} if place >= 0 else set())
