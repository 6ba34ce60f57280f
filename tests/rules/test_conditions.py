"""The conditions under which rules demand a target, in every case of a strategy and at every kind of operation."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from blueprint import rule
from blueprint.case import Case, Workload, all_cases, stage_cases
from blueprint.ir.common import Phase, Primitive
from blueprint.ir.distributed import CollectiveKind, Reduction, TaskKind
from blueprint.ir.request import Communication, Recompute
from blueprint.rule import (
    BoundaryRule,
    Claim,
    Exchange,
    PassRule,
    Ref,
    Slot,
    TaskTarget,
    TensorTarget,
    Version,
    When,
    cases_of,
)
from blueprint.session import open_rulebook

CASES = (*all_cases(), *stage_cases())
CORE = ("scores", "softmax", "attention_dropout", "context")
KINDS = (None, *CORE, "attention_norm", "mlp_norm", "output_projection", "down_projection", "query_projection")
SPLIT, REDUCED = Communication.SEQUENCE_PARALLEL, Communication.ALL_REDUCE
FULL, SELECTIVE = Recompute.FULL, Recompute.SELECTIVE

Meaning = Callable[[Case, str | None], bool]

# Selective recompute computes scores, softmax, dropout and context again, and drops what leaves them (Korthikanti et
# al.); ZeRO divides the optimizer's state from stage 1, gradients from 2 and parameters from 3 (Rajbhandari et al.).
MEANINGS: dict[When, Meaning] = {
    rule.always: lambda case, kind: True,  # noqa: ARG005
    rule.tensor_parallel: lambda case, kind: case.tensor_parallel,  # noqa: ARG005
    rule.sequence_parallel: lambda case, kind: case.tensor_parallel and case.communication is SPLIT,  # noqa: ARG005
    rule.all_reducing: lambda case, kind: case.tensor_parallel and case.communication is REDUCED,  # noqa: ARG005
    rule.recomputed: lambda case, kind: {FULL: kind is not None, SELECTIVE: kind in CORE}.get(case.recompute, False),
    rule.discarded: lambda case, kind: (case.recompute, kind) == (SELECTIVE, "context"),
    rule.made_again: lambda case, kind: {FULL: kind is not None, SELECTIVE: kind in CORE[:3]}.get(
        case.recompute, False
    ),
    rule.data_parallel: lambda case, kind: case.data_parallel,  # noqa: ARG005
    rule.whole_parameters: lambda case, kind: case.data_parallel and case.zero == 0,  # noqa: ARG005
    rule.divided_gradients: lambda case, kind: case.data_parallel and case.zero in {1, 2, 3},  # noqa: ARG005
    rule.divided_update: lambda case, kind: case.data_parallel and case.zero in {1, 2},  # noqa: ARG005
    rule.divided_parameters: lambda case, kind: case.data_parallel and case.zero == 3,  # noqa: ARG005
    rule.sums_whole_gradients: lambda case, kind: (  # noqa: ARG005
        case.stack and case.tensor_parallel and case.communication is SPLIT
    ),
    rule.receives: lambda case, kind: case.receives,  # noqa: ARG005
    rule.sends: lambda case, kind: case.sends,  # noqa: ARG005
    rule.at_entry(rule.tensor_parallel): lambda case, kind: (
        case.tensor_parallel and kind in {"attention_norm", "mlp_norm"}
    ),
    rule.at_exit(rule.tensor_parallel): lambda case, kind: (
        case.tensor_parallel and kind in {"output_projection", "down_projection"}
    ),
    rule.at_entry(rule.recomputed): lambda case, kind: (
        case.recompute is FULL and kind in {"attention_norm", "mlp_norm"}
    ),
    rule.at_exit(rule.recomputed): lambda case, kind: (
        case.recompute is FULL and kind in {"output_projection", "down_projection"}
    ),
    rule.fully_recomputed(rule.recomputed): lambda case, kind: case.recompute is FULL and kind is not None,
    rule.fully_recomputed(rule.at_exit(rule.always)): lambda case, kind: (
        case.recompute is FULL and kind in {"output_projection", "down_projection"}
    ),
}


@pytest.mark.parametrize("condition", MEANINGS, ids=lambda condition: condition.__qualname__)
def test_a_condition_holds_exactly_where_it_means(condition: When) -> None:
    meaning = MEANINGS[condition]
    for case in CASES:
        for kind in KINDS:
            assert condition(case, kind) is meaning(case, kind), (case.stage_text, kind)
    outcomes = {condition(case, kind) for case in CASES for kind in KINDS}
    assert outcomes == ({True} if condition is rule.always else {True, False})


def test_arguments_are_counted_from_0_and_what_is_none_has_no_position() -> None:
    assert [Slot.FIRST.value, Slot.SECOND.value, Slot.THIRD.value] == [0, 1, 2]
    assert len(Slot) == len({each.value for each in Slot}) == 5
    assert max(Slot.RESULT.value, Slot.SOURCE.value) < 0


# What exists of a value, newest first: made again in the backward pass, then as the forward pass exchanged it, then as
# it was computed. A parameter that lies divided over ranks is gathered before it is read.
MEANT: dict[str, tuple[Callable[[Slot], Ref], tuple[str, ...]]] = {
    "a forward consumer": (rule.used, ("communicated", "gathered", "forward")),
    "a later consumer of a parameter": (rule.used_again, ("regathered", "forward")),
    "a step of inference": (rule.held, ("communicated", "cache", "forward")),
    "a backward consumer": (rule.saved, ("recommunicated", "recomputed", "communicated", "forward")),
    "a backward task": (rule.gradient, ("gradient_communicated", "gradient")),
    "who leaves a gradient": (rule.contribution, ("contribution", "gradient")),
    "who adds the gradients": (rule.contributions, ("contribution",)),
}


@pytest.mark.parametrize(("made", "prefer"), MEANT.values(), ids=MEANT)
@pytest.mark.parametrize("slot", Slot)
def test_a_reader_takes_the_newest_version(made: Callable[[Slot], Ref], prefer: tuple[str, ...], slot: Slot) -> None:
    versions = tuple(Version(each) for each in prefer)
    assert made(slot) == Ref(slot, versions, contributions=made is rule.contributions)
    assert rule.version(slot, *versions) == Ref(slot, versions)


def test_a_source_is_any_unless_it_says_which() -> None:
    anything = rule.ValueSource((), None)
    assert (anything.split, anything.consumers, anything.output) == (None, 0, False)
    assert rule.AllParameters() == rule.AllParameters(whole=False)
    assert anything.output is rule.AllParameters().whole is False
    assert rule.Elements(rule.used(Slot.FIRST)).width is False


def test_a_backward_task_reads_the_gradient_of_its_result() -> None:
    assert rule.gradient().slot is Slot.RESULT


def test_a_tensor_is_counted_once_where_nothing_is_said_and_not_at_all_at_0() -> None:
    assert rule.counted((), "abc") == [(1, "a"), (1, "b"), (1, "c")]
    assert rule.counted((2, 0), "abc") == [(2, "a"), (1, "c")]
    assert rule.counted((0, 1, 0, 5), "ab") == [(1, "b")]


def test_every_task_is_asked_for_all_of_it_and_for_the_bytes_of_its_tensors() -> None:
    """What it is, what it reads and writes and how large that is, what it does, where, and what else it changes."""
    every = {
        Claim.OPERATION_IDENTITY, Claim.OPERAND_SIZES, Claim.EXACT_WORK, Claim.DATA_FLOW, Claim.LOGICAL_RANKS,
        Claim.EFFECTS,
    }  # fmt: skip
    assert set(rule.TASK_CLAIMS) == every
    assert set(rule.TRAFFIC_CLAIMS) == {*every, Claim.OPERAND_TRAFFIC}
    tasks = [each for each in open_rulebook(None).rules if isinstance(each, PassRule)]
    tasks = [each for each in tasks if any(isinstance(target, TaskTarget) for target in each.targets)]
    assert all(every <= set(each.claims) for each in tasks)
    without = {each.id for each in tasks if Claim.OPERAND_TRAFFIC not in each.claims}
    # Gradients are moved in a width of their own, and the optimizer's state in another.
    assert without == {"training.optimizer", "stage.gradient_sum", "stage.parameter_exchange"}


def test_every_distributed_value_is_asked_for_its_type_its_role_its_shards_and_its_ranks() -> None:
    every = {Claim.TENSOR_TYPE, Claim.ROLE, Claim.SHARD_COVERAGE, Claim.LOGICAL_RANKS}
    assert set(rule.TENSOR_CLAIMS) == every
    passes = [each for each in open_rulebook(None).rules if isinstance(each, PassRule)]
    tensors = [each for each in passes if any(isinstance(target, TensorTarget) for target in each.targets)]
    assert tensors
    assert all(every <= set(each.claims) for each in tensors)


def test_what_a_rule_preserves_introduces_and_forbids_is_all_asked_for_once() -> None:
    first = next(each for each in open_rulebook(None).rules if isinstance(each, PassRule))
    preserves, introduces, forbids = (Claim.ROLE, Claim.EFFECTS), (Claim.MEMORY, Claim.ROLE), (Claim.ROUTES,)
    found = dataclasses.replace(first, preserves=preserves, introduces=introduces, forbids=forbids)
    assert found.claims == (Claim.ROLE, Claim.EFFECTS, Claim.MEMORY, Claim.ROUTES)


def test_a_task_is_named_after_its_phase() -> None:
    operands = Exchange(Slot.SOURCE)
    read, write = rule.used(Slot.SOURCE), rule.saved(Slot.RESULT)
    task = rule.compute(Phase.RECOMPUTE, Primitive.GELU, operands, (read,), (write,), rule.recomputed)
    assert (task.suffix, task.kind, task.phase, task.primitive) == (
        "recompute", TaskKind.COMPUTE, Phase.RECOMPUTE, Primitive.GELU,
    )  # fmt: skip
    assert (task.operands, task.reads, task.writes, task.when) == (operands, (read,), (write,), rule.recomputed)
    assert (task.collective, task.effects) == (None, ())
    assert rule.compute(Phase.FORWARD, Primitive.GELU, operands, (), ()).when is rule.always


def test_a_collective_moves_its_source() -> None:
    read, write = rule.used(Slot.SOURCE), rule.saved(Slot.SOURCE)
    task = rule.collective(
        Phase.FORWARD, CollectiveKind.ALL_GATHER, Reduction.NONE, read, write, rule.sequence_parallel
    )
    assert (task.suffix, task.kind, task.primitive) == (
        "collective.forward", TaskKind.COLLECTIVE, Primitive.ALL_GATHER,
    )  # fmt: skip
    assert (task.operands, task.reads, task.writes) == (Exchange(Slot.SOURCE), (read,), (write,))
    assert task.when is rule.sequence_parallel
    assert task.collective is not None
    assert (task.collective.kind, task.collective.reduction) == (CollectiveKind.ALL_GATHER, Reduction.NONE)


@pytest.mark.parametrize("workload", [None, *Workload])
def test_the_cases_of_a_rule_are_those_of_its_workload_and_of_stages_where_it_speaks_of_them(
    workload: Workload | None,
) -> None:
    some = next(each for each in open_rulebook(None).rules if isinstance(each, BoundaryRule))
    for stage in (False, True):
        cases = cases_of(dataclasses.replace(some, workload=workload, stage=stage))
        assert {case.workload for case in cases} == (set(Workload) if workload is None else {workload})
        assert {case.stack for case in cases} == {stage}
