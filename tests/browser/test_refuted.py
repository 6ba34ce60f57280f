"""Whoever opens the page of a refuted bundle meets the failure first, and reaches everything about it by its links."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.altered import Altered
from tests.browser.conftest import WRONG, Show


def test_the_failure_comes_first_with_entity_rule_law_and_counterexample(show: Show, refuted: Path) -> None:
    window = show(refuted)
    main = window.page.locator("main")
    expect(main.locator("h1")).to_have_text("Refuted")
    assert main.locator("h2").first.inner_text().startswith("What is wrong")
    expect(main.locator("h2").first).to_contain_text("mend this first")
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
    window.page.get_by_role("link", name="The entity").first.click()
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
