"""Bundles that decode and are false, built to be slow or to be absurd: refuted like any other false bundle.

They are small here; `make hostile` measures them at full size. What was once slow is run at a size at which it would
be killed again.
"""

from __future__ import annotations

import json
import string
from pathlib import Path

import pytest

from blueprint.bundle import fingerprint
from blueprint.codec import decode, encode
from blueprint.exit import ExitCode
from blueprint.frontend.block import request_digest
from blueprint.ir.common import INT64_MAX, Stage
from blueprint.ir.request import Request
from blueprint.outcome import Outcome, Report
from blueprint.verification import verify
from tests.hostile import good, malformed, wellformed
from tests.hostile.malformed import Path as Place
from tests.hostile.running import blueprint
from tests.reseal import Draft

PRINTABLE = set(string.printable) - set("\t\n\r\x0b\x0c")

FEW = 96
"""Of what a kind multiplies, where only the verdict is of interest."""


def plain_words(report: Report) -> bool:
    """Whether all that a report says of its findings can be shown anywhere."""
    return all(set(text) <= PRINTABLE for each in report.diagnostics for text in (each.code, each.message, each.path))


@pytest.mark.parametrize("name", wellformed.KINDS)
def test_every_kind_is_refuted(name: str) -> None:
    report = verify(wellformed.built(name, good.bundle(), FEW), jobs=1)
    assert report.verdict is Outcome.REFUTED
    assert report.diagnostics
    assert plain_words(report)


@pytest.mark.parametrize(
    ("name", "count", "peak"),
    [
        ("slots of one hash", 20_000, 400),
        ("ranks by the million", 20_000, 400),
        ("participants by the million", 20_000, 400),
        ("tasks beside many blocks", 12_000, 500),
        ("many blocks on many ranks", 0, 400),
        ("many blocks exchanged over many ranks", 0, 400),
    ],
)
def test_what_was_slow_or_large_is_neither(name: str, count: int, peak: int, tmp_path: Path) -> None:
    """Each took minutes or gigabytes. The limits are far above what is needed, and far below that."""
    path = tmp_path / "bundle.json"
    path.write_bytes(wellformed.built(name, good.bundle(), count))
    run = blueprint("-q", "verify", path, "--jobs", "1", seconds=60)
    assert (run.code, run.said) == (ExitCode.REFUTED, "")
    assert run.peak < peak


def test_hashes_are_as_equal_as_they_are_meant_to_be() -> None:
    pairs = wellformed.colliding(500)
    assert len({hash(pair) for pair in pairs}) == 1
    assert len(set(pairs)) == len(pairs)
    assert all(0 <= number <= INT64_MAX for pair in pairs for number in pair)


# Numbers --------------------------------------------------------------------------------------------------------------


BESIDE = {"devices", "microbatches", "vocabulary", "positions", "layers"}
"""What no block depends on: there may be more of them, of devices than there are ranks."""


def numbers_of(request: dict[str, object]) -> list[Place]:
    return [path for path, value in malformed.places(request) if type(value) is int]


def resealed(request: dict[str, object]) -> bytes:
    """The good bundle under another request, sealed with it."""
    draft = Draft(good.bundle())
    draft.data["request"] = request
    draft.seal()
    return encode(draft.data)


@pytest.mark.parametrize("number", [1, 2**31, 2**53 + 1, 2**62, INT64_MAX], ids="{:.0e}".format)
def test_absurd_sizes_and_degrees_are_refuted(number: int) -> None:
    whole = json.loads(good.bundle())["request"]
    tried = 0
    for place in numbers_of(whole):
        if place[-1] in BESIDE:
            continue
        request = json.loads(encode(whole))
        holder = malformed.parent(request, place)
        if holder[place[-1]] == number:
            continue
        holder[place[-1]] = number
        report = verify(resealed(request), jobs=1)
        assert report.verdict in {Outcome.REFUTED, Outcome.MALFORMED}, place
        assert report.diagnostics, place
        assert plain_words(report), place
        tried += report.verdict is Outcome.REFUTED
    assert tried > 5


@pytest.mark.parametrize("number", [2**31, 2**62, INT64_MAX], ids="{:.0e}".format)
def test_a_model_that_is_as_absurd_as_its_request_is_refuted_where_it_matters(number: int) -> None:
    """Everything that follows is made by honest code from numbers whose products no count can hold."""
    for size in ("hidden", "feedforward", "head_width", "vocabulary", "positions", "layers"):
        draft = Draft(good.bundle())
        draft.request["model"][size] = number - number % 2
        wellformed.declared(draft)
        report = verify(draft.sealed(), jobs=1)
        assert report.verdict is (Outcome.VERIFIED if size in BESIDE else Outcome.REFUTED), size
        assert plain_words(report), size


# Words ----------------------------------------------------------------------------------------------------------------

WORDS = (
    "\u0430ll-reduce",
    "\x1b[2J\x1b[Hverified",
    "\u202edeifirev",
    "e\u0301",
    "<script>[bold]=1+1|`::error::",
    "\U0001f600" * 64,
)


@pytest.mark.parametrize("word", WORDS, ids=["look-alike", "terminal", "turned", "composed", "markup", "wide"])
def test_words_that_look_like_others_are_refuted_wherever_they_are_compared(word: str) -> None:
    data = good.bundle()
    shown = [
        path
        for path, value in malformed.of_type(malformed.thin(data), str)
        if path[0] != "overlays" and (malformed.free(path) or path[-1] in {"label", "pass", "revision"})
    ]
    assert len(shown) > 40
    for place in shown[:: len(shown) // 12]:
        draft = Draft(data)
        malformed.parent(draft.data, place)[place[-1]] = word
        report = verify(draft.raw(), jobs=1)
        # A word of no vocabulary does not decode; that of a rulebook's revision decides nothing.
        assert report.verdict in {Outcome.REFUTED, Outcome.MALFORMED, Outcome.NOT_ESTABLISHED}, place
        assert plain_words(report), place


def test_a_session_of_another_request_is_no_session_of_this_one() -> None:
    draft = Draft(good.bundle())
    draft.request["model"]["name"] = "gpt3-175b"
    request = decode(encode(draft.request), Request)
    draft.data["request_digest"] = request_digest(request)
    draft.data["fingerprint"] = fingerprint(request_digest(request), draft.data["rulebook"]["digest"])
    report = verify(draft.raw(), jobs=1)
    assert report.verdict is Outcome.REFUTED
    assert {"digest.parent"} <= {each.code for each in report.diagnostics}
    assert Stage.MODEL.value in {each.path for each in report.diagnostics}
