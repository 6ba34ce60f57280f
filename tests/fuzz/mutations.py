"""A false bundle out of any bytes: each byte is a choice, of a good bundle, of places in it and of what to put there.

A fuzzer that changes one byte so changes one choice, and what it finds can be replayed from the bytes alone.
"""

from __future__ import annotations

import contextlib
import copy
import functools
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from blueprint.codec import encode
from blueprint.derivation import derive
from blueprint.frontend.request import inference_request, training_request
from blueprint.ir.common import INT64_MAX, Branch
from blueprint.ir.request import Attention, Communication, Recompute, TargetKind, Training
from tests.bundles.branches import BranchDraft
from tests.bundles.conftest import TINY
from tests.hostile.malformed import Path, parent
from tests.reseal import Draft

T = TypeVar("T")

REQUESTS: Final = (
    training_request(
        TINY, sequence=8, tensor=2, recompute=Recompute.SELECTIVE, communication=Communication.SEQUENCE_PARALLEL
    ),
    training_request(TINY, sequence=4, target=TargetKind.QUEUE, emit=True),
    inference_request(
        TINY, prompt=2, context=3, tensor=2, target=TargetKind.SLOT, emit=True, attention=Attention.TILED
    ),
)
"""A plan on two ranks, and one block each of training and of inference with all five stages."""

MOST: Final = 6
"""Changes of one bundle."""

SEALING_FAILS: Final = (KeyError, TypeError, ValueError, AttributeError, IndexError, StopIteration)

NUMBERS: Final = (0, 1, 2, 3, 4, 7, 8, 16, 127, 255, 65_535, 65_536, 2**31 - 1, 2**32, 2**53 + 1, INT64_MAX, 2**63, -1)
TEXTS: Final = ("", "a", "x" * 64, "x" * 257, "\u0430", "\x1b[2J", "main", "sum", "model", "0" * 64, "task:" + "0" * 64)
OTHERS: Final[tuple[Any, ...]] = (None, True, False, [], {}, 1.5, "1", [[]], [None])


class Choices:
    """Bytes as choices, one after another; when they are used up, every choice is the first."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def below(self, count: int) -> int:
        """A number from 0 to count - 1, of one byte, or of two where one is not enough."""
        size = 1 if count <= 256 else 2
        taken = self.data[self.at : self.at + size]
        self.at += size
        return int.from_bytes(taken, "big") % count

    def of(self, items: Sequence[T]) -> T:
        """One of several."""
        return items[self.below(len(items))]


@functools.cache
def good(number: int) -> bytes:
    """A good bundle, derived once."""
    return derive(REQUESTS[number], jobs=1)


def bundle(data: bytes) -> tuple[bytes, bool]:
    """The bytes of a bundle, and whether it is to be verified with replay."""
    choices = Choices(data)
    number = choices.below(len(REQUESTS))
    replay, sealed = bool(choices.below(2)), bool(choices.below(4))
    draft = _draft(number, choices)
    for _ in range(1 + choices.below(MOST)):
        with contextlib.suppress(KeyError, IndexError, TypeError):  # an earlier change took the place away
            _change(draft.data, choices)
    if sealed:
        with contextlib.suppress(*SEALING_FAILS):  # what cannot be sealed is verified as it stands
            draft.seal()
    return encode(draft.data), replay


def _draft(number: int, choices: Choices) -> Draft:
    request = REQUESTS[number]
    if isinstance(request.workload, Training):
        return Draft(good(number))
    branches = ("prefill", "final-decode")
    return BranchDraft(good(number), Branch(choices.of(branches)))


def _change(document: Any, choices: Choices) -> None:
    """Change one place. The way there is chosen step by step, so that small and large parts are as likely."""
    if path := _place(document, choices):
        choices.of(_CHANGES)(document, path, choices)


def _place(document: Any, choices: Choices) -> Path:
    path: Path = ()
    value: Any = document
    while isinstance(value, dict | list) and value and (len(path) < 2 or choices.below(8)):
        step: Any = choices.of(_members(value))
        path, value = (*path, step), value[step]
    return path


def _members(holder: Any) -> list[str | int]:
    return [*sorted(holder)] if isinstance(holder, dict) else [*range(len(holder))]


def _alike(document: Any, path: Path, choices: Choices) -> Path:
    """The same field of another member of one of the lists on the way; the place itself where that has none."""
    places = [place for place, part in enumerate(path) if isinstance(part, int)]
    if not places:
        return path
    at = choices.of(places)
    members = parent(document, path[: at + 1])
    other: Path = (*path[:at], choices.below(len(members)), *path[at + 1 :])
    try:
        parent(document, other)[other[-1]]
    except (KeyError, IndexError, TypeError):
        return path
    return other


def _set_value(document: Any, path: Path, choices: Choices) -> None:
    holder, key = parent(document, path), path[-1]
    match value := holder[key]:
        case bool():
            holder[key] = not value
        case int():
            holder[key] = choices.of((value + 1, max(0, value - 1), value * 2, value // 2, *NUMBERS))
        case str():
            holder[key] = choices.of(TEXTS)
        case _:
            holder[key] = copy.deepcopy(choices.of(OTHERS))


def _copy_of_alike(document: Any, path: Path, choices: Choices) -> None:
    other = _alike(document, path, choices)
    parent(document, path)[path[-1]] = copy.deepcopy(parent(document, other)[other[-1]])


def _exchange_with_alike(document: Any, path: Path, choices: Choices) -> None:
    other = _alike(document, path, choices)
    here, there = parent(document, path), parent(document, other)
    here[path[-1]], there[other[-1]] = there[other[-1]], here[path[-1]]


def _copy_from_anywhere(document: Any, path: Path, choices: Choices) -> None:
    other = _place(document, choices)
    parent(document, path)[path[-1]] = copy.deepcopy(parent(document, other)[other[-1]])


def _leave_out(document: Any, path: Path, _choices: Choices) -> None:
    """A member of a list on the way, the innermost one; a field where there is none."""
    lists = [place for place, part in enumerate(path) if isinstance(part, int)]
    shorter = path[: lists[-1] + 1] if lists else path
    del parent(document, shorter)[shorter[-1]]


def _repeat(document: Any, path: Path, choices: Choices) -> None:
    lists = [place for place, part in enumerate(path) if isinstance(part, int)]
    if lists:
        members, at = parent(document, path[: lists[-1] + 1]), path[lists[-1]]
        members[at:at] = [copy.deepcopy(members[at]) for _ in range(1 + choices.below(3))]


def _turn(document: Any, path: Path, _choices: Choices) -> None:
    lists = [place for place, part in enumerate(path) if isinstance(part, int)]
    if lists:
        parent(document, path[: lists[-1] + 1]).reverse()


def _spell_otherwise(document: Any, path: Path, choices: Choices) -> None:
    """A field under another name, or with a value of another type."""
    holder, key = parent(document, path), path[-1]
    if isinstance(holder, dict) and choices.below(2):
        holder[f"{key}{choices.below(3)}"] = holder.pop(key)
    else:
        holder[key] = copy.deepcopy(choices.of(OTHERS))


_Change = Callable[[Any, Path, Choices], None]
_CHANGES: Final[tuple[_Change, ...]] = (
    *(_set_value,) * 6,
    *(_copy_of_alike,) * 6,
    *(_exchange_with_alike,) * 4,
    *(_leave_out, _repeat) * 2,
    _turn,
    _copy_from_anywhere,
    _spell_otherwise,
)
