"""What a report tells to mend first, on bundles with one slip: found by name, whatever follows from it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from blueprint.causes import Weight, causes, in_order, weighed
from blueprint.ir.common import Stage
from blueprint.outcome import Finding, StageRow
from blueprint.report import github, markdown, text
from blueprint.report.subjects import Examined
from blueprint.verification import verify
from tests.bundles.test_false_binding import QUEUE, TINY, bundle
from tests.report import samples
from tests.reseal import Draft, Plain

STAGES = ("model", "distributed", "portable", "concrete", "machine")


def found(*paths: str, branches: tuple[str, ...] = ("",), code: str = "claim.exact_work") -> dict[Weight, list[str]]:
    """The paths of findings by weight, in a derivation with these branches."""
    rows = [
        StageRow(stage=each, branch=branch, digest="", entities="0", unavailable="")
        for branch in branches
        for each in STAGES
    ]
    report = msgspec.structs.replace(
        samples.VERIFIED,
        subject=msgspec.structs.replace(samples.VERIFIED.subject, stages=tuple(rows)),
        diagnostics=tuple(Finding(code=code, message="", path=path) for path in paths),
    )
    return {weight: [each.path for each in findings] for weight, findings in causes(report).findings.items()}


def test_what_is_wrong_in_an_earlier_stage_comes_first() -> None:
    weights = found("portable/a.size", "distributed/a.operations", "distributed/b.operations", "machine/a.offset")
    assert weights[Weight.FIRST] == ["distributed/a.operations", "distributed/b.operations"]
    assert weights[Weight.LATER] == ["portable/a.size", "machine/a.offset"]


def test_a_slip_in_one_branch_explains_nothing_in_the_other() -> None:
    both = ("prefill", "final-decode")
    weights = found("prefill/portable/a", "final-decode/distributed/a", "final-decode/portable/a", branches=both)
    assert weights[Weight.FIRST] == ["prefill/portable/a", "final-decode/distributed/a"]
    assert weights[Weight.LATER] == ["final-decode/portable/a"]


def test_the_model_that_branches_share_comes_before_them() -> None:
    weights = found("prefill/distributed/a", "model/facts.hidden", branches=("", "prefill", "final-decode"))
    assert weights[Weight.FIRST] == ["model/facts.hidden"]
    assert weights[Weight.LATER] == ["prefill/distributed/a"]


def test_what_has_no_stage_is_not_taken_for_a_consequence() -> None:
    weights = found("request", "distributed/a", "", code="model.domain")
    assert weights[Weight.FIRST] == ["request", "distributed/a", ""]


@pytest.mark.parametrize("code", ["replay", "report.mismatch", "digest.transition", "nothing.established"])
def test_differing_bytes_are_no_cause(code: str) -> None:
    weights = found("model", "distributed/a", code=code)
    assert weights == {Weight.FIRST: [], Weight.LATER: [], Weight.BYTES: ["model", "distributed/a"]}


def test_a_report_without_findings_has_no_cause() -> None:
    assert causes(samples.VERIFIED).first is None
    assert "\nfirst:" not in text.render(samples.VERIFIED)


def _operations(task: Plain) -> None:
    task["work"]["operations"] += 1


def _size(buffer: Plain) -> None:
    buffer["size"] *= 2


def _offset(buffer: Plain) -> None:
    buffer["offset"] += 16


def _mode(instruction: Plain) -> None:
    operand = next(each for each in instruction["operands"] if each.get("mode") == "write")
    operand["mode"] = "read"


@pytest.mark.parametrize(
    ("stage", "kind", "name", "change", "field"),
    [
        (
            Stage.DISTRIBUTED,
            "tasks",
            "up_projection.forward",
            _operations,
            "distributed/up_projection.forward.operations",
        ),
        (Stage.PORTABLE, "buffers", "softmax.forward", _size, "portable/softmax.forward.size"),
        (Stage.CONCRETE, "buffers", "context.forward", _offset, "concrete/context.forward.offset"),
        (Stage.MACHINE, "instructions", "context.forward", _mode, "machine/context.forward.operands"),
    ],
)
def test_the_field_that_was_changed_is_named_first(
    stage: Stage, kind: str, name: str, change: Callable[[Plain], None], field: str
) -> None:
    draft = Draft(bundle(TINY[QUEUE]))
    change(draft.entity(stage, kind, name))
    report = verify(draft.sealed())
    first = text.render(report).splitlines()
    line = next(each for each in first if each.startswith("first: "))
    assert line.startswith(f"first: {field}")
    assert ": found " in line
    assert ", expected " in line
    assert line.removeprefix("first: ") in markdown.render([Examined("b", "b", report)])


def placed(*findings: tuple[str, str]) -> list[tuple[str, Weight]]:
    """Findings, each a code and a path, in the order of a report."""
    rows = [StageRow(stage=each, branch="", digest="", entities="0", unavailable="") for each in STAGES]
    given = [Finding(code=code, message="", path=path) for code, path in findings]
    weights = {each.path: weight for each, weight in weighed(given, rows)}
    return [(each.path, weights[each.path]) for each in in_order(given, rows)]


def test_a_missing_entity_comes_before_the_lists_that_name_it() -> None:
    found = placed(
        ("claim.dependency_topology", "portable/b.dependencies count"),
        ("law.gemm", "portable/linear"),
        ("coverage.missing", "portable/a"),
    )
    assert [path for path, _ in found] == ["portable/a", "portable/b.dependencies count", "portable/linear"]


def test_a_parent_digest_that_was_put_wrong_comes_before_the_ids_that_are_made_from_it() -> None:
    found = placed(("structure.id", "concrete/device.0"), ("digest.parent", "concrete"))
    assert found == [("concrete", Weight.FIRST), ("concrete/device.0", Weight.LATER)]


def test_a_parent_digest_after_a_stage_that_is_wrong_is_no_cause() -> None:
    found = placed(("digest.parent", "concrete"), ("claim.exact_work", "distributed/a"))
    assert found == [("distributed/a", Weight.FIRST), ("concrete", Weight.BYTES)]


def test_every_format_begins_with_the_same_finding() -> None:
    draft = Draft(bundle(TINY[QUEUE]))
    tasks = draft.entities(Stage.DISTRIBUTED, "tasks")
    lost = next(each for each in tasks if each["name"] == "key_projection.forward")
    tasks.remove(lost)
    subject = Examined("b", "b", verify(draft.sealed()))
    first = subject.report.diagnostics[0]
    assert first.path == "distributed/key_projection.forward"
    assert github.render([subject]).splitlines()[1].endswith(f"{first.path}: {first.message}")
    for rendered in (text.render(subject.report), markdown.render([subject])):
        assert f"{first.path}: {first.message}" in next(line for line in rendered.splitlines() if "irst" in line[:8])


def test_a_contract_that_differs_is_told_by_its_field() -> None:
    draft = Draft(bundle(TINY[QUEUE]))
    draft.transition(Stage.PORTABLE)["contract"]["deterministic"] = False
    found = next(each for each in verify(draft.sealed()).diagnostics if each.code == "contract")
    assert found.message.endswith("under this rulebook: deterministic is False, would be True")
