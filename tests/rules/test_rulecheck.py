"""What a rule may say, checked in this process: each thing that it may not is refused by itself."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import pytest
import sympy

from blueprint import symbols
from blueprint.errors import RulebookError
from blueprint.ir.common import Phase
from blueprint.law import (
    AnyLaw,
    Arrangement,
    BoundLaw,
    Capacity,
    InductiveLaw,
    Law,
    Maximum,
    MaximumLaw,
    MemoryLaw,
    Projection,
    ProjectionLaw,
    Quantity,
    Requirement,
)
from blueprint.rule import (
    BOUNDARY_CLAIMS,
    CONCRETE_TO_MACHINE,
    DISTRIBUTED_TO_PORTABLE,
    MODEL_TO_DISTRIBUTED,
    PORTABLE_TO_CONCRETE,
    BoundaryRule,
    Claim,
    PassRule,
    PrimitiveRule,
    Rule,
    TaskTarget,
    TensorTarget,
)
from blueprint.rulecheck import blamed, check_imports, check_right_sides, check_rules, checked_rule
from blueprint.session import open_rulebook
from blueprint.term import Relation

RULES = open_rulebook(None).rules
STATING = [each for each in RULES if isinstance(each, PassRule | BoundaryRule) and each.laws]


@pytest.mark.parametrize(
    "text",
    [
        "import sympy", "import math, functools", "from collections.abc import Sequence", "from sympy import Symbol",
        "from blueprint.law import Law", "from blueprint.ir.common import Phase", "x.eval()", "y = x.globals",
    ],
)  # fmt: skip
def test_the_vocabulary_may_be_imported(text: str) -> None:
    check_imports(ast.parse(text), "rules/mine.py")


@pytest.mark.parametrize(
    "module",
    [
        "__future__", "collections.abc", "dataclasses", "enum", "functools", "itertools", "math", "typing", "sympy",
        "blueprint.case", "blueprint.law", "blueprint.rule", "blueprint.symbols", "blueprint.term",
        "blueprint.ir.common", "blueprint.ir.distributed", "blueprint.ir.model", "blueprint.ir.request",
    ],
)  # fmt: skip
def test_names_of_every_module_of_the_vocabulary_may_be_imported_and_of_none_below_or_above(module: str) -> None:
    check_imports(ast.parse(f"from {module} import annotations"), "rules/mine.py")
    for other in (f"{module}.other", module.rpartition(".")[0] or f"{module}s"):
        with pytest.raises(RulebookError, match="a rule may not import"):
            check_imports(ast.parse(f"from {other} import annotations"), "rules/mine.py")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("import z3", "z3"), ("import math, os", "os"), ("import collections.abc", "collections.abc"),
        ("import blueprint.law", "blueprint.law"), ("from blueprint import law", "blueprint"),
        ("from blueprint.expected import Expected", "blueprint.expected"), ("from . import other", "."),
        ("from .law import Law", ".law"), ("from ..law import Law", "..law"), ("from os import path", "os"),
        ("def f():\n    import os", "os"), *((f"x = {name}", name) for name in (
            "eval", "exec", "compile", "globals", "__import__", "__builtins__",
        )),
    ],
)  # fmt: skip
def test_what_leads_elsewhere_may_not(text: str, named: str) -> None:
    with pytest.raises(RulebookError) as caught:
        check_imports(ast.parse(text), "rules/mine.py")
    assert caught.value.message.startswith(f"rules/mine.py: a rule may not import {named},")


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(0), GeneratorExit()])
def test_whatever_a_rule_raises_is_its_fault(error: BaseException) -> None:
    with pytest.raises(RulebookError, match=f"the rule: {type(error).__name__}"), blamed("the rule"):
        raise error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RulebookError("as it is")])
def test_an_interruption_and_a_refusal_pass_as_they_are(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught, blamed("the rule"):
        raise error
    assert caught.value is error


# Together -----------------------------------------------------------------------------------------------------------


def with_rule(changed: Rule) -> tuple[Rule, ...]:
    return tuple(changed if each.id == changed.id else each for each in RULES)


def with_law(kind: type[AnyLaw], **changes: Any) -> tuple[Rule, ...]:
    """The rules with the first law of a kind otherwise."""
    stating = [each for each in RULES if isinstance(each, PassRule | BoundaryRule)]
    rule, law = next((rule, law) for rule in stating for law in rule.laws if isinstance(law, kind))
    laws = tuple(replace(law, **changes) if each is law else each for each in rule.laws)
    return with_rule(replace(rule, laws=laws))


def first_of(kind: type[Any]) -> Any:
    stating = [each for each in RULES if isinstance(each, PassRule | BoundaryRule)]
    return next(law for rule in stating for law in rule.laws if isinstance(law, kind))


def test_the_shipped_rules_make_a_rulebook() -> None:
    check_rules(RULES)


def test_every_primitive_has_exactly_one_rule() -> None:
    primitive = next(each for each in RULES if isinstance(each, PrimitiveRule))
    for rules in ([each for each in RULES if each is not primitive], [*RULES, replace(primitive, id="mine.other")]):
        with pytest.raises(RulebookError, match="every primitive needs exactly one rule"):
            check_rules(rules)


def test_a_task_needs_a_formula_of_its_phase() -> None:
    """What is computed again has the formula of the first time."""
    passes = [each for each in RULES if isinstance(each, PassRule)]
    primitives = {each.primitive: each for each in RULES if isinstance(each, PrimitiveRule)}
    tasks = [target for rule in passes for target in rule.targets if isinstance(target, TaskTarget)]
    assert Phase.RECOMPUTE in {each.phase for each in tasks}
    for primitive in primitives.values():
        needed = {each.phase for each in tasks if each.primitive == primitive.primitive}
        for phase in primitive.formulas:
            rest = {each: formula for each, formula in primitive.formulas.items() if each is not phase}
            wanted = phase in needed or (phase is Phase.FORWARD and Phase.RECOMPUTE in needed)
            if not wanted:
                continue
            with pytest.raises(RulebookError, match=f"for which {primitive.id} has no formula"):
                check_rules(with_rule(replace(primitive, formulas=rest)))


@pytest.mark.parametrize(
    ("kind", "changes", "words"),
    [
        (Requirement, {"left": symbols.B}, "memory facts stand on its left"),
        (Requirement, {"right": sympy.Integer(5)}, "memory facts stand on its left"),
        (Requirement, {"right": symbols.C_plan + first_of(Requirement).left}, "memory facts stand on its left"),
        (BoundLaw, {"bounds": ()}, "needs bounds with distinct forms"),
        (BoundLaw, {"bounds": first_of(BoundLaw).bounds[:1] * 2}, "needs bounds with distinct forms"),
        (BoundLaw, {"wrong": first_of(BoundLaw).bounds[:1]}, "needs bounds with distinct forms"),
        (Law, {"wrong": ()}, "has no false variant"),
        (Law, {"equations": ()}, "needs equations with distinct forms"),
        (Law, {"id": "No_Id"}, "an id is lower-case words"),
        (Law, {"when": lambda _: False}, "speaks of no case"),
        (MaximumLaw, {"forms": ()}, "needs distinct forms with two arms or more"),
        (MaximumLaw, {"left": symbols.B}, "its left side must speak of"),
    ],
)  # fmt: skip
def test_a_law_that_says_nothing_is_refused(kind: type[AnyLaw], changes: dict[str, Any], words: str) -> None:
    with pytest.raises(RulebookError, match=words):
        check_rules(with_law(kind, **changes))


@pytest.mark.parametrize(
    ("left", "right", "premises"),
    [
        (symbols.B, symbols.B, ()),
        (symbols.B, symbols.B + 1, ()),
        (symbols.B, symbols.H, ((symbols.B, Relation.AT_MOST, symbols.H),)),
        (symbols.B, symbols.H, ((symbols.H, Relation.EQUAL, symbols.B),)),
        (symbols.B + 1, symbols.H + 1, ((symbols.B, Relation.AT_MOST, symbols.H),)),
    ],
)
def test_a_bound_that_is_a_premise_or_has_equal_sides_is_refused(left: Any, right: Any, premises: Any) -> None:
    bound = replace(first_of(BoundLaw).bounds[0], left=left, right=right, premises=premises)
    with pytest.raises(RulebookError, match="says nothing: it has equal sides, or is a premise"):
        check_rules(with_law(BoundLaw, bounds=(bound,), wrong=first_of(BoundLaw).wrong))


def test_a_rule_is_the_one_of_its_file_and_says_something() -> None:
    primitive = next(each for each in RULES if isinstance(each, PrimitiveRule))
    rewrite = next(each for each in RULES if isinstance(each, PassRule))
    whole = next(each for each in RULES if isinstance(each, BoundaryRule))
    assert checked_rule(primitive, primitive.id) is primitive
    asked = ", ".join(sorted(each.value for each in BOUNDARY_CLAIMS))
    wrong: tuple[tuple[object, str], ...] = (
        (None, "the file defines no RULE"),
        (replace(primitive, id="mine.other"), "the rule calls itself mine.other"),
        (replace(primitive, formulas={}), "a primitive needs a formula"),
        (replace(rewrite, targets=()), "a pass rule needs targets and claims"),
        (replace(rewrite, preserves=(), introduces=(), forbids=()), "a pass rule needs targets and claims"),
        (replace(rewrite, targets=list(rewrite.targets)), "targets must be a tuple"),  # type: ignore[arg-type]
        (replace(rewrite, laws=list(rewrite.laws)), "laws must be a tuple"),  # type: ignore[arg-type]
        (replace(whole, laws=(), claims=()), "a boundary rule needs laws or claims"),
        (replace(whole, claims=list(whole.claims)), "claims must be a tuple"),  # type: ignore[arg-type]
        (replace(whole, laws=list(whole.laws)), "laws must be a tuple"),  # type: ignore[arg-type]
        (replace(whole, boundaries=list(whole.boundaries)), "boundaries must be a tuple"),  # type: ignore[arg-type]
        (
            replace(whole, claims=(Claim.ROLE,)),
            f"of a boundary as a whole, only these can be asked: {asked}$",
        ),
    )
    for rule, words in wrong:
        identifier = primitive.id if rule is None or isinstance(rule, PrimitiveRule) else rule.id  # type: ignore[attr-defined]
        with pytest.raises(RulebookError, match=words):
            checked_rule(rule, identifier)


@pytest.mark.parametrize(
    "identifier", ["Mine.other", "mine.Other", "mine", "mine.other.one", "mine.other\n", "9.x", f"m.{'x' * 33}", ""]
)
def test_an_id_is_a_family_and_a_name_in_lower_case(identifier: str) -> None:
    primitive = next(each for each in RULES if isinstance(each, PrimitiveRule))
    longest = replace(primitive, id=f"m.{'x' * 32}")
    assert checked_rule(longest, longest.id) is longest
    with pytest.raises(RulebookError, match="the rule calls itself"):
        checked_rule(replace(primitive, id=identifier), identifier)


def test_memory_is_asked_of_plans_as_a_whole_and_requirements_where_they_are_bound_too() -> None:
    rewrite = next(each for each in RULES if isinstance(each, PassRule) and each.boundary == MODEL_TO_DISTRIBUTED)
    whole = next(each for each in RULES if isinstance(each, BoundaryRule))
    words = "speaks of memory, which is asked of plans as a whole"
    for kind in (MemoryLaw, MaximumLaw, Requirement):
        laws = (first_of(kind),)
        planned = replace(whole, boundaries=(DISTRIBUTED_TO_PORTABLE,), claims=(), laws=laws)
        assert checked_rule(planned, whole.id) is planned
        elsewhere = replace(whole, boundaries=(MODEL_TO_DISTRIBUTED,), claims=(), laws=laws)
        for rule in (replace(rewrite, laws=laws), elsewhere):
            with pytest.raises(RulebookError, match=words):
                checked_rule(rule, rule.id)
        bound = replace(whole, boundaries=(PORTABLE_TO_CONCRETE,), claims=(), laws=laws)
        if kind is Requirement:
            assert checked_rule(bound, bound.id) is bound
        else:
            with pytest.raises(RulebookError):
                checked_rule(bound, bound.id)


@pytest.mark.parametrize("kind", [ProjectionLaw, InductiveLaw])
def test_every_projection_and_every_arrangement_has_exactly_one_law(kind: type[AnyLaw]) -> None:
    words = {ProjectionLaw: "every projection of the plan", InductiveLaw: "every arrangement of a bound plan"}[kind]
    rule = next(
        each
        for each in RULES
        if isinstance(each, PassRule | BoundaryRule) and any(isinstance(law, kind) for law in each.laws)
    )
    law = next(law for law in rule.laws if isinstance(law, kind))
    without = tuple(each for each in rule.laws if each is not law)
    for laws in (without, (*rule.laws, replace(law, id="another-one"))):
        with pytest.raises(RulebookError, match=f"{words} needs exactly one law"):
            check_rules(with_rule(replace(rule, laws=laws)))


def test_two_laws_have_two_ids() -> None:
    first, last = (next(law for law in rule.laws) for rule in (STATING[0], STATING[-1]))
    assert first.id != last.id
    for rule in (STATING[0], STATING[-1]):
        (law, *rest) = rule.laws
        twice = replace(law, id=(last if rule is STATING[0] else first).id)
        with pytest.raises(RulebookError, match=f"two laws have the same id, {twice.id}$"):
            check_rules(with_rule(replace(rule, laws=(twice, *rest))))


def test_only_planning_projects() -> None:
    law = first_of(ProjectionLaw)
    planning = next(each for each in RULES if isinstance(each, PassRule) and law in each.laws)
    assert checked_rule(planning, planning.id) is planning
    for boundary in (MODEL_TO_DISTRIBUTED, PORTABLE_TO_CONCRETE, CONCRETE_TO_MACHINE):
        with pytest.raises(RulebookError, match=f"law {law.id} projects, which only planning does"):
            checked_rule(replace(planning, boundary=boundary, laws=(law,)), planning.id)


@pytest.mark.parametrize("arrangement", Arrangement)
def test_an_arrangement_has_its_law_where_it_is_made_and_nowhere_else(arrangement: Arrangement) -> None:
    laws = [law for rule in STATING for law in rule.laws if isinstance(law, InductiveLaw)]
    (law,) = (each for each in laws if each.arrangement is arrangement)
    made = CONCRETE_TO_MACHINE if arrangement is Arrangement.SECTIONS else PORTABLE_TO_CONCRETE
    whole = next(each for each in STATING if isinstance(each, BoundaryRule))
    rewrite = next(each for each in STATING if isinstance(each, PassRule))
    boundaries = (MODEL_TO_DISTRIBUTED, DISTRIBUTED_TO_PORTABLE, PORTABLE_TO_CONCRETE, CONCRETE_TO_MACHINE)
    words = f"law {law.id} is about what is arranged from {made[0].value} to {made[1].value} alone"
    for boundary in boundaries:
        rules: tuple[Any, ...] = (
            replace(whole, claims=(), laws=(law,), boundaries=(boundary,)),
            replace(rewrite, laws=(law,), boundary=boundary),
        )
        for rule in rules:
            if boundary == made:
                assert checked_rule(rule, rule.id) is rule
                continue
            with pytest.raises(RulebookError, match=words):
                checked_rule(rule, rule.id)
    both = replace(whole, claims=(), laws=(law,), boundaries=(made, DISTRIBUTED_TO_PORTABLE))
    with pytest.raises(RulebookError, match=words):
        checked_rule(both, both.id)


@pytest.mark.parametrize("kind", [Law, BoundLaw])
def test_of_what_is_arranged_no_law_is_asked_that_sums_over_tasks(kind: type[AnyLaw]) -> None:
    law = next(law for rule in STATING for law in rule.laws if type(law) is kind)
    whole = next(each for each in STATING if isinstance(each, BoundaryRule))
    for boundary in (MODEL_TO_DISTRIBUTED, DISTRIBUTED_TO_PORTABLE, PORTABLE_TO_CONCRETE, CONCRETE_TO_MACHINE):
        rule = replace(whole, claims=(), laws=(law,), boundaries=(boundary,))
        if kind is BoundLaw or boundary in {MODEL_TO_DISTRIBUTED, DISTRIBUTED_TO_PORTABLE}:
            assert checked_rule(rule, rule.id) is rule
            continue
        with pytest.raises(RulebookError, match=f"law {law.id} is not asked at this boundary, where all are inductive"):
            checked_rule(rule, rule.id)


def test_a_requirement_is_asked_of_what_is_bound_and_not_of_a_program() -> None:
    law = first_of(Requirement)
    whole = next(each for each in STATING if isinstance(each, BoundaryRule))
    words = f"law {law.id} is not asked at this boundary, where all are inductive"
    for boundaries in ((CONCRETE_TO_MACHINE,), (PORTABLE_TO_CONCRETE, CONCRETE_TO_MACHINE)):
        with pytest.raises(RulebookError, match=words):
            checked_rule(replace(whole, claims=(), laws=(law,), boundaries=boundaries), whole.id)


@pytest.mark.parametrize("kind", [Law, MemoryLaw])
def test_the_left_side_of_an_equation_speaks_of_nothing_else_that_is_measured(kind: type[AnyLaw]) -> None:
    (equation, *rest) = first_of(kind).equations
    symbol = equation.quantity.symbol
    check_rules(with_law(kind, equations=(replace(equation, left=symbol * symbols.B), *rest)))
    for measure in (*Quantity, *Capacity):
        if measure is equation.quantity:
            continue
        with pytest.raises(RulebookError, match=f"its left side speaks of {measure.value}, it may of {symbol} alone$"):
            check_rules(with_law(kind, equations=(replace(equation, left=symbol + measure.symbol), *rest)))


@pytest.mark.parametrize("kind", [Law, MemoryLaw])
def test_equations_are_a_tuple_of_distinct_forms_and_false_ones_have_others(kind: type[AnyLaw]) -> None:
    law = first_of(kind)
    (first, *_), (false, *_) = law.equations, law.wrong
    for name in ("equations", "wrong"):
        with pytest.raises(RulebookError, match=f"law {law.id}: {name} must be a tuple"):
            check_rules(with_law(kind, **{name: list(getattr(law, name))}))
    for changes in (
        {"equations": (first, replace(first, statement="again"))},
        {"wrong": (false, replace(false, statement="again"))},
        {"wrong": (replace(false, form=first.form),)},
    ):
        with pytest.raises(RulebookError, match=f"law {law.id} needs equations with distinct forms"):
            check_rules(with_law(kind, **changes))


def test_a_left_side_without_its_quantity_says_nothing_in_any_case() -> None:
    (equation, *rest) = first_of(Law).equations
    words = f"its left side is not {equation.quantity.value} times what is always positive$"
    for when in (lambda _: True, lambda case: case.tensor_parallel, lambda case: not case.tensor_parallel):
        with pytest.raises(RulebookError, match=words):
            check_rules(with_law(Law, equations=(replace(equation, left=symbols.B), *rest), when=when))


@pytest.mark.parametrize("members", [lambda _: 0, lambda _: -1, lambda _: 1.0, lambda _: True, lambda _: None])
def test_a_group_has_a_whole_number_of_members_and_some_in_some_case(members: Any) -> None:
    group = first_of(Law).group
    check_rules(with_law(Law, group=replace(group, members=lambda case: int(case.tensor_parallel))))
    with pytest.raises(RulebookError, match="its group needs a whole number of members, and some in at least one case"):
        check_rules(with_law(Law, group=replace(group, members=members)))


@pytest.mark.parametrize("kind", [Law, MemoryLaw])
def test_both_sides_of_an_equation_can_be_asked_about_and_only_one_speaks_of_what_is_measured(
    kind: type[AnyLaw],
) -> None:
    law = first_of(kind)
    (equation, *rest) = law.equations
    stating = next(each for each in STATING if law in each.laws)

    def asked(changed: Any) -> None:
        check_right_sides([(stating, replace(law, equations=(changed, *rest)))])

    asked(equation)
    where = f"law {law.id} ({equation.form})"
    left, right = equation.left / symbols.H, symbols.B / symbols.t
    for changed in (replace(equation, left=left), replace(equation, right=lambda _: right)):
        with pytest.raises(RulebookError) as caught:
            asked(changed)
        assert caught.value.message.startswith(f"{where}: ")
    with pytest.raises(RulebookError) as caught:
        asked(replace(equation, right=lambda _: 1 // 0))
    assert caught.value.message.startswith(f"{where}: ZeroDivisionError")
    for symbol in (equation.quantity.symbol, Quantity.OPERATIONS.symbol):
        with pytest.raises(RulebookError) as caught:
            asked(replace(equation, right=lambda _, symbol=symbol: symbol + symbols.B))
        assert caught.value.message == f"{where} says nothing: its right side speaks of what the left determines"


def test_a_formula_is_needed_whatever_stands_before_the_task() -> None:
    """A tensor needs none."""
    rules = [each for each in RULES if isinstance(each, PassRule)]
    tensor = next(each for rule in rules for each in rule.targets if isinstance(each, TensorTarget))
    rule, task = next((rule, each) for rule in rules for each in rule.targets if isinstance(each, TaskTarget))
    primitive = next(each for each in RULES if isinstance(each, PrimitiveRule) and each.primitive is task.primitive)
    phase = next(each for each in Phase if each not in {*primitive.formulas, Phase.RECOMPUTE})
    check_rules(with_rule(replace(rule, targets=(tensor, *rule.targets))))
    words = f"{rule.id} has a task of phase {phase.value}, for which {primitive.id} has no formula"
    for targets in ((tensor, replace(task, phase=phase)), (replace(task, phase=phase), tensor)):
        with pytest.raises(RulebookError, match=words):
            check_rules(with_rule(replace(rule, targets=targets)))


@pytest.mark.parametrize("projection", Projection)
def test_a_projection_states_every_output_and_no_other(projection: Projection) -> None:
    outputs = {
        Projection.WORK: ("message_bytes", "operations", "read_bytes", "write_bytes"),
        Projection.RESOURCES: ("compute", "memory", "network"),
        Projection.BUFFER_SIZE: ("rank 1", "rank 2", "rank 3", "rank 4"),
    }[projection]
    laws = [(rule, law) for rule in STATING for law in rule.laws if isinstance(law, ProjectionLaw)]
    (rule, law) = next((rule, law) for rule, law in laws if law.projection is projection)
    assert tuple(sorted(law.outputs)) == outputs
    some = next(iter(law.outputs.values()))
    words = f"law {law.id} must state every output of {projection.value}, which are {', '.join(outputs)}$"
    false = f"law {law.id} has a false variant of an output that does not exist"
    changes: list[tuple[dict[str, Any], str]] = [({"wrong": {**law.wrong, "other": some}}, false)]
    for lost in outputs:
        rest = {name: term for name, term in law.outputs.items() if name != lost}
        changes += [({"outputs": rest}, words), ({"outputs": {**rest, "other": some}}, words)]
    for change, said in [*changes, ({"outputs": {**law.outputs, "other": some}}, words)]:
        others = tuple(replace(each, **change) if each is law else each for each in rule.laws)
        with pytest.raises(RulebookError, match=said):
            check_rules(with_rule(replace(rule, laws=others)))


def test_the_group_of_a_law_lists_what_it_takes() -> None:
    for name in ("phases", "kinds", "primitives"):
        group = replace(first_of(Law).group, **{name: list(getattr(first_of(Law).group, name))})
        with pytest.raises(RulebookError, match=f"{name} of its group must be a tuple"):
            check_rules(with_law(Law, group=group))


def maximum(**changes: Any) -> tuple[Rule, ...]:
    """The rules, whose first maximum is one of two arms."""
    small = {"forms": (Maximum("one", TWO), Maximum("two", TWO)), "wrong": (Maximum("half", {"b": symbols.B}),)}
    return with_law(MaximumLaw, **{**small, **changes})


TWO = {"a": symbols.B, "b": symbols.H}
LEAST = first_of(MaximumLaw).capacity.symbol


def test_a_maximum_has_two_arms_or_more_and_a_false_variant_says_another_thing_of_some() -> None:
    check_rules(maximum())
    check_rules(maximum(wrong=(Maximum("both", {"b": symbols.B, "a": symbols.H}),)))
    check_rules(maximum(left=2 * LEAST * symbols.t))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"forms": (Maximum("one", {"a": symbols.B}),)}, "two arms or more"),
        ({"forms": (Maximum("one", TWO), Maximum("two", {"a": symbols.B}))}, "two arms or more"),
        ({"forms": (Maximum("one", TWO), Maximum("one", TWO))}, "distinct forms"),
        ({"wrong": (Maximum("one", TWO),)}, "distinct forms"),
        (
            {"forms": (Maximum("one", TWO), Maximum("two", {"b": symbols.H, "a": symbols.B}))},
            "every form speaks of the same arms, in one order",
        ),
        (
            {"forms": (Maximum("one", TWO), Maximum("two", {"a": symbols.B, "c": symbols.H}))},
            "every form speaks of the same arms, in one order",
        ),
        ({"wrong": (Maximum("half", {"c": symbols.B}),)}, "every form speaks of the same arms, in one order"),
        (
            {"wrong": (Maximum("half", {"b": symbols.B}), Maximum("third", {"c": symbols.B}))},
            "every form speaks of the same arms, in one order",
        ),
        ({"wrong": (Maximum("half", {**TWO, "c": symbols.B}),)}, "every form speaks of the same arms, in one order"),
        ({"left": LEAST * (symbols.t - 1)}, f"says nothing: its left side is not {LEAST} times"),
        ({"left": LEAST + symbols.C_w}, f"must speak of {LEAST} alone"),
        ({"forms": (Maximum("one", {**TWO, "b": LEAST}),)}, "an arm speaks of what is measured"),
        ({"forms": (Maximum("one", {**TWO, "a": symbols.C_w + 1}),)}, "an arm speaks of what is measured"),
        ({"wrong": (Maximum("half", {"a": LEAST + 1}),)}, "an arm speaks of what is measured"),
        ({"wrong": (Maximum("half", {"a": Quantity.OPERATIONS.symbol}),)}, "an arm speaks of what is measured"),
    ],
)
def test_a_maximum_that_says_nothing_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(RulebookError, match=words):
        check_rules(maximum(**changes))


def test_no_right_side_speaks_of_anything_that_is_counted_of_a_task() -> None:
    """A number is none, whether it is one of Python's or not."""
    law = first_of(Law)
    (equation, *rest) = law.equations
    stating = next(each for each in RULES if isinstance(each, PassRule | BoundaryRule) and law in each.laws)
    for number in (5, sympy.Integer(5), symbols.B * 5):
        constant = replace(equation, right=lambda _, number=number: number)
        check_right_sides([(stating, replace(law, equations=(constant, *rest)))])
    for quantity in Quantity:
        circular = replace(equation, right=lambda _, quantity=quantity: quantity.symbol + symbols.B)
        with pytest.raises(RulebookError, match="its right side speaks of what the left determines"):
            check_right_sides([(stating, replace(law, equations=(circular, *rest)))])


def test_a_law_is_checked_in_its_own_cases_alone() -> None:
    law = first_of(Law)
    (equation, *rest) = law.equations
    members = replace(law.group, members=lambda case: 1 if case.tensor_parallel else 2**31)
    with pytest.raises(RulebookError, match="its group needs a whole number of members"):
        check_rules(with_law(Law, group=members))
    members = replace(law.group, members=lambda case: 1 if case.tensor_parallel else -1)
    parallel = {"when": lambda case: case.tensor_parallel}
    check_rules(with_law(Law, **parallel, group=members))
    with pytest.raises(RulebookError, match="its group needs a whole number of members"):
        check_rules(with_law(Law, group=members))
    # What cancels out where a form or the definitions of a share hold, or on one rank, or may be nothing, says nothing.
    t, h, d, measured = symbols.t, symbols.h, symbols.d, equation.quantity.symbol
    for factor in (
        symbols.p_i,
        symbols.o_i,
        symbols.X_1,
        t - 1,
        symbols.H - h * d,
        t * symbols.h_t - h,
        t * symbols.R - symbols.B * symbols.S,
        0,
        -1,
        t - t,
    ):
        with pytest.raises(RulebookError, match=f"its left side is not {measured} times what is always positive"):
            check_rules(with_law(Law, equations=(replace(equation, left=factor * measured), *rest)))
    for left in (measured + 1, measured**2, t * (measured + h) - t * h + h):
        with pytest.raises(RulebookError, match=f"its left side is not {measured} times what is always positive"):
            check_rules(with_law(Law, equations=(replace(equation, left=left), *rest)))
    for left in (measured, 2 * t * measured, (t + h) * measured, (symbols.o_i + 1) * measured):
        check_rules(with_law(Law, equations=(replace(equation, left=left), *rest)))
    circular = replace(
        equation, right=lambda case: equation.quantity.symbol if case.tensor_parallel else equation.right(case)
    )
    stating = next(each for each in RULES if isinstance(each, PassRule | BoundaryRule) and law in each.laws)
    check_right_sides([(stating, law)])
    check_right_sides([(stating, replace(law, equations=(circular,), when=lambda case: not case.tensor_parallel))])
    for equations, wrong in (((circular,), law.wrong), (law.equations, (circular,))):
        with pytest.raises(RulebookError, match="its right side speaks of what the left determines"):
            check_right_sides([(stating, replace(law, equations=equations, wrong=wrong))])


@pytest.mark.parametrize("name", ["forms", "wrong"])
def test_an_arm_that_divides_is_refused(name: str) -> None:
    law = first_of(MaximumLaw)
    (form, *rest) = getattr(law, name)
    first = next(iter(form.arms))
    divided = replace(form, arms={**form.arms, first: form.arms[first] / symbols.t})
    with pytest.raises(RulebookError):
        check_rules(with_law(MaximumLaw, **{name: (divided, *rest)}))
