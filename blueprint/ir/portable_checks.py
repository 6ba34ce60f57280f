"""Structural checks of PortablePlanIR."""

from __future__ import annotations

from collections.abc import Iterator

from blueprint.diagnostic import Diagnostic
from blueprint.ir import structure
from blueprint.ir.common import Stage
from blueprint.ir.distributed import Collective
from blueprint.ir.distributed_checks import check_ranks
from blueprint.ir.portable import PortablePlanIR


def check_portable(ir: PortablePlanIR) -> Iterator[Diagnostic]:
    """Yield every structural fault of a portable snapshot."""
    header = ir.header
    yield from structure.check_header(header, Stage.PORTABLE)
    buffers = {buffer.id: buffer for buffer in ir.buffers}
    tasks = {task.id: task for task in ir.tasks}
    yield from structure.check_ids("buffer", header.version, header.parent, ir.buffers)
    yield from structure.check_ids("task", header.version, header.parent, ir.tasks)
    yield from structure.check_unique(ir.buffers)
    yield from structure.check_unique(ir.tasks)
    for task in ir.tasks:
        yield from structure.check_known(task.name, (*task.inputs, *task.outputs), buffers)
        yield from structure.check_known(task.name, task.dependencies, tasks)
        yield from structure.check_distinct(task.name, task.inputs)
        yield from structure.check_distinct(task.name, task.dependencies)
        yield from check_ranks(task.name, task.ranks)
        if isinstance(task.collective, Collective):
            yield from check_ranks(task.name, task.collective.participants)
    for buffer in ir.buffers:
        yield from structure.check_known(buffer.name, buffer.consumers, tasks)
        if isinstance(buffer.producer, str):
            yield from structure.check_known(buffer.name, (buffer.producer,), tasks)
        if buffer.alignment & (buffer.alignment - 1):
            yield Diagnostic(code="structure.alignment", message="alignment is no power of two", path=buffer.name)
    yield from structure.check_known("inputs", ir.inputs, buffers)
    yield from structure.check_known("outputs", ir.outputs, buffers)
    writers = [(task, task.outputs) for task in ir.tasks]
    _, faults = structure.producers_of(writers)
    yield from faults
    known = {task.id: [each for each in task.dependencies if each in tasks] for task in ir.tasks}
    yield from structure.check_order(ir.tasks, known)
    yield from structure.check_value_order(ir.buffers, writers)
