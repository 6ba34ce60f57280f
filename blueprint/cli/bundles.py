"""Which bundles a command line names: files, standard input, patterns, and folders with all that lies in them."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from blueprint.errors import UsageError
from blueprint.files import STREAM
from blueprint.words import plain

ENDING: Final = ".json"
"""What the name of a bundle in a folder ends in."""

MOST: Final = 100_000
"""The most bundles of one run."""


@dataclass(frozen=True)
class Named:
    """One argument with the bundles that it adds to those before it.

    `several` is false for a file or standard input, which is one bundle; `empty` is true for a folder or a pattern
    that has none at all.
    """

    argument: str
    bundles: tuple[str, ...]
    several: bool
    empty: bool


def named(arguments: Sequence[str]) -> list[Named]:
    """Every argument with its bundles. Raises UsageError for too many."""
    found: list[Named] = []
    seen: set[str] = set()
    total = 0
    for argument in arguments:
        bundles, several = _bundles(argument)
        fresh = []
        for bundle in bundles:
            place = _place(bundle)
            # A file that is named twice is examined twice, as the user asked; what a folder repeats is not.
            if not several or place not in seen:
                fresh.append(bundle)
            seen.add(place)
        found.append(Named(argument, tuple(fresh), several, empty=not bundles))
        total += len(fresh)
        if total > MOST:
            raise UsageError(f"more than {MOST} bundles", path=plain(argument))
    return found


def place_of(bundle: str) -> str:
    """Where a bundle lies: from the working folder if it lies inside, else from the root; empty for standard input."""
    if bundle == STREAM:
        return ""
    here, path = os.path.realpath(os.curdir), os.path.abspath(bundle)  # noqa: PTH100  (a name, links not followed)
    inside = os.path.relpath(path, here)
    return path if Path(inside).parts[:1] == (os.pardir,) else inside.replace(os.sep, "/")


def _bundles(argument: str) -> tuple[list[str], bool]:
    """What an argument names, and whether it may name any number."""
    if argument == STREAM:
        return [argument], False
    # Path.is_dir raises for a name that no file system can hold, which is reported as unreadable like any other.
    if os.path.isdir(argument):  # noqa: PTH112
        return list(_inside(argument)), True
    # A file may have any name, and be no pattern; one that does not exist is reported as missing.
    if glob.has_magic(argument) and not os.path.lexists(argument):
        return list(_files(_matched(argument))), True
    return [argument], False


def _matched(pattern: str) -> list[str]:
    """The paths that a pattern matches, in order; `**` enters no linked folder, and no wildcard a hidden one."""
    path = Path(pattern)
    root, rest = (Path(path.anchor), path.relative_to(path.anchor)) if path.is_absolute() else (Path(), path)
    given = set(path.parts)
    try:
        found = sorted(root.glob(str(rest)))
    except (ValueError, NotImplementedError, OSError) as error:
        raise UsageError(f"is no pattern: {plain(error)}", path=plain(pattern)) from error
    return [str(each) for each in found if not any(part.startswith(".") and part not in given for part in each.parts)]


def _files(paths: Sequence[str]) -> Iterator[str]:
    """The files that a pattern matches, and those in folders that it matches."""
    for path in paths:
        yield from _inside(path) if Path(path).is_dir() else [path]


def _inside(folder: str) -> Iterator[str]:
    """The bundles in a folder and below it, in order of their names; hidden ones and linked folders are left out."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        yield from (os.path.join(place, each) for each in sorted(files) if _counts(each))  # noqa: PTH118


def _counts(name: str) -> bool:
    return name.endswith(ENDING) and not name.startswith(".")


def _place(bundle: str) -> str:
    return os.path.realpath(bundle) if bundle != STREAM else STREAM
