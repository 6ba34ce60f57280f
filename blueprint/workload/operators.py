"""What a block is made of: operations with their shapes on one rank, the tensors that hold values, the tasks.

Shared by training and inference: both run the same operators, over the dimensions of their own step.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Generic, Literal

from blueprint.ir.common import Axis, Phase, Primitive
from blueprint.workload import primitives
from blueprint.workload.dims import N
from blueprint.workload.primitives import PhaseWork, TaskWork

Element = Literal["activation", "mask", "gradient"]


class CacheUse(enum.Enum):
    """What a task does with a key/value cache."""

    READ = "read"
    APPEND = "append"


@dataclass(frozen=True)
class Local(Generic[N]):
    """Sizes on one rank in elements, and the axis that is divided over the group, if one is."""

    sizes: tuple[N, ...]
    split: Axis | None

    @property
    def elements(self) -> N:
        """The product of the sizes."""
        result = self.sizes[0]
        for size in self.sizes[1:]:
            result = result * size
        return result


@dataclass(frozen=True)
class Tensor(Generic[N]):
    """One tensor that the group holds: which model value, which version of it, its sizes on one rank.

    `partial` marks addends whose sum over the ranks is the value.
    """

    value: str
    version: str
    local: Local[N]
    element: Element
    partial: bool

    @property
    def name(self) -> str:
        """The local name of the distributed value."""
        return f"{self.value}.{self.version}"


@dataclass(frozen=True)
class CacheAccess(Generic[N]):
    """The bytes of a cache that a task reads or appends on one rank; they are among the bytes of its work."""

    use: CacheUse
    tensor: str
    size: N


@dataclass(frozen=True)
class Step(Generic[N]):
    """One task of the group: its source in the model graph, what it reads and writes, its work on one rank.

    `block` counts the blocks of a stack.
    """

    source: str
    name: str
    phase: Phase
    primitive: str
    operands: tuple[tuple[str, N | int], ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    work: TaskWork[N]
    block: int = 0
    cache: tuple[CacheAccess[N], ...] = ()


@dataclass(frozen=True)
class Block(Generic[N]):
    """All tensors and tasks of one block."""

    tensors: tuple[Tensor[N], ...]
    steps: tuple[Step[N], ...]


@dataclass(frozen=True)
class Parameter(Generic[N]):
    """One learned tensor of an operation."""

    name: str
    local: Local[N]


@dataclass(frozen=True)
class Op(Generic[N]):
    """One forward operation on one rank. `keeps_inputs` says whether its gradient reads what it read."""

    name: str
    primitive: str
    inputs: tuple[str, ...]
    parameters: tuple[Parameter[N], ...]
    operands: tuple[tuple[str, N], ...]
    work: PhaseWork[N]
    local: Local[N]
    keeps_inputs: bool


def norm(name: str, source: str, local: Local[N], width: N, e: N) -> Op[N]:
    """Layer norm in rows of `width`, with a gain and a bias."""
    affine = tuple(Parameter(f"{name}.{part}", Local((width,), None)) for part in ("gain", "bias"))
    operands = (("elements", local.elements), ("width", width))
    work = primitives.layer_norm(local.elements, width, e)
    return Op(name, Primitive.LAYER_NORM, (source,), affine, operands, work, local, keeps_inputs=True)


@dataclass(frozen=True)
class Weight(Generic[N]):
    """The learned matrix of a linear on one rank, by its input and output sizes, and whether it has a bias."""

    inner: Local[N]
    outer: Local[N]
    bias: bool


def linear(name: str, source: str, rows: N, weight: Weight[N], local: Local[N], e: N) -> Op[N]:
    """Matrix product of `rows` rows with a learned matrix."""
    inner, outer = weight.inner, weight.outer
    m, n, k = rows, inner.elements, outer.elements
    matrix = Parameter(f"{name}.weight", Local(inner.sizes + outer.sizes, inner.split or outer.split))
    bias = Parameter(f"{name}.bias", outer)
    parameters = (matrix, bias) if weight.bias else (matrix,)
    work = primitives.linear(m, n, k, e)
    return Op(
        name, Primitive.LINEAR, (source,), parameters, (("m", m), ("n", n), ("k", k)), work, local, keeps_inputs=True
    )


def matmul(name: str, inputs: tuple[str, str], batch: N, sizes: tuple[N, N, N], local: Local[N], e: N) -> Op[N]:
    """`batch` products of two activations, of sizes m, n and k."""
    m, n, k = sizes
    operands = (("z", batch), ("m", m), ("n", n), ("k", k))
    work = primitives.batched_matmul(batch, m, n, k, e)
    return Op(name, Primitive.BATCHED_MATMUL, inputs, (), operands, work, local, keeps_inputs=True)


_ELEMENTWISE = {
    Primitive.SOFTMAX: primitives.softmax,
    Primitive.DROPOUT: primitives.dropout,
    Primitive.GELU: primitives.gelu,
    Primitive.RESIDUAL: primitives.residual,
}


def elementwise(name: str, primitive: Primitive, inputs: tuple[str, ...], local: Local[N], e: N) -> Op[N]:
    """An operation on every element of its result."""
    work = _ELEMENTWISE[primitive](local.elements, e)
    keeps = primitive is Primitive.GELU
    return Op(name, primitive, inputs, (), (("elements", local.elements),), work, local, keeps_inputs=keeps)
