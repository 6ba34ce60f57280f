"""Check a built site: every link inside it leads to a page and a place that exist, and nothing is loaded from outside.

python -m tests.tools.site.links FOLDER
"""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

LINK: Final = ("a", "href")
LOADED: Final = (("link", "href"), ("script", "src"), ("img", "src"))
"""What a browser fetches to show a page."""


@dataclass
class Page(HTMLParser):
    """What one page links to and loads, and the places in it."""

    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    places: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """A parser has a state of its own."""
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag links to, loads or names."""
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag, name) == ("a", "name"):
                self.places.add(value)
            if (tag, name) == LINK:
                self.links.append(value)
            if (tag, name) in LOADED:
                self.loaded.append(value)


def read(folder: Path) -> dict[str, Page]:
    """Every page of a site, by its path in it."""
    pages = {}
    for path in sorted(folder.rglob("*.html")):
        page = Page()
        page.feed(path.read_text(encoding="utf-8"))
        pages[path.relative_to(folder).as_posix()] = page
    return pages


def faults(folder: Path, pages: dict[str, Page]) -> Iterator[str]:
    """Every link to what is not there, and everything that is loaded from elsewhere."""
    for name, page in pages.items():
        for link in (*page.links, *page.loaded):
            target = urlsplit(link)
            if target.scheme or target.netloc:
                if link in page.loaded:
                    yield f"{name} loads {link} from outside"
                continue
            path = _path(name, unquote(target.path))
            if not (folder / path).is_file():
                yield f"{name} links to {link}, and there is no {path}"
            elif target.fragment and unquote(target.fragment) not in pages[path].places:
                yield f"{name} links to {link}, and there is no such place in {path}"


def _path(page: str, target: str) -> str:
    """The file that a path means on a page; a folder means its index."""
    if not target:
        return page
    path = target.lstrip("/") if target.startswith("/") else posixpath.join(posixpath.dirname(page), target)
    folder = path.endswith("/") or posixpath.basename(path) in {"", ".", ".."}
    return posixpath.normpath(posixpath.join(path, "index.html") if folder else path)


def main(folder: Path) -> int:
    """Print every fault, or what was checked; 1 where there is a fault or no page at all."""
    pages = read(folder)
    found = list(faults(folder, pages))
    for each in found:
        print(each, file=sys.stderr)
    links = [urlsplit(link) for page in pages.values() for link in page.links]
    inside = [link for link in links if not link.scheme and not link.netloc]
    places = sum(1 for link in inside if link.fragment)
    print(
        f"{len(pages)} pages, {len(inside)} links inside the site ({places} to a place in a page), "
        f"{len(links) - len(inside)} to elsewhere; {len(found)} faults"
    )
    return int(bool(found) or not pages)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
