"""Overlays: numbers beside entities, addressed by snapshot digest and entity id. They never enter an IR or a digest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from blueprint.bundle import Overlay
from blueprint.codec import BUNDLE_LIMIT, decode
from blueprint.errors import CodecError, InputError
from blueprint.explorer.chunks import OVERLAY_VALUES, Chunks
from blueprint.explorer.payload import Fact, OverlayIndex, OverlayValue
from blueprint.explorer.stages import Chain, Shown, Slot, slots_of
from blueprint.files import read_bounded
from blueprint.words import plain

LEVELS: Final = 1_000
"""The level of the largest value; that of the smallest is 0."""


@dataclass(frozen=True)
class AddressedOverlay:
    """An overlay with the position of the stage that it addresses, and where its numbers come from in words.

    `rates` are what the device that they are about does in one second.
    """

    overlay: Overlay
    stage: int
    about: str
    rates: tuple[Fact, ...] = ()


def addressed(overlays: Sequence[Overlay], chains: tuple[Chain, ...], about: str) -> list[AddressedOverlay]:
    """Those whose digest is that of a snapshot shown. Of a bundle's own, others have a finding already."""
    stages = _stages(chains)
    return [AddressedOverlay(each, stages[each.snapshot], about) for each in overlays if each.snapshot in stages]


def read_overlays(path: str, chains: tuple[Chain, ...]) -> list[AddressedOverlay]:
    """The overlay, or the list of them, in a file of canonical JSON.

    Raises InputError where one addresses another snapshot than those shown, or an entity twice.
    """
    data = read_bounded(path, BUNDLE_LIMIT)
    try:
        overlays = decode(data, tuple[Overlay, ...]) if data.startswith(b"[") else (decode(data, Overlay),)
    except CodecError as error:
        error.path = f"{plain(path)}: {error.path}"
        raise
    stages = _stages(chains)
    for overlay in overlays:
        if overlay.snapshot not in stages:
            known = ", ".join(f"{slot.stage.value} {digest}" for digest, slot in _digests(chains).items())
            message = f"addresses snapshot {overlay.snapshot}, and the bundle's are {known}"
            raise InputError(message, path=plain(path), code="overlay.digest")
        if len({entry.entity for entry in overlay.entries}) != len(overlay.entries):
            raise InputError("addresses an entity twice", path=plain(path), code="overlay.repeated")
    return addressed(overlays, chains, f"read from {plain(Path(path).name)}")


def overlay_index(each: AddressedOverlay, slots: Sequence[Slot], chunks: Chunks) -> OverlayIndex:
    """One overlay with how much of its stage it speaks of."""
    shown = slots[each.stage].shown
    if shown is None:
        raise ValueError("an overlay addresses a snapshot")
    overlay = each.overlay
    values = _values(overlay, shown)
    low, high = min(values.values(), default=0), max(values.values(), default=0)
    rows = (
        OverlayValue(entity=position, value=str(value), level=_level(value, low, high))
        for position, value in sorted(values.items())
    )
    return OverlayIndex(
        stage=each.stage,
        provider=plain(overlay.provider, 300),
        revision=plain(overlay.revision, 300),
        unit=overlay.unit,
        about=each.about,
        rates=each.rates,
        matched=len(values),
        entities=len(shown.entities),
        entries=len(overlay.entries),
        low=str(low),
        high=str(high),
        values=chunks.listed(rows, OVERLAY_VALUES),
    )


def _values(overlay: Overlay, shown: Shown) -> dict[int, int]:
    """Value by position of those entries that name an entity; of one that is named twice, the first."""
    found: dict[int, int] = {}
    for entry in overlay.entries:
        position = shown.positions.get(entry.entity)
        if position is not None:
            found.setdefault(position, entry.value)
    return found


def _level(value: int, low: int, high: int) -> int:
    return (value - low) * LEVELS // (high - low) if high > low else 0


def _digests(chains: tuple[Chain, ...]) -> dict[str, Slot]:
    return {slot.shown.digest: slot for slot in reversed(list(slots_of(chains))) if slot.shown is not None}


def _stages(chains: tuple[Chain, ...]) -> dict[str, int]:
    return {digest: slot.position for digest, slot in _digests(chains).items()}
