"""The good bundle that hostile ones are made of: all five stages of one training block."""

from __future__ import annotations

import functools

from blueprint.derivation import derive
from blueprint.frontend.request import training_request
from blueprint.ir.request import Communication, Recompute, TargetKind
from tests.bundles.conftest import TINY

REQUEST = training_request(
    TINY,
    tensor=2,
    data=5,
    batch=3,
    sequence=8,
    recompute=Recompute.SELECTIVE,
    communication=Communication.SEQUENCE_PARALLEL,
    target=TargetKind.QUEUE,
    emit=True,
)


@functools.cache
def bundle() -> bytes:
    """Its bytes, derived once."""
    return derive(REQUEST, jobs=1)
