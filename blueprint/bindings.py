"""The bindings in words: what a verdict is about, and what a caller may demand of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from blueprint.bundle import Bundle, Snapshot
from blueprint.errors import UsageError
from blueprint.frontend.models import BUILTIN
from blueprint.ir import structure
from blueprint.ir.concrete import ConcretePlanIR, QueueExtension
from blueprint.ir.distributed import DistributedTaskIR
from blueprint.ir.machine import MachineIR
from blueprint.ir.model import ModelIR
from blueprint.ir.portable import PortablePlanIR
from blueprint.ir.request import Deployment, Inference, ModelFacts, Strategy, Target, TargetKind, Training, blocks_of
from blueprint.words import plain

NAMED_BY_THE_BUNDLE = " (named by the bundle)"
"""Stands behind a model name that the facts do not bear out."""

ANY_SIZE = "any"
"""The device memory of a request that names none."""

Bindings = Mapping[str, Mapping[str, str]]

_WHOLE = re.compile(r"\A(?:0|[1-9][0-9]{0,18})\Z")

_KINDS = {
    field.name: msgspec.inspect.type_info(field.type)
    for part in (ModelFacts, Training, Inference, Strategy, Target, Deployment)
    for field in msgspec.structs.fields(part)
    if field.name != "kind"
}
_KINDS["blocks"] = _KINDS["layers"]
"""The type of each binding by its key."""

NO_TARGET = "none"
"""The target of a request that names none."""

_WORKLOADS = {purpose: {field.name for field in msgspec.structs.fields(purpose)} for purpose in (Training, Inference)}

_ELSEWHERE = {*(_WORKLOADS[Training] ^ _WORKLOADS[Inference]), "microbatch"}
"""Bindings that only one of the workloads has; of the other they are none, so that a folder may hold both."""

_UNNAMED = {
    **dict.fromkeys(_ELSEWHERE, NO_TARGET),
    "emit": "no",
    "architecture": NO_TARGET,
    "abi": NO_TARGET,
    "attention": NO_TARGET,
    "revision": NO_TARGET,
    "devices": ANY_SIZE,
    "topology": ANY_SIZE,
}
"""The bindings of a target and a deployment that a request does not name, as `--expect` finds them."""

_OPEN = {**_UNNAMED, "device_memory": ANY_SIZE}
del _OPEN["emit"]
"""The word of a binding that a request need not name."""


def binding_words(bundle: Bundle) -> dict[str, dict[str, str]]:
    """The bindings in words: what the statement that is proved is about."""
    request = bundle.request
    groups: dict[str, dict[str, str]] = {}
    for name, part in (("model", request.model), ("workload", request.workload), ("strategy", request.strategy)):
        fields = msgspec.to_builtins(part)
        groups[name] = {key: _word(value) for key, value in fields.items()}
    groups["model"]["name"] = _model_name(request.model)
    groups["scope"] = {
        "name": request.strategy.scope.value,
        "blocks": plain(blocks_of(request.model, request.strategy)),
    }
    groups["target"] = {"name": NO_TARGET}
    if isinstance(request.target, Target):
        groups["target"] = {key: _word(value) for key, value in msgspec.to_builtins(request.target).items()}
    groups["deployment"] = {"device_memory": ANY_SIZE}
    if isinstance(request.deployment, Deployment):
        groups["deployment"] |= {key: _word(value) for key, value in msgspec.to_builtins(request.deployment).items()}
    return groups


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return plain(value)


def _model_name(facts: ModelFacts) -> str:
    """A built-in model's name only if the facts are its own; any other name is the bundle's word alone."""
    if BUILTIN.get(facts.name) == facts:
        return facts.name
    return f"{plain(facts.name, 60)}{NAMED_BY_THE_BUNDLE}"


def flat_bindings(bindings: Bindings) -> dict[str, str]:
    """Every binding by one key, as `--expect` names it; `model` is the model's name.

    A training step's batch goes by the option's word, `microbatch`, as well.
    """
    flat = {key: value for group in bindings.values() for key, value in group.items() if key not in {"name", "kind"}}
    aliases = {} if flat.get("purpose") == "inference" else {"microbatch": flat["batch"]}
    target = bindings["target"].get("kind", NO_TARGET)
    return {**_UNNAMED, **flat, **aliases, "model": bindings["model"]["name"], "target": target}


def meets(key: str, found: str, wanted: str) -> bool:
    """Whether a binding is what the caller expects. A name that no built-in model has may be given without its note."""
    if key == "model" and wanted not in BUILTIN:
        return wanted in {found, found.removesuffix(NAMED_BY_THE_BUNDLE)}
    return found == wanted


def known_expectations(expect: Mapping[str, str], bindings: Bindings) -> None:
    """Raise UsageError for an expectation about a binding that does not exist, or that can never have the value."""
    known = flat_bindings(bindings)
    for key, value in expect.items():
        if key not in known:
            raise UsageError(f"--expect: no binding {plain(key)!r}; known are {', '.join(sorted(known))}")
        allowed = _allowed("batch" if key == "microbatch" else key, value)
        if allowed and _OPEN.get(key) != value:
            raise UsageError(f"--expect: {key} cannot be {plain(value, 40)!r}; it is {allowed}")


def _allowed(key: str, value: str) -> str:
    """What the binding's value is always, in words, where `value` is none of it."""
    match _KINDS.get(key):
        case _ if key == "target":
            words: list[str] = [NO_TARGET, *(kind.value for kind in TargetKind)]
        case None if key == "purpose":
            words = ["training", "inference"]
        case msgspec.inspect.BoolType():
            words = ["yes", "no"]
        case msgspec.inspect.EnumType(cls=kind):
            words = [each.value for each in kind]
        case msgspec.inspect.IntType(ge=int() as least, le=int() as most):
            fits = _WHOLE.match(value) and least <= int(value) <= most
            return "" if fits else f"a whole number from {least} to {most}"
        case _:
            return ""
    return "" if value in words else " or ".join(words)


def entities_of(snapshot: Snapshot) -> set[str]:
    """Ids of everything in a snapshot."""
    match snapshot:
        case ModelIR():
            groups: tuple[Sequence[structure.Named], ...] = (snapshot.values, snapshot.operations)
        case DistributedTaskIR():
            groups = (snapshot.values, snapshot.tasks)
        case PortablePlanIR():
            groups = (snapshot.buffers, snapshot.tasks)
        case ConcretePlanIR(extension=extension):
            queues = extension.queues if isinstance(extension, QueueExtension) else ()
            groups = (snapshot.devices, snapshot.regions, snapshot.buffers, snapshot.commands, queues)
        case MachineIR():
            groups = (snapshot.instructions, snapshot.sections, snapshot.entries)
    return {each.id for group in groups for each in group}
