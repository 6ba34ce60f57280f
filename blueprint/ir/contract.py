"""The contract of a pass as a bundle carries it: words and closed vocabularies, no code."""

from __future__ import annotations

import msgspec


class _Contract(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of the contract's structures."""


class RuleContract(_Contract, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What one rule says of itself, in words and closed vocabularies."""

    id: str
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
    claims: tuple[str, ...]
    laws: tuple[str, ...]


class PassContract(_Contract, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole contract; all of it enters the bundle and is compared with the rulebook's on import."""

    name: str
    revision: int
    provenance: tuple[str, ...]
    input_schema: str
    output_schema: str
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
