"""Operations, bytes and messages of every layer equal Calculon's to the last digit, or differ by what CONVENTIONS says.

The totals that Calculon reports for a block are compared with all tasks of a phase. Its memory columns have a test of
their own. Our recommunicated collectives have messages there and no operations or bytes: those stand for themselves.

Real runs stand behind the listed cases. Seven conventions show in none of them (shards gathered once, edge blocks, the
optimizer's share) but in MADE alone, whose numbers are our own reading of Calculon's published rules in calculon.py:
they test that reading and are no oracle.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

import pytest

from blueprint.errors import DomainError
from blueprint.ir.common import DType, Phase
from blueprint.ir.request import Request, Training
from tests.oracles.calculon import (
    BACKWARD_TOTALS,
    CASES,
    COLUMNS,
    COMPARED,
    DERIVED,
    ENTRIES,
    EXITS,
    LAYERS,
    LISTED,
    MADE,
    NORMS,
    OUTSIDE,
    PRODUCTS,
    Layered,
    Shape,
    cell,
    exact,
    executed,
    outside,
    overlapped,
    policy,
    request_of,
    rows,
    shape_of,
    sharded,
    share,
    whole_case,
)
from tests.oracles.cases import Case, cases
from tests.oracles.derived import MATMULS, Derived, derived, passed

BYTES = tuple(column for column, (_, count) in COLUMNS.items() if count.__name__ != "operations")
RECOMM_TOTALS = ("baseblock_recomm_size", "edgeblock_recomm_size")
BASE_AND_EDGE = ("tp_recomm_base", "tp_recomm_edge")


# What differs ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class At:
    """Where a difference is looked for: a case, a layer or a total of it, and what was derived for it."""

    case: Case
    layered: Layered
    wider: Layered | None
    name: str
    column: str

    @property
    def shape(self) -> Shape:
        return shape_of(self.case)

    @property
    def elements(self) -> int:
        """Elements that our tasks move here: half of what four bytes an element add to two."""
        assert self.wider is not None
        added = self.wider.layer(self.name, self.column) - self.layered.layer(self.name, self.column)
        assert added % 2 == 0
        return added // 2


Size = Callable[[At], "int | Fraction"]


@dataclass(frozen=True)
class Convention:
    """What Calculon counts more than ours (less, if negative), in which columns of which layers, or in which totals."""

    reason: str
    columns: tuple[str, ...]
    size: Size
    layers: tuple[str, ...] = ()
    applies: Callable[[Case], bool] = lambda _: True


def _shape(formula: Callable[[Shape], int]) -> Size:
    return lambda at: formula(at.shape)


def _running(column: str) -> Size:
    """What the running total of a forward column adds to the layers that are recomputed, at each of them."""

    def size(at: At) -> Fraction:
        layers = rows(at.case)
        forward = [cell(at.case, row, column) for row in layers.values()]
        before = [total - here for total, here in zip(accumulate(forward), forward, strict=True)]
        flagged = [row["recompute"] for row in layers.values()]
        return sum((flag * each for flag, each in zip(flagged, before, strict=True)), start=Fraction(0))

    return size


def _not_run(at: At) -> Fraction:
    """The whole backward total, as Calculon's own rows have it."""
    columns = {"useful_flops": ("agrad_flops", "wgrad_flops", "optim_flops")}
    summed = columns.get(at.column) or ((BACKWARD_TOTALS | SUMS)[at.column],)
    return -sum((exact(row[each], at.case) for row in rows(at.case).values() for each in summed), start=Fraction(0))


def _remainder(at: At) -> Fraction:
    """Operations of the parameters that the largest share has more than the mean one."""
    shape = at.shape
    return 11 * (Fraction(shape.N, shape.D) - -(-shape.N // shape.D))


def _gathers_once(case: Case) -> bool:
    exe = case["exe"]
    return shape_of(case).split and exe["tensor_par"] > 1 and not exe["seq_par_ag_redo"] and policy(case) != "full"


def _recomputes(case: Case) -> bool:
    """Whether Calculon flags any layer, if only a fork."""
    exe = case["exe"]
    return bool(exe["training"] and (policy(case) != "none" or exe["seq_par_ag_redo"]))


def _split(case: Case) -> bool:
    return shape_of(case).split and bool(case["exe"]["tensor_par"] > 1)


def _splits_at_edges(case: Case) -> bool:
    return bool(case["exe"]["tensor_par_comm_type"] == "p2p_rs_ag" and case["exe"]["tensor_par"] > 1)


CONVENTIONS = {
    "norm, gradient written": Convention(
        "Calculon reads the result's gradient and the input, and leaves out that the input's gradient is written",
        ("agrad_mem_bytes",),
        _shape(lambda s: -s.r * s.e),
        NORMS,
    ),
    "norm, second kernel": Convention(
        "Calculon reads both tensors again for the parameters; ours computes both gradients in one kernel",
        ("wgrad_mem_bytes",),
        _shape(lambda s: 2 * s.r * s.e),
        NORMS,
    ),
    "two products in a gradient": Convention(
        "Calculon moves every tensor of a batched product once; its gradient is two products, and moves each twice",
        ("agrad_mem_bytes",),
        _shape(lambda s: -(s.x + 2 * s.P) * s.e),
        PRODUCTS,
    ),
    "softmax, saved result": Convention(
        "Calculon's gradient moves two tensors like the forward pass; it also needs the saved one",
        ("agrad_mem_bytes",),
        _shape(lambda s: -s.x * s.e),
        ("AttnBlock_Multihead_SoftMax",),
    ),
    "GELU, saved input": Convention(
        "as for softmax",
        ("agrad_mem_bytes",),
        _shape(lambda s: -s.f * s.e),
        ("MlpBlock_GeLU",),
    ),
    "shard side": Convention(
        "Calculon counts the full tensor on both sides of a gather or scatter; ours the shard on its side",
        ("fw_mem_bytes", "agrad_mem_bytes"),
        _shape(lambda s: s.a * s.e * (s.t - 1) // s.t),
        (*ENTRIES, *EXITS),
        applies=_split,
    ),
    "attention gathered once": Convention(
        "without its redo, and without recompute, Calculon keeps the gathered tensor; ours keeps the shard always",
        BASE_AND_EDGE,
        _shape(lambda s: -s.a * s.e),
        ("AttnBlock_F",),
        applies=lambda case: _gathers_once(case) and policy(case) == "none",
    ),
    "MLP gathered once": Convention(
        "as for the attention; there a selective recompute changes nothing",
        BASE_AND_EDGE,
        _shape(lambda s: -s.a * s.e),
        ("MlpBlock_F",),
        applies=_gathers_once,
    ),
    "edge block, forward": Convention(
        "between stages p2p_rs_ag makes an all-reduce a scatter and a gather, two messages; ours has one block kind",
        ("tp_fw_edge",),
        _shape(lambda s: s.a * s.e),
        ENTRIES,
        applies=_splits_at_edges,
    ),
    "edge block, backward": Convention(
        "as forward",
        ("tp_bw_edge",),
        _shape(lambda s: s.a * s.e),
        EXITS,
        applies=_splits_at_edges,
    ),
    "edge block, full recompute": Convention(
        "as forward, once more",
        ("tp_recomm_edge",),
        _shape(lambda s: s.a * s.e),
        ENTRIES,
        applies=lambda case: _splits_at_edges(case) and policy(case) == "full",
    ),
    "edge block, attention recomputed": Convention(
        "as forward: Calculon gathers the attention's input again, too",
        ("tp_recomm_edge",),
        _shape(lambda s: s.a * s.e),
        ("AttnBlock_F",),
        applies=lambda case: _splits_at_edges(case) and policy(case) == "attn_only",
    ),
    "second product": Convention(
        "Calculon's selective recompute leaves out the product with the values; the paper and PyTorch repeat it",
        ("re_flops",),
        _shape(lambda s: -2 * s.x * s.d),
        ("AttnBlock_Multihead_Attn",),
        applies=lambda case: policy(case) == "attn_only",
    ),
    "second product, bytes": Convention(
        "as its operations",
        ("re_mem_bytes",),
        _shape(lambda s: -(s.x + 2 * s.P) * s.e),
        ("AttnBlock_Multihead_Attn",),
        applies=lambda case: policy(case) == "attn_only",
    ),
    "one byte an element": Convention(
        "float8 is refused; every byte count but a mask's is so many elements, and one byte less of each at float8",
        BYTES,
        lambda at: -at.elements,
        tuple(LAYERS),
        applies=lambda case: shape_of(case).e == 1,
    ),
    "running total": Convention(
        "calculon-ai/calculon#5: at each recomputed layer Calculon adds the block's total so far, not the layer",
        ("block_re_flops",),
        _running("fw_flops"),
        applies=_recomputes,
    ),
    "running total, bytes": Convention(
        "as its operations",
        ("block_re_mem_accessed",),
        _running("fw_mem_bytes"),
        applies=_recomputes,
    ),
    "optimizer traffic": Convention(
        "Calculon takes the optimizer's bytes for those of its state, once; ours reads gradient and state, and writes"
        " state and parameter",
        ("block_optim_mem_accessed",),
        lambda at: Fraction(at.shape.o * at.shape.N, share(at.case)) - _traffic_of_step(at),
    ),
    "share of the optimizer": Convention(
        "Calculon divides a sharded optimizer in fractions; ours counts the largest whole share",
        ("block_optim_flops", "useful_flops"),
        _remainder,
        applies=lambda case: sharded(case) and bool(shape_of(case).N % shape_of(case).D),
    ),
    "not trained": Convention(
        "an inference case has training columns but its training totals are zero; ours is a training block",
        (*(key for key in BACKWARD_TOTALS if "_space" not in key), *RECOMM_TOTALS, "useful_flops"),
        _not_run,
        applies=lambda case: not case["exe"]["training"],
    ),
}
"""Every difference between Calculon's numbers and ours. What is not listed is equal."""


def _traffic_of_step(at: At) -> int:
    """(g + o)m read and (o + e)m written, m the largest share; gradients have as many bytes as elements here."""
    shape, width = at.shape, max(at.shape.e, 2)
    return (2 * width + 2 * shape.o) * -(-shape.N // share(at.case))


# The comparison -------------------------------------------------------------------------------------------------------

SUMS = {
    "block_fw_flops": "fw_flops",
    "block_fw_mem_accessed": "fw_mem_bytes",
    "block_re_flops": "re_flops",
    "block_re_mem_accessed": "re_mem_bytes",
    "block_agrad_flops": "agrad_flops",
    "block_agrad_mem_accessed": "agrad_mem_bytes",
    "block_wgrad_flops": "wgrad_flops",
    "block_wgrad_mem_accessed": "wgrad_mem_bytes",
    "baseblock_fw_tp_size": "tp_fw_base",
    "edgeblock_fw_tp_size": "tp_fw_edge",
    "baseblock_recomm_size": "tp_recomm_base",
    "edgeblock_recomm_size": "tp_recomm_edge",
    "recompute_fw_flops_once": "re_flops",
}
"""Totals -> the column of ours that all tasks of a phase are summed in."""

STEP = {"block_optim_flops", "block_optim_mem_accessed", "useful_flops", "matmul_fw_flops", "nonmatmul_fw_flops"}
"""Totals that are made in another way."""

ELSEWHERE = {
    "block_fw_pp_size": "messages between stages are outside a block's scope",
    "block_bw_pp_size": "messages between stages are outside a block's scope",
    "block_dp_size": "messages between data-parallel ranks are outside a block's scope",
    "block_weight_space": "memory",
    "block_act_working_space": "memory",
    "block_act_storage_space": "memory",
    "block_act_checkpoint_size": "memory",
    "block_weight_grad_space": "memory",
    "block_weight_grad_space_no_sharding": "memory",
    "block_act_grad_space": "memory",
    "block_optimizer_space": "memory",
    "act_storage_by_rule": "memory",
    "weight_space": "memory of all blocks of a processor: outside a block's scope",
    "act_space": "memory of all blocks of a processor: outside a block's scope",
    "act_checkpoint_size": "memory of all blocks of a processor: outside a block's scope",
    "act_grad_space": "memory of all blocks of a processor: outside a block's scope",
    "weight_grad_space": "memory of all blocks of a processor: outside a block's scope",
    "optimizer_space": "memory of all blocks of a processor: outside a block's scope",
    "proc_mem_tier1_cap_req": "memory of all blocks of a processor: outside a block's scope",
    "proc_mem_tier2_cap_req": "memory of all blocks of a processor: outside a block's scope",
    "blocks_per_proc": "compared with the request",
    "num_microbatches": "compared with the request",
}
"""Totals that are not compared with tasks, and why."""

UNCOUNTED = {
    "name": "a name",
    "kind": "a name",
    "recompute": "a flag: re_flops and re_mem_bytes are made with it",
    "recomm": "a flag: the recommunication columns are made with it",
    "inputs_elems": "a part of the byte columns",
    "output_elems": "a part of the byte columns",
    "optim_flops": "compared by parameters, and in total",
    "weight_bytes": "memory",
    "weight_grad_bytes_sharded": "memory",
    "weight_grad_bytes_unsharded": "memory",
    "optimizer_bytes": "memory",
    "activation_bytes": "memory",
    "output_bytes": "memory",
    "activation_grad_bytes": "memory",
    "act_reused": "memory",
    "act_stored": "memory",
    "out_stored": "memory",
}
"""Columns that are not compared with tasks, and why."""

Differences = dict[tuple[str, str], tuple[Fraction, Fraction]]
"""(layer or "total", column) -> ours with its conventions, Calculon's; where they are not equal."""


def _layered(case: Case, derivation: Callable[[Request], Derived], dtype: DType | None = None) -> Layered:
    return Layered(derivation(request_of(case, dtype)))


def _both(case: Case, derivation: Callable[[Request], Derived]) -> tuple[Layered, Layered | None]:
    """The derivation of a case; and where its element type has no law, with two bytes an element and with four."""
    if shape_of(case).e > 1:
        return _layered(case, derivation), None
    return _layered(case, derivation, DType.FLOAT16), _layered(case, derivation, DType.FLOAT32)


def _conventions(at: At, without: str) -> int | Fraction:
    """The sum of every convention about one column of one layer, or about one total."""
    chosen = (
        convention
        for name, convention in CONVENTIONS.items()
        if name != without
        and at.column in convention.columns
        and at.name in (convention.layers or ("total",))
        and convention.applies(at.case)
    )
    return sum(convention.size(at) for convention in chosen)


def differences(case: Case, derivation: Callable[[Request], Derived] = derived, without: str = "") -> Differences:
    """What is unequal between a case and what was derived for it, the conventions but one taken into account."""
    layered, wider = _both(case, derivation)
    found: dict[tuple[str, str], tuple[int | Fraction, Fraction]] = {}
    shares = dict.fromkeys(COLUMNS, Fraction(0))
    for name, row in rows(case).items():
        for column in COLUMNS:
            adjusted = _conventions(At(case, layered, wider, name, column), without)
            shares[column] += adjusted
            found[name, column] = (layered.layer(name, column) + adjusted, cell(case, row, column))
    ours: dict[str, int | Fraction] = {key: layered.total(column) + shares[column] for key, column in SUMS.items()}
    step = layered.resources[layered.optimizer.id]
    products = layered.total("fw_flops", MATMULS)
    ours |= {
        "block_optim_flops": step.compute,
        "block_optim_mem_accessed": step.memory,
        "useful_flops": step.compute + sum(layered.total(each) for each in ("fw_flops", "agrad_flops", "wgrad_flops")),
        "matmul_fw_flops": products,
        "nonmatmul_fw_flops": layered.total("fw_flops") - products,
    }
    theirs = case["reported"] | case["derived"]
    for key, count in ours.items():
        adjusted = _conventions(At(case, layered, wider, "total", key), without)
        found["total", key] = (count + adjusted, exact(theirs[key], case))
    return {place: (Fraction(our), their) for place, (our, their) in found.items() if our != their}


@pytest.mark.parametrize("case", CASES)
def test_the_rules_give_every_listed_case(case: Case) -> None:
    """So that what they make of other kinds can be believed."""
    assert executed(case) == case


# Tests ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_every_number_equals_calculons_but_for_the_conventions(case: Case) -> None:
    refused = outside(case)
    if refused:
        with pytest.raises(OUTSIDE[refused].refusal, match=OUTSIDE[refused].words):
            derived(request_of(case))
    elif overlapped(case):
        assert {"LinearOverlapped"} <= {row["kind"] for row in rows(case).values()}
        assert set(rows(case)) != set(LAYERS)
    else:
        assert tuple(rows(case)) == tuple(LAYERS)
        assert differences(case) == {}


@pytest.mark.parametrize("name", MADE)
def test_kinds_that_no_file_shows_agree_too(name: str) -> None:
    assert differences(MADE[name], passed) == {}


@pytest.mark.parametrize("name", CONVENTIONS)
def test_every_convention_is_needed(name: str) -> None:
    applicable = [
        case
        for case in (*LISTED, *MADE.values())
        if not outside(case) and not overlapped(case) and CONVENTIONS[name].applies(case)
    ]
    assert applicable
    places = {place for case in applicable for place in differences(case, passed, without=name)}
    # Each of its lines, not one of them: every layer in every column that it names, or every total.
    convention = CONVENTIONS[name]
    named = {(layer, column) for layer in convention.layers or ("total",) for column in convention.columns}
    unmoved = set()
    if name == "one byte an element":
        unmoved = {place for place in named if all(not _moves(case, *place) for case in applicable)}
    assert named - unmoved <= places


def _moves(case: Case, layer: str, column: str) -> bool:
    """Whether our tasks of a layer have any bytes in a column."""
    return _layered(case, passed, DType.FLOAT16).layer(layer, column) > 0


@pytest.mark.parametrize("case", CASES)
def test_a_type_without_laws_is_refused(case: Case) -> None:
    name = case["exe"]["datatype"]
    if shape_of(case).e == 1:
        with pytest.raises(ValueError, match=name):
            DType(name)
        with pytest.raises(DomainError, match="element type"):
            request_of(case, DType.UINT8)
    else:
        assert DType(name).width == shape_of(case).e


@pytest.mark.parametrize("name", OUTSIDE)
def test_every_kind_outside_the_laws_is_refused(name: str) -> None:
    kind, case = OUTSIDE[name], dict(whole_case())
    for part in ("app", "exe"):
        case[part] = case[part] | {field: value for field, value in kind.example.items() if field in case[part]}
    assert kind.reason
    assert outside(case) == name
    with pytest.raises(kind.refusal, match=kind.words):
        derived(request_of(case))


@pytest.mark.parametrize("case", CASES)
def test_no_column_and_no_total_is_passed_over(case: Case) -> None:
    assert set(case["columns"]) == (set(COLUMNS) - {"re_flops", "re_mem_bytes"}) | set(UNCOUNTED)
    assert set(case["reported"]) | set(case["derived"]) == set(SUMS) | STEP | set(ELSEWHERE)


@pytest.mark.parametrize("case", DERIVED)
def test_every_task_belongs_to_one_layer(case: Case) -> None:
    """So that nothing of ours is left out of the comparison."""
    layered, _ = _both(case, passed)
    assigned = [task.id for tasks in layered.tasks.values() for task in tasks] + [layered.optimizer.id]
    assert sorted(assigned) == sorted(task.id for task in layered.emitted.distributed.tasks)
    assert {task.phase for tasks in layered.tasks.values() for task in tasks} == {
        phase for phase in Phase if layered.emitted.tasks((phase,)) and phase is not Phase.OPTIMIZER
    }


@pytest.mark.parametrize("case", COMPARED)
def test_the_optimizer_updates_each_layers_parameters(case: Case) -> None:
    layered, _ = _both(case, passed)
    (operand,) = layered.optimizer.operands
    each, rest = divmod(layered.resources[layered.optimizer.id].compute, operand.size)
    assert rest == 0
    for name, row in rows(case).items():
        assert Fraction(each * layered.parameters(name), share(case)) == exact(row["optim_flops"], case)


@pytest.mark.parametrize("case", DERIVED)
def test_the_request_divides_the_model_as_calculon_does(case: Case) -> None:
    request = request_of(case, DType.FLOAT16)
    assert request.model.layers == case["derived"]["blocks_per_proc"] * request.strategy.pipeline
    assert isinstance(request.workload, Training)
    assert request.workload.microbatches == case["derived"]["num_microbatches"]
    assert request.strategy.tensor * request.strategy.pipeline * request.strategy.data == case["exe"]["num_procs"]


def test_there_are_cases_of_both_ways_to_communicate() -> None:
    assert {shape_of(case).split for case in LISTED} == {True, False}


# A known slip ---------------------------------------------------------------------------------------------------------

SLIPS = [each for each in cases("known_wrong_cases") if each.values[0]["quantity"].startswith("recompute FLOPs per")]


@pytest.mark.parametrize("slip", SLIPS)
def test_the_running_total_is_a_known_slip(slip: Case) -> None:
    """Wrong is what Calculon reports of one of its cases, right what the rows that it flags sum to."""
    meant = [
        case
        for case in (*LISTED, *MADE.values())
        if case["reported"]["block_re_flops"] == slip["wrong"]
        and case["derived"]["recompute_fw_flops_once"] == slip["right"]
    ]
    assert meant
    for case in meant:
        again = _layered(case, passed).total("re_flops")
        product = 2 * shape_of(case).x * shape_of(case).d if policy(case) == "attn_only" else 0
        assert again == slip["right"] + product
        assert again != slip["wrong"]


def test_there_is_a_known_slip() -> None:
    assert SLIPS
