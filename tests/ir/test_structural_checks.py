"""Every structural check refuses a good snapshot that is changed in one place, with its own code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import msgspec
import pytest

from blueprint.boundaries import structural_faults
from blueprint.codec import decode, encode
from blueprint.ir.common import Axis, Role, Stage
from blueprint.ir.distributed import CollectiveKind, Reduction, TaskKind
from tests.ir.places import homeless


class Good(Protocol):
    model: Any
    distributed: Any
    portable: Any


replace = msgspec.structs.replace
Change = Callable[[Any], Any]


def at(items: Sequence[Any], position: int, **fields: object) -> tuple[Any, ...]:
    """The items with one of them changed."""
    changed = list(items)
    changed[position] = replace(changed[position], **fields)
    return tuple(changed)


def collective(ir: Any) -> int:
    return next(index for index, task in enumerate(ir.tasks) if task.kind is TaskKind.COLLECTIVE)


def local(ir: Any) -> int:
    return next(index for index, task in enumerate(ir.tasks) if task.kind is TaskKind.COMPUTE)


def gathering(ir: Any, **fields: object) -> Any:
    position = next(
        index
        for index, task in enumerate(ir.tasks)
        if task.kind is TaskKind.COLLECTIVE and task.collective.kind is CollectiveKind.ALL_GATHER
    )
    changed = replace(ir.tasks[position].collective, **fields)
    return replace(ir, tasks=at(ir.tasks, position, collective=changed))


UNKNOWN_VALUE = "value:" + "0" * 64
UNKNOWN_TASK = "task:" + "0" * 64
UNKNOWN_BUFFER = "buffer:" + "0" * 64


def swapped(items: Sequence[Any]) -> tuple[Any, ...]:
    return (items[1], items[0], *items[2:])


def cyclic(ir: Any) -> Any:
    """The first task reads what the last one writes."""
    first, last = ir.tasks[0], ir.tasks[-1]
    return replace(ir, tasks=at(ir.tasks, 0, inputs=(*first.inputs, last.outputs[0])))


HEADER: list[tuple[str, Change]] = [
    ("structure.stage", lambda ir: replace(ir, header=replace(ir.header, stage=Stage.MACHINE))),
    ("structure.version", lambda ir: replace(ir, header=replace(ir.header, version=2))),
]

MODEL: list[tuple[str, Change]] = [
    *HEADER,
    ("structure.id", lambda ir: replace(ir, values=at(ir.values, 0, id=UNKNOWN_VALUE))),
    ("structure.id", lambda ir: replace(ir, operations=at(ir.operations, 0, name="renamed"))),
    ("structure.duplicate_id", lambda ir: replace(ir, values=(*ir.values, ir.values[0]))),
    ("structure.duplicate_name", lambda ir: replace(ir, values=at(ir.values, 1, name=ir.values[0].name))),
    ("structure.shape", lambda ir: replace(ir, values=at(ir.values, 0, shape=(1, 1, 1)))),
    ("structure.shape", lambda ir: replace(ir, values=at(ir.values, 0, axes=(Axis.BATCH,) * 3, shape=(1, 1, 1)))),
    ("structure.dangling", lambda ir: replace(ir, operations=at(ir.operations, 0, inputs=(UNKNOWN_VALUE,)))),
    ("structure.dangling", lambda ir: replace(ir, inputs=(UNKNOWN_VALUE,))),
    ("structure.dangling", lambda ir: replace(ir, outputs=(UNKNOWN_VALUE,))),
    (
        "structure.repeated",
        lambda ir: replace(ir, operations=at(ir.operations, 0, inputs=(ir.operations[0].inputs[0],) * 2)),
    ),
    (
        "structure.ssa",
        lambda ir: replace(ir, operations=at(ir.operations, 0, result=ir.operations[1].result)),
    ),
    ("structure.ssa", lambda ir: replace(ir, values=at(ir.values, -1, role=Role.PARAMETER))),
    ("structure.order", lambda ir: replace(ir, operations=swapped(ir.operations))),
    ("structure.value_order", lambda ir: replace(ir, values=swapped(ir.values))),
    (
        "structure.cycle",
        lambda ir: replace(
            ir, operations=at(ir.operations, 0, inputs=(*ir.operations[0].inputs, ir.operations[-1].result))
        ),
    ),
]

DISTRIBUTED: list[tuple[str, Change]] = [
    *HEADER,
    ("structure.id", lambda ir: replace(ir, values=at(ir.values, 0, id=UNKNOWN_VALUE))),
    ("structure.id", lambda ir: replace(ir, tasks=at(ir.tasks, 0, id=UNKNOWN_TASK))),
    (
        "structure.id",
        lambda ir: replace(ir, tasks=at(ir.tasks, 0, lineage=replace(ir.tasks[0].lineage, transform="training.other"))),
    ),
    ("structure.duplicate_id", lambda ir: replace(ir, tasks=(*ir.tasks, ir.tasks[0]))),
    ("structure.duplicate_id", lambda ir: replace(ir, values=(*ir.values, ir.values[0]))),
    ("structure.ranks", lambda ir: replace(ir, mesh=replace(ir.mesh, ranks=(1, 0)))),
    ("structure.ranks", lambda ir: replace(ir, mesh=replace(ir.mesh, ranks=(0, 5)))),
    ("structure.ranks", lambda ir: replace(ir, values=at(ir.values, 0, ranks=(0, 0)))),
    ("structure.ranks", lambda ir: replace(ir, tasks=at(ir.tasks, 0, ranks=(1, 0)))),
    ("structure.ranks", lambda ir: gathering(ir, participants=(1, 0))),
    ("structure.ranks", lambda ir: replace(ir, values=at(ir.values, 0, ranks=(0, 1, 1)))),
    ("structure.ranks", lambda ir: replace(ir, mesh=replace(ir.mesh, pipeline=2, ranks=(2, 4)))),
    ("structure.mesh", lambda ir: replace(ir, mesh=replace(ir.mesh, ranks=(0,)))),
    ("structure.shape", lambda ir: replace(ir, values=at(ir.values, 0, local_shape=(1, 1, 1)))),
    ("structure.sharding", lambda ir: replace(ir, values=at(ir.values, 0, split=(Axis.FEEDFORWARD, Axis.HEADS)))),
    ("structure.sharding", lambda ir: replace(ir, values=at(ir.values, 0, local_shape=(1,) * len(ir.values[0].axes)))),
    (
        "structure.sharding",
        lambda ir: replace(
            ir,
            values=tuple(replace(value, split=value.axes[:2]) if len(value.axes) > 1 else value for value in ir.values),
        ),
    ),
    ("structure.dangling", lambda ir: replace(ir, tasks=at(ir.tasks, 0, inputs=(UNKNOWN_VALUE,)))),
    ("structure.dangling", lambda ir: replace(ir, tasks=at(ir.tasks, 0, outputs=(UNKNOWN_VALUE,)))),
    ("structure.dangling", lambda ir: replace(ir, inputs=(*ir.inputs, UNKNOWN_VALUE))),
    ("structure.dangling", lambda ir: replace(ir, outputs=(UNKNOWN_VALUE,))),
    ("structure.repeated", lambda ir: replace(ir, tasks=at(ir.tasks, 0, inputs=(ir.tasks[0].inputs[0],) * 2))),
    ("structure.ssa", lambda ir: replace(ir, tasks=at(ir.tasks, 0, outputs=ir.tasks[1].outputs))),
    ("structure.ssa", lambda ir: replace(ir, inputs=(*ir.inputs, ir.tasks[0].outputs[0]))),
    ("structure.ssa", lambda ir: replace(ir, inputs=ir.inputs[1:])),
    ("structure.order", lambda ir: replace(ir, tasks=swapped(ir.tasks))),
    ("structure.value_order", lambda ir: replace(ir, values=swapped(ir.values))),
    ("structure.cycle", cyclic),
    ("structure.collective", lambda ir: replace(ir, tasks=at(ir.tasks, collective(ir), collective=msgspec.UNSET))),
    (
        "structure.collective",
        lambda ir: replace(ir, tasks=at(ir.tasks, local(ir), collective=ir.tasks[collective(ir)].collective)),
    ),
    ("structure.collective", lambda ir: gathering(ir, reduction=Reduction.SUM)),
    ("structure.collective", lambda ir: gathering(ir, participants=(0,))),
]

PORTABLE: list[tuple[str, Change]] = [
    *HEADER,
    ("structure.id", lambda ir: replace(ir, buffers=at(ir.buffers, 0, id=UNKNOWN_BUFFER))),
    ("structure.id", lambda ir: replace(ir, tasks=at(ir.tasks, 0, name="renamed"))),
    ("structure.duplicate_id", lambda ir: replace(ir, buffers=(*ir.buffers, ir.buffers[0]))),
    ("structure.duplicate_id", lambda ir: replace(ir, tasks=(*ir.tasks, ir.tasks[0]))),
    ("structure.dangling", lambda ir: replace(ir, tasks=at(ir.tasks, 0, inputs=(UNKNOWN_BUFFER,)))),
    ("structure.dangling", lambda ir: replace(ir, tasks=at(ir.tasks, 0, outputs=(UNKNOWN_BUFFER,)))),
    ("structure.dangling", lambda ir: replace(ir, tasks=at(ir.tasks, 0, dependencies=(UNKNOWN_TASK,)))),
    ("structure.dangling", lambda ir: replace(ir, buffers=at(ir.buffers, 0, consumers=(UNKNOWN_TASK,)))),
    ("structure.dangling", lambda ir: replace(ir, buffers=at(ir.buffers, 0, producer=UNKNOWN_TASK))),
    ("structure.dangling", lambda ir: replace(ir, inputs=(UNKNOWN_BUFFER,))),
    ("structure.dangling", lambda ir: replace(ir, outputs=(UNKNOWN_BUFFER,))),
    ("structure.repeated", lambda ir: replace(ir, tasks=at(ir.tasks, 0, inputs=(ir.tasks[0].inputs[0],) * 2))),
    (
        "structure.repeated",
        lambda ir: replace(ir, tasks=at(ir.tasks, -1, dependencies=(ir.tasks[-1].dependencies[0],) * 2)),
    ),
    ("structure.ranks", lambda ir: replace(ir, tasks=at(ir.tasks, 0, ranks=(1, 0)))),
    ("structure.ranks", lambda ir: gathering(ir, participants=(1, 0))),
    ("structure.alignment", lambda ir: replace(ir, buffers=at(ir.buffers, 0, alignment=3))),
    ("structure.ssa", lambda ir: replace(ir, tasks=at(ir.tasks, 0, outputs=ir.tasks[1].outputs))),
    ("structure.order", lambda ir: replace(ir, tasks=swapped(ir.tasks))),
    ("structure.value_order", lambda ir: replace(ir, buffers=swapped(ir.buffers))),
    ("structure.cycle", lambda ir: replace(ir, tasks=at(ir.tasks, 0, dependencies=(ir.tasks[-1].id,)))),
]


def codes(snapshot: Any) -> set[str]:
    """The codes of all faults; each says where in the snapshot it lies."""
    faults = structural_faults(snapshot)
    assert homeless(snapshot, faults) == []
    return {fault.code for fault in faults}


def test_the_good_snapshots_have_no_fault(good: Good) -> None:
    assert not codes(good.model)
    assert not codes(good.distributed)
    assert not codes(good.portable)


@pytest.mark.parametrize(("code", "change"), MODEL)
def test_model(good: Good, code: str, change: Change) -> None:
    assert code in codes(change(good.model))


@pytest.mark.parametrize(("code", "change"), DISTRIBUTED)
def test_distributed(good: Good, code: str, change: Change) -> None:
    assert code in codes(change(good.distributed))


@pytest.mark.parametrize(("code", "change"), PORTABLE)
def test_portable(good: Good, code: str, change: Change) -> None:
    assert code in codes(change(good.portable))


def test_one_mesh_axis_divides_one_axis_of_a_tensor_though_the_shards_would_cover_it(good: Good) -> None:
    place = next(at for at, each in enumerate(good.distributed.values) if len(each.axes) > 1)
    value = good.distributed.values[place]
    twice = {"split": value.axes[:2], "shape": (4,) * len(value.axes), "local_shape": (2, 2, 4, 4)[: len(value.axes)]}
    changed = replace(good.distributed, values=at(good.distributed.values, place, **twice))
    faults = structural_faults(changed)
    assert [(fault.code, fault.path) for fault in faults] == [("structure.sharding", value.name)]


def test_a_tensor_is_not_split_along_an_axis_of_another(good: Good) -> None:
    place = next(at for at, each in enumerate(good.distributed.values) if each.split)
    value = good.distributed.values[place]
    foreign = next(axis for axis in Axis if axis not in value.axes)
    changed = replace(good.distributed, values=at(good.distributed.values, place, split=(foreign,)))
    assert [(fault.code, fault.path) for fault in structural_faults(changed)] == [("structure.sharding", value.name)]


def test_the_group_may_be_of_any_stage_of_a_pipeline(good: Good) -> None:
    for ranks in ((0, 1), (2, 3), (4, 5)):
        mesh = replace(good.distributed.mesh, pipeline=3, ranks=ranks)
        assert structural_faults(replace(good.distributed, mesh=mesh)) == []


@pytest.mark.parametrize("stage", ["model", "distributed", "portable"])
def test_a_snapshot_is_read_as_it_was_written(good: Good, stage: str) -> None:
    snapshot = getattr(good, stage)
    assert decode(encode(snapshot), type(snapshot)) == snapshot
