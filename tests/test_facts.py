"""Given values of one name stay apart, whatever names a bundle makes up."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from blueprint.facts import Question

NAMES = st.sampled_from(["x", "x'", "x'2", "x''", "x'2'", "y"])


@given(st.lists(st.tuples(NAMES, st.integers(0, 6))))
def test_a_variable_has_one_value_and_each_value_of_a_name_one_variable(pairs: list[tuple[str, int]]) -> None:
    question = Question()
    found = [(name, value, question.given(name, value)) for name, value in pairs]
    assert all(question.values[variable.name] == value for _, value, variable in found)
    assert all(question.given(name, value) == variable for name, value, variable in found)


def test_many_values_of_one_name_need_one_step_each() -> None:
    """Names are counted and not searched: each is asked for only once."""
    question = Question()
    names = {question.given("n", value).name for value in range(2000)}
    assert len(names) == len(question.values) == 2000
    assert max(map(len, names)) <= len("n'2000")
