"""Whoever opens the page of a refuted bundle meets the failure first, and reaches everything about it by its links."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from blueprint.exit import ExitCode
from blueprint.ir.common import Stage
from tests.browser.altered import Altered
from tests.browser.conftest import WRONG, Show, explored
from tests.reseal import Draft


def test_the_failure_comes_first_with_entity_rule_law_and_counterexample(show: Show, refuted: Path) -> None:
    window = show(refuted)
    main = window.page.locator("main")
    expect(main.locator("h1")).to_have_text("Refuted")
    assert main.locator("h2").first.inner_text().startswith("What is wrong")
    expect(main.locator("h2").first).to_contain_text("mend this first")
    headings = [text.split()[0] for text in window.texts("main h2")]
    assert headings[:3] == ["What", "Statement", "Stages"]
    expect(main.get_by_label("Statement")).to_contain_text("this derivation should follow from")
    first = main.locator(".first")
    expect(first.locator(".steps dt")).to_contain_text(["entity", "rule", "claim", "law", "law", "counterexample"])
    expect(first.locator(".steps")).to_contain_text(WRONG)
    expect(first.locator(".failed .wrong")).to_have_text("618,475,290,624")
    expect(first.locator(".failed tbody td").nth(1)).to_have_text("309,237,645,312")
    expect(first).to_contain_text("planning.task")
    expect(first).to_contain_text("work-conservation")
    expect(first.get_by_role("table", name="Counterexample")).to_contain_text("309,237,645,312")


def test_one_click_leads_to_the_wrong_entity(show: Show, refuted: Path) -> None:
    window = show(refuted)
    window.page.locator(".first").get_by_role("link", name=WRONG, exact=True).click()
    expect(window.page.locator("main h1")).to_have_text("PortablePlanIR")
    aside = window.page.locator("aside")
    expect(aside.locator("h2")).to_contain_text(WRONG)
    expect(aside.get_by_role("alert").first).to_contain_text("claim.exact_work")
    expect(aside.get_by_role("table", name="Fields")).to_contain_text("618,475,290,624")
    aside.get_by_role("link", name="Rule, law and counterexample").first.click()
    expect(aside.locator("h2")).to_contain_text("planning.task")


def test_one_click_leads_to_rule_law_and_counterexample(show: Show, refuted: Path) -> None:
    window = show(refuted)
    window.page.get_by_role("link", name="Rule, law and counterexample").first.click()
    aside = window.page.locator("aside")
    expect(aside.locator("h2")).to_contain_text("planning.task")
    open_claims = aside.locator("details.claim[open]")
    expect(open_claims.first).to_contain_text("exact_work")
    expect(open_claims.first.locator(".failed .wrong")).to_have_text("618,475,290,624")
    expect(open_claims.first.locator(".counterexample")).to_contain_text("309,237,645,312")
    expect(open_claims.nth(1)).to_contain_text("work-conservation")
    expect(open_claims.nth(1).locator(".equations")).to_be_visible()


def test_the_chain_shows_where_it_breaks(show: Show, refuted: Path) -> None:
    window = show(refuted)
    signs = window.page.locator(".chain .arrow a")
    assert [str(each.get_attribute("aria-label")).rpartition(": ")[2] for each in signs.all()] == [
        "proved",
        "proved",
        "refuted",
    ]
    expect(window.page.locator(".verdict-head")).to_contain_text("Weakest link: DistributedTaskIR → PortablePlanIR")
    signs.nth(2).click()
    expect(window.page.locator("main")).to_contain_text("relations not verified")
    expect(window.page.locator("main")).to_contain_text("canonical-conformant: no")


def test_other_findings_are_counted_and_lead_to_their_laws(show: Show, refuted: Path) -> None:
    index = Altered(refuted.read_text()).index
    window = show(refuted)
    main = window.page.locator("main")
    expect(main.locator("h2").first).to_contain_text(f"1 of {index['findings_total']}")
    main.locator(".findings > details > summary").click()
    others = main.locator(".findings .finding-list > li")
    expect(others).to_have_count(len(index["findings"]) - 1)
    others.filter(has_text="block-forward").first.get_by_role("link", name="Law block-forward").first.click()
    aside = window.page.locator("aside")
    expect(aside.locator("h2")).to_contain_text("block-forward")
    expect(aside.locator(".counterexample").first).to_be_visible()


def test_a_sound_bundle_shows_no_failure(show: Show, training: Path) -> None:
    window = show(training)
    expect(window.page.locator("main h1")).to_have_text("Verified")
    expect(window.page.locator(".first, .wrong, .notice")).to_have_count(0)


def test_the_law_book_says_what_is_proved_for_all_parameters(show: Show, training: Path) -> None:
    index = Altered(training.read_text()).index
    laws = {law["id"]: law for boundary in index["boundaries"] for law in boundary["laws"]}
    window = show(training)
    book = window.page.get_by_label("Law book").locator("tbody tr")
    expect(book).to_have_count(len(laws))
    row = book.filter(has=window.page.locator("th:text-is('mlp')"))
    expect(row).to_contain_text(laws["mlp"]["statement"])
    expect(row.locator("td").last).to_contain_text(laws["mlp"]["theorem"])
    row.locator("summary").click()
    expect(row.locator(".equations")).to_contain_text(laws["mlp"]["equations"][0])


# Where it is wrong ---------------------------------------------------------------------------------------------------


def place_of(page: Path) -> tuple[int, int]:
    """The first finding's entity and relation."""
    first = Altered(page.read_text()).index["findings"][0]
    return first["entity"], first["relation"]


def middle(locator: Locator) -> float:
    """How far down the screen something lies, of the screen's height."""
    expect(locator).to_be_in_viewport()
    return float(locator.evaluate("(e) => (e.getBoundingClientRect().top + e.offsetHeight / 2) / innerHeight"))


def test_every_form_of_the_stage_leads_to_what_is_wrong(show: Show, refuted: Path) -> None:
    window = show(refuted)
    for view in ("", "?view=short", "?view=detail"):
        window.go(f"#/stage/portable{view}")
        jump = window.page.locator(".wrong-here")
        expect(jump).to_contain_text("1 refuted here")
        jump.get_by_role("link", name=WRONG).click()
        expect(window.page.locator("aside h2")).to_contain_text(WRONG)
    window.go("#/stage/distributed")
    expect(window.page.locator("main h1")).to_have_text("DistributedTaskIR")
    expect(window.page.locator(".wrong-here")).to_have_count(0)


def test_the_short_text_and_the_search_mark_what_is_wrong(show: Show, refuted: Path) -> None:
    window = show(refuted, "#/stage/portable?view=short")
    line = window.page.locator(".line.wrong")
    expect(line).to_have_count(1)
    expect(line).to_contain_text("ops=618475290624")
    expect(line.locator("svg.tone-bad")).to_have_count(1)
    for address, kind in (("#/search", "main"), ("#/stage/portable", "aside")):
        window.go(f"{address}?q={WRONG}")
        hits = window.page.locator(f"{kind} [data-entry]")
        expect(hits.filter(has_text="refuted")).to_have_count(1)
        expect(hits.filter(has_text="refuted").locator("svg.tone-bad")).to_have_count(1)
        assert hits.count() > 1


@pytest.mark.parametrize("size", [(1280, 900), (640, 450)])
def test_a_number_is_never_broken(size: tuple[int, int], show: Show, refuted: Path) -> None:
    window = show(refuted, f"#/boundary/2/r/{place_of(refuted)[1]}", size=size)
    table = window.page.locator("aside .failed")
    for text in ("618,475,290,624", "309,237,645,312"):
        number = table.locator(".number", has_text=text)
        assert number.evaluate("(e) => getComputedStyle(e).whiteSpace") == "nowrap"
        assert number.evaluate("(e) => e.getClientRects().length") == 1
    # In a narrow place the values stand in rows, each after what it is.
    rows = table.locator("tbody td").evaluate_all("(all) => all.map((e) => getComputedStyle(e, '::before').content)")
    stacked = table.evaluate("(e) => e.parentElement.clientWidth <= 600")
    assert rows == (['"found"', '"expected"', '"because"'] if stacked else ["none"] * 3)
    parameters = window.page.locator("aside .expression .span-work")
    assert parameters.evaluate_all("(all) => all.map((e) => e.getClientRects().length)") == [1] * parameters.count()


def test_the_wrong_field_stands_first_with_what_is_expected(show: Show, refuted: Path) -> None:
    window = show(refuted, f"#/stage/portable/e/{place_of(refuted)[0]}")
    aside = window.page.locator("aside")
    first = aside.get_by_role("table", name="Fields").locator("tr").first
    expect(first).to_contain_text("work.operations")
    expect(first).to_contain_text("618,475,290,624")
    expect(first.locator(".expected")).to_have_text("expected 309,237,645,312")
    alert = aside.get_by_role("alert").first
    expect(alert.locator("svg.tone-bad")).to_have_count(1)
    expect(alert).to_contain_text("is 618,475,290,624, should be 309,237,645,312")


def test_a_relation_marks_its_wrong_target_and_ends_its_counterexample(show: Show, refuted: Path) -> None:
    window = show(refuted, f"#/boundary/2/r/{place_of(refuted)[1]}")
    aside = window.page.locator("aside")
    expect(aside.locator(".wrong-sign")).to_have_count(1)
    expect(window.page.locator(".lowering .wrong-sign")).to_have_count(1)
    expect(window.page.locator(".lowering tbody.open .wrong-sign")).to_have_count(1)
    claim = aside.locator("details.claim[open]").first
    expect(claim.locator(".gives")).to_have_text("gives 309,237,645,312, found 618,475,290,624")
    # Its hypotheses hold at the very same values: they are shown once.
    expect(claim.get_by_role("table", name="Witness")).to_have_count(0)


def test_a_linked_entity_and_a_linked_relation_are_in_the_middle(show: Show, refuted: Path) -> None:
    entity, relation = place_of(refuted)
    window = show(refuted, f"#/stage/portable/e/{entity}")
    chip = window.page.locator(".chip[aria-pressed='true']")
    expect(chip).to_have_count(1)
    assert 0.3 < middle(chip) < 0.7
    # Its dependencies stay lit while it is open.
    window.page.locator("aside h2").hover()
    expect(window.page.locator(".edges-some")).to_have_attribute("d", re.compile("M"))
    window.go(f"#/boundary/2/r/{relation}")
    row = window.page.locator(".lowering tbody.open")
    assert 0.3 < middle(row) < 0.7


def test_a_chip_that_is_opened_stays_where_it_is(show: Show, refuted: Path) -> None:
    window = show(refuted, "#/stage/portable")
    expect(window.page.locator(".board")).to_have_class("board fits")
    chip = window.page.locator(".chip.wrong")
    chip.scroll_into_view_if_needed()
    window.rest()
    top = "(chip) => chip.getBoundingClientRect().top"
    before = chip.evaluate(top)
    chip.click()
    expect(window.page.locator("aside h2")).to_contain_text(WRONG)
    window.rest()
    assert abs(chip.evaluate(top) - before) < 2


def test_a_matrix_that_does_not_fit_keeps_its_corner(show: Show, refuted: Path) -> None:
    window = show(refuted, "#/stage/portable", size=(640, 450))
    board = window.page.locator(".board")
    expect(board).to_have_class("board")
    board.evaluate("(board) => { board.scrollIntoView(); board.scrollLeft = 300; board.scrollTop = 300 }")
    corner = board.locator("thead th").first
    assert board.evaluate("(board) => board.scrollLeft") > 0
    seen = corner.evaluate(
        """(corner) => {
            const { left, top } = corner.getBoundingClientRect()
            return corner.contains(document.elementFromPoint(left + 10, top + 10))
        }"""
    )
    assert seen


def test_the_boundary_counts_its_laws_and_lists_the_refuted_first(show: Show, refuted: Path) -> None:
    laws = Altered(refuted.read_text()).index["boundaries"][2]["laws"]
    wrong = [law for law in laws if law["status"] == "refuted"]
    window = show(refuted, "#/boundary/2?form=laws")
    expect(window.page.locator("main .law-counts")).to_contain_text(f"{len(wrong)} refuted")
    words = window.texts(".laws tbody .status")
    assert words[: len(wrong)] == ["refuted"] * len(wrong)
    assert len(words) == len(laws)
    window.page.locator(".laws a").first.click()
    # The values that are wrong stand before the law's formulae.
    aside = window.page.locator("aside")
    expect(aside.locator("h2 + .notice.refutes")).to_contain_text("should be")
    expect(aside.get_by_role("table", name="Theorems")).to_be_hidden()


def test_a_bundle_that_its_record_alone_refutes_says_so(show: Show, misrecorded: Path) -> None:
    index = Altered(misrecorded.read_text()).index
    assert [finding["code"] for finding in index["findings"]] == ["report.mismatch"]
    window = show(misrecorded)
    found = window.page.locator(".verdict-head .found")
    expect(found).to_have_text("1 finding: the recorded report differs; all claims and laws are established")
    signs = window.page.locator(".chain .arrow a")
    assert [str(each.get_attribute("aria-label")).rpartition(": ")[2] for each in signs.all()] == [
        "proved",
        "proved",
        "differs",
    ]
    table = window.page.get_by_label("Boundaries", exact=True)
    assert table.locator("tbody tr td:nth-child(2)").all_inner_texts() == ["proved", "proved", "differs"]
    signs.nth(2).click()
    expect(window.page.locator(".badges li").first).to_have_text("differs")


def test_what_was_not_examined_is_not_called_established(show: Show, training_bundle: Path, tmp_path: Path) -> None:
    draft = Draft(training_bundle.read_bytes())
    draft.snapshot(Stage.PORTABLE)["tasks"].reverse()
    bundle = tmp_path / "turned.json"
    bundle.write_bytes(draft.raw())
    page = explored(bundle, code=ExitCode.REFUTED)
    counts = {each["word"]: each["count"] for each in Altered(page.read_text()).index["counts"]}
    assert {word for word, count in counts.items() if count != "0"} <= {"proved", "not-applicable"}
    window = show(page)
    expect(window.page.locator(".verdict-head .found")).to_contain_text("to mend")
    expect(window.page.locator(".verdict-head .found")).not_to_contain_text("established")


def test_findings_of_a_later_boundary_say_that_they_may_follow(show: Show, refuted: Path, tmp_path: Path) -> None:
    altered = Altered(refuted.read_text())
    first, second = altered.index["findings"][:2]
    first |= {"boundary": 1, "stage": 1, "entity": -1, "relation": -1}
    second |= {"weight": "later"}
    altered.index["findings"] = [first, second]
    altered.index["totals_of_findings"]["boundaries"] = [{"count": 1, "word": "refuted"}] * 3
    file = tmp_path / "later.html"
    file.write_text(altered.whole())
    window = show(file, "#/boundary/2")
    follow = window.page.locator(".follow")
    expect(follow.get_by_role("link")).to_have_text("ModelIR → DistributedTaskIR")
    follow.get_by_role("link").click()
    expect(window.page.locator("main h1")).to_contain_text("DistributeTransformerTrainingPass")
    expect(window.page.locator(".follow")).to_have_count(0)


def test_findings_beyond_those_that_are_listed_are_counted_and_seen(show: Show, training: Path, tmp_path: Path) -> None:
    """Only the first findings stand on a page; no boundary and no entity is good for lying behind them."""
    altered = Altered(training.read_text())
    place = {"relation": -1, "law": -1, "entity": 0, "stage": 1, "boundary": 1, "path": "distributed/x"}
    words = {"code": "claim.local_shape", "message": "wrong", "meaning": "", "weight": "first", "refutes": True}
    altered.index |= {"verdict": "refuted", "findings": [place | words] * 200, "findings_total": 1304}
    altered.index["totals_of_findings"] = {
        "first": 1300,
        "later": 3,
        "bytes": 1,
        "boundaries": [
            {"count": 0, "word": ""},
            {"count": 1300, "word": "refuted"},
            {"count": 4, "word": "refuted"},
        ],
        "refuted": [[], [0], [1, 2, 5, 6]],
    }
    file = tmp_path / "beyond.html"
    file.write_text(altered.whole())
    window = show(file)
    expect(window.page.locator(".verdict-head .found")).to_contain_text(
        "1,304 findings: 1,300 to mend; 3 of later stages, which may follow; 1 of digests, replay and records"
    )
    signs = window.page.locator(".chain .arrow a").all()
    assert [str(each.get_attribute("aria-label")).rpartition(": ")[2] for each in signs] == [
        "proved",
        "refuted",
        "refuted",
    ]
    window.go("#/stage/portable")
    expect(window.page.locator(".wrong-here")).to_contain_text("4 refuted here:")
    window.go("#/boundary/2")
    expect(window.page.locator(".badges li").first).to_have_text("refuted")
    here = window.page.get_by_label("Findings here")
    expect(here).to_contain_text("0 of 4 findings here stand on this page; the report has them all.")
    window.go("#/boundary/1")
    expect(here).to_contain_text("200 of 1,300 findings here stand on this page; the report has them all.")


def test_where_nothing_was_asked_nothing_is_said_to_be_established(show: Show, training: Path, tmp_path: Path) -> None:
    altered = Altered(training.read_text())
    finding = {"relation": -1, "law": -1, "entity": -1, "stage": 0, "boundary": 0, "path": "model"}
    words = {"code": "structure.ssa", "message": "wrong", "meaning": "", "weight": "first", "refutes": True}
    altered.index |= {"verdict": "refuted", "findings": [finding | words], "findings_total": 1}
    altered.index["totals_of_findings"] |= {"first": 1}
    for count in altered.index["counts"]:
        count["count"] = "0"
    file = tmp_path / "nothing.html"
    file.write_text(altered.whole())
    expect(show(file).page.locator(".verdict-head .found")).to_have_text("1 finding: 1 to mend")


def test_what_was_not_examined_is_not_said_to_have_no_laws(folder: Path, show: Show, training_bundle: Path) -> None:
    """A model without operations: nothing after it can be held against it."""
    draft = Draft(training_bundle.read_bytes())
    draft.snapshot(Stage.MODEL)["operations"] = []
    bundle = folder / "nothing-examined.json"
    bundle.write_bytes(draft.sealed())
    window = show(explored(bundle, code=ExitCode.REFUTED))
    expect(window.page.get_by_label("Law book")).to_contain_text("no law was examined")
    rows = window.page.get_by_label("Boundaries", exact=True).locator("tbody tr")
    assert rows.locator("td:nth-child(2)").all_inner_texts() == ["not-run"] * 3
    assert rows.locator("td:nth-child(7)").all_inner_texts() == ["not examined"] * 3
    window.go("#/boundary/2?form=laws")
    expect(window.page.get_by_label("Laws", exact=True)).to_contain_text("not examined")
    expect(window.page.locator(".law-counts")).to_contain_text("not examined")
    expect(window.page.get_by_label("Accounted for")).to_contain_text("Accounted for: not examined")
