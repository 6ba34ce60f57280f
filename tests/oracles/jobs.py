"""Whole training jobs that papers and other planners count: their dimensions, and our block as a part of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

from blueprint.frontend.request import training_request
from blueprint.ir.common import DType, Phase, Role
from blueprint.ir.model import OperationKind
from blueprint.ir.request import Activation, Communication, ModelFacts, Recompute, Request
from tests.oracles.derived import MATMULS, Derived, derived

ATTENTION = (
    OperationKind.QUERY_PROJECTION,
    OperationKind.KEY_PROJECTION,
    OperationKind.VALUE_PROJECTION,
    OperationKind.SCORES,
    OperationKind.CONTEXT,
    OperationKind.OUTPUT_PROJECTION,
)
MLP = (OperationKind.UP_PROJECTION, OperationKind.DOWN_PROJECTION)

GRADIENTS = (Phase.ACTIVATION_GRADIENT, Phase.WEIGHT_GRADIENT)


@dataclass(frozen=True)
class Job:
    """One training step: G sequences of S tokens, B in a microbatch, L blocks and a vocabulary of V entries.

    H, F, h and d are the block's sizes in elements; t, p and D the degrees.
    """

    B: int
    G: int
    S: int
    H: int
    F: int
    h: int
    d: int
    L: int
    V: int
    t: int = 1
    p: int = 1
    D: int = 1

    @property
    def a(self) -> int:
        """Elements of the residual stream of one microbatch."""
        return self.B * self.S * self.H

    def request(
        self,
        recompute: Recompute = Recompute.NONE,
        communication: Communication = Communication.ALL_REDUCE,
        *,
        biases: bool = True,
        key_value_heads: int | None = None,
        gradient_bytes: int | None = None,
        dtype: DType = DType.FLOAT16,
    ) -> Request:
        """The request for this job. Raises where no law covers it."""
        return training_request(
            ModelFacts(
                name="job",
                hidden=self.H,
                feedforward=self.F,
                heads=self.h,
                key_value_heads=key_value_heads or self.h,
                head_width=self.d,
                layers=self.L,
                vocabulary=self.V,
                positions=self.S,
                biases=biases,
                activation=Activation.GELU,
            ),
            sequence=self.S,
            batch=self.B,
            microbatches=_exact(self.G, self.B * self.D),
            dtype=dtype,
            tensor=self.t,
            pipeline=self.p,
            data=self.D,
            recompute=recompute,
            communication=communication,
            gradient_bytes=gradient_bytes,
        )

    def all_blocks(self, block: int) -> int:
        """A count of one block, rank and microbatch -> of all blocks, tensor-parallel ranks and microbatches."""
        return block * self.t * self.L * _exact(self.G, self.B)


def _exact(size: int, degree: int) -> int:
    quotient, rest = divmod(size, degree)
    assert rest == 0
    return quotient


def products(emitted: Derived, phases: Iterable[Phase], kinds: Sequence[OperationKind] = ()) -> int:
    """Operations of the matrix products on one rank."""
    return sum(task.work.operations for task in emitted.tasks(tuple(phases), MATMULS, kinds))


def trained(job: Job, recompute: Recompute) -> int:
    """Operations of the matrix products of all blocks in a step: forward, again, and both gradients."""
    emitted = derived(job.request(recompute))
    return job.all_blocks(products(emitted, (Phase.FORWARD, Phase.RECOMPUTE, *GRADIENTS)))


def parameters(emitted: Derived, kinds: Collection[OperationKind] = (), *, whole: bool = True) -> int:
    """Elements of the parameters of the model, or of those of these operations; `whole` or as one rank holds them."""
    chosen = [value for value in emitted.distributed.values if value.role is Role.PARAMETER]
    readers = {each: op.kind for op in emitted.model.operations for each in op.inputs}
    chosen = [value for value in chosen if not kinds or readers[value.source_value] in kinds]
    return sum(prod(value.shape if whole else value.local_shape) for value in chosen)


@dataclass(frozen=True)
class Convention:
    """What others count more than ours (less, if negative), and why."""

    reason: str
    size: Callable[[Job], int | Fraction]


@dataclass(frozen=True)
class Number:
    """One number of ours beside that of others, and the names of the conventions between them."""

    name: str
    job: Job
    ours: int
    theirs: float
    conventions: tuple[str, ...] = field(default=())


def unequal(numbers: Iterable[Number], table: dict[str, Convention], without: str = "") -> dict[str, object]:
    """The numbers that differ although the conventions, but one, are taken into account."""
    found: dict[str, object] = {}
    for number in numbers:
        difference = sum(table[name].size(number.job) for name in number.conventions if name != without)
        if number.ours + difference != number.theirs:
            found[number.name] = (number.ours, difference, number.theirs)
    return found
