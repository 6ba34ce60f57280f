"""What `prove` says, with laws and false variants that went wrong."""

from __future__ import annotations

import msgspec

from blueprint.outcome import Finding, Outcome, Status
from blueprint.proving import ProofReport, ProofRow
from blueprint.report import proofs
from tests.report.samples import HOSTILE

LAW = ProofRow(
    rule="training.mlp",
    law="mlp",
    form="general",
    cases=48,
    obligations=4,
    verdict=Status.PROVED,
    negative=False,
    reason="",
)
FALSE = msgspec.structs.replace(LAW, form="gated", cases=1, obligations=1, verdict=Status.REFUTED, negative=True)
GOOD = ProofReport(
    outcome=Outcome.VERIFIED, rows=(LAW, FALSE), findings=(), obligations=5, solvers=("normal form", "z3 5.4.1")
)


def test_good_proofs_in_full() -> None:
    assert proofs.render(GOOD, check=True) == (
        "verdict: verified (normal form, z3 5.4.1)\n"
        "laws, for all parameter values\n"
        "  rule          law  form     cases  obligations  verdict\n"
        "  training.mlp  mlp  general  48     4            proved\n"
        "false variants of the laws: 1 of 1 refuted, as they must be\n"
        "proved 1 laws by 5 obligations, compared with the recorded proofs; 0 refuted, 0 unknown\n"
    )


def test_another_rulebook_stands_on_the_verdict_line() -> None:
    report = msgspec.structs.replace(GOOD, foreign_rules="ab" * 32)
    first = proofs.render(report, check=False).splitlines()[0]
    assert first == f"verdict: verified (normal form, z3 5.4.1); rulebook: NOT SHIPPED {'ab' * 32}"


def test_what_went_wrong_is_named() -> None:
    report = ProofReport(
        outcome=Outcome.REFUTED,
        rows=(
            LAW,
            msgspec.structs.replace(LAW, verdict=Status.UNKNOWN, reason="no second decider", form=HOSTILE),
            msgspec.structs.replace(LAW, verdict=Status.REFUTED),
            FALSE,
            msgspec.structs.replace(FALSE, verdict=Status.PROVED),
        ),
        findings=tuple(Finding(code="proofs.drift", message=HOSTILE, path=HOSTILE) for _ in range(21)),
        obligations=9,
        solvers=(),
    )
    text = proofs.render(report, check=False, paint=lambda word, outcome: f"<{outcome.value} {word}>")
    assert text.startswith("verdict: <refuted refuted> (as recorded)\n")
    assert "  unknown (no second decider)\n" in text
    assert "\nfalse variants of the laws: 1 of 2 refuted, as they must be\n  rule          law  variant  " in text
    assert "\nfindings: 21\n" in text
    assert "\n  and 1 more\n" in text
    assert text.endswith("\nexamined 3 laws by 9 obligations; 1 refuted, 1 unknown\n")
    assert all(" " <= character <= "~" for line in text.split("\n") for character in line)


def test_an_empty_run_claims_nothing() -> None:
    report = msgspec.structs.replace(GOOD, outcome=Outcome.NOT_ESTABLISHED, rows=(), obligations=0)
    assert proofs.render(report, check=True) == (
        "verdict: not established (normal form, z3 5.4.1)\nexamined 0 laws by 0 obligations; 0 refuted, 0 unknown\n"
    )
