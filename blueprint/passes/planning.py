"""Carries a distributed snapshot into PortablePlanIR, for training and inference alike."""

from __future__ import annotations

import msgspec

from blueprint.codec import digest, entity_id
from blueprint.errors import DomainError
from blueprint.ir.common import INT64_MAX, SCHEMA_VERSIONS, Header, Lineage, LineageKind, Phase, Role, Stage
from blueprint.ir.distributed import DistributedTaskIR, DistributedValue, Task, TaskKind
from blueprint.ir.portable import (
    ATTENTION_PRIMITIVES,
    Alternative,
    Buffer,
    ConcurrencyGroup,
    Implementation,
    InferenceMemory,
    Objective,
    PlanEffect,
    PlanTask,
    PortablePlanIR,
    Resources,
    StorageClass,
    TrainingMemory,
    WorkloadFacts,
)
from blueprint.workload.plan import buffer_size, plan_work

_VERSION = SCHEMA_VERSIONS[Stage.PORTABLE]

_PERSISTENT = (Role.PARAMETER, Role.PARAMETER_GRADIENT, Role.UPDATED_PARAMETER, Role.KV_CACHE)
_BACKWARD = {Phase.RECOMPUTE, Phase.RECOMMUNICATION, Phase.ACTIVATION_GRADIENT, Phase.WEIGHT_GRADIENT}
_KEPT = (Role.ACTIVATION, Role.MASK)


_GROUPS = {
    TaskKind.COMPUTE: ConcurrencyGroup.COMPUTE,
    TaskKind.COLLECTIVE: ConcurrencyGroup.COLLECTIVE,
    TaskKind.POINT_TO_POINT: ConcurrencyGroup.TRANSFER,
}


class Planning:
    """Carries a distributed snapshot into a plan. `full` says that the backward pass makes everything again."""

    def __init__(self, ir: DistributedTaskIR, *, full: bool) -> None:
        self.ir = ir
        self.full = full
        self.fused: tuple[str, ...] = ()
        self.parent = digest(Stage.DISTRIBUTED.value, ir.header.version, ir)
        self.producers = {output: task for task in ir.tasks for output in task.outputs}
        self.consumers: dict[str, list[str]] = {}
        self.phases: dict[str, set[Phase]] = {}
        self.task_ids = {task.id: self._identify("task", task.name, _task_lineage(task)) for task in ir.tasks}
        self.buffer_ids = {
            value.id: self._identify("buffer", value.name, _buffer_lineage(value)) for value in ir.values
        }
        for task in ir.tasks:
            for value in task.inputs:
                self.consumers.setdefault(value, []).append(self.task_ids[task.id])
                self.phases.setdefault(value, set()).add(task.phase)

    def snapshot(
        self, memory: TrainingMemory | InferenceMemory, alternatives: tuple[Alternative, ...] = ()
    ) -> PortablePlanIR:
        """The plan, with what one rank holds and the implementations of its attention core."""
        self.fused = tuple(each.name for each in alternatives)
        return PortablePlanIR(
            header=Header(stage=Stage.PORTABLE, version=_VERSION, parent=self.parent),
            inputs=self._buffers(self.ir.inputs),
            outputs=self._buffers(self.ir.outputs),
            buffers=tuple(map(self._buffer, self.ir.values)),
            tasks=tuple(map(self._task, self.ir.tasks)),
            memory=memory,
            alternatives=alternatives,
            objectives=(Objective.STEP_TIME, Objective.PEAK_MEMORY),
        )

    def _identify(self, kind: str, name: str, lineage: Lineage) -> str:
        return entity_id(kind, _VERSION, self.parent, lineage.transform, lineage.sources, name)

    def _buffers(self, values: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self.buffer_ids[each] for each in values)

    def _buffer(self, value: DistributedValue) -> Buffer:
        size = bounded(f"size of buffer {value.name}", buffer_size(value.local_shape, value.dtype.width))
        buffer = Buffer(
            id=self.buffer_ids[value.id],
            name=value.name,
            lineage=_buffer_lineage(value),
            source_value=value.id,
            role=value.role,
            dtype=value.dtype,
            size=size,
            alignment=value.dtype.width,
            storage=self._storage(value),
            consumers=tuple(self.consumers.get(value.id, ())),
        )
        producer = self.producers.get(value.id)
        return msgspec.structs.replace(buffer, producer=self.task_ids[producer.id]) if producer else buffer

    def _storage(self, value: DistributedValue) -> StorageClass:
        """How long a value lives: an activation of the forward pass waits if a later phase reads it."""
        if value.role in _PERSISTENT:
            return StorageClass.PERSISTENT
        producer = self.producers.get(value.id)
        before = producer is None or producer.phase not in _BACKWARD
        later = not _BACKWARD.isdisjoint(self.phases.get(value.id, ()))
        if value.role not in _KEPT or not before or not later:
            return StorageClass.STEP
        return StorageClass.CHECKPOINT if self.full else StorageClass.SAVED

    def _task(self, task: Task) -> PlanTask:
        work = task.work
        planned = plan_work(work.operations, work.read_bytes, work.write_bytes, work.message_bytes)
        capability = f"{task.kind.value}.{task.primitive}"
        producers = [self.producers[each].id for each in task.inputs if each in self.producers]
        return PlanTask(
            id=self.task_ids[task.id],
            name=task.name,
            lineage=_task_lineage(task),
            kind=task.kind,
            phase=task.phase,
            primitive=task.primitive,
            inputs=self._buffers(task.inputs),
            outputs=self._buffers(task.outputs),
            dependencies=tuple(self.task_ids[each] for each in dict.fromkeys(producers)),
            ranks=task.ranks,
            work=WorkloadFacts(
                operations=planned.operations,
                read_bytes=planned.read_bytes,
                write_bytes=planned.write_bytes,
                message_bytes=planned.message_bytes,
            ),
            resources=Resources(
                compute=planned.compute,
                memory=bounded(f"memory traffic of task {task.name}", planned.memory),
                network=planned.network,
            ),
            implementation=Implementation(capability=capability, alternatives=self._alternatives(task, capability)),
            group=_GROUPS[task.kind],
            effects=tuple(
                PlanEffect(kind=each.kind, buffer=self.buffer_ids[each.value], size=each.size) for each in task.effects
            ),
            collective=task.collective,
        )

    def _alternatives(self, task: Task, capability: str) -> tuple[str, ...]:
        """A reference of its own for every task; tasks of the attention core have those of the core where there are."""
        core = task.primitive in ATTENTION_PRIMITIVES and self.fused
        return self.fused if core else (f"{capability}.reference",)


def bounded(what: str, count: int) -> int:
    """A count that the IR can hold."""
    if count > INT64_MAX:
        raise DomainError(f"{what} = {count} exceeds the limit of 2^63 - 1")
    return count


def _task_lineage(task: Task) -> Lineage:
    return Lineage(kind=LineageKind.LOWERED, transform="planning.task", sources=(task.id,))


def _buffer_lineage(value: DistributedValue) -> Lineage:
    return Lineage(kind=LineageKind.LOWERED, transform="planning.buffer", sources=(value.id,))
