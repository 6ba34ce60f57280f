"""The bundle: a whole derivation in one deterministic file. Nothing recorded in it is believed.

Recorded reports hold only facts that no solver decides, so that another solver version refutes nothing.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from blueprint.codec import decode, digest
from blueprint.ir.common import Branch, Count, Digest, EntityId, Name, Stage, Text
from blueprint.ir.concrete import ConcretePlanIR
from blueprint.ir.contract import PassContract
from blueprint.ir.distributed import DistributedTaskIR
from blueprint.ir.machine import MachineIR
from blueprint.ir.model import ModelIR
from blueprint.ir.portable import PortablePlanIR
from blueprint.ir.request import Request

BUNDLE_SCHEMA: Final = "blueprinting.derivation-debug-bundle.v0"

Snapshot = ModelIR | DistributedTaskIR | PortablePlanIR | ConcretePlanIR | MachineIR


Counts = Annotated[dict[Text, Count], msgspec.Meta(max_length=256)]
"""Counts by word."""


class _Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of the bundle's structures."""


class RulebookRecord(_Record, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The rulebook that the bundle was derived with."""

    revision: Text
    digest: Digest


class StageRecord(_Record, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One snapshot of the chain. The model stage stands once, on branch ""."""

    stage: Stage
    branch: Branch
    label: Text
    derivation_pass: Text = msgspec.field(name="pass")
    snapshot: Snapshot


class RecordedLaw(_Record, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One form of a law as it was established."""

    id: Text
    form: Text
    members: Count
    status: Text


class RecordedReport(_Record, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the gate recorded of one transition: coverage, cardinality, claim kinds, obligation digests, statuses."""

    coverage: Counts
    cardinality: Counts
    claims: Counts
    obligations: Annotated[tuple[Digest, ...], msgspec.Meta(max_length=1_000_000)]
    laws: Annotated[tuple[RecordedLaw, ...], msgspec.Meta(max_length=10_000)]
    relation_verified: bool
    canonical_conformant: bool


class TransitionRecord(_Record, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One transition: the pair of snapshots, the contract of the pass, and what the gate recorded."""

    branch: Branch
    stage: Stage
    source: Digest
    target: Digest
    contract: PassContract
    report: RecordedReport


class OverlayEntry(_Record, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One number beside an entity."""

    entity: EntityId
    value: Count


class Overlay(_Record, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Facts beside the IR, addressed by snapshot digest and entity id; values in the `unit` that it names."""

    snapshot: Digest
    provider: Text
    revision: Text
    unit: Name
    entries: Annotated[tuple[OverlayEntry, ...], msgspec.Meta(max_length=1_000_000)]


class Bundle(_Record, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole file."""

    schema: Literal["blueprinting.derivation-debug-bundle.v0"]
    request: Request
    request_digest: Digest
    fingerprint: Digest
    rulebook: RulebookRecord
    stages: Annotated[tuple[StageRecord, ...], msgspec.Meta(max_length=64)]
    transitions: Annotated[tuple[TransitionRecord, ...], msgspec.Meta(max_length=64)]
    overlays: Annotated[tuple[Overlay, ...], msgspec.Meta(max_length=64)]


def read_bundle(data: bytes) -> Bundle:
    """Decode canonical bundle bytes. Raises CodecError, NonCanonicalError or LimitError."""
    return decode(data, Bundle)


def snapshot_digest(snapshot: Snapshot) -> str:
    """The digest that a child snapshot names as its parent."""
    return digest(snapshot.header.stage.value, snapshot.header.version, snapshot)


def fingerprint(request_digest: str, rulebook_digest: str) -> str:
    """The session fingerprint: request and rulebook together."""
    return digest("session", 1, [request_digest, rulebook_digest])


def session_seed(fingerprint: str) -> int:
    """The seed of a session, the same in every replay: the first 64 bits of its fingerprint."""
    return int(fingerprint[:16], 16)


def derivation_digest(session: str, stages: list[str]) -> str:
    """One digest for the whole derivation: the session and its snapshots in order."""
    return digest("derivation", 1, [session, *stages])
