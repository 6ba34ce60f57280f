"""The second decider of universal obligations: polynomials in normal form, without any solver.

Laws kept here: every step replaces equals by equals that a hypothesis states, so a difference that vanishes proves the
equation; an inequality is proved by its reason alone, a sum of products of factors that the hypotheses keep from being
negative; and nothing is refuted without a concrete point that `exact.refutes` accepts. Incompleteness shows as UNKNOWN.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from blueprint import exact
from blueprint.term import Comparison, Const, Product, Relation, Sum, Term, Var, comparison_variables, variables
from blueprint.verdict import Answer, Obligation, Verdict

DECIDER = "normal form"
BOX = (2, 3, 4, 8, 16, 32)
MAX_POINTS = 4_096
MAX_STEPS = 20_000
MAX_MONOMIALS = 20_000
MAX_DEGREE = 256

_Monomial = tuple[str, ...]  # sorted, with repetitions
_Polynomial = dict[_Monomial, int]  # no zero coefficients


class _TooLargeError(Exception):
    """A bound on size or steps was passed; the answer is UNKNOWN."""


class _Rule(msgspec.Struct, frozen=True):
    """The hypothesis `left = right`, used from left to right; `solved` is the variable it gives a value to a point."""

    left: _Monomial
    right: _Polynomial
    solved: str | None


class _System(msgspec.Struct, frozen=True):
    """The equations among the hypotheses: definitions fully expanded in undefined variables, and rewrite rules."""

    definitions: dict[str, _Polynomial]
    rules: list[_Rule]


def decide(obligation: Obligation) -> Answer:
    """Whether both sides of every goal equation have one normal form under the equations of the hypotheses.

    A goal that is one inequality is proved where its difference has the normal form of its reason.
    """
    if refusal := _refusal(obligation):
        return Answer(Verdict.UNKNOWN, DECIDER, refusal)
    try:
        system = _system(obligation.hypotheses)
        if _bounded(obligation, system) or not any(_remainders(obligation, system)):
            return Answer(Verdict.PROVED, DECIDER)
    except _TooLargeError:
        return Answer(Verdict.UNKNOWN, DECIDER, "too large")
    for point in _points(obligation, system):
        if exact.refutes(obligation, point):
            return Answer(Verdict.REFUTED, DECIDER, model=point)
    return Answer(Verdict.UNKNOWN, DECIDER, "no small counterexample")


def _refusal(obligation: Obligation) -> str:
    """Why there is nothing to decide here, or nothing."""
    if not obligation.goal:
        return "empty goal"
    return "" if exact.premises_hold(obligation) else "no witness"


def _remainders(obligation: Obligation, system: _System) -> Iterator[_Polynomial]:
    """What is left of the goal's differences; a goal with an inequality always leaves something."""
    scale = _scale(obligation, system)
    for comparison in obligation.goal:
        equation = comparison.relation is Relation.EQUAL
        yield _reduce(_times(_difference(comparison, system), scale), system.rules) if equation else {(): 1}


def _scale(obligation: Obligation, system: _System) -> _Polynomial:
    """The product of the positive variables that a reason multiplies an equation with."""
    positive = _positive(
        [_slack(each, system) for each in obligation.hypotheses if each.relation is not Relation.EQUAL]
    )
    named = [factor.name for factors in obligation.because for factor in factors if isinstance(factor, Var)]
    return {tuple(sorted(name for name in named if name in positive)): 1}


def _bounded(obligation: Obligation, system: _System) -> bool:
    """Whether the goal is one inequality, and its reason adds up to its slack and cannot be negative."""
    goal, reason = obligation.goal[0], obligation.because
    if len(obligation.goal) > 1 or goal.relation is Relation.EQUAL or not reason:
        return False
    factors = [[_polynomial(factor, system.definitions) for factor in factors] for factors in reason]
    total = _slack(goal, system)
    for each in factors:
        _add(total, _product(each), -1)
    known = [_slack(each, system) for each in obligation.hypotheses if each.relation is not Relation.EQUAL]
    positive = _positive(known)
    sound = all(factor in known or _grows(factor, positive) for each in factors for factor in each)
    return sound and not _reduce(total, system.rules)


def _positive(slacks: Sequence[_Polynomial]) -> set[str]:
    """The variables that a hypothesis `1 <= x` makes positive."""
    names = {name for slack in slacks for monomial in slack for name in monomial}
    return {name for name in names if {(name,): 1, (): -1} in slacks}


def _slack(comparison: Comparison, system: _System) -> _Polynomial:
    """The right side less the left, and one for a strict inequality: what cannot be negative where it holds."""
    slack: _Polynomial = {}
    _add(slack, _difference(comparison, system), -1)
    if comparison.relation is Relation.LESS:
        _add(slack, {(): -1})
    return slack


def _grows(factor: _Polynomial, positive: set[str]) -> bool:
    """Whether a polynomial is at least its value at ones, which is not negative, for all positive values."""
    rising = all(value >= 0 and positive.issuperset(monomial) for monomial, value in factor.items() if monomial)
    return rising and sum(factor.values()) >= 0


def _add(into: _Polynomial, other: _Polynomial, scale: int = 1) -> None:
    for monomial, coefficient in other.items():
        value = into.pop(monomial, 0) + scale * coefficient
        if value:
            into[monomial] = value
    if len(into) > MAX_MONOMIALS:
        raise _TooLargeError


def _times(left: _Polynomial, right: _Polynomial) -> _Polynomial:
    if len(left) * len(right) > MAX_MONOMIALS:
        raise _TooLargeError
    found: _Polynomial = {}
    for first, second in itertools.product(left, right):
        if len(first) + len(second) > MAX_DEGREE:
            raise _TooLargeError
        _add(found, {tuple(sorted(first + second)): left[first] * right[second]})
    return found


def _product(factors: Iterable[_Polynomial]) -> _Polynomial:
    found: _Polynomial = {(): 1}
    for factor in factors:
        found = _times(found, factor)
    return found


def _polynomial(term: Term, definitions: Mapping[str, _Polynomial]) -> _Polynomial:
    match term:
        case Const(value):
            return {(): value} if value else {}
        case Var(name):
            return definitions.get(name, {(name,): 1})
        case Sum(terms):
            found: _Polynomial = {}
            for part in terms:
                _add(found, _polynomial(part, definitions))
            return found
        case Product(factors):
            return _product(_polynomial(factor, definitions) for factor in factors)


def _mentions(polynomial: _Polynomial, name: str) -> bool:
    return any(name in monomial for monomial in polynomial)


def _substitute(polynomial: _Polynomial, name: str, body: _Polynomial) -> _Polynomial:
    if not _mentions(polynomial, name):
        return polynomial
    found: _Polynomial = {}
    for monomial, coefficient in polynomial.items():
        _add(found, _product(body if part == name else {(part,): 1} for part in monomial), coefficient)
    return found


def _difference(comparison: Comparison, system: _System) -> _Polynomial:
    found = dict(_polynomial(comparison.left, system.definitions))
    _add(found, _polynomial(comparison.right, system.definitions), -1)
    return found


def _system(hypotheses: Iterable[Comparison]) -> _System:
    """Definitions first, then rules.

    A body is expanded before it is stored, so no definition is cyclic: an equation whose variable returns in its own
    expanded body is not taken as a definition.
    """
    definitions: dict[str, _Polynomial] = {}
    others: list[Comparison] = []
    for hypothesis in hypotheses:
        if hypothesis.relation is not Relation.EQUAL:
            continue
        match hypothesis.left:
            case Var(name) if name not in definitions:
                body = _polynomial(hypothesis.right, definitions)
                if not _mentions(body, name):
                    definitions = {other: _substitute(old, name, body) for other, old in definitions.items()}
                    definitions[name] = body
                    continue
        others.append(hypothesis)
    rules: list[_Rule] = []
    for hypothesis in others:
        left, right = (_polynomial(side, definitions) for side in (hypothesis.left, hypothesis.right))
        if len(left) == 1 and () not in left and 1 in left.values():
            rules.append(_rule(hypothesis, next(iter(left)), right, {rule.solved for rule in rules}))
    return _System(definitions, rules)


def _rule(hypothesis: Comparison, left: _Monomial, right: _Polynomial, taken: set[str | None]) -> _Rule:
    """In `t*R = B*S*H` the last factor as written, R, is the one that the others determine."""
    candidates = (*reversed(list(variables(hypothesis.left))), *left)
    usable = (v for v in candidates if left.count(v) == 1 and v not in taken and not _mentions(right, v))
    return _Rule(left, right, next(usable, None))


def _quotient(monomial: _Monomial, divisor: _Monomial) -> _Monomial | None:
    rest = list(monomial)
    for name in divisor:
        if name not in rest:
            return None
        rest.remove(name)
    return tuple(rest)


def _reduce(polynomial: _Polynomial, rules: Iterable[_Rule]) -> _Polynomial:
    """Applies the rules until none divides any monomial; rules that never come to rest meet the step bound."""
    waiting = dict(polynomial)
    settled: _Polynomial = {}
    for _ in range(MAX_STEPS):
        if not waiting:
            return settled
        monomial, coefficient = waiting.popitem()
        for rule in rules:
            if (rest := _quotient(monomial, rule.left)) is not None:
                _add(waiting, _times({rest: coefficient}, rule.right))
                break
        else:
            _add(settled, {monomial: coefficient})
    raise _TooLargeError


def _points(obligation: Obligation, system: _System) -> Iterator[Mapping[str, int]]:
    """All ones, then the witness, then points in which more and more free variables leave 1. Always the same points."""
    comparisons = (*obligation.hypotheses, *obligation.goal)
    fixed = {*system.definitions, *(rule.solved for rule in system.rules)}
    free = [v for v in dict.fromkeys(itertools.chain(*map(comparison_variables, comparisons))) if v not in fixed]
    choices = (
        {**dict.fromkeys(free, 1), **dict(zip(chosen, values, strict=True))}
        for count in range(len(free) + 1)
        for chosen in itertools.combinations(free, count)
        for values in itertools.product(BOX, repeat=count)
    )
    for number, choice in enumerate(itertools.islice(choices, MAX_POINTS)):
        if (point := _complete(choice, system)) is not None:
            yield point
        if number == 0:
            yield obligation.witness


def _complete(choice: Mapping[str, int], system: _System) -> dict[str, int] | None:
    """The point that rules and definitions derive from the free variables; None where a division is not exact."""
    values = dict(choice)
    waiting = [rule for rule in system.rules if rule.solved is not None]
    while ready := [rule for rule in waiting if _known(rule, values)]:
        for rule in ready:
            divisor = _value({rule.left: 1}, {**values, str(rule.solved): 1}.__getitem__)
            dividend = _value(rule.right, values.__getitem__)
            if divisor == 0 or dividend % divisor:
                return None
            values[str(rule.solved)] = dividend // divisor
        waiting = [rule for rule in waiting if rule not in ready]
    if waiting:
        return None
    return values | {name: _value(body, values.__getitem__) for name, body in system.definitions.items()}


def _known(rule: _Rule, values: Mapping[str, int]) -> bool:
    return all(v in values or v == rule.solved for monomial in (rule.left, *rule.right) for v in monomial)


def _value(polynomial: _Polynomial, value: Callable[[str], int]) -> int:
    return sum(coefficient * math.prod(map(value, monomial)) for monomial, coefficient in polynomial.items())
