"""Every structural check of concrete plans and programs refuses a good one that is changed in one place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest

from blueprint.boundaries import structural_faults
from blueprint.codec import decode, encode
from blueprint.frontend.block import model_ir
from blueprint.frontend.models import builtin
from blueprint.frontend.request import training_request
from blueprint.ir.common import Stage
from blueprint.ir.concrete import CommandKind, QueueCategory, Route, Wait
from blueprint.ir.request import TargetKind
from blueprint.passes.protocol import PassContext
from blueprint.pipeline import passes_for
from tests.ir.places import homeless

replace = msgspec.structs.replace
Change = Callable[[Any], Any]


@pytest.fixture(scope="module")
def good() -> dict[tuple[TargetKind, Stage], Any]:
    """A concrete plan and a program for each kind of target."""
    found: dict[tuple[TargetKind, Stage], Any] = {}
    for kind in TargetKind:
        request = training_request(builtin("gpt2"), sequence=64, tensor=2, target=kind, emit=True)
        snapshot: Any = model_ir(request)
        for derivation_pass in passes_for(request):
            snapshot = derivation_pass.run(snapshot, PassContext(request, "0" * 64))
            found[kind, snapshot.header.stage] = snapshot
    return found


def at(items: Sequence[Any], position: int, **fields: object) -> tuple[Any, ...]:
    """The items with one of them changed."""
    changed = list(items)
    changed[position] = replace(changed[position], **fields)
    return tuple(changed)


def unknown(kind: str) -> str:
    return f"{kind}:{'0' * 64}"


def device(position: int, **fields: object) -> Change:
    return lambda ir: replace(ir, devices=at(ir.devices, position, **fields))


def region(**fields: object) -> Change:
    return lambda ir: replace(ir, regions=at(ir.regions, 0, **fields))


def buffer(**fields: object) -> Change:
    return lambda ir: replace(ir, buffers=at(ir.buffers, 3, **fields))


def command(**fields: object) -> Change:
    return lambda ir: replace(ir, commands=at(ir.commands, 3, **fields))


def collective_of(ir: Any) -> Any:
    position = next(i for i, each in enumerate(ir.commands) if each.kind is CommandKind.COLLECTIVE)
    changed = replace(ir.commands[position].collective, participants=(1, 0))
    return replace(ir, commands=at(ir.commands, position, collective=changed))


def uses(ir: Any) -> Any:
    use = ir.commands[3].uses[0]
    return command(uses=(use, use))(ir)


def written_twice(ir: Any) -> Any:
    """The fourth command writes what the third does."""
    last = ir.commands[2].uses[-1]
    return command(uses=(*ir.commands[3].uses, last))(ir)


def extension(**fields: Callable[[Any], object]) -> Change:
    """The extension with fields that are made of the extension."""

    def changed(ir: Any) -> Any:
        new = {name: make(ir.extension) for name, make in fields.items()}
        return replace(ir, extension=replace(ir.extension, **new))

    return changed


def queue(**fields: object) -> Change:
    return extension(queues=lambda own: at(own.queues, 0, **fields))


def without(position: int, queue_position: int = 0) -> Change:
    def shorter(own: Any) -> object:
        order = list(own.queues[queue_position].order)
        del order[position]
        return at(own.queues, queue_position, order=tuple(order))

    return extension(queues=shorter)


def within_one_queue(ir: Any) -> Any:
    first, second = ir.extension.queues[0].order[:2]
    return extension(waits=lambda own: (Wait(command=second, on=first), *own.waits))(ir)


def routed(source: int, destination: int, times: int = 1) -> Change:
    def routes(ir: Any) -> Any:
        devices = [*(each.id for each in ir.devices), unknown("device")]
        route = Route(command=ir.commands[0].id, source=devices[source], destination=devices[destination])
        return extension(routes=lambda _: (route,) * times)(ir)

    return routes


def transfers_on_one_device(ir: Any) -> Any:
    alone = command(kind=CommandKind.TRANSFER)(ir)
    placed = tuple(replace(each, devices=ir.commands[0].devices[:1]) for each in alone.commands)
    return replace(alone, commands=placed, devices=ir.devices[:1])


Case = tuple[TargetKind, Stage, str, Change]
QUEUE, SLOT, CONCRETE, MACHINE = TargetKind.QUEUE, TargetKind.SLOT, Stage.CONCRETE, Stage.MACHINE

CONCRETE_CASES: list[tuple[str, Change]] = [
    ("structure.version", lambda ir: replace(ir, header=replace(ir.header, version=2))),
    ("structure.stage", lambda ir: replace(ir, header=replace(ir.header, stage=Stage.PORTABLE))),
    ("structure.id", device(0, name="other")),
    ("structure.id", region(name="other")),
    ("structure.id", buffer(name="other")),
    ("structure.id", command(name="other")),
    ("structure.duplicate_id", lambda ir: replace(ir, devices=(*ir.devices, ir.devices[0]))),
    ("structure.duplicate_name", lambda ir: replace(ir, buffers=at(ir.buffers, 1, name=ir.buffers[0].name))),
    ("structure.ranks", device(1, ordinal=0)),
    ("structure.ranks", device(0, ordinal=1)),
    ("structure.ranks", collective_of),
    ("structure.dangling", region(devices=(unknown("device"),))),
    ("structure.dangling", buffer(region=unknown("region"))),
    ("structure.dangling", command(dependencies=(unknown("command"),))),
    ("structure.dangling", lambda ir: command(uses=(replace(ir.commands[3].uses[0], buffer=unknown("buffer")),))(ir)),
    ("structure.dangling", command(devices=(unknown("device"),))),
    ("structure.dangling", lambda ir: replace(ir, inputs=(unknown("buffer"),))),
    ("structure.dangling", lambda ir: replace(ir, outputs=(unknown("buffer"),))),
    ("structure.repeated", uses),
    ("structure.repeated", lambda ir: command(devices=ir.commands[3].devices[:1] * 2)(ir)),
    ("structure.repeated", lambda ir: command(dependencies=(ir.commands[0].id,) * 2)(ir)),
    ("structure.repeated", lambda ir: region(devices=(ir.devices[0].id,) * 2)(ir)),
    ("structure.ssa", written_twice),
    ("structure.extent", lambda ir: region(extent=ir.regions[0].extent - 1)(ir)),
    ("structure.extent", lambda ir: buffer(offset=ir.regions[0].extent)(ir)),
    ("structure.alignment", buffer(alignment=24)),
    ("structure.alignment", region(alignment=3)),
    ("structure.cycle", lambda ir: replace(ir, commands=at(ir.commands, 0, dependencies=(ir.commands[-1].id,)))),
    ("structure.order", lambda ir: replace(ir, commands=ir.commands[::-1])),
    ("structure.value_order", lambda ir: replace(ir, buffers=ir.buffers[::-1])),
]

QUEUE_CASES: list[tuple[str, Change]] = [
    ("structure.id", queue(name="other")),
    ("structure.dangling", queue(order=(unknown("command"),))),
    ("structure.issue", without(3)),
    ("structure.issue", extension(queues=lambda own: at(own.queues, 0, order=own.queues[0].order * 2))),
    ("structure.issue", extension(queues=lambda own: own.queues[:1])),
    ("structure.category", extension(queues=lambda own: own.queues[::-1])),
    ("structure.category", queue(category=QueueCategory.COLLECTIVE)),
    ("structure.wait", within_one_queue),
    ("structure.dangling", extension(waits=lambda own: (replace(own.waits[0], on=unknown("command")), *own.waits))),
    ("structure.repeated", extension(waits=lambda own: (own.waits[0], *own.waits))),
    ("structure.order", extension(waits=lambda own: own.waits[::-1])),
]

SLOT_CASES: list[tuple[str, Change]] = [
    ("structure.issue", extension(issues=lambda own: own.issues[1:])),
    ("structure.issue", extension(issues=lambda own: (own.issues[0], *own.issues))),
    ("structure.dangling", extension(issues=lambda own: at(own.issues, 0, command=unknown("command")))),
    ("structure.slot", extension(issues=lambda own: at(own.issues, 0, cycle=1))),
    ("structure.order", extension(issues=lambda own: own.issues[::-1])),
    ("structure.route", routed(0, 0)),
    ("structure.dangling", routed(-1, 0)),
    ("structure.dangling", routed(0, -1)),
    ("structure.repeated", routed(0, 1, times=2)),
    ("structure.route", transfers_on_one_device),
]


def instruction(**fields: object) -> Change:
    return lambda ir: replace(ir, instructions=at(ir.instructions, 3, **fields))


def operand_of(ir: Any) -> Any:
    position = next(i for i, each in enumerate(ir.instructions) if hasattr(each.operands[-1], "participants"))
    operands = ir.instructions[position].operands
    changed = (*operands[:-1], replace(operands[-1], participants=(1, 0)))
    return replace(ir, instructions=at(ir.instructions, position, operands=changed))


MACHINE_CASES: list[tuple[str, Change]] = [
    ("structure.version", lambda ir: replace(ir, header=replace(ir.header, version=2))),
    ("structure.stage", lambda ir: replace(ir, header=replace(ir.header, stage=Stage.CONCRETE))),
    ("structure.duplicate_id", lambda ir: replace(ir, instructions=(*ir.instructions, ir.instructions[0]))),
    ("structure.duplicate_id", lambda ir: replace(ir, sections=(*ir.sections, ir.sections[0]))),
    ("structure.duplicate_name", lambda ir: replace(ir, entries=(*ir.entries, ir.entries[0]))),
    ("structure.id", instruction(name="other")),
    ("structure.id", lambda ir: replace(ir, sections=at(ir.sections, 0, name="other"))),
    ("structure.id", lambda ir: replace(ir, entries=at(ir.entries, 0, name="other"))),
    ("structure.dangling", instruction(dependencies=(unknown("instruction"),))),
    ("structure.repeated", lambda ir: instruction(dependencies=(ir.instructions[0].id,) * 2)(ir)),
    ("structure.ranks", operand_of),
    ("structure.dangling", lambda ir: replace(ir, sections=at(ir.sections, 0, order=(unknown("instruction"),)))),
    ("structure.issue", lambda ir: replace(ir, sections=at(ir.sections, 0, order=ir.sections[0].order[1:]))),
    ("structure.issue", lambda ir: replace(ir, sections=at(ir.sections, 0, order=ir.sections[0].order * 2))),
    ("structure.dangling", lambda ir: replace(ir, entries=at(ir.entries, 0, sections=(unknown("section"),)))),
    ("structure.repeated", lambda ir: replace(ir, entries=at(ir.entries, 0, sections=ir.entries[0].sections * 2))),
    ("structure.unreachable", lambda ir: replace(ir, entries=at(ir.entries, 0, sections=()))),
    ("structure.unreachable", lambda ir: replace(ir, entries=at(ir.entries, 0, sections=ir.entries[0].sections[1:]))),
    ("structure.order", lambda ir: replace(ir, instructions=ir.instructions[::-1])),
    ("structure.cycle", lambda ir: replace(
        ir, instructions=at(ir.instructions, 0, dependencies=(ir.instructions[-1].id,)))),
]  # fmt: skip


def test_a_transfer_between_two_devices_is_routed(good: dict[tuple[TargetKind, Stage], Any]) -> None:
    plan = good[SLOT, CONCRETE]
    assert len(plan.devices) == 2
    transferring = command(kind=CommandKind.TRANSFER)(routed(0, 1)(plan))
    assert "structure.route" not in {fault.code for fault in structural_faults(transferring)}


@pytest.mark.parametrize("kind", TargetKind)
def test_a_plan_for_one_device_moves_nothing_and_has_no_fault(kind: TargetKind) -> None:
    request = training_request(builtin("gpt2"), sequence=64, target=kind)
    snapshot: Any = model_ir(request)
    for derivation_pass in passes_for(request):
        snapshot = derivation_pass.run(snapshot, PassContext(request, "0" * 64))
    assert (len(snapshot.devices), structural_faults(snapshot)) == (1, [])


CASES: list[Case] = [
    *((kind, CONCRETE, *case) for kind in TargetKind for case in CONCRETE_CASES),
    *((QUEUE, CONCRETE, *case) for case in QUEUE_CASES),
    *((SLOT, CONCRETE, *case) for case in SLOT_CASES),
    *((kind, MACHINE, *case) for kind in TargetKind for case in MACHINE_CASES),
    (QUEUE, MACHINE, "structure.order", lambda ir: replace(ir, sections=ir.sections[::-1])),
]


@pytest.mark.parametrize("kind", TargetKind)
@pytest.mark.parametrize("stage", [CONCRETE, MACHINE])
def test_a_good_snapshot_has_no_fault(
    good: dict[tuple[TargetKind, Stage], Any], kind: TargetKind, stage: Stage
) -> None:
    assert structural_faults(good[kind, stage]) == []
    assert decode(encode(good[kind, stage]), type(good[kind, stage])) == good[kind, stage]


def test_an_empty_section_begins_where_the_next_one_does(good: dict[tuple[TargetKind, Stage], Any]) -> None:
    first, second, *others = good[QUEUE, MACHINE].sections
    for base, faults in ((first.base, 0), (first.base - 1, 1)):
        sections = (replace(first, order=()), replace(second, base=base), *others)
        found = structural_faults(replace(good[QUEUE, MACHINE], sections=sections))
        assert [each.path for each in found if each.code == "structure.order"] == ["sections"] * faults


def test_what_is_nowhere_is_there_no_time(good: dict[tuple[TargetKind, Stage], Any]) -> None:
    found = structural_faults(extension(issues=lambda own: own.issues[1:])(good[SLOT, CONCRETE]))
    assert [each.message for each in found if each.code == "structure.issue"] == ["is in a slot 0 times, must be once"]


@pytest.mark.parametrize("alignment", [1, 2, 2**62])
def test_every_power_of_two_is_an_alignment(good: dict[tuple[TargetKind, Stage], Any], alignment: int) -> None:
    plan = region(alignment=alignment)(buffer(alignment=alignment)(good[QUEUE, CONCRETE]))
    assert structural_faults(plan) == []


@pytest.mark.parametrize(
    ("kind", "stage", "code", "change"),
    CASES,
    ids=[f"{at}-{kind.value}-{stage.value}-{code}" for at, (kind, stage, code, _) in enumerate(CASES)],
)
def test_a_change_is_refused(
    good: dict[tuple[TargetKind, Stage], Any], kind: TargetKind, stage: Stage, code: str, change: Change
) -> None:
    changed = change(good[kind, stage])
    found = structural_faults(changed)
    assert homeless(changed, found) == []
    assert code in {fault.code for fault in found}
    assert all(fault.message and fault.code.startswith("structure.") for fault in found)
