"""Bundles that do not verify: what is wrong leads to entity, rule and law, and nothing that is cut is hidden."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
import pytest

from blueprint.errors import InputError, UsageError
from blueprint.explorer.explore import explorer_page
from blueprint.explorer.findings import Place, Places
from blueprint.explorer.findings import _place as place_of
from blueprint.ir.common import Stage
from blueprint.outcome import Finding, Outcome, malformed
from blueprint.verification import verify, verify_without_replay
from tests.bundles.branches import DECODE, BranchDraft
from tests.bundles.test_false_bundles import one_task_dropped, wrong_qkv_work
from tests.explorer.conftest import Explored, derived, explored
from tests.explorer.pages import Page, text_of
from tests.mutation.bundles import OPERATORS, SUBJECTS, Mutant, mutants_of, mutated
from tests.reseal import Draft, recorded

NOWHERE = f"value:{'0' * 64}"


def at(page: Page, finding: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Boundary, relation and entity of a finding."""
    index = page.index
    boundary = index["boundaries"][finding["boundary"]]
    relation = page.rows(boundary["relations"])[finding["relation"]]
    entity = page.rows(index["stages"][finding["stage"]]["entities"])[finding["entity"]]
    return boundary, relation, entity


def false(good: Explored, change: Any) -> Explored:
    """A sealed bundle with one change, with the records of an honest run."""
    draft = Draft(good.data)
    change(draft)
    data = draft.sealed()
    return explored(recorded(data, verify(data)))


def test_the_first_finding_leads_to_entity_rule_law_and_counterexample(training: Explored) -> None:
    """B S x (h/t d) x H = 24 x 6 x 12 multiply-adds, counted twice."""
    found = false(training, wrong_qkv_work)
    page = found.page
    assert found.report.verdict is Outcome.REFUTED
    finding = page.index["findings"][0]
    boundary, relation, entity = at(page, finding)
    assert (finding["code"], finding["weight"], finding["refutes"]) == ("claim.exact_work", "first", True)
    assert finding["meaning"].startswith("A task's operations")
    assert page.index["stages"][finding["stage"]]["stage"] == "distributed"
    assert (entity["kind"], entity["name"]) == ("task", "query_projection.forward")
    assert relation["transform"] == "training.qkv_projection"
    assert [finding["boundary"], finding["relation"]] in entity["made_by"]
    (claim,) = [each for each in relation["claims"] if each["status"] == "refuted"]
    (wrong,) = claim["failed"]
    right = 2 * 24 * 6 * 12
    assert (wrong["field"], wrong["found"], wrong["expected"]) == (
        "query_projection.forward.operations",
        str(2 * right),
        str(right),
    )
    obligation = page.rows(page.index["obligations"])[claim["obligation"]]
    values = {each["name"]: each["value"] for each in obligation["counterexample"]}
    assert (obligation["verdict"], values["t"]) == ("refuted", "2")
    rule = boundary["rules"][relation["rule"]]
    laws = [boundary["laws"][each] for each in rule["laws"]]
    assert {each["id"] for each in laws} == {"qkv-projection"}
    assert [each for each in laws if each["status"] == "refuted"]
    assert (rule["status"], boundary["weakest"], boundary["relation_verified"]) == ("refuted", "refuted", False)
    assert page.index["weakest"] == finding["boundary"]
    assert finding["relation"] in boundary["failing"]


def test_the_failure_is_the_first_thing_on_the_page(training: Explored) -> None:
    page = false(training, wrong_qkv_work).page
    body = page.data.partition(b"<body>")[2]
    heading, finding = body.index(b"<h1"), body.index(b"claim.exact_work")
    assert body.index(b'data-word="refuted"') - heading < 40
    assert finding < body.index(b"<table")
    assert b"query_projection.forward" in body[finding : body.index(b"<table")]


def test_a_missing_target_is_counted_and_named(training: Explored) -> None:
    found = false(training, one_task_dropped)
    boundary = found.page.boundary("distributed")
    report = found.report.transitions[1]
    counts = {each["name"]: each["value"] for each in boundary["coverage"]}
    assert counts["missing"] == report.coverage.missing != "0"
    assert boundary["exact"] is False
    missing = [row for row in found.page.rows(boundary["relations"]) if row["missing"]]
    assert "value_projection.weight_gradient" in [each for row in missing for each in row["missing"]]
    assert sum(len(row["missing"]) for row in missing) == int(report.coverage.missing)
    assert boundary["relation_verified"] is False


def test_a_dangling_source_is_counted_and_shown_as_evidence_by_lineage(training: Explored) -> None:
    def change(draft: Draft) -> None:
        draft.entity(Stage.DISTRIBUTED, "tasks", "x.fork_gradient")["lineage"]["sources"] = [NOWHERE]

    found = false(training, change)
    boundary = found.page.boundary("distributed")
    counts = {each["name"]: each["value"] for each in boundary["coverage"]}
    assert (counts["dangling"], found.report.transitions[1].coverage.dangling) == ("1", "1")
    (row,) = [each for each in found.page.rows(boundary["relations"]) if each["rule"] < 0]
    assert (row["id"], row["missing"], row["sources"], row["status"]) == ("", [NOWHERE], [], "")
    assert text_of(row["source"]) == "1 that are not there"
    assert boundary["undeclared"] is True
    names = found.page.rows(found.page.stage("distributed")["names"])
    assert [names[each][1] for group in row["targets"] for each in group["entities"]] == ["x.fork_gradient"]


def test_an_undeclared_transform_is_evidence_by_lineage_alone(training: Explored) -> None:
    def change(draft: Draft) -> None:
        draft.entity(Stage.DISTRIBUTED, "tasks", "x.fork_gradient")["lineage"]["transform"] = "training.unheard_of"

    found = false(training, change)
    boundary = found.page.boundary("distributed")
    counts = {each["name"]: each["value"] for each in boundary["coverage"]}
    assert counts["undeclared"] == found.report.transitions[1].coverage.undeclared == "1"
    (row,) = [each for each in found.page.rows(boundary["relations"]) if each["rule"] < 0]
    assert (row["transform"], row["claims"], row["status"]) == ("training.unheard_of", [], "")
    assert text_of(row["passed"]) == (
        "DistributeTransformerTrainingPass.training.unheard_of(relation=generated, cardinality=1 \u2192 1)"
    )
    assert text_of(row["source"]).startswith("value#")
    finding = next(each for each in found.page.index["findings"] if each["code"] == "lineage.undeclared")
    assert finding["entity"] in row["targets"][0]["entities"]


def test_a_false_record_lies_at_its_own_boundary_wherever_it_stands(training: Explored) -> None:
    draft = Draft(training.data)
    draft.transition(Stage.PORTABLE)["report"]["relation_verified"] = False
    draft.data["transitions"].pop(0)
    index = explored(draft.raw()).page.index
    found = {each["code"]: index["boundaries"][each["boundary"]]["name"] for each in index["findings"]}
    assert found["report.mismatch"] == "PlanTransformerTrainingPass"
    words = [each["word"] for each in index["totals_of_findings"]["boundaries"]]
    assert (words[1], words[2]) == ("", "differs")


def reversed_rules(rules: list[Any]) -> list[Any]:
    return rules[::-1]


def repeated_rules(rules: list[Any]) -> list[Any]:
    return [*rules[:3], *rules]


def fewer_rules(rules: list[Any]) -> list[Any]:
    return [rules[0], *rules[2:]]


@pytest.mark.parametrize("change", [reversed_rules, repeated_rules, fewer_rules])
def test_relations_stand_with_their_own_rule_whatever_the_bundle_declares(change: Any, training: Explored) -> None:
    """The page finds the relations of a rule by counting those of the rules before it."""
    draft = Draft(training.data)
    contract = draft.transition(Stage.DISTRIBUTED)["contract"]
    contract["rules"] = change(contract["rules"])
    found = explored(draft.raw())
    assert found.report.verdict is Outcome.REFUTED
    boundary = found.page.boundary("distributed")
    rows = found.page.rows(boundary["relations"])
    start = 0
    for at, rule in enumerate(boundary["rules"]):
        own = rows[start : start + rule["relations"]]
        assert [(row["rule"], row["transform"]) for row in own] == [(at, rule["id"])] * rule["relations"]
        start += rule["relations"]
    assert {row["rule"] for row in rows[start:]} <= {-1}
    assert boundary["undeclared"] is (change is fewer_rules)
    for row in rows[start:]:
        assert row["id"]
        assert "(relation=undeclared, " in text_of(row["passed"])
    stated = [law for rule in boundary["rules"] for law in rule["laws"]]
    assert len(stated) == len(set(stated))


def test_a_chain_that_is_cut_shows_what_was_not_examined_and_why(five: Explored) -> None:
    draft = Draft(five.data)
    draft.snapshot(Stage.PORTABLE)["tasks"].reverse()
    data = draft.raw()
    found = explored(data)
    assert [each.target for each in found.report.transitions] == ["model", "distributed"]
    for stage in ("portable", "concrete", "machine"):
        boundary = found.page.boundary(stage)
        reason = {each["name"]: each["value"] for each in boundary["short"]}["not examined"]
        assert reason.startswith("structure.order at portable/")
        assert (boundary["weakest"], boundary["canonical_conformant"]) == ("not-run", "not run")
        assert (boundary["relation_verified"], boundary["coverage"], boundary["exact"]) == (False, [], False)
        rows = found.page.rows(boundary["relations"])
        assert rows
        assert {(row["rule"], row["id"], row["status"]) for row in rows} == {(-1, "", "")}
        targets = {each for row in rows for group in row["targets"] for each in group["entities"]}
        assert len(targets) == found.page.stage(stage)["entities"]["count"]
        assert found.page.stage(stage)["status"] == "not-run"
    assert found.page.boundary("distributed")["weakest"] == "proved"
    assert found.page.index["boundaries"][found.page.index["weakest"]]["target"] == 2


def words_of_findings(index: dict[str, Any]) -> list[str]:
    """What findings make of each boundary whose claims and laws are established."""
    return [boundary["word"] for boundary in index["totals_of_findings"]["boundaries"]]


def test_a_boundary_stands_by_all_findings_and_not_by_those_that_are_listed(
    five: Explored, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = Draft(five.data)
    draft.transition(Stage.MACHINE)["report"]["canonical_conformant"] = False
    monkeypatch.setattr("blueprint.explorer.findings.SHOWN", 0)
    page = explored(draft.sealed()).page
    assert (page.index["findings"], page.index["findings_total"]) == ([], 1)
    assert {each["weakest"] for each in page.index["boundaries"]} == {"proved"}
    assert words_of_findings(page.index) == ["", "", "", "", "differs"]


def test_a_boundary_with_a_target_that_nothing_demands_is_refuted(training: Explored) -> None:
    def change(draft: Draft) -> None:
        draft.entity(Stage.PORTABLE, "tasks", "x.fork_gradient")["lineage"]["transform"] = "planning.unheard_of"

    index = false(training, change).page.index
    assert [boundary["exact"] for boundary in index["boundaries"]] == [True, True, False]
    assert words_of_findings(index) == ["", "", "refuted"]


def test_what_was_not_run_again_is_not_established(training: Explored) -> None:
    report = verify_without_replay(training.data)
    index = Page(explorer_page(training.data, report)).index
    assert {each["weakest"] for each in index["boundaries"]} == {"proved"}
    assert words_of_findings(index) == ["not established"] * 3


def test_a_finding_of_a_branch_leads_into_that_branch(inference: Explored) -> None:
    draft = BranchDraft(inference.data, DECODE)
    draft.entity(Stage.PORTABLE, "tasks", "scores.forward")["work"]["operations"] += 1
    page = explored(draft.sealed()).page
    finding = page.index["findings"][0]
    boundary, _, entity = at(page, finding)
    assert (boundary["branch"], entity["name"]) == ("final-decode", "scores.forward")
    assert page.index["stages"][finding["stage"]]["branch"] == "final-decode"


def test_a_snapshot_in_another_stages_slot_is_not_shown(training: Explored) -> None:
    draft = Draft(training.data)
    draft.data["stages"][2]["snapshot"] = draft.data["stages"][1]["snapshot"]
    page = explored(draft.raw()).page
    assert page.stage("portable")["unavailable"] == (
        "the snapshot that stands here is of another stage: blueprint.distributed"
    )
    (finding,) = [each for each in page.index["findings"] if each["code"] == "stage.schema"]
    assert finding["stage"] == 2


def test_ids_that_occur_twice_are_both_shown(training: Explored) -> None:
    draft = Draft(training.data)
    tasks = draft.entities(Stage.PORTABLE, "tasks")
    tasks.append(dict(tasks[-1]))
    stage = explored(draft.raw()).page.stage("portable")
    assert stage["entities"]["count"] == len(tasks) + len(draft.entities(Stage.PORTABLE, "buffers"))


def test_bytes_that_are_no_bundle_have_no_page() -> None:
    report = verify(b"{}")
    with pytest.raises(InputError):
        explorer_page(b"{}", report)


def test_a_report_on_other_bytes_makes_no_page(training: Explored, five: Explored) -> None:
    with pytest.raises(UsageError, match="other bytes"):
        explorer_page(training.data, five.report)


def test_a_law_that_fails_is_named_at_its_boundary(training: Explored) -> None:
    page = false(training, wrong_qkv_work).page
    findings = [each for each in page.index["findings"] if each["code"] == "law.qkv-projection"]
    assert findings
    for finding in findings:
        law = page.index["boundaries"][finding["boundary"]]["laws"][finding["law"]]
        assert (law["id"], law["status"]) == ("qkv-projection", "refuted")
        assert finding["relation"] == finding["entity"] == -1
    assert all(each["law"] == -1 for each in page.index["findings"] if not each["code"].startswith("law."))


def test_a_law_leads_to_the_task_and_not_to_its_result_of_the_same_name(training: Explored) -> None:
    def double(draft: Draft) -> None:
        draft.entity(Stage.PORTABLE, "tasks", "up_projection.forward")["work"]["operations"] *= 2

    page = false(training, double).page
    (finding,) = [each for each in page.index["findings"] if each["code"] == "law.work-conservation"]
    names = page.rows(page.stage("portable")["names"])
    assert [name for _, name, _, _ in names].count("up_projection.forward") == 2
    boundary, relation, entity = at(page, finding)
    assert (entity["kind"], entity["name"]) == ("task", "up_projection.forward")
    assert boundary["rules"][relation["rule"]]["id"] == boundary["laws"][finding["law"]]["rule"] == "planning.task"


def test_a_run_that_broke_down_shows_the_bundle_and_establishes_nothing(training: Explored) -> None:
    finding = Finding(code="internal", message="memory ran out", path="bundle.json")
    report = msgspec.structs.replace(malformed("", finding), verdict=Outcome.ERROR)
    page = Page(explorer_page(training.data, report))
    assert page.index["verdict"] == "error"
    assert [each["stage"] for each in page.index["stages"] if not each["unavailable"]] == [
        "model",
        "distributed",
        "portable",
    ]
    assert {each["weakest"] for each in page.index["boundaries"]} == {"not-run"}
    short = {each["name"]: each["value"] for each in page.boundary("portable")["short"]}
    assert short["not examined"] == "internal: memory ran out"


def beyond(good: Explored, *last: Finding) -> dict[str, Any]:
    """The index of a page whose report has more findings than it lists, and some after those."""
    (name, *_), *_ = [row[1:] for row in good.page.rows(good.page.stage("distributed")["names"])]
    many = [Finding(code="claim.local_shape", message="wrong", path=f"distributed/{name}")] * 250
    report = msgspec.structs.replace(good.report, verdict=Outcome.REFUTED, diagnostics=(*many, *last))
    return Page(explorer_page(good.data, report)).index


def test_a_finding_that_is_not_listed_counts_where_it_lies(training: Explored) -> None:
    names = [row[1] for row in training.page.rows(training.page.stage("portable")["names"])]
    record = Finding(code="report.mismatch", message="another record", path="portable")
    index = beyond(training, record)
    assert len(index["findings"]) == 200
    assert {each["boundary"] for each in index["findings"]} == {1}
    totals = index["totals_of_findings"]
    assert (totals["first"], totals["later"], totals["bytes"]) == (250, 0, 1)
    assert totals["boundaries"] == [
        {"count": 0, "word": ""},
        {"count": 250, "word": "refuted"},
        {"count": 1, "word": "differs"},
    ]
    claims = [Finding(code="claim.exact_work", message="wrong", path=f"portable/{name}") for name in names[-3:]]
    totals = beyond(training, *claims)["totals_of_findings"]
    assert (totals["first"], totals["later"]) == (250, 3)
    assert totals["boundaries"][2] == {"count": 3, "word": "refuted"}
    assert totals["refuted"][2] == sorted(names.index(name) for name in names[-3:])
    off = Finding(code="replay.off", message="off", path="portable", refutes=False)
    assert beyond(training, off)["totals_of_findings"]["boundaries"][2] == {"count": 1, "word": "not established"}


def test_a_place_is_looked_for_once_however_many_findings_name_it(
    training: Explored, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of entities that share a name each has findings, and each is among those that the name may mean."""
    looked: list[str] = []

    def looking(finding: Finding, places: Places) -> Place:
        looked.append(finding.path)
        return place_of(finding, places)

    monkeypatch.setattr("blueprint.explorer.findings._place", looking)
    index = beyond(training, Finding(code="claim.exact_work", message="wrong", path="portable"))
    assert index["totals_of_findings"]["first"] == 250
    assert len(looked) == len(set(looked)) == 2


def drawn() -> list[tuple[Mutant, bytes]]:
    """One place of every third operator of the bundle mutation, in a bundle of training or of inference."""
    found: dict[str, tuple[Mutant, bytes]] = {}
    for subject in ("training block, queue", "inference block, queue"):
        good = derived(SUBJECTS[subject])
        for mutant in mutants_of(subject, good):
            found.setdefault(mutant.operator.name, (mutant, good))
    return [found[each.name] for each in OPERATORS[::3] if each.name in found]


def test_a_false_bundle_of_any_kind_has_a_page() -> None:
    shown = Counter[str]()
    for mutant, good in drawn():
        data = mutated(mutant, good)
        report = verify(data)
        if report.verdict is Outcome.MALFORMED:
            continue
        page = Page(explorer_page(data, report))
        index = page.index
        assert index["verdict"] != "verified", mutant.key
        assert index["findings_total"] == len(report.diagnostics) > 0, mutant.key
        for finding in index["findings"]:
            if finding["code"].startswith("claim."):
                _, relation, _ = at(page, finding)
                assert [each for each in relation["claims"] if each["status"] != "proved"], mutant.key
        shown[mutant.operator.name] += 1
    assert len(shown) >= 18
