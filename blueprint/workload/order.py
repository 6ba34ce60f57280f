"""Issue orders and the places of sections, for integers and for symbols alike.

A task's position in its queue is the number of earlier tasks in it. With an indicator b_q, which is 1 for the queue of
the task and 0 for every other, and the counts n_q of the tasks before it:

    position = sum of b_q n_q,   n_q becomes n_q + b_q

A slot target issues task i in (cycle i, slot 0). Sections follow one another: base_{k+1} = base_k + length_k, and an
instruction's address is the base of its section plus its position in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from blueprint.workload.layout import N

_NOTHING = 0


@dataclass(frozen=True)
class Counts(Generic[N]):
    """How many tasks each queue holds, in the queues' canonical order."""

    held: tuple[N | int, ...]

    def position(self, indicators: Sequence[N | int]) -> N | int:
        """Where the next task stands in its queue."""
        found: N | int = _NOTHING
        for indicator, count in zip(indicators, self.held, strict=True):
            found = indicator * count + found
        return found

    def after(self, indicators: Sequence[N | int]) -> Counts[N]:
        """The counts once the task has been issued."""
        pairs = zip(self.held, indicators, strict=True)
        return Counts(tuple(count + indicator for count, indicator in pairs))


def no_counts(queues: int) -> Counts[N]:
    """The counts before the first task."""
    return Counts(tuple(_NOTHING for _ in range(queues)))


@dataclass(frozen=True)
class Slot(Generic[N]):
    """When and where a slot target issues a command."""

    cycle: N
    slot: N | int


def slot_of(index: N) -> Slot[N]:
    """The cycle and slot of the task of this topological index."""
    return Slot(cycle=index, slot=_NOTHING)


def next_index(index: N) -> N:
    """The topological index of the task after this one."""
    return index + 1


def next_base(base: N, length: N | int) -> N:
    """Where the section after one of `length` instructions begins."""
    return base + length
