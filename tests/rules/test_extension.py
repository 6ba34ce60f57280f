"""What an extension may bring, checked on its text: where an operation stands, by which rules, and what a pass is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from blueprint.case import Workload
from blueprint.errors import RulebookError
from blueprint.extension import Extension, load_extension
from blueprint.ir.common import Role
from blueprint.rule import EachTask, OperationSource, PassRule, Rule, Source, ValueSource
from blueprint.rulebook import Rulebook
from tests.gate.small import BOOK
from tests.rules.test_extending import OPERATION

BRINGING = """
from blueprint.extension import Extension, ExtensionPass
from blueprint.passes.plan_training import PlanTransformerTrainingPass


class PlanningPass(PlanTransformerTrainingPass):
    pass


EXTENSION = Extension(passes=(ExtensionPass(PlanningPass()),))
"""

SOURCES: dict[str, Source] = {
    "mlp_activation": OperationSource(("gelu", "doubled")),
    "activation_tensor": ValueSource((Role.ACTIVATION,), ("doubled", None)),
}


def book_of(text: str, workloads: Mapping[str, Workload | None] | None = None) -> Rulebook:
    """The shipped rules, of which those of either workload speak of the operation, too; some in other workloads."""
    rules: list[Rule] = []
    for rule in BOOK.rules:
        name = rule.id.partition(".")[2]
        if isinstance(rule, PassRule) and name in SOURCES:
            workload = (workloads or {}).get(rule.id, rule.workload)
            rules.append(replace(rule, signature=SOURCES[name], workload=workload))
        else:
            rules.append(rule)
    return replace(BOOK, rules=tuple(rules), extension_source=text.encode())


def changed(*changes: tuple[str, str]) -> str:
    text = OPERATION
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def of_inference(*changes: tuple[str, str]) -> str:
    return changed(("Workload.TRAINING", "Workload.INFERENCE"), ('"training.', '"inference.'), *changes)


def loaded(text: str, workloads: Mapping[str, Workload | None] | None = None) -> Extension:
    return load_extension(book_of(text, workloads))


def refused(text: str, workloads: Mapping[str, Workload | None] | None = None) -> str:
    with pytest.raises(RulebookError) as caught:
        loaded(text, workloads)
    return caught.value.message


@pytest.mark.parametrize("source", ["key_projection", "value_projection"])
def test_what_inference_keeps_in_a_cache_is_closed_to_inference_alone(source: str) -> None:
    behind = ('"query_projection"', f'"{source}"')
    assert loaded(changed(behind)).operations[0].source == source
    assert loaded(of_inference()).operations[0].workload is Workload.INFERENCE
    assert refused(of_inference(behind)) == f"operation doubled: nothing can be put behind {source}"


@pytest.mark.parametrize("rule", ["mlp_activation", "activation_tensor"])
def test_both_rules_of_an_operation_are_of_its_workload_or_of_both(rule: str) -> None:
    words = "is a rule of inference, the operation is not"
    foreign = changed((f'"training.{rule}"', f'"inference.{rule}"'))
    assert refused(foreign) == f"operation doubled: inference.{rule} {words}"
    assert loaded(foreign, {f"inference.{rule}": None}).operations
    words = "is a rule of training, the operation is not"
    foreign = of_inference((f'"inference.{rule}"', f'"training.{rule}"'))
    assert refused(foreign) == f"operation doubled: training.{rule} {words}"


@pytest.mark.parametrize("name", ["training.nothing", "primitives.gelu", "planning.memory", "training.mlp_activation"])
def test_what_an_operation_names_as_its_rules_are_such(name: str) -> None:
    """No rule, one of another kind, and one of a pass that speaks of something else."""
    if name != "training.mlp_activation":
        words = f"operation doubled: {name} is no rule for operations of this kind"
        assert refused(changed(('"training.mlp_activation"', f'"{name}"'))) == words
    words = f"operation doubled: {name} is no rule for the values that it makes"
    assert refused(changed(('"training.activation_tensor"', f'"{name}"'))) == words


@pytest.mark.parametrize(
    ("signature", "words"),
    [
        (
            {"mlp_activation": OperationSource(("gelu",))},
            "training.mlp_activation is no rule for operations of this kind",
        ),
        ({"mlp_activation": EachTask()}, "training.mlp_activation is no rule for operations of this kind"),
        *(
            ({"activation_tensor": source}, "training.activation_tensor is no rule for the values that it makes")
            for source in (
                *(ValueSource((Role.ACTIVATION,), each) for each in (("gelu", None), (), None)),
                OperationSource(("doubled",)),
            )
        ),
    ],
)
def test_rules_that_do_not_speak_of_the_operation_are_none_for_it(
    monkeypatch: pytest.MonkeyPatch, signature: dict[str, Source], words: str
) -> None:
    for name, source in signature.items():
        monkeypatch.setitem(SOURCES, name, source)
    assert refused(OPERATION) == f"operation doubled: {words}"


@pytest.mark.parametrize("readers", ['"scores"', '["scores"]', "(7,)", '("scores", None)', "None"])
def test_the_readers_of_an_operation_are_names(readers: str) -> None:
    words = "rules/extension.py: readers must be a tuple of str"
    assert refused(changed(('("scores",)', readers))) == words


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("del EXTENSION", "rules/extension.py defines no EXTENSION"),
        ("EXTENSION = Extension", "rules/extension.py defines no EXTENSION"),
        ("EXTENSION = Extension(EXTENSION.operations * 2)", "operation doubled is given twice"),
        *(
            (
                f"EXTENSION = Extension({value})",
                "rules/extension.py: operations must be a tuple of ElementwiseOperation",
            )
            for value in ("[]", "list(EXTENSION.operations)", "(*EXTENSION.operations, 7)")
        ),
        *(
            (f"EXTENSION = Extension((), {value})", "rules/extension.py: passes must be a tuple of ExtensionPass")
            for value in ("[]", "(7,)", "EXTENSION.operations")
        ),
    ],
)
def test_an_extension_is_one_value_of_tuples(line: str, words: str) -> None:
    assert refused(f"{OPERATION}\n{line}\n") == words


def test_one_operation_may_stand_in_both_workloads() -> None:
    other = "dataclasses.replace(EXTENSION.operations[0], workload=Workload.INFERENCE)"
    foreign = {"training.mlp_activation": None, "training.activation_tensor": None}
    text = f"{OPERATION}\nimport dataclasses\nEXTENSION = Extension((*EXTENSION.operations, {other}))\n"
    assert [each.workload for each in loaded(text, foreign).operations] == [Workload.TRAINING, Workload.INFERENCE]


@pytest.mark.parametrize("line", ["if isinstance(elements, int): raise ValueError", "elements.bit_length()"])
def test_the_work_of_an_operation_is_tried_with_integers_and_with_symbols(line: str) -> None:
    text = changed(("    work = ", f"    {line}\n    work = "))
    assert refused(text).startswith("operation doubled: its work, which is made of numbers with + and * alone: ")


@pytest.mark.parametrize("kind", ["int", "Symbolic"])
def test_the_work_of_an_operation_is_work_with_either(kind: str) -> None:
    test = f'    if type(elements).__name__ == "{kind}":\n        return 7\n    return '
    assert refused(changed(("    return ", test))) == "operation doubled: its work gives no PhaseWork"


def test_a_pass_is_an_instance_with_facts_that_can_run() -> None:
    (made,) = loaded(BRINGING).passes
    assert (made.derivation_pass.facts.name, made.workload) == ("PlanTransformerTrainingPass", None)
    words = "PlanningPass is a class; a pass is an instance of it"
    assert refused(BRINGING.replace("PlanningPass()", "PlanningPass")) == words
    words = "rules/extension.py: PlanningPass is no pass: it needs facts and run"
    for without in ("facts = None", "run = None"):
        assert refused(BRINGING.replace("    pass\n", f"    {without}\n")) == words
    for name in ("facts", "run"):
        alone = f"class PlanningPass:\n    {name} = PlanTransformerTrainingPass.{name}\n\n\nEXTENSION"
        assert refused(BRINGING.replace("EXTENSION", alone, 1)) == words


def test_an_extension_knows_its_file_and_finds_itself_by_the_name_of_its_package() -> None:
    known = (
        'import sys\n(sys.modules["blueprint.rules.extension"].__file__, __file__) == ("extension.py",) * 2 or 1 / 0\n'
    )
    assert loaded(known + BRINGING).passes


def test_what_an_extension_prints_is_no_part_of_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert loaded(f'print("loaded")\n{BRINGING}').passes
    assert capsys.readouterr() == ("", "loaded\n")
