"""Whatever is shown is bounded, printable ASCII, and showing never fails."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blueprint.words import plain


class _Broken:
    def __str__(self) -> str:
        message = "no text"
        raise RuntimeError(message)


def _printable(text: str) -> bool:
    return all(" " <= character <= "~" for character in text)


@given(st.one_of(st.text(st.characters()), st.binary(), st.integers(), st.floats(), st.none()), st.integers(-5, 200))
def test_the_result_is_printable_ascii_within_the_limit(value: object, limit: int) -> None:
    shown = plain(value, limit)
    assert _printable(shown)
    assert len(shown) <= max(limit, 0)


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=120))
def test_printable_ascii_that_fits_is_unchanged(text: str) -> None:
    assert plain(text) == text


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=121))
def test_longer_text_is_cut_and_says_so(text: str) -> None:
    assert plain(text) == text[:117] + "..."


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", r"\x1b[2J"),
        ("a\nb\r\t\x00\x7f", r"a\x0ab\x0d\x09\x00\x7f"),
        ("\x9b\xe9", r"\x9b\xe9"),
        ("\u202e\u0430", r"\u202e\u0430"),
        ("\ud800", r"\ud800"),
        ("\U0001f600", r"\U0001f600"),
        ("[/red]", "[/red]"),
        (b"\x00a", r"b'\x00a'"),
        (True, "True"),
        (-12, "-12"),
        (10**400, "an integer of 1329 bits"),
        (-(10**400), "an integer of 1329 bits"),
        (_Broken(), "a _Broken that cannot be shown"),
        ([10**5000], "a list that cannot be shown"),
    ],
)
def test_what_is_shown(text: object, shown: str) -> None:
    assert plain(text) == shown


def test_an_escape_counts_at_its_full_length() -> None:
    assert plain("\x1b" * 30) == r"\x1b" * 30
    assert plain("\x1b" * 31) == (r"\x1b" * 30)[:117] + "..."


@pytest.mark.parametrize("value", ["\u202e" * 50_000_000, b"\x00" * 50_000_000], ids=["text", "bytes"])
def test_huge_values_are_cut_before_they_are_escaped(value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    escaped: list[str] = []

    def count(character: str) -> str:
        escaped.append(character)
        return "?"

    monkeypatch.setattr("blueprint.words._escaped", count)
    tracemalloc.start()
    assert plain(value) == "?" * 117 + "..."
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(escaped) == 121
    assert peak < 1_000_000
