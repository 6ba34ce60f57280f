"""All generated pages of the site, by their path in docs/site."""

from __future__ import annotations

from pathlib import Path

from tests.tools.site.codes_page import codes_page
from tests.tools.site.commands_page import commands_page
from tests.tools.site.equations import Book
from tests.tools.site.laws_page import laws_page
from tests.tools.site.package_page import package_page
from tests.tools.site.passes_page import passes_page


def pages(book: Book) -> dict[str, str]:
    """Path -> text. A page depends on code, rules and recorded proofs, and on nothing else."""
    return {
        "passes.md": passes_page(book),
        "laws.md": laws_page(book),
        "commands.md": commands_page(),
        "codes.md": codes_page(),
        "api/package.md": package_page(),
    }


def differing(made: dict[str, str], folder: Path) -> dict[str, str]:
    """The pages that a folder does not hold as they should be, each with what it holds; nothing where it is missing."""
    held = {name: folder / name for name in made}
    texts = {name: path.read_text(encoding="utf-8") if path.is_file() else "" for name, path in held.items()}
    return {name: text for name, text in texts.items() if text != made[name]}
