"""What derive and verify share: the rulebook, the recorded theorems, and the number of workers."""

from __future__ import annotations

import gc
import importlib.util
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path
from typing import Final

from blueprint import crosscheck
from blueprint.errors import RulebookError, UsageError
from blueprint.rulebook import Rulebook, load, shipped
from blueprint.rulecheck import check_right_sides
from blueprint.theorems import Theorems
from blueprint.verdict import Verdict
from blueprint.words import plain


@contextmanager
def collecting_later() -> Iterator[None]:
    """Leave reference cycles until a run is over: it builds none that matter, and the search is half of its time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


ENTRY_POINTS: Final = "blueprint.rulebooks"
"""The group of entry points by which an installed package offers a folder of rules: NAME = package."""


def rules_folder(name: str | Path) -> Path:
    """A folder of rules, by its path or by the name under which an installed package offers it."""
    folder = Path(name)
    if folder.is_dir():
        return folder
    for entry in metadata.entry_points(group=ENTRY_POINTS, name=str(name)):
        # Found and not imported: what the package holds is run only as a rulebook.
        found = importlib.util.find_spec(entry.value)
        if found is not None and found.submodule_search_locations:
            return Path(found.submodule_search_locations[0])
    return folder


def open_rulebook(rules: str | Path | None) -> Rulebook:
    """The shipped rulebook, or the one in a folder or of an installed package.

    What is named is not trusted to have been tested: its laws are evaluated in every case before they are used.
    """
    if rules is None:
        return load(shipped("rules"))
    folder = rules_folder(rules)
    if not folder.is_dir():
        offered = sorted(entry.name for entry in metadata.entry_points(group=ENTRY_POINTS))
        known = f"; installed are {', '.join(map(plain, offered))}" if offered else ", and no rulebook is installed"
        raise RulebookError(f"is no folder of rules that can be read{known}", path=plain(rules))
    try:
        rulebook = load(folder)
        check_right_sides(rulebook.laws())
    except RulebookError as error:
        error.path = error.path or plain(rules)
        raise
    return rulebook


def proofs_folder(rules: str | Path | None) -> Path:
    """Where the proofs of a rulebook lie: in its folder, and for the shipped one beside it. It may not exist yet."""
    return shipped("rules").parent / "proofs" if rules is None else rules_folder(rules) / "proofs"


def open_theorems(rulebook: Rulebook, rules: str | Path | None = None) -> Theorems:
    """The proofs beside the rules, and the shipped ones, if there are any."""
    folders = [] if rules is None else [rules_folder(rules) / "proofs"]
    with suppress(RulebookError):
        folders.append(shipped("proofs"))
    return Theorems(folders, rulebook.sources, rulebook.extension_source)


def worker_count(jobs: int | None) -> int:
    """One worker for each core by default."""
    if jobs is None:
        return max(1, min(os.cpu_count() or 1, 64))
    if type(jobs) is not int or not 1 <= jobs <= 256:
        raise UsageError("the number of jobs must be from 1 to 256")
    return jobs


def cross_checker(*, asked: bool) -> Callable[[str], Verdict] | None:
    """The optional third decider."""
    return crosscheck.decide if asked else None
