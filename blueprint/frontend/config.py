"""A model argument -> ModelFacts: a built-in name, a GPT-2-style Hugging Face config.json, or a facts file.

Facts are taken as they stand or refused by name; nothing is guessed or rounded. A Hugging Face file has many keys
beside the facts. Those that do not change the block's work are ignored, the others must be off.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import NoReturn

from blueprint.errors import BlueprintError, CodecError, DomainError, LimitError, NotCoveredError, UsageError
from blueprint.files import STREAM, read_bounded
from blueprint.frontend.models import BUILTIN, NOT_COVERED, builtin
from blueprint.ir.common import INT64_MAX
from blueprint.ir.request import Activation, ModelFacts
from blueprint.words import plain

MAX_BYTES = 1 << 20
"""The largest accepted model file, in bytes."""

MAX_CONTAINERS = 256
"""The most lists and objects in a model file. It bounds the depth too, far below any Python's recursion limit."""

UNNAMED = "custom"
"""The name of a model whose file gives none. Not the file's name: equal facts must give equal request digests."""

_REQUIRED = ("hidden", "feedforward", "heads", "head_width", "layers", "vocabulary", "positions")
_OPTIONAL = ("name", "key_value_heads", "biases", "activation")

_REQUIRED_BY_GPT2 = ("n_embd", "n_head", "n_layer", "vocab_size")

_ALIASES: Mapping[str, str] = {
    "hidden_size": "n_embd",
    "d_model": "n_embd",
    "num_attention_heads": "n_head",
    "num_heads": "n_head",
    "num_hidden_layers": "n_layer",
    "num_layers": "n_layer",
    "n_ctx": "n_positions",
    "max_position_embeddings": "n_positions",
    "intermediate_size": "n_inner",
    "ffn_dim": "n_inner",
    "d_ff": "n_inner",
}
"""Names that other families give a number -> GPT-2's name of it. Where both stand in a file, they must agree."""

_GPT2_CLASS = re.compile(r"\A(?:TF|Flax)?GPT2[A-Z]\w*\Z", re.ASCII)
"""The names of the classes in `architectures` that are this architecture."""

_GELU_NAMES = ("gelu", "gelu_new", "gelu_fast", "gelu_pytorch_tanh")

# Keys of Hugging Face files that change the work of a block unless they are null, false, 0 or empty.
_SWITCHES: Mapping[str, str] = {
    "add_cross_attention": "cross attention",
    "is_encoder_decoder": "an encoder",
    "multi_query": "multi-query attention",
    "alibi": "ALiBi position biases",
    "use_alibi": "ALiBi position biases",
    "rotary": "rotary positions",
    "rotary_dim": "rotary positions",
    "rotary_pct": "rotary positions",
    "rope_theta": "rotary positions",
    "rope_scaling": "rotary positions",
    "rope_parameters": "rotary positions",
    "sliding_window": "sliding-window attention",
    "attention_window": "sliding-window attention",
    "window_size": "sliding-window attention",
    "num_experts": "routed experts",
    "num_local_experts": "routed experts",
    "n_routed_experts": "routed experts",
    "parallel_attn": "attention and feed-forward in parallel",
    "parallel_attention": "attention and feed-forward in parallel",
    "use_parallel_residual": "attention and feed-forward in parallel",
    "pruned_heads": "pruned heads",
    "quantization_config": "quantized weights",
    "reorder_and_upcast_attn": "scores in 32 bits whatever the element type",
}

# model_type of a Hugging Face file -> what that architecture has that no law covers.
_ARCHITECTURES: Mapping[str, str] = {
    "llama": "a gated feed-forward network, rotary positions and, by size, grouped-query attention",
    "mistral": "grouped-query attention, a gated feed-forward network and rotary positions",
    "mixtral": "routed experts, grouped-query attention, a gated feed-forward network and rotary positions",
    "qwen2": "grouped-query attention, a gated feed-forward network and rotary positions",
    "qwen3": "grouped-query attention, a gated feed-forward network and rotary positions",
    "gemma": "a gated feed-forward network, rotary positions and, by size, multi-query attention",
    "phi": "attention and feed-forward in parallel, and rotary positions",
    "opt": "ReLU as the feed-forward activation",
    "bloom": "ALiBi position biases",
    "falcon": "multi-query or grouped-query attention, attention and feed-forward in parallel, and rotary positions",
    "gptj": "attention and feed-forward in parallel, and rotary positions",
    "gpt_neox": "attention and feed-forward in parallel, and rotary positions",
    "gpt_neo": "sliding-window attention in every other layer",
    "gpt_bigcode": "multi-query attention",
    "deepseek_v3": "latent attention, routed experts and a gated feed-forward network",
    "t5": "an encoder, cross attention and relative position biases",
    "bert": "an encoder with the norm after the residual",
}


def load_model(argument: str) -> ModelFacts:
    """The facts of the model that `argument` names: a built-in name first, else a JSON file (`-` reads standard input).

    Raises UsageError for an unknown name, NotCoveredError for a feature without a law, DomainError for a hidden width
    that the heads do not divide, InputError for a file that cannot be read, and its subclasses CodecError and
    LimitError for one that is malformed or too large.
    """
    if argument in BUILTIN or argument in NOT_COVERED or not _names_a_file(argument):
        return builtin(argument)
    raw = read_bounded(argument, MAX_BYTES)
    try:
        return _facts(_decode(raw))
    except BlueprintError as error:
        error.path = ": ".join(part for part in (plain(argument), error.path) if part)
        raise


def _names_a_file(argument: str) -> bool:
    """Whether the argument is meant as a file, so that a misspelt model name is not reported as a missing file."""
    return argument == STREAM or os.sep in argument or argument.endswith(".json") or os.path.lexists(argument)


def _decode(raw: bytes) -> dict[str, object]:
    """Bytes -> the object they hold, as strict JSON in UTF-8 with no repeated key and no integer beyond 64 bits."""
    # Every level of nesting needs a bracket. The decoders' own limit differs from one Python to the next.
    if raw.count(b"{") + raw.count(b"[") > MAX_CONTAINERS:
        raise LimitError(f"holds more than {MAX_CONTAINERS} lists and objects")
    try:
        document: object = json.loads(
            raw.decode("utf-8"), object_pairs_hook=_object, parse_int=_integer, parse_constant=_constant
        )
    except UnicodeDecodeError as error:
        raise CodecError(f"is not UTF-8 at byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise CodecError(f"is not JSON: {plain(error.msg)} at line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise LimitError("is nested too deeply") from error
    if not isinstance(document, dict):
        raise CodecError("holds no JSON object")
    return document


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The pairs of one JSON object as a dict. json itself would keep the last of two equal keys in silence."""
    values: dict[str, object] = {}
    for key, value in pairs:
        if key in values:
            raise CodecError("stands twice in one object", path=plain(key))
        if type(value) is int and abs(value) > INT64_MAX:
            raise LimitError("is a whole number beyond 64 bits", path=plain(key))
        values[key] = value
    return values


def _integer(digits: str) -> int:
    """The value of a JSON integer, or some value beyond 64 bits if it has more than 20 digits.

    Reading all digits would raise ValueError over 4300 of them on some Pythons and take quadratic time on others.
    """
    return int(digits[:21])


def _constant(text: str) -> NoReturn:
    """Refuse NaN and the infinities, which json reads and JSON does not have."""
    raise CodecError(f"is not JSON: it holds {plain(text)}")


def _facts(document: dict[str, object]) -> ModelFacts:
    """The facts in a decoded file of either form. Only a Hugging Face file has `model_type`."""
    facts = _from_huggingface(document) if "model_type" in document else _from_facts(document)
    # A report shows a built-in name only with the built-in facts; the mismatch is refused where it arises.
    if facts.name in BUILTIN and facts != BUILTIN[facts.name]:
        raise UsageError("names a built-in model, but gives other facts than it has", path="name")
    if facts.name in NOT_COVERED:
        raise NotCoveredError(f"names a model with {NOT_COVERED[facts.name]}, for which no law exists yet", path="name")
    return facts


def _from_facts(document: dict[str, object]) -> ModelFacts:
    """A facts file: the fields of ModelFacts and no others; absent optional ones are the classical block's."""
    for key in document:
        if key not in _REQUIRED and key not in _OPTIONAL:
            raise CodecError(
                f"is no key of a facts file (those are {', '.join(_REQUIRED + _OPTIONAL)});"
                " a Hugging Face file is known by its model_type",
                path=plain(key),
            )
    _require_keys(document, _REQUIRED)
    hidden, feedforward, heads, head_width, layers, vocabulary, positions = (
        _positive(document, key) for key in _REQUIRED
    )
    return ModelFacts(
        name=_name(document),
        hidden=hidden,
        feedforward=feedforward,
        heads=heads,
        key_value_heads=_positive(document, "key_value_heads") if "key_value_heads" in document else heads,
        head_width=head_width,
        layers=layers,
        vocabulary=vocabulary,
        positions=positions,
        biases=_boolean(document, "biases", default=True),
        activation=_activation(document, "activation", (Activation.GELU.value,)),
    )


def _from_huggingface(document: dict[str, object]) -> ModelFacts:
    """A config.json of model_type gpt2 (transformers, GPT2Config), whose own defaults stand in for absent keys."""
    _require_gpt2(document)
    for key, feature in _SWITCHES.items():
        if document.get(key):
            raise NotCoveredError(f"asks for {feature}, for which no law exists yet", path=key)
    _require_keys(document, _REQUIRED_BY_GPT2)
    hidden, heads = _positive(document, "n_embd"), _positive(document, "n_head")
    if hidden % heads:
        raise DomainError(f"n_embd = {hidden} is not divisible by n_head = {heads}", path="n_embd")
    head_width = hidden // heads
    if document.get("num_key_value_heads") is not None and _positive(document, "num_key_value_heads") != heads:
        raise NotCoveredError(
            "asks for grouped-query attention, for which no law exists yet", path="num_key_value_heads"
        )
    if document.get("head_dim") is not None and _positive(document, "head_dim") != head_width:
        raise CodecError(f"differs from n_embd / n_head = {head_width}", path="head_dim")
    if document.get("position_embedding_type", "absolute") not in ("absolute", "learned", None):
        raise NotCoveredError(
            f"asks for {plain(document['position_embedding_type'], 40)} positions, for which no law exists yet",
            path="position_embedding_type",
        )
    feedforward = 4 * hidden if document.get("n_inner") is None else _positive(document, "n_inner")
    positions = _positions(document)
    _require_agreement(document, {"n_inner": feedforward, "n_positions": positions})
    return ModelFacts(
        name=UNNAMED,
        hidden=hidden,
        feedforward=feedforward,
        heads=heads,
        key_value_heads=heads,
        head_width=head_width,
        layers=_positive(document, "n_layer"),
        vocabulary=_positive(document, "vocab_size"),
        positions=positions,
        biases=True,
        activation=_activation_of_gpt2(document),
    )


def _require_gpt2(document: dict[str, object]) -> None:
    """Refuse every architecture but gpt2, saying what it has that no law covers."""
    kind = document["model_type"]
    if not isinstance(kind, str):
        raise CodecError(f"must be text, not {_json_type(kind)}", path="model_type")
    if kind in _ARCHITECTURES:
        raise NotCoveredError(f"{kind} has {_ARCHITECTURES[kind]}, for which no law exists yet", path="model_type")
    if kind != "gpt2":
        raise NotCoveredError(f'"{plain(kind, 40)}" is no architecture with laws; only gpt2 is', path="model_type")
    classes = document.get("architectures") or []
    if not isinstance(classes, list):
        raise CodecError(f"must be a list, not {_json_type(classes)}", path="architectures")
    for each in classes:
        if not isinstance(each, str) or not _GPT2_CLASS.match(each):
            raise CodecError(f'holds "{plain(each, 40)}", which contradicts model_type = "gpt2"', path="architectures")


def _require_agreement(document: dict[str, object], implied: Mapping[str, int]) -> None:
    """Refuse a file that gives one number twice and differently; `implied` holds what absent keys stand for."""
    for alias, key in _ALIASES.items():
        if document.get(alias) is None or (key not in document and key not in implied):
            continue
        found, known = _positive(document, alias), implied[key] if key in implied else _positive(document, key)
        if found != known:
            raise CodecError(f"is {found}, which differs from {key} = {known}", path=alias)


def _positions(document: dict[str, object]) -> int:
    """The context length of a GPT-2 file: n_positions, or n_ctx in old files."""
    return _positive(document, "n_positions" if "n_positions" in document or "n_ctx" not in document else "n_ctx")


def _require_keys(document: dict[str, object], keys: tuple[str, ...]) -> None:
    """Refuse a file that lacks keys, and name them all."""
    missing = [key for key in keys if key not in document]
    if missing:
        raise CodecError("is missing" if len(missing) == 1 else "are missing", path=", ".join(missing))


def _positive(document: dict[str, object], key: str) -> int:
    """A required whole number from 1 to 2^63 - 1."""
    if key not in document:
        raise CodecError("is missing", path=key)
    value = document[key]
    # bool is a subclass of int in Python, and 768.0 is no count.
    if type(value) is not int:
        raise CodecError(f"must be a whole number, not {_json_type(value)}", path=key)
    if not 1 <= value <= INT64_MAX:
        raise LimitError(f"is {value}; it must be from 1 to {INT64_MAX}", path=key)
    return value


def _boolean(document: dict[str, object], key: str, *, default: bool) -> bool:
    """An optional true or false."""
    value = document.get(key, default)
    if not isinstance(value, bool):
        raise CodecError(f"must be true or false, not {_json_type(value)}", path=key)
    return value


def _activation(document: dict[str, object], key: str, accepted: tuple[str, ...]) -> Activation:
    """An optional activation function, GELU in both kinds of file unless they say otherwise."""
    value = document.get(key, accepted[0])
    if not isinstance(value, str):
        raise CodecError(f"must be text, not {_json_type(value)}", path=key)
    if value not in accepted:
        raise NotCoveredError(
            f'"{plain(value, 40)}" has no law; the feed-forward activation must be {" or ".join(accepted)}', path=key
        )
    return Activation.GELU


def _activation_of_gpt2(document: dict[str, object]) -> Activation:
    """The activation function of a GPT-2 file; `hidden_act`, other families' name of it, must not contradict it."""
    activation = _activation(document, "activation_function", _GELU_NAMES)
    other, known = document.get("hidden_act"), document.get("activation_function")
    if other is not None and known is not None and other != known:
        raise CodecError(
            f'is "{plain(other, 40)}", which differs from activation_function = "{plain(known, 40)}"', path="hidden_act"
        )
    return activation if other is None else _activation(document, "hidden_act", _GELU_NAMES)


def _name(document: dict[str, object]) -> str:
    """An optional name. Printable ASCII only, so that no look-alike of another name gets through."""
    value = document.get("name", UNNAMED)
    if not isinstance(value, str):
        raise CodecError(f"must be text, not {_json_type(value)}", path="name")
    if not value or plain(value, 64) != value:
        raise CodecError("must be 1 to 64 printable ASCII characters", path="name")
    return value


def _json_type(value: object) -> str:
    """The JSON type of a decoded value, in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number with a fraction or an exponent" if isinstance(value, float) else "a number"
    return "text" if isinstance(value, str) else "a list or an object"
