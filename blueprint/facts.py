"""Facts of one claim: numbers found in the target against terms over source and binding values.

Only source and binding values become hypotheses; what the target says stands in the goal alone. Ids are numbered by
their first occurrence among the expected ones, so equal questions about different entities are one obligation.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from blueprint.errors import ObligationError
from blueprint.term import Comparison, Const, Product, Sum, Term, Var, at_most, equal, less
from blueprint.verdict import Obligation

Word = enum.Enum | bool | str
"""A word of a closed vocabulary; or a name of an open one, which is only ever compared."""


@dataclass(frozen=True)
class Fact:
    """`actual` is what the target holds in the field that `label` names; `expected` what the rule makes of it.

    `words` are both where the numbers only stand for them: for people, and never compared.
    """

    label: str
    actual: Term
    expected: Term
    words: tuple[Word, Word] | None = None


@dataclass
class Question:
    """What one claim asks of one relation: facts, and the premises that fix every variable."""

    facts: list[Fact] = field(default_factory=list)
    values: dict[str, int] = field(default_factory=dict)
    clashes: dict[str, dict[int, Var]] = field(default_factory=dict)
    premises: list[Comparison] = field(default_factory=list)

    def given(self, name: str, value: int) -> Var:
        """A variable fixed by the source or the bindings. A name that has another value gets a prime."""
        if self.values.setdefault(name, value) == value:
            return Var(name)
        # Counted by name, so that a bundle full of clashes costs no more than one without.
        others = self.clashes.setdefault(name, {})
        if value not in others:
            others[value] = self.given(f"{name}'{len(others) + 1 if others else ''}", value)
        return others[value]

    def suppose(self, premise: Comparison) -> None:
        """A further premise over given values, such as an exact division by witness."""
        if premise not in self.premises:
            self.premises.append(premise)

    def divided(self, name: str, size: int, degree: int) -> Var:
        """`size / degree` as a witness q with the premise degree * q = size."""
        whole, parts = self.given(name, size), self.given("t", degree)
        share = self.given(f"{name}/{parts.name}", size // degree)
        self.suppose(equal(Product((parts, share)), whole))
        return share

    def largest_share(self, whole: Term, size: int, degree: int, ranks: str = "D", name: str = "n_D") -> Var:
        """The largest share n of `whole`, which is `size`, over D ranks, by witness: D n >= N > D (n - 1)."""
        data, share = self.given(ranks, degree), self.given(name, -(-size // degree))
        self.suppose(at_most(whole, Product((data, share))))
        self.suppose(less(Sum((Product((data, share)), Product((Const(-1), data)))), whole))
        return share

    def number(self, label: str, actual: int, expected: Term, words: tuple[Word, Word] | None = None) -> None:
        """The target's number equals a term."""
        self.facts.append(Fact(label, Const(actual), expected, words))

    def word(self, label: str, actual: Word, expected: Word) -> None:
        """The target's word equals the expected one, by position in its closed vocabulary."""
        if isinstance(actual, str) or isinstance(expected, str):
            # Names have no positions: the expected one counts as 0, any other as 1.
            self.number(label, int(actual != expected), self.given(label, 0), (actual, expected))
            return
        if type(actual) is not type(expected):
            raise ObligationError(f"{label}: words of two vocabularies are compared")
        self.number(label, _position(actual), self.given(label, _position(expected)), (actual, expected))

    def names(self, label: str, actual: Sequence[str], expected: Sequence[str]) -> None:
        """Two lists of ids are equal, element by element and in length."""
        positions: dict[str, int] = {}
        for each in expected:
            positions.setdefault(each, len(positions))
        self.number(f"{label} count", len(actual), self.given(f"{label} count", len(expected)))
        for index, each in enumerate(expected):
            found = actual[index] if index < len(actual) else None
            position = positions.get(found, len(positions)) if found is not None else len(positions) + 1
            given = self.given(f"{label}[{index}]", positions[each])
            self.number(f"{label}[{index}]", position, given, (found or "nothing", each))

    def series(self, label: str, actual: Sequence[str | int], expected: Sequence[str | int]) -> None:
        """Two long lists are equal: in length, and in how many elements they share before they differ."""
        length, least = self.given(f"{label} count", len(expected)), min(len(actual), len(expected))
        shared = next((at for at in range(least) if actual[at] != expected[at]), least)
        words = (str(actual[shared]), str(expected[shared])) if shared < least else None
        self.number(f"{label} count", len(actual), length)
        # The place itself is the bundle's choice, and no part of what is asked.
        self.number(f"{label} in order", shared, length, words)

    def sizes(self, label: str, actual: Sequence[int], expected: Sequence[Term]) -> None:
        """Two lists of numbers are equal, element by element and in length."""
        self.number(f"{label} count", len(actual), self.given(f"{label} count", len(expected)))
        for index, term in enumerate(expected):
            self.number(f"{label}[{index}]", actual[index] if index < len(actual) else -1, term)

    def obligation(self) -> Obligation:
        """The ground obligation: every variable fixed, every premise, and all facts as one goal."""
        fixed = tuple(equal(Var(name), Const(value)) for name, value in self.values.items())
        goal = tuple(equal(fact.actual, fact.expected) for fact in self.facts)
        return Obligation(hypotheses=fixed + tuple(self.premises), goal=goal, witness=dict(self.values), ground=True)


def words(label: str, question: Question, pairs: Iterable[tuple[str, Word, Word]]) -> None:
    """Several words of one entity."""
    for field_name, actual, expected in pairs:
        question.word(f"{label}.{field_name}", actual, expected)


def _position(word: enum.Enum | bool) -> int:  # noqa: FBT001 -- a word, not a switch
    """Position of a word in its vocabulary; False is 0, True is 1."""
    if isinstance(word, bool):
        return int(word)
    return _positions(type(word))[word]


@functools.cache
def _positions(vocabulary: type[enum.Enum]) -> dict[enum.Enum, int]:
    return {word: position for position, word in enumerate(vocabulary)}
