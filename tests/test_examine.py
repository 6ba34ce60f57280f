"""The steps of an examination, each by itself: what it finds, where, and whether that refutes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, cast

import msgspec
import pytest

from blueprint.bundle import Bundle, Overlay, OverlayEntry, read_bundle, snapshot_digest
from blueprint.case import Workload
from blueprint.derivation import derive
from blueprint.errors import BlueprintError, DomainError, GateFailedError
from blueprint.examine import Chain, _Examination
from blueprint.extension import PLAIN, Extension, ExtensionPass
from blueprint.frontend.request import check_domain, inference_request, training_request
from blueprint.ir.common import Branch, Stage
from blueprint.ir.request import Request, TargetKind
from blueprint.outcome import Outcome
from blueprint.verifier import Settled, TransitionVerifier
from blueprint.workload.extension import ElementwiseOperation
from tests.gate.small import BOOK, THEOREMS, TINY, Instant, distributing, looking, planning

REQUEST = inference_request(TINY, batch=2, prompt=6, context=9, tensor=1, target=TargetKind.QUEUE)
NOTHING = Settled((), (), ())


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    """Both branches of inference down to a bound plan, as the gate lets them pass."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("blueprint.derivation.SolverPool", lambda _jobs: Instant())
        return read_bundle(derive(REQUEST))


def examined(bundle: Bundle, *, replay: bool = True, extension: Extension = PLAIN) -> _Examination:
    """An examination that has not begun, with a solver that proves everything."""
    verifier = TransitionVerifier(BOOK, THEOREMS, Instant())
    return _Examination(bundle, "", verifier, extension, {}, replay=replay, shipped=True)


def found(run: _Examination) -> list[tuple[str, str, bool]]:
    """Code, place, and whether it refutes, of every finding."""
    return [(each.code, each.path, each.refutes) for each in run.findings]


def asked(run: _Examination) -> list[Any]:
    """The steps of one branch."""
    return list(run.steps_of(run.chains()[0]))


def failing(error: Exception) -> Callable[[], object]:
    def fail() -> object:
        raise error

    return fail


def test_a_step_that_is_sound_finds_nothing_and_a_second_run_of_all_passes_conforms(bundle: Bundle) -> None:
    run = examined(bundle)
    steps = asked(run)
    assert [each.conformant for each in steps] == [True, True, True]
    stages = [stage.value for stage in (Stage.MODEL, Stage.DISTRIBUTED, Stage.PORTABLE, Stage.CONCRETE)]
    assert [each.plan.boundary for each in steps] == list(pairwise(stages))
    assert run.findings == []


# Replay -------------------------------------------------------------------------------------------------------------


def test_replay_that_is_switched_off_leaves_undecided_and_refutes_nothing(bundle: Bundle) -> None:
    run = examined(bundle, replay=False)
    assert [each.conformant for each in asked(run)] == [None, None, None]
    assert found(run) == [
        ("replay.off", f"prefill/{stage}", False) for stage in ("distributed", "portable", "concrete")
    ]
    assert run.verdict(NOTHING) is Outcome.NOT_ESTABLISHED


def test_without_replay_what_was_recorded_of_it_is_taken_as_it_is(bundle: Bundle) -> None:
    run = examined(bundle, replay=False)
    run.recorded(run.verifier.settle(run.steps(run.chains())))
    assert {each.code for each in run.findings} == {"replay.off"}


@pytest.mark.parametrize("branch", [Branch.PREFILL, Branch.FINAL_DECODE])
def test_another_construction_is_found_at_its_stage_with_the_first_difference(bundle: Bundle, branch: Branch) -> None:
    run = examined(bundle)
    chain = next(each for each in run.chains() if each.branch is branch)
    model, distributed, plan, _ = chain.snapshots
    (first, *rest) = cast("Any", plan).tasks
    other = msgspec.structs.replace(
        plan, tasks=(msgspec.structs.replace(first, work=msgspec.structs.replace(first.work, operations=77)), *rest)
    )
    steps = list(run.steps_of(Chain(branch, chain.positions, (model, distributed, other))))
    assert [each.conformant for each in steps] == [True, False]
    assert found(run) == [("replay", f"{branch.value}/portable", True)]
    assert f"{first.name}.work.operations is 77, would be {first.work.operations}" in run.findings[0].message


def test_a_pass_within_a_stage_must_leave_it_as_it_is_when_run_again(bundle: Bundle) -> None:
    """Its place in the chain is that of the stage, and no step of its own."""

    def harm(ir: Any, _: object) -> None:
        name = "operations" if hasattr(ir, "operations") else "tasks"
        msgspec.structs.force_setattr(ir, name, getattr(ir, name)[1:])

    honest = examined(bundle, extension=Extension(passes=(ExtensionPass(looking()),)))
    assert len(asked(honest)) == 3
    assert honest.findings == []
    for stage, path in ((Stage.MODEL, "prefill/model"), (Stage.DISTRIBUTED, "prefill/distributed")):
        harming = looking(harm, boundary=(stage, stage))
        run = examined(bundle, extension=Extension(passes=(ExtensionPass(harming),)))
        assert len(asked(run)) == 3
        assert found(run) == [("replay", path, True)]
        assert "LookingPass does not leave the snapshot as it is when it is run again" in run.findings[0].message


def test_passes_that_run_again_are_told_the_operations_of_the_extension(bundle: Bundle) -> None:
    operation = ElementwiseOperation(
        kind="doubled", source="query_projection", readers=("scores",), workload=Workload.TRAINING, primitive="gelu",
        work=cast("Any", None), keeps_inputs=False, rule="r.r", tensor_rule="r.r",
    )  # fmt: skip
    told: list[object] = []
    passes = tuple(
        ExtensionPass(each(lambda _, context: told.append(context.added))) for each in (looking, distributing, planning)
    )
    asked(examined(bundle, extension=Extension(operations=(operation,), passes=passes)))
    assert told == [(operation,)] * 3


@pytest.mark.parametrize("error", [RuntimeError("x"), TypeError("x"), AttributeError("x"), MemoryError()])
def test_a_pass_that_breaks_down_on_what_is_sound_says_nothing_about_the_bundle(
    bundle: Bundle, error: Exception
) -> None:
    run = examined(bundle)
    assert run.same(failing(error), bundle.stages[0].snapshot, "model") is False
    with pytest.raises(GateFailedError) as caught:
        run.verdict(NOTHING)
    assert caught.value.__cause__ is error
    run.find("structure.order", "not in order")
    assert run.verdict(NOTHING) is Outcome.REFUTED, "where the source is wrong, that is what was broken"


@pytest.mark.parametrize("error", [DomainError("x"), BlueprintError("x"), KeyError("x"), ValueError("x")])
def test_what_cannot_be_made_from_its_source_refutes(bundle: Bundle, error: Exception) -> None:
    run = examined(bundle)
    assert run.same(failing(error), bundle.stages[0].snapshot, "model") is False
    assert found(run) == [("replay", "model", True)]
    assert run.verdict(NOTHING) is Outcome.REFUTED


# The request and the chains -----------------------------------------------------------------------------------------


def test_a_request_outside_the_domain_is_found_in_its_own_words(bundle: Bundle) -> None:
    assert examined(bundle).domain()
    size = 720720 * 10**12
    model = msgspec.structs.replace(TINY, hidden=size, heads=size, key_value_heads=size, feedforward=size)
    strategy = msgspec.structs.replace(REQUEST.strategy, tensor=17)
    outside = msgspec.structs.replace(REQUEST, model=model, strategy=strategy)
    with pytest.raises(DomainError) as caught:
        check_domain(outside)
    run = examined(msgspec.structs.replace(bundle, request=outside))
    assert not run.domain()
    assert found(run) == [("model.domain", "request", True)]
    assert run.findings[0].message == caught.value.message
    assert run.findings[0].message.endswith("it may be 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, ...")


def test_of_a_snapshot_with_a_structural_fault_and_what_follows_no_claim_is_asked(bundle: Bundle) -> None:
    for position, lengths in enumerate(((0, 0), (1, 4), (2, 4), (3, 4), (4, 1), (4, 2), (4, 3))):
        record = bundle.stages[position]
        header = msgspec.structs.replace(record.snapshot.header, version=9)
        snapshot = msgspec.structs.replace(cast("Any", record.snapshot), header=header)
        stages = list(bundle.stages)
        stages[position] = msgspec.structs.replace(record, snapshot=snapshot)
        run = examined(msgspec.structs.replace(bundle, stages=tuple(stages)))
        sound = run.structure(run.chains())
        assert [len(each.snapshots) for each in sound] == [len(each.positions) for each in sound] == list(lengths)
        assert "structure.version" in {each.code for each in run.findings}


@pytest.mark.parametrize(
    ("request_", "count"),
    [
        (training_request(TINY, sequence=8), 3),
        (training_request(TINY, sequence=8, target=TargetKind.QUEUE), 4),
        (training_request(TINY, sequence=8, target=TargetKind.SLOT, emit=True), 5),
        (inference_request(TINY, batch=2, prompt=6, context=9), 5),
        (REQUEST, 7),
        (inference_request(TINY, batch=2, prompt=6, context=9, target=TargetKind.QUEUE, emit=True), 9),
    ],
)
def test_every_transition_of_every_branch_and_the_model_s_own_must_be_established(
    bundle: Bundle, request_: Request, count: int
) -> None:
    assert examined(msgspec.structs.replace(bundle, request=request_)).transitions == count


# Overlays -----------------------------------------------------------------------------------------------------------


def test_every_entity_that_an_overlay_addresses_is_in_its_snapshot(bundle: Bundle) -> None:
    plan, before = (cast("Any", bundle.stages[position].snapshot) for position in (2, 1))
    known, foreign = plan.tasks[0].id, before.tasks[0].id
    for ids, codes in (
        ([], []),
        ([known], []),
        ([foreign], ["overlay.entity"]),
        ([known, foreign], ["overlay.entity"]),
        ([foreign, known], ["overlay.entity"]),
        ([known, known], ["overlay.repeated"]),
    ):
        entries = tuple(OverlayEntry(entity=each, value=1) for each in ids)
        overlay = Overlay(snapshot=snapshot_digest(plan), provider="", revision="", unit="ps", entries=entries)
        run = examined(msgspec.structs.replace(bundle, overlays=(overlay,)))
        run.overlays()
        assert found(run) == [(code, "overlays[0]", True) for code in codes]
