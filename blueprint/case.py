"""The finite part of a strategy: the choices on which the shape of a derivation depends, apart from any number."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from blueprint.ir.request import Communication, Recompute, Request

ZERO_STAGES = (0, 1, 2, 3)
"""What ZeRO divides over the data-parallel group: nothing, optimizer state, gradients too, parameters too."""


@dataclass(frozen=True)
class Case:
    """One combination of strategy values. Every law is proved for every case that it mentions."""

    recompute: Recompute
    communication: Communication
    tensor_parallel: bool
    zero: int
    biases: bool

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
    def text(self) -> str:
        """The case in words, for reports and proof indexes."""
        return ", ".join(
            (
                f"recompute={self.recompute.value}",
                f"communication={self.communication.value}",
                "t>1" if self.tensor_parallel else "t=1",
                f"zero={self.zero}",
                "biases" if self.biases else "no biases",
            )
        )


def case_of(request: Request) -> Case:
    """The case that a request falls into."""
    strategy = request.strategy
    return Case(
        recompute=strategy.recompute,
        communication=strategy.communication,
        tensor_parallel=strategy.tensor > 1,
        zero=strategy.zero,
        biases=request.model.biases,
    )


def all_cases() -> tuple[Case, ...]:
    """Every case, in a fixed order."""
    flags = (False, True)
    return tuple(Case(*values) for values in itertools.product(Recompute, Communication, flags, ZERO_STAGES, flags))
