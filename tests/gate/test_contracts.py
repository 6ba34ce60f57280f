"""Contracts: each refusal by one change of good facts, and a digest that covers all that a pass says and is held to."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from blueprint import rule as vocabulary
from blueprint.analyses import AnalysisKey
from blueprint.bundle import read_bundle
from blueprint.case import Workload
from blueprint.codec import digest, encode
from blueprint.contract import contract_of
from blueprint.derivation import derive
from blueprint.errors import ContractError
from blueprint.frontend.request import inference_request
from blueprint.ir.common import LineageKind, Phase, Role, Stage
from blueprint.ir.contract import PassContract
from blueprint.ir.request import TargetKind
from blueprint.outcome import Outcome
from blueprint.passes.bind_queue import BindReferenceQueueTargetPass
from blueprint.passes.bind_slot import BindReferenceSlotTargetPass
from blueprint.passes.distribute_inference import DistributeTransformerInferencePass
from blueprint.passes.distribute_training import DistributeTransformerTrainingPass
from blueprint.passes.emit_machine import EmitReferenceMachinePass
from blueprint.passes.plan_inference import PlanTransformerInferencePass
from blueprint.passes.plan_training import PlanTransformerTrainingPass
from blueprint.passes.protocol import Mutation, PassFacts, VerificationPolicy
from blueprint.pipeline import PassManager, check_links
from blueprint.rule import BoundaryRule, PassRule, PrimitiveRule
from blueprint.rulebook import Rulebook, load, shipped
from blueprint.verification import verify
from tests.gate.small import (
    BOOK,
    DISTRIBUTED,
    MODEL,
    PORTABLE,
    TINY,
    Instant,
    Looking,
    distributing,
    gate_of,
    looking,
    refused,
    rooted,
)
from tests.reseal import Draft, Plain


class Live(msgspec.Struct, frozen=True):
    values: tuple[str, ...]


LIVENESS, NEWER, NOTES = (AnalysisKey(*each, Live) for each in (("liveness", 1), ("liveness", 2), ("notes", 1)))

CROSS = DistributeTransformerInferencePass.facts
PLAN = PlanTransformerInferencePass.facts
WITHIN = Looking.facts

PASSES: Mapping[PassFacts, tuple[Workload, ...]] = {
    DistributeTransformerTrainingPass.facts: (Workload.TRAINING,),
    PlanTransformerTrainingPass.facts: (Workload.TRAINING,),
    DistributeTransformerInferencePass.facts: (Workload.INFERENCE,),
    PlanTransformerInferencePass.facts: (Workload.INFERENCE,),
    BindReferenceQueueTargetPass.facts: tuple(Workload),
    BindReferenceSlotTargetPass.facts: tuple(Workload),
    EmitReferenceMachinePass.facts: tuple(Workload),
}
"""The facts of every pass, with the workloads that it derives."""


def changed(facts: PassFacts, **changes: Any) -> PassFacts:
    return dataclasses.replace(facts, **changes)


def made(facts: PassFacts, rulebook: Rulebook = BOOK) -> PassContract:
    return contract_of(facts, rulebook, Workload.INFERENCE)


# Refusals of one contract --------------------------------------------------------------------------------------------

PROMISE = "a cross-stage contract needs rules and a normal form"
COUNT = "versions and revisions count from 1, and a range does not run backwards"
TWICE = "an analysis is named twice"
KEPT = "an analysis that is kept is neither made anew nor invalidated"

COUNTS: tuple[dict[str, Any], ...] = (
    {"reads": (0, 1)},
    {"reads": (2, 1)},
    {"writes": 0},
    {"revision": 0},
    {"revision": -1},
)
NAMES: tuple[dict[str, Any], ...] = tuple(
    {field: keys}
    for field in ("requires", "produces", "keeps", "invalidates")
    for keys in ((LIVENESS, LIVENESS), (LIVENESS, NEWER))
)
KEEPS: tuple[dict[str, Any], ...] = tuple(
    {"keeps": (LIVENESS,), field: (LIVENESS,)} for field in ("produces", "invalidates")
)

REFUSED: list[tuple[PassFacts, dict[str, Any], str]] = [
    (WITHIN, {"policy": VerificationPolicy.RELATIONS_AND_NORMAL_FORM}, "a pass within a stage changes nothing"),
    (CROSS, {"policy": VerificationPolicy.UNCHANGED}, "what a pass makes of another stage cannot be unchanged"),
    (CROSS, {"normal_form": ""}, PROMISE),
    (CROSS, {"boundary": (MODEL, PORTABLE)}, PROMISE),
    (CROSS, {"boundary": (DISTRIBUTED, MODEL)}, PROMISE),
    (CROSS, {"deterministic": False}, "a canonical construction gives the same snapshot in every run"),
    *((facts, change, COUNT) for facts in (CROSS, WITHIN) for change in COUNTS),
    *((facts, change, TWICE) for facts in (CROSS, WITHIN) for change in NAMES),
    *((facts, change, KEPT) for facts in (CROSS, WITHIN) for change in KEEPS),
]


each_refused = pytest.mark.parametrize(
    ("facts", "change", "words"), REFUSED, ids=[f"{place}-{'-'.join(each[1])}" for place, each in enumerate(REFUSED)]
)


@each_refused
def test_a_promise_that_is_too_little_or_contradicts_itself_is_refused(
    facts: PassFacts, change: dict[str, Any], words: str
) -> None:
    assert made(facts).name == facts.name, "one change is all that is wrong"
    with pytest.raises(ContractError) as caught:
        made(changed(facts, **change))
    assert caught.value.message.startswith(f"{facts.name}: {words}")
    assert caught.value.code == "pass.contract"


@each_refused
def test_the_gate_and_the_manager_refuse_it_too(facts: PassFacts, change: dict[str, Any], words: str) -> None:
    gate = gate_of()
    model = rooted(gate)
    derivation_pass: Any = (looking if facts is WITHIN else distributing)(**change)
    if "boundary" not in change or change["boundary"][0] is MODEL:
        error = refused(gate, derivation_pass, model)
        assert error.origin == f"{facts.name}, step 1"
        assert words in error.message or change == {"reads": (2, 1)}, "which no input has"
    with pytest.raises(ContractError, match=words):
        PassManager(gate, (derivation_pass,))
    assert derivation_pass.runs == 0


def test_a_rulebook_without_rules_of_the_boundary_makes_no_contract() -> None:
    others = tuple(rule for rule in BOOK.rules if not (isinstance(rule, PassRule) and rule.boundary == CROSS.boundary))
    with pytest.raises(ContractError, match=PROMISE):
        made(CROSS, dataclasses.replace(BOOK, rules=others))
    made(PLAN, dataclasses.replace(BOOK, rules=others))


def test_a_pass_within_a_stage_has_no_rules_whatever_a_rulebook_says_of_its_boundary() -> None:
    own = (PLAN.boundary[0], PLAN.boundary[0])
    added = [
        dataclasses.replace(rule, boundary=own)
        if isinstance(rule, PassRule)
        else dataclasses.replace(rule, boundaries=(own,))
        for rule in BOOK.rules
        if not isinstance(rule, PrimitiveRule)
    ]
    found = made(changed(WITHIN, boundary=own), dataclasses.replace(BOOK, rules=(*BOOK.rules, *added)))
    assert (found.rules, found.boundary_rules, found.primitives) == ((), (), ())


def test_the_signature_of_a_rule_tells_its_source_and_its_targets() -> None:
    sources = (
        vocabulary.OperationSource(("gelu",)),
        vocabulary.OperationSource(("gelu", "softmax")),
        vocabulary.ValueSource((Role.INPUT,), None),
        vocabulary.ValueSource((Role.PARAMETER,), None),
        vocabulary.AllParameters(),
        vocabulary.EachTask(),
        vocabulary.EachValue(),
        vocabulary.Each(vocabulary.Entity.BUFFER),
        vocabulary.Each(vocabulary.Entity.QUEUE),
        vocabulary.AttentionCore(),
        vocabulary.Whole(),
    )
    read = vocabulary.used(vocabulary.Slot.FIRST)
    targets = (
        vocabulary.TensorTarget(vocabulary.Version.FORWARD, Role.INPUT, vocabulary.Layout.STREAM, vocabulary.always),
        vocabulary.TensorTarget(vocabulary.Version.MASK, Role.INPUT, vocabulary.Layout.STREAM, vocabulary.always),
        *(vocabulary.compute(phase, "gelu", vocabulary.Elements(read), (), ()) for phase in Phase),
        vocabulary.CopiedTask(),
        vocabulary.CopiedBuffer(),
        vocabulary.Bound(vocabulary.Entity.QUEUE),
        vocabulary.Bound(vocabulary.Entity.ENTRY),
    )
    first = next(each for each in BOOK.rules if isinstance(each, PassRule) and each.boundary == CROSS.boundary)

    def signature(**changes: Any) -> str:
        book = dataclasses.replace(BOOK, rules=(dataclasses.replace(first, workload=None, **changes),))
        return made(CROSS, book).rules[0].signature

    for found in ([signature(signature=each) for each in sources], [signature(targets=(each,)) for each in targets]):
        assert len(set(found)) == len(found)
        assert not [each for each in found if "None" in each]
    assert signature(targets=targets[2:4]) != signature(targets=targets[2:3])


def test_what_is_promised_of_different_analyses_is_no_contradiction() -> None:
    facts = changed(CROSS, requires=(LIVENESS,), keeps=(LIVENESS,), produces=(NEWER,), invalidates=(NOTES,))
    contract = made(facts)
    assert contract.required_analyses == contract.preserved_analyses == ("liveness/1",)
    assert contract.produced_analyses == ("liveness/2",)
    assert contract.invalidated_analyses == ("notes/1",)


# Refusals of a chain -------------------------------------------------------------------------------------------------

LEAVING = changed(WITHIN, name="LeavingPass", produces=(LIVENESS,))
CHAIN = (LEAVING, changed(CROSS, requires=(LIVENESS,), keeps=(LIVENESS,)), changed(PLAN, requires=(LIVENESS,)))
"""The first leaves an analysis, the second reads it and keeps it, the third reads it."""

UNLINKED: list[tuple[int, dict[str, Any], str]] = [
    (2, {"boundary": (MODEL, DISTRIBUTED)}, f"{PLAN.name} does not take what {CROSS.name} gives"),
    (1, {"boundary": (DISTRIBUTED, PORTABLE)}, f"{CROSS.name} does not take what LeavingPass gives"),
    (0, {"boundary": (PORTABLE, PORTABLE)}, f"{CROSS.name} does not take what LeavingPass gives"),
    (2, {"reads": (2, 3)}, f"{PLAN.name} does not read version 1, which {CROSS.name} writes"),
    (1, {"writes": 2}, f"{PLAN.name} does not read version 2, which {CROSS.name} writes"),
    (0, {"writes": 2}, f"{CROSS.name} does not read version 2, which LeavingPass writes"),
    (0, {"produces": ()}, f"{CROSS.name} requires the analysis liveness/1, which no pass before it leaves"),
    (0, {"produces": (NEWER,)}, f"{CROSS.name} requires the analysis liveness/1, which no pass before it leaves"),
    (0, {"requires": (NOTES,)}, "LeavingPass requires the analysis notes/1, which no pass before it leaves"),
    (0, {"requires": (LIVENESS,)}, "LeavingPass requires the analysis liveness/1, which no pass before it leaves"),
    (1, {"keeps": ()}, f"{PLAN.name} requires the analysis liveness/1, which no pass before it leaves"),
    (1, {"keeps": (NEWER,)}, f"{PLAN.name} requires the analysis liveness/1, which no pass before it leaves"),
    (2, {"requires": (NEWER,)}, f"{PLAN.name} requires the analysis liveness/2, which no pass before it leaves"),
    (0, {"name": CROSS.name}, "two passes of one pipeline have the same name"),
    (2, {"name": "LeavingPass"}, "two passes of one pipeline have the same name"),
]


@pytest.mark.parametrize(("place", "change", "words"), UNLINKED)
def test_passes_that_do_not_fit_are_refused(place: int, change: dict[str, Any], words: str) -> None:
    check_links(CHAIN)
    chain = [changed(facts, **change) if at == place else facts for at, facts in enumerate(CHAIN)]
    with pytest.raises(ContractError) as caught:
        check_links(chain)
    assert caught.value.message == words


def test_only_what_is_made_of_another_stage_must_be_made_the_same_in_every_run() -> None:
    contract = made(changed(WITHIN, deterministic=False))
    assert (contract.name, contract.deterministic) == (WITHIN.name, False)
    with pytest.raises(ContractError, match="gives the same snapshot in every run"):
        made(changed(CROSS, deterministic=False))


def test_a_version_may_be_anywhere_in_the_range_that_is_read() -> None:
    for writes, reads in ((1, (1, 1)), (1, (1, 3)), (2, (1, 3)), (3, (1, 3))):
        check_links([changed(CROSS, writes=writes), changed(PLAN, reads=reads)])
    for writes, reads in ((1, (2, 3)), (4, (1, 3)), (2, (1, 1))):
        with pytest.raises(ContractError, match="does not read version"):
            check_links([changed(CROSS, writes=writes), changed(PLAN, reads=reads)])


def test_an_analysis_that_is_invalidated_on_the_way_is_missed() -> None:
    ending = changed(WITHIN, name="EndingPass", invalidates=(LIVENESS,))
    check_links([LEAVING, changed(ending, invalidates=(NOTES,)), CHAIN[1]])
    with pytest.raises(ContractError, match="which no pass before it leaves"):
        check_links([LEAVING, ending, CHAIN[1]])
    check_links([LEAVING, changed(ending, produces=(LIVENESS,)), CHAIN[1]])


def test_no_pass_and_one_pass_fit() -> None:
    check_links([])
    check_links([CROSS])


def test_what_is_kept_depends_on_whether_the_snapshot_is_another() -> None:
    known = {"liveness/1", "notes/1"}
    assert CROSS.kept(known) == set()
    assert changed(CROSS, keeps=(LIVENESS, NEWER)).kept(known) == {"liveness/1"}
    assert WITHIN.kept(known) == known
    assert changed(WITHIN, keeps=(LIVENESS,)).kept(known) == known
    assert changed(WITHIN, invalidates=(LIVENESS, NEWER)).kept(known) == {"notes/1"}


# The digest covers what a pass says ----------------------------------------------------------------------------------

OTHER: dict[str, tuple[object, ...]] = {
    "name": ("OtherPass",),
    "revision": (2,),
    "boundary": ((DISTRIBUTED, PORTABLE),),
    "provenance": ((), ("elsewhere",), CROSS.provenance[::-1], (*CROSS.provenance, "elsewhere")),
    "bindings": ((), CROSS.bindings[:-1], CROSS.bindings[::-1]),
    "normal_form": ("another", CROSS.normal_form + " "),
    "reads": ((1, 2), (2, 2)),
    "writes": (2,),
    "requires": ((LIVENESS,), (NEWER,), (LIVENESS, NOTES)),
    "produces": ((LIVENESS,), (NEWER,), (LIVENESS, NOTES)),
    "keeps": ((LIVENESS,), (NEWER,), (LIVENESS, NOTES)),
    "invalidates": ((LIVENESS,), (NEWER,), (LIVENESS, NOTES)),
    "mutation": (Mutation.TRANSACTIONAL,),
    "policy": (VerificationPolicy.UNCHANGED,),
    "deterministic": (False,),
    "uses_seed": (True,),
}
"""Other values of every field of a pass's facts."""


@pytest.fixture
def lenient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every promise makes a contract: what is refused is another matter than what the digest covers."""
    monkeypatch.setattr("blueprint.contract._require_promise", lambda _facts, _rules: None)


def contract_digest(contract: PassContract) -> str:
    """One digest for everything that a pass promises, its rules and their laws included."""
    return digest("contract", 1, contract)


def test_every_field_of_the_facts_has_other_values_here() -> None:
    fields = dataclasses.fields(PassFacts)
    assert set(OTHER) == {each.name for each in fields}
    assert all(value != getattr(CROSS, name) for name, values in OTHER.items() for value in values)


@pytest.mark.usefixtures("lenient")
def test_the_digest_tells_all_facts_apart() -> None:
    variants = [CROSS, *(changed(CROSS, **{name: value}) for name, values in OTHER.items() for value in values)]
    digests = [contract_digest(made(each)) for each in variants]
    assert len(set(digests)) == len(variants)
    assert [contract_digest(made(changed(each))) for each in variants] == digests, "equal facts have one digest"


def test_the_digest_tells_all_passes_and_workloads_apart() -> None:
    asked = [(facts, workload) for facts, workloads in PASSES.items() for workload in workloads]
    contracts = [contract_of(facts, BOOK, workload) for facts, workload in asked]
    assert len({contract_digest(each) for each in contracts}) == len({repr(each) for each in contracts}) >= len(PASSES)


def test_every_field_of_a_contract_says_something(lenient: None) -> None:  # noqa: ARG001  (it makes them)
    """No field of a contract is the same whatever a pass declares and whatever the rules are."""
    contracts = [made(changed(CROSS, **{name: value})) for name, values in OTHER.items() for value in values]
    contracts.append(made(CROSS, dataclasses.replace(BOOK, rules=())))
    for name in PassContract.__struct_fields__:
        assert len({repr(getattr(each, name)) for each in contracts}) > 1, name


# The digest covers what a pass is held to ----------------------------------------------------------------------------


def digests_of(rulebook: Rulebook) -> dict[tuple[str, Workload], str]:
    return {
        (facts.name, workload): contract_digest(contract_of(facts, rulebook, workload))
        for facts, workloads in PASSES.items()
        for workload in workloads
    }


GOOD = digests_of(BOOK)
FILES = tuple(f"{rule.id.replace('.', '/')}.py" for rule in BOOK.rules)


def held_to(rulebook: Rulebook, rule_id: str) -> set[tuple[str, Workload]]:
    """The passes whose claims and laws rest on a rule: those of its boundary and workload; all, for a primitive."""
    (rule,) = (each for each in rulebook.rules if each.id == rule_id)
    found = set()
    for facts, workloads in PASSES.items():
        for workload in workloads:
            match rule:
                case PrimitiveRule():
                    found.add((facts.name, workload))
                case PassRule() if rule.boundary == facts.boundary and rule.workload in {None, workload}:
                    found.add((facts.name, workload))
                case BoundaryRule() if facts.boundary in rule.boundaries and rule.workload in {None, workload}:
                    found.add((facts.name, workload))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("copied") / "rules"
    shutil.copytree(shipped("rules"), copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


@pytest.fixture
def rules(folder: Path) -> Iterator[Path]:
    """A copy of the rules, which is mended after every test."""
    before = {path: path.read_bytes() for path in folder.rglob("*.py")}
    yield folder
    for path, data in before.items():
        if path.read_bytes() != data:
            path.write_bytes(data)


def test_a_copy_of_the_rules_makes_the_same_contracts(rules: Path) -> None:
    assert digests_of(load(rules)) == GOOD


@pytest.mark.parametrize("name", FILES)
def test_the_digest_of_exactly_the_passes_that_a_rule_speaks_to_changes_with_its_file(rules: Path, name: str) -> None:
    path = rules / name
    path.write_bytes(path.read_bytes() + b"\n# Another file, and the same rule.\n")
    rulebook = load(rules)
    now = digests_of(rulebook)
    concerned = held_to(rulebook, name.removesuffix(".py").replace("/", "."))
    assert concerned
    assert {each for each, digest in now.items() if digest != GOOD[each]} == concerned


def test_a_file_that_holds_no_rule_changes_no_contract(rules: Path) -> None:
    """It changes the digest of the rulebook, and with that the session."""
    for path in (rules / "__init__.py", *rules.glob("*/__init__.py")):
        path.write_bytes(path.read_bytes() + b"\n# Another list, and the same rules.\n")
    rulebook = load(rules)
    assert rulebook.digest != BOOK.digest
    assert digests_of(rulebook) == GOOD


def retold(rule: PassRule | BoundaryRule) -> Iterator[PassRule | BoundaryRule]:
    """The rule with another thing said, for everything that it says."""
    if isinstance(rule, PassRule):
        yield dataclasses.replace(rule, rewrite=f"{rule.rewrite} too")
        yield from (dataclasses.replace(rule, lineage=each) for each in LineageKind if each is not rule.lineage)
    for name in ("preserves", "introduces", "forbids", "claims", "laws"):
        if name in {each.name for each in dataclasses.fields(rule)} and getattr(rule, name):
            yield dataclasses.replace(rule, **{name: getattr(rule, name)[:-1]})


def test_what_a_rule_says_is_in_the_contract_apart_from_its_file() -> None:
    """As if the file had the same digest: claims, laws and words are spelled out."""
    count = 0
    for place, rule in enumerate(BOOK.rules):
        if isinstance(rule, PrimitiveRule):
            continue
        for other in retold(rule):
            rules = (*BOOK.rules[:place], other, *BOOK.rules[place + 1 :])
            now = digests_of(dataclasses.replace(BOOK, rules=rules))
            assert {each for each, digest in now.items() if digest != GOOD[each]} == held_to(BOOK, rule.id)
            count += 1
    assert count > 200


def test_a_contract_names_every_rule_and_primitive_with_the_digest_of_its_file() -> None:
    for facts, workloads in PASSES.items():
        for workload in workloads:
            contract = contract_of(facts, BOOK, workload)
            assert contract.rules
            said: list[Any] = [*contract.rules, *contract.boundary_rules, *contract.primitives]
            assert [(each.id, each.source) for each in said] == [(each.id, BOOK.sources[each.id]) for each in said]
            assert {each.id for each in said} == {
                rule.id for rule in BOOK.rules if (facts.name, workload) in held_to(BOOK, rule.id)
            }


def test_a_contract_within_a_stage_is_held_to_no_rule() -> None:
    contract = made(WITHIN)
    assert (contract.rules, contract.boundary_rules, contract.primitives) == ((), (), ())
    assert made(WITHIN, dataclasses.replace(BOOK, rules=())) == contract


# What a bundle records ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bundle() -> Iterator[bytes]:
    """Both branches of inference with all their stages. The solver answers at once, here and where it is verified."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("derivation", "examine"):
            patch.setattr(f"blueprint.{module}.SolverPool", lambda _jobs: Instant())
        request = inference_request(TINY, batch=2, prompt=6, context=9, tensor=1, target=TargetKind.QUEUE, emit=True)
        yield derive(request)


def older_input(contract: Plain) -> None:
    contract["input_versions"][0] += 1


def newer_input(contract: Plain) -> None:
    contract["input_versions"][1] += 1


def newer_output(contract: Plain) -> None:
    contract["output_version"] += 1


def another_rule(contract: Plain) -> None:
    contract["rules"][-1]["source"] = "0" * 64


def another_boundary_rule(contract: Plain) -> None:
    contract["boundary_rules"][-1]["source"] = "0" * 64


def another_primitive(contract: Plain) -> None:
    contract["primitives"][-1]["source"] = "0" * 64


def one_primitive_less(contract: Plain) -> None:
    contract["primitives"].pop()


def the_contract_of_training(contract: Plain) -> None:
    """Of the pass that makes the same stage in another workload, or of the other target."""
    others = {each.boundary: each for each in (*list(PASSES)[:2], BindReferenceSlotTargetPass.facts)}
    stages = [contract[name].removeprefix("blueprint.") for name in ("input_schema", "output_schema")]
    facts = others.get((Stage(stages[0]), Stage(stages[1])), CROSS)
    contract.update(json.loads(encode(contract_of(facts, BOOK, PASSES[facts][0]))))


@pytest.mark.parametrize(
    "change",
    [
        older_input,
        newer_input,
        newer_output,
        another_rule,
        another_boundary_rule,
        another_primitive,
        one_primitive_less,
        the_contract_of_training,
    ],
)
def test_a_recorded_contract_is_compared_field_by_field_at_every_transition(
    bundle: bytes, change: Callable[[Plain], None]
) -> None:
    draft = Draft(bundle)
    transitions = draft.data["transitions"]
    for each in transitions:
        change(each["contract"])
    report = verify(draft.raw())
    assert report.verdict is Outcome.REFUTED
    found = [each.path for each in report.diagnostics if each.code == "contract"]
    assert found == [f"transitions[{place}].contract" for place in range(len(transitions))]
    assert {each.code for each in report.diagnostics} == {"contract"}, "and nothing else is wrong"
    assert len(transitions) == 8


def test_the_recorded_contracts_are_those_of_the_passes(bundle: bytes) -> None:
    assert verify(bundle).verdict is Outcome.VERIFIED
    passes = [CROSS, PLAN, BindReferenceQueueTargetPass.facts, EmitReferenceMachinePass.facts]
    recorded = [each.contract for each in read_bundle(bundle).transitions]
    assert recorded == [made(facts) for facts in passes] * 2
