"""Law instances: the numbers of a group of tasks against the law's closed form at this derivation's bindings.

A group is found through the rules' own statement of each task, never by a field that the target carries. A task that
no rule demands counts in every group that is open to all tasks of its phase, so a closed total notices it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from blueprint.claims.distributed import OPTIMIZER_STATE, parameter_count
from blueprint.expected import ExpectedTask, ModelView
from blueprint.facts import Question
from blueprint.ir.common import Phase
from blueprint.ir.distributed import Work
from blueprint.ir.model import OperationKind
from blueprint.ir.portable import WorkloadFacts
from blueprint.law import Equation, Law, Quantity
from blueprint.obligation import law_instance
from blueprint.plan import ClaimCheck, LawCheck, RelationCheck, TransitionPlan
from blueprint.rule import BoundaryRule, Claim, PassRule
from blueprint.rulebook import Rulebook
from blueprint.symbols import to_term
from blueprint.term import Comparison, evaluate, variables
from blueprint.verdict import Obligation


@dataclass(frozen=True)
class Member:
    """A task of the target with what the rules demand of it; `expected` is None for a task that no rule demands."""

    expected: ExpectedTask | None
    phase: Phase
    work: dict[Quantity, int]

    @property
    def kind(self) -> OperationKind | None:
        """The kind of the model operation that the task comes from."""
        return self.expected.kind if self.expected else None


class Bindings:
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
            "o": OPTIMIZER_STATE[width],
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


def vector(work: Work | WorkloadFacts) -> dict[Quantity, int]:
    """The work vector by quantity."""
    return {
        Quantity.OPERATIONS: work.operations,
        Quantity.READ_BYTES: work.read_bytes,
        Quantity.WRITE_BYTES: work.write_bytes,
        Quantity.MESSAGE_BYTES: work.message_bytes,
    }


def add_laws(
    plan: TransitionPlan, rule: PassRule | BoundaryRule, bindings: Bindings, members: Sequence[Member]
) -> None:
    """Every law of a rule over its group."""
    for law in rule.laws:
        if not isinstance(law, Law):
            continue
        group = [member for member in members if _belongs(member, law)]
        for equation in law.equations:
            _add_law(plan, rule.id, law, equation, bindings, group)


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


def _add_law(
    plan: TransitionPlan,
    rule: str,
    law: Law,
    equation: Equation,
    bindings: Bindings,
    group: Sequence[Member],
) -> None:
    expected = law.group.members(bindings.case)
    amounts = [member.work[equation.quantity] for member in group]
    applicable = bindings.applies(equation)
    vacuous = not group and expected > 0
    obligations: list[int] = []
    if applicable and not vacuous:
        obligations.append(plan.ask(member_count(len(group), expected)))
        portions = [[amount] for amount in amounts] if law.group.each else [amounts]
        obligations.extend(plan.ask(bindings.instance(equation, portion)) for portion in portions)
    plan.laws.append(
        LawCheck(
            id=law.id,
            rule=rule,
            form=equation.form,
            statement=equation.statement or law.statement,
            group=_describe(law),
            members=len(group),
            expected_members=expected,
            obligations=tuple(obligations),
            applicable=applicable,
            vacuous=vacuous,
            theorems=((rule, law.id, equation.form),),
        )
    )


def member_count(found: int, expected: int) -> Obligation:
    """The group has as many members as its law states."""
    question = Question()
    question.number("members", found, question.given("members", expected))
    return question.obligation()


def _describe(law: Law) -> str:
    group = law.group
    phases = "/".join(phase.value for phase in group.phases)
    kinds = ", ".join(each.value for each in (group.kinds or group.primitives)) or "all tasks"
    return f"{phases}: {kinds}"


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
        theorems = tuple((rule.id, rule.primitive.value, phase.value) for rule in rules for phase in rule.formulas)
        _add_instances(plan, law, rules[0].id, rules[0].statement, instances, theorems, (len(found), wanted))


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
