"""One transition as questions: which relations exist, and what each claim and each law asks of them.

Pure: nothing is solved here. The gate and verify discharge the obligations and settle the report from the answers.
"""

from __future__ import annotations

from collections.abc import Mapping

from blueprint.capacities import add_memory_laws
from blueprint.case import case_of, workload_of
from blueprint.claims.distributed import interface_question, task_question, tensor_question
from blueprint.claims.matched import Pair
from blueprint.claims.model import model_interface_question, model_value_questions, operation_questions
from blueprint.claims.portable import (
    PlanView,
    alternatives_question,
    buffer_question,
    memory_question,
    plan_interface_question,
    plan_task_question,
)
from blueprint.diagnostic import Diagnostic
from blueprint.errors import RulebookError
from blueprint.expected import (
    ExpectedBuffer,
    ExpectedPlanTask,
    ExpectedTask,
    ExpectedTensor,
    ModelView,
    portable_relations,
)
from blueprint.facts import Question
from blueprint.instances import (
    Bindings,
    LawInstances,
    Member,
    add_claim_law,
    add_primitive_laws,
    add_traffic_law,
    vector,
)
from blueprint.ir.common import Branch, Stage
from blueprint.ir.distributed import DistributedTaskIR
from blueprint.ir.model import ModelIR
from blueprint.ir.portable import PortablePlanIR
from blueprint.ir.request import Request
from blueprint.law import MaximumLaw, Projection, ProjectionLaw
from blueprint.matching import Matching, match_relations
from blueprint.plan import Coverage, TransitionPlan
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, MODEL_TO_DISTRIBUTED, BoundaryRule, Claim
from blueprint.rulebook import Rulebook

PROJECTION_CLAIMS = {
    Projection.WORK: Claim.EXACT_WORK,
    Projection.RESOURCES: Claim.RESOURCES,
    Projection.BUFFER_SIZE: Claim.BUFFER_SIZE,
}
"""The claim whose obligations are the instances of a projection's law."""


def plan_model(request: Request, model: ModelIR, demanded: ModelIR) -> TransitionPlan:
    """What must hold between a request and its model: every value and operation that the front end makes of it."""
    values = {value.name: value for value in model.values}
    operations = {operation.name: operation for operation in model.operations}
    wanted, found = _model_entities(demanded), _model_entities(model)
    faults = [
        Diagnostic(code="coverage.missing", message=f"the request demands this {kind} of the model", path=name)
        for kind, name in sorted(wanted - found)
    ] + [
        Diagnostic(code="coverage.unexpected", message=f"the request demands no {kind} of this name", path=name)
        for kind, name in sorted(found - wanted)
    ]
    total = len(model.values) + len(model.operations)
    coverage = Coverage(
        source=1,
        source_total=1,
        target=total - len(found - wanted),
        target_total=total,
        generated=0,
        missing=len(wanted - found),
        dangling=0,
        undeclared=0,
        mismatched=len(found - wanted),
    )
    plan = TransitionPlan(("request", Stage.MODEL.value), coverage, case_of(request), diagnostics=faults)
    for value in demanded.values:
        actual = values.get(value.name)
        if actual is not None:
            _relate_model(plan, value.name, [actual.id], model_value_questions(value, actual))
    for operation in demanded.operations:
        node = operations.get(operation.name)
        if node is not None:
            _relate_model(plan, operation.name, [node.id], operation_questions(operation, node))
    _relate_model(plan, "block", [], [(Claim.INTERFACE, model_interface_question(request, model, demanded))])
    return plan


def _model_entities(model: ModelIR) -> set[tuple[str, str]]:
    values = {("value", each.name) for each in model.values}
    return values | {("operation", each.name) for each in model.operations}


def _relate_model(plan: TransitionPlan, name: str, targets: list[str], asked: list[tuple[Claim, Question]]) -> None:
    plan.relate("model.from_request", [name], ["request"], targets, asked, key=[name])


def plan_distributed(
    rulebook: Rulebook, request: Request, branch: Branch, source: ModelIR, target: DistributedTaskIR
) -> TransitionPlan:
    """What must hold between a model and a distributed snapshot."""
    workload = workload_of(request)
    rules = rulebook.pass_rules(MODEL_TO_DISTRIBUTED, workload)
    view = ModelView(request, source, rules, branch)
    known = {each.id for each in source.values} | {each.id for each in source.operations}
    matching = match_relations(view.relations, (*target.values, *target.tasks), known, rules)
    plan = _open(MODEL_TO_DISTRIBUTED, request, matching)

    values = {value.id: value for value in target.values}
    tasks = {task.id: task for task in target.tasks}
    tensor_ids: dict[str, str] = {}
    members: dict[str, ExpectedTask] = {}
    for expected, found in matching.pairs:
        if isinstance(expected, ExpectedTensor):
            tensor_ids[expected.name] = found
        if isinstance(expected, ExpectedTask):
            members[found] = expected
    for matched in matching.matched:
        tensors = [
            Pair(expected, values[found]) for expected, found in matched.pairs if isinstance(expected, ExpectedTensor)
        ]
        steps = [
            Pair(expected, tasks[found]) for expected, found in matched.pairs if isinstance(expected, ExpectedTask)
        ]
        claims = matched.relation.rule.claims
        if tensors:
            matched.relate(plan, [(claim, tensor_question(claim, tensors, view)) for claim in claims])
        if steps:
            primitives = rulebook.primitives
            asked = [(claim, task_question(claim, steps, view, primitives, tensor_ids)) for claim in claims]
            matched.relate(plan, asked)

    bindings = Bindings(view)
    work = [Member(members.get(task.id), task.phase, vector(task)) for task in target.tasks]
    laws = LawInstances(plan, bindings, work, rulebook.primitives)
    for rule in rules:
        laws.add(rule)
    of_snapshot = {Claim.INTERFACE: interface_question(view, target, tensor_ids)}
    for boundary_rule in rulebook.boundary_rules(MODEL_TO_DISTRIBUTED, workload):
        _relate_boundary(plan, boundary_rule, of_snapshot)
        laws.add(boundary_rule)
    add_primitive_laws(plan, rulebook, members, list(view.tasks.values()))
    add_traffic_law(plan, rulebook, view.relations)
    return plan


def plan_portable(
    rulebook: Rulebook,
    request: Request,
    branch: Branch,
    model: ModelIR,
    source: DistributedTaskIR,
    target: PortablePlanIR,
) -> TransitionPlan:
    """What must hold between a distributed snapshot and a portable plan; laws are resolved through to the model."""
    workload = workload_of(request)
    rules = rulebook.pass_rules(DISTRIBUTED_TO_PORTABLE, workload)
    known = {each.id for each in source.values} | {each.id for each in source.tasks}
    matching = match_relations(portable_relations(source, rules), (*target.buffers, *target.tasks), known, rules)
    plan = _open(DISTRIBUTED_TO_PORTABLE, request, matching)

    buffers = {buffer.id: buffer for buffer in target.buffers}
    tasks = {task.id: task for task in target.tasks}
    buffer_ids: dict[str, str] = {}
    task_ids: dict[str, str] = {}
    for expected, found in matching.pairs:
        if isinstance(expected, ExpectedBuffer):
            buffer_ids[expected.value.id] = found
        if isinstance(expected, ExpectedPlanTask):
            task_ids[expected.task.id] = found
    laws = {law.projection: law for rule in rules for law in rule.laws if isinstance(law, ProjectionLaw)}
    boundary_rules = rulebook.boundary_rules(DISTRIBUTED_TO_PORTABLE, workload)
    alternatives = [law for rule in boundary_rules for law in rule.laws if isinstance(law, MaximumLaw)]
    core = tuple(law.implementation for law in alternatives)
    model_view = ModelView(request, model, rulebook.pass_rules(MODEL_TO_DISTRIBUTED, workload), branch)
    # A value whose source is not in the model has its own finding, at the boundary before.
    known_values = [value for value in source.values if value.source_value in model_view.values]
    blocks = {value.id: model_view.block_of(model_view.values[value.source_value]) for value in known_values}
    view = PlanView(source, request.strategy, laws, buffer_ids, task_ids, core, blocks)
    for matched in matching.matched:
        steps = [
            Pair(expected, tasks[found]) for expected, found in matched.pairs if isinstance(expected, ExpectedPlanTask)
        ]
        stored = [
            Pair(expected, buffers[found]) for expected, found in matched.pairs if isinstance(expected, ExpectedBuffer)
        ]
        claims = matched.relation.rule.claims
        if steps:
            matched.relate(plan, [(claim, plan_task_question(claim, steps, view)) for claim in claims])
        if stored:
            matched.relate(plan, [(claim, buffer_question(claim, stored, view)) for claim in claims])

    origins = _origins(model_view, source)
    members = {found: origins.get(task) for task, found in task_ids.items()}
    bindings = Bindings(model_view)
    work = [Member(members.get(task.id), task.phase, vector(task)) for task in target.tasks]
    work_laws = LawInstances(plan, bindings, work, rulebook.primitives)
    asked = {
        Claim.INTERFACE: plan_interface_question(view, target),
        Claim.MEMORY: memory_question(view, request, target),
        Claim.ALTERNATIVES: alternatives_question(target, alternatives),
    }
    for boundary_rule in boundary_rules:
        _relate_boundary(plan, boundary_rule, asked)
        work_laws.add(boundary_rule)
        add_memory_laws(plan, boundary_rule, bindings, target, core)
    for rule in rules:
        work_laws.add(rule)
        demanded = sum(matched.relation.rule.id == rule.id for matched in matching.matched)
        relations = [relation for relation in plan.relations if relation.rule == rule.id]
        for law in rule.laws:
            if isinstance(law, ProjectionLaw):
                claim = PROJECTION_CLAIMS[law.projection]
                theorems = ((rule.id, law.id, "projection"),)
                add_claim_law(plan, law.id, rule.id, law.statement, relations, claim, theorems, demanded)
    return plan


def _open(stages: tuple[Stage, Stage], request: Request, matching: Matching) -> TransitionPlan:
    boundary = (stages[0].value, stages[1].value)
    return TransitionPlan(boundary, matching.coverage, case_of(request), diagnostics=matching.diagnostics)


def _relate_boundary(plan: TransitionPlan, rule: BoundaryRule, asked: Mapping[Claim, Question]) -> None:
    """The claims about the snapshot as a whole. Raises RulebookError for one that cannot be asked of it."""
    for claim in rule.claims:
        if claim not in asked:
            raise RulebookError(f"{rule.id}: {claim.value} cannot be asked of this boundary as a whole")
    if rule.claims:
        plan.relate(rule.id, ["snapshot"], [], [], [(claim, asked[claim]) for claim in rule.claims])


def _origins(view: ModelView, source: DistributedTaskIR) -> dict[str, ExpectedTask]:
    """What the rules demand of each distributed task, through its lineage to the model."""
    demanded = {
        (relation.rule.id, relation.sources, expected.name): expected
        for relation in view.relations
        for expected in relation.targets
        if isinstance(expected, ExpectedTask)
    }
    keys = {task.id: (task.lineage.transform, task.lineage.sources, task.name) for task in source.tasks}
    return {task: demanded[key] for task, key in keys.items() if key in demanded}
