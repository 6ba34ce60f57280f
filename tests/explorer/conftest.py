"""Bundles with their reports and pages, made once a session."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import msgspec
import pytest

from blueprint.derivation import derive
from blueprint.explorer.explore import explorer_page
from blueprint.explorer.lawbook import Lawbook
from blueprint.frontend.request import deployment_of, target_of
from blueprint.ir.request import Attention, Request, TargetKind
from blueprint.outcome import Report
from blueprint.session import open_rulebook
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


class Effort(NamedTuple):
    """What all verifications and pages here share."""

    pool: LastingPool
    memory: Memory
    lawbook: Lawbook


@contextmanager
def sharing_all(effort: Effort) -> Iterator[None]:
    """One pool of solver workers, one memory of what they decided, and the shipped laws written once."""
    with shared(effort.pool, effort.memory), pytest.MonkeyPatch.context() as patch:
        patch.setattr("blueprint.explorer.projection.Lawbook", lambda _: effort.lawbook)
        yield


@pytest.fixture(scope="session")
def effort() -> Iterator[Effort]:
    """What all share."""
    with lasting_pool(JOBS) as pool:
        yield Effort(pool, Memory(), Lawbook(open_rulebook(None)))


@pytest.fixture(scope="module", autouse=True)
def sharing(effort: Effort) -> Iterator[None]:
    """Share it in these modules, and in no others."""
    with sharing_all(effort):
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
def training(effort: Effort) -> Explored:
    """One block of training on two ranks: three stages."""
    with sharing_all(effort):
        return explored(derived(TINY_REQUEST))


@pytest.fixture(scope="session")
def inference(effort: Effort) -> Explored:
    """One block of inference on two ranks: two branches."""
    with sharing_all(effort):
        return explored(derived(TINY_STEPS))


@pytest.fixture(scope="session")
def five(effort: Effort) -> Explored:
    """Two blocks of a pipeline stage, bound to queues and emitted: all five stages."""
    with sharing_all(effort):
        return explored(derived(bound(training_stage_request(), TargetKind.QUEUE)))


@pytest.fixture(scope="session")
def slots(effort: Effort) -> Explored:
    """Inference with fused attention, bound to issue slots and emitted: five stages in two branches."""
    with sharing_all(effort):
        return explored(derived(bound(TINY_STEPS, TargetKind.SLOT, Attention.TILED)))
