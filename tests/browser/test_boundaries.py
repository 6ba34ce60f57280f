"""A boundary: its lowering table, what is accounted for, its rules and claims, and the evidence of each."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from blueprint.outcome import Report
from blueprint.verification import verify
from tests.browser.altered import Altered
from tests.browser.conftest import WRONG, Show, Window
from tests.browser.test_stages import wording

TO_PORTABLE = 2
"""The position of the boundary before the portable plan."""


def bodies(window: Window) -> Locator:
    """The relations that are mounted."""
    return window.page.locator(".lowering tbody[data-row]:has(td[rowspan])")


def tiles(window: Window) -> dict[str, str]:
    """The counts of a boundary by their names."""
    found = {}
    for tile in window.page.locator(".tiles li:has(span)").all():
        value, name = tile.locator("b").inner_text(), tile.locator("span").inner_text()
        found[name] = value
    return found


# The table ----------------------------------------------------------------------------------------------------------


def test_the_default_is_a_table_of_source_pass_and_target(show: Show, training: Path) -> None:
    altered = Altered(training.read_text())
    boundary = altered.index["boundaries"][1]
    rows = altered.rows(boundary["relations"])
    window = show(training, "#/boundary/1")
    assert window.texts(".lowering thead th") == ["Source", "Pass", "Target"]
    expect(window.page.locator(".lowering")).to_have_attribute("aria-rowcount", str(len(rows) + 1))
    many = next(at for at, row in enumerate(rows) if len(row["targets"]) > 1)
    body = bodies(window).nth(many)
    groups = len(rows[many]["targets"])
    expect(body.locator("tr")).to_have_count(groups)
    cells = body.locator("tr").first.locator("td")
    assert [cells.nth(at).get_attribute("rowspan") for at in range(3)] == [str(groups), str(groups), None]
    expect(cells.nth(0).locator(".span-outer")).to_have_text(wording(rows[many]["source"]["parts"]))
    expect(cells.nth(1).locator(".span-outer")).to_have_text(wording(rows[many]["passed"]["parts"]))
    for at, group in enumerate(rows[many]["targets"]):
        target = body.locator("tr").nth(at).locator("td").last
        expect(target.locator(".span-outer")).to_have_text(wording(group["expression"]["parts"]))


def test_pass_reads_rule_relation_and_cardinality_with_signature_and_rewrite_under_it(
    show: Show, training: Path
) -> None:
    altered = Altered(training.read_text())
    boundary = altered.index["boundaries"][TO_PORTABLE]
    relation = altered.rows(boundary["relations"])[0]
    rule = boundary["rules"][relation["rule"]]
    window = show(training, f"#/boundary/{TO_PORTABLE}")
    cell = bodies(window).first.locator("td").nth(1)
    expect(cell.locator(".span-outer")).to_contain_text(f"{boundary['name']}.{rule['id']}(")
    expect(cell.locator(".span-outer")).to_contain_text("relation=")
    expect(cell.locator(".span-outer")).to_contain_text("cardinality=1")
    expect(cell.locator(".support")).to_contain_text(rule["signature"])
    expect(cell.locator(".support")).to_contain_text(rule["rewrite"])


def test_spans_are_nested_and_their_decoration_follows_the_text(show: Show, training: Path) -> None:
    window = show(training, f"#/boundary/{TO_PORTABLE}", size=(1000, 900))
    outer = bodies(window).first.locator("td").last.locator(".span-outer")
    assert outer.locator(".span").count() >= 2
    for span in [outer, outer.locator(".span").first]:
        style = span.evaluate("(e) => [getComputedStyle(e).boxDecorationBreak, getComputedStyle(e).display]")
        assert style == ["clone", "inline"]
    # Broken over lines, it has a box for each of them and none over the whole cell.
    assert outer.evaluate("(e) => e.getClientRects().length") > 1


def test_colours_have_meanings_that_do_not_rest_on_colour(show: Show, training: Path) -> None:
    window = show(training, "#/boundary/1")
    legend = window.page.locator(".legend .span")
    assert legend.all_inner_texts() == ["structure", "type and shape", "topology", "exact work", "mapping", "name"]
    looks = legend.evaluate_all(
        """(spans) => spans.map((each) => {
            const style = getComputedStyle(each)
            return [style.borderStyle, style.borderBottomWidth, style.borderLeftWidth, style.fontWeight].join(" ")
        })"""
    )
    assert len(set(looks)) == len(looks)


def test_entities_of_an_expression_are_links_into_their_stage(show: Show, training: Path) -> None:
    window = show(training, f"#/boundary/{TO_PORTABLE}")
    bodies(window).first.locator("td").last.locator("a.span").first.click()
    expect(window.page.locator("main h1")).to_have_text("PortablePlanIR")
    expect(window.page.locator("aside .ids")).to_be_visible()


def test_only_what_is_near_the_screen_is_mounted(show: Show, training: Path, tmp_path: Path) -> None:
    altered = Altered(training.read_text())
    listed = altered.index["boundaries"][TO_PORTABLE]["relations"]
    rows = altered.rows(listed)
    many = [{**rows[at % len(rows)], "id": f"relation:{at:064x}"} for at in range(20_000)]
    altered.put(listed, many, at_most=1000)
    file = tmp_path / "many.html"
    file.write_text(altered.whole())
    window = show(file, f"#/boundary/{TO_PORTABLE}")
    expect(bodies(window).first).to_be_visible()
    assert 10 < bodies(window).count() <= 200
    assert window.page.evaluate("document.querySelectorAll('*').length") < 8000
    # A link to a relation far below shows it, among those around it.
    window.go(f"#/boundary/{TO_PORTABLE}/r/relation:{15_000:064x}")
    opened = window.page.locator(".lowering tbody.open")
    expect(opened).to_be_in_viewport()
    expect(opened).to_have_attribute("data-row", "15000")
    assert bodies(window).count() <= 200
    assert window.page.evaluate("document.querySelectorAll('*').length") < 8000


# What is accounted for ----------------------------------------------------------------------------------------------


def test_missing_and_dangling_are_counted_as_the_report_counts_them(show: Show, gaps: Path, gaps_bundle: Path) -> None:
    report = verify(gaps_bundle.read_bytes(), jobs=1)
    coverage = report.transitions[TO_PORTABLE].coverage
    assert (coverage.missing, coverage.dangling, coverage.exact) == ("1", "1", False)
    window = show(gaps, f"#/boundary/{TO_PORTABLE}")
    found = tiles(window)
    assert {name: found[name] for name in ("generated", "missing", "dangling", "undeclared", "mismatched")} == {
        "generated": coverage.generated,
        "missing": "1",
        "dangling": "1",
        "undeclared": coverage.undeclared,
        "mismatched": coverage.mismatched,
    }
    marked = window.page.locator(".tiles li:has(svg)")
    assert [text.split()[-1] for text in marked.all_inner_texts()] == ["missing", "dangling"]
    expect(window.page.locator("main")).to_contain_text("not everything, or not once")
    expect(window.page.locator(".finding-list, main")).not_to_have_count(0)


def test_what_is_there_once_is_said_to_be(show: Show, training: Path) -> None:
    window = show(training, f"#/boundary/{TO_PORTABLE}")
    found = tiles(window)
    assert [found[name] for name in ("generated", "missing", "dangling", "undeclared", "mismatched")] == ["0"] * 5
    assert found["1:1"] == "169"
    expect(window.page.locator(".tiles li:has(svg)")).to_have_count(0)
    expect(window.page.locator("main")).to_contain_text("everything, once")


@pytest.mark.parametrize("boundary", [0, 1, 2])
def test_cardinalities_claims_and_laws_are_those_of_the_report(
    boundary: int, show: Show, training: Path, training_report: Report
) -> None:
    transition = training_report.transitions[boundary]
    window = show(training, f"#/boundary/{boundary}")
    found = tiles(window)
    for cardinality, count in transition.cardinality.items():
        assert found[cardinality] == count
    claims = sum(len(relation.claims) for relation in transition.relations)
    counts = window.page.locator("main .counts")
    expect(counts.first).to_contain_text(f"{claims:,} proved")
    laws = Counter(law.status.value for law in transition.laws)
    shown = counts.nth(1).locator(".status").all_inner_texts()
    assert sorted(shown) == sorted(f"{count} {word}" for word, count in laws.items())


# Filters ------------------------------------------------------------------------------------------------------------


def test_relations_are_chosen_by_rule_by_status_and_by_cardinality(show: Show, refuted: Path) -> None:
    altered = Altered(refuted.read_text())
    boundary = altered.index["boundaries"][TO_PORTABLE]
    rows = altered.rows(boundary["relations"])
    window = show(refuted, f"#/boundary/{TO_PORTABLE}")
    count = window.page.locator(".relations .count")
    expect(count).to_have_text(f"{len(rows)} relations")
    window.page.get_by_label("status").select_option("refuted")
    expect(count).to_have_text(f"1 of {len(rows)} relations")
    expect(bodies(window)).to_have_count(1)
    expect(bodies(window).first).to_contain_text(WRONG)
    assert "status=refuted" in window.address
    window.page.get_by_role("link", name="all relations").click()
    expect(count).to_have_text(f"{len(rows)} relations")
    rule = boundary["rules"][rows[-1]["rule"]]["id"]
    expected = [row for row in rows if boundary["rules"][row["rule"]]["id"] == rule]
    window.page.get_by_label("rule").select_option(rule)
    expect(count).to_have_text(f"{len(expected)} of {len(rows)} relations")
    window.page.get_by_label("cardinality").select_option("1:1")
    expected = [row for row in expected if row["cardinality"] == "1:1"]
    expect(count).to_have_text(f"{len(expected)} of {len(rows)} relations")
    window.reload()
    expect(count).to_have_text(f"{len(expected)} of {len(rows)} relations")


# Evidence -----------------------------------------------------------------------------------------------------------


def test_a_relation_shows_the_evidence_of_every_claim_that_was_executed(show: Show, training: Path) -> None:
    altered = Altered(training.read_text())
    boundary = altered.index["boundaries"][TO_PORTABLE]
    relation = altered.rows(boundary["relations"])[0]
    obligations = altered.rows(altered.index["obligations"])
    window = show(training, f"#/boundary/{TO_PORTABLE}")
    bodies(window).first.locator("a.relation-link").click()
    aside = window.page.locator("aside")
    expect(aside.locator("h2")).to_contain_text(boundary["rules"][relation["rule"]]["id"])
    claims = aside.locator("details.claim")
    expect(claims).to_have_count(len(relation["claims"]) + len(boundary["rules"][relation["rule"]]["laws"]))
    claims.first.locator("summary").click()
    row = obligations[relation["claims"][0]["obligation"]]
    for value in (row["statement"], row["solver"], row["second"], row["digest"]):
        expect(claims.first).to_contain_text(value)
    expect(claims.first.locator("th")).to_contain_text(
        ["asked", "solver", "second decider", "cross-check", "premises used", "decides", "digest"]
    )
    meaning = next(each["value"] for each in altered.index["meanings"] if each["name"] == relation["claims"][0]["kind"])
    expect(claims.first).to_contain_text(meaning)


def test_a_law_stands_in_mathematics_with_its_source_and_its_theorem(show: Show, training: Path) -> None:
    laws = Altered(training.read_text()).index["boundaries"][1]["laws"]
    at = next(at for at, law in enumerate(laws) if law["id"] == "mlp")
    window = show(training, f"#/boundary/1/l/{at}")
    aside = window.page.locator("aside")
    expect(aside.locator("h2")).to_contain_text("mlp")
    expect(aside.locator(".equations")).to_contain_text(laws[at]["equations"][0])
    expect(aside).to_contain_text(laws[at]["source"])
    expect(aside).to_contain_text(laws[at]["theorems"][0])
    expect(aside.locator(".obligation").first).to_be_visible()


def test_raw_mappings_and_the_whole_contract_stand_in_the_audit(show: Show, training: Path) -> None:
    altered = Altered(training.read_text())
    boundary = altered.index["boundaries"][TO_PORTABLE]
    relation = altered.rows(boundary["relations"])[0]
    window = show(training, f"#/boundary/{TO_PORTABLE}/r/0")
    audit = window.page.get_by_role("region", name="Audit")
    expect(audit).to_have_count(0)
    window.page.get_by_role("link", name="Audit").click()
    for fact in boundary["detail"]:
        expect(audit).to_contain_text(fact["value"].splitlines()[0])
    for rule in boundary["rules"]:
        expect(audit).to_contain_text(rule["signature"])
    mapping = window.page.locator("aside details").filter(has_text="Raw mapping")
    mapping.locator("summary").click()
    expect(mapping).to_contain_text(relation["id"])
    for stage, positions in (("distributed", relation["sources"]), ("portable", relation["targets"][0]["entities"])):
        names = altered.rows(altered.stage(stage)["names"])
        expect(mapping).to_contain_text(names[positions[0]][2])


@pytest.mark.parametrize(("form", "title"), [("short", "Short form"), ("detail", "Detailed form")])
def test_both_lowering_forms_state_what_the_pass_promises(form: str, title: str, show: Show, training: Path) -> None:
    boundary = Altered(training.read_text()).index["boundaries"][1]
    window = show(training, "#/boundary/1")
    forms = window.page.get_by_label("Form", exact=True)
    expect(forms.locator("[aria-current]")).to_have_text("Lowering")
    forms.get_by_role("link", name=title).click()
    expect(forms.locator("[aria-current]")).to_have_text(title)
    assert sorted(window.texts(".promises dt")) == sorted(fact["name"] for fact in boundary[form])
    # A digest is cut short, and whole in its title.
    digests = window.page.locator(".promises .digest")
    whole = [fact["value"] for fact in boundary[form] if re.fullmatch("[0-9a-f]{64}", fact["value"])]
    assert digests.evaluate_all("(all) => all.map((each) => each.title)") == whole
    assert digests.all_inner_texts() == [f"{each[:16]}…" for each in whole]
    rules = window.page.get_by_role("region", name="Rules").locator("tbody tr")
    expect(rules).to_have_count(len(boundary["rules"]))
    for at, rule in enumerate(boundary["rules"]):
        expect(rules.nth(at)).to_contain_text(rule["signature"])
        expect(rules.nth(at)).to_contain_text(rule["rewrite"])
    # The detailed form adds what each rule preserves, introduces and forbids, and every relation's claims.
    expect(window.page.locator(".lowering .claims").first).to_be_visible(visible=form == "detail")
    semantics = rules.first.locator(".semantics dt")
    assert semantics.all_inner_texts() == (
        ["lineage", "preserves", "introduces", "forbids"] if form == "detail" else []
    )


def test_the_table_is_seen_without_scrolling(show: Show, training: Path) -> None:
    window = show(training, "#/boundary/1")
    expect(bodies(window).nth(1)).to_be_in_viewport(ratio=1)


def test_an_unknown_form_is_said_not_to_be_there(show: Show, training: Path) -> None:
    window = show(training, "#/boundary/1?form=graph")
    expect(window.page.get_by_role("alert")).to_contain_text("Not in this bundle: form graph")


def test_two_facts_stand_apart_and_a_duration_is_said_not_to_be_recorded(show: Show, training: Path) -> None:
    window = show(training, "#/boundary/1")
    badges = window.texts(".badges li")
    assert badges == ["proved", "relation verified", "canonical-conformant: yes"]
    expect(window.page.get_by_label("Accounted for")).to_contain_text("host duration: not recorded")


def test_an_undeclared_transform_is_evidence_of_lineage_only(show: Show, training: Path, tmp_path: Path) -> None:
    altered = Altered(training.read_text())
    boundary = altered.index["boundaries"][TO_PORTABLE]
    rows = altered.rows(boundary["relations"])
    stray: dict[str, Any] = {
        **rows[-1],
        "rule": -1,
        "id": "",
        "status": "",
        "claims": [],
        "transform": "planning.magic",
    }
    known = boundary["rules"][0]["id"]
    boundary["undeclared"] = True
    # A contract may declare a rule of any name: it hides nothing.
    boundary["rules"].insert(0, {**boundary["rules"][0], "id": "lineage only", "relations": 0})
    for row in rows:
        row["rule"] += 1
    altered.put(boundary["relations"], [*rows, stray, {**stray, "transform": known}, {**rows[-1], "rule": -1}])
    file = tmp_path / "undeclared.html"
    file.write_text(altered.whole())
    window = show(file, f"#/boundary/{TO_PORTABLE}")
    window.page.get_by_label("rule").select_option("lineage only")
    expect(bodies(window)).to_have_count(3)
    cell = bodies(window).nth(1).locator("td").nth(1)
    expect(cell).to_contain_text(f"No examined relation of {known} makes this: evidence of lineage only.")
    cell = bodies(window).nth(2).locator("td").nth(1)
    expect(cell).to_contain_text(f"The contract in the bundle does not declare {rows[-1]['transform']}.")
    expect(cell.locator(".status")).to_have_text("proved")
    cell = bodies(window).first.locator("td").nth(1)
    expect(cell).to_contain_text("No contract declares planning.magic: evidence of lineage only.")
    expect(cell.locator("svg")).to_have_count(0)
    cell.locator("a.relation-link").click()
    expect(window.page.locator("aside")).to_contain_text("evidence of lineage only.")
    expect(window.page.locator("aside details.claim")).to_have_count(0)
