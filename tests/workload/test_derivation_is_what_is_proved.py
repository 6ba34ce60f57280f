"""What the theorems speak of is what a bundle holds: symbolic left sides at points against the emitted bytes.

Points are testing, and are called so. For every case of a strategy all points run through the passes and the codec
(`passed`), in both branches where the case is one of inference; six points of training, one for each pair of recompute
and communication, and four of inference run through `derive`, gate and bundle (`derived`). What a law compares its
group with is read back too: from the forward tasks of the same emission, or from the emission of the same request with
t = 1; and what a bound compares, from the emission of the other step, stage or workload.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from blueprint import symbols, theory
from blueprint.case import ZERO_STAGES, Case, Workload, all_cases, case_of, stage_cases, workload_of
from blueprint.frontend.request import target_of
from blueprint.ir.common import INT64_MAX, Branch, DType, Phase, Primitive, Role
from blueprint.ir.distributed import DistributedTaskIR, EffectKind, Task
from blueprint.ir.portable import InferenceMemory, TrainingMemory
from blueprint.ir.request import (
    Attention,
    Communication,
    Inference,
    Recompute,
    Request,
    Scope,
    TargetKind,
    Training,
    branches_of,
    point_of,
)
from blueprint.law import (
    Bound,
    BoundLaw,
    Capacity,
    Equation,
    InductiveLaw,
    Law,
    Maximum,
    MaximumLaw,
    MemoryLaw,
    Portion,
    Projection,
    ProjectionLaw,
    Quantity,
    Reference,
    Requirement,
)
from blueprint.obligation import replace as substituted
from blueprint.passes.bind_queue import BindReferenceQueueTargetPass
from blueprint.passes.protocol import PassContext
from blueprint.rule import TRAFFIC, BoundaryRule, PassRule, PrimitiveRule
from blueprint.rulebook import Rulebook, load, shipped
from blueprint.symbols import ALPHABET, to_term
from blueprint.term import Comparison, Const, Sum, Term, evaluate, holds
from blueprint.theory import COMPONENTS, EDGES, Theorem, group_of, symbolic_block, theorems_of
from blueprint.theory_layout import number_term
from blueprint.workload.dims import dims_of
from blueprint.workload.inference_block import inference_block
from blueprint.workload.inference_dims import inference_dims_of
from blueprint.workload.operators import Block
from blueprint.workload.stage import inference_stage, training_stage
from blueprint.workload.training_block import training_block
from tests.oracles.derived import MATMULS, Derived, block_request, derived, memory, passed, step_request

# The laws, and what is recorded of them -----------------------------------------------------------------------------


@functools.cache
def _rulebook() -> Rulebook:
    return load(shipped("rules"))


@functools.cache
def _theorems() -> dict[tuple[str, str, str, str], Theorem]:
    """Every theorem by rule, law, form and case."""
    every = (theorem for rule in _rulebook().rules for theorem in theorems_of(rule))
    return {(each.rule, each.law, each.form, each.case): each for each in every if not each.negative}


def _speaks(rule: PassRule | BoundaryRule, case: Case) -> bool:
    """Whether a rule speaks of a case: of what only a stage has, or of a block, which is the same in a stage."""
    return rule.workload in {None, case.workload} and rule.stage is case.stack


@dataclass(frozen=True)
class _Stated:
    """One form of a law in one case: its equation, the amounts of the symbolic steps, and the theorem about them."""

    law: Law
    equation: Equation[Quantity]
    amounts: tuple[Term, ...]
    theorem: Theorem


@functools.cache
def _stated(case: Case) -> tuple[_Stated, ...]:
    """Every form of every law about a group of tasks; a group may have no member in a case, and then sums to 0."""
    found = []
    for rule, law in _rulebook().laws():
        if not isinstance(law, Law) or not _speaks(rule, case) or not law.when(case):
            continue
        steps = group_of(law, symbolic_block(case))
        for equation in law.equations:
            amounts = tuple(theory._amount_of(step, equation.quantity) for step in steps)
            name = case.stage_text if case.stack else case.text
            found.append(_Stated(law, equation, amounts, _theorems()[rule.id, law.id, equation.form, name]))
    return tuple(found)


@dataclass(frozen=True)
class _Remembered:
    """One form of a law about a memory fact in one case, and the theorem about it."""

    law: MemoryLaw
    equation: Equation[Capacity]
    theorem: Theorem


@functools.cache
def _remembered(case: Case) -> tuple[_Remembered, ...]:
    """Every form of every law about a memory fact, and once more what tensors make up, tensor by tensor."""
    found = []
    for rule, law in _rulebook().laws():
        if not isinstance(law, MemoryLaw) or not _speaks(rule, case) or not law.when(case):
            continue
        for equation in law.equations:
            forms = [equation.form]
            waiting = Capacity.CHECKPOINT if case.full_recompute else Capacity.STORED
            if equation.quantity in {Capacity.PARAMETERS, Capacity.KV, None if case.inference else waiting}:
                forms.append(f"{equation.form}, tensor by tensor")
            found += [_Remembered(law, equation, _theorems()[rule.id, law.id, form, case.text]) for form in forms]
    return tuple(found)


@dataclass(frozen=True)
class _Greatest:
    """One form of a law about a maximum in one case, and the theorem about each of its arms by name."""

    law: MaximumLaw
    form: Maximum
    theorems: Mapping[str, Theorem]


@functools.cache
def _greatest(case: Case) -> tuple[_Greatest, ...]:
    """Every form of every law about a maximum."""
    return tuple(
        _Greatest(law, form, {arm: _theorems()[rule.id, law.id, f"{form.form}: {arm}", case.text] for arm in form.arms})
        for rule, law in _rulebook().laws()
        if isinstance(law, MaximumLaw) and _speaks(rule, case)
        for form in law.forms
    )


@functools.cache
def _bounds(workload: Workload) -> tuple[tuple[BoundLaw, Bound, Theorem], ...]:
    """Every bound of a workload with its theorem; those of bindings are compared in test_arranged.py."""
    return tuple(
        (law, bound, _theorems()[rule.id, law.id, bound.form, ""])
        for rule, law in _rulebook().laws()
        if isinstance(law, BoundLaw) and not isinstance(law, InductiveLaw) and rule.workload in {None, workload}
        for bound in law.bounds
    )


@functools.cache
def _traffic(case: Case) -> tuple[tuple[PrimitiveRule, Theorem], ...]:
    """The theorems about the bytes of each primitive in a case."""
    found = []
    for rule in _rulebook().primitives.values():
        if (rule.primitive in EDGES) is not case.stack or (case.stack and not case.sends):
            continue
        theorem = _theorems().get((rule.id, TRAFFIC, "each", case.text))
        if theorem is not None:
            found.append((rule, theorem))
    return tuple(found)


# Points -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Point:
    """The factors of a request. Every dimension is a product of them, so that nothing has to be drawn again.

    `carrier` is the dimension of B, S, H that takes up the factor t where the sequence is whole. The prompt of
    inference is the sequence, and the context has `later` tokens more; as the last step has one token, B takes up t
    where S would.
    """

    batch: int
    sequence: int
    hidden: int
    heads: int
    keys: int
    width: int
    wide: int
    degree: int
    data: int
    dtype: DType
    gradient: int
    carrier: str
    later: int = 4

    def request(self, case: Case) -> Request:
        """The request of this point in a case; of a stage, one block, alone or in the middle of three."""
        request = self._of_a_block(case)
        if not case.stack:
            return request
        data, stages = self.data if case.data_parallel else 1, 3 if case.receives else 1
        strategy = msgspec.structs.replace(
            request.strategy, data=data, pipeline=stages, stage=stages // 2, scope=Scope.STACK
        )
        model = msgspec.structs.replace(request.model, layers=stages)
        return msgspec.structs.replace(request, model=model, strategy=strategy)

    def _of_a_block(self, case: Case) -> Request:
        """The same of a block. The degree counts only where there is tensor parallelism."""
        t = self.degree if case.tensor_parallel else 1
        if case.inference:
            return step_request(
                batch=self.batch * (1 if self.carrier == "H" else t),
                prompt=self.sequence,
                context=self.sequence + self.later,
                hidden=self.hidden * (t if self.carrier == "H" else 1),
                feedforward=self.wide * t,
                heads=self.heads * t,
                key_value_heads=self.keys * t,
                head_width=self.width,
                tensor=t,
                dtype=self.dtype,
                biases=case.biases,
            )
        carrier = "S" if case.sequence_parallel else self.carrier
        return block_request(
            batch=self.batch * (t if carrier == "B" else 1),
            sequence=self.sequence * (t if carrier == "S" else 1),
            hidden=self.hidden * (t if carrier == "H" else 1),
            feedforward=self.wide * t,
            heads=self.heads * t,
            key_value_heads=self.keys * t,
            head_width=self.width,
            tensor=t,
            data=self.data,
            dtype=self.dtype,
            recompute=case.recompute,
            communication=case.communication,
            zero=case.zero,
            gradient_bytes=self.gradient,
            biases=case.biases,
        )


def _environment(request: Request, branch: Branch = Branch.MAIN) -> dict[str, int]:
    """Every symbol of the alphabet that a derivation or a law may use, from the request alone."""
    model, workload, strategy = request.model, request.workload, request.strategy
    t, element = strategy.tensor, workload.dtype.width
    inner, inner_keys = model.heads * model.head_width, model.key_value_heads * model.head_width
    split = 2 * model.hidden * (inner + inner_keys + model.feedforward)
    replicated = 4 * model.hidden
    if model.biases:
        split += inner + 2 * inner_keys + model.feedforward
        replicated += 2 * model.hidden
    held = split // t + replicated
    every = {
        "H": model.hidden,
        "F": model.feedforward,
        "h": model.heads,
        "k": model.key_value_heads,
        "d": model.head_width,
        "t": t,
        "e": element,
        "h_t": model.heads // t,
        "k_t": model.key_value_heads // t,
        "F_t": model.feedforward // t,
        "N": held,
    }
    if isinstance(workload, Inference):
        batch, queries, context = point_of(workload, branch)
        return {**every, "b": batch, "q": queries, "c": context, "R": batch * queries * model.hidden // t}
    return {
        **every,
        "B": workload.batch,
        "S": workload.sequence,
        "D": strategy.data,
        "g": strategy.gradient_bytes,
        "o": 8 if element == 4 else 12,
        # Not whole where the sequence is not split, but then nothing asks for it.
        "S_t": workload.sequence // t,
        "R": workload.batch * workload.sequence * model.hidden // t,
        "n_D": (held + strategy.data - 1) // strategy.data,
        "n_w": (replicated + t - 1) // t,
    }


_SMALL = _Point(3, 5, 7, 2, 2, 3, 11, 3, 4, DType.FLOAT16, 4, "S")
SPECIAL = {
    "odd batch, hd != H, F != 4H, t = 3": _SMALL,
    "k != h, t = 5": replace(_SMALL, heads=6, keys=2, degree=5, carrier="B", data=3, dtype=DType.FLOAT32),
    "k > h, t = 6": replace(_SMALL, heads=1, keys=3, degree=6, width=8, carrier="H", gradient=2),
    "one of everything": _Point(1, 1, 1, 1, 1, 1, 1, 2, 2, DType.BFLOAT16, 2, "B"),
    # H = hd and k = h, where the printed forms of the laws apply.
    "classical, t = 3": _Point(5, 7, 18, 2, 2, 3, 24, 3, 2, DType.BFLOAT16, 4, "S"),
    "GPT-3 on eight ranks": _Point(1, 256, 12288, 12, 12, 128, 6144, 8, 16, DType.BFLOAT16, 4, "S"),
    # The scores are the largest intermediate of a prompt, and of the last step.
    "a long prompt, t = 2": _Point(2, 90, 6, 2, 2, 3, 12, 2, 2, DType.FLOAT16, 2, "B", later=7),
    "nothing but the prompt": replace(_SMALL, later=0),
}

small = st.integers(1, 12)
points = st.builds(
    _Point,
    batch=st.integers(1, 6),
    sequence=small,
    hidden=st.integers(1, 60),
    heads=st.integers(1, 6),
    keys=st.integers(1, 6),
    width=small,
    wide=st.integers(1, 60),
    degree=st.integers(2, 12),
    data=st.integers(2, 9),
    dtype=st.sampled_from([DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16]),
    gradient=st.sampled_from([2, 4]),
    carrier=st.sampled_from("BSH"),
    later=st.integers(0, 40),
)


def test_the_special_points_are_what_they_are_for() -> None:
    parallel = next(case for case in all_cases() if case.tensor_parallel and case.sequence_parallel)
    found = [_environment(point.request(parallel)) for point in SPECIAL.values()]
    assert any(at["h"] * at["d"] != at["H"] for at in found)
    assert any(at["F"] not in {4 * at["H"], at["H"]} for at in found)
    assert any(at["k"] < at["h"] for at in found)
    assert any(at["B"] % 2 and at["B"] > 1 for at in found)
    assert {at["t"] for at in found} >= {2, 3, 5, 6, 8}
    assert {at["e"] for at in found} == {2, 4}
    assert sum(at["h"] * at["d"] == at["H"] and at["k"] == at["h"] for at in found) >= 2
    single = next(case for case in all_cases() if not case.tensor_parallel)
    assert {_environment(point.request(single))["t"] for point in SPECIAL.values()} == {1}


def test_the_special_points_of_inference_are_what_they_are_for() -> None:
    parallel = next(case for case in all_cases(Workload.INFERENCE) if case.tensor_parallel)
    requests = [point.request(parallel) for point in SPECIAL.values()]
    steps = [_environment(request, Branch.FINAL_DECODE) for request in requests]
    prompts = [_environment(request, Branch.PREFILL) for request in requests]
    assert all(at["q"] == 1 for at in steps)
    assert all(at["q"] == at["c"] for at in prompts)
    assert any(at["c"] < later["c"] for at, later in zip(prompts, steps, strict=True))
    assert any(at["c"] == later["c"] > 1 for at, later in zip(prompts, steps, strict=True))
    # In each branch each intermediate is the largest somewhere, so that the workspace is each of its arms.
    for points in (prompts, steps):
        arms = [_arms(at) for at in points]
        assert {max(each, key=lambda name: each[name]) for each in arms} == set(ARMS)


ARMS = ("q, k and v", "scores", "feed-forward rows")
"""The intermediates of which the workspace holds the largest."""


def _arms(at: Mapping[str, int]) -> dict[str, int]:
    """The bytes of each intermediate on one rank, from the request alone."""
    rows = at["b"] * at["q"] * at["e"]
    sizes = (rows * (at["h_t"] + 2 * at["k_t"]) * at["d"], rows * at["h_t"] * at["c"], rows * at["F_t"])
    return dict(zip(ARMS, sizes, strict=True))


# The comparison -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Expected:
    """What a stated form says at a point: the members' amounts, and both recorded sides of every portion.

    `applies` is false where the form's own definitions do not hold, such as H = h d; then the right sides say nothing.
    """

    stated: _Stated
    amounts: list[int]
    sides: set[tuple[int, int]]
    applies: bool
    inside: bool


def _applies(equation: Equation[Quantity] | Equation[Capacity], at: Mapping[str, int]) -> bool:
    return _holds(equation.where, at)


def _holds(where: Sequence[tuple[sympy.Symbol, sympy.Expr]], at: Mapping[str, int]) -> bool:
    """Whether the definitions of a form hold at a point."""
    return all(at[symbol.name] == evaluate(to_term(value), at) for symbol, value in where)


def _sides(theorem: Theorem, at: Mapping[str, int]) -> set[tuple[int, int]]:
    """The two sides of every goal of a theorem at a point."""
    goals = [goal for obligation in theorem.obligations for goal in obligation.goal]
    return {(evaluate(goal.left, at), evaluate(goal.right, at)) for goal in goals}


def _inside(theorem: Theorem, at: Mapping[str, int]) -> bool:
    return all(holds(each, at) for obligation in theorem.obligations for each in obligation.hypotheses)


def _expected(case: Case, at: Mapping[str, int]) -> list[_Expected]:
    return [
        _Expected(
            stated=stated,
            amounts=sorted(evaluate(amount, at) for amount in stated.amounts),
            sides=_sides(stated.theorem, at),
            applies=_applies(stated.equation, at),
            inside=_inside(stated.theorem, at),
        )
        for stated in _stated(case)
    ]


@dataclass(frozen=True)
class _Emitted:
    """What is compared: an emission, and that of the same request with t = 1."""

    whole: Derived
    alone: Derived

    @functools.cached_property
    def named(self) -> dict[str, Task]:
        """The tasks with t = 1 by name."""
        return {task.name: task for task in self.alone.distributed.tasks}

    def portions(self, law: Law, tasks: Sequence[Task]) -> list[list[Task]]:
        """The tasks of a group as its law speaks of them."""
        match law.group.portion:
            case Portion.ALL:
                return [list(tasks)]
            case Portion.EACH:
                return [[task] for task in tasks]
            case Portion.OPERATION:
                sources = dict.fromkeys(task.lineage.sources for task in tasks)
                return [[task for task in tasks if task.lineage.sources == each] for each in sources]

    def compared(self, law: Law, portion: Sequence[Task]) -> int:
        """The emitted operations of what a portion is compared with."""
        match law.reference:
            case Reference.FORWARD:
                sources = {task.lineage.sources for task in portion}
                every = self.whole.distributed.tasks
                found = [each for each in every if each.phase is Phase.FORWARD and each.lineage.sources in sources]
            case Reference.UNSHARDED:
                found = [self.named[task.name] for task in portion]
            case None:
                found = []
        return sum(task.work.operations for task in found)

    @staticmethod
    def amount(task: Task, quantity: Quantity) -> int:
        """What an emitted task has of a quantity: a component of its work, or the bytes of its effects on caches."""
        if quantity in COMPONENTS:
            found: int = getattr(task.work, COMPONENTS[quantity])
            return found
        kind = EffectKind.KV_READ if quantity is Quantity.KV_READ_BYTES else EffectKind.KV_WRITE
        return sum(effect.size for effect in task.effects if effect.kind is kind)

    def sides(self, law: Law, equation: Equation[Quantity], case: Case, at: Mapping[str, int]) -> set[tuple[int, int]]:
        """Both sides of an equation over every portion of the emitted tasks."""
        group = law.group
        tasks = self.whole.tasks(group.phases, group.primitives, group.kinds)
        found = set()
        for portion in self.portions(law, tasks):
            amount = sum(self.amount(task, equation.quantity) for task in portion)
            left = substituted(to_term(equation.left), equation.quantity.value, Const(amount))
            right = substituted(to_term(equation.right(case)), "W_0", Const(self.compared(law, portion)))
            found.add((evaluate(left, at), evaluate(right, at)))
        return found


def _lefts(sides: set[tuple[int, int]]) -> set[int]:
    return {left for left, _ in sides}


def _differences(emitted: _Emitted, case: Case, at: Mapping[str, int], expected: Sequence[_Expected]) -> Iterator[str]:
    """Where the emitted tasks and what the theorems say of them are not the same at a point."""
    for each in expected:
        law, equation = each.stated.law, each.stated.equation
        tasks = emitted.whole.tasks(law.group.phases, law.group.primitives, law.group.kinds)
        read = [emitted.amount(task, equation.quantity) for task in tasks]
        where = f"{law.id} ({equation.form})"
        if len(read) != law.group.members(case):
            yield f"{where}: {len(read)} members"
        # The sum, and every member.
        if (sum(read), sorted(read)) != (sum(each.amounts), each.amounts):
            yield f"{where}: {sum(each.amounts)} proved, {sum(read)} emitted"
        # The very left sides that are recorded, and the right sides where the form's definitions hold.
        sides = emitted.sides(law, equation, case, at)
        if _lefts(sides) != _lefts(each.sides):
            yield f"{where}: the recorded left side is {_lefts(each.sides)}, the emitted one {_lefts(sides)}"
        if each.applies and not each.inside:
            yield f"{where}: the point lies outside the theorem's domain"
        if each.applies and sides != each.sides:
            yield f"{where}: recorded are the sides {each.sides}, emitted {sides}"
        if each.applies and any(left != right for left, right in sides):
            yield f"{where}: the law does not hold of the emitted bytes"


def _memory_differences(emitted: Derived, case: Case, at: Mapping[str, int]) -> Iterator[str]:
    """Where a memory fact is not what the theorems say of it."""
    facts = memory(emitted)
    for each in _remembered(case):
        equation, where = each.equation, f"{each.law.id} ({each.theorem.form})"
        fact = Const(facts[equation.quantity.name.lower()])
        left = evaluate(substituted(to_term(equation.left), equation.quantity.value, fact), at)
        ((recorded, right),) = _sides(each.theorem, at)
        if left != recorded:
            yield f"{where}: the recorded left side is {recorded}, the emitted one {left}"
        if _applies(equation, at) and not _inside(each.theorem, at):
            yield f"{where}: the point lies outside the theorem's domain"
        if _applies(equation, at) and left != right:
            yield f"{where}: the law does not hold of the emitted bytes"


def _size(emitted: Derived, name: str, width: int) -> int:
    """The bytes of a value on one rank, from its emitted shape."""
    (value,) = (each for each in emitted.distributed.values if each.name == name)
    return math.prod(value.local_shape) * width


def _appended(emitted: Derived) -> int:
    """The bytes that a step appends to its caches."""
    effects = [effect for task in emitted.distributed.tasks for effect in task.effects]
    return sum(effect.size for effect in effects if effect.kind is EffectKind.KV_WRITE)


def _boundary(emitted: Derived, width: int) -> int:
    return _size(emitted, "x.forward", width)


def _intermediates(emitted: Derived, width: int) -> dict[str, int]:
    """The bytes of each intermediate, from the emitted values and from what is appended to the caches.

    Attention that writes no scores keeps an fp32 statistic of each row and head; a page table has an entry of four
    bytes for each visible token of each sequence.
    """
    shapes = {value.name: value.local_shape for value in emitted.distributed.values}
    statistics = math.prod(shapes["scores.forward"][:-1]) * 4
    return {
        "q, k and v": _size(emitted, "query_projection.forward", width) + _appended(emitted),
        "scores": _size(emitted, "scores.forward", width),
        "feed-forward rows": _size(emitted, "up_projection.forward", width),
        "rows and statistics": _size(emitted, "context.forward", width) + statistics,
        "page table": math.prod(shapes["key_projection.cache"][:2]) * 4,
    }


def _maximum_differences(emitted: Derived, case: Case, at: Mapping[str, int]) -> Iterator[str]:
    """Where the workspace of an implementation is not the largest of what the theorems say of its arms."""
    chosen = {each.name: each.workspace for each in emitted.portable.alternatives}
    for each in _greatest(case):
        facts = [chosen[each.law.implementation]]
        facts += [memory(emitted)["workspace"]] if each.law.of_plan else []
        where = f"{each.law.id} ({each.form.form})"
        lefts = {}
        for name, theorem in each.theorems.items():
            ((left, right),) = _sides(theorem, at)
            lefts[name] = left
            read = at["t"] * (_boundary(emitted, at["e"]) + _intermediates(emitted, at["e"])[name])
            if left != read:
                yield f"{where}: the recorded left side of {name} is {left}, the emitted one {read}"
            if not _holds(each.form.where, at):
                continue
            if not _inside(theorem, at):
                yield f"{where}: the point lies outside the domain of the theorem about {name}"
            if left != right:
                yield f"{where}: the law does not hold of the emitted bytes of {name}"
        for fact in facts:
            found = evaluate(substituted(to_term(each.law.left), each.law.capacity.value, Const(fact)), at)
            if found != max(lefts.values()):
                yield f"{where}: the largest recorded left side is {max(lefts.values())}, the emitted one {found}"


def _bytes(emitted: Derived, identifier: str, width: int, *, written: bool) -> int:
    """What traffic counts of a value: one byte an element of a mask, the model's width for all else.

    Of a cache that is written, the rows of the step's own tokens: as many as the block's input has.
    """
    value = emitted.values[identifier]
    if value.role is Role.KV_CACHE and written:
        (stream,) = (each for each in emitted.distributed.values if each.name == "x.forward")
        batch, _, *row = value.local_shape
        return batch * stream.local_shape[1] * math.prod(row) * width
    return math.prod(value.local_shape) * (1 if value.role is Role.MASK else width)


def _traffic_differences(emitted: Derived, case: Case, at: Mapping[str, int]) -> Iterator[str]:
    """Where the bytes of a task are not those that the theorem about its primitive speaks of, on both sides."""
    for rule, theorem in _traffic(case):
        tasks = [task for task in emitted.distributed.tasks if task.primitive == rule.primitive]
        sides = set()
        for task in tasks:
            formula = rule.formulas[Phase.FORWARD if task.phase is Phase.RECOMPUTE else task.phase]
            for moved, operands, times, written in (
                (task.work.read_bytes, task.inputs, formula.reads or (), False),
                (task.work.write_bytes, task.outputs, formula.writes, True),
            ):
                often = [*times, *(1 for _ in operands)]
                sizes = [_bytes(emitted, each, at["e"], written=written) for each in operands]
                sides.add((moved, sum(count * size for count, size in zip(often, sizes))))  # noqa: B905
        recorded = _sides(theorem, at)
        if _lefts(sides) != _lefts(recorded):
            yield f"{rule.id}: recorded are the bytes {_lefts(recorded)}, emitted {_lefts(sides)}"
        # Where queries meet keys, the theorem speaks of models in which each query head has its own.
        if at["k"] == at["h"]:
            if sides != recorded or any(left != right for left, right in sides):
                yield f"{rule.id}: recorded are the sides {recorded}, emitted {sides}"
            if not _inside(theorem, at):
                yield f"{rule.id}: the point lies outside the theorem's domain"


def _widths(emitted: Derived, workload: Workload) -> dict[str, int]:
    """The widths of the block and of one rank, and the tokens of a step, from emitted shapes."""
    values = {value.name: value for value in emitted.distributed.values}
    up, query = values["up_projection.weight.forward"], values["query_projection.weight.forward"]
    found = {
        "F": up.shape[1],
        "F_t": up.local_shape[1],
        "H": up.shape[0],
        "h": query.shape[1],
        "h_t": query.local_shape[1],
        "d": query.shape[2],
    }
    if workload is Workload.TRAINING:
        return found
    stream, key, scores = (values[f"{name}.forward"] for name in ("x", "key_projection.weight", "scores"))
    tokens = {"b": stream.shape[0], "q": stream.shape[1], "c": scores.shape[3]}
    return {**found, **tokens, "k": key.shape[1], "k_t": key.local_shape[1]}


@dataclass(frozen=True)
class _Amounts:
    """What the bounds of a workload speak of beside widths: from the request alone, and read back from bytes.

    `grown` has for a bound between two steps by how much one size is larger in the second, and both emitted sides.
    `own` has for a law what its symbols mean in it alone: both again.
    """

    workload: Workload
    given: Mapping[str, int]
    read: Mapping[str, int]
    grown: Mapping[str, tuple[int, int, int]]
    own: Mapping[str, tuple[Mapping[str, int], Mapping[str, int]]]


def _bound_differences(emitted: Derived, amounts: _Amounts, at: Mapping[str, int]) -> Iterator[tuple[str, str, bool]]:
    """Law, form and difference of every bound; the difference is empty, and true if it spoke of this point."""
    given = {**at, **amounts.given}
    read = {**given, **_widths(emitted, amounts.workload), **amounts.read}
    for law, bound, theorem in _bounds(amounts.workload):
        own_given, own_read = amounts.own.get(law.id, ({}, {}))
        here = {**given, **own_given}
        if bound.left.has(symbols.m) or bound.right.has(symbols.m):
            if bound.form not in amounts.grown:
                yield law.id, "", False
                continue
            more, *sides = amounts.grown[bound.form]
            here, found = {**given, "m": more}, (sides[0], sides[1])
        else:
            there = {**read, **own_read}
            found = (evaluate(to_term(bound.left), there), evaluate(to_term(bound.right), there))
        ((left, right),) = _sides(theorem, here)
        spoken = _inside(theorem, here)
        difference = "" if found == (left, right) else f"recorded are {left}, {right}, emitted {found}"
        if spoken and not holds(Comparison(bound.relation, Const(found[0]), Const(found[1])), {}):
            difference = f"{found} are not {bound.relation.value}"
        yield law.id, difference and f"{law.id} ({bound.form}): {difference}", spoken


def _alone(request: Request) -> Request:
    """The same request for one rank; its communication is what the theorems take."""
    strategy = msgspec.structs.replace(request.strategy, tensor=1, communication=Communication.ALL_REDUCE)
    return msgspec.structs.replace(request, strategy=strategy)


def _states(request: Request) -> _Amounts:
    """The emitted bytes of model state at each ZeRO stage, which a theorem takes from the derivation."""
    found = {}
    for stage in ZERO_STAGES:
        strategy = msgspec.structs.replace(request.strategy, zero=stage)
        facts = memory(passed(msgspec.structs.replace(request, strategy=strategy)))
        found[f"C_{stage}"] = facts["weights"] + facts["gradients"] + facts["optimizer"]
    return _Amounts(Workload.TRAINING, {}, found, {}, {})


def _enlarged(request: Request, *, batch: int = 0, prompt: int = 0, context: int = 0, feedforward: int = 0) -> Request:
    """A request of inference with so much more of each."""
    model, workload = request.model, request.workload
    assert isinstance(workload, Inference)
    return msgspec.structs.replace(
        request,
        model=msgspec.structs.replace(model, feedforward=model.feedforward + feedforward),
        workload=msgspec.structs.replace(
            workload,
            batch=workload.batch + batch,
            prompt=workload.prompt + prompt,
            context=workload.context + context,
        ),
    )


def _products(emitted: Derived) -> int:
    """The emitted operations of the forward matrix products."""
    return sum(task.work.operations for task in emitted.tasks((Phase.FORWARD,), MATMULS))


def _fused(emitted: Derived, request: Request) -> int:
    """The emitted operations of the attention core where a target runs it as one."""
    targeted = msgspec.structs.replace(
        request, target=target_of(TargetKind.QUEUE, emit=False, attention=Attention.TILED)
    )
    # That the workspace is enough is no matter of operations.
    roomy = msgspec.structs.replace(emitted.portable.memory, workspace=INT64_MAX)
    plan = msgspec.structs.replace(emitted.portable, memory=roomy)
    bound = BindReferenceQueueTargetPass().run(plan, PassContext(targeted, ""))
    (fused,) = (each for each in bound.commands if each.lineage.transform == "binding.fused_attention")
    return fused.operations


def _as_training(request: Request, at: Mapping[str, int]) -> Request:
    """The training step whose sequences are what a step of inference sees: B = b, S = c."""
    workload = Training(batch=at["b"], sequence=at["c"], microbatches=1, dtype=request.workload.dtype)
    return msgspec.structs.replace(request, workload=workload)


def _grown(request: Request, branch: Branch, at: Mapping[str, int]) -> Iterator[tuple[str, int, Derived]]:
    """Emissions in which one size alone is larger: which, by how much.

    A prompt's rows and visible tokens grow together; but the prompt of all visible tokens is the last step with more
    rows.
    """
    t = at["t"]
    yield "b", t, passed(_enlarged(request, batch=t), branch)
    yield "F", t, passed(_enlarged(request, feedforward=t), branch)
    if branch is Branch.FINAL_DECODE:
        yield "c", 3, passed(_enlarged(request, context=3), branch)
        more = at["c"] - _environment(request, Branch.PREFILL)["c"]
        yield "q", at["c"] - 1, passed(_enlarged(request, prompt=more), Branch.PREFILL)


def _between_steps(emitted: Derived, request: Request, branch: Branch, at: Mapping[str, int]) -> _Amounts:
    """What the bounds of inference compare: this step with larger ones, and with the forward pass of training."""
    t, e = at["t"], at["e"]
    seen = {"context": 1} if branch is Branch.FINAL_DECODE else {"prompt": 1, "context": 1}
    one_more = passed(_enlarged(request, **seen), branch)
    larger = _enlarged(request, batch=t, prompt=t, context=t, feedforward=t)
    other, facts = passed(larger, branch), memory(emitted)
    arms, others = _arms(at), _arms(_environment(larger, branch))
    given = {"C_bd": at["b"] * at["q"] * at["H"] * e, "X_max": max(arms.values()), "Y_max": max(others.values())}
    read = {
        "K_0": facts["kv"],
        "K_1": memory(one_more)["kv"],
        "W_p": _products(emitted),
        "W_t": _products(passed(_as_training(request, at))),
        "C_bd": facts["boundary"],
        "C_ws": facts["workspace"],
        "Y_max": memory(other)["workspace"] - memory(other)["boundary"],
        "W_f": _fused(emitted, request),
    }
    for number, name in enumerate(ARMS, start=1):
        given |= {f"X_{number}": arms[name], f"Y_{number}": others[name]}
        read |= {
            f"X_{number}": _intermediates(emitted, e)[name],
            f"Y_{number}": _intermediates(other, e)[name],
        }
    grown = {}
    for size, more, found in _grown(request, branch, at):
        for name in ARMS:
            sides = [t * (_boundary(each, e) + _intermediates(each, e)[name]) for each in (emitted, found)]
            grown[f"{name} in {size}"] = (more, sides[0], sides[1])
    return _Amounts(Workload.INFERENCE, given, read, grown, {"fused-implementation": _tiled(emitted, at)})


def _tiled(emitted: Derived, at: Mapping[str, int]) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """What is beside the unfused arms X: the arms Y of tiled attention in the same step, and their largest."""
    arms, read = _arms(at), _intermediates(emitted, at["e"])
    rows = at["b"] * at["h_t"] * at["q"] * (at["d"] * at["e"] + 4)
    (tiled,) = (each.workspace for each in emitted.portable.alternatives if each.name == "attention.tiled")
    names = (ARMS[0], "rows and statistics", ARMS[2])
    sizes = (arms[ARMS[0]], rows, arms[ARMS[2]])
    given = {"Y_max": max(sizes)} | {f"Y_{number}": size for number, size in enumerate(sizes, start=1)}
    found = {"Y_max": tiled - memory(emitted)["boundary"]}
    return given, found | {f"Y_{number}": read[name] for number, name in enumerate(names, start=1)}


def _amounts(emitted: Derived, request: Request, branch: Branch, at: Mapping[str, int]) -> _Amounts:
    if workload_of(request) is Workload.INFERENCE:
        return _between_steps(emitted, request, branch, at)
    return _states(request)


def _compare(emitted: Derived, request: Request, branch: Branch = Branch.MAIN) -> None:
    case, at = case_of(request), _environment(request, branch)
    both = _Emitted(emitted, passed(_alone(request), branch))
    assert list(_differences(both, case, at, _expected(case, at))) == []
    if case.stack:
        assert list(_traffic_differences(emitted, case, at)) == []
        return
    assert list(_memory_differences(emitted, case, at)) == []
    assert list(_maximum_differences(emitted, case, at)) == []
    assert list(_traffic_differences(emitted, case, at)) == []
    if not case.zero:
        found = list(_bound_differences(emitted, _amounts(emitted, request, branch, at), at))
        assert [difference for _, difference, _ in found if difference] == []


@functools.cache
def _special(case: Case, name: str, branch: Branch) -> Derived:
    return passed(SPECIAL[name].request(case), branch)


CASES = [
    pytest.param(case, branch, id=f"{case.text}, {branch.value}" if case.inference else case.text)
    for case in all_cases()
    for branch in ((Branch.PREFILL, Branch.FINAL_DECODE) if case.inference else (Branch.MAIN,))
]
"""Every case in each of its branches."""


def test_every_branch_of_every_case_is_compared() -> None:
    request = {case: _SMALL.request(case) for case in all_cases()}
    wanted = [(case, branch) for case in all_cases() for branch in branches_of(request[case].workload)]
    assert [each.values for each in CASES] == wanted
    assert {branch for _, branch in wanted} == set(Branch)


@pytest.mark.parametrize("name", SPECIAL)
@pytest.mark.parametrize(("case", "branch"), CASES)
def test_the_passes_emit_what_is_proved_at_special_points(case: Case, branch: Branch, name: str) -> None:
    request = SPECIAL[name].request(case)
    assert case_of(request) == case
    _compare(_special(case, name, branch), request, branch)


@pytest.mark.parametrize(("case", "branch"), CASES)
@given(points)
@settings(max_examples=4)
def test_the_passes_emit_what_is_proved_at_drawn_points(case: Case, branch: Branch, point: _Point) -> None:
    request = point.request(case)
    assert case_of(request) == case
    _compare(passed(request, branch), request, branch)


STAGE_POINTS = ("odd batch, hd != H, F != 4H, t = 3", "one of everything")

STAGE_CASES = [
    pytest.param(case, branch, id=f"{case.stage_text}, {branch.value}" if case.inference else case.stage_text)
    for case in stage_cases()
    for branch in ((Branch.PREFILL, Branch.FINAL_DECODE) if case.inference else (Branch.MAIN,))
]
"""Every case of a whole stage in each of its branches."""


@pytest.mark.parametrize("name", STAGE_POINTS)
@pytest.mark.parametrize(("case", "branch"), STAGE_CASES)
def test_the_passes_emit_what_is_proved_of_a_stage(case: Case, branch: Branch, name: str) -> None:
    """What only a stage has; that its blocks are blocks is shown in test_stack.py."""
    request = SPECIAL[name].request(case)
    assert case_of(request) == case
    emitted, at = _special(case, name, branch), _environment(request, branch)
    _compare(emitted, request, branch)
    assert list(_primitive_differences(emitted, at)) == []


@pytest.mark.parametrize(("case", "branch"), STAGE_CASES)
@given(points)
@settings(max_examples=1)
def test_the_passes_emit_what_is_proved_of_a_stage_at_drawn_points(case: Case, branch: Branch, point: _Point) -> None:
    request = point.request(case)
    assert case_of(request) == case
    _compare(passed(request, branch), request, branch)


# (recompute, communication) -> a point with k = h, so that `derive` covers it, and the rest of its case.
FULL = {
    (Recompute.NONE, Communication.ALL_REDUCE): (SPECIAL["odd batch, hd != H, F != 4H, t = 3"], True, 0, True),
    (Recompute.NONE, Communication.SEQUENCE_PARALLEL): (SPECIAL["classical, t = 3"], True, 2, False),
    (Recompute.SELECTIVE, Communication.ALL_REDUCE): (SPECIAL["one of everything"], True, 3, True),
    (Recompute.SELECTIVE, Communication.SEQUENCE_PARALLEL): (SPECIAL["GPT-3 on eight ranks"], True, 1, True),
    (Recompute.FULL, Communication.ALL_REDUCE): (replace(_SMALL, degree=7, dtype=DType.FLOAT32), True, 3, False),
    (Recompute.FULL, Communication.SEQUENCE_PARALLEL): (SPECIAL["classical, t = 3"], False, 0, True),
}


def _full(recompute: Recompute, communication: Communication) -> Request:
    point, parallel, zero, biases = FULL[recompute, communication]
    return point.request(Case(Workload.TRAINING, recompute, communication, parallel, zero, biases))


@pytest.mark.parametrize("communication", Communication)
@pytest.mark.parametrize("recompute", Recompute)
def test_derive_emits_what_is_proved(recompute: Recompute, communication: Communication) -> None:
    request = _full(recompute, communication)
    _compare(derived(request), request)
    assert derived(request).distributed.tasks == passed(request).distributed.tasks
    assert derived(request).portable.memory == passed(request).portable.memory


def test_derive_runs_through_every_zero_stage() -> None:
    assert {zero for _, _, zero, _ in FULL.values()} == set(ZERO_STAGES)


FULL_STEPS = {
    case.text: (case, SPECIAL[name])
    for case, name in zip(
        all_cases(Workload.INFERENCE),
        ("a long prompt, t = 2", "one of everything", "classical, t = 3", "odd batch, hd != H, F != 4H, t = 3"),
        strict=True,
    )
}
"""Every case of inference at a point with k = h."""


@pytest.mark.parametrize("branch", [Branch.PREFILL, Branch.FINAL_DECODE])
@pytest.mark.parametrize("name", FULL_STEPS)
def test_derive_emits_what_is_proved_of_each_step(name: str, branch: Branch) -> None:
    case, point = FULL_STEPS[name]
    request = point.request(case)
    assert case_of(request) == case
    _compare(derived(request, branch), request, branch)
    assert derived(request, branch).distributed.tasks == passed(request, branch).distributed.tasks
    assert derived(request, branch).portable.memory == passed(request, branch).portable.memory


# Primitives and projections: the rest of what is recorded -----------------------------------------------------------


def _primitive_differences(emitted: Derived, at: Mapping[str, int]) -> Iterator[str]:
    """Where a task's work is not the symbolic derivation of its primitive at the task's own operands."""
    primitives = _rulebook().primitives
    derivation = functools.cache(theory._derived)
    for task in emitted.distributed.tasks:
        operands = {primitives[task.primitive].operands[each.name].name: each.size for each in task.operands}
        phase = Phase.FORWARD if task.phase is Phase.RECOMPUTE else task.phase
        work = derivation(task.primitive, phase)
        # What is reduced for the optimizer are gradients; e is the width of an element of what is exchanged.
        width = "g" if phase is Phase.SYNCHRONIZATION and task.primitive != Primitive.ALL_GATHER else "e"
        for field in COMPONENTS.values():
            symbolic = evaluate(number_term(getattr(work, field)), {**at, "e": at[width], **operands})
            if symbolic != getattr(task.work, field):
                yield f"{task.name}: {symbolic} {field} proved, {getattr(task.work, field)} emitted"


@pytest.mark.parametrize("name", SPECIAL)
@pytest.mark.parametrize(("case", "branch"), CASES)
def test_every_task_does_what_is_proved_of_its_primitive(case: Case, branch: Branch, name: str) -> None:
    at = _environment(SPECIAL[name].request(case), branch)
    assert list(_primitive_differences(_special(case, name, branch), at)) == []


def _projection_differences(emitted: Derived) -> Iterator[str]:
    """Where the plan is not the symbolic projection of the distributed snapshot."""
    shown = {each: theory._projected(each) for each in Projection}
    tasks = {task.id: task for task in emitted.distributed.tasks}
    for task in emitted.portable.tasks:
        work = tasks[task.lineage.sources[0]].work
        at = {quantity.value: getattr(work, field) for quantity, field in COMPONENTS.items()}
        for projection, holder in ((Projection.WORK, task.work), (Projection.RESOURCES, task.resources)):
            for field, number in shown[projection].items():
                if evaluate(number_term(number), at) != getattr(holder, field):
                    yield f"{task.name}: {field}"
    for buffer in emitted.portable.buffers:
        value = emitted.values[buffer.lineage.sources[0]]
        at = {**dict(zip("BShd", value.local_shape, strict=False)), "e": value.dtype.width}
        rank = f"rank {len(value.local_shape)}"
        if evaluate(number_term(shown[Projection.BUFFER_SIZE][rank]), at) != buffer.size:
            yield f"{buffer.name}: size"


@pytest.mark.parametrize(("case", "branch"), CASES)
def test_the_plan_holds_what_is_proved_of_its_projections(case: Case, branch: Branch) -> None:
    emitted = _special(case, "k != h, t = 5", branch)
    assert len(emitted.portable.tasks) == len(emitted.distributed.tasks)
    assert len(emitted.portable.buffers) == len(emitted.distributed.values)
    assert list(_projection_differences(emitted)) == []


# One path -----------------------------------------------------------------------------------------------------------


def _with_integers(request: Request, branch: Branch) -> Block[int]:
    """The block, or the stage of one block, as a pass computes it."""
    stack = request.strategy.scope is Scope.STACK
    if isinstance(request.workload, Inference):
        step = inference_dims_of(request, branch)
        return inference_stage(step, 1) if stack else inference_block(step)
    return training_stage(dims_of(request), 1) if stack else training_block(dims_of(request))


@pytest.mark.parametrize("name", SPECIAL)
@pytest.mark.parametrize(("case", "branch"), CASES)
def test_symbols_and_integers_take_one_path(case: Case, branch: Branch, name: str) -> None:
    """The same steps and tensors under the same names, and the same numbers at the point."""
    _take_one_path(case, branch, name)


@pytest.mark.parametrize(("case", "branch"), STAGE_CASES)
def test_symbols_and_integers_take_one_path_through_a_stage(case: Case, branch: Branch) -> None:
    _take_one_path(case, branch, "k > h, t = 6")


def _take_one_path(case: Case, branch: Branch, name: str) -> None:
    request = SPECIAL[name].request(case)
    at = _environment(request, branch)
    symbolic, whole = symbolic_block(case), _with_integers(request, branch)
    for left, right in zip(symbolic.steps, whole.steps, strict=True):
        assert (left.source, left.name, left.phase, left.primitive) == (
            right.source,
            right.name,
            right.phase,
            right.primitive,
        )
        assert (left.reads, left.writes) == (right.reads, right.writes)
        assert [(each, evaluate(number_term(size), at)) for each, size in left.operands] == list(right.operands)
        caches = [(each.use, each.tensor, evaluate(number_term(each.size), at)) for each in left.cache]
        assert caches == [(each.use, each.tensor, each.size) for each in right.cache]
    for one, other in zip(symbolic.tensors, whole.tensors, strict=True):
        assert (one.name, one.element, one.partial, one.local.split) == (
            other.name,
            other.element,
            other.partial,
            other.local.split,
        )
        assert [evaluate(number_term(size), at) for size in one.local.sizes] == list(other.local.sizes)


# That the comparison can fail ---------------------------------------------------------------------------------------


def _with_task(emitted: Derived, old: Task, new: Task) -> Derived:
    tasks = tuple(new if task is old else task for task in emitted.distributed.tasks)
    return replace(emitted, distributed=msgspec.structs.replace(emitted.distributed, tasks=tasks))


FULLEST = Case(
    Workload.TRAINING, Recompute.FULL, Communication.SEQUENCE_PARALLEL, tensor_parallel=True, zero=1, biases=True
)
KEPT = replace(FULLEST, recompute=Recompute.SELECTIVE, zero=0)
"""A case in which something is stored, and in which bounds between the stages are read back."""

STAGED = replace(FULLEST, zero=3, stack=True, data_parallel=True, receives=True, sends=True)
"""A stage with every exchange and every edge that there is, but the gather of updated parameters."""

STAGE_PHASES = {Phase.SYNCHRONIZATION, Phase.STAGE_BOUNDARY}
"""The phases that only a stage has."""

STEPPED = all_cases(Workload.INFERENCE)[-1]
EITHER = [
    pytest.param(FULLEST, Branch.MAIN, id="training"),
    pytest.param(STEPPED, Branch.PREFILL, id="prefill"),
    pytest.param(STEPPED, Branch.FINAL_DECODE, id="final-decode"),
]


def test_the_cases_that_are_made_to_fail_have_everything() -> None:
    assert STEPPED.tensor_parallel
    assert STEPPED.biases
    phases = {task.phase for task in passed(_SMALL.request(FULLEST)).distributed.tasks}
    assert phases == set(Phase) - STAGE_PHASES
    assert STAGED in stage_cases()
    assert {task.phase for task in passed(_SMALL.request(STAGED)).distributed.tasks} == set(Phase)
    assert len(passed(_SMALL.request(STEPPED), Branch.PREFILL).distributed.tasks) == 14 + 2


@pytest.mark.parametrize("field", COMPONENTS.values())
@pytest.mark.parametrize(("case", "branch"), EITHER)
def test_one_more_in_any_task_is_a_difference(case: Case, branch: Branch, field: str) -> None:
    request = _SMALL.request(case)
    emitted, at = passed(request, branch), _environment(request, branch)
    alone, expected = passed(_alone(request), branch), _expected(case, at)
    for task in emitted.distributed.tasks:
        work = msgspec.structs.replace(task.work, **{field: getattr(task.work, field) + 1})
        changed = _with_task(emitted, task, msgspec.structs.replace(task, work=work))
        assert list(_differences(_Emitted(changed, alone), case, at, expected))
        assert list(_primitive_differences(changed, at))
        assert list(_projection_differences(changed))
        if field in {"read_bytes", "write_bytes"} and task.phase is not Phase.OPTIMIZER:
            assert list(_traffic_differences(changed, case, at))


@pytest.mark.parametrize("field", COMPONENTS.values())
@pytest.mark.parametrize("zero", [1, 3])
def test_one_more_in_any_task_that_only_a_stage_has_is_a_difference(zero: int, field: str) -> None:
    case = replace(STAGED, zero=zero)
    request = _SMALL.request(case)
    emitted, at = passed(request), _environment(request)
    expected = _expected(case, at)
    tasks = [task for task in emitted.distributed.tasks if task.phase in STAGE_PHASES]
    # Two edges, both ways; the sum over the tensor group, the reduction, and one gather or two.
    assert len(tasks) == 4 + 2 + (1 if zero == 1 else 2)
    for task in tasks:
        work = msgspec.structs.replace(task.work, **{field: getattr(task.work, field) + 1})
        changed = _with_task(emitted, task, msgspec.structs.replace(task, work=work))
        assert list(_primitive_differences(changed, at))
        named = _named(_differences(_Emitted(changed, emitted), case, at, expected))
        if task.phase is Phase.SYNCHRONIZATION:
            assert named == {"stage-synchronization"}
            continue
        assert named == ({"stage-payload"} if field == "message_bytes" else set())
        moves = field in {"read_bytes", "write_bytes"}
        assert bool(list(_traffic_differences(changed, case, at))) is moves
        fewer = tuple(each for each in emitted.distributed.tasks if each is not task)
        without: DistributedTaskIR = msgspec.structs.replace(emitted.distributed, tasks=fewer)
        one_less = _Emitted(replace(emitted, distributed=without), emitted)
        assert _named(_differences(one_less, case, at, expected)) == {"stage-payload"}


@pytest.mark.parametrize("branch", [Branch.PREFILL, Branch.FINAL_DECODE])
def test_one_more_in_any_effect_and_an_effect_of_the_other_kind_are_differences(branch: Branch) -> None:
    request = _SMALL.request(STEPPED)
    emitted, at = passed(request, branch), _environment(request, branch)
    alone, expected = passed(_alone(request), branch), _expected(STEPPED, at)
    with_effects = [task for task in emitted.distributed.tasks if task.effects]
    assert len(with_effects) == 4
    other = {EffectKind.KV_READ: EffectKind.KV_WRITE, EffectKind.KV_WRITE: EffectKind.KV_READ}
    for task in with_effects:
        (effect,) = task.effects
        for wrong in (
            (msgspec.structs.replace(effect, size=effect.size + 1),),
            (msgspec.structs.replace(effect, kind=other[effect.kind]),),
            (effect, effect),
            (),
        ):
            changed = _with_task(emitted, task, msgspec.structs.replace(task, effects=wrong))
            named = _named(_differences(_Emitted(changed, alone), STEPPED, at, expected))
            assert "kv-elsewhere" in named
            assert named & {"kv-append", "kv-read"}


@pytest.mark.parametrize(("case", "branch"), EITHER)
def test_a_missing_task_and_a_moved_lineage_are_differences(case: Case, branch: Branch) -> None:
    request = _SMALL.request(case)
    emitted, at = passed(request, branch), _environment(request, branch)
    alone, expected = passed(_alone(request), branch), _expected(case, at)
    tasks = emitted.distributed.tasks
    for missing in tasks:
        rest = tuple(task for task in tasks if task is not missing)
        fewer: DistributedTaskIR = msgspec.structs.replace(emitted.distributed, tasks=rest)
        assert list(_differences(_Emitted(replace(emitted, distributed=fewer), alone), case, at, expected))
    query = next(task for task in tasks if task.name == "query_projection.forward")
    scores = next(task for task in tasks if task.name == "scores.forward")
    moved = msgspec.structs.replace(query, lineage=scores.lineage)
    assert list(_differences(_Emitted(_with_task(emitted, query, moved), alone), case, at, expected))


def _moved(emitted: Derived, changes: Mapping[str, int]) -> Derived:
    """An emission in which these tasks do so many operations more."""
    for name, change in changes.items():
        task = next(task for task in emitted.distributed.tasks if task.name == name)
        work = msgspec.structs.replace(task.work, operations=task.work.operations + change)
        emitted = _with_task(emitted, task, msgspec.structs.replace(task, work=work))
    return emitted


@pytest.mark.parametrize(("case", "branch"), EITHER)
def test_two_errors_that_cancel_in_the_sum_are_a_difference(case: Case, branch: Branch) -> None:
    request = _SMALL.request(case)
    at = _environment(request, branch)
    emitted = _moved(passed(request, branch), {"scores.forward": 2, "context.forward": -2})
    assert list(_differences(_Emitted(emitted, passed(_alone(request), branch)), case, at, _expected(case, at)))


def _named(differences: Iterator[str]) -> set[str]:
    """The laws that differences are about."""
    return {each.partition(" (")[0] for each in differences}


def test_what_a_law_compares_with_is_read_back_too() -> None:
    """The group is as it was; only what stands on the other side is wrong."""
    request = _SMALL.request(FULLEST)
    emitted, alone, at = passed(request), passed(_alone(request)), _environment(request)
    expected = _expected(FULLEST, at)
    whole = _Emitted(emitted, _moved(alone, {"softmax.recompute": 1}))
    assert _named(_differences(whole, FULLEST, at, expected)) == {"rank-sum"}
    stream = _Emitted(emitted, _moved(alone, {"mlp_residual.activation_gradient": 1}))
    assert _named(_differences(stream, FULLEST, at, expected)) == {"rank-sum-sequence"}
    forward = _Emitted(_moved(emitted, {"scores.forward": 1}), alone)
    assert "backward-doubles" in _named(_differences(forward, FULLEST, at, expected))


@pytest.mark.parametrize("branch", [Branch.PREFILL, Branch.FINAL_DECODE])
def test_what_a_law_of_inference_compares_with_is_read_back_too(branch: Branch) -> None:
    request = _SMALL.request(STEPPED)
    emitted, alone, at = passed(request, branch), passed(_alone(request), branch), _environment(request, branch)
    whole = _Emitted(emitted, _moved(alone, {"softmax.forward": 1}))
    assert _named(_differences(whole, STEPPED, at, _expected(STEPPED, at))) == {"inference-rank-sum"}


FACTS = [
    pytest.param(case, branch, field.name, id=f"{case.text}, {branch.value}, {field.name}")
    for case, branch, kind in (
        (FULLEST, Branch.MAIN, TrainingMemory),
        (KEPT, Branch.MAIN, TrainingMemory),
        (STEPPED, Branch.PREFILL, InferenceMemory),
        (STEPPED, Branch.FINAL_DECODE, InferenceMemory),
    )
    for field in msgspec.structs.fields(kind)
]
"""Every memory fact of a plan in a case."""


def test_every_memory_fact_is_one_of_which_laws_speak() -> None:
    assert {str(each.values[2]) for each in FACTS} == {each.name.lower() for each in Capacity}


@pytest.mark.parametrize(("case", "branch", "fact"), FACTS)
def test_one_more_in_any_memory_fact_is_a_difference(case: Case, branch: Branch, fact: str) -> None:
    request = _SMALL.request(case)
    emitted, at = passed(request, branch), _environment(request, branch)
    more = msgspec.structs.replace(emitted.portable.memory, **{fact: memory(emitted)[fact] + 1})
    changed = replace(emitted, portable=msgspec.structs.replace(emitted.portable, memory=more))
    wrong = _named(_memory_differences(changed, case, at)) | _named(_maximum_differences(changed, case, at))
    names = {each.law.id for each in _remembered(case) if each.equation.quantity.name.lower() == fact}
    greatest = [each.law for each in _greatest(case) if each.law.of_plan]
    names |= {law.id for law in greatest if law.capacity.name.lower() == fact}
    assert wrong == names
    assert len(names) == 1


@pytest.mark.parametrize("branch", [Branch.PREFILL, Branch.FINAL_DECODE])
@pytest.mark.parametrize("at_place", range(3))
def test_one_more_in_the_workspace_of_any_implementation_is_a_difference(at_place: int, branch: Branch) -> None:
    request = _SMALL.request(STEPPED)
    emitted, at = passed(request, branch), _environment(request, branch)
    every = list(emitted.portable.alternatives)
    chosen = every[at_place]
    every[at_place] = msgspec.structs.replace(chosen, workspace=chosen.workspace + 1)
    changed = replace(emitted, portable=msgspec.structs.replace(emitted.portable, alternatives=tuple(every)))
    laws = {each.law.id for each in _greatest(STEPPED) if each.law.implementation == chosen.name}
    assert len(laws) == 1
    assert _named(_maximum_differences(changed, STEPPED, at)) == laws
    assert len({each.law.id for each in _greatest(STEPPED)}) == len(every)


def _of_shape(emitted: Derived, name: str, more: int, axis: int = -1) -> Derived:
    """An emission in which one value has so much more of an axis, the last by default, on a rank."""

    def enlarged(shape: tuple[int, ...]) -> tuple[int, ...]:
        place = axis % len(shape)
        return tuple(size + more if each == place else size for each, size in enumerate(shape))

    values = tuple(
        msgspec.structs.replace(each, local_shape=enlarged(each.local_shape)) if each.name == name else each
        for each in emitted.distributed.values
    )
    return replace(emitted, distributed=msgspec.structs.replace(emitted.distributed, values=values))


@pytest.mark.parametrize("branch", [Branch.PREFILL, Branch.FINAL_DECODE])
@pytest.mark.parametrize("name", ["x", "query_projection", "scores", "up_projection"])
def test_one_more_in_any_intermediate_is_a_difference(name: str, branch: Branch) -> None:
    request = _SMALL.request(STEPPED)
    emitted, at = passed(request, branch), _environment(request, branch)
    amounts = _between_steps(emitted, request, branch, at)
    assert [text for _, text, _ in _bound_differences(emitted, amounts, at) if text] == []
    changed = _of_shape(emitted, f"{name}.forward", 1)
    fused = {"tiled-workspace", "paged-workspace"}
    assert _named(_maximum_differences(changed, STEPPED, at)) == {"workspace"} | (set() if name == "scores" else fused)
    wrong = _between_steps(changed, request, branch, at)
    named = _named(iter([text for _, text, _ in _bound_differences(emitted, wrong, at) if text]))
    assert named == ({"workspace-grows"} if name == "x" else {"workspace-grows", "workspace-bound"})


@pytest.mark.parametrize("branch", [Branch.PREFILL, Branch.FINAL_DECODE])
@pytest.mark.parametrize(
    ("name", "axis", "laws"),
    [
        ("context.forward", -1, {"tiled-workspace", "paged-workspace"}),
        ("scores.forward", 2, {"workspace", "tiled-workspace", "paged-workspace"}),
        ("key_projection.cache", 1, {"paged-workspace"}),
    ],
)
def test_one_more_in_what_attention_that_writes_no_scores_keeps_is_a_difference(
    name: str, axis: int, laws: set[str], branch: Branch
) -> None:
    request = _SMALL.request(STEPPED)
    emitted, at = passed(request, branch), _environment(request, branch)
    assert _named(_maximum_differences(_of_shape(emitted, name, 1, axis), STEPPED, at)) == laws


@pytest.mark.parametrize(
    ("symbol", "laws"),
    [
        ("K_0", {"kv-growth"}),
        ("K_1", {"kv-growth"}),
        ("W_p", {"prefill-derivation"}),
        ("W_t", {"prefill-derivation"}),
        ("C_bd", {"workspace-bound", "fused-implementation"}),
        ("C_ws", {"workspace-bound", "fused-implementation"}),
        ("Y_max", {"workspace-bound"}),
        ("W_f", {"fused-operations"}),
    ],
)
def test_one_more_in_what_steps_are_compared_by_is_a_difference(symbol: str, laws: set[str]) -> None:
    request = _SMALL.request(STEPPED)
    emitted, at = passed(request, Branch.PREFILL), _environment(request, Branch.PREFILL)
    amounts = _between_steps(emitted, request, Branch.PREFILL, at)
    wrong = replace(amounts, read={**amounts.read, symbol: amounts.read[symbol] + 1})
    assert _named(iter([text for _, text, _ in _bound_differences(emitted, wrong, at) if text])) == laws


def test_one_more_in_the_largest_arm_of_tiled_attention_is_a_difference() -> None:
    request = _SMALL.request(STEPPED)
    emitted, at = passed(request, Branch.PREFILL), _environment(request, Branch.PREFILL)
    amounts = _between_steps(emitted, request, Branch.PREFILL, at)
    given, read = amounts.own["fused-implementation"]
    wrong = replace(amounts, own={"fused-implementation": (given, {**read, "Y_max": read["Y_max"] + 1})})
    assert _named(iter([text for _, text, _ in _bound_differences(emitted, wrong, at) if text])) == {
        "fused-implementation"
    }


def test_one_more_in_the_state_of_any_stage_and_any_share_is_a_difference() -> None:
    request = replace(SPECIAL["classical, t = 3"]).request(KEPT)
    emitted, states, at = passed(request), _states(request), _environment(request)
    assert [text for _, text, _ in _bound_differences(emitted, states, at) if text] == []
    for stage in ZERO_STAGES:
        wrong = replace(states, read={**states.read, f"C_{stage}": states.read[f"C_{stage}"] + 1})
        assert _named(iter([text for _, text, _ in _bound_differences(emitted, wrong, at) if text])) == {"model-state"}
    changed = _of_shape(emitted, "up_projection.weight.forward", 1)
    assert _named(iter([text for _, text, _ in _bound_differences(changed, states, at) if text])) == {"four-wide"}


def test_every_law_and_every_symbol_is_reached() -> None:
    """No law is left out in every case, and no side uses a symbol that a point does not give."""
    cases = (*all_cases(), *stage_cases())
    reached = {(stated.law.id, stated.equation.form) for case in cases for stated in _stated(case)}
    reached |= {(each.law.id, each.equation.form) for case in all_cases() for each in _remembered(case)}
    reached |= {(each.law.id, each.form.form) for case in all_cases() for each in _greatest(case)}
    reached |= {(law.id, bound.form) for workload in Workload for law, bound, _ in _bounds(workload)}
    laws = [law for _, law in _rulebook().laws() if not isinstance(law, InductiveLaw)]
    equations = [(law, each.form) for law in laws if isinstance(law, Law | MemoryLaw) for each in law.equations]
    maxima = [(law, each.form) for law in laws if isinstance(law, MaximumLaw) for each in law.forms]
    bounds = [(law, each.form) for law in laws if isinstance(law, BoundLaw) for each in law.bounds]
    assert reached == {(law.id, form) for law, form in (*equations, *maxima, *bounds)}
    # Training, and inference.
    assert len(reached) >= 33 + 8 + 10 + 8 + 25 + 3 + 2 + 20
    # What has no theorem is a projection, compared below, or speaks of single plans alone.
    others = [law for law in laws if not isinstance(law, Law | MemoryLaw | MaximumLaw | BoundLaw)]
    assert all(isinstance(law, ProjectionLaw | Requirement) for law in others)
    assert {law.id for law in others if isinstance(law, Requirement)} == {
        "capacity",
        "inference-capacity",
        "bound-workspace",
    }
    traffic = {rule.id for case in cases for rule, _ in _traffic(case)}
    assert traffic == {rule.id for rule in _rulebook().primitives.values()} - {"primitives.optimizer"}
    with_laws = {rule.id for rule in _rulebook().rules if isinstance(rule, PassRule) and rule.laws}
    assert {f"{each}.qkv_projection" for each in ("training", "inference")} <= with_laws
    assert {f"{each}.tensor_collective" for each in ("training", "inference")} <= with_laws
    for case, branch in ((FULLEST, Branch.MAIN), (STEPPED, Branch.FINAL_DECODE)):
        at = _environment(_SMALL.request(case), branch)
        assert set(at) <= set(ALPHABET)
        assert all(evaluate(Sum(stated.amounts), at) >= 0 for stated in _stated(case))


def test_no_theorem_about_a_derivation_is_left_uncompared() -> None:
    """Every recorded theorem is one that the points above compare, or one of a primitive or a projection."""
    cases = (*all_cases(), *stage_cases())
    compared = {id(each.theorem) for case in cases for each in _stated(case)}
    compared |= {id(each.theorem) for case in all_cases() for each in _remembered(case)}
    compared |= {id(each) for case in all_cases() for found in _greatest(case) for each in found.theorems.values()}
    compared |= {id(theorem) for workload in Workload for _, _, theorem in _bounds(workload)}
    compared |= {id(theorem) for case in cases for _, theorem in _traffic(case)}
    primitives = {rule.id: rule.primitive for rule in _rulebook().primitives.values()}
    projections = {law.id for _, law in _rulebook().laws() if isinstance(law, ProjectionLaw)}
    elsewhere = {law.id for _, law in _rulebook().laws() if isinstance(law, InductiveLaw)}
    compared |= {id(theorem) for theorem in _theorems().values() if theorem.law in elsewhere}
    rest = [theorem for theorem in _theorems().values() if id(theorem) not in compared]
    assert all(primitives.get(each.rule) == each.law or each.law in projections for each in rest)


BOUND_POINTS = (*SPECIAL.values(), replace(_SMALL, data=1), replace(SPECIAL["classical, t = 3"], data=2))


@pytest.mark.parametrize("case", [KEPT, STEPPED], ids=lambda case: case.text)
def test_every_bound_speaks_of_some_point(case: Case) -> None:
    """A bound whose premises no point meets would be compared with nothing."""
    spoken, bounds = set(), _bounds(case.workload)
    for point in BOUND_POINTS:
        request = point.request(case)
        for branch in branches_of(request.workload):
            emitted, at = passed(request, branch), _environment(request, branch)
            found = _bound_differences(emitted, _amounts(emitted, request, branch, at), at)
            for (law, bound, _), (_, text, here) in zip(bounds, found, strict=True):
                assert text == ""
                if here:
                    spoken.add((law.id, bound.form))
    assert spoken == {(law.id, bound.form) for law, bound, _ in bounds}
