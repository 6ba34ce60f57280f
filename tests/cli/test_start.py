"""How the command starts: Ctrl-C is heard while modules load, and no file of the working folder is one of them."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT

SCRIPT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]["blueprint"]
MODULE, FUNCTION = SCRIPT.split(":")
STARTS = {
    "module": ["-m", "blueprint"],
    "script": ["-c", f"import sys; from {MODULE} import {FUNCTION}; sys.exit({FUNCTION}())"],
}


def _start(how: str, folder: Path, path: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, *STARTS[how], "models"],
        cwd=folder,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("how", STARTS)
def test_an_interrupt_while_modules_load_is_an_interrupt(how: str, tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n", encoding="ascii")
    done = _start(how, ROOT, os.pathsep.join((str(tmp_path), str(ROOT))))
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "blueprint: interrupted\n")


@pytest.mark.parametrize("name", ["typer", "pathlib", "msgspec"])
def test_a_file_of_the_working_folder_is_no_library(name: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.py").write_text("raise SystemExit(77)\n", encoding="ascii")
    done = _start("module", tmp_path, str(ROOT))
    assert (done.returncode, done.stderr) == (0, "")
    assert "gpt3-175b" in done.stdout
