"""The reference cost provider: the least time of each portable task on a device, by the roofline model.

A task takes at least as long as its slowest resource: operations over the device's peak, bytes over the bandwidth of
its memory, message over that of its link (Williams, Waterman and Patterson 2009). Nothing else is modelled: no overlap
of tasks, no latency, no algorithm of a collective. Least means least for the work as it is counted: nothing fused, and
a message as its full tensor, of which a gather or a scatter moves (t - 1)/t. Times are picoseconds, exact and rounded
up. They stand in an overlay and never enter an IR or a digest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Annotated, Final

import msgspec

from blueprint.bundle import Overlay, OverlayEntry
from blueprint.codec import decode
from blueprint.errors import CodecError, InputError
from blueprint.explorer.overlays import AddressedOverlay
from blueprint.explorer.payload import Fact
from blueprint.explorer.stages import Chain, Shown, Slot
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


def roofline(profile: Profile, chains: tuple[Chain, ...], *, sound: bool) -> list[AddressedOverlay]:
    """One overlay for the portable plan of each branch, which says of what tasks there is no time and why.

    Raises InputError where the profile lacks a type of a sound bundle, one that verifies: then the profile is at fault.
    """
    return [
        _overlay(profile, slot, shown, sound=sound)
        for chain in chains
        for slot in chain.slots
        if (shown := slot.shown) is not None and isinstance(shown.snapshot, PortablePlanIR)
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


@dataclass(frozen=True)
class _Untimed:
    """Why a task has no least time: something is wrong with it, or the profile does not have its type."""

    task: str
    why: str
    no_peak: bool = False


def _overlay(profile: Profile, slot: Slot, shown: Shown, *, sound: bool) -> AddressedOverlay:
    entries: list[OverlayEntry] = []
    untimed: list[_Untimed] = []
    for task, found in _times(profile, shown):
        if isinstance(found, int):
            entries.append(OverlayEntry(entity=task.id, value=found))
        else:
            untimed.append(found)
    missing = next((each for each in untimed if each.no_peak), None)
    if sound and missing is not None:
        raise InputError(f"{missing.why}, for {plain(missing.task)}", path="--roofline", code="overlay.profile")
    overlay = Overlay(
        snapshot=shown.digest,
        provider=PROVIDER,
        revision=f"{profile.name}/{profile.revision}",
        unit=UNIT,
        entries=tuple(entries),
    )
    return AddressedOverlay(overlay, slot.position, about(profile) + _without(untimed), rates(profile))


def _without(untimed: Sequence[_Untimed]) -> str:
    """For which tasks there is no time, in words, reason by reason; the first task of each is named."""
    tasks: dict[str, list[str]] = {}
    for each in untimed:
        tasks.setdefault(each.why, []).append(each.task)
    return "".join(f"; no time for {plain(first)}{_others(rest)}: {why}" for why, (first, *rest) in tasks.items())


def _others(rest: Sequence[str]) -> str:
    return f" and {len(rest)} more" if rest else ""


def _times(profile: Profile, shown: Shown) -> Iterator[tuple[PlanTask, int | _Untimed]]:
    peaks = {peak.dtype: peak.operations for peak in profile.peaks}
    dtypes = {entity.id: entity.dtype for entity in shown.entities if isinstance(entity, Buffer)}
    for task in shown.entities:
        if isinstance(task, PlanTask):
            yield task, _time(task, _computed(task, dtypes), peaks, profile)


def _time(task: PlanTask, computed: DType | None, peaks: Mapping[DType, int], profile: Profile) -> int | _Untimed:
    if computed is None:
        return _Untimed(task.name, "it has no tensor of numbers, so no type")
    if computed not in peaks:
        return _Untimed(task.name, f"the profile has no peak for {computed.value}", no_peak=True)
    time = least_time(task, peaks[computed], profile)
    return time if time <= INT64_MAX else _Untimed(task.name, f"it would take more than {INT64_MAX} picoseconds")


def _computed(task: PlanTask, dtypes: Mapping[str, DType]) -> DType | None:
    """The type of what a task computes: of its first tensor that is no mask of bytes."""
    moved = (dtypes[each] for each in (*task.outputs, *task.inputs) if each in dtypes)
    return next((each for each in moved if each is not DType.UINT8), None)
