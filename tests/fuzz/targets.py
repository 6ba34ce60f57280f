"""What is fuzzed, and what must hold whatever comes: only the declared refusals, and nothing false verified."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from typing import Final

from blueprint.bundle import read_bundle
from blueprint.codec import decode, encode
from blueprint.derivation import derive
from blueprint.errors import InputError
from blueprint.ir.request import Request
from blueprint.outcome import Outcome, Report
from blueprint.verification import verify, verify_without_replay
from tests.bundles.conftest import LastingPool, Memory, shared
from tests.fuzz import mutations

REMEMBERED: Final = 20_000
"""Answers after which all are forgotten, so that memory stays bounded."""


class FindingError(Exception):
    """Something that must never happen."""


class _BoundedMemory(Memory):
    """Forgets when it has become large."""

    def trim(self) -> None:
        if sum(map(len, self.known.values())) > REMEMBERED:
            self.known.clear()


@functools.cache
def effort() -> tuple[LastingPool, _BoundedMemory]:
    """One solver process and what it has answered, for all inputs."""
    pool = LastingPool(1)
    pool.start()
    return pool, _BoundedMemory()


def decoding(data: bytes) -> None:
    """Bytes decode to a bundle whose encoding they are, or are refused with words that can be shown."""
    try:
        bundle = read_bundle(data)
    except InputError as error:
        if not error.diagnostics().isascii() or not error.diagnostics().isprintable():
            raise FindingError("a refusal cannot be shown") from error
        return
    if encode(bundle) != data:
        raise FindingError("bytes decode to a bundle of other bytes")


def verifying(data: bytes) -> None:
    """A bundle gets a verdict and never an error; verified is only what an honest derivation gives."""
    made, replay = mutations.bundle(data)
    pool, memory = effort()
    with shared(pool, memory):
        report = verify(made, jobs=1) if replay else verify_without_replay(made, jobs=1)
    memory.trim()
    judge(made, report, replay=replay)


def judge(data: bytes, report: Report, *, replay: bool) -> None:
    """Raise FindingError for a report that must not be."""
    if report.verdict not in set(Outcome) - {Outcome.ERROR}:
        raise FindingError(f"the verdict is {report.verdict.value}")
    if (report.verdict is Outcome.VERIFIED) is bool(report.diagnostics):
        raise FindingError("verified in spite of findings, or no reason for another verdict")
    if report.verdict is Outcome.VERIFIED and not (replay and honest(data)):
        raise FindingError("verified, and no honest derivation gives it")


def honest(data: bytes) -> bool:
    """Whether a derivation of a bundle's own request gives the bundle, overlays aside."""
    plain = json.loads(data)
    request = decode(encode(plain["request"]), Request)
    return derive(request, jobs=1) == encode({**plain, "overlays": []})


TARGETS: Final[Mapping[str, Callable[[bytes], None]]] = {"decode": decoding, "verify": verifying}
