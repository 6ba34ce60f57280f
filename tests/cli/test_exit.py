"""Exit statuses: one table for verdicts, one for errors, one order for several."""

from __future__ import annotations

import itertools

import pytest

from blueprint import errors
from blueprint.exit import ExitCode, exit_of, exit_of_error, worst
from blueprint.outcome import Outcome


def test_the_statuses_are_the_documented_ones() -> None:
    assert {code.name: int(code) for code in ExitCode} == {
        "VERIFIED": 0,
        "REFUTED": 1,
        "INPUT": 2,
        "NOT_ESTABLISHED": 3,
        "INTERNAL": 4,
        "INTERRUPTED": 130,
    }


def test_every_verdict_has_a_status_and_only_verified_has_zero() -> None:
    assert {outcome.value: int(exit_of(outcome)) for outcome in Outcome} == {
        "verified": 0,
        "refuted": 1,
        "not_established": 3,
        "malformed": 2,
        "error": 4,
    }


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (errors.UsageError, 2),
        (errors.DomainError, 2),
        (errors.NotCoveredError, 2),
        (errors.InputError, 2),
        (errors.CodecError, 2),
        (errors.NonCanonicalError, 2),
        (errors.LimitError, 2),
        (errors.RulebookError, 2),
        (errors.ObligationError, 2),
        (errors.StructureError, 1),
        (errors.GateError, 1),
        (errors.VerificationError, 1),
        (errors.DecidersDisagreeError, 4),
        (errors.BlueprintError, 4),
    ],
)
def test_every_error_has_a_status(kind: type[errors.BlueprintError], code: int) -> None:
    assert exit_of_error(kind("words")) == code


def _kinds(kind: type[errors.BlueprintError]) -> set[type[errors.BlueprintError]]:
    return {kind}.union(*map(_kinds, kind.__subclasses__()))


def test_no_error_is_success() -> None:
    assert ExitCode.VERIFIED not in {exit_of_error(kind("words")) for kind in _kinds(errors.BlueprintError)}


ORDER = (ExitCode.INTERRUPTED, ExitCode.INTERNAL, ExitCode.REFUTED, ExitCode.INPUT, ExitCode.NOT_ESTABLISHED)


def test_the_worst_of_two_is_the_one_that_comes_first() -> None:
    order = (*ORDER, ExitCode.VERIFIED)
    for one, other in itertools.product(order, repeat=2):
        assert worst([one, other]) is order[min(order.index(one), order.index(other))]


def test_the_worst_of_all_but_some() -> None:
    for place, code in enumerate(ORDER):
        assert worst({*ORDER[place:], ExitCode.VERIFIED}) is code
    assert worst([ExitCode.VERIFIED] * 3) is ExitCode.VERIFIED


def test_nothing_to_verify_is_not_verified() -> None:
    assert worst([]) is ExitCode.NOT_ESTABLISHED
