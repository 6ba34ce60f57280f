"""Request -> ModelIR: the operator graph of a classical transformer block, or of a stack of them in a chain.

x -> norm -> q, k, v -> scores -> softmax -> dropout -> context -> projection -> dropout -> residual
  -> norm -> up -> GELU -> down -> dropout -> residual
(Vaswani et al. 2017 with the norm in front, as GPT-2 has it.) Dropout stands only in training.

In inference the model is the block over all tokens of the context; the steps take rows of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from blueprint.case import workload_of
from blueprint.codec import digest, entity_id
from blueprint.insertion import Insertion, check_place
from blueprint.ir.common import SCHEMA_VERSIONS, Axis, Header, Role, Stage
from blueprint.ir.model import ModelIR, ModelValue, Operation, OperationKind
from blueprint.ir.order import canonical_order
from blueprint.ir.request import ModelFacts, Request, Scope, Training, blocks_of
from blueprint.ir.structure import value_order

_VERSION = SCHEMA_VERSIONS[Stage.MODEL]

_STREAM = (Axis.BATCH, Axis.SEQUENCE, Axis.HIDDEN)
_QUERIES = (Axis.BATCH, Axis.QUERY, Axis.HEADS, Axis.HEAD_WIDTH)
_KEYS = (Axis.BATCH, Axis.KEY, Axis.KEY_VALUE_HEADS, Axis.HEAD_WIDTH)
_SCORES = (Axis.BATCH, Axis.HEADS, Axis.QUERY, Axis.KEY)
_WIDE = (Axis.BATCH, Axis.SEQUENCE, Axis.FEEDFORWARD)


INPUT = "x"
"""The name of what enters the first block."""


@dataclass(frozen=True)
class _Op:
    """One operation: its kind names it and its result; parameters follow the activations."""

    kind: str
    inputs: tuple[str, ...]
    axes: tuple[Axis, ...]
    parameters: tuple[tuple[str, tuple[Axis, ...]], ...] = ()


def request_digest(request: Request) -> str:
    """The digest that roots every id of a derivation."""
    return digest("request", 1, request)


def model_ir(request: Request, insertions: Sequence[Insertion] = ()) -> ModelIR:
    """The block that a request describes, with an extension's operations. Deterministic: equal bytes in every run."""
    parent = request_digest(request)
    sizes = _sizes(request)
    ops = _extended(request, insertions)

    def identify(kind: str, name: str) -> str:
        return entity_id(kind, _VERSION, parent, "frontend", (), name)

    def value(name: str, role: Role, axes: tuple[Axis, ...]) -> ModelValue:
        return ModelValue(
            id=identify("value", name),
            name=name,
            role=role,
            dtype=request.workload.dtype,
            axes=axes,
            shape=tuple(sizes[axis] for axis in axes),
        )

    values = [value(INPUT, Role.INPUT, _STREAM)]
    operations = []
    output = INPUT
    for block in range(blocks_of(request.model, request.strategy)):
        prefix = f"b{block}." if request.strategy.scope is Scope.STACK else ""
        named = {INPUT: output}
        for op in ops:
            output = named[op.kind] = f"{prefix}{op.kind}"
            values.extend(value(f"{output}.{part}", Role.PARAMETER, axes) for part, axes in op.parameters)
            values.append(value(output, Role.ACTIVATION, op.axes))
            reads = (*(named[each] for each in op.inputs), *(f"{output}.{part}" for part, _ in op.parameters))
            operations.append(
                Operation(
                    id=identify("node", output),
                    name=output,
                    kind=op.kind,
                    block=block,
                    inputs=tuple(identify("value", each) for each in reads),
                    result=identify("value", output),
                )
            )
    ordered = _canonical(operations)
    by_id = {each.id: each for each in values}
    order = value_order(values, [(operation, (operation.result,)) for operation in ordered])
    return ModelIR(
        header=Header(stage=Stage.MODEL, version=_VERSION, parent=parent),
        facts=request.model,
        inputs=(identify("value", INPUT),),
        outputs=(identify("value", output),),
        values=tuple(by_id[each] for each in order),
        operations=tuple(ordered),
    )


def _canonical(operations: list[Operation]) -> list[Operation]:
    producers = {operation.result: operation.id for operation in operations}
    by_id = {operation.id: operation for operation in operations}
    dependencies = {
        operation.id: [producers[each] for each in operation.inputs if each in producers] for operation in operations
    }
    names = {operation.id: operation.name for operation in operations}
    return [by_id[each] for each in canonical_order(names, dependencies)]


def _sizes(request: Request) -> dict[Axis, int]:
    model, workload = request.model, request.workload
    tokens = workload.sequence if isinstance(workload, Training) else workload.context
    return {
        Axis.BATCH: workload.batch,
        Axis.SEQUENCE: tokens,
        Axis.QUERY: tokens,
        Axis.KEY: tokens,
        Axis.HIDDEN: model.hidden,
        Axis.HEADS: model.heads,
        Axis.KEY_VALUE_HEADS: model.key_value_heads,
        Axis.HEAD_WIDTH: model.head_width,
        Axis.FEEDFORWARD: model.feedforward,
    }


def _operations(model: ModelFacts, *, training: bool) -> Iterator[_Op]:
    """The block's operations in reading order."""
    kind = OperationKind
    yield _norm(kind.ATTENTION_NORM, "x")
    queries, keys = (Axis.HEADS, Axis.HEAD_WIDTH), (Axis.KEY_VALUE_HEADS, Axis.HEAD_WIDTH)
    inner = (Axis.HIDDEN,)
    yield _linear(model, kind.QUERY_PROJECTION, "attention_norm", inner, queries, _QUERIES)
    yield _linear(model, kind.KEY_PROJECTION, "attention_norm", inner, keys, _KEYS)
    yield _linear(model, kind.VALUE_PROJECTION, "attention_norm", inner, keys, _KEYS)
    yield _Op(kind.SCORES, ("query_projection", "key_projection"), _SCORES)
    yield _Op(kind.SOFTMAX, ("scores",), _SCORES)
    weights = "softmax"
    if training:
        yield _Op(kind.ATTENTION_DROPOUT, (weights,), _SCORES)
        weights = "attention_dropout"
    yield _Op(kind.CONTEXT, (weights, "value_projection"), _QUERIES)
    branch = "output_projection"
    yield _linear(model, kind.OUTPUT_PROJECTION, "context", queries, inner, _STREAM)
    if training:
        yield _Op(kind.OUTPUT_DROPOUT, (branch,), _STREAM)
        branch = "output_dropout"
    yield _Op(kind.ATTENTION_RESIDUAL, ("x", branch), _STREAM)
    yield _norm(kind.MLP_NORM, "attention_residual")
    wide = (Axis.FEEDFORWARD,)
    yield _linear(model, kind.UP_PROJECTION, "mlp_norm", inner, wide, _WIDE)
    yield _Op(kind.ACTIVATION, ("up_projection",), _WIDE)
    branch = "down_projection"
    yield _linear(model, kind.DOWN_PROJECTION, "activation", wide, inner, _STREAM)
    if training:
        yield _Op(kind.MLP_DROPOUT, (branch,), _STREAM)
        branch = "mlp_dropout"
    yield _Op(kind.MLP_RESIDUAL, ("attention_residual", branch), _STREAM)


def _extended(request: Request, insertions: Sequence[Insertion]) -> tuple[_Op, ...]:
    """The block's operations, with each of the workload's insertions behind its source."""
    ops = tuple(_operations(request.model, training=isinstance(request.workload, Training)))
    for insertion in insertions:
        if insertion.workload is workload_of(request):
            check_place(insertion, [(op.kind, op.inputs) for op in ops])
            ops = tuple(each for op in ops for each in _with(op, insertion))
    return ops


def _with(op: _Op, insertion: Insertion) -> Iterator[_Op]:
    yield replace(op, inputs=insertion.redirected(op.kind, op.inputs))
    if op.kind == insertion.source:
        yield _Op(insertion.kind, (insertion.source,), op.axes)


def _norm(kind: OperationKind, source: str) -> _Op:
    return _Op(kind, (source,), _STREAM, (("gain", (Axis.HIDDEN,)), ("bias", (Axis.HIDDEN,))))


def _linear(
    model: ModelFacts,
    kind: OperationKind,
    source: str,
    inner: tuple[Axis, ...],
    outer: tuple[Axis, ...],
    axes: tuple[Axis, ...],
) -> _Op:
    weight = ("weight", inner + outer)
    parameters = (weight, ("bias", outer)) if model.biases else (weight,)
    return _Op(kind, (source,), axes, parameters)
