"""Structural checks of ModelIR."""

from __future__ import annotations

from collections.abc import Iterator

from blueprint.codec import entity_id
from blueprint.diagnostic import Diagnostic
from blueprint.ir import structure
from blueprint.ir.common import Role, Stage
from blueprint.ir.model import ModelIR


def check_model(ir: ModelIR) -> Iterator[Diagnostic]:
    """Yield every structural fault of a model snapshot."""
    values = {value.id: value for value in ir.values}
    header = ir.header
    yield from structure.check_header(header, Stage.MODEL)
    for kind, entities in (("value", ir.values), ("node", ir.operations)):
        for entity in entities:
            if entity.id != entity_id(kind, header.version, header.parent, "frontend", (), entity.name):
                yield Diagnostic(code="structure.id", message=f"id {entity.id} is not its digest", path=entity.name)
        yield from structure.check_unique(entities)
    for value in ir.values:
        if len(value.axes) != len(value.shape) or len(set(value.axes)) != len(value.axes):
            yield Diagnostic(code="structure.shape", message="axes and sizes do not pair up", path=value.name)
    for operation in ir.operations:
        yield from structure.check_known(operation.name, (*operation.inputs, operation.result), values)
        yield from structure.check_distinct(operation.name, operation.inputs)
    yield from structure.check_known("inputs", ir.inputs, values)
    yield from structure.check_known("outputs", ir.outputs, values)
    writers = [(operation, (operation.result,)) for operation in ir.operations]
    producers, faults = structure.producers_of(writers)
    yield from faults
    for value in ir.values:
        free = value.role in {Role.INPUT, Role.PARAMETER}
        if free is (value.id in producers):
            yield Diagnostic(code="structure.ssa", message="role and producer do not fit", path=value.name)
    yield from structure.check_order(ir.operations, structure.data_dependencies(ir.operations, producers))
    yield from structure.check_value_order(ir.values, writers)
