"""Model -> Distributed for one block in one step of inference."""

from __future__ import annotations

from typing import ClassVar

from blueprint.ir.common import Primitive, Stage
from blueprint.ir.distributed import DistributedTaskIR
from blueprint.ir.model import ModelIR
from blueprint.ir.request import Scope, blocks_of
from blueprint.passes.distribution import Distribution
from blueprint.passes.protocol import PassContext, PassFacts
from blueprint.workload.inference_block import inference_block
from blueprint.workload.inference_dims import inference_dims_of
from blueprint.workload.stage import inference_stage


class DistributeTransformerInferencePass:
    """Expand one step of inference into the tasks of one tensor-parallel group.

    With b sequences, q new tokens of each, c visible tokens with the new, hidden width H, feed-forward width F,
    h heads, tensor-parallel degree t and e bytes an element, per rank:

        W_attention = 4 b q c H / t + 5 b (h/t) q c
        W_QKV = 6 b q H^2 / t
        W_out = 2 b q H^2 / t
        W_MLP = 4 b q H F / t
        C_KV = 2 b c (H/t) e
        M = b q H e
        W_reduce = b q H (t - 1) / t

    The attention core is QK^T and PV, and the softmax between them; the last two are those of each all-reduce. The
    prompt is one step with q = c, the last token one with q = 1. Reads and writes of the caches are effects; no fused
    or paged attention is assumed.
    """

    facts: ClassVar[PassFacts] = PassFacts(
        name="DistributeTransformerInferencePass",
        revision=1,
        boundary=(Stage.MODEL, Stage.DISTRIBUTED),
        provenance=(
            "Vaswani et al., Attention Is All You Need",
            "Shoeybi et al., Megatron-LM",
            "Dao et al., FlashAttention",
        ),
        bindings=("model", "workload", "strategy"),
        normal_form="inference_block over the dimensions of the branch's step, in canonical order",
    )

    def run(self, ir: ModelIR, context: PassContext) -> DistributedTaskIR:
        """Derive the tasks and values of ranks 0 .. t-1. Raises DomainError where a degree does not divide."""
        request = context.request
        dims, stack = inference_dims_of(request, context.branch, context.added), request.strategy.scope is Scope.STACK
        block = inference_stage(dims, blocks_of(request.model, request.strategy)) if stack else inference_block(dims)
        received = {name for step in block.steps if step.primitive == Primitive.RECEIVE for name in step.writes}
        caches = [tensor.name for tensor in block.tensors if tensor.version == "cache"]
        emission = Distribution("inference", ir, context, block)
        inputs = (*emission.named(ir.inputs, "forward"), *emission.named(emission.parameter_ids, "forward"))
        return emission.snapshot(
            inputs=tuple(name for name in inputs if name not in received),
            outputs=(*emission.named(ir.outputs, "forward"), *caches),
        )
