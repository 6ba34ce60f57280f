"""Model -> Distributed for one training block."""

from __future__ import annotations

from typing import ClassVar

from blueprint.ir.common import Primitive, Stage
from blueprint.ir.distributed import DistributedTaskIR
from blueprint.ir.model import ModelIR
from blueprint.ir.request import Scope, blocks_of
from blueprint.passes.distribution import Distribution
from blueprint.passes.protocol import PassContext, PassFacts
from blueprint.workload.dims import dims_of
from blueprint.workload.stage import training_stage
from blueprint.workload.training_block import training_block


class DistributeTransformerTrainingPass:
    """Expand one training block into the tasks of one tensor-parallel group.

    With B sequences of S tokens in a microbatch, hidden width H, feed-forward width F, tensor-parallel degree t and
    e bytes an element, per rank:

        W = 2 m n k for a matrix product [m,n] x [n,k]
        W_QKV = 6 B S H^2 / t
        W_attention_matmul = 4 B S^2 H / t
        W_out = 2 B S H^2 / t
        W_MLP = 4 B S H F / t
        M_TP = B S H e
        W_reduce = B S H (t - 1) / t

    The derivation emits forward, recompute, recommunication, activation-gradient, weight-gradient, optimizer and
    collective tasks. It attaches no latency and chooses no collective algorithm.
    """

    facts: ClassVar[PassFacts] = PassFacts(
        name="DistributeTransformerTrainingPass",
        revision=1,
        boundary=(Stage.MODEL, Stage.DISTRIBUTED),
        provenance=(
            "Shoeybi et al., Megatron-LM",
            "Narayanan et al., Efficient Large-Scale Language Model Training",
            "Korthikanti et al., Reducing Activation Recomputation",
        ),
        bindings=("model", "workload", "strategy"),
        normal_form="training_block over the request's dimensions, in canonical order",
    )

    def run(self, ir: ModelIR, context: PassContext) -> DistributedTaskIR:
        """Derive the tasks and values of ranks 0 .. t-1. Raises DomainError where a degree does not divide."""
        request = context.request
        dims, stack = dims_of(request, context.added), request.strategy.scope is Scope.STACK
        block = training_stage(dims, blocks_of(request.model, request.strategy)) if stack else training_block(dims)
        made = {tensor.version for tensor in block.tensors}
        received = {name for step in block.steps if step.primitive == Primitive.RECEIVE for name in step.writes}
        emission = Distribution("training", ir, context, block)
        parameters = emission.parameter_ids
        inputs = (
            *emission.named(ir.inputs, "forward"),
            *emission.named(parameters, "forward"),
            *emission.named(ir.outputs, "gradient"),
        )
        return emission.snapshot(
            inputs=tuple(name for name in inputs if name not in received),
            outputs=(
                *emission.named(ir.outputs, "forward"),
                *emission.named(ir.inputs, "gradient"),
                *emission.named(parameters, "updated_gathered" if "updated_gathered" in made else "updated"),
            ),
        )
