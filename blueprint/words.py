"""Untrusted text made fit for a terminal, a log or a report; every message that repeats foreign text passes here."""

from __future__ import annotations

# Python refuses to print integers over 4300 digits; nobody reads one of over 300 either.
_SHOWN_BITS = 1024

_COMMAND = "##["
"""How a command to the runner of a workflow begins, anywhere in a line of its log."""


def plain(text: object, limit: int = 120) -> str:
    r"""Show anything as at most `limit` characters of printable ASCII, the rest as \xNN, \uNNNN or \UNNNNNNNN.

    Text that is cut ends in "...". Never raises: not for lone surrogates, integers too long to print or a failing
    __str__. A backslash stays as it is, so the result is for reading and not for decoding.
    """
    room = max(limit, 0)
    if type(text) is str and len(text) <= room and text.isascii() and text.isprintable() and _COMMAND not in text:
        return text  # nothing to escape, as almost always
    # Cut before escaping: escaping only ever lengthens, and foreign text may be of any size.
    shown = "".join(_escaped(character) for character in _shown(text, room + 1)[: room + 1])
    shown = shown.replace(_COMMAND, r"##\x5b")
    if len(shown) <= room:
        return shown
    return (shown[: max(room - 3, 0)] + "...")[:room]


def _shown(text: object, length: int) -> str:
    """The object's text, of bytes only the first `length`, or a stand-in that names what cannot be printed."""
    if isinstance(text, (bytes, bytearray)):
        return repr(bytes(text[:length]))
    if isinstance(text, int) and text.bit_length() > _SHOWN_BITS:
        return f"an integer of {text.bit_length()} bits"
    try:
        return str(text)
    except Exception:  # noqa: BLE001  (a message about a bad object must not fail because the object is bad)
        return f"a {type(text).__name__} that cannot be shown"


def _escaped(character: str) -> str:
    """The character itself if it is printable ASCII, else its escape."""
    if " " <= character <= "~":
        return character
    if character.isascii():
        return f"\\x{ord(character):02x}"
    return character.encode("ascii", "backslashreplace").decode("ascii")
