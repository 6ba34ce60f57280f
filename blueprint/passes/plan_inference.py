"""Distributed -> Portable for one block in one step of inference."""

from __future__ import annotations

from typing import ClassVar

from blueprint.ir.common import Stage
from blueprint.ir.distributed import DistributedTaskIR
from blueprint.ir.portable import Alternative, InferenceMemory, PortablePlanIR
from blueprint.ir.request import blocks_of
from blueprint.passes.planning import Planning, bounded
from blueprint.passes.protocol import PassContext, PassFacts
from blueprint.workload.attention import implementations
from blueprint.workload.inference_dims import inference_dims_of
from blueprint.workload.inference_memory import inference_memory, stack_memory, workspace
from blueprint.workload.maximum import largest


class PlanTransformerInferencePass:
    """Materialise exact inference work without choosing a target.

    For every distributed task the work vector is copied, and projected without loss:

        (F, R, W, M) of a portable task = (F, R, W, M) of its distributed task
        Q_compute = F, Q_memory = R + W, Q_network = M
        C = elements * width

    The workspace assumes that nothing is fused, until a binding selects an implementation. It is the boundary, and
    beside it the largest intermediate: queries, keys and values together, scores, or feed-forward rows.

        C_bd = b q H e
        C_ws = C_bd + e max(3 b q H/t, b (h/t) q c, b q F/t)

    Tiled and paged attention are alternatives of the plan, each with a workspace of its own.

    It is a bound that a binding must keep; an implementation may need less, and never changes the operations.
    """

    facts: ClassVar[PassFacts] = PassFacts(
        name="PlanTransformerInferencePass",
        revision=1,
        boundary=(Stage.DISTRIBUTED, Stage.PORTABLE),
        provenance=("Vaswani et al., Attention Is All You Need", "Dao et al., FlashAttention"),
        bindings=("model", "workload", "strategy"),
        normal_form="one task a task and one buffer a value, in the order of the distributed snapshot",
    )

    def run(self, ir: DistributedTaskIR, context: PassContext) -> PortablePlanIR:
        """Derive the plan. Raises DomainError where a size exceeds the IR's limit."""
        dims = inference_dims_of(context.request, context.branch, context.added)
        blocks = blocks_of(context.request.model, context.request.strategy)
        memory = stack_memory(inference_memory(dims, largest), blocks)
        facts = {name: bounded(f"{name} of the block", size) for name, size in vars(memory).items()}
        alternatives = tuple(
            Alternative(
                name=each.name,
                capability=each.capability,
                workspace=bounded(f"workspace of {each.name}", workspace(dims, each.arms, largest)),
            )
            for each in implementations(dims)
        )
        return Planning(ir, full=False).snapshot(InferenceMemory(**facts), alternatives)
