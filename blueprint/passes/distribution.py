"""Carries the structural derivation of a block into DistributedTaskIR, for training and inference alike."""

from __future__ import annotations

import msgspec

from blueprint.case import workload_of
from blueprint.codec import digest, entity_id
from blueprint.errors import DomainError
from blueprint.ir.common import (
    INT64_MAX,
    SCHEMA_VERSIONS,
    Axis,
    DType,
    Header,
    Lineage,
    LineageKind,
    Phase,
    Primitive,
    Role,
    Stage,
)
from blueprint.ir.distributed import (
    Collective,
    CollectiveKind,
    DistributedTaskIR,
    DistributedValue,
    Effect,
    EffectKind,
    Mesh,
    MeshAxis,
    Operand,
    Reduction,
    Task,
    TaskKind,
    Work,
)
from blueprint.ir.model import ModelIR, ModelValue
from blueprint.ir.order import canonical_order
from blueprint.ir.request import Inference, blocks_of, point_of
from blueprint.ir.structure import data_dependencies, value_order
from blueprint.passes.protocol import PassContext
from blueprint.workload.operators import Block, CacheUse, Step, Tensor
from blueprint.workload.training_block import ENTERS, LEAVES

_VERSION = SCHEMA_VERSIONS[Stage.DISTRIBUTED]

_TRANSFORMS = {
    "attention_norm": "normalization",
    "mlp_norm": "normalization",
    "query_projection": "qkv_projection",
    "key_projection": "qkv_projection",
    "value_projection": "qkv_projection",
    "scores": "attention_matmul",
    "context": "attention_matmul",
    "softmax": "attention_softmax",
    "attention_dropout": "attention_dropout",
    "output_projection": "output_projection",
    "output_dropout": "block_dropout",
    "mlp_dropout": "block_dropout",
    "attention_residual": "residual",
    "mlp_residual": "residual",
    "up_projection": "mlp",
    "down_projection": "mlp",
    "activation": "mlp_activation",
}

_COLLECTIVES: dict[str, tuple[CollectiveKind, Reduction]] = {
    Primitive.ALL_REDUCE: (CollectiveKind.ALL_REDUCE, Reduction.SUM),
    Primitive.ALL_GATHER: (CollectiveKind.ALL_GATHER, Reduction.NONE),
    Primitive.REDUCE_SCATTER: (CollectiveKind.REDUCE_SCATTER, Reduction.SUM),
}


_EDGES = {
    "receive": "entry",
    "send": "exit",
    "receive_gradient": "exit_gradient",
    "send_gradient": "entry_gradient",
}

_EFFECTS = {CacheUse.READ: EffectKind.KV_READ, CacheUse.APPEND: EffectKind.KV_WRITE}


class Distribution:
    """One block's tasks and tensors as a snapshot. `family` is that of the rules which demand them."""

    def __init__(self, family: str, ir: ModelIR, context: PassContext, block: Block[int]) -> None:
        self.family = family
        self.ir = ir
        self.request = context.request
        self.added = {each.kind: each for each in context.added if each.workload is workload_of(context.request)}
        self.block = block
        self.shapes = {value.id: shape_at(value, context) for value in ir.values}
        self.parent = digest(Stage.MODEL.value, ir.header.version, ir)
        self.ranks = tuple(range(self.request.strategy.tensor))
        self.model_values = {value.name: value for value in ir.values}
        self.operation_ids = {operation.name: operation.id for operation in ir.operations}
        self.kinds = {operation.name: operation.kind for operation in ir.operations}
        self.parameter_ids = tuple(value.id for value in ir.values if value.role is Role.PARAMETER)
        readers = {each: operation.block for operation in ir.operations for each in operation.inputs}
        held: dict[int, list[str]] = {each: [] for each in range(blocks_of(self.request.model, self.request.strategy))}
        for parameter in self.parameter_ids:
            held[readers[parameter]].append(parameter)
        self.held = {number: tuple(parameters) for number, parameters in held.items()}
        undivided = {each.value for each in block.tensors if each.local.split is None}
        names = {value.id: value.name for value in ir.values}
        self.whole = {
            number: tuple(each for each in parameters if names[each] in undivided)
            for number, parameters in self.held.items()
        }
        self.value_ids = {
            tensor.name: self._identify("value", self._tensor_lineage(tensor), tensor.name)
            for tensor in self.block.tensors
        }

    def snapshot(self, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> DistributedTaskIR:
        """The snapshot with these tensors, by name, as its inputs and outputs."""
        strategy = self.request.strategy
        values = {value.id: value for value in map(self._value, self.block.tensors)}
        tasks = {task.id: task for task in map(self._task, self.block.steps)}
        producers = {output: task.id for task in tasks.values() for output in task.outputs}
        dependencies = data_dependencies(tuple(tasks.values()), producers)
        order = canonical_order({task.id: task.name for task in tasks.values()}, dependencies)
        ordered = [tasks[each] for each in order]
        writers = [(task, task.outputs) for task in ordered]
        return DistributedTaskIR(
            header=Header(stage=Stage.DISTRIBUTED, version=_VERSION, parent=self.parent),
            mesh=Mesh(tensor=strategy.tensor, pipeline=strategy.pipeline, data=strategy.data, ranks=self.ranks),
            inputs=tuple(self.value_ids[name] for name in inputs),
            outputs=tuple(self.value_ids[name] for name in outputs),
            values=tuple(values[each] for each in value_order(tuple(values.values()), writers)),
            tasks=tuple(ordered),
        )

    def named(self, identifiers: tuple[str, ...], version: str) -> tuple[str, ...]:
        """One version of model values, by the names of its tensors."""
        names = {value.id: value.name for value in self.ir.values}
        return tuple(f"{names[each]}.{version}" for each in identifiers)

    def _identify(self, kind: str, lineage: Lineage, name: str) -> str:
        return entity_id(kind, _VERSION, self.parent, lineage.transform, lineage.sources, name)

    def _value(self, tensor: Tensor[int]) -> DistributedValue:
        source = self.model_values[tensor.value]
        split = () if tensor.local.split is None else (_axis_in(source, tensor),)
        return DistributedValue(
            id=self.value_ids[tensor.name],
            name=tensor.name,
            lineage=self._tensor_lineage(tensor),
            source_value=source.id,
            role=_role(source, tensor),
            dtype=self._dtype(source, tensor),
            axes=source.axes,
            shape=self.shapes[source.id],
            split=split,
            local_shape=tensor.local.sizes,
            partial=tensor.partial,
            ranks=self.ranks,
        )

    def _dtype(self, source: ModelValue, tensor: Tensor[int]) -> DType:
        if tensor.element == "mask":
            return DType.UINT8
        width = self.request.strategy.gradient_bytes
        if tensor.element == "activation" or source.dtype.width == width:
            return source.dtype
        return DType.FLOAT32 if width == DType.FLOAT32.width else DType.BFLOAT16

    def _tensor_lineage(self, tensor: Tensor[int]) -> Lineage:
        source = self.model_values[tensor.value]
        transform, kind = "activation_tensor", LineageKind.DERIVED
        added = self.added.get(self.kinds.get(tensor.value, ""))
        if added is not None:
            return Lineage(kind=kind, transform=added.tensor_rule, sources=(source.id,))
        if source.role is Role.PARAMETER:
            transform = "whole_parameter" if tensor.local.split is None else "split_parameter"
        elif tensor.element == "mask":
            transform, kind = "dropout_mask", LineageKind.GENERATED
        elif self.kinds.get(tensor.value) in ENTERS and self.family == "training":
            transform = "parallel_entry_tensor"
        elif self.kinds.get(tensor.value) in LEAVES:
            transform = "parallel_exit_tensor"
        elif tensor.version == "cache":
            transform = "kv_cache"
        return Lineage(kind=kind, transform=f"{self.family}.{transform}", sources=(source.id,))

    def _task(self, step: Step[int]) -> Task:
        lineage = self._step_lineage(step)
        collective = _COLLECTIVES.get(step.primitive)
        work = Work(
            operations=_bounded(step.name, "operations", step.work.operations),
            read_bytes=_bounded(step.name, "bytes read", step.work.read_bytes),
            write_bytes=_bounded(step.name, "bytes written", step.work.write_bytes),
            message_bytes=_bounded(step.name, "message bytes", step.work.message_bytes),
        )
        task = Task(
            id=self._identify("task", lineage, step.name),
            name=step.name,
            lineage=lineage,
            kind=_kind(step),
            phase=step.phase,
            primitive=step.primitive,
            operands=tuple(
                Operand(name=name, size=_bounded(step.name, f"operand {name}", size)) for name, size in step.operands
            ),
            inputs=tuple(self.value_ids[each] for each in step.reads),
            outputs=tuple(self.value_ids[each] for each in step.writes),
            ranks=self.ranks,
            work=work,
            effects=tuple(
                Effect(kind=_EFFECTS[each.use], value=self.value_ids[each.tensor], size=each.size)
                for each in step.cache
            ),
        )
        if collective is None:
            return task
        kind, reduction = collective
        over_data = step.phase is Phase.SYNCHRONIZATION and not step.name.endswith("gradient_sum")
        return msgspec.structs.replace(
            task,
            collective=Collective(
                kind=kind,
                axis=MeshAxis.DATA if over_data else MeshAxis.TENSOR,
                participants=tuple(range(self.request.strategy.data)) if over_data else self.ranks,
                reduction=reduction,
                message_bytes=work.message_bytes,
            ),
        )

    def _step_lineage(self, step: Step[int]) -> Lineage:
        if step.phase is Phase.STAGE_BOUNDARY:
            suffix = step.name.removeprefix(f"{step.source}.")
            return Lineage(
                kind=LineageKind.GENERATED,
                transform=f"stage.{_EDGES[suffix]}",
                sources=(self.model_values[step.source].id,),
            )
        if step.phase is Phase.SYNCHRONIZATION:
            summed = step.name.endswith("gradient_sum")
            transform = "gradient_sum" if summed else "parameter_exchange"
            sources = self.whole[step.block] if summed else self.held[step.block]
            return Lineage(kind=LineageKind.GENERATED, transform=f"stage.{transform}", sources=sources)
        if step.phase is Phase.OPTIMIZER:
            transform, kind, sources = "optimizer", LineageKind.LOWERED, self.held[step.block]
        elif step.primitive in _COLLECTIVES:
            transform, kind = "tensor_collective", LineageKind.GENERATED
            sources = (self.model_values[step.source].id,)
        elif step.primitive == Primitive.FORK:
            transform, kind, sources = "fork", LineageKind.GENERATED, (self.model_values[step.source].id,)
        else:
            added = self.added.get(self.kinds[step.source])
            sources = (self.operation_ids[step.source],)
            if added is not None:
                return Lineage(kind=LineageKind.LOWERED, transform=added.rule, sources=sources)
            transform, kind = _TRANSFORMS[self.kinds[step.source]], LineageKind.LOWERED
        return Lineage(kind=kind, transform=f"{self.family}.{transform}", sources=sources)


def _kind(step: Step[int]) -> TaskKind:
    if step.primitive in _COLLECTIVES:
        return TaskKind.COLLECTIVE
    return TaskKind.POINT_TO_POINT if step.phase is Phase.STAGE_BOUNDARY else TaskKind.COMPUTE


def shape_at(value: ModelValue, context: PassContext) -> tuple[int, ...]:
    """The sizes of a model value in the step that a branch takes: its own tokens, and those that it sees."""
    workload = context.request.workload
    if not isinstance(workload, Inference):
        return value.shape
    point = point_of(workload, context.branch)
    tokens = {Axis.SEQUENCE: point.queries, Axis.QUERY: point.queries, Axis.KEY: point.context}
    return tuple(tokens.get(axis, size) for axis, size in zip(value.axes, value.shape, strict=True))


def _axis_in(source: ModelValue, tensor: Tensor[int]) -> Axis:
    split = tensor.local.split
    if split is None or split not in source.axes:
        raise DomainError(f"{tensor.name} has no axis to split")
    return split


def _role(source: ModelValue, tensor: Tensor[int]) -> Role:
    parameter = source.role is Role.PARAMETER
    if tensor.element == "mask":
        return Role.MASK
    if tensor.version.startswith("gradient"):
        return Role.PARAMETER_GRADIENT if parameter else Role.GRADIENT
    if tensor.version.startswith("updated"):
        return Role.UPDATED_PARAMETER
    if tensor.version == "cache":
        return Role.KV_CACHE
    return Role.PARAMETER if parameter else Role.ACTIVATION


def _bounded(name: str, what: str, count: int) -> int:
    """A count that the IR can hold. Raises DomainError naming the task."""
    if count > INT64_MAX:
        raise DomainError(f"{what} of task {name} = {count} exceed the limit of 2^63 - 1")
    return count
