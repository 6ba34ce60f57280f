"""Every error that Blueprint raises on purpose, in one tree.

Each class carries data, and `diagnostics()` turns it into words for people. The command line alone turns an error
into an exit status.
"""

from __future__ import annotations


class BlueprintError(Exception):
    """Root of every error that Blueprint raises on purpose."""

    code = "blueprint"

    def __init__(self, message: str, *, path: str = "", code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        if code is not None:
            self.code = code

    def diagnostics(self) -> str:
        """One line: what is wrong and where."""
        return f"{self.path}: {self.message}" if self.path else self.message


class UsageError(BlueprintError):
    """The caller asked for something that has no meaning, such as an unknown model or option value."""

    code = "usage"


class DomainError(UsageError):
    """A shape or a strategy lies outside the domain of the laws, and is refused instead of rounded."""

    code = "domain"


class NotCoveredError(UsageError):
    """The model has a feature for which no law exists yet."""

    code = "model.not_covered"


class InputError(BlueprintError):
    """A file cannot be read, is too large, or is no regular file."""

    code = "input"


class CodecError(InputError):
    """Bytes do not decode to the declared structure."""

    code = "codec.decode"


class NonCanonicalError(CodecError):
    """Bytes decode, but are not the canonical encoding of what they decode to."""

    code = "codec.canonical"


class LimitError(CodecError):
    """A value or a file passes a declared limit."""

    code = "codec.limit"


class StructureError(BlueprintError):
    """A snapshot violates a structural rule of its stage."""

    code = "structure"


class RulebookError(BlueprintError):
    """A rulebook is malformed, or two of its parts disagree."""

    code = "rulebook"


class ObligationError(BlueprintError):
    """A claim cannot be written as an obligation in the accepted arithmetic fragment."""

    code = "obligation"


class GateError(BlueprintError):
    """A step of the commit gate refused a candidate snapshot."""

    code = "gate"


class NotEstablishedError(GateError):
    """The gate could not decide a claim: the candidate is neither committed nor refuted."""

    code = "gate.not_established"


class PassFailedError(GateError):
    """A pass failed by itself, which says nothing about the plan."""

    code = "gate.pass"


class VerificationError(BlueprintError):
    """A bundle is not verified; the report says which claims failed."""

    code = "verification"


class DecidersDisagreeError(BlueprintError):
    """Two deciders gave contradicting verdicts on one obligation."""

    code = "deciders.disagree"
