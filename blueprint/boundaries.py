"""What the engine asks of a snapshot of each stage, and of each pair of adjacent ones: the one place that knows all.

It also says what of a report a bundle records.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from blueprint.bundle import RecordedLaw, RecordedReport, Snapshot
from blueprint.concrete_transition import plan_concrete
from blueprint.diagnostic import Diagnostic
from blueprint.errors import GateError
from blueprint.ir.common import Stage
from blueprint.ir.concrete import ConcretePlanIR
from blueprint.ir.concrete_checks import check_concrete
from blueprint.ir.distributed import DistributedTaskIR
from blueprint.ir.distributed_checks import check_distributed
from blueprint.ir.machine import MachineIR
from blueprint.ir.machine_checks import check_machine
from blueprint.ir.model import ModelIR
from blueprint.ir.model_checks import check_model
from blueprint.ir.portable import PortablePlanIR
from blueprint.ir.portable_checks import check_portable
from blueprint.machine_transition import plan_machine
from blueprint.outcome import ObligationRow, TransitionReport
from blueprint.passes.protocol import PassContext
from blueprint.plan import TransitionPlan
from blueprint.rulebook import Rulebook
from blueprint.transition import plan_distributed, plan_portable

SCHEMAS: Final[Mapping[Stage, type[Snapshot]]] = {
    Stage.MODEL: ModelIR,
    Stage.DISTRIBUTED: DistributedTaskIR,
    Stage.PORTABLE: PortablePlanIR,
    Stage.CONCRETE: ConcretePlanIR,
    Stage.MACHINE: MachineIR,
}
"""What the snapshot of a stage is."""


def structural_faults(snapshot: Snapshot) -> list[Diagnostic]:
    """Every structural fault of a snapshot of any stage."""
    match snapshot:
        case ModelIR():
            return list(check_model(snapshot))
        case DistributedTaskIR():
            return list(check_distributed(snapshot))
        case PortablePlanIR():
            return list(check_portable(snapshot))
        case ConcretePlanIR():
            return list(check_concrete(snapshot))
        case MachineIR():
            return list(check_machine(snapshot))


def plan_transition(
    rulebook: Rulebook, context: PassContext, ancestors: tuple[Snapshot, ...], target: Snapshot
) -> TransitionPlan:
    """What must hold between the last ancestor and a target; laws are resolved through all ancestors."""
    match (*ancestors, target):
        case (ModelIR() as model, DistributedTaskIR() as distributed):
            return plan_distributed(rulebook, context.request, context.branch, model, distributed)
        case (ModelIR() as model, DistributedTaskIR() as distributed, PortablePlanIR() as plan):
            return plan_portable(rulebook, context.request, context.branch, model, distributed, plan)
        case (*_, PortablePlanIR() as plan, ConcretePlanIR() as concrete):
            return plan_concrete(rulebook, context.request, plan, concrete)
        case (*_, ConcretePlanIR() as concrete, MachineIR() as machine):
            return plan_machine(rulebook, context.request, concrete, machine)
        case _:
            raise GateError("these stages are not adjacent", code="gate.stages")


def recorded_report(transition: TransitionReport, obligations: tuple[ObligationRow, ...]) -> RecordedReport:
    """The part of a report that a bundle carries: nothing in it depends on a solver's version."""
    claims: dict[str, int] = {}
    used: set[int] = set()
    for relation in transition.relations:
        for claim in relation.claims:
            claims[claim.kind] = claims.get(claim.kind, 0) + 1
            used.add(claim.obligation)
    for law in transition.laws:
        used.update(law.obligations)
    coverage = transition.coverage
    return RecordedReport(
        coverage={name: int(getattr(coverage, name)) for name in coverage.__struct_fields__ if name != "exact"},
        cardinality={kind: int(count) for kind, count in transition.cardinality.items()},
        claims=claims,
        obligations=tuple(sorted(obligations[position].digest for position in used)),
        laws=tuple(
            RecordedLaw(id=law.id, form=law.form, members=int(law.members), status=law.status.value)
            for law in transition.laws
        ),
        relation_verified=transition.relation_verified,
        canonical_conformant=bool(transition.canonical_conformant),
    )


def with_verdicts_of(report: RecordedReport, other: RecordedReport) -> RecordedReport:
    """A record with another's verdicts, so that only what no solver decides is left to differ."""
    statuses = {(law.id, law.form): law.status for law in other.laws}
    laws = tuple(
        msgspec.structs.replace(law, status=statuses.get((law.id, law.form), law.status)) for law in report.laws
    )
    return msgspec.structs.replace(report, laws=laws, relation_verified=other.relation_verified)
