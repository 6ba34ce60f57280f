"""Claims of the boundary Distributed -> Portable: exact copies, lossless projections, exact buffers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from blueprint.claims.distributed import ranks
from blueprint.claims.matched import Pair
from blueprint.expected import ExpectedBuffer, ExpectedPlanTask
from blueprint.facts import Question, words
from blueprint.ir.common import Role, Stage
from blueprint.ir.distributed import Collective, DistributedTaskIR, Task, TaskKind
from blueprint.ir.portable import Buffer, ConcurrencyGroup, Objective, PlanTask, PortablePlanIR, StorageClass
from blueprint.rule import Claim
from blueprint.term import Product, Sum

PlanTasks = Sequence[Pair[ExpectedPlanTask, PlanTask]]
Buffers = Sequence[Pair[ExpectedBuffer, Buffer]]

PERSISTENT = frozenset({Role.PARAMETER, Role.PARAMETER_GRADIENT, Role.UPDATED_PARAMETER})
"""Roles whose buffers outlive the microbatch."""

OBJECTIVES = (Objective.STEP_TIME, Objective.PEAK_MEMORY)
"""What a binding of a training plan may minimise."""


class PlanView:
    """A distributed snapshot with its data flow, and the portable entities found for it; `degree` is t."""

    def __init__(
        self, source: DistributedTaskIR, degree: int, buffer_ids: Mapping[str, str], task_ids: Mapping[str, str]
    ) -> None:
        self.source = source
        self.degree = degree
        self.buffer_ids = buffer_ids
        self.task_ids = task_ids
        self.producers: dict[str, Task] = {output: task for task in source.tasks for output in task.outputs}
        self.consumers: dict[str, list[Task]] = {}
        for task in source.tasks:
            for value in task.inputs:
                self.consumers.setdefault(value, []).append(task)

    def buffers(self, values: Sequence[str]) -> list[str]:
        """The buffers found for values; a missing one matches nothing."""
        return [self.buffer_ids.get(value, f"missing {value}") for value in values]

    def tasks(self, tasks: Sequence[Task]) -> list[str]:
        """The portable tasks found for distributed tasks; a missing one matches nothing."""
        return [self.task_ids.get(task.id, f"missing {task.id}") for task in tasks]


def plan_task_question(claim: Claim, pairs: PlanTasks, view: PlanView) -> Question:
    """The facts that a claim asserts of a relation's portable tasks."""
    question = Question()
    for pair in pairs:
        name, source, actual = pair.expected.name, pair.expected.task, pair.actual
        match claim:
            case Claim.OPERATION_IDENTITY:
                found, wanted = isinstance(actual.collective, Collective), isinstance(source.collective, Collective)
                identity = (
                    ("kind", actual.kind, source.kind),
                    ("phase", actual.phase, source.phase),
                    ("primitive", actual.primitive, source.primitive),
                    ("collective", found, wanted),
                )
                words(name, question, identity)
            case Claim.EXACT_WORK:
                for component in ("operations", "read_bytes", "write_bytes", "message_bytes"):
                    copied = question.given(component, getattr(source.work, component))
                    question.number(f"{name}.{component}", getattr(actual.work, component), copied)
            case Claim.RESOURCES:
                work, resources = source.work, actual.resources
                operations = question.given("operations", work.operations)
                moved = Sum(
                    (question.given("read_bytes", work.read_bytes), question.given("write_bytes", work.write_bytes))
                )
                message = question.given("message_bytes", work.message_bytes)
                question.number(f"{name}.compute", resources.compute, operations)
                question.number(f"{name}.memory", resources.memory, moved)
                question.number(f"{name}.network", resources.network, message)
            case Claim.DATA_FLOW:
                question.names(f"{name}.inputs", actual.inputs, view.buffers(source.inputs))
                question.names(f"{name}.outputs", actual.outputs, view.buffers(source.outputs))
            case Claim.DEPENDENCY_TOPOLOGY:
                producers = [view.producers[each] for each in source.inputs if each in view.producers]
                distinct = list({task.id: task for task in producers}.values())
                question.names(f"{name}.dependencies", actual.dependencies, view.tasks(distinct))
            case Claim.LOGICAL_RANKS:
                ranks(question, f"{name}.ranks", actual.ranks, view.degree)
            case Claim.COLLECTIVE_VOLUME:
                _collective(question, name, source, actual, view.degree)
            case Claim.IMPLEMENTATION:
                _implementation(question, name, source, actual)
            case _:
                raise ValueError(claim)
    return question


def buffer_question(claim: Claim, pairs: Buffers, view: PlanView) -> Question:
    """The facts that a claim asserts of a relation's buffers."""
    question = Question()
    for pair in pairs:
        name, source, actual = pair.expected.name, pair.expected.value, pair.actual
        match claim:
            case Claim.ROLE:
                question.word(f"{name}.role", actual.role, source.role)
                question.names(f"{name}.source_value", [actual.source_value], [source.id])
            case Claim.TENSOR_TYPE:
                question.word(f"{name}.dtype", actual.dtype, source.dtype)
            case Claim.DATA_FLOW:
                producer = view.producers.get(source.id)
                found = [actual.producer] if isinstance(actual.producer, str) else []
                question.names(f"{name}.producer", found, view.tasks([producer] if producer else []))
                question.names(f"{name}.consumers", actual.consumers, view.tasks(view.consumers.get(source.id, [])))
            case Claim.BUFFER_SIZE:
                sizes = [
                    question.given(axis.value, size) for axis, size in zip(source.axes, source.local_shape, strict=True)
                ]
                width = question.given("width", source.dtype.width)
                question.number(f"{name}.size", actual.size, Product((*sizes, width)))
            case Claim.STORAGE:
                wanted = StorageClass.PERSISTENT if source.role in PERSISTENT else StorageClass.STEP
                question.word(f"{name}.storage", actual.storage, wanted)
                question.number(f"{name}.alignment", actual.alignment, question.given("width", source.dtype.width))
            case _:
                raise ValueError(claim)
    return question


def plan_interface_question(view: PlanView, target: PortablePlanIR) -> Question:
    """The plan's inputs and outputs are the buffers of the distributed ones, and its objectives the declared ones."""
    question = Question()
    question.names("inputs", target.inputs, view.buffers(view.source.inputs))
    question.names("outputs", target.outputs, view.buffers(view.source.outputs))
    question.names("objectives", [each.value for each in target.objectives], [each.value for each in OBJECTIVES])
    question.names("header.stage", [target.header.stage.value], [Stage.PORTABLE.value])
    return question


def _collective(question: Question, name: str, source: Task, actual: PlanTask, degree: int) -> None:
    wanted, found = source.collective, actual.collective
    if not isinstance(wanted, Collective):
        question.word(f"{name}.collective", isinstance(found, Collective), expected=False)
        return
    if not isinstance(found, Collective):
        question.word(f"{name}.collective", actual=False, expected=True)
        return
    question.word(f"{name}.collective.kind", found.kind, wanted.kind)
    question.word(f"{name}.collective.reduction", found.reduction, wanted.reduction)
    ranks(question, f"{name}.collective.participants", found.participants, degree)
    message = question.given("collective message", wanted.message_bytes)
    question.number(f"{name}.collective.message_bytes", found.message_bytes, message)


def _implementation(question: Question, name: str, source: Task, actual: PlanTask) -> None:
    capability = f"{source.kind.value}.{source.primitive.value}"
    group = ConcurrencyGroup.COLLECTIVE if source.kind is TaskKind.COLLECTIVE else ConcurrencyGroup.COMPUTE
    question.names(f"{name}.capability", [actual.implementation.capability], [capability])
    question.names(f"{name}.alternatives", actual.implementation.alternatives, [f"{capability}.reference"])
    question.word(f"{name}.group", actual.group, group)
