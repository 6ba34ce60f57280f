"""Numbers that a caller may change, with their defaults."""

DEFAULT_BUDGET = 20_000_000
"""Solver steps that one obligation may take; a verdict never depends on time."""
