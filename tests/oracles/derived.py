"""What a derivation emitted, read back from its bytes: tasks by phase, primitive and source, and data flow."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from blueprint.bundle import Bundle, read_bundle
from blueprint.codec import decode, encode
from blueprint.derivation import derive
from blueprint.frontend.block import model_ir
from blueprint.ir.common import Branch, DType, Phase, Primitive
from blueprint.ir.distributed import DistributedTaskIR, DistributedValue, Task
from blueprint.ir.model import ModelIR
from blueprint.ir.portable import PortablePlanIR
from blueprint.ir.request import (
    Activation,
    Communication,
    Inference,
    ModelFacts,
    Recompute,
    Request,
    Scope,
    Strategy,
    Training,
)
from blueprint.passes.protocol import PassContext
from blueprint.pipeline import passes_for

MATMULS = (Primitive.LINEAR, Primitive.BATCHED_MATMUL)
"""The primitives whose operations other counters count too."""


@dataclass(frozen=True)
class Derived:
    """The three snapshots of one branch of a derivation, decoded from canonical bytes."""

    model: ModelIR
    distributed: DistributedTaskIR
    portable: PortablePlanIR

    @functools.cached_property
    def kinds(self) -> dict[str, str]:
        """The kind of every operation by its own id and by the id of its result."""
        operations = self.model.operations
        return {each.id: each.kind for each in operations} | {each.result: each.kind for each in operations}

    def kind(self, task: Task) -> str | None:
        """The kind of the one operation that a task's lineage names, or that produced the one value it names."""
        sources = task.lineage.sources
        return self.kinds.get(sources[0]) if len(sources) == 1 else None

    def tasks(
        self,
        phases: Sequence[Phase],
        primitives: Sequence[str] = (),
        kinds: Sequence[str] = (),
    ) -> list[Task]:
        """The tasks of these phases, and of these primitives and source operations if any are given."""
        return [
            task
            for task in self.distributed.tasks
            if task.phase in phases
            and (not primitives or task.primitive in primitives)
            and (not kinds or self.kind(task) in kinds)
        ]

    @functools.cached_property
    def values(self) -> dict[str, DistributedValue]:
        """Every value of the group by its id."""
        return {value.id: value for value in self.distributed.values}

    def ancestors(self, task: Task) -> set[str]:
        """The ids of every task on which a task depends through the values that it reads."""
        producers = {output: each for each in self.distributed.tasks for output in each.outputs}
        found: set[str] = set()
        waiting = [task]
        while waiting:
            for value in waiting.pop().inputs:
                producer = producers.get(value)
                if producer is not None and producer.id not in found:
                    found.add(producer.id)
                    waiting.append(producer)
        return found

    def chain(self, tasks: Iterable[Task]) -> list[Task]:
        """The tasks in the one order that data flow allows. Fails where two of them could change places."""
        chosen = list(tasks)
        identifiers = {task.id for task in chosen}
        before = {task.id: self.ancestors(task) & identifiers for task in chosen}
        ordered = sorted(chosen, key=lambda task: len(before[task.id]))
        for position, task in enumerate(ordered):
            assert before[task.id] == {each.id for each in ordered[:position]}
        return ordered


@functools.cache
def _bundle(request: Request) -> Bundle:
    return read_bundle(derive(request))


@functools.cache
def derived(request: Request, branch: Branch = Branch.MAIN) -> Derived:
    """The full way: `derive` through the gate, and one branch of its bundle decoded."""
    stages = _bundle(request).stages
    model, distributed, portable = (each.snapshot for each in stages if each.branch in {Branch.MAIN, branch})
    assert isinstance(model, ModelIR)
    assert isinstance(distributed, DistributedTaskIR)
    assert isinstance(portable, PortablePlanIR)
    return Derived(model, distributed, portable)


def passed(request: Request, branch: Branch = Branch.MAIN) -> Derived:
    """The short way: the passes alone, without gate, solver and bundle, each result through canonical bytes."""
    context = PassContext(request, "", branch)
    distribute, plan = passes_for(request)
    model = decode(encode(model_ir(request)), ModelIR)
    distributed = decode(encode(distribute.run(model, context)), DistributedTaskIR)
    portable = decode(encode(plan.run(distributed, context)), PortablePlanIR)
    return Derived(model, distributed, portable)


def memory(emitted: Derived) -> dict[str, int]:
    """What one rank holds for the block: `parameters` in elements, all else in bytes.

    Training: `weights`, `gradients` and `optimizer` are the model's state; `stored` the activations of one microbatch
    that wait for the backward pass, `working` those made again and read in it, `checkpoint` the input if it alone is
    stored. Inference: `weights`; `kv` both caches; `boundary` the stream's rows; `workspace` these and what is largest.
    """
    facts: dict[str, int] = msgspec.structs.asdict(emitted.portable.memory)
    return facts


def step_request(
    *,
    batch: int,
    prompt: int,
    context: int,
    hidden: int,
    feedforward: int,
    heads: int,
    head_width: int,
    tensor: int,
    key_value_heads: int | None = None,
    dtype: DType = DType.FLOAT16,
    biases: bool = True,
) -> Request:
    """A request for two steps of inference as it stands: nothing is checked here."""
    training = block_request(
        batch=batch,
        sequence=prompt,
        hidden=hidden,
        feedforward=feedforward,
        heads=heads,
        head_width=head_width,
        tensor=tensor,
        key_value_heads=key_value_heads,
        dtype=dtype,
        gradient_bytes=dtype.width,
        biases=biases,
    )
    workload = Inference(batch=batch, prompt=prompt, context=context, dtype=dtype)
    return msgspec.structs.replace(training, workload=workload)


def block_request(
    *,
    batch: int,
    sequence: int,
    hidden: int,
    feedforward: int,
    heads: int,
    head_width: int,
    tensor: int,
    key_value_heads: int | None = None,
    data: int = 1,
    dtype: DType = DType.FLOAT16,
    recompute: Recompute = Recompute.NONE,
    communication: Communication = Communication.ALL_REDUCE,
    zero: int = 0,
    gradient_bytes: int = 2,
    biases: bool = True,
) -> Request:
    """A request as it stands: nothing is checked here."""
    return Request(
        model=ModelFacts(
            name="test",
            hidden=hidden,
            feedforward=feedforward,
            heads=heads,
            key_value_heads=heads if key_value_heads is None else key_value_heads,
            head_width=head_width,
            layers=1,
            vocabulary=1,
            positions=1,
            biases=biases,
            activation=Activation.GELU,
        ),
        workload=Training(batch=batch, sequence=sequence, microbatches=1, dtype=dtype),
        strategy=Strategy(
            tensor=tensor,
            pipeline=1,
            data=data,
            recompute=recompute,
            communication=communication,
            zero=zero,
            gradient_bytes=gradient_bytes,
            shard_checkpoint=False,
            scope=Scope.BLOCK,
            stage=0,
        ),
    )
