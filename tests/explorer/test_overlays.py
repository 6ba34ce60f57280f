"""Overlays: addressed by digest and id, matched or refused, and never part of what is canonical."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from blueprint.bundle import Overlay, OverlayEntry, read_bundle, snapshot_digest
from blueprint.codec import decode, encode
from blueprint.errors import CodecError, InputError
from blueprint.explorer.explore import explorer_page
from blueprint.explorer.roofline import REFERENCE, Peak, Profile, least_time, read_profile
from blueprint.ir.common import DType, Stage
from blueprint.ir.portable import PlanTask, PortablePlanIR
from blueprint.verification import verify
from tests.explorer.conftest import Explored
from tests.explorer.pages import Page
from tests.reseal import Draft

NOBODY = f"task:{'0' * 64}"


def plan_of(explored: Explored) -> PortablePlanIR:
    (plan,) = [each.snapshot for each in read_bundle(explored.data).stages if isinstance(each.snapshot, PortablePlanIR)]
    return plan


def overlay_on(plan: PortablePlanIR, *entries: tuple[str, int]) -> Overlay:
    return Overlay(
        snapshot=snapshot_digest(plan),
        provider="a <b>profiler</b>",
        revision="7",
        unit="picoseconds",
        entries=tuple(OverlayEntry(entity=entity, value=value) for entity, value in entries),
    )


def page_with(explored: Explored, folder: Path, written: object) -> Page:
    path = folder / "overlay.json"
    path.write_bytes(encode(written))
    return Page(explorer_page(explored.data, explored.report, overlays=[str(path)]))


def test_an_overlay_says_how_much_of_its_stage_it_speaks_of(training: Explored, tmp_path: Path) -> None:
    plan = plan_of(training)
    first, second, third = (task.id for task in plan.tasks[:3])
    overlay = overlay_on(plan, (first, 10), (second, 30), (third, 2**60), (NOBODY, 1))
    page = page_with(training, tmp_path, overlay)
    (found,) = page.index["overlays"]
    assert (found["matched"], found["entries"], found["entities"]) == (3, 4, len(plan.tasks) + len(plan.buffers))
    assert (found["provider"], found["revision"], found["unit"]) == ("a <b>profiler</b>", "7", "picoseconds")
    assert (found["low"], found["high"], found["about"]) == ("10", str(2**60), "read from overlay.json")
    assert found["rates"] == []
    assert page.index["stages"][found["stage"]]["stage"] == "portable"
    names = page.rows(page.stage("portable")["names"])
    rows = {names[at][2]: (value, level) for at, value, level in page.rows(found["values"])}
    assert rows == {first: ("10", 0), second: ("30", 0), third: (str(2**60), 1000)}


def test_a_file_may_hold_several(training: Explored, tmp_path: Path) -> None:
    plan = plan_of(training)
    task = plan.tasks[0].id
    several = [overlay_on(plan, (task, 1)), msgspec.structs.replace(overlay_on(plan, (task, 2)), revision="8")]
    page = page_with(training, tmp_path, several)
    assert [(each["revision"], each["low"]) for each in page.index["overlays"]] == [("7", "1"), ("8", "2")]


def test_an_overlay_on_another_snapshot_is_refused_by_name(training: Explored, tmp_path: Path) -> None:
    other = "ab" * 32
    overlay = msgspec.structs.replace(overlay_on(plan_of(training)), snapshot=other)
    with pytest.raises(InputError) as caught:
        page_with(training, tmp_path, overlay)
    assert caught.value.code == "overlay.digest"
    assert other in caught.value.message
    assert snapshot_digest(plan_of(training)) in caught.value.message


def test_an_overlay_with_two_numbers_for_one_entity_is_refused(training: Explored, tmp_path: Path) -> None:
    plan = plan_of(training)
    with pytest.raises(InputError, match="twice") as caught:
        page_with(training, tmp_path, overlay_on(plan, (plan.tasks[0].id, 1), (plan.tasks[0].id, 2)))
    assert caught.value.code == "overlay.repeated"


@pytest.mark.parametrize("text", [b"", b"{}", b"[{}]", b"[1]", b'{"entries":[] }', b"nonsense"])
def test_a_file_that_is_no_overlay_is_refused(training: Explored, tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "overlay.json"
    path.write_bytes(text)
    with pytest.raises(CodecError) as caught:
        explorer_page(training.data, training.report, overlays=[str(path)])
    assert caught.value.path.startswith(str(path))


def canonical(page: Page) -> tuple[Any, dict[str, str]]:
    """Everything but the overlays: the index, and the chunks that it names."""
    index = dict(page.index)
    overlays = index.pop("overlays")
    own = {chunk["id"] for each in overlays for chunk in each["values"]["chunks"]}
    return index, {name: text for name, text in page.chunk_texts.items() if name not in own}


def test_an_overlay_changes_nothing_else_on_the_page(training: Explored, tmp_path: Path) -> None:
    plan = plan_of(training)
    path = tmp_path / "overlay.json"
    path.write_bytes(encode(overlay_on(plan, (plan.tasks[0].id, 5))))
    page = Page(
        explorer_page(training.data, training.report, overlays=[str(path)], profile=REFERENCE),
    )
    assert len(page.index["overlays"]) == 2
    assert canonical(page) == canonical(training.page)
    assert training.page.index["overlays"] == []


def test_an_overlay_in_the_bundle_is_shown_as_recorded(training: Explored) -> None:
    plan = plan_of(training)
    draft = Draft(training.data)
    draft.data["overlays"] = [decode(encode(overlay_on(plan, (plan.tasks[0].id, 5))), dict)]
    data = draft.raw()
    report = verify(data)
    assert report.ok
    page = Page(explorer_page(data, report))
    assert [(each["about"], each["matched"]) for each in page.index["overlays"]] == [("recorded in the bundle", 1)]
    # The snapshots, their digests and the derivation are the same with and without it.
    assert report.subject.stages == training.report.subject.stages
    assert report.subject.derivation_digest == training.report.subject.derivation_digest
    assert [each["digest"] for each in page.index["stages"]] == [
        each["digest"] for each in training.page.index["stages"]
    ]


def test_an_overlay_in_the_bundle_with_a_wrong_digest_is_a_finding_and_not_shown(training: Explored) -> None:
    overlay = msgspec.structs.replace(overlay_on(plan_of(training)), snapshot="ab" * 32)
    draft = Draft(training.data)
    draft.data["overlays"] = [decode(encode(overlay), dict)]
    data = draft.raw()
    page = Page(explorer_page(data, verify(data)))
    assert page.index["overlays"] == []
    assert [each["code"] for each in page.index["findings"]] == ["overlay.digest"]


# The roofline provider ------------------------------------------------------------------------------------------------

SLOW = Profile(
    name="a slow device",
    revision="2",
    source="made up for this test",
    peaks=(Peak(dtype=DType.BFLOAT16, operations=1000),),
    memory=100,
    link=10,
)


def planned(explored: Explored, name: str) -> PlanTask:
    return next(task for task in plan_of(explored).tasks if task.name == name)


def test_least_times_by_hand(training: Explored) -> None:
    """The up projection: 5,760 operations, 816 + 480 bytes; the gather: 288 + 576 bytes, and a message of 576."""
    up, gather = planned(training, "up_projection.forward"), planned(training, "attention_norm.collective.forward")
    assert least_time(up, 1000, SLOW) == 1296 * 10**12 // 100
    assert least_time(up, 100, SLOW) == 5760 * 10**12 // 100
    assert least_time(gather, 1000, SLOW) == 576 * 10**12 // 10
    # 1,296 bytes at 2.039 TB/s are 635.6 picoseconds, rounded up; 576 bytes at 300 GB/s are 1,920.
    assert least_time(up, 312 * 10**12, REFERENCE) == 636
    assert least_time(gather, 312 * 10**12, REFERENCE) == 1920


def test_the_roofline_overlay_has_every_portable_task_of_every_branch(inference: Explored) -> None:
    page = Page(explorer_page(inference.data, inference.report, profile=SLOW))
    overlays = page.index["overlays"]
    assert [page.index["stages"][each["stage"]]["branch"] for each in overlays] == ["prefill", "final-decode"]
    for overlay in overlays:
        stage = page.index["stages"][overlay["stage"]]
        tasks = [row for row in page.rows(stage["entities"]) if row["kind"] == "task"]
        assert overlay["matched"] == overlay["entries"] == len(tasks)
        assert (overlay["provider"], overlay["revision"]) == ("blueprint.roofline", "a slow device/2")
        assert "made up for this test" in overlay["about"]
        rates = {each["name"]: each["value"] for each in overlay["rates"]}
        assert rates == {"bfloat16 operations": "1000", "bytes of memory": "100", "bytes of link": "10"}
        assert overlay["about"].endswith("of unfused work, each message a full tensor")
        names = page.rows(stage["names"])
        values = {names[at][1]: value for at, value, _ in page.rows(overlay["values"])}
        (scores,) = [row for row in tasks if row["name"] == "scores.forward"]
        work = {each["name"]: int(each["value"]) for each in scores["fields"] if each["name"].startswith("work.")}
        least = max(work["work.operations"] * 10**9, (work["work.read_bytes"] + work["work.write_bytes"]) * 10**10)
        assert values["scores.forward"] == str(least)


def test_the_reference_profile_is_built_in_and_stated_with_its_source() -> None:
    profile = read_profile("reference")
    assert profile is REFERENCE
    assert {peak.dtype: peak.operations for peak in profile.peaks}[DType.BFLOAT16] == 312_000_000_000_000
    assert (profile.memory, profile.link) == (2_039_000_000_000, 300_000_000_000)
    assert "data sheet" in profile.source


def test_a_profile_is_read_strictly(tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    path.write_bytes(encode(SLOW))
    assert read_profile(str(path)) == SLOW
    path.write_bytes(encode(msgspec.structs.replace(SLOW, peaks=(*SLOW.peaks, *SLOW.peaks))))
    with pytest.raises(InputError, match="names a type twice"):
        read_profile(str(path))
    path.write_bytes(b'{"name":"x"}')
    with pytest.raises(CodecError) as caught:
        read_profile(str(path))
    assert str(path) in caught.value.path


NO_TYPE = msgspec.structs.replace(SLOW, peaks=(Peak(dtype=DType.FLOAT32, operations=1),))


def test_a_profile_that_does_not_fit_a_good_plan_is_refused(training: Explored) -> None:
    with pytest.raises(InputError, match=r"^the profile has no peak for bfloat16, for attention_norm\.") as caught:
        explorer_page(training.data, training.report, profile=NO_TYPE)
    assert caught.value.code == "overlay.profile"


# A plan that is wrong: its page says which tasks have no time, and why ------------------------------------------------


def without_times(draft: Draft, profile: Profile = SLOW) -> tuple[str, dict[str, int], int]:
    """What the page of a false bundle says of its least times, how many there are, and how many tasks."""
    tasks = len(draft.entities(Stage.PORTABLE, "tasks"))
    data = draft.sealed()
    report = verify(data, jobs=1)
    assert not report.ok
    page = Page(explorer_page(data, report, profile=profile))
    (overlay,) = page.index["overlays"]
    names = page.rows(page.stage("portable")["names"])
    values = {names[at][1]: int(value) for at, value, _ in page.rows(overlay["values"])}
    assert len(values) == overlay["matched"] == overlay["entries"]
    _, found, said = str(overlay["about"]).partition("; no time for ")
    return found + said, values, tasks


def test_a_task_with_an_absurd_number_has_no_time(training: Explored) -> None:
    draft = Draft(training.data)
    first, second, *_ = draft.entities(Stage.PORTABLE, "tasks")
    first["work"]["message_bytes"] = second["work"]["operations"] = 2**63 - 1
    said, values, tasks = without_times(draft)
    why = f"it would take more than {2**63 - 1} picoseconds"
    assert said == f"; no time for {first['name']} and 1 more: {why}"
    assert len(values) == tasks - 2
    assert not {first["name"], second["name"]} & set(values)


@pytest.mark.parametrize(("link", "timed"), [(10**12, True), (10**12 - 1, False)])
def test_the_longest_time_is_the_largest_number_there_is(link: int, timed: object, training: Explored) -> None:
    """A link of one byte in a picosecond takes as many picoseconds as there are bytes; a slower one takes more."""
    draft = Draft(training.data)
    task = draft.entities(Stage.PORTABLE, "tasks")[0]
    task["work"]["message_bytes"] = 2**63 - 1
    said, values, _ = without_times(draft, msgspec.structs.replace(SLOW, link=link))
    assert values.get(task["name"]) == (2**63 - 1 if timed else None)
    assert (said == "") is timed


def test_tasks_on_masks_alone_have_no_time(training: Explored) -> None:
    draft = Draft(training.data)
    for buffer in draft.entities(Stage.PORTABLE, "buffers"):
        buffer["dtype"] = "uint8"
    said, values, tasks = without_times(draft)
    assert said.endswith(f" and {tasks - 1} more: it has no tensor of numbers, so no type")
    assert values == {}


def test_a_type_without_a_peak_has_no_time_in_a_plan_that_is_wrong(training: Explored) -> None:
    draft = Draft(training.data)
    (task,) = (each for each in draft.entities(Stage.PORTABLE, "tasks") if each["name"] == "softmax.forward")
    for buffer in draft.entities(Stage.PORTABLE, "buffers"):
        if buffer["id"] in task["outputs"]:
            buffer["dtype"] = "float32"
    said, values, tasks = without_times(draft)
    assert said.startswith("; no time for ")
    assert said.endswith(": the profile has no peak for float32")
    assert "softmax.forward" not in values
    assert 0 < len(values) < tasks
    said, values, tasks = without_times(draft, NO_TYPE)
    assert said.endswith(": the profile has no peak for bfloat16")
    assert 0 < len(values) < tasks


def test_each_reason_is_said_once(training: Explored) -> None:
    draft = Draft(training.data)
    first, second, *_ = draft.entities(Stage.PORTABLE, "tasks")
    first["inputs"] = first["outputs"] = []
    second["work"]["message_bytes"] = 2**63 - 1
    said, values, tasks = without_times(draft)
    assert said == (
        f"; no time for {first['name']}: it has no tensor of numbers, so no type; no time for {second['name']}:"
        f" it would take more than {2**63 - 1} picoseconds"
    )
    assert len(values) == tasks - 2
