"""The shipped rulebook is complete and says what the passes say; a folder that does not fit together is refused."""

from __future__ import annotations

import ast
import functools
import hashlib
import itertools
import json
import os
import py_compile
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from blueprint.case import Workload
from blueprint.errors import RulebookError
from blueprint.ir.common import Phase, Primitive, Stage
from blueprint.law import AnyLaw, BoundLaw, Law, MaximumLaw, MemoryLaw, ProjectionLaw, Requirement
from blueprint.passes.bind_queue import BindReferenceQueueTargetPass
from blueprint.passes.bind_slot import BindReferenceSlotTargetPass
from blueprint.passes.distribute_inference import DistributeTransformerInferencePass
from blueprint.passes.distribute_training import DistributeTransformerTrainingPass
from blueprint.passes.emit_machine import EmitReferenceMachinePass
from blueprint.passes.plan_inference import PlanTransformerInferencePass
from blueprint.passes.plan_training import PlanTransformerTrainingPass
from blueprint.passes.protocol import DerivationPass
from blueprint.rule import TRAFFIC, BoundaryRule, Claim, PassRule, PrimitiveRule, Rule
from blueprint.rulebook import FILE_LIMIT, FILES_LIMIT, PACKAGE, Rulebook, load, shipped
from blueprint.theory import Theorem, theorems_of
from blueprint.words import plain

FOLDER = shipped("rules")
BOOK: Rulebook = load(FOLDER)
MODULES: dict[str, ModuleType] = {rule.id: sys.modules[f"{PACKAGE}.{rule.id}"] for rule in BOOK.rules}
FILES = {rule.id: FOLDER.joinpath(*rule.id.split(".")).with_suffix(".py") for rule in BOOK.rules}
FAMILIES: tuple[str, ...] = sys.modules[PACKAGE].FAMILIES
LISTED: dict[str, tuple[str, ...]] = {family: sys.modules[f"{PACKAGE}.{family}"].RULES for family in FAMILIES}
PASSES: dict[type[DerivationPass[Any, Any]], Workload] = {
    DistributeTransformerTrainingPass: Workload.TRAINING,
    PlanTransformerTrainingPass: Workload.TRAINING,
    DistributeTransformerInferencePass: Workload.INFERENCE,
    PlanTransformerInferencePass: Workload.INFERENCE,
    BindReferenceQueueTargetPass: Workload.INFERENCE,
    EmitReferenceMachinePass: Workload.TRAINING,
}
"""Every pass with a workload that it derives; those of targets derive both."""
LONGEST = 200

rules = pytest.mark.parametrize("rule", BOOK.rules, ids=lambda rule: rule.id)


# The shipped rulebook -----------------------------------------------------------------------------------------------


def test_every_file_is_a_rule_of_the_book() -> None:
    files = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.py")}
    packages = {"__init__.py"} | {f"{family}/__init__.py" for family in FAMILIES}
    assert files == packages | {path.relative_to(FOLDER).as_posix() for path in FILES.values()}
    assert len(BOOK.rules) == len(files - packages) >= 34 + 23


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_lists_its_files(family: str) -> None:
    listed = LISTED[family]
    assert sorted(listed) == sorted({path.stem for path in (FOLDER / family).glob("*.py")} - {"__init__"})
    assert [rule.id for rule in BOOK.rules if rule.id.startswith(f"{family}.")] == [
        f"{family}.{stem}" for stem in listed
    ]


@rules
def test_a_rule_is_the_one_public_value_of_a_short_file(rule: Rule) -> None:
    module, path = MODULES[rule.id], FILES[rule.id]
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST
    values = vars(module)
    assert [name for name, value in values.items() if isinstance(value, Rule)] == ["RULE"]
    assert values["RULE"] is rule
    tree = ast.parse(text)
    last = tree.body[-1]
    assert isinstance(last, ast.Assign)
    assert ast.unparse(last.targets[0]) == "RULE"
    assert text.count("\nRULE = ") == 1
    assert ast.get_docstring(tree)


@rules
def test_no_law_of_a_file_is_left_out_of_its_rule(rule: Rule) -> None:
    laws = [value for value in vars(MODULES[rule.id]).values() if isinstance(value, AnyLaw)]
    belonging = () if isinstance(rule, PrimitiveRule) else rule.laws
    assert all(any(law is each for each in belonging) for law in laws)


@rules
def test_a_rule_bears_the_hash_of_its_file(rule: Rule) -> None:
    assert BOOK.sources[rule.id] == hashlib.sha256(FILES[rule.id].read_bytes()).hexdigest()


def test_every_primitive_and_both_boundaries_have_rules() -> None:
    assert set(BOOK.primitives) == set(Primitive)
    for derivation_pass, workload in PASSES.items():
        assert BOOK.pass_rules(derivation_pass.facts.boundary, workload)
        assert BOOK.boundary_rules(derivation_pass.facts.boundary, workload)


def test_a_rule_of_one_workload_is_no_rule_of_another() -> None:
    """The rules of a family that is named after a workload are its own; what both have stands in the others."""
    for rule in BOOK.rules:
        family = rule.id.partition(".")[0]
        if isinstance(rule, PrimitiveRule):
            assert family == "primitives"
            continue
        if family in {each.value for each in Workload}:
            assert rule.workload is Workload(family)
        find = BOOK.boundary_rules if isinstance(rule, BoundaryRule) else BOOK.pass_rules
        boundaries = rule.boundaries if isinstance(rule, BoundaryRule) else (rule.boundary,)
        for workload in Workload:
            spoken = rule.workload in {None, workload}
            assert all((rule in find(boundary, workload)) is spoken for boundary in boundaries)
    assert {rule.id for rule in BOOK.rules if not isinstance(rule, PrimitiveRule) and rule.workload is None} == {
        *("planning.task", "planning.buffer", "planning.weights"),
        *("stage.entry", "stage.exit", "stage.payload"),
        *(f"binding.{each}" for each in ("device", "buffer", "region", "command", "queue", "slot", "plan")),
        *(f"emission.{each}" for each in ("instruction", "section", "slots", "entry", "program")),
    }


# Laws ---------------------------------------------------------------------------------------------------------------


def _plain(text: str) -> str:
    return " ".join(text.split())


PUBLISHED = [
    (rule, law, derivation_pass)
    for derivation_pass, workload in PASSES.items()
    for rule in BOOK.pass_rules(derivation_pass.facts.boundary, workload)
    for law in rule.laws
]
"""The laws of the rewrites. Those of a whole boundary are sums of ours, and nobody's equation."""


BOUNDARY_LAWS = {rule.id: [law.id for law in rule.laws] for rule in BOOK.rules if isinstance(rule, BoundaryRule)}


def test_the_laws_of_whole_boundaries_are_all_there() -> None:
    """Those about blocks, steps and memory are published; the totals are sums of ours."""
    total = BOUNDARY_LAWS["training.total"]
    assert total
    assert all(law.startswith("total-") for law in total)
    assert {rule: laws for rule, laws in BOUNDARY_LAWS.items() if rule != "training.total"} == {
        "training.block": ["block-forward", "backward-doubles", "four-wide"],
        "training.recompute": ["full-recompute", "selective-recompute"],
        "training.rank_sum": ["rank-sum", "rank-sum-sequence"],
        "planning.activations": ["activation-memory", "working-memory", "checkpoint"],
        "inference.attention_core": ["attention-core"],
        "inference.cache_traffic": ["kv-append", "kv-read", "kv-elsewhere"],
        "inference.prefill": ["prefill-is-forward", "prefill-derivation"],
        "inference.rank_sum": ["inference-rank-sum"],
        "inference.total": ["inference-total"],
        "stage.payload": ["stage-payload"],
        "stage.total": ["stage-synchronization"],
        "planning.weights": ["parameters", "weight-memory"],
        "planning.memory": ["gradient-memory", "optimizer-memory", "model-state", "capacity"],
        "planning.cache": ["kv-cache", "kv-growth"],
        "planning.workspace": ["workspace", "boundary", "workspace-bound", "workspace-grows"],
        "planning.fused_attention": ["tiled-workspace", "paged-workspace", "fused-implementation"],
        "planning.inference_memory": ["inference-capacity"],
        "binding.slot": ["slot-order"],
        "binding.plan": [],
        "binding.workspace": ["bound-workspace"],
        "emission.program": [],
    }


def test_the_memory_of_every_plan_is_asked_for() -> None:
    asking = [rule.id for rule in BOOK.rules if isinstance(rule, BoundaryRule) and Claim.MEMORY in rule.claims]
    assert asking == ["planning.weights"]
    for derivation_pass, workload in PASSES.items():
        wholes = BOOK.boundary_rules(derivation_pass.facts.boundary, workload)
        plans = derivation_pass.facts.boundary[1] is Stage.PORTABLE
        assert [rule.id for rule in wholes if Claim.MEMORY in rule.claims] == (asking if plans else [])


def test_the_published_laws_are_all_there() -> None:
    planned = ["work-conservation", "resource-projection", "buffer-size"]
    assert [law.id for _, law, _ in PUBLISHED] == [
        *("qkv-projection", "attention-matmul", "output-projection", "mlp", "tp-payload", "tp-reduce"),
        *planned,
        *("inference-qkv-projection", "inference-output-projection", "inference-mlp"),
        *("inference-payload", "inference-reduce"),
        *planned,
        *("aligned-buffers", "fused-operations", "queue-order"),
        "emission",
    ]


@pytest.mark.parametrize(
    ("rule", "law", "derivation_pass"), PUBLISHED, ids=[f"{law.id}, {owner.__name__}" for _, law, owner in PUBLISHED]
)
def test_a_published_law_stands_in_the_docstring_of_its_pass(
    rule: PassRule, law: AnyLaw, derivation_pass: type[DerivationPass[Any, Any]]
) -> None:
    assert _plain(law.statement) in _plain(derivation_pass.__doc__ or "")
    assert law.source
    if isinstance(law, Law):
        # The file explains it too, by the name of its quantity.
        assert law.statement.partition(" =")[0] in (MODULES[rule.id].__doc__ or "")


@pytest.mark.parametrize(
    ("derivation_pass", "laws"),
    [
        (DistributeTransformerInferencePass, {"attention-core", "kv-cache"}),
        (PlanTransformerInferencePass, {"boundary", "workspace"}),
    ],
)
def test_the_equations_of_inference_that_speak_of_a_whole_step_stand_in_the_docstring_too(
    derivation_pass: type, laws: set[str]
) -> None:
    statements = {law.id: law.statement for _, law in BOOK.laws() if law.id in laws}
    assert set(statements) == laws
    lines = {_plain(line) for line in (derivation_pass.__doc__ or "").splitlines()}
    assert set(map(_plain, statements.values())) <= lines


@pytest.mark.parametrize("derivation_pass", [*PASSES, BindReferenceSlotTargetPass])
def test_every_equation_of_a_docstring_is_a_law(derivation_pass: type[DerivationPass[Any, Any]]) -> None:
    """Indented lines are equations: each is stated by one law, or is the definition of the matrix product."""
    lines = [line.strip() for line in (derivation_pass.__doc__ or "").splitlines() if line.startswith(" " * 8)]
    assert lines
    statements = {_plain(law.statement) for _, law, owner in PUBLISHED if owner is derivation_pass}
    workload = PASSES.get(derivation_pass, Workload.INFERENCE)
    spoken = [(rule, law) for rule, law in BOOK.laws() if rule.workload in {None, workload}]
    if derivation_pass is not DistributeTransformerTrainingPass:
        statements |= {_plain(law.statement) for _, law in spoken if isinstance(law, MemoryLaw | MaximumLaw)}
    if derivation_pass is DistributeTransformerInferencePass:
        statements |= {_plain(law.statement) for _, law in spoken if law.id == "attention-core"}
    if derivation_pass is BindReferenceSlotTargetPass:
        statements |= {
            _plain(law.statement)
            for _, law in BOOK.laws()
            if law.id in {"aligned-buffers", "slot-order", "fused-operations"}
        }
    products = {rule.primitive for rule in BOOK.primitives.values() if rule.law == "gemm"}
    assert products == {Primitive.LINEAR, Primitive.BATCHED_MATMUL}
    for line in lines:
        assert _plain(line) in statements or line.startswith("W = 2 m n k for a matrix product ")


@functools.cache
def _theorems(rule: str) -> tuple[Theorem, ...]:
    return tuple(theorems_of(next(each for each in BOOK.rules if each.id == rule)))


LAWS = [(rule, law) for rule in BOOK.rules if not isinstance(rule, PrimitiveRule) for law in rule.laws]


@pytest.mark.parametrize(("rule", "law"), LAWS, ids=[law.id for _, law in LAWS])
def test_a_law_has_a_wrong_variant(rule: Rule, law: AnyLaw) -> None:
    theorems = [theorem for theorem in _theorems(rule.id) if theorem.law == law.id]
    if isinstance(law, Requirement):
        # Only single plans can meet it, so there is no theorem of which something false could be told apart.
        assert not theorems
        return
    assert law.wrong
    negatives = [theorem for theorem in theorems if theorem.negative]
    forms = law.wrong if isinstance(law, ProjectionLaw) else [each.form for each in law.wrong]
    if isinstance(law, MaximumLaw):
        forms = [f"{each.form}: {arm}" for each in law.wrong for arm in each.arms]
        # Each arm is told apart from something false.
        assert {arm for each in law.wrong for arm in each.arms} == set(law.forms[0].arms)
    assert {theorem.form.removeprefix("wrong ") for theorem in negatives} == set(forms)
    assert all(theorem.obligations for theorem in negatives)
    # Where a law predicts no member, it states nothing; it still has to fit the derivation.
    assert any(theorem.obligations for theorem in theorems if not theorem.negative)
    assert not any(theorem.fault for theorem in theorems)


@pytest.mark.parametrize("rule", BOOK.primitives.values(), ids=lambda rule: rule.id)
def test_a_primitive_has_a_wrong_variant_in_every_phase(rule: PrimitiveRule) -> None:
    theorems = [theorem for theorem in _theorems(rule.id) if theorem.law == rule.primitive]
    assert len([theorem for theorem in theorems if theorem.negative]) == len(rule.formulas)
    assert len([theorem for theorem in theorems if not theorem.negative]) == len(rule.formulas)


@pytest.mark.parametrize("rule", BOOK.primitives.values(), ids=lambda rule: rule.id)
def test_the_traffic_of_a_primitive_has_a_wrong_variant(rule: PrimitiveRule) -> None:
    theorems = [theorem for theorem in _theorems(rule.id) if theorem.law != rule.primitive]
    assert {theorem.law for theorem in theorems} <= {TRAFFIC}
    # The bytes of an optimizer are those of its state, which is no tensor of the snapshot.
    speaks = rule.primitive != Primitive.OPTIMIZER
    # Nor are shares of parameters, which begin and end anywhere.
    of_tensors = {phase: formula.reads is not None for phase, formula in rule.formulas.items()}
    assert not of_tensors.pop(Phase.SYNCHRONIZATION, False)
    assert set(of_tensors.values()) == {speaks}
    assert len([theorem for theorem in theorems if theorem.negative]) == speaks
    assert bool([theorem for theorem in theorems if not theorem.negative]) is speaks


def test_laws_and_their_forms_have_names_of_their_own() -> None:
    names = [law.id for _, law in LAWS]
    assert len(set(names)) == len(names)
    for _, law in LAWS:
        match law:
            case Law() | MemoryLaw():
                forms = [equation.form for equation in (*law.equations, *law.wrong)]
            case MaximumLaw():
                forms = [maximum.form for maximum in (*law.forms, *law.wrong)]
            case BoundLaw():
                forms = [bound.form for bound in (*law.bounds, *law.wrong)]
            case ProjectionLaw():
                assert set(law.wrong) <= set(law.outputs)
                forms = []
            case Requirement():
                forms = []
        assert len(set(forms)) == len(forms)


def test_a_boundary_rule_speaks_of_boundaries_that_a_pass_has() -> None:
    boundaries = {derivation_pass.facts.boundary for derivation_pass in PASSES}
    assert boundaries == set(itertools.pairwise(Stage))
    for rule in BOOK.rules:
        if isinstance(rule, BoundaryRule):
            assert set(rule.boundaries) <= boundaries


# Folders that do not fit together -----------------------------------------------------------------------------------

Edit = Callable[[Path], None]


def _replace(file: str, old: str, new: str) -> Edit:
    def edit(folder: Path) -> None:
        text = (folder / file).read_text(encoding="utf-8")
        assert text.count(old) >= 1
        (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")

    return edit


def _substitute(file: str, pattern: str, new: str) -> Edit:
    def edit(folder: Path) -> None:
        text, count = re.subn(pattern, new, (folder / file).read_text(encoding="utf-8"), flags=re.DOTALL)
        assert count == 1
        (folder / file).write_text(text, encoding="utf-8")

    return edit


def _write(file: str, text: str) -> Edit:
    def edit(folder: Path) -> None:
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8")

    return edit


def _remove(file: str) -> Edit:
    def edit(folder: Path) -> None:
        (folder / file).unlink()

    return edit


def _copy(source: str, target: str, *edits: Edit) -> Edit:
    def edit(folder: Path) -> None:
        shutil.copyfile(folder / source, folder / target)
        for each in edits:
            each(folder)

    return edit


MLP, TASK = "training/mlp.py", "planning/task.py"
MEMORY, ACTIVATIONS, BLOCK = "planning/memory.py", "planning/activations.py", "training/block.py"
WEIGHTS, WORKSPACE, INFERENCE_TOTAL = "planning/weights.py", "planning/workspace.py", "inference/total.py"

REFUSED: dict[str, tuple[Edit, str]] = {
    # what is wrong: (the edit of a good copy, what the refusal says)
    "missing file": (_remove(MLP), "rules/training/mlp.py is missing"),
    "extra file": (
        _write("training/another.py", "RULE = 1\n"),
        "rules/training/another.py is in no list of FAMILIES and RULES",
    ),
    "file that is not listed": (
        _replace("training/__init__.py", '"mlp",', ""),
        "rules/training/mlp.py is in no list of FAMILIES and RULES",
    ),
    "renamed file": (
        _copy(MLP, "training/mlp_two.py", _remove(MLP)),
        "rules/training/mlp.py is missing",
    ),
    "wrong id": (_replace(MLP, 'id="training.mlp"', 'id="training.mlp_two"'), "training.mlp: the rule calls itself"),
    "id of another family": (
        _replace(MLP, 'id="training.mlp"', 'id="planning.mlp"'),
        "training.mlp: the rule calls itself",
    ),
    "id that is no name": (
        _copy(
            MLP,
            "training/Mlp.py",
            _remove(MLP),
            _replace("training/__init__.py", '"mlp"', '"Mlp"'),
            _replace("training/Mlp.py", 'id="training.mlp"', 'id="training.Mlp"'),
        ),
        "training.Mlp: the rule calls itself",
    ),
    "no RULE": (_replace(MLP, "\nRULE = ", "\nRULES = "), "training.mlp: the file defines no RULE"),
    "RULE that is no rule": (_write(MLP, "RULE = 'training.mlp'\n"), "training.mlp: the file defines no RULE"),
    "empty file": (_write(MLP, ""), "training.mlp: the file defines no RULE"),
    "duplicate law id": (
        _replace(MLP, 'id="mlp"', 'id="qkv-projection"'),
        "two laws have the same id, qkv-projection",
    ),
    "duplicate law id in two families": (
        _replace(TASK, 'id="work-conservation"', 'id="mlp"'),
        "two laws have the same id",
    ),
    "empty claims": (
        _substitute(TASK, r"preserves=\(.*?\),\n    introduces=\(.*?\),", "preserves=(),\n    introduces=(),"),
        "planning.task: a pass rule needs targets and claims",
    ),
    "no targets": (
        _replace(TASK, "targets=(CopiedTask(),)", "targets=()"),
        "planning.task: a pass rule needs targets and claims",
    ),
    "no formula": (
        _substitute("primitives/gelu.py", r"formulas=\{.*?\},", "formulas={},"),
        "primitives.gelu: a primitive needs a formula",
    ),
    "no equation": (
        _substitute(MLP, r"equations=\(.*?\n    wrong=", "equations=(),\n    wrong="),
        "law mlp needs equations with distinct forms",
    ),
    "boundary rule without laws and claims": (
        _substitute(
            "training/total.py", r"claims=\(Claim.INTERFACE,\),\n    laws=\(.*\)\n", "claims=(),\n    laws=(),\n)\n"
        ),
        "training.total: a boundary rule needs laws or claims",
    ),
    "two rules for a primitive": (
        _replace("primitives/gelu.py", "Primitive.GELU", "Primitive.SOFTMAX"),
        "every primitive needs exactly one rule",
    ),
    "no root": (_remove("__init__.py"), "is missing"),
    "family that is not there": (_replace("__init__.py", '"emission")', '"emission", "serving")'), "is missing"),
    "family without a list": (_write("planning/__init__.py", ""), "RULES is no tuple of names"),
    "family with an empty list": (
        _write("planning/__init__.py", "RULES = ()\n"),
        "RULES is no tuple of names",
    ),
    "family with a list of another type": (
        _write("planning/__init__.py", "RULES = ['task', 'buffer']\n"),
        "RULES is no tuple of names",
    ),
    "family with a number in its list": (
        _write("planning/__init__.py", "RULES = ('task', 3)\n"),
        "RULES is no tuple of names",
    ),
    "family that is not listed": (
        _replace("__init__.py", ', "emission")', ")"),
        "rules/emission/__init__.py is in no list",
    ),
    "a file beside the families": (_write("extra.py", ""), "rules/extra.py is in no list"),
    "an empty revision": (_substitute("__init__.py", r"REVISION = .*", 'REVISION = ""'), "REVISION is no text"),
    "no revision": (_replace("__init__.py", "REVISION", "VERSION"), "REVISION is no text"),
    "syntax error": (_write(MLP, "RULE = (\n"), "rules/training/mlp.py: SyntaxError"),
    "bytes that are no text": (_write(MLP, "\x00"), "rules/training/mlp.py: "),
    "file that fails": (_write(MLP, "1 / 0\n"), "rules/training/mlp.py: ZeroDivisionError"),
    "file that leaves": (_write(MLP, "raise SystemExit(0)\n"), "rules/training/mlp.py: SystemExit"),
    "law without a false variant": (
        _substitute(MLP, r"    wrong=\(.*?\n    \),\n\)", "    wrong=(),\n)"),
        "law mlp has no false variant",
    ),
    "law that says nothing of false variants": (
        _substitute(MLP, r"    wrong=\(.*?\n    \),\n\)", ")"),
        "rules/training/mlp.py: TypeError",
    ),
    "law id that is a path": (_replace(MLP, 'id="mlp"', 'id="../mlp"'), "an id is lower-case words"),
    "two forms of one name": (_replace(MLP, '"gated"', '"general"'), "law mlp needs equations with distinct forms"),
    "missing primitive": (
        _copy(
            "primitives/gelu.py",
            "primitives/gelu.txt",
            _remove("primitives/gelu.py"),
            _replace("primitives/__init__.py", '"gelu",', ""),
        ),
        "every primitive needs exactly one rule",
    ),
    "rule listed twice": (
        _write("planning/__init__.py", "RULES = ('task', 'buffer', 'task')\n"),
        "RULES has a name twice",
    ),
    "no families": (
        _substitute("__init__.py", r"FAMILIES = \(.*?\)", "FAMILIES = ()"),
        "FAMILIES is no tuple of names",
    ),
    "family listed twice": (
        _replace("__init__.py", '"emission")', '"emission", "emission")'),
        "FAMILIES has a name twice",
    ),
}

EQUATION = 'Equation("general", Quantity.OPERATIONS, t * W, lambda case: 4 * B * S * H * F)'


def _mlp(equation: str) -> Edit:
    return _replace(MLP, EQUATION, f'Equation("general", Quantity.OPERATIONS, {equation})')


def _several(*edits: Edit) -> Edit:
    def edit(folder: Path) -> None:
        for each in edits:
            each(folder)

    return edit


def _many(folder: Path) -> None:
    for number in range(FILES_LIMIT):
        (folder / f"extra_{number}.py").touch()


REFUSED |= {
    "law of nothing": (
        _mlp("W - W, lambda case: 0"),
        "law mlp (general) says nothing: its left side is not W times what is always positive",
    ),
    "quantity that cancels out": (
        _mlp("t * (W + 1) - t * W - t, lambda case: 0"),
        "its left side is not W times what is always positive",
    ),
    "no quantity at all": (_mlp("t * H, lambda case: 0"), "its left side is not W times what is always positive"),
    "law of a number too large": (
        _mlp("t * W, lambda case: 2**4096 * B"),
        "law mlp (general): ObligationError: a constant has more than 4096 bits",
    ),
    "law of itself": (_mlp("W, lambda case: W"), "law mlp (general) says nothing: its right side speaks of"),
    "law of itself in one case": (
        _mlp("t * W, lambda case: t * W if case.sequence_parallel and case.biases else 4 * B * S * H * F"),
        "law mlp (general) says nothing: its right side speaks of",
    ),
    "law that fails in one case": (
        _mlp("t * W, lambda case: 1 // (not case.sequence_parallel)"),
        "law mlp (general): ZeroDivisionError",
    ),
    "group without members": (_replace(MLP, "count(2)", "count(0)"), "law mlp: its group needs a whole number"),
    "group of half a member": (_replace(MLP, "count(2)", "lambda case: 0.5"), "law mlp: its group needs a whole"),
    "group that leaves": (_replace(MLP, "count(2)", "lambda case: exit()"), "law mlp: SystemExit"),
    "projection without an output": (
        _replace(TASK, 'outputs={"compute": W, ', "outputs={"),
        "law resource-projection must state every output of resources, which are compute, memory, network",
    ),
    "projection of something else": (
        _replace(TASK, 'outputs={"compute": W, ', 'outputs={"compute": W, "disk": W, '),
        "law resource-projection must state every output",
    ),
    "false variant of something else": (
        _replace(TASK, 'wrong={"compute": W + 1, ', 'wrong={"disk": W + 1, '),
        "law resource-projection has a false variant of an output that does not exist",
    ),
    "task without a formula": (
        _substitute("primitives/linear.py", r"        Phase.WEIGHT_GRADIENT: .*?\n", ""),
        "has a task of phase weight_gradient, for which primitives.linear has no formula",
    ),
    "recompute without a formula": (
        _replace("primitives/softmax.py", "Phase.FORWARD:", "Phase.OPTIMIZER:"),
        "for which primitives.softmax has no formula",
    ),
    "memory law of nothing": (
        _replace(ACTIVATIONS, "Capacity.CHECKPOINT, t * C_ckpt,", "Capacity.CHECKPOINT, t * C_work,"),
        "law checkpoint (general): its left side speaks of C_work, it may of C_ckpt alone",
    ),
    "memory law of itself": (
        _replace(WEIGHTS, "C_w, lambda case: e * (n_D if", "C_w, lambda case: C_w * (n_D if"),
        "law weight-memory (by stage) says nothing: its right side speaks of",
    ),
    "memory law without a false variant": (
        _substitute(
            ACTIVATIONS, r'wrong=\(\n        Equation\(\n            "without masks".*?\n    \),\n\)', "wrong=(),\n)"
        ),
        "law working-memory has no false variant",
    ),
    "memory law without an equation": (
        _substitute(ACTIVATIONS, r'equations=\(Equation\("general", Capacity.WORKING.*?\),\),\n', "equations=(),\n"),
        "law working-memory needs equations with distinct forms",
    ),
    "memory law of two forms of one name": (
        _replace(ACTIVATIONS, '"classical",', '"general",'),
        "law activation-memory needs equations with distinct forms",
    ),
    "memory law of a rule without a plan": (
        _several(
            _replace(MEMORY, "boundaries=(DISTRIBUTED_TO_PORTABLE,)", "boundaries=(MODEL_TO_DISTRIBUTED,)"),
            _replace(MEMORY, "import DISTRIBUTED_TO_PORTABLE", "import MODEL_TO_DISTRIBUTED"),
        ),
        "planning.memory: law gradient-memory speaks of memory, which is asked of plans",
    ),
    "memory law of a rule without a snapshot": (
        _several(
            _replace(MLP, "laws=(MLP,)", "laws=(MLP, FITS)"),
            _replace(MLP, "\nRULE = ", "\nFITS = Requirement('fits', 'a', 'b', C_w, C_dev)\n\nRULE = "),
            _replace(
                MLP,
                "from blueprint.law import ",
                "from blueprint.symbols import C_dev, C_w\nfrom blueprint.law import Requirement, ",
            ),
        ),
        "training.mlp: law fits speaks of memory, which is asked of plans",
    ),
    "bounds without a false variant": (
        _substitute(BLOCK, r"    wrong=\(\n        Bound\(.*?\n    \),\n\)", "    wrong=(),\n)"),
        "law four-wide has no false variant",
    ),
    "bounds of nothing": (
        _substitute(MEMORY, r"bounds=\(\n.*?\n    \),\n    wrong", "bounds=(),\n    wrong"),
        "law model-state needs bounds with distinct forms",
    ),
    "two bounds of one name": (
        _replace(MEMORY, '"stage 2 <= stage 1"', '"stage 1 <= stage 0"'),
        "law model-state needs bounds with distinct forms",
    ),
    "bound with equal sides": (
        _replace(
            MEMORY, 'Bound("stage 3", C_3, Relation.EQUAL, (e + g + o) * n_D)', 'Bound("x", C_3, Relation.AT_MOST, C_3)'
        ),
        "law model-state (x) says nothing: it has equal sides, or is a premise",
    ),
    "bound that is its own premise": (
        _replace(
            MEMORY,
            'Bound("stage 3", C_3, Relation.EQUAL, (e + g + o) * n_D)',
            'Bound("x", C_0, Relation.AT_MOST, C_1, premises=((C_0, Relation.AT_MOST, C_1),))',
        ),
        "law model-state (x) says nothing: it has equal sides, or is a premise",
    ),
    "requirement that is always met": (
        _replace(MEMORY, "left=C_w + C_g + C_o + C_act + C_work + C_ckpt,", "left=C_dev - C_dev,"),
        "law capacity says nothing: memory facts stand on its left, and a binding on its right",
    ),
    "requirement of a fact against itself": (
        _replace(MEMORY, "right=C_dev,", "right=C_w,"),
        "law capacity says nothing: memory facts stand on its left, and a binding on its right",
    ),
    "memory law that never speaks": (
        _replace(
            ACTIVATIONS,
            'equations=(Equation("general", Capacity.WORKING',
            'when=lambda case: False,\n    equations=(Equation("general", Capacity.WORKING',
        ),
        "law working-memory speaks of no case of the strategy",
    ),
    "memory law of nothing at t = 1": (
        _replace(ACTIVATIONS, "Capacity.WORKING, t * C_work, working", "Capacity.WORKING, (t - 1) * C_work, working"),
        "law working-memory (general) says nothing: its left side is not C_work times what is always positive",
    ),
    "memory law of another fact": (
        _replace(ACTIVATIONS, "Capacity.WORKING, t * C_work, working", "Capacity.WORKING, C_ckpt * C_work, working"),
        "law working-memory (general): its left side speaks of C_ckpt, it may of C_work alone",
    ),
    "false variant that raises": (
        _replace(MLP, "lambda case: 6 * B * S * H * F", "lambda case: 1 // 0"),
        "law mlp (gated): ZeroDivisionError",
    ),
    "import of the derivation": (
        _replace(MLP, "from blueprint.symbols", "import blueprint.workload.memory\nfrom blueprint.symbols"),
        "rules/training/mlp.py: a rule may not import blueprint.workload.memory",
    ),
    "import of another rule": (
        _replace(MLP, "from blueprint.symbols", "from blueprint.rules.training import total\nfrom blueprint.symbols"),
        "a rule may not import blueprint.rules.training",
    ),
    "relative import": (
        _replace(MLP, "from blueprint.symbols", "from . import total\nfrom blueprint.symbols"),
        "a rule may not import .",
    ),
    "import of a module as a name, by which everything else can be reached": (
        _replace(MLP, "from blueprint.symbols", "import blueprint.law\nfrom blueprint.symbols"),
        "a rule may not import blueprint.law",
    ),
    "import of the machinery of imports": (
        _replace(MLP, "from blueprint.symbols", "import importlib\nfrom blueprint.symbols"),
        "a rule may not import importlib",
    ),
    "import of what extensions are made of": (
        _replace(MLP, "from blueprint.symbols", "from blueprint.extension import PLAIN\nfrom blueprint.symbols"),
        "a rule may not import blueprint.extension",
    ),
    "import without a statement": (
        _replace(MLP, "from blueprint.symbols", "__import__('blueprint.workload')\nfrom blueprint.symbols"),
        "a rule may not import __import__",
    ),
    "import of the package's own parts": (
        _replace(MLP, "from blueprint.symbols", "from blueprint import passes\nfrom blueprint.symbols"),
        "a rule may not import blueprint, but only what rules are made of",
    ),
    "claim about a whole that is one about tasks": (
        _replace(WEIGHTS, "claims=(Claim.MEMORY,)", "claims=(Claim.MEMORY, Claim.EXACT_WORK)"),
        "only these can be asked: alternatives, chosen_workspace, interface, memory, routes",
    ),
    "arrangement that is made elsewhere": (
        _replace("binding/slot.py", "boundaries=(PORTABLE_TO_CONCRETE,)", "boundaries=(CONCRETE_TO_MACHINE,)"),
        "rules/binding/slot.py: NameError",
    ),
    "arrangement of another boundary": (
        _several(
            _replace("binding/slot.py", "boundaries=(PORTABLE_TO_CONCRETE,)", "boundaries=(MODEL_TO_DISTRIBUTED,)"),
            _replace("binding/slot.py", "import PORTABLE_TO_CONCRETE", "import MODEL_TO_DISTRIBUTED"),
        ),
        "binding.slot: law slot-order is about what is arranged from portable to concrete alone",
    ),
    "arrangement without a law": (
        _replace("binding/slot.py", "laws=(SLOTS,)", "laws=()"),
        "every arrangement of a bound plan needs exactly one law",
    ),
    "projection that no plan makes": (
        _several(
            _replace(MLP, "laws=(MLP,)", "laws=(MLP, SIZE)"),
            _replace(
                MLP,
                "\nRULE = ",
                "\nSIZE = ProjectionLaw('size', 'a', 'b', Projection.WORK, {}, {})\n\nRULE = ",
            ),
            _replace(MLP, "from blueprint.law import ", "from blueprint.law import Projection, ProjectionLaw, "),
        ),
        "training.mlp: law size projects, which only planning does",
    ),
    "laws that are no tuple": (
        _replace(MLP, "laws=(MLP,)", "laws=(MLP)"),
        "training.mlp: laws must be a tuple: write (X,)",
    ),
    "RULE that cannot be looked at": (_replace(MLP, "laws=(MLP,)", "laws=(3,)"), "rules: AttributeError"),
    "kinds of a group without a comma": (
        _replace(MLP, "kinds=KINDS,", "kinds=KINDS[0],"),
        "law mlp: kinds of its group must be a tuple: write (X,) for one",
    ),
    "wrong without a comma": (
        _substitute(
            MLP,
            r"    wrong=\(.*?\n    \),\n\)",
            "    wrong=Equation('a', Quantity.OPERATIONS, t * W, lambda case: W),\n)",
        ),
        "law mlp: wrong must be a tuple",
    ),
    "right side that divides": (
        _replace(MLP, "lambda case: 4 * B * S * H * F),)", "lambda case: 4 * B * S * H * F / t),)"),
        "law mlp (general): ObligationError: divides by t: multiply both sides by it",
    ),
    "right side with a fraction": (
        _replace(MLP, "lambda case: 4 * B * S * H * F),)", "lambda case: 4.0 * B * S * H * F),)"),
        "law mlp (general): ObligationError: not a sum of products of known symbols",
    ),
    "a file that is too large": (
        _write("planning/large.py", "#" * (FILE_LIMIT + 1)),
        f"is larger than the limit of {FILE_LIMIT} bytes",
    ),
    "a folder that is too large": (
        _several(*(_write(f"large_{number}.py", "#" * FILE_LIMIT) for number in range(16))),
        "is larger than the limit of",
    ),
    "too many files": (_many, f"has more than {FILES_LIMIT} files"),
    "a pipe": (lambda folder: os.mkfifo(folder / "pipe.py"), "is a pipe, not a regular file"),
    "a device": (lambda folder: (folder / "zero.py").symlink_to("/dev/zero"), "not a regular file"),
    "a loop of links": (lambda folder: (folder / "loop.py").symlink_to("loop.py"), "symbolic links"),
}

REFUSED |= {
    "maximum of one arm": (
        _substitute(
            WORKSPACE,
            r", SCORES: D \+ b \* h \* q \* c \* e, WIDE: D \+ b \* q \* F \* e\},\n\)",
            "},\n)",
        ),
        "law workspace needs distinct forms with two arms or more",
    ),
    "maximum without a form": (
        _several(
            _substitute(WORKSPACE, r"    forms=\(\n.*?\n    \),\n    wrong", "    forms=(),\n    wrong"),
            _replace(WORKSPACE, "GENERAL.arms", "{'rows': b * q}"),
        ),
        "law workspace needs distinct forms with two arms or more",
    ),
    "two forms of a maximum of one name": (
        _replace(WORKSPACE, '"context dropped"', '"two projections"'),
        "law workspace needs distinct forms with two arms or more",
    ),
    "maximum whose forms have other arms": (
        _replace(WORKSPACE, "{PROJECTED: D + 3 * b * q * H * e, SCORES", "{PROJECTED: D + 3 * b * q * H * e, 'other'"),
        "law workspace: every form speaks of the same arms, in one order",
    ),
    "maximum with an arm that divides": (
        _replace(WORKSPACE, "WIDE: D + b * q * F * e}", "WIDE: D + b * q * F / e}"),
        "divides by e",
    ),
    "maximum whose forms have another order": (
        _replace(
            WORKSPACE,
            "{PROJECTED: D + 3 * b * q * H * e, SCORES: D + b * h * q * c * e, WIDE",
            "{SCORES: D + b * h * q * c * e, PROJECTED: D + 3 * b * q * H * e, WIDE",
        ),
        "law workspace: every form speaks of the same arms, in one order",
    ),
    "false variant of an arm that a maximum lacks": (
        _replace(WORKSPACE, '"no boundary", {WIDE:', "\"no boundary\", {'other':"),
        "law workspace: every form speaks of the same arms, in one order",
    ),
    "maximum without a false variant": (
        _substitute(WORKSPACE, r"wrong=\(\n        Maximum\(.*?\n    \),\n\)", "wrong=(),\n)"),
        "law workspace has no false variant",
    ),
    "maximum of another fact": (
        _replace(WORKSPACE, "left=t * C_ws,", "left=t * C_bd,"),
        "law workspace: its left side must speak of C_ws alone",
    ),
    "maximum of two facts": (
        _replace(WORKSPACE, "left=t * C_ws,", "left=t * C_ws - C_bd,"),
        "law workspace: its left side must speak of C_ws alone",
    ),
    "maximum of nothing at t = 1": (
        _replace(WORKSPACE, "left=t * C_ws,", "left=(t - 1) * C_ws,"),
        "law workspace says nothing: its left side is not C_ws times what is always positive",
    ),
    "maximum of itself": (
        _replace(WORKSPACE, "WIDE: D + b * q * F * e}", "WIDE: C_ws}"),
        "law workspace says nothing: an arm speaks of what is measured",
    ),
    "arm that divides": (
        _replace(WORKSPACE, "SCORES: D + b * h * q * c * e", "SCORES: D + b * h * q * c * e / t"),
        "law workspace: ObligationError: divides by t: multiply both sides by it",
    ),
    "left side of a maximum that divides": (
        _replace(WORKSPACE, "left=t * C_ws,", "left=C_ws / t,"),
        "law workspace: ObligationError: divides by t",
    ),
    "maximum of a rule without a plan": (
        _several(
            _replace(WORKSPACE, "boundaries=(DISTRIBUTED_TO_PORTABLE,)", "boundaries=(MODEL_TO_DISTRIBUTED,)"),
            _replace(WORKSPACE, "import DISTRIBUTED_TO_PORTABLE", "import MODEL_TO_DISTRIBUTED"),
        ),
        "planning.workspace: law workspace speaks of memory, which is asked of plans",
    ),
    "caches that cancel out": (
        _replace("inference/cache_traffic.py", "t * K_r,\n            lambda", "K_r - K_r,\n            lambda"),
        "law kv-read (general) says nothing: its left side is not K_r times what is always positive",
    ),
    "caches of themselves": (
        _replace(
            "inference/cache_traffic.py",
            "lambda case: 2 * b * q * k * d * e),\n    ),\n    wrong",
            "lambda case: t * K_w),\n    ),\n    wrong",
        ),
        "law kv-elsewhere (appended) says nothing: its right side speaks of",
    ),
    "law of inference that fails in one case": (
        _replace(
            INFERENCE_TOTAL,
            "return 2 * A * e if case.tensor_parallel else 0",
            "return 2 * A * e // case.tensor_parallel",
        ),
        "law inference-total (message bytes): ",
    ),
}

GOOD: dict[str, Edit] = {
    "untouched": _replace(MLP, "RULE", "RULE"),
    "a file that speaks": _replace(MLP, "\nRULE = ", "\nprint('spoken')\nRULE = "),
    "a comment": _replace(MLP, "\nRULE = ", "\n# A remark.\nRULE = "),
}

LOADER = """
import json, sys
from pathlib import Path
from blueprint.errors import RulebookError
from blueprint.session import open_rulebook
said = {}
for folder in Path(sys.argv[1]).iterdir():
    try:
        book = open_rulebook(folder)
        said[folder.name] = ["loaded", book.digest, book.sources["training.mlp"], len(book.rules)]
    except RulebookError as error:
        said[folder.name] = ["refused", error.message]
print(json.dumps(said))
"""
"""Loads every folder in a process of its own, so that the modules of this one stay those of the shipped rulebook."""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[object]]:
    """What loading says of every edited copy, by the copy's name."""
    place = tmp_path_factory.mktemp("rulebooks")
    edits = GOOD | {name: edit for name, (edit, _) in REFUSED.items()}
    names = dict(zip(edits, (f"copy{number}" for number in range(len(edits))), strict=True))
    for name, edit in edits.items():
        shutil.copytree(FOLDER, place / names[name], ignore=shutil.ignore_patterns("__pycache__"))
        edit(place / names[name])
    ran = subprocess.run([sys.executable, "-B", "-c", LOADER, str(place)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    answers: dict[str, list[object]] = json.loads(ran.stdout)
    return {name: answers[folder] for name, folder in names.items()}


@pytest.mark.parametrize("name", REFUSED)
def test_a_broken_folder_is_refused(said: dict[str, list[object]], name: str) -> None:
    outcome, message = said[name][:2]
    assert outcome == "refused"
    assert REFUSED[name][1] in str(message)


def test_a_copy_is_the_same_rulebook(said: dict[str, list[object]]) -> None:
    assert said["untouched"] == ["loaded", BOOK.digest, BOOK.sources["training.mlp"], len(BOOK.rules)]


def test_a_changed_byte_changes_the_digest(said: dict[str, list[object]]) -> None:
    outcome, digest, source, count = said["a comment"]
    assert (outcome, count) == ("loaded", len(BOOK.rules))
    assert digest != BOOK.digest
    assert source != BOOK.sources["training.mlp"]


def test_what_a_rule_prints_is_not_on_standard_output(said: dict[str, list[object]]) -> None:
    """Anything else than the answers on standard output would have failed to decode."""
    assert said["a file that speaks"][0] == "loaded"


@pytest.mark.parametrize("name", ["missing", "loop", "file", "\x1b[2J" + "x" * 300])
def test_a_folder_that_is_none_is_named(name: str, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").touch()
    with pytest.raises(RulebookError, match="is no folder of rules that can be read") as caught:
        load(tmp_path / name)
    assert caught.value.path == plain(tmp_path / name)
    assert caught.value.diagnostics().isprintable()


def test_the_bytes_that_run_are_the_bytes_in_the_digest(tmp_path: Path) -> None:
    """A compiled file beside the source must not be what is run."""
    folder = tmp_path / "rules"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    source = folder / MLP
    text = source.read_text(encoding="utf-8")
    source.write_text("raise ValueError\n", encoding="utf-8")
    py_compile.compile(str(source), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    source.write_text(text, encoding="utf-8")
    imports = "import sys; from pathlib import Path; from blueprint.rulebook import load"
    script = f"{imports}; print(load(Path(sys.argv[1])).digest)"
    ran = subprocess.run([sys.executable, "-c", script, str(folder)], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout.strip()) == (0, BOOK.digest), ran.stderr
