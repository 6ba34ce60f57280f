"""The report as one JSON document: sorted keys, no white space, printable ASCII, a line feed at the end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from blueprint import codec
from blueprint.outcome import SCHEMA, Report

SEVERAL: Final = "blueprint.reports/1"
"""The schema of a document about several subjects."""

_FOREIGN = re.compile(r"[^\x00-\x7e]")


class Reports(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One report for each subject, in the order in which they were named."""

    schema: str
    reports: tuple[Report, ...]


def render(report: Report) -> bytes:
    """The document on one subject."""
    return _ascii(codec.encode(report)) + b"\n"


def render_all(reports: Sequence[Report]) -> bytes:
    """The document on several subjects, `blueprint.reports/1`."""
    return _ascii(codec.encode(Reports(schema=SEVERAL, reports=tuple(reports)))) + b"\n"


def schema() -> dict[str, Any]:
    """The JSON Schema of both documents, derived from the structures themselves."""
    references, definitions = msgspec.json.schema_components((Report, Reports), ref_template="#/$defs/{name}")
    for name, constant in (("Report", SCHEMA), ("Reports", SEVERAL)):
        definitions[name]["properties"]["schema"] = {"const": constant}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Blueprint reports",
        "description": "What `blueprint verify --format json` writes. Every quantity is a decimal string.",
        "oneOf": list(references),
        "$defs": definitions,
    }


def schema_bytes() -> bytes:
    """The shipped file `schema.json`; after a change of the structures, write it anew from here."""
    return msgspec.json.format(msgspec.json.encode(schema(), order="sorted"), indent=2) + b"\n"


def _ascii(document: bytes) -> bytes:
    """The same JSON value without characters that a terminal may obey or that look like others."""
    if document.isascii() and b"\x7f" not in document:
        return document
    return _FOREIGN.sub(_escape, document.decode()).encode("ascii")


def _escape(match: re.Match[str]) -> str:
    """A character as JSON escapes, two for one beyond the basic plane. Outside strings there is none."""
    units = match[0].encode("utf-16-be")
    return "".join(f"\\u{int.from_bytes(units[place : place + 2], 'big'):04x}" for place in range(0, len(units), 2))
