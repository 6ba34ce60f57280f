"""Where two snapshots differ: named by entity and field, whatever their ids."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from blueprint.bundle import read_bundle
from blueprint.difference import difference
from blueprint.ir.common import Lineage, Stage
from blueprint.ir.distributed import DistributedTaskIR, DistributedValue
from blueprint.ir.portable import PortablePlanIR
from blueprint.verification import verify
from tests.reseal import Draft


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


# What comes from a stage before ---------------------------------------------------------------------------------------


FIRST, SECOND = "attention_norm.bias", "attention_norm.gain"


def exchanged(whole: DistributedTaskIR, *fields: str) -> DistributedTaskIR:
    """Two values with each other's fields."""
    values = {each.name: each for each in whole.values}
    for one, other in ((FIRST, SECOND), (SECOND, FIRST)):
        theirs = values[f"{other}.forward"]
        whole = changed(whole, "values", f"{one}.forward", **{field: getattr(theirs, field) for field in fields})
    return whole


def of_another_parent(whole: DistributedTaskIR) -> DistributedTaskIR:
    """The same, as it would be if everything before it had other ids."""

    def other(word: str) -> str:
        return word[:-64] + word[-64:][::-1]

    def moved(value: DistributedValue) -> DistributedValue:
        lineage = value.lineage
        lineage = Lineage(kind=lineage.kind, transform=lineage.transform, sources=tuple(map(other, lineage.sources)))
        return msgspec.structs.replace(value, source_value=other(value.source_value), lineage=lineage)

    header = msgspec.structs.replace(whole.header, parent=other(whole.header.parent))
    return msgspec.structs.replace(whole, header=header, values=tuple(map(moved, whole.values)))


@pytest.mark.parametrize(
    ("fields", "places"),
    [
        (["source_value"], ["source_value"]),
        (["lineage"], ["lineage.sources[0]"]),
        (["lineage", "source_value"], ["lineage.sources[0]", "source_value"]),
    ],
)
def test_what_comes_from_another_entity_is_shown_by_name(tiny: bytes, fields: list[str], places: list[str]) -> None:
    good = snapshot(tiny)
    said = difference(exchanged(good, *fields), good, read_bundle(tiny).stages)
    wanted = [f"{FIRST}.forward.{place} is {SECOND}, would be {FIRST}" for place in places]
    wanted += [f"{SECOND}.forward.{place} is {FIRST}, would be {SECOND}" for place in places]
    assert said.split("; ")[:3] == wanted[:3]


def test_what_comes_from_nothing_is_said_of_every_place(tiny: bytes) -> None:
    good = snapshot(tiny)
    strange = changed(good, "values", f"{FIRST}.forward", source_value="value:" + "0" * 64)
    place = f"{FIRST}.forward.source_value"
    assert difference(strange, good, read_bundle(tiny).stages) == (
        f"{place} is no entity of the bundle, would be {FIRST}"
    )
    # Where no names are given, it is a difference all the same.
    assert difference(strange, good) == (
        f"{place} is another id or digest than it would be; both are of no entity of the bundle"
    )


def test_entities_of_one_name_are_not_taken_for_each_other(tiny: bytes) -> None:
    """A task of the plan is called as the distributed task that it comes from."""
    plan = read_bundle(tiny).stages[2].snapshot
    assert isinstance(plan, PortablePlanIR)
    task = plan.tasks[0]
    values = {each.name: each.id for each in snapshot(tiny).tasks}
    other = msgspec.structs.replace(task.lineage, sources=(task.id.replace("task", "node"),))
    wrong = msgspec.structs.replace(plan, tasks=(msgspec.structs.replace(task, lineage=other), *plan.tasks[1:]))
    before = [{"id": other.sources[0], "name": task.name}, {"id": values[task.name], "name": task.name}]
    assert difference(wrong, plan, before) == (
        f"{task.name}.lineage.sources[0] is another id or digest than it would be; both are of {task.name}"
    )


def test_what_follows_from_another_parent_is_no_difference_to_name(tiny: bytes) -> None:
    good = snapshot(tiny)
    stages = read_bundle(tiny).stages
    assert difference(of_another_parent(good), good, stages).startswith("only ids and digests differ")


def test_under_another_parent_too_what_is_exchanged_is_named(tiny: bytes) -> None:
    good = snapshot(tiny)
    wrong = exchanged(of_another_parent(good), "source_value")
    said = difference(wrong, good, read_bundle(tiny).stages)
    assert said.startswith(f"{FIRST}.forward.source_value is no entity of the bundle, would be {FIRST}; ")
    # Exchanged throughout, they stand for each other, but their names are known.
    header = of_another_parent(good).header
    wrong = msgspec.structs.replace(exchanged(good, "source_value", "lineage"), header=header)
    said = difference(wrong, good, read_bundle(tiny).stages)
    assert said.startswith(f"{FIRST}.forward.lineage.sources[0] is {SECOND}, would be {FIRST}; ")


def test_a_report_names_what_is_exchanged(tiny: bytes) -> None:
    """Nothing before the distributed stage is wrong, so that the message is of it alone."""
    draft = Draft(tiny)
    values = {each["name"]: each for each in draft.entities(Stage.DISTRIBUTED, "values")}
    one, other = values[f"{FIRST}.forward"], values[f"{SECOND}.forward"]
    one["source_value"], other["source_value"] = other["source_value"], one["source_value"]
    found = [each for each in verify(draft.sealed(), jobs=1).diagnostics if each.code == "replay"]
    assert found[0].path == "distributed"
    assert f": {FIRST}.forward.source_value is {SECOND}, would be {FIRST}; " in found[0].message
    assert "only ids and digests" not in found[0].message
