"""The structural derivation of one block in one step of inference, on one tensor-parallel rank.

One function over dimensions, for integers and symbols alike. The keys and values of all visible tokens lie in two
caches: the projections append the rows of the step's own tokens to them, and the attention core reads them whole.
Where the tensor-parallel region ends, the group sums (Vaswani et al. 2017; Shoeybi et al. 2019).
"""

from __future__ import annotations

from collections.abc import Iterator

from blueprint.ir.common import Axis, Phase, Primitive
from blueprint.workload import primitives
from blueprint.workload.dims import N
from blueprint.workload.extension import extended
from blueprint.workload.inference_dims import InferenceDims
from blueprint.workload.operators import (
    Block,
    CacheAccess,
    CacheUse,
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
from blueprint.workload.training_block import LEAVES

CACHED = ("key_projection", "value_projection")
"""Operations whose results are kept for later steps."""


def inference_block(dims: InferenceDims[N]) -> Block[N]:
    """Derive one step: every operation once, and a sum where the parallel region ends."""
    ops = tuple(inference_operations(dims))
    stream = stream_of(dims)
    tensors = [Tensor("x", "forward", stream, "activation", partial=False)]
    tensors += [
        Tensor(each.name, "forward", each.local, "activation", partial=False) for op in ops for each in op.parameters
    ]
    steps: list[Step[N]] = []
    for op in ops:
        summed = dims.case.tensor_parallel and op.name in LEAVES
        tensors.append(Tensor(op.name, _version(op.name), op.local, "activation", partial=summed))
        steps.append(_step(dims, op))
        if summed:
            tensors.append(Tensor(op.name, "communicated", stream, "activation", partial=False))
            steps.append(_sum(dims, op.name))
    return Block(tuple(tensors), tuple(steps))


def stream_of(dims: InferenceDims[N]) -> Local[N]:
    """The residual stream, which every rank holds whole."""
    return Local((dims.b, dims.q, dims.H), None)


def cache_of(dims: InferenceDims[N]) -> Local[N]:
    """One cache: a row for every visible token."""
    return Local((dims.b, dims.c, dims.k_t, dims.d), Axis.KEY_VALUE_HEADS)


def rows_of(dims: InferenceDims[N], rows: N) -> N:
    """The elements of so many rows of one cache for every sequence."""
    return dims.b * rows * dims.k_t * dims.d


def queries_of(dims: InferenceDims[N]) -> Local[N]:
    """One rank's heads of the step's queries, and of what the attention core leaves."""
    return Local((dims.b, dims.q, dims.h_t, dims.d), Axis.HEADS)


def scores_of(dims: InferenceDims[N]) -> Local[N]:
    """The step's own tokens against all visible ones, for one rank's heads."""
    return Local((dims.b, dims.h_t, dims.q, dims.c), Axis.HEADS)


def wide_of(dims: InferenceDims[N]) -> Local[N]:
    """One rank's feed-forward columns of the step's own tokens."""
    return Local((dims.b, dims.q, dims.F_t), Axis.FEEDFORWARD)


def inference_operations(dims: InferenceDims[N]) -> Iterator[Op[N]]:
    """The block's operations in order, with the shapes of what they leave on one rank, and those of an extension."""
    return extended(dims, _operations(dims))


def _operations(dims: InferenceDims[N]) -> Iterator[Op[N]]:
    stream, cache = stream_of(dims), cache_of(dims)
    queries, scores, wide = queries_of(dims), scores_of(dims), wide_of(dims)
    hidden = Local((dims.H,), None)
    by_head = Local((dims.h_t, dims.d), Axis.HEADS)
    by_key_head = Local((dims.k_t, dims.d), Axis.KEY_VALUE_HEADS)
    by_width = Local((dims.F_t,), Axis.FEEDFORWARD)
    batch = dims.b * dims.h_t

    yield norm("attention_norm", "x", stream, dims.H, dims.e)
    yield _linear(dims, "query_projection", "attention_norm", hidden, by_head, queries)
    yield _linear(dims, "key_projection", "attention_norm", hidden, by_key_head, cache)
    yield _linear(dims, "value_projection", "attention_norm", hidden, by_key_head, cache)
    sizes = (dims.q, dims.d, dims.c)
    yield matmul("scores", ("query_projection", "key_projection"), batch, sizes, scores, dims.e)
    yield elementwise("softmax", Primitive.SOFTMAX, ("scores",), scores, dims.e)
    sizes = (dims.q, dims.c, dims.d)
    yield matmul("context", ("softmax", "value_projection"), batch, sizes, queries, dims.e)
    yield _linear(dims, "output_projection", "context", by_head, hidden, stream)
    yield elementwise("attention_residual", Primitive.RESIDUAL, ("x", "output_projection"), stream, dims.e)
    yield norm("mlp_norm", "attention_residual", stream, dims.H, dims.e)
    yield _linear(dims, "up_projection", "mlp_norm", hidden, by_width, wide)
    yield elementwise("activation", Primitive.GELU, ("up_projection",), wide, dims.e)
    yield _linear(dims, "down_projection", "activation", by_width, hidden, stream)
    yield elementwise("mlp_residual", Primitive.RESIDUAL, ("attention_residual", "down_projection"), stream, dims.e)


def _linear(dims: InferenceDims[N], name: str, source: str, inner: Local[N], outer: Local[N], local: Local[N]) -> Op[N]:
    return linear(name, source, dims.b * dims.q, Weight(inner, outer, dims.case.biases), local, dims.e)


def _version(value: str) -> str:
    return "cache" if value in CACHED else "forward"


def _read(dims: InferenceDims[N], value: str) -> str:
    """The tensor that a consumer of a value reads."""
    summed = dims.case.tensor_parallel and value in LEAVES
    return f"{value}.communicated" if summed else f"{value}.{_version(value)}"


def _step(dims: InferenceDims[N], op: Op[N]) -> Step[N]:
    reads = tuple(_read(dims, value) for value in op.inputs) + tuple(f"{each.name}.forward" for each in op.parameters)
    written = f"{op.name}.{_version(op.name)}"
    cache = tuple(_access(dims, CacheUse.READ, name) for name in reads if name.removesuffix(".cache") in CACHED)
    if op.name in CACHED:
        cache = (_access(dims, CacheUse.APPEND, written),)
    name, phase = f"{op.name}.forward", Phase.FORWARD
    work = op.work.forward
    return Step(op.name, name, phase, op.primitive, op.operands, reads, (written,), work, cache=cache)


def _access(dims: InferenceDims[N], use: CacheUse, tensor: str) -> CacheAccess[N]:
    """All rows of a cache, or those of the step's own tokens."""
    rows = dims.c if use is CacheUse.READ else dims.q
    return CacheAccess(use, tensor, rows_of(dims, rows) * dims.e)


def _sum(dims: InferenceDims[N], value: str) -> Step[N]:
    """The sum of a row-parallel projection's addends over the group."""
    elements = stream_of(dims).elements
    work = primitives.all_reduce(elements, dims.shard, dims.t, dims.e)
    operands = (("elements", elements), ("shard", dims.shard), ("ranks", dims.t))
    name, phase = f"{value}.collective.forward", Phase.FORWARD
    reads, writes = (f"{value}.forward",), (f"{value}.communicated",)
    return Step(value, name, phase, Primitive.ALL_REDUCE, operands, reads, writes, work)
