"""False bundles of inference: each fault on one branch, sealed again and recorded honestly, is stopped by name.

Nothing is replayed, so claims and laws alone carry it. A fault that touches work or effects is carried into the plan as
well, unless it is the plan's own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import msgspec
import pytest

from blueprint.case import Workload
from blueprint.derivation import derive
from blueprint.exit import ExitCode
from blueprint.frontend.block import model_ir
from blueprint.frontend.request import training_request
from blueprint.ir.common import Branch
from blueprint.ir.request import Inference, Request
from blueprint.law import BoundLaw
from blueprint.outcome import Outcome, Report, Status
from blueprint.rule import BoundaryRule, PassRule, PrimitiveRule
from blueprint.session import open_rulebook
from blueprint.verification import verify, verify_without_replay
from tests.bundles.branches import DECODE, GPT3_STEPS, PREFILL, TINY_STEPS, BranchDraft
from tests.bundles.conftest import JOBS, TINY_REQUEST
from tests.bundles.test_false_bundles import (
    DISTRIBUTED,
    MODEL,
    PORTABLE,
    codes,
    dimensions,
    exit_code,
    failed,
    families,
)
from tests.reseal import Draft, Plain, copied, new_id, recorded, without

Change = Callable[[BranchDraft], None]

BRANCHES = (PREFILL, DECODE)


@functools.cache
def bundle(request: Request) -> bytes:
    """The good bundle of a request, derived once."""
    return derive(request, jobs=JOBS)


def honest(data: bytes) -> tuple[bytes, Report]:
    """The bundle with the records of an honest run, and the report on it without replay."""
    data = recorded(data, verify(data, jobs=JOBS))
    return data, verify_without_replay(data, jobs=JOBS)


def messages(report: Report, code: str) -> str:
    """Every message of the findings of a code."""
    return "\n".join(each.message for each in report.diagnostics if each.code == code)


def paths(report: Report, code: str) -> set[str]:
    """Where the findings of a code lie, to the branch."""
    return {each.path.partition("/")[0] for each in report.diagnostics if each.code == code}


def refuted_on(report: Report, branch: Branch) -> set[str]:
    """The laws that are refuted on a branch."""
    rows = [row for row in report.transitions if row.branch == branch.value]
    return {law.id for row in rows for law in row.laws if law.status is Status.REFUTED}


# One block of GPT-3 175B, by hand ------------------------------------------------------------------------------------

B, H, F, HEADS, WIDTH, T, E = 8, 12288, 49152, 96, 128, 8, 2
POINTS = {PREFILL: (2048, 2048), DECODE: (1, 4096)}
"""q and c of the two steps."""

PARAMETERS = 12 * H**2 // T + 4 * H + (3 * H + F) // T + 2 * H
"""Twelve matrices of H^2 over t, two norms, split biases of q, k, v and up, whole biases of the other two."""


def stream(branch: Branch) -> int:
    """Bytes of the step's rows of the residual stream, whole on every rank: the boundary, and each message."""
    return B * POINTS[branch][0] * H * E


def arms(branch: Branch) -> list[int]:
    """q, k and v; scores; feed-forward rows: bytes on one rank."""
    q, c = POINTS[branch]
    return [B * q * 3 * H // T * E, B * (HEADS // T) * q * c * E, B * q * F // T * E]


def cache(branch: Branch) -> int:
    """Bytes of one cache, keys or values, on one rank."""
    return B * POINTS[branch][1] * H // T * E


def rows(branch: Branch) -> int:
    """Bytes that a step appends to one cache on one rank."""
    return B * POINTS[branch][0] * H // T * E


# Changes -------------------------------------------------------------------------------------------------------------


def memory(draft: BranchDraft) -> Plain:
    found: Plain = draft.snapshot(PORTABLE)["memory"]
    return found


def task(draft: BranchDraft, name: str) -> Plain:
    return draft.entity(DISTRIBUTED, "tasks", name)


def value(draft: BranchDraft, name: str) -> Plain:
    return draft.entity(DISTRIBUTED, "values", name)


def exactly(fact: str, size: int) -> Change:
    """One memory fact of the plan is another."""

    def be(draft: BranchDraft) -> None:
        memory(draft)[fact] = size

    return be


def together(*changes: Change) -> Change:
    """Several changes, one after the other."""

    def all_of(draft: BranchDraft) -> None:
        for change in changes:
            change(draft)

    return all_of


def in_both_stages(change: Change) -> Change:
    """A change of the distributed tasks, which the plan carries on."""

    def carried(draft: BranchDraft) -> None:
        change(draft)
        draft.derive_again(PORTABLE)

    return carried


def works(name: str, component: str, amount: int) -> Change:
    """A task does exactly so much of a component."""

    def does(draft: BranchDraft) -> None:
        task(draft, name)["work"][component] = amount

    return does


def more(name: str, component: str = "operations", by: int = 1) -> Change:
    """A task does so much more, in both stages."""

    def does(draft: BranchDraft) -> None:
        task(draft, name)["work"][component] += by

    return in_both_stages(does)


def appended(size: int) -> Change:
    """The key projection appends so many bytes, by its effect."""

    def append(draft: BranchDraft) -> None:
        task(draft, "key_projection.forward")["effects"][0]["size"] = size

    return in_both_stages(append)


def effect_lost(draft: BranchDraft) -> None:
    task(draft, "scores.forward")["effects"] = []


def effect_on_the_values(draft: BranchDraft) -> None:
    """The scores read the cache of the values, which is as large."""
    task(draft, "scores.forward")["effects"][0]["value"] = value(draft, "value_projection.cache")["id"]


def effect_on_an_activation(draft: BranchDraft) -> None:
    task(draft, "scores.forward")["effects"][0]["value"] = value(draft, "query_projection.forward")["id"]


def effect_on_nothing(draft: BranchDraft) -> None:
    task(draft, "scores.forward")["effects"][0]["value"] = new_id("value", "nowhere")


def effect_twice(draft: BranchDraft) -> None:
    task(draft, "scores.forward")["effects"] *= 2


def write_for_read(draft: BranchDraft) -> None:
    task(draft, "scores.forward")["effects"][0]["kind"] = "kv_write"


def read_for_write(draft: BranchDraft) -> None:
    task(draft, "key_projection.forward")["effects"][0]["kind"] = "kv_read"


def effect_invented(name: str) -> Change:
    """A task reads a cache that it has no business with, one byte of it."""

    def read(draft: BranchDraft) -> None:
        effect = {"kind": "kv_read", "value": value(draft, "key_projection.cache")["id"], "size": 1}
        task(draft, name)["effects"] = [effect]

    return read


def effect_moved(draft: BranchDraft) -> None:
    """The softmax reads the keys' cache instead of the scores: every sum over all tasks is right."""
    scores, softmax = task(draft, "scores.forward"), task(draft, "softmax.forward")
    scores["effects"], softmax["effects"] = [], scores["effects"]


def plan_effect(field: str, new: Callable[[BranchDraft], object]) -> Change:
    """An effect of the plan alone differs from its distributed one."""

    def differ(draft: BranchDraft) -> None:
        draft.entity(PORTABLE, "tasks", "scores.forward")["effects"][0][field] = new(draft)

    return differ


def plan_effect_lost(draft: BranchDraft) -> None:
    draft.entity(PORTABLE, "tasks", "scores.forward")["effects"] = []


def cache_of_role(role: str) -> Change:
    """The keys' cache passes for something that does not outlive the step, in both stages."""

    def named(draft: BranchDraft) -> None:
        value(draft, "key_projection.cache")["role"] = role

    return in_both_stages(named)


def cache_within_the_step(draft: BranchDraft) -> None:
    draft.entity(PORTABLE, "buffers", "key_projection.cache")["storage"] = "step"


def cache_not_given_on(draft: BranchDraft) -> None:
    """The step's outputs lack a cache, so that nothing says that it lasts."""
    lost = value(draft, "key_projection.cache")["id"]
    snapshot = draft.snapshot(DISTRIBUTED)
    snapshot["outputs"] = [each for each in snapshot["outputs"] if each != lost]


def caches_exchanged(draft: BranchDraft) -> None:
    """Scores over values, context over keys: shapes and sizes are alike."""
    keys, values = (value(draft, f"{name}_projection.cache")["id"] for name in ("key", "value"))
    for name, wrong in (("scores", values), ("context", keys)):
        draft_task = task(draft, f"{name}.forward")
        draft_task["inputs"][1] = wrong
        draft_task["effects"][0]["value"] = wrong


def step_of(source: Branch, **changes: int) -> Change:
    """The whole branch is what the honest passes make of another step: each stage consistent with the other."""

    def derived(draft: BranchDraft) -> None:
        workload = msgspec.structs.replace(GPT3_STEPS.workload, **changes)
        draft.derive_branch(msgspec.structs.replace(GPT3_STEPS, workload=workload), source)

    return derived


def swapped(draft: BranchDraft) -> None:
    """Each branch shows the other's step."""
    draft.on(PREFILL).derive_branch(GPT3_STEPS, DECODE)
    draft.on(DECODE).derive_branch(GPT3_STEPS, PREFILL)


def dropout_task(draft: BranchDraft) -> None:
    """A task that draws a mask over the probabilities, as in training; what reads them is left alone."""
    softmax = task(draft, "softmax.forward")
    elements = next(each["size"] for each in softmax["operands"])
    work = {"operations": elements, "read_bytes": 2 * elements, "write_bytes": 3 * elements, "message_bytes": 0}
    extra = copied(
        softmax,
        id=new_id("task", "attention_dropout.forward"),
        name="attention_dropout.forward",
        primitive="dropout",
        inputs=softmax["outputs"],
        outputs=[],
        work=work,
    )
    draft.entities(DISTRIBUTED, "tasks").append(extra)


def dropout_in_the_model(draft: BranchDraft) -> None:
    """The graph of a training step of as many tokens."""
    workload = GPT3_STEPS.workload
    assert isinstance(workload, Inference)
    trained = training_request(
        GPT3_STEPS.model, batch=workload.batch, sequence=workload.context, dtype=workload.dtype, tensor=T
    )
    draft.replace(MODEL, model_ir(trained))


def model_of_the_prompt(draft: BranchDraft) -> None:
    """The model over the tokens that the other branch has."""
    workload = msgspec.structs.replace(GPT3_STEPS.workload, context=2048)
    draft.replace(MODEL, model_ir(msgspec.structs.replace(GPT3_STEPS, workload=workload)))


def with_ring_factor(draft: BranchDraft) -> None:
    """2 (t - 1) / t of the tensor, which a ring would send."""
    found = task(draft, "output_projection.collective.forward")
    message = found["work"]["message_bytes"] * 2 * (T - 1) // T
    found["work"]["message_bytes"] = found["collective"]["message_bytes"] = message


def sum_missing(draft: BranchDraft) -> None:
    """The addends of the attention's projection go on unsummed."""
    snapshot = draft.snapshot(DISTRIBUTED)
    whole, part = (value(draft, f"output_projection.{each}")["id"] for each in ("communicated", "forward"))
    snapshot["tasks"] = without(snapshot["tasks"], "output_projection.collective.forward")
    snapshot["values"] = without(snapshot["values"], "output_projection.communicated")
    for each in snapshot["tasks"]:
        each["inputs"] = [part if name == whole else name for name in each["inputs"]]


def weights_on_every_rank(draft: BranchDraft) -> None:
    """One matrix is held whole."""
    weight = value(draft, "up_projection.weight.forward")
    weight |= {"split": [], "local_shape": weight["shape"]}


# What must be said ----------------------------------------------------------------------------------------------------


class Fault(NamedTuple):
    """A fault on one branch of the GPT-3 block, and what must be said of it; `exact` if nothing else may be said."""

    name: str
    branch: Branch
    change: Change
    codes: set[str]
    facts: AbstractSet[tuple[str, str, str]] = frozenset()
    exact: bool = True
    statement: str = ""
    dimensions: Mapping[str, str] = MappingProxyType({})


def of_workspace(name: str, branch: Branch, size: int) -> Fault:
    """The workspace has no claim of its own: its law names both numbers."""
    return Fault(name, branch, exactly("workspace", size), {"law.workspace"})


def of_memory(name: str, branch: Branch, fact: str, right: int, wrong: int, law: str, **known: str) -> Fault:
    """One memory fact is wrong; claim and law name both numbers."""
    return Fault(
        name,
        branch,
        exactly(fact, wrong),
        {"claim.memory", f"law.{law}"},
        {(f"memory.{fact}", str(wrong), str(right))},
        statement=f"law {law}",
        dimensions=known,
    )


def faults() -> list[Fault]:
    """Every fault, on each branch on which it is one."""
    found: list[Fault] = []
    for branch in BRANCHES:
        (q, c), boundary = POINTS[branch], stream(branch)
        smallest, second, largest = sorted(arms(branch))
        step = {"b": str(B), "q": str(q), "H": str(H)}
        found += [
            of_workspace("workspace by the sum of the arms", branch, boundary + sum(arms(branch))),
            of_workspace("workspace by the second largest arm", branch, boundary + second),
            of_workspace("workspace by the smallest arm", branch, boundary + smallest),
            of_workspace("workspace without the boundary", branch, largest),
            of_workspace("workspace of the boundary alone", branch, boundary),
            of_workspace("workspace with the largest arm of all ranks", branch, boundary + T * largest),
            of_workspace("workspace one byte short", branch, boundary + largest - 1),
            of_workspace("workspace one byte over", branch, boundary + largest + 1),
            of_memory("caches without their 2", branch, "kv", 2 * cache(branch), cache(branch), "kv-cache", b=str(B)),
            of_memory(
                "caches not divided by t", branch, "kv", 2 * cache(branch), 2 * T * cache(branch), "kv-cache", t=str(T)
            ),
            of_memory(
                "caches of the new tokens alone" if branch is DECODE else "caches short of one token",
                branch,
                "kv",
                2 * cache(branch),
                2 * rows(branch) if branch is DECODE else 2 * cache(branch) // c * (c - 1),
                "kv-cache",
                c=str(c),
            ),
            of_memory("boundary divided by t", branch, "boundary", boundary, boundary // T, "boundary", **step),
            of_memory(
                "weights not divided by t",
                branch,
                "weights",
                E * PARAMETERS,
                E * (12 * H**2 + 4 * H + 3 * H + F + 2 * H),
                "weight-memory",
                N=str(PARAMETERS),
            ),
            of_memory(
                "weights without norms", branch, "weights", E * PARAMETERS, E * (PARAMETERS - 4 * H), "weight-memory"
            ),
            of_memory(
                "parameters of all ranks",
                branch,
                "parameters",
                PARAMETERS,
                12 * H**2 + 4 * H + 3 * H + F + 2 * H,
                "parameters",
                t=str(T),
                H=str(H),
            ),
            Fault(
                "a matrix whole on every rank",
                branch,
                in_both_stages(weights_on_every_rank),
                {"claim.shard_coverage", "claim.memory"},
                {("up_projection.weight.forward.local_shape[1]", str(F), str(F // T))},
            ),
            Fault(
                "a read of a cache lost",
                branch,
                in_both_stages(effect_lost),
                {"claim.effects", "law.kv-read", "law.kv-elsewhere"},
                {("scores.forward.effects count", "0", "1")},
            ),
            Fault(
                "a read of a cache lost in the plan",
                branch,
                plan_effect_lost,
                {"claim.effects", "law.kv-read", "law.kv-elsewhere"},
                {("scores.forward.effects count", "0", "1")},
            ),
            Fault("a read of the other cache", branch, in_both_stages(effect_on_the_values), {"claim.effects"}),
            Fault("a read of an activation", branch, in_both_stages(effect_on_an_activation), {"claim.effects"}),
            Fault("a read of nothing", branch, effect_on_nothing, {"claim.effects"}, exact=False),
            Fault(
                "a read of the other cache in the plan",
                branch,
                plan_effect("buffer", lambda d: d.entity(PORTABLE, "buffers", "value_projection.cache")["id"]),
                {"claim.effects"},
            ),
            Fault(
                "a cache read twice",
                branch,
                in_both_stages(effect_twice),
                {"claim.effects", "law.kv-read", "law.kv-elsewhere"},
                {("scores.forward.effects count", "2", "1")},
            ),
            Fault(
                "an append for a read",
                branch,
                in_both_stages(write_for_read),
                {"claim.effects", "law.kv-read", "law.kv-elsewhere"},
            ),
            Fault(
                "a read for an append",
                branch,
                in_both_stages(read_for_write),
                {"claim.effects", "law.kv-append", "law.kv-elsewhere"},
            ),
            Fault(
                "a read moved to another task",
                branch,
                in_both_stages(effect_moved),
                {"claim.effects", "law.kv-read"},
                {("scores.forward.effects count", "0", "1"), ("softmax.forward.effects count", "1", "0")},
            ),
            Fault(
                "a read where none is",
                branch,
                in_both_stages(effect_invented("attention_norm.forward")),
                {"claim.effects", "law.kv-elsewhere"},
                {("attention_norm.forward.effects count", "1", "0")},
            ),
            Fault(
                "a read by a collective",
                branch,
                in_both_stages(effect_invented("output_projection.collective.forward")),
                {"claim.effects", "law.kv-elsewhere"},
                {("output_projection.collective.forward.effects count", "1", "0")},
            ),
            Fault("caches exchanged", branch, in_both_stages(caches_exchanged), {"claim.data_flow", "claim.effects"}),
            Fault(
                "a cache that passes for an activation",
                branch,
                cache_of_role("activation"),
                {"claim.role", "claim.memory"},
                {("memory.kv", str(2 * cache(branch)), str(cache(branch)))},
            ),
            Fault(
                "a cache that passes for a parameter",
                branch,
                cache_of_role("parameter"),
                {"claim.role", "claim.memory"},
            ),
            Fault("a cache within the step", branch, cache_within_the_step, {"claim.storage"}),
            Fault("a cache that the step keeps", branch, in_both_stages(cache_not_given_on), {"claim.interface"}),
            Fault(
                "messages with a ring factor",
                branch,
                in_both_stages(with_ring_factor),
                {
                    "claim.collective_volume",
                    "claim.exact_work",
                    "law.inference-payload",
                    "law.inference-total",
                },
                {
                    (
                        "output_projection.collective.forward.collective.message_bytes",
                        str(boundary * 2 * (T - 1) // T),
                        str(boundary),
                    )
                },
                statement="law inference-payload",
                dimensions=step,
            ),
            Fault(
                "addends never summed",
                branch,
                in_both_stages(sum_missing),
                {"coverage.missing", "claim.data_flow", "law.inference-total", "law.inference-payload"},
                exact=False,
            ),
            Fault(
                "dropout left in the tasks",
                branch,
                in_both_stages(dropout_task),
                {"coverage.unexpected", "law.inference-total"},
                exact=False,
            ),
        ]
    return [*found, *_faults_of_decode(), *_faults_of_prefill()]


CORE = {
    "claim.tensor_type",
    "claim.shard_coverage",
    "claim.operand_sizes",
    "claim.exact_work",
    "claim.operand_traffic",
    "law.attention-core",
    "law.inference-total",
}
"""What names a step with another q or c."""


def _faults_of_decode() -> list[Fault]:
    """What can be wrong only where q is not c."""
    q, c = POINTS[DECODE]
    boundary = stream(DECODE)
    return [
        Fault(
            "appends of the whole cache",
            DECODE,
            appended(cache(DECODE)),
            {"claim.effects", "law.kv-append", "law.kv-elsewhere"},
            {("key_projection.forward.effects[0].size", str(cache(DECODE)), str(rows(DECODE)))},
            statement="law kv-append",
            dimensions={"b": str(B), "q": "1", "k": str(HEADS), "d": str(WIDTH), "t": str(T)},
        ),
        Fault(
            "appends of the whole cache, and writes it",
            DECODE,
            together(
                in_both_stages(works("key_projection.forward", "write_bytes", cache(DECODE))), appended(cache(DECODE))
            ),
            {"claim.effects", "claim.exact_work", "claim.operand_traffic", "law.kv-append", "law.inference-total"},
            {("key_projection.forward.write_bytes", str(cache(DECODE)), str(rows(DECODE)))},
            exact=False,
        ),
        Fault(
            "reads of the new token alone",
            DECODE,
            in_both_stages(_core_of_the_new_token),
            {"claim.effects", "claim.exact_work", "law.kv-read", "law.attention-core", "law.inference-total"},
            {
                ("scores.forward.operations", str(2 * B * H // T), str(2 * B * c * H // T)),
                ("scores.forward.effects[0].size", str(rows(DECODE)), str(cache(DECODE))),
            },
            exact=False,
            statement="law attention-core",
            dimensions={"b": str(B), "q": "1", "c": str(c), "H": str(H)},
        ),
        Fault(
            "the context dropped",
            DECODE,
            step_of(DECODE, prompt=1, context=1),
            {*CORE, "claim.effects", "law.kv-read", "law.kv-cache", "law.workspace"},
            {
                ("scores.forward.shape[3]", "1", str(c)),
                ("scores.forward.effects[0].size", str(rows(DECODE)), str(cache(DECODE))),
            },
            exact=False,
            statement="law attention-core",
            dimensions={"b": str(B), "q": "1", "c": str(c), "H": str(H)},
        ),
        Fault(
            "the new token not counted",
            DECODE,
            step_of(DECODE, context=c - 1),
            {*CORE, "claim.effects", "law.kv-read", "law.kv-cache", "law.workspace"},
            {
                ("scores.forward.shape[3]", str(c - 1), str(c)),
                ("scores.forward.operations", str(2 * B * (c - 1) * H // T), str(2 * B * c * H // T)),
            },
            exact=False,
            statement="law attention-core",
            dimensions={"b": str(B), "q": "1", "c": str(c), "H": str(H)},
        ),
        Fault(
            "the core short of the new token, and nothing else",
            DECODE,
            in_both_stages(works("scores.forward", "operations", 2 * B * (c - 1) * H // T)),
            {"claim.exact_work", "law.attention-core", "law.inference-rank-sum", "law.inference-total", "law.gemm"},
            {("scores.forward.operations", str(2 * B * (c - 1) * H // T), str(2 * B * c * H // T))},
            statement="law attention-core",
            dimensions={"b": str(B), "q": "1", "c": str(c), "H": str(H)},
        ),
        Fault(
            "the prompt's step in the place of the last",
            DECODE,
            step_of(PREFILL),
            {*CORE, "claim.effects", "law.kv-append", "law.kv-read", "law.boundary", "law.workspace"},
            {
                ("x.forward.shape[1]", "2048", "1"),
                ("scores.forward.shape[3]", "2048", str(c)),
            },
            exact=False,
            statement="law inference-mlp",
            dimensions={"b": str(B), "q": "1"},
        ),
        of_memory("boundary of all visible tokens", DECODE, "boundary", boundary, boundary * c // q, "boundary", q="1"),
        of_workspace("workspace with the boundary of all visible tokens", DECODE, boundary * c + max(arms(DECODE))),
        of_workspace("workspace with the context dropped", DECODE, boundary + max(arms(DECODE)[0], arms(DECODE)[2])),
        of_workspace("the prompt's workspace", DECODE, stream(PREFILL) + max(arms(PREFILL))),
    ]


def _core_of_the_new_token(draft: BranchDraft) -> None:
    """Scores and context do the work, and read the rows, of the new token alone; shapes stay."""
    c = POINTS[DECODE][1]
    for name in ("scores.forward", "context.forward"):
        found = task(draft, name)
        found["work"]["operations"] //= c
        found["effects"][0]["size"] //= c
        found["work"]["read_bytes"] -= cache(DECODE) - rows(DECODE)


def _faults_of_prefill() -> list[Fault]:
    q, c = POINTS[PREFILL]
    return [
        Fault(
            "the last step in the place of the prompt's",
            PREFILL,
            step_of(DECODE),
            {*CORE, "claim.effects", "law.prefill-is-forward", "law.kv-append", "law.workspace"},
            {("x.forward.shape[1]", "1", str(q))},
            exact=False,
            statement="law inference-mlp",
            dimensions={"b": str(B), "q": str(q)},
        ),
        Fault(
            "half of the scores, as a causal mask leaves them",
            PREFILL,
            in_both_stages(works("scores.forward", "operations", B * q * c * H // T)),
            {
                "claim.exact_work",
                "law.attention-core",
                "law.prefill-is-forward",
                "law.inference-rank-sum",
                "law.inference-total",
                "law.gemm",
            },
            {("scores.forward.operations", str(B * q * c * H // T), str(2 * B * q * c * H // T))},
            statement="law attention-core",
        ),
        of_workspace("the last step's workspace", PREFILL, stream(DECODE) + max(arms(DECODE))),
    ]


FAULTS = faults()


def other(branch: Branch) -> Branch:
    return DECODE if branch is PREFILL else PREFILL


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.branch.value}: {fault.name}")
def test_the_named_claims_and_laws_refute_a_fault(fault: Fault, tmp_path: Path) -> None:
    draft = BranchDraft(bundle(GPT3_STEPS), fault.branch)
    fault.change(draft)
    data, report = honest(draft.sealed())
    assert report.verdict is Outcome.REFUTED
    assert fault.codes <= codes(report)
    assert not fault.exact or codes(report) == fault.codes
    assert families(report) <= {"claim", "law", "coverage"}, "the sealing is not what stops it"
    assert fault.facts <= failed(report)
    assert fault.dimensions.items() <= dimensions(report, fault.statement).items()
    # The other branch is as good as before, and nothing is said of it.
    assert all(paths(report, code) == {fault.branch.value} for code in codes(report))
    assert refuted_on(report, other(fault.branch)) == set()
    assert exit_code(data, tmp_path) == ExitCode.REFUTED


@pytest.mark.parametrize("fault", [each for each in FAULTS if each.codes == {"law.workspace"}], ids=lambda f: f.name)
def test_a_wrong_workspace_is_named_with_both_numbers(fault: Fault) -> None:
    draft = BranchDraft(bundle(GPT3_STEPS), fault.branch)
    fault.change(draft)
    _, report = honest(draft.sealed())
    said = messages(report, "law.workspace")
    found, boundary, sizes = memory(draft)["workspace"], stream(fault.branch), arms(fault.branch)
    # Too large, it is no arm's; too small, it is less than the first arm which it does not hold.
    wanted = boundary + (
        max(sizes) if found > boundary + max(sizes) else next(s for s in sizes if boundary + s > found)
    )
    assert f"{found}*t = {T * found}" in said
    assert f" = {T * wanted}" in said
    assert f"H = {H}" in said


def test_the_good_bundles_pass_through_the_same_hands(tmp_path: Path) -> None:
    for request in (GPT3_STEPS, TINY_STEPS):
        good = bundle(request)
        draft = BranchDraft(good, DECODE)
        draft.derive_again(MODEL)
        assert draft.sealed() == good
        for branch in BRANCHES:
            draft.on(branch).derive_branch(request)
            draft.derive_again(PORTABLE)
            assert draft.sealed() == good
        assert recorded(good, verify(good, jobs=JOBS)) == good
        report = verify_without_replay(good, jobs=JOBS)
        assert (report.verdict, codes(report)) == (Outcome.NOT_ESTABLISHED, set())
        assert exit_code(good, tmp_path) == ExitCode.VERIFIED


def test_a_task_of_training_has_no_cache(tmp_path: Path) -> None:
    """No law of training counts what caches hold: that there is no effect is a claim of every task."""
    for name, stage in (("scores.forward", DISTRIBUTED), ("optimizer", DISTRIBUTED), ("scores.forward", PORTABLE)):
        draft = Draft(bundle(TINY_REQUEST))
        kind, where = ("buffers", "buffer") if stage is PORTABLE else ("values", "value")
        held = draft.entity(stage, kind, "key_projection.forward")["id"]
        draft.entity(stage, "tasks", name)["effects"] = [{"kind": "kv_read", where: held, "size": 1}]
        if stage is DISTRIBUTED:
            draft.derive_again(PORTABLE)
        data, report = honest(draft.sealed())
        assert codes(report) == {"claim.effects"}
        assert failed(report) == {(f"{name}.effects count", "1", "0")}
        assert exit_code(data, tmp_path) == ExitCode.REFUTED


# Branches and their model ---------------------------------------------------------------------------------------------


def test_branches_swapped_are_named_on_both() -> None:
    draft = BranchDraft(bundle(GPT3_STEPS), DECODE)
    swapped(draft)
    _, report = honest(draft.sealed())
    assert report.verdict is Outcome.REFUTED
    for code in ("law.attention-core", "law.inference-total", "law.boundary", "claim.tensor_type"):
        assert paths(report, code) == {PREFILL.value, DECODE.value}
    assert "prefill-is-forward" in refuted_on(report, PREFILL)
    assert families(report) <= {"claim", "law"}


def test_branches_renamed_are_out_of_order(tmp_path: Path) -> None:
    draft = BranchDraft(bundle(GPT3_STEPS), DECODE)
    names = {PREFILL.value: DECODE.value, DECODE.value: PREFILL.value}
    for record in (*draft.data["stages"][1:], *draft.data["transitions"]):
        record["branch"] = names[record["branch"]]
    data = draft.raw()
    report = verify_without_replay(data, jobs=JOBS)
    assert ("stage.order", "stages[3]") in {(each.code, each.path) for each in report.diagnostics}
    assert exit_code(data, tmp_path) == ExitCode.REFUTED


def test_branches_in_the_other_order_are_refuted(tmp_path: Path) -> None:
    draft = BranchDraft(bundle(GPT3_STEPS), DECODE)
    for kind, first in (("stages", 1), ("transitions", 0)):
        records = draft.data[kind]
        draft.data[kind] = [*records[:first], *records[first + 2 :], *records[first : first + 2]]
    data = draft.sealed()
    assert "stage.order" in codes(verify_without_replay(data, jobs=JOBS))
    assert exit_code(data, tmp_path) == ExitCode.REFUTED


@pytest.mark.parametrize("lost", BRANCHES, ids=lambda branch: branch.value)
def test_a_branch_missing_is_not_established(lost: Branch, tmp_path: Path) -> None:
    draft = BranchDraft(bundle(GPT3_STEPS), lost)
    for kind in ("stages", "transitions"):
        draft.data[kind] = [each for each in draft.data[kind] if each["branch"] != lost.value]
    data = draft.raw()
    report = verify(data, jobs=JOBS)
    assert codes(report) == {"stage.missing", "nothing.established"}
    missing = {each.path for each in report.diagnostics if each.code == "stage.missing"}
    assert missing == {f"{lost.value}/distributed", f"{lost.value}/portable"}
    assert report.verdict is Outcome.NOT_ESTABLISHED
    shown = {(row.branch, row.stage): row.unavailable for row in report.subject.stages}
    assert shown[lost.value, "portable"] == "missing from the bundle"
    assert exit_code(data, tmp_path) == ExitCode.NOT_ESTABLISHED


@pytest.mark.parametrize("lost", BRANCHES, ids=lambda branch: branch.value)
def test_a_false_branch_is_refuted_whether_or_not_the_other_is_shown(lost: Branch, tmp_path: Path) -> None:
    draft = BranchDraft(bundle(GPT3_STEPS), other(lost))
    more("scores.forward")(draft)
    for kind in ("stages", "transitions"):
        draft.data[kind] = [each for each in draft.data[kind] if each["branch"] != lost.value]
    data = draft.sealed()
    assert {"stage.missing", "claim.exact_work", "law.attention-core"} <= codes(verify_without_replay(data, jobs=JOBS))
    assert exit_code(data, tmp_path) == ExitCode.REFUTED


@pytest.mark.parametrize("branch", BRANCHES, ids=lambda branch: branch.value)
def test_a_plan_missing_from_a_branch_is_not_established(branch: Branch, tmp_path: Path) -> None:
    draft = BranchDraft(bundle(GPT3_STEPS), branch)
    for kind in ("stages", "transitions"):
        found = draft.data[kind]
        draft.data[kind] = [each for each in found if (each["stage"], each["branch"]) != ("portable", branch.value)]
    data = draft.raw()
    report = verify(data, jobs=JOBS)
    assert [each.path for each in report.diagnostics if each.code == "stage.missing"] == [f"{branch.value}/portable"]
    assert report.verdict is Outcome.NOT_ESTABLISHED
    assert exit_code(data, tmp_path) == ExitCode.NOT_ESTABLISHED


def test_a_branch_of_training_is_no_branch_of_inference(tmp_path: Path) -> None:
    draft = BranchDraft(bundle(GPT3_STEPS), DECODE)
    for record in (*draft.data["stages"][3:], *draft.data["transitions"][2:]):
        record["branch"] = ""
    data = draft.raw()
    assert "stage.order" in codes(verify_without_replay(data, jobs=JOBS))
    assert exit_code(data, tmp_path) == ExitCode.REFUTED


def test_a_second_model_is_refuted(tmp_path: Path) -> None:
    """The model stands once: a branch has none of its own."""
    draft = BranchDraft(bundle(GPT3_STEPS), DECODE)
    model = copied(draft.data["stages"][0], branch=DECODE.value)
    draft.data["stages"].insert(3, model)
    data = draft.raw()
    assert "stage.order" in codes(verify_without_replay(data, jobs=JOBS))
    assert exit_code(data, tmp_path) == ExitCode.REFUTED


def test_a_branch_of_another_model_has_another_parent(tmp_path: Path) -> None:
    """Both branches are sound, but the last step was derived from the model of a longer context."""
    longer = msgspec.structs.replace(GPT3_STEPS.workload, context=4097)
    foreign = BranchDraft(derive(msgspec.structs.replace(GPT3_STEPS, workload=longer), jobs=JOBS), DECODE)
    draft = BranchDraft(bundle(GPT3_STEPS), DECODE)
    for kind, first in (("stages", 3), ("transitions", 2)):
        draft.data[kind][first:] = foreign.data[kind][first:]
    data = draft.raw()
    report = verify_without_replay(data, jobs=JOBS)
    assert ("digest.parent", f"{DECODE.value}/distributed") in {(e.code, e.path) for e in report.diagnostics}
    assert exit_code(data, tmp_path) == ExitCode.REFUTED


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (model_of_the_prompt, ("key_projection.shape[1]", "2048", "4096")),
        (dropout_in_the_model, ("", "", "")),
    ],
    ids=["of the other branch", "with dropout"],
)
def test_a_model_that_is_not_the_requests_is_refuted(
    change: Change, found: tuple[str, str, str], tmp_path: Path
) -> None:
    draft = BranchDraft(bundle(GPT3_STEPS), DECODE)
    change(draft)
    data, report = honest(draft.sealed())
    assert report.verdict is Outcome.REFUTED
    assert not found[0] or found in failed(report)
    assert not found[0] or "claim.tensor_type" in codes(report)
    assert found[0] or "coverage.unexpected" in codes(report)
    assert families(report) <= {"claim", "coverage", "nothing", "report"}
    assert exit_code(data, tmp_path) == ExitCode.REFUTED


def asked_for(draft: BranchDraft, **changes: int) -> None:
    """Other numbers in the request, and in the model what follows from them; the branches stay."""
    draft.request["workload"].update(changes)
    context = draft.request["workload"]["context"]
    for each in draft.entities(MODEL, "values"):
        pairs = zip(each["axes"], each["shape"], strict=True)
        each["shape"] = [context if axis in {"sequence", "query", "key"} else size for axis, size in pairs]


@pytest.mark.parametrize(
    ("changes", "branch", "law"),
    [
        ({"context": 4095}, DECODE, "attention-core"),
        ({"context": 4097}, DECODE, "kv-cache"),
        ({"prompt": 1024}, PREFILL, "prefill-is-forward"),
        ({"prompt": 2049}, PREFILL, "boundary"),
    ],
    ids=str,
)
def test_the_steps_of_another_request_are_refuted(
    changes: dict[str, int], branch: Branch, law: str, tmp_path: Path
) -> None:
    """A prompt is no matter of the last step, nor the context of the prompt's."""
    draft = BranchDraft(bundle(GPT3_STEPS), branch)
    asked_for(draft, **changes)
    data, report = honest(draft.sealed())
    assert report.verdict is Outcome.REFUTED
    assert law in refuted_on(report, branch)
    assert refuted_on(report, other(branch)) == set()
    assert families(report) <= {"claim", "law"}
    assert exit_code(data, tmp_path) == ExitCode.REFUTED


# Every law -----------------------------------------------------------------------------------------------------------


def plan_of(kind: str, name: str, path: tuple[str, ...]) -> Change:
    """One number of the plan alone is one more."""

    def changed(draft: BranchDraft) -> None:
        holder = draft.entity(PORTABLE, kind, name)
        for part in path[:-1]:
            holder = holder[part]
        holder[path[-1]] += 1

    return changed


def device_of(size: int) -> Change:
    """The same steps, for a device of so many bytes."""

    def deployed(draft: BranchDraft) -> None:
        ranks = draft.request["strategy"]["tensor"]
        draft.data["request"]["deployment"] = {"devices": ranks, "topology": "all-to-all", "device_memory": size}
        draft.derive_again(MODEL)

    return deployed


def more_memory(fact: str, by: int) -> Change:
    def changed(draft: BranchDraft) -> None:
        memory(draft)[fact] += by

    return changed


def more_workspace(place: int) -> Change:
    """One implementation of attention needs a byte more."""

    def changed(draft: BranchDraft) -> None:
        draft.snapshot(PORTABLE)["alternatives"][place]["workspace"] += 1

    return changed


BREAKERS: dict[str, Change] = {
    "inference-qkv-projection": more("query_projection.forward"),
    "attention-core": more("softmax.forward"),
    "inference-output-projection": more("output_projection.forward"),
    "inference-mlp": more("up_projection.forward"),
    "kv-append": appended(1),
    "kv-read": in_both_stages(effect_lost),
    "kv-elsewhere": in_both_stages(effect_invented("mlp_residual.forward")),
    "prefill-is-forward": more("down_projection.forward"),
    "inference-rank-sum": more("activation.forward"),
    "inference-payload": more("down_projection.collective.forward", "message_bytes"),
    "inference-reduce": more("down_projection.collective.forward"),
    "inference-total": more("attention_norm.forward", "read_bytes"),
    "kv-cache": more_memory("kv", 1),
    "workspace": more_memory("workspace", -1),
    "tiled-workspace": more_workspace(1),
    "paged-workspace": more_workspace(2),
    "boundary": more_memory("boundary", 1),
    "parameters": more_memory("parameters", 1),
    "weight-memory": more_memory("weights", -1),
    "inference-capacity": device_of(1),
    "work-conservation": plan_of("tasks", "scores.forward", ("work", "read_bytes")),
    "resource-projection": plan_of("tasks", "scores.forward", ("resources", "memory")),
    "buffer-size": plan_of("buffers", "key_projection.cache", ("size",)),
    "gemm": more("context.forward"),
    "operand-traffic": more("softmax.forward", "write_bytes"),
}
"""Law -> a change of one branch that it must name."""

OF_THE_PROMPT = {"prefill-is-forward"}
OF_THE_REQUEST = {"inference-capacity"}
"""Broken by the request, and so on both branches."""


@pytest.mark.parametrize("branch", BRANCHES, ids=lambda branch: branch.value)
@pytest.mark.parametrize("law", BREAKERS)
def test_a_law_names_what_breaks_it(law: str, branch: Branch) -> None:
    good = bundle(TINY_STEPS)
    stated = [row for row in verify(good, jobs=JOBS).transitions if row.branch == branch.value]
    before = {each.status for row in stated for each in row.laws if each.id == law}
    assert before
    assert before <= {Status.PROVED, Status.NOT_APPLICABLE}
    draft = BranchDraft(good, branch)
    BREAKERS[law](draft)
    _, report = honest(draft.sealed())
    assert report.verdict is Outcome.REFUTED
    speaks = branch is PREFILL or law not in OF_THE_PROMPT
    assert (law in refuted_on(report, branch)) is speaks
    assert not speaks or " is refuted: " in messages(report, f"law.{law}")
    assert (refuted_on(report, other(branch)) == set()) is (law not in OF_THE_REQUEST)


@pytest.mark.parametrize("component", ["operations", "read_bytes", "write_bytes", "message_bytes"])
@pytest.mark.parametrize("branch", BRANCHES, ids=lambda branch: branch.value)
def test_every_total_is_closed(component: str, branch: Branch) -> None:
    """Of a norm no law but the total speaks; its claims do."""
    draft = BranchDraft(bundle(TINY_STEPS), branch)
    more("mlp_norm.forward", component)(draft)
    _, report = honest(draft.sealed())
    traffic = {"claim.operand_traffic", "law.operand-traffic"} if component in {"read_bytes", "write_bytes"} else set()
    assert codes(report) == {"claim.exact_work", "law.inference-total", *traffic}
    assert paths(report, "law.inference-total") == {branch.value}


def test_every_law_of_inference_with_instances_is_broken_here() -> None:
    book = open_rulebook(None)
    rules = [each for each in book.rules if isinstance(each, PassRule | BoundaryRule)]
    # What only a stage has is broken in test_false_stack.py.
    ours = [rule for rule in rules if rule.workload in {None, Workload.INFERENCE} and not rule.stage]
    # Those of bindings are broken in test_false_attention.py and test_false_binding.py.
    ours = [rule for rule in ours if not rule.id.startswith(("binding.", "emission."))]
    stated = {law.id for rule in ours for law in rule.laws if not isinstance(law, BoundLaw)}
    stated |= {rule.law for rule in book.rules if isinstance(rule, PrimitiveRule) and rule.law}
    assert set(BREAKERS) == stated | {"operand-traffic"}


def test_a_device_one_byte_short_refutes_the_step_that_does_not_fit() -> None:
    """The prompt needs more room, the last step larger caches: each is asked by itself."""
    needs = {}
    for branch in BRANCHES:
        held = memory(BranchDraft(bundle(GPT3_STEPS), branch))
        needs[branch] = held["weights"] + held["kv"] + held["workspace"]
        by_hand = E * PARAMETERS + 2 * cache(branch) + stream(branch) + max(arms(branch))
        assert needs[branch] == by_hand
    for size in (max(needs.values()) - 1, min(needs.values()) - 1):
        draft = BranchDraft(bundle(GPT3_STEPS), DECODE)
        device_of(size)(draft)
        _, report = honest(draft.sealed())
        assert codes(report) == {"law.inference-capacity"}
        assert paths(report, "law.inference-capacity") == {each.value for each in BRANCHES if needs[each] > size}
        said = messages(report, "law.inference-capacity")
        assert all(f"= {needs[each]}, may be at most C_dev = {size}" in said for each in BRANCHES if needs[each] > size)
    draft = BranchDraft(bundle(GPT3_STEPS), DECODE)
    device_of(max(needs.values()))(draft)
    _, report = honest(draft.sealed())
    assert codes(report) == set()
