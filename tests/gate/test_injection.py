"""Injected failures, in a process of their own: it is forked at thousands of points, and so has to be a small one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CASES = Path(__file__).with_name("injected.py")


def test_whatever_is_injected_leaves_store_files_and_chain_as_they_were() -> None:
    """Every test in injected.py passes, and there are as many as there should be."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(CASES)],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.fullmatch(r"18 passed in .*", done.stdout.splitlines()[-1])
