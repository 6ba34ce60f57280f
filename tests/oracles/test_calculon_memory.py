"""What one rank holds for a block equals Calculon's totals to the last byte, or differs by what CONVENTIONS says.

Its layers' own activation columns have no counterpart: a plan states the sum. That its flags give the totals that it
reports is a part of what `executed` is tested for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import pytest

from blueprint.ir.common import DType
from blueprint.ir.request import Request
from tests.oracles.calculon import (
    CASES,
    COMPARED,
    LISTED,
    MADE,
    Layered,
    Shape,
    exact,
    outside,
    overlapped,
    policy,
    request_of,
    rows,
    shape_of,
    sharded,
    share,
)
from tests.oracles.cases import Case
from tests.oracles.derived import Derived, derived, memory, passed

Facts = dict[str, int]


# What differs ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class At:
    """One total of a case, and what was derived for it: in its element type, and with more bytes an element."""

    case: Case
    ours: int
    wider: int | None

    @property
    def shape(self) -> Shape:
        return shape_of(self.case)

    @property
    def elements(self) -> int:
        """Elements that a total is about: half of what four bytes an element add to two."""
        assert self.wider is not None
        assert (self.wider - self.ours) % 2 == 0
        return (self.wider - self.ours) // 2


Size = Callable[[At], "int | Fraction"]


@dataclass(frozen=True)
class Convention:
    """What Calculon holds more than ours (less, if negative) in some totals, in bytes."""

    reason: str
    totals: tuple[str, ...]
    size: Size
    applies: Callable[[Case], bool] = lambda _: True


STORED = ("block_act_storage_space", "act_storage_by_rule")
WORKING = ("block_act_working_space",)


def _shape(formula: Callable[[Shape], int]) -> Size:
    return lambda at: formula(at.shape)


def _trained(case: Case) -> bool:
    return bool(case["exe"]["training"])


def _redoes(case: Case) -> bool:
    return bool(case["exe"]["seq_par_ag_redo"])


def _gathers(case: Case) -> bool:
    return shape_of(case).split and shape_of(case).t > 1


def _keeps(case: Case) -> bool:
    """Whether anything is stored at all."""
    return policy(case) != "full"


def _drops_attention_input(case: Case) -> bool:
    return _trained(case) and (policy(case) == "attn_only" or _redoes(case))


def _uneven(case: Case) -> bool:
    return sharded(case) and bool(shape_of(case).N % shape_of(case).D)


def _mean_share(width: Callable[[Shape], int]) -> Size:
    """Bytes of the parameters that the mean share has less than the largest."""

    def size(at: At) -> Fraction:
        shape = at.shape
        return width(shape) * (Fraction(shape.N, shape.D) - -(-shape.N // shape.D))

    return size


def _nothing_held(column: str) -> Size:
    """The whole total, as Calculon's own rows have it."""
    return lambda at: -sum((exact(row[column], at.case) for row in rows(at.case).values()), start=Fraction(0))


def _all_activations(shape: Shape) -> int:
    """Inputs of norms, residuals, three projections and, on several ranks, of the closing collectives."""
    closing = 2 * shape.r if shape.t > 1 else 0
    return (2 * shape.r + 4 * shape.r + 3 * shape.a + closing) * shape.e


CONVENTIONS = {
    "input forgotten": Convention(
        "where no shard is kept, Calculon takes inputs of projections for made again though no layer keeps what from:"
        " the attention's, 2sbh short of the paper's form, and under its redo on one rank the MLP's as well",
        STORED,
        lambda at: -at.shape.a * at.shape.e * (2 if _redoes(at.case) else 1),
        applies=lambda case: _keeps(case) and _drops_attention_input(case) and not _gathers(case),
    ),
    "attention input gathered once": Convention(
        "without its redo, and without recompute, Calculon stores the gathered tensor beside the shard",
        STORED,
        _shape(lambda s: s.a * s.e),
        applies=lambda case: _keeps(case) and _gathers(case) and not _drops_attention_input(case),
    ),
    "MLP input gathered once": Convention(
        "as for the attention; there a selective recompute changes nothing",
        STORED,
        _shape(lambda s: s.a * s.e),
        applies=lambda case: _keeps(case) and _gathers(case) and not (_trained(case) and _redoes(case)),
    ),
    "fused activation": Convention(
        "Calculon's fused GELU keeps no input; ours is not fused and keeps it",
        STORED,
        _shape(lambda s: -s.f * s.e),
        applies=lambda case: _keeps(case) and bool(case["exe"]["fused_activation"]),
    ),
    "fused activation, working": Convention(
        "as stored",
        WORKING,
        _shape(lambda s: -s.f * s.e),
        applies=lambda case: bool(case["exe"]["fused_activation"]),
    ),
    "closing collectives": Convention(
        "Calculon works on the inputs of the two closing collectives as well, which no gradient reads",
        WORKING,
        _shape(lambda s: 2 * s.r * s.e),
        applies=lambda case: shape_of(case).t > 1,
    ),
    "shards made again": Convention(
        "Calculon works on the two shards that are gathered; made again in full recompute, no gradient reads them",
        WORKING,
        _shape(lambda s: 2 * s.r * s.e),
        applies=lambda case: _gathers(case) and policy(case) == "full",
    ),
    "whole checkpoint": Convention(
        "Calculon's checkpoint is the whole input; ours the rank's share of it, as PyTorch keeps it",
        ("block_act_checkpoint_size",),
        _shape(lambda s: (s.a - s.r) * s.e),
        applies=lambda case: _gathers(case) and policy(case) == "full",
    ),
    "not trained": Convention(
        "without training Calculon adds up the inputs of all layers, stored or not: no such total is to be trusted",
        ("block_act_storage_space",),
        _shape(_all_activations),
        applies=lambda case: not _trained(case),
    ),
    "not trained, gradients": Convention(
        "an inference case holds no gradients; ours is a training block",
        ("block_weight_grad_space",),
        _nothing_held("weight_grad_bytes_sharded"),
        applies=lambda case: not _trained(case),
    ),
    "not trained, whole gradients": Convention(
        "as gradients in the low precision",
        ("block_weight_grad_space_no_sharding",),
        _nothing_held("weight_grad_bytes_unsharded"),
        applies=lambda case: not _trained(case),
    ),
    "not trained, optimizer": Convention(
        "an inference case holds no optimizer; ours is a training block",
        ("block_optimizer_space",),
        _nothing_held("optimizer_bytes"),
        applies=lambda case: not _trained(case),
    ),
    "share of the optimizer": Convention(
        "Calculon divides a sharded optimizer in fractions; ours counts the largest whole share",
        ("block_optimizer_space",),
        _mean_share(lambda s: s.o),
        applies=_uneven,
    ),
    "share of the gradients": Convention(
        "as of the optimizer",
        ("block_weight_grad_space",),
        _mean_share(lambda s: s.e),
        applies=_uneven,
    ),
    "one byte an element": Convention(
        "float8 is refused; every total but that of masks and of the optimizer is so many elements, and one byte less"
        " of each at float8",
        ("block_weight_space", "block_weight_grad_space", *STORED, *WORKING),
        lambda at: -at.elements,
        applies=lambda case: shape_of(case).e == 1,
    ),
}
"""Every difference between what Calculon and what our plan says that a rank holds. What is not listed is equal."""


# The comparison -------------------------------------------------------------------------------------------------------

TOTALS: dict[str, Callable[[Facts], int]] = {
    "block_weight_space": lambda facts: facts["weights"],
    "block_weight_grad_space": lambda facts: facts["gradients"],
    "block_optimizer_space": lambda facts: facts["optimizer"],
    "block_act_storage_space": lambda facts: facts["stored"],
    "act_storage_by_rule": lambda facts: facts["stored"],
    "block_act_checkpoint_size": lambda facts: facts["checkpoint"],
    # Calculon's working space is one block's whole activations; ours the part that is made again.
    "block_act_working_space": lambda facts: facts["stored"] + facts["working"] + facts["checkpoint"],
    "block_weight_grad_space_no_sharding": lambda facts: facts["whole_gradients"],
}
"""Calculon's totals -> ours."""

NOT_HELD = {"block_act_grad_space": "no law says which gradients of activations exist at the same time"}
"""Calculon's memory totals of a block that we have no fact for."""

Differences = dict[str, tuple[Fraction, Fraction]]
"""total -> ours with its conventions, Calculon's; where they are not equal."""


def _facts(case: Case, derivation: Callable[[Request], Derived], dtype: DType | None) -> Facts:
    """What our plans say that one rank holds; whole gradients are kept in four bytes, and by every rank."""
    whole = {**case, "exe": {**case["exe"], "optimizer_sharding": False}}
    gradients = memory(passed(request_of(whole, dtype, gradient_bytes=4)))["gradients"]
    return memory(derivation(request_of(case, dtype))) | {"whole_gradients": gradients}


def _both(case: Case, derivation: Callable[[Request], Derived]) -> tuple[Facts, Facts | None]:
    """The facts of a case; and where its element type has no law, with two bytes an element and with four."""
    if shape_of(case).e > 1:
        return _facts(case, derivation, None), None
    return _facts(case, derivation, DType.FLOAT16), _facts(case, derivation, DType.FLOAT32)


def _compared(case: Case) -> set[str]:
    """The totals to compare: the stored bytes by rule are given for training, and where anything is stored."""
    return set(TOTALS) - (set() if _trained(case) and _keeps(case) else {"act_storage_by_rule"})


def differences(case: Case, derivation: Callable[[Request], Derived] = derived, without: str = "") -> Differences:
    """What is unequal between a case and what was derived for it, the conventions but one taken into account."""
    facts, wider = _both(case, derivation)
    theirs = case["reported"] | case["derived"]
    found: Differences = {}
    for total in sorted(_compared(case)):
        ours = TOTALS[total](facts)
        at = At(case, ours, TOTALS[total](wider) if wider else None)
        adjusted = sum(
            convention.size(at)
            for name, convention in CONVENTIONS.items()
            if name != without and total in convention.totals and convention.applies(case)
        )
        if ours + adjusted != exact(theirs[total], case):
            found[total] = (Fraction(ours + adjusted), exact(theirs[total], case))
    return found


# Tests ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", COMPARED)
def test_a_rank_holds_what_calculon_says_but_for_the_conventions(case: Case) -> None:
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
    found = {total for case in applicable for total in differences(case, passed, without=name)}
    assert set(CONVENTIONS[name].totals) <= found


@pytest.mark.parametrize("case", CASES)
def test_no_memory_total_is_passed_over(case: Case) -> None:
    spaces = {key for key in case["reported"] if key.startswith("block_act_") or key.endswith("_space")}
    of_a_block = {key for key in spaces if key.startswith("block_")} | {"block_weight_grad_space_no_sharding"}
    assert of_a_block | {"act_storage_by_rule"} == set(TOTALS) | set(NOT_HELD)
    by_rule = case["derived"]["act_storage_by_rule"]
    assert (by_rule is None) is not _trained(case)


@pytest.mark.parametrize("case", COMPARED)
def test_every_layers_state_is_that_of_its_parameters(case: Case) -> None:
    """Bytes a parameter, from the plan; times the parameters of a layer, on the rank that holds the mean share."""
    shape = shape_of(case)
    narrow = None if shape.e > 1 else DType.FLOAT16
    layered, facts = Layered(passed(request_of(case, narrow))), _facts(case, passed, narrow)
    held = -(-shape.N // share(case))
    assert facts["parameters"] == shape.N
    a_weight, a_gradient = Fraction(facts["weights"], shape.N), Fraction(facts["gradients"], held)
    an_optimizer, a_whole = Fraction(facts["optimizer"], held), Fraction(facts["whole_gradients"], shape.N)
    if narrow:
        # One byte less of each, as the convention says.
        a_weight, a_gradient = a_weight - 1, a_gradient - 1
    for name, row in rows(case).items():
        count = layered.parameters(name)
        assert count * a_weight == row["weight_bytes"]
        assert count * a_whole == row["weight_grad_bytes_unsharded"]
        assert count * a_gradient / share(case) == exact(row["weight_grad_bytes_sharded"], case)
        assert count * an_optimizer / share(case) == exact(row["optimizer_bytes"], case)
