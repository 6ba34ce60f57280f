"""The page for everybody: checked by axe in both themes, at any width, enlarged, on paper, without motion."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.altered import Altered
from tests.browser.conftest import WRONG, Show, Window

VIEWS = (
    "#/",
    "#/stage/model",
    "#/stage/portable?ov=0&q=norm",
    "#/stage/portable?view=short",
    "#/stage/portable?view=detail",
    "#/stage/portable/e/120?ov=0",
    "#/stage/machine",
    "#/boundary/1",
    "#/boundary/2?form=short",
    "#/boundary/2?form=detail",
    "#/boundary/2?form=audit",
    "#/boundary/2/r/1",
    "#/boundary/1/l/4",
    "#/evidence/3",
    "#/search?q=norm",
    "#/stage/nowhere",
)

FAILING = (
    "#/",
    "#/stage/portable",
    "#/stage/portable?view=short",
    f"#/stage/portable?q={WRONG}",
    "#/boundary/2?status=refuted",
    "#/boundary/2?form=laws",
    "#/boundary/2/l/0",
    f"#/search?q={WRONG}",
)
"""Views that a refuted bundle shows otherwise; those of its first finding come to them."""

SIZES = ((1280, 900), (1920, 1080), (640, 450))
"""Two screens, and the first at 200 % zoom."""


@pytest.fixture(scope="module")
def axe() -> str:
    """The source of axe-core."""
    return resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def settle(window: Window, view: str) -> None:
    window.go(view)
    expect(window.page.locator("main").first).to_be_visible()


RUN = """(rules) => axe.run(document, { ...(rules ? { runOnly: rules } : {}), resultTypes: ["violations"] })
    .then((results) => results.violations)"""


def first_found(page: Path) -> list[str]:
    """The views of the entity and the relation of a page's first finding."""
    first = Altered(page.read_text()).index["findings"][:1]
    return [
        view
        for each in first
        for view in (f"#/stage/portable/e/{each['entity']}", f"#/boundary/2/r/{each['relation']}")
    ]


@pytest.mark.parametrize(
    ("page", "theme", "views", "rules"),
    [
        ("training", "light", VIEWS, None),
        # What differs between the themes is colour.
        ("training", "dark", VIEWS[::2], ["color-contrast"]),
        ("refuted", "light", FAILING, None),
        ("refuted", "dark", FAILING, ["color-contrast"]),
    ],
    ids=["training-light", "training-dark", "refuted-light", "refuted-dark"],
)
def test_axe_finds_nothing(
    page: str,
    theme: str,
    views: tuple[str, ...],
    rules: list[str] | None,
    axe: str,
    show: Show,
    request: pytest.FixtureRequest,
) -> None:
    # The policy would stop axe, too: it is not part of the page.
    file: Path = request.getfixturevalue(page)
    window = show(file, color_scheme=theme, bypass_csp=True, reduced_motion="reduce")
    window.page.evaluate(axe)
    found = {}
    for view in (*views, *first_found(file)):
        settle(window, view)
        for violation in window.page.evaluate(RUN, rules):
            found[view, violation["id"]] = [node["html"][:120] for node in violation["nodes"][:3]]
    assert found == {}


def test_axe_is_able_to_find_something(axe: str, show: Show, training: Path) -> None:
    window = show(training, bypass_csp=True)
    window.page.evaluate(axe)
    window.page.evaluate("document.querySelector('#search').removeAttribute('aria-label')")
    window.page.evaluate("document.querySelector('#search').removeAttribute('placeholder')")
    found = window.page.evaluate("axe.run().then((results) => results.violations.map((each) => each.id))")
    assert "label" in found


WITHIN = "document.documentElement.scrollWidth <= innerWidth"
"""Whether the page is as wide as the screen at most."""


def test_no_view_is_wider_than_the_screen(show: Show, training: Path) -> None:
    window = show(training)
    for view in VIEWS:
        settle(window, view)
        for width, height in SIZES:
            window.page.set_viewport_size({"width": width, "height": height})
            window.rest()
            assert window.page.evaluate(WITHIN), (view, width)


def background(window: Window) -> str:
    window.rest()
    return str(window.page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_the_theme_follows_the_system_until_it_is_chosen(show: Show, training: Path) -> None:
    window = show(training, color_scheme="dark")
    dark = background(window)
    window.page.emulate_media(color_scheme="light")
    window.page.wait_for_selector("html[data-theme=light]")
    light = background(window)
    assert dark != light == "rgb(255, 255, 255)"
    window.page.get_by_role("button", name="Dark").click()
    assert background(window) == dark
    window.reload()
    expect(window.page.get_by_role("button", name="Light")).to_be_visible()
    assert background(window) == dark
    window.page.keyboard.press("t")
    assert background(window) == light


def test_nothing_moves_where_motion_is_not_wanted(show: Show, training: Path) -> None:
    moving = "getComputedStyle(document.querySelector('.chip')).transitionDuration"
    window = show(training, "#/stage/portable", reduced_motion="reduce")
    assert window.page.evaluate(moving) == "0s"
    window.page.emulate_media(reduced_motion="no-preference")
    assert window.page.evaluate(moving) != "0s"


def test_every_verdict_word_has_a_shape_of_its_own(show: Show, training: Path) -> None:
    window = show(training)
    window.page.locator("summary").filter(has_text="Verdict words").click()
    window.rest()
    shapes = window.page.locator(".words .icon path").evaluate_all("(paths) => paths.map((each) => each.outerHTML)")
    words = window.texts(".words dt")
    assert words == ["proved", "checked", "definition", "refuted", "unknown", "vacuous", "not-run", "not-applicable"]
    assert len(set(shapes)) == len(words)


# Paper --------------------------------------------------------------------------------------------------------------


def printed(window: Window) -> bytes:
    return window.page.pdf(format="A4", print_background=True)


def test_paper_is_light_and_says_how_much_of_a_table_it_has(show: Show, training: Path) -> None:
    window = show(training, "#/boundary/2", color_scheme="dark")
    rows = window.page.locator(".lowering tbody[data-row]:has(td[rowspan])")
    expect(rows.first).to_be_visible()
    mounted = rows.count()
    window.page.evaluate(
        """() => addEventListener("beforeprint", () => {
            window.printed = {
                rows: document.querySelectorAll(".lowering tbody[data-row]:has(td[rowspan])").length,
                count: document.querySelector(".relations .count").textContent,
            }
        })"""
    )
    window.page.emulate_media(media="print")
    assert background(window) == "rgb(255, 255, 255)"
    assert len(re.findall(rb"/Type\s*/Page\b", printed(window))) > 3
    seen = window.page.evaluate("window.printed")
    assert mounted < seen["rows"] == 172
    assert seen["count"] == "172 relations (printed 172 of 172)"
    window.page.emulate_media(media="screen")
    expect(rows).not_to_have_count(172)


@pytest.mark.parametrize("view", ["#/", "#/stage/distributed", "#/stage/portable?view=short"])
def test_every_view_prints(view: str, show: Show, training: Path) -> None:
    window = show(training, view)
    settle(window, view)
    assert printed(window).startswith(b"%PDF-")
