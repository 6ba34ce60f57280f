"""Entities that the rules demand of a concrete plan and of a machine's program: each with what it comes from."""

from __future__ import annotations

from dataclasses import dataclass

from blueprint.ir.concrete import Command, Queue, QueueCategory
from blueprint.ir.portable import Buffer, PlanTask


@dataclass(frozen=True)
class ExpectedDevice:
    """One device that must exist, and the rank that it runs."""

    name: str
    rank: int


@dataclass(frozen=True)
class ExpectedRegion:
    """The region that must exist."""

    name: str


@dataclass(frozen=True)
class ExpectedBinding:
    """One place that must exist, by the index of its buffer in canonical order."""

    name: str
    buffer: Buffer
    index: int


@dataclass(frozen=True)
class ExpectedCommand:
    """One command that must exist, with the tasks that it carries out in order."""

    name: str
    tasks: tuple[PlanTask, ...]


@dataclass(frozen=True)
class ExpectedQueue:
    """One queue that must exist."""

    name: str
    category: QueueCategory


@dataclass(frozen=True)
class ExpectedInstruction:
    """One instruction that must exist."""

    name: str
    command: Command


@dataclass(frozen=True)
class ExpectedSection:
    """One section that must exist; of a queue, or of all slots."""

    name: str
    queue: Queue | None


@dataclass(frozen=True)
class ExpectedEntry:
    """The entry point that must exist."""

    name: str


ExpectedBound = (
    ExpectedDevice
    | ExpectedRegion
    | ExpectedBinding
    | ExpectedCommand
    | ExpectedQueue
    | ExpectedInstruction
    | ExpectedSection
    | ExpectedEntry
)
