"""Portable -> Concrete: a plan on the devices, in the memory and in the issue order of a target."""

RULES = ("device", "region", "buffer", "command", "queue", "slot", "plan")
