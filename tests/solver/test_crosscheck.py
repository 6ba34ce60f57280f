"""cvc5 on the same text: exact words, a limit that bites, and no silent absence."""

from __future__ import annotations

import sys

import pytest

from blueprint import crosscheck
from blueprint.errors import UsageError
from blueprint.smtlib import render
from blueprint.term import Const, Sum, Var, at_most, equal, less, product
from blueprint.verdict import Obligation, Verdict

A, B, S, Q, K, Y = (Var(name) for name in "absqky")
END = Sum((B, S))
HYPOTHESES = (
    at_most(Const(1), A),
    at_most(Const(1), S),
    at_most(Const(0), B),
    at_most(END, product(Q, A)),
    less(product(Q, A), Sum((B, S, A))),
    equal(Y, product(K, A)),
    at_most(END, Y),
)
# q*a is the least multiple of a that is at least b + s.
LEAST = render(Obligation(HYPOTHESES, (at_most(product(Q, A), Y),), {}, ground=False)).text


def test_proved() -> None:
    assert crosscheck.decide(LEAST) is Verdict.PROVED


def test_refuted() -> None:
    wrong = Obligation(HYPOTHESES, (equal(product(Q, A), Y),), {}, ground=False)
    assert crosscheck.decide(render(wrong).text) is Verdict.REFUTED


def test_the_limit_bites(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crosscheck, "RESOURCE_LIMIT", 1)
    assert crosscheck.decide(LEAST) is Verdict.UNKNOWN


@pytest.mark.parametrize(
    "text", ["", "(check-sat", "unsat", '(echo "unsat")(check-sat)', LEAST + LEAST, LEAST + "(check-sat)"]
)
def test_anything_else_is_unknown(text: str) -> None:
    assert crosscheck.decide(text) is Verdict.UNKNOWN


def test_without_cvc5_it_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cvc5", None)
    with pytest.raises(UsageError, match="cvc5"):
        crosscheck.decide(LEAST)
