"""The structural derivation of one training block on one tensor-parallel rank.

One function over dimensions: run with integers it is what the distribution pass emits, run with symbolic numbers it
is what the laws are proved about. Operations stand in forward order; the backward pass is their reverse.

At a value that enters the tensor-parallel region (a norm's result) and at one that leaves it (the result of a
row-parallel projection) the group communicates: all-reduce, or all-gather and reduce-scatter under sequence
parallelism, conjugate in the backward pass (Shoeybi et al. 2019; Korthikanti et al. 2022).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic

from blueprint.case import Case
from blueprint.ir.common import Axis, Phase, Primitive
from blueprint.ir.request import Recompute
from blueprint.workload import primitives
from blueprint.workload.dims import Dims, N
from blueprint.workload.extension import extended
from blueprint.workload.operators import (
    Block,
    Element,
    Local,
    Op,
    Step,
    Tensor,
    Weight,
    elementwise,
    linear,
    matmul,
    norm,
)
from blueprint.workload.primitives import TaskWork

ENTERS = ("attention_norm", "mlp_norm")
LEAVES = ("output_projection", "down_projection")
ATTENTION_CORE = ("scores", "softmax", "attention_dropout", "context")
REGION_END = ("context",)


def training_block(dims: Dims[N]) -> Block[N]:
    """Derive the block: forward, recompute, recommunication, both gradients, optimizer, in emission order."""
    builder = _Builder(dims, tuple(operations(dims)))
    builder.forward()
    builder.recompute()
    builder.backward()
    builder.optimizer()
    return Block(tuple(builder.tensors), tuple(builder.steps))


def stream_of(dims: Dims[N]) -> Local[N]:
    """The residual stream: its sequence is split under sequence parallelism."""
    return Local((dims.B, dims.S_r, dims.H), Axis.SEQUENCE if dims.case.sequence_parallel else None)


def operations(dims: Dims[N]) -> Iterator[Op[N]]:
    """The block's operations in forward order, with their shapes on one rank, and those of an extension."""
    return extended(dims, _operations(dims))


def _operations(dims: Dims[N]) -> Iterator[Op[N]]:
    stream = stream_of(dims)
    whole = Local((dims.B, dims.S, dims.H), None)
    queries = Local((dims.B, dims.S, dims.h_t, dims.d), Axis.HEADS)
    keys = Local((dims.B, dims.S, dims.k_t, dims.d), Axis.KEY_VALUE_HEADS)
    scores = Local((dims.B, dims.h_t, dims.S, dims.S), Axis.HEADS)
    wide = Local((dims.B, dims.S, dims.F_t), Axis.FEEDFORWARD)
    hidden = Local((dims.H,), None)
    by_head = Local((dims.h_t, dims.d), Axis.HEADS)
    by_key_head = Local((dims.k_t, dims.d), Axis.KEY_VALUE_HEADS)
    by_width = Local((dims.F_t,), Axis.FEEDFORWARD)
    batch = dims.B * dims.h_t

    yield norm("attention_norm", "x", stream, dims.H, dims.e)
    yield _linear(dims, "query_projection", "attention_norm", hidden, by_head, queries)
    yield _linear(dims, "key_projection", "attention_norm", hidden, by_key_head, keys)
    yield _linear(dims, "value_projection", "attention_norm", hidden, by_key_head, keys)
    sizes = (dims.S, dims.d, dims.S)
    yield matmul("scores", ("query_projection", "key_projection"), batch, sizes, scores, dims.e)
    yield elementwise("softmax", Primitive.SOFTMAX, ("scores",), scores, dims.e)
    yield elementwise("attention_dropout", Primitive.DROPOUT, ("softmax",), scores, dims.e)
    sizes = (dims.S, dims.S, dims.d)
    yield matmul("context", ("attention_dropout", "value_projection"), batch, sizes, queries, dims.e)
    yield _linear(dims, "output_projection", "context", by_head, hidden, whole)
    yield elementwise("output_dropout", Primitive.DROPOUT, ("output_projection",), stream, dims.e)
    yield elementwise("attention_residual", Primitive.RESIDUAL, ("x", "output_dropout"), stream, dims.e)
    yield norm("mlp_norm", "attention_residual", stream, dims.H, dims.e)
    yield _linear(dims, "up_projection", "mlp_norm", hidden, by_width, wide)
    yield elementwise("activation", Primitive.GELU, ("up_projection",), wide, dims.e)
    yield _linear(dims, "down_projection", "activation", by_width, hidden, whole)
    yield elementwise("mlp_dropout", Primitive.DROPOUT, ("down_projection",), stream, dims.e)
    yield elementwise("mlp_residual", Primitive.RESIDUAL, ("attention_residual", "mlp_dropout"), stream, dims.e)


def _linear(dims: Dims[N], name: str, source: str, inner: Local[N], outer: Local[N], local: Local[N]) -> Op[N]:
    return linear(name, source, dims.B * dims.S, Weight(inner, outer, dims.case.biases), local, dims.e)


class _Builder(Generic[N]):
    """Collects tensors and steps; each method appends one phase."""

    def __init__(self, dims: Dims[N], ops: tuple[Op[N], ...]) -> None:
        self.dims: Dims[N] = dims
        self.case: Case = dims.case
        self.ops: tuple[Op[N], ...] = ops
        self.by_name: dict[str, Op[N]] = {op.name: op for op in ops}
        self.stream: Local[N] = stream_of(dims)
        self.whole: Local[N] = Local((dims.B, dims.S, dims.H), None)
        self.tensors: list[Tensor[N]] = []
        self.steps: list[Step[N]] = []

    # What is where -------------------------------------------------------------------------------------------------

    def communicates(self, value: str) -> bool:
        """Whether the forward pass communicates this value."""
        if not self.case.tensor_parallel:
            return False
        return value in LEAVES or (self.case.sequence_parallel and value in ENTERS)

    def recomputes(self, value: str) -> bool:
        """Whether the backward pass computes this operation's result again."""
        if self.case.recompute is Recompute.FULL:
            return value in self.by_name
        return self.case.recompute is Recompute.SELECTIVE and value in ATTENTION_CORE

    def discards(self, value: str) -> bool:
        """Whether the result made again is dropped: the forward copy of what leaves a recomputed region is stored."""
        return self.case.recompute is Recompute.SELECTIVE and value in REGION_END

    def recommunicates(self, value: str) -> bool:
        """Whether the backward pass communicates this value again: as forward, or to gather a kept shard."""
        if self.case.recompute is Recompute.FULL:
            return self.communicates(value)
        return value in ENTERS and self.communicates(value)

    def gradient_communicates(self, value: str) -> bool:
        """Whether the gradient of this value is communicated: conjugate to the forward pass."""
        if not self.case.tensor_parallel:
            return False
        return value in ENTERS or (self.case.sequence_parallel and value in LEAVES)

    def local_of(self, value: str) -> Local[N]:
        """Sizes on one rank of a value as its operation leaves it."""
        return self.by_name[value].local if value in self.by_name else self.stream

    def used(self, value: str) -> str:
        """The tensor that a forward consumer reads."""
        return f"{value}.communicated" if self.communicates(value) else f"{value}.forward"

    def saved(self, value: str) -> str:
        """The tensor that a backward or recomputing consumer reads."""
        if self.recommunicates(value):
            return f"{value}.recommunicated"
        made_again = self.recomputes(value) and not self.discards(value)
        return f"{value}.recomputed" if made_again else self.used(value)

    def consumers(self, value: str) -> list[str]:
        """The operations that read a value, by name."""
        return sorted(op.name for op in self.ops if value in op.inputs)

    def contribution(self, value: str, consumer: str) -> str:
        """The tensor in which one consumer leaves its gradient of a value."""
        return f"{value}.gradient.{consumer}" if len(self.consumers(value)) > 1 else f"{value}.gradient"

    def gradient(self, value: str) -> str:
        """The gradient that the producer of a value reads."""
        return f"{value}.gradient_communicated" if self.gradient_communicates(value) else f"{value}.gradient"

    # Tensors and steps ----------------------------------------------------------------------------------------------

    def add_tensor(
        self, value: str, version: str, local: Local[N], element: Element = "activation", *, partial: bool = False
    ) -> str:
        tensor = Tensor(value, version, local, element, partial)
        self.tensors.append(tensor)
        return tensor.name

    def add_result(self, op: Op[N], version: str) -> str:
        """The result of a forward or recomputed operation; addends where a row-parallel projection leaves them."""
        partial = self.case.tensor_parallel and op.name in LEAVES
        return self.add_tensor(op.name, version, op.local, partial=partial)

    def add_gradient(self, value: str, version: str) -> str:
        """A gradient before communication: addends of the whole where the value enters the parallel region."""
        if value in ENTERS:
            return self.add_tensor(value, version, self.whole, partial=self.case.tensor_parallel)
        return self.add_tensor(value, version, self.stream if value in LEAVES else self.local_of(value))

    def add_step(
        self, op: Op[N], suffix: str, phase: Phase, reads: tuple[str, ...], writes: tuple[str, ...], work: TaskWork[N]
    ) -> None:
        name = f"{op.name}.{suffix}"
        self.steps.append(Step(op.name, name, phase, op.primitive, op.operands, reads, writes, work))

    def add_collective(self, value: str, phase: Phase, primitive: Primitive, read: str, version: str) -> None:
        """Communicate one B·S·H tensor in its full size; gathering leaves the whole, scattering the stream's share."""
        elements, shard = self.whole.elements, self.dims.shard
        if primitive is Primitive.ALL_GATHER:
            work, local = primitives.all_gather(elements, shard, self.dims.e), self.whole
        elif primitive is Primitive.REDUCE_SCATTER:
            work, local = primitives.reduce_scatter(elements, shard, self.dims.t, self.dims.e), self.stream
        else:
            work, local = primitives.all_reduce(elements, shard, self.dims.t, self.dims.e), self.whole
        written = self.add_tensor(value, version, local)
        operands = (("elements", elements), ("shard", shard), ("ranks", self.dims.t))
        name = f"{value}.collective.{phase.value}"
        self.steps.append(Step(value, name, phase, primitive, operands, (read,), (written,), work))

    def collective(self, *, summing: bool) -> Primitive:
        """The collective that sums addends, or the one that gathers shards."""
        if not self.case.sequence_parallel:
            return Primitive.ALL_REDUCE
        return Primitive.REDUCE_SCATTER if summing else Primitive.ALL_GATHER

    # Phases ---------------------------------------------------------------------------------------------------------

    def forward(self) -> None:
        """Each operation once; then its result is communicated where the parallel region begins or ends."""
        self.add_tensor("x", "forward", self.stream)
        for op in self.ops:
            for parameter in op.parameters:
                self.add_tensor(parameter.name, "forward", parameter.local)
        for op in self.ops:
            reads = tuple(self.used(value) for value in op.inputs) + self.parameters_read(op)
            writes = [self.add_result(op, "forward")]
            if op.primitive is Primitive.DROPOUT:
                writes.append(self.add_tensor(op.name, "mask", op.local, "mask"))
            self.add_step(op, "forward", Phase.FORWARD, reads, tuple(writes), op.work.forward)
            if self.communicates(op.name):
                kind = self.collective(summing=op.name in LEAVES)
                self.add_collective(op.name, Phase.FORWARD, kind, f"{op.name}.forward", "communicated")

    def recompute(self) -> None:
        """The region once more, with its communication; masks are drawn again."""
        for op in self.ops:
            if self.recomputes(op.name):
                reads = tuple(self.saved(value) for value in op.inputs) + self.parameters_read(op)
                writes = [self.add_result(op, "discarded" if self.discards(op.name) else "recomputed")]
                if op.primitive is Primitive.DROPOUT:
                    writes.append(self.add_tensor(op.name, "mask_recomputed", op.local, "mask"))
                self.add_step(op, "recompute", Phase.RECOMPUTE, reads, tuple(writes), op.work.forward)
            if self.recommunicates(op.name):
                kind = self.collective(summing=op.name in LEAVES)
                kept = f"{op.name}.recomputed" if self.recomputes(op.name) else f"{op.name}.forward"
                self.add_collective(op.name, Phase.RECOMMUNICATION, kind, kept, "recommunicated")

    def backward(self) -> None:
        """Operations in reverse: communicate the result's gradient, then the gradients of inputs and parameters."""
        self.add_gradient(self.ops[-1].name, "gradient")
        for op in reversed(self.ops):
            self.join_gradients(op.name)
            if self.gradient_communicates(op.name):
                kind = self.collective(summing=op.name in ENTERS)
                phase = Phase.ACTIVATION_GRADIENT
                self.add_collective(op.name, phase, kind, f"{op.name}.gradient", "gradient_communicated")
            self.activation_gradient(op)
            self.weight_gradient(op)
        self.join_gradients("x")

    def join_gradients(self, value: str) -> None:
        """Where several operations read a value, the sum of their gradients of it."""
        consumers = self.consumers(value)
        if len(consumers) < 2:
            return
        elements = (self.whole if value in ENTERS else self.local_of(value)).elements
        reads = tuple(self.contribution(value, consumer) for consumer in consumers)
        written = self.add_gradient(value, "gradient")
        work = primitives.fork_gradient(elements, len(consumers), self.dims.e)
        operands = (("elements", elements), ("branches", len(consumers)))
        name, phase = f"{value}.fork_gradient", Phase.ACTIVATION_GRADIENT
        self.steps.append(Step(value, name, phase, Primitive.FORK, operands, reads, (written,), work))

    def activation_gradient(self, op: Op[N]) -> None:
        """The gradients of an operation's inputs."""
        writes = tuple(
            self.add_gradient(value, self.contribution(value, op.name).removeprefix(f"{value}.")) for value in op.inputs
        )
        reads = (self.gradient(op.name), *self.saved_operands(op))
        self.add_step(op, "activation_gradient", Phase.ACTIVATION_GRADIENT, reads, writes, op.work.activation_gradient)

    def weight_gradient(self, op: Op[N]) -> None:
        """The gradients of an operation's parameters, from its result's gradient and its saved input."""
        if op.work.weight_gradient is None:
            return
        reads = (self.gradient(op.name), *(self.saved(value) for value in op.inputs))
        # A parameter that every rank holds whole sees only its rank's tokens when the sequence is split.
        addends = self.case.tensor_parallel and self.case.sequence_parallel
        writes = tuple(
            self.add_tensor(each.name, "gradient", each.local, "gradient", partial=addends and each.local.split is None)
            for each in op.parameters
        )
        self.add_step(op, "weight_gradient", Phase.WEIGHT_GRADIENT, reads, writes, op.work.weight_gradient)

    def optimizer(self) -> None:
        """One step over the rank's parameters, or over its share of them when the optimizer is sharded."""
        parameters = sorted((each for op in self.ops for each in op.parameters), key=lambda each: each.name)
        count = self.dims.optimizer_shard if self.case.sharded_optimizer else self.dims.parameters
        reads = tuple(f"{each.name}.{version}" for each in parameters for version in ("forward", "gradient"))
        writes = tuple(self.add_tensor(each.name, "updated", each.local) for each in parameters)
        work = primitives.optimizer(count, self.dims.e, self.dims.g, self.dims.o)
        operands = (("parameters", count),)
        self.steps.append(
            Step("parameters", "optimizer", Phase.OPTIMIZER, Primitive.OPTIMIZER, operands, reads, writes, work)
        )

    # Operands -------------------------------------------------------------------------------------------------------

    def parameters_read(self, op: Op[N]) -> tuple[str, ...]:
        return tuple(f"{parameter.name}.forward" for parameter in op.parameters)

    def saved_operands(self, op: Op[N]) -> tuple[str, ...]:
        """What the gradient of an operation reads besides its result's gradient."""
        match op.primitive:
            case Primitive.LINEAR:
                return (f"{op.parameters[0].name}.forward",)
            case Primitive.LAYER_NORM:
                return (self.saved(op.inputs[0]), f"{op.parameters[0].name}.forward")
            case Primitive.SOFTMAX:
                return (self.saved(op.name),)
            case Primitive.DROPOUT:
                return (f"{op.name}.mask_recomputed" if self.recomputes(op.name) else f"{op.name}.mask",)
            case _:
                return tuple(self.saved(value) for value in op.inputs if op.keeps_inputs)
