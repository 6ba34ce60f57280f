"""Dimensions divide exactly or are refused by name; the rest are products, the same for integers and for symbols."""

from __future__ import annotations

import dataclasses
import inspect
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blueprint.case import Case, Workload, all_cases
from blueprint.errors import DomainError
from blueprint.frontend.models import builtin
from blueprint.ir.common import Branch, DType
from blueprint.ir.request import (
    Activation,
    Communication,
    Inference,
    ModelFacts,
    Recompute,
    Request,
    Scope,
    Strategy,
    Training,
)
from blueprint.symbols import ALPHABET
from blueprint.term import evaluate
from blueprint.theory import inference_dims, symbolic_dims
from blueprint.theory_layout import number_term
from blueprint.workload.dims import Dims, Factors, dims_of
from blueprint.workload.inference_dims import InferenceDims, inference_dims_of

MODELS = Path(__file__).parents[1] / "oracles" / "model_configs.json"
ORACLE: dict[str, Any] = {row["model"]: row for row in json.loads(MODELS.read_text(encoding="utf-8"))["models"]}


def _request(
    *,
    hidden: int = 24,
    feedforward: int = 60,
    heads: int = 12,
    key_value_heads: int | None = None,
    head_width: int = 5,
    batch: int = 3,
    sequence: int = 12,
    tensor: int = 1,
    data: int = 1,
    zero: int = 0,
    biases: bool = True,
    dtype: DType = DType.FLOAT16,
    gradient_bytes: int = 4,
    communication: Communication = Communication.ALL_REDUCE,
) -> Request:
    """A request as it stands, without the front end's own checks."""
    return Request(
        model=ModelFacts(
            name="test",
            hidden=hidden,
            feedforward=feedforward,
            heads=heads,
            key_value_heads=heads if key_value_heads is None else key_value_heads,
            head_width=head_width,
            layers=1,
            vocabulary=1,
            positions=1,
            biases=biases,
            activation=Activation.GELU,
        ),
        workload=Training(batch=batch, sequence=sequence, microbatches=1, dtype=dtype),
        strategy=Strategy(
            tensor=tensor,
            pipeline=1,
            data=data,
            recompute=Recompute.NONE,
            communication=communication,
            zero=zero,
            gradient_bytes=gradient_bytes,
            shard_checkpoint=False,
            scope=Scope.BLOCK,
            stage=0,
        ),
    )


# Refusals -----------------------------------------------------------------------------------------------------------

SPLIT = Communication.SEQUENCE_PARALLEL
REFUSALS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    # what is wrong: (a request that is refused, what makes it good, the dimension in words)
    "heads": ({"heads": 14, "key_value_heads": 12, "tensor": 4}, {"heads": 16}, "heads h = 14"),
    "heads above t": ({"heads": 2, "key_value_heads": 4, "tensor": 4}, {"heads": 4}, "heads h = 2"),
    "key/value heads": ({"key_value_heads": 6, "tensor": 4}, {"key_value_heads": 4}, "key/value heads k = 6"),
    "one key/value head": ({"key_value_heads": 1, "tensor": 4}, {"key_value_heads": 12}, "key/value heads k = 1"),
    "feed-forward width": ({"feedforward": 62, "tensor": 4}, {"feedforward": 64}, "feed-forward width F = 62"),
    "odd degree": ({"feedforward": 64, "tensor": 3}, {"feedforward": 63}, "feed-forward width F = 64"),
    "sequence": ({"sequence": 10, "tensor": 4, "communication": SPLIT}, {"sequence": 8}, "sequence S = 10"),
    "sequence, though B*S*H divides": (
        {"sequence": 10, "hidden": 24, "batch": 4, "tensor": 4, "communication": SPLIT},
        {"communication": Communication.ALL_REDUCE},
        "sequence S = 10",
    ),
    "B*S*H": (
        {"batch": 3, "sequence": 5, "hidden": 25, "tensor": 4},
        {"batch": 4},
        "tensor B*S*H = 375",
    ),
    # ../shared/oracles/known_wrong_cases.json, must_refuse z01
    "published shape": (
        {"hidden": 960, "feedforward": 2560, "heads": 15, "head_width": 64, "tensor": 3},
        {"feedforward": 2562},
        "feed-forward width F = 2560",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_remainder_is_refused_with_dimension_and_degree(name: str) -> None:
    bad, mend, dimension = REFUSALS[name]
    with pytest.raises(DomainError) as caught:
        dims_of(_request(**bad))
    assert caught.value.message.startswith(f"{dimension} is not divisible by ")
    assert caught.value.message.endswith(f"t = {bad['tensor']}")
    dims_of(_request(**{**bad, **mend}))


sizes = st.integers(1, 60)


@given(sizes, sizes, sizes, sizes, st.integers(1, 9), sizes, st.integers(1, 9), st.sampled_from(Communication))
def test_it_is_refused_exactly_where_something_does_not_divide(
    hidden: int, feedforward: int, heads: int, keys: int, batch: int, sequence: int, t: int, how: Communication
) -> None:
    request = _request(
        hidden=hidden,
        feedforward=feedforward,
        heads=heads,
        key_value_heads=keys,
        batch=batch,
        sequence=sequence,
        tensor=t,
        communication=how,
    )
    stream = sequence if how is SPLIT else batch * sequence * hidden
    if any(size % t for size in (feedforward, heads, keys, stream)):
        with pytest.raises(DomainError, match=rf"is not divisible by .*t = {t}\Z"):
            dims_of(request)
        return
    dims = dims_of(request)
    assert (dims.t * dims.h_t, dims.t * dims.k_t, dims.t * dims.F_t) == (heads, keys, feedforward)
    assert (dims.B, dims.S, dims.H, dims.d) == (batch, sequence, hidden, 5)
    assert dims.t * dims.shard == batch * sequence * hidden
    assert dims.S_r * (dims.t if how is SPLIT else 1) == sequence


@given(st.integers(2, 9), st.integers(1, 5), st.sampled_from(Communication))
def test_multiples_are_never_refused(t: int, factor: int, how: Communication) -> None:
    """The other side of the test above, which meets few shapes that divide."""
    size = t * factor
    request = _request(heads=size, feedforward=size, sequence=size, hidden=7, batch=1, tensor=t, communication=how)
    dims = dims_of(request)
    assert (dims.h_t, dims.k_t, dims.F_t, dims.t * dims.shard) == (factor, factor, factor, 7 * size)


# Factors ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.text)
@given(st.lists(st.integers(1, 9), min_size=15, max_size=15))
@settings(max_examples=10)
def test_factors_multiply_up(case: Case, numbers: list[int]) -> None:
    batch, sequence, hidden, heads, keys, width, wide, degree, element, gradient, state, shard, *others = numbers
    share, ranks, whole = others
    t = degree if case.tensor_parallel else 1
    dims = Dims.of(
        case,
        Factors(
            batch=batch,
            sequence=sequence,
            hidden=hidden,
            heads=heads,
            key_value_heads=keys,
            head_width=width,
            feedforward=wide,
            tensor=t,
            element=element,
            gradient=gradient,
            optimizer_state=state,
            shard=shard,
            data=ranks,
            optimizer_shard=share,
            whole_share=whole,
        ),
    )
    assert (dims.B, dims.H, dims.h_t, dims.k_t, dims.d, dims.F_t) == (batch, hidden, heads, keys, width, wide)
    assert (dims.t, dims.e, dims.g, dims.o, dims.optimizer_shard) == (t, element, gradient, state, share)
    assert (dims.data, dims.whole_share, dims.whole) == (ranks, whole, (6 if case.biases else 4) * hidden)
    assert dims.S_r == sequence
    assert (t * sequence if case.sequence_parallel else sequence) == dims.S
    assert dims.shard == (batch * sequence * hidden if case.sequence_parallel else shard)


WIDTHS = ("H", "h_t", "k_t", "d", "F_t", "t", "shard", "e", "parameters")
"""What the steps of training and of inference have in common."""

FIELDS = (
    *WIDTHS,
    "B",
    "S",
    "S_r",
    "g",
    "o",
    "optimizer_shard",
    "data",
    "whole",
    "whole_share",
)


@pytest.mark.parametrize("case", all_cases(Workload.TRAINING), ids=lambda case: case.text)
@given(st.lists(st.integers(1, 9), min_size=9, max_size=9))
@settings(max_examples=10)
def test_symbols_and_integers_have_the_same_dimensions(case: Case, numbers: list[int]) -> None:
    """Whatever a request's dimensions are, the symbolic ones are the same at the same point."""
    batch, sequence, hidden, heads, keys, width, wide, degree, ranks = numbers
    t = degree if case.tensor_parallel else 1
    request = _request(
        hidden=hidden * t,
        feedforward=wide * t,
        heads=heads * t,
        key_value_heads=keys * t,
        head_width=width,
        batch=batch,
        sequence=sequence * t,
        tensor=t,
        data=ranks,
        communication=case.communication,
        biases=case.biases,
    )
    dims = dims_of(request)
    whole = (6 if case.biases else 4) * hidden * t
    point = dict.fromkeys(ALPHABET, 1) | {
        "B": batch,
        "S": sequence * t,
        "S_t": sequence,
        "H": hidden * t,
        "h_t": heads,
        "k_t": keys,
        "d": width,
        "F_t": wide,
        "t": t,
        "e": 2,
        "g": 4,
        "o": 12,
        "R": batch * sequence * hidden * t,
        "D": ranks,
        "n_D": math.ceil(Fraction(dims.parameters, ranks)),
        "n_w": math.ceil(Fraction(whole, t)),
    }
    symbolic = symbolic_dims(case)
    assert {name: evaluate(number_term(getattr(symbolic, name)), point) for name in FIELDS} == {
        name: getattr(dims, name) for name in FIELDS
    }


STEP_FIELDS = (*WIDTHS, "b", "q", "c")


@pytest.mark.parametrize("branch", [Branch.PREFILL, Branch.FINAL_DECODE], ids=lambda branch: branch.value)
@pytest.mark.parametrize("case", all_cases(Workload.INFERENCE), ids=lambda case: case.text)
@given(st.lists(st.integers(1, 9), min_size=9, max_size=9))
@settings(max_examples=10)
def test_symbols_and_integers_have_the_same_dimensions_in_a_step(
    case: Case, branch: Branch, numbers: list[int]
) -> None:
    """As above: the prompt is one step of all its tokens, the last token a step that sees the whole context."""
    batch, prompt, more, hidden, heads, keys, width, wide, degree = numbers
    t = degree if case.tensor_parallel else 1
    model = _request(
        hidden=hidden * t, feedforward=wide * t, heads=heads * t, key_value_heads=keys * t, head_width=width, tensor=t,
        biases=case.biases,
    )  # fmt: skip
    workload = Inference(batch=batch, prompt=prompt, context=prompt + more, dtype=DType.BFLOAT16)
    dims = inference_dims_of(msgspec.structs.replace(model, workload=workload), branch)
    new, seen = (prompt, prompt) if branch is Branch.PREFILL else (1, prompt + more)
    point = dict.fromkeys(ALPHABET, 1) | {
        "b": batch,
        "q": new,
        "c": seen,
        "H": hidden * t,
        "h_t": heads,
        "k_t": keys,
        "d": width,
        "F_t": wide,
        "t": t,
        "e": 2,
        "R": batch * new * hidden,
    }
    symbolic = inference_dims(case)
    assert {name: evaluate(number_term(getattr(symbolic, name)), point) for name in STEP_FIELDS} == {
        name: getattr(dims, name) for name in STEP_FIELDS
    }


def test_every_dimension_is_compared() -> None:
    """All but the case and an extension's operations, which are no numbers."""
    for kind, names in ((Dims, FIELDS), (InferenceDims, STEP_FIELDS)):
        made = {field.name for field in dataclasses.fields(kind)} - {"case", "added"}
        assert made | {name for name, each in inspect.getmembers(kind) if isinstance(each, property)} == set(names)


# Widths -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "element", "state"), [(DType.FLOAT32, 4, 8), (DType.FLOAT16, 2, 12), (DType.BFLOAT16, 2, 12)]
)
@pytest.mark.parametrize("gradient", [2, 4])
def test_a_four_byte_parameter_is_its_own_master_copy(dtype: DType, element: int, state: int, gradient: int) -> None:
    dims = dims_of(_request(dtype=dtype, gradient_bytes=gradient))
    assert (dims.e, dims.g, dims.o) == (element, gradient, state)


# Parameters ---------------------------------------------------------------------------------------------------------

# name -> (rows of the position table beyond `max_positions`, norms beside the blocks' own, whether there is a table)
COMPARABLE = {
    "gpt2": (0, 1, True),
    "gpt2-medium": (0, 1, True),
    "gpt2-large": (0, 1, True),
    "gpt2-xl": (0, 1, True),
    "gpt3-175b": (0, 1, True),
    "megatron-530b": (0, 1, True),
    # Not derivable, but their blocks hold the same parameters: OPT's table has two more rows; BLOOM has no table
    # (ALiBi), and a norm after the embedding.
    "opt-175b": (2, 1, True),
    "bloom-176b": (0, 2, False),
}


def _row_request(row: dict[str, Any], tensor: int) -> Request:
    return _request(
        hidden=row["hidden"],
        feedforward=row["ff"],
        heads=row["heads"],
        key_value_heads=row["kv_heads"],
        head_width=row["head_dim"],
        sequence=128,
        tensor=tensor,
    )


@pytest.mark.parametrize("name", COMPARABLE)
def test_the_blocks_hold_what_the_oracle_counts(name: str) -> None:
    row = ORACLE[name]
    more, norms, table = COMPARABLE[name]
    positions = row["max_positions"] + more if table else 0
    embeddings = (row["vocab"] + positions) * row["hidden"]
    blocks = row["params_total"] - embeddings - norms * 2 * row["hidden"]
    assert dims_of(_row_request(row, 1)).parameters * row["layers"] == blocks


@pytest.mark.parametrize("name", ["gpt2", "gpt2-xl", "gpt3-175b", "megatron-530b"])
def test_the_builtin_facts_give_the_oracles_count(name: str) -> None:
    """The same count from the facts that `derive` uses, not from the oracle's own."""
    facts, row = builtin(name), ORACLE[name]
    request = Request(model=facts, workload=_request().workload, strategy=_request().strategy)
    embeddings = (facts.vocabulary + facts.positions) * facts.hidden
    assert dims_of(request).parameters * facts.layers + embeddings + 2 * facts.hidden == row["params_total"]


@pytest.mark.parametrize("name", COMPARABLE)
@pytest.mark.parametrize("t", [2, 4])
def test_the_ranks_hold_the_whole_and_copies_of_what_is_replicated(name: str, t: int) -> None:
    """Two norms (4H) and the two biases behind row-parallel projections (2H) stand on every rank."""
    row = ORACLE[name]
    degree = t if row["heads"] % t == 0 else row["heads"]
    whole = dims_of(_row_request(row, 1)).parameters
    assert degree > 1
    assert degree * dims_of(_row_request(row, degree)).parameters == whole + (degree - 1) * 6 * row["hidden"]


@given(sizes, sizes, sizes, sizes, sizes, st.integers(1, 6))
def test_parameters_are_matrices_norms_and_biases(h_t: int, k_t: int, d: int, hidden: int, wide: int, t: int) -> None:
    def count(*, biases: bool) -> int:
        return dims_of(
            _request(
                heads=t * h_t,
                key_value_heads=t * k_t,
                head_width=d,
                hidden=hidden,
                feedforward=t * wide,
                sequence=t,
                tensor=t,
                biases=biases,
            )
        ).parameters

    matrices = 2 * hidden * h_t * d + 2 * hidden * k_t * d + 2 * hidden * wide
    assert count(biases=False) == matrices + 4 * hidden
    assert count(biases=True) == matrices + 4 * hidden + h_t * d + 2 * k_t * d + wide + 2 * hidden


# Optimizer shard ----------------------------------------------------------------------------------------------------


@given(sizes, sizes, sizes, sizes, st.integers(1, 5000))
def test_the_optimizer_shard_is_the_largest_share(hidden: int, wide: int, heads: int, width: int, data: int) -> None:
    for biases in (False, True):
        dims = dims_of(
            _request(
                hidden=hidden,
                feedforward=wide,
                heads=heads,
                head_width=width,
                data=data,
                zero=1,
                biases=biases,
            )
        )
        n, total = dims.optimizer_shard, dims.parameters
        assert data * n >= total > data * (n - 1)


@pytest.mark.parametrize(
    ("data", "share"), [(1, 3552), (2, 1776), (3, 1184), (5, 711), (7, 508), (3551, 2), (3552, 1), (4000, 1)]
)
def test_a_share_is_exact_or_rounded_up(data: int, share: int) -> None:
    dims = dims_of(_request(heads=4, hidden=24, feedforward=24, head_width=6, biases=False, data=data, zero=1))
    assert dims.parameters == 4 * 24 * 24 + 2 * 24 * 24 + 4 * 24 == 3552
    assert dims.optimizer_shard == share
