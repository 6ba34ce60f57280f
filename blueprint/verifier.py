"""Settle transitions: discharge what each asks, and write down claim by claim what was established.

Equal questions are one obligation, and its row says how many claims it decides. A claim is established only by
PROVED; a transition is relation-verified only if it has relations and claims, its coverage is exact, and every claim
and every law that applies is established.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from blueprint.discharge import Evidence, SolverPool, discharge
from blueprint.ir.common import Branch
from blueprint.outcome import (
    ClaimRow,
    Counterexample,
    CoverageRow,
    Finding,
    LawRow,
    ObligationRow,
    RelationRow,
    Status,
    TheoremStatus,
    TransitionReport,
)
from blueprint.plan import ClaimCheck, LawCheck, RelationCheck, TransitionPlan
from blueprint.rulebook import Rulebook
from blueprint.settings import DEFAULT_BUDGET
from blueprint.theorems import Theorems
from blueprint.verdict import Obligation, Verdict
from blueprint.wording import claim_finding, entity_names, failed_facts, law_finding
from blueprint.words import plain

_STATUS = {
    Verdict.PROVED: Status.PROVED,
    Verdict.REFUTED: Status.REFUTED,
    Verdict.UNKNOWN: Status.UNKNOWN,
    Verdict.VACUOUS: Status.VACUOUS,
}

_WORST = (Status.REFUTED, Status.UNKNOWN, Status.VACUOUS, Status.NOT_RUN, Status.PROVED)
"""From worst to best: a law is no better than its worst instance."""


@dataclass(frozen=True)
class Step:
    """One transition to settle. `conformant` is None where replay was switched off."""

    plan: TransitionPlan
    branch: Branch
    derivation_pass: str
    conformant: bool | None


@dataclass(frozen=True)
class Settled:
    """What became of a derivation's transitions."""

    transitions: tuple[TransitionReport, ...]
    obligations: tuple[ObligationRow, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, eq=False)
class TransitionVerifier:
    """Discharges the obligations of transitions with one pool of solver workers.

    What is `known` was decided with this budget and these deciders, which therefore never change.
    """

    rulebook: Rulebook
    theorems: Theorems
    pool: SolverPool
    budget: int = DEFAULT_BUDGET
    cross_check: Callable[[str], Verdict] | None = None
    known: dict[bytes, Evidence] = field(default_factory=dict, init=False, repr=False)

    def settle(self, steps: Iterable[Step]) -> Settled:
        """Discharge everything that the steps ask, one after the other, and report it."""
        ledger = _Ledger()
        settlements = []
        for step in steps:
            settlements.append(self._settle(ledger, step))
            del step  # while the next is made: the plan of a large one takes as much room as the bundle
        findings = tuple(finding for _, found in settlements for finding in found)
        return Settled(tuple(report for report, _ in settlements), ledger.rows(), findings)

    def _settle(self, ledger: _Ledger, step: Step) -> tuple[TransitionReport, list[Finding]]:
        evidence = discharge(step.plan.obligations, self.pool, self.budget, self.cross_check, self.known)
        ledger.names |= entity_names(step.plan)
        settlement = _Settlement(step, evidence, ledger, self.theorems)
        return settlement.report(), settlement.findings


class _Ledger:
    """The distinct obligations of a run, in order of first use, and the names of its entities as far as it has come."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.positions: dict[str, int] = {}
        self.entries: list[tuple[Evidence, Mapping[str, int], str]] = []
        self.uses: Counter[int] = Counter()

    def position(self, evidence: Evidence, obligation: Obligation, statement: Callable[[], str]) -> int:
        """Where the obligation stands; it is worded by its first user."""
        position = self.positions.setdefault(evidence.digest, len(self.entries))
        if position == len(self.entries):
            self.entries.append((evidence, obligation.witness, statement()))
        self.uses[position] += 1
        return position

    def rows(self) -> tuple[ObligationRow, ...]:
        return tuple(
            ObligationRow(
                digest=evidence.digest,
                statement=statement,
                verdict=_STATUS[evidence.verdict],
                solver=f"{evidence.decider}: {evidence.said.value}",
                budget=str(evidence.budget),
                resource=str(evidence.resource),
                second=f"{evidence.second.decider}: {evidence.second.verdict.value}",
                cross=evidence.cross.value if evidence.cross else "",
                core=evidence.core,
                witness={name: str(value) for name, value in witness.items()},
                shared=str(self.uses[position]),
                reason=evidence.reason,
                counterexample=_counterexample(evidence),
            )
            for position, (evidence, witness, statement) in enumerate(self.entries)
        )


def _counterexample(evidence: Evidence) -> Counterexample | None:
    if evidence.verdict is not Verdict.REFUTED:
        return None
    return Counterexample(values={name: str(value) for name, value in evidence.counterexample.items()})


class _Settlement:
    """One transition with its evidence."""

    def __init__(self, step: Step, evidence: Sequence[Evidence], ledger: _Ledger, theorems: Theorems) -> None:
        self.step = step
        self.plan = step.plan
        self.evidence = evidence
        self.ledger = ledger
        self.theorems = theorems
        self.findings: list[Finding] = [
            Finding(code=each.code, message=each.message, path=self.place(each.path)) for each in self.plan.diagnostics
        ]

    def place(self, name: str) -> str:
        """Where a finding lies: branch, stage and entity."""
        parts = (self.step.branch.value, self.plan.boundary[1], plain(name))
        return "/".join(part for part in parts if part)

    def report(self) -> TransitionReport:
        relations = tuple(self.relation(check) for check in self.plan.relations)
        laws = tuple(self.law(check) for check in self.plan.laws)
        source, target = self.plan.boundary
        return TransitionReport(
            source=source,
            target=target,
            branch=self.step.branch.value,
            derivation_pass=self.step.derivation_pass,
            structural_only=False,
            relation_verified=self.verified(relations, laws),
            canonical_conformant=self.step.conformant,
            coverage=self.coverage(),
            cardinality={
                kind: str(count) for kind, count in sorted(Counter(each.cardinality for each in relations).items())
            },
            relations=relations,
            laws=laws,
        )

    def verified(self, relations: Sequence[RelationRow], laws: Sequence[LawRow]) -> bool:
        """Relations exist, each with claims; all are established, every applicable law too, and coverage is exact."""
        if not relations or not self.plan.coverage.exact or self.findings:
            return False
        if any(not relation.claims for relation in relations):
            return False
        claims = [claim.status for relation in relations for claim in relation.claims]
        applicable = [law.status for law in laws if law.status is not Status.NOT_APPLICABLE]
        return all(status is Status.PROVED for status in (*claims, *applicable))

    def coverage(self) -> CoverageRow:
        found = self.plan.coverage
        counts = {name: str(getattr(found, name)) for name in CoverageRow.__struct_fields__ if name != "exact"}
        return CoverageRow(**counts, exact=found.exact)

    def relation(self, check: RelationCheck) -> RelationRow:
        return RelationRow(
            id=check.id,
            transform=check.rule,
            sources=check.sources,
            targets=check.targets,
            names=check.names,
            cardinality=check.cardinality,
            claims=tuple(self.claim(check, each) for each in check.claims),
        )

    def claim(self, relation: RelationCheck, check: ClaimCheck) -> ClaimRow:
        evidence, obligation = self.evidence[check.obligation], self.plan.obligations[check.obligation]
        refuted = evidence.verdict is Verdict.REFUTED
        failed = tuple(failed_facts(check, obligation.witness, self.ledger.names)) if refuted else ()
        position = self.ledger.position(
            evidence,
            obligation,
            lambda: f"{check.claim.value} of {relation.rule}: {', '.join(map(plain, relation.names[:4]))}",
        )
        status = _STATUS[evidence.verdict]
        if status is not Status.PROVED:
            self.findings.append(claim_finding(relation, check, status, evidence, failed, self.place))
        return ClaimRow(kind=check.claim.value, status=status, obligation=position, failed=failed)

    def law(self, check: LawCheck) -> LawRow:
        theorem, digests = self.theorem(check)
        positions = tuple(self.law_position(check, each) for each in check.obligations)
        status = self.law_status(check)
        if status not in {Status.PROVED, Status.NOT_APPLICABLE}:
            index = next((each for each in check.obligations if self.status(each) is status), None)
            decided = None if index is None else (self.evidence[index], self.plan.obligations[index])
            found = law_finding(check, status, decided, self.place(check.group))
            self.findings.append(self.named(found, index))
        return LawRow(
            id=check.id,
            form=check.form,
            rule=check.rule,
            statement=check.statement,
            group=check.group,
            members=str(check.members),
            expected_members=str(check.expected_members),
            status=status,
            obligations=tuple(dict.fromkeys(positions)),
            theorem=theorem,
            theorem_digests=digests,
        )

    def named(self, finding: Finding, index: int | None) -> Finding:
        """A law's finding with the relation whose claim asks the same; without one it stands for its whole group."""
        for each in self.plan.relations:
            for check in each.claims:
                if check.obligation == index:
                    failed = failed_facts(check, self.plan.obligations[index].witness, self.ledger.names)
                    field = next((fact.field for fact in failed), "")
                    # Of several that begin so the longest, which is the greatest.
                    name = max((name for name in each.names if field.startswith(plain(name))), default=each.names[0])
                    return msgspec.structs.replace(finding, path=self.place(name), relation=each.id)
        return finding

    def law_position(self, check: LawCheck, index: int) -> int:
        return self.ledger.position(
            self.evidence[index],
            self.plan.obligations[index],
            lambda: f"law {check.id} ({check.form}): {check.statement}",
        )

    def law_status(self, check: LawCheck) -> Status:
        if not check.applicable:
            return Status.NOT_APPLICABLE
        if check.vacuous or not check.obligations:
            return Status.VACUOUS
        found = {self.status(index) for index in check.obligations}
        return next(status for status in _WORST if status in found)

    def status(self, index: int) -> Status:
        """The verdict word of one obligation."""
        return _STATUS[self.evidence[index].verdict]

    def theorem(self, check: LawCheck) -> tuple[TheoremStatus, tuple[str, ...]]:
        """The theorems behind a law instance: recorded only if every one of them is."""
        if not check.applicable or not check.theorems:
            return TheoremStatus.NONE, ()
        digests: list[str] = []
        case = self.plan.case.stage_text if check.stage else self.plan.case.text
        for rule, law, form in check.theorems:
            status, found = self.theorems.lookup(rule, law, form, case)
            if status is not TheoremStatus.RECORDED:
                return TheoremStatus.ABSENT, ()
            digests.extend(found)
        return TheoremStatus.RECORDED, tuple(dict.fromkeys(digests))
