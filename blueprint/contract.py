"""The contract of a pass: everything that it promises, with the rules that its output is held to.

A cross-stage contract without rules or without a normal form cannot be made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from blueprint.analyses import AnalysisKey
from blueprint.case import Workload
from blueprint.errors import ContractError
from blueprint.ir.contract import BoundaryContract, PassContract, PrimitiveContract, RuleContract
from blueprint.passes.protocol import PassFacts, VerificationPolicy
from blueprint.rule import (
    AllParameters,
    AttentionCore,
    Bound,
    Claim,
    CopiedBuffer,
    CopiedTask,
    Each,
    EachTask,
    EachValue,
    OperationSource,
    PassRule,
    Source,
    Target,
    TensorTarget,
    ValueSource,
    Whole,
)
from blueprint.rulebook import Rulebook


def contract_of(facts: PassFacts, rulebook: Rulebook, workload: Workload) -> PassContract:
    """The contract of a pass under a rulebook, for a workload.

    Raises ContractError where it would promise nothing, or things that contradict each other.
    """
    rules = () if facts.within_stage else rulebook.pass_rules(facts.boundary, workload)
    _require_promise(facts, rules)
    source, target = facts.boundary
    return PassContract(
        name=facts.name,
        revision=facts.revision,
        provenance=facts.provenance,
        input_schema=f"blueprint.{source.value}",
        input_versions=facts.reads,
        output_schema=f"blueprint.{target.value}",
        output_version=facts.writes,
        required_bindings=facts.bindings,
        required_analyses=_keys(facts.requires),
        produced_analyses=_keys(facts.produces),
        preserved_analyses=_keys(facts.keeps),
        invalidated_analyses=_keys(facts.invalidates),
        mutation=facts.mutation.value,
        verification=facts.policy.value,
        deterministic=facts.deterministic,
        uses_session_seed=facts.uses_seed,
        normal_form=facts.normal_form,
        rules=tuple(_rule(rule, rulebook) for rule in rules),
        boundary_rules=tuple(
            BoundaryContract(
                id=rule.id,
                source=rulebook.sources[rule.id],
                claims=_words(rule.claims),
                laws=tuple(law.id for law in rule.laws),
            )
            for rule in (() if facts.within_stage else rulebook.boundary_rules(facts.boundary, workload))
        ),
        primitives=tuple(
            PrimitiveContract(id=rule.id, source=rulebook.sources[rule.id])
            for rule in (() if facts.within_stage else rulebook.primitives.values())
        ),
    )


def _require_promise(facts: PassFacts, rules: Sequence[PassRule]) -> None:
    """Refuse a contract that would let something unverified pass, or that contradicts itself."""
    if facts.within_stage and facts.policy is not VerificationPolicy.UNCHANGED:
        raise ContractError(f"{facts.name}: a pass within a stage changes nothing, which its policy must say")
    if not facts.within_stage and not (rules and facts.normal_form):
        raise ContractError(f"{facts.name}: a cross-stage contract needs rules and a normal form")
    if not facts.within_stage and facts.policy is VerificationPolicy.UNCHANGED:
        raise ContractError(f"{facts.name}: what a pass makes of another stage cannot be unchanged")
    if not facts.within_stage and not facts.deterministic:
        raise ContractError(f"{facts.name}: a canonical construction gives the same snapshot in every run")
    if not 1 <= facts.reads[0] <= facts.reads[1] or facts.writes < 1 or facts.revision < 1:
        raise ContractError(f"{facts.name}: versions and revisions count from 1, and a range does not run backwards")
    kinds = (facts.requires, facts.produces, facts.keeps, facts.invalidates)
    if any(len({key.name for key in keys}) != len(keys) for keys in kinds):
        raise ContractError(f"{facts.name}: an analysis is named twice")
    kept = set(_keys(facts.keeps))
    if kept & {*_keys(facts.produces), *_keys(facts.invalidates)}:
        raise ContractError(f"{facts.name}: an analysis that is kept is neither made anew nor invalidated")


def _keys(keys: Sequence[AnalysisKey[Any]]) -> tuple[str, ...]:
    return tuple(key.text for key in keys)


def _rule(rule: PassRule, rulebook: Rulebook) -> RuleContract:
    return RuleContract(
        id=rule.id,
        source=rulebook.sources[rule.id],
        lineage=rule.lineage.value,
        signature=f"{_source(rule.signature)} -> {', '.join(dict.fromkeys(_target(each) for each in rule.targets))}",
        rewrite=rule.rewrite,
        preserves=_words(rule.preserves),
        introduces=_words(rule.introduces),
        forbids=_words(rule.forbids),
        laws=tuple(law.id for law in rule.laws),
    )


def _words(claims: tuple[Claim, ...]) -> tuple[str, ...]:
    return tuple(claim.value for claim in claims)


def _source(source: Source) -> str:
    match source:
        case OperationSource(kinds):
            return f"Operation[{' | '.join(kinds)}]"
        case ValueSource(roles=roles):
            return f"Value[{' | '.join(role.value for role in roles)}]"
        case AllParameters():
            return "(Value[parameter], ...)"
        case EachTask():
            return "Task"
        case EachValue():
            return "DistributedValue"
        case Each(entity=entity):
            return entity.value.capitalize()
        case AttentionCore():
            return "(Task, ..., Buffer, ...)"
        case Whole():
            return "Plan"


def _target(target: Target) -> str:
    match target:
        case TensorTarget(version=version):
            return f"DistributedValue[{version.value}]"
        case CopiedTask():
            return "PlanTask"
        case CopiedBuffer():
            return "Buffer"
        case Bound(entity=entity):
            return entity.value.capitalize()
        case _:
            return f"Task[{target.phase.value}]"
