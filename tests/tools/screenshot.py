"""The picture of the explorer in the README: the page of the README's tampered bundle.

python -m tests.tools.screenshot   # writes docs/explorer.png; needs chromium

A picture differs from machine to machine by its fonts, so no test compares it: make it anew with the page.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import sync_playwright

from tests.browser.chromium import ARGUMENTS, program
from tests.tools import session

PICTURE: Final = session.ROOT / "docs" / "explorer.png"
WIDE, HIGH = 1280, 860


def main() -> int:
    """Derive, tamper, explore, and take the picture."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        session.run(session.DERIVE, folder)
        session.tamper(folder)
        page = folder / "page.html"
        words = [sys.executable, "-m", "blueprint", "-q", "explore", "tampered.json", "-o", page.name]
        # A refuted bundle has a page as well, and the exit status of its verdict.
        subprocess.run(words, cwd=folder, check=False)
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=program(), args=ARGUMENTS)
            window = browser.new_page(viewport={"width": WIDE, "height": HIGH}, color_scheme="light")
            window.goto(page.as_uri())
            window.wait_for_selector("main h1, main h2")
            window.screenshot(path=PICTURE)
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
