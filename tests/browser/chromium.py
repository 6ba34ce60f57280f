"""The system's Chromium."""

from __future__ import annotations

import shutil
from typing import Final

PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome")

ARGUMENTS: Final = ("--no-sandbox", "--disable-gpu")


class NoChromiumError(Exception):
    """There is no Chromium on this machine."""


def program() -> str:
    """Where it is. Raises NoChromiumError, with what to do about it, where it is nowhere."""
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is None:
        raise NoChromiumError(f"None of {', '.join(PROGRAMS)} is on the PATH: install Debian's package chromium")
    return found
