"""`[tool.blueprint]` of the nearest pyproject.toml: what a project demands of every run.

Such a file comes with the bundles that it is about, so it can only add demands: it never names rules, chooses what is
written, or takes back what the command line asks.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from blueprint.errors import InputError, UsageError
from blueprint.files import read_bounded
from blueprint.words import plain

FILE: Final = "pyproject.toml"
LIMIT: Final = 1024 * 1024
"""Bytes of the largest file of this kind that is read."""

KEYS: Final = ("expect", "cross-check", "shipped-rules")

STEPS: Final = 30_000_000
"""Of as many steps of the parser at most may the keys of a file be: an ordinary one has thousands."""
WIDTH: Final = 64
"""Bits of the largest number that a binding has."""


@dataclass(frozen=True)
class Config:
    """What is demanded. `path` is the file that says so, empty where there is none.

    `expect` are bindings that every bundle must have, `cross_check` asks a further solver as well, and `shipped_rules`
    refuses every other rulebook.
    """

    path: str = ""
    expect: Mapping[str, str] = field(default_factory=dict)
    cross_check: bool = False
    shipped_rules: bool = False

    def lines(self) -> Iterator[str]:
        """The demands in words, one a line."""
        if not self.path:
            yield f"no [tool.blueprint] in a {FILE} here or above: nothing is demanded"
            return
        yield f"[tool.blueprint] of {plain(self.path, 480)}"
        yield from (f"expect {plain(key)} = {plain(value)}" for key, value in sorted(self.expect.items()))
        yield f"cross-check = {'cvc5' if self.cross_check else 'none'}"
        yield f"shipped-rules = {'true' if self.shipped_rules else 'false'}"


def load() -> Config:
    """The demands of the nearest pyproject.toml with a table of ours, from the working folder upwards.

    Raises UsageError for an unknown key or a value of another kind, InputError for a file that cannot be read.
    """
    import tomllib  # noqa: PLC0415  (only what verifies pays for it)

    here = Path.cwd()
    for folder in (here, *here.parents):
        path = folder / FILE
        if not os.path.lexists(path):
            continue
        try:
            text = read_bounded(path, LIMIT).decode("utf-8")
            if steps_of(text) > STEPS:
                raise InputError("has keys of too many parts to be read", path=plain(path, 480))
            document = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"is no TOML: {plain(error)}", path=plain(path, 480)) from error
        tool = document.get("tool", {})
        if isinstance(tool, dict) and "blueprint" in tool:
            return _config(str(path), tool["blueprint"])
    return Config()


def steps_of(text: str) -> int:
    """At least as many steps as tomllib takes for the keys of a text: for each part of a key, one for all before it."""
    steps = depth = 0
    for line in text.split("\n"):
        parts = line.count(".") + 1
        if line.lstrip().startswith("["):  # a table, or a list within a value, after which the table goes on
            depth = max(depth, parts)
        steps += parts * (depth + parts)
    return steps


def _config(path: str, table: object) -> Config:
    if not isinstance(table, dict):
        raise _refused(path, "", "is no table")
    for key in table:
        if key not in KEYS:
            raise _refused(path, key, f"is not known; there are {', '.join(KEYS)}")
    expect = table.get("expect", {})
    if not isinstance(expect, dict):
        raise _refused(path, "expect", "is no table of bindings")
    cross_check = table.get("cross-check", "none")
    if cross_check not in ("none", "cvc5"):
        raise _refused(path, "cross-check", 'is neither "none" nor "cvc5"')
    shipped = table.get("shipped-rules", False)
    if type(shipped) is not bool:
        raise _refused(path, "shipped-rules", "is neither true nor false")
    bindings = {str(key): _binding(path, str(key), value) for key, value in expect.items()}
    return Config(path=path, expect=bindings, cross_check=cross_check == "cvc5", shipped_rules=shipped)


def _binding(path: str, key: str, value: Any) -> str:  # noqa: ANN401  (TOML holds anything)
    """A binding's value in words: a word, a whole number, or yes and no."""
    if type(value) is bool:
        return "yes" if value else "no"
    if type(value) not in (str, int) or value == "" or (type(value) is int and value.bit_length() > WIDTH):
        raise _refused(path, f"expect.{key}", f"is neither a word nor a whole number of at most {WIDTH} bits")
    return str(value)


def _refused(path: str, key: str, words: str) -> UsageError:
    where = ".".join(each for each in ("tool.blueprint", plain(key, 60)) if each)
    return UsageError(f"{where} {words}", path=plain(path, 480))
