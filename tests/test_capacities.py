"""Laws about the memory facts of a plan: which of them apply, what they ask, and what refutes them."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import sympy

from blueprint import exact, symbols
from blueprint.capacities import add_memory_laws, add_workspace_laws
from blueprint.case import Case, Workload, all_cases
from blueprint.expected import ModelView
from blueprint.frontend.block import model_ir
from blueprint.frontend.models import builtin
from blueprint.frontend.request import inference_request
from blueprint.instances import Bindings
from blueprint.ir.common import Branch
from blueprint.ir.portable import Alternative, InferenceMemory, MemoryFacts, TrainingMemory
from blueprint.law import AnyLaw, Capacity, Equation, Maximum, MaximumLaw, MemoryLaw, Requirement, in_every_case
from blueprint.plan import Coverage, LawCheck, TransitionPlan
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, MODEL_TO_DISTRIBUTED, PORTABLE_TO_CONCRETE, BoundaryRule
from blueprint.session import open_rulebook
from blueprint.symbols import C_kv, C_plan, C_ws, H, b, c, h
from blueprint.verdict import Verdict

STEPS = inference_request(builtin("gpt2"), batch=3, prompt=4, context=8)
RULES = open_rulebook(None).pass_rules(MODEL_TO_DISTRIBUTED, Workload.INFERENCE)
BINDINGS = Bindings(ModelView(STEPS, model_ir(STEPS), RULES, Branch.PREFILL))
"""b = 3, q = c = 4, H = 768, h = k = 12, d = 64."""

NOTHING = TrainingMemory(parameters=0, weights=0, gradients=0, optimizer=0, stored=0, working=0, checkpoint=0)


def memory(**sizes: int) -> InferenceMemory:
    return InferenceMemory(**{"parameters": 0, "weights": 0, "kv": 0, "boundary": 0, "workspace": 0, **sizes})


def blank() -> TransitionPlan:
    return TransitionPlan(("a", "b"), Coverage(0, 0, 0, 0, 0, 0, 0, 0, 0), all_cases()[0])


def check_of(
    law: AnyLaw, held: MemoryFacts, bindings: Bindings = BINDINGS, **alternatives: int
) -> tuple[LawCheck, list[Verdict]]:
    """The first form of one law over a plan's memory facts, and the verdicts of what it asks."""
    target: Any = SimpleNamespace(
        memory=held,
        alternatives=[Alternative(name=name, capability="x", workspace=size) for name, size in alternatives.items()],
    )
    plan = blank()
    add_memory_laws(plan, BoundaryRule("a.rule", (DISTRIBUTED_TO_PORTABLE,), (), (law,)), bindings, target)
    check = plan.laws[0]
    assert check.obligations == tuple(range(len(plan.obligations)))
    return check, [exact.decide(each).verdict for each in plan.obligations]


# One fact -------------------------------------------------------------------------------------------------------------


def cache_law(
    when: Callable[[Case], bool] = in_every_case,
    where: tuple[tuple[sympy.Symbol, sympy.Expr], ...] = (),
    statement: str = "",
    quantity: Capacity = Capacity.KV,
) -> MemoryLaw:
    equation = Equation("a form", quantity, quantity.symbol, lambda _: b * c, where, statement)
    return MemoryLaw("a-law", "of the law", "definition", (equation,), (), when)


def test_a_memory_fact_is_what_its_law_says() -> None:
    check, verdicts = check_of(cache_law(), memory(kv=12))
    assert verdicts == [Verdict.PROVED]
    assert check == LawCheck(
        id="a-law", rule="a.rule", form="a form", statement="of the law", group="memory fact kv",
        members=1, expected_members=1, obligations=(0,), applicable=True, vacuous=False,
        theorems=(("a.rule", "a-law", "a form"),),
    )  # fmt: skip
    for wrong in (11, 13):
        assert check_of(cache_law(), memory(kv=wrong))[1] == [Verdict.REFUTED]


def test_a_form_says_itself_in_its_own_words_where_it_has_some() -> None:
    assert check_of(cache_law(statement="of the form"), memory(kv=12))[0].statement == "of the form"


@pytest.mark.parametrize(
    "law",
    [
        cache_law(when=lambda case: case is not BINDINGS.case),
        cache_law(where=((H, 2 * h),)),
        # A plan of another workload lacks the fact; a claim refutes it.
        cache_law(quantity=Capacity.GRADIENTS),
    ],
    ids=["another case", "another shape", "another workload"],
)
def test_a_law_does_not_apply_to_another_case_or_shape_or_where_there_is_no_such_fact(law: MemoryLaw) -> None:
    check, verdicts = check_of(law, memory(kv=5))
    assert (check.applicable, check.members, check.expected_members, verdicts) == (False, 0, 0, [])
    applied = cache_law(when=lambda case: case is BINDINGS.case, where=((H, 64 * h),))
    assert check_of(applied, memory(kv=5))[1] == [Verdict.REFUTED]


# The largest of several -----------------------------------------------------------------------------------------------


def maximum_law(*, of_plan: bool = False, **where: int) -> MaximumLaw:
    """The workspace is the largest of 1, b = 3 and c = 4."""
    form = Maximum(
        "a form",
        {"one": sympy.Integer(1), "b": b, "c": c},
        tuple((getattr(symbols, name), sympy.Integer(size)) for name, size in where.items()),
    )
    return MaximumLaw("a-law", "largest", "definition", Capacity.WORKSPACE, C_ws, "tiled", "x", (form,), (), of_plan)


def test_a_maximum_is_at_least_every_arm_and_one_of_them() -> None:
    check, verdicts = check_of(maximum_law(), memory(), tiled=4)
    assert (check.applicable, check.vacuous, check.members) == (True, False, 4)
    assert check.theorems == tuple(("a.rule", "a-law", f"a form: {arm}") for arm in ("one", "b", "c"))
    assert verdicts == [Verdict.PROVED] * 4
    below = [Verdict.PROVED, Verdict.PROVED, Verdict.REFUTED, Verdict.REFUTED]
    assert check_of(maximum_law(), memory(), tiled=3)[1] == below
    assert check_of(maximum_law(), memory(), tiled=5)[1] == [*[Verdict.PROVED] * 3, Verdict.REFUTED]


def test_an_implementation_that_is_not_there_has_no_workspace() -> None:
    law = maximum_law()
    assert check_of(law, memory(), another=4)[1] == [Verdict.REFUTED] * 4


def test_a_plan_s_own_workspace_is_asked_beside_the_implementation_s_where_the_law_says_so() -> None:
    assert check_of(maximum_law(of_plan=True), memory(workspace=4), tiled=4)[1] == [Verdict.PROVED] * 4
    for own, other in ((5, 4), (4, 5)):
        verdicts = check_of(maximum_law(of_plan=True), memory(workspace=own), tiled=other)[1]
        assert (verdicts.count(Verdict.PROVED), verdicts.count(Verdict.REFUTED)) == (7, 1)
    # A plan of another workload has none; a claim refutes it.
    assert check_of(maximum_law(of_plan=True), NOTHING, tiled=4)[1] == [Verdict.PROVED] * 4


def test_a_form_of_a_maximum_applies_where_its_definitions_hold() -> None:
    assert check_of(maximum_law(h=12), memory(), tiled=4)[0].applicable
    assert check_of(maximum_law(h=12, d=64), memory(), tiled=4)[0].applicable
    assert not check_of(maximum_law(h=12, d=65), memory(), tiled=4)[0].applicable


# Requirements ---------------------------------------------------------------------------------------------------------


def requirement(left: sympy.Expr, right: sympy.Expr) -> Requirement:
    return Requirement("a-law", "there is room", "definition", left, right)


@pytest.mark.parametrize(("kv", "verdict"), [(768, Verdict.PROVED), (769, Verdict.REFUTED)])
def test_a_requirement_is_met_to_the_byte(kv: int, verdict: Verdict) -> None:
    check, verdicts = check_of(requirement(C_kv, H), memory(kv=kv))
    assert verdicts == [verdict]
    assert (check.group, check.theorems) == ("all memory facts", ())


def test_a_requirement_is_asked_where_the_bindings_give_every_symbol_a_value() -> None:
    every = sympy.Add(*(getattr(symbols, name) for name in BINDINGS.values))
    assert check_of(requirement(C_kv, every), memory())[1] == [Verdict.PROVED]
    # Nobody has named the memory of a device.
    check, verdicts = check_of(requirement(C_kv, symbols.C_dev), memory())
    assert (check.applicable, verdicts) == (False, [])


@pytest.mark.parametrize(("bound", "verdict"), [(0, Verdict.PROVED), (7, Verdict.PROVED), (8, Verdict.REFUTED)])
def test_a_bound_workspace_is_at_most_that_of_the_plan(bound: int, verdict: Verdict) -> None:
    plan, law = blank(), requirement(C_ws, C_plan)
    rule = BoundaryRule("a.rule", (PORTABLE_TO_CONCRETE,), (), (cache_law(), law))
    add_workspace_laws(plan, rule, bound, 7)
    assert [exact.decide(each).verdict for each in plan.obligations] == [verdict]
    assert plan.laws == [
        LawCheck(
            id="a-law", rule="a.rule", form="this plan", statement="there is room", group="workspace",
            members=1, expected_members=1, obligations=(0,), applicable=True, vacuous=False, theorems=(),
        )
    ]  # fmt: skip
