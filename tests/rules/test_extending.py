"""A folder that extends the shipped rulebook: each way in which it may not fit, and what it may bring."""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import msgspec
import pytest

import blueprint
from blueprint import rulebook
from blueprint.bundle import read_bundle
from blueprint.errors import RulebookError
from blueprint.extension import PLAIN, Extension, load_extension
from blueprint.frontend.models import builtin
from blueprint.frontend.request import inference_request, training_request
from blueprint.ir.common import Role, Stage
from blueprint.outcome import Outcome
from blueprint.pipeline import passes_for
from blueprint.rule import EachTask, OperationSource, PassRule, Source, ValueSource
from blueprint.rulebook import Rulebook, shipped
from blueprint.session import ENTRY_POINTS, open_rulebook, open_theorems, rules_folder

JOBS = 2
REQUEST = training_request(builtin("gpt2"), sequence=64, tensor=2)
STEPS = inference_request(builtin("gpt2"), batch=1, prompt=8, context=9, tensor=2)

ROOT = '"""Rules of mine."""\n\nEXTENDS = "blueprint"\nREVISION = "7"\n'

COUNTING = '''"""Counts the tasks of a snapshot, and reads the count one stage later."""

from dataclasses import replace

import msgspec

from blueprint.analyses import AnalysisKey
from blueprint.extension import Extension, ExtensionPass
from blueprint.ir.common import Stage
from blueprint.passes.plan_training import PlanTransformerTrainingPass
from blueprint.case import Workload
from blueprint.passes.protocol import PassFacts, VerificationPolicy


class Count(msgspec.Struct, frozen=True):
    tasks: int


COUNT = AnalysisKey("count", 1, Count)


class CountingPass:
    facts = PassFacts(
        name="CountingPass",
        revision=1,
        boundary=(Stage.DISTRIBUTED, Stage.DISTRIBUTED),
        provenance=(),
        bindings=(),
        normal_form="",
        produces=(COUNT,),
        policy=VerificationPolicy.UNCHANGED,
    )

    def run(self, ir, context):
        context.analyses.put(COUNT, Count(len(ir.tasks)))
        return ir


class PlanningPass(PlanTransformerTrainingPass):
    facts = replace(PlanTransformerTrainingPass.facts, name="PlanningPass", requires=(COUNT,))

    def run(self, ir, context):
        plan = super().run(ir, context)
        if context.analyses.get(COUNT).tasks != len(plan.tasks):
            raise ValueError
        return plan


EXTENSION = Extension(passes=(ExtensionPass(CountingPass()), ExtensionPass(PlanningPass(), Workload.TRAINING)))
'''

OPERATION = '''"""An operation of mine."""

from blueprint.case import Workload
from blueprint.extension import Extension
from blueprint.workload.extension import ElementwiseOperation
from blueprint.workload.primitives import PhaseWork, TaskWork


def double(elements, e):
    work = TaskWork(elements, elements * e, elements * e)
    return PhaseWork(work, work)


EXTENSION = Extension(
    operations=(
        ElementwiseOperation(
            kind="doubled",
            source="query_projection",
            readers=("scores",),
            workload=Workload.TRAINING,
            primitive="gelu",
            work=double,
            keeps_inputs=False,
            rule="training.mlp_activation",
            tensor_rule="training.activation_tensor",
        ),
    )
)
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The least that extends: nothing is added."""
    (tmp_path / "__init__.py").write_text(ROOT)
    return tmp_path


def with_rule(folder: Path, family: str, name: str, text: str) -> None:
    """Put one rule of a family into the folder, and list it."""
    (folder / family).mkdir()
    (folder / family / "__init__.py").write_text(f'"""A family."""\n\nRULES = ("{name}",)\n')
    (folder / family / f"{name}.py").write_text(text)
    root = folder / "__init__.py"
    root.write_text(f'{root.read_text()}FAMILIES = ("{family}",)\n')


def shipped_text(rule: str) -> str:
    return (shipped("rules") / f"{rule.replace('.', '/')}.py").read_text()


# Rules --------------------------------------------------------------------------------------------------------------


def test_a_folder_that_adds_nothing_has_the_shipped_rules(folder: Path) -> None:
    book, base = open_rulebook(folder), open_rulebook(None)
    assert [rule.id for rule in book.rules] == [rule.id for rule in base.rules]
    assert book.revision == f"{base.revision}+7"
    assert book.digest != base.digest
    assert load_extension(book) is PLAIN


def test_the_digest_covers_every_file(folder: Path) -> None:
    digests = {open_rulebook(folder).digest}
    with_rule(
        folder,
        "mine",
        "gemm",
        shipped_text("training.mlp").replace("training.mlp", "mine.gemm").replace('id="mlp"', 'id="mine-mlp"'),
    )
    digests.add(open_rulebook(folder).digest)
    (folder / "extension.py").write_text(COUNTING)
    digests.add(open_rulebook(folder).digest)
    assert len(digests) == 3


@pytest.mark.parametrize("name", ["__init__.py", "mine/__init__.py", "mine/gemm.py", "extension.py"])
def test_the_digest_covers_every_byte(folder: Path, name: str) -> None:
    text = shipped_text("training.mlp").replace("training.mlp", "mine.gemm").replace('id="mlp"', 'id="mine-mlp"')
    with_rule(folder, "mine", "gemm", text)
    (folder / "extension.py").write_text(COUNTING)
    before = open_rulebook(folder)
    (folder / name).write_text((folder / name).read_text() + "# one more\n")
    after = open_rulebook(folder)
    assert after.digest != before.digest
    assert (after.sources["mine.gemm"] != before.sources["mine.gemm"]) is (name == "mine/gemm.py")
    assert after.extension_source == (folder / "extension.py").read_bytes()


def test_a_file_without_a_rule_and_no_folder_are_no_rules(folder: Path) -> None:
    with pytest.raises(RulebookError, match="is no folder of rules that can be read"):
        open_rulebook(folder / "__init__.py")
    with_rule(folder, "mine", "nothing", '"""Nothing."""\n')
    with pytest.raises(RulebookError, match=r"mine\.nothing: the file defines no RULE"):
        open_rulebook(folder)


def test_a_rulebook_is_at_most_2000_files_of_a_mebibyte_and_16_together() -> None:
    assert (rulebook.FILES_LIMIT, rulebook.FILE_LIMIT, rulebook.FOLDER_LIMIT) == (2000, 2**20, 2**24)


def test_a_shipped_rule_is_replaced_where_it_stands(folder: Path) -> None:
    with_rule(folder, "training", "total", shipped_text("training.total").replace("closed total", "total of mine"))
    with pytest.raises(RulebookError, match=r"training\.total is a shipped rule; name it in REPLACES"):
        open_rulebook(folder)
    root = folder / "__init__.py"
    root.write_text(root.read_text() + 'REPLACES = ("training.total",)\n')
    book, base = open_rulebook(folder), open_rulebook(None)
    assert [rule.id for rule in book.rules] == [rule.id for rule in base.rules]
    (law,) = {law.statement for _, law in book.laws() if law.id == "total-forward"}
    assert law == "all forward tasks together do the total of mine"
    assert book.sources["training.total"] != base.sources["training.total"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('EXTENDS = "another"', 'EXTENDS may say "blueprint"'),
        ('REPLACES = ("training.total",)', "REPLACES names training.total, which is not both"),
        ('REPLACES = ("mine.nothing",)', "REPLACES names mine.nothing, which is not both"),
        ('REPLACES = "training.total"', "REPLACES is no tuple of names"),
        ('REVISION = ""', "REVISION is no text"),
        ("REVISION = 7", "REVISION is no text"),
        ('FAMILIES = ("absent",)', "rules/absent/__init__.py is missing"),
        ("import z3", "a rule may not import z3"),
        ("raise SystemExit(0)", "SystemExit"),
        ("x: nothing = 1", "NameError"),  # nothing of the engine's own settings holds here
        ('FAMILIES = ("primitives", "primitives")', "FAMILIES has a name twice"),
        ('FAMILIES = ("primitives", 7)', "FAMILIES is no tuple of names"),
        ("FAMILIES = ()", "FAMILIES is no tuple of names"),
    ],
)
def test_a_folder_that_does_not_fit_is_refused(folder: Path, line: str, words: str) -> None:
    root = folder / "__init__.py"
    root.write_text(f"{root.read_text()}{line}\n")
    with pytest.raises(RulebookError, match=words):
        open_rulebook(folder)


def test_a_file_in_no_list_is_refused(folder: Path) -> None:
    (folder / "helper.py").write_text("x = 1\n")
    with pytest.raises(RulebookError, match=r"helper\.py is in no list"):
        open_rulebook(folder)


def test_a_complete_rulebook_has_no_extension(tmp_path: Path) -> None:
    shutil.copytree(shipped("rules"), tmp_path / "rules", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "rules" / "extension.py").write_text(COUNTING)
    with pytest.raises(RulebookError, match=r"extension\.py needs EXTENDS"):
        open_rulebook(tmp_path / "rules")


def test_a_folder_that_is_nowhere_is_not_shipped() -> None:
    assert shipped("rules").name == "rules"
    with pytest.raises(RulebookError, match="the folder nothing is neither in the package nor in a checkout"):
        shipped("nothing")


# Where rules are found ------------------------------------------------------------------------------------------------


def test_an_installed_package_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "rules_of_mine"
    package.mkdir()
    (package / "__init__.py").write_text(f"{ROOT}raise RuntimeError('run')\n")
    entry = metadata.EntryPoint("mine", "rules_of_mine", ENTRY_POINTS)
    monkeypatch.setattr(
        "blueprint.session.metadata.entry_points",
        lambda *, group, name="mine": [entry] if (group, name) == (ENTRY_POINTS, "mine") else [],
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    assert rules_folder("mine") == package
    assert "rules_of_mine" not in sys.modules, "it is found, and not run"
    with pytest.raises(RulebookError, match="RuntimeError: run"):
        open_rulebook("mine")
    with pytest.raises(RulebookError, match="installed are mine"):
        open_rulebook("nobody")


def test_proofs_beside_the_rules_come_first_and_the_shipped_ones_after(folder: Path) -> None:
    book = open_rulebook(folder)
    law = ("primitives.gelu", "gelu", "forward", "")
    status, _ = open_theorems(book, folder).lookup(*law)
    assert status.value == "recorded", "nothing of the derivation has changed"
    (folder / "extension.py").write_text(COUNTING)
    status, _ = open_theorems(open_rulebook(folder), folder).lookup(*law)
    assert status.value == "absent", "what is derived may have changed with the extension"


# What an extension brings ---------------------------------------------------------------------------------------------


@pytest.fixture
def counting(folder: Path) -> Path:
    (folder / "extension.py").write_text(COUNTING)
    return folder


def test_passes_stand_in_their_places(counting: Path) -> None:
    extension = load_extension(open_rulebook(counting))
    names = [each.facts.name for each in passes_for(REQUEST, extension)]
    assert names == ["DistributeTransformerTrainingPass", "CountingPass", "PlanningPass"]
    names = [each.facts.name for each in passes_for(STEPS, extension)]
    assert names == ["DistributeTransformerInferencePass", "CountingPass", "PlanTransformerInferencePass"]


@pytest.mark.parametrize("request_", [REQUEST, STEPS], ids=["training", "inference"])
def test_a_bundle_under_an_extension_is_verified_with_it_alone(counting: Path, request_: object) -> None:
    data = blueprint.derive(request_, rules=counting, jobs=JOBS)  # type: ignore[arg-type]
    bundle = read_bundle(data)
    assert [each.stage for each in bundle.transitions][:2] == [Stage.DISTRIBUTED, Stage.PORTABLE]
    assert blueprint.verify(data, rules=counting, jobs=JOBS).verdict is Outcome.VERIFIED
    assert blueprint.verify(data, jobs=JOBS).verdict is Outcome.NOT_ESTABLISHED


def test_the_pass_of_an_extension_is_in_the_bundle(counting: Path) -> None:
    data = blueprint.derive(REQUEST, rules=counting, jobs=JOBS)
    bundle = read_bundle(data)
    planned = bundle.transitions[1]
    assert (planned.contract.name, planned.contract.required_analyses) == ("PlanningPass", ("count/1",))
    contract = msgspec.structs.replace(planned.contract, required_analyses=())
    forged = msgspec.structs.replace(
        bundle, transitions=(bundle.transitions[0], msgspec.structs.replace(planned, contract=contract))
    )
    report = blueprint.verify(blueprint.codec.encode(forged), rules=counting, jobs=JOBS)
    assert "contract" in {each.code for each in report.diagnostics}


def _behind(kind: str) -> Callable[[str], str]:
    """The operation put behind another one. What a collective or selective recompute takes as one is not divided."""
    return lambda text: text.replace('"query_projection"', f'"{kind}"')


REFUSED: dict[str, tuple[Callable[[str], str], str]] = {
    "no value": (lambda text: text.replace("EXTENSION =", "OTHER ="), "defines no EXTENSION"),
    "another value": (lambda text: text + "EXTENSION = 7\n", "defines no EXTENSION"),
    "a list": (lambda text: text + "EXTENSION = Extension(operations=[])\n", "operations must be a tuple"),
    "no operation": (lambda text: text + "EXTENSION = Extension(operations=(7,))\n", "of ElementwiseOperation"),
    "no pass": (lambda text: text + "EXTENSION = Extension(passes=(7,))\n", "passes must be a tuple of ExtensionPass"),
    "no facts": (
        lambda text: (
            text + "from blueprint.extension import ExtensionPass\nEXTENSION = Extension(passes=(ExtensionPass(7),))\n"
        ),
        "int is no pass",
    ),
    "twice": (
        lambda text: text + "EXTENSION = Extension(operations=EXTENSION.operations * 2)\n",
        "doubled is given twice",
    ),
    "a closed place": (lambda text: text.replace('"query_projection"', '"scores"'), "nothing can be put behind scores"),
    **{
        f"behind {kind}": (_behind(kind), f"nothing can be put behind {kind}")
        for kind in (
            *("attention_norm", "mlp_norm", "output_projection", "down_projection", "softmax", "attention_dropout"),
        )
    },
    "a cached place": (
        lambda text: text.replace('"query_projection"', '"key_projection"').replace("TRAINING", "INFERENCE"),
        "nothing can be put behind key_projection",
    ),
    "no formula": (lambda text: text.replace('"gelu"', '"swish"'), "no rule states the formula of swish"),
    "work of no kind": (
        lambda text: text.replace("return PhaseWork(work, work)", "return 7"),
        "operation doubled: its work gives no PhaseWork",
    ),
    "work that divides": (
        lambda text: text.replace("return PhaseWork(work, work)", "return PhaseWork(1 / work, work)"),
        "operation doubled: its work, which is made of numbers",
    ),
    "no rule": (lambda text: text, "training.mlp_activation is no rule for operations of this kind"),
    "an error": (lambda text: text + "1 / 0\n", "ZeroDivisionError"),
    "an annotation of nothing": (lambda text: text + "x: nothing = 1\n", "NameError"),
    "an exit": (lambda text: text + "raise SystemExit(0)\n", "SystemExit"),
}


@pytest.mark.parametrize(("change", "words"), REFUSED.values(), ids=REFUSED)
def test_an_extension_that_does_not_fit_is_refused(folder: Path, change: Callable[[str], str], words: str) -> None:
    (folder / "extension.py").write_text(change(OPERATION))
    book = open_rulebook(folder)
    with pytest.raises(RulebookError, match=words):
        load_extension(book)


def with_signatures(**signatures: Source) -> Rulebook:
    """The shipped rules with other sources, and the operation beside them."""
    book = open_rulebook(None)
    rules = [
        replace(rule, signature=signatures[name])
        if isinstance(rule, PassRule) and (name := rule.id.partition(".")[2]) in signatures
        else rule
        for rule in book.rules
    ]
    return replace(book, rules=tuple(rules), extension_source=OPERATION.encode())


DEMANDING = OperationSource(("gelu", "doubled"))


def test_an_operation_needs_a_rule_for_itself_and_one_for_what_it_makes() -> None:
    made = ValueSource((Role.ACTIVATION,), ("doubled", None))
    (operation,) = load_extension(with_signatures(mlp_activation=DEMANDING, activation_tensor=made)).operations
    assert (operation.kind, operation.source, operation.readers) == ("doubled", "query_projection", ("scores",))
    for source in (OperationSource(("gelu",)), replace(made, producers=("doubled",))):
        with pytest.raises(RulebookError, match="is no rule for operations of this kind"):
            load_extension(with_signatures(mlp_activation=source, activation_tensor=made))
    for other in (DEMANDING, replace(made, producers=("gelu", None)), replace(made, producers=None), EachTask()):
        with pytest.raises(RulebookError, match="is no rule for the values that it makes"):
            load_extension(with_signatures(mlp_activation=DEMANDING, activation_tensor=other))
    book = with_signatures(mlp_activation=DEMANDING, activation_tensor=made)
    for rule in ("mlp_activation", "activation_tensor"):
        text = OPERATION.replace(f"training.{rule}", "training.nothing")
        with pytest.raises(RulebookError, match=r"training\.nothing is no rule for"):
            load_extension(replace(book, extension_source=text.encode()))


def test_the_plain_extension_is_empty() -> None:
    assert Extension((), ()) == PLAIN
