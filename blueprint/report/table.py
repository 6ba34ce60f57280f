"""Rows of words as aligned lines."""

from __future__ import annotations

from collections.abc import Sequence

from blueprint.words import plain

CELL = 60
"""Most characters of one cell, apart from the last of a row."""

LINE = 240
"""Most characters of a row's last cell, which nothing has to line up with."""


def lines(head: Sequence[str], rows: Sequence[Sequence[object]], indent: str = "  ") -> list[str]:
    """The head and the rows, each column as wide as its widest cell; every cell is escaped and cut."""
    table = [[plain(cell, CELL) for cell in row[:-1]] + [plain(row[-1], LINE)] for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        (indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip()
        for row in table
    ]
