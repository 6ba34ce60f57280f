"""Where two snapshots differ: named by entity and field, whatever their ids."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from blueprint.bundle import read_bundle
from blueprint.difference import difference
from blueprint.ir.distributed import DistributedTaskIR


def snapshot(data: bytes) -> DistributedTaskIR:
    found = read_bundle(data).stages[1].snapshot
    assert isinstance(found, DistributedTaskIR)
    return found


def changed(whole: DistributedTaskIR, kind: str, name: str, **fields: Any) -> DistributedTaskIR:
    entities = [msgspec.structs.replace(each, **fields) if each.name == name else each for each in getattr(whole, kind)]
    return msgspec.structs.replace(whole, **{kind: tuple(entities)})


def test_a_field_is_named_with_both_values(tiny: bytes) -> None:
    good = snapshot(tiny)
    task = next(each for each in good.tasks if each.name == "softmax.forward")
    wrong = changed(good, "tasks", task.name, work=msgspec.structs.replace(task.work, read_bytes=7))
    assert difference(wrong, good) == f"softmax.forward.work.read_bytes is 7, would be {task.work.read_bytes}"


def test_a_reference_is_shown_as_the_name_behind_it(tiny: bytes) -> None:
    good = snapshot(tiny)
    ids = {each.name: each.id for each in good.values}
    task = next(each for each in good.tasks if each.name == "softmax.forward")
    assert task.inputs == (ids["scores.forward"],)
    wrong = changed(good, "tasks", task.name, inputs=(ids["softmax.forward"],))
    assert difference(wrong, good) == "softmax.forward.inputs[0] is softmax.forward, would be scores.forward"


def test_ids_and_digests_alone_are_no_difference_to_name(tiny: bytes) -> None:
    good = snapshot(tiny)
    wrong = msgspec.structs.replace(good, header=msgspec.structs.replace(good.header, parent="0" * 64))
    assert difference(wrong, good).startswith("only ids and digests differ")


def test_entities_that_are_missing_or_too_much_are_named(tiny: bytes) -> None:
    good = snapshot(tiny)
    less = msgspec.structs.replace(good, tasks=good.tasks[1:])
    assert f"tasks lacks {good.tasks[0].name}" in difference(less, good)
    assert f"tasks has {good.tasks[0].name} too much" in difference(good, less)


def test_another_order_is_said(tiny: bytes) -> None:
    good = snapshot(tiny)
    assert difference(msgspec.structs.replace(good, tasks=good.tasks[::-1]), good) == "tasks stand in another order"


def test_more_than_a_few_are_counted(tiny: bytes) -> None:
    good = snapshot(tiny)
    wrong = msgspec.structs.replace(good, tasks=tuple(msgspec.structs.replace(each, ranks=(9,)) for each in good.tasks))
    assert difference(wrong, good).endswith(" more places")
    assert difference(wrong, good).count("; ") == 3


def test_names_are_made_fit_for_a_terminal() -> None:
    assert difference({"a": "\x1b[2J"}, {"a": "b"}) == "a is \\x1b[2J, would be b"


def test_many_are_not_counted_to_the_end(tiny: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    good = snapshot(tiny)
    wrong = msgspec.structs.replace(
        good, tasks=tuple(msgspec.structs.replace(each, ranks=(each.ranks[0] + 1,)) for each in good.tasks)
    )
    monkeypatch.setattr("blueprint.difference.COUNTED", 10)
    assert difference(wrong, good).endswith("; and at least 7 more places")
