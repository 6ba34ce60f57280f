"""What derive and verify share: the rulebook, the recorded theorems, and the number of workers."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from blueprint import crosscheck
from blueprint.errors import RulebookError, UsageError
from blueprint.rulebook import Rulebook, load, shipped
from blueprint.rulecheck import check_right_sides
from blueprint.theorems import Theorems
from blueprint.verdict import Verdict


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


def open_rulebook(folder: Path | None) -> Rulebook:
    """The shipped rulebook, or the one in a folder.

    What is named is not trusted to have been tested: its laws are evaluated in every case before they are used.
    """
    if folder is None:
        return load(shipped("rules"))
    rulebook = load(folder)
    check_right_sides(rulebook.laws())
    return rulebook


def open_theorems(rulebook: Rulebook) -> Theorems:
    """The shipped proofs, if there are any."""
    try:
        return Theorems(shipped("proofs"), rulebook.sources)
    except RulebookError:
        return Theorems(None, rulebook.sources)


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
