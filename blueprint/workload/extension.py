"""Operations that an extension adds to the derivation of a block: what they compute and what they keep.

The block's own operations stand in training_block.py and inference_block.py; these are put between them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from blueprint.insertion import Insertion, check_place
from blueprint.workload.dims import N, Widths
from blueprint.workload.operators import Op
from blueprint.workload.primitives import PhaseWork


class ElementwiseWork(Protocol):
    """The work of one operation on so many elements of e bytes, for integers and symbols alike."""

    def __call__(self, elements: N, e: N) -> PhaseWork[N]:
        """Operations and bytes of the forward pass and of the gradient."""
        ...


@dataclass(frozen=True, kw_only=True)
class ElementwiseOperation(Insertion):
    """An operation on every element, with its work by phase, and the rules that demand its tasks and its tensors.

    `keeps_inputs` says whether its gradient reads what it read.
    """

    primitive: str
    work: ElementwiseWork
    keeps_inputs: bool
    rule: str
    tensor_rule: str


def extended(dims: Widths[N], operations: Iterable[Op[N]]) -> Iterator[Op[N]]:
    """A block's operations in forward order, with those of an extension in their places."""
    ops = list(operations)
    for added in dims.added:
        if added.workload is dims.case.workload:
            ops = list(_with(ops, added, dims.e))
    yield from ops


def _with(ops: list[Op[N]], added: ElementwiseOperation, e: N) -> Iterator[Op[N]]:
    check_place(added, [(op.name, op.inputs) for op in ops])
    for op in ops:
        yield dataclasses.replace(op, inputs=added.redirected(op.name, op.inputs))
        if op.name == added.source:
            elements = op.local.elements
            operands, work = (("elements", elements),), added.work(elements, e)
            source = (added.source,)
            yield Op(added.kind, added.primitive, source, (), operands, work, op.local, added.keeps_inputs)
