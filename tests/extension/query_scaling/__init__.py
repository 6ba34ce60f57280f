"""An attention multiplier as in muP: every query is multiplied by a constant before the scores."""

EXTENDS = "blueprint"
"""The shipped rules come first."""

REVISION = "1"
"""Grows whenever the meaning of any file changes."""

FAMILIES = ("scaling", "training", "inference")

REPLACES = ("training.total", "inference.total", "inference.cache_traffic")
"""Closed totals that one more operation makes false."""
