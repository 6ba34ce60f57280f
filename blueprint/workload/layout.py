"""The layout of buffers in one region, for integers and for symbols alike: bytes from the region's base.

    o_0 = 0,  o_i = align_up(o_{i-1} + s_{i-1}, a_i),  C = o_{n-1} + s_{n-1}

`align_up`, which is handed in, `alignment_of` and `base_alignment` are the functions with cases. A proof has opaque
symbols in their place, under their contracts; nothing else differs between the two runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from blueprint.workload.symbolic import Symbolic

N = TypeVar("N", int, Symbolic)

FIRST_OFFSET = 0
"""Where the first buffer of a region lies."""

AlignUp = Callable[[N, N], N]
"""The least multiple of an alignment that is at least an end."""

LEAST_ALIGNMENT = 16
"""Bytes that every buffer is aligned to, whatever it asks for."""


def align_up(end: int, alignment: int) -> int:
    """The least multiple of `alignment` that is at least `end`. Raises ArithmeticError if it broke its contract."""
    aligned = -(-end // alignment) * alignment
    if aligned % alignment or not end <= aligned < end + alignment:
        raise ArithmeticError(f"align_up({end}, {alignment}) = {aligned}")
    return aligned


def alignment_of(required: int) -> int:
    """The greater of the required and the least alignment, for a power of two, which makes it a multiple of both.

    Raises ArithmeticError for any other number, and if it broke its contract.
    """
    alignment = max(LEAST_ALIGNMENT, required)
    broken = alignment not in {LEAST_ALIGNMENT, required} or alignment % LEAST_ALIGNMENT or alignment % required
    if broken or required & (required - 1):
        raise ArithmeticError(f"alignment_of({required}) = {alignment}")
    return alignment


def base_alignment(alignments: Sequence[int]) -> int:
    """The alignment of a region's base: the greatest in it, of which all are divisors."""
    return max((LEAST_ALIGNMENT, *alignments))


def next_offset(offset: N | int, size: N, alignment: N, aligned: AlignUp[N]) -> N:
    """Where a buffer lies that follows one of `size` at `offset`."""
    return aligned(buffer_end(offset, size), alignment)


def buffer_end(offset: N | int, size: N) -> N:
    """The first byte behind a buffer; behind the last one it is the capacity that the layout needs."""
    return size + offset


class Layout(Generic[N]):
    """Lays buffers out one after another: the first at the region's base, or behind the one that is given."""

    def __init__(self, aligned: AlignUp[N], offset: N | int = FIRST_OFFSET, size: N | None = None) -> None:
        self.aligned: AlignUp[N] = aligned
        self.offset: N | int = offset
        self.size: N | None = size

    def place(self, size: N, alignment: N) -> N | int:
        """The offset of the next buffer."""
        if self.size is not None:
            self.offset = next_offset(self.offset, self.size, alignment, self.aligned)
        self.size = size
        return self.offset

    def capacity(self) -> N | int:
        """The bytes from the base to the end of the last buffer."""
        return self.offset if self.size is None else buffer_end(self.offset, self.size)


def integer_layout() -> Layout[int]:
    """An empty region that buffers are laid out in by their numbers."""
    return Layout(align_up)
