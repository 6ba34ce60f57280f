"""The second decider proves what expands to zero, refutes only at a real point, and agrees with Z3."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blueprint import exact, normalform, smtlib, solver
from blueprint.term import Comparison, Const, Product, Sum, Term, Var, at_most, equal, evaluate, less, product
from blueprint.verdict import Answer, Obligation, Verdict

NAMES = "wxyz"
ONES = dict.fromkeys(NAMES, 1)
A, B, R, T, W, X = (Var(name) for name in "abrtwx")
ONE = Const(1)

Reason = tuple[tuple[Term, ...], ...]


def decide(goal: Comparison, *hypotheses: Comparison, **witness: int) -> Answer:
    return normalform.decide(Obligation(hypotheses, (goal,), witness, ground=False))


def scaled(factor: int, *terms: Term) -> Term:
    return Product((Const(factor), *terms))


def minus(left: Term, right: Term) -> Term:
    return Sum((left, scaled(-1, right)))


terms = st.recursive(
    st.one_of(st.integers(-3, 3).map(Const), st.sampled_from(NAMES).map(Var)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: Sum(tuple(parts))),
        st.lists(inner, max_size=2).map(lambda parts: Product(tuple(parts))),
    ),
    max_leaves=8,
)


def rewritten(term: Term) -> Term:
    """An equal term: sums turned round, products distributed, a term added and taken away."""
    match term:
        case Sum(parts):
            return Sum((Var("w"), *(rewritten(part) for part in reversed(parts)), scaled(-1, Var("w"))))
        case Product(factors):
            options = [f.terms if isinstance(f, Sum) else (f,) for f in map(rewritten, reversed(factors))]
            return Sum(tuple(Product(choice) for choice in itertools.product(*options)))
        case _:
            return term


@given(terms)
def test_equal_after_expansion_is_proved(term: Term) -> None:
    assert decide(equal(term, rewritten(term)), **ONES).verdict is Verdict.PROVED


@given(terms, terms.filter(lambda t: evaluate(t, ONES) != 0))
def test_perturbed_is_refuted_at_a_real_point(term: Term, error: Term) -> None:
    question = Obligation((), (equal(term, Sum((rewritten(term), error))),), ONES, ground=False)
    answer = normalform.decide(question)
    assert answer.verdict is Verdict.REFUTED
    assert exact.refutes(question, answer.model)


@given(left=terms, right=terms, same=st.booleans())
def test_agreement_with_z3(*, left: Term, right: Term, same: bool) -> None:
    question = Obligation((), (equal(left, rewritten(left) if same else right),), ONES, ground=False)
    ours = normalform.decide(question).verdict
    rendered = smtlib.render(question)
    theirs = solver.decide(rendered.text, len(rendered.names), 2_000_000, ground=False).verdict
    assert ours in {Verdict.PROVED, Verdict.REFUTED}
    assert theirs in {ours, Verdict.UNKNOWN}


def test_a_definition_is_put_into_every_sum_that_has_it_somewhere() -> None:
    goal = equal(A, Sum((Const(2), X)))
    assert decide(goal, equal(A, Sum((B, X))), equal(B, Const(2)), a=3, b=2, x=1).verdict is Verdict.PROVED


def test_a_search_has_its_end() -> None:
    free = [Var(name) for name in "abcdefg"]
    question = Obligation((), (equal(product(*free), product(*free)),), {each.name: 1 for each in free}, ground=False)
    points = normalform._points(question, normalform._system(()))
    # The witness is one more.
    assert sum(1 for _ in points) == 4096 + 1


def test_nothing_is_no_more_than_nothing() -> None:
    assert decide(equal(Const(0), minus(A, A)), a=1).verdict is Verdict.PROVED
    assert decide(equal(product(A, B), Const(0)), equal(B, Const(0)), a=1, b=0).verdict is Verdict.PROVED


def test_a_definition_behind_an_inequality_is_one() -> None:
    assert decide(equal(A, B), at_most(B, X), equal(A, B), a=1, b=1, x=1).verdict is Verdict.PROVED


def test_a_product_of_defined_factors_gives_one_of_what_defines_them() -> None:
    defined = equal(X, product(A, B)), equal(W, product(T, R))
    answer = decide(equal(A, T), *defined, equal(product(X, W), Const(6)), a=2, b=3, t=1, r=1, x=6, w=1)
    assert (answer.verdict, answer.model["a"], answer.model["b"]) == (Verdict.REFUTED, 6, 1)


def test_definitions_are_substituted_in_any_order() -> None:
    goal = equal(W, scaled(4, T, X))
    definitions = (equal(W, product(A, Const(2))), equal(A, product(B, T)), equal(B, scaled(2, X)))
    point = {"w": 4, "a": 2, "b": 2, "t": 1, "x": 1}
    for order in itertools.permutations(definitions):
        assert decide(goal, *order, **point).verdict is Verdict.PROVED
        wrong = decide(equal(W, scaled(5, T, X)), *order, **point)
        assert (wrong.verdict, wrong.model) == (Verdict.REFUTED, point)


@pytest.mark.parametrize(
    "cycle",
    [(equal(A, product(A, B)),), (equal(A, product(B, B)), equal(B, product(A, A))), (equal(A, B), equal(B, A))],
)
def test_cyclic_definitions_prove_nothing_false(cycle: tuple[Comparison, ...]) -> None:
    answer = decide(equal(A, Const(7)), *cycle, a=1, b=1)
    assert answer.verdict is not Verdict.PROVED


def test_a_rewrite_rule_proves_across_a_division() -> None:
    rule = equal(product(T, R), scaled(6, B, X))
    law = equal(product(T, W), scaled(12, B, X))
    assert decide(law, rule, equal(W, scaled(2, R)), t=2, r=3, w=6, b=1, x=1).verdict is Verdict.PROVED


def test_a_rule_may_have_a_sum_on_the_right() -> None:
    rule = equal(product(T, R), Sum((product(B, T), scaled(-1, B))))
    goal = equal(Sum((product(T, R, A), product(A, B))), product(A, B, T))
    assert decide(goal, rule, t=1, r=0, a=1, b=5).verdict is Verdict.PROVED


def test_a_law_refuted_under_a_rule_divides_exactly() -> None:
    rule = equal(product(T, R), scaled(6, B))
    goal = equal(product(T, R, A), scaled(6, B))
    question = Obligation((rule, less(Const(1), T)), (goal,), {"t": 2, "r": 3, "a": 1, "b": 1}, ground=False)
    answer = normalform.decide(question)
    assert answer.verdict is Verdict.REFUTED
    assert exact.refutes(question, answer.model)


def test_where_a_rule_would_divide_by_zero_there_is_no_point_but_the_witness() -> None:
    zero = equal(product(B, T), minus(B, B))
    answer = decide(equal(A, Const(1)), zero, equal(product(T, R), X), a=2, b=1, t=0, r=1, x=0)
    assert (answer.verdict, answer.model) == (Verdict.REFUTED, {"a": 2, "b": 1, "t": 0, "r": 1, "x": 0})


def test_rules_that_never_rest_are_unknown() -> None:
    loop = (equal(product(A, B), product(X, T)), equal(product(X, T), product(A, B)))
    answer = decide(equal(product(A, B), R), *loop, a=1, b=1, x=1, t=1, r=1)
    assert (answer.verdict, answer.reason) == (Verdict.UNKNOWN, "too large")


def test_definitions_that_square_again_and_again_are_unknown() -> None:
    chain = [equal(Var(f"s{i + 1}"), product(Var(f"s{i}"), Var(f"s{i}"))) for i in range(40)]
    point = {f"s{i}": 1 for i in range(41)}
    answer = decide(equal(Var("s40"), Var("s39")), *chain, **point)
    assert (answer.verdict, answer.reason) == (Verdict.UNKNOWN, "too large")


@pytest.mark.parametrize(("size", "verdict"), [(141, Verdict.PROVED), (142, Verdict.UNKNOWN)])
def test_a_product_of_more_than_20000_pairs_is_unknown_however_few_remain(size: int, verdict: Verdict) -> None:
    powers = [Product((A,) * i + (B,) * j) for i in range(12) for j in range(12)]
    square = Product((Sum(tuple(powers[:size])),) * 2)
    answer = decide(equal(square, square), a=1, b=1)
    assert (answer.verdict, answer.reason) == (verdict, "" if verdict is Verdict.PROVED else "too large")


@pytest.mark.parametrize("bound", [at_most(A, Const(1)), less(A, Const(2)), at_most(product(A, B), Const(1))])
def test_an_inequality_is_no_equation_to_rewrite_with(bound: Comparison) -> None:
    assert decide(equal(product(A, B), Const(1)), bound, a=1, b=1).verdict is not Verdict.PROVED


def test_one_false_equation_of_a_goal_refutes() -> None:
    for goal in itertools.permutations((equal(A, A), equal(A, product(A, A)))):
        assert normalform.decide(Obligation((), goal, {"a": 1}, ground=False)).verdict is Verdict.REFUTED


def test_a_second_equation_for_a_variable_is_a_rule() -> None:
    two = (equal(W, product(A, B)), equal(W, product(T, R)))
    assert decide(equal(product(A, B, X), product(T, R, X)), *two, w=1, a=1, b=1, t=1, r=1, x=1).verdict is (
        Verdict.PROVED
    )


def test_the_witness_itself_may_refute() -> None:
    answer = decide(equal(A, Const(6)), at_most(Const(5), A), at_most(A, Const(5)), a=5)
    assert (answer.verdict, answer.model) == (Verdict.REFUTED, {"a": 5})


def test_a_constant_hypothesis_rewrites_nothing() -> None:
    assert decide(equal(A, B), equal(Const(1), Const(1)), a=1, b=1).verdict is Verdict.REFUTED


@pytest.mark.parametrize("left", [Sum((product(A, B), X)), Sum((X, product(A, B))), Sum((product(A, B), ONE))])
def test_a_sum_is_no_product_to_rewrite(left: Term) -> None:
    # With a b + x = t, a rewriter that saw the product alone would prove a b r = t r.
    answer = decide(equal(product(A, B, R), product(T, R)), equal(left, T), a=1, b=1, x=1, t=2, r=1)
    assert answer.verdict is Verdict.REFUTED


def test_a_rule_gives_its_last_factor_the_value_that_makes_it_true() -> None:
    answer = decide(equal(R, B), equal(product(T, R), scaled(6, B)), t=6, r=1, b=1)
    assert (answer.verdict, answer.model) == (Verdict.REFUTED, {"t": 1, "r": 6, "b": 1})
    # The last one as it is written, not by the alphabet.
    last = decide(equal(X, B), equal(product(A, X), scaled(6, B)), a=2, x=3, b=1)
    assert (last.verdict, last.decider, last.model) == (Verdict.REFUTED, "normal form", {"a": 1, "x": 6, "b": 1})
    # A square determines nothing.
    squared = decide(equal(T, B), equal(product(T, T), B), t=1, b=1)
    assert (squared.verdict, squared.model) == (Verdict.REFUTED, {"t": 2, "b": 4})


U = Var("u")


@pytest.mark.parametrize(
    ("first", "found"),
    [
        (equal(product(T, R), product(B, U)), {"u": 6, "r": 6}),
        (equal(product(U, T, R), scaled(12, B)), {"u": 6, "r": 2}),
    ],
    ids=["on the right", "on the left"],
)
def test_a_rule_waits_for_what_a_later_rule_gives(first: Comparison, found: dict[str, int]) -> None:
    later = equal(product(X, U), scaled(6, B))
    point = {"t": 1, "b": 1, "x": 1, **found}
    answer = decide(equal(R, T), first, later, **point)
    assert (answer.verdict, answer.model) == (Verdict.REFUTED, point)


def test_the_witness_is_the_second_point() -> None:
    question = Obligation((), (equal(product(A, B), product(A, A)),), {"a": 7, "b": 5}, ground=False)
    assert normalform.decide(question).model == {"a": 7, "b": 5}


@pytest.mark.parametrize(("degree", "verdict"), [(256, Verdict.PROVED), (257, Verdict.UNKNOWN)])
def test_a_product_of_more_than_256_factors_is_unknown(degree: int, verdict: Verdict) -> None:
    power = Product((A,) * degree)
    answer = decide(equal(power, power), a=1)
    assert (answer.verdict, answer.decider) == (verdict, "normal form")
    assert answer.reason == ("" if verdict is Verdict.PROVED else "too large")


@pytest.mark.parametrize(("size", "verdict"), [(19_999, Verdict.REFUTED), (20_000, Verdict.UNKNOWN)])
def test_more_than_20000_steps_are_unknown(size: int, verdict: Verdict) -> None:
    # Every product takes a step, and to see that none is left takes another.
    many = Sum(tuple(Var(f"x{number}") for number in range(size)))
    answer = decide(equal(many, Const(0)), **{f"x{number}": 1 for number in range(size)})
    assert (answer.verdict, answer.reason) == (verdict, "" if verdict is Verdict.REFUTED else "too large")


@pytest.mark.parametrize(("size", "verdict"), [(20_000, Verdict.PROVED), (20_001, Verdict.UNKNOWN)])
def test_a_sum_of_more_than_20000_products_is_unknown(size: int, verdict: Verdict) -> None:
    many = Sum(tuple(Var(f"x{number}") for number in range(size)))
    answer = decide(equal(many, many), **{f"x{number}": 1 for number in range(size)})
    assert (answer.verdict, answer.reason) == (verdict, "" if verdict is Verdict.PROVED else "too large")


def test_a_coefficient_is_not_divided_away() -> None:
    # A rewriter that forgot the 2 in 2ab = 4x would prove ab = 4x.
    answer = decide(equal(product(A, B), scaled(4, X)), equal(scaled(2, A, B), scaled(4, X)), a=1, b=2, x=1)
    assert answer.verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (decide(at_most(A, A), a=1), "no small counterexample"),
        (decide(equal(A, A)), "no witness"),
        (decide(equal(A, A), less(A, Const(0)), a=1), "no witness"),
        (decide(equal(A, Const(1)), at_most(Const(0), A), equal(product(A, A), A), less(Const(0), A), a=1),
         "no small counterexample"),
        (normalform.decide(Obligation((), (), {}, ground=False)), "empty goal"),
    ],
)  # fmt: skip
def test_unknown_has_its_reason(answer: Answer, reason: str) -> None:
    assert (answer.verdict, answer.reason, answer.decider) == (Verdict.UNKNOWN, reason, "normal form")


def test_the_search_is_repeatable_and_starts_small() -> None:
    question = Obligation((), (equal(product(A, A), A),), {"a": 1}, ground=False)
    assert normalform.decide(question).model == {"a": 2}
    assert normalform.decide(question) == normalform.decide(question)


# Inequalities, which their reason alone proves -----------------------------------------------------------------------

D, E, N, Q = (Var(name) for name in "denq")
SHARE = (at_most(N, product(D, Q)), less(minus(product(D, Q), D), N))
"""q is the largest of d shares of n: d q >= n > d (q - 1)."""

SHORT = Sum((N, scaled(-1, product(D, Q)), D, Const(-1)))
"""What the second hypothesis of SHARE keeps from being negative."""


def positive(*variables: Var) -> tuple[Comparison, ...]:
    return tuple(at_most(ONE, each) for each in variables)


def reasoned(goal: Comparison, because: Reason, *hypotheses: Comparison, **witness: int) -> Answer:
    return normalform.decide(Obligation(hypotheses, (goal,), witness, ground=False, because=because))


POINT = {"d": 3, "n": 7, "q": 3, "e": 2}
LEAST = at_most(product(E, Q), product(E, N))
"""One share is no more than the whole: n - q = (n - d (q - 1) - 1) + (d - 1)(q - 1)."""

WHY: Reason = ((E, SHORT), (E, minus(D, ONE), minus(Q, ONE)))
HELD = (*SHARE, *positive(D, N, Q, E))


def test_an_inequality_is_proved_by_its_reason() -> None:
    assert reasoned(LEAST, WHY, *HELD, **POINT).verdict is Verdict.PROVED
    # Factors and products may come in any order and form.
    turned: Reason = tuple(tuple(rewritten(factor) for factor in reversed(each)) for each in reversed(WHY))
    shown = {**POINT, "w": 1}
    assert reasoned(LEAST, turned, *HELD, *positive(W), **shown).verdict is Verdict.PROVED


def test_a_factor_with_a_negative_constant_may_grow_from_zero() -> None:
    twice_less, goal = minus(scaled(2, T), Const(2)), at_most(Const(2), scaled(2, T))
    assert reasoned(goal, ((twice_less,),), *positive(T), t=1).verdict is Verdict.PROVED
    # One less would be negative at one.
    below = minus(scaled(2, T), Const(3))
    assert reasoned(at_most(Const(3), scaled(2, T)), ((below,),), *positive(T), t=2).verdict is Verdict.REFUTED


def test_a_strict_inequality_is_proved_by_the_reason_for_one_less() -> None:
    goal = less(product(D, Q), Sum((N, D)))
    assert reasoned(goal, ((SHORT,),), *HELD, **POINT).verdict is Verdict.PROVED
    assert reasoned(goal, ((Sum((SHORT, ONE)),),), *HELD, **POINT).verdict is Verdict.UNKNOWN
    assert reasoned(goal, ((SHORT,), ()), *HELD, **POINT).verdict is Verdict.UNKNOWN


def test_a_reason_may_use_equations_of_the_hypotheses() -> None:
    goal = at_most(product(T, A), product(B, X))
    known = (equal(B, product(T, A)), *positive(T, A, X))
    point = {"t": 2, "a": 3, "b": 6, "x": 1}
    assert reasoned(goal, ((B, minus(X, ONE)),), *known, **point).verdict is Verdict.PROVED
    rule = (equal(product(T, R), product(B, X)), *positive(T, R, B, X))
    doubled = at_most(product(B, X), scaled(2, T, R))
    assert reasoned(doubled, ((T, R),), *rule, t=1, r=2, b=1, x=2).verdict is Verdict.PROVED


def test_an_equation_as_goal_needs_no_reason_and_is_not_proved_by_one() -> None:
    assert reasoned(equal(N, N), (), *HELD, **POINT).verdict is Verdict.PROVED
    assert reasoned(equal(product(E, Q), product(E, N)), WHY, *HELD, **POINT).verdict is Verdict.REFUTED


NOT_PROVED: dict[str, tuple[Comparison, Reason, tuple[Comparison, ...]]] = {
    "no reason": (LEAST, (), HELD),
    "a reason of nothing": (LEAST, ((),), HELD),
    "a wrong reason": (LEAST, ((E, SHORT), (E, minus(D, ONE), Q)), HELD),
    "half a reason": (LEAST, WHY[:1], HELD),
    "a reason twice": (LEAST, (*WHY, WHY[1]), HELD),
    "the reason for another inequality": (LEAST, ((minus(D, ONE),),), HELD),
    "the difference as its own reason": (LEAST, ((Sum((product(E, N), scaled(-1, E, Q))),),), HELD),
    "a factor below zero": (at_most(E, N), ((minus(N, E),),), HELD),
    "two factors below zero": (LEAST, ((Const(-1), E, minus(Q, N)),), HELD),
    "a missing premise": (LEAST, WHY, HELD[:1] + HELD[2:]),
    "the other premise": (LEAST, WHY, (HELD[0], less(N, minus(product(D, Q), D)), *HELD[2:])),
    "no positivity of a factor": (LEAST, WHY, tuple(each for each in HELD if each != at_most(ONE, D))),
    "positivity of something else": (
        LEAST,
        WHY,
        (*(each for each in HELD if each != at_most(ONE, E)), at_most(ONE, scaled(2, E))),
    ),
    "a factor that falls": (at_most(scaled(-1, D), ONE), ((Sum((ONE, D)),),), (HELD[0], *HELD[3:])),
    "a factor that begins below zero": (at_most(Const(2), D), ((minus(D, Const(2)),),), HELD),
    "a goal of two": (LEAST, WHY, HELD),
}


@pytest.mark.parametrize("name", NOT_PROVED)
def test_anything_less_than_its_reason_proves_no_inequality(name: str) -> None:
    goal, because, hypotheses = NOT_PROVED[name]
    goals = (goal, goal) if name == "a goal of two" else (goal,)
    # d = 1 and n = q = 2 meet every premise that is left, in either direction.
    points = (POINT, {"d": 1, "n": 2, "q": 2, "e": 1}, {"d": 1, "n": 1, "q": 3, "e": 1})
    asked = [Obligation(hypotheses, goals, point, ground=False, because=because) for point in points]
    assert any(exact.premises_hold(each) for each in asked)
    assert Verdict.PROVED not in {normalform.decide(each).verdict for each in asked}


@pytest.mark.parametrize(
    ("goal", "because"),
    [
        (at_most(product(E, N), product(E, Q)), WHY),
        (less(product(E, Q), product(E, N)), WHY),
        (at_most(N, Const(31)), ((N,),)),
        (at_most(product(D, D), scaled(8, D)), ((D, D),)),
    ],
)
def test_a_false_inequality_is_refuted_at_a_real_point_whatever_its_reason(goal: Comparison, because: Reason) -> None:
    question = Obligation(HELD[2:], (goal,), POINT, ground=False, because=because)
    answer = normalform.decide(question)
    assert answer.verdict is Verdict.REFUTED
    assert exact.refutes(question, answer.model)


@given(terms, terms)
def test_a_reason_is_no_way_around_the_truth(left: Term, right: Term) -> None:
    """Whatever stands in a reason, what it proves is true at every point that Z3 could find."""
    known = positive(*map(Var, NAMES))
    difference = Sum((right, scaled(-1, left)))
    for because in (((difference,),), ((difference, Const(1)),), ((left,), (right,)), ((Const(-1), difference),)):
        question = Obligation(known, (at_most(left, right),), ONES, ground=False, because=because)
        if normalform.decide(question).verdict is Verdict.PROVED:
            rendered = smtlib.render(question)
            found = solver.decide(rendered.text, len(rendered.names), 2_000_000, ground=False).verdict
            assert found in {Verdict.PROVED, Verdict.UNKNOWN}


def test_an_equation_is_proved_after_both_sides_are_multiplied() -> None:
    # t f = 4 t a, so f = 4 a, because t is at least 1.
    whole, goal = equal(product(T, W), scaled(4, T, A)), equal(W, scaled(4, A))
    point = {"t": 2, "w": 12, "a": 3}
    assert reasoned(goal, ((T,),), whole, *positive(T), **point).verdict is Verdict.PROVED
    assert reasoned(goal, (), whole, *positive(T), **point).verdict is not Verdict.PROVED


@pytest.mark.parametrize(
    "hypotheses",
    [
        (),
        (at_most(Const(0), T),),
        (at_most(T, ONE),),
        (at_most(ONE, A),),
        (at_most(ONE, scaled(2, T)),),
        (at_most(ONE, product(T, T)),),
        (equal(T, T),),
    ],
    ids=["nothing", "not negative", "at most one", "another", "twice", "squared", "itself"],
)
def test_scaling_by_what_is_not_known_to_be_positive_does_nothing(hypotheses: tuple[Comparison, ...]) -> None:
    whole, goal = equal(product(T, W), scaled(4, T, A)), equal(W, scaled(4, A))
    # With t = 0 the hypothesis holds and the goal does not.
    assert reasoned(goal, ((T,),), whole, *hypotheses, t=1, w=12, a=3).verdict is not Verdict.PROVED


@pytest.mark.parametrize("factor", [Const(0), Const(2), scaled(0, T), minus(T, T), minus(T, ONE), product(T, T)])
def test_an_equation_is_scaled_by_symbols_alone(factor: Term) -> None:
    """By zero, everything would be equal."""
    false = equal(W, scaled(4, A))
    answer = reasoned(false, ((factor,),), *positive(T, W, A), t=1, w=4, a=1)
    assert answer.verdict is Verdict.REFUTED
    assert answer.model
