"""The dimensions of one rank's share of a block in one step of inference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blueprint.case import case_of
from blueprint.errors import DomainError
from blueprint.ir.common import Branch
from blueprint.ir.request import Inference, Request, point_of
from blueprint.workload.dims import N, Widths, exact_share

if TYPE_CHECKING:
    from blueprint.workload.extension import ElementwiseOperation


@dataclass(frozen=True, kw_only=True)
class InferenceDims(Widths[N]):
    """Dimensions of one step: `b` sequences, `q` new tokens of each, `c` visible ones with the new; all at least 1."""

    b: N
    q: N
    c: N


def inference_dims_of(
    request: Request, branch: Branch, added: tuple[ElementwiseOperation, ...] = ()
) -> InferenceDims[int]:
    """The dimensions of one step. Raises DomainError where a degree does not divide, naming both."""
    model, degree, workload = request.model, request.strategy.tensor, request.workload
    if not isinstance(workload, Inference):
        raise DomainError("a step of inference is derived from an inference workload")
    point = point_of(workload, branch)
    return InferenceDims(
        case=case_of(request),
        b=point.batch,
        q=point.queries,
        c=point.context,
        H=model.hidden,
        h_t=exact_share("heads h", model.heads, degree),
        k_t=exact_share("key/value heads k", model.key_value_heads, degree),
        d=model.head_width,
        F_t=exact_share("feed-forward width F", model.feedforward, degree),
        t=degree,
        shard=exact_share("tensor b*q*H", point.batch * point.queries * model.hidden, degree),
        e=workload.dtype.width,
        added=added,
    )
