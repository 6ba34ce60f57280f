"""The derived collectives are those that PyTorch's tensor-parallel styles issue: kind, bytes on a rank, and order.

The order is that of data flow: every two collectives of a pass depend on one another, so there is only one.
"""

from __future__ import annotations

import pytest

from blueprint.ir.common import Phase
from blueprint.ir.distributed import CollectiveKind, Task, TaskKind
from blueprint.ir.request import Communication
from tests.oracles.cases import Case, cases, has_fields, refused, request_of
from tests.oracles.derived import Derived, derived

CASES = cases("torch_tp_collectives")

KINDS = {
    "all_reduce": CollectiveKind.ALL_REDUCE,
    "all_gather_into_tensor": CollectiveKind.ALL_GATHER,
    "reduce_scatter_tensor": CollectiveKind.REDUCE_SCATTER,
}

Row = tuple[CollectiveKind, int, int]
"""Kind, input bytes and output bytes on one rank."""


def _communication(case: Case) -> Communication:
    return Communication.SEQUENCE_PARALLEL if case["seq_par"] else Communication.ALL_REDUCE


def _collectives(emitted: Derived, phase: Phase) -> list[Task]:
    return emitted.chain(task for task in emitted.tasks((phase,)) if task.kind is TaskKind.COLLECTIVE)


def _bytes(emitted: Derived, identifiers: tuple[str, ...]) -> int:
    """Bytes on one rank of the values that a collective reads or writes, from their local shapes."""
    total = 0
    for value in (emitted.values[each] for each in identifiers):
        size = value.dtype.width
        for axis in value.local_shape:
            size *= axis
        total += size
    return total


def _row(emitted: Derived, task: Task) -> Row:
    assert task.collective
    row = (task.collective.kind, _bytes(emitted, task.inputs), _bytes(emitted, task.outputs))
    assert (task.work.read_bytes, task.work.write_bytes) == row[1:]
    return row


def _rows(case: Case, direction: str) -> list[Row]:
    """The oracle's rows. Three separate projections communicate three times where our joined value does once."""
    rows = [(KINDS[kind], read, written) for kind, read, written in case[direction]]
    if case["fused_qkv"]:
        return rows
    # Forward, they gather their input first of all; backward, its gradients are reduced last of all.
    thrice = rows[:3] if direction == "forward" else rows[-3:]
    repeated = len(rows) in {4, 6} and len(thrice) == 3 and len(set(thrice)) == 1
    if not repeated:
        return rows
    return rows[2:] if direction == "forward" else rows[:-2]


def test_there_are_cases_of_both_ways() -> None:
    assert {case.values[0]["seq_par"] for case in CASES} == {False, True}


@pytest.mark.parametrize("case", CASES)
def test_collectives_are_those_of_torch(case: Case) -> None:
    assert has_fields(case, "seq_par", "fused_qkv", "forward", "backward", "full_activation_bytes")
    if refused(case, _communication(case)):
        return
    emitted = derived(request_of(case, _communication(case)))
    for direction, phase in (("forward", Phase.FORWARD), ("backward", Phase.ACTIVATION_GRADIENT)):
        tasks = _collectives(emitted, phase)
        assert [_row(emitted, task) for task in tasks] == _rows(case, direction)
        assert {task.work.message_bytes for task in tasks} <= {case["full_activation_bytes"]}


@pytest.mark.parametrize("case", CASES)
def test_every_message_is_the_full_activation(case: Case) -> None:
    """In every phase, the side of a collective that holds the full tensor, without a ring factor."""
    if refused(case, _communication(case)):
        return
    emitted = derived(request_of(case, _communication(case)))
    collectives = [task for task in emitted.distributed.tasks if task.kind is TaskKind.COLLECTIVE]
    assert bool(collectives) is (case["t"] > 1)
    for task in collectives:
        assert task.collective
        assert task.collective.message_bytes == task.work.message_bytes == case["full_activation_bytes"]
        assert max(task.work.read_bytes, task.work.write_bytes) == case["full_activation_bytes"]
    others = [task for task in emitted.distributed.tasks if task.kind is not TaskKind.COLLECTIVE]
    assert {task.work.message_bytes for task in others} == {0}


@pytest.mark.parametrize("case", CASES)
def test_only_a_kept_shard_is_gathered_again(case: Case) -> None:
    """A convention apart: PyTorch keeps the gathered inputs, ours keep the shards, and gather both of them again."""
    if refused(case, _communication(case)):
        return
    emitted = derived(request_of(case, _communication(case)))
    full = case["full_activation_bytes"]
    gathers = [(CollectiveKind.ALL_GATHER, full // case["t"], full)] * 2
    again = emitted.tasks((Phase.RECOMMUNICATION,))
    assert [_row(emitted, task) for task in again] == (gathers if case["seq_par"] and case["t"] > 1 else [])


@pytest.mark.parametrize(
    ("direction", "separate", "joined"),
    [
        ("forward", "GGGSGS", "GSGS"),
        ("backward", "GSGSSS", "GSGS"),
        ("forward", "RR", "RR"),
        ("backward", "RRRR", "RR"),
        ("forward", "GSGS", "GSGS"),
        ("backward", "GSGS", "GSGS"),
        ("backward", "RRRRR", "RRRRR"),
        ("forward", "GGGGGS", "GGGS"),
    ],
)
def test_three_projections_are_joined_where_the_attention_begins(direction: str, separate: str, joined: str) -> None:
    sizes = {
        "G": ("all_gather_into_tensor", 2, 4),
        "S": ("reduce_scatter_tensor", 4, 2),
        "R": ("all_reduce", 4, 4),
    }
    row = {letter: (KINDS[kind], read, written) for letter, (kind, read, written) in sizes.items()}
    rows = [sizes[letter] for letter in separate]
    case = {"fused_qkv": False, direction: rows}
    assert _rows(case, direction) == [row[letter] for letter in joined]
    assert _rows(case | {"fused_qkv": True}, direction) == [row[letter] for letter in separate]


# That the order is looked at ----------------------------------------------------------------------------------------


def test_an_order_that_data_flow_does_not_force_is_refused() -> None:
    case = next(case.values[0] for case in CASES if case.values[0]["seq_par"])
    emitted = derived(request_of(case, Communication.SEQUENCE_PARALLEL))
    free = [task for task in emitted.tasks((Phase.FORWARD,)) if task.name.startswith(("query_", "key_"))]
    assert len(free) == 2
    with pytest.raises(AssertionError):
        emitted.chain(free)


def test_the_order_does_not_come_from_the_array() -> None:
    case = next(case.values[0] for case in CASES if case.values[0]["seq_par"])
    emitted = derived(request_of(case, Communication.SEQUENCE_PARALLEL))
    tasks = _collectives(emitted, Phase.ACTIVATION_GRADIENT)
    assert len(tasks) == 4
    assert emitted.chain(reversed(tasks)) == tasks == emitted.chain(sorted(tasks, key=lambda task: task.id))
