"""Calculon's cases: what each says, the request that it describes, and our tasks by its layers.

Calculon has no biases. One of its layers stands for all tasks of one of our operations, or for the collectives or the
fork of one value; its columns are phases. The optimizer is one task of ours and a column of its own there.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

from blueprint.errors import DomainError, NotCoveredError
from blueprint.frontend.request import training_request
from blueprint.ir.common import DType, Phase, Primitive
from blueprint.ir.distributed import Task, TaskKind
from blueprint.ir.model import OperationKind
from blueprint.ir.portable import Resources
from blueprint.ir.request import Activation, Communication, ModelFacts, Recompute, Request
from tests.oracles.cases import Case, cases
from tests.oracles.derived import Derived

CASES = cases("calculon_cases")
LISTED = [parameter.values[0] for parameter in CASES]

ELEMENT = {"float8": 1, "float16": 2, "bfloat16": 2, "float32": 4}
"""Bytes of an element by Calculon's name of the type."""

SPLIT = "rs_ag"
"""Calculon's name of sequence parallelism. Its p2p_rs_ag keeps whole tensors, and all-reduces inside a stage."""

RECOMPUTE = {"none": Recompute.NONE, "attn_only": Recompute.SELECTIVE, "full": Recompute.FULL}

Row = dict[str, Any]
"""One layer of a case by column name."""


# What a case says -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shape:
    """The dimensions of a case in elements, its degrees, and e, the bytes of one of its elements."""

    B: int
    S: int
    H: int
    F: int
    h: int
    d: int
    t: int
    D: int
    p: int
    e: int
    split: bool

    @property
    def a(self) -> int:
        """Elements of the whole residual stream."""
        return self.B * self.S * self.H

    @property
    def r(self) -> int:
        """Elements of the residual stream on one rank."""
        return self.a // self.t if self.split else self.a

    @property
    def x(self) -> int:
        """Elements of the scores on one rank."""
        return self.B * (self.h // self.t) * self.S**2

    @property
    def P(self) -> int:  # noqa: N802 - the letter that the laws use
        """Elements of the queries on one rank."""
        return self.B * self.S * self.h * self.d // self.t

    @property
    def f(self) -> int:
        """Elements of the feed-forward activation on one rank."""
        return self.B * self.S * self.F // self.t

    @property
    def N(self) -> int:  # noqa: N802 - the letter that the laws use
        """Parameters of one rank: matrices and norms."""
        return (4 * self.H * self.h * self.d + 2 * self.H * self.F) // self.t + 4 * self.H

    @property
    def o(self) -> int:
        """Bytes of the optimizer's state a parameter: master copy and two moments; at e = 4 the moments alone."""
        return 8 if self.e == 4 else 12


def shape_of(case: Case) -> Shape:
    """The dimensions of a case."""
    app, exe = case["app"], case["exe"]
    return Shape(
        B=exe["microbatch_size"],
        S=app["seq_size"],
        H=app["hidden"],
        F=app["feedforward"],
        h=app["attn_heads"],
        d=app["attn_size"],
        t=exe["tensor_par"],
        D=exe["data_par"],
        p=exe["pipeline_par"],
        e=ELEMENT[exe["datatype"]],
        split=exe["tensor_par_comm_type"] == SPLIT,
    )


def rows(case: Case) -> dict[str, Row]:
    """The layers of a case by name, in order."""
    return {layer[0]: dict(zip(case["columns"], layer, strict=True)) for layer in case["layers"]}


def policy(case: Case) -> str:
    """What Calculon recomputes."""
    return str(case["exe"]["activation_recompute"])


def sharded(case: Case) -> bool:
    """Whether the optimizer and the kept gradients are divided over the data-parallel group."""
    return bool(case["exe"]["optimizer_sharding"])


def share(case: Case) -> int:
    """Over how many ranks the optimizer is divided."""
    return int(case["exe"]["data_par"]) if sharded(case) else 1


def exact(value: float, case: Case) -> Fraction:
    """A number of a case. Calculon divides by the data degree in floating point; the fraction that it meant."""
    return Fraction(value) if isinstance(value, int) else Fraction(value).limit_denominator(case["exe"]["data_par"])


def request_of(case: Case, dtype: DType | None = None, gradient_bytes: int | None = None) -> Request:
    """The request that a case describes, in its own element type or in another. Raises where no law covers it."""
    app, exe, shape = case["app"], case["exe"], shape_of(case)
    heads = shape.h if exe["attention_type"] == "multihead" else 1
    model = ModelFacts(
        name=case["model"].lower(),
        hidden=shape.H,
        feedforward=shape.F,
        heads=shape.h,
        key_value_heads=heads,
        head_width=shape.d,
        layers=app["num_blocks"],
        vocabulary=1,
        positions=shape.S,
        biases=False,
        activation=Activation.GELU,
    )
    return training_request(
        model,
        sequence=shape.S,
        batch=shape.B,
        microbatches=exe["batch_size"] // shape.D // shape.B,
        dtype=dtype or DType(exe["datatype"]),
        tensor=shape.t,
        pipeline=shape.p,
        data=shape.D,
        recompute=RECOMPUTE[exe["activation_recompute"]],
        communication=Communication.SEQUENCE_PARALLEL if shape.split else Communication.ALL_REDUCE,
        # Calculon's sharded optimizer divides the state and the kept gradients, not the weights.
        zero=2 if exe["optimizer_sharding"] else 0,
        gradient_bytes=gradient_bytes,
    )


# Our tasks by its layers ----------------------------------------------------------------------------------------------

OPERATION, COLLECTIVE, FORK = "operation", "collective", "fork"

LAYERS: dict[str, tuple[str, str | None]] = {
    "AttnBlock_Fork": (FORK, None),
    "AttnBlock_LayerNorm": (OPERATION, OperationKind.ATTENTION_NORM),
    "AttnBlock_F": (COLLECTIVE, OperationKind.ATTENTION_NORM),
    "AttnBlock_Multihead_Fork": (FORK, OperationKind.ATTENTION_NORM),
    "AttnBlock_Query": (OPERATION, OperationKind.QUERY_PROJECTION),
    "AttnBlock_Key": (OPERATION, OperationKind.KEY_PROJECTION),
    "AttnBlock_Value": (OPERATION, OperationKind.VALUE_PROJECTION),
    "AttnBlock_Multihead_Key_Query": (OPERATION, OperationKind.SCORES),
    "AttnBlock_Multihead_SoftMax": (OPERATION, OperationKind.SOFTMAX),
    "AttnBlock_Multihead_DropOut": (OPERATION, OperationKind.ATTENTION_DROPOUT),
    "AttnBlock_Multihead_Attn": (OPERATION, OperationKind.CONTEXT),
    "AttnBlock_MLP": (OPERATION, OperationKind.OUTPUT_PROJECTION),
    "AttnBlock_G": (COLLECTIVE, OperationKind.OUTPUT_PROJECTION),
    "AttnBlock_DropOut": (OPERATION, OperationKind.OUTPUT_DROPOUT),
    "AttnBlock_Residual": (OPERATION, OperationKind.ATTENTION_RESIDUAL),
    "MlpBlock_Fork": (FORK, OperationKind.ATTENTION_RESIDUAL),
    "MlpBlock_LayerNorm": (OPERATION, OperationKind.MLP_NORM),
    "MlpBlock_F": (COLLECTIVE, OperationKind.MLP_NORM),
    "MlpBlock_Mlp1": (OPERATION, OperationKind.UP_PROJECTION),
    "MlpBlock_GeLU": (OPERATION, OperationKind.ACTIVATION),
    "MlpBlock_Mlp2": (OPERATION, OperationKind.DOWN_PROJECTION),
    "MlpBlock_G": (COLLECTIVE, OperationKind.DOWN_PROJECTION),
    "MlpBlock_DropOut": (OPERATION, OperationKind.MLP_DROPOUT),
    "MlpBlock_Residual": (OPERATION, OperationKind.MLP_RESIDUAL),
}
"""Calculon's layers in its order -> the tasks of an operation, or the collectives or the fork of its result.

The first fork is that of the block's input, which no operation produces.
"""

NORMS = ("AttnBlock_LayerNorm", "MlpBlock_LayerNorm")
PRODUCTS = ("AttnBlock_Multihead_Key_Query", "AttnBlock_Multihead_Attn")
ENTRIES = ("AttnBlock_F", "MlpBlock_F")
EXITS = ("AttnBlock_G", "MlpBlock_G")

Count = Callable[[Resources], int]


def operations(resources: Resources) -> int:
    """Arithmetic operations of a task."""
    return resources.compute


def traffic(resources: Resources) -> int:
    """Bytes read and written."""
    return resources.memory


def message(resources: Resources) -> int:
    """Bytes of a collective's message."""
    return resources.network


COLUMNS: dict[str, tuple[Phase, Count]] = {
    "fw_flops": (Phase.FORWARD, operations),
    "agrad_flops": (Phase.ACTIVATION_GRADIENT, operations),
    "wgrad_flops": (Phase.WEIGHT_GRADIENT, operations),
    "re_flops": (Phase.RECOMPUTE, operations),
    "fw_mem_bytes": (Phase.FORWARD, traffic),
    "agrad_mem_bytes": (Phase.ACTIVATION_GRADIENT, traffic),
    "wgrad_mem_bytes": (Phase.WEIGHT_GRADIENT, traffic),
    "re_mem_bytes": (Phase.RECOMPUTE, traffic),
    "tp_fw_base": (Phase.FORWARD, message),
    "tp_fw_edge": (Phase.FORWARD, message),
    "tp_bw_base": (Phase.ACTIVATION_GRADIENT, message),
    "tp_bw_edge": (Phase.ACTIVATION_GRADIENT, message),
    "tp_recomm_base": (Phase.RECOMMUNICATION, message),
    "tp_recomm_edge": (Phase.RECOMMUNICATION, message),
}
"""Calculon's columns -> our phase and what is counted of its tasks.

Two columns are made from others: re_flops and re_mem_bytes are the forward columns where `recompute` is set.
"""


def cell(case: Case, row: Row, column: str) -> Fraction:
    """What Calculon says in one column of one layer."""
    match column:
        case "re_flops":
            return exact(row["recompute"] * row["fw_flops"], case)
        case "re_mem_bytes":
            return exact(row["recompute"] * row["fw_mem_bytes"], case)
        case _:
            return exact(row[column], case)


@dataclass(frozen=True)
class Layered:
    """The tasks of a derivation by Calculon's layers, with what the portable plan says of each."""

    emitted: Derived

    @functools.cached_property
    def resources(self) -> dict[str, Resources]:
        """The planned resources of every distributed task by its id."""
        return {task.lineage.sources[0]: task.resources for task in self.emitted.portable.tasks}

    @functools.cached_property
    def tasks(self) -> dict[str, list[Task]]:
        """The tasks of each layer, whatever their phase."""
        found: dict[tuple[str, str | None], list[Task]] = {}
        for task in self.emitted.distributed.tasks:
            sort = OPERATION
            if task.kind is TaskKind.COLLECTIVE:
                sort = COLLECTIVE
            elif task.primitive == Primitive.FORK:
                sort = FORK
            found.setdefault((sort, self.emitted.kind(task)), []).append(task)
        return {name: found.get(which, []) for name, which in LAYERS.items()}

    def sum(self, tasks: Iterable[Task], phase: Phase, count: Count) -> int:
        """A count over those of the tasks that are of a phase."""
        return sum(count(self.resources[task.id]) for task in tasks if task.phase is phase)

    def layer(self, name: str, column: str) -> int:
        """What we say in one column of one layer."""
        return self.sum(self.tasks[name], *COLUMNS[column])

    def total(self, column: str, primitives: Sequence[Primitive] = tuple(Primitive)) -> int:
        """One column over all tasks of its phase, whatever layer they belong to."""
        phase, count = COLUMNS[column]
        return self.sum(self.emitted.tasks((phase,), primitives), phase, count)

    @functools.cached_property
    def optimizer(self) -> Task:
        """The one optimizer task."""
        (task,) = self.emitted.tasks((Phase.OPTIMIZER,))
        return task

    def parameters(self, name: str) -> int:
        """Elements of the parameters on one rank that a layer's weight gradient is about."""
        written = [each for task in self.tasks[name] if task.phase is Phase.WEIGHT_GRADIENT for each in task.outputs]
        return sum(prod(self.emitted.values[each].local_shape) for each in written)


# What no law covers ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outside:
    """A kind of case that is not compared, and the words in which `derive` refuses it."""

    reason: str
    holds: Callable[[Case], bool]
    refusal: type[Exception]
    words: str
    example: dict[str, object]


OUTSIDE = {
    "multiquery": Outside(
        "one key/value head for all query heads: there is no law for grouped queries",
        lambda case: bool(case["exe"]["attention_type"] != "multihead" and case["exe"]["tensor_par"] == 1),
        NotCoveredError,
        "key/value heads",
        {"attention_type": "multiquery", "tensor_par": 1},
    ),
    "multiquery on several ranks": Outside(
        "Calculon repeats the one head on every rank; the laws divide heads",
        lambda case: bool(case["exe"]["attention_type"] != "multihead" and case["exe"]["tensor_par"] > 1),
        DomainError,
        "key/value heads k = 1",
        {"attention_type": "multiquery", "tensor_par": 2},
    ),
    "uneven stages": Outside(
        "Calculon rounds the blocks of a stage up; the laws divide exactly",
        lambda case: bool(case["app"]["num_blocks"] % case["exe"]["pipeline_par"]),
        DomainError,
        "layers L",
        {"pipeline_par": 7},
    ),
    "uneven sequence": Outside(
        "Calculon divides the tokens of all sequences together; the laws divide each sequence",
        lambda case: shape_of(case).split and bool(case["app"]["seq_size"] % case["exe"]["tensor_par"]),
        DomainError,
        "sequence length S",
        {"tensor_par_comm_type": "rs_ag", "tensor_par": 64, "seq_size": 32},
    ),
}
"""Kinds of cases that `derive` refuses."""


def outside(case: Case) -> str:
    """The kind of refused case that this is, if it is one."""
    return next((name for name, kind in OUTSIDE.items() if kind.holds(case)), "")


def overlapped(case: Case) -> bool:
    """Whether collectives are part of the products, in rows of other names: another way to execute the same block."""
    return bool(case["exe"]["tensor_par_overlap"] != "none")


# What Calculon makes of a case under another execution ----------------------------------------------------------------


def executed(case: Case, **changes: object) -> Case:
    """A case as Calculon gives it when executed another way, for kinds of execution that no file at hand shows.

    Only what its flags decide is made anew: what is recomputed, stored, sent in edge blocks or sharded, and the totals
    of it. Without changes every listed case must come out as it stands, which a test shows. Sizes stay: the element
    type, the tensor degree and whether the sequence is split may not change.
    """
    made = copy.deepcopy(case)
    exe = made["exe"]
    exe |= changes
    shape, policy, kind = shape_of(made), exe["activation_recompute"], exe["tensor_par_comm_type"]
    assert shape_of(case) == Shape(**{**vars(shape), "D": case["exe"]["data_par"], "p": case["exe"]["pipeline_par"]})
    full, redo = policy == "full", exe["seq_par_ag_redo"]
    attention = {"AttnBlock_Multihead_Key_Query", "AttnBlock_Multihead_SoftMax", "AttnBlock_Multihead_DropOut"}
    core = set() if policy == "none" else attention
    # The fork before the projections is also flagged, and not stored, when the attention alone is recomputed.
    gathered = {"AttnBlock_F", "AttnBlock_Multihead_Fork"} if core or redo else set()
    gathered |= {"MlpBlock_F", "MlpBlock_Mlp1"} if full or redo else set()
    share = shape.D if exe["optimizer_sharding"] else 1
    layers = rows(made)
    for name, row in layers.items():
        communicates, entry = row["kind"] == "TPComm", name in ENTRIES
        forked = name in gathered and row["kind"] == "Fork"
        row["recompute"] = int((full and not communicates) or name in core or forked)
        row["recomm"] = int(communicates and (full or name in gathered))
        row["act_stored"] = int(
            not (row["act_reused"] or name in EXITS or name in gathered - set(ENTRIES))
            and not (name == "AttnBlock_Multihead_DropOut" and core)
        )
        row["out_stored"] = int(not (core and name in {"AttnBlock_Multihead_Key_Query", "AttnBlock_Multihead_SoftMax"}))
        for edge, splits in (("base", kind == SPLIT), ("edge", kind in {SPLIT, "p2p_rs_ag"})):
            size = shape.a * shape.e if communicates and shape.t > 1 else 0
            row[f"tp_fw_{edge}"] = size if splits or not entry else 0
            row[f"tp_bw_{edge}"] = size if splits or entry else 0
            row[f"tp_recomm_{edge}"] = row["recomm"] * row[f"tp_fw_{edge}"]
        if row["kind"] == "GeLU":
            kept = 0 if exe["fused_activation"] else row["inputs_elems"] * shape.e
            row["activation_bytes"], row["activation_grad_bytes"] = kept, kept
        weights = row["weight_bytes"] // shape.e
        for column, size in (
            ("optim_flops", 11 * weights),
            ("weight_grad_bytes_sharded", shape.e * weights),
            ("optimizer_bytes", shape.o * weights),
        ):
            row[column] = _number(Fraction(size, share))
    made["layers"] = [[row[column] for column in made["columns"]] for row in layers.values()]
    _totals(made, list(layers.values()))
    return made


def _number(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else float(value)


def _totals(case: Case, layers: list[Row]) -> None:
    """Calculon's totals of a case's rows, with its two running sums."""
    exe, shape, reported = case["exe"], shape_of(case), case["reported"]
    training, stored = exe["training"], 0
    forward = {"flops": 0, "mem": 0}
    again = {"flops": 0, "mem": 0}
    for row in layers:
        forward = {"flops": forward["flops"] + row["fw_flops"], "mem": forward["mem"] + row["fw_mem_bytes"]}
        if row["recompute"] and training:
            again = {each: again[each] + forward[each] for each in again}
        stored += row["activation_bytes"]
        if training:
            stored -= (1 - row["out_stored"]) * row["output_bytes"] + (1 - row["act_stored"]) * row["activation_bytes"]

    def total(column: str, *, backward: bool = True) -> int | float:
        if backward and not training:
            return 0
        return _number(sum((exact(row[column], case) for row in layers), start=Fraction(0)))

    working = sum(row["activation_bytes"] for row in layers if not row["act_reused"])
    reported["block_act_working_space"] = working
    reported["block_re_flops"], reported["block_re_mem_accessed"] = again["flops"], again["mem"]
    for edge in ("base", "edge"):
        reported[f"{edge}block_fw_tp_size"] = total(f"tp_fw_{edge}", backward=False)
        reported[f"{edge}block_recomm_size"] = total(f"tp_recomm_{edge}")
    for key, column in BACKWARD_TOTALS.items():
        reported[key] = total(column)
    reported["useful_flops"] = reported["block_fw_flops"] + sum(
        reported[f"block_{each}_flops"] for each in ("agrad", "wgrad", "optim")
    )
    sent = shape.a // shape.t if exe["tensor_par_comm_type"] != "ar" else shape.a
    reported["block_fw_pp_size"] = sent * shape.e if shape.p > 1 else 0
    reported["block_bw_pp_size"] = reported["block_fw_pp_size"] if training else 0
    reported["block_dp_size"] = total("weight_bytes") if shape.D > 1 else 0
    full = exe["activation_recompute"] == "full"
    reported["block_act_checkpoint_size"] = shape.a * shape.e if full else 0
    reported["block_act_storage_space"] = 0 if full else stored
    case["derived"]["act_storage_by_rule"] = reported["block_act_storage_space"] if training else None
    once = sum((cell(case, row, "re_flops") for row in layers), start=Fraction(0))
    case["derived"]["recompute_fw_flops_once"] = _number(once)
    case["derived"]["blocks_per_proc"] = -(-case["app"]["num_blocks"] // shape.p)
    case["derived"]["num_microbatches"] = exe["batch_size"] // shape.D // shape.B


BACKWARD_TOTALS = {
    "block_agrad_flops": "agrad_flops",
    "block_agrad_mem_accessed": "agrad_mem_bytes",
    "block_wgrad_flops": "wgrad_flops",
    "block_wgrad_mem_accessed": "wgrad_mem_bytes",
    "block_optim_flops": "optim_flops",
    "block_optim_mem_accessed": "optimizer_bytes",
    "block_weight_grad_space": "weight_grad_bytes_sharded",
    "block_weight_grad_space_no_sharding": "weight_grad_bytes_unsharded",
    "block_act_grad_space": "activation_grad_bytes",
    "block_optimizer_space": "optimizer_bytes",
}
"""Calculon's block totals that are zero without training -> the column that they sum."""


# Cases of kinds that no file at hand shows, made by Calculon's rules --------------------------------------------------


def whole_case() -> Case:
    """A listed case in which Calculon keeps whole tensors and recomputes nothing."""
    return next(each for each in LISTED if not shape_of(each).split and each["exe"]["activation_recompute"] == "none")


def split_case() -> Case:
    """A listed case in which Calculon splits the sequence."""
    return next(each for each in LISTED if shape_of(each).split)


def _made() -> dict[str, Case]:
    whole, split = whole_case(), split_case()
    shards = {"data_par": 7, "num_procs": 7 * whole["exe"]["num_procs"], "batch_size": 7 * whole["exe"]["batch_size"]}
    edges = {"tensor_par_comm_type": "p2p_rs_ag"}
    return {
        "whole, selective": executed(whole, activation_recompute="attn_only"),
        "whole, full": executed(whole, activation_recompute="full"),
        "whole, edges": executed(whole, **edges),
        "whole, edges, selective": executed(whole, **edges, activation_recompute="attn_only"),
        "whole, edges, full": executed(whole, **edges, activation_recompute="full"),
        "whole, fused": executed(whole, fused_activation=True),
        "whole, shards": executed(whole, **shards, optimizer_sharding=True),
        "whole, data": executed(whole, **shards),
        "split, none": executed(split, activation_recompute="none"),
        "split, full": executed(split, activation_recompute="full", seq_par_ag_redo=False),
        "split, gathered once": executed(split, activation_recompute="none", seq_par_ag_redo=False),
        "split, attention gathered": executed(split, activation_recompute="attn_only", seq_par_ag_redo=False),
        "split, not trained": executed(split, activation_recompute="none", training=False),
        "split, gathered once, not trained": executed(
            split, activation_recompute="none", seq_par_ag_redo=False, training=False
        ),
    }


MADE = _made()
"""Kinds of execution by name."""

DERIVED = [each for each in CASES if not outside(each.values[0])]
"""The listed cases that lie within our laws."""

COMPARED = [each for each in DERIVED if not overlapped(each.values[0])]
"""Those of them whose rows are ours."""
