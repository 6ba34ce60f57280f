"""The vocabulary in which a law is written: a published equation with the group of work that it speaks of."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import sympy

from blueprint import symbols
from blueprint.case import Case
from blueprint.ir.common import Phase
from blueprint.term import Relation

M = TypeVar("M")
Q = TypeVar("Q", "Quantity", "Capacity")

Applies = Callable[[Case], bool]
"""Whether a law speaks of a case at all."""

Closed = Callable[[Case], "sympy.Expr | int"]
"""The right side of an equation, for one case of the strategy."""


class Quantity(enum.Enum):
    """A component of the work vector, or a part of one, by the symbol for a group's amount of it in a law."""

    OPERATIONS = "W"
    READ_BYTES = "Q_r"
    WRITE_BYTES = "Q_w"
    MESSAGE_BYTES = "M"
    KV_READ_BYTES = "K_r"
    KV_WRITE_BYTES = "K_w"

    @property
    def symbol(self) -> sympy.Symbol:
        """The symbol of the alphabet."""
        symbol: sympy.Symbol = getattr(symbols, self.value)
        return symbol


VECTOR: Final = (Quantity.OPERATIONS, Quantity.READ_BYTES, Quantity.WRITE_BYTES, Quantity.MESSAGE_BYTES)
"""The components of a work vector; what concerns caches is a part of them."""


class Capacity(enum.Enum):
    """A memory fact of a plan on one rank, by the symbol that stands for it; parameters in elements, the rest bytes."""

    PARAMETERS = "N"
    WEIGHTS = "C_w"
    GRADIENTS = "C_g"
    OPTIMIZER = "C_o"
    STORED = "C_act"
    WORKING = "C_work"
    CHECKPOINT = "C_ckpt"
    KV = "C_kv"
    BOUNDARY = "C_bd"
    WORKSPACE = "C_ws"

    @property
    def symbol(self) -> sympy.Symbol:
        """The symbol of the alphabet."""
        symbol: sympy.Symbol = getattr(symbols, self.value)
        return symbol

    @property
    def once(self) -> bool:
        """Whether a stack needs it for one block at a time; all else it holds for each of its blocks."""
        return self in {Capacity.WORKING, Capacity.BOUNDARY, Capacity.WORKSPACE}


class Portion(enum.Enum):
    """Of what in its group a law speaks: of all members together, of those of each operation, of each one alone."""

    ALL = "all"
    OPERATION = "operation"
    EACH = "each"


@dataclass(frozen=True)
class Group:
    """The tasks that a law sums over, found through lineage: phase, primitives, kinds of the source operation.

    An empty `kinds` or `primitives` means all. `members` is how many tasks there are in a case, in each block; tasks of
    the edges of a stage count for the stage as a whole.
    """

    phases: tuple[Phase, ...]
    members: Callable[[Case], int]
    kinds: tuple[str, ...] = ()
    primitives: tuple[str, ...] = ()
    portion: Portion = Portion.ALL

    @property
    def of_stage(self) -> bool:
        """Whether the group is one of a whole stage, and not of each block."""
        return Phase.STAGE_BOUNDARY in self.phases


def portions_of(portion: Portion, members: Sequence[M], operation: Callable[[M], object]) -> list[list[M]]:
    """The members of a group in the portions that a law speaks of; `operation` names a member's operation."""
    match portion:
        case Portion.ALL:
            return [list(members)]
        case Portion.EACH:
            return [[member] for member in members]
        case Portion.OPERATION:
            groups: dict[object, list[M]] = {}
            for member in members:
                groups.setdefault(operation(member), []).append(member)
            return list(groups.values())


class Reference(enum.Enum):
    """What a law compares a portion of its group with; its operations are W_0 in the law's equations."""

    FORWARD = "the forward task of the same operation"
    UNSHARDED = "the same task with t = 1"


@dataclass(frozen=True)
class Equation(Generic[Q]):
    """`left = right` as a pair: never one sympy equation, which would evaluate itself away.

    `left` is written in the quantity's symbol. `where` lists the definitions under which this form holds, such as
    H = h d; on other shapes the form is not applicable. `statement` says this form in one line where it differs from
    its law's.
    """

    form: str
    quantity: Q
    left: sympy.Expr
    right: Closed
    where: tuple[tuple[sympy.Symbol, sympy.Expr], ...] = ()
    statement: str = ""


def in_every_case(case: Case) -> bool:  # noqa: ARG001 -- a condition's signature
    """The law speaks of every case."""
    return True


@dataclass(frozen=True)
class Law:
    """A published equation about a group of work. `wrong` holds false variants, each of which prove must refute."""

    id: str
    statement: str
    source: str
    group: Group
    equations: tuple[Equation[Quantity], ...]
    wrong: tuple[Equation[Quantity], ...]
    when: Applies = in_every_case
    reference: Reference | None = None


@dataclass(frozen=True)
class MemoryLaw:
    """A published equation about a memory fact of the plan."""

    id: str
    statement: str
    source: str
    equations: tuple[Equation[Capacity], ...]
    wrong: tuple[Equation[Capacity], ...]
    when: Applies = in_every_case


@dataclass(frozen=True)
class Maximum:
    """One form of a maximum: its arms by name, and the definitions under which it holds."""

    form: str
    arms: dict[str, sympy.Expr]
    where: tuple[tuple[sympy.Symbol, sympy.Expr], ...] = ()


@dataclass(frozen=True)
class MaximumLaw:
    """`left` is the largest of the arms: at least every one of them, and equal to one. `left` is written in `capacity`.

    A maximum has no closed form that a solver could be asked about, so an instance is one bound for each arm and one
    equation for the arm that attains it; and a theorem is one equation for each arm of the derivation, in its order.
    A false variant names one arm and says something else of it. `implementation` is that of the attention core of which
    the law speaks, by its name in the plan; `capability` what a target must be able to do for it. `of_plan` says that
    the plan's own memory fact is that implementation's, too.
    """

    id: str
    statement: str
    source: str
    capacity: Capacity
    left: sympy.Expr
    implementation: str
    capability: str
    forms: tuple[Maximum, ...]
    wrong: tuple[Maximum, ...]
    of_plan: bool = False


@dataclass(frozen=True)
class Bound:
    """`left relation right` for all values of its symbols at which the premises hold.

    `because` is the reason, checked term by term. For an inequality, right - left (less one for a strict bound) is the
    sum of these products, whose factors are differences that a premise makes non-negative, or sums of positive
    symbols. For an equation, both sides are multiplied by these positive symbols before they are compared. `witness`
    gives values at which the premises hold, where ones are none.
    """

    form: str
    left: sympy.Expr
    relation: Relation
    right: sympy.Expr
    premises: tuple[tuple[sympy.Expr, Relation, sympy.Expr], ...] = ()
    because: tuple[tuple[sympy.Expr, ...], ...] = ()
    witness: tuple[tuple[sympy.Symbol, int], ...] = ()


@dataclass(frozen=True)
class BoundLaw:
    """What holds for all values, where one plan shows none: between strategies, or between definitions.

    C_0 to C_3 stand for the model state that the derivation computes at the four ZeRO stages. There is no instance.
    """

    id: str
    statement: str
    source: str
    bounds: tuple[Bound, ...]
    wrong: tuple[Bound, ...]


class Arrangement(enum.Enum):
    """What a binding or an emission arranges, by the functions of the derivation that do it."""

    LAYOUT = "layout"
    QUEUES = "queues"
    SLOTS = "slots"
    SECTIONS = "sections"


@dataclass(frozen=True)
class InductiveLaw(BoundLaw):
    """What holds of any number of buffers or tasks, by base and step; and every plan is asked for its own.

    Symbols that the arrangement computes stand for what the derivation's functions make of the others.
    """

    arrangement: Arrangement


@dataclass(frozen=True)
class Requirement:
    """`left <= right` in one plan, where the bindings give every symbol a value; no theorem can promise it."""

    id: str
    statement: str
    source: str
    left: sympy.Expr
    right: sympy.Expr


class Projection(enum.Enum):
    """The pure functions with which a plan carries a task or a value over."""

    WORK = "work"
    RESOURCES = "resources"
    BUFFER_SIZE = "buffer_size"


@dataclass(frozen=True)
class ProjectionLaw:
    """What one projection computes: output name -> expression over the input symbols (for buffers: one for each rank).

    Its instances are the claims that the rule makes of every relation, so it has no group.
    """

    id: str
    statement: str
    source: str
    projection: Projection
    outputs: dict[str, sympy.Expr]
    wrong: dict[str, sympy.Expr]


AnyLaw = Law | ProjectionLaw | MemoryLaw | MaximumLaw | BoundLaw | Requirement

CLASSICAL: Final = ((symbols.k, symbols.h), (symbols.H, symbols.h * symbols.d))
"""The classical block: as many key/value heads as query heads, and heads as wide together as the hidden width."""

FOUR_WIDE: Final = (*CLASSICAL, (symbols.F, 4 * symbols.H))
"""The classical block with a feed-forward width of four hidden widths."""

HALF_PRECISION: Final = (*FOUR_WIDE, (symbols.e, sympy.Integer(2)))
"""The same with two bytes an element: the form in which memory is printed."""


def count(number: int) -> Callable[[Case], int]:
    """The same number of members in every case."""
    return lambda case: number
