"""What verification establishes, as data: the schema `blueprint.report/1`. Nothing here decides or renders.

Every quantity is a decimal string, so that no reader loses digits; positions are numbers. Nothing in a report differs
between two runs on the same bytes with the same tool. The shipped JSON Schema takes its words from the docstrings here.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from importlib import metadata

import msgspec

from blueprint.errors import VerificationError

SCHEMA = "blueprint.report/1"


class Status(enum.Enum):
    """The verdict words. They are never merged, and only PROVED establishes a claim or a law.

    CHECKED (a test of the structure) and DEFINITION (true by what a word means) are words of the schema that no claim
    and no law of the shipped rulebook has.
    """

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

    Attributes:
        code: Stable name of what is wrong; `blueprint explain CODE` says what it means.
        message: One sentence with the values that were found and expected.
        path: Branch, stage and entity, or the place in the bundle's JSON.
        refutes: Whether it refutes; false where something is only not established.
        relation: Id of the relation whose claim this is about, or what a law asks of it; empty for everything else.
        law: Id of the law that this is about, and its form in parentheses; empty for everything else.
    """

    code: str
    message: str
    path: str
    refutes: bool = True
    relation: str = ""
    law: str = ""


class FailedFact(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One field that is not what its rule makes of it; `expression` is the expected value's term.

    Attributes:
        field: Entity and field, such as up_projection.forward.operations.
        found: What the bundle has there: a number, or the word or the name that stands there.
        expected: What the rule makes of the source and the strategy there, in the same form.
        expression: The expected value as a term over the model's own dimensions; the value itself where there is none.
    """

    field: str
    found: str
    expected: str
    expression: str


class Counterexample(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Values in the model's own dimensions at which a claim is false, re-evaluated without the solver.

    Attributes:
        values: Value by name: dimensions, and words by position in their vocabulary.
    """

    values: Mapping[str, str]


class ObligationRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One discharged obligation. `shared` counts the claims and law instances that it decides.

    Attributes:
        digest: SHA-256 of the SMT-LIB2 text that was solved.
        statement: The claim or law that first asked it, in words.
        verdict: What the deciders establish together.
        solver: The solver and its own answer.
        budget: Most steps that the solver could take.
        resource: Steps that it took; 0 where many questions share them.
        second: The second decider and its answer; it uses no solver.
        cross: The answer of the cross-check; empty where none was asked for.
        core: Positions of the hypotheses that a proof for all values used.
        witness: Values at which all hypotheses hold.
        shared: How many claims and law instances it decides.
        reason: Why it is not decided; empty where it is.
        counterexample: Values at which it fails; null where it does not.
    """

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

    Attributes:
        kind: What is claimed; `blueprint explain KIND` says what it means.
        status: The verdict word.
        obligation: Position in the report's list of obligations.
        failed: The fields that are wrong; empty where it is not refuted.
    """

    kind: str
    status: Status
    obligation: int
    failed: tuple[FailedFact, ...] = ()


class RelationRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One application of a rule, with the evidence for each of its claims.

    Attributes:
        id: Digest of boundary, rule and sources. The branches of inference share ids at their first boundary, and so
            do a value and an operation of one name in the model.
        transform: The rule that was applied.
        sources: Ids of the entities that it was applied to.
        targets: Ids of the entities that it made.
        names: Names of those entities.
        cardinality: How many sources to how many targets: 1:1, 1:N, N:1, N:M, or 0:0 for a boundary as a whole.
        claims: Every claim of the rule about this application.
    """

    id: str
    transform: str
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    names: tuple[str, ...]
    cardinality: str
    claims: tuple[ClaimRow, ...]


class LawRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One form of a law over its group in this derivation, and the theorem behind it.

    Attributes:
        id: Name of the law; `blueprint explain ID` shows its equations.
        form: Which of its equations.
        rule: The rule that states it.
        statement: The law in one line.
        group: The tasks or entities that it speaks of.
        members: How many of them the plan has.
        expected_members: How many the law says that there are.
        status: The verdict word, no better than that of the worst instance.
        obligations: Positions of its instances in the report's list of obligations.
        theorem: What stands behind it for all parameters.
        theorem_digests: Digests of the recorded obligations of those theorems.
    """

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
    """How the entities of a boundary are accounted for.

    Attributes:
        source: Source entities that are in a relation.
        source_total: All source entities.
        target: Target entities that are in a relation.
        target_total: All target entities.
        generated: Targets that a rule makes without a counterpart in the source.
        missing: Targets that a rule demands and that are not there.
        dangling: Targets whose lineage names an entity that is not in the source.
        undeclared: Targets whose lineage names no rule of this boundary.
        mismatched: Targets that no rule demands, or with another lineage than it demands.
        exact: Whether everything is accounted for, once.
    """

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

    Attributes:
        source: Stage before the pass, `request` before the model.
        target: Stage after the pass.
        branch: Branch of the derivation; empty where there is only one.
        derivation_pass: Name of the pass.
        structural_only: Whether it is a pass within a stage that changed nothing.
        relation_verified: Whether coverage is exact, and every claim and applicable law established.
        canonical_conformant: Whether running the pass again gives the same snapshot; null where it was not run.
        coverage: How the entities are accounted for.
        cardinality: Number of relations by how many sources and targets they have.
        relations: Every application of a rule.
        laws: Every form of every law of this boundary.
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
    """One stage slot: its digest, or why there is none.

    Attributes:
        stage: Name of the stage.
        branch: Branch of the derivation; empty where there is only one.
        digest: Digest of the snapshot; empty where there is none.
        entities: Number of entities in it.
        unavailable: Why there is none; empty where there is one.
    """

    stage: str
    branch: str
    digest: str
    entities: str
    unavailable: str


class ToolRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What decided: versions, and the digest of the rulebook; `shipped` is false for a foreign rulebook.

    Attributes:
        version: Version of Blueprint.
        rulebook_revision: Revision of the rules.
        rules_digest: Digest of the rules.
        shipped: Whether they are the shipped ones.
        solvers: The deciders and their versions.
        replaced: Shipped rules in whose place the rulebook has others.
    """

    version: str
    rulebook_revision: str
    rules_digest: str
    shipped: bool
    solvers: tuple[str, ...]
    replaced: tuple[str, ...] = ()


class TotalRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all tasks of one phase do on one rank, for what the scope covers and one microbatch or step.

    Attributes:
        branch: Branch of the derivation; empty where there is only one.
        phase: Phase of the tasks that are added up.
        tasks: Number of tasks.
        operations: Operations, a multiply-add being two.
        read_bytes: Bytes read.
        write_bytes: Bytes written.
        message_bytes: Bytes of messages, each the full tensor of its collective.
    """

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

    Attributes:
        branch: Branch of the derivation; empty where there is only one.
        facts: Bytes by name, `parameters` in elements.
        total: Bytes that must fit the device together.
    """

    branch: str
    facts: Mapping[str, str]
    total: str


class BoundRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a plan became on its target: commands, what they were emitted as, and the memory of one device in bytes.

    `extent` is where the last buffer ends, each buffer having its own room; `capacity` is what the device may have.

    Attributes:
        branch: Branch of the derivation; empty where there is only one.
        target: Name of the target.
        devices: Number of devices.
        commands: Number of commands.
        instructions: Number of instructions that were emitted.
        buffers: Number of buffers.
        workspace: Bytes of the chosen implementation's workspace.
        extent: Bytes up to the end of the last buffer.
        capacity: Bytes that the device may have.
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
    """What was verified: the bytes, the derivation, and the bindings that the statement is about.

    Attributes:
        bundle_sha256: SHA-256 of the bytes.
        derivation_digest: One digest for request, rulebook and all snapshots.
        bindings: What the verdict is about: model, workload, strategy, target, deployment and scope, each by name.
        stages: Every stage, shown or not.
        totals: Work of one rank by branch and phase.
        memory: Memory of one rank by branch.
        bound: What each plan became on its target.
    """

    bundle_sha256: str
    derivation_digest: str
    bindings: Mapping[str, Mapping[str, str]]
    stages: tuple[StageRow, ...]
    totals: tuple[TotalRow, ...]
    memory: tuple[MemoryRow, ...]
    bound: tuple[BoundRow, ...]


class SummaryRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Counts. `by_status` counts claims and law instances by verdict word.

    Attributes:
        relations: Number of relations.
        claims: Number of claims.
        laws: Number of forms of laws.
        obligations: Number of different obligations behind them.
        by_status: Number of claims and forms of laws by verdict word.
    """

    relations: str
    claims: str
    laws: str
    obligations: str
    by_status: Mapping[str, str]


class DefinitionRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A coefficient that is chosen, not derived, with its source.

    Attributes:
        rule: The rule that uses it.
        text: What is chosen.
        source: Where it is published.
    """

    rule: str
    text: str
    source: str


class Report(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole report on one subject.

    Attributes:
        schema: Name of this schema.
        tool: What decided.
        subject: What was verified.
        verdict: The verdict on the whole.
        summary: Counts over the whole, whatever is selected.
        definitions: Coefficients that are chosen, not derived.
        transitions: Every transition, with the relations and laws that are selected.
        obligations: The obligations behind them.
        diagnostics: Every finding, most specific first.
        selection: The options that selected relations and laws; empty where all are shown.
    """

    schema: str
    tool: ToolRow
    subject: SubjectRow
    verdict: Outcome
    summary: SummaryRow
    definitions: tuple[DefinitionRow, ...]
    transitions: tuple[TransitionReport, ...]
    obligations: tuple[ObligationRow, ...]
    diagnostics: tuple[Finding, ...]
    selection: tuple[str, ...] = ()

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
    """The digest of bytes that were verified, with the report that says so. Made by `Report.require` alone.

    Attributes:
        bundle_sha256: SHA-256 of the bytes.
        report: The report that says so.
    """

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
