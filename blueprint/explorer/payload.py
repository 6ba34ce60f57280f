"""What the page shows, as data: `blueprint.explorer/1`. Python projects; the page only places.

The index stands in the page as it is and is small; everything that grows with the bundle stands in chunks, which the
page inflates when they are looked at. Entities, relations and obligations are named by their positions: an entity by
its position in its snapshot's canonical order, a relation by its position in its boundary, an obligation by its
position in the report. Every quantity is a decimal string, as a browser loses digits above 2^53; positions and counts
of rows are numbers. Texts are given as trees of spans, never as offsets: offsets differ between Python and a browser.

The TypeScript types of the page are generated from these structures.
"""

from __future__ import annotations

import enum

import msgspec

SCHEMA = "blueprint.explorer/1"


class Colour(enum.Enum):
    """What a span means; the page gives each a colour, a border style and a word."""

    STRUCTURE = "structure"
    TYPE = "type"
    TOPOLOGY = "topology"
    WORK = "work"
    MAPPING = "mapping"
    NAME = "name"


class _Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the payload's structures."""


class Span(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A piece of an expression: plain text and further spans, in reading order.

    `entity` is the position of the entity that it stands for, which the page makes a link; it is left out where there
    is none.
    """

    colour: Colour
    parts: tuple[str | Span, ...]
    entity: int = -1


class ChunkRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One chunk: gzip of a JSON array, in base64, in the element with this id.

    Attributes:
        id: Id of its element, such as `c12`.
        start: Position of its first row among all rows of its list.
        count: Number of its rows.
        sha256: SHA-256 of the JSON text before compression.
    """

    id: str
    start: int
    count: int
    sha256: str


class ChunkList(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A list of rows that stands in chunks, in order and without a gap."""

    count: int
    chunks: tuple[ChunkRow, ...]


class StatusCount(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many claims and forms of laws have a verdict word."""

    word: str
    count: str


class FindingRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One diagnostic with the places that it is about; -1 where there is no such place.

    `relation` and `law` are positions at the boundary, `entity` one in the stage.

    `weight` says what it is to the reader: `first` to mend, `later` where it may only follow from what is wrong before,
    or `bytes`, of digests, replay and records, which differ wherever anything does.
    """

    code: str
    message: str
    meaning: str
    path: str
    weight: str
    refutes: bool
    boundary: int
    relation: int
    law: int
    stage: int
    entity: int


class BoundaryFindings(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All findings about one boundary.

    Attributes:
        count: How many there are.
        word: What they make of a boundary whose claims and laws are established: `refuted`, `differs` where they are of
            digests, replay and records alone, `not established` where none refutes, empty where there are none.
    """

    count: int
    word: str


class FindingTotals(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all findings come to, those beyond the first of the index as well.

    Attributes:
        first: How many there are to mend first.
        later: How many may only follow from these.
        bytes: How many are of digests, replay and records.
        boundaries: Those about each boundary.
        refuted: For each stage the positions of the entities that a finding refutes, in canonical order.
    """

    first: int
    later: int
    bytes: int
    boundaries: tuple[BoundaryFindings, ...]
    refuted: tuple[tuple[int, ...], ...]


class LaneRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of the matrix: a subsystem of the block and a kind of entity."""

    subsystem: str
    kind: str


class GroupRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Entities of one cell with one name apart from their block: a chip of the matrix.

    Attributes:
        column: Position of its phase among the stage's columns.
        lane: Position of its lane among the stage's lanes.
        name: The name, without the block's and the phase's part.
        count: Number of its entities.
        entity: Position of the entity, where there is one; -1 where there are several.
        neighbours: Positions of the groups that its entities exchange data with or wait for.
    """

    column: int
    lane: int
    name: str
    count: int
    entity: int
    neighbours: tuple[int, ...]


class KindCount(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many entities of a kind a stage has."""

    kind: str
    count: int


class StageIndex(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of the five slots of a branch. The model is one stage that all branches share: its slot names the same row.

    Attributes:
        stage: Name of the stage.
        branch: Branch; empty where there is only one.
        title: Name as people write it, such as `DistributedTaskIR`.
        digest: Digest of the snapshot; empty where there is none.
        label: What the snapshot says that it shows.
        unavailable: Why there is none; empty where there is one.
        question: The question that the stage answers.
        result: What this snapshot says in answer, a line each.
        beyond: What the stage does not own.
        columns: Phases from left to right.
        lanes: Rows of the matrix; the same for Distributed and Portable.
        groups: Chips of the matrix.
        kinds: Number of entities by kind.
        status: Verdict word on the transition that made it, the weakest of its claims and laws; empty without one.
        names: A `NameRow` for each entity in canonical order, for search.
        entities: Rows of `Entity`, in canonical order.
        short: Rows of `Line`: the short text.
        detail: Rows of `Line`: the detailed text.
    """

    stage: str
    branch: str
    title: str
    digest: str
    label: str
    unavailable: str
    question: str
    result: tuple[str, ...]
    beyond: str
    columns: tuple[str, ...]
    lanes: tuple[LaneRow, ...]
    groups: tuple[GroupRow, ...]
    kinds: tuple[KindCount, ...]
    status: str
    names: ChunkList
    entities: ChunkList
    short: ChunkList
    detail: ChunkList


class RuleRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One rule of a pass as its contract states it, and how often it was applied here.

    Attributes:
        id: Name of the rule.
        signature: From what to what.
        rewrite: What it does, in words.
        lineage: Kind of lineage of what it makes.
        preserves: Claims that carry facts over.
        introduces: Claims on what it makes.
        forbids: Claims on what may not be.
        laws: Positions of its laws in this boundary's list.
        relations: How many applications there are.
        status: The weakest verdict word of its claims.
    """

    id: str
    signature: str
    rewrite: str
    lineage: str
    preserves: tuple[str, ...]
    introduces: tuple[str, ...]
    forbids: tuple[str, ...]
    laws: tuple[int, ...]
    relations: int
    status: str


class LawRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One form of a law at a boundary.

    Attributes:
        id: Name of the law.
        form: Which of its equations.
        rule: The rule that states it.
        statement: The law in one line.
        equations: The law in mathematics, case by case.
        source: Where it is published.
        group: The tasks or entities that it speaks of.
        members: How many of them there are, of how many that there must be.
        status: The verdict word.
        theorem: What stands behind it for all parameters.
        theorems: Digests of the recorded obligations of its theorems.
        obligations: Positions of its instances among the obligations, those that are not established first.
    """

    id: str
    form: str
    rule: str
    statement: str
    equations: tuple[str, ...]
    source: str
    group: str
    members: str
    status: str
    theorem: str
    theorems: tuple[str, ...]
    obligations: tuple[int, ...]


class Fact(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A name and its value, for tables of two columns."""

    name: str
    value: str


class CardinalityCount(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many relations have a cardinality such as `1:N`."""

    cardinality: str
    count: int


class BoundaryIndex(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One transition, between the slots at the positions `source` and `target`; `source` is -1 for the request.

    Attributes:
        branch: Branch; empty where there is only one.
        source: Position of the stage before the pass; -1 for the request.
        target: Position of the stage after it.
        name: Name of the pass.
        relation_verified: Whether coverage is exact and every claim and law established.
        canonical_conformant: `yes`, `no` or `not run`: whether running the pass again gives the same snapshot.
        structural_only: Whether the pass changed nothing within a stage.
        undeclared: Whether there are rows of no declared rule, or of none that was examined: evidence of lineage only.
        duration: What is known of the time that the pass took on the host; a bundle holds none.
        coverage: Counts of source and target entities, covered and all; generated, missing, dangling, undeclared and
            mismatched.
        exact: Whether everything is accounted for, once.
        cardinality: Relations by cardinality.
        claims: Claims by verdict word.
        weakest: The weakest verdict word of claims and laws.
        rules: The rules.
        laws: The laws.
        short: What the pass promises, in brief; the rewrites stand with the rules.
        detail: Digests, the commit gate, what becomes of analyses, and the rest of the contract.
        relations: Rows of `Relation`, rule by rule and in canonical order within a rule.
        failing: Positions of the relations that are not established, at most 200.
    """

    branch: str
    source: int
    target: int
    name: str
    relation_verified: bool
    canonical_conformant: str
    structural_only: bool
    undeclared: bool
    duration: str
    coverage: tuple[Fact, ...]
    exact: bool
    cardinality: tuple[CardinalityCount, ...]
    claims: tuple[StatusCount, ...]
    weakest: str
    rules: tuple[RuleRow, ...]
    laws: tuple[LawRow, ...]
    short: tuple[Fact, ...]
    detail: tuple[Fact, ...]
    relations: ChunkList
    failing: tuple[int, ...]


class OverlayIndex(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Numbers beside the entities of one stage, off until somebody turns them on.

    Attributes:
        stage: Position of the stage whose digest the overlay names.
        provider: Who made it.
        revision: Which revision of the provider.
        unit: Unit of its values.
        about: Where its numbers come from, such as a device profile in words.
        rates: What the device that they are about does in one second, by what is counted; empty where there is none.
        matched: How many of its entries name an entity of the stage.
        entities: How many entities the stage has.
        entries: How many entries it has.
        low: The smallest value.
        high: The largest value.
        values: Rows of `OverlayValue`, by entity.
    """

    stage: int
    provider: str
    revision: str
    unit: str
    about: str
    rates: tuple[Fact, ...]
    matched: int
    entities: int
    entries: int
    low: str
    high: str
    values: ChunkList


class Section(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A headed list of facts."""

    title: str
    facts: tuple[Fact, ...]


class Index(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the page has from the start.

    Attributes:
        schema: Name of this schema.
        verdict: `verified`, `refuted`, `not established`, `malformed` or `error`.
        summary: One line with what was looked at, in numbers.
        bundle_sha256: SHA-256 of the bundle's bytes.
        derivation_digest: One digest for request, rulebook and snapshots.
        branches: Names of the branches, in order; one empty name where there is only one.
        slots: For each branch the positions in `stages` of its five slots, in canonical order.
        bindings: What the verdict is about: model, workload, strategy, target, deployment, scope.
        tool: What decided: versions and rulebook.
        totals: Work and memory by branch and phase.
        covered: What the totals are for: how much of the model, and how many microbatches or steps.
        counts: Claims and forms of laws by verdict word.
        weakest: Position of the boundary with the weakest link of the chain; -1 where every boundary is verified.
        stages: The stages, shown or not.
        boundaries: The transitions, that of the model from the request first.
        findings: The diagnostics, what to mend first at the head, at most 200.
        findings_total: How many there are.
        totals_of_findings: What all of them come to.
        overlays: The overlays.
        obligations: Rows of `Obligation`.
        definitions: What is chosen and not derived, and where it is published.
        meanings: What each kind of claim asserts, by the claim's kind.
    """

    schema: str
    verdict: str
    summary: str
    bundle_sha256: str
    derivation_digest: str
    branches: tuple[str, ...]
    slots: tuple[tuple[int, ...], ...]
    bindings: tuple[Section, ...]
    tool: tuple[Fact, ...]
    totals: tuple[Section, ...]
    covered: str
    counts: tuple[StatusCount, ...]
    weakest: int
    stages: tuple[StageIndex, ...]
    boundaries: tuple[BoundaryIndex, ...]
    findings: tuple[FindingRow, ...]
    findings_total: int
    totals_of_findings: FindingTotals
    overlays: tuple[OverlayIndex, ...]
    obligations: ChunkList
    definitions: tuple[Fact, ...]
    meanings: tuple[Fact, ...]


# Rows of chunks -----------------------------------------------------------------------------------------------------


class NameRow(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What an entity is found by: alias, name, id, and the position of its group."""

    alias: str
    name: str
    id: str
    group: int


class Link(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A relation that an entity takes part in: positions of boundary and relation."""

    boundary: int
    relation: int


class Entity(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entity with everything that its snapshot says of it.

    Attributes:
        alias: Its short name within the snapshot: its own name, or `value#1`.
        name: Its local name.
        id: Its stable id.
        kind: Its kind.
        group: Position of its group.
        expression: How the lowering table writes it.
        fields: All canonical fields by path; an entity of the same snapshot as alias, name and the beginning of its id,
            which stands in full with that entity. Of a list of over 200 the rest is counted.
        before: Positions of the entities that it reads or waits for, at most 1,000.
        after: Positions of the entities that read it or wait for it, at most 1,000.
        lineage: Kind, transform and ids of the sources as its snapshot records them.
        made_by: The relations whose target it is, at most 1,000.
        used_by: The relations whose source it is, at most 1,000.
        counts: How many there are of each of these four, in their order.
    """

    alias: str
    name: str
    id: str
    kind: str
    group: int
    expression: Span
    fields: tuple[Fact, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    lineage: tuple[Fact, ...]
    made_by: tuple[Link, ...]
    used_by: tuple[Link, ...]
    counts: tuple[int, ...]


class Line(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One line of a text form: how deep it stands, and its spans."""

    depth: int
    parts: tuple[str | Span, ...]


class FailedRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One field that is not what its rule makes of it."""

    field: str
    found: str
    expected: str
    expression: str


class Claim(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One executed claim of a relation; the index's `meanings` say what its kind asserts."""

    kind: str
    status: str
    obligation: int
    failed: tuple[FailedRow, ...]


class TargetGroup(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Targets of one relation that the table writes as one expression, such as all of one phase."""

    expression: Span
    entities: tuple[int, ...]


class Relation(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One application of a rule.

    Attributes:
        id: Its stable id; empty for lineage that no rule declares.
        rule: Position of its rule at the boundary; -1 for lineage that no rule declares.
        transform: Name of the transform that the lineage names.
        cardinality: How many sources to how many targets.
        status: The weakest verdict word of its claims; empty where there are none.
        source: Expression of the sources.
        sources: Positions of the sources in the stage before.
        passed: Expression of the pass: `<pass>.<rule>(relation=..., cardinality=N -> M)`.
        targets: The targets, group by group.
        missing: What is named and not there: ids, and names of targets that the rule demands.
        claims: The claims that were executed.
    """

    id: str
    rule: int
    transform: str
    cardinality: str
    status: str
    source: Span
    sources: tuple[int, ...]
    passed: Span
    targets: tuple[TargetGroup, ...]
    missing: tuple[str, ...]
    claims: tuple[Claim, ...]


class Obligation(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One discharged obligation.

    Attributes:
        digest: SHA-256 of the SMT-LIB2 text that was solved.
        statement: What was asked, in words.
        verdict: The verdict word.
        solver: The solver and its own answer, with its budget and the steps that it took.
        second: The second decider and its answer.
        cross: The answer of the cross-check; empty where none was asked for.
        premises: Hypotheses that the proof used, as numbers of the SMT-LIB2 text's assertions.
        shared: How many claims and law instances it decides.
        reason: Why it is not decided; empty where it is.
        counterexample: Values at which it fails, re-evaluated without the solver.
        witness: Values at which its hypotheses hold.
    """

    digest: str
    statement: str
    verdict: str
    solver: str
    second: str
    cross: str
    premises: tuple[int, ...]
    shared: str
    reason: str
    counterexample: tuple[Fact, ...]
    witness: tuple[Fact, ...]


class OverlayValue(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The value of one entity: exact in its unit, and where it stands between the smallest (0) and largest (1000)."""

    entity: int
    value: str
    level: int
