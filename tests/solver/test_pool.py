"""The pool by itself, with workers that know no solver: every question has its own answer, whoever dies."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from blueprint import discharge
from blueprint.discharge import SolverPool
from blueprint.errors import UsageError
from blueprint.verdict import Answer, Verdict
from blueprint.worker import Batch, Question

OBEDIENT = """
import os, sys, time
import msgspec
from blueprint.verdict import Answer, Verdict
from blueprint.worker import Batch, frame
decoder = msgspec.json.Decoder(Batch)
output = sys.stdout.buffer
while head := sys.stdin.buffer.read(4):
    batch = decoder.decode(sys.stdin.buffer.read(int.from_bytes(head, "big")))
    for question in batch.questions:
        word, _, rest = question.text.partition(" ")
        answer = frame(Answer(Verdict.PROVED, word, rest[:9] + str((batch.ground, batch.budget)), resource=len(rest)))
        if word == "die" or (word == "once" and not os.path.exists(rest)):
            if word == "once":
                open(rest, "w").close()
            sys.exit(1)
        if word == "sleep":
            time.sleep(60)
        if word == "slowly":
            output.write(answer[:5])
            output.flush()
            answer = answer[5:]
        if word == "environment":
            answer = frame(Answer(Verdict.PROVED, word, os.environ.get(rest, "")))
        if word == "garbage":
            answer = b"\\0\\0\\0\\2[]"
        output.write(answer * (2 if word == "twice" else 1))
        output.flush()
"""
"""Does as the first word of a question says, and answers with it."""

KILLED = Answer(Verdict.UNKNOWN, "z3", "killed")


@pytest.fixture(autouse=True)
def obedient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that do as they are told."""
    monkeypatch.setattr(discharge, "COMMAND", (sys.executable, "-P", "-c", OBEDIENT))


def batch(*words: str, ground: bool = True, budget: int = 7) -> Batch:
    return Batch(tuple(Question(word, 0) for word in words), ground, budget)


def said(*batches: Batch, jobs: int = 1) -> list[str]:
    """What the pool answers: the first word of each question, or why there is no answer."""
    with SolverPool(jobs) as pool:
        answers = pool.solve(batches)
    return [each.reason if each == KILLED else each.decider for each in answers]


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_question_has_its_own_answer_in_order(jobs: int) -> None:
    with SolverPool(jobs) as pool:
        assert pool.solve([]) == []
        first = [batch("a x", "slowly y", "c"), batch("d", ground=False, budget=8), batch("e"), batch("f", "g")]
        for asked in (first, first[::-1]):
            expected = [
                Answer(Verdict.PROVED, word, rest + str((each.ground, each.budget)), resource=len(rest))
                for each in asked
                for word, _, rest in (question.text.partition(" ") for question in each.questions)
            ]
            assert pool.solve(asked) == expected
        assert len(pool.workers) == jobs


def test_questions_and_answers_larger_than_a_pipe_arrive() -> None:
    with SolverPool(1) as pool:
        (answer, other) = pool.solve([batch("large " + "x" * 1_000_000, "other")])
        assert (answer.resource, other.decider) == (1_000_000, "other")
        many = pool.solve([batch(*(f"q{number}" for number in range(5_000)))])
    assert [each.decider for each in many] == [f"q{number}" for number in range(5_000)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_only_the_question_that_kills_is_without_an_answer(jobs: int) -> None:
    assert said(batch("a", "die", "b", "c"), batch("d"), jobs=jobs) == ["a", "killed", "b", "c", "d"]
    assert said(batch("die", "die", "b"), jobs=jobs) == ["killed", "killed", "b"]
    assert said(batch("a", "b", "die"), batch("die"), jobs=jobs) == ["a", "b", "killed", "killed"]


def test_a_question_whose_worker_died_is_asked_once_more(tmp_path: Path) -> None:
    once = [f"once {tmp_path / str(number)}" for number in range(3)]
    assert said(batch("a", once[0], "b"), batch(*once[1:], "c")) == ["a", "once", "b", "once", "once", "c"]


def test_at_the_deadline_a_worker_is_killed_and_its_question_unknown_in_the_end() -> None:
    with SolverPool(1) as pool:
        assert [each.decider for each in pool.solve([batch("a")])] == ["a"]
        asleep = pool.workers[0]
        pool.deadline = 0.05
        assert pool.solve([batch("sleep")]) == [KILLED]
        assert asleep.process.returncode == -signal.SIGKILL
        pool.deadline = 120.0
        assert [each.decider for each in pool.solve([batch("b")])] == ["b"]


@pytest.mark.parametrize(
    ("word", "answers"), [("garbage", ["a", "killed", "b"]), ("twice", ["a", "twice", "b"]), ("x", ["a", "x", "b"])]
)
def test_a_worker_that_breaks_the_protocol_ends_nothing_but_itself(word: str, answers: Sequence[str]) -> None:
    with SolverPool(1) as pool:
        found = pool.solve([batch("a"), batch(word), batch("b")])
        assert [each.reason if each == KILLED else each.decider for each in found] == answers
        assert [each.decider for each in pool.solve([batch("again")])] == ["again"]


def test_a_pool_has_workers() -> None:
    with pytest.raises(UsageError):
        SolverPool(0)


def test_a_worker_that_died_idle_is_replaced_before_it_is_asked() -> None:
    with SolverPool(2) as pool:
        pool.solve([batch("a"), batch("b")])
        for worker in pool.workers:
            os.kill(worker.process.pid, signal.SIGKILL)
            worker.process.wait()
        assert [each.decider for each in pool.solve([batch("c"), batch("d"), batch("e")])] == ["c", "d", "e"]


def test_a_pool_starts_by_itself_once_and_leaves_nobody_behind() -> None:
    pool = SolverPool(2)
    assert [each.decider for each in pool.solve([batch("a")])] == ["a"]
    workers = list(pool.workers)
    pool.start()
    pool.solve([batch("b")])
    assert pool.workers == workers
    assert len(workers) == 2
    pool.close()
    assert pool.workers == []
    assert [worker.process.returncode for worker in workers] == [-signal.SIGKILL] * 2
    assert all(worker.stdin.closed and worker.stdout.closed for worker in workers)


def test_what_goes_wrong_in_a_run_is_raised_and_leaves_nobody_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    with SolverPool(2) as pool:
        workers = list(pool.workers)
        monkeypatch.setattr(discharge._Run, "_attend", lambda _: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            pool.solve([batch("a")])
        assert pool.workers == []
    assert [worker.process.returncode for worker in workers] == [-signal.SIGKILL] * 2


def test_a_worker_imports_from_where_its_parent_does_but_not_from_the_working_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = str(Path(discharge.__file__).resolve().parent.parent)
    monkeypatch.setattr(sys, "path", [str(tmp_path), "", package, *(each for each in sys.path if each != package)])
    monkeypatch.setenv("OF_THE_PARENT", "kept")
    names = ("PYTHONPATH", "OF_THE_PARENT", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_")
    asked = batch(*(f"environment {name}" for name in names))

    def told() -> list[str]:
        with SolverPool(1) as pool:
            return [each.reason for each in pool.solve([asked])]

    elsewhere = told()
    assert elsewhere[0].split(os.pathsep) == [each for each in sys.path if each]
    # A context of Z3 takes some megabytes, which are kept for the next one.
    assert elsewhere[1:] == ["kept", str(32 * 2**20), str(2**30)]
    monkeypatch.chdir(tmp_path)
    assert told()[0].split(os.pathsep) == [each for each in sys.path if each and each != str(tmp_path)]
    monkeypatch.chdir(package)
    assert package in told()[0].split(os.pathsep)
