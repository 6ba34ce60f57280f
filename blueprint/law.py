"""The vocabulary in which a law is written: a published equation with the group of work that it speaks of."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import sympy

from blueprint import symbols
from blueprint.case import Case
from blueprint.ir.common import Phase, Primitive
from blueprint.ir.model import OperationKind

Closed = Callable[[Case], "sympy.Expr | int"]
"""The right side of an equation, for one case of the strategy."""


class Quantity(enum.Enum):
    """A component of the work vector, by the symbol that stands for a group's amount of it in a law."""

    OPERATIONS = "W"
    READ_BYTES = "Q_r"
    WRITE_BYTES = "Q_w"
    MESSAGE_BYTES = "M"

    @property
    def symbol(self) -> sympy.Symbol:
        """The symbol of the alphabet."""
        return {
            Quantity.OPERATIONS: symbols.W,
            Quantity.READ_BYTES: symbols.Q_r,
            Quantity.WRITE_BYTES: symbols.Q_w,
            Quantity.MESSAGE_BYTES: symbols.M,
        }[self]


@dataclass(frozen=True)
class Group:
    """The tasks that a law sums over, found through lineage: phase, primitives, kinds of the source operation.

    An empty `kinds` or `primitives` means all. With `each`, the law speaks of every member alone.
    """

    phases: tuple[Phase, ...]
    members: Callable[[Case], int]
    kinds: tuple[OperationKind, ...] = ()
    primitives: tuple[Primitive, ...] = ()
    each: bool = False


@dataclass(frozen=True)
class Equation:
    """`left = right` as a pair: never one sympy equation, which would evaluate itself away.

    `left` is written in the quantity's symbol. `where` lists the definitions under which this form holds, such as
    H = h d; on other shapes the form is not applicable. `statement` says this form in one line where it differs from
    its law's.
    """

    form: str
    quantity: Quantity
    left: sympy.Expr
    right: Closed
    where: tuple[tuple[sympy.Symbol, sympy.Expr], ...] = ()
    statement: str = ""


@dataclass(frozen=True)
class Law:
    """A published equation about a group of work."""

    id: str
    statement: str
    source: str
    group: Group
    equations: tuple[Equation, ...]
    wrong: tuple[Equation, ...] = ()
    """False variants of the equations, each of which prove must refute."""


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


CLASSICAL: Final = ((symbols.k, symbols.h), (symbols.H, symbols.h * symbols.d))
"""The classical block: as many key/value heads as query heads, and heads as wide together as the hidden width."""


def count(number: int) -> Callable[[Case], int]:
    """The same number of members in every case."""
    return lambda case: number
