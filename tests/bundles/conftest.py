"""Good bundles, derived once a session; one pool of solver workers and one memory for all verifications here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Self

import pytest

from blueprint.derivation import derive
from blueprint.discharge import Evidence, SolverPool, discharge
from blueprint.frontend.models import builtin
from blueprint.frontend.request import training_request
from blueprint.ir.common import DType
from blueprint.ir.request import Activation, Communication, ModelFacts, Recompute, Request
from blueprint.verdict import Obligation, Verdict

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


Deciders = tuple[int, Callable[[str], Verdict] | None]
"""On what evidence depends besides its obligation: the budget, and the third decider."""


class LastingPool(SolverPool):
    """A pool that outlives the runs which share it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Stay open."""


class Memory:
    """Discharges an obligation once, and remembers its evidence.

    Evidence depends on the obligation, the budget and the versions of the deciders alone, so nothing but the clock can
    tell the difference: a false bundle asks a few new questions among more than a thousand old ones.
    """

    def __init__(self) -> None:
        self.known: dict[Deciders, dict[bytes, Evidence]] = {}

    def discharge(
        self,
        obligations: Sequence[Obligation],
        pool: SolverPool,
        budget: int,
        cross_check: Callable[[str], Verdict] | None = None,
        _: dict[bytes, Evidence] | None = None,
    ) -> list[Evidence]:
        known = self.known.setdefault((budget, cross_check), {})
        return discharge(obligations, pool, budget, cross_check, known)


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
    """A pool that is closed here alone."""
    pool = LastingPool(jobs)
    pool.start()
    try:
        yield pool
    finally:
        pool.close()


@contextmanager
def shared(pool: LastingPool, memory: Memory) -> Iterator[None]:
    """Every verification in this process takes this pool, whatever number of workers it asks for, and this memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("blueprint.examine.SolverPool", lambda _: pool)
        patch.setattr("blueprint.verifier.discharge", memory.discharge)
        yield


@pytest.fixture(scope="session")
def effort() -> Iterator[tuple[LastingPool, Memory]]:
    """What all verifications here share."""
    with lasting_pool(JOBS) as pool:
        yield pool, Memory()


@pytest.fixture(scope="module", autouse=True)
def sharing(effort: tuple[LastingPool, Memory]) -> Iterator[None]:
    """Share it in these modules, and in no others."""
    with shared(*effort):
        yield


@pytest.fixture(scope="session")
def gpt3() -> bytes:
    """One block of GPT-3 175B: t = 8, p = 8, D = 8, sequence parallel, selective recompute."""
    return derive(GPT3_REQUEST, jobs=JOBS)


@pytest.fixture(scope="session")
def tiny() -> bytes:
    """The same kind of derivation with small numbers and t = 2."""
    return derive(TINY_REQUEST, jobs=JOBS)
