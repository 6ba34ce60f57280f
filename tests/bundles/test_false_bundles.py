"""False bundles, sealed again so that only the meaning is wrong: the named claim or law refutes each, without replay.

First the false bundles that a planner could meet, built from one block of GPT-3 175B. Then one operator for every field
of every structure of a bundle, with the claim, law or step that stops it.
"""

from __future__ import annotations

import atexit
import re
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

import msgspec
import pytest

from blueprint import cli
from blueprint.bundle import Bundle
from blueprint.codec import decode, encode
from blueprint.derivation import derive
from blueprint.exit import ExitCode
from blueprint.frontend.block import model_ir
from blueprint.frontend.request import deployment_of
from blueprint.ir.common import Branch, Stage
from blueprint.ir.portable import InferenceMemory, TrainingMemory
from blueprint.ir.request import Request
from blueprint.outcome import Outcome, Report, Status
from blueprint.verification import verify, verify_without_replay
from tests.bundles.branches import DECODE, PREFILL, TINY_STEPS, BranchDraft
from tests.bundles.conftest import GPT3_REQUEST, JOBS, TINY_REQUEST, Memory, lasting_pool, shared
from tests.reseal import KINDS, STAGES, Draft, Plain, copied, mapped, new_id, recorded, without

MODEL, DISTRIBUTED, PORTABLE = Stage.MODEL, Stage.DISTRIBUTED, Stage.PORTABLE

Change = Callable[[Draft], None]


def codes(report: Report) -> set[str]:
    """The codes of a report's findings, apart from the note that replay was off."""
    return {finding.code for finding in report.diagnostics} - {"replay.off"}


def families(report: Report) -> set[str]:
    """The families of the codes of a report."""
    return {code.partition(".")[0] for code in codes(report)}


def failed(report: Report) -> set[tuple[str, str, str]]:
    """Every field that a counterexample shows to be wrong: its name, what was found, what it should be."""
    return {
        (fact.field, fact.found, fact.expected)
        for transition in report.transitions
        for relation in transition.relations
        for claim in relation.claims
        for fact in claim.failed
    }


def dimensions(report: Report, statement: str) -> dict[str, str]:
    """The values of the first counterexample to a statement that begins so."""
    found = [
        row.counterexample.values
        for row in report.obligations
        if row.counterexample and row.statement.startswith(statement)
    ]
    return dict(found[0]) if found else {}


def exit_code(data: bytes, folder: Path, *options: str) -> int:
    """The status of `blueprint verify` on these bytes."""
    path = folder / "false.bundle.json"
    path.write_bytes(data)
    return cli.run(("--quiet", "verify", str(path), "--jobs", str(JOBS), "-o", str(folder / "report.txt"), *options))


# False bundles that a planner could meet -----------------------------------------------------------------------------


def task(draft: Draft, name: str, stage: Stage = DISTRIBUTED) -> Plain:
    return draft.entity(stage, "tasks", name)


def value(draft: Draft, name: str) -> Plain:
    return draft.entity(DISTRIBUTED, "values", name)


def tasks(draft: Draft) -> list[Plain]:
    return draft.entities(DISTRIBUTED, "tasks")


def values(draft: Draft) -> list[Plain]:
    return draft.entities(DISTRIBUTED, "values")


def wrong_qkv_work(draft: Draft) -> None:
    """The query projection does its work twice, in both stages."""
    task(draft, "query_projection.forward")["work"]["operations"] *= 2
    draft.derive_again(PORTABLE)


def shape_and_work_together(draft: Draft) -> None:
    """Twice the key heads: shapes, shards, operands and work agree with each other, and not with the model."""
    for name, axis in (("key_projection.forward", 2), ("key_projection.weight.forward", 1)):
        value(draft, name)["shape"][axis] *= 2
        value(draft, name)["local_shape"][axis] *= 2
    key = task(draft, "key_projection.forward")
    m, n, k = (operand["size"] for operand in key["operands"])
    key["operands"][2]["size"] = 2 * k
    key["work"] |= {"operations": 4 * m * n * k, "read_bytes": 2 * (m * n + 2 * n * k), "write_bytes": 4 * m * k}
    draft.derive_again(PORTABLE)


def one_task_dropped(draft: Draft) -> None:
    """No weight gradient of the value projection; its results are gone, and the optimizer does not ask for them."""
    lost = task(draft, "value_projection.weight_gradient")
    snapshot = draft.snapshot(DISTRIBUTED)
    snapshot["tasks"] = without(tasks(draft), lost["name"])
    snapshot["values"] = [each for each in values(draft) if each["id"] not in lost["outputs"]]
    for each in tasks(draft):
        each["inputs"] = [name for name in each["inputs"] if name not in lost["outputs"]]
    draft.derive_again(PORTABLE)


def one_task_invented(draft: Draft) -> None:
    """A second query projection with the lineage of the first. It writes nothing, so nothing else changes."""
    extra = copied(
        task(draft, "query_projection.forward"), id=new_id("task", "again"), name="query_projection.again", outputs=[]
    )
    tasks(draft).append(extra)
    draft.derive_again(PORTABLE)


def idle_task_invented(draft: Draft) -> None:
    """As before, but without any work, so that no sum changes."""
    idle = dict.fromkeys(("operations", "read_bytes", "write_bytes", "message_bytes"), 0)
    extra = copied(
        task(draft, "query_projection.forward"),
        id=new_id("task", "idle"),
        name="query_projection.idle",
        outputs=[],
        work=idle,
    )
    tasks(draft).append(extra)
    draft.derive_again(PORTABLE)


def queries_and_keys_swapped(draft: Draft) -> None:
    task(draft, "scores.forward")["inputs"].reverse()
    draft.derive_again(PORTABLE)


def half_a_payload(draft: Draft) -> None:
    gather = task(draft, "attention_norm.collective.forward")
    gather["work"]["message_bytes"] //= 2
    gather["collective"]["message_bytes"] //= 2
    draft.derive_again(PORTABLE)


def ranks_of(draft: Draft) -> Iterator[list[int]]:
    """Every list of ranks, but the mesh's."""
    for each in (*tasks(draft), *values(draft)):
        yield each["ranks"]
        if "collective" in each:
            yield each["collective"]["participants"]


def one_rank_missing(draft: Draft) -> None:
    """Rank 7 holds nothing, does nothing and takes part in nothing."""
    for ranks in ranks_of(draft):
        ranks.remove(7)
    draft.derive_again(PORTABLE)


def one_rank_of_another_group(draft: Draft) -> None:
    """Rank 8, of the next group, in the place of rank 7, in the mesh as well."""
    for ranks in (*ranks_of(draft), draft.snapshot(DISTRIBUTED)["mesh"]["ranks"]):
        ranks[7] = 8
    draft.derive_again(PORTABLE)


def one_input_cut(draft: Draft) -> None:
    """The context no longer waits for the values."""
    task(draft, "context.forward")["inputs"].pop()
    draft.derive_again(PORTABLE)


def one_dependency_cut(draft: Draft) -> None:
    """As before, but only the plan's dependency is lost; the data flow is whole."""
    task(draft, "context.forward", PORTABLE)["dependencies"].pop()


def work_moved(draft: Draft) -> None:
    """From the query to the key projection: their sum, and every total, is right."""
    task(draft, "query_projection.forward")["work"]["operations"] -= 2048
    task(draft, "key_projection.forward")["work"]["operations"] += 2048
    draft.derive_again(PORTABLE)


def narrower() -> Request:
    """GPT-3 175B in name, with two thirds of its feed-forward width in fact."""
    facts = msgspec.structs.replace(GPT3_REQUEST.model, feedforward=32768)
    return msgspec.structs.replace(GPT3_REQUEST, model=facts)


def model_of_other_facts(draft: Draft) -> None:
    draft.replace(MODEL, model_ir(narrower()))


def everything_of_other_facts(draft: Draft) -> None:
    """All three stages of another model, each consistent with the others, under this request."""
    ours = draft.data["request"]
    draft.data["request"] = draft_of(narrower()).request
    draft.derive_again(MODEL)
    draft.data["request"] = ours


def draft_of(request: Request) -> Draft:
    return Draft(encode({"request": request}))


class Forgery(NamedTuple):
    """A false bundle and what must be said of it."""

    change: Change
    codes: set[str]
    """Findings that name the fault; more are welcome, but none of another family."""
    facts: set[tuple[str, str, str]]
    """Fields that counterexamples show: name, found, expected."""
    statement: str
    dimensions: dict[str, str]
    """What the counterexample to this statement says of the model's dimensions."""


BLOCK = {"B": "1", "S": "2048", "H": "12288", "t": "8"}
INVENTED = {"coverage.unexpected", "law.total-forward"}

FORGERIES = [
    Forgery(
        wrong_qkv_work,
        {"claim.exact_work", "law.qkv-projection", "law.total-forward", "law.gemm"},
        {("query_projection.forward.operations", "154618822656", "77309411328")},
        "law qkv-projection (classical)",
        BLOCK,
    ),
    Forgery(
        shape_and_work_together,
        {
            "claim.tensor_type",
            "claim.shard_coverage",
            "claim.operand_sizes",
            "claim.exact_work",
            "law.qkv-projection",
            "law.total-forward",
        },
        {
            ("key_projection.forward.shape[2]", "192", "96"),
            ("key_projection.weight.forward.local_shape[1]", "24", "12"),
            ("key_projection.forward.size[2]", "3072", "1536"),
            ("key_projection.forward.operations", "154618822656", "77309411328"),
        },
        "operand_sizes of training.qkv_projection",
        {"batch": "1", "sequence": "2048", "hidden": "12288", "key_value_heads": "96", "t": "8", "head_width": "128"},
    ),
    Forgery(
        one_task_dropped,
        {"coverage.missing", "claim.data_flow", "law.total-weight-gradient"},
        {("optimizer.inputs count", "30", "32")},
        "law total-weight-gradient (operations)",
        {"members": "8"},
    ),
    Forgery(one_task_invented, INVENTED, set(), "law total-forward (operations)", {"members": "21"}),
    Forgery(idle_task_invented, INVENTED, set(), "law total-forward (operations)", {"members": "21"}),
    Forgery(
        queries_and_keys_swapped,
        {"claim.data_flow"},
        {
            ("scores.forward.inputs[0]", "key_projection.forward", "query_projection.forward"),
            ("scores.forward.inputs[1]", "query_projection.forward", "key_projection.forward"),
        },
        "data_flow of training.attention_matmul: scores.forward",
        {"scores.forward.inputs count": "2"},
    ),
    Forgery(
        half_a_payload,
        {"claim.collective_volume", "claim.exact_work", "law.tp-payload", "law.total-forward"},
        {("attention_norm.collective.forward.collective.message_bytes", "25165824", "50331648")},
        "law tp-payload",
        {"B": "1", "S": "2048", "H": "12288", "e": "2"},
    ),
    Forgery(
        one_rank_missing,
        {"claim.logical_ranks", "claim.collective_volume"},
        {
            ("scores.forward.ranks count", "7", "8"),
            ("attention_norm.collective.forward.collective.participants count", "7", "8"),
        },
        "logical_ranks of training",
        {"t": "8"},
    ),
    Forgery(
        one_rank_of_another_group,
        {"claim.logical_ranks", "claim.collective_volume", "claim.interface"},
        {("scores.forward.ranks last", "8", "7"), ("mesh.ranks last", "8", "7")},
        "interface of training.total",
        {"t": "8"},
    ),
    Forgery(
        one_input_cut,
        {"claim.data_flow"},
        {("context.forward.inputs count", "1", "2")},
        "data_flow of training.attention_matmul: context.forward",
        {"context.forward.inputs count": "2"},
    ),
    Forgery(
        one_dependency_cut,
        {"claim.dependency_topology"},
        {("context.forward.dependencies count", "1", "2")},
        "dependency_topology of planning.task: context.forward",
        {"context.forward.dependencies count": "2"},
    ),
    Forgery(
        work_moved,
        {"claim.exact_work", "law.gemm", "law.backward-doubles", "law.rank-sum"},
        {
            ("query_projection.forward.operations", "77309409280", "77309411328"),
            ("key_projection.forward.operations", "77309413376", "77309411328"),
        },
        "exact_work of training.qkv_projection: query",
        {"batch": "1", "sequence": "2048", "hidden": "12288", "heads": "96", "t": "8", "head_width": "128"},
    ),
    Forgery(
        model_of_other_facts,
        {"claim.interface", "claim.tensor_type"},
        {("facts.feedforward", "32768", "49152"), ("up_projection.weight.shape[1]", "32768", "49152")},
        "interface of model.from_request",
        {"hidden": "12288", "feedforward": "49152", "heads": "96", "layers": "96"},
    ),
    Forgery(
        everything_of_other_facts,
        {"claim.interface", "claim.tensor_type"},
        {("facts.feedforward", "32768", "49152"), ("up_projection.weight.shape[1]", "32768", "49152")},
        "interface of model.from_request",
        {"hidden": "12288", "feedforward": "49152", "heads": "96", "layers": "96"},
    ),
]


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda forgery: forgery.change.__name__)
def test_the_named_claims_refute_a_false_bundle(forgery: Forgery, gpt3: bytes, tmp_path: Path) -> None:
    draft = Draft(gpt3)
    forgery.change(draft)
    data = draft.sealed()
    data = recorded(data, verify(data, jobs=JOBS))
    report = verify_without_replay(data, jobs=JOBS)
    assert report.verdict is Outcome.REFUTED
    assert forgery.codes <= codes(report)
    assert families(report) <= {"claim", "law", "coverage", "nothing"}, "the sealing is not what stops it"
    assert forgery.facts <= failed(report)
    assert forgery.dimensions.items() <= dimensions(report, forgery.statement).items()
    assert exit_code(data, tmp_path) == ExitCode.REFUTED


def test_the_good_bundle_passes_through_the_same_hands(gpt3: bytes, tmp_path: Path) -> None:
    draft = Draft(gpt3)
    draft.derive_again(MODEL)
    assert draft.sealed() == gpt3
    assert recorded(gpt3, verify(gpt3, jobs=JOBS)) == gpt3
    report = verify_without_replay(gpt3, jobs=JOBS)
    assert report.verdict is Outcome.NOT_ESTABLISHED
    assert codes(report) == set()
    assert exit_code(gpt3, tmp_path) == ExitCode.VERIFIED


def test_sealing_finds_ids_and_order_by_itself(gpt3: bytes) -> None:
    draft = Draft(gpt3)
    for stage in (MODEL, DISTRIBUTED, PORTABLE):
        kinds = KINDS[stage]
        names = {
            each["id"]: new_id(kinds[kind], f"{stage.value} {kind} {each['name']}")
            for kind in kinds
            for each in draft.entities(stage, kind)
        }
        for record in draft.data["stages"][STAGES.index(stage) :]:
            record["snapshot"] = mapped(record["snapshot"], names)
        for kind in kinds:
            draft.entities(stage, kind).reverse()
    assert draft.raw() != gpt3
    assert draft.sealed() == gpt3


def test_moved_work_leaves_every_sum_right(gpt3: bytes) -> None:
    draft = Draft(gpt3)
    work_moved(draft)
    report = verify_without_replay(draft.sealed(), jobs=JOBS)
    silent = {Status.PROVED, Status.NOT_APPLICABLE}
    wrong = {law.id for each in report.transitions for law in each.laws if law.status not in silent}
    assert wrong == {"gemm", "backward-doubles", "rank-sum"}, "only what speaks of single operations sees it"


def test_another_model_under_a_known_name_is_named_by_the_bundle(tmp_path: Path) -> None:
    data = derive(narrower(), jobs=JOBS)
    report = verify(data, jobs=JOBS)
    assert report.verdict is Outcome.VERIFIED
    assert report.subject.bindings["model"]["name"] == "gpt3-175b (named by the bundle)"
    assert exit_code(data, tmp_path) == ExitCode.VERIFIED
    assert "named by the bundle" in (tmp_path / "report.txt").read_text(encoding="ascii")
    assert exit_code(data, tmp_path, "--expect", "model=gpt3-175b") == ExitCode.REFUTED
    expected = verify(data, jobs=JOBS, expect={"model": "gpt3-175b"})
    assert codes(expected) == {"expect"}


def test_the_known_model_meets_the_same_expectation(gpt3: bytes, tmp_path: Path) -> None:
    assert exit_code(gpt3, tmp_path, "--expect", "model=gpt3-175b") == ExitCode.VERIFIED


# What only a replay saw once ----------------------------------------------------------------------------------------


def test_a_buffer_with_the_lineage_and_name_of_a_task_is_unexpected(gpt3: bytes) -> None:
    draft = Draft(gpt3)
    source = task(draft, "optimizer")["id"]
    hidden = copied(
        draft.entities(PORTABLE, "buffers")[0],
        id=new_id("buffer", "hidden"),
        name="optimizer",
        lineage={"kind": "lowered", "transform": "planning.task", "sources": [source]},
        source_value=source,
        consumers=[],
    )
    draft.entities(PORTABLE, "buffers").append(hidden)
    report = verify_without_replay(draft.sealed(), jobs=JOBS)
    assert "coverage.unexpected" in codes(report)


def test_an_operation_with_the_name_of_a_value_is_not_the_one_demanded(gpt3: bytes) -> None:
    draft = Draft(gpt3)
    draft.entity(MODEL, "operations", "scores")["name"] = "x"
    report = verify_without_replay(draft.sealed(), jobs=JOBS)
    assert {"coverage.missing", "coverage.unexpected"} <= codes(report)


@pytest.mark.parametrize(("kind", "field", "new"), [("values", "dtype", "float16"), ("operations", "kind", "context")])
def test_a_finding_about_the_model_names_the_entity(kind: str, field: str, new: str, gpt3: bytes) -> None:
    draft = Draft(gpt3)
    draft.entity(MODEL, kind, "scores")[field] = new
    report = verify_without_replay(draft.sealed(), jobs=JOBS)
    assert any("scores" in each.path for each in report.diagnostics if each.code.startswith("claim."))


# One operator for every field ---------------------------------------------------------------------------------------

New = Callable[[Any, Draft], object]
"""From what a field holds to what it shall hold instead."""

RAW = re.compile(
    r"(values|operations|tasks|buffers)\.id$|\.parent$|^(request_digest|fingerprint)$"
    r"|^transitions\.(source|target)$|^overlays\.snapshot$"
)
"""Fields that sealing would heal: they stay as they are made."""


def be(new: object) -> New:
    return lambda _old, _draft: new


def plus(count: int) -> New:
    return lambda old, _draft: old + count


def without_last(old: list[object], _draft: Draft) -> object:
    return old[:-1]


def turned(old: list[object], _draft: Draft) -> object:
    return old[::-1]


def other_way(old: bool, _draft: Draft) -> object:  # noqa: FBT001  (the value of a field)
    return not old


def ids(stage: Stage, kind: str, *names: str) -> New:
    """The ids of these entities."""
    return lambda _old, draft: [draft.entity(stage, kind, name)["id"] for name in names]


def id_of(stage: Stage, kind: str, name: str) -> New:
    return lambda _old, draft: draft.entity(stage, kind, name)["id"]


def with_id_of(stage: Stage, kind: str, name: str) -> New:
    """The list and one more id."""
    return lambda old, draft: [*old, draft.entity(stage, kind, name)["id"]]


OTHER = "0" * 64
SIZES = ("hidden", "feedforward", "heads", "key_value_heads", "head_width", "layers", "vocabulary", "positions")
BOUND = re.compile(r"(concrete|machine|request\.target)\.")
"""Fields of concrete plans and of programs, and those that name a target."""

ABSENT = object()
"""The field is left out."""


class Operator(NamedTuple):
    """One wrong field: where, what it holds instead, and the finding that names the fault."""

    field: str
    where: str
    """Local name of the entity, for fields of entities."""
    new: New
    by: str

    def applied(self, good: bytes) -> bytes:
        """The false bundle, sealed again; its recorded reports are still those of the good one."""
        return self.put(Draft(good))

    def put(self, draft: Draft) -> bytes:
        """The same in a draft, at whatever branch it is."""
        owner, name = self.place(draft)
        new = self.new(owner.get(name), draft)
        if new is ABSENT:
            del owner[name]
        else:
            owner[name] = new
        if RAW.search(self.field):
            return draft.raw()
        if self.field.startswith("distributed.") and self.by.partition(".")[0] not in {"codec", "stage"}:
            draft.derive_again(PORTABLE)
        return draft.sealed()

    def place(self, draft: Draft) -> tuple[Plain, str]:
        """The structure that holds the field, and the field's name in it; of lists the first element."""
        head, *path = self.field.split(".")
        holder: Any = draft.data
        if head in {stage.value for stage in (MODEL, DISTRIBUTED, PORTABLE)}:
            holder = draft.snapshot(Stage(head))
            if self.where:
                holder = draft.entity(Stage(head), path.pop(0), self.where)
        else:
            path.insert(0, head)
        for part in path[:-1]:
            holder = _first(holder)[part]
        return _first(holder), path[-1]


def _first(found: Any) -> Any:
    return found[0] if isinstance(found, list) else found


def operators() -> Iterator[Operator]:
    """Every operator, in the order of the bundle's structures."""
    yield from _bundle_operators()
    yield from _model_operators()
    yield from _value_operators()
    yield from _task_operators()
    yield from _buffer_operators()
    yield from _plan_operators()
    yield from _memory_operators()
    yield from _transition_operators()


def _bundle_operators() -> Iterator[Operator]:
    yield Operator("schema", "", be("blueprinting.derivation-debug-bundle.v1"), "codec.decode")
    for name in SIZES:
        by = "model.domain" if name in {"heads", "key_value_heads", "layers"} else "claim.interface"
        yield Operator(f"request.model.{name}", "", plus(1 if by == "model.domain" else 2), by)
    yield Operator("request.model.name", "", be("gpt2"), "claim.interface")
    yield Operator("request.model.biases", "", other_way, "claim.interface")
    yield Operator("request.model.activation", "", be("swiglu"), "codec.decode")
    yield Operator("request.workload.batch", "", plus(1), "claim.tensor_type")
    yield Operator("request.workload.sequence", "", plus(2), "claim.tensor_type")
    yield Operator("request.workload.dtype", "", be("float16"), "claim.tensor_type")
    yield Operator("request.strategy.tensor", "", be(4), "claim.interface")
    yield Operator("request.strategy.pipeline", "", be(1), "claim.interface")
    yield Operator("request.strategy.data", "", plus(1), "claim.interface")
    yield Operator("request.strategy.stage", "", plus(1), "model.domain")
    yield Operator("request.strategy.recompute", "", be("none"), "coverage.unexpected")
    yield Operator("request.strategy.recompute", "", be("full"), "coverage.missing")
    yield Operator("request.strategy.communication", "", be("all-reduce"), "claim.shard_coverage")
    yield Operator("request.strategy.zero", "", be(1), "claim.operand_sizes")
    yield Operator("request.strategy.gradient_bytes", "", be(4), "claim.tensor_type")
    yield Operator("request.strategy.shard_checkpoint", "", other_way, "model.domain")
    yield Operator("request.strategy.scope", "", be("stack"), "coverage.missing")
    yield Operator("request.strategy.scope", "", be("layer"), "codec.decode")
    yield Operator("request.strategy.stage", "", be(1), "model.domain")
    yield Operator("request.strategy.stage", "", be(65536), "codec.decode")
    yield Operator("request.deployment", "", be(ABSENT), "report.mismatch")
    yield Operator("request.deployment.devices", "", be(1), "model.domain")
    yield Operator("request.deployment.topology", "", be("ring"), "codec.decode")
    yield Operator("request.deployment.device_memory", "", be(1), "law.capacity")
    yield Operator("request.deployment.device_memory", "", plus(1), "report.mismatch")
    yield Operator("request_digest", "", be(OTHER), "digest.request")
    yield Operator("fingerprint", "", be(OTHER), "digest.session")
    yield Operator("rulebook.revision", "", be("2001.1"), "rulebook.revision")
    yield Operator("rulebook.digest", "", be(OTHER), "rulebook.digest")
    yield Operator("stages", "", without_last, "stage.missing")
    yield Operator("stages.stage", "", be("distributed"), "stage.schema")
    yield Operator("stages.branch", "", be("prefill"), "stage.order")
    yield Operator("stages.pass", "", be("backend"), "stage.pass")
    yield Operator("stages.label", "", be("causal, INT4"), "stage.label")
    yield Operator("overlays.snapshot", "", be(OTHER), "overlay.digest")
    yield Operator("overlays.entries", "", lambda old, _: old * 2, "overlay.repeated")
    yield Operator("overlays.entries.entity", "", id_of(MODEL, "values", "x"), "overlay.entity")


def _model_operators() -> Iterator[Operator]:
    yield Operator("model.header.stage", "", be("distributed"), "stage.schema")
    yield Operator("model.header.version", "", plus(1), "structure.version")
    yield Operator("model.header.parent", "", be(OTHER), "digest.parent")
    for name in SIZES:
        yield Operator(f"model.facts.{name}", "", plus(1), "claim.interface")
    yield Operator("model.facts.name", "", be("gpt3-175b"), "claim.interface")
    yield Operator("model.facts.biases", "", other_way, "claim.interface")
    yield Operator("model.facts.activation", "", be("swiglu"), "codec.decode")
    yield Operator("model.inputs", "", be([]), "claim.interface")
    yield Operator("model.outputs", "", ids(MODEL, "values", "scores"), "claim.interface")
    yield Operator("model.values", "", lambda old, _: [*old, copied(old[0], name="y", id=new_id("value", "y"))],
                   "coverage.unexpected")  # fmt: skip
    yield Operator("model.values.id", "scores", be(new_id("value", "z")), "structure.id")
    yield Operator("model.values.name", "scores", be("points"), "coverage.unexpected")
    yield Operator("model.values.role", "scores", be("gradient"), "claim.role")
    yield Operator("model.values.role", "x", be("parameter"), "claim.role")
    yield Operator("model.values.dtype", "scores", be("float16"), "claim.tensor_type")
    yield Operator("model.values.axes", "scores", turned, "claim.tensor_type")
    yield Operator("model.values.shape", "attention_norm.gain", be([13]), "claim.tensor_type")
    yield Operator("model.operations.id", "scores", be(new_id("node", "z")), "structure.id")
    yield Operator("model.operations.name", "scores", be("points"), "coverage.unexpected")
    yield Operator("model.operations.kind", "scores", be("context"), "claim.operation_identity")
    yield Operator("model.operations.block", "scores", plus(1), "claim.operation_identity")
    yield Operator("model.operations.block", "scores", plus(1), "claim.operation_identity")
    yield Operator("model.operations.inputs", "scores", turned, "claim.data_flow")
    yield Operator("model.operations.result", "scores", id_of(MODEL, "values", "context"), "structure.ssa")
    yield Operator("model.operations", "", results_swapped, "claim.data_flow")


def results_swapped(old: list[Plain], _draft: Draft) -> object:
    """Query and key projection write each other's result."""
    query, key = (next(each for each in old if each["name"] == name) for name in ("query_projection", "key_projection"))
    query["result"], key["result"] = key["result"], query["result"]
    return old


def _value_operators() -> Iterator[Operator]:
    one = "scores.forward"
    yield Operator("distributed.header.stage", "", be("portable"), "stage.schema")
    yield Operator("distributed.header.version", "", plus(1), "structure.version")
    yield Operator("distributed.header.parent", "", be(OTHER), "digest.parent")
    yield Operator("distributed.mesh.tensor", "", plus(1), "structure.mesh")
    yield Operator("distributed.mesh.pipeline", "", plus(1), "claim.interface")
    yield Operator("distributed.mesh.data", "", plus(1), "claim.interface")
    yield Operator("distributed.mesh.ranks", "", be([0, 5]), "claim.interface")
    yield Operator("distributed.inputs", "", turned, "claim.interface")
    yield Operator("distributed.outputs", "", without_last, "claim.interface")
    yield Operator("distributed.outputs", "", turned, "claim.interface")
    yield Operator("distributed.values", "", one_more_value, "coverage.unexpected")
    yield Operator("distributed.values.id", one, be(new_id("value", "z")), "structure.id")
    yield Operator("distributed.values.name", one, be("scores.backward"), "coverage.missing")
    yield Operator("distributed.values.lineage.kind", one, be("generated"), "lineage.kind")
    yield Operator("distributed.values.lineage.transform", one, be("training.dropout_mask"), "coverage.unexpected")
    yield Operator("distributed.values.lineage.transform", one, be("training.nothing"), "lineage.undeclared")
    yield Operator("distributed.values.lineage.sources", one, ids(MODEL, "values", "softmax"), "coverage.unexpected")
    yield Operator("distributed.values.lineage.sources", one, be([]), "coverage.unexpected")
    yield Operator("distributed.values.lineage.sources", one, be([new_id("value", "no")]), "lineage.dangling")
    yield Operator("distributed.values.source_value", one, id_of(MODEL, "values", "softmax"), "lineage.source_value")
    yield Operator("distributed.values.source_value", one, id_of(MODEL, "values", "softmax"), "claim.role")
    yield Operator("distributed.values.role", one, be("gradient"), "claim.role")
    yield Operator("distributed.values.dtype", one, be("float16"), "claim.tensor_type")
    yield Operator("distributed.values.axes", one, turned, "claim.tensor_type")
    yield Operator("distributed.values.shape", "scores.forward", be([3, 8, 4, 8]), "claim.tensor_type")
    yield Operator("distributed.values.split", one, be(["query"]), "claim.shard_coverage")
    yield Operator("distributed.values.local_shape", one, be([3, 4, 4, 8]), "claim.shard_coverage")
    yield Operator("distributed.values.partial", one, other_way, "claim.shard_coverage")
    yield Operator("distributed.values.ranks", one, be([0]), "claim.logical_ranks")


def one_more_value(old: list[Plain], draft: Draft) -> object:
    """A value that a task writes beside its others, with the lineage of a real one."""
    real = draft.entity(DISTRIBUTED, "values", "scores.forward")
    extra = copied(real, id=new_id("value", "more"), name="scores.forward.more")
    draft.entity(DISTRIBUTED, "tasks", "scores.forward")["outputs"].append(extra["id"])
    return [*old, extra]


def _task_operators() -> Iterator[Operator]:
    one, gather = "scores.forward", "attention_norm.collective.forward"
    yield Operator("distributed.tasks", "", without_optimizer, "coverage.missing")
    yield Operator("distributed.tasks.id", one, be(new_id("task", "z")), "structure.id")
    yield Operator("distributed.tasks.name", one, be("scores.backward"), "coverage.missing")
    yield Operator("distributed.tasks.lineage.kind", one, be("derived"), "lineage.kind")
    yield Operator("distributed.tasks.lineage.transform", one, be("training.residual"), "coverage.unexpected")
    yield Operator("distributed.tasks.lineage.transform", one, be("planning.task"), "lineage.undeclared")
    yield Operator("distributed.tasks.lineage.sources", one, ids(MODEL, "operations", "context"), "coverage.unexpected")
    yield Operator("distributed.tasks.lineage.sources", one, with_id_of(MODEL, "values", "x"), "coverage.unexpected")
    yield Operator("distributed.tasks.lineage.sources", "optimizer", turned, "coverage.missing")
    yield Operator("distributed.tasks.kind", one, be("collective"), "structure.collective")
    yield Operator("distributed.tasks.kind", one, as_collective, "claim.operation_identity")
    yield Operator("distributed.tasks.kind", gather, as_compute, "claim.operation_identity")
    yield Operator("distributed.tasks.phase", one, be("recompute"), "claim.operation_identity")
    yield Operator("distributed.tasks.primitive", one, be("linear"), "claim.operation_identity")
    yield Operator("distributed.tasks.operands", one, without_last, "claim.operand_sizes")
    yield Operator("distributed.tasks.operands", one, turned, "claim.operand_sizes")
    yield Operator("distributed.tasks.operands.name", one, be("y"), "claim.operand_sizes")
    yield Operator("distributed.tasks.operands.size", one, plus(1), "claim.operand_sizes")
    yield Operator("distributed.tasks.inputs", one, turned, "claim.data_flow")
    yield Operator("distributed.tasks.inputs", one, with_id_of(DISTRIBUTED, "values", "x.forward"), "claim.data_flow")
    yield Operator("distributed.tasks.outputs", "softmax.forward", outputs_exchanged, "claim.data_flow")
    yield Operator("distributed.tasks.ranks", one, be([1]), "claim.logical_ranks")
    for component in ("operations", "read_bytes", "write_bytes"):
        yield Operator(f"distributed.tasks.work.{component}", one, plus(1), "claim.exact_work")
        total = f"law.total-{'forward' if component == 'operations' else 'optimizer'}"
        name = one if component == "operations" else "optimizer"
        yield Operator(f"distributed.tasks.work.{component}", name, plus(1), total)
    yield Operator("distributed.tasks.work.message_bytes", one, plus(1), "claim.exact_work")
    yield Operator("distributed.tasks.work.message_bytes", gather, plus(1), "law.tp-payload")
    yield Operator("distributed.tasks.collective", gather, be(ABSENT), "structure.collective")
    yield Operator("distributed.tasks.collective", one, collective_of(DISTRIBUTED, gather), "structure.collective")
    yield Operator("distributed.tasks.collective.kind", gather, be("all_reduce"), "structure.collective")
    yield Operator("distributed.tasks.collective", gather, as_all_reduce, "claim.collective_volume")
    yield Operator("distributed.tasks.collective.kind", "mlp_norm.collective.activation_gradient", be("all_reduce"),
                   "claim.collective_volume")  # fmt: skip
    yield Operator("distributed.tasks.collective.axis", gather, be("data"), "claim.collective_volume")
    yield Operator("distributed.tasks.collective.axis", gather, be("data"), "claim.collective_volume")
    yield Operator("distributed.tasks.collective.participants", gather, be([0, 3]), "claim.collective_volume")
    yield Operator("distributed.tasks.collective.participants", gather, be([0]), "structure.collective")
    yield Operator("distributed.tasks.collective.reduction", gather, be("sum"), "structure.collective")
    yield Operator("distributed.tasks.collective.message_bytes", gather, plus(1), "claim.collective_volume")


def without_optimizer(old: list[Plain], draft: Draft) -> object:
    """No optimizer step, and no updated parameters."""
    lost = draft.entity(DISTRIBUTED, "tasks", "optimizer")
    snapshot = draft.snapshot(DISTRIBUTED)
    snapshot["values"] = [each for each in snapshot["values"] if each["id"] not in lost["outputs"]]
    snapshot["outputs"] = [each for each in snapshot["outputs"] if each not in lost["outputs"]]
    return without(old, "optimizer")


def outputs_exchanged(old: list[str], draft: Draft) -> object:
    """Softmax and dropout each write the other's result."""
    dropout = draft.entity(DISTRIBUTED, "tasks", "softmax.recompute")
    mine, dropout["outputs"] = dropout["outputs"], old
    return mine


def collective_of(stage: Stage, name: str) -> New:
    return lambda _old, draft: copied(draft.entity(stage, "tasks", name)["collective"])


def as_collective(_old: object, draft: Draft) -> object:
    """A local task that takes part in an exchange."""
    gather = draft.entity(DISTRIBUTED, "tasks", "attention_norm.collective.forward")
    draft.entity(DISTRIBUTED, "tasks", "scores.forward")["collective"] = copied(gather["collective"])
    return "collective"


def as_compute(_old: object, draft: Draft) -> object:
    """A collective that exchanges nothing."""
    del draft.entity(DISTRIBUTED, "tasks", "attention_norm.collective.forward")["collective"]
    return "compute"


def as_all_reduce(old: Plain, _draft: Draft) -> object:
    return {**old, "kind": "all_reduce", "reduction": "sum"}


FREE_ATTENTION = {"name": "attention.free", "capability": "free_attention", "workspace": 1}
"""An implementation of attention that no rule knows."""


def _buffer_operators() -> Iterator[Operator]:
    one, used = "scores.forward", "attention_norm.gain.forward"
    yield Operator("portable.header.stage", "", be("model"), "stage.schema")
    yield Operator("portable.header.version", "", plus(1), "structure.version")
    yield Operator("portable.header.parent", "", be(OTHER), "digest.parent")
    yield Operator("portable.inputs", "", turned, "claim.interface")
    yield Operator("portable.outputs", "", without_last, "claim.interface")
    yield Operator("portable.alternatives", "", be([FREE_ATTENTION]), "claim.alternatives")
    yield Operator("portable.objectives", "", turned, "claim.interface")
    yield Operator("portable.objectives", "", without_last, "claim.interface")
    yield Operator("portable.buffers", "", lambda old, _: without(old, used), "structure.dangling")
    yield Operator("portable.buffers", "", one_more_buffer, "coverage.unexpected")
    yield Operator("portable.buffers.id", one, be(new_id("buffer", "z")), "structure.id")
    yield Operator("portable.buffers.name", one, be("scores.backward"), "coverage.missing")
    yield Operator("portable.buffers.lineage.kind", one, be("generated"), "lineage.kind")
    yield Operator("portable.buffers.lineage.transform", one, be("planning.task"), "coverage.unexpected")
    yield Operator("portable.buffers.lineage.sources", one, ids(DISTRIBUTED, "values", "x.forward"), "coverage.missing")
    yield Operator("portable.buffers.source_value", one, id_of(DISTRIBUTED, "values", "x.forward"), "claim.role")
    yield Operator("portable.buffers.role", one, be("mask"), "claim.role")
    yield Operator("portable.buffers.dtype", one, be("float16"), "claim.tensor_type")
    yield Operator("portable.buffers.size", one, plus(1), "claim.buffer_size")
    yield Operator("portable.buffers.alignment", one, be(4), "claim.storage")
    yield Operator("portable.buffers.alignment", one, be(3), "structure.alignment")
    yield Operator("portable.buffers.storage", one, be("persistent"), "claim.storage")
    yield Operator("portable.buffers.storage", one, be("saved"), "claim.storage")
    yield Operator("portable.buffers.storage", "x.forward", be("step"), "claim.storage")
    yield Operator("portable.buffers.storage", "x.forward", be("checkpoint"), "claim.storage")
    yield Operator("portable.buffers.consumers", one, be([]), "claim.data_flow")
    yield Operator("portable.buffers.consumers", "x.forward", turned, "claim.data_flow")
    yield Operator("portable.buffers.producer", one, be(ABSENT), "claim.data_flow")
    yield Operator("portable.buffers.producer", one, id_of(PORTABLE, "tasks", "optimizer"), "claim.data_flow")


def one_more_buffer(old: list[Plain], _draft: Draft) -> object:
    """A buffer that no task uses, with the lineage of a real one."""
    return [*old, copied(old[0], id=new_id("buffer", "more"), name="spare", consumers=[])]


def _plan_operators() -> Iterator[Operator]:
    one, gather = "scores.forward", "attention_norm.collective.forward"
    yield Operator("portable.tasks", "", one_more_plan_task, "coverage.unexpected")
    yield Operator("portable.tasks.id", one, be(new_id("task", "z")), "structure.id")
    yield Operator("portable.tasks.name", one, be("scores.backward"), "coverage.missing")
    yield Operator("portable.tasks.lineage.kind", one, be("derived"), "lineage.kind")
    yield Operator("portable.tasks.lineage.transform", one, be("planning.buffer"), "coverage.missing")
    yield Operator("portable.tasks.lineage.sources", one, ids(DISTRIBUTED, "tasks", "optimizer"), "coverage.missing")
    yield Operator("portable.tasks.kind", one, be("collective"), "claim.operation_identity")
    yield Operator("portable.tasks.phase", one, be("recompute"), "claim.operation_identity")
    yield Operator("portable.tasks.primitive", one, be("linear"), "claim.operation_identity")
    yield Operator("portable.tasks.inputs", one, turned, "claim.data_flow")
    yield Operator("portable.tasks.inputs", one, be([]), "claim.data_flow")
    yield Operator("portable.tasks.outputs", one, be([]), "claim.data_flow")
    yield Operator("portable.tasks.dependencies", one, turned, "claim.dependency_topology")
    yield Operator("portable.tasks.dependencies", "optimizer", without_last, "claim.dependency_topology")
    yield Operator("portable.tasks.ranks", one, be([0]), "claim.logical_ranks")
    for component in ("operations", "read_bytes", "write_bytes", "message_bytes"):
        yield Operator(f"portable.tasks.work.{component}", one, plus(1), "claim.exact_work")
        yield Operator(f"portable.tasks.work.{component}", one, plus(1), "law.total-forward")
    for resource in ("compute", "memory", "network"):
        yield Operator(f"portable.tasks.resources.{resource}", one, plus(1), "claim.resources")
    yield Operator("portable.tasks.implementation.capability", one, be("compute.linear"), "claim.implementation")
    yield Operator("portable.tasks.implementation.alternatives", one, be(["compute.none"]), "claim.implementation")
    yield Operator("portable.tasks.group", one, be("collective"), "claim.implementation")
    yield Operator("portable.tasks.collective", one, collective_of(PORTABLE, gather), "claim.operation_identity")
    yield Operator("portable.tasks.collective", gather, be(ABSENT), "claim.collective_volume")
    yield Operator("portable.tasks.collective.kind", gather, be("all_reduce"), "claim.collective_volume")
    yield Operator("portable.tasks.collective.axis", gather, be("data"), "claim.collective_volume")
    yield Operator("portable.tasks.collective.axis", gather, be("data"), "claim.collective_volume")
    yield Operator("portable.tasks.collective.participants", gather, be([1]), "claim.collective_volume")
    yield Operator("portable.tasks.collective.reduction", gather, be("sum"), "claim.collective_volume")
    yield Operator("portable.tasks.collective.message_bytes", gather, plus(1), "claim.collective_volume")


def one_more_plan_task(old: list[Plain], _draft: Draft) -> object:
    """A second portable task of one distributed task."""
    return [*old, copied(old[0], id=new_id("task", "more"), name="spare", outputs=[])]


MEMORY_LAWS = {
    "parameters": "parameters",
    "weights": "weight-memory",
    "gradients": "gradient-memory",
    "optimizer": "optimizer-memory",
    "stored": "activation-memory",
    "working": "working-memory",
    "checkpoint": "checkpoint",
}
"""Memory fact -> the law about it."""


def _memory_operators() -> Iterator[Operator]:
    for fact, law in MEMORY_LAWS.items():
        yield Operator(f"portable.memory.{fact}", "", plus(1), "claim.memory")
        yield Operator(f"portable.memory.{fact}", "", plus(1), f"law.{law}")
    # More than 2^61 bytes fit no device.
    yield Operator("portable.memory.optimizer", "", be(2**62), "law.capacity")


def _transition_operators() -> Iterator[Operator]:
    yield Operator("transitions", "", turned, "stage.adjacency")
    yield Operator("transitions", "", without_last, "stage.adjacency")
    yield Operator("transitions.branch", "", be("prefill"), "stage.adjacency")
    yield Operator("transitions.stage", "", be("portable"), "stage.adjacency")
    yield Operator("transitions.source", "", be(OTHER), "digest.transition")
    yield Operator("transitions.target", "", be(OTHER), "digest.transition")
    contract = "transitions.contract"
    for word in ("name", "input_schema", "output_schema", "mutation", "verification", "normal_form"):
        yield Operator(f"{contract}.{word}", "", be("other"), "contract")
    for word in ("provenance", "required_bindings", "rules", "boundary_rules", "primitives"):
        yield Operator(f"{contract}.{word}", "", without_last, "contract")
    for word in ("rules", "boundary_rules", "primitives"):
        yield Operator(f"{contract}.{word}", "", turned, "contract")
        yield Operator(f"{contract}.{word}.source", "", be(OTHER), "contract")
    yield Operator(f"{contract}.input_versions", "", be([1, 2]), "contract")
    yield Operator(f"{contract}.output_version", "", plus(1), "contract")
    yield Operator(f"{contract}.primitives.id", "", be("other"), "contract")
    for word in ("required_analyses", "produced_analyses", "preserved_analyses", "invalidated_analyses"):
        yield Operator(f"{contract}.{word}", "", be(["liveness"]), "contract")
    yield Operator(f"{contract}.revision", "", plus(1), "contract")
    yield Operator(f"{contract}.deterministic", "", other_way, "contract")
    yield Operator(f"{contract}.uses_session_seed", "", other_way, "contract")
    for word in ("id", "lineage", "signature", "rewrite"):
        yield Operator(f"{contract}.rules.{word}", "", be("other"), "contract")
    for word in ("preserves", "introduces", "forbids", "laws"):
        yield Operator(f"{contract}.rules.{word}", "", be(["other"]), "contract")
    yield Operator(f"{contract}.boundary_rules.id", "", be("other"), "contract")
    yield Operator(f"{contract}.boundary_rules.claims", "", be(["other"]), "contract")
    yield Operator(f"{contract}.boundary_rules", "", without_claims, "contract")
    yield Operator(f"{contract}.boundary_rules.laws", "", without_last, "contract")
    report = "transitions.report"
    for word in ("coverage", "cardinality", "claims"):
        yield Operator(f"{report}.{word}", "", be({}), "report.mismatch")
    yield Operator(f"{report}.obligations", "", without_last, "report.mismatch")
    yield Operator(f"{report}.laws", "", without_last, "report.mismatch")
    yield Operator(f"{report}.laws.id", "", be("other"), "report.mismatch")
    yield Operator(f"{report}.laws.form", "", be("other"), "report.mismatch")
    yield Operator(f"{report}.laws.members", "", plus(1), "report.mismatch")
    yield Operator(f"{report}.laws.status", "", be("refuted"), "report.mismatch")
    yield Operator(f"{report}.relation_verified", "", other_way, "report.mismatch")
    # Only a replay knows it; without one the record is taken as it is.
    yield Operator(f"{report}.canonical_conformant", "", other_way, "report.mismatch")


def without_claims(old: list[Plain], _draft: Draft) -> object:
    """Every boundary rule with its laws, and nothing else to be claimed."""
    return [{**rule, "claims": []} for rule in old]


OPERATORS = tuple(operators())

STEP_MEMORY_LAWS = {
    "parameters": "parameters",
    "weights": "weight-memory",
    "kv": "kv-cache",
    "boundary": "boundary",
    "workspace": "workspace",
}
"""Memory fact of a step of inference -> the law about it."""


def _step_operators() -> Iterator[Operator]:
    """What only a bundle of inference has: its workload, what its tasks do to caches, its memory facts."""
    for name in ("batch", "prompt", "context"):
        yield Operator(f"request.workload.{name}", "", plus(2), "claim.tensor_type")
    yield Operator("request.workload.prompt", "", be(2**20), "model.domain")
    yield Operator("request.workload.dtype", "", be("float16"), "claim.tensor_type")
    for name, law in (("scores.forward", "kv-read"), ("key_projection.forward", "kv-append")):
        other = "value_projection.cache"
        for stage, value, kind in ((DISTRIBUTED, "value", "values"), (PORTABLE, "buffer", "buffers")):
            effects = f"{stage.value}.tasks.effects"
            for by in ("claim.effects", f"law.{law}", "law.kv-elsewhere"):
                yield Operator(effects, name, be([]), by)
                yield Operator(effects, name, lambda old, _: old * 2, by)
                yield Operator(f"{effects}.kind", name, exchanged_use, by)
                yield Operator(f"{effects}.size", name, plus(1), by)
            yield Operator(f"{effects}.{value}", name, id_of(stage, kind, other), "claim.effects")
    # A task that touches no cache may not say that it does.
    for stage, value, kind in ((DISTRIBUTED, "value", "values"), (PORTABLE, "buffer", "buffers")):
        yield Operator(
            f"{stage.value}.tasks.effects", "softmax.forward", one_effect(stage, value, kind), "claim.effects"
        )
    for fact, law in STEP_MEMORY_LAWS.items():
        # The workspace is no sum of values: its law alone speaks of it.
        if fact != "workspace":
            yield Operator(f"portable.memory.{fact}", "", plus(1), "claim.memory")
        yield Operator(f"portable.memory.{fact}", "", plus(1), f"law.{law}")
    yield Operator("portable.alternatives", "", without_last, "claim.alternatives")
    yield Operator("portable.alternatives", "", turned, "claim.alternatives")
    yield Operator("portable.alternatives.name", "", be("attention.none"), "claim.alternatives")
    yield Operator("portable.alternatives.capability", "", be("none"), "claim.alternatives")
    yield Operator("portable.alternatives.workspace", "", plus(1), "law.workspace")
    for fact in ("weights", "kv", "workspace"):
        yield Operator(f"portable.memory.{fact}", "", be(2**62), "law.inference-capacity")
    # The first alternative is the one that the plan's own workspace is of.
    yield Operator("portable.alternatives", "", without_last, "claim.alternatives")
    yield Operator("portable.alternatives", "", without_last, "law.paged-workspace")
    yield Operator("portable.alternatives", "", turned, "claim.alternatives")
    yield Operator("portable.alternatives", "", lambda old, _: [*old, FREE_ATTENTION], "claim.alternatives")
    yield Operator("portable.alternatives.name", "", be("attention.free"), "claim.alternatives")
    yield Operator("portable.alternatives.capability", "", be("tiled_attention"), "claim.alternatives")
    yield Operator("portable.alternatives.workspace", "", plus(1), "law.workspace")
    for place, law in ((1, "tiled"), (2, "paged")):
        yield Operator("portable.alternatives", "", roomier(place), f"law.{law}-workspace")
    core = "scores.forward"
    yield Operator("portable.tasks.implementation.alternatives", core, without_last, "claim.implementation")
    yield Operator("portable.tasks.implementation.alternatives", core, turned, "claim.implementation")


def roomier(place: int) -> New:
    """The list of alternatives in which one takes up a byte more."""
    return lambda old, _draft: [
        {**each, "workspace": each["workspace"] + (1 if at == place else 0)} for at, each in enumerate(old)
    ]


def exchanged_use(old: str, _draft: Draft) -> object:
    """A read for an append, an append for a read."""
    return {"kv_read": "kv_write", "kv_write": "kv_read"}[old]


def one_effect(stage: Stage, name: str, kind: str) -> New:
    """A read of a cache by a task that has none."""
    return lambda _old, draft: [
        {"kind": "kv_read", name: draft.entity(stage, kind, "key_projection.cache")["id"], "size": 1}
    ]


STEP_OPERATORS = tuple(_step_operators())

MEANING = frozenset({"claim", "law", "coverage", "lineage", "model"})
"""Families of findings about what a bundle says, not about how it is sealed."""

FREE = (
    ("overlays", be([]), "facts beside the derivation"),
    ("overlays.provider", be("another clock"), "facts beside the derivation"),
    ("overlays.revision", be("2"), "facts beside the derivation"),
    ("overlays.unit", be("hours"), "facts beside the derivation"),
    ("overlays.entries", be([]), "facts beside the derivation"),
    ("overlays.entries.value", plus(1), "facts beside the derivation"),
    ("request.workload.microbatches", plus(1), "a block's derivation is that of one microbatch"),
)
"""Fields that may hold anything: the bundle stays verified, for the reason given."""


@pytest.fixture(scope="session")
def good() -> bytes:
    """The small bundle for a device, with an overlay on its plan, so that every list of a bundle has an element."""
    deployed = msgspec.structs.replace(TINY_REQUEST, deployment=deployment_of(TINY_REQUEST, 4, 2**61))
    draft = Draft(derive(deployed, jobs=JOBS))
    entry = {"entity": draft.entity(PORTABLE, "tasks", "x.fork_gradient")["id"], "value": 5}
    target = draft.transition(PORTABLE)["target"]
    overlay = {"snapshot": target, "provider": "clock", "revision": "1", "unit": "picoseconds", "entries": [entry]}
    draft.data["overlays"] = [overlay]
    data = draft.sealed()
    assert verify(data, jobs=JOBS).verdict is Outcome.VERIFIED
    return data


@pytest.fixture(scope="session")
def good_steps() -> bytes:
    """The small bundle of inference for a device."""
    deployed = msgspec.structs.replace(TINY_STEPS, deployment=deployment_of(TINY_STEPS, 4, 2**61))
    data = derive(deployed, jobs=JOBS)
    assert verify(data, jobs=JOBS).verdict is Outcome.VERIFIED
    return data


@pytest.mark.parametrize("branch", [PREFILL, DECODE])
@pytest.mark.parametrize(
    "operator", STEP_OPERATORS, ids=[f"{position}-{each.field}" for position, each in enumerate(STEP_OPERATORS)]
)
def test_a_wrong_field_of_a_step_is_stopped_by_name(operator: Operator, branch: Branch, good_steps: bytes) -> None:
    data = operator.put(BranchDraft(good_steps, branch))
    report = verify_without_replay(data, jobs=JOBS)
    stopped_by_name(operator, data, good_steps, report)
    if not operator.field.startswith("request."):
        named = [each for each in report.diagnostics if each.code == operator.by]
        assert {each.path.partition("/")[0] for each in named} == {branch.value}


def start_worker(stack: ExitStack = ExitStack()) -> None:  # noqa: B008  (lives as long as the process)
    """Give a process of its own one pool for all its operators."""
    stack.enter_context(shared(stack.enter_context(lasting_pool(1)), Memory()))
    atexit.register(stack.close)


def examined(position: int, good: bytes) -> tuple[bytes, Report]:
    """The false bundle of an operator and the report on it, without replay."""
    operator = OPERATORS[position]
    data = operator.applied(good)
    # Only a replay knows whether the canonical construction gives the same.
    run = verify if operator.field.endswith("canonical_conformant") else verify_without_replay
    return data, run(data, jobs=1)


@pytest.fixture(scope="session")
def examinations(request: pytest.FixtureRequest, good: bytes) -> dict[int, Future[tuple[bytes, Report]]]:
    """The examinations of all operators that are tested, made by two processes beside each other."""
    asked = [item.callspec.params["position"] for item in request.session.items if is_operator_test(item)]
    chosen = [position for position in asked if isinstance(position, int)]
    with ProcessPoolExecutor(JOBS, mp_context=get_context("spawn"), initializer=start_worker) as workers:
        return {position: workers.submit(examined, position, good) for position in chosen}


def is_operator_test(item: pytest.Item) -> TypeGuard[pytest.Function]:
    """Whether it is one of this file: those of bindings have the same name."""
    return isinstance(item, pytest.Function) and item.function is test_a_wrong_field_is_stopped_by_name


@pytest.mark.parametrize(
    "position", range(len(OPERATORS)), ids=[f"{position}-{each.field}" for position, each in enumerate(OPERATORS)]
)
def test_a_wrong_field_is_stopped_by_name(
    position: int, good: bytes, examinations: dict[int, Future[tuple[bytes, Report]]]
) -> None:
    data, report = examinations[position].result()
    stopped_by_name(OPERATORS[position], data, good, report)


def stopped_by_name(operator: Operator, data: bytes, good: bytes, report: Report) -> None:
    """The finding that an operator names is there, and all others speak of meaning if it does."""
    assert data != good
    # The records are still the good bundle's, so what they say of a false one is no merit of the claims.
    found = [each for each in report.diagnostics if each.code != "report.mismatch" or each.code == operator.by]
    named = [each for each in found if each.code == operator.by]
    assert named
    family = operator.by.partition(".")[0]
    if family == "claim" and operator.where:
        assert any(operator.where in each.path for each in named)
    if family in MEANING:
        assert {each.code.partition(".")[0] for each in found} - {"replay", "nothing"} <= MEANING
    undecided = {"codec.decode": Outcome.MALFORMED, "rulebook.revision": Outcome.NOT_ESTABLISHED}
    assert report.verdict is undecided.get(operator.by, Outcome.REFUTED)


@pytest.mark.parametrize(("field", "new", "reason"), FREE, ids=[field for field, _, _ in FREE])
def test_a_free_field_changes_nothing(field: str, new: New, reason: str, good: bytes) -> None:
    data = Operator(field, "", new, "").applied(good)
    assert data != good
    report = verify(data, jobs=JOBS)
    assert report.verdict is Outcome.VERIFIED, reason
    if field.startswith("request."):
        draft = Draft(data)
        honest = Draft(derive(decode(encode(draft.request), Request), jobs=JOBS))
        assert draft.data["stages"] == honest.data["stages"], "it is what the changed request derives to"


def fields(kind: msgspec.inspect.StructType, prefix: str = "") -> Iterator[tuple[str, bool]]:
    """The path of every field of a structure and of those in it, and whether it holds a single structure."""
    for field in kind.fields:
        path = f"{prefix}{field.encode_name}"
        inner = list(structures(field.type))
        yield path, isinstance(field.type, msgspec.inspect.StructType) or len(inner) > 1
        for each in inner:
            below = path
            if len(inner) > 1:
                # A snapshot goes by the name of its stage, other alternatives by their place and kind.
                tag = str(each.tag)
                below = tag.removeprefix("blueprint.") if tag.startswith("blueprint.") else f"{path}[{tag}]"
            yield from fields(each, f"{below}.")


def structures(kind: msgspec.inspect.Type) -> Iterator[msgspec.inspect.StructType]:
    """The structures that a field can hold, alone or in a list."""
    match kind:
        case msgspec.inspect.StructType():
            yield kind
        case msgspec.inspect.Metadata(type=inner) | msgspec.inspect.VarTupleType(item_type=inner):
            yield from structures(inner)
        case msgspec.inspect.UnionType(types=parts):
            for part in parts:
                yield from structures(part)


def test_every_field_of_every_structure_has_an_operator() -> None:
    kind = msgspec.inspect.type_info(Bundle)
    assert isinstance(kind, msgspec.inspect.StructType)
    training = [*(each.field for each in OPERATORS), *(field for field, _, _ in FREE)]
    known = {of_kind(field, "training") for field in training}
    known |= {of_kind(each.field, "inference") for each in STEP_OPERATORS}
    every = dict(fields(kind))
    # A single structure is changed by changing a field of it.
    # What a target brings is in test_false_binding.py.
    missing = {path for path, single in every.items() if path not in known and not single and not BOUND.match(path)}
    assert missing == set()
    assert known <= every.keys(), "an operator changes what no structure has"
    assert len(every) > 240


def of_kind(field: str, kind: str) -> str:
    """The path of a field that has alternatives, in the one of a kind."""
    for place in ("request.workload.", "portable.memory."):
        if field.startswith(place):
            return f"{place[:-1]}[{kind}].{field.removeprefix(place)}"
    return field


def test_every_memory_fact_has_a_law() -> None:
    assert set(MEMORY_LAWS) == set(TrainingMemory.__struct_fields__)
    assert set(STEP_MEMORY_LAWS) == set(InferenceMemory.__struct_fields__)
