"""Plans of many buffers, for measuring how long it takes to lay them out and to verify the layout."""

from __future__ import annotations

import time
from typing import NamedTuple

from blueprint.codec import entity_id
from blueprint.concrete_transition import plan_concrete
from blueprint.discharge import SolverPool
from blueprint.frontend.models import builtin
from blueprint.frontend.request import training_request
from blueprint.ir.common import SCHEMA_VERSIONS, Branch, DType, Header, Lineage, LineageKind, Role, Stage
from blueprint.ir.concrete_checks import check_concrete
from blueprint.ir.portable import Buffer, Objective, PortablePlanIR, StorageClass, TrainingMemory
from blueprint.ir.request import Request, TargetKind
from blueprint.passes.bind_queue import BindReferenceQueueTargetPass
from blueprint.passes.protocol import PassContext
from blueprint.session import open_rulebook, open_theorems
from blueprint.verifier import Settled, Step, TransitionVerifier

VERSION = SCHEMA_VERSIONS[Stage.PORTABLE]
PARENT = "0" * 64


class Measured(NamedTuple):
    """Seconds of binding, of asking and deciding, and what was established."""

    buffers: int
    binding: float
    verifying: float
    obligations: int
    proved: bool


def request() -> Request:
    """Any request for a queue target on one rank."""
    return training_request(builtin("gpt2"), sequence=128, target=TargetKind.QUEUE)


def plan_of(count: int) -> PortablePlanIR:
    """Buffers of sizes and alignments that hardly repeat, and no task."""
    return PortablePlanIR(
        header=Header(stage=Stage.PORTABLE, version=VERSION, parent=PARENT),
        inputs=(),
        outputs=(),
        buffers=tuple(_buffer(number) for number in range(count)),
        tasks=(),
        memory=TrainingMemory(parameters=0, weights=0, gradients=0, optimizer=0, stored=0, working=0, checkpoint=0),
        alternatives=(),
        objectives=(Objective.STEP_TIME,),
    )


def _buffer(number: int) -> Buffer:
    source = f"value:{number:064x}"
    lineage = Lineage(kind=LineageKind.LOWERED, transform="planning.buffer", sources=(source,))
    name = f"b{number:07d}"
    return Buffer(
        id=entity_id("buffer", VERSION, PARENT, lineage.transform, lineage.sources, name),
        name=name,
        lineage=lineage,
        source_value=source,
        role=Role.ACTIVATION,
        dtype=DType.BFLOAT16,
        size=1 + number * 7919 % 1_000_003,
        alignment=1 << number % 9,
        storage=StorageClass.STEP,
        consumers=(),
    )


def settled(count: int, verifier: TransitionVerifier) -> tuple[Measured, Settled]:
    """Bind a plan of so many buffers, check it, ask its claims and laws, and have them decided."""
    asked, source = request(), plan_of(count)
    start = time.perf_counter()
    target = BindReferenceQueueTargetPass().run(source, PassContext(asked, PARENT))
    bound = time.perf_counter()
    faults = list(check_concrete(target))
    plan = plan_concrete(verifier.rulebook, asked, source, target)
    found = verifier.settle([Step(plan, Branch.MAIN, "", conformant=True)])
    end = time.perf_counter()
    established = not faults and found.transitions[0].relation_verified
    return Measured(count, bound - start, end - bound, len(found.obligations), established), found


def measured(count: int, jobs: int) -> Measured:
    """As `settled`, with workers that have loaded Z3 before the clock starts."""
    rulebook = open_rulebook(None)
    with SolverPool(jobs) as pool:
        verifier = TransitionVerifier(rulebook, open_theorems(rulebook), pool)
        settled(10, verifier)
        return settled(count, verifier)[0]
