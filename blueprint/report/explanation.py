"""One relation in full, as data: the laws of its rule with the plan's numbers in them, and every claim's question.

The structures of `blueprint.explanation/1`; explaining.py makes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from blueprint.outcome import ObligationRow, Outcome, RelationRow, Status

SCHEMA: Final = "blueprint.explanation/1"


class _Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the structures."""


class FactRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One field that a claim compares.

    Attributes:
        field: Entity and field.
        found: What the bundle has there.
        expected: What the rule makes of the source and the strategy there.
        expression: The expected value as a term over the model's own dimensions; empty for a given word or number.
        numbers: The same term with the numbers in it; empty where there is no term.
        holds: Whether both are the same.
    """

    field: str
    found: str
    expected: str
    expression: str
    numbers: str
    holds: bool


class QuestionRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was asked of the deciders, and what they answered.

    Attributes:
        hypotheses: What is given, in words: the source's and the strategy's values, and what ties them together.
        goal: What must follow from that.
        symbols: The name behind each numbered variable of the text.
        text: The question in SMT-LIB2, exactly as the solver got it; empty where it is too large to be stated.
        answer: The obligation's row of the report.
    """

    hypotheses: tuple[str, ...]
    goal: tuple[str, ...]
    symbols: Mapping[str, str]
    text: str
    answer: ObligationRow


class ClaimExplained(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One claim of the relation.

    Attributes:
        kind: What is claimed.
        status: The verdict word.
        facts: Every field that it compares, false ones first.
        question: What was asked.
    """

    kind: str
    status: Status
    facts: tuple[FactRow, ...]
    question: QuestionRow


class LawExplained(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One form of a law that the relation's rule states.

    Attributes:
        id: Name of the law.
        form: Which of its equations.
        status: The verdict word.
        statement: The law in one line.
        source: Where it is published.
        equations: The law in mathematics, case by case.
        latex: The same in LaTeX.
        group: The tasks or entities that it speaks of.
        instance: The first instance that fails, or else the first, with the numbers in it: both sides and their values.
        values: Value by name in that instance.
        instances: How many different instances were asked.
        question: What was asked of that instance; null where the law has none.
    """

    id: str
    form: str
    status: Status
    statement: str
    source: str
    equations: tuple[str, ...]
    latex: tuple[str, ...]
    group: str
    instance: tuple[str, ...]
    values: Mapping[str, str]
    instances: str
    question: QuestionRow | None


class Explanation(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One relation in full.

    Attributes:
        bundle_sha256: SHA-256 of the bundle's bytes.
        verdict: The verdict on the whole bundle.
        bindings: What the verdict is about.
        source: Stage before the pass.
        target: Stage after the pass.
        branch: Branch of the derivation; empty where there is only one.
        derivation_pass: Name of the pass.
        relation: The relation's row of the report.
        sources: Names of the entities that the rule was applied to; an id where there is no name.
        rewrite: What the rule does, in words; empty for one that rewrites nothing.
        laws: The laws that the rule states.
        claims: The claims of the relation.
    """

    bundle_sha256: str
    verdict: Outcome
    bindings: Mapping[str, Mapping[str, str]]
    source: str
    target: str
    branch: str
    derivation_pass: str = msgspec.field(name="pass")
    relation: RelationRow
    sources: tuple[str, ...]
    rewrite: str
    laws: tuple[LawExplained, ...]
    claims: tuple[ClaimExplained, ...]


class Explanations(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every relation that was asked for: an id may stand for one in each branch.

    Attributes:
        schema: Name of this schema.
        explanations: The relations in full.
    """

    schema: str
    explanations: tuple[Explanation, ...]
