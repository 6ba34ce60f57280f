"""A model file is taken as it stands, or refused with the key that is wrong."""

from __future__ import annotations

import io
import json
import os
import sys
import time
from pathlib import Path

import pytest

from blueprint.errors import (
    BlueprintError,
    CodecError,
    DomainError,
    InputError,
    LimitError,
    NotCoveredError,
    UsageError,
)
from blueprint.frontend.config import _ARCHITECTURES, _SWITCHES, MAX_BYTES, MAX_CONTAINERS, load_model
from blueprint.frontend.models import BUILTIN
from blueprint.ir.request import Activation, ModelFacts

HOSTILE = sorted((Path(__file__).parents[1] / "hostile").glob("*.json"))

FACTS: dict[str, object] = {
    "hidden": 64,
    "feedforward": 256,
    "heads": 4,
    "head_width": 24,
    "layers": 2,
    "vocabulary": 1000,
    "positions": 128,
}

# config.json of openai-community/gpt2, as it is published.
GPT2: dict[str, object] = {
    "activation_function": "gelu_new",
    "architectures": ["GPT2LMHeadModel"],
    "attn_pdrop": 0.1,
    "bos_token_id": 50256,
    "embd_pdrop": 0.1,
    "eos_token_id": 50256,
    "initializer_range": 0.02,
    "layer_norm_epsilon": 1e-05,
    "model_type": "gpt2",
    "n_ctx": 1024,
    "n_embd": 768,
    "n_head": 12,
    "n_layer": 12,
    "n_positions": 1024,
    "resid_pdrop": 0.1,
    "summary_activation": None,
    "summary_first_dropout": 0.1,
    "summary_proj_to_labels": True,
    "summary_type": "cls_index",
    "summary_use_proj": True,
    "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}},
    "vocab_size": 50257,
}


def _load(folder: Path, document: object) -> ModelFacts:
    path = folder / "model.json"
    path.write_text(json.dumps(document))
    return load_model(str(path))


def _refuse(folder: Path, raw: bytes) -> BlueprintError:
    """Feed bytes as a model file; the refusal must be one bounded line of printable ASCII that names the file."""
    path = folder / "model.json"
    path.write_bytes(raw)
    with pytest.raises((UsageError, InputError)) as caught:
        load_model(str(path))
    line = caught.value.diagnostics()
    assert line.isascii()
    assert line.isprintable()
    assert len(line) < 500
    assert line.startswith(str(path)[:100])
    return caught.value


def _refuse_change(folder: Path, good: dict[str, object], key: str, value: object) -> BlueprintError:
    _load(folder, good)
    return _refuse(folder, json.dumps(good | {key: value}).encode())


def _without(good: dict[str, object], *keys: str) -> dict[str, object]:
    return {key: value for key, value in good.items() if key not in keys}


@pytest.mark.parametrize("name", sorted(BUILTIN))
def test_a_built_in_name_gives_its_facts(name: str) -> None:
    assert load_model(name) is BUILTIN[name]


def test_a_name_comes_before_a_file_of_that_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gpt2").write_text(json.dumps(FACTS))
    (tmp_path / "mine").write_text(json.dumps(FACTS))
    (tmp_path / "mistral-7b").write_text(json.dumps(FACTS))
    monkeypatch.chdir(tmp_path)
    assert load_model("gpt2") is BUILTIN["gpt2"]
    with pytest.raises(NotCoveredError):
        load_model("mistral-7b")
    assert load_model("mine").hidden == 64
    assert load_model("./gpt2").hidden == 64


def test_an_unknown_name_is_not_called_a_missing_file() -> None:
    with pytest.raises(UsageError, match="did you mean gpt2-xl"):
        load_model("gpt2-xxl")
    with pytest.raises(NotCoveredError, match="grouped-query"):
        load_model("mistral-7b")


@pytest.mark.parametrize("argument", ["absent.json", "absent/absent", "/dev/zero", os.sep], ids=repr)
def test_what_is_no_file_is_refused(argument: str) -> None:
    with pytest.raises(InputError) as caught:
        load_model(argument)
    assert caught.value.diagnostics().count(argument) == 1


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(FACTS).encode())))
    assert load_model("-").head_width == 24


def test_a_facts_file_gives_exactly_its_facts(tmp_path: Path) -> None:
    assert _load(tmp_path, FACTS) == ModelFacts(
        name="custom",
        hidden=64,
        feedforward=256,
        heads=4,
        key_value_heads=4,
        head_width=24,
        layers=2,
        vocabulary=1000,
        positions=128,
        biases=True,
        activation=Activation.GELU,
    )


def test_the_optional_facts_are_taken(tmp_path: Path) -> None:
    optional = {"name": "my model", "key_value_heads": 2, "biases": False, "activation": "gelu"}
    facts = _load(tmp_path, FACTS | optional)
    assert (facts.name, facts.key_value_heads, facts.biases) == ("my model", 2, False)


def test_the_largest_number_is_taken(tmp_path: Path) -> None:
    assert _load(tmp_path, FACTS | {"vocabulary": 2**63 - 1}).vocabulary == 2**63 - 1


def test_a_built_in_name_with_its_own_facts_is_taken(tmp_path: Path) -> None:
    facts = _load(tmp_path, _load_builtin_as_document("gpt2"))
    assert facts == BUILTIN["gpt2"]


def _load_builtin_as_document(name: str) -> dict[str, object]:
    facts = BUILTIN[name]
    return {key: getattr(facts, key) for key in FACTS} | {"name": name}


def test_a_built_in_name_with_other_facts_is_refused(tmp_path: Path) -> None:
    error = _refuse_change(tmp_path, _load_builtin_as_document("gpt2"), "layers", 13)
    assert isinstance(error, UsageError)
    assert "other facts" in error.message


def test_the_name_of_a_model_without_laws_is_refused(tmp_path: Path) -> None:
    assert isinstance(_refuse_change(tmp_path, FACTS, "name", "llama-2-7b"), NotCoveredError)


@pytest.mark.parametrize("key", sorted(FACTS))
def test_a_missing_fact_is_named(tmp_path: Path, key: str) -> None:
    error = _refuse(tmp_path, json.dumps(_without(FACTS, key)).encode())
    assert isinstance(error, CodecError)
    assert error.diagnostics().endswith(f": {key}: is missing")


def test_all_missing_facts_are_named_at_once(tmp_path: Path) -> None:
    error = _refuse(tmp_path, json.dumps({"hidden": 64, "layers": 2}).encode())
    assert error.diagnostics().endswith(": feedforward, heads, head_width, vocabulary, positions: are missing")


@pytest.mark.parametrize("key", [*sorted(FACTS), "key_value_heads"])
@pytest.mark.parametrize("value", [True, 64.0, 1e2, "64", None, [64], {"x": 64}, 0, -1, 2**63, 10**40], ids=repr)
def test_a_fact_that_is_no_positive_whole_number_is_refused(tmp_path: Path, key: str, value: object) -> None:
    error = _refuse_change(tmp_path, FACTS, key, value)
    assert isinstance(error, CodecError)
    assert f": {key}: " in error.diagnostics()


@pytest.mark.parametrize(
    ("key", "value", "kind"),
    [
        ("name", 7, CodecError),
        ("name", "", CodecError),
        ("name", "x" * 65, CodecError),
        ("name", "\u0261pt2", CodecError),
        ("name", "\ud800", CodecError),
        ("name", "\x1b[2J", CodecError),
        ("biases", 1, CodecError),
        ("biases", None, CodecError),
        ("activation", None, CodecError),
        ("activation", "relu", NotCoveredError),
        ("activation", "gelu_new", NotCoveredError),
    ],
)
def test_a_bad_optional_fact_is_refused(tmp_path: Path, key: str, value: object, kind: type[BlueprintError]) -> None:
    error = _refuse_change(tmp_path, FACTS, key, value)
    assert isinstance(error, kind)
    assert f": {key}: " in error.diagnostics()


@pytest.mark.parametrize(
    "key",
    ["Hidden", "n_embd", "hidden ", "h\u0456dden", "\ud800", "\x1b[2J", "k" * 100_000, ""],
    ids=["case", "other-file", "space", "look-alike", "surrogate", "terminal", "huge", "empty"],
)
def test_an_unknown_key_is_refused(tmp_path: Path, key: str) -> None:
    error = _refuse_change(tmp_path, FACTS, key, 64)
    assert isinstance(error, CodecError)
    assert "is no key of a facts file" in error.message


def test_a_real_gpt2_file_gives_the_built_in_facts(tmp_path: Path) -> None:
    facts = _load(tmp_path, GPT2)
    builtin = BUILTIN["gpt2"]
    assert facts.name == "custom"
    assert {field: getattr(facts, field) for field in FACTS} == {field: getattr(builtin, field) for field in FACTS}
    assert (facts.key_value_heads, facts.biases, facts.activation) == (12, True, Activation.GELU)


@pytest.mark.parametrize("name", ["gelu", "gelu_new", "gelu_fast", "gelu_pytorch_tanh"])
def test_every_form_of_gelu_is_taken(tmp_path: Path, name: str) -> None:
    assert _load(tmp_path, GPT2 | {"activation_function": name}).activation is Activation.GELU


def test_the_defaults_of_gpt2_are_filled_in(tmp_path: Path) -> None:
    assert _load(tmp_path, _without(GPT2, "activation_function")).activation is Activation.GELU
    assert _load(tmp_path, GPT2 | {"n_inner": None}).feedforward == 3072
    assert _load(tmp_path, GPT2 | {"n_inner": 3000}).feedforward == 3000


@pytest.mark.parametrize("key", ["n_positions", "n_ctx"])
def test_either_name_of_the_context_length_is_enough(tmp_path: Path, key: str) -> None:
    assert _load(tmp_path, _without(GPT2, key)).positions == 1024


def test_switches_that_are_off_are_taken(tmp_path: Path) -> None:
    off: dict[str, object] = dict.fromkeys(_SWITCHES, False) | {
        "sliding_window": None,
        "num_experts": 0,
        "pruned_heads": {},
    }
    agreeing = {"num_key_value_heads": 12, "head_dim": 64, "position_embedding_type": "absolute"}
    assert _load(tmp_path, GPT2 | off | agreeing) == _load(tmp_path, GPT2)


@pytest.mark.parametrize("key", sorted(_SWITCHES))
@pytest.mark.parametrize("value", [True, 2, {"type": "linear"}], ids=repr)
def test_a_key_that_changes_the_work_is_refused(tmp_path: Path, key: str, value: object) -> None:
    error = _refuse_change(tmp_path, GPT2, key, value)
    assert isinstance(error, NotCoveredError)
    assert f": {key}: asks for {_SWITCHES[key]}, " in error.diagnostics()


@pytest.mark.parametrize(
    ("key", "value", "kind", "words"),
    [
        ("num_key_value_heads", 4, NotCoveredError, "grouped-query"),
        ("num_key_value_heads", True, CodecError, "whole number"),
        ("position_embedding_type", "rotary", NotCoveredError, "rotary"),
        ("position_embedding_type", 1, NotCoveredError, "positions"),
        ("head_dim", 128, CodecError, "n_embd / n_head"),
        ("activation_function", "relu", NotCoveredError, "relu"),
        ("activation_function", "swiglu", NotCoveredError, "swiglu"),
        ("activation_function", None, CodecError, "text"),
        ("n_embd", 770, DomainError, "n_embd = 770 is not divisible by n_head = 12"),
        ("n_embd", 768.0, CodecError, "whole number"),
        ("n_head", True, CodecError, "whole number"),
        ("n_head", 0, LimitError, "from 1"),
        ("n_layer", -1, LimitError, "from 1"),
        ("n_inner", 0, LimitError, "from 1"),
        ("n_inner", "3072", CodecError, "whole number"),
        ("vocab_size", 2**63, LimitError, "64 bits"),
        ("n_ctx", 2048, CodecError, "is 2048, which differs from n_positions = 1024"),
        ("hidden_size", 1024, CodecError, "is 1024, which differs from n_embd = 768"),
        ("num_attention_heads", 16, CodecError, "is 16, which differs from n_head = 12"),
        ("num_hidden_layers", 24, CodecError, "is 24, which differs from n_layer = 12"),
        ("max_position_embeddings", 4096, CodecError, "is 4096, which differs from n_positions = 1024"),
        ("intermediate_size", 3073, CodecError, "is 3073, which differs from n_inner = 3072"),
        ("hidden_size", True, CodecError, "whole number"),
        ("hidden_act", "gelu", CodecError, 'is "gelu", which differs from activation_function = "gelu_new"'),
        ("hidden_act", "\x1b[2J", CodecError, r'is "\x1b[2J", which differs'),
        ("architectures", ["LlamaForCausalLM"], CodecError, 'holds "LlamaForCausalLM", which contradicts model_type'),
        ("architectures", ["GPT2LMHeadModel", "MyGPT2Model"], CodecError, 'holds "MyGPT2Model"'),
        ("architectures", [None], CodecError, 'holds "None"'),
        ("architectures", "GPT2LMHeadModel", CodecError, "must be a list, not text"),
        ("n_positions", None, CodecError, "whole number"),
        ("model_type", None, CodecError, "must be text"),
        ("model_type", ["gpt2"], CodecError, "must be text"),
        ("model_type", "GPT2", NotCoveredError, "only gpt2"),
        ("model_type", "\x1b[2J", NotCoveredError, r"\x1b[2J"),
    ],
)
def test_a_gpt2_file_with_one_bad_value_is_refused(
    tmp_path: Path, key: str, value: object, kind: type[BlueprintError], words: str
) -> None:
    error = _refuse_change(tmp_path, GPT2, key, value)
    assert isinstance(error, kind)
    assert words in error.message
    assert f": {key}: " in error.diagnostics()


def test_other_names_may_say_the_same(tmp_path: Path) -> None:
    agreeing = {"hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 12, "intermediate_size": 3072}
    absent = {"d_model": None, "architectures": None, "max_position_embeddings": 1024, "hidden_act": "gelu_new"}
    assert _load(tmp_path, GPT2 | agreeing | absent) == _load(tmp_path, GPT2)
    assert _load(tmp_path, GPT2 | {"architectures": ["TFGPT2Model", "GPT2ForSequenceClassification"]}).heads == 12
    assert _load(tmp_path, GPT2 | {"n_inner": 3000, "intermediate_size": 3000}).feedforward == 3000


def test_another_name_is_compared_with_what_an_absent_key_means(tmp_path: Path) -> None:
    error = _refuse_change(tmp_path, _without(GPT2, "activation_function"), "hidden_act", "silu")
    assert "silu" in error.message
    error = _refuse_change(tmp_path, _without(GPT2, "n_positions"), "max_position_embeddings", 4096)
    assert error.message == "is 4096, which differs from n_positions = 1024"


@pytest.mark.parametrize("key", ["n_embd", "n_head", "n_layer", "vocab_size"])
def test_a_missing_key_of_a_gpt2_file_is_named(tmp_path: Path, key: str) -> None:
    error = _refuse(tmp_path, json.dumps(_without(GPT2, key)).encode())
    assert error.diagnostics().endswith(f": {key}: is missing")


def test_a_gpt2_file_without_a_context_length_is_refused(tmp_path: Path) -> None:
    error = _refuse(tmp_path, json.dumps(_without(GPT2, "n_positions", "n_ctx")).encode())
    assert error.diagnostics().endswith(": n_positions: is missing")


@pytest.mark.parametrize(
    ("model_type", "feature"),
    [
        ("llama", "gated"),
        ("mistral", "grouped-query"),
        ("mixtral", "experts"),
        ("opt", "ReLU"),
        ("bloom", "ALiBi"),
        ("falcon", "parallel"),
        ("gpt_neox", "rotary"),
        ("gpt_bigcode", "multi-query"),
    ],
)
def test_another_architecture_is_refused_with_its_feature(tmp_path: Path, model_type: str, feature: str) -> None:
    error = _refuse_change(tmp_path, GPT2, "model_type", model_type)
    assert isinstance(error, NotCoveredError)
    assert feature in error.message
    assert _ARCHITECTURES[model_type] in error.message


def _text(document: dict[str, object]) -> str:
    return json.dumps(document)


@pytest.mark.parametrize(
    ("raw", "kind", "words"),
    [
        (b"", CodecError, "is not JSON"),
        (b"null", CodecError, "no JSON object"),
        (b"[1]", CodecError, "no JSON object"),
        (_text(FACTS).encode()[:-1], CodecError, "is not JSON"),
        (_text(FACTS).encode() + b" x", CodecError, "is not JSON"),
        (_text(FACTS).encode() + b"\x00", CodecError, "is not JSON"),
        (b"\xef\xbb\xbf" + _text(FACTS).encode(), CodecError, "is not JSON"),
        (_text(FACTS).encode("utf-16"), CodecError, "is not UTF-8 at byte 0"),
        (_text(FACTS).replace("64", "064").encode(), CodecError, "is not JSON"),
        (_text(FACTS).replace("}", ",}").encode(), CodecError, "is not JSON"),
        (_text(FACTS).replace("}", ', "hidden": 64}').encode(), CodecError, "stands twice"),
        (_text(FACTS).replace("}", ', "h\\u0069dden": 64}').encode(), CodecError, "stands twice"),
        (_text(GPT2).replace("{", '{"x": {"y": 1, "y": 1}, ', 1).encode(), CodecError, "stands twice"),
        (_text(GPT2 | {"x": [float("nan")]}).encode(), CodecError, "holds NaN"),
        (_text(GPT2 | {"x": float("-inf")}).encode(), CodecError, "holds -Infinity"),
        (_text(GPT2).replace("768", "9" * 5000).encode(), LimitError, "beyond 64 bits"),
        (_text(GPT2).replace("768", "-" + "9" * 5000).encode(), LimitError, "beyond 64 bits"),
        (_text(GPT2).replace("768", "9" * 900_000).encode(), LimitError, "beyond 64 bits"),
        (_text(FACTS).encode() + b" " * MAX_BYTES, LimitError, "larger than the limit"),
        (b"[" * 100_000, LimitError, "lists and objects"),
        (b'{"a":' * 100_000, LimitError, "lists and objects"),
        (b'{"a":[' + b"{}," * 100_000 + b"{}]}", LimitError, "lists and objects"),
    ],
    ids=[
        "empty",
        "null",
        "list",
        "cut",
        "trailing-text",
        "trailing-null",
        "bom",
        "utf-16",
        "leading-zero",
        "trailing-comma",
        "repeated-key",
        "repeated-key-escaped",
        "repeated-key-inside",
        "nan-in-a-list",
        "infinity",
        "5000-digits",
        "5000-digits-negative",
        "900000-digits",
        "too-large",
        "deep-lists",
        "deep-objects",
        "many-objects",
    ],
)
def test_bytes_that_are_no_strict_json_are_refused(
    tmp_path: Path, raw: bytes, kind: type[BlueprintError], words: str
) -> None:
    error = _refuse(tmp_path, raw)
    assert isinstance(error, kind)
    assert words in error.message


def test_a_number_of_too_many_digits_is_refused_with_its_key(tmp_path: Path) -> None:
    error = _refuse(tmp_path, _text(GPT2).replace("768", "9" * 5000).encode())
    assert error.diagnostics().endswith("n_embd: is a whole number beyond 64 bits")


def test_the_most_containers_and_the_depth_they_allow_are_read(tmp_path: Path) -> None:
    depth = MAX_CONTAINERS - 1
    deep = f'{{"model_type": "gpt2", "x": {"[" * depth}{"]" * depth}}}'
    error = _refuse(tmp_path, deep.encode())
    assert "n_embd, n_head, n_layer, vocab_size: are missing" in error.diagnostics()


def test_a_decoder_that_runs_out_of_stack_is_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blueprint.frontend.config.MAX_CONTAINERS", MAX_BYTES)
    # Deeper than any Python follows, and still within the size limit.
    error = _refuse(tmp_path, b"[" * 1_000_000)
    assert isinstance(error, LimitError)
    assert "nested too deeply" in error.message


def test_there_are_hostile_samples() -> None:
    assert len(HOSTILE) == 15


@pytest.mark.parametrize("sample", HOSTILE, ids=lambda sample: str(sample.name))
def test_a_hostile_sample_is_refused_quickly_and_leaves_nothing(
    tmp_path: Path, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    start = time.monotonic()
    _refuse(tmp_path, sample.read_bytes())
    assert time.monotonic() - start < 5
    assert [path.name for path in tmp_path.iterdir()] == ["model.json"]
