"""The dimensions of one rank's share of a block: the only place of exact division."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from blueprint.case import Case, case_of
from blueprint.errors import DomainError
from blueprint.ir.request import Request, Training
from blueprint.workload.symbolic import Symbolic

if TYPE_CHECKING:
    from blueprint.workload.extension import ElementwiseOperation

N = TypeVar("N", int, Symbolic)


@dataclass(frozen=True)
class Factors(Generic[N]):
    """What the dimensions are products of. All counts are at least 1.

    `sequence` is S_t under sequence parallelism and S otherwise; `shard` is the number of elements of one rank's share
    of a B·S·H tensor where S is not split; `optimizer_shard` the largest share of the rank's parameters when they
    are divided over the `data`-parallel group, `whole_share` that of the undivided ones over the tensor group. These
    are read only in those cases.
    """

    batch: N
    sequence: N
    hidden: N
    heads: N
    key_value_heads: N
    head_width: N
    feedforward: N
    tensor: N | int
    element: N
    gradient: N
    optimizer_state: N
    shard: N
    data: N | int
    optimizer_shard: N
    whole_share: N


@dataclass(frozen=True, kw_only=True)
class Widths(Generic[N]):
    """What every step of a block has: widths in elements and bytes of one rank. `shard` is a share of the stream.

    `added` are the operations that an extension puts into the block.
    """

    case: Case
    H: N
    h_t: N
    k_t: N
    d: N
    F_t: N
    t: N | int
    shard: N
    e: N
    added: tuple[ElementwiseOperation, ...] = ()

    @property
    def parameters(self) -> N:
        """Parameters of the block that one rank holds: split matrices and biases, replicated norms and biases."""
        queries, keys = self.h_t * self.d, self.k_t * self.d
        matrices = self.H * queries + 2 * (self.H * keys) + queries * self.H + 2 * (self.H * self.F_t)
        norms = 4 * self.H
        if not self.case.biases:
            return matrices + norms
        return matrices + norms + queries + 2 * keys + self.F_t + 2 * self.H


@dataclass(frozen=True, kw_only=True)
class Dims(Widths[N]):
    """Dimensions of a training step in elements, widths in bytes, all of one rank unless a comment says otherwise."""

    B: N
    S: N  # the whole sequence
    S_r: N  # the residual stream's share of the sequence
    g: N
    o: N
    data: N | int
    optimizer_shard: N
    whole_share: N

    @property
    def whole(self) -> N:
        """Elements of the parameters that every rank holds whole: norms, and biases of row-parallel linears."""
        return 6 * self.H if self.case.biases else 4 * self.H

    @staticmethod
    def of(case: Case, factors: Factors[N], added: tuple[ElementwiseOperation, ...] = ()) -> Dims[N]:
        """Multiply the factors up: the same code for integers and for symbols."""
        split = case.sequence_parallel
        share = factors.batch * factors.sequence * factors.hidden if split else factors.shard
        return Dims(
            case=case,
            B=factors.batch,
            S=factors.sequence * factors.tensor if split else factors.sequence,
            S_r=factors.sequence,
            H=factors.hidden,
            h_t=factors.heads,
            k_t=factors.key_value_heads,
            d=factors.head_width,
            F_t=factors.feedforward,
            t=factors.tensor,
            shard=share,
            e=factors.element,
            g=factors.gradient,
            o=factors.optimizer_state,
            data=factors.data,
            optimizer_shard=factors.optimizer_shard,
            whole_share=factors.whole_share,
            added=added,
        )


def dims_of(request: Request, added: tuple[ElementwiseOperation, ...] = ()) -> Dims[int]:
    """The dimensions of a request. Raises DomainError where a degree does not divide, naming both."""
    case, model, strategy, workload = case_of(request), request.model, request.strategy, request.workload
    if not isinstance(workload, Training):
        raise DomainError("a training block is derived from a training step")
    degree = strategy.tensor
    split = case.sequence_parallel
    elements = workload.batch * workload.sequence * model.hidden
    whole = Factors(
        batch=workload.batch,
        sequence=exact_share("sequence S", workload.sequence, degree) if split else workload.sequence,
        hidden=model.hidden,
        heads=exact_share("heads h", model.heads, degree),
        key_value_heads=exact_share("key/value heads k", model.key_value_heads, degree),
        head_width=model.head_width,
        feedforward=exact_share("feed-forward width F", model.feedforward, degree),
        tensor=degree,
        element=workload.dtype.width,
        gradient=strategy.gradient_bytes,
        # fp32 master copy and two moments; a 4-byte parameter is its own master copy (Rajbhandari et al.)
        optimizer_state=8 if workload.dtype.width == 4 else 12,
        shard=exact_share("tensor B*S*H", elements, degree),
        data=strategy.data,
        optimizer_shard=1,
        whole_share=1,
    )
    dims = Dims.of(case, whole)
    shares = {
        "optimizer_shard": largest_share(dims.parameters, strategy.data),
        "whole_share": largest_share(dims.whole, degree),
    }
    return Dims.of(case, replace(whole, **shares), added)


def largest_share(whole: int, ranks: int) -> int:
    """The largest of `ranks` shares of `whole`: ranks * share >= whole > ranks * (share - 1)."""
    return -(-whole // ranks)


def exact_share(what: str, size: int, degree: int) -> int:
    """`size / degree`, refused where it leaves a remainder."""
    quotient, rest = divmod(size, degree)
    if rest:
        raise DomainError(f"{what} = {size} is not divisible by tensor degree t = {degree}")
    return quotient
