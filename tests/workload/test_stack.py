"""A stack against its blocks: two derivations, each read back from the bytes that `derive` emits.

Every block of a stage does what a block alone does, on the same sizes, and no more: the rest of the stage are its edges
and its exchanges, whose sizes are counted here from the bundle's own tensors.
"""

from __future__ import annotations

import functools
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from blueprint.derivation import derive
from blueprint.frontend.request import inference_request, training_request
from blueprint.ir.common import Branch, DType
from blueprint.ir.request import Activation, Communication, ModelFacts, Recompute, Request, Scope
from blueprint.outcome import Outcome, Report
from blueprint.verification import verify

Plain = dict[str, Any]

JOBS = 2
OF_A_STAGE = {"stage_boundary", "synchronization"}

SMALL = ModelFacts(
    name="small",
    hidden=20,
    feedforward=52,
    heads=4,
    key_value_heads=4,
    head_width=5,
    layers=6,
    vocabulary=7,
    positions=8,
    biases=True,
    activation=Activation.GELU,
)
ODD = msgspec.structs.replace(SMALL, hidden=14, feedforward=18, heads=6, key_value_heads=6, biases=False, layers=8)


def trained(model: ModelFacts, **changes: Any) -> Request:
    """One step of a stage of two blocks, with a stage before it and one after it, and gradients of 4 bytes."""
    options: dict[str, Any] = {
        "tensor": 2,
        "pipeline": model.layers // 2,
        "data": 3,
        "batch": 3,
        "sequence": 8,
        "gradient_bytes": 4,
        "scope": Scope.STACK,
        "stage": 1,
    }
    return training_request(model, **{**options, **changes})


REDUCE, SPLIT = Communication.ALL_REDUCE, Communication.SEQUENCE_PARALLEL
NONE, SELECTIVE, FULL = Recompute.NONE, Recompute.SELECTIVE, Recompute.FULL

TRAINED = [
    trained(SMALL, communication=SPLIT, recompute=SELECTIVE),
    trained(SMALL, communication=REDUCE, recompute=FULL, zero=1),
    trained(SMALL, communication=SPLIT, recompute=FULL, zero=2, data=5),
    trained(SMALL, communication=SPLIT, recompute=NONE, zero=3),
    trained(SMALL, communication=REDUCE, recompute=NONE, zero=3, data=4),
    trained(SMALL, communication=REDUCE, recompute=SELECTIVE, tensor=1, zero=1),
    trained(SMALL, communication=SPLIT, recompute=SELECTIVE, tensor=1, zero=2),
    trained(SMALL, communication=SPLIT, recompute=SELECTIVE, data=1),
    trained(SMALL, communication=SPLIT, recompute=NONE, stage=0, pipeline=2),
    trained(SMALL, communication=REDUCE, recompute=FULL, stage=1, pipeline=2),
    trained(SMALL, communication=SPLIT, recompute=SELECTIVE, stage=0, pipeline=1),
    trained(SMALL, communication=SPLIT, recompute=SELECTIVE, stage=5, pipeline=6),
    trained(ODD, communication=SPLIT, recompute=SELECTIVE, zero=3, data=7, dtype=DType.FLOAT32, gradient_bytes=2),
    trained(ODD, communication=SPLIT, recompute=FULL, zero=1, gradient_bytes=2),
]


def stepped(model: ModelFacts, **changes: Any) -> Request:
    options: dict[str, Any] = {
        "tensor": 2,
        "pipeline": model.layers // 2,
        "batch": 3,
        "prompt": 6,
        "context": 10,
        "scope": Scope.STACK,
        "stage": 1,
    }
    return inference_request(model, **{**options, **changes})


STEPPED = [
    stepped(SMALL),
    stepped(SMALL, tensor=1, pipeline=2, stage=1),
    stepped(SMALL, tensor=4, pipeline=2, stage=0),
    stepped(SMALL, pipeline=1, stage=0),
    stepped(ODD, dtype=DType.FLOAT32, prompt=1, context=1),
]

STAGES = [*TRAINED, *STEPPED]


def branches_of(request: Request) -> tuple[str, ...]:
    return ("",) if request in TRAINED else (Branch.PREFILL.value, Branch.FINAL_DECODE.value)


CASES = [(request, branch) for request in STAGES for branch in branches_of(request)]


def words(case: object) -> str:
    if not isinstance(case, Request):
        return str(case)
    strategy = case.strategy
    return (
        f"{case.model.hidden}-{strategy.recompute.value}-{strategy.communication.value}-t{strategy.tensor}"
        f"-p{strategy.pipeline}.{strategy.stage}-D{strategy.data}-zero{strategy.zero}"
    )


@functools.cache
def stages_of(request: Request) -> dict[tuple[str, str], Plain]:
    """Every snapshot of what `derive` makes of a request, by stage and branch."""
    bundle = json.loads(derive(request, jobs=JOBS))
    return {(each["stage"], each["branch"]): each["snapshot"] for each in bundle["stages"]}


def snapshot(request: Request, stage: str, branch: str) -> Plain:
    return stages_of(request)[stage, branch]


def block_of(request: Request) -> Request:
    """The same request for one block."""
    return msgspec.structs.replace(
        request, strategy=msgspec.structs.replace(request.strategy, scope=Scope.BLOCK, stage=0)
    )


def blocks_of(request: Request) -> int:
    return request.model.layers // request.strategy.pipeline


class Names:
    """The names that a block alone has for the values and tasks of one block of a stack."""

    def __init__(self, block: int) -> None:
        self.block = block
        self.own = f"b{block}."
        self.before = f"b{block - 1}.mlp_residual." if block else "x."

    def value(self, name: str) -> str:
        """A value's version; the block's input is the result of the block before it. A consumer's part is the own."""
        if name.startswith(self.before):
            name = f"x.{name.removeprefix(self.before)}"
        elif name.startswith(self.own):
            name = name.removeprefix(self.own)
        else:
            return name
        return name.replace(f".gradient.{self.own}", ".gradient.")

    def has_task(self, name: str) -> bool:
        """Whether a task is this block's: also the sum of its input's gradients, which a seam is called by."""
        of_the_next = name == f"{self.own}mlp_residual.fork_gradient"
        return (name.startswith(self.own) and not of_the_next) or self.is_fork(name)

    def is_fork(self, name: str) -> bool:
        return name == f"{self.before}fork_gradient"

    def task(self, name: str) -> str:
        return "x.fork_gradient" if self.is_fork(name) else name.removeprefix(self.own)


AS_IN_A_BLOCK = ("gathered", "regathered", "gradient_reduced", "gradient_summed")
"""Versions of parameters and gradients that a block alone has not: what is exchanged."""


def unexchanged(name: str) -> str:
    """The version that a block alone reads in the place of an exchanged one."""
    stem, _, version = name.rpartition(".")
    if version in {"gathered", "regathered"}:
        return f"{stem}.forward"
    return f"{stem}.gradient" if version in {"gradient_reduced", "gradient_summed"} else name


def described(ir: Plain, task: Plain, named: Names | None) -> tuple[object, ...]:
    """All that a task is, apart from its id and its lineage, in the words of a block alone."""
    values = {each["id"]: each["name"] for each in ir["values"]}

    def words_of(ids: list[str]) -> list[str]:
        found = [values[each] for each in ids]
        return [unexchanged(named.value(each)) for each in found] if named else found

    effects = [(each["kind"], *words_of([each["value"]]), each["size"]) for each in task.get("effects", [])]
    collective = task.get("collective")
    return (
        named.task(task["name"]) if named else task["name"],
        task["kind"],
        task["phase"],
        task["primitive"],
        tuple((each["name"], each["size"]) for each in task["operands"]),
        tuple(words_of(task["inputs"])),
        tuple(words_of(task["outputs"])),
        tuple(task["ranks"]),
        tuple(sorted(task["work"].items())),
        tuple(effects),
        json.dumps(collective, sort_keys=True),
    )


def own_tasks(ir: Plain) -> list[Plain]:
    """The tasks of a stage that are no edge and no exchange."""
    return [each for each in ir["tasks"] if each["phase"] not in OF_A_STAGE]


@pytest.mark.parametrize(("request_", "branch"), CASES, ids=words)
def test_every_block_does_what_a_block_alone_does(request_: Request, branch: str) -> None:
    stack, alone = (snapshot(each, "distributed", branch) for each in (request_, block_of(request_)))
    wanted = Counter(described(alone, each, None) for each in alone["tasks"])
    assert not [each for each in alone["tasks"] if each["phase"] in OF_A_STAGE]
    seen = 0
    for block in range(blocks_of(request_)):
        named = Names(block)
        tasks = [each for each in own_tasks(stack) if named.has_task(each["name"])]
        assert Counter(described(stack, each, named) for each in tasks) == wanted
        seen += len(tasks)
    assert seen == len(own_tasks(stack)), "a task of no block"


@pytest.mark.parametrize(("request_", "branch"), CASES, ids=words)
def test_every_block_has_the_tensors_of_a_block_alone(request_: Request, branch: str) -> None:
    stack, alone = (snapshot(each, "distributed", branch) for each in (request_, block_of(request_)))

    def described_value(each: Plain, name: str) -> tuple[object, ...]:
        fields = ("role", "dtype", "axes", "shape", "split", "local_shape", "partial", "ranks")
        return (name, *(json.dumps(each[field]) for field in fields))

    wanted = Counter(described_value(each, each["name"]) for each in alone["values"])
    last = blocks_of(request_) - 1
    for block in range(last + 1):
        named = Names(block)
        found: Counter[tuple[object, ...]] = Counter()
        for each in stack["values"]:
            name = each["name"]
            at_a_seam = name.startswith(named.before)
            of_the_next = name.startswith(f"{named.own}mlp_residual.gradient.b") or (
                block < last and name == f"{named.own}mlp_residual.gradient"
            )
            if not (at_a_seam or name.startswith(named.own)) or name.rpartition(".")[2] in {
                *AS_IN_A_BLOCK,
                "updated_gathered",
            }:
                continue
            # Of the block before, only what this one reads or makes of its result.
            taken = name in {f"{named.before}forward", f"{named.before}gradient"} or ".gradient.b" in name
            if (at_a_seam and not taken) or (of_the_next and ".gradient.b" in name):
                continue
            found[described_value(each, named.value(name))] += 1
        assert found == wanted


def totals(request: Request, stage: str, branch: str) -> dict[str, Counter[str]]:
    """The sums of the work vectors of a plan or a group of tasks, and how many tasks there are, by phase."""
    sums: dict[str, Counter[str]] = {}
    for each in snapshot(request, stage, branch)["tasks"]:
        phase = sums.setdefault(each["phase"], Counter())
        phase["tasks"] += 1
        phase.update(each["work"])
    return sums


@pytest.mark.parametrize("stage", ["distributed", "portable"])
@pytest.mark.parametrize(("request_", "branch"), CASES, ids=words)
def test_a_stack_does_as_much_as_its_blocks(request_: Request, branch: str, stage: str) -> None:
    stack, alone = totals(request_, stage, branch), totals(block_of(request_), stage, branch)
    assert set(stack) - OF_A_STAGE == set(alone)
    for phase, sums in alone.items():
        assert stack[phase] == Counter({name: blocks_of(request_) * size for name, size in sums.items()})


# Exchanges, counted from the bundle's own parameter tensors ----------------------------------------------------------


def held(request: Request, branch: str, block: int) -> list[Plain]:
    """The parameters that the operations of a block read, as the step finds them."""
    model = snapshot(request, "model", "")
    operations = {each["name"]: each for each in model["operations"] if each["block"] == block}
    wanted = {value for each in operations.values() for value in each["inputs"]}
    parameters = {each["id"] for each in model["values"] if each["role"] == "parameter"}
    first = snapshot(request, "distributed", branch)
    return [
        each
        for each in first["values"]
        if each["source_value"] in wanted & parameters and each["id"] in first["inputs"]
    ]


def whole(tensors: list[Plain]) -> list[Plain]:
    """Those that no rank divides."""
    return [each for each in tensors if each["local_shape"] == each["shape"]]


def count(tensors: list[Plain]) -> int:
    return sum(math.prod(each["local_shape"]) for each in tensors)


def exchanges(request: Request, block: int) -> Iterator[tuple[str, str, str, int, int, int]]:
    """Name, collective, mesh axis, elements, width and ranks of what one block exchanges, from its own tensors."""
    strategy, width = request.strategy, request.workload.dtype.width
    tensors = held(request, "", block)
    if strategy.tensor > 1 and strategy.communication is SPLIT:
        undivided = count(whole(tensors))
        yield "gradient_sum", "all_reduce", "tensor", undivided, strategy.gradient_bytes, strategy.tensor
    if strategy.data == 1:
        return
    reduction = "reduce_scatter" if strategy.zero else "all_reduce"
    yield "gradient_reduction", reduction, "data", count(tensors), strategy.gradient_bytes, strategy.data
    gathers = {0: (), 1: ("update_gather",), 2: ("update_gather",), 3: ("forward_gather", "backward_gather")}
    for name in gathers[strategy.zero]:
        yield name, "all_gather", "data", count(tensors), width, strategy.data


@pytest.mark.parametrize("request_", TRAINED, ids=words)
def test_the_messages_are_those_of_the_parameter_tensors(request_: Request) -> None:
    found = {
        each["name"]: each
        for each in snapshot(request_, "distributed", "")["tasks"]
        if each["phase"] == "synchronization"
    }
    for block in range(blocks_of(request_)):
        for name, kind, axis, elements, width, ranks in exchanges(request_, block):
            task = found.pop(f"b{block}.{name}")
            message, share = elements * width, -(-elements // ranks)
            collective = task["collective"]
            assert (collective["kind"], collective["axis"]) == (kind, axis)
            assert collective["participants"] == list(range(ranks))
            assert task["work"]["message_bytes"] == collective["message_bytes"] == message
            reads, writes = {
                "all_reduce": (message, message),
                "reduce_scatter": (message, share * width),
                "all_gather": (share * width, message),
            }[kind]
            assert (task["work"]["read_bytes"], task["work"]["write_bytes"]) == (reads, writes)
            # On a rank, one addition for each element of its share and each other rank.
            assert task["work"]["operations"] == (0 if kind == "all_gather" else share * (ranks - 1))
    assert not found, "an exchange that nothing asks for"


@pytest.mark.parametrize("request_", TRAINED, ids=words)
def test_the_sum_over_the_tensor_group_is_that_of_what_is_added_up(request_: Request) -> None:
    """What the group sums are the tensors whose gradients the snapshot itself calls addends."""
    ir = snapshot(request_, "distributed", "")
    addends = {each["id"] for each in ir["values"] if each["role"] == "parameter_gradient" and each["partial"]}
    summed = {each for task in ir["tasks"] if task["name"].endswith(".gradient_sum") for each in task["inputs"]}
    assert summed == addends
    biases = 2 if request_.model.biases else 0
    split = request_.strategy.tensor > 1 and request_.strategy.communication is SPLIT
    sizes = [math.prod(each["local_shape"]) for each in ir["values"] if each["id"] in addends]
    assert sum(sizes) == (4 + biases) * request_.model.hidden * blocks_of(request_) * split


@pytest.mark.parametrize(("request_", "branch"), CASES, ids=words)
def test_the_edges_carry_the_stream(request_: Request, branch: str) -> None:
    ir = snapshot(request_, "distributed", branch)
    strategy, last = request_.strategy, blocks_of(request_) - 1
    inner = (strategy.stage > 0, strategy.stage < strategy.pipeline - 1)
    values = {each["name"]: each for each in ir["values"]}
    wanted = {}
    for there, value, forward, backward in (
        (inner[0], "x", "receive", "send_gradient"),
        (inner[1], f"b{last}.mlp_residual", "send", "receive_gradient"),
    ):
        if there:
            wanted[f"{value}.{forward}"] = values[f"{value}.forward"]
            if not branch:
                wanted[f"{value}.{backward}"] = values[f"{value}.gradient"]
    found = {each["name"]: each for each in ir["tasks"] if each["phase"] == "stage_boundary"}
    assert found.keys() == wanted.keys()
    for name, task in found.items():
        sent = task["primitive"] == "send"
        size = math.prod(wanted[name]["local_shape"]) * request_.workload.dtype.width
        assert task["inputs" if sent else "outputs"] == [wanted[name]["id"]]
        assert task["outputs" if sent else "inputs"] == []
        assert task["work"] == {
            "operations": 0,
            "read_bytes": size * sent,
            "write_bytes": size * (not sent),
            "message_bytes": size,
        }
        assert (wanted[name]["id"] in ir["inputs"]) is False


# Memory --------------------------------------------------------------------------------------------------------------

ONE_AT_A_TIME = {"working", "boundary", "workspace"}


@pytest.mark.parametrize(("request_", "branch"), CASES, ids=words)
def test_a_stack_holds_as_much_as_its_blocks(request_: Request, branch: str) -> None:
    stack, alone = (snapshot(each, "portable", branch) for each in (request_, block_of(request_)))
    for fact, size in alone["memory"].items():
        if fact != "kind":
            times = 1 if fact in ONE_AT_A_TIME else blocks_of(request_)
            assert stack["memory"][fact] == times * size
    assert stack["alternatives"] == alone["alternatives"]


# Obligations ---------------------------------------------------------------------------------------------------------


@functools.cache
def report_of(request: Request) -> Report:
    report = verify(derive(request, jobs=JOBS), jobs=JOBS)
    assert report.verdict is Outcome.VERIFIED
    return report


def deep(model: ModelFacts, blocks: int) -> ModelFacts:
    """So many blocks in each of three stages."""
    return msgspec.structs.replace(model, layers=3 * blocks)


Depth = Callable[[int], Request]


def of_split(blocks: int) -> Request:
    return trained(deep(SMALL, blocks), pipeline=3, communication=SPLIT, recompute=SELECTIVE)


def of_shards(blocks: int) -> Request:
    return trained(deep(SMALL, blocks), pipeline=3, communication=REDUCE, recompute=FULL, zero=3)


def of_steps(blocks: int) -> Request:
    return stepped(deep(SMALL, blocks), pipeline=3)


@pytest.mark.parametrize("depth", [of_split, of_shards, of_steps], ids=lambda each: each.__name__)
def test_a_block_more_is_no_question_more(depth: Depth) -> None:
    """From three blocks on there is every kind of block: the first, the last, and one between two others."""
    three, four = report_of(depth(3)), report_of(depth(4))
    assert len(four.obligations) == len(three.obligations)
    assert int(four.summary.claims) > int(three.summary.claims)
    asked = {row.digest for row in three.obligations}
    new = [row.statement for row in four.obligations if row.digest not in asked]
    # What is asked anew speaks of the stage as a whole: its interface, its memory, and how many members a law has.
    of_blocks = {"law operand-traffic", "law gemm", "law buffer-size", "law work-conservation"}
    of_facts = {
        *("law parameters", "law weight-memory", "law gradient-memory", "law optimizer-memory"),
        *("law activation-memory", "law checkpoint", "law kv-cache"),
    }
    begin = {each.partition(" (")[0].partition(":")[0] for each in new}
    interfaces = {f"interface of {rule}" for rule in ("model.from_request", "training.total", "inference.total")}
    assert begin <= {*of_blocks, *of_facts, *interfaces, "memory of planning.weights"}


@pytest.mark.parametrize("depth", [of_split, of_steps], ids=lambda each: each.__name__)
def test_a_stack_asks_hardly_more_than_a_block(depth: Depth) -> None:
    """One block in a stage of its own has edges and exchanges, as four have; they have seams besides."""
    alone, four = report_of(depth(1)), report_of(depth(4))
    assert 0 <= len(four.obligations) - len(alone.obligations) <= 3
