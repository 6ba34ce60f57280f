"""Claims by themselves: an honest entity proves them, and each changed field refutes the claim that speaks of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import msgspec
import pytest

from blueprint import exact
from blueprint.claims import concrete, distributed, machine, portable
from blueprint.claims.model import model_interface_question, model_value_questions, operation_questions
from blueprint.claims.portable import memory_question
from blueprint.facts import Question
from blueprint.frontend.block import model_ir
from blueprint.frontend.models import builtin
from blueprint.frontend.request import inference_request, training_request
from blueprint.ir.common import Axis, DType, Role
from blueprint.ir.request import Activation
from blueprint.passes.protocol import PassContext
from blueprint.pipeline import passes_for
from blueprint.rule import Claim, Version
from blueprint.term import holds
from blueprint.verdict import Verdict

REQUEST = training_request(builtin("gpt2"), sequence=8, tensor=2)
STEPS = inference_request(builtin("gpt2"), prompt=4, context=8)
MODEL: Any = model_ir(REQUEST)
FOREIGN = f"value:{'0' * 64}"

change = msgspec.structs.replace


def refuted(asked: Sequence[tuple[Claim, Question]]) -> set[Claim]:
    """The claims that do not hold; all others are proved."""
    verdicts = {claim: exact.decide(question.obligation()).verdict for claim, question in asked}
    assert set(verdicts.values()) <= {Verdict.PROVED, Verdict.REFUTED}
    return {claim for claim, verdict in verdicts.items() if verdict is Verdict.REFUTED}


def test_every_value_and_operation_of_the_request_s_own_model_is_right() -> None:
    assert not [each.name for each in MODEL.values if refuted(model_value_questions(each, each))]
    assert not [each.name for each in MODEL.operations if refuted(operation_questions(each, each))]
    assert not refuted([(Claim.INTERFACE, model_interface_question(REQUEST, MODEL, MODEL))])


@pytest.mark.parametrize(
    ("claim", "fields"),
    [
        (Claim.TENSOR_TYPE, {"dtype": DType.FLOAT32}),
        (Claim.TENSOR_TYPE, {"axes": (Axis.BATCH, Axis.HIDDEN, Axis.SEQUENCE)}),
        (Claim.TENSOR_TYPE, {"axes": (Axis.BATCH, Axis.SEQUENCE)}),
        (Claim.TENSOR_TYPE, {"shape": (1, 8, 769)}),
        (Claim.TENSOR_TYPE, {"shape": (1, 8)}),
        (Claim.ROLE, {"role": Role.PARAMETER}),
    ],
)
def test_a_changed_value_of_the_model_is_refuted(claim: Claim, fields: dict[str, object]) -> None:
    value = next(each for each in MODEL.values if each.axes == (Axis.BATCH, Axis.SEQUENCE, Axis.HIDDEN))
    assert refuted(model_value_questions(value, change(value, **fields))) == {claim}


@pytest.mark.parametrize(
    ("claim", "fields"),
    [
        (Claim.OPERATION_IDENTITY, {"kind": "another"}),
        (Claim.OPERATION_IDENTITY, {"block": 1}),
        (Claim.DATA_FLOW, {"inputs": ()}),
        (Claim.DATA_FLOW, {"inputs": (FOREIGN,)}),
        (Claim.DATA_FLOW, {"result": FOREIGN}),
    ],
)
def test_a_changed_operation_of_the_model_is_refuted(claim: Claim, fields: dict[str, object]) -> None:
    for operation in MODEL.operations:
        assert refuted(operation_questions(operation, change(operation, **fields))) == {claim}


FACTS = ("hidden", "feedforward", "heads", "key_value_heads", "head_width", "layers", "vocabulary", "positions")


@pytest.mark.parametrize("name", [*FACTS, "biases", "name"])
def test_a_changed_fact_of_the_model_is_refuted(name: str) -> None:
    found = getattr(MODEL.facts, name)
    other = "another" if isinstance(found, str) else not found if isinstance(found, bool) else found + 1
    changed = change(MODEL, facts=change(MODEL.facts, **{name: other}))
    assert refuted([(Claim.INTERFACE, model_interface_question(REQUEST, changed, MODEL))])


def test_the_activation_of_the_model_is_the_request_s() -> None:
    question = model_interface_question(REQUEST, MODEL, MODEL)
    (fact,) = (each for each in question.facts if each.label == "facts.activation")
    assert fact.words == (Activation.GELU, Activation.GELU)


@pytest.mark.parametrize("field", ["inputs", "outputs"])
@pytest.mark.parametrize("ids", [(), (FOREIGN,)])
def test_changed_ends_of_the_model_are_refuted(field: str, ids: tuple[str, ...]) -> None:
    changed = change(MODEL, **{field: ids})
    assert refuted([(Claim.INTERFACE, model_interface_question(REQUEST, changed, MODEL))])


def test_the_memory_facts_of_another_workload_are_refuted() -> None:
    view: Any = None
    for request, other in ((REQUEST, STEPS), (STEPS, REQUEST)):
        plan: Any = model_ir(other)
        for each in passes_for(other):
            plan = each.run(plan, PassContext(other, "0" * 64))
        assert refuted([(Claim.MEMORY, memory_question(view, request, plan))]) == {Claim.MEMORY}


def test_a_tensor_is_called_after_the_first_version_that_exists_and_else_after_the_first() -> None:
    made = {Version.FORWARD: (SimpleNamespace(name="x.forward"),), Version.CACHE: ()}
    view: Any = SimpleNamespace(tensors={"x": made, "y": {}})
    for prefer in ((Version.FORWARD,), (Version.GATHERED, Version.FORWARD), (Version.FORWARD, Version.CACHE)):
        assert distributed._tensor(view, "x", *prefer) == "x.forward"
    assert distributed._tensor(view, "x", Version.CACHE) == "x.cache"
    assert distributed._tensor(view, "y", Version.GATHERED, Version.FORWARD) == "y.gathered"


@pytest.mark.parametrize(
    ("ask", "several"),
    [
        (distributed.tensor_question, True),
        (partial(distributed.task_question, primitives={}, tensor_ids={}), True),
        (portable.plan_task_question, True),
        (portable.buffer_question, True),
        (concrete.binding_question, False),
        (concrete.region_question, False),
        (concrete.device_question, True),
        (concrete.command_question, False),
        (concrete.queue_question, True),
        (machine.instruction_question, False),
        (machine.section_question, True),
        (machine.entry_question, True),
    ],
)
def test_what_cannot_be_asked_of_an_entity_is_not_passed_over(ask: Any, *, several: bool) -> None:
    pair = MagicMock()
    with pytest.raises(ValueError, match="ROUTES"):
        ask(Claim.ROUTES, [pair] if several else pair, view=MagicMock())


# Bindings -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("required", [1, 2, 16, 32, 64])
def test_an_alignment_is_the_greater_of_the_required_one_and_16(required: int) -> None:
    for alignment in range(130):
        question = Question()
        concrete._greater(question, required, alignment)
        assert all(holds(each, question.values) for each in question.premises) is (alignment == max(16, required))


@pytest.mark.parametrize(("behind", "length"), [(0, 1), (0, 16), (0, 17), (32, 16), (32, 1), (16, 33)])
def test_an_offset_is_the_least_multiple_behind_the_buffer_before(behind: int, length: int) -> None:
    least = -(-(behind + length) // 16)
    for multiple in range(least + 3):
        question = Question()
        place = concrete.Place(behind=behind, length=length, alignment=16, multiple=multiple)
        concrete._offset(question, place)
        assert all(holds(each, question.values) for each in question.premises) is (multiple == least)
