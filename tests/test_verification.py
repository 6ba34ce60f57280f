"""What is examined is what was given, under the settings that were given, and else under the strictest."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blueprint import verification
from blueprint.outcome import Outcome
from blueprint.settings import DEFAULT_BUDGET
from blueprint.verification import verify, verify_without_replay

DATA = b"bytes"
DIGEST = hashlib.sha256(DATA).hexdigest()
PLAIN: dict[str, Any] = {
    "rules": None,
    "jobs": None,
    "budget": DEFAULT_BUDGET,
    "cross_check": False,
    "expect": {},
    "replay": True,
}
GIVEN: dict[str, Any] = {
    "rules": "mine", "jobs": 3, "budget": 5, "cross_check": True, "expect": {"model": "gpt2"},
}  # fmt: skip


@pytest.fixture
def examined(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """What is examined and how, in order."""
    calls: list[tuple[object, ...]] = []
    monkeypatch.setattr(verification, "read_bundle", lambda data: ("decoded", data))
    monkeypatch.setattr("blueprint.examine.examine", lambda *args, **settings: calls.append((*args, settings)))
    return calls


@pytest.mark.parametrize(
    ("ask", "settings"),
    [
        (lambda: verify(DATA), PLAIN),
        *((lambda name=name: verify(DATA, **{name: GIVEN[name]}), {**PLAIN, name: GIVEN[name]}) for name in GIVEN),
        (lambda: verify(DATA, **GIVEN), {**GIVEN, "replay": True}),
        (lambda: verify_without_replay(DATA), {**PLAIN, "replay": False}),
        (lambda: verify_without_replay(DATA, jobs=2, budget=9), {**PLAIN, "jobs": 2, "budget": 9, "replay": False}),
    ],
)
def test_the_settings_are_those_that_were_given(
    examined: list[tuple[object, ...]], ask: Callable[[], object], settings: dict[str, object]
) -> None:
    ask()
    assert examined == [(("decoded", DATA), DIGEST, settings)]


def test_a_path_is_read_and_what_cannot_be_read_is_malformed(
    examined: list[tuple[object, ...]], tmp_path: Path
) -> None:
    (tmp_path / "a.json").write_bytes(DATA)
    verify(tmp_path / "a.json")
    verify(str(tmp_path / "a.json"))
    assert examined == [(("decoded", DATA), DIGEST, PLAIN)] * 2
    report = verify(tmp_path / "nothing.json")
    assert report.verdict is Outcome.MALFORMED
    assert len(examined) == 2
