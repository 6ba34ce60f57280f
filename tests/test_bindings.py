"""What a caller may expect of a bundle, and the values that a binding can have at all."""

from __future__ import annotations

import pytest

from blueprint.bindings import flat_bindings, known_expectations
from blueprint.errors import UsageError

BINDINGS = {
    "model": {"name": "gpt2", "heads": "12", "biases": "yes", "activation": "gelu"},
    "workload": {"batch": "3", "dtype": "bfloat16"},
    "strategy": {"tensor": "2", "zero": "0", "recompute": "none", "shard_checkpoint": "no"},
    "target": {"name": "none"},
    "deployment": {"device_memory": "80"},
}


@pytest.mark.parametrize(
    "expected",
    [
        {"tensor": "4", "zero": "3", "heads": str(2**63 - 1)},
        {"biases": "no", "shard_checkpoint": "yes", "recompute": "full", "dtype": "float32"},
        {"model": "anything"},
        {"batch": "1", "microbatch": "1"},
        {"device_memory": "any"},
        {"device_memory": "81"},
    ],
)
def test_a_value_that_the_binding_could_have_is_compared(expected: dict[str, str]) -> None:
    known_expectations(expected, BINDINGS)


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        *(("tensor", value, "a whole number from 1 to 65536") for value in ("08", "0", "65537", "8.0", "+8", "\u0668")),
        ("tensor", "9" * 5000, "a whole number from 1 to 65536"),
        ("microbatch", "two", f"a whole number from 1 to {2**63 - 1}"),
        ("device_memory", "10x", f"a whole number from 1 to {2**63 - 1}"),
        ("zero", "4", "a whole number from 0 to 3"),
        ("biases", "true", "yes or no"),
        ("shard_checkpoint", "1", "yes or no"),
        ("recompute", "selectiv", "none or selective or full"),
        ("dtype", "bf16", "float32 or float16 or bfloat16 or uint8"),
    ],
)
def test_a_value_that_the_binding_can_never_have_is_refused_with_those_it_can(
    key: str, value: str, allowed: str
) -> None:
    with pytest.raises(UsageError, match=f"^--expect: {key} cannot be ") as caught:
        known_expectations({key: value}, BINDINGS)
    assert caught.value.message.endswith(f"; it is {allowed}")
    assert len(caught.value.message) < 150


def test_an_unknown_binding_is_refused() -> None:
    with pytest.raises(
        UsageError, match="no binding 'tenser'; known are abi, activation, architecture, attention, batch"
    ):
        known_expectations({"tenser": "8"}, BINDINGS)


def test_the_option_s_word_names_the_batch() -> None:
    assert flat_bindings(BINDINGS)["microbatch"] == "3"
