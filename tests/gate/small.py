"""A small derivation with a solver that answers at once, and passes that do as they are told: for tests of the gate."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterable
from types import MappingProxyType
from typing import Any, ClassVar

import pytest

from blueprint.analyses import Address
from blueprint.bundle import Snapshot, fingerprint
from blueprint.codec import encode
from blueprint.discharge import SolverPool
from blueprint.errors import BlueprintError
from blueprint.frontend.block import model_ir, request_digest
from blueprint.frontend.request import inference_request
from blueprint.gate import CommitGate, Committed, Observer, Published
from blueprint.ir.common import Branch, Stage
from blueprint.ir.request import Activation, ModelFacts, Request
from blueprint.passes.distribute_inference import DistributeTransformerInferencePass
from blueprint.passes.plan_inference import PlanTransformerInferencePass
from blueprint.passes.protocol import DerivationPass, PassContext, PassFacts, VerificationPolicy
from blueprint.session import open_rulebook, open_theorems
from blueprint.settings import DEFAULT_BUDGET
from blueprint.verdict import Answer, Verdict
from blueprint.verifier import TransitionVerifier
from blueprint.worker import Batch

MODEL, DISTRIBUTED, PORTABLE = Stage.MODEL, Stage.DISTRIBUTED, Stage.PORTABLE

TINY = ModelFacts(
    name="tiny",
    hidden=12,
    feedforward=20,
    heads=4,
    key_value_heads=4,
    head_width=3,
    layers=2,
    vocabulary=7,
    positions=16,
    biases=False,
    activation=Activation.GELU,
)

REQUEST = inference_request(TINY, batch=2, prompt=6, context=9, tensor=1)
"""One rank has no exchanges, and inference has one phase: the fewest tasks that a derivation can have."""

BRANCH = Branch.FINAL_DECODE

BOOK = open_rulebook(None)
THEOREMS = open_theorems(BOOK)

Act = Callable[[Any, PassContext], object]
"""What a pass does beside its work, with its input and what it was told."""


class Instant(SolverPool):
    """Answers at once, and always the same. Whoever decides second is at work as ever, and must agree."""

    answer: ClassVar = Answer(Verdict.PROVED, "instant")

    def __init__(self) -> None:
        super().__init__(1)

    def start(self) -> None:
        """There is nothing to start."""

    def solve(self, batches: Iterable[Batch]) -> list[Answer]:
        return [self.answer for batch in batches for _ in batch.questions]


class Silent(Instant):
    """Never knows."""

    answer: ClassVar = Answer(Verdict.UNKNOWN, "silent", "no idea")


def session_of(request: Request) -> str:
    return fingerprint(request_digest(request), BOOK.digest)


def gate_of(
    *observers: Observer,
    pool: SolverPool | None = None,
    budget: int = DEFAULT_BUDGET,
    request: Request = REQUEST,
    branch: Branch = BRANCH,
) -> CommitGate:
    """A gate whose request is its own, so that whoever changes it changes nothing for others."""
    verifier = TransitionVerifier(BOOK, THEOREMS, pool or Instant(), budget)
    own = copy.deepcopy(request)
    return CommitGate(verifier, PassContext(own, session_of(request), branch), observers)


def rooted(gate: CommitGate) -> Committed:
    """The model as the root of a derivation."""
    return gate.admit(model_ir(gate.context.request))


# Passes -------------------------------------------------------------------------------------------------------------


class Distributing(DistributeTransformerInferencePass):
    """The real pass, which then acts: in the run of a number, or in every run for 0."""

    def __init__(self, act: Act, number: int = 0) -> None:
        self.act, self.number, self.runs = act, number, 0

    def run(self, ir: Any, context: PassContext) -> Any:
        result = super().run(ir, context)
        self.runs += 1
        if self.number in {0, self.runs}:
            self.act(ir, context)
        return result


class Planning(PlanTransformerInferencePass):
    """As before, one stage later."""

    def __init__(self, act: Act, number: int = 0) -> None:
        self.act, self.number, self.runs = act, number, 0

    def run(self, ir: Any, context: PassContext) -> Any:
        result = super().run(ir, context)
        self.runs += 1
        if self.number in {0, self.runs}:
            self.act(ir, context)
        return result


class Looking:
    """Leaves its snapshot as it is, after it has acted."""

    facts: ClassVar[PassFacts] = PassFacts(
        name="LookingPass",
        revision=1,
        boundary=(MODEL, MODEL),
        provenance=("these tests",),
        bindings=("model",),
        normal_form="",
        policy=VerificationPolicy.UNCHANGED,
    )

    def __init__(self, act: Act, number: int = 0) -> None:
        self.act, self.number, self.runs = act, number, 0

    def run(self, ir: Any, context: PassContext) -> Any:
        self.runs += 1
        if self.number in {0, self.runs}:
            self.act(ir, context)
        return ir


def nothing(_ir: object, _context: PassContext) -> None:
    """Do nothing beside the work."""


def distributing(act: Act = nothing, number: int = 0, **declared: Any) -> Distributing:
    """The real pass with other facts."""

    class Declared(Distributing):
        facts: ClassVar[PassFacts] = _replaced(Distributing.facts, declared)

    return Declared(act, number)


def planning(act: Act = nothing, number: int = 0, **declared: Any) -> Planning:
    """The real pass one stage later, with other facts."""

    class Declared(Planning):
        facts: ClassVar[PassFacts] = _replaced(Planning.facts, declared)

    return Declared(act, number)


def looking(act: Act = nothing, number: int = 0, **declared: Any) -> Looking:
    """A pass within a stage with other facts."""

    class Declared(Looking):
        facts: ClassVar[PassFacts] = _replaced(Looking.facts, declared)

    return Declared(act, number)


def _replaced(facts: PassFacts, changes: dict[str, Any]) -> PassFacts:
    return dataclasses.replace(facts, **changes)


# What is compared ---------------------------------------------------------------------------------------------------


def image(committed: Committed) -> bytes:
    """Everything that a committed value says, in bytes."""
    fields = dataclasses.fields(committed)
    return encode([getattr(committed, each.name) for each in fields if each.name != "seal"])


def contents(published: Published) -> tuple[tuple[bytes, ...], dict[Address, bytes]]:
    """Everything that is published, in bytes."""
    return tuple(map(image, published.checkpoints)), dict(published.analyses)


def refused(
    gate: CommitGate,
    derivation_pass: DerivationPass[Any, Any],
    source: Committed,
    kind: type[BlueprintError] = BlueprintError,
) -> BlueprintError:
    """The error with which the gate refuses a pass. It names the pass, and nothing whatever is published."""
    before = gate.published
    content = contents(before)
    with pytest.raises(kind) as caught:
        gate.commit(derivation_pass, source)
    assert caught.value.origin.startswith(f"{derivation_pass.facts.name}, step")
    assert gate.published is before
    assert contents(before) == content
    return caught.value


def snapshots_of(last: Committed) -> tuple[Snapshot, ...]:
    """The chain of snapshots up to a committed one."""
    return (*last.ancestors, last.snapshot)


def without_analyses(published: Published) -> Published:
    """The same checkpoints, about which nothing is known."""
    return dataclasses.replace(published, analyses=MappingProxyType({}))
