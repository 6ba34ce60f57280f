"""Where a good bundle can be put wrong: places, and the operators that list them.

A place is found by what stands in the bundle and not by a list of names, so that every entity of every stage can be
hit. Places that are alike share a cell, of which mutants are drawn by turns. What is wrong in one stage is carried into
the later ones by the honest passes, so that it does not show as a difference between two stages.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from blueprint.ir.common import Stage
from blueprint.ir.request import (
    Request,
)
from tests.bundles.test_false_bundles import New
from tests.reseal import KINDS, STAGES, Draft, Plain

Change = Callable[[Draft], None]

MODEL, DISTRIBUTED, PORTABLE, CONCRETE, MACHINE = STAGES

STEPS: Final = {
    MODEL: "operations",
    DISTRIBUTED: "tasks",
    PORTABLE: "tasks",
    CONCRETE: "commands",
    MACHINE: "instructions",
}
"""The list of what is done, stage by stage."""

VALUES: Final = {MODEL: "values", DISTRIBUTED: "values", PORTABLE: "buffers", CONCRETE: "buffers"}
"""The list of what is held, stage by stage."""


class Point(enum.Enum):
    """What an operator puts wrong: what the bundle says, or how it is written down."""

    MEANING = "meaning"
    RECORD = "record"
    MISSING = "missing"
    FORM = "form"


class Site(NamedTuple):
    """One place, and what is done to it. `by` is the finding that must name it, at `stage`.

    `carry`: the honest passes make the later stages again. `raw`: nothing is sealed.
    """

    stage: Stage
    place: str
    by: str
    change: Change
    cell: str = ""
    carry: bool = True
    raw: bool = False


Sites = Callable[[Draft, Request], Iterator[Site]]


class Operator(NamedTuple):
    """One kind of fault, of which at most so many mutants are drawn.

    `whole`: it is about the whole bundle and not about one branch of it.
    """

    name: str
    sites: Sites
    point: Point
    most: int
    whole: bool


class Operators(list[Operator]):
    """The operators of a module, in order."""

    def add(
        self, name: str, *, point: Point = Point.MEANING, most: int = 10, whole: bool = False
    ) -> Callable[[Sites], Sites]:
        """Add the one whose places a function lists."""

        def register(sites: Sites) -> Sites:
            self.append(Operator(name, sites, point, most, whole))
            return sites

        return register


# Changes --------------------------------------------------------------------------------------------------------------


def key(part: str) -> str | int:
    return int(part) if part.isdigit() else part


def put(owner: Callable[[Draft], Any], field: str, new: New) -> Change:
    """One field, by a path of names and numbers, holds something else."""

    def change(draft: Draft) -> None:
        holder, (*path, last) = owner(draft), field.split(".")
        for part in path:
            holder = holder[key(part)]
        holder[key(last)] = new(holder[key(last)], draft)

    return change


def edit(stage: Stage, entity: Plain, field: str, new: New, by: str, *, cell: str = "", word: str = "") -> Site:
    """An entity's field holds something else."""
    name, kind = entity["name"], entity["id"].partition(":")[0]
    label = next(label for label, of in KINDS[stage].items() if of == kind)
    place = f"{label}/{name}/{field}{f' {word}' if word else ''}"
    return Site(stage, place, by, put(lambda draft: draft.entity(stage, label, name), field, new), cell)


def header(stage: Stage, field: str, new: New, by: str, word: str = "") -> Site:
    """A field of the snapshot itself holds something else."""
    place = f"{field}{f' {word}' if word else ''}"
    return Site(stage, place, by, put(lambda draft: draft.snapshot(stage), field, new), field)


def shown(draft: Draft) -> tuple[Stage, ...]:
    """The stages that a bundle has."""
    return STAGES[: len({each["stage"] for each in draft.data["stages"]})]


def steps(draft: Draft, stage: Stage) -> list[Plain]:
    """What is done in a stage, if the bundle has it."""
    return draft.entities(stage, STEPS[stage]) if stage in shown(draft) else []


def values(draft: Draft, stage: Stage) -> list[Plain]:
    """What is held in a stage, if the bundle has it."""
    return draft.entities(stage, VALUES[stage]) if stage in shown(draft) else []


def extension(draft: Draft) -> Plain:
    found: Plain = draft.snapshot(CONCRETE)["extension"] if CONCRETE in shown(draft) else {}
    return found


def kind_of(step: Plain) -> str:
    """Rule and phase: steps that are alike in both are alike."""
    return f"{step['lineage']['transform']} {step.get('phase', '')}"


def forgotten(value: Any, lost: set[str]) -> Any:
    """Plain data without these entities and without what refers to them."""
    if isinstance(value, list):
        return [forgotten(each, lost) for each in value if not _is_lost(each, lost)]
    if isinstance(value, dict):
        return {name: forgotten(each, lost) for name, each in value.items() if name != "producer" or each not in lost}
    return value


def _is_lost(each: Any, lost: set[str]) -> bool:
    if isinstance(each, str):
        return each in lost
    if not isinstance(each, dict):
        return False
    return each["id"] in lost if "id" in each else any(isinstance(one, str) and one in lost for one in each.values())


def removed(stage: Stage, label: str, name: str) -> Change:
    """An entity is gone, and so is every mention of it; with a step of the first two stages goes what it writes."""

    def change(draft: Draft) -> None:
        found = draft.entity(stage, label, name)
        lost = {found["id"]}
        if stage in {MODEL, DISTRIBUTED} and label == STEPS[stage]:
            lost |= set(found["outputs"] if "outputs" in found else [found["result"]])
        snapshot = draft.snapshot(stage)
        snapshot.update(forgotten(snapshot, lost))

    return change
