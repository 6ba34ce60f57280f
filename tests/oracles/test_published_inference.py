"""A step of our block is a part of what other planners count of a whole model's step: work, caches, bytes.

What they count besides, such as the vocabulary, stands in CONVENTIONS with its exact size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from blueprint import cli
from blueprint.exit import ExitCode
from blueprint.frontend.models import BUILTIN, builtin
from blueprint.ir.common import Branch
from blueprint.ir.distributed import EffectKind
from blueprint.ir.model import OperationKind
from tests.oracles.cases import Case, cases
from tests.oracles.inferred import (
    QKV,
    Step,
    effects,
    emitted_step,
    inferred,
    memory,
    parameter_bytes,
    products,
    tasks,
    uncovered,
)


class Run(NamedTuple):
    """One step of a model of L layers and a vocabulary of V entries."""

    step: Step
    L: int
    V: int


@dataclass(frozen=True)
class Convention:
    """What others count more than ours (less, if negative), and why."""

    reason: str
    size: Callable[[Run], int]


def _tokens(run: Run) -> int:
    return run.step.b * run.step.q


def _wide(run: Run) -> int:
    """Bytes of the feed-forward rows of all layers on one rank."""
    return _tokens(run) * run.step.F // run.step.t * run.step.e * run.L


CONVENTIONS = {
    "logits": Convention(
        "the product with the vocabulary is outside a block's scope",
        lambda run: 2 * _tokens(run) * run.step.H * run.V,
    ),
    "context lost": Convention(
        "llm-analysis prices a decode step as a prompt of one token, so that attention over the cache is lost",
        lambda run: -4 * run.step.b * (run.step.c - 1) * run.step.h * run.step.d * run.L,
    ),
    "scores and probabilities": Convention(
        "llm-analysis holds scores and probabilities at once, ours one intermediate and the rows of the stream",
        lambda run: (
            run.step.b * run.step.h // run.step.t * run.step.q * run.step.c * run.step.e
            - _tokens(run) * run.step.H * run.step.e
        ),
    ),
    "input read once": Convention(
        "one product for q, k and v reads its input once; ours are three and read it three times",
        lambda run: -2 * _tokens(run) * run.step.H * run.step.e * run.L,
    ),
    "probabilities unread": Convention(
        "vLLM's scores never leave the kernel",
        lambda run: -run.step.b * run.step.h // run.step.t * run.step.q * run.step.c * run.step.e * run.L,
    ),
    "gate": Convention(
        "vLLM's feed-forward network always has a gate, a third matrix",
        lambda run: 2 * _tokens(run) * run.step.H * run.step.F // run.step.t * run.L,
    ),
    "gate's matrix": Convention(
        "vLLM's feed-forward network always has a gate, a third matrix",
        lambda run: run.step.H * run.step.F // run.step.t * run.step.e * run.L,
    ),
    "gate's rows": Convention("a gate has as many columns as what it is multiplied with", _wide),
}
"""Every difference between the numbers of others and ours. What is not listed is equal."""


@dataclass(frozen=True)
class Number:
    """One number of ours beside that of others, and the names of the conventions between them."""

    name: str
    run: Run
    ours: int
    theirs: float
    conventions: tuple[str, ...] = field(default=())

    def holds(self, without: str = "") -> bool:
        """Whether the two are equal once the conventions, but one, are taken into account."""
        more = sum(CONVENTIONS[name].size(self.run) for name in self.conventions if name != without)
        return self.ours + more == self.theirs


# transformers ---------------------------------------------------------------------------------------------------------


def _transformers(case: Case) -> Iterator[Number]:
    """One forward pass: a prompt, or a new token over a cache; logits of every position."""
    model = builtin(case["model"])
    for name, found in case.items():
        if name in {"id", "model", "e"}:
            continue
        phase, batch, length = name.split("_")
        tokens = int(length[1:])
        assert (phase, length[0]) in {("prefill", "S"), ("decode", "c")}
        step = Step(
            b=int(batch[1:]),
            q=tokens if phase == "prefill" else 1,
            c=tokens,
            H=model.hidden,
            F=model.feedforward,
            h=model.heads,
            k=model.key_value_heads,
            d=model.head_width,
            t=1,
            e=case["e"],
        )
        run, emitted = Run(step, model.layers, model.vocabulary), emitted_step(step)
        yield Number(f"{name}.flops", run, products(emitted) * run.L, found["flops"], ("logits",))
        yield Number(f"{name}.kv_bytes", run, memory(emitted).kv * run.L, found["kv_bytes"])
        assert set(found) == {"flops", "kv_bytes"}


TRANSFORMERS = {case.id: case.values[0] for case in cases("hf_forward_counts")}


# llm-analysis ---------------------------------------------------------------------------------------------------------


def _analysis_step(case: Case, queries: int, context: int) -> Step:
    cfg = case["cfg"]
    sizes = {letter: cfg[letter] for letter in ("H", "F", "h", "t")}
    return Step(b=case["b"], q=queries, c=context, k=cfg.get("kv", cfg["h"]), d=cfg["H"] // cfg["h"], **sizes)


def _analysis(case: Case) -> Iterator[Number]:
    """A prompt of s tokens, then `generated` more; memory of one rank and one layer, operations of all."""
    cfg, prompt, last = case["cfg"], case["s"], case["s"] + case["generated"]
    first, decode = (_analysis_step(case, *each) for each in ((prompt, prompt), (1, last)))
    emitted = inferred(decode.request(prompt=prompt))
    start, end = Run(first, cfg["L"], cfg["V"]), Run(decode, cfg["L"], cfg["V"])
    worked = products(emitted[Branch.FINAL_DECODE]) * decode.t * cfg["L"]
    reported = case["decode_fwd_flops_total_as_reported"]
    yield Number("decode_fwd_flops_total_as_reported", end, worked, reported, ("logits", "context lost"))
    yield Number("kv_bytes_per_layer", end, memory(emitted[Branch.FINAL_DECODE]).kv, case["kv_bytes_per_layer"])
    held, theirs = memory(emitted[Branch.PREFILL]).workspace, case["infer_prefill_act_per_layer_noflash"]
    scores = first.b * first.h // first.t * first.q * first.c * first.e
    if held == memory(emitted[Branch.PREFILL]).boundary + scores:
        # Else another intermediate is the largest, by either count or by one.
        yield Number("infer_prefill_act_per_layer_noflash", start, held, theirs, ("scores and probabilities",))


ANALYSIS = {case.id: case.values[0] for case in cases("llm_analysis_cases")}

OF_INFERENCE = {
    "infer_decode_act_per_layer_noflash": "of a prompt of one token: the context is lost as in its operations",
}
"""Fields of llm-analysis about inference that are not compared, and why."""


def _gated(case: Case) -> bool:
    return bool(case["cfg"].get("gated") or case["cfg"].get("swiglu"))


# vLLM -----------------------------------------------------------------------------------------------------------------


def _vllm_step(case: Case, queries: int, context: int, sequences: int) -> Step:
    sizes = {letter: case[letter] for letter in ("H", "F", "d", "t", "e")}
    return Step(b=sequences, q=queries, c=context, h=case["heads"], k=case["kv_heads"], **sizes)


def _points(case: Case) -> set[tuple[int, int]]:
    """The new and the visible tokens of each request."""
    return {(each["new_tokens"], each["context"]) for each in case["requests"]}


def _vllm(case: Case) -> Iterator[Number]:
    """One step of equal requests on one device: all layers of its stage, weights read once."""
    ((queries, context),) = _points(case)
    step = _vllm_step(case, queries, context, len(case["requests"]))
    emitted, run = inferred(step.request(biases=False))[step.branch], Run(step, case["L"] // case["p"], case["V"])

    def of(kinds: tuple[OperationKind, ...], what: str) -> int:
        found = tasks(emitted, kinds)
        weights = parameter_bytes(emitted, found)
        read, written = sum(task.work.read_bytes for task in found), sum(task.work.write_bytes for task in found)
        counts = {"weights": weights, "activations": read - weights, "written": written}
        counts["flops"] = products(emitted, kinds)
        return counts[what] * run.L

    core = (OperationKind.SCORES, OperationKind.CONTEXT)
    out, up = (OperationKind.OUTPUT_PROJECTION,), (OperationKind.UP_PROJECTION,)
    gelu, down = (OperationKind.ACTIVATION,), (OperationKind.DOWN_PROJECTION,)
    appended = effects(emitted.distributed.tasks, EffectKind.KV_WRITE) * run.L
    rows: dict[str, tuple[int, tuple[str, ...]]] = {
        "attn.flops.qkv_proj": (of(QKV, "flops"), ()),
        "attn.flops.out_proj": (of(out, "flops"), ()),
        "attn.flops.attn_qk": (of(core[:1], "flops"), ()),
        "attn.flops.attn_av": (of(core[1:], "flops"), ()),
        "attn.read_bytes.qkv_input": (of(QKV, "activations"), ("input read once",)),
        "attn.read_bytes.qkv_weight": (of(QKV, "weights"), ()),
        "attn.read_bytes.attn_input": (of(core, "activations"), ("probabilities unread",)),
        "attn.read_bytes.out_input": (of(out, "activations"), ()),
        "attn.read_bytes.out_weight": (of(out, "weights"), ()),
        "attn.write_bytes.qkv_output": (of(QKV, "written"), ()),
        "attn.write_bytes.kv_cache": (appended, ()),
        "attn.write_bytes.out_output": (of(out, "written"), ()),
        "ffn.flops.dense_ffn": (of(up, "flops") + of(down, "flops"), ("gate",)),
        "ffn.read_bytes.dense_up_gate_input": (of(up, "activations"), ()),
        "ffn.read_bytes.dense_up_gate_weights": (of(up, "weights"), ("gate's matrix",)),
        "ffn.read_bytes.dense_silu_input": (of(gelu, "activations"), ("gate's rows",)),
        "ffn.read_bytes.dense_down_input": (of(down, "activations"), ()),
        "ffn.read_bytes.dense_down_weights": (of(down, "weights"), ()),
        "ffn.write_bytes.dense_up_gate_output": (of(up, "written"), ("gate's rows",)),
        "ffn.write_bytes.dense_silu_output": (of(gelu, "written"), ()),
        "ffn.write_bytes.dense_down_output": (of(down, "written"), ()),
    }
    theirs = _flat(case)
    assert set(theirs) == set(rows)
    for name, (ours, conventions) in rows.items():
        yield Number(name, run, ours, theirs[name], conventions)


def _flat(case: Case) -> dict[str, int]:
    """vLLM's counts by path; the vocabulary is outside a block's scope."""
    return {
        f"{part}.{kind}.{name}": size
        for part, kinds in case["per_gpu"].items()
        if part != "unembed"
        for kind, names in kinds.items()
        for name, size in names.items()
    }


VLLM = {case.id: case.values[0] for case in cases("vllm_perf_model")}


# All of them ----------------------------------------------------------------------------------------------------------


def _numbers(source: Callable[[Case], Iterator[Number]], case: Case) -> list[Number]:
    return list(source(case))


NUMBERS: dict[str, Callable[[], list[Number]]] = {
    **{name: partial(_numbers, _transformers, case) for name, case in TRANSFORMERS.items() if case["model"] in BUILTIN},
    **{
        name: partial(_numbers, _analysis, case)
        for name, case in ANALYSIS.items()
        if not _gated(case) and case["cfg"].get("kv", case["cfg"]["h"]) == case["cfg"]["h"]
    },
    **{
        name: partial(_numbers, _vllm, case)
        for name, case in VLLM.items()
        if case["kv_heads"] == case["heads"] and len(_points(case)) == 1
    },
}
"""What is compared, by case."""


@pytest.mark.parametrize("name", NUMBERS)
def test_every_number_is_ours_and_the_conventions(name: str) -> None:
    numbers = NUMBERS[name]()
    assert numbers
    assert [number for number in numbers if not number.holds()] == []


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_every_convention_is_needed(convention: str) -> None:
    """Wherever it is named, the number differs without it."""
    numbers = [each for name in NUMBERS for each in NUMBERS[name]() if convention in each.conventions]
    assert numbers
    assert CONVENTIONS[convention].reason
    assert not any(number.holds(without=convention) for number in numbers)


@pytest.mark.parametrize("stem", ["hf_forward_counts", "llm_analysis_cases", "vllm_perf_model"])
def test_some_case_of_every_source_is_covered(stem: str) -> None:
    assert any(case.id in NUMBERS for case in cases(stem))


@pytest.mark.parametrize("name", [name for name in TRANSFORMERS if name not in NUMBERS])
def test_a_model_without_laws_is_refused_by_name(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = TRANSFORMERS[name]["model"]
    options = ("--tensor=1", "--batch=2", "--prompt=512", "--context=513", "-o", str(tmp_path / "none.json"))
    assert cli.run(("derive", "inference", f"--model={model}", *options)) == ExitCode.INPUT
    said = capsys.readouterr().err
    assert model in said
    assert "for which no law exists yet" in said or "no model is named" in said


@pytest.mark.parametrize("name", [name for name in {**ANALYSIS, **VLLM} if name not in NUMBERS])
def test_what_is_not_compared_is_refused(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if name in ANALYSIS:
        case = ANALYSIS[name]
        assert uncovered(_analysis_step(case, 1, case["s"]), tmp_path, capsys, gated=_gated(case))
        return
    case = VLLM[name]
    if case["kv_heads"] == case["heads"]:
        # A batch of unequal requests is no single step: a request names one prompt and one context for all.
        assert len(_points(case)) > 1
        return
    assert uncovered(_vllm_step(case, 1, 1, 1), tmp_path, capsys)


@pytest.mark.parametrize("name", ANALYSIS)
def test_every_field_about_inference_is_compared_or_has_a_reason(name: str) -> None:
    compared = {number.name for number in NUMBERS[name]()} if name in NUMBERS else set()
    known = compared | set(OF_INFERENCE) | {"infer_prefill_act_per_layer_noflash"}
    listed = {field_ for field_ in ANALYSIS[name] if field_.startswith(("decode_", "kv_", "infer_"))}
    assert name not in NUMBERS or listed <= known
    assert all(OF_INFERENCE.values())


# Known slips ----------------------------------------------------------------------------------------------------------

KNOWN_WRONG = [case.values[0] for case in cases("known_wrong_cases")]
DECODES = [case for case in KNOWN_WRONG if case["quantity"].startswith("decode FLOPs")]
CACHES = [case for case in KNOWN_WRONG if case["quantity"].startswith("KV cache")]
MUST_REFUSE = [
    case.values[0]
    for case in cases("known_wrong_cases", "must_refuse")
    if set(case.values[0]) == {*"HFht", "id", "why"}
]


@pytest.mark.parametrize("slip", DECODES, ids=lambda slip: slip["id"])
def test_a_decode_step_attends_over_its_whole_context(slip: Case) -> None:
    """Wrong is what llm-analysis reports: the same step with a context of its own token alone."""
    case = next(each for each in ANALYSIS.values() if each["id"] == slip["inputs"]["case"])
    found = {}
    for context in (slip["inputs"]["context"], 1):
        step = _analysis_step(case, 1, context)
        run = Run(step, case["cfg"]["L"], case["cfg"]["V"])
        worked = products(emitted_step(step)) * step.t * run.L
        found[context] = worked + CONVENTIONS["logits"].size(run)
    assert found == {slip["inputs"]["context"]: slip["right"], 1: slip["wrong"]}


@pytest.mark.parametrize("slip", CACHES, ids=lambda slip: slip["id"])
def test_a_cache_holds_keys_and_values(slip: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = slip["inputs"]
    heads = sizes["h"]
    letters = {letter: sizes[letter] for letter in ("b", "c", "H", "h", "t", "e")}
    step = Step(q=1, F=4 * sizes["H"], k=sizes["kv"], d=sizes["H"] // heads, **letters)
    if uncovered(step, tmp_path, capsys):
        return
    for prompt in (1, step.c):
        held = memory(inferred(step.request(prompt=prompt))[Branch.FINAL_DECODE]).kv * sizes["L"]
        assert held == slip["right"]
        assert held != slip["wrong"]


@pytest.mark.parametrize("shape", MUST_REFUSE, ids=lambda shape: shape["id"])
def test_a_shape_that_must_be_refused_is(shape: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    letters = {letter: shape[letter] for letter in ("H", "F", "h", "t")}
    step = Step(b=shape["t"], q=1, c=1, k=shape["h"], d=shape["H"] // shape["h"], **letters)
    assert uncovered(step, tmp_path, capsys)


def test_there_are_slips_of_both_kinds_and_shapes_to_refuse() -> None:
    assert DECODES
    assert CACHES
    assert MUST_REFUSE
