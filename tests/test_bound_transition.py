"""What the transitions to a concrete plan and to a program are made of."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import msgspec
import pytest

from blueprint import exact
from blueprint.case import Workload, case_of
from blueprint.claims.matched import Matched
from blueprint.concrete_transition import asked_of, images_of, plan_concrete, snapshot_relation
from blueprint.errors import RulebookError
from blueprint.expected import ExpectedRelation
from blueprint.expected_bound import ExpectedCommand, ExpectedEntry, ExpectedRegion, ExpectedSection
from blueprint.expected_concrete import (
    CATEGORIES,
    attention_of,
    concrete_relations,
    fuses,
    has_queues,
    machine_relations,
    units_of,
)
from blueprint.facts import Question
from blueprint.frontend.block import model_ir
from blueprint.frontend.models import builtin
from blueprint.frontend.request import inference_request, training_request
from blueprint.ir.common import Branch, Role
from blueprint.ir.concrete import CommandKind, QueueCategory
from blueprint.ir.request import Attention, Request, Scope, TargetKind
from blueprint.law import Arrangement, InductiveLaw
from blueprint.machine_transition import plan_machine
from blueprint.passes.protocol import PassContext
from blueprint.pipeline import passes_for
from blueprint.plan import TransitionPlan
from blueprint.rule import (
    CONCRETE_TO_MACHINE,
    PORTABLE_TO_CONCRETE,
    AttentionCore,
    Bound,
    BoundaryRule,
    Claim,
    Entity,
    Layout,
    OperationSource,
    PassRule,
    TensorTarget,
    Version,
    Whole,
    always,
)
from blueprint.rulebook import Rulebook
from blueprint.session import open_rulebook
from blueprint.verdict import Verdict

RULE = next(each for each in open_rulebook(None).rules if isinstance(each, PassRule))


def matched(sources: tuple[str, ...], *found: str | None) -> Matched:
    targets = tuple(ExpectedEntry(f"entry {number}") for number, _ in enumerate(found))
    return Matched(ExpectedRelation(RULE, sources, targets), found)


def test_an_image_is_the_one_entity_that_was_found_for_each_of_its_sources() -> None:
    found = [
        matched(("a", "b"), "x"), matched(("c",), "y"), matched((), "generated"), matched(("missing",), None),
        matched(("several",), "p", "q"),
    ]  # fmt: skip
    assert images_of(found) == {"a": "x", "b": "x", "c": "y"}


def test_a_relation_asks_of_the_targets_that_are_there() -> None:
    question = Question()
    asked = asked_of(matched(("s",), "x", None, "z"), [(Claim.ROLE, question)])
    assert (asked.rule, asked.names) == (RULE.id, ("entry 0", "entry 1", "entry 2"))
    assert (asked.sources, asked.targets) == (("s",), ("x", "z"))
    assert asked.questions == ((Claim.ROLE, question),)


def test_of_a_boundary_as_a_whole_only_what_it_knows_is_asked() -> None:
    question, other = Question(), Question()
    known = {Claim.INTERFACE: question, Claim.ROUTES: other}
    asked = snapshot_relation("a.rule", (Claim.ROUTES, Claim.INTERFACE), known)
    assert asked.questions == ((Claim.ROUTES, other), (Claim.INTERFACE, question))
    assert (asked.rule, asked.names, asked.sources, asked.targets) == ("a.rule", ("snapshot",), (), ())
    with pytest.raises(RulebookError, match=r"a\.rule: .* cannot be asked of this boundary"):
        snapshot_relation("a.rule", (Claim.ROUTES, Claim.MEMORY), known)


# Whole plans --------------------------------------------------------------------------------------------------------

BOOK = open_rulebook(None)
PORTABLE_STAGE = 2


@functools.cache
def emitted(kind: TargetKind) -> tuple[Request, tuple[Any, ...]]:
    """A request and the last three snapshots that the passes make of it."""
    request = training_request(builtin("gpt2"), tensor=2, sequence=24, target=kind, emit=True)
    snapshots: list[Any] = [model_ir(request)]
    for each in passes_for(request):
        snapshots.append(each.run(snapshots[-1], PassContext(request, "0" * 64)))
    return request, tuple(snapshots[PORTABLE_STAGE:])


def planned(book: Rulebook, kind: TargetKind) -> tuple[TransitionPlan, TransitionPlan]:
    request, (plan, concrete, machine) = emitted(kind)
    return plan_concrete(book, request, plan, concrete), plan_machine(book, request, concrete, machine)


@pytest.mark.parametrize("kind", TargetKind)
def test_every_rule_is_asked_of_every_relation_that_it_demands(kind: TargetKind) -> None:
    for boundary, plan in zip((PORTABLE_TO_CONCRETE, CONCRETE_TO_MACHINE), planned(BOOK, kind), strict=True):
        rules = BOOK.pass_rules(boundary, Workload.TRAINING)
        wholes = [each for each in BOOK.boundary_rules(boundary, Workload.TRAINING) if each.claims]
        asked = [(relation.rule, tuple(each.claim for each in relation.claims)) for relation in plan.relations]
        every: list[PassRule | BoundaryRule] = [*rules, *wholes]
        for rule in every:
            found = [claims for by, claims in asked if by == rule.id]
            assert found == [rule.claims] * len(found)
            assert len(found) == 1 or rule in rules
        assert {by for by, _ in asked} <= {each.id for each in every}
        targets = [target for relation in plan.relations for target in relation.targets]
        assert len(targets) == len(set(targets)) == plan.coverage.target_total


@pytest.mark.parametrize("kind", TargetKind)
def test_a_rule_of_the_workload_is_a_rule_and_one_of_another_is_none(kind: TargetKind) -> None:
    plain = planned(BOOK, kind)
    for workload in Workload:
        rules = [
            dataclasses.replace(rule, workload=workload)
            if isinstance(rule, PassRule | BoundaryRule) and rule.workload is None
            else rule
            for rule in BOOK.rules
        ]
        found = planned(dataclasses.replace(BOOK, rules=tuple(rules)), kind)
        for before, after in zip(plain, found, strict=True):
            assert after.coverage.exact is (workload is Workload.TRAINING)
            assert len(after.relations) == (len(before.relations) if workload is Workload.TRAINING else 0)


def test_what_is_wrong_with_a_target_is_in_the_plan() -> None:
    request, (plan, concrete, machine) = emitted(TargetKind.QUEUE)
    short = msgspec.structs.replace(concrete, commands=concrete.commands[1:])
    (fault, *_) = plan_concrete(BOOK, request, plan, short).diagnostics
    assert (fault.code, fault.path) == ("coverage.missing", concrete.commands[0].name)
    program = msgspec.structs.replace(machine, entries=())
    (fault,) = plan_machine(BOOK, request, concrete, program).diagnostics
    assert (fault.code, fault.path) == ("coverage.missing", machine.entries[0].name)
    assert plan_machine(BOOK, request, concrete, machine).case == case_of(request)
    assert plan_concrete(BOOK, request, plan, concrete).case == case_of(request)


FORMS = {
    Arrangement.LAYOUT: {
        "every offset is aligned", "no two buffers share a byte", "every buffer fits its region",
    },
    Arrangement.QUEUES: {
        "every command is in one queue", "issue order is topological", "a dependency is issued earlier",
    },
    Arrangement.SLOTS: {"a dependency is issued earlier", "no two share cycle and slot"},
    Arrangement.SECTIONS: {"one section behind another", "an entry point reaches every instruction"},
}  # fmt: skip


def law_of(arrangement: Arrangement) -> InductiveLaw:
    return InductiveLaw(f"law-of-{arrangement.value}", "in order", "definition", (), (), arrangement)


@pytest.mark.parametrize("kind", TargetKind)
def test_a_law_is_asked_of_what_the_target_arranges_whichever_rule_states_it(kind: TargetKind) -> None:
    arranged = {Arrangement.QUEUES if kind is TargetKind.QUEUE else Arrangement.SLOTS}
    boundaries = (
        (PORTABLE_TO_CONCRETE, set(FORMS) - {Arrangement.SECTIONS}, arranged | {Arrangement.LAYOUT}),
        (CONCRETE_TO_MACHINE, {Arrangement.SECTIONS}, {Arrangement.SECTIONS}),
    )
    plain = planned(BOOK, kind)
    for number, (boundary, known, found) in enumerate(boundaries):
        laws = tuple(law_of(each) for each in known)
        stating = (
            BoundaryRule("a.whole", (boundary,), (), laws),
            dataclasses.replace(RULE, id="a.pass", boundary=boundary, targets=(), laws=laws, workload=None),
        )
        plan = planned(dataclasses.replace(BOOK, rules=(*BOOK.rules, *stating)), kind)[number]
        for rule in stating:
            asked = {
                each: {law.form for law in plan.laws if (law.rule, law.id) == (rule.id, law_of(each).id)}
                for each in known
            }
            assert asked == {each: FORMS[each] if each in found else {"this plan"} for each in known}
        applied = {law.id for law in plan.laws if law.applicable and law.rule in {each.id for each in stating}}
        assert applied == {law_of(each).id for each in found}
        # A rule without claims is no relation.
        assert [each.id for each in plan.relations] == [each.id for each in plain[number].relations]
        assert {exact.decide(each).verdict for each in plan.obligations} == {Verdict.PROVED}


def test_a_section_is_found_by_its_name_whatever_else_has_the_same() -> None:
    """A command may be called what its queue is, and rules may stand in any order."""
    request, (_, concrete, machine) = emitted(TargetKind.QUEUE)
    name = concrete.extension.queues[0].name
    change = msgspec.structs.replace
    source = change(concrete, commands=(change(concrete.commands[0], name=name), *concrete.commands[1:]))
    program = change(
        machine,
        instructions=tuple(
            change(each, name=name) if each.source_command == source.commands[0].id else each
            for each in machine.instructions
        ),
    )
    for rules in (BOOK.rules, BOOK.rules[::-1]):
        plan = plan_machine(dataclasses.replace(BOOK, rules=rules), request, source, program)
        assert plan.coverage.exact
        assert {exact.decide(each).verdict for each in plan.obligations} == {Verdict.PROVED}


# What is demanded -----------------------------------------------------------------------------------------------------


def test_every_kind_of_command_has_a_queue() -> None:
    assert CATEGORIES == {
        CommandKind.LAUNCH: QueueCategory.COMPUTE,
        CommandKind.COLLECTIVE: QueueCategory.COLLECTIVE,
        CommandKind.TRANSFER: QueueCategory.TRANSFER,
        CommandKind.BARRIER: QueueCategory.HOST,
        CommandKind.HOST_CALL: QueueCategory.HOST,
    }


def test_without_a_target_nothing_is_fused_and_nothing_has_queues() -> None:
    _, (plan, _, _) = emitted(TargetKind.QUEUE)
    request = inference_request(builtin("gpt2"), prompt=4, context=8)
    assert (fuses(request), attention_of(request), has_queues(request)) == (False, "", False)
    assert [each.tasks for each in units_of(request, plan)] == [(each,) for each in plan.tasks]


def test_a_program_has_a_section_for_each_queue_or_one_for_all_slots() -> None:
    rules = BOOK.pass_rules(CONCRETE_TO_MACHINE, Workload.TRAINING)
    for kind in TargetKind:
        _, (_, concrete, _) = emitted(kind)
        relations = machine_relations(concrete, rules)
        found = {each.sources: each.targets for each in relations if isinstance(each.targets[0], ExpectedSection)}
        if kind is TargetKind.QUEUE:
            queues = concrete.extension.queues
            assert found == {(queue.id,): (ExpectedSection(queue.name, queue),) for queue in queues}
        else:
            assert found == {(): (ExpectedSection("slots", None),)}


def test_what_cannot_stand_in_a_bound_plan_or_in_a_program_is_passed_over() -> None:
    request, (plan, concrete, _) = emitted(TargetKind.QUEUE)
    other = TensorTarget(Version.FORWARD, Role.ACTIVATION, Layout.STREAM, always)
    region, entry, command = Bound(Entity.REGION), Bound(Entity.ENTRY), Bound(Entity.COMMAND)
    for targets in ((other, region), (region, other), (entry, region)):
        rule = dataclasses.replace(RULE, signature=Whole(), targets=targets)
        (relation,) = concrete_relations(request, plan, [rule])
        assert relation.targets == (ExpectedRegion("memory"),)
    for targets in ((other, entry), (entry, other), (region, entry)):
        rule = dataclasses.replace(RULE, signature=Whole(), targets=targets)
        (relation,) = machine_relations(concrete, [rule])
        assert relation.targets == (ExpectedEntry("main"),)
    # No program fuses anything, and no plan is made of operations.
    assert machine_relations(concrete, [dataclasses.replace(RULE, signature=AttentionCore(), targets=(command,))]) == ()
    of_operations = dataclasses.replace(RULE, signature=OperationSource(()), targets=(command, region))
    assert concrete_relations(request, plan, [of_operations]) == ()


# The attention core as one --------------------------------------------------------------------------------------------


def fused(attention: Attention) -> tuple[Request, Any]:
    request = inference_request(builtin("gpt2"), prompt=4, context=8, target=TargetKind.QUEUE, attention=attention)
    plan: Any = model_ir(request)
    for each in passes_for(request)[:2]:
        plan = each.run(plan, PassContext(request, "0" * 64, Branch.PREFILL))
    return request, plan


def test_a_fused_core_is_its_scores_its_softmax_and_its_context_in_the_place_of_the_last() -> None:
    request, plan = fused(Attention.TILED)
    units = units_of(request, plan)
    (core,) = (each for each in units if each.inner)
    assert [each.name.rpartition(".")[0].rpartition(".")[2] for each in core.tasks] == ["scores", "softmax", "context"]
    scores, softmax, context = core.tasks
    assert core.inner == (scores.outputs[0], softmax.outputs[0]) == (softmax.inputs[0], softmax.outputs[0])
    assert softmax.outputs[0] in context.inputs
    alone = [each for each in plan.tasks if each not in core.tasks]
    assert [each.tasks for each in units if not each.inner] == [(each,) for each in alone]
    before = plan.tasks[: plan.tasks.index(context)]
    assert units.index(core) == len([each for each in before if each not in core.tasks])
    unfused, same = fused(Attention.UNFUSED)
    assert [each.tasks for each in units_of(unfused, same)] == [(each,) for each in same.tasks]


def test_a_softmax_that_is_not_between_two_tasks_is_no_core() -> None:
    """A plan is untrusted."""
    request, plan = fused(Attention.TILED)
    place = next(at for at, each in enumerate(plan.tasks) if each.primitive == "softmax")
    softmax = plan.tasks[place]
    nowhere = f"buffer:{'0' * 64}"
    for fields in (
        {"inputs": ()}, {"outputs": ()}, {"inputs": softmax.inputs * 2}, {"outputs": softmax.outputs * 2},
        {"inputs": (nowhere,)}, {"outputs": (nowhere,)}, {"inputs": softmax.outputs}, {"outputs": softmax.inputs},
        {"primitive": "gelu"},
    ):  # fmt: skip
        changed = msgspec.structs.replace(softmax, **fields)
        tasks = (*plan.tasks[:place], changed, *plan.tasks[place + 1 :])
        units = units_of(request, msgspec.structs.replace(plan, tasks=tasks))
        assert [each.tasks for each in units] == [(each,) for each in tasks]


def test_each_block_of_a_stack_has_a_fused_core_under_its_own_name() -> None:
    request = inference_request(
        builtin("gpt2"), prompt=4, context=8, pipeline=4, scope=Scope.STACK, stage=1, target=TargetKind.QUEUE,
        attention=Attention.TILED,
    )  # fmt: skip
    plan: Any = model_ir(request)
    for each in passes_for(request)[:2]:
        plan = each.run(plan, PassContext(request, "0" * 64, Branch.PREFILL))
    cores = [each for each in units_of(request, plan) if each.inner]
    assert [each.tasks[-1].name for each in cores] == [f"b{block}.context.forward" for block in range(3)]
    relations = concrete_relations(request, plan, BOOK.pass_rules(PORTABLE_TO_CONCRETE, Workload.INFERENCE))
    names = [target.name for each in relations for target in each.targets if isinstance(target, ExpectedCommand)]
    assert [name for name in names if name.endswith("attention")] == [f"b{block}.attention" for block in range(3)]
    fused = {each.id for core in cores for each in core.tasks}
    assert len(names) == len(cores) + len([each for each in plan.tasks if each.id not in fused])


@pytest.mark.parametrize("attention", Attention)
def test_the_workspace_of_a_bound_step_is_at_most_that_of_its_plan(attention: Attention) -> None:
    request, plan = fused(attention)
    bound: Any = passes_for(request)[2].run(plan, PassContext(request, "0" * 64, Branch.PREFILL))
    room = plan.memory.workspace
    for size, verdict in ((bound.workspace, Verdict.PROVED), (room, Verdict.PROVED), (room + 1, Verdict.REFUTED)):
        found = plan_concrete(BOOK, request, plan, msgspec.structs.replace(bound, workspace=size))
        (law,) = (each for each in found.laws if each.group == "workspace")
        (asked,) = law.obligations
        assert exact.decide(found.obligations[asked]).verdict is verdict
    training, (plan, concrete, _) = emitted(TargetKind.QUEUE)
    assert "workspace" not in {each.group for each in plan_concrete(BOOK, training, plan, concrete).laws}
