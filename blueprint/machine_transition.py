"""The boundary Concrete -> Machine as questions: instructions, sections, the entry point, and the law about them."""

from __future__ import annotations

from blueprint.arrangements import add_inductive_laws, section_instances
from blueprint.case import case_of, workload_of
from blueprint.chunks import relate_all
from blueprint.claims.machine import (
    MachineView,
    entry_question,
    instruction_question,
    machine_interface_question,
    section_question,
)
from blueprint.claims.matched import Matched, Pair
from blueprint.concrete_transition import asked_of, images_of, snapshot_relation
from blueprint.expected_bound import ExpectedEntry, ExpectedInstruction, ExpectedSection
from blueprint.expected_concrete import machine_relations, queues_of
from blueprint.facts import Question
from blueprint.ir.concrete import ConcretePlanIR
from blueprint.ir.machine import EntryPoint, Instruction, MachineIR, Section
from blueprint.ir.request import Request
from blueprint.law import Arrangement
from blueprint.matching import BoundEntity, match_relations
from blueprint.plan import TransitionPlan
from blueprint.rule import CONCRETE_TO_MACHINE, BoundaryRule, Claim, PassRule
from blueprint.rulebook import Rulebook


def plan_machine(rulebook: Rulebook, request: Request, source: ConcretePlanIR, target: MachineIR) -> TransitionPlan:
    """What must hold between a concrete plan and the machine's program.

    Commands and queues are emitted; devices, regions and buffers enter through the operands of instructions.
    """
    workload = workload_of(request)
    rules = rulebook.pass_rules(CONCRETE_TO_MACHINE, workload)
    known = {each.id for each in source.commands} | {each.id for each in queues_of(source)}
    entities: tuple[BoundEntity, ...] = (*target.instructions, *target.sections, *target.entries)
    matching = match_relations(machine_relations(source, rules), entities, known, rules)
    boundary = (CONCRETE_TO_MACHINE[0].value, CONCRETE_TO_MACHINE[1].value)
    plan = TransitionPlan(boundary, matching.coverage, case_of(request), diagnostics=matching.diagnostics)
    sections = {expected.name: found for expected, found in matching.pairs if isinstance(expected, ExpectedSection)}
    view = MachineView(source, target, images_of(matching.matched), sections)
    found = _Found(target)
    relations = [asked_of(matched, found.questions(matched, view)) for matched in matching.matched]
    boundary_rules = rulebook.boundary_rules(CONCRETE_TO_MACHINE, workload)
    of_program = {Claim.INTERFACE: machine_interface_question(view, target)}
    relations += [snapshot_relation(rule.id, rule.claims, of_program) for rule in boundary_rules if rule.claims]
    relate_all(plan, relations)
    instances = {Arrangement.SECTIONS: tuple(section_instances(source, target))}
    stating: tuple[PassRule | BoundaryRule, ...] = (*rules, *boundary_rules)
    for rule in stating:
        add_inductive_laws(plan, rule, instances)
    return plan


class _Found:
    """The entities of a program by id."""

    def __init__(self, target: MachineIR) -> None:
        self.instructions: dict[str, Instruction] = {each.id: each for each in target.instructions}
        self.sections: dict[str, Section] = {each.id: each for each in target.sections}
        self.entries: dict[str, EntryPoint] = {each.id: each for each in target.entries}

    def questions(self, matched: Matched, view: MachineView) -> list[tuple[Claim, Question]]:
        """What the claims of a relation ask of the entities found for it."""
        asked = []
        for claim in matched.relation.rule.claims:
            for expected, found in matched.pairs[:1]:
                match expected:
                    case ExpectedInstruction():
                        pair = Pair(expected, self.instructions[found])
                        asked.append((claim, instruction_question(claim, pair, view)))
                    case ExpectedSection():
                        sections = [Pair(expected, self.sections[found])]
                        asked.append((claim, section_question(claim, sections, view)))
                    case ExpectedEntry():
                        entries = [Pair(expected, self.entries[found])]
                        asked.append((claim, entry_question(claim, entries, view)))
        return asked
