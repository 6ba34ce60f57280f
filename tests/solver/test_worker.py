"""A worker process lives within limits, whoever starts it, and not longer than its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from blueprint.verdict import Answer, Verdict
from blueprint.worker import Batch, Question, frame

GIB = 2**30
COMMAND = (sys.executable, "-P", "-m", "blueprint.worker")
PATIENCE = 60
"""Seconds in which anything here should happen."""

EASY = "(set-logic QF_NIA)\n(declare-const v0 Int)\n(assert (not (= v0 v0)))\n(check-sat)\n"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts workers, after a command of the shell; they are killed in the end."""
    started: list[subprocess.Popen[bytes]] = []

    def popen(before: str = ":") -> subprocess.Popen[bytes]:
        command = ("sh", "-c", f'{before}; exec "$@"', "sh", *COMMAND)
        made = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        started.append(made)
        return made

    yield popen
    for each in started:
        each.kill()
        each.communicate()


def limits(process: subprocess.Popen[bytes]) -> dict[str, str]:
    """The soft limits of a process by their names, as the kernel has them."""
    rows = Path(f"/proc/{process.pid}/limits").read_text(encoding="ascii").splitlines()[1:]
    return {row[:26].strip(): row[26:47].strip() for row in rows}


def await_z3(process: int) -> None:
    """Wait until a worker has loaded Z3, and done all that comes before."""
    end = time.monotonic() + PATIENCE
    while "libz3" not in Path(f"/proc/{process}/maps").read_text(encoding="utf-8"):
        assert time.monotonic() < end
        time.sleep(0.01)


def settled(process: subprocess.Popen[bytes]) -> dict[str, str]:
    """The limits of a worker that has been asked nothing."""
    await_z3(process.pid)
    return limits(process)


def spent(process: subprocess.Popen[bytes]) -> int:
    """The whole seconds of processor time that a process has taken."""
    fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) // os.sysconf("SC_CLK_TCK")


def ask(process: subprocess.Popen[bytes], text: str) -> Answer:
    """Put one universal question to a worker."""
    assert process.stdin
    assert process.stdout
    process.stdin.write(frame(Batch((Question(text, 1),), ground=False, budget=100_000)))
    process.stdin.flush()
    length = int.from_bytes(process.stdout.read(4), "big")
    return msgspec.json.decode(process.stdout.read(length), type=Answer)


def test_limits_stand_before_anything_is_asked(start: Start) -> None:
    worker = start()
    found = settled(worker)
    assert found["Max address space"] == str(2 * GIB)
    assert found["Max core file size"] == "0"
    # 120 seconds from when it was set, rounded up: exactly so, where less than a second has been spent since the start.
    assert 121 <= int(found["Max cpu time"]) <= 121 + spent(worker)


def test_every_question_has_its_own_time(start: Start) -> None:
    worker = start()
    assert ask(worker, EASY).verdict is Verdict.PROVED
    first = int(limits(worker)["Max cpu time"])
    while spent(worker) <= first - 121:
        ask(worker, EASY)
    ask(worker, EASY)
    assert int(limits(worker)["Max cpu time"]) > first


def test_a_lower_limit_of_the_parent_stays(start: Start) -> None:
    lower = 3 * GIB // 2
    worker = start(f"ulimit -v {lower // 1024}")
    assert settled(worker)["Max address space"] == str(lower)
    assert ask(worker, EASY).verdict is Verdict.PROVED
    worker = start(f"ulimit -Hv {4 * GIB // 1024}")
    assert settled(worker)["Max address space"] == str(2 * GIB)


PARENT = f"""
import subprocess, sys, time
print(subprocess.Popen({COMMAND!r}).pid, flush=True)
time.sleep({PATIENCE * 10})
"""


def test_a_worker_dies_with_its_parent_though_its_input_stays_open() -> None:
    reader, writer = os.pipe()
    with subprocess.Popen([sys.executable, "-c", PARENT], stdin=reader, stdout=subprocess.PIPE) as parent:
        os.close(reader)
        assert parent.stdout
        worker = int(parent.stdout.readline())
        await_z3(worker)
        parent.send_signal(signal.SIGKILL)
        end = time.monotonic() + PATIENCE
        while alive(worker) and time.monotonic() < end:
            time.sleep(0.02)
    assert not alive(worker)
    os.close(writer)


def alive(process: int) -> bool:
    """Whether a process is there, and is not a dead one that nobody has asked for yet."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
