"""Implementations of the attention core in a step of inference, by the intermediates that exist with each.

Unfused, the scores of the step's own tokens against all visible ones are written. Tiled exact attention never writes
them; beside its output rows it keeps one fp32 statistic for each row and head, the logarithm of the softmax's sum (Dao
et al. 2022). Paged attention finds the rows of the caches by a table, here with an entry of four bytes for every
visible token, as with pages of one token; larger pages need less (Kwon et al. 2023). All sizes are bytes of one rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from blueprint.workload.dims import N
from blueprint.workload.inference_block import queries_of, rows_of, scores_of, wide_of
from blueprint.workload.inference_dims import InferenceDims

STATISTIC_BYTES = 4
"""Bytes of the fp32 statistic of one row and head."""

ENTRY_BYTES = 4
"""Bytes of one entry of a page table."""


@dataclass(frozen=True)
class Attention(Generic[N]):
    """One implementation: what it asks of a target, and its intermediates, one of which exists at a time."""

    name: str
    capability: str
    arms: Sequence[N]


def implementations(dims: InferenceDims[N]) -> tuple[Attention[N], ...]:
    """Every implementation, the one that assumes least of a target first."""
    projected, scores, wide = unfused_arms(dims)
    rows = dims.b * dims.h_t * dims.q * (dims.d * dims.e + STATISTIC_BYTES)
    table = ENTRY_BYTES * (dims.b * dims.c)
    return (
        Attention("attention.unfused", "batched_matmul", (projected, scores, wide)),
        Attention("attention.tiled", "tiled_attention", (projected, rows, wide)),
        Attention("attention.paged", "paged_attention", (projected, rows, wide, table)),
    )


def fused_operations(operations: Sequence[N]) -> N:
    """The operations of tasks that are run as one: fusing saves traffic, and no arithmetic."""
    total = operations[0]
    for each in operations[1:]:
        total = total + each
    return total


def unfused_arms(dims: InferenceDims[N]) -> tuple[N, N, N]:
    """The intermediates while nothing is fused: q, k and v; scores; feed-forward rows."""
    projected = queries_of(dims).elements + 2 * rows_of(dims, dims.q)
    return (projected * dims.e, scores_of(dims).elements * dims.e, wide_of(dims).elements * dims.e)
