"""Distributed -> Portable for one training block."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from blueprint.codec import digest, entity_id
from blueprint.errors import DomainError
from blueprint.ir.common import INT64_MAX, SCHEMA_VERSIONS, Header, Lineage, LineageKind, Role, Stage
from blueprint.ir.distributed import DistributedTaskIR, DistributedValue, Task, TaskKind
from blueprint.ir.portable import (
    Buffer,
    ConcurrencyGroup,
    Implementation,
    Objective,
    PlanTask,
    PortablePlanIR,
    Resources,
    StorageClass,
    WorkloadFacts,
)
from blueprint.passes.protocol import PassContext, PassFacts
from blueprint.workload.plan import buffer_size, plan_work

_VERSION = SCHEMA_VERSIONS[Stage.PORTABLE]

_PERSISTENT = (Role.PARAMETER, Role.PARAMETER_GRADIENT, Role.UPDATED_PARAMETER)


class PlanTransformerTrainingPass:
    """Materialise exact training work without choosing a target.

    For every distributed task the work vector is copied, and projected without loss:

        (F, R, W, M) of a portable task = (F, R, W, M) of its distributed task
        Q_compute = F, Q_memory = R + W, Q_network = M
        C = elements * width

    It is a semantics-preserving reification, not a second estimator.
    """

    facts: ClassVar[PassFacts] = PassFacts(
        name="PlanTransformerTrainingPass",
        revision=1,
        boundary=(Stage.DISTRIBUTED, Stage.PORTABLE),
        provenance=(
            "Shoeybi et al., Megatron-LM",
            "Rajbhandari et al., ZeRO",
            "Korthikanti et al., Reducing Activation Recomputation",
        ),
        bindings=("workload", "strategy"),
        normal_form="one task a task and one buffer a value, in the order of the distributed snapshot",
    )

    def run(self, ir: DistributedTaskIR, context: PassContext) -> PortablePlanIR:  # noqa: ARG002 -- the protocol's
        """Derive the plan. Raises DomainError where a buffer's size exceeds the IR's limit."""
        return _Emission(ir).snapshot()


class _Emission:
    """Carries a distributed snapshot into a plan."""

    def __init__(self, ir: DistributedTaskIR) -> None:
        self.ir = ir
        self.parent = digest(Stage.DISTRIBUTED.value, ir.header.version, ir)
        self.producers = {output: task for task in ir.tasks for output in task.outputs}
        self.consumers: dict[str, list[str]] = {}
        self.task_ids = {task.id: self.identify("task", task.name, _task_lineage(task)) for task in ir.tasks}
        self.buffer_ids = {value.id: self.identify("buffer", value.name, _buffer_lineage(value)) for value in ir.values}
        for task in ir.tasks:
            for value in task.inputs:
                self.consumers.setdefault(value, []).append(self.task_ids[task.id])

    def snapshot(self) -> PortablePlanIR:
        return PortablePlanIR(
            header=Header(stage=Stage.PORTABLE, version=_VERSION, parent=self.parent),
            inputs=self.buffers(self.ir.inputs),
            outputs=self.buffers(self.ir.outputs),
            buffers=tuple(map(self.buffer, self.ir.values)),
            tasks=tuple(map(self.task, self.ir.tasks)),
            objectives=(Objective.STEP_TIME, Objective.PEAK_MEMORY),
        )

    def identify(self, kind: str, name: str, lineage: Lineage) -> str:
        return entity_id(kind, _VERSION, self.parent, lineage.transform, lineage.sources, name)

    def buffers(self, values: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self.buffer_ids[each] for each in values)

    def buffer(self, value: DistributedValue) -> Buffer:
        size = buffer_size(value.local_shape, value.dtype.width)
        if size > INT64_MAX:
            raise DomainError(f"size of buffer {value.name} = {size} exceeds the limit of 2^63 - 1")
        buffer = Buffer(
            id=self.buffer_ids[value.id],
            name=value.name,
            lineage=_buffer_lineage(value),
            source_value=value.id,
            role=value.role,
            dtype=value.dtype,
            size=size,
            alignment=value.dtype.width,
            storage=StorageClass.PERSISTENT if value.role in _PERSISTENT else StorageClass.STEP,
            consumers=tuple(self.consumers.get(value.id, ())),
        )
        producer = self.producers.get(value.id)
        return msgspec.structs.replace(buffer, producer=self.task_ids[producer.id]) if producer else buffer

    def task(self, task: Task) -> PlanTask:
        work = task.work
        planned = plan_work(work.operations, work.read_bytes, work.write_bytes, work.message_bytes)
        capability = f"{task.kind.value}.{task.primitive.value}"
        producers = [self.producers[each].id for each in task.inputs if each in self.producers]
        return PlanTask(
            id=self.task_ids[task.id],
            name=task.name,
            lineage=_task_lineage(task),
            kind=task.kind,
            phase=task.phase,
            primitive=task.primitive,
            inputs=self.buffers(task.inputs),
            outputs=self.buffers(task.outputs),
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
                memory=_bounded(task, planned.memory),
                network=planned.network,
            ),
            implementation=Implementation(capability=capability, alternatives=(f"{capability}.reference",)),
            group=ConcurrencyGroup.COLLECTIVE if task.kind is TaskKind.COLLECTIVE else ConcurrencyGroup.COMPUTE,
            collective=task.collective,
        )


def _bounded(task: Task, memory: int) -> int:
    if memory > INT64_MAX:
        raise DomainError(f"memory traffic of task {task.name} = {memory} exceeds the limit of 2^63 - 1")
    return memory


def _task_lineage(task: Task) -> Lineage:
    return Lineage(kind=LineageKind.LOWERED, transform="planning.task", sources=(task.id,))


def _buffer_lineage(value: DistributedValue) -> Lineage:
    return Lineage(kind=LineageKind.LOWERED, transform="planning.buffer", sources=(value.id,))
