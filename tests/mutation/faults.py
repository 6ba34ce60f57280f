"""The faults that are planted in the laws and in the derivation: files, operators, and the mutants they make."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

LAWS: Final = (
    *("qkv_projection", "attention_matmul", "output_projection", "mlp", "tensor_collective", "total"),
    *("block", "recompute", "rank_sum"),
)
INFERENCE_LAWS: Final = (
    *("qkv_projection", "output_projection", "mlp", "attention_core", "cache_traffic", "prefill", "rank_sum"),
    *("tensor_collective", "total"),
)
MEMORY_LAWS: Final = ("activations", "memory", "weights", "cache", "workspace", "inference_memory", "fused_attention")
FORMULAS: Final = ("linear", "batched_matmul", "all_reduce", "all_gather", "reduce_scatter")
DEFINED: Final = ("layer_norm", "softmax", "gelu", "dropout", "residual", "fork", "optimizer")
"""Primitives whose coefficients are chosen; a mutant there is refuted because formula = derivation is a theorem."""

PRIMITIVES = "blueprint/workload/primitives.py"
BLOCK = "blueprint/workload/training_block.py"
PLAN = "blueprint/workload/plan.py"
DIMS = "blueprint/workload/dims.py"
MEMORY = "blueprint/workload/memory.py"
OPERATORS = "blueprint/workload/operators.py"
STEP = "blueprint/workload/inference_block.py"
STEP_DIMS = "blueprint/workload/inference_dims.py"
STEP_MEMORY = "blueprint/workload/inference_memory.py"
MAXIMUM = "blueprint/workload/maximum.py"
STACK = "blueprint/workload/stack.py"
STAGE = "blueprint/workload/stage.py"
ATTENTION = "blueprint/workload/attention.py"
STAGE_LAWS: Final = ("payload", "total")

APART: Final = frozenset(
    "id statement source rewrite boundary lineage signature targets claims preserves introduces forbids "
    "operands definition law wrong boundaries start".split()
)
"""Arguments that are no equation; `wrong` holds the false variants, which are not mutated, `start` numbers forms."""

COLLECTIVES: Final = ("Primitive.ALL_REDUCE", "Primitive.ALL_GATHER", "Primitive.REDUCE_SCATTER")
PHASES: Final = (
    "Phase.FORWARD",
    "Phase.RECOMPUTE",
    "Phase.RECOMMUNICATION",
    "Phase.ACTIVATION_GRADIENT",
    "Phase.WEIGHT_GRADIENT",
    "Phase.OPTIMIZER",
)


def _each_other(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(other for other in names if other != name) for name in names}


def _cycle(names: Sequence[str], steps: int) -> dict[str, tuple[str, ...]]:
    return {
        name: tuple(names[(place + step) % len(names)] for step in range(1, steps + 1))
        for place, name in enumerate(names)
    }


_RELATIONS: Final = _each_other(("Relation.EQUAL", "Relation.AT_MOST", "Relation.LESS"))
_RECOMPUTES: Final = _each_other(("Recompute.FULL", "Recompute.SELECTIVE", "Recompute.NONE"))
_SPLITS: Final = _each_other(("case.tensor_parallel", "case.sequence_parallel"))
_STAGES: Final = ("case.sharded_parameters", "case.sharded_gradients", "case.sharded_optimizer")
_QUANTITIES: Final = _cycle(
    ("Quantity.OPERATIONS", "Quantity.READ_BYTES", "Quantity.WRITE_BYTES", "Quantity.MESSAGE_BYTES"), 1
)
_TOKENS: Final = _each_other(("q", "c"))
_STEP_SIZES: Final[dict[str, tuple[str, ...]]] = {
    "dims.b": ("dims.q",),
    "dims.q": ("dims.c", "dims.H"),
    "dims.c": ("dims.q",),
    "dims.H": ("dims.F_t",),
    "dims.F_t": ("dims.H",),
    "dims.h_t": ("dims.k_t", "dims.d"),
    "dims.k_t": ("dims.h_t", "dims.d"),
    "dims.d": ("dims.h_t",),
}

SWAPS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    BLOCK: {
        **_each_other(("ENTERS", "LEAVES")),
        "ATTENTION_CORE": ("ENTERS",),
        **_each_other(COLLECTIVES),
        **_RECOMPUTES,
        **_cycle(PHASES, 2),
        **_each_other(("self.case.tensor_parallel", "self.case.sequence_parallel")),
        "dims.B": ("dims.S",),
        "dims.S": ("dims.S_r", "dims.H"),
        "dims.S_r": ("dims.S",),
        "dims.H": ("dims.F_t",),
        "dims.F_t": ("dims.H",),
        "dims.h_t": ("dims.k_t", "dims.d"),
        "dims.k_t": ("dims.h_t", "dims.d"),
        "dims.d": ("dims.h_t",),
        "dims.e": ("dims.g",),
        "self.dims.e": ("self.dims.g",),
        "self.dims.g": ("self.dims.e",),
        "self.dims.o": ("self.dims.g",),
        "self.dims.t": ("self.dims.B",),
        "self.dims.shard": ("self.whole.elements",),
        **_each_other(("self.dims.parameters", "self.dims.optimizer_shard")),
        **_each_other(("self.whole", "self.stream")),
        **_each_other(("stream", "whole")),
        **_each_other(("queries", "keys")),
        **_each_other(("by_head", "by_key_head")),
        "scores": ("queries",),
        "wide": ("whole",),
        "hidden": ("by_width",),
        "by_width": ("by_head",),
        **_each_other(("elements", "shard")),
        "op.work.forward": ("op.work.activation_gradient",),
        "op.work.activation_gradient": ("op.work.forward", "op.work.weight_gradient"),
        "op.work.weight_gradient": ("op.work.forward",),
        **_cycle(("self.communicates", "self.recommunicates", "self.gradient_communicates", "self.recomputes"), 1),
        **_each_other(("self.used", "self.saved")),
    },
    MEMORY: {
        **_RECOMPUTES,
        **_each_other(("full", "selective")),
        **_cycle(PHASES, 1),
        **_each_other(("dims.e", "dims.g", "MASK_BYTES")),
        "dims.o": ("dims.g",),
        **_cycle(("e", "g", "o"), 2),
        **_each_other(("parameters", "share")),
        **_each_other(("dims.parameters", "dims.optimizer_shard")),
        **_cycle(_STAGES, 2),
        **_each_other(("layer.activation", "layer.output")),
        **_each_other(("layer.store_activation", "layer.store_output")),
        **_each_other(("UNSTORED_OUTPUTS", "UNSTORED_ACTIVATIONS")),
        **_each_other(("step.reads", "step.writes")),
        "op.local": ("stream_of(dims)",),
        "op.inputs": ("(op.name,)",),
        "Primitive.LINEAR": ("Primitive.LAYER_NORM", "Primitive.BATCHED_MATMUL", "Primitive.OPTIMIZER"),
        **{f"Primitive.{name}": ("Primitive.OPTIMIZER",) for name in ("DROPOUT", "SOFTMAX", "RESIDUAL")},
    },
    OPERATORS: {
        **_each_other(("inner.elements", "outer.elements")),
        **_each_other(("inner.sizes", "outer.sizes")),
        **_each_other(("inner.split", "outer.split")),
        **_cycle(("m", "n", "k"), 1),
        "outer": ("inner",),
        "rows": ("inner.elements",),
        **_cycle(("primitives.softmax", "primitives.dropout", "primitives.gelu", "primitives.residual"), 1),
    },
    STEP: {
        **_STEP_SIZES,
        **_each_other(("CACHED", "LEAVES")),
        **_each_other(("CacheUse.READ", "CacheUse.APPEND")),
        "Primitive.ALL_REDUCE": ("Primitive.REDUCE_SCATTER",),
        "Phase.FORWARD": ("Phase.RECOMPUTE",),
        "dims.t": ("dims.b",),
        "dims.shard": ("stream_of(dims).elements",),
        **_each_other(("queries", "cache")),
        **_each_other(("by_head", "by_key_head")),
        "scores": ("queries",),
        "wide": ("stream",),
        "stream": ("wide",),
        "hidden": ("by_width",),
        "by_width": ("by_head",),
        "elements": ("dims.shard",),
        "op.work.forward": ("op.work.activation_gradient",),
    },
    STEP_DIMS: {
        "point.batch": ("point.queries",),
        "point.queries": ("point.context",),
        "point.context": ("point.queries",),
        "model.hidden": ("model.feedforward",),
        "model.feedforward": ("model.hidden",),
        "model.head_width": ("model.heads",),
        "degree": ("point.batch",),
    },
    STEP_MEMORY: {
        **_STEP_SIZES,
        **_each_other(("stream_of", "cache_of")),
        **_each_other(("queries_of", "scores_of")),
        "wide_of": ("queries_of",),
        "dims.e": ("dims.d",),
        "arms": ("arms[1:]",),
    },
    MAXIMUM: {"max": ("min",)},
    STACK: {**_each_other(("INPUT", "OUTPUT"))},
    STAGE: {
        **_each_other(("INPUT", "OUTPUT")),
        **_each_other(("case.receives", "case.sends")),
        **_each_other(COLLECTIVES),
        **_each_other(("Primitive.SEND", "Primitive.RECEIVE")),
        **_each_other(("Phase.STAGE_BOUNDARY", "Phase.SYNCHRONIZATION")),
        **_each_other(("dims.e", "dims.g")),
        **_each_other(("dims.t", "dims.data")),
        **_each_other(("dims.whole", "dims.parameters")),
        **_each_other(("dims.whole_share", "dims.optimizer_shard")),
        **_each_other(("group.elements", "group.share")),
        **_each_other(("self.group.elements", "self.group.share")),
        **_each_other(("case.sharded_parameters", "case.sharded_optimizer")),
        **_each_other(("stream_of(dims).elements", "dims.shard")),
        **_each_other(("primitives.all_reduce", "primitives.reduce_scatter")),
        **_each_other(("primitives.send", "primitives.receive")),
        **_cycle(("Phase.RECOMPUTE", "Phase.ACTIVATION_GRADIENT", "Phase.WEIGHT_GRADIENT"), 1),
        "Phase.OPTIMIZER": ("Phase.FORWARD",),
        "Phase.FORWARD": ("Phase.OPTIMIZER",),
    },
    ATTENTION: {
        **_STEP_SIZES,
        **_each_other(("STATISTIC_BYTES", "dims.e")),
        **_cycle(("projected", "scores", "rows", "wide", "table"), 2),
    },
    PRIMITIVES: {**_each_other(("elements", "shard"))},
    PLAN: {**_cycle(("operations", "read_bytes", "write_bytes", "message_bytes"), 1), "each": ("width",)},
    DIMS: {
        **_each_other(("self.H", "self.F_t")),
        **_each_other(("self.h_t", "self.k_t")),
        **_each_other(("queries", "keys")),
        **_each_other(("factors.sequence", "factors.batch")),
        "strategy.data": ("strategy.tensor",),
        "strategy.gradient_bytes": ("workload.dtype.width",),
        "workload.dtype.width": ("strategy.gradient_bytes",),
    },
    **{f"rules/primitives/{name}.py": _each_other(("E", "E_t")) for name in FORMULAS},
    "rules/planning/task.py": _cycle(("W", "Q_r", "Q_w", "M"), 1),
    "rules/planning/memory.py": {
        **_cycle(("C_0", "C_1", "C_2", "C_3"), 3),
        **_cycle(("e", "g", "o"), 2),
        **_each_other(("N", "n_D")),
        **_cycle(_STAGES, 2),
        **_RELATIONS,
    },
    "rules/planning/weights.py": {**_each_other(("e", "g")), **_each_other(("N", "n_D")), **_cycle(_STAGES, 2)},
    "rules/planning/cache.py": {"c": ("b",), **_each_other(("K_0", "K_1")), **_RELATIONS},
    "rules/planning/workspace.py": {**_TOKENS, **_RELATIONS},
    "rules/planning/inference_memory.py": _cycle(("C_w", "C_kv", "C_ws"), 1),
    "rules/planning/activations.py": {**_RECOMPUTES, **_SPLITS, **_each_other(("HEADS", "WIDE")), "X": ("A",)},
    "rules/training/block.py": {
        **_each_other(("FORWARD", "BACKWARD")),
        **_RELATIONS,
        "Reference.FORWARD": ("Reference.UNSHARDED",),
        "Portion.OPERATION": ("Portion.EACH",),
    },
    "rules/training/recompute.py": {**_RECOMPUTES, **_each_other(("full", "selective"))},
    "rules/training/rank_sum.py": {
        **_RECOMPUTES,
        **_SPLITS,
        **_each_other(("SPLIT", "STREAM")),
        "Reference.UNSHARDED": ("Reference.FORWARD",),
    },
    "rules/training/tensor_collective.py": {
        **_RECOMPUTES,
        **_each_other(("Quantity.OPERATIONS", "Quantity.MESSAGE_BYTES")),
    },
    "rules/planning/fused_attention.py": {
        **_TOKENS,
        **_RELATIONS,
        **_each_other(("X_1", "Y_1")),
        **_each_other(("X_max", "Y_max")),
        **_each_other(("h_t", "k_t")),
        "e": ("d",),
    },
    "rules/stage/payload.py": {
        **_TOKENS,
        "S": ("H",),
        "e": ("t",),
        **_each_other(("case.receives", "case.sends")),
        "case.sequence_parallel": ("case.tensor_parallel",),
        "Portion.EACH": ("Portion.ALL",),
    },
    "rules/stage/total.py": {
        **_QUANTITIES,
        **_cycle(_STAGES, 2),
        **_each_other(("e", "g")),
        **_each_other(("N", "n_D")),
        **_each_other(("D", "t")),
        "n_w": ("n_D",),
    },
    "rules/training/total.py": {
        **_RECOMPUTES,
        **_QUANTITIES,
    },
    # These import no c.
    **{f"rules/inference/{name}.py": {"q": ("b",)} for name in ("qkv_projection", "output_projection", "mlp")},
    "rules/inference/attention_core.py": _TOKENS,
    "rules/inference/cache_traffic.py": {
        **_TOKENS,
        **_each_other(("Quantity.KV_READ_BYTES", "Quantity.KV_WRITE_BYTES")),
        "Quantity.WRITE_BYTES": ("Quantity.READ_BYTES",),
        "Portion.EACH": ("Portion.ALL",),
    },
    "rules/inference/prefill.py": {**_TOKENS, **_RELATIONS, **_each_other(("W_p", "W_t"))},
    "rules/inference/rank_sum.py": {"Reference.UNSHARDED": ("Reference.FORWARD",)},
    "rules/inference/tensor_collective.py": {
        "q": ("b",),
        **_each_other(("Quantity.OPERATIONS", "Quantity.MESSAGE_BYTES")),
        "Portion.EACH": ("Portion.ALL",),
    },
    "rules/inference/total.py": {**_TOKENS, **_QUANTITIES},
}
"""Names that stand for each other in a fault: file -> name -> names put in its place."""

UNMUTATED: Final = frozenset({"saved_operands", "consumers", "add_tensor", "exact_share", "_with_share"})
"""Functions with neither work nor communication in them: data flow by name, exact division, plumbing."""

TABLES: Final[dict[str, tuple[str, ...]]] = {
    "ENTERS": ("'activation'",),
    "LEAVES": ("'activation'",),
    "ATTENTION_CORE": ("'key_projection'",),
    "REGION_END": ("'softmax'", "'scores'"),
    "COMMUNICATION_PHASES": (),
    "CACHED": ("'query_projection'",),
    "UNSTORED_OUTPUTS": ("'attention_dropout'", "'context'"),
    "UNSTORED_ACTIVATIONS": ("'softmax'", "'output_dropout'"),
    "MADE_AGAIN": ("'forward'", "'discarded'"),
    "GRADIENT_PHASES": ("Phase.RECOMPUTE", "Phase.RECOMMUNICATION"),
    **dict.fromkeys(("PRODUCTS", "BACKWARD", "WORKING", "PHASES", "SPLIT", "STREAM", "LOCAL"), ()),
}
"""Tables that say what stands where, with elements to add; each of their own is left out in turn."""

NO_INSTANCE: Final = {"WHOLE": "premise", "WITNESS": "witness", "SHORT": "reason", "_RISING": "", "_growth": ""}
"""What a bound alone is written with: it holds for all values, so that no plan has an instance of it."""

OF_FALSE_VARIANTS: Final = frozenset((("rules/planning/workspace.py", "_ABOVE"), ("rules/inference/total.py", "V")))
"""What false variants alone are written with; they are not mutated."""

HINTS: Final = {"because": "reason", "premises": "premise", "witness": "witness"}
"""Arguments of a bound with which it is proved; without the right one it need not be false, but it is not proved."""

CONDITIONS: Final = frozenset(("partial", "store_output", "store_activation"))
"""Arguments that say whether something is so."""

REMOVABLE: Final = frozenset(
    "add_collective add_step append extend join_gradients activation_gradient weight_gradient "
    "forward recompute backward optimizer".split()
)
"""Calls whose whole statement is removed."""


class Mutant(msgspec.Struct, frozen=True):
    """One fault: a file with its whole mutated text, and the lines before and after."""

    kind: str
    operator: str
    path: str
    line: int
    before: str
    after: str
    text: str
    asked: str = ""
    """What it is put to: both questions; `theorem` of a bound alone, `instance` of a requirement alone."""

    @property
    def key(self) -> tuple[str, str, str]:
        """What names the mutant, independent of its line number: file, lines before, lines after, with their form."""
        return self.path, self.before, self.after

    @property
    def in_rule(self) -> bool:
        """Whether the fault is in a law, and not in the derivation."""
        return self.path.startswith("rules/")


def targets() -> Iterator[tuple[str, str]]:
    """Every mutated file with the kind of its mutants."""
    yield from ((f"rules/training/{name}.py", "law") for name in LAWS)
    yield from ((f"rules/inference/{name}.py", "law") for name in INFERENCE_LAWS)
    yield from ((f"rules/stage/{name}.py", "law") for name in STAGE_LAWS)
    yield from ((f"rules/primitives/{name}.py", "formula") for name in FORMULAS)
    yield from ((f"rules/primitives/{name}.py", "definition") for name in DEFINED)
    yield from ((f"rules/planning/{name}.py", "projection") for name in ("task", "buffer"))
    yield from ((f"rules/planning/{name}.py", "memory law") for name in MEMORY_LAWS)
    yield from ((MEMORY, "memory"), (PRIMITIVES, "primitive"), (BLOCK, "block"), (PLAN, "plan"), (DIMS, "dims"))
    yield from (
        (OPERATORS, "block"),
        (STEP, "block"),
        (STEP_DIMS, "dims"),
        (STEP_MEMORY, "memory"),
        (MAXIMUM, "memory"),
        (STACK, "stage"),
        (STAGE, "stage"),
        (ATTENTION, "memory"),
    )


def installed(path: str) -> str:
    """Where a source lies in a folder that is laid out like the installed package, with the rules inside it."""
    return path if path.startswith("blueprint/") else f"blueprint/{path}"


def mutants(base: Path) -> list[Mutant]:
    """Every mutant of the sources in a snapshot, without two of the same text."""
    found: list[Mutant] = []
    for path, kind in targets():
        text = (base / installed(path)).read_text(encoding="utf-8")
        seen = {ast.dump(ast.parse(text))}
        for mutant in _Finder(path, kind, text).run():
            form = ast.dump(ast.parse(mutant.text))
            if form not in seen:
                seen.add(form)
                found.append(mutant)
    return found


class _Finder(ast.NodeVisitor):
    """Walks one module and writes down every fault that the operators make of it."""

    def __init__(self, path: str, kind: str, text: str) -> None:
        self.path = path
        self.kind = kind
        self.data = text.encode()
        starts = [0]
        for line in self.data.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        self.starts = starts
        self.tree = ast.parse(text)
        self.swaps = SWAPS.get(path, {})
        self.scope: list[str] = []
        self.found: list[Mutant] = []
        self.inner: set[ast.AST] = set()
        self.counting = False
        self.label = ""
        self.asked = ""
        self.form = ""

    def run(self) -> list[Mutant]:
        self.visit(self.tree)
        return self.found

    # Replacement of one node by a text ------------------------------------------------------------------------------

    def plant(self, node: ast.expr | ast.stmt, by: str, operator: str) -> None:
        """Add the mutant in which `node` reads `by`."""
        if node.end_lineno is None or node.end_col_offset is None:
            return
        start = self.starts[node.lineno - 1] + node.col_offset
        stop = self.starts[node.end_lineno - 1] + node.end_col_offset
        data = self.data[:start] + by.encode() + self.data[stop:]
        rest = len(self.data) - self.starts[node.end_lineno]
        first = self.starts[node.lineno - 1]
        before, after = self.data[first : self.starts[node.end_lineno]], data[first : len(data) - rest]
        kind = self.kind
        if self.path == PRIMITIVES and self.scope and self.scope[0].removesuffix("_gradient") in DEFINED:
            kind = "definition"
        if self.scope and (self.path, self.scope[0]) in {(DIMS, "dims_of"), (STEP_DIMS, "inference_dims_of")}:
            kind = "binding"
        operator = self.label or operator
        if kind == "definition" and operator not in {"coefficient", "term dropped", "sign", "multiplicity"}:
            return
        lines = _flat(before), _flat(after)
        if self.form and self.form not in lines[0]:
            lines = f"{self.form}: {lines[0]}", f"{self.form}: {lines[1]}"
        self.found.append(Mutant(kind, operator, self.path, node.lineno, *lines, data.decode(), self.asked))

    def put(self, node: ast.expr, by: ast.expr, operator: str) -> None:
        """Add the mutant in which an expression is another one, in parentheses where it could need them."""
        text = ast.unparse(by)
        self.plant(node, text if isinstance(by, ast.Name | ast.Constant | ast.Attribute) else f"({text})", operator)

    # Where to look --------------------------------------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """A function's body; annotations and defaults are not arithmetic."""
        if node.name in UNMUTATED or node.name == "__post_init__":
            return
        self.scope.append(node.name)
        before, self.counting = self.counting, isinstance(node.returns, ast.Name) and node.returns.id == "int"
        asked, self.asked = self.asked, "theorem" if node.name in NO_INSTANCE else self.asked
        for each in node.body:
            self.visit(each)
        self.counting, self.asked = before, asked
        self.scope.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """A class's methods."""
        for each in node.body:
            self.visit(each)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """The value alone."""
        if node.value is not None:
            self.visit(node.value)

    def visit_keyword(self, node: ast.keyword) -> None:
        """Arguments that can hold an equation."""
        if node.arg in APART:
            return
        if node.arg in CONDITIONS:
            self.condition(node.value)
            return
        counting, label = self.counting, self.label
        self.counting = counting or node.arg == "members"
        if node.arg in HINTS:
            self.label = HINTS[node.arg]
            self.hint(node.value)
        elif node.arg in {"reads", "writes"} and self.path.startswith("rules/primitives/"):
            self.label = "multiplicity"
        self.visit(node.value)
        self.counting, self.label = counting, label

    def hint(self, node: ast.expr) -> None:
        """A premise or a reason left out, and a factor of a reason."""
        if not isinstance(node, ast.Tuple):
            self.plant(node, "()", "hint")
            return
        self.elements(node)
        for each in node.elts:
            if isinstance(each, ast.Tuple) and self.label == "reason" and len(each.elts) > 1:
                self.elements(each)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Text: nothing to mutate."""

    def visit_Assign(self, node: ast.Assign) -> None:
        """The right side; and the members of a tuple that says what stands where."""
        name = next((target.id for target in node.targets if isinstance(target, ast.Name)), "")
        if (self.path, name) in OF_FALSE_VARIANTS:
            return
        asked, label = self.asked, self.label
        if name in TABLES and isinstance(node.value, ast.Tuple):
            self.elements(node.value)
            for more in TABLES[name]:
                self.plant(node.value, f"{ast.unparse(node.value).rstrip(',)')}, {more})", "element added")
        if name in NO_INSTANCE:
            self.asked, self.label = "theorem", NO_INSTANCE[name]
            if self.label in {"premise", "witness"}:
                self.hint(node.value)
        if isinstance(node.value, ast.BoolOp | ast.Compare):
            self.condition(node.value)
        else:
            self.visit(node.value)
        self.asked, self.label = asked, label

    def visit_Expr(self, node: ast.Expr) -> None:
        """Statements that emit something are removed whole."""
        value = node.value
        if isinstance(value, ast.Constant):
            return
        called = value.func.attr if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) else ""
        if isinstance(value, ast.Yield) or called in REMOVABLE:
            self.plant(node, "pass" if isinstance(value, ast.Call) else "yield from ()", "statement removed")
        self.visit(value)

    # Operators ------------------------------------------------------------------------------------------------------

    def visit_Constant(self, node: ast.Constant) -> None:
        """Whole numbers: one more, and one less where that is not negative."""
        if type(node.value) is not int:
            return
        operator = "members" if self.counting else "coefficient"
        self.plant(node, str(node.value + 1), operator)
        if node.value > 0:
            self.plant(node, str(node.value - 1), operator)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """One component of a work vector in the place of the next; annotations are not met."""
        self.visit(node.value)
        if isinstance(node.slice, ast.Constant) and type(node.slice.value) is int:
            self.plant(node.slice, str((node.slice.value + 1) % 4), "exchange")
        else:
            self.visit(node.slice)

    def visit_Dict(self, node: ast.Dict) -> None:
        """The values."""
        for each in node.values:
            self.visit(each)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Sums, products and powers."""
        match node.op:
            case ast.Pow():
                self.exponent(node)
                return
            case ast.Add() | ast.Sub():
                self.sign(node)
                self.chain(node, (ast.Add, ast.Sub), self.drop_term)
            case ast.Mult():
                self.chain(node, (ast.Mult,), self.drop_factor)
            case _:
                pass
        self.visit(node.left)
        self.visit(node.right)

    def exponent(self, node: ast.BinOp) -> None:
        self.visit(node.left)
        if isinstance(node.right, ast.Constant) and type(node.right.value) is int:
            for other in (node.right.value + 1, node.right.value - 1):
                self.plant(node.right, str(other), "exponent")

    def sign(self, node: ast.BinOp) -> None:
        if _of_tuples(node):
            return
        other: ast.operator = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        self.put(node, ast.BinOp(node.left, other, node.right), "sign")

    def chain(
        self,
        node: ast.BinOp,
        operators: tuple[type[ast.operator], ...],
        drop: Callable[[ast.BinOp, list[tuple[bool, ast.expr]], int], None],
    ) -> None:
        """Drop each part of a sum or product, once, at its outermost node."""
        if node in self.inner:
            return
        parts = list(self.parts(node, operators, negative=False))
        for place in range(len(parts)):
            drop(node, parts, place)

    def parts(
        self, node: ast.expr, operators: tuple[type[ast.operator], ...], *, negative: bool
    ) -> Iterator[tuple[bool, ast.expr]]:
        if isinstance(node, ast.BinOp) and isinstance(node.op, operators):
            self.inner.add(node)
            yield from self.parts(node.left, operators, negative=negative)
            minus = isinstance(node.op, ast.Sub)
            yield from self.parts(node.right, operators, negative=negative is not minus)
        else:
            yield negative, node

    def drop_term(self, node: ast.BinOp, parts: list[tuple[bool, ast.expr]], place: int) -> None:
        rest = parts[:place] + parts[place + 1 :]
        (negative, total), *others = rest
        if negative:
            total = ast.BinOp(ast.Constant(0), ast.Sub(), total)
        for minus, part in others:
            total = ast.BinOp(total, ast.Sub() if minus else ast.Add(), part)
        self.put(node, total, "term dropped")

    def drop_factor(self, node: ast.BinOp, parts: list[tuple[bool, ast.expr]], place: int) -> None:
        rest = [part for _, part in parts[:place] + parts[place + 1 :]]
        total = rest[0]
        for part in rest[1:]:
            total = ast.BinOp(total, ast.Mult(), part)
        self.put(node, total, "factor dropped")

    # Conditions -----------------------------------------------------------------------------------------------------

    def visit_If(self, node: ast.If) -> None:
        """The condition and both branches."""
        self.condition(node.test)
        for each in (*node.body, *node.orelse):
            self.visit(each)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        """The condition and both values."""
        self.condition(node.test)
        self.visit(node.body)
        self.visit(node.orelse)

    def visit_Return(self, node: ast.Return) -> None:
        """A returned condition is one too."""
        value = node.value
        if isinstance(value, ast.Constant) and isinstance(value.value, bool):
            self.plant(value, str(not value.value), "condition")
        elif isinstance(value, ast.BoolOp | ast.Compare):
            self.condition(value)
        elif value is not None:
            self.visit(value)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        """What is gone through, and each condition."""
        self.visit(node.iter)
        for each in node.ifs:
            self.condition(each)

    def condition(self, node: ast.expr) -> None:
        """Each part of a condition dropped and negated; `and` and `or` exchanged."""
        if isinstance(node, ast.BoolOp):
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            self.put(node, ast.BoolOp(other, node.values), "condition")
            for place, part in enumerate(node.values):
                rest = node.values[:place] + node.values[place + 1 :]
                self.put(node, rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest), "condition")
                self.condition(part)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.put(node, node.operand, "condition")
            if isinstance(node.operand, ast.BoolOp):
                self.condition(node.operand)
            else:
                self.visit(node.operand)
        else:
            self.put(node, ast.UnaryOp(ast.Not(), node), "condition")
            self.visit(node)

    # Names and arguments --------------------------------------------------------------------------------------------

    def visit_Name(self, node: ast.Name) -> None:
        """A name in the place of another."""
        self.swap(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """A field in the place of another."""
        self.swap(node)
        if ast.unparse(node) not in self.swaps:
            self.visit(node.value)

    def swap(self, node: ast.Name | ast.Attribute) -> None:
        if isinstance(node.ctx, ast.Load):
            for other in self.swaps.get(ast.unparse(node), ()):
                # A stronger premise makes a bound say less, which is no fault that a proof could find.
                if self.label == "premise" and ast.unparse(node) == "Relation.AT_MOST":
                    continue
                self.plant(node, other, "comparison" if other.startswith("Relation.") else "exchange")

    def visit_Call(self, node: ast.Call) -> None:
        """Operands change places; a form loses the definitions under which it holds."""
        name = ast.unparse(node.func)
        if name.startswith("primitives.") or name in {"_linear", "plan_work", "model_state"}:
            self.neighbours(node)
        if name == "Formula":
            self.multiplicities(node)
        asked, form = self.asked, self.form
        self.asked = {"BoundLaw": "theorem", "Requirement": "instance"}.get(name, asked)
        if name in {"Bound", "Equation", "Maximum"} and node.args:
            named = node.args[0]
            self.form = str(named.value) if isinstance(named, ast.Constant) else ast.unparse(named)
        self.inside(node, name)
        self.asked, self.form = asked, form

    def multiplicities(self, node: ast.Call) -> None:
        """How often the traffic counts the first tensor, where nothing is said; and nothing said where something is."""
        self.label = "multiplicity"
        said = {keyword.arg: keyword for keyword in node.keywords}
        for each in ("reads", "writes"):
            rest = [keyword for keyword in node.keywords if keyword.arg != each]
            others = [rest] if each in said else [[*rest, _first(each, often)] for often in (2, 0)]
            for keywords in others:
                self.plant(node, ast.unparse(ast.Call(node.func, node.args, keywords)), "multiplicity")
        self.label = ""

    def inside(self, node: ast.Call, name: str) -> None:
        for keyword in node.keywords:
            if keyword.arg == "where":
                self.plant(keyword.value, "()", "definition dropped")
            # An empty list would mean all, or nothing at all.
            named = keyword.arg in {"phases", "primitives"}
            if named and isinstance(keyword.value, ast.Tuple) and len(keyword.value.elts) > 1:
                self.elements(keyword.value)
        if name == "count":
            before, self.counting = self.counting, True
            self.generic_visit(node)
            self.counting = before
            return
        if isinstance(node.func, ast.Attribute):
            self.visit(node.func)
        for each in (*node.args, *node.keywords):
            self.visit(each)

    def neighbours(self, node: ast.Call) -> None:
        """Each pair of neighbouring arguments exchanged."""
        for place in range(len(node.args) - 1):
            one, two = node.args[place], node.args[place + 1]
            if isinstance(one, ast.Constant) or isinstance(two, ast.Constant):
                continue
            args = [*node.args[:place], two, one, *node.args[place + 2 :]]
            self.plant(node, ast.unparse(ast.Call(node.func, args, node.keywords)), "exchange")

    def visit_Tuple(self, node: ast.Tuple) -> None:
        """Sizes of a tensor or of a product: each dropped, each pair of neighbours exchanged."""
        sizes = [each for each in node.elts if ast.unparse(each).startswith("dims.")]
        if self.path in {BLOCK, STEP} and isinstance(node.ctx, ast.Load) and sizes and len(sizes) == len(node.elts) > 1:
            self.elements(node)
            for place in range(len(sizes) - 1):
                elements = [*sizes[:place], sizes[place + 1], sizes[place], *sizes[place + 2 :]]
                self.put(node, ast.Tuple(elements, ast.Load()), "exchange")
        if self.scope == ["unfused_arms"]:
            self.elements(node)
        self.generic_visit(node)

    def elements(self, node: ast.Tuple) -> None:
        """Each element of a tuple left out."""
        for place in range(len(node.elts)):
            rest = [*node.elts[:place], *node.elts[place + 1 :]]
            self.plant(node, ast.unparse(ast.Tuple(rest, ast.Load())), "element dropped")


def _first(name: str, often: int) -> ast.keyword:
    return ast.keyword(name, ast.Tuple([ast.Constant(often)], ast.Load()))


def _flat(data: bytes) -> str:
    return " ".join(data.decode().split())


def _of_tuples(node: ast.BinOp) -> bool:
    """Whether a sum joins tuples, which have no difference."""
    words = ("sizes", "parameters_read", "self.saved(", "self.used(")
    return any(word in ast.unparse(node) for word in words)
