"""Targets are matched with what the rules demand by lineage alone, and every entity is accounted for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from blueprint.case import workload_of
from blueprint.expected import ExpectedTask, ExpectedTensor, ModelView, portable_relations
from blueprint.frontend.block import model_ir
from blueprint.ir.common import LineageKind
from blueprint.matching import Matching, _lineage_faults, match_relations
from blueprint.passes.distribute_training import DistributeTransformerTrainingPass
from blueprint.passes.plan_training import PlanTransformerTrainingPass
from blueprint.passes.protocol import PassContext
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, MODEL_TO_DISTRIBUTED, Ref, Slot, Version
from blueprint.session import open_rulebook
from tests.bundles.conftest import TINY_REQUEST

CONTEXT = PassContext(TINY_REQUEST, "0" * 64)
MODEL: Any = model_ir(TINY_REQUEST)
DISTRIBUTED: Any = DistributeTransformerTrainingPass().run(MODEL, CONTEXT)
PORTABLE: Any = PlanTransformerTrainingPass().run(DISTRIBUTED, CONTEXT)
BOOK = open_rulebook(None)
RULES = BOOK.pass_rules(MODEL_TO_DISTRIBUTED, workload_of(TINY_REQUEST))
RELATIONS = ModelView(TINY_REQUEST, MODEL, RULES).relations
KNOWN = {each.id for each in (*MODEL.values, *MODEL.operations)}
ENTITIES: tuple[Any, ...] = (*DISTRIBUTED.values, *DISTRIBUTED.tasks)
FOREIGN = f"value:{'0' * 64}"

change = msgspec.structs.replace


def test_an_operation_has_no_source_value_and_no_argument_that_it_lacks() -> None:
    view = ModelView(TINY_REQUEST, MODEL, RULES)
    found: dict[Slot, set[ExpectedTensor]] = {}
    for relation in view.relations:
        for task in relation.targets:
            if isinstance(task, ExpectedTask) and task.operation is not None and len(task.operation.inputs) > 1:
                for slot in Slot:
                    found.setdefault(slot, set()).update(view.resolve(task, Ref(slot, (Version.FORWARD,))))
    assert found[Slot.SOURCE] == set()
    assert all(found[slot] for slot in (Slot.FIRST, Slot.SECOND, Slot.RESULT))


def matched(entities: Sequence[Any] = ENTITIES, known: set[str] = KNOWN) -> Matching:
    return match_relations(RELATIONS, entities, known, RULES)


def with_entity(place: int, **changes: Any) -> Matching:
    """The same entities, one of them otherwise."""
    return matched([*ENTITIES[:place], change(ENTITIES[place], **changes), *ENTITIES[place + 1 :]])


def with_lineage(place: int, **changes: Any) -> Matching:
    return with_entity(place, lineage=change(ENTITIES[place].lineage, **changes))


def faults(found: Matching) -> list[tuple[str, str]]:
    return [(each.code, each.path) for each in found.diagnostics]


def counts(found: Matching) -> dict[str, int]:
    return {
        name: getattr(found.coverage, name) for name in ("target", "missing", "dangling", "undeclared", "mismatched")
    }


WHOLE = {"target": len(ENTITIES), "missing": 0, "dangling": 0, "undeclared": 0, "mismatched": 0}
ONE_LOST = {**WHOLE, "target": len(ENTITIES) - 1, "missing": 1}
VALUE, TASK = 0, len(DISTRIBUTED.values)


def test_what_the_pass_makes_is_exactly_what_is_demanded() -> None:
    found = matched()
    assert found.coverage.exact
    assert (found.coverage.source, found.coverage.source_total) == (len(KNOWN), len(KNOWN))
    assert found.coverage.target_total == len(ENTITIES)
    assert (counts(found), found.diagnostics) == (WHOLE, [])
    assert all(each.complete for each in found.matched)
    assert [each.relation for each in found.matched] == list(RELATIONS)
    generated = [each for each in RELATIONS if each.rule.lineage is LineageKind.GENERATED]
    assert found.coverage.generated == sum(len(each.targets) for each in generated) > 0
    made = next(each for each in ENTITIES if each.lineage.transform == generated[0].rule.id)
    less = matched([each for each in ENTITIES if each is not made])
    assert less.coverage.generated == found.coverage.generated - 1


def test_every_demanded_target_is_paired_with_the_entity_of_its_kind_and_name() -> None:
    names = {entity.id: (type(entity).__name__, entity.name) for entity in ENTITIES}
    kinds = {ExpectedTensor: "DistributedValue", ExpectedTask: "Task"}
    pairs = matched().pairs
    assert len(pairs) == len(ENTITIES)
    assert all(names[found] == (kinds[type(expected)], expected.name) for expected, found in pairs)


@pytest.mark.parametrize("place", [VALUE, TASK, len(ENTITIES) - 1])
def test_an_entity_that_is_not_there_is_missing(place: int) -> None:
    found = matched([*ENTITIES[:place], *ENTITIES[place + 1 :]])
    assert faults(found) == [("coverage.missing", ENTITIES[place].name)]
    assert counts(found) == ONE_LOST
    assert found.coverage.target_total == len(ENTITIES) - 1
    assert not found.coverage.exact
    (incomplete,) = [each for each in found.matched if not each.complete]
    assert incomplete.found.count(None) == 1


def test_every_entity_that_is_not_there_is_counted() -> None:
    found = matched(())
    assert counts(found) == {**dict.fromkeys(WHOLE, 0), "missing": len(ENTITIES)}
    assert sorted(faults(found)) == sorted(("coverage.missing", each.name) for each in ENTITIES)
    assert (found.coverage.source, found.coverage.target_total) == (0, 0)


def test_every_entity_of_a_fault_is_counted() -> None:
    """Three of each: foreign sources, a rule of no boundary, sources of which nothing is demanded, another name."""
    some = iter(ENTITIES)
    pairs = {(each.rule.id, each.sources) for each in RELATIONS}

    def odd(**changes: Any) -> list[Any]:
        three = [next(some) for _ in range(3)]
        return [change(each, lineage=change(each.lineage, **changes)) for each in three]

    unexpected = odd(sources=tuple(sorted(KNOWN)[:5]))
    assert not pairs & {(each.lineage.transform, each.lineage.sources) for each in unexpected}
    changed = [*odd(sources=(FOREIGN,)), *odd(transform="planning.task"), *unexpected]
    renamed = [change(next(some), name=f"another {number}") for number in range(3)]
    found = matched([*changed, *renamed, *some])
    assert counts(found) == {
        "target": len(ENTITIES) - 12, "missing": 12, "dangling": 3, "undeclared": 3, "mismatched": 6,
    }  # fmt: skip
    codes = Counter(each.code for each in found.diagnostics)
    assert codes == {
        "coverage.missing": 12, "lineage.dangling": 3, "lineage.undeclared": 3, "coverage.unexpected": 6,
    }  # fmt: skip


def test_a_source_of_incomplete_relations_alone_is_not_used() -> None:
    """A source counts as accounted for where everything that comes from it is there."""
    lost = {id(relation): relation for relation in RELATIONS if len(relation.sources) == 1}
    source = next(iter(lost.values())).sources[0]
    kept = [each for each in ENTITIES if source not in each.lineage.sources]
    found = matched(kept)
    assert found.coverage.source < len(KNOWN)
    assert not found.coverage.exact


@pytest.mark.parametrize("place", [VALUE, TASK])
def test_a_source_that_is_not_in_the_parent_dangles(place: int) -> None:
    found = with_lineage(place, sources=(FOREIGN,))
    assert faults(found) == [
        ("lineage.dangling", ENTITIES[place].name),
        ("coverage.missing", ENTITIES[place].name),
    ]
    assert counts(found) == {**ONE_LOST, "dangling": 1}


@pytest.mark.parametrize("place", [VALUE, TASK])
def test_a_rule_of_no_boundary_is_undeclared(place: int) -> None:
    found = with_lineage(place, transform="planning.task")
    assert faults(found)[0] == ("lineage.undeclared", ENTITIES[place].name)
    assert counts(found) == {**ONE_LOST, "undeclared": 1}


@pytest.mark.parametrize("place", [VALUE, TASK])
def test_sources_of_which_the_rule_demands_nothing_are_unexpected(place: int) -> None:
    lineage = ENTITIES[place].lineage
    other = next(each for each in sorted(KNOWN) if (each,) != lineage.sources)
    known = {(each.rule.id, each.sources) for each in RELATIONS}
    pair = (*lineage.sources, other)
    assert (lineage.transform, pair) not in known
    found = with_lineage(place, sources=pair)
    assert faults(found)[0] == ("coverage.unexpected", ENTITIES[place].name)
    assert counts(found) == {**ONE_LOST, "mismatched": 1}


@pytest.mark.parametrize("place", [VALUE, TASK])
def test_a_name_that_is_not_demanded_is_unexpected(place: int) -> None:
    found = with_entity(place, name="another")
    assert sorted(faults(found)) == [("coverage.missing", ENTITIES[place].name), ("coverage.unexpected", "another")]
    assert counts(found) == {**ONE_LOST, "mismatched": 1}


def test_an_entity_with_two_faults_is_one_that_does_not_match() -> None:
    lineage = ENTITIES[TASK].lineage
    kind = next(each for each in LineageKind if each is not lineage.kind)
    found = with_entity(TASK, name="another", lineage=change(lineage, kind=kind))
    codes = {code for code, path in faults(found) if path == "another"}
    assert codes == {"lineage.kind", "coverage.unexpected"}
    assert counts(found) == {**ONE_LOST, "mismatched": 1}


def test_an_entity_twice_is_one_too_many() -> None:
    found = matched([*ENTITIES, change(ENTITIES[TASK], name="again")])
    assert faults(found) == [("coverage.unexpected", "again")]
    assert counts(found) == {**WHOLE, "mismatched": 1}
    assert not found.coverage.exact


def test_a_second_entity_of_one_name_is_seen_by_the_total() -> None:
    found = matched([*ENTITIES, ENTITIES[TASK]])
    assert found.coverage.target_total == len(ENTITIES) + 1
    assert not found.coverage.exact


@pytest.mark.parametrize("place", [VALUE, TASK])
def test_a_wrong_kind_of_lineage_is_named(place: int) -> None:
    right = ENTITIES[place].lineage.kind
    for wrong in set(LineageKind) - {right}:
        found = with_lineage(place, kind=wrong)
        assert faults(found) == [("lineage.kind", ENTITIES[place].name)]
        assert f"kind is {wrong.value}, the rule says {right.value}" in found.diagnostics[0].message
        assert counts(found) == {**WHOLE, "mismatched": 1}
        assert not found.coverage.exact


def test_a_field_that_names_another_source_than_the_lineage_is_named() -> None:
    other = next(value.source_value for value in DISTRIBUTED.values if value.source_value != ENTITIES[0].source_value)
    found = with_entity(VALUE, source_value=other)
    assert faults(found) == [("lineage.source_value", ENTITIES[VALUE].name)]
    assert counts(found) == {**WHOLE, "mismatched": 1}


def test_a_buffer_that_names_another_value_than_its_lineage_is_named() -> None:
    rules = BOOK.pass_rules(DISTRIBUTED_TO_PORTABLE, workload_of(TINY_REQUEST))
    relations = portable_relations(DISTRIBUTED, rules)
    known = {each.id for each in (*DISTRIBUTED.values, *DISTRIBUTED.tasks)}
    entities = [*PORTABLE.buffers, *PORTABLE.tasks]
    assert match_relations(relations, entities, known, rules).coverage.exact
    first = PORTABLE.buffers[0]
    other = next(each.source_value for each in PORTABLE.buffers if each.source_value != first.source_value)
    entities[0] = change(first, source_value=other)
    found = match_relations(relations, entities, known, rules)
    assert faults(found) == [("lineage.source_value", first.name)]


@pytest.mark.parametrize("field", ["source_value", "source_buffer", "source_command"])
def test_each_field_that_names_a_source_is_compared(field: str) -> None:
    rule = RULES[0]
    lineage = change(ENTITIES[VALUE].lineage, kind=rule.lineage)
    honest: Any = SimpleNamespace(id="x", name="x", lineage=lineage, **{field: lineage.sources[0]})
    assert list(_lineage_faults(rule, honest)) == []
    for other in (FOREIGN, "", lineage.sources):
        false: Any = SimpleNamespace(id="x", name="x", lineage=lineage, **{field: other})
        (fault,) = _lineage_faults(rule, false)
        assert (fault.code, fault.message) == (
            "lineage.source_value",
            f"{field} differs from the lineage's source",
        )


def test_a_value_with_the_name_of_a_task_is_not_the_one_demanded() -> None:
    task = DISTRIBUTED.tasks[0]
    impostor = change(DISTRIBUTED.values[0], name=task.name, lineage=task.lineage)
    found = matched([impostor, *(each for each in ENTITIES if each is not task and each is not ENTITIES[0])])
    assert ("coverage.missing", task.name) in faults(found)
    assert ("coverage.unexpected", task.name) in faults(found)
