"""The finite part of a strategy: the choices on which the shape of a derivation depends, apart from any number."""

from __future__ import annotations

import dataclasses
import enum
import itertools
from dataclasses import dataclass

from blueprint.ir.request import Communication, Recompute, Request, Scope, Training

ZERO_STAGES = (0, 1, 2, 3)
"""What ZeRO divides over the data-parallel group: nothing, optimizer state, gradients too, parameters too."""


class Workload(enum.Enum):
    """What the model is run for."""

    TRAINING = "training"
    INFERENCE = "inference"


@dataclass(frozen=True)
class Case:
    """One combination of strategy values. Every law is proved for every case that it mentions."""

    workload: Workload
    recompute: Recompute
    communication: Communication
    tensor_parallel: bool
    zero: int
    biases: bool
    stack: bool = False
    """Whether a whole pipeline stage is derived. A block of it is the same block, and so its laws are the same: only
    laws of stages look at this and at what follows, and only their cases name it."""
    data_parallel: bool = False
    receives: bool = False
    sends: bool = False

    @property
    def inference(self) -> bool:
        """Whether the model is run to generate, not to learn."""
        return self.workload is Workload.INFERENCE

    @property
    def sequence_parallel(self) -> bool:
        """Whether the residual stream is split along the sequence."""
        return self.communication is Communication.SEQUENCE_PARALLEL

    @property
    def full_recompute(self) -> bool:
        """Whether the backward pass computes everything again."""
        return self.recompute is Recompute.FULL

    @property
    def selective_recompute(self) -> bool:
        """Whether it computes the attention core again, and nothing else."""
        return self.recompute is Recompute.SELECTIVE

    @property
    def sharded_optimizer(self) -> bool:
        """Whether the optimizer's state is divided over the data-parallel group."""
        return self.zero >= 1

    @property
    def sharded_gradients(self) -> bool:
        """Whether the gradients are divided too."""
        return self.zero >= 2

    @property
    def sharded_parameters(self) -> bool:
        """Whether the parameters are divided too."""
        return self.zero >= 3

    @property
    def sums_whole_gradients(self) -> bool:
        """Whether a stage sums the gradients of parameters that each rank has seen only its own tokens of."""
        return self.stack and self.tensor_parallel and self.sequence_parallel

    @property
    def words(self) -> dict[str, str]:
        """What tells the cases of one workload apart, field by field, in words."""
        words = {
            "recompute": f"recompute={self.recompute.value}",
            "communication": f"communication={self.communication.value}",
            "tensor_parallel": "t>1" if self.tensor_parallel else "t=1",
            "zero": f"zero={self.zero}",
            "biases": "biases" if self.biases else "no biases",
        }
        decided = ("recompute", "communication", "zero") if self.inference else ()
        return {name: word for name, word in words.items() if name not in decided}

    @property
    def stage_text(self) -> str:
        """The case of a whole pipeline stage in words."""
        data = "D>1" if self.data_parallel else "D=1"
        edges = "edges" if self.receives or self.sends else "no edges"
        return f"{self.text}, {data}, {edges}"

    @property
    def text(self) -> str:
        """The case in words, for reports and proof indexes."""
        words = ", ".join(self.words.values())
        return f"inference, {words}" if self.inference else words


def stage_cases(workload: Workload | None = None) -> tuple[Case, ...]:
    """Every case of a whole pipeline stage: alone or between two others, with data-parallel neighbours or without.

    At the ends of a pipeline a stage has one neighbour, and what it does at that edge is what one between two does.
    """
    return tuple(
        dataclasses.replace(case, stack=True, data_parallel=data, receives=edges, sends=edges)
        for case in all_cases(workload)
        for data, edges in itertools.product((False, True), (False, True))
        if data >= case.sharded_optimizer and not (data and case.inference)
    )


def workload_of(request: Request) -> Workload:
    """What a request asks for."""
    return Workload.TRAINING if isinstance(request.workload, Training) else Workload.INFERENCE


def case_of(request: Request) -> Case:
    """The case that a request falls into."""
    strategy = request.strategy
    stack = strategy.scope is Scope.STACK
    return Case(
        workload=workload_of(request),
        recompute=strategy.recompute,
        communication=strategy.communication,
        tensor_parallel=strategy.tensor > 1,
        zero=strategy.zero,
        biases=request.model.biases,
        stack=stack,
        data_parallel=stack and strategy.data > 1,
        receives=stack and strategy.stage > 0,
        sends=stack and strategy.stage < strategy.pipeline - 1,
    )


def all_cases(workload: Workload | None = None) -> tuple[Case, ...]:
    """Every case in a fixed order, or those of one workload."""
    flags = (False, True)
    training = [
        Case(Workload.TRAINING, *values)
        for values in itertools.product(Recompute, Communication, flags, ZERO_STAGES, flags)
    ]
    # Inference computes nothing again, updates nothing, and exchanges whole activations.
    inference = [
        Case(Workload.INFERENCE, Recompute.NONE, Communication.ALL_REDUCE, tensor_parallel, 0, biases)
        for tensor_parallel, biases in itertools.product(flags, flags)
    ]
    return tuple(case for case in (*training, *inference) if workload in {None, case.workload})
