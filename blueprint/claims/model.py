"""Claims of the model stage: it is the block that the request describes, value by value and operation by operation."""

from __future__ import annotations

from blueprint.facts import Question
from blueprint.ir.model import ModelIR, ModelValue, Operation
from blueprint.ir.request import Request
from blueprint.rule import Claim
from blueprint.term import Term


def model_value_questions(demanded: ModelValue, actual: ModelValue) -> list[tuple[Claim, Question]]:
    """Type and role of one value."""
    kind, name = Question(), demanded.name
    kind.word(f"{name}.dtype", actual.dtype, demanded.dtype)
    kind.names(f"{name}.axes", [axis.value for axis in actual.axes], [axis.value for axis in demanded.axes])
    sizes: list[Term] = [kind.given(axis.value, size) for axis, size in zip(demanded.axes, demanded.shape, strict=True)]
    kind.sizes(f"{name}.shape", actual.shape, sizes)
    role = Question()
    role.word(f"{name}.role", actual.role, demanded.role)
    return [(Claim.TENSOR_TYPE, kind), (Claim.ROLE, role)]


def operation_questions(demanded: Operation, actual: Operation) -> list[tuple[Claim, Question]]:
    """Kind, block and data flow of one operation."""
    identity, name = Question(), demanded.name
    identity.word(f"{name}.kind", actual.kind, demanded.kind)
    identity.names(f"{name}.block", [str(actual.block)], [str(demanded.block)])
    flow = Question()
    flow.names(f"{name}.inputs", actual.inputs, demanded.inputs)
    flow.names(f"{name}.result", [actual.result], [demanded.result])
    return [(Claim.OPERATION_IDENTITY, identity), (Claim.DATA_FLOW, flow)]


def model_interface_question(request: Request, model: ModelIR, demanded: ModelIR) -> Question:
    """The model's facts are the request's, and its inputs and outputs are the block's."""
    question = Question()
    facts = request.model
    for name in (
        "hidden",
        "feedforward",
        "heads",
        "key_value_heads",
        "head_width",
        "layers",
        "vocabulary",
        "positions",
    ):
        question.number(f"facts.{name}", getattr(model.facts, name), question.given(name, getattr(facts, name)))
    question.word("facts.biases", model.facts.biases, facts.biases)
    question.word("facts.activation", model.facts.activation, facts.activation)
    question.names("facts.name", [model.facts.name], [facts.name])
    question.names("inputs", model.inputs, demanded.inputs)
    question.names("outputs", model.outputs, demanded.outputs)
    return question
