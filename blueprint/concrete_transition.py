"""The boundary Portable -> Concrete as questions: places, commands, issue orders, and the laws about them."""

from __future__ import annotations

from collections.abc import Sequence

from blueprint.arrangements import (
    Instance,
    add_inductive_laws,
    layout_instances,
    queue_instances,
    slot_instances,
)
from blueprint.capacities import add_workspace_laws
from blueprint.case import case_of, workload_of
from blueprint.chunks import Asked, relate_all
from blueprint.claims.concrete import (
    ConcreteView,
    binding_question,
    command_question,
    concrete_interface_question,
    device_question,
    queue_question,
    region_question,
    routes_question,
    workspace_question,
)
from blueprint.claims.matched import Matched, Pair
from blueprint.errors import RulebookError
from blueprint.expected_bound import (
    ExpectedBinding,
    ExpectedCommand,
    ExpectedDevice,
    ExpectedQueue,
    ExpectedRegion,
)
from blueprint.expected_concrete import concrete_relations, queues_of
from blueprint.facts import Question
from blueprint.ir.concrete import ConcretePlanIR, Device, Queue
from blueprint.ir.portable import InferenceMemory, PortablePlanIR
from blueprint.ir.request import Request
from blueprint.law import Arrangement
from blueprint.matching import BoundEntity, match_relations
from blueprint.plan import TransitionPlan
from blueprint.rule import PORTABLE_TO_CONCRETE, BoundaryRule, Claim, PassRule
from blueprint.rulebook import Rulebook


def plan_concrete(
    rulebook: Rulebook, request: Request, source: PortablePlanIR, target: ConcretePlanIR
) -> TransitionPlan:
    """What must hold between a portable plan and a concrete one."""
    workload = workload_of(request)
    rules = rulebook.pass_rules(PORTABLE_TO_CONCRETE, workload)
    known = {each.id for each in source.buffers} | {each.id for each in source.tasks}
    entities: tuple[BoundEntity, ...] = (
        *target.devices,
        *target.regions,
        *target.buffers,
        *target.commands,
        *queues_of(target),
    )
    matching = match_relations(concrete_relations(request, source, rules), entities, known, rules)
    boundary = (PORTABLE_TO_CONCRETE[0].value, PORTABLE_TO_CONCRETE[1].value)
    plan = TransitionPlan(boundary, matching.coverage, case_of(request), diagnostics=matching.diagnostics)
    devices = {expected.rank: found for expected, found in matching.pairs if isinstance(expected, ExpectedDevice)}
    view = ConcreteView(request, source, target, images_of(matching.matched), devices)
    relations = [asked_of(matched, _questions(matched, target, view)) for matched in matching.matched]
    boundary_rules = rulebook.boundary_rules(PORTABLE_TO_CONCRETE, workload)
    of_plan = {
        Claim.INTERFACE: concrete_interface_question(view, target),
        Claim.ROUTES: routes_question(view, target),
        Claim.CHOSEN_WORKSPACE: workspace_question(view, target),
    }
    relations += [snapshot_relation(rule.id, rule.claims, of_plan) for rule in boundary_rules if rule.claims]
    relate_all(plan, relations)
    commands = {image: view.index[task] for task, image in view.found.items() if task in view.index}
    alignments = {buffer.id: place.alignment for buffer, place in zip(view.bound, view.places, strict=True)}
    instances: dict[Arrangement, Sequence[Instance]] = {
        Arrangement.LAYOUT: tuple(layout_instances(view.bound, target, alignments)),
        Arrangement.QUEUES: tuple(queue_instances(len(view.units), target, commands)),
        Arrangement.SLOTS: tuple(slot_instances(len(view.units), target)),
    }
    stating: tuple[PassRule | BoundaryRule, ...] = (*rules, *boundary_rules)
    memory = source.memory
    for rule in stating:
        add_inductive_laws(plan, rule, instances)
        if isinstance(memory, InferenceMemory):
            add_workspace_laws(plan, rule, target.workspace, memory.workspace)
    return plan


def images_of(matched: Sequence[Matched]) -> dict[str, str]:
    """Source id -> the entity that was found for it, of relations with sources and one target."""
    alone = [each for each in matched if each.relation.sources and len(each.found) == 1]
    return {
        source: found for each in alone for found in each.found if found is not None for source in each.relation.sources
    }


def asked_of(matched: Matched, questions: Sequence[tuple[Claim, Question]]) -> Asked:
    """A matched relation with what its claims ask."""
    return Asked(
        rule=matched.relation.rule.id,
        names=tuple(expected.name for expected in matched.relation.targets),
        sources=matched.relation.sources,
        targets=tuple(each for each in matched.found if each is not None),
        questions=tuple(questions),
    )


def snapshot_relation(rule: str, claims: Sequence[Claim], asked: dict[Claim, Question]) -> Asked:
    """The claims about a snapshot as a whole. Raises RulebookError for one that cannot be asked of it."""
    for claim in claims:
        if claim not in asked:
            raise RulebookError(f"{rule}: {claim.value} cannot be asked of this boundary as a whole")
    return Asked(rule, ("snapshot",), (), (), tuple((claim, asked[claim]) for claim in claims))


def _questions(matched: Matched, target: ConcretePlanIR, view: ConcreteView) -> list[tuple[Claim, Question]]:
    """What the claims of a relation ask of the entities found for it."""
    asked = []
    for claim in matched.relation.rule.claims:
        for expected, found in matched.pairs[:1]:
            match expected:
                case ExpectedCommand():
                    asked.append((claim, command_question(claim, Pair(expected, view.commands[found]), view)))
                case ExpectedBinding():
                    asked.append((claim, binding_question(claim, Pair(expected, view.buffers[found]), view)))
                case ExpectedRegion():
                    asked.append((claim, region_question(claim, Pair(expected, target.regions[0]), view)))
                case ExpectedDevice():
                    asked.append((claim, device_question(claim, _devices(matched, target), view)))
                case ExpectedQueue():
                    asked.append((claim, queue_question(claim, _queues(matched, target), view)))
    return asked


def _devices(matched: Matched, target: ConcretePlanIR) -> list[Pair[ExpectedDevice, Device]]:
    devices = {device.id: device for device in target.devices}
    return [Pair(each, devices[found]) for each, found in matched.pairs if isinstance(each, ExpectedDevice)]


def _queues(matched: Matched, target: ConcretePlanIR) -> list[Pair[ExpectedQueue, Queue]]:
    queues = {queue.id: queue for queue in queues_of(target)}
    return [Pair(each, queues[found]) for each, found in matched.pairs if isinstance(each, ExpectedQueue)]
