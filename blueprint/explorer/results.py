"""What a snapshot says in answer to its stage's question, a line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from blueprint.explorer.stages import Shown
from blueprint.ir.common import Role
from blueprint.ir.concrete import ConcretePlanIR, QueueExtension
from blueprint.ir.distributed import DistributedTaskIR, TaskKind
from blueprint.ir.machine import MachineIR
from blueprint.ir.model import ModelIR
from blueprint.ir.portable import PortablePlanIR
from blueprint.words import plain


def results_of(shown: Shown) -> Iterator[str]:
    """The snapshot in a few numbers, all its own."""
    match shown.snapshot:
        case ModelIR() as model:
            blocks = len({operation.block for operation in model.operations})
            parameters = sum(value.role is Role.PARAMETER for value in model.values)
            yield f"{len(model.operations)} operations in {_counted(blocks, 'block')} of {plain(model.facts.name)}"
            yield f"{len(model.values)} logical tensors, of which {parameters} are parameters"
        case DistributedTaskIR() as distributed:
            mesh = distributed.mesh
            kinds = Counter(task.kind for task in distributed.tasks)
            listed = ", ".join(f"{kinds[kind]} {kind.value.replace('_', ' ')}" for kind in TaskKind if kinds[kind])
            yield f"{len(distributed.tasks)} tasks of each rank: {listed}"
            yield f"a mesh of {mesh.tensor} tensor x {mesh.pipeline} pipeline x {mesh.data} data"
            split = sum(bool(value.split) for value in distributed.values)
            yield f"{len(distributed.values)} tensors, of which {split} lie divided over the tensor-parallel group"
        case PortablePlanIR() as plan:
            operations = sum(task.work.operations for task in plan.tasks)
            moved = sum(task.work.read_bytes + task.work.write_bytes for task in plan.tasks)
            messages = sum(task.work.message_bytes for task in plan.tasks)
            yield f"{operations} operations in {len(plan.tasks)} tasks of one rank"
            yield f"{moved} bytes read and written, {messages} bytes of messages"
            yield f"{sum(buffer.size for buffer in plan.buffers)} bytes in {len(plan.buffers)} buffers"
        case ConcretePlanIR(extension=extension) as bound:
            issued = f"{len(extension.queues)} queues" if isinstance(extension, QueueExtension) else "cycles and slots"
            yield f"{len(bound.commands)} commands in {issued} on {plain(bound.target)}"
            extent, capacity = sum(each.extent for each in bound.regions), sum(each.capacity for each in bound.regions)
            yield f"{len(bound.buffers)} buffers in {extent} of {capacity} bytes of each device"
        case MachineIR() as program:
            yield f"{len(program.instructions)} instructions in {_counted(len(program.sections), 'section')}"
            yield f"{_counted(len(program.entries), 'entry point')}, target {plain(program.target)}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
