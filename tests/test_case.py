"""A request falls into the case that its strategy says, and all cases are there, in words that tell them apart."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec
import pytest

from blueprint.case import Case, Workload, all_cases, case_of, stage_cases, workload_of
from blueprint.frontend.models import builtin
from blueprint.frontend.request import inference_request, training_request
from blueprint.ir.request import Communication, Recompute, Scope

STEP = training_request(builtin("gpt2"), sequence=128)
GENERATION = inference_request(builtin("gpt2"), prompt=16, context=32)


def case(**strategy: Any) -> Case:
    return case_of(msgspec.structs.replace(STEP, strategy=msgspec.structs.replace(STEP.strategy, **strategy)))


@pytest.mark.parametrize(("pipeline", "stage", "receives", "sends"), [
    (1, 0, False, False), (2, 0, False, True), (2, 1, True, False), (3, 1, True, True), (3, 2, True, False),
])  # fmt: skip
def test_a_stage_receives_from_the_one_before_and_sends_to_the_one_after(
    pipeline: int, stage: int, *, receives: bool, sends: bool
) -> None:
    found = case(scope=Scope.STACK, pipeline=pipeline, stage=stage)
    assert (found.stack, found.receives, found.sends) == (True, receives, sends)
    alone = case(scope=Scope.BLOCK, pipeline=pipeline, stage=stage)
    assert (alone.stack, alone.receives, alone.sends) == (False, False, False)


@pytest.mark.parametrize("data", [1, 2])
def test_only_a_stage_has_neighbours_with_other_data(data: int) -> None:
    assert case(scope=Scope.STACK, data=data).data_parallel is (data > 1)
    assert case(scope=Scope.BLOCK, data=data).data_parallel is False


def test_a_case_says_what_its_request_says() -> None:
    for tensor, zero, recompute, communication in itertools.product((1, 2), range(4), Recompute, Communication):
        found = case(tensor=tensor, zero=zero, recompute=recompute, communication=communication)
        assert (found.recompute, found.communication) == (recompute, communication)
        assert (found.tensor_parallel, found.zero) == (tensor > 1, zero)
        assert found.sequence_parallel is (communication is Communication.SEQUENCE_PARALLEL)
        assert found.full_recompute is (recompute is Recompute.FULL)
        assert found.selective_recompute is (recompute is Recompute.SELECTIVE)
        assert (found.sharded_optimizer, found.sharded_gradients, found.sharded_parameters) == (
            zero > 0, zero > 1, zero > 2,
        )  # fmt: skip
        assert not found.sums_whole_gradients


def test_only_a_stage_split_along_the_sequence_on_several_ranks_sums_whole_gradients() -> None:
    for tensor, communication, scope in itertools.product((1, 2), Communication, Scope):
        found = case(tensor=tensor, communication=communication, scope=scope)
        whole = (tensor, communication, scope) == (2, Communication.SEQUENCE_PARALLEL, Scope.STACK)
        assert found.sums_whole_gradients is whole


def test_the_workload_of_a_case_is_that_of_its_request() -> None:
    assert (workload_of(STEP), workload_of(GENERATION)) == (Workload.TRAINING, Workload.INFERENCE)
    assert (case_of(STEP).inference, case_of(GENERATION).inference) == (False, True)
    assert case_of(GENERATION) in all_cases(Workload.INFERENCE)
    assert case_of(STEP) in all_cases(Workload.TRAINING)


def test_all_cases_are_all_combinations() -> None:
    # 3 of recompute, 2 of communication, t = 1 or more, 4 of ZeRO, biases or none; of inference t and biases alone.
    assert len(all_cases(Workload.TRAINING)) == 3 * 2 * 2 * 4 * 2
    assert len(all_cases(Workload.INFERENCE)) == 2 * 2
    assert all_cases() == (*all_cases(Workload.TRAINING), *all_cases(Workload.INFERENCE))
    assert len(set(all_cases())) == len({each.text for each in all_cases()}) == 100
    assert {each.zero for each in all_cases(Workload.TRAINING)} == {each.zero for each in stage_cases()} == {0, 1, 2, 3}
    assert {each.zero for each in all_cases(Workload.INFERENCE)} == {0}
    assert not any(each.stack or each.data_parallel or each.receives or each.sends for each in all_cases())


def test_a_stage_stands_alone_or_between_two_others() -> None:
    stages = stage_cases(Workload.TRAINING)
    assert all(each.stack and each.receives is each.sends for each in stages)
    # The optimizer's state is shared out only among neighbours with other data: 96 / 4 cases have none of it.
    assert len(stages) == len(set(stages)) == 2 * (24 * 2 + 72)
    assert {each.data_parallel for each in stages if each.sharded_optimizer} == {True}
    assert len(stage_cases(Workload.INFERENCE)) == 2 * 4
    assert not any(each.data_parallel for each in stage_cases(Workload.INFERENCE))
    assert stage_cases() == (*stages, *stage_cases(Workload.INFERENCE))


def test_a_case_is_said_in_words() -> None:
    found = case(tensor=2, recompute=Recompute.FULL, communication=Communication.ALL_REDUCE, zero=1)
    assert found.text == "recompute=full, communication=all-reduce, t>1, zero=1, biases"
    assert case_of(GENERATION).text == "inference, t=1, biases"
    assert case(scope=Scope.STACK, data=2, pipeline=2).stage_text.endswith(", biases, D>1, edges")
    assert case(scope=Scope.STACK).stage_text.endswith(", biases, D=1, no edges")
    last = case(scope=Scope.STACK, pipeline=2, stage=1)
    assert last.stage_text.endswith(", D=1, edges")
