"""Mutants of the trusted core that change something about which nothing is promised, each with what changes."""

from __future__ import annotations

from typing import Final

EXPLAINED: Final[dict[tuple[str, str, str], str]] = {
    **{
        (
            "blueprint/contract.py",
            'return digest("contract", 1, contract)',
            f'return digest("contract", {other}, contract)',
        ): (
            "All contracts have another digest; as before, each has its own. Nothing keeps or compares the digests of"
            " two versions of the program."
        )
        for other in (2, None)
    },
    (
        "blueprint/rulebook.py",
        'total.update(len(part).to_bytes(8, "big") + part)',
        'total.update(len(part).to_bytes(9, "big") + part)',
    ): (
        "The digest of every rulebook is another one; as before, it covers lengths and contents, and no two rulebooks"
        " have one. A bundle of before is then one of other rules, which is a refusal."
    ),
}
"""File, line before and line after -> what changes, and why it makes no false thing true."""
