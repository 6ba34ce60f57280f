"""What is left of an input that was refused is never read as if it were the whole, and other odd inputs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from blueprint.codec import BUNDLE_LIMIT
from tests.bundles.test_false_binding import QUEUE, TINY, bundle

COMMAND = [sys.executable, "-m", "blueprint"]


@pytest.mark.parametrize("command", ["report", "verify"])
@pytest.mark.parametrize("more", [[], ["--format", "json"]])
def test_a_good_bundle_behind_too_many_bytes_is_not_verified(command: str, more: list[str]) -> None:
    data = b" " * (BUNDLE_LIMIT + 1) + bundle(TINY[QUEUE])
    done = subprocess.run([*COMMAND, command, "-", *more], input=data, capture_output=True, check=False)
    assert done.returncode == 2
    assert b"larger than the limit" in done.stdout + done.stderr
    assert b"malformed" in done.stdout


def test_explaining_what_cannot_be_read_says_only_that() -> None:
    data = b" " * (BUNDLE_LIMIT + 1) + bundle(TINY[QUEUE])
    done = subprocess.run([*COMMAND, "report", "-", "--explain", "x"], input=data, capture_output=True, check=False)
    assert done.returncode == 2
    assert b"verified" not in done.stdout + done.stderr


@pytest.mark.parametrize("arguments", [["verify", ""], ["report", ""], ["verify", "b.json", "-o", ""]])
def test_an_empty_name_is_wrong_usage(arguments: list[str]) -> None:
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "a name is empty" in done.stderr


def test_standard_output_under_another_name_is_refused_before_the_work(tmp_path: Path) -> None:
    place = tmp_path / "good.json"
    place.write_bytes(bundle(TINY[QUEUE]))
    arguments = ["verify", str(place), "-o", "/dev/stdout"]
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "- is standard output" in done.stderr


def test_a_configuration_that_is_no_file_is_not_overlooked(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pyproject.toml")
    place = tmp_path / "good.json"
    place.write_bytes(bundle(TINY[QUEUE]))
    done = subprocess.run([*COMMAND, "verify", "good.json"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "is a pipe, not a regular file" in done.stderr


def test_findings_have_one_order_whatever_the_hash_seed(tmp_path: Path) -> None:
    from blueprint.ir.common import Stage  # noqa: PLC0415
    from tests.reseal import Draft  # noqa: PLC0415

    draft = Draft(bundle(TINY[QUEUE]))
    tasks = draft.entities(Stage.PORTABLE, "tasks")
    others = [each["id"] for each in tasks if each["name"].endswith(".forward")]
    draft.entity(Stage.PORTABLE, "tasks", "optimizer")["dependencies"] = others
    place = tmp_path / "false.json"
    place.write_bytes(draft.sealed())
    shown = {
        subprocess.run(
            [*COMMAND, "verify", "false.json"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=False,
        ).stdout
        for seed in range(3)
    }
    assert len(shown) == 1
    assert b" should not have " in shown.pop()


def test_a_demand_on_training_does_not_break_off_a_folder_with_inference(tmp_path: Path) -> None:
    (tmp_path / "false.json").write_bytes(bundle(TINY[QUEUE]))
    arguments = ["verify", "false.json", "--expect", "prompt=16"]
    done = subprocess.run([*COMMAND, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "prompt is none, expected 16" in done.stdout
