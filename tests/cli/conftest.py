"""The command line as a user runs it: in a process of its own, or in this one where no process is at stake."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from blueprint import cli

ROOT = Path(__file__).resolve().parents[2]


class Done(NamedTuple):
    """What a run left behind."""

    code: int
    out: bytes
    err: str


Run = Callable[..., Done]


@pytest.fixture
def blueprint(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Run a command line in this process."""

    def run(*arguments: str) -> Done:
        code = cli.run(arguments)
        captured = capfdbinary.readouterr()
        return Done(int(code), captured.out, captured.err.decode())

    return run


@pytest.fixture(scope="session")
def process() -> Run:
    """Run a command line in a process of its own, from the checkout."""

    def run(*arguments: str, stdin: bytes = b"") -> Done:
        command = [sys.executable, "-m", "blueprint", *arguments]
        done = subprocess.run(command, cwd=ROOT, input=stdin, check=False, capture_output=True)
        return Done(done.returncode, done.stdout, done.stderr.decode())

    return run
