"""What a caller may expect of a bundle, and the values that a binding can have at all."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from blueprint.bindings import binding_words, entities_of, flat_bindings, known_expectations, meets
from blueprint.bundle import Bundle, read_bundle
from blueprint.derivation import derive
from blueprint.errors import UsageError
from blueprint.frontend.models import builtin
from blueprint.frontend.request import training_request
from blueprint.ir.request import Scope, Target, TargetKind

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


# What a report says of the bindings, and what a bundle's entities are -------------------------------------------------


@pytest.fixture(scope="module", params=TargetKind, ids=lambda kind: kind.value)
def bound(request: pytest.FixtureRequest) -> Bundle:
    """A step of GPT-2 on a target of each kind, down to its program."""
    asked = training_request(builtin("gpt2"), tensor=2, sequence=128, target=request.param, emit=True)
    return read_bundle(derive(asked, jobs=2))


def ids(plain: Any) -> set[str]:
    """Every value of a field called id, wherever it stands."""
    if isinstance(plain, dict):
        return {value for key, value in plain.items() if key == "id"}.union(*map(ids, plain.values()))
    return set().union(*map(ids, plain)) if isinstance(plain, list) else set()


def test_the_entities_of_a_snapshot_are_all_that_have_an_id(bound: Bundle) -> None:
    for record in bound.stages:
        assert entities_of(record.snapshot) == ids(msgspec.json.decode(msgspec.json.encode(record.snapshot)))


def test_the_bindings_of_a_bound_step_are_said_in_words(bound: Bundle) -> None:
    said = binding_words(bound)
    assert said["model"] == {
        "name": "gpt2", "hidden": "768", "feedforward": "3072", "heads": "12", "key_value_heads": "12",
        "head_width": "64", "layers": "12", "vocabulary": "50257", "positions": "1024", "biases": "yes",
        "activation": "gelu",
    }  # fmt: skip
    assert (said["strategy"]["tensor"], said["strategy"]["shard_checkpoint"]) == ("2", "no")
    assert (said["workload"]["sequence"], said["workload"]["purpose"]) == ("128", "training")
    assert said["scope"] == {"name": "block", "blocks": "1"}
    target = bound.request.target
    assert isinstance(target, Target)
    assert (said["target"]["kind"], said["target"]["emit"]) == (target.kind.value, "yes")
    assert (said["target"]["name"], said["target"]["revision"]) == (target.name, str(target.revision))
    assert said["deployment"] == {"device_memory": "any", "devices": "2", "topology": "all-to-all"}
    flat = flat_bindings(said)
    assert (flat["model"], flat["target"], flat["blocks"]) == ("gpt2", target.kind.value, "1")
    assert flat["microbatch"] == flat["batch"] == said["workload"]["batch"]
    assert not {"name", "kind"} & set(flat)


def test_the_bindings_that_a_request_leaves_open_are_said_to_be(bound: Bundle) -> None:
    strategy = msgspec.structs.replace(bound.request.strategy, scope=Scope.STACK, pipeline=3)
    unbound = msgspec.structs.replace(bound.request, target=msgspec.UNSET, deployment=msgspec.UNSET, strategy=strategy)
    said = binding_words(msgspec.structs.replace(bound, request=unbound))
    assert (said["target"], said["deployment"]) == ({"name": "none"}, {"device_memory": "any"})
    assert said["scope"] == {"name": "stack", "blocks": "4"}
    flat = flat_bindings(said)
    assert [flat[key] for key in ("target", "architecture", "abi", "attention", "revision")] == ["none"] * 5
    assert [flat[key] for key in ("devices", "topology", "device_memory", "emit")] == ["any", "any", "any", "no"]


def test_a_step_of_inference_has_no_microbatch() -> None:
    known = {**BINDINGS, "workload": {"purpose": "inference", "batch": "3"}}
    assert flat_bindings(known)["microbatch"] == "none"
    known_expectations({"microbatch": "3", "sequence": "none"}, known)
    assert not meets("microbatch", flat_bindings(known)["microbatch"], "3")


def test_a_training_step_has_no_prompt() -> None:
    known_expectations({"prompt": "16"}, BINDINGS)
    assert flat_bindings(BINDINGS)["prompt"] == "none"
    with pytest.raises(UsageError, match="prompt cannot be 'x'"):
        known_expectations({"prompt": "x"}, BINDINGS)


def test_a_model_has_its_name_only_with_its_facts(bound: Bundle) -> None:
    model = msgspec.structs.replace(bound.request.model, layers=13)
    request = msgspec.structs.replace(bound.request, model=model)
    name = binding_words(msgspec.structs.replace(bound, request=request))["model"]["name"]
    assert name == "gpt2 (named by the bundle)"
    assert not meets("model", name, "gpt2")
    assert meets("model", "gpt2", "gpt2")
    assert meets("model", "mine (named by the bundle)", "mine")
    assert meets("model", "mine (named by the bundle)", "mine (named by the bundle)")
    assert not meets("model", "mine (named by the bundle)", "other")
    assert meets("tensor", "8", "8")
    assert not meets("tensor", "8", "4")
    assert not meets("dtype", "mine (named by the bundle)", "mine")


@pytest.mark.parametrize(
    ("key", "value", "known"),
    [
        ("sequence", "x", False), ("sequence", "0", False), ("sequence", "64", True), ("microbatches", "1.5", False),
        ("microbatches", "3", True), ("prompt", "x", False), ("prompt", "6", True), ("context", "0", False),
        ("target", "none", True), ("target", "queue", True), ("target", "slot", True), ("target", "cube", False),
        ("purpose", "training", True), ("purpose", "inference", True), ("purpose", "play", False),
        ("devices", "any", True), ("devices", "8", True), ("devices", "none", False), ("topology", "any", True),
        ("architecture", "none", True), ("abi", "none", True), ("attention", "none", True), ("revision", "none", True),
        ("revision", "any", False), ("attention", "any", False), ("attention", "attention.paged", True),
        ("emit", "no", True),
        ("emit", "none", False), ("blocks", "96", True), ("blocks", "0", False), ("stage", "65535", True),
        ("stage", "65536", False), ("stage", "0", True), ("vocabulary", "0", False), ("scope", "stack", True),
        ("scope", "half", False),
    ],
)  # fmt: skip
def test_every_open_word_is_known_where_it_is_said(key: str, value: str, *, known: bool) -> None:
    purpose = {**BINDINGS, "workload": {**BINDINGS["workload"], "purpose": "training"}}
    every = {**purpose, "strategy": {**BINDINGS["strategy"], "scope": "block", "stage": "0"}, "scope": {"blocks": "1"}}
    every["model"] = {**BINDINGS["model"], "vocabulary": "7"}
    every["workload"] |= {"sequence": "8", "microbatches": "1"}
    if known:
        known_expectations({key: value}, every)
    else:
        with pytest.raises(UsageError, match=f"{key} cannot be '{value}'"):
            known_expectations({key: value}, every)
