"""The worker process: `python -P -m blueprint.worker`. It answers batches of questions until its input ends.

Laws kept here: limits on memory and processor time stand before Z3 is loaded; the process dies with its parent; and
nothing but answer frames reaches its output, because Z3 and Python print to a closed door.
A frame is a length in four bytes, most significant first, and then JSON.
"""

from __future__ import annotations

import os
import resource
import sys
import time

import msgspec

from blueprint.verdict import Verdict

MEMORY_BYTES = 2 * 2**30
PROCESSOR_SECONDS = 120  # for each question; the parent's deadline is the other guard
LENGTH_BYTES = 4

_PR_SET_PDEATHSIG = 1
_SIGKILL = 9


class Question(msgspec.Struct, frozen=True):
    """SMT-LIB2 text over the variables v0 ... v<variables - 1>."""

    text: str
    variables: int


class Batch(msgspec.Struct, frozen=True):
    """Questions that are answered in order, one frame each. Ground ones share a context, universal ones do not."""

    questions: tuple[Question, ...]
    ground: bool
    budget: int


def frame(value: msgspec.Struct) -> bytes:
    """`value` as one frame."""
    data = msgspec.json.encode(value)
    return len(data).to_bytes(LENGTH_BYTES, "big") + data


def main() -> None:
    """Serves the parent. Ends when the parent closes the pipe."""
    _limit(resource.RLIMIT_AS, MEMORY_BYTES)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _limit_processor_time()
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 -- not on every system

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, _SIGKILL)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

    from blueprint import solver  # noqa: PLC0415 -- loads Z3, which must find the limits in place

    decoder = msgspec.json.Decoder(Batch)
    while len(head := sys.stdin.buffer.read(LENGTH_BYTES)) == LENGTH_BYTES:
        batch = decoder.decode(sys.stdin.buffer.read(int.from_bytes(head, "big")))
        context = solver.fresh_context() if batch.ground else None
        for question in batch.questions:
            _limit_processor_time()
            answer = solver.decide(
                question.text, question.variables, batch.budget, ground=batch.ground, context=context
            )
            answers.write(frame(answer))
            answers.flush()
            if batch.ground and answer.verdict is Verdict.UNKNOWN:  # nothing is reused after a solver gave up
                context = solver.fresh_context()


def _limit_processor_time() -> None:
    _limit(resource.RLIMIT_CPU, int(time.process_time()) + 1 + PROCESSOR_SECONDS)


def _limit(kind: int, most: int) -> None:
    """Limit this process, whose own limit may be lower already."""
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


if __name__ == "__main__":
    main()
