"""What a decider can say, and the question it is asked. Plain data, so that it can cross a process boundary."""

from __future__ import annotations

import enum
from collections.abc import Mapping

import msgspec

from blueprint.term import Comparison, Term


class Verdict(enum.Enum):
    """The answer to one obligation. Only PROVED establishes a claim."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"
    VACUOUS = "vacuous"


class Obligation(msgspec.Struct, frozen=True):
    """Do the hypotheses imply every comparison of the goal, for all whole numbers?

    A universal obligation stands for all parameter values and comes with an integer `witness` at which its
    hypotheses hold. In a ground obligation every variable is fixed by a hypothesis `variable = constant`.
    `comments` stand before the text that is solved, for those who read it. `because` is the reason for an inequality:
    the second decider checks that right - left is the sum of these products of factors that cannot be negative.
    """

    hypotheses: tuple[Comparison, ...]
    goal: tuple[Comparison, ...]
    witness: Mapping[str, int]
    ground: bool
    comments: tuple[str, ...] = ()
    because: tuple[tuple[Term, ...], ...] = ()


class Answer(msgspec.Struct, frozen=True):
    """What one decider answered.

    `model` is a counterexample by variable name, present exactly when the verdict is REFUTED. `core` holds the
    positions of the hypotheses that a proof used, `resource` the solver's own deterministic step count; both only
    for universal obligations, because a shared context makes them depend on the order of questions.
    """

    verdict: Verdict
    decider: str
    reason: str = ""
    model: Mapping[str, int] = {}
    core: tuple[int, ...] = ()
    resource: int = 0
