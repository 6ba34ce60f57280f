"""What is asked of a chain, decided by exact arithmetic alone: an honest one is right, and a changed field is not."""

from __future__ import annotations

import enum
import random
from collections.abc import Iterator
from typing import Any, Final

import msgspec
import pytest

from blueprint import exact
from blueprint.boundaries import plan_transition, structural_faults
from blueprint.codec import decode, encode
from blueprint.errors import CodecError, GateError
from blueprint.frontend.block import model_ir
from blueprint.frontend.request import inference_request, training_request
from blueprint.ir.common import Branch, DType, Stage
from blueprint.ir.request import (
    Attention,
    Communication,
    ModelFacts,
    Recompute,
    Request,
    Scope,
    TargetKind,
    branches_of,
)
from blueprint.passes.protocol import PassContext
from blueprint.pipeline import passes_for
from blueprint.plan import TransitionPlan
from blueprint.session import open_rulebook
from blueprint.verdict import Verdict
from tests.bundles.conftest import TINY
from tests.bundles.stacks import WITH_BIASES

BOOK = open_rulebook(None)
SPLIT, REDUCED = Communication.SEQUENCE_PARALLEL, Communication.ALL_REDUCE


def training(model: ModelFacts = TINY, **changes: Any) -> Request:
    given: dict[str, Any] = {
        "tensor": 2, "pipeline": 1, "data": 3, "batch": 3, "sequence": 8, "microbatches": 1, "dtype": DType.BFLOAT16,
        "recompute": Recompute.SELECTIVE, "communication": SPLIT, "gradient_bytes": 4,
    }  # fmt: skip
    return training_request(model, **{**given, **changes})


def inference(model: ModelFacts = TINY, **changes: Any) -> Request:
    given: dict[str, Any] = {"tensor": 2, "batch": 3, "prompt": 4, "context": 7, "dtype": DType.BFLOAT16}
    return inference_request(model, **{**given, **changes})


REQUESTS: Final = {
    "selective, split": training(device_memory=2**30),
    "full, reduced, one rank": training(recompute=Recompute.FULL, communication=REDUCED, tensor=1, zero=1),
    "none, split, biases, ZeRO 3": training(WITH_BIASES, recompute=Recompute.NONE, zero=3),
    "full, split, queue": training(recompute=Recompute.FULL, target=TargetKind.QUEUE, emit=True),
    "selective, reduced, slot": training(communication=REDUCED, target=TargetKind.SLOT, emit=True),
    "middle stage": training(WITH_BIASES, pipeline=3, scope=Scope.STACK, stage=1, zero=2),
    "inference": inference(),
    "inference, queue": inference(WITH_BIASES, target=TargetKind.QUEUE, emit=True),
    "inference, fused, queue": inference(target=TargetKind.QUEUE, attention=Attention.TILED, emit=True),
    "inference, stage, slot": inference(
        WITH_BIASES, pipeline=3, scope=Scope.STACK, stage=2, target=TargetKind.SLOT, emit=True
    ),
}


def chain(request: Request, branch: Branch) -> tuple[PassContext, tuple[Any, ...]]:
    """The snapshots that the passes make, unchecked."""
    context = PassContext(request, "0" * 64, branch)
    snapshots: list[Any] = [model_ir(request)]
    for each in passes_for(request):
        snapshots.append(each.run(snapshots[-1], context))
    return context, tuple(snapshots)


def verdicts(plan: TransitionPlan) -> set[Verdict]:
    return {exact.decide(each).verdict for each in plan.obligations}


def established(plan: TransitionPlan) -> bool:
    """Whether all that is asked holds, every law that applies has instances, and all entities are accounted for."""
    laws = [law for law in plan.laws if law.applicable]
    whole = all(law.obligations and not law.vacuous for law in laws) and bool(laws)
    claims = bool(plan.relations) and all(relation.claims for relation in plan.relations)
    return whole and claims and plan.coverage.exact and not plan.diagnostics and verdicts(plan) == {Verdict.PROVED}


CHAINS: Final = {
    f"{name}{', ' * bool(branch.value)}{branch.value}": chain(request, branch)
    for name, request in REQUESTS.items()
    for branch in branches_of(request.workload)
}


@pytest.mark.parametrize("name", CHAINS)
def test_an_honest_chain_is_established_at_every_boundary(name: str) -> None:
    context, snapshots = CHAINS[name]
    for length in range(1, len(snapshots)):
        plan = plan_transition(BOOK, context, snapshots[:length], snapshots[length])
        assert established(plan), snapshots[length].header.stage
        assert plan.boundary == (snapshots[length - 1].header.stage.value, snapshots[length].header.stage.value)
        assert all(law.members == law.expected_members for law in plan.laws if law.applicable)
        # Positions name obligations of this plan, and every obligation is asked for by somebody.
        used = {claim.obligation for relation in plan.relations for claim in relation.claims}
        used |= {each for law in plan.laws for each in law.obligations}
        assert used == set(range(len(plan.obligations)))
        # Everything has a name, under which a report shows it.
        facts = [fact for relation in plan.relations for claim in relation.claims for fact in claim.facts]
        assert all(type(fact.label) is str for fact in facts)
        assert all(type(name) is str for each in plan.obligations for name in each.witness)
        words = [(law.id, law.rule, law.form, law.statement, law.group) for law in plan.laws]
        assert all(type(word) is str and word for each in words for word in each)
        theorems = [theorem for law in plan.laws for theorem in law.theorems]
        assert {theorem[0] for theorem in theorems} <= {rule.id for rule in BOOK.rules}


@pytest.mark.parametrize("name", CHAINS)
def test_every_memory_fact_of_a_plan_and_the_workspace_of_every_alternative_has_a_law_that_applies(name: str) -> None:
    context, snapshots = CHAINS[name]
    plan = plan_transition(BOOK, context, snapshots[:2], snapshots[2])
    facts = {f"memory fact {each}" for each in msgspec.structs.asdict(snapshots[2].memory)} - {"memory fact workspace"}
    workspaces = {f"workspace of {each.name}" for each in snapshots[2].alternatives}
    applied = {law.group: law for law in plan.laws if law.applicable}
    assert facts | workspaces <= applied.keys()
    assert all(applied[each].obligations for each in facts | workspaces)
    assert ("all memory facts" in applied) is (name == "selective, split")


# A changed field ----------------------------------------------------------------------------------------------------

UNSEEN: Final = frozenset(("header", "lineage"))
"""What other steps check: digests, and matching."""

ENTITIES: Final = (
    "values",
    "tasks",
    "buffers",
    "devices",
    "regions",
    "commands",
    "instructions",
    "sections",
    "entries",
)


def other(value: Any, ids: list[str]) -> Any:
    """Another value of the same kind; None where there is none."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case enum.Enum():
            words = list(type(value))
            return words[(words.index(value) + 1) % len(words)] if len(words) > 1 else None
        case str() if ":" in value:
            return next(each for each in ids if each != value)
        case str():
            return f"{value}x"
    return None


def changed(value: Any, ids: list[str], path: str = "") -> Iterator[tuple[str, Any]]:
    """Every way to change one field somewhere in a value, with where it is."""
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            if name not in UNSEEN and not (name in {"id", "name"} and not path):
                for place, new in changed(getattr(value, name), ids, f"{path}.{name}"):
                    yield place, msgspec.structs.replace(value, **{name: new})
    elif isinstance(value, tuple):
        if value:
            yield f"{path}[less]", value[:-1]
        for number, each in enumerate(value):
            for place, new in changed(each, ids, f"{path}[]"):
                yield place, (*value[:number], new, *value[number + 1 :])
    elif (new := other(value, ids)) is not None:
        yield path, new


def ways(snapshot: Any, seed: str) -> Iterator[tuple[str, Any]]:
    """One change of each field of each kind of entity, at an entity that is chosen by chance and always the same."""
    chance = random.Random(seed)  # noqa: S311 -- a sample, no secret
    for group in ENTITIES:
        entities = getattr(snapshot, group, ())
        ids = [each.id for each in entities]
        found: dict[str, list[tuple[int, Any]]] = {}
        for number, entity in enumerate(entities):
            for place, new in changed(entity, ids):
                found.setdefault(place, []).append((number, new))
        for place, news in found.items():
            number, new = chance.choice(news)
            rest = [*entities[:number], new, *entities[number + 1 :]]
            yield f"{group}{place}", msgspec.structs.replace(snapshot, **{group: tuple(rest)})


TWICE: Final = 2
"""Each field of each kind of entity is changed in so many chains."""


def chosen() -> dict[str, list[Any]]:
    """For each chain the snapshots with one changed field that are tried, spread over the chains by chance."""
    found: dict[tuple[Stage, str], list[tuple[str, Any]]] = {}
    for name, (_, snapshots) in CHAINS.items():
        for snapshot in snapshots[1:]:
            for place, wrong in ways(snapshot, name):
                found.setdefault((snapshot.header.stage, place), []).append((name, wrong))
    chance = random.Random(20261130)  # noqa: S311 -- a sample, no secret
    picked: dict[str, list[Any]] = {name: [] for name in CHAINS}
    for (_, place), wrongs in found.items():
        for name, wrong in chance.sample(wrongs, min(TWICE, len(wrongs))):
            picked[name].append((place, wrong))
    return picked


def seen(name: str, wrong: Any) -> bool:
    """Whether a snapshot is none, is refused for its structure, or is not established where it stands in its chain."""
    context, snapshots = CHAINS[name]
    try:
        decode(encode(wrong), type(wrong))
    except CodecError:
        return True
    before = snapshots[: list(Stage).index(wrong.header.stage)]
    return bool(structural_faults(wrong)) or not established(plan_transition(BOOK, context, before, wrong))


def test_no_chain_with_a_changed_field_is_established() -> None:
    picked = chosen()
    free = [
        f"{name}: {wrong.header.stage.value} {place}"
        for name, wrongs in picked.items()
        for place, wrong in wrongs
        if not seen(name, wrong)
    ]
    assert free == []
    assert sum(map(len, picked.values())) > 200
    assert all(picked.values())


@pytest.mark.parametrize("name", ["middle stage", "selective, split", "inference, stage, slot, prefill"])
def test_the_laws_of_a_stage_are_those_of_its_rules(name: str) -> None:
    """Their theorems are looked up in the stage's case."""
    context, snapshots = CHAINS[name]
    stages = {rule.id for rule in BOOK.rules if getattr(rule, "stage", False)}
    for length in (1, 2):
        plan = plan_transition(BOOK, context, snapshots[:length], snapshots[length])
        assert all(law.stage is (law.rule in stages) for law in plan.laws)
        applying = {law.rule for law in plan.laws if law.applicable} & stages
        assert bool(applying) is ("stage" in name)


def test_a_value_of_no_source_is_found_where_it_arises_and_stops_no_later_question() -> None:
    context, (model, distributed, portable, *_) = CHAINS["selective, split"]
    foreign = f"value:{'0' * 64}"
    first = distributed.values[0]
    lost = msgspec.structs.replace(
        first, source_value=foreign, lineage=msgspec.structs.replace(first.lineage, sources=(foreign,))
    )
    wrong = msgspec.structs.replace(distributed, values=(lost, *distributed.values[1:]))
    before = plan_transition(BOOK, context, (model,), wrong)
    assert [each.code for each in before.diagnostics] == ["lineage.dangling", "coverage.missing"]
    after = plan_transition(BOOK, context, (model, wrong), portable)
    assert not after.diagnostics
    assert len(after.obligations) > 100


def test_stages_that_are_not_adjacent_are_not_compared() -> None:
    context, (model, distributed, portable, *_) = CHAINS["selective, split"]
    for ancestors, target in (((model,), portable), ((model, distributed), model), ((), distributed)):
        with pytest.raises(GateError, match="not adjacent"):
            plan_transition(BOOK, context, ancestors, target)


def test_the_stages_between_them_are_all_five() -> None:
    stages = {each.header.stage for _, snapshots in CHAINS.values() for each in snapshots}
    assert stages == set(Stage)
