"""Instances of the inductive laws: the places, orders and addresses of one plan, as numbers alone.

The claims compare every number with the recurrence from the source. These laws ask of the same numbers what a reader
relies on: nothing overlaps, nothing is issued before what it needs, nothing is lost. They do so for neighbours in
order, which is as much as for all pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from blueprint.chunks import chunks_of
from blueprint.instances import member_count
from blueprint.ir.concrete import BufferBinding, ConcretePlanIR, QueueExtension, SlotExtension
from blueprint.ir.machine import MachineIR
from blueprint.ir.portable import Buffer
from blueprint.law import Arrangement, InductiveLaw
from blueprint.plan import LawCheck, TransitionPlan
from blueprint.rule import BoundaryRule, PassRule
from blueprint.term import Comparison, Const, Product, Sum, at_most, equal


@dataclass(frozen=True)
class Instance:
    """One form of a law over a plan: what it is about, how many there are and must be, and the comparisons."""

    form: str
    group: str
    members: int
    expected: int
    goal: tuple[Comparison, ...]


def add_inductive_laws(
    plan: TransitionPlan, rule: PassRule | BoundaryRule, instances: Mapping[Arrangement, Sequence[Instance]]
) -> None:
    """Every inductive law of a rule; not applicable where the plan arranges nothing of the kind."""
    for law in rule.laws:
        if isinstance(law, InductiveLaw):
            found = instances.get(law.arrangement, ())
            for instance in found or (Instance("this plan", law.arrangement.value, 0, 0, ()),):
                plan.laws.append(_check(plan, rule.id, law, instance, applicable=bool(found)))


def _check(plan: TransitionPlan, rule: str, law: InductiveLaw, instance: Instance, *, applicable: bool) -> LawCheck:
    asked = [member_count(instance.members, instance.expected), *chunks_of(instance.goal)] if applicable else []
    return LawCheck(
        id=law.id,
        rule=rule,
        form=instance.form,
        statement=law.statement,
        group=instance.group,
        members=instance.members,
        expected_members=instance.expected,
        obligations=tuple(plan.ask(each) for each in asked),
        applicable=applicable,
        vacuous=False,
        theorems=tuple((rule, law.id, bound.form) for bound in law.bounds),
    )


# Portable -> Concrete -----------------------------------------------------------------------------------------------


def layout_instances(
    bound: Sequence[Buffer], target: ConcretePlanIR, alignments: Mapping[str, int]
) -> Iterator[Instance]:
    """Every buffer is aligned, no two share a byte, and all fit the region. `alignments` gives a_i by source buffer."""
    count, total = len(target.buffers), len(bound)
    required = {buffer.id: buffer.alignment for buffer in bound}
    known = [each for each in target.buffers if each.source_buffer in required]
    aligned = [
        equal(Const(each.offset), Product((Const(step), Const(each.offset // step))))
        for each in known
        for step in {alignments[each.source_buffer]: None, required[each.source_buffer]: None}
    ]
    yield Instance("every offset is aligned", "buffers", count, total, tuple(aligned))
    yield Instance("no two buffers share a byte", "buffers", count, total, tuple(_apart(target.buffers)))
    fits = [at_most(Const(region.extent), Const(region.capacity)) for region in target.regions]
    yield Instance("every buffer fits its region", "regions", len(target.regions), 1, (*fits, *_ends(target)))


def _end(buffer: BufferBinding) -> Sum:
    return Sum((Const(buffer.offset), Const(buffer.size)))


def _ends(target: ConcretePlanIR) -> Iterator[Comparison]:
    """The last buffer of a region ends within its extent, and the others, which share no byte with it, before."""
    for region in target.regions:
        within = [each for each in target.buffers if each.region == region.id]
        if within:
            last = max(within, key=lambda each: each.offset)
            yield at_most(_end(last), Const(region.extent))


def _apart(buffers: Sequence[BufferBinding]) -> Iterator[Comparison]:
    ordered = sorted(buffers, key=lambda each: (each.region, each.offset))
    for before, after in pairwise(ordered):
        if before.region == after.region:
            yield at_most(_end(before), Const(after.offset))


def queue_instances(units: int, target: ConcretePlanIR, index: Mapping[str, int]) -> Iterator[Instance]:
    """Every command is in one queue, behind what it needs. `index` gives a command's topological index."""
    if not isinstance(target.extension, QueueExtension):
        return
    queues, tasks = target.extension.queues, units
    issued = sum(len(queue.order) for queue in queues)
    distinct = len({each for queue in queues for each in queue.order})
    yield Instance("every command is in one queue", "queues", distinct, tasks, (equal(Const(issued), Const(distinct)),))
    follows = [
        _later(index[before], index[after])
        for queue in queues
        for before, after in pairwise(queue.order)
        if before in index and after in index
    ]
    yield Instance("issue order is topological", "queues", issued, tasks, tuple(follows))
    places = {each: (queue.id, at) for queue in queues for at, each in enumerate(queue.order)}
    needed = [
        _later(places[each][1], places[command.id][1])
        for command in target.commands
        for each in command.dependencies
        if places[each][0] == places[command.id][0]
    ]
    yield Instance("a dependency is issued earlier", "queues", issued, tasks, tuple(needed))


def slot_instances(units: int, target: ConcretePlanIR) -> Iterator[Instance]:
    """Every command has a cycle and a slot of its own, after those of what it needs."""
    if not isinstance(target.extension, SlotExtension):
        return
    issues, tasks = target.extension.issues, units
    cycles = {issue.command: issue.cycle for issue in issues}
    needed = [_later(cycles[each], cycles[command.id]) for command in target.commands for each in command.dependencies]
    yield Instance("a dependency is issued earlier", "slots", len(issues), tasks, tuple(needed))
    ordered = sorted(issues, key=lambda issue: (issue.cycle, issue.slot))
    alone = [
        _later(before.slot, after.slot) if before.cycle == after.cycle else _later(before.cycle, after.cycle)
        for before, after in pairwise(ordered)
    ]
    yield Instance("no two share cycle and slot", "slots", len(issues), tasks, tuple(alone))


def _later(before: int, after: int) -> Comparison:
    """One number is less than another, as `before + 1 <= after`."""
    return at_most(Sum((Const(before), Const(1))), Const(after))


# Concrete -> Machine ------------------------------------------------------------------------------------------------


def section_instances(source: ConcretePlanIR, target: MachineIR) -> Iterator[Instance]:
    """The sections hold every command once, one section behind another, and an entry point reaches them all."""
    commands, sections = len(source.commands), target.sections
    held = sum(len(section.order) for section in sections)
    behind = [
        equal(Sum((Const(before.base), Const(len(before.order)))), Const(after.base))
        for before, after in pairwise(sections)
    ]
    ends = [equal(Sum((Const(each.base), Const(len(each.order)))), Const(commands)) for each in sections[-1:]]
    yield Instance("one section behind another", "sections", held, commands, (*behind, *ends))
    lengths = {section.id: len(section.order) for section in sections}
    entered = sum(lengths[each] for entry in target.entries for each in entry.sections)
    yield Instance("an entry point reaches every instruction", "entries", entered, commands, ())
