"""What recompute adds equals what PyTorch's checkpoint adds, selective and full, to the last digit.

Ours redo the whole region. PyTorch's early stop leaves out the last product of the attention core; what it gives is
compared too, with the scores alone.
"""

from __future__ import annotations

import pytest

from blueprint.ir.common import Phase
from blueprint.ir.model import OperationKind
from blueprint.ir.request import Communication, Recompute
from tests.oracles.cases import Case, cases, has_fields, refused, request_of
from tests.oracles.derived import MATMULS, Derived, derived

CASES = cases("torch_recompute_flops")

FORWARD_AND_BACKWARD = (Phase.FORWARD, Phase.ACTIVATION_GRADIENT, Phase.WEIGHT_GRADIENT)
ADDED = {Recompute.NONE: None, Recompute.SELECTIVE: "extra_attn_only", Recompute.FULL: "extra_full"}


def _operations(emitted: Derived, *phases: Phase, kinds: tuple[OperationKind, ...] = ()) -> int:
    return sum(task.work.operations for task in emitted.tasks(phases, MATMULS, kinds))


def test_there_are_cases() -> None:
    assert CASES


@pytest.mark.parametrize("communication", Communication)
@pytest.mark.parametrize("recompute", Recompute)
@pytest.mark.parametrize("case", CASES)
def test_recompute_adds_what_torch_counts(case: Case, recompute: Recompute, communication: Communication) -> None:
    extras = ("extra_attn_only", "extra_attn_only_early_stop", "extra_full", "extra_full_early_stop")
    assert has_fields(case, "fw_plus_bw", *extras)
    if refused(case, communication):
        return
    emitted = derived(request_of(case, communication, recompute))
    field = ADDED[recompute]
    assert _operations(emitted, Phase.RECOMPUTE) == (case[field] if field else 0)
    assert _operations(emitted, *FORWARD_AND_BACKWARD) == case["fw_plus_bw"]
    assert _operations(emitted, Phase.RECOMMUNICATION) == 0


@pytest.mark.parametrize("case", CASES)
def test_the_early_stop_leaves_out_the_second_product(case: Case) -> None:
    if refused(case, Communication.ALL_REDUCE):
        return
    emitted = derived(request_of(case, Communication.ALL_REDUCE, Recompute.SELECTIVE))
    scores = _operations(emitted, Phase.RECOMPUTE, kinds=(OperationKind.SCORES,))
    context = _operations(emitted, Phase.RECOMPUTE, kinds=(OperationKind.CONTEXT,))
    assert scores == case["extra_attn_only_early_stop"]
    assert scores + context == case["extra_attn_only"]
