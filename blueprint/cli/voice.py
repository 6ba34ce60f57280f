"""Where words and documents go: a document alone on standard output, people's words on standard error."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from blueprint.errors import BlueprintError, UsageError
from blueprint.exit import ExitCode, exit_of_error, worst
from blueprint.files import STREAM, require_place, write_whole
from blueprint.words import plain

if TYPE_CHECKING:
    from blueprint.outcome import Outcome

PROGRAM = "blueprint"

LINE = 480
"""Most characters of one line to people."""


@dataclass
class Voice:
    """How a run speaks, as the global options ask."""

    color: str = "auto"
    quiet: bool = False
    verbose: bool = False
    moving: bool = True

    def say(self, text: str) -> None:
        """One line for people, unless they asked for quiet."""
        if not self.quiet:
            _to_stderr(f"{PROGRAM}: {_one_line(text)}\n")

    def detail(self, text: str) -> None:
        """One line for people who asked for more."""
        if self.verbose:
            self.say(text)

    def error(self, text: str) -> None:
        """One line about what went wrong, in every case."""
        _to_stderr(f"{PROGRAM}: error: {_one_line(text)}\n")

    def internal(self, error: BaseException) -> None:
        """One line about an error of Blueprint's own; where it arose only for those who asked for more."""
        self.error(internal_words(error))
        if self.verbose:
            _to_stderr("".join(f"  {plain(line, LINE)}\n" for line in _trace(error)))

    def paint(self, word: str, outcome: Outcome) -> str:
        """The verdict word in its colour, where colour is wanted."""
        if not self._colored(sys.stdout):
            return word
        return f"\x1b[{'32' if outcome.value == 'verified' else '31'}m{word}\x1b[0m"

    def document(self, data: bytes, path: str, decided: ExitCode) -> ExitCode:
        """Write a document, whole or not at all; the status that was decided before stays whatever happens to it.

        Returns `decided`, or what weighs more where the document could not be written.
        """
        try:
            if path == STREAM and sys.stdout is None:
                self.error("standard output is closed")
                return worst((decided, ExitCode.INPUT))
            write_whole(path, data)
        except BrokenPipeError:
            forget_stdout()
        except BlueprintError as error:
            self.error(error.diagnostics())
            if path == STREAM:
                # What is still buffered would fail once more when Python ends, with a status of its own.
                forget_stdout()
            return worst((decided, exit_of_error(error)))
        else:
            if path != STREAM:
                self.detail(f"wrote {path}")
        return decided

    @contextlib.contextmanager
    def progress(self, text: str, total: int = 1) -> Iterator[Callable[[str], None]]:
        """What runs and for how long, on a terminal while it runs, and nothing anywhere else or with --no-progress.

        Of `total` steps, each is announced by a call of what this yields, and a bar shows how many are done. What rules
        print meanwhile goes to standard error: standard output belongs to the document.
        """
        if self.quiet or not self.moving or not _is_terminal(sys.stderr):
            with contextlib.redirect_stdout(sys.stderr):
                yield lambda _text: None
            return
        from rich.console import Console  # noqa: PLC0415  (only a terminal pays for it)
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn  # noqa: PLC0415
        from rich.progress import TimeElapsedColumn as Elapsed  # noqa: PLC0415

        plain_colors = self.color == "never" or bool(os.environ.get("NO_COLOR"))
        console = Console(stderr=True, no_color=True if plain_colors else None)
        # Without markup, which a name may hold; the spinner of plain ASCII works on every terminal.
        columns = [SpinnerColumn("line"), TextColumn("{task.description}", markup=False), Elapsed()]
        if total > 1:
            columns += [BarColumn(), MofNCompleteColumn()]
        with contextlib.redirect_stdout(sys.stderr), Progress(*columns, console=console, transient=True) as shown:
            task = shown.add_task(plain(text), total=total)
            started = 0

            def step(words: str) -> None:
                nonlocal started
                shown.update(task, description=plain(words), completed=started)
                started += 1

            yield step

    def _colored(self, stream: IO[str] | None) -> bool:
        if self.color == "auto":
            return _is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return self.color == "always"


def internal_words(error: BaseException) -> str:
    """An error of Blueprint's own, in one sentence."""
    what = plain(error, 200)
    return f"internal error, nothing is established: {type(error).__name__}{': ' if what else ''}{what}"


def place_of_document(output: str | None) -> str:
    """Where a document goes that only programs read, refused before long work where it could not be written.

    output: the option's value, None where it was not given: standard output then, unless that is a terminal, which
    only `-o -` makes take such a document.
    """
    if output is None and _is_terminal(sys.stdout):
        raise UsageError("is needed, since standard output is a terminal; `-o -` writes to it all the same", path="-o")
    place = STREAM if output is None else output
    require_place(place)
    return place


def forget_stdout() -> None:
    """The reader of standard output went away: let nothing that is still buffered complain about it at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def _one_line(text: str) -> str:
    return plain(" ".join(text.split()), LINE)


def _trace(error: BaseException) -> list[str]:
    return "".join(traceback.format_exception(error)).splitlines()


def _to_stderr(text: str) -> None:
    """Losing people's words must not change the status."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text)
        sys.stderr.flush()


def _is_terminal(stream: IO[str] | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False
