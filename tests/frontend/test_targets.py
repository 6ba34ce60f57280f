"""Targets and deployments: known profiles, enough devices, and nothing that is made up."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from blueprint.errors import DomainError, NotCoveredError
from blueprint.frontend.models import builtin
from blueprint.frontend.request import check_domain, training_request
from blueprint.frontend.targets import TARGETS
from blueprint.ir.request import Deployment, Request, TargetKind, Topology

change = msgspec.structs.replace


def request_of(**options: Any) -> Request:
    return training_request(builtin("gpt2"), sequence=64, tensor=2, **options)


@pytest.mark.parametrize("kind", TargetKind)
def test_a_target_is_a_profile_and_has_a_device_for_each_rank(kind: TargetKind) -> None:
    request = request_of(target=kind)
    assert request.target == TARGETS[kind]
    assert request.deployment == Deployment(devices=2, topology=Topology.ALL_TO_ALL)
    emitting = request_of(target=kind, emit=True).target
    assert emitting == change(TARGETS[kind], emit=True)
    assert TARGETS[kind].name == f"reference-{kind.value}"


def test_without_target_and_memory_there_is_no_deployment() -> None:
    assert request_of().target is msgspec.UNSET
    assert request_of().deployment is msgspec.UNSET


def test_memory_or_devices_alone_make_a_deployment() -> None:
    assert request_of(device_memory=7**9).deployment == Deployment(
        devices=2, topology=Topology.ALL_TO_ALL, device_memory=7**9
    )
    assert request_of(devices=5).deployment == Deployment(devices=5, topology=Topology.ALL_TO_ALL)


def test_instructions_without_a_target_are_refused() -> None:
    with pytest.raises(DomainError, match="instructions are emitted for a target, and none is named"):
        request_of(emit=True)


@pytest.mark.parametrize("devices", [0, 1])
def test_fewer_devices_than_ranks_are_refused(devices: int) -> None:
    with pytest.raises(DomainError, match="devices = "):
        request_of(target=TargetKind.QUEUE, devices=devices)


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "reference-slot"},
        {"name": "h100"},
        {"architecture": "other"},
        {"abi": "blueprint.slot"},
        {"revision": 2},
        {"kind": TargetKind.SLOT},
    ],
)
def test_a_profile_that_is_not_known_is_refused(changes: dict[str, Any]) -> None:
    request = request_of(target=TargetKind.QUEUE)
    with pytest.raises(NotCoveredError, match=r"not known in this form; known are reference-queue, reference-slot"):
        check_domain(change(request, target=change(TARGETS[TargetKind.QUEUE], **changes)))


def test_a_target_without_a_deployment_is_refused() -> None:
    request = request_of(target=TargetKind.QUEUE)
    with pytest.raises(DomainError, match="a target needs a deployment"):
        check_domain(change(request, deployment=msgspec.UNSET))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("target", "queue"),
        ("target", change(TARGETS[TargetKind.QUEUE], kind="queue")),
        ("target", change(TARGETS[TargetKind.QUEUE], emit=1)),
        ("deployment", {"devices": 2}),
        ("deployment", Deployment(devices=True, topology=Topology.ALL_TO_ALL)),
        ("deployment", Deployment(devices=2, topology="all-to-all")),  # type: ignore[arg-type]
        ("deployment", Deployment(devices=2, topology=Topology.ALL_TO_ALL, device_memory=0)),
        ("deployment", Deployment(devices=2, topology=Topology.ALL_TO_ALL, device_memory=1.5)),  # type: ignore[arg-type]
    ],
)
def test_what_is_of_another_type_is_refused(field: str, value: Any) -> None:
    request = request_of(target=TargetKind.QUEUE)
    with pytest.raises(DomainError):
        check_domain(change(request, **{field: value}))
