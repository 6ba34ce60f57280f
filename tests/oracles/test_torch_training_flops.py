"""Derived matmul work equals what PyTorch's FLOP counter gives, operation by operation, to the last digit.

Elementwise work is a convention of its own: the counter gives 0 for softmax and GELU, and it is not compared.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from blueprint.ir.common import Phase
from blueprint.ir.model import OperationKind
from blueprint.ir.request import Communication
from tests.oracles.cases import Case, cases, has_fields, refused, request_of
from tests.oracles.derived import MATMULS, Derived, derived

CASES = cases("torch_training_block_flops")

KINDS = {
    "qkv": (OperationKind.QUERY_PROJECTION, OperationKind.KEY_PROJECTION, OperationKind.VALUE_PROJECTION),
    "qk": (OperationKind.SCORES,),
    "av": (OperationKind.CONTEXT,),
    "out_proj": (OperationKind.OUTPUT_PROJECTION,),
    "fc1": (OperationKind.UP_PROJECTION,),
    "fc2": (OperationKind.DOWN_PROJECTION,),
}
"""The counter's matmuls -> ours. Its fused q, k, v projection is three of ours."""

UNCOUNTED = {"softmax", "gelu"}
BACKWARD = (Phase.ACTIVATION_GRADIENT, Phase.WEIGHT_GRADIENT)


def _operations(emitted: Derived, phases: Iterable[Phase], kinds: Iterable[OperationKind] = ()) -> int:
    return sum(task.work.operations for task in emitted.tasks(tuple(phases), MATMULS, tuple(kinds)))


def test_there_are_cases() -> None:
    assert len(CASES) >= 3


@pytest.mark.parametrize("communication", Communication)
@pytest.mark.parametrize("case", CASES)
def test_every_matmul_does_what_torch_counts(case: Case, communication: Communication) -> None:
    assert has_fields(case, "fw", "bw", "fw_total", "bw_total")
    assert set(case["fw"]) == set(case["bw"]) == set(KINDS) | UNCOUNTED
    if refused(case, communication):
        return
    emitted = derived(request_of(case, communication))
    for counted, phases in (("fw", (Phase.FORWARD,)), ("bw", BACKWARD)):
        ours = {name: _operations(emitted, phases, kinds) for name, kinds in KINDS.items()}
        assert ours | dict.fromkeys(UNCOUNTED, 0) == case[counted]
        # The total is over all matmuls, whatever their source: none stands beside those above.
        assert _operations(emitted, phases) == case[f"{counted}_total"] == sum(case[counted].values())


@pytest.mark.parametrize("case", CASES)
def test_the_backward_work_is_in_the_right_phase(case: Case) -> None:
    """A projection's two gradients are one product each; a product of two activations has both in one phase."""
    if refused(case, Communication.ALL_REDUCE):
        return
    emitted = derived(request_of(case, Communication.ALL_REDUCE))
    for name, kinds in KINDS.items():
        activation, weight = (_operations(emitted, (phase,), kinds) for phase in BACKWARD)
        forward = case["fw"][name]
        assert (activation, weight) == ((2 * forward, 0) if name in {"qk", "av"} else (forward, forward))
