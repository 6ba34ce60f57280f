"""Mutants of a module's source: mutmut's operators, and those that a verifier asks for besides, on the whole module.

mutmut itself puts mutants into functions that choose between them at run time, and so leaves out module-level code,
fields of structs, members of enums, and decorated functions. Here each mutant is a whole text of its own module, so
that nothing of that is left out, and worker processes run it as well.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import libcst as cst
import msgspec
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper, ParentNodeProvider, PositionProvider
from mutmut.mutation import mutators

LEFT_OUT: Final = (
    "texts: docstrings, literal and formatted strings; but not those of smtlib, solver, worker and codec",
    "what is inside a raise; that it is raised is not left out",
    "annotations, but for the bounds that they give to a decoder (msgspec.Meta)",
    "decorators",
    "whether a struct or dataclass is frozen, takes keywords alone, or is collected as garbage: no code assigns to one",
    "whether a zip is strict: what it joins is made of the same list",
    "what is imported for type checking alone, and type variables",
)
"""What no operator touches."""

READ_BY_MACHINES: Final = frozenset(("smtlib", "solver", "worker", "codec"))
UNMUTATED_KEYWORDS: Final = frozenset(("frozen", "kw_only", "gc", "slots", "order", "strict"))
MESSAGES: Final = frozenset(("message", "statement", "words"))
"""Keyword arguments that hold words for people."""

Text = cst.SimpleString | cst.FormattedString | cst.ConcatenatedString
Operator = Callable[[Any], Iterable[cst.CSTNode]]


class Mutant(msgspec.Struct, frozen=True):
    """One mutant: the whole mutated text of the file, and the lines before and after."""

    path: str
    line: int
    operator: str
    before: str
    after: str
    text: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What names the mutant in a list."""
        return self.path, self.before, self.after

    @property
    def id(self) -> str:
        """What tells it from every other one."""
        return hashlib.sha256(f"{self.path}\n{self.text}".encode()).hexdigest()[:16]


# Operators that mutmut does not have ----------------------------------------------------------------------------------


def _negated(node: cst.If | cst.While | cst.CompIf) -> Iterator[cst.CSTNode]:
    """A condition is turned round; of comparisons and of `not`, mutmut's operators do so."""
    if not isinstance(node.test, cst.Comparison | cst.UnaryOperation):
        yield node.with_changes(test=_not(node.test))


def _guard(node: cst.MatchCase) -> Iterator[cst.CSTNode]:
    if node.guard is not None:
        yield node.with_changes(guard=None)
        yield node.with_changes(guard=_not(node.guard))


def _condition_dropped(node: cst.CompFor) -> Iterator[cst.CSTNode]:
    for place in range(len(node.ifs)):
        yield node.with_changes(ifs=[*node.ifs[:place], *node.ifs[place + 1 :]])


def _operand_dropped(node: cst.BooleanOperation) -> Iterator[cst.CSTNode]:
    yield node.left
    yield node.right


def _statement_dropped(node: cst.Raise | cst.AugAssign | cst.Expr) -> Iterator[cst.CSTNode]:
    """What is raised, yielded or called for its effect is left out."""
    if not isinstance(node, cst.Expr) or isinstance(node.value, cst.Yield | cst.Call):
        yield cst.Pass()


def _element_dropped(node: cst.Tuple | cst.List | cst.Set | cst.Dict) -> Iterator[cst.CSTNode]:
    for place in range(len(node.elements)):
        kept = [*node.elements[:place], *node.elements[place + 1 :]]
        if isinstance(node, cst.Tuple) and len(kept) == 1:
            kept = [kept[0].with_changes(comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))]
        if kept or not isinstance(node, cst.Set):
            yield node.with_changes(elements=kept)


def _quantifier(node: cst.Name) -> Iterator[cst.CSTNode]:
    others = {"any": "all", "all": "any", "min": "max", "max": "min"}
    if node.value in others:
        yield node.with_changes(value=others[node.value])


def _not(test: cst.BaseExpression) -> cst.UnaryOperation:
    inner = test if test.lpar else test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.UnaryOperation(cst.Not(), inner)


OPERATORS: Final[tuple[tuple[str, Any, Operator], ...]] = (
    ("condition negated", (cst.If, cst.While, cst.CompIf), _negated),
    ("guard", cst.MatchCase, _guard),
    ("condition dropped", cst.CompFor, _condition_dropped),
    ("operand dropped", cst.BooleanOperation, _operand_dropped),
    ("statement dropped", (cst.Raise, cst.AugAssign, cst.Expr), _statement_dropped),
    ("element dropped", (cst.Tuple, cst.List, cst.Set, cst.Dict), _element_dropped),
    ("quantifier", cst.Name, _quantifier),
    *(
        (operator.__name__.removeprefix("operator_").replace("_", " "), kind, operator)
        for kind, operator in mutators.mutation_operators
    ),
)


class _Finder(cst.CSTVisitor):
    """Goes through a module and collects what every operator makes of every node, as texts."""

    METADATA_DEPENDENCIES = (ByteSpanPositionProvider, ParentNodeProvider, PositionProvider)

    def __init__(self, path: str, module: cst.Module) -> None:
        super().__init__()
        self.path, self.module = path, module
        self.source = module.bytes
        self.texts = Path(path).stem in READ_BY_MACHINES
        self.found: dict[str, Mutant] = {}

    def on_visit(self, node: cst.CSTNode) -> bool:
        if self._is_left_out(node):
            return False
        for name, kind, operator in OPERATORS:
            if isinstance(node, kind) and not self._is_apart(node):
                for mutated in operator(node):
                    if not self._changes_text_alone(node, mutated):
                        self._add(name, node, mutated)
        return not isinstance(node, cst.Raise)

    def _is_left_out(self, node: cst.CSTNode) -> bool:
        match node:
            case cst.Decorator() | cst.Import() | cst.ImportFrom():
                return True
            case cst.Annotation():
                return "Meta(" not in self.module.code_for_node(node.annotation)
            case cst.FormattedString() | cst.ConcatenatedString():
                return not self.texts
            case cst.SimpleString():
                return not self.texts or isinstance(self.get_metadata(ParentNodeProvider, node), cst.Expr)
            case cst.Arg(keyword=cst.Name(name)):
                return name in UNMUTATED_KEYWORDS or name in MESSAGES
            case cst.If(test=cst.Name("TYPE_CHECKING")) | cst.Assign(value=cst.Call(func=cst.Name("TypeVar"))):
                return True
        return False

    def _is_apart(self, node: cst.CSTNode) -> bool:
        """Whether a node is no value: what is assigned to, or the name of an argument or an attribute."""
        match self.get_metadata(ParentNodeProvider, node, None):
            case cst.AssignTarget():
                return True
            case cst.Arg(keyword=name) | cst.Attribute(attr=name) | cst.For(target=name) | cst.CompFor(target=name):
                return name is node
        return False

    def _changes_text_alone(self, node: cst.CSTNode, mutated: cst.CSTNode) -> bool:
        """Whether all that is lost is a text."""
        if self.texts:
            return False
        match node, mutated:
            case ((cst.Assign() | cst.AnnAssign()), (cst.Assign() | cst.AnnAssign())):
                return isinstance(node.value, Text)
            case cst.Call(args=old), cst.Call(args=new):
                lost = [before for before in old if all(before is not after for after in new)]
                return all(_is_message(each) for each in lost) and bool(lost)
        return False

    def _add(self, name: str, node: cst.CSTNode, mutated: cst.CSTNode) -> None:
        text = self._text(node, mutated)
        if text in self.found:
            return
        before, after = _differing(self.source.decode(), text)
        line = self.get_metadata(PositionProvider, node).start.line
        self.found[text] = Mutant(self.path, line, name, before, after, text)

    def _text(self, node: cst.CSTNode, mutated: cst.CSTNode) -> str:
        span = self.get_metadata(ByteSpanPositionProvider, node)
        end = span.start + span.length
        old = self.source[span.start : end].decode()
        # Parentheses round an expression are no part of its span.
        bare = _bare(node)
        mutated = _bare(mutated) if type(mutated) is type(node) else mutated
        for margin in ("", self._margin(node)):
            if self._code(bare, margin) == old:
                new = self._code(mutated, margin)
                return f"{self.source[: span.start].decode()}{new}{self.source[end:].decode()}"
        replaced = self.module.deep_replace(node, mutated)
        if not isinstance(replaced, cst.Module):
            raise TypeError("a module without its nodes")
        return replaced.code

    def _code(self, node: cst.CSTNode, margin: str) -> str:
        return self.module.code_for_node(node).replace("\n", f"\n{margin}").strip()

    def _margin(self, node: cst.CSTNode) -> str:
        """How far the statement that a node is part of is indented."""
        while not isinstance(node, cst.BaseCompoundStatement | cst.SimpleStatementLine):
            node = self.get_metadata(ParentNodeProvider, node)
        return " " * int(self.get_metadata(PositionProvider, node).start.column)


def _bare(node: cst.CSTNode) -> cst.CSTNode:
    """A node without its parentheses, if it can be without them."""
    empty = isinstance(node, cst.Tuple) and not node.elements
    return node.with_changes(lpar=[], rpar=[]) if getattr(node, "lpar", ()) and not empty else node


def _is_message(argument: cst.Arg) -> bool:
    keyword = argument.keyword.value if argument.keyword is not None else ""
    return isinstance(argument.value, Text) or keyword in MESSAGES | UNMUTATED_KEYWORDS


def _differing(before: str, after: str) -> tuple[str, str]:
    """The lines in which two texts differ, each side on one line."""
    old, new = before.splitlines(), after.splitlines()
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return " ".join(" ".join(old).split()), " ".join(" ".join(new).split())


def mutants(path: str, text: str) -> list[Mutant]:
    """All mutants of one file, in the order of its lines."""
    wrapper = MetadataWrapper(cst.parse_module(text))
    finder = _Finder(path, wrapper.module)
    wrapper.visit(finder)
    return sorted(finder.found.values(), key=lambda each: (each.line, each.operator, each.after))
