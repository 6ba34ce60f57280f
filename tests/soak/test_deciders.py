"""A sample of the recorded questions: no way of putting them changes a verdict, and the table tells when one does."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
import z3

from blueprint import exact
from blueprint.verdict import Answer, Obligation, Verdict
from tests.soak import deciders
from tests.soak.deciders import (
    DRAWN,
    SEEDS,
    Other,
    Outcome,
    examined,
    recorded,
    renamed,
    reordered,
    table,
    totals,
    variables,
)
from tests.solver.claims import ground
from tests.solver.test_agreement import check_ground

SAMPLE = recorded(8)


@pytest.mark.parametrize("path", SAMPLE, ids=lambda path: path.stem)
def test_no_way_of_putting_a_question_changes_its_verdict(path: Path) -> None:
    found = examined(path)
    assert found.verdict is (Verdict.REFUTED if path.parent.name == "negative" else Verdict.PROVED)
    assert found.changed() == []
    assert len(found.others) == len(SEEDS) + 2 * DRAWN
    assert all(each.steps > 0 for each in found.others)


def test_the_sample_is_of_both_verdicts() -> None:
    assert {path.parent.name == "negative" for path in SAMPLE} == {True, False}
    assert len(recorded()) > 900


TEXT = """(set-logic QF_NIA)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(assert (! (<= 1 v0) :named h0))
(assert (! (= v1 (* v0 v2)) :named h1))
(assert (not (= v1 v2)))
(check-sat)
"""


def test_another_naming_exchanges_numbers_everywhere() -> None:
    others = {renamed(TEXT, random.Random(seed)) for seed in range(20)}  # noqa: S311 -- the same in every run
    assert len(others) > 3
    for each in others:
        found = re.search(r"\(<= 1 (v\d)\)", each)
        assert found
        assert f"(* {found[1]} " in each
        assert variables(each) == 3
        assert sorted(each) == sorted(TEXT)


def test_another_order_has_the_same_lines() -> None:
    others = {reordered(TEXT, random.Random(seed)) for seed in range(20)}  # noqa: S311 -- the same in every run
    assert len(others) > 5
    for each in others:
        lines = each.splitlines()
        assert sorted(lines) == sorted(TEXT.splitlines())
        assert (lines[0], lines[-1]) == ("(set-logic QF_NIA)", "(check-sat)")
        assert all(line.startswith("(declare") for line in lines[1:4])


def test_the_seed_reaches_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[object, ...]] = []
    kept = z3.Solver.set

    def noted(solver: z3.Solver, *arguments: object) -> None:
        given.append(arguments)
        kept(solver, *arguments)

    monkeypatch.setattr(z3.Solver, "set", noted)
    assert deciders.decide(TEXT, 7).verdict is Verdict.REFUTED
    assert ("random_seed", 7) in given
    assert ("random_seed", 0) not in given


def outcome(*others: Other) -> Outcome:
    return Outcome("some/law.smt2", Verdict.PROVED, 100, others)


def test_the_table_counts_what_changed() -> None:
    proved, unknown = Verdict.PROVED, Verdict.UNKNOWN
    steady = outcome(*(Other(way, 0, proved, 100) for way in deciders.WAYS))
    changed = outcome(Other("seeds", 0, unknown, 105), Other("names", 0, proved, 111), Other("order", 0, proved, 100))
    assert (steady.changed(), changed.changed()) == ([], ["seeds"])
    assert (changed.strays("seeds"), changed.strays("names")) == (False, True)
    assert totals([steady, changed], "names") == [211 / 200]
    refuted = steady._replace(verdict=Verdict.REFUTED, steps=7)
    lines = table([steady, changed, refuted])
    assert lines[0] == "2 questions proved, 200 steps in the recorded way"
    assert lines[1].startswith("  seeds: 1 verdicts changed; all steps together 102.5% to 102.5%")
    assert lines[2].startswith("  names: 0 verdicts changed; all steps together 105.5% to 105.5%")
    assert lines[2].endswith("1 questions differ by more than 10%")
    assert lines[5] == "1 questions refuted, 7 steps in the recorded way"


@pytest.mark.parametrize(("steps", "ways"), [(109, []), (111, ["names"]), (91, []), (89, ["names"])])
def test_steps_that_stray_are_a_failure_where_something_is_proved(steps: int, ways: list[str]) -> None:
    ways_of = dict.fromkeys(deciders.WAYS, 100) | {"names": steps}
    found = outcome(*(Other(way, 0, Verdict.PROVED, taken) for way, taken in ways_of.items()))
    refuted = found._replace(verdict=Verdict.REFUTED, steps=1)
    assert deciders.unsteady([found, refuted]) == ways
    assert deciders.unsteady([refuted]) == []


def test_a_changed_verdict_is_a_failure(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fickle(_text: str, seed: int) -> Answer:
        return Answer(Verdict.UNKNOWN if seed == 3 else Verdict.PROVED, "z3", resource=1)

    monkeypatch.setattr(deciders.examined, "__defaults__", (fickle,))
    assert deciders.main(2) == 1
    shown = capsys.readouterr().out
    assert "seeds: 2 verdicts changed" in shown
    assert shown.count("CHANGED") == 2
    assert "2 random ground claims" in shown


def test_claims_on_which_deciders_disagree_are_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def lying(_obligation: Obligation) -> Answer:
        return Answer(Verdict.PROVED, "exact")

    monkeypatch.setattr(exact, "decide", lying)
    with pytest.raises(AssertionError):
        deciders.drawn(check_ground, ground(), 50)
