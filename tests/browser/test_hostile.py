"""Whatever a bundle calls its things, the page shows it as text and does nothing else with it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.altered import Altered
from tests.browser.conftest import Show

NAMES = (
    "<img src=x onerror=window.pwned=1>",
    "</script><script>window.pwned=1</script>",
    "<!--<script>window.pwned=1",
    "javascript:window.pwned=1",
    "\"><svg onload='window.pwned=1'>",
    "__proto__",
    "constructor",
    "{{7*7}}${7*7}",
    "a\u2028b\u2029c",
    "\u202egnorw\u202c",
    "zero\u200bwidth",
    "%00%3Cb%3E",
    "'; background: url(https://example.invalid/x)",
)

KEPT = {
    # Words that decide what the page draws, and positions.
    *("schema", "stage", "branch", "colour", "id", "sha256", "digest", "count", "status", "verdict", "weakest", "word"),
    # Counts are decimal strings.
    "shared",
    # What stages, kinds of entities and phases are called, a bundle does not choose.
    *("title", "columns", "lanes", "kinds"),
}


def renamed(value: Any, names: Iterator[str]) -> Any:
    """The data with every free text in it replaced by one after the other of the names."""
    if isinstance(value, dict):
        return {key: part if key in KEPT else renamed(part, names) for key, part in value.items()}
    if isinstance(value, list):
        return [renamed(each, names) for each in value]
    return next(names) if isinstance(value, str) and value else value


def hostile(page: Path, names: Iterator[str]) -> str:
    """The page with these names for everything that a bundle can name."""
    altered = Altered(page.read_text())
    for stage in altered.index["stages"]:
        rows = altered.rows(stage["names"])
        altered.put(stage["names"], [[next(names), next(names), *row[2:]] for row in rows])
        altered.put(stage["entities"], renamed(altered.rows(stage["entities"]), names))
        for form in ("short", "detail"):
            altered.put(
                stage[form], [[depth, renamed(parts, names)] for depth, parts in altered.rows(stage[form])[:50]]
            )
    for boundary in altered.index["boundaries"]:
        altered.put(boundary["relations"], renamed(altered.rows(boundary["relations"])[:60], names))
    altered.put(altered.index["obligations"], renamed(altered.rows(altered.index["obligations"])[:200], names))
    # Lists of chunks hold nothing but what is kept.
    altered.index = renamed(altered.index, names)
    return altered.whole()


VIEWS = (
    "#/",
    "#/stage/distributed",
    "#/stage/portable?view=short",
    "#/stage/portable/e/0",
    "#/stage/model?q=a",
    "#/boundary/2/r/0?form=detail",
    "#/boundary/1/l/0",
    "#/evidence/0",
)


LONG = ("x" * 10_000, *["y"] * 50)
"""Ten kilobytes, here and there."""


@pytest.mark.parametrize("names", [NAMES, LONG], ids=["strange", "long"])
def test_names_are_shown_and_do_nothing(names: tuple[str, ...], show: Show, refuted: Path, tmp_path: Path) -> None:
    file = tmp_path / "hostile.html"
    file.write_text(hostile(refuted, itertools.cycle(names)), encoding="utf-8", newline="")
    window = show(file)
    elements, shown = set(), ""
    for view in VIEWS:
        window.go(view)
        expect(window.page.locator("main h1")).to_be_visible()
        shown += str(window.page.evaluate("document.querySelector('#app').textContent"))
        # It stays within the screen, however long it is.
        assert window.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), view
        elements |= set(window.page.evaluate("[...document.querySelectorAll('#app *')].map((each) => each.localName)"))
        # What the page makes of a name is text, and a link leads to nowhere but into the page.
        links = window.page.evaluate("[...document.querySelectorAll('a')].map((each) => each.getAttribute('href'))")
        assert all(link.startswith("#/") for link in links)
    assert not elements & {"img", "script", "iframe", "object", "style", "link", "base", "form"}
    assert window.page.evaluate("window.pwned") is None
    assert window.page.evaluate("({}).polluted") is None
    assert [name for name in names if name not in shown] == []
