"""Rules and laws, explained from the rulebook: nothing that a rule file says is written down a second time."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from blueprint.explanations.claims import CLAIMS
from blueprint.law import AnyLaw, BoundLaw, InductiveLaw, Law, MaximumLaw, MemoryLaw, ProjectionLaw, Requirement
from blueprint.report import laws as rendering
from blueprint.rule import (
    TRAFFIC,
    Bound,
    BoundaryRule,
    CopiedBuffer,
    CopiedTask,
    PassRule,
    PrimitiveRule,
    Rule,
    Target,
    TaskTarget,
    TensorTarget,
    When,
    always,
)
from blueprint.rulebook import PACKAGE, Rulebook

_Data = dict[str, Any]
"""A law, or one of its equations, as the law book's JSON has it."""

_WHY: Final[dict[type, str]] = {
    PrimitiveRule: "Every task of this primitive is checked with these formulae over its own operand sizes, and each"
    " formula is proved equal to what the derivation computes, for all sizes.",
    PassRule: "The rule says exactly which targets one application makes. A snapshot with one more, one less or another"
    " is refused, and every claim is decided for every application.",
    BoundaryRule: "What no single application shows: sums over all tasks, and facts about the snapshot as a whole.",
    Law: "Where the tasks of a plan do not add up to this, some number is wrong, however plausible each looks.",
    MemoryLaw: "A memory fact that differs from this lets a plan fit a device by mistake.",
    MaximumLaw: "Room for less than the largest lets a plan fit a device by mistake, and room for more wastes it.",
    ProjectionLaw: "It says what a plan makes of each task or value; every application of its rule is an instance.",
    BoundLaw: "No single plan shows it, so `blueprint verify` has no instance: `blueprint prove` asks for all values.",
    InductiveLaw: "What no plan of a few buffers or tasks shows is proved for any number, by base and step; each"
    " plan is asked for its own neighbours in order.",
    Requirement: "No theorem can promise it of all plans. Each plan is asked, where its request names all values.",
}

_EXAMPLE: Final[dict[type, str]] = {
    PrimitiveRule: "a task of this primitive with one operation more than its formula gives: claim.exact_work",
    PassRule: "one target left out (coverage.missing), one too many (coverage.unexpected), or one wrong field"
    " (claim.KIND)",
    BoundaryRule: "numbers that are right task by task, and one task too many: law.ID",
    Requirement: "a plan of which the left side is the greater at its own numbers",
}

_REMEDY: Final = (
    "The finding names the entity, both values and the formula. Mend the derivation that wrote the bundle; for a rule"
    " of your own, `blueprint prove {rule}` shows values at which it fails."
)

_LAW_REMEDY: Final[dict[type, str]] = {
    Law: "The finding shows both sides at the plan's numbers. If a claim about one of these tasks is refuted too, mend"
    " that first; if none is, a task is missing or one is too many.",
    MaximumLaw: "The finding shows both sides of the arm that is above the fact, or of the largest, which it misses.",
    MemoryLaw: "The finding shows both sides at the plan's numbers. See first whether claim.memory is refuted too.",
    ProjectionLaw: "The finding names the first application that differs, and so does its claim.",
    BoundLaw: "`blueprint prove {rule}` shows values at which it fails.",
    InductiveLaw: "The finding shows both numbers. See first which claim of the same buffer or command is refuted.",
    Requirement: "Choose a strategy that needs less of the left side, or allow more on the right.",
}


def law_names(rulebook: Rulebook) -> dict[str, str]:
    """Law id -> statement in one line, in the order of the rulebook."""
    named = {rule.law: rule.statement for rule in _primitives(rulebook) if rule.law}
    return {**named, TRAFFIC: CLAIMS["operand_traffic"].what, **{law.id: law.statement for _, law in rulebook.laws()}}


def rule_names(rulebook: Rulebook) -> dict[str, str]:
    """Rule id -> the first line of its file."""
    return {rule.id: _document(rule).partition("\n")[0] for rule in rulebook.rules}


def rule_page(rulebook: Rulebook, rule: Rule) -> Iterator[str]:
    """Everything that a rule says of itself."""
    yield f"{rule.id}: {_kind(rule)}"
    yield ""
    yield from _document(rule).splitlines()
    if isinstance(rule, PassRule):
        yield from ("", f"rewrite: {rule.rewrite}", "", "targets of one application:")
        yield from (f"  {_target(each)}" for each in rule.targets)
    if isinstance(rule, PrimitiveRule):
        yield from _primitive(rulebook, rule)
    else:
        yield from _claims(rule)
        for law in rule.laws:
            yield from ("", f"law {law.id}: {law.statement}")
    yield from _closing(_WHY[type(rule)], _EXAMPLE[type(rule)], _REMEDY.format(rule=rule.id))


def law_page(rulebook: Rulebook, law: str) -> Iterator[str]:
    """A law with its equations, its false variants and the rules that state it."""
    stated = next(((rule, each) for rule, each in rulebook.laws() if each.id == law), None)
    if stated is not None:
        return _stated_law(rulebook, *stated)
    return _traffic(rulebook) if law == TRAFFIC else _named_formula(rulebook, law)


def _stated_law(rulebook: Rulebook, rule: Rule, law: AnyLaw) -> Iterator[str]:
    data, kind = _law_data(rulebook, rule, law), type(law)
    yield from (f"{law.id}: a law of rule {rule.id}", "", data["statement"], f"source: {data['source']}")
    if data["over"]:
        yield f"over: {data['over']}"
    yield from map(_line, data["equations"])
    false = [] if (wrong := _wrong(law)) is None else list(_false_variants(_law_data(rulebook, rule, wrong)))
    if false:
        yield from ("", "false variants, which `blueprint prove` must refute:", *map(_line, false))
    example = f'numbers that follow the false variant "{false[0]["form"]}"' if false else _EXAMPLE[kind]
    yield from _closing(_WHY[kind], example, _LAW_REMEDY[kind].format(rule=rule.id))


def _false_variants(data: _Data) -> Iterator[_Data]:
    """Each false variant once, in a case with more than one rank if there is one, as it is proved."""
    forms: dict[str, list[_Data]] = {}
    for each in data["equations"]:
        forms.setdefault(each["form"], []).append(each)
    for lines in forms.values():
        yield next((each for each in lines if "t=1" not in each["if"]), lines[0])


def _traffic(rulebook: Rulebook) -> Iterator[str]:
    claim = CLAIMS["operand_traffic"]
    yield f"{TRAFFIC}: the law behind every claim operand_traffic"
    yield from ("", claim.what)
    carriers = [rule.id for rule in _primitives(rulebook) if _counts_tensors(rule)]
    yield f"proved for: {', '.join(carriers)}"
    yield from _closing(claim.why, claim.example, claim.remedy)


def _named_formula(rulebook: Rulebook, law: str) -> Iterator[str]:
    rules = [rule for rule in _primitives(rulebook) if rule.law == law]
    yield f"{law}: {rules[0].statement}"
    for rule in rules:
        yield from ("", f"rule {rule.id}")
        yield from _primitive(rulebook, rule)
    yield from _closing(_WHY[PrimitiveRule], _EXAMPLE[PrimitiveRule], _REMEDY.format(rule=rules[0].id))


def _primitive(rulebook: Rulebook, rule: PrimitiveRule) -> Iterator[str]:
    (data,) = _data(rulebook, rule)
    yield f"source: {data['source']}"
    if rule.definition:
        yield f"by definition: {rule.definition}"
    yield from map(_line, data["equations"])


def _claims(rule: PassRule | BoundaryRule) -> Iterator[str]:
    if not rule.claims:
        return
    yield from ("", "claims:")
    width = max(len(claim.value) for claim in rule.claims)
    for claim in rule.claims:
        yield f"  {claim.value.ljust(width)}  {CLAIMS[claim.value].what}"


def _target(target: Target) -> str:
    match target:
        case TensorTarget(version=version, role=role, when=when):
            return f"value SOURCE.{version.value}, role {role.value}{_when(when)}"
        case TaskTarget(suffix=suffix, phase=phase, primitive=primitive, when=when):
            return f"task SOURCE.{suffix}, {primitive} in the phase {phase.value}{_when(when)}"
        case CopiedTask():
            return "one portable task"
        case CopiedBuffer():
            return "one buffer"
        case Bound(entity=entity):
            return f"{entity.value} by {entity.value}, as many as the plan asks for"


def _when(when: When) -> str:
    """The condition in its own words; conditions that are put together have none."""
    if when is always:
        return ""
    words = (when.__doc__ or "").partition("\n")[0].rstrip(".")
    return f": {words[0].lower()}{words[1:]}" if words else ": in some strategies"


def _closing(why: str, example: str, remedy: str) -> Iterator[str]:
    yield from ("", f"why: {why}", f"an example that fails: {example}", f"what to do: {remedy}")


def _line(equation: _Data) -> str:
    where = f" with {equation['where']}" if equation["where"] else ""
    when = f"  if {equation['if']}" if equation["if"] else ""
    return f"  {equation['form']}{where}: {equation['text']}{when}"


def _wrong(law: AnyLaw) -> AnyLaw | None:
    """The law with its false variants in the place of what is true; None for a law that has none."""
    match law:
        case Requirement():
            return None
        case BoundLaw():
            return dataclasses.replace(law, bounds=law.wrong)
        case ProjectionLaw():
            return dataclasses.replace(law, outputs=law.wrong)
        case Law():
            return dataclasses.replace(law, equations=law.wrong)
        case MemoryLaw():
            return dataclasses.replace(law, equations=law.wrong)
        case MaximumLaw():
            return dataclasses.replace(law, forms=law.wrong)


def _law_data(rulebook: Rulebook, rule: Rule, law: AnyLaw) -> _Data:
    """One law as the law book writes it."""
    alone = BoundaryRule(id=rule.id, boundaries=(), claims=(), laws=(law,))
    if not isinstance(rule, PrimitiveRule):
        alone = dataclasses.replace(alone, workload=rule.workload, stage=rule.stage)
    (data,) = _data(rulebook, alone)
    return data


def _data(rulebook: Rulebook, rule: Rule) -> list[_Data]:
    alone = dataclasses.replace(rulebook, rules=(rule,))
    laws: list[_Data] = msgspec.json.decode(rendering.json(alone))["laws"]
    return laws


def _kind(rule: Rule) -> str:
    match rule:
        case PrimitiveRule():
            return "what one primitive does on one rank"
        case PassRule(boundary=(source, target)):
            return f"a rewrite from {source.value} to {target.value}"
        case BoundaryRule(boundaries=boundaries):
            pairs = (f"{source.value} to {target.value}" for source, target in boundaries)
            return f"what holds from {' and from '.join(pairs)} as a whole"


def _document(rule: Rule) -> str:
    """The docstring of the rule's own file."""
    return sys.modules[f"{PACKAGE}.{rule.id}"].__doc__ or "no words"


def _primitives(rulebook: Rulebook) -> Iterable[PrimitiveRule]:
    return (rule for rule in rulebook.rules if isinstance(rule, PrimitiveRule))


def _counts_tensors(rule: PrimitiveRule) -> bool:
    return any(formula.reads is not None for formula in rule.formulas.values())
