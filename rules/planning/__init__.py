"""Distributed -> Portable: every task and every value is carried over, exactly."""

RULES = ("task", "buffer", "activations", "memory")
