"""Structural checks of ConcretePlanIR."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from blueprint.diagnostic import Diagnostic
from blueprint.ir import structure
from blueprint.ir.common import Stage
from blueprint.ir.concrete import (
    AccessMode,
    BufferBinding,
    Command,
    CommandKind,
    ConcretePlanIR,
    QueueCategory,
    QueueExtension,
    Region,
    SlotExtension,
)
from blueprint.ir.distributed import Collective
from blueprint.ir.distributed_checks import check_ranks

WRITING = (AccessMode.WRITE, AccessMode.READ_WRITE)
"""The access modes that change a buffer."""

ENDS_OF_A_TRANSFER = 2
"""Devices without which nothing can be transferred: a source and a destination."""


def check_concrete(ir: ConcretePlanIR) -> Iterator[Diagnostic]:
    """Yield every structural fault of a concrete snapshot."""
    header = ir.header
    yield from structure.check_header(header, Stage.CONCRETE)
    queues = ir.extension.queues if isinstance(ir.extension, QueueExtension) else ()
    for kind, entities in (
        ("device", ir.devices),
        ("region", ir.regions),
        ("buffer", ir.buffers),
        ("command", ir.commands),
        ("queue", queues),
    ):
        yield from structure.check_ids(kind, header.version, header.parent, entities)
        yield from structure.check_unique(entities)
    yield from _ordinals([device.ordinal for device in ir.devices])
    yield from _references(ir)
    yield from _memory(ir)
    yield from _order(ir)
    match ir.extension:
        case QueueExtension():
            yield from _queues(ir, ir.extension)
        case SlotExtension():
            yield from _slots(ir, ir.extension)


def _ordinals(ordinals: Sequence[int]) -> Iterator[Diagnostic]:
    if any(after <= before for before, after in pairwise(ordinals)):
        yield Diagnostic(code="structure.ranks", message="ordinals do not increase strictly", path="devices")


def _references(ir: ConcretePlanIR) -> Iterator[Diagnostic]:
    devices = {device.id: device for device in ir.devices}
    buffers = {buffer.id: buffer for buffer in ir.buffers}
    commands = {command.id: command for command in ir.commands}
    for command in ir.commands:
        used = [use.buffer for use in command.uses]
        yield from structure.check_known(command.name, used, buffers)
        yield from structure.check_distinct(command.name, used)
        yield from structure.check_known(command.name, command.dependencies, commands)
        yield from structure.check_distinct(command.name, command.dependencies)
        yield from _placed(command.name, command.devices, devices)
        if isinstance(command.collective, Collective):
            yield from check_ranks(command.name, command.collective.participants)
    for region in ir.regions:
        yield from _placed(region.name, region.devices, devices)
    yield from structure.check_known("inputs", ir.inputs, buffers)
    yield from structure.check_known("outputs", ir.outputs, buffers)


def _placed(path: str, listed: Sequence[str], devices: Mapping[str, object]) -> Iterator[Diagnostic]:
    yield from structure.check_known(path, listed, devices)
    yield from structure.check_distinct(path, listed)


def _memory(ir: ConcretePlanIR) -> Iterator[Diagnostic]:
    """Every buffer lies in a known region and ends within its extent; alignments are powers of two."""
    regions = {region.id: region for region in ir.regions}
    for buffer in ir.buffers:
        yield from structure.check_known(buffer.name, (buffer.region,), regions)
        region = regions.get(buffer.region)
        end = buffer.offset + buffer.size
        if region is not None and end > region.extent:
            message = f"ends at byte {end}, the extent of region {region.name} is {region.extent}"
            yield Diagnostic(code="structure.extent", message=message, path=buffer.name)
    yield from _powers_of_two((*ir.regions, *ir.buffers))


def _powers_of_two(placed: Iterable[Region | BufferBinding]) -> Iterator[Diagnostic]:
    for each in placed:
        if each.alignment & (each.alignment - 1):
            yield Diagnostic(code="structure.alignment", message="alignment is no power of two", path=each.name)


def _order(ir: ConcretePlanIR) -> Iterator[Diagnostic]:
    writers = [(command, tuple(use.buffer for use in command.uses if use.mode in WRITING)) for command in ir.commands]
    _, faults = structure.producers_of(writers)
    yield from faults
    commands = {command.id for command in ir.commands}
    known = {command.id: [each for each in command.dependencies if each in commands] for command in ir.commands}
    yield from structure.check_order(ir.commands, known)
    yield from structure.check_value_order(ir.buffers, writers)


def _queues(ir: ConcretePlanIR, extension: QueueExtension) -> Iterator[Diagnostic]:
    """The queues hold every command once; a wait joins two queues."""
    commands = {command.id: command for command in ir.commands}
    holding: dict[str, str] = {}
    for queue in extension.queues:
        yield from structure.check_known(queue.name, queue.order, commands)
        holding |= dict.fromkeys(queue.order, queue.id)
    times = Counter(each for queue in extension.queues for each in queue.order)
    yield from once_each(ir.commands, times, "queue")
    places = [list(QueueCategory).index(queue.category) for queue in extension.queues]
    if any(after <= before for before, after in pairwise(places)):
        message = "the queues' categories are not in canonical order, each once"
        yield Diagnostic(code="structure.category", message=message, path="queues")
    for wait in extension.waits:
        yield from structure.check_known("waits", (wait.command, wait.on), commands)
        if wait.command in holding and holding[wait.command] == holding.get(wait.on):
            message = "a wait within one queue, which issues in order"
            yield Diagnostic(code="structure.wait", message=message, path="waits")
    pairs = [(wait.command, wait.on) for wait in extension.waits]
    if len(set(pairs)) != len(pairs):
        yield Diagnostic(code="structure.repeated", message="a wait stands twice", path="waits")
    yield from _in_order("waits", [wait.command for wait in extension.waits], ir.commands)


def _in_order(path: str, listed: Iterable[str], commands: Iterable[Command]) -> Iterator[Diagnostic]:
    """What is said of commands stands in the commands' own order."""
    places = {command.id: place for place, command in enumerate(commands)}
    found = [places[each] for each in listed if each in places]
    if any(after < before for before, after in pairwise(found)):
        yield Diagnostic(code="structure.order", message="not in the order of the commands", path=path)


def once_each(entities: Iterable[structure.Named], times: Mapping[str, int], holder: str) -> Iterator[Diagnostic]:
    """Every entity stands in one holder, once."""
    for entity in entities:
        count = times.get(entity.id, 0)
        if count != 1:
            message = f"is in a {holder} {count} times, must be once"
            yield Diagnostic(code="structure.issue", message=message, path=entity.name)


def _slots(ir: ConcretePlanIR, extension: SlotExtension) -> Iterator[Diagnostic]:
    """Every command is issued once, in a slot of its own; routes join two devices."""
    commands = {command.id: command for command in ir.commands}
    devices = {device.id: device for device in ir.devices}
    yield from structure.check_known("issues", (issue.command for issue in extension.issues), commands)
    yield from once_each(ir.commands, Counter(issue.command for issue in extension.issues), "slot")
    yield from _in_order("issues", [issue.command for issue in extension.issues], ir.commands)
    yield from _in_order("routes", [route.command for route in extension.routes], ir.commands)
    # Sorted, not counted: numbers have hashes that a bundle can choose, and so can make all the same.
    for (cycle, slot), issued in groupby(sorted((issue.cycle, issue.slot) for issue in extension.issues)):
        count = sum(1 for _ in issued)
        if count > 1:
            message = f"{count} commands are issued in cycle {cycle}, slot {slot}"
            yield Diagnostic(code="structure.slot", message=message, path="issues")
    for route in extension.routes:
        yield from structure.check_known("routes", (route.command,), commands)
        yield from structure.check_known("routes", (route.source, route.destination), devices)
        if route.source == route.destination:
            message = "source and destination are the same device"
            yield Diagnostic(code="structure.route", message=message, path="routes")
    yield from structure.check_distinct("routes", [route.command for route in extension.routes])
    transfers = [command for command in ir.commands if command.kind is CommandKind.TRANSFER]
    if transfers and len(ir.devices) < ENDS_OF_A_TRANSFER:
        message = f"a transfer needs two devices, there is {len(ir.devices)}"
        yield Diagnostic(code="structure.route", message=message, path=transfers[0].name)
