"""The blocks of a pipeline stage in a chain: one block's derivation, once for each block, joined at the seams.

A block of a stack does what a block alone does. Its input is the result of the block before it, and the gradient of
that input is the gradient of that result; so a stack is renaming, and no size and no count of a block changes in it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

from blueprint.workload.dims import N
from blueprint.workload.operators import Block, CacheAccess, Step, Tensor

INPUT, OUTPUT = "x", "mlp_residual"
"""The values at which blocks are joined: what a block reads of the one before it, and what it leaves."""


def stacked(block: Block[N], blocks: int) -> Block[N]:
    """`blocks` copies of a block in a chain; values and tasks of the copy i are called b<i>.<name>."""
    pieces = [_piece(block, index) for index in range(blocks)]
    # The tensors of a seam belong to both of its blocks.
    tensors = {tensor.name: tensor for piece in pieces for tensor in piece.tensors}
    return Block(
        tuple(tensors.values()),
        tuple(step for piece in pieces for step in piece.steps),
    )


def _piece(block: Block[N], index: int) -> Block[N]:
    names = {tensor.name: _tensor_name(tensor, index) for tensor in block.tensors}
    tensors = tuple(
        dataclasses.replace(tensor, value=_value(tensor.value, index), version=_version(tensor, index))
        for tensor in block.tensors
    )
    return Block(tensors, tuple(_step(step, names, index) for step in block.steps))


def _value(name: str, index: int) -> str:
    """A value of the block in the stack; the first block's input keeps its name."""
    if name != INPUT:
        return f"b{index}.{name}"
    return f"b{index - 1}.{OUTPUT}" if index else INPUT


def _version(tensor: Tensor[N], index: int) -> str:
    """A consumer's part of a gradient is named after the consumer."""
    gradient, _, consumer = tensor.version.partition(".")
    return f"{gradient}.b{index}.{consumer}" if consumer else tensor.version


def _tensor_name(tensor: Tensor[N], index: int) -> str:
    return f"{_value(tensor.value, index)}.{_version(tensor, index)}"


def _step(step: Step[N], names: Mapping[str, str], index: int) -> Step[N]:
    source = _value(step.source, index)
    suffix = step.name.removeprefix(f"{step.source}.")
    return dataclasses.replace(
        step,
        source=source,
        name=f"b{index}.{suffix}" if suffix == step.name else f"{source}.{suffix}",
        block=index,
        reads=tuple(names[name] for name in step.reads),
        writes=tuple(names[name] for name in step.writes),
        cache=tuple(_caches(step, names)),
    )


def _caches(step: Step[N], names: Mapping[str, str]) -> Iterator[CacheAccess[N]]:
    for access in step.cache:
        yield dataclasses.replace(access, tensor=names[access.tensor])
