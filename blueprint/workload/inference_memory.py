"""What one rank holds for one block in one step of inference: weights, caches, and room to work.

The workspace assumes that nothing is fused: the block's input and output rows lie beside the largest intermediate,
which is the queries, keys and values together, the scores, or the feed-forward rows. An implementation of the
attention core that never writes the scores declares smaller arms (Dao et al. 2022).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from blueprint.workload.attention import unfused_arms
from blueprint.workload.dims import N
from blueprint.workload.inference_block import cache_of, stream_of
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
    return InferenceMemory(
        parameters=dims.parameters,
        weights=dims.e * dims.parameters,
        kv=2 * buffer_size(cache_of(dims).sizes, dims.e),
        boundary=boundary(dims),
        workspace=workspace(dims, unfused_arms(dims), maximum),
    )


def stack_memory(block: InferenceMemory[N], blocks: int) -> InferenceMemory[N]:
    """What one rank holds for several blocks, of which one at a time works."""
    return dataclasses.replace(
        block, parameters=blocks * block.parameters, weights=blocks * block.weights, kv=blocks * block.kv
    )


def boundary(dims: InferenceDims[N]) -> N | int:
    """The rows of the residual stream, in bytes."""
    return buffer_size(stream_of(dims).sizes, dims.e)


def workspace(dims: InferenceDims[N], arms: Sequence[N], maximum: Maximum[N]) -> N | int:
    """The boundary and the largest arm beside it, in bytes."""
    return boundary(dims) + maximum(arms)
