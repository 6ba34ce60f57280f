"""One small, good snapshot of every stage."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from blueprint.frontend.block import model_ir
from blueprint.frontend.models import builtin
from blueprint.frontend.request import training_request
from blueprint.ir.distributed import DistributedTaskIR
from blueprint.ir.model import ModelIR
from blueprint.ir.portable import PortablePlanIR
from blueprint.ir.request import Communication, Recompute
from blueprint.passes.distribute_training import DistributeTransformerTrainingPass
from blueprint.passes.plan_training import PlanTransformerTrainingPass
from blueprint.passes.protocol import PassContext


@dataclass(frozen=True)
class Good:
    model: ModelIR
    distributed: DistributedTaskIR
    portable: PortablePlanIR


@pytest.fixture(scope="session")
def good() -> Good:
    request = training_request(
        builtin("gpt2"),
        sequence=64,
        tensor=2,
        recompute=Recompute.SELECTIVE,
        communication=Communication.SEQUENCE_PARALLEL,
    )
    context = PassContext(request, "0" * 64)
    model = model_ir(request)
    distributed = DistributeTransformerTrainingPass().run(model, context)
    return Good(model, distributed, PlanTransformerTrainingPass().run(distributed, context))
