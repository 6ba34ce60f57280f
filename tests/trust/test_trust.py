"""What design/overview.md "Trust" and design/gate.md "Obligations" promise and no other test would miss.

tests/trust/checklist.md lists every sentence with its code and its test.
"""

from __future__ import annotations

import ast
import hashlib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
import sympy
import z3

import blueprint
from blueprint import exact, smtlib, solver, theorems, theory
from blueprint.bundle import read_bundle
from blueprint.case import Workload, all_cases, case_of, workload_of
from blueprint.claims.distributed import OPTIMIZER_STATE
from blueprint.codec import encode
from blueprint.discharge import SolverPool
from blueprint.errors import BlueprintError, DecidersDisagreeError
from blueprint.facts import Question
from blueprint.frontend.request import deployment_of, inference_request, training_request
from blueprint.ir.common import Axis, Branch, DType, Phase, Primitive, Stage
from blueprint.ir.distributed import Collective, DistributedTaskIR, Effect, EffectKind, Operand
from blueprint.ir.model import ModelIR
from blueprint.ir.portable import Alternative, Implementation, PlanEffect, PortablePlanIR
from blueprint.ir.request import (
    Activation,
    Communication,
    Inference,
    ModelFacts,
    Recompute,
    Request,
    branches_of,
    point_of,
)
from blueprint.law import AnyLaw, BoundLaw, Equation, Group, Law, Maximum, MaximumLaw, MemoryLaw, Quantity, Requirement
from blueprint.outcome import ClaimRow, Outcome, Report, Status, TheoremStatus, TransitionReport
from blueprint.passes import (
    distribute_inference,
    distribute_training,
    distribution,
    plan_inference,
    plan_training,
    planning,
)
from blueprint.plan import ClaimCheck, Coverage, LawCheck, RelationCheck, TransitionPlan
from blueprint.rule import (
    TENSOR_CLAIMS,
    TRAFFIC_CLAIMS,
    Bound,
    BoundaryRule,
    Claim,
    CopiedBuffer,
    CopiedTask,
    Entity,
    ParameterExchange,
    Parameters,
    PassRule,
    PrimitiveRule,
    Rule,
    TaskTarget,
    TensorTarget,
)
from blueprint.session import open_rulebook, worker_count
from blueprint.symbols import W
from blueprint.term import Const, equal, evaluate
from blueprint.theorems import DERIVATION_SOURCES, RuleProofs, Theorems, evidence_path
from blueprint.transition import plan_distributed, plan_portable
from blueprint.verdict import Answer, Obligation, Verdict
from blueprint.verifier import Step, TransitionVerifier
from blueprint.worker import Batch
from blueprint.worker import Question as Asked
from blueprint.workload import (
    inference_block,
    inference_memory,
    operators,
    primitives,
    training_block,
)
from blueprint.workload import memory as training_memory
from blueprint.workload.plan import buffer_size, plan_work
from tests.reseal import Draft

ROOT = Path(__file__).parents[2]
PACKAGE, PROOFS = ROOT / "blueprint", ROOT / "proofs"
JOBS = 2
BOOK = open_rulebook(None)

MODEL = ModelFacts(
    name="small",
    hidden=12,
    feedforward=20,
    heads=4,
    key_value_heads=4,
    head_width=3,
    layers=2,
    vocabulary=7,
    positions=8,
    biases=True,
    activation=Activation.GELU,
)


def request_of(model: ModelFacts) -> Request:
    """Two ranks, sequence parallel, selective recompute: every kind of entity occurs."""
    return training_request(
        model,
        sequence=8,
        batch=3,
        tensor=2,
        data=4,
        recompute=Recompute.SELECTIVE,
        communication=Communication.SEQUENCE_PARALLEL,
    )


REQUEST = request_of(MODEL)


def step_of(model: ModelFacts) -> Request:
    """Two ranks of inference: the prompt has more tokens than the last step, and sees fewer."""
    return inference_request(model, batch=2, prompt=6, context=9, tensor=2)


STEPS = step_of(MODEL)
BOTH = pytest.mark.parametrize("request_", [REQUEST, STEPS], ids=["training", "inference"])
SUBJECTS = pytest.mark.parametrize(
    ("request_", "branch"),
    [
        pytest.param(request, branch, id=branch.value or "training")
        for request in (REQUEST, STEPS)
        for branch in branches_of(request.workload)
    ],
)

# Answers that Z3 has given once. They depend on question and budget alone, so nothing but the clock can tell.
_KNOWN: dict[tuple[bool, int, Asked], Answer] = {}
_SOLVE, _START = SolverPool.solve, SolverPool.start

Tamper = Callable[[Asked, Answer], Answer]


class Memory:
    """Z3's answers from memory, changed on the way by whoever wants to see what a wrong one does."""

    def __init__(self) -> None:
        self.tamper: Tamper = lambda _, answer: answer

    def solve(self, pool: SolverPool, batches: Iterable[Batch]) -> list[Answer]:
        asked = [(batch.ground, batch.budget, question) for batch in batches for question in batch.questions]
        new = [key for key in dict.fromkeys(asked) if key not in _KNOWN]
        if new:
            _START(pool)
            _KNOWN.update(zip(new, _SOLVE(pool, [Batch((q,), g, b) for g, b, q in new]), strict=True))
        return [self.tamper(key[2], _KNOWN[key]) for key in asked]


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Memory:
    found = Memory()
    monkeypatch.setattr(SolverPool, "start", lambda _: None)

    def solve(pool: SolverPool, batches: Iterable[Batch]) -> list[Answer]:
        return found.solve(pool, batches)

    monkeypatch.setattr(SolverPool, "solve", solve)
    return found


_BUNDLES: dict[Request, bytes] = {}


@pytest.fixture
def good(memory: Memory) -> bytes:  # noqa: ARG001  (it answers)
    return derived(REQUEST)


def derived(request: Request) -> bytes:
    if request not in _BUNDLES:
        _BUNDLES[request] = blueprint.derive(request, jobs=JOBS)
    return _BUNDLES[request]


def codes(report: Report) -> set[str]:
    return {finding.code for finding in report.diagnostics}


def run(*command: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *command], cwd=cwd, capture_output=True, text=True, check=False, timeout=120)


# Independent texts --------------------------------------------------------------------------------------------------

JUDGED = ("blueprint.workload", "blueprint.passes", "blueprint.frontend")
SPECIFYING = (
    "blueprint.rules",
    "blueprint.rule",
    "blueprint.law",
    "blueprint.obligation",
    "blueprint.claims",
    "blueprint.expected",
    "blueprint.facts",
)
LOAD_RULES = "from blueprint.rulebook import load, shipped; load(shipped('rules'))"
LOAD_CLAIMS = (
    "import blueprint.transition, blueprint.obligation, blueprint.claims.distributed, blueprint.claims.portable"
)
LOAD_DERIVATION = (
    "import blueprint.passes.distribute_training, blueprint.passes.plan_training, blueprint.workload.plan, "
    "blueprint.passes.distribute_inference, blueprint.passes.plan_inference, "
    "blueprint.frontend.block, blueprint.frontend.request, blueprint.frontend.config"
)


def reached(code: str, names: tuple[str, ...]) -> list[str]:
    """The modules of these names, or below them, that a fresh interpreter has loaded after `code`."""
    within = " or ".join(f"m == {name!r} or m.startswith({name + '.'!r})" for name in names)
    done = run("-P", "-c", f"{code}\nimport sys\nprint('\\n'.join(sorted(m for m in sys.modules if {within})))")
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(
    ("code", "names"),
    [
        (LOAD_RULES, (*JUDGED, "z3")),
        (LOAD_CLAIMS, (*JUDGED, "z3")),
        (LOAD_DERIVATION, SPECIFYING),
        ("import blueprint.normalform, blueprint.exact", ("z3", "sympy", "cvc5", "blueprint.smtlib")),
        ("import blueprint.solver", ("sympy", "cvc5", "blueprint.normalform", "blueprint.exact")),
    ],
    ids=["rules", "claims", "derivation", "second decider", "first decider"],
)
def test_a_text_does_not_reach_the_text_that_it_is_compared_with(code: str, names: tuple[str, ...]) -> None:
    assert reached(code, names) == []


def test_the_place_where_the_texts_meet_reaches_both() -> None:
    """The same probe sees what is there to see."""
    assert {"blueprint.workload.training_block", "blueprint.law"} <= set(
        reached("import blueprint.theory", (*JUDGED, *SPECIFYING))
    )


def test_the_import_contracts_name_the_texts() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    by_id = {contract["id"]: contract for contract in contracts}
    independent = by_id["independent-texts"]
    assert independent["type"] == "forbidden"
    assert set(independent["source_modules"]) >= {
        "rules",
        "blueprint.rule",
        "blueprint.law",
        "blueprint.obligation",
        "blueprint.claims",
    }
    assert set(independent["forbidden_modules"]) >= {*JUDGED, "z3"}
    assert not any(contract.get("ignore_imports") for contract in contracts)
    assert by_id["one-door"]["allowed_importers"] == ["blueprint.solver"]


def test_what_both_texts_use_is_pinned() -> None:
    """The case of a strategy and the widths of types are read by both sides, so neither would see them change."""
    assert {dtype.value: dtype.width for dtype in DType} == {"float32": 4, "float16": 2, "bfloat16": 2, "uint8": 1}
    for tensor, zero, biases in ((1, 0, True), (2, 0, False), (1, 1, False), (2, 2, True), (2, 3, True)):
        request = training_request(
            msgspec.structs.replace(MODEL, biases=biases), sequence=8, tensor=tensor, data=4, zero=zero
        )
        case = case_of(request)
        assert (case.tensor_parallel, case.zero, case.biases) == (tensor > 1, zero, biases)
        sharded = (case.sharded_optimizer, case.sharded_gradients, case.sharded_parameters)
        assert sharded == (zero >= 1, zero >= 2, zero >= 3)
        assert not case.sequence_parallel
    assert case_of(REQUEST).sequence_parallel
    # 3 of recompute, 2 of communication, t = 1 or more, 4 ZeRO stages, biases; of inference t and biases alone.
    assert len({case.text for case in all_cases()}) == len(all_cases()) == 96 + 4
    assert len(all_cases(Workload.INFERENCE)) == 4
    for tensor, biases in ((1, True), (2, False)):
        request = step_of(msgspec.structs.replace(MODEL, biases=biases))
        request = msgspec.structs.replace(request, strategy=msgspec.structs.replace(request.strategy, tensor=tensor))
        case = case_of(request)
        assert case in all_cases(Workload.INFERENCE)
        assert (case.inference, case.tensor_parallel, case.biases) == (True, tensor > 1, biases)
        assert not case.sequence_parallel
        assert (case.recompute, case.zero) == (Recompute.NONE, 0)


def test_the_points_of_the_branches_are_pinned() -> None:
    """Both texts read which step a branch stands for, so neither would see it change."""
    workload = Inference(batch=3, prompt=5, context=8, dtype=DType.FLOAT16)
    assert branches_of(workload) == (Branch.PREFILL, Branch.FINAL_DECODE)
    # (b, q, c): all of the prompt at once; one token that sees the context, which counts it.
    assert point_of(workload, Branch.PREFILL) == (3, 5, 5)
    assert point_of(workload, Branch.FINAL_DECODE) == (3, 1, 8)
    assert branches_of(REQUEST.workload) == (Branch.MAIN,)


def test_theorems_are_about_the_functions_that_the_passes_run() -> None:
    proved, planned = vars(theory), vars(planning)
    assert proved["training_block"] is vars(distribute_training)["training_block"] is training_block.training_block
    assert proved["inference_block"] is vars(distribute_inference)["inference_block"] is inference_block.inference_block
    assert proved["plan_work"] is planned["plan_work"] is plan_work
    assert proved["buffer_size"] is planned["buffer_size"] is buffer_size
    assert vars(inference_memory)["buffer_size"] is buffer_size
    assert proved["block_memory"] is vars(plan_training)["block_memory"] is training_memory.block_memory
    assert proved["inference_memory"] is vars(plan_inference)["inference_memory"] is inference_memory.inference_memory
    for module in (training_block, inference_block, operators):
        assert proved["primitives"] is vars(module)["primitives"] is primitives
    for name in ("linear", "matmul", "elementwise", "norm"):
        assert vars(training_block)[name] is vars(inference_block)[name] is vars(operators)[name]
    for module in (distribute_training, distribute_inference):
        assert vars(module)["Distribution"] is distribution.Distribution
    for module in (plan_training, plan_inference):
        assert vars(module)["Planning"] is planning.Planning


def test_dims_are_made_in_one_place() -> None:
    made = {
        (path.name, ast.unparse(node.func).rpartition(".")[2])
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in {"Dims", "InferenceDims"}
    }
    # Symbols are put into the dimensions of inference where theorems are stated: there is nothing to multiply up.
    assert made == {("dims.py", "Dims"), ("inference_dims.py", "InferenceDims"), ("theory.py", "InferenceDims")}


@pytest.mark.parametrize("rule", BOOK.primitives.values(), ids=lambda rule: rule.id)
def test_a_formula_is_a_theorem_in_every_phase_and_component(rule: PrimitiveRule) -> None:
    every = [each for each in theory.theorems_of(rule) if each.law == rule.primitive]
    stated = {each.form: each for each in every if not each.negative}
    assert set(stated) == {phase.value for phase in rule.formulas}
    for theorem in stated.values():
        (obligation,) = theorem.obligations
        assert not obligation.ground
        assert len(obligation.goal) == len(theory.COMPONENTS) == 4


def test_every_demanded_task_has_a_formula() -> None:
    for rule in BOOK.rules:
        for target in rule.targets if isinstance(rule, PassRule) else ():
            if isinstance(target, TaskTarget):
                phase = Phase.FORWARD if target.phase is Phase.RECOMPUTE else target.phase
                assert phase in BOOK.primitives[target.primitive].formulas, rule.id


def test_every_file_of_the_derivation_makes_a_recorded_theorem_stale() -> None:
    files = {f"workload/{path.name}" for path in (PACKAGE / "workload").glob("*.py")} - {"workload/__init__.py"}
    assert files <= set(DERIVATION_SOURCES)
    assert {"theory.py", "obligation.py", "symbols.py", "smtlib.py", "law.py", "case.py"} <= set(DERIVATION_SOURCES)


# What is claimed ----------------------------------------------------------------------------------------------------

_WANTED: Mapping[type, frozenset[Claim]] = {
    TaskTarget: frozenset(TRAFFIC_CLAIMS),
    TensorTarget: frozenset(TENSOR_CLAIMS),
    CopiedTask: frozenset({Claim.OPERATION_IDENTITY, Claim.EXACT_WORK, Claim.DATA_FLOW, Claim.LOGICAL_RANKS})
    | {Claim.COLLECTIVE_VOLUME, Claim.RESOURCES, Claim.DEPENDENCY_TOPOLOGY, Claim.IMPLEMENTATION, Claim.EFFECTS},
    CopiedBuffer: frozenset({Claim.ROLE, Claim.TENSOR_TYPE, Claim.DATA_FLOW, Claim.BUFFER_SIZE, Claim.STORAGE}),
}

_BOUND: Mapping[Entity, frozenset[Claim]] = {
    Entity.DEVICE: frozenset({Claim.LOGICAL_RANKS}),
    Entity.REGION: frozenset({Claim.REGION_CAPACITY, Claim.PLACEMENT}),
    Entity.BINDING: frozenset({Claim.BUFFER_SIZE, Claim.ALIGNMENT, Claim.BUFFER_BINDING}),
    Entity.COMMAND: frozenset({Claim.TASK_CATEGORY, Claim.EXACT_WORK, Claim.IMPLEMENTATION, Claim.BUFFER_USES})
    | {Claim.DEPENDENCY_TOPOLOGY, Claim.PLACEMENT, Claim.COLLECTIVE_VOLUME, Claim.ISSUE_ORDER, Claim.WAITS},
    Entity.QUEUE: frozenset({Claim.TASK_CATEGORY}),
    Entity.INSTRUCTION: frozenset({Claim.TASK_CATEGORY, Claim.IMPLEMENTATION, Claim.OPERANDS})
    | {Claim.COLLECTIVE_VOLUME, Claim.DEPENDENCY_TOPOLOGY, Claim.ISSUE_ORDER},
    Entity.SECTION: frozenset({Claim.ISSUE_ORDER}),
    Entity.ENTRY: frozenset({Claim.ENTRY}),
}


@pytest.mark.parametrize(
    "rule", [rule for rule in BOOK.rules if isinstance(rule, PassRule)], ids=lambda rule: str(rule.id)
)
def test_a_rule_leaves_no_claim_of_its_targets_out(rule: PassRule) -> None:
    for target in rule.targets:
        # The bytes of an optimizer are those of its state, which is no tensor of the snapshot; and shares of parameters
        # begin and end anywhere in one.
        counted = isinstance(target, TaskTarget) and isinstance(target.operands, Parameters | ParameterExchange)
        wanted = _BOUND[target.entity] if isinstance(target, Bound) else _WANTED[type(target)]
        assert wanted - ({Claim.OPERAND_TRAFFIC} if counted else set()) <= set(rule.claims)
        if isinstance(target, TaskTarget) and target.collective is not None:
            assert Claim.COLLECTIVE_VOLUME in rule.claims
        if isinstance(target, TaskTarget) and target.effects:
            assert Claim.EFFECTS in rule.claims


def test_every_rule_is_of_some_workload_that_is_executed() -> None:
    """The next test runs both workloads; together they run every rule."""
    executed = set()
    for workload in Workload:
        for boundary in itertools.pairwise(Stage):
            executed |= {rule.id for rule in BOOK.pass_rules(boundary, workload)}
            executed |= {rule.id for rule in BOOK.boundary_rules(boundary, workload)}
    assert executed == {rule.id for rule in BOOK.rules if not isinstance(rule, PrimitiveRule)}


@BOTH
def test_every_claim_and_law_of_the_rulebook_is_executed(
    request_: Request,
    memory: Memory,  # noqa: ARG001  (it answers)
) -> None:
    report = blueprint.verify(derived(request_), jobs=JOBS)
    assert report.ok
    assert [each.branch for each in report.transitions[1:]] == [
        branch.value for branch in branches_of(request_.workload) for _ in range(2)
    ]
    workload = workload_of(request_)
    claims = {rule.id: {claim.value for claim in rule.claims} for rule in BOOK.rules if isinstance(rule, PassRule)}
    for transition in report.transitions[1:]:
        boundary = (Stage(transition.source), Stage(transition.target))
        for relation in transition.relations:
            if relation.transform in claims:
                assert {claim.kind for claim in relation.claims} == claims[relation.transform]
        rules: list[PassRule | BoundaryRule] = [
            *BOOK.pass_rules(boundary, workload),
            *BOOK.boundary_rules(boundary, workload),
        ]
        stated = [law for rule in rules for law in rule.laws]
        # What holds between strategies or definitions has no instance in one plan: its theorems are all there is.
        shown = [law for law in stated if not isinstance(law, BoundLaw)]
        # Memory is a fact of plans.
        if transition.target != Stage.PORTABLE.value:
            shown = [law for law in shown if not isinstance(law, MemoryLaw | MaximumLaw | Requirement)]
        assert {law.id for law in transition.laws} >= {law.id for law in shown}
        forms = {(law.id, law.form) for law in transition.laws}
        with_forms = [law for law in shown if isinstance(law, Law | MemoryLaw)]
        assert forms >= {(law.id, each.form) for law in with_forms for each in law.equations}
        assert forms >= {(law.id, each.form) for law in shown if isinstance(law, MaximumLaw) for each in law.forms}
        for rule in rules:
            wholes = {claim.value for claim in rule.claims} if isinstance(rule, BoundaryRule) else set()
            relations = [each for each in transition.relations if each.transform == rule.id]
            if wholes:
                assert [{claim.kind for claim in relation.claims} for relation in relations] == [wholes]


def test_a_law_without_instances_is_proved_for_all_values() -> None:
    """What `verify` cannot show of one plan, `prove` shows of all; nothing else is without an instance."""
    for rule in BOOK.rules:
        for law in () if isinstance(rule, PrimitiveRule) else rule.laws:
            if isinstance(law, BoundLaw):
                stated = [each for each in theory.theorems_of(rule) if each.law == law.id and not each.negative]
                assert [each.form for each in stated] == [bound.form for bound in law.bounds]
                assert all(len(each.obligations) == 1 and not each.obligations[0].ground for each in stated)


FALSE_LAW = Law(
    id="false-law",
    statement="W = 1",
    source="nobody",
    group=Group(phases=(Phase.FORWARD,), members=lambda _: 21),
    equations=(Equation("only", Quantity.OPERATIONS, W, lambda _: 1),),
    wrong=(),
)


@SUBJECTS
def test_a_law_of_a_planning_rule_is_asked(request_: Request, branch: Branch, memory: Memory) -> None:  # noqa: ARG001
    book = _with(lambda rule: replace(rule, laws=(*rule.laws, FALSE_LAW)) if isinstance(rule, PassRule) else rule)
    plan = plan_portable(book, request_, branch, *_snapshots(derived(request_), branch))
    assert any(law.id == FALSE_LAW.id for law in plan.laws)


@SUBJECTS
def test_a_claim_of_a_boundary_rule_is_asked_or_refused(
    request_: Request,
    branch: Branch,
    memory: Memory,  # noqa: ARG001  (it answers)
) -> None:
    def lax(rule: Rule) -> Rule:
        return replace(rule, claims=(*rule.claims, Claim.EXACT_WORK)) if isinstance(rule, BoundaryRule) else rule

    asked: set[Claim] = set()
    try:
        plan = plan_portable(_with(lax), request_, branch, *_snapshots(derived(request_), branch))
    except (ValueError, BlueprintError):
        return
    for relation in plan.relations:
        asked |= {check.claim for check in relation.claims if relation.rule == f"{workload_of(request_).value}.total"}
    assert Claim.EXACT_WORK in asked


@SUBJECTS
def test_a_law_over_claims_states_its_member_count(
    request_: Request,
    branch: Branch,
    memory: Memory,  # noqa: ARG001  (it answers)
) -> None:
    model, distributed, _ = _snapshots(derived(request_), branch)
    fewer = msgspec.structs.replace(
        distributed, tasks=tuple(each for each in distributed.tasks if each.name != "scores.forward")
    )
    (law,) = (each for each in plan_distributed(BOOK, request_, branch, model, fewer).laws if each.id == "gemm")
    assert law.members == law.expected_members - 1


def _with(change: Callable[[Rule], Rule]) -> Any:
    return replace(BOOK, rules=tuple(change(rule) for rule in BOOK.rules))


def _snapshots(good: bytes, branch: Branch = Branch.MAIN) -> tuple[ModelIR, DistributedTaskIR, PortablePlanIR]:
    stages = [each for each in read_bundle(good).stages if each.branch in {Branch.MAIN, branch}]
    model, distributed, plan = (record.snapshot for record in stages)
    assert isinstance(model, ModelIR)
    assert isinstance(distributed, DistributedTaskIR)
    assert isinstance(plan, PortablePlanIR)
    return model, distributed, plan


# Hypotheses ---------------------------------------------------------------------------------------------------------

_FOREIGN = f"value:{'0' * 64}"


def _other(word: Any) -> Any:
    """Another word of the same vocabulary."""
    return f"other_{word}" if isinstance(word, str) else next(each for each in type(word) if each is not word)


def _exchanged(collective: Any) -> Any:
    if not isinstance(collective, Collective):
        return collective
    return Collective(
        kind=_other(collective.kind),
        axis=_other(collective.axis),
        participants=tuple(rank + 1 for rank in collective.participants),
        reduction=_other(collective.reduction),
        message_bytes=collective.message_bytes + 1,
    )


def _more(work: Any) -> Any:
    return type(work)(**{name: getattr(work, name) + 1 for name in work.__struct_fields__})


def _affected(effects: tuple[Effect, ...]) -> tuple[Effect, ...]:
    """Other effects on another value; one where there is none."""
    other = tuple(Effect(kind=_other(each.kind), value=_FOREIGN, size=each.size + 1) for each in effects)
    return other or (Effect(kind=EffectKind.KV_READ, value=_FOREIGN, size=1),)


def _affected_buffers(effects: tuple[PlanEffect, ...]) -> tuple[PlanEffect, ...]:
    other = tuple(PlanEffect(kind=_other(each.kind), buffer=_FOREIGN, size=each.size + 1) for each in effects)
    return other or (PlanEffect(kind=EffectKind.KV_READ, buffer=_FOREIGN, size=1),)


def _distorted(ir: DistributedTaskIR) -> DistributedTaskIR:
    """Every field that a claim speaks of says something else; names, ids, lineage and lengths stay."""
    change = msgspec.structs.replace
    values = tuple(
        change(
            value,
            source_value=_FOREIGN,
            role=_other(value.role),
            dtype=_other(value.dtype),
            axes=(Axis.KEY if value.axes[0] is not Axis.KEY else Axis.BATCH, *value.axes[1:]),
            shape=tuple(size + 1 for size in value.shape),
            split=tuple(map(_other, value.split)),
            local_shape=tuple(size + 1 for size in value.local_shape),
            partial=not value.partial,
            ranks=tuple(rank + 1 for rank in value.ranks),
        )
        for value in ir.values
    )
    tasks = tuple(
        change(
            task,
            kind=_other(task.kind),
            phase=_other(task.phase),
            primitive=_other(task.primitive),
            operands=tuple(Operand(name=each.name, size=each.size + 1) for each in task.operands),
            inputs=(_FOREIGN,) * len(task.inputs),
            outputs=(_FOREIGN,) * len(task.outputs),
            ranks=tuple(rank + 1 for rank in task.ranks),
            work=_more(task.work),
            effects=_affected(task.effects),
            collective=_exchanged(task.collective),
        )
        for task in ir.tasks
    )
    mesh = change(ir.mesh, tensor=7, pipeline=7, data=7, ranks=tuple(rank + 1 for rank in ir.mesh.ranks))
    return change(
        ir, mesh=mesh, values=values, tasks=tasks, inputs=(_FOREIGN,) * len(ir.inputs), outputs=ir.outputs[::-1]
    )


def _distorted_plan(ir: PortablePlanIR) -> PortablePlanIR:
    change = msgspec.structs.replace
    buffers = tuple(
        change(
            buffer,
            source_value=_FOREIGN,
            role=_other(buffer.role),
            dtype=_other(buffer.dtype),
            size=buffer.size + 1,
            alignment=buffer.alignment * 2,
            storage=_other(buffer.storage),
            consumers=(_FOREIGN,) * (len(buffer.consumers) + 1),
            producer=_FOREIGN if isinstance(buffer.producer, str) else msgspec.UNSET,
        )
        for buffer in ir.buffers
    )
    tasks = tuple(
        change(
            task,
            kind=_other(task.kind),
            phase=_other(task.phase),
            primitive=_other(task.primitive),
            inputs=(_FOREIGN,) * len(task.inputs),
            outputs=(_FOREIGN,) * len(task.outputs),
            dependencies=(_FOREIGN,) * (len(task.dependencies) + 1),
            ranks=tuple(rank + 1 for rank in task.ranks),
            work=_more(task.work),
            resources=_more(task.resources),
            implementation=Implementation(capability="other", alternatives=("other",)),
            group=_other(task.group),
            effects=_affected_buffers(task.effects),
            collective=_exchanged(task.collective),
        )
        for task in ir.tasks
    )
    return change(
        ir,
        buffers=buffers,
        tasks=tasks,
        memory=_more(ir.memory),
        alternatives=tuple(
            change(each, capability="other", workspace=each.workspace + 1)
            for each in ir.alternatives or (Alternative(name="other", capability="other", workspace=0),)
        ),
        inputs=ir.inputs[::-1],
        objectives=ir.objectives[::-1],
    )


def _plans(stage: Stage, request: Request, branch: Branch) -> tuple[TransitionPlan, TransitionPlan]:
    """What is asked of a good target, and of one that is distorted throughout."""
    model, distributed, plan = _snapshots(derived(request), branch)
    if stage is Stage.DISTRIBUTED:
        first, second = (
            plan_distributed(BOOK, request, branch, model, each) for each in (distributed, _distorted(distributed))
        )
    else:
        first, second = (
            plan_portable(BOOK, request, branch, model, distributed, each) for each in (plan, _distorted_plan(plan))
        )
    return first, second


@SUBJECTS
@pytest.mark.parametrize("stage", [Stage.DISTRIBUTED, Stage.PORTABLE])
def test_no_hypothesis_and_no_expected_term_comes_from_the_target(
    stage: Stage,
    request_: Request,
    branch: Branch,
    memory: Memory,  # noqa: ARG001  (it answers)
) -> None:
    honest, false = _plans(stage, request_, branch)
    assert len(honest.obligations) == len(false.obligations) > (100 if branch is Branch.MAIN else 80)
    assert [each.hypotheses for each in honest.obligations] == [each.hypotheses for each in false.obligations]
    assert [each.witness for each in honest.obligations] == [each.witness for each in false.obligations]
    for one, other in zip(honest.relations, false.relations, strict=True):
        assert [(check.claim, [(fact.label, fact.expected) for fact in check.facts]) for check in one.claims] == [
            (check.claim, [(fact.label, fact.expected) for fact in check.facts]) for check in other.claims
        ]


@SUBJECTS
@pytest.mark.parametrize("stage", [Stage.DISTRIBUTED, Stage.PORTABLE])
def test_every_claim_sees_the_distortion(
    stage: Stage,
    request_: Request,
    branch: Branch,
    memory: Memory,  # noqa: ARG001  (it answers)
) -> None:
    """So the test above compares targets that really differ in whatever a claim speaks of."""
    honest, false = _plans(stage, request_, branch)
    for relation in false.relations:
        for check in relation.claims:
            one, other = honest.obligations[check.obligation], false.obligations[check.obligation]
            if one.goal == other.goal:
                assert (check.claim, stage) == (Claim.COLLECTIVE_VOLUME, Stage.PORTABLE), relation.names
                continue
            assert exact.decide(one).verdict is Verdict.PROVED
            assert exact.decide(other).verdict is Verdict.REFUTED, (relation.names, check.claim)


def _applicable(law: AnyLaw, equation: Equation[Any] | Maximum, request: Request, branch: Branch) -> bool:
    """Whether a form speaks of a request, by the request and the step alone."""
    model, workload = request.model, request.workload
    values = {"H": model.hidden, "F": model.feedforward, "h": model.heads, "k": model.key_value_heads}
    values |= {"d": model.head_width, "e": workload.dtype.width}
    if isinstance(workload, Inference):
        values |= dict(zip("bqc", point_of(workload, branch), strict=True))
    pairs = [(symbol, sympy.sympify(value)) for symbol, value in equation.where]
    named = {symbol: values[symbol.name] for pair in pairs for side in pair for symbol in side.free_symbols}
    defined = all(symbol.subs(named) == value.subs(named) for symbol, value in pairs)
    return defined and (
        isinstance(law, MaximumLaw) or (isinstance(law, Law | MemoryLaw) and law.when(case_of(request)))
    )


NARROW = msgspec.structs.replace(MODEL, head_width=2)
WIDE = msgspec.structs.replace(MODEL, feedforward=48)
DEPLOYED = msgspec.structs.replace(REQUEST, deployment=deployment_of(REQUEST, None, 1 << 30))
STEPS_DEPLOYED = msgspec.structs.replace(step_of(NARROW), deployment=deployment_of(step_of(NARROW), None, 1 << 30))
WHOLE_PROMPT, LAST_TOKEN = ("prefill-is-forward", "general"), ("attention-core", "decode")
FORMS = {
    # name: (request, forms that do not apply to it in a branch, whether it names a device)
    "H = h d": (REQUEST, {"": {("block-forward", "F = 4H"), ("activation-memory", "e = 2, F = 4H")}}, False),
    "H != h d": (
        request_of(NARROW),
        {"": {("qkv-projection", "classical"), ("activation-memory", "classical")}},
        False,
    ),
    "F = 4H": (request_of(WIDE), {"": {("full-recompute", "F = 4H")}}, False),
    "a device": (DEPLOYED, {"": {("full-recompute", "general")}}, True),
    "inference": (STEPS, {"prefill": {LAST_TOKEN}, "final-decode": {WHOLE_PROMPT}}, False),
    "inference, H != h d, a device": (
        STEPS_DEPLOYED,
        {
            "prefill": {LAST_TOKEN, ("kv-cache", "classical"), ("kv-read", "classical")},
            "final-decode": {WHOLE_PROMPT, ("workspace", "classical"), ("attention-core", "classical")},
        },
        True,
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_form_is_not_applicable_by_the_bindings_alone(
    name: str,
    memory: Memory,  # noqa: ARG001  (it answers)
) -> None:
    """With h d != H the printed forms do not apply, the general ones do; capacity needs a device."""
    request, absent, device = FORMS[name]
    report = blueprint.verify(derived(request), jobs=JOBS)
    assert report.verdict is Outcome.VERIFIED
    rules = [(rule, law) for rule, law in BOOK.laws() if rule.workload in {None, workload_of(request)}]
    assert {branch.value for branch in branches_of(request.workload)} == set(absent)
    for branch in branches_of(request.workload):
        transitions = [each for each in report.transitions if each.branch == branch.value]
        found = {(law.id, law.form): law.status for each in transitions for law in each.laws}
        forms = {
            (law.id, each.form): _applicable(law, each, request, branch)
            for _, law in rules
            if isinstance(law, Law | MemoryLaw)
            for each in law.equations
        }
        forms |= {
            (law.id, each.form): _applicable(law, each, request, branch)
            for _, law in rules
            if isinstance(law, MaximumLaw)
            for each in law.forms
        }
        forms |= {
            (law.id, "this plan"): device
            for _, law in rules
            if isinstance(law, Requirement) and law.id != "bound-workspace"
        }
        # Rules of stages speak of what only a stage has; here a block is derived.
        forms |= {key: False for key in forms if key[0] in {law.id for rule, law in rules if rule.stage}}
        assert len(forms) > (40 if branch is Branch.MAIN else 25)
        assert absent[branch.value] <= {key for key, applies in forms.items() if not applies}
        for key, status in found.items():
            assert status is (Status.PROVED if forms.get(key, True) else Status.NOT_APPLICABLE), key
        assert found.keys() >= forms.keys()


# What is established ------------------------------------------------------------------------------------------------


class Saying(SolverPool):
    """Workers that say one thing."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(1)
        self.said = Answer(verdict, "stub", model={"v0": 3})

    def solve(self, batches: Iterable[Batch]) -> list[Answer]:
        return [self.said for batch in batches for _ in batch.questions]


EXACT = Coverage(
    source=1, source_total=1, target=1, target_total=1, generated=0, missing=0, dangling=0, undeclared=0, mismatched=0
)


def _asked(found: int) -> Question:
    question = Question()
    question.number("x", found, question.given("x", 3))
    return question


def _plan(found: int = 3, *, claims: bool = True, relations: bool = True, coverage: Coverage = EXACT) -> TransitionPlan:
    """One relation with one claim, true for 3."""
    plan = TransitionPlan(("model", "distributed"), coverage, case_of(REQUEST))
    question = _asked(found)
    position = plan.ask(question.obligation())
    checks = (ClaimCheck(Claim.ROLE, tuple(question.facts), position),) if claims else ()
    if relations:
        plan.relations.append(RelationCheck("relation:1", "r.r", ("s",), ("t",), ("name",), checks))
    return plan


def _with_law(obligations: tuple[Obligation, ...] = (), **changes: Any) -> TransitionPlan:
    plan = _plan()
    positions = tuple(plan.ask(each) for each in obligations)
    law = LawCheck("law", "r.r", "form", "x = 3", "group", 1, 1, positions, applicable=True, vacuous=False, theorems=())
    plan.laws.append(replace(law, **changes))
    return plan


def _settled(*plans: TransitionPlan, said: Verdict = Verdict.PROVED) -> list[Any]:
    verifier = TransitionVerifier(BOOK, Theorems((), {}), Saying(said))
    return list(verifier.settle([Step(plan, Branch.MAIN, "pass", conformant=True) for plan in plans]).transitions)


TRUE, FALSE = _asked(3).obligation(), _asked(4).obligation()
EMPTY = msgspec.structs.replace(TRUE, goal=())
CONTRADICTORY = msgspec.structs.replace(TRUE, hypotheses=(*TRUE.hypotheses, equal(Const(0), Const(1))))


def test_a_transition_with_all_of_it_is_established() -> None:
    for plan in (_plan(), _with_law((TRUE,)), _with_law(applicable=False)):
        (report,) = _settled(plan)
        assert report.relation_verified


@pytest.mark.parametrize(
    "plan",
    [
        _plan(relations=False),
        _plan(claims=False),
        *(_plan(coverage=replace(EXACT, **{name: 1})) for name in ("missing", "dangling", "undeclared", "mismatched")),
        _plan(coverage=replace(EXACT, source=0)),
        _plan(coverage=replace(EXACT, target=0)),
        _with_law(()),
        _with_law((TRUE,), vacuous=True),
        _with_law((EMPTY,)),
        _with_law((TRUE, CONTRADICTORY)),
        TransitionPlan(("model", "distributed"), EXACT, case_of(REQUEST)),
    ],
    ids=(
        "no relation, no claim, missing, dangling, undeclared, mismatched, source, target, law without instance,"
        " empty group, empty goal, contradictory hypotheses, nothing"
    ).split(","),
)
def test_anything_less_is_not(plan: TransitionPlan) -> None:
    (report,) = _settled(plan)
    assert not report.relation_verified


@pytest.mark.parametrize("said", [Verdict.UNKNOWN, Verdict.VACUOUS])
def test_only_proved_establishes(said: Verdict) -> None:
    (report,) = _settled(_plan(), said=said)
    assert not report.relation_verified
    assert {claim.status for relation in report.relations for claim in relation.claims} == {Status.UNKNOWN}


def test_evidence_counts_for_its_own_transition_alone() -> None:
    """Both transitions ask in their first place, one truly and one falsely."""

    def answers(pool: SolverPool, batches: Iterable[Batch]) -> list[Answer]:  # noqa: ARG001  (a method's place)
        return [
            Answer(Verdict.REFUTED if "4" in question.text else Verdict.PROVED, "stub", model={"v0": 3})
            for batch in batches
            for question in batch.questions
        ]

    pool = type("Answering", (SolverPool,), {"solve": answers})(1)
    verifier = TransitionVerifier(BOOK, Theorems((), {}), pool)
    true, false = (Step(_plan(found), Branch.MAIN, "pass", conformant=True) for found in (3, 4))
    for steps in ([true, false], [false, true], [true, false, true]):
        found = [report.relation_verified for report in verifier.settle(steps).transitions]
        assert found == [step is true for step in steps]


@pytest.mark.parametrize("said", [Verdict.UNKNOWN, Verdict.VACUOUS])
def test_one_answer_short_of_proved_and_a_bundle_is_not_verified(said: Verdict, memory: Memory, good: bytes) -> None:
    doubted = 0
    for text in sorted({question.text for _, _, question in _KNOWN})[::40]:
        memory.tamper = _doubt(said, text)
        report = blueprint.verify(good, jobs=JOBS)
        if any(row.solver.startswith("stub") for row in report.obligations):
            doubted += 1
            assert not report.ok
            assert int(report.summary.by_status["unknown"]) > 0
            assert int(report.summary.by_status["refuted"]) == 0
    assert doubted > 2
    memory.tamper = _doubt(said)
    report = blueprint.verify(good, jobs=JOBS)
    assert not report.ok
    assert int(report.summary.by_status["proved"]) == 0


def _doubt(said: Verdict, text: str = "") -> Tamper:
    """Replaces the answer to one question, or to all."""
    return lambda question, answer: Answer(said, "stub", "no idea") if text in {"", question.text} else answer


def test_an_undecided_claim_refutes_nothing(memory: Memory, good: bytes) -> None:
    """A killed worker or a small budget says nothing of the bundle: not verified, but not refuted either."""
    memory.tamper = _doubt(Verdict.UNKNOWN)
    report = blueprint.verify(good, jobs=JOBS)
    assert report.verdict is Outcome.NOT_ESTABLISHED
    assert codes(report) == {"claim.unknown", "law.unknown"}


def test_deciders_that_disagree_stop_derive_and_verify(
    memory: Memory, good: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.tamper = lambda _, answer: msgspec.structs.replace(answer, verdict=Verdict.REFUTED)
    with pytest.raises(DecidersDisagreeError):
        blueprint.verify(good, jobs=JOBS)
    with pytest.raises(DecidersDisagreeError):
        blueprint.derive(REQUEST, jobs=JOBS)
    memory.tamper = lambda _, answer: answer
    monkeypatch.setattr(exact, "decide", lambda _: Answer(Verdict.REFUTED, "broken"))
    with pytest.raises(DecidersDisagreeError):
        blueprint.verify(good, jobs=JOBS)


def test_no_claim_of_a_bundle_has_one_decider_alone(
    memory: Memory,  # noqa: ARG001  (it answers)
    good: bytes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    report = blueprint.verify(good, jobs=JOBS)
    assert {row.second for row in report.obligations} == {"exact: proved"}
    monkeypatch.setattr(exact, "decide", lambda _: Answer(Verdict.UNKNOWN, "asleep", "asleep"))
    report = blueprint.verify(good, jobs=JOBS)
    assert not report.ok
    assert int(report.summary.by_status["proved"]) == 0


def test_a_cross_check_that_verify_is_asked_for_takes_place(
    memory: Memory,  # noqa: ARG001  (it answers)
    good: bytes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def cross(text: str) -> Verdict:
        asked.append(text)
        return Verdict.PROVED

    monkeypatch.setattr("blueprint.crosscheck.decide", cross)
    report = blueprint.verify(good, jobs=JOBS, cross_check=True)
    assert asked
    assert {row.cross for row in report.obligations} == {"proved"}


def test_the_most_specific_finding_comes_first(memory: Memory, good: bytes) -> None:  # noqa: ARG001  (it answers)
    draft = Draft(good)
    draft.entity(Stage.PORTABLE, "tasks", "scores.forward")["work"]["operations"] += 1
    draft.seal()
    draft.transition(Stage.PORTABLE)["source"] = "0" * 64
    draft.data["fingerprint"] = "0" * 64
    families = [each.code.partition(".")[0] for each in blueprint.verify(draft.raw(), jobs=JOBS).diagnostics]
    assert families[0] == "claim"
    assert families.index("claim") < families.index("law") < families.index("digest") < families.index("replay")


def test_a_structural_fault_does_not_hide_a_false_claim_of_an_earlier_stage(
    memory: Memory,  # noqa: ARG001  (it answers)
    good: bytes,
) -> None:
    draft = Draft(good)
    draft.entity(Stage.DISTRIBUTED, "tasks", "scores.forward")["work"]["operations"] += 1
    draft.seal()
    draft.entities(Stage.PORTABLE, "tasks").reverse()
    report = blueprint.verify(draft.raw(), jobs=JOBS)
    assert {"structure.order", "claim.exact_work"} <= codes(report)


# Deciding -----------------------------------------------------------------------------------------------------------


_CORES = "(set-option :produce-unsat-cores true)\n"
_EASY = "(set-logic QF_NIA)\n(declare-const v0 Int)\n(assert (= v0 3))\n(assert (not (= v0 3)))\n(check-sat)\n"
_HARD = "\n".join(
    (
        "(set-logic QF_NIA)",
        *(f"(declare-const v{number} Int)" for number in range(4)),
        "(assert (! (<= 1 v0) :named h0))",
        "(assert (! (<= 1 v1) :named h1))",
        "(assert (! (<= 0 v2) :named h2))",
        "(assert (! (<= 1 v3) :named h3))",
        "(assert (not (= (* v0 v1 v2 v3 7) (* v3 v2 v1 v0 7))))",
        "(check-sat)\n",
    )
)


def _watched(monkeypatch: pytest.MonkeyPatch, answer: z3.CheckSatResult | None) -> list[tuple[str, object]]:
    """What every solver is given from here on; with an answer, the first that is asked gives it."""
    seen: list[tuple[str, object]] = []
    real = z3.Solver

    class Watched(real):  # type: ignore[misc, valid-type]
        def set(self, *args: Any, **keys: Any) -> None:
            seen.append((str(args[0]), args[1]))
            super().set(*args, **keys)

        def from_string(self, text: str) -> None:
            seen.append(("text", text))
            super().from_string(text)

        def check(self, *args: Any) -> Any:
            found = super().check(*args)
            return answer if answer is not None and sum(name == "text" for name, _ in seen) == 1 else found

    # SimpleSolver, for the incremental core, makes one of these too.
    monkeypatch.setattr(z3, "Solver", Watched)
    monkeypatch.setattr("z3.z3.Solver", Watched)
    return seen


@pytest.mark.parametrize("ground", [True, False])
def test_z3_gets_exactly_the_text_with_a_fixed_seed_and_a_budget(
    *, ground: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = _watched(monkeypatch, None)
    assert solver.decide(_EASY, 1, 5_000, ground=ground).verdict is Verdict.PROVED
    text = _EASY if ground else _CORES + _EASY
    assert seen == [("arith.solver", 2), ("random_seed", 0), ("rlimit", 5_000), ("text", text)]


def test_what_the_first_solver_leaves_open_a_second_gets_with_the_whole_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    budget = 10 * solver.BRIEF
    seen = _watched(monkeypatch, z3.unknown)
    assert solver.decide(_HARD, 4, budget, ground=False).verdict is Verdict.PROVED
    first, second = seen[:4], seen[4:]
    assert first == [("arith.solver", 2), ("random_seed", 0), ("rlimit", solver.BRIEF), ("text", _CORES + _HARD)]
    assert second == [("random_seed", 0), ("rlimit", budget), ("text", _HARD)]


def test_no_decider_reads_a_clock() -> None:
    """A clock stands in the worker's limits and in the parent's deadline, which answer nothing but UNKNOWN."""
    clocks = {"time", "datetime", "sched", "timeit", "threading", "asyncio"}
    found = set()
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if clocks & {name.partition(".")[0] for name in names}:
                found.add(path.relative_to(PACKAGE).as_posix())
    assert found <= {"discharge.py", "worker.py"}
    assert "timeout" not in (PACKAGE / "solver.py").read_text(encoding="utf-8")


def test_there_is_a_worker_for_each_core_and_it_is_started_once() -> None:
    assert worker_count(None) == max(1, min(os.cpu_count() or 1, 64))
    question = Asked("(set-logic QF_NIA)\n(assert (not (= 1 1)))\n(check-sat)\n", 0)
    with SolverPool(1) as pool:
        pids = set()
        for _ in range(3):
            assert [answer.verdict for answer in pool.solve([Batch((question,), True, 1_000)])] == [Verdict.PROVED]  # noqa: FBT003
            pids |= {worker.process.pid for worker in pool.workers}
        assert len(pids) == 1


def test_a_worker_does_not_import_from_the_working_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen: list[str] = []

    class Stop(Exception):  # noqa: N818  (no error)
        pass

    def watch(*_: Any, env: Mapping[str, str], **__: Any) -> None:
        seen.extend(env["PYTHONPATH"].split(os.pathsep))
        raise Stop

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])  # as `python -m blueprint` does
    monkeypatch.setattr("blueprint.discharge.subprocess.Popen", watch)
    with pytest.raises(Stop):
        SolverPool(1).start()
    assert seen
    assert str(tmp_path) not in seen


def test_equal_questions_are_one_obligation_and_name_all_who_ask(
    memory: Memory,  # noqa: ARG001  (it answers)
    good: bytes,
) -> None:
    report = blueprint.verify(good, jobs=JOBS)
    uses: Counter[int] = Counter()
    kinds: dict[int, set[str]] = {}
    for transition in report.transitions:
        for relation in transition.relations:
            for claim in relation.claims:
                uses[claim.obligation] += 1
                kinds.setdefault(claim.obligation, set()).add(f"{relation.id} {claim.kind}")
                assert claim.status is report.obligations[claim.obligation].verdict
        for law in transition.laws:
            for position in law.obligations:
                assert report.obligations[position].verdict is Status.PROVED
    assert set(uses) <= set(range(len(report.obligations)))
    assert len({row.digest for row in report.obligations}) == len(report.obligations) < sum(uses.values()) / 3
    assert all(int(row.shared) >= uses[position] for position, row in enumerate(report.obligations))
    work = {
        relation.names[0]: claim.obligation
        for relation in report.transitions[1].relations
        for claim in relation.claims
        if claim.kind == "exact_work"
    }
    assert work["query_projection.forward"] == work["value_projection.forward"] != work["up_projection.forward"]
    assert len(kinds[work["query_projection.forward"]]) >= 3


def test_a_report_is_about_the_bytes_that_were_read(memory: Memory, good: bytes, tmp_path: Path) -> None:  # noqa: ARG001
    path = tmp_path / "bundle.json"
    path.write_bytes(good)
    reports = [blueprint.verify(good, jobs=JOBS), blueprint.verify(path, jobs=JOBS)]
    assert encode(reports[0]) == encode(reports[1])
    assert reports[0].require().bundle_sha256 == hashlib.sha256(good).hexdigest()


# Theorems behind the laws -------------------------------------------------------------------------------------------


def test_theorems_are_listed_apart_and_count_for_nothing(
    memory: Memory,  # noqa: ARG001  (it answers)
    good: bytes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_proofs = blueprint.verify(good, jobs=JOBS)
    monkeypatch.setattr("blueprint.examine.open_theorems", lambda *_: Theorems((), {}))
    without = blueprint.verify(good, jobs=JOBS)
    assert with_proofs.verdict is without.verdict is Outcome.VERIFIED
    assert with_proofs.summary == without.summary
    laws = [law for each in without.transitions for law in each.laws]
    assert {law.theorem for law in laws} == {TheoremStatus.ABSENT, TheoremStatus.NONE}
    assert {law.status for law in laws if law.theorem is TheoremStatus.NONE} == {Status.NOT_APPLICABLE}
    counted = sum(map(int, with_proofs.summary.by_status.values()))
    assert counted == int(with_proofs.summary.claims) + int(with_proofs.summary.laws)


@BOTH
def test_behind_every_law_of_a_good_bundle_stands_a_recorded_theorem(
    request_: Request,
    memory: Memory,  # noqa: ARG001  (it answers)
) -> None:
    """Red means that rules or derivation changed since `blueprint prove` was run."""
    report = blueprint.verify(derived(request_), jobs=JOBS)
    laws = [law for transition in report.transitions for law in transition.laws]
    # Where a law predicts no member there is no theorem to record.
    absent = {(law.id, law.form) for law in laws if law.theorem is not TheoremStatus.RECORDED and law.members != "0"}
    assert absent == set()
    assert all(law.theorem_digests for law in laws if law.theorem is TheoremStatus.RECORDED)


@pytest.fixture
def gelu(tmp_path: Path) -> Path:
    """A folder with the proofs of one rule."""
    shutil.copytree(PROOFS / "primitives" / "gelu", tmp_path / "primitives" / "gelu")
    lines = (PROOFS / "expected.txt").read_text(encoding="ascii").splitlines(keepends=True)
    kept = [line for line in lines if line.startswith("primitives/gelu/")]
    (tmp_path / "expected.txt").write_text("".join(kept), encoding="ascii")
    return tmp_path


GELU = ("primitives.gelu", "gelu", "forward", all_cases()[0].text)


def _recorded(folder: Path) -> RuleProofs:
    return msgspec.json.decode(evidence_path(folder, GELU[0]).read_bytes(), type=RuleProofs)


def _record(folder: Path, proofs: RuleProofs) -> None:
    evidence_path(folder, GELU[0]).write_bytes(msgspec.json.encode(proofs))


def test_a_theorem_is_recorded_only_for_the_installed_sources(gelu: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proofs = _recorded(gelu)
    sources = {GELU[0]: proofs.rule_source}
    monkeypatch.setattr(theorems, "derivation_source", lambda _: proofs.derivation_source)
    status, digests = Theorems((gelu,), sources).lookup(*GELU)
    assert status is TheoremStatus.RECORDED
    assert set(digests) <= {each.digest for each in proofs.obligations if each.verdict == "proved"}
    absent = (TheoremStatus.ABSENT, ())
    assert Theorems((gelu,), {GELU[0]: "0" * 64}).lookup(*GELU) == absent
    assert Theorems((gelu,), {}).lookup(*GELU) == absent
    assert Theorems((), sources).lookup(*GELU) == absent
    assert Theorems((gelu,), sources).lookup(*GELU[:2], "another form", GELU[3]) == absent
    monkeypatch.setattr(theorems, "derivation_source", lambda _: "0" * 64)
    assert Theorems((gelu,), sources).lookup(*GELU) == absent


@pytest.mark.parametrize("verdict", ["refuted", "unknown", "vacuous"])
def test_a_theorem_that_was_not_proved_is_not_recorded(
    verdict: str, gelu: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proofs = _recorded(gelu)
    monkeypatch.setattr(theorems, "derivation_source", lambda _: proofs.derivation_source)
    rows = tuple(msgspec.structs.replace(each, verdict=verdict) for each in proofs.obligations)
    _record(gelu, msgspec.structs.replace(proofs, obligations=rows))
    assert Theorems((gelu,), {GELU[0]: proofs.rule_source}).lookup(*GELU) == (TheoremStatus.ABSENT, ())


def test_the_sources_of_the_derivation_are_read_and_not_remembered_wrongly() -> None:
    total = hashlib.sha256()
    for name in DERIVATION_SOURCES:
        for part in (name.encode(), (PACKAGE / name).read_bytes()):
            total.update(len(part).to_bytes(8, "big") + part)
    assert theorems.derivation_source() == total.hexdigest()


def test_an_extension_is_one_of_the_sources_of_its_derivation() -> None:
    assert len({theorems.derivation_source(each) for each in (b"", b"x = 1", b"x = 2")}) == 3


# What is recorded ---------------------------------------------------------------------------------------------------

_LINE = re.compile(
    r"\(set-logic QF_NIA\)|\(declare-const v\d+ Int\)|\(check-sat\)"
    r"|\(assert \(! [-+*=<() v\d]+ :named h\d+\)\)|\(assert \(not [-+*=<() v\dand]+\)\)"
)


def test_every_recorded_text_is_sums_of_products_over_numbered_symbols() -> None:
    files = sorted(PROOFS.rglob("*.smt2"))
    assert len(files) > 200
    for path in files:
        bare = [line for line in path.read_text(encoding="ascii").splitlines() if not line.startswith(";")]
        assert all(_LINE.fullmatch(line) for line in bare), path
        assert sum(line.startswith("(assert (not ") for line in bare) == 1, path


def _rows() -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted(PROOFS.rglob("evidence.json")):
        for row in json.loads(path.read_text(encoding="ascii"))["obligations"]:
            yield path.parent, row


def test_every_recorded_theorem_has_a_witness_two_deciders_and_its_core() -> None:
    rows = list(_rows())
    assert {row["verdict"] for _, row in rows} == {"proved", "refuted"}
    for folder, row in rows:
        text = (folder / row["file"]).read_bytes()
        assert hashlib.sha256(text).hexdigest() == row["digest"]
        symbols = re.findall(rb"^; v\d+ is (\w+):", text, re.MULTILINE)
        assert {name.decode() for name in symbols} <= set(row["witness"])
        named = {int(number) for number in re.findall(rb":named h(\d+)\)", text)}
        negative = row["file"].startswith("negative/")
        assert row["verdict"] == ("refuted" if negative else "proved")
        assert row["second"] == ("normal form: refuted" if negative else "normal form: proved")
        assert set(row["core"]) <= named
        # 0 = 1 is false without any symbol.
        assert set(row["counterexample"]) >= ({name.decode() for name in symbols} if negative else set())
        assert negative or row["counterexample"] == {}


def test_recheck_imports_nothing_of_ours() -> None:
    tree = ast.parse((PROOFS / "recheck.py").read_text(encoding="utf-8"))
    names = {
        (node.module or "" if isinstance(node, ast.ImportFrom) else alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert names - sys.stdlib_module_names == {"cvc5"}
    calls = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert not calls & {"__import__", "eval", "exec", "importlib.import_module"}


def _untouched(folder: Path) -> None:
    """Nothing."""


def _coefficient_changed(folder: Path) -> None:
    path = next((folder / "primitives/gelu").glob("*forward*.smt2"))
    text = path.read_text(encoding="ascii")
    changed = text.replace("(not (and (= (* 8 v0) ", "(not (and (= (* 7 v0) ")
    assert changed != text
    path.write_text(changed, encoding="ascii")
    _resealed(folder, path)


def _resealed(folder: Path, path: Path) -> None:
    """Give the evidence the digest of what the file now holds."""
    proofs = _recorded(folder)
    home = folder / "primitives/gelu"
    _record(
        folder,
        msgspec.structs.replace(
            proofs,
            obligations=tuple(
                msgspec.structs.replace(each, digest=hashlib.sha256(path.read_bytes()).hexdigest())
                if home / each.file == path
                else each
                for each in proofs.obligations
            ),
        ),
    )


def _negative_made_true(folder: Path) -> None:
    path = next((folder / "primitives/gelu/negative").glob("gelu-forward-*.smt2"))
    text = path.read_text(encoding="ascii")
    changed = text.replace("(+ (* 8 v0) 1)", "(+ (* 8 v0) 0)")
    assert changed != text
    path.write_text(changed, encoding="ascii")
    _resealed(folder, path)


def _contradictory(folder: Path) -> None:
    path = next((folder / "primitives/gelu").glob("gelu-forward.*.smt2"))
    text = path.read_text(encoding="ascii")
    path.write_text(text.replace("(assert (not", "(assert (! (< v0 v0) :named h99))\n(assert (not"), encoding="ascii")
    _resealed(folder, path)


def _byte_changed(folder: Path) -> None:
    path = next((folder / "primitives/gelu").glob("gelu-forward.*.smt2"))
    path.write_bytes(path.read_bytes() + b"; more\n")


def _file_gone(folder: Path) -> None:
    next((folder / "primitives/gelu").glob("*.smt2")).unlink()


def _file_more(folder: Path) -> None:
    path = next((folder / "primitives/gelu").glob("*.smt2"))
    shutil.copy(path, path.with_name("another.smt2"))


def _nothing_listed(folder: Path) -> None:
    (folder / "expected.txt").write_text("", encoding="ascii")
    for path in folder.rglob("*.smt2"):
        path.unlink()


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        (_untouched, 0, "0 failures"),
        (_coefficient_changed, 1, "cvc5 says sat, should say unsat"),
        (_negative_made_true, 1, "cvc5 says unsat, should say sat"),
        (_contradictory, 1, "the hypotheses do not hold at the recorded witness"),
        (_byte_changed, 1, "the digest is not that of the file"),
        (_file_gone, 1, "not listed, or not there"),
        (_file_more, 1, "not listed, or not there"),
        (_nothing_listed, 1, "0 obligations"),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_recheck_decides_every_recorded_obligation_again(
    change: Callable[[Path], None], status: int, words: str, gelu: Path
) -> None:
    change(gelu)
    done = run(str(PROOFS / "recheck.py"), str(gelu), cwd=gelu)
    assert words in done.stdout, done.stderr
    assert done.returncode == status


# Definitions --------------------------------------------------------------------------------------------------------

ELEMENTWISE = (
    Primitive.LAYER_NORM,
    Primitive.SOFTMAX,
    Primitive.GELU,
    Primitive.DROPOUT,
    Primitive.RESIDUAL,
    Primitive.FORK,
    Primitive.OPTIMIZER,
)


@pytest.mark.parametrize("primitive", ELEMENTWISE)
def test_every_elementwise_coefficient_is_a_definition_with_its_source(primitive: Primitive) -> None:
    rule = BOOK.primitives[primitive]
    assert rule.source
    stated = set(map(int, re.findall(r"\d+", rule.definition)))
    used = {abs(int(sympy.sympify(formula.operations).as_coeff_Mul()[0])) for formula in rule.formulas.values()}
    assert used <= stated
    if primitive == Primitive.OPTIMIZER:
        assert set(OPTIMIZER_STATE.values()) <= stated


def test_reports_list_the_definitions(memory: Memory, good: bytes) -> None:  # noqa: ARG001  (it answers)
    report = blueprint.verify(good, jobs=JOBS)
    listed = {(row.rule, row.text, row.source) for row in report.definitions}
    rules = [BOOK.primitives[primitive] for primitive in ELEMENTWISE]
    assert listed == {(rule.id, rule.definition, rule.source) for rule in rules}


# What a statement says of the model ---------------------------------------------------------------------------------


def _claims(transition: TransitionReport) -> list[ClaimRow]:
    return [claim for relation in transition.relations for claim in relation.claims]


def test_a_counterexample_is_one_in_the_models_own_dimensions(
    memory: Memory,  # noqa: ARG001  (it answers)
    good: bytes,
) -> None:
    draft = Draft(good)
    draft.entity(Stage.DISTRIBUTED, "tasks", "scores.forward")["work"]["operations"] += 1
    report = blueprint.verify(draft.sealed(), jobs=JOBS)
    model, distributed, _ = _snapshots(draft.sealed())
    plan = plan_distributed(BOOK, REQUEST, Branch.MAIN, model, distributed)
    refuted = {row.digest: row for row in report.obligations if row.verdict is Status.REFUTED}
    at = {row.digest: position for position, row in enumerate(report.obligations)}
    checked = 0
    for relation in plan.relations:
        for check in relation.claims:
            obligation = plan.obligations[check.obligation]
            row = refuted.get(smtlib.render(obligation).digest)
            if row is None:
                continue
            assert row.counterexample is not None
            values = {name: int(value) for name, value in row.counterexample.values.items()}
            assert exact.refutes(obligation, values)
            assert {"batch", "query", "key", "t"} <= set(values)
            claims = [
                each for rows in report.transitions for each in _claims(rows) if each.obligation == at[row.digest]
            ]
            failed = {fact.field: (int(fact.found), int(fact.expected)) for each in claims for fact in each.failed}
            for fact in check.facts:
                pair = (evaluate(fact.actual, values), evaluate(fact.expected, values))
                assert (pair[0] == pair[1]) is (fact.label not in failed)
                assert failed.get(fact.label, pair) == pair
            checked += 1
    assert checked == 1


# What stands around -------------------------------------------------------------------------------------------------


def test_make_check_counts_decides_and_tests() -> None:
    rules = dict(re.findall(r"^([a-z]+):([^#=\n]*)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    needed = set(rules["check"].split())
    while more := {each for name in needed for each in rules.get(name, "").split()} - needed:
        needed |= more
    assert {"format", "lint", "type", "arch", "trusted", "proofs", "cover"} <= needed
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    for name, command in (
        ("trusted", "tests/tools/trusted_lines.py"),
        ("proofs", "prove --check"),
        ("arch", "lint-imports"),
    ):
        recipe = text[text.index(f"\n{name}:") :].split("\n")[2]
        assert command in recipe
        assert not recipe.lstrip("\t@").startswith("-")
        assert "||" not in recipe
