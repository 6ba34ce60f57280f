"""The axes along which requests are drawn, and the values of each that must have been drawn: a soak starves none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from blueprint.case import all_cases, stage_cases
from blueprint.frontend.models import BUILTIN
from blueprint.frontend.request import DTYPES, GRADIENT_WIDTHS
from blueprint.ir.request import Attention, Communication, Recompute, TargetKind
from tests.soak.asks import (
    ALONE,
    ANY,
    BLOCK,
    BREACHES,
    CONFIGURATION,
    DEGREES,
    FACTS,
    FIRST,
    LAST,
    MIDDLE,
    MOST_BLOCKS,
    ROOMY,
    TIGHT,
    Ask,
)

Value = tuple[str, str]
"""An axis, and one of its values."""

EQUAL, OTHER = "equal", "other"
NONE = "none"
UNNAMED, NEEDED, MORE = "not named", "as many as needed", "more"
OF_PARAMETERS = "those of the parameters"

FEW = 20
"""Of so many values the table shows each."""


def _target(kind: TargetKind | None, *, emitted: bool) -> str:
    return f"{kind.value}{', emitted' if emitted else ''}" if kind else NONE


AXES: Final[Mapping[str, tuple[str, ...]]] = {
    "workload": ("training", "inference"),
    "model": (*BUILTIN, FACTS, CONFIGURATION),
    "what": (BLOCK, ALONE, FIRST, MIDDLE, LAST),
    "blocks of a stage": tuple(str(each) for each in range(1, MOST_BLOCKS + 1)),
    "tensor degree": tuple(str(each) for each in (1, *DEGREES)),
    "pipeline degree": tuple(str(each) for each in range(1, 9)),
    "data degree": tuple(str(each) for each in range(1, 17)),
    "recompute": tuple(each.value for each in Recompute),
    "communication": tuple(each.value for each in Communication),
    "ZeRO stage": ("0", "1", "2", "3"),
    "element type": tuple(each.value for each in DTYPES),
    "gradient bytes": (OF_PARAMETERS, *(str(each) for each in GRADIENT_WIDTHS)),
    "target": (NONE, *(_target(kind, emitted=each) for kind in TargetKind for each in (False, True))),
    "attention": tuple(each.value for each in Attention),
    "device memory": (ANY, ROOMY, TIGHT),
    "h d and H": (EQUAL, OTHER),
    "F and 4 H": (EQUAL, OTHER),
    "prompt and context": (EQUAL, OTHER),
    "biases": ("yes", "no"),
    "devices": (UNNAMED, NEEDED, MORE),
    "case": tuple(each.stage_text if each.stack else each.text for each in (*all_cases(), *stage_cases())),
    "outside": tuple(BREACHES),
}
"""Every axis with the values that count. Others may be drawn too, such as the degrees of built-in models."""


def values_of(ask: Ask) -> Iterator[Value]:
    """Where a request lies on every axis that it has; what is outside the domain lies on that axis alone."""
    if ask.breach:
        yield "outside", ask.breach
        return
    case, facts, options = ask.case, ask.facts, ask.options
    yield "case", case.stage_text if case.stack else case.text
    yield "workload", case.workload.value
    yield "model", ask.origin
    yield "biases", "yes" if facts.biases else "no"
    yield "h d and H", _compared(facts.heads * facts.head_width, facts.hidden)
    yield "F and 4 H", _compared(facts.feedforward, 4 * facts.hidden)
    yield "what", ask.place
    if case.stack:
        yield "blocks of a stage", str(facts.layers // options["pipeline"])
    yield "tensor degree", str(options["tensor"])
    yield "pipeline degree", str(options["pipeline"])
    yield "element type", options["dtype"].value
    yield "target", _target(options["target"], emitted=options["emit"])
    yield "device memory", ask.memory
    yield "devices", _devices(options["devices"], ask.needed)
    yield from _of_inference(options) if case.inference else _of_training(options)


def starved(counts: Counter[Value]) -> list[Value]:
    """The values that were never drawn."""
    return [(axis, value) for axis, values in AXES.items() for value in values if not counts[axis, value]]


def table(counts: Counter[Value]) -> Iterator[str]:
    """One line for each axis, with how often each value was drawn; of many values the least and the most."""
    for axis, values in AXES.items():
        drawn = {value: counts[axis, value] for value in values}
        others = sum(count for (where, value), count in counts.items() if where == axis and value not in drawn)
        if len(values) <= FEW:
            shown = ", ".join(f"{value} {count}" for value, count in drawn.items())
        else:
            least = min(drawn, key=lambda value: drawn[value])
            shown = f"{len(values)} values, each {drawn[least]} to {max(drawn.values())} times; least: {least}"
        yield f"{axis:<20} {shown}{f', others {others}' if others else ''}"


def _of_training(options: Mapping[str, Any]) -> Iterator[Value]:
    yield "recompute", options["recompute"].value
    yield "communication", options["communication"].value
    yield "ZeRO stage", str(options["zero"])
    yield "data degree", str(options["data"])
    yield "gradient bytes", str(options["gradient_bytes"] or OF_PARAMETERS)


def _of_inference(options: Mapping[str, Any]) -> Iterator[Value]:
    yield "prompt and context", _compared(options["prompt"], options["context"])
    if options["target"]:
        yield "attention", options["attention"].value


def _compared(one: int, other: int) -> str:
    return EQUAL if one == other else OTHER


def _devices(devices: int | None, needed: int) -> str:
    if devices is None:
        return UNNAMED
    return NEEDED if devices == needed else MORE
