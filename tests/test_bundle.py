"""The bundle's structures take what they say and nothing else, and its digests bind what they stand for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import msgspec
import pytest

from blueprint import bundle
from blueprint.bundle import Bundle, read_bundle
from blueprint.codec import encode
from blueprint.errors import CodecError
from blueprint.frontend.block import model_ir
from tests.bundles.conftest import TINY_REQUEST

ZERO, ONE = "0" * 64, "1" * 64


def structures(kind: object, seen: dict[str, msgspec.inspect.StructType]) -> dict[str, msgspec.inspect.StructType]:
    """Every structure that can occur in a value of this kind, by name."""
    if isinstance(kind, msgspec.inspect.StructType):
        if kind.cls.__name__ in seen:
            return seen
        seen[kind.cls.__name__] = kind
        for each in kind.fields:
            structures(each.type, seen)
    for name in ("types", "item_types"):
        for each in getattr(kind, name, ()):
            structures(each, seen)
    for name in ("item_type", "key_type", "value_type", "type"):
        if (inner := getattr(kind, name, None)) is not None:
            structures(inner, seen)
    return seen


ALL = structures(msgspec.inspect.type_info(Bundle), {})


def parts(kind: object) -> Iterator[object]:
    """A kind and the kinds inside it, without going into structures."""
    yield kind
    for name in ("types", "item_types"):
        for each in getattr(kind, name, ()):
            yield from parts(each)
    for name in ("item_type", "key_type", "value_type", "type"):
        if (inner := getattr(kind, name, None)) is not None:
            yield from parts(inner)


def test_every_structure_of_every_stage_is_among_them() -> None:
    assert {"Request", "ModelIR", "Task", "PlanTask", "Buffer", "Command", "Instruction", "PassContract"} <= set(ALL)


@pytest.mark.parametrize("name", ALL)
def test_no_structure_takes_an_unknown_field_or_a_value_of_no_kind(name: str) -> None:
    assert ALL[name].forbid_unknown_fields
    inside = [part for each in ALL[name].fields for part in parts(each.type)]
    assert not [
        part
        for part in inside
        if isinstance(part, msgspec.inspect.AnyType | msgspec.inspect.FloatType | msgspec.inspect.NoneType)
    ]


@pytest.mark.parametrize("name", [name for name in ALL if not name.endswith("Contract")])
def test_no_number_and_no_text_is_without_a_bound(name: str) -> None:
    """But for contracts, which are compared with those of the passes word for word."""
    for field in ALL[name].fields:
        kinds = list(parts(field.type))
        keys = [each.key_type for each in kinds if isinstance(each, msgspec.inspect.DictType)]
        for each in kinds:
            if isinstance(each, msgspec.inspect.IntType):
                assert None not in {each.ge, each.le}, field.name
            if isinstance(each, msgspec.inspect.StrType) and each not in keys:
                assert each.max_length is not None, field.name


NEVER_EMPTY = frozenset(
    {
        *("axes", "shape", "local_shape", "ranks", "participants", "devices", "regions", "objectives"),
        "Implementation.alternatives",
        "MachineIR.entries",
    }
)
"""Lists that say nothing without an element."""


@pytest.mark.parametrize("name", [name for name in ALL if not name.endswith("Contract")])
def test_no_list_is_without_a_bound(name: str) -> None:
    """Of a few per entity, of one per rank of the largest degree, of a million entities."""
    for field in ALL[name].fields:
        empty = {field.name, f"{name}.{field.name}"}.isdisjoint(NEVER_EMPTY)
        for each in parts(field.type):
            if isinstance(each, msgspec.inspect.VarTupleType):
                assert each.max_length in {4, 8, 16, 64, 4096, 10_000, 65_536, 1_000_000}, field.name
                assert each.min_length == (None if empty else 1), field.name


@pytest.mark.parametrize(
    ("structure", "field", "most"),
    [
        ("Bundle", "stages", 64),
        ("Bundle", "transitions", 64),
        ("Bundle", "overlays", 64),
        ("Overlay", "entries", 1_000_000),
        ("RecordedReport", "obligations", 1_000_000),
        ("RecordedReport", "laws", 10_000),
    ],
)
def test_a_list_of_the_bundle_is_as_long_as_it_may_be(structure: str, field: str, most: int) -> None:
    (kind,) = (each.type for each in ALL[structure].fields if each.name == field)
    assert isinstance(kind, msgspec.inspect.VarTupleType)
    assert kind.max_length == most


@pytest.mark.parametrize("field", ["coverage", "cardinality", "claims"])
def test_a_record_counts_at_most_256_words(field: str) -> None:
    (kind,) = (each.type for each in ALL["RecordedReport"].fields if each.name == field)
    assert isinstance(kind, msgspec.inspect.DictType)
    assert kind.max_length == 256
    assert isinstance(kind.value_type, msgspec.inspect.IntType)
    assert kind.value_type.ge == 0
    assert isinstance(kind.key_type, msgspec.inspect.StrType)
    assert kind.key_type.max_length is not None


def test_the_words_of_the_file_are_these() -> None:
    assert {field.encode_name for field in ALL["StageRecord"].fields} == {
        *("branch", "label", "pass", "snapshot", "stage")
    }
    (schema,) = (each.type for each in ALL["Bundle"].fields if each.name == "schema")
    assert isinstance(schema, msgspec.inspect.LiteralType)
    assert schema.values == (bundle.BUNDLE_SCHEMA,) == ("blueprinting.derivation-debug-bundle.v0",)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_fingerprint_binds_request_and_rulebook_in_this_order() -> None:
    expected = sha256(f'{{"body":["{ZERO}","{ONE}"],"kind":"session","version":1}}')
    assert bundle.fingerprint(ZERO, ONE) == expected


def test_a_derivation_digest_binds_session_and_snapshots_in_order() -> None:
    expected = sha256(f'{{"body":["{ZERO}","{ONE}","{ZERO}"],"kind":"derivation","version":1}}')
    assert bundle.derivation_digest(ZERO, [ONE, ZERO]) == expected


def test_a_snapshot_digest_binds_stage_version_and_content() -> None:
    model = model_ir(TINY_REQUEST)
    expected = sha256(f'{{"body":{encode(model).decode()},"kind":"model","version":1}}')
    assert bundle.snapshot_digest(model) == expected


def test_a_seed_is_the_first_64_bits_of_the_fingerprint() -> None:
    assert bundle.session_seed("00000000000000ff" + "e" * 48) == 255
    assert bundle.session_seed("f" * 64) == 2**64 - 1


def test_a_bundle_is_read_as_canonical_bytes_of_a_bundle() -> None:
    with pytest.raises(CodecError, match="required"):
        read_bundle(b"{}")
