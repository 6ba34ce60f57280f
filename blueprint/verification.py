"""Bytes -> report. Trusts nothing that a bundle records: everything is recomputed, then compared.

This module reads and decodes; the numbered steps after that stand in examine.py. Sympy and Z3 are loaded for bytes
that decode, and for no others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from blueprint.bundle import read_bundle
from blueprint.codec import BUNDLE_LIMIT
from blueprint.errors import InputError
from blueprint.files import read_bounded
from blueprint.outcome import Finding, Report, malformed
from blueprint.settings import DEFAULT_BUDGET
from blueprint.words import plain


def verify(
    source: bytes | str | Path,
    *,
    rules: str | Path | None = None,
    jobs: int | None = None,
    budget: int = DEFAULT_BUDGET,
    cross_check: bool = False,
    expect: Mapping[str, str] | None = None,
) -> Report:
    """Verify a bundle, given as bytes or by path (`-` is standard input).

    Returns a report for any input: bad bytes give the verdict `malformed`. Raises UsageError for a bad argument and
    DecidersDisagreeError where two deciders contradict each other.
    """
    return _verify(source, rules, jobs, budget, cross_check=cross_check, expect=expect or {}, replay=True)


def verify_without_replay(data: bytes, *, jobs: int | None = None, budget: int = DEFAULT_BUDGET) -> Report:
    """For tests alone: the claims and laws by themselves. The verdict is never `verified`."""
    return _verify(data, None, jobs, budget, cross_check=False, expect={}, replay=False)


def _verify(
    source: bytes | str | Path,
    rules: str | Path | None,
    jobs: int | None,
    budget: int,
    *,
    cross_check: bool,
    expect: Mapping[str, str],
    replay: bool,
) -> Report:
    data = b""
    try:
        data = source if isinstance(source, bytes) else read_bounded(source, BUNDLE_LIMIT)
        bundle = read_bundle(data)
    except InputError as error:
        finding = Finding(code=error.code, message=plain(error.message, 400), path=plain(error.path))
        return malformed(hashlib.sha256(data).hexdigest() if data else "", finding)
    from blueprint.examine import examine  # noqa: PLC0415 -- see the module's docstring

    digest = hashlib.sha256(data).hexdigest()
    return examine(
        bundle, digest, rules=rules, jobs=jobs, budget=budget, cross_check=cross_check, expect=expect, replay=replay
    )
