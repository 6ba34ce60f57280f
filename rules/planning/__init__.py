"""Distributed -> Portable: every task and every value is carried over, exactly; and what one rank holds."""

RULES = (
    "task",
    "buffer",
    "weights",
    "activations",
    "memory",
    "cache",
    "workspace",
    "fused_attention",
    "inference_memory",
)
