"""What a bundle records of a transition is what no solver decides; and its verdicts can be put beside another's."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from blueprint.boundaries import SCHEMAS, plan_transition, recorded_report, structural_faults, with_verdicts_of
from blueprint.bundle import RecordedLaw, RecordedReport
from blueprint.errors import GateError
from blueprint.frontend.block import model_ir
from blueprint.frontend.models import builtin
from blueprint.frontend.request import training_request
from blueprint.ir.common import Stage
from blueprint.ir.request import TargetKind
from blueprint.outcome import (
    ClaimRow,
    CoverageRow,
    LawRow,
    ObligationRow,
    RelationRow,
    Status,
    TheoremStatus,
    TransitionReport,
)
from blueprint.passes.protocol import PassContext
from blueprint.pipeline import passes_for
from blueprint.session import open_rulebook


def law(name: str, form: str, status: str, members: int = 3) -> RecordedLaw:
    return RecordedLaw(id=name, form=form, members=members, status=status)


def recorded(*laws: RecordedLaw, verified: bool = True) -> RecordedReport:
    return RecordedReport(
        coverage={"source": 1},
        cardinality={"1:1": 1},
        claims={"role": 1},
        obligations=(),
        laws=laws,
        relation_verified=verified,
        canonical_conformant=True,
    )


def test_a_verdict_is_taken_from_the_law_of_the_same_form() -> None:
    ours = recorded(law("a", "x", "proved"), law("a", "y", "proved"), law("b", "x", "proved"), law("c", "x", "proved"))
    theirs = recorded(
        law("b", "x", "unknown", members=9), law("a", "y", "refuted"), law("a", "x", "vacuous"), verified=False
    )
    found = with_verdicts_of(ours, theirs)
    assert [each.status for each in found.laws] == ["vacuous", "refuted", "unknown", "proved"]
    # Nothing else is theirs.
    assert [(each.id, each.form, each.members) for each in found.laws] == [
        (each.id, each.form, each.members) for each in ours.laws
    ]
    assert found.relation_verified is False
    assert msgspec.structs.replace(found, laws=ours.laws, relation_verified=True) == ours


def row(digest: str) -> ObligationRow:
    return ObligationRow(
        digest=digest, statement="", verdict=Status.PROVED, solver="", budget="", resource="", second="", cross="",
        core=(), witness={}, shared="1", reason="", counterexample=None,
    )  # fmt: skip


def relation(*claims: tuple[str, int]) -> RelationRow:
    rows = tuple(ClaimRow(kind=kind, status=Status.PROVED, obligation=place, failed=()) for kind, place in claims)
    return RelationRow(
        id="relation:1", transform="r", sources=("s",), targets=("t",), names=("n",), cardinality="1:1", claims=rows
    )


def law_row(*obligations: int) -> LawRow:
    return LawRow(
        id="law", form="form", rule="r", statement="", group="", members="12", expected_members="12",
        status=Status.PROVED, obligations=obligations, theorem=TheoremStatus.NONE, theorem_digests=(),
    )  # fmt: skip


def report(**changes: Any) -> TransitionReport:
    coverage = CoverageRow(
        source="2", source_total="2", target="3", target_total="4", generated="1", missing="5", dangling="6",
        undeclared="7", mismatched="8", exact=False,
    )  # fmt: skip
    made = TransitionReport(
        source="model",
        target="distributed",
        branch="",
        derivation_pass="",
        structural_only=False,
        relation_verified=True,
        canonical_conformant=True,
        coverage=coverage,
        cardinality={"1:1": "2"},
        relations=(relation(("role", 2), ("storage", 0)), relation(("role", 2))),
        laws=(law_row(3, 0), law_row()),
    )
    return msgspec.structs.replace(made, **changes)


def test_a_record_counts_and_names_what_was_asked() -> None:
    found = recorded_report(report(), tuple(row(digest) for digest in "cabde"))
    assert found.coverage == {
        "source": 2, "source_total": 2, "target": 3, "target_total": 4, "generated": 1, "missing": 5, "dangling": 6,
        "undeclared": 7, "mismatched": 8,
    }  # fmt: skip
    assert found.cardinality == {"1:1": 2}
    assert found.claims == {"role": 2, "storage": 1}
    # The obligations of places 0, 2 and 3, by digest; nobody asked those of 1 and 4.
    assert found.obligations == ("b", "c", "d")
    assert [(each.id, each.form, each.members, each.status) for each in found.laws] == [
        ("law", "form", 12, "proved")
    ] * 2
    assert (found.relation_verified, found.canonical_conformant) == (True, True)


def test_what_was_not_run_again_is_recorded_as_not_conformant() -> None:
    for conformant in (None, False):
        assert (
            recorded_report(report(canonical_conformant=conformant), tuple(map(row, "abcd"))).canonical_conformant
            is False
        )
    assert recorded_report(report(relation_verified=False), tuple(map(row, "abcd"))).relation_verified is False


REQUEST = training_request(builtin("gpt2"), sequence=8)
CONTEXT = PassContext(REQUEST, "0" * 64)


@pytest.mark.parametrize("target", TargetKind)
def test_a_snapshot_is_of_the_structure_of_its_stage_and_is_checked_as_such(target: TargetKind) -> None:
    request = training_request(builtin("gpt2"), sequence=8, target=target, emit=True)
    snapshots: list[Any] = [model_ir(request)]
    for each in passes_for(request):
        snapshots.append(each.run(snapshots[-1], PassContext(request, "0" * 64)))
    assert tuple(SCHEMAS) == tuple(Stage)
    for snapshot, stage in zip(snapshots, Stage, strict=True):
        assert [each for each, kind in SCHEMAS.items() if isinstance(snapshot, kind)] == [stage]
        assert structural_faults(snapshot) == []
        newer = msgspec.structs.replace(snapshot, header=msgspec.structs.replace(snapshot.header, version=2))
        assert "structure.version" in {each.code for each in structural_faults(newer)}


def test_stages_that_are_not_adjacent_have_no_transition() -> None:
    model = model_ir(REQUEST)
    chain: list[Any] = [model]
    for each in passes_for(REQUEST):
        chain.append(each.run(chain[-1], CONTEXT))
    book = open_rulebook(None)
    for ancestors, target in (((model,), chain[2]), ((chain[1],), chain[2]), ((chain[2],), model), ((), model)):
        with pytest.raises(GateError, match="not adjacent"):
            plan_transition(book, CONTEXT, ancestors, target)
    assert plan_transition(book, CONTEXT, (model,), chain[1]).coverage.exact
