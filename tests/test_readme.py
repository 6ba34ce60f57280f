"""The README shows what the program really prints."""

from __future__ import annotations

import doctest
from pathlib import Path

import blueprint
from tests.tools import session
from tests.tools.generated import Part


def test_the_session_is_what_the_commands_print() -> None:
    _, inside, _ = session.PART.sections(session.README.read_text(encoding="utf-8"))
    assert inside == session.session()


def test_the_way_from_a_finding_to_its_formula_is_what_the_commands_print() -> None:
    _, inside, _ = session.MENDING.sections(session.MENDING.document.read_text(encoding="utf-8"))
    assert inside == session.mending()


def test_another_session_would_be_noticed(tmp_path: Path) -> None:
    document = tmp_path / "README.md"
    part = Part(document, "<begin>\n", "<end>\n")
    document.write_text("x\n<begin>\n$ blueprint verify\n<end>\ny\n", encoding="utf-8")
    assert part.settle("$ blueprint verify\n", []) == 0
    assert part.settle("$ blueprint laws\n", []) == 1
    assert part.settle("$ blueprint laws\n", ["--write"]) == 0
    assert document.read_text(encoding="utf-8") == "x\n<begin>\n$ blueprint laws\n<end>\ny\n"


def test_the_worked_example_of_the_package_is_true() -> None:
    assert doctest.testmod(blueprint) == (0, 8)
