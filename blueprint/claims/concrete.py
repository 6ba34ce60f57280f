"""Claims of the boundary Portable -> Concrete: places, commands and issue orders, each from the source alone.

The recurrence of offsets is worked out here once more, from sizes and alignments of the source. It enters with what
makes each offset the least one that fits as premises.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from blueprint.case import case_of
from blueprint.claims.distributed import ranks
from blueprint.claims.matched import Pair
from blueprint.expected_bound import (
    ExpectedBinding,
    ExpectedCommand,
    ExpectedDevice,
    ExpectedQueue,
    ExpectedRegion,
)
from blueprint.expected_concrete import CATEGORIES, COMMANDS, attention_of, bound_buffers, has_queues, units_of
from blueprint.facts import Question
from blueprint.ir.common import Primitive, Role, Stage
from blueprint.ir.concrete import (
    AccessMode,
    BufferBinding,
    Command,
    ConcretePlanIR,
    Device,
    Queue,
    QueueCategory,
    QueueExtension,
    Region,
    SlotExtension,
)
from blueprint.ir.distributed import Collective, TaskKind
from blueprint.ir.portable import Buffer, PlanTask, PortablePlanIR
from blueprint.ir.request import Deployment, Neighbour, Request, Target, Training
from blueprint.rule import Claim
from blueprint.term import Const, Product, Sum, Term, Var, at_most, equal, less

LEAST_ALIGNMENT: Final = 16
"""Bytes that every buffer is aligned to."""

NOWHERE: Final = ("", -1, -1)
"""The place of a command that is not issued in the way of the target."""


@dataclass(frozen=True)
class Place:
    """Where a buffer must lie: behind the one at `behind` of `length`, at `multiple` times its alignment; in bytes."""

    behind: int
    length: int
    alignment: int
    multiple: int

    @property
    def offset(self) -> int:
        """Bytes from the region's base."""
        return self.alignment * self.multiple


def places(buffers: Sequence[Buffer]) -> Iterator[Place]:
    """The aligned recurrence over sizes and required alignments."""
    behind, length = 0, 0
    for buffer in buffers:
        alignment = max(LEAST_ALIGNMENT, buffer.alignment)
        place = Place(behind, length, alignment, -(-(behind + length) // alignment))
        yield place
        behind, length = place.offset, buffer.size


class ConcreteView:
    """A portable plan with what the rules make of it, and the concrete entities found for it; devices by rank."""

    def __init__(
        self,
        request: Request,
        source: PortablePlanIR,
        target: ConcretePlanIR,
        found: Mapping[str, str],
        devices: Mapping[int, str],
    ) -> None:
        self.request = request
        self.case = case_of(request)
        self.source = source
        self.found = found
        self.region = target.regions[0].id
        self.devices = devices
        self.buffers = {buffer.id: buffer for buffer in target.buffers}
        self.commands = {command.id: command for command in target.commands}
        self.units = units_of(request, source)
        self.bound = bound_buffers(source, self.units)
        self.places = tuple(places(self.bound))
        self.categories = {task.id: CATEGORIES[COMMANDS[task.kind]] for task in source.tasks}
        self.roles = {buffer.id: buffer.role for buffer in source.buffers}
        self.index = {task.id: index for index, unit in enumerate(self.units) for task in unit.tasks}
        self.lengths = dict.fromkeys(QueueCategory, 0)
        self.positions: dict[str, int] = {}
        for unit in self.units:
            category = self.categories[unit.tasks[0].id]
            self.positions |= dict.fromkeys((task.id for task in unit.tasks), self.lengths[category])
            self.lengths[category] += 1
        self.issued = dict(_issued(target))
        self.waits: dict[str, list[str]] = {}
        for wait in target.extension.waits if isinstance(target.extension, QueueExtension) else ():
            self.waits.setdefault(wait.command, []).append(wait.on)

    def images(self, sources: Sequence[str]) -> list[str]:
        """The entities found for buffers or tasks; a missing one matches nothing."""
        return [self.found.get(each, f"missing {each}") for each in sources]

    def devices_of(self, ordinals: Sequence[int]) -> list[str]:
        """The devices that run these ranks."""
        return [self.devices.get(each, f"missing {each}") for each in ordinals]


def _issued(target: ConcretePlanIR) -> Iterator[tuple[str, tuple[str, int, int]]]:
    """Command id -> where it is issued: its queue and position, or cycle and slot."""
    match target.extension:
        case QueueExtension(queues=queues):
            for queue in queues:
                yield from ((each, (queue.category.value, at, -1)) for at, each in enumerate(queue.order))
        case SlotExtension(issues=issues):
            yield from ((issue.command, ("", issue.cycle, issue.slot)) for issue in issues)


# Memory -------------------------------------------------------------------------------------------------------------


def binding_question(claim: Claim, pair: Pair[ExpectedBinding, BufferBinding], view: ConcreteView) -> Question:
    """The facts that a claim asserts of one buffer's place."""
    question = Question()
    source, actual, name = pair.expected.buffer, pair.actual, pair.expected.name
    place = view.places[pair.expected.index]
    match claim:
        case Claim.BUFFER_SIZE:
            question.number(f"{name}.size", actual.size, question.given("size", source.size))
        case Claim.ALIGNMENT:
            alignment = _greater(question, source.alignment, place.alignment)
            question.number(f"{name}.alignment", actual.alignment, alignment)
        case Claim.BUFFER_BINDING:
            question.number(f"{name}.offset", actual.offset, _offset(question, place))
            question.word(f"{name}.region", actual.region, view.region)
        case _:
            raise ValueError(claim)
    return question


def region_question(claim: Claim, pair: Pair[ExpectedRegion, Region], view: ConcreteView) -> Question:
    """The facts that a claim asserts of the region."""
    question = Question()
    actual, name = pair.actual, pair.expected.name
    match claim:
        case Claim.REGION_CAPACITY:
            extent = _extent(question, view)
            named = _memory_of(view.request)
            question.number(f"{name}.extent", actual.extent, extent)
            capacity = extent if named is None else question.given("C_dev", named)
            question.number(f"{name}.capacity", actual.capacity, capacity)
            largest = max((LEAST_ALIGNMENT, *(place.alignment for place in view.places)))
            question.number(f"{name}.alignment", actual.alignment, question.given("largest alignment", largest))
        case Claim.PLACEMENT:
            question.series(f"{name}.devices", actual.devices, view.devices_of(range(view.request.strategy.tensor)))
        case _:
            raise ValueError(claim)
    return question


def _memory_of(request: Request) -> int | None:
    """The memory of one device in bytes, where the deployment names it."""
    deployment = request.deployment
    named = deployment.device_memory if isinstance(deployment, Deployment) else msgspec.UNSET
    return named if isinstance(named, int) else None


def _greater(question: Question, required: int, alignment: int) -> Var:
    """The greater of the required and the least alignment: at least both, and one of them."""
    least, asked = Const(LEAST_ALIGNMENT), question.given("r", required)
    greater = question.given("a", alignment)
    question.suppose(at_most(least, greater))
    question.suppose(at_most(asked, greater))
    beyond = (Sum((greater, Const(-LEAST_ALIGNMENT))), Sum((greater, Product((Const(-1), asked)))))
    question.suppose(equal(Product(beyond), Const(0)))
    return greater


def _offset(question: Question, place: Place) -> Term:
    """The least multiple of the alignment that is at least the end of the buffer before."""
    before = Sum((question.given("offset before", place.behind), question.given("size before", place.length)))
    alignment, multiple = question.given("a", place.alignment), question.given("q", place.multiple)
    offset = Product((alignment, multiple))
    question.suppose(at_most(before, offset))
    question.suppose(less(offset, Sum((before, alignment))))
    return offset


def _extent(question: Question, view: ConcreteView) -> Term:
    if not view.places:
        return Const(0)
    last = view.bound[-1]
    return Sum((_offset(question, view.places[-1]), question.given("size of the last buffer", last.size)))


# Commands -----------------------------------------------------------------------------------------------------------


def device_question(claim: Claim, pairs: Sequence[Pair[ExpectedDevice, Device]], view: ConcreteView) -> Question:
    """The devices of the group run its ranks, each one."""
    question = Question()
    if claim is not Claim.LOGICAL_RANKS:
        raise ValueError(claim)
    strategy = view.request.strategy
    count = strategy.tensor + view.case.receives + view.case.sends
    ranks(question, "devices.ordinal", [pair.actual.ordinal for pair in pairs], count)
    for pair in pairs:
        question.number(
            f"{pair.expected.name}.ordinal", pair.actual.ordinal, question.given("rank", pair.expected.rank)
        )
    return question


def command_question(claim: Claim, pair: Pair[ExpectedCommand, Command], view: ConcreteView) -> Question:
    """The facts that a claim asserts of one command and the tasks that it carries out."""
    question = Question()
    tasks, actual, name = pair.expected.tasks, pair.actual, pair.expected.name
    first = tasks[0]
    match claim:
        case Claim.TASK_CATEGORY:
            question.word(f"{name}.kind", actual.kind, COMMANDS[first.kind])
            peer_facts(question, f"{name}.peer", actual.peer, peer_of(first, view))
        case Claim.EXACT_WORK:
            counts = [question.given(f"operations of {task.name}", task.work.operations) for task in tasks]
            question.number(f"{name}.operations", actual.operations, Sum(tuple(counts)))
        case Claim.IMPLEMENTATION:
            question.names(f"{name}.implementation", [actual.implementation], [_chosen(view, first)])
        case Claim.BUFFER_USES:
            _uses(question, name, tasks, actual, view)
        case Claim.DEPENDENCY_TOPOLOGY:
            question.names(f"{name}.dependencies", actual.dependencies, view.images(_needed(tasks)))
        case Claim.PLACEMENT:
            question.series(f"{name}.devices", actual.devices, view.devices_of(first.ranks))
        case Claim.COLLECTIVE_VOLUME:
            collective_facts(question, f"{name}.collective", actual.collective, first.collective)
        case Claim.ISSUE_ORDER:
            _issue(question, name, first, view.issued.get(actual.id, NOWHERE), view)
        case Claim.WAITS:
            question.names(f"{name}.waits", view.waits.get(actual.id, []), view.images(_awaited(tasks, view)))
        case _:
            raise ValueError(claim)
    return question


def _chosen(view: ConcreteView, task: PlanTask) -> str:
    """The alternative of the task that the target names, if it is one of them, and the first of them if it is not."""
    alternatives = task.implementation.alternatives
    named = attention_of(view.request)
    return named if named in alternatives else alternatives[0]


def _needed(tasks: Sequence[PlanTask]) -> list[str]:
    """The tasks outside on which these depend, in order, each once."""
    own = {task.id for task in tasks}
    return [each for each in dict.fromkeys(one for task in tasks for one in task.dependencies) if each not in own]


def _uses(question: Question, name: str, tasks: Sequence[PlanTask], actual: Command, view: ConcreteView) -> None:
    """What is read, then what is only written, with the mode of each."""
    made = {each for task in tasks for each in task.outputs} if len(tasks) > 1 else set()
    used = {each for task in tasks for each in task.inputs} if len(tasks) > 1 else set()
    # What one task leaves for another of the same command is never written.
    read = [each for each in dict.fromkeys(one for task in tasks for one in task.inputs) if each not in made]
    written = [each for each in dict.fromkeys(one for task in tasks for one in task.outputs) if each not in used]
    both = set(read) & set(written)
    modes = {each: AccessMode.READ_WRITE if each in both else AccessMode.READ for each in read}
    modes |= {each: AccessMode.WRITE for each in written if each not in both}
    question.names(f"{name}.uses", [use.buffer for use in actual.uses], view.images(list(modes)))
    for place, (use, mode) in enumerate(zip(actual.uses, modes.values(), strict=False)):
        question.word(f"{name}.uses[{place}].mode", use.mode, mode)


def _awaited(tasks: Sequence[PlanTask], view: ConcreteView) -> list[str]:
    """The tasks of other queues on which these depend; a slot target waits by its cycles."""
    if not has_queues(view.request):
        return []
    category = view.categories[tasks[0].id]
    return [each for each in _needed(tasks) if view.categories[each] is not category]


def _issue(question: Question, name: str, task: PlanTask, issued: tuple[str, int, int], view: ConcreteView) -> None:
    """Position in its queue, or cycle and slot."""
    if has_queues(view.request):
        question.names(f"{name}.queue", [issued[0]], [view.categories[task.id].value])
        before = question.given("earlier commands of its queue", view.positions[task.id])
        question.number(f"{name}.position", issued[1], before)
        return
    question.names(f"{name}.queue", [issued[0]], [""])
    question.number(f"{name}.cycle", issued[1], question.given("topological index", view.index[task.id]))
    question.number(f"{name}.slot", issued[2], Const(0))


def peer_facts(question: Question, label: str, found: Neighbour | msgspec.UnsetType, wanted: Neighbour | None) -> None:
    """The stage that is exchanged with is the demanded one, or there is none."""
    question.names(label, [found.value] if isinstance(found, Neighbour) else [], [wanted.value] if wanted else [])


def collective_facts(
    question: Question,
    label: str,
    found: Collective | msgspec.UnsetType,
    wanted: Collective | msgspec.UnsetType,
) -> None:
    """What is exchanged is what the source exchanges, among the same ranks."""
    if not isinstance(wanted, Collective) or not isinstance(found, Collective):
        question.word(label, isinstance(found, Collective), isinstance(wanted, Collective))
        return
    question.word(f"{label}.kind", found.kind, wanted.kind)
    question.word(f"{label}.reduction", found.reduction, wanted.reduction)
    question.word(f"{label}.axis", found.axis, wanted.axis)
    question.series(f"{label}.participants", found.participants, wanted.participants)
    question.number(f"{label}.message_bytes", found.message_bytes, question.given("message", wanted.message_bytes))


# The plan as a whole ------------------------------------------------------------------------------------------------


def queue_question(claim: Claim, pairs: Sequence[Pair[ExpectedQueue, Queue]], view: ConcreteView) -> Question:
    """Each queue is of its category and has as many commands as the plan has tasks of it."""
    question = Question()
    if claim is not Claim.TASK_CATEGORY:
        raise ValueError(claim)
    for pair in pairs:
        name, category = pair.expected.name, pair.expected.category
        question.word(f"{name}.category", pair.actual.category, category)
        count = question.given(f"{category.value} tasks", view.lengths[category])
        question.number(f"{name}.length", len(pair.actual.order), count)
    return question


def concrete_interface_question(view: ConcreteView, target: ConcretePlanIR) -> Question:
    """The plan is for the request's target, and its inputs and outputs are the places of the portable plan's.

    Only a step of inference has a workspace, of which a claim of its own speaks.
    """
    question = Question()
    if isinstance(view.request.workload, Training):
        question.number("workspace", target.workspace, Const(0))
    named = view.request.target.name if isinstance(view.request.target, Target) else ""
    question.names("target", [target.target], [named])
    question.names("inputs", target.inputs, view.images(view.source.inputs))
    question.names("outputs", target.outputs, view.images(view.source.outputs))
    queued = isinstance(target.extension, QueueExtension)
    question.word("extension.queues", queued, expected=has_queues(view.request))
    question.names("header.stage", [target.header.stage.value], [Stage.CONCRETE.value])
    return question


def routes_question(view: ConcreteView, target: ConcretePlanIR) -> Question:
    """A slot target routes every transfer: between the group's first device and the one of the stage beside it."""
    question = Question()
    slots = not has_queues(view.request)
    transfers = [task for task in view.source.tasks if slots and view.categories[task.id] is QueueCategory.TRANSFER]
    found = target.extension.routes if isinstance(target.extension, SlotExtension) else ()
    question.names("routes.command", [each.command for each in found], view.images([task.id for task in transfers]))
    ends = [_ends_of(task, view) for task in transfers]
    question.names("routes.source", [each.source for each in found], [source for source, _ in ends])
    question.names("routes.destination", [each.destination for each in found], [end for _, end in ends])
    return question


def _ends_of(task: PlanTask, view: ConcreteView) -> tuple[str, str]:
    """Where a transfer begins and ends: activations come from the stage before and go to the one after."""
    sent = task.primitive == Primitive.SEND
    beside = peer_of(task, view)
    case = view.case
    neighbours = [*([Neighbour.BEFORE] if case.receives else []), *([Neighbour.AFTER] if case.sends else [])]
    peer = view.request.strategy.tensor + neighbours.index(beside) if beside in neighbours else -1
    here, there = view.devices_of([0, peer])
    return (here, there) if sent else (there, here)


def peer_of(task: PlanTask, view: ConcreteView) -> Neighbour | None:
    """The stage that a transfer exchanges with; a task that moves no single tensor exchanges with none."""
    moved = (*task.inputs, *task.outputs)
    if task.kind is not TaskKind.POINT_TO_POINT or len(moved) != 1 or moved[0] not in view.roles:
        return None
    sent, activation = task.primitive == Primitive.SEND, view.roles[moved[0]] is not Role.GRADIENT
    return Neighbour.AFTER if sent is activation else Neighbour.BEFORE


def workspace_question(view: ConcreteView, target: ConcretePlanIR) -> Question:
    """The workspace is that of the chosen implementation. That the plan has room for it is a law."""
    question = Question()
    needed = [each.workspace for each in view.source.alternatives if each.name == attention_of(view.request)]
    question.number("implementations of this name", len(needed), Const(1))
    size = needed[0] if needed else 0
    question.number("workspace", target.workspace, question.given("workspace of the implementation", size))
    return question
