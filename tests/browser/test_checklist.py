"""The checklist has a row for each promise of the explorer, and every name in it exists."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trust.test_checklist import definitions, faults, rows, split

CHECKLIST = Path(__file__).with_name("checklist.md")
TESTS = sorted(Path(__file__).parent.glob("test_*.py"))


def test_every_row_names_what_exists() -> None:
    found = rows(CHECKLIST.read_text(encoding="utf-8"))
    assert len(found) > 70
    assert [fault for row in found for fault in faults(row)] == []
    assert [sentence for sentence, code, tests, _ in found if not code or not tests] == []


def test_no_promise_stands_twice() -> None:
    sentences = [sentence for sentence, *_ in rows(CHECKLIST.read_text(encoding="utf-8"))]
    assert len(set(sentences)) == len(sentences)


@pytest.mark.parametrize("name", ["test_stages.py", "test_boundaries.py", "test_overlays.py", "test_refuted.py"])
def test_most_tests_of_the_page_show_a_promise(name: str) -> None:
    named = {part for _, _, tests, _ in rows(CHECKLIST.read_text(encoding="utf-8")) for part in split(tests)}
    here = f"tests/browser/{name}"
    tests = [test for test in definitions(here) if test.startswith("test_")]
    assert 2 * sum(f"{here}::{test}" in named for test in tests) > len(tests)
