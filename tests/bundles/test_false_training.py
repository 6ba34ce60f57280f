"""False bundles about a whole block: memory, recompute, ZeRO stages, traffic and shares, each stopped by a named law.

As in test_false_bundles.py, everything is sealed again and recorded honestly, and nothing is replayed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from blueprint.case import Workload
from blueprint.derivation import derive
from blueprint.exit import ExitCode
from blueprint.frontend.request import deployment_of
from blueprint.ir.common import Phase, Role
from blueprint.ir.portable import StorageClass
from blueprint.ir.request import Communication, Recompute, Request
from blueprint.law import BoundLaw
from blueprint.outcome import Outcome, Report, Status
from blueprint.rule import Claim, PrimitiveRule, Rule
from blueprint.session import open_rulebook
from blueprint.verification import verify, verify_without_replay
from tests.bundles.conftest import GPT3_REQUEST, JOBS, TINY_REQUEST
from tests.bundles.test_false_attention import ABOVE
from tests.bundles.test_false_binding import BINDINGS, PROGRAMS
from tests.bundles.test_false_bundles import (
    DISTRIBUTED,
    FORGERIES,
    MODEL,
    OPERATORS,
    PORTABLE,
    STEP_OPERATORS,
    codes,
    dimensions,
    exit_code,
    failed,
    families,
    task,
    tasks,
    value,
    values,
)
from tests.bundles.test_false_inference import BREAKERS as STEP_BREAKERS
from tests.bundles.test_false_stack import FAULTS
from tests.reseal import Draft, Plain, copied, new_id, recorded, without

Change = Callable[[Draft], None]


@functools.cache
def bundle(request: Request) -> bytes:
    """The good bundle of a request, derived once."""
    return derive(request, jobs=JOBS)


def with_strategy(request: Request, **changes: Any) -> Request:
    return msgspec.structs.replace(request, strategy=msgspec.structs.replace(request.strategy, **changes))


def honest(data: bytes) -> tuple[bytes, Report]:
    """The bundle with the records of an honest run, and the report on it without replay."""
    data = recorded(data, verify(data, jobs=JOBS))
    return data, verify_without_replay(data, jobs=JOBS)


def messages(report: Report, code: str) -> str:
    """Every message of the findings of a code."""
    return "\n".join(each.message for each in report.diagnostics if each.code == code)


# One block of GPT-3 175B --------------------------------------------------------------------------------------------

STREAM = 2 * 2048 * 12288 // 8
"""Bytes of one rank's shard of the residual stream, of queries or of keys."""

PROBABILITIES = 12 * 2048**2
"""Elements of one rank's scores."""

STORED = 34 * 2048 * 12288 // 8
"""Korthikanti et al.: 34 B S H / t under sequence parallelism and selective recompute, at F = 4H and e = 2."""

WORKING = 2 * 8 * STREAM + 5 * PROBABILITIES
PARAMETERS = 12 * 12288**2 // 8 + 4 * 12288 + (3 * 12288 + 4 * 12288) // 8 + 2 * 12288
"""Twelve matrices of H^2 over t, two norms, split biases of q, k, v and up, whole biases of the other two."""

SHARE = PARAMETERS // 8


def devices_of(draft: Draft, size: int) -> Plain:
    """A deployment of a device for each rank, of this memory."""
    return {"devices": draft.request["strategy"]["tensor"], "topology": "all-to-all", "device_memory": size}


def memory(draft: Draft) -> Plain:
    found: Plain = draft.snapshot(PORTABLE)["memory"]
    return found


def remembered(fact: str, change: int) -> Change:
    """One memory fact is so much more."""

    def more(draft: Draft) -> None:
        memory(draft)[fact] += change

    return more


def exactly(fact: str, size: int) -> Change:
    def be(draft: Draft) -> None:
        memory(draft)[fact] = size

    return be


class Forgery(NamedTuple):
    """A false bundle of a request, and what must be said of it."""

    name: str
    request: Request
    change: Change
    codes: set[str]
    facts: set[tuple[str, str, str]]
    statement: str
    dimensions: dict[str, str]


PLAIN = with_strategy(GPT3_REQUEST, recompute=Recompute.NONE)
FULL = with_strategy(GPT3_REQUEST, recompute=Recompute.FULL)
SPLIT = with_strategy(GPT3_REQUEST, zero=3)
BLOCK = {"B": "1", "S": "2048", "H": "12288", "t": "8"}
GENERAL = {**BLOCK, "F": "49152", "h": "96", "k": "96", "d": "128", "e": "2"}


def of_memory(name: str, request: Request, fact: str, right: int, wrong: int, law: str, **known: str) -> Forgery:
    """One memory fact is wrong; claim and law name both numbers."""
    return Forgery(
        name=name,
        request=request,
        change=exactly(fact, wrong),
        codes={"claim.memory", f"law.{law.partition(' ')[0]}"},
        facts={(f"memory.{fact}", str(wrong), str(right))},
        statement=f"law {law}",
        dimensions=known or BLOCK,
    )


def discarded_renamed(draft: Draft) -> None:
    """The context that is made again is called what backward tasks would read."""
    value(draft, "context.discarded")["name"] = "context.recomputed"
    draft.derive_again(PORTABLE)


def discarded_missing(draft: Draft) -> None:
    """The recomputed context writes nothing."""
    draft.snapshot(DISTRIBUTED)["values"] = without(values(draft), "context.discarded")
    task(draft, "context.recompute")["outputs"] = []
    draft.derive_again(PORTABLE)


def discarded_read(draft: Draft) -> None:
    """The projection's weight gradient reads the copy that is to be dropped, so that the stored one need not wait."""
    gradient = task(draft, "output_projection.weight_gradient")
    stored, again = value(draft, "context.forward")["id"], value(draft, "context.discarded")["id"]
    gradient["inputs"] = [again if each == stored else each for each in gradient["inputs"]]
    draft.derive_again(PORTABLE)


def bytes_moved(draft: Draft) -> None:
    """From read to write of one task, in both stages: what it moves in all is right."""
    work = task(draft, "scores.forward")["work"]
    work["read_bytes"] -= 4096
    work["write_bytes"] += 4096
    draft.derive_again(PORTABLE)


def bytes_moved_between_tasks(draft: Draft) -> None:
    """From one product to the next: every sum over all tasks is right."""
    task(draft, "query_projection.forward")["work"]["read_bytes"] -= 4096
    task(draft, "key_projection.forward")["work"]["read_bytes"] += 4096
    draft.derive_again(PORTABLE)


def gradients_unbalanced(draft: Draft) -> None:
    """Both gradients of the queries do more and both of the keys less: the total of each phase is kept."""
    for phase in ("activation_gradient", "weight_gradient"):
        task(draft, f"query_projection.{phase}")["work"]["operations"] += 2048
        task(draft, f"key_projection.{phase}")["work"]["operations"] -= 2048
    draft.derive_again(PORTABLE)


def gradients_exchanged(draft: Draft) -> None:
    """One gradient of a product does what the other should: together they do twice the forward work."""
    task(draft, "query_projection.activation_gradient")["work"]["operations"] += 2048
    task(draft, "query_projection.weight_gradient")["work"]["operations"] -= 2048
    draft.derive_again(PORTABLE)


def counted_whole(name: str) -> Change:
    """A divided operation does on every rank what the group should do together."""

    def whole(draft: Draft) -> None:
        task(draft, name)["work"]["operations"] *= 8
        draft.derive_again(PORTABLE)

    return whole


def device_of(size: int) -> Change:
    """The same block, for a device of so many bytes."""

    def deployed(draft: Draft) -> None:
        draft.data["request"]["deployment"] = devices_of(draft, size)
        draft.derive_again(MODEL)

    return deployed


NEEDED = STORED + WORKING + (2 + 2 + 12) * PARAMETERS

UNRELATED = "an entity of no relation"
"""Stands for the id of a value that no rule demands: it has no name that a report could know."""

FORGERIES_HERE = [
    of_memory(
        "a mask dropped from what is stored",
        GPT3_REQUEST,
        "stored",
        STORED,
        STORED - STREAM // 2,
        "activation-memory (e = 2, F = 4H)",
    ),
    of_memory(
        "the input of queries, keys and values stored once each",
        GPT3_REQUEST,
        "stored",
        STORED,
        STORED + 2 * STREAM,
        "activation-memory (general)",
        **GENERAL,
    ),
    of_memory(
        "keys stored whole on every rank",
        GPT3_REQUEST,
        "stored",
        STORED,
        STORED + 7 * STREAM,
        "activation-memory (classical)",
        **GENERAL,
    ),
    of_memory(
        "probabilities kept although they are made again",
        GPT3_REQUEST,
        "stored",
        STORED,
        STORED + 2 * PROBABILITIES,
        "activation-memory (e = 2, F = 4H)",
    ),
    of_memory(
        "nothing kept of the core where nothing is made again",
        PLAIN,
        "stored",
        STORED + 5 * PROBABILITIES,
        STORED,
        "activation-memory (e = 2, F = 4H)",
        **{**BLOCK, "h": "96"},
    ),
    of_memory("all kept although all is made again", FULL, "stored", 0, STORED, "activation-memory (general)", t="8"),
    of_memory(
        "one gathered shard is not counted",
        GPT3_REQUEST,
        "working",
        WORKING,
        WORKING - 8 * STREAM,
        "working-memory (general)",
        **{**BLOCK, "h": "96", "e": "2"},
    ),
    of_memory(
        "the mask drawn again is not counted",
        GPT3_REQUEST,
        "working",
        WORKING,
        WORKING - PROBABILITIES,
        "working-memory (general)",
        **{**BLOCK, "h": "96", "e": "2"},
    ),
    of_memory("a checkpoint where nothing starts again", GPT3_REQUEST, "checkpoint", 0, STREAM, "checkpoint", t="8"),
    of_memory("a checkpoint of the whole sequence", FULL, "checkpoint", STREAM, 8 * STREAM, "checkpoint (general)"),
    of_memory("no checkpoint", FULL, "checkpoint", STREAM, 0, "checkpoint (general)"),
    of_memory(
        "norms divided",
        GPT3_REQUEST,
        "parameters",
        PARAMETERS,
        PARAMETERS - 4 * 12288 + 4 * 12288 // 8,
        "parameters (general)",
        F="49152",
        H="12288",
        h="96",
        k="96",
        d="128",
        t="8",
    ),
    of_memory(
        "weights by a share at stage 0",
        GPT3_REQUEST,
        "weights",
        2 * PARAMETERS,
        2 * SHARE,
        "weight-memory (by stage)",
        N=str(PARAMETERS),
        e="2",
        hidden="12288",
        heads="96",
    ),
    of_memory(
        "gradients by a share at stage 0",
        GPT3_REQUEST,
        "gradients",
        2 * PARAMETERS,
        2 * SHARE,
        "gradient-memory (by stage)",
        N=str(PARAMETERS),
        g="2",
        hidden="12288",
    ),
    of_memory(
        "optimizer by a share at stage 0",
        GPT3_REQUEST,
        "optimizer",
        12 * PARAMETERS,
        12 * SHARE,
        "optimizer-memory (by stage)",
        N=str(PARAMETERS),
        o="12",
        hidden="12288",
    ),
    of_memory(
        "all weights at stage 3",
        SPLIT,
        "weights",
        2 * SHARE,
        2 * PARAMETERS,
        "weight-memory (by stage)",
        n_D=str(SHARE),
        D="8",
        e="2",
        hidden="12288",
    ),
    of_memory(
        "all gradients at stage 3",
        SPLIT,
        "gradients",
        2 * SHARE,
        2 * PARAMETERS,
        "gradient-memory (by stage)",
        n_D=str(SHARE),
        D="8",
        g="2",
    ),
    of_memory(
        "all optimizer state at stage 3",
        SPLIT,
        "optimizer",
        12 * SHARE,
        12 * PARAMETERS,
        "optimizer-memory (by stage)",
        n_D=str(SHARE),
        D="8",
        o="12",
    ),
    Forgery(
        "discarded version renamed",
        GPT3_REQUEST,
        discarded_renamed,
        {"coverage.missing", "coverage.unexpected", "claim.data_flow"},
        {("context.recompute.outputs[0]", UNRELATED, "missing context.discarded")},
        "data_flow of training.attention_matmul: context",
        {"context.recompute.outputs count": "1"},
    ),
    Forgery(
        "discarded version missing",
        GPT3_REQUEST,
        discarded_missing,
        {"coverage.missing", "claim.data_flow"},
        {("context.recompute.outputs count", "0", "1")},
        "data_flow of training.attention_matmul: context",
        {"context.recompute.outputs count": "1"},
    ),
    Forgery(
        "discarded version read",
        GPT3_REQUEST,
        discarded_read,
        {"claim.data_flow", "claim.memory"},
        {("memory.stored", "106954752", "100663296"), ("memory.working", "352321536", "358612992")},
        "memory of planning.weights",
        {"batch": "1", "sequence'": "2048", "hidden": "12288", "head_width": "128"},
    ),
    Forgery(
        "capacity exceeded by one byte",
        GPT3_REQUEST,
        device_of(NEEDED - 1),
        {"law.capacity"},
        set(),
        "law capacity (this plan)",
        {"C_dev": str(NEEDED - 1)},
    ),
    Forgery(
        "bytes moved from read to write",
        GPT3_REQUEST,
        bytes_moved,
        {"claim.operand_traffic", "law.operand-traffic", "claim.exact_work", "law.total-forward"},
        {("scores.forward.read_bytes", "12578816", "12582912")},
        "operand_traffic of training.attention_matmul",
        {"batch": "1", "query": "2048", "key": "2048", "heads": "96", "t": "8", "head_width": "128", "e": "2"},
    ),
    Forgery(
        "bytes moved between tasks",
        GPT3_REQUEST,
        bytes_moved_between_tasks,
        {"claim.operand_traffic", "law.operand-traffic", "claim.exact_work"},
        {("key_projection.forward.read_bytes", "88084480", "88080384")},
        "operand_traffic of training.qkv_projection",
        {"batch": "1", "sequence": "2048", "hidden": "12288", "t": "8", "head_width": "128", "e": "2"},
    ),
    Forgery(
        "gradients unbalanced",
        GPT3_REQUEST,
        gradients_unbalanced,
        {"law.backward-doubles", "law.rank-sum", "law.gemm", "claim.exact_work"},
        {("query_projection.weight_gradient.operations", "77309413376", "77309411328")},
        "exact_work of training.qkv_projection",
        {"batch": "1", "sequence": "2048", "hidden": "12288", "t": "8", "head_width": "128"},
    ),
    Forgery(
        "gradients of one product exchanged",
        GPT3_REQUEST,
        gradients_exchanged,
        {"law.rank-sum", "law.gemm", "claim.exact_work", "law.total-activation-gradient", "law.total-weight-gradient"},
        {("query_projection.weight_gradient.operations", "77309409280", "77309411328")},
        "law rank-sum (heads and columns)",
        {"batch": "1", "sequence": "2048", "hidden": "12288", "t": "8", "head_width": "128"},
    ),
    Forgery(
        "a divided operation counted whole",
        GPT3_REQUEST,
        counted_whole("activation.forward"),
        {"law.rank-sum", "law.total-forward", "claim.exact_work"},
        {("activation.forward.operations", "805306368", "100663296")},
        "law rank-sum (heads and columns)",
        {"batch": "1", "sequence": "2048", "feedforward": "49152", "t": "8"},
    ),
    Forgery(
        "a divided stream counted whole",
        GPT3_REQUEST,
        counted_whole("mlp_residual.forward"),
        {"law.rank-sum-sequence", "law.total-forward", "claim.exact_work"},
        {("mlp_residual.forward.operations", "25165824", "3145728")},
        "law rank-sum-sequence (sequence)",
        {"batch": "1", "sequence": "2048", "hidden": "12288", "t": "8"},
    ),
]


@pytest.mark.parametrize("forgery", FORGERIES_HERE, ids=lambda forgery: forgery.name)
def test_the_named_law_refutes_a_false_bundle(forgery: Forgery, tmp_path: Path) -> None:
    draft = Draft(bundle(forgery.request))
    forgery.change(draft)
    data, report = honest(draft.sealed())
    assert report.verdict is Outcome.REFUTED
    assert forgery.codes <= codes(report)
    assert families(report) <= {"claim", "law", "coverage", "nothing"}, "the sealing is not what stops it"
    unrelated = {(field, UNRELATED, right) for field, found, right in failed(report) if found.startswith("value:")}
    assert forgery.facts <= failed(report) | unrelated
    assert forgery.dimensions.items() <= dimensions(report, forgery.statement).items()
    assert exit_code(data, tmp_path) == ExitCode.REFUTED


@pytest.mark.parametrize(
    "forgery",
    [each for each in FORGERIES_HERE if "claim.memory" in each.codes and len(each.facts) == 1],
    ids=lambda forgery: forgery.name,
)
def test_a_wrong_memory_fact_is_named_by_nothing_else(forgery: Forgery) -> None:
    """Claim and law alone: both messages hold what was found, and the law's what the model's dimensions make of it."""
    draft = Draft(bundle(forgery.request))
    forgery.change(draft)
    _, report = honest(draft.sealed())
    assert codes(report) == forgery.codes
    ((_, found, expected),) = forgery.facts
    said = messages(report, "claim.memory")
    assert f" is {found}, should be {expected}" in said
    (law,) = (code for code in forgery.codes if code.startswith("law."))
    assert found in messages(report, law)
    # At least the first of the dimensions stands in the message; of many, the last are cut.
    assert any(f"{name} = {size}" in messages(report, law) for name, size in forgery.dimensions.items())


def test_the_good_bundles_pass_through_the_same_hands() -> None:
    for request in dict.fromkeys(forgery.request for forgery in FORGERIES_HERE):
        draft = Draft(bundle(request))
        draft.derive_again(MODEL)
        assert draft.sealed() == bundle(request)
        assert verify(bundle(request), jobs=JOBS).verdict is Outcome.VERIFIED


def test_a_law_that_compares_emitted_numbers_alone_says_both() -> None:
    """It has no dimensions to name; the claims about the same tasks name them."""
    draft = Draft(bundle(GPT3_REQUEST))
    gradients_unbalanced(draft)
    _, report = honest(draft.sealed())
    said = messages(report, "law.backward-doubles").splitlines()
    assert {line.rpartition(" is refuted: ")[2] for line in said} == {
        "77309409280 + 77309409280 = 154618818560, should be 2*(77309411328) = 154618822656"
    }


# ZeRO stages --------------------------------------------------------------------------------------------------------

STATE = {"optimizer": (1, "o", 12), "gradients": (2, "g", 2), "weights": (3, "e", 2)}
"""Fact -> the first stage that divides it, and the width of a parameter's part of it."""


@pytest.mark.parametrize("fact", STATE)
@pytest.mark.parametrize("stage", range(4))
def test_a_stage_mixed_up_is_named(stage: int, fact: str) -> None:
    first, symbol, width = STATE[fact]
    # Five ranks do not divide the parameters: the share is rounded up.
    request = with_strategy(TINY_REQUEST, zero=stage, data=5)
    draft = Draft(bundle(request))
    held = memory(draft)["parameters"]
    share = (held + 4) // 5
    assert held % 5
    right, wrong = (width * share, width * held) if stage >= first else (width * held, width * share)
    assert memory(draft)[fact] == right
    memory(draft)[fact] = wrong
    _, report = honest(draft.sealed())
    law = f"{fact.removesuffix('s')}-memory"
    assert codes(report) == {"claim.memory", f"law.{law}"}
    assert failed(report) == {(f"memory.{fact}", str(wrong), str(right))}
    shown = dimensions(report, f"law {law}")
    assert shown[symbol] == str(width)
    assert shown["n_D" if stage >= first else "N"] == str(share if stage >= first else held)


@pytest.mark.parametrize("rounded", [-1, 1])
def test_a_share_that_is_rounded_otherwise_is_named(rounded: int) -> None:
    draft = Draft(bundle(with_strategy(TINY_REQUEST, zero=3, data=5)))
    memory(draft)["weights"] += 2 * rounded
    _, report = honest(draft.sealed())
    assert codes(report) == {"claim.memory", "law.weight-memory"}
    assert dimensions(report, "law weight-memory")["D"] == "5"


# Storage ------------------------------------------------------------------------------------------------------------

STORED_AS = {
    # recompute: a buffer of each class that occurs
    Recompute.NONE: {"softmax.forward": "saved", "scores.forward": "step", "mlp_norm.gain.forward": "persistent"},
    Recompute.SELECTIVE: {"x.forward": "saved", "softmax.forward": "step", "context.discarded": "step"},
    Recompute.FULL: {"x.forward": "checkpoint", "mlp_norm.forward": "step", "mlp_norm.gain.gradient": "persistent"},
}


@pytest.mark.parametrize(
    ("recompute", "buffer", "other"),
    [
        (recompute, buffer, other.value)
        for recompute, buffers in STORED_AS.items()
        for buffer, right in buffers.items()
        for other in StorageClass
        if other.value != right
    ],
)
def test_a_changed_storage_class_is_named(recompute: Recompute, buffer: str, other: str) -> None:
    draft = Draft(bundle(with_strategy(TINY_REQUEST, recompute=recompute)))
    found = draft.entity(PORTABLE, "buffers", buffer)
    assert found["storage"] == STORED_AS[recompute][buffer]
    found["storage"] = other
    _, report = honest(draft.sealed())
    assert codes(report) == {"claim.storage"}
    assert f"{buffer}.storage" in messages(report, "claim.storage")
    assert report.verdict is Outcome.REFUTED


# Capacity -----------------------------------------------------------------------------------------------------------


def _needed(data: bytes) -> int:
    facts = memory(Draft(data))
    return sum(size for fact, size in facts.items() if isinstance(size, int) and fact != "parameters")


def _capacity(report: Report) -> Status:
    (found,) = (law.status for each in report.transitions for law in each.laws if law.id == "capacity")
    return found


def test_capacity_is_met_to_the_byte() -> None:
    needed = _needed(bundle(TINY_REQUEST))
    draft = Draft(bundle(TINY_REQUEST))
    device_of(needed)(draft)
    data, report = honest(draft.sealed())
    assert data == bundle(msgspec.structs.replace(TINY_REQUEST, deployment=deployment_of(TINY_REQUEST, None, needed)))
    assert (_capacity(report), codes(report)) == (Status.PROVED, set())
    device_of(needed - 1)(draft)
    data, report = honest(draft.sealed())
    assert (_capacity(report), codes(report)) == (Status.REFUTED, {"law.capacity"})
    said = messages(report, "law.capacity")
    assert f"= {needed}, may be at most C_dev = {needed - 1}" in said


def test_a_device_is_neither_added_nor_removed_in_silence(tmp_path: Path) -> None:
    ample = 2**40
    plain, deployed = (
        bundle(TINY_REQUEST),
        bundle(msgspec.structs.replace(TINY_REQUEST, deployment=deployment_of(TINY_REQUEST, None, ample))),
    )
    changes: dict[str, tuple[bytes, Change]] = {
        "any": (deployed, lambda draft: draft.data["request"].pop("deployment")),
        str(ample): (plain, lambda draft: draft.data["request"].update(deployment=devices_of(draft, ample))),
    }
    for now, (good, change) in changes.items():
        before = "any" if now != "any" else str(ample)
        draft = Draft(good)
        change(draft)
        assert "digest.request" in codes(verify(draft.raw(), jobs=JOBS))
        # Sealed, its record still says what was established of the other request.
        draft.derive_again(MODEL)
        assert codes(verify(draft.sealed(), jobs=JOBS)) == {"report.mismatch"}
        # With an honest record it is the good bundle of the other request, and says so.
        data, report = honest(draft.sealed())
        assert report.subject.bindings["deployment"]["device_memory"] == now
        assert _capacity(report) is (Status.NOT_APPLICABLE if now == "any" else Status.PROVED)
        assert exit_code(data, tmp_path, "--expect", f"device_memory={now}") == ExitCode.VERIFIED
        assert exit_code(data, tmp_path, "--expect", f"device_memory={before}") == ExitCode.REFUTED


# Every law and every claim ------------------------------------------------------------------------------------------


def more_work(name: str, component: str = "operations") -> Change:
    """A task does one more, in both stages."""

    def changed(draft: Draft) -> None:
        task(draft, name)["work"][component] += 1
        draft.derive_again(PORTABLE)

    return changed


def resource(draft: Draft) -> None:
    draft.entity(PORTABLE, "tasks", "scores.forward")["resources"]["memory"] += 1


def size(draft: Draft) -> None:
    draft.entity(PORTABLE, "buffers", "scores.forward")["size"] += 1


def carried(draft: Draft) -> None:
    draft.entity(PORTABLE, "tasks", "scores.forward")["work"]["read_bytes"] += 1


def spare(draft: Draft) -> None:
    """A task that no rule demands, in the phase of the gathered shards."""
    extra = copied(
        task(draft, "mlp_norm.collective.recommunication"),
        id=new_id("task", "again"),
        name="mlp_norm.collective.again",
        outputs=[],
    )
    tasks(draft).append(extra)
    draft.derive_again(PORTABLE)


FORWARD, AGAIN = "scores.forward", "scores.recompute"

BREAKERS: dict[str, tuple[dict[str, Any], Change]] = {
    # law: (strategy, a change that it must name)
    "qkv-projection": ({}, more_work("value_projection.forward")),
    "attention-matmul": ({}, more_work("context.forward")),
    "output-projection": ({}, more_work("output_projection.forward")),
    "mlp": ({}, more_work("down_projection.forward")),
    "tp-payload": ({}, more_work("mlp_norm.collective.forward", "message_bytes")),
    "tp-reduce": ({}, more_work("down_projection.collective.forward")),
    "block-forward": ({}, more_work("query_projection.forward")),
    "backward-doubles": ({}, more_work("context.activation_gradient")),
    "full-recompute": ({"recompute": Recompute.FULL}, more_work("query_projection.recompute")),
    "selective-recompute": ({}, more_work("context.recompute")),
    "rank-sum": ({}, more_work("softmax.activation_gradient")),
    "rank-sum-sequence": ({}, more_work("output_dropout.activation_gradient")),
    "total-forward": ({}, more_work("attention_norm.forward", "read_bytes")),
    "total-recompute": ({}, more_work(AGAIN, "write_bytes")),
    "total-recommunication": ({}, spare),
    "total-activation-gradient": ({}, more_work("x.fork_gradient")),
    "total-weight-gradient": ({}, more_work("mlp_norm.weight_gradient", "write_bytes")),
    "total-optimizer": ({}, more_work("optimizer")),
    "work-conservation": ({}, carried),
    "resource-projection": ({}, resource),
    "buffer-size": ({}, size),
    "activation-memory": ({}, remembered("stored", 1)),
    "working-memory": ({}, remembered("working", -1)),
    "checkpoint": ({"recompute": Recompute.FULL}, remembered("checkpoint", -1)),
    "parameters": ({}, remembered("parameters", 1)),
    "weight-memory": ({"zero": 2}, remembered("weights", 1)),
    "gradient-memory": ({"zero": 2}, remembered("gradients", 1)),
    "optimizer-memory": ({"zero": 2}, remembered("optimizer", 1)),
    "capacity": ({}, device_of(1)),
    "gemm": ({}, more_work(AGAIN)),
    "operand-traffic": ({}, more_work("attention_norm.weight_gradient", "write_bytes")),
}

COMMUNICATIONS = {"tp-payload", "tp-reduce"}


@pytest.mark.parametrize("law", BREAKERS)
def test_a_law_names_what_breaks_it(law: str) -> None:
    strategy, change = BREAKERS[law]
    good = bundle(with_strategy(TINY_REQUEST, **strategy))
    laws = {each.id: each.status for row in verify(good, jobs=JOBS).transitions for each in row.laws}
    assert laws[law] in {Status.PROVED, Status.NOT_APPLICABLE}
    draft = Draft(good)
    change(draft)
    _, report = honest(draft.sealed())
    assert report.verdict is Outcome.REFUTED
    refuted = {each.id for row in report.transitions for each in row.laws if each.status is Status.REFUTED}
    assert law in refuted
    assert f"law.{law}" in codes(report)
    assert " is refuted: " in messages(report, f"law.{law}")


@pytest.mark.parametrize("law", sorted(COMMUNICATIONS))
def test_a_law_of_collectives_names_what_breaks_it_in_an_all_reduce(law: str) -> None:
    strategy = {"communication": Communication.ALL_REDUCE}
    component = "message_bytes" if law == "tp-payload" else "operations"
    draft = Draft(bundle(with_strategy(TINY_REQUEST, **strategy)))
    more_work("output_projection.collective.forward", component)(draft)
    _, report = honest(draft.sealed())
    assert f"law.{law}" in codes(report)


def claims_of(rule: Rule) -> tuple[Claim, ...]:
    return () if isinstance(rule, PrimitiveRule) else rule.claims


def test_every_law_with_instances_and_every_claim_is_broken_somewhere() -> None:
    book = open_rulebook(None)
    # What holds for all values has no instance: its false variants are refuted by `prove`.
    # Those of bindings are broken in test_false_binding.py.
    every = [(rule, law.id) for rule, law in book.laws() if not isinstance(law, BoundLaw)]
    primitives = {rule.law for rule in book.rules if isinstance(rule, PrimitiveRule) and rule.law} | {"operand-traffic"}
    ours = {law for rule, law in every if rule.workload in {None, Workload.TRAINING} and not rule.stage}
    assert set(BREAKERS) == ours | primitives
    elsewhere = {code.removeprefix("law.") for fault in FAULTS for code in fault.codes}
    elsewhere |= {code.removeprefix("law.") for forgery in (*BINDINGS, *PROGRAMS) for code in forgery.codes}
    elsewhere |= {code.removeprefix("law.") for code in ABOVE}
    assert {law for _, law in every} <= set(BREAKERS) | set(STEP_BREAKERS) | elsewhere
    named = {operator.by for operator in (*OPERATORS, *STEP_OPERATORS)}
    named |= {code for forgery in FORGERIES for code in forgery.codes}
    named |= {code for forgery in FORGERIES_HERE for code in forgery.codes}
    here = {claim for rule in book.rules if rule.id.startswith(("training.", "planning.")) for claim in claims_of(rule)}
    assert {f"claim.{claim.value}" for claim in here} <= named


def test_every_phase_has_a_task_whose_work_is_broken_here() -> None:
    """So the closed totals above are those of all phases; two of them only a whole stage has."""
    phases = {each["phase"] for each in tasks(Draft(bundle(TINY_REQUEST)))}
    assert phases == {phase.value for phase in Phase} - {"stage_boundary", "synchronization"}
    assert {f"total-{phase.replace('_', '-')}" for phase in phases} <= set(BREAKERS)


# What no rule could have made: refused or refuted, and never an internal error ---------------------------------------


def of_role(role: str, other: str) -> Change:
    """Every distributed value of one role has another."""

    def changed(draft: Draft) -> None:
        for each in draft.entities(DISTRIBUTED, "values"):
            if each["role"] == role:
                each["role"] = other

    return changed


@pytest.mark.parametrize("role", [role.value for role in Role if role not in {Role.INPUT, Role.KV_CACHE}])
@pytest.mark.parametrize("zero", [0, 3])
def test_a_role_that_no_value_has_is_refuted(role: str, zero: int, tmp_path: Path) -> None:
    draft = Draft(bundle(with_strategy(TINY_REQUEST, zero=zero, data=1 if zero == 0 else 3)))
    assert any(each["role"] == role for each in draft.entities(DISTRIBUTED, "values"))
    of_role(role, "mask" if role != "mask" else "gradient")(draft)
    data = draft.sealed()
    assert "claim.role" in codes(verify(data, jobs=JOBS))
    assert exit_code(data, tmp_path) == ExitCode.REFUTED


def test_a_value_of_five_axes_is_refused(tmp_path: Path) -> None:
    draft = Draft(bundle(TINY_REQUEST))
    scores = draft.entity(DISTRIBUTED, "values", "scores.forward")
    for sizes, more in (("axes", "hidden"), ("shape", 1), ("local_shape", 1)):
        scores[sizes] = [*scores[sizes], more]
    assert exit_code(draft.sealed(), tmp_path) == ExitCode.INPUT
