"""Bundles that decode and are false, built to be slow: long, wide, dense, cyclic, huge in what they declare.

Each kind puts about `count` of something into a good bundle; everything is sealed again, so that a reader goes as far
with it as the falsehood allows. What such a bundle costs must grow with its size as a good bundle's cost does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from blueprint.case import Workload
from blueprint.codec import VALUE_LIMIT, decode, encode
from blueprint.frontend.block import model_ir
from blueprint.frontend.request import GROUP_LISTS, MAX_BLOCKS
from blueprint.ir.common import INT64_MAX, Stage
from blueprint.ir.request import Request
from tests.reseal import Draft, Plain, copied, new_id

MODEL, DISTRIBUTED, PORTABLE, CONCRETE, MACHINE = Stage

LIST = 65_536
"""The longest list of ids and of ranks."""

RANKS = VALUE_LIMIT // GROUP_LISTS[Workload.TRAINING]
"""The largest group of a block's request that is not refused; of more blocks, together."""

Kind = Callable[[Draft, int], None]

KINDS: Final[dict[str, Kind]] = {}


def kind(function: Kind) -> Kind:
    """List a kind by its name."""
    KINDS[function.__name__.replace("_", " ")] = function
    return function


def built(name: str, good: bytes, count: int) -> bytes:
    """The sealed bundle of a kind."""
    draft = Draft(good)
    KINDS[name](draft, count)
    return draft.sealed()


# Pieces ---------------------------------------------------------------------------------------------------------------


def like(draft: Draft, stage: Stage, entities: str, name: str, **fields: object) -> Plain:
    """A new entity, otherwise as the first of its list."""
    first = draft.entities(stage, entities)[0]
    return copied(first, id=new_id(first["id"].partition(":")[0], name), name=name, **fields)


def numbered(count: int, first: str = "z") -> Iterator[str]:
    """Names whose alphabetic order is that of their numbers."""
    return (f"{first}{number:07d}" for number in range(count))


def added_values(draft: Draft, count: int, **fields: object) -> list[str]:
    """Ids of new distributed values."""
    values = [like(draft, DISTRIBUTED, "values", name, **fields) for name in numbered(count)]
    draft.snapshot(DISTRIBUTED)["values"] += values
    return [each["id"] for each in values]


def add_task(draft: Draft, name: str, inputs: list[str], outputs: list[str]) -> None:
    draft.snapshot(DISTRIBUTED)["tasks"].append(like(draft, DISTRIBUTED, "tasks", name, inputs=inputs, outputs=outputs))


def add_plan_task(draft: Draft, name: str, dependencies: list[str], **fields: object) -> str:
    task = like(draft, PORTABLE, "tasks", name, dependencies=dependencies, inputs=[], outputs=[], **fields)
    draft.snapshot(PORTABLE)["tasks"].append(task)
    found: str = task["id"]
    return found


def lengths(count: int) -> Iterator[int]:
    """Lengths of lists that hold `count` together, none of them too long to be decoded."""
    while count > 1:
        yield min(count, LIST)
        count -= LIST


def declared(draft: Draft, **strategy: object) -> None:
    """Another strategy on a model that fits it, with the honest model of that request."""
    draft.request["strategy"] |= strategy
    request = decode(encode(draft.request), Request)
    draft.seal()
    draft.replace(MODEL, model_ir(request))


def emptied(draft: Draft, stage: Stage, entities: str) -> None:
    """Take all tasks and values out of a stage."""
    draft.snapshot(stage).update({"tasks": [], entities: [], "inputs": [], "outputs": []})


# Long, wide, dense ----------------------------------------------------------------------------------------------------


@kind
def chain_of_tasks(draft: Draft, count: int) -> None:
    before = draft.snapshot(DISTRIBUTED)["inputs"][0]
    for name, value in zip(numbered(count), added_values(draft, count), strict=True):
        add_task(draft, name, [before], [value])
        before = value


@kind
def chain_of_tasks_and_what_follows(draft: Draft, count: int) -> None:
    """The honest passes carry it through all stages."""
    chain_of_tasks(draft, count // 4)
    draft.derive_again(PORTABLE)


@kind
def tasks_that_read_one_value(draft: Draft, count: int) -> None:
    given = draft.snapshot(DISTRIBUTED)["inputs"][0]
    for name, value in zip(numbered(count), added_values(draft, count), strict=True):
        add_task(draft, name, [given], [value])


@kind
def tasks_that_read_one_value_and_what_follows(draft: Draft, count: int) -> None:
    tasks_that_read_one_value(draft, count // 4)
    draft.derive_again(PORTABLE)


@kind
def tasks_that_read_every_value(draft: Draft, count: int) -> None:
    values = added_values(draft, min(count // 4, LIST // 2))
    draft.snapshot(DISTRIBUTED)["inputs"] += values
    for name in numbered(6):
        add_task(draft, name, values, [])


@kind
def cycle_of_tasks(draft: Draft, count: int) -> None:
    values = added_values(draft, count)
    for place, (name, value) in enumerate(zip(numbered(count), values, strict=True)):
        add_task(draft, name, [values[place - 1]], [value])


@kind
def task_that_reads_itself(draft: Draft, _count: int) -> None:
    task = draft.entities(DISTRIBUTED, "tasks")[0]
    task["inputs"] = task["outputs"]


@kind
def values_that_nobody_makes(draft: Draft, count: int) -> None:
    draft.snapshot(DISTRIBUTED)["inputs"] += added_values(draft, count)[: LIST - 100]


@kind
def values_of_one_name(draft: Draft, count: int) -> None:
    draft.snapshot(DISTRIBUTED)["values"] += [like(draft, DISTRIBUTED, "values", "same")] * count


@kind
def values_of_many_sources(draft: Draft, count: int) -> None:
    sources = [each["id"] for each in draft.entities(MODEL, "values")]
    lineage = {"kind": "derived", "transform": "training.activation_tensor", "sources": (sources * 200)[:4096]}
    draft.snapshot(DISTRIBUTED)["inputs"] += added_values(draft, max(1, count // 1024), lineage=lineage)


@kind
def values_of_no_rule(draft: Draft, count: int) -> None:
    lineage = {"kind": "derived", "transform": "z" * 64, "sources": []}
    draft.snapshot(DISTRIBUTED)["inputs"] += added_values(draft, count, lineage=lineage)[: LIST - 100]


@kind
def inputs_that_are_nowhere(draft: Draft, count: int) -> None:
    for name, length in zip(numbered(count), lengths(4 * count), strict=False):
        add_task(draft, name, [new_id("value", f"{name}.{place}") for place in range(length)], [])


@kind
def plan_of_many_tasks(draft: Draft, count: int) -> None:
    for name in numbered(count):
        add_plan_task(draft, name, [])


@kind
def plan_of_many_tasks_and_what_follows(draft: Draft, count: int) -> None:
    plan_of_many_tasks(draft, count // 2)
    draft.bind_again(CONCRETE)


@kind
def chain_of_dependencies(draft: Draft, count: int) -> None:
    before: list[str] = []
    for name in numbered(count):
        before = [add_plan_task(draft, name, before)]


@kind
def dependencies_on_all_before(draft: Draft, count: int) -> None:
    before: list[str] = []
    for name in numbered(int((8 * count) ** 0.5)):
        before.append(add_plan_task(draft, name, list(before)))


@kind
def dependencies_on_all_before_and_what_follows(draft: Draft, count: int) -> None:
    dependencies_on_all_before(draft, count // 4)
    draft.bind_again(CONCRETE)


@kind
def cycle_of_dependencies(draft: Draft, count: int) -> None:
    ids = [add_plan_task(draft, name, []) for name in numbered(count)]
    for place, task in enumerate(draft.entities(PORTABLE, "tasks")[-count:]):
        task["dependencies"] = [ids[place - 1]]


@kind
def buffers_of_one_producer(draft: Draft, count: int) -> None:
    producer = draft.entities(PORTABLE, "tasks")[0]["id"]
    buffers = (like(draft, PORTABLE, "buffers", name, consumers=[], producer=producer) for name in numbered(count))
    draft.snapshot(PORTABLE)["buffers"] += buffers


@kind
def commands_that_nobody_asked_for(draft: Draft, count: int) -> None:
    plan = draft.snapshot(CONCRETE)
    added = [like(draft, CONCRETE, "commands", name, dependencies=[], uses=[]) for name in numbered(count)]
    plan["commands"] += added
    plan["extension"]["queues"][0]["order"] += [each["id"] for each in added]


@kind
def waits_of_all_on_all(draft: Draft, count: int) -> None:
    plan = draft.snapshot(CONCRETE)
    ids = [each["id"] for each in plan["commands"]]
    pairs = [{"command": each, "on": other} for each in ids for other in ids if each != other]
    plan["extension"]["waits"] = (pairs * (4 * count // len(pairs) + 1))[: 4 * count]


@kind
def queue_that_issues_again_and_again(draft: Draft, count: int) -> None:
    queue = draft.snapshot(CONCRETE)["extension"]["queues"][0]
    queue["order"] = (queue["order"] * (8 * count // len(queue["order"]) + 1))[: 8 * count]


@kind
def slots_of_one_hash(draft: Draft, count: int) -> None:
    """Python mixes the numbers of a tuple without a secret: these pairs all have the same hash."""
    plan = draft.snapshot(CONCRETE)
    ids = [each["id"] for each in plan["commands"]]
    issues = [
        {"command": ids[place % len(ids)], "cycle": cycle, "slot": slot}
        for place, (cycle, slot) in enumerate(colliding(4 * count))
    ]
    plan["extension"] = {"kind": "slots", "routes": [], "issues": issues}


def colliding(count: int) -> list[tuple[int, int]]:
    """Pairs of numbers within int64 whose tuples have one hash, from the definition of Python's tuple hash."""
    whole, turn, first, second, seed = 2**64, 31, 11400714785074694791, 14029467366897019727, 2870177450012600261
    found: list[tuple[int, int]] = []
    cycle = 0
    while len(found) < count:
        mixed = (seed + cycle * second) % whole
        mixed = ((mixed << turn) | (mixed >> (64 - turn))) % whole * first % whole
        slot = (1 - mixed) * pow(second, -1, whole) % whole
        if slot < 2**61 - 1:  # beyond, a number is not its own hash
            found.append((cycle, slot))
        cycle += 1
    return found


@kind
def devices_that_nobody_asked_for(draft: Draft, count: int) -> None:
    plan = draft.snapshot(CONCRETE)
    number = min(4 * count, LIST - 2)
    plan["devices"] += [
        like(draft, CONCRETE, "devices", name, ordinal=2 + place) for place, name in enumerate(numbered(number))
    ]


@kind
def instructions_that_nobody_asked_for(draft: Draft, count: int) -> None:
    program = draft.snapshot(MACHINE)
    added = [like(draft, MACHINE, "instructions", name, dependencies=[], operands=[]) for name in numbered(count)]
    program["instructions"] += added
    program["sections"][0]["order"] += [each["id"] for each in added]


@kind
def section_that_runs_again_and_again(draft: Draft, count: int) -> None:
    section = draft.snapshot(MACHINE)["sections"][0]
    section["order"] = (section["order"] * (8 * count // len(section["order"]) + 1))[: 8 * count]


# Lists of ranks and of numbers ----------------------------------------------------------------------------------------


@kind
def ranks_by_the_million(draft: Draft, count: int) -> None:
    for task, length in zip(draft.entities(PORTABLE, "tasks"), lengths(64 * count), strict=False):
        task["ranks"] = list(range(length))


@kind
def participants_by_the_million(draft: Draft, count: int) -> None:
    collectives = [each["collective"] for each in draft.entities(PORTABLE, "tasks") if "collective" in each]
    for collective, length in zip(collectives, lengths(16 * count), strict=False):
        collective["participants"] = list(range(length))
    draft.bind_again(CONCRETE)


@kind
def largest_numbers(draft: Draft, _count: int) -> None:
    """Every count of the plan is the largest that the format holds."""
    for task in draft.entities(PORTABLE, "tasks"):
        task["work"] = dict.fromkeys(task["work"], INT64_MAX)
        task["resources"] = dict.fromkeys(task["resources"], INT64_MAX)
    for buffer in draft.entities(PORTABLE, "buffers"):
        buffer["size"] = INT64_MAX
    memory = draft.snapshot(PORTABLE)["memory"]
    memory |= {name: INT64_MAX for name, held in memory.items() if isinstance(held, int)}


# Beside the stages ----------------------------------------------------------------------------------------------------


def lay_over(draft: Draft, entities: list[str]) -> None:
    draft.seal()
    entries = [{"entity": each, "value": 1} for each in entities]
    target = draft.transition(PORTABLE)["target"]
    draft.data["overlays"] = [
        {"snapshot": target, "provider": "", "revision": "", "unit": "ps", "entries": entries} for _ in range(2)
    ]


@kind
def overlays_on_few(draft: Draft, count: int) -> None:
    ids = [each["id"] for each in draft.entities(PORTABLE, "tasks")]
    lay_over(draft, (ids * (4 * count // len(ids) + 1))[: 4 * count])


@kind
def overlays_on_nothing(draft: Draft, count: int) -> None:
    lay_over(draft, [new_id("task", name) for name in numbered(4 * count)])


@kind
def record_of_many_obligations(draft: Draft, count: int) -> None:
    digests = [new_id("a", name).partition(":")[2] for name in numbered(16 * count)]
    draft.transition(PORTABLE)["report"]["obligations"] = digests


@kind
def stages_again_and_again(draft: Draft, _count: int) -> None:
    draft.seal()
    draft.data["stages"] = (draft.data["stages"] * 16)[:64]
    draft.digests = (draft.digests * 16)[:64]
    draft.seal = lambda: None  # type: ignore[method-assign]


# What is declared and not there ---------------------------------------------------------------------------------------


def blocks(count: int) -> int:
    """Blocks of a stack that is to be as large as `count`."""
    return max(4, min(MAX_BLOCKS, count // 64))


@kind
def many_blocks(draft: Draft, count: int) -> None:
    draft.request["model"] |= {"layers": blocks(count)}
    declared(draft, scope="stack", pipeline=1)
    emptied(draft, DISTRIBUTED, "values")


@kind
def tasks_beside_many_blocks(draft: Draft, count: int) -> None:
    """No rule demands them, so that they belong to every block."""
    plain = like(draft, DISTRIBUTED, "tasks", "z", inputs=[], outputs=[], phase="forward")
    many_blocks(draft, count)
    draft.snapshot(DISTRIBUTED)["tasks"] = [
        copied(plain, id=new_id("task", name), name=name) for name in numbered(count)
    ]


def on_many_ranks(draft: Draft, ranks: int, **strategy: object) -> None:
    draft.request["model"] |= {"heads": ranks, "key_value_heads": ranks, "hidden": 3 * ranks, "feedforward": ranks}
    draft.request["workload"] |= {"sequence": ranks}
    draft.request.pop("target", None)
    draft.request.pop("deployment", None)
    declared(draft, tensor=ranks, **strategy)
    draft.snapshot(DISTRIBUTED)["mesh"] |= {"tensor": ranks, "ranks": list(range(ranks))}
    emptied(draft, DISTRIBUTED, "values")


@kind
def many_blocks_on_many_ranks(draft: Draft, _count: int) -> None:
    """The honest construction of this request would take tens of gigabytes."""
    draft.request["model"] |= {"layers": MAX_BLOCKS}
    on_many_ranks(draft, LIST, scope="stack", pipeline=1)


@kind
def many_blocks_exchanged_over_many_ranks(draft: Draft, _count: int) -> None:
    """The honest construction of this request would take gigabytes."""
    draft.request["model"] |= {"layers": 128}
    on_many_ranks(draft, 1, scope="stack", pipeline=1, data=LIST, zero=3)


@kind
def blocks_on_as_many_ranks_as_are_not_refused(draft: Draft, count: int) -> None:
    """The honest construction of this request is the largest."""
    draft.request["model"] |= {"layers": blocks(count)}
    on_many_ranks(draft, min(count, RANKS // blocks(count) - 1), scope="stack", pipeline=1, recompute="full", zero=3)


@kind
def block_on_many_ranks(draft: Draft, count: int) -> None:
    on_many_ranks(draft, min(4 * count, RANKS))


@kind
def commands_beside_many_devices(draft: Draft, count: int) -> None:
    """The honest binding of this plan looks for the devices of each task."""
    target, ranks = draft.request["target"], min(4 * count, RANKS)
    plain = like(draft, PORTABLE, "tasks", "z", inputs=[], outputs=[], dependencies=[], ranks=[0])
    on_many_ranks(draft, ranks)
    draft.request.update(target=target, deployment={"devices": ranks, "topology": "all-to-all"})
    emptied(draft, PORTABLE, "buffers")
    draft.snapshot(PORTABLE)["tasks"] = [copied(plain, id=new_id("task", name), name=name) for name in numbered(count)]


@kind
def ranks_that_all_differ(draft: Draft, count: int) -> None:
    """The honest plan of these tasks differs in every one of its ranks."""
    plain = like(draft, DISTRIBUTED, "tasks", "z", inputs=[], outputs=[])
    step = like(draft, PORTABLE, "tasks", "z", inputs=[], outputs=[], dependencies=[])
    on_many_ranks(draft, min(4 * count, RANKS))
    names = dict(zip(numbered(1024), lengths(32 * count), strict=False))
    tasks = [
        copied(plain, id=new_id("task", name), name=name, ranks=list(range(length))) for name, length in names.items()
    ]
    draft.snapshot(DISTRIBUTED)["tasks"] = tasks
    draft.seal()
    emptied(draft, PORTABLE, "buffers")
    draft.snapshot(PORTABLE)["tasks"] = [
        copied(
            step,
            id=new_id("task", f"plan {task['name']}"),
            name=task["name"],
            lineage={**step["lineage"], "sources": [task["id"]]},
            ranks=[rank + 1 for rank in task["ranks"]],
        )
        for task in draft.entities(DISTRIBUTED, "tasks")
    ]
