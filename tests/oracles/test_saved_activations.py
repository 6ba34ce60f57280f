"""What a block stores, and the model's state, equal what PyTorch keeps and what papers and other planners give.

To the byte; what others count besides stands in CONVENTIONS with its exact size.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blueprint.ir.request import Communication, Recompute
from tests.oracles.cases import Case, cases, has_fields, refused, request_of
from tests.oracles.derived import derived, memory, passed
from tests.oracles.jobs import Convention, Job, Number, unequal
from tests.oracles.test_published_tables import SOURCES, Source, analysis_job, korthikanti_job, megatron_job

POLICIES = {"none": Recompute.NONE, "attn_only": Recompute.SELECTIVE, "full": Recompute.FULL}

SAVED = cases("torch_saved_activations")
RESULTS = ("seq_par", "recompute", "saved_bytes", "saved_minus_fp32_stats", "by_dtype", "published_formula_bytes")


def _communication(*, split: bool) -> Communication:
    return Communication.SEQUENCE_PARALLEL if split else Communication.ALL_REDUCE


# PyTorch --------------------------------------------------------------------------------------------------------------


def _statistics(case: Case) -> int:
    """Bytes of the mean and the deviation of every row of both norms in fp32; ours counts no statistics."""
    if case["recompute"] == "full":
        return 0
    tokens = int(case["B"] * case["S"])
    return 2 * 2 * 4 * (tokens // case["t"] if case["seq_par"] else tokens)


@pytest.mark.parametrize("case", SAVED)
def test_what_is_stored_is_what_torch_keeps(case: Case) -> None:
    assert has_fields(case, *RESULTS)
    communication = _communication(split=case["seq_par"])
    if refused(case, communication):
        return
    facts = memory(derived(request_of(case, communication, POLICIES[case["recompute"]])))
    kept = facts["stored"] + facts["checkpoint"]
    assert kept == case["saved_minus_fp32_stats"]
    assert kept + _statistics(case) == case["saved_bytes"] == sum(case["by_dtype"].values())
    assert _statistics(case) == case["by_dtype"].get("fp32_layernorm_stats", 0)
    # The published form is of F = 4H and hd = H.
    classical = case["F"] == 4 * case["H"] and case["h"] * case["d"] == case["H"]
    assert case["published_formula_bytes"] == (kept if classical else None)


@pytest.mark.parametrize("case", SAVED)
def test_only_full_recompute_keeps_a_checkpoint(case: Case) -> None:
    communication = _communication(split=case["seq_par"])
    if refused(case, communication):
        return
    facts = memory(passed(request_of(case, communication, POLICIES[case["recompute"]])))
    assert (facts["checkpoint"] > 0) is (case["recompute"] == "full")
    assert (facts["stored"] > 0) is (case["recompute"] != "full")


def test_there_are_cases_of_every_policy_and_way_to_communicate() -> None:
    shown = {(case.values[0]["recompute"], case.values[0]["seq_par"]) for case in SAVED}
    assert shown == {(policy, split) for policy in POLICIES for split in (True, False)}


# Papers and planners --------------------------------------------------------------------------------------------------

CONVENTIONS = {
    "MLP dropout mask": Convention(
        "llm-analysis leaves out the one-byte mask of the dropout after the MLP",
        lambda job: -job.a,
    ),
    "divided checkpoint": Convention(
        "llm-analysis divides the block's input over the ranks without sequence parallelism; ours is whole then",
        lambda job: -2 * job.a * (job.t - 1) // job.t,
    ),
    "embedding, stored": Convention(
        "Megatron-LM adds the tokens' numbers, of 8 bytes, and the mask of the dropout after the embedding, for every"
        " microbatch in flight: outside a block's scope",
        lambda job: (8 * job.B * job.S * job.p + job.a * job.p) // job.t,
    ),
    "logits, stored": Convention(
        "Megatron-LM adds the final norm's and the vocabulary product's inputs, in 4 bytes: outside a block's scope",
        lambda job: 4 * job.B * job.S * (job.H + job.V) // job.t,
    ),
    "embedding, state": Convention(
        "the table of tokens is outside a block's scope; 18 bytes a parameter",
        lambda job: 18 * job.V * job.H // job.t,
    ),
    "final norm, state": Convention(
        "the norm after the last block is outside a block's scope; 18 bytes a parameter, on every rank",
        lambda job: 18 * 2 * job.H,
    ),
}
"""Every difference between the memory totals of others and ours, in bytes. What is not listed is equal."""


def _kept(job: Job, recompute: Recompute, *, split: bool = False) -> int:
    """Bytes that a block stores of one microbatch."""
    facts = memory(derived(job.request(recompute, _communication(split=split))))
    return facts["stored"] + facts["checkpoint"]


def korthikanti(row: Case) -> list[Number]:
    """Table 2 of the paper, evaluated for its models."""
    job, found = korthikanti_job(row), row["per_layer_activation_bytes"]
    alone = Job(**{**vars(job), "t": 1, "p": 1, "D": 1})
    forms = {
        "no_parallel": _kept(alone, Recompute.NONE),
        "tp": _kept(job, Recompute.NONE),
        "tp_sp": _kept(job, Recompute.NONE, split=True),
        "tp_selective": _kept(job, Recompute.SELECTIVE),
        "tp_sp_selective": _kept(job, Recompute.SELECTIVE, split=True),
        "full": _kept(job, Recompute.FULL),
    }
    assert set(found) == set(forms)
    return [Number(name, job, ours, found[name]) for name, ours in forms.items()]


def megatron(case: Case) -> list[Number]:
    """One stage: with more of them, Megatron-LM's totals are of the first, with its schedule."""
    job = megatron_job(case)
    if job.p > 1:
        return []
    state = memory(passed(job.request(biases=False, gradient_bytes=4)))
    weights = job.L * (state["weights"] + state["gradients"] + state["optimizer"])
    stored = job.L * _kept(job, Recompute.SELECTIVE, split=True)
    ends, tables = ("embedding, stored", "logits, stored"), ("embedding, state", "final norm, state")
    return [
        Number("weight_and_optimizer_bytes", job, weights, case["weight_and_optimizer_bytes"], tables),
        Number("activation_bytes_sp_selective", job, stored, case["activation_bytes_sp_selective"], ends),
    ]


def analysis(case: Case) -> list[Number]:
    job = analysis_job(case)
    names = {"train_act_none": Recompute.NONE, "train_act_attn_compute": Recompute.SELECTIVE}
    numbers = [
        Number(name, job, _kept(job, recompute), case[name]["total"], ("MLP dropout mask",))
        for name, recompute in names.items()
    ]
    whole = _kept(job, Recompute.FULL)
    numbers.append(Number("train_act_full", job, whole, case["train_act_full"]["total"], ("divided checkpoint",)))
    for name in (*names, "train_act_full"):
        parts = dict(case[name])
        assert parts.pop("total") == sum(parts.values())
    return numbers


Numbers = Callable[[Case], list[Number]]

COUNTED: dict[str, Numbers] = {"korthikanti": korthikanti, "megatron": megatron, "llm-analysis": analysis}

ROWS: dict[str, tuple[Source, Numbers, Case]] = {
    f"{name}-{case.id}": (SOURCES[name], numbers, case.values[0])
    for name, numbers in COUNTED.items()
    for case in cases(SOURCES[name].stem, SOURCES[name].field)
}


@pytest.mark.parametrize("name", ROWS)
def test_every_memory_total_is_ours_and_the_conventions(name: str) -> None:
    source, numbers, case = ROWS[name]
    if source.outside(case):
        return
    assert unequal(numbers(case), CONVENTIONS) == {}


@pytest.mark.parametrize("name", CONVENTIONS)
def test_every_convention_is_needed(name: str) -> None:
    """Wherever it is named, the number differs without it."""
    covered = [(numbers, case) for source, numbers, case in ROWS.values() if not source.outside(case)]
    found = [each for numbers, case in covered for each in numbers(case) if name in each.conventions]
    # On one rank there is nothing to divide.
    found = [each for each in found if CONVENTIONS[name].size(each.job)]
    assert found
    assert all(unequal([each], CONVENTIONS, without=name) for each in found)


@pytest.mark.parametrize("name", COUNTED)
def test_some_case_of_every_source_is_covered(name: str) -> None:
    rows = [row for key, row in ROWS.items() if key.startswith(f"{name}-")]
    assert any(numbers(case) for source, numbers, case in rows if not source.outside(case))
