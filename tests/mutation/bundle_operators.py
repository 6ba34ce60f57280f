"""Operators that put a good bundle wrong: each lists the places where it can, and what must name the fault there.

A place is found by what stands in the bundle and not by a list of names, so that every entity of every stage can be
hit. Places that are alike share a cell, of which one mutant is drawn. What is wrong in one stage is carried into the
later ones by the honest passes, so that it does not show as a difference between two stages.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import msgspec

from blueprint.frontend.request import deployment_of, target_of
from blueprint.ir.common import DType, Role, Stage
from blueprint.ir.portable import StorageClass
from blueprint.ir.request import (
    Attention,
    Communication,
    Deployment,
    Inference,
    Recompute,
    Request,
    Scope,
    Strategy,
    Target,
    TargetKind,
    Training,
)
from blueprint.rule import BoundaryRule, PassRule
from blueprint.session import open_rulebook
from tests.bundles.stacks import good
from tests.bundles.test_false_bundles import New, be, other_way, plus, turned, without_last
from tests.reseal import KINDS, STAGES, Draft, Plain, copied, listed, mapped, new_id

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


OPERATORS: list[Operator] = []


def operator(
    name: str, *, point: Point = Point.MEANING, most: int = 12, whole: bool = False
) -> Callable[[Sites], Sites]:
    """Register the places of an operator."""

    def register(sites: Sites) -> Sites:
        OPERATORS.append(Operator(name, sites, point, most, whole))
        return sites

    return register


def claims_by_rule() -> dict[str, set[str]]:
    """Rule -> the claims that it makes."""
    rules = [rule for rule in open_rulebook(None).rules if isinstance(rule, PassRule | BoundaryRule)]
    return {rule.id: {claim.value for claim in rule.claims} for rule in rules}


CLAIMS: Final = claims_by_rule()


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


# Work -----------------------------------------------------------------------------------------------------------------


def more_or_less(old: int, _draft: Draft) -> object:
    """One more where the number is even, one less where it is odd."""
    return old - 1 if old % 2 else old + 1


@operator("operations", most=300)
def operations(draft: Draft, _request: Request) -> Iterator[Site]:
    """A step does another number of operations."""
    for step in steps(draft, DISTRIBUTED):
        yield edit(DISTRIBUTED, step, "work.operations", more_or_less, "claim.exact_work", cell=kind_of(step))
    for step in steps(draft, PORTABLE):
        yield edit(PORTABLE, step, "work.operations", plus(1), "claim.exact_work")
    for step in steps(draft, CONCRETE):
        yield edit(CONCRETE, step, "operations", plus(1), "claim.exact_work", cell=kind_of(step))


@operator("operations doubled")
def operations_doubled(draft: Draft, _request: Request) -> Iterator[Site]:
    """A step does its operations twice."""
    for stage, field in ((DISTRIBUTED, "work.operations"), (PORTABLE, "work.operations"), (CONCRETE, "operations")):
        for step in steps(draft, stage):
            if step.get("operations", step.get("work", {}).get("operations")):
                yield edit(stage, step, field, lambda old, _: 2 * old, "claim.exact_work")


@operator("bytes", most=40)
def moved_bytes(draft: Draft, _request: Request) -> Iterator[Site]:
    """A step reads or writes another number of bytes."""
    for step in steps(draft, DISTRIBUTED):
        by = (
            "claim.operand_traffic" if "operand_traffic" in CLAIMS[step["lineage"]["transform"]] else "claim.exact_work"
        )
        for field in ("work.read_bytes", "work.write_bytes"):
            yield edit(DISTRIBUTED, step, field, more_or_less, by, cell=f"{step['phase']} {field}")
    for step in steps(draft, PORTABLE):
        for field in ("work.read_bytes", "work.write_bytes"):
            yield edit(PORTABLE, step, field, plus(2), "claim.exact_work", cell=field)


@operator("bytes of one phase", most=60)
def bytes_of_phase(draft: Draft, _request: Request) -> Iterator[Site]:
    """A step of each phase writes what it should read besides."""
    for step in steps(draft, PORTABLE):

        def change(changed: Draft, name: str = step["name"]) -> None:
            work = changed.entity(PORTABLE, "tasks", name)["work"]
            work["write_bytes"] += work["read_bytes"] + 1

        yield Site(PORTABLE, step["name"], "claim.exact_work", change, step["phase"])


@operator("bytes from read to write")
def bytes_turned(draft: Draft, _request: Request) -> Iterator[Site]:
    """What a task moves in all is right, and it writes what it should read."""
    for step in steps(draft, DISTRIBUTED):
        if "operand_traffic" not in CLAIMS[step["lineage"]["transform"]] or not step["work"]["read_bytes"]:
            continue

        def change(changed: Draft, name: str = step["name"]) -> None:
            work = changed.entity(DISTRIBUTED, "tasks", name)["work"]
            work["read_bytes"], work["write_bytes"] = work["read_bytes"] - 1, work["write_bytes"] + 1

        yield Site(DISTRIBUTED, step["name"], "claim.operand_traffic", change)


def alike(found: Sequence[Plain]) -> Iterator[tuple[Plain, Plain]]:
    """Neighbours of the same rule and phase."""
    kinds: dict[str, Plain] = {}
    for step in found:
        before = kinds.get(kind_of(step))
        if before is not None:
            yield before, step
        kinds[kind_of(step)] = step


@operator("work moved")
def work_moved(draft: Draft, _request: Request) -> Iterator[Site]:
    """From one task to another of its rule and phase: every sum over both is right."""
    for one, other in alike(steps(draft, DISTRIBUTED)):
        for component in ("operations", "read_bytes"):
            if one["work"][component]:

                def change(
                    changed: Draft, pair: tuple[str, str, str] = (one["name"], other["name"], component)
                ) -> None:
                    first, second, part = pair
                    changed.entity(DISTRIBUTED, "tasks", first)["work"][part] -= 1
                    changed.entity(DISTRIBUTED, "tasks", second)["work"][part] += 1

                place = f"{one['name']} to {other['name']}: {component}"
                yield Site(DISTRIBUTED, place, "claim.exact_work", change, component)


@operator("resources")
def resources(draft: Draft, _request: Request) -> Iterator[Site]:
    """A task claims another amount of a resource than its work has."""
    for step in steps(draft, PORTABLE):
        for resource in step["resources"]:
            yield edit(PORTABLE, step, f"resources.{resource}", plus(1), "claim.resources", cell=resource)


@operator("operand sizes")
def operand_sizes(draft: Draft, _request: Request) -> Iterator[Site]:
    """A task's primitive has an operand of another size or name, one operand less, or two in each other's place."""
    for step in steps(draft, DISTRIBUTED):
        for at, operand in enumerate(step["operands"]):
            field = f"operands.{at}"
            yield edit(DISTRIBUTED, step, f"{field}.size", plus(1), "claim.operand_sizes", cell=operand["name"])
            yield edit(DISTRIBUTED, step, f"{field}.name", be("y"), "claim.operand_sizes", cell="name")
        yield edit(DISTRIBUTED, step, "operands", without_last, "claim.operand_sizes", cell="less")
        if len(step["operands"]) > 1:
            yield edit(DISTRIBUTED, step, "operands", turned, "claim.operand_sizes", cell="turned", word="turned")


# Data flow ------------------------------------------------------------------------------------------------------------


@operator("swapped tensors", most=18)
def swapped_tensors(draft: Draft, _request: Request) -> Iterator[Site]:
    """A step takes its tensors in another order."""
    for stage in (MODEL, DISTRIBUTED, PORTABLE):
        for step in steps(draft, stage):
            for side in ("inputs", "outputs"):
                if len(step.get(side, ())) > 1:
                    yield edit(stage, step, side, turned, "claim.data_flow", cell=kind_of_any(step))


def kind_of_any(step: Plain) -> str:
    return kind_of(step) if "lineage" in step else str(step.get("kind", ""))


@operator("another tensor read")
def another_tensor(draft: Draft, _request: Request) -> Iterator[Site]:
    """A task reads another tensor of the same type and local shape, of a version or a block that is not meant."""
    found = values(draft, DISTRIBUTED)
    places = {value["id"]: at for at, value in enumerate(found)}
    for step in steps(draft, DISTRIBUTED):
        before = min((places[each] for each in step["outputs"]), default=len(found))
        for at, read in enumerate(step["inputs"]):
            right = found[places[read]]
            for other in found[:before]:
                same = all(other[field] == right[field] for field in ("dtype", "local_shape", "role"))
                if same and other["id"] not in step["inputs"]:
                    word = f"as {other['name']}"
                    cell = "version" if other["source_value"] == right["source_value"] else "value"
                    yield edit(
                        DISTRIBUTED, step, f"inputs.{at}", be(other["id"]), "claim.data_flow", cell=cell, word=word
                    )
                    break


@operator("a tensor more or less")
def tensor_count(draft: Draft, _request: Request) -> Iterator[Site]:
    """A step does not read one of its tensors, or reads one that it should not."""
    for stage in (MODEL, DISTRIBUTED, PORTABLE):
        for step in steps(draft, stage):
            if step["inputs"]:
                yield edit(stage, step, "inputs", without_last, "claim.data_flow", cell="less")
        if stage is MODEL:
            continue
        first = values(draft, stage)[0]["id"]
        for step in steps(draft, stage):
            if first not in step["inputs"]:
                new: New = lambda old, _, one=first: [*old, one]  # type: ignore[misc]  # noqa: E731
                yield edit(stage, step, "inputs", new, "claim.data_flow", cell="more", word="more")


@operator("results exchanged")
def results_exchanged(draft: Draft, _request: Request) -> Iterator[Site]:
    """Two neighbours that do not need each other write each other's results."""
    for stage, field in ((MODEL, "result"), (DISTRIBUTED, "outputs"), (PORTABLE, "outputs")):
        found = steps(draft, stage)
        for one, other in pairwise(found):
            if set(_written(one)) & set(other["inputs"]) or not (_written(one) and _written(other)):
                continue

            def change(
                changed: Draft, pair: tuple[Stage, str, str, str] = (stage, one["name"], other["name"], field)
            ) -> None:
                at, first, second, side = pair
                left, right = (changed.entity(at, STEPS[at], name) for name in (first, second))
                left[side], right[side] = right[side], left[side]

            if not _in_a_cycle(found, one, other):
                yield Site(stage, f"{one['name']} and {other['name']}", "claim.data_flow", change)


def _in_a_cycle(found: Sequence[Plain], one: Plain, other: Plain) -> bool:
    """Whether, with each other's results, one of two steps would need what it writes itself."""
    places = {each: at for at, step in enumerate(found) for each in _written(step)}
    first = min(found.index(one), found.index(other))
    return any(places.get(each, -1) >= first for step in (one, other) for each in step["inputs"])


def _written(step: Plain) -> list[str]:
    found: list[str] = step["outputs"] if "outputs" in step else [step["result"]]
    return found


@operator("producer or consumers of a buffer")
def buffer_flow(draft: Draft, _request: Request) -> Iterator[Site]:
    """A buffer says that another task makes it, or that other tasks read it."""
    found = values(draft, PORTABLE)
    last = steps(draft, PORTABLE)[-1]["id"]
    for buffer in found:
        if buffer["consumers"]:
            yield edit(PORTABLE, buffer, "consumers", without_last, "claim.data_flow", cell="less")
        if len(buffer["consumers"]) > 1:
            yield edit(PORTABLE, buffer, "consumers", turned, "claim.data_flow", cell="order", word="turned")
        if buffer.get("producer", last) != last:
            yield edit(PORTABLE, buffer, "producer", be(last), "claim.data_flow", cell="producer")


@operator("broken dependency", most=18)
def dependencies(draft: Draft, _request: Request) -> Iterator[Site]:
    """A step waits for one step less, for one more, or for its own in another order."""
    for stage in (PORTABLE, CONCRETE, MACHINE):
        found, by = steps(draft, stage), "claim.dependency_topology"
        for at, step in enumerate(found):
            waited = step["dependencies"]
            if waited:
                yield edit(stage, step, "dependencies", without_last, by, cell="less")
            if len(waited) > 1:
                yield edit(stage, step, "dependencies", turned, by, cell="order", word="turned")
            before = found[at - 1]["id"]
            if at and before not in waited:
                new: New = lambda old, _, one=before: [*old, one]  # type: ignore[misc]  # noqa: E731
                yield edit(stage, step, "dependencies", new, by, cell="more", word="more")


@operator("interface", most=40)
def interface(draft: Draft, request: Request) -> Iterator[Site]:
    """What enters, what leaves, the facts, the mesh, the objectives or the target are others."""
    by = "claim.interface"
    for stage in shown(draft):
        snapshot = draft.snapshot(stage)
        for side in ("inputs", "outputs"):
            # A value that is neither made nor given has a finding of its own.
            if snapshot.get(side) and (stage, side) != (DISTRIBUTED, "inputs"):
                yield header(stage, side, without_last, by, "less")
            if len(snapshot.get(side, ())) > 1:
                yield header(stage, side, turned, by, "turned")
    for name in (
        "hidden",
        "feedforward",
        "heads",
        "key_value_heads",
        "head_width",
        "layers",
        "vocabulary",
        "positions",
    ):
        yield header(MODEL, f"facts.{name}", plus(1), by)
    yield header(MODEL, "facts.name", be("another"), by)
    yield header(MODEL, "facts.biases", other_way, by)
    yield header(DISTRIBUTED, "mesh.pipeline", plus(1), by)
    yield header(DISTRIBUTED, "mesh.data", plus(1), by)
    yield header(DISTRIBUTED, "mesh.ranks", lambda old, _: [*old[:-1], old[-1] + 1], by)
    yield header(PORTABLE, "objectives", turned, by)
    for stage in (CONCRETE, MACHINE):
        if stage in shown(draft):
            yield header(stage, "target", be("reference-other"), by)
    if CONCRETE in shown(draft) and isinstance(request.workload, Training):
        yield header(CONCRETE, "workspace", plus(1), by)


# Entities and lineage -------------------------------------------------------------------------------------------------


@operator("dropped entity", most=40)
def dropped(draft: Draft, _request: Request) -> Iterator[Site]:
    """An entity is gone, and nothing refers to it any more."""
    for stage in shown(draft):
        for label in KINDS[stage]:
            found = draft.entities(stage, label)
            if len(found) < 2:
                continue
            # What is issued by no queue and no section is no program at all.
            by = "structure.issue" if label in {"queues", "sections"} else "coverage.missing"
            for entity in found:
                change = removed(stage, label, entity["name"])
                yield Site(stage, f"{label}/{entity['name']}", by, change, f"{stage.value} {label}")


@operator("invented entity", most=30)
def invented(draft: Draft, _request: Request) -> Iterator[Site]:
    """An entity stands twice, under another name; nothing uses the second."""
    for stage in shown(draft):
        for label, kind in KINDS[stage].items():
            for entity in draft.entities(stage, label):
                change = _twin(stage, label, kind, entity["name"])
                yield Site(stage, f"{label}/{entity['name']}", "coverage.unexpected", change, f"{stage.value} {label}")


def _twin(stage: Stage, label: str, kind: str, name: str) -> Change:
    def change(draft: Draft) -> None:
        real = draft.entity(stage, label, name)
        spare = copied(real, id=new_id(kind, "spare"), name=f"{name[:50]}.spare")
        if "outputs" in spare:
            spare["outputs"] = []
        if label == "operations":
            result = copied(draft.entity(stage, "values", _name(draft, real["result"])), id=new_id("value", "spare"))
            result["name"] = spare["name"]
            draft.entities(stage, "values").append(result)
            spare["result"] = result["id"]
        if "consumers" in spare:
            spare["consumers"] = []
            spare.pop("producer", None)
        if stage is DISTRIBUTED and label == "values":
            makers = [each["outputs"] for each in draft.entities(stage, "tasks") if real["id"] in each["outputs"]]
            next(iter(makers), draft.snapshot(stage)["inputs"]).append(spare["id"])
        if label == "devices":
            spare["ordinal"] = 9
        if label == "commands":
            spare["uses"] = [use for use in spare["uses"] if use["mode"] == "read"]
            _issued_behind(draft, real["id"], spare["id"])
        if label in {"queues", "sections"}:
            spare["order"] = []
        if label == "instructions":
            next(each for each in draft.entities(stage, "sections") if real["id"] in each["order"])["order"].append(
                spare["id"]
            )
        listed(draft.snapshot(stage), label).append(spare)

    return change


def _name(draft: Draft, value: str) -> str:
    return next(str(each["name"]) for each in draft.entities(MODEL, "values") if each["id"] == value)


def _issued_behind(draft: Draft, real: str, spare: str) -> None:
    """A command more is issued where its twin is, as late as can be."""
    beside = extension(draft)
    for queue in beside.get("queues", ()):
        if real in queue["order"]:
            queue["order"].append(spare)
    if "issues" in beside:
        last = max(issue["cycle"] for issue in beside["issues"])
        beside["issues"].append({"command": spare, "cycle": last + 1, "slot": 0})


SOURCES: Final = {"values": "source_value", "buffers": "source_buffer", "instructions": "source_command"}


def derived(draft: Draft) -> Iterator[tuple[Stage, str, Plain]]:
    """Every entity with a lineage."""
    for stage in shown(draft)[1:]:
        for label in KINDS[stage]:
            for entity in draft.entities(stage, label):
                yield stage, label, entity


def _source_field(stage: Stage, label: str) -> str:
    return "source_value" if stage is PORTABLE and label == "buffers" else SOURCES.get(label, "")


@operator("lineage to the wrong source")
def wrong_source(draft: Draft, _request: Request) -> Iterator[Site]:
    """An entity says that it comes from what another of its kind comes from."""
    before: dict[tuple[Stage, str, str], Plain] = {}
    for stage, label, entity in derived(draft):
        lineage = entity["lineage"]
        if not lineage["sources"]:
            continue
        kind = (stage, label, lineage["transform"])
        other = before.get(kind)
        before[kind] = entity
        if other is None or other["lineage"]["sources"] == lineage["sources"]:
            continue

        def change(
            changed: Draft,
            where: tuple[Stage, str, str] = (stage, label, entity["name"]),
            sources: tuple[str, ...] = tuple(other["lineage"]["sources"]),
        ) -> None:
            found = changed.entity(*where)
            found["lineage"]["sources"] = list(sources)
            if _source_field(where[0], where[1]) in found:
                found[_source_field(where[0], where[1])] = sources[0]

        yield Site(stage, f"{label}/{entity['name']}", "coverage.missing", change, label)


@operator("lineages exchanged")
def lineages_exchanged(draft: Draft, _request: Request) -> Iterator[Site]:
    """Two entities say that they come from each other's sources: every source has its target."""
    before: dict[tuple[Stage, str, str], Plain] = {}
    for stage, label, entity in derived(draft):
        kind = (stage, label, entity["lineage"]["transform"])
        other = before.get(kind)
        before[kind] = entity
        if other is None or other["lineage"]["sources"] == entity["lineage"]["sources"]:
            continue

        def change(
            changed: Draft, where: tuple[Stage, str, str, str] = (stage, label, other["name"], entity["name"])
        ) -> None:
            one, two = (changed.entity(where[0], where[1], name) for name in where[2:])
            for field in ("lineage", _source_field(where[0], where[1])):
                if field in one:
                    one[field], two[field] = two[field], one[field]

        place = f"{label}/{other['name']} and {entity['name']}"
        yield Site(stage, place, "coverage.missing", change, label)


@operator("wrong transform")
def wrong_transform(draft: Draft, _request: Request) -> Iterator[Site]:
    """An entity says that another rule of its boundary made it, or one that there is not."""
    rules: dict[Stage, list[str]] = {}
    for stage, _, entity in derived(draft):
        rules.setdefault(stage, []).append(entity["lineage"]["transform"])
    for stage, label, entity in derived(draft):
        others = sorted(set(rules[stage]) - {entity["lineage"]["transform"]})
        field = "lineage.transform"
        if others:
            yield edit(stage, entity, field, be(others[0]), "coverage.missing", cell=label, word="another")
        yield edit(stage, entity, field, be("planning.nothing"), "lineage.undeclared", cell=label, word="none")


@operator("wrong lineage kind")
def wrong_lineage_kind(draft: Draft, _request: Request) -> Iterator[Site]:
    """An entity says that it came from its sources in another way."""
    for stage, label, entity in derived(draft):
        for kind in ("derived", "lowered", "generated"):
            if kind != entity["lineage"]["kind"]:
                yield edit(stage, entity, "lineage.kind", be(kind), "lineage.kind", cell=label, word=kind)


@operator("wrong source field")
def wrong_source_field(draft: Draft, _request: Request) -> Iterator[Site]:
    """The extra field for the source differs from the lineage."""
    for stage, label, entity in derived(draft):
        field = _source_field(stage, label)
        others = [each[field] for each in draft.entities(stage, label) if field in each and each != entity]
        for other in [each for each in others if each != entity.get(field)][:1]:
            yield edit(stage, entity, field, be(other), "lineage.source_value", cell=label)


@operator("mixed-in stage", whole=True)
def mixed_in(draft: Draft, request: Request) -> Iterator[Site]:
    """One stage is that of another derivation, with other numbers; ids and references are this bundle's."""
    workload = msgspec.structs.replace(request.workload, batch=request.workload.batch + 1)
    other = msgspec.structs.replace(request, workload=workload)
    by = ("claim.tensor_type", "claim.exact_work", "claim.exact_work", "claim.exact_work", "claim.operands")
    for stage, finding in zip(shown(draft), by, strict=False):
        yield Site(stage, stage.value, finding, _mixed(other, stage), carry=False)


def _mixed(request: Request, stage: Stage) -> Change:
    def change(draft: Draft) -> None:
        theirs = Draft(good(request)).data["stages"]
        names: dict[str, str] = {}
        for mine, other in zip(draft.data["stages"], theirs, strict=True):
            at = Stage(mine["stage"])
            for label in KINDS[at]:
                known = {each["name"]: each["id"] for each in listed(mine["snapshot"], label)}
                for each in listed(other["snapshot"], label):
                    if mine["branch"] == draft.data["stages"][-1]["branch"] or at is MODEL:
                        names[each["id"]] = str(known.get(each["name"], each["id"]))
        place = max(at for at, each in enumerate(draft.data["stages"]) if each["stage"] == stage.value)
        draft.data["stages"][place]["snapshot"] = mapped(theirs[place]["snapshot"], names)

    return change


# Identity, ranks and exchanges ----------------------------------------------------------------------------------------


@operator("wrong kind, phase or primitive", most=24)
def identity(draft: Draft, request: Request) -> Iterator[Site]:
    """A step is of another kind, phase, primitive or block."""
    by = "claim.operation_identity"
    for step in steps(draft, MODEL):
        other = "context" if step["kind"] != "context" else "scores"
        yield edit(MODEL, step, "kind", be(other), by, cell="kind")
        yield edit(MODEL, step, "block", plus(1), by, cell="block")
    phase = "recompute" if isinstance(request.workload, Training) else "optimizer"
    for stage in (DISTRIBUTED, PORTABLE):
        for step in steps(draft, stage):
            if step["phase"] != phase:
                yield edit(stage, step, "phase", be(phase), by, cell="phase")
            primitive = "linear" if step["primitive"] != "linear" else "residual"
            yield edit(stage, step, "primitive", be(primitive), by, cell="primitive")
            if "collective" not in step:
                kind = "point_to_point" if step["kind"] == "compute" else "compute"
                yield edit(stage, step, "kind", be(kind), by, cell="kind")


@operator("wrong rank set", most=24)
def rank_sets(draft: Draft, _request: Request) -> Iterator[Site]:
    """A value, a task, a device, a region or a command is on other ranks or devices."""
    for stage in (DISTRIBUTED, PORTABLE):
        for label in ("values", "tasks"):
            for entity in draft.entities(stage, label) if label in KINDS[stage] else ():
                by = "claim.logical_ranks"
                yield edit(stage, entity, "ranks", without_last, by, cell=f"{label} less")
                further: New = lambda old, _: [*old[:-1], old[-1] + 1]  # noqa: E731
                yield edit(stage, entity, "ranks", further, by, cell=f"{label} other", word="other")
    if CONCRETE in shown(draft):
        device = draft.entities(CONCRETE, "devices")[-1]
        yield edit(CONCRETE, device, "ordinal", plus(1), "claim.logical_ranks")
        for label in ("regions", "commands"):
            for entity in draft.entities(CONCRETE, label):
                if len(entity["devices"]) > 1:
                    yield edit(CONCRETE, entity, "devices", without_last, "claim.placement", cell=f"{label} less")
                    yield edit(
                        CONCRETE, entity, "devices", turned, "claim.placement", cell=f"{label} turned", word="turned"
                    )


@operator("one rank less everywhere")
def a_rank_less(_draft: Draft, _request: Request) -> Iterator[Site]:
    """The last rank holds nothing, does nothing and takes part in nothing but exchanges of data-parallel ranks."""

    def change(changed: Draft) -> None:
        for each in (*changed.entities(DISTRIBUTED, "tasks"), *changed.entities(DISTRIBUTED, "values")):
            each["ranks"].pop()

    yield Site(DISTRIBUTED, "every value and task", "claim.logical_ranks", change)

    def shifted(changed: Draft) -> None:
        ranked = (*changed.entities(DISTRIBUTED, "tasks"), *changed.entities(DISTRIBUTED, "values"))
        for each in (*ranked, changed.snapshot(DISTRIBUTED)["mesh"]):
            each["ranks"][-1] += 1

    yield Site(DISTRIBUTED, "another rank everywhere", "claim.logical_ranks", shifted)


OTHER_KIND: Final = {"all_gather": "all_reduce", "all_reduce": "reduce_scatter", "reduce_scatter": "all_reduce"}


class Exchange(NamedTuple):
    """What a step exchanges: where the collective is described in it."""

    stage: Stage
    step: Plain
    field: str
    kind: str

    @property
    def collective(self) -> Plain:
        """The description itself."""
        found: Any = self.step
        for part in self.field.split("."):
            found = found[key(part)]
        return dict(found)


def exchanges(draft: Draft) -> Iterator[Exchange]:
    """Every step of every stage that exchanges something."""
    for stage in shown(draft)[1:]:
        for step in steps(draft, stage):
            if "collective" in step:
                yield Exchange(stage, step, "collective", "kind")
            for at, operand in enumerate(step.get("operands", ())):
                if operand.get("kind") == "collective":
                    yield Exchange(stage, step, f"operands.{at}", "collective")


def of_exchange(found: Exchange, changes: Plain, by: str = "claim.collective_volume", word: str = "") -> Site:
    """The collective of a step has other fields."""
    new: New = lambda old, _: {**old, **changes}  # noqa: E731
    return edit(found.stage, found.step, found.field, new, by, cell=kind_of(found.step), word=word)


@operator("wrong collective kind")
def collective_kind(draft: Draft, _request: Request) -> Iterator[Site]:
    """A collective is of another kind, with the reduction that belongs to it."""
    for found in exchanges(draft):
        kind = OTHER_KIND[found.collective[found.kind]]
        yield of_exchange(found, {found.kind: kind, "reduction": "none" if kind == "all_gather" else "sum"}, word=kind)


@operator("wrong reduction")
def reduction(draft: Draft, _request: Request) -> Iterator[Site]:
    """A collective sums what it should only gather, or the other way round."""
    for found in exchanges(draft):
        by = "structure.collective" if found.stage is DISTRIBUTED else "claim.collective_volume"
        yield of_exchange(found, {"reduction": "sum" if found.collective["reduction"] == "none" else "none"}, by)


@operator("wrong participants")
def participants(draft: Draft, _request: Request) -> Iterator[Site]:
    """A collective is among other ranks, or along another axis of the mesh."""
    for found in exchanges(draft):
        ranks, axis = found.collective["participants"], found.collective["axis"]
        yield of_exchange(found, {"participants": [*ranks[:-1], ranks[-1] + 1]}, word="others")
        yield of_exchange(found, {"participants": [*ranks, ranks[-1] + 1]}, word="more")
        yield of_exchange(found, {"axis": "data" if axis == "tensor" else "tensor"}, word="axis")


@operator("wrong payload", most=80)
def payload(draft: Draft, _request: Request) -> Iterator[Site]:
    """A message has another number of bytes, in the collective and in the work."""
    for stage in shown(draft)[1:]:
        for step in steps(draft, stage):
            if step.get("work", {}).get("message_bytes") and stage in {DISTRIBUTED, PORTABLE}:
                by = "claim.collective_volume" if "collective" in step else "claim.exact_work"
                for word, new in (("more", lambda old: old + 2), ("half", lambda old: old // 2)):

                    def change(
                        changed: Draft,
                        where: tuple[Stage, str] = (stage, step["name"]),
                        other: Callable[[int], int] = new,
                    ) -> None:
                        found = changed.entity(where[0], "tasks", where[1])
                        for each in (found["work"], found.get("collective", {})):
                            if "message_bytes" in each:
                                each["message_bytes"] = other(each["message_bytes"])

                    cell = kind_of(step) if stage is DISTRIBUTED else ""
                    yield Site(stage, f"{step['name']} {word}", by, change, f"{by} {cell}")
    for found in exchanges(draft):
        if found.stage in {CONCRETE, MACHINE}:
            yield of_exchange(found, {"message_bytes": found.collective["message_bytes"] + 1})._replace(cell="")


@operator("collective left out")
def left_out(draft: Draft, _request: Request) -> Iterator[Site]:
    """An exchange does not take place: what comes after it reads what went into it."""
    for step in steps(draft, DISTRIBUTED):
        if "collective" in step and len(step["inputs"]) == len(step["outputs"]):

            def change(changed: Draft, name: str = step["name"]) -> None:
                found = changed.entity(DISTRIBUTED, "tasks", name)
                snapshot = changed.snapshot(DISTRIBUTED)
                names = dict(zip(found["outputs"], found["inputs"], strict=True))
                gone = forgotten(snapshot, {found["id"]})
                gone["values"] = [each for each in gone["values"] if each["id"] not in names]
                snapshot.update(mapped(gone, names))

            yield Site(DISTRIBUTED, step["name"], "coverage.missing", change, kind_of(step))


# Values and buffers ---------------------------------------------------------------------------------------------------


@operator("wrong role")
def roles(draft: Draft, _request: Request) -> Iterator[Site]:
    """A value is for something else."""
    for stage in (MODEL, DISTRIBUTED, PORTABLE):
        for value in values(draft, stage):
            role = (Role.MASK if value["role"] != Role.MASK.value else Role.GRADIENT).value
            yield edit(stage, value, "role", be(role), "claim.role", cell=value["role"])


@operator("wrong element type")
def dtypes(draft: Draft, _request: Request) -> Iterator[Site]:
    """The elements of a value are of another type, of the same width or of another."""
    for stage in (MODEL, DISTRIBUTED, PORTABLE):
        for value in values(draft, stage):
            for dtype in (DType.FLOAT16, DType.FLOAT32):
                if value["dtype"] != dtype.value:
                    new = be(dtype.value)
                    yield edit(stage, value, "dtype", new, "claim.tensor_type", cell=dtype.value, word=dtype.value)


@operator("wrong shape", most=18)
def shapes(draft: Draft, _request: Request) -> Iterator[Site]:
    """A value is larger on one axis, or its axes stand in another order."""
    for stage in (MODEL, DISTRIBUTED):
        for value in values(draft, stage):
            for at, axis in enumerate(value["axes"]):

                def change(changed: Draft, where: tuple[Stage, str, int] = (stage, value["name"], at)) -> None:
                    found = changed.entity(where[0], "values", where[1])
                    for field in ("shape", "local_shape"):
                        if field in found:
                            found[field][where[2]] *= 2

                yield Site(stage, f"{value['name']} {axis}", "claim.tensor_type", change, axis)
            if len(value["axes"]) > 1:
                yield edit(stage, value, "axes", turned, "claim.tensor_type", cell="axes")


@operator("wrong sharding")
def sharding(draft: Draft, _request: Request) -> Iterator[Site]:
    """A divided value lies whole on every rank, a whole one divided, along another axis, or in addends."""
    by = "claim.shard_coverage"
    for value in values(draft, DISTRIBUTED):
        shape, degree = value["shape"], len(value["ranks"])
        yield edit(DISTRIBUTED, value, "partial", other_way, by, cell="partial")
        for at in [None, *range(len(shape))]:
            split = [] if at is None else [value["axes"][at]]
            if split == value["split"] or (at is not None and shape[at] % degree):
                continue
            local = [size // degree if place == at else size for place, size in enumerate(shape)]

            def change(
                changed: Draft,
                where: tuple[str, tuple[str, ...], tuple[int, ...]] = (value["name"], (*split,), (*local,)),
            ) -> None:
                name, axes, sizes = where
                changed.entity(DISTRIBUTED, "values", name).update(split=list(axes), local_shape=list(sizes))

            word = "whole" if at is None else f"along {split[0]}"
            yield Site(DISTRIBUTED, f"{value['name']} {word}", by, change, "whole" if at is None else "divided")


@operator("shape, shards and work together")
def resized(draft: Draft, _request: Request) -> Iterator[Site]:
    """A product has twice the columns in all that is said of it, and not in the model."""
    for step in steps(draft, DISTRIBUTED):
        sizes = {each["name"]: each["size"] for each in step["operands"]}
        if step["primitive"] != "linear" or step["phase"] != "forward" or len(step["outputs"]) != 1:
            continue

        def change(changed: Draft, name: str = step["name"], operands: Plain = sizes) -> None:
            found = changed.entity(DISTRIBUTED, "tasks", name)
            named = {each["id"]: each for each in changed.entities(DISTRIBUTED, "values")}
            weight = next(named[each] for each in found["inputs"] if ".weight." in named[each]["name"])
            result = named[found["outputs"][0]]
            axis = next(each for each in weight["axes"] if each in result["axes"])
            for each in (weight, result):
                for field in ("shape", "local_shape"):
                    each[field][each["axes"].index(axis)] *= 2
            width = found["work"]["write_bytes"] // (operands["m"] * operands["k"])
            found["operands"] = [
                {**each, "size": each["size"] * (2 if each["name"] == "k" else 1)} for each in found["operands"]
            ]
            work = found["work"]
            work["operations"] *= 2
            work["write_bytes"] *= 2
            work["read_bytes"] += operands["n"] * operands["k"] * width

        yield Site(DISTRIBUTED, step["name"], "claim.tensor_type", change)


@operator("wrong buffer size")
def buffer_sizes(draft: Draft, _request: Request) -> Iterator[Site]:
    """A buffer has room for more or for less than its value."""
    for buffer in values(draft, PORTABLE):
        for word, new in (("more", plus(1)), ("twice", lambda old, _: 2 * old)):
            yield edit(PORTABLE, buffer, "size", new, "claim.buffer_size", cell=word, word=word)
    for buffer in values(draft, CONCRETE):
        if buffer["size"] > 1:
            yield edit(CONCRETE, buffer, "size", plus(-1), "claim.buffer_size")


@operator("wrong storage class")
def storage(draft: Draft, _request: Request) -> Iterator[Site]:
    """A buffer lives longer or shorter than its value, or is aligned otherwise."""
    for buffer in values(draft, PORTABLE):
        for other in StorageClass:
            if other.value != buffer["storage"]:
                new, cell = be(other.value), f"{buffer['storage']} {other.value}"
                yield edit(PORTABLE, buffer, "storage", new, "claim.storage", cell=cell, word=other.value)
        new = be(2 * buffer["alignment"])
        yield edit(PORTABLE, buffer, "alignment", new, "claim.storage", cell="alignment")


@operator("wrong capability")
def capability(draft: Draft, _request: Request) -> Iterator[Site]:
    """A task needs another capability, has another alternative, or occupies another resource."""
    by = "claim.implementation"
    for step in steps(draft, PORTABLE):
        group = "transfer" if step["group"] != "transfer" else "compute"
        yield edit(PORTABLE, step, "implementation.capability", be("compute.other"), by, cell="capability")
        yield edit(PORTABLE, step, "implementation.alternatives", be(["compute.other"]), by, cell="alternatives")
        yield edit(PORTABLE, step, "group", be(group), by, cell="group")


@operator("wrong implementation")
def implementation(draft: Draft, _request: Request) -> Iterator[Site]:
    """A command or an instruction runs another implementation."""
    for stage in (CONCRETE, MACHINE):
        found = steps(draft, stage)
        for step in found:
            other = next(each["implementation"] for each in found if each["implementation"] != step["implementation"])
            yield edit(stage, step, "implementation", be(other), "claim.implementation")


# Memory facts, caches and workspaces ----------------------------------------------------------------------------------


@operator("wrong memory fact", most=80)
def memory_facts(draft: Draft, _request: Request) -> Iterator[Site]:
    """What one rank holds is another number: parameters, state, activations, caches, boundary."""
    for fact, size in draft.snapshot(PORTABLE)["memory"].items():
        if fact == "kind":
            continue
        by = "law.workspace" if fact == "workspace" else "claim.memory"
        yield header(PORTABLE, f"memory.{fact}", plus(1), by, "more")
        if size > 1:
            yield header(PORTABLE, f"memory.{fact}", lambda old, _: old // 2, by, "half")


@operator("memory facts of the other workload")
def other_memory(_draft: Draft, _request: Request) -> Iterator[Site]:
    """A plan of training has the memory facts of a step of inference, or the other way round."""

    def change(changed: Draft) -> None:
        snapshot = changed.snapshot(PORTABLE)
        held = {name: snapshot["memory"][name] for name in ("parameters", "weights")}
        if snapshot["memory"]["kind"] == "training":
            rest: Plain = {"kind": "inference", "kv": 0, "boundary": 0, "workspace": 0}
        else:
            names = ("gradients", "optimizer", "stored", "working", "checkpoint")
            rest = {"kind": "training", **dict.fromkeys(names, 0)}
        snapshot["memory"] = {**held, **rest}

    yield Site(PORTABLE, "memory", "claim.memory", change)


@operator("wrong workspace", most=40)
def workspaces(draft: Draft, request: Request) -> Iterator[Site]:
    """An implementation of the attention core needs more or less room, or the binding takes another."""
    laws = {
        "attention.unfused": "law.workspace",
        "attention.tiled": "law.tiled-workspace",
        "attention.paged": "law.paged-workspace",
    }
    for at, each in enumerate(draft.snapshot(PORTABLE)["alternatives"]):
        for word, new in (("more", plus(1)), ("less", plus(-1))):
            yield header(PORTABLE, f"alternatives.{at}.workspace", new, laws[each["name"]], word)
    if CONCRETE in shown(draft) and isinstance(request.workload, Inference):
        yield header(CONCRETE, "workspace", plus(1), "claim.chosen_workspace", "more")
        yield header(CONCRETE, "workspace", plus(-1), "claim.chosen_workspace", "less")
        yield header(CONCRETE, "workspace", lambda old, _: 64 * old, "law.bound-workspace", "far more")


@operator("wrong alternatives")
def alternatives(draft: Draft, _request: Request) -> Iterator[Site]:
    """The plan offers other implementations of the attention core, or with other capabilities."""
    by = "claim.alternatives"
    free = {"name": "attention.free", "capability": "free_attention", "workspace": 1}
    yield header(PORTABLE, "alternatives", lambda old, _: [*old, free], by, "one more")._replace(cell="more")
    if len(draft.snapshot(PORTABLE)["alternatives"]) > 1:
        yield header(PORTABLE, "alternatives", without_last, by, "one less")._replace(cell="less")
        yield header(PORTABLE, "alternatives", turned, by, "turned")._replace(cell="turned")
        yield header(PORTABLE, "alternatives.1.capability", be("paged_attention"), by)
        yield header(PORTABLE, "alternatives.0.name", be("attention.free"), by)


@operator("wrong effect on a cache", most=60)
def effects(draft: Draft, _request: Request) -> Iterator[Site]:
    """A task touches no cache, another, another part of it or otherwise; or a task without one touches one."""
    by = "claim.effects"
    for stage, of, label in ((DISTRIBUTED, "value", "values"), (PORTABLE, "buffer", "buffers")):
        found = [step for step in steps(draft, stage) if step["effects"]]
        caches = list(dict.fromkeys(step["effects"][0][of] for step in found))
        for step in found:
            kind = step["effects"][0]["kind"]
            other = "kv_read" if kind == "kv_write" else "kv_write"
            another = next(each for each in caches if each != step["effects"][0][of])
            for field, new in (
                ("effects", be([])),
                ("effects", lambda old, _: old * 2),
                ("effects.0.size", plus(1)),
                ("effects.0.kind", be(other)),
                (f"effects.0.{of}", be(another)),
            ):
                yield edit(stage, step, field, new, by, cell=f"{stage.value} {field} {kind}", word=_word(new))
        some = values(draft, stage)[-1]["id"] if not caches else caches[0]
        touched = [{"kind": "kv_read", of: some, "size": 1}]
        for step in steps(draft, stage):
            if not step["effects"]:
                yield edit(stage, step, "effects", be(touched), by, cell=f"{stage.value} invented {label}")


def _word(new: New) -> str:
    return new.__qualname__.partition(".")[0]


# Binding --------------------------------------------------------------------------------------------------------------


@operator("wrong place in memory", most=24)
def places(draft: Draft, _request: Request) -> Iterator[Site]:
    """A buffer overlaps another, is not aligned, lies further than it need, or in the place of another."""
    found = values(draft, CONCRETE)
    by = "claim.buffer_binding"
    sizes: dict[int, Plain] = {}
    for at, buffer in enumerate(found):
        if at:
            before = found[at - 1]["offset"]
            yield edit(CONCRETE, buffer, "offset", be(before), by, cell="overlap", word="overlapping")
            low = plus(-buffer["alignment"] // 2)
            yield edit(CONCRETE, buffer, "offset", low, by, cell="aligned", word="misaligned")
        other = sizes.setdefault(buffer["size"], buffer)
        if other is not buffer:

            def swapped(changed: Draft, names: tuple[str, str] = (other["name"], buffer["name"])) -> None:
                one, two = (changed.entity(CONCRETE, "buffers", name) for name in names)
                one["offset"], two["offset"] = two["offset"], one["offset"]

            yield Site(CONCRETE, f"{other['name']} and {buffer['name']}", by, swapped, "swapped")

        def further(changed: Draft, first: int = at) -> None:
            room = 0
            for each in values(changed, CONCRETE)[first:]:
                room = each["alignment"]
                each["offset"] += room
            for region in changed.entities(CONCRETE, "regions"):
                region["extent"] += room
                region["capacity"] += room

        yield Site(CONCRETE, f"{buffer['name']} and all after it", by, further, "further")


@operator("wrong alignment")
def alignments(draft: Draft, _request: Request) -> Iterator[Site]:
    """A bound buffer is aligned more or less than it must be."""
    for buffer in values(draft, CONCRETE):
        for new in (buffer["alignment"] // 2, 2 * buffer["alignment"]):
            yield edit(CONCRETE, buffer, "alignment", be(new), "claim.alignment", word=str(new))


@operator("wrong region", most=24)
def regions(draft: Draft, _request: Request) -> Iterator[Site]:
    """A region has more or less room than the device gives it, or than its buffers take."""
    by = "claim.region_capacity"
    for region in draft.entities(CONCRETE, "regions") if CONCRETE in shown(draft) else ():
        for field, new, word in (
            ("capacity", plus(1), "more"),
            ("capacity", be(region["extent"] - 1), "too little"),
            ("extent", plus(1), "more"),
            ("alignment", be(2 * region["alignment"]), "more"),
        ):
            yield edit(CONCRETE, region, field, new, by, cell=f"{field} {word}", word=word)
        if region["capacity"] < 2**62:

            def small(changed: Draft, name: str = region["name"]) -> None:
                found = changed.entity(CONCRETE, "regions", name)
                found["capacity"] = found["extent"] - 16

            yield Site(CONCRETE, region["name"], "law.aligned-buffers", small, "small")


@operator("wrong access mode")
def uses(draft: Draft, _request: Request) -> Iterator[Site]:
    """A command does something else with a buffer, uses another one, or one less."""
    by = "claim.buffer_uses"
    for step in steps(draft, CONCRETE):
        for at, use in enumerate(step["uses"]):
            if use["mode"] == "write":
                yield edit(CONCRETE, step, f"uses.{at}.mode", be("read_write"), by, cell="mode")
        if step["uses"]:
            yield edit(CONCRETE, step, "uses", without_last, by, cell="less")
        if len(step["uses"]) > 1:
            yield edit(CONCRETE, step, "uses", turned, by, cell="order", word="turned")


@operator("wrong category")
def categories(draft: Draft, _request: Request) -> Iterator[Site]:
    """A command or an instruction is of another kind, or of another stage; a queue is of another category."""
    by = "claim.task_category"
    for stage, field in ((CONCRETE, "kind"), (MACHINE, "opcode")):
        for step in steps(draft, stage):
            yield edit(stage, step, field, be("barrier"), by, cell=step[field])
    for step in steps(draft, CONCRETE):
        if "peer" in step:
            other = "before" if step["peer"] == "after" else "after"
            yield edit(CONCRETE, step, "peer", be(other), by, cell="peer")
    queues = extension(draft).get("queues", ())
    if queues:
        yield edit(CONCRETE, queues[-1], "category", be("host"), by, cell="queue")


@operator("reordered issue", most=40)
def issue_order(draft: Draft, _request: Request) -> Iterator[Site]:
    """Two commands are issued in each other's place, or one later, in another slot or by another queue."""
    by = "claim.issue_order"
    beside = extension(draft)
    for queue in beside.get("queues", ()):
        for at in range(1, len(queue["order"])):
            yield _exchanged(CONCRETE, "queues", queue["name"], at)
    if beside.get("queues"):

        def moved(changed: Draft) -> None:
            one, other = changed.entities(CONCRETE, "queues")[:2]
            other["order"].append(one["order"].pop())

        yield Site(CONCRETE, "from the first queue to the second", by, moved, "moved")
    issues = beside.get("issues", ())
    for at in range(1, len(issues)):

        def cycles(changed: Draft, place: int = at) -> None:
            one, other = extension(changed)["issues"][place - 1 : place + 1]
            one["cycle"], other["cycle"] = other["cycle"], one["cycle"]

        yield Site(CONCRETE, f"cycles {at - 1} and {at}", by, cycles, "swapped")
        slot = put(lambda changed: extension(changed)["issues"], f"{at}.slot", plus(1))
        yield Site(CONCRETE, f"slot of command {at}", by, slot, "slot")
    if issues:
        later = put(lambda changed: extension(changed)["issues"], f"{len(issues) - 1}.cycle", plus(1))
        yield Site(CONCRETE, "the last cycle", by, later, "later")
    for section in draft.entities(MACHINE, "sections") if MACHINE in shown(draft) else ():
        for at in range(1, len(section["order"])):
            yield _exchanged(MACHINE, "sections", section["name"], at)
        yield edit(MACHINE, section, "base", plus(1), by, cell="base")


def _exchanged(stage: Stage, label: str, name: str, at: int) -> Site:
    """Two neighbours of an order change places."""

    def change(draft: Draft) -> None:
        order = draft.entity(stage, label, name)["order"]
        order[at - 1], order[at] = order[at], order[at - 1]

    return Site(stage, f"{label}/{name} at {at}", "claim.issue_order", change, f"{stage.value} {name}")


@operator("wrong waits")
def waits(draft: Draft, _request: Request) -> Iterator[Site]:
    """A wait for another queue is missing, is for something else, or is invented."""
    beside = extension(draft)
    orders = [queue["order"] for queue in beside.get("queues", ())]
    found = beside.get("waits", ())
    pairs = {(each["command"], each["on"]) for each in found}
    for at, wait in enumerate(found):
        less = put(extension, "waits", lambda old, _, place=at: [*old[:place], *old[place + 1 :]])  # type: ignore[misc]
        yield Site(CONCRETE, f"wait {at} missing", "claim.waits", less, "less")
        queue = next(order for order in orders if wait["on"] in order)
        for other in [each for each in queue if (wait["command"], each) not in pairs][:1]:
            instead = put(extension, f"waits.{at}.on", be(other))
            yield Site(CONCRETE, f"wait {at} on another", "claim.waits", instead, "other")
            more = {**wait, "on": other}
            added = put(extension, "waits", lambda old, _, one=more: [*old, one])  # type: ignore[misc]
            yield Site(CONCRETE, f"one more like wait {at}", "claim.waits", added, "more")


@operator("wrong routes")
def routes(draft: Draft, _request: Request) -> Iterator[Site]:
    """A transfer has no route or another, or a launch has one."""
    beside = extension(draft)
    if "routes" not in beside:
        return
    devices = [each["id"] for each in draft.entities(CONCRETE, "devices")]
    routed = {each["command"] for each in beside["routes"]}
    for step in steps(draft, CONCRETE):
        if step["id"] not in routed:
            extra = {"command": step["id"], "source": devices[0], "destination": devices[1]}
            more = put(extension, "routes", lambda old, _, one=extra: [*old, one])  # type: ignore[misc]
            yield Site(CONCRETE, f"{step['name']} routed", "claim.routes", more, "more")
    for at, route in enumerate(beside["routes"]):
        back = {**route, "source": route["destination"], "destination": route["source"]}
        yield Site(CONCRETE, f"route {at} turned", "claim.routes", put(extension, f"routes.{at}", be(back)), "turned")
        less = put(extension, "routes", lambda old, _, place=at: [*old[:place], *old[place + 1 :]])  # type: ignore[misc]
        yield Site(CONCRETE, f"route {at} missing", "claim.routes", less, "less")


# The program ----------------------------------------------------------------------------------------------------------


@operator("wrong operands of an instruction", most=24)
def operands(draft: Draft, _request: Request) -> Iterator[Site]:
    """An instruction has another place, size, mode or region of memory, one less, or them in another order."""
    by = "claim.operands"
    for step in steps(draft, MACHINE):
        for at, operand in enumerate(step["operands"]):
            field = f"operands.{at}"
            if operand["kind"] == "memory":
                mode = "read_write" if operand["mode"] != "read_write" else "read"
                yield edit(MACHINE, step, f"{field}.offset", plus(16), by, cell="offset")
                yield edit(MACHINE, step, f"{field}.size", plus(1), by, cell="size")
                yield edit(MACHINE, step, f"{field}.mode", be(mode), by, cell="mode")
                yield edit(MACHINE, step, f"{field}.region", be("other"), by, cell="region")
            if operand["kind"] == "peer":
                peer = "before" if operand["stage"] == "after" else "after"
                yield edit(MACHINE, step, f"{field}.stage", be(peer), by, cell="peer")
        memory = [each for each in step["operands"] if each["kind"] == "memory"]
        if len(memory) == len(step["operands"]) > 1:
            yield edit(MACHINE, step, "operands", without_last, by, cell="less")
            yield edit(MACHINE, step, "operands", turned, by, cell="turned", word="turned")


@operator("wrong entry point")
def entry_points(draft: Draft, _request: Request) -> Iterator[Site]:
    """The program begins with its sections in another order."""
    for entry in draft.entities(MACHINE, "entries") if MACHINE in shown(draft) else ():
        if len(entry["sections"]) > 1:
            yield edit(MACHINE, entry, "sections", turned, "claim.entry")
        else:
            yield edit(MACHINE, entry, "sections", without_last, "structure.unreachable")


# What is consistent, and yet not what is asked for --------------------------------------------------------------------


class Neighbour(NamedTuple):
    """A request beside another, and what must be said when its derivation is shown for the other."""

    words: str
    request: Request
    stage: Stage
    by: str


@operator("derivation of another request", most=91, whole=True)
def another_request(draft: Draft, request: Request) -> Iterator[Site]:
    """Everything is what the honest passes make of another request, under this one."""
    for other in neighbours(request):
        if other.stage not in shown(draft):
            continue

        def change(changed: Draft, shown_: Request = other.request) -> None:
            theirs, ours = Draft(good(shown_)), changed.data
            changed.digests = theirs.digests
            changed.data = {**theirs.data, "request": ours["request"]}
            # What the passes promise is what those of this request do.
            for records, fields in (("stages", ("label", "pass")), ("transitions", ("contract",))):
                for mine, other_ in zip(ours[records], theirs.data[records], strict=True):
                    other_.update({field: mine[field] for field in fields})

        yield Site(other.stage, other.words, other.by, change, other.words, carry=False)


def neighbours(request: Request) -> Iterator[Neighbour]:
    """Requests that differ in one thing, by which their derivation differs from this one."""
    replace = msgspec.structs.replace
    workload, strategy, model = request.workload, request.strategy, request.model
    yield Neighbour(
        "width", replace(request, model=replace(model, feedforward=model.feedforward + 4)), MODEL, "claim.interface"
    )
    yield Neighbour(
        "batch", replace(request, workload=replace(workload, batch=workload.batch + 1)), MODEL, "claim.tensor_type"
    )
    other = DType.FLOAT16 if workload.dtype is DType.BFLOAT16 else DType.BFLOAT16
    yield Neighbour("dtype", replace(request, workload=replace(workload, dtype=other)), MODEL, "claim.tensor_type")
    if strategy.scope is Scope.BLOCK:
        wider = _placed(replace(request, strategy=replace(strategy, tensor=4)))
        yield Neighbour("tensor degree", wider, DISTRIBUTED, "claim.shard_coverage")
        degree = replace(strategy, pipeline=3 - strategy.pipeline)
        yield Neighbour("pipeline degree", replace(request, strategy=degree), DISTRIBUTED, "claim.interface")
    if isinstance(workload, Inference):
        yield Neighbour(
            "prompt",
            replace(request, workload=replace(workload, prompt=workload.prompt - 1)),
            DISTRIBUTED,
            "claim.exact_work",
        )
        yield Neighbour(
            "context",
            replace(request, workload=replace(workload, context=workload.context + 1)),
            MODEL,
            "claim.tensor_type",
        )
    else:
        yield from _training_neighbours(request, workload, strategy)
    if isinstance(request.target, Target):
        yield from _bound_neighbours(request, request.target)


def _training_neighbours(request: Request, workload: Training, strategy: Strategy) -> Iterator[Neighbour]:
    replace = msgspec.structs.replace
    longer = replace(workload, sequence=workload.sequence + 2 * strategy.tensor)
    yield Neighbour("sequence", replace(request, workload=longer), MODEL, "claim.tensor_type")
    again, finding = (Recompute.NONE, "coverage.missing")
    if strategy.recompute is Recompute.NONE:
        again, finding = (Recompute.FULL, "coverage.unexpected")
    other = replace(strategy, recompute=again)
    yield Neighbour("recompute", replace(request, strategy=other), DISTRIBUTED, finding)
    split, reduce = Communication.SEQUENCE_PARALLEL, Communication.ALL_REDUCE
    exchanged = replace(strategy, communication=split if strategy.communication is reduce else reduce)
    yield Neighbour("communication", replace(request, strategy=exchanged), DISTRIBUTED, "claim.shard_coverage")
    data = replace(strategy, data=strategy.data + 1)
    yield Neighbour("data-parallel degree", replace(request, strategy=data), DISTRIBUTED, "claim.interface")
    zero = replace(strategy, zero=(strategy.zero + 1) % 4)
    whole = 0 in {strategy.zero, zero.zero}
    yield Neighbour(
        "ZeRO stage",
        replace(request, strategy=zero),
        DISTRIBUTED if whole else PORTABLE,
        "claim.operand_sizes" if whole else "claim.memory",
    )
    wide = replace(strategy, gradient_bytes=6 - strategy.gradient_bytes)
    yield Neighbour("gradient width", replace(request, strategy=wide), DISTRIBUTED, "claim.tensor_type")


def _bound_neighbours(request: Request, target: Target) -> Iterator[Neighbour]:
    kind = TargetKind.SLOT if target.kind is TargetKind.QUEUE else TargetKind.QUEUE
    bound = msgspec.structs.replace(request, target=target_of(kind, emit=target.emit, attention=target.attention))
    yield Neighbour("kind of target", bound, CONCRETE, "claim.interface")
    if isinstance(request.workload, Inference):
        attention = Attention.PAGED if target.attention is not Attention.PAGED else Attention.TILED
        fused = msgspec.structs.replace(request, target=target_of(target.kind, emit=target.emit, attention=attention))
        finding = "coverage.unexpected" if target.attention is Attention.UNFUSED else "claim.implementation"
        yield Neighbour("implementation of attention", fused, CONCRETE, finding)
    memory = request.deployment.device_memory if isinstance(request.deployment, Deployment) else msgspec.UNSET
    if isinstance(memory, int):
        larger = msgspec.structs.replace(request, deployment=deployment_of(request, None, memory + 1))
        yield Neighbour("device memory", larger, CONCRETE, "claim.region_capacity")


def _placed(request: Request) -> Request:
    """The request with as many devices as it has ranks."""
    if not isinstance(request.deployment, Deployment):
        return request
    memory = request.deployment.device_memory
    size = memory if isinstance(memory, int) else None
    return msgspec.structs.replace(request, deployment=deployment_of(request, None, size))


@operator("branches exchanged", whole=True)
def branches_exchanged(_draft: Draft, request: Request) -> Iterator[Site]:
    """Each branch of inference shows the other's step."""
    if isinstance(request.workload, Training):
        return

    def change(changed: Draft) -> None:
        records = changed.data["stages"][1:]
        half = len(records) // 2
        for one, other in zip(records[:half], records[half:], strict=True):
            one["snapshot"], other["snapshot"] = other["snapshot"], one["snapshot"]

    yield Site(DISTRIBUTED, "all stages", "claim.exact_work", change, carry=False)


@operator("device too small", whole=True)
def device_too_small(draft: Draft, request: Request) -> Iterator[Site]:
    """The plan needs one byte more than the device has."""
    if not isinstance(request.deployment, Deployment) or not isinstance(request.deployment.device_memory, int):
        return
    facts = draft.snapshot(PORTABLE)["memory"]
    training = facts["kind"] == "training"
    counted = set(facts) - {"kind", "parameters", *(() if training else ("boundary",))}
    needed = sum(facts[fact] for fact in counted)
    law = "law.capacity" if training else "law.inference-capacity"

    def change(changed: Draft) -> None:
        changed.data["request"]["deployment"]["device_memory"] = needed - 1
        for record in changed.data["stages"]:
            for region in record["snapshot"].get("regions", ()):
                region["capacity"] = needed - 1

    yield Site(PORTABLE, "device memory", law, change, carry=False)


# How it is written down -----------------------------------------------------------------------------------------------


@operator("wrong contract", point=Point.RECORD, whole=True)
def contracts(draft: Draft, _request: Request) -> Iterator[Site]:
    """A pass promises something else: its name, its revision, fewer rules, claims or laws."""
    for at, record in enumerate(draft.data["transitions"]):
        contract = record["contract"]

        def owner(changed: Draft, place: int = at) -> Any:
            return changed.data["transitions"][place]["contract"]

        for field, new in (
            ("name", be("AnotherPass")),
            ("revision", plus(1)),
            ("deterministic", other_way),
            ("rules", without_last),
            ("rules.0.preserves", be(["role"])),
            ("rules.0.source", be("0" * 64)),
            ("boundary_rules", without_last),
            *((("boundary_rules.0.laws", be(["another"])),) if contract["boundary_rules"] else ()),
        ):
            if field != "boundary_rules" or contract["boundary_rules"]:
                stage = Stage(record["stage"])
                yield Site(stage, f"{record['branch']} {field}", "contract", put(owner, field, new), field)


@operator("forged report", point=Point.RECORD, whole=True)
def reports(draft: Draft, _request: Request) -> Iterator[Site]:
    """A recorded report says something else than this run finds."""
    for at, record in enumerate(draft.data["transitions"]):

        def owner(changed: Draft, place: int = at) -> Any:
            return changed.data["transitions"][place]["report"]

        for field, new in (
            ("relation_verified", other_way),
            ("obligations", without_last),
            ("claims", be({})),
            ("cardinality", be({})),
            ("coverage.missing", plus(1)),
            ("coverage.target", plus(1)),
            *((("laws.0.status", be("refuted")), ("laws.0.members", plus(1))) if record["report"]["laws"] else ()),
            *((("laws", without_last),) if record["report"]["laws"] else ()),
        ):
            stage = Stage(record["stage"])
            yield Site(stage, f"{record['branch']} {field}", "report.mismatch", put(owner, field, new), field)


@operator("wrong digest", point=Point.RECORD, whole=True)
def digests(draft: Draft, _request: Request) -> Iterator[Site]:
    """A digest is another: of the request, of the session, of a parent, of a transition, of the rulebook."""
    other = be("0" * 64)
    data = lambda changed: changed.data  # noqa: E731
    for field, by in (
        ("request_digest", "digest.request"),
        ("fingerprint", "digest.session"),
        ("rulebook.digest", "rulebook.digest"),
        ("transitions.0.source", "digest.transition"),
        ("transitions.0.target", "digest.transition"),
        *((f"stages.{at}.snapshot.header.parent", "digest.parent") for at in range(len(draft.data["stages"]))),
    ):
        yield Site(MODEL, field, by, put(data, field, other), by, carry=False, raw=True)


@operator("wrong id", point=Point.RECORD)
def identifiers(draft: Draft, _request: Request) -> Iterator[Site]:
    """An entity has an id that is not that of its content, and everything that refers to it goes along."""
    for stage in shown(draft):
        for label, kind in KINDS[stage].items():
            for entity in draft.entities(stage, label):

                def change(changed: Draft, where: tuple[str, str] = (entity["id"], new_id(kind, "another"))) -> None:
                    changed.data["stages"] = mapped(changed.data["stages"], dict([where]))

                place = f"{label}/{entity['name']}"
                yield Site(stage, place, "structure.id", change, f"{stage.value} {label}", carry=False, raw=True)


@operator("wrong header, label or pass", point=Point.RECORD, whole=True)
def labels(draft: Draft, _request: Request) -> Iterator[Site]:
    """A stage says that it is of another version, or is called or made otherwise."""
    data = lambda changed: changed.data  # noqa: E731
    for at, record in enumerate(draft.data["stages"]):
        stage = Stage(record["stage"])
        for field, new, by in (
            ("snapshot.header.version", plus(1), "structure.version"),
            ("label", be("causal, INT4"), "stage.label"),
            ("pass", be("backend"), "stage.pass"),
        ):
            yield Site(
                stage, f"{record['branch']} {field}", by, put(data, f"stages.{at}.{field}", new), by, carry=False
            )


@operator("missing stage", point=Point.MISSING, whole=True)
def missing_stages(draft: Draft, _request: Request) -> Iterator[Site]:
    """The last stages of the bundle are not there."""
    last = draft.data["stages"][-1]["branch"]
    for count in range(1, len(shown(draft)) - 1):

        def change(changed: Draft, left_out_: int = count) -> None:
            for records in ("stages", "transitions"):
                changed.data[records] = changed.data[records][:-left_out_]

        stage = Stage(draft.data["stages"][-count]["stage"])
        yield Site(stage, f"{last} {count} less", "stage.missing", change, str(count), carry=False)


@operator("forbidden field", point=Point.FORM)
def forbidden_fields(draft: Draft, _request: Request) -> Iterator[Site]:
    """An entity says what its stage must not hold: a device, an address, a time, a cost."""
    extra = {MODEL: "rank", DISTRIBUTED: "device", PORTABLE: "address", CONCRETE: "duration", MACHINE: "cost"}
    for stage in shown(draft):
        for label in KINDS[stage]:
            for entity in draft.entities(stage, label):

                def change(changed: Draft, where: tuple[Stage, str, str] = (stage, label, entity["name"])) -> None:
                    changed.entity(*where)[extra[where[0]]] = 1

                place = f"{label}/{entity['name']}"
                yield Site(stage, place, "codec.decode", change, f"{stage.value} {label}", carry=False)
