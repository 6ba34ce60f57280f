"""One transition as questions: which relations exist, what each claim and law asks, and what coverage is.

Pure: nothing is solved here. The gate and verify discharge the obligations and settle the report from the answers.
Coverage is exact: every target entity belongs to exactly one relation that the rules demand, and every demanded
target is there. A law's group is found through lineage, never by a field that the target carries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from blueprint.case import Case, case_of
from blueprint.claims.distributed import interface_question, parameter_count, task_question, tensor_question
from blueprint.claims.matched import Matched, Pair
from blueprint.claims.model import model_interface_question, model_value_questions, operation_questions
from blueprint.claims.portable import PlanView, buffer_question, plan_interface_question, plan_task_question
from blueprint.codec import digest
from blueprint.diagnostic import Diagnostic
from blueprint.expected import (
    ExpectedBuffer,
    ExpectedPlanTask,
    ExpectedRelation,
    ExpectedTask,
    ExpectedTensor,
    ModelView,
    portable_relations,
)
from blueprint.facts import Fact, Question
from blueprint.ir.common import Lineage, LineageKind, Phase, Primitive, Stage
from blueprint.ir.distributed import DistributedTaskIR, DistributedValue, Task, Work
from blueprint.ir.model import ModelIR, OperationKind
from blueprint.ir.portable import Buffer, PlanTask, PortablePlanIR, WorkloadFacts
from blueprint.ir.request import Request
from blueprint.law import Equation, Law, Projection, ProjectionLaw, Quantity
from blueprint.obligation import law_instance
from blueprint.rule import BoundaryRule, Claim, PassRule
from blueprint.rulebook import Rulebook
from blueprint.symbols import to_term
from blueprint.term import Comparison, evaluate, variables
from blueprint.verdict import Obligation

Boundary = tuple[str, str]
"""Names of the two sides: stages, or `request` before the model."""

Entity = DistributedValue | Task | Buffer | PlanTask

PROJECTION_CLAIMS = {
    Projection.WORK: Claim.EXACT_WORK,
    Projection.RESOURCES: Claim.RESOURCES,
    Projection.BUFFER_SIZE: Claim.BUFFER_SIZE,
}
"""The claim whose obligations are the instances of a projection's law."""


@dataclass(frozen=True)
class Coverage:
    """How the entities of a boundary are accounted for; all counts of entities."""

    source: int
    source_total: int
    target: int
    target_total: int
    generated: int
    missing: int
    dangling: int
    undeclared: int
    mismatched: int

    @property
    def exact(self) -> bool:
        """Every source and every target is in a relation, and nothing is missing or too much."""
        faults = self.missing + self.dangling + self.undeclared + self.mismatched
        return faults == 0 and self.source == self.source_total and self.target == self.target_total


@dataclass(frozen=True)
class ClaimCheck:
    """One claim of one relation: the question, and the position of its obligation."""

    claim: Claim
    facts: tuple[Fact, ...]
    obligation: int


@dataclass(frozen=True)
class RelationCheck:
    """One relation with its claims."""

    id: str
    rule: str
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    names: tuple[str, ...]
    claims: tuple[ClaimCheck, ...]

    @property
    def cardinality(self) -> str:
        """1:1, 1:N, N:1, N:M, and 0:0 for claims about a boundary as a whole."""
        left, right = (_many(each) for each in (self.sources, self.targets))
        return "N:M" if (left, right) == ("N", "N") else f"{left}:{right}"


@dataclass(frozen=True)
class LawCheck:
    """One law over its group: the positions of its instances' obligations, or why there are none.

    `theorems` names the recorded theorems behind it: rule, law and form.
    """

    id: str
    rule: str
    form: str
    statement: str
    group: str
    members: int
    expected_members: int
    obligations: tuple[int, ...]
    applicable: bool
    vacuous: bool
    theorems: tuple[tuple[str, str, str], ...]


@dataclass
class TransitionPlan:
    """Everything that a transition must establish."""

    boundary: Boundary
    coverage: Coverage
    case: Case
    relations: list[RelationCheck] = field(default_factory=list)
    laws: list[LawCheck] = field(default_factory=list)
    obligations: list[Obligation] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def ask(self, obligation: Obligation) -> int:
        """Add an obligation and return its position."""
        self.obligations.append(obligation)
        return len(self.obligations) - 1


def plan_distributed(
    rulebook: Rulebook, request: Request, source: ModelIR, target: DistributedTaskIR
) -> TransitionPlan:
    """What must hold between a model and a distributed snapshot."""
    stages = (Stage.MODEL, Stage.DISTRIBUTED)
    rules = rulebook.pass_rules(stages)
    view = ModelView(request, source, rules)
    known = {each.id for each in source.values} | {each.id for each in source.operations}
    values = {value.id: value for value in target.values}
    tasks = {task.id: task for task in target.tasks}
    matching = _match(view.relations, (*target.values, *target.tasks), known, rules)
    plan = TransitionPlan(_sides(stages), matching.coverage, view.case, diagnostics=matching.diagnostics)

    tensor_ids = {
        expected.name: found
        for matched in matching.matched
        for expected, found in zip(matched.relation.targets, matched.found, strict=True)
        if isinstance(expected, ExpectedTensor) and found is not None
    }
    members: dict[str, ExpectedTask] = {}
    for matched in matching.matched:
        tensors: list[Pair[ExpectedTensor, DistributedValue]] = []
        steps: list[Pair[ExpectedTask, Task]] = []
        for expected, found in zip(matched.relation.targets, matched.found, strict=True):
            if isinstance(expected, ExpectedTensor) and found in values:
                tensors.append(Pair(expected, values[found]))
            if isinstance(expected, ExpectedTask) and found in tasks:
                steps.append(Pair(expected, tasks[found]))
                members[found] = expected
        questions = [
            (
                claim,
                tensor_question(claim, tensors, view)
                if tensors
                else task_question(claim, steps, view, rulebook.primitives, tensor_ids),
            )
            for claim in matched.relation.rule.claims
            if tensors or steps
        ]
        _add_relation(plan, matched, questions)

    bindings = _Bindings(view)
    work = [
        _Member(task.id, members.get(task.id), task.phase, task.primitive, _vector(task.work)) for task in target.tasks
    ]
    for rule in rules:
        _add_laws(plan, rule, bindings, work)
    for boundary_rule in rulebook.boundary_rules(stages):
        question = interface_question(view, target, tensor_ids)
        _add_boundary_rule(plan, boundary_rule, question, bindings, work)
    _add_primitive_laws(plan, rulebook, members)
    return plan


def plan_portable(
    rulebook: Rulebook, request: Request, model: ModelIR, source: DistributedTaskIR, target: PortablePlanIR
) -> TransitionPlan:
    """What must hold between a distributed snapshot and a portable plan; laws are resolved through to the model."""
    stages = (Stage.DISTRIBUTED, Stage.PORTABLE)
    rules = rulebook.pass_rules(stages)
    known = {each.id for each in source.values} | {each.id for each in source.tasks}
    buffers = {buffer.id: buffer for buffer in target.buffers}
    tasks = {task.id: task for task in target.tasks}
    matching = _match(portable_relations(source, rules), (*target.buffers, *target.tasks), known, rules)
    plan = TransitionPlan(_sides(stages), matching.coverage, case_of(request), diagnostics=matching.diagnostics)

    buffer_ids: dict[str, str] = {}
    task_ids: dict[str, str] = {}
    for matched in matching.matched:
        for expected, found in zip(matched.relation.targets, matched.found, strict=True):
            if isinstance(expected, ExpectedBuffer) and found in buffers:
                buffer_ids[expected.value.id] = found
            if isinstance(expected, ExpectedPlanTask) and found in tasks:
                task_ids[expected.task.id] = found
    view = PlanView(source, request.strategy.tensor, buffer_ids, task_ids)
    for matched in matching.matched:
        plan_tasks = [
            Pair(expected, tasks[found])
            for expected, found in zip(matched.relation.targets, matched.found, strict=True)
            if isinstance(expected, ExpectedPlanTask) and found in tasks
        ]
        stored = [
            Pair(expected, buffers[found])
            for expected, found in zip(matched.relation.targets, matched.found, strict=True)
            if isinstance(expected, ExpectedBuffer) and found in buffers
        ]
        questions = [
            (
                claim,
                plan_task_question(claim, plan_tasks, view) if plan_tasks else buffer_question(claim, stored, view),
            )
            for claim in matched.relation.rule.claims
            if plan_tasks or stored
        ]
        _add_relation(plan, matched, questions)

    model_view = ModelView(request, model, rulebook.pass_rules((Stage.MODEL, Stage.DISTRIBUTED)))
    demanded = {
        expected.name: expected
        for relation in model_view.relations
        for expected in relation.targets
        if isinstance(expected, ExpectedTask)
    }
    members = {found: demanded.get(_name_of(source, task)) for task, found in task_ids.items()}
    bindings = _Bindings(model_view)
    work = [
        _Member(task.id, members.get(task.id), task.phase, task.primitive, _vector(task.work)) for task in target.tasks
    ]
    for boundary_rule in rulebook.boundary_rules(stages):
        _add_boundary_rule(plan, boundary_rule, plan_interface_question(view, target), bindings, work)
    for rule in rules:
        relations = [relation for relation in plan.relations if relation.rule == rule.id]
        for law in rule.laws:
            if isinstance(law, ProjectionLaw):
                claim = PROJECTION_CLAIMS[law.projection]
                theorems = ((rule.id, law.id, "projection"),)
                _add_claim_law(plan, law.id, rule.id, law.statement, relations, claim, theorems, len(relations))
    return plan


# Matching -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Matching:
    matched: list[Matched]
    coverage: Coverage
    diagnostics: list[Diagnostic]


def _match(
    relations: Sequence[ExpectedRelation],
    entities: Sequence[Entity],
    known: set[str],
    pass_rules: Sequence[PassRule],
) -> _Matching:
    """Compare the targets' lineage with the relations that the rules demand."""
    faults: list[Diagnostic] = []
    rules = {rule.id: rule for rule in pass_rules}
    demanded = {(relation.rule.id, relation.sources) for relation in relations}
    groups: dict[tuple[str, tuple[str, ...]], dict[str, Entity]] = {}
    dangling = undeclared = mismatched = covered = 0
    for entity in entities:
        lineage = entity.lineage
        key = (lineage.transform, lineage.sources)
        lost = [source for source in lineage.sources if source not in known]
        if lost:
            dangling += 1
            faults.append(_fault("lineage.dangling", f"source {lost[0]} is not in the parent snapshot", entity))
        elif lineage.transform not in rules:
            undeclared += 1
            faults.append(_fault("lineage.undeclared", f"no rule {lineage.transform} at this boundary", entity))
        elif key not in demanded:
            mismatched += 1
            faults.append(
                _fault("coverage.unexpected", f"rule {lineage.transform} demands no target of these sources", entity)
            )
        else:
            faults.extend(_lineage_faults(rules[lineage.transform], entity))
            groups.setdefault(key, {})[entity.name] = entity

    matched: list[Matched] = []
    missing = 0
    for relation in relations:
        group = groups.get((relation.rule.id, relation.sources), {})
        found: list[str | None] = []
        for expected in relation.targets:
            entity_found = group.pop(expected.name, None)
            if entity_found is not None and isinstance(entity_found, _TYPES[type(expected)]):
                found.append(entity_found.id)
                covered += 1
            else:
                found.append(None)
                missing += 1
                faults.append(
                    Diagnostic(
                        code="coverage.missing",
                        message=f"rule {relation.rule.id} demands this target",
                        path=expected.name,
                    )
                )
        for entity in group.values():
            mismatched += 1
            faults.append(
                _fault("coverage.unexpected", f"rule {relation.rule.id} demands no target of this name", entity)
            )
        matched.append(Matched(relation, tuple(found)))

    used = {source for each in matched if each.complete for source in each.relation.sources}
    generated = sum(
        len(each.relation.targets) for each in matched if each.relation.rule.lineage is LineageKind.GENERATED
    )
    wrong = sum(1 for each in faults if each.code in {"lineage.kind", "lineage.source_value"})
    coverage = Coverage(
        source=len(used),
        source_total=len(known),
        target=covered,
        target_total=len(entities),
        generated=generated,
        missing=missing,
        dangling=dangling,
        undeclared=undeclared,
        mismatched=mismatched + wrong,
    )
    return _Matching(matched, coverage, faults)


_TYPES: dict[type, type] = {
    ExpectedTensor: DistributedValue,
    ExpectedTask: Task,
    ExpectedPlanTask: PlanTask,
    ExpectedBuffer: Buffer,
}


def _lineage_faults(rule: PassRule, entity: Entity) -> Iterator[Diagnostic]:
    lineage: Lineage = entity.lineage
    if lineage.kind is not rule.lineage:
        yield _fault("lineage.kind", f"kind is {lineage.kind.value}, the rule says {rule.lineage.value}", entity)
    if isinstance(entity, DistributedValue | Buffer) and (entity.source_value,) != lineage.sources:
        yield _fault("lineage.source_value", "source_value differs from the lineage's source", entity)


def _fault(code: str, message: str, entity: Entity) -> Diagnostic:
    return Diagnostic(code=code, message=message, path=entity.name)


# Relations and their claims -----------------------------------------------------------------------------------------


def _add_relation(plan: TransitionPlan, matched: Matched, questions: Iterable[tuple[Claim, Question]]) -> None:
    relation = matched.relation
    plan.relations.append(
        RelationCheck(
            id=_relation_id(plan.boundary, relation.rule.id, relation.sources),
            rule=relation.rule.id,
            sources=relation.sources,
            targets=tuple(each for each in matched.found if each is not None),
            names=tuple(expected.name for expected in relation.targets),
            claims=tuple(_checked(plan, claim, question) for claim, question in questions),
        )
    )


def _checked(plan: TransitionPlan, claim: Claim, question: Question) -> ClaimCheck:
    return ClaimCheck(claim, tuple(question.facts), plan.ask(question.obligation()))


def _relation_id(boundary: Boundary, rule: str, sources: tuple[str, ...]) -> str:
    return f"relation:{digest('relation', 1, [*boundary, rule, sources])}"


def _sides(stages: tuple[Stage, Stage]) -> Boundary:
    return stages[0].value, stages[1].value


def _name_of(source: DistributedTaskIR, identifier: str) -> str:
    return next((task.name for task in source.tasks if task.id == identifier), "")


def _many(items: Sequence[str]) -> str:
    return str(len(items)) if len(items) < 2 else "N"


# Laws ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Member:
    """A task of the target with what the rules demand of it; `expected` is None for a task that no rule demands."""

    id: str
    expected: ExpectedTask | None
    phase: Phase
    primitive: Primitive
    work: dict[Quantity, int]

    @property
    def kind(self) -> OperationKind | None:
        """The kind of the model operation that the task comes from."""
        return self.expected.kind if self.expected else None


class _Bindings:
    """The numbers that the symbols of a law stand for in one derivation."""

    def __init__(self, view: ModelView) -> None:
        model, workload, strategy = view.request.model, view.request.workload, view.request.strategy
        width = workload.dtype.width
        self.case = view.case
        self.values = {
            "B": workload.batch,
            "S": workload.sequence,
            "H": model.hidden,
            "F": model.feedforward,
            "h": model.heads,
            "k": model.key_value_heads,
            "d": model.head_width,
            "t": strategy.tensor,
            "D": strategy.data,
            "e": width,
            "g": strategy.gradient_bytes,
            "o": 8 if width == 4 else 12,
        }
        self.share = Question()
        if view.case.sharded_optimizer:
            parameter_count(self.share, view)

    def instance(self, equation: Equation, amounts: Sequence[int]) -> Obligation:
        """One instance of a law's equation; a sharded optimizer brings the premises of its share along."""
        shared = "n_D" in set(variables(to_term(equation.right(self.case))))
        premises: Sequence[Comparison] = self.share.premises if shared else ()
        return law_instance(equation, self.case, amounts, {**self.values, **self.share.values}, premises)

    def applies(self, equation: Equation) -> bool:
        """Whether the definitions of a form hold for this derivation, in exact arithmetic."""
        return all(
            evaluate(to_term(symbol), self.values) == evaluate(to_term(value), self.values)
            for symbol, value in equation.where
        )


def _vector(work: Work | WorkloadFacts) -> dict[Quantity, int]:
    return {
        Quantity.OPERATIONS: work.operations,
        Quantity.READ_BYTES: work.read_bytes,
        Quantity.WRITE_BYTES: work.write_bytes,
        Quantity.MESSAGE_BYTES: work.message_bytes,
    }


def _add_laws(
    plan: TransitionPlan, rule: PassRule | BoundaryRule, bindings: _Bindings, members: Sequence[_Member]
) -> None:
    for law in rule.laws:
        if not isinstance(law, Law):
            continue
        group = [member for member in members if _belongs(member, law)]
        for equation in law.equations:
            _add_law(plan, rule.id, law, equation, bindings, group)


def _belongs(member: _Member, law: Law) -> bool:
    """Membership through the rules' own statement; a task that no rule demands counts in every open group."""
    group = law.group
    if member.expected is None:
        return member.phase in group.phases and not group.kinds and not group.primitives
    target = member.expected.target
    return (
        target.phase in group.phases
        and (not group.kinds or member.kind in group.kinds)
        and (not group.primitives or target.primitive in group.primitives)
    )


def _add_law(
    plan: TransitionPlan,
    rule: str,
    law: Law,
    equation: Equation,
    bindings: _Bindings,
    group: Sequence[_Member],
) -> None:
    expected = law.group.members(bindings.case)
    amounts = [member.work[equation.quantity] for member in group]
    applicable = bindings.applies(equation)
    vacuous = not group and expected > 0
    obligations: list[int] = []
    if applicable and not vacuous:
        obligations.append(plan.ask(_member_count(len(group), expected)))
        portions = [[amount] for amount in amounts] if law.group.each else [amounts]
        obligations.extend(plan.ask(bindings.instance(equation, portion)) for portion in portions)
    plan.laws.append(
        LawCheck(
            id=law.id,
            rule=rule,
            form=equation.form,
            statement=law.statement,
            group=_describe(law),
            members=len(group),
            expected_members=expected,
            obligations=tuple(obligations),
            applicable=applicable,
            vacuous=vacuous,
            theorems=((rule, law.id, equation.form),),
        )
    )


def _member_count(found: int, expected: int) -> Obligation:
    question = Question()
    question.number("members", found, question.given("members", expected))
    return question.obligation()


def _describe(law: Law) -> str:
    group = law.group
    phases = "/".join(phase.value for phase in group.phases)
    kinds = ", ".join(each.value for each in (group.kinds or group.primitives)) or "all tasks"
    return f"{phases}: {kinds}"


def _add_boundary_rule(
    plan: TransitionPlan, rule: BoundaryRule, question: Question, bindings: _Bindings, members: Sequence[_Member]
) -> None:
    if Claim.INTERFACE in rule.claims:
        plan.relations.append(
            RelationCheck(
                id=_relation_id(plan.boundary, rule.id, ()),
                rule=rule.id,
                sources=(),
                targets=(),
                names=("snapshot",),
                claims=(_checked(plan, Claim.INTERFACE, question),),
            )
        )
    _add_laws(plan, rule, bindings, members)


def _add_primitive_laws(plan: TransitionPlan, rulebook: Rulebook, members: Mapping[str, ExpectedTask]) -> None:
    """The laws that primitives carry: their instances are the exact-work claims of the relations that use them."""
    for law in sorted({rule.law for rule in rulebook.primitives.values() if rule.law}):
        rules = [rule for rule in rulebook.primitives.values() if rule.law == law]
        primitives = {rule.primitive for rule in rules}
        tasks = {identifier for identifier, task in members.items() if task.target.primitive in primitives}
        theorems = tuple((rule.id, rule.primitive.value, phase.value) for rule in rules for phase in rule.formulas)
        statement = "W = 2 m n k for every matrix product"
        relations = [relation for relation in plan.relations if tasks & set(relation.targets)]
        _add_claim_law(plan, law, rules[0].id, statement, relations, Claim.EXACT_WORK, theorems, len(tasks))


def _add_claim_law(
    plan: TransitionPlan,
    law: str,
    rule: str,
    statement: str,
    relations: Sequence[RelationCheck],
    claim: Claim,
    theorems: tuple[tuple[str, str, str], ...],
    members: int,
) -> None:
    """A law whose instances are the obligations of one claim of these relations."""
    obligations = tuple(check.obligation for relation in relations for check in relation.claims if check.claim is claim)
    plan.laws.append(
        LawCheck(
            id=law,
            rule=rule,
            form="each",
            statement=statement,
            group=f"claim {claim.value} of {len(relations)} relations",
            members=members,
            expected_members=members,
            obligations=obligations,
            applicable=True,
            vacuous=not obligations,
            theorems=theorems,
        )
    )


# Request -> model ---------------------------------------------------------------------------------------------------


def plan_model(request: Request, model: ModelIR, demanded: ModelIR) -> TransitionPlan:
    """What must hold between a request and its model: every value and operation that the front end makes of it."""
    values = {value.name: value for value in model.values}
    operations = {operation.name: operation for operation in model.operations}
    wanted = {each.name for each in demanded.values} | {each.name for each in demanded.operations}
    found = values.keys() | operations.keys()
    faults = [
        Diagnostic(code="coverage.missing", message="the request demands this entity of the model", path=name)
        for name in sorted(wanted - found)
    ] + [
        Diagnostic(code="coverage.unexpected", message="the request demands no entity of this name", path=name)
        for name in sorted(found - wanted)
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
        if value.name in values:
            _add_model_relation(
                plan, value.name, values[value.name].id, model_value_questions(value, values[value.name])
            )
    for operation in demanded.operations:
        if operation.name in operations:
            actual = operations[operation.name]
            _add_model_relation(plan, operation.name, actual.id, operation_questions(operation, actual))
    _add_model_relation(plan, "block", "", [(Claim.INTERFACE, model_interface_question(request, model, demanded))])
    return plan


def _add_model_relation(
    plan: TransitionPlan, name: str, target: str, questions: Sequence[tuple[Claim, Question]]
) -> None:
    plan.relations.append(
        RelationCheck(
            id=_relation_id(plan.boundary, "model.from_request", (name,)),
            rule="model.from_request",
            sources=("request",),
            targets=(target,) if target else (),
            names=(name,),
            claims=tuple(_checked(plan, claim, question) for claim, question in questions),
        )
    )
