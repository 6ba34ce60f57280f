"""The exit statuses of the command line: a small fixed set, never a count."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from blueprint.errors import (
    BlueprintError,
    ContractError,
    GateError,
    GateFailedError,
    InputError,
    NotEstablishedError,
    ObligationError,
    PassFailedError,
    RulebookError,
    StructureError,
    UsageError,
    VerificationError,
)

if TYPE_CHECKING:
    from blueprint.outcome import Outcome


class ExitCode(enum.IntEnum):
    """What a run established, for scripts. The format of the output never changes it."""

    VERIFIED = 0
    """Everything that was asked for is established."""
    REFUTED = 1
    """Something is false or does not match."""
    INPUT = 2
    """Wrong usage, unreadable or malformed input, a limit, a bad configuration."""
    NOT_ESTABLISHED = 3
    """Undecided, missing, or nothing to verify. Never success, and not yet failure."""
    INTERNAL = 4
    """An error of Blueprint itself, or deciders that contradict each other."""
    INTERRUPTED = 130
    """Stopped by the user."""


# By the verdict's word and not by its object, so that `blueprint --help` need not load the report's structures.
_OF_OUTCOME: Final = {
    "verified": ExitCode.VERIFIED,
    "refuted": ExitCode.REFUTED,
    "not_established": ExitCode.NOT_ESTABLISHED,
    "malformed": ExitCode.INPUT,
    "error": ExitCode.INTERNAL,
}

_WORST_FIRST: Final = (
    ExitCode.INTERRUPTED,
    ExitCode.INTERNAL,
    ExitCode.REFUTED,
    ExitCode.INPUT,
    ExitCode.NOT_ESTABLISHED,
    ExitCode.VERIFIED,
)

_OF_ERROR: Final[tuple[tuple[type[BlueprintError], ExitCode], ...]] = (
    (UsageError, ExitCode.INPUT),
    (InputError, ExitCode.INPUT),
    # A rules folder is input: what is wrong with it, its author mends.
    (RulebookError, ExitCode.INPUT),
    (ContractError, ExitCode.INPUT),
    (ObligationError, ExitCode.INPUT),
    (StructureError, ExitCode.REFUTED),
    (NotEstablishedError, ExitCode.NOT_ESTABLISHED),
    (PassFailedError, ExitCode.INTERNAL),
    (GateFailedError, ExitCode.INTERNAL),
    (GateError, ExitCode.REFUTED),
    (VerificationError, ExitCode.REFUTED),
)


def exit_of(outcome: Outcome) -> ExitCode:
    """The status that a verdict stands for."""
    return _OF_OUTCOME[outcome.value]


def exit_of_error(error: BlueprintError) -> ExitCode:
    """The status that an error stands for; INTERNAL for every kind that says nothing about the input."""
    return next((code for kind, code in _OF_ERROR if isinstance(error, kind)), ExitCode.INTERNAL)


def worst(codes: Iterable[ExitCode]) -> ExitCode:
    """The status of several runs together: 4 over 1 over 2 over 3 over 0. Of none: nothing is established."""
    found = set(codes)
    return next((code for code in _WORST_FIRST if code in found), ExitCode.NOT_ESTABLISHED)
