"""Laws as theorems: run the structural derivation with symbols and state each law about what it computes.

The left side of every theorem comes from the code that a pass runs; the right side from the rule file. The two meet
here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from blueprint import symbols
from blueprint.case import Case, all_cases
from blueprint.ir.common import Phase, Primitive
from blueprint.ir.model import OperationKind
from blueprint.law import Equation, Law, Projection, ProjectionLaw, Quantity
from blueprint.obligation import definitions, law_sides, theorem
from blueprint.rule import BoundaryRule, Formula, PassRule, PrimitiveRule, Rule
from blueprint.symbols import to_term
from blueprint.term import Comparison, Const, Sum, Term, equal
from blueprint.verdict import Obligation
from blueprint.workload import primitives
from blueprint.workload.dims import Dims, Factors
from blueprint.workload.plan import buffer_size, plan_work
from blueprint.workload.primitives import TaskWork
from blueprint.workload.symbolic import Symbolic
from blueprint.workload.training_block import Block, Step, training_block

Number = Symbolic | int

COMPONENTS: Final = {
    Quantity.OPERATIONS: "operations",
    Quantity.READ_BYTES: "read_bytes",
    Quantity.WRITE_BYTES: "write_bytes",
    Quantity.MESSAGE_BYTES: "message_bytes",
}
"""The field of the work vector that a quantity names."""


@dataclass(frozen=True)
class Theorem:
    """One statement of a law in one case: its obligations, all of which must be proved; or refuted, if `negative`.

    An empty `case` means all. A `fault` says that the law does not even fit the derivation.
    """

    rule: str
    law: str
    form: str
    statement: str
    case: str
    obligations: tuple[Obligation, ...]
    negative: bool
    fault: str = ""


def theorems_of(rule: Rule) -> Iterator[Theorem]:
    """Every theorem that a rule's laws state, and every false variant that must be refuted."""
    if isinstance(rule, PrimitiveRule):
        yield from _primitive_theorems(rule)
        return
    for law in rule.laws:
        if isinstance(law, ProjectionLaw):
            yield from _projection_theorems(rule, law)
        else:
            yield from _law_theorems(rule, law)


@cache
def symbolic_block(case: Case) -> Block[Symbolic]:
    """The structural derivation of one case, run with the symbols of the alphabet."""
    return training_block(symbolic_dims(case))


def symbolic_dims(case: Case) -> Dims[Symbolic]:
    """The factored dimensions as symbols; t is 1 where there is no tensor parallelism."""
    return Dims.of(
        case,
        Factors(
            batch=Symbolic(symbols.B),
            sequence=Symbolic(symbols.S_t if case.sequence_parallel else symbols.S),
            hidden=Symbolic(symbols.H),
            heads=Symbolic(symbols.h_t),
            key_value_heads=Symbolic(symbols.k_t),
            head_width=Symbolic(symbols.d),
            feedforward=Symbolic(symbols.F_t),
            tensor=Symbolic(symbols.t) if case.tensor_parallel else 1,
            element=Symbolic(symbols.e),
            gradient=Symbolic(symbols.g),
            optimizer_state=Symbolic(symbols.o),
            shard=Symbolic(symbols.R),
            optimizer_shard=Symbolic(symbols.n_D),
        ),
    )


def number_term(number: Number) -> Term:
    """The term of an integer or a symbolic number."""
    return Const(number) if type(number) is int else to_term(number.expression)  # type: ignore[union-attr]


def group_of(law: Law, block: Block[Symbolic]) -> list[Step[Symbolic]]:
    """The derivation's steps that a law speaks of."""
    group = law.group
    return [
        step
        for step in block.steps
        if step.phase in group.phases
        and (not group.primitives or step.primitive in group.primitives)
        and (not group.kinds or _kind(step) in group.kinds)
    ]


def _kind(step: Step[Symbolic]) -> OperationKind | None:
    names = {kind.value: kind for kind in OperationKind}
    return names.get(step.source)


# Laws over groups ---------------------------------------------------------------------------------------------------


def _law_theorems(rule: PassRule | BoundaryRule, law: Law) -> Iterator[Theorem]:
    for case in all_cases():
        for equation in law.equations:
            yield _law_theorem(rule.id, law, equation, case, negative=False)
    for equation in law.wrong:
        case = next(case for case in all_cases() if case.tensor_parallel and law.group.members(case))
        yield _law_theorem(rule.id, law, equation, case, negative=True)


def _law_theorem(rule: str, law: Law, equation: Equation, case: Case, *, negative: bool) -> Theorem:
    steps = group_of(law, symbolic_block(case))
    expected = law.group.members(case)
    fault = "" if len(steps) == expected else f"the group has {len(steps)} members, the law says {expected}"
    amounts = [number_term(getattr(step.work, COMPONENTS[equation.quantity])) for step in steps]
    portions = amounts if law.group.each else [Sum(tuple(amounts))]
    defined = definitions(case, equation.where)
    stated = tuple(theorem([law_sides(equation, case, portion)], defined) for portion in dict.fromkeys(portions))
    statement = equation.statement or law.statement
    return Theorem(rule, law.id, equation.form, statement, case.text, stated, negative, fault)


# Primitives: formula of the rule = derivation of the workload --------------------------------------------------------


def _primitive_theorems(rule: PrimitiveRule) -> Iterator[Theorem]:
    for phase, formula in rule.formulas.items():
        work = _derived(rule.primitive, phase)
        goals = [_component(formula, work, name) for name in COMPONENTS.values()]
        yield Theorem(
            rule=rule.id,
            law=rule.primitive.value,
            form=phase.value,
            statement=f"the formula of {rule.primitive.value} is what the derivation computes",
            case="",
            obligations=(theorem(goals, ()),),
            negative=False,
        )
        yield Theorem(
            rule=rule.id,
            law=rule.primitive.value,
            form=f"{phase.value}, one more operation",
            statement=f"a formula of {rule.primitive.value} with one operation more",
            case="",
            obligations=(theorem([_component(formula, work, "operations", extra=1)], ()),),
            negative=True,
        )


def _component(formula: Formula, work: TaskWork[Symbolic], name: str, extra: int = 0) -> Comparison:
    right = to_term(getattr(formula, name))
    return equal(number_term(getattr(work, name)), Sum((right, Const(extra))) if extra else right)


def _derived(primitive: Primitive, phase: Phase) -> TaskWork[Symbolic]:
    """What the derivation computes for one primitive and phase over free operand symbols."""
    s = Symbolic
    e, elements, shard, t = s(symbols.e), s(symbols.E), s(symbols.E_t), s(symbols.t)
    m, n, k, z = s(symbols.m), s(symbols.n), s(symbols.kk), s(symbols.z)
    match primitive:
        case Primitive.LINEAR:
            phases = primitives.linear(m, n, k, e)
        case Primitive.BATCHED_MATMUL:
            phases = primitives.batched_matmul(z, m, n, k, e)
        case Primitive.LAYER_NORM:
            phases = primitives.layer_norm(elements, s(symbols.w), e)
        case Primitive.SOFTMAX:
            phases = primitives.softmax(elements, e)
        case Primitive.GELU:
            phases = primitives.gelu(elements, e)
        case Primitive.DROPOUT:
            phases = primitives.dropout(elements, e)
        case Primitive.RESIDUAL:
            phases = primitives.residual(elements, e)
        case Primitive.FORK:
            return primitives.fork_gradient(elements, n, e)
        case Primitive.ALL_REDUCE:
            return primitives.all_reduce(elements, shard, t, e)
        case Primitive.ALL_GATHER:
            return primitives.all_gather(elements, shard, e)
        case Primitive.REDUCE_SCATTER:
            return primitives.reduce_scatter(elements, shard, t, e)
        case Primitive.OPTIMIZER:
            return primitives.optimizer(m, e, s(symbols.g), s(symbols.o))
    work: TaskWork[Symbolic] = getattr(phases, phase.value)
    return work


# Projections --------------------------------------------------------------------------------------------------------


def _projection_theorems(rule: PassRule | BoundaryRule, law: ProjectionLaw) -> Iterator[Theorem]:
    derived = _projected(law.projection)
    goals = [equal(number_term(derived[name]), to_term(value)) for name, value in law.outputs.items()]
    yield Theorem(rule.id, law.id, "projection", law.statement, "", (theorem(goals, ()),), negative=False)
    for name, value in law.wrong.items():
        goal = equal(number_term(derived[name]), to_term(value))
        yield Theorem(rule.id, law.id, f"wrong {name}", law.statement, "", (theorem([goal], ()),), negative=True)


def _projected(projection: Projection) -> dict[str, Symbolic]:
    """What the planning functions compute over free symbols."""
    work = plan_work(*(Symbolic(quantity.symbol) for quantity in COMPONENTS))
    match projection:
        case Projection.WORK:
            return {name: getattr(work, name) for name in COMPONENTS.values()}
        case Projection.RESOURCES:
            return {name: getattr(work, name) for name in ("compute", "memory", "network")}
        case Projection.BUFFER_SIZE:
            sizes = (symbols.B, symbols.S, symbols.h, symbols.d)
            return {
                f"rank {rank}": buffer_size(tuple(map(Symbolic, sizes[:rank])), Symbolic(symbols.e))
                for rank in range(1, len(sizes) + 1)
            }
