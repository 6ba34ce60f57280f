"""Raise at every point of a run, one at a time, and look at what is left.

A run is traced, and at each point something is raised. `inject_in_copies` runs but once: at each point the process
forks, and the copy raises there, sees what comes of it, says through a pipe what is wrong, and ends. So thousands of
points cost a run and as many forks. `inject_again` runs anew for each point: for what copies would share, as files.
"""

from __future__ import annotations

import gc
import inspect
import json
import os
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple, Protocol

import blueprint

PACKAGE = str(Path(blueprint.__file__).parent)

INNER = frozenset({"<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>"})
"""What has a frame of its own in some versions of Python, and is a part of the function around it all the same."""

PATIENCE = 60
"""Seconds after which a copy is ended that has not ended by itself."""


class Fault(Exception):  # noqa: N818  (what is injected, and nothing that anybody raises)
    """What nobody expects."""


KINDS: tuple[type[BaseException], ...] = (Fault, KeyboardInterrupt)


class Place(NamedTuple):
    """Where control comes by: into a function from another one, or to a line of a function."""

    code: CodeType
    came: CodeType | int

    @property
    def text(self) -> str:
        """The place in words."""
        name = f"{Path(self.code.co_filename).stem}.{self.code.co_qualname}"
        return f"line {self.came} of {name}" if isinstance(self.came, int) else f"{name} from {self.came.co_qualname}"


class Injected(NamedTuple):
    """One injection: what was raised, where, and which of how many times that control came by there."""

    kind: type[BaseException]
    place: Place
    number: int
    within: frozenset[str]
    """The qualified names of the functions that were running."""
    done: bool
    """Whether the run had published everything already."""


class Subject(Protocol):
    """What is run, set up for one run."""

    def act(self) -> None:
        """Run it."""

    def done(self) -> bool:
        """Whether the run has published everything."""

    def wrong(self, injected: Injected, raised: BaseException | None) -> Iterator[str]:
        """What is not as it should be after an injection, of which this came out."""

    def mend(self, injected: Injected) -> None:
        """Undo what a copy has done outside of its own memory."""


@dataclass(frozen=True)
class Points:
    """Which points are chosen."""

    calls: Callable[[CodeType, CodeType], bool]
    """Whether calls of a function by another one are."""
    lines: frozenset[str]
    """Files of which every line is."""
    outside: str = ""
    """The qualified name of a function within which none is."""


@dataclass
class Findings:
    """What became of all injections."""

    count: int = 0
    after: int = 0
    """How many of them came when everything was published."""
    files: Counter[str] = field(default_factory=Counter)
    """How many there were by file."""
    wrong: list[str] = field(default_factory=list)

    def add(self, injected: Injected, said: Iterable[str]) -> None:
        """Note one injection, and what was wrong after it."""
        self.count += 1
        self.after += injected.done
        self.files[Path(injected.place.code.co_filename).stem] += 1
        where = f"{injected.kind.__name__} at {injected.place.text}, passage {injected.number}"
        self.wrong += [f"{where}: {each}" for each in said]


Reached = Callable[[Place, int, FrameType], None]
"""Is told of every passage of a chosen point, with its number."""


def inject_in_copies(prepare: Callable[[], Subject], points: Points) -> Findings:
    """Raise both kinds at the first and at the last passage of every chosen point of a run."""
    totals = passages(prepare, points)
    findings, subject = Findings(), prepare()
    copy: list[tuple[Injected, int]] = []

    def reached(place: Place, number: int, frame: FrameType) -> None:
        if number not in {1, totals[place]}:
            return
        for kind in KINDS:
            injected = Injected(kind, place, number, _running(frame), subject.done())
            reader, writer = os.pipe()
            process = os.fork()
            if process == 0:
                signal.alarm(PATIENCE)
                os.close(reader)
                copy.append((injected, writer))
                raise kind
            os.close(writer)
            with os.fdopen(reader, "rb") as incoming:
                said = incoming.read()
            os.waitpid(process, 0)
            subject.mend(injected)
            findings.add(injected, json.loads(said) if said else ["the copy ended without a word"])

    raised = traced(subject.act, points, reached)
    for injected, writer in copy:
        _say(writer, partial(subject.wrong, injected, raised))
    if raised is not None:
        raise raised
    return findings


def inject_again(prepare: Callable[[], Subject], points: Points) -> Findings:
    """Raise both kinds at every passage of every chosen point of a run."""
    findings = Findings()
    for place, total in passages(prepare, points).items():
        for number in range(1, total + 1):
            for kind in KINDS:
                subject = prepare()
                chosen = _Chosen(subject, kind, place, number)
                raised = traced(subject.act, points, chosen)
                if chosen.injected is None:
                    raise AssertionError(f"control never came to {place.text}")
                findings.add(chosen.injected, subject.wrong(chosen.injected, raised))
    return findings


class _Chosen:
    """Raises at one passage of one point."""

    def __init__(self, subject: Subject, kind: type[BaseException], place: Place, number: int) -> None:
        self.subject, self.kind, self.place, self.number = subject, kind, place, number
        self.injected: Injected | None = None

    def __call__(self, place: Place, number: int, frame: FrameType) -> None:
        if (place, number) == (self.place, self.number):
            self.injected = Injected(self.kind, place, number, _running(frame), self.subject.done())
            raise self.kind


def passages(prepare: Callable[[], Subject], points: Points) -> Counter[Place]:
    """How often control comes by each chosen point of a run."""
    found: Counter[Place] = Counter()

    def reached(place: Place, number: int, _frame: FrameType) -> None:
        found[place] = number

    prepare().act()  # what is made only once is made here
    raised = traced(prepare().act, points, reached)
    if raised is not None:
        raise raised
    return found


def traced(act: Callable[[], None], points: Points, reached: Reached) -> BaseException | None:
    """Run something, tell of every passage of a chosen point, and return what was raised."""
    numbers: Counter[Place] = Counter()

    def passed(code: CodeType, came: CodeType | int, frame: FrameType) -> None:
        place = Place(code, came)
        numbers[place] += 1
        if not points.outside or points.outside not in _running(frame):
            reached(place, numbers[place], frame)

    def entered(frame: FrameType, event: str, _argument: Any) -> Any:
        code, back = frame.f_code, frame.f_back
        by_line = code.co_filename in points.lines
        if event != "call" or back is None or not (by_line or code.co_filename.startswith(PACKAGE)):
            return None
        chosen = code.co_name not in INNER and points.calls(code, back.f_code)
        if code.co_flags & inspect.CO_GENERATOR:
            # Where a generator is resumed, what is raised here would pass by its handlers, as no interruption does:
            # its first line is where it is entered.
            return at_line if by_line else at_first_line if chosen else None
        if chosen:
            passed(code, back.f_code, frame)
        return at_line if by_line else None

    def at_line(frame: FrameType, event: str, _argument: Any) -> Any:
        if event == "line":
            passed(frame.f_code, frame.f_lineno, frame)
        return at_line

    def at_first_line(frame: FrameType, event: str, _argument: Any) -> Any:
        if event != "line" or frame.f_back is None:
            return at_first_line
        passed(frame.f_code, frame.f_back.f_code, frame)
        return None

    with _quiet():
        sys.settrace(entered)
        try:
            act()
        except BaseException as error:  # noqa: BLE001  (whatever was injected)
            return error
        finally:
            sys.settrace(None)
    return None


def _say(writer: int, wrong: Callable[[], Iterable[str]]) -> None:
    """Say what is wrong, and end this copy, whatever happens, without anything that Python would do at its end."""
    said: list[str] = []
    try:
        said.extend(wrong())
    except BaseException as error:  # noqa: BLE001  (whatever it is, it is said)
        said.append("".join(traceback.format_exception(error)))
    finally:
        with os.fdopen(writer, "wb") as outgoing:
            outgoing.write(json.dumps(said).encode())
        os._exit(0)


def _running(frame: FrameType) -> frozenset[str]:
    """The qualified names of a function and of all that called it."""
    names = set()
    each: FrameType | None = frame
    while each is not None:
        names.add(each.f_code.co_qualname)
        each = each.f_back
    return frozenset(names)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without anybody else who traces, as coverage does, and without the collector, which would write everywhere."""
    other, collecting = sys.gettrace(), gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        sys.settrace(other)
        if collecting:
            gc.enable()
