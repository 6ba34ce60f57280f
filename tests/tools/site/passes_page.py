"""The page of the passes: what each promises, the rules that it is held to, their laws, and what really runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import msgspec

from blueprint.case import Workload, workload_of
from blueprint.contract import contract_of
from blueprint.explanations.book import rule_names
from blueprint.explanations.claims import CLAIMS
from blueprint.frontend.models import builtin
from blueprint.frontend.request import inference_request, training_request
from blueprint.ir.common import Stage
from blueprint.ir.contract import BoundaryContract, PassContract, RuleContract
from blueprint.ir.request import TargetKind
from blueprint.law import AnyLaw
from blueprint.passes.protocol import DerivationPass, PassFacts
from blueprint.pipeline import passes_for
from blueprint.rule import BoundaryRule, PassRule, PrimitiveRule, TaskTarget
from blueprint.rulebook import Rulebook
from tests.tools.site.equations import Book, law_section, primitive_section, totals
from tests.tools.site.markup import NOTE, counted, escaped, heading, table

Pass = type[DerivationPass[Any, Any]]

INTRODUCTION: Final = f"""{NOTE}
# Passes

Each pass proposes the snapshot of the next stage. The [commit gate](api/passes.md) runs it, holds what it made to the
rules of its boundary, and commits it only if every claim and every law is established. Nothing here says how long
anything takes: work, bytes and capacities follow from the model and the strategy alone.
"""


@dataclass(frozen=True)
class Promise:
    """A pass with its contract in each of its workloads, and the rules that the contracts name."""

    derivation_pass: Pass
    contracts: dict[Workload, PassContract]
    rules: tuple[PassRule | BoundaryRule, ...]

    @property
    def facts(self) -> PassFacts:
        """What the pass declares of itself."""
        return self.derivation_pass.facts

    @property
    def path(self) -> str:
        """Where its documentation is found."""
        return f"{self.derivation_pass.__module__}.{self.facts.name}"

    @property
    def laws(self) -> list[tuple[PassRule | BoundaryRule, AnyLaw]]:
        """Every law with its rule."""
        return [(rule, law) for rule in self.rules for law in rule.laws]

    @property
    def replayed(self) -> bool:
        """Whether a second run must give the same bytes."""
        return all(contract.deterministic for contract in self.contracts.values())

    @property
    def links(self) -> dict[str, str]:
        """Where the words of the contract are explained."""
        claims = {kind: f"codes.md#claim-{kind}" for kind in CLAIMS}
        laws = {law.id: f"#{self.facts.name}-{law.id}" for _, law in self.laws}
        primitives = {
            each.id: f"laws.md#{each.id}" for contract in self.contracts.values() for each in contract.primitives
        }
        return claims | laws | primitives


def passes_page(book: Book) -> str:
    """The whole page."""
    made = promises(book.rulebook)
    overview = table(("pass", "boundary", "provenance", "commit evidence"), map(_summary, made))
    return f"{INTRODUCTION}{overview}{''.join(_section(book, each) for each in made)}"


def _summary(made: Promise) -> tuple[str, str, str, str]:
    """One line for a pass; how much runs before its commit is counted."""
    name, replay = made.facts.name, ["deterministic replay"] if made.replayed else []
    evidence = ["structural verifier", counted(len(made.rules), "rule"), counted(len(made.laws), "law"), *replay]
    boundary = " to ".join(stage.value for stage in made.facts.boundary)
    return f"[`{name}`][{made.path}]", boundary, "; ".join(map(escaped, made.facts.provenance)), ", ".join(evidence)


def promises(rulebook: Rulebook) -> list[Promise]:
    """Every pass that some request asks for, in the order of the stages."""
    model = builtin("gpt2")
    requests = [
        *(training_request(model, sequence=8, target=target, emit=True) for target in TargetKind),
        *(inference_request(model, batch=1, prompt=4, context=8, target=target, emit=True) for target in TargetKind),
    ]
    workloads: dict[Pass, dict[Workload, None]] = {}
    for request in requests:
        for each in passes_for(request):
            workloads.setdefault(type(each), {})[workload_of(request)] = None
    stages = list(Stage)
    ordered = sorted(workloads, key=lambda each: stages.index(each.facts.boundary[0]))
    return [_promise(rulebook, each, workloads[each]) for each in ordered]


def _promise(rulebook: Rulebook, derivation_pass: Pass, workloads: Iterable[Workload]) -> Promise:
    contracts = {workload: contract_of(derivation_pass.facts, rulebook, workload) for workload in workloads}
    named = {rule.id for contract in contracts.values() for rule in _stated(contract)}
    rules = (rule for rule in rulebook.rules if rule.id in named and not isinstance(rule, PrimitiveRule))
    return Promise(derivation_pass, contracts, tuple(rules))


def _stated(contract: PassContract) -> tuple[RuleContract | BoundaryContract, ...]:
    return (*contract.rules, *contract.boundary_rules)


def _section(book: Book, made: Promise) -> str:
    name = made.facts.name
    names = rule_names(book.rulebook)
    return "".join(
        [
            f"\n::: {made.path}\n    options:\n      show_root_full_path: false\n",
            heading(3, "Contract", f"{name}-contract"),
            _contract(made),
            heading(3, "Commit evidence", f"{name}-evidence"),
            _evidence(book, made),
            heading(3, "Laws", f"{name}-laws"),
            *(law_section(book, rule, law, 4, f"{name}-") for rule, law in made.laws),
            *_primitives(book, made),
            heading(3, "Rules", f"{name}-rules"),
            *(_rule(made, rule, names[rule.id]) for rule in made.rules),
        ]
    )


def _primitives(book: Book, made: Promise) -> Iterator[str]:
    """Those that the contract names, and the formulae of those of which the pass makes tasks."""
    name = made.facts.name
    (stated,) = {contract.primitives for contract in made.contracts.values()}
    yield heading(3, "Primitives", f"{name}-primitives")
    yield table(
        stated[0].__struct_fields__,
        [[_value(getattr(each, field), made.links) for field in each.__struct_fields__] for each in stated],
    )
    for rule in _of_tasks(book.rulebook, made.rules):
        yield primitive_section(book, rule, 4, f"{name}-")


def _of_tasks(rulebook: Rulebook, rules: Iterable[PassRule | BoundaryRule]) -> list[PrimitiveRule]:
    """The primitives of the tasks that these rules make."""
    targets = (target for rule in rules if isinstance(rule, PassRule) for target in rule.targets)
    made = {target.primitive for target in targets if isinstance(target, TaskTarget)}
    return [rule for primitive, rule in rulebook.primitives.items() if primitive in made]


def _contract(made: Promise) -> str:
    """Every field of the contract, whichever it has; the rules stand in a section of their own."""
    rows = _rows(list(made.contracts.values()), made.links)
    return table(("field", "value"), [*rows, ("workloads", ", ".join(each.value for each in made.contracts))])


def _rule(made: Promise, rule: PassRule | BoundaryRule, words: str) -> str:
    """One rule as the contract states it, and in which workload where it is not asked in all."""
    stated = {
        workload: each
        for workload, contract in made.contracts.items()
        for each in _stated(contract)
        if each.id == rule.id
    }
    rows = _rows(list(stated.values()), made.links)
    if len(stated) < len(made.contracts):
        rows.append(("workload", ", ".join(workload.value for workload in stated)))
    return f"{heading(4, rule.id, f'{made.facts.name}-{rule.id}')}\n{escaped(words)}\n{table(('field', 'value'), rows)}"


def _rows(stated: Sequence[msgspec.Struct], links: Mapping[str, str]) -> list[tuple[str, str]]:
    """The fields of structures of one kind, with every value of each; what holds structures stands apart."""
    rows = []
    for field in stated[0].__struct_fields__:
        values = [getattr(each, field) for each in stated]
        if not any(map(_holds_structures, values)):
            rows.append((field.replace("_", " "), " or ".join(dict.fromkeys(_value(value, links) for value in values))))
    return rows


def _holds_structures(value: object) -> bool:
    return isinstance(value, tuple) and any(isinstance(each, msgspec.Struct) for each in value)


def _value(value: object, links: Mapping[str, str]) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case tuple():
            return "; ".join(_value(each, links) for each in value) or "none"
        case str() if value in links:
            return f"[{escaped(value)}]({links[value]})"
        case _:
            return escaped(str(value))


def _evidence(book: Book, made: Promise) -> str:
    """What the gate runs before it commits what this pass made, and what is proved beforehand for all values."""
    relations = [rule for rule in made.rules if isinstance(rule, PassRule)]
    boundary = [rule for rule in made.rules if isinstance(rule, BoundaryRule)]
    proved: Counter[str] = Counter()
    for rule in made.rules:
        recorded = book.evidence(rule)
        if recorded:
            proved += totals(recorded, {law.id for law in rule.laws})
    theorems = ", ".join(f"{count} {verdict}" for verdict, count in sorted(proved.items())) or "none"
    rows = [
        ("structural verifier", f"`{_structural(made.facts.boundary[1])}`, of the new snapshot"),
        ("relation claims", f"{counted(len(relations), 'rule')}; of their relations: {_claims(relations, made.links)}"),
        ("claims about the snapshot", _claims(boundary, made.links)),
        ("laws", f"{len(made.laws)}, each over its group in this plan; obligations of their theorems: {theorems}"),
        ("deterministic replay", "a second run must give the same bytes" if made.replayed else "none"),
    ]
    return table(("what runs", "how much"), rows)


def _claims(rules: Iterable[PassRule | BoundaryRule], links: Mapping[str, str]) -> str:
    return _value(tuple(dict.fromkeys(claim.value for rule in rules for claim in rule.claims)), links)


def _structural(stage: Stage) -> str:
    """The check of a stage's own structure, which must exist."""
    module, name = f"blueprint.ir.{stage.value}_checks", f"check_{stage.value}"
    getattr(import_module(module), name)
    return f"{module}.{name}"
