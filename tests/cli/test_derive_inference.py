"""`derive inference`: its options are read strictly, its bytes are always the same, its bindings can be expected."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from blueprint.derivation import derive
from blueprint.frontend.models import builtin
from blueprint.frontend.request import inference_request
from blueprint.ir.common import DType
from tests.cli.conftest import ROOT, Run

GOOD = {"--model": "gpt2", "--tensor": "2", "--batch": "3", "--prompt": "128", "--context": "256"}
NUMBERS = ("--tensor", "--batch", "--prompt", "--context", "--device-memory")


def _line(**changes: str) -> list[str]:
    options = GOOD | {f"--{name.replace('_', '-')}": value for name, value in changes.items()}
    return ["derive", "inference", *(f"{name}={value}" for name, value in options.items())]


@pytest.fixture(scope="module")
def good() -> bytes:
    """The same derivation by the library."""
    return derive(inference_request(builtin("gpt2"), tensor=2, batch=3, prompt=128, context=256))


@pytest.fixture
def path(good: bytes, tmp_path: Path) -> str:
    """The same derivation in a file."""
    found = tmp_path / "good.json"
    found.write_bytes(good)
    return str(found)


# Refused -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"prompt": "257"}, "the prompt has 257 tokens, more than the context c = 256"),
        ({"context": "127"}, "the prompt has 128 tokens, more than the context c = 127"),
        ({"tensor": "5"}, "heads h = 12 is not divisible by tensor degree t = 5"),
        ({"tensor": "24"}, "heads h = 12 is not divisible by tensor degree t = 24"),
        ({"tensor": "65537"}, "--tensor: 65537 is not from 1 to 65536"),
        ({"batch": "0"}, "--batch: 0 is not from 1 to 9223372036854775807"),
        ({"prompt": "0"}, "--prompt: 0 is not from 1 to 9223372036854775807"),
        ({"context": "0"}, "--context: 0 is not from 1 to 9223372036854775807"),
        ({"tensor": "0"}, "--tensor: 0 is not from 1 to 65536"),
        ({"device_memory": "0"}, "--device-memory: 0 is not from 1 to 9223372036854775807"),
        ({"dtype": "fp8"}, '--dtype: "fp8" is not known; choose float32 or float16 or bfloat16'),
        ({"target": "gpu"}, '--target: "gpu" is not known'),
        ({"model": "llama-2-7b"}, "model llama-2-7b has a gated feed-forward network"),
        ({"model": "llama-3-8b"}, "model llama-3-8b has grouped-query attention"),
        ({"batch": str(2**62)}, " exceed the limit of 2^63 - 1"),
        *(({name: "2"}, f"No such option: --{name}") for name in ("sequence", "microbatch", "zero", "data")),
        *(({name: "none"}, f"No such option: --{name}") for name in ("recompute", "communication")),
    ],
    ids=str,
)
def test_what_no_law_covers_is_refused(changes: dict[str, str], words: str, blueprint: Run, tmp_path: Path) -> None:
    out = tmp_path / "none.json"
    done = blueprint(*_line(**changes), "-o", str(out))
    assert (done.code, done.out) == (2, b"")
    assert done.err.startswith("blueprint: error: ")
    assert words in done.err
    assert done.err.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize("value", ["1e3", "+5", "-1", " 5", "1_0", "0x10", "08", "1.0", "", "five", "\u0665"])
@pytest.mark.parametrize("option", NUMBERS)
def test_a_number_is_plain_digits(option: str, value: str, blueprint: Run) -> None:
    done = blueprint(*_line(**{option.removeprefix("--").replace("-", "_"): value}))
    assert (done.code, done.out) == (2, b"")
    assert f"{option}: " in done.err
    assert "is not a whole number in plain digits" in done.err


@pytest.mark.parametrize("option", list(GOOD))
def test_every_number_is_asked_for(option: str, blueprint: Run) -> None:
    """None of them has a value that would be right for everyone."""
    line = [each for each in _line() if not each.startswith(f"{option}=")]
    done = blueprint(*line)
    assert (done.code, done.out) == (2, b"")
    assert f"Missing option '{option}'" in done.err


@pytest.mark.parametrize(
    ("prompt", "context"), [("1", "1"), ("256", "256"), ("1", "256")], ids=["one token", "no new one", "one of prompt"]
)
def test_the_ends_of_the_domain_are_in_it(prompt: str, context: str, blueprint: Run, tmp_path: Path) -> None:
    out = str(tmp_path / "end.json")
    assert blueprint(*_line(prompt=prompt, context=context), "-o", out).code == 0
    assert blueprint("verify", out).code == 0


# The same bytes ------------------------------------------------------------------------------------------------------


def test_the_same_bytes_every_time(good: bytes, blueprint: Run, tmp_path: Path) -> None:
    """By the library and by the command, and in processes that hash differently."""
    out = tmp_path / "again.json"
    assert blueprint(*_line(), "-o", str(out)).code == 0
    assert out.read_bytes() == good
    for seed in ("0", "1"):
        command = [sys.executable, "-m", "blueprint", *_line(), "-o", "-"]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
        assert done.stdout == good


@pytest.mark.parametrize(
    "changes", [{"prompt": "129"}, {"context": "257"}, {"batch": "4"}, {"tensor": "1"}, {"dtype": "float32"}], ids=str
)
def test_every_option_is_in_the_bytes(changes: dict[str, str], good: bytes, blueprint: Run, tmp_path: Path) -> None:
    out = tmp_path / "other.json"
    assert blueprint(*_line(**changes), "-o", str(out)).code == 0
    ours, theirs = json.loads(good), json.loads(out.read_bytes())
    assert ours["request_digest"] != theirs["request_digest"]
    assert ours["fingerprint"] != theirs["fingerprint"]


# What may be expected ------------------------------------------------------------------------------------------------

BOUND = {
    "prompt": ("128", "256"),
    "context": ("256", "128"),
    "batch": ("3", "1"),
    "tensor": ("2", "1"),
    "dtype": ("bfloat16", "float16"),
    "purpose": ("inference", "training"),
    "model": ("gpt2", "gpt2-xl"),
    "device_memory": ("any", "1"),
    "heads": ("12", "16"),
}
"""Binding -> its value here, and one that it could have."""


@pytest.mark.parametrize("key", BOUND)
def test_a_binding_of_inference_can_be_expected(key: str, path: str, blueprint: Run) -> None:
    right, wrong = BOUND[key]
    assert blueprint("verify", path, "--expect", f"{key}={right}").code == 0
    done = blueprint("verify", path, "--expect", f"{key}={wrong}")
    assert done.code == 1
    assert f"{key} is {right}, expected {wrong}" in done.out.decode()


def test_all_of_them_together(path: str, blueprint: Run) -> None:
    options = [part for key, (right, _) in BOUND.items() for part in ("--expect", f"{key}={right}")]
    assert blueprint("verify", path, *options).code == 0
    assert blueprint("verify", path, *options, "--expect", "hidden=1024").code == 1


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        ("queries=1", "no binding 'queries'; known are abi, activation, architecture, attention, batch"),
        ("prompt=0", f"prompt cannot be '0'; it is a whole number from 1 to {2**63 - 1}"),
        ("context=many", f"context cannot be 'many'; it is a whole number from 1 to {2**63 - 1}"),
        ("purpose=serving", "purpose cannot be 'serving'; it is training or inference"),
    ],
)
def test_what_a_binding_can_never_be_is_a_mistake_in_the_command(
    expected: str, words: str, path: str, blueprint: Run
) -> None:
    done = blueprint("verify", path, "--expect", expected)
    assert (done.code, done.out) == (2, b"")
    assert words in done.err


@pytest.mark.parametrize("key", ["sequence", "microbatch", "microbatches"])
def test_what_only_training_has_is_not_met_by_inference(key: str, path: str, blueprint: Run) -> None:
    done = blueprint("verify", path, "--expect", f"{key}=3")
    assert done.code == 1
    assert f"expect: {key}: {key} is none, expected 3".encode() in done.out
    assert blueprint("verify", path, "--expect", f"{key}=none").code == 0


# Device memory -------------------------------------------------------------------------------------------------------

# GPT-2 on two ranks at b = 3, by hand: twelve matrices of H^2, split biases of q, k, v and up, whole norms and biases.
HIDDEN, SHARD, BATCH, WIDTH = 768, 768 // 2, 3, 2
WEIGHTS = WIDTH * (12 * HIDDEN * SHARD + 3 * SHARD + 4 * SHARD + 4 * HIDDEN + 2 * HIDDEN)


def _needed(queries: int, context: int) -> int:
    """Weights, two caches, the stream's rows and the largest of q, k and v, scores, and feed-forward rows."""
    rows = BATCH * queries
    arms = (rows * 3 * SHARD, BATCH * 6 * queries * context, rows * 4 * SHARD)
    return WEIGHTS + WIDTH * (2 * BATCH * context * SHARD + rows * HIDDEN + max(arms))


PROMPT, LAST = _needed(128, 128), _needed(1, 256)


@pytest.mark.parametrize("memory", [1, LAST - 1, LAST, PROMPT - 1])
def test_a_step_that_does_not_fit_is_refused_with_both_numbers(memory: int, blueprint: Run, tmp_path: Path) -> None:
    out = tmp_path / "small.json"
    done = blueprint(*_line(device_memory=str(memory)), "-o", str(out))
    assert (done.code, done.out) == (1, b"")
    assert done.err.startswith("blueprint: error: PlanTransformerInferencePass: ")
    assert "law inference-capacity" in done.err
    assert f" = {PROMPT}, may be at most C_dev = {memory} (" in done.err
    assert done.err.count("\n") == 1
    assert not out.exists()


def test_the_last_step_may_be_what_does_not_fit(blueprint: Run, tmp_path: Path) -> None:
    """A long context after a short prompt: its caches are what the device lacks."""
    small, large = _needed(1, 1), _needed(1, 1024)
    assert small < large
    out = tmp_path / "long.json"
    line = _line(prompt="1", context="1024", device_memory=str(large - 1))
    done = blueprint(*line, "-o", str(out))
    assert (done.code, done.out) == (1, b"")
    assert f" = {large}, may be at most C_dev = {large - 1} (" in done.err
    assert not out.exists()


@pytest.mark.parametrize("more", [0, 1])
def test_a_device_that_holds_both_steps_is_proved_to(more: int, blueprint: Run, tmp_path: Path) -> None:
    assert LAST < PROMPT
    out, memory = str(tmp_path / "fits.json"), PROMPT + more
    assert blueprint(*_line(device_memory=str(memory)), "-o", out).code == 0
    done = blueprint("verify", out, "--format", "json", "--expect", f"device_memory={memory}")
    assert done.code == 0
    report: dict[str, Any] = json.loads(done.out)
    rows = {each["branch"]: int(each["total"]) for each in report["subject"]["memory"]}
    assert rows == {"prefill": PROMPT, "final-decode": LAST}
    laws = [law for each in report["transitions"] for law in each["laws"] if law["id"] == "inference-capacity"]
    assert [law["status"] for law in laws] == ["proved", "proved"]
    assert blueprint("verify", out, "--expect", f"device_memory={memory - 1}").code == 1


def test_the_element_type_counts(blueprint: Run, tmp_path: Path) -> None:
    """Four bytes an element need twice the memory of two, to the byte."""
    out = str(tmp_path / "wide.json")
    assert blueprint(*_line(device_memory=str(2 * PROMPT), dtype=DType.FLOAT32.value), "-o", out).code == 0
    done = blueprint(*_line(device_memory=str(2 * PROMPT - 1), dtype=DType.FLOAT32.value), "-o", out)
    assert (done.code, f" = {2 * PROMPT}, may be at most " in done.err) == (1, True)
