"""The steps of rules/README.md, done as they stand there in a copy of the folder, print what they say."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from blueprint import law, rule
from blueprint.ir.common import Phase, Primitive
from blueprint.ir.model import OperationKind
from blueprint.rulebook import load, shipped
from blueprint.symbols import ALPHABET
from tests.tools import symbol_table

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "rules" / "README.md"
TEXT = README.read_text(encoding="utf-8")

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`(rules/[a-z_/]+\.py)`")


class Block(NamedTuple):
    """A fenced block, with the last file that the words before it name."""

    kind: str
    text: str
    file: str


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a text."""
    found = []
    for match in BLOCK.finditer(text):
        named = FILE.findall(text[: match.start()])
        found.append(Block(match[1], match[2], named[-1] if named else ""))
    return found


def steps() -> list[Block]:
    section = TEXT.partition("## Five steps")[2].partition("\n## ")[0]
    return blocks(section)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with a rules folder of its own, around this very package, and `blueprint` as a command."""
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "rules", folder / "rules", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "blueprint").symlink_to(ROOT / "blueprint")
    shutil.copy(ROOT / "pyproject.toml", folder)
    command = folder / "bin" / "blueprint"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m blueprint "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return folder


def run(command: str, folder: Path) -> str:
    """What a reader sees of one command, everything on one screen."""
    environment = {**os.environ, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


def session(text: str, folder: Path) -> str:
    """The commands of a console block with what they really print."""
    commands = [line.removeprefix("$ ") for line in text.splitlines() if line.startswith("$ ")]
    return "".join(f"$ {command}\n{run(command, folder)}" for command in commands)


def insert(diff: str, path: Path) -> None:
    """Do what a block with added lines says, at the one place where it fits."""
    lines = diff.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if not line.startswith("+"))
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1
    path.write_text(text.replace(before, "".join(line[1:] for line in lines)), encoding="utf-8")


def test_the_five_steps_do_what_they_say(checkout: Path) -> None:
    assert [block.kind for block in steps()] == [
        "python",
        "diff",
        "console",
        "console",
        "console",
        "console",
        "console",
    ]
    for block in steps():
        match block.kind:
            case "python":
                (checkout / block.file).write_text(block.text, encoding="utf-8")
            case "diff":
                insert(block.text, checkout / block.file)
            case _:
                assert session(block.text, checkout) == block.text
    assert load(checkout / "rules").digest != load(shipped("rules")).digest
    assert not (ROOT / "proofs" / "training" / "output_bytes").exists()


def test_the_example_is_in_the_style_of_the_shipped_rules(tmp_path: Path) -> None:
    (code,) = (block.text for block in steps() if block.kind == "python")
    path = tmp_path / "rules" / "training" / "output_bytes.py"
    path.parent.mkdir(parents=True)
    path.write_text(code, encoding="utf-8")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for words in (["check", "--no-cache"], ["format", "--no-cache", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *words, "rules"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout


def test_a_block_is_found_with_its_file() -> None:
    text = "In `rules/a/b.py`:\n\n```python\nx = 1\n```\n\n```console\n$ true\n```\n"
    assert blocks(text) == [Block("python", "x = 1\n", "rules/a/b.py"), Block("console", "$ true\n", "rules/a/b.py")]


def test_the_readme_does_not_change_the_rulebook(tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    shutil.copytree(ROOT / "rules", folder, ignore=shutil.ignore_patterns("__pycache__", "README.md"))
    assert load(folder).digest == load(shipped("rules")).digest


# The vocabulary ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["PrimitiveRule", "PassRule", "BoundaryRule", "Claim"])
def test_a_word_of_the_rules_is_explained(word: str) -> None:
    assert hasattr(rule, word)
    assert f"| `{word}` |" in TEXT


@pytest.mark.parametrize(
    "word",
    [
        *("Law", "MemoryLaw", "MaximumLaw", "ProjectionLaw", "BoundLaw", "InductiveLaw"),
        *("Requirement", "Quantity", "Portion", "Reference"),
    ],
)
def test_a_word_of_the_laws_is_explained(word: str) -> None:
    assert hasattr(law, word)
    assert f"| `{word}` |" in TEXT


@pytest.mark.parametrize("kind", [law.Equation, law.Group, law.Bound, law.Maximum])
def test_a_part_is_explained_with_all_its_fields(kind: type) -> None:
    fields = re.search(rf"\| `{kind.__name__}\(([a-z, ]+)\)` \|", TEXT)
    assert fields is not None
    assert fields[1].split(", ") == [field.name for field in dataclasses.fields(kind)]


def test_the_rules_that_it_points_at_exist() -> None:
    families = "primitives|training|inference|stage|planning|binding|emission"
    named = re.findall(rf"`((?:{families})/\w+\.py)`", TEXT)
    assert len(named) >= 3
    assert all((ROOT / "rules" / name).is_file() for name in named)


# The symbols ---------------------------------------------------------------------------------------------------------


def test_the_tables_are_those_of_the_code() -> None:
    _, inside, _ = symbol_table.PART.sections(TEXT)
    assert inside == symbol_table.tables()
    assert symbol_table.table().count("\n") == len(ALPHABET) + 2


def test_every_word_that_a_group_or_an_equation_takes_is_listed() -> None:
    words = symbol_table.words()
    kinds = (*OperationKind, *Phase, *Primitive)
    assert [each for each in kinds if f"`{each.name}`" not in words] == []
    assert "`STORED` is C_act" in words
    assert "`sharded_gradients`" in words
