"""The conditions under which rules demand a target, in every case of a strategy and at every kind of operation."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blueprint import rule
from blueprint.case import Case, all_cases, stage_cases
from blueprint.ir.common import Phase, Primitive
from blueprint.ir.distributed import CollectiveKind, Reduction, TaskKind
from blueprint.ir.request import Communication, Recompute
from blueprint.rule import Exchange, Slot, When

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
