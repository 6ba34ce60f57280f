"""The short text of a snapshot: typed pseudo-syntax, with equal blocks once. It is for reading, and no wire format."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from blueprint.explorer.expressions import Expressions
from blueprint.explorer.fields import fields_of
from blueprint.explorer.items import Entity, kind_of
from blueprint.explorer.payload import Colour, Line, Span
from blueprint.explorer.stages import Shown
from blueprint.explorer.texts import heading
from blueprint.ir.common import Role
from blueprint.ir.concrete import AccessMode, Command, ConcretePlanIR, Device, Queue, Region
from blueprint.ir.distributed import Collective, DistributedTaskIR, DistributedValue, Task
from blueprint.ir.machine import EntryPoint, Instruction, MachineIR, MemoryOperand, Section
from blueprint.ir.model import ModelIR, ModelValue, Operation
from blueprint.ir.portable import Buffer, PlanTask, PortablePlanIR
from blueprint.words import plain

LISTED: Final = 8
"""The most inputs, outputs or operands that a line lists."""

_OF_BLOCK: Final = re.compile(r"(?:(?<=\.)|\A)b([0-9]{1,9})\.")

Part = tuple[Colour | None, str]
"""A piece of a line: what it means, and its text."""


class Step(NamedTuple):
    """One step as a line: the block that it is of, and its pieces; `position` is that of its entity."""

    block: int | None
    position: int
    parts: tuple[Part, ...]


def brief(shown: Shown, expressions: Expressions) -> Iterator[Line]:
    """Schema, interface, key bindings, and what defines the layer, block by block."""
    yield heading(shown)
    yield from (Line(1, (line,)) for line in _bindings(shown))
    yield from (Line(1, (line,)) for line in _interface(shown))
    yield from _placed(shown, expressions)
    yield from _tensors(shown)
    yield from _blocks(_steps(shown, expressions))
    yield Line(0, ("}",))


def _bindings(shown: Shown) -> Iterator[str]:
    """What the snapshot as a whole is bound to."""
    match shown.snapshot:
        case ModelIR(facts=facts):
            held = fields_of(facts, shown)
            yield f"facts {' '.join(f'{each.name}={each.value}' for each in held)}"
        case DistributedTaskIR(mesh=mesh):
            ranks = f"{len(mesh.ranks)} ranks from {mesh.ranks[0]}"
            yield f"mesh tensor={mesh.tensor} pipeline={mesh.pipeline} data={mesh.data}, {ranks}"
        case PortablePlanIR() as plan:
            held = fields_of(plan.memory, shown)
            yield f"memory {' '.join(f'{each.name}={each.value}' for each in held)}"
            yield f"objectives {' '.join(each.value for each in plan.objectives)}"
            for each in plan.alternatives:
                yield f"alternative {each.name} capability={each.capability} workspace={each.workspace}"
        case ConcretePlanIR() as bound:
            yield f"target {plain(bound.target)} workspace={bound.workspace}"
        case MachineIR() as program:
            yield f"target {plain(program.target)}"


def _interface(shown: Shown) -> Iterator[str]:
    """What goes in and what comes out."""
    snapshot = shown.snapshot
    if isinstance(snapshot, MachineIR):
        return
    for word, identifiers in (("input", snapshot.inputs), ("output", snapshot.outputs)):
        for each in identifiers[:LISTED]:
            position = shown.positions.get(each)
            yield f"{word} {each if position is None else _typed(shown.entities[position])}"
        if len(identifiers) > LISTED:
            yield f"{word} of {len(identifiers) - LISTED} more"


def _typed(entity: Entity) -> str:
    """A tensor with the type that its stage gives it."""
    match entity:
        case ModelValue():
            sizes = ", ".join(f"{axis.value}={size}" for axis, size in zip(entity.axes, entity.shape, strict=False))
            return f"{entity.name} : {entity.dtype.value}[{sizes}]"
        case DistributedValue():
            return (
                f"{entity.name} : {entity.dtype.value}{list(entity.local_shape)} on each of {len(entity.ranks)} ranks"
            )
        case Buffer():
            return f"{entity.name} : {entity.size} bytes, {entity.storage.value}"
        case _:
            return entity.name


def _placed(shown: Shown, expressions: Expressions) -> Iterator[Line]:
    """Devices, regions and queues of a plan; sections and entry points of a program."""
    few = (Region, Queue, Section, EntryPoint)
    devices = sum(isinstance(entity, Device) for entity in shown.entities)
    if devices:
        yield Line(1, (f"devices {devices}",))
    for position, entity in enumerate(shown.entities):
        if isinstance(entity, few):
            yield Line(1, (f"{kind_of(entity)} ", expressions.of((position,))))


def _tensors(shown: Shown) -> Iterator[Line]:
    """How many tensors there are for each use."""
    roles = Counter(
        entity.role for entity in shown.entities if isinstance(entity, ModelValue | DistributedValue | Buffer)
    )
    if roles:
        listed = ", ".join(f"{role.value} x {roles[role]}" for role in Role if roles[role])
        yield Line(1, (Span(colour=Colour.TYPE, parts=("tensors",)), f" {listed}"))


def _steps(shown: Shown, expressions: Expressions) -> Iterator[Step]:
    """Every step in canonical order, as a line that is the same for the same step of another block."""
    for position, entity in enumerate(shown.entities):
        if isinstance(entity, Operation | Task | PlanTask | Command | Instruction):
            block = _block(entity.name)
            name = (Colour.NAME, _within(entity.name, block))
            yield Step(block, position, (name, *_said(entity, block, shown, expressions)))


def _block(name: str) -> int | None:
    """The block that a name begins with, for the eye alone."""
    found = _OF_BLOCK.match(name)
    return int(found[1]) if found else None


def _within(name: str, block: int | None) -> str:
    """A name as it is called within a block: without the block's own prefix, and relative to it."""

    def relative(found: re.Match[str]) -> str:
        other = int(found[1])
        if block is None:
            return found[0]
        return {0: "", -1: "previous.", 1: "next."}.get(other - block, found[0])

    return _OF_BLOCK.sub(relative, name)


def _said(entity: Entity, block: int | None, shown: Shown, expressions: Expressions) -> Iterator[Part]:
    """What a step is, in the terms of its own stage."""

    def called(identifiers: Iterable[str]) -> str:
        listed = list(identifiers)
        places = [shown.positions.get(each) for each in listed[:LISTED]]
        names = ["(not there)" if at is None else _within(shown.entities[at].name, block) for at in places]
        return ", ".join(names) + (f", {len(listed) - LISTED} more" if len(listed) > LISTED else "")

    match entity:
        case Operation():
            result = shown.positions.get(entity.result)
            yield (Colour.STRUCTURE, f" = {entity.kind}({called(entity.inputs)})")
            if result is not None:
                yield (Colour.TYPE, f" :{_typed(shown.entities[result]).partition(' :')[2]}")
        case Task():
            yield (Colour.STRUCTURE, f" : {entity.primitive}({called(entity.inputs)}) -> {called(entity.outputs)}")
            yield (Colour.TOPOLOGY, f" on {len(entity.ranks)} ranks{_exchange(entity.collective)}")
        case PlanTask():
            work = entity.work
            counted = f" ops={work.operations} read={work.read_bytes} write={work.write_bytes}"
            yield (Colour.STRUCTURE, f" : {entity.implementation.capability}")
            yield (Colour.WORK, f"{counted} message={work.message_bytes}")
            yield (None, f" after {called(entity.dependencies) or 'nothing'}")
        case Command():
            reads = sum(use.mode is not AccessMode.WRITE for use in entity.uses)
            writes = sum(use.mode is not AccessMode.READ for use in entity.uses)
            yield (Colour.STRUCTURE, f" : {entity.kind.value} {entity.implementation}")
            yield (Colour.MAPPING, f" {expressions.queue_of(entity)} reads {reads} writes {writes}")
        case Instruction():
            operands = Counter(_mode(each) for each in entity.operands)
            listed = " ".join(f"{mode} {count}" for mode, count in operands.items())
            yield (Colour.STRUCTURE, f" : {entity.opcode.value} {entity.implementation}")
            yield (Colour.MAPPING, f" {listed}")
        case _:
            return


def _exchange(collective: object) -> str:
    if not isinstance(collective, Collective):
        return ""
    return f", {collective.kind.value} along {collective.axis.value}, {collective.reduction.value}"


def _mode(operand: object) -> str:
    return operand.mode.value if isinstance(operand, MemoryOperand) else "exchange"


def _blocks(steps: Iterator[Step]) -> Iterator[Line]:
    """The steps of each block together, neighbouring blocks with equal steps once; then what is of no block."""
    blocks: dict[int, list[Step]] = {}
    loose: list[Step] = []
    for step in steps:
        (loose if step.block is None else blocks.setdefault(step.block, [])).append(step)
    bodies = [(block, tuple(step.parts for step in blocks[block])) for block in sorted(blocks)]
    for _, run in groupby(bodies, key=lambda each: each[1]):
        numbers = [block for block, _ in run]
        yield Line(1, (Span(colour=Colour.STRUCTURE, parts=(_headed(numbers),)), " {"))
        yield from (_line(2, step) for step in blocks[numbers[0]])
        yield Line(1, ("}",))
    yield from (_line(1, step) for step in loose)


def _headed(numbers: Sequence[int]) -> str:
    """Blocks with equal steps; of several, the first stands for all."""
    first, last = numbers[0], numbers[-1]
    if len(numbers) == 1:
        return f"block {first}"
    shown = f"{first} to {last}" if last - first == len(numbers) - 1 else f"from {first}"
    return f"x {len(numbers)} blocks, {shown}"


def _line(depth: int, step: Step) -> Line:
    (colour, name), *rest = step.parts
    head = Span(colour=colour or Colour.NAME, parts=(name,), entity=step.position)
    return Line(depth, (head, *(text if of is None else Span(colour=of, parts=(text,)) for of, text in rest)))
