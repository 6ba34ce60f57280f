"""Portable -> Concrete for a target that is told what to do by cycles and slots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from blueprint.ir.common import Primitive, Stage
from blueprint.ir.concrete import Command, ConcretePlanIR, Issue, Route, SlotExtension
from blueprint.ir.portable import PortablePlanIR
from blueprint.ir.request import Neighbour, neighbours_of
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

    An attention core that the target fuses is one command, in the place of its last task, and without its scores:

        W_fused = W_scores + W_softmax + W_context
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
        """Bind the plan. Raises DomainError where no target is named, or a place is beyond the IR."""
        binding = Binding(ir, context.request)
        return binding.snapshot(SlotExtension(issues=_issues(binding.commands), routes=routes(binding)))


def _issues(commands: Sequence[Command]) -> tuple[Issue, ...]:
    issues, index = [], 0
    for command in commands:
        issued = slot_of(index)
        issues.append(Issue(command=command.id, cycle=issued.cycle, slot=issued.slot))
        index = next_index(index)
    return tuple(issues)


def routes(binding: Binding) -> tuple[Route, ...]:
    """One route for each transfer: between the group's first device and one of the stage beside it.

    Activations come from the stage before and go to the one after, gradients the other way. That there is a device of
    each such stage, a request must say.
    """
    sending = {binding.command_ids[task.id] for task in binding.ir.tasks if task.primitive == Primitive.SEND}
    return tuple(
        _route(binding, command, command.peer, sent=command.id in sending)
        for command in binding.commands
        if isinstance(command.peer, Neighbour)
    )


def _route(binding: Binding, command: Command, peer: Neighbour, *, sent: bool) -> Route:
    strategy = binding.request.strategy
    there = binding.devices[strategy.tensor :][neighbours_of(strategy).index(peer)].id
    here = binding.devices[0].id
    source, destination = (here, there) if sent else (there, here)
    return Route(command=command.id, source=source, destination=destination)
