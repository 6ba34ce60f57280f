"""What verification establishes, as data: the schema `blueprint.report/1`. Nothing here decides or renders.

Every quantity is a decimal string, so that no reader loses digits; positions are numbers. Nothing in a report differs
between two runs on the same bytes with the same tool.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from importlib import metadata

import msgspec

from blueprint.errors import VerificationError

SCHEMA = "blueprint.report/1"


class Status(enum.Enum):
    """The verdict words. They are never merged: only PROVED and CHECKED establish anything."""

    PROVED = "proved"
    CHECKED = "checked"
    DEFINITION = "definition"
    REFUTED = "refuted"
    UNKNOWN = "unknown"
    VACUOUS = "vacuous"
    NOT_RUN = "not-run"
    NOT_APPLICABLE = "not-applicable"


class Outcome(enum.Enum):
    """The verdict on a whole subject."""

    VERIFIED = "verified"
    REFUTED = "refuted"
    NOT_ESTABLISHED = "not_established"
    MALFORMED = "malformed"
    ERROR = "error"


class TheoremStatus(enum.Enum):
    """What stands behind a law instance for all parameters. It is listed apart and never counted as proved here.

    NONE is a law that only single plans can meet, or one that does not apply.
    """

    RE_DECIDED = "re-decided"
    RECORDED = "recorded"
    ABSENT = "absent"
    NONE = "none"


class _Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the report's structures."""


class Finding(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One diagnostic: a stable code, one sentence, the place; most specific first in a report.

    `refutes` is false where something is only not established; one finding that refutes refutes the whole.
    """

    code: str
    message: str
    path: str
    refutes: bool = True


class FailedFact(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One field that is not what its rule makes of it; `expression` is the expected value's term."""

    field: str
    found: str
    expected: str
    expression: str


class Counterexample(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Values in the model's own dimensions at which a claim is false, re-evaluated without the solver."""

    values: Mapping[str, str]


class ObligationRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One discharged obligation. `shared` counts the claims and law instances that it decides."""

    digest: str
    statement: str
    verdict: Status
    solver: str
    budget: str
    resource: str
    second: str
    cross: str
    core: tuple[int, ...]
    witness: Mapping[str, str]
    shared: str
    reason: str
    counterexample: Counterexample | None


class ClaimRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One claim that was executed on a relation; `obligation` is a position in the report's list.

    `failed` names the fields that are wrong, at the values of the obligation's counterexample.
    """

    kind: str
    status: Status
    obligation: int
    failed: tuple[FailedFact, ...] = ()


class RelationRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One application of a rule, with the evidence for each of its claims."""

    id: str
    transform: str
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    names: tuple[str, ...]
    cardinality: str
    claims: tuple[ClaimRow, ...]


class LawRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One form of a law over its group in this derivation, and the theorem behind it."""

    id: str
    form: str
    rule: str
    statement: str
    group: str
    members: str
    expected_members: str
    status: Status
    obligations: tuple[int, ...]
    theorem: TheoremStatus
    theorem_digests: tuple[str, ...]


class CoverageRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the entities of a boundary are accounted for."""

    source: str
    source_total: str
    target: str
    target_total: str
    generated: str
    missing: str
    dangling: str
    undeclared: str
    mismatched: str
    exact: bool


class TransitionReport(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One transition. `relation_verified` (relations and laws) and `canonical_conformant` (replay) are two facts.

    A pass within a stage that changed nothing is `structural_only`: there was no relation to verify.
    """

    source: str
    target: str
    branch: str
    derivation_pass: str = msgspec.field(name="pass")
    structural_only: bool
    relation_verified: bool
    canonical_conformant: bool | None
    coverage: CoverageRow
    cardinality: Mapping[str, str]
    relations: tuple[RelationRow, ...]
    laws: tuple[LawRow, ...]


class StageRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One stage slot: its digest, or why there is none."""

    stage: str
    branch: str
    digest: str
    entities: str
    unavailable: str


class ToolRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What decided: versions, and the digest of the rulebook; `shipped` is false for a foreign rulebook."""

    version: str
    rulebook_revision: str
    rules_digest: str
    shipped: bool
    solvers: tuple[str, ...]


class TotalRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all tasks of one phase do on one rank, for what the scope covers and one microbatch or step."""

    branch: str
    phase: str
    tasks: str
    operations: str
    read_bytes: str
    write_bytes: str
    message_bytes: str


class MemoryRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one rank holds for what the scope covers and one microbatch or step: parameters in elements, else bytes.

    `facts` are those of the workload by name, `total` what of them must fit the device together.
    """

    branch: str
    facts: Mapping[str, str]
    total: str


class BoundRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a plan became on its target: commands, what they were emitted as, and the memory of one device in bytes.

    `extent` is where the last buffer ends, each buffer having its own room; `capacity` is what the device may have.
    """

    branch: str
    target: str
    devices: str
    commands: str
    instructions: str
    buffers: str
    workspace: str
    extent: str
    capacity: str


class SubjectRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was verified: the bytes, the derivation, and the bindings that the statement is about."""

    bundle_sha256: str
    derivation_digest: str
    bindings: Mapping[str, Mapping[str, str]]
    stages: tuple[StageRow, ...]
    totals: tuple[TotalRow, ...]
    memory: tuple[MemoryRow, ...]
    bound: tuple[BoundRow, ...]


class SummaryRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Counts. `by_status` counts claims and law instances by verdict word."""

    relations: str
    claims: str
    laws: str
    obligations: str
    by_status: Mapping[str, str]


class DefinitionRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A coefficient that is chosen, not derived, with its source."""

    rule: str
    text: str
    source: str


class Report(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole report on one subject."""

    schema: str
    tool: ToolRow
    subject: SubjectRow
    verdict: Outcome
    summary: SummaryRow
    definitions: tuple[DefinitionRow, ...]
    transitions: tuple[TransitionReport, ...]
    obligations: tuple[ObligationRow, ...]
    diagnostics: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether everything that the bundle must show is established."""
        return self.verdict is Outcome.VERIFIED

    def require(self) -> VerifiedBundle:
        """The proof that the bundle is verified. Raises VerificationError with the first finding otherwise."""
        if not self.ok:
            first = self.diagnostics[0].message if self.diagnostics else "nothing was established"
            raise VerificationError(f"{self.verdict.value}: {first}")
        return VerifiedBundle(bundle_sha256=self.subject.bundle_sha256, report=self)


class VerifiedBundle(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The digest of bytes that were verified, with the report that says so. Made by `Report.require` alone."""

    bundle_sha256: str
    report: Report


def unchanged_report(
    stage: str,
    branch: str,
    derivation_pass: str,
    conformant: bool | None,  # noqa: FBT001 -- a fact, not a switch
) -> TransitionReport:
    """The report on a pass within a stage that left its snapshot as it was."""
    counts = dict.fromkeys((name for name in CoverageRow.__struct_fields__ if name != "exact"), "0")
    return TransitionReport(
        source=stage,
        target=stage,
        branch=branch,
        derivation_pass=derivation_pass,
        structural_only=True,
        relation_verified=False,
        canonical_conformant=conformant,
        coverage=CoverageRow(**counts, exact=True),
        cardinality={},
        relations=(),
        laws=(),
    )


def malformed(bundle_sha256: str, finding: Finding) -> Report:
    """The report on bytes that do not decode: nothing was run."""
    return Report(
        schema=SCHEMA,
        tool=ToolRow(
            version=metadata.version("blueprint-verifier"),
            rulebook_revision="",
            rules_digest="",
            shipped=True,
            solvers=(),
        ),
        subject=SubjectRow(
            bundle_sha256=bundle_sha256, derivation_digest="", bindings={}, stages=(), totals=(), memory=(), bound=()
        ),
        verdict=Outcome.MALFORMED,
        summary=SummaryRow(relations="0", claims="0", laws="0", obligations="0", by_status={}),
        definitions=(),
        transitions=(),
        obligations=(),
        diagnostics=(finding,),
    )
