"""Totals of training, stated anew."""

RULES = ("total",)
