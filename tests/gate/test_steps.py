"""What each step of the gate says where it refuses: the kind of error, its code, its place, and all of its words."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from blueprint.analyses import AnalysisKey
from blueprint.bundle import Snapshot
from blueprint.case import Workload
from blueprint.codec import encode
from blueprint.diagnostic import Diagnostic
from blueprint.errors import (
    BlueprintError,
    DomainError,
    GateError,
    GateFailedError,
    NotEstablishedError,
    PassFailedError,
)
from blueprint.frontend.block import model_ir
from blueprint.gate import Candidate, CommitGate, Committed
from blueprint.ir.common import LineageKind
from blueprint.outcome import Finding, Status
from blueprint.passes.protocol import Mutation, PassContext
from blueprint.verifier import Settled, Step
from blueprint.workload.extension import ElementwiseOperation
from tests.gate.small import (
    BRANCH,
    DISTRIBUTED,
    REQUEST,
    Distributing,
    Looking,
    distributing,
    gate_of,
    looking,
    nothing,
    planning,
    refused,
    rooted,
    session_of,
)

DISTRIBUTE, PLAN, LOOK = "DistributeTransformerInferencePass", "PlanTransformerInferencePass", "LookingPass"

force = msgspec.structs.force_setattr


class Live(msgspec.Struct, frozen=True):
    """What is alive, by name."""

    values: tuple[str, ...]


LIVENESS = AnalysisKey("liveness", 1, Live)


class Changing(Distributing):
    """Gives the honest output after a change, which may give another one; in the run of a number, or in both."""

    def __init__(self, change: Callable[[Any], object], number: int = 0) -> None:
        super().__init__(nothing)
        self.change, self.only = change, number

    def run(self, ir: Any, context: PassContext) -> Any:
        output = super().run(ir, context)
        changed = self.change(output) if self.only in {0, self.runs} else None
        return output if changed is None else changed


def told(error: BlueprintError) -> tuple[type[BlueprintError], str, str, str, str]:
    """Everything that an error says: its kind, code, place, words, and where it arose."""
    return type(error), error.code, error.path, error.message, error.origin


def doubled() -> ElementwiseOperation:
    """An operation of an extension. Nobody asks here for what it does."""
    return ElementwiseOperation(
        kind="doubled", source="query_projection", readers=("scores",), workload=Workload.INFERENCE, primitive="gelu",
        work=cast("Any", None), keeps_inputs=False, rule="r.r", tensor_rule="r.r",
    )  # fmt: skip


def gate_error(name: str, step: str, words: str) -> tuple[type[BlueprintError], str, str, str, str]:
    """The refusal of a candidate, about nothing in it that has a place."""
    return GateError, "gate", "", f"{name}: {step}, {words}", f"{name}, {step}"


# What is committed ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", [each.name for each in dataclasses.fields(Committed)])
def test_a_seal_is_of_the_gate_and_of_everything_that_it_was_made_for(gate: CommitGate, field: str) -> None:
    model = rooted(gate)
    done = gate.commit(distributing(), model)
    assert dataclasses.replace(done) == done
    others: dict[str, object] = {
        "ancestors": (done.snapshot,), "digest": "0" * 64, "session": "0" * 64, "derivation_pass": "other",
        "snapshot": model.snapshot, "seal": SimpleNamespace(of=done.seal.of),
    }  # fmt: skip
    with pytest.raises(GateError) as caught:
        dataclasses.replace(done, **{field: cast("Any", others.get(field))})
    assert caught.value.message == "only the gate commits a snapshot"


# The input ----------------------------------------------------------------------------------------------------------


def test_step_1_says_that_what_declares_nothing_is_no_pass(gate: CommitGate, model: Committed) -> None:
    for each in (object(), SimpleNamespace(facts=None), SimpleNamespace(facts={"name": "APass"})):
        with pytest.raises(GateError) as caught:
            gate.commit(cast("Any", each), model)
        assert caught.value.message == "step 1, this is no pass: it declares nothing of itself"


def test_step_1_says_what_the_input_is_not(gate: CommitGate, model: Committed) -> None:
    assert told(refused(gate, planning(), model)) == gate_error(
        PLAN, "step 1", "the input is no committed distributed snapshot"
    )
    assert told(refused(gate, distributing(), cast("Committed", model.snapshot))) == gate_error(
        DISTRIBUTE, "step 1", "the input did not come through the gate"
    )
    elsewhere = gate_of(
        request=msgspec.structs.replace(REQUEST, model=msgspec.structs.replace(REQUEST.model, layers=4))
    )
    assert told(refused(elsewhere, distributing(), model)) == gate_error(
        DISTRIBUTE, "step 1", "the input belongs to another session"
    )
    assert told(refused(gate, distributing(reads=(2, 3)), model)) == gate_error(
        DISTRIBUTE, "step 1", "the input is of version 1, which the pass does not read"
    )
    force(model.snapshot, "operations", ())
    assert told(refused(gate, distributing(), model)) == gate_error(
        DISTRIBUTE, "step 1", "the input was changed since it was committed"
    )


@pytest.mark.parametrize("binding", ["weather", "target", "deployment"])
def test_step_2_names_the_binding_that_the_request_has_not(gate: CommitGate, model: Committed, binding: str) -> None:
    """One that no request has, and those that this one leaves open."""
    error = refused(gate, distributing(bindings=("model", binding)), model)
    assert told(error) == gate_error(DISTRIBUTE, "step 2", f"the request has no binding {binding}")


def test_step_3_names_the_analysis_that_is_not_there(gate: CommitGate, model: Committed) -> None:
    error = refused(gate, distributing(requires=(LIVENESS,)), model)
    assert told(error) == gate_error(DISTRIBUTE, "step 3", "the analysis liveness/1 is not present")


@pytest.mark.parametrize(("about", "step"), [("input", "step 4"), ("output", "step 7")])
def test_structural_faults_are_looked_for_in_input_and_output(
    gate: CommitGate, model: Committed, monkeypatch: pytest.MonkeyPatch, about: str, step: str
) -> None:
    """The first of them is told with its own code and place."""
    faults = [Diagnostic(code=code, message=f"{code} is wrong", path=f"tasks[{code}]") for code in ("one", "two")]

    def structural_faults(snapshot: Snapshot) -> list[Diagnostic]:
        found = "input" if snapshot is model.snapshot else snapshot.header.stage.value
        return faults if found == {"input": "input", "output": "distributed"}[about] else []

    monkeypatch.setattr("blueprint.gate.structural_faults", structural_faults)
    error = refused(gate, distributing(), model)
    words = f"{DISTRIBUTE}: {step}, one is wrong"
    assert told(error) == (GateError, "one", "tasks[one]", words, f"{DISTRIBUTE}, {step}")


def test_a_model_with_a_structural_fault_is_not_admitted_by_its_own_code(gate: CommitGate) -> None:
    model = model_ir(REQUEST)
    twice = msgspec.structs.replace(model, values=(*model.values, model.values[-1]))
    with pytest.raises(GateError, match=r"^front end, ") as caught:
        gate.admit(twice)
    assert caught.value.code.startswith("structure.")
    assert caught.value.path


def test_the_model_that_is_admitted_has_the_operations_of_the_extension() -> None:
    added = doubled()
    gate = gate_of()
    gate.context = dataclasses.replace(gate.context, added=(added,))
    with pytest.raises(GateError, match="this is not the model that the request describes"):
        gate.admit(model_ir(REQUEST))
    admitted = cast("Any", gate.admit(model_ir(REQUEST, (added,))).snapshot)
    assert "doubled" in {each.name for each in admitted.operations}


# The run ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (RecursionError(), "RecursionError"),
        (ValueError("no"), "ValueError: no"),
        (ValueError("x" * 160), f"ValueError: {'x' * 160}"),
        (ValueError("x" * 161), f"ValueError: {'x' * 157}..."),
        (KeyError("a\x1bb"), r"KeyError: 'a\x1bb'"),
    ],
)
def test_step_5_says_what_the_pass_raised_and_its_words_if_it_has_any(
    gate: CommitGate, model: Committed, fault: Exception, words: str
) -> None:
    def fail(_ir: object, _context: PassContext) -> None:
        raise fault

    _, _, _, message, origin = told(error := refused(gate, distributing(fail), model, PassFailedError))
    assert (message, origin) == (f"{DISTRIBUTE}: step 5, the pass failed with {words}", f"{DISTRIBUTE}, step 5")
    assert error.code == "gate.pass"


@pytest.mark.parametrize(("origin", "kept"), [("", f"{DISTRIBUTE}, step 5"), ("APass, step 9", "APass, step 9")])
def test_an_error_keeps_the_place_that_it_names_itself(
    gate: CommitGate, model: Committed, origin: str, kept: str
) -> None:
    def refuse(_ir: object, _context: PassContext) -> None:
        error = DomainError("not this one", path="model")
        error.origin = origin
        raise error

    with pytest.raises(DomainError) as caught:
        gate.commit(distributing(refuse), model)
    assert told(caught.value) == (DomainError, "domain", "model", "not this one", kept)


def test_what_breaks_down_beside_the_pass_is_no_fault_of_the_pass(
    gate: CommitGate, model: Committed, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise LookupError("gone")

    monkeypatch.setattr("blueprint.gate.contract_of", fail)
    words = f"{DISTRIBUTE}: step 1, failed with LookupError: gone"
    found = (GateFailedError, "gate.failed", "", words, f"{DISTRIBUTE}, step 1")
    assert told(refused(gate, distributing(), model)) == found


def test_step_6_refuses_a_change_of_the_own_copy_only_where_the_pass_says_it_makes_none(
    gate: CommitGate, model: Committed
) -> None:
    def rename(ir: Any, _context: PassContext) -> None:
        force(ir.facts, "name", "other")

    for number in (1, 2):
        error = refused(gate, distributing(rename, number), model)
        assert told(error) == gate_error(DISTRIBUTE, "step 6", "the pass changed its input")
    assert (
        gate.commit(distributing(rename, mutation=Mutation.TRANSACTIONAL), model).snapshot.header.stage is DISTRIBUTED
    )


def test_step_6_sees_whatever_else_a_pass_changes(model: Committed, gate: CommitGate) -> None:
    """The committed input, the bindings of the session and the store, each alone."""
    store = gate.published

    def the_input(_ir: object, _context: PassContext) -> None:
        force(model.snapshot, "operations", cast("Any", model.snapshot).operations[1:])

    def the_bindings(_ir: object, _context: PassContext) -> None:
        force(gate.context.request.strategy, "data", 7)

    def the_store(_ir: object, _context: PassContext) -> None:
        gate.published = dataclasses.replace(store)

    for harm in (the_store, the_bindings, the_input):
        with pytest.raises(GateError) as caught:
            gate.commit(distributing(harm, 2), model)
        words = "the pass changed what was committed, or the bindings"
        assert told(caught.value) == gate_error(DISTRIBUTE, "step 6", words)
        assert gate.published is store
        force(gate.context.request.strategy, "data", 1)


def test_step_6_sees_a_change_of_an_operation_of_the_extension(gate: CommitGate) -> None:
    added = doubled()
    gate.context = dataclasses.replace(gate.context, added=(added,))

    def work_forgotten(_ir: object, _context: PassContext) -> None:
        object.__setattr__(added, "work", nothing)

    known = gate.commit(looking(), gate.admit(model_ir(REQUEST, (added,))))
    words = "the pass changed what was committed, or the bindings"
    assert told(refused(gate, looking(work_forgotten), known)) == gate_error(LOOK, "step 6", words)


# The output ---------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Amount:
    """Data with one field."""

    value: int


class Overflowing:
    """The same, of an amount that is too large to be read."""

    __dataclass_fields__ = Amount.__dataclass_fields__

    @property
    def value(self) -> int:
        raise OverflowError


ENDLESS: list[object] = []
ENDLESS.append(ENDLESS)


@pytest.mark.parametrize(
    "value",
    [object(), "\ud800", 10**5000, Overflowing(), ENDLESS],
    ids=["no data", "no text", "no number", "no field", "no end"],
)
def test_step_7_refuses_an_output_that_cannot_be_written(gate: CommitGate, model: Committed, value: object) -> None:
    error = refused(gate, Changing(lambda output: force(output, "tasks", value)), model)
    assert told(error) == gate_error(DISTRIBUTE, "step 7", "the output cannot be encoded")


def test_step_7_refuses_an_output_that_is_too_large_to_be_read_again(
    gate: CommitGate, model: Committed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody could read the bundle: that is no fault of the pass, but of what was asked for."""
    most = encode(model.snapshot).count(b",")
    monkeypatch.setattr("blueprint.codec.VALUE_LIMIT", most)
    error = refused(gate, distributing(), model)
    words = f"the distributed snapshot is too large: the input has more than {most} values"
    assert told(error) == (DomainError, "domain", "", words, f"{DISTRIBUTE}, step 7")


def test_step_7_says_what_the_output_is_not(gate: CommitGate, model: Committed) -> None:
    error = refused(gate, Changing(lambda _: model.snapshot), model)
    assert told(error) == gate_error(DISTRIBUTE, "step 7", "the output is no distributed snapshot")
    error = refused(gate, Changing(lambda output: force(output.tasks[0].work, "operations", -1)), model)
    words = "$.tasks[0].work.operations: Expected `int` >= 0"
    assert told(error) == gate_error(DISTRIBUTE, "step 7", words)
    error = refused(gate, distributing(writes=2), model)
    words = "the output is of version 1, not of that which the pass writes"
    assert told(error) == gate_error(DISTRIBUTE, "step 7", words)


def test_step_8_refuses_the_parent_of_another(
    gate: CommitGate, model: Committed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even one whose ids fit it."""
    monkeypatch.setattr("blueprint.gate.structural_faults", lambda _: [])
    error = refused(gate, Changing(lambda output: force(output.header, "parent", "0" * 64)), model)
    assert told(error) == gate_error(DISTRIBUTE, "step 8", "the parent digest is not the source's")


def test_step_9_and_13_refuse_what_is_not_the_same(gate: CommitGate, model: Committed) -> None:
    class Returning(Looking):
        """Gives something else than it was given."""

        def run(self, ir: Any, context: PassContext) -> Any:
            return msgspec.structs.replace(super().run(ir, context), facts=msgspec.structs.replace(ir.facts, name="x"))

    words = "the pass changed a snapshot within its stage, which no rule justifies"
    assert told(refused(gate, Returning(nothing), model)) == gate_error(LOOK, "step 9", words)
    words = "a second run gives another snapshot or other analyses"
    error = refused(gate, Changing(lambda output: force(output, "tasks", output.tasks[::-1]), number=2), model)
    assert told(error) == gate_error(DISTRIBUTE, "step 13", words)


# What the verifier found ----------------------------------------------------------------------------------------------


class Judging:
    """Says something else than what the verifier found."""

    def __init__(self, gate: CommitGate, *verdicts: Status, words: tuple[str, ...] = ()) -> None:
        self.verifier, self.rulebook = gate.verifier, gate.rulebook
        self.verdicts = verdicts
        self.findings = tuple(Finding(code="x", message=each, path=f"{each}s") for each in words)

    def settle(self, steps: list[Step]) -> Settled:
        settled = self.verifier.settle(steps)
        reports = tuple(msgspec.structs.replace(each, relation_verified=False) for each in settled.transitions)
        rows = [msgspec.structs.replace(settled.obligations[0], verdict=each) for each in self.verdicts]
        return Settled(reports, tuple(rows), self.findings)


PROVED, REFUTED = Status.PROVED, Status.REFUTED
LEFT_OPEN = (NotEstablishedError, "gate.not_established")


@pytest.mark.parametrize(
    ("verdicts", "words", "kind", "said"),
    [
        ((), (), LEFT_OPEN, "nothing was established"),
        ((PROVED,), (), LEFT_OPEN, "nothing was established"),
        ((PROVED, Status.UNKNOWN), ("claim", "law"), LEFT_OPEN, "claim (claims)"),
        ((Status.VACUOUS,), ("claim",), LEFT_OPEN, "claim (claims)"),
        ((Status.NOT_RUN,), ("law",), LEFT_OPEN, "law (laws)"),
        ((REFUTED,), ("law", "claim"), (GateError, "gate.refuted"), "law (laws)"),
        ((PROVED, REFUTED, Status.UNKNOWN), ("law",), (GateError, "gate.refuted"), "law (laws)"),
    ],
)
def test_what_is_false_is_told_from_what_is_left_open(
    gate: CommitGate,
    model: Committed,
    verdicts: tuple[Status, ...],
    words: tuple[str, ...],
    kind: tuple[type[GateError], str],
    said: str,
) -> None:
    gate.verifier = cast("Any", Judging(gate, *verdicts, words=words))
    found = (*kind, "", f"{DISTRIBUTE}: steps 9 to 12, {said}", f"{DISTRIBUTE}, steps 9 to 12")
    assert told(refused(gate, distributing(), model)) == found


def test_an_output_that_does_not_fit_its_source_is_false_whatever_is_proved_of_the_rest(
    gate: CommitGate, model: Committed
) -> None:
    """All questions are answered with yes: that an entity comes from elsewhere is enough."""

    def astray(output: Any) -> None:
        force(output.tasks[0].lineage, "kind", LineageKind.GENERATED)

    error = refused(gate, Changing(astray), model)
    assert (type(error), error.code) == (GateError, "gate.refuted")
    assert error.message.startswith(f"{DISTRIBUTE}: steps 9 to 12, ")
    assert "kind is generated, the rule says lowered" in error.message


# Observers and the store --------------------------------------------------------------------------------------------


def test_an_observer_sees_exactly_what_is_then_committed() -> None:
    seen: list[Candidate] = []
    gate = gate_of(seen.append)
    model = gate.commit(looking(), rooted(gate))
    done = gate.commit(distributing(), model)
    assert [(each.snapshot, each.digest, each.report) for each in seen] == [
        (each.snapshot, each.digest, each.report) for each in (model, done)
    ]
    assert done.report is not None
    assert (done.report.derivation_pass, done.derivation_pass) == (DISTRIBUTE, DISTRIBUTE)
    assert done.recorded is not None
    assert done.recorded.relation_verified
    assert (model.recorded, gate.published.checkpoints) == (None, (model, done))
    assert done.session == session_of(REQUEST)
    assert [each.report.branch for each in seen] == [BRANCH.value, BRANCH.value]


def the_snapshot(candidate: Candidate, _gate: CommitGate) -> None:
    force(cast("Any", candidate.snapshot).tasks[0].work, "operations", 1)


def the_report(candidate: Candidate, _gate: CommitGate) -> None:
    force(candidate.report, "derivation_pass", "other")


def the_session(_candidate: Candidate, gate: CommitGate) -> None:
    force(gate.context.request.strategy, "data", 7)


@pytest.mark.parametrize("harm", [the_snapshot, the_report, the_session])
def test_step_15_says_that_an_observer_changed_something(harm: Callable[[Candidate, CommitGate], None]) -> None:
    gates: list[CommitGate] = []
    gate = gate_of(lambda candidate: harm(candidate, gates[0]))
    gates.append(gate)
    words = "an observer changed the snapshot, or what it came from"
    assert told(refused(gate, distributing(), rooted(gate))) == gate_error(DISTRIBUTE, "step 15", words)


def test_step_15_says_with_what_an_observer_rejected() -> None:
    def reject(_: Candidate) -> None:
        raise ValueError("too slow")

    gate = gate_of(reject)
    words = "an observer rejected the snapshot with ValueError: too slow"
    assert told(refused(gate, distributing(), rooted(gate))) == gate_error(DISTRIBUTE, "step 15", words)
