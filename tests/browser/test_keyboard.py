"""Everything can be reached, opened and left by keys alone."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import TimeoutError as TooLate
from playwright.sync_api import expect

from tests.browser.conftest import Show, Window


def focused(window: Window, what: str = "textContent") -> str:
    window.rest()
    return str(window.page.evaluate(f"document.activeElement.{what}")).strip()


def expect_focus(window: Window, what: str, value: str) -> None:
    """Wait until what has the focus has this value: a page may move the focus after it has drawn."""
    seen = f"(value) => document.activeElement.{what} === value"
    try:
        window.page.wait_for_function(seen, arg=value)
    except TooLate:
        raise AssertionError(f"{what} of what has the focus: {focused(window, what)!r}, not {value!r}") from None


def expect_place(window: Window, value: str) -> None:
    expect_focus(window, "dataset.place", value)


def press(window: Window, *keys: str) -> None:
    for key in keys:
        window.page.keyboard.press(key)


def tab_to(window: Window, selector: str) -> None:
    """Press Tab until something has the focus."""
    for _ in range(60):
        if window.page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
        press(window, "Tab")
    raise AssertionError(f"Tab never comes to {selector}")


def test_a_tour_without_a_pointer(show: Show, refuted: Path) -> None:
    window = show(refuted)
    heading, aside = window.page.locator("main h1"), window.page.locator("aside")
    # From the failure to the wrong entity.
    tab_to(window, ".steps a")
    assert focused(window) == "up_projection.forward"
    press(window, "Enter")
    expect(aside.locator("h2")).to_contain_text("up_projection.forward")
    press(window, "Escape")
    expect(aside).to_have_count(0)
    # Through the chain, from left to right.
    press(window, "o")
    expect(heading).to_have_text("Refuted")
    for title in (
        "request → ModelIR frontend",
        "ModelIR",
        "ModelIR → DistributedTaskIR DistributeTransformerTrainingPass",
        "DistributedTaskIR",
        "DistributedTaskIR → PortablePlanIR PlanTransformerTrainingPass",
        "PortablePlanIR",
    ):
        press(window, "]")
        expect(heading).to_have_text(title)
    press(window, "[")
    expect(heading).to_contain_text("DistributedTaskIR → PortablePlanIR")
    # Into the first relations, and back to where it was opened.
    expect(window.page.locator("a.relation-link").nth(1)).to_be_visible()
    press(window, "j", "j")
    expect_focus(window, "getAttribute('href')", "#/boundary/2/r/1")
    press(window, "Enter")
    expect(aside.locator("h2")).to_be_visible()
    expect(aside).to_be_focused()
    press(window, "Escape")
    expect(aside).to_have_count(0)
    expect_focus(window, "getAttribute('href')", "#/boundary/2/r/1")
    # Search, and into what was found.
    press(window, "]")
    expect(heading).to_have_text("PortablePlanIR")
    press(window, "/")
    expect(window.page.locator("#search")).to_be_focused()
    window.page.keyboard.type("up_projection.forward")
    expect(aside.locator("[data-entity]").first).to_be_visible()
    press(window, "ArrowDown")
    expect(aside.locator("[data-entry]:focus")).to_contain_text("up_projection.forward")
    press(window, "ArrowDown", "Enter")
    expect(aside.locator(".ids")).to_be_visible()
    # The forms of the stage.
    press(window, "Escape")
    tab_to(window, ".choice a:last-child")
    press(window, "Enter")
    expect(window.page.locator(".code .line").first).to_be_visible()


def test_the_matrix_keeps_the_key_contract_of_a_grid(show: Show, training: Path) -> None:
    window = show(training, "#/stage/distributed")
    grid = window.page.get_by_role("grid")
    expect(grid.locator("[tabindex='0']")).to_have_count(1)
    tab_to(window, "[data-place]")
    expect_place(window, "0.0.0")
    lanes, columns = grid.locator("tbody tr").count(), grid.locator("thead th").count() - 1
    moves = (
        ("ArrowRight", "0.0.1"),
        ("ArrowRight", "0.1.0"),
        ("ArrowLeft", "0.0.1"),
        ("Home", "0.0.0"),
        ("ArrowUp", "0.0.0"),
        ("ArrowDown", "1.0.0"),
        ("PageDown", "6.0.0"),
        ("PageUp", "1.0.0"),
        ("Control+End", f"{lanes - 1}.{columns - 1}.0"),
        ("ArrowDown", f"{lanes - 1}.{columns - 1}.0"),
        ("ArrowRight", f"{lanes - 1}.{columns - 1}.0"),
        ("Control+Home", "0.0.0"),
        ("ArrowLeft", "0.0.0"),
        ("End", f"0.{columns - 1}.0"),
    )
    for key, expected in moves:
        press(window, key)
        expect_place(window, expected)
        expect(grid.locator("[tabindex='0']")).to_have_count(1)
    # Tab leaves the grid, and comes back to where it was.
    press(window, "Tab")
    window.rest()
    assert not window.page.evaluate("document.activeElement.matches('[data-place]')")
    press(window, "Shift+Tab")
    expect_place(window, f"0.{columns - 1}.0")


def test_enter_opens_a_chip_and_escape_returns_to_it(show: Show, training: Path) -> None:
    window = show(training, "#/stage/distributed")
    tab_to(window, ".chip")
    press(window, "ArrowDown")
    chip = focused(window, "dataset.group")
    expect(window.page.locator(".chip.lit-self")).to_have_attribute("data-group", chip)
    press(window, "Enter")
    expect(window.page.locator("aside .ids")).to_be_visible()
    expect(window.page.locator("aside")).to_be_focused()
    press(window, "Escape")
    expect(window.page.locator("aside")).to_have_count(0)
    expect_focus(window, "dataset.group", chip)


def test_help_lists_the_keys_and_keeps_the_focus(show: Show, training: Path) -> None:
    window = show(training)
    press(window, "?")
    dialog = window.page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    window.rest()
    for key in ("/", "?", "Esc", "Arrow keys", "Home and End", "Enter"):
        expect(dialog).to_contain_text(key)
    assert window.page.evaluate("document.querySelector('dialog').contains(document.activeElement)")
    press(window, "o", "Tab")
    window.rest()
    assert window.page.evaluate("!document.querySelector('main').contains(document.activeElement)")
    press(window, "Escape")
    expect(dialog).to_be_hidden()


def test_keys_typed_into_the_search_are_text(show: Show, training: Path) -> None:
    window = show(training, "#/stage/model")
    press(window, "/")
    window.page.keyboard.type("t?o[/")
    expect(window.page.locator("#search")).to_have_value("t?o[/")
    expect(window.page.get_by_role("dialog")).to_be_hidden()
    expect(window.page.locator("main h1")).to_have_text("ModelIR")


FOCUSED = {
    "#search": "#/stage/portable",
    ".chain a": "#/stage/portable",
    ".choice a": "#/stage/portable",
    ".chip": "#/stage/portable",
    "a.relation-link": "#/boundary/2",
    "summary": "#/",
}
"""What takes the focus, and where there is one."""


def test_the_focus_is_seen(show: Show, training: Path) -> None:
    window = show(training)
    for selector, address in FOCUSED.items():
        window.go(address)
        expect(window.page.locator(selector).first).to_be_visible()
        tab_to(window, selector)
        width = window.page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
        style = window.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert (width, style) == ("2px", "solid"), selector
