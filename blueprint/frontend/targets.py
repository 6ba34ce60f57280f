"""The target profiles that plans can be bound to. Both are deterministic contracts, and no device of any vendor."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from blueprint.ir.request import Attention, Target, TargetKind


def _reference(kind: TargetKind) -> Target:
    return Target(
        kind=kind,
        name=f"reference-{kind.value}",
        architecture="reference",
        abi=f"blueprint.{kind.value}",
        revision=1,
        attention=Attention.UNFUSED,
        emit=False,
    )


TARGETS: Final[Mapping[TargetKind, Target]] = MappingProxyType({kind: _reference(kind) for kind in TargetKind})
"""The reference profile of each kind of target."""
