"""The text report: what must hold whatever a bundle calls its entities."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blueprint.outcome import Finding, Outcome, Report, Status
from blueprint.report import text
from blueprint.report.subjects import Examined
from tests.report import samples


@pytest.mark.parametrize("report", samples.ALL.values(), ids=samples.ALL)
def test_the_statement_comes_first_and_the_counts_last(report: Report) -> None:
    lines = text.render(report).splitlines()
    assert lines[0].startswith("statement")
    assert lines[-1].split()[0] == ("verified" if report.verdict is Outcome.VERIFIED else "examined")
    assert " relations, " in lines[-1]
    assert " refuted, " in lines[-1]


@pytest.mark.parametrize("report", samples.ALL.values(), ids=samples.ALL)
def test_the_text_is_plain(report: Report) -> None:
    assert all(" " <= character <= "~" for line in text.render(report).split("\n") for character in line)


def test_the_verdict_word_alone_is_painted() -> None:
    painted = text.render(samples.REFUTED, paint=lambda word, outcome: f"<{outcome.name} {word}>")
    assert painted.replace("<REFUTED refuted>", "refuted") == text.render(samples.REFUTED)
    ending = "; 1 law NOT PROVED: run blueprint prove"
    assert f"\nverdict: <REFUTED refuted>; rulebook: NOT SHIPPED {'c' * 64}{ending}\n" in painted


def test_each_branch_of_inference_has_its_own_numbers() -> None:
    """Each table says of which step it speaks, and holds the facts of its row by name."""
    lines = text.render(samples.INFERENCE).splitlines()
    for branch, operations, kv, workspace in (("prefill", "2", "8", "13"), ("final-decode", "1", "9", "17")):
        at = lines.index(f"work of one rank, for one block and one step of {branch}:")
        assert lines[at + 2].split() == ["forward", "16", operations, "3", "5", "7"]
        heading = f"memory of one rank, for one block and one step of {branch}, in bytes (parameters are counted):"
        at = lines.index(heading)
        assert lines[at + 1].split() == ["parameters", "weights", "kv", "in", "all"]
        assert lines[at + 2].split() == ["11", "22", kv, "33"]
        at = lines.index(f"bound to reference-queue, for one block and one step of {branch}, in bytes:")
        assert lines[at + 1].split()[:5] == ["devices", "commands", "instructions", "buffers", "workspace"]
        assert lines[at + 2].split() == ["8", "45", "0", "72", workspace, "4235132928", "8589934592"]
        assert any(line.startswith(f"transition model -> distributed ({branch}) by ") for line in lines)
    assert not any("microbatch" in line for line in lines)


def test_a_shipped_rulebook_is_not_called_foreign() -> None:
    assert "NOT SHIPPED" not in text.render(samples.VERIFIED)


def test_two_facts_of_a_transition_are_never_one() -> None:
    transition = msgspec.structs.replace(samples.VERIFIED.transitions[0], canonical_conformant=None)
    shown = text.render(msgspec.structs.replace(samples.VERIFIED, transitions=(transition,)))
    assert "relation_verified=yes canonical_conformant=not-run" in shown


def test_the_model_s_own_dimensions_are_shown_and_not_the_plan_s_fields() -> None:
    shown = text.render(samples.REFUTED)
    assert "    up_projection.forward.operations: found 7, expected 309 = 2*B*S*H*F/t\n" in shown
    assert "    up_projection.forward.phase: found recompute, expected forward\n" in shown
    assert "    law qkv-projection, refuted with it: W_QKV = 6 B S H^2 / t\n" in shown
    assert "(relation 1)\n" in shown
    assert "    with B = 1, F/t = 6144, H = 12288, S = 2048\n" in shown


def test_a_name_cannot_pass_for_another_binding() -> None:
    bindings = {"model": {"name": 'gpt3-175b" tensor=64 (named by the bundle)', "heads": "96"}}
    subject = msgspec.structs.replace(samples.VERIFIED.subject, bindings=bindings)
    shown = text.render(msgspec.structs.replace(samples.VERIFIED, subject=subject))
    assert shown.splitlines()[1] == '  model: name="gpt3-175b\' tensor=64 (named by the bundle)" heads=96'


def test_every_verdict_word_has_its_own_count() -> None:
    claims = tuple(
        msgspec.structs.replace(samples.VERIFIED.transitions[0].relations[0].claims[0], status=status)
        for status in Status
        for _ in range(list(Status).index(status) + 1)
    )
    relation = msgspec.structs.replace(samples.VERIFIED.transitions[0].relations[0], claims=claims)
    transition = msgspec.structs.replace(samples.VERIFIED.transitions[0], relations=(relation,))
    shown = text.render(msgspec.structs.replace(samples.VERIFIED, transitions=(transition,)))
    assert ", ".join(f"{number} {status.value}" for number, status in enumerate(Status, 1)) in shown


@pytest.mark.parametrize(("number", "rest"), [(20, ""), (21, "  and 1 more\n"), (500, "  and 480 more\n")])
def test_at_most_twenty_findings_are_shown(number: int, rest: str) -> None:
    findings = tuple(Finding(code="digest", message=f"number {index}", path="x") for index in range(number))
    shown = text.render(msgspec.structs.replace(samples.MALFORMED, diagnostics=findings))
    assert shown.count("  digest: x: number ") == 20
    assert "  digest: x: number 19\n" + rest + "examined" in shown
    assert f"\nfindings: {number}\n" in shown


def test_what_to_mend_first_is_said_of_one_finding_too() -> None:
    finding = Finding(code="expect", message="tensor is 8, expected 4", path="tensor")
    lines = text.render(msgspec.structs.replace(samples.MALFORMED, diagnostics=(finding,))).splitlines()
    at = next(place for place, line in enumerate(lines) if line.startswith("verdict"))
    assert lines[at + 1] == "first: tensor: tensor is 8, expected 4"
    assert not lines[at + 2].startswith("  of ")


@given(st.text(alphabet=st.characters(codec=None, exclude_categories=()), max_size=400))
def test_no_name_breaks_a_line_or_reaches_the_terminal_raw(name: str) -> None:
    foreign = Finding(code="claim", message=name, path=name)
    subject = msgspec.structs.replace(samples.MALFORMED.subject, bindings={name: {name: name}})
    report = msgspec.structs.replace(samples.MALFORMED, subject=subject, diagnostics=(foreign,))
    lines = text.render(report, name=name).split("\n")
    assert len(lines) == 10
    assert all(" " <= character <= "~" for line in lines for character in line)
    assert max(map(len, lines)) < 1200


def test_several_bundles_end_in_one_table_and_one_line() -> None:
    named = {name: Examined(f"{name}.json", "", report) for name, report in samples.ALL.items()}
    shown = text.render_all(list(named.values()))
    *_, last = shown.split("\n\n")
    lines = last.splitlines()
    assert lines[0] == f"bundles: {len(named)}"
    assert [line.split()[-1] for line in lines[2:-1]] == [each.name for each in named.values()]
    verdicts = [each.report.verdict.value.replace("_", " ") for each in named.values()]
    assert all(line.startswith(f"  {verdict}") for line, verdict in zip(lines[2:-1], verdicts, strict=True))
    reports = [each.report for each in named.values()]
    total = sum(int(report.summary.claims) for report in reports)
    assert lines[-1].startswith(
        "examined 7 bundles: 2 verified, 2 not established, 1 malformed, 1 refuted, 1 error; 4 relations,"
    )
    assert f" {total} claims, " in lines[-1]
    assert lines[-1].endswith("; 3 refuted, 2 unknown, 1 vacuous, 4 not-run")


def test_one_bundle_needs_no_table() -> None:
    assert text.render_all([Examined("a.json", "a.json", samples.VERIFIED)]) == text.render(
        samples.VERIFIED, name="a.json"
    )


def test_evidence_names_the_obligation_of_every_claim() -> None:
    shown = text.render(samples.VERIFIED, evidence=True).splitlines()
    at = shown.index("  relation 1 by training.mlp, 1:2: up_projection.forward, up_projection.weight_gradient")
    assert shown[at + 1].split() == ["claim", "status", "obligation", "shared", "solver", "second", "decider"]
    assert shown[at + 2].split() == ["exact_work", "proved", "8" * 16, "1", "z3", "5.4.1", "exact:", "proved"]
    assert shown[at + 3].split() == ["logical_ranks", "checked", "8" * 16, "1", "z3", "5.4.1", "exact:", "proved"]
    assert not any("relation 1 by" in line for line in text.render(samples.VERIFIED).splitlines())


def test_a_refuted_law_says_how_many_of_its_questions_fail() -> None:
    two = msgspec.structs.replace(samples.REFUTED.transitions[0].laws[0], obligations=(0, 1))
    obligations = samples.REFUTED.obligations
    assert text.law_status(two, obligations) == "refuted, 2 of 2 questions"
    proved = msgspec.structs.replace(obligations[1], verdict=Status.PROVED)
    assert text.law_status(two, (obligations[0], proved)) == "refuted, 1 of 2 questions"
    assert text.law_status(msgspec.structs.replace(two, status=Status.PROVED), obligations) == "proved"
