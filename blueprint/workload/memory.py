"""What one rank holds for one block: model state by ZeRO stage, and the activations of one microbatch by policy.

What an operation keeps for its gradient is reduced from layer facts (Korthikanti et al. 2022; Rajbhandari et al. 2020):

    C_act = sum over layers of (A - O [output not stored] - A [activation not stored])

A layer keeps what its gradient reads, A bytes: its input, both operands, its own result, or its mask. Where its
result, O bytes, is not stored, the next layer's A holds a tensor that is made again, and O is taken off. A single
term may be negative.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic

from blueprint.case import Case
from blueprint.ir.common import Phase, Primitive
from blueprint.ir.request import Recompute
from blueprint.workload.dims import Dims, N
from blueprint.workload.operators import Block, Local, Op, Tensor
from blueprint.workload.plan import buffer_size
from blueprint.workload.training_block import operations, stream_of

UNSTORED_OUTPUTS = ("scores", "softmax")
"""Layers whose result selective recompute makes again; the next layer keeps it in its A."""

UNSTORED_ACTIVATIONS = ("attention_dropout",)
"""Layers whose own A selective recompute makes again: the mask is drawn once more."""

MADE_AGAIN = ("recomputed", "recommunicated", "mask_recomputed")
"""Versions of a value that exist in the backward pass alone."""

GRADIENT_PHASES = (Phase.ACTIVATION_GRADIENT, Phase.WEIGHT_GRADIENT)
"""The phases whose tasks read what was kept."""

MASK_BYTES = 1
"""Bytes of one element of a dropout mask."""

_NOTHING = 0


@dataclass(frozen=True)
class Layer(Generic[N]):
    """What one operation keeps for its gradient and what it writes, in bytes on one rank, and which is stored."""

    name: str
    activation: N | int
    output: N | int
    store_output: bool
    store_activation: bool


@dataclass(frozen=True)
class ModelState(Generic[N]):
    """Weights, their gradients and the optimizer's state on one rank, in bytes."""

    weights: N
    gradients: N
    optimizer: N


@dataclass(frozen=True)
class Memory(Generic[N]):
    """What one rank holds for one block: parameters in elements, all else in bytes.

    `stored` are the activations of one microbatch that wait for its backward pass, `working` those that the backward
    pass of the block makes again and reads beside them, `checkpoint` the block's input where everything is made again.
    """

    parameters: N
    state: ModelState[N]
    stored: N | int
    working: N | int
    checkpoint: N | int


def block_memory(dims: Dims[N], block: Block[N]) -> Memory[N]:
    """The memory facts of one block on one rank."""
    return Memory(
        parameters=dims.parameters,
        state=model_state(dims.case, dims.parameters, dims.optimizer_shard, dims.e, dims.g, dims.o),
        stored=stored_activations(tuple(layers(dims))),
        working=working_activations(dims, block),
        checkpoint=checkpoint(dims),
    )


def stack_memory(block: Memory[N], blocks: int) -> Memory[N]:
    """What one rank holds for several blocks; what the backward pass makes again exists for one block at a time."""
    state = block.state
    return Memory(
        parameters=blocks * block.parameters,
        state=ModelState(blocks * state.weights, blocks * state.gradients, blocks * state.optimizer),
        stored=blocks * block.stored,
        working=block.working,
        checkpoint=blocks * block.checkpoint,
    )


def model_state(case: Case, parameters: N, share: N, e: N, g: N, o: N) -> ModelState[N]:
    """Bytes of weights, gradients and optimizer state; ZeRO keeps the rank's `share` of what a stage divides."""
    return ModelState(
        weights=e * (share if case.sharded_parameters else parameters),
        gradients=g * (share if case.sharded_gradients else parameters),
        optimizer=o * (share if case.sharded_optimizer else parameters),
    )


def layers(dims: Dims[N]) -> Iterator[Layer[N]]:
    """The layer facts of every operation, in forward order."""
    ops = tuple(operations(dims))
    local = {op.name: op.local for op in ops}
    full = dims.case.recompute is Recompute.FULL
    selective = dims.case.recompute is Recompute.SELECTIVE
    names_kept: list[str] = []
    for op in ops:
        inputs = tuple(each for each in op.inputs if op.keeps_inputs and each not in names_kept)
        names_kept.extend(inputs)
        yield Layer(
            name=op.name,
            activation=_kept(dims, op, tuple(local.get(each, stream_of(dims)) for each in inputs)),
            output=_bytes(op.local, dims.e),
            store_output=not (selective and op.name in UNSTORED_OUTPUTS),
            store_activation=not (full or (selective and op.name in UNSTORED_ACTIVATIONS)),
        )


def _kept(dims: Dims[N], op: Op[N], inputs: tuple[Local[N], ...]) -> N | int:
    """Bytes that the gradient of an operation reads; of its inputs, those that no earlier operation keeps."""
    match op.primitive:
        case Primitive.DROPOUT:
            return _bytes(op.local, MASK_BYTES)
        case Primitive.SOFTMAX:
            return _bytes(op.local, dims.e)
        case _:
            kept: N | int = _NOTHING
            for each in inputs:
                kept = _bytes(each, dims.e) + kept
            return kept


def stored_activations(table: tuple[Layer[N], ...]) -> N | int:
    """C_act of the layers, in bytes."""
    stored: N | int = _NOTHING
    for layer in table:
        stored = layer.activation + stored
        if not layer.store_output:
            stored = stored - layer.output
        if not layer.store_activation:
            stored = stored - layer.activation
    return stored


def working_activations(dims: Dims[N], block: Block[N]) -> N | int:
    """Bytes of the tensors that are made again and that gradients read, each once."""
    gradients = [step for step in block.steps if step.phase in GRADIENT_PHASES]
    names_read = [name for step in gradients for name in step.reads]
    working: N | int = _NOTHING
    for tensor in block.tensors:
        if tensor.name in names_read and tensor.version in MADE_AGAIN:
            working = tensor_bytes(dims, tensor) + working
    return working


def checkpoint(dims: Dims[N]) -> N | int:
    """Bytes of the block's input where it alone is stored."""
    return _bytes(stream_of(dims), dims.e) if dims.case.recompute is Recompute.FULL else _NOTHING


def tensor_bytes(dims: Dims[N], tensor: Tensor[N]) -> N | int:
    """Bytes of one tensor on one rank: a mask has one an element, a parameter's gradient g, all else e."""
    widths: dict[str, N | int] = {"mask": MASK_BYTES, "gradient": dims.g, "activation": dims.e}
    return _bytes(tensor.local, widths[tensor.element])


def _bytes(local: Local[N], width: N | int) -> N | int:
    size: N | int = buffer_size(local.sizes, width)
    return size
