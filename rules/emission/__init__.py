"""Concrete -> Machine: one instruction a command, one section a queue or one for the slots, one entry point.

Devices, regions and buffers are not emitted: an instruction's operands hold their places, and a claim compares them.
"""

RULES = ("instruction", "section", "slots", "entry", "program")
