"""Bounds of a run, and what a caller may change within them."""

MAX_BUDGET = 2**31 - 1
"""The largest budget: Z3 reads 0 as "no limit" and wraps above 32 bits."""

DEFAULT_BUDGET = 5_000_000
"""Solver steps that one obligation may take; a verdict never depends on time."""
MAX_BITS = 4_096
"""Of the largest constant that a law or an obligation may have: it has fewer digits than Python prints of a number."""
