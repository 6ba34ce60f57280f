"""Two large models, trained and served, on one to eight ranks, bound to both targets: all five stages, established."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

import blueprint
from blueprint.frontend.models import builtin
from blueprint.frontend.request import inference_request, training_request
from blueprint.ir.common import Stage
from blueprint.ir.request import Attention, Communication, Recompute, Request, TargetKind, branches_of
from blueprint.outcome import Outcome, Status

MODELS = ("gpt3-175b", "megatron-530b")
DEGREES = (1, 2, 4, 8)
JOBS = 2


def trained(model: str, tensor: int, target: TargetKind) -> Request:
    """Selective recompute, and the sequence divided where there is more than one rank."""
    split = Communication.SEQUENCE_PARALLEL if tensor > 1 else Communication.ALL_REDUCE
    return training_request(
        builtin(model),
        sequence=2048,
        tensor=tensor,
        recompute=Recompute.SELECTIVE,
        communication=split,
        target=target,
        emit=True,
    )


def served(model: str, tensor: int, target: TargetKind) -> Request:
    """A prompt of 2,048 tokens and a last step at 4,096; the queue target fuses attention, the slot target does not."""
    attention = Attention.TILED if target is TargetKind.QUEUE else Attention.UNFUSED
    return inference_request(
        builtin(model),
        batch=8,
        prompt=2048,
        context=4096,
        tensor=tensor,
        target=target,
        emit=True,
        attention=attention,
    )


@pytest.mark.parametrize("asked", [trained, served], ids=["training", "inference"])
@pytest.mark.parametrize(("model", "tensor", "target"), tuple(itertools.product(MODELS, DEGREES, TargetKind)))
def test_a_large_model_is_established_through_all_stages(
    asked: Callable[[str, int, TargetKind], Request], model: str, tensor: int, target: TargetKind
) -> None:
    request = asked(model, tensor, target)
    data = blueprint.derive(request, jobs=JOBS)
    assert blueprint.derive(request, jobs=JOBS) == data
    report = blueprint.verify(data, jobs=JOBS)
    assert report.verdict is Outcome.VERIFIED
    claims = [claim.status for each in report.transitions for relation in each.relations for claim in relation.claims]
    assert set(claims) == {Status.PROVED}
    assert {law.status for each in report.transitions for law in each.laws} == {Status.PROVED, Status.NOT_APPLICABLE}
    assert len(report.transitions) == 1 + len(branches_of(request.workload)) * (len(Stage) - 1)
    assert all(not stage.unavailable for stage in report.subject.stages)
