"""Text in a document that a program writes: the part between two marks, compared with what it should be, or written."""

from __future__ import annotations

import difflib
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Part:
    """The lines of a document between two marks, each a whole line."""

    document: Path
    begin: str
    end: str

    def sections(self, text: str) -> tuple[str, str, str]:
        """A text before, inside and after the marks; the marks stand outside."""
        before, rest = text.split(self.begin)
        inside, after = rest.split(self.end)
        return before + self.begin, inside, self.end + after

    def settle(self, real: str, arguments: list[str]) -> int:
        """Write `real` with --write; without it, show the difference. The exit status: 0 where there is none."""
        before, inside, after = self.sections(self.document.read_text(encoding="utf-8"))
        if "--write" in arguments:
            self.document.write_text(before + real + after, encoding="utf-8")
            return 0
        have, wanted = inside.splitlines(keepends=True), real.splitlines(keepends=True)
        sys.stdout.writelines(difflib.unified_diff(have, wanted, self.document.name, "real"))
        return int(inside != real)
