"""Mutants that change nothing in some scope, each with a proof in a sentence."""

from __future__ import annotations

from typing import Final

from tests.mutation.faults import ATTENTION, BLOCK, DIMS, MAXIMUM, MEMORY, STAGE, STEP, STEP_DIMS

_NO_GROUPED_QUERIES = (
    "the front end admits k = h alone (check_domain raises NotCoveredError), so k_t = h_t in every derivation; "
    "where a task's work is concerned, prove refutes it"
)
_SAME_MOVED = "`right` is always exchange(case), whose components 1 and 2 are one expression, or NOTHING"
_SUM = "return (left[0] + right[0], left[1] + right[1], left[2] + right[2], left[3] + right[3])"
_MATRICES = "matrices = self.H * queries + 2 * (self.H * keys) + queries * self.H + 2 * (self.H * self.F_t)"
_HELD = "return matrices + norms + queries + 2 * keys + self.F_t + 2 * self.H"
_ALL_REDUCE = "work, local = primitives.all_reduce(elements, shard, self.dims.t, self.dims.e), "

_MADE_AGAIN = '("recomputed", "recommunicated", "mask_recomputed")'
_DISCARDED = "MADE_AGAIN = ('recomputed', 'recommunicated', 'mask_recomputed', 'discarded')"
_TENSOR_WIDTHS = 'widths: dict[str, N | int] = {"mask": MASK_BYTES, "gradient": dims.g, "activation": dims.e}'
_FOUR_WIDE = "rules/training/block.py"
_OPTIMIZER = "rules/primitives/optimizer.py"
_STEP = "formulas={Phase.OPTIMIZER: Formula(11 * m, (g + o) * m, (o + e) * m, reads=None)},"
_STATE = "rules/planning/memory.py"
_WIDTHS = {1: "o", 2: "g", 3: "e"}
_CORE = "rules/inference/attention_core.py"
_PREFILL = "rules/inference/prefill.py"
_CACHE = "rules/planning/cache.py"
_WORKSPACE = "rules/planning/workspace.py"
_FORWARD = "general: lambda case: 4 * b * {0} * H * (h + k) * d + 4 * b * {1} * H * F + 4 * b * {2}**2 * h * d,"
_SAME_PRODUCTS = 'bounds=(Bound("matrix products", W_p, Relation.EQUAL, W_t, premises=((q, Relation.EQUAL, c),)),),'
_ONE_MORE = 'Bound("one rank", K_1, Relation.EQUAL, K_0 + 2 * b * k_t * d * e),'
_IMPLIED = "true: the equation implies it; an inequality needs a reason, so it is not proved"
_SMALLER = "true: less than the left side of a true bound; the reason no longer adds up, so it is not proved"
_ABOVE = "f'above arm {number}': "
_CROSSED, _EACH_WAY = "case.receives + case.sends", ") * (1 if case.inference else 2)"
_CROSSINGS = f"return ({_CROSSED}{_EACH_WAY}"
_INNER = "true of inner stages, of which theorems speak alone; plans of the first and the last stage refute it"
_ROWS = "rows = dims.b * dims.h_t * dims.q * "
_KEY_ROWS = "rows = dims.b * dims.k_t * dims.q * (dims.d * dims.e + STATISTIC_BYTES)"
_SMALLER_ROWS = "where d e >= 2, as it always is, the right rows are at most q, k and v: smaller ones move no workspace"
_FUSED = "rules/planning/fused_attention.py"
_TILED, _TABLE, _WHOLE = (
    "tiled rows are at most q, k and v: ",
    "a page table is at most the scores: ",
    "so is the largest arm, and the workspace: ",
)
_HEADS_ARE_EQUAL = "the premise h_t = k_t makes both the same"
_OTHER_WITNESS = "another point that satisfies the premises"
_CONTRACT = "if found not in arms or any(found < arm for arm in arms):"
_AT_ONE = "stage 0 <= stage 3 at D = 1"
_DIVIDES = "D shares are the whole where D divides N"
_EXCEED = "D shares exceed the whole by less than D parameters"


def _order(stage: int, left: int, right: int) -> str:
    """The line of the bound `stage <= stage - 1` with these two in their places."""
    width = _WIDTHS[stage]
    reason = f"because=(({width}, SHORT), ({width}, D - 1, n_D - 1))"
    return f'Bound("stage {stage} <= stage {stage - 1}", C_{left}, Relation.AT_MOST, C_{right}, {reason}),'


EQUIVALENT: Final[dict[tuple[str, str, str], tuple[str, str]]] = {
    ("rules/training/total.py", _SUM, _SUM.replace("right[1]", "right[2]")): ("both", _SAME_MOVED),
    ("rules/training/total.py", _SUM, _SUM.replace("left[3] + right[3]", "(right[3])")): (
        "both",
        "`left` is forward_compute or activation_gradient without its collectives, whose message bytes are written 0",
    ),
    (BLOCK, f"{_ALL_REDUCE}self.whole", f"{_ALL_REDUCE}self.stream"): (
        "both",
        "only a whole sequence is all-reduced; there S = S_r, no axis of the stream is split, and stream = whole",
    ),
    **{
        (DIMS, "optimizer_shard=1,", f"optimizer_shard={other},"): (
            "both",
            "dims_of reads only `parameters` of these dimensions, which do not depend on the share, and replaces it",
        )
        for other in (0, 2)
    },
    (MEMORY, f"MADE_AGAIN = {_MADE_AGAIN}", _DISCARDED): (
        "both",
        "nothing reads what is discarded, and only tensors that a gradient reads are counted",
    ),
    **{
        (MEMORY, _TENSOR_WIDTHS, _TENSOR_WIDTHS.replace("dims.g", other)): (
            "both",
            "no caller asks for a parameter's gradient: only activations and masks are made again or wait",
        )
        for other in ("dims.e", "MASK_BYTES")
    },
    **{
        (_FOUR_WIDE, before, before.replace("Relation.EQUAL", "Relation.AT_MOST", 1)): (
            "prove",
            "true: the equation implies it; an inequality needs a reason, so it is not proved",
        )
        for before in (
            "share: Relation.EQUAL,",
            '"whole", F, Relation.EQUAL, 4 * H, premises=((F_t, Relation.EQUAL, 4 * h_t * d), *WHOLE), witness=WITNESS',
        )
    },
    **{
        ("rules/training/rank_sum.py", "return case.tensor_parallel and case.sequence_parallel", f"return {after}"): (
            "both",
            "at t = 1 the shard is the whole, and t W = W_0 is W = W",
        )
        for after in ("case.sequence_parallel", "case.sequence_parallel and case.sequence_parallel")
    },
    (
        "rules/training/rank_sum.py",
        "return case.tensor_parallel and case.sequence_parallel",
        "return (not case.tensor_parallel) and case.sequence_parallel",
    ): (
        "both",
        "true, but says less: at t = 1 it is W = W; prove does not accept it, as its false variant is true there",
    ),
    (_OPTIMIZER, _STEP, _STEP.replace(", reads=None", "")): (
        "derive",
        "the optimizer's state is no tensor, so that its rule claims no operand traffic of a plan; prove refutes it",
    ),
    **{
        (_OPTIMIZER, _STEP, _STEP.replace("reads=None", f"reads=None, writes=({often},)")): (
            "both",
            "`reads` says that these bytes are not those of tensors, and then nothing asks how often one is counted",
        )
        for often in (2, 0)
    },
    **{
        (_STATE, _order(stage, stage, stage - 1), _order(stage, left, right)): (
            "prove",
            "true: a stage needs no more than itself or a lower one; the reason is another bound's",
        )
        for stage in (1, 2, 3)
        for left, right in ((left, right) for left in range(4) for right in range(4))
        if left >= right and (left == stage) is not (right == stage - 1)
    },
    **{
        (_STATE, f"{_AT_ONE}: {before},", f"{_AT_ONE}: {after},"): (
            "prove",
            "true: at D = 1 the least share n is N, and all four stages are equal; the reason is another bound's",
        )
        for before, others in (
            ("C_0", ("C_1", "C_2", "C_3")),
            ("C_3", ("C_0", "C_1", "C_2")),
            ("Relation.AT_MOST", ("Relation.EQUAL",)),
        )
        for after in others
    },
    (
        _STATE,
        f"{_AT_ONE}: because=((e + g + o, D * n_D - N),),",
        f"{_AT_ONE}: because=((e + g + o, n_D - N),),",
    ): ("prove", "the premise D = 1 makes D n - N and n - N one polynomial"),
    (_STATE, f"{_DIVIDES}: Relation.EQUAL,", f"{_DIVIDES}: Relation.AT_MOST,"): (
        "prove",
        "true: the equation implies it; an inequality needs a reason, so it is not proved",
    ),
    (_STATE, f"{_EXCEED}: Relation.LESS,", f"{_EXCEED}: Relation.AT_MOST,"): (
        "prove",
        "true: the strict bound implies it; the reason is one short, so it is not proved",
    ),
    (_STATE, f"{_EXCEED}: D * C_3,", f"{_EXCEED}: C_3,"): (
        "prove",
        "true: C_3 <= D C_3, which the bound itself limits; the reason no longer adds up, so it is not proved",
    ),
    (_STATE, f"{_EXCEED}: D * C_3,", f"{_EXCEED}: D,"): (
        "prove",
        "true: D <= D (e + g + o) and C_0 > 0; the reason no longer adds up, so it is not proved",
    ),
    (_CORE, "decode: where=((q, 1),),", "decode: where=((c, 1),),"): (
        "derive",
        "q <= c, so that c = 1 makes q 1 as well; prove refutes it",
    ),
    (_CORE, "decode: where=((q, 1),),", "decode: where=((q, 0),),"): (
        "both",
        "no step is without a token, so that the form speaks of nothing; prove finds no witness and does not accept it",
    ),
    **{
        (_PREFILL, _FORWARD.format("c", "c", "c"), _FORWARD.format(*after)): ("both", "the form holds where q is c")
        for after in ("qcc", "cqc", "ccq")
    },
    **{
        (_PREFILL, "general: where=((q, c),),", f"general: where=(({each}, {each}),),"): (
            "prove",
            "a symbol defined by itself has no witness, so that the form is not accepted; the gate refutes it",
        )
        for each in ("q", "c")
    },
    **{
        (path, before, before.replace("Relation.EQUAL", "Relation.AT_MOST", 1)): ("prove", _IMPLIED)
        for path, before in (
            (_STATE, 'Bound("stage 0", C_0, Relation.EQUAL, (e + g + o) * N),'),
            (_STATE, 'Bound("stage 3", C_3, Relation.EQUAL, (e + g + o) * n_D),'),
            (_PREFILL, _SAME_PRODUCTS),
            (_CACHE, _ONE_MORE),
            (_CACHE, "all ranks: Relation.EQUAL,"),
            (_WORKSPACE, "f'attained by arm {number}': Relation.EQUAL,"),
        )
    },
    **{
        (_WORKSPACE, f"{_ABOVE}C_bd + arm,", f"{_ABOVE}{after},"): ("prove", _SMALLER)
        for after in ("(C_bd - arm)", "arm", "C_bd")
    },
    (_WORKSPACE, "f'{name} in {size}': Relation.AT_MOST,", "f'{name} in {size}': Relation.LESS,"): (
        "prove",
        "true: more of a positive size is strictly more; the reason is one short, so it is not proved",
    ),
    **{
        (MAXIMUM, _CONTRACT, after): (
            "both",
            "what `max` gives of integers is one of them and below none, so that the contract never breaks",
        )
        for after in (
            "if (found not in arms and any((found < arm for arm in arms))):",
            "if (any((found < arm for arm in arms))):",
            "if (found not in arms):",
        )
    },
    **{
        (path, before, before.replace(old, new, 1)): ("derive", _NO_GROUPED_QUERIES)
        for path, before, old, new in (
            (BLOCK, "queries = Local((dims.B, dims.S, dims.h_t, dims.d), Axis.HEADS)", "h_t", "k_t"),
            (BLOCK, "keys = Local((dims.B, dims.S, dims.k_t, dims.d), Axis.KEY_VALUE_HEADS)", "k_t", "h_t"),
            (BLOCK, "scores = Local((dims.B, dims.h_t, dims.S, dims.S), Axis.HEADS)", "h_t", "k_t"),
            (BLOCK, "by_head = Local((dims.h_t, dims.d), Axis.HEADS)", "h_t", "k_t"),
            (BLOCK, "by_key_head = Local((dims.k_t, dims.d), Axis.KEY_VALUE_HEADS)", "k_t", "h_t"),
            (BLOCK, "batch = dims.B * dims.h_t", "h_t", "k_t"),
            (STEP, "return Local((dims.b, dims.c, dims.k_t, dims.d), Axis.KEY_VALUE_HEADS)", "k_t", "h_t"),
            (STEP, "return dims.b * rows * dims.k_t * dims.d", "k_t", "h_t"),
            (STEP, "return Local((dims.b, dims.q, dims.h_t, dims.d), Axis.HEADS)", "h_t", "k_t"),
            (STEP, "return Local((dims.b, dims.h_t, dims.q, dims.c), Axis.HEADS)", "h_t", "k_t"),
            (STEP, "by_head = Local((dims.h_t, dims.d), Axis.HEADS)", "h_t", "k_t"),
            (STEP, "by_key_head = Local((dims.k_t, dims.d), Axis.KEY_VALUE_HEADS)", "k_t", "h_t"),
            (STEP, "batch = dims.b * dims.h_t", "h_t", "k_t"),
            (DIMS, "queries, keys = self.h_t * self.d, self.k_t * self.d", "h_t", "k_t"),
            (DIMS, "queries, keys = self.h_t * self.d, self.k_t * self.d", "k_t", "h_t"),
            (DIMS, _MATRICES, "self.H * queries", "self.H * keys"),
            (DIMS, _MATRICES, "self.H * keys", "self.H * queries"),
            (DIMS, _MATRICES, "queries * self.H", "keys * self.H"),
            (DIMS, _HELD, "+ queries", "+ keys"),
            (DIMS, _HELD, "2 * keys", "2 * queries"),
        )
    },
    **{
        (
            STAGE,
            f"work = primitives.{edge}(self.elements, self.e)",
            f"work = primitives.{edge}(self.e, self.elements)",
        ): (
            "both",
            "what crosses an edge has elements * e bytes and no operations: a product of both",
        )
        for edge in ("send", "receive")
    },
    **{
        (DIMS, "whole_share=1,", f"whole_share={other},"): (
            "both",
            "the place of the share until it is known: it is replaced before the dimensions are given to anybody",
        )
        for other in (0, 2)
    },
    (STEP_DIMS, "if TYPE_CHECKING:", "if (not TYPE_CHECKING):"): (
        "both",
        "what is imported there is named in annotations alone, which nothing evaluates",
    ),
    (ATTENTION, "STATISTIC_BYTES = 4", "STATISTIC_BYTES = 3"): ("derive", _SMALLER_ROWS),
    (ATTENTION, f"{_ROWS}(dims.d * dims.e + STATISTIC_BYTES)", _KEY_ROWS): ("derive", _NO_GROUPED_QUERIES),
    **{
        (ATTENTION, f"{_ROWS}(dims.d * dims.e + STATISTIC_BYTES)", after): ("derive", _SMALLER_ROWS)
        for after in (
            "rows = (dims.h_t * dims.q * (dims.d * dims.e + STATISTIC_BYTES))",
            "rows = (dims.b * dims.q * (dims.d * dims.e + STATISTIC_BYTES))",
            "rows = (dims.b * dims.h_t * (dims.d * dims.e + STATISTIC_BYTES))",
            "rows = (dims.b * dims.h_t * dims.q)",
            f"{_ROWS}((dims.d * dims.e - STATISTIC_BYTES))",
            f"{_ROWS}(STATISTIC_BYTES)",
            f"{_ROWS}((dims.d * dims.e))",
            f"{_ROWS}(dims.e + STATISTIC_BYTES)",
            f"{_ROWS}(dims.d + STATISTIC_BYTES)",
            f"{_ROWS}(dims.d * dims.e + dims.e)",
        )
    },
    **{
        (ATTENTION, before, before.replace("rows", other)): ("derive", _SMALLER_ROWS)
        for before, other in (
            ('Attention("attention.tiled", "tiled_attention", (projected, rows, wide)),', "wide"),
            ('Attention("attention.paged", "paged_attention", (projected, rows, wide, table)),', "wide"),
            ('Attention("attention.paged", "paged_attention", (projected, rows, wide, table)),', "table"),
        )
    },
    **{
        (_FUSED, "ROWS: D + b * h * q * (d * e + 4),", f"ROWS: {after},"): ("derive", _SMALLER_ROWS)
        for after in (
            "(D - b * h * q * (d * e + 4))",
            "(b * h * q * (d * e + 4))",
            "D",
            "D + (h * q * (d * e + 4))",
            "D + (b * q * (d * e + 4))",
            "D + (b * h * (d * e + 4))",
            "D + (b * h * q)",
            "D + b * h * q * ((d * e - 4))",
            "D + b * h * q * (4)",
            "D + b * h * q * ((d * e))",
            "D + b * h * q * (e + 4)",
            "D + b * h * q * (d + 4)",
            "D + b * h * q * (d * e + 3)",
        )
    },
    **{
        (_FUSED, f"{_TILED}b * h_t * q * (d * e + 4),", f"{_TILED}{after},"): ("prove", _SMALLER)
        for after in (
            "(h_t * q * (d * e + 4))",
            "(b * q * (d * e + 4))",
            "(b * h_t * (d * e + 4))",
            "(b * h_t * q)",
            "b * h_t * q * ((d * e - 4))",
            "b * h_t * q * (4)",
            "b * h_t * q * ((d * e))",
            "b * h_t * q * (e + 4)",
            "b * h_t * q * (d + 4)",
            "b * h_t * q * (d * e + 3)",
        )
    },
    (
        _FUSED,
        f"{_TILED}b * q * (h_t + 2 * k_t) * d * e,",
        f"{_TILED}b * q * (h_t + 3 * k_t) * d * e,",
    ): ("prove", "true: more than the right side of a true bound; the reason no longer adds up, so it is not proved"),
    **{
        (_FUSED, f"{_TILED}{before},", f"{_TILED}{after},"): ("both", _HEADS_ARE_EQUAL)
        for before, after in (
            ("b * h_t * q * (d * e + 4)", "b * k_t * q * (d * e + 4)"),
            ("b * q * (h_t + 2 * k_t) * d * e", "b * q * (k_t + 2 * k_t) * d * e"),
            ("b * q * (h_t + 2 * k_t) * d * e", "b * q * (h_t + 2 * h_t) * d * e"),
            ("because=((2 * b * q * k_t, d * e - 2),)", "because=((2 * b * q * h_t, d * e - 2),)"),
        )
    },
    **{
        (_FUSED, f"{bound}{before},", f"{bound}{after},"): ("both", _OTHER_WITNESS)
        for bound, before, after in (
            (_TILED, "witness=((e, 2),)", "witness=((d, 2),)"),
            (_TILED, "witness=((e, 2),)", "witness=((e, 3),)"),
            (_TABLE, "witness=((e, 4),)", "witness=((e, 5),)"),
        )
    },
    **{
        (_FUSED, f"{_TABLE}4 * b * c,", f"{_TABLE}{after},"): ("prove", _SMALLER)
        for after in ("(b * c)", "(4 * c)", "(4 * b)", "3 * b * c")
    },
    **{
        (_FUSED, f"{_WHOLE}C_bd + Y_max,", f"{_WHOLE}{after},"): ("prove", _SMALLER)
        for after in ("(C_bd - Y_max)", "Y_max", "C_bd")
    },
    (_FUSED, f"{_WHOLE}C_bd + Y_max,", f"{_WHOLE}C_bd + X_max,"): (
        "prove",
        "true: C_bd + X_max is C_ws itself; the reason speaks of Y_max, so it is not proved",
    ),
    **{
        (f"rules/stage/{file}.py", before, after): ("prove", _INNER)
        for file, before, after in (
            ("payload", _CROSSINGS, f"return ({_CROSSED.replace('receives', 'sends')}{_EACH_WAY}"),
            ("payload", _CROSSINGS, f"return ({_CROSSED.replace('sends', 'receives')}{_EACH_WAY}"),
        )
    },
}
"""Mutant -> where nothing can refute it, and the proof.

`both`: it is equivalent; `derive`: equivalent for every request that the gate admits; `prove`: a bound that is true,
and of which no plan has an instance.
"""
