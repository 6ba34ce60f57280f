"""Mutants of the bound claims that change what no promise is about."""

from __future__ import annotations

from typing import Final

_NO_SLOT = (
    "the slot of a command that has none: any number but 0, the slot that each must have, is as false; a report of the"
    " false fact would show another number"
)
_NO_PLACE = "the place of a command that is issued nowhere: no place is negative, so that any such number is as false"

_ISSUED = "yield from ((each, (queue.category.value, at, -1)) for at, each in enumerate(queue.order))"
_NOWHERE = 'NOWHERE: Final = ("", -1, -1)'

EXPLAINED: Final[dict[tuple[str, str, str], str]] = {
    **{
        ("blueprint/claims/concrete.py", _ISSUED, _ISSUED.replace("at, -1", f"at, {slot}")): _NO_SLOT
        for slot in ("-2", "+1")
    },
    **{
        ("blueprint/claims/concrete.py", _NOWHERE, f'NOWHERE: Final = ("", -1, {slot})'): _NO_SLOT
        for slot in ("-2", "+1")
    },
    ("blueprint/claims/concrete.py", _NOWHERE, 'NOWHERE: Final = ("", -2, -1)'): _NO_PLACE,
    ("blueprint/claims/machine.py", 'NOWHERE: Final = ("", -1)', 'NOWHERE: Final = ("", -2)'): _NO_PLACE,
}
"""File, line before and line after -> what changes, and why it makes no false thing true."""
