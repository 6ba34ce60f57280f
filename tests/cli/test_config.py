"""`[tool.blueprint]`: it may demand more of a run, and nothing else."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from blueprint import crosscheck
from blueprint.cli.config import STEPS, Config, load, steps_of
from blueprint.errors import InputError, UsageError
from blueprint.outcome import Report
from tests.cli.conftest import ROOT, Run
from tests.report import samples

FULL = """
[tool.other]
x = 1
[tool.blueprint]
cross-check = "cvc5"
shipped-rules = true
[tool.blueprint.expect]
model = "gpt3-175b"
tensor = 8
emit = false
"""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = []

    def verify(_source: object, **options: object) -> Report:
        calls.append(options)
        return samples.VERIFIED

    monkeypatch.setattr(import_module("blueprint.verification"), "verify", verify)
    return calls


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a file of ours, and a folder below it in which one stands."""
    (tmp_path / "pyproject.toml").write_text(FULL, encoding="utf-8")
    (tmp_path / "below" / "deeper").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "below" / "deeper")
    return tmp_path


def test_the_nearest_file_with_a_table_of_ours_counts(project: Path) -> None:
    (project / "below" / "pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    found = Config(
        path=str(project / "pyproject.toml"),
        expect={"model": "gpt3-175b", "tensor": "8", "emit": "no"},
        cross_check=True,
        shipped_rules=True,
    )
    assert load() == found
    (project / "below" / "pyproject.toml").write_text("[tool.blueprint]\n", encoding="utf-8")
    assert load() == Config(path=str(project / "below" / "pyproject.toml"))


@pytest.mark.usefixtures("project")
def test_what_is_demanded_is_asked_besides(blueprint: Run, asked: list[dict[str, Any]]) -> None:
    assert blueprint("verify", "a.json", "--expect", "zero=1", "--expect", "tensor=8").code == 0
    assert asked[0]["cross_check"] is True
    assert asked[0]["expect"] == {"model": "gpt3-175b", "tensor": "8", "emit": "no", "zero": "1"}


def test_the_command_line_cannot_take_a_demand_back(project: Path, blueprint: Run, asked: list[object]) -> None:
    done = blueprint("verify", "a.json", "--expect", "tensor=4")
    assert (done.code, done.out) == (2, b"")
    assert done.err == (
        f"blueprint: error: --expect: tensor is expected to be two things (see {project / 'pyproject.toml'})\n"
    )
    done = blueprint("verify", "a.json", "--rules", "other")
    assert (done.code, done.out) == (2, b"")
    assert done.err == f"blueprint: error: --rules: is refused by shipped-rules of {project / 'pyproject.toml'}\n"
    assert asked == []


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("rules = 'mine'", "tool.blueprint.rules is not known; there are expect, cross-check, shipped-rules"),
        ("budget = 1", "tool.blueprint.budget is not known"),
        ("expct = {}", "tool.blueprint.expct is not known"),
        ('"\\u001b[2J" = 1', "tool.blueprint.\\x1b[2J is not known"),
        ("expect = 1", "tool.blueprint.expect is no table of bindings"),
        ("expect = {tensor = 8.0}", "tool.blueprint.expect.tensor is neither a word nor a whole number"),
        ("expect = {tensor = ''}", "tool.blueprint.expect.tensor is neither a word nor a whole number"),
        (f"expect = {{tensor = 0x{'f' * 17}}}", "tool.blueprint.expect.tensor is neither a word nor a whole number of"),
        (
            f"expect = {{tensor = 0x{'f' * 9999}}}",
            "tool.blueprint.expect.tensor is neither a word nor a whole number of",
        ),
        ("cross-check = 'z3'", 'tool.blueprint.cross-check is neither "none" nor "cvc5"'),
        ("cross-check = ['cvc5']", 'tool.blueprint.cross-check is neither "none" nor "cvc5"'),
        ("shipped-rules = 1", "tool.blueprint.shipped-rules is neither true nor false"),
    ],
)
def test_what_is_not_known_is_refused(
    table: str, words: str, blueprint: Run, asked: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(f"[tool.blueprint]\n{table}\n", encoding="utf-8")
    for line in (["verify", "a.json"], ["--show-config"]):
        done = blueprint(*line)
        assert (done.code, done.out) == (2, b"")
        assert done.err.startswith(f"blueprint: error: {tmp_path / 'pyproject.toml'}: {words}")
        assert done.err.count("\n") == 1
    assert asked == []


@pytest.mark.parametrize("content", [b"[tool", b"\xff", b"a = 1\na = 2", b"x = " + b"[" * 5000])
def test_what_is_no_toml_is_refused(content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_bytes(content)
    with pytest.raises(InputError, match="is no TOML"):
        load()


@pytest.mark.parametrize(
    "content",
    [
        ".".join("a" * 20_000) + " = 1",
        f"[{'.'.join('a' * 20_000)}]",
        f"[{'.'.join('a' * 3_500)}]\n" + "".join(f"{number}=1\n" for number in range(100_000)),
        f"[{'.'.join('a' * 3_500)}]\nx = [\n[]]\n" + "".join(f"{number}=1\n" for number in range(100_000)),
        f"{'.'.join('b' * 600)}=1\n" * 400,
    ],
    ids=["key", "table", "deep table", "deep table behind a list", "many"],
)
def test_a_file_that_would_be_slow_to_read_is_not_read(
    content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parser takes a step for each part of a key and each one before it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(content, encoding="utf-8")
    monkeypatch.setattr("tomllib.loads", lambda _: pytest.fail("read"))
    with pytest.raises(InputError, match="has keys of too many parts"):
        load()


def test_an_ordinary_file_is_far_from_slow_to_read() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert 1_000 < steps_of(text) < STEPS / 1_000
    assert steps_of(f'readme = "{"A sentence. " * 5_000}"\n') < STEPS


def test_a_table_of_ours_is_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("tool.blueprint = 1\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"tool\.blueprint is no table"):
        load()


def test_the_demands_are_shown(project: Path, blueprint: Run) -> None:
    done = blueprint("--show-config")
    assert (done.code, done.err) == (0, "")
    assert done.out.decode().splitlines() == [
        f"[tool.blueprint] of {project / 'pyproject.toml'}",
        "expect emit = no",
        "expect model = gpt3-175b",
        "expect tensor = 8",
        "cross-check = cvc5",
        "shipped-rules = true",
    ]


def test_without_a_file_nothing_is_demanded(blueprint: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = blueprint("--show-config")
    assert (done.code, done.out) == (0, b"no [tool.blueprint] in a pyproject.toml here or above: nothing is demanded\n")


def test_a_cross_check_without_its_solver_says_how_it_is_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cvc5", None)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert any(each.startswith("cvc5") for each in extras["recheck"])
    with pytest.raises(UsageError, match=re.escape("not installed: pip install 'blueprint-verifier[recheck]'")):
        crosscheck.decide("(check-sat)")
