"""Everything that one transition must establish, as data: relations with their claims, laws, obligations, coverage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from blueprint.case import Case
from blueprint.codec import digest
from blueprint.diagnostic import Diagnostic
from blueprint.facts import Fact, Question
from blueprint.rule import Claim
from blueprint.verdict import Obligation

Boundary = tuple[str, str]
"""Names of the two sides: stages, or `request` before the model."""


@dataclass(frozen=True)
class Coverage:
    """How the entities of a boundary are accounted for; all counts of entities."""

    source: int
    source_total: int
    target: int
    target_total: int
    generated: int
    missing: int
    dangling: int
    undeclared: int
    mismatched: int

    @property
    def exact(self) -> bool:
        """Every source and every target is in a relation, and nothing is missing or too much."""
        faults = self.missing + self.dangling + self.undeclared + self.mismatched
        return faults == 0 and self.source == self.source_total and self.target == self.target_total


@dataclass(frozen=True)
class ClaimCheck:
    """One claim of one relation: the question, and the position of its obligation."""

    claim: Claim
    facts: tuple[Fact, ...]
    obligation: int


@dataclass(frozen=True)
class RelationCheck:
    """One relation with its claims."""

    id: str
    rule: str
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    names: tuple[str, ...]
    claims: tuple[ClaimCheck, ...]

    @property
    def cardinality(self) -> str:
        """1:1, 1:N, N:1, N:M, and 0:0 for claims about a boundary as a whole."""
        left, right = (_many(each) for each in (self.sources, self.targets))
        return "N:M" if (left, right) == ("N", "N") else f"{left}:{right}"


@dataclass(frozen=True)
class LawCheck:
    """One law over its group: the positions of its instances' obligations, or why there are none.

    `theorems` names the recorded theorems behind it: rule, law and form, in the case of the plan; those of laws of a
    whole pipeline `stage` in the stage's case.
    """

    id: str
    rule: str
    form: str
    statement: str
    group: str
    members: int
    expected_members: int
    obligations: tuple[int, ...]
    applicable: bool
    vacuous: bool
    theorems: tuple[tuple[str, str, str], ...]
    stage: bool = False


@dataclass
class TransitionPlan:
    """Everything that a transition must establish."""

    boundary: Boundary
    coverage: Coverage
    case: Case
    relations: list[RelationCheck] = field(default_factory=list)
    laws: list[LawCheck] = field(default_factory=list)
    obligations: list[Obligation] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def ask(self, obligation: Obligation) -> int:
        """Add an obligation and return its position."""
        self.obligations.append(obligation)
        return len(self.obligations) - 1

    def relate(
        self,
        rule: str,
        names: Sequence[str],
        sources: Sequence[str],
        targets: Sequence[str],
        questions: Iterable[tuple[Claim, Question]],
        key: Sequence[str] | None = None,
    ) -> None:
        """Add a relation with its claims. Its id is the digest of boundary, rule and `key`, which is its sources."""
        claims = tuple(
            ClaimCheck(claim, tuple(question.facts), self.ask(question.obligation())) for claim, question in questions
        )
        self.record(rule, names, sources, targets, claims, key)

    def record(
        self,
        rule: str,
        names: Sequence[str],
        sources: Sequence[str],
        targets: Sequence[str],
        claims: tuple[ClaimCheck, ...],
        key: Sequence[str] | None = None,
    ) -> None:
        """Add a relation whose claims have been asked."""
        identity = [*self.boundary, rule, tuple(sources if key is None else key)]
        relation = f"relation:{digest('relation', 1, identity)}"
        self.relations.append(RelationCheck(relation, rule, tuple(sources), tuple(targets), tuple(names), claims))


def _many(items: Sequence[str]) -> str:
    return str(len(items)) if len(items) < 2 else "N"
