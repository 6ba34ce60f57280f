"""The page of the package's own names: what `import blueprint` offers, and where it is documented."""

from __future__ import annotations

import blueprint
from tests.tools.site.markup import NOTE, table

ELSEWHERE = ("blueprint.outcome", "blueprint.passes.", "blueprint.pipeline", "blueprint.rule", "blueprint.verifier")
"""Modules that other pages document."""


def package_page() -> str:
    """Every public name with its module; those without another page are documented here."""
    homes = blueprint._HOMES
    rows = [(f"[`{name}`][{homes[name]}.{name}]", f"`{homes[name]}`") for name in blueprint.__all__]
    here = [f"\n::: {homes[name]}.{name}\n" for name in blueprint.__all__ if not homes[name].startswith(ELSEWHERE)]
    return (
        f"{NOTE}\n# Package\n\n::: blueprint\n    options:\n      members: false\n      show_root_heading: false\n"
        f"{table(('name', 'module'), rows)}{''.join(here)}"
    )
