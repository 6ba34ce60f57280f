"""The finite part of a strategy: the choices on which the shape of a derivation depends, apart from any number."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from blueprint.ir.request import Communication, Recompute, Request


@dataclass(frozen=True)
class Case:
    """One combination of strategy values. Every law is proved for every case that it mentions."""

    recompute: Recompute
    communication: Communication
    tensor_parallel: bool
    sharded_optimizer: bool
    biases: bool

    @property
    def sequence_parallel(self) -> bool:
        """Whether the residual stream is split along the sequence."""
        return self.communication is Communication.SEQUENCE_PARALLEL

    @property
    def text(self) -> str:
        """The case in words, for reports and proof indexes."""
        return ", ".join(
            (
                f"recompute={self.recompute.value}",
                f"communication={self.communication.value}",
                "t>1" if self.tensor_parallel else "t=1",
                "zero>=1" if self.sharded_optimizer else "zero=0",
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
        sharded_optimizer=strategy.zero > 0,
        biases=request.model.biases,
    )


def all_cases() -> tuple[Case, ...]:
    """Every case, in a fixed order."""
    flags = (False, True)
    return tuple(Case(*values) for values in itertools.product(Recompute, Communication, flags, flags, flags))
