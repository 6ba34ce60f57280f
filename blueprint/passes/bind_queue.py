"""Portable -> Concrete for a target that is told what to do by queues."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from blueprint.ir.common import Stage
from blueprint.ir.concrete import Command, CommandKind, ConcretePlanIR, Queue, QueueCategory, QueueExtension, Wait
from blueprint.ir.portable import PortablePlanIR
from blueprint.passes.binding import Binding, generated
from blueprint.passes.protocol import PassContext, PassFacts
from blueprint.workload.order import Counts, no_counts

CATEGORIES: Final = {
    CommandKind.LAUNCH: QueueCategory.COMPUTE,
    CommandKind.COLLECTIVE: QueueCategory.COLLECTIVE,
    CommandKind.TRANSFER: QueueCategory.TRANSFER,
    CommandKind.BARRIER: QueueCategory.HOST,
    CommandKind.HOST_CALL: QueueCategory.HOST,
}
"""The queue that issues a command."""


class BindReferenceQueueTargetPass:
    """Bind a portable plan to the reference target with queues.

    Buffers are laid out in canonical order. For buffer i with size s_i and required alignment r_i, a power of two:

        a_i = max(16, r_i), o_0 = 0, o_i = ceil((o_{i-1} + s_{i-1}) / a_i) a_i

    and the capacity that they need is the end of the last one.

    Commands keep the topological order t_0, ..., t_{n-1} of their tasks and are partitioned into compute, collective,
    transfer and host queues. Each queue's issue order is the stable subsequence:

        position of t_i in its queue = number of its tasks among t_0, ..., t_{i-1}

    A dependency on a command of another queue is an explicit wait.

    A deterministic contract, no paper claim: it is no scheduler, and memory is not reused.
    """

    facts: ClassVar[PassFacts] = PassFacts(
        name="BindReferenceQueueTargetPass",
        revision=1,
        boundary=(Stage.PORTABLE, Stage.CONCRETE),
        provenance=("deterministic contract of the reference target, no paper claim",),
        bindings=("strategy", "target", "deployment"),
        normal_form="one command a task, one aligned recurrence of buffers, stable subsequences as issue orders",
    )

    def run(self, ir: PortablePlanIR, context: PassContext) -> ConcretePlanIR:
        """Bind the plan. Raises DomainError where a place exceeds the IR's limit, or no target is named."""
        binding = Binding(ir, context.request)
        return binding.snapshot(QueueExtension(queues=_queues(binding), waits=_waits(binding.commands)))


def _queues(binding: Binding) -> tuple[Queue, ...]:
    """The queues that have a command, each in issue order."""
    counts: Counts[int] = no_counts(len(QueueCategory))
    placed: dict[QueueCategory, dict[int, str]] = {}
    for command in binding.commands:
        category = CATEGORIES[command.kind]
        indicators = tuple(1 if each is category else 0 for each in QueueCategory)
        placed.setdefault(category, {})[counts.position(indicators)] = command.id
        counts = counts.after(indicators)
    return tuple(_queue(binding, each, placed[each]) for each in QueueCategory if each in placed)


def _queue(binding: Binding, category: QueueCategory, placed: Mapping[int, str]) -> Queue:
    lineage, name = generated("binding.queue"), category.value
    return Queue(
        id=binding.identify("queue", name, lineage),
        name=name,
        lineage=lineage,
        category=category,
        order=tuple(placed[position] for position in sorted(placed)),
    )


def _waits(commands: tuple[Command, ...]) -> tuple[Wait, ...]:
    """One wait for each dependency on a command of another queue, in the order of the commands."""
    categories = {command.id: CATEGORIES[command.kind] for command in commands}
    return tuple(
        Wait(command=command.id, on=each)
        for command in commands
        for each in command.dependencies
        if categories[each] is not categories[command.id]
    )
