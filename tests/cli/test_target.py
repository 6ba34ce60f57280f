"""`derive training --target queue|slot [--emit]` and `verify`, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run

SMALL = "derive training --model gpt2 --tensor 2 --microbatch 1 --sequence 128".split()
LONG = "derive training --model gpt2 --tensor 2 --microbatch 1 --sequence 1024".split()
GPT3 = "derive training --model gpt3-175b --tensor 8 --pipeline 8 --data 8 --microbatch 1 --sequence 2048".split()


def derived(blueprint: Run, path: Path, *options: str, line: list[str] = SMALL) -> bytes:
    done = blueprint(*line, *options, "-o", str(path))
    assert (done.code, done.out) == (0, b""), done.err
    return path.read_bytes()


def verified(blueprint: Run, path: Path) -> dict[str, Any]:
    done = blueprint("verify", str(path), "--format", "json")
    assert done.code == 0, done.err
    report: dict[str, Any] = json.loads(done.out)
    assert report["verdict"] == "verified"
    statuses = report["summary"]["by_status"]
    assert {status for status, count in statuses.items() if count != "0"} <= {"proved", "not-applicable"}
    return report


@pytest.mark.parametrize("target", ["queue", "slot"])
@pytest.mark.parametrize("line", [SMALL, GPT3], ids=["gpt2", "gpt3-175b"])
def test_all_five_stages_are_derived_and_verified(line: list[str], target: str, blueprint: Run, tmp_path: Path) -> None:
    path = tmp_path / "block.json"
    first = derived(blueprint, path, "--target", target, "--emit", line=line)
    assert derived(blueprint, path, "--target", target, "--emit", line=line) == first
    report = verified(blueprint, path)
    stages = report["subject"]["stages"]
    assert [row["stage"] for row in stages] == ["model", "distributed", "portable", "concrete", "machine"]
    assert all(row["digest"] and not row["unavailable"] for row in stages)
    passes = [each["pass"] for each in report["transitions"]]
    binding = {"queue": "BindReferenceQueueTargetPass", "slot": "BindReferenceSlotTargetPass"}[target]
    assert passes[3:] == [binding, "EmitReferenceMachinePass"]
    laws = {law["id"]: law["status"] for each in report["transitions"] for law in each["laws"]}
    other = "slot-order" if target == "queue" else "queue-order"
    assert laws.items() >= {"aligned-buffers": "proved", f"{target}-order": "proved", "emission": "proved"}.items()
    assert laws[other] == "not-applicable"
    bindings = report["subject"]["bindings"]
    assert bindings["target"] == {
        "name": f"reference-{target}",
        "kind": target,
        "attention": "attention.unfused",
        "architecture": "reference",
        "abi": f"blueprint.{target}",
        "revision": "1",
        "emit": "yes",
    }
    assert bindings["deployment"] == {
        "devices": "2" if line is SMALL else "8",
        "topology": "all-to-all",
        "device_memory": "any",
    }


@pytest.mark.parametrize("target", ["queue", "slot"])
def test_without_emit_the_program_is_unavailable(target: str, blueprint: Run, tmp_path: Path) -> None:
    path = tmp_path / "bound.json"
    derived(blueprint, path, "--target", target)
    stages = verified(blueprint, path)["subject"]["stages"]
    assert [row["unavailable"] for row in stages] == ["", "", "", "", "the request does not ask for instructions"]
    text = blueprint("verify", str(path)).out.decode("ascii")
    assert "stage machine: unavailable: the request does not ask for instructions" in text
    said = f"target: name=reference-{target} abi=blueprint.{target} architecture=reference attention=attention.unfused"
    assert f"{said} emit=no" in text


def test_without_a_target_both_are_unavailable(blueprint: Run, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    derived(blueprint, path)
    stages = verified(blueprint, path)["subject"]["stages"]
    assert [row["unavailable"] for row in stages[3:]] == ["the request names no target"] * 2


def test_the_target_can_be_expected(blueprint: Run, tmp_path: Path) -> None:
    path = tmp_path / "bound.json"
    derived(blueprint, path, "--target", "queue", "--devices", "4")
    for expected, code in (
        ("target=queue", 0),
        ("target=slot", 1),
        ("target=none", 1),
        ("target=gpu", 2),
        ("emit=no", 0),
        ("emit=yes", 1),
        ("emit=maybe", 2),
        ("devices=4", 0),
        ("devices=2", 1),
        ("architecture=reference", 0),
        ("topology=all-to-all", 0),
        ("topology=ring", 2),
    ):
        assert blueprint("verify", str(path), "--expect", expected).code == code, expected
    plain = tmp_path / "plan.json"
    derived(blueprint, plain)
    for expected, code in (
        ("target=none", 0),
        ("target=queue", 1),
        ("emit=no", 0),
        ("devices=any", 0),
        ("abi=none", 0),
    ):
        assert blueprint("verify", str(plain), "--expect", expected).code == code, expected


def test_a_device_without_room_for_the_layout_is_refused_and_nothing_is_written(blueprint: Run, tmp_path: Path) -> None:
    """What a rank keeps would fit; what the plan lays out, which reuses no memory, does not."""
    path = tmp_path / "bound.json"
    bundle = json.loads(derived(blueprint, path, "--target", "queue", line=LONG))
    (region,) = bundle["stages"][3]["snapshot"]["regions"]
    extent = region["extent"]
    small = tmp_path / "small.json"
    done = blueprint(*LONG, "--target", "queue", "--device-memory", str(extent - 1), "-o", str(small))
    assert (done.code, done.out) == (1, b"")
    assert done.err.startswith("blueprint: error: BindReferenceQueueTargetPass: steps 9 to 12, law aligned-buffers ")
    assert f"{extent}, may be at most {extent - 1}" in done.err
    assert not small.exists()
    derived(blueprint, small, "--target", "queue", "--device-memory", str(extent), line=LONG)
    verified(blueprint, small)


def test_a_bundle_cut_before_its_program_is_not_established(blueprint: Run, tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    bundle = json.loads(derived(blueprint, path, "--target", "slot", "--emit"))
    for members in ("stages", "transitions"):
        bundle[members].pop()
    path.write_text(json.dumps(bundle, sort_keys=True, separators=(",", ":")), encoding="ascii")
    done = blueprint("verify", str(path))
    assert done.code == 3
    assert "stage machine: unavailable: missing from the bundle" in done.out.decode("ascii")


def test_a_stage_that_nobody_asked_for_is_refused(blueprint: Run, tmp_path: Path) -> None:
    """The request fixes which stages there are."""
    path = tmp_path / "more.json"
    bundle = json.loads(derived(blueprint, path, "--target", "slot", "--emit"))
    bundle["request"]["target"]["emit"] = False
    path.write_text(json.dumps(bundle, sort_keys=True, separators=(",", ":")), encoding="ascii")
    done = blueprint("verify", str(path))
    assert done.code == 1
    assert "expected no further stage here" in done.out.decode("ascii")
