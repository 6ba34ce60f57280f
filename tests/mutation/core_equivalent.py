"""Mutants of the trusted core that change nothing, each with a proof."""

from __future__ import annotations

from typing import Final

_SET_BEFORE = "read of a worker with pending questions alone, and `give` sets both together"
_NO_VARIABLES = "facts about numbers alone have no variable, so that no value is looked up"

_BASE = "every structure below says so for itself, and of the base there is no value"

EQUIVALENT: Final[dict[tuple[str, str, str], str]] = {
    ("blueprint/discharge.py", "self.expires = math.inf", "self.expires = None"): _SET_BEFORE,
    ("blueprint/discharge.py", 'self.outgoing = memoryview(b"")', "self.outgoing = None"): _SET_BEFORE,
    (
        "blueprint/gate.py",
        'return digest("committed", 1, [*parts, *words])',
        'return digest("committed", 2, [*parts, *words])',
    ): "a seal is compared with seals of this process alone, which all have the same number",
    (
        "blueprint/law.py",
        "AnyLaw = Law | ProjectionLaw | MemoryLaw | MaximumLaw | BoundLaw | Requirement",
        "AnyLaw = None",
    ): "named in annotations, which nothing evaluates, and in an alias of such",
    (
        "blueprint/verification.py",
        "return _verify(data, None, jobs, budget, cross_check=False, expect={}, replay=False)",
        "return _verify(data, None, jobs, budget, cross_check=None, expect={}, replay=False)",
    ): "asked for its truth alone",
    **{
        (path, line, line.replace("fields=True", "fields=False")): _BASE
        for path, name in (
            ("blueprint/bundle.py", "_Record"),
            ("blueprint/ir/concrete.py", "_Struct"),
            ("blueprint/ir/contract.py", "_Contract"),
            ("blueprint/ir/machine.py", "_Struct"),
            ("blueprint/ir/request.py", "_Binding"),
        )
        for line in (f"class {name}(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):",)
    },
    **{
        ("blueprint/chunks.py", before, before.replace("{}", "None")): _NO_VARIABLES
        for before in ("true = [each for each in goal if holds(each, {})]", "if not holds(each, {}):")
    },
}
"""File, line before and line after -> why no test could tell the two apart."""
