"""A gate with a solver that proves everything, and a model that it has let in."""

from __future__ import annotations

import pytest

from blueprint.gate import CommitGate, Committed
from tests.gate.small import gate_of, rooted


@pytest.fixture
def gate() -> CommitGate:
    return gate_of()


@pytest.fixture
def model(gate: CommitGate) -> Committed:
    return rooted(gate)
