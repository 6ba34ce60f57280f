"""Analyses: who may leave one and who may read it, of what it holds, and that nobody changes what another was given."""

from __future__ import annotations

import dataclasses
from types import MappingProxyType
from typing import Any, ClassVar, cast

import msgspec
import pytest

from blueprint.analyses import Analyses, AnalysisKey, joined
from blueprint.bundle import snapshot_digest
from blueprint.case import Workload
from blueprint.codec import encode
from blueprint.contract import contract_of
from blueprint.errors import AnalysisError, ContractError, GateError, PassFailedError
from blueprint.frontend.block import model_ir
from blueprint.gate import CommitGate, Committed
from blueprint.passes.plan_inference import PlanTransformerInferencePass
from blueprint.passes.protocol import PassContext, PassFacts
from blueprint.pipeline import PassManager, passes_for
from tests.gate.small import (
    BOOK,
    DISTRIBUTED,
    REQUEST,
    Act,
    Looking,
    distributing,
    gate_of,
    image,
    looking,
    nothing,
    planning,
    refused,
    rooted,
    snapshots_of,
    without_analyses,
)


class Live(msgspec.Struct, frozen=True):
    """What is alive, by name."""

    values: tuple[str, ...]


class Notes(msgspec.Struct):
    """A structure that can be changed."""

    lines: list[str]


class Odd(msgspec.Struct, frozen=True):
    """The same fields as another."""

    values: tuple[str, ...]


LIVENESS = AnalysisKey("liveness", 1, Live)
NEWER = AnalysisKey("liveness", 2, Live)
NOTES = AnalysisKey("notes", 1, Notes)
UNKEPT = "the analysis liveness/1 is declared and not left, or left and not declared"

SOME, OTHER = Live(("x",)), Live(("y",))


def leaving(*pairs: tuple[AnalysisKey[Any], msgspec.Struct], number: int = 0, **facts: object) -> Looking:
    """A pass within a stage that leaves these analyses, and declares them unless it says otherwise."""

    def leave(_ir: object, context: PassContext) -> None:
        for key, value in pairs:
            context.analyses.put(key, value)

    return looking(leave, number, **{"produces": tuple(key for key, _ in pairs), **facts})


class Reader:
    """Reads an analysis in every run, and keeps what it got."""

    def __init__(self, key: AnalysisKey[Any] = LIVENESS) -> None:
        self.key = key
        self.got: list[Any] = []

    def __call__(self, _ir: object, context: PassContext) -> None:
        self.got.append(context.analyses.get(self.key))


def address(of: Committed, key: AnalysisKey[Any] = LIVENESS) -> tuple[str, str, str]:
    return of.digest, key.text, of.session


# Within a stage -----------------------------------------------------------------------------------------------------


def test_a_pass_within_a_stage_leaves_what_a_later_pass_requires(gate: CommitGate) -> None:
    reader = Reader()
    chain = (leaving((LIVENESS, SOME)), distributing(reader, requires=(LIVENESS,)), PlanTransformerInferencePass())
    trace = PassManager(gate, chain).run(model_ir(REQUEST))
    assert reader.got == [SOME, SOME]
    assert [each.snapshot.header.stage.value for each in trace.committed] == [
        "model",
        "model",
        "distributed",
        "portable",
    ]
    plain = PassManager(gate_of(), passes_for(REQUEST)).run(model_ir(REQUEST))
    assert encode(snapshots_of(trace.committed[-1])) == encode(snapshots_of(plain.committed[-1])), "the same chain"


def test_the_report_on_an_unchanged_snapshot_claims_nothing_and_records_nothing(
    gate: CommitGate, model: Committed
) -> None:
    known = gate.commit(leaving((LIVENESS, SOME)), model)
    report = known.report
    assert report is not None
    assert report.structural_only
    assert not report.relation_verified
    assert report.canonical_conformant is True
    assert (report.source, report.target, report.derivation_pass) == ("model", "model", "LookingPass")
    assert (report.relations, report.laws, dict(report.cardinality)) == ((), (), {})
    assert known.recorded is None
    assert known.snapshot == model.snapshot
    assert known.digest == model.digest
    assert known.ancestors == model.ancestors == ()
    assert known.derivation_pass == Looking.facts.name
    assert known.contract == contract_of(leaving((LIVENESS, SOME)).facts, BOOK, Workload.INFERENCE)
    assert known.contract is not None
    assert known.contract.produced_analyses == ("liveness/1",)
    assert (known.contract.rules, known.contract.boundary_rules, known.contract.primitives) == ((), (), ())


def test_a_cross_stage_report_is_never_structural_only(gate: CommitGate, model: Committed) -> None:
    report = gate.commit(distributing(), model).report
    assert report is not None
    assert not report.structural_only
    assert report.relation_verified
    assert report.canonical_conformant is True


def test_an_analysis_is_addressed_by_snapshot_key_and_session(gate: CommitGate, model: Committed) -> None:
    gate.commit(leaving((LIVENESS, SOME), (NOTES, Notes(["a"]))), model)
    assert gate.published.analyses == {
        (snapshot_digest(model.snapshot), "liveness/1", gate.context.fingerprint): encode(SOME),
        (snapshot_digest(model.snapshot), "notes/1", gate.context.fingerprint): b'{"lines":["a"]}',
    }


def test_it_is_published_together_with_the_checkpoint(gate: CommitGate, model: Committed) -> None:
    before = gate.published
    known = gate.commit(leaving((LIVENESS, SOME)), model)
    assert (before.checkpoints, dict(before.analyses)) == ((), {}), "the old store is not changed, but replaced"
    assert gate.published.checkpoints == (known,)
    assert gate.published.analyses[address(model)] == encode(SOME)


def test_the_store_takes_nothing_from_outside(gate: CommitGate, model: Committed) -> None:
    gate.commit(leaving((LIVENESS, SOME)), model)
    with pytest.raises(TypeError):
        gate.published.analyses[address(model)] = encode(OTHER)  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        gate.published.analyses = {}  # type: ignore[misc]


# What must be there -------------------------------------------------------------------------------------------------


def test_an_analysis_of_another_version_is_not_seen(gate: CommitGate, model: Committed) -> None:
    gate.commit(leaving((NEWER, SOME)), model)
    assert "step 3" in refused(gate, looking(requires=(LIVENESS,)), model, GateError).origin
    gate.commit(looking(requires=(NEWER,)), model)


def test_an_analysis_of_another_snapshot_is_not_seen(gate: CommitGate, model: Committed) -> None:
    distributed = gate.commit(distributing(produces=(LIVENESS,), act=_leave_some), model)
    assert "step 3" in refused(gate, looking(requires=(LIVENESS,)), model, GateError).origin
    gate.commit(looking(requires=(LIVENESS,), boundary=(DISTRIBUTED, DISTRIBUTED)), distributed)


def test_an_analysis_of_another_session_is_not_seen(gate: CommitGate, model: Committed) -> None:
    gate.commit(leaving((LIVENESS, SOME)), model)
    elsewhere = {(snapshot, key, "0" * 64): value for (snapshot, key, _), value in gate.published.analyses.items()}
    gate.published = dataclasses.replace(gate.published, analyses=MappingProxyType(elsewhere))
    assert "step 3" in refused(gate, looking(requires=(LIVENESS,)), model, GateError).origin


def test_nothing_is_known_to_another_gate(gate: CommitGate, model: Committed) -> None:
    gate.commit(leaving((LIVENESS, SOME)), model)
    other = gate_of()
    assert "step 3" in refused(other, looking(requires=(LIVENESS,)), rooted(other), GateError).origin


def test_a_promised_analysis_must_be_left(gate: CommitGate, model: Committed) -> None:
    error = refused(gate, looking(produces=(LIVENESS,)), model, GateError)
    assert error.message == f"LookingPass: step 7, {UNKEPT}"
    refused(gate, distributing(produces=(LIVENESS,)), model, GateError)


def test_a_promise_is_kept_by_its_own_version_alone(gate: CommitGate, model: Committed) -> None:
    assert "step 5" in refused(gate, leaving((NEWER, SOME), produces=(LIVENESS,)), model, AnalysisError).origin


# What is declared ---------------------------------------------------------------------------------------------------


def test_an_undeclared_analysis_is_not_left(gate: CommitGate, model: Committed) -> None:
    error = refused(gate, leaving((LIVENESS, SOME), produces=()), model, AnalysisError)
    assert error.message == "the analysis liveness/1 is not among those that the pass produces"
    assert error.origin == "LookingPass, step 5"


def test_an_undeclared_analysis_is_not_read(gate: CommitGate, model: Committed) -> None:
    gate.commit(leaving((LIVENESS, SOME)), model)
    error = refused(gate, looking(Reader()), model, AnalysisError)
    assert error.message == "the analysis liveness/1 is not among those that the pass requires"
    assert error.origin == "LookingPass, step 5"


def test_a_pass_does_not_read_what_it_leaves(gate: CommitGate, model: Committed) -> None:
    def both(ir: object, context: PassContext) -> None:
        _leave_some(ir, context)
        context.analyses.get(LIVENESS)

    refused(gate, looking(both, produces=(LIVENESS,)), model, AnalysisError)


def test_an_analysis_is_left_once(gate: CommitGate, model: Committed) -> None:
    error = refused(gate, leaving((LIVENESS, SOME), (LIVENESS, SOME), produces=(LIVENESS,)), model, AnalysisError)
    assert error.message == "the analysis liveness/1 is produced twice"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Odd(("x",)), "is not of its own structure"),
        (Live(5), "is not of its own structure: Expected `array`, got `int`"),  # type: ignore[arg-type]
        (Live(("x", None)), "is not of its own structure: Expected `str`, got `null`"),  # type: ignore[arg-type]
        (Live((object(),)), "cannot be encoded"),  # type: ignore[arg-type]
    ],
    ids=["another structure", "another type", "a null", "no value at all"],
)
def test_an_analysis_is_of_its_own_structure(
    gate: CommitGate, model: Committed, value: msgspec.Struct, words: str
) -> None:
    error = refused(gate, leaving((LIVENESS, value)), model, AnalysisError)
    assert error.message == f"the analysis liveness/1 {words}"


def test_a_reader_asks_for_the_structure_that_was_left(gate: CommitGate, model: Committed) -> None:
    gate.commit(leaving((LIVENESS, SOME)), model)
    misread = looking(Reader(AnalysisKey("liveness", 1, Notes)), requires=(LIVENESS,))
    error = refused(gate, misread, model, AnalysisError)
    assert error.message.startswith("the analysis liveness/1 is of another structure")


def test_nothing_undeclared_comes_in_by_the_back_door(gate: CommitGate, model: Committed) -> None:
    def smuggle(_ir: object, context: PassContext) -> None:
        context.analyses.produced["liveness/1"] = encode(SOME)

    error = refused(gate, looking(smuggle), model, GateError)
    assert error.message == f"LookingPass: step 7, {UNKEPT}"
    refused(gate, distributing(smuggle), model, GateError)


def test_a_pass_leaves_only_what_its_contract_says_although_it_says_another_thing_later(
    gate: CommitGate, model: Committed
) -> None:
    class Shifting(Looking):
        """Declares more every time that it is asked."""

        asked: ClassVar[list[str]] = []

        @property
        def facts(self) -> PassFacts:  # type: ignore[override]
            self.asked.append("once more")
            produces = () if len(self.asked) == 1 else (LIVENESS,)
            return dataclasses.replace(Looking.facts, produces=produces)

    with pytest.raises(AnalysisError, match="not among those that the pass produces"):
        gate.commit(cast("Looking", Shifting(_leave_some)), model)
    assert gate.published.analyses == {}


def test_a_pass_cannot_keep_more_by_changing_its_facts_while_it_runs(gate: CommitGate, model: Committed) -> None:
    gate.commit(leaving((LIVENESS, SOME)), model)
    keeper = distributing()

    def widen(_ir: object, _context: PassContext) -> None:
        object.__setattr__(keeper.facts, "keeps", (LIVENESS,))

    keeper.act = widen
    distributed = gate.commit(keeper, model)
    assert distributed.contract is not None
    assert distributed.contract.preserved_analyses == ()
    assert address(distributed) not in gate.published.analyses


# What holds of the output -------------------------------------------------------------------------------------------


def test_what_a_pass_keeps_holds_of_its_output(gate: CommitGate, model: Committed) -> None:
    gate.commit(leaving((LIVENESS, SOME), (NOTES, Notes(["a"]))), model)
    distributed = gate.commit(distributing(keeps=(LIVENESS,)), model)
    assert gate.published.analyses == {
        address(model): encode(SOME),
        address(model, NOTES): encode(Notes(["a"])),
        address(distributed): encode(SOME),
    }
    reader = Reader()
    gate.commit(looking(reader, requires=(LIVENESS,), boundary=(DISTRIBUTED, DISTRIBUTED)), distributed)
    assert reader.got == [SOME, SOME]


@pytest.mark.parametrize("facts", [{}, {"invalidates": (LIVENESS,)}, {"keeps": (NEWER,)}, {"keeps": (NOTES,)}])
def test_what_a_pass_does_not_keep_is_not_known_of_its_output(
    gate: CommitGate, model: Committed, facts: dict[str, Any]
) -> None:
    gate.commit(leaving((LIVENESS, SOME)), model)
    distributed = gate.commit(distributing(**facts), model)
    assert gate.published.analyses == {address(model): encode(SOME)}, "of the input it is known as before"
    error = refused(gate, looking(requires=(LIVENESS,), boundary=(DISTRIBUTED, DISTRIBUTED)), distributed, GateError)
    assert "step 3" in error.message


def test_what_a_pass_keeps_need_not_be_there(gate: CommitGate, model: Committed) -> None:
    gate.commit(distributing(keeps=(LIVENESS,)), model)
    assert gate.published.analyses == {}


def test_what_a_pass_produces_holds_of_its_output_alone(gate: CommitGate, model: Committed) -> None:
    distributed = gate.commit(distributing(_leave_some, produces=(LIVENESS,)), model)
    assert gate.published.analyses == {address(distributed): encode(SOME)}


def test_within_a_stage_everything_holds_but_what_is_invalidated(gate: CommitGate, model: Committed) -> None:
    gate.commit(leaving((LIVENESS, SOME), (NOTES, Notes(["a"]))), model)
    distributed = gate.commit(distributing(keeps=(LIVENESS, NOTES)), model)
    gate.commit(looking(), model)
    assert len(gate.published.analyses) == 4, "a pass that invalidates nothing ends nothing"
    gate.commit(looking(invalidates=(LIVENESS,)), model)
    assert gate.published.analyses == {
        address(model, NOTES): encode(Notes(["a"])),
        address(distributed): encode(SOME),
        address(distributed, NOTES): encode(Notes(["a"])),
    }, "of another snapshot it is known as before"
    assert "step 3" in refused(gate, looking(requires=(LIVENESS,)), model, GateError).message


def test_what_is_known_of_another_snapshot_or_to_another_session_is_not_known_of_this_one(
    gate: CommitGate, model: Committed
) -> None:
    distributed = gate.commit(distributing(produces=(LIVENESS,), act=_leave_some), model)
    known = {**gate.published.analyses, (model.digest, NOTES.text, "0" * 64): encode(Notes(["a"]))}
    gate.published = dataclasses.replace(gate.published, analyses=MappingProxyType(known))
    gate.commit(looking(), model)
    gate.commit(planning(keeps=(LIVENESS,)), gate.commit(looking(boundary=(DISTRIBUTED, DISTRIBUTED)), distributed))
    portable = gate.published.checkpoints[-1]
    assert gate.published.analyses == {**known, address(portable): encode(SOME)}
    assert address(model) not in known


def test_an_invalidated_analysis_may_be_made_anew(gate: CommitGate, model: Committed) -> None:
    gate.commit(leaving((LIVENESS, SOME)), model)
    gate.commit(leaving((LIVENESS, OTHER), requires=(LIVENESS,), invalidates=(LIVENESS,)), model)
    assert gate.published.analyses == {address(model): encode(OTHER)}


def test_two_values_of_one_analysis_are_refused(gate: CommitGate, model: Committed) -> None:
    gate.commit(leaving((LIVENESS, SOME)), model)
    error = refused(gate, leaving((LIVENESS, OTHER)), model, AnalysisError)
    assert error.message == "the analysis liveness/1 is already known of this snapshot, with another value"
    assert error.origin == "LookingPass, step 16"
    gate.commit(leaving((LIVENESS, SOME)), model)
    assert gate.published.analyses == {address(model): encode(SOME)}, "the same once more is no conflict"


def test_two_ways_to_one_snapshot_must_agree_on_it(gate: CommitGate, model: Committed) -> None:
    gate.commit(distributing(_leave_some, produces=(LIVENESS,)), model)
    gate.commit(leaving((LIVENESS, OTHER)), model)
    error = refused(gate, distributing(keeps=(LIVENESS,)), model, AnalysisError)
    assert "with another value" in error.message


def test_a_way_that_leaves_nothing_takes_nothing_from_what_another_way_left(gate: CommitGate, model: Committed) -> None:
    """What a pass from one stage to the next does not keep is not known of its output by this way; it may be by one."""
    gate.commit(leaving((LIVENESS, OTHER)), model)
    distributed = gate.commit(distributing(_leave_some, produces=(LIVENESS,)), model)
    known = {address(model): encode(OTHER), address(distributed): encode(SOME)}
    assert gate.published.analyses == known
    assert gate.commit(distributing(), model).digest == distributed.digest
    assert gate.published.analyses == known


def test_joining_takes_both_and_no_contradiction() -> None:
    one, two = ("a" * 64, "liveness/1", "s"), ("b" * 64, "liveness/1", "s")
    assert joined({one: b"1"}, {two: b"2"}) == {one: b"1", two: b"2"}
    assert joined({one: b"1"}, {one: b"1"}) == {one: b"1"}
    with pytest.raises(AnalysisError):
        joined({one: b"1"}, {one: b"2"})


# Frozen on entry ----------------------------------------------------------------------------------------------------


def test_the_producer_cannot_change_what_it_has_left(gate: CommitGate, model: Committed) -> None:
    mine: list[Notes] = []

    def leave(_ir: object, context: PassContext) -> None:
        notes = Notes(["a"])
        context.analyses.put(NOTES, notes)
        notes.lines.append("at once")
        mine.append(notes)

    gate.commit(looking(leave, produces=(NOTES,)), model)
    for notes in mine:
        notes.lines.append("later")
    reader = Reader(NOTES)
    gate.commit(looking(reader, requires=(NOTES,)), model)
    assert reader.got == [Notes(["a"]), Notes(["a"])]


def test_the_producer_cannot_change_the_bytes_that_it_has_left(gate: CommitGate, model: Committed) -> None:
    held: list[Analyses] = []

    def leave(_ir: object, context: PassContext) -> None:
        context.analyses.put(LIVENESS, SOME)
        held.append(context.analyses)

    gate.commit(looking(leave, produces=(LIVENESS,)), model)
    for analyses in held:
        analyses.produced["liveness/1"] = encode(OTHER)
    assert gate.published.analyses == {address(model): encode(SOME)}


def test_a_reader_changes_its_own_copy_alone(gate: CommitGate, model: Committed) -> None:
    gate.commit(leaving((NOTES, Notes(["a"]))), model)
    seen: list[list[str]] = []

    def scribble(_ir: object, context: PassContext) -> None:
        for _ in range(2):
            notes = context.analyses.get(NOTES)
            seen.append(list(notes.lines))
            notes.lines.append("mine")

    gate.commit(looking(scribble, requires=(NOTES,)), model)
    gate.commit(looking(scribble, requires=(NOTES,)), model)
    assert seen == [["a"]] * 8, "no read sees another, in this run, in the second, or in another pass"
    assert gate.published.analyses == {address(model, NOTES): encode(Notes(["a"]))}


@pytest.mark.parametrize("number", [1, 2])
def test_a_pass_cannot_exchange_what_it_is_given(gate: CommitGate, model: Committed, number: int) -> None:
    gate.commit(leaving((LIVENESS, SOME)), model)

    def exchange(_ir: object, context: PassContext) -> None:
        context.analyses.given["liveness/1"] = encode(OTHER)  # type: ignore[index]

    refused(gate, looking(exchange, number, requires=(LIVENESS,)), model, PassFailedError)


# Determinism and transaction ----------------------------------------------------------------------------------------


def differing() -> Act:
    """Leaves another analysis every time."""
    values = iter((SOME, OTHER, SOME, OTHER))
    return lambda _ir, context: context.analyses.put(LIVENESS, next(values))


def test_a_second_run_that_leaves_other_analyses_is_refused(gate: CommitGate, model: Committed) -> None:
    for unsteady in (looking(differing(), produces=(LIVENESS,)), distributing(differing(), produces=(LIVENESS,))):
        error = refused(gate, unsteady, model, GateError)
        assert error.message.endswith("step 13, a second run gives another snapshot or other analyses")


def test_a_second_run_that_leaves_no_analysis_is_refused(gate: CommitGate, model: Committed) -> None:
    error = refused(gate, leaving((LIVENESS, SOME), number=1), model, GateError)
    assert "step 13" in error.message


def test_a_pass_that_promises_no_determinism_runs_once(gate: CommitGate, model: Committed) -> None:
    unsteady = looking(differing(), produces=(LIVENESS,), deterministic=False)
    known = gate.commit(unsteady, model)
    assert unsteady.runs == 1
    assert known.report is not None
    assert known.report.canonical_conformant is None
    assert gate.published.analyses == {address(model): encode(SOME)}


def test_a_chain_that_fails_leaves_no_analysis(gate: CommitGate) -> None:
    def fail(_ir: object, _context: PassContext) -> None:
        raise ValueError

    before = gate.published
    manager = PassManager(gate, (leaving((LIVENESS, SOME)), distributing(fail, requires=(LIVENESS,))))
    with pytest.raises(PassFailedError):
        manager.run(model_ir(REQUEST))
    assert gate.published is before
    assert dict(before.analyses) == {}


def test_no_verdict_rests_on_an_analysis(gate: CommitGate, model: Committed) -> None:
    """What is committed is the same with a false analysis, with a true one, and with none."""
    plain = gate.commit(distributing(), model)
    gate.commit(leaving((LIVENESS, Live(("nonsense",)))), model)
    after = gate.commit(distributing(), model)
    assert image(after) == image(plain)
    gate.published = without_analyses(gate.published)
    assert image(gate.commit(distributing(), model)) == image(plain)


def test_a_manager_refuses_a_chain_in_which_nobody_leaves_what_is_required(gate: CommitGate) -> None:
    with pytest.raises(ContractError, match=r"requires the analysis liveness/1, which no pass before it leaves"):
        PassManager(gate, (looking(nothing), distributing(requires=(LIVENESS,))))


def _leave_some(_ir: object, context: PassContext) -> None:
    context.analyses.put(LIVENESS, SOME)
