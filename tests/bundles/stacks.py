"""Drafts of whole pipeline stages, of training and of one branch of inference, sealed again after a change."""

from __future__ import annotations

import functools
import json

import msgspec

from blueprint.codec import decode, encode
from blueprint.derivation import derive
from blueprint.frontend.request import inference_request, training_request
from blueprint.ir.common import Branch, Stage
from blueprint.ir.distributed import DistributedTaskIR
from blueprint.ir.model import ModelIR
from blueprint.ir.request import Communication, ModelFacts, Recompute, Request, Scope
from blueprint.passes.distribute_inference import DistributeTransformerInferencePass
from blueprint.passes.plan_inference import PlanTransformerInferencePass
from blueprint.passes.protocol import PassContext
from tests.bundles.conftest import JOBS, TINY
from tests.reseal import Draft, Plain, mapped

DISTRIBUTED, PORTABLE = Stage.DISTRIBUTED, Stage.PORTABLE

WITH_BIASES: ModelFacts = msgspec.structs.replace(TINY, layers=6, biases=True)
"""H = 12, F = 20, h = 4, d = 3: on two ranks 628 parameters a block, of which every rank holds 72 whole."""

WITHOUT_BIASES: ModelFacts = msgspec.structs.replace(WITH_BIASES, biases=False)


def training_stage_request(
    *,
    model: ModelFacts = WITH_BIASES,
    zero: int = 0,
    communication: Communication = Communication.SEQUENCE_PARALLEL,
    recompute: Recompute = Recompute.SELECTIVE,
    data: int = 3,
    pipeline: int = 3,
    stage: int = 1,
) -> Request:
    """Two blocks on two ranks in the middle of three stages; elements have 2 bytes, their gradients 4."""
    return training_request(
        model,
        tensor=2,
        pipeline=pipeline,
        data=data,
        batch=3,
        sequence=8,
        recompute=recompute,
        communication=communication,
        zero=zero,
        gradient_bytes=4,
        scope=Scope.STACK,
        stage=stage,
    )


STEPS = inference_request(WITH_BIASES, tensor=2, pipeline=3, batch=3, prompt=16, context=24, scope=Scope.STACK, stage=1)
"""The same two blocks in inference: a prompt of 16 tokens, and a last token that sees 24."""


@functools.cache
def good(request: Request) -> bytes:
    """The good bundle of a request, derived once."""
    return derive(request, jobs=JOBS)


class StepDraft(Draft):
    """One branch of a bundle of inference as plain data; the other branch stays as it is."""

    def __init__(self, whole: bytes, branch: Branch) -> None:
        self.whole: Plain = json.loads(whole)
        self.branch = branch
        # Alone, a branch is a chain of the model and two stages, as a bundle of training is.
        own: Plain = {key: value for key, value in self.whole.items() if key not in {"stages", "transitions"}}
        own["stages"] = [each for each in self.whole["stages"] if each["branch"] in {Branch.MAIN.value, branch.value}]
        own["transitions"] = [each for each in self.whole["transitions"] if each["branch"] == branch.value]
        super().__init__(encode(own))

    def derive_again(self, first: Stage) -> None:
        """Seal, then let the honest passes of inference make every stage from `first` on."""
        if first is Stage.MODEL:
            raise ValueError("the model belongs to both branches")
        self.seal()
        request = decode(encode(self.request), Request)
        context = PassContext(request, self.data["fingerprint"], self.branch)
        if first is DISTRIBUTED:
            model = decode(encode(self.snapshot(Stage.MODEL)), ModelIR)
            self.replace(DISTRIBUTED, DistributeTransformerInferencePass().run(model, context))
        distributed = decode(encode(self.snapshot(DISTRIBUTED)), DistributedTaskIR)
        self.replace(PORTABLE, PlanTransformerInferencePass().run(distributed, context))

    def sealed(self) -> bytes:
        """The canonical bytes of the whole bundle, this branch sealed."""
        self.seal()
        bundle = dict(self.whole)
        for kind in ("stages", "transitions"):
            own = iter([each for each in self.data[kind] if each["branch"] == self.branch.value])
            bundle[kind] = [next(own) if each["branch"] == self.branch.value else each for each in self.whole[kind]]
        return encode(bundle)


def draft_of(request: Request, branch: Branch = Branch.MAIN) -> Draft:
    """The good bundle of a request, open for changes."""
    whole = good(request)
    return Draft(whole) if branch is Branch.MAIN else StepDraft(whole, branch)


def task(draft: Draft, name: str, stage: Stage = DISTRIBUTED) -> Plain:
    """A task by its name."""
    return draft.entity(stage, "tasks", name)


def value(draft: Draft, name: str) -> Plain:
    """A distributed value by its name."""
    return draft.entity(DISTRIBUTED, "values", name)


def reads_instead(draft: Draft, reader: str, old: str, new: str) -> None:
    """A task reads one value in the place of another."""
    names = {value(draft, old)["id"]: value(draft, new)["id"]}
    found = task(draft, reader)
    assert value(draft, old)["id"] in found["inputs"]
    found["inputs"] = mapped(found["inputs"], names)


def removed(draft: Draft, name: str, *, values: bool = True) -> None:
    """Take a distributed task away, and what it writes; nobody asks for that any more."""
    snapshot = draft.snapshot(DISTRIBUTED)
    lost = task(draft, name)
    snapshot["tasks"] = [each for each in snapshot["tasks"] if each["name"] != name]
    if not values:
        return
    snapshot["values"] = [each for each in snapshot["values"] if each["id"] not in lost["outputs"]]
    for each in (*snapshot["tasks"], snapshot):
        for side in ("inputs", "outputs"):
            each[side] = [one for one in each[side] if one not in lost["outputs"]]
