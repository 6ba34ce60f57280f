"""The law book prints what can be printed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from blueprint.errors import RulebookError
from blueprint.report import laws
from blueprint.rule import PrimitiveRule
from blueprint.rulebook import Rulebook
from blueprint.session import open_rulebook


@pytest.mark.parametrize("form", [laws.text, laws.latex])
def test_a_number_of_more_digits_than_python_prints_is_a_fault_of_the_rulebook(form: Callable[[Rulebook], str]) -> None:
    book = open_rulebook(None)
    rule = next(each for each in book.rules if isinstance(each, PrimitiveRule))
    phase, formula = next(iter(rule.formulas.items()))
    formulas = {**rule.formulas, phase: dataclasses.replace(formula, operations=10**5000 * formula.operations)}
    rules = tuple(dataclasses.replace(rule, formulas=formulas) if each is rule else each for each in book.rules)
    with pytest.raises(RulebookError, match="an equation has too large a number"):
        form(dataclasses.replace(book, rules=rules))
