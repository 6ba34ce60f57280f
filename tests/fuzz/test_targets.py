"""The corpus finds nothing, the targets notice what they are for, and the fuzzer's log is read rightly."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from blueprint import codec
from blueprint.bundle import Bundle
from blueprint.errors import GateFailedError, InputError
from blueprint.outcome import Finding, Outcome, Report
from blueprint.verification import verify
from tests.fuzz import mutations, targets
from tests.fuzz.__main__ import CORPUS, result
from tests.fuzz.targets import FindingError, decoding, honest, judge, verifying

INPUTS = [path for name in ("decode", "verify") for path in sorted((CORPUS / name).iterdir())]


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_the_corpus_finds_nothing(path: Path) -> None:
    targets.TARGETS[path.parent.name](path.read_bytes())


def test_choices_make_bundles_of_every_outcome() -> None:
    """Not only malformed ones: what is drawn here reaches the claims, with replay and without."""
    drawn = random.Random(6)  # noqa: S311 -- the same in every run
    found: Counter[Outcome] = Counter()
    judged: Callable[..., None] = targets.judge

    def counted(data: bytes, report: Report, *, replay: bool) -> None:
        found[report.verdict] += 1
        judged(data, report, replay=replay)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(targets, "judge", counted)
        for _ in range(40):
            verifying(drawn.randbytes(48))
    assert min(found[each] for each in (Outcome.REFUTED, Outcome.NOT_ESTABLISHED, Outcome.MALFORMED)) >= 3


def test_equal_bytes_make_equal_bundles() -> None:
    data = bytes(range(64))
    assert mutations.bundle(data) == mutations.bundle(data)
    assert mutations.bundle(data) != mutations.bundle(data[::-1])


def test_a_decoder_that_accepts_other_bytes_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    good = mutations.good(0)
    decoding(good)

    def careless(data: bytes) -> Bundle:
        return msgspec.json.decode(data, type=Bundle)

    monkeypatch.setattr(targets, "read_bundle", careless)
    with pytest.raises(FindingError, match="other bytes"):
        decoding(good + b"\n")


def test_a_decoder_that_breaks_down_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_data: bytes) -> Bundle:
        raise RecursionError

    monkeypatch.setattr(targets, "read_bundle", broken)
    with pytest.raises(RecursionError):
        decoding(b"{}")


def test_a_refusal_that_cannot_be_shown_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def raw(_data: bytes) -> Bundle:
        raise InputError("\x1b[2J")

    monkeypatch.setattr(targets, "read_bundle", raw)
    with pytest.raises(FindingError, match="cannot be shown"):
        decoding(b"{}")


def test_a_verifier_that_breaks_down_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> Report:
        raise GateFailedError("a pass failed")

    monkeypatch.setattr(targets, "verify", broken)
    monkeypatch.setattr(targets, "verify_without_replay", broken)
    with pytest.raises(GateFailedError):
        verifying(bytes(16))


def report_of(verdict: Outcome, *findings: Finding) -> Report:
    good = verify(mutations.good(0), jobs=1)
    return msgspec.structs.replace(good, verdict=verdict, diagnostics=findings)


def test_reports_that_must_not_be_are_noticed() -> None:
    data, finding = mutations.good(0), Finding(code="law.x", message="wrong", path="x")
    judge(data, report_of(Outcome.VERIFIED), replay=True)
    judge(data, report_of(Outcome.REFUTED, finding), replay=True)
    false = data.replace(b'"message_bytes":0', b'"message_bytes":1', 1)
    assert honest(data)
    assert not honest(false)
    for wrong, report, replay in (
        (data, report_of(Outcome.ERROR, finding), True),
        (data, report_of(Outcome.VERIFIED, finding), True),
        (data, report_of(Outcome.REFUTED), True),
        (data, report_of(Outcome.VERIFIED), False),
        (false, report_of(Outcome.VERIFIED), True),
    ):
        with pytest.raises(FindingError):
            judge(wrong, report, replay=replay)


LOG = """INFO: Seed: 1
#2\tINITED cov: 48 ft: 80 corp: 1/1b exec/s: 0 rss: 42Mb
#281110\tDONE   cov: 3032 ft: 6866 corp: 25/10Kb lim: 65536 exec/s: 9000 rss: 100Mb
Done 281110 runs in 31 second(s)
"""


def test_the_log_is_read() -> None:
    assert result("decode", 0, LOG)[1:] == (0, 281_110, 3032, 6866, 25)
    assert result("decode", 77, LOG).line().endswith("FOUND SOMETHING (status 77)")
    assert result("decode", 0, LOG).line().endswith("nothing found")


def test_a_run_that_did_not_end_is_no_success() -> None:
    assert result("verify", 0, LOG[:80]).status == 1
    assert result("verify", -9, "").status == -9


def test_the_corpus_is_small() -> None:
    assert sum(path.stat().st_size for path in INPUTS) < 2**20
    assert codec.BUNDLE_LIMIT > 2**20
