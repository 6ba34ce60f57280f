"""Good bundles, derived once a session, and one pool of solver workers for all verifications here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Self

import pytest

from blueprint.derive import derive
from blueprint.discharge import SolverPool
from blueprint.frontend.models import builtin
from blueprint.frontend.request import training_request
from blueprint.ir.common import DType
from blueprint.ir.request import Activation, Communication, ModelFacts, Recompute, Request
from blueprint.verdict import Answer
from blueprint.worker import Batch, Question

JOBS = 2

TINY = ModelFacts(
    name="tiny",
    hidden=12,
    feedforward=20,
    heads=4,
    key_value_heads=4,
    head_width=3,
    layers=2,
    vocabulary=7,
    positions=8,
    biases=False,
    activation=Activation.GELU,
)


class LastingPool(SolverPool):
    """A pool that outlives the runs which share it, and answers a question that it has seen from memory.

    An answer depends on the question, the budget and the solver's version alone, so nothing can tell the difference
    but the clock: a false bundle asks a few new questions among a thousand old ones.
    """

    def __init__(self, jobs: int) -> None:
        super().__init__(jobs)
        self.known: dict[tuple[bool, int, Question], Answer] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Stay open."""

    def solve(self, batches: Iterable[Batch]) -> list[Answer]:
        asked = [(batch.ground, batch.budget, question) for batch in batches for question in batch.questions]
        new = [key for key in dict.fromkeys(asked) if key not in self.known]
        fresh = [Batch((question,), ground, budget) for ground, budget, question in new]
        self.known.update(zip(new, super().solve(fresh), strict=True))
        return [self.known[key] for key in asked]


def request_of(model: ModelFacts, *, tensor: int, pipeline: int, data: int, batch: int, sequence: int) -> Request:
    """Selective recompute and sequence parallelism in bfloat16."""
    return training_request(
        model,
        tensor=tensor,
        pipeline=pipeline,
        data=data,
        batch=batch,
        sequence=sequence,
        microbatches=1,
        dtype=DType.BFLOAT16,
        recompute=Recompute.SELECTIVE,
        communication=Communication.SEQUENCE_PARALLEL,
        zero=0,
        gradient_bytes=None,
        shard_checkpoint=False,
    )


GPT3_REQUEST = request_of(builtin("gpt3-175b"), tensor=8, pipeline=8, data=8, batch=1, sequence=2048)
TINY_REQUEST = request_of(TINY, tensor=2, pipeline=2, data=4, batch=3, sequence=8)


@contextmanager
def lasting_pool(jobs: int) -> Iterator[LastingPool]:
    """One pool for every verification in this process, whatever number of workers it asks for."""
    with pytest.MonkeyPatch.context() as patch:
        lasting = LastingPool(jobs)
        patch.setattr("blueprint.examine.SolverPool", lambda _: lasting)
        yield lasting
        lasting.close()


@pytest.fixture(scope="session", autouse=True)
def pool() -> Iterator[LastingPool]:
    """The pool of this process."""
    with lasting_pool(JOBS) as lasting:
        yield lasting


@pytest.fixture(scope="session")
def gpt3() -> bytes:
    """One block of GPT-3 175B: t = 8, p = 8, D = 8, sequence parallel, selective recompute."""
    return derive(GPT3_REQUEST, jobs=JOBS)


@pytest.fixture(scope="session")
def tiny() -> bytes:
    """The same kind of derivation with small numbers and t = 2."""
    return derive(TINY_REQUEST, jobs=JOBS)
