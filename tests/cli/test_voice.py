"""Statuses and words survive whatever happens to them: broken pipes, full disks, closed streams, errors of our own."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from blueprint import cli
from blueprint.cli.voice import Voice, place_of_document
from blueprint.errors import DecidersDisagreeError, InputError, RulebookError, UsageError
from blueprint.exit import ExitCode
from blueprint.outcome import Outcome, Report
from blueprint.report.json import schema
from tests.cli.conftest import ROOT, Done, Run
from tests.report import samples


def _engine(monkeypatch: pytest.MonkeyPatch, *answers: Report | BaseException) -> None:
    """Let the engine give these answers, one a bundle."""
    rest = list(answers)

    def verify(_source: object, **_options: object) -> Report:
        answer = rest.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    monkeypatch.setattr(import_module("blueprint.verification"), "verify", verify)


# Colour -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("color", "colored"), [("auto", False), ("never", False), ("always", True)])
def test_a_pipe_is_coloured_only_on_demand(
    *, color: str, colored: bool, blueprint: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    _engine(monkeypatch, samples.VERIFIED)
    done = blueprint("--color", color, "verify", "a.json")
    assert (b"verdict: \x1b[32mverified\x1b[0m\n" in done.out) is colored
    assert (b"\x1b" in done.out) is colored


def test_a_file_is_never_coloured(blueprint: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _engine(monkeypatch, samples.REFUTED)
    done = blueprint("--color", "always", "verify", "a.json", "--report", f"text={tmp_path / 'report'}")
    assert b"verdict: \x1b[31mrefuted\x1b[0m; rulebook: NOT SHIPPED" in done.out
    assert b"\x1b" not in (tmp_path / "report").read_bytes()


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "colored"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_a_terminal_is_coloured_unless_the_user_says_no(
    *, environment: dict[str, str], colored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", _Terminal())
    assert (Voice().paint("verified", Outcome.VERIFIED) != "verified") is colored
    assert Voice(color="never").paint("verified", Outcome.VERIFIED) == "verified"


def test_progress_moves_on_a_terminal_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    shown = []
    voices = ((_Terminal(), Voice()), (_Terminal(), Voice(quiet=True)), (_Terminal(), Voice(moving=False)))
    for stream, voice in (*voices, (io.StringIO(), Voice())):
        monkeypatch.setattr(sys, "stderr", stream)
        with voice.progress("proving [red]\x1b[2J"):
            pass
        shown.append(stream.getvalue())
    assert "proving [red]\\x1b[2J" in shown[0]
    assert shown[1:] == ["", "", ""]


@pytest.mark.parametrize(
    "line",
    [
        "verify missing.json",
        "report missing.json",
        "prove --proofs nowhere --check",
        "derive training --model gpt2 --tensor 2 --microbatch 1 --sequence 8 --rules {rules} -o -",
        "derive inference --model gpt2 --tensor 2 --batch 1 --prompt 8 --context 8 --rules {rules} -o -",
    ],
)
def test_every_long_command_holds_still_where_it_is_told_to(
    line: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each fails at once, but only after it has shown that it runs."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "__init__.py").write_text("REVISION = ''\n", encoding="ascii")
    moved = []
    for option in ([], ["--no-progress"]):
        stream = _Terminal()
        monkeypatch.setattr(sys, "stderr", stream)
        assert cli.run([*line.format(rules=tmp_path).split(), *option]) is not ExitCode.VERIFIED
        moved.append("\x1b[" in stream.getvalue())
    assert moved == [True, False]


@pytest.mark.parametrize(("variable", "color"), [("NO_COLOR", "auto"), ("", "never")])
def test_progress_counts_the_steps_and_has_no_colour_for_who_wants_none(
    monkeypatch: pytest.MonkeyPatch, variable: str, color: str
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    if variable:
        monkeypatch.setenv(variable, "1")
    stream = _Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with Voice(color=color).progress("verifying", 3) as step:
        for name in ("a.json", "b[/red].json", "{0}"):
            step(f"verifying {name}")
    shown = stream.getvalue()
    assert "verifying b[/red].json" in shown or "verifying {0}" in shown
    assert "/3" in shown
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", shown), "no colour"


# Errors of our own --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("\x1b[2J\nsecond line"),
        OSError(28, "No space left on device"),
        MemoryError(),
        RecursionError("too deep"),
        ValueError("\ud800"),
        BrokenPipeError(32, "Broken pipe"),
        AssertionError(),
        DecidersDisagreeError("deciders contradict each other"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_of_our_own_is_one_line_and_still_one_document(
    error: Exception, blueprint: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    _engine(monkeypatch, samples.VERIFIED, error)
    done = blueprint("-q", "verify", "a.json", "b.json", "--format", "json")
    assert done.code == 4
    assert done.err.startswith("blueprint: error: ")
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err
    document = json.loads(done.out)
    jsonschema.Draft202012Validator(schema()).validate(document)
    assert [each["verdict"] for each in document["reports"]] == ["verified", "error"]
    assert document["reports"][1]["diagnostics"][0]["path"] == "b.json"


def test_where_it_arose_is_shown_to_those_who_ask(blueprint: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    _engine(monkeypatch, RuntimeError("words\x1b[2J"))
    done = blueprint("-v", "verify", "a.json")
    assert done.code == 4
    assert "internal error, nothing is established: RuntimeError: words\\x1b[2J" in done.err
    assert "  Traceback (most recent call last):" in done.err
    assert "\x1b" not in done.err


def test_a_bad_rulebook_is_bad_input(blueprint: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    _engine(monkeypatch, RulebookError("rules are missing", path="other"))
    done = blueprint("verify", "a.json", "--rules", "other")
    assert (done.code, done.out, done.err) == (2, b"", "blueprint: error: other: rules are missing\n")


def test_an_interrupt_has_its_own_status(blueprint: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    _engine(monkeypatch, KeyboardInterrupt())
    done = blueprint("verify", "a.json")
    assert (done.code, done.out, done.err) == (130, b"", "blueprint: interrupted\n")


@pytest.mark.parametrize("error", [RuntimeError("x"), BrokenPipeError(32, "Broken pipe"), MemoryError()])
def test_every_other_command_is_guarded_too(error: Exception, blueprint: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise error

    monkeypatch.setattr("blueprint.cli.models._text", fail)
    done = blueprint("models")
    assert (done.code, done.out) == (4, b"")
    assert done.err.startswith("blueprint: error: internal error, nothing is established: ")
    assert done.err.count("\n") == 1


def test_a_command_without_a_status_is_an_error(monkeypatch: pytest.MonkeyPatch, blueprint: Run) -> None:
    monkeypatch.setattr("typer.core.TyperGroup.invoke", lambda _self, _context: 0)
    assert blueprint("models").code == 4


# Streams ------------------------------------------------------------------------------------------------------------


def _with_stdout(stdout: int | None, *arguments: str, answer: str = "VERIFIED") -> Done:
    """Run in a process whose standard output is `stdout`, or closed, with the engine's answer decided beforehand."""
    script = (
        "import sys\n"
        "from blueprint import cli\n"
        "from importlib import import_module\n"
        "from tests.report import samples\n"
        f"import_module('blueprint.verification').verify = lambda *_, **__: samples.{answer}\n"
        f"sys.argv[1:] = {list(arguments)!r}\n"
        "cli.main()\n"
    )
    command = [sys.executable, "-c", script]
    if stdout is None:
        command = ["/bin/sh", "-c", 'exec "$0" "$@" >&-', *command]
    done = subprocess.run(
        command, cwd=ROOT, check=False, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE
    )
    return Done(done.returncode, b"", done.stderr.decode())


def _without_reader(*arguments: str, answer: str = "VERIFIED") -> Done:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return _with_stdout(writer, *arguments, answer=answer)
    finally:
        os.close(writer)


@pytest.mark.parametrize(
    ("answer", "code"), [("VERIFIED", 0), ("REFUTED", 1), ("MALFORMED", 2), ("NOT_ESTABLISHED", 3), ("ERROR", 4)]
)
def test_a_reader_who_leaves_changes_no_status(answer: str, code: int) -> None:
    done = _without_reader("verify", "a.json", answer=answer)
    assert (done.code, done.err) == (code, "")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["models"], ["verify", "--help"]])
def test_a_full_disk_is_no_error_of_our_own(arguments: list[str]) -> None:
    with Path("/dev/full").open("wb", buffering=0) as full:
        done = _with_stdout(full.fileno(), *arguments)
    assert done.code == 2
    assert done.err.startswith("blueprint: error: ")
    assert done.err.endswith(" cannot be written: No space left on device\n")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["models"], ["verify", "--help"]])
def test_a_reader_who_leaves_the_help_is_no_failure(arguments: list[str]) -> None:
    done = _without_reader(*arguments)
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize(("answer", "code"), [("VERIFIED", 2), ("REFUTED", 1), ("NOT_ESTABLISHED", 2), ("ERROR", 4)])
def test_a_report_that_cannot_be_written_is_no_success(answer: str, code: int) -> None:
    with Path("/dev/full").open("wb", buffering=0) as full:
        done = _with_stdout(full.fileno(), "verify", "a.json", answer=answer)
    assert done.code == code
    assert done.err == "blueprint: error: -: cannot be written: No space left on device\n"


def test_only_a_word_makes_a_terminal_take_what_programs_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert [place_of_document(each) for each in (None, "-", str(tmp_path / "x"))] == ["-", "-", str(tmp_path / "x")]
    monkeypatch.setattr(sys, "stdout", _Terminal())
    assert place_of_document("-") == "-"
    with pytest.raises(UsageError, match="standard output is a terminal; `-o -` writes to it all the same"):
        place_of_document(None)
    with pytest.raises(InputError, match="the folder for it does not exist"):
        place_of_document(str(tmp_path / "missing" / "x"))


def test_what_is_printed_meanwhile_stays_out_of_the_document(blueprint: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def verify(_source: object, **_options: object) -> Report:
        print("a rule speaks")  # noqa: T201
        return samples.VERIFIED

    monkeypatch.setattr(import_module("blueprint.verification"), "verify", verify)
    done = blueprint("verify", "a.json", "--format", "json")
    assert done.code == 0
    assert json.loads(done.out)["verdict"] == "verified"
    assert done.err.startswith("a rule speaks\n")


def test_a_closed_standard_output_is_no_success() -> None:
    done = _with_stdout(None, "verify", "a.json")
    assert (done.code, done.err) == (2, "blueprint: error: standard output is closed\n")


def test_a_report_is_written_whole_or_not_at_all(
    blueprint: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def verify(_source: object, **_options: object) -> Report:
        (tmp_path / "folder").mkdir()
        return samples.REFUTED

    monkeypatch.setattr(import_module("blueprint.verification"), "verify", verify)
    done = blueprint("verify", "a.json", "--report", f"json={tmp_path / 'folder'}")
    assert done.code == 1
    assert done.out.startswith(b"statement (a.json): ")
    assert done.err == f"blueprint: error: {tmp_path / 'folder'}: cannot be written: it is a folder\n"
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize("stream", [None, io.TextIOWrapper(io.BytesIO(), encoding="ascii")])
def test_lost_words_change_no_status(stream: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if stream is not None:
        stream.close()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        assert cli.run(["verify"]) is ExitCode.INPUT


def test_a_terminal_gets_colour_and_progress_and_a_pipe_gets_neither(tmp_path: Path) -> None:
    """One real terminal: both streams of a process on a pseudo-terminal."""
    main, side = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"}
    missing = tmp_path / "missing.json"
    command = [sys.executable, "-m", "blueprint", "verify", str(missing)]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, check=False, stdin=subprocess.DEVNULL, stdout=side, stderr=side
    )
    os.close(side)
    seen = b""
    with contextlib.suppress(OSError):  # what Linux raises where the other side is closed
        while chunk := os.read(main, 65536):
            seen += chunk
    os.close(main)
    assert done.returncode == 2
    assert b"verdict: \x1b[31mmalformed\x1b[0m\r\n" in seen
    assert b"verifying" in seen
