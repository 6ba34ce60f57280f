"""The projections of the planning pass: exact copies, sums and products, for integers and for symbols alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from blueprint.workload.dims import N


@dataclass(frozen=True)
class PlannedWork(Generic[N]):
    """The work vector of a portable task on one rank, and the resources that it asks for; operations and bytes."""

    operations: N
    read_bytes: N
    write_bytes: N
    message_bytes: N
    compute: N
    memory: N
    network: N


def plan_work(operations: N, read_bytes: N, write_bytes: N, message_bytes: N) -> PlannedWork[N]:
    """Copy a distributed work vector and project it on compute, memory and network."""
    return PlannedWork(
        operations=operations,
        read_bytes=read_bytes,
        write_bytes=write_bytes,
        message_bytes=message_bytes,
        compute=operations,
        memory=read_bytes + write_bytes,
        network=message_bytes,
    )


def buffer_size(shape: tuple[N, ...], width: N | int) -> N | int:
    """Bytes of a tensor of these sizes in elements, `width` bytes each."""
    size = width
    for each in shape:
        size = size * each
    return size
