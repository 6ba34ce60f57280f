"""One step of inference does what PyTorch's FLOP counter gives, and holds what its tensors hold, to the last digit.

The counter counts matrix products alone; elementwise work is a convention of its own.
"""

from __future__ import annotations

from math import prod
from pathlib import Path

import pytest

from blueprint.ir.common import Branch
from blueprint.ir.distributed import EffectKind
from tests.oracles.cases import Case, cases
from tests.oracles.derived import Derived
from tests.oracles.inferred import (
    KINDS,
    QKV,
    Step,
    buffer_bytes,
    effects,
    emitted_step,
    inferred,
    memory,
    parameter_bytes,
    products,
    step_of,
    tasks,
    uncovered,
)

CASES = cases("torch_inference_block_flops")

PRODUCTS = ("qkv", "qk", "av", "out_proj", "fc1", "fc2")
LINEARS = ("qkv", "out_proj", "fc1", "fc2")

FIELDS = {"id", "phase", "b", "q", "c", "H", "F", "h", "kv_heads", "d", "t", "gated", "e"}
RESULTS = {
    "flops",
    "flops_total",
    "score_elems",
    "kv_cache_bytes_after",
    "kv_append_bytes",
    "qkv_out_bytes",
    "score_bytes",
    "ff_out_bytes",
    "resid_bytes",
    "weight_bytes",
}
CACHES = ("key_projection.cache", "value_projection.cache")


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Case | None:
    """A case; None once it is seen to be refused, since no law covers it."""
    found: Case = request.param
    assert set(found) == FIELDS | RESULTS
    return None if uncovered(step_of(found), tmp_path, capsys, gated=found["gated"]) else found


def test_cases_of_both_branches_are_covered_and_one_is_not() -> None:
    shown = [each.values[0] for each in CASES]
    classical = [each for each in shown if not each["gated"] and each["kv_heads"] == each["h"]]
    assert {step_of(each).branch for each in classical} == {Branch.PREFILL, Branch.FINAL_DECODE}
    assert len(classical) < len(shown)


def test_every_product_does_what_torch_counts(case: Case | None) -> None:
    if case is None:
        return
    emitted = emitted_step(step_of(case))
    assert {name: products(emitted, KINDS[name]) for name in PRODUCTS} == case["flops"]
    # The total is over all products, whatever their source: none stands beside those above.
    assert products(emitted) == case["flops_total"] == sum(case["flops"].values())


def test_every_tensor_has_the_bytes_that_torch_has(case: Case | None) -> None:
    if case is None:
        return
    emitted = emitted_step(step_of(case))
    scores = next(each for each in emitted.distributed.values if each.name == "scores.forward")
    assert prod(scores.local_shape) == case["score_elems"]
    assert buffer_bytes(emitted, ["scores.forward"]) == case["score_bytes"]
    assert buffer_bytes(emitted, ["up_projection.forward"]) == case["ff_out_bytes"]
    assert buffer_bytes(emitted, ["x.forward"]) == case["resid_bytes"] == memory(emitted).boundary
    assert buffer_bytes(emitted, ["mlp_residual.forward"]) == case["resid_bytes"]
    weights = {name: [f"{kind.value}.weight.forward" for kind in KINDS[name]] for name in LINEARS}
    assert {name: buffer_bytes(emitted, each) for name, each in weights.items()} == case["weight_bytes"]


def test_all_parameters_are_the_weights_norms_and_biases(case: Case | None) -> None:
    """Without biases, what a rank holds beside PyTorch's matrices are the gain and bias of two norms."""
    if case is None:
        return
    step = step_of(case)
    emitted = inferred(step.request(biases=False))[step.branch]
    matrices = sum(case["weight_bytes"].values())
    assert memory(emitted).weights == matrices + 4 * step.H * step.e
    assert memory(emitted).parameters * step.e == memory(emitted).weights
    assert parameter_bytes(emitted, tasks(emitted, [kind for name in LINEARS for kind in KINDS[name]])) == matrices


def test_the_caches_hold_what_torch_has_after_the_step(case: Case | None) -> None:
    if case is None:
        return
    emitted = emitted_step(step_of(case))
    everything = emitted.distributed.tasks
    assert memory(emitted).kv == buffer_bytes(emitted, CACHES) == case["kv_cache_bytes_after"]
    # Scores and context read one cache each, whole.
    assert effects(everything, EffectKind.KV_READ) == case["kv_cache_bytes_after"]
    projections = tasks(emitted, QKV[1:])
    assert effects(everything, EffectKind.KV_WRITE) == effects(projections, EffectKind.KV_WRITE)
    assert effects(projections, EffectKind.KV_WRITE) == case["kv_append_bytes"]
    assert sum(task.work.write_bytes for task in projections) == case["kv_append_bytes"]
    assert sum(task.work.write_bytes for task in tasks(emitted, QKV)) == case["qkv_out_bytes"]


def test_the_workspace_is_the_stream_and_the_largest_of_torchs_tensors(case: Case | None) -> None:
    if case is None:
        return
    arms = (case["qkv_out_bytes"], case["score_bytes"], case["ff_out_bytes"])
    assert memory(emitted_step(step_of(case))).workspace == case["resid_bytes"] + max(arms)


def test_the_last_step_does_not_depend_on_how_the_prompt_was_cut(case: Case | None) -> None:
    """Nor the prompt on what comes after it, since each branch is one step."""
    if case is None:
        return
    step = step_of(case)
    longest = inferred(step.request(prompt=step.c))
    assert _work(longest[step.branch]) == _work(emitted_step(step))
    longer = Step(**{**step._asdict(), "c": step.c + 1})
    after = inferred(longer.request(prompt=step.c))
    assert _work(after[Branch.PREFILL]) == _work(longest[Branch.PREFILL])
    assert _work(after[Branch.FINAL_DECODE]) != _work(longest[Branch.FINAL_DECODE])


def _work(emitted: Derived) -> list[object]:
    """What a branch's plan says, without ids, which are rooted in the request."""
    plan = emitted.portable
    tasks_ = [(task.name, task.work, [(each.kind, each.size) for each in task.effects]) for task in plan.tasks]
    return [plan.memory, *tasks_, *((each.name, each.size, each.storage) for each in plan.buffers)]
