"""Claims of the boundary Model -> Distributed.

Local sizes come from source sizes and the rule's sharding, never from the target that they justify; exact divisions
enter as witnesses with the premise `degree * quotient = size`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from blueprint.claims.matched import Pair
from blueprint.expected import ALWAYS_SPLIT, ExpectedTask, ExpectedTensor, ModelView
from blueprint.facts import Question, words
from blueprint.ir.common import Axis, Phase, Primitive, Role, Stage
from blueprint.ir.distributed import Collective, DistributedTaskIR, DistributedValue, EffectKind, MeshAxis, Task
from blueprint.ir.model import ModelValue
from blueprint.rule import (
    Branches,
    Claim,
    Contraction,
    Elements,
    Exchange,
    Formula,
    ParameterExchange,
    Parameters,
    PrimitiveRule,
    Ref,
    Slot,
    Version,
    counted,
)
from blueprint.symbols import to_term
from blueprint.term import Const, Product, Sum, Term, Var, equal

Tensors = Sequence[Pair[ExpectedTensor, DistributedValue]]
Tasks = Sequence[Pair[ExpectedTask, Task]]

OPTIMIZER_STATE = {4: 8, 2: 12}
"""Bytes of optimizer state a parameter, by the parameter's width: two fp32 moments, and a master copy unless fp32."""


def tensor_question(claim: Claim, pairs: Tensors, view: ModelView) -> Question:
    """The facts that a claim asserts of a relation's distributed values."""
    question = Question()
    for pair in pairs:
        expected, actual = pair.expected, pair.actual
        match claim:
            case Claim.TENSOR_TYPE:
                question.word(f"{expected.name}.dtype", actual.dtype, expected.dtype)
                _axes(question, f"{expected.name}.axes", actual.axes, expected.value.axes)
                whole: list[Term] = [
                    question.given(axis.value, size)
                    for axis, size in zip(expected.value.axes, expected.value.shape, strict=True)
                ]
                question.sizes(f"{expected.name}.shape", actual.shape, whole)
            case Claim.ROLE:
                question.word(f"{expected.name}.role", actual.role, expected.role)
                question.names(f"{expected.name}.source_value", [actual.source_value], [expected.value.id])
            case Claim.SHARD_COVERAGE:
                question.word(f"{expected.name}.partial", actual.partial, expected.partial)
                _axes(question, f"{expected.name}.split", actual.split, expected.split)
                sizes = [_local(question, view, expected, axis) for axis in expected.value.axes]
                question.sizes(f"{expected.name}.local_shape", actual.local_shape, sizes)
            case Claim.LOGICAL_RANKS:
                ranks(question, f"{expected.name}.ranks", actual.ranks, view.request.strategy.tensor)
            case _:
                raise ValueError(claim)
    return question


def task_question(
    claim: Claim,
    pairs: Tasks,
    view: ModelView,
    primitives: Mapping[str, PrimitiveRule],
    tensor_ids: Mapping[str, str],
) -> Question:
    """The facts that a claim asserts of a relation's tasks. `tensor_ids` maps an expected tensor to the value found."""
    question = Question()
    for pair in pairs:
        expected, actual = pair.expected, pair.actual
        target = expected.target
        match claim:
            case Claim.OPERATION_IDENTITY:
                pairs_of_words = (
                    ("kind", actual.kind, target.kind),
                    ("phase", actual.phase, target.phase),
                    ("primitive", actual.primitive, target.primitive),
                    ("collective", isinstance(actual.collective, Collective), target.collective is not None),
                )
                words(expected.name, question, pairs_of_words)
            case Claim.OPERAND_SIZES:
                operands = operand_terms(question, view, expected)
                names = [operand.name for operand in actual.operands]
                question.names(f"{expected.name}.operands", names, list(operands))
                question.sizes(
                    f"{expected.name}.size", [operand.size for operand in actual.operands], list(operands.values())
                )
            case Claim.EXACT_WORK:
                _work(question, view, expected, actual, primitives[target.primitive])
            case Claim.OPERAND_TRAFFIC:
                _traffic(question, view, expected, actual, primitives[target.primitive])
            case Claim.DATA_FLOW:
                for label, ids, refs in (
                    ("inputs", actual.inputs, target.reads),
                    ("outputs", actual.outputs, target.writes),
                ):
                    question.names(f"{expected.name}.{label}", ids, _flow(view, expected, refs, tensor_ids))
            case Claim.LOGICAL_RANKS:
                ranks(question, f"{expected.name}.ranks", actual.ranks, view.request.strategy.tensor)
            case Claim.EFFECTS:
                _effects(question, view, expected, actual, tensor_ids)
            case Claim.COLLECTIVE_VOLUME:
                _collective(question, view, expected, actual)
            case _:
                raise ValueError(claim)
    return question


def interface_question(view: ModelView, target: DistributedTaskIR, tensor_ids: Mapping[str, str]) -> Question:
    """The snapshot's mesh is the strategy's, and its inputs and outputs are the block's and no others."""
    question, strategy = Question(), view.request.strategy
    for label, found, degree in (
        ("tensor", target.mesh.tensor, strategy.tensor),
        ("pipeline", target.mesh.pipeline, strategy.pipeline),
        ("data", target.mesh.data, strategy.data),
    ):
        question.number(f"mesh.{label}", found, question.given(f"{label} degree", degree))
    ranks(question, "mesh.ranks", target.mesh.ranks, strategy.tensor)
    outputs = [view.values[each] for each in view.ir.outputs]
    inputs = [view.values[each] for each in view.ir.inputs]
    entry = [] if view.case.receives else [_tensor(view, value.id, Version.FORWARD) for value in inputs]
    given = [*entry, *(_tensor(view, value.id, Version.FORWARD) for value in view.parameters)]
    results = [_tensor(view, value.id, Version.FORWARD) for value in outputs]
    if view.case.inference:
        reads = given
        writes = [*results, *(each.name for made in view.tensors.values() for each in made.get(Version.CACHE, ()))]
    else:
        returned = [] if view.case.sends else [_tensor(view, value.id, Version.GRADIENT) for value in outputs]
        reads = [*given, *returned]
        writes = [
            *results,
            *(_tensor(view, value.id, Version.GRADIENT) for value in inputs),
            *(_tensor(view, value.id, Version.UPDATED_GATHERED, Version.UPDATED) for value in view.parameters),
        ]
    question.names("inputs", target.inputs, [tensor_ids.get(name, f"missing {name}") for name in reads])
    question.names("outputs", target.outputs, [tensor_ids.get(name, f"missing {name}") for name in writes])
    question.names("header.stage", [target.header.stage.value], [Stage.DISTRIBUTED.value])
    return question


def ranks(question: Question, label: str, actual: Sequence[int], degree: int) -> None:
    """The ranks are 0 .. t-1, each once.

    The stage's structural check makes them strictly increasing, so their count, first and last decide it.
    """
    size = question.given("t", degree)
    question.number(f"{label} count", len(actual), size)
    question.number(f"{label} first", actual[0], Const(0))
    question.number(f"{label} last", actual[-1], Sum((size, Const(-1))))


def operand_terms(question: Question, view: ModelView, task: ExpectedTask) -> dict[str, Term]:
    """The operand sizes of a task by name, in the order of its primitive, from source sizes and sharding."""
    match task.target.operands:
        case Contraction(left, right, batched):
            return _contraction(question, view, task, left, right, batched=batched)
        case Elements(ref, width):
            (tensor,) = view.resolve(task, ref)
            sizes: dict[str, Term] = {"elements": _elements(question, view, tensor)}
            if width:
                sizes["width"] = _local(question, view, tensor, tensor.value.axes[-1])
            return sizes
        case Branches(ref):
            (tensor,) = view.resolve(task, ref)
            (forked,) = task.values
            branches = len(view.consumers[forked.id])
            return {
                "elements": _elements(question, view, tensor),
                "branches": question.given("consumers", branches),
            }
        case Exchange():
            return _exchange(question, view, task)
        case ParameterExchange(axis):
            return _parameter_exchange(question, view, task, axis)
        case Parameters():
            return {"parameters": parameter_count(question, view, task.block)}


def parameter_count(question: Question, view: ModelView, block: int) -> Term:
    """Parameters of one block on one rank; or, if the optimizer is sharded, the largest share of them over D ranks.

    The share n enters as a witness: D n >= N and D (n - 1) < N.
    """
    held, total = _counted(question, view, view.held[block])
    if not view.case.sharded_optimizer:
        return held
    return question.largest_share(held, total, view.request.strategy.data)


def data_share(question: Question, view: ModelView) -> None:
    """The largest share n_D of a block's parameters over the data-parallel ranks, by witness."""
    held, total = _counted(question, view, view.held[0])
    question.largest_share(held, total, view.request.strategy.data)


def _counted(question: Question, view: ModelView, values: Sequence[ModelValue]) -> tuple[Var, int]:
    """The elements of parameters on one rank, as a variable that their sizes fix, and as a number."""
    tensors = [view.tensors[value.id][Version.FORWARD][0] for value in values]
    total = sum(_element_count(view, tensor) for tensor in tensors)
    held = question.given("N", total)
    question.suppose(equal(held, Sum(tuple(_elements(question, view, tensor) for tensor in tensors))))
    return held, total


def whole_share(question: Question, view: ModelView) -> None:
    """The largest share n_w of a block's undivided parameters over the tensor group, by witness."""
    values = [value for value in view.held[0] if not ALWAYS_SPLIT & set(value.axes)]
    tensors = [view.tensors[value.id][Version.FORWARD][0] for value in values]
    total, degree = sum(_element_count(view, tensor) for tensor in tensors), view.request.strategy.tensor
    whole = Sum(tuple(_elements(question, view, tensor) for tensor in tensors))
    question.largest_share(whole, total, degree, "t", "n_w")


def _work(question: Question, view: ModelView, expected: ExpectedTask, actual: Task, rule: PrimitiveRule) -> None:
    formula = formula_of(rule, expected.target.phase)
    terms: dict[str, Term] = {
        rule.operands[name].name: term for name, term in operand_terms(question, view, expected).items()
    }
    terms["e"] = question.given("e", _width(view, expected))
    if expected.target.primitive == Primitive.OPTIMIZER:
        terms["g"] = question.given("g", view.request.strategy.gradient_bytes)
        terms["o"] = question.given("o", OPTIMIZER_STATE[view.request.workload.dtype.width])
    for component in ("operations", "read_bytes", "write_bytes", "message_bytes"):
        term = substitute(to_term(getattr(formula, component)), terms)
        question.number(f"{expected.name}.{component}", getattr(actual.work, component), term)


def _traffic(question: Question, view: ModelView, expected: ExpectedTask, actual: Task, rule: PrimitiveRule) -> None:
    """The bytes of the tensors that a task reads and writes, each as often as its primitive's formula counts it."""
    formula = formula_of(rule, expected.target.phase)
    moved = (
        ("read_bytes", expected.target.reads, formula.reads or ()),
        ("write_bytes", expected.target.writes, formula.writes),
    )
    for component, refs, times in moved:
        tensors = [tensor for ref in refs for tensor in view.resolve(expected, ref)]
        written = component == "write_bytes"
        parts = [
            Product((Const(often), _moved(question, view, each, written=written)))
            for often, each in counted(times, tensors)
        ]
        question.number(f"{expected.name}.{component}", getattr(actual.work, component), Sum(tuple(parts)))


def _effects(
    question: Question, view: ModelView, expected: ExpectedTask, actual: Task, tensor_ids: Mapping[str, str]
) -> None:
    """Which caches the task reads and appends, and how many bytes of each."""
    demanded = [
        (effect.kind, tensor)
        for effect in expected.target.effects
        for tensor in view.resolve(expected, effect.of)
        if tensor.role is Role.KV_CACHE
    ]
    found = [tensor_ids.get(tensor.name, f"missing {tensor.name}") for _, tensor in demanded]
    question.names(f"{expected.name}.effects", [each.value for each in actual.effects], found)
    for index, (kind, tensor) in enumerate(demanded[: len(actual.effects)]):
        question.word(f"{expected.name}.effects[{index}].kind", actual.effects[index].kind, kind)
        size = _moved(question, view, tensor, written=kind is EffectKind.KV_WRITE)
        question.number(f"{expected.name}.effects[{index}].size", actual.effects[index].size, size)


def _moved(question: Question, view: ModelView, tensor: ExpectedTensor, *, written: bool) -> Term:
    """The bytes of a tensor as traffic counts them: one an element of a mask, e of anything else.

    What is written of a cache are the rows of the step's own tokens.
    """
    elements = _elements(question, view, tensor)
    if tensor.role is Role.MASK:
        return elements
    if tensor.role is Role.KV_CACHE and written:
        rows = question.given(Axis.QUERY.value, view.tokens[Axis.QUERY])
        axes = [axis for axis in tensor.value.axes if axis is not Axis.KEY]
        elements = Product((rows, *(_local(question, view, tensor, axis) for axis in axes)))
    return Product((elements, question.given("e", view.request.workload.dtype.width)))


def whole_operations(question: Question, task: ExpectedTask, view: ModelView, rule: PrimitiveRule) -> Term:
    """The operations of a task by its primitive's formula, over the operand sizes that `view` gives it."""
    terms = {rule.operands[name].name: term for name, term in operand_terms(question, view, task).items()}
    return substitute(to_term(formula_of(rule, task.target.phase).operations), terms)


def formula_of(rule: PrimitiveRule, phase: Phase) -> Formula:
    """The formula of a phase; a recomputed operation does its forward work again."""
    return rule.formulas[Phase.FORWARD if phase is Phase.RECOMPUTE else phase]


def substitute(term: Term, values: Mapping[str, Term]) -> Term:
    """Replace every variable of a formula by the term of its operand. Raises KeyError for an operand without one."""
    match term:
        case Const():
            return term
        case Var(name):
            return values[name]
        case Sum(terms):
            return Sum(tuple(substitute(part, values) for part in terms))
        case Product(factors):
            return Product(tuple(substitute(part, values) for part in factors))


def _collective(question: Question, view: ModelView, expected: ExpectedTask, actual: Task) -> None:
    target, found = expected.target.collective, actual.collective
    if target is None:
        return
    if not isinstance(found, Collective):
        question.word(f"{expected.name}.collective", actual=False, expected=True)
        return
    question.word(f"{expected.name}.collective.kind", found.kind, target.kind)
    question.word(f"{expected.name}.collective.reduction", found.reduction, target.reduction)
    question.word(f"{expected.name}.collective.axis", found.axis, target.axis)
    ranks(question, f"{expected.name}.collective.participants", found.participants, _degree(view, target.axis))
    elements = operand_terms(question, view, expected)["elements"]
    message = Product((elements, question.given("e", _width(view, expected))))
    question.number(f"{expected.name}.collective.message_bytes", found.message_bytes, message)


def _flow(view: ModelView, task: ExpectedTask, refs: Sequence[Ref], tensor_ids: Mapping[str, str]) -> list[str]:
    """Ids of the values that stand for the referenced tensors; a tensor that was not found matches nothing."""
    if task.target.primitive == Primitive.OPTIMIZER:
        # Parameter by parameter, each with its gradient.
        tensors = [each for value in task.values for ref in refs for each in view.resolve_value(ref, value)]
    else:
        tensors = [each for ref in refs for each in view.resolve(task, ref)]
    return [tensor_ids.get(tensor.name, f"missing {tensor.name}") for tensor in tensors]


def _tensor(view: ModelView, value: str, *prefer: Version) -> str:
    """The name of the first version that exists."""
    made = next((view.tensors[value][each] for each in prefer if each in view.tensors[value]), ())
    return made[0].name if made else f"{value}.{prefer[0].value}"


def _axes(question: Question, label: str, actual: Sequence[Axis], expected: Sequence[Axis]) -> None:
    question.number(f"{label} count", len(actual), question.given(f"{label} count", len(expected)))
    for index, axis in enumerate(expected):
        if index < len(actual):
            question.word(f"{label}[{index}]", actual[index], axis)


def _local(question: Question, view: ModelView, tensor: ExpectedTensor, axis: Axis) -> Term:
    """One axis on one rank: the whole axis, or its exact share by witness."""
    size = tensor.value.shape[tensor.value.axes.index(axis)]
    if axis in tensor.split:
        return question.divided(axis.value, size, view.request.strategy.tensor)
    return question.given(axis.value, size)


def _elements(question: Question, view: ModelView, tensor: ExpectedTensor) -> Term:
    return Product(tuple(_local(question, view, tensor, axis) for axis in tensor.value.axes))


def _element_count(view: ModelView, tensor: ExpectedTensor) -> int:
    count = 1
    for axis in tensor.value.axes:
        count *= view.local_size(tensor, axis)
    return count


def _contraction(
    question: Question, view: ModelView, task: ExpectedTask, left: Slot, right: Slot, *, batched: bool
) -> dict[str, Term]:
    """z, m, n, k by the axes that the arguments and the result share. A gathered argument has its whole sequence."""
    operation = task.operation
    if operation is None:
        raise ValueError(task.name)
    one, two = (view.values[operation.inputs[slot.value]] for slot in (left, right))
    result = view.values[operation.result]
    shared = [axis for axis in one.axes if axis in two.axes or _twin(axis) in two.axes]
    batch = [axis for axis in shared if axis in result.axes] if batched else []
    groups = {
        "z": (one, batch),
        "m": (one, [axis for axis in one.axes if axis not in shared]),
        "n": (one, [axis for axis in shared if axis not in batch]),
        "k": (two, [axis for axis in two.axes if axis not in one.axes and _twin(axis) not in one.axes]),
    }
    if not batched:
        del groups["z"]
    terms: dict[str, Term] = {}
    for name, (value, axes) in groups.items():
        factors = []
        for axis in axes:
            size = value.shape[value.axes.index(axis)]
            split = axis in ALWAYS_SPLIT
            factors.append(
                question.divided(axis.value, size, view.request.strategy.tensor)
                if split
                else question.given(axis.value, size)
            )
        terms[name] = Product(tuple(factors))
    return terms


def _twin(axis: Axis) -> Axis | None:
    """Query heads pair with key/value heads in the attention core."""
    return {Axis.HEADS: Axis.KEY_VALUE_HEADS, Axis.KEY_VALUE_HEADS: Axis.HEADS}.get(axis)


def _degree(view: ModelView, axis: MeshAxis) -> int:
    """How many ranks a collective along an axis of the mesh has."""
    strategy = view.request.strategy
    return strategy.data if axis is MeshAxis.DATA else strategy.tensor


def _width(view: ModelView, task: ExpectedTask) -> int:
    """Bytes of an element that a task moves; gradients of parameters have a width of their own in an exchange."""
    operands = task.target.operands
    gradients = isinstance(operands, ParameterExchange) and operands.gradients
    return view.request.strategy.gradient_bytes if gradients else view.request.workload.dtype.width


def _parameter_exchange(question: Question, view: ModelView, task: ExpectedTask, axis: MeshAxis) -> dict[str, Term]:
    """All elements of the source parameters on a rank, the largest share of them by witness, and the group's size."""
    held, total = _counted(question, view, task.values)
    degree = _degree(view, axis)
    share = question.largest_share(held, total, degree)
    return {"elements": held, "shard": share, "ranks": question.given("D", degree)}


def _exchange(question: Question, view: ModelView, task: ExpectedTask) -> dict[str, Term]:
    """The full tensor's elements, one rank's shard of them by witness, and the group's size."""
    (value,) = task.values
    degree = view.request.strategy.tensor
    full = Product(tuple(question.given(axis.value, size) for axis, size in zip(value.axes, value.shape, strict=True)))
    count = 1
    for size in value.shape:
        count *= size
    ranks_, shard = question.given("t", degree), question.given("shard", count // degree)
    question.suppose(equal(Product((ranks_, shard)), full))
    return {"elements": full, "shard": shard, "ranks": ranks_}
