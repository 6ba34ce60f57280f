"""A boundary in two forms: what its pass promises, in brief, and its whole contract with what was recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from blueprint.explorer.payload import BoundaryIndex, CardinalityCount, ChunkList, Fact, LawRow, RuleRow, StatusCount
from blueprint.explorer.relations import Found, weakest
from blueprint.ir.contract import BoundaryContract, PassContract, RuleContract
from blueprint.outcome import CoverageRow, RelationRow, Status, TransitionReport
from blueprint.words import plain

LISTED: Final = 200
"""The most failing relations that the index names."""

DURATION: Final = "not recorded: a bundle holds no times, so that equal derivations are equal bytes"

COMMIT_GATE: Final = (
    "type and schema; bindings; required analyses; structure of the input; run; input unchanged; structure of the"
    " output; parent digest; lineage, coverage, claims and laws; canonical construction; report; observers; then"
    " checkpoint, snapshot and analyses are published together, or nothing is"
)
"""The steps between a candidate and a committed snapshot, in order."""

FRONTEND: Final = RuleContract(
    id="model.from_request",
    source="",
    lineage="derived",
    signature="Request -> ModelIR",
    rewrite="the bindings -> every value and operation of the blocks that they describe, byte for byte",
    preserves=("tensor_type", "role", "operation_identity", "data_flow"),
    introduces=("interface",),
    forbids=(),
    laws=(),
)
"""What the front end promises; it is no pass, and a bundle carries no contract of it."""


@dataclass(frozen=True)
class Promise:
    """The contract of a boundary as it is shown; `contract` is None for the front end, or where a bundle has none."""

    contract: PassContract | None
    rules: tuple[RuleContract, ...]
    whole: tuple[BoundaryContract, ...]

    @property
    def places(self) -> dict[str, int]:
        """Rule id -> its position among the rules of the boundary, in their order; of a repeated one, the first."""
        places: dict[str, int] = {}
        for at, rule in enumerate([*(rule.id for rule in self.rules), *(rule.id for rule in self.whole)]):
            places.setdefault(rule, at)
        return places

    @property
    def wholes(self) -> frozenset[str]:
        """The rules with claims about a snapshot as a whole."""
        return frozenset((*(rule.id for rule in self.whole), FRONTEND.id))

    @property
    def kinds(self) -> dict[str, str]:
        """Rule id -> kind of lineage of what it makes."""
        return {rule.id: rule.lineage for rule in self.rules}


def promise_of(contract: PassContract | None, *, frontend: bool) -> Promise:
    """The rules that a boundary declares."""
    if frontend:
        return Promise(None, (FRONTEND,), ())
    return Promise(None, (), ()) if contract is None else Promise(contract, contract.rules, contract.boundary_rules)


def rule_rows(promise: Promise, relations: Sequence[RelationRow], laws: Sequence[LawRow]) -> tuple[RuleRow, ...]:
    """Every declared rule, with how often it was applied here and how it fared; one declared again has nothing."""
    applied: dict[str, list[RelationRow]] = {}
    for relation in relations:
        applied.setdefault(relation.transform, []).append(relation)
    stated: dict[str, list[int]] = {}
    for position, law in enumerate(laws):
        stated.setdefault(law.rule, []).append(position)
    return tuple(_rule(rule, applied.pop(rule.id, []), stated.pop(rule.id, [])) for rule in _all(promise))


def _all(promise: Promise) -> Iterator[RuleContract]:
    yield from promise.rules
    for whole in promise.whole:
        yield RuleContract(
            id=whole.id,
            source=whole.source,
            lineage="",
            signature="the boundary as a whole",
            rewrite="nothing is rewritten: laws over all tasks, and claims about the snapshot itself",
            preserves=(),
            introduces=whole.claims,
            forbids=(),
            laws=whole.laws,
        )


def _rule(rule: RuleContract, relations: Sequence[RelationRow], laws: Sequence[int]) -> RuleRow:
    return RuleRow(
        id=plain(rule.id),
        signature=plain(rule.signature, 1000),
        rewrite=plain(rule.rewrite, 1000),
        lineage=plain(rule.lineage),
        preserves=tuple(map(plain, rule.preserves)),
        introduces=tuple(map(plain, rule.introduces)),
        forbids=tuple(map(plain, rule.forbids)),
        laws=tuple(laws),
        relations=len(relations),
        status=weakest([claim.status for relation in relations for claim in relation.claims]),
    )


@dataclass(frozen=True)
class Place:
    """Where a boundary stands, and which snapshots it lies between."""

    branch: str
    source: int
    target: int
    name: str
    digests: tuple[str, str]
    unexamined: str


def boundary_index(
    place: Place,
    promise: Promise,
    report: TransitionReport | None,
    laws: tuple[LawRow, ...],
    relations: ChunkList,
    found: Found,
) -> BoundaryIndex:
    """One boundary; `report` is None where it was not examined, and `place.unexamined` says why."""
    rows = () if report is None else report.relations
    statuses = [claim.status for row in rows for claim in row.claims]
    counted = Counter(statuses)
    judged = [law.status for law in report.laws if law.status is not Status.NOT_APPLICABLE] if report else []
    return BoundaryIndex(
        branch=place.branch,
        source=place.source,
        target=place.target,
        name=plain(place.name),
        relation_verified=report is not None and report.relation_verified,
        canonical_conformant=_conformant(report),
        structural_only=report is not None and report.structural_only,
        undeclared=found.undeclared > 0,
        duration=DURATION,
        coverage=() if report is None else _coverage(report.coverage),
        exact=report is not None and report.coverage.exact,
        cardinality=_cardinality(report),
        claims=tuple(StatusCount(word=each.value, count=str(counted[each])) for each in Status if counted[each]),
        weakest=weakest([*statuses, *judged]) or Status.NOT_RUN.value,
        rules=rule_rows(promise, rows, laws),
        laws=laws,
        short=tuple(_short(place, promise)),
        detail=tuple(_detail(place, promise)),
        relations=relations,
        failing=tuple(found.failing[:LISTED]),
    )


def _conformant(report: TransitionReport | None) -> str:
    if report is None or report.canonical_conformant is None:
        return "not run"
    return "yes" if report.canonical_conformant else "no"


def _coverage(coverage: CoverageRow) -> tuple[Fact, ...]:
    """How sources and targets are accounted for."""
    counted = ("generated", "missing", "dangling", "undeclared", "mismatched")
    return (
        Fact(name="sources covered", value=f"{coverage.source} of {coverage.source_total}"),
        Fact(name="targets covered", value=f"{coverage.target} of {coverage.target_total}"),
        *(Fact(name=name, value=getattr(coverage, name)) for name in counted),
    )


def _cardinality(report: TransitionReport | None) -> tuple[CardinalityCount, ...]:
    counts: Mapping[str, str] = {} if report is None else report.cardinality
    return tuple(CardinalityCount(cardinality=kind, count=int(count)) for kind, count in counts.items())


def _short(place: Place, promise: Promise) -> Iterator[Fact]:
    """What the pass promises."""
    if place.unexamined:
        yield Fact(name="not examined", value=place.unexamined)
    contract = promise.contract
    if contract is None and promise.rules:
        yield Fact(name="input", value="the request")
        yield Fact(name="output schema", value="blueprint.model, version 1")
        yield Fact(name="verification", value="relations, and equality with the front end's own construction")
        yield Fact(name="determinism", value="deterministic; uses no seed")
    elif contract is None:
        yield Fact(name="contract", value="none that the bundle carries: what follows is evidence by lineage alone")
    else:
        yield from _promised(contract)


def _promised(contract: PassContract) -> Iterator[Fact]:
    first, last = contract.input_versions
    versions = f"version {first}" if first == last else f"versions {first} to {last}"
    yield Fact(name="input schema", value=f"{plain(contract.input_schema)}, {versions}")
    yield Fact(name="output schema", value=f"{plain(contract.output_schema)}, version {contract.output_version}")
    yield Fact(name="required bindings", value=_listed(contract.required_bindings))
    yield Fact(name="required analyses", value=_listed(contract.required_analyses))
    yield Fact(name="produced analyses", value=_listed(contract.produced_analyses))
    yield Fact(name="preserved analyses", value=_listed(contract.preserved_analyses))
    yield Fact(name="mutation model", value=plain(contract.mutation))
    yield Fact(name="verification", value=plain(contract.verification).replace("_", " "))
    yield Fact(name="determinism", value="deterministic" if contract.deterministic else "not deterministic")
    yield Fact(name="seed policy", value="uses the session's seed" if contract.uses_session_seed else "uses no seed")


def _detail(place: Place, promise: Promise) -> Iterator[Fact]:
    """Digests, the commit gate, and the rest of the contract; what each rule says stands with the rules."""
    source, target = place.digests
    yield Fact(name="source digest", value=source or "none")
    yield Fact(name="target digest", value=target)
    yield Fact(name="commit gate", value=COMMIT_GATE)
    contract = promise.contract
    if contract is not None:
        yield Fact(name="pass revision", value=plain(contract.revision))
        yield Fact(name="provenance", value=_listed(contract.provenance))
        yield Fact(name="normal form", value=plain(contract.normal_form, 1000) or "none")
        yield Fact(name="invalidated analyses", value=_listed(contract.invalidated_analyses))
    files = [(rule.id, rule.source) for rule in _all(promise) if rule.source]
    if contract is not None:
        files += [(each.id, each.source) for each in contract.primitives]
    yield from (Fact(name=f"file of {plain(name)}", value=plain(digest)) for name, digest in files)


def _listed(words: Sequence[str]) -> str:
    return ", ".join(plain(each, 300) for each in words) or "none"
