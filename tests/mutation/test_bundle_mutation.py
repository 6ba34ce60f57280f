"""A sample of the false bundles is stopped with and without replay, and the table can tell when one is not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import pytest

from blueprint.plan import ClaimCheck, TransitionPlan
from blueprint.verification import verify, verify_without_replay
from tests.bundles.stacks import good
from tests.mutation import bundles
from tests.mutation.bundle_sites import Point
from tests.mutation.bundles import (
    FEWEST_OPERATORS,
    OPERATORS,
    SUBJECTS,
    Asked,
    Column,
    Mutant,
    Result,
    Row,
    asked_of,
    column,
    drawn,
    examined,
    honest,
    mutants_of,
    mutated,
    problems,
    table,
)
from tests.reseal import recorded

SAMPLE = ("training block", "inference block, slot", "training block, queue")
"""Between them these good bundles have a place for every operator; the smallest comes first."""

QUEUED = SAMPLE[-1]


@pytest.fixture(scope="module", autouse=True)
def sharing() -> Iterator[None]:
    """One pool, and what it has answered, for this module."""
    with bundles.effort(1):
        yield


@pytest.fixture(scope="module")
def sample() -> dict[str, Mutant]:
    """One mutant of each operator."""
    found: dict[str, Mutant] = {}
    for subject in SAMPLE:
        for mutant in mutants_of(subject, good(SUBJECTS[subject])):
            found.setdefault(mutant.operator.name, mutant)
    return found


@pytest.fixture(scope="module")
def rows(sample: dict[str, Mutant]) -> list[Row]:
    return [of(mutant) for mutant in sample.values()]


def of(mutant: Mutant) -> Row:
    """The line of a mutant."""
    return examined(mutant, good(SUBJECTS[mutant.key.subject]))


def test_one_mutant_of_each_operator_is_stopped_by_what_is_named(
    sample: dict[str, Mutant], rows: Sequence[Row]
) -> None:
    assert problems(Result(rows, {}), whole=False) == []
    assert [row.operator for row in rows if row.semantic and not row.hit] == []
    assert set(sample) == {each.name for each in OPERATORS}
    assert len(OPERATORS) >= FEWEST_OPERATORS


def test_only_the_meaning_is_wrong(rows: Sequence[Row]) -> None:
    """Nothing that sealing heals stops a mutant, and its records are those of an honest run."""
    codes = {code.partition(".")[0].partition("@")[0] for row in rows if row.semantic for code in row.alone.by}
    assert codes <= {"claim", "law", "coverage", "lineage", "structure"}
    assert not [row for row in rows if row.semantic and {"report.mismatch", "digest.parent"} & {*row.replay.by}]


@pytest.mark.parametrize(
    ("operator", "kind"),
    [("wrong storage class", "storage"), ("operand sizes", "operand_sizes"), ("wrong waits", "waits")],
)
def test_a_verifier_without_a_claim_lets_its_mutants_through(
    sample: dict[str, Mutant], operator: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = of(sample[operator])
    assert sound.sole == kind
    assert problems(Result([sound], {}), whole=False) == []
    record = TransitionPlan.record

    def weak(
        self: TransitionPlan,
        rule: str,
        names: Sequence[str],
        sources: Sequence[str],
        targets: Sequence[str],
        claims: tuple[ClaimCheck, ...],
        key: Sequence[str] | None = None,
    ) -> None:
        record(self, rule, names, sources, targets, tuple(each for each in claims if each.claim.value != kind), key)

    monkeypatch.setattr(TransitionPlan, "record", weak)
    row = of(sample[operator])
    found = problems(Result([row], {}), whole=False)
    assert any(each.startswith("not_established without replay: ") for each in found)
    assert any("are named by what their operator names" in each for each in found)
    assert not any(" with replay: " in each for each in found), "replay still stops it"


def test_a_wrong_record_is_a_finding_and_touches_no_other(sample: dict[str, Mutant]) -> None:
    """So the mutant need not be verified again once its records are honest."""
    mutant = sample["swapped tensors"]
    false = mutated(mutant, good(SUBJECTS[mutant.key.subject]))
    first = verify(false, jobs=1)
    again = verify(recorded(false, first), jobs=1)
    assert "report.mismatch" in {each.code for each in first.diagnostics}
    same = honest(first)
    assert same is not None
    assert (same.diagnostics, same.verdict, column(same)) == (again.diagnostics, again.verdict, column(again))
    assert honest(verify(good(SUBJECTS[QUEUED]), jobs=1)) is None


def test_an_exception_is_no_stop(sample: dict[str, Mutant], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise LookupError("broken")

    monkeypatch.setattr(bundles, "verify_without_replay", broken)
    row = of(sample["operations"])
    assert (row.alone.verdict, row.replay.verdict) == ("exception", "refuted")
    assert any(each.startswith("stopped by an exception: ") for each in problems(Result([row], {}), whole=False))


def line(
    operator: str = "resources", *, by: Sequence[str] = ("claim.resources@portable",), laws: Sequence[str] = ()
) -> Row:
    """A line of a mutant that is stopped by these."""
    stopped = Column("refuted", tuple(by), ("claim.resources portable/tasks",))
    return Row(
        subject=QUEUED,
        operator=operator,
        branch="",
        place="portable: tasks",
        stage="portable",
        intended="claim.resources",
        point=Point.MEANING.value,
        replay=stopped,
        alone=stopped,
        laws=tuple(laws),
    )


def test_a_claim_is_alone_where_nothing_else_stops_a_mutant() -> None:
    assert line().sole == "resources"
    assert line(by=("claim.resources@portable", "claim.resources@concrete")).sole == "resources"
    assert line(by=("claim.resources@portable", "law.gemm")).sole == ""
    assert line(by=("law.gemm",)).sole == ""


def test_a_finding_at_another_stage_is_no_hit() -> None:
    assert line().hit
    assert not msgspec.structs.replace(line(), stage="distributed").hit
    assert not msgspec.structs.replace(line(), branch="prefill").hit
    named = Column("refuted", (), ("claim.resources prefill/portable",))
    assert msgspec.structs.replace(line(), alone=named, branch="prefill").hit
    assert not msgspec.structs.replace(line(), alone=named, branch="final-decode").hit
    assert msgspec.structs.replace(line(), alone=named).hit, "no branch is named"
    assert problems(Result([msgspec.structs.replace(line(), stage="distributed")], {}), whole=False) == [
        "only 0 of 1 are named by what their operator names"
    ]


def test_of_all_mutants_more_is_asked() -> None:
    asked = Asked(frozenset({"claim.resources@portable"}), frozenset({"law.gemm", "law.capacity"}))
    found = problems(Result([line(laws=("capacity",))], {QUEUED: asked}))
    assert "1 operators and 1 mutants are too few" in found
    assert "no mutant of the operator wrong waits" in found
    assert "nothing but others stops what claim waits stops" in found
    assert not any("claim resources" in each or "claim operand_traffic" in each for each in found)
    alone = line(by=("claim.operand_traffic@distributed",))
    assert "listed as never alone, and is: claim operand_traffic" in problems(Result([alone], {}))
    assert [each for each in found if each.startswith(QUEUED)] == [f"{QUEUED}: no mutant breaks law.gemm"]


def test_the_table_counts_what_stops() -> None:
    asked = Asked(frozenset({"claim.resources@portable"}), frozenset({"law.gemm"}))
    lines = list(table(Result([line(), line(laws=("gemm",), by=("law.gemm",))], {QUEUED: asked})))
    words = {each.split()[0]: each.split()[1:] for each in lines if each}
    assert words["all"] == ["2", "2", "2", "2"]
    assert words["resources"] == ["1", "1", "portable", "1", "(1)"]
    assert words["gemm"] == ["1", "1"]


def test_what_a_good_bundle_is_asked() -> None:
    asked = asked_of(verify(good(SUBJECTS[QUEUED]), jobs=1))
    assert {"claim.waits@concrete", "claim.entry@machine", "claim.role@model"} <= asked.claims
    assert {"law.queue-order", "law.capacity", "law.gemm"} <= asked.laws
    assert not {"claim.routes@machine", "law.slot-order", "law.kv-cache"} & (asked.claims | asked.laws)


@pytest.mark.parametrize("subject", SAMPLE[1:])
def test_a_good_bundle_passes_through_the_same_hands(subject: str) -> None:
    bundles.control(SUBJECTS[subject], good(SUBJECTS[subject]))
    with pytest.raises(ValueError, match="not verified"):
        bundles.control(SUBJECTS[subject], good(SUBJECTS[subject]).replace(b"proved", b"unknown"))


def test_the_draw_is_the_same_in_every_run() -> None:
    subject = QUEUED
    data = good(SUBJECTS[subject])
    first, second = ([mutant.key for mutant in drawn(list(mutants_of(subject, data)))] for _ in range(2))
    assert first == second
    assert len(set(first)) == len(first) > FEWEST_OPERATORS


def test_what_is_excluded_is_a_mutant() -> None:
    for key in bundles.EXCLUDED:
        places = {mutant.key for mutant in mutants_of(key.subject, good(SUBJECTS[key.subject]))}
        assert key in places


def test_a_mutant_that_changes_nothing_is_an_error(sample: dict[str, Mutant]) -> None:
    mutant = sample["operations"]
    idle = mutant._replace(site=mutant.site._replace(change=lambda _: None))
    with pytest.raises(ValueError, match="changes nothing"):
        of(idle)


def test_without_replay_a_good_bundle_is_never_verified() -> None:
    assert verify_without_replay(good(SUBJECTS[QUEUED]), jobs=1).verdict.value == "not_established"
