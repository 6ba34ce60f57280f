"""Keep the generated pages of docs/site equal to code, laws and proofs, or write them.

python -m tests.tools.site          # fails and shows the difference
python -m tests.tools.site --write  # writes the pages
"""

from __future__ import annotations

import difflib
import sys
from pathlib import Path

from blueprint.rulebook import load, shipped
from tests.tools.site.equations import Book
from tests.tools.site.pages import differing, pages

SITE = Path(__file__).resolve().parents[3] / "docs" / "site"


def settle(made: dict[str, str], folder: Path, arguments: list[str]) -> int:
    """Write the pages with --write; without it, show the differences. The exit status: 0 where there are none."""
    different = differing(made, folder)
    if "--write" in arguments:
        for name in different:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(made[name], encoding="utf-8")
        return 0
    for name, held in different.items():
        have, wanted = held.splitlines(keepends=True), made[name].splitlines(keepends=True)
        sys.stdout.writelines(difflib.unified_diff(have, wanted, f"docs/site/{name}", "real"))
    if different:
        print("pages differ from what they are made of: python -m tests.tools.site --write", file=sys.stderr)
    return int(bool(different))


if __name__ == "__main__":
    sys.exit(settle(pages(Book(load(shipped("rules")), shipped("proofs"))), SITE, sys.argv[1:]))
