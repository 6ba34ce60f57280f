"""The JSON report: canonical, printable, described by the shipped schema, and without loss."""

from __future__ import annotations

import json as stdlib
import re
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import blueprint.report
from blueprint import outcome
from blueprint.outcome import Finding, Report
from blueprint.report import json
from tests.report import samples

SHIPPED = Path(blueprint.report.__file__).parent / "schema.json"


@pytest.fixture(scope="module")
def validator() -> Any:
    schema = stdlib.loads(SHIPPED.read_bytes())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("report", samples.ALL.values(), ids=samples.ALL)
def test_a_document_holds_the_whole_report(report: Report) -> None:
    document = json.render(report)
    assert msgspec.json.decode(document, type=Report) == report
    assert json.render(msgspec.json.decode(document, type=Report)) == document


@pytest.mark.parametrize("report", samples.ALL.values(), ids=samples.ALL)
def test_a_document_is_one_sorted_line_of_printable_characters(report: Report) -> None:
    document = json.render(report)
    assert document.endswith(b"}\n")
    assert all(b" "[0] <= byte <= b"~"[0] for byte in document[:-1])
    value = stdlib.loads(document)
    assert document[:-1].decode() == stdlib.dumps(value, sort_keys=True, separators=(",", ":"))


@pytest.mark.parametrize("report", samples.ALL.values(), ids=samples.ALL)
def test_a_document_fits_the_schema(report: Report, validator: Any) -> None:
    validator.validate(stdlib.loads(json.render(report)))


def test_several_reports_are_one_document(validator: Any) -> None:
    document = json.render_all(list(samples.ALL.values()))
    value = stdlib.loads(document)
    validator.validate(value)
    assert value["schema"] == "blueprint.reports/1"
    assert value["reports"] == [stdlib.loads(json.render(report)) for report in samples.ALL.values()]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema",), "blueprint.report/2"),
        (("verdict",), "fine"),
        (("summary", "claims"), 2),
        (("transitions", 0, "relation_verified"), "yes"),
        (("transitions", 0, "relations", 0, "claims", 0, "status"), "assumed"),
        (("unknown",), ""),
    ],
)
def test_the_schema_refuses_what_no_report_says(path: tuple[Any, ...], value: object, validator: Any) -> None:
    document = stdlib.loads(json.render(samples.VERIFIED))
    place = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    assert not validator.is_valid(document)


def test_the_shipped_schema_is_that_of_the_structures() -> None:
    assert SHIPPED.read_bytes() == json.schema_bytes(), "write json.schema_bytes() to blueprint/report/schema.json"


def test_every_structure_and_every_field_is_described() -> None:
    definitions = json.schema()["$defs"]
    bare = [
        (name, field)
        for name, definition in definitions.items()
        for field, place in definition.get("properties", {}).items()
        if not place.get("description", "").endswith(".")
    ]
    assert bare == []
    assert all(definition["description"] for definition in definitions.values())
    assert not any("Attributes:" in definition["description"] for definition in definitions.values())
    assert definitions["FailedFact"]["properties"]["found"]["description"] == (
        "What the bundle has there: a number, or the word or the name that stands there."
    )


def test_no_field_is_described_that_does_not_exist() -> None:
    """A docstring that still speaks of a renamed field would not be seen in the schema."""
    for kind in vars(outcome).values():
        if (
            isinstance(kind, type)
            and issubclass(kind, msgspec.Struct)
            and kind.__doc__
            and "Attributes:" in kind.__doc__
        ):
            told = re.findall(r"^        (\w+): ", kind.__doc__, re.MULTILINE)
            assert tuple(told) == kind.__struct_fields__, kind.__name__


@given(st.text(max_size=60))
def test_no_text_is_lost_or_left_raw(text: str) -> None:
    report = msgspec.structs.replace(
        samples.MALFORMED, diagnostics=(Finding(code="claim", message=text, path="\U0001f600\x7f\xe9"),)
    )
    document = json.render(report)
    assert document.isascii()
    assert b"\x7f" not in document
    assert msgspec.json.decode(document, type=Report) == report
