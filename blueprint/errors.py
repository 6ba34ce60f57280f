"""Every error that Blueprint raises on purpose, in one tree.

Each class carries data, and `diagnostics()` turns it into words for people. The command line alone turns an error
into an exit status.
"""

from __future__ import annotations


class BlueprintError(Exception):
    """Root of every error that Blueprint raises on purpose.

    `origin` names the pass and the step of the commit gate in which it arose, if it was one.
    """

    code = "blueprint"
    origin = ""

    def __init__(self, message: str, *, path: str = "", code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        if code is not None:
            self.code = code

    def diagnostics(self) -> str:
        """One line: what is wrong and where, and which step of the gate found it."""
        # What the gate itself says begins with it.
        found = f" ({self.origin})" if self.origin and self.origin.partition(",")[0] not in self.message else ""
        return f"{self.path}: {self.message}{found}" if self.path else f"{self.message}{found}"


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


class ContractError(BlueprintError):
    """A pass promises too little, or things that contradict each other, or passes do not fit one another."""

    code = "pass.contract"


class AnalysisError(BlueprintError):
    """A pass reads or leaves an analysis that it does not declare, or two values contradict each other."""

    code = "analysis"


class GateError(BlueprintError):
    """A step of the commit gate refused a candidate snapshot."""

    code = "gate"


class GateFailedError(GateError):
    """Something other than the pass broke down in a step of the gate, which says nothing about the plan."""

    code = "gate.failed"


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
