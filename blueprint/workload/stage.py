"""What a whole pipeline stage has besides its blocks: its edges, and what its ranks exchange once a step.

Where the parameters lie divided over the data-parallel ranks, they are gathered before the forward and before the
backward pass; gradients are reduced before the optimizer reads them (Rajbhandari et al. 2020). Parameters that every
rank holds whole have addends for gradients where the sequence is divided; those are summed over the tensor group first.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from blueprint.case import Case
from blueprint.ir.common import Phase, Primitive
from blueprint.workload import primitives
from blueprint.workload.dims import Dims, N
from blueprint.workload.inference_block import inference_block
from blueprint.workload.inference_block import stream_of as inference_stream_of
from blueprint.workload.inference_dims import InferenceDims
from blueprint.workload.operators import Block, Element, Step, Tensor
from blueprint.workload.primitives import TaskWork
from blueprint.workload.stack import INPUT, OUTPUT, stacked
from blueprint.workload.training_block import stream_of, training_block

SOURCE = "parameters"
"""What the exchanges of a block come from: all its parameters."""

BACKWARD = (Phase.RECOMPUTE, Phase.ACTIVATION_GRADIENT)
"""The phases that read parameters after the forward pass."""


def training_stage(dims: Dims[N], blocks: int) -> Block[N]:
    """All blocks of a stage, with their exchanges, and the stage's edges."""
    stack = stacked(synchronized(dims, training_block(dims)), blocks)
    return _with_edges(dims.case, stack, Edge(stream_of(dims).elements, dims.e), blocks)


def inference_stage(dims: InferenceDims[N], blocks: int) -> Block[N]:
    """All blocks of a stage in one step of inference, and the stage's edges."""
    stack = stacked(inference_block(dims), blocks)
    return _with_edges(dims.case, stack, Edge(inference_stream_of(dims).elements, dims.e), blocks)


# Edges --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Edge(Generic[N]):
    """What crosses an edge of the stage on one rank: elements, and bytes of one."""

    elements: N
    e: N

    def send(self, value: str, version: str, suffix: str) -> Step[N]:
        """The stage's part in handing a tensor on."""
        work = primitives.send(self.elements, self.e)
        return self._step(value, suffix, Primitive.SEND, work, reads=(f"{value}.{version}",))

    def receive(self, value: str, version: str, suffix: str) -> Step[N]:
        """The stage's part in taking one."""
        work = primitives.receive(self.elements, self.e)
        return self._step(value, suffix, Primitive.RECEIVE, work, writes=(f"{value}.{version}",))

    def _step(
        self,
        value: str,
        suffix: str,
        primitive: Primitive,
        work: TaskWork[N],
        reads: tuple[str, ...] = (),
        writes: tuple[str, ...] = (),
    ) -> Step[N]:
        operands = (("elements", self.elements),)
        name, phase = f"{value}.{suffix}", Phase.STAGE_BOUNDARY
        return Step(value, name, phase, primitive, operands, reads, writes, work)


def _with_edges(case: Case, stack: Block[N], edge: Edge[N], blocks: int) -> Block[N]:
    steps: list[Step[N]] = list(stack.steps)
    steps += _crossings(case, edge, blocks)
    return Block(stack.tensors, tuple(steps))


def _crossings(case: Case, edge: Edge[N], blocks: int) -> Iterator[Step[N]]:
    """Activations come in at the first block and leave at the last; in training gradients go the other way."""
    output = f"b{blocks - 1}.{OUTPUT}"
    if case.receives:
        yield edge.receive(INPUT, "forward", "receive")
    if case.sends:
        yield edge.send(output, "forward", "send")
    if case.sends and not case.inference:
        yield edge.receive(output, "gradient", "receive_gradient")
    if case.receives and not case.inference:
        yield edge.send(INPUT, "gradient", "send_gradient")


# Exchanges ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Group(Generic[N]):
    """How many elements are exchanged, the largest share of them, and among how many ranks."""

    elements: N
    share: N
    ranks: N | int


@dataclass(frozen=True)
class Exchange(Generic[N]):
    """One collective on parameters of a block: pairs of the tensors read and written, and its work on one rank."""

    name: str
    primitive: Primitive
    moved: tuple[tuple[str, Tensor[N]], ...]
    group: Group[N]
    work: TaskWork[N]

    @property
    def step(self) -> Step[N]:
        """The task."""
        operands = (("elements", self.group.elements), ("shard", self.group.share), ("ranks", self.group.ranks))
        reads = tuple(read for read, _ in self.moved)
        writes = tuple(written.name for _, written in self.moved)
        return Step(SOURCE, self.name, Phase.SYNCHRONIZATION, self.primitive, operands, reads, writes, self.work)


def synchronized(dims: Dims[N], block: Block[N]) -> Block[N]:
    """A block whose tasks read parameters where they are gathered, and whose optimizer reads what is reduced."""
    named = [each for each in block.tensors if each.version == "forward" and is_parameter(each)]
    parameters = sorted(named, key=lambda each: each.value)
    exchanges: list[Exchange[N]] = list(_exchanges(dims, parameters))
    reads = {phase: _latest(dims.case, phase, parameters) for phase in Phase}
    tensors: list[Tensor[N]] = list(block.tensors)
    tensors += [written for exchange in exchanges for _, written in exchange.moved]
    steps: list[Step[N]] = [
        dataclasses.replace(step, reads=tuple(reads[step.phase].get(name, name) for name in step.reads))
        for step in block.steps
    ]
    steps += [exchange.step for exchange in exchanges]
    return Block(tuple(tensors), tuple(steps))


def is_parameter(tensor: Tensor[N]) -> bool:
    """Whether a tensor of a block is a learned one: these are named after their operation."""
    return "." in tensor.value


def _exchanges(dims: Dims[N], parameters: Sequence[Tensor[N]]) -> Iterator[Exchange[N]]:
    """The sum over the tensor group, then the reduction and the gathers over the data-parallel ranks."""
    case = dims.case
    if case.sums_whole_gradients:
        group = Group(dims.whole, dims.whole_share, dims.t)
        work = primitives.all_reduce(group.elements, group.share, group.ranks, dims.g)
        moved = _moved(case, [each for each in parameters if each.local.split is None], "gradient", "gradient_summed")
        yield Exchange("gradient_sum", Primitive.ALL_REDUCE, moved, group, work)
    if not case.data_parallel:
        return
    group = Group(dims.parameters, dims.optimizer_shard, dims.data)
    moved = _moved(case, parameters, "", "gradient_reduced")
    if case.sharded_optimizer:
        work = primitives.reduce_scatter(group.elements, group.share, group.ranks, dims.g)
        yield Exchange("gradient_reduction", Primitive.REDUCE_SCATTER, moved, group, work)
    else:
        work = primitives.all_reduce(group.elements, group.share, group.ranks, dims.g)
        yield Exchange("gradient_reduction", Primitive.ALL_REDUCE, moved, group, work)
    for name, read, written in _gathered(case):
        work = primitives.all_gather(group.elements, group.share, dims.e)
        yield Exchange(name, Primitive.ALL_GATHER, _moved(case, parameters, read, written), group, work)


def _gathered(case: Case) -> tuple[tuple[str, str, str], ...]:
    """The gathers of a ZeRO stage: task, and the versions that it reads and writes."""
    if case.sharded_parameters:
        return (("forward_gather", "forward", "gathered"), ("backward_gather", "forward", "regathered"))
    return (("update_gather", "updated", "updated_gathered"),) if case.sharded_optimizer else ()


def _moved(case: Case, parameters: Sequence[Tensor[N]], read: str, written: str) -> tuple[tuple[str, Tensor[N]], ...]:
    """One version of each parameter and the one that is made of it; by default its gradient, summed if it has to be."""
    element: Element = "gradient" if written.startswith("gradient") else "activation"
    return tuple(
        (
            f"{each.value}.{read or _summed(case, each)}",
            Tensor(each.value, written, each.local, element, partial=False),
        )
        for each in parameters
    )


def _summed(case: Case, parameter: Tensor[N]) -> str:
    """The version of a parameter's gradient that holds what all ranks of the tensor group have seen."""
    return "gradient_summed" if case.sums_whole_gradients and parameter.local.split is None else "gradient"


def _latest(case: Case, phase: Phase, parameters: Sequence[Tensor[N]]) -> Mapping[str, str]:
    """The tensors that a phase reads in the place of a parameter or its gradient."""
    if phase is Phase.OPTIMIZER:
        reduced = "gradient_reduced" if case.data_parallel else ""
        return {f"{each.value}.gradient": f"{each.value}.{reduced or _summed(case, each)}" for each in parameters}
    if not case.sharded_parameters:
        return {}
    versions = {Phase.FORWARD: "gathered", **dict.fromkeys(BACKWARD, "regathered")}
    version = versions.get(phase, "forward")
    return {f"{each.value}.forward": f"{each.value}.{version}" for each in parameters}
