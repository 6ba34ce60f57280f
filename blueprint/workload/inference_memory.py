"""What one rank holds for one block in one step of inference: weights, caches, and room to work.

The workspace assumes that nothing is fused: the block's input and output rows lie beside the largest intermediate,
which is the queries, keys and values together, the scores, or the feed-forward rows. An implementation of the
attention core that never writes the scores declares smaller arms (Dao et al. 2022).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from blueprint.workload.dims import N
from blueprint.workload.inference_block import cache_of, queries_of, rows_of, scores_of, stream_of, wide_of
from blueprint.workload.inference_dims import InferenceDims
from blueprint.workload.maximum import Maximum
from blueprint.workload.plan import buffer_size


@dataclass(frozen=True)
class InferenceMemory(Generic[N]):
    """What one rank holds for one block: parameters in elements, all else in bytes.

    `kv` are both caches, `boundary` the rows of the residual stream, `workspace` these and the largest intermediate.
    """

    parameters: N
    weights: N
    kv: N | int
    boundary: N | int
    workspace: N | int


def inference_memory(dims: InferenceDims[N], maximum: Maximum[N]) -> InferenceMemory[N]:
    """The memory facts of one block on one rank."""
    boundary = buffer_size(stream_of(dims).sizes, dims.e)
    return InferenceMemory(
        parameters=dims.parameters,
        weights=dims.e * dims.parameters,
        kv=2 * buffer_size(cache_of(dims).sizes, dims.e),
        boundary=boundary,
        workspace=workspace(boundary, unfused_arms(dims), maximum),
    )


def unfused_arms(dims: InferenceDims[N]) -> tuple[N, N, N]:
    """The intermediates in bytes, of which one at a time exists: q, k and v; scores; feed-forward rows."""
    projected = queries_of(dims).elements + 2 * rows_of(dims, dims.q)
    return (projected * dims.e, scores_of(dims).elements * dims.e, wide_of(dims).elements * dims.e)


def workspace(boundary: N | int, arms: Sequence[N], maximum: Maximum[N]) -> N | int:
    """The boundary and the largest arm beside it, in bytes."""
    return boundary + maximum(arms)
