"""Totals of inference, stated anew."""

RULES = ("cache_traffic", "total")
