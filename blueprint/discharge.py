"""Discharges obligations: workers with Z3 answer the text, a second decider the obligation, and both must agree.

Laws kept here: only two deciders that both say so make PROVED, after an integer witness has shown that the hypotheses
can hold; REFUTED always comes with a counterexample re-evaluated in exact arithmetic; deciders that contradict each
other stop everything. Evidence depends on the obligations, the budget and the deciders' versions alone, and not on the
number of workers or on which of them died: a deadline kills, but never answers anything except UNKNOWN.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import math
import os
import selectors
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self

import msgspec

from blueprint import exact, normalform, smtlib
from blueprint.errors import DecidersDisagreeError, ObligationError, UsageError
from blueprint.settings import MAX_BUDGET
from blueprint.verdict import Answer, Obligation, Verdict
from blueprint.worker import LENGTH_BYTES, Batch, Question, frame

GROUND_BATCH = 32

BRIEF_BUDGET = 500_000
"""Steps for a question whose counterexample already re-evaluates: it is settled, and Z3 is asked only to agree."""

COMMAND = (sys.executable, "-P", "-m", "blueprint.worker")

_CHUNK = 65_536
# Z3 builds and drops a context of some megabytes for each question. Where glibc hands such memory back to the system
# each time, that takes four times as long.
_KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": "33554432", "MALLOC_TRIM_THRESHOLD_": "1073741824"}
_DECODER = msgspec.json.Decoder(Answer)


class Evidence(msgspec.Struct, frozen=True):
    """Everything that was established about one obligation; `digest` is that of its rendered text.

    `said` is the answer of the solver `decider` alone; `verdict` is what the deciders establish together.

    `second` is the exact evaluation of a ground obligation and the normal form of a universal one; `cross` the
    cross-check where one was asked for; `core` the positions of the hypotheses that the proof used.
    """

    digest: str
    verdict: Verdict
    decider: str
    said: Verdict
    budget: int
    resource: int
    second: Answer
    cross: Verdict | None
    core: tuple[int, ...]
    counterexample: Mapping[str, int]
    reason: str


class _Worker:
    """One worker process and the numbers of the questions it has been given and has not answered."""

    def __init__(self) -> None:
        # The worker imports from the parent's places in the parent's order, so both run the same code.
        environment = {**os.environ, **_KEEP_MEMORY, "PYTHONPATH": os.pathsep.join(_import_places())}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(  # noqa: S603 -- a constant command
            COMMAND, bufsize=0, start_new_session=True, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL,
            env=environment,
        )  # fmt: skip
        if self.process.stdin is None or self.process.stdout is None:
            raise RuntimeError("a worker has no pipes")
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        os.set_blocking(self.stdin.fileno(), False)  # a worker that does not read must not stop the parent
        self.pending: deque[int] = deque()
        self.outgoing = memoryview(b"")
        self.incoming = bytearray()
        self.expires = math.inf

    def give(self, numbers: Iterable[int], batch: Batch, expires: float) -> None:
        self.pending.extend(numbers)
        self.outgoing = memoryview(frame(batch))
        self.expires = expires

    def write(self) -> None:
        self.outgoing = self.outgoing[os.write(self.stdin.fileno(), self.outgoing[:_CHUNK]) :]

    def read(self) -> list[Answer]:
        """The answers that have arrived whole."""
        chunk = os.read(self.stdout.fileno(), _CHUNK)
        if not chunk:
            raise EOFError
        self.incoming += chunk
        answers = []
        while len(self.incoming) >= (end := LENGTH_BYTES + int.from_bytes(self.incoming[:LENGTH_BYTES], "big")):
            answers.append(_DECODER.decode(self.incoming[LENGTH_BYTES:end]))
            del self.incoming[:end]
        return answers

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.stdin.close()
        self.stdout.close()


def _import_places() -> list[str]:
    """Where the parent imports from, without the working folder unless the package itself lies there.

    `python -m` puts the working folder first; a file called z3.py beside a bundle must not be run.
    """
    package, here = Path(__file__).resolve().parent.parent, Path.cwd()
    return [place for place in sys.path if place and (Path(place).resolve() != here or here == package)]


class SolverPool:
    """Worker processes that answer questions. `deadline` bounds one question in seconds and exists only to kill."""

    def __init__(self, jobs: int, deadline: float = 120.0) -> None:
        if jobs < 1:
            raise UsageError("a solver pool needs at least one worker")
        self.jobs = jobs
        self.deadline = deadline
        self.workers: list[_Worker] = []

    def start(self) -> None:
        """Starts the workers and does not wait for them: they load Z3 while the caller goes on.

        Call it in a thread that outlives the pool: the kernel ends a worker with the thread that started it.
        """
        self.workers += [_Worker() for _ in range(self.jobs - len(self.workers))]

    def close(self) -> None:
        """Kills the workers. Nothing is lost, because `solve` returns only when everything is answered."""
        while self.workers:
            self.workers.pop().kill()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def solve(self, batches: Iterable[Batch]) -> list[Answer]:
        """The answer to every question of every batch, in order. Interrupted, it leaves no worker behind."""
        self.start()
        try:
            return _Run(self, batches).finish()
        except BaseException:
            self.close()
            raise


class _Run:
    """One call of `solve`: a single thread that waits on the workers' pipes."""

    def __init__(self, pool: SolverPool, batches: Iterable[Batch]) -> None:
        self.pool = pool
        self.questions: list[tuple[Question, Batch]] = []
        self.queue: deque[list[int]] = deque()
        for batch in batches:
            first = len(self.questions)
            self.questions += [(question, batch) for question in batch.questions]
            self.queue.append(list(range(first, len(self.questions))))
        self.answers: dict[int, Answer] = {}
        self.retried: set[int] = set()

    def finish(self) -> list[Answer]:
        while len(self.answers) < len(self.questions):
            for place, worker in enumerate(list(self.pool.workers)):
                if not worker.pending and self.queue:
                    died = worker.process.poll() is not None  # idle, which is no question's fault
                    self._give(self._replace(place) if died else worker, self.queue.popleft())
            self._attend()
        return [self.answers[number] for number in range(len(self.questions))]

    def _give(self, worker: _Worker, numbers: list[int]) -> None:
        batch = self.questions[numbers[0]][1]
        questions = tuple(self.questions[number][0] for number in numbers)
        worker.give(numbers, Batch(questions, batch.ground, batch.budget), time.monotonic() + self.pool.deadline)

    def _attend(self) -> None:
        """Waits for the next event of a busy worker and handles all that have come."""
        with selectors.DefaultSelector() as selector:
            for place, worker in enumerate(self.pool.workers):
                if worker.pending:
                    selector.register(worker.stdout, selectors.EVENT_READ, place)
                    if worker.outgoing:
                        selector.register(worker.stdin, selectors.EVENT_WRITE, place)
            wait = min(worker.expires for worker in self.pool.workers if worker.pending) - time.monotonic()
            events = [(key.data, mask) for key, mask in selector.select(max(0.0, wait))]
        lost = set()
        for place, mask in events:
            worker = self.pool.workers[place]
            try:
                if mask & selectors.EVENT_WRITE:
                    worker.write()
                else:
                    self._accept(worker)
            except (OSError, EOFError, IndexError, msgspec.MsgspecError):  # dead, or it broke the protocol
                lost.add(place)
        now = time.monotonic()
        lost.update(i for i, worker in enumerate(self.pool.workers) if worker.pending and worker.expires < now)
        for place in sorted(lost):
            self._recover(place)

    def _accept(self, worker: _Worker) -> None:
        for answer in worker.read():
            self.answers[worker.pending.popleft()] = answer
            worker.expires = time.monotonic() + self.pool.deadline

    def _recover(self, place: int) -> None:
        """Only the question being answered is under suspicion: it goes alone to a new worker, once."""
        pending = list(self.pool.workers[place].pending)
        worker = self._replace(place)
        if pending[1:]:
            self.queue.appendleft(pending[1:])
        for current in pending[:1]:
            if current in self.retried:
                self.answers[current] = Answer(Verdict.UNKNOWN, "z3", "killed")
            else:
                self.retried.add(current)
                self._give(worker, [current])

    def _replace(self, place: int) -> _Worker:
        self.pool.workers[place].kill()
        self.pool.workers[place] = worker = _Worker()
        return worker


def discharge(
    obligations: Sequence[Obligation],
    pool: SolverPool,
    budget: int,
    cross_check: Callable[[str], Verdict] | None = None,
    known: dict[bytes, Evidence] | None = None,
) -> list[Evidence]:
    """Evidence for each obligation, in order. Equal ones are decided once, and those that are `known` not again.

    `known` is evidence by the digest of the obligation's bytes, decided with this budget and these deciders; what is
    decided here is added. `cross_check` answers every obligation that has a witness, once a text. It stands in as the
    second decider where the normal form has no answer, as for inequalities. What is too large to be stated is UNKNOWN.
    Raises DecidersDisagreeError where one decider proves what another refutes.
    """
    if type(budget) is not int or not 0 < budget <= MAX_BUDGET:
        raise UsageError(f"a solver budget is a whole number from 1 to {MAX_BUDGET}")
    known = {} if known is None else known
    keys: list[bytes] = []
    forms: dict[bytes, Obligation] = {}
    for each in obligations:
        form = smtlib.numbered(each)[0] if each.ground else each
        # Told apart by their bytes and not as values, among which True and 1 are equal.
        keys.append(hashlib.sha256(msgspec.json.encode(form)).digest())
        if keys[-1] not in known:
            forms.setdefault(keys[-1], form)
    posed: dict[bytes, smtlib.Rendered] = {}
    for key, form in forms.items():
        try:
            posed[key] = smtlib.render(form)
        except ObligationError as error:
            known[key] = _unstated(key.hex(), error.message, budget)
    decided = _decide([forms[key] for key in posed], list(posed.values()), pool, budget, cross_check)
    known |= zip(posed, decided, strict=True)
    return [_named(known[key], each) for key, each in zip(keys, obligations, strict=True)]


def _named(evidence: Evidence, obligation: Obligation) -> Evidence:
    """Evidence about a numbered obligation, in the names of the one that was asked."""
    if not obligation.ground or not evidence.counterexample:
        return evidence
    names = smtlib.numbered(obligation)[1]
    shown, point = ({names[int(i)]: v for i, v in m.items()} for m in (evidence.counterexample, evidence.second.model))
    second = msgspec.structs.replace(evidence.second, model=point)
    return msgspec.structs.replace(evidence, counterexample=shown, second=second)


def _unstated(digest: str, reason: str, budget: int) -> Evidence:
    nothing = Answer(Verdict.UNKNOWN, "none", "not stated")
    return Evidence(digest, Verdict.UNKNOWN, "none", Verdict.UNKNOWN, budget, 0, nothing, None, (), {}, reason)


def _decide(
    obligations: Sequence[Obligation],
    rendered: Sequence[smtlib.Rendered],
    pool: SolverPool,
    budget: int,
    cross_check: Callable[[str], Verdict] | None,
) -> list[Evidence]:
    witnessed = [obligation.ground or exact.premises_hold(obligation) for obligation in obligations]
    # Without a witness the only question left is whether the hypotheses contradict each other.
    asked = [
        text if witness else smtlib.render_premises(obligation)
        for obligation, text, witness in zip(obligations, rendered, witnessed, strict=True)
    ]
    seconds = [exact.decide(each) if each.ground else normalform.decide(each) for each in obligations]
    budgets = [
        budget if each.ground or second.verdict is not Verdict.REFUTED else min(budget, BRIEF_BUDGET)
        for each, second in zip(obligations, seconds, strict=True)
    ]
    answers = _solve(obligations, asked, budgets, pool)
    crossed: dict[str, Verdict] = {}
    found = []
    rows = zip(obligations, rendered, asked, witnessed, seconds, budgets, strict=True)
    for obligation, main, question, witness, second, allowed in rows:
        answer = answers[obligation.ground, question.text]
        cross = None
        if cross_check is not None and witness:
            cross = crossed[main.text] = crossed.get(main.text) or cross_check(main.text)
        model = {name: answer.model[f"v{i}"] for i, name in enumerate(question.names) if f"v{i}" in answer.model}
        if witness:
            verdict, reason, counterexample = _conclude(main.digest, obligation, answer, second, cross, model)
        else:
            contradictory = answer.verdict is Verdict.PROVED
            verdict = Verdict.VACUOUS if contradictory else Verdict.UNKNOWN
            reason, counterexample = "contradictory hypotheses" if contradictory else "no witness", {}
        found.append(
            Evidence(
                main.digest, verdict, answer.decider, answer.verdict, allowed, answer.resource, second, cross,
                answer.core, counterexample, reason,
            )
        )  # fmt: skip
    return found


def _solve(
    obligations: Sequence[Obligation], asked: Sequence[smtlib.Rendered], budgets: Sequence[int], pool: SolverPool
) -> dict[tuple[bool, str], Answer]:
    unique: dict[tuple[bool, str], tuple[Question, int]] = {}
    for each, question, allowed in zip(obligations, asked, budgets, strict=True):
        key = (each.ground, question.text)
        most = max(allowed, unique[key][1]) if key in unique else allowed
        unique[key] = (Question(question.text, len(question.names)), most)
    # Batches are cut here and not by the workers, so that what shares a context does not depend on their number.
    # The longest come first: a worker that begins one last would keep the others waiting.
    order = sorted(unique, key=lambda key: (key[0], -len(key[1]), key[1]))
    first_ground = sum(not ground for ground, _ in order)
    cuts = [*range(first_ground), *range(first_ground, len(order), GROUND_BATCH), len(order)]
    batches = [
        Batch(tuple(unique[key][0] for key in order[start:stop]), order[start][0], unique[order[start]][1])
        for start, stop in itertools.pairwise(cuts)
    ]
    return dict(zip(order, pool.solve(batches), strict=True))


def _conclude(
    digest: str, obligation: Obligation, answer: Answer, second: Answer, cross: Verdict | None, model: Mapping[str, int]
) -> tuple[Verdict, str, Mapping[str, int]]:
    """The verdict on an obligation whose hypotheses can hold, its reason, and its counterexample."""
    said = {answer.verdict, second.verdict, cross}
    if said >= {Verdict.PROVED, Verdict.REFUTED}:
        raise DecidersDisagreeError(f"deciders contradict each other on the obligation {digest}")
    if second.verdict is Verdict.VACUOUS:
        return Verdict.VACUOUS, second.reason, {}
    if answer.verdict is Verdict.PROVED:
        # For a ground obligation exact evaluation always answers; another solver cannot stand in for it.
        if second.verdict is Verdict.PROVED or (cross is Verdict.PROVED and not obligation.ground):
            return Verdict.PROVED, "", {}
        return Verdict.UNKNOWN, "no second decider", {}
    if Verdict.REFUTED in (answer.verdict, second.verdict):
        # The second decider's points are small. Z3's model lacks the hypotheses that do not reach the goal, and there
        # the witness holds.
        for candidate in (second.model, {**obligation.witness, **model}):
            if exact.refutes(obligation, candidate):
                return Verdict.REFUTED, "", candidate
        return Verdict.UNKNOWN, "counterexample does not re-evaluate", {}
    return Verdict.UNKNOWN, answer.reason, {}
