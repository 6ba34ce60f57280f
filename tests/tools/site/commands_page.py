"""The page of the command line, from the very objects that parse it."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import typer

import blueprint.exit
from blueprint.cli import app
from blueprint.cli.voice import PROGRAM
from blueprint.exit import ExitCode
from tests.tools.site.markup import NOTE, escaped, heading, table

# typer's own copy of click has no public types.
Command = Any


def commands_page() -> str:
    """Every command with its arguments, options and examples, and the exit statuses."""
    group = typer.main.get_command(app)
    parts = [f"{NOTE}\n# Commands\n", *(_section(*each) for each in _commands(PROGRAM, group))]
    return "".join((*parts, heading(2, "Exit statuses", "exit-statuses"), _statuses()))


def _commands(name: str, command: Command) -> Iterator[tuple[str, Command]]:
    """A command and all below it, by what is typed."""
    yield name, command
    for word, each in getattr(command, "commands", {}).items():
        yield from _commands(f"{name} {word}", each)


def _section(name: str, command: Command) -> str:
    """One command: what it does, an example, and what it takes."""
    words, _, example = str(command.help).partition("\b\n")
    examples = "".join(f"{line.strip()}\n" for line in example.splitlines() if line.startswith(" "))
    shown = f"\n```console\n{examples}```\n" if examples else ""
    below = [
        (f"[`{name} {word}`](#{_anchor(f'{name} {word}')})", escaped(_first(each)))
        for word, each in getattr(command, "commands", {}).items()
    ]
    rows = [_row(each) for each in command.params]
    return (
        f"{heading(2, name, _anchor(name))}\n{escaped(words.strip())}\n{shown}"
        f"{table(('command', 'what it does'), below) if below else ''}"
        f"{table(('argument or option', 'value', 'default', 'meaning'), rows) if rows else ''}"
    )


def _row(parameter: Command) -> tuple[str, str, str, str]:
    option = parameter.param_type_name == "option"
    names = ", ".join(f"`{each}`" for each in parameter.opts) if option else f"`{parameter.metavar}`"
    value = "" if not option or parameter.is_flag else f"`{parameter.metavar}`"
    plain = parameter.default is None or parameter.is_flag
    default = "required" if parameter.required else "" if plain else f"`{parameter.default}`"
    return names, value, default, escaped(parameter.help)


def _anchor(name: str) -> str:
    return name.replace(" ", "-")


def _first(command: Command) -> str:
    """The first line of a command's help."""
    return str(command.help).partition("\n")[0]


def _statuses() -> str:
    """Each status with the words that stand below it in the source: an enumeration keeps no documentation."""
    tree = ast.parse(inspect.getsource(blueprint.exit))
    (body,) = (node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == ExitCode.__name__)
    words = {}
    for before, after in pairwise(body):
        match before, after:
            case ast.Assign(targets=[ast.Name(id=name)]), ast.Expr(value=ast.Constant(value=str(said))):
                words[name] = said
    return table(
        ("status", "name", "meaning"), [(str(int(code)), code.name, escaped(words[code.name])) for code in ExitCode]
    )
