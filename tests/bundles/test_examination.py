"""How an examination ends: verified only where nothing speaks against it and everything was established."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from blueprint.examine import _Examination
from blueprint.outcome import Outcome
from blueprint.verification import verify


def ended(*transitions: tuple[bool, bool | None], needed: int = 2, findings: tuple[bool, ...] = ()) -> Outcome:
    """The verdict on transitions that are verified and conformant, where each finding refutes or does not."""
    found = [SimpleNamespace(code="x", refutes=refutes) for refutes in findings]
    examination: Any = SimpleNamespace(broken=[], findings=found, transitions=needed)
    rows = [SimpleNamespace(relation_verified=one, canonical_conformant=other) for one, other in transitions]
    settled: Any = SimpleNamespace(transitions=rows)
    return _Examination.verdict(examination, settled)


GOOD = (True, True)


def test_verified_is_what_is_whole_conformant_and_without_a_finding() -> None:
    assert ended(GOOD, GOOD) is Outcome.VERIFIED
    assert ended(GOOD, GOOD, findings=(True,)) is Outcome.REFUTED
    assert ended(GOOD, GOOD, findings=(False, True)) is Outcome.REFUTED
    assert ended(GOOD, GOOD, findings=(False,)) is Outcome.NOT_ESTABLISHED


@pytest.mark.parametrize("short", [(True, None), (True, False), (False, True), (False, False), (False, None)])
def test_one_transition_that_is_not_both_is_enough(short: tuple[bool, bool | None]) -> None:
    for transitions in ((GOOD, short), (short, GOOD), (short, short)):
        assert ended(*transitions) is Outcome.NOT_ESTABLISHED


@pytest.mark.parametrize("there", [(), (GOOD,)])
def test_transitions_that_are_missing_establish_nothing(there: tuple[tuple[bool, bool], ...]) -> None:
    assert ended(*there) is Outcome.NOT_ESTABLISHED


def test_of_a_request_outside_the_domain_nothing_is_asked(tiny: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    assert verify(tiny, jobs=1).verdict is Outcome.VERIFIED
    monkeypatch.setattr(_Examination, "domain", lambda _: False)
    report = verify(tiny, jobs=1)
    assert (report.verdict, report.transitions, report.obligations) == (Outcome.NOT_ESTABLISHED, (), ())
    assert "nothing.established" in {finding.code for finding in report.diagnostics}
