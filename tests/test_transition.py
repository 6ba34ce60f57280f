"""What the transitions from the request to a portable plan are made of, and which claim a changed field refutes."""

from __future__ import annotations

import enum
import functools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from blueprint import exact
from blueprint.case import Workload, workload_of
from blueprint.claims import portable
from blueprint.expected import ModelView
from blueprint.facts import Question
from blueprint.frontend.block import model_ir
from blueprint.frontend.models import builtin
from blueprint.frontend.request import inference_request, training_request
from blueprint.instances import Bindings, LawInstances, Member, _belongs, _describe, _together, member_count
from blueprint.ir.common import Branch, Phase
from blueprint.ir.distributed import MeshAxis
from blueprint.ir.request import Communication, Recompute, Request, Scope
from blueprint.law import (
    CLASSICAL,
    FOUR_WIDE,
    BoundLaw,
    Group,
    Law,
    MaximumLaw,
    Portion,
    ProjectionLaw,
    Quantity,
    Reference,
    Requirement,
)
from blueprint.passes.protocol import PassContext
from blueprint.pipeline import passes_for
from blueprint.plan import TransitionPlan
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, MODEL_TO_DISTRIBUTED, TRAFFIC, BoundaryRule, Claim, PassRule
from blueprint.session import open_rulebook
from blueprint.term import Const, Sum, Var, equal
from blueprint.transition import plan_distributed, plan_model, plan_portable
from blueprint.verdict import Verdict

BOOK = open_rulebook(None)
TRAINING = training_request(
    builtin("gpt2"),
    sequence=8,
    tensor=2,
    data=2,
    recompute=Recompute.FULL,
    communication=Communication.SEQUENCE_PARALLEL,
)
WHOLE = training_request(builtin("gpt2"), sequence=8, tensor=2)
SHARDED = training_request(builtin("gpt2"), sequence=8, data=2, zero=2)
SERVING = inference_request(builtin("gpt2"), prompt=4, context=8, tensor=2)
REQUESTS = {"training": TRAINING, "whole": WHOLE, "sharded": SHARDED, "serving": SERVING}
VALUE = {Claim.TENSOR_TYPE, Claim.ROLE}
OPERATION = {Claim.OPERATION_IDENTITY, Claim.DATA_FLOW}

change = msgspec.structs.replace


@functools.cache
def derived(name: str) -> tuple[Any, Any, Any]:
    """Model, distributed snapshot and portable plan of a request."""
    request, snapshots = REQUESTS[name], []
    snapshots.append(model_ir(request))
    for each in passes_for(request):
        snapshots.append(each.run(snapshots[-1], PassContext(request, "0" * 64, branch_of(request))))
    model, distributed, plan = snapshots
    return model, distributed, plan


def branch_of(request: Request) -> Branch:
    return Branch.MAIN if request is not SERVING else Branch.PREFILL


def refuted(plan: TransitionPlan) -> set[Claim]:
    """The claims that do not hold in a plan."""
    asked = [(check.claim, plan.obligations[check.obligation]) for each in plan.relations for check in each.claims]
    return {claim for claim, obligation in asked if exact.decide(obligation).verdict is Verdict.REFUTED}


# From the request -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REQUESTS)
def test_every_value_and_operation_of_the_model_is_asked_and_its_ends(name: str) -> None:
    model, request = derived(name)[0], REQUESTS[name]
    plan = plan_model(request, model, model)
    found = {each.targets: {check.claim for check in each.claims} for each in plan.relations}
    assert found == {
        **{(each.id,): VALUE for each in model.values},
        **{(each.id,): OPERATION for each in model.operations},
        (): {Claim.INTERFACE},
    }
    assert {each.sources for each in plan.relations} == {("request",)}
    named = {each.id: each.name for each in (*model.values, *model.operations)}
    assert [each.names for each in plan.relations if each.targets] == [
        (named[each.targets[0]],) for each in plan.relations if each.targets
    ]
    assert (plan.boundary, plan.diagnostics, plan.coverage.exact) == (("request", "model"), [], True)
    total = len(model.values) + len(model.operations)
    counted = (
        msgspec.structs.asdict(plan.coverage) if isinstance(plan.coverage, msgspec.Struct) else vars(plan.coverage)
    )
    right = {"source": 1, "source_total": 1, "target": total, "target_total": total}
    assert {name: count for name, count in counted.items() if count != 0} == right
    assert len({each.id for each in plan.relations}) == len({each.names for each in plan.relations})
    assert refuted(plan) == set()


def test_what_the_model_lacks_or_has_too_much_is_said_by_kind_and_name() -> None:
    model = derived("training")[0]
    value, operation = model.values[0], model.operations[0]
    less = change(model, values=model.values[1:], operations=model.operations[1:])
    for found, wanted, code in ((less, model, "coverage.missing"), (model, less, "coverage.unexpected")):
        plan = plan_model(TRAINING, found, wanted)
        said = {(each.code, each.path): each.message for each in plan.diagnostics}
        assert said.keys() == {(code, value.name), (code, operation.name)}
        assert "value" in said[code, value.name]
        assert "operation" in said[code, operation.name]
        assert plan.coverage.missing == (2 if found is less else 0)
        assert plan.coverage.target_total - plan.coverage.target == (0 if found is less else 2)
        assert not plan.coverage.exact
    # An operation under the name of a value is not that value.
    called = change(model, operations=(change(operation, name=value.name), *model.operations[1:]))
    plan = plan_model(TRAINING, change(called, values=model.values[1:]), model)
    assert [(each.code, each.path) for each in plan.diagnostics] == [
        ("coverage.missing", operation.name),
        ("coverage.missing", value.name),
        ("coverage.unexpected", value.name),
    ]


# To the distributed snapshot ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REQUESTS)
def test_every_entity_that_is_distributed_has_the_claims_of_its_rule_and_every_law_is_there(name: str) -> None:
    request, (model, distributed, _) = REQUESTS[name], derived(name)
    plan = plan_distributed(BOOK, request, branch_of(request), model, distributed)
    rules = {rule.id: rule for rule in BOOK.pass_rules(MODEL_TO_DISTRIBUTED, workload_of(request))}
    wholes = {rule.id: rule for rule in BOOK.boundary_rules(MODEL_TO_DISTRIBUTED, workload_of(request))}
    claims = Counter((each.rule, check.claim) for each in plan.relations for check in each.claims)
    for by, rule in (rules | wholes).items():
        assert {claim for of, claim in claims if of == by} <= set(rule.claims)
    reached = Counter(target for each in plan.relations for target in each.targets)
    assert reached == Counter(each.id for each in (*distributed.values, *distributed.tasks))
    assert plan.case == plan_model(request, model, model).case
    laws = {law.id for law in plan.laws}
    # Bounds hold for all values, and are asked of none.
    stated = [law for rule in (rules | wholes).values() for law in rule.laws if not isinstance(law, BoundLaw)]
    assert {law.id for law in stated} <= laws
    used = {each.primitive for each in distributed.tasks}
    assert {rule.law for rule in BOOK.primitives.values() if rule.law and rule.primitive in used} <= laws
    assert TRAFFIC in laws
    assert refuted(plan) == set()


def test_the_traffic_law_is_of_the_primitives_that_are_there() -> None:
    model, distributed, _ = derived("serving")
    plan = plan_distributed(BOOK, SERVING, Branch.PREFILL, model, distributed)
    (law,) = (each for each in plan.laws if each.id == TRAFFIC)
    used = {each.primitive for each in distributed.tasks}
    assert law.rule == next(rule.id for rule in BOOK.primitives.values() if rule.primitive in used)
    assert {theorem[0] for theorem in law.theorems} == {
        rule.id for rule in BOOK.primitives.values() if rule.primitive in used
    }


def split_value(distributed: Any) -> int:
    return next(at for at, each in enumerate(distributed.values) if each.split)


@pytest.mark.parametrize(
    ("field", "claim"),
    [
        ("local_shape", Claim.SHARD_COVERAGE),
        ("split", Claim.SHARD_COVERAGE),
        ("partial", Claim.SHARD_COVERAGE),
        ("shape", Claim.TENSOR_TYPE),
        ("ranks", Claim.LOGICAL_RANKS),
    ],
)
def test_a_changed_field_of_a_distributed_value_refutes_the_claim_that_speaks_of_it(field: str, claim: Claim) -> None:
    model, distributed, _ = derived("training")
    place = split_value(distributed)
    value = distributed.values[place]
    found = getattr(value, field)
    wrong: object = found[:-1] if field in {"split", "ranks"} else not found
    if field.endswith("shape"):
        wrong = (*found[:-1], found[-1] + 1)
    values = (*distributed.values[:place], change(value, **{field: wrong}), *distributed.values[place + 1 :])
    plan = plan_distributed(BOOK, TRAINING, Branch.MAIN, model, change(distributed, values=values))
    assert claim in refuted(plan) <= {claim, Claim.INTERFACE}


@pytest.mark.parametrize("component", ["operations", "read_bytes", "write_bytes", "message_bytes"])
def test_every_component_of_the_work_of_a_task_is_compared(component: str) -> None:
    model, distributed, _ = derived("training")
    for place, task in list(enumerate(distributed.tasks))[::12]:
        work = change(task.work, **{component: getattr(task.work, component) + 1})
        tasks = (*distributed.tasks[:place], change(task, work=work), *distributed.tasks[place + 1 :])
        plan = plan_distributed(BOOK, TRAINING, Branch.MAIN, model, change(distributed, tasks=tasks))
        assert Claim.EXACT_WORK in refuted(plan), task.name


# To the portable plan -------------------------------------------------------------------------------------------------


def planned(name: str, plan: Any) -> TransitionPlan:
    request, (model, distributed, _) = REQUESTS[name], derived(name)
    return plan_portable(BOOK, request, branch_of(request), model, distributed, plan)


@pytest.mark.parametrize("name", REQUESTS)
def test_every_entity_that_is_planned_has_the_claims_of_its_rule(name: str) -> None:
    plan = derived(name)[2]
    found = planned(name, plan)
    assert {each.names for each in found.relations if not each.targets} == {("snapshot",)}
    reached = Counter(target for each in found.relations for target in each.targets)
    assert reached == Counter(each.id for each in (*plan.buffers, *plan.tasks))
    assert refuted(found) == set()
    laws = {law.id for law in found.laws}
    rules = BOOK.pass_rules(DISTRIBUTED_TO_PORTABLE, workload_of(REQUESTS[name]))
    assert {law.id for rule in rules for law in rule.laws if isinstance(law, ProjectionLaw)} <= laws
    stated = {(rule.id, law.id) for rule in rules for law in rule.laws if isinstance(law, ProjectionLaw)}
    own = Counter(each.rule for each in found.relations)
    # One question is about how many there are.
    asked = {(law.rule, law.id): len(law.obligations) for law in found.laws if (law.rule, law.id) in stated}
    assert asked == {key: own[key[0]] + 1 if own[key[0]] else 0 for key in stated}


@pytest.mark.parametrize("name", REQUESTS)
def test_the_claim_about_memory_speaks_of_every_fact(name: str) -> None:
    plan = derived(name)[2]
    for field, size in msgspec.structs.asdict(plan.memory).items():
        changed = change(plan, memory=change(plan.memory, **{field: size + 1}))
        # What a plan may need at most, laws say alone.
        wanted = {Claim.MEMORY} if field != "workspace" else set()
        assert refuted(planned(name, changed)) == wanted, field


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", None),
        ("axis", MeshAxis.DATA),
        ("participants", (0,)),
        ("reduction", None),
        ("message_bytes", 7),
    ],
)
def test_every_field_of_a_planned_collective_is_compared(field: str, value: object) -> None:
    plan = derived("training")[2]
    place = next(at for at, each in enumerate(plan.tasks) if each.collective is not msgspec.UNSET)
    right = getattr(plan.tasks[place].collective, field)
    wrong = value or next(each for each in type(right) if each is not right)
    task = change(plan.tasks[place], collective=change(plan.tasks[place].collective, **{field: wrong}))
    changed = change(plan, tasks=(*plan.tasks[:place], task, *plan.tasks[place + 1 :]))
    assert refuted(planned("training", changed)) == {Claim.COLLECTIVE_VOLUME}


def test_a_collective_that_is_dropped_or_invented_is_refuted() -> None:
    view: Any = None
    _, distributed, plan = derived("training")
    source = next(each for each in distributed.tasks if each.collective is not msgspec.UNSET)
    alone = next(each for each in distributed.tasks if each.collective is msgspec.UNSET)
    target = next(each for each in plan.tasks if each.collective is not msgspec.UNSET)
    for wanted, found in ((source, change(target, collective=msgspec.UNSET)), (alone, target)):
        question = Question()
        portable._collective(question, "x", wanted, found, view)
        assert [each.label for each in question.facts] == ["x.collective"]
        assert exact.decide(question.obligation()).verdict is Verdict.REFUTED
    question = Question()
    portable._collective(question, "x", alone, change(target, collective=msgspec.UNSET), view)
    assert exact.decide(question.obligation()).verdict is Verdict.PROVED


def test_the_attention_core_is_its_two_products_and_the_softmax_between_them() -> None:
    plan = derived("serving")[2]
    core = tuple(dict.fromkeys(each.name for each in plan.alternatives))
    fused = {each.implementation.capability for each in plan.tasks if each.implementation.alternatives == core}
    assert fused == {"compute.batched_matmul", "compute.softmax"}


# Every field of all of them ------------------------------------------------------------------------------------------


def wrong(value: Any) -> Iterator[tuple[str, Any]]:
    """A value with one thing about it changed, and where: a word, a number, the end of a list, a field of either."""
    match value:
        case bool():
            yield "", not value
        case int():
            yield "", value + 1
        case enum.Enum():
            yield "", next(each for each in type(value) if each is not value)
        case str():
            yield "", f"{value}0"
        case tuple() if value:
            yield "[]", value[:-1]
            yield from ((f"[0]{path}", (each, *value[1:])) for path, each in wrong(value[0]))
        case msgspec.Struct():
            for name in value.__struct_fields__:
                yield from (
                    (f".{name}{path}", change(value, **{name: each})) for path, each in wrong(getattr(value, name))
                )


FOUND_BY = (".id", ".name", ".lineage")
"""What tells which demanded entity one is: with another one it is missing, and no claim is asked of it."""


def wrong_entities(entities: Sequence[Any]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The entities with one thing about one of them changed; every kind of thing once, of the first that has it."""
    told = set()
    for place, entity in enumerate(entities):
        for path, changed in wrong(entity):
            if path not in told and not path.startswith(FOUND_BY):
                told.add(path)
                yield path, (*entities[:place], changed, *entities[place + 1 :])


def unnoticed(name: str, stage: int, planned_as: Callable[[Any], TransitionPlan]) -> set[str]:
    """The changes of a snapshot that refute no claim and no law."""
    snapshot, lists = derived(name)[stage], LISTS[stage]
    changed = {}
    for path, short in wrong(change(snapshot, **dict.fromkeys(lists, ()))):
        changed[path] = change(short, **{each: getattr(snapshot, each) for each in lists})
    for field in lists:
        for path, entities in wrong_entities(getattr(snapshot, field)):
            changed[f".{field}{path}"] = change(snapshot, **{field: entities})
    plans = {path: planned_as(each) for path, each in changed.items()}
    return {path for path, plan in plans.items() if not refuted(plan) | refuted_laws(plan)}


LISTS = {1: ("values", "tasks"), 2: ("buffers", "tasks")}
OTHERWISE = {".header.parent", ".header.version"}
"""Compared with the digest of the source and with the schema, before any claim is asked."""


@pytest.mark.parametrize("name", ["training", "serving"])
def test_nothing_of_a_distributed_snapshot_is_believed(name: str) -> None:
    request, model = REQUESTS[name], derived(name)[0]
    assert unnoticed(name, 1, lambda it: plan_distributed(BOOK, request, branch_of(request), model, it)) == OTHERWISE


@pytest.mark.parametrize("name", ["training", "serving"])
def test_nothing_of_a_portable_plan_is_believed(name: str) -> None:
    assert unnoticed(name, 2, lambda it: planned(name, it)) == OTHERWISE


# Laws ---------------------------------------------------------------------------------------------------------------


def refuted_laws(plan: TransitionPlan) -> set[str]:
    """The laws that an instance refutes."""
    asked = [(law.id, plan.obligations[each]) for law in plan.laws for each in law.obligations]
    return {law for law, obligation in asked if exact.decide(obligation).verdict is Verdict.REFUTED}


@pytest.mark.parametrize("more", [1, -1])
def test_a_workspace_that_is_not_the_largest_arm_refutes_its_law(more: int) -> None:
    plan = derived("serving")[2]
    assert refuted_laws(planned("serving", plan)) == set()
    changed = change(plan, memory=change(plan.memory, workspace=plan.memory.workspace + more))
    assert refuted_laws(planned("serving", changed)) == {"workspace"}


def test_the_workspace_of_every_implementation_has_a_law() -> None:
    plan = derived("serving")[2]
    of = {
        law.implementation: law.id
        for rule in BOOK.boundary_rules(DISTRIBUTED_TO_PORTABLE, workload_of(SERVING))
        for law in rule.laws
        if isinstance(law, MaximumLaw)
    }
    assert of.keys() == {each.name for each in plan.alternatives}
    for place, each in enumerate(plan.alternatives):
        for size in (each.workspace + 1, each.workspace - 1):
            others = [*plan.alternatives[:place], change(each, workspace=size), *plan.alternatives[place + 1 :]]
            assert refuted_laws(planned("serving", change(plan, alternatives=tuple(others)))) == {of[each.name]}
        without = (*plan.alternatives[:place], *plan.alternatives[place + 1 :])
        assert refuted_laws(planned("serving", change(plan, alternatives=without))) == {of[each.name]}


@pytest.mark.parametrize("name", REQUESTS)
def test_every_question_about_a_plan_is_ground_and_every_law_but_a_requirement_names_a_theorem_of_its_own(
    name: str,
) -> None:
    request, (model, distributed, plan) = REQUESTS[name], derived(name)
    laws = {
        (rule.id, law.id): {(rule.id, law.id)} if not isinstance(law, Requirement) else set()
        for rule in BOOK.rules
        if isinstance(rule, PassRule | BoundaryRule)
        for law in rule.laws
    }
    for found in (
        plan_model(request, model, model),
        plan_distributed(BOOK, request, branch_of(request), model, distributed),
        planned(name, plan),
    ):
        assert all(each.ground for each in found.obligations)
        for law in found.laws:
            if (law.rule, law.id) in laws:
                assert {theorem[:2] for theorem in law.theorems} == laws[law.rule, law.id]
                assert all(len(theorem) == 3 for theorem in law.theorems)


@pytest.mark.parametrize("name", REQUESTS)
def test_a_law_of_a_primitive_is_over_the_relations_that_make_one(name: str) -> None:
    request, (model, distributed, _) = REQUESTS[name], derived(name)
    plan = plan_distributed(BOOK, request, branch_of(request), model, distributed)
    for law in {rule.law for rule in BOOK.primitives.values() if rule.law}:
        rules = [rule for rule in BOOK.primitives.values() if rule.law == law]
        made = {each.id for each in distributed.tasks if each.primitive in {rule.primitive for rule in rules}}
        over = [each for each in plan.relations if made & set(each.targets)]
        (check,) = (each for each in plan.laws if each.id == law)
        assert (check.members, check.expected_members) == (len(made), len(made))
        # One question is about the number of members.
        assert len(check.obligations) == (len(over) + 1 if made else 0)
        assert {theorem[0] for theorem in check.theorems} == {rule.id for rule in rules}
        assert (check.rule, check.statement) == (rules[0].id, rules[0].statement)
        # It speaks of operations, whatever else the claim about the work of such a task speaks of.
        labels = {each.label for relation in over for of in relation.claims for each in of.facts}
        assert not made or {label for label in labels if label.endswith(".read_bytes")}
        tasks = {each.id for each in distributed.tasks}
        asked = sorted(len(plan.obligations[each].goal) for each in check.obligations[1:])
        assert asked == sorted(len(tasks & set(each.targets)) for each in over)


def test_an_instance_has_the_premises_of_what_its_symbols_stand_for() -> None:
    """Those of its own question, and of the counted parameters where it speaks of them."""
    bindings = Bindings(
        ModelView(SHARDED, derived("sharded")[0], BOOK.pass_rules(MODEL_TO_DISTRIBUTED, Workload.TRAINING))
    )
    question = Question()
    own, counted = question.given("x", 6), bindings.counted.premises
    question.suppose(equal(own, Const(6)))
    assert counted
    every = [*question.premises, *counted]
    for left, premises in ((own, question.premises), *((Var(each), every) for each in ("N", "n_D", "n_w"))):
        asked = bindings.ground(equal(left, left), (), question)
        assert set(asked.hypotheses) & {*question.premises, *counted} == set(premises)
        assert exact.decide(asked).verdict is Verdict.PROVED


@pytest.mark.parametrize("name", ["training", "serving"])
def test_an_invented_task_refutes_every_law_over_all_tasks_of_its_phase_and_no_other(name: str) -> None:
    request, (model, distributed, _) = REQUESTS[name], derived(name)
    stray = change(distributed.tasks[0], name="stray", id="task:" + "0" * 64)
    members = []
    for tasks in (distributed.tasks, (*distributed.tasks, stray)):
        found = change(distributed, tasks=tasks)
        plan = plan_distributed(BOOK, request, branch_of(request), model, found)
        members.append({(law.rule, law.id, law.form): law.members for law in plan.laws})
    more = {key[:2] for key, count in members[1].items() if count != members[0][key]}
    groups = {
        (rule.id, law.id): law.group
        for rule in BOOK.rules
        if isinstance(rule, PassRule | BoundaryRule)
        for law in rule.laws
        if isinstance(law, Law)
    }
    opened = {key for key, group in groups.items() if not group.kinds and not group.primitives}
    assert more == {
        key[:2]
        for key, count in members[0].items()
        if key[:2] in opened and count and stray.phase in groups[key[:2]].phases
    }
    assert more
    assert {key[1] for key in more} <= refuted_laws(plan)


def test_a_printed_form_holds_where_the_sizes_are_those_that_it_defines() -> None:
    for feedforward, heads, forms in (
        (4, 12, {"own", "classical", "four"}),
        (3, 12, {"own", "classical"}),
        (4, 4, {"own"}),
    ):
        facts = change(TRAINING.model, feedforward=feedforward * TRAINING.model.hidden, key_value_heads=heads)
        request = change(TRAINING, model=facts)
        view = ModelView(request, model_ir(request), BOOK.pass_rules(MODEL_TO_DISTRIBUTED, Workload.TRAINING))
        asked: dict[str, Any] = {"own": (), "classical": CLASSICAL, "four": FOUR_WIDE}
        found = {name for name, where in asked.items() if Bindings(view).applies(SimpleNamespace(where=where))}  # type: ignore[arg-type]
        assert found == forms


@pytest.mark.parametrize(
    ("kinds", "primitives", "blocks", "text"),
    [
        ((), (), 1, "forward/optimizer: all tasks"),
        (("mlp", "norm"), (), 1, "forward/optimizer: mlp, norm"),
        ((), ("linear",), 2, "each of 2 blocks: forward/optimizer: linear"),
        ((), ("linear",), 3, "each of 3 blocks: forward/optimizer: linear"),
    ],
)
def test_a_law_says_which_tasks_it_is_over(kinds: Any, primitives: Any, blocks: int, text: str) -> None:
    law: Any = SimpleNamespace(group=Group((Phase.FORWARD, Phase.OPTIMIZER), lambda _: 1, kinds, primitives))
    assert _describe(law, blocks) == text


STACK = training_request(
    builtin("gpt2"), sequence=8, tensor=2, data=2, scope=Scope.STACK, pipeline=6, stage=1,
    communication=Communication.SEQUENCE_PARALLEL,
)  # fmt: skip
STAGED = {(rule.id, law.id): rule.stage for rule in BOOK.rules if isinstance(rule, PassRule | BoundaryRule)
          for law in rule.laws}  # fmt: skip


@functools.cache
def stack() -> tuple[Any, Any]:
    """Model and distributed snapshot of two blocks of a pipeline."""
    model = model_ir(STACK)
    return model, passes_for(STACK)[0].run(model, PassContext(STACK, "0" * 64))


@pytest.mark.parametrize("name", [*REQUESTS, "stack"])
def test_a_law_is_asked_where_it_applies_and_over_nothing_it_is_vacuous(name: str) -> None:
    request = REQUESTS.get(name, STACK)
    model, distributed = derived(name)[:2] if name in REQUESTS else stack()
    for tasks in (distributed.tasks, ()):
        plan = plan_distributed(BOOK, request, branch_of(request), model, change(distributed, tasks=tasks))
        for law in plan.laws:
            assert law.stage is STAGED.get((law.rule, law.id), False)
            assert law.vacuous is (law.applicable and law.expected_members > 0 and not tasks)
            assert bool(law.obligations) is (law.applicable and not law.vacuous)
            assert law.applicable is True or (law.applicable, law.members, law.expected_members) == (False, 0, 0)
            assert tasks or law.members == 0
            assert {law.stage} <= {False, name == "stack"} or not law.applicable
    assert {law.stage for law in plan.laws if law.applicable} == ({False, True} if name == "stack" else {False})


@pytest.mark.parametrize("name", [*REQUESTS, "stack"])
def test_a_law_asks_how_many_there_are_and_then_each_portion(name: str) -> None:
    request = REQUESTS.get(name, STACK)
    model, distributed = derived(name)[:2] if name in REQUESTS else stack()
    plan = plan_distributed(BOOK, request, branch_of(request), model, distributed)
    groups = {(rule.id, law.id): law.group for rule in BOOK.rules if isinstance(rule, PassRule | BoundaryRule)
              for law in rule.laws if isinstance(law, Law)}  # fmt: skip
    blocks = 2 if name == "stack" else 1
    for law in plan.laws:
        group = groups.get((law.rule, law.id))
        if group is None or not law.obligations:
            continue
        parts = {Portion.ALL: {1}, Portion.EACH: {law.members // (1 if group.of_stage else blocks)}}.get(group.portion)
        asked = [plan.obligations[each] for each in law.obligations]
        counts = [each for each in asked if "members" in each.witness]
        assert len(counts) >= 1
        assert len(asked) > len(counts) or not law.members
        if parts is not None and blocks == 1:
            assert len(asked) - len(counts) in parts
        if group.portion is Portion.OPERATION and blocks == 1:
            assert 1 < len(asked) - len(counts) < law.members


def test_what_a_law_may_speak_of_has_its_number() -> None:
    bindings = Bindings(ModelView(STACK, stack()[0], BOOK.pass_rules(MODEL_TO_DISTRIBUTED, Workload.TRAINING)))
    assert {name: bindings.values[name] for name in "BSDgote"} == {
        "B": 1,
        "S": 8,
        "D": 2,
        "g": 2,
        "o": 12,
        "t": 2,
        "e": 2,
    }
    assert {"N", "n_D", "n_w"} <= bindings.counted.values.keys()
    # Without data-parallel ranks nothing is divided over them.
    alone = Bindings(ModelView(WHOLE, derived("whole")[0], BOOK.pass_rules(MODEL_TO_DISTRIBUTED, Workload.TRAINING)))
    assert {"N", "n_D", "n_w"} & alone.counted.values.keys() == {"N", "n_w"}


def test_the_number_of_members_is_called_so() -> None:
    asked = member_count(2, 3)
    assert (asked.witness, exact.decide(asked).verdict) == ({"members": 3}, Verdict.REFUTED)


def test_a_task_that_no_rule_demands_counts_in_every_open_group_of_its_phase() -> None:
    work = dict.fromkeys(Quantity, 1)
    stray = Member(None, Phase.FORWARD, work)
    assert (stray.block, stray.kind, stray.operation) == (None, None, "")
    for phases, kinds, primitives, expected in (
        ((Phase.FORWARD,), (), (), True),
        ((Phase.OPTIMIZER,), (), (), False),
        ((Phase.FORWARD,), ("scores",), (), False),
        ((Phase.FORWARD,), (), ("linear",), False),
    ):
        law: Any = SimpleNamespace(group=Group(phases, lambda _: 1, kinds, primitives))
        assert _belongs(stray, law) is expected
    assert _together([stray, stray]) == Member(None, Phase.FORWARD, dict.fromkeys(Quantity, 2), 2)
    # Nothing demands it with t = 1 either.
    view = ModelView(TRAINING, derived("training")[0], BOOK.pass_rules(MODEL_TO_DISTRIBUTED, Workload.TRAINING))
    nothing: Any = None
    compared = LawInstances(nothing, Bindings(view), [stray], BOOK.primitives)._compared
    assert compared(Reference.UNSHARDED, [stray], Question()) == Sum(())
