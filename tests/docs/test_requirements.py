"""The table of requirements names code and tests that exist, leaves no number out, and copies nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from blueprint.passes.distribute_inference import DistributeTransformerInferencePass
from blueprint.passes.distribute_training import DistributeTransformerTrainingPass
from blueprint.passes.plan_inference import PlanTransformerInferencePass
from blueprint.passes.plan_training import PlanTransformerTrainingPass
from blueprint.passes.protocol import DerivationPass
from tests.trust.test_checklist import LATER, Row, faults, rows, split

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs" / "requirements" / "pass-formulae.md"
TEXT = TABLE.read_text(encoding="utf-8")
ROWS = rows(TEXT)
NOT_YET = re.compile(rf"\A{LATER}: docs pages(?:; .+)?\Z")


def numbers(table: list[Row]) -> list[int]:
    """The numbers of the requirements. Raises ValueError for a row without one."""
    return [int(sentence.partition(" ")[0]) for sentence, *_ in table]


def test_every_requirement_has_its_number() -> None:
    assert numbers(ROWS) == list(range(1, 93))
    assert len({sentence.partition(" ")[2] for sentence, *_ in ROWS}) > 80


@pytest.mark.parametrize("row", ROWS, ids=[row[0].partition(" ")[0] for row in ROWS])
def test_a_row_names_what_exists(row: Row) -> None:
    assert faults(row) == []


@pytest.mark.parametrize("row", ROWS, ids=[row[0].partition(" ")[0] for row in ROWS])
def test_what_comes_later_says_with_what(row: Row) -> None:
    _, _, tests, note = row
    assert (NOT_YET.match(note) is not None) is not bool(split(tests))


def test_nothing_comes_later() -> None:
    assert [row for row in ROWS if NOT_YET.match(row[-1])] == []


@pytest.mark.parametrize(
    ("derivation_pass", "papers"),
    [
        (DistributeTransformerTrainingPass, ("Shoeybi", "Narayanan", "Korthikanti")),
        (PlanTransformerTrainingPass, ("Shoeybi", "Rajbhandari", "Korthikanti")),
        (DistributeTransformerInferencePass, ("Vaswani", "Shoeybi", "Dao")),
        (PlanTransformerInferencePass, ("Vaswani", "Dao")),
    ],
)
def test_the_papers_are_named(derivation_pass: type[DerivationPass[Any, Any]], papers: tuple[str, ...]) -> None:
    assert [source.partition(" ")[0] for source in derivation_pass.facts.provenance] == list(papers)


def test_a_row_of_another_form_is_noticed() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        numbers([("a sentence", "", "", "")])
    assert NOT_YET.match("later") is None
    assert NOT_YET.match("later: issue 45") is None
    assert NOT_YET.match("later: docs pages; why")
