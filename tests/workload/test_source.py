"""What may not stand in the text of passes/ and workload/: each rule over the syntax tree, and text that breaks it.

A pass carries a derivation into the IR and computes nothing. A derivation is one function for integers and for
symbolic numbers, so nothing in it may depend on which of the two it runs with.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "blueprint"
PASSES = sorted((PACKAGE / "passes").glob("*.py"))
WORKLOAD = sorted((PACKAGE / "workload").glob("*.py"))

Rule = Callable[[ast.Module, str], list[str]]
"""A rule over one file: syntax tree and file name -> what breaks it, as text."""

CALCULATING = {"math", "cmath", "operator", "functools", "itertools", "fractions", "decimal", "numbers", "statistics"}
CALCULATING |= {"random", "numpy", "sympy", "builtins", "ctypes", "struct"}
"""Modules whose functions compute or dispatch."""

REDUCING = {"min", "max", "sum", "abs", "divmod", "pow", "round", "eval", "exec", "__import__"}
"""Functions without an operator sign that compute on numbers, or hide that they do."""

CONVERTING = {"int", "float", "complex"}
"""Types that round when they are called; elsewhere they are only types."""

DUNDER = re.compile(
    r"\A__[ri]?(add|sub|mul|matmul|truediv|floordiv|mod|divmod|pow|lshift|rshift|and|or|xor|neg|pos|abs|invert)__\Z"
)

CONCATENATIONS: dict[str, set[str]] = {}
"""Joins of strings or tuples with an operator in passes/: file name -> expressions. There are none so far."""

COUNTED_NAMES = {
    "training_block.py": {
        "len(self.consumers(value)) > 1",
        "len(consumers) < 2",
    },
    # Blocks are joined by the names of their values. Nothing compared is a size: a symbolic number would refuse.
    "stack.py": {
        "name != INPUT",
        "suffix == step.name",
    },
    # An extension's operation stands behind the operation that it names, in one workload.
    "extension.py": {
        "added.workload is dims.case.workload",
        "op.name == added.source",
    },
    # Which values are parameters is read from their names.
    "stage.py": {
        "each.version == 'forward'",
        "'.' in tensor.value",
    },
}
"""Comparisons in workload/ of names, and of counts of names and blocks, never of a dimension: file -> expressions."""

NAMED = {
    "ENTERS",
    "LEAVES",
    "ATTENTION_CORE",
    "CACHED",
    "GRADIENT_PHASES",
    "MADE_AGAIN",
    "REGION_END",
    "UNSTORED_ACTIVATIONS",
    "UNSTORED_OUTPUTS",
    "names_kept",
    "names_read",
    "self.by_name",
    "op.inputs",
}
"""Collections of names that a derivation may ask whether they hold one."""

INTEGER_ONLY = {
    "dims.py": {"dims_of", "largest_share", "exact_share"},
    "inference_dims.py": {"inference_dims_of"},
    "layout.py": {"align_up", "alignment_of", "base_alignment"},
    "maximum.py": {"largest"},
}
"""File name -> its functions that read a request, or have cases under a contract; nothing symbolic reaches them."""

MEMBER = re.compile(r"\A(Axis|CacheUse|Communication|DType|Phase|Primitive|Recompute)\.[A-Z][A-Z0-9_]*\Z")
"""A word of a closed vocabulary."""


def _text(node: ast.AST) -> str:
    return f"line {getattr(node, 'lineno', 0)}: {ast.unparse(node)}"


def _outside_annotations(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node that is evaluated as a value: all but annotations, in which `|` joins types."""
    yield tree
    for name, field in ast.iter_fields(tree):
        if name in {"annotation", "returns"}:
            continue
        for child in field if isinstance(field, list) else [field]:
            if isinstance(child, ast.AST):
                yield from _outside_annotations(child)


def _imported(node: ast.AST) -> set[str]:
    """The top-level modules that an import statement names."""
    if isinstance(node, ast.Import):
        return {alias.name.partition(".")[0] for alias in node.names}
    return {(node.module or "").partition(".")[0]} if isinstance(node, ast.ImportFrom) else set()


def _called(node: ast.AST) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


# The rules ----------------------------------------------------------------------------------------------------------


def arithmetic(tree: ast.Module, file: str) -> list[str]:
    """passes/: no operator, no augmented assignment, no function that computes, under no name."""
    allowed = CONCATENATIONS.get(file, set())
    found = []
    for node in _outside_annotations(tree):
        operator_sign = isinstance(node, ast.BinOp) and ast.unparse(node) not in allowed
        sign = (
            isinstance(node, ast.UnaryOp)
            and not isinstance(node.op, ast.Not)
            and not isinstance(node.operand, ast.Constant)
        )
        # Under a name of its own a function would be called unseen, so the bare name is refused too.
        function = (isinstance(node, ast.Name) and node.id in REDUCING) or _called(node) in CONVERTING
        method = isinstance(node, ast.Attribute) and DUNDER.match(node.attr) is not None
        module = bool(_imported(node) & CALCULATING)
        if operator_sign or sign or function or method or module or isinstance(node, ast.AugAssign):
            found.append(_text(node))
    return found


def _derivation_nodes(tree: ast.Module, file: str) -> Iterator[ast.AST]:
    """Every value node of a derivation; the functions that only ever see integers are left out."""
    left_out = INTEGER_ONLY.get(file, set())
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef) and statement.name in left_out:
            continue
        yield from _outside_annotations(statement)


def division(tree: ast.Module, file: str) -> list[str]:
    """workload/: of the operators only +, - and *, and no function that divides or rounds."""
    found = []
    for node in _derivation_nodes(tree, file):
        operators = isinstance(node, ast.BinOp | ast.AugAssign) and not isinstance(
            node.op, ast.Add | ast.Sub | ast.Mult
        )
        function = (isinstance(node, ast.Name) and node.id in REDUCING - {"sum"}) or _called(node) in CONVERTING
        method = isinstance(node, ast.Attribute) and DUNDER.match(node.attr) is not None
        module = bool(_imported(node) & (CALCULATING - {"sympy"}))
        if operators or function or method or module:
            found.append(_text(node))
    return found


def comparison(tree: ast.Module, file: str) -> list[str]:
    """workload/: only `is` with None or a word, `in` with a collection of names, and listed counts of names."""
    found = []
    for node in _derivation_nodes(tree, file):
        if isinstance(node, ast.Compare):
            sides = zip(node.ops, node.comparators, strict=True)
            if ast.unparse(node) in COUNTED_NAMES.get(file, set()) or all(_harmless(*side) for side in sides):
                continue
            found.append(_text(node))
        elif isinstance(node, ast.match_case):
            found.extend(_text(pattern) for pattern in ast.walk(node.pattern) if not _word_pattern(pattern))
    return found


def _harmless(operator_sign: ast.cmpop, right: ast.expr) -> bool:
    if isinstance(operator_sign, ast.Is | ast.IsNot):
        return (isinstance(right, ast.Constant) and right.value is None) or bool(MEMBER.match(ast.unparse(right)))
    return isinstance(operator_sign, ast.In | ast.NotIn) and ast.unparse(right) in NAMED


def _word_pattern(pattern: ast.AST) -> bool:
    """Words of a vocabulary, None, alternatives and the wildcard. Other parts of a pattern are judged on their own."""
    match pattern:
        case ast.MatchValue(value):
            return bool(MEMBER.match(ast.unparse(value)))
        case ast.MatchSingleton(value):
            return value is None
        case ast.pattern():
            return isinstance(pattern, ast.MatchAs | ast.MatchOr)
        case _:
            return True


DISPATCHING = {
    "isinstance",
    "issubclass",
    "type",
    "hasattr",
    "getattr",
    "callable",
    "dir",
    "vars",
    "id",
    "repr",
    "hash",
}
"""Functions that tell an integer from a symbolic number."""

TELLING = {"__class__", "__dict__", "__slots__", "__qualname__", "expression", "bit_length", "is_integer", "numerator"}
"""Attributes that tell them apart."""


def dispatch(tree: ast.Module, file: str) -> list[str]:
    """workload/: nothing asks whether a number is symbolic, by its type, its attributes or its refusals."""
    found = []
    for node in _derivation_nodes(tree, file):
        function = isinstance(node, ast.Name) and node.id in DISPATCHING
        attribute = isinstance(node, ast.Attribute) and node.attr in TELLING
        # What a symbolic number refuses, a handler could answer.
        handler = isinstance(node, ast.Try | ast.TryStar | ast.With)
        converted = isinstance(node, ast.FormattedValue) and node.conversion != -1
        module = bool(_imported(node) & {"functools", "inspect", "types", "numbers", "contextlib"})
        pattern = isinstance(node, ast.MatchClass)
        if function or attribute or handler or converted or module or pattern:
            found.append(_text(node))
    return found


# What stands in the checkout ----------------------------------------------------------------------------------------

RULES: dict[str, tuple[Rule, list[Path]]] = {
    "arithmetic": (arithmetic, PASSES),
    "division": (division, WORKLOAD),
    "comparison": (comparison, [path for path in WORKLOAD if path.name != "symbolic.py"]),
    "dispatch": (dispatch, [path for path in WORKLOAD if path.name != "symbolic.py"]),
}


@pytest.mark.parametrize(
    ("rule", "path"),
    [(rule, path) for rule, (_, paths) in RULES.items() for path in paths],
    ids=lambda value: value if isinstance(value, str) else value.stem,
)
def test_the_source_keeps_the_rule(rule: str, path: Path) -> None:
    assert RULES[rule][0](ast.parse(path.read_text(encoding="utf-8")), path.name) == []


def test_every_file_is_looked_at() -> None:
    assert {path.stem for path in PASSES} >= {"distribute_training", "plan_training", "protocol"}
    assert {path.stem for path in PASSES} >= {"distribute_inference", "plan_inference", "distribution", "planning"}
    assert {path.stem for path in WORKLOAD} >= {"dims", "plan", "primitives", "symbolic", "training_block"}
    assert {path.stem for path in WORKLOAD} >= {"operators", "inference_block", "inference_memory", "maximum"}
    assert {path.stem for path in WORKLOAD} >= {"attention", "layout", "order", "stack", "stage"}
    assert {path.stem for path in PASSES} >= {"bind_queue", "bind_slot", "binding", "emission", "emit_machine"}
    assert not [path for folder in ("passes", "workload") for path in (PACKAGE / folder).glob("*/**/*.py")]


def test_every_exception_is_still_needed() -> None:
    """An exception that nothing uses would let its text come back unseen."""
    for file, expressions in (CONCATENATIONS | COUNTED_NAMES).items():
        path = next(path for path in (*PASSES, *WORKLOAD) if path.name == file)
        present = {ast.unparse(node) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))}
        assert expressions <= present
    for file, functions in INTEGER_ONLY.items():
        module = ast.parse((PACKAGE / "workload" / file).read_text(encoding="utf-8"))
        for name in functions:
            (function,) = (each for each in module.body if isinstance(each, ast.FunctionDef) and each.name == name)
            alone = ast.Module([function], [])
            assert any(rule(alone, "another.py") for rule in (division, comparison, dispatch)), name


def test_only_dims_and_layouts_divide() -> None:
    """With the exceptions taken away, it is their files alone that divide or choose."""
    found = {path.name: division(ast.parse(path.read_text(encoding="utf-8")), "another.py") for path in WORKLOAD}
    assert {name for name, faults in found.items() if faults} == {"dims.py", "layout.py", "maximum.py"}
    assert [fault.partition(": ")[2] for fault in found["maximum.py"]] == ["max"]


# Text that breaks the rules -----------------------------------------------------------------------------------------

BREAKS = {
    "arithmetic": (
        "n = a + b",
        "n = a - b",
        "n = a * b",
        "n = a / b",
        "n = a // b",
        "n = a % b",
        "n = a ** b",
        "n = a @ b",
        "n = a << 1",
        "n = a >> 1",
        "n = a | b",
        "n = a & b",
        "n = a ^ b",
        "n = -a",
        "n = ~a",
        "n += 1",
        "n *= 2",
        "self.total += task.work",
        "n = min(a, b)",
        "n = max(sizes)",
        "n = sum(task.work for task in tasks)",
        "n = abs(a)",
        "n = divmod(a, b)",
        "n = pow(a, 2)",
        "n = round(a)",
        "n = int(a)",
        "total = sum\nn = total(sizes)",
        "n = map(max, a, b)",
        "n = a.__add__(b)",
        "n = int.__mul__(a, b)",
        "n = a.__rfloordiv__(b)",
        "import math\nn = math.prod(sizes)",
        "from math import prod",
        "from functools import reduce",
        "from itertools import accumulate as run",
        "import operator as o",
        "import fractions",
        "n = eval('a + b')",
        "f = lambda a, b: a * b",
        "def f(a=B * S): pass",
        "name = f'{a * b}'",
        "names = left + right",
        "x = [n * 2 for n in sizes]",
        "work = Work(operations=2 * m)",
        "class C:\n    size = a * 4",
    ),
    "division": (
        "n = a / b",
        "n = a // b",
        "n = -(-a // b)",
        "n = a % b",
        "n = a ** 2",
        "n = a @ b",
        "n = a << 1",
        "n = a >> 1",
        "n = a & b",
        "n //= b",
        "n /= b",
        "n %= b",
        "n = divmod(a, b)",
        "n = pow(a, 2)",
        "n = round(a)",
        "n = max(a, b)",
        "n = int(a)",
        "n = a.__floordiv__(b)",
        "n = int.__mod__(a, b)",
        "import math",
        "from fractions import Fraction",
        "def of(a, b):\n    return a // b",
        "class Dims:\n    def of(self):\n        return self.F // self.t",
        "def largest(arms):\n    return max(arms)",
        "def exact_share(a, b):\n    return divmod(a, b)",
    ),
    "comparison": (
        "ok = a == b",
        "ok = a != 0",
        "ok = a < b",
        "ok = a <= b",
        "ok = a > 1",
        "ok = a >= b",
        "ok = 0 < a < b",
        "n = a if t > 1 else b",
        "if dims.t == 1:\n    pass",
        "ok = a is b",
        "ok = dims.t is not 1",
        "ok = kind is int",
        "ok = a in (1, 2)",
        "ok = a not in sizes",
        "ok = a in by_size",
        "ok = len(sizes) > 1",
        "n = [a for a in sizes if a > 1]",
        "match a:\n    case 1:\n        pass",
        "match a:\n    case int():\n        pass",
        "match a:\n    case Symbolic(expression=e):\n        pass",
        "match a:\n    case True:\n        pass",
        "match a:\n    case [1, *rest]:\n        pass",
        "match a:\n    case {'t': 1}:\n        pass",
        "match a:\n    case Primitive.LINEAR | 1:\n        pass",
        "match a:\n    case b if b > 1:\n        pass",
        "while n != 0:\n    pass",
        "assert a == b",
    ),
    "dispatch": (
        "ok = isinstance(a, int)",
        "ok = isinstance(a, Symbolic)",
        "ok = issubclass(kind, int)",
        "ok = type(a) is int",
        "kind = type(a)",
        "check = isinstance\nok = check(a, int)",
        "ok = hasattr(a, 'expression')",
        "n = getattr(a, 'expression', a)",
        "n = a.expression",
        "n = a.bit_length()",
        "ok = a.__class__",
        "ok = callable(a)",
        "ok = vars(a)",
        "n = hash(a)",
        "n = id(a)",
        "n = repr(a)",
        "n = f'{a!r}'",
        "try:\n    n = a // b\nexcept TypeError:\n    n = a",
        "import contextlib\nwith contextlib.suppress(TypeError):\n    n = a // b",
        "from functools import singledispatch",
        "import functools",
        "match a:\n    case int():\n        pass",
        "match a:\n    case Symbolic(e):\n        pass",
    ),
}

KEEPS = {
    "arithmetic": (
        "from __future__ import annotations",
        "x: int | None = None",
        "def f(a: int | str) -> int | None: ...",
        "ids = (*left, *right)",
        "name = f'{value}.{version}'",
        "name = ', '.join(names)",
        "last = names[-1]",
        "ranks = tuple(range(t))",
        "if count > INT64_MAX:\n    raise E",
        "ok = not (a or b)",
        "work = plan_work(a, b)",
        "from blueprint.workload.plan import buffer_size",
        "text = '2^63 - 1'",
    ),
    "division": (
        "n = 2 * (m * n * k)",
        "n = a + b - c",
        "n = shard * (ranks - 1)",
        "n += 1",
        "n = sum(sizes)",
        "x: int | None = None",
        "def dims_of(r):\n    return r.size // r.degree",
        "def exact_share(a, b):\n    return divmod(a, b)",
    ),
    "comparison": (
        "ok = a is None",
        "ok = case.recompute is Recompute.FULL",
        "ok = op.primitive is not Primitive.ALL_GATHER",
        "ok = name in ENTERS",
        "ok = value in self.by_name",
        "ok = case.tensor_parallel and not case.biases",
        "match op.primitive:\n    case Primitive.LINEAR | Primitive.GELU:\n        pass\n    case _:\n        pass",
        "def dims_of(w):\n    return 8 if w.width == 4 else 12",
    ),
    "dispatch": (
        "name = f'{value}.{version}'",
        "n = len(names)",
        "names = sorted(names)",
        "whole = replace(f, optimizer_shard=n)",
        "match op.primitive:\n    case Primitive.LINEAR:\n        pass",
        "class Dims(Generic[N]):\n    B: N",
    ),
}


def _rows(table: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(rule, text) for rule, texts in table.items() for text in texts]


@pytest.mark.parametrize(("rule", "text"), _rows(BREAKS))
def test_the_rule_can_fail(rule: str, text: str) -> None:
    assert RULES[rule][0](ast.parse(text), "another.py")


@pytest.mark.parametrize(("rule", "text"), _rows(KEEPS))
def test_the_rule_refuses_nothing_else(rule: str, text: str) -> None:
    assert RULES[rule][0](ast.parse(text), "dims.py") == []


@pytest.mark.parametrize(
    ("rule", "path"), [("arithmetic", PASSES[0]), ("division", WORKLOAD[0])], ids=["passes", "workload"]
)
def test_a_fault_planted_in_a_real_file_is_found(rule: str, path: Path) -> None:
    planted = path.read_text(encoding="utf-8") + "\n\ndef planted(work, t):\n    return work // t\n"
    assert RULES[rule][0](ast.parse(planted), path.name)
