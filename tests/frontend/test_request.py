"""A request lies in the domain of the laws, or is refused with the dimension, its value and the degree."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from blueprint.errors import DomainError, NotCoveredError
from blueprint.frontend.models import builtin
from blueprint.frontend.request import check_domain, training_request
from blueprint.ir.common import DType
from blueprint.ir.request import Communication, ModelFacts, Recompute, Request, Scope, Strategy, Training

GPT3 = builtin("gpt3-175b")

GOOD: dict[str, Any] = {
    "model": GPT3,
    "tensor": 8,
    "pipeline": 8,
    "data": 8,
    "batch": 1,
    "sequence": 2048,
    "microbatches": 4,
    "dtype": DType.BFLOAT16,
    "recompute": Recompute.SELECTIVE,
    "communication": Communication.SEQUENCE_PARALLEL,
    "zero": 1,
    "gradient_bytes": 4,
    "shard_checkpoint": False,
}


def _facts(**changes: object) -> ModelFacts:
    return msgspec.structs.replace(GPT3, **changes)


def _request(**changes: object) -> Request:
    return training_request(**(GOOD | changes))


def _refuse(words: str, **changes: object) -> None:
    """One change of a good request is refused, with these words and a place."""
    _request()
    with pytest.raises(DomainError) as caught:
        _request(**changes)
    assert words in caught.value.message
    assert caught.value.path
    assert caught.value.diagnostics().isascii()


def test_a_good_request_holds_exactly_what_was_asked() -> None:
    assert _request() == Request(
        model=GPT3,
        workload=Training(batch=1, sequence=2048, microbatches=4, dtype=DType.BFLOAT16),
        strategy=Strategy(
            tensor=8,
            pipeline=8,
            data=8,
            recompute=Recompute.SELECTIVE,
            communication=Communication.SEQUENCE_PARALLEL,
            zero=1,
            gradient_bytes=4,
            shard_checkpoint=False,
            scope=Scope.BLOCK,
            stage=0,
        ),
    )


def test_a_good_request_decodes_to_itself() -> None:
    assert msgspec.json.decode(msgspec.json.encode(_request()), type=Request) == _request()


@pytest.mark.parametrize(("dtype", "width"), [(DType.FLOAT32, 4), (DType.FLOAT16, 2), (DType.BFLOAT16, 2)])
def test_gradients_are_as_wide_as_the_elements_unless_asked(dtype: DType, width: int) -> None:
    assert _request(dtype=dtype, gradient_bytes=None).strategy.gradient_bytes == width
    assert _request(dtype=dtype, gradient_bytes=6 - width).strategy.gradient_bytes == 6 - width


def test_sequence_parallelism_on_one_rank_is_allowed() -> None:
    assert _request(tensor=1, sequence=2047).strategy.tensor == 1


def test_an_odd_sequence_is_allowed_with_all_reduce() -> None:
    workload = _request(communication=Communication.ALL_REDUCE, sequence=2047).workload
    assert isinstance(workload, Training)
    assert workload.sequence == 2047


def test_zero_stage_0_is_allowed_on_one_replica() -> None:
    assert _request(zero=0, data=1).strategy.data == 1


def test_heads_that_tensor_does_not_divide() -> None:
    _refuse("heads h = 96 is not divisible by tensor degree t = 7", tensor=7)


def test_key_value_heads_that_tensor_does_not_divide() -> None:
    _refuse("key/value heads k = 12 is not divisible by tensor degree t = 8", model=_facts(key_value_heads=12))


def test_a_feed_forward_width_that_tensor_does_not_divide() -> None:
    _refuse("feed-forward width F = 49153 is not divisible by tensor degree t = 8", model=_facts(feedforward=49153))


def test_layers_that_pipeline_does_not_divide() -> None:
    _refuse("layers L = 96 is not divisible by pipeline degree p = 7", pipeline=7)


def test_a_sequence_that_tensor_does_not_divide() -> None:
    _refuse("sequence length S = 2047 is not divisible by tensor degree t = 8", sequence=2047)


def test_activations_that_tensor_does_not_divide() -> None:
    _refuse(
        "activation elements B*S*H = 15 is not divisible by tensor degree t = 8",
        model=_facts(hidden=5),
        communication=Communication.ALL_REDUCE,
        sequence=3,
    )


@pytest.mark.parametrize("stage", [1, 2, 3])
def test_zero_on_one_replica(stage: int) -> None:
    _refuse(f"ZeRO stage {stage} shards over the data-parallel group, but the data degree is D = 1", zero=stage, data=1)


def test_grouped_query_attention() -> None:
    with pytest.raises(NotCoveredError, match=r"grouped-query attention .*k = 8, heads h = 96"):
        _request(model=_facts(key_value_heads=8))


@pytest.mark.parametrize(
    ("name", "words", "least", "greatest"),
    [
        ("tensor", "tensor degree t", 1, 65536),
        ("pipeline", "pipeline degree p", 1, 65536),
        ("data", "data degree D", 1, 65536),
        ("batch", "batch B", 1, 2**63 - 1),
        ("sequence", "sequence length S", 1, 2**63 - 1),
        ("microbatches", "microbatches", 1, 2**63 - 1),
        ("zero", "ZeRO stage", 0, 3),
        ("gradient_bytes", "gradient bytes g", 2, 4),
    ],
)
def test_a_number_out_of_its_range(name: str, words: str, least: int, greatest: int) -> None:
    for value in (least - 1, greatest + 1):
        _refuse(f"{words} = {value} is not from {least} to {greatest}", **{name: value})
    _refuse("an integer of", **{name: 10**5000})
    for wrong in (True, 8.0, "8", [8]):
        _refuse(f"{words} = {wrong} is not a whole number", **{name: wrong})


@pytest.mark.parametrize("name", [field for field in ModelFacts.__struct_fields__ if type(getattr(GPT3, field)) is int])
def test_a_fact_out_of_its_range(name: str) -> None:
    _refuse("is not from 1 to 9223372036854775807", model=_facts(**{name: 0}))
    _refuse("is not from 1 to 9223372036854775807", model=_facts(**{name: 2**63}))
    _refuse("is not a whole number", model=_facts(**{name: 96.0}))
    _refuse("is not a whole number", model=_facts(**{name: True}))


def test_every_number_of_a_request_is_checked() -> None:
    decoded = msgspec.to_builtins(_request())
    for part, values in decoded.items():
        for field, value in values.items():
            if type(value) is int:
                broken = getattr(_request(), part)
                broken = msgspec.structs.replace(broken, **{field: -1})
                with pytest.raises(DomainError, match="= -1 is not from"):
                    check_domain(msgspec.structs.replace(_request(), **{part: broken}))


def test_gradients_of_three_bytes() -> None:
    _refuse("gradient bytes g = 3 is not 2 or 4", gradient_bytes=3)


@pytest.mark.parametrize(
    ("dtype", "shown"), [(DType.UINT8, "uint8"), ("bfloat16", "bfloat16"), (None, "None"), (2, "2")]
)
def test_an_element_type_that_no_model_is_trained_in(dtype: object, shown: str) -> None:
    _refuse(f"element type {shown} is not one of float32, float16, bfloat16", dtype=dtype)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("recompute", "full", "full is not a Recompute"),
        ("communication", "all-reduce", "all-reduce is not a Communication"),
        ("shard_checkpoint", 1, "1 is not a bool"),
    ],
)
def test_a_choice_of_another_type(name: str, value: object, words: str) -> None:
    _refuse(words, **{name: value})


@pytest.mark.parametrize(
    ("name", "value", "words"), [("biases", 1, "1 is not a bool"), ("activation", "gelu", "gelu is not a Activation")]
)
def test_a_fact_of_another_type(name: str, value: object, words: str) -> None:
    _refuse(words, model=_facts(**{name: value}))


def test_a_scope_of_another_type() -> None:
    strategy = msgspec.structs.replace(_request().strategy, scope="block")
    with pytest.raises(DomainError, match="block is not a Scope"):
        check_domain(msgspec.structs.replace(_request(), strategy=strategy))


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("strategy", "tensor"), 7, "heads h = 96 is not divisible by tensor degree t = 7"),
        (("strategy", "pipeline"), 5, "layers L = 96 is not divisible by pipeline degree p = 5"),
        (("strategy", "data"), 1, "data degree is D = 1"),
        (("strategy", "gradient_bytes"), 3, "gradient bytes g = 3"),
        (("workload", "sequence"), 1001, "sequence length S = 1001"),
        (("workload", "dtype"), "uint8", "element type uint8"),
    ],
)
def test_a_decoded_request_is_held_to_the_same_domain(path: tuple[str, str], value: object, words: str) -> None:
    document = msgspec.to_builtins(_request())
    check_domain(msgspec.convert(document, Request))
    document[path[0]][path[1]] = value
    with pytest.raises(DomainError, match=words):
        check_domain(msgspec.convert(document, Request))
