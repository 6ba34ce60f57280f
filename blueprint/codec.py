"""Struct <-> canonical bytes, digests and ids.

Canonical bytes are UTF-8 JSON with sorted keys, no white space, whole numbers within int64, no floats and no nulls.
A reader accepts bytes only if they equal the canonical encoding of what they decode to: that one comparison, with
unknown fields forbidden on every struct, refuses repeated keys, odd numerals, escapes, byte-order marks, white space
and trailing text together. (It is not RFC 8785: integers beyond 2^53 stand as numbers.)
"""

from __future__ import annotations

import hashlib
from typing import TypeVar

import msgspec

from blueprint.errors import CodecError, LimitError, NonCanonicalError
from blueprint.words import plain

T = TypeVar("T")

BUNDLE_LIMIT = 50 * 1024 * 1024
"""Bytes of the largest file that is read."""

VALUE_LIMIT = 4_000_000
"""Most JSON values in one file; bounds memory before anything is decoded."""

_ENCODER = msgspec.json.Encoder(order="sorted")


def encode(value: object) -> bytes:
    """The canonical bytes of a struct, or of a list of plain values."""
    return _ENCODER.encode(value)


def decode(data: bytes, kind: type[T]) -> T:
    """Decode canonical bytes. Raises LimitError, CodecError or NonCanonicalError, each naming the JSON path."""
    if excess := over_limit(data):
        raise LimitError(f"the input has {excess}")
    try:
        value = msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at ")
        raise CodecError(plain(message), path=plain(path.strip("`")) or "$") from None
    except msgspec.DecodeError as error:
        raise CodecError(f"not canonical JSON: {plain(error)}", path="$") from None
    except (RecursionError, ValueError):
        raise LimitError("the input is nested too deeply or holds a number that is too long", path="$") from None
    canonical = encode(value)
    if canonical != data:
        raise NonCanonicalError(
            "the bytes differ from the canonical encoding of their content "
            f"(first at byte {_first_difference(canonical, data)})",
            path="$",
        )
    return value


def over_limit(data: bytes) -> str:
    """What bytes have too much of to be decoded, in words; empty where they are within the limits."""
    if len(data) > BUNDLE_LIMIT:
        return f"more than {BUNDLE_LIMIT} bytes"
    # Every value but the first of a list or an object follows a comma.
    return f"more than {VALUE_LIMIT} values" if data.count(b",") > VALUE_LIMIT else ""


def _first_difference(left: bytes, right: bytes) -> int:
    """Position of the first byte in which two unequal byte strings differ, by halving what may hold it."""
    same, end = 0, min(len(left), len(right))
    while same < end:
        middle = (same + end + 1) // 2
        if left[same:middle] == right[same:middle]:
            same = middle
        else:
            end = middle - 1
    return same


def digest(kind: str, version: int, body: object) -> str:
    """SHA-256 of the canonical JSON of {kind, version, body}, in lower-case hexadecimal."""
    return hashlib.sha256(encode({"body": body, "kind": kind, "version": version})).hexdigest()


def entity_id(kind: str, version: int, parent: str, rule: str, sources: tuple[str, ...], name: str) -> str:
    """`<kind>:` and the SHA-256 of the canonical JSON of [kind, version, parent, rule, ordered sources, name]."""
    identity = encode([kind, version, parent, rule, sources, name])
    return f"{kind}:{hashlib.sha256(identity).hexdigest()}"
