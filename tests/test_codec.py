"""The codec: canonical bytes and nothing else, digests that bind what they stand for."""

from __future__ import annotations

import hashlib
import time

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blueprint import codec
from blueprint.errors import CodecError, LimitError, NonCanonicalError
from blueprint.ir.common import Name
from blueprint.ir.model import ModelIR


class Small(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A structure with one field of each kind that the IR uses."""

    count: int
    name: str
    ids: tuple[str, ...]
    extra: int | msgspec.UnsetType = msgspec.UNSET


class Named(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name


GOOD = b'{"count":3,"ids":["a","b"],"name":"n"}'


def test_good_bytes_decode_and_encode_to_themselves() -> None:
    value = codec.decode(GOOD, Small)
    assert value == Small(3, "n", ("a", "b"))
    assert codec.encode(value) == GOOD


def test_an_absent_field_is_absent() -> None:
    assert b"extra" not in codec.encode(Small(1, "", ()))
    assert codec.encode(Small(1, "", (), 2)) == b'{"count":1,"extra":2,"ids":[],"name":""}'


@pytest.mark.parametrize(
    "data",
    [
        GOOD + b"\n",
        b" " + GOOD,
        GOOD.replace(b":3", b": 3"),
        GOOD.replace(b'"n"', b'"\\u006e"'),
        b'{"count":3,"count":3,"ids":["a","b"],"name":"n"}',
        b'{"count":4,"c\\u006funt":3,"ids":["a","b"],"name":"n"}',
        b'{"name":"n","ids":["a","b"],"count":3}',
        GOOD.replace(b":3", b":-0"),
    ],
)
def test_other_spellings_of_the_same_are_refused(data: bytes) -> None:
    with pytest.raises(NonCanonicalError):
        codec.decode(data, Small)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xef\xbb\xbf" + GOOD,
        GOOD[:-1],
        GOOD + b"{}",
        GOOD.replace(b":3", b":3.0"),
        GOOD.replace(b":3", b":3e0"),
        GOOD.replace(b":3", b":NaN"),
        GOOD.replace(b":3", b":true"),
        GOOD.replace(b":3", b':"3"'),
        GOOD.replace(b":3", b":null"),
        GOOD.replace(b'"n"', b'"\xff"'),
        GOOD.replace(b'"n"', b'"\\ud800"'),
        GOOD.replace(b'"name"', b'"nome"'),
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
)
def test_what_is_no_such_structure_is_refused(data: bytes) -> None:
    with pytest.raises(CodecError):
        codec.decode(data, Small)


def test_an_absurd_number_is_refused() -> None:
    with pytest.raises(CodecError):
        codec.decode(GOOD.replace(b":3", b":" + b"9" * 5000), Small)


def test_the_message_names_the_path_and_is_escaped_and_cut() -> None:
    with pytest.raises(CodecError) as caught:
        codec.decode(b'{"name":"\x1b[2J"}'.replace(b"\x1b", b"\\u001b"), Named)
    assert caught.value.path == "$.name"
    with pytest.raises(CodecError) as caught:
        codec.decode(b'{"' + b"k" * 10_000 + b'":1}', Named)
    assert len(caught.value.diagnostics()) < 300
    assert caught.value.diagnostics().isprintable()


@pytest.mark.parametrize("name", ["a\n", "A", "1a", "", "a" * 65, "\u0430", "a b", "a-b"])
def test_a_name_has_a_fixed_form(name: str) -> None:
    with pytest.raises(CodecError):
        codec.decode(codec.encode(Named(name)), Named)


@pytest.mark.parametrize("data", [GOOD[:-1], GOOD.replace(b'"n"', b'"\xff"'), b"[", GOOD + b"\n"])
def test_a_fault_without_a_path_is_one_of_the_whole(data: bytes) -> None:
    with pytest.raises(CodecError) as caught:
        codec.decode(data, Small)
    assert caught.value.path == "$"


class Loose(msgspec.Struct):
    """A field without a kind, into which a decoder goes as deep as the bytes do."""

    a: object


def test_which_error_it_is_says_what_was_wrong() -> None:
    wrong = {GOOD[:-1]: CodecError, GOOD.replace(b'"n"', b'"\xff"'): CodecError, b'{"a":' * 100_000: LimitError}
    for data, kind in wrong.items():
        with pytest.raises(CodecError) as caught:
            codec.decode(data, Loose)
        assert type(caught.value) is kind
        assert caught.value.path == "$"


@pytest.mark.parametrize("raised", [RecursionError(), ValueError("Exceeds the limit for integer string conversion")])
def test_what_a_decoder_gives_up_on_is_beyond_a_limit(raised: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def decode(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr(msgspec.json, "decode", decode)
    with pytest.raises(LimitError) as caught:
        codec.decode(GOOD, Small)
    assert caught.value.path == "$"


def test_the_limits_are_50_mebibytes_and_four_million_values() -> None:
    assert (codec.BUNDLE_LIMIT, codec.VALUE_LIMIT) == (52_428_800, 4_000_000)


def test_sizes_are_bounded_before_decoding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "BUNDLE_LIMIT", len(GOOD) - 1)
    with pytest.raises(LimitError):
        codec.decode(GOOD, Small)
    monkeypatch.setattr(codec, "BUNDLE_LIMIT", len(GOOD))
    monkeypatch.setattr(codec, "VALUE_LIMIT", 2)
    with pytest.raises(LimitError):
        codec.decode(GOOD, Small)
    monkeypatch.setattr(codec, "VALUE_LIMIT", 3)
    assert codec.decode(GOOD, Small).count == 3


@pytest.mark.parametrize(
    ("data", "place"), [(GOOD + b"\n", len(GOOD)), (b" " + GOOD, 0), (GOOD.replace(b":3", b": 3"), 9)]
)
def test_the_first_byte_that_differs_is_named(data: bytes, place: int) -> None:
    with pytest.raises(NonCanonicalError, match=rf"\(first at byte {place}\)"):
        codec.decode(data, Small)


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_the_first_difference_is_the_end_of_what_is_common(left: bytes, right: bytes) -> None:
    place = codec._first_difference(left, right)
    assert left[:place] == right[:place]
    assert place == min(len(left), len(right)) or left[place] != right[place]


def test_the_first_difference_is_found_wherever_it_is() -> None:
    for length in range(20):
        data = b"a" * length
        assert codec._first_difference(data, data + b"a") == codec._first_difference(data + b"b", data) == length
        for place in range(length):
            assert codec._first_difference(data, data[:place] + b"b" + data[place + 1 :]) == place


def test_a_large_file_with_a_line_feed_is_refused_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[object] = []
    encode = codec.encode

    def counted(value: object) -> bytes:
        encoded.append(value)
        return encode(value)

    monkeypatch.setattr(codec, "encode", counted)
    data = encode(Small(1, "n" * 40_000_000, ()))
    start = time.process_time()
    with pytest.raises(NonCanonicalError, match="first at byte 400000"):
        codec.decode(data + b"\n", Small)
    assert time.process_time() - start < 1.5
    assert len(encoded) == 1


def test_a_digest_binds_kind_version_and_body() -> None:
    base = codec.digest("model", 1, {"a": 1})
    assert base == hashlib.sha256(b'{"body":{"a":1},"kind":"model","version":1}').hexdigest()
    assert len({base, codec.digest("other", 1, {"a": 1}), codec.digest("model", 2, {"a": 1})}) == 3


def test_an_id_binds_everything_that_it_names() -> None:
    base = ("value", 1, "0" * 64, "rule", ("a", "b"), "name")
    changed = [
        ("task", *base[1:]),
        (base[0], 2, *base[2:]),
        (*base[:2], "1" * 64, *base[3:]),
        (*base[:3], "other", *base[4:]),
        (*base[:4], ("b", "a"), base[5]),
        (*base[:4], ("ab",), base[5]),
        (*base[:5], "other"),
    ]
    ids = {codec.entity_id(*each) for each in (base, *changed)}
    assert len(ids) == len(changed) + 1
    expected = hashlib.sha256(b'["value",1,"' + b"0" * 64 + b'","rule",["a","b"],"name"]').hexdigest()
    assert codec.entity_id(*base) == f"value:{expected}"


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_else(data: bytes) -> None:
    try:
        codec.decode(data, ModelIR)
    except CodecError:
        return
    raise AssertionError("random bytes decoded")


@given(st.builds(Small, st.integers(-(2**63), 2**63 - 1), st.text(), st.lists(st.text()).map(tuple)))
def test_every_value_survives_a_round_trip(value: Small) -> None:
    try:
        data = codec.encode(value)
    except UnicodeEncodeError:
        return
    assert codec.decode(data, Small) == value
