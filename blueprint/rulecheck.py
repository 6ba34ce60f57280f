"""What a rulebook must be before anything is asked of it: complete, closed, and saying something.

Rules are code: whatever they raise while they are looked at is a fault of the rulebook, and never ends a run.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import sympy

from blueprint.case import Case
from blueprint.errors import RulebookError
from blueprint.ir.common import Phase, Primitive, Stage
from blueprint.law import (
    AnyLaw,
    Arrangement,
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
    Requirement,
)
from blueprint.rule import (
    BOUNDARY_CLAIMS,
    CONCRETE_TO_MACHINE,
    DISTRIBUTED_TO_PORTABLE,
    PORTABLE_TO_CONCRETE,
    BoundaryRule,
    PassRule,
    PrimitiveRule,
    Rule,
    TaskTarget,
    cases_of,
)
from blueprint.symbols import to_term
from blueprint.words import plain

_LAW: Final = re.compile(r"\A[a-z][a-z0-9]*(-[a-z0-9]+)*\Z")
_ID: Final = re.compile(r"\A[a-z][a-z0-9_]{0,31}\.[a-z][a-z0-9_]{0,31}\Z")

_OUTPUTS: Final = {
    Projection.WORK: {"operations", "read_bytes", "write_bytes", "message_bytes"},
    Projection.RESOURCES: {"compute", "memory", "network"},
    Projection.BUFFER_SIZE: {"rank 1", "rank 2", "rank 3", "rank 4"},
}
"""Everything that a projection computes: a law about less would leave the rest to anyone."""


_MEASURED: Final = {measure.symbol for measure in (*Quantity, *Capacity)}
"""Symbols that stand for what is measured of a plan."""

_MADE_AT: Final = {
    Arrangement.LAYOUT: PORTABLE_TO_CONCRETE,
    Arrangement.QUEUES: PORTABLE_TO_CONCRETE,
    Arrangement.SLOTS: PORTABLE_TO_CONCRETE,
    Arrangement.SECTIONS: CONCRETE_TO_MACHINE,
}
"""The boundary at which something is arranged."""

_FOR_RULES: Final = frozenset(
    {
        *("__future__", "collections.abc", "dataclasses", "enum", "functools", "itertools", "math", "typing", "sympy"),
        *(f"blueprint.{name}" for name in ("case", "law", "rule", "symbols", "term")),
        *(f"blueprint.ir.{name}" for name in ("common", "distributed", "model", "request")),
    }
)
"""What a rule file may import: the vocabulary. From anywhere else it could read what it is to be compared with, or rest
on a file that may change unseen."""

_HIDDEN: Final = frozenset({"__import__", "eval", "exec", "compile", "globals", "__builtins__"})
"""Ways to import without saying so."""


def check_imports(tree: ast.Module, path: str) -> None:
    """Refuse a rule file that imports more than the vocabulary of rules, such as the derivation or another rule."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            # A module as a name would lead to everything else in its package.
            names = [each.name for each in node.names if each.name not in _FOR_RULES or "." in each.name]
        elif isinstance(node, ast.ImportFrom):
            module = f"{'.' * node.level}{node.module or ''}"
            names = [] if module in _FOR_RULES else [module]
        elif isinstance(node, ast.Name) and node.id in _HIDDEN:
            names = [node.id]
        else:
            continue
        if names:
            raise RulebookError(
                f"{plain(path)}: a rule may not import {plain(names[0])}, but only what rules are made of"
            )


@contextmanager
def blamed(what: str) -> Iterator[None]:
    """Whatever a rule's code raises, leaving the program included, is a fault of the rulebook."""
    try:
        yield
    except (KeyboardInterrupt, RulebookError):
        raise
    except BaseException as error:
        raise RulebookError(f"{what}: {type(error).__name__}: {plain(error)}") from error


def checked_rule(rule: object, identifier: str) -> Rule:
    """The value of one rule file, if it is a rule of that name with everything that its kind needs."""
    if not isinstance(rule, PrimitiveRule | PassRule | BoundaryRule):
        raise RulebookError(f"{identifier}: the file defines no RULE")
    if rule.id != identifier or not _ID.match(identifier):
        raise RulebookError(f"{identifier}: the rule calls itself {plain(rule.id)}")
    for name in ("claims", "laws", "boundaries", "targets"):
        _require_tuple(f"{identifier}: {name}", getattr(rule, name, ()))
    if isinstance(rule, PassRule) and not (rule.targets and rule.claims):
        raise RulebookError(f"{identifier}: a pass rule needs targets and claims")
    if isinstance(rule, PrimitiveRule) and not rule.formulas:
        raise RulebookError(f"{identifier}: a primitive needs a formula")
    if isinstance(rule, BoundaryRule) and not (rule.laws or rule.claims):
        raise RulebookError(f"{identifier}: a boundary rule needs laws or claims")
    if isinstance(rule, BoundaryRule) and set(rule.claims) - BOUNDARY_CLAIMS:
        asked = ", ".join(sorted(claim.value for claim in BOUNDARY_CLAIMS))
        raise RulebookError(f"{identifier}: of a boundary as a whole, only these can be asked: {asked}")
    if isinstance(rule, PassRule) and rule.boundary != DISTRIBUTED_TO_PORTABLE:
        for law in rule.laws:
            if isinstance(law, ProjectionLaw):
                raise RulebookError(f"{identifier}: law {plain(law.id)} projects, which only planning does")
    _check_arrangements(rule)
    whole_plan = isinstance(rule, BoundaryRule) and DISTRIBUTED_TO_PORTABLE in rule.boundaries
    bound_plan = isinstance(rule, BoundaryRule) and rule.boundaries == (PORTABLE_TO_CONCRETE,)
    if isinstance(rule, PassRule | BoundaryRule) and not whole_plan:
        for law in rule.laws:
            if isinstance(law, MemoryLaw | MaximumLaw) or (isinstance(law, Requirement) and not bound_plan):
                raise RulebookError(
                    f"{identifier}: law {plain(law.id)} speaks of memory, which is asked of plans as a whole:"
                    " give its rule boundaries=(DISTRIBUTED_TO_PORTABLE,)"
                )
    return rule


def _check_arrangements(rule: Rule) -> None:
    """An arrangement has a law where it is made, and no other law that has instances is asked there."""
    boundaries = () if isinstance(rule, PrimitiveRule) else _boundaries(rule)
    for law in () if isinstance(rule, PrimitiveRule) else rule.laws:
        made = _MADE_AT[law.arrangement] if isinstance(law, InductiveLaw) else None
        if made is not None and boundaries != (made,):
            where = f"{made[0].value} to {made[1].value}"
            raise RulebookError(f"{rule.id}: law {plain(law.id)} is about what is arranged from {where} alone")
        asked = isinstance(law, BoundLaw) or (isinstance(law, Requirement) and boundaries == (PORTABLE_TO_CONCRETE,))
        if not asked and set(boundaries) & set(_MADE_AT.values()):
            raise RulebookError(
                f"{rule.id}: law {plain(law.id)} is not asked at this boundary, where all are inductive"
            )


def _boundaries(rule: PassRule | BoundaryRule) -> tuple[tuple[Stage, Stage], ...]:
    return (rule.boundary,) if isinstance(rule, PassRule) else rule.boundaries


def check_rules(rules: Sequence[Rule]) -> None:
    """Refuse rules that do not make one rulebook together."""
    stated = [(rule, law) for rule in rules if isinstance(rule, PassRule | BoundaryRule) for law in rule.laws]
    laws = [law for _, law in stated]
    if twice := [law for law, count in Counter(law.id for law in laws).items() if count > 1]:
        raise RulebookError(f"two laws have the same id, {plain(twice[0])}")
    for rule, law in stated:
        with blamed(f"law {plain(law.id)}"):
            _check_law(law, cases_of(rule))
    primitives = [rule for rule in rules if isinstance(rule, PrimitiveRule)]
    projections = [law.projection.value for law in laws if isinstance(law, ProjectionLaw)]
    if sorted(projections) != sorted(each.value for each in Projection):
        raise RulebookError("every projection of the plan needs exactly one law")
    arranged = [law.arrangement.value for law in laws if isinstance(law, InductiveLaw)]
    if sorted(arranged) != sorted(each.value for each in Arrangement):
        raise RulebookError("every arrangement of a bound plan needs exactly one law")
    named = [rule.primitive for rule in primitives]
    if len(set(named)) != len(named) or set(Primitive) - set(named):
        raise RulebookError("every primitive needs exactly one rule")
    _check_formulas(rules, {rule.primitive: rule for rule in primitives})


def _check_law(law: AnyLaw, cases: Sequence[Case]) -> None:
    if not _LAW.match(law.id):
        raise RulebookError(f"law {plain(law.id)!r}: an id is lower-case words joined by hyphens")
    # What only single plans can meet has no theorem, and so no false variant of one.
    if not isinstance(law, Requirement) and not law.wrong:
        raise RulebookError(f"law {law.id} has no false variant")
    if isinstance(law, ProjectionLaw):
        _check_projection(law)
    if isinstance(law, Law | MemoryLaw):
        _check_equations(law, [case for case in cases if law.when(case)])
    if isinstance(law, Law):
        _check_members(law, [case for case in cases if law.when(case)])
    if isinstance(law, MaximumLaw):
        _check_maximum(law)
    if isinstance(law, BoundLaw):
        _check_bounds(law)
    if isinstance(law, Requirement):
        _check_requirement(law)


def _check_bounds(law: BoundLaw) -> None:
    forms = [bound.form for bound in (*law.bounds, *law.wrong)]
    if not law.bounds or len(set(forms)) != len(forms):
        raise RulebookError(f"law {law.id} needs bounds with distinct forms")
    for bound in law.bounds:
        slack = sympy.expand(bound.right - bound.left)
        assumed = [sympy.expand(right - left) for left, _, right in bound.premises]
        if slack.is_number or slack in assumed or -slack in assumed:
            raise RulebookError(f"law {law.id} ({plain(bound.form)}) says nothing: it has equal sides, or is a premise")


def _check_requirement(law: Requirement) -> None:
    """What a plan holds on the left, and on the right what the bindings give and no plan can choose."""
    held = {capacity.symbol for capacity in Capacity}
    if not held & law.left.free_symbols or held & law.right.free_symbols or not law.right.free_symbols:
        raise RulebookError(f"law {law.id} says nothing: memory facts stand on its left, and a binding on its right")


def _require_tuple(what: str, value: object) -> None:
    """Refuse a value without its comma: `(X)` is X."""
    if not isinstance(value, tuple):
        raise RulebookError(f"{what} must be a tuple: write (X,) for one")


def _check_equations(law: Law | MemoryLaw, cases: Sequence[Case]) -> None:
    for name in ("equations", "wrong"):
        _require_tuple(f"law {law.id}: {name}", getattr(law, name))
    forms = [equation.form for equation in (*law.equations, *law.wrong)]
    if not law.equations or len(set(forms)) != len(forms):
        raise RulebookError(f"law {law.id} needs equations with distinct forms")
    if not cases:
        raise RulebookError(f"law {law.id} speaks of no case of the strategy")
    for equation in law.equations:
        where, symbol = f"law {law.id} ({plain(equation.form)})", equation.quantity.symbol
        if other := equation.left.free_symbols & (_MEASURED - {symbol}):
            raise RulebookError(f"{where}: its left side speaks of {min(map(str, other))}, it may of {symbol} alone")
        if not _measures(equation.left, symbol):
            raise RulebookError(f"{where} says nothing: its left side is not {symbol} times what is always positive")


def _measures(left: sympy.Expr, symbol: sympy.Symbol) -> bool:
    """Whether a left side is one symbol times what is positive for all sizes: where it vanishes, a law says nothing."""
    factor = sympy.expand(left).coeff(symbol)
    return factor.is_positive is True and sympy.expand(left - factor * symbol) == 0


def _check_members(law: Law, cases: Sequence[Case]) -> None:
    for name in ("phases", "kinds", "primitives"):
        _require_tuple(f"law {law.id}: {name} of its group", getattr(law.group, name))
    members = [law.group.members(case) for case in cases]
    if any(type(each) is not int or not 0 <= each < 2**31 for each in members) or not any(members):
        raise RulebookError(f"law {law.id}: its group needs a whole number of members, and some in at least one case")


def _check_maximum(law: MaximumLaw) -> None:
    """Arms that do not speak of what they bound, and a left side that is this alone."""
    forms = [each.form for each in (*law.forms, *law.wrong)]
    if not law.forms or len(set(forms)) != len(forms) or any(len(each.arms) < 2 for each in law.forms):
        raise RulebookError(f"law {law.id} needs distinct forms with two arms or more")
    names = tuple(law.forms[0].arms)
    if any(tuple(each.arms) != names for each in law.forms) or any(
        not set(each.arms) <= {*names} for each in law.wrong
    ):
        raise RulebookError(f"law {law.id}: every form speaks of the same arms, in one order")
    if law.left.free_symbols & _MEASURED != {law.capacity.symbol}:
        raise RulebookError(f"law {law.id}: its left side must speak of {law.capacity.symbol} alone")
    if not _measures(law.left, law.capacity.symbol):
        raise RulebookError(
            f"law {law.id} says nothing: its left side is not {law.capacity.symbol} times what is always positive"
        )
    if any(_MEASURED & arm.free_symbols for each in (*law.forms, *law.wrong) for arm in each.arms.values()):
        raise RulebookError(f"law {law.id} says nothing: an arm speaks of what is measured")
    for side in (law.left, *(arm for each in (*law.forms, *law.wrong) for arm in each.arms.values())):
        to_term(side)


def _check_projection(law: ProjectionLaw) -> None:
    outputs = _OUTPUTS[law.projection]
    if law.outputs.keys() != outputs:
        listed = ", ".join(sorted(outputs))
        raise RulebookError(f"law {law.id} must state every output of {law.projection.value}, which are {listed}")
    if not law.wrong.keys() <= outputs:
        raise RulebookError(f"law {law.id} has a false variant of an output that does not exist")


def check_right_sides(laws: Sequence[tuple[PassRule | BoundaryRule, AnyLaw]]) -> None:
    """Refuse equations that say nothing because the quantity that they should determine stands on both sides."""
    for rule, law in laws:
        if isinstance(law, Law | MemoryLaw):
            cases = [case for case in cases_of(rule) if law.when(case)]
            for equation in (*law.equations, *law.wrong):
                _check_right_side(law, equation, cases)


def _check_right_side(
    law: Law | MemoryLaw, equation: Equation[Quantity] | Equation[Capacity], cases: Sequence[Case]
) -> None:
    where = f"law {law.id} ({plain(equation.form)})"
    with blamed(where):
        sides = [equation.right(case) for case in cases]
        for side in (equation.left, *sides):
            to_term(side)
    unknown = {equation.quantity.symbol, *(quantity.symbol for quantity in Quantity)}
    # A plain integer has no symbols.
    if any(unknown & getattr(side, "free_symbols", set()) for side in sides):
        raise RulebookError(f"{where} says nothing: its right side speaks of what the left determines")


def _check_formulas(rules: Sequence[Rule], primitives: dict[str, PrimitiveRule]) -> None:
    for rule in rules:
        for target in rule.targets if isinstance(rule, PassRule) else ():
            if not isinstance(target, TaskTarget):
                continue
            phase = Phase.FORWARD if target.phase is Phase.RECOMPUTE else target.phase
            primitive = primitives[target.primitive]
            if phase not in primitive.formulas:
                raise RulebookError(
                    f"{rule.id} has a task of phase {phase.value}, for which {primitive.id} has no formula"
                )
