"""False bundles of inference: a draft that is changed on one branch and sealed on all."""

from __future__ import annotations

from blueprint.bundle import fingerprint
from blueprint.codec import decode, digest, encode
from blueprint.frontend.block import model_ir
from blueprint.frontend.models import builtin
from blueprint.frontend.request import inference_request
from blueprint.ir.common import Branch, DType, Stage
from blueprint.ir.distributed import DistributedTaskIR
from blueprint.ir.model import ModelIR
from blueprint.ir.request import Request
from blueprint.passes.distribute_inference import DistributeTransformerInferencePass
from blueprint.passes.plan_inference import PlanTransformerInferencePass
from blueprint.passes.protocol import PassContext
from tests.bundles.conftest import TINY
from tests.reseal import Draft, Plain, digest_of, mapped, seal_snapshot

PREFILL, DECODE = Branch.PREFILL, Branch.FINAL_DECODE

GPT3_STEPS = inference_request(builtin("gpt3-175b"), batch=8, prompt=2048, context=4096, dtype=DType.BFLOAT16, tensor=8)
"""One block of GPT-3 175B: a prompt of 2048 tokens, and a last token that sees 4096."""

TINY_STEPS = inference_request(TINY, batch=3, prompt=4, context=7, dtype=DType.BFLOAT16, tensor=2)


class BranchDraft(Draft):
    """A bundle of inference as plain data. What is asked of a stage is asked of `branch`; the model stands once."""

    def __init__(self, good: bytes, branch: Branch) -> None:
        super().__init__(good)
        self.branch = branch

    def on(self, branch: Branch) -> BranchDraft:
        """The same draft, at another branch."""
        self.branch = branch
        return self

    def place(self, stage: Stage) -> int:
        """Where a stage of the branch stands. Raises StopIteration where it does not."""
        branch = Branch.MAIN if stage is Stage.MODEL else self.branch
        records = enumerate(self.data["stages"])
        return next(at for at, each in records if (each["stage"], each["branch"]) == (stage.value, branch.value))

    def snapshot(self, stage: Stage) -> Plain:
        """The snapshot of a stage."""
        found: Plain = self.data["stages"][self.place(stage)]["snapshot"]
        return found

    def transition(self, target: Stage) -> Plain:
        """The record of the transition to a stage."""
        found: Plain = self.data["transitions"][self.place(target) - 1]
        return found

    def replace(self, stage: Stage, snapshot: object) -> None:
        """Put a whole snapshot in the place of a stage's."""
        self.data["stages"][self.place(stage)]["snapshot"] = decode(encode(snapshot), dict)

    def seal(self) -> None:
        """Recompute ids, references, order and digests: the model's, then each branch from the model on."""
        data = self.data
        data["request_digest"] = digest("request", 1, data["request"])
        data["fingerprint"] = fingerprint(data["request_digest"], data["rulebook"]["digest"])
        shared: dict[str, str] = {}
        moved: dict[str, dict[str, str]] = {}
        parents: dict[str, str] = {}
        root = ""
        for position, record in enumerate(data["stages"]):
            stage, branch = Stage(record["stage"]), record["branch"]
            if stage is Stage.MODEL:
                seal_snapshot(stage, record["snapshot"], data["request_digest"], shared)
                root = digest_of(record["snapshot"])
            else:
                # The two branches begin with equal ids: what has moved in one has not in the other.
                own = moved.setdefault(branch, dict(shared))
                seal_snapshot(stage, record["snapshot"], parents.get(branch, root), own)
                source, parents[branch] = parents.get(branch, root), digest_of(record["snapshot"])
                if position - 1 < len(data["transitions"]):
                    data["transitions"][position - 1].update(source=source, target=parents[branch])
            self.digests[position : position + 1] = [digest_of(record["snapshot"])]
        data["overlays"] = mapped(data["overlays"], shared)

    def derive_again(self, first: Stage) -> None:
        """Seal, then let the honest passes make every stage from `first` on: of all branches, a plan of this one."""
        self.seal()
        request = decode(encode(self.request), Request)
        if first is Stage.MODEL:
            self.replace(first, model_ir(request))
        if first is Stage.PORTABLE:
            self.plan(request)
            return
        at = self.branch
        for branch in (PREFILL, DECODE):
            self.on(branch).derive_branch(request)
        self.on(at)

    def derive_branch(self, request: Request, source: Branch | None = None) -> None:
        """Make this branch as the honest passes make `source` (this branch if None) of a request, from the model."""
        context = PassContext(request, self.data["fingerprint"], self.branch if source is None else source)
        model = decode(encode(self.snapshot(Stage.MODEL)), ModelIR)
        self.replace(Stage.DISTRIBUTED, DistributeTransformerInferencePass().run(model, context))
        self.plan(request, source)

    def plan(self, request: Request, source: Branch | None = None) -> None:
        """Make this branch's plan of its tasks as they stand; what one rank holds is the request's."""
        context = PassContext(request, self.data["fingerprint"], self.branch if source is None else source)
        distributed = decode(encode(self.snapshot(Stage.DISTRIBUTED)), DistributedTaskIR)
        self.replace(Stage.PORTABLE, PlanTransformerInferencePass().run(distributed, context))
