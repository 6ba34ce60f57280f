"""The largest of several numbers keeps its contract, and says so where it would not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blueprint.workload import maximum
from blueprint.workload.maximum import largest


@given(st.lists(st.integers(0, 10**30), min_size=1, max_size=5))
def test_the_largest_is_one_of_them_and_below_none(arms: list[int]) -> None:
    found = largest(arms)
    assert found in arms
    assert not any(found < arm for arm in arms)


@pytest.mark.parametrize(
    "broken",
    [min, sum, lambda arms: sorted(arms)[1], lambda arms: max(arms) + 1],
    ids=["the smallest", "the sum", "the second", "more than all"],
)
def test_a_result_that_breaks_the_contract_is_an_error(
    broken: Callable[[Sequence[int]], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maximum, "max", broken, raising=False)
    with pytest.raises(ArithmeticError, match="breaks its contract"):
        largest((3, 5, 7))
