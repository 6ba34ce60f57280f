"""`blueprint explore`: the page's place, the exit status, and serving until Ctrl-C."""

from __future__ import annotations

import functools
import http.client
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from blueprint.codec import encode
from blueprint.derivation import derive
from blueprint.exit import ExitCode
from blueprint.explorer.roofline import REFERENCE
from blueprint.ir.common import Stage
from blueprint.verification import verify
from tests.bundles.conftest import JOBS, TINY_REQUEST
from tests.cli.conftest import ROOT, Run
from tests.reseal import Draft

LAST = 60.0
"""Seconds after which a process that does not end is killed."""


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("explore") / "bundle.json"
    path.write_bytes(derive(TINY_REQUEST, jobs=JOBS))
    return path


@pytest.fixture(scope="module")
def bad(good: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    draft = Draft(good.read_bytes())
    draft.data["fingerprint"] = "0" * 64
    path = tmp_path_factory.mktemp("explore") / "refuted.json"
    path.write_bytes(draft.raw())
    return path


def test_a_page_is_written_and_the_verdict_said(blueprint: Run, good: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = blueprint("explore", str(good), "-o", str(page))
    assert (done.code, done.out) == (ExitCode.VERIFIED, b"")
    assert page.read_bytes().startswith(b"<!DOCTYPE html>")
    lines = done.err.splitlines()
    assert lines[0].endswith("bundle.json: verified")
    assert lines[-1].startswith("blueprint: verified ")


def test_a_page_goes_to_standard_output(blueprint: Run, good: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    blueprint("explore", str(good), "-o", str(page))
    assert blueprint("explore", str(good), "-o", "-").out == page.read_bytes()
    # As `derive`: without -o too, where standard output is no terminal.
    assert blueprint("explore", str(good)).out == page.read_bytes()


def test_a_bundle_from_standard_input(process: Run, good: Path) -> None:
    done = process("--quiet", "explore", "-", "-o", "-", stdin=good.read_bytes())
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith(b"</html>\n")


def test_a_refuted_bundle_has_a_page_and_the_status_of_verify(blueprint: Run, bad: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = blueprint("explore", str(bad), "-o", str(page))
    assert done.code == blueprint("verify", str(bad)).code == ExitCode.REFUTED
    assert b'data-word="refuted"' in page.read_bytes()
    assert "digest.session" in page.read_text(encoding="utf-8")


def test_a_bundle_that_is_not_established_has_a_page_and_status_3(blueprint: Run, good: Path, tmp_path: Path) -> None:
    draft = Draft(good.read_bytes())
    draft.data["stages"].pop()
    draft.data["transitions"].pop()
    path, page = tmp_path / "short.json", tmp_path / "page.html"
    path.write_bytes(draft.raw())
    assert verify(draft.raw()).verdict.value == "not_established"
    assert blueprint("explore", str(path), "-o", str(page)).code == ExitCode.NOT_ESTABLISHED
    assert b'data-word="not established"' in page.read_bytes()


@pytest.mark.parametrize("text", [b"", b"{}", b"nonsense", b'{"schema":1}'])
def test_bytes_that_are_no_bundle_get_status_2_and_no_page(blueprint: Run, tmp_path: Path, text: bytes) -> None:
    path, page = tmp_path / "bundle.json", tmp_path / "page.html"
    path.write_bytes(text)
    done = blueprint("explore", str(path), "-o", str(page))
    assert done.code == ExitCode.INPUT
    assert done.err.startswith("blueprint: error: ")
    assert not page.exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--port", "80"), "--port: needs --serve"),
        (("--no-browser",), "--no-browser: needs --serve"),
        (("--serve", "--port", "65536"), "65536 is not from 0 to 65535"),
        (("--serve", "--port", "x"), "is not a whole number"),
        (("-o", "no/such/folder/page.html"), "the folder for it does not exist"),
        (("--roofline", "no-such-profile.json", "-o", "-"), "cannot be read"),
        (("--overlay", "no-such-overlay.json", "-o", "-"), "cannot be read"),
    ],
)
def test_what_cannot_be_is_refused(blueprint: Run, good: Path, options: tuple[str, ...], words: str) -> None:
    done = blueprint("explore", str(good), *options)
    assert (done.code, done.out) == (ExitCode.INPUT, b"")
    assert words in done.err


def test_a_page_does_not_replace_its_bundle(blueprint: Run, good: Path) -> None:
    before = good.read_bytes()
    done = blueprint("explore", str(good), "-o", str(good))
    assert done.code == ExitCode.INPUT
    assert "would replace the bundle" in done.err
    assert good.read_bytes() == before


@pytest.mark.parametrize("option", ["--overlay", "--roofline"])
def test_a_page_does_not_replace_what_stands_beside_its_bundle(
    option: str, blueprint: Run, good: Path, tmp_path: Path
) -> None:
    beside, link = tmp_path / "beside.json", tmp_path / "page.html"
    beside.write_bytes(encode(REFERENCE) if option == "--roofline" else b"[]")
    link.symlink_to(beside)
    before = beside.read_bytes()
    for place in (beside, link):
        done = blueprint("explore", str(good), option, str(beside), "-o", str(place))
        assert done.code == ExitCode.INPUT
        assert "would replace a file that is read" in done.err
        assert beside.read_bytes() == before
    done = blueprint("explore", str(good), option, str(beside), "-o", str(tmp_path / "other.html"))
    assert done.code == ExitCode.VERIFIED


def test_standard_input_is_read_once(blueprint: Run, tmp_path: Path) -> None:
    done = blueprint("explore", "-", "--overlay", "-", "-o", str(tmp_path / "page.html"))
    assert done.code == ExitCode.INPUT
    assert "standard input can be read only once" in done.err


def test_an_overlay_for_another_bundle_is_refused_with_both_digests(blueprint: Run, good: Path, tmp_path: Path) -> None:
    overlay = tmp_path / "overlay.json"
    overlay.write_bytes(
        b'{"entries":[],"provider":"p","revision":"1","snapshot":"' + b"ab" * 32 + b'","unit":"picoseconds"}'
    )
    done = blueprint("explore", str(good), "--overlay", str(overlay), "-o", str(tmp_path / "page.html"))
    assert done.code == ExitCode.INPUT
    assert "ab" * 32 in done.err
    assert not (tmp_path / "page.html").exists()


def test_least_times_are_opt_in(blueprint: Run, good: Path) -> None:
    assert b"blueprint.roofline" not in blueprint("explore", str(good), "-o", "-").out
    assert b"blueprint.roofline" in blueprint("explore", str(good), "--roofline", "reference", "-o", "-").out


def test_a_false_plan_without_a_time_has_a_page(blueprint: Run, good: Path, tmp_path: Path) -> None:
    """The profile is not at fault, so the status is that of the verdict."""
    draft = Draft(good.read_bytes())
    draft.entities(Stage.PORTABLE, "tasks")[0]["work"]["message_bytes"] = 2**63 - 1
    false, page = tmp_path / "false.json", tmp_path / "page.html"
    false.write_bytes(draft.sealed())
    done = blueprint("explore", str(false), "--roofline", "reference", "-o", str(page))
    assert done.code == ExitCode.REFUTED
    assert "--roofline" not in done.err
    assert b"it would take more than 9223372036854775807 picoseconds" in page.read_bytes()


def test_another_rulebook_is_named_last(process: Run, good: Path) -> None:
    done = process("explore", str(good), "--rules", "rules", "-o", "-")
    assert done.err.splitlines()[-1].startswith("blueprint: rulebook: NOT SHIPPED")


def test_help_says_what_the_exit_status_means(blueprint: Run) -> None:
    done = blueprint("explore", "--help")
    assert done.code == 0
    assert "The exit status is that of `blueprint verify`" in " ".join(done.out.decode().split())


def test_serving_shows_the_same_bytes_and_ends_with_ctrl_c(good: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    command = [sys.executable, "-m", "blueprint", "explore", str(good), "--serve", "--no-browser", "-o", str(page)]
    # A shell starts what runs in its background deaf to Ctrl-C, and children inherit that.
    heard = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, preexec_fn=heard) as running:  # noqa: PLW1509 -- no thread runs
        try:
            assert running.stderr is not None
            said = ""
            while not (found := re.search(r"serving at http://127\.0\.0\.1:([0-9]+)/ until Ctrl-C", said)):
                line = running.stderr.readline()
                assert line, said
                said += line
            connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=LAST)
            connection.request("GET", "/")
            assert connection.getresponse().read() == page.read_bytes()
            connection.close()
            running.send_signal(signal.SIGINT)
            _, rest = running.communicate(timeout=LAST)
        finally:
            running.kill()
    assert running.returncode == 0
    assert "stopped serving" in rest
    assert "Traceback" not in rest
