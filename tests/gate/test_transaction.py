"""A commit is a transaction: whatever a pass, an observer or the verifier does, store and chain stay as they are.

Every refusal here goes through `refused`, which sees that the very same store is published afterwards, byte by byte.
"""

from __future__ import annotations

import asyncio
import copy
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, cast

import msgspec
import pytest

from blueprint.bundle import Snapshot, session_seed
from blueprint.case import Workload
from blueprint.codec import encode
from blueprint.discharge import SolverPool
from blueprint.errors import (
    BlueprintError,
    DecidersDisagreeError,
    DomainError,
    GateError,
    GateFailedError,
    NotEstablishedError,
    PassFailedError,
)
from blueprint.frontend.block import model_ir
from blueprint.frontend.request import inference_request
from blueprint.gate import Candidate, CommitGate, Committed, Published
from blueprint.ir.common import Branch
from blueprint.ir.model import ModelIR
from blueprint.passes.protocol import Mutation, PassContext
from blueprint.pipeline import PassManager
from blueprint.verdict import Answer, Verdict
from blueprint.workload.extension import ElementwiseOperation
from blueprint.workload.primitives import PhaseWork, TaskWork
from tests.gate.small import (
    BRANCH,
    DISTRIBUTED,
    MODEL,
    PORTABLE,
    REQUEST,
    TINY,
    Act,
    Distributing,
    Instant,
    Looking,
    Silent,
    contents,
    distributing,
    gate_of,
    image,
    looking,
    nothing,
    planning,
    refused,
    rooted,
    session_of,
)

force = msgspec.structs.force_setattr
RUNS = pytest.mark.parametrize("number", [1, 2], ids=["first run", "second run"])


class Scene(NamedTuple):
    """A gate with a store that is not empty, and what is committed in it."""

    gate: CommitGate
    model: Committed
    distributed: Committed


def scene_of(gate: CommitGate) -> Scene:
    model = rooted(gate)
    return Scene(gate, model, gate.commit(distributing(), model))


@pytest.fixture
def scene() -> Scene:
    return scene_of(gate_of())


@pytest.fixture(scope="module")
def honest() -> tuple[bytes, bytes]:
    """What the honest passes are committed as, wherever and whenever they run."""
    distributed = scene_of(gate_of()).distributed
    return image(distributed), image(gate_of().commit(planning(), distributed))


# What a pass is given ------------------------------------------------------------------------------------------------


def a_header(ir: Any, _context: PassContext) -> None:
    force(ir.header, "version", 2)


def a_list(ir: Any, _context: PassContext) -> None:
    force(ir, "values", ir.values[:-1])


def an_order(ir: Any, _context: PassContext) -> None:
    force(ir, "values", ir.values[::-1])


def a_leaf(ir: Any, _context: PassContext) -> None:
    force(ir.values[-1], "name", "other")


def nonsense(ir: Any, _context: PassContext) -> None:
    force(ir, "values", object())


def a_binding(_ir: object, context: PassContext) -> None:
    force(context.request.strategy, "data", 7)


def a_workload(_ir: object, context: PassContext) -> None:
    force(context.request, "workload", None)


GIVEN = (a_header, a_list, an_order, a_leaf, nonsense, a_binding, a_workload)
"""Changes of what a pass is given itself."""


@RUNS
@pytest.mark.parametrize("change", GIVEN)
def test_an_immutable_pass_that_changes_what_it_is_given_is_refused(
    scene: Scene, honest: tuple[bytes, bytes], change: Act, number: int
) -> None:
    gate, model, distributed = scene
    before = image(model), image(distributed)
    for derivation_pass, source in (
        (distributing(change, number), model),
        (planning(change, number), distributed),
        (looking(change, number), model),
    ):
        error = refused(gate, derivation_pass, source, GateError)
        assert error.message == f"{derivation_pass.facts.name}: step 6, the pass changed its input"
    assert (image(model), image(distributed)) == before, "what is committed was out of its reach"
    assert (image(gate.commit(distributing(), model)), image(gate.commit(planning(), distributed))) == honest


@pytest.mark.parametrize("change", GIVEN)
def test_a_transactional_pass_may_change_its_own_copy(scene: Scene, honest: tuple[bytes, bytes], change: Act) -> None:
    gate, model, distributed = scene
    before = image(model), image(distributed)
    seen: list[bytes] = []

    def first_seen(ir: Any, context: PassContext) -> None:
        seen.append(encode([ir, context.request]))
        change(ir, context)

    for derivation_pass, source, good in (
        (distributing(first_seen, mutation=Mutation.TRANSACTIONAL), model, honest[0]),
        (planning(first_seen, mutation=Mutation.TRANSACTIONAL), distributed, honest[1]),
    ):
        done = gate.commit(derivation_pass, source)
        assert done.contract is not None
        assert done.contract.mutation == "transactional"
        contract = msgspec.structs.replace(done.contract, mutation="immutable")
        assert image_with(done, contract) == good, "nothing but its contract tells it from the honest one"
    assert (image(model), image(distributed)) == before
    assert [seen[0], seen[2]] == [seen[1], seen[3]], "a second run gets what the first one got"


def image_with(committed: Committed, contract: object) -> bytes:
    """The image of a committed value that has another contract."""
    fields = dataclasses.fields(committed)
    values = {each.name: getattr(committed, each.name) for each in fields} | {"contract": contract}
    return encode([value for name, value in values.items() if name != "seal"])


# What a pass reaches by other ways -----------------------------------------------------------------------------------

Harm = Callable[[Scene], object]


def source_header(scene: Scene) -> None:
    force(scene.distributed.snapshot.header, "parent", "0" * 64)


def source_list(scene: Scene) -> None:
    snapshot = cast("Any", scene.distributed.snapshot)
    force(snapshot, "tasks", snapshot.tasks[:-1])


def source_leaf(scene: Scene) -> None:
    force(cast("Any", scene.distributed.snapshot).tasks[-1].work, "operations", 1)


def ancestor_leaf(scene: Scene) -> None:
    force(cast("Any", scene.model.snapshot).facts, "name", "other")


def ancestor_gone(scene: Scene) -> None:
    object.__setattr__(scene.distributed, "ancestors", ())


def report_row(scene: Scene) -> None:
    force(cast("Any", scene.distributed.report).relations[0].claims[0], "kind", "other")


def record(scene: Scene) -> None:
    cast("Any", scene.distributed.recorded).claims.clear()


def contract_word(scene: Scene) -> None:
    force(cast("Any", scene.distributed.contract), "normal_form", "whatever")


def digest_exchanged(scene: Scene) -> None:
    object.__setattr__(scene.distributed, "digest", "0" * 64)


def session_exchanged(scene: Scene) -> None:
    object.__setattr__(scene.distributed, "session", "0" * 64)


def seal_broken(scene: Scene) -> None:
    scene.distributed.seal.of = "0" * 64


CHAIN = (
    source_header,
    source_list,
    source_leaf,
    ancestor_leaf,
    ancestor_gone,
    report_row,
    record,
    contract_word,
    digest_exchanged,
    session_exchanged,
    seal_broken,
)
"""Changes of what is committed, by a pass that holds it."""


@RUNS
@pytest.mark.parametrize("model", list(Mutation), ids=lambda model: model.value)
@pytest.mark.parametrize("harm", CHAIN)
def test_a_pass_that_changes_what_is_committed_is_refused_whatever_it_declares(
    scene: Scene, harm: Harm, model: Mutation, number: int
) -> None:
    """A change of the objects themselves cannot be undone, so nothing is ever built on them again."""
    gate, store = scene.gate, scene.gate.published
    before = contents(store)
    act = lambda _ir, _context: harm(scene)  # noqa: E731  (what the pass does)
    with pytest.raises(GateError, match=r"^PlanTransformerInferencePass: step 6, ") as caught:
        gate.commit(planning(act, number, mutation=model), scene.distributed)
    assert caught.value.origin == "PlanTransformerInferencePass, step 6"
    assert gate.published is store
    assert len(store.checkpoints) == len(before[0]) == 1
    with pytest.raises(GateError, match="step 1, the input"):
        gate.commit(planning(), scene.distributed)
    assert gate.published is store


def test_a_change_of_another_chain_is_found_when_it_is_used(scene: Scene) -> None:
    gate = scene.gate
    other = gate.commit(distributing(), rooted(gate))
    gate.commit(planning(lambda *_: source_leaf(scene)), other)
    assert "step 1" in refused(gate, planning(), scene.distributed, GateError).message
    gate.commit(planning(), other)


def request_changed(scene: Scene) -> None:
    force(scene.gate.context.request.strategy, "data", 7)


def fingerprint_changed(scene: Scene) -> None:
    object.__setattr__(scene.gate.context, "fingerprint", "0" * 64)


def branch_changed(scene: Scene) -> None:
    object.__setattr__(scene.gate.context, "branch", Branch.PREFILL)


def seed_changed(scene: Scene) -> None:
    object.__setattr__(scene.gate.context, "seed", 7)


def added_changed(scene: Scene) -> None:
    object.__setattr__(scene.gate.context, "added", (DOUBLED,))


def context_exchanged(scene: Scene) -> None:
    scene.gate.context = dataclasses.replace(scene.gate.context, branch=Branch.PREFILL)


DOUBLED = ElementwiseOperation(
    kind="doubled",
    source="query_projection",
    readers=("scores",),
    workload=Workload.INFERENCE,
    primitive="gelu",
    work=lambda elements, e: PhaseWork(*[TaskWork(elements, elements * e, elements * e)] * 2),
    keeps_inputs=False,
    rule="inference.mlp_activation",
    tensor_rule="inference.activation_tensor",
)
"""An operation of an extension."""


def store_emptied(scene: Scene) -> None:
    scene.gate.published = Published()


def store_shortened(scene: Scene) -> None:
    scene.gate.published = dataclasses.replace(scene.gate.published, checkpoints=())


def store_filled(scene: Scene) -> None:
    """By an honest commit, but inside another one."""
    scene.gate.commit(looking(), scene.model)


BINDINGS = (request_changed, fingerprint_changed, branch_changed, seed_changed, added_changed, context_exchanged)
STORES = (store_emptied, store_shortened, store_filled)


@RUNS
@pytest.mark.parametrize("harm", BINDINGS)
def test_a_pass_that_changes_the_bindings_of_the_session_is_refused(scene: Scene, harm: Harm, number: int) -> None:
    error = refused(scene.gate, planning(lambda *_: harm(scene), number), scene.distributed, GateError)
    assert error.message.endswith("step 6, the pass changed what was committed, or the bindings")


@RUNS
def test_a_pass_that_changes_an_operation_of_the_extension_is_refused(number: int) -> None:
    gate = gate_of()
    gate.context = dataclasses.replace(gate.context, added=(copy.copy(DOUBLED),))
    model = gate.admit(model_ir(REQUEST, gate.context.added))
    gate.commit(looking(), model)

    def exchange(_ir: object, context: PassContext) -> None:
        object.__setattr__(context.added[0], "primitive", "linear")

    assert "step 6" in refused(gate, looking(exchange, number), model, GateError).origin


@RUNS
@pytest.mark.parametrize("harm", STORES)
def test_a_pass_that_publishes_by_itself_is_refused_and_undone(
    scene: Scene, honest: tuple[bytes, bytes], harm: Harm, number: int
) -> None:
    error = refused(scene.gate, planning(lambda *_: harm(scene), number), scene.distributed, GateError)
    assert error.message.endswith("step 6, the pass changed what was committed, or the bindings")
    assert image(scene.gate.commit(planning(), scene.distributed)) == honest[1]
    assert len(scene.gate.published.checkpoints) == 2


def test_a_pass_that_publishes_and_then_fails_has_published_nothing(scene: Scene) -> None:
    def publish(_ir: object, _context: PassContext) -> None:
        store_filled(scene)
        raise DomainError("no")

    refused(scene.gate, planning(publish), scene.distributed, DomainError)


def test_a_pass_has_no_hold_on_what_was_committed_of_its_output(scene: Scene) -> None:
    """The gate commits a copy of its own: what the pass does to its result later is its own affair."""
    given: list[Any] = []

    class Keeping(Looking):
        def run(self, ir: Any, context: PassContext) -> Any:
            given.append(super().run(ir, context))
            return given[-1]

    known = scene.gate.commit(Keeping(nothing), scene.model)
    before = image(known)
    for each in given:
        assert each is not known.snapshot
        a_leaf(each, scene.gate.context)
    assert image(known) == before
    scene.gate.commit(looking(), known)


# Determinism and seed ------------------------------------------------------------------------------------------------


def test_a_deterministic_pass_runs_twice_and_no_more(scene: Scene) -> None:
    for derivation_pass in (distributing(), looking()):
        scene.gate.commit(derivation_pass, scene.model)
        assert derivation_pass.runs == 2


class Returning(Looking):
    """Gives these one after another, whatever it gets."""

    def __init__(self, *results: object) -> None:
        super().__init__(nothing)
        self.results = iter(results)

    def run(self, ir: Any, context: PassContext) -> Any:
        super().run(ir, context)
        return next(self.results)


@pytest.mark.parametrize("second", [None, b"", {}, 7, object()], ids=["none", "bytes", "empty", "number", "no value"])
def test_a_second_run_that_gives_anything_else_is_refused(scene: Scene, second: object) -> None:
    good = scene.model.snapshot
    assert "step 13" in refused(scene.gate, Returning(good, second), scene.model, GateError).origin
    assert "step 7" in refused(scene.gate, Returning(second, good), scene.model, GateError).origin


def test_a_second_run_that_gives_what_cannot_be_encoded_is_no_fault_of_a_claim(scene: Scene) -> None:
    """In a pass from stage to stage as well, where claims are asked between the two runs."""

    class Spoiling(Distributing):
        def run(self, ir: Any, context: PassContext) -> Any:
            result = super().run(ir, context)
            return result if self.runs == 1 else object()

    error = refused(scene.gate, Spoiling(nothing), scene.model, GateError)
    assert error.message == "DistributeTransformerInferencePass: step 13, the output cannot be encoded"


@pytest.mark.parametrize("declare", [distributing, looking])
def test_only_a_pass_that_declares_it_sees_the_seed(scene: Scene, declare: Callable[..., Any]) -> None:
    seeds: list[int | None] = []

    def look(_ir: object, context: PassContext) -> None:
        seeds.append(context.seed)

    scene.gate.commit(declare(look), scene.model)
    assert seeds == [None, None]
    seeds.clear()
    done = scene.gate.commit(declare(look, uses_seed=True), scene.model)
    assert done.contract is not None
    assert done.contract.uses_session_seed
    again = gate_of()
    again.commit(declare(look, uses_seed=True), rooted(again))
    assert seeds == [session_seed(session_of(REQUEST))] * 4, "the same in every run, and in every replay"


def test_a_seed_is_of_its_session(scene: Scene) -> None:
    other = inference_request(TINY, batch=3, prompt=6, context=9, tensor=1)
    assert session_seed(session_of(other)) != session_seed(scene.gate.context.fingerprint)
    assert 0 <= session_seed(session_of(other)) < 2**64


def test_a_seed_of_the_context_is_none_of_a_pass_that_declares_nothing() -> None:
    gate = gate_of()
    gate.context = dataclasses.replace(gate.context, seed=7)
    seeds: list[int | None] = []
    gate.commit(looking(lambda _, context: seeds.append(context.seed)), rooted(gate))
    assert seeds == [None, None]


# Schema ranges -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("declare", [distributing, looking])
def test_an_input_of_a_version_outside_the_range_is_refused(scene: Scene, declare: Callable[..., Any]) -> None:
    derivation_pass = declare(reads=(2, 3))
    error = refused(scene.gate, derivation_pass, scene.model, GateError)
    assert error.message.endswith("step 1, the input is of version 1, which the pass does not read")
    assert derivation_pass.runs == 0
    scene.gate.commit(declare(reads=(1, 3)), scene.model)


@pytest.mark.parametrize("declare", [distributing, looking])
def test_an_output_of_another_version_than_the_pass_writes_is_refused(
    scene: Scene, declare: Callable[..., Any]
) -> None:
    error = refused(scene.gate, declare(writes=2), scene.model, GateError)
    assert error.message.endswith("step 7, the output is of version 1, not of that which the pass writes")


def test_what_declares_nothing_is_no_pass(scene: Scene) -> None:
    before = scene.gate.published
    for no_pass in (object(), None, type("Bare", (), {"facts": {"name": "bare"}})()):
        with pytest.raises(GateError, match="step 1, this is no pass"):
            scene.gate.commit(cast("Any", no_pass), scene.model)
    assert scene.gate.published is before


def test_a_snapshot_of_the_other_branch_is_refused() -> None:
    """Both branches are of one session, so that claims must tell them apart."""
    prefill, decode = gate_of(branch=Branch.PREFILL), gate_of(branch=Branch.FINAL_DECODE)
    distributed = prefill.commit(distributing(), rooted(prefill))
    error = refused(decode, planning(), distributed, BlueprintError)
    assert "steps 9 to 12" in error.origin


# Within a stage ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", [MODEL, DISTRIBUTED, PORTABLE], ids=lambda stage: stage.value)
def test_a_pass_may_look_at_a_snapshot_of_any_stage(scene: Scene, stage: Any) -> None:
    plan = scene.gate.commit(planning(), scene.distributed)
    source = {MODEL: scene.model, DISTRIBUTED: scene.distributed, PORTABLE: plan}[stage]
    seen = scene.gate.commit(looking(boundary=(stage, stage)), source)
    assert (encode(seen.snapshot), seen.digest, seen.ancestors) == (
        encode(source.snapshot),
        source.digest,
        source.ancestors,
    )
    assert seen.report is not None
    assert seen.report.structural_only
    assert not seen.report.relation_verified
    assert scene.gate.published.checkpoints[-1] is seen


def test_a_chain_goes_on_from_a_snapshot_that_was_looked_at(scene: Scene, honest: tuple[bytes, bytes]) -> None:
    at_model = scene.gate.commit(looking(), scene.model)
    distributed = scene.gate.commit(distributing(), at_model)
    at_distributed = scene.gate.commit(looking(boundary=(DISTRIBUTED, DISTRIBUTED)), distributed)
    assert (image(distributed), image(scene.gate.commit(planning(), at_distributed))) == honest


def changes(snapshot: Any) -> Iterator[tuple[str, Snapshot]]:
    """The snapshot with one field changed, for every field of it, of its header, and of the first of its lists."""
    for name in snapshot.__struct_fields__:
        value = getattr(snapshot, name)
        if isinstance(value, tuple):
            yield name, msgspec.structs.replace(snapshot, **{name: value[:-1]})
            yield name, msgspec.structs.replace(snapshot, **{name: (*value, *value[-1:])})
        holder = value[0] if isinstance(value, tuple) and value else value
        if not isinstance(holder, msgspec.Struct):
            continue
        for field in holder.__struct_fields__:
            for other in different(getattr(holder, field)):
                changed = msgspec.structs.replace(holder, **{field: other})
                whole = (changed, *value[1:]) if isinstance(value, tuple) else changed
                yield f"{name}.{field}", msgspec.structs.replace(snapshot, **{name: whole})


def different(value: Any) -> Iterator[object]:
    """Something else of the same type, where there is something."""
    match value:
        case bool():
            yield not value
        case int():
            yield value + 1
        case str():
            yield value[:-1] + ("1" if value[-1:] == "0" else "0")
        case tuple():
            yield value[:-1]
        case _:
            yield from (each for each in type(value) if each is not value) if isinstance(value, MODEL_WORDS) else ()


MODEL_WORDS = (type(MODEL), type(TINY.activation))


def test_any_change_within_a_stage_is_refused_before_it_is_committed(scene: Scene) -> None:
    fields = []
    for source, stage in ((scene.model, MODEL), (scene.distributed, DISTRIBUTED)):
        for field, changed in changes(source.snapshot):
            if encode(changed) == encode(source.snapshot):
                continue
            changing = Returning(changed, changed)
            cast("Any", changing).facts = dataclasses.replace(Looking.facts, boundary=(stage, stage))
            error = refused(scene.gate, changing, source, GateError)
            assert error.origin in {"LookingPass, step 7", "LookingPass, step 9"}
            fields.append((field, error.origin[-6:]))
    assert {step for _, step in fields} == {"step 7", "step 9"}
    assert len({field for field, _ in fields}) > 30


def test_a_changed_snapshot_within_a_stage_is_not_shown_to_observers() -> None:
    seen: list[Candidate] = []
    gate = gate_of(seen.append)
    model = rooted(gate)
    changed = msgspec.structs.replace(cast("ModelIR", model.snapshot), facts=msgspec.structs.replace(TINY, layers=3))
    error = refused(gate, Returning(changed, changed), model, GateError)
    assert error.message == "LookingPass: step 9, the pass changed a snapshot within its stage, which no rule justifies"
    assert seen == []


# Observers -----------------------------------------------------------------------------------------------------------


def test_observers_see_every_candidate_before_it_is_published() -> None:
    seen: list[tuple[str, bool, int]] = []

    def watch(candidate: Candidate) -> None:
        seen.append((candidate.digest, candidate.report.structural_only, len(gate.published.checkpoints)))

    gate = gate_of(watch)
    model = rooted(gate)
    known = gate.commit(looking(), model)
    distributed = gate.commit(distributing(), known)
    assert seen == [(model.digest, True, 0), (distributed.digest, False, 1)]


def candidate_leaf(_scene: Scene, candidate: Candidate) -> None:
    force(cast("Any", candidate.snapshot).tasks[0].work, "operations", 1)


def candidate_list(_scene: Scene, candidate: Candidate) -> None:
    force(candidate.snapshot, "tasks", ())


def candidate_nonsense(_scene: Scene, candidate: Candidate) -> None:
    force(candidate.snapshot, "tasks", object())


def candidate_hidden(_scene: Scene, candidate: Candidate) -> None:
    """Changes the snapshot, and puts a good one in its place in the candidate."""
    good = copy.deepcopy(candidate.snapshot)
    candidate_leaf(_scene, candidate)
    object.__setattr__(candidate, "snapshot", good)


def report_leaf(_scene: Scene, candidate: Candidate) -> None:
    force(candidate.report, "derivation_pass", "other")


def report_count(_scene: Scene, candidate: Candidate) -> None:
    cast("Any", candidate.report.cardinality).clear()


def of_scene(harm: Harm) -> Callable[[Scene, Candidate], object]:
    def act(scene: Scene, _candidate: Candidate) -> object:
        return harm(scene)

    act.__name__ = harm.__name__
    return act


@pytest.mark.parametrize(
    "harm",
    [
        candidate_leaf,
        candidate_list,
        candidate_nonsense,
        candidate_hidden,
        report_leaf,
        report_count,
        *map(of_scene, (*BINDINGS, *STORES)),
    ],
    ids=lambda harm: harm.__name__,
)
def test_an_observer_changes_nothing(harm: Callable[[Scene, Candidate], object]) -> None:
    scenes: list[Scene] = []

    def meddle(candidate: Candidate) -> None:
        # Not in the first commit, and not in one that the observer makes itself.
        if scenes and not candidate.report.structural_only:
            harm(scenes[0], candidate)

    gate = gate_of(meddle)
    scenes.append(scene_of(gate))
    before = image(scenes[0].distributed)
    error = refused(gate, planning(), scenes[0].distributed, GateError)
    assert error.origin == "PlanTransformerInferencePass, step 15"
    assert image(scenes[0].distributed) == before


@pytest.mark.parametrize("harm", CHAIN)
def test_an_observer_that_changes_what_is_committed_is_refused(harm: Harm) -> None:
    scenes: list[Scene] = []

    def meddle(_candidate: Candidate) -> None:
        for scene in scenes:
            harm(scene)

    gate = gate_of(meddle)
    scenes.append(scene_of(gate))
    store = gate.published
    with pytest.raises(GateError) as caught:
        gate.commit(planning(), scenes[0].distributed)
    assert caught.value.origin == "PlanTransformerInferencePass, step 15"
    assert gate.published is store
    with pytest.raises(GateError, match="step 1, the input"):
        gate.commit(planning(), scenes[0].distributed)


def test_what_an_observer_changes_later_is_found_before_it_is_built_on() -> None:
    seen: list[Candidate] = []
    scene = scene_of(gate_of(seen.append))
    candidate_leaf(scene, seen[0])
    assert "step 1, the input was changed" in refused(scene.gate, planning(), scene.distributed, GateError).message


# Errors --------------------------------------------------------------------------------------------------------------

BREAKDOWNS: tuple[BaseException, ...] = (
    ValueError("no"),
    KeyError("x"),
    AssertionError(),
    StopIteration(),
    RecursionError(),
    MemoryError(),
    OSError(28, "no space"),
    SystemExit(0),
    SystemExit("bye"),
    GeneratorExit(),
    asyncio.CancelledError(),
    BaseException("bare"),
    ExceptionGroup("several", [ValueError(), KeyError()]),
    BaseExceptionGroup("interrupted among others", [KeyboardInterrupt()]),
)

breakdowns = pytest.mark.parametrize("fault", BREAKDOWNS, ids=lambda fault: type(fault).__name__)


def raising(fault: BaseException) -> Callable[..., Any]:
    def act(*_: object) -> None:
        raise fault

    return act


@RUNS
@breakdowns
def test_a_pass_that_breaks_down_is_named_with_its_step(scene: Scene, fault: BaseException, number: int) -> None:
    for derivation_pass in (distributing(raising(fault), number), looking(raising(fault), number)):
        error = refused(scene.gate, derivation_pass, scene.model, PassFailedError)
        assert error.origin == f"{derivation_pass.facts.name}, step 5"
        assert type(fault).__name__ in error.message
        assert error.__cause__ is fault
        assert error.code == "gate.pass"


@breakdowns
def test_an_observer_that_breaks_down_is_a_rejection(fault: BaseException) -> None:
    gate = gate_of(raising(fault))
    for derivation_pass in (distributing(), looking()):
        error = refused(gate, derivation_pass, rooted(gate), GateError)
        assert error.origin == f"{derivation_pass.facts.name}, step 15"
        assert error.__cause__ is fault


class Broken(Instant):
    """Workers that break down."""

    def __init__(self, fault: BaseException) -> None:
        super().__init__()
        self.fault = fault

    def solve(self, batches: object) -> list[Answer]:  # noqa: ARG002  (the pool's)
        raise self.fault


@breakdowns
def test_a_verifier_that_breaks_down_says_nothing_about_the_plan(fault: BaseException) -> None:
    gate = gate_of(pool=Broken(fault))
    error = refused(gate, distributing(), rooted(gate), GateFailedError)
    assert error.origin == "DistributeTransformerInferencePass, steps 9 to 12"
    assert type(fault).__name__ in error.message
    assert error.__cause__ is fault
    assert error.code == "gate.failed"


@pytest.mark.parametrize(
    ("function", "step"),
    [
        ("contract_of", "step 1"),
        ("structural_faults", "step 4"),
        ("decode", "step 7"),
        ("plan_transition", "steps 9 to 12"),
        ("recorded_report", "step 14"),
        ("_commit", "step 15"),
        ("Published", "step 16"),
        ("joined", "step 16"),
    ],
)
def test_a_gate_that_breaks_down_says_nothing_about_the_plan(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, function: str, step: str
) -> None:
    for fault in BREAKDOWNS:
        monkeypatch.setattr(f"blueprint.gate.{function}", raising(fault))
        error = refused(scene.gate, distributing(), scene.model, GateFailedError)
        assert error.origin == f"DistributeTransformerInferencePass, {step}"
        assert error.__cause__ is fault
        monkeypatch.undo()
    scene.gate.commit(distributing(), scene.model)


@pytest.mark.parametrize(
    "kind", [DomainError, GateError, DecidersDisagreeError, NotEstablishedError], ids=lambda kind: kind.__name__
)
def test_an_error_of_ours_goes_through_and_says_where_it_arose(scene: Scene, kind: type[BlueprintError]) -> None:
    def refuse(*_: object) -> None:
        raise kind("said on purpose")

    for derivation_pass in (distributing(refuse), looking(refuse)):
        error = refused(scene.gate, derivation_pass, scene.model, kind)
        assert (error.message, error.origin) == ("said on purpose", f"{derivation_pass.facts.name}, step 5")
        assert error.diagnostics() == f"said on purpose ({derivation_pass.facts.name}, step 5)"
    gate = gate_of(pool=Broken(kind("said on purpose")))
    error = refused(gate, distributing(), rooted(gate), kind)
    assert error.origin == "DistributeTransformerInferencePass, steps 9 to 12"


@RUNS
def test_an_interruption_goes_through_from_a_pass(scene: Scene, number: int) -> None:
    for derivation_pass in (distributing(interrupt, number), looking(interrupt, number)):
        interrupted(scene.gate, derivation_pass, scene.model)


def test_an_interruption_goes_through_from_an_observer_and_from_the_verifier() -> None:
    for gate in (gate_of(interrupt), gate_of(pool=Broken(KeyboardInterrupt()))):
        interrupted(gate, distributing(), rooted(gate))


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def interrupted(gate: CommitGate, derivation_pass: Any, source: Committed) -> None:
    """The gate lets an interruption through, and has published nothing."""
    before, content = gate.published, contents(gate.published)
    with pytest.raises(KeyboardInterrupt):
        gate.commit(derivation_pass, source)
    assert gate.published is before
    assert contents(before) == content


# A solver that does not know -----------------------------------------------------------------------------------------


def test_a_solver_out_of_budget_commits_nothing() -> None:
    """Z3 itself, with a budget that is spent before it has begun."""
    with SolverPool(1) as pool:
        poor = gate_of(pool=pool, budget=1)
        error = refused(poor, distributing(), rooted(poor), NotEstablishedError)
        assert error.code == "gate.not_established"
        assert error.origin == "DistributeTransformerInferencePass, steps 9 to 12"
        rich = gate_of(pool=pool)
        rich.commit(distributing(), rooted(rich))


@pytest.mark.parametrize("verdict", [Verdict.UNKNOWN, Verdict.VACUOUS], ids=lambda verdict: verdict.value)
def test_a_solver_that_does_not_say_proved_commits_nothing(monkeypatch: pytest.MonkeyPatch, verdict: Verdict) -> None:
    monkeypatch.setattr(Silent, "answer", Answer(verdict, "silent"))
    gate = gate_of(pool=Silent())
    refused(gate, distributing(), rooted(gate), NotEstablishedError)


def test_deciders_that_disagree_commit_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Silent, "answer", Answer(Verdict.REFUTED, "silent"))
    gate = gate_of(pool=Silent())
    refused(gate, distributing(), rooted(gate), DecidersDisagreeError)


# Chains --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault", [ValueError("no"), SystemExit(0), KeyboardInterrupt()], ids=lambda f: type(f).__name__
)
def test_a_chain_is_published_as_a_whole(scene: Scene, fault: BaseException) -> None:
    gate, before, content = scene.gate, scene.gate.published, contents(scene.gate.published)
    manager = PassManager(gate, (looking(), distributing(), planning(raising(fault))))
    with pytest.raises((PassFailedError, KeyboardInterrupt)):
        manager.run(model_ir(REQUEST))
    assert gate.published is before
    assert contents(before) == content
    trace = PassManager(gate, (looking(), distributing(), planning())).run(model_ir(REQUEST))
    assert gate.published.checkpoints == (*before.checkpoints, *trace.committed[1:])
    assert trace.branch is BRANCH


def test_a_model_that_is_not_the_requests_starts_no_chain(scene: Scene) -> None:
    before = scene.gate.published
    other = model_ir(inference_request(TINY, batch=3, prompt=6, context=9, tensor=1))
    with pytest.raises(GateError, match="front end"):
        PassManager(scene.gate, (distributing(),)).run(other)
    assert scene.gate.published is before
