"""Portable -> Concrete: a plan on the devices, in the memory and in the issue order of a target."""

RULES = ("device", "buffer", "region", "command", "fused_attention", "queue", "slot", "plan", "workspace")
