"""Given values of one name stay apart, whatever names a bundle makes up; and what is false is shown in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blueprint import exact
from blueprint.errors import ObligationError
from blueprint.facts import Question, words
from blueprint.ir.common import DType
from blueprint.ir.portable import StorageClass
from blueprint.plan import ClaimCheck
from blueprint.rule import Claim
from blueprint.term import Const, Product, Var, equal, holds, less
from blueprint.verdict import Verdict
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


# What a question asks -----------------------------------------------------------------------------------------------

X, T, D, N, N_D = (Var(name) for name in ("x", "t", "D", "N", "n_D"))


def test_a_second_value_of_a_name_gets_a_prime_and_a_third_a_number() -> None:
    question = Question()
    assert [question.given("x", value).name for value in (3, 4, 5, 3, 5, 4)] == ["x", "x'", "x'2", "x", "x'2", "x'"]
    assert question.values == {"x": 3, "x'": 4, "x'2": 5}
    # Another name has primes of its own, whatever the first one's are.
    assert [question.given("y", value).name for value in (3, 4, 5)] == ["y", "y'", "y'2"]


def test_a_premise_is_supposed_once() -> None:
    question = Question()
    for premise in (equal(X, T), less(X, T), equal(X, T)):
        question.suppose(premise)
    assert question.premises == [equal(X, T), less(X, T)]


def test_a_share_is_asked_for_by_what_it_is_multiplied_with() -> None:
    question = Question()
    share = question.divided("x", 12, 4)
    assert share == Var("x/t")
    assert question.values == {"x": 12, "t": 4, "x/t": 3}
    assert question.premises == [equal(Product((T, share)), X)]
    # Over another degree it has another name, whether or not the first is taken.
    for asked in (Question(), question):
        asked.given("t", 4)
        assert asked.divided("x", 12, 1) == Var("x/t'")
        assert asked.values["t'"] == 1


@pytest.mark.parametrize(("whole", "ranks", "share"), [(12, 4, 3), (13, 4, 4), (16, 4, 4), (3, 4, 1), (5, 1, 5)])
def test_the_largest_share_is_the_least_that_suffices(whole: int, ranks: int, share: int) -> None:
    """D n >= N > D (n - 1), which only the quotient rounded up meets."""
    question = Question()
    assert question.largest_share(question.given("N", whole), whole, ranks) == N_D
    assert question.values == {"N": whole, "D": ranks, "n_D": share}
    least, below = question.premises
    for n in range(-2, 2 * share + 2):
        values = {**question.values, "n_D": n}
        assert (holds(least, values) and holds(below, values)) is (n == share)
    named = Question()
    assert named.largest_share(named.given("N", whole), whole, ranks, "ranks", "share") == Var("share")
    assert named.values == {"N": whole, "ranks": ranks, "share": share}


def test_a_word_is_asked_for_by_its_position() -> None:
    question = Question()
    question.word("a", DType.BFLOAT16, DType.FLOAT32)
    question.word("b", actual=True, expected=False)
    question.word("c", "x", "y")
    question.word("d", "y", "y")
    assert [fact.actual for fact in question.facts] == [Const(2), Const(1), Const(1), Const(0)]
    assert [fact.expected for fact in question.facts] == [Var(name) for name in "abcd"]
    assert question.values == {"a": 0, "b": 0, "c": 0, "d": 0}
    assert [fact.words for fact in question.facts] == [
        (DType.BFLOAT16, DType.FLOAT32), (True, False), ("x", "y"), ("y", "y"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("actual", "expected"), [(DType.FLOAT32, StorageClass.STEP), (True, DType.FLOAT32), (DType.FLOAT32, False)]
)
def test_words_of_two_vocabularies_are_not_compared(
    *, actual: DType | bool, expected: DType | StorageClass | bool
) -> None:
    with pytest.raises(ObligationError, match="two vocabularies"):
        Question().word("a", actual, expected)


@pytest.mark.parametrize(("actual", "expected"), [("float32", DType.FLOAT32), (DType.FLOAT32, "float32"), ("0", False)])
def test_a_name_is_no_word_of_a_vocabulary(*, actual: DType | str, expected: DType | str | bool) -> None:
    question = Question()
    question.word("a", actual, expected)
    assert decided(question) is Verdict.REFUTED


def decided(question: Question) -> Verdict:
    return exact.decide(question.obligation()).verdict


@pytest.mark.parametrize(
    ("actual", "good"),
    [
        (("p", "q", "p"), True),
        (("q", "p", "q"), False),
        (("p", "q", "q"), False),
        (("p", "q", "r"), False),
        (("p", "q"), False),
        (("p", "q", "p", "p"), False),
        ((), False),
        (("p", "q", "nothing"), False),
    ],
)
def test_lists_of_names_are_equal_one_by_one(actual: tuple[str, ...], *, good: bool) -> None:
    question = Question()
    question.names("ids", actual, ("p", "q", "p"))
    assert decided(question) is (Verdict.PROVED if good else Verdict.REFUTED)


def test_names_are_numbered_by_their_first_place_among_the_expected() -> None:
    question = Question()
    question.names("ids", ("q", "s"), ("p", "q", "p"))
    assert [(fact.label, fact.actual, fact.words) for fact in question.facts] == [
        ("ids count", Const(2), None),
        ("ids[0]", Const(1), ("q", "p")),
        ("ids[1]", Const(2), ("s", "q")),
        ("ids[2]", Const(3), ("nothing", "p")),
    ]
    assert question.values == {"ids count": 3, "ids[0]": 0, "ids[1]": 1, "ids[2]": 0}


@pytest.mark.parametrize(
    ("actual", "shared", "differing"),
    [
        (("p", "q", "p"), 3, None),
        (("p", "r", "p"), 1, ("r", "q")),
        (("q", "q", "p"), 0, ("q", "p")),
        (("p", "q"), 2, None),
        (("p", "q", "p", "q"), 3, None),
        ((), 0, None),
    ],
)
def test_long_lists_are_equal_up_to_where_they_differ(
    actual: tuple[str, ...], shared: int, differing: tuple[str, str] | None
) -> None:
    question = Question()
    question.series("ids", actual, ("p", "q", "p"))
    length = Var("ids count")
    assert [(fact.label, fact.actual, fact.expected, fact.words) for fact in question.facts] == [
        ("ids count", Const(len(actual)), length, None),
        ("ids in order", Const(shared), length, differing),
    ]
    assert question.values == {"ids count": 3}
    assert decided(question) is (Verdict.PROVED if actual == ("p", "q", "p") else Verdict.REFUTED)


@pytest.mark.parametrize(
    ("actual", "good"), [((12, 24), True), ((24, 12), False), ((12,), False), ((12, 24, 1), False), ((12, -1), False)]
)
def test_lists_of_sizes_are_equal_one_by_one(actual: tuple[int, ...], *, good: bool) -> None:
    question = Question()
    x = question.given("x", 12)
    question.sizes("shape", actual, (x, Product((Const(2), x))))
    assert decided(question) is (Verdict.PROVED if good else Verdict.REFUTED)


def test_no_size_is_no_size_of_any_size() -> None:
    question = Question()
    question.sizes("shape", (), (question.given("x", 0),))
    assert [fact.actual for fact in question.facts] == [Const(0), Const(-1)]


def test_a_question_is_an_obligation_about_all_its_facts_under_all_its_premises() -> None:
    question = Question()
    question.number("n", 3, question.divided("x", 12, 4))
    question.number("m", 12, X)
    asked = question.obligation()
    assert asked.hypotheses == (
        equal(X, Const(12)), equal(T, Const(4)), equal(Var("x/t"), Const(3)), equal(Product((T, Var("x/t"))), X),
    )  # fmt: skip
    assert asked.goal == (equal(Const(3), Var("x/t")), equal(Const(12), X))
    assert (asked.witness, asked.ground) == ({"x": 12, "t": 4, "x/t": 3}, True)
    assert decided(question) is Verdict.PROVED
    question.number("n", 4, Var("x/t"))
    assert decided(question) is Verdict.REFUTED
    question.divided("x", 13, 4)
    assert decided(question) is Verdict.VACUOUS


def test_several_words_of_one_entity_are_several_facts() -> None:
    question = Question()
    words("task", question, (("dtype", DType.FLOAT16, DType.FLOAT32), ("name", "a", "a")))
    assert [fact.label for fact in question.facts] == ["task.dtype", "task.name"]
    assert [fact.actual for fact in question.facts] == [Const(1), Const(0)]
