"""Load a folder of rules as one checked value. The engine never names a rule: it finds them by this value alone."""

from __future__ import annotations

import ast
import hashlib
import os
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import ModuleType

from blueprint.case import Workload
from blueprint.errors import InputError, RulebookError
from blueprint.files import read_bounded
from blueprint.ir.common import Stage
from blueprint.law import AnyLaw
from blueprint.rule import BoundaryRule, PassRule, PrimitiveRule, Rule
from blueprint.rulecheck import blamed, check_imports, check_rules, checked_rule
from blueprint.words import plain

PACKAGE = "blueprint.rules"
"""The one name under which a rules folder is loaded, wherever it lies."""

FILE_LIMIT = 1 << 20
"""Bytes of the largest rule file."""

FOLDER_LIMIT = 16 << 20
"""Bytes of all rule files together."""

FILES_LIMIT = 2000
"""Most files of a rulebook."""


@dataclass(frozen=True)
class Rulebook:
    """An ordered set of rules, with the digest of the files that they were read from."""

    revision: str
    digest: str
    rules: tuple[Rule, ...]
    sources: dict[str, str]
    """Rule id -> SHA-256 of the rule's own file."""

    @property
    def primitives(self) -> dict[str, PrimitiveRule]:
        """The primitive rule of every primitive."""
        return {rule.primitive: rule for rule in self.rules if isinstance(rule, PrimitiveRule)}

    def pass_rules(self, boundary: tuple[Stage, Stage], workload: Workload) -> tuple[PassRule, ...]:
        """The rewrites of one boundary for a workload, in order."""
        rules = (rule for rule in self.rules if isinstance(rule, PassRule) and rule.workload in {None, workload})
        return tuple(rule for rule in rules if rule.boundary == boundary)

    def boundary_rules(self, boundary: tuple[Stage, Stage], workload: Workload) -> tuple[BoundaryRule, ...]:
        """The rules that speak of one boundary as a whole, for a workload."""
        rules = (rule for rule in self.rules if isinstance(rule, BoundaryRule) and rule.workload in {None, workload})
        return tuple(rule for rule in rules if boundary in rule.boundaries)

    def laws(self) -> tuple[tuple[PassRule | BoundaryRule, AnyLaw], ...]:
        """Every law with its rule, in order."""
        return tuple(
            (rule, law) for rule in self.rules if isinstance(rule, PassRule | BoundaryRule) for law in rule.laws
        )


def shipped(folder: str) -> Path:
    """The folder `rules` or `proofs`: inside the installed package, else in the checkout around it."""
    package = Path(__file__).parent
    if (package / folder).is_dir():
        return package / folder
    checkout = package.parent
    if (checkout / "pyproject.toml").is_file() and (checkout / folder).is_dir():
        return checkout / folder
    raise RulebookError(f"the folder {folder} is neither in the package nor in a checkout around it")


def load(folder: Path) -> Rulebook:
    """Load and check a rules folder. Raises RulebookError where a file, an id or a list does not fit.

    Every file is read once: the bytes that are run are the bytes that are in the digest.
    """
    files = _read(folder)
    # One rulebook must not find another's modules.
    for name in [each for each in sys.modules if _is_rule_module(each)]:
        del sys.modules[name]
    # Standard output belongs to the command's document, whatever a rule prints.
    with redirect_stdout(sys.stderr), blamed("rules"):
        return _load(files)


def _is_rule_module(name: str) -> bool:
    return name == PACKAGE or name.startswith(f"{PACKAGE}.")


def _load(files: dict[str, bytes]) -> Rulebook:
    root = _run(PACKAGE, "__init__.py", files)
    families = _names(root, "FAMILIES")
    listed = {"__init__.py"}
    rules: list[Rule] = []
    sources: dict[str, str] = {}
    for family in families:
        listed.add(f"{family}/__init__.py")
        package = _run(f"{PACKAGE}.{family}", f"{family}/__init__.py", files)
        for stem in _names(package, "RULES"):
            name, identifier = f"{family}/{stem}.py", f"{family}.{stem}"
            listed.add(name)
            rule = getattr(_run(f"{PACKAGE}.{identifier}", name, files), "RULE", None)
            rules.append(checked_rule(rule, identifier))
            sources[identifier] = hashlib.sha256(files[name]).hexdigest()
    unlisted = sorted(files.keys() - listed)
    if unlisted:
        raise RulebookError(f"rules/{plain(unlisted[0])} is in no list of FAMILIES and RULES")
    revision = getattr(root, "REVISION", None)
    if not isinstance(revision, str) or not revision:
        raise RulebookError("rules/__init__.py: REVISION is no text")
    check_rules(rules)
    return Rulebook(revision, _digest(files), tuple(rules), sources)


def _read(folder: Path) -> dict[str, bytes]:
    """Relative path -> bytes of every Python file in the folder; far more than people write is refused."""
    if not os.path.isdir(folder):  # noqa: PTH112 -- unlike Path.is_dir, it raises nothing
        raise RulebookError("is no folder of rules that can be read", path=plain(folder))
    paths = list(islice(folder.rglob("*.py"), FILES_LIMIT + 1))
    if len(paths) > FILES_LIMIT:
        raise RulebookError(f"has more than {FILES_LIMIT} files", path=plain(folder))
    files: dict[str, bytes] = {}
    room = FOLDER_LIMIT
    for path in paths:
        try:
            data = read_bounded(path, min(FILE_LIMIT, room))
        except InputError as error:
            raise RulebookError(error.message, path=error.path) from None
        files[path.relative_to(folder).as_posix()] = data
        room -= len(data)
    return files


def _run(name: str, path: str, files: dict[str, bytes]) -> ModuleType:
    """Run one file as a module."""
    if path not in files:
        raise RulebookError(f"rules/{plain(path)} is missing")
    module = ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    with blamed(f"rules/{plain(path)}"):
        tree = ast.parse(files[path], f"rules/{path}")
        check_imports(tree, f"rules/{path}")
        exec(compile(tree, f"rules/{path}", "exec", dont_inherit=True), module.__dict__)  # noqa: S102 -- rules are code
    return module


def _names(module: ModuleType, name: str) -> tuple[str, ...]:
    value = getattr(module, name, None)
    if not isinstance(value, tuple) or not value or not all(isinstance(each, str) for each in value):
        raise RulebookError(f"{module.__name__}: {name} is no tuple of names")
    if len(set(value)) != len(value):
        raise RulebookError(f"{module.__name__}: {name} has a name twice")
    return value


def _digest(files: dict[str, bytes]) -> str:
    """SHA-256 over the sorted relative paths and contents, lengths included."""
    total = hashlib.sha256()
    for name, data in sorted(files.items()):
        for part in (name.encode(), data):
            total.update(len(part).to_bytes(8, "big") + part)
    return total.hexdigest()
