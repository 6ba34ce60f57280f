"""`derive training --device-memory`: what does not fit is refused with both numbers, what fits is proved to fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run

SMALL = "derive training --model gpt2 --tensor 2 --microbatch 1 --sequence 128".split()


def _derived(blueprint: Run, path: Path, *options: str) -> None:
    done = blueprint(*SMALL, *options, "-o", str(path))
    assert (done.code, done.out) == (0, b"")
    assert done.err.startswith(f"blueprint: derived {path.stat().st_size} bytes, sha256 ")


def _verified(blueprint: Run, path: Path) -> dict[str, Any]:
    done = blueprint("verify", str(path), "--format", "json")
    assert done.code == 0
    report: dict[str, Any] = json.loads(done.out)
    assert report["verdict"] == "verified"
    return report


def _capacity(report: dict[str, Any]) -> dict[str, Any]:
    (found,) = (law for each in report["transitions"] for law in each["laws"] if law["id"] == "capacity")
    assert isinstance(found, dict)
    return found


@pytest.fixture
def needed(blueprint: Run, tmp_path: Path) -> int:
    """What the small plan needs, as the report on it says."""
    _derived(blueprint, tmp_path / "any.json")
    (memory,) = _verified(blueprint, tmp_path / "any.json")["subject"]["memory"]
    total = sum(int(size) for fact, size in memory["facts"].items() if fact != "parameters")
    assert int(memory["total"]) == total
    return total


def test_a_plan_that_does_not_fit_is_refused_and_nothing_is_written(
    needed: int, blueprint: Run, tmp_path: Path
) -> None:
    path = tmp_path / "small.json"
    for memory in (1, needed - 1):
        done = blueprint(*SMALL, "--device-memory", str(memory), "-o", str(path))
        assert (done.code, done.out) == (1, b"")
        assert done.err.startswith("blueprint: error: PlanTransformerTrainingPass: steps 9 to 12, law capacity ")
        assert f"= {needed}, may be at most C_dev = {memory} (" in done.err
        assert done.err.count("\n") == 1
        assert not path.exists()
    done = blueprint(*SMALL, "--device-memory", str(needed - 1))
    assert (done.code, done.out) == (1, b"")


def test_a_file_that_stands_there_already_is_kept(blueprint: Run, tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    path.write_text("kept", encoding="ascii")
    assert blueprint(*SMALL, "--device-memory", "1000", "-o", str(path)).code == 1
    assert path.read_text(encoding="ascii") == "kept"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("more", [0, 1])
def test_a_plan_that_fits_is_proved_to(more: int, needed: int, blueprint: Run, tmp_path: Path) -> None:
    path, memory = tmp_path / "fits.json", needed + more
    _derived(blueprint, path, "--device-memory", str(memory))
    report = _verified(blueprint, path)
    law = _capacity(report)
    assert (law["status"], law["members"], law["expected_members"]) == ("proved", "1", "1")
    assert law["statement"] == "weights, gradients, optimizer state and activations fit the device"
    assert report["subject"]["bindings"]["deployment"] == {
        "device_memory": str(memory),
        "devices": "2",
        "topology": "all-to-all",
    }
    assert blueprint("verify", str(path), "--expect", f"device_memory={memory}").code == 0
    assert blueprint("verify", str(path), "--expect", f"device_memory={memory + 1}").code == 1
    assert blueprint("verify", str(path), "--expect", "device_memory=any").code == 1


def test_without_a_device_capacity_is_not_asked(blueprint: Run, tmp_path: Path) -> None:
    path = tmp_path / "any.json"
    _derived(blueprint, path)
    report = _verified(blueprint, path)
    law = _capacity(report)
    assert (law["status"], law["members"], law["obligations"]) == ("not-applicable", "0", [])
    assert report["subject"]["bindings"]["deployment"] == {"device_memory": "any"}
    assert "deployment" not in json.loads(path.read_bytes())["request"]
    assert blueprint("verify", str(path), "--expect", "device_memory=any").code == 0


@pytest.mark.parametrize("value", ["0", "-1", "80GB", "8e10", "1.5", "", "any", str(2**63)])
def test_a_wrong_size_is_a_mistake_in_the_command(value: str, blueprint: Run, tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    done = blueprint(*SMALL, f"--device-memory={value}", "-o", str(path))
    assert (done.code, done.out) == (2, b"")
    assert done.err.startswith("blueprint: error: --device-memory: ")
    assert not path.exists()


def test_the_largest_size_is_one(blueprint: Run, tmp_path: Path) -> None:
    path = tmp_path / "largest.json"
    _derived(blueprint, path, "--device-memory", str(2**63 - 1))
    assert _capacity(_verified(blueprint, path))["status"] == "proved"


@pytest.mark.parametrize(
    ("options", "fits"),
    [
        (("--data", "4", "--zero", "3"), True),
        (("--data", "4", "--zero", "2"), False),
        (("--recompute", "full"), False),
    ],
    ids=["stage 3", "stage 2", "full recompute"],
)
def test_the_strategy_decides_what_fits(
    options: tuple[str, ...], *, fits: bool, blueprint: Run, tmp_path: Path
) -> None:
    """Between what stage 3 needs and what stage 2 needs, by hand: e, g and o bytes of parameters and their quarters."""
    parameters, activations = 3546240, 2654208
    quarter = parameters // 4
    assert 4 * quarter == parameters
    least, next_stage = 16 * quarter + activations, 2 * parameters + 14 * quarter + activations
    memory = (least + next_stage) // 2
    path = tmp_path / "bundle.json"
    done = blueprint(*SMALL, *options, "--device-memory", str(memory), "-o", str(path))
    assert (done.code == 0) is fits
    assert path.exists() is fits
    if options[-1] == "2":
        assert f"= {next_stage}, may be at most C_dev = {memory}" in done.err
