"""The checklist names code and tests that exist, and says of every promise whether it is kept."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHECKLIST = Path(__file__).with_name("checklist.md")
HEADER = ("sentence", "code", "test", "note")
NOT_KEPT, LATER = "not kept", "later"

Row = tuple[str, str, str, str]


def rows(text: str) -> list[Row]:
    """The rows of every table, without headers and rules."""
    found: list[Row] = []
    for line in text.splitlines():
        if not line.startswith("|") or set(line) <= set("|- "):
            continue
        cells = [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
        if len(cells) != len(HEADER):
            raise ValueError(f"no row of four cells: {line}")
        if tuple(cells) != HEADER:
            found.append((cells[0], cells[1], cells[2], cells[3]))
    return found


@cache
def definitions(path: str) -> dict[str, bool]:
    """Every name that a Python file defines, methods as Class.method; and whether it is expected to fail."""
    found: dict[str, bool] = {}
    _define(ast.parse((ROOT / path).read_text(encoding="utf-8")).body, "", found)
    return found


def _define(body: list[ast.stmt], within: str, found: dict[str, bool]) -> None:
    for node in body:
        match node:
            case ast.FunctionDef():
                marks = [ast.unparse(each.func if isinstance(each, ast.Call) else each) for each in node.decorator_list]
                found[f"{within}{node.name}"] = "pytest.mark.xfail" in marks
            case ast.ClassDef():
                found[f"{within}{node.name}"] = False
                _define(node.body, f"{within}{node.name}.", found)
            case ast.Assign(targets=targets):
                found |= {ast.unparse(target): False for target in targets if not within}
            case ast.AnnAssign(target=target) if not within:
                found[ast.unparse(target)] = False


def split(cell: str) -> list[str]:
    return [part.strip() for part in cell.split(",") if part.strip()]


def faults(row: Row) -> list[str]:
    """What is wrong with one row."""
    sentence, code, tests, note = row
    found = [] if sentence else ["a row without a sentence"]
    later = re.search(rf"\b{LATER}\b", note) is not None
    if not split(tests) and not later:
        found.append(f"{sentence}: neither a test nor later")
    if not split(code) and not later:
        found.append(f"{sentence}: no code")
    for reference in split(code):
        path, _, name = reference.partition(":")
        if not (ROOT / path).is_file():
            found.append(f"{sentence}: no file {path}")
        elif name and name not in definitions(path):
            found.append(f"{sentence}: no {name} in {path}")
    failing = []
    for reference in split(tests):
        path, _, name = reference.partition("::")
        if not path.startswith("tests/") or not (ROOT / path).is_file():
            found.append(f"{sentence}: no file {path}")
        elif not name.startswith("test_") or name not in definitions(path):
            found.append(f"{sentence}: no test {name} in {path}")
        else:
            failing.append(definitions(path)[name])
    if any(failing) is not (NOT_KEPT in note):
        found.append(f"{sentence}: {'an expected failure' if any(failing) else 'no expected failure'}, note: {note}")
    return found


def test_every_row_names_what_exists() -> None:
    found = rows(CHECKLIST.read_text(encoding="utf-8"))
    assert len(found) > 75
    assert [fault for row in found for fault in faults(row)] == []


def test_no_promise_stands_twice() -> None:
    sentences = [sentence for sentence, *_ in rows(CHECKLIST.read_text(encoding="utf-8"))]
    assert len(set(sentences)) == len(sentences)


def test_every_test_of_trust_belongs_to_a_promise() -> None:
    named = {part for _, _, tests, _ in rows(CHECKLIST.read_text(encoding="utf-8")) for part in split(tests)}
    here = "tests/trust/test_trust.py"
    assert {f"{here}::{name}" for name in definitions(here) if name.startswith("test_")} <= named


GOOD: Row = ("a", "blueprint/exact.py:decide", "tests/solver/test_exact.py::test_an_empty_goal_is_never_proved", "")


def test_a_good_row_has_no_fault() -> None:
    assert faults(GOOD) == []
    assert faults(("a", "", "", "later: layouts")) == []
    assert rows("| sentence | code | test | note |\n|---|---|---|---|\n| a | b | c | |\n") == [("a", "b", "c", "")]


@pytest.mark.parametrize(
    "row",
    [
        ("", *GOOD[1:]),
        ("a", "", *GOOD[2:]),
        ("a", GOOD[1], "", ""),
        ("a", GOOD[1], "", "translated"),
        ("a", "blueprint/nowhere.py:decide", *GOOD[2:]),
        ("a", "blueprint/exact.py:nothing", *GOOD[2:]),
        ("a", "blueprint/exact.py:decide, blueprint/exact.py:nothing", *GOOD[2:]),
        ("a", GOOD[1], "tests/nowhere.py::test_a", ""),
        ("a", GOOD[1], "tests/solver/test_exact.py::test_nothing", ""),
        ("a", GOOD[1], "tests/solver/test_exact.py::ground", ""),
        ("a", GOOD[1], "tests/solver/test_exact.py", ""),
        ("a", GOOD[1], "blueprint/exact.py::decide", ""),
        (*GOOD[:3], "not kept"),
    ],
)
def test_a_bad_row_has_a_fault(row: Row) -> None:
    assert faults(row)


def test_a_line_that_is_no_row_is_refused() -> None:
    with pytest.raises(ValueError, match="four cells"):
        rows("| a | b | c |\n")
