"""What a page costs the browser that opens it: time until it is ready, longest task, memory, size of the document."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any, Final, NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chromium import ARGUMENTS, program

RUNS: Final = 5
PATIENCE: Final = 120_000

VIEWS: Final = (
    ("overview", "#/"),
    ("matrix", "#/stage/portable"),
    ("relations", "#/boundary/2"),
    ("a relation far down", "#/boundary/2/r/20000"),
    ("search", "#/stage/portable?q=norm"),
    ("detailed text", "#/stage/machine?view=detail"),
)

_WATCH: Final = """
window.tasks = []
new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.tasks.push(entry.duration)
}).observe({ type: "longtask", buffered: true })
new MutationObserver((_, observer) => {
    if (!document.documentElement?.dataset.ready) return
    window.readyAfter = performance.now()
    observer.disconnect()
}).observe(document, { attributes: true, subtree: true, childList: true })
"""

_FIGURES: Final = """() => [
    window.readyAfter, Math.max(0, ...window.tasks), performance.memory.usedJSHeapSize,
    document.querySelectorAll("*").length,
]"""


class Opened(NamedTuple):
    """Of one view: seconds until ready, its longest task in seconds, MiB of heap, elements; medians of all runs."""

    view: str
    ready: float
    task: float
    heap: float
    elements: int


def measured(page: Path) -> list[Opened]:
    """Open every view of a page so many times, each in a window of its own."""
    with sync_playwright() as playwright:
        arguments = [*ARGUMENTS, "--enable-precise-memory-info"]
        browser = playwright.chromium.launch(executable_path=program(), args=arguments)
        found = [_opened(browser, page, name, address) for name, address in VIEWS]
        browser.close()
    return found


def _opened(browser: Browser, page: Path, name: str, address: str) -> Opened:
    runs = [_once(browser, f"{page.as_uri()}{address}") for _ in range(RUNS)]
    ready, task, heap, elements = (statistics.median(each) for each in zip(*runs, strict=True))
    return Opened(name, ready / 1000, task / 1000, heap / 2**20, int(elements))


def _once(browser: Browser, url: str) -> list[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.add_init_script(_WATCH)
    page.goto(url)
    page.wait_for_selector("html[data-ready]", state="attached")
    _settle(page)
    found: list[Any] = page.evaluate(_FIGURES)
    context.close()
    return found


def _settle(page: Page) -> None:
    """Let what the view reads come in: nothing says any more that it is being read."""
    page.wait_for_function("!document.querySelector('.waiting, .unread')")
    page.wait_for_timeout(500)
