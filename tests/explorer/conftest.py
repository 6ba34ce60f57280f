"""Bundles with their reports and pages, made once a session."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec
import pytest

from blueprint.derivation import derive
from blueprint.explorer.explore import explorer_page
from blueprint.frontend.request import deployment_of, target_of
from blueprint.ir.request import Attention, Request, TargetKind
from blueprint.outcome import Report
from blueprint.verification import verify
from tests.bundles.branches import TINY_STEPS
from tests.bundles.conftest import JOBS, TINY_REQUEST, LastingPool, Memory, lasting_pool, shared
from tests.bundles.stacks import training_stage_request
from tests.explorer.pages import Page


class Explored(NamedTuple):
    """A bundle, the report on it, and its page."""

    data: bytes
    report: Report
    page: Page


Explore = Callable[[bytes], Explored]


@pytest.fixture(scope="session")
def effort() -> Iterator[tuple[LastingPool, Memory]]:
    """One pool of solver workers and one memory for all verifications here."""
    with lasting_pool(JOBS) as pool:
        yield pool, Memory()


@pytest.fixture(scope="module", autouse=True)
def sharing(effort: tuple[LastingPool, Memory]) -> Iterator[None]:
    """Share it in these modules, and in no others."""
    with shared(*effort):
        yield


def explored(data: bytes) -> Explored:
    """A bundle's report and page."""
    report = verify(data)
    return Explored(data, report, Page(explorer_page(data, report)))


def bound(request: Request, kind: TargetKind, attention: Attention = Attention.UNFUSED) -> Request:
    """A request with a target and its instructions."""
    targeted = msgspec.structs.replace(request, target=target_of(kind, emit=True, attention=attention))
    return msgspec.structs.replace(targeted, deployment=deployment_of(targeted, None, None))


@functools.cache
def derived(request: Request) -> bytes:
    """The good bundle of a request."""
    return derive(request, jobs=JOBS)


@pytest.fixture(scope="session")
def training(effort: tuple[LastingPool, Memory]) -> Explored:
    """One block of training on two ranks: three stages."""
    with shared(*effort):
        return explored(derived(TINY_REQUEST))


@pytest.fixture(scope="session")
def inference(effort: tuple[LastingPool, Memory]) -> Explored:
    """One block of inference on two ranks: two branches."""
    with shared(*effort):
        return explored(derived(TINY_STEPS))


@pytest.fixture(scope="session")
def five(effort: tuple[LastingPool, Memory]) -> Explored:
    """Two blocks of a pipeline stage, bound to queues and emitted: all five stages."""
    with shared(*effort):
        return explored(derived(bound(training_stage_request(), TargetKind.QUEUE)))


@pytest.fixture(scope="session")
def slots(effort: tuple[LastingPool, Memory]) -> Explored:
    """Inference with fused attention, bound to issue slots and emitted: five stages in two branches."""
    with shared(*effort):
        return explored(derived(bound(TINY_STEPS, TargetKind.SLOT, Attention.TILED)))
