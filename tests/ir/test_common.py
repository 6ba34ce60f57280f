"""The bounded scalar types take what they say they take, to the last value."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from blueprint.codec import decode, encode
from blueprint.errors import CodecError
from blueprint.frontend.models import builtin
from blueprint.frontend.request import inference_request, training_request
from blueprint.ir.common import (
    Branch,
    Count,
    Digest,
    DType,
    EntityId,
    Header,
    Lineage,
    Name,
    Positive,
    Rank,
    Stage,
    Text,
)
from blueprint.ir.request import Degree, Neighbour, Request, Scope, TargetKind, branches_of, neighbours_of, places_of


def taken(kind: Any, value: object) -> bool:
    """Whether a value is one of a kind, as bytes of a file."""
    try:
        return bool(decode(json.dumps(value, separators=(",", ":")).encode(), kind) == value)
    except CodecError:
        return False


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (Name, ("a", "a" * 64, "a_0.b"), ("", "a" * 65, "_a", "0a", "a-b", "aB", "a\n")),
        (Digest, ("0" * 64, "f" * 64, "0123456789abcdef" * 4), ("", "0" * 63, "0" * 65, "F" * 64, "g" * 64)),
        (
            EntityId,
            (f"a:{'0' * 64}", f"{'z' * 16}:{'f' * 64}"),
            ("", f":{'0' * 64}", f"{'z' * 17}:{'0' * 64}", f"A:{'0' * 64}", f"a:{'0' * 63}", f"a:{'F' * 64}"),
        ),
        (Text, ("", "x" * 256), ("x" * 257,)),
        (Count, (0, 1, 2**63 - 1), (-1, 2**63, True)),
        (Positive, (1, 2**63 - 1), (0, -1, 2**63, True)),
        (Rank, (0, 2**31 - 1), (-1, 2**31, True)),
        (Degree, (1, 65536), (0, 65537, True)),
    ],
    ids=["name", "digest", "entity id", "text", "count", "positive", "rank", "degree"],
)
def test_a_scalar_is_taken_up_to_its_bounds(kind: Any, good: tuple[object, ...], bad: tuple[object, ...]) -> None:
    assert [value for value in good if not taken(kind, value)] == []
    assert [value for value in bad if taken(kind, value)] == []


def test_a_lineage_has_at_most_4096_sources() -> None:
    source = f"task:{'0' * 64}"
    lineage = {"kind": "derived", "sources": [source] * 4096, "transform": "a"}
    longer = {**lineage, "sources": [source] * 4097}
    assert len(decode(json.dumps(lineage, separators=(",", ":")).encode(), Lineage).sources) == 4096
    with pytest.raises(CodecError):
        decode(json.dumps(longer, separators=(",", ":")).encode(), Lineage)


@pytest.mark.parametrize("kind", [Header, Lineage])
def test_what_every_stage_shares_takes_no_unknown_field(kind: type[msgspec.Struct]) -> None:
    assert kind.__struct_config__.forbid_unknown_fields


def test_the_stages_stand_in_their_order() -> None:
    assert [stage.value for stage in Stage] == ["model", "distributed", "portable", "concrete", "machine"]


def test_training_is_one_chain_and_inference_two_branches() -> None:
    """Prefill first, then the last token."""
    assert branches_of(training_request(builtin("gpt2"), sequence=8).workload) == (Branch.MAIN,)
    generation = inference_request(builtin("gpt2"), prompt=4, context=8).workload
    assert branches_of(generation) == (Branch.PREFILL, Branch.FINAL_DECODE)


BEFORE, AFTER = Neighbour.BEFORE, Neighbour.AFTER


@pytest.mark.parametrize(
    ("pipeline", "stage", "beside"),
    [(1, 0, ()), (3, 0, (AFTER,)), (3, 1, (BEFORE, AFTER)), (3, 2, (BEFORE,)), (2, 0, (AFTER,)), (2, 1, (BEFORE,))],
)
def test_a_stage_exchanges_with_those_beside_it_and_a_block_with_none(
    pipeline: int, stage: int, beside: tuple[Neighbour, ...]
) -> None:
    block = training_request(builtin("gpt2"), sequence=8, tensor=2).strategy
    stack = msgspec.structs.replace(block, scope=Scope.STACK, pipeline=pipeline, stage=stage)
    assert (neighbours_of(stack), places_of(stack)) == (beside, 2 + len(beside))
    assert (neighbours_of(block), places_of(block)) == ((), 2)


def test_an_element_is_as_wide_as_its_type_is_called() -> None:
    assert {each.value: each.width for each in DType} == {"float32": 4, "float16": 2, "bfloat16": 2, "uint8": 1}


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [("pipeline", (1, 65536), (0, 65537)), ("stage", (0, 65535), (-1, 65536)), ("zero", (0, 3), (-1, 4)),
     ("gradient_bytes", (2, 4), (1, 5))],
)  # fmt: skip
def test_a_number_of_a_strategy_is_taken_up_to_its_bounds(
    field: str, good: tuple[int, ...], bad: tuple[int, ...]
) -> None:
    """A pipeline has at most 65,536 stages, counted from zero; a gradient two to four bytes."""
    strategy = training_request(builtin("gpt2"), sequence=8).strategy
    for value in (*good, *bad):
        changed = msgspec.structs.replace(strategy, **{field: value})
        try:
            assert decode(encode(changed), type(strategy)) == changed
        except CodecError:
            assert value in bad
        else:
            assert value in good


@pytest.mark.parametrize("target", [None, TargetKind.QUEUE])
def test_a_request_is_read_as_it_was_written_with_a_target_and_without(target: TargetKind | None) -> None:
    request = training_request(builtin("gpt2"), sequence=8, target=target)
    assert decode(encode(request), Request) == request
    bare = Request(**{name: getattr(request, name) for name in ("model", "workload", "strategy")})
    assert decode(encode(bare), Request) == bare
