"""The built-in models are the published ones, and every other name is refused with a reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from blueprint.errors import NotCoveredError, UsageError
from blueprint.frontend.models import BUILTIN, NOT_COVERED, builtin
from blueprint.ir.request import ModelFacts

ORACLE: dict[str, Any] = {
    row["model"]: row
    for row in json.loads((Path(__file__).parents[1] / "oracles" / "model_configs.json").read_text())["models"]
}
CHECKED = ("gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl", "gpt3-175b", "megatron-530b")

# Korthikanti et al. 2022, table 3: (hidden, layers, heads); the names' sizes in billions of parameters.
PUBLISHED = {
    "megatron-22b": (6144, 48, 64, 22),
    "gpt3-175b": (12288, 96, 96, 175),
    "megatron-530b": (20480, 105, 128, 530),
    "megatron-1t": (25600, 128, 160, 1000),
}


def _parameters(facts: ModelFacts) -> int:
    """All parameters: tied token table, positions, blocks with biases, two norms a block and a final one."""
    inner = facts.heads * facts.head_width
    matrices = 4 * facts.hidden * inner + 2 * facts.hidden * facts.feedforward
    biases = 3 * inner + facts.feedforward + 2 * facts.hidden
    block = matrices + biases + 4 * facts.hidden
    return facts.hidden * (facts.vocabulary + facts.positions) + facts.layers * block + 2 * facts.hidden


@pytest.mark.parametrize("name", CHECKED)
def test_facts_equal_the_oracle(name: str) -> None:
    facts, row = builtin(name), ORACLE[name]
    assert facts.name == name
    assert (facts.hidden, facts.feedforward, facts.layers) == (row["hidden"], row["ff"], row["layers"])
    assert (facts.heads, facts.key_value_heads, facts.head_width) == (row["heads"], row["kv_heads"], row["head_dim"])
    assert (facts.vocabulary, facts.positions) == (row["vocab"], row["max_positions"])
    assert row["gated"] is False


@pytest.mark.parametrize("name", CHECKED)
def test_the_parameters_counted_from_the_facts_equal_the_oracle(name: str) -> None:
    assert builtin(name).biases
    assert _parameters(builtin(name)) == ORACLE[name]["params_total"]


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_facts_equal_the_published_table(name: str) -> None:
    facts = builtin(name)
    hidden, layers, heads, billions = PUBLISHED[name]
    assert (facts.hidden, facts.layers, facts.heads) == (hidden, layers, heads)
    assert abs(_parameters(facts) - billions * 10**9) < billions * 10**9 // 50


@pytest.mark.parametrize("name", sorted(BUILTIN))
def test_every_built_in_model_is_classical(name: str) -> None:
    facts = BUILTIN[name]
    assert facts.hidden == facts.heads * facts.head_width
    assert facts.feedforward == 4 * facts.hidden
    assert facts.key_value_heads == facts.heads


def test_every_model_of_the_oracle_is_built_in_or_refused_with_a_reason() -> None:
    assert sorted(ORACLE) == sorted(name for name in (*BUILTIN, *NOT_COVERED) if name in ORACLE)
    assert not BUILTIN.keys() & NOT_COVERED.keys()


@pytest.mark.parametrize("name", sorted(NOT_COVERED))
def test_a_model_without_laws_is_refused_with_its_feature(name: str) -> None:
    with pytest.raises(NotCoveredError, match="no law exists yet") as caught:
        builtin(name)
    assert name in caught.value.message
    assert NOT_COVERED[name] in caught.value.message


@pytest.mark.parametrize(
    ("name", "feature"),
    [
        ("opt-175b", "ReLU"),
        ("bloom-176b", "ALiBi"),
        ("llama-2-7b", "gated"),
        ("llama-2-70b", "grouped-query"),
        ("llama-3-8b", "grouped-query"),
        ("llama-3.1-405b", "grouped-query"),
        ("mistral-7b", "grouped-query"),
        ("mixtral-8x7b", "experts"),
        ("deepseek-v3", "latent"),
        ("palm-540b", "multi-query"),
    ],
)
def test_the_reason_is_the_models_own(name: str, feature: str) -> None:
    with pytest.raises(NotCoveredError, match=feature):
        builtin(name)


def test_the_oracle_agrees_with_the_reasons() -> None:
    for name, row in ORACLE.items():
        if name in BUILTIN:
            continue
        assert ("gated" in NOT_COVERED[name]) == row["gated"]
        assert ("grouped-query" in NOT_COVERED[name]) == (row["kv_heads"] != row["heads"])


@pytest.mark.parametrize(
    ("name", "near"), [("gpt3-175", "gpt3-175b"), ("GPT2-XL", "gpt2-xl"), ("megatron22b", "megatron-22b")]
)
def test_a_near_match_is_named(name: str, near: str) -> None:
    with pytest.raises(UsageError, match=f"did you mean .*{near}") as caught:
        builtin(name)
    assert not isinstance(caught.value, NotCoveredError)


@pytest.mark.parametrize(
    "name",
    ["", "zzz", "\x1b[2J\u202e", "\ud800", "q" * 10_000_000],
    ids=["empty", "far", "terminal", "surrogate", "huge"],
)
def test_a_name_like_no_other_lists_the_built_in_ones(name: str) -> None:
    with pytest.raises(UsageError, match="built in are gpt2, ") as caught:
        builtin(name)
    assert caught.value.message.isascii()
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 300
