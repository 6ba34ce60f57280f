"""Stages on the page: slots, lanes, chips, aliases, expressions, texts and neighbours, worked out by hand."""

from __future__ import annotations

import functools
import re
from collections import Counter
from typing import Any

import msgspec
import pytest

from blueprint.bundle import read_bundle
from blueprint.explorer.explore import explorer_page
from blueprint.explorer.facets import SUBSYSTEMS
from blueprint.explorer.matrix import CHIPS, short_name
from blueprint.ir.common import Stage
from blueprint.ir.model import OperationKind
from blueprint.ir.request import TargetKind
from blueprint.verification import verify
from tests.bundles.stacks import WITH_BIASES, training_stage_request
from tests.explorer.conftest import Explored, bound, derived, explored
from tests.explorer.pages import Page, lines_of, text_of
from tests.reseal import Draft

STAGES = [stage.value for stage in Stage]

SIX_BLOCKS = bound(
    training_stage_request(model=msgspec.structs.replace(WITH_BIASES, layers=18)),
    TargetKind.QUEUE,
)


@functools.cache
def six_blocks() -> Explored:
    """A pipeline stage of six blocks, bound and emitted."""
    return explored(derived(SIX_BLOCKS))


def entities(page: Page, stage: str, branch: str = "") -> list[Any]:
    return page.rows(page.stage(stage, branch)["entities"])


def entity(page: Page, stage: str, kind: str, name: str, branch: str = "") -> Any:
    (found,) = [each for each in entities(page, stage, branch) if (each["kind"], each["name"]) == (kind, name)]
    return found


# Slots ----------------------------------------------------------------------------------------------------------------


def test_training_shows_three_stages_and_says_why_not_five(training: Explored) -> None:
    index = training.page.index
    assert index["branches"] == [""]
    (slots,) = index["slots"]
    assert [index["stages"][each]["stage"] for each in slots] == STAGES
    shown = [index["stages"][each]["unavailable"] for each in slots]
    assert shown == ["", "", "", "the request names no target", "the request names no target"]
    for stage, row in zip(STAGES, training.report.subject.stages, strict=True):
        assert training.page.stage(stage)["digest"] == row.digest
    for stage in ("concrete", "machine"):
        assert training.page.stage(stage)["entities"]["count"] == 0
        assert training.page.stage(stage)["question"]


def test_five_stages_are_all_there(five: Explored) -> None:
    stages = five.page.index["stages"]
    assert [each["stage"] for each in stages] == STAGES
    assert not [each for each in stages if each["unavailable"]]
    for stage, row in zip(stages, five.report.subject.stages, strict=True):
        assert str(stage["entities"]["count"]) == row.entities
        assert stage["names"]["count"] == stage["entities"]["count"]
        assert sum(kind["count"] for kind in stage["kinds"]) == stage["entities"]["count"]
        assert stage["status"] == "proved"


def test_the_branches_of_inference_share_the_model(inference: Explored) -> None:
    index = inference.page.index
    assert index["branches"] == ["prefill", "final-decode"]
    first, second = index["slots"]
    assert first[0] == second[0] == 0
    assert not set(first[1:]) & set(second[1:])
    decode = inference.page.stage("distributed", "final-decode")
    assert (decode["branch"], inference.page.stage("model", "final-decode")["branch"]) == ("final-decode", "")
    # The model's entities are used at the first boundary of both branches.
    used = {link[0] for each in inference.page.rows(index["stages"][0]["entities"]) for link in each["used_by"]}
    assert {index["boundaries"][at]["branch"] for at in used} == {"prefill", "final-decode"}


@pytest.mark.parametrize("shown", range(5))
def test_a_slot_whose_stage_the_bundle_lacks_says_so(five: Explored, shown: int) -> None:
    draft = Draft(five.data)
    draft.data["stages"] = draft.data["stages"][:shown]
    draft.data["transitions"] = draft.data["transitions"][: max(shown - 1, 0)]
    data = draft.raw()
    page = Page(explorer_page(data, verify(data)))
    assert [each["unavailable"] for each in page.index["stages"]] == [""] * shown + ["missing from the bundle"] * (
        5 - shown
    )
    assert len(page.index["boundaries"]) == shown
    missing = [each for each in page.index["findings"] if each["code"] == "stage.missing"]
    assert [each["stage"] for each in missing] == list(range(shown, 5))


# The matrix -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("subject", ["training", "five", "inference", "slots"])
def test_distributed_and_portable_have_the_same_lanes_and_columns(subject: str, request: pytest.FixtureRequest) -> None:
    page: Page = request.getfixturevalue(subject).page
    for branch in page.index["branches"]:
        distributed, portable = page.stage("distributed", branch), page.stage("portable", branch)
        assert distributed["lanes"] == portable["lanes"]
        assert distributed["columns"] == portable["columns"]
        assert [(each["lane"], each["column"], each["name"]) for each in distributed["groups"]] == [
            (each["lane"], each["column"], each["name"]) for each in portable["groups"]
        ]


def test_columns_are_phases_in_canonical_order(training: Explored, five: Explored, inference: Explored) -> None:
    assert training.page.stage("model")["columns"] == ["model"]
    assert training.page.stage("distributed")["columns"] == [
        "forward",
        "recompute",
        "recommunication",
        "activation gradient",
        "weight gradient",
        "optimizer",
    ]
    assert five.page.stage("portable")["columns"][-2:] == ["stage boundary", "synchronization"]
    assert five.page.stage("concrete")["columns"] == [*five.page.stage("portable")["columns"], "whole step"]
    assert inference.page.stage("portable", "prefill")["columns"] == ["forward"]


@pytest.mark.parametrize("subject", ["training", "five", "inference", "slots"])
def test_every_entity_stands_in_one_chip(subject: str, request: pytest.FixtureRequest) -> None:
    page: Page = request.getfixturevalue(subject).page
    for stage in page.index["stages"]:
        if stage["unavailable"]:
            continue
        groups = [each["group"] for each in page.rows(stage["entities"])]
        assert groups == [row[3] for row in page.rows(stage["names"])]
        counts = Counter(groups)
        assert [counts[number] for number in range(len(stage["groups"]))] == [
            group["count"] for group in stage["groups"]
        ]
        for number, group in enumerate(stage["groups"]):
            assert 0 <= group["column"] < len(stage["columns"])
            assert 0 <= group["lane"] < len(stage["lanes"])
            assert (group["entity"] >= 0) == (group["count"] == 1)
            if group["entity"] >= 0:
                assert groups[group["entity"]] == number


def lane_of(page: Page, stage: str, kind: str, name: str) -> tuple[str, str, str]:
    found = page.stage(stage)
    group = found["groups"][entity(page, stage, kind, name)["group"]]
    lane = found["lanes"][group["lane"]]
    return lane["subsystem"], lane["kind"], found["columns"][group["column"]]


@pytest.mark.parametrize(
    ("kind", "name", "place"),
    [
        ("task", "b0.up_projection.weight_gradient", ("MLP", "compute", "weight gradient")),
        ("task", "b0.scores.recompute", ("attention", "compute", "recompute")),
        ("task", "b1.attention_norm.collective.forward", ("normalization", "collective", "forward")),
        ("task", "b1.down_projection.collective.forward", ("MLP", "collective", "forward")),
        ("task", "b0.optimizer", ("optimizer", "compute", "optimizer")),
        ("task", "x.receive", ("pipeline", "point to point", "stage boundary")),
        ("task", "b0.gradient_reduction", ("data parallel", "collective", "synchronization")),
        ("task", "b0.mlp_residual.forward", ("residual stream", "compute", "forward")),
        ("value", "b0.query_projection.weight.forward", ("attention", "parameter", "forward")),
        ("value", "b0.query_projection.weight.updated", ("attention", "parameter", "optimizer")),
        ("value", "b1.mlp_residual.gradient", ("residual stream", "tensor", "stage boundary")),
        ("value", "b0.softmax.recomputed", ("attention", "tensor", "recompute")),
    ],
)
def test_subsystem_kind_and_phase_come_through_lineage(
    five: Explored, kind: str, name: str, place: tuple[str, str, str]
) -> None:
    assert lane_of(five.page, "distributed", kind, name) == place
    assert lane_of(five.page, "portable", "task" if kind == "task" else "buffer", name) == place
    subsystem, lane, column = place
    command = {"compute": "launch", "point to point": "transfer"}.get(lane, lane)
    assert lane_of(five.page, "concrete", "command" if kind == "task" else "buffer", name) == (
        subsystem,
        command,
        column,
    )


def test_what_belongs_to_no_phase_has_a_column_of_its_own(five: Explored) -> None:
    assert lane_of(five.page, "concrete", "device", "device.0") == ("target", "device", "whole step")
    assert lane_of(five.page, "concrete", "queue", "compute") == ("target", "queue", "whole step")
    assert lane_of(five.page, "machine", "section", "compute") == ("target", "section", "whole step")


def test_a_lane_without_entities_stays(training: Explored) -> None:
    stage = training.page.stage("distributed")
    lanes = [(each["subsystem"], each["kind"]) for each in stage["lanes"]]
    empty = [lanes[at] for at in range(len(lanes)) if at not in {each["lane"] for each in stage["groups"]}]
    assert ("normalization", "parameter") in lanes
    # One block of training exchanges nothing between the norms' and the attention's own parts that is missing here.
    assert set(empty) <= {(part, kind) for part in ("normalization", "attention", "MLP") for kind in ("collective",)}
    model = training.page.stage("model")
    assert len(model["lanes"]) == 11


def test_every_kind_of_operation_has_a_subsystem() -> None:
    assert set(SUBSYSTEMS) == set(OperationKind)


def test_a_name_loses_its_blocks_and_its_phase() -> None:
    assert short_name("b12.up_projection.weight_gradient") == "up_projection"
    assert short_name("b0.mlp_residual.gradient.b1.attention_norm") == "mlp_residual.gradient.attention_norm"
    assert short_name("up_projection.weight") == "up_projection.weight"
    assert short_name("bias.b1x.forward") == "bias.b1x"


def test_a_cell_has_so_many_chips_and_the_last_holds_the_rest(training: Explored) -> None:
    draft = Draft(training.data)
    for number, value in enumerate(draft.entities(Stage.MODEL, "values")):
        value["name"] = f"other{number}"
        value["role"] = "parameter"
    for operation in draft.entities(Stage.MODEL, "operations"):
        operation["kind"] = "scores"
    data = draft.sealed()
    stage = Page(explorer_page(data, verify(data))).stage("model")
    cells = Counter((group["lane"], group["column"]) for group in stage["groups"])
    assert max(cells.values()) == CHIPS
    (rest,) = [each for each in stage["groups"] if re.fullmatch("[0-9]+ more", each["name"])]
    assert rest["count"] == int(rest["name"].removesuffix(" more")) > 1


def test_neighbours_of_entities_are_the_data_flow(training: Explored) -> None:
    page = training.page
    rows = entities(page, "distributed")
    scores = entity(page, "distributed", "task", "scores.forward")
    before = [(rows[at]["kind"], rows[at]["name"]) for at in scores["before"]]
    after = [(rows[at]["kind"], rows[at]["name"]) for at in scores["after"]]
    assert before == [("value", "query_projection.forward"), ("value", "key_projection.forward")]
    assert after == [("value", "scores.forward")]
    planned = entities(page, "portable")
    task = entity(page, "portable", "task", "scores.forward")
    waits = [planned[at]["name"] for at in task["before"] if planned[at]["kind"] == "task"]
    assert waits == ["query_projection.forward", "key_projection.forward"]
    # Both directions say the same.
    for stage in ("model", "distributed", "portable"):
        found = entities(page, stage)
        forth = {(at, each) for at, row in enumerate(found) for each in row["after"]}
        assert forth == {(each, at) for at, row in enumerate(found) for each in row["before"]}
        assert forth


def test_neighbours_and_relations_that_are_cut_are_counted(training: Explored, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = entities(training.page, "distributed")
    sides = ("before", "after", "made_by", "used_by")
    for row in whole:
        assert row["counts"] == [len(row[side]) for side in sides]
    assert max(row["counts"][1] for row in whole) > 1
    monkeypatch.setattr("blueprint.explorer.entities.NEIGHBOURS", 1)
    cut = entities(Page(explorer_page(training.data, training.report)), "distributed")
    for row, full in zip(cut, whole, strict=True):
        assert row["counts"] == full["counts"]
        assert [row[side] for side in sides] == [full[side][:1] for side in sides]


def test_neighbours_of_chips_are_those_of_their_entities(five: Explored) -> None:
    for stage in five.page.index["stages"]:
        rows = five.page.rows(stage["entities"])
        wanted: dict[int, set[int]] = {number: set() for number in range(len(stage["groups"]))}
        for row in rows:
            for each in (*row["before"], *row["after"]):
                wanted[row["group"]].add(rows[each]["group"])
        for number, group in enumerate(stage["groups"]):
            assert set(group["neighbours"]) == wanted[number] - {number}


# Aliases and expressions ----------------------------------------------------------------------------------------------


def test_aliases_number_values_nodes_and_buffers_in_canonical_order(five: Explored) -> None:
    bundle = read_bundle(five.data)
    for record, stage in zip(bundle.stages, five.page.index["stages"], strict=True):
        names = five.page.rows(stage["names"])
        assert len({row[0] for row in names}) == len(names)
        numbers: Counter[str] = Counter()
        for alias, name, identifier, _ in names:
            kind = identifier.partition(":")[0]
            numbers[kind] += 1
            assert alias == (f"{kind}#{numbers[kind]}" if kind in {"value", "node", "buffer"} else name)
        assert names[0][2] in five.data.decode()
        assert record.stage.value == stage["stage"]


def expression(page: Page, stage: str, kind: str, name: str) -> str:
    return text_of(entity(page, stage, kind, name)["expression"])


def test_expressions_hold_what_their_stage_owns(training: Explored) -> None:
    """B = 3, S = 8, H = 12, F = 20, t = 2: the up projection is 24 x 10 x 12 on a rank, with 2 bytes an element."""
    page = training.page
    operation = entity(page, "model", "operation", "up_projection")
    assert text_of(operation["expression"]) == (
        f"{operation['alias']}(up_projection, bfloat16[batch=3, sequence=8, feedforward=20])"
    )
    value = entity(page, "distributed", "value", "up_projection.forward")
    assert text_of(value["expression"]) == (
        f"{value['alias']}(up_projection.forward, ranks=2, split=feedforward, local=[3, 8, 10])"
    )
    assert expression(page, "distributed", "task", "up_projection.forward") == "up_projection.forward(ranks=2)"
    assert expression(page, "distributed", "task", "attention_norm.collective.forward") == (
        "attention_norm.collective.forward(ranks=2, collective=all_gather, axis=tensor, reduction=none)"
    )
    assert expression(page, "portable", "task", "up_projection.forward") == (
        f"up_projection.forward(ops={2 * 24 * 10 * 12}, read={2 * (24 * 12 + 12 * 10)}, write={2 * 24 * 10}, message=0)"
    )
    assert expression(page, "portable", "task", "attention_norm.collective.forward") == (
        f"attention_norm.collective.forward(ops=0, read={2 * 12 * 12}, write={2 * 24 * 12}, message={2 * 24 * 12})"
    )
    buffer = entity(page, "portable", "buffer", "up_projection.forward")
    assert text_of(buffer["expression"]) == f"{buffer['alias']}(up_projection.forward, bytes={2 * 24 * 10})"


def test_expressions_of_bound_stages(five: Explored, slots: Explored) -> None:
    page = five.page
    command = expression(page, "concrete", "command", "b0.up_projection.forward")
    assert command == (
        "b0.up_projection.forward(devices=device.0 device.1, queue=compute, implementation=compute.linear.reference)"
    )
    rows = {each["name"]: each for each in entities(page, "concrete") if each["kind"] == "buffer"}
    fields = {each["name"]: each["value"] for each in rows["x.forward"]["fields"]}
    assert text_of(rows["x.forward"]["expression"]) == (
        f"{rows['x.forward']['alias']}(x.forward, region=memory, offset={fields['offset']})"
    )
    instruction = expression(page, "machine", "instruction", "x.receive")
    assert re.fullmatch(r"x\.receive\(opcode=transfer, write memory\+[0-9]+:[0-9]+, peer=before\)", instruction)
    issued = [text_of(each["expression"]) for each in entities(slots.page, "concrete", "prefill")]
    assert [each for each in issued if re.search(r"cycle=[0-9]+ slot=[0-9]+", each)]


def test_spans_are_coloured_by_what_they_mean(training: Explored) -> None:
    task = entity(training.page, "portable", "task", "up_projection.forward")
    outer = task["expression"]
    spans = [each for each in outer["parts"] if isinstance(each, dict)]
    assert outer["colour"] == "structure"
    assert [each["colour"] for each in spans] == ["name", "work", "work", "work", "work"]
    rows = entities(training.page, "portable")
    assert rows[spans[0]["entity"]]["name"] == "up_projection.forward"
    assert [each for each in outer["parts"] if isinstance(each, str)] == ["(", " ", " ", " ", ")"]
    value = entity(training.page, "distributed", "value", "up_projection.forward")["expression"]
    assert value["colour"] == "type"
    assert {each["colour"] for each in value["parts"] if isinstance(each, dict)} == {"name", "topology"}


# Fields and texts -----------------------------------------------------------------------------------------------------


def test_an_entity_has_all_its_fields(five: Explored) -> None:
    """Every field of the bundle's own entity stands in its row, in its stage."""
    for record, stage in zip(read_bundle(five.data).stages, five.page.index["stages"], strict=True):
        found = {row["id"]: row for row in five.page.rows(stage["entities"])}
        for kind in record.snapshot.__struct_fields__:
            listed = getattr(record.snapshot, kind)
            for each in listed if isinstance(listed, tuple) else ():
                if not hasattr(each, "id"):
                    continue
                names = {fact["name"].partition(".")[0].partition("[")[0] for fact in found[each.id]["fields"]}
                held = {
                    field for field in each.__struct_fields__ if not isinstance(getattr(each, field), msgspec.UnsetType)
                }
                assert held - {"id", "name", "lineage"} <= names


def test_fields_name_entities_by_alias_and_lineage_by_whole_ids(training: Explored) -> None:
    page = training.page
    scores = entity(page, "distributed", "task", "scores.forward")
    query = entity(page, "distributed", "value", "query_projection.forward")
    kind, _, digest = query["id"].partition(":")
    assert {
        "name": "inputs[0]",
        "value": f"{query['alias']} query_projection.forward ({kind}:{digest[:12]}...)",
    } in scores["fields"]
    source = entity(page, "model", "operation", "scores")["id"]
    assert scores["lineage"] == [
        {"name": "kind", "value": "lowered"},
        {"name": "transform", "value": "training.attention_matmul"},
        {"name": "sources[0]", "value": source},
    ]


def test_lineage_leads_both_ways(five: Explored) -> None:
    page = five.page
    index = page.index
    row = entity(page, "portable", "task", "b0.scores.forward")
    (made,) = row["made_by"]
    (used,) = row["used_by"]
    before, after = index["boundaries"][made[0]], index["boundaries"][used[0]]
    assert (index["stages"][before["source"]]["stage"], index["stages"][after["target"]]["stage"]) == (
        "distributed",
        "concrete",
    )
    relation = page.rows(after["relations"])[used[1]]
    bound_rows = entities(page, "concrete")
    assert [bound_rows[at]["name"] for group in relation["targets"] for at in group["entities"]] == [
        "b0.scores.forward"
    ]


def test_the_short_text_has_schema_interface_bindings_and_steps(training: Explored) -> None:
    page = training.page
    lines = lines_of(page.rows(page.stage("portable")["short"]))
    assert lines[0] == "PortablePlanIR blueprint.portable/1 portable of one block {"
    assert lines[-1] == "}"
    assert "  input x.forward : 288 bytes, saved" in lines
    assert [each for each in lines if each.startswith("  memory parameters=")]
    assert (
        "  up_projection.forward : compute.linear ops=5760 read=816 write=480 message=0"
        " after mlp_norm.collective.forward"
    ) in lines
    model = lines_of(page.rows(page.stage("model")["short"]))
    assert "  softmax = softmax(scores) : bfloat16[batch=3, heads=4, query=8, key=8]" in model
    assert "  input x : bfloat16[batch=3, sequence=8, hidden=12]" in model


@pytest.mark.parametrize(
    ("stage", "heads"),
    [
        # The first block reads the input and not a block before it.
        ("model", ["block 0 {", "x 5 blocks, 1 to 5 {"]),
        # The last one's result is sent, and its gradient received.
        ("distributed", ["block 0 {", "x 4 blocks, 1 to 4 {", "block 5 {"]),
        ("portable", ["block 0 {", "x 4 blocks, 1 to 4 {", "block 5 {"]),
        # Commands count what they read and do not name it.
        ("concrete", ["x 5 blocks, 0 to 4 {", "block 5 {"]),
        ("machine", ["x 5 blocks, 0 to 4 {", "block 5 {"]),
    ],
)
def test_the_short_text_shows_equal_blocks_once(stage: str, heads: list[str]) -> None:
    page = six_blocks().page
    lines = lines_of(page.rows(page.stage(stage)["short"]))
    assert [each.strip() for each in lines if re.match(r"  (x [0-9]+ blocks|block )", each)] == heads
    if stage == "model":
        assert len([each for each in lines if each.startswith("    ")]) == 2 * 17


def test_the_detailed_text_has_every_field_of_every_entity(training: Explored) -> None:
    page = training.page
    stage = page.stage("portable")
    lines = lines_of(page.rows(stage["detail"]))
    rows = page.rows(stage["entities"])
    for row in rows:
        name = "" if row["name"] == row["alias"] else f" {row['name']}"
        at = lines.index(f"  {row['kind']} {row['alias']}{name} {row['id']}")
        count = len(row["fields"]) + len(row["lineage"])
        wanted = [f"    {each['name']} = {each['value']}" for each in row["fields"]]
        wanted += [f"    lineage.{each['name']} = {each['value']}" for each in row["lineage"]]
        assert lines[at + 1 : at + 1 + count] == wanted
    assert f"  digest = {stage['digest']}" in lines
    assert [each for each in lines if each.startswith("  header.parent = ")]
