"""What every command shares: it returns its status, and options are read strictly."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Final, ParamSpec, cast

import typer

from blueprint.cli.voice import Voice
from blueprint.errors import UsageError
from blueprint.exit import ExitCode
from blueprint.words import plain

P = ParamSpec("P")

INT64_MAX: Final = 2**63 - 1

MAX_JOBS: Final = 256
"""The most solver processes of one run."""

_COMPARED = 10_000
"""The most names among which a name that was mistyped is looked for, and none is longer than `_LONGEST`."""

_LONGEST = 80

_DIGITS = re.compile(r"\A(?:0|[1-9][0-9]*)\Z", re.ASCII)


class SystemFaultError(Exception):
    """The operating system refused something inside a command, and not its document: nothing was decided."""


def command(body: Callable[P, ExitCode]) -> Callable[P, None]:
    """A typer command that ends with the status that `body` returns: typer itself would drop a returned value."""

    @functools.wraps(body)
    def run(*arguments: P.args, **options: P.kwargs) -> None:
        try:
            code = body(*arguments, **options)
        except OSError as error:
            # Outside of a command, such an error means only that the help could not be written.
            raise SystemFaultError(f"{type(error).__name__}: {error}") from error
        except (SystemExit, typer.Exit) as error:
            # Only a command decides its status: code that it runs, such as a rule's, must not end it with success.
            raise RuntimeError("something that the command ran tried to leave the program") from error
        raise typer.Exit(int(code))

    return run


def voice_of(context: typer.Context) -> Voice:
    """How this run speaks."""
    return cast("Voice", context.obj)


def _hold_still(context: typer.Context, asked: bool) -> None:  # noqa: FBT001  (typer's signature)
    if asked:
        voice_of(context).moving = False


NoProgressOption = Annotated[
    bool,
    typer.Option(
        "--no-progress", callback=_hold_still, help="Do not show what runs while it runs; only a terminal does."
    ),
]


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


def maybe_folder(option: str, text: str | None) -> Path | None:
    """A folder's path, or None for an option that was not given. Empty text would mean the folder one stands in."""
    if text == "":
        raise UsageError("names no folder", path=option)
    return None if text is None else Path(text)


def maybe_rules(text: str | None) -> str | None:
    """A folder of rules or the name of an installed one, or None. Empty text would mean the folder one stands in."""
    if text == "":
        raise UsageError("names no rulebook", path="--rules")
    return text


def chosen(option: str, text: str, allowed: Sequence[str]) -> str:
    """One of the allowed words."""
    if text in allowed:
        return text
    raise UsageError(f'"{plain(text, 40)}" is not known; choose {" or ".join(allowed)}', path=option)


def alike(asked: str, names: Iterable[str]) -> str:
    """What may have been meant, as the end of a message; empty where nothing is close to what was asked for."""
    import difflib  # noqa: PLC0415  (only a mistake pays for it)

    compared = [each for each in itertools.islice(dict.fromkeys(names), _COMPARED) if len(each) <= _LONGEST]
    close = difflib.get_close_matches(asked, compared) if len(asked) <= _LONGEST else []
    return f"; did you mean {' or '.join(plain(each) for each in close)}?" if close else ""
