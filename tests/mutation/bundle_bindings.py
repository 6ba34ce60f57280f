"""What is wrong in a bound plan and in its program: places, alignment, issue order, waits, routes, operands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from blueprint.ir.common import Stage
from blueprint.ir.request import (
    Request,
)
from tests.bundles.test_false_bundles import be, plus, turned, without_last
from tests.mutation.bundle_sites import (
    CONCRETE,
    MACHINE,
    Operators,
    Site,
    edit,
    extension,
    put,
    shown,
    steps,
    values,
)
from tests.reseal import Draft, Plain, copied, new_id

OPERATORS: Final = Operators()

# Binding --------------------------------------------------------------------------------------------------------------


@OPERATORS.add("wrong place in memory", most=24)
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


@OPERATORS.add("wrong alignment")
def alignments(draft: Draft, _request: Request) -> Iterator[Site]:
    """A bound buffer is aligned more or less than it must be."""
    for buffer in values(draft, CONCRETE):
        for new in (buffer["alignment"] // 2, 2 * buffer["alignment"]):
            yield edit(CONCRETE, buffer, "alignment", be(new), "claim.alignment", word=str(new))


@OPERATORS.add("wrong region", most=24)
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


@OPERATORS.add("wrong access mode")
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


@OPERATORS.add("wrong category")
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


@OPERATORS.add("reordered issue", most=80)
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
            # A wait within one queue has a finding of its own.
            awaited = {each for wait in extension(changed)["waits"] for each in wait.values()}
            free = next(each for each in reversed(one["order"]) if each not in awaited)
            one["order"].remove(free)
            other["order"].append(free)

        yield Site(CONCRETE, "from the first queue to the second", by, moved, "moved")
    issues = beside.get("issues", ())
    needs = {each["id"]: each["dependencies"] for each in steps(draft, CONCRETE)}
    for at in range(1, len(issues)):

        def cycles(changed: Draft, place: int = at) -> None:
            one, other = extension(changed)["issues"][place - 1 : place + 1]
            one["cycle"], other["cycle"] = other["cycle"], one["cycle"]

        # Of two that do not need each other the law says nothing.
        needed = issues[at - 1]["command"] in needs[issues[at]["command"]]
        finding = "law.slot-order" if needed else by
        yield Site(CONCRETE, f"cycles {at - 1} and {at}", finding, cycles, "swapped")
        slot = put(lambda changed: extension(changed)["issues"], f"{at}.slot", plus(1))
        yield Site(CONCRETE, f"slot of command {at}", by, slot, "slot")
    if issues:
        later = put(lambda changed: extension(changed)["issues"], f"{len(issues) - 1}.cycle", plus(1))
        yield Site(CONCRETE, "the last cycle", by, later, "later")
    for section in draft.entities(MACHINE, "sections") if MACHINE in shown(draft) else ():
        for at in range(1, len(section["order"])):
            yield _exchanged(MACHINE, "sections", section["name"], at)


def _exchanged(stage: Stage, label: str, name: str, at: int) -> Site:
    """Two neighbours of an order change places."""

    def change(draft: Draft) -> None:
        order = draft.entity(stage, label, name)["order"]
        order[at - 1], order[at] = order[at], order[at - 1]

    return Site(stage, f"{label}/{name} at {at}", "claim.issue_order", change, f"{stage.value} {name}")


@OPERATORS.add("section out of place")
def section_bases(draft: Draft, _request: Request) -> Iterator[Site]:
    """A section begins one instruction later than those before it end."""
    for section in draft.entities(MACHINE, "sections") if MACHINE in shown(draft) else ():
        yield edit(MACHINE, section, "base", plus(1), "claim.issue_order")


@OPERATORS.add("extension of the other kind of target")
def other_extension(draft: Draft, _request: Request) -> Iterator[Site]:
    """A plan for queues has slots and a route, or one for slots has queues and a wait."""
    beside = extension(draft)
    if "queues" in beside:

        def slots(changed: Draft) -> None:
            commands = [each["id"] for each in steps(changed, CONCRETE)]
            source, destination = (each["id"] for each in changed.entities(CONCRETE, "devices")[:2])
            changed.snapshot(CONCRETE)["extension"] = {
                "kind": "slots",
                "issues": [{"command": each, "cycle": at, "slot": 0} for at, each in enumerate(commands)],
                "routes": [{"command": commands[0], "source": source, "destination": destination}],
            }

        yield Site(CONCRETE, "slots", "claim.routes", slots)
    if "issues" in beside:

        def queues(changed: Draft) -> None:
            orders: dict[str, list[str]] = {"compute": [], "collective": [], "transfer": []}
            for each in steps(changed, CONCRETE):
                orders["compute" if each["kind"] == "launch" else str(each["kind"])].append(each["id"])
            lineage = {"kind": "generated", "transform": "binding.queue", "sources": []}
            changed.snapshot(CONCRETE)["extension"] = {
                "kind": "queues",
                "queues": [
                    {"id": new_id("queue", name), "name": name, "lineage": lineage, "category": name, "order": order}
                    for name, order in orders.items()
                ],
                "waits": [{"command": orders["collective"][0], "on": orders["compute"][0]}],
            }

        yield Site(CONCRETE, "queues", "claim.waits", queues)


@OPERATORS.add("wrong waits")
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


@OPERATORS.add("wrong routes")
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


@OPERATORS.add("wrong operands of an instruction", most=24)
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


@OPERATORS.add("wrong entry point")
def entry_points(draft: Draft, _request: Request) -> Iterator[Site]:
    """The program begins with its sections in another order, or with an empty one besides."""
    for entry in draft.entities(MACHINE, "entries") if MACHINE in shown(draft) else ():
        if len(entry["sections"]) > 1:
            yield edit(MACHINE, entry, "sections", turned, "claim.entry")

        def more(changed: Draft, name: str = entry["name"]) -> None:
            sections = changed.entities(MACHINE, "sections")
            base = len(changed.entities(MACHINE, "instructions"))
            spare = copied(sections[-1], id=new_id("section", "spare"), name="spare", base=base, order=[])
            sections.append(spare)
            changed.entity(MACHINE, "entries", name)["sections"].append(spare["id"])

        yield Site(MACHINE, f"{entry['name']} and a section more", "claim.entry", more, "more")
