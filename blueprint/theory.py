"""Laws as theorems: run the structural derivation with symbols and state each law about what it computes.

The left side of every theorem comes from the code that a pass runs; the right side from the rule file. The two meet
here and nowhere else.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeVar

import sympy

from blueprint import symbols
from blueprint.case import ZERO_STAGES, Case, Workload, all_cases, stage_cases
from blueprint.errors import RulebookError
from blueprint.ir.common import Phase, Primitive
from blueprint.ir.model import OperationKind
from blueprint.ir.request import Communication
from blueprint.law import (
    Bound,
    BoundLaw,
    Capacity,
    Equation,
    InductiveLaw,
    Law,
    MaximumLaw,
    MemoryLaw,
    Projection,
    ProjectionLaw,
    Quantity,
    Reference,
    portions_of,
)
from blueprint.obligation import bound as bound_obligation
from blueprint.obligation import definitions, law_sides, replace, replace_in, theorem
from blueprint.rule import TRAFFIC, BoundaryRule, Formula, PassRule, PrimitiveRule, Rule, cases_of, counted
from blueprint.symbols import to_term
from blueprint.term import (
    Comparison,
    Const,
    Product,
    Sum,
    Term,
    at_most,
    comparison_variables,
    equal,
    evaluate,
    less,
    variables,
)
from blueprint.theory_layout import Number, arranged, number_term
from blueprint.verdict import Obligation
from blueprint.workload import primitives
from blueprint.workload.attention import fused_operations, implementations
from blueprint.workload.dims import Dims, Factors
from blueprint.workload.extension import ElementwiseOperation
from blueprint.workload.inference_block import inference_block
from blueprint.workload.inference_dims import InferenceDims
from blueprint.workload.inference_memory import InferenceMemory, inference_memory, workspace
from blueprint.workload.memory import Memory, block_memory, model_state, tensor_bytes
from blueprint.workload.operators import Block, CacheUse, Step, Tensor
from blueprint.workload.plan import buffer_size, plan_work
from blueprint.workload.primitives import TaskWork
from blueprint.workload.stage import inference_stage, training_stage
from blueprint.workload.symbolic import Symbolic
from blueprint.workload.training_block import training_block

K = TypeVar("K")
V = TypeVar("V")

Where = tuple[tuple[sympy.Symbol, sympy.Expr], ...]

EDGES: Final = (Primitive.SEND, Primitive.RECEIVE)
"""What only the edges of a pipeline stage do."""

BLOCK_INPUT: Final = "x.forward"
"""The one activation that no task of the block makes."""

SHARE: Final = (
    at_most(to_term(symbols.N), to_term(symbols.D * symbols.n_D)),
    less(to_term(symbols.D * symbols.n_D - symbols.D), to_term(symbols.N)),
)
"""What makes n the largest share of N parameters over D ranks: D n >= N > D (n - 1)."""

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


_ADDED: ContextVar[tuple[ElementwiseOperation, ...]] = ContextVar("added", default=())
"""The operations that an extension puts into the block: set while theorems are stated, read for the dimensions."""


def _remembered(function: Callable[[K], V]) -> Callable[[K], V]:
    """A memory of what was computed, by the argument and by the operations that an extension adds."""

    @cache
    def known(_added: tuple[ElementwiseOperation, ...], argument: K) -> V:
        return function(argument)

    return lambda argument: known(_ADDED.get(), argument)


def theorems_of(rule: Rule, added: tuple[ElementwiseOperation, ...] = ()) -> Iterator[Theorem]:
    """Every theorem that a rule's laws state about the block with these operations in it, and every false variant.

    A false variant must be refuted.
    """
    token = _ADDED.set(added)
    try:
        theorems = tuple(_theorems_of(rule))
    finally:
        _ADDED.reset(token)
    return iter(theorems)


def _theorems_of(rule: Rule) -> Iterator[Theorem]:
    if isinstance(rule, PrimitiveRule):
        yield from _primitive_theorems(rule)
        yield from _traffic_theorems(rule)
        return
    for law in rule.laws:
        match law:
            case Law():
                yield from _law_theorems(rule, law)
            case ProjectionLaw():
                yield from _projection_theorems(rule, law)
            case MemoryLaw():
                yield from _memory_theorems(rule, law)
            case MaximumLaw():
                yield from _maximum_theorems(rule, law)
            case BoundLaw():
                yield from _bound_theorems(rule, law)


@_remembered
def symbolic_block(case: Case) -> Block[Symbolic]:
    """The structural derivation of one case, run with the symbols of the alphabet."""
    if case.stack:
        # One block of it stands for all, which are renamed copies.
        return inference_stage(inference_dims(case), 1) if case.inference else training_stage(symbolic_dims(case), 1)
    return inference_block(inference_dims(case)) if case.inference else training_block(symbolic_dims(case))


@_remembered
def unsharded_steps(case: Case) -> dict[str, Step[Symbolic]]:
    """The same derivation with t = 1, over the whole dimensions; its steps by name."""
    alone = dataclasses.replace(case, tensor_parallel=False, communication=Communication.ALL_REDUCE)
    whole = (symbols.h, symbols.k, symbols.F)
    block = (
        inference_block(_inference_dims(alone, *whole))
        if case.inference
        else training_block(Dims.of(alone, _factors(alone, *whole), _ADDED.get()))
    )
    return {step.name: step for step in block.steps}


def inference_dims(case: Case) -> InferenceDims[Symbolic]:
    """The dimensions of one step of inference as symbols."""
    return _inference_dims(case, symbols.h_t, symbols.k_t, symbols.F_t)


def _inference_dims(
    case: Case, heads: sympy.Symbol, key_heads: sympy.Symbol, width: sympy.Symbol
) -> InferenceDims[Symbolic]:
    return InferenceDims(
        case=case,
        b=Symbolic(symbols.b),
        q=Symbolic(symbols.q),
        c=Symbolic(symbols.c),
        H=Symbolic(symbols.H),
        h_t=Symbolic(heads),
        k_t=Symbolic(key_heads),
        d=Symbolic(symbols.d),
        F_t=Symbolic(width),
        t=Symbolic(symbols.t) if case.tensor_parallel else 1,
        shard=Symbolic(symbols.R),
        e=Symbolic(symbols.e),
        added=_ADDED.get(),
    )


def symbolic_dims(case: Case) -> Dims[Symbolic]:
    """The factored dimensions as symbols; t is 1 where there is no tensor parallelism."""
    return Dims.of(case, _factors(case, symbols.h_t, symbols.k_t, symbols.F_t), _ADDED.get())


def _factors(case: Case, heads: sympy.Symbol, key_heads: sympy.Symbol, width: sympy.Symbol) -> Factors[Symbolic]:
    return Factors(
        batch=Symbolic(symbols.B),
        sequence=Symbolic(symbols.S_t if case.sequence_parallel else symbols.S),
        hidden=Symbolic(symbols.H),
        heads=Symbolic(heads),
        key_value_heads=Symbolic(key_heads),
        head_width=Symbolic(symbols.d),
        feedforward=Symbolic(width),
        tensor=Symbolic(symbols.t) if case.tensor_parallel else 1,
        element=Symbolic(symbols.e),
        gradient=Symbolic(symbols.g),
        optimizer_state=Symbolic(symbols.o),
        shard=Symbolic(symbols.R),
        data=Symbolic(symbols.D),
        optimizer_shard=Symbolic(symbols.n_D),
        whole_share=Symbolic(symbols.n_w),
    )


def group_of(law: Law, block: Block[Symbolic]) -> list[Step[Symbolic]]:
    """The derivation's steps that a law speaks of."""
    group = law.group
    return [
        step
        for step in block.steps
        if step.phase in group.phases
        and (not group.primitives or step.primitive in group.primitives)
        and (not group.kinds or step.source in group.kinds)
    ]


# Laws over groups ---------------------------------------------------------------------------------------------------


def _law_theorems(rule: PassRule | BoundaryRule, law: Law) -> Iterator[Theorem]:
    cases = [case for case in cases_of(rule) if law.when(case)]
    for case in cases:
        for equation in law.equations:
            yield _law_theorem(rule.id, law, equation, case, negative=False)
    spoken = [case for case in cases if law.group.members(case)]
    for equation in law.wrong:
        case = next((case for case in spoken if case.tensor_parallel), spoken[0])
        yield _law_theorem(rule.id, law, equation, case, negative=True)


def _law_theorem(rule: str, law: Law, equation: Equation[Quantity], case: Case, *, negative: bool) -> Theorem:
    steps = group_of(law, symbolic_block(case))
    expected = law.group.members(case)
    fault = "" if len(steps) == expected else f"the group has {len(steps)} members, the law says {expected}"
    defined = definitions(case, equation.where)
    goals = []
    for portion in portions_of(law.group.portion, steps, _source):
        amount = Sum(tuple(_amount_of(step, equation.quantity) for step in portion))
        goal = law_sides(equation, case, amount)
        if symbols.N.name in set(comparison_variables(goal)):
            goal = replace_in(goal, symbols.N.name, number_term(_memory_of(case).parameters))
        compared = _compared(law.reference, portion, case)
        goals.append(goal if compared is None else replace_in(goal, symbols.W_0.name, compared))
    stated = tuple(theorem([goal], defined) for goal in dict.fromkeys(goals))
    statement = equation.statement or law.statement
    name = case.stage_text if case.stack else case.text
    return Theorem(rule, law.id, equation.form, statement, name, stated, negative, fault)


def _amount_of(step: Step[Symbolic], quantity: Quantity) -> Term:
    """What a step has of a quantity, as the derivation computes it."""
    if quantity in COMPONENTS:
        return number_term(getattr(step.work, COMPONENTS[quantity]))
    use = CacheUse.READ if quantity is Quantity.KV_READ_BYTES else CacheUse.APPEND
    return Sum(tuple(number_term(each.size) for each in step.cache if each.use is use))


def _source(step: Step[Symbolic]) -> str:
    return step.source


def _compared(reference: Reference | None, portion: Sequence[Step[Symbolic]], case: Case) -> Term | None:
    """The operations that a portion is compared with, as the derivation computes them."""
    match reference:
        case Reference.FORWARD:
            sources = {step.source for step in portion}
            block = symbolic_block(case).steps
            found = [step for step in block if step.phase is Phase.FORWARD and step.source in sources and _local(step)]
        case Reference.UNSHARDED:
            whole = unsharded_steps(case)
            found = [whole[step.name] for step in portion if step.name in whole]
        case None:
            return None
    return Sum(tuple(number_term(step.work.operations) for step in found))


def _local(step: Step[Symbolic]) -> bool:
    """Whether a step is an operation's own, and no collective or fork of its result."""
    return step.name == f"{step.source}.{step.phase.value}"


# Memory -------------------------------------------------------------------------------------------------------------


def _memory_theorems(rule: PassRule | BoundaryRule, law: MemoryLaw) -> Iterator[Theorem]:
    cases = tuple(case for case in all_cases(rule.workload) if law.when(case))
    for case in cases:
        for equation in law.equations:
            goal = law_sides(equation, case, _amount(equation.quantity, case))
            yield _memory_theorem(rule.id, law, equation, case, goal, negative=False)
            by_tensor = _tensor_by_tensor(equation.quantity, case)
            if by_tensor is not None:
                goal = law_sides(equation, case, by_tensor)
                again = dataclasses.replace(equation, form=f"{equation.form}, tensor by tensor")
                yield _memory_theorem(rule.id, law, again, case, goal, negative=False)
    for equation in law.wrong:
        false = tuple(_false_in(law, equation, cases))
        for case in false:
            goal = law_sides(equation, case, _amount(equation.quantity, case))
            yield _memory_theorem(rule.id, law, equation, case, goal, negative=True)
        if not false:
            fault = "this false variant says nothing else than the law"
            yield Theorem(rule.id, law.id, equation.form, law.statement, "", (), negative=True, fault=fault)


def _tensor_by_tensor(capacity: Capacity, case: Case) -> Term | None:
    """The same fact as the sum over the derivation's own tensors, where it speaks of some."""
    # Where everything is made again, what waits is the checkpoint.
    waiting = Capacity.CHECKPOINT if case.full_recompute else Capacity.STORED
    tensors = symbolic_block(case).tensors
    if capacity is Capacity.PARAMETERS:
        names = {name for step in symbolic_block(case).steps if step.phase is Phase.FORWARD for name in step.reads}
        made = {name for step in symbolic_block(case).steps for name in step.writes} | {BLOCK_INPUT}
        held = [tensor for tensor in tensors if tensor.name in names - made]
        return Sum(tuple(number_term(tensor.local.elements) for tensor in held))
    if capacity is Capacity.KV:
        caches = {access.tensor for step in symbolic_block(case).steps for access in step.cache}
        held = [tensor for tensor in tensors if tensor.name in caches]
        return Sum(tuple(Product((number_term(tensor.local.elements), to_term(symbols.e))) for tensor in held))
    return _waiting(case) if not case.inference and capacity is waiting else None


def _false_in(law: MemoryLaw, variant: Equation[Capacity], cases: Sequence[Case]) -> Iterator[Case]:
    """The cases of more than one rank in which a false variant says something else than the law, and so is false."""
    stated = law.equations[0]
    for case in cases:
        same = stated.left == variant.left and sympy.expand(stated.right(case) - variant.right(case)) == 0
        if case.tensor_parallel and not same:
            yield case


def _memory_theorem(
    rule: str, law: MemoryLaw, equation: Equation[Capacity], case: Case, goal: Comparison, *, negative: bool
) -> Theorem:
    of_state = {symbols.N.name, symbols.n_D.name} & set(comparison_variables(goal))
    stated = _state_theorem(goal, case) if of_state else theorem([goal], definitions(case, equation.where))
    return Theorem(rule, law.id, equation.form, equation.statement or law.statement, case.text, (stated,), negative)


def _state_theorem(goal: Comparison, case: Case) -> Obligation:
    """A goal over N and n, where N is the derivation's own count and n its largest share over D ranks."""
    parameters = number_term(_memory_of(case).parameters)
    premises = [replace_in(each, symbols.N.name, parameters) for each in SHARE]
    goal = replace_in(goal, symbols.N.name, parameters)
    sizes = {name: position for position, name in enumerate(dict.fromkeys(variables(parameters)), start=2)}
    held, ranks = evaluate(parameters, sizes), 3
    witness = {**sizes, "e": 2, "g": 4, "o": 12, "D": ranks, "n_D": -(-held // ranks)}
    # The share is bounded only where the goal speaks of it.
    stated = (goal, *premises) if symbols.n_D.name in set(comparison_variables(goal)) else (goal,)
    named = {name for each in stated for name in comparison_variables(each)}
    return bound_obligation(goal, stated[1:], witness={name: size for name, size in witness.items() if name in named})


@_remembered
def symbolic_memory(case: Case) -> Memory[Symbolic]:
    """What the derivation computes that one rank holds, in the symbols of the alphabet."""
    return block_memory(symbolic_dims(case), training_block(symbolic_dims(case)))


@_remembered
def symbolic_inference_memory(case: Case) -> InferenceMemory[Symbolic]:
    """What the derivation computes that one rank holds in a step of inference; the largest arm is a symbol."""
    return inference_memory(inference_dims(case), lambda _: Symbolic(symbols.X_max))


def _workspace_at(case: Case, implementation: str) -> list[Term]:
    """The derived workspace of an implementation with each arm that is compared in the place of the largest."""
    dims = inference_dims(case)
    arms = [arm for each in implementations(dims) if each.name == implementation for arm in each.arms]
    compared: list[Symbolic] = []

    def largest(given: Sequence[Symbolic]) -> Symbolic:
        compared.extend(given)
        return Symbolic(symbols.X_max)

    held = number_term(workspace(dims, arms, largest))
    return [replace(held, symbols.X_max.name, number_term(arm)) for arm in compared]


def _memory_of(case: Case) -> Memory[Symbolic] | InferenceMemory[Symbolic]:
    return symbolic_inference_memory(case) if case.inference else symbolic_memory(case)


def _amount(capacity: Capacity, case: Case) -> Term:
    """A memory fact as the derivation computes it."""
    memory = _memory_of(case)
    if isinstance(memory, InferenceMemory):
        return number_term(getattr(memory, capacity.name.lower()))
    match capacity:
        case Capacity.WEIGHTS | Capacity.GRADIENTS | Capacity.OPTIMIZER:
            return number_term(getattr(memory.state, capacity.name.lower()))
        case _:
            return number_term(getattr(memory, capacity.name.lower()))


def _model_state(stage: int) -> Term:
    """Weights, gradients and optimizer state that the derivation computes from N and n at a ZeRO stage."""
    case = dataclasses.replace(all_cases()[0], zero=stage)
    sizes = (Symbolic(each) for each in (symbols.N, symbols.n_D, symbols.e, symbols.g, symbols.o))
    state = model_state(case, *sizes)
    return Sum(tuple(map(number_term, (state.weights, state.gradients, state.optimizer))))


def _fused() -> Term:
    """The derived operations of an attention core that is run as one, as a binding adds them up."""
    case = next(case for case in all_cases(Workload.INFERENCE) if case.tensor_parallel)
    core = {OperationKind.SCORES, OperationKind.SOFTMAX, OperationKind.CONTEXT}
    steps = [step for step in symbolic_block(case).steps if step.source in core and _local(step)]
    return number_term(fused_operations([_symbolic(step.work.operations) for step in steps]))


def _symbolic(number: Number) -> Symbolic:
    return Symbolic(sympy.Integer(number)) if type(number) is int else number  # type: ignore[return-value]


def _working() -> Term:
    """The derived workspace of a step; the largest arm is a symbol."""
    return number_term(symbolic_inference_memory(all_cases(Workload.INFERENCE)[0]).workspace)


def _rows() -> Term:
    """The derived boundary of a step."""
    return number_term(symbolic_inference_memory(all_cases(Workload.INFERENCE)[0]).boundary)


def _caches() -> Term:
    """The caches that the derivation gives one rank, which are the same in every case."""
    return _in_every_case([number_term(symbolic_inference_memory(case).kv) for case in all_cases(Workload.INFERENCE)])


def _in_every_case(terms: Sequence[Term]) -> Term:
    """The one term that the derivation gives in all cases. Raises RulebookError where they differ."""
    first, *others = terms
    if any(each != first for each in others):
        raise RulebookError("a bound speaks of what is not the same in every case")
    return first


def _forward_products(case: Case) -> Term:
    products = {Primitive.LINEAR, Primitive.BATCHED_MATMUL}
    steps = [step for step in symbolic_block(case).steps if step.phase is Phase.FORWARD and step.primitive in products]
    return Sum(tuple(number_term(step.work.operations) for step in steps))


@_remembered
def _products(workload: Workload) -> Term:
    """The operations of all forward matrix products that the derivation of a workload has, in b, q and c.

    A training sequence of S tokens is read as a prompt of c: there B is b, and S is c.
    """
    # Where the sequence is divided, its whole length is written as t shares of it.
    cases = [case for case in all_cases(workload) if not case.sequence_parallel]
    found = _in_every_case([_forward_products(case) for case in cases])
    for training, inference in ((symbols.B, symbols.b), (symbols.S, symbols.c)):
        found = replace(found, training.name, to_term(inference))
    return found


def _waiting(case: Case) -> Term:
    """The bytes of the distinct activations and masks of the forward pass that a later phase reads."""
    block, dims = symbolic_block(case), symbolic_dims(case)
    forward = [step for step in block.steps if step.phase is Phase.FORWARD]
    later = [step for step in block.steps if step.phase is not Phase.FORWARD]
    made = {name for step in forward for name in step.writes} | {BLOCK_INPUT}
    waiting = made & {name for step in later for name in step.reads}
    sizes = {tensor.name: tensor_bytes(dims, tensor) for tensor in block.tensors}
    return Sum(tuple(number_term(sizes[name]) for name in sorted(waiting)))


def _maximum_theorems(rule: PassRule | BoundaryRule, law: MaximumLaw) -> Iterator[Theorem]:
    """With each arm of the derivation in the place of the largest, the left side is that arm of the law."""
    names = list(law.forms[0].arms)
    for case in all_cases(rule.workload):
        arms = _workspace_at(case, law.implementation)
        derived = dict(zip(names, arms, strict=False))
        fault = "" if len(names) == len(arms) else f"the derivation has {len(arms)} arms, the law {len(names)}"
        variants = [(form, False) for form in law.forms]
        if case.tensor_parallel and not case.biases:
            variants += [(form, True) for form in law.wrong]
        for form, negative in variants:
            for name, arm in form.arms.items():
                left = replace(to_term(law.left), law.capacity.value, derived.get(name, Const(0)))
                stated = theorem([equal(left, to_term(arm))], definitions(case, form.where))
                statement = f"{law.statement}: {name}"
                key = f"{form.form}: {name}"
                yield Theorem(rule.id, law.id, key, statement, case.text, (stated,), negative, fault)


def _bound_theorems(rule: PassRule | BoundaryRule, law: BoundLaw) -> Iterator[Theorem]:
    for bound in law.bounds:
        yield _bound_theorem(rule.id, law, bound, negative=False)
    for bound in law.wrong:
        yield _bound_theorem(rule.id, law, bound, negative=True)


def _bound_theorem(rule: str, law: BoundLaw, bound: Bound, *, negative: bool) -> Theorem:
    if isinstance(law, InductiveLaw):
        return _inductive_theorem(rule, law, bound, negative=negative)
    goal = Comparison(bound.relation, to_term(bound.left), to_term(bound.right))
    for stage in ZERO_STAGES:
        goal = replace_in(goal, f"C_{stage}", _model_state(stage))
    goal = replace_in(goal, symbols.W_f.name, _fused())
    goal = replace_in(goal, symbols.C_ws.name, _working())
    goal = replace_in(goal, symbols.C_bd.name, _rows())
    goal = replace_in(goal, symbols.K_0.name, _caches())
    goal = replace_in(goal, symbols.K_1.name, replace(_caches(), symbols.c.name, to_term(symbols.c + 1)))
    goal = replace_in(goal, symbols.W_p.name, _products(Workload.INFERENCE))
    goal = replace_in(goal, symbols.W_t.name, _products(Workload.TRAINING))
    premises = tuple(Comparison(relation, to_term(a), to_term(b)) for a, relation, b in bound.premises)
    if symbols.n_D.name in set(comparison_variables(goal)):
        premises = (*SHARE, *premises)
    because = tuple(tuple(to_term(factor) for factor in factors) for factors in bound.because)
    witness = {symbol.name: value for symbol, value in bound.witness}
    stated = bound_obligation(goal, premises, because, witness)
    return Theorem(rule, law.id, bound.form, f"{law.statement}: {bound.form}", "", (stated,), negative)


def _inductive_theorem(rule: str, law: InductiveLaw, bound: Bound, *, negative: bool) -> Theorem:
    """A base or a step: what the arrangement's functions compute stands for its symbols, on every side."""
    found = arranged(law.arrangement)
    goal = found.comparison(Comparison(bound.relation, to_term(bound.left), to_term(bound.right)))
    premises = [found.comparison(Comparison(relation, to_term(a), to_term(b))) for a, relation, b in bound.premises]
    because = tuple(tuple(found.term(to_term(factor)) for factor in factors) for factors in bound.because)
    stated = (*premises, *found.behind((goal, *premises)))
    named = {name for each in (goal, *stated) for name in comparison_variables(each)}
    values = {**found.witness, **{symbol.name: value for symbol, value in bound.witness}}
    witness = {name: value for name, value in values.items() if name in named}
    obligation = bound_obligation(goal, stated, because, witness)
    return Theorem(rule, law.id, bound.form, f"{law.statement}: {bound.form}", "", (obligation,), negative)


# Primitives: formula of the rule = derivation of the workload --------------------------------------------------------


def _primitive_theorems(rule: PrimitiveRule) -> Iterator[Theorem]:
    for phase, formula in rule.formulas.items():
        work = _derived(rule.primitive, phase)
        goals = [_component(formula, work, name) for name in COMPONENTS.values()]
        yield Theorem(
            rule=rule.id,
            law=rule.primitive,
            form=phase.value,
            statement=f"the formula of {rule.primitive} is what the derivation computes",
            case="",
            obligations=(theorem(goals, ()),),
            negative=False,
        )
        yield Theorem(
            rule=rule.id,
            law=rule.primitive,
            form=f"{phase.value}, one more operation",
            statement=f"a formula of {rule.primitive} with one operation more",
            case="",
            obligations=(theorem([_component(formula, work, "operations", extra=1)], ()),),
            negative=True,
        )


def _traffic_theorems(rule: PrimitiveRule) -> Iterator[Theorem]:
    """Every step moves the bytes of the tensors that it reads and writes, as often as the rule counts them."""
    if all(formula.reads is None for formula in rule.formulas.values()):
        return
    edges = tuple(case for case in stage_cases() if case.sends and case.data_parallel is case.sharded_optimizer)
    cases = edges if rule.primitive in EDGES else all_cases()
    for case in cases:
        goals = list(dict.fromkeys(_traffic_goals(rule, case)))
        if goals:
            yield _traffic_theorem(rule, "each", goals, case, negative=False)
    # The false variant counts the first tensor that a task of the first phase moves once more.
    case = next(case for case in cases if case.tensor_parallel and list(_traffic_goals(rule, case)))
    true = set(_traffic_goals(rule, case))
    for form, wrong in _counting_once_more(rule):
        if false := [goal for goal in _traffic_goals(wrong, case) if goal not in true]:
            yield _traffic_theorem(rule, form, false[:1], case, negative=True)
            return


def _counting_once_more(rule: PrimitiveRule) -> Iterator[tuple[str, PrimitiveRule]]:
    phase, formula = next(iter(rule.formulas.items()))
    first, *others = formula.reads or (1,)
    read = dataclasses.replace(formula, reads=(first + 1, *others))
    yield "a tensor read once more", dataclasses.replace(rule, formulas={**rule.formulas, phase: read})
    first, *others = formula.writes or (1,)
    written = dataclasses.replace(formula, writes=(first + 1, *others))
    yield "a tensor written once more", dataclasses.replace(rule, formulas={**rule.formulas, phase: written})


def _traffic_theorem(
    rule: PrimitiveRule, form: str, goals: Sequence[Comparison], case: Case, *, negative: bool
) -> Theorem:
    return Theorem(
        rule=rule.id,
        law=TRAFFIC,
        form=form,
        statement=f"the bytes of {rule.primitive} are those of its operands",
        case=case.text,
        obligations=tuple(theorem([goal], definitions(case, _shared_heads(goal))) for goal in goals),
        negative=negative,
    )


def _shared_heads(goal: Comparison) -> Where:
    """Where queries meet keys and values, every query head has its own: k = h, the only models that are covered."""
    both = {symbols.h_t.name, symbols.k_t.name} <= set(comparison_variables(goal))
    return ((symbols.k, symbols.h),) if both else ()


def _traffic_goals(rule: PrimitiveRule, case: Case) -> Iterator[Comparison]:
    """For each step: bytes read = bytes of what it reads, and bytes written = bytes of what it writes."""
    block = symbolic_block(case)
    tensors = {tensor.name: tensor for tensor in block.tensors}
    for step in block.steps:
        if step.primitive != rule.primitive:
            continue
        formula = rule.formulas[Phase.FORWARD if step.phase is Phase.RECOMPUTE else step.phase]
        if formula.reads is None:
            continue
        for moved, names, times in (
            (step.work.read_bytes, step.reads, formula.reads),
            (step.work.write_bytes, step.writes, formula.writes),
        ):
            moves = counted(times, names)
            parts = [Product((Const(often), _moved(tensors[name], step))) for often, name in moves]
            yield equal(number_term(moved), Sum(tuple(parts)))


def _moved(tensor: Tensor[Symbolic], step: Step[Symbolic]) -> Term:
    """The bytes of a tensor as traffic counts them: one an element of a mask, e of anything else.

    Of a cache, those that the step reads or appends.
    """
    for access in step.cache:
        if access.tensor == tensor.name:
            return number_term(access.size)
    elements = number_term(tensor.local.elements)
    return elements if tensor.element == "mask" else Product((elements, to_term(symbols.e)))


def _component(formula: Formula, work: TaskWork[Symbolic], name: str, extra: int = 0) -> Comparison:
    right = to_term(getattr(formula, name))
    return equal(number_term(getattr(work, name)), Sum((right, Const(extra))) if extra else right)


def _derived(primitive: str, phase: Phase) -> TaskWork[Symbolic]:
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
        case Primitive.SEND:
            return primitives.send(elements, e)
        case Primitive.RECEIVE:
            return primitives.receive(elements, e)
        case Primitive.OPTIMIZER:
            return primitives.optimizer(m, e, s(symbols.g), s(symbols.o))
        case _:
            phases = _operation_of(primitive).work(elements, e)
    work: TaskWork[Symbolic] = getattr(phases, phase.value)
    return work


def _operation_of(primitive: str) -> ElementwiseOperation:
    """The extension's operation of a primitive. Raises RulebookError where nothing derives such a primitive."""
    found = next((each for each in _ADDED.get() if each.primitive == primitive), None)
    if found is None:
        raise RulebookError(f"the formula of {primitive} states what no derivation computes")
    return found


# Projections --------------------------------------------------------------------------------------------------------


def _projection_theorems(rule: PassRule | BoundaryRule, law: ProjectionLaw) -> Iterator[Theorem]:
    derived = _projected(law.projection)
    goals = [equal(number_term(derived[name]), to_term(value)) for name, value in law.outputs.items()]
    yield Theorem(rule.id, law.id, "projection", law.statement, "", (theorem(goals, ()),), negative=False)
    for name, value in law.wrong.items():
        goal = equal(number_term(derived[name]), to_term(value))
        yield Theorem(rule.id, law.id, f"wrong {name}", law.statement, "", (theorem([goal], ()),), negative=True)


def _projected(projection: Projection) -> dict[str, Number]:
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
