"""What the theorems speak of is what a bundle holds: symbolic left sides at points against the emitted bytes.

Points are testing, and are called so. For every case of a strategy all points run through the passes and the codec
(`passed`); six points, one for each pair of recompute and communication, run through `derive`, gate and bundle
(`derived`).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blueprint import theory
from blueprint.case import Case, all_cases, case_of
from blueprint.ir.common import DType, Phase
from blueprint.ir.distributed import DistributedTaskIR, Task
from blueprint.ir.request import Communication, Recompute, Request
from blueprint.law import Equation, Law, Projection, ProjectionLaw
from blueprint.obligation import replace as substituted
from blueprint.rule import PassRule
from blueprint.rulebook import Rulebook, load, shipped
from blueprint.symbols import ALPHABET, to_term
from blueprint.term import Const, Sum, Term, evaluate, holds
from blueprint.theory import COMPONENTS, Theorem, group_of, number_term, symbolic_block, theorems_of
from blueprint.workload.dims import dims_of
from blueprint.workload.training_block import training_block
from tests.oracles.derived import Derived, block_request, derived, passed

# The laws, and what is recorded of them -----------------------------------------------------------------------------


@functools.cache
def _rulebook() -> Rulebook:
    return load(shipped("rules"))


@functools.cache
def _theorems() -> dict[tuple[str, str, str], Theorem]:
    """Every theorem of a group law by law, form and case."""
    every = (theorem for rule in _rulebook().rules for theorem in theorems_of(rule))
    return {(each.law, each.form, each.case): each for each in every if not each.negative}


@dataclass(frozen=True)
class _Stated:
    """One form of a law in one case: its equation, the amounts of the symbolic steps, and the theorem about them."""

    law: Law
    equation: Equation
    amounts: tuple[Term, ...]
    theorem: Theorem


@functools.cache
def _stated(case: Case) -> tuple[_Stated, ...]:
    """Every form of every law about a group of tasks; a group may have no member in a case, and then sums to 0."""
    found = []
    for _, law in _rulebook().laws():
        if isinstance(law, ProjectionLaw):
            continue
        steps = group_of(law, symbolic_block(case))
        for equation in law.equations:
            field = COMPONENTS[equation.quantity]
            amounts = tuple(number_term(getattr(step.work, field)) for step in steps)
            found.append(_Stated(law, equation, amounts, _theorems()[law.id, equation.form, case.text]))
    return tuple(found)


# Points -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Point:
    """The factors of a request. Every dimension is a product of them, so that nothing has to be drawn again.

    `carrier` is the dimension of B, S, H that takes up the factor t where the sequence is whole.
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
    zero: int
    dtype: DType
    gradient: int
    carrier: str

    def request(self, case: Case) -> Request:
        """The request of this point in a case. The degree counts only where there is tensor parallelism."""
        t = self.degree if case.tensor_parallel else 1
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
            zero=self.zero if case.sharded_optimizer else 0,
            gradient_bytes=self.gradient,
            biases=case.biases,
        )


def _environment(request: Request) -> dict[str, int]:
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
    stream = workload.batch * workload.sequence * model.hidden
    return {
        "B": workload.batch,
        "S": workload.sequence,
        "H": model.hidden,
        "F": model.feedforward,
        "h": model.heads,
        "k": model.key_value_heads,
        "d": model.head_width,
        "t": t,
        "D": strategy.data,
        "e": element,
        "g": strategy.gradient_bytes,
        "o": 8 if element == 4 else 12,
        # Not whole where the sequence is not split, but then nothing asks for it.
        "S_t": workload.sequence // t,
        "h_t": model.heads // t,
        "k_t": model.key_value_heads // t,
        "F_t": model.feedforward // t,
        "R": stream // t,
        "N": held,
        "n_D": (held + strategy.data - 1) // strategy.data,
    }


_SMALL = _Point(3, 5, 7, 2, 2, 3, 11, 3, 4, 1, DType.FLOAT16, 4, "S")
SPECIAL = {
    "odd batch, hd != H, F != 4H, t = 3": _SMALL,
    "k != h, t = 5": replace(_SMALL, heads=6, keys=2, degree=5, carrier="B", data=3, zero=3, dtype=DType.FLOAT32),
    "k > h, t = 6": replace(_SMALL, heads=1, keys=3, degree=6, width=8, carrier="H", gradient=2),
    "one of everything": _Point(1, 1, 1, 1, 1, 1, 1, 2, 2, 2, DType.BFLOAT16, 2, "B"),
    # H = hd and k = h, where the printed forms of the laws apply.
    "classical, t = 3": _Point(5, 7, 18, 2, 2, 3, 24, 3, 2, 2, DType.BFLOAT16, 4, "S"),
    "GPT-3 on eight ranks": _Point(1, 256, 12288, 12, 12, 128, 6144, 8, 16, 1, DType.BFLOAT16, 4, "S"),
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
    zero=st.integers(1, 3),
    dtype=st.sampled_from([DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16]),
    gradient=st.sampled_from([2, 4]),
    carrier=st.sampled_from("BSH"),
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


# The comparison -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Expected:
    """What a stated form says at a point: the members' amounts, the recorded left sides, and the right sides.

    `right` is None where the form's own definitions do not hold, such as H = h d.
    """

    stated: _Stated
    amounts: list[int]
    left: set[int]
    right: set[int] | None
    inside: bool


def _expected(case: Case, at: Mapping[str, int]) -> list[_Expected]:
    found = []
    for stated in _stated(case):
        obligations = stated.theorem.obligations
        goals = [goal for obligation in obligations for goal in obligation.goal]
        definitions = stated.equation.where
        applies = all(at[symbol.name] == evaluate(to_term(value), at) for symbol, value in definitions)
        found.append(
            _Expected(
                stated=stated,
                amounts=sorted(evaluate(amount, at) for amount in stated.amounts),
                left={evaluate(goal.left, at) for goal in goals},
                right={evaluate(goal.right, at) for goal in goals} if applies else None,
                inside=all(holds(each, at) for obligation in obligations for each in obligation.hypotheses),
            )
        )
    return found


def _differences(emitted: Derived, case: Case, at: Mapping[str, int], expected: Sequence[_Expected]) -> Iterator[str]:
    """Where the emitted tasks and what the theorems say of them are not the same at a point."""
    for each in expected:
        law, equation = each.stated.law, each.stated.equation
        tasks = emitted.tasks(law.group.phases, law.group.primitives, law.group.kinds)
        read = [getattr(task.work, COMPONENTS[equation.quantity]) for task in tasks]
        where = f"{law.id} ({equation.form})"
        if len(read) != law.group.members(case):
            yield f"{where}: {len(read)} members"
        # The sum, and every member.
        if (sum(read), sorted(read)) != (sum(each.amounts), each.amounts):
            yield f"{where}: {sum(each.amounts)} proved, {sum(read)} emitted"
        # The very left sides that are recorded, and the right sides where the form's definitions hold.
        portions = set(read) if law.group.each else {sum(read)}
        left = {
            evaluate(substituted(to_term(equation.left), equation.quantity.value, Const(portion)), at)
            for portion in portions
        }
        if left != each.left:
            yield f"{where}: the recorded left side is {each.left}, the emitted one {left}"
        if each.right is not None and not each.inside:
            yield f"{where}: the point lies outside the theorem's domain"
        if each.right is not None and left != each.right:
            yield f"{where}: the law does not hold of the emitted bytes"


def _compare(emitted: Derived, request: Request) -> None:
    case, at = case_of(request), _environment(request)
    assert list(_differences(emitted, case, at, _expected(case, at))) == []


@functools.cache
def _special(case: Case, name: str) -> Derived:
    return passed(SPECIAL[name].request(case))


@pytest.mark.parametrize("name", SPECIAL)
@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.text)
def test_the_passes_emit_what_is_proved_at_special_points(case: Case, name: str) -> None:
    request = SPECIAL[name].request(case)
    assert case_of(request) == case
    _compare(_special(case, name), request)


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.text)
@given(points)
@settings(max_examples=4)
def test_the_passes_emit_what_is_proved_at_drawn_points(case: Case, point: _Point) -> None:
    request = point.request(case)
    assert case_of(request) == case
    _compare(passed(request), request)


# (recompute, communication) -> a point with k = h, so that `derive` covers it, and the rest of its case.
FULL = {
    (Recompute.NONE, Communication.ALL_REDUCE): (SPECIAL["odd batch, hd != H, F != 4H, t = 3"], True, False, True),
    (Recompute.NONE, Communication.SEQUENCE_PARALLEL): (SPECIAL["classical, t = 3"], True, True, False),
    (Recompute.SELECTIVE, Communication.ALL_REDUCE): (SPECIAL["one of everything"], True, True, True),
    (Recompute.SELECTIVE, Communication.SEQUENCE_PARALLEL): (SPECIAL["GPT-3 on eight ranks"], True, True, True),
    (Recompute.FULL, Communication.ALL_REDUCE): (replace(_SMALL, degree=7, dtype=DType.FLOAT32), True, True, False),
    (Recompute.FULL, Communication.SEQUENCE_PARALLEL): (SPECIAL["classical, t = 3"], False, False, True),
}


def _full(recompute: Recompute, communication: Communication) -> Request:
    point, parallel, sharded, biases = FULL[recompute, communication]
    return point.request(Case(recompute, communication, parallel, sharded, biases))


@pytest.mark.parametrize("communication", Communication)
@pytest.mark.parametrize("recompute", Recompute)
def test_derive_emits_what_is_proved(recompute: Recompute, communication: Communication) -> None:
    request = _full(recompute, communication)
    _compare(derived(request), request)
    assert derived(request).distributed.tasks == passed(request).distributed.tasks


# Primitives and projections: the rest of what is recorded -----------------------------------------------------------


def _primitive_differences(emitted: Derived, at: Mapping[str, int]) -> Iterator[str]:
    """Where a task's work is not the symbolic derivation of its primitive at the task's own operands."""
    primitives = _rulebook().primitives
    derivation = functools.cache(theory._derived)
    for task in emitted.distributed.tasks:
        operands = {primitives[task.primitive].operands[each.name].name: each.size for each in task.operands}
        phase = Phase.FORWARD if task.phase is Phase.RECOMPUTE else task.phase
        work = derivation(task.primitive, phase)
        for field in COMPONENTS.values():
            symbolic = evaluate(number_term(getattr(work, field)), {**at, **operands})
            if symbolic != getattr(task.work, field):
                yield f"{task.name}: {symbolic} {field} proved, {getattr(task.work, field)} emitted"


@pytest.mark.parametrize("name", SPECIAL)
@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.text)
def test_every_task_does_what_is_proved_of_its_primitive(case: Case, name: str) -> None:
    at = _environment(SPECIAL[name].request(case))
    assert list(_primitive_differences(_special(case, name), at)) == []


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


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.text)
def test_the_plan_holds_what_is_proved_of_its_projections(case: Case) -> None:
    emitted = _special(case, "k != h, t = 5")
    assert len(emitted.portable.tasks) == len(emitted.distributed.tasks)
    assert len(emitted.portable.buffers) == len(emitted.distributed.values)
    assert list(_projection_differences(emitted)) == []


# One path -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SPECIAL)
@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.text)
def test_symbols_and_integers_take_one_path(case: Case, name: str) -> None:
    """The same steps and tensors under the same names, and the same numbers at the point."""
    request = SPECIAL[name].request(case)
    at = _environment(request)
    symbolic, whole = symbolic_block(case), training_block(dims_of(request))
    for left, right in zip(symbolic.steps, whole.steps, strict=True):
        assert (left.source, left.name, left.phase, left.primitive) == (
            right.source,
            right.name,
            right.phase,
            right.primitive,
        )
        assert (left.reads, left.writes) == (right.reads, right.writes)
        assert [(each, evaluate(number_term(size), at)) for each, size in left.operands] == list(right.operands)
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


FULLEST = Case(Recompute.FULL, Communication.SEQUENCE_PARALLEL, True, True, True)  # noqa: FBT003


@pytest.mark.parametrize("field", COMPONENTS.values())
def test_one_more_in_any_task_is_a_difference(field: str) -> None:
    request = _SMALL.request(FULLEST)
    emitted, at = passed(request), _environment(request)
    expected = _expected(FULLEST, at)
    assert {task.phase for task in emitted.distributed.tasks} == set(Phase)
    for task in emitted.distributed.tasks:
        work = msgspec.structs.replace(task.work, **{field: getattr(task.work, field) + 1})
        changed = _with_task(emitted, task, msgspec.structs.replace(task, work=work))
        assert list(_differences(changed, FULLEST, at, expected))
        assert list(_primitive_differences(changed, at))
        assert list(_projection_differences(changed))


def test_a_missing_task_and_a_moved_lineage_are_differences() -> None:
    request = _SMALL.request(FULLEST)
    emitted, at = passed(request), _environment(request)
    expected = _expected(FULLEST, at)
    tasks = emitted.distributed.tasks
    for missing in tasks:
        rest = tuple(task for task in tasks if task is not missing)
        fewer: DistributedTaskIR = msgspec.structs.replace(emitted.distributed, tasks=rest)
        assert list(_differences(replace(emitted, distributed=fewer), FULLEST, at, expected))
    query = next(task for task in tasks if task.name == "query_projection.forward")
    scores = next(task for task in tasks if task.name == "scores.forward")
    moved = msgspec.structs.replace(query, lineage=scores.lineage)
    assert list(_differences(_with_task(emitted, query, moved), FULLEST, at, expected))


def test_two_errors_that_cancel_in_the_sum_are_a_difference() -> None:
    request = _SMALL.request(FULLEST)
    emitted, at = passed(request), _environment(request)
    for name, change in (("scores.forward", 2), ("context.forward", -2)):
        task = next(task for task in emitted.distributed.tasks if task.name == name)
        work = msgspec.structs.replace(task.work, operations=task.work.operations + change)
        emitted = _with_task(emitted, task, msgspec.structs.replace(task, work=work))
    assert list(_differences(emitted, FULLEST, at, _expected(FULLEST, at)))


def test_every_law_and_every_symbol_is_reached() -> None:
    """No law is left out in every case, and no left side uses a symbol that a point does not give."""
    reached = {(stated.law.id, stated.equation.form) for case in all_cases() for stated in _stated(case)}
    laws = [law for _, law in _rulebook().laws() if isinstance(law, Law)]
    assert reached == {(law.id, equation.form) for law in laws for equation in law.equations}
    assert len(reached) >= 33
    with_laws = {rule.id for rule in _rulebook().rules if isinstance(rule, PassRule) and rule.laws}
    assert {"training.qkv_projection", "training.tensor_collective"} <= with_laws
    at = _environment(_SMALL.request(FULLEST))
    assert set(at) <= set(ALPHABET)
    assert all(evaluate(Sum(stated.amounts), at) >= 0 for stated in _stated(FULLEST))
