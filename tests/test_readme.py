"""The README shows what the program really prints."""

from __future__ import annotations

import doctest
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import blueprint

TOOL = Path(__file__).parent / "tools" / "session.py"


@pytest.fixture(name="tool", scope="module")
def _tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("session_tool", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_session_is_what_the_commands_print(tool: ModuleType) -> None:
    _, inside, _ = tool.sections(tool.README.read_text(encoding="utf-8"))
    assert inside == tool.session()


def test_another_session_would_be_noticed(tool: ModuleType) -> None:
    before, inside, after = tool.sections(f"x\n{tool.BEGIN}\n$ blueprint verify\n{tool.END}\ny\n")
    assert (before, inside, after) == (f"x\n{tool.BEGIN}\n", "$ blueprint verify\n", f"{tool.END}\ny\n")
    assert inside != tool.session()


def test_the_worked_example_of_the_package_is_true() -> None:
    assert doctest.testmod(blueprint) == (0, 8)
