"""Model -> Distributed for one training block."""

from __future__ import annotations

from typing import ClassVar

import msgspec

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
    Mesh,
    Operand,
    Reduction,
    Task,
    TaskKind,
    Work,
)
from blueprint.ir.model import ModelIR, ModelValue
from blueprint.ir.order import canonical_order
from blueprint.ir.structure import data_dependencies, value_order
from blueprint.passes.protocol import PassContext, PassFacts
from blueprint.workload.dims import dims_of
from blueprint.workload.training_block import ENTERS, LEAVES, Step, Tensor, training_block

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

_COLLECTIVES = {
    Primitive.ALL_REDUCE: (CollectiveKind.ALL_REDUCE, Reduction.SUM),
    Primitive.ALL_GATHER: (CollectiveKind.ALL_GATHER, Reduction.NONE),
    Primitive.REDUCE_SCATTER: (CollectiveKind.REDUCE_SCATTER, Reduction.SUM),
}


class DistributeTransformerTrainingPass:
    """Expand one training block into the tasks of one tensor-parallel group.

    With B sequences of S tokens in a microbatch, hidden width H, feed-forward width F, tensor-parallel degree t and
    e bytes an element, per rank:

        W = 2 m n k for a matrix product [m,n] x [n,k]
        W_QKV = 6 B S H^2 / t
        W_attention_matmul = 4 B S^2 H / t
        W_out = 2 B S H^2 / t
        W_MLP = 4 B S H F / t
        M_TP = B S H e
        W_reduce = B S H (t - 1) / t

    The derivation emits forward, recompute, recommunication, activation-gradient, weight-gradient, optimizer and
    collective tasks. It attaches no latency and chooses no collective algorithm.
    """

    facts: ClassVar[PassFacts] = PassFacts(
        name="DistributeTransformerTrainingPass",
        revision=1,
        boundary=(Stage.MODEL, Stage.DISTRIBUTED),
        provenance=(
            "Shoeybi et al., Megatron-LM",
            "Narayanan et al., Efficient Large-Scale Language Model Training",
            "Korthikanti et al., Reducing Activation Recomputation",
        ),
        bindings=("model", "workload", "strategy"),
        normal_form="training_block over the request's dimensions, in canonical order",
    )

    def run(self, ir: ModelIR, context: PassContext) -> DistributedTaskIR:
        """Derive the tasks and values of ranks 0 .. t-1. Raises DomainError where a degree does not divide."""
        return _Emission(ir, context).snapshot()


class _Emission:
    """Carries one structural derivation into the IR."""

    def __init__(self, ir: ModelIR, context: PassContext) -> None:
        self.ir = ir
        self.request = context.request
        self.block = training_block(dims_of(context.request))
        self.parent = digest(Stage.MODEL.value, ir.header.version, ir)
        self.ranks = tuple(range(self.request.strategy.tensor))
        self.model_values = {value.name: value for value in ir.values}
        self.operation_ids = {operation.name: operation.id for operation in ir.operations}
        self.parameter_ids = tuple(value.id for value in ir.values if value.role is Role.PARAMETER)
        self.value_ids = {
            tensor.name: self.identify("value", self.tensor_lineage(tensor), tensor.name)
            for tensor in self.block.tensors
        }

    def snapshot(self) -> DistributedTaskIR:
        strategy = self.request.strategy
        values = {value.id: value for value in map(self.value, self.block.tensors)}
        tasks = {task.id: task for task in map(self.task, self.block.steps)}
        producers = {output: task.id for task in tasks.values() for output in task.outputs}
        dependencies = data_dependencies(tuple(tasks.values()), producers)
        order = canonical_order({task.id: task.name for task in tasks.values()}, dependencies)
        ordered = [tasks[each] for each in order]
        writers = [(task, task.outputs) for task in ordered]
        return DistributedTaskIR(
            header=Header(stage=Stage.DISTRIBUTED, version=_VERSION, parent=self.parent),
            mesh=Mesh(tensor=strategy.tensor, pipeline=strategy.pipeline, data=strategy.data, ranks=self.ranks),
            inputs=self.interface("forward", "forward", "gradient"),
            outputs=self.interface("gradient", "updated", "forward", results_first=True),
            values=tuple(values[each] for each in value_order(tuple(values.values()), writers)),
            tasks=tuple(ordered),
        )

    def interface(
        self, of_inputs: str, of_parameters: str, of_outputs: str, *, results_first: bool = False
    ) -> tuple[str, ...]:
        """One version of the block's inputs, parameters and outputs; the outputs first among results."""
        names = {value.id: value.name for value in self.ir.values}
        inputs = [f"{names[each]}.{of_inputs}" for each in self.ir.inputs]
        parameters = [f"{names[each]}.{of_parameters}" for each in self.parameter_ids]
        outputs = [f"{names[each]}.{of_outputs}" for each in self.ir.outputs]
        ordered = [*outputs, *inputs, *parameters] if results_first else [*inputs, *parameters, *outputs]
        return tuple(self.value_ids[name] for name in ordered)

    def identify(self, kind: str, lineage: Lineage, name: str) -> str:
        return entity_id(kind, _VERSION, self.parent, lineage.transform, lineage.sources, name)

    def value(self, tensor: Tensor[int]) -> DistributedValue:
        source = self.model_values[tensor.value]
        split = () if tensor.local.split is None else (_axis_in(source, tensor),)
        return DistributedValue(
            id=self.value_ids[tensor.name],
            name=tensor.name,
            lineage=self.tensor_lineage(tensor),
            source_value=source.id,
            role=_role(source, tensor),
            dtype=self.dtype(source, tensor),
            axes=source.axes,
            shape=source.shape,
            split=split,
            local_shape=tensor.local.sizes,
            partial=tensor.partial,
            ranks=self.ranks,
        )

    def dtype(self, source: ModelValue, tensor: Tensor[int]) -> DType:
        if tensor.element == "mask":
            return DType.UINT8
        width = self.request.strategy.gradient_bytes
        if tensor.element == "activation" or source.dtype.width == width:
            return source.dtype
        return DType.FLOAT32 if width == DType.FLOAT32.width else DType.BFLOAT16

    def tensor_lineage(self, tensor: Tensor[int]) -> Lineage:
        source = self.model_values[tensor.value]
        transform, kind = "activation_tensor", LineageKind.DERIVED
        if source.role is Role.PARAMETER:
            transform = "whole_parameter" if tensor.local.split is None else "split_parameter"
        elif tensor.element == "mask":
            transform, kind = "dropout_mask", LineageKind.GENERATED
        elif tensor.value in ENTERS:
            transform = "parallel_entry_tensor"
        elif tensor.value in LEAVES:
            transform = "parallel_exit_tensor"
        return Lineage(kind=kind, transform=f"training.{transform}", sources=(source.id,))

    def task(self, step: Step[int]) -> Task:
        lineage = self.step_lineage(step)
        collective = _COLLECTIVES.get(step.primitive)
        work = Work(
            operations=_bounded(step.name, "operations", step.work.operations),
            read_bytes=_bounded(step.name, "bytes read", step.work.read_bytes),
            write_bytes=_bounded(step.name, "bytes written", step.work.write_bytes),
            message_bytes=_bounded(step.name, "message bytes", step.work.message_bytes),
        )
        task = Task(
            id=self.identify("task", lineage, step.name),
            name=step.name,
            lineage=lineage,
            kind=TaskKind.COLLECTIVE if collective else TaskKind.COMPUTE,
            phase=step.phase,
            primitive=step.primitive,
            operands=tuple(
                Operand(name=name, size=_bounded(step.name, f"operand {name}", size)) for name, size in step.operands
            ),
            inputs=tuple(self.value_ids[each] for each in step.reads),
            outputs=tuple(self.value_ids[each] for each in step.writes),
            ranks=self.ranks,
            work=work,
        )
        if collective is None:
            return task
        kind, reduction = collective
        return msgspec.structs.replace(
            task,
            collective=Collective(
                kind=kind, participants=self.ranks, reduction=reduction, message_bytes=work.message_bytes
            ),
        )

    def step_lineage(self, step: Step[int]) -> Lineage:
        if step.phase is Phase.OPTIMIZER:
            transform, kind, sources = "optimizer", LineageKind.LOWERED, self.parameter_ids
        elif step.primitive in _COLLECTIVES:
            transform, kind = "tensor_collective", LineageKind.GENERATED
            sources = (self.model_values[step.source].id,)
        elif step.primitive is Primitive.FORK:
            transform, kind, sources = "fork", LineageKind.GENERATED, (self.model_values[step.source].id,)
        else:
            transform, kind = _TRANSFORMS[step.source], LineageKind.LOWERED
            sources = (self.operation_ids[step.source],)
        return Lineage(kind=kind, transform=f"training.{transform}", sources=sources)


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
    if tensor.version == "updated":
        return Role.UPDATED_PARAMETER
    return Role.PARAMETER if parameter else Role.ACTIVATION


def _bounded(name: str, what: str, count: int) -> int:
    """A count that the IR can hold. Raises DomainError naming the task."""
    if count > INT64_MAX:
        raise DomainError(f"{what} of task {name} = {count} exceed the limit of 2^63 - 1")
    return count
