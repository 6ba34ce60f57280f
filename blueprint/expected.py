"""What the rules demand of a target snapshot, as a function of the source snapshot and the bindings alone.

The target is never looked at here. Every relation that must exist is listed with its exact targets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from msgspec.structs import replace

from blueprint.case import Case, case_of
from blueprint.expected_bound import ExpectedBound
from blueprint.ir.common import Axis, Branch, DType, Role
from blueprint.ir.distributed import DistributedTaskIR, DistributedValue, Task
from blueprint.ir.model import ModelIR, ModelValue, Operation
from blueprint.ir.request import Communication, Inference, Request, point_of
from blueprint.rule import (
    AllParameters,
    EachTask,
    EachValue,
    Layout,
    OperationSource,
    PassRule,
    Ref,
    Slot,
    TaskTarget,
    TensorTarget,
    ValueSource,
    Version,
)

ALWAYS_SPLIT = frozenset({Axis.HEADS, Axis.KEY_VALUE_HEADS, Axis.FEEDFORWARD})
"""Axes that the tensor-parallel group divides wherever they occur."""


def tokens_of(request: Request, branch: Branch) -> dict[Axis, int]:
    """The sizes of the token axes in a step of inference; in training the model's own."""
    if not isinstance(request.workload, Inference):
        return {}
    point = point_of(request.workload, branch)
    return {Axis.SEQUENCE: point.queries, Axis.QUERY: point.queries, Axis.KEY: point.context}


MADE_AGAIN = frozenset({Version.RECOMPUTED, Version.RECOMMUNICATED})
"""Versions that exist in the backward pass of the block that makes them."""


@dataclass(frozen=True)
class ExpectedTensor:
    """One distributed value that must exist."""

    name: str
    value: ModelValue
    role: Role
    dtype: DType
    split: tuple[Axis, ...]
    partial: bool


@dataclass(frozen=True)
class ExpectedTask:
    """One distributed task that must exist, and the operation or values that it comes from."""

    name: str
    target: TaskTarget
    kind: str | None
    operation: Operation | None
    values: tuple[ModelValue, ...]
    block: int


@dataclass(frozen=True)
class ExpectedPlanTask:
    """One portable task that must exist."""

    name: str
    task: Task


@dataclass(frozen=True)
class ExpectedBuffer:
    """One portable buffer that must exist."""

    name: str
    value: DistributedValue


Expected = ExpectedTensor | ExpectedTask | ExpectedPlanTask | ExpectedBuffer | ExpectedBound


@dataclass(frozen=True)
class ExpectedRelation:
    """One application of a rule: its ordered sources and the exact targets that it must have."""

    rule: PassRule
    sources: tuple[str, ...]
    targets: tuple[Expected, ...]


class ModelView:
    """A model snapshot with its graph, and the tensors that the rules demand for each value.

    In inference the values have the sizes of the branch's step, which `tokens` gives.
    """

    def __init__(self, request: Request, ir: ModelIR, rules: Sequence[PassRule], branch: Branch = Branch.MAIN) -> None:
        self.request = request
        self.rules = rules
        self.branch = branch
        self.case: Case = case_of(request)
        self.tokens = tokens_of(request, branch)
        self.ir = replace(ir, values=tuple(self._at_step(value) for value in ir.values))
        self.values = {value.id: value for value in self.ir.values}
        self.producers = {operation.result: operation for operation in ir.operations}
        self.consumers: dict[str, list[Operation]] = {value.id: [] for value in ir.values}
        for operation in ir.operations:
            for source in operation.inputs:
                self.consumers.setdefault(source, []).append(operation)
        for readers in self.consumers.values():
            readers.sort(key=lambda operation: operation.name)
        self.parameters = tuple(value for value in self.ir.values if value.role is Role.PARAMETER)
        self.held: dict[int, list[ModelValue]] = {}
        for value in self.parameters:
            self.held.setdefault(self.block_of(value), []).append(value)
        self.tensors: dict[str, dict[Version, tuple[ExpectedTensor, ...]]] = {value.id: {} for value in ir.values}
        self.relations = tuple(self._relations(rules))

    @cached_property
    def unsharded(self) -> ModelView:
        """The same block on one rank: what the rules demand with t = 1."""
        alone = replace(self.request.strategy, tensor=1, communication=Communication.ALL_REDUCE)
        return ModelView(replace(self.request, strategy=alone), self.ir, self.rules, self.branch)

    def _at_step(self, value: ModelValue) -> ModelValue:
        sizes = zip(value.axes, value.shape, strict=True)
        return replace(value, shape=tuple(self.tokens.get(axis, size) for axis, size in sizes))

    @cached_property
    def tasks(self) -> dict[str, ExpectedTask]:
        """Every demanded task by its name."""
        targets = (each for relation in self.relations for each in relation.targets)
        return {each.name: each for each in targets if isinstance(each, ExpectedTask)}

    @property
    def blocks(self) -> int:
        """How many blocks the model has."""
        return 1 + max((operation.block for operation in self.ir.operations), default=0)

    def block_of(self, value: ModelValue) -> int:
        """The block that reads a value; for the result of the last, the one that makes it."""
        readers = self.consumers[value.id]
        if readers:
            return readers[0].block
        producer = self.producers.get(value.id)
        return producer.block if producer else 0

    def producer_kind(self, value: ModelValue) -> str | None:
        """The kind of the operation that produces a value; None for inputs and parameters."""
        producer = self.producers.get(value.id)
        return producer.kind if producer else None

    def _relations(self, rules: Sequence[PassRule]) -> Iterator[ExpectedRelation]:
        # Tensors first: the data flow of a task is stated in terms of the tensors that exist.
        yield from [each for rule in rules for each in self._tensor_relations(rule)]
        yield from [each for rule in rules for each in self._task_relations(rule)]

    def _tensor_relations(self, rule: PassRule) -> Iterator[ExpectedRelation]:
        targets = [target for target in rule.targets if isinstance(target, TensorTarget)]
        if not targets or not isinstance(rule.signature, ValueSource):
            return
        for value in self.ir.values:
            if not self._matches(rule.signature, value):
                continue
            tensors = tuple(tensor for target in targets for tensor in self._tensors(target, value))
            if tensors:
                yield ExpectedRelation(rule, (value.id,), tensors)

    def _tensors(self, target: TensorTarget, value: ModelValue) -> Iterator[ExpectedTensor]:
        """The tensors of one version of a value: one, none, or one for each of several consumers."""
        if not target.when(self.case, self.producer_kind(value)):
            return
        suffixes = [target.version.value]
        if target.version is Version.CONTRIBUTION:
            consumers = self.consumers[value.id]
            suffixes = [f"gradient.{each.name}" for each in consumers] if len(consumers) > 1 else []
        made = tuple(
            ExpectedTensor(
                name=f"{value.name}.{suffix}",
                value=value,
                role=target.role,
                dtype=self._dtype(target.role, value),
                split=self._split(target.layout, value),
                partial=self._partial(target.layout),
            )
            for suffix in suffixes
        )
        if made:
            self.tensors[value.id][target.version] = made
        yield from made

    def _dtype(self, role: Role, value: ModelValue) -> DType:
        if role is Role.MASK:
            return DType.UINT8
        if role is Role.PARAMETER_GRADIENT:
            return gradient_dtype(value.dtype, self.request.strategy.gradient_bytes)
        return value.dtype

    def _split(self, layout: Layout, value: ModelValue) -> tuple[Axis, ...]:
        divided = tuple(axis for axis in value.axes if axis in ALWAYS_SPLIT)
        if divided or layout in {Layout.GATHERED, Layout.ADDENDS} or not self.case.sequence_parallel:
            return divided
        return tuple(axis for axis in value.axes if axis is Axis.SEQUENCE)

    def _partial(self, layout: Layout) -> bool:
        if layout is Layout.ADDENDS:
            return self.case.tensor_parallel
        return layout is Layout.SEQUENCE_ADDENDS and self.case.tensor_parallel and self.case.sequence_parallel

    def _matches(self, pattern: ValueSource, value: ModelValue) -> bool:
        if value.role not in pattern.roles:
            return False
        if pattern.producers is not None and self.producer_kind(value) not in pattern.producers:
            return False
        if len(self.consumers[value.id]) < pattern.consumers:
            return False
        if pattern.output and value.id not in self.ir.outputs:
            return False
        return pattern.split is None or pattern.split is bool(ALWAYS_SPLIT & set(value.axes))

    def _task_relations(self, rule: PassRule) -> Iterator[ExpectedRelation]:
        targets = [target for target in rule.targets if isinstance(target, TaskTarget)]
        if not targets:
            return
        match rule.signature:
            case OperationSource(kinds):
                for operation in self.ir.operations:
                    if operation.kind in kinds:
                        yield from self._relation(rule, targets, operation.name, operation.kind, operation, ())
            case ValueSource() as pattern:
                for value in self.ir.values:
                    if self._matches(pattern, value):
                        kind = self.producer_kind(value)
                        yield from self._relation(rule, targets, value.name, kind, None, (value,))
            case AllParameters(whole):
                for block, held in self.held.items():
                    stem = f"b{block}" if self.case.stack else ""
                    chosen = tuple(each for each in held if not (whole and ALWAYS_SPLIT & set(each.axes)))
                    yield from self._relation(rule, targets, stem, None, None, chosen)
            case _:
                return

    def _relation(
        self,
        rule: PassRule,
        targets: Sequence[TaskTarget],
        stem: str,
        kind: str | None,
        operation: Operation | None,
        values: tuple[ModelValue, ...],
    ) -> Iterator[ExpectedRelation]:
        block = operation.block if operation else self.block_of(values[0])
        tasks = tuple(
            ExpectedTask(f"{stem}.{target.suffix}" if stem else target.suffix, target, kind, operation, values, block)
            for target in targets
            if target.when(self.case, kind)
        )
        sources = (operation.id,) if operation else tuple(value.id for value in values)
        if tasks:
            yield ExpectedRelation(rule, sources, tasks)

    def resolve(self, task: ExpectedTask, ref: Ref) -> tuple[ExpectedTensor, ...]:
        """The tensors that a reference of a task means, in order; none where the operation lacks the slot."""
        if task.operation is None:
            return tuple(each for value in task.values for each in self._select(ref, value, None))
        if ref.slot is Slot.SOURCE:
            return ()  # an operation has no source value
        if ref.slot is Slot.RESULT:
            slots = [task.operation.result]
        else:
            slots = list(task.operation.inputs[ref.slot.value : ref.slot.value + 1])
        return tuple(each for slot in slots for each in self._select(ref, self.values[slot], task.operation))

    def resolve_value(self, ref: Ref, value: ModelValue) -> tuple[ExpectedTensor, ...]:
        """The tensors that a reference to a source value means."""
        return self._select(ref, value, None)

    def _select(self, ref: Ref, value: ModelValue, operation: Operation | None) -> tuple[ExpectedTensor, ...]:
        versions = self.tensors[value.id]
        # What another block made again is not for this one: it reads what was left at the seam.
        producer = self.producers.get(value.id)
        seam = operation is not None and producer is not None and producer.block != operation.block
        for version in ref.prefer:
            if seam and version in MADE_AGAIN:
                continue
            made = versions.get(version, ())
            if version is Version.CONTRIBUTION and operation is not None:
                made = tuple(each for each in made if each.name == f"{value.name}.gradient.{operation.name}")
            if made:
                return made
        return ()

    def local_size(self, tensor: ExpectedTensor, axis: Axis) -> int:
        """Elements of one axis on one rank; where the degree does not divide, the quotient (and a false premise)."""
        size = tensor.value.shape[tensor.value.axes.index(axis)]
        return size // self.request.strategy.tensor if axis in tensor.split else size


def gradient_dtype(dtype: DType, width: int) -> DType:
    """The element type of a parameter's gradient: the parameter's own if it is as wide, else one of that width."""
    if dtype.width == width:
        return dtype
    return DType.FLOAT32 if width == 4 else DType.BFLOAT16


def portable_relations(ir: DistributedTaskIR, rules: Sequence[PassRule]) -> tuple[ExpectedRelation, ...]:
    """One portable task for each distributed task, one buffer for each value."""
    relations = []
    for rule in rules:
        if isinstance(rule.signature, EachTask):
            relations += [ExpectedRelation(rule, (task.id,), (ExpectedPlanTask(task.name, task),)) for task in ir.tasks]
        if isinstance(rule.signature, EachValue):
            relations += [
                ExpectedRelation(rule, (value.id,), (ExpectedBuffer(value.name, value),)) for value in ir.values
            ]
    return tuple(relations)
