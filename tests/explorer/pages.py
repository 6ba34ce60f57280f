"""A page read as a browser reads it: elements by an HTML parser, the index, and chunks that are inflated."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from typing import Any


@dataclass
class Element:
    """One element: its name, its attributes, and the text directly in it."""

    tag: str
    attributes: dict[str, str | None]
    text: str = ""


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self.open: list[Element] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        self.elements.append(element)
        if tag != "meta":
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.open[-1].text += data


@dataclass
class Page:
    """A page's parts."""

    data: bytes
    elements: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        parser = _Parser()
        parser.feed(self.data.decode("ascii", "strict") if self.data.isascii() else self.data.decode())
        parser.close()
        assert not parser.open
        self.elements = parser.elements

    def by_id(self, name: str) -> Element:
        """The one element with an id."""
        (found,) = [each for each in self.elements if each.attributes.get("id") == name]
        return found

    @cached_property
    def index(self) -> dict[str, Any]:
        """The index."""
        found: dict[str, Any] = json.loads(self.by_id("index").text)
        return found

    @cached_property
    def chunk_texts(self) -> dict[str, str]:
        """Every chunk's JSON by its id."""
        return {
            str(each.attributes["id"]): gzip.decompress(base64.b64decode(each.text, validate=True)).decode()
            for each in self.elements
            if each.tag == "script" and each.attributes.get("type") == "text/plain"
        }

    def rows(self, listed: dict[str, Any]) -> list[Any]:
        """All rows of a list, whose chunks must be complete, in order and of their digests."""
        texts = self.chunk_texts
        found: list[Any] = []
        for chunk in listed["chunks"]:
            text = texts[chunk["id"]]
            assert hashlib.sha256(text.encode()).hexdigest() == chunk["sha256"]
            assert chunk["start"] == len(found)
            rows = json.loads(text)
            assert len(rows) == chunk["count"] > 0
            found += rows
        assert len(found) == listed["count"]
        return found

    def stage(self, name: str, branch: str = "") -> dict[str, Any]:
        """The stage of that name in a branch; the model is every branch's."""
        index = self.index
        slots = index["slots"][index["branches"].index(branch)]
        found: list[dict[str, Any]] = [index["stages"][each] for each in slots]
        return next(each for each in found if each["stage"] == name)

    def boundary(self, target: str, branch: str = "") -> dict[str, Any]:
        """The boundary that leads to a stage."""
        index = self.index
        place = index["stages"].index(self.stage(target, branch))
        found: list[dict[str, Any]] = [each for each in index["boundaries"] if each["target"] == place]
        return found[0]


def text_of(span: str | dict[str, Any]) -> str:
    """An expression as it reads."""
    return span if isinstance(span, str) else "".join(map(text_of, span["parts"]))


def lines_of(rows: list[Any]) -> list[str]:
    """A text form as it reads, indented."""
    return ["  " * depth + "".join(map(text_of, parts)) for depth, parts in rows]
