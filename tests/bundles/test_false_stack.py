"""False bundles of whole pipeline stages: edges, exchanges, blocks, memory facts and implementations of attention.

As in test_false_bundles.py, everything is sealed again and recorded honestly, and nothing is replayed. All stages are
of two blocks with t = 2: H = 12, F = 20, h = 4, d = 3, and 628 parameters of a block on a rank, of which every rank
holds 72 whole. Elements have 2 bytes and gradients 4. With D = 3 the largest share of 628 parameters is 210.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from blueprint import cli
from blueprint.exit import ExitCode, exit_of
from blueprint.ir.common import Branch, Stage
from blueprint.ir.request import Communication, Recompute, Request
from blueprint.law import BoundLaw
from blueprint.outcome import Outcome, Report
from blueprint.session import open_rulebook
from blueprint.verification import verify, verify_without_replay
from tests.bundles.conftest import JOBS
from tests.bundles.stacks import (
    DISTRIBUTED,
    PORTABLE,
    STEPS,
    WITHOUT_BIASES,
    draft_of,
    good,
    reads_instead,
    removed,
    task,
    training_stage_request,
    value,
)
from tests.reseal import Draft, Plain, copied, mapped, new_id, recorded

MODEL = Stage.MODEL
PREFILL, DECODE = Branch.PREFILL, Branch.FINAL_DECODE
REDUCE, SPLIT = Communication.ALL_REDUCE, Communication.SEQUENCE_PARALLEL

Change = Callable[[Draft], None]

T, H, E, G, STATE = 2, 12, 2, 4, 12
"""Ranks of the tensor group, hidden width, bytes of an element, of a gradient, of a parameter's optimizer state."""

STREAM = 3 * 8 * H
"""Elements of the residual stream of one microbatch."""

WHOLE = 72
PARAMETERS = 628
SHARE = 210

ONES = {"claim.exact_work", "claim.operand_sizes"}
VOLUME = {"claim.exact_work", "claim.collective_volume"}
EXCHANGED = {*VOLUME, "law.stage-synchronization"}
CARRIED = {"claim.exact_work", "law.stage-payload"}


class Fault(NamedTuple):
    """A false bundle of a request, and findings that must name it; others of their families may stand beside them."""

    name: str
    request: Request
    change: Change
    codes: set[str]
    branch: Branch = Branch.MAIN


# Helpers ------------------------------------------------------------------------------------------------------------


def codes(report: Report) -> set[str]:
    """The codes of a report's findings, apart from the note that replay was off."""
    return {finding.code for finding in report.diagnostics} - {"replay.off"}


def works(draft: Draft, name: str, **changes: int) -> None:
    """Fields of a task's work and of its collective, which states the message once more."""
    found = task(draft, name)
    found["work"] |= changes
    if "collective" in found and "message_bytes" in changes:
        found["collective"]["message_bytes"] = changes["message_bytes"]
    draft.derive_again(PORTABLE)


def sized(draft: Draft, name: str, **sizes: int) -> None:
    """The sizes of a task's operands by their names."""
    for operand in task(draft, name)["operands"]:
        operand["size"] = sizes.get(operand["name"], operand["size"])


def again(draft: Draft, name: str, invented: str) -> None:
    """A second task with the lineage and the work of another. It writes nothing, so that nothing else changes."""
    extra = copied(task(draft, name), id=new_id("task", invented), name=invented, outputs=[])
    draft.entities(DISTRIBUTED, "tasks").append(extra)
    draft.derive_again(PORTABLE)


def memory(draft: Draft) -> Plain:
    found: Plain = draft.snapshot(PORTABLE)["memory"]
    return found


def be(fact: str, right: int, wrong: int) -> Change:
    """One memory fact, whose right size is known here, is another."""

    def change(draft: Draft) -> None:
        assert memory(draft)[fact] == right != wrong
        memory(draft)[fact] = wrong

    return change


def halved(fact: str) -> Change:
    """One memory fact is that of one block alone."""

    def change(draft: Draft) -> None:
        assert memory(draft)[fact] > 0
        memory(draft)[fact] //= 2

    return change


def doubled(fact: str) -> Change:
    """One memory fact is that of two blocks at a time."""

    def change(draft: Draft) -> None:
        assert memory(draft)[fact] > 0
        memory(draft)[fact] *= 2

    return change


# Edges --------------------------------------------------------------------------------------------------------------


def send_not_divided(draft: Draft) -> None:
    """Under sequence parallelism a rank hands on its own tokens, here all of them."""
    sized(draft, "b1.mlp_residual.send", elements=STREAM)
    works(draft, "b1.mlp_residual.send", read_bytes=STREAM * E, message_bytes=STREAM * E)


def receive_divided(draft: Draft) -> None:
    """Without sequence parallelism every rank takes the whole stream, here a share of it."""
    sized(draft, "x.receive", elements=STREAM // T)
    works(draft, "x.receive", write_bytes=STREAM * E // T, message_bytes=STREAM * E // T)


def message_doubled(draft: Draft) -> None:
    works(
        draft, "b1.mlp_residual.receive_gradient", message_bytes=2 * task(draft, "x.receive")["work"]["message_bytes"]
    )


def gradient_bytes_at_the_edge(draft: Draft) -> None:
    """Gradients of activations have the width of activations, not of parameters' gradients."""
    size = 2 * task(draft, "x.send_gradient")["work"]["message_bytes"]
    works(draft, "x.send_gradient", read_bytes=size, message_bytes=size)


def receive_missing(draft: Draft) -> None:
    """The input is simply there, as it is in the first stage."""
    lost = task(draft, "x.receive")["outputs"]
    removed(draft, "x.receive", values=False)
    draft.snapshot(DISTRIBUTED)["inputs"][:0] = lost
    draft.derive_again(PORTABLE)


def gradient_receive_missing(draft: Draft) -> None:
    """The gradient of the result is simply there, as it is in the last stage."""
    lost = task(draft, "b1.mlp_residual.receive_gradient")["outputs"]
    removed(draft, "b1.mlp_residual.receive_gradient", values=False)
    draft.snapshot(DISTRIBUTED)["inputs"] += lost
    draft.derive_again(PORTABLE)


def send_missing(draft: Draft) -> None:
    removed(draft, "b1.mlp_residual.send")
    draft.derive_again(PORTABLE)


def sent_twice(draft: Draft) -> None:
    again(draft, "b1.mlp_residual.send", "b1.mlp_residual.send_again")


def wrong_block_sent(draft: Draft) -> None:
    """What leaves the stage is the result of its first block; it has the same size."""
    reads_instead(draft, "b1.mlp_residual.send", "b1.mlp_residual.forward", "b0.mlp_residual.forward")
    draft.derive_again(PORTABLE)


def sent_as_computed(draft: Draft) -> None:
    """A send that is a local task."""
    task(draft, "b1.mlp_residual.send")["kind"] = "compute"
    draft.derive_again(PORTABLE)


def sent_as_compute_in_the_plan(draft: Draft) -> None:
    """A send that waits among the products."""
    task(draft, "b1.mlp_residual.send", PORTABLE)["implementation"]["alternatives"] = ["point_to_point.ring"]
    task(draft, "b1.mlp_residual.send", PORTABLE)["group"] = "compute"


def effect_at_the_edge(draft: Draft) -> None:
    """The edge of a step says that it reads a cache of a block."""
    cache = value(draft, "b0.key_projection.cache")["id"]
    task(draft, "b1.mlp_residual.send")["effects"] = [{"kind": "kv_read", "value": cache, "size": 12}]
    draft.derive_again(PORTABLE)


SPLIT_REQUEST = training_stage_request()
REDUCE_REQUEST = training_stage_request(communication=REDUCE)

EDGES = [
    Fault("a send not divided by t", SPLIT_REQUEST, send_not_divided, {*ONES, *CARRIED}),
    Fault("a receive divided by t", REDUCE_REQUEST, receive_divided, {*ONES, *CARRIED}),
    *(
        Fault(f"{name}, {request.strategy.communication.value}", request, change, wanted)
        for request in (SPLIT_REQUEST, REDUCE_REQUEST)
        for name, change, wanted in (
            ("a boundary message doubled", message_doubled, CARRIED),
            ("a gradient of g bytes at the edge", gradient_bytes_at_the_edge, CARRIED),
            ("a receive missing", receive_missing, {"coverage.missing", "claim.interface", "law.stage-payload"}),
            ("a gradient simply there", gradient_receive_missing, {"coverage.missing", "claim.interface"}),
            ("a send missing", send_missing, {"coverage.missing", "law.stage-payload"}),
            ("sent twice", sent_twice, {"coverage.unexpected", "law.stage-payload"}),
            ("the wrong block sent", wrong_block_sent, {"claim.data_flow"}),
            ("a send that computes", sent_as_computed, {"claim.operation_identity"}),
            ("a send among the products", sent_as_compute_in_the_plan, {"claim.implementation"}),
        )
    ),
    Fault("a receive missing in inference", STEPS, receive_missing, {"coverage.missing", "claim.interface"}, PREFILL),
    Fault("a send missing in inference", STEPS, send_missing, {"coverage.missing", "law.stage-payload"}, DECODE),
    Fault("an effect at the edge", STEPS, effect_at_the_edge, {"claim.effects"}, PREFILL),
]


# Exchanges ----------------------------------------------------------------------------------------------------------

REDUCTION = "b1.gradient_reduction"


def activations_width(draft: Draft) -> None:
    """Gradients are reduced with e bytes an element, where they have g."""
    work = task(draft, REDUCTION)["work"]
    works(draft, REDUCTION, **{each: work[each] * E // G for each in ("read_bytes", "write_bytes", "message_bytes")})


def share_rounded_down(draft: Draft) -> None:
    """Three times 209 are less than 628: one parameter would be in no share."""
    down, divided = PARAMETERS // 3, task(draft, REDUCTION)["primitive"] == "reduce_scatter"
    sized(draft, REDUCTION, shard=down)
    written = {"write_bytes": down * G} if divided else {}
    works(draft, REDUCTION, operations=down * 2, **written)


def tensor_group(draft: Draft) -> None:
    """The ranks of the tensor group in the place of the data-parallel ones; here they have the same numbers."""
    assert task(draft, REDUCTION)["collective"]["participants"] == [0, 1]
    task(draft, REDUCTION)["collective"]["axis"] = "tensor"
    draft.derive_again(PORTABLE)


def tensor_ranks(draft: Draft) -> None:
    """Two participants of three."""
    task(draft, REDUCTION)["collective"] |= {"axis": "tensor", "participants": [0, 1]}
    draft.derive_again(PORTABLE)


def ring_factor(draft: Draft) -> None:
    """2 (D - 1) shares go round a ring of D ranks; a message here is the full tensor."""
    works(draft, REDUCTION, message_bytes=2 * 2 * SHARE * G)


def summed_everywhere(draft: Draft) -> None:
    """Every rank adds all elements of all others."""
    works(draft, REDUCTION, operations=PARAMETERS * 2)


def reduction_missing(draft: Draft) -> None:
    """The optimizer of the second block reads what its own rank has seen."""
    found = task(draft, REDUCTION)
    names = dict(zip(found["outputs"], found["inputs"], strict=True))
    optimizer = task(draft, "b1.optimizer")
    optimizer["inputs"] = mapped(optimizer["inputs"], names)
    removed(draft, REDUCTION)
    draft.derive_again(PORTABLE)


def reduced_twice(draft: Draft) -> None:
    again(draft, REDUCTION, "b1.gradient_reduction_again")


def unreduced_read(draft: Draft) -> None:
    """One parameter is updated by what one rank has seen; the reduction is there, and nobody reads that part of it."""
    name = "b1.up_projection.weight"
    reads_instead(draft, "b1.optimizer", f"{name}.gradient_reduced", f"{name}.gradient")
    draft.derive_again(PORTABLE)


EVERY_STRATEGY = [(zero, communication) for zero in range(4) for communication in (REDUCE, SPLIT)]

REDUCTIONS = [
    Fault(
        f"{name}, ZeRO stage {zero}, {communication.value}",
        training_stage_request(zero=zero, communication=communication, data=data),
        change,
        wanted,
    )
    for zero, communication in EVERY_STRATEGY
    for name, change, wanted, data in (
        ("gradients of e bytes", activations_width, EXCHANGED, 3),
        ("a share rounded down", share_rounded_down, {*ONES, "law.stage-synchronization"}, 3),
        ("the tensor group", tensor_group, {"claim.collective_volume"}, 2),
        ("two participants of three", tensor_ranks, {"claim.collective_volume"}, 3),
        ("a ring factor", ring_factor, EXCHANGED, 3),
        ("sums of all on every rank", summed_everywhere, {"claim.exact_work", "law.stage-synchronization"}, 3),
        ("a reduction missing", reduction_missing, {"coverage.missing", "claim.data_flow"}, 3),
        ("reduced twice", reduced_twice, {"coverage.unexpected", "law.stage-synchronization"}, 3),
        ("an unreduced gradient read", unreduced_read, {"claim.data_flow"}, 3),
    )
]


def scattered(draft: Draft) -> None:
    """A reduce-scatter in all that a task says of itself, where stage 0 demands an all-reduce."""
    found = task(draft, REDUCTION)
    found["primitive"] = found["collective"]["kind"] = "reduce_scatter"
    works(draft, REDUCTION, write_bytes=SHARE * G)


def reduced_whole(draft: Draft) -> None:
    """An all-reduce in all that a task says of itself, where gradients are to lie divided."""
    found = task(draft, REDUCTION)
    found["primitive"] = found["collective"]["kind"] = "all_reduce"
    works(draft, REDUCTION, write_bytes=PARAMETERS * G)


def ungathered_update(draft: Draft) -> None:
    """The updated parameters stay where they are."""
    found = task(draft, "b1.update_gather")
    snapshot = draft.snapshot(DISTRIBUTED)
    snapshot["outputs"] = mapped(snapshot["outputs"], dict(zip(found["outputs"], found["inputs"], strict=True)))
    removed(draft, "b1.update_gather")
    draft.derive_again(PORTABLE)


def one_gather(draft: Draft) -> None:
    """The backward pass reads what was gathered before the forward pass."""
    found = task(draft, "b1.backward_gather")
    names = dict(zip(found["outputs"], task(draft, "b1.forward_gather")["outputs"], strict=True))
    for each in draft.entities(DISTRIBUTED, "tasks"):
        if each is not found:
            each["inputs"] = mapped(each["inputs"], names)
    removed(draft, "b1.backward_gather")
    draft.derive_again(PORTABLE)


def gathered_again(name: str) -> Change:
    return lambda draft: again(draft, f"b1.{name}", f"b1.{name}_again")


def gathered_in_gradient_bytes(name: str) -> Change:
    """Parameters are gathered with g bytes an element, where they have e."""

    def change(draft: Draft) -> None:
        work = task(draft, f"b1.{name}")["work"]
        sizes = {each: work[each] * G // E for each in ("read_bytes", "write_bytes", "message_bytes")}
        works(draft, f"b1.{name}", **sizes)

    return change


def forward_gather_of_backward(draft: Draft) -> None:
    """A forward task reads what is gathered only before the backward pass."""
    name = "b1.up_projection.weight"
    reads_instead(draft, "b1.up_projection.forward", f"{name}.gathered", f"{name}.regathered")
    draft.derive_again(PORTABLE)


def share_read_for_whole(draft: Draft) -> None:
    """A forward task reads the parameter as it lies, divided, where it needs the gathered one."""
    name = "b1.up_projection.weight"
    reads_instead(draft, "b1.up_projection.forward", f"{name}.gathered", f"{name}.forward")
    draft.derive_again(PORTABLE)


def optimizer_share_down(draft: Draft) -> None:
    """The optimizer of a block updates a share that is rounded down."""
    down = PARAMETERS // 3
    sized(draft, "b1.optimizer", parameters=down)
    works(draft, "b1.optimizer", operations=11 * down, read_bytes=(G + STATE) * down, write_bytes=(STATE + E) * down)


def at(zero: int, communication: Communication = SPLIT) -> Request:
    return training_stage_request(zero=zero, communication=communication)


IDENTITY = {"claim.operation_identity", "claim.collective_volume", "claim.exact_work", "law.stage-synchronization"}
TOO_FEW = {"coverage.missing", "law.stage-synchronization"}
TOO_MANY = {"coverage.unexpected", "law.stage-synchronization"}

GATHERS = [
    *(
        Fault(f"a reduce-scatter at stage 0, {communication.value}", at(0, communication), scattered, IDENTITY)
        for communication in (REDUCE, SPLIT)
    ),
    *(Fault(f"an all-reduce at stage {zero}", at(zero), reduced_whole, IDENTITY) for zero in (1, 2, 3)),
    *(Fault(f"a gather too few at stage {zero}", at(zero), ungathered_update, TOO_FEW) for zero in (1, 2)),
    *(
        Fault(f"a gather too many at stage {zero}", at(zero), gathered_again("update_gather"), TOO_MANY)
        for zero in (1, 2)
    ),
    Fault("a gather too few at stage 3", at(3), one_gather, {*TOO_FEW, "claim.data_flow"}),
    *(
        Fault(f"a {name} too many at stage 3", at(3), gathered_again(name), TOO_MANY)
        for name in ("forward_gather", "backward_gather")
    ),
    *(
        Fault(f"a {name} of g bytes at stage {zero}", at(zero), gathered_in_gradient_bytes(name), EXCHANGED)
        for zero, name in ((1, "update_gather"), (2, "update_gather"), (3, "forward_gather"), (3, "backward_gather"))
    ),
    Fault("a forward task reads the backward gather", at(3), forward_gather_of_backward, {"claim.data_flow"}),
    Fault("a share read for the whole", at(3), share_read_for_whole, {"claim.data_flow"}),
    *(
        Fault(
            f"an optimizer's share rounded down at stage {zero}",
            at(zero),
            optimizer_share_down,
            {*ONES, "law.total-optimizer"},
        )
        for zero in (1, 2, 3)
    ),
]


def summed(elements: int) -> Change:
    """So many elements of undivided parameters are summed over the tensor group."""

    def change(draft: Draft) -> None:
        name = "b1.gradient_sum"
        sized(draft, name, elements=elements, shard=elements // T)
        size = elements * G
        works(draft, name, operations=elements // T, read_bytes=size, write_bytes=size, message_bytes=size)

    return change


def one_norm(draft: Draft) -> None:
    """The gain and the bias of the second norm are left out of the sum, consistently in everything."""
    found = task(draft, "b1.gradient_sum")
    lost = [f"b1.mlp_norm.{part}" for part in ("gain", "bias")]
    for name in lost:
        old, new = value(draft, f"{name}.gradient_summed"), value(draft, f"{name}.gradient")
        found["inputs"].remove(new["id"])
        found["outputs"].remove(old["id"])
        reader = task(draft, REDUCTION)
        reader["inputs"] = mapped(reader["inputs"], {old["id"]: new["id"]})
        draft.entities(DISTRIBUTED, "values").remove(old)
    summed(2 * H)(draft)


def sum_over_data(draft: Draft) -> None:
    """The sum over the tensor group is one over the data-parallel ranks, which here have the same numbers."""
    task(draft, "b1.gradient_sum")["collective"]["axis"] = "data"
    draft.derive_again(PORTABLE)


def sum_missing(draft: Draft) -> None:
    """The norms' gradients of one rank's tokens are reduced as if they were of all."""
    found = task(draft, "b1.gradient_sum")
    reader = task(draft, REDUCTION)
    reader["inputs"] = mapped(reader["inputs"], dict(zip(found["outputs"], found["inputs"], strict=True)))
    removed(draft, "b1.gradient_sum")
    draft.derive_again(PORTABLE)


def addends_declared_whole(draft: Draft) -> None:
    """A norm's gradient of one rank's tokens is said to be the whole one, so that a sum would be wrong."""
    value(draft, "b1.mlp_norm.gain.gradient")["partial"] = False
    draft.derive_again(PORTABLE)


BARE = training_stage_request(model=WITHOUT_BIASES)
SUM_LAW = {*ONES, *EXCHANGED}

SUMS = [
    Fault("2 H for 4 H", BARE, summed(2 * H), SUM_LAW),
    Fault("4 H for 6 H where linears have biases", SPLIT_REQUEST, summed(4 * H), SUM_LAW),
    Fault("a norm left out", BARE, one_norm, {*SUM_LAW, "coverage.missing", "claim.data_flow"}),
    *(
        Fault(f"a sum missing at stage {zero}", at(zero), sum_missing, {*TOO_FEW, "claim.data_flow"})
        for zero in range(4)
    ),
    Fault(
        "a sum over the data-parallel ranks",
        training_stage_request(data=2),
        sum_over_data,
        {"claim.collective_volume"},
    ),
    Fault("addends declared whole", SPLIT_REQUEST, addends_declared_whole, {"claim.shard_coverage"}),
]


# Blocks -------------------------------------------------------------------------------------------------------------


def one_block_fewer(request: Request) -> Request:
    model = msgspec.structs.replace(request.model, layers=request.model.layers // 2)
    return msgspec.structs.replace(request, model=model)


def block_dropped(draft: Draft) -> None:
    """All three stages of a stage of one block, each consistent with the others, under this request."""
    ours = draft.data["request"]
    draft.data["request"] = Draft(good(one_block_fewer(SPLIT_REQUEST))).request
    draft.derive_again(MODEL)
    draft.data["request"] = ours


def block_dropped_quietly(draft: Draft) -> None:
    """As before, but the model states its facts as they are."""
    block_dropped(draft)
    draft.snapshot(MODEL)["facts"]["layers"] = SPLIT_REQUEST.model.layers


def block_dropped_later(draft: Draft) -> None:
    """The model has both blocks, the tasks and the plan are those of the first alone."""
    other = Draft(good(one_block_fewer(SPLIT_REQUEST)))
    names = {
        each["id"]: draft.entity(MODEL, kind, each["name"])["id"]
        for kind in ("values", "operations")
        for each in other.entities(MODEL, kind)
    }
    draft.snapshot(DISTRIBUTED).update(mapped(other.snapshot(DISTRIBUTED), names))
    draft.derive_again(PORTABLE)


def blocks_exchanged(draft: Draft) -> None:
    """The first block of the model is called the second, and everything follows from that."""
    for each in draft.entities(MODEL, "operations"):
        each["block"] = 1 - each["block"]
    draft.derive_again(DISTRIBUTED)


def one_operation_of_the_other(draft: Draft) -> None:
    """One operation of the first block is said to belong to the second."""
    draft.entity(MODEL, "operations", "b0.up_projection")["block"] = 1
    draft.derive_again(DISTRIBUTED)


def lineages_exchanged(draft: Draft) -> None:
    """Two equal tasks of two blocks name each other's operation as their source."""
    one, two = (task(draft, f"b{block}.up_projection.forward")["lineage"] for block in (0, 1))
    one["sources"], two["sources"] = two["sources"], one["sources"]
    draft.derive_again(PORTABLE)


def sources_exchanged(draft: Draft) -> None:
    """The optimizers of two blocks name each other's parameters."""
    one, two = (task(draft, f"b{block}.optimizer")["lineage"] for block in (0, 1))
    one["sources"], two["sources"] = two["sources"], one["sources"]
    draft.derive_again(PORTABLE)


def instead(reader: str, old: str, new: str) -> Change:
    """A task reads one value in the place of another, of the same sizes."""

    def change(draft: Draft) -> None:
        reads_instead(draft, reader, old, new)
        draft.derive_again(PORTABLE)

    return change


def stored_for_other(draft: Draft) -> None:
    """The second block writes into the cache of the first."""
    one, two = (value(draft, f"b{block}.key_projection.cache")["id"] for block in (0, 1))
    task(draft, "b1.key_projection.forward")["effects"][0]["value"] = one
    assert one != two
    draft.derive_again(PORTABLE)


def work_between_blocks(draft: Draft) -> None:
    """From a product of the second block to the same one of the first: every sum over the stage is right."""
    task(draft, "b1.up_projection.forward")["work"]["operations"] -= 2
    works(
        draft, "b0.up_projection.forward", operations=task(draft, "b0.up_projection.forward")["work"]["operations"] + 2
    )


FULL = training_stage_request(recompute=Recompute.FULL)
SEAM = "b0.mlp_residual"
UNRELATED = {"coverage.missing", "coverage.unexpected"}

BLOCKS = [
    Fault("a block dropped", SPLIT_REQUEST, block_dropped, {"claim.interface", "coverage.missing"}),
    Fault("a block dropped quietly", SPLIT_REQUEST, block_dropped_quietly, {"coverage.missing"}),
    Fault(
        "a block dropped later", SPLIT_REQUEST, block_dropped_later, {"coverage.missing", "claim.memory", "law.vacuous"}
    ),
    Fault("two blocks exchanged", SPLIT_REQUEST, blocks_exchanged, {"claim.operation_identity"}),
    Fault("an operation of the other block", SPLIT_REQUEST, one_operation_of_the_other, {"claim.operation_identity"}),
    Fault(
        "lineages of two blocks exchanged",
        SPLIT_REQUEST,
        lineages_exchanged,
        {*UNRELATED, "law.mlp", "law.total-forward"},
    ),
    Fault(
        "parameters of two optimizers exchanged", SPLIT_REQUEST, sources_exchanged, {*UNRELATED, "law.total-optimizer"}
    ),
    Fault(
        "work moved between blocks",
        SPLIT_REQUEST,
        work_between_blocks,
        {"claim.exact_work", "law.mlp", "law.total-forward"},
    ),
    *(
        Fault(
            f"{reader} reads {new} {branch.value}".strip(),
            request,
            instead(reader, old, new),
            {"claim.data_flow"},
            branch,
        )
        for request, branch, reader, old, new in (
            (
                SPLIT_REQUEST,
                Branch.MAIN,
                "b1.up_projection.forward",
                "b1.up_projection.weight.forward",
                "b0.up_projection.weight.forward",
            ),
            (
                SPLIT_REQUEST,
                Branch.MAIN,
                "b1.up_projection.activation_gradient",
                "b1.up_projection.weight.forward",
                "b0.up_projection.weight.forward",
            ),
            (
                STEPS,
                DECODE,
                "b1.up_projection.forward",
                "b1.up_projection.weight.forward",
                "b0.up_projection.weight.forward",
            ),
            (STEPS, DECODE, "b1.scores.forward", "b1.key_projection.cache", "b0.key_projection.cache"),
            (SPLIT_REQUEST, Branch.MAIN, "b1.attention_norm.forward", f"{SEAM}.forward", "x.forward"),
            (STEPS, PREFILL, "b1.attention_norm.forward", f"{SEAM}.forward", "x.forward"),
            (FULL, Branch.MAIN, "b1.attention_norm.recompute", f"{SEAM}.forward", f"{SEAM}.recomputed"),
            (FULL, Branch.MAIN, "b1.attention_residual.recompute", f"{SEAM}.forward", f"{SEAM}.recomputed"),
            (FULL, Branch.MAIN, "b1.attention_norm.weight_gradient", f"{SEAM}.forward", f"{SEAM}.recomputed"),
            (
                SPLIT_REQUEST,
                Branch.MAIN,
                "b0.mlp_residual.activation_gradient",
                f"{SEAM}.gradient",
                "b1.mlp_residual.gradient",
            ),
            (
                SPLIT_REQUEST,
                Branch.MAIN,
                "b0.attention_residual.activation_gradient",
                "b0.attention_residual.gradient",
                "b1.attention_residual.gradient",
            ),
        )
    ),
    Fault("an append to another block's cache", STEPS, stored_for_other, {"claim.effects"}, PREFILL),
]


# Memory -------------------------------------------------------------------------------------------------------------

TWICE = 2 * PARAMETERS


def of(*laws: str) -> set[str]:
    return {"claim.memory", *(f"law.{law}" for law in laws)}


MEMORY = [
    Fault("parameters of one block", at(0), be("parameters", TWICE, PARAMETERS), of("parameters")),
    Fault("weights of one block", at(0), be("weights", TWICE * E, PARAMETERS * E), of("weight-memory")),
    Fault("gradients of one block", at(0), be("gradients", TWICE * G, PARAMETERS * G), of("gradient-memory")),
    Fault("optimizer of one block", at(0), be("optimizer", TWICE * STATE, PARAMETERS * STATE), of("optimizer-memory")),
    Fault("stored of one block", at(0), halved("stored"), of("activation-memory")),
    Fault("checkpoint of one block", FULL, halved("checkpoint"), of("checkpoint")),
    *(
        Fault(f"working of two blocks, {recompute.value}", request, doubled("working"), of("working-memory"))
        for recompute in (Recompute.SELECTIVE, Recompute.FULL)
        for request in (training_stage_request(recompute=recompute),)
    ),
    # Two shares of 210 are one more than the largest share of both blocks together.
    *(
        Fault(
            f"{fact} by one share of all blocks at stage {zero}",
            at(zero),
            be(fact, 2 * SHARE * width, 419 * width),
            of(law),
        )
        for zero, fact, width, law in (
            (1, "optimizer", STATE, "optimizer-memory"),
            (2, "optimizer", STATE, "optimizer-memory"),
            (2, "gradients", G, "gradient-memory"),
            (3, "optimizer", STATE, "optimizer-memory"),
            (3, "gradients", G, "gradient-memory"),
            (3, "weights", E, "weight-memory"),
        )
    ),
    Fault("what is gathered counted as weights", at(3), be("weights", 2 * SHARE * E, TWICE * E), of("weight-memory")),
    *(
        Fault(f"{fact} of one block, {branch.value}", STEPS, halved(fact), of(law), branch)
        for branch in (PREFILL, DECODE)
        for fact, law in (("parameters", "parameters"), ("weights", "weight-memory"), ("kv", "kv-cache"))
    ),
    *(
        Fault(f"boundary of two blocks, {branch.value}", STEPS, doubled("boundary"), of("boundary"), branch)
        for branch in (PREFILL, DECODE)
    ),
    *(
        Fault(f"workspace of two blocks, {branch.value}", STEPS, doubled("workspace"), {"law.workspace"}, branch)
        for branch in (PREFILL, DECODE)
    ),
]


# Alternatives of the attention core ---------------------------------------------------------------------------------

# b = 3; on a rank h/t = 2 heads of width 3 and 10 feed-forward columns. A prompt of 16 tokens writes scores of
# 3 * 2 * 16 * 16 elements, more than q, k and v; the last token's page table has 3 * 24 entries, more than its rows.
SCORES = 3 * 2 * 16 * 16 * E
PROJECTED = 3 * 16 * 3 * 6 * E
ROWS = 3 * 2 * 16 * (3 * E + 4)
BOUNDARY = {PREFILL: 3 * 16 * H * E, DECODE: 3 * H * E}
TABLE = 4 * 3 * 24
LAST_PROJECTED = 3 * 3 * 6 * E


def alternatives(draft: Draft) -> list[Plain]:
    found: list[Plain] = draft.snapshot(PORTABLE)["alternatives"]
    return found


def needs(name: str, branch: Branch, right: int, wrong: int) -> Change:
    """The workspace of one alternative beside the boundary."""

    def change(draft: Draft) -> None:
        (found,) = (each for each in alternatives(draft) if each["name"] == name)
        assert found["workspace"] == BOUNDARY[branch] + right != BOUNDARY[branch] + wrong
        found["workspace"] = BOUNDARY[branch] + wrong

    return change


def offered(names: Callable[[list[str]], list[str]]) -> Callable[[Draft], None]:
    """Every task of the attention core has other alternatives."""

    def change(draft: Draft) -> None:
        for each in draft.entities(PORTABLE, "tasks"):
            choices = each["implementation"]["alternatives"]
            if len(choices) > 1:
                each["implementation"]["alternatives"] = names(choices)

    return change


def alternative_missing(draft: Draft) -> None:
    """No task knows tiled attention, and the plan does not either."""
    offered(lambda names: [name for name in names if name != "attention.tiled"])(draft)
    draft.snapshot(PORTABLE)["alternatives"] = [
        each for each in alternatives(draft) if each["name"] != "attention.tiled"
    ]


def alternative_invented(draft: Draft) -> None:
    """All know one more, which needs no room at all."""
    offered(lambda names: [*names, "attention.free"])(draft)
    alternatives(draft).append({"name": "attention.free", "capability": "free_attention", "workspace": 1})


def alternatives_of_the_plan_alone(draft: Draft) -> None:
    """The plan describes them, and no task has them."""
    offered(lambda names: names[:1])(draft)


def capability_swapped(draft: Draft) -> None:
    _, tiled, paged = alternatives(draft)
    tiled["capability"], paged["capability"] = paged["capability"], tiled["capability"]


def names_swapped(draft: Draft) -> None:
    """Paged attention under the name of tiled: its workspace and its capability go with it."""
    _, tiled, paged = alternatives(draft)
    tiled["name"], paged["name"] = paged["name"], tiled["name"]


def alternative_of_another_task(name: str) -> Change:
    def change(draft: Draft) -> None:
        core = task(draft, "b0.scores.forward", PORTABLE)["implementation"]["alternatives"]
        assert len(core) == 3
        task(draft, name, PORTABLE)["implementation"]["alternatives"] = list(core)

    return change


def of_block_one(draft: Draft) -> None:
    """One block's scores are left to the reference."""
    found = task(draft, "b1.scores.forward", PORTABLE)["implementation"]
    found["alternatives"] = [f"{found['capability']}.reference"]


def alternatives_in_training(draft: Draft) -> None:
    """A plan of training offers what no law of training speaks of."""
    draft.snapshot(PORTABLE)["alternatives"] = [
        {"name": "attention.free", "capability": "free_attention", "workspace": 1}
    ]


def fewer_operations(draft: Draft) -> None:
    """The scores are computed with half of their operations, as a masked implementation may."""
    work = task(draft, "b1.scores.forward")["work"]
    works(draft, "b1.scores.forward", operations=work["operations"] // 2)


ALTERNATIVES = [
    Fault(name, STEPS, change, wanted, branch)
    for name, change, wanted, branch in (
        ("tiled with scores", needs("attention.tiled", PREFILL, PROJECTED, SCORES), {"law.tiled-workspace"}, PREFILL),
        ("tiled rows alone", needs("attention.tiled", PREFILL, PROJECTED, ROWS), {"law.tiled-workspace"}, PREFILL),
        ("paged with scores", needs("attention.paged", PREFILL, PROJECTED, SCORES), {"law.paged-workspace"}, PREFILL),
        (
            "paged without its table",
            needs("attention.paged", DECODE, TABLE, LAST_PROJECTED),
            {"law.paged-workspace"},
            DECODE,
        ),
        (
            "a table divided by t",
            needs("attention.paged", DECODE, TABLE, TABLE // T),
            {"law.paged-workspace"},
            DECODE,
        ),
        (
            "unfused without scores",
            needs("attention.unfused", PREFILL, SCORES, PROJECTED),
            {"law.workspace"},
            PREFILL,
        ),
        (
            "tiled with a table",
            needs("attention.tiled", DECODE, LAST_PROJECTED, TABLE),
            {"law.tiled-workspace"},
            DECODE,
        ),
        (
            "an alternative missing",
            alternative_missing,
            {"claim.alternatives", "claim.implementation", "law.tiled-workspace"},
            PREFILL,
        ),
        ("an alternative invented", alternative_invented, {"claim.alternatives", "claim.implementation"}, DECODE),
        ("alternatives of the plan alone", alternatives_of_the_plan_alone, {"claim.implementation"}, PREFILL),
        ("capabilities swapped", capability_swapped, {"claim.alternatives"}, PREFILL),
        ("names swapped", names_swapped, {"claim.alternatives", "law.tiled-workspace"}, DECODE),
        (
            "an alternative of a product",
            alternative_of_another_task("b0.up_projection.forward"),
            {"claim.implementation"},
            PREFILL,
        ),
        (
            "an alternative of a send",
            alternative_of_another_task("b1.mlp_residual.send"),
            {"claim.implementation"},
            DECODE,
        ),
        ("one block's scores left out", of_block_one, {"claim.implementation"}, DECODE),
        ("fewer operations of the core", fewer_operations, {"claim.exact_work", "law.attention-core"}, PREFILL),
    )
]

TRAINING_ALTERNATIVES = [
    Fault("alternatives in training", SPLIT_REQUEST, alternatives_in_training, {"claim.alternatives"}),
    Fault(
        "an alternative of a task in training",
        SPLIT_REQUEST,
        lambda draft: task(draft, "b0.scores.forward", PORTABLE)["implementation"].update(
            alternatives=["attention.tiled"]
        ),
        {"claim.implementation"},
    ),
]

FAULTS = [*EDGES, *REDUCTIONS, *GATHERS, *SUMS, *BLOCKS, *MEMORY, *ALTERNATIVES, *TRAINING_ALTERNATIVES]


def honest(fault: Fault) -> tuple[bytes, Report]:
    """The false bundle with the records of an honest run, and the report on it without replay."""
    draft = draft_of(fault.request, fault.branch)
    fault.change(draft)
    data = draft.sealed()
    data = recorded(data, verify(data, jobs=JOBS))
    return data, verify_without_replay(data, jobs=JOBS)


def exit_code(data: bytes, folder: Path) -> int:
    """The status of `blueprint verify` on these bytes."""
    path = folder / "false.bundle.json"
    path.write_bytes(data)
    return cli.run(("--quiet", "verify", str(path), "--jobs", str(JOBS), "-o", str(folder / "report.txt")))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_named_claims_stop_a_false_stage(fault: Fault) -> None:
    data, report = honest(fault)
    assert data != good(fault.request)
    assert report.verdict is Outcome.REFUTED
    assert fault.codes <= codes(report)
    families = {code.partition(".")[0] for code in codes(report)}
    assert families <= {"claim", "law", "coverage", "nothing"}, "the sealing is not what stops it"
    assert exit_of(report.verdict) is ExitCode.REFUTED


@pytest.mark.parametrize(
    "faults", [EDGES, REDUCTIONS, GATHERS, SUMS, BLOCKS, MEMORY, ALTERNATIVES], ids=lambda f: f[0].name
)
def test_the_command_line_ends_with_one(faults: list[Fault], tmp_path: Path) -> None:
    """One of each kind; that a status stands for its verdict is asked elsewhere."""
    data, _ = honest(faults[0])
    assert exit_code(data, tmp_path) == ExitCode.REFUTED


@pytest.mark.parametrize("request_", sorted({fault.request for fault in FAULTS}, key=repr), ids=lambda _: "")
def test_the_good_bundle_passes_through_the_same_hands(request_: Request) -> None:
    data = good(request_)
    branches = (PREFILL, DECODE) if request_ == STEPS else (Branch.MAIN,)
    for branch in branches:
        draft = draft_of(request_, branch)
        draft.derive_again(DISTRIBUTED)
        assert draft.sealed() == data
    report = verify(data, jobs=JOBS)
    assert (report.verdict, codes(report)) == (Outcome.VERIFIED, set())
    assert recorded(data, report) == data
    alone = verify_without_replay(data, jobs=JOBS)
    assert (alone.verdict, codes(alone)) == (Outcome.NOT_ESTABLISHED, set())


def test_names_of_faults_are_distinct() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)


def test_every_law_of_a_stage_and_of_an_alternative_is_broken_here() -> None:
    book = open_rulebook(None)
    named = {code for fault in FAULTS for code in fault.codes}
    stated = {
        law.id
        for rule, law in book.laws()
        if not isinstance(law, BoundLaw)
        and (rule.id.startswith("stage.") or rule.id in {"planning.fused_attention", "planning.workspace"})
    }
    assert {f"law.{each}" for each in stated} <= named
    generated = {rule.id for rule in book.rules if rule.id.startswith("stage.")}
    assert generated == {
        *("stage.entry", "stage.entry_gradient", "stage.exit", "stage.exit_gradient"),
        *("stage.gradient_sum", "stage.parameter_exchange", "stage.payload", "stage.total"),
    }
