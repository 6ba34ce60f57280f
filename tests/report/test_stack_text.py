"""What a report says of a whole pipeline stage: its numbers are those of all its blocks, and it says so first."""

from __future__ import annotations

import functools
import json

import msgspec
import pytest

from blueprint.bindings import flat_bindings
from blueprint.derivation import derive
from blueprint.errors import UsageError
from blueprint.frontend.request import inference_request, training_request
from blueprint.ir.request import Activation, ModelFacts, Request, Scope
from blueprint.outcome import Outcome, Report
from blueprint.report import text
from blueprint.verification import verify

JOBS = 2

TINY = ModelFacts(
    name="tiny",
    hidden=12,
    feedforward=20,
    heads=4,
    key_value_heads=4,
    head_width=3,
    layers=6,
    vocabulary=7,
    positions=8,
    biases=True,
    activation=Activation.GELU,
)


def trained(*, pipeline: int, scope: Scope, stage: int = 0) -> Request:
    return training_request(
        TINY, tensor=2, pipeline=pipeline, data=3, batch=3, sequence=8, zero=1, scope=scope, stage=stage
    )


STAGE = trained(pipeline=2, scope=Scope.STACK, stage=1)
LONE = trained(pipeline=6, scope=Scope.STACK, stage=4)
BLOCK = trained(pipeline=2, scope=Scope.BLOCK)
STEPS = inference_request(TINY, tensor=2, pipeline=3, batch=3, prompt=4, context=7, scope=Scope.STACK, stage=2)


@functools.cache
def bundle(request: Request) -> bytes:
    return derive(request, jobs=JOBS)


@functools.cache
def report(request: Request) -> Report:
    return verify(bundle(request), jobs=JOBS)


SAID = {
    STAGE: ("scope: name=stack blocks=3", "all 3 blocks of pipeline stage 1", ("one microbatch",)),
    LONE: ("scope: name=stack blocks=1", "the 1 block of pipeline stage 4", ("one microbatch",)),
    BLOCK: ("scope: name=block blocks=1", "one block", ("one microbatch",)),
    STEPS: (
        "scope: name=stack blocks=2",
        "all 2 blocks of pipeline stage 2",
        ("one step of prefill", "one step of final-decode"),
    ),
}


@pytest.mark.parametrize("request_", SAID, ids=["stage", "lone", "block", "steps"])
def test_the_text_says_what_its_numbers_are_about(request_: Request) -> None:
    scope, covered, units = SAID[request_]
    lines = text.render(report(request_)).splitlines()
    statement = lines[: next(place for place, line in enumerate(lines) if line.startswith("verdict"))]
    assert f"  {scope}" in statement
    headings = [line for line in lines if line.startswith(("work of one rank", "memory of one rank"))]
    notes = "parameters are counted" + ("; the boundary is a part of the workspace" if request_ is STEPS else "")
    assert headings == [
        *(f"work of one rank, for {covered} and {unit}:" for unit in units),
        *(f"memory of one rank, for {covered} and {unit}, in bytes ({notes}):" for unit in units),
    ]
    assert ("one block" in "\n".join(headings)) is (request_ is BLOCK)


def test_what_is_not_verified_is_the_bundle_s_word() -> None:
    refuted = msgspec.structs.replace(report(STAGE), verdict=Outcome.REFUTED)
    lines = text.render(refuted).splitlines()
    assert "work of one rank, for all 3 blocks of pipeline stage 1 and one microbatch, as the bundle has them:" in lines
    of = "for all 3 blocks of pipeline stage 1 and one microbatch"
    assert f"memory of one rank, {of}, as the bundle has it, in bytes (parameters are counted):" in lines


def test_the_totals_of_the_text_are_those_of_all_blocks() -> None:
    """The phases of a block, three times as much of each; besides, what a stage alone has."""
    alone = {row.phase: row for row in report(BLOCK).subject.totals}
    stage = {row.phase: row for row in report(STAGE).subject.totals}
    assert stage.keys() - alone.keys() == {"stage_boundary", "synchronization"}
    for phase, row in alone.items():
        for field in ("tasks", "operations", "read_bytes", "write_bytes", "message_bytes"):
            assert int(getattr(stage[phase], field)) == 3 * int(getattr(row, field))
    (memory,), (held,) = report(STAGE).subject.memory, report(BLOCK).subject.memory
    facts = {name: int(size) for name, size in memory.facts.items() if name != "parameters"}
    assert int(memory.total) == sum(facts.values())
    assert facts["working"] == int(held.facts["working"])
    assert facts["optimizer"] == 3 * int(held.facts["optimizer"])


@pytest.mark.parametrize(("request_", "blocks"), [(STAGE, 3), (LONE, 1), (BLOCK, 1), (STEPS, 2)])
def test_the_bindings_and_the_labels_count_the_blocks(request_: Request, blocks: int) -> None:
    assert flat_bindings(report(request_).subject.bindings)["blocks"] == str(blocks)
    said = "one block" if blocks == 1 else f"{blocks} blocks"
    stages = json.loads(bundle(request_))["stages"]
    assert {each["label"] for each in stages} == {f"{each['stage']} of {said}" for each in stages}


@pytest.mark.parametrize(
    ("expected", "verdict"),
    [
        ({"blocks": "3", "scope": "stack", "stage": "1"}, Outcome.VERIFIED),
        ({"blocks": "6"}, Outcome.REFUTED),
        ({"stage": "0"}, Outcome.REFUTED),
        ({"scope": "block"}, Outcome.REFUTED),
    ],
)
def test_a_caller_may_expect_how_much_is_covered(expected: dict[str, str], verdict: Outcome) -> None:
    found = verify(bundle(STAGE), jobs=JOBS, expect=expected)
    assert found.verdict is verdict
    assert {each.code for each in found.diagnostics} == (set() if verdict is Outcome.VERIFIED else {"expect"})


@pytest.mark.parametrize("blocks", ["0", "03", "three", "-1"])
def test_a_number_of_blocks_that_no_stage_has_is_refused(blocks: str) -> None:
    with pytest.raises(UsageError, match=r"^--expect: blocks cannot be "):
        verify(bundle(STAGE), jobs=JOBS, expect={"blocks": blocks})
