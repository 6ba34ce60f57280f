"""The contract of a pass: everything that it promises, with the rules that its output is held to.

A cross-stage contract without rules or without a normal form cannot be made.
"""

from __future__ import annotations

from blueprint.case import Workload
from blueprint.errors import RulebookError
from blueprint.ir.contract import BoundaryContract, PassContract, RuleContract
from blueprint.passes.protocol import PassFacts
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
    """The contract of a pass under a rulebook, for a workload. Raises RulebookError where it would promise nothing."""
    rules = rulebook.pass_rules(facts.boundary, workload)
    source, target = facts.boundary
    if source is not target and not (rules and facts.normal_form):
        raise RulebookError(f"{facts.name}: a cross-stage contract needs rules and a normal form")
    return PassContract(
        name=facts.name,
        revision=facts.revision,
        provenance=facts.provenance,
        input_schema=f"blueprint.{source.value}",
        output_schema=f"blueprint.{target.value}",
        required_bindings=facts.bindings,
        required_analyses=facts.requires,
        produced_analyses=facts.produces,
        preserved_analyses=facts.keeps,
        invalidated_analyses=facts.invalidates,
        mutation=facts.mutation.value,
        verification=facts.policy.value,
        deterministic=facts.deterministic,
        uses_session_seed=facts.uses_seed,
        normal_form=facts.normal_form,
        rules=tuple(_rule(rule) for rule in rules),
        boundary_rules=tuple(
            BoundaryContract(id=rule.id, claims=_words(rule.claims), laws=tuple(law.id for law in rule.laws))
            for rule in rulebook.boundary_rules(facts.boundary, workload)
        ),
    )


def _rule(rule: PassRule) -> RuleContract:
    return RuleContract(
        id=rule.id,
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
