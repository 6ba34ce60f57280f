"""False bindings and programs: places, orders, operands. Each is sealed again, recorded honestly, and stopped by name.

As in test_false_bundles.py, nothing is replayed. A fault in a concrete plan is carried into the program by the honest
emitter, so that the binding alone is wrong.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from blueprint.bundle import Bundle
from blueprint.derivation import derive
from blueprint.exit import ExitCode
from blueprint.frontend.request import deployment_of, inference_request, target_of
from blueprint.ir.common import Branch, Stage
from blueprint.ir.request import Attention, Request, Scope, TargetKind
from blueprint.law import InductiveLaw
from blueprint.outcome import Outcome, Report, Status
from blueprint.rule import PrimitiveRule
from blueprint.session import open_rulebook
from blueprint.verification import verify, verify_without_replay
from tests.bundles import conftest
from tests.bundles.conftest import GPT3_REQUEST, JOBS, TINY_REQUEST
from tests.bundles.stacks import StepDraft
from tests.bundles.test_false_bundles import (
    BOUND,
    New,
    be,
    codes,
    exit_code,
    failed,
    fields,
    other_way,
    plus,
    turned,
    without_last,
)
from tests.reseal import Draft, Plain, copied, listed, new_id, recorded

CONCRETE, MACHINE = Stage.CONCRETE, Stage.MACHINE
QUEUE, SLOT = TargetKind.QUEUE, TargetKind.SLOT

Change = Callable[[Draft], None]


def bound(
    request: Request, kind: TargetKind, memory: int | None = None, attention: Attention = Attention.UNFUSED
) -> Request:
    """The request with a target, its instructions, and devices of this memory."""
    targeted = msgspec.structs.replace(request, target=target_of(kind, emit=True, attention=attention))
    return msgspec.structs.replace(targeted, deployment=deployment_of(targeted, None, memory))


@functools.cache
def bundle(request: Request) -> bytes:
    return derive(request, jobs=JOBS)


TINY = {kind: bound(TINY_REQUEST, kind) for kind in TargetKind}
STAGED_REQUEST = msgspec.structs.replace(
    TINY_REQUEST, strategy=msgspec.structs.replace(TINY_REQUEST.strategy, scope=Scope.STACK)
)
"""The first of two pipeline stages, of one block: it sends activations, and receives gradients."""

STAGED = {kind: bound(STAGED_REQUEST, kind) for kind in TargetKind}
STEPS_REQUEST = inference_request(conftest.TINY, batch=3, prompt=4, context=7, tensor=2)
FUSED = {kind: bound(STEPS_REQUEST, kind, attention=Attention.TILED) for kind in TargetKind}
"""Two steps of inference on a target that runs the attention core as one."""
GPT3 = {kind: bound(GPT3_REQUEST, kind) for kind in TargetKind}


def examined(draft: Draft) -> tuple[bytes, Report]:
    """The sealed draft with honest records, and the report on it without replay."""
    data = draft.sealed()
    data = recorded(data, verify(data, jobs=JOBS))
    return data, verify_without_replay(data, jobs=JOBS)


def buffers(draft: Draft) -> list[Plain]:
    return draft.entities(CONCRETE, "buffers")


def queue(draft: Draft, name: str) -> Plain:
    return draft.entity(CONCRETE, "queues", name)


def extension(draft: Draft) -> Plain:
    found: Plain = draft.snapshot(CONCRETE)["extension"]
    return found


@pytest.mark.parametrize("kind", TargetKind)
@pytest.mark.parametrize("requests", [TINY, GPT3], ids=["tiny", "gpt3"])
def test_the_good_bundle_passes_through_the_same_hands(
    requests: dict[TargetKind, Request], kind: TargetKind, tmp_path: Path
) -> None:
    good = bundle(requests[kind])
    draft = Draft(good)
    draft.derive_again(Stage.MODEL)
    assert draft.sealed() == good
    report = verify_without_replay(good, jobs=JOBS)
    assert codes(report) == set()
    assert exit_code(good, tmp_path) == ExitCode.VERIFIED
    assert [row.unavailable for row in report.subject.stages] == [""] * 5


@pytest.mark.parametrize("kind", TargetKind)
def test_sealing_finds_ids_and_order_by_itself(kind: TargetKind) -> None:
    good = bundle(TINY[kind])
    draft = Draft(good)
    for stage, label in ((CONCRETE, "buffers"), (CONCRETE, "commands"), (MACHINE, "instructions")):
        draft.entities(stage, label).reverse()
    assert draft.raw() != good
    assert draft.sealed() == good


# False bindings that a planner could meet ----------------------------------------------------------------------------


def offset_not_least(draft: Draft) -> None:
    """Every buffer from the fourth on lies an alignment further."""
    for each in buffers(draft)[3:]:
        each["offset"] += each["alignment"]
    for region in draft.entities(CONCRETE, "regions"):
        region["extent"] += 16
        region["capacity"] += 16


def overlapping_pair(draft: Draft) -> None:
    """The fourth buffer begins where the third does."""
    third, fourth = buffers(draft)[2:4]
    fourth["offset"] = third["offset"]


def misaligned(draft: Draft) -> None:
    """Half an alignment less: two buffers of even size stay apart from all but the one before."""
    buffers(draft)[3]["offset"] += 8


def places_swapped(draft: Draft) -> None:
    """Two buffers of one size lie in each other's place: nothing overlaps, nothing is misaligned."""
    sizes: dict[int, Plain] = {}
    for each in buffers(draft):
        other = sizes.setdefault(each["size"], each)
        if other is not each:
            each["offset"], other["offset"] = other["offset"], each["offset"]
            return


def first_behind_the_base(draft: Draft) -> None:
    """The first buffer changes places with one that is as large."""
    first = buffers(draft)[0]
    other = next(each for each in buffers(draft)[1:] if each["size"] == first["size"])
    first["offset"], other["offset"] = other["offset"], first["offset"]


def region_too_small(draft: Draft) -> None:
    for region in draft.entities(CONCRETE, "regions"):
        region["capacity"] = region["extent"] - 1


def region_too_large(draft: Draft) -> None:
    for region in draft.entities(CONCRETE, "regions"):
        region["capacity"] += 1


def wrong_size(draft: Draft) -> None:
    """One byte less than the buffer holds."""
    buffers(draft)[3]["size"] -= 1


def wrong_alignment(draft: Draft) -> None:
    buffers(draft)[3]["alignment"] = 8


def wrong_mode(draft: Draft) -> None:
    """What is read is changed too; nobody else writes it."""
    command = draft.entity(CONCRETE, "commands", "attention_norm.forward")
    use = next(each for each in command["uses"] if each["mode"] == "write")
    use["mode"] = "read_write"


def wrong_implementation(draft: Draft) -> None:
    draft.entity(CONCRETE, "commands", "scores.forward")["implementation"] = "compute.batched_matmul.fused"


def wrong_operations(draft: Draft) -> None:
    draft.entity(CONCRETE, "commands", "scores.forward")["operations"] += 1


def wrong_kind(draft: Draft) -> None:
    draft.entity(CONCRETE, "commands", "scores.forward")["kind"] = "host_call"


def wrong_devices(draft: Draft) -> None:
    draft.entity(CONCRETE, "commands", "scores.forward")["devices"].pop()


def dependency_dropped(draft: Draft) -> None:
    draft.entity(CONCRETE, "commands", "context.forward")["dependencies"].pop()


def message_halved(draft: Draft) -> None:
    command = draft.entity(CONCRETE, "commands", "attention_norm.collective.forward")
    command["collective"]["message_bytes"] //= 2


def neighbours_swapped(draft: Draft) -> None:
    """Two neighbours of the compute queue change places: one needs the other."""
    order = queue(draft, "compute")["order"]
    names = {each["id"]: each["name"] for each in draft.entities(CONCRETE, "commands")}
    at = next(at for at, each in enumerate(order) if names[each] == "softmax.forward")
    order[at - 1], order[at] = order[at], order[at - 1]


def independent_swapped(draft: Draft) -> None:
    """Two neighbours that do not need each other change places."""
    order = queue(draft, "compute")["order"]
    needs = {each["id"]: each["dependencies"] for each in draft.entities(CONCRETE, "commands")}
    at = next(at for at in range(1, len(order)) if order[at - 1] not in needs[order[at]])
    order[at - 1], order[at] = order[at], order[at - 1]


def missing_from_its_queue(draft: Draft) -> None:
    queue(draft, "compute")["order"].pop()


def moved_to_another_queue(draft: Draft) -> None:
    """The last launch is issued by the collective queue."""
    queue(draft, "collective")["order"].append(queue(draft, "compute")["order"].pop())


def wait_missing(draft: Draft) -> None:
    extension(draft)["waits"].pop()


def wait_invented(draft: Draft) -> None:
    """One more wait, for what is issued earlier anyway."""
    wait = extension(draft)["waits"][-1]
    on = queue(draft, "collective" if wait["on"] in queue(draft, "collective")["order"] else "compute")["order"][0]
    assert on != wait["on"]
    extension(draft)["waits"].append({**wait, "on": on})


def cycles_swapped(draft: Draft) -> None:
    """Two neighbours of which one needs the other change cycles."""
    names = {each["id"]: each["name"] for each in draft.entities(CONCRETE, "commands")}
    issues = {names[each["command"]]: each for each in extension(draft)["issues"]}
    one, other = issues["scores.forward"], issues["softmax.forward"]
    one["cycle"], other["cycle"] = other["cycle"], one["cycle"]


def a_cycle_left_out(draft: Draft) -> None:
    """The last command is issued one cycle later."""
    extension(draft)["issues"][-1]["cycle"] += 1


def another_slot(draft: Draft) -> None:
    extension(draft)["issues"][3]["slot"] = 1


def issue_missing(draft: Draft) -> None:
    extension(draft)["issues"].pop()


def route_invented(draft: Draft) -> None:
    """A launch gets a route."""
    one, other = (each["id"] for each in draft.entities(CONCRETE, "devices")[:2])
    command = draft.entities(CONCRETE, "commands")[0]["id"]
    extension(draft)["routes"].append({"command": command, "source": one, "destination": other})


class Forgery(NamedTuple):
    """A false binding for a kind of target, and the codes and fields that must be found, and no other codes."""

    kind: TargetKind
    change: Change
    codes: set[str]
    fields: frozenset[str] | set[str] = frozenset()


LAYOUT = "law.aligned-buffers"

BINDINGS = [
    *(
        Forgery(QUEUE, change, found, named)
        for change, found, named in (
            (offset_not_least, {"claim.buffer_binding", "claim.region_capacity"}, set()),
            (overlapping_pair, {"claim.buffer_binding", LAYOUT}, set()),
            (misaligned, {"claim.buffer_binding", LAYOUT}, set()),
            (places_swapped, {"claim.buffer_binding"}, set()),
            (first_behind_the_base, {"claim.buffer_binding"}, set()),
            (region_too_small, {"claim.region_capacity", LAYOUT}, {"memory.capacity"}),
            (region_too_large, {"claim.region_capacity"}, {"memory.capacity"}),
            (wrong_size, {"claim.buffer_size"}, set()),
            (wrong_alignment, {"claim.alignment"}, set()),
            (wrong_mode, {"claim.buffer_uses"}, set()),
            (wrong_implementation, {"claim.implementation"}, {"scores.forward.implementation[0]"}),
            (wrong_operations, {"claim.exact_work"}, {"scores.forward.operations"}),
            (wrong_kind, {"claim.task_category"}, {"scores.forward.kind"}),
            (wrong_devices, {"claim.placement"}, {"scores.forward.devices count"}),
            (dependency_dropped, {"claim.dependency_topology"}, {"context.forward.dependencies count"}),
            (
                message_halved,
                {"claim.collective_volume"},
                {"attention_norm.collective.forward.collective.message_bytes"},
            ),
        )
    ),
    Forgery(QUEUE, neighbours_swapped, {"claim.issue_order", "law.queue-order"}, {"softmax.forward.position"}),
    Forgery(QUEUE, independent_swapped, {"claim.issue_order", "law.queue-order"}),
    Forgery(QUEUE, missing_from_its_queue, {"structure.issue"}),
    Forgery(QUEUE, moved_to_another_queue, {"claim.issue_order", "claim.task_category"}),
    Forgery(QUEUE, wait_missing, {"claim.waits"}),
    Forgery(QUEUE, wait_invented, {"claim.waits"}),
    Forgery(SLOT, overlapping_pair, {"claim.buffer_binding", LAYOUT}),
    Forgery(SLOT, region_too_small, {"claim.region_capacity", LAYOUT}),
    Forgery(SLOT, cycles_swapped, {"claim.issue_order", "law.slot-order"}, {"softmax.forward.cycle"}),
    Forgery(SLOT, a_cycle_left_out, {"claim.issue_order"}),
    Forgery(SLOT, another_slot, {"claim.issue_order"}),
    Forgery(SLOT, issue_missing, {"structure.issue"}),
    Forgery(SLOT, route_invented, {"claim.routes"}, {"routes.command count"}),
]


def instruction(draft: Draft, name: str) -> Plain:
    return draft.entity(MACHINE, "instructions", name)


def wrong_operand_offset(draft: Draft) -> None:
    instruction(draft, "scores.forward")["operands"][1]["offset"] += 16


def wrong_operand_size(draft: Draft) -> None:
    instruction(draft, "scores.forward")["operands"][1]["size"] += 1


def wrong_operand_mode(draft: Draft) -> None:
    instruction(draft, "scores.forward")["operands"][1]["mode"] = "read_write"


def operand_missing(draft: Draft) -> None:
    instruction(draft, "scores.forward")["operands"].pop()


def operands_turned(draft: Draft) -> None:
    """What is exchanged stands before the memory."""
    instruction(draft, "attention_norm.collective.forward")["operands"].reverse()


def wrong_opcode(draft: Draft) -> None:
    instruction(draft, "scores.forward")["opcode"] = "barrier"


def wrong_message(draft: Draft) -> None:
    instruction(draft, "attention_norm.collective.forward")["operands"][-1]["message_bytes"] += 1


def another_kernel(draft: Draft) -> None:
    instruction(draft, "scores.forward")["implementation"] = "compute.linear.reference"


def instruction_without_dependency(draft: Draft) -> None:
    instruction(draft, "context.forward")["dependencies"].pop()


def section_reordered(draft: Draft) -> None:
    section = draft.entities(MACHINE, "sections")[0]["order"]
    section[3], section[4] = section[4], section[3]


def section_out_of_place(draft: Draft) -> None:
    draft.entities(MACHINE, "sections")[-1]["base"] += 1


def missing_from_its_section(draft: Draft) -> None:
    draft.entities(MACHINE, "sections")[0]["order"].pop()


def section_missing_from_the_entry(draft: Draft) -> None:
    draft.entities(MACHINE, "entries")[0]["sections"].pop()


def entry_turned(draft: Draft) -> None:
    draft.entities(MACHINE, "entries")[0]["sections"].reverse()


def another_target(draft: Draft) -> None:
    draft.snapshot(MACHINE)["target"] = "reference-other"


PROGRAMS = [
    *(
        Forgery(QUEUE, change, found, named)
        for change, found, named in (
            (wrong_operand_offset, {"claim.operands"}, {"scores.forward.operands[1].offset"}),
            (wrong_operand_size, {"claim.operands"}, {"scores.forward.operands[1].size"}),
            (wrong_operand_mode, {"claim.operands"}, {"scores.forward.operands[1].mode"}),
            (operand_missing, {"claim.operands"}, {"scores.forward.operands count"}),
            (operands_turned, {"claim.operands"}, {"attention_norm.collective.forward.operands.memory_first"}),
            (wrong_opcode, {"claim.task_category"}, {"scores.forward.opcode"}),
            (wrong_message, {"claim.collective_volume"}, set()),
            (another_kernel, {"claim.implementation"}, {"scores.forward.implementation[0]"}),
            (instruction_without_dependency, {"claim.dependency_topology"}, set()),
            (section_reordered, {"claim.issue_order"}, set()),
            (section_out_of_place, {"claim.issue_order", "law.emission"}, set()),
            (missing_from_its_section, {"structure.issue", "structure.unreachable"}, set()),
            (section_missing_from_the_entry, {"structure.unreachable"}, set()),
            (another_target, {"claim.interface"}, {"target[0]"}),
        )
    ),
    Forgery(SLOT, section_reordered, {"claim.issue_order"}),
    Forgery(SLOT, wrong_operand_offset, {"claim.operands"}),
    Forgery(SLOT, section_missing_from_the_entry, {"structure.unreachable"}),
    Forgery(QUEUE, entry_turned, {"claim.entry"}, {"main.sections[0]"}),
]


@pytest.mark.parametrize("forgery", BINDINGS, ids=lambda each: f"{each.kind.value}-{each.change.__name__}")
def test_a_false_binding_is_stopped_by_name(forgery: Forgery) -> None:
    draft = Draft(bundle(TINY[forgery.kind]))
    forgery.change(draft)
    if not any(code.startswith("structure.") for code in forgery.codes):
        draft.bind_again(MACHINE)
    _, report = examined(draft)
    _stopped(forgery, report)


@pytest.mark.parametrize("forgery", PROGRAMS, ids=lambda each: f"{each.kind.value}-{each.change.__name__}")
def test_a_false_program_is_stopped_by_name(forgery: Forgery) -> None:
    draft = Draft(bundle(TINY[forgery.kind]))
    forgery.change(draft)
    _, report = examined(draft)
    _stopped(forgery, report)


def _stopped(forgery: Forgery, report: Report) -> None:
    assert report.verdict is Outcome.REFUTED
    assert codes(report) - {"nothing.established"} == forgery.codes
    assert forgery.fields <= {name for name, _, _ in failed(report)}


def test_only_the_guilty_buffer_of_many_is_refuted(tmp_path: Path) -> None:
    draft = Draft(bundle(GPT3[QUEUE]))
    places_swapped(draft)
    draft.bind_again(MACHINE)
    data, report = examined(draft)
    assert exit_code(data, tmp_path) == ExitCode.REFUTED
    rows = [
        (relation.names, claim.status)
        for relation in report.transitions[3].relations
        for claim in relation.claims
        if claim.kind == "buffer_binding"
    ]
    assert len(rows) > 90
    assert sum(status is Status.REFUTED for _, status in rows) == 2
    assert sum(status is Status.PROVED for _, status in rows) == len(rows) - 2


def test_every_claim_of_a_binding_stops_something_that_nothing_else_stops() -> None:
    book = open_rulebook(None)
    for family, forgeries in (("binding", BINDINGS), ("emission", PROGRAMS)):
        rules = [rule for rule in book.rules if rule.id.startswith(f"{family}.")]
        claims = {claim.value for rule in rules if not isinstance(rule, PrimitiveRule) for claim in rule.claims}
        alone = {code for each in forgeries if len(each.codes) == 1 for code in each.codes}
        alone |= {each.by for each in OPERATORS if each.alone and each.field.startswith(STAGE_OF[family].value)}
        assert {f"claim.{claim}" for claim in claims} <= alone, family


def test_every_law_of_a_binding_is_broken() -> None:
    laws = {law.id for _, law in open_rulebook(None).laws() if isinstance(law, InductiveLaw)}
    broken = {code for each in (*BINDINGS, *PROGRAMS) for code in each.codes}
    assert {f"law.{law}" for law in laws} <= broken


STAGE_OF = {"binding": CONCRETE, "emission": MACHINE}


# One operator for every field ---------------------------------------------------------------------------------------


class Operator(NamedTuple):
    """One wrong field of a small bundle: where, what it holds instead, and the finding that names the fault.

    `alone` says that no other claim and no law sees it.
    """

    kind: TargetKind
    field: str
    where: str
    new: New
    by: str
    alone: bool = False

    @property
    def request(self) -> Request:
        """What has the field: transfers are a whole stage's, and a workspace is that of a step of inference."""
        if self.by == "claim.chosen_workspace":
            return FUSED[self.kind]
        transfers = self.field.startswith(f"{ROUTES}.") or self.where == SEND
        return STAGED[self.kind] if transfers else TINY[self.kind]

    def applied(self, good: bytes) -> bytes:
        steps = self.request in FUSED.values()
        draft = StepDraft(good, Branch.FINAL_DECODE) if steps else Draft(good)
        holder, name = self.place(draft)
        holder[name] = self.new(holder.get(name), draft)
        if re.search(r"\.id$|\.parent$", self.field):
            return draft.raw()
        if self.field.startswith("concrete.") and self.by.startswith(("claim.", "law.")):
            draft.bind_again(MACHINE)
        return draft.sealed()

    def place(self, draft: Draft) -> tuple[Plain, str]:
        head, *path = self.field.split(".")
        holder: Any = draft.data
        if head in {stage.value for stage in (CONCRETE, MACHINE)}:
            holder = draft.snapshot(Stage(head))
            if self.where:
                label = path[1] if path[0].startswith("extension") else path[0]
                found = listed(holder, label) if label in ENTITIES else holder["extension"][label]
                holder = next(each for each in found if self.where in {each.get("name"), "any"})
                path = path[path.index(label) + 1 :]
        else:
            path.insert(0, head)
        for part in path[:-1]:
            name, _, kind = part.rstrip("]").partition("[")
            holder = holder[name]
            if isinstance(holder, list):
                # Of a list the first structure, or the first of a kind.
                holder = next(each for each in holder if kind in {"", each.get("kind")})
        return holder, path[-1]


ROUTES = "concrete.extension[slots].routes"
SEND = "b0.mlp_residual.send"

ENTITIES = {"devices", "regions", "buffers", "commands", "queues", "instructions", "sections", "entries"}

EXAMPLES = {
    "concrete.devices": "device.1",
    "concrete.regions": "memory",
    "concrete.buffers": "scores.forward",
    "concrete.commands": "scores.forward",
    "concrete.extension[queues].queues": "compute",
    "machine.instructions": "scores.forward",
    "machine.sections": "compute",
    "machine.entries": "main",
}


def _entity_operators() -> Iterator[Operator]:
    """What every entity has: an id, a name and a lineage."""
    for owner, where in EXAMPLES.items():
        kind = owner.rpartition(".")[2].rstrip("s")
        yield Operator(QUEUE, f"{owner}.id", where, be(new_id(kind.replace("entrie", "entry"), "z")), "structure.id")
        yield Operator(QUEUE, f"{owner}.name", where, be("other"), "coverage.missing")
        yield Operator(QUEUE, f"{owner}.lineage.kind", where, be("derived"), "lineage.kind")
        yield Operator(QUEUE, f"{owner}.lineage.transform", where, be("binding.other"), "lineage.undeclared")
        yield Operator(QUEUE, f"{owner}.lineage.sources", where, be([new_id("task", "nowhere")]), "lineage.dangling")


def _one_more(kind: str) -> New:
    def more(old: list[Plain], _draft: Draft) -> object:
        return [*old, copied(old[-1], name="other", id=new_id(kind, "other"))]

    return more


def _more_devices(old: list[Plain], _draft: Draft) -> object:
    return [*old, copied(old[-1], name="device.9", id=new_id("device", "other"), ordinal=9)]


def _other(stage: Stage, label: str, name: str) -> New:
    return lambda _old, draft: draft.entity(stage, label, name)["id"]


def _concrete_operators() -> Iterator[Operator]:
    at = "scores.forward"
    yield Operator(QUEUE, "concrete.header.stage", "", be("portable"), "stage.schema")
    yield Operator(QUEUE, "concrete.header.version", "", plus(1), "structure.version")
    yield Operator(QUEUE, "concrete.header.parent", "", be("0" * 64), "digest.parent")
    yield Operator(QUEUE, "concrete.target", "", be("reference-other"), "claim.interface", alone=True)
    yield Operator(QUEUE, "concrete.inputs", "", turned, "claim.interface", alone=True)
    yield Operator(QUEUE, "concrete.outputs", "", without_last, "claim.interface", alone=True)
    yield Operator(QUEUE, "concrete.workspace", "", plus(1), "claim.interface", alone=True)
    yield Operator(QUEUE, "concrete.workspace", "", plus(-1), "claim.chosen_workspace", alone=True)
    yield Operator(QUEUE, "concrete.devices", "", _more_devices, "coverage.unexpected")
    yield Operator(QUEUE, "concrete.devices.ordinal", "device.1", be(7), "claim.logical_ranks", alone=True)
    yield Operator(QUEUE, "concrete.regions", "", _one_more("region"), "coverage.unexpected")
    yield Operator(QUEUE, "concrete.regions.devices", "memory", without_last, "claim.placement", alone=True)
    yield Operator(QUEUE, "concrete.regions.capacity", "memory", plus(1), "claim.region_capacity", alone=True)
    yield Operator(QUEUE, "concrete.regions.extent", "memory", plus(-1), "structure.extent")
    yield Operator(QUEUE, "concrete.regions.extent", "memory", plus(1), "claim.region_capacity")
    yield Operator(QUEUE, "concrete.regions.alignment", "memory", be(32), "claim.region_capacity", alone=True)
    yield Operator(QUEUE, "concrete.regions.alignment", "memory", be(24), "structure.alignment")
    yield Operator(QUEUE, "concrete.buffers", "", without_last, "structure.dangling")
    yield Operator(QUEUE, "concrete.buffers.source_buffer", at, be(new_id("buffer", "z")), "lineage.source_value")
    yield Operator(QUEUE, "concrete.buffers.region", at, be(new_id("region", "z")), "structure.dangling")
    yield Operator(QUEUE, "concrete.buffers.offset", at, plus(16), "claim.buffer_binding")
    yield Operator(QUEUE, "concrete.buffers.size", at, plus(-1), "claim.buffer_size", alone=True)
    yield Operator(QUEUE, "concrete.buffers.alignment", at, be(32), "claim.alignment", alone=True)
    yield Operator(QUEUE, "concrete.commands", "", without_last, "structure.dangling")
    yield Operator(QUEUE, "concrete.commands.kind", at, be("barrier"), "claim.task_category", alone=True)
    yield Operator(QUEUE, "concrete.commands.implementation", at, be("other"), "claim.implementation", alone=True)
    yield Operator(QUEUE, "concrete.commands.operations", at, plus(1), "claim.exact_work", alone=True)
    yield Operator(QUEUE, "concrete.commands.uses", at, without_last, "claim.buffer_uses")
    yield Operator(
        QUEUE, "concrete.commands.uses.buffer", at, _other(CONCRETE, "buffers", "x.forward"), "claim.buffer_uses"
    )
    yield Operator(QUEUE, "concrete.commands.uses.mode", at, be("read_write"), "structure.ssa")
    yield Operator(QUEUE, "concrete.commands.dependencies", at, be([]), "claim.dependency_topology")
    yield Operator(QUEUE, "concrete.commands.devices", at, turned, "claim.placement", alone=True)
    yield Operator(QUEUE, "concrete.commands.peer", SEND, be("before"), "claim.task_category", alone=True)
    yield Operator(SLOT, "concrete.commands.peer", SEND, be("before"), "claim.task_category", alone=True)
    yield Operator(QUEUE, "concrete.commands.peer", at, be("before"), "claim.task_category", alone=True)
    exchange = "attention_norm.collective.forward"
    for field, new in (
        ("kind", be("all_reduce")),
        ("axis", be("data")),
        ("participants", be([0])),
        ("reduction", be("sum")),
        ("message_bytes", plus(1)),
    ):
        path = f"concrete.commands.collective.{field}"
        yield Operator(QUEUE, path, exchange, new, "claim.collective_volume", alone=True)


def _extension_operators() -> Iterator[Operator]:
    queues, waits = "concrete.extension[queues].queues", "concrete.extension[queues].waits"
    first = _other(CONCRETE, "commands", "attention_norm.forward")
    yield Operator(QUEUE, queues, "", without_last, "structure.issue")
    yield Operator(QUEUE, queues, "", turned, "structure.category")
    yield Operator(QUEUE, f"{queues}.category", "collective", be("host"), "claim.task_category")
    yield Operator(QUEUE, f"{queues}.order", "compute", turned, "claim.issue_order")
    yield Operator(QUEUE, waits, "", without_last, "claim.waits", alone=True)
    yield Operator(QUEUE, f"{waits}.command", "any", first, "structure.wait")
    yield Operator(QUEUE, f"{waits}.on", "any", _other(CONCRETE, "commands", "softmax.forward"), "claim.waits")
    issues, routes = "concrete.extension[slots].issues", ROUTES
    yield Operator(SLOT, issues, "", without_last, "structure.issue")
    yield Operator(SLOT, f"{issues}.command", "any", _other(CONCRETE, "commands", "softmax.forward"), "structure.issue")
    yield Operator(SLOT, f"{issues}.cycle", "any", plus(1), "structure.slot")
    yield Operator(SLOT, f"{issues}.cycle", "any", plus(10_000), "claim.issue_order")
    yield Operator(SLOT, f"{issues}.slot", "any", plus(1), "claim.issue_order", alone=True)
    yield Operator(SLOT, routes, "", _routed(), "claim.routes", alone=True)
    yield Operator(SLOT, routes, "", _routed(destination="device.0"), "structure.route")
    yield Operator(SLOT, routes, "", _routed(source="nowhere"), "structure.dangling")
    yield Operator(SLOT, routes, "", _routed(command="nothing"), "structure.dangling")
    up = _other(CONCRETE, "commands", "b0.up_projection.forward")
    yield Operator(SLOT, f"{routes}.command", "any", up, "claim.routes", alone=True)
    for end in ("source", "destination"):
        other = _other(CONCRETE, "devices", "device.1")
        yield Operator(SLOT, f"{routes}.{end}", "any", other, "claim.routes", alone=True)
        yield Operator(SLOT, f"{routes}.{end}", "any", be(new_id("device", "nowhere")), "structure.dangling")


def _routed(source: str = "device.0", destination: str = "device.1", command: str = "scores.forward") -> New:
    """One route, between devices and for a command of these names; a name that nothing has is an id of nothing."""

    def routed(_old: object, draft: Draft) -> object:
        devices = {each["name"]: each["id"] for each in draft.entities(CONCRETE, "devices")}
        commands = {each["name"]: each["id"] for each in draft.entities(CONCRETE, "commands")}
        return [
            {
                "source": devices.get(source, new_id("device", source)),
                "destination": devices[destination],
                "command": commands.get(command, new_id("command", command)),
            }
        ]

    return routed


def _machine_operators() -> Iterator[Operator]:
    at, exchange = "scores.forward", "attention_norm.collective.forward"
    code = "machine.instructions"
    yield Operator(QUEUE, "machine.header.stage", "", be("concrete"), "stage.schema")
    yield Operator(QUEUE, "machine.header.version", "", plus(1), "structure.version")
    yield Operator(QUEUE, "machine.header.parent", "", be("0" * 64), "digest.parent")
    yield Operator(QUEUE, "machine.target", "", be("reference-other"), "claim.interface", alone=True)
    yield Operator(QUEUE, code, "", without_last, "structure.dangling")
    yield Operator(QUEUE, f"{code}.source_command", at, be(new_id("command", "z")), "lineage.source_value")
    yield Operator(QUEUE, f"{code}.opcode", at, be("barrier"), "claim.task_category", alone=True)
    yield Operator(QUEUE, f"{code}.implementation", at, be("other"), "claim.implementation", alone=True)
    yield Operator(QUEUE, f"{code}.operands", at, turned, "claim.operands", alone=True)
    yield Operator(QUEUE, f"{code}.operands[memory].region", at, be("other"), "claim.operands", alone=True)
    yield Operator(QUEUE, f"{code}.operands[memory].offset", at, plus(1), "claim.operands", alone=True)
    yield Operator(QUEUE, f"{code}.operands[memory].size", at, plus(1), "claim.operands", alone=True)
    yield Operator(QUEUE, f"{code}.operands[memory].mode", at, be("write"), "claim.operands", alone=True)
    for field, new in (
        ("collective", "all_reduce"),
        ("axis", "data"),
        ("participants", [0]),
        ("reduction", "sum"),
        ("message_bytes", 5),
    ):
        path = f"{code}.operands[collective].{field}"
        yield Operator(QUEUE, path, exchange, be(new), "claim.collective_volume", alone=True)
    yield Operator(QUEUE, f"{code}.operands[peer].stage", SEND, be("before"), "claim.operands", alone=True)
    yield Operator(QUEUE, f"{code}.operands", SEND, without_last, "claim.operands", alone=True)
    yield Operator(QUEUE, f"{code}.dependencies", at, be([]), "claim.dependency_topology")
    yield Operator(QUEUE, "machine.sections", "", without_last, "structure.issue")
    yield Operator(QUEUE, "machine.sections", "", turned, "structure.order")
    yield Operator(QUEUE, "machine.sections.base", "compute", plus(1), "claim.issue_order")
    yield Operator(QUEUE, "machine.sections.order", "compute", turned, "claim.issue_order", alone=True)
    yield Operator(QUEUE, "machine.entries", "", _one_more("entry"), "coverage.unexpected")
    yield Operator(QUEUE, "machine.entries.sections", "main", without_last, "structure.unreachable")
    yield Operator(QUEUE, "machine.entries.sections", "main", turned, "claim.entry", alone=True)


def _request_operators() -> Iterator[Operator]:
    yield Operator(QUEUE, "request.target.kind", "", be("slot"), "model.domain")
    yield Operator(QUEUE, "request.target.name", "", be("reference-slot"), "model.domain")
    yield Operator(QUEUE, "request.target.architecture", "", be("other"), "model.domain")
    yield Operator(QUEUE, "request.target.abi", "", be("other"), "model.domain")
    yield Operator(QUEUE, "request.target.revision", "", plus(1), "model.domain")
    # A training step keeps its scores.
    yield Operator(QUEUE, "request.target.attention", "", be("attention.tiled"), "model.domain")
    yield Operator(QUEUE, "request.target.attention", "", be("attention.free"), "codec.decode")
    yield Operator(QUEUE, "request.target.emit", "", other_way, "stage.order")
    yield Operator(QUEUE, "request.deployment.devices", "", be(1), "model.domain")


OPERATORS = (
    *_entity_operators(),
    *_concrete_operators(),
    *_extension_operators(),
    *_machine_operators(),
    *_request_operators(),
)


@pytest.mark.parametrize("operator", OPERATORS, ids=[f"{at}-{each.field}" for at, each in enumerate(OPERATORS)])
def test_a_wrong_field_is_stopped_by_name(operator: Operator) -> None:
    good = bundle(operator.request)
    data = operator.applied(good)
    assert data != good
    report = verify_without_replay(data, jobs=JOBS)
    assert report.verdict is (Outcome.MALFORMED if operator.by == "codec.decode" else Outcome.REFUTED)
    found = codes(report) - {"report.mismatch", "nothing.established"}
    assert operator.by in found
    if operator.alone:
        assert found == {operator.by}


def test_every_field_that_a_target_brings_has_an_operator() -> None:
    kind = msgspec.inspect.type_info(Bundle)
    assert isinstance(kind, msgspec.inspect.StructType)
    known = {each.field for each in OPERATORS}
    every = dict(fields(kind))
    wanted = {path for path, single in every.items() if BOUND.match(path) and not single}
    assert len(wanted) > 100
    assert wanted - known == set()
    assert known - {"request.deployment.devices"} <= every.keys(), "an operator changes what no structure has"


def test_more_devices_than_ranks_change_nothing() -> None:
    request = TINY[QUEUE]
    more = msgspec.structs.replace(request, deployment=deployment_of(request, 5, None))
    one, other = (Draft(bundle(each)) for each in (request, more))
    assert [len(each.entities(CONCRETE, "devices")) for each in (one, other)] == [2, 2]
    assert verify(bundle(more), jobs=JOBS).ok
