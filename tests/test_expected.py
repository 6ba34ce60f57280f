"""What the rules demand of a distributed snapshot: which versions of a value there are, where, and who reads them."""

from __future__ import annotations

import functools
from itertools import permutations
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from blueprint.case import Workload, case_of
from blueprint.expected import (
    ALWAYS_SPLIT,
    ExpectedBuffer,
    ExpectedPlanTask,
    ExpectedTask,
    ExpectedTensor,
    ModelView,
    gradient_dtype,
    portable_relations,
)
from blueprint.frontend.block import model_ir
from blueprint.frontend.models import builtin
from blueprint.frontend.request import training_request
from blueprint.ir.common import Axis, DType, LineageKind, Role
from blueprint.ir.model import ModelIR, OperationKind
from blueprint.ir.request import Communication, Request, Scope
from blueprint.rule import (
    MODEL_TO_DISTRIBUTED,
    EachTask,
    EachValue,
    Layout,
    OperationSource,
    PassRule,
    Slot,
    TensorTarget,
    ValueSource,
    Version,
    always,
    version,
)
from blueprint.session import open_rulebook

BOOK = open_rulebook(None)
RULES = BOOK.pass_rules(MODEL_TO_DISTRIBUTED, Workload.TRAINING)
SPLIT = Communication.SEQUENCE_PARALLEL

change = msgspec.structs.replace


def asked(**fields: Any) -> Request:
    given: dict[str, Any] = {"sequence": 8, "tensor": 2, "pipeline": 6, "scope": Scope.STACK, "stage": 1, **fields}
    return training_request(builtin("gpt2"), **given)


STACK = asked()
"""Two blocks of GPT-2 on two ranks."""


@functools.cache
def model_of(request: Request) -> ModelIR:
    return model_ir(request)


def rule_of(*targets: TensorTarget, signature: Any = None) -> PassRule:
    source = signature or ValueSource((Role.INPUT, Role.ACTIVATION, Role.PARAMETER), None)
    return PassRule("a.rule", MODEL_TO_DISTRIBUTED, LineageKind.DERIVED, source, targets, "", (), ())


def target(made: Version, layout: Layout = Layout.STREAM) -> TensorTarget:
    return TensorTarget(made, Role.ACTIVATION, layout, always)


# The graph ----------------------------------------------------------------------------------------------------------


def test_a_value_is_of_the_block_that_reads_it_and_the_last_result_of_the_one_that_makes_it() -> None:
    model = model_of(STACK)
    view = ModelView(STACK, model, ())
    assert view.blocks == 2
    (output,) = (each for each in model.values if each.id in model.outputs)
    assert view.block_of(output) == 1
    (entered,) = (each for each in model.values if each.id in model.inputs)
    assert view.block_of(entered) == 0
    made = {each.result: each.block for each in model.operations}
    seams = [each for each in model.values if made.get(each.id) == 0 and view.block_of(each) == 1]
    assert len(seams) == 1
    for each in model.values:
        if each not in seams:
            assert view.block_of(each) == int(each.name.startswith("b1."))


def test_a_value_that_nothing_makes_or_reads_and_a_model_without_operations_are_of_the_first_block() -> None:
    """No block is such, and none is needed for that to be said."""
    empty = change(model_of(STACK), operations=())
    view = ModelView(STACK, empty, ())
    assert view.blocks == 1
    assert {view.block_of(each) for each in empty.values} == {0}


def test_what_reads_a_value_that_is_not_there_reads_it_all_the_same() -> None:
    """So a view can be made of any graph."""
    model = model_of(STACK)
    first, foreign = model.operations[0], f"value:{'0' * 64}"
    lost = change(first, inputs=(*first.inputs, foreign))
    view = ModelView(STACK, change(model, operations=(lost, *model.operations[1:])), ())
    assert view.consumers[foreign] == [lost]


def test_what_reads_a_value_stands_in_the_order_of_names() -> None:
    model = model_of(STACK)
    for operations in (model.operations, model.operations[::-1]):
        view = ModelView(STACK, change(model, operations=operations), ())
        for readers in view.consumers.values():
            assert [each.name for each in readers] == sorted(each.name for each in readers)
    assert max(map(len, ModelView(STACK, model, ()).consumers.values())) > 1


@pytest.mark.parametrize("communication", Communication)
def test_the_block_on_one_rank_is_that_of_a_request_for_one_rank(communication: Communication) -> None:
    request = asked(communication=communication)
    view = ModelView(request, model_of(request), RULES).unsharded
    alone = asked(tensor=1)
    assert view.request == alone
    assert view.case == case_of(alone)
    assert view.relations == ModelView(alone, model_of(request), RULES).relations


# Versions -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("again", [Version.RECOMPUTED, Version.RECOMMUNICATED])
def test_what_another_block_made_again_is_not_read_across_the_seam(again: Version) -> None:
    model = model_of(STACK)
    view = ModelView(STACK, model, (rule_of(target(Version.FORWARD), target(again)),))
    blocks = {each.result: each.block for each in model.operations}
    crossed = 0
    for operation in model.operations:
        for slot, value in zip((Slot.FIRST, Slot.SECOND), operation.inputs, strict=False):
            task: Any = ExpectedTask("x", None, operation.kind, operation, (), operation.block)  # type: ignore[arg-type]
            (found,) = view.resolve(task, version(slot, again, Version.FORWARD))
            seam = blocks.get(value, operation.block) != operation.block
            crossed += seam
            kind = Version.FORWARD if seam else again
            assert found.name == f"{view.values[value].name}.{kind.value}"
    # The norm and the residual of the second block read what leaves the first.
    assert crossed == 2


def test_only_a_rule_about_values_demands_tensors() -> None:
    model = model_of(STACK)
    of_operations = rule_of(target(Version.FORWARD), signature=OperationSource((OperationKind.SOFTMAX,)))
    for rule in (of_operations, rule_of()):
        assert ModelView(STACK, model, (rule,)).relations == ()
    relations = ModelView(STACK, model, (of_operations, rule_of(target(Version.FORWARD)))).relations
    assert [each.sources for each in relations] == [(each.id,) for each in model.values]


def tensors_of(layout: Layout, communication: Communication, tensor: int) -> list[ExpectedTensor]:
    request = change(STACK, strategy=change(STACK.strategy, communication=communication, tensor=tensor))
    view = ModelView(request, model_of(STACK), (rule_of(target(Version.FORWARD, layout)),))
    return [each for made in view.tensors.values() for each in made[Version.FORWARD]]


@pytest.mark.parametrize("tensor", [1, 2])
@pytest.mark.parametrize("communication", Communication)
@pytest.mark.parametrize("layout", Layout)
def test_a_layout_says_what_is_split_and_whether_ranks_hold_addends(
    layout: Layout, communication: Communication, tensor: int
) -> None:
    """On one rank nothing is an addend, whatever the communication would be."""
    sequence = (
        {Axis.SEQUENCE} if communication is SPLIT and layout in {Layout.STREAM, Layout.SEQUENCE_ADDENDS} else set()
    )
    addends = layout is Layout.ADDENDS or (layout is Layout.SEQUENCE_ADDENDS and communication is SPLIT)
    for each in tensors_of(layout, communication, tensor):
        axes = set(each.value.axes)
        assert set(each.split) == (axes & ALWAYS_SPLIT or axes & sequence)
        assert each.partial is (addends and tensor > 1)


@pytest.mark.parametrize(
    ("dtype", "width", "expected"),
    [
        (DType.FLOAT32, 4, DType.FLOAT32),
        (DType.FLOAT16, 2, DType.FLOAT16),
        (DType.BFLOAT16, 2, DType.BFLOAT16),
        (DType.FLOAT16, 4, DType.FLOAT32),
        (DType.BFLOAT16, 4, DType.FLOAT32),
        (DType.FLOAT32, 2, DType.BFLOAT16),
    ],
)
def test_a_gradient_is_of_the_parameter_s_type_if_that_is_as_wide(dtype: DType, width: int, expected: DType) -> None:
    assert gradient_dtype(dtype, width) is expected


@pytest.mark.parametrize(("width", "dtype"), [(2, DType.BFLOAT16), (4, DType.FLOAT32)])
def test_gradients_of_parameters_have_the_width_of_the_strategy_and_nothing_else_has(width: int, dtype: DType) -> None:
    request = asked(gradient_bytes=width)
    view = ModelView(request, model_of(request), RULES)
    tensors = [each for versions in view.tensors.values() for made in versions.values() for each in made]
    assert {each.dtype for each in tensors if each.role is Role.PARAMETER_GRADIENT} == {dtype}
    others = {each.role: each.dtype for each in tensors if each.role is not Role.PARAMETER_GRADIENT}
    assert others.pop(Role.MASK) is DType.UINT8
    assert set(others.values()) == {DType.BFLOAT16}


# Tasks --------------------------------------------------------------------------------------------------------------


def test_a_task_comes_from_an_operation_or_from_values() -> None:
    view = ModelView(STACK, model_of(STACK), RULES)
    for relation in view.relations:
        for task in relation.targets:
            if isinstance(task, ExpectedTask):
                assert (task.values == ()) is (task.operation is not None)
                held = (task.operation.id,) if task.operation else tuple(each.id for each in task.values)
                assert relation.sources == held


def test_a_plan_has_a_task_for_each_task_and_a_buffer_for_each_value_in_whatever_order_rules_stand() -> None:
    tasks: list[Any] = [SimpleNamespace(id="t", name="task"), SimpleNamespace(id="u", name="another task")]
    values: list[Any] = [SimpleNamespace(id="v", name="value"), SimpleNamespace(id="w", name="another value")]
    rules = (rule_of(signature=EachTask()), rule_of(signature=EachValue()), rule_of())
    plan: Any = SimpleNamespace(tasks=tasks, values=values)
    for order in permutations(rules):
        found = {each.sources: (each.rule.signature, each.targets) for each in portable_relations(plan, order)}
        assert found == {
            **{(each.id,): (EachTask(), (ExpectedPlanTask(each.name, each),)) for each in tasks},
            **{(each.id,): (EachValue(), (ExpectedBuffer(each.name, each),)) for each in values},
        }
