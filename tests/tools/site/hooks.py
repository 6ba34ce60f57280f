"""What mkdocs does besides reading docs/site: show formulae, and documents that live where they are used."""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import dirname, join, normpath, relpath
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from tests.tools.site.formulas import Formulas

ROOT: Final = Path(__file__).resolve().parents[3]

DOCUMENTS: Final = {
    "rules/README.md": "rules.md",
    "docs/extending.md": "extending.md",
    "docs/reports.md": "reports.md",
    "docs/ci.md": "ci.md",
    "docs/comparison.md": "comparison.md",
    "docs/requirements/pass-formulae.md": "requirements.md",
    "docs/SECURITY.md": "security.md",
    "proofs/SOUNDNESS.md": "gaps.md",
}
"""Document -> the page that it is. One that another links to must be here, or the build ends with that link."""

DECISIONS: Final = "docs/adr"
TEMPLATE: Final = "template.md"
"""Not a decision: shown as it is, to be copied."""

_LINK: Final = re.compile(r"\]\(([^)#:]+\.md)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Formulae are read by an extension of our own."""
    config.markdown_extensions.append(Formulas())  # type: ignore[arg-type]  # Markdown takes objects too
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the documents from elsewhere, and a list of the decisions."""
    decisions = sorted((ROOT / DECISIONS).glob("[0-9]*.md"))
    places = DOCUMENTS | {
        f"{DECISIONS}/{name}": f"decisions/{name}" for name in (*(path.name for path in decisions), TEMPLATE)
    }
    pages = {page: _moved(_read(document), document, places) for document, page in places.items()}
    pages[f"decisions/{TEMPLATE}"] = f"# Template\n\n```markdown\n{_read(f'{DECISIONS}/{TEMPLATE}')}```\n"
    pages["decisions/index.md"] = _list(decisions)
    for page, content in pages.items():
        files.append(File.generated(config, page, content=content))
    return files


def _read(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def _moved(text: str, document: str, places: dict[str, str]) -> str:
    """A document with its links to other documents as links to their pages."""

    def link(found: re.Match[str]) -> str:
        target = normpath(join(dirname(document), found[1]))
        page = places.get(target)
        return f"]({relpath(page, dirname(places[document]) or '.')}" if page else found[0]

    return _LINK.sub(link, text)


def _list(decisions: list[Path]) -> str:
    """Every decision by its title."""
    titles = {path.name: path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ") for path in decisions}
    return "# Decisions\n\n" + "".join(f"- [{title}]({name})\n" for name, title in titles.items())
