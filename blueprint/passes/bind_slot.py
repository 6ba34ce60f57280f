"""Portable -> Concrete for a target that is told what to do by cycles and slots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from blueprint.errors import DomainError
from blueprint.ir.common import Stage
from blueprint.ir.concrete import Command, CommandKind, ConcretePlanIR, Device, Issue, Route, SlotExtension
from blueprint.ir.portable import PortablePlanIR
from blueprint.passes.binding import Binding
from blueprint.passes.protocol import PassContext, PassFacts
from blueprint.workload.order import next_index, slot_of


class BindReferenceSlotTargetPass:
    """Bind a portable plan to the reference target with issue slots.

    Buffers are laid out by the recurrence of the queue target:

        a_i = max(16, r_i), o_0 = 0, o_i = ceil((o_{i-1} + s_{i-1}) / a_i) a_i

    and the capacity that they need is the end of the last one.

    In the topological order t_0, ..., t_{n-1} of the tasks

        issue(t_i) = (cycle i, slot 0)

    so a dependency t_j -> t_i, which has j < i, is issued in an earlier cycle. A transfer gets a route between two
    devices.

    A deterministic contract, no paper claim: it is no scheduler, and memory is not reused.
    """

    facts: ClassVar[PassFacts] = PassFacts(
        name="BindReferenceSlotTargetPass",
        revision=1,
        boundary=(Stage.PORTABLE, Stage.CONCRETE),
        provenance=("deterministic contract of the reference target, no paper claim",),
        bindings=("strategy", "target", "deployment"),
        normal_form="one command a task, one aligned recurrence of buffers, one cycle a command in slot 0",
    )

    def run(self, ir: PortablePlanIR, context: PassContext) -> ConcretePlanIR:
        """Bind the plan. Raises DomainError as `routes`, and where no target is named or a place is beyond the IR."""
        binding = Binding(ir, context.request)
        return binding.snapshot(
            SlotExtension(issues=_issues(binding.commands), routes=routes(binding.commands, binding.devices))
        )


def _issues(commands: Sequence[Command]) -> tuple[Issue, ...]:
    issues, index = [], 0
    for command in commands:
        issued = slot_of(index)
        issues.append(Issue(command=command.id, cycle=issued.cycle, slot=issued.slot))
        index = next_index(index)
    return tuple(issues)


def routes(commands: Sequence[Command], devices: Sequence[Device]) -> tuple[Route, ...]:
    """One route for each transfer: from the first to the second of its devices.

    Raises DomainError where there are transfers and fewer than two devices.
    """
    transfers = [command for command in commands if command.kind is CommandKind.TRANSFER]
    if transfers and len(devices) < 2:
        raise DomainError(
            f"transfer {transfers[0].name} needs two devices, there is {len(devices)}: a slot target routes every"
            " transfer from one device to another",
            path="deployment.devices",
        )
    return tuple(Route(command=each.id, source=each.devices[0], destination=each.devices[1]) for each in transfers)
