"""Reading and writing whole files: bounded, regular files only, and never half a file left behind."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from blueprint.errors import InputError, LimitError
from blueprint.words import plain

STREAM = "-"
"""The argument that stands for standard input or standard output."""


_STREAMS = frozenset({"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})
"""Names of standard output that are links, to what often no file can replace."""


def read_bounded(path: str | Path, limit: int) -> bytes:
    """The bytes of a regular file, or of standard input for `-`, read once.

    limit: the largest accepted size, in bytes. At most limit + 1 bytes are ever read.
    Raises LimitError for a larger file, InputError for anything that cannot be read or is no regular file.
    """
    shown = plain(path)
    try:
        data = _read_stdin(limit + 1) if str(path) == STREAM else _read_file(path, limit + 1, shown)
    except OSError as error:
        raise InputError(f"cannot be read: {_reason(error)}", path=shown) from error
    except ValueError as error:
        # A name with a null byte or one that the file system's encoding cannot hold, or a closed standard input.
        raise InputError(f"cannot be read: {plain(error)}", path=shown) from error
    if len(data) > limit:
        raise LimitError(f"is larger than the limit of {limit} bytes", path=shown)
    return data


def write_whole(path: str | Path, data: bytes) -> None:
    """Put `data` at `path` in one step: readers see the old file or the whole new one; `-` is standard output.

    A new file gets the permission bits that open() gives, an existing one keeps its own; a symbolic link is followed.
    Raises InputError for a folder, a special file, a missing parent or a failing write, and then leaves nothing behind.
    BrokenPipeError passes through from standard output: the reader went away, and the caller keeps its exit status.
    """
    with _writing(path):
        if str(path) == STREAM:
            _write_all(sys.stdout.buffer, data)
            return
        target = _place(path)
        _replace_file(target, data, _mode(target))


def require_place(path: str | Path) -> None:
    """Raise InputError now for what `write_whole` would refuse later, as far as it can be known before long work."""
    if str(path) == STREAM:
        return
    with _writing(path):
        folder = _place(path).parent
        if not os.access(folder, os.W_OK | os.X_OK):
            raise InputError("cannot be written: the folder for it is not writable", path=plain(path))


@contextlib.contextmanager
def _writing(path: str | Path) -> Iterator[None]:
    """The operating system's refusals as errors of ours, but for a reader of standard output who went away."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"cannot be written: {_reason(error)}", path=plain(path)) from error
    except ValueError as error:
        raise InputError(f"cannot be written: {plain(error)}", path=plain(path)) from error


def _place(path: str | Path) -> Path:
    """Where a file is to be written, links followed. Raises InputError where no file can take the place."""
    target = Path(os.path.realpath(path))
    if str(path) in _STREAMS and not target.is_file():
        raise InputError(f"cannot be written: it is no file; {STREAM} is standard output", path=plain(path))
    if not target.parent.is_dir():
        raise InputError("cannot be written: the folder for it does not exist", path=plain(path))
    mode = _mode(target)
    # Replacing a device or a FIFO would delete it, and a folder cannot be replaced by a file.
    if mode is not None and not stat.S_ISREG(mode):
        raise InputError(f"cannot be written: it is {_kind(mode)}", path=plain(path))
    return target


def _read_stdin(size: int) -> bytes:
    """At most `size` bytes of standard input, up to its end."""
    if sys.stdin is None:
        raise ValueError("standard input is closed")
    return sys.stdin.buffer.read(size)


def _read_file(path: str | Path, size: int, shown: str) -> bytes:
    """At most `size` bytes of a regular file, checked on the descriptor that is read, so nothing can be swapped."""
    with open(path, "rb", opener=_open) as stream:
        mode = os.fstat(stream.fileno()).st_mode
        if not stat.S_ISREG(mode):
            raise InputError(f"is {_kind(mode)}, not a regular file", path=shown)
        return stream.read(size)


def _open(path: str, flags: int) -> int:
    """Open without waiting for a FIFO's writer, and without taking a terminal as our own."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)


def _replace_file(target: Path, data: bytes, mode: int | None) -> None:
    """Write a new file beside `target`, make it durable, and move it over `target`, whose `mode` it takes over."""
    temporary = target.with_name(f".blueprint-{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as stream:
            if mode is not None:
                os.fchmod(stream.fileno(), mode & 0o777)
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    except BaseException:
        # BaseException: Ctrl-C must not leave the temporary file either.
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _mode(target: Path) -> int | None:
    """The file mode of `target`, or None where nothing stands yet."""
    try:
        return target.lstat().st_mode
    except FileNotFoundError:
        return None


def _write_all(stream: BinaryIO, data: bytes) -> None:
    """Write everything: an unbuffered stream may take only a part at a time."""
    rest = memoryview(data)
    while rest:
        rest = rest[stream.write(rest) :]
    stream.flush()


def _kind(mode: int) -> str:
    """What a file mode stands for, in words."""
    if stat.S_ISDIR(mode):
        return "a folder"
    if stat.S_ISLNK(mode):
        # All links were followed before, and this one led back to itself.
        return "a loop of symbolic links"
    return "a pipe" if stat.S_ISFIFO(mode) else "a device or another special file"


def _reason(error: OSError) -> str:
    """The operating system's words for an error, without the path, which is untrusted and shown once already."""
    return plain(error.strerror or type(error).__name__)
