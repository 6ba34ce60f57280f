"""What a request lists of ranks is bounded before any of it is made, and by what is made."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import msgspec
import pytest

from blueprint.codec import VALUE_LIMIT
from blueprint.errors import DomainError
from blueprint.frontend.block import model_ir
from blueprint.frontend.models import builtin
from blueprint.frontend.request import EXCHANGES, inference_request, least_ranks, training_request
from blueprint.ir.common import Branch
from blueprint.ir.distributed import Collective, DistributedTaskIR, DistributedValue, Task
from blueprint.ir.portable import PlanTask, PortablePlanIR
from blueprint.ir.request import Communication, ModelFacts, Recompute, Request, Scope, branches_of
from blueprint.passes.distribute_inference import DistributeTransformerInferencePass
from blueprint.passes.distribute_training import DistributeTransformerTrainingPass
from blueprint.passes.plan_inference import PlanTransformerInferencePass
from blueprint.passes.plan_training import PlanTransformerTrainingPass
from blueprint.passes.protocol import PassContext
from tests.bundles.conftest import TINY

LAYERS = 3
RANKS = (1, 4)
SHARED = ((1, 0), *((11, zero) for zero in range(len(EXCHANGES))))
"""Data degrees and ZeRO stages."""


def facts(*, biases: bool, layers: int = LAYERS) -> ModelFacts:
    return msgspec.structs.replace(TINY, biases=biases, layers=layers)


def training() -> Iterator[Request]:
    """Every kind of training step, on one rank and on several."""
    ways = itertools.product((False, True), Recompute, Communication, Scope, SHARED, RANKS)
    for biases, recompute, communication, scope, (data, zero), tensor in ways:
        yield training_request(
            facts(biases=biases),
            sequence=8,
            tensor=tensor,
            data=data,
            zero=zero,
            recompute=recompute,
            communication=communication,
            scope=scope,
        )


def inference() -> Iterator[Request]:
    """Every kind of generation."""
    for biases, scope, tensor in itertools.product((False, True), Scope, RANKS):
        yield inference_request(facts(biases=biases), prompt=4, context=8, tensor=tensor, scope=scope)


def plans(request: Request, branch: Branch) -> tuple[DistributedTaskIR, PortablePlanIR]:
    context = PassContext(request, "0" * 64, branch)
    model = model_ir(request)
    if branch is Branch.MAIN:
        tasks = DistributeTransformerTrainingPass().run(model, context)
        return tasks, PlanTransformerTrainingPass().run(tasks, context)
    tasks = DistributeTransformerInferencePass().run(model, context)
    return tasks, PlanTransformerInferencePass().run(tasks, context)


def listed(entity: DistributedValue | Task | PlanTask) -> int:
    collective = getattr(entity, "collective", None)
    return len(entity.ranks) + (len(collective.participants) if isinstance(collective, Collective) else 0)


def counts(tasks: DistributedTaskIR, plan: PortablePlanIR) -> Iterator[int]:
    yield from (listed(each) for each in tasks.values)
    yield from (listed(each) for each in tasks.tasks)
    yield from (listed(each) for each in plan.tasks)


def made(request: Request) -> int:
    """The ranks that the snapshots of a request list, counted in what is derived."""
    return sum(sum(counts(*plans(request, branch))) for branch in branches_of(request.workload))


@pytest.mark.parametrize("requests", [training, inference])
def test_no_less_than_the_bound_is_made_and_not_much_more(requests: Callable[[], Iterator[Request]]) -> None:
    for request in requests():
        assert least_ranks(request) <= made(request) < 2.25 * least_ranks(request), request.strategy


def test_what_is_exchanged_is_counted_exactly() -> None:
    """From one data degree to the next, all that is new is listed in the collectives over these ranks."""
    for zero in range(len(EXCHANGES)):
        fewer, more = (
            training_request(facts(biases=True), sequence=8, data=data, zero=zero, scope=Scope.STACK)
            for data in (11, 111)
        )
        assert made(more) - made(fewer) == least_ranks(more) - least_ranks(fewer) == LAYERS * 200 * EXCHANGES[zero]


@pytest.mark.parametrize("zero", range(len(EXCHANGES)))
def test_the_last_that_is_not_refused_and_the_first_that_is(zero: int) -> None:
    block = 166 * 2 + 2 * EXCHANGES[zero] * 65536
    most = 4_000_000 // block

    def ask(layers: int) -> Request:
        model = facts(biases=False, layers=layers)
        return training_request(model, sequence=8, tensor=2, data=65536, zero=zero, scope=Scope.STACK)

    assert least_ranks(ask(most)) == most * block <= VALUE_LIMIT
    with pytest.raises(DomainError) as caught:
        ask(most + 1)
    assert caught.value.message == (
        f"blocks = {most + 1} with tensor degree t = 2 and data degree D = 65536 list {(most + 1) * block} ranks or"
        " more, and a bundle with more than 4000000 values cannot be read"
    )


def group(tensor: int) -> Request:
    """A block on a group of this size, beside as many data-parallel ranks as there may be."""
    wide = {"hidden": tensor, "feedforward": tensor, "heads": tensor, "key_value_heads": tensor}
    return training_request(msgspec.structs.replace(TINY, **wide), sequence=1, tensor=tensor, data=65536)


def test_a_block_alone_is_refused_for_its_group() -> None:
    """It exchanges nothing over the data-parallel ranks."""
    assert least_ranks(group(24_096)) == 166 * 24_096
    with pytest.raises(DomainError, match=r"^blocks = 1 with tensor degree t = 24097 and data degree D = 65536 list "):
        group(24_097)


def test_what_is_trained_at_scale_is_far_within() -> None:
    """All blocks of GPT-3 175B, and of a trillion parameters, on 8 ranks with 1024 data-parallel ones."""
    trillion = msgspec.structs.replace(TINY, hidden=25600, feedforward=102400, heads=160, key_value_heads=160)
    for model in (builtin("gpt3-175b"), msgspec.structs.replace(trillion, layers=128)):
        request = training_request(model, sequence=2048, tensor=8, data=1024, zero=3, scope=Scope.STACK)
        assert 4 * least_ranks(request) < VALUE_LIMIT
