"""Operations, weights, activations and cache traffic of every operation equal LLM-Viewer's, but for the CONVENTIONS.

One case is both branches: a prompt of its context's length, and one new token that sees so many.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from blueprint.ir.common import Branch
from blueprint.ir.distributed import EffectKind
from blueprint.ir.model import OperationKind
from tests.oracles.cases import Case, cases
from tests.oracles.derived import Derived
from tests.oracles.inferred import Step, effects, inferred, memory, parameter_bytes, tasks, uncovered

CASES = cases("llm_viewer_cases")

COLUMNS = ["OPs", "load_weight", "load_act", "store_act", "load_kv_cache", "store_kv_cache"]
FIELDS = {"id", "cfg", "b", "context", "flash", "columns", "per_layer", "kv_cache_bytes"}
BRANCHES = {"prefill": Branch.PREFILL, "decode": Branch.FINAL_DECODE}

KINDS = {
    "q_proj": OperationKind.QUERY_PROJECTION,
    "k_proj": OperationKind.KEY_PROJECTION,
    "v_proj": OperationKind.VALUE_PROJECTION,
    "out_proj": OperationKind.OUTPUT_PROJECTION,
    "up_proj": OperationKind.UP_PROJECTION,
    "down_proj": OperationKind.DOWN_PROJECTION,
    "qk_matmul": OperationKind.SCORES,
    "softmax": OperationKind.SOFTMAX,
    "sv_matmul": OperationKind.CONTEXT,
    "attn_norm": OperationKind.ATTENTION_NORM,
    "mlp_norm": OperationKind.MLP_NORM,
    "attn_add": OperationKind.ATTENTION_RESIDUAL,
    "mlp_add": OperationKind.MLP_RESIDUAL,
}
"""LLM-Viewer's operations -> ours."""

OUTSIDE = {
    "gate_proj": "gated networks have no law yet",
    "mlp_act": "a gate's activation; LLM-Viewer counts H columns of it where there are F",
    "lm_head": "the logits are outside a block's scope",
    "fused_attention": "fused attention is an alternative that a binding may choose, never assumed",
}
"""Operations that are not compared, and why."""

CORE = {"qk_matmul", "softmax", "sv_matmul"}
"""What a fused kernel does in one."""


def _nothing(step: Step) -> int:
    del step
    return 0


@dataclass(frozen=True)
class Convention:
    """What LLM-Viewer counts more than ours (less, if negative), and why."""

    reason: str
    operations: Callable[[Step], int] = _nothing
    weights: Callable[[Step], int] = _nothing
    read: Callable[[Step], int] = _nothing


NORM = Convention(
    "seven operations an element where a layer norm has nine, and gain and bias are not read",
    operations=lambda step: -2 * step.b * step.q * step.H,
    weights=lambda step: -2 * step.H * step.e,
)
SUM = Convention("one of the two addends is not read", read=lambda step: -step.b * step.q * step.H * step.e)
CONVENTIONS = {"attn_norm": NORM, "mlp_norm": NORM, "attn_add": SUM, "mlp_add": SUM}
"""Operation -> the whole difference between the two counts. What is not listed is equal."""


def step_of(case: Case, branch: Branch) -> Step:
    """A case's step on one device, with two bytes an element."""
    cfg = case["cfg"]
    heads, hidden = cfg["num_attention_heads"], cfg["hidden_size"]
    return Step(
        b=case["b"],
        q=case["context"] if branch is Branch.PREFILL else 1,
        c=case["context"],
        H=hidden,
        F=cfg["intermediate_size"],
        h=heads,
        k=cfg["num_key_value_heads"],
        d=hidden // heads,
        t=1,
    )


def row(emitted: Derived, kind: OperationKind) -> list[int]:
    """Our operation in LLM-Viewer's columns: what is no weight and no cache is an activation."""
    found = tasks(emitted, [kind])
    (task,) = found
    weights = parameter_bytes(emitted, found)
    read, appended = effects(found, EffectKind.KV_READ), effects(found, EffectKind.KV_WRITE)
    work = task.work
    stored = work.write_bytes - appended
    return [work.operations, weights, work.read_bytes - weights - read, stored, read, appended]


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Case | None:
    """A case; None once it is seen to be refused, since no law covers it."""
    found: Case = request.param
    assert set(found) == FIELDS
    assert found["columns"] == COLUMNS
    return None if uncovered(step_of(found, Branch.PREFILL), tmp_path, capsys) else found


@pytest.mark.parametrize("phase", BRANCHES)
def test_every_operation_is_llm_viewers_but_for_the_conventions(phase: str, case: Case | None) -> None:
    if case is None:
        return
    branch = BRANCHES[phase]
    step = step_of(case, branch)
    emitted = inferred(step_of(case, Branch.PREFILL).request(prompt=case["context"], biases=False))[branch]
    listed = {name: numbers for name, numbers in case["per_layer"][phase].items() if name not in OUTSIDE}
    ours = {}
    for name in listed:
        convention = CONVENTIONS.get(name, Convention(""))
        more = [convention.operations(step), convention.weights(step), convention.read(step), 0, 0, 0]
        ours[name] = [mine + other for mine, other in zip(row(emitted, KINDS[name]), more, strict=True)]
    assert ours == listed


@pytest.mark.parametrize("phase", BRANCHES)
def test_every_operation_is_compared_or_has_a_reason(phase: str, case: Case | None) -> None:
    if case is None:
        return
    listed = set(case["per_layer"][phase])
    fused = CORE if case["flash"] else set()
    assert set(KINDS) - fused <= listed <= set(KINDS) | set(OUTSIDE)
    assert all(OUTSIDE.values())


@pytest.mark.parametrize("phase", BRANCHES)
def test_a_fused_kernel_does_the_operations_of_the_core(phase: str, case: Case | None) -> None:
    """Its bytes are its own; the operations of an alternative are never others."""
    if case is None or not case["flash"]:
        return
    emitted = inferred(step_of(case, Branch.PREFILL).request())[BRANCHES[phase]]
    core = sum(task.work.operations for task in tasks(emitted, [KINDS[name] for name in CORE]))
    assert core == case["per_layer"][phase]["fused_attention"][0]


def test_the_caches_of_all_layers_are_llm_viewers(case: Case | None) -> None:
    if case is None:
        return
    for emitted in inferred(step_of(case, Branch.PREFILL).request()).values():
        # Both branches see the whole context: the prompt is as long.
        assert memory(emitted).kv * case["cfg"]["num_hidden_layers"] == case["kv_cache_bytes"]


def test_some_case_is_covered_and_every_convention_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = [step_of(case.values[0], branch) for case in CASES for branch in BRANCHES.values()]
    covered = [step for step in steps if not uncovered(step, tmp_path, capsys)]
    assert covered
    for convention in CONVENTIONS.values():
        assert convention.reason
        for step in covered:
            assert convention.operations(step) or convention.weights(step) or convention.read(step)
