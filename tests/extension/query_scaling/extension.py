"""The operation `query_scale` in both workloads, and two passes about what it costs."""

from typing import ClassVar

import msgspec

from blueprint.analyses import AnalysisKey
from blueprint.case import Workload
from blueprint.extension import Extension, ExtensionPass
from blueprint.ir.common import Stage
from blueprint.ir.portable import PortablePlanIR
from blueprint.passes.protocol import PassContext, PassFacts, VerificationPolicy
from blueprint.workload.dims import N
from blueprint.workload.extension import ElementwiseOperation
from blueprint.workload.primitives import PhaseWork, TaskWork


def query_scale(elements: N, e: N) -> PhaseWork[N]:
    """One multiplication an element each way; the gradient reads nothing but the result's gradient."""
    once = TaskWork(elements, elements * e, elements * e)
    return PhaseWork(forward=once, activation_gradient=once)


TRAINING = ElementwiseOperation(
    kind="query_scale",
    source="query_projection",
    readers=("scores",),
    workload=Workload.TRAINING,
    primitive="query_scale",
    work=query_scale,
    keeps_inputs=False,
    rule="scaling.training_tasks",
    tensor_rule="scaling.training_tensor",
)

INFERENCE = ElementwiseOperation(
    kind="query_scale",
    source="query_projection",
    readers=("scores",),
    workload=Workload.INFERENCE,
    primitive="query_scale",
    work=query_scale,
    keeps_inputs=False,
    rule="scaling.inference_tasks",
    tensor_rule="scaling.inference_tensor",
)


class ScaleCost(msgspec.Struct, frozen=True):
    """What scaling the queries costs one rank, beside what the whole plan does."""

    tasks: int
    operations: int
    moved: int
    all_operations: int
    all_moved: int


class ScaleShare(msgspec.Struct, frozen=True):
    """The share of the plan's operations and bytes that scale queries, in millionths, rounded down."""

    operations: int
    moved: int


COST = AnalysisKey("query-scale-cost", 1, ScaleCost)
SHARE = AnalysisKey("query-scale-share", 1, ScaleShare)


class ScaleCostPass:
    """Operations and bytes of all tasks that scale queries, of one rank."""

    facts: ClassVar[PassFacts] = PassFacts(
        name="ScaleCostPass",
        revision=1,
        boundary=(Stage.PORTABLE, Stage.PORTABLE),
        provenance=("definition",),
        bindings=(),
        normal_form="",
        produces=(COST,),
        policy=VerificationPolicy.UNCHANGED,
    )

    def run(self, ir: PortablePlanIR, context: PassContext) -> PortablePlanIR:
        """Leave the cost, and the plan as it is."""
        scaling = [task for task in ir.tasks if task.primitive == "query_scale"]
        context.analyses.put(
            COST,
            ScaleCost(
                tasks=len(scaling),
                operations=sum(task.work.operations for task in scaling),
                moved=sum(task.work.read_bytes + task.work.write_bytes for task in scaling),
                all_operations=sum(task.work.operations for task in ir.tasks),
                all_moved=sum(task.work.read_bytes + task.work.write_bytes for task in ir.tasks),
            ),
        )
        return ir


class ScaleSharePass:
    """The share of what the plan does that scales queries."""

    facts: ClassVar[PassFacts] = PassFacts(
        name="ScaleSharePass",
        revision=1,
        boundary=(Stage.PORTABLE, Stage.PORTABLE),
        provenance=("definition",),
        bindings=(),
        normal_form="",
        requires=(COST,),
        produces=(SHARE,),
        policy=VerificationPolicy.UNCHANGED,
    )

    def run(self, ir: PortablePlanIR, context: PassContext) -> PortablePlanIR:
        """Leave the share, and the plan as it is."""
        cost = context.analyses.get(COST)
        context.analyses.put(
            SHARE,
            ScaleShare(
                operations=1_000_000 * cost.operations // cost.all_operations,
                moved=1_000_000 * cost.moved // cost.all_moved,
            ),
        )
        return ir


EXTENSION = Extension(
    operations=(TRAINING, INFERENCE),
    passes=(ExtensionPass(ScaleCostPass()), ExtensionPass(ScaleSharePass())),
)
