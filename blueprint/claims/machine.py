"""Claims of the boundary Concrete -> Machine: every instruction is its command, at its command's place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final

import msgspec

from blueprint.claims.concrete import collective_facts
from blueprint.claims.matched import Pair
from blueprint.expected_bound import ExpectedEntry, ExpectedInstruction, ExpectedSection
from blueprint.expected_concrete import SLOTS, queues_of
from blueprint.facts import Question
from blueprint.ir.common import Stage
from blueprint.ir.concrete import Command, ConcretePlanIR, SlotExtension
from blueprint.ir.distributed import Collective
from blueprint.ir.machine import (
    CollectiveOperand,
    EntryPoint,
    Instruction,
    MachineIR,
    MemoryOperand,
    Opcode,
    PeerOperand,
    Section,
)
from blueprint.ir.request import Neighbour
from blueprint.rule import Claim

NOWHERE: Final = ("", -1)
"""The place of an instruction that no section holds."""


class MachineView:
    """A concrete plan, and the instructions and sections found for it, the latter by the name they must have."""

    def __init__(
        self, source: ConcretePlanIR, target: MachineIR, found: Mapping[str, str], sections: Mapping[str, str]
    ) -> None:
        self.source = source
        self.found = found
        self.buffers = {buffer.id: buffer for buffer in source.buffers}
        self.regions = {region.id: region.name for region in source.regions}
        self.orders = dict(orders(source))
        self.places = {command: (name, at) for name, order in self.orders.items() for at, command in enumerate(order)}
        lengths = [len(order) for order in self.orders.values()]
        self.bases = dict(zip(self.orders, accumulate(lengths, initial=0), strict=False))
        self.sections = sections
        names = {identifier: name for name, identifier in sections.items()}
        self.held = {
            each: (names.get(section.id, section.id), at)
            for section in target.sections
            for at, each in enumerate(section.order)
        }

    def images(self, sources: Sequence[str]) -> list[str]:
        """The instructions found for commands; a missing one matches nothing."""
        return [self.found.get(each, f"missing {each}") for each in sources]


def orders(source: ConcretePlanIR) -> Iterator[tuple[str, Sequence[str]]]:
    """Section name -> commands in issue order: of each queue, or of all cycles and slots."""
    for queue in queues_of(source):
        yield queue.name, queue.order
    if isinstance(source.extension, SlotExtension):
        ordered = sorted(source.extension.issues, key=lambda issue: (issue.cycle, issue.slot))
        yield SLOTS, [issue.command for issue in ordered]


def instruction_question(claim: Claim, pair: Pair[ExpectedInstruction, Instruction], view: MachineView) -> Question:
    """The facts that a claim asserts of one instruction."""
    question = Question()
    source, actual, name = pair.expected.command, pair.actual, pair.expected.name
    match claim:
        case Claim.TASK_CATEGORY:
            question.word(f"{name}.opcode", actual.opcode, Opcode(source.kind.value))
        case Claim.IMPLEMENTATION:
            question.names(f"{name}.implementation", [actual.implementation], [source.implementation])
        case Claim.OPERANDS:
            _operands(question, name, source, actual, view)
        case Claim.COLLECTIVE_VOLUME:
            _collective(question, name, source, actual)
        case Claim.DEPENDENCY_TOPOLOGY:
            question.names(f"{name}.dependencies", actual.dependencies, view.images(source.dependencies))
        case Claim.ISSUE_ORDER:
            section, position = view.places[source.id]
            held = view.held.get(actual.id, NOWHERE)
            question.names(f"{name}.section", [held[0]], [section])
            question.number(f"{name}.position", held[1], question.given("position of its command", position))
        case _:
            raise ValueError(claim)
    return question


def _operands(question: Question, name: str, source: Command, actual: Instruction, view: MachineView) -> None:
    """The memory operands are the bound places of what the command uses, in its order."""
    memory = [operand for operand in actual.operands if isinstance(operand, MemoryOperand)]
    leading = actual.operands[: len(memory)] == tuple(memory)
    question.word(f"{name}.operands.memory_first", leading, expected=True)
    question.number(f"{name}.operands count", len(memory), question.given("buffers used", len(source.uses)))
    _peer(question, name, source, actual)
    for at, (operand, use) in enumerate(zip(memory, source.uses, strict=False)):
        bound, label = view.buffers[use.buffer], f"{name}.operands[{at}]"
        question.names(f"{label}.region", [operand.region], [view.regions[bound.region]])
        question.number(f"{label}.offset", operand.offset, question.given(f"offset of {bound.name}", bound.offset))
        question.number(f"{label}.size", operand.size, question.given(f"size of {bound.name}", bound.size))
        question.word(f"{label}.mode", operand.mode, use.mode)


def _peer(question: Question, name: str, source: Command, actual: Instruction) -> None:
    """A transfer says with which stage it exchanges, and nothing else does."""
    found = [operand.stage.value for operand in actual.operands if isinstance(operand, PeerOperand)]
    question.names(f"{name}.peer", found, [source.peer.value] if isinstance(source.peer, Neighbour) else [])


def _collective(question: Question, name: str, source: Command, actual: Instruction) -> None:
    found = [operand for operand in actual.operands if isinstance(operand, CollectiveOperand)]
    wanted = int(isinstance(source.collective, Collective))
    question.number(f"{name}.collectives count", len(found), question.given("collectives", wanted))
    first: Collective | msgspec.UnsetType = msgspec.UNSET
    if found:
        first = Collective(
            kind=found[0].collective,
            axis=found[0].axis,
            participants=found[0].participants,
            reduction=found[0].reduction,
            message_bytes=found[0].message_bytes,
        )
    collective_facts(question, f"{name}.collective", first, source.collective)


def section_question(claim: Claim, pairs: Sequence[Pair[ExpectedSection, Section]], view: MachineView) -> Question:
    """A section begins behind those before it, and is as long as its queue."""
    question = Question()
    if claim is not Claim.ISSUE_ORDER:
        raise ValueError(claim)
    for pair in pairs:
        name = pair.expected.name
        base = question.given(f"commands before {name}", view.bases[name])
        question.number(f"{name}.base", pair.actual.base, base)
        length = question.given(f"commands of {name}", len(view.orders[name]))
        question.number(f"{name}.length", len(pair.actual.order), length)
    return question


def entry_question(claim: Claim, pairs: Sequence[Pair[ExpectedEntry, EntryPoint]], view: MachineView) -> Question:
    """The entry point lists every section, in order."""
    question = Question()
    if claim is not Claim.ENTRY:
        raise ValueError(claim)
    sections = [view.sections.get(name, f"missing {name}") for name in view.orders]
    for pair in pairs:
        question.names(f"{pair.expected.name}.sections", pair.actual.sections, sections)
    return question


def machine_interface_question(view: MachineView, target: MachineIR) -> Question:
    """The program is for the plan's target."""
    question = Question()
    question.names("target", [target.target], [view.source.target])
    question.names("header.stage", [target.header.stage.value], [Stage.MACHINE.value])
    return question
