"""False bundles in which only the meaning is wrong: change a good bundle, then seal again whatever depends on it.

A draft is a bundle as plain data. Sealing recomputes ids from their lineage and maps every reference to them, restores
the canonical order, and brings parent, request, session and transition digests up to date. `recorded` then replaces the
recorded reports by what an honest run finds, so that a wrong record is not what stops the bundle.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from blueprint.boundaries import recorded_report
from blueprint.bundle import fingerprint
from blueprint.codec import decode, digest, encode, entity_id
from blueprint.frontend.block import model_ir
from blueprint.ir.common import Stage
from blueprint.ir.concrete import ConcretePlanIR
from blueprint.ir.distributed import DistributedTaskIR
from blueprint.ir.model import ModelIR
from blueprint.ir.order import canonical_order
from blueprint.ir.portable import PortablePlanIR
from blueprint.ir.request import Request
from blueprint.outcome import Report
from blueprint.passes.distribute_training import DistributeTransformerTrainingPass
from blueprint.passes.plan_training import PlanTransformerTrainingPass
from blueprint.passes.protocol import PassContext
from blueprint.pipeline import target_passes

Plain = dict[str, Any]

STAGES: Final = tuple(Stage)

KINDS: Final[Mapping[Stage, Mapping[str, str]]] = {
    Stage.MODEL: {"values": "value", "operations": "node"},
    Stage.DISTRIBUTED: {"values": "value", "tasks": "task"},
    Stage.PORTABLE: {"buffers": "buffer", "tasks": "task"},
    Stage.CONCRETE: {
        "buffers": "buffer",
        "commands": "command",
        "devices": "device",
        "regions": "region",
        "queues": "queue",
    },
    Stage.MACHINE: {"sections": "section", "instructions": "instruction", "entries": "entry"},
}
"""The lists of entities of a stage: first the values, then the steps; each with the kind that its ids carry.

Queues stand in the extension of a concrete plan. A machine's program has no values.
"""


TYPES: Final[Mapping[Stage, type[PortablePlanIR | ConcretePlanIR]]] = {
    Stage.PORTABLE: PortablePlanIR,
    Stage.CONCRETE: ConcretePlanIR,
}
"""What bindings and emissions take."""


class Draft:
    """A bundle as plain data, open for changes. Ids are those of the good bundle until it is sealed."""

    def __init__(self, good: bytes) -> None:
        self.data: Plain = json.loads(good)
        self.digests = [digest_of(record["snapshot"]) for record in self.data.get("stages", ())]

    @property
    def request(self) -> Plain:
        """The bindings."""
        return _member(self.data, "request")

    def snapshot(self, stage: Stage) -> Plain:
        """The snapshot of a stage."""
        return _member(self.data["stages"][STAGES.index(stage)], "snapshot")

    def entities(self, stage: Stage, kind: str) -> list[Plain]:
        """One list of a snapshot, such as its tasks."""
        return listed(self.snapshot(stage), kind)

    def entity(self, stage: Stage, kind: str, name: str) -> Plain:
        """The entity of a local name. Raises StopIteration where there is none."""
        return next(each for each in self.entities(stage, kind) if each["name"] == name)

    def transition(self, target: Stage) -> Plain:
        """The record of the transition to a stage."""
        found: Plain = self.data["transitions"][STAGES.index(target) - 1]
        return found

    def replace(self, stage: Stage, snapshot: object) -> None:
        """Put a whole snapshot in the place of a stage's; overlays on the old one now address the new one."""
        record, old, new = self.data["stages"][STAGES.index(stage)], self.snapshot(stage), json.loads(encode(snapshot))
        moved: dict[str, str] = {}
        for kind in KINDS[stage]:
            named = {each["name"]: each["id"] for each in listed(new, kind)}
            moved |= {each["id"]: named[each["name"]] for each in listed(old, kind) if each["name"] in named}
        record["snapshot"] = new
        self.data["overlays"] = mapped(self.data["overlays"], moved)

    def seal(self) -> None:
        """Recompute ids, references, order and digests, from the request down to the overlays."""
        data = self.data
        data["request_digest"] = digest("request", 1, data["request"])
        data["fingerprint"] = fingerprint(data["request_digest"], data["rulebook"]["digest"])
        moved: dict[str, str] = {}
        parent = data["request_digest"]
        for position, record in enumerate(data["stages"]):
            snapshot = record["snapshot"]
            seal_snapshot(Stage(snapshot["schema"].removeprefix("blueprint.")), snapshot, parent, moved)
            parent = digest_of(snapshot)
            moved[self.digests[position]] = parent
            self.digests[position] = parent
        for position, transition in enumerate(data["transitions"]):
            pair = self.digests[position : position + 2]
            if len(pair) == 2:
                transition["source"], transition["target"] = pair
        data["overlays"] = mapped(data["overlays"], moved)

    def derive_again(self, first: Stage) -> None:
        """Seal, then let the honest front end and passes make every stage from `first` on out of what stands above."""
        self.seal()
        request = decode(encode(self.request), Request)
        context = PassContext(request, self.data["fingerprint"])
        if first is Stage.MODEL:
            self.replace(first, model_ir(request))
        if first in {Stage.MODEL, Stage.DISTRIBUTED}:
            model = decode(encode(self.snapshot(Stage.MODEL)), ModelIR)
            self.replace(Stage.DISTRIBUTED, DistributeTransformerTrainingPass().run(model, context))
        distributed = decode(encode(self.snapshot(Stage.DISTRIBUTED)), DistributedTaskIR)
        self.replace(Stage.PORTABLE, PlanTransformerTrainingPass().run(distributed, context))
        self.bind_again(Stage.CONCRETE)

    def bind_again(self, first: Stage) -> None:
        """Let the honest passes bind and emit again, from the stage `first` on, as far as the bundle goes."""
        self.seal()
        request = decode(encode(self.request), Request)
        context = PassContext(request, self.data["fingerprint"])
        for derivation_pass in target_passes(request):
            source, target = derivation_pass.facts.boundary
            if STAGES.index(first) <= STAGES.index(target) < len(self.data["stages"]):
                given = decode(encode(self.snapshot(source)), TYPES[source])
                self.replace(target, derivation_pass.run(given, context))

    def sealed(self) -> bytes:
        """The canonical bytes of the sealed draft; its recorded reports are still the good bundle's."""
        self.seal()
        return encode(self.data)

    def raw(self) -> bytes:
        """The canonical bytes of the draft as it stands: nothing is sealed."""
        return encode(self.data)


def recorded(data: bytes, honest: Report) -> bytes:
    """The bundle with the reports that an honest run of it makes, in the place of those that it records."""
    plain: Plain = json.loads(data)
    reports = {(each.branch, each.target): each for each in honest.transitions[1:]}
    for transition in plain["transitions"]:
        found = reports.get((transition["branch"], transition["stage"]))
        if found is not None:
            transition["report"] = json.loads(encode(recorded_report(found, honest.obligations)))
    return encode(plain)


def new_id(kind: str, name: str) -> str:
    """A preliminary id for an invented entity; sealing gives it its own."""
    return f"{kind}:{hashlib.sha256(name.encode()).hexdigest()}"


def without(items: Iterable[Plain], name: str) -> list[Plain]:
    """The entities but one."""
    return [each for each in items if each["name"] != name]


def copied(entity: Plain, **changes: object) -> Plain:
    """A copy of an entity with other fields."""
    return {**copy.deepcopy(entity), **changes}


def digest_of(snapshot: Plain) -> str:
    """The digest that a child names: by the stage that the header states, whether or not it is the right one."""
    return digest(snapshot["header"]["stage"], snapshot["header"]["version"], snapshot)


def _member(data: Plain, name: str) -> Plain:
    found: Plain = data[name]
    return found


def seal_snapshot(stage: Stage, snapshot: Plain, parent: str, moved: dict[str, str]) -> None:
    """Seal one snapshot in place; `moved` maps old ids to new ones, those of the stages before it included."""
    snapshot.update(mapped(snapshot, moved))
    header = snapshot["header"]
    header["parent"] = parent
    own: dict[str, str] = {}
    for label, kind in KINDS[stage].items():
        for entity in listed(snapshot, label):
            lineage = entity.get("lineage", {"transform": "frontend", "sources": []})
            own[entity["id"]] = entity_id(
                kind, header["version"], parent, lineage["transform"], tuple(lineage["sources"]), entity["name"]
            )
    snapshot.update(mapped(snapshot, own))
    moved.update(own)
    _order(stage, snapshot)


def _order(stage: Stage, snapshot: Plain) -> None:
    """Put steps and values into canonical order. A cycle has none and stays as it is."""
    values, steps = list(KINDS[stage])[:2]
    outputs = {step["id"]: _outputs(step) for step in snapshot[steps]}
    producers = {output: step for step, written in outputs.items() for output in written}
    if stage not in {Stage.MODEL, Stage.DISTRIBUTED}:
        needs = {step["id"]: [each for each in step["dependencies"] if each in outputs] for step in snapshot[steps]}
    else:
        needs = {step["id"]: [producers[v] for v in step["inputs"] if v in producers] for step in snapshot[steps]}
    order = canonical_order({step["id"]: step["name"] for step in snapshot[steps]}, needs)
    if len(order) == len(snapshot[steps]):
        position = {identifier: at for at, identifier in enumerate(order)}
        snapshot[steps].sort(key=lambda step: position[step["id"]])
    if stage is Stage.CONCRETE:
        _order_extension(snapshot["extension"], order)
    if stage is Stage.MACHINE:
        return
    written = list(dict.fromkeys(output for step in snapshot[steps] for output in _outputs(step)))
    places = {output: place for place, output in enumerate(written)}
    snapshot[values].sort(key=lambda value: (places.get(value["id"], -1), value["name"], value["id"]))


def _order_extension(extension: Plain, order: list[str]) -> None:
    """What is said of commands stands in their order."""
    position = {identifier: at for at, identifier in enumerate(order)}
    for label in ("waits", "issues", "routes"):
        if label in extension:
            extension[label].sort(key=lambda each: position.get(each["command"], -1))


def listed(snapshot: Plain, kind: str) -> list[Plain]:
    """One list of entities of a snapshot; a slot target has no queues."""
    found: list[Plain] = snapshot["extension"].get(kind, []) if kind == "queues" else snapshot[kind]
    return found


def _outputs(step: Plain) -> list[str]:
    if "uses" in step:
        return [use["buffer"] for use in step["uses"] if use["mode"] != "read"]
    if "opcode" in step:
        return []
    found: list[str] = step["outputs"] if "outputs" in step else [step["result"]]
    return found


def mapped(value: Any, names: Mapping[str, str]) -> Any:
    """Plain data with every string that is a key of `names` replaced."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, list):
        return [mapped(each, names) for each in value]
    if isinstance(value, dict):
        return {key: mapped(each, names) for key, each in value.items()}
    return value
