"""What is proved of bindings is what passes emit: every bound, read back from derived plans.

The recorded left and right sides of each theorem, evaluated at the numbers of neighbours in a derived plan, are those
of the law at the same numbers; the contracts behind them hold there; and so does the bound.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise

import pytest

from blueprint.frontend.block import model_ir
from blueprint.frontend.models import builtin
from blueprint.frontend.request import training_request
from blueprint.ir.concrete import ConcretePlanIR, QueueCategory, QueueExtension, SlotExtension
from blueprint.ir.machine import MachineIR
from blueprint.ir.portable import PortablePlanIR
from blueprint.ir.request import TargetKind
from blueprint.law import Arrangement, Bound, InductiveLaw
from blueprint.passes.protocol import PassContext
from blueprint.pipeline import passes_for
from blueprint.session import open_rulebook
from blueprint.symbols import to_term
from blueprint.term import Comparison, comparison_variables, evaluate, holds
from blueprint.theory import Theorem, theorems_of

Point = Mapping[str, int]

BOOK = open_rulebook(None)


@functools.cache
def emitted(kind: TargetKind) -> tuple[PortablePlanIR, ConcretePlanIR, MachineIR]:
    """The last three snapshots, straight from the passes."""
    request = training_request(builtin("gpt2"), tensor=2, sequence=24, target=kind, emit=True)
    context = PassContext(request, "0" * 64)
    snapshots = [model_ir(request)]
    for derivation_pass in passes_for(request):
        snapshots.append(derivation_pass.run(snapshots[-1], context))
    _, _, plan, concrete, machine = snapshots
    assert isinstance(plan, PortablePlanIR)
    assert isinstance(concrete, ConcretePlanIR)
    assert isinstance(machine, MachineIR)
    return plan, concrete, machine


def layouts() -> Iterator[Point]:
    """Neighbours, with any buffer before them."""
    plan, concrete, _ = emitted(TargetKind.QUEUE)
    required = {buffer.id: buffer.alignment for buffer in plan.buffers}
    bound = concrete.buffers
    for at in range(2, len(bound)):
        before, each = bound[at - 1], bound[at]
        a, r = each.alignment, required[each.source_buffer]
        for earlier in (bound[0], bound[at // 2 - 1], bound[at - 2]):
            yield {
                "o_0": bound[0].offset,
                "o_i": each.offset,
                "s_i": each.size,
                "r_i": r,
                "a_i": a,
                "u_i": a // 16,
                "v_i": a // r,
                "q_i": each.offset // a,
                "m_i": each.offset // a - 1,
                "c_i": each.offset,
                "o_p": before.offset,
                "s_p": before.size,
                "o_j": earlier.offset,
                "s_j": earlier.size,
                "C_buf": concrete.regions[0].extent if at == len(bound) - 1 else each.offset + each.size,
            }


def orders() -> Iterator[Point]:
    """Two tasks, the earlier first, with the counts before and after the later one."""
    _, concrete, _ = emitted(TargetKind.QUEUE)
    extension = concrete.extension
    assert isinstance(extension, QueueExtension)
    categories = list(QueueCategory)
    places = {
        each: (categories.index(queue.category), at)
        for queue in extension.queues
        for at, each in enumerate(queue.order)
    }
    commands = [places[command.id] for command in concrete.commands]
    for earlier, at in combinations(range(len(commands)), 2):
        queue, position = commands[at]
        before = [sum(each == number for each, _ in commands[:at]) for number in range(4)]
        after = [sum(each == number for each, _ in commands[: at + 1]) for number in range(4)]
        yield {
            **{f"n_{number + 1}": count for number, count in enumerate(before)},
            **{f"m_{number + 1}": count for number, count in enumerate(after)},
            **{f"b_{number + 1}": int(number == queue) for number in range(4)},
            "n_0": 0,
            "n_t": at,
            "p_i": position,
            "p_j": commands[earlier][1],
            "T_i": earlier,
            "T_j": at,
            "T_k": at + 1,
        }


def slots() -> Iterator[Point]:
    """Two tasks, and the one after the later."""
    _, concrete, _ = emitted(TargetKind.SLOT)
    extension = concrete.extension
    assert isinstance(extension, SlotExtension)
    issues = {issue.command: issue for issue in extension.issues}
    issued = [issues[command.id] for command in concrete.commands]
    for earlier, later in combinations(range(0, len(issued) - 1, 5), 2):
        yield {
            "T_j": earlier,
            "T_i": later,
            "y_j": issued[earlier].cycle,
            "y_i": issued[later].cycle,
            "y_n": issued[later + 1].cycle,
            "x_i": issued[later].slot,
        }


def sections() -> Iterator[Point]:
    """Two neighbouring sections, and positions in both."""
    _, _, machine = emitted(TargetKind.QUEUE)
    flat = [each for section in machine.sections for each in section.order]
    for section, after in pairwise(machine.sections):
        for position in range(1, len(section.order), 4):
            yield {
                "B_k": section.base,
                "L_k": len(section.order),
                "B_n": after.base,
                "p_k": position,
                "p_j": position - 1,
                "p_n": 1,
                "A_k": flat.index(section.order[position]),
                "A_j": flat.index(section.order[position - 1]),
                "A_n": flat.index(after.order[1]),
            }


SILENT = {"queue 3", "queue 4"}
"""No plan has transfers or work of the host yet, so no point speaks of their queues."""

POINTS = {
    Arrangement.LAYOUT: layouts,
    Arrangement.QUEUES: orders,
    Arrangement.SLOTS: slots,
    Arrangement.SECTIONS: sections,
}


def bounds() -> list[tuple[InductiveLaw, Bound, Theorem]]:
    """Every bound of an inductive law with its theorem."""
    found = []
    for rule in BOOK.rules:
        theorems = {(each.law, each.form): each for each in theorems_of(rule) if not each.negative}
        for law in getattr(rule, "laws", ()):
            if isinstance(law, InductiveLaw):
                found += [(law, bound, theorems[law.id, bound.form]) for bound in law.bounds]
    return found


BOUNDS = bounds()


@pytest.mark.parametrize(
    ("law", "bound", "theorem"), BOUNDS, ids=[f"{law.id}: {bound.form}" for law, bound, _ in BOUNDS]
)
def test_a_bound_is_proved_of_what_is_emitted(law: InductiveLaw, bound: Bound, theorem: Theorem) -> None:
    (obligation,) = theorem.obligations
    (goal,) = obligation.goal
    stated = Comparison(bound.relation, to_term(bound.left), to_term(bound.right))
    premises = [Comparison(relation, to_term(left), to_term(right)) for left, relation, right in bound.premises]
    spoken = 0
    for point in POINTS[law.arrangement]():
        assert set(comparison_variables(goal)) <= point.keys()
        # The recorded sides are computed from the numbers before; the law's are read where they were emitted.
        for recorded, read in ((goal.left, stated.left), (goal.right, stated.right)):
            assert evaluate(recorded, point) == evaluate(read, point)
        if all(holds(each, point) for each in premises):
            spoken += 1
            assert all(holds(each, point) for each in obligation.hypotheses), "a contract is broken"
            assert holds(stated, point)
    assert spoken or SILENT & set(re.findall(r"queue \d", bound.form)), "the bound speaks of no point"


def test_every_arrangement_is_read_back() -> None:
    assert set(POINTS) == set(Arrangement) == {law.arrangement for law, _, _ in BOUNDS}
    assert all(len(list(points())) > 10 for points in POINTS.values())


def test_a_bound_of_another_layout_would_be_noticed() -> None:
    """The comparison can fail: with every offset one alignment further, a bound is false."""
    law, _, _ = next(each for each in BOUNDS if each[0].arrangement is Arrangement.LAYOUT)
    gap = next(bound for bound in law.bounds if bound.form == "gap less than a_i")
    stated = Comparison(gap.relation, to_term(gap.left), to_term(gap.right))
    assert not all(holds(stated, {**point, "o_i": point["o_i"] + point["a_i"]}) for point in layouts())
