"""Every option of the derive commands is read strictly, and nothing that does not exist is accepted in silence."""

from __future__ import annotations

import pytest

from blueprint.cli import derive
from blueprint.frontend.request import DTYPES, MAX_DEGREE
from blueprint.ir.request import Communication, Recompute, TargetKind
from tests.cli.conftest import Run

GOOD = {"--model": "gpt2", "--tensor": "2", "--microbatch": "1", "--sequence": "128"}
NUMBERS = (
    "--tensor",
    "--pipeline",
    "--data",
    "--microbatch",
    "--sequence",
    "--microbatches",
    "--zero",
    "--gradient-bytes",
    "--device-memory",
)
GOOD_STEPS = {"--model": "gpt2", "--tensor": "2", "--batch": "3", "--prompt": "128", "--context": "160"}
NUMBERS_OF_STEPS = ("--tensor", "--batch", "--prompt", "--context", "--device-memory")
NO_NUMBERS = (
    "10^40", "1e3", "+5", "-1", " 5", "5 ", "5\n", "1_000", "0x10", "08", "1.0", "", "five", "\u0665", "\uff15", "\xb2",
    "1,000",
)  # fmt: skip


def _line(**changes: str) -> list[str]:
    options = GOOD | {f"--{name.replace('_', '-')}": value for name, value in changes.items()}
    return ["derive", "training", *(f"{name}={value}" for name, value in options.items())]


def _steps(**changes: str) -> list[str]:
    options = GOOD_STEPS | {f"--{name.replace('_', '-')}": value for name, value in changes.items()}
    return ["derive", "inference", *(f"{name}={value}" for name, value in options.items())]


def _refused(blueprint: Run, arguments: list[str], *words: str) -> None:
    done = blueprint(*arguments)
    assert (done.code, done.out) == (2, b"")
    assert done.err.startswith("blueprint: error: ")
    assert done.err.count("\n") == 1
    assert done.err.isascii()
    assert [word for word in words if word not in done.err] == []


@pytest.mark.parametrize("value", NO_NUMBERS)
@pytest.mark.parametrize("option", NUMBERS)
def test_a_number_is_plain_digits(option: str, value: str, blueprint: Run) -> None:
    name = option.removeprefix("--").replace("-", "_")
    _refused(blueprint, _line(**{name: value}), f"{option}: ", "is not a whole number in plain digits")


@pytest.mark.parametrize("option", NUMBERS)
@pytest.mark.parametrize("value", ["1" + "0" * 40, "9" * 5000, str(2**63)])
def test_a_number_has_an_upper_bound(option: str, value: str, blueprint: Run) -> None:
    name = option.removeprefix("--").replace("-", "_")
    _refused(blueprint, _line(**{name: value}), f"{option}: ", " is not from ")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"tensor": "0"}, "--tensor: 0 is not from 1 to 65536"),
        ({"zero": "4"}, "--zero: 4 is not from 0 to 3"),
        ({"zero": "1"}, "the data degree is D = 1"),
        ({"gradient_bytes": "3"}, "gradient bytes g = 3 is not 2 or 4"),
        ({"tensor": "65537"}, "--tensor: 65537 is not from 1 to 65536"),
        ({"tensor": "5"}, "heads h = 12 is not divisible by tensor degree t = 5; it may be 1, 2, 3, 4, 6, 12\n"),
        ({"pipeline": "5"}, "layers L = 12 is not divisible by pipeline degree p = 5; it may be 1, 2, 3, 4, 6, 12\n"),
        ({"sequence": "127", "communication": "sequence-parallel"}, "sequence length S = 127 is not divisible"),
        ({"dtype": "float64"}, '--dtype: "float64" is not known; choose float32 or float16 or bfloat16'),
        ({"dtype": "BFLOAT16"}, "--dtype: "),
        ({"dtype": "uint8"}, "--dtype: "),
        ({"recompute": "some"}, '--recompute: "some" is not known; choose none or selective or full'),
        ({"communication": "ring"}, "--communication: "),
        ({"scope": "model"}, '--scope: "model" is not known'),
        ({"target": "gpu"}, '--target: "gpu" is not known; choose none or queue or slot'),
        ({"target": "Queue"}, '--target: "Queue" is not known'),
        ({"devices": "0"}, "--devices: 0 is not from 1 to"),
        ({"devices": "1"}, "devices = 1 are fewer than the ranks of the group, tensor degree t = 2"),
        ({"device_memory": "0"}, "--device-memory: 0 is not from 1 to"),
        ({"model": "gpt3-175"}, "did you mean gpt3-175b?"),
        ({"model": "gpt4"}, "`blueprint models` lists them"),
        ({"model": "llama-3-8b"}, "grouped-query attention"),
        ({"model": "missing/config.json"}, "missing/config.json: cannot be read: No such file or directory"),
        ({"model": "tests"}, "tests: cannot be read: Is a directory"),
        ({"model": "tests/hostile/26_int_1e40.json"}, "tests/hostile/26_int_1e40.json: "),
    ],
)
def test_a_value_without_meaning_is_refused(changes: dict[str, str], words: str, blueprint: Run) -> None:
    _refused(blueprint, _line(**changes), words)


@pytest.mark.parametrize("options", [["--emit"], ["--emit", "--target", "none"]])
def test_emit_needs_a_target(options: list[str], blueprint: Run) -> None:
    _refused(blueprint, [*_line(), *options], "--emit: needs a target: add --target queue or --target slot")


@pytest.mark.parametrize("value", NO_NUMBERS)
@pytest.mark.parametrize("option", NUMBERS_OF_STEPS)
def test_a_number_of_inference_is_plain_digits(option: str, value: str, blueprint: Run) -> None:
    name = option.removeprefix("--").replace("-", "_")
    _refused(blueprint, _steps(**{name: value}), f"{option}: ", "is not a whole number in plain digits")


@pytest.mark.parametrize("option", NUMBERS_OF_STEPS)
@pytest.mark.parametrize("value", ["0", "1" + "0" * 40, "9" * 5000, str(2**63)])
def test_a_number_of_inference_has_bounds(option: str, value: str, blueprint: Run) -> None:
    name = option.removeprefix("--").replace("-", "_")
    _refused(blueprint, _steps(**{name: value}), f"{option}: ", " is not from ")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"prompt": "161"}, "the prompt has 161 tokens, more than the context c = 160"),
        ({"tensor": "65537"}, "--tensor: 65537 is not from 1 to 65536"),
        ({"tensor": "5"}, "heads h = 12 is not divisible by tensor degree t = 5; it may be 1, 2, 3, 4, 6, 12\n"),
        ({"dtype": "float64"}, '--dtype: "float64" is not known; choose float32 or float16 or bfloat16'),
        ({"dtype": "uint8"}, "--dtype: "),
        ({"target": "cloud"}, '--target: "cloud" is not known; choose none or queue or slot'),
        ({"target": "gpu"}, '--target: "gpu" is not known'),
        ({"model": "gpt3-175"}, "did you mean gpt3-175b?"),
        ({"model": "gpt4"}, "`blueprint models` lists them"),
        ({"model": "llama-3-8b"}, "grouped-query attention"),
        ({"model": "missing/config.json"}, "missing/config.json: cannot be read: No such file or directory"),
        # What only a training step has is no option.
        ({"recompute": "none"}, "No such option"),
        ({"communication": "sequence-parallel"}, "No such option"),
        ({"zero": "1"}, "No such option"),
        ({"sequence": "128"}, "No such option"),
        ({"microbatch": "1"}, "No such option"),
    ],
)
def test_a_value_without_meaning_in_inference_is_refused(changes: dict[str, str], words: str, blueprint: Run) -> None:
    _refused(blueprint, _steps(**changes), words)


def test_instructions_are_emitted_for_a_target(blueprint: Run) -> None:
    _refused(blueprint, [*_steps(), "--emit"], "--emit: needs a target: add --target queue or --target slot")


def test_an_implementation_is_chosen_for_a_target(blueprint: Run) -> None:
    _refused(
        blueprint, [*_steps(), "--attention=tiled"], "--attention: needs a target: add --target queue or --target slot"
    )


@pytest.mark.parametrize("option", GOOD_STEPS)
def test_what_has_no_default_must_be_given_in_inference(option: str, blueprint: Run) -> None:
    options = {name: value for name, value in GOOD_STEPS.items() if name != option}
    line = ["derive", "inference", *(f"{name}={value}" for name, value in options.items())]
    _refused(blueprint, line, f"Missing option '{option}'", "(see `blueprint derive inference --help`)")


@pytest.mark.parametrize("option", GOOD)
def test_what_has_no_default_must_be_given(option: str, blueprint: Run) -> None:
    options = {name: value for name, value in GOOD.items() if name != option}
    line = ["derive", "training", *(f"{name}={value}" for name, value in options.items())]
    _refused(blueprint, line, f"Missing option '{option}'", "(see `blueprint derive training --help`)")


def test_the_words_are_those_of_the_bindings() -> None:
    assert tuple(dtype.value for dtype in DTYPES) == derive.DTYPES
    assert tuple(each.value for each in Recompute) == derive.RECOMPUTE
    assert tuple(each.value for each in Communication) == derive.COMMUNICATION
    assert ("none", *(each.value for each in TargetKind)) == derive.TARGETS
    assert derive.MAX_DEGREE == MAX_DEGREE
