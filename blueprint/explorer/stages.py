"""The five slots of every branch: which snapshot of a bundle stands in which, and why one stays empty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from blueprint.boundaries import SCHEMAS
from blueprint.bundle import Bundle, Snapshot, StageRecord, snapshot_digest
from blueprint.explorer.aliases import aliases_of
from blueprint.explorer.items import Entity, Neighbours, entities_of, neighbours_of, positions_of
from blueprint.ir.common import Branch, Stage
from blueprint.ir.request import branches_of
from blueprint.pipeline import unasked


@dataclass(frozen=True)
class Words:
    """What every snapshot of a stage is asked, and what it does not answer."""

    title: str
    question: str
    beyond: str


WORDS: Final[Mapping[Stage, Words]] = {
    Stage.MODEL: Words(
        "ModelIR",
        "What is computed: which operations, on which logical tensors?",
        "Ranks, shards, work in operations and bytes, memory, devices and time.",
    ),
    Stage.DISTRIBUTED: Words(
        "DistributedTaskIR",
        "Who computes what: which tasks does a rank run, on which shards, and what do ranks exchange?",
        "Buffers and their lifetimes, devices, queues, kernels and time.",
    ),
    Stage.PORTABLE: Words(
        "PortablePlanIR",
        "How much is it: the exact work of every task, the size of every buffer, and what must come before what?",
        "Addresses, queues, the choice of a kernel, and time.",
    ),
    Stage.CONCRETE: Words(
        "ConcretePlanIR",
        "Where and in which order: which device, queue, memory and implementation does each task get?",
        "The encoding of instructions, time and cost.",
    ),
    Stage.MACHINE: Words(
        "MachineIR",
        "What is issued: which instructions with which operands, in which sections, from which entry point?",
        "Time, cost, and what the hardware does with an instruction.",
    ),
}


@dataclass(frozen=True)
class Shown:
    """A snapshot in its slot, with everything that its projections share."""

    record: StageRecord
    digest: str

    @property
    def snapshot(self) -> Snapshot:
        """The snapshot itself."""
        return self.record.snapshot

    @cached_property
    def entities(self) -> tuple[Entity, ...]:
        """All entities, in canonical order."""
        return entities_of(self.snapshot)

    @cached_property
    def positions(self) -> dict[str, int]:
        """Id -> position."""
        return positions_of(self.entities)

    @cached_property
    def named(self) -> dict[str, list[int]]:
        """Name -> positions: a value and a task may have one name."""
        found: dict[str, list[int]] = {}
        for position, entity in enumerate(self.entities):
            found.setdefault(entity.name, []).append(position)
        return found

    @cached_property
    def aliases(self) -> tuple[str, ...]:
        """The alias of each entity."""
        return aliases_of(self.entities)

    @cached_property
    def neighbours(self) -> tuple[Neighbours, ...]:
        """What each entity exchanges data with or waits for."""
        return neighbours_of(self.snapshot, len(self.entities), self.positions)


@dataclass(frozen=True)
class Slot:
    """One slot: `position` is that of the stage in the index; `unavailable` says why nothing is shown."""

    position: int
    stage: Stage
    branch: Branch
    shown: Shown | None
    unavailable: str


@dataclass(frozen=True)
class Chain:
    """The five slots of one branch, in canonical order; the model's is the same in every branch."""

    branch: Branch
    slots: tuple[Slot, ...]

    def before(self, slot: Slot) -> Slot | None:
        """The slot to the left; None for the model's."""
        place = self.slots.index(slot)
        return self.slots[place - 1] if place else None


def chains_of(bundle: Bundle) -> tuple[Chain, ...]:
    """The slots of every branch of the request."""
    records: dict[tuple[Stage, Branch], StageRecord] = {}
    for record in bundle.stages:
        records.setdefault((record.stage, record.branch), record)
    model = _slot(bundle, 0, Stage.MODEL, Branch.MAIN, records)
    chains = []
    count = 1
    for branch in branches_of(bundle.request.workload):
        rest = [_slot(bundle, count + at, stage, branch, records) for at, stage in enumerate(list(Stage)[1:])]
        chains.append(Chain(branch, (model, *rest)))
        count += len(rest)
    return tuple(chains)


def slots_of(chains: tuple[Chain, ...]) -> Iterator[Slot]:
    """Every slot once, in the order of the index."""
    yield chains[0].slots[0]
    for chain in chains:
        yield from chain.slots[1:]


def _slot(
    bundle: Bundle, position: int, stage: Stage, branch: Branch, records: Mapping[tuple[Stage, Branch], StageRecord]
) -> Slot:
    record = records.get((stage, branch))
    if record is None:
        return Slot(position, stage, branch, None, unasked(bundle.request, stage) or "missing from the bundle")
    if not isinstance(record.snapshot, SCHEMAS[stage]):
        other = record.snapshot.__struct_config__.tag
        return Slot(position, stage, branch, None, f"the snapshot that stands here is of another stage: {other}")
    return Slot(position, stage, branch, Shown(record, snapshot_digest(record.snapshot)), "")
