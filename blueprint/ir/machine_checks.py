"""Structural checks of MachineIR."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from blueprint.diagnostic import Diagnostic
from blueprint.ir import structure
from blueprint.ir.common import Stage
from blueprint.ir.concrete_checks import once_each
from blueprint.ir.distributed_checks import check_ranks
from blueprint.ir.machine import CollectiveOperand, MachineIR


def check_machine(ir: MachineIR) -> Iterator[Diagnostic]:
    """Yield every structural fault of a machine snapshot."""
    header = ir.header
    yield from structure.check_header(header, Stage.MACHINE)
    for kind, entities in (("instruction", ir.instructions), ("section", ir.sections), ("entry", ir.entries)):
        yield from structure.check_ids(kind, header.version, header.parent, entities)
        yield from structure.check_unique(entities)
    instructions = {instruction.id: instruction for instruction in ir.instructions}
    sections = {section.id: section for section in ir.sections}
    for instruction in ir.instructions:
        yield from structure.check_known(instruction.name, instruction.dependencies, instructions)
        yield from structure.check_distinct(instruction.name, instruction.dependencies)
        for operand in instruction.operands:
            if isinstance(operand, CollectiveOperand):
                yield from check_ranks(instruction.name, operand.participants)
    for section in ir.sections:
        yield from structure.check_known(section.name, section.order, instructions)
    yield from once_each(ir.instructions, Counter(each for section in ir.sections for each in section.order), "section")
    for entry in ir.entries:
        yield from structure.check_known(entry.name, entry.sections, sections)
        yield from structure.check_distinct(entry.name, entry.sections)
    if any(after.base < before.base for before, after in pairwise(ir.sections)):
        yield Diagnostic(
            code="structure.order", message="the sections are not in the order of their bases", path="sections"
        )
    yield from _reached(ir)
    known = {each.id: [one for one in each.dependencies if one in instructions] for each in ir.instructions}
    yield from structure.check_order(ir.instructions, known)


def _reached(ir: MachineIR) -> Iterator[Diagnostic]:
    """Some entry point reaches every instruction."""
    entered = {each for entry in ir.entries for each in entry.sections}
    reached = {each for section in ir.sections if section.id in entered for each in section.order}
    for instruction in ir.instructions:
        if instruction.id not in reached:
            message = "no entry point reaches this instruction"
            yield Diagnostic(code="structure.unreachable", message=message, path=instruction.name)
