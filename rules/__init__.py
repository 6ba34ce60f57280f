"""The shipped rulebook: one rule a file, each exactly one value `RULE`. The families are listed, never searched for."""

REVISION = "2026.12"
"""Grows whenever the meaning of any rule changes."""

FAMILIES = ("primitives", "training", "inference", "stage", "planning", "binding", "emission")
