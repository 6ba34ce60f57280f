"""The page: one HTML file that needs nothing else, asks for nothing, and says what matters with scripts off."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from html import escape
from importlib import resources
from typing import Final

import msgspec

from blueprint.explorer.payload import FindingRow, Index
from blueprint.explorer.projection import Projection

SHOWN: Final = 20
"""The most findings that stand in the page as plain HTML."""

_NOTICE: Final = (
    "This is what stands here without scripts: the verdict, what was counted, and the first findings."
    " The stages, the boundaries and the evidence need a browser that runs the script of this page."
    " It loads nothing and sends nothing."
)


def asset(name: str) -> str:
    """The script or the stylesheet that ships beside this module."""
    return resources.files("blueprint.explorer").joinpath("static", name).read_text(encoding="utf-8")


def policy(script: str, style: str) -> str:
    """The content security policy: this one script and this one stylesheet, and nothing from anywhere."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:;"
        " connect-src 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script';"
        " trusted-types 'none'"
    )


def own_policy() -> str:
    """The policy of the pages that this version writes."""
    return policy(asset("explorer.js"), asset("explorer.css"))


def page(projection: Projection) -> bytes:
    """The whole page: equal for equal bundles, with one version of Blueprint and of the library that compresses."""
    return b"".join(_parts(projection))


def _parts(projection: Projection) -> Iterator[bytes]:
    script, style = asset("explorer.js"), asset("explorer.css")
    index = projection.index
    yield _head(index, policy(script, style), style).encode("ascii", "xmlcharrefreplace")
    yield b'<body>\n<div id="plain">\n'
    yield "".join(f"{line}\n" for line in _plain(index)).encode("ascii")
    yield b'</div>\n<div id="app"></div>\n<script type="application/json" id="index">'
    # A script element ends at the first "</script": a JSON string may write its "<" otherwise.
    yield msgspec.json.encode(index).replace(b"<", b"\\u003c")
    yield b"</script>\n"
    for number, text in enumerate(projection.chunks.texts):
        yield b'<script type="text/plain" id="c%d">' % number
        yield text
        yield b"</script>\n"
    yield b"<script>"
    yield script.encode()
    yield b"</script>\n</body>\n</html>\n"


def _hash(text: str) -> str:
    """The hash by which a policy allows an element's text, byte for byte."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}"


def _head(index: Index, allowed: str, style: str) -> str:
    title = escape(f"{index.verdict}: {_subject(index)}")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(allowed, quote=False)}">\n'
        '<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n"
    )


def _subject(index: Index) -> str:
    """Model and purpose, as the bindings name them."""
    bindings = {(section.title, fact.name): fact.value for section in index.bindings for fact in section.facts}
    return f"{bindings['model', 'name']}, {bindings['workload', 'purpose']}"


def _plain(index: Index) -> Iterator[str]:
    """Verdict, counts and first findings, for those who read without scripts."""
    verdict, subject = escape(index.verdict), escape(_subject(index))
    yield f'<h1 class="verdict" data-word="{verdict}">{verdict}: {subject}</h1>'
    yield f"<p>{escape(index.summary)}</p>"
    if index.findings:
        yield f"<h2>Findings: {index.findings_total}</h2>"
        yield '<ol class="findings">'
        yield from map(_finding, index.findings[:SHOWN])
        yield "</ol>"
    if index.findings_total > SHOWN:
        yield f"<p>and {index.findings_total - SHOWN} more</p>"
    for section in index.bindings:
        yield f"<h2>{escape(section.title)}</h2>"
        yield "<dl>"
        yield from (f"<dt>{escape(each.name)}</dt><dd>{escape(each.value)}</dd>" for each in section.facts)
        yield "</dl>"
    yield '<table class="counts"><caption>Claims and forms of laws by verdict word</caption>'
    for count in index.counts:
        yield f'<tr><th scope="row">{escape(count.word)}</th><td>{escape(count.count)}</td></tr>'
    yield "</table>"
    yield f"<p>Bundle: SHA-256 {escape(index.bundle_sha256)}</p>"
    yield f"<noscript><p>{escape(_NOTICE)}</p></noscript>"


def _finding(finding: FindingRow) -> str:
    place = f" at <bdi>{escape(finding.path)}</bdi>" if finding.path else ""
    return f"<li><code>{escape(finding.code)}</code>{place}: {escape(finding.message)}</li>"
