"""Layouts and orders by their definitions, for integers; and the same code for symbols."""

from __future__ import annotations

import itertools

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from blueprint.workload import layout as layouts
from blueprint.workload.layout import Layout, align_up, alignment_of, base_alignment, integer_layout
from blueprint.workload.order import Counts, next_base, next_index, no_counts, slot_of
from blueprint.workload.symbolic import Symbolic

buffers = st.lists(st.tuples(st.integers(1, 200), st.sampled_from([1, 2, 4, 16, 32, 64])), max_size=12)
queues = st.lists(st.integers(0, 3), max_size=40)


def laid_out(sizes: list[tuple[int, int]]) -> tuple[list[int], int]:
    layout = integer_layout()
    offsets = [int(layout.place(size, alignment_of(required))) for size, required in sizes]
    return offsets, int(layout.capacity())


@given(st.integers(0, 5000), st.integers(1, 300))
def test_rounding_up_is_the_least_multiple_that_is_at_least_the_end(end: int, alignment: int) -> None:
    least = next(multiple for multiple in itertools.count(0, alignment) if multiple >= end)
    assert align_up(end, alignment) == least


@pytest.mark.parametrize("power", range(12))
def test_an_alignment_is_the_greater_of_two(power: int) -> None:
    assert alignment_of(1 << power) == max(16, 1 << power)


@pytest.mark.parametrize("required", [3, 12, 13, 24, 40])
def test_an_alignment_that_is_no_power_of_two_is_refused(required: int) -> None:
    with pytest.raises(ArithmeticError, match=rf"alignment_of\({required}\)"):
        alignment_of(required)


def test_a_broken_contract_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "LEAST_ALIGNMENT", 24)
    with pytest.raises(ArithmeticError):
        alignment_of(16)
    with pytest.raises(ArithmeticError, match=r"align_up\(5, -16\)"):
        align_up(5, -16)


@given(buffers)
def test_no_byte_is_shared_and_no_offset_could_be_less(sizes: list[tuple[int, int]]) -> None:
    offsets, capacity = laid_out(sizes)
    used: set[int] = set()
    end = 0
    for offset, (size, required) in zip(offsets, sizes, strict=True):
        held = set(range(offset, offset + size))
        assert not held & used
        used |= held
        fitting = (each for each in itertools.count(end) if each % required == 0 and each % 16 == 0)
        assert offset == next(fitting)
        end = offset + size
    assert capacity == (max(used) + 1 if used else 0)


def test_the_base_is_aligned_to_the_largest() -> None:
    assert base_alignment([]) == 16
    assert base_alignment([16, 128, 64]) == 128


def test_symbols_take_the_same_path() -> None:
    """What is rounded up is the sum of the offset and the size before; nothing else is done to it."""
    o, s, a, c = sympy.symbols("o s a c")
    asked = []

    def aligned(end: Symbolic, alignment: Symbolic) -> Symbolic:
        asked.append((end.expression, alignment.expression))
        return Symbolic(c)

    layout: Layout[Symbolic] = Layout(aligned, Symbolic(o), Symbolic(s))
    placed = layout.place(Symbolic(s), Symbolic(a))
    assert type(placed) is Symbolic
    assert placed.expression == c
    assert asked == [(o + s, a)]
    capacity = layout.capacity()
    assert type(capacity) is Symbolic
    assert capacity.expression == c + s
    empty: Layout[Symbolic] = Layout(aligned)
    assert empty.capacity() == 0
    assert empty.place(Symbolic(s), Symbolic(a)) == 0


# Orders -------------------------------------------------------------------------------------------------------------


@given(queues)
def test_a_position_is_the_number_of_earlier_tasks_of_the_queue(tasks: list[int]) -> None:
    counts: Counts[int] = no_counts(4)
    for at, task in enumerate(tasks):
        indicators = [int(each == task) for each in range(4)]
        assert counts.position(indicators) == tasks[:at].count(task)
        counts = counts.after(indicators)
    assert list(counts.held) == [tasks.count(each) for each in range(4)]


def test_a_task_is_issued_in_the_cycle_of_its_index() -> None:
    index = 0
    for cycle in range(5):
        assert (slot_of(index).cycle, slot_of(index).slot) == (cycle, 0)
        index = next_index(index)


@given(st.lists(st.integers(0, 9), max_size=6))
def test_places_behind_bases_number_all_instructions(lengths: list[int]) -> None:
    base, places = 0, []
    for length in lengths:
        places += [base + position for position in range(length)]
        base = next_base(base, length)
    assert places == list(range(sum(lengths)))
