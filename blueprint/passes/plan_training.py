"""Distributed -> Portable for one training block."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from blueprint.codec import digest, entity_id
from blueprint.errors import DomainError
from blueprint.ir.common import INT64_MAX, SCHEMA_VERSIONS, Header, Lineage, LineageKind, Phase, Role, Stage
from blueprint.ir.distributed import DistributedTaskIR, DistributedValue, Task, TaskKind
from blueprint.ir.portable import (
    Buffer,
    ConcurrencyGroup,
    Implementation,
    MemoryFacts,
    Objective,
    PlanTask,
    PortablePlanIR,
    Resources,
    StorageClass,
    WorkloadFacts,
)
from blueprint.ir.request import Recompute
from blueprint.passes.protocol import PassContext, PassFacts
from blueprint.workload.dims import dims_of
from blueprint.workload.memory import Memory, block_memory
from blueprint.workload.plan import buffer_size, plan_work
from blueprint.workload.training_block import training_block

_VERSION = SCHEMA_VERSIONS[Stage.PORTABLE]

_PERSISTENT = (Role.PARAMETER, Role.PARAMETER_GRADIENT, Role.UPDATED_PARAMETER)
_KEPT = (Role.ACTIVATION, Role.MASK)


class PlanTransformerTrainingPass:
    """Materialise exact training work without choosing a target.

    For every distributed task the work vector is copied, and projected without loss:

        (F, R, W, M) of a portable task = (F, R, W, M) of its distributed task
        Q_compute = F, Q_memory = R + W, Q_network = M
        C = elements * width

    What one rank holds is reduced from the derivation's layer facts and from the parameters N of the rank:

        C_act = sum over layers of (A - O [output not stored] - A [activation not stored])
        C_w = e N, at ZeRO stage 3 e n
        C_g = g N, from ZeRO stage 2 g n
        C_o = o N, from ZeRO stage 1 o n

    where n is the largest of D shares of them.

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

    def run(self, ir: DistributedTaskIR, context: PassContext) -> PortablePlanIR:
        """Derive the plan. Raises DomainError where a size exceeds the IR's limit."""
        dims = dims_of(context.request)
        full = context.request.strategy.recompute is Recompute.FULL
        return _Emission(ir, block_memory(dims, training_block(dims)), full=full).snapshot()


class _Emission:
    """Carries a distributed snapshot into a plan."""

    def __init__(self, ir: DistributedTaskIR, memory: Memory[int], *, full: bool) -> None:
        self.ir = ir
        self.memory = memory
        self.full = full
        self.parent = digest(Stage.DISTRIBUTED.value, ir.header.version, ir)
        self.producers = {output: task for task in ir.tasks for output in task.outputs}
        self.consumers: dict[str, list[str]] = {}
        self.phases: dict[str, set[Phase]] = {}
        self.task_ids = {task.id: self.identify("task", task.name, _task_lineage(task)) for task in ir.tasks}
        self.buffer_ids = {value.id: self.identify("buffer", value.name, _buffer_lineage(value)) for value in ir.values}
        for task in ir.tasks:
            for value in task.inputs:
                self.consumers.setdefault(value, []).append(self.task_ids[task.id])
                self.phases.setdefault(value, set()).add(task.phase)

    def snapshot(self) -> PortablePlanIR:
        return PortablePlanIR(
            header=Header(stage=Stage.PORTABLE, version=_VERSION, parent=self.parent),
            inputs=self.buffers(self.ir.inputs),
            outputs=self.buffers(self.ir.outputs),
            buffers=tuple(map(self.buffer, self.ir.values)),
            tasks=tuple(map(self.task, self.ir.tasks)),
            memory=self.memory_facts(),
            objectives=(Objective.STEP_TIME, Objective.PEAK_MEMORY),
        )

    def memory_facts(self) -> MemoryFacts:
        found, state = self.memory, self.memory.state
        facts = {
            "parameters": found.parameters,
            "weights": state.weights,
            "gradients": state.gradients,
            "optimizer": state.optimizer,
            "stored": found.stored,
            "working": found.working,
            "checkpoint": found.checkpoint,
        }
        return MemoryFacts(**{name: _bounded(f"{name} of the block", size) for name, size in facts.items()})

    def identify(self, kind: str, name: str, lineage: Lineage) -> str:
        return entity_id(kind, _VERSION, self.parent, lineage.transform, lineage.sources, name)

    def buffers(self, values: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self.buffer_ids[each] for each in values)

    def buffer(self, value: DistributedValue) -> Buffer:
        size = _bounded(f"size of buffer {value.name}", buffer_size(value.local_shape, value.dtype.width))
        buffer = Buffer(
            id=self.buffer_ids[value.id],
            name=value.name,
            lineage=_buffer_lineage(value),
            source_value=value.id,
            role=value.role,
            dtype=value.dtype,
            size=size,
            alignment=value.dtype.width,
            storage=self.storage(value),
            consumers=tuple(self.consumers.get(value.id, ())),
        )
        producer = self.producers.get(value.id)
        return msgspec.structs.replace(buffer, producer=self.task_ids[producer.id]) if producer else buffer

    def storage(self, value: DistributedValue) -> StorageClass:
        """How long a value lives: an activation of the forward pass waits if a later phase reads it."""
        if value.role in _PERSISTENT:
            return StorageClass.PERSISTENT
        producer = self.producers.get(value.id)
        before = producer is None or producer.phase is Phase.FORWARD
        if value.role not in _KEPT or not before or self.phases.get(value.id, set()) <= {Phase.FORWARD}:
            return StorageClass.STEP
        return StorageClass.CHECKPOINT if self.full else StorageClass.SAVED

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
                memory=_bounded(f"memory traffic of task {task.name}", planned.memory),
                network=planned.network,
            ),
            implementation=Implementation(capability=capability, alternatives=(f"{capability}.reference",)),
            group=ConcurrencyGroup.COLLECTIVE if task.kind is TaskKind.COLLECTIVE else ConcurrencyGroup.COMPUTE,
            collective=task.collective,
        )


def _bounded(what: str, count: int) -> int:
    """A count that the IR can hold."""
    if count > INT64_MAX:
        raise DomainError(f"{what} = {count} exceeds the limit of 2^63 - 1")
    return count


def _task_lineage(task: Task) -> Lineage:
    return Lineage(kind=LineageKind.LOWERED, transform="planning.task", sources=(task.id,))


def _buffer_lineage(value: DistributedValue) -> Lineage:
    return Lineage(kind=LineageKind.LOWERED, transform="planning.buffer", sources=(value.id,))
