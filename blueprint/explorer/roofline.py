"""The reference cost provider: the least time of each portable task on a device, by the roofline model.

A task takes at least as long as its slowest resource: operations over the device's peak, bytes over the bandwidth of
its memory, message over that of its link (Williams, Waterman and Patterson 2009). Nothing else is modelled: no overlap
of tasks, no latency, no algorithm of a collective. Least means least for the work as it is counted: nothing fused, and
a message as its full tensor, of which a gather or a scatter moves (t - 1)/t. Times are picoseconds, exact and rounded
up. They stand in an overlay and never enter an IR or a digest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import ceil
from typing import Annotated, Final

import msgspec

from blueprint.bundle import Overlay, OverlayEntry
from blueprint.codec import decode
from blueprint.errors import CodecError, InputError
from blueprint.explorer.overlays import AddressedOverlay
from blueprint.explorer.payload import Fact
from blueprint.explorer.stages import Chain, Shown
from blueprint.files import read_bounded
from blueprint.ir.common import INT64_MAX, DType, Positive, Text
from blueprint.ir.portable import Buffer, PlanTask, PortablePlanIR
from blueprint.words import plain

PROVIDER: Final = "blueprint.roofline"
UNIT: Final = "picoseconds"
PICOSECONDS: Final = 10**12
PROFILE_LIMIT: Final = 64 * 1024
"""Bytes of the largest profile."""


class Peak(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Operations in one second with elements of one type; a multiply-add is two."""

    dtype: DType
    operations: Positive


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A device: what it can do in one second, and where that is published.

    `memory` and `link` are bytes: of its memory, read and written together, and of its link to others in one direction.
    """

    name: Text
    revision: Text
    source: Text
    peaks: Annotated[tuple[Peak, ...], msgspec.Meta(min_length=1, max_length=8)]
    memory: Positive
    link: Positive


REFERENCE: Final = Profile(
    name="NVIDIA A100 SXM 80 GB",
    revision="1",
    source="NVIDIA A100 Tensor Core GPU data sheet, 2021: dense peaks without sparsity; NVLink's 600 GB/s are both"
    " directions together",
    peaks=(
        Peak(dtype=DType.BFLOAT16, operations=312 * 10**12),
        Peak(dtype=DType.FLOAT16, operations=312 * 10**12),
        Peak(dtype=DType.FLOAT32, operations=195 * 10**11),
    ),
    memory=2_039 * 10**9,
    link=300 * 10**9,
)
"""The device that `reference` names."""

REFERENCE_NAME: Final = "reference"


def read_profile(name: str) -> Profile:
    """The built-in profile, or the one in a file of canonical JSON. Raises InputError where it is none."""
    if name == REFERENCE_NAME:
        return REFERENCE
    data = read_bounded(name, PROFILE_LIMIT)
    try:
        profile = decode(data, Profile)
    except CodecError as error:
        error.path = f"{plain(name)}: {error.path}"
        raise
    if len({peak.dtype for peak in profile.peaks}) != len(profile.peaks):
        raise InputError("names a type twice", path=plain(name), code="overlay.profile")
    return profile


def roofline(profile: Profile, chains: tuple[Chain, ...]) -> list[AddressedOverlay]:
    """One overlay for the portable plan of each branch. Raises InputError where the profile lacks a type."""
    return [
        AddressedOverlay(_overlay(profile, slot.shown), slot.position, about(profile), rates(profile))
        for chain in chains
        for slot in chain.slots
        if slot.shown is not None and isinstance(slot.shown.snapshot, PortablePlanIR)
    ]


def about(profile: Profile) -> str:
    """The profile in words."""
    return plain(f"least times on {profile.name} ({profile.source}); of unfused work, each message a full tensor", 1000)


def rates(profile: Profile) -> tuple[Fact, ...]:
    """What the device does in one second, by what is counted."""
    peaks = (Fact(name=f"{peak.dtype.value} operations", value=str(peak.operations)) for peak in profile.peaks)
    memory = Fact(name="bytes of memory", value=str(profile.memory))
    return (*peaks, memory, Fact(name="bytes of link", value=str(profile.link)))


def least_time(task: PlanTask, peak: int, profile: Profile) -> int:
    """Picoseconds of one task with elements for which the device's peak is `peak` operations in one second."""
    work = task.work
    slowest = max(
        Fraction(work.operations, peak),
        Fraction(work.read_bytes + work.write_bytes, profile.memory),
        Fraction(work.message_bytes, profile.link),
    )
    return ceil(slowest * PICOSECONDS)


def _overlay(profile: Profile, shown: Shown) -> Overlay:
    return Overlay(
        snapshot=shown.digest,
        provider=PROVIDER,
        revision=f"{profile.name}/{profile.revision}",
        unit=UNIT,
        entries=tuple(_entries(profile, shown)),
    )


def _entries(profile: Profile, shown: Shown) -> Iterator[OverlayEntry]:
    peaks = {peak.dtype: peak.operations for peak in profile.peaks}
    dtypes = {entity.id: entity.dtype for entity in shown.entities if isinstance(entity, Buffer)}
    for entity in shown.entities:
        if isinstance(entity, PlanTask):
            time = least_time(entity, _peak(entity, dtypes, peaks), profile)
            if time > INT64_MAX:
                raise InputError(
                    f"{entity.name} would take {plain(time)} picoseconds", path="--roofline", code="overlay.profile"
                )
            yield OverlayEntry(entity=entity.id, value=time)


def _peak(task: PlanTask, dtypes: Mapping[str, DType], peaks: Mapping[DType, int]) -> int:
    """The peak for the type of what a task computes: of its first tensor that is no mask of bytes."""
    moved = [dtypes[each] for each in (*task.outputs, *task.inputs) if each in dtypes]
    computed = next((each for each in moved if each is not DType.UINT8), None)
    if computed is None or computed not in peaks:
        named = "no tensor with a type" if computed is None else computed.value
        raise InputError(f"the profile has no peak for {task.name}: {named}", path="--roofline", code="overlay.profile")
    return peaks[computed]
