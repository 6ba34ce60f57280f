"""Where an extension puts an operation of its own into the block: between a value and operations that read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from blueprint.case import Workload
from blueprint.errors import RulebookError


@dataclass(frozen=True, kw_only=True)
class Insertion:
    """One operation on every element of a value; its result has the value's shape.

    `kind` names the operation and its result in the block; `source` is the value, named after the operation that
    makes it; `readers` are the operations that read the result in the value's place.
    """

    kind: str
    source: str
    readers: tuple[str, ...]
    workload: Workload

    def redirected(self, reader: str, inputs: tuple[str, ...]) -> tuple[str, ...]:
        """What a reader reads once the operation is there."""
        if reader not in self.readers:
            return inputs
        return tuple(self.kind if each == self.source else each for each in inputs)


def check_place(insertion: Insertion, reads: Sequence[tuple[str, tuple[str, ...]]]) -> None:
    """Refuse an operation without a place among operations, given by name and inputs. Raises RulebookError."""
    names = [name for name, _ in reads]
    if insertion.source not in names:
        raise RulebookError(f"operation {insertion.kind}: the block makes no value {insertion.source}")
    if insertion.kind in names:
        raise RulebookError(f"operation {insertion.kind}: the block has an operation of this name")
    if not insertion.readers:
        raise RulebookError(f"operation {insertion.kind}: readers must name one operation or more")
    inputs = dict(reads)
    lost = [each for each in insertion.readers if insertion.source not in inputs.get(each, ())]
    if lost:
        raise RulebookError(f"operation {insertion.kind}: {lost[0]} does not read {insertion.source}")
