"""What one primitive does on one rank, by phase: operations, bytes read, bytes written, message bytes.

One multiply-add is two operations. Every operand is read once and every result written once; scaling, masking and
biases count nothing. Elementwise coefficients are those of Isaev et al. 2023; matrix products are 2mnk each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from blueprint.workload.dims import N


@dataclass(frozen=True)
class TaskWork(Generic[N]):
    """The work vector of one task on one rank; operations and bytes."""

    operations: N | int
    read_bytes: N | int
    write_bytes: N | int
    message_bytes: N | int = 0


@dataclass(frozen=True)
class PhaseWork(Generic[N]):
    """The work of one primitive in each phase that it has."""

    forward: TaskWork[N]
    activation_gradient: TaskWork[N]
    weight_gradient: TaskWork[N] | None = None


def linear(m: N, n: N, k: N, e: N) -> PhaseWork[N]:
    """Matrix product [m,n] x [n,k] with a learned right operand; elements and bytes per element."""
    product = 2 * (m * n * k)
    return PhaseWork(
        forward=TaskWork(product, (m * n + n * k) * e, m * k * e),
        activation_gradient=TaskWork(product, (m * k + n * k) * e, m * n * e),
        weight_gradient=TaskWork(product, (m * n + m * k) * e, n * k * e),
    )


def batched_matmul(z: N, m: N, n: N, k: N, e: N) -> PhaseWork[N]:
    """`z` products [m,n] x [n,k] of two activations; the gradient has two products, and reads its input in each."""
    return PhaseWork(
        forward=TaskWork(2 * (z * m * n * k), z * (m * n + n * k) * e, z * m * k * e),
        activation_gradient=TaskWork(
            4 * (z * m * n * k), z * (2 * (m * k) + n * k + m * n) * e, z * (m * n + n * k) * e
        ),
    )


def layer_norm(elements: N, width: N, e: N) -> PhaseWork[N]:
    """Normalisation of `elements` elements in rows of `width`; fp32 statistics are not counted."""
    return PhaseWork(
        forward=TaskWork(9 * elements, elements * e + 2 * (width * e), elements * e),
        activation_gradient=TaskWork(14 * elements, 2 * (elements * e) + 2 * (width * e), elements * e),
        weight_gradient=TaskWork(7 * elements, 0, 2 * (width * e)),
    )


def softmax(elements: N, e: N) -> PhaseWork[N]:
    """Row-wise softmax."""
    return PhaseWork(
        forward=TaskWork(5 * elements, elements * e, elements * e),
        activation_gradient=TaskWork(8 * elements, 2 * (elements * e), elements * e),
    )


def gelu(elements: N, e: N) -> PhaseWork[N]:
    """GELU activation."""
    return PhaseWork(
        forward=TaskWork(8 * elements, elements * e, elements * e),
        activation_gradient=TaskWork(13 * elements, 2 * (elements * e), elements * e),
    )


def dropout(elements: N, e: N) -> PhaseWork[N]:
    """Dropout with a mask of one byte an element."""
    return PhaseWork(
        forward=TaskWork(elements, elements * e, elements * e + elements),
        activation_gradient=TaskWork(elements, elements * e + elements, elements * e),
    )


def residual(elements: N, e: N) -> PhaseWork[N]:
    """Sum of two tensors; its gradient writes both."""
    return PhaseWork(
        forward=TaskWork(elements, 2 * (elements * e), elements * e),
        activation_gradient=TaskWork(2 * elements, elements * e, 2 * (elements * e)),
    )


def fork_gradient(elements: N, branches: N | int, e: N) -> TaskWork[N]:
    """Sum of the gradients of a value that `branches` operations read."""
    return TaskWork(branches * elements, branches * (elements * e), elements * e)


def all_reduce(elements: N, shard: N, ranks: N | int, e: N) -> TaskWork[N]:
    """Sum over the group, result on every rank; the message is the full tensor."""
    return TaskWork(shard * (ranks - 1), elements * e, elements * e, elements * e)


def reduce_scatter(elements: N, shard: N, ranks: N | int, e: N) -> TaskWork[N]:
    """Sum over the group, one shard on each rank; the message is the full tensor."""
    return TaskWork(shard * (ranks - 1), elements * e, shard * e, elements * e)


def all_gather(elements: N, shard: N, e: N) -> TaskWork[N]:
    """Every rank receives all shards; the message is the full tensor; nothing is computed."""
    return TaskWork(0, shard * e, elements * e, elements * e)


def send(elements: N, e: N) -> TaskWork[N]:
    """Hand a tensor to a neighbour: it is read, and its bytes are the message."""
    return TaskWork(0, elements * e, 0, elements * e)


def receive(elements: N, e: N) -> TaskWork[N]:
    """Take a tensor from a neighbour: its bytes are the message, and it is written."""
    return TaskWork(0, 0, elements * e, elements * e)


def optimizer(parameters: N, e: N, g: N, o: N) -> TaskWork[N]:
    """One Adam step over `parameters`: reads gradient and state, writes state and parameter."""
    return TaskWork(11 * parameters, (g + o) * parameters, (o + e) * parameters)
