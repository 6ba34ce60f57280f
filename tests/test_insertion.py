"""An operation of an extension has a place in the block, or is refused with what is wrong with it."""

from __future__ import annotations

from typing import Any

import pytest

from blueprint.case import Workload
from blueprint.errors import RulebookError
from blueprint.insertion import Insertion, check_place

READS = (("x", ()), ("y", ("x",)), ("z", ("y", "x")), ("u", ("z",)))


def insertion(**changes: Any) -> Insertion:
    return Insertion(**{"kind": "new", "source": "x", "readers": ("y", "z"), "workload": Workload.TRAINING, **changes})


def test_readers_read_the_result_in_the_value_s_place() -> None:
    assert insertion().redirected("z", ("y", "x", "x")) == ("y", "new", "new")
    assert insertion().redirected("y", ("x",)) == ("new",)
    assert insertion(readers=("y",)).redirected("z", ("y", "x")) == ("y", "x")


@pytest.mark.parametrize("changes", [{}, {"readers": ("z",)}, {"source": "y", "readers": ("z",)}])
def test_a_place_that_is_there_is_taken(changes: dict[str, Any]) -> None:
    check_place(insertion(**changes), READS)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"source": "w"}, "the block makes no value w"),
        ({"kind": "u"}, "operation u: the block has an operation of this name"),
        ({"readers": ()}, "readers must name one operation or more"),
        ({"readers": ("y", "u")}, "u does not read x"),
        ({"readers": ("nobody",)}, "nobody does not read x"),
    ],
)
def test_a_place_that_is_none_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(RulebookError, match=words):
        check_place(insertion(**changes), READS)
