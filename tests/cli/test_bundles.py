"""Which bundles are verified: files, folders, patterns; nothing found is never success."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest

from blueprint.cli import bundles
from blueprint.cli.bundles import named, place_of
from blueprint.cli.formats import FORMATS
from blueprint.errors import UsageError
from blueprint.outcome import Report
from tests.cli.conftest import Run
from tests.report import samples


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Bundles, what is none, hidden ones, and a link to a folder above."""
    for name in ("b.json", "a.json", "deep/c.json", "deep/er/d.json", ".hidden.json", ".git/e.json", "notes.txt"):
        path = tmp_path / "plans" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"{}")
    (tmp_path / "plans" / "deep" / "up").symlink_to(tmp_path / "plans")
    (tmp_path / "empty").mkdir()
    (tmp_path / "[x].json").write_bytes(b"{}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Replace the engine by the sample that a file is named after, and keep what it was asked."""
    calls: list[object] = []

    def verify(source: object, **_options: object) -> Report:
        calls.append(source)
        return samples.ALL.get(Path(str(source)).stem, samples.VERIFIED)

    monkeypatch.setattr(import_module("blueprint.verification"), "verify", verify)
    return calls


EVERY = ("plans/a.json", "plans/b.json", "plans/deep/c.json", "plans/deep/er/d.json")


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (["plans"], [EVERY]),
        (["plans/"], [EVERY]),
        (["plans/*.json"], [EVERY[:2]]),
        (["plans/**/*.json"], [EVERY]),
        (["*/*/*.json"], [("plans/deep/c.json",)]),
        (["plans/.*.json"], [()]),
        (["plans/.git/*.json"], [("plans/.git/e.json",)]),
        (["plans/deep/up/*.json"], [("plans/deep/up/a.json", "plans/deep/up/b.json")]),
        (["plans/../plans/[ab].json"], [("plans/../plans/a.json", "plans/../plans/b.json")]),
        (["pl?ns"], [EVERY]),
        (["plans/a.json"], [EVERY[:1]]),
        (["plans/a.json", "plans"], [EVERY[:1], EVERY[1:]]),
        (["plans", "plans/*.json"], [EVERY, ()]),
        (["plans/a.json", "plans/a.json"], [EVERY[:1], EVERY[:1]]),
        (["[x].json"], [("[x].json",)]),
        (["-", "no-such-file"], [("-",), ("no-such-file",)]),
        (["empty", "plans/*.jsn"], [(), ()]),
        (["plans/notes.txt"], [("plans/notes.txt",)]),
    ],
)
@pytest.mark.usefixtures("folder")
def test_an_argument_names_these_bundles(arguments: list[str], found: list[tuple[str, ...]]) -> None:
    assert [tuple(path.replace("//", "/") for path in each.bundles) for each in named(arguments)] == found


@pytest.mark.usefixtures("folder")
def test_what_a_folder_repeats_does_not_make_it_empty() -> None:
    assert [each.empty for each in named(["plans", "plans", "empty", "plans/*.jsn", "plans/a.json", "none"])] == [
        *(False, False, True, True, False, False)
    ]


def test_a_pattern_may_begin_at_the_root(folder: Path) -> None:
    (found,) = named([f"{folder}/plans/*.json"])
    assert found.bundles == (f"{folder}/plans/a.json", f"{folder}/plans/b.json")


@pytest.mark.usefixtures("folder")
def test_there_is_a_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "MOST", 3)
    with pytest.raises(UsageError, match="more than 3 bundles"):
        named(["plans"])


def test_a_place_is_relative_inside_and_absolute_outside(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert place_of("-") == ""
    assert place_of("plans/../plans/a.json") == "plans/a.json"
    assert place_of(str(folder / "plans" / "a.json")) == "plans/a.json"
    assert place_of("..a/b.json") == "..a/b.json"
    monkeypatch.chdir(folder / "empty")
    assert place_of("../plans/a.json") == str(folder / "plans" / "a.json")


@pytest.mark.usefixtures("folder", "asked")
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("argument", ["empty", "nothing/*.json"])
def test_nothing_found_is_no_success_in_any_format(argument: str, form: str, blueprint: Run) -> None:
    done = blueprint("verify", argument, "--format", form)
    assert done.code == 3
    assert b"nothing.found" in done.out
    assert blueprint("verify", "plans/a.json", argument, "--format", form).code == 3


@pytest.mark.usefixtures("folder")
def test_a_folder_is_many_bundles_with_one_summary(blueprint: Run, asked: list[object]) -> None:
    done = blueprint("verify", "plans")
    assert (done.code, done.err) == (0, "")
    assert asked == list(EVERY)
    assert done.out.decode().splitlines()[-1].startswith("verified 4 bundles: 4 verified; 4 relations, 8 claims, ")


@pytest.mark.usefixtures("folder", "asked")
def test_a_program_meets_one_kind_of_document(blueprint: Run) -> None:
    """However many bundles a folder happens to hold."""
    for arguments, schema in (
        (["plans/a.json"], "blueprint.report/1"),
        (["plans/a.json", "plans/b.json"], "blueprint.reports/1"),
        (["plans/deep/er"], "blueprint.reports/1"),
        (["plans/deep/er/*.json"], "blueprint.reports/1"),
        (["empty"], "blueprint.reports/1"),
    ):
        assert json.loads(blueprint("verify", *arguments, "--format", "json").out)["schema"] == schema


@pytest.mark.usefixtures("folder", "asked")
def test_a_report_never_replaces_a_bundle_in_a_folder(blueprint: Run) -> None:
    done = blueprint("verify", "plans", "-o", "plans/deep/c.json")
    assert (done.code, done.out) == (2, b"")
    assert done.err == "blueprint: error: plans/deep/c.json: a report would replace the bundle\n"


CODES = {"verified": 0, "inference": 0, "refuted": 1, "not_established": 3, "malformed": 2, "empty": 3, "error": 4}


@pytest.mark.usefixtures("asked")
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("case", samples.ALL)
def test_the_status_is_that_of_the_verdict_in_every_format(
    case: str, form: str, blueprint: Run, tmp_path: Path
) -> None:
    assert blueprint("verify", f"{case}.json", "--format", form).code == CODES[case]
    assert blueprint("verify", f"{case}.json", "-o", str(tmp_path / "x"), "--format", form).code == CODES[case]
    assert blueprint("verify", f"{case}.json", "--report", f"{form}={tmp_path / 'y'}").code == CODES[case]
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()


@pytest.mark.usefixtures("asked")
@pytest.mark.parametrize("form", FORMATS)
def test_the_worst_of_several_counts_in_every_format(form: str, blueprint: Run) -> None:
    for cases, code in (
        (("verified", "not_established"), 3),
        (("verified", "not_established", "malformed"), 2),
        (("malformed", "refuted", "verified"), 1),
        (("refuted", "error", "malformed"), 4),
    ):
        assert blueprint("verify", *(f"{case}.json" for case in cases), "--format", form).code == code


@pytest.mark.usefixtures("folder")
def test_one_run_writes_every_format(blueprint: Run, asked: list[object], tmp_path: Path) -> None:
    reports = [f"--report={form}={tmp_path / form}" for form in FORMATS]
    done = blueprint("verify", "plans/a.json", *reports)
    assert (done.code, len(asked)) == (0, 1)
    assert (tmp_path / "text").read_bytes() == done.out
    assert all((tmp_path / form).stat().st_size for form in FORMATS)
