"""A bundle's bytes -> the report on it and its page."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from blueprint.bundle import Bundle, read_bundle
from blueprint.errors import UsageError
from blueprint.explorer.overlays import AddressedOverlay, addressed, read_overlays
from blueprint.explorer.page import page
from blueprint.explorer.projection import project
from blueprint.explorer.roofline import Profile, roofline
from blueprint.explorer.stages import Chain, chains_of
from blueprint.outcome import Report
from blueprint.session import collecting_later, open_rulebook


def explorer_page(
    data: bytes,
    report: Report,
    *,
    rules: str | Path | None = None,
    overlays: Sequence[str] = (),
    profile: Profile | None = None,
) -> bytes:
    """The page of a bundle that decodes, with the report on it.

    overlays: paths of files with further overlays.
    profile: the device whose least times are shown beside portable tasks.
    Raises CodecError for bytes that do not decode, InputError for an overlay that does not fit, or a profile that does
    not fit a bundle which verifies, and UsageError for a report on other bytes. One on no bytes, of a run that broke
    down, establishes nothing of any.
    """
    if report.subject.bundle_sha256 not in {"", hashlib.sha256(data).hexdigest()}:
        raise UsageError("the report is about other bytes than these")
    with collecting_later():
        bundle = read_bundle(data)
        chains = chains_of(bundle)
        shown = _overlays(bundle, chains, overlays)
        if profile is not None:
            shown += roofline(profile, chains, sound=report.ok)
        return page(project(bundle, report, open_rulebook(rules), shown))


def require_fit(data: bytes, overlays: Sequence[str]) -> None:
    """Raise now, before a long verification, what `explorer_page` would raise of overlays after it.

    Whether a profile does not fit, or the plan itself is wrong, is known only then.
    """
    bundle = read_bundle(data)
    _overlays(bundle, chains_of(bundle), overlays)


def _overlays(bundle: Bundle, chains: tuple[Chain, ...], paths: Sequence[str]) -> list[AddressedOverlay]:
    """The bundle's own overlays, and those of files."""
    found = addressed(bundle.overlays, chains, "recorded in the bundle")
    for path in paths:
        found += read_overlays(path, chains)
    return found
