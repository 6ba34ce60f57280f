"""The steps of an examination, each by itself: what it finds, where, and whether that refutes."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from itertools import pairwise
from typing import Any, cast

import msgspec
import pytest

from blueprint.bindings import binding_words
from blueprint.bundle import Bundle, Overlay, OverlayEntry, fingerprint, read_bundle, snapshot_digest
from blueprint.case import Workload
from blueprint.codec import encode
from blueprint.derivation import derive
from blueprint.errors import BlueprintError, DomainError, GateFailedError, UsageError
from blueprint.examine import Chain, _Examination, examine
from blueprint.extension import PLAIN, Extension, ExtensionPass
from blueprint.frontend.block import request_digest
from blueprint.frontend.request import check_domain, inference_request, training_request
from blueprint.ir.common import Branch, LineageKind, Stage
from blueprint.ir.request import Request, TargetKind
from blueprint.outcome import Outcome
from blueprint.verifier import Settled, TransitionVerifier
from blueprint.workload.extension import ElementwiseOperation
from tests.gate.small import BOOK, THEOREMS, TINY, Instant, distributing, looking, planning

REQUEST = inference_request(TINY, batch=2, prompt=6, context=9, tensor=1, target=TargetKind.QUEUE)
NOTHING = Settled((), (), ())
ZEROS = "0" * 64


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


# The whole ----------------------------------------------------------------------------------------------------------


def test_a_sound_bundle_is_verified_and_the_report_names_its_bytes(bundle: Bundle) -> None:
    data = encode(bundle)
    words = binding_words(bundle)
    verifier = TransitionVerifier(BOOK, THEOREMS, Instant())
    run = _Examination(bundle, sha256(data).hexdigest(), verifier, PLAIN, words, replay=True, shipped=True)
    report = run.run({"batch": "2", "target": "queue"})
    assert (report.verdict, report.diagnostics) == (Outcome.VERIFIED, ())
    assert report.tool.shipped
    assert report.subject.bundle_sha256 == sha256(data).hexdigest()
    assert dict(report.subject.bindings) == words
    assert [each.unavailable for each in report.subject.stages if each.stage != "machine"] == [""] * 7
    assert {each.unavailable for each in report.subject.stages} == {"", "the request does not ask for instructions"}


def test_whatever_is_wrong_is_in_one_report_and_not_the_first_alone(bundle: Bundle) -> None:
    """A fault for every step, each of its own place."""
    replace = msgspec.structs.replace
    stages, transitions = [*bundle.stages][:-1], [*bundle.transitions][:-1]
    (task, *rest) = cast("Any", stages[1].snapshot).tasks
    astray = replace(task, lineage=replace(task.lineage, kind=LineageKind.GENERATED))
    stages[1] = replace(stages[1], snapshot=replace(cast("Any", stages[1].snapshot), tasks=(astray, *rest)))
    stages[2] = replace(stages[2], label="another")
    header = replace(stages[5].snapshot.header, version=9)
    stages[5] = replace(stages[5], snapshot=replace(cast("Any", stages[5].snapshot), header=header))
    transitions[4] = replace(transitions[4], source=ZEROS)
    transitions[3] = replace(transitions[3], report=replace(transitions[3].report, relation_verified=False))
    overlay = Overlay(snapshot=ZEROS, provider="", revision="", unit="ps", entries=())
    false = replace(
        bundle, stages=tuple(stages), transitions=tuple(transitions), overlays=(overlay,), request_digest=ZEROS
    )
    run = _Examination(
        false,
        "",
        TransitionVerifier(BOOK, THEOREMS, Instant()),
        PLAIN,
        binding_words(bundle),
        replay=True,
        shipped=False,
    )
    report = run.run({"prompt": "7"})
    assert (report.verdict, report.tool.shipped) == (Outcome.REFUTED, False)
    told = {(each.code, each.path) for each in report.diagnostics}
    wanted = {
        ("digest.request", "request_digest"),
        ("structure.version", "final-decode/portable/header"),
        ("digest.parent", "prefill/portable"),
        ("digest.transition", "transitions[4]"),
        ("stage.label", "stages[2].label"),
        ("lineage.kind", f"prefill/distributed/{task.name}"),
        ("replay", "prefill/distributed"),
        ("report.mismatch", "transitions[3].report"),
        ("overlay.digest", "overlays[0]"),
        ("stage.missing", "final-decode/concrete"),
        ("nothing.established", ""),
        ("expect", "prompt"),
    }
    assert told >= wanted


def test_an_expectation_that_is_not_met_refutes_by_the_binding_s_name(bundle: Bundle) -> None:
    verifier = TransitionVerifier(BOOK, THEOREMS, Instant())
    run = _Examination(bundle, "", verifier, PLAIN, binding_words(bundle), replay=True, shipped=True)
    run.expectations({"batch": "2", "prompt": "7", "target": "slot", "tensor": "1"})
    assert found(run) == [("expect", "prompt", True), ("expect", "target", True)]
    assert [each.message for each in run.findings] == ["prompt is 6, expected 7", "target is queue, expected slot"]


def test_everything_that_is_asked_for_reaches_the_examination(bundle: Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules and their own theorems; the workers, the budget, and whether a third decider is asked."""
    asked: list[object] = []

    class Seen:
        def __init__(self, *given: Any, **flags: bool) -> None:
            decides = given[2]
            asked.append((given[:2], decides.rulebook, decides.theorems, decides.budget, decides.cross_check))
            assert decides.pool is workers
            asked.append((given[3:], flags))

        def run(self, expect: object) -> object:
            return expect

    workers = Instant()

    def pool(jobs: int) -> Instant:
        asked.append(jobs)
        return workers

    def rulebook(rules: object) -> object:
        asked.append(rules)
        return BOOK

    def theorems(*given: object) -> object:
        asked.append(given)
        return THEOREMS

    for name, value in (
        ("SolverPool", pool), ("open_rulebook", rulebook), ("open_theorems", theorems), ("_Examination", Seen),
        ("worker_count", lambda jobs: jobs), ("cross_checker", lambda *, asked: f"cross {asked}"),
    ):  # fmt: skip
        monkeypatch.setattr(f"blueprint.examine.{name}", value)
    words = binding_words(bundle)
    for rules, cross_check, replay in (("mine", True, False), (None, False, True)):
        asked.clear()
        expect = {"batch": "2"}
        options = {"rules": rules, "jobs": 7, "budget": 12, "cross_check": cross_check, "replay": replay}
        assert examine(bundle, "sha", expect=expect, **cast("Any", options)) is cast("Any", expect)
        assert asked == [
            7,
            rules,
            (BOOK, rules),
            ((bundle, "sha"), BOOK, THEOREMS, 12, f"cross {cross_check}"),
            ((PLAIN, words), {"replay": replay, "shipped": rules is None}),
        ]
    with pytest.raises(UsageError, match="no binding 'wheels'"):
        examine(bundle, "sha", expect={"wheels": "4"}, **cast("Any", options))


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


def test_a_model_that_is_not_the_requests_is_found_and_nothing_else_is_asked_of_it(bundle: Bundle) -> None:
    record = bundle.stages[0]
    model = cast("Any", record.snapshot)
    other = msgspec.structs.replace(model, facts=msgspec.structs.replace(model.facts, layers=3))
    stages = (msgspec.structs.replace(record, snapshot=other), *bundle.stages[1:])
    run = examined(msgspec.structs.replace(bundle, stages=stages))
    (step,) = run.steps(run.chains())
    assert (step.derivation_pass, step.branch, step.conformant) == ("frontend", Branch.MAIN, False)
    assert found(run) == [("replay", "model", True)]
    assert "facts.layers is 3, would be 2" in run.findings[0].message
    sound = examined(bundle)
    steps = list(sound.steps(sound.chains()))
    branches = [Branch.MAIN, *[Branch.PREFILL] * 3, *[Branch.FINAL_DECODE] * 3]
    assert [(each.branch, each.conformant) for each in steps] == [(each, True) for each in branches]


# The request and the chains -----------------------------------------------------------------------------------------


def session(bundle: Bundle, revision: str = BOOK.revision, digest: str = BOOK.digest, **changes: str) -> Bundle:
    """The bundle as one of another rulebook, sealed for it; and then other digests."""
    rulebook = msgspec.structs.replace(bundle.rulebook, revision=revision, digest=digest)
    sealed = {"fingerprint": fingerprint(request_digest(bundle.request), digest)}
    return msgspec.structs.replace(bundle, rulebook=rulebook, **{**sealed, **changes})


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({}, []),
        ({"request_digest": ZEROS}, [("digest.request", "request_digest", True)]),
        ({"fingerprint": ZEROS}, [("digest.session", "fingerprint", True)]),
        ({"digest": ZEROS}, [("rulebook.digest", "rulebook.digest", True)]),
        ({"revision": "2031.4"}, [("rulebook.revision", "rulebook.revision", False)]),
        ({"revision": "2031.4", "digest": ZEROS}, [("rulebook.revision", "rulebook.revision", False)]),
        (
            {"revision": "2031.4", "fingerprint": ZEROS},
            [("rulebook.revision", "rulebook.revision", False), ("digest.session", "fingerprint", True)],
        ),
    ],
)
def test_a_session_is_of_its_request_and_rulebook_and_only_another_revision_is_left_open(
    bundle: Bundle, changes: dict[str, str], wanted: list[tuple[str, str, bool]]
) -> None:
    run = examined(session(bundle, **changes))
    run.session()
    assert found(run) == wanted


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
        told = {each.code: each.message for each in run.findings}
        assert "9" in told["structure.version"]


def cut(bundle: Bundle, *positions: int) -> Bundle:
    """The bundle with these stages alone."""
    return msgspec.structs.replace(bundle, stages=tuple(bundle.stages[position] for position in positions))


@pytest.mark.parametrize(
    ("positions", "held", "message"),
    [
        ((0, 1, 2, 3, 4, 5, 6), [(0, 1, 2, 3), (0, 4, 5, 6)], ""),
        ((0, 1, 2), [(0, 1, 2), (0,)], ""),
        ((0, 4, 5), [(0,), (0, 1, 2)], ""),
        ((), [(), ()], ""),
        ((1, 2), [(), ()], "expected stage model here"),
        ((0, 2), [(0,), (0,)], "expected stage distributed prefill or distributed final-decode here"),
        ((0, 4, 1), [(0,), (0, 1)], "expected stage portable final-decode here"),
        ((0, 1, 3), [(0, 1), (0,)], "expected stage portable prefill or distributed final-decode here"),
        ((0, 1, 2, 3, 4, 5, 6, 4), [(0, 1, 2, 3), (0, 4, 5, 6)], "expected no further stage here"),
        ((0, 1, 2, 3, 5), [(0, 1, 2, 3), (0,)], "expected stage distributed final-decode here"),
    ],
)
def test_each_branch_is_followed_as_far_as_its_stages_are_in_order(
    bundle: Bundle, positions: tuple[int, ...], held: list[tuple[int, ...]], message: str
) -> None:
    run = examined(cut(bundle, *positions))
    chains = run.chains()
    assert [each.positions for each in chains] == held
    assert [each.branch for each in chains] == [Branch.PREFILL, Branch.FINAL_DECODE]
    stages = run.bundle.stages
    assert [each.snapshots for each in chains] == [tuple(stages[at].snapshot for at in each) for each in held]
    assert [each.message for each in run.findings if each.code == "stage.order"] == ([message] if message else [])


def test_what_a_branch_does_not_show_is_named_by_branch_and_stage(bundle: Bundle) -> None:
    run = examined(cut(bundle, 0, 1, 2))
    run.completeness(run.chains(), NOTHING)
    missing = ["prefill/concrete", *(f"final-decode/{each}" for each in ("distributed", "portable", "concrete"))]
    wanted = [*(("stage.missing", each, False) for each in missing), ("nothing.established", "", False)]
    assert [each for each in found(run) if each[0] != "stage.adjacency"] == wanted
    assert run.findings[-2].message == "the request asks for this stage, and the bundle does not show it"


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
