"""The report as one JSON document: sorted keys, no white space, printable ASCII, a line feed at the end."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from blueprint import codec
from blueprint.outcome import SCHEMA, Report
from blueprint.report.explanation import SCHEMA as EXPLANATION
from blueprint.report.explanation import Explanations

SEVERAL: Final = "blueprint.reports/1"
"""The schema of a document about several subjects."""

_ATTRIBUTE: Final = re.compile(r"^    (\w+): (.*(?:\n     .*)*)", re.MULTILINE)
"""A name and its words in the `Attributes` of a docstring; what is indented further goes on with the words."""

_FOREIGN = re.compile(r"[^\x00-\x7e]")


class Reports(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One report for each subject, in the order in which they were named.

    Attributes:
        schema: Name of this schema.
        reports: The reports.
    """

    schema: str
    reports: tuple[Report, ...]


def render(report: Report) -> bytes:
    """The document on one subject."""
    return _ascii(codec.encode(report)) + b"\n"


def render_all(reports: Sequence[Report]) -> bytes:
    """The document on several subjects, `blueprint.reports/1`."""
    return _ascii(codec.encode(Reports(schema=SEVERAL, reports=tuple(reports)))) + b"\n"


def render_explanations(explanations: Explanations) -> bytes:
    """The document on relations in full, `blueprint.explanation/1`."""
    return _ascii(codec.encode(explanations)) + b"\n"


def schema() -> dict[str, Any]:
    """The JSON Schema of all documents, derived from the structures and their docstrings."""
    kinds = (Report, Reports, Explanations)
    references, definitions = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    for definition in definitions.values():
        _describe(definition)
    for name, constant in (("Report", SCHEMA), ("Reports", SEVERAL), ("Explanations", EXPLANATION)):
        definitions[name]["properties"]["schema"]["const"] = constant
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Blueprint reports",
        "description": "The json of `blueprint verify` and `blueprint report`. Every quantity is a decimal string.",
        "oneOf": list(references),
        "$defs": definitions,
    }


def _describe(definition: dict[str, Any]) -> None:
    """Move the words about each attribute from a structure's description to the attribute's own."""
    head, _, attributes = inspect.cleandoc(definition.get("description", "")).partition("\n\nAttributes:\n")
    definition["description"] = " ".join(head.split())
    described = dict(_ATTRIBUTE.findall(attributes))
    for name, place in definition.get("properties", {}).items():
        # The name in the document is that of the field, but for the word that Python keeps for itself.
        words = described.get("derivation_pass" if name == "pass" else name)
        if words is not None:
            # Beside a reference, and not inside what it points to, which others point to as well.
            place["description"] = " ".join(words.split())


def schema_bytes() -> bytes:
    """The shipped file `schema.json`; after a change of the structures, write it anew from here."""
    return msgspec.json.format(msgspec.json.encode(schema(), order="sorted"), indent=2) + b"\n"


def _ascii(document: bytes) -> bytes:
    """The same JSON value without characters that a terminal may obey or that look like others."""
    # A workflow's runner obeys what begins so, wherever it stands in its log.
    document = document.replace(b"##[", b"#\\u0023[")
    if document.isascii() and b"\x7f" not in document:
        return document
    return _FOREIGN.sub(_escape, document.decode()).encode("ascii")


def _escape(match: re.Match[str]) -> str:
    """A character as JSON escapes, two for one beyond the basic plane. Outside strings there is none."""
    units = match[0].encode("utf-16-be")
    return "".join(f"\\u{int.from_bytes(units[place : place + 2], 'big'):04x}" for place in range(0, len(units), 2))
