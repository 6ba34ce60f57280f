"""Files are read bounded and only if regular, and written whole or not at all."""

from __future__ import annotations

import io
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

from blueprint.errors import InputError, LimitError
from blueprint.files import read_bounded, require_place, write_whole


@pytest.fixture
def alarm() -> Iterator[None]:
    """Fail instead of hanging. The error is no OSError, which the code under test would turn into its own."""

    def ring(_number: int, _frame: FrameType | None) -> None:
        message = "the call hangs"
        raise AssertionError(message)

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 5)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    return path


class _Stream:
    """A standard stream whose bytes a test supplies or looks at."""

    def __init__(self, buffer: io.BufferedIOBase | io.RawIOBase) -> None:
        self.buffer = buffer


def test_a_file_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\x00\xff12")
    assert read_bounded(path, 4) == b"\x00\xff12"
    assert read_bounded(str(path), 5) == b"\x00\xff12"


def test_one_byte_more_than_the_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    with pytest.raises(LimitError, match="larger than the limit of 4 bytes") as caught:
        read_bounded(path, 4)
    assert caught.value.path == str(path)[:120]


@pytest.mark.usefixtures("alarm")
def test_a_huge_file_is_refused_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(LimitError):
        read_bounded(path, 1 << 20)


def test_a_symbolic_link_to_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("file")
    assert read_bounded(tmp_path / "link", 1) == b"x"


def test_a_loop_of_links_is_refused(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(InputError, match="symbolic links"):
        read_bounded(tmp_path / "loop", 1)


@pytest.mark.usefixtures("alarm")
def test_a_fifo_without_a_writer_is_refused_at_once(fifo: Path) -> None:
    with pytest.raises(InputError, match="is a pipe, not a regular file"):
        read_bounded(fifo, 1)


@pytest.mark.usefixtures("alarm")
def test_a_device_is_refused() -> None:
    with pytest.raises(InputError, match="not a regular file"):
        read_bounded("/dev/zero", 1)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="directory"):
        read_bounded(tmp_path, 1)


@pytest.mark.parametrize(
    ("name", "shown"),
    [("absent", "absent"), ("a\x00b", r"a\x00b"), ("\x1b[2J\u202e", r"\x1b[2J\u202e"), ("\ud800", r"\ud800")],
    ids=["absent", "null", "terminal", "surrogate"],
)
def test_a_bad_name_is_one_escaped_line(name: str, shown: str) -> None:
    with pytest.raises(InputError, match="cannot be read") as caught:
        read_bounded(name, 1)
    assert caught.value.diagnostics().startswith(shown + ": ")
    assert caught.value.diagnostics().isprintable()


def test_standard_input_has_the_same_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", _Stream(io.BytesIO(b"1234")))
    assert read_bounded("-", 4) == b"1234"
    endless = io.BytesIO(b"1" * 1000)
    monkeypatch.setattr(sys, "stdin", _Stream(endless))
    with pytest.raises(LimitError):
        read_bounded("-", 4)
    assert endless.tell() == 5


def test_an_absent_standard_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input is closed"):
        read_bounded("-", 4)


def test_a_new_file_has_the_bytes_and_the_usual_permissions(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "out", b"\x00\xff")
    finally:
        os.umask(before)
    assert (tmp_path / "out").read_bytes() == b"\x00\xff"
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_existing_file_is_replaced_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old and longer")
    path.chmod(0o600)
    inode = path.stat().st_ino
    write_whole(str(path), b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.stat().st_ino != inode


def test_a_symbolic_link_is_followed_when_writing(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to("file")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"new"


def test_a_relative_name_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_whole("out", b"x")
    assert (tmp_path / "out").read_bytes() == b"x"


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=["full", "ctrl-c"])
def test_a_failing_write_keeps_the_old_file_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    def fail(*_arguments: object) -> None:
        raise error

    path = tmp_path / "out"
    path.write_bytes(b"old")
    monkeypatch.setattr(*((os, "fsync", fail) if step == "fsync" else (Path, "replace", fail)))
    expected = InputError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(expected) as caught:
        write_whole(path, b"new")
    if isinstance(caught.value, InputError):
        assert caught.value.message == "cannot be written: No space left on device"
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_a_folder_is_not_written_over(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it is a folder"):
        write_whole(tmp_path, b"x")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("alarm")
def test_a_fifo_is_not_replaced(fifo: Path) -> None:
    with pytest.raises(InputError, match="it is a pipe"):
        write_whole(fifo, b"x")
    assert stat.S_ISFIFO(fifo.stat().st_mode)
    assert [path.name for path in fifo.parent.iterdir()] == ["fifo"]


def test_a_missing_parent_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the folder for it does not exist"):
        write_whole(tmp_path / "absent" / "out", b"x")
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_whole(f"{tmp_path}/a\x00b", b"x")
    assert list(tmp_path.iterdir()) == []


def test_standard_output_gets_all_bytes_even_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(io.RawIOBase):
        taken = b""

        def write(self, data: memoryview) -> int:  # type: ignore[override]
            self.taken += bytes(data[:2])
            return len(data[:2])

    stream = Slow()
    monkeypatch.setattr(sys, "stdout", _Stream(stream))
    write_whole("-", b"12345")
    assert stream.taken == b"12345"


def test_a_closed_reader_of_standard_output_is_left_to_the_caller() -> None:
    program = "from blueprint.files import write_whole\nwrite_whole('-', b'x' * 10_000_000)\n"
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as stdout:
        done = subprocess.run(
            [sys.executable, "-c", program], stdout=stdout, stderr=subprocess.PIPE, check=False, text=True
        )
    assert "BrokenPipeError" in done.stderr
    assert "InputError" not in done.stderr


def test_a_place_is_refused_as_writing_to_it_would_be(tmp_path: Path, fifo: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    places = {
        tmp_path: "it is a folder",
        fifo: "it is a pipe",
        tmp_path / "loop": "it is a loop of symbolic links",
        tmp_path / "loop" / "x": "the folder for it does not exist",
        tmp_path / "a\x00b": "null",
    }
    for place, words in places.items():
        for refuse in (require_place, lambda path: write_whole(path, b"x")):
            with pytest.raises(InputError, match=f"cannot be written: .*{words}"):
                refuse(place)


def test_a_place_that_can_be_written_is_left_as_it_is(tmp_path: Path) -> None:
    require_place("-")
    require_place(tmp_path / "new")
    (tmp_path / "old").write_bytes(b"old")
    require_place(tmp_path / "old")
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert (tmp_path / "old").read_bytes() == b"old"


def test_a_folder_without_permission_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match="the folder for it is not writable"):
        require_place(tmp_path / "new")
