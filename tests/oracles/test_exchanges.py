"""What a pipeline stage exchanges, from real `derive` output: Calculon's messages between stages and data-parallel
ranks, and the collectives of AICB's data-parallel group.

Calculon reports one block and one crossing, AICB sums over all blocks of a rank. A stage of one block says both: that
every block of a stage exchanges the same is shown in tests/workload/test_stack.py.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from blueprint.frontend.request import check_domain, training_request
from blueprint.ir.common import DType, Phase, Primitive
from blueprint.ir.distributed import Collective, MeshAxis, Task
from blueprint.ir.request import Activation, Communication, ModelFacts, Request, Scope
from tests.oracles.calculon import OUTSIDE, outside, request_of, shape_of, sharded
from tests.oracles.cases import Case, cases
from tests.oracles.derived import Derived, derived

EDGES = ("receive", "send", "receive_gradient", "send_gradient")
FORWARD, BACKWARD = EDGES[:2], EDGES[2:]


def staged(request: Request, stage: int) -> Request:
    """A stage of one block of the same job."""
    model = msgspec.structs.replace(request.model, layers=request.strategy.pipeline)
    strategy = msgspec.structs.replace(request.strategy, scope=Scope.STACK, stage=stage)
    found = msgspec.structs.replace(request, model=model, strategy=strategy)
    check_domain(found)
    return found


def crossings(emitted: Derived) -> dict[str, int]:
    """The message of every crossing of the stage's edges, by the task's last name."""
    found = [task for task in emitted.distributed.tasks if task.phase is Phase.STAGE_BOUNDARY]
    assert all(task.primitive in {Primitive.SEND, Primitive.RECEIVE} for task in found)
    return {task.name.rpartition(".")[2]: task.work.message_bytes for task in found}


def over(emitted: Derived, axis: MeshAxis) -> list[tuple[Task, Collective]]:
    """The exchanges once a step along one axis of the mesh."""
    tasks = [task for task in emitted.distributed.tasks if task.phase is Phase.SYNCHRONIZATION]
    exchanged = [(task, task.collective) for task in tasks if isinstance(task.collective, Collective)]
    assert len(exchanged) == len(tasks)
    return [(task, collective) for task, collective in exchanged if collective.axis is axis]


# Calculon -----------------------------------------------------------------------------------------------------------

CALCULON = [each for each in cases("calculon_cases") if each.values[0]["exe"]["training"]]
STEPS = [each for each in cases("calculon_cases") if not each.values[0]["exe"]["training"]]

GATHERED = {"ar": 1, "rs_ag": 1}
"""Whole messages of ours in one of Calculon's, by how it communicates; `p2p_rs_ag` sends shares of a whole stream."""


def widths(case: Case) -> tuple[Request, Fraction]:
    """A request for a case, and its bytes for one of ours: no law has elements of one byte, so those are of two."""
    shape = shape_of(case)
    if shape.e > 1:
        return request_of(case, gradient_bytes=4), Fraction(1)
    return request_of(case, DType.FLOAT16, gradient_bytes=4), Fraction(shape.e, 2)


@pytest.mark.parametrize("case", CALCULON)
def test_messages_between_stages_are_calculon_s(case: Case) -> None:
    if kind := outside(case):
        with pytest.raises(OUTSIDE[kind].refusal, match=OUTSIDE[kind].words):
            request_of(case, gradient_bytes=4)
        return
    request, scale = widths(case)
    pipeline, reported = request.strategy.pipeline, case["reported"]
    shares = GATHERED.get(case["exe"]["tensor_par_comm_type"], request.strategy.tensor)
    for stage in {0, pipeline // 2, pipeline - 1}:
        found = crossings(derived(staged(request, stage)))
        inner = (stage > 0, stage < pipeline - 1)
        wanted = {
            **dict.fromkeys(("receive", "send_gradient") if inner[0] else (), 0),
            **dict.fromkeys(("send", "receive_gradient") if inner[1] else (), 0),
        }
        assert found.keys() == wanted.keys()
        for name, size in found.items():
            said = reported["block_fw_pp_size" if name in FORWARD else "block_bw_pp_size"]
            assert size * scale == said * shares
    if pipeline == 1:
        assert reported["block_fw_pp_size"] == reported["block_bw_pp_size"] == 0


@pytest.mark.parametrize("case", CALCULON)
def test_messages_between_data_parallel_ranks_are_calculon_s(case: Case) -> None:
    """Calculon reduces gradients with as many bytes as weights have; ours have g, so that the message is g / e times.

    At its sharded optimizer it has a reduce-scatter and an all-gather of one size each, else an all-reduce.
    """
    if outside(case):
        return
    request, scale = widths(case)
    said = case["reported"]["block_dp_size"]
    width, gradient = request.workload.dtype.width, request.strategy.gradient_bytes
    found = over(derived(staged(request, 0)), MeshAxis.DATA)
    messages = {task.primitive: task.work.message_bytes for task, _ in found}
    assert len(messages) == len(found)
    if request.strategy.data == 1:
        assert (messages, said) == ({}, 0)
        return
    reduction = Primitive.REDUCE_SCATTER if sharded(case) else Primitive.ALL_REDUCE
    gathers = {Primitive.ALL_GATHER} if sharded(case) else set()
    assert messages.keys() == {reduction, *gathers}
    assert {collective.participants for _, collective in found} == {tuple(range(request.strategy.data))}
    assert messages.pop(reduction) * scale == Fraction(said * gradient, width)
    assert all(size * scale == said for size in messages.values())


@pytest.mark.parametrize("case", STEPS)
def test_without_training_nothing_is_exchanged_over_data_ranks(case: Case) -> None:
    assert case["reported"]["block_dp_size"] == case["reported"]["block_bw_pp_size"] == 0


def test_some_case_crosses_stages_and_some_exchanges_over_data_ranks() -> None:
    known = [each.values[0] for each in CALCULON if not outside(each.values[0])]
    assert any(case["reported"]["block_fw_pp_size"] for case in known if shape_of(case).split)
    assert any(case["reported"]["block_fw_pp_size"] for case in known if not shape_of(case).split)
    assert any(case["reported"]["block_dp_size"] for case in known)


# AICB ---------------------------------------------------------------------------------------------------------------

RECORDED = cases("aicb_collectives")
NEEDED = ("L", "H", "h", "S", "F", "t", "p", "mbs", "sp")

ELEMENT, GRADIENT = 2, 4
"""Bytes of a weight and of a gradient: AICB's reduce-scatter is twice its all-gather, of the same parameters."""

VOCABULARY_MULTIPLE = 128
"""Rows of the embedding on a rank are a multiple of this: Megatron pads the vocabulary to 128 t."""


@dataclass(frozen=True)
class Convention:
    """What of a recorded sum no block holds, and why."""

    reason: str
    count: int


def outside_blocks(config: dict[str, Any], rows: int) -> list[Convention]:
    """The parameters of a first stage that lie in no block."""
    hidden = config["H"]
    listed = [
        Convention("token embedding, its vocabulary padded and divided over t", rows * hidden),
        Convention("position embedding, whole on every rank", config["S"] * hidden),
    ]
    if config["p"] == 1:
        listed.append(Convention("gain and bias of the final norm", 2 * hidden))
    return listed


def recorded_request(config: dict[str, Any], data: int, zero: int) -> Request:
    model = ModelFacts(
        name="recorded",
        hidden=config["H"],
        feedforward=config["F"],
        heads=config["h"],
        key_value_heads=config["h"],
        head_width=config["H"] // config["h"],
        layers=config["L"],
        vocabulary=1,
        positions=config["S"],
        biases=True,
        activation=Activation.GELU,
    )
    return training_request(
        model,
        sequence=config["S"],
        batch=config["mbs"],
        tensor=config["t"],
        pipeline=config["p"],
        data=data,
        zero=zero,
        gradient_bytes=GRADIENT,
        communication=Communication.SEQUENCE_PARALLEL if config["sp"] else Communication.ALL_REDUCE,
    )


def once_a_step(case: Case) -> list[dict[str, Any]]:
    """The recorded collectives of gradients and parameters over the data-parallel group."""
    return [row for row in case["first_iteration"] if row["group"] == "dp_group" and row["stage"] == "step"]


@pytest.mark.parametrize("case", RECORDED)
def test_recorded_exchanges_over_data_ranks_are_those_of_all_blocks(case: Case) -> None:
    """To the last byte, after what lies in no block: of that, only the padded vocabulary is not given."""
    config, rows = case["config"], once_a_step(case)
    if [letter for letter in NEEDED if config.get(letter) is None]:
        # Without its shape there is no request to derive: the file leaves it blank.
        return
    (data,) = {int(row["group_size"]) for row in rows}
    kinds = Counter({row["collective"]: row["count"] for row in rows})
    zero = 1 if kinds["reduce_scatter"] else 0
    emitted = derived(staged(recorded_request(config, data, zero), 0))
    found = over(emitted, MeshAxis.DATA)
    assert Counter(collective.kind.value for _, collective in found) == kinds
    blocks = config["L"] // config["p"]
    ours = {collective.kind.value: blocks * collective.message_bytes for _, collective in found}
    theirs = {row["collective"]: int(row["message_bytes"]) for row in rows}
    for kind, message in theirs.items():
        width = ELEMENT if kind == "all_gather" else GRADIENT
        rest, left = divmod(message - ours[kind], width)
        given = sum(each.count for each in outside_blocks(config, 0))
        vocabulary, more = divmod(rest - given, config["H"])
        assert (left, more) == (0, 0)
        assert vocabulary > 0
        assert vocabulary % VOCABULARY_MULTIPLE == 0
        assert rest == sum(each.count for each in outside_blocks(config, vocabulary))
    assert len({Fraction(size, ELEMENT if kind == "all_gather" else GRADIENT) for kind, size in theirs.items()}) == 1


@pytest.mark.parametrize("case", RECORDED)
def test_recorded_sums_of_norm_gradients_are_there_where_the_sequence_is_divided(case: Case) -> None:
    config = case["config"]
    if [letter for letter in NEEDED if config.get(letter) is None]:
        return
    found = over(derived(staged(recorded_request(config, 1, 0), 0)), MeshAxis.TENSOR)
    recorded = [row for row in case["first_iteration"] if row["stage"] == "step._allreduce_layernorm_grads"]
    assert bool(found) is any(int(row["message_bytes"]) for row in recorded) is config["sp"]


def test_some_recorded_shape_is_known() -> None:
    assert any(all(case.values[0]["config"].get(letter) is not None for letter in NEEDED) for case in RECORDED)
