"""What bindings and programs are asked: nothing that the target says is taken for granted, and no question is lost."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from blueprint import chunks, exact
from blueprint.bundle import read_bundle
from blueprint.case import all_cases
from blueprint.chunks import Asked, ask_together, chunks_of, conjunction, relate_all
from blueprint.concrete_transition import plan_concrete
from blueprint.derivation import derive
from blueprint.discharge import SolverPool, discharge
from blueprint.facts import Fact, Question
from blueprint.frontend.models import builtin
from blueprint.frontend.request import training_request
from blueprint.ir.concrete import BufferUse, ConcretePlanIR, QueueExtension, SlotExtension
from blueprint.ir.distributed import Collective
from blueprint.ir.machine import CollectiveOperand, MachineIR
from blueprint.ir.portable import PortablePlanIR
from blueprint.ir.request import TargetKind
from blueprint.machine_transition import plan_machine
from blueprint.plan import Coverage, TransitionPlan
from blueprint.rule import Claim
from blueprint.session import open_rulebook
from blueprint.settings import DEFAULT_BUDGET
from blueprint.term import Const, Product, Relation, Term, Var, at_most, equal
from blueprint.verdict import Verdict

BOOK = open_rulebook(None)
FOREIGN = f"buffer:{'0' * 64}"
change = msgspec.structs.replace

Chain = tuple[PortablePlanIR, ConcretePlanIR, MachineIR]


@pytest.fixture(scope="module", params=TargetKind, ids=lambda kind: kind.value)
def chain(request: pytest.FixtureRequest) -> Chain:
    """The last three snapshots of a small derivation."""
    asked = training_request(builtin("gpt2"), tensor=2, sequence=128, target=request.param, emit=True)
    stages = read_bundle(derive(asked, jobs=2)).stages[2:]
    plan, concrete, machine = (record.snapshot for record in stages)
    assert isinstance(plan, PortablePlanIR)
    assert isinstance(concrete, ConcretePlanIR)
    assert isinstance(machine, MachineIR)
    return plan, concrete, machine


def request_of(concrete: ConcretePlanIR) -> Any:
    kind = TargetKind.QUEUE if isinstance(concrete.extension, QueueExtension) else TargetKind.SLOT
    return training_request(builtin("gpt2"), tensor=2, sequence=128, target=kind, emit=True)


def other(word: Any) -> Any:
    """Another word of the same vocabulary."""
    return next(each for each in type(word) if each is not word)


def exchanged(collective: Any) -> Any:
    if not isinstance(collective, Collective):
        return collective
    return change(
        collective,
        kind=other(collective.kind),
        reduction=other(collective.reduction),
        participants=tuple(rank + 1 for rank in collective.participants),
        message_bytes=collective.message_bytes + 1,
    )


def distorted_plan(ir: ConcretePlanIR) -> ConcretePlanIR:
    """Every field that a claim speaks of says something else; names, ids, lineage and lengths stay."""
    devices = tuple(change(each, ordinal=each.ordinal + 5) for each in ir.devices)
    regions = tuple(
        change(each, devices=each.devices[::-1], capacity=each.capacity + 1, extent=each.extent + 2, alignment=1)
        for each in ir.regions
    )
    buffers = tuple(
        change(each, offset=each.offset + 1, size=each.size + 1, alignment=2 * each.alignment) for each in ir.buffers
    )
    commands = tuple(
        change(
            each,
            kind=other(each.kind),
            implementation="other",
            operations=each.operations + 1,
            uses=tuple(BufferUse(buffer=FOREIGN, mode=other(use.mode)) for use in each.uses),
            dependencies=(each.id,) * len(each.dependencies),
            devices=each.devices[::-1],
            collective=exchanged(each.collective),
        )
        for each in ir.commands
    )
    match ir.extension:
        case QueueExtension(queues=queues, waits=waits):
            turned = tuple(change(each, category=other(each.category), order=each.order[::-1]) for each in queues)
            extension: Any = QueueExtension(queues=turned, waits=tuple(change(each, on=each.command) for each in waits))
        case SlotExtension(issues=issues):
            later = tuple(change(each, cycle=each.cycle + 1, slot=1) for each in issues)
            extension = SlotExtension(issues=later, routes=())
    return change(
        ir,
        target="other",
        inputs=ir.inputs[::-1],
        outputs=ir.outputs[::-1],
        devices=devices,
        regions=regions,
        buffers=buffers,
        commands=commands,
        extension=extension,
    )


def distorted_program(ir: MachineIR) -> MachineIR:
    instructions = tuple(
        change(
            each,
            opcode=other(each.opcode),
            implementation="other",
            operands=tuple(map(distorted_operand, each.operands)),
            dependencies=(each.id,) * len(each.dependencies),
        )
        for each in ir.instructions
    )
    sections = tuple(change(each, base=each.base + 1, order=each.order[::-1]) for each in ir.sections)
    entries = tuple(change(each, sections=each.sections[:1] * (1 + len(each.sections))) for each in ir.entries)
    return change(ir, target="other", instructions=instructions, sections=sections, entries=entries)


def distorted_operand(operand: Any) -> Any:
    if isinstance(operand, CollectiveOperand):
        ranks = tuple(rank + 1 for rank in operand.participants)
        return change(
            operand,
            collective=other(operand.collective),
            reduction=other(operand.reduction),
            participants=ranks,
            message_bytes=operand.message_bytes + 1,
        )
    return change(operand, region="other", offset=operand.offset + 1, size=operand.size + 1, mode=other(operand.mode))


def given(plan: TransitionPlan) -> Iterator[tuple[object, ...]]:
    """What every claim takes for granted, and what it expects, field by field."""
    for relation in plan.relations:
        for claim in relation.claims:
            expected = tuple((fact.label, fact.expected) for fact in claim.facts)
            yield relation.names, claim.claim, plan.obligations[claim.obligation].hypotheses, expected


def unchanged(honest: TransitionPlan, false: TransitionPlan) -> set[Claim]:
    """The claims to which some entity says the same in both."""
    found = [
        {
            (relation.names, claim.claim, tuple(fact.actual for fact in claim.facts))
            for relation in plan.relations
            for claim in relation.claims
        }
        for plan in (honest, false)
    ]
    return {claim for _, claim, _ in found[0] & found[1]}


def test_no_hypothesis_and_no_expected_term_comes_from_the_target(
    chain: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a false chunk is asked is asked one by one; so here everything is."""
    monkeypatch.setattr(chunks, "CHUNK", 1)
    plan, concrete, machine = chain
    asked = request_of(concrete)
    honest = plan_concrete(BOOK, asked, plan, concrete)
    false = plan_concrete(BOOK, asked, plan, distorted_plan(concrete))
    assert list(given(honest)) == list(given(false))
    # What has no collective, no dependency and no wait says the same in both.
    assert {claim.value for claim in unchanged(honest, false)} <= {
        "collective_volume",
        "waits",
        "routes",
        "dependency_topology",
    }
    honest = plan_machine(BOOK, asked, concrete, machine)
    false = plan_machine(BOOK, asked, concrete, distorted_program(machine))
    assert list(given(honest)) == list(given(false))
    assert {claim.value for claim in unchanged(honest, false)} <= {
        "collective_volume",
        "dependency_topology",
        "issue_order",
    }


def test_an_offset_has_its_witness(chain: Chain) -> None:
    """Its multiple of the alignment is at least the end before, and less than an alignment further."""
    plan, concrete, _ = chain
    found = plan_concrete(BOOK, request_of(concrete), plan, concrete)
    claims = [claim for relation in found.relations for claim in relation.claims]
    asked = {claim.obligation for claim in claims if claim.claim.value == "buffer_binding"}
    bounds = [each for at in asked for each in found.obligations[at].hypotheses if each.relation is not Relation.EQUAL]
    assert len(bounds) == 2 * len(concrete.buffers)


# Many questions in one ----------------------------------------------------------------------------------------------


def blank() -> TransitionPlan:
    nothing = Coverage(0, 0, 0, 0, 0, 0, 0, 0, 0)
    return TransitionPlan(("portable", "concrete"), nothing, all_cases()[0])


def asking(found: int, wanted: int) -> Question:
    question = Question()
    question.number("field", found, question.given("value", wanted))
    return question


def test_true_questions_share_an_obligation_and_keep_their_values() -> None:
    plan = blank()
    assert ask_together(blank(), [asking(1, 1), asking(2, 2)]) == [0, 0]
    places = ask_together(plan, [asking(1, 1), asking(2, 2), asking(3, 3)])
    assert places == [0, 0, 0]
    (together,) = plan.obligations
    # Every value is given, so exact arithmetic decides it, whatever a solver says of it.
    assert together.ground
    assert set(together.witness.values()) == {1, 2, 3}
    assert len(together.hypotheses) == len(together.goal) == 3


TWO = Const(2)


def told(actual: Term = TWO, expected: int = 2, name: str = "value", premise: int = 0) -> Question:
    question = Question()
    question.facts.append(Fact("field", actual, question.given(name, expected)))
    question.suppose(at_most(Const(premise), Const(1)))
    return question


def stated(actual: Term, expected: Term, value: int = 2) -> Question:
    """The fact that two terms over one value are equal."""
    question = Question()
    question.given("value", value)
    question.facts.append(Fact("field", actual, expected))
    return question


VALUE = Var("value")
VALUE_ONCE = Product((VALUE, Const(1)))


@pytest.mark.parametrize(
    ("one", "other_one"),
    [
        (told(), told(Product((Const(2), Const(1))))),
        (told(), told(Const(3), 3)),
        (told(), told(name="another")),
        (told(), told(premise=1)),
        (stated(TWO, VALUE), stated(TWO, VALUE_ONCE)),
        (stated(VALUE, VALUE), stated(VALUE_ONCE, VALUE)),
        (stated(VALUE, VALUE, 2), stated(VALUE, VALUE, 3)),
    ],
    ids=["number", "value", "name", "premise", "expected term", "actual term", "value alone"],
)
def test_only_equal_questions_stand_in_an_obligation_once(one: Question, other_one: Question) -> None:
    equal_one = deepcopy(one)
    equal_one.facts[0] = replace(equal_one.facts[0], label="of another entity")
    plan = blank()
    assert ask_together(plan, [one, equal_one, other_one]) == [0, 0, 0]
    assert len(plan.obligations[0].goal) == 2
    assert {Verdict.PROVED} == {exact.decide(each).verdict for each in plan.obligations}


def test_relations_are_recorded_as_they_are_asked_with_the_claims_of_each() -> None:
    asked = [
        Asked("a.rule", ("one",), ("s",), ("t",), ((Claim.ROLE, asking(1, 1)), (Claim.WAITS, asking(1, 2)))),
        Asked("b.rule", ("two", "three"), ("s", "r"), (), ((Claim.ROLE, asking(3, 3)),)),
        Asked("a.rule", ("four",), (), ("u",), ((Claim.ROLE, asking(4, 4)), (Claim.WAITS, asking(5, 5)))),
    ]
    plan = blank()
    relate_all(plan, asked)
    found = [(each.rule, each.names, each.sources, each.targets) for each in plan.relations]
    assert found == [(each.rule, each.names, each.sources, each.targets) for each in asked]
    assert [[(check.claim, list(check.facts)) for check in each.claims] for each in plan.relations] == [
        [(claim, question.facts) for claim, question in each.questions] for each in asked
    ]
    # The first and the last share one about their roles; a rule of its own, and a false one, are asked alone.
    places = [[check.obligation for check in each.claims] for each in plan.relations]
    assert places[0][0] == places[2][0]
    assert len({each for own in places for each in own}) == len(plan.obligations) == 4
    verdicts = [[exact.decide(plan.obligations[each]).verdict for each in own] for own in places]
    assert verdicts == [[Verdict.PROVED, Verdict.REFUTED], [Verdict.PROVED], [Verdict.PROVED] * 2]
    # What a relation is called depends on its rule.
    assert len({each.id for each in plan.relations}) == 3


def test_a_false_question_is_asked_alone_and_so_are_its_neighbours() -> None:
    plan = blank()
    places = ask_together(plan, [asking(1, 1), asking(2, 5), asking(3, 3)])
    assert places == [0, 1, 2]
    with SolverPool(1) as pool:
        found = [each.verdict for each in discharge(plan.obligations, pool, DEFAULT_BUDGET)]
    assert found == [Verdict.PROVED, Verdict.REFUTED, Verdict.PROVED]


@pytest.mark.parametrize("facts", [(2, 5), (5, 2), (5, 5)])
def test_a_question_with_a_false_fact_among_true_ones_is_asked_alone(facts: tuple[int, int]) -> None:
    mixed = Question()
    for number in facts:
        mixed.number("field", number, mixed.given("value", 2))
    plan = blank()
    assert ask_together(plan, [asking(1, 1), mixed]) == [0, 1]
    assert [exact.decide(each).verdict for each in plan.obligations] == [Verdict.PROVED, Verdict.REFUTED]


def test_a_question_without_facts_is_not_lost_among_others() -> None:
    plan = blank()
    assert ask_together(plan, [asking(1, 1), Question()]) == [0, 1]
    with SolverPool(1) as pool:
        found = [each.verdict for each in discharge(plan.obligations, pool, DEFAULT_BUDGET)]
    assert found == [Verdict.PROVED, Verdict.UNKNOWN]


def test_a_false_premise_is_not_shared() -> None:
    """Among others, it would make their facts follow from nothing."""
    vacuous = asking(1, 1)
    vacuous.suppose(at_most(Const(2), Const(1)))
    plan = blank()
    assert ask_together(plan, [asking(1, 1), vacuous]) == [0, 1]
    with SolverPool(1) as pool:
        found = [each.verdict for each in discharge(plan.obligations, pool, DEFAULT_BUDGET)]
    assert found == [Verdict.PROVED, Verdict.VACUOUS]


def test_one_name_in_two_questions_is_two_variables() -> None:
    together = conjunction([asking(1, 1), asking(2, 2)])
    assert len(together.witness) == 2
    names = {each.left.name for each in together.hypotheses if isinstance(each.left, Var)}
    assert names == set(together.witness)


def test_false_comparisons_of_a_law_stand_alone() -> None:
    goal = [equal(Const(at), Product((Const(1), Const(at)))) for at in range(300)]
    false = at_most(Const(2), Const(1))
    asked = list(chunks_of([*goal[:10], false, *goal[10:]]))
    assert [len(each.goal) for each in asked] == [128, 128, 44, 1]
    assert asked[-1].goal == (false,)
    assert {(each.hypotheses, tuple(each.witness), each.ground) for each in asked} == {((), (), True)}
    assert list(chunks_of([])) == []
