"""The oracle cases: those in data/, and those in the folder that the environment variable BLUEPRINT_ORACLES names."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from blueprint.errors import DomainError, NotCoveredError
from blueprint.ir.common import DType
from blueprint.ir.request import Communication, Recompute, Request
from tests.oracles.derived import block_request, derived

Case = dict[str, Any]

DATA = Path(__file__).with_name("data")
VARIABLE = "BLUEPRINT_ORACLES"

DTYPES = {2: DType.FLOAT16, 4: DType.FLOAT32}
"""By bytes of an element. The measurements are of float16 unless a case says otherwise."""

SHAPE = {"id", "B", "S", "H", "F", "h", "d", "t"}
"""What every training case gives."""

OPTIONAL = {"e", "kv_heads", "gated"}
"""What a case may give besides, and `request_of` reads or `has_fields` refuses."""


def folders() -> list[Path]:
    """Where cases are looked for. A folder that is named but not there is an error, not an empty one."""
    named = os.environ.get(VARIABLE)
    if named and not Path(named).is_dir():
        raise FileNotFoundError(f"{VARIABLE} names no folder: {named}")
    return [DATA, *([Path(named)] if named else [])]


def cases(stem: str, field: str = "cases") -> list[Any]:
    """The cases under `field` of the files that begin with `stem`, as parameters with the folder's and case's name."""
    return [
        pytest.param(case, id=f"{folder.name}-{case['id']}")
        for folder in folders()
        for path in sorted(folder.glob(f"{stem}*.json"))
        for case in json.loads(path.read_text(encoding="utf-8"))[field]
    ]


def has_fields(case: Case, *results: str) -> bool:
    """Whether a case gives its shape, these results and nothing that would pass unread."""
    return set(case) - OPTIONAL == SHAPE | set(results) and not case.get("gated")


def request_of(case: Case, communication: Communication, recompute: Recompute = Recompute.NONE) -> Request:
    """The request that a case describes."""
    return block_request(
        batch=case["B"],
        sequence=case["S"],
        hidden=case["H"],
        feedforward=case["F"],
        heads=case["h"],
        key_value_heads=case.get("kv_heads", case["h"]),
        head_width=case["d"],
        tensor=case["t"],
        dtype=DTYPES[case.get("e", 2)],
        recompute=recompute,
        communication=communication,
    )


def indivisible(case: Case, communication: Communication) -> str:
    """The dimension that the degree does not divide, in the words of a refusal; empty if there is none."""
    stream = ("S", case["S"])
    if communication is Communication.ALL_REDUCE:
        stream = ("B*S*H", case["B"] * case["S"] * case["H"])
    for letter, size in (("h", case["h"]), ("F", case["F"]), stream):
        if size % case["t"]:
            return f"{letter} = {size}"
    return ""


def refused(case: Case, communication: Communication) -> bool:
    """Whether a case lies outside the laws' domain; then that it is refused, and in which words, is checked here."""
    dimension = indivisible(case, communication)
    grouped = case.get("kv_heads", case["h"]) != case["h"]
    if not dimension and not grouped:
        return False
    with pytest.raises(DomainError if dimension else NotCoveredError) as caught:
        derived(request_of(case, communication))
    assert (dimension or "key/value heads") in caught.value.message
    assert f"t = {case['t']}" in caught.value.message or not dimension
    return True
