"""Given values of one name stay apart, whatever names a bundle makes up; and what is false is shown in words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from blueprint.facts import Question
from blueprint.ir.common import DType
from blueprint.ir.portable import StorageClass
from blueprint.plan import ClaimCheck
from blueprint.rule import Claim
from blueprint.term import Product
from blueprint.wording import failed_facts

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


# Words --------------------------------------------------------------------------------------------------------------


def _refuted(question: Question, names: dict[str, str] | None = None) -> list[tuple[str, str, str, str]]:
    """The false facts of a question as a report shows them: field, found, expected, expression."""
    check = ClaimCheck(Claim.STORAGE, tuple(question.facts), 0)
    shown = failed_facts(check, question.values, names or {})
    return [(each.field, each.found, each.expected, each.expression) for each in shown]


def test_a_false_word_is_shown_as_the_word() -> None:
    question = Question()
    question.word("x.storage", StorageClass.STEP, StorageClass.SAVED)
    question.word("x.dtype", DType.BFLOAT16, DType.BFLOAT16)
    question.word("x.collective", actual=True, expected=False)
    question.word("x.region", "elsewhere", "device memory")
    question.word("x.queue", "", "compute")
    assert _refuted(question) == [
        ("x.storage", "step", "saved", "saved"),
        ("x.collective", "yes", "no", "no"),
        ("x.region", "elsewhere", "device memory", "device memory"),
        ("x.queue", '""', "compute", "compute"),
    ]


def test_a_false_id_is_shown_as_the_name_of_its_entity() -> None:
    names = {"value:1": "x.forward", "value:2": "x.gradient", "value:3": "x.forward"}
    question = Question()
    question.names("task.inputs", ["value:2", "value:9"], ["value:1", "missing value:2", "value:3"])
    assert _refuted(question, names) == [
        ("task.inputs count", "2", "3", "3"),
        ("task.inputs[0]", "x.gradient", "x.forward", "x.forward"),
        ("task.inputs[1]", "value:9", "missing x.gradient", "missing x.gradient"),
        ("task.inputs[2]", "nothing", "x.forward", "x.forward"),
    ]


def test_two_entities_of_one_name_are_told_apart() -> None:
    question = Question()
    question.names("task.inputs", ["value:3"], ["value:1"])
    names = {"value:1": "x.forward", "value:3": "x.forward"}
    assert _refuted(question, names) == [("task.inputs[0]", "value:3", "value:1", "value:1")]


def test_a_false_number_is_shown_with_its_term() -> None:
    question = Question()
    question.number("x.size", 7, Product((question.given("batch", 2), question.given("width", 4))))
    question.number("x.alignment", 2, question.given("width", 4))
    assert _refuted(question) == [("x.size", "7", "8", "batch*width"), ("x.alignment", "2", "4", "width")]


@given(st.text(max_size=300), st.text(max_size=300))
def test_no_foreign_word_reaches_a_reader_raw(found: str, expected: str) -> None:
    question = Question()
    question.word("x", found, expected)
    for _, *sides in _refuted(question, {expected: "\x1b"}):
        assert all(" " <= character <= "~" for side in sides for character in side)
        assert max(map(len, sides)) <= 120
