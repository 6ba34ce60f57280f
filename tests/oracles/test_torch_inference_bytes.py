"""Bytes that every operation of a step reads and writes equal PyTorch's, or differ by exactly what CONVENTIONS says.

PyTorch's are unfused: every operand once, every result once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from blueprint.ir.common import Role
from blueprint.ir.distributed import EffectKind
from tests.oracles.cases import Case, cases
from tests.oracles.derived import MATMULS
from tests.oracles.inferred import KINDS, Step, effects, emitted_step, step_of, tasks, uncovered

CASES = [case for case in cases("torch_op_bytes") if case.values[0]["phase"] in {"inference", "prefill", "decode"}]

FIELDS = {"id", "phase", "b", "q", "c", "H", "F", "h", "kv_heads", "d", "t", "e", "ops"}


def _nothing(step: Step) -> int:
    del step
    return 0


@dataclass(frozen=True)
class Convention:
    """What PyTorch reads and writes more than ours (less, if negative), in bytes, and why."""

    reason: str
    read: Callable[[Step], int] = _nothing
    write: Callable[[Step], int] = _nothing


STATISTICS = Convention(
    "PyTorch writes the mean and the reciprocal deviation of every row, in fp32; ours counts no statistics",
    write=lambda step: 2 * 4 * step.b * step.q,
)
CONVENTIONS: dict[str, Convention] = {
    "qkv": Convention(
        "PyTorch's q, k, v is one product and reads its input once; ours are three and read it three times",
        read=lambda step: -2 * step.b * step.q * step.H * step.e,
    ),
    "layernorm1": STATISTICS,
    "layernorm2": STATISTICS,
}
"""PyTorch's operation -> the whole difference between the two counts. What is not listed is equal."""


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Case | None:
    """A case; None once it is seen to be refused, since no law covers it."""
    found: Case = request.param
    assert set(found) - {"gated"} == FIELDS
    return None if uncovered(step_of(found), tmp_path, capsys, gated=found.get("gated", False)) else found


def test_there_are_cases() -> None:
    assert CASES


def test_bytes_equal_torch_but_for_the_conventions(case: Case | None) -> None:
    if case is None:
        return
    step = step_of(case)
    emitted = emitted_step(step)
    ours, torch = {}, {}
    for name, _, read, write, operations in case["ops"]:
        found = tasks(emitted, KINDS[name])
        assert len(found) == len(KINDS[name])
        convention = CONVENTIONS.get(name, Convention(""))
        matmul = all(task.primitive in MATMULS for task in found)
        ours[name] = (
            sum(task.work.read_bytes for task in found) + convention.read(step),
            sum(task.work.write_bytes for task in found) + convention.write(step),
            # Elementwise work is a convention of its own, and PyTorch counts none.
            sum(task.work.operations for task in found) if matmul else 0,
        )
        torch[name] = (read, write, operations)
    assert len(torch) == len(case["ops"])
    assert ours == torch


def test_what_torch_reads_of_keys_and_values_is_what_ours_reads_of_the_caches(case: Case | None) -> None:
    """Of a product with a cache, the other operand is what it reads besides."""
    if case is None:
        return
    emitted = emitted_step(step_of(case))
    sizes = {each.source_value: each for each in emitted.portable.buffers}
    for name, _, read, _, _ in (each for each in case["ops"] if each[0] in {"qk", "av"}):
        (found,) = tasks(emitted, KINDS[name])
        other = sum(sizes[value].size for value in found.inputs if sizes[value].role is not Role.KV_CACHE)
        assert effects([found], EffectKind.KV_READ) == read - other
        assert len(found.effects) == 1


def test_every_kind_of_operation_is_compared(case: Case | None) -> None:
    """So that a row lost from the table of names is noticed."""
    if case is None:
        return
    assert {each[0] for each in case["ops"]} >= {"qkv", "qk", "softmax", "av", "out_proj", "fc1", "gelu", "fc2"}


def test_every_convention_is_a_difference_that_some_case_shows() -> None:
    """But the statistics of norms, which are shown by the cases of training."""
    shown = {each[0]: step_of(case.values[0]) for case in CASES for each in case.values[0]["ops"]}
    for name, convention in CONVENTIONS.items():
        assert convention.reason
        assert name in shown or convention is STATISTICS
        assert name not in shown or convention.read(shown[name]) or convention.write(shown[name])
