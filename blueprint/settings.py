"""Numbers that a caller may change, with their defaults."""

DEFAULT_BUDGET = 5_000_000
"""Solver steps that one obligation may take; a verdict never depends on time."""
