"""Instances of the laws about a plan's memory facts: each fact against its law, and all of them against the device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from blueprint.facts import Question
from blueprint.instances import Bindings
from blueprint.ir.portable import PortablePlanIR
from blueprint.law import Capacity, Maximum, MaximumLaw, MemoryLaw, Requirement
from blueprint.obligation import replace, replace_in
from blueprint.plan import LawCheck, TransitionPlan
from blueprint.rule import BoundaryRule
from blueprint.symbols import to_term
from blueprint.term import Const, at_most, comparison_variables, equal, evaluate, holds
from blueprint.verdict import Obligation


def add_memory_laws(
    plan: TransitionPlan, rule: BoundaryRule, bindings: Bindings, target: PortablePlanIR, core: Sequence[str]
) -> None:
    """Every law of a rule that speaks of memory facts or of an implementation's workspace.

    `core` names the implementations of the attention core that the rules know. What one rank holds supposes the first.
    """
    held = msgspec.structs.asdict(target.memory)
    chosen = {each.name: each.workspace for each in target.alternatives}
    facts = {each: held[each.name.lower()] for each in Capacity if each.name.lower() in held}
    for law in rule.laws:
        match law:
            case MaximumLaw():
                # An implementation that is not there has no workspace; claim.alternatives says that it is missing.
                found = [chosen.get(law.implementation, 0)]
                if law.implementation == core[0]:
                    found.append(facts.get(law.capacity, 0))
                for form in law.forms:
                    plan.laws.append(_maximum(plan, rule.id, law, form, bindings, found))
            case MemoryLaw():
                for check in _memory_law(plan, rule.id, law, bindings, facts):
                    plan.laws.append(check)
            case Requirement():
                plan.laws.append(_requirement(plan, rule.id, law, bindings, facts))


def _memory_law(
    plan: TransitionPlan, rule: str, law: MemoryLaw, bindings: Bindings, facts: Mapping[Capacity, int]
) -> list[LawCheck]:
    checks = []
    for equation in law.equations:
        asked = []
        if law.when(bindings.case) and bindings.applies(equation) and equation.quantity in facts:
            blocks = 1 if equation.quantity.once else bindings.view.blocks
            asked = [bindings.instance(equation, Const(facts[equation.quantity]), times=blocks)]
        group = f"memory fact {equation.quantity.name.lower()}"
        theorems = ((rule, law.id, equation.form),)
        statement = equation.statement or law.statement
        checks.append(_check(plan, (rule, law.id, equation.form), statement, group, asked, theorems))
    return checks


def _maximum(
    plan: TransitionPlan, rule: str, law: MaximumLaw, form: Maximum, bindings: Bindings, found: Sequence[int]
) -> LawCheck:
    """Each amount found is at least every arm, and equal to the largest."""
    where = tuple(equal(to_term(symbol), to_term(value)) for symbol, value in form.where)
    asked = []
    if all(holds(each, bindings.values) for each in where):
        arms = [to_term(arm) for arm in form.arms.values()]
        largest = max(arms, key=lambda arm: evaluate(arm, bindings.values))
        for amount in found:
            left = replace(to_term(law.left), law.capacity.value, Const(amount))
            goals = [*(at_most(arm, left) for arm in arms), equal(left, largest)]
            asked += [bindings.ground(goal, where, Question()) for goal in goals]
    group = f"workspace of {law.implementation}"
    theorems = tuple((rule, law.id, f"{form.form}: {name}") for name in form.arms)
    return _check(plan, (rule, law.id, form.form), law.statement, group, asked, theorems)


def _requirement(
    plan: TransitionPlan, rule: str, law: Requirement, bindings: Bindings, facts: Mapping[Capacity, int]
) -> LawCheck:
    """Not applicable where the bindings leave a symbol open, such as the memory of a device that nobody named."""
    goal = at_most(to_term(law.left), to_term(law.right))
    for capacity, size in facts.items():
        goal = replace_in(goal, capacity.value, Const(size))
    asked = []
    if bindings.values.keys() >= set(comparison_variables(goal)):
        asked = [bindings.ground(goal, (), Question())]
    return _check(plan, (rule, law.id, "this plan"), law.statement, "all memory facts", asked, ())


def _check(
    plan: TransitionPlan,
    key: tuple[str, str, str],
    statement: str,
    group: str,
    asked: Sequence[Obligation],
    theorems: tuple[tuple[str, str, str], ...],
) -> LawCheck:
    rule, law, form = key
    return LawCheck(
        id=law,
        rule=rule,
        form=form,
        statement=statement,
        group=group,
        members=len(asked),
        expected_members=len(asked),
        obligations=tuple(plan.ask(each) for each in asked),
        applicable=bool(asked),
        vacuous=False,
        theorems=theorems,
    )
