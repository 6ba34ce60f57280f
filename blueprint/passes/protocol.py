"""What a pass is, and what it is told."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeVar

import msgspec

from blueprint.analyses import Analyses, AnalysisKey
from blueprint.ir.common import Branch, Stage
from blueprint.ir.request import Request
from blueprint.workload.extension import ElementwiseOperation

In_contra = TypeVar("In_contra", bound=msgspec.Struct, contravariant=True)
Out_co = TypeVar("Out_co", bound=msgspec.Struct, covariant=True)


class Mutation(enum.Enum):
    """What a pass may do to its input: nothing, or anything to a copy of its own. The committed one never changes."""

    IMMUTABLE = "immutable"
    TRANSACTIONAL = "transactional"


class VerificationPolicy(enum.Enum):
    """What must be established before a pass's output is committed."""

    RELATIONS_AND_NORMAL_FORM = "relations_and_normal_form"
    """For a pass from one stage to the next: every relation and law, and the canonical construction."""
    UNCHANGED = "unchanged"
    """For a pass within a stage: the very snapshot that came in, about which it may leave analyses."""


@dataclass(frozen=True)
class PassContext:
    """The session that a pass runs in: the request, the fingerprint of request and rulebook, and the branch.

    `seed` is the session's, and None for a pass that does not declare that it uses it. `added` are the operations that
    the session's extension puts into a block.
    """

    request: Request
    fingerprint: str
    branch: Branch = Branch.MAIN
    added: tuple[ElementwiseOperation, ...] = ()
    seed: int | None = None
    analyses: Analyses = field(default_factory=Analyses)


@dataclass(frozen=True)
class PassFacts:
    """What a pass declares of itself; all of it enters the digest of its contract.

    `reads` is the range of versions of the input's schema that it understands, `writes` the version of its output's.
    Analyses that are neither kept nor produced are not known of the output; invalidated ones may not be kept.
    """

    name: str
    revision: int
    boundary: tuple[Stage, Stage]
    provenance: tuple[str, ...]
    bindings: tuple[str, ...]
    normal_form: str
    reads: tuple[int, int] = (1, 1)
    writes: int = 1
    requires: tuple[AnalysisKey[Any], ...] = ()
    produces: tuple[AnalysisKey[Any], ...] = ()
    keeps: tuple[AnalysisKey[Any], ...] = ()
    invalidates: tuple[AnalysisKey[Any], ...] = ()
    mutation: Mutation = Mutation.IMMUTABLE
    policy: VerificationPolicy = VerificationPolicy.RELATIONS_AND_NORMAL_FORM
    deterministic: bool = True
    uses_seed: bool = False

    @property
    def within_stage(self) -> bool:
        """Whether the pass stays in its stage."""
        return self.boundary[0] is self.boundary[1]

    def kept(self, known: set[str]) -> set[str]:
        """The analyses of the input that hold of the output: those it keeps; within a stage, all it does not end."""
        if self.within_stage:
            lost = {key.text for key in self.invalidates}
            return {key for key in known if key not in lost}
        return known.intersection(key.text for key in self.keeps)


class DerivationPass(Protocol[In_contra, Out_co]):
    """One derivation step: a pure function of its input snapshot and the bindings."""

    facts: ClassVar[PassFacts]

    def run(self, ir: In_contra, context: PassContext) -> Out_co:
        """Derive the next snapshot. Raises DomainError where the bindings lie outside the laws' domain."""
        ...
