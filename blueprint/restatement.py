"""What a report's relations asked, stated again from the bundle: a report holds digests of questions, not their text.

Nothing is decided here. A question counts as the same only if its text has the digest that the report names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from blueprint import smtlib
from blueprint.boundaries import plan_transition
from blueprint.bundle import Bundle
from blueprint.errors import BlueprintError, ObligationError
from blueprint.extension import load_extension
from blueprint.frontend.block import model_ir
from blueprint.ir.common import Branch, Stage
from blueprint.ir.model import ModelIR
from blueprint.outcome import ObligationRow, RelationRow, TransitionReport
from blueprint.passes.protocol import PassContext
from blueprint.plan import RelationCheck, TransitionPlan
from blueprint.session import open_rulebook
from blueprint.transition import plan_model
from blueprint.verdict import Obligation


class Restatement:
    """A bundle with its rulebook, from which transitions are planned once more, each once."""

    def __init__(self, bundle: Bundle, rules: str | Path | None) -> None:
        self.bundle = bundle
        self.rulebook = open_rulebook(rules)
        self.extension = load_extension(self.rulebook)
        self.names = dict(_names(bundle))
        self._plans: dict[tuple[str, str], TransitionPlan] = {}
        self._asked: dict[tuple[str, str], dict[int, Obligation]] = {}

    def plan(self, transition: TransitionReport) -> TransitionPlan:
        """Everything that a transition of the report had to establish."""
        key = (transition.branch, transition.target)
        if key not in self._plans:
            self._plans[key] = self._planned(transition)
        return self._plans[key]

    def _planned(self, transition: TransitionReport) -> TransitionPlan:
        request, branch = self.bundle.request, Branch(transition.branch)
        chain = [
            record.snapshot for record in self.bundle.stages if record.stage is Stage.MODEL or record.branch is branch
        ]
        model = chain[0]
        if transition.target == Stage.MODEL.value and isinstance(model, ModelIR):
            return plan_model(request, model, model_ir(request, self.extension.operations))
        context = PassContext(request, self.bundle.fingerprint, branch, self.extension.operations)
        position = next(at for at, each in enumerate(chain) if each.header.stage.value == transition.target)
        return plan_transition(self.rulebook, context, tuple(chain[:position]), chain[position])

    def relation(self, transition: TransitionReport, row: RelationRow) -> RelationCheck:
        """A relation of the report as it was asked."""
        asked = (row.id, row.names, row.targets)
        found = (each for each in self.plan(transition).relations if (each.id, each.names, each.targets) == asked)
        return next(found)

    def obligations(self, transition: TransitionReport) -> Mapping[int, Obligation]:
        """Every question of a transition, by its position in the report's list."""
        key = (transition.branch, transition.target)
        if key not in self._asked:
            self._asked[key] = dict(self._questions(transition))
        return self._asked[key]

    def _questions(self, transition: TransitionReport) -> Iterator[tuple[int, Obligation]]:
        plan = self.plan(transition)
        for row in transition.relations:
            for claim, relation_check in zip(row.claims, self.relation(transition, row).claims, strict=True):
                yield claim.obligation, plan.obligations[relation_check.obligation]
        checks = {(each.id, each.form, each.rule): each for each in plan.laws}
        for law in transition.laws:
            check = checks[law.id, law.form, law.rule]
            # Equal questions are one obligation in the report, and stand there in order of their first use.
            asked = [(text_of(plan.obligations[each]).digest, plan.obligations[each]) for each in check.obligations]
            distinct = dict(reversed(asked))
            digests = dict.fromkeys(digest for digest, _ in asked)
            yield from zip(law.obligations, (distinct[digest] for digest in digests), strict=True)


def text_of(obligation: Obligation) -> smtlib.Rendered:
    """The text that a solver was given; of a question that is too large to be stated, only a digest."""
    try:
        return smtlib.render(obligation)
    except ObligationError:
        form = smtlib.numbered(obligation)[0] if obligation.ground else obligation
        return smtlib.Rendered("", (), hashlib.sha256(msgspec.json.encode(form)).hexdigest())


def same_question(row: ObligationRow, obligation: Obligation) -> smtlib.Rendered:
    """The text of a question, which must be the one that the report speaks of. Raises BlueprintError otherwise."""
    text = text_of(obligation)
    if text.digest != row.digest:
        raise BlueprintError(f"the question {row.digest} is not what is stated again, {text.digest}")
    return text


def _names(bundle: Bundle) -> Iterator[tuple[str, str]]:
    """Id and name of every entity."""
    for record in bundle.stages:
        snapshot: Any = record.snapshot
        parts = [snapshot, getattr(snapshot, "extension", None)]
        for part in parts:
            for field in getattr(part, "__struct_fields__", ()):
                entities = getattr(part, field)
                if isinstance(entities, tuple):
                    yield from (
                        (each.id, each.name) for each in entities if hasattr(each, "id") and hasattr(each, "name")
                    )
