"""False bindings in which a target runs the attention core as one, and false routes of what crosses a stage's edges.

Both steps of inference of two blocks, in the middle of three stages, on two ranks. As in test_false_binding.py, nothing
is replayed, a fault in a concrete plan is carried into the program by the honest emitter, and codes are exact.

With H = 12, F = 20, h = 4 and d = 3 on two ranks, elements of 2 bytes, three sequences, 16 tokens of a prompt and 24
visible ones in the last step, the boundary of the prompt's rows and the largest intermediate beside them need

    unfused  1152 + max(q, k and v 1728, scores 3072, feed-forward rows 960)
    tiled    1152 + max(q, k and v 1728, rows and statistics 960, feed-forward rows 960)
    paged    the same, as a table has 192 bytes

and in the last step 72 + max(108, 288, 60), 72 + max(108, 60, 60) and 72 + max(108, 60, 60, 288).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from blueprint.exit import ExitCode
from blueprint.ir.common import Branch, Stage
from blueprint.ir.request import Attention, Request, Target, TargetKind
from blueprint.outcome import Outcome, Report
from blueprint.verification import verify
from tests.bundles.branches import BranchDraft
from tests.bundles.conftest import JOBS
from tests.bundles.stacks import STEPS, StepDraft
from tests.bundles.test_false_binding import bound, bundle, examined
from tests.bundles.test_false_bundles import codes, exit_code, failed
from tests.reseal import Draft, Plain, copied, new_id, without

CONCRETE, MACHINE, PORTABLE = Stage.CONCRETE, Stage.MACHINE, Stage.PORTABLE
PREFILL, DECODE = Branch.PREFILL, Branch.FINAL_DECODE
QUEUE, SLOT = TargetKind.QUEUE, TargetKind.SLOT
UNFUSED, TILED, PAGED = Attention.UNFUSED, Attention.TILED, Attention.PAGED

Change = Callable[[Draft], None]

REQUESTS = {
    (kind, attention): bound(STEPS, kind, attention=attention) for kind in TargetKind for attention in Attention
}

WORKSPACE = {
    (PREFILL, UNFUSED): 1152 + 3072,
    (PREFILL, TILED): 1152 + 1728,
    (PREFILL, PAGED): 1152 + 1728,
    (DECODE, UNFUSED): 72 + 288,
    (DECODE, TILED): 72 + 108,
    (DECODE, PAGED): 72 + 288,
}
"""Bytes that each implementation needs; those of the unfused are the plan's."""

OPERATIONS = {PREFILL: 3 * 16 * 16, DECODE: 3 * 1 * 24}
"""Pairs of a new and a visible token, over all sequences. On each of two heads a pair takes 12 + 5 operations."""

CORE = ("b1.scores.forward", "b1.softmax.forward", "b1.context.forward")


def draft_of(request: Request, branch: Branch) -> Draft:
    return StepDraft(bundle(request), branch)


def command(draft: Draft, name: str = "b1.attention") -> Plain:
    return draft.entity(CONCRETE, "commands", name)


def task(draft: Draft, name: str) -> Plain:
    return draft.entity(PORTABLE, "tasks", name)


def buffers(draft: Draft) -> list[Plain]:
    return draft.entities(CONCRETE, "buffers")


def routes(draft: Draft) -> dict[str, Plain]:
    """The routes by the names of their commands."""
    names = {each["id"]: each["name"] for each in draft.entities(CONCRETE, "commands")}
    return {names[each["command"]]: each for each in draft.snapshot(CONCRETE)["extension"]["routes"]}


def device(draft: Draft, ordinal: int) -> str:
    found: str = draft.entity(CONCRETE, "devices", f"device.{ordinal}")["id"]
    return found


# The good plans ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TargetKind)
@pytest.mark.parametrize("attention", Attention)
def test_the_good_bundle_passes_through_the_same_hands(kind: TargetKind, attention: Attention, tmp_path: Path) -> None:
    good = bundle(REQUESTS[kind, attention])
    for branch in (PREFILL, DECODE):
        draft = StepDraft(good, branch)
        draft.bind_again(CONCRETE)
        assert draft.sealed() == good
        assert draft.snapshot(CONCRETE)["workspace"] == WORKSPACE[branch, attention]
        assert draft.snapshot(PORTABLE)["memory"]["workspace"] == WORKSPACE[branch, UNFUSED]
    assert verify(good, jobs=JOBS).verdict is Outcome.VERIFIED
    assert exit_code(good, tmp_path) == ExitCode.VERIFIED


@pytest.mark.parametrize("attention", [TILED, PAGED])
@pytest.mark.parametrize("branch", [PREFILL, DECODE])
def test_a_core_is_one_command_of_three_tasks_without_scores(branch: Branch, attention: Attention) -> None:
    fused, unfused = (draft_of(REQUESTS[QUEUE, each], branch) for each in (attention, UNFUSED))
    lost = {f"b{block}.{name}.forward" for block in (0, 1) for name in ("scores", "softmax")}
    assert {each["name"] for each in buffers(unfused)} - {each["name"] for each in buffers(fused)} == lost
    assert {each["name"] for each in buffers(fused)} <= {each["name"] for each in buffers(unfused)}
    for block in (0, 1):
        found = command(fused, f"b{block}.attention")
        assert found["implementation"] == attention.value
        assert found["operations"] == 2 * OPERATIONS[branch] * (12 + 5)
        tasks = {each["id"]: each["name"] for each in fused.entities(PORTABLE, "tasks")}
        sources = [tasks[each] for each in found["lineage"]["sources"] if each in tasks]
        assert sources == [f"b{block}.{name}.forward" for name in ("scores", "softmax", "context")]
    assert len(fused.entities(CONCRETE, "commands")) == len(unfused.entities(CONCRETE, "commands")) - 4


# Faults of the fused command -----------------------------------------------------------------------------------------


def operations(factor_of: Callable[[int], int]) -> Change:
    """The fused command does so many operations for each pair of tokens on a head."""

    def change(draft: Draft) -> None:
        found = command(draft)
        pairs = found["operations"] // (12 + 5)
        found["operations"] = factor_of(pairs)

    return change


def task_left_out(name: str) -> Change:
    """The command says nothing of one of the three tasks."""

    def change(draft: Draft) -> None:
        lost = task(draft, name)["id"]
        sources = command(draft)["lineage"]["sources"]
        assert lost in sources
        command(draft)["lineage"]["sources"] = [each for each in sources if each != lost]

    return change


def scores_left_out(draft: Draft) -> None:
    """The command does not say what became of the scores."""
    lost = draft.entity(PORTABLE, "buffers", "b1.scores.forward")["id"]
    command(draft)["lineage"]["sources"].remove(lost)


def tasks_turned(draft: Draft) -> None:
    command(draft)["lineage"]["sources"].reverse()


def core_of_the_other_block(draft: Draft) -> None:
    """Each of two fused commands says that it carries out the other's tasks."""
    one, other = command(draft, "b0.attention"), command(draft)
    one["lineage"], other["lineage"] = other["lineage"], one["lineage"]


def as_an_ordinary_command(draft: Draft) -> None:
    """It carries out the context alone, by its lineage; scores and softmax have no command."""
    found = command(draft)
    found["name"] = "b1.context.forward"
    found["lineage"] = {"kind": "lowered", "transform": "binding.command", "sources": [task(draft, CORE[2])["id"]]}


def scores_bound(draft: Draft) -> None:
    """The scores get a place after all, behind all others; no command touches it."""
    source = draft.entity(PORTABLE, "buffers", "b1.scores.forward")
    region = draft.entities(CONCRETE, "regions")[0]
    place = -(-region["extent"] // 16) * 16
    extra = copied(
        buffers(draft)[0],
        id=new_id("buffer", "scores"),
        name=source["name"],
        lineage={"kind": "lowered", "transform": "binding.buffer", "sources": [source["id"]]},
        source_buffer=source["id"],
        offset=place,
        size=source["size"],
        alignment=16,
    )
    region["extent"] = region["capacity"] = place + source["size"]
    buffers(draft).append(extra)


def scores_written(draft: Draft) -> None:
    """They get a place, and the fused command writes them there."""
    scores_bound(draft)
    command(draft)["uses"].append({"buffer": buffers(draft)[-1]["id"], "mode": "write"})


def implementation(name: str, *commands: str) -> Change:
    """These fused commands run another implementation."""

    def change(draft: Draft) -> None:
        for each in commands:
            assert command(draft, each)["implementation"] != name
            command(draft, each)["implementation"] = name

    return change


def keys_not_read(draft: Draft) -> None:
    """The command does not say that it reads the cache of the keys."""
    keys = draft.entity(CONCRETE, "buffers", "b1.key_projection.cache")["id"]
    found = command(draft)
    found["uses"] = [each for each in found["uses"] if each["buffer"] != keys]


def context_read(draft: Draft) -> None:
    """The command changes its result in the place of writing it."""
    context = draft.entity(CONCRETE, "buffers", "b1.context.forward")["id"]
    (use,) = (each for each in command(draft)["uses"] if each["buffer"] == context)
    use["mode"] = "read_write"


def values_not_awaited(draft: Draft) -> None:
    """It is issued before its values are there, as far as its dependencies go."""
    values = command(draft, "b1.value_projection.forward")["id"]
    command(draft)["dependencies"].remove(values)


def one_device_fewer(draft: Draft) -> None:
    command(draft)["devices"].pop()


def as_a_transfer(draft: Draft) -> None:
    command(draft)["kind"] = "host_call"


COVERAGE = {"coverage.missing", "coverage.unexpected"}

UNMATCHED = {*COVERAGE, "claim.dependency_topology"}
"""A command that is not the demanded one; and what reads its result depends on no command that was demanded."""

ONE_MORE = {"coverage.unexpected", "claim.region_capacity", "law.aligned-buffers"}
"""A place that nobody demands: it takes up memory, and the layout has one member too many."""


class Fault(NamedTuple):
    """A fault of a fused plan, and all codes that it has."""

    name: str
    change: Change
    codes: set[str]


FUSED_FAULTS = [
    Fault("one operation more", operations(lambda pairs: 17 * pairs + 1), {"claim.exact_work"}),
    Fault("no softmax", operations(lambda pairs: 12 * pairs), {"claim.exact_work"}),
    Fault("scores twice", operations(lambda pairs: 23 * pairs), {"claim.exact_work"}),
    Fault("half the products, as under a mask", operations(lambda pairs: 11 * pairs), {"claim.exact_work"}),
    *(Fault(f"without {name}", task_left_out(name), UNMATCHED) for name in CORE),
    Fault("without the scores' buffer", scores_left_out, UNMATCHED),
    Fault("tasks in another order", tasks_turned, UNMATCHED),
    Fault("the context alone", as_an_ordinary_command, UNMATCHED),
    Fault("scores bound", scores_bound, ONE_MORE),
    Fault("scores written", scores_written, {*ONE_MORE, "claim.buffer_uses"}),
    Fault("an unknown implementation", implementation("attention.free", "b1.attention"), {"claim.implementation"}),
    Fault("unfused in name", implementation("attention.unfused", "b1.attention"), {"claim.implementation"}),
    Fault("keys not read", keys_not_read, {"claim.buffer_uses"}),
    Fault("a result that is read", context_read, {"claim.buffer_uses"}),
    Fault("values not awaited", values_not_awaited, {"claim.dependency_topology"}),
    Fault("one device fewer", one_device_fewer, {"claim.placement"}),
    Fault("another kind", as_a_transfer, {"claim.task_category"}),
]

FUSED_PLANS = [(QUEUE, TILED, PREFILL), (SLOT, PAGED, DECODE), (SLOT, TILED, DECODE), (QUEUE, PAGED, PREFILL)]


def stopped(fault: Fault, draft: Draft, branch: Branch) -> Report:
    """The report on the false bundle, which has these codes and no others, on this branch and on no other."""
    _, report = examined(draft)
    assert report.verdict is Outcome.REFUTED
    found = [each for each in report.diagnostics if each.code not in {"replay.off", "nothing.established"}]
    assert {each.code for each in found} == fault.codes
    assert {each.path.partition("/")[0] for each in found} == {branch.value}
    return report


@pytest.mark.parametrize(("kind", "attention", "branch"), FUSED_PLANS, ids=lambda each: each.value.rpartition(".")[2])
@pytest.mark.parametrize("fault", FUSED_FAULTS, ids=lambda fault: fault.name)
def test_a_false_fused_command_is_stopped_by_name(
    fault: Fault, kind: TargetKind, attention: Attention, branch: Branch
) -> None:
    draft = draft_of(REQUESTS[kind, attention], branch)
    fault.change(draft)
    draft.bind_again(MACHINE)
    stopped(fault, draft, branch)


def test_cores_of_two_blocks_are_not_exchanged() -> None:
    """Everything else that a command says is then of the wrong block, and each claim says so."""
    draft = draft_of(REQUESTS[QUEUE, TILED], PREFILL)
    core_of_the_other_block(draft)
    draft.bind_again(MACHINE)
    _, report = examined(draft)
    assert report.verdict is Outcome.REFUTED
    assert codes(report) >= COVERAGE


@pytest.mark.parametrize(("attention", "other"), [(TILED, PAGED), (PAGED, TILED)])
def test_one_implementation_is_not_another(attention: Attention, other: Attention) -> None:
    """All commands agree with each other, and not with the target."""
    fault = Fault("", implementation(other.value, "b0.attention", "b1.attention"), {"claim.implementation"})
    draft = draft_of(REQUESTS[SLOT, attention], PREFILL)
    fault.change(draft)
    draft.bind_again(MACHINE)
    report = stopped(fault, draft, PREFILL)
    wrong = {(f"b{block}.attention.implementation[0]", other.value, attention.value) for block in (0, 1)}
    assert wrong <= failed(report)


@pytest.mark.parametrize("kind", TargetKind)
@pytest.mark.parametrize(
    ("made", "asked"), [(UNFUSED, TILED), (TILED, UNFUSED), (PAGED, UNFUSED)], ids=lambda each: each.value
)
def test_a_plan_of_one_form_is_none_of_the_other(made: Attention, asked: Attention, kind: TargetKind) -> None:
    """The whole bundle is what the honest passes make for another target than the request names."""
    draft = BranchDraft(bundle(REQUESTS[kind, made]), PREFILL)
    draft.request["target"]["attention"] = asked.value
    _, report = examined(draft)
    assert report.verdict is Outcome.REFUTED
    core = {f"b{block}.{name}" for block in (0, 1) for name in ("scores.forward", "softmax.forward")}
    fused = {"b0.attention", "b1.attention"}
    for branch in (PREFILL, DECODE):
        path = f"{branch.value}/concrete/"
        found = [each for each in report.diagnostics if each.path.startswith(path)]
        named = {code: {each.path.removeprefix(path) for each in found if each.code == code} for code in COVERAGE}
        missing, unexpected = (fused, core) if made is UNFUSED else (core, fused)
        assert named["coverage.missing"] >= missing
        assert named["coverage.unexpected"] >= unexpected
    other = [each for each in report.diagnostics if each.code.startswith(("claim.", "law.", "coverage."))]
    assert all("/concrete/" in each.path for each in other), "up to the binding nothing depends on the target"


# Workspace -----------------------------------------------------------------------------------------------------------


def workspace(size: int) -> Change:
    def change(draft: Draft) -> None:
        assert draft.snapshot(CONCRETE)["workspace"] != size
        draft.snapshot(CONCRETE)["workspace"] = size

    return change


OTHER = {"claim.chosen_workspace"}
ABOVE = {"claim.chosen_workspace", "law.bound-workspace"}

WORKSPACES = [
    (TILED, PREFILL, WORKSPACE[PREFILL, UNFUSED], OTHER),
    (TILED, DECODE, WORKSPACE[DECODE, PAGED], OTHER),
    (PAGED, DECODE, WORKSPACE[DECODE, TILED], OTHER),
    (UNFUSED, PREFILL, WORKSPACE[PREFILL, TILED], OTHER),
    (UNFUSED, DECODE, WORKSPACE[DECODE, TILED], OTHER),
    (TILED, PREFILL, 0, OTHER),
    (TILED, PREFILL, WORKSPACE[PREFILL, TILED] - 1, OTHER),
    (TILED, PREFILL, WORKSPACE[PREFILL, UNFUSED] + 1, ABOVE),
    (PAGED, DECODE, WORKSPACE[DECODE, UNFUSED] + 1, ABOVE),
    (UNFUSED, PREFILL, WORKSPACE[PREFILL, UNFUSED] + 1, ABOVE),
]


@pytest.mark.parametrize("kind", TargetKind)
@pytest.mark.parametrize(("attention", "branch", "size", "found"), WORKSPACES)
def test_the_workspace_is_that_of_the_implementation(
    attention: Attention, branch: Branch, size: int, found: set[str], kind: TargetKind
) -> None:
    fault = Fault("", workspace(size), found)
    draft = draft_of(REQUESTS[kind, attention], branch)
    fault.change(draft)
    draft.bind_again(MACHINE)
    report = stopped(fault, draft, branch)
    assert ("workspace", str(size), str(WORKSPACE[branch, attention])) in failed(report)


def test_an_implementation_that_needs_more_than_the_plan_has_is_chosen_by_nobody() -> None:
    """The plan says that tiled attention needs more than all there is, and the binding takes it at its word."""
    draft = draft_of(REQUESTS[QUEUE, TILED], PREFILL)
    (tiled,) = (each for each in draft.snapshot(PORTABLE)["alternatives"] if each["name"] == TILED.value)
    tiled["workspace"] = draft.snapshot(CONCRETE)["workspace"] = WORKSPACE[PREFILL, UNFUSED] + 1
    draft.bind_again(MACHINE)
    stopped(Fault("", workspace(0), {"law.tiled-workspace", "law.bound-workspace"}), draft, PREFILL)


# Routes --------------------------------------------------------------------------------------------------------------

SEND, RECEIVE, LAUNCH = "b1.mlp_residual.send", "x.receive", "b1.up_projection.forward"


def route_end(name: str, end: str, ordinal: int) -> Change:
    """One end of a route is another device: 0 and 1 are of the group, 2 of the stage before and 3 of that behind."""

    def change(draft: Draft) -> None:
        found = routes(draft)[name]
        assert found[end] != device(draft, ordinal)
        found[end] = device(draft, ordinal)

    return change


def route_turned(name: str) -> Change:
    def change(draft: Draft) -> None:
        found = routes(draft)[name]
        found["source"], found["destination"] = found["destination"], found["source"]

    return change


def routes_exchanged(draft: Draft) -> None:
    """Each transfer takes the other's way."""
    one, other = routes(draft)[SEND], routes(draft)[RECEIVE]
    for end in ("source", "destination"):
        one[end], other[end] = other[end], one[end]


def route_missing(name: str) -> Change:
    def change(draft: Draft) -> None:
        extension = draft.snapshot(CONCRETE)["extension"]
        extension["routes"] = [each for each in extension["routes"] if each is not routes(draft)[name]]

    return change


def route_of_a_launch(draft: Draft) -> None:
    extension = draft.snapshot(CONCRETE)["extension"]
    extension["routes"].append({**routes(draft)[SEND], "command": command(draft, LAUNCH)["id"]})


def peer_of_a_launch(draft: Draft) -> None:
    command(draft, LAUNCH)["peer"] = "after"


def peer(name: str, stage: str) -> Change:
    """A transfer exchanges with the other neighbour, and goes the way of the right one."""

    def change(draft: Draft) -> None:
        assert command(draft, name)["peer"] != stage
        command(draft, name)["peer"] = stage

    return change


def no_peer(draft: Draft) -> None:
    del command(draft, SEND)["peer"]


def transfer_missing(draft: Draft) -> None:
    """No command sends the stage's result, and so there is no way for it."""
    route_missing(SEND)(draft)
    lost = command(draft, SEND)["id"]
    snapshot = draft.snapshot(CONCRETE)
    snapshot["commands"] = without(snapshot["commands"], SEND)
    snapshot["extension"]["issues"] = [each for each in snapshot["extension"]["issues"] if each["command"] != lost]


ROUTES = {"claim.routes"}

ROUTE_FAULTS = [
    Fault("sent to the stage before", route_end(SEND, "destination", 2), ROUTES),
    Fault("sent within the group", route_end(SEND, "destination", 1), ROUTES),
    Fault("sent by another rank", route_end(SEND, "source", 1), ROUTES),
    Fault("sent from the stage before", route_end(SEND, "source", 2), ROUTES),
    Fault("received from the stage behind", route_end(RECEIVE, "source", 3), ROUTES),
    Fault("received by another rank", route_end(RECEIVE, "destination", 1), ROUTES),
    Fault("turned", route_turned(SEND), ROUTES),
    Fault("exchanged", routes_exchanged, ROUTES),
    Fault("no way for a result", route_missing(SEND), ROUTES),
    Fault("no way for an input", route_missing(RECEIVE), ROUTES),
    Fault("a way for a launch", route_of_a_launch, ROUTES),
    Fault("sent to itself", route_end(SEND, "destination", 0), {"structure.route"}),
    Fault("received from itself", route_end(RECEIVE, "source", 0), {"structure.route"}),
    Fault("the wrong neighbour sent to", peer(SEND, "before"), {"claim.task_category"}),
    Fault("the wrong neighbour received from", peer(RECEIVE, "after"), {"claim.task_category"}),
    Fault("no neighbour", no_peer, {"claim.task_category"}),
    Fault("a neighbour of a launch", peer_of_a_launch, {"claim.task_category"}),
]


@pytest.mark.parametrize("attention", [UNFUSED, TILED], ids=lambda each: each.value)
@pytest.mark.parametrize("fault", ROUTE_FAULTS, ids=lambda fault: fault.name)
def test_a_false_route_is_stopped_by_name(fault: Fault, attention: Attention) -> None:
    draft = draft_of(REQUESTS[SLOT, attention], DECODE)
    fault.change(draft)
    if not any(code.startswith("structure.") for code in fault.codes):
        draft.bind_again(MACHINE)
    stopped(fault, draft, DECODE)


def test_the_ways_of_a_stage_in_the_middle_are_what_they_are() -> None:
    """Rank 0 receives from the stage before and sends to the one behind."""
    draft = draft_of(REQUESTS[SLOT, TILED], DECODE)
    ordinals = {each["id"]: each["ordinal"] for each in draft.entities(CONCRETE, "devices")}
    ways = {name: (ordinals[each["source"]], ordinals[each["destination"]]) for name, each in routes(draft).items()}
    assert ways == {RECEIVE: (2, 0), SEND: (0, 3)}


def test_a_transfer_that_is_missing_is_missed() -> None:
    draft = draft_of(REQUESTS[SLOT, TILED], DECODE)
    transfer_missing(draft)
    draft.bind_again(MACHINE)
    _, report = examined(draft)
    assert report.verdict is Outcome.REFUTED
    assert {"coverage.missing", "claim.routes"} <= codes(report)


def test_a_queue_waits_for_what_it_receives() -> None:
    """The first norm is launched before the input is there."""
    draft = draft_of(REQUESTS[QUEUE, TILED], PREFILL)
    received = command(draft, RECEIVE)["id"]
    extension = draft.snapshot(CONCRETE)["extension"]
    kept = [each for each in extension["waits"] if each["on"] != received]
    assert len(kept) < len(extension["waits"])
    extension["waits"] = kept
    draft.bind_again(MACHINE)
    stopped(Fault("", no_peer, {"claim.waits"}), draft, PREFILL)


def test_the_target_of_a_request_is_fused_or_not_by_its_own_word() -> None:
    for (kind, attention), request in REQUESTS.items():
        assert isinstance(request.target, Target)
        assert (request.target.kind, request.target.attention) == (kind, attention)
        assert msgspec.structs.replace(request, target=msgspec.UNSET, deployment=msgspec.UNSET) == STEPS


def test_names_of_faults_are_distinct() -> None:
    for faults in (FUSED_FAULTS, ROUTE_FAULTS):
        assert len({fault.name for fault in faults}) == len(faults)
