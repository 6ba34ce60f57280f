"""A stage: its question, its matrix, its texts, its entities."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.altered import Altered
from tests.browser.conftest import WRONG, Show, Window

TITLES = ["ModelIR", "DistributedTaskIR", "PortablePlanIR", "ConcretePlanIR", "MachineIR"]
SLUGS = ["model", "distributed", "portable", "concrete", "machine"]


def chip(window: Window, name: str, lane: str = "compute") -> Locator:
    """The chip of a group in the lanes of a kind, in the first phase that has it."""
    rows = window.page.locator(".matrix tbody tr").filter(has=window.page.locator(f"th small:text-is('{lane}')"))
    return rows.locator(".chip").filter(has_text=re.compile(f"^{re.escape(name)}$")).first


# Slots --------------------------------------------------------------------------------------------------------------


def test_five_slots_stand_in_canonical_order_and_the_empty_ones_say_why(show: Show, training: Path) -> None:
    window = show(training)
    assert window.texts(".slot-card h3") == TITLES
    assert window.texts(".chain li.slot b") == TITLES
    empty = window.page.locator(".slot-card.unavailable")
    expect(empty).to_have_count(2)
    expect(empty.first).to_contain_text("the request names no target")
    window.go("#/stage/concrete")
    expect(window.page.locator("main h1")).to_have_text("ConcretePlanIR")
    expect(window.page.locator("main .question")).to_contain_text("which device")
    expect(window.page.get_by_role("alert")).to_contain_text("Unavailable. the request names no target")
    expect(window.page.locator(".matrix")).to_have_count(0)


@pytest.mark.parametrize("slot", range(5))
def test_each_slot_can_be_the_one_that_is_missing(slot: int, show: Show, five: Path, tmp_path: Path) -> None:
    altered = Altered(five.read_text())
    altered.index["stages"][slot] |= {"unavailable": "its bytes were lost", "digest": "", "groups": []}
    file = tmp_path / "page.html"
    file.write_text(altered.whole())
    window = show(file)
    assert window.texts(".slot-card.unavailable h3") == [TITLES[slot]]
    expect(window.page.locator(".slot-card.unavailable")).to_contain_text("its bytes were lost")
    window.go(f"#/stage/{SLUGS[slot]}")
    expect(window.page.get_by_role("alert")).to_contain_text("its bytes were lost")


def test_all_five_stages_are_shown_where_a_bundle_has_them(show: Show, five: Path) -> None:
    window = show(five)
    expect(window.page.locator(".slot-card.unavailable")).to_have_count(0)
    expect(window.page.locator(".chain .arrow a")).to_have_count(5)
    for name, title in zip(SLUGS, TITLES, strict=True):
        window.go(f"#/stage/{name}")
        expect(window.page.locator("main h1")).to_have_text(title)
        expect(window.page.locator(".chip").first).to_be_visible()


def test_the_branches_of_inference_share_one_model(show: Show, inference: Path) -> None:
    window = show(inference)
    assert window.texts(".chain .branch") == ["prefill", "final-decode"]
    links = window.page.locator(".chain li.slot a")
    addresses = [link.get_attribute("href") for link in links.all()]
    assert addresses[0] == addresses[5] == "#/stage/model"
    assert addresses[1] != addresses[6]
    links.nth(6).click()
    expect(window.page.locator("main h1")).to_contain_text("final-decode")


def test_the_statement_stands_directly_under_the_verdict(show: Show, training: Path, five: Path) -> None:
    for page in (training, five):
        window = show(page)
        bindings = Altered(page.read_text()).index["bindings"]
        assert window.page.locator("main > *").nth(0).locator("h1").inner_text().strip() == "Verified"
        statement = window.page.locator("main > *").nth(1)
        assert statement.inner_text().startswith("Statement this derivation follows from")
        assert window.texts(".statement dt") == [each["title"] for each in bindings]
        assert [text.split("\n") for text in window.texts(".statement dd")] == [
            [f"{fact['name']} {shown(fact['value'])}" for fact in each["facts"]] for each in bindings
        ]


def shown(value: str) -> str:
    return f"{int(value):,}" if value.isdigit() else value


def test_totals_say_what_they_are_for_and_in_which_unit(show: Show, training: Path) -> None:
    window = show(training)
    totals = window.page.get_by_label("Totals", exact=True)
    expect(totals.locator("h2")).to_have_text("Totals for one block and one microbatch")
    rows = totals.get_by_role("table", name="memory of one rank").locator("tr")
    names = [each.inner_text() for each in rows.locator("th").all()]
    assert names[0] == "parameters, in elements"
    assert names[-1] == "in all, in bytes"
    assert all(name.endswith(", in bytes") for name in names[1:])
    larger = [each.locator(".aside-value").count() for each in rows.all()]
    # Parameters are no bytes, and of a checkpoint that is not kept there is nothing to say in larger units.
    assert [name for name, count in zip(names, larger, strict=True) if not count] == [
        "parameters, in elements",
        "checkpoint, in bytes",
    ]


def test_the_memory_of_a_device_stands_in_larger_units(show: Show, training: Path, tmp_path: Path) -> None:
    altered = Altered(training.read_text())
    (deployment,) = [each for each in altered.index["bindings"] if each["title"] == "deployment"]
    deployment["facts"] = [{"name": "device_memory", "value": str(80 * 2**30)}]
    file = tmp_path / "deployed.html"
    file.write_text(altered.whole())
    expect(show(file).page.locator(".statement")).to_contain_text("device_memory 85,899,345,920 80.00 GiB")


# What a stage says --------------------------------------------------------------------------------------------------


def test_a_stage_says_its_question_its_result_and_what_it_leaves_to_others(show: Show, training: Path) -> None:
    window = show(training, "#/stage/portable")
    index = Altered(training.read_text()).stage("portable")
    expect(window.page.locator("main .question")).to_have_text(index["question"])
    sections = window.page.locator(".columns section")
    expect(sections.nth(0)).to_contain_text("60 tasks")
    expect(sections.nth(1)).to_contain_text(index["beyond"])
    made = window.page.locator("main .made")
    expect(made).to_contain_text(index["digest"])
    made.get_by_role("link", name="DistributedTaskIR → PortablePlanIR").click()
    assert window.address == "#/boundary/2"


def test_both_texts_of_every_stage_are_read_only_and_whole(show: Show, five: Path) -> None:
    altered = Altered(five.read_text())
    window = show(five)
    for stage, form in itertools.product(SLUGS, ("short", "detail")):
        listed = altered.stage(stage)[form]
        rows = altered.rows(listed)
        window.go(f"#/stage/{stage}?view={form}")
        window.page.evaluate("scrollTo(0, 0)")
        expect(window.page.locator(".code code").first).to_have_text(wording(rows[0][1]))
        expect(window.page.locator("main .count")).to_contain_text(f"{listed['count']:,} lines")
        expect(window.page.locator(".code :is(input, textarea, [contenteditable])")).to_have_count(0)
        # The last line is there, too, at the end of the scroll.
        window.page.wait_for_function(TO_THE_END, arg=f".line[data-row='{listed['count'] - 1}'] code")
        expect(window.page.locator(".code code").last).to_have_text(wording(rows[-1][1]))


TO_THE_END = """(last) => {
    scrollTo(0, document.documentElement.scrollHeight)
    return document.querySelector(last) !== null
}"""
"""Scroll down, again and again as long as lines are measured."""


def wording(parts: list[Any]) -> str:
    return "".join(part if isinstance(part, str) else wording(part["parts"]) for part in parts)


# The matrix ---------------------------------------------------------------------------------------------------------


def lanes(window: Window, stage: str) -> tuple[list[str], list[str]]:
    window.go(f"#/stage/{stage}")
    expect(window.page.locator(f".chain a[href='#/stage/{stage}']")).to_have_attribute("aria-current", "page")
    return window.texts(".matrix thead th"), window.texts(".matrix tbody th")


def test_distributed_and_portable_have_the_same_lanes_and_phases(show: Show, training: Path) -> None:
    window = show(training)
    distributed, portable = lanes(window, "distributed"), lanes(window, "portable")
    assert distributed == portable
    assert distributed[0][:2] == ["lane", "forward"]
    assert {"attention compute", "MLP compute", "attention collective"} <= set(distributed[1])


def test_an_entity_stands_in_its_phase_and_lane_and_missing_combinations_stay_empty(show: Show, training: Path) -> None:
    window = show(training, "#/stage/distributed")
    columns = window.texts(".matrix thead th")
    row = window.page.locator(".matrix tbody tr").filter(has_text="MLP compute")
    assert row.locator("td").nth(columns.index("forward") - 1).locator(".chip").all_inner_texts() == [
        "up_projection",
        "activation",
        "down_projection",
        "mlp_dropout",
    ]
    empty = row.locator("td").nth(columns.index("recommunication") - 1)
    assert empty.inner_text() == ""
    assert empty.get_attribute("aria-label") == "MLP, compute, recommunication: empty"


def test_dependencies_are_subdued_and_hovering_lights_direct_neighbours_only(show: Show, training: Path) -> None:
    window = show(training, "#/stage/distributed")
    faint = window.page.locator(".edges-all")
    expect(faint).to_have_attribute("d", re.compile("^.{1000}"))
    assert float(faint.evaluate("(path) => getComputedStyle(path).opacity")) <= 0.15
    assert window.page.locator(".edges-some").get_attribute("d") in {None, ""}
    stage = Altered(training.read_text()).stage("distributed")
    chosen = chip(window, "up_projection")
    position = int(chosen.get_attribute("data-group") or "-1")
    neighbours = stage["groups"][position]["neighbours"]
    assert 0 < len(neighbours) < 12
    chosen.hover()
    lit = window.page.locator(".matrix .lit")
    expect(lit).to_have_count(len(neighbours))
    assert sorted(int(each.get_attribute("data-group") or "-1") for each in lit.all()) == sorted(neighbours)
    lines = re.compile("^" + "[^M]*M[^M]*" * len(neighbours) + "$")
    expect(window.page.locator(".edges-some")).to_have_attribute("d", lines)
    window.page.locator("main h1").hover()
    expect(lit).to_have_count(0)


def test_the_matrix_lights_the_wrong_entity(show: Show, refuted: Path) -> None:
    window = show(refuted, "#/stage/portable")
    wrong = window.page.locator(".chip.wrong")
    expect(wrong).to_have_count(1)
    assert wrong.get_attribute("aria-label") == "up_projection, 1 entity, refuted"
    expect(wrong.locator("svg")).to_be_visible()


# Expansion ----------------------------------------------------------------------------------------------------------


def crowded(training: Path, count: int) -> str:
    """The page with a group of this many entities, all named alike but for their numbers."""
    altered = Altered(training.read_text())
    stage = altered.stage("distributed")
    rows, entities = altered.rows(stage["names"]), altered.rows(stage["entities"])
    group = rows[0][3]
    for number in range(count):
        rows.append([f"value#{1000 + number}", f"b{number}.crowd", f"value:{number:064x}", group])
        entities.append(entities[0])
    altered.put(stage["names"], rows)
    altered.put(stage["entities"], entities)
    stage["groups"][group] |= {"count": count + 1, "entity": -1}
    return altered.whole()


def test_a_group_opens_at_most_a_thousand_entities_and_announces_the_cut(
    show: Show, training: Path, tmp_path: Path
) -> None:
    file = tmp_path / "crowd.html"
    file.write_text(crowded(training, 4000))
    window = show(file, "#/stage/distributed")
    window.page.locator(".chip small").first.click()
    expect(window.page.locator("aside .cut")).to_contain_text("The first 1,000 of 4,001 entities")
    expect(window.page.locator("aside [data-entity]")).to_have_count(1000)
    assert window.page.evaluate("document.querySelectorAll('*').length") < 8000


def test_the_thousand_and_first_hit_of_a_search_is_announced_and_not_shown(
    show: Show, training: Path, tmp_path: Path
) -> None:
    file = tmp_path / "crowd.html"
    file.write_text(crowded(training, 1001))
    window = show(file, "#/stage/distributed")
    window.page.locator("#search").fill(".crowd")
    expect(window.page.locator("aside .cut")).to_contain_text("The first 1,000 of 1,001 entities")
    expect(window.page.locator("aside [data-entity]")).to_have_count(1000)
    expect(window.page.locator("aside")).not_to_contain_text("b1000.crowd")
    window.page.locator("#search").fill("b1000.crowd")
    expect(window.page.locator("aside [data-entity]")).to_have_count(1)
    expect(window.page.locator("aside .cut")).to_have_count(0)
    window.go("#/search?q=.crowd")
    expect(window.page.locator("main .cut")).to_contain_text("The first 1,000 of 1,001 entities")


def test_search_finds_by_alias_by_name_and_by_id(show: Show, training: Path) -> None:
    altered = Altered(training.read_text())
    rows = altered.rows(altered.stage("portable")["names"])
    alias, name, identifier, _ = next(row for row in rows if row[1] == "up_projection.weight.forward")
    window = show(training, "#/stage/portable")
    for text in (alias, name, identifier):
        window.page.locator("#search").fill(text)
        expect(window.page.locator("aside h2")).to_have_text(f"“{text}”")
        expect(window.page.locator("aside [data-entity]").filter(has_text=name).first).to_be_visible()


def test_hovering_an_entry_of_a_list_lights_its_neighbours(show: Show, training: Path) -> None:
    window = show(training, f"#/stage/portable?q={WRONG}")
    altered = Altered(training.read_text())
    stage = altered.stage("portable")
    names, entities = altered.rows(stage["names"]), altered.rows(stage["entities"])
    position = next(at for at, row in enumerate(names) if row[1] == WRONG and row[2].startswith("task:"))
    touching = {names[at][3] for at in entities[position]["before"] + entities[position]["after"]}
    window.page.locator(f"aside [data-entity='{position}']").hover()
    lit = window.page.locator(".matrix .lit")
    expect(lit).to_have_count(len(touching))
    assert {int(each.get_attribute("data-group") or "-1") for each in lit.all()} == touching


# The inspector ------------------------------------------------------------------------------------------------------


def test_the_inspector_shows_every_field_and_lineage_both_ways(show: Show, training: Path) -> None:
    altered = Altered(training.read_text())
    stage = altered.stage("distributed")
    names, entities = altered.rows(stage["names"]), altered.rows(stage["entities"])
    position = next(at for at, row in enumerate(names) if row[1] == WRONG and row[2].startswith("task:"))
    entity = entities[position]
    window = show(training, f"#/stage/distributed/e/{position}")
    aside = window.page.locator("aside")
    expect(aside.locator(".ids")).to_contain_text(entity["id"])
    fields = aside.get_by_role("table", name="Fields")
    assert fields.locator("th").all_inner_texts() == [fact["name"] for fact in entity["fields"]]
    expect(aside.get_by_role("table", name="Lineage")).to_contain_text("training.mlp")
    before = aside.locator("h3:has-text('Reads or waits for') + ul a, h3:has-text('Reads or waits for') ~ ul >> nth=0")
    expect(before.first).to_be_visible()
    assert len(entity["made_by"]) == len(entity["used_by"]) == 1
    aside.get_by_role("link", name="of DistributedTaskIR → PortablePlanIR").click()
    expect(aside.locator("h2")).to_contain_text("planning.task")
    window.page.go_back()
    aside.get_by_role("link", name="of ModelIR → DistributedTaskIR").click()
    expect(aside.locator("h2")).to_contain_text("training.mlp")


def test_neighbours_beyond_those_of_the_page_are_counted(show: Show, training: Path, tmp_path: Path) -> None:
    altered = Altered(training.read_text())
    stage = altered.stage("distributed")
    entities = altered.rows(stage["entities"])
    links = [[1, at % 3] for at in range(1000)]
    entities[0] |= {"before": [1, 2] * 500, "after": [3], "used_by": links, "counts": [4304, 1, 1, 1500]}
    altered.put(stage["entities"], entities)
    file = tmp_path / "many.html"
    file.write_text(altered.whole())
    aside = show(file, "#/stage/distributed/e/0").page.locator("aside")
    expect(aside.locator("h3", has_text="Reads or waits for")).to_have_text("Reads or waits for 4,304")
    expect(aside.get_by_text("and 1,460 more relations")).to_be_visible()
    aside.get_by_role("button", name="First 1,000 of 4,304 entities").click()
    expect(aside.get_by_text("and 3,304 more, which the bundle holds")).to_be_visible()
    expect(aside.locator("h3", has_text="Is read or waited for by")).to_have_text("Is read or waited for by 1")
