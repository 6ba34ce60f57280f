"""Rows in chunks: gzip of a JSON array, in base64, bounded in rows and in bytes."""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

import msgspec

from blueprint.explorer.payload import ChunkList, ChunkRow

ENTITIES: Final = 500
RELATIONS: Final = 1_000
NAMES: Final = 4_000
LINES: Final = 8_000
OVERLAY_VALUES: Final = 8_000
"""The most rows of a chunk by what they are."""

BYTES: Final = 768 * 1024
"""Bytes of JSON at which a chunk is full: a browser inflates and reads that much without a pause that is felt."""

LEVEL: Final = 6
"""The level of compression."""

_ENCODER: Final = msgspec.json.Encoder()


@dataclass
class Chunks:
    """The chunks of a page, in the order of their numbers."""

    texts: list[bytes] = field(default_factory=list)

    def listed(self, rows: Iterable[object], most: int) -> ChunkList:
        """Put rows into chunks of at most `most` and say where they are."""
        chunks: list[ChunkRow] = []
        held: list[bytes] = []
        size = start = 0
        for row in rows:
            text = _ENCODER.encode(row)
            if held and (len(held) == most or size + len(text) > BYTES):
                chunks.append(self._chunk(held, start))
                start += len(held)
                held, size = [], 0
            held.append(text)
            size += len(text) + 1
        if held:
            chunks.append(self._chunk(held, start))
        return ChunkList(count=start + len(held), chunks=tuple(chunks))

    def _chunk(self, rows: list[bytes], start: int) -> ChunkRow:
        text = b"[" + b",".join(rows) + b"]"
        # Without a time, so that equal rows are equal bytes.
        self.texts.append(base64.b64encode(gzip.compress(text, LEVEL, mtime=0)))
        return ChunkRow(
            id=f"c{len(self.texts) - 1}", start=start, count=len(rows), sha256=hashlib.sha256(text).hexdigest()
        )
