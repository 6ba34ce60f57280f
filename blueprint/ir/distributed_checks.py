"""Structural checks of DistributedTaskIR."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from blueprint.diagnostic import Diagnostic
from blueprint.ir import structure
from blueprint.ir.common import Stage
from blueprint.ir.distributed import (
    Collective,
    CollectiveKind,
    DistributedTaskIR,
    DistributedValue,
    Reduction,
    Task,
    TaskKind,
)


def check_distributed(ir: DistributedTaskIR) -> Iterator[Diagnostic]:
    """Yield every structural fault of a distributed snapshot."""
    values = {value.id: value for value in ir.values}
    header, mesh = ir.header, ir.mesh
    yield from structure.check_header(header, Stage.DISTRIBUTED)
    yield from structure.check_ids("value", header.version, header.parent, ir.values)
    yield from structure.check_ids("task", header.version, header.parent, ir.tasks)
    yield from structure.check_unique(ir.values)
    yield from structure.check_unique(ir.tasks)
    yield from check_ranks("mesh", mesh.ranks)
    if mesh.ranks[-1] >= mesh.tensor * mesh.pipeline * mesh.data:
        yield Diagnostic(code="structure.ranks", message="a rank lies outside the mesh", path="mesh")
    if len(mesh.ranks) != mesh.tensor:
        yield Diagnostic(code="structure.mesh", message="the group is not one tensor-parallel group", path="mesh")
    for value in ir.values:
        yield from _value(value, mesh.tensor)
        yield from check_ranks(value.name, value.ranks)
    for task in ir.tasks:
        yield from structure.check_known(task.name, (*task.inputs, *task.outputs), values)
        yield from structure.check_distinct(task.name, task.inputs)
        yield from check_ranks(task.name, task.ranks)
        yield from _collective(task)
    yield from structure.check_known("inputs", ir.inputs, values)
    yield from structure.check_known("outputs", ir.outputs, values)
    writers = [(task, task.outputs) for task in ir.tasks]
    producers, faults = structure.producers_of(writers)
    yield from faults
    for identifier in ir.inputs:
        if identifier in producers:
            yield Diagnostic(code="structure.ssa", message="an input has a producer", path=identifier)
    given = set(ir.inputs)
    for value in ir.values:
        if value.id not in producers and value.id not in given:
            yield Diagnostic(code="structure.ssa", message="a value is neither produced nor an input", path=value.name)
    yield from structure.check_order(ir.tasks, structure.data_dependencies(ir.tasks, producers))
    yield from structure.check_value_order(ir.values, writers)


def _value(value: DistributedValue, tensor: int) -> Iterator[Diagnostic]:
    """The shards cover the logical tensor exactly once, or every rank holds it whole."""
    if not len(value.axes) == len(value.shape) == len(value.local_shape):
        yield Diagnostic(code="structure.shape", message="axes and sizes do not pair up", path=value.name)
        return
    if len(set(value.split)) != len(value.split) or not set(value.split) <= set(value.axes):
        yield Diagnostic(code="structure.sharding", message="a split axis is not an axis", path=value.name)
        return
    if len(value.split) > 1:
        yield Diagnostic(code="structure.sharding", message="one mesh axis divides two axes", path=value.name)
    degree = math.prod(tensor for _ in value.split)
    if math.prod(value.shape) != math.prod(value.local_shape) * degree:
        yield Diagnostic(
            code="structure.sharding", message="the shards do not cover the tensor exactly once", path=value.name
        )


def check_ranks(path: str, ranks: Sequence[int]) -> Iterator[Diagnostic]:
    """The ranks are strictly increasing; the claims about them rest on it."""
    if any(left >= right for left, right in pairwise(ranks)):
        yield Diagnostic(code="structure.ranks", message="ranks are not strictly increasing", path=path)


def _collective(task: Task) -> Iterator[Diagnostic]:
    collective = task.collective
    if not isinstance(collective, Collective):
        if task.kind is TaskKind.COLLECTIVE:
            yield Diagnostic(code="structure.collective", message="a collective task has none", path=task.name)
        return
    if task.kind is not TaskKind.COLLECTIVE:
        yield Diagnostic(code="structure.collective", message="a local task has a collective", path=task.name)
    summing = collective.kind is not CollectiveKind.ALL_GATHER
    if summing is not (collective.reduction is Reduction.SUM):
        yield Diagnostic(code="structure.collective", message="kind and reduction do not fit", path=task.name)
    yield from check_ranks(task.name, collective.participants)
    if len(collective.participants) < 2:
        yield Diagnostic(code="structure.collective", message="fewer than two participants", path=task.name)
