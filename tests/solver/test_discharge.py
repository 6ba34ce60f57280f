"""What counts as proved, and that no worker's death changes or loses an answer."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from blueprint import crosscheck, discharge, exact, normalform
from blueprint.discharge import Evidence, SolverPool
from blueprint.errors import DecidersDisagreeError, UsageError
from blueprint.term import Comparison, Const, Sum, Term, Var, at_most, equal, less, product
from blueprint.verdict import Answer, Obligation, Verdict
from blueprint.worker import Batch

A, B, C, R, S, T = (Var(name) for name in "abcrst")
ONE = Const(1)
BUDGET = 2_000_000


def universal(goal: Comparison, *hypotheses: Comparison, **witness: int) -> Obligation:
    return Obligation(hypotheses, (goal,), witness, ground=False)


def ground(left: Term, right: int, **values: int) -> Obligation:
    fixed = tuple(equal(Var(name), Const(value)) for name, value in values.items())
    return Obligation(fixed, (equal(left, Const(right)),), {}, ground=True)


RULE = equal(product(T, R), product(Const(6), A, B))
LAW = universal(equal(product(T, R, C), product(Const(6), A, B, C)), at_most(ONE, T), RULE, t=2, r=3, a=1, b=1, c=1)
WRONG = universal(equal(product(T, R), product(Const(7), A, B)), at_most(ONE, T), RULE, t=2, r=3, a=1, b=1)
BOUND = universal(at_most(A, product(A, B)), at_most(ONE, A), at_most(ONE, B), a=1, b=1)
REASONED = msgspec.structs.replace(BOUND, because=((A, Sum((B, Const(-1)))),))
FALSE_BOUND = universal(at_most(product(A, B), A), at_most(ONE, A), at_most(ONE, B), a=1, b=1)
FALSE_FAR = universal(  # false only at points that the normal form does not try
    at_most(product(A, B), Const(2000)), at_most(ONE, A), at_most(ONE, B), equal(C, R), a=1, b=1, c=9, r=9
)
NO_WITNESS = universal(equal(A, A), at_most(ONE, A))
CONTRADICTORY = universal(equal(A, Const(5)), less(A, B), less(B, A), a=1, b=1)
GROUND = ground(product(A, B), 42, a=6, b=7)
WRONG_GROUND = ground(product(A, B), 41, a=6, b=7)
VACUOUS_GROUND = Obligation((equal(A, ONE), equal(A, Const(2))), (equal(A, ONE),), {}, ground=True)
HARD = universal(  # q*a is the least multiple of a that is at least b + s: not decided within 100 steps
    at_most(product(C, A), R),
    at_most(ONE, A),
    at_most(ONE, S),
    at_most(Const(0), B),
    at_most(Sum((B, S)), product(C, A)),
    less(product(C, A), Sum((B, S, A))),
    equal(R, product(T, A)),
    at_most(Sum((B, S)), R),
    a=1, b=0, s=1, c=1, t=1, r=1,
)  # fmt: skip
ALL = (LAW, WRONG, BOUND, FALSE_BOUND, FALSE_FAR, NO_WITNESS, CONTRADICTORY, GROUND, WRONG_GROUND, VACUOUS_GROUND, HARD)
MANY = (*ALL, *(ground(Sum((A, B)), n + 2, a=n, b=2) for n in range(100)))


@pytest.fixture(scope="module")
def pool() -> Iterator[SolverPool]:
    with SolverPool(2) as started:
        yield started


@pytest.fixture(scope="module")
def undisturbed(pool: SolverPool) -> list[Evidence]:
    return discharge.discharge(MANY, pool, BUDGET)


def one(obligation: Obligation, pool: SolverPool, budget: int = BUDGET) -> Evidence:
    return discharge.discharge([obligation], pool, budget)[0]


def test_an_equation_is_proved_by_two_deciders(pool: SolverPool) -> None:
    found = one(LAW, pool)
    assert (found.verdict, found.second.verdict, found.reason) == (Verdict.PROVED, Verdict.PROVED, "")
    assert (found.decider, found.second.decider) == ("z3 5.4.1", "normal form")
    assert (found.core, found.counterexample, found.budget) == ((1,), {}, BUDGET)
    assert 0 < found.resource < BUDGET


def test_a_wrong_equation_is_refuted_where_it_really_fails(pool: SolverPool) -> None:
    found = one(WRONG, pool)
    assert found.verdict is Verdict.REFUTED
    assert exact.refutes(WRONG, found.counterexample)


def test_a_wrong_inequality_is_refuted_by_z3_alone_with_apart_variables_from_the_witness(pool: SolverPool) -> None:
    found = one(FALSE_FAR, pool)
    assert (found.verdict, found.second.verdict) == (Verdict.REFUTED, Verdict.UNKNOWN)
    assert exact.refutes(FALSE_FAR, found.counterexample)
    assert found.counterexample["c"] == 9


def test_a_wrong_inequality_is_refuted_by_both_where_a_small_point_does(pool: SolverPool) -> None:
    found = one(FALSE_BOUND, pool)
    assert (found.verdict, found.second.verdict) == (Verdict.REFUTED, Verdict.REFUTED)
    assert exact.refutes(FALSE_BOUND, found.counterexample)
    assert exact.refutes(FALSE_BOUND, found.second.model)


def test_an_inequality_with_its_reason_is_proved_by_two_deciders(pool: SolverPool) -> None:
    found = one(REASONED, pool)
    assert (found.verdict, found.second.verdict, found.reason) == (Verdict.PROVED, Verdict.PROVED, "")
    assert found.second.decider == "normal form"
    assert set(found.core) <= {0, 1}


def test_a_reason_that_does_not_add_up_leaves_an_inequality_without_its_second_decider(pool: SolverPool) -> None:
    found = one(msgspec.structs.replace(BOUND, because=((A,), (B,))), pool)
    assert (found.verdict, found.reason) == (Verdict.UNKNOWN, "no second decider")


def test_a_counterexample_that_violates_a_hypothesis_is_none(pool: SolverPool) -> None:
    # Positivity is left out of equations, so Z3 finds t = 0; with t >= 1 the equation is true.
    cancelled = universal(equal(A, B), at_most(ONE, T), equal(product(T, A), product(T, B)), t=1, a=1, b=1)
    found = one(cancelled, pool)
    assert (found.verdict, found.reason) == (Verdict.UNKNOWN, "counterexample does not re-evaluate")
    assert found.counterexample == {}


def test_an_inequality_needs_the_cross_check(pool: SolverPool) -> None:
    alone = one(BOUND, pool)
    assert (alone.verdict, alone.reason, alone.cross) == (Verdict.UNKNOWN, "no second decider", None)
    crossed = discharge.discharge([BOUND, HARD], pool, BUDGET, crosscheck.decide)
    assert [(e.verdict, e.cross) for e in crossed] == [(Verdict.PROVED, Verdict.PROVED)] * 2
    unsure = discharge.discharge([BOUND, LAW], pool, BUDGET, lambda _: Verdict.UNKNOWN)
    assert [e.verdict for e in unsure] == [Verdict.UNKNOWN, Verdict.PROVED]


def test_a_tiny_budget_is_unknown(pool: SolverPool) -> None:
    found = one(HARD, pool, 100)
    assert (found.verdict, found.reason) == (Verdict.UNKNOWN, "undecided within budget")


def test_hypotheses_without_a_witness(pool: SolverPool) -> None:
    missing, contradictory = discharge.discharge([NO_WITNESS, CONTRADICTORY], pool, BUDGET, lambda _: Verdict.PROVED)
    assert (missing.verdict, missing.reason, missing.cross) == (Verdict.UNKNOWN, "no witness", None)
    assert (contradictory.verdict, contradictory.counterexample) == (Verdict.VACUOUS, {})
    assert contradictory.core == (0, 1)


def test_ground_verdicts(pool: SolverPool) -> None:
    found = discharge.discharge([GROUND, WRONG_GROUND, VACUOUS_GROUND], pool, BUDGET)
    assert [e.verdict for e in found] == [Verdict.PROVED, Verdict.REFUTED, Verdict.VACUOUS]
    assert [e.counterexample for e in found] == [{}, {"a": 6, "b": 7}, {}]
    assert {e.second.decider for e in found} == {"exact"}


def test_a_ground_obligation_with_a_free_variable_is_not_proved(pool: SolverPool) -> None:
    free = Obligation((), (equal(A, A),), {"a": 1}, ground=True)
    assert discharge.discharge([free], pool, BUDGET, lambda _: Verdict.PROVED)[0].verdict is Verdict.UNKNOWN


def test_an_equation_that_z3_does_not_prove_is_not_proved_by_the_others(pool: SolverPool) -> None:
    found = discharge.discharge([LAW], pool, 1, lambda _: Verdict.PROVED)[0]
    assert (found.second.verdict, found.cross) == (Verdict.PROVED, Verdict.PROVED)
    assert (found.verdict, found.reason) == (Verdict.UNKNOWN, "undecided within budget")


def test_a_broken_second_decider_is_a_disagreement(pool: SolverPool, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = one(LAW, pool).digest
    refuted, proved = Answer(Verdict.REFUTED, "broken", model={"t": 1}), Answer(Verdict.PROVED, "broken")
    monkeypatch.setattr(normalform, "decide", lambda _: refuted)
    with pytest.raises(DecidersDisagreeError, match=digest):
        one(LAW, pool)
    monkeypatch.setattr(normalform, "decide", lambda _: proved)
    with pytest.raises(DecidersDisagreeError):
        one(WRONG, pool)
    monkeypatch.setattr(exact, "decide", lambda _: proved)
    with pytest.raises(DecidersDisagreeError):
        one(WRONG_GROUND, pool)


@pytest.mark.parametrize(("obligation", "cross"), [(BOUND, Verdict.REFUTED), (FALSE_BOUND, Verdict.PROVED)])
def test_a_cross_check_that_contradicts_is_a_disagreement(
    pool: SolverPool, obligation: Obligation, cross: Verdict
) -> None:
    with pytest.raises(DecidersDisagreeError):
        discharge.discharge([obligation], pool, BUDGET, lambda _: cross)


def test_an_undecided_second_decider_withholds_the_proof(pool: SolverPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(normalform, "decide", lambda _: Answer(Verdict.UNKNOWN, "broken", "asleep"))
    found = one(LAW, pool)
    assert (found.verdict, found.second.reason) == (Verdict.UNKNOWN, "asleep")


def counting(pool: SolverPool, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many questions each batch has that the pool is given from now on."""
    asked: list[int] = []
    solve = pool.solve

    def counted(batches: Sequence[Batch]) -> list[Answer]:
        asked.extend(len(batch.questions) for batch in batches)
        return solve(batches)

    monkeypatch.setattr(pool, "solve", counted)
    return asked


def test_equal_texts_are_solved_once(pool: SolverPool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = counting(pool, monkeypatch)
    renamed = ground(product(C, T), 42, c=6, t=7)
    crossed: list[str] = []

    def cross(text: str) -> Verdict:
        crossed.append(text)
        return Verdict.PROVED

    found = discharge.discharge([GROUND, renamed, GROUND, BOUND, BOUND], pool, BUDGET, cross)
    assert asked == [1, 1]
    assert len(crossed) == 2  # once a text
    assert [e.verdict for e in found] == [Verdict.PROVED] * 5
    assert found[0] == found[1] == found[2]


def test_equal_ground_questions_are_decided_once_and_answered_in_their_own_names(
    pool: SolverPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Obligation] = []
    decide = exact.decide

    def counted(obligation: Obligation) -> Answer:
        asked.append(obligation)
        return decide(obligation)

    monkeypatch.setattr(exact, "decide", counted)
    renamed = ground(product(C, T), 41, c=6, t=7)
    swapped = ground(product(B, A), 41, a=6, b=7)
    found = discharge.discharge([WRONG_GROUND, renamed, swapped], pool, BUDGET)
    assert len(asked) == 2
    assert [each.counterexample for each in found] == [{"a": 6, "b": 7}, {"c": 6, "t": 7}, {"a": 6, "b": 7}]
    assert [each.second.model for each in found] == [each.counterexample for each in found]
    assert found[0].digest == found[1].digest != found[2].digest


def test_what_is_known_is_not_asked_again_and_is_answered_in_other_names(
    pool: SolverPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    known: dict[bytes, discharge.Evidence] = {}
    first = discharge.discharge([WRONG_GROUND, GROUND, LAW], pool, BUDGET, None, known)
    assert len(known) == 3
    asked = counting(pool, monkeypatch)
    renamed = ground(product(C, T), 41, c=6, t=7)
    again = discharge.discharge([renamed, LAW, GROUND], pool, BUDGET, None, known)
    assert asked == []
    assert again[1:] == [first[2], first[1]]
    assert (first[0].counterexample, again[0].counterexample) == ({"a": 6, "b": 7}, {"c": 6, "t": 7})
    # Another run, with another budget or other deciders, knows nothing of it.
    discharge.discharge([GROUND], pool, BUDGET)
    assert asked == [1]


@pytest.mark.parametrize("impostor", [True, 1.0])
def test_what_only_equals_a_whole_number_does_not_share_its_proof(pool: SolverPool, impostor: int) -> None:
    right = Obligation((equal(A, ONE),), (equal(A, ONE),), {}, ground=True)
    wrong = Obligation((equal(A, ONE),), (equal(A, Const(impostor)),), {}, ground=True)
    assert right == wrong
    for asked in ([right, wrong], [wrong, right]):
        verdicts = [each.verdict for each in discharge.discharge(asked, pool, BUDGET)]
        assert verdicts.count(Verdict.PROVED) == 1
        assert verdicts[asked.index(right)] is not verdicts[1 - asked.index(right)]


def test_evidence_does_not_depend_on_workers_or_order(undisturbed: list[Evidence]) -> None:
    with SolverPool(1) as single:
        backwards = discharge.discharge(MANY[::-1], single, BUDGET)
        again = discharge.discharge(MANY, single, BUDGET)
    assert backwards[::-1] == again == undisturbed


def test_nothing_asked_is_nothing_found(pool: SolverPool) -> None:
    assert discharge.discharge([], pool, BUDGET) == []


@pytest.mark.parametrize("budget", [0, -1, 2**31, True])
def test_a_budget_that_means_no_limit_is_refused(pool: SolverPool, budget: int) -> None:
    with pytest.raises(UsageError):
        discharge.discharge([GROUND], pool, budget)


def test_a_pool_without_workers_is_refused() -> None:
    with pytest.raises(UsageError):
        SolverPool(0)


def test_repeated_squaring_is_unknown_before_z3_sees_it_and_harms_no_other(pool: SolverPool) -> None:
    term: Term = Sum((A, ONE))
    for _ in range(24):
        term = product(term, term)
    large, small = discharge.discharge([universal(equal(term, A), a=1), GROUND], pool, BUDGET)
    assert (large.verdict, large.decider) == (Verdict.UNKNOWN, "none")
    assert "an obligation" in large.reason
    assert small.verdict is Verdict.PROVED


def test_a_ground_question_beyond_the_limits_is_unknown(pool: SolverPool) -> None:
    squared: Term = Sum((A, ONE))
    for _ in range(24):
        squared = product(squared, squared)
    deep: Term = A
    for _ in range(150):
        deep = Sum((deep, ONE))
    found = discharge.discharge([ground(squared, 1, a=1), ground(deep, 151, a=1), GROUND], pool, BUDGET)
    assert [each.verdict for each in found] == [Verdict.UNKNOWN, Verdict.UNKNOWN, Verdict.PROVED]


def kill_busy(pool: SolverPool, number: int) -> threading.Thread:
    """Kills the first busy worker that it sees, `number` times."""

    def run() -> None:
        seen: set[int] = set()
        while len(seen) < number:
            for worker in tuple(pool.workers):
                if worker.pending and worker.process.pid not in seen and len(seen) < number:
                    seen.add(worker.process.pid)
                    os.kill(worker.process.pid, signal.SIGKILL)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_a_killed_worker_loses_nothing(undisturbed: list[Evidence]) -> None:
    with SolverPool(2) as own:
        before = {worker.process.pid for worker in own.workers}
        killer = kill_busy(own, 1)
        found = discharge.discharge(MANY, own, BUDGET)
        killer.join()
        assert len(before & {worker.process.pid for worker in own.workers}) == 1
    assert found == undisturbed


def test_workers_killed_while_idle_are_replaced(undisturbed: list[Evidence]) -> None:
    with SolverPool(2) as own:
        discharge.discharge([GROUND], own, BUDGET)
        for worker in own.workers:
            os.kill(worker.process.pid, signal.SIGKILL)
            worker.process.wait()
        assert discharge.discharge(MANY, own, BUDGET) == undisturbed


def test_a_worker_that_does_not_answer_is_killed_at_the_deadline_and_its_question_retried() -> None:
    with SolverPool(1, deadline=2.0) as own:
        discharge.discharge([GROUND], own, BUDGET)
        stopped = own.workers[0].process
        os.kill(stopped.pid, signal.SIGSTOP)
        assert one(LAW, own).verdict is Verdict.PROVED
        assert stopped.returncode == -signal.SIGKILL


def test_a_question_that_kills_two_workers_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discharge, "COMMAND", (sys.executable, "-c", "raise SystemExit"))
    with SolverPool(2) as broken:
        found = discharge.discharge(ALL, broken, BUDGET)
    # Not even a refutation is lost that exact arithmetic or the normal form has found, and nothing is proved.
    assert [e.verdict for e in found if e.reason == "killed"] == [Verdict.UNKNOWN] * 5
    assert Verdict.PROVED not in {e.verdict for e in found}


def test_a_worker_that_talks_nonsense_is_no_oracle(monkeypatch: pytest.MonkeyPatch) -> None:
    nonsense = "import sys; sys.stdout.buffer.write(b'\\0\\0\\0\\2{}'); sys.stdout.flush(); sys.stdin.read()"
    monkeypatch.setattr(discharge, "COMMAND", (sys.executable, "-c", nonsense))
    with SolverPool(1) as broken:
        found = one(LAW, broken)
    assert (found.verdict, found.reason) == (Verdict.UNKNOWN, "killed")


def test_an_interrupt_kills_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    with SolverPool(2) as own:
        processes = [worker.process for worker in own.workers]
        monkeypatch.setattr(discharge._Run, "_attend", interrupted)
        with pytest.raises(KeyboardInterrupt):
            discharge.discharge([GROUND, LAW], own, BUDGET)
        assert [process.returncode for process in processes] == [-signal.SIGKILL] * 2
        assert own.workers == []


def test_a_question_larger_than_a_pipe_arrives(pool: SolverPool) -> None:
    large = ground(Sum((A, *(Const(10**9 + n) for n in range(15_000)))), 15_000 * 10**9 + sum(range(15_000)) + 1, a=1)
    assert one(large, pool).verdict is Verdict.PROVED


def test_a_worker_has_its_limits(pool: SolverPool) -> None:
    one(GROUND, pool)
    limits = [resource.prlimit(pool.workers[0].process.pid, kind) for kind in (resource.RLIMIT_AS, resource.RLIMIT_CPU)]
    assert limits[0][0] == 2 * 2**30
    assert 100 < limits[1][0] < 200
    environment = Path(f"/proc/{pool.workers[0].process.pid}/environ").read_bytes().split(b"\0")
    # Memory that a context needs is kept for the next one.
    assert {b"MALLOC_MMAP_THRESHOLD_=33554432", b"MALLOC_TRIM_THRESHOLD_=1073741824"} <= set(environment)


def test_a_worker_dies_with_its_parent_even_where_it_cannot_read() -> None:
    script = (
        "import os, signal\nfrom tests.solver import test_discharge as t\n"
        "with t.SolverPool(1) as own:\n"
        "    t.one(t.GROUND, own)\n"
        "    pid = own.workers[0].process.pid\n"
        "    os.kill(pid, signal.SIGSTOP)\n"
        "    print(pid, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    parent = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert parent.returncode == -signal.SIGKILL
    status = Path(f"/proc/{int(parent.stdout)}/stat")
    give_up = time.monotonic() + 60
    while status.exists() and status.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < give_up


def test_a_worker_ends_with_its_input() -> None:
    with SolverPool(1) as own:
        process, stdin = own.workers[0].process, own.workers[0].stdin
        stdin.close()
        assert process.wait() == 0
