"""Boundaries on the page: the contract, coverage against the report, relations as rows, laws and their evidence."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import msgspec
import pytest

from blueprint.bundle import read_bundle
from blueprint.explanations.claims import CLAIMS
from blueprint.explorer.explore import explorer_page
from blueprint.ir.common import Stage
from blueprint.outcome import Outcome, Status
from blueprint.report import text
from tests.explorer.conftest import Explored, explored
from tests.explorer.pages import Page, text_of
from tests.reseal import Draft

SUBJECTS = ["training", "five", "inference", "slots"]


@pytest.fixture(params=SUBJECTS)
def subject(request: pytest.FixtureRequest) -> Explored:
    found: Explored = request.getfixturevalue(request.param)
    return found


def pairs(explored: Explored) -> list[tuple[dict[str, Any], Any]]:
    """Every boundary with the report on its transition."""
    found = list(zip(explored.page.index["boundaries"], explored.report.transitions, strict=True))
    for boundary, transition in found:
        stage = explored.page.index["stages"][boundary["target"]]
        assert (stage["stage"], boundary["branch"], boundary["name"]) == (
            transition.target,
            transition.branch,
            transition.derivation_pass,
        )
    return found


def facts(rows: list[dict[str, str]]) -> dict[str, str]:
    return {each["name"]: each["value"] for each in rows}


def in_order_of_rules(boundary: dict[str, Any]) -> list[int]:
    """The rules of the rows as the page looks for them: rule by rule, so many each, and then those of none."""
    ruled = [at for at, rule in enumerate(boundary["rules"]) for _ in range(rule["relations"])]
    return ruled + [-1] * (boundary["relations"]["count"] - len(ruled))


def test_the_first_boundary_leads_from_the_request(subject: Explored) -> None:
    boundary = subject.page.index["boundaries"][0]
    assert (boundary["source"], boundary["target"], boundary["name"]) == (-1, 0, "frontend")
    assert facts(boundary["short"])["input"] == "the request"
    assert boundary["rules"][0]["id"] == "model.from_request"
    assert {text_of(row["source"]) for row in subject.page.rows(boundary["relations"])} == {"request"}


def test_boundaries_join_neighbouring_slots(subject: Explored) -> None:
    index = subject.page.index
    joined = [(each["source"], each["target"]) for each in index["boundaries"][1:]]
    wanted = [
        (left, right)
        for slots in index["slots"]
        for left, right in itertools.pairwise(slots)
        if not index["stages"][right]["unavailable"]
    ]
    assert joined == wanted


def test_coverage_and_cardinality_are_the_reports(subject: Explored) -> None:
    for boundary, transition in pairs(subject):
        coverage = transition.coverage
        assert facts(boundary["coverage"]) == {
            "sources covered": f"{coverage.source} of {coverage.source_total}",
            "targets covered": f"{coverage.target} of {coverage.target_total}",
            "generated": coverage.generated,
            "missing": coverage.missing,
            "dangling": coverage.dangling,
            "undeclared": coverage.undeclared,
            "mismatched": coverage.mismatched,
        }
        assert boundary["exact"] is coverage.exact is True
        assert {each["cardinality"]: str(each["count"]) for each in boundary["cardinality"]} == transition.cardinality
        assert (boundary["relation_verified"], boundary["canonical_conformant"]) == (True, "yes")
        assert (boundary["structural_only"], boundary["undeclared"], boundary["failing"]) == (False, False, [])
        assert boundary["weakest"] == "proved"
        assert boundary["duration"].startswith("not recorded")
    assert subject.page.index["weakest"] == -1


def test_relations_are_the_reports_with_positions_for_ids(subject: Explored) -> None:
    index = subject.page.index
    for boundary, transition in pairs(subject):
        rows = subject.page.rows(boundary["relations"])
        targets = [row[2] for row in subject.page.rows(index["stages"][boundary["target"]]["names"])]
        source = None if boundary["source"] < 0 else index["stages"][boundary["source"]]
        sources = [] if source is None else [row[2] for row in subject.page.rows(source["names"])]
        found = Counter(
            (
                row["id"],
                row["transform"],
                row["cardinality"],
                tuple(sources[at] for at in row["sources"]),
                tuple(sorted(targets[at] for group in row["targets"] for at in group["entities"])),
                tuple((claim["kind"], claim["status"], claim["obligation"]) for claim in row["claims"]),
            )
            for row in rows
        )
        wanted = Counter(
            (
                each.id,
                each.transform,
                each.cardinality,
                () if source is None else each.sources,
                tuple(sorted(each.targets)),
                tuple((claim.kind, claim.status.value, claim.obligation) for claim in each.claims),
            )
            for each in transition.relations
        )
        assert found == wanted
        assert not [row for row in rows if row["missing"] or row["status"] != "proved"]
        assert [row["rule"] for row in rows] == in_order_of_rules(boundary)


def test_rules_are_those_of_the_contract_in_the_bundle(subject: Explored) -> None:
    bundle = read_bundle(subject.data)
    for boundary, record in zip(subject.page.index["boundaries"][1:], bundle.transitions, strict=True):
        contract = record.contract
        assert [each["id"] for each in boundary["rules"]] == [
            *(rule.id for rule in contract.rules),
            *(rule.id for rule in contract.boundary_rules),
        ]
        relations = subject.page.rows(boundary["relations"])
        applied = Counter(row["rule"] for row in relations)
        for at, (row, rule) in enumerate(zip(boundary["rules"], contract.rules, strict=False)):
            assert (row["signature"], row["rewrite"], row["lineage"]) == (rule.signature, rule.rewrite, rule.lineage)
            assert (row["preserves"], row["introduces"], row["forbids"]) == (
                list(rule.preserves),
                list(rule.introduces),
                list(rule.forbids),
            )
            assert row["relations"] == applied[at]
            assert row["status"] == ("proved" if applied[at] else "")
            assert [boundary["laws"][law]["rule"] for law in row["laws"]] == [rule.id] * len(row["laws"])
        short = facts(boundary["short"])
        assert short["input schema"] == f"{contract.input_schema}, version 1"
        assert short["output schema"] == f"{contract.output_schema}, version 1"
        assert short["required bindings"] == ", ".join(contract.required_bindings)
        assert (short["required analyses"], short["produced analyses"], short["preserved analyses"]) == ("none",) * 3
        assert (short["mutation model"], short["seed policy"]) == ("immutable", "uses no seed")
        assert (short["verification"], short["determinism"]) == ("relations and normal form", "deterministic")
        detail = facts(boundary["detail"])
        assert (detail["source digest"], detail["target digest"]) == (record.source, record.target)
        assert detail["invalidated analyses"] == "none"
        assert "nothing is" in detail["commit gate"]
        assert all(detail[f"file of {rule.id}"] == rule.source for rule in contract.rules)
        assert all(detail[f"file of {primitive.id}"] == primitive.source for primitive in contract.primitives)


def test_rows_stand_in_the_order_of_a_contract_that_lacks_repeats_and_turns_its_rules(training: Explored) -> None:
    draft = Draft(training.data)
    rules = draft.transition(Stage.DISTRIBUTED)["contract"]["rules"]
    rules.reverse()
    lost = rules.pop(len(rules) // 2)
    rules.append(rules[0])
    page = explored(draft.raw()).page
    boundary = page.boundary("distributed")
    rows = page.rows(boundary["relations"])
    assert [row["rule"] for row in rows] == in_order_of_rules(boundary)
    assert all(boundary["rules"][row["rule"]]["id"] == row["transform"] for row in rows if row["rule"] >= 0)
    assert {row["transform"] for row in rows if row["rule"] < 0} == {lost["id"]}


def test_the_pass_expression_names_pass_rule_relation_and_cardinality(training: Explored) -> None:
    boundary = training.page.boundary("distributed")
    rows = training.page.rows(boundary["relations"])
    (row,) = [
        each
        for each in rows
        if "up_projection.forward" in str(each["targets"]) and each["rule"] >= 0 and each["transform"] == "training.mlp"
    ]
    assert text_of(row["passed"]) == (
        "DistributeTransformerTrainingPass.training.mlp(relation=lowered, cardinality=1 \u2192 3)"
    )
    assert row["cardinality"] == "1:N"
    assert [text_of(group["expression"]) for group in row["targets"]] == [
        "up_projection.forward(ranks=2)",
        "up_projection.activation_gradient(ranks=2)",
        "up_projection.weight_gradient(ranks=2)",
    ]


def test_a_claim_about_the_snapshot_has_no_source_and_no_target(training: Explored) -> None:
    rows = training.page.rows(training.page.boundary("distributed")["relations"])
    (row,) = [each for each in rows if each["transform"] == "training.total"]
    assert (row["cardinality"], row["sources"], row["targets"], row["missing"]) == ("0:0", [], [], [])
    assert text_of(row["source"]) == "the snapshot as a whole"
    assert text_of(row["passed"]).endswith(".training.total(relation=boundary, cardinality=0 \u2192 0)")


def test_targets_of_one_phase_and_kind_are_one_expression(training: Explored) -> None:
    page = training.page
    names = page.rows(page.stage("distributed")["names"])
    rows = page.rows(page.boundary("distributed")["relations"])
    (row,) = [
        each
        for each in rows
        if each["transform"] == "training.activation_tensor"
        and "x.forward" in [names[at][1] for group in each["targets"] for at in group["entities"]]
    ]
    forward, gradients = row["targets"]
    assert [names[at][1] for at in forward["entities"]] == ["x.forward"]
    found = [names[at] for at in gradients["entities"]]
    assert {each[1] for each in found} == {"x.gradient.attention_norm", "x.gradient.attention_residual", "x.gradient"}
    listed = ", ".join(each[0] for each in found)
    assert text_of(gradients["expression"]) == f"{listed}(ranks=2, split=sequence, local=[3, 4, 12])"


def test_a_long_list_of_sources_is_cut_in_the_expression_alone(training: Explored) -> None:
    rows = training.page.rows(training.page.boundary("distributed")["relations"])
    (row,) = [each for each in rows if each["transform"] == "training.optimizer"]
    assert len(row["sources"]) == 10
    assert text_of(row["source"]).count("value#") == 4
    assert ", 6 more(parameter)" in text_of(row["source"])


def test_laws_stand_in_mathematics_with_their_theorems(subject: Explored) -> None:
    obligations = subject.page.rows(subject.page.index["obligations"])
    for boundary, transition in pairs(subject):
        for row, law in zip(boundary["laws"], transition.laws, strict=True):
            assert (row["id"], row["form"], row["status"]) == (law.id, law.form, law.status.value)
            assert row["members"] == f"{law.members} of {law.expected_members}"
            assert (row["theorem"], row["theorems"]) == (law.theorem.value, list(law.theorem_digests))
            assert row["source"]
            assert row["equations"] or law.id == "operand-traffic"
            assert all(at < len(obligations) for at in row["obligations"])
    laws = {(row["id"], row["form"]): row for each in subject.page.index["boundaries"] for row in each["laws"]}
    if subject.report.subject.bindings["workload"]["purpose"] == "training":
        assert laws["qkv-projection", "classical"]["equations"] == ["W*t = 6*B*H^2*S with k = h, H = d*h"]
        assert laws["qkv-projection", "classical"]["source"] == "Shoeybi et al., Megatron-LM"


def test_obligations_are_the_reports(subject: Explored) -> None:
    rows = subject.page.rows(subject.page.index["obligations"])
    for row, found in zip(rows, subject.report.obligations, strict=True):
        assert (row["digest"], row["verdict"]) == (found.digest, found.verdict.value)
        assert row["solver"].startswith(found.solver)
        assert row["premises"] == list(found.core)
        assert row["counterexample"] == []
        shown = {each["name"]: each["value"] for each in row["witness"] if each["name"] != "..."}
        assert shown.items() <= dict(found.witness).items()
        assert len(shown) == min(len(found.witness), 200)


def test_the_overview_counts_what_the_report_counts(subject: Explored) -> None:
    index, report = subject.page.index, subject.report
    assert index["verdict"] == "verified"
    assert {each["word"]: each["count"] for each in index["counts"]} == report.summary.by_status
    assert [each["word"] for each in index["counts"]] == [status.value for status in Status]
    assert index["bundle_sha256"] == report.subject.bundle_sha256
    assert {section["title"]: facts(section["facts"]) for section in index["bindings"]} == report.subject.bindings
    work = [section for section in index["totals"] if section["title"].startswith("work of one rank")]
    assert [facts(each["facts"])["operations"] for each in work] == [row.operations for row in report.subject.totals]
    memory = [section for section in index["totals"] if section["title"].startswith("memory of one rank")]
    for section, row in zip(memory, report.subject.memory, strict=True):
        held = {name.removesuffix(", in bytes"): value for name, value in facts(section["facts"]).items()}
        assert held.pop("in all") == row.total
        assert held.pop("parameters, in elements") == row.facts["parameters"]
        assert {"parameters": row.facts["parameters"], **held} == row.facts
    assert facts(index["meanings"]) == {kind: entry.what for kind, entry in CLAIMS.items()}
    assert len(index["definitions"]) == len(report.definitions)


@pytest.mark.parametrize(
    ("name", "covered"),
    [
        ("training", "for one block and one microbatch"),
        ("five", "for all 2 blocks of pipeline stage 1 and one microbatch"),
        ("inference", "for one block and one step of each branch"),
    ],
)
def test_the_totals_say_what_they_are_for(name: str, covered: str, request: pytest.FixtureRequest) -> None:
    explored: Explored = request.getfixturevalue(name)
    assert explored.page.index["covered"] == covered
    for of in ("work", "memory"):
        words = covered.replace("each branch", "prefill")
        assert f"{of} of one rank, {words}" in text.render(explored.report)
    report = msgspec.structs.replace(explored.report, verdict=Outcome.REFUTED)
    refuted = Page(explorer_page(explored.data, report))
    assert refuted.index["covered"] == f"{covered}, as the bundle has them"


def test_a_page_without_findings_lists_none(subject: Explored) -> None:
    page: Page = subject.page
    assert (page.index["findings"], page.index["findings_total"]) == ([], 0)
    assert not [each for each in page.elements if each.tag == "ol"]


def test_instances_that_are_not_established_come_first(training: Explored) -> None:
    """A law may have more instances than anybody lists; the one that does not hold is not to be the last of them."""
    transition = training.report.transitions[1]
    at, law = next((at, each) for at, each in enumerate(transition.laws) if len(each.obligations) > 2)
    rows = list(training.report.obligations)
    last = law.obligations[-1]
    rows[last] = msgspec.structs.replace(rows[last], verdict=Status.REFUTED)
    report = msgspec.structs.replace(training.report, obligations=tuple(rows))
    found = Page(explorer_page(training.data, report)).boundary("distributed")["laws"][at]
    assert found["obligations"] == [last, *(each for each in law.obligations if each != last)]
