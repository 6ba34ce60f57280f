"""What is checked of every stage: ids, references, single producers, canonical order. Nothing here trusts a snapshot.

Each function yields diagnostics with a stable code; an empty result means that the structure holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from blueprint.codec import entity_id
from blueprint.diagnostic import Diagnostic
from blueprint.ir.common import SCHEMA_VERSIONS, Header, Lineage, Stage
from blueprint.ir.order import canonical_order


class Named(Protocol):
    """An entity with an id and a local name."""

    @property
    def id(self) -> str:
        """`<kind>:` and a digest."""

    @property
    def name(self) -> str:
        """The local name."""


class Derived(Named, Protocol):
    """An entity with lineage."""

    @property
    def lineage(self) -> Lineage:
        """Where it came from."""


class Node(Named, Protocol):
    """A step that reads and writes."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Ids of what it reads, in order."""


def check_header(header: Header, stage: Stage) -> Iterator[Diagnostic]:
    """The snapshot is of its stage, in the version of the schema that this tool reads."""
    if header.stage is not stage:
        yield Diagnostic(code="structure.stage", message=f"the header says {header.stage.value}", path="header")
    if header.version != SCHEMA_VERSIONS[stage]:
        message = f"version {header.version} of the schema, this reads {SCHEMA_VERSIONS[stage]}"
        yield Diagnostic(code="structure.version", message=message, path="header")


def check_ids(kind: str, version: int, parent: str, entities: Iterable[Derived]) -> Iterator[Diagnostic]:
    """Every id is the digest of what it stands for."""
    for entity in entities:
        lineage = entity.lineage
        expected = entity_id(kind, version, parent, lineage.transform, lineage.sources, entity.name)
        if entity.id != expected:
            yield Diagnostic(
                code="structure.id", message=f"id is {entity.id}, its content gives {expected}", path=entity.name
            )


def check_unique(entities: Iterable[Named]) -> Iterator[Diagnostic]:
    """No two entities share an id or, within one list, a local name."""
    ids: set[str] = set()
    names: set[str] = set()
    for entity in entities:
        if entity.id in ids:
            yield Diagnostic(code="structure.duplicate_id", message=f"id {entity.id} occurs twice", path=entity.name)
        if entity.name in names:
            yield Diagnostic(code="structure.duplicate_name", message="local name occurs twice", path=entity.name)
        ids.add(entity.id)
        names.add(entity.name)


def check_known(path: str, references: Iterable[str], known: Mapping[str, object]) -> Iterator[Diagnostic]:
    """Every reference names an entity of the snapshot."""
    for reference in references:
        if reference not in known:
            yield Diagnostic(code="structure.dangling", message=f"{reference} is not in this snapshot", path=path)


def check_distinct(path: str, references: Sequence[str]) -> Iterator[Diagnostic]:
    """No reference stands twice in one list."""
    if len(set(references)) != len(references):
        yield Diagnostic(code="structure.repeated", message="an id stands twice in the list", path=path)


def producers_of(writers: Iterable[tuple[Named, Sequence[str]]]) -> tuple[dict[str, str], list[Diagnostic]]:
    """Value id -> id of its single writer, and a diagnostic for every second writer."""
    producers: dict[str, str] = {}
    faults: list[Diagnostic] = []
    for writer, outputs in writers:
        for output in outputs:
            if output in producers:
                faults.append(
                    Diagnostic(code="structure.ssa", message=f"{output} has a second producer", path=writer.name)
                )
            producers.setdefault(output, writer.id)
    return producers, faults


def check_order(nodes: Sequence[Named], dependencies: Mapping[str, Sequence[str]]) -> Iterator[Diagnostic]:
    """The nodes form an acyclic graph and stand in canonical order."""
    order = canonical_order({node.id: node.name for node in nodes}, dependencies)
    if len(order) != len(nodes):
        yield Diagnostic(code="structure.cycle", message="the dependencies form a cycle")
        return
    for position, (node, expected) in enumerate(zip(nodes, order, strict=True)):
        if node.id != expected:
            yield Diagnostic(
                code="structure.order",
                message=f"canonical order has another entity at position {position}",
                path=node.name,
            )
            return


def data_dependencies(nodes: Sequence[Node], producers: Mapping[str, str]) -> dict[str, list[str]]:
    """Node id -> ids of the nodes that produce its inputs, in input order, each once."""
    return {
        node.id: list(dict.fromkeys(producers[value] for value in node.inputs if value in producers)) for node in nodes
    }


def value_order(values: Sequence[Named], nodes: Sequence[tuple[Named, Sequence[str]]]) -> list[str]:
    """Canonical order of values: unproduced ones by name, then results in the order of their producers."""
    produced = [output for _, outputs in nodes for output in outputs]
    known = set(produced)
    free = sorted((value.name, value.id) for value in values if value.id not in known)
    return [identifier for _, identifier in free] + list(dict.fromkeys(produced))


def check_value_order(values: Sequence[Named], nodes: Sequence[tuple[Named, Sequence[str]]]) -> Iterator[Diagnostic]:
    """The values stand in canonical order."""
    if [value.id for value in values] != value_order(values, nodes):
        yield Diagnostic(code="structure.value_order", message="the values are not in canonical order")
