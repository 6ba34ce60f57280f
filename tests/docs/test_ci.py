"""The workflow that the documents show, run as a runner would, and the hook as pre-commit reads it."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
import yaml

from blueprint.codec import encode
from blueprint.derivation import derive
from blueprint.frontend.models import builtin
from blueprint.frontend.request import training_request
from blueprint.ir.common import Stage
from tests.reseal import Draft

ROOT = Path(__file__).resolve().parents[2]
HOOKS, PAGE, README = ROOT / ".pre-commit-hooks.yaml", ROOT / "docs" / "ci.md", ROOT / "README.md"

BLOCK: Final = re.compile(r"```yaml\n(.*?)```\n", re.DOTALL)


def blocks(document: Path) -> list[str]:
    """The YAML of a document, block by block."""
    return BLOCK.findall(document.read_text(encoding="utf-8"))


def steps() -> list[dict[str, Any]]:
    """The steps of the workflow."""
    found: list[dict[str, Any]] = yaml.safe_load(blocks(README)[0])["jobs"]["verify"]["steps"]
    return found


def runs() -> list[str]:
    """What the steps run in a shell, but for the installation."""
    return [each["run"] for each in steps() if "run" in each and "pip install" not in each["run"]]


# The workflow ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bundles() -> Mapping[str, bytes]:
    """A good bundle, and one with an operation too many, all digests made again."""
    good = derive(training_request(builtin("gpt2"), sequence=64, tensor=2))
    draft = Draft(good)
    draft.entities(Stage.DISTRIBUTED, "tasks")[0]["work"]["operations"] += 1
    return {"verified": good, "refuted": draft.sealed(), "not canonical": encode("no bundle")}


class Done(NamedTuple):
    """What the runner is left with."""

    code: int
    out: str
    summary: str
    sarif: dict[str, Any] | None


def as_a_runner_does(folder: Path) -> Done:
    """Every run step in turn, up to the first that fails, with a file for the page of the run."""
    tools = folder / "tools"
    tools.mkdir()
    command = tools / "blueprint"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m blueprint "$@"\n', encoding="ascii")
    command.chmod(0o755)
    summary = folder / "step summary"
    summary.touch()
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_STEP_SUMMARY": str(summary),
    }
    out, code = "", 0
    for script in runs():
        shell = ["bash", "-e", "-c", script]
        done = subprocess.run(shell, cwd=folder, env=environment, check=False, capture_output=True, text=True)
        out, code = out + done.stdout, done.returncode
        if code:
            break
    sarif = folder / "blueprint.sarif"
    read = json.loads(sarif.read_bytes()) if sarif.exists() else None
    return Done(code, out, summary.read_text(encoding="utf-8"), read)


def lay(folder: Path, data: bytes) -> None:
    """One bundle somewhere below plans/, beside a file that is none."""
    place = folder / "plans" / "training" / "step.bundle.json"
    place.parent.mkdir(parents=True)
    place.write_bytes(data)
    (folder / "plans" / "notes.json").write_text("{}", encoding="ascii")


def test_a_good_bundle_passes_and_its_summary_says_so(bundles: Mapping[str, bytes], tmp_path: Path) -> None:
    lay(tmp_path, bundles["verified"])
    done = as_a_runner_does(tmp_path)
    assert done.code == 0
    assert done.sarif is not None
    assert [run["results"] for run in done.sarif["runs"]] == [[]]
    assert "::error" not in done.out
    assert "verified" in done.summary
    assert "plans/training/step.bundle.json" in done.summary


def test_a_false_bundle_fails_and_every_reader_is_told(bundles: Mapping[str, bytes], tmp_path: Path) -> None:
    lay(tmp_path, bundles["refuted"])
    done = as_a_runner_does(tmp_path)
    assert done.code == 1
    assert done.sarif is not None
    (run,) = done.sarif["runs"]
    places = {each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in run["results"]}
    assert places == {"plans/training/step.bundle.json"}
    assert "::error file=plans/training/step.bundle.json" in done.out
    assert "refuted" in done.summary


@pytest.mark.parametrize(("data", "code"), [("not canonical", 2), ("", 3)])
def test_nor_does_it_pass_without_a_bundle(data: str, code: int, bundles: Mapping[str, bytes], tmp_path: Path) -> None:
    if data:
        lay(tmp_path, bundles[data])
    done = as_a_runner_does(tmp_path)
    assert done.code == code
    assert done.sarif is not None


def test_what_is_written_is_uploaded_whether_or_not_the_run_fails() -> None:
    (script,) = runs()
    (upload,) = (each for each in steps() if each.get("uses", "").startswith("github/codeql-action/upload-sarif@"))
    assert f"--report sarif={upload['with']['sarif_file']}" in " ".join(script.split())
    assert upload["if"] == "always()"
    workflow = yaml.safe_load(blocks(README)[0])
    assert workflow["permissions"] == {"contents": "read", "security-events": "write"}


def test_what_is_installed_is_this_package() -> None:
    (install,) = (each["run"] for each in steps() if "pip install" in each.get("run", ""))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert install == f"pip install {project['name']}"
    (python,) = (each["with"]["python-version"] for each in steps() if "setup-python" in each.get("uses", ""))
    assert f"Programming Language :: Python :: {python}" in project["classifiers"]


def test_readme_and_page_show_the_same_workflow() -> None:
    (shown,) = blocks(README)
    assert shown == blocks(PAGE)[0]


# The other examples of the page, and the hook -------------------------------------------------------------------------


def hooks() -> list[dict[str, Any]]:
    """The hooks of this repository."""
    found: list[dict[str, Any]] = yaml.safe_load(HOOKS.read_text(encoding="ascii"))
    return found


def validated(kind: str, path: Path) -> int:
    """Whether pre-commit takes a file, as its exit status."""
    command = [sys.executable, "-m", "pre_commit", f"validate-{kind}", str(path)]
    return subprocess.run(command, check=False, capture_output=True).returncode


def test_pre_commit_takes_the_hooks_and_no_broken_ones(tmp_path: Path) -> None:
    assert validated("manifest", HOOKS) == 0
    (hook,) = hooks()
    broken = tmp_path / "hooks.yaml"
    broken.write_text(yaml.safe_dump([{name: value for name, value in hook.items() if name != "entry"}]))
    assert validated("manifest", broken) == 1


def test_pre_commit_takes_the_example_and_it_names_the_hook(tmp_path: Path) -> None:
    example = tmp_path / "config.yaml"
    example.write_text(blocks(PAGE)[1], encoding="ascii")
    assert validated("config", example) == 0
    (repository,) = yaml.safe_load(blocks(PAGE)[1])["repos"]
    assert [each["id"] for each in repository["hooks"]] == [each["id"] for each in hooks()]


def command_line(line: str, *more: str, folder: Path) -> int:
    """The exit status of a command line that begins with `blueprint`."""
    program, *arguments = shlex.split(line)
    assert program == "blueprint"
    return subprocess.run(
        [sys.executable, "-m", "blueprint", *arguments, *more],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
        capture_output=True,
    ).returncode


def test_the_hook_runs_on_bundles_alone_and_fails_for_a_false_one(bundles: Mapping[str, bytes], tmp_path: Path) -> None:
    (hook,) = hooks()
    (repository,) = yaml.safe_load(blocks(PAGE)[1])["repos"]
    files = ["good.bundle.json", "deep/bad.bundle.json", "other.json", "good.bundle.json.txt"]
    assert [each for each in files if re.search(hook["files"], each)] == files[:2]
    (tmp_path / "good.bundle.json").write_bytes(bundles["verified"])
    (tmp_path / "bad.bundle.json").write_bytes(bundles["refuted"])
    assert command_line(hook["entry"], "good.bundle.json", folder=tmp_path) == 0
    assert command_line(hook["entry"], "good.bundle.json", "bad.bundle.json", folder=tmp_path) == 1
    # The example demands another model than this bundle is about.
    assert command_line(hook["entry"], *repository["hooks"][0]["args"], "good.bundle.json", folder=tmp_path) == 1
    assert command_line(hook["entry"], "--expect", "model=gpt2", "good.bundle.json", folder=tmp_path) == 0


def test_the_line_for_other_runners_writes_what_it_names(bundles: Mapping[str, bytes], tmp_path: Path) -> None:
    job = yaml.safe_load(blocks(PAGE)[2])["verify"]
    lay(tmp_path, bundles["refuted"])
    (tmp_path / "plans" / "notes.json").unlink()
    assert command_line(job["script"], folder=tmp_path) == 1
    assert (tmp_path / job["artifacts"]["reports"]["junit"]).read_bytes().startswith(b"<?xml")
