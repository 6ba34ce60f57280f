"""Without a Chromium the tests fail and say what to do: a page that nobody opened is not shown to work."""

from __future__ import annotations

import pytest

from tests.browser import chromium


def test_a_machine_without_chromium_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(chromium.NoChromiumError, match="install Debian's package chromium"):
        chromium.program()


def test_the_first_that_is_there_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", {"google-chrome": "/opt/chrome"}.get)
    assert chromium.program() == "/opt/chrome"
