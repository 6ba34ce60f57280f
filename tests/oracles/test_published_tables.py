"""Our block's work, parameters and messages are a part of the totals that papers and other planners give for a model.

What they count besides, such as the vocabulary, stands in CONVENTIONS with its exact size. Their memory totals have a
test of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from blueprint.errors import NotCoveredError, UsageError
from blueprint.frontend.models import builtin
from blueprint.ir.common import Phase
from blueprint.ir.distributed import TaskKind
from blueprint.ir.model import OperationKind
from blueprint.ir.request import Activation, Communication, Recompute
from tests.oracles.cases import DATA, Case, cases, refused
from tests.oracles.derived import derived
from tests.oracles.jobs import ATTENTION, MLP, Convention, Job, Number, parameters, products, trained, unequal

NORMS = (OperationKind.ATTENTION_NORM, OperationKind.MLP_NORM)

CONVENTIONS = {
    "logits, trained": Convention(
        "the product with the vocabulary and its two gradients are outside a block's scope",
        lambda job: 6 * job.G * job.S * job.H * job.V,
    ),
    "logits": Convention(
        "the product with the vocabulary is outside a block's scope",
        lambda job: 2 * job.G * job.S * job.H * job.V,
    ),
    "embeddings": Convention(
        "the tables of tokens and positions are outside a block's scope",
        lambda job: (job.V + job.S) * job.H,
    ),
    "token embedding": Convention(
        "the table of tokens is outside a block's scope",
        lambda job: job.V * job.H,
    ),
    "final norm": Convention(
        "the norm after the last block, of one vector here, is outside a block's scope",
        lambda job: job.H,
    ),
    "norm without bias": Convention(
        "llm-analysis gives each norm one vector; a layer norm has two",
        lambda job: -2 * job.H * job.L,
    ),
    "printed factor": Convention(
        "the paper prints 1 + S/3H for selective recompute where 1 + 2S/9H holds, as an author says: it is wrong by"
        " a third of the core's operations, forward twice and backward",
        lambda job: 8 * job.G * job.S**2 * job.h * job.d * job.L,
    ),
    "causal half": Convention(
        "half of the scores is not counted because of the causal mask; ours counts every score",
        lambda job: -6 * job.G * job.S**2 * job.h * job.d * job.L,
    ),
}
"""Every difference between the totals of others and ours. What is not listed is equal."""


# Jobs -----------------------------------------------------------------------------------------------------------------


def narayanan_job(row: Case) -> Job:
    """A row of Narayanan et al. 2021, table 1: F = 4H, hd = H."""
    assert row["dp"] * row["t"] * row["p"] == row["gpus"]
    return Job(
        B=row["micro_batch"],
        G=row["global_batch"],
        S=row["S"],
        H=row["h"],
        F=4 * row["h"],
        h=row["a"],
        d=row["h"] // row["a"],
        L=row["l"],
        V=row["V"],
        t=row["t"],
        p=row["p"],
        D=row["dp"],
    )


def korthikanti_job(row: Case) -> Job:
    """A model of Korthikanti et al. 2022, table 3: F = 4H, hd = H."""
    return Job(
        B=row["micro_batch"],
        G=row["global_batch"],
        S=row["s"],
        H=row["h"],
        F=4 * row["h"],
        h=row["a"],
        d=row["h"] // row["a"],
        L=row["L"],
        V=row["v"],
        t=row["t"],
        p=row["p"],
        D=row["gpus"] // (row["t"] * row["p"]),
    )


def megatron_job(case: Case) -> Job:
    """A case of Megatron-LM's own functions."""
    args = case["args"]
    degree = args.get("dp", 1)
    assert case["global_batch"] == args["mbs"] * degree * case["num_microbatches"]
    return Job(
        B=args["mbs"],
        G=case["global_batch"],
        S=args["S"],
        H=args["H"],
        F=args["F"],
        h=args["h"],
        d=args["H"] // args["h"],
        L=args["L"],
        V=args["V"],
        t=args["t"],
        p=args.get("p", 1),
        D=degree,
    )


def analysis_job(case: Case) -> Job:
    """A case of llm-analysis."""
    cfg = case["cfg"]
    sizes = {letter: cfg[letter] for letter in ("H", "F", "h", "L", "V", "t")}
    return Job(B=case["b"], G=case["b"], S=case["s"], d=cfg["H"] // cfg["h"], **sizes)


# Numbers --------------------------------------------------------------------------------------------------------------


def narayanan(row: Case) -> list[Number]:
    job = narayanan_job(row)
    blocks = parameters(derived(job.request(Recompute.FULL)))
    return [
        Number("flops_per_iteration_eq3", job, trained(job, Recompute.FULL), row["flops_per_iteration_eq3"], LOGITS),
        Number("params_eq2", job, blocks * job.L, row["params_eq2"], ("embeddings",)),
    ]


def korthikanti(row: Case) -> list[Number]:
    job = korthikanti_job(row)
    stored, selective = trained(job, Recompute.NONE), trained(job, Recompute.SELECTIVE)
    printed = (*LOGITS, "printed factor")
    return [
        Number("model_flops", job, stored, row["model_flops"], LOGITS),
        Number("hardware_flops_corrected", job, selective, row["hardware_flops_corrected"], LOGITS),
        Number("hardware_flops_as_published", job, selective, row["hardware_flops_as_published"], printed),
    ]


def megatron(case: Case) -> list[Number]:
    job = megatron_job(case)
    ours, theirs = trained(job, Recompute.NONE), case["flops_per_iteration"]
    return [Number("flops_per_iteration", job, ours, theirs, (*LOGITS, "causal half"))]


def analysis(case: Case) -> list[Number]:
    job = analysis_job(case)
    emitted = derived(job.request())
    attention, mlp = (job.t * products(emitted, (Phase.FORWARD,), kinds) for kinds in (ATTENTION, MLP))
    forward = job.all_blocks(products(emitted, (Phase.FORWARD,)))
    unbiased = derived(job.request(biases=False))
    others = ("token embedding", "norm without bias", "final norm")
    return [
        Number("fwd_flops_per_layer_attn", job, attention, case["fwd_flops_per_layer_attn"]),
        Number("fwd_flops_per_layer_mlp", job, mlp, case["fwd_flops_per_layer_mlp"]),
        Number("fwd_flops_total", job, forward, case["fwd_flops_total"], ("logits",)),
        Number("params_per_layer_attn", job, parameters(unbiased, ATTENTION), case["params_per_layer_attn"]),
        Number("params_per_layer_mlp", job, parameters(unbiased, MLP), case["params_per_layer_mlp"]),
        Number("params_total", job, parameters(unbiased) * job.L, case["params_total"], others),
    ]


def huggingface(case: Case) -> list[Number]:
    """A prefill's products are those of a forward pass; the logits of every position are counted."""
    model, numbers = builtin(case["model"]), []
    for name, found in case.items():
        if not name.startswith("prefill_"):
            continue
        batch, length = (int(part[1:]) for part in name.removeprefix("prefill_").split("_"))
        job = Job(
            B=batch,
            G=batch,
            S=length,
            H=model.hidden,
            F=model.feedforward,
            h=model.heads,
            d=model.head_width,
            L=model.layers,
            V=model.vocabulary,
        )
        forward = job.all_blocks(products(derived(job.request()), (Phase.FORWARD,)))
        numbers.append(Number(name, job, forward, found["flops"], ("logits",)))
    return numbers


LOGITS = ("logits, trained",)


# What no law covers ---------------------------------------------------------------------------------------------------


def _classical(_: Case) -> bool:
    """Whether these are always classical blocks."""
    return False


def _grouped_or_gated(shape: Mapping[str, Any], model: str) -> bool:
    """Whether a shape has grouped queries or a gated feed-forward network; then that it is refused is checked here."""
    grouped = shape.get("kv", shape["h"]) != shape["h"]
    gated = bool(shape.get("swiglu") or shape.get("gated"))
    if grouped:
        heads = {"h": shape["h"], "d": shape["H"] // shape["h"], "t": 1}
        job = Job(B=1, G=1, S=1, L=1, V=1, H=shape["H"], F=shape["F"], **heads)
        with pytest.raises(NotCoveredError, match="key/value heads"):
            job.request(key_value_heads=shape["kv"])
    if gated:
        with pytest.raises(UsageError):
            builtin(model)
        assert {each.value for each in Activation} == {"gelu"}
    return grouped or gated


def _unknown_model(case: Case) -> bool:
    """Whether a model is not built in; then it is refused by name."""
    try:
        builtin(case["model"])
    except UsageError as refusal:
        return case["model"] in refusal.message
    return False


# Sources --------------------------------------------------------------------------------------------------------------

SIZES = {"id", "model", "a", "h", "L", "l", "s", "S", "v", "V", "t", "p", "gpus", "dp", "global_batch", "micro_batch"}
INFERENCE = "of inference, compared in test_published_inference.py"
TIME = "a time, or made of one"
MEMORY = "memory"
STACK = "memory of a stage: a block is not a stage"


@dataclass(frozen=True)
class Source:
    """A table of numbers: where it stands, what of it is compared and why the rest is not."""

    stem: str
    field: str
    numbers: Callable[[Case], list[Number]]
    outside: Callable[[Case], bool]
    given: set[str]
    rest: Mapping[str, str]


SOURCES = {
    "narayanan": Source(
        "published_tables",
        "narayanan_table1",
        narayanan,
        _classical,
        SIZES,
        {
            "params_billion_published": "rounded",
            "layers_per_virtual_stage": "a schedule",
            "tflops_per_gpu_published": TIME,
            "percent_of_peak_published": TIME,
            "aggregate_pflops_published": TIME,
            "iteration_seconds_implied": TIME,
        },
    ),
    "korthikanti": Source(
        "published_tables",
        "korthikanti",
        korthikanti,
        _classical,
        SIZES,
        {
            "interleave": "a schedule",
            "per_layer_activation_bytes": MEMORY,
            "first_stage_layers_in_flight": STACK,
            "seconds_full_recompute_published": TIME,
            "seconds_selective_sp_published": TIME,
            "throughput_gain_percent_published": TIME,
            "mfu_percent_published": TIME,
            "hfu_percent_published": TIME,
            "mfu_recomputed": TIME,
            "hfu_recomputed_published_eq": TIME,
            "hfu_recomputed_corrected_eq": TIME,
        },
    ),
    "megatron": Source(
        "megatron_functions",
        "cases",
        megatron,
        lambda case: _grouped_or_gated(case["args"], case["model"]),
        {"id", "model", "args", "global_batch", "num_microbatches"},
        {
            "weight_and_optimizer_bytes": MEMORY,
            "activation_bytes_sp_selective": MEMORY,
            "activation_bytes_no_sp": "an overhead of 5 percent, and no term of F: an estimate of another thing",
        },
    ),
    "llm-analysis": Source(
        "llm_analysis_cases",
        "cases",
        analysis,
        lambda case: _grouped_or_gated(case["cfg"], case["model"]),
        {"id", "model", "cfg", "b", "s", "generated"},
        {
            "decode_fwd_flops_total_as_reported": INFERENCE,
            "kv_bytes_per_layer": INFERENCE,
            "infer_prefill_act_per_layer_noflash": INFERENCE,
            "infer_decode_act_per_layer_noflash": INFERENCE,
            "train_act_none": MEMORY,
            "train_act_attn_compute": MEMORY,
            "train_act_full": MEMORY,
        },
    ),
    "transformers": Source(
        "hf_forward_counts",
        "cases",
        huggingface,
        _unknown_model,
        {"id", "model", "e"},
        {"kv_bytes": INFERENCE, "decode": INFERENCE},
    ),
}

ROWS = {
    f"{name}-{case.id}": (source, case.values[0])
    for name, source in SOURCES.items()
    for case in cases(source.stem, source.field)
}
TABLES = [pytest.param(*row, id=name) for name, row in ROWS.items()]


@pytest.mark.parametrize(("source", "case"), TABLES)
def test_every_total_is_ours_and_the_conventions(source: Source, case: Case) -> None:
    if source.outside(case):
        return
    numbers = source.numbers(case)
    assert numbers
    assert unequal(numbers, CONVENTIONS) == {}


@pytest.mark.parametrize(("source", "case"), TABLES)
def test_every_field_is_compared_or_has_a_reason(source: Source, case: Case) -> None:
    if source.outside(case):
        return
    compared = {number.name for number in source.numbers(case)}
    other = {name for name in set(case) - compared - source.given if not name.startswith("decode_B")}
    assert other <= set(source.rest)
    assert all(source.rest.values())


@pytest.mark.parametrize("name", CONVENTIONS)
def test_every_convention_is_needed(name: str) -> None:
    """Wherever it is named, the number differs without it."""
    covered = [(source, case) for source, case in ROWS.values() if not source.outside(case)]
    numbers = [number for source, case in covered for number in source.numbers(case) if name in number.conventions]
    assert numbers
    assert all(unequal([number], CONVENTIONS, without=name) for number in numbers)


@pytest.mark.parametrize("source", SOURCES.values(), ids=list(SOURCES))
def test_some_case_of_every_source_is_covered(source: Source) -> None:
    assert not all(source.outside(case.values[0]) for case in cases(source.stem, source.field))


def test_the_printed_hardware_flops_are_not_ours() -> None:
    """By exactly 8GS²HL, which is half of the scores' and the context's recompute and forward work."""
    for case in (each.values[0] for each in cases("published_tables", "korthikanti")):
        job = korthikanti_job(case)
        ours = trained(job, Recompute.SELECTIVE) + CONVENTIONS["logits, trained"].size(job)
        assert ours == case["hardware_flops_corrected"]
        assert case["hardware_flops_as_published"] - ours == 8 * job.G * job.S**2 * job.H * job.L


# Recorded collectives -------------------------------------------------------------------------------------------------

ENTERS, LEAVES = NORMS, (OperationKind.OUTPUT_PROJECTION, OperationKind.DOWN_PROJECTION)

STAGES = {
    ("forward.MegatronColumnLinear", Phase.FORWARD, ENTERS),
    ("forward.MegatronRowLinear", Phase.FORWARD, LEAVES),
    ("backward.MegatronColumnLinear", Phase.ACTIVATION_GRADIENT, ENTERS),
    ("backward.MegatronColumnLinear", Phase.RECOMMUNICATION, ENTERS),
    ("backward.MegatronRowLinear", Phase.ACTIVATION_GRADIENT, LEAVES),
}
"""AICB's stages inside a block -> the phase of our collectives and the operations whose result they communicate."""

OUTSIDE_BLOCK = {
    "forward.MegatronEmbedding": "the vocabulary is outside a block's scope",
    "backward.MegatronEmbedding": "the vocabulary is outside a block's scope",
    "forward_step._VocabParallelCrossEntropy": "the loss is outside a block's scope",
    "forward_step": "the input's broadcast is outside a block's scope",
    "step.check_for_nan": "a check of the run, not of the model",
    "step._allreduce_layernorm_grads": "one a step, of all norms: a law of the stack",
}
"""AICB's other stages of the tensor-parallel group, and why no task of a block stands for them."""

RECORDED = cases("aicb_collectives")
NEEDED = ("L", "H", "h", "S", "F", "t", "p", "mbs", "sp")


@pytest.mark.parametrize("case", RECORDED)
def test_recorded_collectives_are_ours_of_every_block(case: Case) -> None:
    """Kind, message and number, of all blocks and microbatches; none of ours is missing and no other is there."""
    config = case["config"]
    tensor = [row for row in case["first_iteration"] if row["group"] == "tp_group"]
    inside = [row for row in tensor if row["stage"] in {stage for stage, _, _ in STAGES}]
    assert {row["stage"] for row in tensor if row not in inside} <= set(OUTSIDE_BLOCK)
    unknown = [letter for letter in NEEDED if config.get(letter) is None]
    if unknown:
        # Without its shape there is no request to derive: the file leaves it blank.
        assert set(unknown) <= set(config)
        return
    # The embedding is looked up once a microbatch.
    (microbatches,) = {row["count"] for row in tensor if row["stage"] == "forward.MegatronEmbedding"}
    sizes = {letter: config[letter] for letter in ("S", "H", "F", "h", "L", "t", "p")}
    batch = config["mbs"]
    job = Job(B=batch, G=batch * microbatches, V=1, d=config["H"] // config["h"], **sizes)
    communication = Communication.SEQUENCE_PARALLEL if config["sp"] else Communication.ALL_REDUCE
    emitted = derived(job.request(communication=communication))
    ours: Counter[tuple[str, str, int]] = Counter()
    for stage, phase, kinds in STAGES:
        for task in emitted.tasks((phase,), (), kinds):
            if task.kind is TaskKind.COLLECTIVE:
                assert task.collective
                message = task.work.message_bytes
                ours[stage, task.collective.kind.value, message] += microbatches * job.L // job.p
    theirs = {(row["stage"], row["collective"], int(row["message_bytes"])): row["count"] for row in inside}
    assert ours == theirs
    collectives = [task for task in emitted.distributed.tasks if task.kind is TaskKind.COLLECTIVE]
    assert sum(ours.values()) == len(collectives) * microbatches * job.L // job.p


def test_some_recorded_shape_is_known() -> None:
    assert any(all(case.values[0]["config"].get(letter) is not None for letter in NEEDED) for case in RECORDED)


# Known slips ----------------------------------------------------------------------------------------------------------

KNOWN_WRONG = cases("known_wrong_cases")
MUST_REFUSE = cases("known_wrong_cases", "must_refuse")

SCORES_AND_CONTEXT = "scaled_dot_product_attention FLOPs"
CORES = [each for each in KNOWN_WRONG if each.values[0]["quantity"].startswith(SCORES_AND_CONTEXT)]

READ_ELSEWHERE = {
    "recompute FLOPs per block": "with the cases of Calculon",
    "decode FLOPs": INFERENCE,
    "KV cache": INFERENCE,
}
"""Beginnings of quantities that are not compared here, and where or why not."""


def test_every_known_slip_is_compared_or_has_a_reason() -> None:
    for case in (each.values[0] for each in KNOWN_WRONG if each.id.startswith(DATA.name)):
        assert case["quantity"].startswith((SCORES_AND_CONTEXT, *READ_ELSEWHERE))


@pytest.mark.parametrize("case", CORES)
def test_the_attention_core_is_counted(case: Case) -> None:
    """One product of queries and keys and one with the values: never nothing."""
    sizes = case["inputs"]
    width = sizes["h"] * sizes["d"]
    job = Job(G=sizes["B"], H=width, F=4 * width, L=1, V=1, **{each: sizes[each] for each in ("B", "S", "h", "d")})
    core = products(derived(job.request()), (Phase.FORWARD,), (OperationKind.SCORES, OperationKind.CONTEXT))
    assert core == case["right"]
    assert core != case["wrong"]


@pytest.mark.parametrize("case", [each for each in MUST_REFUSE if set(each.values[0]) == {*"HFht", "id", "why"}])
def test_shapes_that_must_be_refused_are(case: Case) -> None:
    degree = case["t"]
    assert refused(case | {"B": 1, "S": degree, "d": case["H"] // case["h"]}, Communication.ALL_REDUCE)
    assert refused(case | {"B": 1, "S": degree, "d": case["H"] // case["h"]}, Communication.SEQUENCE_PARALLEL)


def test_there_are_slips_and_shapes_to_refuse() -> None:
    assert CORES
    assert MUST_REFUSE
