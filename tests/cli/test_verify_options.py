"""What `verify` and `prove` refuse before any work, and what they pass on."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from blueprint.outcome import Report
from blueprint.settings import DEFAULT_BUDGET
from tests.cli.conftest import Run
from tests.report import samples

CHECKED = "verified 1 relations, 2 claims, 2 law instances by 2 obligations; 0 refuted, 0 unknown"
"""What the sample's last line says."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, dict[str, Any]]]:
    """Replace the engine, and keep what it was asked."""
    calls: list[tuple[Any, dict[str, Any]]] = []

    def verify(source: object, **options: object) -> Report:
        calls.append((source, options))
        return samples.VERIFIED

    monkeypatch.setattr(import_module("blueprint.verification"), "verify", verify)
    return calls


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--format", "yaml"], '--format: "yaml" is not known; choose text or json or markdown or sarif or junit'),
        (["--report", "json"], '--report: "json" is not FORMAT=FILE'),
        (["--report", "json="], '--report: "json=" is not FORMAT=FILE'),
        (["--report", "xml=x"], '--report: "xml" is not known'),
        (["--report", "json=-"], "two reports would go to the same place"),
        (["--report", "json=x", "--report", "text=./x"], "two reports would go to the same place"),
        (["-o", "bundle.json"], "bundle.json: a report would replace the bundle"),
        (["--report", "json=./bundle.json"], "./bundle.json: a report would replace the bundle"),
        (["-o", "missing/x"], "missing/x: cannot be written: the folder for it does not exist"),
        (["--expect", "tensor"], '--expect: "tensor" is not KEY=VALUE'),
        (["--expect", "=8"], '--expect: "=8" is not KEY=VALUE'),
        (["--expect", "tensor="], '--expect: "tensor=" is not KEY=VALUE'),
        (["--expect", "tensor=8", "--expect", "tensor=4"], "--expect: tensor is expected to be two things"),
        (["--jobs", "0"], "--jobs: 0 is not from 1 to 256"),
        (["--jobs", "257"], "--jobs: 257 is not from 1 to 256"),
        (["--jobs", "two"], '--jobs: "two" is not a whole number'),
        (["--budget", "0"], "--budget: 0 is not from 1 to 2147483647"),
        (["--budget", "2147483648"], "--budget: 2147483648 is not from 1 to 2147483647"),
        (["--budget", "1e9"], '--budget: "1e9" is not a whole number'),
        (["--cross-check", "z3"], '--cross-check: "z3" is not known; choose cvc5'),
        (["--rules", ""], "--rules: names no rulebook"),
        (["-o", "."], ".: cannot be written: it is a folder"),
        (["-", "-"], "-: standard input can be read only once"),
    ],
)
def test_what_could_only_end_badly_is_refused_first(
    arguments: list[str],
    words: str,
    blueprint: Run,
    asked: list[object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    done = blueprint("verify", "bundle.json", *arguments)
    assert (done.code, done.out) == (2, b"")
    assert done.err.startswith(f"blueprint: error: {words}")
    assert done.err.count("\n") == 1
    assert (asked, list(tmp_path.iterdir())) == ([], [])


def test_the_engine_is_asked_what_the_user_asked(blueprint: Run, asked: list[Any]) -> None:
    line = (
        "verify a.json - --jobs 3 --budget 5000 --rules other --cross-check cvc5 --expect tensor=8 --expect model=a=b"
    )
    assert blueprint(*line.split()).code == 0
    options = {
        "rules": "other",
        "jobs": 3,
        "budget": 5000,
        "cross_check": True,
        "expect": {"tensor": "8", "model": "a=b"},
    }
    assert asked == [("a.json", options), ("-", options)]


def test_the_engine_s_own_defaults_hold(blueprint: Run, asked: list[Any]) -> None:
    assert blueprint("verify", "a.json").code == 0
    options = {"rules": None, "jobs": None, "budget": DEFAULT_BUDGET, "cross_check": False, "expect": None}
    assert asked == [("a.json", options)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--jobs", "-1"], '--jobs: "-1" is not a whole number'),
        (["--budget", "many"], '--budget: "many" is not a whole number'),
        (["--cross-check", "yices"], '--cross-check: "yices" is not known; choose cvc5'),
        (["--rules", "", "--check"], "--rules: names no rulebook"),
        (["--proofs", ""], "--proofs: names no folder"),
        (["--rules", "other"], "other: is no folder of rules that can be read"),
    ],
)
def test_prove_refuses_the_same(arguments: list[str], words: str, blueprint: Run) -> None:
    done = blueprint("prove", *arguments)
    assert (done.code, done.out) == (2, b"")
    assert done.err.startswith(f"blueprint: error: {words}")


def test_one_costly_run_writes_several_reports(blueprint: Run, asked: list[Any], tmp_path: Path) -> None:
    files = {form: tmp_path / f"report.{form}" for form in ("json", "text")}
    reports = [f"--report={form}={path}" for form, path in files.items()]
    done = blueprint("verify", "a.json", "--format", "json", *reports)
    assert done.code == 0
    assert done.err == f"blueprint: a.json: verified\nblueprint: {CHECKED}\n"
    assert len(asked) == 1
    assert files["json"].read_bytes() == done.out
    assert files["text"].read_bytes().startswith(b"statement (a.json): ")


def test_a_text_report_on_standard_output_needs_no_words_beside_it(blueprint: Run, asked: list[Any]) -> None:
    done = blueprint("verify", "a.json", "b.json")
    assert (done.code, done.err, len(asked)) == (0, "", 2)
    first, second, both = done.out.decode().split("\n\n")
    assert first.startswith("statement (a.json): ")
    assert second.startswith("statement (b.json): ")
    assert both.startswith("bundles: 2\n")
    assert both.splitlines()[-1].startswith("verified 2 bundles: 2 verified; 2 relations, 4 claims, ")


def test_the_whole_document_may_go_to_a_file(blueprint: Run, asked: list[Any], tmp_path: Path) -> None:
    done = blueprint("-v", "verify", "a.json", "-o", str(tmp_path / "report"))
    assert (done.code, done.out, len(asked)) == (0, b"", 1)
    assert (tmp_path / "report").read_bytes().startswith(b"statement (a.json): ")
    assert done.err.splitlines() == [
        "blueprint: verifying a.json",
        "blueprint: a.json: verified",
        f"blueprint: {CHECKED}",
        f"blueprint: wrote {tmp_path / 'report'}",
    ]


def test_a_loop_of_links_is_no_error_of_our_own(
    blueprint: Run, asked: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    assert blueprint("verify", "loop").code == 0
    assert [source for source, _ in asked] == ["loop"]
    for line in (["a.json", "-o", "loop"], ["a.json", "--report", "json=loop"]):
        done = blueprint("verify", *line)
        assert (done.code, done.out) == (2, b"")
        assert done.err == "blueprint: error: loop: cannot be written: it is a loop of symbolic links\n"


def test_a_folder_that_takes_no_file_is_refused_first(
    blueprint: Run, asked: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    done = blueprint("verify", "a.json", "-o", str(tmp_path / "x"))
    assert (done.code, done.out, asked) == (2, b"", [])
    assert done.err.endswith("x: cannot be written: the folder for it is not writable\n")


@pytest.mark.parametrize("place", [["--format", "json"], ["-o", "report"]])
def test_another_rulebook_is_named_on_the_last_line(
    blueprint: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, place: list[str]
) -> None:
    """The sample's rulebook is not the shipped one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(import_module("blueprint.verification"), "verify", lambda *_, **__: samples.REFUTED)
    done = blueprint("-v", "verify", "a.json", "b.json", *place)
    assert done.code == 1
    warning = f"rulebook: NOT SHIPPED {samples.REFUTED.tool.rules_digest}"
    assert done.err.splitlines()[-1] == f"blueprint: {warning}"
    assert done.err.count(warning) == 1


def test_quiet_leaves_only_the_document(blueprint: Run, asked: list[Any]) -> None:
    done = blueprint("-q", "verify", "a.json", "--format", "json")
    assert (done.code, done.err, len(asked)) == (0, "", 1)
    assert done.out.startswith(b'{"definitions":')
