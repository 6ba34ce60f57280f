"""Canonical order: after the dependencies, smallest local name first, and short where there is a cycle."""

from __future__ import annotations

import graphlib

from hypothesis import given
from hypothesis import strategies as st

from blueprint.ir.order import canonical_order


def test_ties_are_broken_by_name() -> None:
    assert canonical_order({"1": "b", "2": "a", "3": "c"}, {"1": [], "2": [], "3": []}) == ["2", "1", "3"]


def test_a_dependency_comes_first_whatever_its_name() -> None:
    assert canonical_order({"1": "a", "2": "z"}, {"1": ["2"], "2": []}) == ["2", "1"]


def test_a_cycle_and_what_is_behind_it_is_left_out() -> None:
    names = {"1": "a", "2": "b", "3": "c", "4": "d"}
    assert canonical_order(names, {"1": [], "2": ["3"], "3": ["2"], "4": ["3"]}) == ["1"]


@given(st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.tuples(*[st.integers(0, n - 1)] * 2)))))
def test_it_is_the_least_topological_order(drawn: tuple[int, set[tuple[int, int]]]) -> None:
    count, edges = drawn
    keys = [f"{number:02}" for number in range(count)]
    dependencies = {key: [keys[low] for low, high in edges if low < high and keys[high] == key] for key in keys}
    order = canonical_order({key: key for key in keys}, dependencies)
    sorter = graphlib.TopologicalSorter(dependencies)
    sorter.prepare()
    expected: list[str] = []
    ready: list[str] = []
    while sorter.is_active():
        ready = sorted([*ready, *sorter.get_ready()])
        expected.append(ready.pop(0))
        sorter.done(expected[-1])
    assert order == expected
