"""Pages as the command writes them, in the system's Chromium. Whatever a page does, it asks for nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from blueprint import cli
from blueprint.exit import ExitCode
from blueprint.ir.common import Stage
from blueprint.outcome import Report
from blueprint.verification import verify
from tests.browser.chromium import ARGUMENTS, program
from tests.reseal import Draft, recorded

PATIENCE: Final = 20_000
"""How long a browser may take for anything, in milliseconds, before it counts as stuck."""

WIDE, HIGH = 1280, 900

TRAINING: Final = (
    *("training", "--model", "gpt3-175b", "--tensor", "8", "--pipeline", "8", "--data", "8", "--microbatch", "1"),
    *("--sequence", "2048", "--recompute", "selective", "--communication", "sequence-parallel"),
)
INFERENCE: Final = (
    "inference",
    "--model",
    "gpt2",
    "--tensor",
    "2",
    "--batch",
    "4",
    "--prompt",
    "512",
    "--context",
    "576",
)
FIVE: Final = ("training", "--model", "gpt2", "--tensor", "2", "--microbatch", "1", "--sequence", "128")

WRONG: Final = "up_projection.forward"
"""The task whose operations the refuted bundle doubles, and whose lineage the bundle with gaps tears."""


# Pages --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the pages of this session lie."""
    return tmp_path_factory.mktemp("explorer")


def derived(bundle: Path, *arguments: str) -> Path:
    assert cli.run(["derive", *arguments, "-o", str(bundle)]) is ExitCode.VERIFIED
    return bundle


def explored(bundle: Path, *options: str, code: ExitCode = ExitCode.VERIFIED) -> Path:
    page = bundle.with_suffix(".html")
    assert cli.run(["explore", str(bundle), "-o", str(page), *options]) is code
    return page


@pytest.fixture(scope="session")
def training_bundle(folder: Path) -> Path:
    """One block of GPT-3 175B: three stages."""
    return derived(folder / "training.json", *TRAINING)


@pytest.fixture(scope="session")
def training_report(training_bundle: Path) -> Report:
    """What a verification says of it."""
    return verify(training_bundle.read_bytes(), jobs=1)


@pytest.fixture(scope="session")
def training(training_bundle: Path) -> Path:
    """Its page, with the reference overlay."""
    return explored(training_bundle, "--roofline", "reference")


@pytest.fixture(scope="session")
def inference(folder: Path) -> Path:
    """Two branches that share a model."""
    return explored(derived(folder / "inference.json", *INFERENCE))


@pytest.fixture(scope="session")
def five(folder: Path) -> Path:
    """All five stages."""
    return explored(derived(folder / "five.json", *FIVE, "--target", "queue", "--emit"))


def falsified(good: Path, bundle: Path, change: Callable[[Draft], None]) -> Path:
    """A bundle with one fault, sealed and recorded honestly again."""
    draft = Draft(good.read_bytes())
    change(draft)
    data = draft.sealed()
    bundle.write_bytes(recorded(data, verify(data, jobs=1)))
    return bundle


@pytest.fixture(scope="session")
def refuted(folder: Path, training_bundle: Path) -> Path:
    """The page of a bundle one of whose tasks does twice its work."""

    def double(draft: Draft) -> None:
        draft.entity(Stage.PORTABLE, "tasks", WRONG)["work"]["operations"] *= 2

    return explored(falsified(training_bundle, folder / "refuted.json", double), code=ExitCode.REFUTED)


@pytest.fixture(scope="session")
def misrecorded(folder: Path, training_bundle: Path) -> Path:
    """The page of a sound bundle whose recorded report is not what a run establishes."""
    draft = Draft(training_bundle.read_bytes())
    draft.transition(Stage.PORTABLE)["report"]["canonical_conformant"] = False
    bundle = folder / "misrecorded.json"
    bundle.write_bytes(draft.sealed())
    return explored(bundle, code=ExitCode.REFUTED)


@pytest.fixture(scope="session")
def gaps_bundle(folder: Path, training_bundle: Path) -> Path:
    """A bundle one of whose tasks names a source that is not there."""

    def tear(draft: Draft) -> None:
        draft.entity(Stage.PORTABLE, "tasks", WRONG)["lineage"]["sources"] = [f"task:{'0' * 64}"]

    return falsified(training_bundle, folder / "gaps.json", tear)


@pytest.fixture(scope="session")
def gaps(gaps_bundle: Path) -> Path:
    """Its page."""
    return explored(gaps_bundle, code=ExitCode.REFUTED)


# The browser --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The system's Chromium, without a window."""
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def plain_context(chromium: Browser) -> Iterator[BrowserContext]:
    """What all pages share that ask for nothing special; each is a tab of its own."""
    context = chromium.new_context()
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


AT_REST: Final = """async (patience) => {
    const end = performance.now() + patience
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
    for (let same = 0, before = null; performance.now() < end; await frame()) {
        const now = location.hash + document.querySelector("#app").innerHTML
        same = document.body.ariaBusy !== "true" && now === before ? same + 1 : 0
        if (same === 3) return true
        before = now
    }
    return false
}"""
"""Whether a page comes to rest within so many milliseconds."""


@dataclass
class Window:
    """A page that is shown, and what it did."""

    page: Page
    file: Path
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def rest(self) -> None:
        """Wait until the page reads nothing, and three frames in a row have changed nothing.

        What is looked at once only, and not waited for, is looked at after this.
        """
        if not self.page.evaluate(AT_REST, PATIENCE):
            raise AssertionError("the page comes to no rest")

    def go(self, address: str) -> None:
        """Follow a hash link by hand."""
        self.page.evaluate("(to) => { location.hash = to }", address)
        self.rest()

    def reload(self) -> None:
        """Load the page again."""
        self.page.reload()
        self.page.wait_for_selector("html[data-ready]")
        self.rest()

    @property
    def address(self) -> str:
        """The hash of the page's address."""
        self.rest()
        return str(self.page.evaluate("location.hash"))

    def texts(self, selector: str) -> list[str]:
        """What stands in every element that a selector finds."""
        self.rest()
        return [text.strip() for text in self.page.locator(selector).all_inner_texts()]


Show = Callable[..., Window]


@pytest.fixture
def show(chromium: Browser, plain_context: BrowserContext) -> Iterator[Show]:
    """Open a page's file at an address. Afterwards: it asked for nothing but itself, and complained of nothing."""
    shown: list[Window] = []

    def open_window(file: Path, address: str = "#/", *, ready: bool = True, **options: Any) -> Window:
        width, height = options.pop("size", (WIDE, HIGH))
        context = chromium.new_context(**options) if options else plain_context
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": height})
        window = Window(page, file)
        page.on("request", lambda request: window.requests.append(request.url))
        page.on("pageerror", lambda error: window.complaints.append(str(error)))
        page.on("console", lambda message: window.complaints.append(message.text))
        page.on("dialog", lambda dialog: window.complaints.append(dialog.message))
        shown.append(window)
        page.goto(f"{file.as_uri()}{address}")
        if ready:
            page.wait_for_selector("html[data-ready]")
            window.rest()
        return window

    yield open_window
    for window in shown:
        (window.page if window.page.context is plain_context else window.page.context).close()
        assert {url.partition("#")[0] for url in window.requests} == {window.file.as_uri()}
        assert window.complaints == []
