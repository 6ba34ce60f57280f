"""Reports built by hand: one of each verdict, with names that a terminal or a browser would obey."""

from __future__ import annotations

import msgspec

from blueprint.outcome import (
    SCHEMA,
    BoundRow,
    ClaimRow,
    Counterexample,
    CoverageRow,
    DefinitionRow,
    FailedFact,
    Finding,
    LawRow,
    MemoryRow,
    ObligationRow,
    Outcome,
    RelationRow,
    Report,
    StageRow,
    Status,
    SubjectRow,
    SummaryRow,
    TheoremStatus,
    ToolRow,
    TotalRow,
    TransitionReport,
    malformed,
)

HOSTILE = "`|]]>](x){0}<b>&'\"@a\n::error::%0A\x1b[2J\x9b[red]\u202e\x00\r\u0441" + "x" * 300
"""What ends a code span, a cell, a CDATA section or a link; a placeholder, HTML, a mention, a workflow command on a
line of its own; terminal codes, markup, a right-to-left mark, control characters, a look-alike; and too much of it.
"""


def _law(form: str, status: Status, theorem: TheoremStatus, members: str = "3") -> LawRow:
    return LawRow(
        id="qkv-projection",
        form=form,
        rule="training.qkv_projection",
        statement="W_QKV = 6 B S H^2 / t",
        group="forward: query_projection, key_projection, value_projection",
        members=members,
        expected_members="3",
        status=status,
        obligations=(1,),
        theorem=theorem,
        theorem_digests=(),
    )


def _obligation(digest: str, verdict: Status, example: Counterexample | None = None) -> ObligationRow:
    return ObligationRow(
        digest=digest * 64,
        statement="exact_work of training.mlp: up_projection.forward",
        verdict=verdict,
        solver="z3 5.4.1",
        budget="20000000",
        resource="0",
        second=f"exact: {verdict.value}",
        cross="",
        core=(),
        witness={"B": "1"},
        shared="1",
        reason="",
        counterexample=example,
    )


_COVERAGE = CoverageRow(
    source="operations",
    source_total="17",
    target="tasks",
    target_total="60",
    generated="0",
    missing="0",
    dangling="0",
    undeclared="0",
    mismatched="0",
    exact=True,
)

_RELATION = RelationRow(
    id="relation:1",
    transform="training.mlp",
    sources=("operation:1",),
    targets=("task:1", "task:2"),
    names=("up_projection.forward", "up_projection.weight_gradient"),
    cardinality="1:2",
    claims=(
        ClaimRow(kind="exact_work", status=Status.PROVED, obligation=0),
        ClaimRow(kind="logical_ranks", status=Status.CHECKED, obligation=0),
    ),
)

_TRANSITION = TransitionReport(
    structural_only=False,
    source="model",
    target="distributed",
    branch="",
    derivation_pass="DistributeTransformerTrainingPass",  # noqa: S106  (a pass, no password)
    relation_verified=True,
    canonical_conformant=True,
    coverage=_COVERAGE,
    cardinality={"1:2": "1"},
    relations=(_RELATION,),
    laws=(
        _law("classical", Status.PROVED, TheoremStatus.RECORDED),
        _law("general", Status.PROVED, TheoremStatus.RE_DECIDED),
        _law("other", Status.NOT_APPLICABLE, TheoremStatus.NONE, members="0"),
    ),
)

VERIFIED = Report(
    schema=SCHEMA,
    tool=ToolRow(
        version="0.1.0", rulebook_revision="2026.11", rules_digest="c" * 64, shipped=True, solvers=("exact", "z3 5.4.1")
    ),
    subject=SubjectRow(
        bundle_sha256="a" * 64,
        derivation_digest="d" * 64,
        bindings={
            "strategy": {"tensor": "8", "scope": "block"},
            "model": {"heads": "96", "name": "gpt3-175b"},
            "extra": {"key": "value"},
            "workload": {"batch": "1"},
        },
        stages=(
            StageRow(stage="model", branch="", digest="1" * 64, entities="51", unavailable=""),
            StageRow(stage="distributed", branch="training", digest="2" * 64, entities="169", unavailable=""),
            StageRow(stage="machine", branch="", digest="", entities="0", unavailable="the request names no target"),
        ),
        totals=(
            TotalRow(
                branch="",
                phase="forward",
                tasks="21",
                operations="953998639104",
                read_bytes="3",
                write_bytes="2",
                message_bytes="1",
            ),
        ),
        memory=(
            MemoryRow(
                branch="",
                facts={
                    "parameters": "226553856",
                    "weights": "453107712",
                    "gradients": "453107712",
                    "optimizer": "2718646272",
                    "stored": "106954752",
                    "working": "503316480",
                    "checkpoint": "0",
                },
                total="4235132928",
            ),
        ),
        bound=(
            BoundRow(
                branch="",
                target="reference-queue",
                devices="8",
                commands="45",
                instructions="0",
                buffers="72",
                workspace="0",
                extent="4235132928",
                capacity="8589934592",
            ),
        ),
    ),
    verdict=Outcome.VERIFIED,
    summary=SummaryRow(
        relations="1",
        claims="2",
        laws="3",
        obligations="2",
        by_status={"proved": "3", "checked": "1", "not-applicable": "1", "refuted": "0", "unknown": "0"},
    ),
    definitions=(DefinitionRow(rule="primitives.softmax", text="five operations an element", source="Megatron-LM"),),
    transitions=(_TRANSITION,),
    obligations=(_obligation("8", Status.PROVED), _obligation("9", Status.PROVED)),
    diagnostics=(),
)

_STEP = TotalRow(
    branch="prefill",
    phase="forward",
    tasks="16",
    operations="2",
    read_bytes="3",
    write_bytes="5",
    message_bytes="7",
)

INFERENCE = msgspec.structs.replace(
    VERIFIED,
    subject=msgspec.structs.replace(
        VERIFIED.subject,
        totals=(_STEP, msgspec.structs.replace(_STEP, branch="final-decode", operations="1")),
        memory=tuple(
            MemoryRow(branch=branch, facts={"parameters": "11", "weights": "22", "kv": kv}, total="33")
            for branch, kv in (("prefill", "8"), ("final-decode", "9"))
        ),
        bound=tuple(
            msgspec.structs.replace(VERIFIED.subject.bound[0], branch=branch, workspace=workspace)
            for branch, workspace in (("prefill", "13"), ("final-decode", "17"))
        ),
    ),
    transitions=tuple(
        msgspec.structs.replace(_TRANSITION, branch=branch, derivation_pass="DistributeTransformerInferencePass")  # noqa: S106
        for branch in ("prefill", "final-decode")
    ),
)

_EXAMPLE = Counterexample(
    values={"B": "1", "S": "2048", "H": "12288", "F/t": "6144", "reads count": "2"},
)

_FAILED = (
    FailedFact(field="up_projection.forward.operations", found="7", expected="309", expression="2*B*S*H*F/t"),
    FailedFact(field="up_projection.forward.phase", found="recompute", expected="forward", expression="forward"),
)

_FALSE = msgspec.structs.replace(
    _TRANSITION,
    branch="training",
    relation_verified=False,
    canonical_conformant=False,
    coverage=msgspec.structs.replace(_COVERAGE, exact=False, missing="1", mismatched="2"),
    relations=(
        msgspec.structs.replace(
            _RELATION,
            names=(HOSTILE, "b", "c", "d", "e"),
            claims=(
                ClaimRow(kind="exact_work", status=Status.REFUTED, obligation=0, failed=_FAILED),
                ClaimRow(kind="role", status=Status.REFUTED, obligation=1),
            ),
        ),
    ),
    laws=(
        msgspec.structs.replace(
            _law("classical", Status.REFUTED, TheoremStatus.ABSENT, members="2"), rule="training.mlp"
        ),
    ),
)

REFUTED = msgspec.structs.replace(
    VERIFIED,
    tool=msgspec.structs.replace(VERIFIED.tool, shipped=False),
    subject=msgspec.structs.replace(VERIFIED.subject, bindings={HOSTILE: {HOSTILE: HOSTILE}}),
    verdict=Outcome.REFUTED,
    summary=SummaryRow(
        relations="1", claims="2", laws="1", obligations="2", by_status={"refuted": "3", "unknown": "0", "proved": "0"}
    ),
    transitions=(_FALSE,),
    obligations=(_obligation("8", Status.REFUTED, _EXAMPLE), _obligation("9", Status.REFUTED)),
    diagnostics=(
        Finding(
            code="claim.exact_work", message=HOSTILE, path=f"training/distributed/{HOSTILE}", relation="relation:1"
        ),
        Finding(
            code="law.qkv-projection",
            message="law qkv-projection (classical), W_QKV = 6 B S H^2 / t, is refuted: 7*t = 56, should be 309",
            path="training/distributed/forward",
            law="qkv-projection (classical)",
        ),
        *(Finding(code="coverage", message=f"entity {number} is missing", path="") for number in range(24)),
    ),
)

NOT_ESTABLISHED = msgspec.structs.replace(
    VERIFIED,
    # Without a plan there is nothing to say of memory.
    subject=msgspec.structs.replace(VERIFIED.subject, memory=()),
    verdict=Outcome.NOT_ESTABLISHED,
    summary=SummaryRow(
        relations="1",
        claims="2",
        laws="1",
        obligations="1",
        by_status={"proved": "0", "unknown": "2", "vacuous": "1", "not-run": "4"},
    ),
    definitions=(),
    transitions=(
        msgspec.structs.replace(
            _TRANSITION,
            relation_verified=False,
            canonical_conformant=None,
            relations=(
                msgspec.structs.replace(
                    _RELATION, claims=(ClaimRow(kind="exact_work", status=Status.UNKNOWN, obligation=0),)
                ),
                msgspec.structs.replace(_RELATION, claims=()),
            ),
            laws=(),
        ),
        msgspec.structs.replace(_TRANSITION, relation_verified=False, relations=(), laws=()),
    ),
    obligations=(_obligation("8", Status.UNKNOWN),),
    diagnostics=(
        Finding(
            code="claim.unknown",
            message="claim exact_work of rule training.mlp is unknown: no decision",
            path="distributed/up_projection.forward",
            refutes=False,
            relation="relation:1",
        ),
        Finding(code="stage.missing", message="the bundle does not show this stage", path="portable", refutes=False),
    ),
)

MALFORMED = malformed("a" * 64, Finding(code="codec.decode", message="Input data was truncated", path="$"))

EMPTY = msgspec.structs.replace(
    malformed(
        "",
        Finding(
            code="nothing.found",
            message="names no bundle, so there is nothing to verify",
            path="plans",
            refutes=False,
        ),
    ),
    verdict=Outcome.NOT_ESTABLISHED,
)

ERROR = msgspec.structs.replace(MALFORMED, verdict=Outcome.ERROR)

ALL = {
    "verified": VERIFIED,
    "inference": INFERENCE,
    "refuted": REFUTED,
    "not_established": NOT_ESTABLISHED,
    "malformed": MALFORMED,
    "empty": EMPTY,
    "error": ERROR,
}
