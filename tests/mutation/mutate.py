"""Plant one fault at a time in the laws and in the derivation, and see what catches it: `make mutate`.

Every mutant is put to two questions, each in a folder of its own with nothing recorded beside it:

- prove: does a fresh `prove` refute a theorem (with a counterexample), or find a law's group at fault?
- derive: does the commit gate refuse what is derived? Where a mutated derivation gets through the gate, does `verify`
  of the unmutated engine, with replay off, refute the bundle?

Both must say so. A crash is no answer: such a mutant is `stillborn` and listed apart, as is one in EQUIVALENT, which
has a proof that it changes nothing. All others survive, and the exit status is 1.

Two shortcuts save time and no question. Theorems are decided in portions, and the first portion with a refutation is
the last. A strategy in which the mutated derivation computes the same block as the unmutated one is not derived again.
A mutant that changes no task's work in any case (compared at large arguments) says nothing that a theorem could
refute: its first column is `unaffected`, and only the second is asked for.
"""

from __future__ import annotations

import ast
import gc
import hashlib
import importlib
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, Self, TypeVar

import msgspec

import blueprint
from blueprint import normalform, obligation, smtlib, symbols
from blueprint.case import all_cases
from blueprint.discharge import SolverPool
from blueprint.errors import BlueprintError, DecidersDisagreeError, GateError, NotEstablishedError, PassFailedError
from blueprint.frontend.request import training_request
from blueprint.ir.common import DType
from blueprint.ir.request import Activation, Communication, ModelFacts, Recompute, Request
from blueprint.proving import ProofReport
from blueprint.session import open_rulebook
from blueprint.verdict import Answer
from blueprint.worker import Batch

T = TypeVar("T")

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "build" / "mutation.json"
LANES = 2
PATIENCE = 600
"""Seconds after which a mutant is given up; it then counts as a survivor."""


# What is mutated ------------------------------------------------------------------------------------------------------

LAWS: Final = ("qkv_projection", "attention_matmul", "output_projection", "mlp", "tensor_collective", "total")
FORMULAS: Final = ("linear", "batched_matmul", "all_reduce", "all_gather", "reduce_scatter")
DEFINED: Final = ("layer_norm", "softmax", "gelu", "dropout", "residual", "fork", "optimizer")
"""Primitives whose coefficients are chosen; a mutant there is refuted because formula = derivation is a theorem."""

PRIMITIVES = "blueprint/workload/primitives.py"
BLOCK = "blueprint/workload/training_block.py"
PLAN = "blueprint/workload/plan.py"
DIMS = "blueprint/workload/dims.py"
TOTAL = "training.total"

APART: Final = frozenset(
    "id statement source rewrite boundary lineage signature targets claims preserves introduces forbids "
    "operands definition law wrong boundaries".split()
)
"""Arguments that are no equation; `wrong` holds the false variants, which are not mutated."""

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


SWAPS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    BLOCK: {
        **_each_other(("ENTERS", "LEAVES")),
        "ATTENTION_CORE": ("ENTERS",),
        **_each_other(COLLECTIVES),
        **_each_other(("Recompute.FULL", "Recompute.SELECTIVE", "Recompute.NONE")),
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
        **_each_other(("inner.elements", "outer.elements")),
        "op.work.forward": ("op.work.activation_gradient",),
        "op.work.activation_gradient": ("op.work.forward", "op.work.weight_gradient"),
        "op.work.weight_gradient": ("op.work.forward",),
        **_cycle(("self.communicates", "self.recommunicates", "self.gradient_communicates", "self.recomputes"), 1),
        **_each_other(("self.used", "self.saved")),
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
    "rules/training/tensor_collective.py": {
        **_each_other(("Recompute.FULL", "Recompute.SELECTIVE", "Recompute.NONE")),
        **_each_other(("Quantity.OPERATIONS", "Quantity.MESSAGE_BYTES")),
    },
    "rules/training/total.py": {
        **_each_other(("Recompute.FULL", "Recompute.SELECTIVE", "Recompute.NONE")),
        **_cycle(("Quantity.OPERATIONS", "Quantity.READ_BYTES", "Quantity.WRITE_BYTES", "Quantity.MESSAGE_BYTES"), 1),
    },
}
"""Names that stand for each other in a fault: file -> name -> names put in its place."""

UNMUTATED: Final = frozenset({"saved_operands", "consumers", "add_tensor", "_exact", "_with_share"})
"""Functions with neither work nor communication in them: data flow by name, exact division, plumbing."""

REMOVABLE: Final = frozenset(
    "add_collective add_step append join_gradients activation_gradient weight_gradient "
    "forward recompute backward optimizer".split()
)
"""Calls whose whole statement is removed."""

_NO_GROUPED_QUERIES = (
    "the front end admits k = h alone (check_domain raises NotCoveredError), so k_t = h_t in every derivation; "
    "where a task's work is concerned, prove refutes it"
)
_SAME_MOVED = "`right` is always exchange(case), whose components 1 and 2 are one expression, or NOTHING"
_SUM = "return (left[0] + right[0], left[1] + right[1], left[2] + right[2], left[3] + right[3])"
_MATRICES = "matrices = self.H * queries + 2 * (self.H * keys) + queries * self.H + 2 * (self.H * self.F_t)"
_HELD = "return matrices + norms + queries + 2 * keys + self.F_t + 2 * self.H"
_ALL_REDUCE = "work, local = primitives.all_reduce(elements, shard, self.dims.t, self.dims.e), "

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
    **{
        (path, before, before.replace(old, new, 1)): ("derive", _NO_GROUPED_QUERIES)
        for path, before, old, new in (
            (BLOCK, "queries = Local((dims.B, dims.S, dims.h_t, dims.d), Axis.HEADS)", "h_t", "k_t"),
            (BLOCK, "keys = Local((dims.B, dims.S, dims.k_t, dims.d), Axis.KEY_VALUE_HEADS)", "k_t", "h_t"),
            (BLOCK, "scores = Local((dims.B, dims.h_t, dims.S, dims.S), Axis.HEADS)", "h_t", "k_t"),
            (BLOCK, "by_head = Local((dims.h_t, dims.d), Axis.HEADS)", "h_t", "k_t"),
            (BLOCK, "by_key_head = Local((dims.k_t, dims.d), Axis.KEY_VALUE_HEADS)", "k_t", "h_t"),
            (BLOCK, "batch = dims.B * dims.h_t", "h_t", "k_t"),
            (DIMS, "queries, keys = self.h_t * self.d, self.k_t * self.d", "h_t", "k_t"),
            (DIMS, "queries, keys = self.h_t * self.d, self.k_t * self.d", "k_t", "h_t"),
            (DIMS, _MATRICES, "self.H * queries", "self.H * keys"),
            (DIMS, _MATRICES, "self.H * keys", "self.H * queries"),
            (DIMS, _MATRICES, "queries * self.H", "keys * self.H"),
            (DIMS, _HELD, "+ queries", "+ keys"),
            (DIMS, _HELD, "2 * keys", "2 * queries"),
        )
    },
}
"""Mutant -> what it is equivalent for (`both`, or `derive`: for every request that the gate admits), and the proof."""


class Mutant(msgspec.Struct, frozen=True):
    """One fault: a file with its whole mutated text, and the lines before and after."""

    kind: str
    operator: str
    path: str
    line: int
    before: str
    after: str
    text: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What names the mutant, independent of its line number: file, lines before, lines after."""
        return self.path, self.before, self.after

    @property
    def in_rule(self) -> bool:
        """Whether the fault is in a law, and not in the derivation."""
        return self.path.startswith("rules/")


def targets() -> Iterator[tuple[str, str]]:
    """Every mutated file with the kind of its mutants."""
    yield from ((f"rules/training/{name}.py", "law") for name in LAWS)
    yield from ((f"rules/primitives/{name}.py", "formula") for name in FORMULAS)
    yield from ((f"rules/primitives/{name}.py", "definition") for name in DEFINED)
    yield from ((f"rules/planning/{name}.py", "projection") for name in ("task", "buffer"))
    yield from ((PRIMITIVES, "primitive"), (BLOCK, "block"), (PLAN, "plan"), (DIMS, "dims"))


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
        if self.path == DIMS and self.scope and self.scope[0] == "dims_of":
            kind = "binding"
        if kind == "definition" and operator not in {"coefficient", "term dropped", "sign"}:
            return
        self.found.append(Mutant(kind, operator, self.path, node.lineno, _flat(before), _flat(after), data.decode()))

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
        for each in node.body:
            self.visit(each)
        self.counting = before
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
        before = self.counting
        self.counting = before or node.arg == "members"
        self.visit(node.value)
        self.counting = before

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Text: nothing to mutate."""

    def visit_Assign(self, node: ast.Assign) -> None:
        """The right side; and the members of a tuple that says what stands where."""
        names = {target.id for target in node.targets if isinstance(target, ast.Name)}
        if names & {"ENTERS", "LEAVES", "ATTENTION_CORE", "COMMUNICATION_PHASES"} and isinstance(node.value, ast.Tuple):
            self.elements(node.value)
            if self.path == BLOCK:
                more = "key_projection" if "ATTENTION_CORE" in names else "activation"
                self.plant(node.value, f"{ast.unparse(node.value)[:-1]}, '{more}')", "element added")
            return
        self.visit(node.value)

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
                self.plant(node, other, "exchange")

    def visit_Call(self, node: ast.Call) -> None:
        """Operands change places; a form loses the definitions under which it holds."""
        name = ast.unparse(node.func)
        if name.startswith("primitives.") or name in {"_linear", "plan_work"}:
            self.neighbours(node)
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
        if self.path == BLOCK and isinstance(node.ctx, ast.Load) and sizes and len(sizes) == len(node.elts) > 1:
            self.elements(node)
            for place in range(len(sizes) - 1):
                elements = [*sizes[:place], sizes[place + 1], sizes[place], *sizes[place + 2 :]]
                self.put(node, ast.Tuple(elements, ast.Load()), "exchange")
        self.generic_visit(node)

    def elements(self, node: ast.Tuple) -> None:
        """Each element of a tuple left out."""
        for place in range(len(node.elts)):
            rest = [*node.elts[:place], *node.elts[place + 1 :]]
            self.plant(node, ast.unparse(ast.Tuple(rest, ast.Load())), "element dropped")


def _flat(data: bytes) -> str:
    return " ".join(data.decode().split())


def _of_tuples(node: ast.BinOp) -> bool:
    """Whether a sum joins tuples, which have no difference."""
    words = ("sizes", "parameters_read", "self.saved(", "self.used(")
    return any(word in ast.unparse(node) for word in words)


# Strategies -----------------------------------------------------------------------------------------------------------


def _model(*, hidden: int, biases: bool) -> ModelFacts:
    """A small classical block, H = h d at hidden = 40, whose sizes are all different on every rank."""
    return ModelFacts(
        name="mutated",
        hidden=hidden,
        feedforward=52,
        heads=8,
        key_value_heads=8,
        head_width=5,
        layers=2,
        vocabulary=11,
        positions=64,
        biases=biases,
        activation=Activation.GELU,
    )


def _request(
    recompute: Recompute,
    communication: Communication,
    tensor: int,
    *,
    zero: int = 0,
    biases: bool = True,
    hidden: int = 40,
    dtype: DType = DType.BFLOAT16,
    gradient: int = 4,
) -> Request:
    return training_request(
        _model(hidden=hidden, biases=biases),
        tensor=tensor,
        pipeline=1,
        data=3,
        batch=3,
        sequence=28,
        microbatches=1,
        dtype=dtype,
        recompute=recompute,
        communication=communication,
        zero=zero,
        gradient_bytes=gradient,
        shard_checkpoint=False,
    )


def _strategies() -> tuple[Request, ...]:
    """Every recompute, communication and t = 1 or t > 1; with and without biases, sharding, and H = h d among them."""
    reduce, split = Communication.ALL_REDUCE, Communication.SEQUENCE_PARALLEL
    none, selective, full = Recompute.NONE, Recompute.SELECTIVE, Recompute.FULL
    return (
        _request(selective, split, 4),
        _request(full, reduce, 4, zero=1),
        _request(full, split, 4, biases=False),
        _request(none, reduce, 4, zero=2, biases=False, hidden=36),
        _request(none, split, 4, zero=1, dtype=DType.FLOAT32),
        _request(selective, reduce, 4, dtype=DType.FLOAT32, gradient=2),
        _request(none, reduce, 1),
        _request(none, split, 1, zero=3),
        _request(selective, reduce, 1, hidden=36),
        _request(selective, split, 1, biases=False),
        _request(full, reduce, 1, biases=False),
        _request(full, split, 1),
    )


STRATEGIES: Final = _strategies()


def _words(request: Request) -> str:
    strategy, model = request.strategy, request.model
    shape = "H = hd" if model.hidden == model.heads * model.head_width else "H != hd"
    return (
        f"{strategy.recompute.value}, {strategy.communication.value}, t={strategy.tensor}, zero={strategy.zero}, "
        f"{'biases' if model.biases else 'no biases'}, {shape}, {request.workload.dtype.value}"
    )


# One lane: the unmutated sources, warm, and a fork of their process for each mutant ---------------------------------


class Column(msgspec.Struct, frozen=True):
    """One column of the table: what became of the mutant, and by which theorem, claim or law.

    `prove`: refuted, proved, undecided, crash, unaffected. `derive`: refused, refuted, derived, undecided, crash.
    """

    verdict: str
    by: tuple[str, ...] = ()
    note: str = ""


class Found(msgspec.Struct, frozen=True):
    """Both columns of one mutant; `works` and `blocks` identify what its derivation computes."""

    prove: Column
    derive: Column
    works: str = ""
    blocks: tuple[str, ...] = ()
    bundles: tuple[bytes, ...] = ()


class Pool(SolverPool):
    """One solver worker for a whole lane, which remembers what it has answered: equal texts have equal answers."""

    def __init__(self) -> None:
        super().__init__(1)
        self.known: dict[tuple[bool, int, str], Answer] = {}

    def __exit__(self, *_: object) -> None:
        """Stays open for the next mutant."""

    def solve(self, batches: Iterable[Batch]) -> list[Answer]:
        """Ask what is not known yet."""
        asked = [(batch.ground, batch.budget, question) for batch in batches for question in batch.questions]
        keys = [(ground, budget, question.text) for ground, budget, question in asked]
        new = {key: question for key, (_, _, question) in zip(keys, asked, strict=True) if key not in self.known}
        alone = [(key, Batch((question,), key[0], key[1])) for key, question in new.items()]
        self.known.update(zip((key for key, _ in alone), super().solve([batch for _, batch in alone]), strict=True))
        return [self.known[key] for key in keys]

    def renew(self) -> None:
        """Start the worker again if it has died."""
        if any(worker.process.poll() is not None for worker in self.workers):
            self.close()
        self.start()

    def inherit(self) -> None:
        """In a fork: the worker is the parent's child, so that its end cannot be asked for here."""
        for worker in self.workers:
            setattr(worker.process, "poll", lambda: None)  # noqa: B010 -- a method is replaced


class Lane:
    """Answers for one mutant after another. The control, without a mutant, comes first and warms the caches."""

    def __init__(self, base: Path, count: int) -> None:
        if not Path(blueprint.__file__).is_relative_to(base):
            raise SystemExit(f"imported {blueprint.__file__}, which is not in {base}")
        sys.dont_write_bytecode = True
        self.base = base
        self.requests = STRATEGIES[:count]
        self.laws = {
            rule.id: tuple(law.id for law in getattr(rule, "laws", ())) or ("",) for rule in open_rulebook(None).rules
        }
        self.rules = tuple(self.laws)
        self.derivation = _dependents(base / "blueprint", "blueprint.workload")
        self.pool = Pool()
        self.pool.start()
        _remember()
        self.control = self.attempt(None)
        refuted = self.verify(self.control.bundles)
        if refuted:
            self.control = msgspec.structs.replace(self.control, derive=Column("refuted", refuted))

    def answer(self, mutant: Mutant) -> Found:
        """Plant the mutant in the lane's own sources, ask in a fork, and mend the sources."""
        path = self.base / installed(mutant.path)
        sound = path.read_bytes()
        # A compiled form is told from an old one by time and size alone, so there is to be none.
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            compiled.unlink()
        path.write_text(mutant.text, encoding="utf-8")
        try:
            data = self.fork(lambda: self.attempt(mutant))
        finally:
            path.write_bytes(sound)
        if data is None:
            late = Column("undecided", note=f"the process died, or gave no answer within {PATIENCE} s")
            return Found(late, late)
        found = msgspec.msgpack.decode(data, type=Found)
        if mutant.in_rule or not found.bundles or found.derive.verdict == "refused":
            return found
        # The gate let bundles of a mutated derivation through: the unmutated engine is asked.
        data = self.fork(lambda: self.verify(found.bundles))
        refuted = msgspec.msgpack.decode(data, type=tuple[str, ...]) if data is not None else ()
        return msgspec.structs.replace(found, derive=Column("refuted", refuted)) if refuted else found

    def fork(self, action: Callable[[], object]) -> bytes | None:
        """The encoded outcome of an action in a process of its own; None if it gives none."""
        self.pool.renew()
        reader, writer = os.pipe()
        process = os.fork()
        if process == 0:
            try:
                signal.alarm(PATIENCE)
                self.pool.inherit()
                data = msgspec.msgpack.encode(action())
                with os.fdopen(writer, "wb") as outgoing:
                    outgoing.write(data)
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as incoming:
            data = incoming.read()
        os.waitpid(process, 0)
        if not data:
            self.pool.close()
        return data or None

    def attempt(self, mutant: Mutant | None) -> Found:
        """Both columns for the sources as they lie in the folder."""
        if mutant is not None and not mutant.in_rule:
            for name in self.derivation:
                sys.modules.pop(name, None)
            works, blocks = _outcome(_works), tuple(_outcome(partial(_block, each)) for each in self.requests)
            same = works == self.control.works
            proved = Column("unaffected") if same else self.prove(self.portions(mutant))
            changed = [
                each
                for each, block, sound in zip(self.requests, blocks, self.control.blocks, strict=True)
                if block != sound
            ]
            derived, bundles = self.derive(changed)
            return Found(proved, derived, works, blocks, bundles)
        proved = self.prove(self.portions(mutant))
        derived, bundles = self.derive(self.requests)
        if mutant is not None:
            return Found(proved, derived)
        return Found(
            proved, derived, _outcome(_works), tuple(_outcome(partial(_block, each)) for each in self.requests), bundles
        )

    def portions(self, mutant: Mutant | None) -> Iterator[tuple[tuple[str, ...], str]]:
        """Rules to prove, and the one law that is asked for if any, those first that are likely to refute."""
        if mutant is None:
            yield self.rules, ""
            return
        if mutant.in_rule:
            family, stem = mutant.path.removeprefix("rules/").removesuffix(".py").split("/")
            yield from (((f"{family}.{stem}",), law) for law in self.laws[f"{family}.{stem}"])
            return
        first = {PRIMITIVES: "primitives.", PLAN: "planning."}.get(mutant.path, "training.")
        yield tuple(each for each in self.rules if each.startswith(first) and each != TOTAL), ""
        yield from (((TOTAL,), law) for law in self.laws[TOTAL])
        yield tuple(each for each in self.rules if not each.startswith(first) and each != TOTAL), ""

    def prove(self, portions: Iterable[tuple[tuple[str, ...], str]]) -> Column:
        """A fresh `prove` of one portion of the theorems after another, until one refutes something."""
        crashes: list[str] = []
        undecided: list[str] = []
        for rules, law in portions:
            with tempfile.TemporaryDirectory() as empty:
                try:
                    report = self.prove_one(Path(empty), rules, law)
                except DecidersDisagreeError as error:
                    undecided.append(error.message)
                    continue
                except Exception as error:  # noqa: BLE001 -- mutated code may raise anything
                    crashes.append(_crash(error))
                    continue
            # A theorem that is no longer true; not a false variant that has become one.
            refuted = [
                each.path
                for each in report.findings
                if each.code == "law.group" or (each.code == "law.theorem" and ": is refuted" in each.message)
            ]
            if refuted:
                return Column("refuted", tuple(dict.fromkeys(refuted)))
            undecided += [each.message for each in report.findings]
        if crashes:
            return Column("crash", note=crashes[0])
        return Column("undecided", note=undecided[0]) if undecided else Column("proved")

    def prove_one(self, empty: Path, rules: tuple[str, ...], law: str) -> ProofReport:
        module, theory = self.module("proving"), self.module("theory")
        module.theorems_of = lambda rule: (each for each in theory.theorems_of(rule) if not law or each.law == law)
        report: ProofReport = module.prove(empty, only=rules, jobs=1)
        return report

    def derive(self, requests: Iterable[Request]) -> tuple[Column, tuple[bytes, ...]]:
        """Derive through the gate, strategy by strategy, until the gate refuses; and the bundles that got through."""
        crashes: list[str] = []
        undecided: list[str] = []
        bundles: list[bytes] = []
        for request in requests:
            where = f"in {_words(request)}"
            try:
                bundles.append(self.module("derivation").derive(request, jobs=1))
            except PassFailedError as error:
                crashes.append(f"{error.message} {where}")
            except GateError as error:
                # A law without the tasks of which it speaks is vacuous; everything else undecided is no answer.
                if isinstance(error, NotEstablishedError) and "has no member" not in error.message:
                    undecided.append(f"{error.message} {where}")
                else:
                    return Column("refused", (_refuser(error),), f"{error.message} {where}"), ()
            except Exception as error:  # noqa: BLE001 -- mutated code may raise anything
                crashes.append(f"{_crash(error)} {where}")
        if undecided:
            return Column("undecided", note=undecided[0]), tuple(bundles)
        if crashes:
            return Column("crash", note=crashes[0]), tuple(bundles)
        return Column("derived"), tuple(bundles)

    def verify(self, bundles: Iterable[bytes]) -> tuple[str, ...]:
        """What this process's engine refutes of bundles, with replay off."""
        self.module("examine")
        refuted: dict[str, None] = {}
        for bundle in bundles:
            report = self.module("verification").verify_without_replay(bundle, jobs=1)
            for each in report.diagnostics:
                family, _, name = each.code.partition(".")
                if family in {"claim", "law", "coverage", "lineage", "structure"} and name not in {
                    "unknown",
                    "vacuous",
                }:
                    refuted[each.code] = None
        return tuple(refuted)

    def module(self, name: str) -> Any:
        """A module of the sources as they lie in the folder, with the lane's solver."""
        module = importlib.import_module(f"blueprint.{name}")
        if hasattr(module, "SolverPool"):
            setattr(module, "SolverPool", lambda _jobs: self.pool)  # noqa: B010
        return module


def _dependents(package: Path, root: str) -> frozenset[str]:
    """The modules below `root`, and all that import one of them, directly or not."""
    imports: dict[str, set[str]] = {}
    for path in package.rglob("*.py"):
        parts = (package.name, *path.relative_to(package).with_suffix("").parts)
        names = imports[".".join(part for part in parts if part != "__init__")] = set()
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.ImportFrom) and node.module:
                names |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
            elif isinstance(node, ast.Import):
                names |= {each.name for each in node.names}
    found = {name for name in imports if name == root or name.startswith(f"{root}.")}
    while more := {name for name, names in imports.items() if names & found} - found - {package.name}:
        found |= more
    return frozenset(found)


def _remember() -> None:
    """Give each pure function on which much time goes a memory, by its whole argument; and write nothing to disk."""
    for name in ("proving", "derivation", "verification", "examine"):
        importlib.import_module(f"blueprint.{name}")
    replaced: dict[object, object] = {
        symbols.to_term: cache(symbols.to_term),
        obligation.theorem: _remembering(obligation.theorem),
        smtlib.render: _remembering(smtlib.render),
        normalform.decide: _remembering(normalform.decide),
        os.fsync: lambda _file: None,
    }
    for module in [os, *(each for name, each in sys.modules.items() if name.startswith("blueprint."))]:
        for name, value in list(vars(module).items()):
            if callable(value) and getattr(value, "__hash__", None) and value in replaced:
                setattr(module, name, replaced[value])


def _remembering(function: Callable[..., T]) -> Callable[..., T]:
    known: dict[bytes, T] = {}

    def remembering(*arguments: object) -> T:
        key = msgspec.msgpack.encode(arguments)
        if key not in known:
            known[key] = function(*arguments)
        return known[key]

    return remembering


def _outcome(compute: Callable[[], object]) -> str:
    """The digest of what a function returns, or the name of what it raises."""
    try:
        return hashlib.sha256(repr(compute()).encode()).hexdigest()
    except Exception as error:  # noqa: BLE001 -- mutated code may raise anything
        return type(error).__name__


def _works() -> object:
    """What every task does in every case, at two points with large arguments that satisfy the domain's equations."""
    block, dims, plan = (importlib.import_module(f"blueprint.workload.{name}") for name in _WORKLOAD)
    found: list[object] = []
    for turn in ("first", "second"):
        large = {each.name: _large(f"{turn} {each.name}") for each in fields(dims.Factors)}
        for case in all_cases():
            ranks = large["tensor"] if case.tensor_parallel else 1
            batch = large["batch"] * ranks
            shard = large["batch"] * large["sequence"] * large["hidden"]
            factors = dims.Factors(**{**large, "tensor": ranks, "batch": batch, "shard": shard})
            steps = block.training_block(dims.Dims.of(case, factors)).steps
            found.append(
                sorted((each.source, each.phase.value, each.primitive.value, repr(each.work)) for each in steps)
            )
        found.append(plan.plan_work(*(_large(f"{turn} {each}") for each in range(4))))
        found.append(plan.buffer_size((large["batch"], large["hidden"]), large["element"]))
    return found


_WORKLOAD: Final = ("training_block", "dims", "plan")


def _large(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:7], "big")


def _block(request: Request) -> object:
    """Everything of the derivation on which a pass depends, for one request."""
    block, dims, plan = (importlib.import_module(f"blueprint.workload.{name}") for name in _WORKLOAD)
    planned = plan.plan_work(*map(_large, "abcd")), plan.buffer_size((_large("a"), _large("b")), _large("c"))
    return block.training_block(dims.dims_of(request)), block.ENTERS, block.LEAVES, planned


def _crash(error: Exception) -> str:
    words = error.message if isinstance(error, BlueprintError) else str(error)
    return f"{type(error).__name__}: {words}"


def _refuser(error: GateError) -> str:
    """The claim or law that a refusal names; for a structural fault its code."""
    words = error.message.partition("steps 9 to 12, ")[2]
    if words.startswith("claim "):
        return words.partition(" is ")[0]
    if words.startswith("law "):
        return words.partition(",")[0] + (" (vacuous)" if isinstance(error, NotEstablishedError) else "")
    return f"coverage: {words}" if error.code == "gate.refuted" else f"structure: {error.code}"


def _serve(base: Path, count: int) -> None:
    """One lane: the control's columns, then the columns of each mutant that comes in, one a line."""
    lane = Lane(base, count)
    gc.freeze()
    control = msgspec.structs.replace(lane.control, bundles=(), blocks=())
    sys.stdout.buffer.write(msgspec.json.encode(control) + b"\n")
    sys.stdout.flush()
    for line in sys.stdin.buffer:
        found = lane.answer(msgspec.json.decode(line, type=Mutant))
        sys.stdout.buffer.write(msgspec.json.encode(msgspec.structs.replace(found, bundles=(), blocks=())) + b"\n")
        sys.stdout.flush()


# The run --------------------------------------------------------------------------------------------------------------


class Row(msgspec.Struct, frozen=True):
    """One mutant with what became of it: killed, survived, stillborn or equivalent."""

    kind: str
    operator: str
    place: str
    before: str
    after: str
    prove: Column
    derive: Column
    fate: str
    proof: str = ""


class Laboratory:
    """A snapshot of the sources for each lane, so that nobody's editing disturbs the run."""

    def __init__(self, folder: Path, *, lanes: int = LANES, count: int = len(STRATEGIES)) -> None:
        self.bases = [folder / f"lane{number}" for number in range(lanes)]
        first = self.bases[0]
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "blueprint", first / "blueprint", ignore=ignore)
        # Laid out as installed: rules lie in the package. Proofs are left out.
        shutil.copytree(ROOT / "rules", first / "blueprint" / "rules", ignore=ignore)
        for other in self.bases[1:]:
            shutil.copytree(first, other)
        self.count = count
        self.lanes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        # Coverage of a mutant means nothing, and would slow it down.
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("COVERAGE_", "COV_"))}
        self.lanes = [
            subprocess.Popen(
                [sys.executable, "-P", __file__, "--lane", str(base), str(self.count)],
                cwd=base,
                env={**kept, "PYTHONPATH": str(base)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            for base in self.bases
        ]
        return self

    def __exit__(self, *_: object) -> None:
        for lane in self.lanes:
            lane.kill()
            lane.communicate()

    def mutants(self) -> list[Mutant]:
        """Every mutant of the snapshot."""
        return mutants(self.bases[0])

    def control(self) -> Found:
        """The unmutated sources must be proved, derived and not refuted; else no kill would mean anything."""
        found = [self._next(lane) for lane in self.lanes]
        for each in found:
            if (each.prove.verdict, each.derive.verdict) != ("proved", "derived"):
                raise SystemExit(f"the unmutated sources: prove {_cell(each.prove)}, derive {_cell(each.derive)}")
        return found[0]

    def examine(self, chosen: Sequence[Mutant], say: Callable[[str], None]) -> list[Row]:
        """The rows of these mutants, in their order."""
        free: queue.SimpleQueue[subprocess.Popen[bytes]] = queue.SimpleQueue()
        for lane in self.lanes:
            free.put(lane)
        start = time.monotonic()

        def one(mutant: Mutant) -> Row:
            lane = free.get()
            try:
                return _judge(mutant, self._ask(lane, mutant))
            finally:
                free.put(lane)

        rows: list[Row] = []
        with ThreadPoolExecutor(len(self.lanes)) as threads:
            for row in threads.map(one, chosen):
                rows.append(row)
                spent = time.monotonic() - start
                say(f"{len(rows)}/{len(chosen)} {spent:.0f} s {row.fate}: {row.place} {row.after}")
        return rows

    def _ask(self, lane: subprocess.Popen[bytes], mutant: Mutant) -> Found:
        if lane.stdin is None:
            raise RuntimeError("a lane has no pipes")
        lane.stdin.write(msgspec.json.encode(mutant) + b"\n")
        lane.stdin.flush()
        return self._next(lane)

    def _next(self, lane: subprocess.Popen[bytes]) -> Found:
        line = lane.stdout.readline() if lane.stdout is not None else b""
        if not line:
            raise SystemExit("a lane has died")
        return msgspec.json.decode(line, type=Found)


def _judge(mutant: Mutant, found: Found) -> Row:
    """Killed only if both columns say so; equivalent only if it is listed, and then it must not be killed there."""
    proved, derived = found.prove.verdict, found.derive.verdict
    by_proof = proved in {"refuted", "unaffected"}
    by_derivation = derived in {"refused", "refuted"}
    scope, proof = EQUIVALENT.get(mutant.key, ("", ""))
    if by_proof and by_derivation:
        fate = "wrongly listed" if scope else "killed"
    elif (scope == "both" and proved != "refuted" and not by_derivation) or (scope == "derive" and by_proof):
        fate = "equivalent"
    elif "crash" in {proved, derived} and (by_proof or proved == "crash") and (by_derivation or derived == "crash"):
        fate = "stillborn"
    else:
        fate = "survived"
    place = f"{mutant.path}:{mutant.line}"
    columns = (found.prove, found.derive)
    return Row(mutant.kind, mutant.operator, place, mutant.before, mutant.after, *columns, fate, proof)


def table(rows: Sequence[Row]) -> Iterator[str]:
    """The kill table as lines: every mutant, then those that are not killed once more, then the counts."""
    for row in rows:
        yield from _lines(row)
    for fate in ("equivalent", "stillborn", "survived", "wrongly listed"):
        found = [row for row in rows if row.fate == fate]
        if found:
            yield f"\n{fate}: {len(found)}\n"
        for row in found:
            yield from _lines(row)
    heads = ("mutants", "killed", "by prove", "unaffected", "by derive", "structure")
    yield ""
    yield f"{'kind':<12}{''.join(f'{head:>12}' for head in heads)}  others"
    for kind in dict.fromkeys(row.kind for row in rows):
        yield _count_line(kind, [row for row in rows if row.kind == kind])
    yield _count_line("all", rows)


def _lines(row: Row) -> Iterator[str]:
    yield f"{row.fate} {row.kind} ({row.operator}) {row.place}"
    yield f"    {row.before}"
    yield f" -> {row.after}"
    yield f"    prove:  {_cell(row.prove)}"
    yield f"    derive: {_cell(row.derive)}"
    if row.proof:
        yield f"    proof:  {row.proof}"


def _cell(column: Column) -> str:
    words = f" by {'; '.join(column.by[:3])}" if column.by else ""
    more = f" and {len(column.by) - 3} more" if len(column.by) > 3 else ""
    note = f" ({column.note})" if column.note and not column.by else ""
    return f"{column.verdict}{words}{more}{note}"


def _count_line(kind: str, rows: Sequence[Row]) -> str:
    fates = Counter(row.fate for row in rows)
    proved = Counter(row.prove.verdict for row in rows)
    stopped = [row.derive.by[0] for row in rows if row.derive.verdict in {"refused", "refuted"}]
    structure = sum(each.startswith("structure: ") for each in stopped)
    others = ", ".join(f"{count} {fate}" for fate, count in fates.items() if fate != "killed")
    counts = (len(rows), fates["killed"], proved["refuted"], proved["unaffected"], len(stopped), structure)
    return f"{kind:<12}{''.join(f'{count:>12}' for count in counts)}  {others}".rstrip()


def main(arguments: Sequence[str]) -> int:
    """Run every mutant whose file and lines contain all the words given, and print the table."""
    if arguments[:1] == ["--lane"]:
        _serve(Path(arguments[1]), int(arguments[2]))
        return 0
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder, Laboratory(Path(folder)) as laboratory:
        chosen = [each for each in laboratory.mutants() if all(word in " ".join(each.key) for word in arguments)]
        laboratory.control()
        _say("the unmutated sources are proved, derived and not refuted")
        rows = laboratory.examine(chosen, _say)
    stale = set() if arguments else set(EQUIVALENT) - {each.key for each in chosen}
    for line in (*table(rows), *(f"listed as equivalent, but no mutant: {' '.join(key)}" for key in sorted(stale))):
        sys.stdout.write(f"{line}\n")
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_bytes(msgspec.json.format(msgspec.json.encode(rows), indent=1) + b"\n")
    bad = any(row.fate not in {"killed", "equivalent", "stillborn"} for row in rows)
    return 1 if bad or stale else 0


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
