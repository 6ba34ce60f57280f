"""What the page is built from: types that follow the payload, locked packages, and no way for data to become code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from msgspec import inspect

from tests.tools import payload_types

STATIC = payload_types.FILE.parents[2] / "static"
UI = payload_types.FILE.parents[1]
SOURCES = sorted((UI / "src").glob("*.ts*"))


def test_the_types_of_the_page_are_those_of_the_payload() -> None:
    assert payload_types.settle([]) == 0


def test_types_that_are_not_the_payloads_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "payload.ts"
    file.write_text(payload_types.types().replace("count: number", "count: string"), encoding="utf-8")
    monkeypatch.setattr(payload_types, "FILE", file)
    assert payload_types.settle([]) == 1
    assert payload_types.settle(["--write"]) == 0
    assert payload_types.settle([]) == 0


def test_a_type_without_a_form_in_typescript_is_refused() -> None:
    with pytest.raises(TypeError, match="no TypeScript"):
        payload_types._written(inspect.FloatType())


def test_packages_are_exact_and_locked_without_a_host() -> None:
    package = json.loads((UI / "package.json").read_text(encoding="utf-8"))
    versions = [*package["dependencies"].values(), *package["devDependencies"].values()]
    assert versions
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions)
    lock = json.loads((UI / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert {name.removeprefix("node_modules/") for name in packages} >= {"preact", "esbuild", "typescript"}
    assert [name for name, entry in packages.items() if "resolved" in entry or "integrity" not in entry] == []


def test_no_source_makes_code_markup_or_addresses_of_data() -> None:
    assert len(SOURCES) > 20
    forbidden = re.compile(
        r"innerHTML|outerHTML|insertAdjacent|dangerously|document\.write|\beval\(|new Function|import\(|fetch\(|"
        r"XMLHttpRequest|WebSocket|https?:|src=|style=\"|cssText"
    )
    found = [f"{path.name}: {match[0]}" for path in SOURCES for match in forbidden.finditer(path.read_text("utf-8"))]
    assert found == []


def test_no_source_is_long() -> None:
    assert [path.name for path in SOURCES if len(path.read_text("utf-8").splitlines()) > 450] == []


def test_the_script_carries_the_notices_of_what_it_contains() -> None:
    script = (STATIC / "explorer.js").read_text(encoding="utf-8")
    package = json.loads((UI / "package.json").read_text(encoding="utf-8"))
    for name, version in package["dependencies"].items():
        assert f"{name} {version} (MIT)" in script
    assert script.count("Permission is hereby granted") == 3
    assert script.isascii()
    assert "</script" not in script.lower()
