"""The worked extension, written from the documents alone: it is proved, its bundles verified, its faults refuted."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import msgspec
import pytest

import blueprint
from blueprint.bundle import Bundle, read_bundle
from blueprint.codec import encode
from blueprint.frontend.models import builtin
from blueprint.frontend.request import inference_request, training_request
from blueprint.ir.common import Stage
from blueprint.ir.distributed import DistributedTaskIR, Task
from blueprint.ir.request import Attention, Communication, Recompute, Request, Scope, TargetKind
from blueprint.outcome import Outcome, Status, TheoremStatus
from blueprint.proving import ProofReport, prove
from blueprint.report.text import render
from blueprint.rulebook import shipped

HERE = Path(__file__).parent
FOLDER = HERE / "query_scaling"
JOBS = 2

GPT2 = builtin("gpt2")
BLOCK = training_request(GPT2, sequence=64, batch=2, tensor=2, recompute=Recompute.SELECTIVE)
STEPS = inference_request(GPT2, batch=2, prompt=16, context=24, tensor=2)
REQUESTS: dict[str, Request] = {
    "training": BLOCK,
    "full recompute on one rank": training_request(GPT2, sequence=64, tensor=1, recompute=Recompute.FULL),
    "a bound stage": training_request(
        GPT2,
        sequence=64,
        tensor=2,
        pipeline=6,
        data=2,
        zero=3,
        stage=1,
        scope=Scope.STACK,
        recompute=Recompute.FULL,
        communication=Communication.SEQUENCE_PARALLEL,
        target=TargetKind.QUEUE,
        emit=True,
    ),
    "inference": STEPS,
    "bound inference": inference_request(
        GPT2,
        batch=2,
        prompt=16,
        context=24,
        tensor=2,
        target=TargetKind.SLOT,
        attention=Attention.TILED,
        emit=True,
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy, so that proofs lie beside it."""
    return copied(tmp_path_factory.mktemp("extension"))


def copied(place: Path) -> Path:
    return shutil.copytree(FOLDER, place / "query_scaling", ignore=shutil.ignore_patterns("__pycache__", "proofs"))


@pytest.fixture(scope="module")
def proved(folder: Path) -> ProofReport:
    """Every theorem, the shipped ones included: they speak of the block with the operation in it."""
    return prove(rules=folder, jobs=JOBS)


def change(folder: Path, file: str, old: str, new: str) -> None:
    text = (folder / file).read_text()
    assert text.count(old) >= 1
    (folder / file).write_text(text.replace(old, new))


# Proved ---------------------------------------------------------------------------------------------------------------


def test_every_law_is_proved_and_every_false_variant_refuted(proved: ProofReport) -> None:
    assert (proved.outcome, proved.findings) == (Outcome.VERIFIED, ())
    ours = {(row.law, row.form): row for row in proved.rows if row.rule.startswith("scaling.")}
    assert ours["query-scale", "general"].verdict is Status.PROVED
    assert ours["query-scale", "general"].cases == 96
    assert ours["inference-query-scale", "general"].verdict is Status.PROVED
    assert {row.verdict for row in ours.values() if row.negative} == {Status.REFUTED}
    assert sum(row.negative for row in ours.values()) > 15
    assert len(proved.rows) > len(ours), "the shipped laws are proved again"


FAULTS: dict[str, tuple[str, str, str, str]] = {
    "hidden width for heads": (
        "scaling.training_tasks",
        "scaling/training_tasks.py",
        "lambda case: B * S * h * d)",
        "lambda case: B * S * H)",
    ),
    "not divided by t": (
        "scaling.inference_tasks",
        "scaling/inference_tasks.py",
        "t * W, lambda case: b * q * h * d)",
        "W, lambda case: b * q * h * d)",
    ),
    "a formula of two operations": (
        "scaling.primitive",
        "scaling/primitive.py",
        "Phase.FORWARD: Formula(E,",
        "Phase.FORWARD: Formula(2 * E,",
    ),
    "repeated on every rank": (
        "scaling.rank_sum",
        "scaling/rank_sum.py",
        "t * W, lambda case: W_0",
        "W, lambda case: W_0",
    ),
    "a derivation of two operations": (
        "scaling.primitive",
        "extension.py",
        "TaskWork(elements,",
        "TaskWork(elements + elements,",
    ),
}


@pytest.mark.parametrize(("rule", "file", "old", "new"), FAULTS.values(), ids=FAULTS)
def test_a_wrong_law_or_a_wrong_derivation_is_refuted(tmp_path: Path, rule: str, file: str, old: str, new: str) -> None:
    folder = copied(tmp_path)
    change(folder, file, old, new)
    report = prove(rules=folder, only=(rule,), jobs=JOBS)
    assert report.outcome is Outcome.REFUTED
    assert any(each.code == "law.theorem" and ": is refuted" in each.message for each in report.findings)


@pytest.mark.parametrize("rule", ["training.total", "inference.total", "inference.cache_traffic"])
def test_a_shipped_total_that_is_not_restated_is_refuted(tmp_path: Path, rule: str) -> None:
    folder = copied(tmp_path)
    file = f"{rule.replace('.', '/')}.py"
    shutil.copyfile(shipped("rules") / file, folder / file)
    report = prove(rules=folder, only=(rule,), jobs=JOBS)
    assert report.outcome is Outcome.REFUTED
    assert "law.group" in {each.code for each in report.findings}, "there is one task more than the law says"


# Rehearsed ------------------------------------------------------------------------------------------------------------

MISFITS: dict[str, tuple[str, str, str, str]] = {
    "no task for what full recompute makes again": (
        "scaling/training_tasks.py",
        r"        compute\(\n            Phase\.RECOMPUTE,.*?\n        \),\n",
        "",
        "full",
    ),
    "no tensor for it": ("scaling/training_tensor.py", r"        TensorTarget\(Version\.RECOMPUTED.*?\n", "", "full"),
    "wrong data flow": (
        "scaling/training_tasks.py",
        r"reads=\(gradient\(\),\)",
        "reads=(gradient(), saved(X))",
        "none",
    ),
    "no gradient": ("scaling/training_tensor.py", r"        TensorTarget\(Version\.GRADIENT.*?\n", "", "none"),
}


@pytest.mark.parametrize(("file", "old", "new", "case"), MISFITS.values(), ids=MISFITS)
def test_rules_that_demand_less_than_is_derived_are_found_by_prove(
    tmp_path: Path, file: str, old: str, new: str, case: str
) -> None:
    folder = copied(tmp_path)
    text = (folder / file).read_text()
    changed = re.sub(old, new, text, count=1, flags=re.DOTALL)
    assert changed != text
    (folder / file).write_text(changed)
    report = prove(rules=folder, only=("scaling.rank_sum",), jobs=JOBS)
    found = [each for each in report.findings if each.code == "rule.targets"]
    assert found
    assert report.outcome is Outcome.REFUTED
    assert f"in the case recompute={case}" in found[0].message


# Derived and verified -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_what_is_derived_under_it_is_verified(folder: Path, proved: ProofReport, request_: Request) -> None:
    assert proved.outcome is Outcome.VERIFIED
    data = blueprint.derive(request_, rules=folder, jobs=JOBS)
    report = blueprint.verify(data, rules=folder, jobs=JOBS)
    assert report.verdict is Outcome.VERIFIED
    laws = [law for each in report.transitions for law in each.laws]
    assert {law.theorem for law in laws} <= {TheoremStatus.RECORDED, TheoremStatus.NONE}
    assert {law.status for law in laws if "query-scale" in law.id} <= {Status.PROVED, Status.NOT_APPLICABLE}
    assert any("query-scale" in law.id and law.status is Status.PROVED for law in laws)
    assert "replaced rules: training.total, inference.total, inference.cache_traffic" in render(report).splitlines()


def test_the_numbers_are_those_of_the_definition(folder: Path) -> None:
    """B S h d / t by hand: 2 sequences of 64 tokens, 12 heads of 64, over 2 ranks; two bytes an element."""
    bundle = read_bundle(blueprint.derive(BLOCK, rules=folder, jobs=JOBS))
    work = {task.name: task.work for task in distributed(bundle).tasks if task.primitive == "query_scale"}
    elements = 2 * 64 * 12 * 64 // 2
    assert set(work) == {"query_scale.forward", "query_scale.activation_gradient"}
    assert {(each.operations, each.read_bytes, each.write_bytes) for each in work.values()} == {
        (elements, 2 * elements, 2 * elements)
    }


def distributed(bundle: Bundle) -> DistributedTaskIR:
    (found,) = [each.snapshot for each in bundle.stages if each.stage is Stage.DISTRIBUTED]
    assert isinstance(found, DistributedTaskIR)
    return found


def test_it_is_verified_under_no_other_rulebook(folder: Path) -> None:
    data = blueprint.derive(BLOCK, rules=folder, jobs=JOBS)
    assert blueprint.verify(data, jobs=JOBS).verdict is not Outcome.VERIFIED
    data = blueprint.derive(BLOCK, jobs=JOBS)
    assert blueprint.verify(data, rules=folder, jobs=JOBS).verdict is not Outcome.VERIFIED


def one_more(task: Task) -> Task:
    """One operation more in the task of the extension; no id depends on it."""
    if task.name != "query_scale.forward":
        return task
    return msgspec.structs.replace(task, work=msgspec.structs.replace(task.work, operations=task.work.operations + 1))


def test_a_false_number_is_refuted_by_its_claim_and_its_law(folder: Path) -> None:
    bundle = read_bundle(blueprint.derive(BLOCK, rules=folder, jobs=JOBS))
    false = msgspec.structs.replace(distributed(bundle), tasks=tuple(map(one_more, distributed(bundle).tasks)))
    stages = tuple(
        msgspec.structs.replace(each, snapshot=false) if each.stage is Stage.DISTRIBUTED else each
        for each in bundle.stages
    )
    report = blueprint.verify(encode(msgspec.structs.replace(bundle, stages=stages)), rules=folder, jobs=JOBS)
    assert report.verdict is Outcome.REFUTED
    codes = {each.code for each in report.diagnostics}
    assert {"claim.exact_work", "law.query-scale", "law.total-forward"} <= codes
