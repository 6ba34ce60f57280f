"""The text is canonical, holds nothing but sums of monomials, and is bounded."""

from __future__ import annotations

import hashlib
import re

import msgspec
import pytest

from blueprint import smtlib
from blueprint.errors import ObligationError
from blueprint.settings import MAX_BITS
from blueprint.smtlib import MAX_DEPTH, MAX_FACTORS, MAX_MONOMIALS, numbered, render, render_premises
from blueprint.term import Comparison, Const, Product, Sum, Term, Var, at_most, equal, less, product
from blueprint.verdict import Obligation

A, B, C, D = (Var(name) for name in "abcd")
ONE = Const(1)


def ask(goal: Comparison, *hypotheses: Comparison, ground: bool = False, comments: tuple[str, ...] = ()) -> Obligation:
    return Obligation(hypotheses, (goal,), {}, ground, comments)


def goal_line(left: Term, right: Term = ONE) -> str:
    return render(ask(equal(left, right))).text.splitlines()[-2]


def test_the_whole_text() -> None:
    goal, hypotheses = equal(product(A, B), product(Const(2), C)), (at_most(ONE, A), equal(A, product(C, C)))
    rendered = render(ask(goal, *hypotheses, comments=("qkv-projection", "v0 is a")))
    assert rendered.text == (
        "; qkv-projection\n; v0 is a\n(set-logic QF_NIA)\n"
        "(declare-const v0 Int)\n(declare-const v1 Int)\n(declare-const v2 Int)\n"
        "(assert (! (= v0 (* v1 v1)) :named h1))\n(assert (not (= (* v0 v2) (* 2 v1))))\n(check-sat)\n"
    )
    assert rendered.names == ("a", "c", "b")
    assert rendered.digest == hashlib.sha256(rendered.text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("term", "written"),
    [
        (Const(-5), "(- 5)"),
        (Const(0), "0"),
        (Sum(()), "0"),
        (Product(()), "1"),
        (product(Const(-1), A), "(* (- 1) v0)"),
        (product(Const(2), A, Const(-3), B), "(* (- 6) v0 v1)"),
        (product(ONE, A), "v0"),
        (product(Const(0), A), "(* 0 v0)"),
        (product(A, Sum((B, C))), "(+ (* v0 v1) (* v0 v2))"),
        (product(Sum((A, Const(2))), Sum((A, Const(3)))), "(+ (* v0 v0) (* 3 v0) (* 2 v0) 6)"),
        (Sum((A, Sum((B, product(Const(-1), A))))), "(+ v0 v1 (* (- 1) v0))"),
        (Sum((A, A)), "(+ v0 v0)"),
    ],
)
def test_product_form_is_distributed_and_never_collected(term: Term, written: str) -> None:
    assert goal_line(term) == f"(assert (not (= {written} 1)))"


def test_each_relation_and_a_goal_of_several() -> None:
    goal = (equal(A, B), at_most(A, B), less(A, B))
    assert render(Obligation((), goal, {}, ground=False)).text.splitlines()[-2] == (
        "(assert (not (and (= v0 v1) (<= v0 v1) (< v0 v1))))"
    )


def test_equal_questions_up_to_names_are_one_text() -> None:
    first = render(ask(equal(A, product(B, C)), equal(B, D)))
    second = render(ask(equal(C, product(D, A)), equal(D, Var("v0 (evil) | ; \\ \0"))))
    assert first.text == second.text
    assert first.digest == second.digest
    assert first.names != second.names
    assert first.digest != render(ask(equal(A, product(C, B)), equal(B, D))).digest


def test_no_other_operator_and_no_name_can_appear() -> None:
    text = render(ask(less(product(Sum((A, B)), Sum((C, Const(-7)))), D), equal(D, product(A, A)))).text
    words = set(re.findall(r"[^\s()]+", text))
    allowed = {"set-logic", "QF_NIA", "declare-const", "Int", "assert", "!", ":named", "not", "check-sat"}
    assert all(re.fullmatch(r"[vh]?[0-9]+|[-+*=<]|<=", word) for word in words - allowed)


def test_only_hypotheses_that_reach_the_goal() -> None:
    kept = (equal(A, product(B, B)), equal(B, C))
    apart = equal(D, Const(5))
    text = render(ask(equal(A, ONE), apart, *kept)).text
    assert re.findall(r":named (h\d)", text) == ["h1", "h2"]
    assert text.count("declare-const") == 3


@pytest.mark.parametrize("positive", [at_most(ONE, A), less(Const(0), A)])
def test_positivity_only_beside_an_inequality(positive: Comparison) -> None:
    other = at_most(ONE, D)
    assert ":named" not in render(ask(equal(A, B), positive, other)).text
    assert re.findall(r":named (h\d)", render(ask(at_most(A, B), positive, other)).text) == ["h0"]
    beside = render(ask(equal(A, B), positive, less(B, C), other)).text
    assert re.findall(r":named (h\d)", beside) == ["h0", "h1"]


def test_positivity_beside_an_equation_whose_reason_divides() -> None:
    """The text must say what the reason divides by: with v0 = 0 the equation would be false."""
    whole, goal = equal(product(A, B), product(Const(4), A, C)), equal(B, product(Const(4), C))
    asked = ask(goal, whole, at_most(ONE, A), at_most(ONE, C), at_most(ONE, D))
    assert re.findall(r":named (h\d)", render(asked).text) == ["h0"]
    divided = msgspec.structs.replace(asked, because=((A,),))
    text = render(divided).text
    # That of what stands apart is left out as ever.
    assert re.findall(r":named (h\d)", text) == ["h0", "h1", "h2"]
    assert "(assert (! (<= 1 v0) :named h1))" in text
    assert text != render(asked).text
    # The reason itself is no part of the question.
    assert render(msgspec.structs.replace(asked, because=((C,), (D, D)))).text == text


def test_a_reason_changes_nothing_where_positivity_stands_already() -> None:
    asked = ask(at_most(A, product(A, B)), at_most(ONE, A), at_most(ONE, B))
    assert render(msgspec.structs.replace(asked, because=((A, B),))).text == render(asked).text


@pytest.mark.parametrize(
    "bound",
    [
        at_most(Const(2), A),
        less(Const(1), A),
        at_most(A, ONE),
        at_most(ONE, product(A, A)),
        at_most(ONE, product(Const(2), A)),
    ],
)
def test_other_bounds_are_no_positivity(bound: Comparison) -> None:
    assert ":named h0" in render(ask(equal(A, B), bound)).text


def test_ground_hypotheses_have_no_names() -> None:
    text = render(ask(equal(A, ONE), equal(A, ONE), ground=True)).text
    assert "(assert (= v0 1))\n(assert (not (= v0 1)))" in text


def test_premises_are_all_hypotheses_without_a_goal() -> None:
    text = render_premises(ask(equal(A, ONE), at_most(ONE, A), equal(B, C))).text
    assert re.findall(r":named (h\d)", text) == ["h0", "h1"]
    assert "not" not in text


@pytest.mark.parametrize("line", ["two\nlines", "caf\xe9", "\x1b[0m", "tab\t", "\x7f"])
def test_a_comment_is_one_line_of_printable_ascii(line: str) -> None:
    with pytest.raises(ObligationError):
        render(ask(equal(A, ONE), comments=(line,)))


def test_the_digest_covers_the_comments() -> None:
    first, second = (render(ask(equal(A, ONE), comments=(comment,))) for comment in "xy")
    assert first.digest != second.digest


def test_an_empty_goal_is_refused() -> None:
    with pytest.raises(ObligationError):
        render(Obligation((equal(A, ONE),), (), {"a": 1}, ground=True))


def squared(times: int) -> Term:
    term: Term = Sum((A, ONE))
    for _ in range(times):
        term = product(term, term)
    return term


def wide(times: int) -> Term:
    term: Term = A
    for _ in range(times):
        term = Sum((term, term))
    return term


def idle(times: int) -> Term:
    term: Term = Product(())
    for _ in range(times):
        term = product(term, term)
    return term


@pytest.mark.parametrize(
    "term",
    [
        squared(7),
        squared(40),
        wide(40),
        idle(40),
        Product((A,) * (MAX_FACTORS + 1)),
        Sum((A,) * (MAX_MONOMIALS + 1)),
        Const(2**5000),
        Product((Const(2**3000), Const(2**3000))),
        Const(True),  # noqa: FBT003 -- that is the point
        Const(1.0),  # type: ignore[arg-type]
    ],
    ids=["degree", "squaring", "wide", "idle", "factors", "monomials", "bits", "product-bits", "bool", "float"],
)
def test_beyond_the_limits_is_refused(term: Term) -> None:
    with pytest.raises(ObligationError):
        render(ask(equal(term, ONE)))


def deep(times: int, *kinds: type[Sum | Product]) -> Term:
    term: Term = A
    for level in range(times):
        term = kinds[level % len(kinds)]((term,))
    return term


@pytest.mark.parametrize("kinds", [(Sum,), (Product,), (Sum, Product)], ids=["sums", "products", "both"])
def test_a_deep_term_is_refused(kinds: tuple[type[Sum | Product], ...]) -> None:
    for times in (MAX_DEPTH + 1, 5000):
        with pytest.raises(ObligationError, match="nested too deeply"):
            render(ask(equal(deep(times, *kinds), ONE)))
    assert goal_line(deep(MAX_DEPTH, *kinds)) == "(assert (not (= v0 1)))"


def test_the_limits_are_met_exactly() -> None:
    assert (MAX_DEPTH, MAX_FACTORS, MAX_MONOMIALS, MAX_BITS) == (100, 64, 20_000, 4_096)
    assert render(ask(equal(Sum((A,) * MAX_MONOMIALS), ONE))).names == ("a",)
    assert render(ask(equal(Const(-(2**MAX_BITS - 1)), A))).names == ("a",)
    for beyond in (Const(2**MAX_BITS), Const(-(2**MAX_BITS))):
        with pytest.raises(ObligationError, match=f"at most {MAX_BITS} bits"):
            render(ask(equal(beyond, A)))


def test_the_nodes_of_all_sides_are_counted_together() -> None:
    # A tree of 2^(n + 1) - 1 nodes: 131,071 are within the limit, and twice as many are not.
    goal = equal(idle(16), A)
    assert render(ask(goal)).names == ("a",)
    for hypotheses in ((goal,), (equal(A, idle(16)),)):
        with pytest.raises(ObligationError, match="too many terms"):
            render(ask(goal, *hypotheses))
    with pytest.raises(ObligationError, match="too many terms"):
        render(ask(equal(idle(16), idle(16))))


def test_within_the_limits_is_accepted() -> None:
    assert render(ask(equal(Product((A,) * MAX_FACTORS), Const(2**4095)))).text.count("v0") == MAX_FACTORS + 1


def test_a_numbered_question_says_the_same_in_numbers() -> None:
    asked = Obligation(
        (equal(B, Const(2)), at_most(A, Sum((B, product(A, ONE))))),
        (less(A, B), equal(A, A)),
        {"a": 1, "b": 2},
        ground=True,
    )
    zero, one = Var("0"), Var("1")
    form, names = numbered(asked)
    assert form.hypotheses == (equal(zero, Const(2)), at_most(one, Sum((zero, product(one, ONE)))))
    assert form.goal == (less(one, zero), equal(one, one))
    assert (form.witness, form.ground, names) == ({"1": 1, "0": 2}, True, ("b", "a"))


def test_only_equal_questions_are_equal_in_numbers() -> None:
    asked = ask(equal(A, B), less(B, C), ground=True)
    renamed = ask(equal(C, D), less(D, A), ground=True)
    others = (
        ask(equal(A, B), less(C, B), ground=True),
        ask(equal(A, B), at_most(B, C), ground=True),
        ask(equal(A, A), less(B, C), ground=True),
        ask(less(A, B), less(B, C), ground=True),
    )
    assert numbered(asked)[0] == numbered(renamed)[0]
    assert all(numbered(each)[0] != numbered(asked)[0] for each in others)


def test_a_question_beyond_the_limits_has_no_numbers() -> None:
    for term in (wide(40), deep(5000, Sum)):
        asked = ask(equal(term, ONE), ground=True)
        assert numbered(asked) == (asked, ())


def test_a_product_that_is_too_long_is_refused_before_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    kept = smtlib._bounded

    def seen(monomials: list[tuple[int, tuple[str, ...]]], count: int = 0) -> list[tuple[int, tuple[str, ...]]]:
        made.append(len(monomials))
        return kept(monomials, count)

    monkeypatch.setattr(smtlib, "_bounded", seen)
    long = Sum((A,) * 200)
    with pytest.raises(ObligationError, match="more than 20000 monomials"):
        render(ask(equal(product(long, long), A)))
    assert max(made) <= 200
