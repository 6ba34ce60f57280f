"""The form of one explanation: the same four questions are answered for everything."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """One explanation. `status` is the exit status to which the finding or the error leads."""

    what: str
    why: str
    example: str
    remedy: str
    status: int = 1


@dataclass(frozen=True)
class Group:
    """Codes that arise in the same place, by code."""

    title: str
    entries: dict[str, Entry]
