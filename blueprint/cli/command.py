"""What every command shares: it returns its status, and options are read strictly."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Final, ParamSpec, cast

import typer

from blueprint.cli.voice import Voice
from blueprint.errors import UsageError
from blueprint.exit import ExitCode
from blueprint.words import plain

P = ParamSpec("P")

INT64_MAX: Final = 2**63 - 1

MAX_JOBS: Final = 256
"""The most solver processes of one run."""

MAX_BUDGET: Final = 2**31 - 1
"""The most steps that a solver can be given."""

_DIGITS = re.compile(r"\A(?:0|[1-9][0-9]*)\Z", re.ASCII)


class LostPipeError(Exception):
    """A pipe broke inside a command, and not the one to the reader of its document: nothing was decided."""


def command(body: Callable[P, ExitCode]) -> Callable[P, None]:
    """A typer command that ends with the status that `body` returns: typer itself would drop a returned value."""

    @functools.wraps(body)
    def run(*arguments: P.args, **options: P.kwargs) -> None:
        try:
            code = body(*arguments, **options)
        except BrokenPipeError as error:
            # Outside of a command, a broken pipe means that the reader of the help went away, which is no failure.
            raise LostPipeError(str(error)) from error
        except (SystemExit, typer.Exit) as error:
            # Only a command decides its status: code that it runs, such as a rule's, must not end it with success.
            raise RuntimeError("something that the command ran tried to leave the program") from error
        raise typer.Exit(int(code))

    return run


def voice_of(context: typer.Context) -> Voice:
    """How this run speaks."""
    return cast("Voice", context.obj)


def whole(option: str, text: str, least: int = 0, most: int = INT64_MAX) -> int:
    """A whole number in plain ASCII digits, as an option's value.

    Raises UsageError that names the option: for signs, spaces, underscores, exponents, leading zeros, digits of other
    scripts, and values outside `least` to `most`.
    """
    if not _DIGITS.match(text):
        raise UsageError(f'"{plain(text, 40)}" is not a whole number in plain digits', path=option)
    # The length is compared first: Python refuses to read very long numbers.
    if len(text) > len(str(most)) or not least <= int(text) <= most:
        raise UsageError(f"{plain(text, 40)} is not from {least} to {most}", path=option)
    return int(text)


def maybe_whole(option: str, text: str | None, least: int = 0, most: int = INT64_MAX) -> int | None:
    """As `whole`, or None for an option that was not given."""
    return None if text is None else whole(option, text, least, most)


def chosen(option: str, text: str, allowed: Sequence[str], later: Sequence[str] = ()) -> str:
    """One of the allowed words. A word in `later` is known, but nothing stands behind it in this version."""
    if text in allowed:
        return text
    listed = f"choose {' or '.join(allowed)}"
    if text in later:
        raise UsageError(f"{text} is not available in this version; {listed}", path=option)
    raise UsageError(f'"{plain(text, 40)}" is not known; {listed}', path=option)


def unavailable(option: str, *, given: bool) -> None:
    """Refuse an option behind which nothing stands in this version: ignoring it would promise something."""
    if given:
        raise UsageError("is not available in this version", path=option)
