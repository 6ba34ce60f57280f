"""Claims by themselves: an honest entity proves them, and each changed field refutes the claim that speaks of it."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import msgspec
import pytest

from blueprint import exact
from blueprint.case import Workload
from blueprint.claims import concrete, distributed, machine, portable
from blueprint.claims.matched import Pair
from blueprint.claims.model import model_interface_question, model_value_questions, operation_questions
from blueprint.claims.portable import memory_question
from blueprint.expected import ModelView
from blueprint.facts import Question
from blueprint.frontend.block import model_ir
from blueprint.frontend.models import builtin
from blueprint.frontend.request import inference_request, training_request
from blueprint.ir.common import Axis, DType, Phase, Role
from blueprint.ir.distributed import MeshAxis, TaskKind
from blueprint.ir.portable import ConcurrencyGroup, Implementation, StorageClass
from blueprint.ir.request import Activation, Communication, Request
from blueprint.passes.protocol import PassContext
from blueprint.pipeline import passes_for
from blueprint.rule import MODEL_TO_DISTRIBUTED, Claim, Contraction, Elements, Slot, Version, version
from blueprint.session import open_rulebook
from blueprint.term import evaluate, holds
from blueprint.verdict import Verdict

BOOK = open_rulebook(None)
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


def test_the_facts_of_the_model_are_asked_under_their_own_names() -> None:
    """A report names what a solver is asked about."""
    values = model_interface_question(REQUEST, MODEL, MODEL).values
    assert {name: values[name] for name in FACTS} == {name: getattr(REQUEST.model, name) for name in FACTS}


# What a rank does and holds -----------------------------------------------------------------------------------------


def false_labels(question: Question) -> set[str]:
    values = question.values
    return {each.label for each in question.facts if evaluate(each.actual, values) != evaluate(each.expected, values)}


@functools.cache
def distributed_of(request: Request) -> tuple[ModelView, Any]:
    """What the rules demand of a request's distributed snapshot, and the one that the first pass makes."""
    rules = BOOK.pass_rules(MODEL_TO_DISTRIBUTED, Workload.TRAINING)
    snapshot: Any = passes_for(request)[0].run(model_ir(request), PassContext(request, "0" * 64))
    return ModelView(request, model_ir(request), rules), snapshot


COLLECTIVE = [
    ("kind", None, "kind"),
    ("reduction", None, "reduction"),
    ("axis", MeshAxis.DATA, "axis"),
    ("participants", (0, 1, 2), "participants count"),
    ("participants", (0, 2), "participants last"),
    ("participants", (1, 1), "participants first"),
    ("message_bytes", 7, "message_bytes"),
]


@pytest.mark.parametrize(("field", "value", "label"), COLLECTIVE)
def test_every_field_of_a_distributed_collective_is_compared(field: str, value: object, label: str) -> None:
    view, snapshot = distributed_of(REQUEST)
    tasks = [each for each in snapshot.tasks if each.collective is not msgspec.UNSET]
    assert tasks
    for task in tasks:
        expected = view.tasks[task.name]
        question = Question()
        distributed._collective(question, view, expected, task)
        assert false_labels(question) == set()
        right = getattr(task.collective, field)
        wrong = value or next(each for each in type(right) if each is not right)
        question = Question()
        distributed._collective(
            question, view, expected, change(task, collective=change(task.collective, **{field: wrong}))
        )
        assert f"{task.name}.collective.{label}" in false_labels(question)
        assert all(each.startswith(f"{task.name}.collective.{field}") for each in false_labels(question))


def test_a_collective_that_a_distributed_task_lacks_is_missed() -> None:
    view, snapshot = distributed_of(REQUEST)
    task = next(each for each in snapshot.tasks if each.collective is not msgspec.UNSET)
    question = Question()
    distributed._collective(question, view, view.tasks[task.name], change(task, collective=msgspec.UNSET))
    assert false_labels(question) == {f"{task.name}.collective"}


@pytest.mark.parametrize("degree", ["tensor", "pipeline", "data"])
def test_the_mesh_is_the_strategy_s(degree: str) -> None:
    view, snapshot = distributed_of(REQUEST)
    ids = {each.name: each.id for each in snapshot.values}
    assert false_labels(distributed.interface_question(view, snapshot, ids)) == set()
    mesh = change(snapshot.mesh, **{degree: getattr(snapshot.mesh, degree) + 1})
    wrong = distributed.interface_question(view, change(snapshot, mesh=mesh), ids)
    assert false_labels(wrong) == {f"mesh.{degree}"}


def test_a_row_that_lies_divided_is_as_wide_as_its_share() -> None:
    value: Any = SimpleNamespace(axes=(Axis.BATCH, Axis.FEEDFORWARD), shape=(3, 8))
    tensor = SimpleNamespace(value=value, split=(Axis.FEEDFORWARD,))
    strategy = SimpleNamespace(tensor=2)
    view: Any = SimpleNamespace(resolve=lambda *_: (tensor,), request=SimpleNamespace(strategy=strategy))
    task: Any = SimpleNamespace(target=SimpleNamespace(operands=Elements(version(Slot.RESULT), width=True)))
    question = Question()
    terms = distributed.operand_terms(question, view, task)
    assert {name: evaluate(term, question.values) for name, term in terms.items()} == {"elements": 12, "width": 4}


@pytest.mark.parametrize(("tensor", "whole"), [(2, True), (3, False)])
def test_a_shard_that_is_no_whole_number_is_a_premise_that_does_not_hold(tensor: int, *, whole: bool) -> None:
    """Nothing follows from it, and what would is not proved."""
    value: Any = SimpleNamespace(axes=(Axis.BATCH, Axis.HIDDEN), shape=(2, 8))
    strategy = SimpleNamespace(tensor=tensor)
    view: Any = SimpleNamespace(request=SimpleNamespace(strategy=strategy))
    task: Any = SimpleNamespace(values=(value,))
    question = Question()
    terms = distributed._exchange(question, view, task)
    sizes = {name: evaluate(term, question.values) for name, term in terms.items()}
    assert sizes == {"elements": 16, "shard": 16 // tensor, "ranks": tensor}
    assert all(holds(each, question.values) for each in question.premises) is whole
    question.number("shard", 16 // tensor, terms["shard"])
    verdict = exact.decide(question.obligation()).verdict
    assert (verdict is Verdict.PROVED) is whole


def test_a_product_is_one_of_an_operation() -> None:
    view, _ = distributed_of(REQUEST)
    product = next(each for each in view.tasks.values() if isinstance(each.target.operands, Contraction))
    left, right = product.target.operands.left, product.target.operands.right  # type: ignore[union-attr]
    assert distributed._contraction(Question(), view, product, left, right, batched=False).keys() == {"m", "n", "k"}
    alone = dataclasses.replace(product, operation=None)
    with pytest.raises(ValueError, match=product.name):
        distributed._contraction(Question(), view, alone, left, right, batched=False)


def test_a_parameter_that_lies_divided_along_the_sequence_is_counted_by_its_shares() -> None:
    """No block has one, but a layout allows it."""
    request = training_request(builtin("gpt2"), sequence=8, tensor=2, communication=Communication.SEQUENCE_PARALLEL)
    model = model_ir(request)
    place = next(at for at, each in enumerate(model.values) if each.axes == (Axis.HIDDEN,))
    odd = change(model.values[place], axes=(Axis.SEQUENCE,), shape=(8,))
    values = (*model.values[:place], odd, *model.values[place + 1 :])
    rules = BOOK.pass_rules(MODEL_TO_DISTRIBUTED, Workload.TRAINING)
    shares = []
    for found in (model, change(model, values=values)):
        question = Question()
        distributed.whole_share(question, ModelView(request, found, rules))
        shares.append(question.values["n_w"])
    # 768 elements less, and 8 / 2 more; of all of them, the half.
    assert shares[0] - shares[1] == (768 - 4) // 2


@pytest.mark.parametrize(
    ("label", "fields"),
    [
        ("x.group", {"group": ConcurrencyGroup.TRANSFER}),
        (
            "x.capability[0]",
            {"implementation": Implementation(capability="y", alternatives=("compute.gelu.reference",))},
        ),
        ("x.alternatives[0]", {"implementation": Implementation(capability="compute.gelu", alternatives=("y",))}),
    ],
)
def test_what_a_planned_task_occupies_and_may_be_run_by_is_its_source_s(label: str, fields: dict[str, Any]) -> None:
    source: Any = SimpleNamespace(kind=TaskKind.COMPUTE, primitive="gelu")
    right = {
        "group": ConcurrencyGroup.COMPUTE,
        "implementation": Implementation(capability="compute.gelu", alternatives=("compute.gelu.reference",)),
    }
    for given, wrong in ((right, set()), (right | fields, {label})):
        question = Question()
        actual: Any = SimpleNamespace(**given)
        portable._implementation(question, "x", source, actual, ())
        assert false_labels(question) == wrong


def test_the_storage_and_the_alignment_of_a_buffer_are_its_value_s() -> None:
    source: Any = SimpleNamespace(dtype=DType.BFLOAT16)
    view: Any = SimpleNamespace(storage=lambda _: StorageClass.SAVED)
    for storage, alignment, wrong in (
        (StorageClass.SAVED, 2, set()),
        (StorageClass.STEP, 2, {"x.storage"}),
        (StorageClass.SAVED, 4, {"x.alignment"}),
    ):
        expected: Any = SimpleNamespace(name="x", value=source)
        actual: Any = SimpleNamespace(storage=storage, alignment=alignment)
        question = portable.buffer_question(Claim.STORAGE, [Pair(expected, actual)], view)
        assert false_labels(question) == wrong


def test_what_is_made_of_parameters_and_gradients_on_the_way_is_no_memory_fact() -> None:
    """Gathered parameters, and gradients that are summed or divided, are there for a while only."""

    def value(name: str, role: Role) -> Any:
        return SimpleNamespace(id=name, role=role)

    values = [
        value("held", Role.PARAMETER), value("gathered", Role.PARAMETER), value("first", Role.PARAMETER_GRADIENT),
        value("reduced", Role.PARAMETER_GRADIENT), value("given", Role.PARAMETER_GRADIENT),
        value("of the input", Role.GRADIENT),
    ]  # fmt: skip
    made = {
        "gathered": Phase.FORWARD, "first": Phase.WEIGHT_GRADIENT, "reduced": Phase.OPTIMIZER,
        "of the input": Phase.WEIGHT_GRADIENT,
    }  # fmt: skip
    view: Any = SimpleNamespace(
        source=SimpleNamespace(values=values),
        producers={name: SimpleNamespace(phase=phase) for name, phase in made.items()},
    )
    assert [each.id for each in portable._held(view)] == ["held"]
    assert [each.id for each in values if portable._first_gradient(view, each)] == ["first"]


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
