"""What a pass is, and what it is told."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeVar

import msgspec

from blueprint.ir.common import Branch, Stage
from blueprint.ir.request import Request

In_contra = TypeVar("In_contra", bound=msgspec.Struct, contravariant=True)
Out_co = TypeVar("Out_co", bound=msgspec.Struct, covariant=True)


class Mutation(enum.Enum):
    """What a pass may do to its input."""

    IMMUTABLE = "immutable"
    TRANSACTIONAL = "transactional"


class VerificationPolicy(enum.Enum):
    """What must be established before a pass's output is committed."""

    RELATIONS_AND_NORMAL_FORM = "relations_and_normal_form"


@dataclass(frozen=True)
class PassContext:
    """The session that a pass runs in: the request, the fingerprint of request and rulebook, and the branch."""

    request: Request
    fingerprint: str
    branch: Branch = Branch.MAIN


@dataclass(frozen=True)
class PassFacts:
    """What a pass declares of itself; all of it enters the digest of its contract."""

    name: str
    revision: int
    boundary: tuple[Stage, Stage]
    provenance: tuple[str, ...]
    bindings: tuple[str, ...]
    normal_form: str
    requires: tuple[str, ...] = ()
    produces: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    invalidates: tuple[str, ...] = ()
    mutation: Mutation = Mutation.IMMUTABLE
    policy: VerificationPolicy = VerificationPolicy.RELATIONS_AND_NORMAL_FORM
    deterministic: bool = True
    uses_seed: bool = False


class DerivationPass(Protocol[In_contra, Out_co]):
    """One derivation step: a pure function of its input snapshot and the bindings."""

    facts: ClassVar[PassFacts]

    def run(self, ir: In_contra, context: PassContext) -> Out_co:
        """Derive the next snapshot. Raises DomainError where the bindings lie outside the laws' domain."""
        ...
