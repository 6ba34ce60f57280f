"""A sample of the planted faults is caught by a fresh proof and by the gate, and the table can tell when one is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from blueprint.errors import DomainError, NotCoveredError
from blueprint.frontend.request import check_domain
from blueprint.ir.request import Inference, Request, branches_of
from blueprint.workload.attention import unfused_arms
from blueprint.workload.inference_dims import inference_dims_of
from tests.mutation import faults, mutate
from tests.mutation.equivalent import EQUIVALENT
from tests.mutation.faults import Mutant
from tests.mutation.mutate import Column, Found, Laboratory

SAMPLE = (
    ("law", "coefficient", "qkv_projection.py", "7 * B * S * H**2"),
    ("law", "exponent", "attention_matmul.py", "4 * B * S**3 * h * d"),
    ("law", "members", "mlp.py", "members=count(3)"),
    ("law", "factor dropped", "tensor_collective.py", "lambda case: (B * S * H))"),
    ("law", "term dropped", "total.py", "PROJECTIONS = (4 * A * h * d + 4 * A * F)"),
    ("formula", "coefficient", "linear.py", "Formula(3 * m * n * kk"),
    ("formula", "sign", "all_reduce.py", "E_t * ((t + 1))"),
    ("definition", "coefficient", "gelu.py", "9 * E"),
    ("primitive", "term dropped", "primitives.py", "forward=TaskWork(product, ((m * n)) * e"),
    ("block", "exchange", "training_block.py", "hidden = Local((dims.F_t,), None)"),
    ("block", "condition", "training_block.py", "return (value in LEAVES)"),
    ("dims", "coefficient", "dims.py", "norms = 5 * self.H"),
    ("formula", "multiplicity", "batched_matmul.py", "reads=(3, 1, 1)"),
    ("law", "exponent", "block.py", "CORE = 4 * B * S**3"),
    ("law", "members", "rank_sum.py", "return 12 + 11 + 6"),
    ("memory law", "coefficient", "activations.py", "CORE = 3 * e * X + X"),
    ("memory law", "condition", "memory.py", "o * (n_D if (not case.sharded_optimizer) else N)"),
    ("memory", "element dropped", "memory.py", "UNSTORED_OUTPUTS = ('scores',)"),
    ("memory", "condition", "memory.py", "store_activation=(full or (selective"),
    ("block", "element dropped", "training_block.py", "REGION_END = ()"),
    ("law", "coefficient", "attention_core.py", "4 * b * q * c * h * d + 6 * b * h * q * c"),
    ("law", "exchange", "cache_traffic.py", 'Equation("read", Quantity.KV_READ_BYTES, t * K_r, lambda case: 2 * b * q'),
    ("law", "term dropped", "inference/total.py", "core = (P + HEADS_V + X + X)"),
    ("memory law", "coefficient", "cache.py", "lambda case: 3 * b * c * k * d * e"),
    ("memory law", "coefficient", "workspace.py", "{PROJECTED: D + b * q * (h + 3 * k) * d * e"),
    ("memory law", "factor dropped", "weights.py", "matrices = (2 * H * h) + 2 * H * k * d"),
    ("block", "exchange", "inference_block.py", "sizes = (dims.c, dims.d, dims.c)"),
    ("block", "exchange", "inference_block.py", "rows = dims.q if use is CacheUse.READ"),
    ("memory", "factor dropped", "inference_memory.py", "kv=(buffer_size(cache_of(dims).sizes, dims.e))"),
    ("memory", "term dropped", "inference_memory.py", "return (maximum(arms))"),
)
"""Kind, operator, file and a part of the line after: one mutant each."""


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Laboratory]:
    """Two strategies of training, of which one is with sequence parallelism and selective recompute and one without.

    And two of inference, one with a long prompt and biases and one without.
    """
    with Laboratory(tmp_path_factory.mktemp("mutation"), lanes=1, count=2) as made:
        made.control()
        yield made


@pytest.fixture(scope="module")
def found(laboratory: Laboratory) -> list[Mutant]:
    return laboratory.mutants()


def chosen(found: list[Mutant], kind: str, operator: str, file: str, part: str) -> Mutant:
    fits = [
        each
        for each in found
        if (each.kind, each.operator) == (kind, operator)
        and f"/{each.path}".endswith(f"/{file}")
        and part in each.after
    ]
    assert fits, f"no mutant {part}"
    return fits[0]


def silent(text: str) -> None:
    """Say nothing."""


def test_a_sample_of_the_mutants_is_killed_by_proof_and_by_gate(laboratory: Laboratory, found: list[Mutant]) -> None:
    rows = laboratory.examine([chosen(found, *each) for each in SAMPLE], silent)
    assert [row.fate for row in rows] == ["killed"] * len(SAMPLE)
    assert all(row.prove.verdict == "refuted" and row.derive.verdict == "refused" for row in rows)
    assert all(row.prove.by and row.derive.by for row in rows)


@pytest.mark.parametrize(
    ("operator", "part", "verdict"),
    [
        ("comparison", 'Bound("stage 1 <= stage 0", C_1, Relation.LESS, C_0', "refuted"),
        ("reason", "Relation.AT_MOST, C_0, because=((o, SHORT),))", "undecided"),
        ("premise", "premises=()", "refuted"),
    ],
)
def test_a_bound_is_killed_by_proof_alone(
    laboratory: Laboratory, found: list[Mutant], operator: str, part: str, verdict: str
) -> None:
    (row,) = laboratory.examine([chosen(found, "memory law", operator, "memory.py", part)], silent)
    assert (row.prove.verdict, row.derive.verdict, row.fate) == (verdict, "no instance", "killed")


@pytest.mark.parametrize(
    ("file", "part"),
    [
        ("planning/memory.py", "left=(C_w + C_g + C_o + C_act + C_work)"),
        ("planning/inference_memory.py", "left=(C_w + C_kv)"),
        ("planning/inference_memory.py", "left=(C_w + C_ws)"),
    ],
)
def test_a_requirement_is_killed_by_a_device_that_lacks_one_byte(
    laboratory: Laboratory, found: list[Mutant], file: str, part: str
) -> None:
    mutant = chosen(found, "memory law", "term dropped", file, part)
    (row,) = laboratory.examine([mutant], silent)
    assert (row.prove.verdict, row.derive.verdict, row.fate) == ("no theorem", "differs", "killed")


def test_only_a_changed_hint_may_leave_a_bound_undecided(found: list[Mutant]) -> None:
    undecided = Found(Column("undecided"), Column("no instance"))
    bounds = [each for each in found if each.asked == "theorem"]
    fates = {each.operator: mutate._judge(each, undecided).fate for each in bounds if each.key not in EQUIVALENT}
    hints = {"reason", "premise", "witness"}
    assert {operator for operator, fate in fates.items() if fate == "killed"} == hints
    assert fates.keys() > hints


def test_a_mutant_that_changes_nothing_survives(laboratory: Laboratory, found: list[Mutant]) -> None:
    mutant = chosen(found, "primitive", "coefficient", "primitives.py", "product = 3 * (m * n * k)")
    harmless = mutant.text.replace("product = 3 * (m * n * k)", "product = (m * n * k) * 2")
    (row,) = laboratory.examine([msgspec.structs.replace(mutant, text=harmless)], silent)
    assert (row.prove.verdict, row.derive.verdict, row.fate) == ("unaffected", "derived", "survived")


def test_a_law_that_says_less_is_not_killed(laboratory: Laboratory, found: list[Mutant]) -> None:
    mutant = chosen(found, "law", "coefficient", "mlp.py", "5 * B * S * H * F")
    fewer = mutant.text.replace("lambda case: 5 * B * S * H * F", "lambda case: 4 * F * H * S * B")
    (row,) = laboratory.examine([msgspec.structs.replace(mutant, text=fewer)], silent)
    assert (row.prove.verdict, row.derive.verdict, row.fate) == ("proved", "derived", "survived")


def test_a_crash_is_no_kill(laboratory: Laboratory, found: list[Mutant]) -> None:
    mutant = chosen(found, "primitive", "coefficient", "primitives.py", "product = 3 * (m * n * k)")
    crashing = mutant.text.replace("product = 3 * (m * n * k)", "product = {}[0]")
    (row,) = laboratory.examine([msgspec.structs.replace(mutant, text=crashing)], silent)
    assert (row.prove.verdict, row.derive.verdict, row.fate) == ("crash", "crash", "stillborn")


def test_every_listed_equivalence_is_a_mutant(found: list[Mutant]) -> None:
    assert set(EQUIVALENT) <= {each.key for each in found}


@pytest.mark.parametrize("request_", [mutate.STRATEGIES[0], mutate.INFERENCE[0]], ids=["training", "inference"])
def test_no_derivation_has_fewer_key_value_heads(request_: Request) -> None:
    """On this rest the mutants that are equivalent for derivations alone."""
    model = msgspec.structs.replace(request_.model, key_value_heads=4)
    with pytest.raises(NotCoveredError):
        check_domain(msgspec.structs.replace(request_, model=model))


def test_no_step_is_without_a_token_or_with_more_than_are_visible() -> None:
    """On this rest the mutants of definitions of q and c."""
    workload = mutate.INFERENCE[0].workload
    assert isinstance(workload, Inference)
    for changes in ({"prompt": 0}, {"context": 0}, {"prompt": 9, "context": 8}):
        wrong = msgspec.structs.replace(workload, **changes)
        with pytest.raises(DomainError):
            check_domain(msgspec.structs.replace(mutate.INFERENCE[0], workload=wrong))


def test_in_the_strategies_of_inference_each_arm_is_the_largest() -> None:
    """Else a wrong arm of the workspace that is below another one would show in no plan."""
    largest = {shape: set[int]() for shape in (True, False)}
    for request in mutate.INFERENCE:
        for branch in branches_of(request.workload):
            arms = unfused_arms(inference_dims_of(request, branch))
            classical = request.model.hidden == request.model.heads * request.model.head_width
            largest[classical].add(arms.index(max(arms)))
    assert largest == {True: {0, 1, 2}, False: {0, 1, 2}}


def test_the_table_counts_what_survives(found: list[Mutant]) -> None:
    mutant = found[0]
    killed = mutate._judge(mutant, Found(Column("refuted", ("a law",)), Column("refused", ("a claim",))))
    survived = mutate._judge(mutant, Found(Column("refuted", ("a law",)), Column("derived")))
    assert (killed.fate, survived.fate) == ("killed", "survived")
    assert mutate._judge(mutant, Found(Column("undecided"), Column("refused"))).fate == "survived"
    assert mutate._judge(mutant, Found(Column("crash"), Column("derived"))).fate == "survived"
    last = list(mutate.table([killed, survived]))[-1]
    assert last.split() == ["all", "2", "1", "2", "0", "0", "1", "0", "1", "survived"]


@pytest.mark.parametrize(
    ("line", "operator", "after"),
    [
        ("A = 2 * B", "coefficient", ["A = 3 * B", "A = 1 * B"]),
        ("A = 0", "coefficient", ["A = 1"]),
        ("A = B**2", "exponent", ["A = B**3", "A = B**1"]),
        ("A = B + C - D", "term dropped", ["A = (C - D)", "A = (B - D)", "A = (B + C)"]),
        ("A = B + C - D", "sign", ["A = (B + C + D)", "A = (B - C) - D"]),
        ("A = B * (C * D)", "factor dropped", ["A = (C * D)", "A = (B * D)", "A = (B * C)"]),
        ("A = B - C", "term dropped", ["A = (0 - C)", "A = B"]),
        ("A = B if c else D", "condition", ["A = B if (not c) else D"]),
        ("A = f(wrong=2, members=1)", "members", ["A = f(wrong=2, members=2)", "A = f(wrong=2, members=0)"]),
        ("A = f('2')", "coefficient", []),
        (
            "A = Bound(because=((B, C),))",
            "reason",
            ["A = Bound(because=())", "A = Bound(because=((C,),))", "A = Bound(because=((B,),))"],
        ),
        (
            "WITNESS = ((B, 4), (C, 5))",
            "witness",
            [
                "WITNESS = ((C, 5),)",
                "WITNESS = ((B, 4),)",
                "WITNESS = ((B, 5), (C, 5))",
                "WITNESS = ((B, 3), (C, 5))",
                "WITNESS = ((B, 4), (C, 6))",
                "WITNESS = ((B, 4), (C, 4))",
            ],
        ),
        ("MADE_AGAIN = ('a', 'b')", "element dropped", ["MADE_AGAIN = ('b',)", "MADE_AGAIN = ('a',)"]),
        ("A = [b for b in c if d]", "condition", ["A = [b for b in c if (not d)]"]),
        (
            "A = f(partial=b and c)",
            "condition",
            [
                "A = f(partial=(b or c))",
                "A = f(partial=c)",
                "A = f(partial=(not b) and c)",
                "A = f(partial=b)",
                "A = f(partial=b and (not c))",
            ],
        ),
    ],
)
def test_operators(line: str, operator: str, after: list[str]) -> None:
    made = faults._Finder("rules/training/total.py", "law", f"{line}\n").run()
    assert [each.after for each in made if each.operator == operator] == after


def test_every_tensor_that_a_primitive_moves_is_counted_otherwise() -> None:
    line = "A = Formula(B, C, D, reads=(2, 1))"
    made = faults._Finder("rules/primitives/linear.py", "formula", f"{line}\n").run()
    assert [each.after for each in made if each.operator == "multiplicity"] == [
        "A = Formula(B, C, D)",
        "A = Formula(B, C, D, reads=(2, 1), writes=(2,))",
        "A = Formula(B, C, D, reads=(2, 1), writes=(0,))",
        "A = Formula(B, C, D, reads=(3, 1))",
        "A = Formula(B, C, D, reads=(1, 1))",
        "A = Formula(B, C, D, reads=(2, 2))",
        "A = Formula(B, C, D, reads=(2, 0))",
    ]


def test_all_kinds_are_mutated(found: list[Mutant]) -> None:
    kinds = {"law", "formula", "definition", "projection", "memory law", "memory"}
    kinds |= {"primitive", "block", "plan", "dims", "binding", "stage"}
    assert {each.kind for each in found} == kinds
    assert len({(each.path, each.text) for each in found}) == len(found) > 1000
    assert not [each for each in found if Path(each.path).name == "__init__.py"]
