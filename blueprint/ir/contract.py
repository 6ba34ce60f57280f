"""The contract of a pass as a bundle carries it: words and closed vocabularies, no code."""

from __future__ import annotations

import msgspec

from blueprint.ir.common import Positive


class _Contract(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of the contract's structures."""


class RuleContract(_Contract, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What one rule says of itself, in words and closed vocabularies, and the digest of the file that says it."""

    id: str
    source: str
    lineage: str
    signature: str
    rewrite: str
    preserves: tuple[str, ...]
    introduces: tuple[str, ...]
    forbids: tuple[str, ...]
    laws: tuple[str, ...]


class BoundaryContract(_Contract, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What holds of the boundary as a whole."""

    id: str
    source: str
    claims: tuple[str, ...]
    laws: tuple[str, ...]


class PrimitiveContract(_Contract, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One unit of work whose formula the claims on work rest on."""

    id: str
    source: str


class PassContract(_Contract, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole contract; all of it enters the bundle and is compared with the rulebook's on import."""

    name: str
    revision: Positive
    provenance: tuple[str, ...]
    input_schema: str
    input_versions: tuple[Positive, Positive]
    output_schema: str
    output_version: Positive
    required_bindings: tuple[str, ...]
    required_analyses: tuple[str, ...]
    produced_analyses: tuple[str, ...]
    preserved_analyses: tuple[str, ...]
    invalidated_analyses: tuple[str, ...]
    mutation: str
    verification: str
    deterministic: bool
    uses_session_seed: bool
    normal_form: str
    rules: tuple[RuleContract, ...]
    boundary_rules: tuple[BoundaryContract, ...]
    primitives: tuple[PrimitiveContract, ...]
