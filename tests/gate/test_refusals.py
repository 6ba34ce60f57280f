"""The commit gate: each numbered step refuses one fault, names itself and the pass, and nothing is published."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterable, Iterator
from itertools import cycle
from types import SimpleNamespace
from typing import Any, ClassVar, cast

import msgspec
import pytest

from blueprint.analyses import AnalysisKey
from blueprint.bundle import Snapshot, fingerprint, read_bundle, snapshot_digest
from blueprint.case import Workload
from blueprint.codec import decode, encode
from blueprint.contract import contract_of
from blueprint.derivation import derive
from blueprint.diagnostic import Diagnostic
from blueprint.discharge import SolverPool
from blueprint.errors import BlueprintError, ContractError, DomainError, GateError
from blueprint.frontend.block import model_ir, request_digest
from blueprint.frontend.models import builtin
from blueprint.frontend.request import inference_request, training_request
from blueprint.gate import Candidate, CommitGate, Committed, Observer
from blueprint.ir.common import Branch, Stage
from blueprint.ir.distributed import DistributedTaskIR
from blueprint.ir.model import ModelIR
from blueprint.ir.portable import PortablePlanIR
from blueprint.ir.request import Communication, Recompute
from blueprint.law import ProjectionLaw
from blueprint.outcome import Status, TransitionReport
from blueprint.passes.distribute_inference import DistributeTransformerInferencePass
from blueprint.passes.distribute_training import DistributeTransformerTrainingPass
from blueprint.passes.plan_inference import PlanTransformerInferencePass
from blueprint.passes.plan_training import PlanTransformerTrainingPass
from blueprint.passes.protocol import PassContext, PassFacts
from blueprint.pipeline import PassManager, passes_for
from blueprint.rule import BoundaryRule, Claim, PassRule
from blueprint.session import open_rulebook, open_theorems
from blueprint.verdict import Answer, Verdict
from blueprint.verifier import TransitionVerifier
from blueprint.worker import Batch
from tests.reseal import Draft, copied, new_id, without

JOBS = 2

REQUEST = training_request(
    builtin("gpt2"),
    sequence=1024,
    tensor=2,
    recompute=Recompute.SELECTIVE,
    communication=Communication.SEQUENCE_PARALLEL,
)

STEPS = inference_request(builtin("gpt2"), batch=4, prompt=128, context=192, tensor=2)

MODEL, DISTRIBUTED, PORTABLE = Stage.MODEL, Stage.DISTRIBUTED, Stage.PORTABLE
NAME = "DistributeTransformerTrainingPass"


class Live(msgspec.Struct, frozen=True):
    values: tuple[str, ...]


LIVENESS = AnalysisKey("liveness", 1, Live)

Change = Callable[[Draft], None]


@pytest.fixture(scope="module")
def verifier() -> Iterator[TransitionVerifier]:
    """One pool of workers for every gate here."""
    with SolverPool(JOBS) as pool:
        rulebook = open_rulebook(None)
        yield TransitionVerifier(rulebook, open_theorems(rulebook), pool)


@pytest.fixture(scope="module")
def bundle() -> bytes:
    return derive(REQUEST, jobs=JOBS)


@pytest.fixture
def gate(verifier: TransitionVerifier) -> CommitGate:
    return gate_of(verifier)


@pytest.fixture
def model(gate: CommitGate) -> Committed:
    return gate.admit(model_ir(REQUEST))


def gate_of(verifier: TransitionVerifier, *observers: Observer) -> CommitGate:
    session = fingerprint(request_digest(REQUEST), verifier.rulebook.digest)
    return CommitGate(verifier, PassContext(REQUEST, session), observers)


# Passes that do one thing wrong --------------------------------------------------------------------------------------


class Giving(DistributeTransformerTrainingPass):
    """Gives what it was given, one after another, in every run."""

    def __init__(self, *results: object) -> None:
        self.results = cycle(results)

    def run(self, ir: ModelIR, context: PassContext) -> DistributedTaskIR:  # noqa: ARG002  (the protocol's)
        return cast("DistributedTaskIR", next(self.results))


class Doing(DistributeTransformerTrainingPass):
    """Does something to its input, in the run of a number, and then its work."""

    def __init__(self, act: Callable[[ModelIR], None], number: int = 1) -> None:
        self.act, self.number, self.runs = act, number, 0

    def run(self, ir: ModelIR, context: PassContext) -> DistributedTaskIR:
        result = super().run(ir, context)
        self.runs += 1
        if self.runs == self.number:
            self.act(ir)
        return result


class Silent(SolverPool):
    """Workers that never know."""

    def solve(self, batches: Iterable[Batch]) -> list[Answer]:
        return [Answer(Verdict.UNKNOWN, "silent", "no idea") for batch in batches for _ in batch.questions]


def declaring(**changes: object) -> DistributeTransformerTrainingPass:
    """The real pass with other facts."""

    class Other(DistributeTransformerTrainingPass):
        facts: ClassVar[PassFacts] = dataclasses.replace(
            DistributeTransformerTrainingPass.facts, **cast("Any", changes)
        )

    return Other()


def honest(stage: Stage, bundle: bytes) -> Snapshot:
    """The snapshot of a stage in a good derivation."""
    return forged(stage, bundle, lambda _: None)


def forged(stage: Stage, bundle: bytes, change: Change) -> Snapshot:
    """The snapshot of a stage after a change, with its ids and its order restored."""
    draft = Draft(bundle)
    change(draft)
    draft.seal()
    return decode_snapshot(stage, draft.snapshot(stage))


def decode_snapshot(stage: Stage, plain: object) -> Snapshot:
    kinds: dict[Stage, type[Snapshot]] = {
        MODEL: ModelIR,
        DISTRIBUTED: DistributedTaskIR,
        PORTABLE: PortablePlanIR,
    }
    return decode(encode(plain), kinds[stage])


def rename(ir: msgspec.Struct) -> None:
    """Change a frozen structure by force, as only a pass without manners does."""
    facts = cast("ModelIR", ir).facts
    msgspec.structs.force_setattr(facts, "name", facts.name + " too")


def refused(gate: CommitGate, derivation_pass: DistributeTransformerTrainingPass, source: Committed) -> GateError:
    """The error with which the gate refuses a pass. It names the pass."""
    with pytest.raises(GateError) as caught:
        gate.commit(derivation_pass, source)
    assert caught.value.message.startswith(f"{NAME}: step")
    return caught.value


# The steps ----------------------------------------------------------------------------------------------------------


def test_the_honest_passes_are_committed(gate: CommitGate, model: Committed, bundle: bytes) -> None:
    distributed = gate.commit(DistributeTransformerTrainingPass(), model)
    plan = gate.commit(PlanTransformerTrainingPass(), distributed)
    assert distributed.snapshot == honest(DISTRIBUTED, bundle)
    assert plan.snapshot == honest(PORTABLE, bundle)
    assert plan.ancestors == (model.snapshot, distributed.snapshot)
    assert plan.digest == snapshot_digest(plan.snapshot)


def _snapshots_of(branch: Branch) -> tuple[Any, ...]:
    bundle = read_bundle(derive(STEPS, jobs=JOBS))
    return tuple(each.snapshot for each in bundle.stages if each.branch in {Branch.MAIN, branch})


@pytest.mark.parametrize("branch", [Branch.PREFILL, Branch.FINAL_DECODE])
def test_the_honest_passes_of_inference_are_committed(branch: Branch, verifier: TransitionVerifier) -> None:
    session = fingerprint(request_digest(STEPS), verifier.rulebook.digest)
    gate = CommitGate(verifier, PassContext(STEPS, session, branch))
    distributed = gate.commit(DistributeTransformerInferencePass(), gate.admit(model_ir(STEPS)))
    plan = gate.commit(PlanTransformerInferencePass(), distributed)
    assert (*plan.ancestors, plan.snapshot) == _snapshots_of(branch)
    assert plan.contract == contract_of(PlanTransformerInferencePass.facts, verifier.rulebook, Workload.INFERENCE)


@pytest.mark.parametrize("branch", [Branch.PREFILL, Branch.FINAL_DECODE])
def test_what_the_other_branch_gives_is_refused(branch: Branch, verifier: TransitionVerifier) -> None:
    """Each step has its own numbers: a pass that computes those of the other step is stopped at the first claim."""
    other = Branch.FINAL_DECODE if branch is Branch.PREFILL else Branch.PREFILL
    session = fingerprint(request_digest(STEPS), verifier.rulebook.digest)

    class Elsewhere(DistributeTransformerInferencePass):
        def run(self, ir: ModelIR, context: PassContext) -> DistributedTaskIR:
            return super().run(ir, dataclasses.replace(context, branch=other))

    gate = CommitGate(verifier, PassContext(STEPS, session, branch))
    with pytest.raises(GateError, match=r"^DistributeTransformerInferencePass: steps 9 to 12, claim "):
        gate.commit(Elsewhere(), gate.admit(model_ir(STEPS)))


def test_a_training_pass_derives_nothing_of_a_step(verifier: TransitionVerifier) -> None:
    session = fingerprint(request_digest(STEPS), verifier.rulebook.digest)
    gate = CommitGate(verifier, PassContext(STEPS, session, Branch.PREFILL))
    with pytest.raises(BlueprintError):
        gate.commit(DistributeTransformerTrainingPass(), gate.admit(model_ir(STEPS)))


def test_step_1_refuses_a_snapshot_of_another_stage(gate: CommitGate, model: Committed) -> None:
    with pytest.raises(GateError, match=r"^PlanTransformerTrainingPass: step 1, .*distributed"):
        gate.commit(PlanTransformerTrainingPass(), model)


def test_step_1_refuses_a_snapshot_of_another_session(verifier: TransitionVerifier, model: Committed) -> None:
    elsewhere = CommitGate(verifier, PassContext(REQUEST, "0" * 64))
    error = refused(elsewhere, DistributeTransformerTrainingPass(), model)
    assert "step 1" in error.message
    assert "session" in error.message


def test_step_2_refuses_a_missing_binding(gate: CommitGate, model: Committed) -> None:
    error = refused(gate, declaring(bindings=("model", "weather")), model)
    assert "step 2" in error.message
    assert "weather" in error.message


def test_step_3_refuses_an_analysis_that_is_not_present(gate: CommitGate, model: Committed) -> None:
    error = refused(gate, declaring(requires=(LIVENESS,)), model)
    assert "step 3" in error.message
    assert "liveness" in error.message


def test_step_1_refuses_an_input_that_was_broken_since(gate: CommitGate) -> None:
    source = gate.admit(copy.deepcopy(model_ir(REQUEST)))
    operations = cast("ModelIR", source.snapshot).operations
    msgspec.structs.force_setattr(source.snapshot, "operations", operations[::-1])
    assert "step 1" in refused(gate, DistributeTransformerTrainingPass(), source).message


def test_step_4_refuses_an_input_with_a_structural_fault(
    gate: CommitGate, model: Committed, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = Diagnostic(code="structure.order", message="not in order", path="x")
    monkeypatch.setattr("blueprint.gate.structural_faults", lambda _: [fault])
    error = refused(gate, DistributeTransformerTrainingPass(), model)
    assert "step 4" in error.message
    assert error.code == "structure.order"


@pytest.mark.parametrize("fault", [ValueError("no"), KeyError("x"), RecursionError(), MemoryError(), AssertionError()])
def test_step_5_refuses_a_pass_that_breaks_down(gate: CommitGate, model: Committed, fault: Exception) -> None:
    def fail(_: ModelIR) -> None:
        raise fault

    error = refused(gate, Doing(fail), model)
    assert "step 5" in error.message
    assert type(fault).__name__ in error.message
    assert error.__cause__ is fault


def test_step_5_lets_a_named_refusal_through(gate: CommitGate, model: Committed) -> None:
    def refuse(_: ModelIR) -> None:
        raise DomainError("heads h = 12 is not divisible by 5")

    with pytest.raises(DomainError, match="heads h = 12"):
        gate.commit(Doing(refuse), model)


def test_step_5_lets_an_interruption_through(gate: CommitGate, model: Committed) -> None:
    def interrupt(_: ModelIR) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gate.commit(Doing(interrupt), model)


def test_step_6_refuses_a_pass_that_changes_its_input(gate: CommitGate) -> None:
    source = gate.admit(copy.deepcopy(model_ir(REQUEST)))
    assert "step 6" in refused(gate, Doing(rename), source).message


@pytest.mark.parametrize("result", [None, {}, b"{}", 7, "snapshot", NAME])
def test_step_7_refuses_what_is_no_snapshot(gate: CommitGate, model: Committed, result: object) -> None:
    error = refused(gate, Giving(result), model)
    assert "step 7" in error.message
    assert "the output is no distributed snapshot" in error.message


@pytest.mark.parametrize("stage", [MODEL, PORTABLE])
def test_step_7_refuses_a_snapshot_of_another_stage(
    gate: CommitGate, model: Committed, bundle: bytes, stage: Stage
) -> None:
    error = refused(gate, Giving(honest(stage, bundle)), model)
    assert "step 7" in error.message
    assert "no distributed snapshot" in error.message


def test_step_7_refuses_a_broken_structure(gate: CommitGate, model: Committed, bundle: bytes) -> None:
    good = cast("DistributedTaskIR", honest(DISTRIBUTED, bundle))
    error = refused(gate, Giving(msgspec.structs.replace(good, tasks=good.tasks[::-1])), model)
    assert "step 7" in error.message
    assert error.code == "structure.order"
    assert error.path


def test_step_8_refuses_another_parent(gate: CommitGate, model: Committed, bundle: bytes) -> None:
    draft = Draft(bundle)
    # As a snapshot of another model: every id is right for that parent.
    draft.data["request"]["workload"]["batch"] = 2
    draft.seal()
    error = refused(gate, Giving(decode_snapshot(DISTRIBUTED, draft.snapshot(DISTRIBUTED))), model)
    assert "step 8" in error.message


def lineage_lost(draft: Draft) -> None:
    draft.entity(DISTRIBUTED, "tasks", "scores.forward")["lineage"]["sources"] = []


def lineage_dangling(draft: Draft) -> None:
    draft.entity(DISTRIBUTED, "tasks", "scores.forward")["lineage"]["sources"] = [new_id("node", "elsewhere")]


def lineage_of_another_kind(draft: Draft) -> None:
    draft.entity(DISTRIBUTED, "tasks", "scores.forward")["lineage"]["kind"] = "generated"


def lineage_undeclared(draft: Draft) -> None:
    draft.entity(DISTRIBUTED, "tasks", "scores.forward")["lineage"]["transform"] = "planning.task"


def source_value_of_another(draft: Draft) -> None:
    value = draft.entity(DISTRIBUTED, "values", "scores.forward")
    value["source_value"] = draft.entity(MODEL, "values", "softmax")["id"]


def task_missing(draft: Draft) -> None:
    snapshot, lost = draft.snapshot(DISTRIBUTED), draft.entity(DISTRIBUTED, "tasks", "optimizer")
    snapshot["tasks"] = without(snapshot["tasks"], "optimizer")
    snapshot["values"] = [each for each in snapshot["values"] if each["id"] not in lost["outputs"]]
    snapshot["outputs"] = [each for each in snapshot["outputs"] if each not in lost["outputs"]]


def task_invented(draft: Draft) -> None:
    real = draft.entity(DISTRIBUTED, "tasks", "scores.forward")
    draft.entities(DISTRIBUTED, "tasks").append(
        copied(real, id=new_id("task", "second"), name="scores.second", outputs=[])
    )


def work_wrong(draft: Draft) -> None:
    draft.entity(DISTRIBUTED, "tasks", "scores.forward")["work"]["operations"] += 1


def data_flow_wrong(draft: Draft) -> None:
    draft.entity(DISTRIBUTED, "tasks", "scores.forward")["inputs"].reverse()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lineage_lost, "demands no target of these sources"),
        (lineage_dangling, "not in the parent snapshot"),
        (lineage_of_another_kind, "kind is generated, the rule says lowered"),
        (lineage_undeclared, "no rule planning.task at this boundary"),
        (source_value_of_another, "source_value differs"),
        (task_missing, "demands this target"),
        (task_invented, "demands no target of this name"),
        (work_wrong, "claim exact_work of rule training.attention_matmul is refuted"),
        (data_flow_wrong, "claim data_flow of rule training.attention_matmul is refuted"),
    ],
)
def test_steps_9_to_11_refuse_what_the_rules_do_not_make(
    gate: CommitGate, model: Committed, bundle: bytes, change: Change, words: str
) -> None:
    error = refused(gate, Giving(forged(DISTRIBUTED, bundle, change)), model)
    assert "steps 9 to 12" in error.message
    assert words in error.message
    assert error.code == "gate.refuted"


def test_step_12_refuses_by_a_law_alone(verifier: TransitionVerifier, bundle: bytes) -> None:
    """Under rules that claim no work at all, the laws still see that a sum is wrong."""

    def without_work(rule: object) -> object:
        if not isinstance(rule, PassRule):
            return rule
        kept = tuple(claim for claim in rule.preserves if claim is not Claim.EXACT_WORK)
        return dataclasses.replace(rule, preserves=kept)

    rulebook = dataclasses.replace(
        verifier.rulebook, rules=tuple(cast("Any", without_work(rule)) for rule in verifier.rulebook.rules)
    )
    lax = gate_of(TransitionVerifier(rulebook, verifier.theorems, verifier.pool))
    error = refused(lax, Giving(forged(DISTRIBUTED, bundle, work_wrong)), lax.admit(model_ir(REQUEST)))
    assert "steps 9 to 12" in error.message
    assert "law attention-matmul" in error.message


def lax_gate(verifier: TransitionVerifier, *unclaimed: Claim, laws: bool = True) -> CommitGate:
    """A gate under rules that leave these claims out, and all laws but the projections too if asked."""

    def lax(rule: Any) -> Any:
        kept = rule.laws if laws else tuple(law for law in rule.laws if isinstance(law, ProjectionLaw))
        if isinstance(rule, BoundaryRule):
            claims = tuple(claim for claim in rule.claims if claim not in unclaimed)
            return dataclasses.replace(rule, claims=claims, laws=kept)
        preserved = tuple(claim for claim in rule.preserves if claim not in unclaimed)
        introduced = tuple(claim for claim in rule.introduces if claim not in unclaimed)
        return dataclasses.replace(rule, preserves=preserved, introduces=introduced, laws=kept)

    rules = tuple(lax(rule) if isinstance(rule, PassRule | BoundaryRule) else rule for rule in verifier.rulebook.rules)
    rulebook = dataclasses.replace(verifier.rulebook, rules=rules)
    return gate_of(TransitionVerifier(rulebook, verifier.theorems, verifier.pool))


class Planned(PlanTransformerTrainingPass):
    """Gives a plan that was made elsewhere."""

    def __init__(self, plan: Snapshot) -> None:
        self.plan = plan

    def run(self, ir: DistributedTaskIR, context: PassContext) -> PortablePlanIR:  # noqa: ARG002  (the protocol's)
        return cast("PortablePlanIR", self.plan)


@pytest.mark.parametrize("fact", ["parameters", "weights", "gradients", "optimizer", "stored", "working", "checkpoint"])
@pytest.mark.parametrize("asked", ["claim memory", "law "])
def test_claim_and_law_each_see_a_wrong_memory_fact_alone(
    asked: str, fact: str, verifier: TransitionVerifier, bundle: bytes
) -> None:
    """The claim adds the values of the snapshot up, the law is the closed form: either is enough."""
    lax = lax_gate(verifier, Claim.MEMORY) if asked == "law " else lax_gate(verifier, laws=False)
    source = lax.commit(DistributeTransformerTrainingPass(), lax.admit(model_ir(REQUEST)))

    def more(draft: Draft) -> None:
        draft.snapshot(PORTABLE)["memory"][fact] += 1

    with pytest.raises(GateError, match=rf"steps 9 to 12, {asked}") as caught:
        lax.commit(Planned(forged(PORTABLE, bundle, more)), source)
    assert caught.value.code == "gate.refuted"
    lax.commit(Planned(honest(PORTABLE, bundle)), source)


@pytest.mark.parametrize(
    ("unclaimed", "words"),
    [
        ((Claim.EXACT_WORK, Claim.OPERAND_TRAFFIC), "law total-forward"),
        ((Claim.EXACT_WORK,), "claim operand_traffic"),
        ((Claim.OPERAND_TRAFFIC,), "claim exact_work"),
    ],
)
def test_moved_bytes_are_seen_by_each_text_alone(
    unclaimed: tuple[Claim, ...], words: str, verifier: TransitionVerifier, bundle: bytes
) -> None:
    lax = lax_gate(verifier, *unclaimed)

    def moved(draft: Draft) -> None:
        work = draft.entity(DISTRIBUTED, "tasks", "scores.forward")["work"]
        work["read_bytes"] -= 64
        work["write_bytes"] += 64

    error = refused(lax, Giving(forged(DISTRIBUTED, bundle, moved)), lax.admit(model_ir(REQUEST)))
    assert words in error.message


def test_bytes_moved_between_tasks_are_seen_by_operand_traffic_alone(
    verifier: TransitionVerifier, bundle: bytes
) -> None:
    """No sum is wrong, and nothing else claims the bytes of a single task here."""
    lax = lax_gate(verifier, Claim.EXACT_WORK)

    def moved(draft: Draft) -> None:
        for name, change in (("query_projection.forward", -64), ("key_projection.forward", 64)):
            draft.entity(DISTRIBUTED, "tasks", name)["work"]["read_bytes"] += change

    error = refused(lax, Giving(forged(DISTRIBUTED, bundle, moved)), lax.admit(model_ir(REQUEST)))
    assert "claim operand_traffic of rule training.qkv_projection is refuted" in error.message


def test_steps_9_to_12_refuse_what_is_not_established(verifier: TransitionVerifier) -> None:
    """A solver that does not know: that is not success, and not yet a refutation."""
    silent = gate_of(TransitionVerifier(verifier.rulebook, verifier.theorems, Silent(1)))
    error = refused(silent, DistributeTransformerTrainingPass(), silent.admit(model_ir(REQUEST)))
    assert "steps 9 to 12" in error.message
    assert error.code == "gate.not_established"


def test_step_13_refuses_a_pass_that_gives_two_results(gate: CommitGate, model: Committed, bundle: bytes) -> None:
    good, other = honest(DISTRIBUTED, bundle), forged(DISTRIBUTED, bundle, work_wrong)
    error = refused(gate, Giving(good, other), model)
    assert "step 13" in error.message
    assert "steps 9 to 12" in refused(gate, Giving(other, good), model).message


def test_step_13_refuses_a_pass_that_breaks_down_the_second_time(gate: CommitGate, model: Committed) -> None:
    def fail(_: ModelIR) -> None:
        raise ValueError

    assert "failed with ValueError" in refused(gate, Doing(fail, number=2), model).message


def test_step_14_records_what_was_established(gate: CommitGate, model: Committed) -> None:
    done = gate.commit(DistributeTransformerTrainingPass(), model)
    report, recorded = done.report, done.recorded
    assert report is not None
    assert recorded is not None
    assert done.contract == contract_of(DistributeTransformerTrainingPass.facts, gate.rulebook, Workload.TRAINING)
    claims = [claim for relation in report.relations for claim in relation.claims]
    assert {claim.status for claim in claims} == {Status.PROVED}
    assert sum(recorded.claims.values()) == len(claims) > 0
    assert [law.status for law in recorded.laws] == [law.status.value for law in report.laws]
    assert report.coverage.exact
    assert recorded.relation_verified
    assert recorded.canonical_conformant


def test_step_15_lets_an_observer_reject(verifier: TransitionVerifier) -> None:
    seen: list[str] = []

    def watch(candidate: Candidate) -> None:
        seen.append(candidate.digest)

    def reject(_: Candidate) -> None:
        raise RuntimeError("not on a Friday")

    gate = gate_of(verifier, watch, reject, watch)
    error = refused(gate, DistributeTransformerTrainingPass(), gate.admit(model_ir(REQUEST)))
    assert "step 15" in error.message
    assert "rejected" in error.message
    assert isinstance(error.__cause__, RuntimeError)
    assert len(seen) == 1, "nobody is asked after a rejection"


def test_step_15_refuses_an_observer_that_changes_the_snapshot(verifier: TransitionVerifier) -> None:
    def meddle(candidate: Candidate) -> None:
        work = cast("DistributedTaskIR", candidate.snapshot).tasks[0].work
        msgspec.structs.force_setattr(work, "operations", 1)

    gate = gate_of(verifier, meddle)
    error = refused(gate, DistributeTransformerTrainingPass(), gate.admit(model_ir(REQUEST)))
    assert "step 15" in error.message
    assert "changed" in error.message


def test_step_15_shows_observers_only_what_passed_every_other_step(verifier: TransitionVerifier, bundle: bytes) -> None:
    seen: list[Candidate] = []
    gate = gate_of(verifier, seen.append)
    model = gate.admit(model_ir(REQUEST))
    good, false = honest(DISTRIBUTED, bundle), forged(DISTRIBUTED, bundle, work_wrong)
    for refusable in (Giving(false), Giving(good, false), Giving(None)):
        refused(gate, refusable, model)
    assert seen == []
    done = gate.commit(DistributeTransformerTrainingPass(), model)
    assert [(each.snapshot, each.digest, each.report) for each in seen] == [(done.snapshot, done.digest, done.report)]


def test_step_16_publishes_nothing_of_a_chain_that_fails(verifier: TransitionVerifier, bundle: bytes) -> None:
    """The first pass is fine, the second is not: no trace comes out, and the same gate still works."""

    class Planning(PlanTransformerTrainingPass):
        def run(self, ir: DistributedTaskIR, context: PassContext) -> PortablePlanIR:
            good = super().run(ir, context)
            return msgspec.structs.replace(good, objectives=good.objectives[:1])

    gate = gate_of(verifier)
    published = []
    with pytest.raises(GateError, match=r"^PlanTransformerTrainingPass: steps 9 to 12, .*objectives"):
        published.append(PassManager(gate, (DistributeTransformerTrainingPass(), Planning())).run(model_ir(REQUEST)))
    assert published == []
    trace = PassManager(gate, passes_for(REQUEST)).run(model_ir(REQUEST))
    assert [each.snapshot for each in trace.committed] == [honest(s, bundle) for s in (MODEL, DISTRIBUTED, PORTABLE)]


# What stands before the steps ----------------------------------------------------------------------------------------


def test_a_broken_model_is_not_admitted(gate: CommitGate) -> None:
    model = model_ir(REQUEST)
    with pytest.raises(GateError, match="front end") as caught:
        gate.admit(msgspec.structs.replace(model, operations=model.operations[::-1]))
    assert caught.value.code == "structure.order"


def test_only_the_gate_makes_a_committed_snapshot(model: Committed) -> None:
    fields: dict[str, Any] = {each.name: getattr(model, each.name) for each in dataclasses.fields(model)}
    for seal in (None, object(), True, "seal"):
        with pytest.raises(GateError, match="only the gate"):
            Committed(**{**fields, "seal": seal})
    with pytest.raises(TypeError):
        Committed(**{name: value for name, value in fields.items() if name != "seal"})


def test_a_committed_snapshot_does_not_change(model: Committed) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.digest = "0" * 64  # type: ignore[misc]
    with pytest.raises(AttributeError):
        model.snapshot.header.version = 2  # type: ignore[misc]


@pytest.mark.parametrize(
    "passes",
    [
        (PlanTransformerTrainingPass(), DistributeTransformerTrainingPass()),
        (DistributeTransformerTrainingPass(), DistributeTransformerTrainingPass()),
        (DistributeTransformerTrainingPass(), PlanTransformerTrainingPass(), PlanTransformerTrainingPass()),
    ],
    ids=["reversed", "repeated", "one too many"],
)
def test_a_manager_refuses_passes_that_do_not_fit(gate: CommitGate, passes: tuple[Any, ...]) -> None:
    with pytest.raises(ContractError, match="does not take what"):
        PassManager(gate, passes)


def test_a_manager_starts_at_the_model(gate: CommitGate) -> None:
    with pytest.raises(GateError, match="step 1"):
        PassManager(gate, (PlanTransformerTrainingPass(),)).run(model_ir(REQUEST))


def test_a_contract_without_rules_is_refused(gate: CommitGate, model: Committed) -> None:
    for changes in ({"boundary": (MODEL, PORTABLE)}, {"normal_form": ""}):
        promising_nothing = declaring(**changes)
        with pytest.raises(ContractError, match=rf"^{NAME}: .*needs rules and a normal form"):
            contract_of(promising_nothing.facts, gate.rulebook, Workload.TRAINING)
        with pytest.raises(ContractError, match=NAME):
            gate.commit(promising_nothing, model)


def test_a_pass_within_a_stage_has_no_way_past_the_claims(gate: CommitGate, model: Committed) -> None:
    class Rewriting(DistributeTransformerTrainingPass):
        facts: ClassVar[PassFacts] = dataclasses.replace(
            DistributeTransformerTrainingPass.facts, boundary=(MODEL, MODEL)
        )

        def run(self, ir: Any, context: PassContext) -> Any:  # noqa: ARG002  (the protocol's)
            return msgspec.structs.replace(ir, header=msgspec.structs.replace(ir.header, parent=model.digest))

    with pytest.raises(BlueprintError):
        gate.commit(Rewriting(), model)


# What a pass or a caller without manners tries ------------------------------------------------------------------------


def test_a_source_that_is_not_committed_is_refused(gate: CommitGate, bundle: bytes) -> None:
    false = forged(DISTRIBUTED, bundle, work_moved)
    forgery = SimpleNamespace(snapshot=false, digest=snapshot_digest(false), ancestors=(honest(MODEL, bundle),))
    with pytest.raises(GateError, match="step 1"):
        gate.commit(PlanTransformerTrainingPass(), cast("Committed", forgery))


def work_moved(draft: Draft) -> None:
    for name, change in (("query_projection.forward", -1), ("key_projection.forward", 1)):
        draft.entity(DISTRIBUTED, "tasks", name)["work"]["operations"] += change


def test_a_committed_snapshot_cannot_be_exchanged(model: Committed, bundle: bytes) -> None:
    other = forged(MODEL, bundle, lambda draft: draft.snapshot(MODEL)["facts"].update(name="other"))
    with pytest.raises(GateError, match="only the gate"):
        dataclasses.replace(model, snapshot=other, digest=snapshot_digest(other))


def test_step_6_sees_the_second_run_too(gate: CommitGate) -> None:
    source = gate.admit(copy.deepcopy(model_ir(REQUEST)))
    with pytest.raises(GateError):
        gate.commit(Doing(rename, number=2), source)


def test_a_pass_cannot_change_its_result_after_the_checks(gate: CommitGate, model: Committed) -> None:
    class Aliasing(DistributeTransformerTrainingPass):
        """Spoils in its second run what it gave in the first, and gives the same again."""

        given: DistributedTaskIR | None = None

        def run(self, ir: ModelIR, context: PassContext) -> DistributedTaskIR:
            if self.given is None:
                self.given = super().run(ir, context)
            else:
                msgspec.structs.force_setattr(self.given.tasks[0].work, "operations", 1)
            return self.given

    with pytest.raises(GateError):
        gate.commit(Aliasing(), model)


@pytest.mark.parametrize("wrong", ["facts", "parent"])
def test_a_model_that_is_not_the_requests_is_not_admitted(gate: CommitGate, bundle: bytes, wrong: str) -> None:
    draft = Draft(bundle)
    if wrong == "facts":
        draft.snapshot(MODEL)["facts"]["layers"] = 13
    else:
        draft.data["request"]["strategy"]["data"] = 7
    draft.seal()
    with pytest.raises(GateError):
        gate.admit(cast("ModelIR", decode_snapshot(MODEL, draft.snapshot(MODEL))))


def test_a_snapshot_of_another_version_is_refused(gate: CommitGate, model: Committed, bundle: bytes) -> None:
    newer = forged(DISTRIBUTED, bundle, lambda draft: draft.snapshot(DISTRIBUTED)["header"].update(version=2))
    with pytest.raises(GateError):
        gate.commit(Giving(newer), model)


@pytest.mark.parametrize("field", ["ancestors", "derivation_pass", "contract", "report", "recorded", "session"])
def test_what_a_commit_says_cannot_be_exchanged(gate: CommitGate, model: Committed, bundle: bytes, field: str) -> None:
    done = gate.commit(DistributeTransformerTrainingPass(), model)
    other = forged(MODEL, bundle, lambda draft: draft.snapshot(MODEL)["facts"].update(name="other"))
    changes: dict[str, Any] = {field: {"ancestors": (other,), "session": "0" * 64}.get(field)}
    with pytest.raises(GateError, match="only the gate"):
        dataclasses.replace(done, **changes)


def test_step_7_refuses_an_output_that_contains_itself(gate: CommitGate, model: Committed) -> None:
    endless: list[object] = []
    endless.append(endless)
    refused(gate, Giving(endless), model)


def test_step_6_refuses_a_pass_that_changes_the_bindings(verifier: TransitionVerifier) -> None:
    request = copy.deepcopy(REQUEST)
    gate = CommitGate(verifier, PassContext(request, gate_of(verifier).context.fingerprint))

    def widen(_: ModelIR) -> None:
        msgspec.structs.force_setattr(request.strategy, "shard_checkpoint", True)  # noqa: FBT003  (a field's value)

    refused(gate, Doing(widen), gate.admit(model_ir(request)))


@pytest.mark.parametrize("what", ["source", "report"])
def test_step_15_refuses_an_observer_that_changes_anything_else(verifier: TransitionVerifier, what: str) -> None:
    model = copy.deepcopy(model_ir(REQUEST))

    def meddle(candidate: Candidate) -> None:
        if what == "source":
            rename(model)
        else:
            msgspec.structs.force_setattr(candidate.report, "derivation_pass", "another")

    gate = gate_of(verifier, meddle)
    refused(gate, DistributeTransformerTrainingPass(), gate.admit(model))


@pytest.mark.parametrize("what", ["ancestor", "report"])
def test_step_1_refuses_a_source_that_was_changed_since(gate: CommitGate, what: str) -> None:
    model = gate.admit(copy.deepcopy(model_ir(REQUEST)))
    source = gate.commit(DistributeTransformerTrainingPass(), model)
    if what == "ancestor":
        rename(model.snapshot)
    else:
        msgspec.structs.force_setattr(cast("TransitionReport", source.report), "derivation_pass", "another")
    with pytest.raises(GateError):
        gate.commit(PlanTransformerTrainingPass(), source)
