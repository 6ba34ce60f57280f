"""Whatever a bundle calls its things, the page shows it as text and does nothing else with it."""

from __future__ import annotations

import copy
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
    # What stages, kinds of entities and phases are called, a bundle does not choose.
    *("title", "columns", "lanes", "kinds"),
    *("cardinality", "canonical_conformant", "value", "low", "high", "shared"),
}


def renamed(value: Any, names: Iterator[str]) -> Any:
    """The data with every free text in it replaced by one after the other of the names."""
    if isinstance(value, dict):
        return {key: part if key in KEPT else renamed(part, names) for key, part in value.items()}
    if isinstance(value, list):
        return [renamed(each, names) for each in value]
    return next(names) if isinstance(value, str) and value else value


def hostile(page: Path, name: Iterator[str]) -> str:
    altered = Altered(page.read_text())
    chunks = {}
    for stage in altered.index["stages"]:
        for listed in ("names", "entities", "short", "detail"):
            rows = altered.rows(stage[listed])
            if listed == "names":
                changed = [[next(name), next(name), row[2], row[3]] for row in rows]
            elif listed == "entities":
                changed = [{**renamed(row, name), "id": row["id"]} for row in rows]
            else:
                changed = [[row[0], renamed(row[1], name)] for row in rows[:50]]
            chunks[id(stage[listed])] = (stage[listed], changed)
    for boundary in altered.index["boundaries"]:
        rows = altered.rows(boundary["relations"])
        chunks[id(boundary["relations"])] = (boundary["relations"], [renamed(row, name) for row in rows[:60]])
    obligations = altered.index["obligations"]
    chunks[id(obligations)] = (obligations, [renamed(row, name) for row in altered.rows(obligations)[:200]])
    for listed, rows in chunks.values():
        altered.put(listed, rows)
    lists = copy.deepcopy([[stage[key] for key in ("names", "entities", "short", "detail")] for stage in altered.index["stages"]])
    relations = copy.deepcopy([boundary["relations"] for boundary in altered.index["boundaries"]])
    kept = copy.deepcopy(obligations)
    altered.index = renamed(altered.index, name)
    altered.index["verdict"] = "refuted"
    for stage, own in zip(altered.index["stages"], lists, strict=True):
        stage |= dict(zip(("names", "entities", "short", "detail"), own, strict=True)) | {"unavailable": ""}
    for boundary, own in zip(altered.index["boundaries"], relations, strict=True):
        boundary["relations"] = own
    altered.index["obligations"] = kept
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


@pytest.mark.parametrize("names", [NAMES, ("x" * 10_000,)], ids=["strange", "long"])
def test_names_are_shown_and_do_nothing(names: tuple[str, ...], show: Show, refuted: Path, tmp_path: Path) -> None:
    file = tmp_path / "hostile.html"
    file.write_text(hostile(refuted, itertools.cycle(names)), encoding="utf-8", newline="")
    window = show(file)
    elements, shown = set(), ""
    for view in VIEWS:
        window.go(view)
        expect(window.page.locator("main h1")).to_be_visible()
        expect(window.page.locator(".waiting")).to_have_count(0)
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
