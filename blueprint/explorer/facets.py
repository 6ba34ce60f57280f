"""Where an entity stands in the matrix: its subsystem, its kind and its phase, traced through lineage.

The subsystem is that of the model's operations that an entity comes from, never a matter of its name. What exchanges
gradients between data-parallel ranks, crosses the edge of a pipeline stage or updates parameters is a subsystem of its
own, by its phase.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from blueprint.explorer.items import Entity, lineage_of
from blueprint.explorer.stages import Chain, Shown
from blueprint.ir.common import Phase, Role
from blueprint.ir.concrete import BufferBinding, Command, Device, Queue, Region
from blueprint.ir.distributed import DistributedTaskIR, DistributedValue, Task
from blueprint.ir.machine import EntryPoint, Instruction, Section
from blueprint.ir.model import ModelIR, ModelValue, Operation, OperationKind
from blueprint.ir.portable import Buffer, PlanTask, PortablePlanIR


class Subsystem(enum.Enum):
    """The parts of a transformer as those see them who make it fast, from top to bottom."""

    STREAM = "residual stream"
    NORM = "normalization"
    ATTENTION = "attention"
    MLP = "MLP"
    OPTIMIZER = "optimizer"
    DATA = "data parallel"
    PIPELINE = "pipeline"
    OTHER = "other"
    TARGET = "target"


@dataclass(frozen=True)
class Facet:
    """Subsystem, kind of entity in the lane's words, and phase; None for what belongs to no phase."""

    subsystem: Subsystem
    kind: str
    phase: Phase | None


SUBSYSTEMS: Final[Mapping[str, Subsystem]] = {
    OperationKind.ATTENTION_NORM: Subsystem.NORM,
    OperationKind.QUERY_PROJECTION: Subsystem.ATTENTION,
    OperationKind.KEY_PROJECTION: Subsystem.ATTENTION,
    OperationKind.VALUE_PROJECTION: Subsystem.ATTENTION,
    OperationKind.SCORES: Subsystem.ATTENTION,
    OperationKind.SOFTMAX: Subsystem.ATTENTION,
    OperationKind.ATTENTION_DROPOUT: Subsystem.ATTENTION,
    OperationKind.CONTEXT: Subsystem.ATTENTION,
    OperationKind.OUTPUT_PROJECTION: Subsystem.ATTENTION,
    OperationKind.OUTPUT_DROPOUT: Subsystem.ATTENTION,
    OperationKind.ATTENTION_RESIDUAL: Subsystem.STREAM,
    OperationKind.MLP_NORM: Subsystem.NORM,
    OperationKind.UP_PROJECTION: Subsystem.MLP,
    OperationKind.ACTIVATION: Subsystem.MLP,
    OperationKind.DOWN_PROJECTION: Subsystem.MLP,
    OperationKind.MLP_DROPOUT: Subsystem.MLP,
    OperationKind.MLP_RESIDUAL: Subsystem.STREAM,
}
"""The subsystem of each operation of a classical block."""

_BY_PHASE: Final[Mapping[Phase, Subsystem]] = {
    Phase.OPTIMIZER: Subsystem.OPTIMIZER,
    Phase.SYNCHRONIZATION: Subsystem.DATA,
    Phase.STAGE_BOUNDARY: Subsystem.PIPELINE,
}

_PARAMETERS: Final = (Role.PARAMETER, Role.PARAMETER_GRADIENT, Role.UPDATED_PARAMETER)

_PHASES: Final = list(Phase)

Facets = tuple[Facet, ...]
"""The facet of every entity of a snapshot, by position."""


def facets_of(chain: Chain) -> list[Facets]:
    """The facets of every slot's entities, model first; empty for a slot that shows nothing."""
    found: list[Facets] = []
    parent: Mapping[str, Facet] = {}
    for slot in chain.slots:
        facets = () if slot.shown is None else _of_stage(slot.shown, parent)
        if slot.shown is not None:
            parent = {entity.id: facet for entity, facet in zip(slot.shown.entities, facets, strict=True)}
        found.append(facets)
    return found


def _of_stage(shown: Shown, parent: Mapping[str, Facet]) -> Facets:
    match shown.snapshot:
        case ModelIR() as model:
            subsystems = _of_model(model)
            return tuple(_model_facet(entity, subsystems) for entity in shown.entities)
        case DistributedTaskIR(tasks=tasks):
            phases = _phases((task.phase, task.outputs, task.inputs) for task in tasks)
        case PortablePlanIR(tasks=planned):
            phases = _phases((task.phase, task.outputs, task.inputs) for task in planned)
        case _:
            phases = {}
    return tuple(_facet(entity, parent, phases) for entity in shown.entities)


def _of_model(model: ModelIR) -> dict[str, Subsystem]:
    """Subsystem of every operation and value, by id: a value's is its producer's, a parameter's its first reader's.

    An operation of a kind that the classical block does not have belongs where its first input was made.
    """
    found: dict[str, Subsystem] = {}
    values = {value.id: value for value in model.values}
    for operation in model.operations:
        first = found.get(operation.inputs[0]) if operation.inputs else None
        subsystem = SUBSYSTEMS.get(operation.kind, first or Subsystem.OTHER)
        found[operation.id] = found[operation.result] = subsystem
        for each in operation.inputs:
            # What is neither made nor a parameter is the residual stream that comes in.
            kept = each in values and values[each].role is Role.PARAMETER
            found.setdefault(each, subsystem if kept else Subsystem.STREAM)
    return found


def _model_facet(entity: Entity, subsystems: Mapping[str, Subsystem]) -> Facet:
    match entity:
        case ModelValue(role=role):
            kind = _tensor(role)
        case _:
            kind = "operation"
    return Facet(subsystems.get(entity.id, Subsystem.OTHER), kind, None)


def _phases(steps: Iterable[tuple[Phase, Sequence[str], Sequence[str]]]) -> dict[str, Phase]:
    """The phase that makes a tensor; of one that no task makes, the first phase that reads it."""
    made: dict[str, Phase] = {}
    read: dict[str, Phase] = {}
    for phase, outputs, inputs in steps:
        for each in outputs:
            made.setdefault(each, phase)
        for each in inputs:
            read[each] = min(read.get(each, phase), phase, key=_PHASES.index)
    return read | made


def _facet(entity: Entity, parent: Mapping[str, Facet], phases: Mapping[str, Phase]) -> Facet:
    lineage = lineage_of(entity)
    sources = () if lineage is None else lineage.sources
    above = next((parent[each] for each in sources if each in parent), None)
    subsystem = above.subsystem if above else Subsystem.OTHER
    match entity:
        case DistributedValue(role=role) | Buffer(role=role):
            return Facet(subsystem, _tensor(role), phases.get(entity.id))
        case Task(phase=phase, kind=kind) | PlanTask(phase=phase, kind=kind):
            return Facet(_BY_PHASE.get(phase, subsystem), kind.value.replace("_", " "), phase)
        case BufferBinding():
            return Facet(subsystem, above.kind if above else "tensor", above.phase if above else None)
        case Command(kind=what):
            return Facet(subsystem, what.value.replace("_", " "), above.phase if above else None)
        case Instruction(opcode=opcode):
            return Facet(subsystem, opcode.value.replace("_", " "), above.phase if above else None)
        case Device() | Region() | Queue() | Section():
            return Facet(Subsystem.TARGET, type(entity).__name__.lower(), None)
        case EntryPoint():
            return Facet(Subsystem.TARGET, "entry point", None)
        case ModelValue() | Operation():
            return Facet(subsystem, "operation", None)


def _tensor(role: Role) -> str:
    return "parameter" if role in _PARAMETERS else "tensor"
