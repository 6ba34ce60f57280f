"""What is wrong in the tasks and the plan: work, data flow, lineage, ranks, exchanges, values, memory, caches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import msgspec

from blueprint.ir.common import DType, Role, Stage
from blueprint.ir.portable import StorageClass
from blueprint.ir.request import (
    Inference,
    Request,
    Training,
)
from blueprint.rule import BoundaryRule, PassRule
from blueprint.session import open_rulebook
from tests.bundles.stacks import good
from tests.bundles.test_false_bundles import New, be, other_way, plus, turned, without_last
from tests.mutation.bundle_sites import (
    CONCRETE,
    DISTRIBUTED,
    MACHINE,
    MODEL,
    PORTABLE,
    STEPS,
    Change,
    Operators,
    Site,
    edit,
    extension,
    forgotten,
    header,
    key,
    kind_of,
    removed,
    shown,
    steps,
    values,
)
from tests.reseal import KINDS, Draft, Plain, copied, listed, mapped, new_id

OPERATORS: Final = Operators()


def claims_by_rule() -> dict[str, set[str]]:
    """Rule -> the claims that it makes."""
    rules = [rule for rule in open_rulebook(None).rules if isinstance(rule, PassRule | BoundaryRule)]
    return {rule.id: {claim.value for claim in rule.claims} for rule in rules}


CLAIMS: Final = claims_by_rule()


# Work -----------------------------------------------------------------------------------------------------------------


def more_or_less(old: int, _draft: Draft) -> object:
    """One more where the number is even, one less where it is odd."""
    return old - 1 if old % 2 else old + 1


@OPERATORS.add("operations", most=300)
def operations(draft: Draft, _request: Request) -> Iterator[Site]:
    """A step does another number of operations."""
    for step in steps(draft, DISTRIBUTED):
        yield edit(DISTRIBUTED, step, "work.operations", more_or_less, "claim.exact_work", cell=kind_of(step))
    for step in steps(draft, PORTABLE):
        yield edit(PORTABLE, step, "work.operations", plus(1), "claim.exact_work")
    for step in steps(draft, CONCRETE):
        yield edit(CONCRETE, step, "operations", plus(1), "claim.exact_work", cell=kind_of(step))


@OPERATORS.add("operations doubled")
def operations_doubled(draft: Draft, _request: Request) -> Iterator[Site]:
    """A step does its operations twice."""
    for stage, field in ((DISTRIBUTED, "work.operations"), (PORTABLE, "work.operations"), (CONCRETE, "operations")):
        for step in steps(draft, stage):
            if step.get("operations", step.get("work", {}).get("operations")):
                yield edit(stage, step, field, lambda old, _: 2 * old, "claim.exact_work")


@OPERATORS.add("bytes", most=24)
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


@OPERATORS.add("bytes of one phase", most=24)
def bytes_of_phase(draft: Draft, _request: Request) -> Iterator[Site]:
    """A step of each phase writes what it should read besides."""
    for step in steps(draft, PORTABLE):

        def change(changed: Draft, name: str = step["name"]) -> None:
            work = changed.entity(PORTABLE, "tasks", name)["work"]
            work["write_bytes"] += work["read_bytes"] + 1

        yield Site(PORTABLE, step["name"], "claim.exact_work", change, step["phase"])


@OPERATORS.add("bytes from read to write")
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


@OPERATORS.add("work moved")
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


@OPERATORS.add("resources")
def resources(draft: Draft, _request: Request) -> Iterator[Site]:
    """A task claims another amount of a resource than its work has."""
    for step in steps(draft, PORTABLE):
        for resource in step["resources"]:
            yield edit(PORTABLE, step, f"resources.{resource}", plus(1), "claim.resources", cell=resource)


@OPERATORS.add("operand sizes")
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


@OPERATORS.add("swapped tensors", most=18)
def swapped_tensors(draft: Draft, _request: Request) -> Iterator[Site]:
    """A step takes its tensors in another order."""
    for stage in (MODEL, DISTRIBUTED, PORTABLE):
        for step in steps(draft, stage):
            for side in ("inputs", "outputs"):
                if len(step.get(side, ())) > 1:
                    yield edit(stage, step, side, turned, "claim.data_flow", cell=kind_of_any(step))


def kind_of_any(step: Plain) -> str:
    return kind_of(step) if "lineage" in step else str(step.get("kind", ""))


@OPERATORS.add("another tensor read")
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


@OPERATORS.add("a tensor more or less")
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


@OPERATORS.add("results exchanged")
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


@OPERATORS.add("producer or consumers of a buffer")
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


@OPERATORS.add("broken dependency", most=18)
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


@OPERATORS.add("interface", most=36)
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


@OPERATORS.add("dropped entity", most=30)
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


@OPERATORS.add("invented entity", most=30)
def invented(draft: Draft, _request: Request) -> Iterator[Site]:
    """An entity stands twice, under another name; nothing uses the second."""
    for stage in shown(draft):
        for label, kind in KINDS[stage].items():
            # A second queue of a category is no plan at all.
            by = "structure.category" if label == "queues" else "coverage.unexpected"
            for entity in draft.entities(stage, label):
                if (stage, label) == (MODEL, "values") and entity["role"] != Role.PARAMETER.value:
                    continue
                change = _twin(stage, label, kind, entity["name"])
                yield Site(stage, f"{label}/{entity['name']}", by, change, f"{stage.value} {label}")


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
        if label == "sections":
            spare["base"] = len(draft.entities(stage, "instructions"))
            draft.entities(stage, "entries")[0]["sections"].append(spare["id"])
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


@OPERATORS.add("lineage to the wrong source")
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


@OPERATORS.add("lineages exchanged")
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


@OPERATORS.add("wrong transform")
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


@OPERATORS.add("names exchanged")
def names_exchanged(draft: Draft, _request: Request) -> Iterator[Site]:
    """Two entities of a rule are called by each other's names; their ids and all that refers to them go along."""
    before: dict[tuple[Stage, str, str], Plain] = {}
    for stage, label, entity in derived(draft):
        kind = (stage, label, entity["lineage"]["transform"])
        other = before.get(kind)
        before[kind] = entity
        if other is None:
            continue

        def change(
            changed: Draft, where: tuple[Stage, str, str, str] = (stage, label, other["name"], entity["name"])
        ) -> None:
            one, two = (changed.entity(where[0], where[1], name) for name in where[2:])
            one["name"], two["name"] = two["name"], one["name"]

        # These come from nothing, or from what they are called by: another name makes another of them.
        by = {"devices": "claim.logical_ranks", "queues": "claim.task_category"}.get(label, "coverage.missing")
        yield Site(stage, f"{label}/{other['name']} and {entity['name']}", by, change, label)


@OPERATORS.add("wrong lineage kind")
def wrong_lineage_kind(draft: Draft, _request: Request) -> Iterator[Site]:
    """An entity says that it came from its sources in another way."""
    for stage, label, entity in derived(draft):
        for kind in ("derived", "lowered", "generated"):
            if kind != entity["lineage"]["kind"]:
                yield edit(stage, entity, "lineage.kind", be(kind), "lineage.kind", cell=label, word=kind)


@OPERATORS.add("wrong source field")
def wrong_source_field(draft: Draft, _request: Request) -> Iterator[Site]:
    """The extra field for the source differs from the lineage."""
    for stage, label, entity in derived(draft):
        field = _source_field(stage, label)
        others = [each[field] for each in draft.entities(stage, label) if field in each and each != entity]
        for other in [each for each in others if each != entity.get(field)][:1]:
            yield edit(stage, entity, field, be(other), "lineage.source_value", cell=label)


@OPERATORS.add("mixed-in stage", whole=True)
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


@OPERATORS.add("wrong kind, phase or primitive", most=20)
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


@OPERATORS.add("wrong rank set", most=24)
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


@OPERATORS.add("one rank less everywhere")
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


@OPERATORS.add("wrong collective kind")
def collective_kind(draft: Draft, _request: Request) -> Iterator[Site]:
    """A collective is of another kind, with the reduction that belongs to it."""
    for found in exchanges(draft):
        kind = OTHER_KIND[found.collective[found.kind]]
        yield of_exchange(found, {found.kind: kind, "reduction": "none" if kind == "all_gather" else "sum"}, word=kind)


@OPERATORS.add("wrong reduction")
def reduction(draft: Draft, _request: Request) -> Iterator[Site]:
    """A collective sums what it should only gather, or the other way round."""
    for found in exchanges(draft):
        by = "structure.collective" if found.stage is DISTRIBUTED else "claim.collective_volume"
        yield of_exchange(found, {"reduction": "sum" if found.collective["reduction"] == "none" else "none"}, by)


@OPERATORS.add("wrong participants")
def participants(draft: Draft, _request: Request) -> Iterator[Site]:
    """A collective is among other ranks, or along another axis of the mesh."""
    for found in exchanges(draft):
        ranks, axis = found.collective["participants"], found.collective["axis"]
        yield of_exchange(found, {"participants": [*ranks[:-1], ranks[-1] + 1]}, word="others")
        yield of_exchange(found, {"participants": [*ranks, ranks[-1] + 1]}, word="more")
        yield of_exchange(found, {"axis": "data" if axis == "tensor" else "tensor"}, word="axis")


@OPERATORS.add("wrong payload", most=80)
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


@OPERATORS.add("collective left out")
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


@OPERATORS.add("wrong role")
def roles(draft: Draft, _request: Request) -> Iterator[Site]:
    """A value is for something else."""
    for stage in (MODEL, DISTRIBUTED, PORTABLE):
        for value in values(draft, stage):
            # What the model neither makes nor is given has a finding of its own.
            if stage is MODEL and value["role"] in {Role.PARAMETER.value, Role.INPUT.value}:
                continue
            role = (Role.MASK if value["role"] != Role.MASK.value else Role.GRADIENT).value
            yield edit(stage, value, "role", be(role), "claim.role", cell=value["role"])


@OPERATORS.add("wrong element type")
def dtypes(draft: Draft, _request: Request) -> Iterator[Site]:
    """The elements of a value are of another type, of the same width or of another."""
    for stage in (MODEL, DISTRIBUTED, PORTABLE):
        for value in values(draft, stage):
            for dtype in (DType.FLOAT16, DType.FLOAT32):
                if value["dtype"] != dtype.value:
                    new = be(dtype.value)
                    yield edit(stage, value, "dtype", new, "claim.tensor_type", cell=dtype.value, word=dtype.value)


@OPERATORS.add("wrong shape", most=18)
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


@OPERATORS.add("wrong sharding")
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


@OPERATORS.add("shape, shards and work together")
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


@OPERATORS.add("wrong buffer size")
def buffer_sizes(draft: Draft, _request: Request) -> Iterator[Site]:
    """A buffer has room for more or for less than its value."""
    for buffer in values(draft, PORTABLE):
        for word, new in (("more", plus(1)), ("twice", lambda old, _: 2 * old)):
            yield edit(PORTABLE, buffer, "size", new, "claim.buffer_size", cell=word, word=word)
    for buffer in values(draft, CONCRETE):
        if buffer["size"] > 1:
            yield edit(CONCRETE, buffer, "size", plus(-1), "claim.buffer_size")


@OPERATORS.add("wrong storage class")
def storage(draft: Draft, _request: Request) -> Iterator[Site]:
    """A buffer lives longer or shorter than its value, or is aligned otherwise."""
    for buffer in values(draft, PORTABLE):
        for other in StorageClass:
            if other.value != buffer["storage"]:
                new, cell = be(other.value), f"{buffer['storage']} {other.value}"
                yield edit(PORTABLE, buffer, "storage", new, "claim.storage", cell=cell, word=other.value)
        new = be(2 * buffer["alignment"])
        yield edit(PORTABLE, buffer, "alignment", new, "claim.storage", cell="alignment")


@OPERATORS.add("wrong capability")
def capability(draft: Draft, _request: Request) -> Iterator[Site]:
    """A task needs another capability, has another alternative, or occupies another resource."""
    by = "claim.implementation"
    for step in steps(draft, PORTABLE):
        group = "transfer" if step["group"] != "transfer" else "compute"
        yield edit(PORTABLE, step, "implementation.capability", be("compute.other"), by, cell="capability")
        yield edit(PORTABLE, step, "implementation.alternatives", be(["compute.other"]), by, cell="alternatives")
        yield edit(PORTABLE, step, "group", be(group), by, cell="group")


@OPERATORS.add("wrong implementation")
def implementation(draft: Draft, _request: Request) -> Iterator[Site]:
    """A command or an instruction runs another implementation."""
    for stage in (CONCRETE, MACHINE):
        found = steps(draft, stage)
        for step in found:
            other = next(each["implementation"] for each in found if each["implementation"] != step["implementation"])
            yield edit(stage, step, "implementation", be(other), "claim.implementation")


# Memory facts, caches and workspaces ----------------------------------------------------------------------------------


@OPERATORS.add("wrong memory fact", most=80)
def memory_facts(draft: Draft, _request: Request) -> Iterator[Site]:
    """What one rank holds is another number: parameters, state, activations, caches, boundary."""
    for fact, size in draft.snapshot(PORTABLE)["memory"].items():
        if fact == "kind":
            continue
        by = "law.workspace" if fact == "workspace" else "claim.memory"
        yield header(PORTABLE, f"memory.{fact}", plus(1), by, "more")
        if size > 1:
            yield header(PORTABLE, f"memory.{fact}", lambda old, _: old // 2, by, "half")


@OPERATORS.add("memory facts of the other workload")
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


@OPERATORS.add("wrong workspace", most=40)
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


@OPERATORS.add("wrong alternatives")
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


@OPERATORS.add("wrong effect on a cache", most=40)
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
