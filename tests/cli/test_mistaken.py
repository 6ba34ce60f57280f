"""A file that is known and no bundle is named as what it is, and stays malformed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blueprint.cli.mistaken import known_as
from tests.cli.conftest import Run

FACTS = {
    "hidden": 8, "feedforward": 32, "heads": 2, "head_width": 4, "layers": 2, "vocabulary": 16, "positions": 16
}  # fmt: skip
OTHERS = {
    "model": (FACTS, "this is no bundle, but a model file?"),
    "config": ({"model_type": "gpt2", "n_embd": 8}, "this is no bundle, but a model file?"),
    "report": ({"schema": "blueprint.report/1"}, "this is a report, not a bundle"),
    "reports": ({"schema": "blueprint.reports/1"}, "this is a report, not a bundle"),
    "laws": ({"schema": "blueprint.laws/1"}, "this is blueprint.laws/1, which Blueprint writes, and not a bundle"),
    "sarif": ({"version": "2.1.0", "runs": []}, "this is a report in SARIF, not a bundle"),
}


@pytest.mark.parametrize("command", ["verify", "report", "explore"])
@pytest.mark.parametrize("case", OTHERS)
def test_a_known_other_file_is_named(case: str, command: str, blueprint: Run, tmp_path: Path) -> None:
    document, words = OTHERS[case]
    path = tmp_path / "other.json"
    path.write_text(json.dumps(document), encoding="ascii")
    done = blueprint(command, str(path), *(["-o", str(tmp_path / "page")] if command == "explore" else []))
    assert done.code == 2
    assert words in " ".join((done.out.decode() + done.err).split())
    assert "other.json" in done.out.decode() + done.err
    assert not (tmp_path / "page").exists()


def test_the_reports_of_the_command_itself_are_named(blueprint: Run, tmp_path: Path) -> None:
    report, sarif = tmp_path / "r.json", tmp_path / "s.json"
    blueprint("verify", "no-such-file.json", "--report", f"json={report}", "--report", f"sarif={sarif}")
    assert known_as(report.read_bytes()) == "this is a report, not a bundle"
    assert known_as(sarif.read_bytes()) == "this is a report in SARIF, not a bundle"


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b"{}", b"[" * 100_000, b'{"schema":1}', b"9" * 5000])
def test_of_other_bytes_nothing_is_guessed(data: bytes) -> None:
    assert known_as(data) == ""


def test_a_page_that_cannot_be_names_the_file(blueprint: Run, tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text("# A heading\n", encoding="ascii")
    done = blueprint("explore", str(path), "-o", str(tmp_path / "r.html"))
    assert (done.code, done.out) == (2, b"")
    assert "README.md: not canonical JSON" in done.err
