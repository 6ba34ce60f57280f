"""Law instances: the numbers of a group of tasks against the law's closed form at this derivation's bindings.

A group is found through the rules' own statement of each task, never by a field that the target carries. A task that
no rule demands counts in every group that is open to all tasks of its phase, so a closed total notices it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from blueprint.claims.distributed import OPTIMIZER_STATE, data_share, parameter_count, whole_operations, whole_share
from blueprint.expected import ExpectedRelation, ExpectedTask, ModelView
from blueprint.facts import Question
from blueprint.ir.common import Phase
from blueprint.ir.distributed import EffectKind, Task
from blueprint.ir.portable import PlanTask
from blueprint.ir.request import Deployment, Training, point_of
from blueprint.law import Capacity, Equation, Law, Quantity, Reference, portions_of
from blueprint.obligation import law_instance, law_sides, replace_in
from blueprint.plan import ClaimCheck, LawCheck, RelationCheck, TransitionPlan
from blueprint.rule import TRAFFIC, BoundaryRule, Claim, PassRule, PrimitiveRule
from blueprint.rulebook import Rulebook
from blueprint.symbols import to_term
from blueprint.term import Comparison, Const, Product, Sum, Term, comparison_variables, equal, evaluate
from blueprint.verdict import Obligation

MEMBERS: Final = "members"
"""What a question about the size of a group calls it."""


@dataclass(frozen=True)
class Member:
    """A task of the target with what the rules demand of it; `expected` is None for tasks that no rule demands.

    `count` says for how many tasks it stands; work is what they do together.
    """

    expected: ExpectedTask | None
    phase: Phase
    work: dict[Quantity, int]
    count: int = 1

    @property
    def kind(self) -> str | None:
        """The kind of the model operation that the task comes from."""
        return self.expected.kind if self.expected else None

    @property
    def block(self) -> int | None:
        """The block of a stack that the task belongs to; None for a task that no rule demands."""
        return self.expected.block if self.expected else None

    @property
    def operation(self) -> str:
        """The id of the model operation whose own work the task does; collectives, forks and others have none."""
        return self.expected.operation.id if self.expected and self.expected.operation else ""


class Bindings:
    """The numbers that the symbols of a law stand for in one derivation."""

    def __init__(self, view: ModelView) -> None:
        model, workload, strategy = view.request.model, view.request.workload, view.request.strategy
        width = workload.dtype.width
        self.case = view.case
        self.values = {
            "H": model.hidden,
            "F": model.feedforward,
            "h": model.heads,
            "k": model.key_value_heads,
            "d": model.head_width,
            "t": strategy.tensor,
            "e": width,
        }
        if isinstance(workload, Training):
            self.values |= {"B": workload.batch, "S": workload.sequence}
            self.values |= {"D": strategy.data, "g": strategy.gradient_bytes, "o": OPTIMIZER_STATE[width]}
        else:
            point = point_of(workload, view.branch)
            self.values |= {"b": point.batch, "q": point.queries, "c": point.context}
        deployment = view.request.deployment
        if isinstance(deployment, Deployment) and isinstance(deployment.device_memory, int):
            self.values["C_dev"] = deployment.device_memory
        self.view = view
        self.counted = Question()
        # Every block of a stack holds as many; the claims about its own parameters say so.
        parameter_count(self.counted, view, 0)
        if view.case.data_parallel:
            data_share(self.counted, view)
        whole_share(self.counted, view)

    def instance(
        self,
        equation: Equation[Quantity] | Equation[Capacity],
        amount: Term,
        compared: Term | None = None,
        question: Question | None = None,
        times: int = 1,
    ) -> Obligation:
        """One instance of a law's equation; `question` fixes the symbols of what the amount is compared with.

        An amount of several blocks is `times` the right side, which speaks of one.
        """
        goal = law_sides(equation, self.case, amount)
        if times > 1:
            goal = equal(goal.left, Product((Const(times), goal.right)))
        if compared is not None:
            goal = replace_in(goal, "W_0", compared)
        where = tuple(equal(to_term(symbol), to_term(value)) for symbol, value in equation.where)
        return self.ground(goal, where, question or Question())

    def ground(self, goal: Comparison, where: Sequence[Comparison], question: Question) -> Obligation:
        """A goal with the hypotheses that fix its symbols; parameters bring what fixes them and their share."""
        parameters = {"N", "n_D", "n_w"} & set(comparison_variables(goal))
        premises = (*question.premises, *(self.counted.premises if parameters else ()))
        values = {**self.counted.values, **self.values, **question.values}
        return law_instance(goal, where, values, premises)

    def applies(self, equation: Equation[Quantity] | Equation[Capacity]) -> bool:
        """Whether the definitions of a form hold for this derivation, in exact arithmetic."""
        return all(
            evaluate(to_term(symbol), self.values) == evaluate(to_term(value), self.values)
            for symbol, value in equation.where
        )


def vector(task: Task | PlanTask) -> dict[Quantity, int]:
    """The work vector of a task by quantity, and what of it concerns caches."""
    work, effects = task.work, task.effects
    return {
        Quantity.OPERATIONS: work.operations,
        Quantity.READ_BYTES: work.read_bytes,
        Quantity.WRITE_BYTES: work.write_bytes,
        Quantity.MESSAGE_BYTES: work.message_bytes,
        Quantity.KV_READ_BYTES: sum(each.size for each in effects if each.kind is EffectKind.KV_READ),
        Quantity.KV_WRITE_BYTES: sum(each.size for each in effects if each.kind is EffectKind.KV_WRITE),
    }


class LawInstances:
    """The instances of laws about groups of tasks, at one boundary of one derivation."""

    def __init__(
        self,
        plan: TransitionPlan,
        bindings: Bindings,
        members: Sequence[Member],
        primitives: Mapping[str, PrimitiveRule],
    ) -> None:
        self.plan = plan
        self.bindings = bindings
        self.members = members
        self.primitives = primitives
        self.forward: dict[str, list[Member]] = {}
        for member in members:
            if member.phase is Phase.FORWARD and member.operation:
                self.forward.setdefault(member.operation, []).append(member)

    def add(self, rule: PassRule | BoundaryRule) -> None:
        """Every law of a rule over its group, in every block."""
        for law in rule.laws:
            if isinstance(law, Law):
                groups = self._groups(law)
                for equation in law.equations:
                    self._add(rule, law, equation, groups)

    def _groups(self, law: Law) -> list[list[Member]]:
        """The members of a law's group, block by block; what no rule demands is in all of them, together."""
        members = [member for member in self.members if _belongs(member, law)]
        if law.group.of_stage:
            return [members]
        groups: list[list[Member]] = [[] for _ in range(self.bindings.view.blocks)]
        strays: list[Member] = []
        for member in members:
            (strays if member.block is None else groups[member.block]).append(member)
        together = [_together(strays)] if strays else []
        return [group + together for group in groups]

    def _add(
        self,
        rule: PassRule | BoundaryRule,
        law: Law,
        equation: Equation[Quantity],
        groups: Sequence[Sequence[Member]],
    ) -> None:
        case = self.bindings.case
        expected = law.group.members(case)
        applicable = law.when(case) and self.bindings.applies(equation) and (case.stack or not rule.stage)
        if not applicable:
            groups, expected = [], 0
        found = [sum(member.count for member in group) for group in groups]
        vacuous = expected > 0 and 0 in found
        obligations = [
            obligation
            for group in (groups if applicable and not vacuous else ())
            for obligation in self._obligations(law, equation, group, expected)
        ]
        self.plan.laws.append(
            LawCheck(
                id=law.id,
                rule=rule.id,
                form=equation.form,
                statement=equation.statement or law.statement,
                group=_describe(law, len(groups)),
                members=sum(found),
                expected_members=expected * len(groups),
                obligations=tuple(self.plan.ask(each) for each in obligations),
                applicable=applicable,
                vacuous=vacuous,
                theorems=((rule.id, law.id, equation.form),),
                stage=rule.stage,
            )
        )

    def _obligations(
        self, law: Law, equation: Equation[Quantity], group: Sequence[Member], expected: int
    ) -> list[Obligation]:
        asked = [member_count(sum(member.count for member in group), expected)]
        for portion in portions_of(law.group.portion, group, lambda member: member.operation):
            # The bindings' names are taken: a size with t = 1 must not pass for one of this plan.
            question = Question(values=dict(self.bindings.values))
            amount = Sum(tuple(Const(member.work[equation.quantity]) for member in portion))
            compared = self._compared(law.reference, portion, question)
            asked.append(self.bindings.instance(equation, amount, compared, question))
        return asked

    def _compared(self, reference: Reference | None, portion: Sequence[Member], question: Question) -> Term | None:
        """What a portion is compared with: forward tasks of its operation, or what the rules demand with t = 1."""
        match reference:
            case None:
                return None
            case Reference.FORWARD:
                operations = {member.operation for member in portion} - {""}
                found = [each for operation in operations for each in self.forward.get(operation, ())]
                return Sum(tuple(Const(each.work[Quantity.OPERATIONS]) for each in found))
            case Reference.UNSHARDED:
                alone = self.bindings.view.unsharded
                names = [member.expected.name for member in portion if member.expected]
                tasks = [alone.tasks[name] for name in names if name in alone.tasks]
                rules = [self.primitives[each.target.primitive] for each in tasks]
                pairs = zip(tasks, rules, strict=True)
                return Sum(tuple(whole_operations(question, task, alone, rule) for task, rule in pairs))


def _together(members: Sequence[Member]) -> Member:
    """One member for several that no rule demands: a bundle may hold as many of them as it likes, in every block."""
    work = {quantity: sum(member.work[quantity] for member in members) for quantity in Quantity}
    return Member(None, members[0].phase, work, len(members))


def _belongs(member: Member, law: Law) -> bool:
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


def member_count(found: int, expected: int) -> Obligation:
    """The group has as many members as its law states."""
    question = Question()
    question.number(MEMBERS, found, question.given(MEMBERS, expected))
    return question.obligation()


def _describe(law: Law, blocks: int) -> str:
    group = law.group
    phases = "/".join(phase.value for phase in group.phases)
    kinds = ", ".join(group.kinds or group.primitives) or "all tasks"
    return f"each of {blocks} blocks: {phases}: {kinds}" if blocks > 1 else f"{phases}: {kinds}"


def add_primitive_laws(
    plan: TransitionPlan, rulebook: Rulebook, members: Mapping[str, ExpectedTask], demanded: Sequence[ExpectedTask]
) -> None:
    """The laws that primitives carry, on the operations alone: the facts of the exact-work claims of their tasks."""
    for law in sorted({rule.law for rule in rulebook.primitives.values() if rule.law}):
        rules = [rule for rule in rulebook.primitives.values() if rule.law == law]
        primitives = {rule.primitive for rule in rules}
        found = {identifier for identifier, task in members.items() if task.target.primitive in primitives}
        wanted = sum(task.target.primitive in primitives for task in demanded)
        relations = [relation for relation in plan.relations if found & set(relation.targets)]
        checks = [each for relation in relations for each in relation.claims if each.claim is Claim.EXACT_WORK]
        instances = [plan.ask(_operations_alone(plan, check)) for check in checks]
        theorems = tuple((rule.id, rule.primitive, phase.value) for rule in rules for phase in rule.formulas)
        _add_instances(plan, law, rules[0].id, rules[0].statement, instances, theorems, (len(found), wanted))


def add_traffic_law(plan: TransitionPlan, rulebook: Rulebook, relations: Sequence[ExpectedRelation]) -> None:
    """The claims that the bytes of a task are those of its tensors, as one law over all rules that make them."""
    demanded = [relation for relation in relations if Claim.OPERAND_TRAFFIC in relation.rule.claims]
    targets = (each for relation in demanded for each in relation.targets)
    present = {each.target.primitive for each in targets if isinstance(each, ExpectedTask)}
    rules = [rule for rule in rulebook.primitives.values() if rule.primitive in present]
    if rules:
        theorems = tuple((rule.id, TRAFFIC, "each") for rule in rules)
        statement = "the bytes of every task are those of its tensors, each as often as its primitive counts it"
        claim = Claim.OPERAND_TRAFFIC
        add_claim_law(plan, TRAFFIC, rules[0].id, statement, plan.relations, claim, theorems, len(demanded))


def _operations_alone(plan: TransitionPlan, check: ClaimCheck) -> Obligation:
    """The part of an exact-work obligation that speaks of operations."""
    whole = plan.obligations[check.obligation]
    pairs = zip(check.facts, whole.goal, strict=True)
    goal = tuple(each for fact, each in pairs if fact.label.endswith(".operations"))
    return Obligation(hypotheses=whole.hypotheses, goal=goal, witness=whole.witness, ground=True)


def add_claim_law(
    plan: TransitionPlan,
    law: str,
    rule: str,
    statement: str,
    relations: Sequence[RelationCheck],
    claim: Claim,
    theorems: tuple[tuple[str, str, str], ...],
    demanded: int,
) -> None:
    """A law whose instances are the obligations of one claim of these relations."""
    instances = [check.obligation for relation in relations for check in relation.claims if check.claim is claim]
    _add_instances(plan, law, rule, statement, instances, theorems, (len(instances), demanded))


def _add_instances(
    plan: TransitionPlan,
    law: str,
    rule: str,
    statement: str,
    instances: Sequence[int],
    theorems: tuple[tuple[str, str, str], ...],
    members: tuple[int, int],
) -> None:
    """One law over its instances. `members` are how many are there, and how many the rules demand."""
    found, demanded = members
    obligations = (plan.ask(member_count(found, demanded)), *instances) if instances else ()
    plan.laws.append(
        LawCheck(
            id=law,
            rule=rule,
            form="each",
            statement=statement,
            group=f"each of {len(instances)} instances",
            members=found,
            expected_members=demanded,
            obligations=obligations,
            applicable=True,
            vacuous=not obligations,
            theorems=theorems,
        )
    )
