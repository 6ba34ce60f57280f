"""Run the command on one hostile input in a process with limits, and measure it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]

GIBIBYTE: Final = 2**30

KILLED_AFTER: Final = 600
"""Seconds of processor time after which a run is ended: far more than any input may take, on any machine."""

_LAUNCHER: Final = """
import json, os, resource, sys
memory, seconds, *command = sys.argv[1:]
child = os.fork()
if not child:
    if int(memory):
        resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
    os.execv(command[0], command)
_, status, used = os.wait4(child, 0)
seconds = used.ru_utime + used.ru_stime
print(json.dumps([os.waitstatus_to_exitcode(status), seconds, used.ru_maxrss / 1024]), file=sys.stderr)
"""
"""A small process between: the peak of a child is never less than what its parent had when it began."""


class Run(NamedTuple):
    """Exit status, seconds of processor time with those of workers, peak MiB of the largest process, and what it said.

    `last` is the last line on standard output; `said` all of standard error.
    """

    code: int
    seconds: float
    peak: float
    out: str
    said: str

    @property
    def last(self) -> str:
        """The last line on standard output: the verdict, where the report is text."""
        return (self.out.splitlines() or [""])[-1]


def blueprint(
    *arguments: str | Path,
    stdin: int | bytes = b"",
    memory: int = 0,
    seconds: int = KILLED_AFTER,
    python: Sequence[str] = (),
) -> Run:
    """Run a command line.

    stdin: bytes, or a descriptor; memory: bytes of address space, 0 for any; python: options of the interpreter.
    """
    command = [sys.executable, *python, "-m", "blueprint", *map(str, arguments)]
    launcher = [sys.executable, "-S", "-c", _LAUNCHER, str(memory), str(seconds), *command]
    given, pipe = (stdin, None) if isinstance(stdin, bytes) else (None, stdin)
    standard = subprocess.PIPE if pipe is None else pipe
    process = subprocess.Popen(
        launcher, cwd=ROOT, stdin=standard, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    with process:
        try:
            out, said = process.communicate(given, timeout=10 * seconds)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    *lines, measured = said.decode().splitlines()
    code, used, peak = json.loads(measured)
    return Run(code, used, peak, out.decode(), "\n".join(lines))
