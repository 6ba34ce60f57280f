"""Claims of the boundary Distributed -> Portable: exact copies, lossless projections, exact buffers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from blueprint.claims.distributed import OPTIMIZER_STATE, ranks, substitute
from blueprint.claims.matched import Pair
from blueprint.expected import ExpectedBuffer, ExpectedPlanTask
from blueprint.facts import Question, words
from blueprint.ir.common import Phase, Primitive, Role, Stage
from blueprint.ir.distributed import Collective, DistributedTaskIR, DistributedValue, MeshAxis, Task, TaskKind, Work
from blueprint.ir.portable import (
    ATTENTION_PRIMITIVES,
    Buffer,
    ConcurrencyGroup,
    InferenceMemory,
    Objective,
    PlanTask,
    PortablePlanIR,
    StorageClass,
    TrainingMemory,
)
from blueprint.ir.request import Inference, Recompute, Request, Strategy, Training
from blueprint.law import VECTOR, MaximumLaw, Projection, ProjectionLaw
from blueprint.rule import Claim
from blueprint.symbols import to_term
from blueprint.term import Product, Sum, Term

PlanTasks = Sequence[Pair[ExpectedPlanTask, PlanTask]]
Buffers = Sequence[Pair[ExpectedBuffer, Buffer]]

GROUPS = {
    TaskKind.COMPUTE: ConcurrencyGroup.COMPUTE,
    TaskKind.COLLECTIVE: ConcurrencyGroup.COLLECTIVE,
    TaskKind.POINT_TO_POINT: ConcurrencyGroup.TRANSFER,
}
"""Which logical resource a task occupies."""

PERSISTENT = frozenset({Role.PARAMETER, Role.PARAMETER_GRADIENT, Role.UPDATED_PARAMETER, Role.KV_CACHE})
"""Roles whose buffers outlive the microbatch."""

KEPT = frozenset({Role.ACTIVATION, Role.MASK})
"""Roles of what the forward pass leaves for the backward pass."""

AGAIN = frozenset({Phase.RECOMPUTE, Phase.RECOMMUNICATION})
BACKWARD = frozenset({*AGAIN, Phase.ACTIVATION_GRADIENT, Phase.WEIGHT_GRADIENT})
"""The phases that come after the forward pass of a microbatch."""

GRADIENTS = frozenset({Phase.ACTIVATION_GRADIENT, Phase.WEIGHT_GRADIENT})

RANK_LETTERS = "BShd"
"""The letters by which the law of buffer sizes names the local sizes of a tensor, axis by axis."""

OBJECTIVES = (Objective.STEP_TIME, Objective.PEAK_MEMORY)
"""What a binding of a training plan may minimise."""


class PlanView:
    """A distributed snapshot with its data flow, and the portable entities found for it.

    `laws` say what the projections of the plan compute: the claims use them, they do not restate them. `core` names the
    implementations of the attention core that the rules know, if there are any; `blocks` gives the block of each value.
    """

    def __init__(
        self,
        source: DistributedTaskIR,
        strategy: Strategy,
        laws: Mapping[Projection, ProjectionLaw],
        buffer_ids: Mapping[str, str],
        task_ids: Mapping[str, str],
        core: tuple[str, ...],
        blocks: Mapping[str, int],
    ) -> None:
        self.source = source
        self.core = core
        self.blocks = blocks
        self.laws = laws
        self.strategy = strategy
        self.degree = strategy.tensor
        self.buffer_ids = buffer_ids
        self.task_ids = task_ids
        self.producers: dict[str, Task] = {output: task for task in source.tasks for output in task.outputs}
        self.consumers: dict[str, list[Task]] = {}
        for task in source.tasks:
            for value in task.inputs:
                self.consumers.setdefault(value, []).append(task)

    def degree_of(self, axis: MeshAxis) -> int:
        """How many ranks a collective along an axis has."""
        return self.strategy.data if axis is MeshAxis.DATA else self.degree

    def buffers(self, values: Sequence[str]) -> list[str]:
        """The buffers found for values; a missing one matches nothing."""
        return [self.buffer_ids.get(value, f"missing {value}") for value in values]

    def tasks(self, tasks: Sequence[Task]) -> list[str]:
        """The portable tasks found for distributed tasks; a missing one matches nothing."""
        return [self.task_ids.get(task.id, f"missing {task.id}") for task in tasks]

    def storage(self, value: DistributedValue) -> StorageClass:
        """How long a value lives: an activation of the forward pass waits if a later phase reads it."""
        if value.role in PERSISTENT:
            return StorageClass.PERSISTENT
        if not self.waits(value):
            return StorageClass.STEP
        return StorageClass.CHECKPOINT if self.strategy.recompute is Recompute.FULL else StorageClass.SAVED

    def waits(self, value: DistributedValue) -> bool:
        """Whether an activation or mask that the forward pass makes or gets is read after it."""
        producer = self.producers.get(value.id)
        early = producer is None or producer.phase not in BACKWARD
        later = any(task.phase in BACKWARD for task in self.consumers.get(value.id, ()))
        return value.role in KEPT and early and later

    def made_again(self, value: DistributedValue) -> bool:
        """Whether recompute or a repeated collective makes an activation or mask that a gradient task reads."""
        producer = self.producers.get(value.id)
        again = producer is not None and producer.phase in AGAIN
        read = any(task.phase in GRADIENTS for task in self.consumers.get(value.id, ()))
        return value.role in KEPT and again and read


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
                for component, term in _projected(question, view.laws[Projection.WORK], source.work).items():
                    question.number(f"{name}.{component}", getattr(actual.work, component), term)
            case Claim.RESOURCES:
                for resource, term in _projected(question, view.laws[Projection.RESOURCES], source.work).items():
                    question.number(f"{name}.{resource}", getattr(actual.resources, resource), term)
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
                _collective(question, name, source, actual, view)
            case Claim.EFFECTS:
                _effects(question, name, source, actual, view)
            case Claim.IMPLEMENTATION:
                _implementation(question, name, source, actual, view.core)
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
                law = view.laws[Projection.BUFFER_SIZE].outputs[f"rank {len(source.axes)}"]
                terms: dict[str, Term] = {
                    letter: question.given(axis.value, size)
                    for letter, axis, size in zip(RANK_LETTERS, source.axes, source.local_shape, strict=False)
                }
                terms["e"] = question.given("width", source.dtype.width)
                question.number(f"{name}.size", actual.size, substitute(to_term(law), terms))
            case Claim.STORAGE:
                question.word(f"{name}.storage", actual.storage, view.storage(source))
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


def alternatives_question(target: PortablePlanIR, laws: Sequence[MaximumLaw]) -> Question:
    """The plan offers exactly the implementations whose workspace a law knows, each with its capability."""
    question = Question()
    question.names("alternatives", [each.name for each in target.alternatives], [law.implementation for law in laws])
    question.names("capabilities", [each.capability for each in target.alternatives], [law.capability for law in laws])
    return question


def _effects(question: Question, name: str, source: Task, actual: PlanTask, view: PlanView) -> None:
    """The effects on caches are those of the distributed task, on the caches' buffers."""
    question.names(
        f"{name}.effects",
        [each.buffer for each in actual.effects],
        view.buffers([each.value for each in source.effects]),
    )
    for index, (wanted, found) in enumerate(zip(source.effects, actual.effects, strict=False)):
        question.word(f"{name}.effects[{index}].kind", found.kind, wanted.kind)
        size = question.given("effect size", wanted.size)
        question.number(f"{name}.effects[{index}].size", found.size, size)


def memory_question(view: PlanView, request: Request, target: PortablePlanIR) -> Question:
    """Every memory fact is the sum of the values that it speaks of, or of the rank's share of them.

    Shares are taken block by block. What only one block needs at a time counts once: what its backward pass makes
    again, and in inference the boundary and the workspace.
    """
    match target.memory:
        case TrainingMemory() as memory if isinstance(request.workload, Training):
            return _training_memory(view, request, memory)
        case InferenceMemory() as memory if isinstance(request.workload, Inference):
            return _inference_memory(view, memory)
        case _:
            question = Question()
            question.word("memory of this workload", actual=False, expected=True)
            return question


def _inference_memory(view: PlanView, memory: InferenceMemory) -> Question:
    """Parameters, caches and boundary are those of the values; the workspace has laws of its own."""
    question = Question()
    values = view.source.values
    parameters = _held(view)
    caches = [value for value in values if value.role is Role.KV_CACHE]
    boundary = [value for value in values if value.role is Role.ACTIVATION and _enters(view, value)]
    question.number(
        "memory.parameters", memory.parameters, Sum(tuple(Product(_sizes(question, v)) for v in parameters))
    )
    for name, found, held in (
        ("weights", memory.weights, parameters),
        ("kv", memory.kv, caches),
        ("boundary", memory.boundary, boundary),
    ):
        question.number(f"memory.{name}", found, _bytes(question, held))
    return question


def _training_memory(view: PlanView, request: Request, memory: TrainingMemory) -> Question:
    question, strategy = Question(), view.strategy
    parameters = _held(view)
    gradients = [value for value in view.source.values if _first_gradient(view, value)]
    count = Sum(tuple(Product(_sizes(question, value)) for value in parameters))
    share = _share_of_all(question, view, parameters)
    width = request.workload.dtype.width
    e, g = question.given("width", width), question.given("gradient width", strategy.gradient_bytes)
    o = question.given("o", OPTIMIZER_STATE[width])
    again = [value for value in view.source.values if view.made_again(value) and view.blocks.get(value.id) == 0]
    facts = (
        ("parameters", memory.parameters, count),
        ("weights", memory.weights, Product((share, e)) if strategy.zero >= 3 else _bytes(question, parameters)),
        ("gradients", memory.gradients, Product((share, g)) if strategy.zero >= 2 else _bytes(question, gradients)),
        ("optimizer", memory.optimizer, Product((o, share if strategy.zero >= 1 else count))),
        ("stored", memory.stored, _bytes(question, _of_class(view, StorageClass.SAVED))),
        ("checkpoint", memory.checkpoint, _bytes(question, _of_class(view, StorageClass.CHECKPOINT))),
        ("working", memory.working, _bytes(question, again)),
    )
    for name, found, term in facts:
        question.number(f"memory.{name}", found, term)
    return question


def _held(view: PlanView) -> list[DistributedValue]:
    """The parameters as the step finds them; what is gathered of them is no memory fact."""
    return [each for each in view.source.values if each.role is Role.PARAMETER and each.id not in view.producers]


def _enters(view: PlanView, value: DistributedValue) -> bool:
    """Whether a value is given to the snapshot, or taken from the stage before."""
    producer = view.producers.get(value.id)
    return producer is None or producer.primitive == Primitive.RECEIVE


def _first_gradient(view: PlanView, value: DistributedValue) -> bool:
    """Whether a gradient of a parameter is the one that the backward pass makes, and no later version of it."""
    producer = view.producers.get(value.id)
    made = producer is not None and producer.phase is Phase.WEIGHT_GRADIENT
    return made and value.role is Role.PARAMETER_GRADIENT


def _share_of_all(question: Question, view: PlanView, parameters: Sequence[DistributedValue]) -> Term:
    """The largest share of each block's parameters, for all blocks together."""
    first = [value for value in parameters if view.blocks.get(value.id) == 0]
    count = Sum(tuple(Product(_sizes(question, value)) for value in first))
    total = sum(math.prod(value.local_shape) for value in first)
    share = question.largest_share(count, total, view.strategy.data)
    blocks = 1 + max(view.blocks.values(), default=0)
    return Product((question.given("blocks", blocks), share)) if blocks > 1 else share


def _of_class(view: PlanView, storage: StorageClass) -> list[DistributedValue]:
    return [value for value in view.source.values if view.storage(value) is storage]


def _bytes(question: Question, values: Sequence[DistributedValue]) -> Term:
    parts = [Product((*_sizes(question, each), question.given("width", each.dtype.width))) for each in values]
    return Sum(tuple(parts))


def _sizes(question: Question, value: DistributedValue) -> tuple[Term, ...]:
    return tuple(question.given(axis.value, size) for axis, size in zip(value.axes, value.local_shape, strict=True))


def _projected(question: Question, law: ProjectionLaw, work: Work) -> dict[str, Term]:
    """What a projection's law makes of a work vector, by output."""
    given: dict[str, Term] = {
        quantity.value: question.given(quantity.name.lower(), getattr(work, quantity.name.lower()))
        for quantity in VECTOR
    }
    return {output: substitute(to_term(expression), given) for output, expression in law.outputs.items()}


def _collective(question: Question, name: str, source: Task, actual: PlanTask, view: PlanView) -> None:
    wanted, found = source.collective, actual.collective
    if not isinstance(wanted, Collective):
        question.word(f"{name}.collective", isinstance(found, Collective), expected=False)
        return
    if not isinstance(found, Collective):
        question.word(f"{name}.collective", actual=False, expected=True)
        return
    question.word(f"{name}.collective.kind", found.kind, wanted.kind)
    question.word(f"{name}.collective.reduction", found.reduction, wanted.reduction)
    question.word(f"{name}.collective.axis", found.axis, wanted.axis)
    ranks(question, f"{name}.collective.participants", found.participants, view.degree_of(wanted.axis))
    message = question.given("collective message", wanted.message_bytes)
    question.number(f"{name}.collective.message_bytes", found.message_bytes, message)


def _implementation(question: Question, name: str, source: Task, actual: PlanTask, core: Sequence[str]) -> None:
    capability = f"{source.kind.value}.{source.primitive}"
    question.names(f"{name}.capability", [actual.implementation.capability], [capability])
    attention = core and source.primitive in ATTENTION_PRIMITIVES
    alternatives = core if attention else [f"{capability}.reference"]
    question.names(f"{name}.alternatives", actual.implementation.alternatives, alternatives)
    question.word(f"{name}.group", actual.group, GROUPS[source.kind])
