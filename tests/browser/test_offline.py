"""The page needs nothing, asks for nothing, and nothing that it shows can make it ask."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.altered import Altered
from tests.browser.conftest import Show

VIEWS = (
    "#/",
    "#/stage/model",
    "#/stage/distributed",
    "#/stage/portable?view=short",
    "#/stage/portable?view=detail",
    "#/stage/portable?q=norm&ov=0",
    "#/stage/distributed/e/3",
    "#/stage/machine",
    "#/boundary/0",
    "#/boundary/1?form=detail",
    "#/boundary/2/r/1",
    "#/boundary/1/l/0",
    "#/evidence/0",
    "#/search?q=norm",
)


def test_every_view_of_a_page_makes_one_request_for_the_file_itself(show: Show, training: Path) -> None:
    window = show(training)
    for view in VIEWS:
        window.go(view)
        expect(window.page.locator("main h1")).to_be_visible()
    assert window.requests == [training.as_uri()]


def test_nothing_on_the_page_changes_the_derivation(show: Show, training: Path) -> None:
    data = "[...document.querySelectorAll('script')].map((each) => each.textContent).join('')"
    window = show(training)
    before = window.page.evaluate(data)
    names = set()
    for view in VIEWS:
        window.go(view)
        controls = window.page.locator("input, textarea, select, [contenteditable], button:not(.chip)")
        names |= set(controls.evaluate_all("(all) => all.map((each) => each.labels?.[0]?.innerText ?? each.innerText)"))
    # Search, overlays, filters, theme, help: ways to look, and nothing that steps, edits, lowers or compares.
    kinds = {name.split()[0] if name else "search" for name in names}
    assert kinds == {"search", "blueprint.roofline,", "rule", "status", "cardinality", "Dark", "?", "Close"}
    assert window.page.evaluate(data) == before


def test_the_policy_stops_what_is_smuggled_in(show: Show, training: Path) -> None:
    window = show(training)
    stopped: list[tuple[str, str | None]] = []
    window.page.on("requestfailed", lambda request: stopped.append((request.url, request.failure)))
    outcome = window.page.evaluate(
        """async () => {
            const image = document.createElement("img")
            image.src = "https://example.invalid/a.png"
            document.body.append(image)
            const script = document.createElement("script")
            let typed = "allowed"
            try { script.text = "window.smuggled = 1" } catch (error) { typed = error.name }
            document.body.append(script)
            let html = "allowed"
            try { document.body.innerHTML = "<b>x</b>" } catch (error) { html = error.name }
            const fetched = await fetch("https://example.invalid/").then(() => "allowed", (error) => error.name)
            return [typed, html, fetched, String(window.smuggled)]
        }"""
    )
    assert outcome == ["TypeError", "TypeError", "TypeError", "undefined"]
    # The browser tells of an image that it then does not ask for, and of nothing else.
    assert stopped == [("https://example.invalid/a.png", "csp")]
    assert window.requests == [training.as_uri(), "https://example.invalid/a.png"]
    assert len(window.complaints) >= 3
    assert all("Content Security Policy" in each or "Trusted" in each for each in window.complaints)
    window.requests.pop()
    window.complaints.clear()


def test_the_verdict_stands_in_the_page_with_scripts_off(show: Show, refuted: Path) -> None:
    window = show(refuted, ready=False, java_script_enabled=False)
    plain = window.page.locator("#plain")
    expect(plain.locator("h1")).to_contain_text("refuted")
    expect(plain.locator(".findings li").first).to_contain_text("claim.exact_work")
    expect(plain.locator("table.counts")).to_contain_text("proved")
    expect(plain.locator("noscript")).to_be_visible()
    assert window.page.locator("#app").inner_text() == ""


def test_a_browser_that_cannot_inflate_is_told_so(show: Show, training: Path) -> None:
    window = show(training)
    window.page.add_init_script("delete globalThis.DecompressionStream")
    window.page.reload()
    expect(window.page.get_by_role("alert").first).to_contain_text("no DecompressionStream")
    expect(window.page.locator("main h1")).to_have_text("Verified")
    window.go("#/stage/model/e/0")
    expect(window.page.locator("aside").get_by_role("alert")).to_contain_text("cannot inflate")


def test_a_missing_part_says_so_and_the_rest_stays(show: Show, training: Path, tmp_path: Path) -> None:
    altered = Altered(training.read_text())
    listed = altered.stage("portable")["entities"]
    del altered.chunks[listed["chunks"][0]["id"]]
    file = tmp_path / "missing.html"
    file.write_text(altered.whole())
    window = show(file, "#/stage/portable/e/0")
    expect(window.page.locator("aside").get_by_role("alert")).to_contain_text("of this page is missing")
    window.go("#/stage/distributed/e/0")
    expect(window.page.locator("aside h3").first).to_have_text("Fields")


def test_a_damaged_part_says_so(show: Show, training: Path, tmp_path: Path) -> None:
    altered = Altered(training.read_text())
    lists = [altered.index["boundaries"][at]["relations"] for at in (1, 2)]
    torn, foreign = (each["chunks"][0]["id"] for each in lists)
    altered.chunks[torn] = altered.chunks[torn][:400]
    # Whole, and of as many rows, but not the part that the index names.
    rows = altered.rows(lists[1])
    rows[0]["cardinality"] = "1:2"
    sha256 = lists[1]["chunks"][0]["sha256"]
    altered.put(lists[1], rows, at_most=len(rows))
    lists[1]["chunks"][0]["sha256"] = sha256
    assert foreign in altered.chunks
    file = tmp_path / "damaged.html"
    file.write_text(altered.whole())
    for boundary in (1, 2):
        window = show(file, f"#/boundary/{boundary}")
        expect(window.page.locator(".lowering").get_by_role("alert").first).to_contain_text("of this page is damaged")
