"""Bytes that every operation reads and writes equal PyTorch's, or differ by exactly what CONVENTIONS says.

PyTorch's are unfused: every operand once, every result once. No row stands for residual sums backward, joined forks
and the optimizer; these tasks are not compared here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from blueprint.ir.common import LineageKind, Phase
from blueprint.ir.distributed import Task
from blueprint.ir.model import OperationKind
from blueprint.ir.request import Communication
from tests.oracles.cases import Case, cases, has_fields, refused, request_of
from tests.oracles.derived import MATMULS, Derived, derived

TRAINING = ("train_forward", "train_backward")

CASES = [case for case in cases("torch_op_bytes") if case.values[0]["phase"] in TRAINING]

QKV = (OperationKind.QUERY_PROJECTION, OperationKind.KEY_PROJECTION, OperationKind.VALUE_PROJECTION)
KINDS = {
    "layernorm1": (OperationKind.ATTENTION_NORM,),
    "layernorm2": (OperationKind.MLP_NORM,),
    "qkv": QKV,
    "qk": (OperationKind.SCORES,),
    "softmax": (OperationKind.SOFTMAX,),
    "attn_dropout": (OperationKind.ATTENTION_DROPOUT,),
    "av": (OperationKind.CONTEXT,),
    "out_proj": (OperationKind.OUTPUT_PROJECTION,),
    "dropout1": (OperationKind.OUTPUT_DROPOUT,),
    "dropout2": (OperationKind.MLP_DROPOUT,),
    "residual1": (OperationKind.ATTENTION_RESIDUAL,),
    "residual2": (OperationKind.MLP_RESIDUAL,),
    "fc1": (OperationKind.UP_PROJECTION,),
    "gelu": (OperationKind.ACTIVATION,),
    "fc2": (OperationKind.DOWN_PROJECTION,),
}
"""PyTorch's operations -> ours."""

ACTIVATION, WEIGHT = (Phase.ACTIVATION_GRADIENT,), (Phase.WEIGHT_GRADIENT,)
PARTS = {"agrad": ACTIVATION, "wgrad": WEIGHT, "d_scores": ACTIVATION, "d_v": ACTIVATION, "d_q": ACTIVATION}
PARTS |= {"d_k": ACTIVATION}
"""The backward parts that PyTorch has an operation of its own for -> our phases."""


def _nothing(case: Case) -> int:
    del case
    return 0


@dataclass(frozen=True)
class Convention:
    """What PyTorch reads and writes more than ours (less, if negative), in bytes, and why."""

    reason: str
    read: Callable[[Case], int] = _nothing
    write: Callable[[Case], int] = _nothing


def _rows(case: Case) -> int:
    return int(case["B"] * case["S"])


def _stream(case: Case) -> int:
    """Bytes of a B S H tensor."""
    return int(_rows(case) * case["H"] * case["e"])


FORWARD_STATISTICS = Convention(
    "PyTorch writes the mean and the reciprocal deviation of every row, in fp32; ours counts no statistics",
    write=lambda case: 2 * 4 * _rows(case),
)
BACKWARD_STATISTICS = Convention(
    "PyTorch reads both statistics, on this device in the element type; ours counts no statistics",
    read=lambda case: 2 * case["e"] * _rows(case),
)
CONVENTIONS: dict[tuple[str, str], Convention] = {
    ("train_forward", "layernorm1"): FORWARD_STATISTICS,
    ("train_forward", "layernorm2"): FORWARD_STATISTICS,
    ("train_backward", "layernorm1"): BACKWARD_STATISTICS,
    ("train_backward", "layernorm2"): BACKWARD_STATISTICS,
    ("train_forward", "qkv"): Convention(
        "PyTorch's q, k, v is one product and reads its input once; ours are three and read it three times",
        read=lambda case: -2 * _stream(case),
    ),
    ("train_backward", "qkv.agrad"): Convention(
        "the one product writes the input's gradient once; ours write three, which a fork sums",
        write=lambda case: -2 * _stream(case),
    ),
    ("train_backward", "qkv.wgrad"): Convention(
        "the one product reads its input once; ours read it three times",
        read=lambda case: -2 * _stream(case),
    ),
}
"""(phase, PyTorch's operation) -> the whole difference between the two counts. What is not listed is equal."""


def _tasks(emitted: Derived, phase: str, name: str) -> list[Task]:
    """Our tasks for one of PyTorch's operations."""
    base, _, part = name.partition(".")
    phases = (Phase.FORWARD,) if phase == "train_forward" else PARTS[part] if part else ACTIVATION + WEIGHT
    # A collective or a fork is generated for the value, not lowered from the operation.
    return [task for task in emitted.tasks(phases, (), KINDS[base]) if task.lineage.kind is LineageKind.LOWERED]


def _joined(case: Case) -> dict[str, tuple[int, int, int]]:
    """PyTorch's rows by operation: bytes read, bytes written, FLOPs.

    The two gradients of a product of activations are two operations there and one task here: they are summed.
    """
    joined: dict[str, tuple[int, int, int]] = {}
    for name, _, read, write, operations in case["ops"]:
        base, _, part = name.partition(".")
        key = f"{base}.agrad" if part.startswith("d_") else name
        before = joined.get(key, (0, 0, 0))
        joined[key] = (before[0] + read, before[1] + write, before[2] + operations)
    return joined


def test_there_are_cases_of_both_phases() -> None:
    assert {case.values[0]["phase"] for case in CASES} == set(TRAINING)


@pytest.mark.parametrize("case", CASES)
def test_bytes_equal_torch_but_for_the_conventions(case: Case) -> None:
    assert has_fields(case, "phase", "ops")
    if refused(case, Communication.ALL_REDUCE):
        return
    emitted = derived(request_of(case, Communication.ALL_REDUCE))
    ours, torch = {}, {}
    for name, (read, write, operations) in _joined(case).items():
        tasks = _tasks(emitted, case["phase"], name)
        assert tasks, name
        convention = CONVENTIONS.get((case["phase"], name), Convention(""))
        matmul = all(task.primitive in MATMULS for task in tasks)
        ours[name] = (
            sum(task.work.read_bytes for task in tasks) + convention.read(case),
            sum(task.work.write_bytes for task in tasks) + convention.write(case),
            # Elementwise work is a convention of its own, and PyTorch counts none.
            sum(task.work.operations for task in tasks) if matmul else 0,
        )
        torch[name] = (read, write, operations)
    assert ours == torch


def test_every_convention_is_a_difference_that_some_case_shows() -> None:
    shown: dict[tuple[str, str], tuple[int, int]] = {}
    for case in (case.values[0] for case in CASES):
        for name in _joined(case):
            key = (case["phase"], name)
            if key in CONVENTIONS:
                shown[key] = (CONVENTIONS[key].read(case), CONVENTIONS[key].write(case))
    unseen = {("train_forward", "layernorm2"), ("train_backward", "layernorm2")}
    assert set(CONVENTIONS) - unseen <= set(shown)
    assert all(any(difference) and CONVENTIONS[key].reason for key, difference in shown.items())


@pytest.mark.parametrize("case", CASES)
def test_every_kind_of_operation_is_compared(case: Case) -> None:
    """So that a row lost from the table of names is noticed."""
    bases = {name.partition(".")[0] for name in _joined(case)}
    assert bases >= {"layernorm1", "qkv", "qk", "softmax", "attn_dropout", "av", "out_proj", "dropout1", "fc1", "gelu"}
    assert bases >= {"fc2"} | ({"residual1"} if case["phase"] == "train_forward" else set())
