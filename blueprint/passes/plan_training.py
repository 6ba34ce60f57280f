"""Distributed -> Portable for one training block."""

from __future__ import annotations

from typing import ClassVar

from blueprint.ir.common import Stage
from blueprint.ir.distributed import DistributedTaskIR
from blueprint.ir.portable import PortablePlanIR, TrainingMemory
from blueprint.ir.request import Recompute, blocks_of
from blueprint.passes.planning import Planning, bounded
from blueprint.passes.protocol import PassContext, PassFacts
from blueprint.workload.dims import dims_of
from blueprint.workload.memory import Memory, block_memory, stack_memory
from blueprint.workload.training_block import training_block


class PlanTransformerTrainingPass:
    """Materialise exact training work without choosing a target.

    For every distributed task the work vector is copied, and projected without loss:

        (F, R, W, M) of a portable task = (F, R, W, M) of its distributed task
        Q_compute = F, Q_memory = R + W, Q_network = M
        C = elements * width

    What one rank holds is reduced from the derivation's layer facts and from the parameters N of the rank:

        C_act = sum over layers of (A - O [output not stored] - A [activation not stored])
        C_w = e N, at ZeRO stage 3 e n_D
        C_g = g N, from ZeRO stage 2 g n_D
        C_o = o N, from ZeRO stage 1 o n_D

    where n_D is the largest of D shares of them.

    It is a semantics-preserving reification, not a second estimator.
    """

    facts: ClassVar[PassFacts] = PassFacts(
        name="PlanTransformerTrainingPass",
        revision=1,
        boundary=(Stage.DISTRIBUTED, Stage.PORTABLE),
        provenance=(
            "Shoeybi et al., Megatron-LM",
            "Rajbhandari et al., ZeRO",
            "Korthikanti et al., Reducing Activation Recomputation",
        ),
        bindings=("workload", "strategy"),
        normal_form="one task a task and one buffer a value, in the order of the distributed snapshot",
    )

    def run(self, ir: DistributedTaskIR, context: PassContext) -> PortablePlanIR:
        """Derive the plan. Raises DomainError where a size exceeds the IR's limit."""
        dims = dims_of(context.request, context.added)
        full = context.request.strategy.recompute is Recompute.FULL
        blocks = blocks_of(context.request.model, context.request.strategy)
        memory = stack_memory(block_memory(dims, training_block(dims)), blocks)
        return Planning(ir, full=full).snapshot(_facts(memory))


def _facts(memory: Memory[int]) -> TrainingMemory:
    state = memory.state
    facts = {
        "parameters": memory.parameters,
        "weights": state.weights,
        "gradients": state.gradients,
        "optimizer": state.optimizer,
        "stored": memory.stored,
        "working": memory.working,
        "checkpoint": memory.checkpoint,
    }
    return TrainingMemory(**{name: bounded(f"{name} of the block", size) for name, size in facts.items()})
