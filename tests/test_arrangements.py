"""What is asked of the places, orders and addresses of one plan: a wrong arrangement has a false question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
import sympy

from blueprint.arrangements import (
    Instance,
    add_inductive_laws,
    layout_instances,
    queue_instances,
    section_instances,
    slot_instances,
)
from blueprint.case import all_cases
from blueprint.ir.common import Lineage, LineageKind
from blueprint.ir.concrete import (
    BufferBinding,
    Issue,
    Queue,
    QueueCategory,
    QueueExtension,
    Region,
    SlotExtension,
)
from blueprint.law import Arrangement, Bound, InductiveLaw
from blueprint.plan import Coverage, LawCheck, TransitionPlan
from blueprint.rule import PORTABLE_TO_CONCRETE, BoundaryRule
from blueprint.term import Const, Relation, at_most, equal, holds

LINEAGE = Lineage(kind=LineageKind.GENERATED, transform="a.rule", sources=())


def false_forms(instances: Iterable[Instance]) -> set[str]:
    """The forms of which a comparison does not hold."""
    return {each.form for each in instances if not all(holds(one, {}) for one in each.goal)}


def counts(instances: Iterable[Instance]) -> dict[str, tuple[int, int]]:
    return {each.form: (each.members, each.expected) for each in instances}


# Layout -------------------------------------------------------------------------------------------------------------

ALIGNED, APART, FITS = "every offset is aligned", "no two buffers share a byte", "every buffer fits its region"


def buffer(name: str, region: str, offset: int, size: int) -> BufferBinding:
    return BufferBinding(
        id=name, name=name, lineage=LINEAGE, source_buffer=f"source {name}", region=region,
        offset=offset, size=size, alignment=16,
    )  # fmt: skip


def laid_out(
    buffers: Sequence[BufferBinding],
    extents: Mapping[str, int],
    *,
    capacity: int = 1000,
    steps: Mapping[str, int] | None = None,
    required: int = 16,
) -> list[Instance]:
    """Buffers in regions; every alignment is 16 unless `steps` or `required` says otherwise."""
    regions = [
        Region(id=name, name=name, lineage=LINEAGE, devices=("d",), capacity=capacity, extent=extent, alignment=16)
        for name, extent in extents.items()
    ]
    target: Any = SimpleNamespace(buffers=tuple(buffers), regions=tuple(regions))
    bound: list[Any] = [SimpleNamespace(id=each.source_buffer, alignment=required) for each in buffers]
    alignments = {each.source_buffer: 16 for each in buffers} | dict(steps or {})
    return list(layout_instances(bound, target, alignments))


def test_a_layout_without_a_fault_has_no_false_question_and_counts_its_buffers_and_its_one_region() -> None:
    found = laid_out([buffer("a", "r", 0, 16), buffer("b", "r", 16, 5), buffer("c", "r", 32, 1)], {"r": 33})
    assert false_forms(found) == set()
    assert counts(found) == {ALIGNED: (3, 3), APART: (3, 3), FITS: (1, 1)}


@pytest.mark.parametrize(
    ("buffers", "extents", "form"),
    [
        ([("a", "r", 8, 16)], {"r": 100}, ALIGNED),
        ([("a", "r", 0, 17), ("b", "r", 16, 5)], {"r": 100}, APART),
        ([("a", "r", 16, 5), ("b", "r", 0, 17)], {"r": 100}, APART),
        # What lies between them in another region is no neighbour.
        ([("a", "r", 0, 64), ("b", "s", 16, 5), ("c", "r", 32, 5)], {"r": 100, "s": 100}, APART),
        ([("a", "r", 0, 16), ("b", "r", 16, 5)], {"r": 20}, FITS),
        ([("a", "r", 16, 5), ("b", "r", 0, 16)], {"r": 20}, FITS),
        ([("a", "r", 0, 5), ("b", "s", 0, 16)], {"r": 5, "s": 15}, FITS),
        ([("a", "r", 0, 5)], {"r": 1001}, FITS),
    ],
)
def test_a_wrong_layout_has_a_false_question(
    buffers: list[tuple[str, str, int, int]], extents: dict[str, int], form: str
) -> None:
    assert false_forms(laid_out([buffer(*each) for each in buffers], extents)) == {form}


def test_regions_are_apart_and_each_has_an_end_of_its_own() -> None:
    overlaid = [buffer("a", "r", 0, 64), buffer("b", "s", 16, 5), buffer("c", "r", 64, 5)]
    assert false_forms(laid_out(overlaid, {"r": 69, "s": 21, "empty": 0})) == set()


def test_an_offset_is_a_multiple_of_the_alignment_in_use_and_of_the_one_that_is_required() -> None:
    at_48 = [buffer("a", "r", 48, 5)]
    assert false_forms(laid_out(at_48, {"r": 100}, required=16)) == set()
    assert false_forms(laid_out(at_48, {"r": 100}, required=32)) == {ALIGNED}
    assert false_forms(laid_out(at_48, {"r": 100}, steps={"source a": 32})) == {ALIGNED}


def test_a_buffer_of_no_source_has_no_alignment_to_keep_but_shares_no_byte() -> None:
    """A plan is untrusted; coverage finds such a buffer."""
    region = Region(id="r", name="r", lineage=LINEAGE, devices=("d",), capacity=100, extent=100, alignment=16)
    for offset, forms in ((17, set()), (15, {APART})):
        placed = (buffer("a", "r", 0, 16), buffer("stray", "r", offset, 5))
        target: Any = SimpleNamespace(buffers=placed, regions=(region,))
        bound: list[Any] = [SimpleNamespace(id="source a", alignment=16)]
        found = list(layout_instances(bound, target, {"source a": 16}))
        assert false_forms(found) == forms
        assert counts(found)[ALIGNED] == (2, 1)


# Queues -------------------------------------------------------------------------------------------------------------

ONCE, TOPOLOGICAL, EARLIER = (
    "every command is in one queue",
    "issue order is topological",
    "a dependency is issued earlier",
)


def commands(**needs: str) -> tuple[Any, ...]:
    return tuple(SimpleNamespace(id=each, dependencies=tuple(of)) for each, of in needs.items())


def queued(orders: Sequence[str], index: str, **needs: str) -> list[Instance]:
    """Queues of commands with names of one letter; `index` lists these in topological order."""
    queues = tuple(
        Queue(id=f"queue {at}", name=f"queue {at}", lineage=LINEAGE, category=category, order=tuple(order))
        for at, (category, order) in enumerate(zip(QueueCategory, orders, strict=False))
    )
    target: Any = SimpleNamespace(extension=QueueExtension(queues=queues, waits=()), commands=commands(**needs))
    return list(queue_instances(len(index), target, {each: at for at, each in enumerate(index)}))


def test_queues_in_order_have_no_false_question_and_count_what_they_issue() -> None:
    found = queued(["ac", "bd"], "abcd", a="", b="a", c="ab", d="bc")
    assert false_forms(found) == set()
    assert counts(found) == {ONCE: (4, 4), TOPOLOGICAL: (4, 4), EARLIER: (4, 4)}


@pytest.mark.parametrize(
    ("orders", "index", "needs", "forms"),
    [
        (["ca", "bd"], "abcd", {"c": "b"}, {TOPOLOGICAL}),
        (["ca", "bd"], "abcd", {"c": "a"}, {TOPOLOGICAL, EARLIER}),
        # Order by the index alone is not enough where the index does not know what is needed.
        (["ab"], "", {"a": "b"}, {EARLIER}),
        (["ab", "b"], "ab", {}, {ONCE}),
        # A command that nobody demands says nothing of the order; coverage finds it.
        (["axb", "c"], "abc", {}, set()),
        (["xab", "c"], "abc", {}, set()),
        (["abx", "c"], "abc", {}, set()),
    ],
)
def test_a_wrong_order_has_a_false_question(
    orders: list[str], index: str, needs: dict[str, str], forms: set[str]
) -> None:
    assert false_forms(queued(orders, index, **needs)) == forms


def test_a_command_too_few_or_too_many_is_in_the_counts() -> None:
    assert counts(queued(["a"], "ab")) == {ONCE: (1, 2), TOPOLOGICAL: (1, 2), EARLIER: (1, 2)}
    assert counts(queued(["ab", "b"], "ab")) == {ONCE: (2, 2), TOPOLOGICAL: (3, 2), EARLIER: (3, 2)}


# Slots --------------------------------------------------------------------------------------------------------------

ALONE = "no two share cycle and slot"


def slotted(issues: Sequence[tuple[str, int, int]], units: int, **needs: str) -> list[Instance]:
    extension = SlotExtension(
        issues=tuple(Issue(command=command, cycle=cycle, slot=slot) for command, cycle, slot in issues), routes=()
    )
    target: Any = SimpleNamespace(extension=extension, commands=commands(**needs))
    return list(slot_instances(units, target))


def test_slots_without_a_fault_have_no_false_question_and_count_what_they_issue() -> None:
    found = slotted([("a", 0, 0), ("c", 2, 1), ("b", 2, 0)], 4, a="", b="a", c="a")
    assert false_forms(found) == set()
    assert counts(found) == {EARLIER: (3, 4), ALONE: (3, 4)}


@pytest.mark.parametrize(
    ("issues", "needs", "form"),
    [
        ([("a", 1, 0), ("b", 1, 1)], {"b": "a"}, EARLIER),
        ([("a", 2, 0), ("b", 1, 0)], {"b": "a"}, EARLIER),
        ([("a", 0, 0), ("b", 0, 0)], {}, ALONE),
        ([("a", 3, 2), ("c", 1, 0), ("b", 3, 2)], {}, ALONE),
    ],
)
def test_a_wrong_slot_has_a_false_question(
    issues: list[tuple[str, int, int]], needs: dict[str, str], form: str
) -> None:
    assert false_forms(slotted(issues, len(issues), **needs)) == {form}


def test_what_has_queues_has_no_slots_and_the_other_way_round() -> None:
    queues: Any = SimpleNamespace(extension=QueueExtension(queues=(), waits=()), commands=())
    slots: Any = SimpleNamespace(extension=SlotExtension(issues=(), routes=()), commands=())
    assert list(queue_instances(0, slots, {})) == list(slot_instances(0, queues)) == []
    assert len(list(queue_instances(0, queues, {}))) == 3
    assert len(list(slot_instances(0, slots))) == 2


# Sections -----------------------------------------------------------------------------------------------------------

BEHIND, REACHED = "one section behind another", "an entry point reaches every instruction"


def in_sections(count: int, sections: Sequence[tuple[int, str]], *entered: Sequence[int]) -> list[Instance]:
    source: Any = SimpleNamespace(commands=range(count))
    target: Any = SimpleNamespace(
        sections=tuple(SimpleNamespace(id=at, base=base, order=order) for at, (base, order) in enumerate(sections)),
        entries=tuple(SimpleNamespace(sections=each) for each in entered),
    )
    return list(section_instances(source, target))


def test_sections_lie_behind_one_another_and_are_all_entered() -> None:
    found = in_sections(6, [(0, "abc"), (3, ""), (3, "def")], [0, 1, 2])
    assert false_forms(found) == set()
    assert counts(found) == {BEHIND: (6, 6), REACHED: (6, 6)}
    assert counts(in_sections(6, [(0, "abc"), (3, "de")], [1]))[REACHED] == (2, 6)
    assert false_forms(in_sections(0, [])) == set()


@pytest.mark.parametrize(
    "sections",
    [[(0, "abc"), (4, "de")], [(0, "abc"), (2, "def")], [(1, "abc"), (4, "def")], [(0, "abc"), (3, "de")], [(1, "x")]],
)
def test_a_gap_or_an_overlap_or_a_wrong_end_has_a_false_question(sections: list[tuple[int, str]]) -> None:
    assert false_forms(in_sections(6, sections)) == {BEHIND}


# The laws of a rule ---------------------------------------------------------------------------------------------------


def asked(instances: Mapping[Arrangement, Sequence[Instance]]) -> TransitionPlan:
    """What a rule with one law about layouts asks."""
    bounds = tuple(Bound(form, sympy.Integer(1), Relation.AT_MOST, sympy.Integer(2)) for form in ("base", "step"))
    law = InductiveLaw("a-law", "nothing overlaps", "definition", bounds, (), Arrangement.LAYOUT)
    plan = TransitionPlan(("portable", "concrete"), Coverage(0, 0, 0, 0, 0, 0, 0, 0, 0), all_cases()[0])
    add_inductive_laws(plan, BoundaryRule("a.rule", (PORTABLE_TO_CONCRETE,), (), (law,)), instances)
    return plan


def checked(form: str, group: str, members: tuple[int, int], obligations: tuple[int, ...]) -> LawCheck:
    return LawCheck(
        id="a-law", rule="a.rule", form=form, statement="nothing overlaps", group=group,
        members=members[0], expected_members=members[1], obligations=obligations,
        applicable=bool(obligations), vacuous=False,
        theorems=(("a.rule", "a-law", "base"), ("a.rule", "a-law", "step")),
    )  # fmt: skip


def test_a_law_is_asked_of_each_of_its_forms_the_members_first() -> None:
    true, false = equal(Const(1), Const(1)), at_most(Const(2), Const(1))
    found = [Instance("one", "buffers", 3, 3, (true, false)), Instance("two", "regions", 1, 2, ())]
    plan = asked({Arrangement.LAYOUT: found, Arrangement.SLOTS: [Instance("other", "slots", 1, 1, ())]})
    assert plan.laws == [checked("one", "buffers", (3, 3), (0, 1, 2)), checked("two", "regions", (1, 2), (3,))]
    goals = [each.goal for each in plan.obligations]
    assert goals[1:3] == [(true,), (false,)]
    assert [holds(goal, each.witness) for each in (plan.obligations[0], plan.obligations[3]) for goal in each.goal] == [
        True,
        False,
    ]


def test_a_law_of_what_the_plan_does_not_arrange_does_not_apply() -> None:
    other = Instance("other", "slots", 1, 1, ())
    nothing: tuple[dict[Arrangement, list[Instance]], ...] = (
        {}, {Arrangement.LAYOUT: []}, {Arrangement.SLOTS: [other]},
    )  # fmt: skip
    for instances in nothing:
        plan = asked(instances)
        assert plan.laws == [checked("this plan", "layout", (0, 0), ())]
        assert plan.obligations == []
