"""A page whose data is changed: what stands in the index and in the chunks is laid open and packed again."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from typing import Any

INDEX = re.compile(r'(<script type="application/json" id="index">)(.*?)(</script>)', re.DOTALL)
CHUNK = re.compile(r'<script type="text/plain" id="(c\d+)">([^<]*)</script>\n?')

Rows = list[Any]


class Altered:
    """A page open for changes; `index` is plain data, and lists are read and put by their places in it."""

    def __init__(self, html: str) -> None:
        self.html = html
        found = INDEX.search(html)
        assert found is not None
        self.index: dict[str, Any] = json.loads(found[2])
        self.chunks: dict[str, str] = {match[1]: match[2] for match in CHUNK.finditer(html)}

    def rows(self, listed: dict[str, Any]) -> Rows:
        """All rows of a list."""
        return [
            row
            for chunk in listed["chunks"]
            for row in json.loads(gzip.decompress(base64.b64decode(self.chunks[chunk["id"]])))
        ]

    def put(self, listed: dict[str, Any], rows: Rows, at_most: int = 500) -> None:
        """Let a list have these rows, in chunks of their own."""
        listed["count"] = len(rows)
        listed["chunks"] = []
        for start in range(0, len(rows), at_most):
            part = rows[start : start + at_most]
            text = json.dumps(part).encode()
            name = f"c{len(self.chunks)}"
            self.chunks[name] = base64.b64encode(gzip.compress(text, mtime=0)).decode("ascii")
            sha256 = hashlib.sha256(text).hexdigest()
            listed["chunks"].append({"id": name, "start": start, "count": len(part), "sha256": sha256})

    def stage(self, name: str) -> dict[str, Any]:
        """The row of a stage."""
        found: dict[str, Any] = next(each for each in self.index["stages"] if each["stage"] == name)
        return found

    def whole(self) -> str:
        """The page with what was changed."""
        index = json.dumps(self.index).replace("<", "\\u003c")
        chunks = "".join(
            f'<script type="text/plain" id="{name}">{text}</script>\n' for name, text in self.chunks.items()
        )
        bare = CHUNK.sub("", self.html)
        return INDEX.sub(lambda match: f"{match[1]}{index}{match[3]}\n{chunks}", bare)
