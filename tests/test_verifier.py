"""What a settled transition reports is what its own evidence says, row by row."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from blueprint import wording
from blueprint.case import all_cases
from blueprint.diagnostic import Diagnostic
from blueprint.discharge import SolverPool
from blueprint.facts import Question
from blueprint.ir.common import Branch
from blueprint.outcome import Status, TheoremStatus
from blueprint.plan import ClaimCheck, Coverage, LawCheck, RelationCheck, TransitionPlan
from blueprint.rule import Claim
from blueprint.session import open_rulebook
from blueprint.settings import DEFAULT_BUDGET
from blueprint.theorems import Theorems
from blueprint.verdict import Answer, Obligation, Verdict
from blueprint.verifier import Settled, Step, TransitionVerifier
from blueprint.wording import failed_facts
from blueprint.worker import Batch

BOOK = open_rulebook(None)
CASE = all_cases()[0]
EXACT = Coverage(
    source=2, source_total=2, target=3, target_total=3, generated=1, missing=0, dangling=0, undeclared=0, mismatched=0
)


class Calculating(SolverPool):
    """A stub that refutes what speaks of 9 and proves everything else."""

    def __init__(self) -> None:
        super().__init__(1)
        self.budgets: set[int] = set()
        self.asked: list[str] = []

    def solve(self, batches: Iterable[Batch]) -> list[Answer]:
        answers = []
        for batch in batches:
            self.budgets.add(batch.budget)
            for question in batch.questions:
                self.asked.append(question.text)
                false = " 9" in question.text
                answers.append(Answer(Verdict.REFUTED if false else Verdict.PROVED, "stub", model={"v0": 3}))
        return answers


def question(found: int, label: str = "x") -> Question:
    """A fact that is true for 3."""
    asked = Question()
    asked.number(label, found, asked.given(label, 3))
    return asked


def plan_of(*found: int, names: tuple[str, ...] = ("name",), label: str = "x") -> TransitionPlan:
    """One relation with one claim for each number."""
    plan = TransitionPlan(("model", "distributed"), EXACT, CASE)
    for number, each in enumerate(found):
        asked = question(each, label)
        check = ClaimCheck(Claim.ROLE, tuple(asked.facts), plan.ask(asked.obligation()))
        relation = RelationCheck(f"relation:{number}", "r.r", ("s",), ("t", "u"), names, (check,))
        plan.relations.append(relation)
    return plan


def law_of(plan: TransitionPlan, *found: int, **changes: Any) -> LawCheck:
    positions = tuple(plan.ask(question(each, "y").obligation()) for each in found)
    law = LawCheck("law", "r.r", "form", "x = 3", "group", 2, 4, positions, applicable=True, vacuous=False, theorems=())
    return replace(law, **changes)


def settled(*plans: TransitionPlan, theorems: Any = None, **changes: Any) -> Settled:
    verifier = TransitionVerifier(BOOK, theorems or Theorems((), {}), Calculating())
    steps = [replace(Step(plan, Branch.PREFILL, "a pass", conformant=True), **changes) for plan in plans]
    return verifier.settle(steps)


def test_nothing_asked_is_nothing_settled() -> None:
    assert settled() == Settled((), (), ())
    (report,) = settled(TransitionPlan(("model", "distributed"), EXACT, CASE)).transitions
    assert not report.relation_verified


def test_a_report_says_what_the_plan_is_about() -> None:
    (report,) = settled(plan_of(3, 3), conformant=None).transitions
    assert (report.source, report.target, report.branch) == ("model", "distributed", "prefill")
    assert (report.derivation_pass, report.structural_only, report.canonical_conformant) == ("a pass", False, None)
    assert report.cardinality == {"1:N": "2"}
    first = report.relations[0]
    assert (first.id, first.transform, first.sources, first.targets) == ("relation:0", "r.r", ("s",), ("t", "u"))
    assert (first.names, first.cardinality) == (("name",), "1:N")
    assert [claim.kind for claim in first.claims] == [Claim.ROLE.value]
    coverage = report.coverage
    counts = ("source", "source_total", "target", "target_total", "generated", "missing")
    assert [getattr(coverage, name) for name in counts] == ["2", "2", "3", "3", "1", "0"]
    assert coverage.exact


def test_cardinalities_are_counted_in_order() -> None:
    plan = plan_of(3, 3, 3)
    plan.relations[0] = replace(plan.relations[0], targets=("t",))
    plan.relations[1] = replace(plan.relations[1], targets=("t",))
    (report,) = settled(plan).transitions
    assert list(report.cardinality.items()) == [("1:1", "2"), ("1:N", "1")]


def test_every_claim_has_the_verdict_of_its_own_obligation() -> None:
    found = settled(plan_of(3, 9), plan_of(9, 3))
    statuses = [[row.claims[0].status for row in report.relations] for report in found.transitions]
    assert statuses == [[Status.PROVED, Status.REFUTED], [Status.REFUTED, Status.PROVED]]
    assert [report.relation_verified for report in found.transitions] == [False, False]
    assert [[len(row.claims[0].failed) for row in report.relations] for report in found.transitions] == [[0, 1], [1, 0]]
    (failed,) = found.transitions[0].relations[1].claims[0].failed
    assert (failed.field, failed.found, failed.expected) == ("x", "9", "3")


def test_equal_obligations_are_one_row_that_counts_its_users() -> None:
    found = settled(plan_of(3, 9, 3), plan_of(3, names=("other",)))
    assert [row.shared for row in found.obligations] == ["3", "1"]
    assert [row.verdict for row in found.obligations] == [Status.PROVED, Status.REFUTED]
    assert [row.statement for row in found.obligations] == ["role of r.r: name"] * 2
    used = [row.claims[0].obligation for report in found.transitions for row in report.relations]
    assert used == [0, 1, 0, 0]
    first, second = found.obligations
    assert (first.solver, first.second, first.cross) == ("stub: proved", "exact: proved", "")
    assert (first.resource, first.core, first.reason) == ("0", (), "")
    assert (first.budget, first.witness, first.counterexample) == (str(DEFAULT_BUDGET), {"x": "3"}, None)
    assert (second.solver, second.second) == ("stub: refuted", "exact: refuted")
    assert second.counterexample is not None
    assert second.counterexample.values == {"x": "3"}


def test_a_plan_is_dropped_before_the_next_is_made() -> None:
    held: list[weakref.ref[TransitionPlan]] = []
    alive: list[int] = []

    def step() -> Step:
        plan = plan_of(3, 9)
        held.append(weakref.ref(plan))
        return Step(plan, Branch.MAIN, "pass", conformant=True)

    def steps() -> Iterator[Step]:
        for _ in range(3):
            gc.collect()
            alive.append(sum(plan() is not None for plan in held))
            yield step()

    assert len(TransitionVerifier(BOOK, Theorems((), {}), Calculating()).settle(steps()).transitions) == 3
    assert alive == [0, 0, 0]


def test_what_one_transition_has_asked_the_next_does_not_ask_again() -> None:
    pool = Calculating()
    verifier = TransitionVerifier(BOOK, Theorems((), {}), pool)
    found = verifier.settle([Step(plan_of(3, 9), Branch.MAIN, "pass", conformant=True)])
    assert len(pool.asked) == 2
    again = verifier.settle([Step(plan_of(9, 3), Branch.MAIN, "pass", conformant=True)])
    assert len(pool.asked) == 2
    assert [row.verdict for row in again.obligations] == [row.verdict for row in reversed(found.obligations)]


@pytest.mark.parametrize(("name", "value"), [("budget", 1), ("cross_check", None), ("known", {})])
def test_what_evidence_depends_on_cannot_be_changed_under_it(name: str, value: object) -> None:
    verifier = TransitionVerifier(BOOK, Theorems((), {}), Calculating())
    with pytest.raises(FrozenInstanceError):
        setattr(verifier, name, value)


def test_evidence_is_what_a_verifier_has_found_itself() -> None:
    """It is neither handed in nor told: there may be a great deal of it."""
    with pytest.raises(TypeError):
        TransitionVerifier(BOOK, Theorems((), {}), Calculating(), known={})  # type: ignore[call-arg]
    verifier = TransitionVerifier(BOOK, Theorems((), {}), Calculating())
    verifier.settle([Step(plan_of(3, 9), Branch.MAIN, "pass", conformant=True)])
    assert len(verifier.known) == 2
    assert "known" not in repr(verifier)


def test_a_transition_that_breaks_down_is_not_taken_for_the_last() -> None:
    def broken(_text: str) -> Verdict:
        raise StopIteration

    verifier = TransitionVerifier(BOOK, Theorems((), {}), Calculating(), DEFAULT_BUDGET, broken)
    with pytest.raises(StopIteration):
        verifier.settle([Step(plan_of(3), Branch.MAIN, "pass", conformant=True)])


def test_an_obligation_is_worded_with_four_names_at_most() -> None:
    (row,) = settled(plan_of(3, names=tuple("abcdef"))).obligations
    assert row.statement == "role of r.r: a, b, c, d"


def test_the_budget_and_the_cross_check_are_those_of_the_verifier() -> None:
    pool = Calculating()
    asked: list[str] = []

    def cross(text: str) -> Verdict:
        asked.append(text)
        return Verdict.PROVED

    verifier = TransitionVerifier(BOOK, Theorems((), {}), pool, 12_345, cross)
    found = verifier.settle([Step(plan_of(3), Branch.MAIN, "pass", conformant=True)])
    assert (pool.budgets, len(asked)) == ({12_345}, 1)
    assert [(row.budget, row.cross) for row in found.obligations] == [("12345", "proved")]
    assert TransitionVerifier(BOOK, Theorems((), {}), pool).budget == DEFAULT_BUDGET


def test_a_false_claim_is_found_where_it_lies() -> None:
    found = settled(plan_of(3, 9, names=("first", "second")))
    (finding,) = found.findings
    assert finding.code == "claim.role"
    assert finding.path.startswith("prefill/distributed/")
    assert finding.refutes


def test_a_false_id_is_named_after_its_entity_and_a_law_after_the_claim_that_asks_the_same() -> None:
    plan = TransitionPlan(("model", "distributed"), EXACT, CASE)
    for name, target in (("wanted", "value:1"), ("found", "value:2")):
        asked = question(9) if name == "wanted" else Question()
        asked.names("ids", ["value:2"], ["value:1"] if name == "wanted" else ["value:2"])
        check = ClaimCheck(Claim.DATA_FLOW, tuple(asked.facts), plan.ask(asked.obligation()))
        plan.relations.append(RelationCheck(f"relation:{name}", "r.r", (), (target,), (name,), (check,)))
    plan.laws.append(replace(law_of(plan), obligations=(0,)))
    result = settled(plan)
    _, failed = result.transitions[0].relations[0].claims[0].failed
    assert (failed.field, failed.found, failed.expected) == ("ids[0]", "found", "wanted")
    of_law = next(each for each in result.findings if each.code.startswith("law."))
    assert of_law.relation == "relation:wanted"
    assert of_law.path.endswith("/wanted")


def test_a_law_is_named_after_the_entity_of_the_relation_whose_field_is_false() -> None:
    asked = question(3, "up.gradient.work")
    asked.names("up.forward.inputs", ["value:1"], ["value:2"])
    for label, found in (("up.work", 3), ("up.forward.work", 9)):
        asked.number(label, found, asked.given(label, 3))
    plan = plan_of(3, names=("up", "up.forward", "up.gradient"))
    check = ClaimCheck(Claim.EXACT_WORK, tuple(asked.facts), plan.ask(asked.obligation()))
    plan.relations.append(replace(plan.relations[0], id="relation:false", claims=(check,)))
    plan.laws.append(replace(law_of(plan), obligations=(check.obligation,)))
    of_law = next(each for each in settled(plan).findings if each.code.startswith("law."))
    assert of_law.relation == "relation:false"
    assert of_law.path.endswith("/up.forward")


def test_a_list_that_is_too_long_is_not_said_to_lack_what_may_stand_at_its_end() -> None:
    """Of a list as long as it should be, or shorter, what is lacking is named."""
    said = {}
    for found in (("d", "a", "b", "c"), ("a", "b"), ("a", "b", "d")):
        asked = Question()
        asked.names("ids", found, ("a", "b", "c"))
        plan = TransitionPlan(("model", "distributed"), EXACT, CASE)
        check = ClaimCheck(Claim.DATA_FLOW, tuple(asked.facts), plan.ask(asked.obligation()))
        failed = tuple(failed_facts(check, plan.obligations[0].witness, {}))
        said[len(found), found[0]] = list(wording._membership(failed))
    assert said == {(4, "d"): ["ids should not have d"], (2, "a"): ["ids lacks c"], (3, "a"): []}


def test_an_entity_of_an_earlier_transition_is_known_by_its_name() -> None:
    first, second = plan_of(3), TransitionPlan(("distributed", "portable"), EXACT, CASE)
    relation = first.relations[0]
    first.relations[0] = replace(relation, targets=("value:1", "value:2"), names=("early", "later"))
    asked = question(9)
    asked.names("ids", ["value:2"], ["value:1"])
    check = ClaimCheck(Claim.DATA_FLOW, tuple(asked.facts), second.ask(asked.obligation()))
    second.relations.append(RelationCheck("relation:x", "r.r", (), ("task:1",), ("x",), (check,)))
    _, failed = settled(first, second).transitions[1].relations[0].claims[0].failed
    assert (failed.found, failed.expected) == ("later", "early")


def test_a_claim_about_nothing_is_not_said_to_be_false() -> None:
    """Under hypotheses that contradict each other: what is found is not what is expected, and that tells nothing."""
    plan = plan_of(9)
    (relation,) = plan.relations
    asked = question(9)
    sound = asked.obligation()
    contradictory = (*sound.hypotheses, *question(4).obligation().goal)
    position = plan.ask(Obligation(contradictory, sound.goal, sound.witness, ground=True))
    check = ClaimCheck(Claim.ROLE, tuple(asked.facts), position)
    plan.relations[0] = replace(relation, claims=(check,))
    found = settled(plan)
    (row,) = found.transitions[0].relations[0].claims
    assert (row.status, row.failed) == (Status.VACUOUS, ())
    assert [(each.code, each.refutes) for each in found.findings] == [("claim.vacuous", False)]


def test_a_law_is_about_the_relation_one_of_whose_claims_asks_the_same() -> None:
    plan = plan_of(3, 3, names=("name",))
    first, last = plan.relations
    asked = [question(each, "z") for each in (9, 3)]
    checks = tuple(ClaimCheck(Claim.IMPLEMENTATION, tuple(each.facts), plan.ask(each.obligation())) for each in asked)
    plan.relations[1] = replace(last, names=("asking",), claims=(*last.claims, *checks))
    plan.laws.append(replace(law_of(plan), obligations=(checks[0].obligation,)))
    (of_law,) = (each for each in settled(plan).findings if each.code.startswith("law."))
    assert (of_law.relation, of_law.path) == (last.id, "prefill/distributed/asking")
    assert first.id != last.id


def test_a_diagnostic_is_a_finding_and_nothing_is_established_with_it() -> None:
    plan = plan_of(3)
    plan.diagnostics.append(Diagnostic(code="coverage.missing", message="demanded", path="a\x1bname"))
    found = settled(plan, branch=Branch.MAIN)
    assert [(each.code, each.message) for each in found.findings] == [("coverage.missing", "demanded")]
    assert found.findings[0].path.startswith("distributed/a")
    assert "\x1b" not in found.findings[0].path
    assert not found.transitions[0].relation_verified


def test_a_relation_without_a_claim_beside_those_with_one_verifies_nothing() -> None:
    plan = plan_of(3, 3)
    assert settled(plan).transitions[0].relation_verified
    for place in range(2):
        plan = plan_of(3, 3)
        plan.relations[place] = replace(plan.relations[place], claims=())
        assert not settled(plan).transitions[0].relation_verified


# Laws ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "changes", "status"),
    [
        ((3,), {}, Status.PROVED),
        ((3, 9), {}, Status.REFUTED),
        ((9, 3), {}, Status.REFUTED),
        ((), {}, Status.VACUOUS),
        ((3,), {"vacuous": True}, Status.VACUOUS),
        ((9,), {"vacuous": True}, Status.VACUOUS),
        ((9,), {"applicable": False}, Status.NOT_APPLICABLE),
        ((), {"applicable": False}, Status.NOT_APPLICABLE),
    ],
)
def test_a_law_is_no_better_than_its_worst_instance(
    found: tuple[int, ...], changes: dict[str, Any], status: Status
) -> None:
    plan = plan_of(3)
    plan.laws.append(law_of(plan, *found, **changes))
    result = settled(plan)
    (report,) = result.transitions
    (row,) = report.laws
    assert row.status is status
    assert report.relation_verified is (status in {Status.PROVED, Status.NOT_APPLICABLE})
    codes = {Status.REFUTED: [("law.law", True)], Status.VACUOUS: [("law.vacuous", False)]}
    assert [(each.code, each.refutes) for each in result.findings] == codes.get(status, [])
    assert {each.path for each in result.findings} <= {"prefill/distributed/group"}
    assert (row.id, row.rule, row.form, row.statement, row.group) == ("law", "r.r", "form", "x = 3", "group")
    assert (row.members, row.expected_members) == ("2", "4")


@pytest.mark.parametrize("found", [(3, 9), (9, 3), (3, 9, 3)])
def test_what_is_said_of_a_false_law_is_about_its_false_instance(found: tuple[int, ...]) -> None:
    plan = plan_of(3)
    plan.laws.append(law_of(plan, *found, members=4))
    (finding,) = settled(plan).findings
    assert finding.message == "law law (form), x = 3, is refuted: 9, should be y = 3"


def test_what_is_said_of_an_empty_law_is_about_none_of_its_instances() -> None:
    plan = plan_of(3)
    plan.laws.append(law_of(plan, 3, 9, vacuous=True))
    (finding,) = settled(plan).findings
    assert finding.message == "law law (form), x = 3, has no member in its group, where 4 are expected"


def test_a_doubtful_instance_is_worse_than_an_empty_one_and_better_than_a_false_one() -> None:
    class Doubting(Calculating):
        """Undecided about 5, beside what it refutes and what exact arithmetic calls vacuous."""

        def solve(self, batches: Iterable[Batch]) -> list[Answer]:
            asked = [each for batch in batches for each in batch.questions]
            known = super().solve([Batch(tuple(asked), ground=True, budget=1)])
            unsure = Answer(Verdict.UNKNOWN, "stub", "asleep")
            return [unsure if " 5" in each.text else answer for each, answer in zip(asked, known, strict=True)]

    true, empty = question(3).obligation(), replaced(question(3).obligation())
    five = Question()
    five.number("z", 5, five.given("z", 5))
    doubted, false = five.obligation(), question(9).obligation()
    words = {Status.UNKNOWN: "law.unknown", Status.VACUOUS: "law.vacuous", Status.REFUTED: "law.law"}
    order = [(false, Status.REFUTED), (doubted, Status.UNKNOWN), (empty, Status.VACUOUS), (true, Status.PROVED)]
    for place, (worst, status) in enumerate(order):
        plan = plan_of(3)
        positions = tuple(plan.ask(each) for each, _ in reversed(order[place:]))
        plan.laws.append(replace(law_of(plan), obligations=positions))
        verifier = TransitionVerifier(BOOK, Theorems((), {}), Doubting())
        result = verifier.settle([Step(plan, Branch.MAIN, "pass", conformant=True)])
        assert result.transitions[0].laws[0].status is status, worst
        assert [each.code for each in result.findings] == ([words[status]] if status in words else [])


def replaced(obligation: Obligation) -> Obligation:
    """The same question under hypotheses that contradict each other."""
    return Obligation((*obligation.hypotheses, *question(4).obligation().goal), obligation.goal, {}, ground=True)


def test_a_law_names_each_of_its_obligations_once() -> None:
    plan = plan_of(3)
    plan.laws.append(law_of(plan, 3, 3))
    found = settled(plan)
    assert found.transitions[0].laws[0].obligations == (0,)
    # A claim about x and a law about y are one question in numbers.
    assert [row.shared for row in found.obligations] == ["3"]
    apart = plan_of(9)
    apart.laws.append(law_of(apart, 3))
    assert settled(apart).obligations[1].statement == "law law (form): x = 3"


class Recorded(Theorems):
    """Theorems that are recorded under one case."""

    def __init__(self, case: str) -> None:
        super().__init__((), {})
        self.case = case

    def lookup(self, rule: str, law: str, form: str, case: str) -> tuple[TheoremStatus, tuple[str, ...]]:
        known = case == self.case and rule == "r.r" and law != "lost"
        return (TheoremStatus.RECORDED, (f"{law} {form}", "both")) if known else (TheoremStatus.ABSENT, ())


ONE, TWO, LOST = ("r.r", "law", "one"), ("r.r", "law", "two"), ("r.r", "lost", "one")


@pytest.mark.parametrize(
    ("theorems", "changes", "status", "digests"),
    [
        ((ONE,), {}, TheoremStatus.RECORDED, ("law one", "both")),
        ((ONE, TWO), {}, TheoremStatus.RECORDED, ("law one", "both", "law two")),
        ((ONE, LOST), {}, TheoremStatus.ABSENT, ()),
        ((LOST, ONE), {}, TheoremStatus.ABSENT, ()),
        ((), {}, TheoremStatus.NONE, ()),
        ((ONE,), {"applicable": False}, TheoremStatus.NONE, ()),
        ((ONE,), {"stage": True}, TheoremStatus.ABSENT, ()),
    ],
)
def test_the_theorems_behind_a_law_are_recorded_only_all_together(
    theorems: tuple[tuple[str, str, str], ...],
    changes: dict[str, Any],
    status: TheoremStatus,
    digests: tuple[str, ...],
) -> None:
    plan = plan_of(3)
    plan.laws.append(law_of(plan, 3, theorems=theorems, **changes))
    (row,) = settled(plan, theorems=Recorded(CASE.text)).transitions[0].laws
    assert (row.theorem, row.theorem_digests) == (status, digests)


def test_the_theorem_of_a_stage_s_law_is_looked_up_in_the_stage_s_case() -> None:
    plan = plan_of(3)
    plan.laws.append(law_of(plan, 3, theorems=(ONE,), stage=True))
    (row,) = settled(plan, theorems=Recorded(CASE.stage_text)).transitions[0].laws
    assert row.theorem is TheoremStatus.RECORDED
