"""Z3 behind its one door: exact words, fixed seeds, a budget that bites, and resource counts that repeat."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import z3

from blueprint import solver, worker
from blueprint.errors import UsageError
from blueprint.verdict import Answer, Verdict

BUDGET = 1_000_000
DECLARED = "".join(f"(declare-const v{i} Int)\n" for i in range(6))


def text(*assertions: str) -> str:
    return "(set-logic QF_NIA)\n" + DECLARED + "".join(f"(assert {a})\n" for a in assertions) + "(check-sat)\n"


PROOF = text(
    "(! (<= 1 v0) :named h0)",
    "(! (= v1 (* v0 v2)) :named h3)",
    "(! (= v2 3) :named h7)",
    "(! (= v3 0) :named h9)",
    "(not (= v1 (* 3 v0)))",
)
LEAST = text(  # decided by Z3's strategy for QF_NIA and not by its incremental core
    "(! (<= 1 v0) :named h0)",
    "(! (<= 1 v1) :named h1)",
    "(! (<= 0 v2) :named h2)",
    "(! (<= (+ v2 v1) (* v3 v0)) :named h3)",
    "(! (< (* v3 v0) (+ v2 v1 v0)) :named h4)",
    "(! (= v5 (* v4 v0)) :named h5)",
    "(! (<= (+ v2 v1) v5) :named h6)",
    "(not (<= (* v3 v0) v5))",
)


def test_unsat_is_proved_with_its_core() -> None:
    answer = solver.decide(PROOF, 4, BUDGET, ground=False)
    assert (answer.verdict, answer.core, answer.model) == (Verdict.PROVED, (3, 7), {})
    assert 0 < answer.resource < BUDGET


def test_what_the_incremental_core_leaves_open_the_strategy_decides_and_names_every_hypothesis() -> None:
    answer = solver.decide(LEAST, 4, 10_000_000, ground=False)
    assert (answer.verdict, answer.core) == (Verdict.PROVED, (0, 1, 2, 3, 4, 5, 6))
    assert 0 < answer.resource < 10_000_000


HARD = text(  # with the arithmetic that Z3 takes by default: 37,000 steps, or none suffice, as the seed has it
    "(! (= v0 (* v1 v2)) :named h0)",
    "(! (= (* v3 v2) (* v4 v5)) :named h1)",
    "(not (= (+ (* 4 v0 v4) (* 3 v3 v2 v2) (* (- 2) v4 v5 v1)) (+ (* 4 v4 v1 v2) (* 3 v4 v5 v2) (* (- 2) v3 v2 v1))))",
)


def test_a_proof_takes_as_many_steps_whatever_the_seed_within_a_tenth(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []
    kept = z3.Solver.set
    for seed in range(5):
        with monkeypatch.context() as patch:
            patch.setattr(z3.Solver, "set", lambda own, *pair, seed=seed: kept(own, pair[0], pair[1] or seed))
            answer = solver.decide(HARD, 6, BUDGET, ground=False)
        assert (answer.verdict, answer.core) == (Verdict.PROVED, (0, 1))
        taken.append(answer.resource)
    assert max(taken) <= 1.1 * min(taken)


def test_a_ground_question_goes_to_the_strategy_where_the_incremental_core_gives_up() -> None:
    assert solver.decide(LEAST, 4, solver.BRIEF, ground=True).verdict is Verdict.UNKNOWN
    answer = solver.decide(LEAST, 4, 10_000_000, ground=True)
    assert (answer.verdict, answer.core, answer.resource) == (Verdict.PROVED, (), 0)


def test_sat_is_refuted_with_every_value_as_an_integer() -> None:
    power = " ".join(["v0"] * 23)
    answer = solver.decide(text("(= v0 (- 7))", f"(= v1 (* {power}))"), 4, BUDGET, ground=False)
    assert answer.verdict is Verdict.REFUTED
    assert (answer.model["v0"], answer.model["v1"]) == (-7, (-7) ** 23)
    assert set(answer.model) == {"v0", "v1", "v2", "v3"}
    assert all(type(value) is int for value in answer.model.values())
    assert 0 < answer.resource < BUDGET


def test_a_model_with_more_digits_than_python_prints_is_no_answer() -> None:
    answer = solver.decide(text(f"(= v0 1{'0' * sys.get_int_max_str_digits()})"), 4, BUDGET, ground=False)
    assert (answer.verdict, answer.reason, answer.model) == (Verdict.UNKNOWN, "solver error", {})


def test_a_tiny_budget_is_unknown() -> None:
    answer = solver.decide(LEAST, 4, 1, ground=False)
    assert (answer.verdict, answer.reason, answer.model) == (Verdict.UNKNOWN, "undecided within budget", {})
    assert answer.resource > 0


@pytest.mark.parametrize("budget", [0, -1, 2**31, 2**32 + 5, True, 1.5])
def test_a_budget_that_z3_would_misread_is_refused(budget: int) -> None:
    with pytest.raises(UsageError):
        solver.decide(PROOF, 4, budget, ground=False)
    assert solver.decide(PROOF, 4, 2**31 - 1, ground=False).verdict is Verdict.PROVED


@pytest.mark.parametrize("wrong", ["(assert", text("(= v9 1)"), text("(= v0 1.5.2)")])
def test_unreadable_text_is_unknown(wrong: str) -> None:
    answer = solver.decide(wrong, 4, BUDGET, ground=False)
    assert (answer.verdict, answer.reason) == (Verdict.UNKNOWN, "solver error")


def test_questions_that_share_a_context_share_nothing_else() -> None:
    context = solver.fresh_context()
    contradiction, fine = text("(= v0 1)", "(= v0 2)"), text("(= v0 1)", "(= v1 2)")
    for _ in range(3):
        assert solver.decide(contradiction, 4, BUDGET, ground=True, context=context).verdict is Verdict.PROVED
        answer = solver.decide(fine, 4, BUDGET, ground=True, context=context)
        assert (answer.verdict, answer.model["v1"]) == (Verdict.REFUTED, 2)
        assert (answer.resource, answer.core) == (0, ())


def test_a_ground_question_takes_the_context_that_it_is_given_and_else_a_fresh_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[z3.Context] = []
    fresh_context = solver.fresh_context

    def counted() -> z3.Context:
        made.append(fresh_context())
        return made[-1]

    monkeypatch.setattr(solver, "fresh_context", counted)
    for context, fresh in ((fresh_context(), 0), (None, 1), (fresh_context(), 0)):
        made.clear()
        assert solver.decide(LEAST, 4, BUDGET, ground=True, context=context).verdict is Verdict.PROVED
        assert len(made) == fresh


def test_a_universal_question_never_shares_a_context() -> None:
    context = solver.fresh_context()
    for asked in (LEAST, PROOF):  # by the strategy, and by the incremental core
        shared = [solver.decide(asked, 6, 10_000_000, ground=False, context=context) for _ in range(2)]
        assert shared == [solver.decide(asked, 6, 10_000_000, ground=False)] * 2


@pytest.mark.parametrize("asked", [PROOF, text("(= v0 1)"), "(assert"])
def test_every_answer_names_the_solver_and_its_version(asked: str) -> None:
    assert solver.decide(asked, 4, BUDGET, ground=False).decider == f"z3 {z3.get_version_string()}"
    assert solver.decide(LEAST, 4, 1, ground=False).decider == f"z3 {z3.get_version_string()}"


NOISY = """\
import os
from blueprint import solver, worker
decide = solver.decide
def noisy(*args, **options):
    print("noise", flush=True)
    os.write(1, b"noise")
    return decide(*args, **options)
solver.decide = noisy
worker.main()
"""


NUMBERED = """\
import itertools
from blueprint import solver, worker
from blueprint.verdict import Answer, Verdict
contexts = itertools.count(1)
solver.fresh_context = lambda: next(contexts)
def decide(text, variables, budget, *, ground, context=None):
    verdict = Verdict.UNKNOWN if text == "too hard" else Verdict.PROVED
    return Answer(verdict, text, resource=context or 0, core=(variables, budget, int(ground)))
solver.decide = decide
worker.main()
"""


def test_ground_questions_share_a_context_until_a_solver_gives_up() -> None:
    asked = [worker.Question(text, number) for number, text in enumerate(("a", "b", "too hard", "c", "d"))]
    batches = [worker.Batch(tuple(asked), ground, 7) for ground in (True, False, True)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    said = subprocess.run(
        [sys.executable, "-c", NUMBERED], input=b"".join(map(worker.frame, batches)), env=env,
        capture_output=True, check=True,
    ).stdout  # fmt: skip
    contexts = [1, 1, 1, 2, 2, *[0] * 5, 3, 3, 3, 4, 4]
    expected = [
        Answer(
            Verdict.UNKNOWN if question.text == "too hard" else Verdict.PROVED,
            question.text,
            resource=contexts.pop(0),
            core=(question.variables, 7, int(batch.ground)),
        )
        for batch in batches
        for question in batch.questions
    ]
    assert said == b"".join(map(worker.frame, expected))


def test_nothing_but_answers_leaves_a_worker_and_each_batch_is_asked_as_what_it_is() -> None:
    question = worker.Question(PROOF, 4)
    batches = [worker.Batch((question,) * 2, ground, BUDGET) for ground in (True, False)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    said = subprocess.run(
        [sys.executable, "-c", NOISY],
        input=b"".join(map(worker.frame, batches)),
        env=env,
        capture_output=True,
        check=True,
    ).stdout
    answers = [solver.decide(PROOF, 4, BUDGET, ground=ground) for ground in (True, True, False, False)]
    assert said == b"".join(map(worker.frame, answers))
    assert [bool(each.resource) for each in answers] == [False, False, True, True]


def test_the_steps_of_the_strategy_do_not_depend_on_those_of_the_incremental_core(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = []
    for brief in (1_000, solver.BRIEF):
        monkeypatch.setattr(solver, "BRIEF", brief)
        answers.append(solver.decide(LEAST, 4, 10_000_000, ground=False))
    assert answers[0] == answers[1]


def test_resource_counts_repeat_in_fresh_processes_and_after_other_work() -> None:
    script = (
        "import sys; from blueprint import solver; from tests.solver import test_solver as t\n"
        "for _ in range(int(sys.argv[1])): solver.decide(t.LEAST, 4, t.BUDGET, ground=False)\n"
        "print(solver.decide(t.PROOF, 4, t.BUDGET, ground=False), solver.decide(t.LEAST, 4, t.BUDGET, ground=False))"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    runs = [
        subprocess.run([sys.executable, "-c", script, n], env=env, capture_output=True, check=True, text=True).stdout
        for n in "002"
    ]
    assert "resource=" in runs[0]
    assert runs[0] == runs[1] == runs[2]
