"""A bundle's bytes -> the report on it and its page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from blueprint.bundle import Bundle, read_bundle
from blueprint.explorer.overlays import addressed, read_overlays
from blueprint.explorer.page import page
from blueprint.explorer.projection import project
from blueprint.explorer.roofline import Profile, roofline
from blueprint.explorer.stages import chains_of
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
    Raises CodecError for bytes that do not decode, and InputError for an overlay that does not fit.
    """
    with collecting_later():
        return _explorer_page(read_bundle(data), report, rules, overlays, profile)


def _explorer_page(
    bundle: Bundle, report: Report, rules: str | Path | None, overlays: Sequence[str], profile: Profile | None
) -> bytes:
    chains = chains_of(bundle)
    found = addressed(bundle.overlays, chains, "recorded in the bundle")
    for path in overlays:
        found += read_overlays(path, chains)
    if profile is not None:
        found += roofline(profile, chains)
    return page(project(bundle, report, open_rulebook(rules), found))
