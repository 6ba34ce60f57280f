"""Count the trusted core's lines of code and fail above its caps.

A line of code carries at least one token that is neither a comment nor part of a docstring or of another string that
stands alone as a statement. What must be right for a verdict to be right is counted as core; what belongs to single
stages (their structures, structural checks, and what their claims ask) is counted apart; rules and frontend are the
specification, printed beside and not capped.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

CORE = (
    "codec",
    "bundle",
    "rulebook",
    "rulecheck",
    "symbols",
    "rule",
    "law",
    "case",
    "obligation",
    "facts",
    "term",
    "verdict",
    "smtlib",
    "solver",
    "worker",
    "discharge",
    "exact",
    "normalform",
    "plan",
    "matching",
    "instances",
    "capacities",
    "transition",
    "chunks",
    "arrangements",
    "concrete_transition",
    "machine_transition",
    "verifier",
    "contract",
    "boundaries",
    "gate",
    "extension",
    "insertion",
    "examine",
    "bindings",
    "verification",
)
STRUCTURAL = ("ir", "claims", "expected", "expected_bound", "expected_concrete")
CORE_CAP = 4900
TOTAL_CAP = 7550
"""Why these caps and this list: docs/adr/0006-what-the-trusted-core-is.md."""

_NO_CODE = frozenset(
    {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENCODING,
        tokenize.ENDMARKER,
    }
)


def _standing_strings(source: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Start and end (line, column in characters) of every string that is a statement of its own."""
    # Split at line feeds only, as the syntax tree does: str.splitlines also splits at form feeds.
    lines = source.split("\n")

    def position(line: int, offset: int) -> tuple[int, int]:
        return line, len(lines[line - 1].encode()[:offset].decode())

    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                end_line, end_offset = node.end_lineno, node.end_col_offset
                if end_line is None or end_offset is None:
                    raise ValueError(f"line {node.lineno}: a string without an end")
                yield position(node.lineno, node.col_offset), position(end_line, end_offset)


def code_lines(source: str) -> int:
    """The number of lines of `source` that carry code."""
    strings = list(_standing_strings(source))
    blank = {number for number, text in enumerate(source.split("\n"), start=1) if not text.strip()}
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in _NO_CODE:
            continue
        if token.type == tokenize.STRING and any(start <= token.start and token.end <= end for start, end in strings):
            continue
        lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - blank)


def module_lines(package: Path, name: str) -> int:
    """The lines of code of module `name` of `package`, or of all modules below it if it is a package."""
    single, folder = package / f"{name}.py", package / name
    if not single.is_file() and not folder.is_dir():
        raise FileNotFoundError(f"{name}: a listed module does not exist; mend the list in {Path(__file__).name}")
    files = [single] if single.is_file() else sorted(folder.rglob("*.py"))
    return sum(code_lines(file.read_text(encoding="utf-8")) for file in files)


def main(root: Path, *, core_cap: int = CORE_CAP, total_cap: int = TOTAL_CAP) -> int:
    """Print the table for the checkout at `root`; 0 within the caps, 1 above one or where a module is missing."""
    package = root / "blueprint"
    try:
        core = {name: module_lines(package, name) for name in CORE}
        structural = {name: module_lines(package, name) for name in STRUCTURAL}
        beside = {"rules": module_lines(root, "rules"), "frontend": module_lines(package, "frontend")}
    except (FileNotFoundError, SyntaxError) as error:
        print(error, file=sys.stderr)
        return 1

    for name, count in (core | structural).items():
        print(f"{name:<24}{count:>6}")
    core_total = sum(core.values())
    total = core_total + sum(structural.values())
    over = False
    for label, count, cap in (("core", core_total, core_cap), ("core with structures", total, total_cap)):
        over |= count > cap
        print(f"{label:<24}{count:>6}  of at most {cap}{'  ABOVE THE CAP' if count > cap else ''}")
    for name, count in beside.items():
        print(f"{name:<24}{count:>6}  specification, not capped")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parents[2]))
