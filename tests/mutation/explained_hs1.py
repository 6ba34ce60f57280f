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
    **{
        (
            "blueprint/extension.py",
            "for numbers in ((2, 2), (Symbolic(symbols.E), Symbolic(symbols.e))):",
            f"for numbers in (({other}), (Symbolic(symbols.E), Symbolic(symbols.e))):",
        ): (
            "The work of an operation is tried with other integers. That it can be computed is all that is looked for,"
            " and any integers show it; what it gives is proved elsewhere."
        )
        for other in ("2, 3", "3, 2")
    },
    (
        "blueprint/examine.py",
        'self.find("model.domain", plain(error.message, 400), "request")',
        'self.find("model.domain", plain(error.message, 401), "request")',
    ): "Of a message that is longer than any that is written one character more is shown.",
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
