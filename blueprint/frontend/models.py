"""The built-in models: published facts of classical transformers, and the known models that have no laws yet."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import MappingProxyType

from blueprint.errors import NotCoveredError, UsageError
from blueprint.ir.request import Activation, ModelFacts
from blueprint.words import plain


def _classical(
    name: str, *, hidden: int, layers: int, heads: int, head_width: int, vocabulary: int, positions: int
) -> ModelFacts:
    """Facts of a GPT-2-style model: F = 4H, one key/value head per query head, biases, GELU. All in elements."""
    return ModelFacts(
        name=name,
        hidden=hidden,
        feedforward=4 * hidden,
        heads=heads,
        key_value_heads=heads,
        head_width=head_width,
        layers=layers,
        vocabulary=vocabulary,
        positions=positions,
        biases=True,
        activation=Activation.GELU,
    )


_TABLE = (
    # Radford et al. 2019, table 2; config.json of openai-community/gpt2, -medium, -large, -xl. The paper's table prints
    # no head counts, they are the config files'.
    _classical("gpt2", hidden=768, layers=12, heads=12, head_width=64, vocabulary=50257, positions=1024),
    _classical("gpt2-medium", hidden=1024, layers=24, heads=16, head_width=64, vocabulary=50257, positions=1024),
    _classical("gpt2-large", hidden=1280, layers=36, heads=20, head_width=64, vocabulary=50257, positions=1024),
    _classical("gpt2-xl", hidden=1600, layers=48, heads=25, head_width=64, vocabulary=50257, positions=1024),
    # Brown et al. 2020, table 2.1; GPT-2's tokenizer. Its banded sparse layers are counted as dense, as every published
    # planner does.
    _classical("gpt3-175b", hidden=12288, layers=96, heads=96, head_width=128, vocabulary=50257, positions=2048),
    # Korthikanti et al. 2022, table 3 (s = 2048, v = 51200 for all of its models).
    _classical("megatron-22b", hidden=6144, layers=48, heads=64, head_width=96, vocabulary=51200, positions=2048),
    _classical("megatron-530b", hidden=20480, layers=105, heads=128, head_width=160, vocabulary=51200, positions=2048),
    _classical("megatron-1t", hidden=25600, layers=128, heads=160, head_width=160, vocabulary=51200, positions=2048),
)

BUILTIN: Mapping[str, ModelFacts] = MappingProxyType({facts.name: facts for facts in _TABLE})
"""Name -> facts of every model that can be derived by name."""

_LLAMA = "a gated feed-forward network, rotary positions and RMS norm"
_GROUPED_LLAMA = f"grouped-query attention, {_LLAMA}"

NOT_COVERED: Mapping[str, str] = MappingProxyType(
    {
        "opt-175b": "ReLU as the feed-forward activation",
        "bloom-176b": "ALiBi position biases in the scores and a norm after the embedding",
        "gpt-j-6b": "attention and feed-forward in parallel, and rotary positions",
        "gpt-neox-20b": "attention and feed-forward in parallel, and rotary positions",
        "falcon-7b": "multi-query attention, attention and feed-forward in parallel, and rotary positions",
        "falcon-40b": "grouped-query attention, attention and feed-forward in parallel, and rotary positions",
        "falcon-180b": "grouped-query attention, attention and feed-forward in parallel, and rotary positions",
        "palm-540b": "multi-query attention, attention and feed-forward in parallel, and a gated feed-forward network",
        "llama-2-7b": _LLAMA,
        "llama-2-13b": _LLAMA,
        "llama-2-70b": _GROUPED_LLAMA,
        "llama-3-8b": _GROUPED_LLAMA,
        "llama-3-70b": _GROUPED_LLAMA,
        "llama-3.1-405b": _GROUPED_LLAMA,
        "mistral-7b": f"sliding-window attention, {_GROUPED_LLAMA}",
        "mixtral-8x7b": f"routed experts, {_GROUPED_LLAMA}",
        "deepseek-v3": "latent attention, routed experts, a gated feed-forward network and rotary positions",
    }
)
"""Name -> what a known model has that no law covers."""


def builtin(name: str) -> ModelFacts:
    """The facts of a built-in model.

    Raises NotCoveredError for a known model without laws, UsageError with near matches for any other name.
    """
    if name in BUILTIN:
        return BUILTIN[name]
    if name in NOT_COVERED:
        raise NotCoveredError(f"model {name} has {NOT_COVERED[name]}, for which no law exists yet")
    near = difflib.get_close_matches(name.lower(), BUILTIN)
    hint = f"did you mean {' or '.join(near)}?" if near else f"built in are {', '.join(BUILTIN)}"
    raise UsageError(f'no model is named "{plain(name, 60)}"; {hint}; `blueprint models` lists them')
